"""Counts of queries for which a system retrieved nothing."""

import pytest

import idealrank as ir
from idealrank.errors import DataError, OptionError

GOLD = {"a": [{"doc": "d", "start": 0, "end": 3}], "b": [{"doc": "d", "start": 4, "end": 9}], "c": [], "d": []}
CHUNKS = {"a": [], "b": [{"doc": "d", "start": 0, "end": 9}], "c": [{"doc": "d", "start": 0, "end": 9}]}


def test_spans_lists_and_dicts_are_counted_alike() -> None:
    lists = {q: ["x"] * bool(each) for q, each in GOLD.items()}, {q: ["x"] * bool(each) for q, each in CHUNKS.items()}
    dicts = [{q: dict.fromkeys(docs, 1.0) for q, docs in each.items()} for each in lists]
    for gold, chunks in ((GOLD, CHUNKS), lists, dicts):
        found = ir.abstentions(gold, {"new": chunks})
        assert (found.n_answerable, found.n_unanswerable) == (2, 2)
        assert (found.wrong, found.right) == ({"new": 1}, {"new": 1})
    assert found.to_csv().splitlines()[1] == "new,2,1,2,1"


def test_a_threshold_leaves_out_lower_scores() -> None:
    run = {"q": {"a": 0.5, "b": 0.4}, "r": {"a": 0.3}}
    for threshold, silent in {None: 0, 0.3: 0, 0.4: 1, 0.6: 2}.items():
        assert ir.abstentions({"q": {"a": 1}, "r": {"a": 1}}, run, threshold=threshold).wrong[""] == silent


def test_labels_and_scores_have_no_abstentions() -> None:
    with pytest.raises(DataError, match="abstentions need judgments and runs"):
        ir.abstentions([1, 0], [0.5, 0.7])
    with pytest.raises(OptionError, match="threshold must be a number, got 'x'"):
        ir.abstentions({"q": {"a": 1}}, {"q": {"a": 1}}, threshold="x")  # type: ignore[arg-type]
