"""P-values of NDCG at their edges."""

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_allclose

from idealrank.measures import NDCGPValue


@pytest.mark.parametrize("n", [1, 2, 5, 12])
def test_a_query_with_nothing_relevant_is_not_significant(n: int) -> None:
    assert NDCGPValue()(np.zeros(n), np.arange(n)).tolist() == [1.0]
    assert NDCGPValue()([], []).tolist() == [1.0]
    assert math.isnan(NDCGPValue(empty="nan")(np.zeros(n), np.arange(n))[0])


def test_an_ndcg_below_zero_counts_the_orders_that_reach_it() -> None:
    # Judged documents give the ideal; the two that were retrieved have gains below 0, of which one order is as bad.
    judged = [3.0, -1.0, -2.0], [0, 3]
    p_values = []
    for scores in itertools.permutations([2.0, 1.0]):
        lists_p = NDCGPValue(gain="linear").values(
            _lists([-1.0, -2.0], list(scores), judged)  # negative labels are labels here
        )
        p_values.append(float(lists_p[0]))
    assert sorted(p_values) == [0.5, 1.0]


def test_the_worst_order_of_negative_gains_is_reached_by_all() -> None:
    worst = NDCGPValue(gain="linear").values(_lists([-2.0, -1.0], [2.0, 1.0], ([3.0, -1.0, -2.0], [0, 3])))
    assert_allclose(worst, [1.0], rtol=0, atol=0)


def _lists(labels: list[float], scores: list[float], judged: tuple[list[float], list[int]]):  # type: ignore[no-untyped-def]
    from dataclasses import replace

    from idealrank.data.lists import Lists

    return replace(Lists.of(labels, scores, judged=judged), negative="keep")


@pytest.mark.parametrize(
    "labels", [[1, 60, 0, 1, 0], [0, 30, 60, 1], [63, 0, 1, 2, 0, 1], [30, 31, 1, 0, 0], [45, 1, 0, 2]]
)
def test_a_p_value_beside_huge_gains_counts_exact_sums_up_to_the_stated_tolerance(labels: list[int]) -> None:
    weights = [Fraction(1 / math.log2(rank + 2)) for rank in range(len(labels))]
    gains = [2**label - 1 for label in labels]

    def dcg(order: Sequence[int]) -> Fraction:
        return sum((gain * weight for gain, weight in zip(order, weights, strict=True)), Fraction(0))

    least = dcg(gains) - Fraction(1, 10**12) * sum(gains)
    every = [dcg(order) >= least for order in itertools.permutations(gains)]
    assert NDCGPValue()(labels, -np.arange(len(labels)))[0] == pytest.approx(sum(every) / len(every), rel=1e-12)
