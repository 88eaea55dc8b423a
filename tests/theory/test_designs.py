"""Hypotheses of theorems for a user's own discount and cutoff, and the search for a discount and a cutoff."""

import math
from typing import Any

import numpy as np
import pytest
from theory_models import GRADED

import idealrank as ir
from idealrank import theory
from idealrank.errors import DataError, OptionError
from idealrank.measures import cutoffs
from idealrank.theory.distinguishing.designs import honest_choice


def rising(s: Any) -> Any:
    return 0.25 + 0.5 * s


def flat(s: Any) -> Any:
    return 0.5 + 0 * s


@pytest.mark.parametrize(
    ("discount", "cutoff", "expected"),
    [
        ("ndcg", None, ("Theorem 4", "Theorem 6")),
        (lambda r: 1 / np.log(2 + r), None, ("Theorem 4", "Theorem 6")),
        ("power:0.4", None, ("Theorem 7", "Theorem 8")),
        (lambda r: 3 * r**-0.4, None, ("Theorem 7", "Theorem 8")),
        ("zipf", None, ("Theorem 9",)),
        ("geometric:2", None, ("Theorem 10",)),
        (lambda r: r**-1.5, None, ("Theorem 10",)),
        ("log", 10, ("Theorem 10",)),
        ("log", lambda n: 7, ("Theorem 10",)),
        ("log", "n^0.5", ("Theorem 11",)),
        ("log", lambda n: n**0.5, ("Theorem 11",)),
        ("zipf", lambda n: np.log(n), ("Theorem 11",)),
        ("zipf", 0.5, ()),
        ("ndcg@20%", None, ("Theorem 12",)),
        ("power:0.5", 0.2, ("Theorem 13",)),
        (lambda r: 1 / np.log(2 + np.log(1 + r)), None, ()),
    ],
)
def test_the_theorems_that_apply_with_and_without_curves(discount: Any, cutoff: Any, expected: Any) -> None:
    assert theory.check_theorems(discount, cutoff=cutoff).applies == expected
    assert theory.check_theorems(discount, rising, flat, cutoff).applies == expected


@pytest.mark.parametrize(
    ("discount", "cutoff", "expected"),
    [
        ("ndcg", None, ("Theorem 4",)),
        ("power:0.5", None, ("Theorem 14",)),
        ("zipf", None, ()),
        ("log", 10, ("Theorem 10",)),
        ("log", "n^0.5", ("Theorem 15",)),
        ("ndcg@30%", None, ("Theorem 16",)),
        ("power:0.5", 0.3, ("Theorem 17",)),
    ],
)
def test_gains_of_several_values_have_theorems_of_their_own(discount: Any, cutoff: Any, expected: Any) -> None:
    other = theory.GradedCurve({2: lambda s: 1 / 6 + 0 * s, 1: lambda s: 0.25 + 0 * s})
    found = theory.check_theorems(discount, GRADED, other, cutoff)
    assert found.applies == expected
    assert found.by_theorem["Theorem 7"][-1][1:] == ("labels are 0 or 1", False, "the gains are 2, 1, 0")
    assert all(expected[0] in line for line in found.page().findings if expected)
    if expected and expected[0] != "Theorem 10":  # the limits of the specification
        limits = {"Theorem 4": 1, "Theorem 14": 0.822462970867, "Theorem 15": 0.75, "Theorem 16": 0.7425}
        limits["Theorem 17"] = 0.726499353398
        assert theory.limit(discount, GRADED, cutoff) == pytest.approx(limits[expected[0]], abs=1e-9)


def test_the_theorem_that_applies_gives_the_limit() -> None:
    for name in ("ndcg", "power:0.5", "ndcg@20%", "ndcg@n^0.5", "zipf"):
        assert theory.check_theorems(name, rising, flat).applies
        assert math.isfinite(theory.limit(name, rising))
    for name in ("ndcg@10", "geometric"):
        assert theory.check_theorems(name).applies == ("Theorem 10",)
        with pytest.raises(OptionError, match="Theorem 10"):
            theory.limit(name, rising)


def steps(found: theory.TheoremCheck, theorem: str) -> dict[str, tuple[bool | None, str]]:
    return {each.text: (each.holds, each.step) for each in found.by_theorem[theorem]}


def test_steps_have_the_numbers_that_decide() -> None:
    bounded = steps(theory.check_theorems(lambda r: r**-2.0), "Theorem 10")
    ((holds, step),) = bounded.values()
    assert holds
    assert step.startswith("1.644 up to rank 1e3, 1.645 up to rank 1e6, 1.645 up to rank 1e9")  # pi^2 / 6
    harmonic = steps(theory.check_theorems("zipf", cutoff="n^0.5"), "Theorem 11")
    assert harmonic["k(n)/n tends to 0"] == (True, "k(1e3) = 31, k(1e6) = 1,000, k(1e9) = 31,622")
    assert harmonic["the sum of the discounts up to k(n) is unbounded"][1].startswith("7.485 up to rank 1e3, 14.39")


def test_hypotheses_about_curves_fail_where_they_should() -> None:
    same = steps(theory.check_theorems("ndcg", rising, rising), "Theorem 6")
    assert same["the curves differ on more than single points"] == (False, "the largest difference is 0")
    step = theory.StepCurve([0, 0.5, 1], [0.3, 0.7])
    jumps = steps(theory.check_theorems("ndcg", step, flat), "Theorem 6")["the curves are Hoelder continuous"]
    assert jumps[0] is False
    assert jumps[1].startswith("a jumps at s = 0.5")
    root = steps(theory.check_theorems("ndcg", lambda s: 0.75 * s**0.5, flat), "Theorem 6")
    assert root["the curves are Hoelder continuous"][1].startswith("exponents of about 0.50")
    # Equal limits under r^-1/2: a + b s + c s^2 with the same mean and the same weighted mean.
    crossing = theory.check_theorems("power:0.5", lambda s: 0.5 + 0.3 * (6 * s * s - 14 / 3 * s + 1 / 3), flat)
    text = "the limits of NDCG differ (the second condition in the paper does not suffice)"
    gap = theory.limit("power:0.5", lambda s: 0.5 + 0.3 * (6 * s * s - 14 / 3 * s + 1 / 3)) - theory.limit(
        "power:0.5", flat
    )
    assert steps(crossing, "Theorem 8")[text][0] is (abs(gap) > 1e-8)


def test_a_cutoff_that_is_neither_is_not_known() -> None:
    found = theory.check_theorems("log", cutoff=lambda n: np.where(np.log10(n) % 2 < 1, n / 2, 5))
    assert not found.applies
    assert "No theorem is known" in found.page().findings[0]


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(OptionError, match="both rankers"):
        theory.check_theorems("ndcg", rising)
    with pytest.raises(OptionError, match="at least 1 for every length"):
        theory.check_theorems("log", cutoff=lambda n: 0 * n)
    with pytest.raises(OptionError, match="increases at rank"):
        theory.check_theorems(lambda r: r)
    with pytest.raises(DataError):
        theory.check_theorems("ndcg", lambda s: 0 * s, flat)
    assert theory.check_theorems("log", cutoff=cutoffs.Power(0.5)).applies == ("Theorem 11",)


def test_the_ratio_on_the_other_half_is_honest_and_that_on_the_same_queries_is_not() -> None:
    """All 30 measures have the same signal to noise, 0.2: nothing can be gained by choosing."""
    rng = np.random.default_rng(0)
    honest, same = [], []
    for _ in range(60):
        differences = 0.2 + rng.normal(size=(80, 30))
        honest.append(honest_choice(differences, 10, rng).ratio)
        same.append(np.abs(differences.mean(axis=0) / differences.std(axis=0, ddof=1)).max())
    error = float(np.std(honest)) / math.sqrt(60)
    assert np.mean(honest) == pytest.approx(0.2, abs=4 * error + 0.01)
    assert np.mean(same) > 0.2 + 10 * error


def test_a_measure_that_is_better_is_chosen_and_its_ratio_is_found() -> None:
    rng = np.random.default_rng(1)
    differences = rng.normal(size=(400, 5)) + np.array([0.1, 0.1, -0.8, 0.1, 0.1])
    found = honest_choice(differences, 20, rng)
    assert (found.chosen == 2).all()
    assert found.ratio == pytest.approx(0.8, abs=0.15)
    assert found.reference == pytest.approx(0.1, abs=0.15)
    assert 0 < found.gain_interval[0] < 0.7 < found.gain_interval[1]


def test_the_search_measures_what_evaluate_does() -> None:
    qrels, runs = ir.datasets.search_runs(40)
    found = theory.search_design(
        qrels, runs["hybrid"], runs["bm25"], betas=[0, 0.5], cuts=[5, "n^0.5"], reference="ap", n_splits=5
    )
    assert found.measures[-1] == "ap"
    assert len(found.measures) == 5
    for place, name in enumerate(found.measures):
        a, b = (ir.evaluate(qrels, runs[each], name).per_query[name] for each in ("hybrid", "bm25"))
        assert found.signal[place] == pytest.approx((a - b).mean())
        assert found.ratios[place] == pytest.approx(abs((a - b).mean()) / (a - b).std(ddof=1))
    assert found.best_ratio == found.ratios.max()
    assert found.chosen.sum() == pytest.approx(1)
    assert "use other queries" in found.page().findings[-1]
    assert found.queries_needed is not None


def test_a_search_without_queries_or_differences_is_refused() -> None:
    qrels, runs = ir.datasets.search_runs(40)
    with pytest.raises(DataError, match="no measure sees a difference"):
        theory.search_design(qrels, runs["bm25"], runs["bm25"])
    with pytest.raises(DataError, match="four queries or more"):
        theory.search_design([1, 0], [1, 2], [2, 1])
    wrong: list[dict[str, Any]] = [{"betas": [-1]}, {"betas": ["x"]}, {"cuts": []}, {"n_splits": 0}]
    for options in wrong:
        with pytest.raises(OptionError):
            theory.search_design(qrels, runs["bm25"], runs["dense"], **options)
