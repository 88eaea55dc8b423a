"""Whether a measure tells two rankers apart (Wang et al. 2013, all of it, as corrected), and how much that takes."""

import dataclasses
import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom
from theory_models import GRADED, JUMP, KNOTS_3, KNOTS_7, MODELS, Logarithm, halves

from idealrank.errors import DataError, OptionError
from idealrank.measures import NDCG, cutoffs
from idealrank.measures import measure as parse
from idealrank.theory import GradedCurve, StepCurve, documents_needed, gap, queries_needed, verdict, win_probability
from idealrank.theory.distinguishing.growing_lists import prefix_values
from idealrank.theory.long_lists.needed import staying_ahead

A, B = MODELS["s"], MODELS["1-s"]
#: Same upper half of the list: P(Y = 1 | x) = 0.2 + 0.6 x, ranked by x, and by x above 1/2 and 1/2 - x below.
SAME_TOP = (lambda s: 0.2 + 0.6 * s), (lambda s: 0.2 + 0.6 * s if s > 0.5 else 0.5 - 0.6 * s)


@pytest.mark.parametrize(
    ("measure", "theorem", "rate"),
    [
        ("ndcg", "Theorem 6", "gap 1/log(n), noise n^-1/2 / log(n)"),
        ("ndcg(discount=power:0.25)", "Theorem 8, condition 1", "gap 0.24, noise n^-1/2"),
        ("ndcg(discount=power:0.5)", "Theorem 8, condition 1", "gap 0.471, noise sqrt(log(n)/n)"),
        ("ndcg(discount=power:0.8)", "Theorem 8, condition 1", "gap 0.766, noise n^-0.2"),
        ("ndcg(discount=zipf)", "Theorem 9", "gap 1, noise 1/log(n)"),
        ("ndcg@n^0.5", "Theorem 11", "gap 1, noise (sum of the weights)^-1/2"),
        ("ndcg@20%", "Theorems 12 and 13", "gap 0.8, noise n^-1/2"),
        ("ndcg(discount=power:0.5)@20%", "Theorems 12 and 13", "gap 0.867, noise sqrt(log(n)/n)"),
        ("linear_ndcg", "the law of large numbers", "gap 0.444, noise n^-1/2"),
    ],
)
def test_what_distinguishes_consistently(measure: str, theorem: str, rate: str) -> None:
    found = verdict(measure, A, B)
    assert (found.distinguishes, found.how, found.better) == (True, "consistently", "a")
    assert (found.theorem, found.rate) == (theorem, rate)
    assert verdict(measure, B, A).better == "b"


@pytest.mark.parametrize("measure", ["ndcg@10", "ndcg(discount=geometric)", "ndcg(discount=power:2)@20%"])
def test_few_ranks_distinguish_in_expectation_only(measure: str) -> None:
    found = verdict(measure, MODELS["line"], lambda s: 0.4)
    assert (found.distinguishes, found.how, found.better) == (False, "in expectation", "a")
    assert found.theorem == "Theorem 10"
    assert "by chance" in found.reason


def test_equal_limits_under_a_power_do_not_distinguish() -> None:
    a, b = halves(KNOTS_7)
    found = verdict("power:0.7", a, b)
    assert (found.distinguishes, found.how, found.better) == (False, "in expectation", "b")
    assert "second condition is false" in found.reason
    assert found.rate == "gap n^-0.3, noise n^-0.3"
    found = verdict("power:0.3", *halves(KNOTS_3))
    assert (found.distinguishes, found.rate) == (False, "gap n^-0.7, noise n^-1/2")
    assert verdict("ndcg", a, b).distinguishes


def test_the_same_top_is_undecided_where_few_ranks_count() -> None:
    found = verdict("power:2", *SAME_TOP)
    assert found.distinguishes is None
    assert "last sentence is false" in found.reason


def test_a_cutoff_above_all_differences_sees_nothing() -> None:
    found = verdict("ndcg@30%", *SAME_TOP)
    assert (found.distinguishes, found.how) == (False, "no")
    assert "same on the first 30% of the list" in found.reason
    assert verdict("ndcg@80%", *SAME_TOP).distinguishes
    assert verdict("ndcg", *SAME_TOP).distinguishes


def test_a_cutoff_with_equal_limits_distinguishes_by_the_next_moment() -> None:
    # Equal integrals over the top half, which is all that the limit sees: u - 1/4 integrates to 0 there.
    a = StepCurve([0, 0.5, 0.75, 1], [0.3, 0.2, 0.4])
    b = StepCurve([0, 0.5, 1], [0.3, 0.3])
    found = verdict("ndcg@50%", a, b)
    assert (found.distinguishes, found.better, found.theorem) == (True, "a", "Theorem 6")
    assert found.rate.endswith("/log(n), noise n^-1/2")


def test_one_over_r_with_equal_tops() -> None:
    found = verdict("zipf", lambda s: 0.5 + 0.3 * np.sin(2 * np.pi * (1 - s)), lambda s: 0.5)
    assert (found.distinguishes, found.how, found.better) == (False, "in expectation", "a")
    free_of_noise = verdict("zipf", MODELS["s"], lambda s: 0.25 + 0.75 * s**2)
    assert free_of_noise.distinguishes is None
    assert verdict("ndcg@n^0.5", MODELS["s"], lambda s: 0.25 + 0.75 * s**2).distinguishes is None


def test_a_constant_discount_distinguishes_nothing() -> None:
    found = verdict("power:0", A, B)
    assert (found.distinguishes, found.how) == (False, "no")
    assert win_probability("power:0", A, B) == 0.5


@dataclasses.dataclass(frozen=True)
class Cut(cutoffs.Cutoff):
    """A cutoff of one's own: k(n) as a function of log(n)."""

    function: Any

    def at(self, n: Any) -> Any:
        return np.maximum(self.function(np.log(np.asarray(n, np.float64))), 1).astype(np.int64)


@pytest.mark.parametrize(
    ("discount", "cut", "how"),
    [
        ("log", lambda x: x, "in probability"),
        ("log", lambda x: 5 * x, "in probability"),
        ("zipf", lambda x: x, "in probability"),
        ("log", lambda x: x**2, "consistently"),
        ("power:0.3", lambda x: x**2, "consistently"),
        ("power:0.7", lambda x: x**2, "undecided"),  # errors of exp(-c log(n)^1.2)
        ("power:0.7", lambda x: x**3, "consistently"),
        ("zipf", lambda x: x**2, "undecided"),
        ("zipf", lambda x: np.exp(x / 2), "consistently"),
        ("log", lambda x: np.exp(np.sqrt(x)), "consistently"),
    ],
)
def test_a_growing_cutoff_is_kept_if_it_outgrows_the_logarithm(discount: str, cut: Any, how: str) -> None:
    found = verdict(discount, lambda s: 0.2 + 0.6 * s, lambda s: 0.5, Cut(cut))
    assert (found.how, found.better) == (how, "a")
    assert found.distinguishes is {"consistently": True, "undecided": None, "in probability": False}[how]


def test_errors_of_log_n_ranks_are_a_power_of_n_and_those_of_more_ranks_are_below_any() -> None:
    """The first k labels decide, of which 0.6 and 0.4 are relevant; all ranks that count do so equally."""
    logs = np.array([25, 100, 400])

    def powers(ranks: Any) -> Any:
        """Return c such that the order is not right with the probability n^-c."""
        found = []
        for k, log in zip(ranks, logs, strict=True):
            counts = np.arange(k + 1)
            wrong = float(binom.pmf(counts, k, 0.4) @ binom.cdf(counts, k, 0.6))
            found.append(-math.log(wrong) / log)
        return found

    few, more = powers(logs), powers((logs**1.5).astype(int))
    assert few[0] > few[1] > few[2] > -math.log(0.48 + 2 * 0.24)  # Chernoff's bound is the limit
    assert more[2] > 1.7 * more[1] > 2 * more[0]


def test_identical_rankers_are_undecided() -> None:
    for measure in ("ndcg", "ndcg@10", "zipf", "power:0.5", "linear_ndcg"):
        found = verdict(measure, MODELS["line"], lambda s: 0.1 + 0.6 * s)
        assert found.distinguishes is None
        assert "both curves are the same" in found.reason


def test_what_is_not_known_is_undecided() -> None:
    found = verdict(lambda r: 1 / np.log(1 + np.log(1 + r)), A, B)
    assert (found.distinguishes, found.how) == (None, "undecided")
    assert "not known how fast" in found.reason
    assert verdict("ndcg@10", A, lambda s: 0.25 + 0.75 * s**2).distinguishes is None  # tops free of noise
    assert verdict("power:0.5", lambda s: float(s > 0.5), lambda s: 1.0 if s > 0.5 else 0.0).distinguishes is None


def test_graded_curves_are_judged_by_their_gains() -> None:
    other = GradedCurve({2: lambda s: 1 / 6, 1: lambda s: 0.25})
    assert verdict("ndcg", GRADED, other).better == "a"
    assert verdict("ndcg@5", GRADED, other).how == "in expectation"
    assert verdict("power:0.5", other, GRADED).better == "b"


@pytest.mark.parametrize("measure", ["ndcg", "ndcg@10", "zipf"])
def test_rankings_of_other_documents_are_refused(measure: str) -> None:
    with pytest.raises(DataError, match="not two rankings of the same documents"):
        verdict(measure, MODELS["s"], MODELS["s2"])


def test_queries_for_a_fixed_cutoff() -> None:
    a, b = (lambda s: 0.7), (lambda s: 0.5)
    found = gap("ndcg@10", a, b)
    assert found.mean == pytest.approx(0.2)
    assert found.sd == pytest.approx(0.235781261197, abs=1e-11)
    assert found.queries() == pytest.approx(3.760218615187, abs=1e-9)
    assert found.queries_hoeffding() == pytest.approx(149.79, abs=0.005)
    for k, expected in ((1, 31.11), (5, 7.10), (20, 1.96)):
        assert gap("ndcg", a, b, cutoff=k).queries() == pytest.approx(expected, abs=0.005)
    assert [queries_needed("ndcg", a, b, cutoff=k) for k in (1, 5, 10, 20)] == [32, 8, 4, 2]
    assert queries_needed("ndcg@10", a, a) is None
    assert queries_needed("ndcg@10", b, a) == 4


def test_that_many_queries_are_enough() -> None:
    rng = np.random.default_rng(4)
    weights = np.array([1 / math.log2(1 + r) for r in range(1, 11)])
    a, b = ((rng.random((4000, 4, 10)) < q) @ (weights / weights.sum()) for q in (0.7, 0.5))
    assert np.mean(a.mean(axis=1) > b.mean(axis=1)) == pytest.approx(0.953, abs=0.012)


FLAT = (lambda s: 0.35 + 0.3 * s), (lambda s: 0.5)


@pytest.mark.parametrize(
    ("discount", "cutoff", "labels_alone", "expected"),
    [
        ("log", None, 537, 600),
        ("power:0.5", None, 468, 479),
        ("power:0.8", None, 2138, 2126),
        ("zipf", None, 69183, 68551),
        ("log", 0.2, 447, 446),
    ],
)
def test_documents_of_one_query(discount: str, cutoff: Any, labels_alone: int, expected: int) -> None:
    needed = documents_needed(discount, *FLAT, cutoff).at_one_length
    assert needed == pytest.approx(expected, rel=0.005)
    # If labels were random, but places were not; found on a grid of ratio 10^0.01.
    assert labels_alone / 10**0.011 < expected < 1.15 * labels_alone


@pytest.mark.parametrize(("discount", "cutoff"), [("log", 10), ("geometric", None)])
def test_no_number_of_documents_is_enough_where_few_ranks_count(discount: str, cutoff: Any) -> None:
    found = documents_needed(discount, *FLAT, cutoff)
    assert (found.at_one_length, found.at_all_lengths) == (None, None)


def test_no_number_of_documents_is_enough_where_limits_are_equal() -> None:
    for found in (
        documents_needed("power:0.7", *halves(KNOTS_7), n_max=100_000),
        documents_needed("log", FLAT[0], FLAT[0], n_max=10_000),
    ):
        assert (found.at_one_length, found.at_all_lengths) == (None, None)


def test_no_length_is_promised_where_the_verdict_is_open() -> None:
    # Of log(n) ranks the errors vanish too slowly for Definition 5, although the limits differ.
    growing = Logarithm()
    assert verdict("log", *FLAT, growing).how == "in probability"
    found = documents_needed("log", lambda s: 0.05 + 0.9 * s, lambda s: 0.5, growing, delta=0.2)
    assert found.at_one_length is not None
    assert found.at_all_lengths is None


def test_that_many_documents_are_enough() -> None:
    n = documents_needed("power:0.5", *FLAT).at_one_length
    assert n is not None
    rng, m, won = np.random.default_rng(6), NDCG(discount="power:0.5"), 0
    for _ in range(600):
        x = rng.random(n)
        labels = rng.random(n) < 0.35 + 0.3 * x
        won += m(labels, x)[0] > m(labels, rng.random(n))[0]
    assert won / 600 == pytest.approx(0.95, abs=0.03)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ndcg", "ndcg(discount=power:0.5)", "ndcg@20%"])
def test_that_many_documents_are_enough_at_all_lengths(name: str) -> None:
    # Definition 5: on a growing list the order is right at every n from N on.
    found = documents_needed(name, *FLAT, delta=0.1)
    assert found.at_one_length is not None
    assert found.at_all_lengths is not None
    assert found.at_all_lengths > 1.15 * found.at_one_length
    rng, n_lists, longest = np.random.default_rng(9), 300, 2500
    x, noise = rng.random((2, n_lists * longest))
    labels = (rng.random(x.size) < 0.35 + 0.3 * x).astype(float)
    sizes = np.unique(np.concatenate([[found.at_one_length], np.arange(found.at_all_lengths, longest + 1, 4)]))
    offsets = np.arange(0, x.size + 1, longest)
    (a,), (b,) = prefix_values([parse(name)], labels, [x, noise], offsets, sizes)
    ahead = a > b
    at_all = sizes >= found.at_all_lengths
    # 3 standard errors of 300 lists are 0.052; lists that are longer than 2500 would lose a few more leads.
    assert np.mean(ahead[:, at_all].all(axis=1)) == pytest.approx(0.9, abs=0.06)
    assert np.mean(ahead[:, 0]) == pytest.approx(0.9, abs=0.06)
    # The number for one length is not enough for all.
    sizes = np.arange(found.at_one_length, longest + 1, 4)
    (a,), (b,) = prefix_values([parse(name)], labels, [x, noise], offsets, sizes)
    assert np.mean((a > b).all(axis=1)) < 0.86


def test_staying_ahead_where_it_is_known() -> None:
    # With the decay 1/2 and the signal sqrt(c n), noise and signal times sqrt(n) are a Brownian motion and a line: the
    # probability to cross it after time n, given the normal distribution there.
    c = 0.004
    sizes = np.geomspace(300, 30_000, 60)
    found = staying_ahead(sizes, np.sqrt(c * sizes), 0.5)
    n = sizes[0]
    x = np.linspace(-9, math.sqrt(c * n), 20_001)
    left = math.sqrt(c * n) - x  # in standard deviations at n
    stays = -np.expm1(-2 * left * math.sqrt(c * n))
    expected = np.trapezoid(stays * np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi), x)
    assert found[0] == pytest.approx(expected, abs=0.015)
    assert (np.diff(found) > -1e-9).all()


def test_a_risk_is_below_one_half_and_lengths_are_whole() -> None:
    with pytest.raises(DataError, match=r"must be between 0 and 1/2, got 0\.5"):
        queries_needed("ndcg@10", *FLAT, delta=0.5)
    with pytest.raises(DataError, match="whole number from 1, got 0"):
        gap("ndcg", *FLAT, n=0)
    with pytest.raises(OptionError, match="depends on the length of the lists: pass n"):
        gap("ndcg", *FLAT)
    with pytest.raises(OptionError, match="not known how fast"):
        documents_needed(lambda r: 1 / np.log(1 + np.log(1 + r)), *FLAT)
    assert queries_needed("ndcg", JUMP, lambda s: 0.38, n=10) == 3
