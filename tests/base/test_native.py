"""The option structs of the native core: wrong values are named, and arrays live as long as they are needed."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from idealrank import _native, discounts
from idealrank.errors import DataError

LABELS, SCORES, OFFSETS = np.array([0.0, 2.0, 1.0]), np.array([3.0, 2.0, 1.0]), np.array([0, 3])
SUM: dict[str, Any] = {
    "reduction": "sum",
    "denominator": "none",
    "empty": 0.0,
    "zero_if_short": False,
    "negative_ideal": False,
}


def measured(*measures: _native.Measure) -> Any:
    options: dict[str, Any] = {"judged": None, "ties": "stable", "negative": "error", "n_threads": 1}
    return _native.measure(LABELS, SCORES, OFFSETS, measures=measures, **options)[:, 0].tolist()


def measure_of(gain: _native.Gain, discount: _native.Discount, k: int = 3, **changes: Any) -> _native.Measure:
    cutoff = _native.Cutoff(kind="rank", rank=k)
    return _native.Measure(gain=gain, discount=discount, cutoff=cutoff, **{**SUM, **changes})


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: _native.Gain(kind="exp3"), "unknown kind of gain 'exp3': expected one of linear exp2 binary"),
        (lambda: _native.Cutoff(kind="top"), "unknown kind of cutoff 'top': expected one of none rank"),
        (lambda: _native.Cutoff(kind="rank", rank=-1), "a cutoff must be at least 0, got -1"),
        (lambda: _native.Cutoff(kind="depths", depths=OFFSETS - 1), "a cutoff must be at least 0, got -1"),
        (lambda: _native.Cutoff(kind="depths"), "a cutoff has depths if that is its kind"),
        (lambda: _native.Cutoff(kind="rank", rank=1, depths=OFFSETS), "a cutoff has depths if that is its kind"),
        (lambda: _native.Discount(), "a discount is either linear or has weights"),
        (lambda: _native.Discount(linear=True, weights=LABELS), "a discount is either linear or has weights"),
        (lambda: _native.PairLoss(kind="cubic", scale=1.0), "unknown kind of pair loss 'cubic': expected one of hinge"),
        (lambda: _native.PairLoss(kind="hinge", scale=1.0, weight="two"), "unknown pair weight 'two'"),
        (
            lambda: _native.PairLoss(kind="hinge", scale=1.0, weight="swap_change"),
            "and distance need a swap",
        ),
        (
            lambda: _native.Swap(reduction="tied", discount=discounts.Log().native(3), depths=OFFSETS),
            "unknown reduction 'tied': expected one of sum precision_mean first any",
        ),
        (
            lambda: measure_of(_native.Gain(kind="exp2"), discounts.Log().native(3), denominator="two"),
            "unknown denominator 'two': expected one of none ideal",
        ),
    ],
)
def test_a_wrong_value_is_named_with_those_that_there_are(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize(
    "make",
    [
        lambda: _native.Gain("exp2"),  # type: ignore[call-arg]
        lambda: _native.Gain(kind="exp2", base=2),  # type: ignore[call-arg]
        lambda: measure_of(discounts.Log().native(3), _native.Gain(kind="exp2")),  # type: ignore[arg-type]
        lambda: measured(None),  # type: ignore[arg-type]
    ],
)
def test_fields_are_named_and_typed(make: Any) -> None:
    with pytest.raises(TypeError):
        make()


def test_parts_of_different_lengths_do_not_fit() -> None:
    with pytest.raises(DataError, match="table gains must have 3 entries, got 2"):
        _native.Gain(kind="table", table_labels=LABELS, table_gains=np.ones(2))
    with pytest.raises(DataError, match="judged offsets must increase from 0 to 3"):
        _native.Judged(labels=LABELS, offsets=np.array([0, 4]))
    with pytest.raises(DataError, match="columns must have 1 entries, got 2"):
        _native.SparseRows(row_ends=np.array([0, 1]), columns=np.zeros(2, np.int32), values=np.ones(1, np.float32))
    loss = _native.PairLoss(
        kind="logistic",
        scale=1.0,
        weight="swap_change",
        swap=_native.Swap(reduction="sum", discount=discounts.Zipf().native(3), depths=np.array([3, 3])),
    )
    with pytest.raises(DataError, match="depths must have 1 entries, got 2"):
        _native.pairwise(LABELS, SCORES, OFFSETS, None, loss=loss, n_threads=1)


def test_structs_keep_their_arrays_alive() -> None:
    gain = _native.Gain(kind="table", table_labels=np.arange(3.0), table_gains=np.arange(3.0) * 10)
    measure = measure_of(gain, _native.Discount(weights=np.array([1, 0.5, 0.25])))
    del gain
    gc.collect()
    filler = [np.full(3, 7.0) for _ in range(100)]  # takes memory that was freed
    assert measured(measure) == [20 / 2 + 10 / 4], len(filler)


def test_measures_may_share_gains_and_discounts_or_not() -> None:
    exp2, binary = _native.Gain(kind="exp2"), _native.Gain(kind="binary", rel=2.0)
    zipf, linear = discounts.Zipf().native(3), discounts.Linear().native(3)
    measures = [
        measure_of(exp2, zipf),
        measure_of(binary, linear),
        measure_of(exp2, linear, k=2),
        measure_of(binary, zipf),
        measure_of(_native.Gain(kind="exp2"), discounts.Zipf().native(3)),
    ]
    assert measured(*measures) == [3 / 2 + 1 / 3, 1.0, 3.0, 1 / 2, 3 / 2 + 1 / 3]


def test_a_normalization_gives_its_parts_back() -> None:
    shift, scale = np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]])
    normalization = _native.Normalization(shift=shift, scale=scale)
    assert_array_equal(normalization.shift, shift)
    assert_array_equal(normalization.scale, scale)
    fitted = _native.fit_normalization(np.array([[1, 2], [3, 6]], np.float32), np.array([0, 2]), False, 1)
    assert_array_equal(fitted.shift, [[1, 2]])
    assert_array_equal(fitted.scale, [[0.5, 0.25]])
