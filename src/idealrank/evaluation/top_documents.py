"""The first documents of each query, as systems rank them and as a measure sees them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Unpack

import numpy as np

from idealrank import _native
from idealrank._core.checks import check_count
from idealrank._typing import Booleans, Floats, Int64s
from idealrank.data.columns import offsets_of
from idealrank.data.judgments import Run
from idealrank.data.lists import Lists
from idealrank.data.ranking import Order
from idealrank.evaluation.evaluator import Evaluator
from idealrank.evaluation.inputs import Data, LayoutOptions, Measures, OneSystem, Several, judged_and_systems, layout_of
from idealrank.measures.base import Measure
from idealrank.measures.conventions import Convention

if TYPE_CHECKING:
    from idealrank.measures.plan import Plan

__all__ = ["Ranking", "Rankings", "Worth", "ranked_lists"]

#: The usual number of documents per query.
_DEPTH = 10


class Ranking(NamedTuple):
    """The first documents of each query.

    Parameters
    ----------
    query_ids : list of str
        The queries.
    offsets : int64 array
        Query i has the documents ``offsets[i]:offsets[i + 1]``, best first.
    documents : list of str
        The ids of the documents; without ids, their positions within the query, counted from 1.
    labels : float64 array
        Their labels; NaN if a document is unjudged.
    tied : bool array
        Whether a neighbor in the whole ranking has the same score.
    """

    query_ids: list[str]
    offsets: Int64s
    documents: list[str]
    labels: Floats
    tied: Booleans


class Worth(NamedTuple):
    """What a measure makes of labels and ranks.

    Parameters
    ----------
    gains : mapping of float to float
        The gain of each label; that of an unjudged document has the key NaN.
    discounts : float64 array
        The discount of each rank that counts.
    """

    gains: Mapping[float, float]
    discounts: Floats


@dataclass(frozen=True)
class Rankings:
    """The first documents of each query, by system.

    Attributes
    ----------
    systems : mapping of str to Ranking
        {system: its rankings}.
    depth : int
        The maximum number of documents per query.
    filled : mapping of str to Measure
        The measures with every option filled in; the first one determines the order of equal scores.

    Examples
    --------
    >>> from idealrank import report
    >>> found = report.ranked_lists({"q": {"a": 2, "b": 0}}, {"x": {"q": {"a": 1, "b": 3, "c": 1}}}, "ndcg")
    >>> found.systems["x"].documents, found.systems["x"].labels.tolist(), found.systems["x"].tied.tolist()
    (['b', 'c', 'a'], [0.0, nan, 2.0], [False, True, True])
    """

    systems: Mapping[str, Ranking]
    depth: int
    filled: Mapping[str, Measure]

    @classmethod
    def of(
        cls,
        evaluator: Evaluator,
        systems: Iterable[tuple[str, Run | Floats]],
        measures: Measures,
        depth: int = _DEPTH,
    ) -> Rankings:
        """Return the rankings of systems, given as pairs (name, system), in the order that the first measure uses."""
        filled = evaluator.filled(measures)
        first = next(iter(filled.values()))
        return cls({name: _ranking(evaluator, system, first, depth) for name, system in systems}, depth, filled)

    def worth(self) -> dict[str, Worth]:
        """Return the gains and discounts of each measure that sums gains times discounts.

        Examples
        --------
        >>> found = ranked_lists({"q": {"a": 2, "b": 0}}, {"q": {"a": 1, "b": 3}}, ["dcg@1", "rr"])
        >>> found.worth()
        {'dcg@1': Worth(gains={0.0: 0.0, 2.0: 2.0}, discounts=array([1.]))}
        """
        labels = np.unique(np.concatenate([np.zeros(0), *(each.labels for each in self.systems.values())]))
        known = labels[~np.isnan(labels)]
        found = {}
        for name, each in self.filled.items():
            plan = each.plan()
            if plan is None or plan.reduction != "sum" or isinstance(plan.gain, str) or isinstance(plan.cutoff, str):
                continue
            gains = dict(zip(known.tolist(), np.asarray(plan.gain(known), np.float64).tolist(), strict=True))
            discounts = _discounts(plan, self.depth)
            if discounts is not None:
                found[name] = Worth(gains, discounts)
        return found


def ranked_lists(
    data: Data,
    systems: OneSystem | Several,
    measures: Measures = ("ndcg@10",),
    *,
    like: str | Convention | None = None,
    depth: int = _DEPTH,
    order: Order | None = None,
    n_threads: int | None = None,
    **layout: Unpack[LayoutOptions],
) -> Rankings:
    """Return the first documents of each query, for a report.

    Parameters
    ----------
    data, systems
        The judged documents and the systems, as in `evaluate`.
    measures : str, Measure or iterable of these
        The measures of the report; the first one determines the order of documents with equal scores.
    like : str or Convention, optional
        The convention for options that the measures leave unset, as in `evaluate`.
    depth : int
        The maximum number of documents per query.
    order : {"input", "grouped"}, optional
        The order of the scores, as in `evaluate`.
    n_threads : int, optional
        Number of threads; None means all cores, or the number passed to `set_threads`.
    **layout
        The layout of the data: offsets, group, query_ids, mask, and column names, as in `evaluate`.

    Returns
    -------
    Rankings
        The rankings by system; a system without a name is called "system".

    Raises
    ------
    DataError
        If the data is not recognized, or the systems have no query in common with it.
    OptionError
        If a measure is unknown.

    Examples
    --------
    >>> from idealrank import report
    >>> report.ranked_lists({"q": {"a": 1}}, {"q": {"a": 1, "b": 3}}, "rr", depth=1).systems["system"].documents
    ['b']
    """
    check_count(depth, "depth")
    judged, named = judged_and_systems(data, systems, layout_of(layout, order))
    evaluator = Evaluator(judged, like, n_threads=n_threads)
    return Rankings.of(evaluator, ((name or "system", system) for name, system in named.items()), measures, depth)


def _ranking(evaluator: Evaluator, system: Run | Floats, first: Measure, depth: int) -> Ranking:
    """Return the first documents of each query, in the system's order and with the labels that the measure uses."""
    lists = evaluator.lists(system, first)
    order = _order(lists, first.ties or "average")
    queries = np.repeat(np.arange(lists.n_queries), lists.sizes)
    scores = lists.scores[order]
    same = (scores[1:] == scores[:-1]) & (queries[1:] == queries[:-1])
    tied = np.append(same, False) | np.append(False, same) if scores.size else np.zeros(0, bool)
    kept = np.arange(order.size) - lists.offsets[queries] < depth
    places = order[kept]
    if lists.doc_ids is None:
        documents = [str(place) for place in (places - lists.offsets[queries[kept]] + 1).tolist()]
    else:
        documents = lists.doc_ids.take(places).tolist()
    assert lists.query_ids is not None
    query_ids = [str(query) for query in lists.query_ids.tolist()]
    return Ranking(query_ids, offsets_of(kept)[lists.offsets], documents, lists.labels[places], tied[kept])


def _order(lists: Lists, ties: str) -> Int64s:
    """Return the documents of each query, best first; if ties are averaged, in input order."""
    if ties.startswith("docid") and lists.doc_ids is not None:
        descending = ties == "docid_desc"
        return _native.order_by_id(lists.scores, lists.offsets, *lists.doc_ids.parts, descending, lists.n_threads)
    places, labels = np.arange(lists.labels.size), np.nan_to_num(lists.labels)
    within = {"reverse": -places, "docid_desc": -places, "best": -labels, "worst": labels}.get(ties)
    if within is None:
        return _native.order(lists.scores, lists.offsets, lists.n_threads)
    queries = np.repeat(np.arange(lists.n_queries), lists.sizes)
    return np.lexsort((within, -lists.scores, queries))


def _discounts(plan: Plan, depth: int) -> Floats | None:
    """Return the discounts of the first ranks up to the cutoff; None if they depend on the length of the list."""
    from idealrank.measures.cutoffs import Rank
    from idealrank.measures.discounts import Linear

    if isinstance(plan.discount, Linear) or not (plan.cutoff is None or isinstance(plan.cutoff, Rank)):
        return None
    return plan.discount(np.arange(1, min(depth, depth if plan.cutoff is None else plan.cutoff.k) + 1))
