"""Random checks of theory against calculations that share no code with it.

``tests/theory/test_held_out.py`` runs a few of each kind. To run many, on lists of up to a million documents::

    PYTHONPATH=tests python tests/theory_held_out.py --limits 200 --pairs 75 --excess 1000 --growths 10000 --seed 1
"""

from __future__ import annotations

import argparse
import math
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import integrate, special
from theory_models import Logarithm

from idealrank import losses, theory
from idealrank._typing import Floats
from idealrank.errors import OptionError
from idealrank.measures import cutoffs, discounts
from idealrank.measures import measure as parse
from idealrank.theory import StepCurve
from idealrank.theory.distinguishing.growing_lists import prefix_values
from idealrank.theory.long_lists.measure_discount import Weighting

__all__ = [
    "MODELS",
    "check_certificates",
    "check_excess_risk",
    "check_limits",
    "check_verdicts",
    "growths",
    "lists_of_pair",
]


@dataclass(frozen=True)
class Weights:
    """A discount that is r^-beta (log r)^-logs on long lists, and a cutoff."""

    discount: Any
    beta: float
    logs: float
    cutoff: Any = None
    linear: bool = False

    def __str__(self) -> str:
        named = f"r^-{self.beta:.3g} log^-{self.logs:g}" if callable(self.discount) else str(self.discount)
        return f"{named}@{self.cutoff}"

    @property
    def end(self) -> float:
        """The place of the last document that counts."""
        return self.cutoff if isinstance(self.cutoff, float) else 1.0

    @property
    def reach(self) -> str:
        """What decides on long lists: "few" ranks, the "top", or the "list"."""
        bounded = self.beta > 1 or (self.beta == 1 and self.logs > 1)
        if bounded or isinstance(self.cutoff, int):
            return "few"
        return "list" if self.cutoff is None or (isinstance(self.cutoff, float) and self.beta < 1) else "top"


def own(beta: float, logs: float) -> Callable[[Floats], Floats]:
    """The discount r^-beta (log r)^-logs, made monotone at the first ranks."""
    return lambda r: r**-beta / np.log(1 + r + (10 if logs < 0 else 0)) ** logs


def draw_discount(rng: np.random.Generator) -> Weights:
    beta = round(float(rng.uniform(0.1, 0.9)), 3)
    logs = float(rng.choice([-1, 0.5, 1, 2] if beta > 0.5 else [0.5, 1, 2]))  # r^-0.1 log(r) would increase
    base, steep = float(rng.choice([1.5, 2.0, 3.0])), round(float(rng.uniform(1.2, 2.5)), 3)
    table = discounts.Table(np.sort(rng.uniform(0.1, 1, 5))[::-1].tolist())
    drawn = [
        Weights("log", 0, 1),
        Weights("letor", 0, 1),
        Weights(own(0, abs(logs)), 0, abs(logs)),
        Weights(discounts.Power(beta), beta, 0),
        Weights(own(beta, logs), beta, logs),
        Weights("zipf", 1, 0),
        Weights(own(1, abs(logs) / 2), 1, abs(logs) / 2),
        Weights(discounts.Geometric(base), math.inf, 0),
        Weights(discounts.Power(steep), steep, 0),
        Weights(own(1, 2), 1, 2),
        Weights(table, math.inf, 0),
        Weights("linear", 0, 0, linear=True),
        Weights(discounts.Power(0.0), 0, 0),
    ]
    chances = np.array([2, 1, 2, 3, 4, 1, 1, 1, 1, 0.5, 0.5, 0.7, 0.3])
    return drawn[rng.choice(len(drawn), p=chances / chances.sum())]


def draw_weights(rng: np.random.Generator) -> Weights:
    fraction, power = round(float(rng.uniform(0.05, 0.8)), 3), round(float(rng.uniform(0.3, 0.65)), 2)
    cutoff = [None, fraction, f"n^{power:g}", int(rng.integers(1, 31)), Logarithm()]
    return replace(draw_discount(rng), cutoff=cutoff[rng.choice(5, p=[0.45, 0.25, 0.15, 0.1, 0.05])])


def draw_shares(rng: np.random.Generator) -> dict[float, float]:
    """The share of each gain: one gain, or three."""
    if rng.random() < 0.6:
        return {1.0: float(rng.uniform(0.1, 0.7))}
    shares = 0.02 + 0.92 * rng.dirichlet([2, 2, 2, 4])
    return dict(zip([7.0, 3.0, 1.0], shares.tolist(), strict=False))


def draw_edges(rng: np.random.Generator, n_steps: int, *inside: float) -> Floats:
    """Edges in u, from 0 at the top to 1, at least 0.03 apart."""
    while True:
        edges = np.unique([0.0, 1.0, *inside, *rng.uniform(0.03, 0.97, n_steps - 1 - len(inside))])
        if np.diff(edges).min() >= 0.03:
            return edges


def curve_of(edges: Floats, rows: dict[float, Floats]) -> StepCurve:
    """A curve from edges and values in u, 0 at the top."""
    return StepCurve(1 - edges[::-1], {level: row[::-1] for level, row in rows.items()})


def shifted(edges: Floats, shares: dict[float, float], shape: Floats) -> StepCurve:
    """A curve with these shares that deviates by a shape with mean 0, so little that two of them can be added."""
    total = sum(shares.values())
    scale = 0.5 * min(1.0, (1 - total) / total) / max(np.abs(shape).max(), 1e-9)
    return curve_of(edges, {level: share * (1 + scale * shape) for level, share in shares.items()})


def orthogonal(rng: np.random.Generator, rows: Floats) -> Floats:
    """A random vector that is orthogonal to the rows."""
    drawn = rng.standard_normal(rows.shape[1])
    basis, _ = np.linalg.qr(rows.T)
    return drawn - basis @ (basis.T @ drawn)


def on_steps(edges: Floats, beta: float, order: int = 0, end: float = 1.0) -> Floats:
    """The integrals of u^-beta (log u)^order over the steps, up to ``end``."""
    ends = np.minimum(edges, end)
    return np.array(
        [
            integrate.quad(lambda x: x**order * math.exp((1 - beta) * x), low, high, epsabs=1e-15, epsrel=1e-13)[0]
            for low, high in zip(np.log(np.maximum(ends[:-1], 1e-300)), np.log(ends[1:]), strict=True)
        ]
    )


@dataclass(frozen=True)
class Pair:
    """Two rankers of the same documents: curves with values on steps, in u."""

    kind: str
    a: StepCurve
    b: StepCurve
    shares: dict[float, float]


def draw_pair(rng: np.random.Generator, weights: Weights, kind: str | None = None) -> Pair:
    """Curves with different limits, with equal ones under these weights, equal tops, or equal up to a cutoff.

    In "equal limits, unequal tops", which is not drawn, the tops differ as much as they can.
    """
    shares = draw_shares(rng)
    kind = kind or str(
        rng.choice(["different", "equal limits", "equal tops", "equal up to the cutoff"], p=[0.4, 0.35, 0.15, 0.1])
    )
    end = weights.end
    edges = draw_edges(rng, 7, *([end] if end < 1 else []))
    if kind == "equal limits, unequal tops":
        edges = np.insert(edges, 1, 0.01)
    widths = np.diff(edges)
    flat = np.zeros_like(widths)
    if kind == "different" or (kind == "equal up to the cutoff" and end > 0.9):
        one, other = (shifted(edges, shares, orthogonal(rng, widths[None])) for _ in "ab")
        return Pair("different", one, other, shares)
    if kind == "equal tops":
        fixed = np.array([widths, np.eye(widths.size)[0]])
        return Pair(kind, shifted(edges, shares, orthogonal(rng, fixed)), shifted(edges, shares, flat), shares)
    if kind == "equal up to the cutoff":
        above = np.eye(widths.size)[edges[1:] <= end + 1e-12]
        shape = orthogonal(rng, np.vstack([widths, above])) if above.shape[0] < widths.size - 1 else flat
        return Pair(kind, shifted(edges, shares, shape), shifted(edges, shares, flat), shares)
    beta = min(weights.beta, 0.95)
    fixed = np.array([widths, on_steps(edges, beta, 0, end)])
    if weights.logs and rng.random() < 0.3:
        fixed = np.vstack([fixed, on_steps(edges, beta, 1, end)])
    a, b = orthogonal(rng, fixed), orthogonal(rng, fixed)
    if kind == "equal limits, unequal tops":
        basis, _ = np.linalg.qr(fixed.T)
        a = float(rng.choice([-1, 1])) * (np.eye(widths.size)[0] - basis @ basis[0])
        return Pair(kind, shifted(edges, shares, a), shifted(edges, shares, -a), shares)
    return Pair(kind, shifted(edges, shares, a), shifted(edges, shares, b if rng.random() < 0.5 else flat), shares)


def gain_steps(curve: StepCurve) -> tuple[Floats, Floats]:
    """The edges in u, and the expected gain on each step from the top."""
    return 1 - curve.edges[::-1], (np.asarray(curve.levels) @ curve.steps)[::-1]


def ideal_steps(curve: StepCurve) -> tuple[Floats, Floats]:
    """The same of the ideal ranking: the best gain first."""
    edges = np.concatenate(([0.0], np.cumsum(curve.steps @ np.diff(curve.edges))))
    return np.append(edges, 1.0), np.append(curve.levels, 0.0)


def weighted(weights: Weights, steps: tuple[Floats, Floats], log_n: float) -> float:
    """The sum over a list of n documents of gain and discount, over D(n), as an integral over x = log u."""
    total = 0.0
    for low, high, gain in zip(steps[0][:-1], np.minimum(steps[0][1:], weights.end), steps[1], strict=True):
        if low < high and gain != 0:
            total += gain * _on_step(weights, low, high, log_n)
    return total


def _on_step(weights: Weights, low: float, high: float, log_n: float) -> float:
    beta, logs = weights.beta, weights.logs
    if weights.linear:
        return (high - low) - (high**2 - low**2) / 2
    if beta == 1:
        first = math.log(2)  # the sum begins at rank 1, where log(1 + r) is log 2
        begin, end = (max(log_n + math.log(place), first) if place else first for place in (low, high))
        if logs == 1:
            return log_n * (math.log(end) - math.log(begin))
        return float(log_n**logs * (end ** (1 - logs) - begin ** (1 - logs)) / (1 - logs))

    def density(x: float) -> float:
        return float((1 + x / log_n) ** -logs * math.exp((1 - beta) * x))

    start = math.log(low) if low else math.log(high) - 60 / (1 - beta)
    return float(integrate.quad(density, start, math.log(high), epsabs=1e-15, epsrel=1e-13, limit=200)[0])


def limit_of(weights: Weights, curve: StepCurve) -> float:
    """The limit of NDCG, extrapolated from lists of up to exp(10^5) documents and more."""
    if isinstance(weights.cutoff, (str, cutoffs.Cutoff)):
        # The sum over the ranks that count, on a list so long that these are a million, or 40 of log2(n).
        n = 2.0**40 if isinstance(weights.cutoff, cutoffs.Cutoff) else 1e6 ** (1 / float(weights.cutoff[2:]))
        values = Weighting.of(weights.discount).discount(np.arange(1.0, 41 if n == 2.0**40 else 1e6 + 1), int(n))
        (edges, gains), (ideal, best) = gain_steps(curve), ideal_steps(curve)
        places = (np.arange(values.size) + 0.5) / n
        at = [row[np.searchsorted(cut, places, side="right") - 1] for cut, row in ((edges, gains), (ideal, best))]
        return float(values @ at[0] / (values @ at[1]))

    def share(log_n: float) -> float:
        return weighted(weights, gain_steps(curve), log_n) / weighted(weights, ideal_steps(curve), log_n)

    if weights.beta == 1:
        # In powers of 1/log(log n), or of log(n)^(logs - 1).
        small = np.array([1.0, 2.0, 4.0, 8.0]) * (1 / 600 if weights.logs == 1 else 1e-4)
        sizes = np.exp(1 / small) if weights.logs == 1 else small ** (-1 / (1 - weights.logs))
    else:
        sizes = 1e5 / np.array([1.0, 2.0, 4.0, 8.0])
        small = 1 / sizes
    found = np.array([share(size) for size in sizes.tolist()])
    return float(np.polynomial.polynomial.polyfit(small / small[0], found, 3)[0])


def check_limits(times: int, seed: int) -> Iterator[str]:
    """Compare `limit` with extrapolated integrals and sums, and yield what differs."""
    rng = np.random.default_rng(seed)
    for number in range(times):
        weights, shares, edges = draw_weights(rng), draw_shares(rng), draw_edges(rng, int(rng.integers(1, 7)))
        widths = np.diff(edges)
        curve = shifted(edges, shares, orthogonal(rng, widths[None]))
        given: Any = curve
        if rng.random() < 0.3:  # as functions, whose jumps must be found
            given = {level: StepCurve(curve.edges, row) for level, row in zip(curve.levels, curve.steps, strict=True)}
        where = f"limit {number}: {weights}, {curve}"
        if weights.reach == "few":
            try:
                value = theory.limit(weights.discount, given, weights.cutoff)
            except OptionError:
                continue
            yield f"{where}: the limit {value} where NDCG stays random"
        found, expected = theory.limit(weights.discount, given, weights.cutoff), limit_of(weights, curve)
        if not abs(found - expected) < 1e-6:
            yield f"{where}: {found} instead of {expected}"


def simulated(pair: Pair, weights: list[Weights], n: int, times: int, rng: np.random.Generator) -> Floats:
    """DCG(A) - DCG(B) on drawn lists, over the ideal of the expected labels: of shape (times, weights).

    A document at place u of A and v of B has a gain with the probability a(u) + b(v) - share.
    """
    vectors = []
    for each in weights:
        weighting = Weighting.of(each.discount, each.cutoff)
        values = np.zeros(n)
        values[: weighting.depth(n)] = weighting.weights(n)
        vectors.append(values)
    table = np.array(vectors)
    levels = np.array(sorted(pair.shares, reverse=True))
    share = np.array([pair.shares[level] for level in levels])[:, None]
    found = np.empty((times, len(weights)))
    for row in range(times):
        at_a, at_b = (np.cumsum(rng.standard_exponential(n + 1)) for _ in "ab")
        chances_a, chances_b = (
            pair.a.probabilities(1 - at_a[:-1] / at_a[-1]),
            pair.b.probabilities(1 - at_b[:-1] / at_b[-1]),
        )
        place = rng.permutation(n)  # of A's documents in B's list
        ends = np.cumsum(chances_a + chances_b[:, place] - share, axis=0)
        gains = np.append(levels, 0.0)[(rng.random(n) >= ends).sum(axis=0)]
        moved = np.empty_like(gains)
        moved[place] = gains
        found[row] = table @ (gains - moved)
    return found


def expected_gap(pair: Pair, weights: Weights, n: int) -> float:
    """The expectation of DCG(A) - DCG(B), with every document at the middle of its place."""
    weighting = Weighting.of(weights.discount, weights.cutoff)
    values = weighting.weights(n)
    places = (np.arange(values.size) + 0.5) / n
    (edges_a, gains_a), (edges_b, gains_b) = gain_steps(pair.a), gain_steps(pair.b)
    at_a, at_b = (
        row[np.searchsorted(cut, places, side="right") - 1] for cut, row in ((edges_a, gains_a), (edges_b, gains_b))
    )
    return float(values @ (at_a - at_b))


def leads(pair: Pair, weights: Weights) -> str | None:
    """The ranker that is ahead on lists of exp(3000) documents; None if neither is."""
    a, b = (weighted(weights, gain_steps(each), 3000.0) for each in (pair.a, pair.b))
    scale = weighted(weights, ideal_steps(pair.a), 3000.0)
    return None if abs(a - b) < 1e-11 * scale else "a" if a > b else "b"


#: How many lists of each length are drawn for a pair.
LISTS = {10_000: 200, 100_000: 60, 1_000_000: 12}


def check_verdicts(
    pairs: int, seed: int, lists: dict[int, int] = LISTS, outcomes: Counter[str] | None = None
) -> Iterator[str]:
    """Compare `verdict` and `win_probability` with simulated lists, under four weightings per pair of curves."""
    rng = np.random.default_rng(seed)
    for number in range(pairs):
        weights = [draw_weights(rng) for _ in range(4)]
        if number % 4 == 0:  # the rarest of all: equal limits, decided by chance at the top
            beta = round(float(rng.uniform(0.6, 0.85)), 3)
            weights[0] = Weights(discounts.Power(beta), beta, 0)
        pair = draw_pair(rng, weights[0], None if number % 4 else "equal limits, unequal tops")
        drawn = {n: simulated(pair, weights, n, times, rng) for n, times in lists.items()}
        for column, each in enumerate(weights):
            where = f"pair {number} ({pair.kind}): {each}"
            found = theory.verdict(each.discount, pair.a, pair.b, each.cutoff)
            chance = theory.win_probability(each.discount, pair.a, pair.b, each.cutoff)
            if outcomes is not None:
                outcomes[found.how] += 1
            seen = {n: values[:, column] for n, values in drawn.items()}
            for wrong in _wrong(pair, each, found, chance, seen):
                yield f"{where}: {wrong}; {found}, {chance:.4f}"


def _wrong(pair: Pair, weights: Weights, found: Any, chance: float, seen: dict[int, Floats]) -> Iterator[str]:
    """What a verdict says that simulated lists or integrals refute."""
    decided = {"consistently": (0.0, 1.0), "no": (0.5,)}.get(found.how)
    if decided is not None and chance not in decided:
        yield "the verdict and the probability to win disagree"
    if found.how == "consistently" and chance != (found.better == "a"):
        yield "the probability to win names the other ranker"
    if found.how == "consistently" and weights.reach == "list" and leads(pair, weights) != found.better:
        yield f"on very long lists {leads(pair, weights)} is ahead"
    for n, values in seen.items():
        won = float(np.mean((np.sign(values) + 1) / 2))
        if chance in (0.0, 1.0):
            # On lists of n documents: a normal deviate with the mean of the middles and the spread that was drawn.
            sd = float(values.std(ddof=1))
            expected = float(special.ndtr(expected_gap(pair, weights, n) / sd)) if sd else 0.5
        elif math.isnan(chance):
            continue
        else:
            expected = chance
        error = 4.5 * math.sqrt(max(expected * (1 - expected), 1 / values.size) / values.size) + 0.03
        if abs(won - expected) > error:
            yield f"A wins {won:.3f} of {values.size} lists of {n:,}, not {expected:.3f} +- {error:.3f}"


def lists_of_pair(a: StepCurve, b: StepCurve, names: list[Any], n: int, times: int, seed: int) -> Floats:
    """NDCG(A) - NDCG(B) on drawn lists, with the ideal of the expected labels: of shape (times, measures)."""
    weights = [Weights(discount, 0, 0, cutoff) for discount, cutoff in names]
    shares = dict(zip(a.levels, a.shares.tolist(), strict=True))
    drawn = simulated(Pair("given", a, b, shares), weights, n, times, np.random.default_rng(seed))
    places = (np.arange(n) + 0.5) / n
    edges, gains = ideal_steps(a)
    best = gains[np.searchsorted(edges, places, side="right") - 1]
    ideals = []
    for each in weights:
        values = Weighting.of(each.discount, each.cutoff).weights(n)
        ideals.append(float(values @ best[: values.size]))
    return drawn / ideals


#: Pairs of curves with a mean of 1/2, whose sum minus 1/2 is a probability.
MODELS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "flat": ((lambda s: 0.35 + 0.3 * s), (lambda s: 0.5 + 0 * s)),
    "steep": ((lambda s: 0.1 + 0.8 * s), (lambda s: 0.5 + 0 * s)),
    "reversed": ((lambda s: 0.4 + 0.2 * s), (lambda s: 0.6 - 0.2 * s)),
}


def growths(
    a: Callable[[Any], Any], b: Callable[[Any], Any], begins: dict[str, int | None], longest: int, times: int, seed: int
) -> dict[str, float]:
    """The share of growing lists on which A is not ahead at some length from the beginning of each measure on."""
    rng, wrong = np.random.default_rng(seed), dict.fromkeys(begins, 0)
    measures = [parse(name) for name in begins]
    for done in range(0, times, 50):
        lists = min(50, times - done)
        u, v = rng.random((2, lists * longest))
        labels = (rng.random(u.size) < a(u) + b(v) - 0.5).astype(np.float64)
        sizes = np.arange(min(n for n in begins.values() if n is not None), longest + 1)
        sizes = sizes[(sizes < 2000) | (sizes % 5 == 0)]
        offsets = np.arange(0, u.size + 1, longest)
        first, second = prefix_values(measures, labels, [u, v], offsets, sizes)
        for row, (name, begin) in enumerate(begins.items()):
            behind = ~(first[row] > second[row])[:, sizes >= (begin or longest)]
            wrong[name] += int(behind.any(axis=1).sum())
    return {name: count / times for name, count in wrong.items()}


def check_certificates(times: int, seed: int, delta: float = 0.05) -> Iterator[str]:
    """Compare `certificate` with growing lists, and print how often the order is wrong from its length on."""
    if not times:
        return
    for model, (a, b) in MODELS.items():
        names = ("ndcg", "ndcg(discount=power:0.3)", "ndcg(discount=power:0.5)", "ndcg@20%", "ndcg@50%")
        begins = {name: theory.certificate(name, a, b, delta=delta).n for name in names}
        longest = 4 * max(n for n in begins.values() if n is not None)
        for name, share in growths(a, b, begins, longest, times, seed).items():
            print(f"certificate of {name}, {model} curves: wrong from {begins[name]:,} on in {share:.2%} of lists")
            if share > delta:
                yield f"{name}, {model} curves: wrong from {begins[name]} on in {share:.2%} of lists, not {delta:.0%}"


def check_excess_risk(times: int, seed: int) -> Iterator[str]:
    """Compare the bounds of Theorems 10 and 11 of Ravikumar et al. 2011 with the regret of drawn scores."""
    rng = np.random.default_rng(seed)
    made: list[tuple[Any, Any]] = [
        (losses.LeastSquares(normalizer="dcg"), None),
        (losses.Bregman(psi="pnorm:1.3"), None),
        (losses.Bregman(psi="pnorm:1.7", link="scale:2"), None),
        (losses.Bregman(psi="squared"), (0.5, math.inf)),
        (losses.CrossEntropy(normalizer="dcg"), None),
    ]
    for number in range(times):
        loss, convexity = made[int(rng.integers(len(made)))]
        n, n_vectors, k = int(rng.integers(2, 6)), int(rng.integers(1, 5)), rng.choice([0, 1, 2, 3])
        cutoff = int(min(k, n)) or None
        loss = replace(loss, normalizer=cutoff or "dcg")
        chances = rng.dirichlet(np.ones(n_vectors))
        vectors = rng.integers(0, 5, (n_vectors, n)).astype(np.float64)
        if isinstance(loss, losses.CrossEntropy):
            vectors += 1  # its best scores are logarithms
        vectors[:, 0] += vectors.sum(axis=1) == 0
        target = theory.fisher_target(chances, vectors, cutoff=cutoff)
        best = _scores(loss, target)
        fitted = np.clip(target * np.exp(rng.normal(0, rng.choice([0.01, 0.1, 1.0]), n)), 1e-3, 1)
        scores = _scores(loss, fitted)
        cut = np.arange(n_vectors + 1) * n

        def risk(
            at: Floats, loss: Any = loss, vectors: Floats = vectors, chances: Floats = chances, cut: Any = cut
        ) -> float:
            return float(chances @ loss(vectors.ravel(), np.tile(at, chances.size), cut)[0])

        excess = max(0.0, risk(scores) - risk(best))
        total = float(max(fitted.sum(), target.sum())) if isinstance(loss, losses.CrossEntropy) else None
        bound = theory.excess_risk_bound(loss, excess, n, cutoff=cutoff, convexity=convexity, total=total)
        lost = float(theory.regret(scores, chances, vectors, cutoff=cutoff))
        if lost > bound + 1e-9:
            yield f"excess {number}: {loss} with n = {n}, k = {cutoff} loses {lost}, more than the bound {bound}"


def _scores(loss: Any, fitted: Floats) -> Floats:
    """The scores whose image under the link is this."""
    if isinstance(loss, losses.Bregman):
        scores: Floats = loss.best_scores(fitted, np.array([0, fitted.size]))
        return scores
    return np.log(fitted) if isinstance(loss, losses.CrossEntropy) else fitted


def main() -> int:
    parser = argparse.ArgumentParser(description="Random checks of theory; the exit code is 1 if something disagrees.")
    for name, number in (("limits", 23), ("pairs", 75), ("excess", 1000), ("growths", 0), ("seed", 1)):
        parser.add_argument(f"--{name}", type=int, default=number)
    options = parser.parse_args()
    outcomes: Counter[str] = Counter()
    wrong = 0
    checks = {
        f"{options.limits} limits": check_limits(options.limits, options.seed),
        f"{4 * options.pairs} verdicts": check_verdicts(options.pairs, options.seed, outcomes=outcomes),
        f"{options.excess} excess risks": check_excess_risk(options.excess, options.seed),
        f"certificates on {options.growths} growing lists": check_certificates(options.growths, options.seed),
    }
    for name, found in checks.items():
        listed = list(found)
        wrong += len(listed)
        print(*listed, sep="\n", end="\n" * bool(listed))
        print(f"{name}: {len(listed)} disagree")
    print("verdicts:", dict(outcomes))
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
