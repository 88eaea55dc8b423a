"""All pairs are compared at once; every number is that of the functions for one pair, in all digits."""

import math
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

import idealrank as ir
from idealrank import stats
from idealrank._core.exact import UNBOUNDED, Moments, WeightedMoments, linearized
from idealrank._typing import Floats
from idealrank.comparison.comparison_result import Comparison, Difference
from idealrank.stats.intervals import difference_interval

N_SYSTEMS = 6
Draw = Callable[[np.random.Generator, int, int], Floats]
VALUES: dict[str, Draw] = {
    "any": lambda rng, n, i: rng.random(n),
    "with ties": lambda rng, n, i: rng.integers(0, 5, n) / 10,
    "only 0 and 1": lambda rng, n, i: rng.integers(0, 2, n).astype(float),
    "equal": lambda rng, n, i: np.linspace(0, 1, n),
    "a constant apart": lambda rng, n, i: np.full(n, 0.1 * i),
    "missing anywhere": lambda rng, n, i: np.where(rng.random(n) < 0.2, np.nan, rng.random(n)),
    "missing on the same queries": lambda rng, n, i: np.where(np.arange(n) % 3 == 0, np.nan, rng.random(n)),
    "a system without values": lambda rng, n, i: np.full(n, np.nan) if i == 1 else rng.random(n),
    "tiny": lambda rng, n, i: 1e-160 * rng.random(n),
    "beyond the range": lambda rng, n, i: 5 * rng.normal(size=n),
}


def compared(values: Draw, n: int, measure: str, weights: Floats | None) -> Comparison:
    """Compare systems that have these values."""
    rng = np.random.default_rng(n)
    qrels = {f"q{j:03}": {"a": 1, "b": 0} for j in range(n)}
    runs = {f"s{i}": {query: {"a": 1.0, "b": 2.0} for query in qrels} for i in range(N_SYSTEMS)}
    evaluated = ir.evaluate(qrels, runs, measure, query_weights=weights)
    drawn = {
        name: replace(each, per_query={measure: values(rng, n, i)}) for i, (name, each) in enumerate(evaluated.items())
    }
    return ir.compare(drawn)


def expected(a: Floats, b: Floats, each: Difference, weights: Floats | None, *, lower: bool) -> Difference:
    """Return the comparison of one pair by the functions for one; the corrected p-value is the given one."""
    differences, limits = a - b, UNBOUNDED if lower else (-1.0, 1.0)
    known = ~np.isnan(differences)
    counted = known if weights is None else known & (weights > 0)
    effect, spread, p_value = stats.effect_size(a[counted], b[counted]), differences[known], stats.t_test(a, b).p_value
    moments = Moments.of(differences[known], value_range=limits)
    if weights is not None:
        spread = linearized(differences[counted], weights[counted])
        standardized = stats.effect_size(spread, np.zeros(spread.size))
        effect = replace(effect, cohen_dz=standardized.cohen_dz, hedges_g=standardized.hedges_g)
        moments = WeightedMoments(differences[counted], weights[counted], value_range=limits)
        p_value = each.p_value
    if lower:
        effect = replace(effect, wins=effect.losses, losses=effect.wins, common_language=1 - effect.common_language)
    interval = difference_interval(moments, int(np.count_nonzero(differences[counted])), 0.95)
    left_out = stats.t_test(a, b).note.split("; ")[0] if not known.all() else ""
    interval = replace(interval, note="; ".join(filter(None, (left_out, interval.note))))
    order = sorted(np.flatnonzero(known & (differences != 0)).tolist(), key=lambda place: -abs(differences[place]))
    moved = tuple((f"q{place:03}", float(differences[place])) for place in order[:5])
    note = interval.note.replace("all queries have the same value", "the difference is the same on every query")
    detectable = stats.minimum_detectable_effect(spread)
    numbers = interval.mean, interval, p_value, each.corrected, effect, detectable, moved, note
    return Difference(each.system, each.against, *numbers)


@pytest.mark.parametrize("weighting", ["no weights", "equal weights", "weights, some of them 0"])
@pytest.mark.parametrize("n", [1, 2, 3, 8, 50])
@pytest.mark.parametrize("values", VALUES)
def test_every_number_of_all_pairs_is_that_of_one_pair(values: str, n: int, weighting: str) -> None:
    weights = {"no weights": None, "equal weights": np.full(n, 2.0)}.get(weighting, np.arange(n, 0.0, -1) % 4)
    measure = "pairwise_error" if n == 8 else "ndcg@10"  # lower is better, without a range; and the opposite
    found = compared(VALUES[values], n, measure, weights)
    matrix = found.values[measure]
    pairs = list(combinations(range(N_SYSTEMS), 2))
    for (i, j), each in zip(pairs, found.differences[measure], strict=True):
        one = expected(matrix[:, i], matrix[:, j], each, weights, lower=n == 8)
        assert repr(each) == repr(one)  # all digits, and NaN is NaN
        assert (each.system, each.against) == (f"s{i}", f"s{j}")
    corrected = stats.holm([each.p_value for each in found.differences[measure]])
    assert repr([each.corrected for each in found.differences[measure]]) == repr(corrected.tolist())


def test_pairs_are_compared_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    at_once = compared(VALUES["missing anywhere"], 50, "ndcg@10", None)
    monkeypatch.setattr("idealrank.comparison.compare._AT_ONCE", 200)
    in_blocks = compared(VALUES["missing anywhere"], 50, "ndcg@10", None)
    assert repr(in_blocks.differences) == repr(at_once.differences)


def test_ordinary_differences_need_no_slow_sums(monkeypatch: pytest.MonkeyPatch) -> None:
    sums: list[Floats] = []
    add = Moments.add

    def counted(self: Moments, values: Floats) -> None:
        sums.append(values)
        add(self, values)

    monkeypatch.setattr(Moments, "add", counted)
    for values in ("any", "with ties", "equal", "a constant apart", "beyond the range"):
        found = compared(VALUES[values], 50, "ndcg@10", None)
        assert all(math.isfinite(each.difference) for each in found.differences["ndcg@10"])
    assert len(sums) <= 5 * N_SYSTEMS  # of the means of systems
