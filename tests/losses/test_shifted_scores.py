"""Losses that depend only on differences of scores, against sums over all pairs with 60 digits."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal, localcontext

import numpy as np
import pytest

import idealrank as ir
from idealrank._typing import Floats
from idealrank.losses import Loss

SHIFTS = [0.0, 1.0, -1e6, 1e15, -1e15, 1e20, 1e300]


def list_mle(
    labels: list[float], s: list[Decimal], w: list[Decimal], ties: str = "together"
) -> tuple[Decimal, list[Decimal]]:
    value, gradient = Decimal(0), [Decimal(0)] * len(s)
    for i in range(len(s)):
        chosen_from = [
            j
            for j in range(len(s))
            if labels[j] < labels[i] or (labels[j] == labels[i] and (ties == "together" or j >= i))
        ]
        top = max(s[j] for j in chosen_from)
        exps = {j: (s[j] - top).exp() for j in chosen_from}
        total = sum(exps.values(), Decimal(0))
        value += w[i] * (total.ln() + (top - s[i]))
        for j in chosen_from:
            gradient[j] += w[i] * exps[j] / total
        gradient[i] -= w[i]
    return value, gradient


def cross_entropy(labels: list[float], s: list[Decimal], w: list[Decimal]) -> tuple[Decimal, list[Decimal]]:
    target = [wi * (Decimal(y) - Decimal(max(labels))).exp() for y, wi in zip(labels, w, strict=True)]
    target = [t / sum(target) for t in target]
    exps = [(x - max(s)).exp() for x in s]
    logs = [(x - max(s)) - sum(exps, Decimal(0)).ln() for x in s]
    value = sum((t * (t.ln() - q) for t, q in zip(target, logs, strict=True) if t > 0), Decimal(0))
    return value, [q.exp() - t for t, q in zip(target, logs, strict=True)]


def push(labels: list[float], s: list[Decimal], w: list[Decimal], p: int = 4) -> tuple[Decimal, list[Decimal]]:
    n = len(s)
    above = {k: [i for i in range(n) if labels[i] > labels[k] and w[i] > 0] for k in range(n)}
    above = {k: better for k, better in above.items() if better}
    if not above:
        return Decimal(0), [Decimal(0)] * n
    far = max(s[k] - min(s[i] for i in better) for k, better in above.items())
    inner = {k: sum((w[i] * (s[k] - s[i] - far).exp() for i in better), Decimal(0)) for k, better in above.items()}
    total = sum((x**p for x in inner.values()), Decimal(0))
    even = sum((sum((w[i] for i in better), Decimal(0)) ** p for better in above.values()), Decimal(0))
    gradient = [Decimal(0)] * n
    for k, better in above.items():
        share = inner[k] ** p / total
        gradient[k] += share
        for i in better:
            gradient[i] -= share * w[i] * (s[k] - s[i] - far).exp() / inner[k] if inner[k] > 0 else 0
    return far + (total / even).ln() / p, gradient


ORACLES: dict[str, Callable[[list[float], list[Decimal], list[Decimal]], tuple[Decimal, list[Decimal]]]] = {
    "list_mle": list_mle,
    "list_mle(ties=stable)": lambda labels, s, w: list_mle(labels, s, w, "stable"),
    "cross_entropy": cross_entropy,
    "push": push,
    "push(p=2)": lambda labels, s, w: push(labels, s, w, 2),
}


def exact(name: str, labels: Floats, scores: Floats, weights: Floats) -> tuple[float, Floats]:
    with localcontext() as context:
        context.prec, context.Emax, context.Emin = 60, 10**15, -(10**15)
        columns = ([Decimal(float(x)) for x in column] for column in (scores, weights))
        value, gradient = ORACLES[name](labels.tolist(), *columns)
        return float(value), np.array([float(x) for x in gradient])


def check(name: str, labels: Floats, scores: Floats, weights: Floats) -> None:
    loss: Loss = ir.loss(name)
    value, gradient = exact(name, labels, scores, weights)
    found, slopes = loss(labels, scores, weights=weights)
    np.testing.assert_allclose(found, [value], rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(slopes, gradient, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("shift", SHIFTS)
@pytest.mark.parametrize("name", ORACLES)
def test_a_common_shift_of_scores_costs_no_digits(name: str, shift: float) -> None:
    rng = np.random.default_rng(3)
    for n in [2, 3, 6, 10]:
        labels = rng.integers(0, 3, n).astype(np.float64)
        # Differences of scores must be exact, so that only the shift is tested.
        step = max(math.ulp(shift), 0.25)
        scores = shift + step * np.round(rng.normal(size=n) * max(1.0, 2 / step))
        check(name, labels, scores, np.ones(n))
        check(name, labels, scores, rng.integers(0, 4, n) + (np.arange(n) == 0) * 1.0)


@pytest.mark.parametrize("name", ORACLES)
def test_groups_of_scores_that_are_far_apart_keep_their_digits(name: str) -> None:
    rng = np.random.default_rng(4)
    for _ in range(40):
        n = int(rng.integers(2, 9))
        labels = rng.integers(0, 3, n).astype(np.float64)
        scores = rng.choice([0.0, 0.0, 1e15, -1e15, 1e18, -40.0], n) + np.round(rng.normal(size=n) * 4) / 4
        check(name, labels, scores, rng.integers(1, 4, n).astype(np.float64))


def test_the_best_document_far_below_all_others() -> None:
    value, gradient = ir.losses.ListMLE()([0, 1], [1e20, 0])
    assert value.tolist() == [1e20]
    assert gradient.tolist() == [1.0, -1.0]


def test_an_overflow_is_an_error_and_not_a_value() -> None:
    with pytest.raises(ir.errors.DataError, match="overflows"):
        ir.losses.Push()([0, 1], [1.7e308, -1.7e308])
