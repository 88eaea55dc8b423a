"""Warnings of learners: is a ridge regression better than the ranker that was fitted?"""

import warnings

import numpy as np
from statements.world import Kind, World, at_most

import idealrank as ir
from idealrank.learners.linear.ridge import ObviousRivalWarning, warn_if_ridge_is_better

KINDS = {
    "a ridge regression is better": Kind(
        "RankNet ranks the validation queries worse than a ridge regression of the labels: the mean ndcg is 0.61 and "
        "0.66, and the 95% interval of the difference is 0.02 to 0.08."
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


WORLDS = [
    World("a ridge regression is better", "a ridge regression of other queries", _equal_rankers, at_most(0.05), 50)
]
