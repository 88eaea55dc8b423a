"""Recommenders: test NDCG@20 of the defaults of HistoryRanker, and of popularity, ALS and EASE, which are tuned.

From the root of the repository: ``python -m benchmarks.worth recommenders FOLDER...``, where each FOLDER has
``train.tsv`` and ``test.tsv`` (a header, then a user number and an item number per line), such as those of
Tiny-Snow/IR-Benchmark-Dataset, ``data_iid/*/proc.zip``. ALS is that of the package ``implicit``.

The settings of ALS and EASE, and the epochs of FactorRanker, are chosen by NDCG@20 on a fifth of the training items of
at most 2,000 users: one setting after the other, until a round over all of them changes nothing, from several starts.
All models are then fitted to the whole training part. The test ranks all other items. An interval is over test users,
of differences to HistoryRanker.
"""

import argparse
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from scipy.sparse import csr_array

import idealrank as ir
from benchmarks.recommenders import Parts, read
from idealrank._typing import Floats
from idealrank.io.interaction_inputs import interactions_of
from idealrank.learners import FactorRanker, HistoryFactors, HistoryRanker, ItemRegression
from idealrank.learners.histories.history_ranker import held_out
from idealrank.stats import interval

__all__ = ["main"]

_MEASURE, _OURS = "ndcg@20", "HistoryRanker"
#: The values of each setting that are tried, in order, and where the searches start.
_EASE = {"l2": (1, 3, 10, 30, 100, 300, 1000, 3000, 10000)}, [(100,)]
_ALS = (
    {
        "factors": (4, 8, 16, 32, 64, 128, 256),
        "alpha": (0.3, 1, 3, 10, 30, 100, 300),
        "regularization": (0.1, 0.3, 1, 3, 10, 30, 100, 300, 1000),
    },
    [(64, 3, 10), (16, 1, 1), (128, 30, 100)],
)

#: Takes the interactions to learn from, returns a function of user numbers that returns scores.
Fit: TypeAlias = Callable[[csr_array], Callable[[Any], Any]]
#: Takes interactions to learn from and to choose by, returns how to fit, with what was chosen.
Contestant: TypeAlias = Callable[[Parts], tuple[Fit, str]]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the means of all contestants, and their differences to ours, in Markdown."""
    parser = argparse.ArgumentParser("python -m benchmarks.worth recommenders", description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+", help="where the data sets are")
    parser.add_argument("--only", nargs="*", choices=_CONTESTANTS, help="some of the contestants (all)")
    options = parser.parse_args(arguments)
    names = [name for name in _CONTESTANTS if options.only is None or name in {_OURS, *options.only}]
    print("| data | users x items |", *(f" {name} |" for name in names), sep="")
    print("| --- | --- |", " --- |" * len(names), sep="")
    for folder in options.folders:
        parts = read(folder)
        found = {name: _values(name, parts) for name in names}
        cells = [f"{found[_OURS].mean():.4f}" if name == _OURS else _with_gap(found, name) for name in names]
        shape = " x ".join(f"{size:,}" for size in parts.train.shape)
        print(f"| {folder.name} | {shape} | {' | '.join(cells)} |", flush=True)
    return 0


def _with_gap(found: Mapping[str, Floats], name: str) -> str:
    gap = interval(found[name] - found[_OURS])
    return f"{found[name].mean():.4f} ({gap.low:+.4f} to {gap.high:+.4f})"


def _values(name: str, parts: Parts) -> Floats:
    """Return the measure of each test user."""
    rest, held = (
        csr_array((each.labels, each.items, each.offsets), shape=parts.train.shape)
        for each in held_out(interactions_of(parts.train), 2000, np.random.default_rng(1))
    )
    fit, chosen = _CONTESTANTS[name](Parts(rest, held))
    began = time.process_time()
    scores = fit(parts.train)
    seconds = time.process_time() - began
    values = _evaluated(scores, Parts(parts.train, parts.test))
    print(f"{name}: {values.mean():.4f}, fit in {seconds:.1f} CPU s {chosen}", file=sys.stderr, flush=True)
    return values


def _evaluated(scores: Callable[[Any], Any], parts: Parts) -> Floats:
    found = ir.evaluate_factors(scores, None, parts.test, exclude=parts.train, measures=_MEASURE)
    values: Floats = found.per_query[_MEASURE]
    return values


def _tuned(
    make: Callable[..., Fit], grid: Mapping[str, Sequence[float]], starts: Sequence[tuple[float, ...]]
) -> Contestant:
    """Return the settings that are best on the held-out items."""

    def choose(parts: Parts) -> tuple[Fit, str]:
        @cache
        def mean(settings: tuple[float, ...]) -> float:
            fit = make(**dict(zip(grid, settings, strict=True)))
            return float(_evaluated(fit(parts.train), parts).mean())

        best = max((_climbed(mean, list(grid.values()), start) for start in starts), key=mean)
        chosen = dict(zip(grid, best, strict=True))
        edges = [name for name, value in chosen.items() if value in (grid[name][0], grid[name][-1])]
        n_tried = mean.cache_info().currsize
        return make(**chosen), f"({chosen}: {mean(best):.4f} held out; {n_tried} tried; at an edge: {edges})"

    return choose


def _climbed(
    mean: Callable[[tuple[float, ...]], float], grid: Sequence[Sequence[float]], best: tuple[float, ...]
) -> tuple[float, ...]:
    """Move one setting after the other, in both directions, as long as that helps."""
    before: tuple[float, ...] = ()
    while best != before:
        before = best
        for place, values in enumerate(grid):
            index = values.index(best[place])
            for way in (values[index + 1 :], values[:index][::-1]):
                for value in way:
                    tried = (*best[:place], value, *best[place + 1 :])
                    if mean(tried) <= mean(best):
                        break
                    best = tried
    return best


def _popularity(train: csr_array) -> Callable[[Any], Any]:
    counts = np.bincount(train.indices, minlength=train.shape[1]).astype(np.float32)
    return lambda users: np.tile(counts, (len(users), 1))


def _ease(l2: float) -> Fit:
    def fit(train: csr_array) -> Callable[[Any], Any]:
        gram = (train.T @ train).toarray().astype(np.float32)
        np.einsum("ii->i", gram)[:] += l2
        weights = np.linalg.inv(gram)
        weights /= -np.diagonal(weights).copy()
        np.fill_diagonal(weights, 0)
        return lambda users: train[users] @ weights

    return fit


def _als(**settings: Any) -> Fit:
    def fit(train: csr_array) -> Callable[[Any], Any]:
        from implicit.als import AlternatingLeastSquares
        from scipy.sparse import csr_matrix

        model = AlternatingLeastSquares(**settings, iterations=15, random_state=0, num_threads=1)
        model.fit(csr_matrix(train, dtype=np.float32), show_progress=False)
        return lambda users: model.user_factors[users] @ model.item_factors.T

    return fit


def _model(make: Callable[[], Any]) -> Fit:
    def fit(train: csr_array) -> Callable[[Any], Any]:
        scorer: Callable[[Any], Any] = make().fit(train)._scorer()
        return scorer

    return fit


def _factor_ranker(parts: Parts) -> tuple[Fit, str]:
    model = FactorRanker(patience=5).fit(parts.train, eval_set=parts.test)
    n_epochs = model.best_iteration_ + 1
    return _model(lambda: FactorRanker(max_iter=n_epochs)), f"({n_epochs} epochs)"


_CONTESTANTS: Mapping[str, Contestant] = {
    "popularity": lambda _: (_popularity, ""),
    "ALS, tuned": _tuned(_als, *_ALS),
    "EASE, tuned": _tuned(_ease, *_EASE),
    "FactorRanker": _factor_ranker,
    "ItemRegression": lambda _: (_model(ItemRegression), ""),
    "HistoryFactors": lambda _: (_model(HistoryFactors), ""),
    _OURS: lambda _: (_model(HistoryRanker), ""),
}
