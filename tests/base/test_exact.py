import math
import statistics
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import finite

from idealrank._core.exact import ExactSum, Moments, row_moments
from idealrank.errors import DataError


@given(st.lists(finite))
def test_the_sum_is_exact(values: list[float]) -> None:
    total = ExactSum()
    total.add(np.array(values, float))
    assert total.value == sum(map(Fraction, values))


@given(st.lists(st.floats(-1e100, 1e100).filter(lambda x: x == 0 or abs(x) > 1e-100)), st.integers(1, 5))
def test_moments_are_exact_and_do_not_depend_on_batches(values: list[float], n_batches: int) -> None:
    whole, merged = Moments.of(np.array(values, float)), Moments()
    for part in np.array_split(np.array(values, float), n_batches):
        merged.merge(Moments.of(part))
    assert whole.count == merged.count == len(values)
    if values:
        assert whole.mean == merged.mean == float(sum(map(Fraction, values)) / len(values))
    if len(values) > 1:
        exact = float(statistics.variance(list(map(Fraction, values))))
        assert whole.variance == merged.variance == exact


@given(
    st.integers(0, 9).flatmap(
        lambda n: st.lists(
            st.lists(
                st.floats(-1e100, 1e100) | st.floats(-1, 1) | st.sampled_from((0.0, 0.1, 0.3, 1.0)),
                min_size=n,
                max_size=n,
            ),
            min_size=1,
        )
    )
)
def test_moments_of_all_rows_at_once_are_those_of_each_row(values: list[list[float]]) -> None:
    rows = np.array(values, float)
    for row, together in zip(rows, row_moments(rows, (-1, 1)), strict=True):
        alone = Moments.of(row, value_range=(-1, 1))
        assert (together.count, together.limits) == (alone.count, alone.limits)
        np.testing.assert_array_equal((together.mean, together.variance), (alone.mean, alone.variance))


@pytest.mark.parametrize("n", [2, 7, 64, 201])
def test_moments_of_long_rows_that_cancel_are_those_of_each_row(n: int) -> None:
    rng = np.random.default_rng(n)
    spread = np.power(10.0, rng.uniform(-12, 12, (20, n)))
    nearly_same = 0.1 + 1e-16 * rng.integers(0, 3, (40, n)).astype(np.float64)
    for rows in (rng.normal(size=(40, n)), nearly_same, np.hstack([spread, -spread])):
        alone = [Moments.of(row) for row in rows]
        together = row_moments(rows)
        assert [(each.mean, each.variance) for each in together] == [(each.mean, each.variance) for each in alone]


def test_nothing_and_nan_have_no_mean() -> None:
    assert math.isnan(Moments().mean)
    assert math.isnan(Moments.of(np.array([1.0])).variance)
    moments = Moments.of(np.array([1.0, np.nan]))
    assert moments.count == 2
    assert math.isnan(moments.mean)
    moments.merge(Moments.of(np.ones(3)))
    assert math.isnan(moments.mean)
    with pytest.raises(DataError, match="finite"):
        ExactSum().add(np.array([np.inf]))


def test_a_sum_of_counts_is_a_whole_number() -> None:
    assert Moments.of(np.array([4.0] * 6 + [5.0]), aggregate="sum").mean == 29.0  # which (29 / 7) * 7 is not
