"""Boosted trees: LightGBM's training with our objectives, against its own."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from benchmarks.runner import Comparison, Contestant, Setting, entry
from benchmarks.targets import AtMost
from idealrank._core.extras import needs

_LENGTH = 100
_FEATURES = 136
# A hundred would take most of an hour in all rounds; a tree costs the same, whatever its number.
_TREES = 20


@entry
def boosting_with_lightgbm(setting: Setting) -> Iterator[Comparison]:
    n_docs = setting.size(10_000) * _LENGTH
    dataset = _dataset(n_docs)
    for name in ("lambda_rank", "approx_ndcg"):
        yield Comparison(
            f"LightGBM, {n_docs:,} documents, {_FEATURES} features, {_TREES} trees: {name}",
            Contestant("idealrank", _training(dataset, _ours(name))),
            [Contestant("LightGBM's lambdarank", _training(dataset, "lambdarank"), AtMost(1.25), module="lightgbm")],
        )


@entry
def boosting_cost_of_the_objective(setting: Setting) -> Iterator[Comparison]:
    """Trees of three leaves of one feature, so that the objective is most of the time."""
    for length in (10, 100, 1000):
        n_docs = setting.size(1_000_000 // length) * length
        dataset = _dataset(n_docs, length, n_features=1)
        ours, theirs = (
            _training(dataset, objective, num_leaves=3)
            for objective in (_ours("lambda_rank(truncation=30)"), "lambdarank")
        )
        yield Comparison(
            f"LightGBM, {n_docs:,} documents in lists of {length:,}, 1 feature, {_TREES} trees of 3 leaves: LambdaRank",
            Contestant("idealrank", ours),
            [Contestant("LightGBM's lambdarank", theirs, AtMost(1.0), module="lightgbm")],
        )


@entry
def boosting_whole_training(setting: Setting) -> Iterator[Comparison]:
    """Trees of LightGBM's default size, as in everyday training."""
    n_docs, n_features = setting.size(2_000) * _LENGTH, 40
    dataset = _dataset(n_docs, n_features=n_features)
    yield Comparison(
        f"LightGBM, {n_docs:,} documents, {n_features} features, {_TREES} trees: LambdaRank",
        Contestant("idealrank", _training(dataset, _ours("lambda_rank(truncation=30)"))),
        [Contestant("LightGBM's lambdarank", _training(dataset, "lambdarank"), AtMost(1.1), module="lightgbm")],
    )


@entry
def serving_one_query(setting: Setting) -> Iterator[Comparison]:
    """The scores of 50 documents by 100 trees, with all checks, against the booster alone."""
    from idealrank import datasets
    from idealrank.learners import BoostedRanker

    train = datasets.web_search(40, 100, n_features=40).train
    ranker = BoostedRanker(n_estimators=100, n_threads=1).fit(train)
    documents = np.ascontiguousarray(train.known_features()[:50], np.float32)
    n_calls = setting.size(200)

    def calls(predict: Callable[[], Any]) -> Callable[[], Any]:
        return lambda: [predict() for _ in range(n_calls)]

    raw = calls(lambda: ranker.booster_.predict(documents, num_threads=1))
    yield Comparison(
        f"BoostedRanker.predict, one query of 50 documents, 100 trees, {n_calls:,} times",
        Contestant("idealrank", calls(lambda: ranker.predict(documents))),
        [Contestant("LightGBM's Booster.predict", raw, AtMost(1.5), module="lightgbm")],
    )


def _dataset(n_docs: int, length: int = _LENGTH, n_features: int = _FEATURES) -> Any:
    """Five labels that follow up to ten of the features; made into bins before anything is measured."""
    with needs("lightgbm"):
        import lightgbm

    rng = np.random.default_rng(0)
    features = rng.standard_normal((n_docs, n_features), np.float32)
    merit = features[:, :10].sum(axis=1) + 2 * rng.standard_normal(n_docs, np.float32)
    labels = np.digitize(merit, np.quantile(merit, [0.5, 0.75, 0.9, 0.97]))
    group = np.full(n_docs // length, length)
    return lightgbm.Dataset(features, labels, group=group, params={"verbosity": -1}).construct()


def _ours(loss: str) -> Any:
    from idealrank.integrations.lightgbm import objective

    return objective(loss)


def _training(dataset: Any, objective: Any, **params: Any) -> Callable[[], Any]:
    def train() -> Any:
        import lightgbm

        return lightgbm.train({"objective": objective, "verbosity": -1, **params}, dataset, _TREES)

    return train
