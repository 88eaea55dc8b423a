"""Requests and responses of the ranking evaluation of Elasticsearch and OpenSearch."""

import json
from pathlib import Path
from typing import Any

import pytest

import idealrank as ir
from idealrank.errors import DataError, ParseError
from idealrank.io import read_rank_eval, write_rank_eval

REQUEST: dict[str, Any] = {
    "metric": {"precision": {"k": 2}},
    "requests": [
        {"id": "q1", "request": {}, "ratings": [{"_index": "a", "_id": "ü", "rating": 3}]},
        {"id": "q2", "request": {}, "ratings": []},
    ],
}
RESPONSE: dict[str, Any] = {
    "metric_score": 0.5,
    "details": {
        "q1": {
            "metric_score": 0.5,
            "unrated_docs": [{"_index": "a", "_id": "y"}],
            "hits": [
                {"hit": {"_index": "a", "_id": "y", "_score": 1.5}},
                {"hit": {"_index": "a", "_id": "ü", "_score": 1.5}, "rating": 3},
                {"hit": {"_index": "b", "_id": "y", "_score": 0.5}},
            ],
        },
        "q2": {"hits": []},
    },
    "failures": {},
}


def test_hits_keep_their_order_whatever_their_scores() -> None:
    assert ir.evaluate(REQUEST, RESPONSE, "rr").mean["rr"] == 0.5
    assert ir.evaluate(REQUEST, {"old": RESPONSE}, "rr").mean == {"old": {"rr": 0.5}}


def test_files_give_the_same_as_objects(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("request.json", "response.json")]
    for path, value in zip(paths, (REQUEST, RESPONSE), strict=True):
        path.write_text(json.dumps(value))
    assert ir.evaluate(paths[0], paths[1], "rr").mean["rr"] == 0.5
    assert read_rank_eval(paths[0]) == {"q1": {"ü": 3.0}, "q2": {}}
    assert read_rank_eval(paths[1]) == {"q1": {"y": -1.0, "ü": -2.0}, "q2": {}}


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "ratings.json"
    write_rank_eval(ir.Qrels({"q1": {"a": 2, "b": 0}}), path, request=lambda query: {"query": {"match_all": {}}})
    assert read_rank_eval(path) == {"q1": {"a": 2, "b": 0}}
    assert json.loads(path.read_text())["requests"][0]["request"] == {"query": {"match_all": {}}}
    write_rank_eval(ir.Run({"q1": {"a": 0.5, "b": 0.7}, "q2": {"a": float("-inf")}}), path)
    assert read_rank_eval(path) == {"q1": {"b": -1, "a": -2}, "q2": {"a": -1}}


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"requests": [{"id": "q1", "ratings": [{"_id": "a"}]}]}, "expected an object with 'rating'"),
        ({"requests": [{"ratings": []}]}, "expected an object with 'id'"),
        ({"details": {"q1": {"hits": [{"_id": "a"}]}}}, "expected an object with 'hit'"),
        ({"requests": [{"id": "q", "ratings": 3}]}, "expected a list of objects, got int"),
        ({"q1": {"a": 1}}, "expected JSON of _rank_eval"),
        ([1], "expected JSON of _rank_eval"),
        (
            {"requests": [{"id": "q", "ratings": [{"_id": "a", "rating": 1}, {"_id": "a", "rating": 2}]}]},
            "the document 'a' has two ratings",
        ),
    ],
)
def test_other_content_is_an_error(value: Any, message: str, tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text(json.dumps(value))
    with pytest.raises(ParseError, match=message):
        read_rank_eval(path)


def test_ratings_are_whole_numbers(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"a rating is a whole number from 0, got 0\.5"):
        write_rank_eval(ir.Qrels({"q1": {"a": 0.5}}), tmp_path / "x.json")
