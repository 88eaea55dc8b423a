"""Agreement of rankings against their definitions, all orders of ties, and another package."""

import itertools
import math
import random
import statistics
import time
from typing import Any

import numpy as np
import pytest

from idealrank import stats
from idealrank.errors import DataError, OptionError

#: Without their types, for what they refuse.
rbo: Any = stats.rbo
tau_ap: Any = stats.tau_ap


def overlap(a: list[Any], b: list[Any], d: int) -> int:
    return len(set(a[:d]) & set(b[:d]))


def rbo_ext(a: list[Any], b: list[Any], p: float) -> float:
    """Equation 32, term by term."""
    a, b = sorted((a, b), key=len)
    s, k = len(a), len(b)
    total = sum(overlap(a, b, d) / d * p**d for d in range(1, k + 1))
    total += sum(overlap(a, b, s) * (d - s) / (s * d) * p**d for d in range(s + 1, k + 1))
    return (1 - p) / p * total + ((overlap(a, b, k) - overlap(a, b, s)) / k + overlap(a, b, s) / s) * p**k


def rbo_min(a: list[Any], b: list[Any], p: float) -> float:
    """The sum itself, of rankings that go on with different documents."""
    a, b = a + [("a", i) for i in range(5000)], b + [("b", i) for i in range(5000)]
    shared, in_a, in_b, total = 0, set(), set(), 0.0
    for d in range(1, 5001):
        in_a.add(a[d - 1])
        in_b.add(b[d - 1])
        shared += (a[d - 1] in in_b) + (b[d - 1] in in_a) - (a[d - 1] == b[d - 1])
        total += p ** (d - 1) * shared / d
    return (1 - p) * total


def ap_correlation(a: list[Any], b: list[Any]) -> float:
    """Equation 7 of Yilmaz et al., over the documents that both have."""
    b = [doc for doc in b if doc in a]
    a = [doc for doc in a if doc in b]
    total = sum(sum(b.index(above) < b.index(doc) for above in a[:i]) / i for i, doc in enumerate(a) if i)
    return 2 * total / (len(a) - 1) - 1


def drawn(seed: int, n: int = 12) -> tuple[list[str], list[str]]:
    rng = random.Random(seed)
    docs = [f"d{i}" for i in range(n)]
    return rng.sample(docs, rng.randint(2, n)), rng.sample(docs, rng.randint(2, n))


@pytest.mark.parametrize("seed", range(30))
def test_values_are_those_of_the_definitions(seed: int) -> None:
    a, b = drawn(seed)
    for p in (0.1, 0.5, 0.9, 0.98):
        assert rbo(a, b, p=p) == pytest.approx(rbo_ext(a, b, p), rel=1e-12, abs=1e-15)
        assert rbo(a, b, p=p, kind="min") == pytest.approx(rbo_min(a, b, p), rel=1e-9, abs=1e-12)
        assert rbo(a, b, p=p, kind="min") <= rbo(a, b, p=p) + 1e-15
        assert rbo(b, a, p=p) == pytest.approx(rbo(a, b, p=p), rel=1e-12)
    if len({*a} & {*b}) > 1:
        assert tau_ap(a, b) == pytest.approx(ap_correlation(a, b), rel=1e-12, abs=1e-15)
        both = (ap_correlation(a, b) + ap_correlation(b, a)) / 2
        assert tau_ap(a, b, symmetric=True) == pytest.approx(both, rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("seed", range(20))
def test_extrapolation_is_that_of_another_package(seed: int) -> None:
    package = pytest.importorskip("rbo")
    a, b = drawn(seed, 30)
    assert rbo(a, b, p=0.9) == pytest.approx(package.RankingSimilarity(a, b).rbo_ext(p=0.9), rel=1e-12)


def orders(scores: dict[str, float]) -> list[list[str]]:
    groups = [[doc for doc in scores if scores[doc] == level] for level in sorted({*scores.values()}, reverse=True)]
    return [list(itertools.chain(*order)) for order in itertools.product(*(itertools.permutations(g) for g in groups))]


@pytest.mark.parametrize("seed", range(15))
def test_tied_scores_give_the_mean_over_all_orders(seed: int) -> None:
    rng = random.Random(seed)
    a, b = ({doc: float(rng.randint(0, 3)) for doc in rng.sample("abcdefg", rng.randint(2, 5))} for _ in range(2))
    pairs = list(itertools.product(orders(a), orders(b)))
    for kind in ("ext", "min"):
        every = [rbo(x, y, p=0.8, kind=kind) for x, y in pairs]
        assert rbo(a, b, p=0.8, kind=kind) == pytest.approx(statistics.fmean(every), rel=1e-12, abs=1e-15)
    every = [tau_ap(x, y) for x, y in pairs]
    assert tau_ap(a, b) == pytest.approx(statistics.fmean(every), rel=1e-12, abs=1e-14, nan_ok=True)


def test_ties_by_id() -> None:
    a, b = {"x": 1.0, "y": 1.0, "z": 0.0}, {"z": 3.0, "y": 2.0, "x": 2.0}
    assert rbo(a, b, ties="docid_desc") == rbo(["y", "x", "z"], ["z", "y", "x"])
    assert tau_ap(a, b, ties="docid_asc") == tau_ap(["x", "y", "z"], ["z", "x", "y"])


def test_long_rankings_are_compared_in_parts() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.permutation(3000), rng.permutation(3000)
    assert tau_ap(a, a) == pytest.approx(1.0)
    assert tau_ap(a, a[::-1]) == pytest.approx(-1.0)
    assert abs(tau_ap(a, b)) < 0.2
    tied = {i: float(i // 3) for i in range(3000)}
    assert rbo(tied, tied, p=0.999) < 1


def test_rankings_without_documents_in_common() -> None:
    assert rbo(["a"], ["b"]) == 0
    assert math.isnan(tau_ap(["a", "b"], ["b", "c"]))
    assert math.isnan(rbo([], ["b"]))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: rbo({"a", "b"}, ["a"]), DataError, "a ranking must have an order, got a set: pass a list"),
        (lambda: rbo(["a", "a"], ["a"]), DataError, r"each document once, got 'a' twice \(row 1\)"),
        (lambda: rbo("ab", ["a"]), DataError, "expected a ranking, ids best first or {id: score}, got str"),
        (lambda: rbo(3, ["a"]), DataError, "got int"),
        (lambda: rbo([["a"], ["b"]], ["a"]), DataError, r"expected document ids, got list \(row 0\)"),
        (lambda: tau_ap([("a", ["b"])], ["a"]), DataError, "expected document ids"),
        (lambda: tau_ap({"a": math.nan}, ["a"]), DataError, "a score must be a number, got nan for 'a'"),
        (lambda: tau_ap({"a": {"b": 1}}, ["a"]), DataError, "one score per document"),
        (lambda: rbo(["a"], ["a"], p=1), OptionError, "p: expected a number between 0 and 1, got 1"),
        (lambda: rbo(["a"], ["a"], p="x"), OptionError, "p: expected a number between 0 and 1, got 'x'"),
        (lambda: rbo(["a"], ["a"], kind="max"), OptionError, "kind must be one of 'ext', 'min', got 'max'"),
        (lambda: tau_ap(["a"], ["a"], ties="x"), OptionError, "ties must be one of 'average', 'docid_desc'"),
    ],
)
def test_errors(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()


def test_ap_correlation_of_long_rankings_takes_n_log_n() -> None:
    rng = np.random.default_rng(0)
    n = 100_000
    a, b = ({f"d{i}": float(score) for i, score in enumerate(rng.integers(0, n // 4, n))} for _ in range(2))
    ordered = sorted(a, key=lambda doc: -a[doc])
    began = time.process_time()
    assert tau_ap(ordered, ordered[::-1]) == pytest.approx(-1)
    assert abs(tau_ap(a, b, symmetric=True)) < 0.02
    assert time.process_time() - began < 8
