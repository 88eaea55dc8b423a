"""Pairwise losses: one long list against a sort of it, short lists against all pairs in NumPy, and memory."""

from collections.abc import Iterator

import numpy as np

from benchmarks.processes import peak_memory
from benchmarks.runner import Comparison, Contestant, Digest, Mark, Setting, as_returned, entry
from benchmarks.targets import AtLeast, AtMost
from idealrank._typing import Floats

_LABELS = "rng.choice(5, {n}, p=[0.5, 0.3, 0.15, 0.03, 0.02]).astype(float)"


def _list(n_docs: int) -> tuple[Floats, Floats]:
    """Labels 0 to 4, most of them low, and Gaussian scores."""
    rng = np.random.default_rng(2)
    return rng.choice(5, n_docs, p=[0.5, 0.3, 0.15, 0.03, 0.02]).astype(float), rng.normal(size=n_docs)


@entry
def pairs_of_a_long_list(setting: Setting) -> Iterator[Comparison]:
    from idealrank import losses

    labels, scores = _list(setting.size(1_000_000))
    for loss, times in [
        (losses.PairwiseLogistic(), 2),
        (losses.Hinge(), 2),
        (losses.PairwiseLinear(), 2),
        (losses.LambdaRank(), 3),
        (losses.LambdaLoss(), 10),
    ]:
        yield Comparison(
            f"{loss}, value and gradient, one list of {labels.size:,} documents",
            Contestant("idealrank", lambda loss=loss: loss(labels, scores)),  # type: ignore[misc]
            [Contestant("np.argsort, stable", lambda: np.argsort(scores, kind="stable"), AtMost(times), is_floor=True)],
        )


@entry
def pairs_of_distinct_labels(setting: Setting) -> Iterator[Comparison]:
    """The most that labels can cost: every document has another one."""
    from idealrank import losses

    rng = np.random.default_rng(2)
    n_docs = setting.size(300_000)
    labels, scores = rng.permutation(n_docs) / n_docs, rng.normal(size=n_docs)
    for loss, times in [
        (losses.PairwiseLogistic(), 5),
        (losses.Hinge(), None),
        (losses.PairwiseLinear(), None),
        (losses.LambdaRank(), 8),
    ]:
        yield Comparison(
            f"{loss}, value and gradient, one list of {n_docs:,} documents, all labels distinct",
            Contestant("idealrank", lambda loss=loss: loss(labels, scores)),  # type: ignore[misc]
            [
                Contestant(
                    "np.argsort, stable",
                    lambda: np.argsort(scores, kind="stable"),
                    None if times is None else AtMost(times),
                )
            ],
        )


@entry
def pairs_of_short_lists(setting: Setting) -> Iterator[Comparison]:
    from idealrank import losses

    n_queries, length = setting.size(1000), 100
    labels, scores = _list(n_queries * length)
    offsets = np.arange(0, labels.size + 1, length)
    loss = losses.PairwiseLogistic()
    yield Comparison(
        f"{loss}, value and gradient, {n_queries:,} lists of {length}",
        Contestant("idealrank, 1 thread", lambda: loss(labels, scores, offsets, n_threads=1), digest=_sums),
        [
            Contestant(
                "NumPy, all pairs",
                lambda: _all_pairs(labels.reshape(-1, length), scores.reshape(-1, length)),
                AtLeast(20),
                digest=_sums,
            )
        ],
    )


@entry
def memory_of_pairs(setting: Setting) -> Iterator[Comparison]:
    n_docs = max(setting.size(1_000_000), 100_000)  # less does not show
    imports = (
        f"import numpy as np\nfrom idealrank import losses\nrng = np.random.default_rng(2)\n"
        f"labels = {_LABELS.format(n=n_docs)}\nscores = rng.normal(size={n_docs})\n"
        "losses.LambdaRank()(labels[:5], scores[:5])"
    )
    for loss in ("PairwiseLogistic", "Hinge", "LambdaRank"):
        call = f"losses.{loss}()(labels, scores)"
        yield Comparison(
            f"{loss}, one list of {n_docs:,} documents, peak memory over that of the data",
            Contestant("idealrank", lambda call=call: peak_memory(imports, call, setting.folder)),  # type: ignore[misc]
            [Mark("10 doubles per document", 80.0 * n_docs, AtMost(1))],
            unit="B",
            meter=as_returned,
        )


def _sums(outcome: tuple[Floats, Floats]) -> Digest:
    values, gradient = outcome
    return float(values.sum()), float(np.abs(gradient).sum())


def _all_pairs(labels: Floats, scores: Floats) -> tuple[Floats, Floats]:
    """RankNet as it is usually written: a square of pairs a query."""
    better = labels[:, :, None] > labels[:, None, :]
    margins = scores[:, :, None] - scores[:, None, :]
    values = np.where(better, np.logaddexp(0, -margins), 0).sum(axis=(1, 2))
    pulls = np.where(better, 1 / (1 + np.exp(margins)), 0)
    return values, pulls.sum(axis=1) - pulls.sum(axis=2)
