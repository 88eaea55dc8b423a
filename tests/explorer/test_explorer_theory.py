"""The second tab's theory, in JavaScript, says what the library's theory says."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from idealrank import cutoffs, discounts, theory
from idealrank.theory.long_lists.limits import theorem_of
from idealrank.theory.long_lists.measure_discount import Weighting
from idealrank.theory.long_lists.steps import StepCurve

CUTOFFS: list[dict[str, float] | None] = [None, {"rank": 10}, {"fraction": 0.2}, {"power": 0.5}]
EXPONENTS: list[str | float] = ["log", 0, 0.3, 0.7, 1, 1.5]
N_STEPS = 20


def weighting(measure: dict[str, Any]) -> tuple[Any, Any]:
    discount = discounts.Log() if measure["discount"] == "log" else discounts.Power(float(measure["discount"]))
    match measure["cutoff"]:
        case {"rank": k}:
            return discount, cutoffs.Rank(k)
        case {"fraction": c}:
            return discount, cutoffs.Fraction(c)
        case {"power": p}:
            return discount, cutoffs.Power(p)
    return discount, None


def curve_of(page: Any, shape: list[float], mean: float) -> StepCurve:
    edges, steps = page.evaluate(
        "([shape, mean]) => { const c = theory.shaped(shape, mean); return [c.edges, c.steps[0]]; }", [shape, mean]
    )
    return StepCurve(edges, np.clip(steps, 0, 1))


SHAPES: list[tuple[list[float], list[float]]] = [
    (np.linspace(0.1, 1, N_STEPS).tolist(), [1.0] * N_STEPS),
    ((np.linspace(0.05, 1, N_STEPS) ** 3).tolist(), np.linspace(0.1, 1, N_STEPS).tolist()),
    ([0.2] * 10 + [0.8] * 9 + [0.5], [0.3] * 10 + [0.7] * 9 + [0.5]),  # the same top
    ([1.0] * N_STEPS, [1.0] * N_STEPS),
]


@pytest.mark.parametrize("number", range(len(SHAPES)))
def test_limits_gaps_chances_and_verdicts_are_those_of_the_library(visit: Callable[..., Any], number: int) -> None:
    page = visit("#tab=which")
    shapes = SHAPES[number]
    mean = 0.3
    a, b = (curve_of(page, shape, mean) for shape in shapes)
    assert a.mean == pytest.approx(mean, abs=1e-12)
    for exponent in EXPONENTS:
        for cutoff in CUTOFFS:
            measure = {"discount": exponent, "cutoff": cutoff}
            found = page.evaluate(
                """([measure, shapes, mean]) => {
                    const [a, b] = shapes.map((shape) => theory.shaped(shape, mean));
                    const gaps = [50, 1000].map((n) => theory.gap(measure, a, b, n));
                    return {
                        limits: [a, b].map((curve) => String(theory.limit(measure, curve))), gaps,
                        queries: String(theory.queriesNeeded(gaps[0])),
                        chance: String(theory.winProbability(measure, a, b)),
                        verdict: theory.verdict(measure, a, b), theorem: theory.theoremOf(measure),
                    };
                }""",
                [measure, list(shapes), mean],
            )
            discount, cut = weighting(measure)
            for curve, value in zip((a, b), found["limits"], strict=True):
                if value == "NaN":
                    with pytest.raises(ValueError, match="no limit"):
                        theory.limit(discount, curve, cut)
                else:
                    assert float(value) == pytest.approx(theory.limit(discount, curve, cut), abs=1e-12)
            for n, own in zip((50, 1000), found["gaps"], strict=True):
                wanted = theory.gap(discount, a, b, n, cut)
                assert own["mean"] == pytest.approx(wanted.mean, abs=1e-12), (measure, n)
                assert own["sd"] == pytest.approx(wanted.sd, abs=1e-7, rel=1e-9), (measure, n)
            needed = theory.queries_needed(discount, a, b, 50, cut)
            if abs(found["gaps"][0]["mean"]) > 1e-9:
                assert found["queries"] == ("Infinity" if needed is None else str(needed)), measure
            chance = theory.win_probability(discount, a, b, cut)
            own_chance = float(found["chance"].replace("NaN", "nan"))
            assert own_chance == pytest.approx(chance, abs=1e-9) or math.isnan(own_chance + chance), measure
            told = theory.verdict(discount, a, b, cut)
            for field in ("how", "reason", "theorem", "rate", "better"):
                assert found["verdict"][field] == getattr(told, field), (measure, field)
            assert found["theorem"] == theorem_of(Weighting.of(discount, cut))


def test_documents_needed_are_those_of_the_library(visit: Callable[..., Any]) -> None:
    page = visit("#tab=which")
    a, b = (curve_of(page, shape, 0.4) for shape in SHAPES[0])
    script = (
        "([measure, shapes]) => theory.documentsNeeded(measure, ...shapes.map((shape) => theory.shaped(shape, 0.4)))"
    )
    for exponent in ("log", 0.5, 0.9):
        for cutoff in (None, {"fraction": 0.2}, {"rank": 10}):
            measure = {"discount": exponent, "cutoff": cutoff}
            discount, cut = weighting(measure)
            wanted = theory.documents_needed(discount, a, b, cut).at_one_length
            assert page.evaluate(script, [measure, list(SHAPES[0])]) == wanted, measure


def test_a_long_list_is_summed_in_blocks_as_in_the_library(visit: Callable[..., Any]) -> None:
    page = visit("#tab=which")
    a, b = (curve_of(page, shape, 0.4) for shape in SHAPES[1])
    script = "([measure, shapes]) => theory.gap(measure, ...shapes.map((shape) => theory.shaped(shape, 0.4)), 300000)"
    for cutoff in (None, {"fraction": 0.2}):
        measure = {"discount": "log", "cutoff": cutoff}
        found = page.evaluate(script, [measure, list(SHAPES[1])])
        wanted = theory.gap(*weighting(measure)[:1], a, b, 300_000, weighting(measure)[1])
        assert found["mean"] == pytest.approx(wanted.mean, rel=1e-6)
        assert found["sd"] == pytest.approx(wanted.sd, rel=1e-6)


def test_fitted_curves_are_those_of_the_library(visit: Callable[..., Any]) -> None:
    rng = np.random.default_rng(5)
    page = visit("#tab=which")
    for n_queries, n_docs in ((1, 40), (7, 300), (3, 5000)):
        sizes = rng.integers(n_docs // 2, n_docs + 1, n_queries)
        queries = [
            {"gains": rng.choice([0.0, 0.0, 1.0, 3.0], n).tolist(), "scores": rng.normal(size=n).round(1).tolist()}
            for n in sizes
        ]
        labels, scores = (np.concatenate([query[name] for query in queries]) for name in ("gains", "scores"))
        wanted = StepCurve.fit(labels, scores, np.append(0, np.cumsum(sizes)), method="top")
        edges, levels, steps = page.evaluate(
            "queries => { const c = theory.fitted(queries); return [c.edges, c.levels, c.steps]; }", queries
        )
        assert edges == pytest.approx(wanted.edges.tolist(), abs=1e-15)
        assert levels == list(wanted.levels)
        assert np.abs(np.array(steps) - wanted.steps).max() < 1e-9
