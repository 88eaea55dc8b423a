"""r^-b (log r)^-c: what the logarithm decides where leading terms agree, and how large noise is."""

import math
from typing import Any

import numpy as np
import pytest
from scipy import integrate

from idealrank._typing import Floats
from idealrank.theory import verdict, win_probability


def curve_a(s: Any) -> Any:
    u = 1 - s
    return 0.5 + 0.12 * (1 - 12 * u + 15 * u**2)  # its integral against u^-1/2 is that of 0.5


def curve_c(s: Any) -> Any:
    u = 1 - s
    return 0.4 + 0.2 * (1 - 8 * u + 9 * u * u)  # the first moment of log u is 0 as well


def own(beta: float, logs: float) -> Any:
    return lambda r: r**-beta / np.log(1 + r + (10 if logs < 0 else 0)) ** logs


def scaled_gap(curve: Any, flat: float, beta: float, logs: float, order: int, log_n: float) -> float:
    """log(n)^order times the gap of a curve and a flat one: integrals over x = log u."""

    def weight(x: float) -> float:
        return float((1 + x / log_n) ** -logs * math.exp((1 - beta) * x))

    def integral(function: Any, start: float, end: float) -> float:
        return float(integrate.quad(function, start, end, epsabs=1e-15, limit=500, points=None)[0])

    least = -40 / (1 - beta)
    difference = integral(lambda x: (curve(1 - math.exp(x)) - flat) * weight(x), least, 0)
    ideal = integral(weight, least, math.log(flat))
    return difference / ideal * log_n**order


@pytest.mark.parametrize(
    ("curve", "flat", "beta", "logs", "order", "rate"),
    [
        (curve_a, 0.5, 0.5, 1.0, 1, "noise log(n) / n^1/2"),
        (curve_a, 0.5, 0.5, 0.25, 1, "noise sqrt(log(n)/n)"),
        (curve_a, 0.5, 0.5, 2.0, 1, "noise log(n)^2 / n^1/2"),
        (curve_a, 0.5, 0.5, -1.0, 1, "noise sqrt(log(n)/n)"),
        (curve_c, 0.4, 0.0, 1.0, 2, "noise n^-1/2 / log(n)"),
        (curve_c, 0.4, 0.0, 2.0, 2, "noise n^-1/2 / log(n)"),
        (curve_c, 0.4, 0.0, 0.5, 2, "noise n^-1/2 / log(n)"),
    ],
)
def test_the_logarithm_decides_where_leading_limits_are_equal(
    curve: Any, flat: float, beta: float, logs: float, order: int, rate: str
) -> None:
    discount = own(beta, logs)
    expected = scaled_gap(curve, flat, beta, logs, order, 20_000.0)
    found = verdict(discount, curve, lambda s: flat)
    assert (found.how, found.better) == ("consistently", "a" if expected > 0 else "b")
    power = "log(n)" if order == 1 else f"log(n)^{order}"
    constant = float(found.rate.split()[1].split("/")[0])
    assert found.rate == f"gap {constant:.3g}/{power}, {rate}"
    assert constant == pytest.approx(abs(expected), rel=0.01)
    assert win_probability(discount, curve, lambda s: flat) == float(expected > 0)
    assert win_probability(discount, lambda s: flat, curve) == float(expected < 0)


@pytest.mark.slow
def test_simulated_lists_agree_with_the_logarithm() -> None:
    # The share of wins rises from 0.71 at n = 10^4 to 0.81 at 10^5 and 0.95 at 10^6.
    rng, n = np.random.default_rng(2), 100_000
    ranks = np.arange(1.0, n + 1)
    weights = ranks**-0.5 / np.log(1 + ranks)
    won = 0
    for _ in range(150):
        labels, other = rng.random(n) < curve_a(1 - (ranks - 0.5) / n), rng.random(n) < 0.5
        ideal = np.cumsum(weights)
        won += weights @ labels / ideal[labels.sum() - 1] > weights @ other / ideal[other.sum() - 1]
    assert won / 150 == pytest.approx(0.81, abs=0.1)


def test_a_logarithm_that_is_no_help_leaves_it_open() -> None:
    # (1 + x)^1 has no terms beyond the first: with log r as a factor nothing decides if that one vanishes too.
    def curve(s: Any) -> Any:
        u = 1 - s
        # Orthogonal to 1, u^-1/2 and u^-1/2 log u.
        return 0.5 + 0.02 * (u**0 + c[0] * u + c[1] * u**2 + c[2] * u**3)

    j = np.arange(4)
    rows = np.array([1 / (j + 1), 1 / (j + 0.5), -1 / (j + 0.5) ** 2])
    c: Floats = np.linalg.solve(rows[:, 1:], -rows[:, 0])
    assert verdict(own(0.5, -1.0), curve, lambda s: 0.5).how == "undecided"
    assert math.isnan(win_probability(own(0.5, -1.0), curve, lambda s: 0.5))
    assert verdict(own(0.5, 1.0), curve, lambda s: 0.5).how == "consistently"


@pytest.mark.parametrize(
    ("beta", "logs", "noise"),
    [
        (1.0, 1.0, "1/log(log(n))"),
        (1.0, 0.5, "1/log(n)^0.5"),
        (1.0, 0.0, "1/log(n)"),
        (0.7, 1.0, "log(n) / n^0.3"),
        (0.7, 0.0, "n^-0.3"),
        (0.25, 1.0, "n^-1/2"),
    ],
)
def test_noise_of_powers_and_logarithms(beta: float, logs: float, noise: str) -> None:
    found = verdict(own(beta, logs), lambda s: s, lambda s: 1 - s)
    assert found.rate.endswith(f", noise {noise}")


@pytest.mark.parametrize(("beta", "logs"), [(1.0, 1.0), (0.7, 1.0), (0.5, 1.0), (1.0, 0.5)])
def test_noise_is_of_the_order_that_is_printed(beta: float, logs: float) -> None:
    rng = np.random.default_rng(1)
    scaled = []
    for n in (2_000, 200_000):
        ranks = np.arange(1.0, n + 1)
        weights = own(beta, logs)(ranks)
        half = weights[: n // 2].sum()
        sd = np.std([weights @ (rng.random(n) < 0.5) / half for _ in range(60)])
        order = {
            (1.0, 1.0): 1 / math.log(math.log(n)),
            (1.0, 0.5): 1 / math.log(n) ** 0.5,
            (0.7, 1.0): math.log(n) / n**0.3,
            (0.5, 1.0): math.log(n) / n**0.5,
        }[beta, logs]
        scaled.append(sd / order)
    assert scaled[1] / scaled[0] == pytest.approx(1, abs=0.35)
