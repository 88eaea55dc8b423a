"""Warnings of learners: is something simple better than what was fitted?"""

import functools
import warnings

import numpy as np
from statements.world import Kind, World, at_most

import idealrank as ir
from idealrank.data.interactions import Interactions
from idealrank.data.item_scores import Catalog
from idealrank.errors import ObviousRivalWarning
from idealrank.evaluation.whole_catalogs import evaluate_catalog
from idealrank.learners.catalog_learner import warn_if_popularity_is_better
from idealrank.learners.linear.ridge import warn_if_ridge_is_better

KINDS = {
    "a ridge regression is better": Kind(
        "RankNet ranks the validation queries worse than a ridge regression of the labels: the mean ndcg is 0.61 and "
        "0.66, and the 95% interval of the difference is 0.02 to 0.08."
    ),
    "popularity is better": Kind(
        "FactorRanker is worse than the most popular items on 250 validation users: ndcg@20 is 0.21, and 0.25 for "
        "popularity; recommend the most popular items, or try other options"
    ),
    "score of a trained ranker": Kind(
        "validation ndcg: 0.7872, +0.0912 from the baseline, the best single feature in training (feature 1: 0.6960).",
        "it repeats two means of the table, and their difference",
    ),
}


def _data(rng: np.random.Generator, n_queries: int) -> ir.RankingData:
    features = rng.normal(size=(n_queries * 10, 4))
    labels = np.digitize(features[:, 0] + rng.normal(size=features.shape[0]), [0.0, 0.7, 1.4])
    return ir.from_arrays(labels, group=[10] * n_queries, features=features)


def _equal_rankers(rng: np.random.Generator) -> bool:
    """The ranker is a ridge regression of as many other queries."""
    ranker = ir.learners.LinearRanker(measure="ndcg@5").fit(_data(rng, 20))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warn_if_ridge_is_better(ranker, _data(rng, 20), _data(rng, 30), stacklevel=1)
    return any(each.category is ObviousRivalWarning for each in caught)


def _interactions(rng: np.random.Generator, chances: np.ndarray, n_users: int) -> Interactions:
    has = rng.random((n_users, chances.size)) < chances
    has[np.arange(n_users), rng.integers(chances.size, size=n_users)] = True
    offsets, items = np.append(0, np.cumsum(has.sum(axis=1))), np.nonzero(has)[1]
    return Interactions(np.arange(n_users), np.arange(chances.size), offsets, items, np.ones(items.size))


def _equally_popular(rng: np.random.Generator, n: int) -> bool:
    """The recommender is the popularity of items among as many other users."""
    chances = rng.beta(1, 6, 40)
    seen, others, wanted = (_interactions(rng, chances, n) for _ in range(3))
    counts = np.bincount(others.items, minlength=40).astype(np.float32)
    learned = Catalog(lambda users: np.tile(counts, (users.size, 1)), wanted.user_ids, wanted.item_ids)
    by = ir.measure("ndcg@10")
    found = evaluate_catalog(learned, wanted, seen, by, n_threads=1)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warn_if_popularity_is_better("A recommender", found, wanted, seen, by, 1)
    return bool(caught)


WORLDS = [
    *(
        World(
            "popularity is better",
            f"popularity among other users, {n} users",
            functools.partial(_equally_popular, n=n),
            at_most(0.05),
            100,
        )
        for n in (5, 100)
    ),
    World("a ridge regression is better", "a ridge regression of other queries", _equal_rankers, at_most(0.05), 50),
]
