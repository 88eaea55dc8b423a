"""Find which measures distinguish rankers on real lists, and what theory predicts."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Unpack

import numpy as np
import numpy.typing as npt

from idealrank._core.checks import check_callback, check_count, items_of
from idealrank._core.seeds import generator
from idealrank._typing import Int64s
from idealrank.data.columns import int_array
from idealrank.data.ranking import Order, RankingData
from idealrank.errors import DataError
from idealrank.evaluation.evaluation_result import Evaluations
from idealrank.evaluation.evaluator import Evaluator
from idealrank.evaluation.inputs import Data, LayoutOptions, Measures, Several, judged_and_systems, layout_of
from idealrank.measures import Measure
from idealrank.measures.conventions import Convention
from idealrank.measures.measure_names import named
from idealrank.theory.distinguishing.all_pairs import Distinctions
from idealrank.theory.distinguishing.confidence_sequences import check_delta
from idealrank.theory.distinguishing.distinctions import Distinction
from idealrank.theory.distinguishing.growing_lists import check_growing, growing_sizes, ranker_curves
from idealrank.theory.distinguishing.measure_distinctions import (
    MeasureDistinction,
    measure_distinctions,
    swap_p_values,
    swap_sums,
    swaps,
)
from idealrank.theory.long_lists.measure_discount import MEASURES

#: Values on growing lists that are compared at once, so that those of several pairs fit into the caches.
_AT_ONCE = 1 << 18


def distinguish(
    data: Data,
    systems: Several,
    measures: Measures = MEASURES,
    *,
    like: str | Convention | None = None,
    sizes: npt.ArrayLike | None = None,
    n_orders: int = 0,
    n_permutations: int = 2_000,
    delta: float = 0.05,
    seed: int | None = 0,
    order: Order | None = None,
    n_threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    **layout: Unpack[LayoutOptions],
) -> Distinctions:
    """Find which measures distinguish rankers on these lists, pair by pair, how soon, and what theory predicts.

    Means, wins, p-values and the number of queries needed come from `evaluate`, on the queries that all rankers have.
    The p-value is that of the randomization test: how often would rankers that do not differ show such a lead? For the
    other results, the list of every query grows document by document, as in appendix A of Wang et al. 2013. This
    requires lists that all rankers order completely. For judgments and runs, therefore, the judged documents are
    ranked, and those that a run does not retrieve come last; the field ``lists`` of the result says so. A list has no
    value until it contains a relevant document.

    Parameters
    ----------
    data, systems
        The judged documents, and two rankers or more, as in `evaluate`.
    measures : str, Measure or iterable of these
        DCG, NDCG or linear NDCG measures.
    like : str or Convention, optional
        The convention for options that the measures leave unset, as in `evaluate`. On growing lists, ties are averaged
        unless the measure sets another rule.
    sizes : array-like, optional
        The lengths at which growing lists are evaluated. By default, all lengths for lists up to 5000 documents, and at
        most 500 lengths for longer lists.
    n_orders : int
        Number of random orders in which lists grow; 0 means that they grow in the order of their rows.
    n_permutations : int
        The number of random exchanges of two rankers, query by query, from which p-values come. With few queries, all
        exchanges are computed.
    delta : float
        The accepted probability of a wrong order: two rankers are distinguished if the p-value is at most ``delta``.
    seed : int, optional
        Seed of the random number generator; None means a new seed for every call.
    order : {"input", "grouped"}, optional
        The order of the scores, as in `evaluate`.
    n_threads : int, optional
        Number of threads; None means all cores, or the number passed to `set_threads`.
    progress : callable, optional
        Called with the number of pairs that are done, and the number of all pairs.
    **layout
        The layout of the data: offsets, group, query_ids, mask, and column names, as in `evaluate`.

    Returns
    -------
    Distinctions
        One `Distinction` per pair of rankers in ``pairs``: a row per measure, and what theory predicts.

    Raises
    ------
    OptionError
        If no measure is given, a measure is not of these kinds, or an option is out of range.
    DataError
        If there are fewer than two rankers, or no document is relevant.

    Examples
    --------
    The first ranker ranks both queries ideally, and the second one reverses both.

    >>> from idealrank.theory import distinguish
    >>> rankers = {"good": [3, 2, 1] * 2, "bad": [1, 2, 3] * 2}
    >>> found = distinguish([2, 1, 0, 1, 0, 0], rankers, ["ndcg", "ndcg@1"], offsets=[0, 3, 6])
    >>> pair = found.pairs[0]
    >>> pair.best, pair["ndcg@1"].mean_a, pair["ndcg@1"].mean_b, pair["ndcg@1"].wins
    ('ndcg', 1.0, 0.0, 1.0)
    """
    check_callback(progress, "progress")
    listed = measures if isinstance(measures, (str, Measure)) else list(items_of(measures, "measures"))
    given = named(listed)
    check_count(n_orders, "n_orders", least=0)
    check_count(n_permutations, "n_permutations")
    check_delta(delta)
    judged, rankers = judged_and_systems(data, systems, layout_of(distinguish, layout, order))
    if len(rankers) < 2:
        raise DataError("a distinction needs two systems or more: give {name: run} or {name: scores}")
    evaluator = Evaluator(judged, like, n_threads=n_threads)
    rules = evaluator.convention
    grown = {name: replace(each.with_convention(rules), ties=each.ties or "average") for name, each in given.items()}
    for name, each in grown.items():
        check_growing(each, name)
    evaluations = evaluator.evaluate_all(rankers.items(), listed)
    lists = evaluator.complete_lists(rankers.items(), evaluations)
    seed = int(generator(seed).integers(2**32))  # shared, so that all pairs and measures see the same swaps
    swapped = swaps(evaluations.n_queries, n_permutations, seed)
    values = {name: np.column_stack([each.per_query[m] for m in grown]) for name, each in evaluations.items()}
    sums = {name: swap_sums(each, swapped) for name, each in values.items()}
    grid = _grid(lists.data, sizes)
    documents = (lists.data.labels, lists.scores, lists.data.offsets, grid)
    shown = ranker_curves(grown, *documents, n_orders=n_orders, seed=seed, n_threads=n_threads)

    def distinctions(names: Sequence[tuple[str, str]]) -> Iterator[Distinction]:
        both = [(evaluations[a], evaluations[b]) for a, b in names]
        differences = [values[a] - values[b] for a, b in names]
        if any(np.isnan(each).all(axis=0).any() for each in differences):
            raise DataError("no query has a value: no measure can distinguish rankers")
        found = [swap_p_values(own, sums[a] - sums[b]) for own, (a, b) in zip(differences, names, strict=True)]
        lists_of = [{name: (shown[a][name], shown[b][name]) for name in grown} for a, b in names]
        p_values = np.array([each for each, _ in found]).T.tolist()
        columns = [
            measure_distinctions(name, m, both, [each[name] for each in lists_of], p_values=chances, delta=delta)
            for (name, m), chances in zip(grown.items(), p_values, strict=True)
        ]
        rows_of = zip(*columns, strict=True)
        for pair, own, curves, (_, p_value), rows in zip(names, both, lists_of, found, rows_of, strict=True):
            pair_of = evaluations if len(rankers) == 2 else Evaluations(dict(zip(pair, own, strict=True)))
            facts = pair, evaluations.n_queries, tuple(grown), p_value, pair_of
            yield Distinction(tuple(sorted(rows, key=_soonest)), grid, curves, *facts, lists.remarks, delta)

    pairs: list[Distinction] = []
    names = list(combinations(rankers, 2))
    at_once = max(1, _AT_ONCE // (lists.data.offsets.size * grid.size * max(n_orders, 1)))
    for begin in range(0, len(names), at_once):
        for found in distinctions(names[begin : begin + at_once]):
            pairs.append(found)
            if progress is not None:
                progress(len(pairs), len(names))
    return Distinctions(tuple(pairs), evaluations, lists.remarks)


def _grid(data: RankingData, sizes: npt.ArrayLike | None) -> Int64s:
    """The lengths of growing lists: those given, or all up to the median length."""
    if not data.labels.any():
        raise DataError("no document is relevant: no measure can distinguish rankers")
    lengths = data.group_sizes[data.group_sizes > 0]
    grid = growing_sizes(int(np.median(lengths))) if sizes is None else int_array(sizes, "sizes")
    if not grid.size:
        raise DataError("sizes is empty: give the numbers of documents to compare at")
    return grid


def _soonest(row: MeasureDistinction) -> tuple[bool, float, float]:
    """The key that sorts measures by the queries that they need."""
    return row.better is None, row.queries_needed or math.inf, row.settled_at or math.inf
