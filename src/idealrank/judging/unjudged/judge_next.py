"""Which documents to judge next, so that the order of systems is decided soonest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Unpack

import numpy as np
import numpy.typing as npt

from idealrank._core.checks import is_whole
from idealrank._present.page import Page, Section, Statement
from idealrank._present.result import Result
from idealrank._present.table import Column, Table, Value
from idealrank._typing import Floats, Int64s
from idealrank.errors import OptionError
from idealrank.evaluation.evaluator import Evaluator
from idealrank.evaluation.inputs import Data, LayoutOptions, OneSystem, Several, layout_of
from idealrank.judging.unjudged.bounds import (
    DifferenceBounds,
    bounds_of,
    judgments_and_runs,
    labels_in,
    reversal,
)
from idealrank.judging.unjudged.completions import constant_denominator, ideal_sums
from idealrank.judging.unjudged.pool import Pool, Ranked, Rules, rules_of
from idealrank.measures import Measure
from idealrank.measures import measure as measure_named
from idealrank.measures.conventions import Convention


@dataclass(frozen=True)
class NextJudgments(Result):
    """The result of `judge_next`.

    Attributes
    ----------
    measure : str
        The name of the measure.
    queries, documents : tuple of str
        The documents to judge, most useful first, and their queries.
    effects : tuple of float
        How far the label of each document alone can change the mean difference, summed over the pairs of systems whose
        order is not decided; or the mean, if there is only one system.
    ranks : mapping of str to tuple
        {system: the rank of each document}; None if the system does not retrieve it.
    differences : tuple of DifferenceBounds
        The pairs of systems whose order is not decided.

    Examples
    --------
    >>> from idealrank.judging.unjudged.judge_next import judge_next
    >>> runs = {"x": {"q": ["c", "d", "a"]}, "y": {"q": ["d", "a", "c"]}}
    >>> found = judge_next({"q": {"a": 1, "b": 0}}, runs, "ndcg@2", n=1)
    >>> found.documents, found.ranks
    (('c',), {'x': (1,), 'y': (3,)})
    """

    measure: str
    queries: tuple[str, ...]
    documents: tuple[str, ...]
    effects: tuple[float, ...]
    ranks: Mapping[str, tuple[int | None, ...]]
    differences: tuple[DifferenceBounds, ...]

    def tables(self) -> Mapping[str, Table]:
        """Return the table "documents": query, document, effect, and the rank in each system."""
        compared = {name for each in self.differences for name in (each.system, each.baseline)} or set(self.ranks)
        columns = [
            Column("query"),
            Column("document", priority=-1),
            Column("effect", ".5f"),
            *(Column(name, priority=0 if name in compared else 1) for name in self.ranks),
        ]
        rows: list[list[Value]] = [
            [query, document, effect, *(ranks[i] for ranks in self.ranks.values())]
            for i, (query, document, effect) in enumerate(zip(self.queries, self.documents, self.effects, strict=True))
        ]
        return {"documents": Table(columns, rows, notes=(self._columns(),))}

    def _columns(self) -> str:
        """Return the meaning of the columns."""
        changed = "the mean difference between the systems"
        if len(self.ranks) == 1:
            changed = f"the mean of {next(iter(self.ranks))}"
        elif len(self.differences) > 1:
            changed = f"the mean differences, summed over the {len(self.differences):,} pairs whose order is undecided"
        elif len(self.ranks) > 2:
            changed = " and ".join(
                f"the mean difference between {each.system} and {each.baseline}" for each in self.differences
            )
        effect = f"effect: how much the gain of this document alone could change {changed}"
        if len(self.ranks) == 1:
            return f"{effect}; the column after it: its rank."
        return f"{effect}; the columns after it: its rank in each system."

    def page(self) -> Page:
        """Return whether the order of the systems is decided, and the documents to judge."""
        return Page(
            f"Documents to judge next, for {self.measure}",
            findings=tuple(self._findings()),
            summary=(Section(tables=self.tables()),) if self.documents else (),
            sections=lambda: [Section("Result", tables=self.tables())],
        )

    def _findings(self) -> Sequence[Statement]:
        """Return whether the order of the systems is decided."""
        if len(self.ranks) == 1:
            only = next(iter(self.ranks))
            text = f"No unjudged document of {only} is at a rank that {self.measure} counts."
            if self.documents:
                text = f"These documents can change {self.measure} of {only} most, by their gains at their ranks."
            return [Statement("judge these first", text)]
        if len(self.differences) == 1:
            return self.differences[0].page().findings
        text = "No judgment is needed: unjudged documents cannot reverse the order of the systems."
        return [reversal(self.differences, n_compared=len(self.ranks) - 1) or Statement("order decided", text)]


def judge_next(
    data: Data,
    scores: OneSystem | Several,
    measure: str | Measure = "ndcg@10",
    *,
    n: int = 10,
    baseline: str | None = None,
    labels: npt.ArrayLike | None = None,
    like: str | Convention | None = None,
    n_threads: int | None = None,
    **layout: Unpack[LayoutOptions],
) -> NextJudgments:
    """Select the unjudged documents whose labels can change the order of systems most.

    The effect of a document on the difference between two systems is the difference of its weights in the two rankings,
    times the highest gain, divided by the ideal DCG. It is summed over the pairs of systems whose order unjudged
    documents could reverse.

    Parameters
    ----------
    data, scores
        Judgments, and one run or several, as in `evaluate`.
    measure : str or Measure
        A measure that sums gains over ranks: DCG, NDCG, P or RBP.
    n : int
        The number of documents to select.
    baseline : str, optional
        The system with which all others are compared; by default, the best one.
    labels : array-like, optional
        The labels that an unjudged document could have, as in `bounds`.
    like : str or Convention, optional
        The convention for options that the measures leave unset, as in `evaluate`.
    n_threads : int, optional
        Number of threads; None means all cores, or the number passed to `set_threads`.
    **layout
        The layout of the data, as in `evaluate`.

    Returns
    -------
    NextJudgments
        The documents, their effects and their ranks.

    Raises
    ------
    OptionError
        If the measure does not sum gains over ranks.

    Examples
    --------
    Both systems retrieve d at rank 2, so that its label cannot distinguish them.

    >>> from idealrank import judge_next
    >>> runs = {"x": {"q": ["c", "d"]}, "y": {"q": ["e", "d"]}}
    >>> sorted(judge_next({"q": {"a": 1}}, runs, "ndcg@2").documents)
    ['c', 'e']
    """
    if not is_whole(n, 1):
        raise OptionError(f"n must be a positive integer, got {n!r}")
    qrels, runs = judgments_and_runs(data, scores, layout_of(judge_next, layout))
    given = measure_named(measure)
    evaluator = Evaluator(qrels, like, n_threads=n_threads)
    rules = rules_of(given, evaluator.convention, labels_in(qrels, labels))
    if rules.plan.reduction != "sum" or rules.plan.denominator not in ("none", "ideal", "cutoff", "retrieved", "full"):
        raise OptionError(f"{given} does not sum gains over ranks; choose DCG, NDCG, P or RBP")
    pool = Pool.of(qrels, runs, rules, n_threads)
    bounds = bounds_of(evaluator, runs, given, pool, rules, baseline=baseline)
    weights = {system: _relative_weights(pool, system, rules) for system in runs}
    if len(runs) == 1:
        (effects,) = weights.values()
    else:
        gaps = (np.abs(weights[each.system] - weights[each.baseline]) for each in bounds.undecided)
        effects = sum(gaps, np.zeros(pool.queries.size))
    chosen = np.argsort(-effects, kind="stable")[:n]
    chosen = chosen[effects[chosen] > 0]
    query_ids = next(iter(pool.ranked.values())).data.query_ids
    shown = query_ids.tolist()
    ranks = {system: _ranks(pool, system)[chosen].tolist() for system in runs}
    return NextJudgments(
        str(given),
        tuple(str(shown[query]) for query in pool.queries[chosen]),
        tuple(pool.doc_ids.take(chosen)),
        tuple((effects[chosen] / bounds.systems.n_queries).tolist()),
        {system: tuple(rank or None for rank in own) for system, own in ranks.items()},
        bounds.undecided,
    )


def _relative_weights(pool: Pool, system: str, rules: Rules) -> Floats:
    """Return how much each unjudged document alone can raise the measure of a system, through its numerator."""
    ranked = pool.ranked[system]
    depths = ranked.depths(rules, pool.sizes)
    weights = pool.spread(system, ranked.weights(rules, depths)) * rules.levels[-1]
    if rules.plan.denominator != "ideal":
        divisors = constant_denominator(ranked, rules, depths)
    else:
        divisors = _ideal_with_one_more(pool, ranked, rules, depths)
    relative: Floats = weights / divisors[pool.queries]
    return relative


def _ideal_with_one_more(pool: Pool, ranked: Ranked, rules: Rules, depths: Int64s) -> Floats:
    """Return the ideal DCG of each query with one more document of the highest gain."""
    ideal = ideal_sums(ranked, rules, depths, pool.sizes + 1)
    is_reached = (ideal.gains <= rules.levels[-1]).tolist()
    queries = np.arange(pool.n_queries)
    layers = (ideal.layer(gain, np.full(pool.n_queries, int(more)), queries) for gain, more in enumerate(is_reached))
    return sum(layers, np.zeros(pool.n_queries))


def _ranks(pool: Pool, system: str) -> Int64s:
    ranked = pool.ranked[system]
    return pool.spread(system, ranked.ranks.astype(np.float64)).astype(np.int64)
