"""Theory of long lists: limits, lists that grow, and telling two rankers apart."""

from collections.abc import Iterator

import numpy as np

from benchmarks.runner import Comparison, Contestant, Mark, Setting, entry
from benchmarks.targets import AtLeast, AtMost


@entry
def limits_of_curves(setting: Setting) -> Iterator[Comparison]:
    from idealrank.theory import StepCurve, limit

    steps = StepCurve([0, 0.7, 1], [0.2, 0.8])
    for name, curve in (("a smooth curve", lambda s: s**2), ("a step curve", steps)):
        yield Comparison(
            f"limit of NDCG under r^-1/2, {name}, 100 times",
            Contestant("idealrank", lambda curve=curve: [limit("power:0.5", curve) for _ in range(100)]),  # type: ignore[misc]
            [Mark("1 ms each", 0.1, AtLeast(1))],
        )


@entry
def growing_lists(setting: Setting) -> Iterator[Comparison]:
    from idealrank.measures import measure
    from idealrank.theory.distinguishing.growing_lists import prefix_values

    n = setting.size(1_000_000)
    rng = np.random.default_rng(0)
    labels, scores, offsets = (rng.random(n) < 0.3).astype(float), rng.random(n), np.array([0, n])
    sizes = np.unique(np.geomspace(1, n, 200).round().astype(np.int64))
    discounts = ("log", "power:0.5", "geometric", "zipf", "power:0.25")
    measures = [measure(f"ndcg(discount={discount})") for discount in discounts]
    yield Comparison(
        f"NDCG of {sizes.size} prefixes of {n:,} documents, 5 discounts",
        Contestant("idealrank", lambda: prefix_values(measures, labels, [scores], offsets, sizes)),
        [Contestant("np.argsort, stable, once", lambda: np.argsort(scores, kind="stable"), AtMost(30), is_floor=True)],
    )


@entry
def distinguishing(setting: Setting) -> Iterator[Comparison]:
    from idealrank import datasets
    from idealrank.theory import distinguish

    n_queries = setting.size(40)
    data = datasets.web_search(n_queries, 5000, 8).test
    a, b = data.known_features()[:, 0], data.known_features()[:, 4]
    yield Comparison(
        f"distinguish: {n_queries} x 5000 documents, every length, 6 measures, 200 resamples",
        Contestant("idealrank", lambda: distinguish(data, {"A": a, "B": b})),
        [Mark("5 s", 5 * n_queries / 40, AtLeast(1))],
    )
