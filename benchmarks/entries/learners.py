"""Learners: an iteration against the matrix products that it cannot do without, and SVMs against explicit pairs."""

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.processes import peak_memory
from benchmarks.runner import Comparison, Contestant, Digest, Mark, Setting, as_returned, entry
from benchmarks.targets import AtMost

_N_FEATURES = 136
_ITERATIONS = 20
_ROWS = """
import numpy as np
rng = np.random.default_rng(0)
X = rng.random(({n_docs}, 136), np.float32)
y = np.minimum(rng.geometric(0.5, {n_docs}) - 1, 4)
qid = np.arange({n_docs}) // 120
"""
_RANKER = "ApproxNDCGRanker(normalize='minmax', max_iter={}, continuation=False)"


def _rows(n_docs: int) -> tuple[Any, Any, Any]:
    made: dict[str, Any] = {}
    exec(_ROWS.format(n_docs=n_docs), made)
    return made["X"], made["y"], made["qid"]


@entry
def linear_ranker(setting: Setting) -> Iterator[Comparison]:
    from sklearn.exceptions import ConvergenceWarning

    from idealrank.learners import ApproxNDCGRanker

    n_docs = setting.size(1_000_000)
    X, y, qid = _rows(n_docs)
    weights, by_score = np.ones(_N_FEATURES, np.float32), np.ones(n_docs, np.float32)

    def products() -> Any:
        for _ in range(_ITERATIONS):
            found = X @ weights, by_score @ X
        return found

    ranker = ApproxNDCGRanker(normalize="minmax", max_iter=_ITERATIONS, continuation=False)

    def fit() -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # iterations are counted, not the result
            return ranker.fit(X, y, qid=qid)

    yield Comparison(
        f"{_ITERATIONS} iterations of L-BFGS, ApproxNDCG, {n_docs:,} x {_N_FEATURES}, min-max within queries",
        Contestant("idealrank", fit),
        [Contestant("the products X w and X' g alone, NumPy", products, AtMost(3), is_floor=True)],
        amount=_ITERATIONS,
        amount_unit="iterations",
    )


@entry
def linear_ranker_memory(setting: Setting) -> Iterator[Comparison]:
    n_docs = setting.size(1_000_000)
    imports = _ROWS.format(n_docs=n_docs) + "from idealrank.learners import ApproxNDCGRanker\n"
    expression = f"{_RANKER.format(3)}.fit(X, y, qid=qid)"
    yield Comparison(
        f"a fit of ApproxNDCG, {n_docs:,} x {_N_FEATURES}, peak memory over that of the arrays given",
        Contestant("idealrank", lambda: peak_memory(imports, expression, setting.folder)),
        [Mark("20 doubles per document", 160 * n_docs, AtMost(1))],
        unit="B",
        meter=as_returned,
    )


@entry
def rank_svm(setting: Setting) -> Iterator[Comparison]:
    from idealrank.learners import RankSVM

    n_queries = setting.size(300)
    rng = np.random.default_rng(1)
    qid = np.repeat(np.arange(n_queries), 20)
    y = rng.integers(0, 3, qid.size)
    X = (rng.normal(size=(qid.size, 10)) + 0.3 * y[:, None]).astype(np.float32)
    better, worse = np.nonzero((qid[:, None] == qid) & (y[:, None] > y))
    pairs = (X[better] - X[worse]).astype(np.float64)
    cost = 1e-3

    def objective(weights: Any) -> Digest:
        short = np.maximum(0, 1 - pairs @ weights)
        return (float(weights @ weights / 2 + cost * short @ short),)

    def on_pairs() -> Any:
        from sklearn.svm import LinearSVC

        signs = np.where(np.arange(len(pairs)) % 2, 1, -1)
        peer = LinearSVC(C=cost, fit_intercept=False, tol=1e-6, max_iter=100_000)
        return peer.fit(pairs * signs[:, None], signs).coef_[0]

    yield Comparison(
        f"RankSVM, squared hinge, {len(pairs):,} pairs of {qid.size:,} documents; the objectives agree",
        Contestant("idealrank", lambda: RankSVM(C=cost).fit(X, y, qid=qid).coef_, digest=objective),
        [Contestant("LinearSVC on explicit pairs", on_pairs, None, "sklearn", "scikit-learn", digest=objective)],
        amount=len(pairs) / 1e6,
        amount_unit="M pairs",
    )


@entry
def rank_svm_of_long_lists(setting: Setting) -> Iterator[Comparison]:
    from idealrank.losses import SquaredHinge

    rng = np.random.default_rng(2)
    n_docs = setting.size(1_000_000)
    labels, scores = rng.integers(0, 5, n_docs).astype(float), rng.normal(size=n_docs)
    loss = SquaredHinge()
    yield Comparison(
        f"RankSVM's loss and gradient, one list of {n_docs:,} documents",
        Contestant("idealrank", lambda: loss(labels, scores)),
        [Contestant("np.argsort, stable", lambda: np.argsort(scores, kind="stable"), AtMost(2), is_floor=True)],
        amount=n_docs / 1e6,
        amount_unit="M",
    )
