import math
import statistics
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import finite

from idealrank._core.exact import ExactSum, Moments
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
