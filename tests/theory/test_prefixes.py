"""Lists that grow, against each of their prefixes measured by itself."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from idealrank import _native
from idealrank._typing import Floats, Int64s
from idealrank.errors import DataError, OptionError
from idealrank.measures import DCG, NDCG, LinearNDCG, Measure, measure
from idealrank.theory.distinguishing.growing_lists import growing_sizes, prefix_values

MEASURES: list[Measure] = [
    NDCG(),
    NDCG(discount="power:0.5") @ 3,
    NDCG(gain="linear", discount="zipf") @ 0.4,
    NDCG(gain="linear") @ "n^0.5",
    NDCG(discount=[1, 0.5, 0.25]),
    LinearNDCG(),
    DCG(gain={0: 0, 1: 2, 2: 3, 3: 9}),
]
lists = st.lists(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4)), max_size=12), min_size=1, max_size=4)


def one_by_one(m: Measure, labels: Floats, scores: Floats, offsets: Int64s, sizes: list[int]) -> Floats:
    values = np.full((offsets.size - 1, len(sizes)), np.nan)
    for query, (first, last) in enumerate(pairwise(offsets)):
        for i, n in enumerate(sizes):
            if n <= last - first:
                part = slice(first, first + n)
                ideal_is_0 = isinstance(m, (NDCG, LinearNDCG)) and m.with_convention().gain(labels[part]).max() == 0
                value = float(m(labels[part], scores[part])[0])
                linear_is_0 = isinstance(m, LinearNDCG) and n == 1
                values[query, i] = np.nan if ideal_is_0 or linear_is_0 else value
    return values


def flat(queries: list[list[tuple[int, int]]]) -> tuple[Floats, Floats, Int64s]:
    documents = [document for query in queries for document in query]
    labels, scores = np.array(documents, np.float64).reshape(-1, 2).T
    return labels.copy(), scores.copy(), np.cumsum([0, *map(len, queries)])


@given(lists, st.sampled_from(["average", "stable", "reverse", "best", "worst"]), st.data())
def test_every_prefix_has_the_value_that_it_has_alone(
    queries: list[list[tuple[int, int]]], ties: str, data: st.DataObject
) -> None:
    columns = flat(queries)
    sizes = data.draw(st.lists(st.integers(1, 14), unique=True).map(sorted))
    measures = [type(m)(**{**{name: getattr(m, name) for name in m.options()}, "ties": ties}) for m in MEASURES]
    labels, scores, offsets = columns
    found = prefix_values(measures, labels, [scores], offsets, sizes)[0]
    for m, values in zip(measures, found, strict=True):
        assert_allclose(values, one_by_one(m, *columns, sizes), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("n_threads", [1, 2, 5])
def test_any_number_of_threads_gives_the_same_bits(n_threads: int) -> None:
    rng = np.random.default_rng(0)
    n, offsets = 150_000, np.arange(0, 150_001, 1000)
    labels, scores = rng.integers(0, 3, n).astype(float), rng.integers(0, 500, n).astype(float)
    sizes = growing_sizes(1000)[::50]
    expected = prefix_values(MEASURES[:3], labels, [scores], offsets, sizes, n_threads=1)
    assert_array_equal(prefix_values(MEASURES[:3], labels, [scores], offsets, sizes, n_threads=n_threads), expected)


def test_long_lists_agree_at_some_lengths() -> None:
    rng = np.random.default_rng(1)
    labels, scores = (rng.random(20_000) < 0.2).astype(float), rng.random(20_000)
    sizes = growing_sizes(20_000)
    assert sizes.size <= 500
    assert (sizes[0], sizes[-1]) == (1, 20_000)
    assert (np.diff(sizes) > 0).all()
    found = prefix_values([NDCG(), NDCG() @ 10], labels, [scores], np.array([0, 20_000]), sizes)[0]
    for i in (50, 300, sizes.size - 1):
        n = sizes[i]
        for m, values in zip((NDCG(), NDCG() @ 10), found, strict=True):
            assert values[0, i] == pytest.approx(float(m(labels[:n], scores[:n])[0]), rel=1e-12)


@pytest.mark.parametrize("name", ["ap", "ndcg(ideal=full)@5", "ndcg(short=zero)@5", "auc"])
def test_other_measures_are_refused(name: str) -> None:
    with pytest.raises(OptionError, match="growing lists"):
        prefix_values([measure(name)], np.ones(2), [np.ones(2)], np.array([0, 2]), [1])


@pytest.mark.parametrize("sizes", [[0, 1], [2, 2], [3, 1]])
def test_sizes_rise(sizes: list[int]) -> None:
    with pytest.raises(DataError, match="sizes must increase from 1"):
        prefix_values([NDCG()], np.ones(3), [np.ones(3)], np.array([0, 3]), sizes)


def test_the_core_checks_what_would_read_foreign_memory() -> None:
    ones, offsets, sizes = np.ones(2), np.array([0, 2]), np.array([1, 2])
    discount, bad = _native.Discount(weights=ones), np.array([1, np.nan])
    spec = _native.PrefixSpec(discount=discount, depths=np.array([1]))
    with pytest.raises(DataError, match="depths must have 2 entries"):
        _native.prefix_dcg(ones, ones, offsets, sizes=sizes, specs=[spec], ties="average", n_threads=1)
    with pytest.raises(DataError, match="depth out of range: -1"):
        _native.PrefixSpec(discount=discount, depths=np.array([1, -1]))
    with pytest.raises(DataError, match="a score must be a finite number"):
        _native.prefix_dcg(ones, bad, offsets, sizes=sizes, specs=[], ties="average", n_threads=1)
