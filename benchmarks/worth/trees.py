"""Boosted trees: test NDCG@10 of BoostedRanker's defaults, and of LightGBM, XGBoost and CatBoost.

From the root of the repository: ``python -m benchmarks.worth trees FOLDER...``, where each FOLDER has a LETOR
collection (S1.txt to S5.txt, or Fold1 to Fold5, possibly compressed), or LightGBM's example (rank.train and rank.test
with .query files). All have a learning rate of 0.05, at most 400 trees, and the same validation queries, on which
NDCG@10, as the package computes it, chooses the number of trees, with a patience of 100; all else is the default of the
package. Each fold has seeds of its own. An interval is over test queries and seeds: the variance of a difference is
that of its mean over queries plus that of its mean over seeds.
"""

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

import idealrank as ir
from idealrank._typing import Floats
from idealrank.learners import BoostedRanker
from idealrank.learners.trees.tree_arrays import spread_within

__all__ = ["RIVALS", "Contestant", "folds", "main", "ours", "test_values", "with_interval"]

_TREES, _RATE, _PATIENCE = 400, 0.05, 100
#: BoostedRanker's trees, for LightGBM's own objectives.
_OUR_TREES = {"bagging_fraction": 0.8, "bagging_freq": 1, "feature_fraction": 0.5}

#: (train, validation, test, seed) -> one score per test document.
Contestant: TypeAlias = Callable[[ir.RankingData, ir.RankingData, ir.RankingData, int], Floats]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the means of all contestants, and the differences of the first from the others, in Markdown."""
    parser = argparse.ArgumentParser("python -m benchmarks.worth trees", description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+", help="where the data sets are")
    parser.add_argument("--seeds", type=int, default=3, help="how many (3)")
    parser.add_argument("--losses", nargs="*", default=[], help="other losses for BoostedRanker's trees (none)")
    parser.add_argument("--only", nargs="*", help="some of the rivals (all)")
    options = parser.parse_args(arguments)
    rivals, more = (
        {name: rival for name, rival in each.items() if options.only is None or name in options.only}
        for each in (RIVALS, _MORE)
    )
    contestants = {"BoostedRanker()": ours(), **rivals, **more, **{each: ours(loss=each) for each in options.losses}}
    found: dict[str, dict[str, Floats]] = {}
    print("| data | test queries |", *(f" {name} |" for name in contestants), sep="")
    print("| --- | ---: |", " --- |" * len(contestants), sep="")
    for folder in options.folders:
        found[folder.name] = own = test_values(folder, contestants, options.seeds)
        n_queries = next(iter(own.values())).shape[1]
        print(
            f"| {folder.name} | {n_queries:,} |",
            *(f" {own[name].mean():.4f} |" for name in contestants),
            sep="",
            flush=True,
        )
    print("\n| BoostedRanker() minus | ", " | ".join(found), "| mean of the data sets |")
    print("| --- |", " --- |" * (len(found) + 1), sep="")
    for name in list(contestants)[1:]:
        gaps = [own["BoostedRanker()"] - own[name] for own in found.values()]
        print(f"| {name} |", *(f" {with_interval(gap)} |" for gap in gaps), f" {with_interval(*gaps)} |", sep="")
    best = [max(rivals, key=lambda name: own[name].mean()) for own in found.values()]
    gaps = [own["BoostedRanker()"] - own[name] for own, name in zip(found.values(), best, strict=True)]
    print(
        "| the best on the test queries |",
        *(f" {with_interval(gap)} |" for gap in gaps),
        f" {with_interval(*gaps)} |",
        sep="",
    )
    return 0


def with_interval(*gaps: Floats) -> str:
    """Return the mean of differences (seeds x queries) over data sets, each with the same weight, and its interval."""
    mean = np.mean([gap.mean() for gap in gaps])
    error = 1.96 * np.sqrt(sum(map(_variance, gaps))) / len(gaps)
    return f"{mean:+.4f} ({mean - error:+.4f} to {mean + error:+.4f})"


def _variance(gap: Floats) -> float:
    """The variance of a mean over queries and over seeds, if there are several."""
    n_seeds, n_queries = gap.shape
    of_seeds = gap.mean(axis=1).var(ddof=1) / n_seeds if n_seeds > 1 else 0.0
    return float(gap.mean(axis=0).var(ddof=1) / n_queries + of_seeds)


def test_values(folder: Path, contestants: Mapping[str, Contestant], n_seeds: int) -> dict[str, Floats]:
    """The values of each contestant, seeds x test queries of all folds."""
    found: dict[str, list[list[Floats]]] = {name: [[] for _ in range(n_seeds)] for name in contestants}
    for number, (train, validation, test) in enumerate(folds(folder)):
        for name, scores_of in contestants.items():
            for seed in range(n_seeds):
                scores = scores_of(train, validation, test, 10 * seed + number)
                found[name][seed].append(ir.evaluate(test, scores, "ndcg@10").per_query["ndcg@10"])
    return {name: np.array([np.concatenate(each) for each in seeds]) for name, seeds in found.items()}


def folds(folder: Path) -> Iterator[tuple[ir.RankingData, ir.RankingData, ir.RankingData]]:
    """Yield the parts of each fold: train, validation, test."""
    example = sorted(folder.glob("rank.train*"))
    if not example:
        for fold in ir.io.read_letor_folds(folder):
            yield fold.train, fold.validation, fold.test
        return
    whole, test = (
        ir.read_letor(next(path for path in folder.glob(f"rank.{part}*") if path.suffix != ".query"),
                      group=folder / f"rank.{part}.query")
        for part in ("train", "test")
    )  # fmt: skip
    train, validation = whole.split([0.75, 0.25], seed=0)
    yield train, validation, test


def ours(**options: Any) -> Contestant:
    def scores(train: ir.RankingData, validation: ir.RankingData, test: ir.RankingData, seed: int) -> Floats:
        ranker = BoostedRanker(
            **options, measure="ndcg@10", n_estimators=_TREES, patience=_PATIENCE, random_state=10 * seed, n_threads=1
        )
        return ranker.fit(train, eval_set=validation).predict(test)

    return scores


def _lightgbm(objective: str, **trees: Any) -> Contestant:
    def scores(train: ir.RankingData, validation: ir.RankingData, test: ir.RankingData, seed: int) -> Floats:
        import lightgbm

        params = {"objective": objective, "learning_rate": _RATE, "seed": seed, "num_threads": 1, "verbosity": -1}
        sets = [lightgbm.Dataset(each.features, each.labels, group=each.group_sizes) for each in (train, validation)]
        sets[1].reference = sets[0]
        booster = lightgbm.train(
            {**params, "metric": "ndcg", "eval_at": [10], **trees}, sets[0], _TREES, valid_sets=sets[1:],
            callbacks=[lightgbm.early_stopping(_PATIENCE, verbose=False)],
        )  # fmt: skip
        return np.asarray(booster.predict(test.features, num_threads=1))

    return scores


def _four_of_lightgbm(train: ir.RankingData, validation: ir.RankingData, test: ir.RankingData, seed: int) -> Floats:
    """The mean of scores in standard deviations, as in BoostedRanker, but without a loss of idealrank."""
    parts = train, validation, test
    found = [
        _lightgbm(objective, **_OUR_TREES)(*parts, 10 * seed + place)
        for place, objective in enumerate(["lambdarank", "regression"] * 2)
    ]
    return np.asarray(np.mean([each / spread_within(each, test.offsets) for each in found], axis=0))


def _xgboost(train: ir.RankingData, validation: ir.RankingData, test: ir.RankingData, seed: int) -> Floats:
    import xgboost

    sets = [xgboost.DMatrix(each.features, each.labels, group=each.group_sizes) for each in (train, validation)]
    params = {"objective": "rank:ndcg", "eta": _RATE, "seed": seed, "nthread": 1, "eval_metric": "ndcg@10"}
    booster = xgboost.train(
        params, sets[0], _TREES, evals=[(sets[1], "validation")], early_stopping_rounds=_PATIENCE, verbose_eval=False
    )
    matrix = xgboost.DMatrix(test.features)
    return np.asarray(booster.predict(matrix, iteration_range=(0, booster.best_iteration + 1)), np.float64)


def _catboost(train: ir.RankingData, validation: ir.RankingData, test: ir.RankingData, seed: int) -> Floats:
    import catboost

    pools = [
        catboost.Pool(each.features, each.labels, group_id=np.repeat(np.arange(each.n_queries), each.group_sizes))
        for each in (train, validation)
    ]
    model = catboost.CatBoost(
        {
            "loss_function": "YetiRank", "eval_metric": "NDCG:top=10;type=Exp;hints=skip_train~true",
            "iterations": _TREES, "learning_rate": _RATE, "early_stopping_rounds": _PATIENCE, "random_seed": seed,
            "thread_count": 1, "verbose": False, "allow_writing_files": False,
        }
    )  # fmt: skip
    model.fit(pools[0], eval_set=pools[1])
    return np.asarray(model.predict(test.features), np.float64)


RIVALS: dict[str, Contestant] = {
    "LightGBM lambdarank": _lightgbm("lambdarank"),
    "LightGBM L2": _lightgbm("regression"),
    "XGBoost rank:ndcg": _xgboost,
    "CatBoost YetiRank": _catboost,
}

#: Not built in, so that they do not count among the best.
_MORE: dict[str, Contestant] = {
    "LightGBM lambdarank, our trees": _lightgbm("lambdarank", **_OUR_TREES),
    "LightGBM lambdarank and L2, twice, our trees": _four_of_lightgbm,
    "one smoothed_lambda_rank": ours(loss="smoothed_lambda_rank"),
}

if __name__ == "__main__":
    sys.exit(main())
