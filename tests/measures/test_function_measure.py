"""A measure of your own: a function of the labels and scores of one query."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import idealrank as ir
from idealrank import measures
from idealrank.errors import DataError, OptionError
from idealrank.measures.measure_names import MEASURES

QRELS = {"q1": {"a": 2, "b": 1, "c": 0}, "q2": {"a": 1, "b": -1}, "q3": {"a": 1}}
RUN = {"q1": {"c": 3.0, "x": 2.0, "a": 1.0, "b": 1.0}, "q2": {"b": 2.0, "a": 1.0}}
Arrays = tuple[Any, Any]


def first_three(labels: Any, scores: Any) -> float:
    return float(labels[:3].sum())


@pytest.fixture
def seen() -> list[Arrays]:
    return []


@pytest.fixture
def recorder(seen: list[Arrays]) -> Any:
    def recorded(labels: Any, scores: Any) -> float:
        seen.append((labels.tolist(), scores.tolist()))
        return float(len(labels))

    return recorded


def test_documents_are_in_ranked_order_as_the_convention_ranks_them(recorder: Any, seen: list[Arrays]) -> None:
    found = ir.evaluate(QRELS, RUN, recorder)
    # b before a, as in trec_eval; x is unjudged, and so is b of q2, whose label is negative
    assert seen == [([0, 0, 1, 2], [3, 2, 1, 1]), ([0, 1], [2, 1])]
    assert found.mean == {"recorded": 3.0}
    seen.clear()
    ir.evaluate(QRELS, RUN, recorder, like=ir.convention("trec_eval").replace(unjudged="drop"))
    assert seen == [([0, 1, 2], [3, 1, 1]), ([1], [1])]


def test_equal_scores_are_in_input_order_where_ties_are_averaged(recorder: Any, seen: list[Arrays]) -> None:
    ir.evaluate([0, 1, 2], [1, 1, 2], recorder)
    assert seen == [([2, 0, 1], [2, 1, 1])]


@pytest.mark.parametrize(("ties", "labels"), [("best", [2, 1, 0]), ("worst", [0, 1, 2]), ("reverse", [2, 1, 0])])
def test_ties_can_be_named(ties: str, labels: list[int], recorder: Any, seen: list[Arrays]) -> None:
    named = ir.measure(recorder)
    ir.evaluate([0, 1, 2], [1, 1, 1], type(named)(ties=ties))
    assert seen == [(labels, [1, 1, 1])]


def test_the_value_is_that_of_the_function() -> None:
    rng = np.random.default_rng(3)
    offsets = np.array([0, 5, 5, 12, 30])
    labels, scores = rng.integers(0, 4, 30).astype(float), rng.normal(size=30)

    def my_dcg(labels: Any, scores: Any) -> float:
        return float(((2**labels - 1) / np.log2(np.arange(2, labels.size + 2))).sum())

    found = ir.evaluate(labels, scores, [my_dcg, "dcg"], offsets=offsets).per_query
    assert_allclose(found["my_dcg"], ir.measure("dcg")(labels, scores, offsets), rtol=1e-12, atol=0)
    cut = (ir.measure(my_dcg) @ 3)(labels, scores, offsets)
    assert_allclose(cut, ir.measure("dcg@3")(labels, scores, offsets), rtol=1e-12, atol=0)


def test_missing_queries_follow_the_convention() -> None:
    assert ir.evaluate(QRELS, RUN, first_three).n_queries == 2
    values = ir.evaluate(QRELS, RUN, first_three, like="ir_measures").per_query["first_three"]
    assert_array_equal(values, [1, 1, 0])


def test_a_registered_function_has_a_name_and_a_cutoff() -> None:
    try:
        assert measures.register("first_three_labels")(first_three) is first_three
        found = ir.compare(QRELS, {"x": RUN, "y": RUN}, ["first_three_labels", "FirstThreeLabels@1"])
        assert found.evaluations["x"].mean == {"first_three_labels": 1.0, "FirstThreeLabels@1": 0.0}
    finally:
        MEASURES._by_name.pop("firstthreelabels", None)


def test_copies_are_equal() -> None:
    own = ir.measure(first_three) @ 2
    assert own == pickle.loads(pickle.dumps(own)) == copy.deepcopy(own) == ir.measure(first_three) @ 2
    assert str(own) == "first_three@2"


def test_what_a_function_returns_is_checked() -> None:
    def nothing(labels: Any, scores: Any) -> Any:
        return None

    with pytest.raises(DataError, match=r"nothing must return one number per query, got None.*'?q1'?"):
        ir.evaluate(QRELS, RUN, nothing)

    def broken(labels: Any, scores: Any) -> float:
        return float(1 / labels[0])

    with np.errstate(divide="raise"), pytest.raises(FloatingPointError) as error:
        ir.evaluate(QRELS, RUN, broken)
    assert "in the measure broken, query 'q1'" in error.value.__notes__


def test_names_are_unique() -> None:
    with pytest.raises(OptionError, match="two measures are called 'lambda'"):
        ir.evaluate(QRELS, RUN, [lambda labels, scores: 0.0, lambda labels, scores: 1.0])

    def ndcg(labels: Any, scores: Any) -> float:
        return 0.0

    with pytest.raises(OptionError, match="there is a measure 'ndcg' already: rename your function"):
        ir.evaluate(QRELS, RUN, ndcg)


def test_arrays_are_read_only() -> None:
    def greedy(labels: Any, scores: Any) -> float:
        labels[0] = 1.0
        return 0.0

    with pytest.raises(ValueError, match="read-only"):
        ir.evaluate([1.0, 0.0], [1.0, 2.0], greedy)
