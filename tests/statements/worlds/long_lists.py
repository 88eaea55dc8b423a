"""`limits`, `verdict` and `certificate`: what theory says about NDCG on long lists."""

import functools
from collections.abc import Callable

import numpy as np
from statements.world import Kind, World, at_most

from idealrank.measures import measure
from idealrank.theory import certificate, limits, verdict

__all__ = ["KINDS", "WORLDS"]

KINDS = {
    "limit of a measure": Kind("As lists grow, it tends to 0.8000; with other queries, from 0.7500 to 0.8500."),
    "verdict of theory": Kind("the longer the lists, the more surely the measure distinguishes them"),
    "order certified by documents": Kind(
        "from 358 documents on, A is ahead at every length, except with probability 0.05"
    ),
}


def _queries(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """The mean and the slope of the relevance curves of n queries, m + a (s - 1/2)."""
    mean = rng.uniform(0.2, 0.6, n)
    return mean, rng.uniform(0, 2, n) * np.minimum(mean, 1 - mean)


#: The limit for such curves, see Theorems 7, 12 and 9.
_LIMITS: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "ndcg": lambda mean, slope: np.ones_like(mean),
    "ndcg(discount=power:0.5)": lambda mean, slope: (mean + slope / 6) / np.sqrt(mean),
    "ndcg@20%": lambda mean, slope: mean + 0.4 * slope,
    "ndcg(discount=zipf)": lambda mean, slope: mean + slope / 2,
}


@functools.cache
def _true_limit(name: str) -> float:
    return float(_LIMITS[name](*_queries(np.random.default_rng(0), 1_000_000)).mean())


def _limit(rng: np.random.Generator, name: str, n: int, n_docs: int) -> bool:
    """Whether the interval of the limit misses it; a fifth of the queries has nothing relevant."""
    mean, slope = (each[:, None] for each in _queries(rng, n))
    s = rng.random((n, n_docs))
    labels = ((rng.random(s.shape) < mean + slope * (s - 0.5)) & (np.arange(n) % 5 > 0)[:, None]).astype(float)
    (found,) = limits(labels.ravel(), s.ravel(), name, offsets=np.arange(0, s.size + 1, n_docs)).limits
    assert found.low is not None
    assert found.high is not None
    return not found.low <= _true_limit(name) <= found.high


Curve = Callable[[np.ndarray], np.ndarray]
#: Two rankers of the same documents, half of which are relevant.
_PAIRS: dict[str, tuple[Curve, Curve]] = {
    "rising and flat": (lambda s: 0.2 + 0.6 * s, lambda s: 0.5 + 0 * s),
    "same top": (lambda s: 0.3 + 0.4 * s, lambda s: 0.7 - 1.2 * s * (1 - s)),
}


def _ranked(rng: np.random.Generator, n: int, a: Curve, b: Curve) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Labels of n documents, and places by two rankers that are independent given the labels."""
    s = rng.random(n)
    labels = rng.random(n) < a(s)
    places = np.empty(n)
    todo = np.arange(n)
    while todo.size:
        tried = rng.random(todo.size)
        taken = rng.random(todo.size) < np.where(labels[todo], b(tried), 1 - b(tried))
        places[todo[taken]] = tried[taken]
        todo = todo[~taken]
    return labels.astype(float), s, places


def _lead(name: str, labels: np.ndarray, a: np.ndarray, b: np.ndarray) -> float:
    m = measure(name)
    return float(m(labels, a)[0] - m(labels, b)[0])


@functools.cache
def _said(name: str, curves: str) -> tuple[str, str | None]:
    """Return what is said of two rankers, and which one is better."""
    found = verdict(name, *_PAIRS[curves])
    return found.in_words, found.better


def _verdict(rng: np.random.Generator, name: str, n: int) -> bool:
    """Whether a list of n documents is in the wrong order although it is said to be distinguished consistently."""
    a, b = _PAIRS["rising and flat"]
    words, better = _said(name, "rising and flat")
    assert words.startswith("the longer the lists")
    return _lead(name, *_ranked(rng, n, a, b)) * (1 if better == "a" else -1) <= 0


def _random_order(rng: np.random.Generator, name: str, n: int) -> bool:
    """Whether "only averages distinguish them" is false: the better ranker is practically always ahead.

    Each draw takes ten lists; the statement is false if they have the same order, which chances of 90% make 0.35 of
    all draws.
    """
    a, b = _PAIRS["same top"]
    assert _said(name, "same top")[0].startswith("only averages")
    leads = [_lead(name, *_ranked(rng, n, a, b)) > 0 for _ in range(10)]
    return all(leads) or not any(leads)


@functools.cache
def _certified(name: str) -> int:
    n = certificate(name, *_PAIRS["rising and flat"]).n
    assert n is not None
    return n


def _certificate(rng: np.random.Generator, name: str) -> bool:
    """Whether the order of a growing list is wrong at a length from the certificate on, up to four times as long."""
    n = _certified(name)
    labels, a, b = _ranked(rng, 4 * n, *_PAIRS["rising and flat"])
    return any(_lead(name, labels[:k], a[:k], b[:k]) <= 0 for k in np.unique(np.geomspace(n, 4 * n, 60).astype(int)))


WORLDS = [
    World(
        "limit of a measure", "standard NDCG", functools.partial(_limit, name="ndcg", n=20, n_docs=30), at_most(0), 10
    ),
    *(
        World(
            "limit of a measure",
            f"{name}, {n} queries of {n_docs} documents",
            functools.partial(_limit, name=name, n=n, n_docs=n_docs),
            at_most(0.1 if "zipf" in name else 0.07),
            20,
        )
        for name in list(_LIMITS)[1:]
        for n, n_docs in ((10, 50), (50, 100))
    ),
    *(
        World(
            "verdict of theory",
            f"consistently, {name}",
            functools.partial(_verdict, name=name, n=2000),
            at_most(0.05),
            100,
        )
        for name in ("ndcg", "ndcg(discount=power:0.5)", "ndcg@20%")
    ),
    *(
        World(
            "verdict of theory",
            f"only averages, 1/r and equal tops, {n:,} documents",
            functools.partial(_random_order, name="ndcg(discount=zipf)", n=n),
            at_most(0.05),
            60,
        )
        for n in (1000, 10_000)
    ),
    *(
        World("order certified by documents", name, functools.partial(_certificate, name=name), at_most(0.05), 60)
        for name in ("ndcg", "ndcg(discount=power:0.5)", "ndcg@20%")
    ),
]
