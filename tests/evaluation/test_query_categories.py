"""Evaluations by category of queries, and values per query from files."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import idealrank as ir
from idealrank.errors import DataError, OptionError, ParseError
from idealrank.io.query_values import read_per_query, read_query_weights

QRELS = {"1": {"a": 1, "b": 0}, "2": {"a": 1}, "3": {"a": 0, "b": 1}, "4": {"c": 2}}
RUN = {"1": {"a": 2.0, "b": 1.0}, "2": {"b": 2.0, "a": 1.0}, "3": {"a": 2.0, "b": 1.0}, "4": {"c": 1.0}}
BY = {"1": "short", "2": "long", "3": "long", "4": "short"}


def test_a_category_has_the_evaluation_of_its_queries_alone() -> None:
    found = ir.evaluate(QRELS, RUN, ["rr", "ndcg@2"], by=BY)
    assert list(found.by_category()) == ["long", "short"]
    for name, own in found.by_category().items():
        kept = [query for query in QRELS if BY[query] == name]
        alone = ir.evaluate({q: QRELS[q] for q in kept}, {q: RUN[q] for q in kept}, ["rr", "ndcg@2"])
        assert own.mean == alone.mean
        assert own.query_ids.tolist() == kept
        np.testing.assert_equal(own.interval(), alone.interval())
    assert found.mean == ir.evaluate(QRELS, RUN, ["rr", "ndcg@2"]).mean
    assert found.to_dict()["by_category"]["long"]["mean"] == found.by_category()["long"].mean  # type: ignore[index, call-overload]
    rows = found.table("categories").rows
    assert [row[:2] for row in rows] == [["long", "rr"], ["long", "ndcg@2"], ["short", "rr"], ["short", "ndcg@2"]]
    assert "category" in found.to_text()


def test_several_systems_and_queries_that_one_of_them_lacks() -> None:
    fewer = {query: RUN[query] for query in ("4", "2", "1")}
    found = ir.evaluate(QRELS, {"all": RUN, "fewer": fewer}, "rr", by=BY)
    assert {name: own.n_queries for name, own in found.by_category().items()} == {"long": 1, "short": 2}
    assert found.by_category()["long"]["fewer"].query_ids.tolist() == ["2"]
    assert [row[:3] for row in found.table("categories").rows] == [
        ["long", "all", 1], ["long", "fewer", 1], ["short", "all", 2], ["short", "fewer", 2]]  # fmt: skip
    assert ir.evaluate(QRELS, fewer, "rr", by=BY).categories == ("short", "long", "short")


def test_forms_of_categories(tmp_path: Path) -> None:
    path = tmp_path / "types"
    path.write_text("".join(f"{query} {name}\n" for query, name in BY.items()))
    expected = ir.evaluate(QRELS, RUN, "rr", by=BY).categories
    given: list[Any] = [
        path,
        str(path),
        list(BY.values()),
        np.array(list(BY.values())),
        {int(q): c for q, c in BY.items()},
    ]
    for each in given:
        assert ir.evaluate(QRELS, RUN, "rr", by=each).categories == expected
    labels, scores = [1, 0, 0, 1], [2, 1, 2, 1]
    numbered = ir.evaluate(labels, scores, "rr", query_ids=[1, 1, 2, 2], by=BY)
    assert numbered.categories == ("short", "long")


def test_a_column_of_the_frame(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    rows = [(q, d, label, RUN[q].get(d, 0.0), BY[q]) for q, docs in QRELS.items() for d, label in docs.items()]
    frame = pandas.DataFrame(rows, columns=["qid", "docno", "label", "score", "length"])
    frame.to_csv(tmp_path / "data.csv", index=False)
    for data in (frame, tmp_path / "data.csv"):
        assert ir.evaluate(data, None, "rr", by="length").categories == tuple(BY.values())
        assert ir.evaluate(data, RUN, "rr", by="length").categories == tuple(BY.values())
        assert ir.compare(data, {"a": RUN, "b": RUN}, "rr", by="length", seed=1).evaluations.has_categories
    frame.loc[1, "length"] = "long"
    with pytest.raises(
        DataError, match=r"one value in all rows, got 'short' and 'long' \(query 1, row 1, column 'length'\)"
    ):
        ir.evaluate(frame.astype({"qid": int}), "score", "rr", by="length")


def test_queries_without_a_category() -> None:
    found = ir.evaluate(QRELS, RUN, "rr", by={"1": "x", "2": None, "3": math.nan, "9": "y"})
    assert {name: own.n_queries for name, own in found.by_category().items()} == {"(none)": 3, "x": 1}
    assert [each.message for each in found.problems if each.kind == "query without category"] == [
        "3 queries have no category, first '2'; shown as (none)"
    ]


@pytest.mark.parametrize(
    ("by", "error", "message"),
    [
        ({"7": "x"}, DataError, "by= has no category for any query: the first query is '1', its first one is '7'"),
        (["x"], OptionError, "one category per query, 4, or be {query: category}, got 1"),
        ({"x"}, OptionError, "one category per query, 4, or be {query: category}, got set"),
        ("kind", DataError, "there is neither a column nor a file 'kind' for by= "),
        (3, OptionError, "one category per query, 4, or be {query: category}, got int"),
    ],
)
def test_categories_that_cannot_be_used(by: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error) as caught:
        ir.evaluate(QRELS, RUN, "rr", by=by)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("q1 a b\nq2\tc d\n# no\n\nq3   e\n", {"q1": "a b", "q2": "c d", "q3": "e"}),
        ("q1,a\nq2,b c\n", {"q1": "a", "q2": "b c"}),
        ("q1 a,b\nq2 c\n", {"q1": "a,b", "q2": "c"}),
        ('{"q1": 2, "q2": "b"}', {"q1": "2", "q2": "b"}),
        ("\ufeffq1 a\r\nq1 a\r\n", {"q1": "a"}),
    ],
)
def test_a_file_of_values_per_query(text: str, found: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "x").write_text(text, encoding="utf-8")
    assert read_per_query(tmp_path / "x") == found


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("q1 a\nq2\n", "x:2:1: expected a query and its value, got 'q2'"),
        ("q1 a\nq1 b\n", "x:2:1: the query 'q1' is repeated with another value"),
        ("\n# no\n", "the file has no queries"),
        ('{"q1": [1]}', r"expected one value for the query 'q1', got \[1\]"),
        ('{"q1": 1', "not valid JSON"),
    ],
)
def test_a_bad_file_of_values_per_query(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "x").write_text(text)
    with pytest.raises(ParseError, match=message):
        read_per_query(tmp_path / "x")


def test_weights_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "weights.json"
    path.write_text(json.dumps({query: 1 + int(query) for query in QRELS}))
    weights = read_query_weights(path)
    assert weights == {query: 1.0 + int(query) for query in QRELS}
    path.write_text("1 2\n2 x\n")
    with pytest.raises(ParseError, match="the weight of the query '2' is not a number: 'x'"):
        read_query_weights(path)
