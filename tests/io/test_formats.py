"""The registry of formats: every one is listed, recognized by its content, and read and written through one value."""

import ast
import gzip
import lzma
import os
import re
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import idealrank as ir
import idealrank.io
from idealrank import Qrels, RankingData, Run, SubtopicQrels, from_arrays
from idealrank.errors import OptionError, ParseError
from idealrank.io.format_list import FORMATS
from idealrank.io.formats import Frame, Nested, load, named, recognized, sniffed
from idealrank.io.frame_output import to_frame
from idealrank.io.parquet_csv import read_frame
from idealrank.io.shapes.path_shape import PathShape

#: The starts of files of each format.
TEXTS = {
    "letor": [
        b"2 qid:7 1:0.5 2:1 #docid = d1, of two\n0 qid:7 2:0.25\n",
        b"# a comment, first\n\n-1.5 qid:q/7\n",
        b"\xef\xbb\xbf1 qid:1 1:NULL\r\n",
        b"0 1:1 2:0 3:1 4:5 5:6\n",
        b"3 qid:1 " + b"1:0 " * 50_000,
    ],
    "subtopics": [b"q1 1 d1 2\nq1 1 d2 1\nq1 2 d1 0\n", b"# judged\n\n 7\tb\td-1\t-1\r\n7\ta\td-1\t1"],
    "qrels": [
        b"q1 0 d1 2\nq1 0 d2 0\n",
        b"q1 1 d1 2\nq1 1 d1 0\n",
        b"q1 1 d1 2\nq2 2 d1 0\nq1 2 d2 1\n",
        b"# judged\n301\t0\tFR940202-2-00150\t-1",
        b"q1 0 d,1 0.5\n",
    ],
    "run": [
        b"q1 Q0 d1 1 9.5 bm25\n",
        b"q1\tQ0\td,1\t1\t-1e3\tbm25\n",
        b"q1 0 d1 2 3 a tag of more words\n",
    ],
    "msmarco": [b"q1\td1\t1\nq1\td2\t2\n", b"1048585 7187158 1000\r\n"],
    "csv": [
        b"qid,label,score\n7,1,0.5\n",
        b"query-id\tcorpus-id\tscore\nq1\td1\t1\n",
        b'"qid";"label"\r\n1;2\r\n',
        b'\n"qid" , "a b, c d 5"\n',
        b"qid,label" + b",column" * 50_000,
        b"\xef\xbb\xbfqid,label\r\n1,2\r\n",
    ],
    "json": [
        b'{"q1": {"d1": 1, "d2": 0}}',
        b' \n[{"qid": "q1", "doc": "d", "score": 1}]',
        b'\xef\xbb\xbf{"q": {"d": 0.5}}\n',
    ],
}
CASES = [(name, text) for name, texts in TEXTS.items() for text in texts]
ODD_NAMES = ["noending", "run1", "judgments.txt", "data.csv", "x.qrels", "x.results", "x.svm", "x.parquet", "x.xlsx"]


@pytest.fixture
def parquet(tmp_path: Path) -> bytes:
    pytest.importorskip("pyarrow")
    load("parquet").write(Run({"q1": {"d1": 0.5}}), tmp_path / "x.parquet")
    return (tmp_path / "x.parquet").read_bytes()


def test_the_table_lists_every_format_that_a_module_defines() -> None:
    defined = {
        (name, path.stem)
        for path in Path(idealrank.io.__file__).parent.glob("*.py")
        for name in re.findall(r"^\w+ = Format\(\s*\"(\w+)\"", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert defined == {(name, listing.module) for name, listing in FORMATS.items()}


def test_every_listed_format_is_whole() -> None:
    endings = [ending for listing in FORMATS.values() for ending in listing.endings]
    assert len(set(endings)) == len(endings)
    for name, listing in FORMATS.items():
        found = load(name)
        assert (found.name, found.title) == (name, listing.title)
        assert found.holds in (RankingData, Qrels, Run, Frame, Nested)
        assert (found.ranking_reader is not None) == (found.holds is Frame)
        assert all(ending.startswith(".") for ending in listing.endings)


def test_the_table_imports_nothing_else() -> None:
    tree = ast.parse((Path(idealrank.io.__file__).parent / "format_list.py").read_text(encoding="utf-8"))
    assert [node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)] == ["typing"]
    assert not any(isinstance(node, ast.Import) for node in ast.walk(tree))


@pytest.mark.parametrize("name", list(FORMATS))
def test_what_a_format_writes_it_recognizes_and_reads_back(name: str, tmp_path: Path) -> None:
    found = load(name)
    if found.holds is Frame:
        pytest.importorskip("pyarrow")
    samples = {
        RankingData: from_arrays([2, 0], query_ids=["a", "a"], features=[[1, 2], [3, 4]]),
        Qrels: Qrels({"q1": {"d1": 2, "d2": 0}}),
        Run: Run({"q1": {"d1": -1, "d2": -2}}, name="bm25"),  # scores that a format with ranks alone keeps
    }
    by_subtopic = SubtopicQrels({"q1": {"d1": {"a": 2, "b": 1}, "d2": {"a": 0.5}}})
    content: Any = by_subtopic if name == "subtopics" else samples.get(found.holds)
    if found.holds is Nested:
        content = samples[Qrels]
    elif found.holds is Frame:
        content = to_frame(Qrels({"q1": {"d1": 2}}), backend="pyarrow")
    for ending in ("", ".gz", ".xz", ".bz2", ".zst") if found.is_text else ("",):
        path = tmp_path / f"odd{ending}"
        found.write(content, path)
        assert sniffed(path) is found
        again: Any = found.read(path, progress=None, sparse=False, text=("qid", "doc"))
        if isinstance(content, RankingData):
            np.testing.assert_array_equal(again.features, content.features)
        elif found.holds is Frame:
            assert again.to_pydict() == content.to_pydict()
        else:
            assert again == content


@pytest.mark.parametrize("pack", [bytes, gzip.compress, lzma.compress])
@pytest.mark.parametrize(("expected", "text"), CASES)
def test_content_wins_over_any_name(expected: str, text: bytes, pack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    for name in ODD_NAMES:
        path = tmp_path / name
        path.write_bytes(pack(text))
        assert recognized(path, "say").name == expected


def test_parquet_shows_in_its_first_bytes(parquet: bytes, tmp_path: Path) -> None:
    for name in ODD_NAMES:
        (tmp_path / name).write_bytes(parquet)
        assert recognized(tmp_path / name, "say").name == "parquet"
        assert read_frame(tmp_path / name).to_pydict() == {"qid": ["q1"], "doc": ["d1"], "score": [0.5]}


@pytest.mark.parametrize(("expected", "text"), CASES)
def test_content_is_of_one_format_alone(expected: str, text: bytes) -> None:
    assert [name for name in FORMATS if load(name).sniff(text)] == [expected]


@pytest.mark.parametrize(
    "text",
    [b"", b"\n \n", b"# a, b\n", b"x\n", b"2\n", b"q1 0 d,1 high\n", b"\x00\x01q1 0 d1 2\n", b"PK\x03\x04,"],
)
def test_content_that_says_nothing_leaves_it_to_the_name(text: bytes, tmp_path: Path) -> None:
    for name, expected in [("a.txt", "letor"), ("run1.txt", "run"), ("qrels", "qrels"), ("a.csv", "csv")]:
        (tmp_path / name).write_bytes(text)
        assert sniffed(tmp_path / name) is None
        assert recognized(tmp_path / name, "say").name == expected


def test_empty_and_unknown_files_are_parse_errors_that_say_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "noending"
    path.write_bytes(b"")
    with pytest.raises(ParseError, match=r"noending:1:1: the file is empty$"):
        recognized(path, "say")
    path.write_bytes(gzip.compress(b"\n"))
    with pytest.raises(ParseError, match=r"noending:1:1: the file is empty$"):
        recognized(path, "say")
    for content in (b"\x7fELF\x02\x01\x00\x00", b"hello\n", "qid;läbel\n".encode("utf-16")):
        path.write_bytes(content)
        with pytest.raises(ParseError, match=r"g:1:1: the file does not begin like any of LETOR text, .*; say so$"):
            recognized(path, "say so")
    path.write_bytes(gzip.compress(b"q1 0 d1 2\n")[:-5])
    with pytest.raises(ParseError, match="noending:1:1: the compressed file is damaged or cut short"):
        recognized(path, "say")


@pytest.mark.parametrize("name", ["a.txt", "a.qrels", "a.run"])
@pytest.mark.parametrize("content", [b"", b"\x7fELF\x02\x01\x00\x00\xff\xfe", b"\n# nothing\n"])
def test_a_reader_refuses_what_only_the_name_recommends(name: str, content: bytes, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(ParseError, match=rf"{name}:[0-9]+:[0-9]+: "):
        recognized(path, "say").read(path)


def test_an_error_says_that_content_and_name_disagree(tmp_path: Path) -> None:
    path = tmp_path / "train.txt"
    path.write_bytes(b"q1 0 d1 2\nq1 0 d2 high\n")
    with pytest.raises(ParseError, match=r":2:9: a label .* \(it was read as TREC judgments, although its name "):
        recognized(path, "say").read(path)
    path = path.rename(tmp_path / "qrels.txt")
    with pytest.raises(ParseError, match=r":2:9: a label must be a finite number, got 'high'$"):
        recognized(path, "say").read(path)


def test_so_does_an_error_of_a_frame_that_is_read_as_ranking_data(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    path = tmp_path / "train.txt"
    path.write_bytes(b"qid,label\n7,1\n7,high\n")
    with pytest.raises(ParseError, match=r":3:1: .*'high'.* \(it was read as CSV, although its name suggests LETOR"):
        recognized(path, "say").read_ranking(path)
    with pytest.raises(OptionError, match="TREC judgments has no columns"):
        load("qrels").read_ranking(path)


def test_what_cannot_be_opened_is_known_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "a.run").mkdir()
    assert recognized(tmp_path / "a.run", "say").name == "run"
    assert recognized(tmp_path / "missing.csv.xz", "say").name == "csv"
    with pytest.raises(OptionError, match=r"cannot tell the format of '.*missing' from its name; say so$"):
        recognized(tmp_path / "missing", "say so")


def test_parquet_is_not_compressed_again() -> None:
    with pytest.raises(OptionError, match=r"'a\.pq\.gz': Parquet has its own compression"):
        named("a.pq.gz", "say")


def test_a_frame_is_read_whatever_its_name(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    path = tmp_path / "judgments.txt"
    path.write_bytes(b"qid,doc,label\n007,d1,2\n")
    assert read_frame(path).to_pydict() == {"qid": ["007"], "doc": ["d1"], "label": [2]}


#: What a file of 64 KiB may repeat.
BLANKS = [b"\n", b"\r", b"\r\n", b" ", b"\t", b" \n\t", b"#\n", b"\0", b"\xef\xbb\xbf", b'"', b",", b"a,", b"a\t", b"["]
WORDS = [b"1", b"a", b".", b"1e", b"-", b"1 ", b"1:", b"qid:", b"q 0 d 1\n", b"q 0 d\n", b"q 0 e 1\nq "]


@pytest.mark.parametrize("start", [b"", b"1 ", b"a b ", b"a b c ", b"q 0 d 1\n", b"a,", b"a;", b"#"])
def test_recognizing_takes_linear_time(start: bytes, tmp_path: Path) -> None:
    path = tmp_path / "x"
    for unit in BLANKS + WORDS:
        for end in (b"", b"\0"):
            path.write_bytes(start + unit * (65_536 // len(unit)) + end)
            began = time.process_time()
            with suppress(ParseError):
                _ = PathShape(path).kind
            assert time.process_time() - began < 3, unit  # quadratic: 40 s


@contextmanager
def piped(content: bytes) -> Iterator[str]:
    """Yield what a shell makes of <(command)."""
    reading, writing = os.pipe()
    os.write(writing, content)
    os.close(writing)
    yield f"/dev/fd/{reading}"
    os.close(reading)


@pytest.mark.skipif(os.name == "nt", reason="POSIX pipes")
def test_a_pipe_is_refused_as_what_it_is_where_only_its_format_is_asked_for() -> None:
    with (
        piped(b"") as path,
        pytest.raises(OptionError, match=r"is a pipe or a device, which can be read only once.*: say, or write"),
    ):
        recognized(path, "say")


RUNS = {
    "a run": b"q1 Q0 a 1 1 t\nq1 Q0 b 2 2 t\n",
    "JSON": b'{"q1": {"a": 1, "b": 2}}',
    "MS MARCO": b"q1\tb\t1\nq1\ta\t2\n",
}


@pytest.mark.skipif(os.name == "nt", reason="POSIX pipes")
@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("compress", [bytes, gzip.compress])
def test_pipes_are_read_like_files(
    run: str, compress: Callable[[bytes], bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with piped(compress(b"q1 0 a 1\nq1 0 b 0\n")) as qrels, piped(compress(RUNS[run])) as path:
        assert ir.evaluate(qrels, path, "rr").mean["rr"] == 0.5
    assert not [*tmp_path.iterdir()]


@pytest.mark.skipif(os.name == "nt", reason="POSIX pipes")
@pytest.mark.parametrize(
    ("content", "error"),
    [(b"", ":1:1: the file is empty"), (b"q1 0 a 1\nq1 0 a x\n", ":2:8: a label must be a finite number, got 'x'")],
)
def test_errors_call_a_pipe_by_its_name(content: bytes, error: str) -> None:
    with piped(content) as path:
        with pytest.raises(ParseError) as raised:
            ir.evaluate(path, {"q1": {"a": 1}})
        assert str(raised.value) == path + error
