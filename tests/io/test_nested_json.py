"""Judgments and runs as JSON."""

import io
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import idealrank as ir
from idealrank.cli.group import commands
from idealrank.errors import DataError, ParseError
from idealrank.io.nested_json import read_json, write_json
from idealrank.io.query_values import read_query_weights

QRELS = {"q1": {"d1": 2, "d2": 0}, "q2": {"d1": 1}}
RUN = {"q1": {"d2": 0.5, "d1": 1e-300}, "q2": {"d1": -3.0}}


@pytest.mark.parametrize(
    "data",
    [
        ir.Qrels(QRELS),
        ir.Qrels({"q": {"d": 0.5, "e": 1}, 'a "quoted"\\id': {"dé": -1}}),
        ir.Run(RUN),
        ir.SubtopicQrels({"q": {"d": {"1": 1, "2": 0.5}}}),
        ir.Qrels({}),
    ],
    ids=repr,
)
def test_what_is_written_is_read_back(data: ir.Qrels | ir.Run, tmp_path: Path) -> None:
    write_json(data, tmp_path / "x.json.gz")
    content = "run" if isinstance(data, ir.Run) else "qrels"
    assert read_json(tmp_path / "x.json.gz", content=content) == data


def test_whole_numbers_are_labels_unless_said_otherwise() -> None:
    whole = b'{"q": {"a": 2, "b": 1.0}}'
    assert isinstance(read_json(io.BytesIO(whole)), ir.Qrels)
    assert isinstance(read_json(io.BytesIO(whole), content="run"), ir.Run)
    assert isinstance(read_json(io.BytesIO(b'{"q": {"a": 2, "b": 1.5}}')), ir.Run)
    assert isinstance(read_json(io.BytesIO(b'{"q": {"a": 1.5}}'), content="qrels"), ir.Qrels)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b'{"q": {"a": 1}', "x:1:15: not valid JSON: Expecting ',' delimiter"),
        (b'{"q": [1]}', r"expected an object \{query: \{document: number\}\}"),
        (b"[1, 2]", r"expected an object \{query: \{document: number\}\}"),
        (b'{"q": {"a": "b"}}', "must be"),
        (b'{"q": {"a": null}}', "must be"),
        (b'{"q": {"a": NaN}}', "must be a finite number, got nan"),
        (b'{"q": {"a": Infinity}}', "must be a finite number"),
        (b"[" * 100_000, "nested too deeply|not valid JSON"),
    ],
)
def test_errors_name_the_file(text: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(text)
    with pytest.raises(ParseError, match=message) as caught:
        read_json(tmp_path / "x")
    assert str(caught.value).startswith(str(tmp_path / "x"))


def converted(*arguments: str) -> Any:
    result = CliRunner().invoke(commands, ["convert", *arguments])
    assert result.exit_code == 0, result.stderr
    return result


def test_conversions_of_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ir.io.write_qrels(ir.Qrels(QRELS), "judged")
    ir.io.write_run(ir.Run(RUN, name="bm25"), "ranked")
    converted("judged", "qrels.json")
    assert (tmp_path / "qrels.json").read_text() == '{"q1": {"d1": 2, "d2": 0},\n "q2": {"d1": 1}}\n'
    assert "left out: the run's name 'bm25', which JSON cannot hold" in converted("ranked", "run.json").stderr
    converted("run.json", "again.run")
    assert ir.read_run("again.run") == ir.Run(RUN)
    converted("qrels.json", "whole.run")  # the target says that the numbers are scores
    assert ir.read_run("whole.run") == ir.Run(QRELS)
    converted("qrels.json", "again.qrels")
    assert ir.read_qrels("again.qrels") == ir.Qrels(QRELS)
    pytest.importorskip("pyarrow")
    converted("qrels.json", "table.csv")
    assert (tmp_path / "table.csv").read_text().splitlines()[0] == '"qid","doc","label"'
    converted("run.json", "run.parquet")
    converted("run.parquet", "run2.json.xz")
    assert read_json("run2.json.xz") == ir.Run(RUN)
    converted("table.csv", "table.json")
    assert read_json("table.json") == ir.Qrels(QRELS)


def test_judgments_by_subtopic_are_converted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    qrels = ir.SubtopicQrels({"q": {"d": {"1": 1, "2": 0}, "e": {"2": 2}}})
    ir.io.write_qrels(qrels, "x.diversity")
    converted("x.diversity", "x.json")
    assert read_json("x.json") == qrels
    converted("x.json", "again.diversity")
    assert ir.read_qrels("again.diversity") == qrels
    told = converted("x.json", "plain.qrels").stderr
    assert "left out: subtopics (the highest label counts), which TREC judgments cannot hold" in told
    assert ir.read_qrels("plain.qrels") == {"q": {"d": 1, "e": 2}}
    plain = CliRunner().invoke(commands, ["convert", "plain.qrels", "y.diversity"])
    assert plain.exit_code == 1
    assert "it has no subtopics to write" in plain.stderr
    pytest.importorskip("pyarrow")
    converted("x.diversity", "x.csv")
    assert (tmp_path / "x.csv").read_text().splitlines()[0] == '"qid","subtopic","doc","label"'
    converted("x.csv", "from_csv.json")
    assert read_json("from_csv.json") == qrels


@pytest.mark.parametrize(
    ("text", "expected", "n_repeated"),
    [
        (b'{"q": {"a": 1}, "q": {"b": 2}}', {"q": {"a": 1, "b": 2}}, 0),
        (b'{"q": {"a": 1, "a": 2, "b": 3}}', {"q": {"a": 2, "b": 3}}, 1),
        (b'{"q": {"a": 1}, "p": {"c": 1}, "q": {"b": 2, "a": 3}}', {"q": {"a": 3, "b": 2}, "p": {"c": 1}}, 1),
    ],
)
def test_repeated_keys_lose_no_judgments(
    text: bytes, expected: dict[str, Any], n_repeated: int, tmp_path: Path
) -> None:
    qrels = read_json(io.BytesIO(text))
    assert qrels == expected
    assert sum(problem.count for problem in qrels.problems) == n_repeated
    (tmp_path / "qrels.json").write_bytes(text)
    run = {"q": ["a", "b"], "p": ["c"]}
    evaluation = ir.evaluate(tmp_path / "qrels.json", run, "ap", like="idealrank")
    assert evaluation.mean == ir.evaluate(expected, run, "ap", like="idealrank").mean
    assert any(problem.kind == "duplicate" for problem in evaluation.problems) == bool(n_repeated)


def test_repeated_keys_lose_no_subtopics() -> None:
    text = b'{"q": {"d": {"a": 1}, "d": {"b": 1, "b": 2}}}'
    qrels = read_json(io.BytesIO(text))
    assert isinstance(qrels, ir.SubtopicQrels)
    assert qrels.to_nested() == {"q": {"d": {"a": 1, "b": 2}}}
    assert [problem.count for problem in qrels.problems] == [1]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"q": ["a"], "q": ["b"]}', "the key 'q' is repeated"),
        ('{"q": {"a": 1}, "q": ["b"]}', "the key 'q' is repeated"),
        ('[{"qid": 1, "qid": 2, "doc": "a", "label": 1}]', "the key 'qid' is repeated"),
        ('{"q": {"a": 1%s}}' % ("0" * 5000), "cannot be read: .*digits"),
        ('{"q": {"\\ud800": 1}}', "half of a character"),
        ('{"\\ud800": {"a": 1}}', "half of a character"),
        ('{"q": {"a": 1%s}}' % ("0" * 400), "too large"),
        ("[" * 100_000, "nested too deeply|not valid JSON"),
    ],
    ids=range(8),
)
def test_json_that_cannot_be_judgments_is_an_error(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "qrels.json").write_text(text)
    with pytest.raises((ParseError, DataError), match=message):
        ir.evaluate(tmp_path / "qrels.json", {"q": ["a"]}, "ap")


def test_repeated_queries_of_weights_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "weights.json"
    path.write_text('{"q": 1, "q": 1, "p": 2}')
    assert read_query_weights(path) == {"q": 1.0, "p": 2.0}
    for text in ('{"q": 1, "q": 2}', '{"q": "a", "q": "b"}', '{"q": 1}\n{"p": 1}'):
        path.write_text(text)
        with pytest.raises(ParseError):
            read_query_weights(path)
