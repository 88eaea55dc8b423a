"""What to train with: the alpha of ApproxNDCG, whether M is best trained for M, and when consistency pays.

From the root of the repository: ``python -m benchmarks.which_loss alpha FOLDER...``, with the folders of
``python -m benchmarks.worth trees``, prints test NDCG@10 by alpha, for linear scores, boosted trees and a network;
``matrix FOLDER...`` trains for each of eight measures and evaluates by all; ``map [FOLDER...]`` draws learning curves
of plain, consistent and direct losses on drawn data, or on folders with resampled labels. All tables are Markdown.
Validation queries choose the iteration. Differences have 95% intervals over test queries. The time is that of the
processor, one thread.
"""

import argparse
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

import idealrank as ir
from benchmarks.worth.trees import folds, with_interval
from idealrank._typing import Floats
from idealrank.learners import BoostedRanker, ConsistentRegression, LinearRanker

__all__ = ["main"]

#: Train, validation, test.
Parts: TypeAlias = tuple[ir.RankingData, ir.RankingData, ir.RankingData]
#: Returns one score per test document.
Contestant: TypeAlias = Callable[..., Floats]

_ALPHAS = (10, 30, 100, 300)
_MEASURES = ("ndcg@10", "ndcg@3", "ndcg", "ap", "p@10", "rr", "rbp(p=0.8)", "linear_ndcg")
_LOSSES = {
    "cross entropy": "cross_entropy",
    "consistent cross entropy": "cross_entropy(normalizer=10)",
    "least squares": "least_squares",
    "consistent least squares": "least_squares(normalizer=10)",
    "ApproxNDCG": "approx_ndcg(alpha=100,cutoff=10)",
}
_SIZES, _NOISES, _DRAWS = (10, 40, 160, 640), (0.0, 0.3), 2


def _linear(loss: str, measure: str, parts: Parts) -> Floats:
    ranker = LinearRanker(loss, normalize="zscore", max_iter=30, measure=measure, n_threads=1)
    return ranker.fit(parts[0], eval_set=parts[1]).predict(parts[2])


def _boosted(loss: str, measure: str, parts: Parts) -> Floats:
    ranker = BoostedRanker(loss, n_estimators=50, num_leaves=15, learning_rate=0.1, measure=measure, n_threads=1)
    return ranker.fit(parts[0], eval_set=parts[1]).predict(parts[2])


def _network(loss: str, measure: str, parts: Parts) -> Floats:
    """A network with one layer of 32 units, trained by Adam on all queries at once, in 100 steps."""
    import torch

    from idealrank.integrations import torch as ranking

    torch.manual_seed(0)
    torch.set_num_threads(1)
    (mean, spread), metric = _scale(parts[0]), ir.measure(measure)
    columns = [torch.tensor((_dense(each) - mean) / spread, dtype=torch.float32) for each in parts]
    model = torch.nn.Sequential(torch.nn.Linear(mean.size, 32), torch.nn.ReLU(), torch.nn.Linear(32, 1))
    optimizer, best = torch.optim.Adam(model.parameters(), 0.01), (-1.0, np.zeros(parts[2].n_docs))
    own, labels = ranking.ApproxNDCG(alpha=float(loss.partition("=")[2][:-1])), torch.tensor(parts[0].labels)
    for _ in range(100):
        optimizer.zero_grad()
        own(labels, model(columns[0])[:, 0], offsets=parts[0].offsets).backward()
        optimizer.step()
        with torch.no_grad():
            scores = [model(each)[:, 0].double().numpy() for each in columns[1:]]
        reached = float(np.nanmean(metric(parts[1].labels, scores[0], parts[1].offsets)))
        best = max(best, (reached, scores[1]), key=lambda each: each[0])
    return best[1]


def _regression(_: str, measure: str, parts: Parts) -> Floats:
    return ConsistentRegression(measure=measure, n_threads=1).fit(parts[0]).predict(parts[2])


def _dense(data: ir.RankingData) -> Floats:
    features: Any = data.features
    return np.asarray(features.toarray() if hasattr(features, "toarray") else features, np.float64)


def _scale(data: ir.RankingData) -> tuple[Floats, Floats]:
    whole = _dense(data)
    spread = whole.std(axis=0)
    return whole.mean(axis=0), np.where(spread > 0, spread, 1.0)


_MODELS: dict[str, Contestant] = {"linear": _linear, "boosted": _boosted, "network": _network}


def _parts(folder: str, n_folds: int) -> list[Parts]:
    if folder == "drawn":
        whole = ir.datasets.web_search(200, 60, n_features=20, seed=0).train
        train, validation, test = whole.split([0.4, 0.2, 0.4], seed=0)
        return [(train, validation, test)]
    return list(folds(Path(folder)))[:n_folds]


def _values(of: Callable[[Parts], Floats], parts: list[Parts], measures: Sequence[str]) -> dict[str, Floats]:
    """One value per test query for each measure."""
    scored = [(each[2], of(each)) for each in parts]
    return {
        name: np.concatenate([ir.measure(name)(test.labels, scores, test.offsets) for test, scores in scored])
        for name in measures
    }


def alphas(names: Sequence[str], n_folds: int) -> None:
    """Print NDCG@10 by alpha, and the difference between each alpha and 10."""
    print("| data | model |", *(f" {alpha} |" for alpha in _ALPHAS), " 100 minus 10 | seconds |", sep="")
    print("| --- | --- |", " ---: |" * (len(_ALPHAS) + 2), sep="", flush=True)
    gaps: dict[str, list[Floats]] = {}
    for name in names:
        parts = _parts(name, n_folds)
        for model, of in _MODELS.items():
            start = time.process_time()
            found: dict[int, Floats] = {}
            for alpha in _ALPHAS:
                contestant = partial(of, f"approx_ndcg(alpha={alpha})", "ndcg@10")
                found[alpha] = _values(contestant, parts[:1] if model == "network" else parts, ["ndcg@10"])["ndcg@10"]
            gap = (found[100] - found[10])[None]
            gaps.setdefault(model, []).append(gap)
            means = " | ".join(f"{each.mean():.4f}" for each in found.values())
            seconds = time.process_time() - start
            print(f"| {Path(name).name} | {model} | {means} | {with_interval(gap)} | {seconds:.0f} |", flush=True)
    for model, each in gaps.items():
        print(f"{model}: 100 minus 10, mean of the data sets: {with_interval(*each)}")


def matrix(names: Sequence[str], n_folds: int) -> None:
    """Print all measures (columns) of rankers trained for each (rows)."""
    for name in names:
        parts = _parts(name, n_folds)
        for model in ("linear", "boosted"):
            alpha = 100 if model == "linear" else 10
            trained = {
                each: _values(partial(_MODELS[model], f"approx(measure={each},alpha={alpha})", each), parts, _MEASURES)
                for each in _MEASURES
            }
            print(f"\n{Path(name).name}, {model}\n\n| trained for |", *(f" {each} |" for each in _MEASURES), sep="")
            print("| --- |", " ---: |" * len(_MEASURES), sep="")
            for each, found in trained.items():
                print(f"| {each} |", *(f" {values.mean():.4f} |" for values in found.values()), sep="")
            best = {m: max((float(trained[each][m].mean()), each) for each in trained)[1] for m in _MEASURES}
            row = (
                "own" if best[m] == m else f"{best[m]}: {with_interval((trained[best[m]][m] - trained[m][m])[None])}"
                for m in _MEASURES
            )
            print("| best, less own |", *(f" {each} |" for each in row), sep="", flush=True)


def curves(names: Sequence[str], n_folds: int) -> None:
    """Print test NDCG@10 by number of queries, noise, model and loss, less that of the plain cross entropy."""
    for name in names or ["drawn"]:
        most = _SIZES[-1] if name == "drawn" else next(iter(folds(Path(name))))[0].n_queries
        sizes = [*(size for size in _SIZES if size < most), most]
        print("\n| data | noise | model | loss |", *(f" {size} |" for size in sizes), sep="")
        print("| --- | --- | --- | --- |", " ---: |" * len(sizes), sep="", flush=True)
        for noise in _NOISES:
            made = {size: [_noisy(name, size, noise, draw, n_folds) for draw in range(_DRAWS)] for size in sizes}
            for model in ("linear", "boosted"):
                losses = dict(_LOSSES)
                if model == "boosted":  # trees learn nothing from equal scores and a cutoff
                    losses |= {"ApproxNDCG": "approx_ndcg", "ConsistentRegression": ""}
                found = {
                    loss: {
                        size: _values(partial(_regression if not word else _MODELS[model], word, "ndcg@10"), parts,
                                      ["ndcg@10"])["ndcg@10"]
                        for size, parts in made.items()
                    }
                    for loss, word in losses.items()
                }  # fmt: skip
                plain = found["cross entropy"]
                for loss, own in found.items():
                    cells = (
                        f"{own[size].mean():.4f}" if own is plain else with_interval((own[size] - plain[size])[None])
                        for size in sizes
                    )
                    print(f"| {Path(name).name} | {noise} | {model} | {loss} |", *(f" {each} |" for each in cells),
                          sep="", flush=True)  # fmt: skip


def _noisy(name: str, size: int, noise: float, draw: int, n_folds: int) -> Parts:
    """Parts with this many training queries; a share of the labels is another label of the same query.

    Labels of drawn data and of test queries have the same noise as those of the training queries: what is measured is
    the value that a user of noisy labels can expect.
    """
    rng = np.random.default_rng(draw)
    if name == "drawn":
        data = _drawn(rng, size)
        train, validation, test = map(data.subset, (range(size), range(size, size + 40), range(size + 40, size + 140)))
    else:
        whole = folds(Path(name))
        train, validation, test = [*whole][draw % n_folds]
        kept = rng.permutation(train.n_queries)[:size]
        train = train.subset(kept)
    return (_resampled(train, noise, rng), _resampled(validation, noise, rng), _resampled(test, noise, rng))


def _resampled(data: ir.RankingData, noise: float, rng: np.random.Generator) -> ir.RankingData:
    labels = data.labels.copy()
    for first, last in zip(data.offsets[:-1], data.offsets[1:], strict=True):
        wrong = first + np.flatnonzero(rng.random(last - first) < noise)
        labels[wrong] = rng.choice(data.labels[first:last], wrong.size)
    return ir.from_arrays(labels, offsets=data.offsets, features=data.features)


def _drawn(rng: np.random.Generator, size: int) -> ir.RankingData:
    """Thirty documents per query; the chances of the labels 0 to 4 depend on eight features, and on how rare 4 is."""
    n = size + 140
    x = rng.normal(size=(n * 30, 8))
    level = np.repeat(rng.normal(-1, 1, n), 30)
    steady = level + x[:, 0] + 0.5 * x[:, 1] + 0.5 * x[:, 2] * x[:, 3]
    labels = np.clip(np.round(1 + steady / 1.5), 0, 3)
    labels[rng.random(labels.size) < 0.3 / (1 + np.exp(4 - 2 * x[:, 4]))] = 4  # rare, and worth the most
    return ir.from_arrays(labels, offsets=np.arange(n + 1) * 30, features=x)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables of one question."""
    parser = argparse.ArgumentParser("python -m benchmarks.which_loss", description=__doc__)
    parser.add_argument("question", choices=["alpha", "matrix", "map"])
    parser.add_argument("folders", nargs="*", help="where the data sets are, or 'drawn'")
    parser.add_argument("--folds", type=int, default=5, help="how many folds of each data set (5)")
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore")  # that a fit stopped at its last iteration
    {"alpha": alphas, "matrix": matrix, "map": curves}[options.question](options.folders, options.folds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
