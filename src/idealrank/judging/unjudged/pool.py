"""Several runs on the same judgments: ranked documents with their weights, and the unjudged ones among them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import cast

import numpy as np

from idealrank import _native
from idealrank._typing import Booleans, Floats, Int64s
from idealrank.data.columns import group_of_each
from idealrank.data.construction import joined_ids
from idealrank.data.ids import Ids
from idealrank.data.judgments import Qrels, Run, join
from idealrank.data.lists import JudgedLabels, Lists
from idealrank.data.ranking import RankingData
from idealrank.errors import OptionError
from idealrank.evaluation.evaluator import values_of_lists
from idealrank.evaluation.inputs import naming
from idealrank.evaluation.preparation import in_order_of_ties, prepare, with_duplicates
from idealrank.measures import Measure, cutoffs, discounts, gains
from idealrank.measures.conventions import Convention
from idealrank.measures.measure_base import Plan


@dataclass(frozen=True)
class Rules:
    """A measure with every option filled in, and the labels that an unjudged document could have.

    Parameters
    ----------
    measure : Measure
        The measure.
    convention : Convention
        The convention, in which a query that a run leaves out counts as empty.
    labels : float64 array
        The labels that an unjudged document could have, ascending, one for each different gain; the first has gain 0.
    levels : float64 array
        The gains of the other labels.
    """

    measure: Measure
    convention: Convention
    labels: Floats
    levels: Floats

    @cached_property
    def plan(self) -> Plan:
        """How the native core computes the measure."""
        plan = self.measure.plan()
        assert plan is not None
        return plan

    def gains(self, labels: Floats) -> Floats:
        """Return the gain of each label; that of an unjudged document, and of a negative label, is 0."""
        gain = self.plan.gain
        assert isinstance(gain, gains.Gain)
        return np.where(labels >= 0, gain(np.where(labels > 0, labels, 0.0)), 0.0)


def rules_of(measure: Measure, convention: Convention, labels: Floats) -> Rules:
    """Return a measure under a convention, and the labels that matter to it.

    Raises
    ------
    OptionError
        If the measure has no exact bounds.
    """
    own = convention.for_measure(measure.label, measure.cutoff is not None)
    filled = measure.with_convention(convention)
    plan = filled.plan()
    unbounded = plan is not None and (plan.denominator in ("hits", "highest_label") or plan.cuts_ideal_elsewhere)
    if plan is None or not isinstance(plan.gain, gains.Gain) or unbounded:
        raise OptionError(f"no bounds are known for {measure}; DCG, NDCG, AP, P, recall, RR, ERR and RBP have them")
    if filled.ties in ("best", "worst"):
        raise OptionError(f"bounds need an order of tied documents that does not depend on labels, got {filled.ties}")
    plan.discount.require_decreasing(f"a bound of {measure}")
    if isinstance(plan.gain, gains.Table) and min(plan.gain.labels) < 0:
        raise OptionError(f"bounds need gains of labels of 0 or more alone, got {plan.gain}")
    own = own.replace(unjudged="zero", missing=0.0)
    gained = plan.gain(labels)
    if (gained < 0).any() or gained[0] != 0:
        raise OptionError(
            f"bounds need gains that begin with 0 at label {labels[0]:g}, got {gained[0]:g} from {plan.gain}"
        )
    levels, first = np.unique(gained, return_index=True)
    return Rules(filled, own, labels[first], levels[1:])


def sums_by_query(queries: Int64s, values: Floats, n_queries: int) -> Floats:
    """Return the sum of the values of each query."""
    sums: Floats = np.bincount(queries, values, minlength=n_queries).astype(np.float64)
    return sums


@dataclass(frozen=True)
class Ranked:
    """The retrieved documents of the judged queries, in rank order.

    Parameters
    ----------
    data : RankingData
        The judgments and the run, joined; an unjudged document has the label NaN.
    lists : Lists
        The documents as the convention takes them.
    places : int64 array
        The documents in rank order, as positions in ``data``.
    ranks : int64 array
        Their ranks.
    run_starts, run_ends : int64 array
        Where the documents with the same score as each document begin and end in this order.
    is_averaged : bool
        Whether documents with equal scores share the mean of their weights.
    """

    data: RankingData
    lists: Lists
    places: Int64s
    ranks: Int64s
    run_starts: Int64s
    run_ends: Int64s
    is_averaged: bool

    @classmethod
    def of(cls, qrels: Qrels, run: Run, rules: Rules, n_threads: int | None) -> Ranked:
        """Join judgments and a run."""
        qrels, run = with_duplicates(qrels, rules.convention), with_duplicates(run, rules.convention)
        data = join(qrels, run, n_threads=n_threads)
        assert data.scores is not None
        lists, _, _ = prepare(data, data.scores, rules.convention, np.zeros(data.n_queries, bool), n_threads)
        ordered, ties = in_order_of_ties(lists, rules.measure.ties or "average")
        order = _native.order(ordered.scores, ordered.offsets, ordered.n_threads)
        n_docs = order.size
        starts = np.repeat(ordered.offsets[:-1], ordered.sizes)
        scores = ordered.scores[order]
        begins = np.ones(n_docs, bool)
        begins[1:] = (scores[1:] != scores[:-1]) | (starts[1:] != starts[:-1])
        run_of = np.cumsum(begins) - 1
        first = np.flatnonzero(begins)
        last = np.append(first[1:], n_docs)
        if ties == "reverse":
            order = order[first[run_of] + last[run_of] - 1 - np.arange(n_docs)]
        places = order if ordered.rows is None else ordered.rows[order]
        runs = first[run_of], last[run_of]
        return cls(data, lists, places, np.arange(n_docs) - starts + 1, *runs, is_averaged=ties == "average")

    @cached_property
    def queries(self) -> Int64s:
        """The query of each document in rank order."""
        return group_of_each(self.data.offsets)

    @cached_property
    def is_unjudged(self) -> Booleans:
        """Whether each document in rank order is unjudged."""
        return np.isnan(self.data.labels[self.places])

    @cached_property
    def labels(self) -> Floats:
        """The label of each document in rank order, as the convention takes it."""
        return self.lists.labels[self.places]

    def depths(self, rules: Rules, n_more: Int64s) -> Int64s:
        """Return how many ranks count, by query, if so many more documents are judged."""
        cutoff, sizes = rules.plan.cutoff, self.data.group_sizes
        if isinstance(cutoff, cutoffs.Cutoff):
            return np.where(sizes > 0, cutoff.depths(np.maximum(sizes, 1)), 1)
        assert self.data.judged is not None
        return np.maximum(sizes, np.diff(self.data.judged.offsets) + n_more)

    def weights(self, rules: Rules, depths: Int64s) -> Floats:
        """Return the weight of each document in rank order."""
        discount, sizes = rules.plan.discount, self.data.group_sizes
        if not self.ranks.size:
            return np.zeros(0)
        if isinstance(discount, discounts.Linear):
            by_rank: Floats = (np.repeat(sizes, sizes) - self.ranks).astype(np.float64)
        else:
            by_rank = discount.weights(int(sizes.max()))[self.ranks - 1]
        weights: Floats = np.where(self.ranks <= depths[self.queries], by_rank, 0.0)
        if not self.is_averaged:
            return weights
        total = np.concatenate([[0.0], np.cumsum(weights)])
        sizes_of_runs = self.run_ends - self.run_starts
        return np.where(sizes_of_runs == 1, weights, (total[self.run_ends] - total[self.run_starts]) / sizes_of_runs)

    def values(self, gaps: Gaps, rules: Rules) -> Floats:
        """Return the measure with these labels, for all judged queries."""
        lists = replace(self.lists, labels=gaps.labels, judged=gaps.judged(self.lists))
        return values_of_lists(lists, self.data.group_sizes == 0, {"": rules.measure})[""]


@dataclass(frozen=True)
class Gaps:
    """Labels for the unjudged documents of a run, and for documents that the run does not retrieve.

    Parameters
    ----------
    labels : float64 array
        The label of each document of a run, in the order of its lists.
    more_queries : int64 array
        The query of each document that is judged as well, outside of the run.
    more_labels : float64 array
        Its label.
    """

    labels: Floats
    more_queries: Int64s
    more_labels: Floats

    def judged(self, lists: Lists) -> JudgedLabels:
        """Return the labels of all documents: those judged, those filled in, and those outside of the run."""
        assert lists.judged is not None
        is_unjudged = np.isnan(lists.labels)
        queries = np.arange(lists.n_queries)
        added = np.concatenate([np.repeat(queries, lists.sizes)[is_unjudged], self.more_queries])
        labels = np.concatenate([self.labels[is_unjudged], self.more_labels])
        has_gain = labels > 0  # other documents do not change an ideal ranking
        added, labels = added[has_gain], labels[has_gain]
        order = np.argsort(added, kind="stable")
        # After the documents of their query.
        pool = np.insert(lists.judged.labels, lists.judged.offsets[1:][added[order]], labels[order])
        more = np.concatenate([[0], np.cumsum(np.bincount(added, minlength=lists.n_queries))])
        return JudgedLabels(pool, lists.judged.offsets + more)


@dataclass(frozen=True)
class Pool:
    """The unjudged documents of several runs, numbered together.

    Parameters
    ----------
    ranked : mapping of str to Ranked
        The runs by name.
    numbers : mapping of str to int64 array
        The number of each unjudged document of a run, in rank order.
    queries : int64 array
        The query of each unjudged document.
    doc_ids : Ids
        Its id.
    """

    ranked: Mapping[str, Ranked]
    numbers: Mapping[str, Int64s]
    queries: Int64s
    doc_ids: Ids

    @classmethod
    def of(cls, qrels: Qrels, runs: Mapping[str, Run], rules: Rules, n_threads: int | None) -> Pool:
        """Join each run with the judgments, and find the unjudged documents."""
        ranked: dict[str, Ranked] = {}
        for name, run in runs.items():
            with naming(name):
                ranked[name] = Ranked.of(qrels, run, rules, n_threads)
        unjudged = {name: np.flatnonzero(each.is_unjudged) for name, each in ranked.items()}
        parts = [cast("Ids", each.data.doc_ids).take(each.places[unjudged[name]]) for name, each in ranked.items()]
        queries = np.concatenate([each.queries[unjudged[name]] for name, each in ranked.items()])
        if len(parts) == 1:
            (ids,), first = parts, np.arange(queries.size)
            return cls(ranked, dict.fromkeys(ranked, first), queries, ids)
        ids = cast("Ids", joined_ids(parts))
        doc_numbers, distinct = ids.numbered()
        keys = queries * len(distinct) + doc_numbers
        _, first, numbers = np.unique(keys, return_index=True, return_inverse=True)
        cuts = np.cumsum([own.size for own in unjudged.values()])[:-1]
        by_run = dict(zip(ranked, np.split(numbers, cuts), strict=True))
        return cls(ranked, by_run, queries[first], ids.take(first))

    @property
    def n_queries(self) -> int:
        """Number of judged queries."""
        return next(iter(self.ranked.values())).data.n_queries

    @property
    def sizes(self) -> Int64s:
        """Number of unjudged documents of each query."""
        return np.bincount(self.queries, minlength=self.n_queries)

    def outside(self, name: str) -> Int64s:
        """Return how many of the unjudged documents a run does not retrieve, by query."""
        return self.sizes - np.bincount(self.queries[self.numbers[name]], minlength=self.n_queries)

    def spread(self, name: str, values: Floats) -> Floats:
        """Return values of the documents of a run, in rank order, for all unjudged documents; 0 where it has none."""
        spread = np.zeros(self.queries.size)
        spread[self.numbers[name]] = values[self.ranked[name].is_unjudged]
        return spread
