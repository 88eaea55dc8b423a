"""Evaluate recommenders on whole catalogs: scores are computed for blocks of users, and never kept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from idealrank._core.threads import resolve_threads
from idealrank._typing import Floats, Int64s
from idealrank.data.columns import array_of, finite_scores, float_array, group_of_each, offsets_of
from idealrank.data.ids import taken
from idealrank.data.interactions import Interactions
from idealrank.data.item_scores import BestItems, Catalog, Products, Scorer, best_items
from idealrank.data.lists import JudgedLabels
from idealrank.data.problem import Problem
from idealrank.data.ranking import RankingData
from idealrank.errors import DataError
from idealrank.evaluation.evaluation_result import Evaluation
from idealrank.evaluation.evaluator import Evaluator
from idealrank.evaluation.inputs import Measures, named_measures
from idealrank.evaluation.streaming import concatenated
from idealrank.io.interaction_inputs import sparse_interactions
from idealrank.measures.conventions import Convention, convention
from idealrank.measures.cutoffs import Rank
from idealrank.measures.discounts import Discount, Linear
from idealrank.measures.gains import Gain
from idealrank.measures.measure_base import Measure, lowest_dcg

# Number of scores of complete lists at a time.
_SCORES_PER_BLOCK = 1 << 22
# Number of best items that are evaluated at a time, so that the cost of a call does not matter.
_BEST_PER_CALL = 1 << 19
_MOST_RANKS = 1_000_000


def evaluate_factors(
    user_factors: npt.ArrayLike | Scorer,
    item_factors: npt.ArrayLike | None,
    relevant: Any,
    *,
    exclude: Any = None,
    measures: Measures = ("ndcg@20",),
    like: str | Convention | None = None,
    n_threads: int | None = None,
) -> Evaluation:
    """Evaluate a recommender on the whole catalog, without keeping the matrix of all scores.

    The score of an item for a user is the dot product of their factors, or the value that a function returns. All items
    are ranked, except those that are excluded for the user. Items that are not stored in ``relevant`` have the label 0;
    users without relevant items are left out.

    Scores are computed for some users at a time, and need about 150 MB of memory in addition to the factors. For
    measures with a cutoff, only the items above it are sorted; other measures rank all items of each user.

    Parameters
    ----------
    user_factors : array-like of shape (n_users, n_factors), or callable
        The factors of the users; or a function that takes an int64 array of user numbers, and returns their scores for
        all items as an array of shape (number of users, n_items). Items with a score of ``-inf`` rank last.
    item_factors : array-like of shape (n_items, n_factors) or None
        The factors of the items; None if ``user_factors`` is a function.
    relevant : SciPy sparse matrix of shape (n_users, n_items)
        The labels of the items to find, such as those of a test set; 1 for binary relevance.
    exclude : SciPy sparse matrix of shape (n_users, n_items), optional
        Items to leave out of the ranking of a user, such as those of the training set. None ranks all items.
    measures : str, Measure or iterable of these
        The measures to compute.
    like : str or Convention, optional
        The convention for options that the measures leave unset; by default, "idealrank".
    n_threads : int, optional
        Number of threads; None means all cores, or the number passed to `set_threads`. NumPy multiplies the factors
        with its own number of threads.

    Returns
    -------
    Evaluation
        One value per user and measure, as from `evaluate`: ``.mean``, ``.per_query``, ``.interval()``. `compare` takes
        several of them: ``compare({"a": first, "b": second})``.

    Raises
    ------
    DataError
        If shapes do not match, a factor or a score is not finite, a label is negative, or no user has a relevant item.

    Examples
    --------
    Two users and three items; the first user already has item 0, which is therefore not ranked:

    >>> from scipy.sparse import csr_array
    >>> from idealrank import evaluate_factors
    >>> relevant, seen = csr_array([[0, 0, 1], [0, 1, 0]]), csr_array([[1, 0, 0], [0, 0, 0]])
    >>> ev = evaluate_factors([[1.0], [2.0]], [[3.0], [1.0], [2.0]], relevant, exclude=seen, measures=["rr@3", "p@1"])
    >>> ev.mean, ev.per_query["rr@3"]
    ({'rr@3': 0.6666666666666666, 'p@1': 0.5}, array([1.        , 0.33333333]))
    """
    labels = sparse_interactions(relevant, "relevant")
    seen = None if exclude is None else sparse_interactions(exclude, "exclude", (labels.n_users, labels.n_items))
    scorer = _scorer(user_factors, item_factors, labels.n_users, labels.n_items)
    catalog = Catalog(scorer, labels.user_ids, labels.item_ids)
    return evaluate_catalog(catalog, labels, seen, measures, like=like, n_threads=n_threads)


def evaluate_catalog(
    catalog: Catalog,
    relevant: Interactions,
    exclude: Interactions | None,
    measures: Measures,
    *,
    like: str | Convention | None = None,
    n_threads: int | None = None,
) -> Evaluation:
    """Evaluate scores of whole catalogs; relevant and excluded items have the users and items of the catalog."""
    rules = convention(like or "idealrank")
    named = named_measures(measures, rules)
    problems: list[Problem] = []
    if exclude is not None:
        relevant, n_both = relevant.without(exclude)
        if n_both:
            what = f"{n_both:,} relevant items are also excluded: they are not ranked, and not counted as relevant"
            problems.append(Problem("excluded relevant item", n_both, what))
    users = np.flatnonzero(relevant.counts)
    if not users.size:
        raise DataError("no user has a relevant item that is not excluded: there is nothing to evaluate")
    n_left_out = relevant.n_users - users.size
    if n_left_out:
        what = f"{n_left_out:,} of {relevant.n_users:,} users have no relevant item and are left out"
        problems.append(Problem("user without relevant item", n_left_out, what))
    depth = _depth(named, rules)
    make = _complete_lists if depth is None else _first_items
    parts = [
        Evaluator(data, rules, n_threads=n_threads).evaluate(scores, measures)
        for data, scores in make(catalog, relevant, exclude, users, depth or 0, rules, resolve_threads(n_threads))
    ]
    found = concatenated(parts)
    return replace(found, problems=(*problems, *found.problems))


def _scorer(user_factors: Any, item_factors: Any, n_users: int, n_items: int) -> Scorer:
    if callable(user_factors):
        if item_factors is not None:
            raise DataError("a function returns scores, not factors: item_factors must be None")
        scorer: Scorer = user_factors
        return scorer
    users = _factors(user_factors, "user_factors", n_users, "user")
    items = _factors(item_factors, "item_factors", n_items, "item")
    if users.shape[1] != items.shape[1]:
        raise DataError(
            f"user_factors and item_factors must have as many columns, got shapes {users.shape} and {items.shape}"
        )
    if users.dtype != items.dtype:
        users, items = users.astype(np.float64), items.astype(np.float64)
    return Products(users, items)


def _factors(given: Any, name: str, size: int, of_each: str) -> npt.NDArray[Any]:
    factors = array_of(given, name)
    if factors.ndim != 2:
        raise DataError(f"{name} must be a matrix of numbers, got {factors.dtype} of shape {factors.shape}")
    if factors.shape[0] != size:
        raise DataError(f"{name} must have one row per {of_each} of relevant: {size}, got {factors.shape[0]}")
    if factors.dtype != np.float32:
        factors = float_array(given, name)
    bad = np.flatnonzero(~np.isfinite(factors).all(axis=1))
    if bad.size:
        raise DataError(f"a factor must be a finite number, got another one in row {bad[0]} of {name}")
    return factors


def _depth(named: Mapping[str, Measure], rules: Convention) -> int | None:
    """Return the rank at which all measures end; None if a measure depends on lower ranks."""
    depth = 0
    for each in named.values():
        plan = each.with_convention(rules).plan()
        if (
            plan is None
            or not isinstance(plan.cutoff, Rank)
            or not isinstance(plan.gain, Gain)
            or float(plan.gain(np.zeros(1))[0]) != 0
            or isinstance(plan.discount, Linear)
            or plan.ideal_retrieved
            or lowest_dcg(plan.gain) < 0
            or _rises(plan.discount, plan.cutoff.k)
        ):
            return None
        depth = max(depth, plan.cutoff.k)
    return depth


def _rises(discount: Discount, depth: int) -> bool:
    """Return whether some weight is larger than an earlier one, or negative: the ideal then depends on all items."""
    if discount.decreases:
        return False
    return bool((np.diff(discount.weights(min(depth, _MOST_RANKS)), append=0.0) > 0).any())


def _first_items(
    catalog: Catalog,
    relevant: Interactions,
    exclude: Interactions | None,
    users: Int64s,
    depth: int,
    rules: Convention,
    n_threads: int,
) -> Iterator[tuple[RankingData, Floats]]:
    """Yield the items up to a cutoff, together with the labels of all relevant items."""
    if rules.precision == "float32":
        exact = catalog.scores
        catalog = replace(catalog, scorer=lambda some: exact(some).astype(np.float32, copy=False))
    n_items = relevant.n_items
    found = best_items(catalog, users, depth, exclude, n_threads)
    for some, items, scores, offsets in _joined(found, _BEST_PER_CALL):
        known, worth, cut = relevant.of_users(some)
        rows = np.arange(some.size)
        keys = np.repeat(rows, np.diff(cut)) * n_items + known
        order = np.argsort(keys, kind="stable")
        wanted = np.repeat(rows, np.diff(offsets)) * n_items + items
        near = order[np.minimum(np.searchsorted(keys, wanted, sorter=order), keys.size - 1)]
        labels = np.where(keys[near] == wanted, worth[near], 0.0)
        data = RankingData(labels, offsets, taken(catalog.user_ids, some), judged=JudgedLabels(worth, cut))
        yield data, finite_scores(scores)


def _joined(parts: Iterable[BestItems], n_items: int) -> Iterator[BestItems]:
    """Yield fewer parts of `best_items`: each has at least this many items, except for the last."""
    held: list[BestItems] = []
    for part in parts:
        held.append(part)
        if sum(items.size for _, items, _, _ in held) >= n_items:
            yield _one(held)
            held = []
    if held:
        yield _one(held)


def _one(parts: Sequence[BestItems]) -> BestItems:
    users, items, scores = (np.concatenate([part[axis] for part in parts]) for axis in range(3))
    return users, items, scores, offsets_of(np.concatenate([np.diff(part[3]) for part in parts]))


def _complete_lists(
    catalog: Catalog,
    relevant: Interactions,
    exclude: Interactions | None,
    users: Int64s,
    depth: int,
    rules: Convention,
    n_threads: int,
) -> Iterator[tuple[RankingData, Floats]]:
    """Yield all items that are not excluded."""
    for some in catalog.blocks(users, _SCORES_PER_BLOCK):
        block = catalog.scores(some)
        kept = np.ones(block.shape, bool)
        if exclude is not None:
            excluded, _, starts = exclude.of_users(some)
            kept[group_of_each(starts), excluded] = False
        scores = block.astype(np.float64, copy=False)
        bad = np.argwhere(~np.isfinite(scores) & ~np.isneginf(scores) & kept)
        if bad.size:
            user, item = map(int, bad[0])
            error = DataError(f"a score must be a finite number, got {scores[user, item]:g}", query=user, row=item)
            raise catalog.located(error, some)
        offsets = offsets_of(kept.sum(axis=1))
        data = RankingData(relevant.dense(some)[kept], offsets, taken(catalog.user_ids, some))
        yield data, finite_scores(scores[kept])
