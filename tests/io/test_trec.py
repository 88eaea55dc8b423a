import io
import random
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import nested

import idealrank as ir
from idealrank.errors import DataError, ParseError

Nested = dict[str, dict[str, float]]


@given(nested, st.sampled_from([" ", "\t", "  \t "]), st.sampled_from(["\n", "\r\n", "\n# note\n"]), st.randoms())
def test_reads_lines_in_any_order(table: Nested, blank: str, newline: str, random: random.Random) -> None:
    lines = [(query, doc, value) for query, docs in table.items() for doc, value in docs.items()]
    random.shuffle(lines)
    qrels = newline.join(blank.join((query, "0", doc, repr(value))) for query, doc, value in lines)
    run = newline.join(blank.join((query, "Q0", doc, "1", repr(value), "tag")) for query, doc, value in lines)
    assert ir.read_qrels(io.BytesIO(qrels.encode())) == table
    assert ir.read_run(io.BytesIO((run + newline).encode())) == table
    # Each query's documents, and the queries, in the order in which the file has them.
    read = ir.read_run(io.BytesIO(run.encode()))
    assert list(read) == list(dict.fromkeys(query for query, _, _ in lines))
    for query in read:
        assert list(read[query]) == [doc for other, doc, _ in lines if other == query]


@given(nested)
def test_written_files_read_back_the_same(tmp_path_factory: pytest.TempPathFactory, table: Nested) -> None:
    folder = tmp_path_factory.mktemp("trec")
    ir.io.write_qrels(ir.Qrels(table), folder / "qrels.gz")
    ir.io.write_run(ir.Run(table, name="sys"), folder / "run.xz")
    assert ir.read_qrels(folder / "qrels.gz") == table
    again = ir.read_run(folder / "run.xz")
    assert again == table
    assert again.name == "sys"


def test_written_ranks_follow_the_scores(tmp_path: Path) -> None:
    ir.io.write_run(ir.Run({"q": {"a": 1.0, "b": 3.0, "c": 3.0, "d": -2.5}}), tmp_path / "r.run")
    assert (tmp_path / "r.run").read_text() == (
        "q Q0 a 3 1 idealrank\nq Q0 b 1 3 idealrank\nq Q0 c 2 3 idealrank\nq Q0 d 4 -2.5 idealrank\n"
    )


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        (b"", "1:1", "no documents"),
        (b"# a comment\n", "2:1", "no documents"),
        (b"q Q0 d 1 0.5 t\nq Q0 d2 1 0.5\n", "2:14", "6 fields, .* got the end of the line"),
        (b"q Q0 d 1 high t\n", "1:10", "score must be a finite number, got 'high'"),
        (b"q Q0 d 1 nan t\n", "1:10", "finite number, got 'nan'"),
        (b"q Q0 d 1 inf t\n", "1:10", "finite number, got 'inf'"),
        (b"\x89PNG\r\n\x1a\n", "1:5", "6 fields"),
        (b"one", "1:4", "6 fields"),
    ],
)
def test_bad_runs_are_refused_at_their_place(tmp_path: Path, text: bytes, place: str, message: str) -> None:
    path = tmp_path / "bad.run"
    path.write_bytes(text)
    with pytest.raises(ParseError, match=message) as caught:
        ir.read_run(path)
    assert str(caught.value).startswith(f"{path}:{place}: ")


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        (b"q 0 d\n", "1:6", "4 fields"),
        (b"q 0 d 1 9\n", "1:9", "4 fields, .* got '9'"),
        (b"q 0 d 1\nq 0 e x\n", "2:7", "label must be a finite number, got 'x'"),
    ],
)
def test_bad_qrels_are_refused_at_their_place(text: bytes, place: str, message: str) -> None:
    with pytest.raises(ParseError, match=message) as caught:
        ir.read_qrels(io.BytesIO(text))
    assert str(caught.value).startswith(f"<file>:{place}: ")


def test_what_stands_after_a_tag_is_passed_over() -> None:
    run = ir.read_run(io.BytesIO(b"q Q0 d 1 0.5 tag more words\n"))
    assert run.name == "tag"


def test_of_several_tags_the_last_names_the_run() -> None:
    assert ir.read_run(io.BytesIO(b"q Q0 d 1 0.5 one\nq Q0 e 2 0.4 two\n")).name == "two"


def test_a_hash_inside_an_id_is_part_of_it() -> None:
    run = ir.read_run(io.BytesIO(b"#q Q0 x 1 1 t\nq#1 Q0 d#4 1 1 t#\n"))
    assert run == {"q#1": {"d#4": 1.0}}
    assert run.name == "t#"


def test_a_document_twice_in_a_query_is_named() -> None:
    qrels = ir.read_qrels(io.BytesIO(b"q 0 d 1\np 0 d 1\nq 0 d 2\n"))
    assert qrels == {"q": {"d": 2.0}, "p": {"d": 1.0}}
    assert [problem.kind for problem in qrels.problems] == ["duplicate"]


def test_many_blocks_of_a_shuffled_run_are_one_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("idealrank.io.files._BLOCK_SIZE", 1 << 15)
    lines = [(f"q{i % 97}", f"doc-{i * 7919 % 20011}", i / 3) for i in range(20_000)]
    text = "".join(f"{query} Q0 {doc} 0 {score!r} t\n" for query, doc, score in lines)
    expected: Nested = {}
    for query, doc, score in lines:
        expected.setdefault(query, {})[doc] = score
    for n_threads in (1, 3):
        assert ir.read_run(io.BytesIO(text.encode()), n_threads=n_threads) == expected


def test_names_that_are_not_words_are_not_written(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="one word, got 'my system'"):
        ir.io.write_run(ir.Run({"q": {"d": 1.0}}, name="my system"), tmp_path / "x")
    with pytest.raises(DataError, match=r"a document id .* got ''"):
        ir.io.write_qrels(ir.Qrels({"q": {"": 1.0}}), tmp_path / "x")
    assert list(tmp_path.iterdir()) == []


def test_comments_are_counted_and_optional() -> None:
    text = b"# made by hand\n#q1 0 d1 1\nq2 0 d1 2\n#\n"
    qrels = ir.read_qrels(io.BytesIO(text))
    assert qrels.to_dict() == {"q2": {"d1": 2.0}}
    assert [(problem.kind, problem.count) for problem in qrels.problems] == [("comment", 3)]
    with pytest.raises(ParseError, match=r"^<file>:1:11: a label must be"):
        ir.read_qrels(io.BytesIO(text), comments=False)
    run = ir.read_run(io.BytesIO(b"#q1 Q0 d1 1 2 t\nq2 Q0 d1 1 2 t\n"), comments=False)
    assert list(run) == ["#q1", "q2"]
    assert run.problems == ()
    # Only a '#' in the first column makes a comment, as in trec_eval 10.
    assert list(ir.read_qrels(io.BytesIO(b" #q1 0 d1 1\n"))) == ["#q1"]


@pytest.mark.parametrize("queries", [{"#q1": {"d1": 1.0}}, {"q1": {"d1": 1.0}, "#": {"d1": 2.0}}])
def test_a_query_that_would_be_a_comment_is_refused(tmp_path: Path, queries: dict[str, dict[str, float]]) -> None:
    writes: list[Callable[[Path], None]] = [
        partial(ir.io.write_qrels, ir.Qrels(queries)),
        partial(ir.io.write_run, ir.Run(queries)),
    ]
    for write in writes:
        with pytest.raises(DataError, match="a query id must not begin with '#', which marks a comment"):
            write(tmp_path / "x")
    assert not list(tmp_path.iterdir())


def test_a_first_query_that_would_be_a_byte_order_mark_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"must not begin with U\+FEFF"):
        ir.io.write_qrels(ir.Qrels({"\ufeffq1": {"d1": 1}}), tmp_path / "x")
    second = ir.Qrels({"q1": {"d1": 1}, "\ufeffq2": {"d1": 1}})
    ir.io.write_qrels(second, tmp_path / "x")
    assert ir.read_qrels(tmp_path / "x") == second


@pytest.mark.parametrize("name", ["bm25\n", "\nbm25", "a b", " a", "a\r", "a\tb"])
def test_the_name_of_a_run_is_one_word(tmp_path: Path, name: str) -> None:
    with pytest.raises(DataError, match="the name of a run must be one word"):
        ir.io.write_run(ir.Run({"q1": {"d1": 1.0}}, name=name), tmp_path / "x")


@pytest.mark.parametrize("name", ["b\udcffm25", "\u3000wide", "Zürich"])
def test_any_word_may_be_the_name_of_a_run(tmp_path: Path, name: str) -> None:
    ir.io.write_run(ir.Run({"q1": {"d1": 1.0}}, name=name), tmp_path / "x")
    assert ir.read_run(tmp_path / "x").name == name


def test_subtopics_of_a_file_and_of_a_stream_are_the_same_wherever_blocks_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [(f"q{i % 7}", f"s{i % 3}", f"d\x1f{i % 50}", i % 4) for i in range(2_000)]
    text = "".join(f"{q}\t{s}  {d} {label}\r\n" for q, s, d, label in rows).encode()
    expected: dict[str, dict[str, dict[str, float]]] = {}
    for query, subtopic, doc, label in rows:
        expected.setdefault(query, {}).setdefault(doc, {})[subtopic] = label
    (tmp_path / "x").write_bytes(text)
    for size in (8 << 20, 777):
        monkeypatch.setattr("idealrank.io.files._BLOCK_SIZE", size)
        monkeypatch.setattr("idealrank.io.trec._REWRITTEN_AT_ONCE", 100)
        read = [ir.read_qrels(tmp_path / "x"), ir.read_qrels(io.BytesIO(text), subtopics=True)]
        for qrels in read:
            assert isinstance(qrels, ir.SubtopicQrels)
            assert qrels.to_nested() == expected
            assert [each.count for each in qrels.problems if each.kind == "duplicate"] == [2_000 - 7 * 3 * 50]


def test_a_query_that_begins_like_a_comment_has_its_subtopics() -> None:
    read = ir.read_qrels(io.BytesIO(b"#q 1 d 1\n#q 2 d 0\n"), comments=False, subtopics=True)
    assert read.to_nested() == {"#q": {"d": {"1": 1.0, "2": 0.0}}}


def test_repeated_lines_with_one_second_field_are_no_subtopics(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("\n# a b\nq 0 d 1\n\nq 0 d 2\nq 0 e 0\n")
    qrels = ir.read_qrels(tmp_path / "x")
    assert qrels == {"q": {"d": 2, "e": 0}}
    assert not isinstance(qrels, ir.SubtopicQrels)


def test_large_integers_that_float64_makes_equal_are_reported() -> None:
    text = b"q1 0 a 9007199254740993\nq1 0 b 9007199254740992\nq1 0 c 1\nq2 0 a -9007199254740994\nq2 0 b 1e300\n"
    (problem,) = ir.read_qrels(io.BytesIO(text)).problems
    assert (problem.kind, problem.count) == ("large numbers", 2)
    assert "first in query 'q1': as float64" in problem.message
    run = text.replace(b" 0 ", b" Q0 ").replace(b"a ", b"a 1 ").replace(b"b ", b"b 1 ").replace(b"c ", b"c 1 ")
    assert [each.kind for each in ir.read_run(io.BytesIO(run.replace(b"\n", b" tag\n"))).problems] == ["large numbers"]
    others = b"q1 0 a 9007199254740994\nq1 0 b 9007199254740992\nq2 0 a 9007199254740992\n"
    assert ir.read_qrels(io.BytesIO(others)).problems == ()
