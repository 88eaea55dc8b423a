"""Crossed variance components: those of two factors, simulated truth, and what they refuse."""

from typing import Any

import numpy as np
import pytest

import idealrank as ir
from idealrank.errors import DataError, OptionError
from idealrank.stats import crossed_components, variance_components

RNG = np.random.default_rng(0)
TRUTH = {
    "queries": 0.09,
    "runs": 0.01,
    "judges": 0.04,
    "queries x runs": 0.02,
    "queries x judges": 0.03,
    "runs x judges": 0.005,
    "queries x runs x judges": 0.05,
}


def drawn(shape: tuple[int, int, int]) -> np.ndarray:
    axes = ["queries", "runs", "judges"]
    values = np.full(shape, 0.5)
    for name, variance in TRUTH.items():
        size = [n if axis in name.split(" x ") else 1 for axis, n in zip(axes, shape, strict=True)]
        values = values + variance**0.5 * RNG.normal(size=size)
    return values


def test_two_factors_are_queries_and_runs() -> None:
    values = drawn((30, 4, 2))[:, :, 0] + [0.0, 0.5, 1.0, 1.5]
    expected = variance_components(values)
    found = crossed_components(values, ["queries", "runs"])
    assert min(expected.runs, expected.queries) > 0
    own = [expected.queries, expected.runs, expected.interaction]
    np.testing.assert_allclose(list(found.components.values()), own, rtol=1e-9, atol=0)
    assert found.standard_error == pytest.approx(expected.standard_error)


def test_components_and_errors_are_those_of_a_simulation() -> None:
    samples = [drawn((20, 6, 8)) for _ in range(600)]
    found = [crossed_components(values) for values in samples]
    for name, variance in TRUTH.items():
        assert np.mean([each.components[name] for each in found]) == pytest.approx(variance, rel=0.1)
    error = np.std([values.mean() for values in samples])
    assert np.mean([each.standard_error**2 for each in found]) == pytest.approx(error**2, rel=0.2)


def test_twice_as_many_of_a_factor() -> None:
    found = crossed_components(drawn((20, 3, 4)))
    assert found.sizes == {"queries": 20, "runs": 3, "judges": 4}
    assert found.if_doubled["judges"] == found.standard_error_with({"judges": 8}) < found.standard_error
    with pytest.raises(OptionError, match="got 'judge'"):
        found.standard_error_with({"judge": 8})


def test_judges_with_several_label_files() -> None:
    qrels, runs = ir.datasets.search_runs(30)
    judges = [
        qrels.to_dict(),
        {query: {doc: float(label > 1) for doc, label in docs.items()} for query, docs in qrels.items()},
    ]
    several: Any = {"rag": [runs["bm25"], runs["dense"]]}
    values = [ir.evaluate(labels, several, "ndcg@10")["rag"].runs["ndcg@10"] for labels in judges]
    found = crossed_components(np.stack(values, axis=2))
    assert found.sizes == {"queries": 30, "runs": 2, "judges": 2}
    assert found.components["queries"] > 0


def test_missing_values_leave_out_queries() -> None:
    values = drawn((9, 3, 2))
    missing = values.copy()
    missing[4, 1, 0] = np.nan
    assert crossed_components(missing) == crossed_components(np.delete(values, 4, axis=0))


@pytest.mark.parametrize("shape", [(5, 2), (1, 2, 2), (5, 1, 2), (5,)])
def test_too_few_values_are_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(DataError):
        crossed_components(np.ones(shape))
