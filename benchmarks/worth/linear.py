"""Linear rankers: LinearRanker() with no option set, next to tuned ridge regression, logistic pairs and linear trees.

From the root of the repository: ``python -m benchmarks.worth linear FOLDER...``, with the folders of
``python -m benchmarks.worth trees``; ``--drawn`` adds drawn data, which needs no file. Every rival has the same
training queries, and is tuned and stopped on the same validation queries. The test queries are measured once, by
NDCG@10; an interval is over test queries.
"""

import argparse
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import starmap
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np

import idealrank as ir
from benchmarks.worth.trees import folds, with_interval
from idealrank._typing import Floats
from idealrank.learners import LinearRanker, tune

__all__ = ["RIVALS", "Contestant", "Parts", "default", "main", "tuned"]

_NDCG = ir.measure("ndcg@10")


class Parts(NamedTuple):
    """The queries to learn from, to choose by, and to measure on."""

    train: ir.RankingData
    validation: ir.RankingData
    test: ir.RankingData


#: Returns one score per test document.
Contestant: TypeAlias = Callable[[Parts], Floats]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the mean of each contestant on each data set, in Markdown."""
    parser = argparse.ArgumentParser("python -m benchmarks.worth linear", description=__doc__)
    parser.add_argument("folders", type=Path, nargs="*", help="where the data sets are")
    parser.add_argument("--drawn", nargs="*", default=[], choices=list(_DRAWN), help="drawn data sets (none)")
    parser.add_argument("--losses", nargs="*", default=[], help="losses of LinearRanker to add (none)")
    options = parser.parse_args(arguments)
    contestants: dict[str, Contestant] = {
        **RIVALS,
        "LinearRanker()": default,
        **{each: partial(tuned, each, [0.0]) for each in options.losses},
    }
    columns = [*contestants, *(f"minus {name}" for name in _MINUS)]
    print("| data | queries |", *(f" {name} |" for name in columns), sep="")
    print("| --- | ---: |", " ---: |" * len(contestants), " --- |" * len(_MINUS), sep="", flush=True)
    sets: dict[str, Iterable[Parts]] = {folder.name: starmap(Parts, folds(folder)) for folder in options.folders}
    sets |= {
        f"drawn: {name}": iter([Parts(*_DRAWN[name](101).split([0.4, 0.2, 0.4], seed=0))]) for name in options.drawn
    }
    gaps: dict[str, list[Floats]] = {name: [] for name in _MINUS}
    for name, iterated in sets.items():
        parts = list(iterated)
        values = {each: np.concatenate([_values(of, part) for part in parts]) for each, of in contestants.items()}
        for against, rivals in _MINUS.items():
            best = max(rivals, key=lambda each: float(values[each].mean()))
            gaps[against].append((values["LinearRanker()"] - values[best])[None])
        means = [float(each.mean()) for each in values.values()]
        cells = [f"**{each:.4f}**" if each == max(means) else f"{each:.4f}" for each in means]
        cells += [with_interval(listed[-1]) for listed in gaps.values()]
        print(f"| {name} | {values['LinearRanker()'].size} | {' | '.join(cells)} |", flush=True)
    cells = [""] * (len(contestants) + 1) + [with_interval(*listed) for listed in gaps.values()]
    print(f"| mean of the data sets | {' | '.join(cells)} |")
    return 0


def _values(of: Contestant, part: Parts) -> Floats:
    return np.asarray(_NDCG(part.test.labels, of(part), part.test.offsets))


def default(part: Parts) -> Floats:
    return LinearRanker(measure="ndcg@10").fit(part.train, eval_set=part.validation).predict(part.test)


def _ridge(part: Parts) -> Floats:
    from sklearn.linear_model import Ridge
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    models = [make_pipeline(StandardScaler(), Ridge(alpha)) for alpha in 10.0 ** np.arange(-1, 6)]
    for model in models:
        model.fit(np.asarray(part.train.features, np.float64), part.train.labels)
    return _best(models, part)


def _best(models: list[Any], part: Parts) -> Floats:
    """Return the test scores of the model that is best on the validation queries."""
    valid = part.validation
    means = [float(_NDCG(valid.labels, model.predict(valid.features), valid.offsets).mean()) for model in models]
    return np.asarray(models[int(np.argmax(means))].predict(part.test.features), np.float64)


def _linear_trees(part: Parts) -> Floats:
    import lightgbm

    models = []
    for leaves in (4, 16):
        model = lightgbm.LGBMRanker(
            n_estimators=100,
            learning_rate=0.1,
            num_leaves=leaves,
            linear_tree=True,
            linear_lambda=1.0,
            n_jobs=1,
            verbosity=-1,
        )
        valid = part.validation
        models.append(
            model.fit(
                part.train.features, part.train.labels, group=part.train.group_sizes,
                eval_set=[(valid.features, valid.labels)], eval_group=[valid.group_sizes], eval_at=[10],
                callbacks=[lightgbm.early_stopping(20, verbose=False)],
            )
        )  # fmt: skip
    return _best(models, part)


def tuned(loss: str, penalties: Sequence[float], part: Parts) -> Floats:
    """Return the scores of a loss, with the scaling and the penalty that validation prefers."""
    settings = {"normalize": [None, "zscore"], "l2": penalties}
    ranker = LinearRanker(loss, measure="ndcg@10", max_iter=50)
    return np.asarray(tune(ranker, settings, part.train, eval_set=part.validation, n_jobs=1).best.predict(part.test))


RIVALS: dict[str, Contestant] = {
    "ridge": _ridge,
    "logistic pairs": partial(tuned, "pairwise_logistic", [0.1, 3.0, 100.0]),
    "linear trees": _linear_trees,
}

#: What LinearRanker() is compared with: the rival that is best on the test queries. Linear trees are not linear.
_MINUS = {"the better of ridge and pairs": ["ridge", "logistic pairs"], "linear trees": ["linear trees"]}


def _documents(seed: int, *, n_queries: int, kind: str) -> ir.RankingData:
    """Draw documents with 20 features, a third of which matter."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(10, 50, n_queries)
    features = rng.normal(size=(int(sizes.sum()), 200 if kind == "sparse" else 20))
    if kind == "sparse":
        features = np.abs(features) * (rng.random(features.shape) < 0.03)
    scores = features @ (rng.normal(size=features.shape[1]) * (rng.random(features.shape[1]) < 0.33))
    scores = scores / scores.std() + rng.normal(size=scores.size)
    if kind == "heavy tails":
        features = np.sign(features) * np.exp(1.5 * np.abs(features))
    if kind == "many scales":
        features *= 10.0 ** rng.integers(-5, 7, features.shape[1])
        features[:, 0] = 7e6
    labels = np.searchsorted([1.5] if kind == "binary" else [0.4, 1.4, 2.5, 3.7], scores)
    return ir.from_arrays(labels, group=sizes, features=features.astype(np.float32))


_KINDS = {"heavy tails": 300, "many scales": 300, "sparse": 300, "binary": 300, "few queries": 50}

#: Draws a data set from a seed.
_DRAWN: dict[str, Callable[[int], ir.RankingData]] = {
    "web search": lambda seed: ir.datasets.web_search(300, 60, seed=seed).train,
    "topics": lambda seed: ir.datasets.topic_distillation(250, 100, 10, seed=seed),
    **{kind: partial(_documents, n_queries=n_queries, kind=kind) for kind, n_queries in _KINDS.items()},
}
