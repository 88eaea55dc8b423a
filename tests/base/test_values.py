"""Gains, discounts, cut-offs and measure names: frozen values with a text that reads back."""

import dataclasses
import math
import pickle
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import oracles
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from idealrank import cutoffs, discounts, gains, losses, measure, measures, ndcg, theory
from idealrank._names.registry import Registry
from idealrank.data.lists import Lists
from idealrank.errors import DataError, OptionError
from idealrank.measures import AP, DCG, ERR, F1, NDCG, RBP, RR, HitRate, LinearNDCG, Measure, Precision, Recall
from idealrank.measures.cutoffs import CUTOFFS
from idealrank.measures.discounts import DISCOUNTS
from idealrank.measures.gains import GAINS
from idealrank.measures.measure_names import MEASURES

KINDS: list[tuple[Any, Registry[Any], dict[str, Any]]] = [
    (gains, GAINS, oracles.GAINS),
    (discounts, DISCOUNTS, oracles.DISCOUNTS),
    (cutoffs, CUTOFFS, oracles.CUTOFFS),
]
MEMBERS = [
    pytest.param(module, values.get(cls.__name__), id=f"{module.__name__.rpartition('.')[2]}.{label}")
    for module, registry, values in KINDS
    for label, cls in registry.members().items()
]


@pytest.mark.parametrize(("module", "values"), MEMBERS)
@settings(max_examples=50)
@given(st.data())
def test_text_pickle_and_equality_go_by_value(module: Any, values: Any, data: st.DataObject) -> None:
    assert values is not None, "a new member needs a strategy and an oracle in oracles.py"
    value = data.draw(values)
    again = module.of(str(value))
    assert again == value
    assert hash(again) == hash(value)
    assert str(again) == str(value)
    assert module.of(value) is value
    assert pickle.loads(pickle.dumps(value)) == value
    other = data.draw(values)
    assert (other == value) == (str(other) == str(value))
    if dataclasses.fields(value):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(value, dataclasses.fields(value)[0].name, 1)


@pytest.mark.parametrize("name", oracles.GAINS)
@settings(max_examples=50)
@given(st.data())
def test_a_gain_agrees_with_its_definition(name: str, data: st.DataObject) -> None:
    gain = data.draw(oracles.GAINS[name])
    known = st.sampled_from(gain.labels) if isinstance(gain, gains.Table) else st.floats(0, 100)
    labels = data.draw(st.lists(known, max_size=6))
    expected = [oracles.gain_of(gain, label) for label in labels]
    assert_allclose(gain(labels), expected, rtol=1e-14, atol=1e-15)
    assert gain(np.array(labels, np.float32).reshape(-1, 1)[:0]).shape == (0, 1)


@pytest.mark.parametrize("name", oracles.DISCOUNTS)
@settings(max_examples=50)
@given(st.data(), st.integers(1, 40))
def test_a_discount_agrees_with_its_definition_and_never_rises(name: str, data: st.DataObject, n: int) -> None:
    discount = data.draw(oracles.DISCOUNTS[name])
    weights = discount.weights(n)
    expected = [oracles.discount_of(discount, rank, n) for rank in range(1, n + 1)]
    assert_allclose(weights, expected, rtol=1e-13, atol=0)
    assert_array_equal(discount(np.arange(1, n + 1), n), weights)
    assert np.all(np.diff(weights) <= 0)
    assert np.all(weights >= 0)


@pytest.mark.parametrize("name", oracles.CUTOFFS)
@settings(max_examples=50)
@given(st.data(), st.lists(st.integers(0, 10**7), max_size=5))
def test_a_cutoff_agrees_with_its_definition(name: str, data: st.DataObject, sizes: list[int]) -> None:
    cutoff = data.draw(oracles.CUTOFFS[name])
    depths = cutoff.at(sizes)
    assert depths.dtype == np.int64
    assert depths.tolist() == [oracles.depth_of(cutoff, n) for n in sizes]


def test_a_fraction_is_rounded_down_but_not_by_rounding_errors() -> None:
    assert 0.29 * 100 < 29
    assert cutoffs.of("29%") == cutoffs.Fraction(0.29)
    assert cutoffs.Fraction(0.29).at([100, 99, 3, 0]).tolist() == [29, 28, 1, 1]
    assert cutoffs.Power(0.5).at([1_000_000, 999_999, 8, 0]).tolist() == [1000, 999, 2, 1]
    assert cutoffs.Power(1 / 3).at([1000, 27, 26]).tolist() == [10, 3, 2]
    # The native core cuts at the same rank: all but the last of 100 documents are irrelevant.
    labels, scores = np.zeros(100), -np.arange(100)
    labels[28] = 1
    assert Recall(cutoff=0.29)(labels, scores) == [1.0]
    assert Recall(cutoff=0.28)(labels, scores) == [0.0]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (10, cutoffs.Rank(10)),
        (10.0, cutoffs.Rank(10)),
        (np.int32(10), cutoffs.Rank(10)),
        ("10", cutoffs.Rank(10)),
        (1, cutoffs.Rank(1)),
        (0.25, cutoffs.Fraction(0.25)),
        (np.float32(0.25), cutoffs.Fraction(0.25)),
        ("0.25", cutoffs.Fraction(0.25)),
        ("25%", cutoffs.Fraction(0.25)),
        ("12.5%", cutoffs.Fraction(0.125)),
        ("1%", cutoffs.Fraction(0.01)),
        ("100%", cutoffs.Fraction(1)),
        ("n^0.5", cutoffs.Power(0.5)),
        (None, None),
    ],
)
def test_cutoffs_are_read_as_people_write_them(written: Any, meant: cutoffs.Cutoff | None) -> None:
    assert cutoffs.of(written) == meant


@pytest.mark.parametrize(
    "written",
    [
        *[0, -1, 1.5, -0.5, 0.0, math.nan, math.inf, 1j, True, False, np.True_, [10], (), {}, b"10"],
        *["", "ten", "0", "-5", "1.5", "nan", "0%", "101%", "-5%", "x%", "n^0", "n^1", "n^-1", "n^nan", "n^x"],
        # Beyond 2^53 a number of documents is not exact as a double, which the native core takes.
        *[2**53 + 1, 10**19, 10**30, 10**400, str(2**53 + 1), "1e30"],
    ],
    ids=lambda value: repr(value)[:20],
)
def test_impossible_cutoffs_are_refused(written: Any) -> None:
    with pytest.raises(OptionError):
        cutoffs.of(written)


@pytest.mark.parametrize(
    "read",
    [
        cutoffs.of,
        lambda one: measure(f"ndcg@{one}"),
        lambda one: measure(f"P.{one}"),
        lambda one: measure(f"ndcg_cut_{one}"),
        lambda one: NDCG(cutoff=one),
        lambda one: NDCG() @ one,
        lambda one: ndcg([1], [1], cutoff=one),
        lambda one: losses.ApproxNDCG(cutoff=one),
        lambda one: losses.LeastSquares(normalizer=one),
        lambda one: theory.limit("log", lambda y: 1 - y, cutoff=one),
        lambda one: theory.fisher_target([1.0], [[1, 0]], cutoff=one),
    ],
)
@pytest.mark.parametrize("one", [1.0, "1.0", np.float64(1), np.float32(1), "1.00"], ids=repr)
def test_one_point_zero_is_refused_with_both_of_its_readings(read: Callable[[Any], Any], one: Any) -> None:
    with pytest.raises(OptionError) as caught:
        read(one)
    assert "write 1 for the first rank, or '100%' for the whole list" in str(caught.value)


@pytest.mark.parametrize(
    ("written", "message"),
    [
        (1.5, "a cutoff must be a positive integer or a percentage (ndcg@10, ndcg@20%), got 1.5"),
        ("1.5", "a cutoff must be a positive integer or a percentage (ndcg@10, ndcg@20%), got 1.5"),
        ("150%", "a fraction of the list must be above 0% and at most 100%, got 150%"),
        ("0%", "a fraction of the list must be above 0% and at most 100%, got 0%"),
    ],
)
def test_fractions_above_the_whole_are_refused_in_words(written: Any, message: str) -> None:
    with pytest.raises(OptionError, match=re.escape(message)):
        cutoffs.of(written)


def test_100_percent_is_every_rank_of_the_list() -> None:
    labels, scores = [0, 2, 1, 0], [4, 3, 2, 1]
    for name in ("ndcg", "ap", "p", "recall", "rr", "hit_rate", "f1", "dcg"):
        assert_array_equal(measure(f"{name}@100%")(labels, scores), measure(name)(labels, scores), err_msg=name)
    assert str(measure("ndcg@100%")) == "ndcg@100%"
    # A tool that has a cutoff of its own where none is named is told that there is none.
    assert measure("ndcg@100%").with_convention("xgboost").cutoff == cutoffs.Fraction(1)
    for discount in ("log", "zipf", "power:0.5", "geometric"):
        whole, none = (theory.limit(f"ndcg(discount={discount}){cut}", lambda s: s) for cut in ("@100%", ""))
        assert whole == none


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("exp2", gains.Exp2()),
        ("Exp2", gains.Exp2()),
        ("exp2:30", gains.Exp2(30)),
        ("linear", gains.Linear()),
        ("binary", gains.Binary(1)),
        ("binary:2.5", gains.Binary(2.5)),
        ("table:0:1:3", gains.Table([0, 1, 3])),
        ("table:5", gains.Table({0: 5})),
        ("table:0>0:4>10", gains.Table({4: 10, 0: 0})),
        ("Table:0>0:4>10", gains.Table({4: 10, 0: 0})),
        ({0: 0, 1: 1, 2: 3}, gains.Table([0, 1, 3])),
        ((0, 1, 3), gains.Table([0, 1, 3])),
        (np.array([0, 1, 3]), gains.Table([0, 1, 3])),
    ],
)
def test_gains_are_read_as_people_write_them(written: Any, meant: gains.Gain) -> None:
    assert gains.of(written) == meant


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("expp", "unknown gain 'expp'; did you mean 'exp2'?"),
        ("", "cannot read the gain '': write exp2, binary:2 or table:0:1:3"),
        ("exp2:3:4", "cannot read the gain 'exp2:3:4'"),
        ("exp2:-1", "exp2: highest: expected a finite number of at least 0, got -1"),
        ("linear:x", "cannot read the gain 'linear:x'"),
        ("binary:nan", "nan"),
        ("table", "at least one label"),
        ("table:0>1:2", "cannot read the gain"),
        ("table:0>1:0>2", "0"),
        ({}, "at least one label"),
        ([], "at least one label"),
        ([0, math.inf], "finite gains"),
        ({math.nan: 1}, "finite gains"),
        ({"low": 1}, "low"),
        (["x"], "x"),
        ([[0, 1]], ""),
        (lambda label: label, ""),
        (5, "expected a gain such as exp2, binary:2 or table:0:1:3, or a Gain, got 5"),
    ],
)
def test_gains_that_cannot_be_are_refused(written: Any, message: str) -> None:
    with pytest.raises(OptionError) as caught:
        gains.of(written)
    assert message in str(caught.value)


def test_a_label_without_a_gain_is_refused_by_row() -> None:
    table = gains.Table({0: 0, 1: 1, 4: 10})
    with pytest.raises(DataError, match=r"no label 2; it has \(0.0, 1.0, 4.0\) \(row 1\)"):
        table([4, 2, 3])
    with pytest.raises(DataError, match="no label 5"):
        table([5])
    with pytest.raises(DataError, match="no label nan"):
        table([math.nan])


def test_a_label_above_the_highest_is_refused_by_row() -> None:
    for labels, place in (([0, 31], "row 1"), ([0.5, 31], "row 1")):
        with pytest.raises(DataError, match=rf"takes labels up to 30, got 31 \({place}\)"):
            gains.Exp2(30)(labels)
        with pytest.raises(DataError, match=rf"takes labels up to 30, got 31 \(query 0, {place}\)"):
            DCG(gain="exp2:30")(labels, [2, 1])
    assert gains.Exp2(30)([30]) == DCG(gain="exp2:30")([30], [1]) == 2**30 - 1


@pytest.mark.parametrize("label", [1e-300, 1e-17, 1e-9, 1e-4, -1e-17, -1e-9])
def test_the_gain_of_a_tiny_label_does_not_cancel(label: float) -> None:
    x = label * math.log(2)
    expected = x * (1 + x / 2 * (1 + x / 3 * (1 + x / 4)))  # e^x - 1
    assert_allclose(gains.Exp2()([label]), [expected], rtol=5e-16, atol=0)
    if label > 0:
        assert_allclose(DCG()([label], [1]), [expected], rtol=5e-16, atol=0)


@given(st.floats(-50, 50))
def test_the_native_core_has_the_same_gain(label: float) -> None:
    lists = Lists(np.array([label, 60.0]), np.array([2.0, 1.0]), np.array([0, 2]), negative="keep")
    assert_allclose((DCG() @ 1).values(lists), gains.Exp2()([label]), rtol=4e-16, atol=0)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("log", discounts.Log(2)),
        ("log:10", discounts.Log(10)),
        ("power:0.5", discounts.Power(0.5)),
        ("zipf", discounts.Zipf()),
        ("geometric", discounts.Geometric(2)),
        ("geometric:1.5", discounts.Geometric(1.5)),
        ("linear", discounts.Linear()),
        ("LETOR", discounts.Letor()),
        ("table:1:0.5", discounts.Table([1, 0.5])),
        ([1, 0.5], discounts.Table(1, 0.5)),
        (np.array([1, 0.5]), discounts.Table(1, 0.5)),
    ],
)
def test_discounts_are_read_as_people_write_them(written: Any, meant: discounts.Discount) -> None:
    assert discounts.of(written) == meant


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("lgo", "unknown discount 'lgo'; did you mean 'log'?"),
        ("log:1", "log: base: expected a finite number above 1, got 1.0"),
        ("log:nan", "log: base: expected a finite number above 1, got nan"),
        ("geometric:0.5", "geometric: base: expected a finite number above 1, got 0.5"),
        ("power", "cannot read the discount 'power'"),
        ("power:-1", "power: beta: expected a finite number of at least 0, got -1"),
        ("zipf:2", "cannot read the discount 'zipf:2'"),
        ("table", "at least rank 1"),
        ("table:1:nan", "finite weights"),
        ([], "at least rank 1"),
        (["x"], "x"),
        ({1: 1.0}, ""),
        (lambda rank: 1 / rank, ""),
        (5, "expected a discount such as log:2, power:0.5 or table:1:0.5, or a Discount, got 5"),
    ],
)
def test_discounts_that_cannot_be_are_refused(written: Any, message: str) -> None:
    with pytest.raises(OptionError) as caught:
        discounts.of(written)
    assert message in str(caught.value)


@pytest.mark.parametrize("weights", [[1, 5], [-1], [1, -0.5], [0, 0]])
def test_what_needs_a_decreasing_discount_refuses_others(weights: list[float]) -> None:
    with pytest.raises(
        OptionError, match="needs a discount that starts above 0, does not increase and is not negative"
    ):
        discounts.Table(weights).require_decreasing("a theorem")


@pytest.mark.parametrize("weights", [[], [1, math.inf], [math.nan]])
def test_weights_of_a_discount_are_finite(weights: list[float]) -> None:
    with pytest.raises(OptionError, match="finite weights for at least rank 1"):
        discounts.Table(weights)


def test_the_ranks_of_a_table_count_from_1() -> None:
    with pytest.raises(DataError, match="ranks count from 1, got 0"):
        discounts.Table([1, 0.5])([2, 0])


def test_the_linear_discount_asks_for_the_length_of_the_list() -> None:
    with pytest.raises(OptionError, match="call it with n"):
        discounts.Linear()([1, 2])
    assert discounts.Linear()([1, 2, 3, 4], 3).tolist() == [2, 1, 0, 0]


def test_any_function_can_be_tabulated() -> None:
    table = discounts.Table.tabulate(lambda ranks: 1 / ranks**2, 3)
    assert table.values == (1, 1 / 4, 1 / 9)
    assert table.weights(4).tolist() == [1, 1 / 4, 1 / 9, 0]


@dataclasses.dataclass(frozen=True)
class Root(gains.Gain):
    """G(l) = l^p."""

    p: float = 0.5

    def __call__(self, labels: npt.ArrayLike) -> npt.NDArray[np.float64]:
        return np.asarray(labels, np.float64) ** self.p


@dataclasses.dataclass(frozen=True)
class Gentle(discounts.Discount):
    """D(r) = 2 / (1 + r)."""

    def __call__(self, ranks: npt.ArrayLike, n: int | None = None) -> npt.NDArray[np.float64]:
        return 2 / (1 + np.asarray(ranks, np.float64))


def test_a_class_is_all_that_a_new_discount_takes() -> None:
    assert DCG(gain="linear", discount=Gentle())([4, 1], [2, 1]) == pytest.approx([4 * 2 / 2 + 1 * 2 / 3])


def test_a_class_is_all_that_a_new_gain_takes() -> None:
    m = DCG(gain=Root(), discount="zipf")
    assert m([4, 1, 2.25], [3, 2, 1]) == pytest.approx([2 + 1 / 2 + 1.5 / 3])
    assert NDCG(gain=Root())([1, 4], [2, 1], judged=([1, 4, 9], [0, 3])) == pytest.approx(
        [(1 + 2 / math.log2(3)) / (3 + 2 / math.log2(3) + 1 / 2)]
    )
    assert str(m) == "dcg(gain=root:0.5,discount=zipf)"


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("ndcg", NDCG()),
        ("ndcg@10", NDCG(cutoff=10)),
        ("nDCG@10", NDCG(cutoff=10)),
        ("ndcg_cut_10", NDCG(cutoff=10)),
        ("ndcg@20%", NDCG(cutoff=0.2)),
        ("ndcg@n^0.5", NDCG(cutoff=cutoffs.Power(0.5))),
        ("ndcg(gain=linear,discount=power:0.5)@10", NDCG(gain="linear", discount="power:0.5", cutoff=10)),
        (" ndcg ( discount = power:0.5 , gain = linear ) @ 10 ", NDCG(gain="linear", discount="power:0.5", cutoff=10)),
        ("ndcg(cutoff=10)", NDCG(cutoff=10)),
        ("ndcg()", NDCG()),
        ("ndcg(gain=table:0>0:2>5,empty=nan,short=as is)", NDCG(gain={0: 0, 2: 5}, empty="nan", short="as is")),
        ("ap", AP()),
        ("map", AP()),
        ("MAP@100", AP(cutoff=100)),
        ("map_cut_100", AP(cutoff=100)),
        ("p@5", Precision(cutoff=5)),
        ("P_5", Precision(cutoff=5)),
        ("precision@5", Precision(cutoff=5)),
        ("recall@100", Recall(cutoff=100)),
        ("R@100", Recall(cutoff=100)),
        ("rr", RR()),
        ("mrr@10", RR(cutoff=10)),
        ("recip_rank", RR()),
        ("err@20", ERR(cutoff=20)),
        ("rbp(p=0.8)", RBP(p=0.8)),
        ("f1@3", F1(cutoff=3)),
        ("f1_3", F1(cutoff=3)),
        ("success@5", HitRate(cutoff=5)),
        ("hit_rate@10", HitRate(cutoff=10)),
        ("linear_ndcg", LinearNDCG()),
        ("Rprec", measures.RPrecision()),
        ("R-precision", measures.RPrecision()),
    ],
)
def test_measures_are_read_as_people_write_them(written: str, meant: Measure) -> None:
    assert measure(written) == meant


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("ndgc@10", "unknown measure 'ndgc@10'; did you mean 'ndcg'?"),
        ("xyzzy", "unknown measure 'xyzzy'; there are 'alpha_dcg', 'alpha_ndcg', 'ap', 'ap_ia', 'auc'"),
        ("", "cannot read the measure ''"),
        (5, "expected a measure such as ndcg@10 or ndcg(gain=linear,discount=zipf)@10, or a Measure, got 5"),
        ("@10", "cannot read the measure '@10'"),
        ("ndcg@", "cannot read the measure 'ndcg@'"),
        ("ndcg@10 20", "cannot read the measure"),
        ("ndcg(gain=linear", "cannot read the measure"),
        ("ndcg(gain)", "cannot read the option 'gain' of 'ndcg(gain)': write option=value"),
        ("ndcg(gain=linear,gain=exp2)", "the option 'gain' is repeated"),
        ("ndcg(gian=linear)", "ndcg has no option 'gian'; did you mean 'gain'?"),
        ("ndcg(gain=liner)", "ndcg: gain: unknown gain 'liner'; did you mean 'linear'?"),
        ("ndcg(ties=averaged)", "ndcg: ties: unknown value 'averaged'; did you mean 'average'?"),
        ("ndcg(cutoff=5)@10", "has two cutoffs"),
        ("ndcg_5@10", "has two cutoffs"),
        ("ndcg@0", "ndcg: cutoff: a cutoff must be a positive integer or a percentage"),
        ("ndcg@ten", "ndcg: cutoff: cannot read the cutoff 'ten'"),
        ("r_precision@5", "r_precision has no option 'cutoff'"),
    ],
)
def test_names_that_cannot_be_read_say_why(written: str, message: str) -> None:
    with pytest.raises(OptionError) as caught:
        measure(written)
    assert message in str(caught.value)


@given(st.text(max_size=20))
def test_any_text_is_a_measure_or_a_convention_error(text: str) -> None:
    try:
        m = measure(text)
    except OptionError:
        return
    assert measure(str(m)) == m


@given(st.sampled_from(sorted(MEASURES.members())), st.text("0123456789.%n^@()=,:>-_ abelx", max_size=25))
def test_what_follows_a_name_is_read_or_refused(label: str, tail: str) -> None:
    test_any_text_is_a_measure_or_a_convention_error.hypothesis.inner_test(label + tail)  # type: ignore[attr-defined]
