"""Whole catalogs: an epoch of matrix factorization by an exact loss, and the evaluation of factors."""

from collections.abc import Iterator
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from benchmarks.runner import Comparison, Contestant, Mark, Setting, entry
from benchmarks.targets import AtLeast, AtMost

_FACTORS = 64


@entry
def an_epoch_over_a_catalog(setting: Setting) -> Iterator[Comparison]:
    """The sizes of Food and of MovieLens-100k, with drawn interactions; limits in seconds, for two cores."""
    for n_users, n_items, per_user, limit in ((5_875, 9_852, 31, 8.0), (939, 1_016, 68, 0.3)):
        users = setting.size(n_users)
        train = _interactions(users, n_items, per_user)
        yield Comparison(
            f"exact LambdaRank, {users:,} users x {n_items:,} items, {_FACTORS} factors: one epoch",
            Contestant("idealrank", partial(_epoch, train)),
            [Mark("limit", limit, AtMost(1.0))],
            amount=users * n_items,
            amount_unit="scores",
        )


@entry
def evaluating_factors(setting: Setting) -> Iterator[Comparison]:
    """NDCG@20 of the sizes of Gowalla, in batches; the peers have no values per user.

    recommenders has no ranking of factors: the products are NumPy's, and the rest as its own model SAR does it.
    """
    users, n_items = setting.size(29_858), 40_988
    train, test = _interactions(users, n_items, 27), _interactions(users, n_items, 7, seed=1)
    test -= test.multiply(train)
    test.eliminate_zeros()
    rng = np.random.default_rng(2)
    factors = [rng.standard_normal((size, _FACTORS), np.float32) for size in (users, n_items)]
    yield Comparison(
        f"NDCG@20 of {users:,} users x {n_items:,} items, {_FACTORS} factors",
        Contestant("idealrank", partial(_ours, factors, train, test), digest=lambda found: (found.mean["ndcg@20"],)),
        [
            Contestant(
                "implicit",
                partial(_implicit, factors, train, test),
                AtMost(1.0),
                module="implicit",
                digest=lambda found: (found["ndcg"],),
            ),
            Contestant(
                "recommenders",
                partial(_recommenders, factors, train, test),
                AtLeast(5.0),
                module="recommenders",
                digest=lambda found: (found,),
            ),
        ],
        amount=users * n_items,
        amount_unit="scores",
    )


def _interactions(n_users: int, n_items: int, per_user: int, seed: int = 0) -> Any:
    from scipy.sparse import csr_matrix

    rng = np.random.default_rng(seed)
    items = np.minimum(rng.exponential(n_items / 6, (n_users, per_user)), n_items - 1).astype(np.int32)
    rows = np.repeat(np.arange(n_users, dtype=np.int32), per_user)
    matrix = csr_matrix((np.ones(items.size), (rows, items.ravel())), shape=(n_users, n_items))
    matrix.data[:] = 1.0
    return matrix


def _epoch(train: Any) -> Any:
    from idealrank.learners import FactorRanker

    return FactorRanker(_FACTORS, max_iter=1, random_state=0).fit(train)


def _ours(factors: Any, train: Any, test: Any) -> Any:
    import idealrank as ir

    return ir.evaluate_factors(factors[0], factors[1], test, exclude=train)


def _implicit(factors: Any, train: Any, test: Any) -> Any:
    base: Any = import_module("implicit.cpu.matrix_factorization_base").MatrixFactorizationBase
    nothing = {"fit": lambda *_: None, "save": lambda *_: None}
    model = type("Fitted", (base,), nothing)()
    model.user_factors, model.item_factors = factors
    measured = import_module("implicit.evaluation").ranking_metrics_at_k
    return measured(model, train, test, K=20, show_progress=False, num_threads=0)


def _recommenders(factors: Any, train: Any, test: Any, batch_size: int = 1024) -> Any:
    import pandas as pd

    evaluation, utils = (
        import_module(f"recommenders.{name}") for name in ("evaluation.python_evaluation", "utils.python_utils")
    )
    found = []
    for start in range(0, train.shape[0], batch_size):
        scores = factors[0][start : start + batch_size] @ factors[1].T
        scores[train[start : start + batch_size].nonzero()] = -np.inf
        items, best = utils.get_top_k_scored_items(scores, top_k=20, sort_top_k=True)
        users = np.repeat(np.arange(start, start + len(scores)), items.shape[1])
        found.append(pd.DataFrame({"userID": users, "itemID": items.ravel(), "prediction": best.ravel()}))
    users, items = test.nonzero()
    relevant = pd.DataFrame({"userID": users.astype(np.int64), "itemID": items.astype(np.int64), "rating": 1.0})
    return evaluation.ndcg_at_k(relevant, pd.concat(found), k=20)
