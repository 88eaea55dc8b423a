"""Which measures distinguish two rankers on lists: what is seen, and what theory predicts."""

import math
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from theory_models import distinguish_two

from idealrank import datasets, evaluate, from_arrays, stats
from idealrank._typing import Floats
from idealrank.errors import DataError, OptionError
from idealrank.measures import NDCG, measure
from idealrank.theory import StepCurve, distinguish
from idealrank.theory.distinguishing.growing_lists import Paths
from idealrank.theory.distinguishing.plots import plot_values, plot_wins
from idealrank.theory.long_lists.curve_plots import plot_curve, plot_curves


def drawn(n_queries: int, n: int, seed: int = 0) -> tuple[Floats, Floats, Floats, list[int]]:
    """Lists with P(label = 1 | x) = 0.35 + 0.3 x, ranked by x and by noise."""
    rng = np.random.default_rng(seed)
    x = rng.random(n_queries * n)
    labels = (rng.random(x.size) < 0.35 + 0.3 * x).astype(float)
    return labels, x, rng.random(x.size), list(range(0, x.size + 1, n))


def test_means_are_those_of_the_measures() -> None:
    labels, a, b, offsets = drawn(20, 100)
    found = distinguish_two(labels, a, b, ["ndcg", "ndcg(gain=linear)@10", "linear_ndcg"], offsets=offsets)
    for row in found.measures:
        m = measure(row.measure)
        assert row.mean_a == pytest.approx(float(m(labels, a, offsets).mean()))
        assert row.mean_b == pytest.approx(float(m(labels, b, offsets).mean()))
        assert row.better == "a"
        differences = m(labels, a, offsets) - m(labels, b, offsets)
        assert row.wins == pytest.approx(np.mean(differences > 0) + np.mean(differences == 0) / 2)
        expected = (1.6448536269514722 * differences.std(ddof=1) / differences.mean()) ** 2
        assert row.queries_needed == math.ceil(expected)
        least, most = row.queries_interval
        assert least is not None and row.queries_needed is not None  # noqa: PT018
        assert least <= row.queries_needed <= (most or math.inf)
    assert found.n_queries == 20


def test_paths_are_the_measures_of_the_prefixes() -> None:
    labels, a, b, offsets = drawn(3, 40)
    found = distinguish_two(labels, a, b, "ndcg", offsets=offsets)
    assert_array_equal(found.sizes, np.arange(1, 41))
    m = NDCG(empty="nan")
    leads = [
        [float(m(labels[i : i + n], a[i : i + n])[0] - m(labels[i : i + n], b[i : i + n])[0]) for n in range(1, 41)]
        for i in offsets[:-1]
    ]
    assert_allclose(found.paths["ndcg"].lead, leads, rtol=0, atol=1e-12)
    swapped = distinguish_two(labels, b, a, "ndcg", offsets=offsets)
    assert swapped["ndcg"].better == "b"
    assert_allclose(swapped.paths["ndcg"].lead, leads, rtol=0, atol=1e-12)


@pytest.mark.slow
def test_definition_5_on_simulated_paths() -> None:
    # Shares of 300 paths on which the order is right from n = 200, 1000, 5000 on; here of 40, so 3 sd are up to 0.24.
    labels, a, b, offsets = drawn(40, 20_000)
    expected = {
        "ndcg": (0.70, 0.97, 1.00),
        "ndcg(discount=power:0.5)": (0.72, 0.98, 1.00),
        "ndcg@20%": (0.80, 0.99, 1.00),
        "ndcg(discount=zipf)": (0.28, 0.50, 0.70),
        "ndcg(discount=power:2)": (0.10, 0.18, 0.33),
        "ndcg(discount=geometric)": (0.09, 0.17, 0.38),
        "ndcg@10": (0.09, 0.21, 0.38),
    }
    sizes = np.unique(np.geomspace(200, 20_000, 40).round()).astype(int)
    found = distinguish_two(labels, a, b, list(expected), offsets=offsets, sizes=sizes)
    for name, shares in expected.items():
        assert found[name].better == "a"
        stays = found.paths[name].lasting_lead_share
        seen = [stays[np.searchsorted(sizes, n)] for n in (200, 1000, 5000)]
        assert_allclose(seen, shares, rtol=0, atol=0.24)


def test_paths_count_wins_changes_and_the_last_mistake() -> None:
    nan = math.nan
    paths = Paths(np.array([1, 2, 5, 9]), np.array([[nan, -1, 1, 1], [1, -1, 1, -1], [0, 1, 1, nan]]))
    assert_allclose(paths.wins, [0.75, 1 / 3, 1, 0.5], rtol=0, atol=1e-15)
    assert_allclose(paths.lasting_lead_share, [0, 1 / 3, 2 / 3, 2 / 3], rtol=0, atol=1e-15)
    assert_array_equal(paths.last_wrong, [2, 9, 1])
    assert_array_equal(paths.sign_changes, [1, 3, 0])
    assert_allclose(paths.mean_lead, [0.5, -1 / 3, 1, 0], rtol=0, atol=1e-15)
    assert paths.settled_at == 0
    assert Paths(np.array([1, 2, 5, 9]), np.array([[-1, 1, -1, 1]])).settled_at == 9
    assert Paths(np.array([1, 2]), np.array([[1, 1]])).settled_at == 1


def test_theory_is_joined_to_what_is_seen() -> None:
    labels, a, b, offsets = drawn(20, 3000)
    found = distinguish_two(labels, a, b, ["ndcg", "ndcg(discount=power:0.5)", "ndcg@10", "ndcg@20%"], offsets=offsets)
    half = found["ndcg(discount=power:0.5)"]
    assert half.limit_a == pytest.approx((0.65 - 0.3 / 3) / 0.5**0.5, abs=0.02)
    assert half.limit_b == pytest.approx(0.5**0.5, abs=0.03)
    assert half.predicted_gap == pytest.approx(half.mean_a - half.mean_b, abs=0.02)
    assert half.verdict.distinguishes
    assert found["ndcg"].limit_a == found["ndcg"].limit_b == 1
    assert found["ndcg"].predicted_gap == pytest.approx(found["ndcg"].mean_a - found["ndcg"].mean_b, abs=0.01)
    assert math.isnan(found["ndcg@10"].limit_a)
    assert found["ndcg@10"].verdict.how == "in expectation"
    # Few ranks need the most queries.
    assert found.measures[-1].measure == "ndcg@10"
    assert found.best != "ndcg@10"


def test_marks_of_far_certificates_are_not_drawn() -> None:
    labels, a, b, offsets = drawn(20, 3000)
    measures = ["ndcg", "ndcg@20%", "ndcg(discount=power:0.5)"]
    long = distinguish_two(labels, a, b, measures, offsets=offsets, sizes=[1000, 3000])
    lengths = {name: each.n for name, each in long.certificates.items()}
    assert long.marks == lengths
    short = distinguish_two(labels, a, b, measures, offsets=offsets, sizes=[10, 30])
    assert short.marks == {}
    assert len(plot_wins(long).lines) == len(plot_wins(short).lines) + len(measures)


def test_dcg_has_no_limit_but_the_verdict_of_ndcg() -> None:
    labels, a, b, offsets = drawn(30, 200)
    found = distinguish_two(
        labels, a, b, ["dcg@10", "dcg(discount=power:0.5)", "ndcg(discount=power:0.5)"], offsets=offsets
    )
    assert found["dcg@10"].verdict.how == "in expectation"
    assert found["dcg(discount=power:0.5)"].verdict == found["ndcg(discount=power:0.5)"].verdict
    assert math.isnan(found["dcg@10"].predicted_gap)
    assert math.isnan(found["dcg(discount=power:0.5)"].limit_a)


def test_p_values_are_those_of_the_randomization_test() -> None:
    labels, a, b, offsets = drawn(30, 50)
    measures = ["ndcg@1", "ndcg@10", "ndcg"]
    found = distinguish_two(labels, a, b, measures, offsets=offsets, n_permutations=20_000)
    for name in measures:
        m = measure(name)
        test = stats.randomization_test(m(labels, a, offsets), m(labels, b, offsets), n_permutations=20_000, seed=1)
        assert found[name].p_value == pytest.approx(test.p_value, abs=0.015)
    few = distinguish_two(labels[:500], a[:500], b[:500], measures, offsets=offsets[:11])
    for name in measures:
        m = measure(name)
        exact = stats.randomization_test(m(labels, a, offsets)[:10], m(labels, b, offsets)[:10], seed=1).p_value
        assert few[name].p_value == pytest.approx(exact, abs=1e-12)
    # One p-value for the choice among three measures: not below the smallest, and not above Bonferroni's bound.
    smallest = min(few[name].p_value for name in measures)
    assert smallest <= few.p_value <= 3 * smallest
    again = distinguish_two(labels, a, b, measures, offsets=offsets, n_permutations=20_000)
    assert again.p_value == found.p_value


def test_random_orders_of_the_documents_make_more_paths() -> None:
    labels, a, b, offsets = drawn(4, 60)
    found = distinguish_two(labels, a, b, "ndcg", offsets=offsets, n_orders=5)
    assert found.paths["ndcg"].lead.shape == (20, 60)
    lead = found.paths["ndcg"].lead[:, -1].reshape(5, 4)
    assert_allclose(lead, np.tile(lead[0], (5, 1)), rtol=0, atol=1e-12)  # whole lists are the same in any order
    rows = distinguish_two(labels, a, b, "ndcg", offsets=offsets).paths["ndcg"].lead
    assert not np.allclose(np.nan_to_num(found.paths["ndcg"].lead[:4, 5]), np.nan_to_num(rows[:, 5]))


def test_rows_may_come_in_any_order() -> None:
    labels, a, b, offsets = drawn(5, 30)
    queries = np.repeat(np.arange(5), 30)
    together = distinguish_two(labels, a, b, ["ndcg"], offsets=offsets)
    mixed = np.argsort(np.arange(150) % 30, kind="stable")  # the first document of each query, then the second, ...
    data = from_arrays(labels[mixed], query_ids=queries[mixed])
    found = distinguish_two(data, a[mixed], b[mixed], ["ndcg"], order="input")
    assert_allclose(found.paths["ndcg"].lead, together.paths["ndcg"].lead, rtol=0, atol=1e-12)


def test_advice_names_the_recommended_measure_first() -> None:
    labels, a, b, offsets = drawn(40, 150)
    found = distinguish_two(labels, a, b, ["ndcg@10", "ndcg"], offsets=offsets, names=("new", "old"))
    assert found.advice == (
        "ndcg distinguishes new from old best on these 40 queries: new is ahead (p = 0.0005 for the best of 2 measures)"
        "; it needs 2 to 8 queries to order them reliably; ndcg@10 needs 3 to 27 queries"
    )
    assert repr(found) == f"Distinction({found.advice})"
    alone = distinguish_two(labels, a, b, ["ndcg"], offsets=offsets)
    assert alone.advice == (
        "ndcg distinguishes A from B on these 40 queries: A is ahead (p = 0.0005)"
        "; it needs 2 to 8 queries to order them reliably"
    )
    weak = distinguish_two(labels, a, b, ["ndcg@1", "ndcg"], offsets=offsets)
    assert weak.advice.endswith(f"; ndcg@1 does not distinguish them (p = {weak['ndcg@1'].p_value:.2g})")


def test_advice_does_not_order_what_chance_explains() -> None:
    labels, a, _, offsets = drawn(20, 30)
    rng = np.random.default_rng(3)
    equal = [a + 0.3 * rng.normal(size=a.size) for _ in range(2)]
    found = distinguish_two(labels, *equal, ["ndcg", "ndcg@5"], offsets=offsets)
    assert found.p_value > 0.05
    assert found.advice == (
        "no measure here distinguishes A from B on these 20 queries "
        f"(p = {found.p_value:.2g} for the best of 2 measures)"
    )
    assert {row.verdict.how for row in found.measures} == {"undecided"}
    assert all(each.n is None for each in found.certificates.values())
    few = distinguish_two(labels[:150], equal[0][:150], equal[1][:150], ["ndcg"], offsets=offsets[:6])
    assert few.advice == (
        "ndcg does not distinguish A from B on these 5 queries (with so few queries, p is never below 0.062)"
    )


def test_identical_rankers_are_not_distinguished() -> None:
    labels, a, _, offsets = drawn(5, 30)
    found = distinguish_two(labels, a, 2 * a + 1, ["ndcg", "ndcg@5"], offsets=offsets)
    assert found.best is None
    for row in found.measures:
        assert (row.better, row.queries_needed, row.settled_at, row.wins) == (None, None, None, 0.5)
        assert row.verdict.distinguishes is None
    assert found.advice == "no measure here distinguishes A from B: their means are the same"


def test_one_document_and_one_query() -> None:
    found = distinguish_two([1], [0.5], [0.7], "ndcg")
    assert found.best is None
    labels, a, b, _ = drawn(1, 200)
    one = distinguish_two(labels, a, b, "ndcg")
    assert one["ndcg"].queries_needed is None
    assert one["ndcg"].p_value == 1
    assert one["ndcg"].better == "a"
    assert one.advice == "ndcg puts A ahead on the only query, which cannot distinguish rankers"


@pytest.mark.parametrize(("empty", "counted"), [("0", 0.0), ("1", 1.0), ("skip", None)])
def test_queries_without_relevant_documents_count_as_in_evaluate(empty: str, counted: float | None) -> None:
    labels, a, b, offsets = drawn(5, 30)
    labels[:30] = 0
    name = f"ndcg(empty={empty})"
    found = distinguish_two(labels, a, b, [name], offsets=offsets)
    assert found.n_queries == 5
    rest = distinguish_two(labels[30:], a[30:], b[30:], [name], offsets=offsets[:-1])
    expected = rest[name].mean_a if counted is None else (4 * rest[name].mean_a + counted) / 5
    assert found[name].mean_a == pytest.approx(expected, rel=1e-14)
    assert found[name].mean_a == evaluate(labels, a, name, offsets=offsets).mean[name]
    # Nothing in that list is ever relevant, so it is not among the growing ones.
    assert np.array_equal(found.means[name][0], rest.means[name][0], equal_nan=True)


def test_what_cannot_be_compared_is_refused() -> None:
    with pytest.raises(DataError, match="no document is relevant"):
        distinguish_two([0, 0], [1, 2], [2, 1])
    with pytest.raises(DataError, match="one entry per document: 2, got 3"):
        distinguish_two([0, 1], [1, 2, 3], [2, 1])
    with pytest.raises(OptionError, match="not by ap"):
        distinguish_two([0, 1], [1, 2], [2, 1], ["ap"])
    with pytest.raises(OptionError, match="no measure was named"):
        distinguish_two([0, 1], [1, 2], [2, 1], [])
    with pytest.raises(OptionError, match="offsets= goes with arrays of labels"):
        distinguish_two(from_arrays([0, 1], offsets=[0, 2]), [1, 2], [2, 1], offsets=[0, 2])
    with pytest.raises(OptionError, match="n_permutations must be a whole number of at least 1"):
        distinguish_two([0, 1], [1, 2], [2, 1], n_permutations=0)


def test_appendix_a_in_small() -> None:
    # z ~ N(0, 1), clicks = exp(2.5 + 1.6 z + 0.8 N), A = z + 0.5 N, B = z + N; n = 5000.
    rng = np.random.default_rng(8)
    shape = (8, 5000)
    z = rng.standard_normal(shape)
    clicks = np.exp(2.5 + 1.6 * z + 0.8 * rng.standard_normal(shape))
    labels = (clicks >= 100).astype(float) + (clicks > 1000)
    a, b = z + 0.5 * rng.standard_normal(shape), z + rng.standard_normal(shape)
    expected = {
        "ndcg(gain=linear)": (0.909, 0.841),
        "ndcg(gain=linear,discount=power:0.5)": (0.810, 0.670),
        "ndcg(gain=linear,discount=geometric)": (0.861, 0.650),
        "ndcg(gain=linear)@20%": (0.761, 0.598),
    }
    sizes = np.arange(100, 5001, 100)
    found = distinguish_two(
        labels.ravel(), a.ravel(), b.ravel(), list(expected), offsets=np.arange(0, 40_001, 5000), sizes=sizes
    )
    for name, means in expected.items():
        atol = 0.18 if "geometric" in name else 0.03
        assert_allclose([found[name].mean_a, found[name].mean_b], means, rtol=0, atol=atol)
        if "geometric" not in name:
            assert found[name].wins == 1
    late = slice(9, None)
    changes = {
        name: float(np.mean(Paths(sizes[late], found.paths[name].lead[:, late]).sign_changes)) for name in expected
    }
    assert changes.pop("ndcg(gain=linear,discount=geometric)") > max(changes.values()) == 0


@pytest.mark.slow
def test_legends_name_every_ranker_above_the_plot() -> None:
    data = datasets.web_search(6, 300).test
    names = ("_hidden", "x" * 200)
    found = distinguish_two(data, data.known_features()[:, 0], data.known_features()[:, 6], names=names)
    plots: list[Any] = [plot_wins(found), plot_values(found, "ndcg"), plot_curves(dict.fromkeys(names, lambda s: s))]
    for axes in plots:
        axes.figure.draw_without_rendering()
        legend = axes.get_legend()
        assert legend.get_window_extent().y0 >= axes.get_window_extent().y1
        assert not legend.get_frame_on()
        assert axes.get_window_extent().width > 0.7 * axes.figure.bbox.width
    for axes in plots[1:]:
        first, second = (text.get_text() for text in axes.get_legend().get_texts())
        assert (first, len(second)) == ("_hidden", 28)


def test_pictures_show_every_measure_and_both_limits() -> None:
    data = datasets.web_search(6, 300).test
    found = distinguish_two(
        data, data.known_features()[:, 0], data.known_features()[:, 6], ["ndcg", "ndcg@20%"], names=("match", "noise")
    )
    axes: Any = found.plot()
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    assert labels == [row.measure for row in found.measures]
    curves = axes.get_lines()[: len(labels)]
    assert len({line.get_linestyle() for line in curves}) == len(labels)
    drawn_in_legend = [line.get_linestyle() for line in axes.get_legend().get_lines()]
    assert drawn_in_legend == [line.get_linestyle() for line in curves]
    assert plot_wins(found, axes) is axes
    values: Any = plot_values(found, "ndcg@20%")
    dashed = [line for line in values.get_lines() if line.get_linestyle() == "--"]
    row = found["ndcg@20%"]
    assert [line.get_ydata()[0] for line in dashed] == [row.limit_a, row.limit_b]
    fitted = StepCurve.fit(data.labels, data.known_features()[:, 0], data.offsets, n_resamples=5)
    assert len(plot_curve(fitted).collections) == 1
    assert len(plot_curve(lambda s: s).collections) == 0


def test_theory_may_know_the_expected_value_of_one_ranker_only() -> None:
    labels, offsets = [0, 0, 0, 2, 3, 0, 0, 0, 0, 0, 0, 0], [0, 4, 8, 12]
    a = [1.0, -0.4, 0.1, 0.7, 2.1, 1.0, 0.3, -1.4, 0.4, 2.1, -1.0, -0.6]
    b = [-1.1, -0.1, -0.4, 1.7, 3.8, 0.3, 0.3, 0.8, -1.0, -1.2, -2.5, -0.7]
    (only,) = distinguish(labels, {"a": a, "b": b}, ["ndcg@1"], offsets=offsets).pairs
    assert only.n_queries == 3


def test_text_explains_the_columns_that_fit_and_folds_what_is_not_the_answer() -> None:
    labels, a, b, offsets = drawn(20, 100)
    found = distinguish_two(labels, a, b, ["ndcg", "ndcg@10"], offsets=offsets)
    narrow, wide = found.to_text(width=76), found.to_text(width=76, reasons=True)
    hidden = narrow.split("Not shown in 76 columns: ")[1].split(". CSV")[0]
    assert "changes" in hidden
    assert "the lead changes" not in " ".join(narrow.split())
    assert "the lead changes" in " ".join(wide.split())
    assert "discount=log:2" in wide
    assert "discount=log:2" not in narrow
    (section,) = (each for each in found.page().sections() if each.folded)
    assert [*section.folded] == [section.parts[-1].title]
