"""Every registered measure against slow oracles, and the properties that all of them share."""

import dataclasses
import itertools
import math
import pickle
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import oracles
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from idealrank import cutoffs, discounts, gains, measure
from idealrank._typing import Floats
from idealrank.data.lists import JudgedLabels, Lists
from idealrank.errors import DataError, OptionError
from idealrank.measures import (
    AP,
    AUC,
    DCG,
    ERR,
    F1,
    NDCG,
    RBP,
    RR,
    Bpref,
    CorrectedNDCG,
    GainOverCost,
    HitRate,
    KendallTau,
    LinearNDCG,
    Measure,
    NDCGPValue,
    NDCGZScore,
    PairAccuracy,
    PairwiseError,
    Precision,
    RandomNDCG,
    Recall,
    RPrecision,
    Tied,
)
from idealrank.measures import Judged as JudgedShare
from idealrank.measures.conventions import Convention, convention
from idealrank.measures.measure_base import TIES, run
from idealrank.measures.measure_names import MEASURES

pytestmark = pytest.mark.sampled(4)

#: Those that need subtopics are tested by themselves.
CLASSES = [cls for cls in MEASURES.members().values() if not cls.needs_subtopics]
KERNEL_TIES = ("average", "stable", "reverse", "best", "worst")
#: Heavily repeated, with labels that are counted (0 to 63), labels that are not, and sums that round.
LABELS = (0.0, 0.0, 0.0, 1.0, 1.0, 2.0, 3.0, 4.0, 0.1, 0.5, 1.25, 2.9, 63.0, 64.0, 70.5)
TABLE = {label: 0.1 * (i * 5 % 7) for i, label in enumerate(sorted(set(LABELS)))}
#: What is drawn for an option; an option of one measure under "measure.option".
VALUES: dict[str, list[Any]] = oracles.OPTION_VALUES | {
    "cutoff": [1, 2, 3, 100, 0.5, "n^0.7"],
    "ties": list(TIES),
    "gain": ["exp2", "linear", "binary:1", "binary:2", "binary:0", TABLE],
    "rel": [0, 0.5, 1, 2, 64],
    "permutations": [1, 100],
    "seed": [0, 12345],
}

each_measure = pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.label)


def options_of(cls: type[Measure], *, without: Iterable[str] = ()) -> st.SearchStrategy[dict[str, Any]]:
    """Any choice of a measure's options, most of them left unnamed now and then."""
    names = [name for name in cls.options() if name not in without]
    values = {name: VALUES.get(f"{cls.label}.{name}") or VALUES[name] for name in names}
    drawn = st.fixed_dictionaries({name: st.sampled_from([None, *values[name]]) for name in names})
    return drawn.map(lambda options: options | dict.fromkeys(cls(**options)._without_effect()))


def with_ties(m: Measure, ties: str) -> Measure:
    """The measure with these ties, if it has a use for them."""
    return dataclasses.replace(m, ties=ties) if "ties" in m.options() else m


def takes(m: Measure, ties: str) -> bool:
    """Whether there is a closed form for these ties."""
    try:
        with_ties(m, ties).with_convention().plan()
    except OptionError:
        return False
    return True


def ready(m: Measure) -> Measure:
    """The measure itself, or with the ties it can take."""
    return m if takes(m, m.ties or "average") else with_ties(m, "stable")


#: Those that have a best and a worst value over orders of ties.
each_with_a_range = pytest.mark.parametrize(
    "cls", [cls for cls in CLASSES if takes(cls(), "best")], ids=lambda cls: cls.label
)


def suited(m: Measure, label: float) -> float:
    """A label that the measure can take."""
    if isinstance(m, (NDCGPValue, GainOverCost)):
        return min(label, 4.0)  # sums of gains far apart round to the same number: ties, or no cost
    return min(label, float(m.with_convention().max_label or 0)) if isinstance(m, ERR) else label


class Queries(NamedTuple):
    """Lists of labels and scores, one a query, and where drawn the labels of all judged documents."""

    labels: list[list[float]]
    scores: list[list[float]]
    judged: list[list[float]] | None = None

    def columns(self) -> tuple[Floats, Floats, npt.NDArray[np.int64]]:
        return flat(self.labels), flat(self.scores), offsets_of(self.labels)

    def pool(self) -> tuple[Floats, npt.NDArray[np.int64]] | None:
        return None if self.judged is None else (flat(self.judged), offsets_of(self.judged))


def flat(lists: Iterable[Sequence[float]]) -> Floats:
    return np.array([*itertools.chain(*lists)], np.float64)


def offsets_of(lists: Sequence[Sequence[float]]) -> npt.NDArray[np.int64]:
    return np.cumsum([0, *map(len, lists)], dtype=np.int64)


@st.composite
def queries(draw: st.DrawFn, m: Measure, longest: int = 5, judged: bool = False) -> Queries:
    """Up to four short lists, empty ones among them, with few different scores.

    A document is drawn as one byte: to draw each label and each score would take most of the time.
    """
    choices = [*LABELS, math.nan, math.nan] if judged else LABELS
    levels = draw(st.sampled_from([(1.0,), (1.0, 0.0, -0.0), (2.5, 1.0, 0.5, -1.0, -3.0, -1e300)]))
    labels, scores, pool = [], [], []
    for documents in draw(st.lists(st.binary(max_size=longest), max_size=4)):
        labels.append([suited(m, choices[byte % len(choices)]) for byte in documents])
        scores.append([levels[byte // len(choices) % len(levels)] for byte in documents])
        unretrieved = [LABELS[byte % len(LABELS)] for byte in draw(st.binary(max_size=3))] if judged else []
        pool.append([suited(m, label) for label in unretrieved + labels[-1] if not math.isnan(label)])
    return Queries(labels, scores, pool if judged else None)


@st.composite
def measured(draw: st.DrawFn, cls: type[Measure], judged: bool = False) -> tuple[Measure, Queries]:
    """A measure with any options but ties, and lists that it can take."""
    m = cls(**draw(options_of(cls, without=["ties"])))
    return m, draw(queries(m, judged=judged))


def test_every_measure_has_an_oracle() -> None:
    assert {cls.__name__ for cls in CLASSES} == set(oracles.MEASURES)
    assert {cls.label for cls in CLASSES} == {str(measure(cls.label)) for cls in CLASSES}


@pytest.mark.parametrize("judged", [False, True], ids=["all retrieved", "joined"])
@each_measure
@settings(max_examples=20)
@given(st.data())
def test_equals_the_mean_least_or_greatest_over_all_orders_of_ties(
    cls: type[Measure], judged: bool, data: st.DataObject
) -> None:
    m, lists = data.draw(measured(cls, judged))
    pools: Sequence[list[float] | None] = lists.judged or [None] * len(lists.labels)
    expected = [oracles.tied_values(m, *query) for query in zip(lists.labels, lists.scores, pools, strict=True)]
    for ties in KERNEL_TIES:
        if takes(m, ties):
            values = with_ties(m, ties)(*lists.columns(), judged=lists.pool())
            assert values.shape == (len(lists.labels),)
            assert_allclose(values, [query[ties] for query in expected], rtol=1e-12, atol=1e-12, err_msg=f"{m}, {ties}")


@each_measure
def test_every_option_has_an_effect(cls: type[Measure]) -> None:
    # Beside these other options, in turn; the gains of -1 are for negative_ideal.
    negative = {0: -1, 1: -1, 2: -2, 3: 0}
    beside: list[dict[str, Any]] = [
              {}, {"cutoff": 2}, {"cutoff": 0.5}, {"ties": "stable"}, {"empty": "nan"}, {"miss": -2}, {"recall": 0.3},
              {"grades": "scaled"}, {"max_label": 3}, {"gain": negative, "cutoff": 2, "ideal": "retrieved"},
              {"ties": "stable", "recall": 0.3}, {"ties": "stable", "max_label": 3}]  # fmt: skip
    rng = np.random.default_rng(0)
    labels, pools = [], []
    for size in (12, 9, *rng.integers(0, 7, 40)):
        labels.append(rng.choice([0, 0, 1, 2, 3, math.nan], size).tolist())
        known = [label for label in labels[-1] if not math.isnan(label)]
        pools.append([*known, *rng.choice([0, 1, 3], rng.integers(0, 3))])
    scores = rng.integers(0, 3, len(flat(labels)))

    def values(options: dict[str, Any]) -> bytes | None:
        try:
            m = cls(**options)
            return m(flat(labels), scores, offsets_of(labels), judged=(flat(pools), offsets_of(pools))).tobytes()
        except (OptionError, DataError):
            return None

    for name in cls.options():
        choices = VALUES.get(f"{cls.label}.{name}") or VALUES[name]
        each = [{values(options | {name: value}) for value in choices} - {None} for options in beside]
        assert any(len(different) > 1 for different in each), name


@each_measure
def test_without_document_ids_the_row_number_stands_in_for_them(cls: type[Measure]) -> None:
    columns = [2, 0, 1, 0, 3, 1], [1, 1, 1, 2, 2, 2]
    for ties, same in (("docid_asc", "stable"), ("docid_desc", "reverse")):
        assert_array_equal(with_ties(cls(), ties)(*columns), with_ties(cls(), same)(*columns), err_msg=ties)


@each_with_a_range
@settings(max_examples=12)
@given(st.data())
def test_range_is_the_least_and_the_greatest_value_over_orders_of_ties(cls: type[Measure], data: st.DataObject) -> None:
    m, lists = data.draw(measured(cls))
    least, greatest = m.range(*lists.columns())
    every = [oracles.tie_values(m, *query) for query in zip(lists.labels, lists.scores, strict=True)]
    assert_allclose(least, [min(values) for values in every], rtol=1e-12, atol=1e-12)
    assert_allclose(greatest, [max(values) for values in every], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("judged", [False, True], ids=["all retrieved", "joined"])
@each_measure
@settings(max_examples=20)
@given(st.data())
def test_values_stay_in_the_value_range(cls: type[Measure], judged: bool, data: st.DataObject) -> None:
    m, lists = data.draw(measured(cls, judged))
    lowest, highest = m.value_range
    assert m.with_convention().value_range == (lowest, highest)
    values = ready(m)(*lists.columns(), judged=lists.pool())
    defined = values[~np.isnan(values)]
    assert (defined >= lowest - 1e-12).all(), m
    assert (defined <= highest + 1e-12).all(), m


@each_measure
def test_value_ranges_are_reached(cls: type[Measure]) -> None:
    m, unjudged = ready(cls(max_label=60) if cls is ERR else cls()), math.nan
    ranked: list[Any] = [[], [1, 0], [0, 1], 1999 * [0] + [1], 2000 * [1], [60, 0], 5 * [1] + 15 * [0]]
    ranked += [[unjudged], [unjudged, 1], 2000 * [unjudged]]
    values = [
        float(m(labels, scores, judged=(pool, [0, len(pool)]))[0])
        for labels in ranked
        for scores in (range(len(labels), 0, -1), len(labels) * [0])
        for missed in ([], [1], 2000 * [0])
        for pool in [[label for label in labels if label == label] + missed]
    ]
    for bound, nearest in zip(m.value_range, (np.nanmin(values), np.nanmax(values)), strict=True):
        assert not math.isfinite(bound) or nearest == pytest.approx(bound, abs=0.01), m


def test_the_value_range_of_ones_own_measure_is_open_unless_it_says_otherwise() -> None:
    class Mine(Measure):
        """Anything."""

    assert Mine().value_range == (-math.inf, math.inf)
    assert NDCG(ideal="full").value_range == (0.0, math.inf)
    assert NDCG(ideal="full", gain="binary:1").value_range == (0.0, 1.0)
    assert RBP(grades="labels").value_range == (0.0, math.inf)
    assert PairwiseError(normalize="weights").value_range == (0.0, 1.0)


def test_the_range_of_an_error_goes_up_too() -> None:
    assert_array_equal(PairwiseError().range([1, 0], [1, 1]), [[0.0], [1.0]])


def test_the_range_of_a_measure_without_ties_is_its_value() -> None:
    assert_array_equal(Tied().range([1, 0, 1], [1, 1, 2]), [[2 / 3], [2 / 3]])


def test_fewer_hits_can_be_better_for_average_precision_over_hits() -> None:
    # Rank 1 is relevant, then 1, 0, 0 are tied: a second hit at rank 3 makes (1/1 + 2/3) / 2, none leaves 1/1.
    m = AP(denominator="hits", cutoff=3)
    assert_allclose(m.range([1, 1, 0, 0], [2, 1, 1, 1]), [[(1 + 2 / 3) / 2], [1.0]], rtol=1e-15, atol=0)
    # Rank 2 is not relevant, then 1, 0 are tied: without a second hit 1/1, with it (1/1 + 2/3) / 2.
    assert_allclose(m.range([1, 0, 1, 0], [3, 2, 1, 1]), [[(1 + 2 / 3) / 2], [1.0]], rtol=1e-15, atol=0)


@pytest.mark.slow
@each_measure
def test_averages_seven_tied_documents_in_5040_orders(cls: type[Measure]) -> None:
    m = cls(cutoff=3) if "cutoff" in cls.options() else cls()
    labels, scores = [2.0, 0.0, 1.0, 0.0, 1.0, 0.5, 3.0], [1.0] * 7
    expected = oracles.tied_values(m, labels, scores)
    for ties in KERNEL_TIES:
        if takes(m, ties):
            assert_allclose(with_ties(m, ties)(labels, scores), [expected[ties]], rtol=1e-12, atol=1e-15, err_msg=ties)


@each_measure
@settings(max_examples=10)
@given(st.data())
def test_only_the_order_of_the_scores_counts(cls: type[Measure], data: st.DataObject) -> None:
    m = ready(cls(**data.draw(options_of(cls))))
    labels, scores, offsets = data.draw(queries(m, longest=8)).columns()
    levels, places = np.unique(scores, return_inverse=True)
    finite = st.floats(allow_nan=False, allow_infinity=False)
    others = data.draw(st.lists(finite, min_size=levels.size, max_size=levels.size, unique_by=lambda x: x + 0.0))
    assert_array_equal(m(labels, np.sort(others)[places], offsets), m(labels, scores, offsets))


@each_with_a_range
@settings(max_examples=10)
@given(st.data())
def test_the_order_of_the_rows_does_not_count_unless_ties_ask_for_it(cls: type[Measure], data: st.DataObject) -> None:
    m = cls(**data.draw(options_of(cls, without=["ties"])))
    m = with_ties(m, data.draw(st.sampled_from([ties for ties in ("average", "best", "worst") if takes(m, ties)])))
    lists = data.draw(queries(m, longest=8))
    rows = [data.draw(st.permutations(range(len(query)))) for query in lists.labels]
    moved = Queries(
        [[query[i] for i in order] for query, order in zip(lists.labels, rows, strict=True)],
        [[query[i] for i in order] for query, order in zip(lists.scores, rows, strict=True)],
    )
    assert_allclose(m(*moved.columns()), m(*lists.columns()), rtol=1e-13, atol=1e-13)


def ideal_scores(m: Measure, labels: Floats) -> Floats:
    """Scores that rank by what the measure wants."""
    gain = getattr(m.with_convention(), "gain", None)
    return labels if gain is None else flat([[oracles.gain_of(gain, label) for label in labels]])


@pytest.mark.parametrize("cls", [cls for cls in CLASSES if cls not in (Tied, PairAccuracy)], ids=lambda cls: cls.label)
@settings(max_examples=12)
@given(st.data())
def test_no_ranking_is_better_than_the_ideal_one(cls: type[Measure], data: st.DataObject) -> None:
    m = ready(cls(**data.draw(options_of(cls))))
    labels, scores, offsets = data.draw(queries(m, longest=8)).columns()
    ideal, actual = m(labels, ideal_scores(m, labels), offsets), m(labels, scores, offsets)
    if cls.lower_is_better:
        ideal, actual = -ideal, -actual
    assert np.all((ideal >= actual - 1e-13 * np.abs(actual)) | np.isnan(ideal))


@pytest.mark.parametrize("cls", [NDCG, LinearNDCG])
@settings(max_examples=100)
@given(st.data())
def test_the_ideal_ranking_has_an_ndcg_of_exactly_one(cls: type[Measure], data: st.DataObject) -> None:
    m = cls(**data.draw(options_of(cls, without=["empty", "ideal", "ideal_cut", "short"])), empty="nan")
    labels, _, offsets = data.draw(queries(m, longest=12)).columns()
    values = m(labels, ideal_scores(m, labels), offsets)
    assert_array_equal(values[~np.isnan(values)], 1.0)


def test_every_tied_ideal_ranking_has_an_ndcg_of_exactly_one() -> None:
    # 0.1 + 0.1 + 0.1 is not 3 times 0.1: the mean of equal gains must still be that gain.
    lengths = range(1, 40)
    for m in (NDCG(gain="linear"), NDCG(), NDCG(gain="linear", discount="power:0.5"), LinearNDCG(empty=1)):
        for label in (0.1, 0.7, 1.3, 3.0):
            values = [m([label] * n, [0.0] * n)[0] for n in lengths]
            assert_array_equal(values, np.ones(len(lengths)), err_msg=f"{m}, label {label}")


def test_a_full_ideal_is_reached_exactly() -> None:
    for n in range(1, 40):
        m = NDCG(gain="binary", ideal="full", cutoff=n)
        assert m([1] * n, range(n)) == [1.0], f"{n} documents"


@each_measure
@settings(max_examples=10)
@given(st.data())
def test_a_query_does_not_depend_on_the_others(cls: type[Measure], data: st.DataObject) -> None:
    m = ready(cls(**data.draw(options_of(cls))))
    lists = data.draw(queries(m, longest=10))
    together = m(*lists.columns())
    n_queries = len(lists.labels)
    for query in range(n_queries):
        others_empty = [[each if number == query else [] for number, each in enumerate(column)] for column in lists[:2]]
        assert_array_equal(m(*Queries(*others_empty).columns())[query], together[query])


def light(cls: type[Measure]) -> Measure:
    """A measure with default options, but few permutations."""
    few: dict[str, Any] = {"permutations": 2} if "permutations" in cls.options() else {}
    return ready(cls(**few))


def many_documents(seed: int = 7) -> tuple[Floats, Floats, npt.NDArray[np.int64]]:
    """Enough documents for threads to start, in queries of up to 2000, with many ties and labels of all kinds."""
    rng = np.random.default_rng(seed)
    sizes = np.concatenate([rng.integers(0, 30, 150), rng.integers(100, 2000, 130), [0, 1, 2]])
    offsets = np.concatenate([[0], np.cumsum(rng.permutation(sizes))])
    n = int(offsets[-1])
    assert n > 120_000
    labels = rng.choice([0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 4.0], n)
    labels[: n // 4] = rng.choice([0.0, 0.3, 1.7], n // 4)
    return labels, rng.integers(0, 50, n) / 7, offsets


@each_measure
def test_any_number_of_threads_gives_the_same_bits(cls: type[Measure]) -> None:
    columns = many_documents()
    m = light(cls)
    alone = m(*columns, n_threads=1)
    for n_threads in (2, 5):
        assert_array_equal(m(*columns, n_threads=n_threads), alone)


@pytest.mark.parametrize("ties", KERNEL_TIES)
def test_many_plans_in_one_call_give_the_bits_of_each_alone(ties: str) -> None:
    labels, scores, offsets = many_documents()
    end = 40
    rows = int(offsets[end])
    columns = labels[:rows], scores[:rows], offsets[: end + 1]
    family = [
        with_ties(cls(**options), ties)
        for cls in CLASSES
        for options in ([{}] if "cutoff" not in cls.options() else [{"cutoff": k} for k in VALUES["cutoff"]])
    ]
    family += [NDCG(gain=g, discount=d, ties=ties) @ k for g in ("exp2", "linear", "binary:2")
               for d in VALUES["discount"] for k in (None, 10, "20%")]  # fmt: skip
    family = [m for m in family if takes(m, ties) and m.with_convention().plan() is not None]
    plans = [m.with_convention().plan() for m in family]
    matrix = run([plan for plan in plans if plan is not None], Lists(*columns, n_threads=2), ties)
    assert matrix.shape == (len(family), end)
    for m, values in zip(family, matrix, strict=True):
        assert_array_equal(values, m(*columns), err_msg=str(m))


def test_no_plans_and_no_queries_give_no_values() -> None:
    nothing = np.empty(0)
    assert run([], Lists(nothing, nothing, np.array([0, 0])), "average").shape == (0, 1)
    assert NDCG()([], [], [0]).shape == (0,)
    assert_array_equal(NDCG(empty=1)([], []), [1.0])


@each_measure
@settings(max_examples=8)
@given(st.data())
def test_at_sets_the_cutoff(cls: type[Measure], data: st.DataObject) -> None:
    m = cls(**data.draw(options_of(cls, without=["cutoff"])))
    if "cutoff" not in cls.options():
        with pytest.raises(OptionError, match=f"{cls.label} has no option 'cutoff'"):
            m @ 10
        return
    k = data.draw(st.sampled_from(VALUES["cutoff"]))
    assert m @ k == dataclasses.replace(m, cutoff=k)
    assert (m @ k) @ None == m
    columns = data.draw(queries(ready(m), longest=8)).columns()
    assert_array_equal((ready(m) @ k)(*columns), dataclasses.replace(ready(m), cutoff=k)(*columns))


@each_measure
@settings(max_examples=15)
@given(st.data())
def test_a_measure_is_a_value_that_its_text_reads_back_to(cls: type[Measure], data: st.DataObject) -> None:
    options = data.draw(options_of(cls))
    m, same = cls(**options), cls(**dict(reversed(options.items())))
    for each in (m, m.with_convention(), m.with_convention("lightgbm")):
        again = measure(str(each))
        assert again == each
        assert hash(again) == hash(each)
        assert str(again) == repr(each) == str(each)
        assert pickle.loads(pickle.dumps(each)) == each
    assert same == m
    assert hash(same) == hash(m)
    assert m.with_convention() == m.with_convention().with_convention("sklearn")  # what is named stays
    other = data.draw(options_of(cls))
    assert (cls(**other) == m) == (str(cls(**other)) == str(m))


def test_measures_are_frozen_and_differ_by_class() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        NDCG().cutoff = 5  # type: ignore[misc]
    assert len({NDCG(), NDCG(cutoff=10), NDCG() @ 10, measure("nDCG@10"), DCG(), LinearNDCG()}) == 4


def test_unretrieved_judged_documents_count_in_the_ideal_and_in_recall() -> None:
    # Two queries: ranked 1, unjudged, 0; and nothing. Judged: 1, 0, 2, 1 and 1.
    labels, scores, offsets = [1, math.nan, 0], [3, 2, 1], [0, 3, 3]
    judged = [1, 0, 2, 1, 1], [0, 4, 5]

    def value(m: Measure) -> list[float]:
        return [float(number) for number in m(labels, scores, offsets, judged=judged)]

    log3 = math.log2(3)
    assert value(NDCG(gain="linear")) == pytest.approx([1 / (2 + 1 / log3 + 1 / 2), 0])
    assert value(NDCG(gain="linear") @ 1) == [1 / 2, 0]
    assert value(NDCG(gain="linear", ideal="retrieved", empty=1)) == [1, 1]
    assert value(Recall()) == [1 / 3, 0]
    assert value(AP()) == [1 / 3, 0]
    assert value(AP(denominator="hits", ties="stable")) == [1, 0]
    assert value(AP(denominator="reachable") @ 2) == [1 / 2, 0]
    assert value(RPrecision()) == [1 / 3, 0]
    assert value(Precision()) == [1 / 3, 0]
    assert value(Bpref(ties="stable")) == [1 / 3, 0]
    assert value(JudgedShare()) == [2 / 3, 0]
    assert value(F1()) == pytest.approx([2 * 1 / (3 + 3), 0])  # 2 hits / (retrieved + relevant)
    assert value(F1(cutoff=1)) == pytest.approx([2 * 1 / (1 + 3), 0])


def test_without_a_cutoff_every_relevant_document_is_reachable() -> None:
    # One of three relevant documents is retrieved.
    judged = [1, 1, 1], [0, 3]
    assert_array_equal(AP(denominator="reachable")([1], [1], judged=judged), [1 / 3])
    assert_array_equal((AP(denominator="reachable") @ 2)([1], [1], judged=judged), [1 / 2])


def test_an_unjudged_document_is_never_relevant() -> None:
    # Ranked: unjudged, judged 0; with rel = 0 the second is relevant, the first is not.
    columns = [math.nan, 0], [2, 1]
    judged = [0], [0, 1]
    assert_array_equal(Precision(rel=0)(*columns, judged=judged), [1 / 2])
    assert_array_equal(NDCG(gain="binary:0", discount="zipf")(*columns, judged=judged), [1 / 2])
    assert_array_equal(AUC(rel=0)(*columns, judged=judged), [0.0])


def test_a_random_order_has_the_ideal_of_the_judged_documents_and_the_cutoff_of_the_ranked_ones() -> None:
    # Two of four judged documents are ranked, 1 and 0; k = 1 of the two, where one has a mean gain of 1/2 of 1.
    columns, judged = ([1, 0], [2, 1]), ([1, 0, 1, 1], [0, 4])
    assert_array_equal(RandomNDCG(cutoff=0.5)(*columns, judged=judged), [1 / 2])
    assert_array_equal(RandomNDCG(gain="linear", discount="linear")(*columns, judged=judged), [1 / 2])
    assert_array_equal(NDCGPValue(cutoff=0.5)(*columns, judged=judged), [1 / 2])
    assert_array_equal(RandomNDCG(gain="binary:0", ideal="retrieved")([math.nan, 1], [2, 1], judged=judged),
                       [pytest.approx((1 + 1 / math.log2(3)) / 2)])  # fmt: skip


def test_orders_that_are_equal_are_equal_whatever_the_rounding() -> None:
    for n in range(1, 30):
        columns = [0.1] * n, range(n)
        for discount in ("log", "power:0.5"):
            assert_array_equal(NDCGZScore(gain="linear", discount=discount)(*columns), [0.0], err_msg=f"{n} documents")
            assert_array_equal(CorrectedNDCG(gain="linear", discount=discount)(*columns), [0.0])
    assert_array_equal(NDCGPValue()([1] * 7, range(7)), [1.0])


def test_orders_that_differ_by_little_of_the_ideal_still_differ() -> None:
    # 2^64 - 1 is not retrieved: NDCG is about 1e-19, and the better of two orders is still the better one.
    assert_array_equal(NDCGPValue()([1, 0], [2, 1], judged=([64, 1, 0], [0, 3])), [1 / 2])


def test_a_query_of_which_nothing_is_retrieved_has_the_p_value_one() -> None:
    assert_array_equal(NDCGPValue()([], [], judged=([1], [0, 1])), [1.0])


@pytest.mark.parametrize("k", [None, 1, 7, 60])
@pytest.mark.parametrize(
    "counts", [{0: 30, 1: 20, 4: 10}, {3: 40, 4: 40}, {0: 290, 4: 10}, {0.5: 300}, {4: 200, 0: 1}], ids=str
)
def test_err_averages_long_runs_of_ties(counts: dict[float, int], k: int | None) -> None:
    # e[j]: the mean of the products of j of the factors 1 - g, by how many of each label are among the j.
    n = sum(counts.values())
    factors = {label: 1 - (2**label - 1) / 2**4 for label in counts}
    e = [0.0] * (n + 1)
    for taken in itertools.product(*(range(count + 1) for count in counts.values())):
        ways = math.prod(map(math.comb, counts.values(), taken)) / math.comb(n, sum(taken))
        e[sum(taken)] += ways * math.prod(f**t for f, t in zip(factors.values(), taken, strict=True))
    expected = math.fsum((e[j - 1] - e[j]) / j for j in range(1, min(k or n, n) + 1))
    labels = [label for label, count in counts.items() for _ in range(count)]
    assert_allclose(ERR(cutoff=k)(labels, [0] * n), [expected], rtol=1e-12, atol=0)


def test_a_list_without_a_cutoff_is_never_too_short() -> None:
    assert NDCG(short="zero")([1], [1], judged=([1, 1], [0, 2])) == pytest.approx([1 / (1 + 1 / math.log2(3))])
    assert_array_equal((NDCG(short="zero") @ 2)([1], [1]), [0.0])
    assert_array_equal((NDCG(short="zero", empty=1) @ 2)([0], [1]), [1.0])


def test_of_one_document_the_linear_discount_is_zero_and_so_linear_ndcg_is_undefined() -> None:
    assert_array_equal(LinearNDCG(empty="nan")([1], [1]), [math.nan])
    assert_array_equal(LinearNDCG(empty=1)([1], [1]), [1.0])


def test_a_full_ideal_works_with_the_linear_discount() -> None:
    # Discounts 2, 1, 0: relevant at ranks 1 and 3 has 2 of 3.
    assert NDCG(gain="binary", discount="linear", ideal="full")([1, 0, 1], [3, 2, 1]) == pytest.approx([2 / 3])


def test_a_cutoff_beyond_every_number_of_documents_is_the_whole_list() -> None:
    for k in (3, 2**31, 2**32 + 1, 2**53):
        assert_array_equal(NDCG(cutoff=k)([0, 1], [2, 1]), NDCG()([0, 1], [2, 1]), err_msg=str(k))


def ranked_gains(gains: Floats, scores: Floats, ties: str) -> Floats:
    """Gains in rank order; averaged, every document of a group has its mean."""
    rows = np.arange(scores.size)
    if ties == "average":
        _, group, sizes = np.unique(-scores, return_inverse=True, return_counts=True)
        return np.repeat(np.bincount(group, gains) / sizes, sizes)
    second = {"stable": rows, "reverse": -rows, "best": -gains, "worst": gains}[ties]
    return gains[np.lexsort((second, -scores))]


def score_patterns(n: int) -> dict[str, Floats]:
    rng = np.random.default_rng(n)
    return {
        "all equal": np.zeros(n),
        "three levels": rng.integers(-1, 2, n) * -0.5,
        "some ties": rng.integers(0, n // 3 + 1, n) * 0.1 - 3,
        "distinct": rng.permutation(n) - n / 2,
        "rising": np.arange(n, dtype=np.float64),
        "falling": -np.arange(n, dtype=np.float64),
        "one best": np.concatenate([np.zeros(n - 1), [1e300]]),
        "equal but for the last bits": 1 + rng.integers(0, n, n) * 2.0**-52,
    }


@pytest.mark.parametrize("n", [1, 2, 31, 33, 64, 65, 100, 1500, 2047, 2048, 3001])
def test_selecting_the_top_agrees_with_sorting_everything(n: int) -> None:
    # Insertion up to k = 32 where n >= 2k, else selection; a sort for short lists, radix sort for long ones.
    rng = np.random.default_rng(n)
    discount = 1 / np.log2(np.arange(2, n + 2))
    for labels in (rng.choice([0.0, 0.0, 1.0, 2.0, 5.0], n), rng.choice([0.0, 0.3, 1.9, 70.5], n)):
        for (pattern, scores), ties in itertools.product(score_patterns(n).items(), KERNEL_TIES):
            dcg = np.cumsum(ranked_gains(2**labels - 1, scores, ties) * discount)
            for k in {1, 2, 10, 31, 32, 33, 50, n // 2, n - 1, n, n + 1} - {0}:
                value = DCG(ties=ties, cutoff=k)(labels, scores)
                where = f"{pattern}, {ties}, k = {k}"
                assert_allclose(value, dcg[[min(k, n) - 1]], rtol=1e-12, atol=0, err_msg=where)


BAD_SCORES = [(math.nan, "nan"), (math.inf, "inf"), (-math.inf, "-inf")]


@pytest.mark.parametrize(("bad", "shown"), BAD_SCORES, ids=["nan", "inf", "-inf"])
@each_measure
def test_a_score_that_is_not_finite_is_refused_by_place(cls: type[Measure], bad: float, shown: str) -> None:
    with pytest.raises(DataError, match=rf"score must be a finite number, got {shown} \(query 1, row 3\)") as caught:
        ready(cls())([1, 0, 1, 0], [1, 2, 3, bad], [0, 2, 4])
    assert (caught.value.query, caught.value.row) == (1, 3)


@pytest.mark.parametrize(("bad", "shown"), BAD_SCORES, ids=["nan", "inf", "-inf"])
@each_measure
def test_a_label_that_is_not_finite_is_refused_by_place(cls: type[Measure], bad: float, shown: str) -> None:
    with pytest.raises(DataError, match=rf"label must be a finite number, got {shown} \(query 1, row 2\)") as caught:
        ready(cls())([1, 0, bad, 1], [1, 2, 3, 4], [0, 2, 4])
    assert (caught.value.query, caught.value.row) == (1, 2)


@each_measure
def test_a_negative_label_is_refused_by_place(cls: type[Measure]) -> None:
    with pytest.raises(DataError, match=r"no negative label, got -1 \(query 1, row 2\)"):
        ready(cls())([1, 0, -1, 1], [1, 2, 3, 4], [0, 2, 4])


@each_measure
def test_an_infinite_label_is_refused_in_joined_data_too(cls: type[Measure]) -> None:
    with pytest.raises(DataError, match=r"label must be a finite number, got inf"):
        ready(cls())([1, math.inf], [1, 2], judged=([1, 0], [0, 2]))


def test_the_first_bad_query_is_named_whatever_the_number_of_threads() -> None:
    labels, scores, offsets = many_documents()
    scores[70_000:] = math.nan  # every later query is bad as well, and may fail earlier
    query = int(np.searchsorted(offsets, 70_000, side="right")) - 1
    for n_threads in (1, 2, 4):
        with pytest.raises(DataError, match=rf"got nan \(query {query}, row 70000\)"):
            NDCG()(labels, scores, offsets, n_threads=n_threads)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (([1, 0], [1]), r"equally long, got shapes \(2,\) and \(1,\)"),
        (([[1, 0], [0, 1]], [[2, 1], [2, 1]]), r"must be flat .* for matrices pass labels.ravel\(\)"),
        ((["good"], [1]), "(labels|scores) must be numbers"),
        (([1], ["high"]), "(labels|scores) must be numbers"),
        (([[1], [1, 2]], [1, 2]), "(labels|scores) must be numbers"),
        (([1, 0], [2, 1], [0, 1]), "offsets must end at the number of documents, 2, got 1"),
        (([1, 0], [2, 1], [0, 2, 1, 2]), r"offsets must not decrease, got 2 and then 1 \(query 1\)"),
        (([1, 0], [2, 1], [0.0, 2.0]), "offsets must be integers"),
    ],
)
@each_measure
def test_columns_that_do_not_fit_are_refused(cls: type[Measure], columns: tuple[Any, ...], message: str) -> None:
    with pytest.raises(DataError, match=message):
        ready(cls())(*columns)


@pytest.mark.parametrize(
    ("judged", "message"),
    [
        (([1, 0], [0, 1]), "offsets must end at the number of documents, 2, got 1"),
        (([1, 0], [0, 1, 2]), "judged"),
        (([[1, 0]], [0, 2]), "judged"),
        ((["good"], [0, 1]), "judged"),
        (([math.nan, 1], [0, 2]), "label must be a finite number, got nan"),
    ],
    ids=["offsets", "number of queries", "rectangle", "text", "nan"],
)
@pytest.mark.parametrize("cls", [NDCG, AUC], ids=lambda cls: cls.label)
def test_judged_labels_that_do_not_fit_are_refused(cls: type[Measure], judged: tuple[Any, Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        cls()([1, 0], [2, 1], judged=judged)


def test_threads_below_one_are_refused() -> None:
    with pytest.raises(OptionError, match="n_threads must be from 1 to"):
        NDCG()([1], [1], n_threads=0)


@pytest.mark.parametrize(
    ("labels", "scores", "row"),
    [([0, 1, 2], [3, 2, 1], 2), ([2, 0, 0], [1, 1, 1], 0), ([0, 1.5, 0], [3, 2, 1], 1)],
    ids=["alone", "among ties", "between levels"],
)
def test_a_label_above_max_label_is_refused_by_place(labels: list[float], scores: list[float], row: int) -> None:
    with pytest.raises(DataError, match="label is above max_label") as caught:
        ERR(max_label=1)([0, 1, *labels], [2, 1, *scores], [0, 2, 5])
    assert (caught.value.query, caught.value.row) == (1, 2 + row)


@pytest.mark.parametrize("label", [2.0, 1.5, 70.5])
@pytest.mark.parametrize("cls", [DCG, NDCG, LinearNDCG])
def test_a_label_that_the_gain_table_lacks_is_refused_by_place(cls: Any, label: float) -> None:
    m = cls(gain={0: 0, 1: 5})
    with pytest.raises(DataError, match=f"gain table has no label {label:g}") as caught:
        m([0, 1, 1, label], [4, 3, 2, 1], [0, 2, 4])
    assert (caught.value.query, caught.value.row) == (1, 3)
    with pytest.raises(DataError, match=f"gain table has no label {label:g}"):
        m([0, label], [2, 1], judged=([0, 1], [0, 2]))


def test_a_gain_beyond_all_numbers_is_refused() -> None:
    for m in (NDCG(), DCG()):
        with pytest.raises(DataError, match="1100"):
            m([0, 1100], [2, 1])


@pytest.mark.parametrize("m", [Bpref(), Bpref(ties="average"), AP(denominator="hits"), AP(denominator="hits") @ 5])
def test_ties_without_a_closed_form_are_refused_with_those_that_have_one(m: Measure) -> None:
    with pytest.raises(OptionError, match=r"choose ties from stable, reverse, best, worst, docid_desc, docid_asc"):
        m([1, 0], [2, 1])
    for ties in TIES[1:]:
        assert_array_equal(dataclasses.replace(m, ties=ties)([1, 0], [2, 1]), [1.0])


def test_all_other_measures_average_ties() -> None:
    refusing = {cls.label for cls in CLASSES if not takes(cls(), "average")}
    ranked = {"inf_ap", "iprec_at_recall", "eleven_point", "rprec_mult", "bin_g", "yaap"}
    ranked |= {"inst", "bpm", "compat", "pair_accuracy"}
    assert refusing == {"bpref", "gm_bpref", "log_ap", "log_bpref", "g", "ndcg_rel", "rndcg", *ranked}


@pytest.mark.parametrize(
    ("name", "like", "message"),
    [
        (
            "rbp(rel=2)",
            "trec_eval10",
            "rbp: rel has no effect with grades=scaled; leave it out, or choose from cutoff, ",
        ),
        ("rbp(rel=2,grades=labels)", "idealrank", "rbp: rel has no effect with grades=labels"),
        ("ndcg(ideal_cut=whole)", "rectools", "ndcg: ideal_cut has no effect with ideal=full"),
        ("num_q(rel=2)", "idealrank", "num_q has no option 'rel'; there are none"),
        ("num_ret(ideal=judged)", "idealrank", "num_ret has no option 'ideal'; there are 'judged_only'"),
        ("bpref(judged_only=true)", "idealrank", "bpref has no option 'judged_only'; there are 'empty', 'ideal', "),
        ("insq(min_label=2,max_label=1)", "idealrank", "insq: max_label must be above min_label, 2, got 1"),
        ("random_ndcg(ties=stable)", "idealrank", "random_ndcg has no option 'ties'"),
    ],
)
def test_an_option_without_effect_is_refused_with_those_that_have_one(name: str, like: str, message: str) -> None:
    with pytest.raises(OptionError) as caught:
        measure(name).with_convention(like).plan()
    assert message in str(caught.value)


def test_an_option_that_the_convention_makes_pointless_is_left_out() -> None:
    assert "rel" not in str(measure("rbp").with_convention("trec_eval10"))
    filled = measure("rbp").with_convention("trec_eval10")
    assert filled.with_convention("trec_eval10") == filled


def options(**anything: Any) -> dict[str, Any]:
    return anything


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: NDCG(**options(gian="linear")), "ndcg has no option 'gian'; did you mean 'gain'?"),
        (lambda: NDCG(**options(rel=1)), "ndcg has no option 'rel'; there are 'cutoff', 'discount', 'empty'"),
        (lambda: NDCG(ties="avrage"), "ndcg: ties: unknown value 'avrage'; did you mean 'average'?"),
        (lambda: NDCG(gain="expp"), "ndcg: gain: unknown gain 'expp'; did you mean 'exp2'?"),
        (lambda: NDCG(discount="zip"), "ndcg: discount: unknown discount 'zip'; did you mean 'zipf'?"),
        (lambda: NDCG(ideal="judge"), "ndcg: ideal: unknown value 'judge'; did you mean 'judged'?"),
        (lambda: NDCG(empty=0.5), "ndcg: empty: expected 0, 1, 'nan' or 'skip', got 0.5"),
        (lambda: NDCG(empty="none"), "ndcg: empty: expected a number from 0 to 1, got 'none'"),
        (lambda: RBP(p=1), "rbp: p: expected a number from 0 to 1, got 1"),
        (lambda: RBP(**options(p="high")), "rbp: p: expected a number from 0 to 1, got 'high'"),
        (lambda: AP(rel=math.nan), "ap: rel: expected a finite number"),
        (lambda: AP(denominator="hit"), "ap: denominator: unknown value 'hit'; did you mean 'hits'?"),
        (lambda: ERR(max_label=-1), "err: max_label: expected a number from 0 to 60, got -1"),
        (lambda: RPrecision(cutoff=5), "r_precision has no option 'cutoff'"),
        (lambda: JudgedShare(empty=1), "judged has no option 'empty'"),
        (lambda: NDCG().with_convention("sklern"), "unknown convention 'sklern'; did you mean 'sklearn'?"),
        (lambda: NDCG(gain=lambda label: label), "ndcg: gain: "),
        (lambda: NDCG(discount=lambda rank: 1 / rank), "ndcg: discount: "),
    ],
)
def test_options_that_do_not_exist_are_refused_with_the_nearest_name(make: Any, message: str) -> None:
    with pytest.raises(OptionError) as caught:
        make()
    assert message in str(caught.value)


@pytest.mark.parametrize("cutoff", [0, -1, 1.5, math.nan, math.inf, True, 10**19, 10**30, "ten", "0", "101%", "n^2"])
def test_impossible_cutoffs_are_refused(cutoff: Any) -> None:
    with pytest.raises(OptionError, match="ndcg: cutoff: "):
        NDCG(cutoff=cutoff)
    with pytest.raises(OptionError, match="ndcg: cutoff: "):
        NDCG() @ cutoff


def test_small_lists_by_hand() -> None:
    # Relevant at ranks 2 and 4 of five; one more relevant document at rank 5 counts from label 2 on only.
    labels, scores = [0, 3, 0, 2, 1], [5, 4, 3, 2, 1]

    def value(m: Measure) -> float:
        return float(m(labels, scores)[0])

    assert value(Precision(rel=2)) == 2 / 5
    assert value(Precision(rel=2) @ 2) == 1 / 2
    assert value(Precision(rel=2) @ 10) == 2 / 10
    assert value(Precision(rel=2, denominator="retrieved") @ 10) == 2 / 5
    assert value(Recall(rel=2) @ 2) == 1 / 2
    assert value(F1(rel=2) @ 2) == 2 * 1 / (2 + 2)
    assert value(RPrecision(rel=2)) == 1 / 2
    assert value(HitRate(rel=2) @ 1) == 0
    assert value(HitRate(rel=2) @ 2) == 1
    assert value(RR(rel=2)) == 1 / 2
    assert value(RR(rel=2) @ 1) == 0
    assert value(AP(rel=2)) == (1 / 2 + 2 / 4) / 2
    assert value(AP(rel=2) @ 3) == (1 / 2) / 2
    assert value(AP(rel=2, denominator="reachable") @ 1) == 0
    assert value(AP(rel=2, denominator="hits", ties="stable") @ 3) == 1 / 2
    assert value(Bpref(rel=2, ties="stable")) == ((1 - 1 / 2) + (1 - 2 / 2)) / 2
    assert value(RBP(rel=2, p=0.5)) == 0.5 * (0.5 + 0.125)
    assert value(AUC(rel=2)) == (2 + 1) / 6
    # Pairs in the wrong order: (3, 0), (2, 0) twice, (1, 0) twice; in the right one: (3, 0), (3, 2), (3, 1), (2, 1).
    assert value(KendallTau()) == pytest.approx((4 - 5) / 9)
    assert value(PairwiseError()) == pytest.approx((3 + 2 + 2 + 1 + 1) / 9)
    assert value(PairwiseError(normalize="none")) == pytest.approx(9)
    assert value(PairwiseError(normalize="weights")) == pytest.approx(9 / (9 + 3 + 1 + 2 + 1))
    assert value(ERR(max_label=3) @ 4) == pytest.approx(1 / 2 * 7 / 8 + 1 / 4 * (1 / 8) * 3 / 8)


def test_a_measure_of_ones_own_gain_and_discount_is_the_same_as_the_named_one() -> None:
    columns = many_documents()
    depth = int(np.diff(columns[2]).max())
    table = discounts.Table.tabulate(lambda ranks: 1 / np.log2(1 + ranks), depth)
    gain = gains.Table({label: 2**label - 1 for label in (0, 0.3, 1, 1.7, 2, 3, 4)})
    assert_allclose(NDCG(gain=gain, discount=table)(*columns), NDCG()(*columns), rtol=1e-13, atol=0)


def test_negative_labels_can_be_unjudged_or_kept_where_a_convention_says_so() -> None:
    labels, scores, offsets = np.array([-1.0, 1.0, 0.0]), np.array([3.0, 2.0, 1.0]), np.array([0, 3])
    unjudged = NDCG().values(Lists(labels, scores, offsets, negative="unjudged"))
    assert unjudged == pytest.approx([1 / math.log2(3)])
    kept = NDCG().values(Lists(labels, scores, offsets, negative="keep"))  # 2^-1 - 1 = -1/2
    assert kept == pytest.approx([(-1 / 2 + 1 / math.log2(3)) / (1 - 1 / 2 / math.log2(4))])
    pool = JudgedLabels(np.array([-1.0, 1.0]), np.array([0, 2]))
    joined = Lists(labels[:2], scores[:2], np.array([0, 2]), judged=pool, negative="unjudged")
    assert_array_equal(JudgedShare().values(joined), [1 / 2])


def test_pairs_of_kept_negative_labels_count_like_others() -> None:
    # Ranked -1, 0: one pair, in the wrong order.
    kept = Lists(np.array([-1.0, 0.0]), np.array([2.0, 1.0]), np.array([0, 2]), negative="keep")
    assert_array_equal(KendallTau().values(kept), [-1.0])
    assert_array_equal(PairwiseError().values(kept), [1.0])


@pytest.mark.parametrize("empty", [0.0, 1.0])
def test_an_ideal_that_is_not_positive_makes_a_query_empty(empty: float) -> None:
    # The ideal order is 1, -5, and 1 - 5 / log2(3) < 0.
    lists = Lists(np.array([-5.0, 1.0]), np.array([2.0, 1.0]), np.array([0, 2]), negative="keep")
    m = NDCG(gain="linear", empty=empty)
    assert m.values(lists) == [empty]
    assert (m @ 1).values(lists) == [-5.0]  # the ideal begins with 1


def test_a_sum_of_negative_gains_is_no_empty_query() -> None:
    lists = Lists(np.array([-5.0, -1.0]), np.array([2.0, 1.0]), np.array([0, 2]), negative="keep")
    assert DCG(gain="linear", empty=1).values(lists) == pytest.approx([-5 - 1 / math.log2(3)])


def test_a_full_ideal_is_that_of_k_documents_however_many_there_are() -> None:
    m = NDCG(gain="binary", discount="zipf", ideal="full")
    for depth in (2, 4, 100_000):
        harmonic = sum(1 / rank for rank in range(1, depth + 1))
        assert_allclose((m @ depth)([1, 0, 1], [3, 2, 1]), (1 + (depth > 2) / 3) / harmonic, rtol=1e-12, atol=0)
    with pytest.raises(OptionError, match=r"ideal=full sums the weights of k ranks, k at most 10,000,000, got"):
        (m @ 2**53)([1, 0, 1], [3, 2, 1])


def test_gains_too_large_to_be_summed_are_refused() -> None:
    with pytest.raises(DataError, match=r"too large to be summed \(query 1\)"):
        NDCG(gain="linear")([1, 1e308, 1e308, 1e308], [1, 3, 2, 1], [0, 1, 4])


#: Values that no option takes, of types that people pass by mistake.
WRONG: list[Any] = [
    [], ["x"], {1}, object(), b"x", 1j, math.inf, np.array([1, 2]), 10**400, {"a": 1}, {1: "x"}, slice(1), len,
]  # fmt: skip


@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: f"{type(wrong).__name__}-{wrong!s:.12}")
@each_measure
def test_an_option_of_a_wrong_type_is_an_option_error(cls: type[Measure], wrong: Any) -> None:
    for name in cls.options():
        if name in ("gain", "discount") and isinstance(wrong, np.ndarray):
            continue  # a table
        with pytest.raises(OptionError, match=rf"{cls.label}: {name}: "):
            cls(**{name: wrong})


@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: f"{type(wrong).__name__}-{wrong!s:.12}")
def test_gains_discounts_and_conventions_of_a_wrong_type_are_option_errors(wrong: Any) -> None:
    makers: list[Callable[[], object]] = [
        lambda: gains.Exp2(wrong),
        lambda: gains.Binary(wrong),
        lambda: gains.Table([wrong]),
        lambda: gains.Table({0: wrong}),
        lambda: discounts.Log(wrong),
        lambda: discounts.Power(wrong),
        lambda: discounts.Geometric(wrong),
        lambda: discounts.Table([wrong]),
        lambda: cutoffs.Fraction(wrong),
        lambda: cutoffs.Rank(wrong),
        lambda: cutoffs.of(wrong),
        lambda: NDCG().with_convention(wrong),
        lambda: measure(wrong),
        *(lambda name=name: Convention("mine", **{name: wrong}) for name in convention("trec_eval").data),
    ]
    if not isinstance(wrong, dict):
        makers += [lambda: Convention("mine", options=wrong), lambda: Convention("mine", overrides=wrong)]
    for make in makers:
        with pytest.raises(OptionError):
            make()
    with pytest.raises(OptionError, match="'ndcg' must be a mapping"):
        Convention("mine", overrides={"ndcg": 3})  # type: ignore[dict-item]
