"""Evaluate rankings: data and scores in, one value per query and measure out, under a named convention."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeAlias, overload

import numpy as np
import numpy.typing as npt

from idealrank._typing import Booleans, Floats, Int64s
from idealrank.data.construction import from_arrays
from idealrank.data.judgments import Qrels, Run, join
from idealrank.data.lists import Lists
from idealrank.data.problem import Problem
from idealrank.data.ranking import Order, RankingData
from idealrank.errors import DataError, OptionError
from idealrank.evaluation.preparation import in_order_of_ties, judged_lists, prepare
from idealrank.evaluation.results import Evaluation, Evaluations
from idealrank.measures.base import Measure
from idealrank.measures.conventions import Convention, convention
from idealrank.measures.cutoffs import Cutoff, Rank
from idealrank.measures.names import measure
from idealrank.measures.plan import Plan, run

__all__ = ["evaluate"]


class _Frame(Protocol):
    """A data frame of any library."""

    @property
    def columns(self) -> Any: ...


class _Array(Protocol):
    """An array or a column of any library."""

    def __array__(self, dtype: Any = ..., /) -> npt.NDArray[Any]: ...


Measures: TypeAlias = str | Measure | Iterable[str | Measure]
Data: TypeAlias = Qrels | Mapping[str, Mapping[str, float]] | RankingData | _Frame | os.PathLike[str] | npt.ArrayLike
OneRun: TypeAlias = Run | Mapping[str, Mapping[str, float]]
Scores: TypeAlias = _Array | Sequence[float]


@overload
def evaluate(
    data: Data,
    scores: OneRun | Scores | str | None = ...,
    measures: Measures = ...,
    *,
    like: str | Convention | None = ...,
    offsets: npt.ArrayLike | None = ...,
    query_ids: Iterable[object] | None = ...,
    order: Order | None = ...,
    n_threads: int | None = ...,
) -> Evaluation: ...
@overload
def evaluate(
    data: Data,
    scores: Mapping[str, OneRun | Scores] | list[str],
    measures: Measures = ...,
    *,
    like: str | Convention | None = ...,
    offsets: npt.ArrayLike | None = ...,
    query_ids: Iterable[object] | None = ...,
    order: Order | None = ...,
    n_threads: int | None = ...,
) -> Evaluations: ...
def evaluate(
    data: Any,
    scores: Any = None,
    measures: Measures = ("ndcg@10",),
    *,
    like: str | Convention | None = None,
    offsets: npt.ArrayLike | None = None,
    query_ids: Iterable[object] | None = None,
    order: Order | None = None,
    n_threads: int | None = None,
) -> Evaluation | Evaluations:
    """Evaluate one system, or several, on one set of queries.

    ``data`` and ``scores`` may be

    - judgments and a run: `Qrels` and `Run`, or nested dicts; several systems are {name: run};
    - `RankingData` and one score per document; several are {name: scores}; None takes its own. If rows were moved when
      the data was made, ``order`` must say how the scores lie: as the "input" rows did, or "grouped" like the data;
    - labels and scores as arrays, with ``offsets`` or ``query_ids``;
    - a data frame (or a path to Parquet) and the name of its score column, or a list of them.

    Unnamed options of the measures are as ``like`` says: trec_eval for judgments and runs, idealrank's own otherwise.
    The result has `.mean`, `.per_query`, `.interval()`, `.conventions` and `.problems`; for several systems it is a
    mapping of such results.

    >>> evaluate({"q1": {"d1": 1, "d2": 0}}, {"q1": {"d1": 0.5, "d2": 0.7}}, ["ndcg", "rr"]).mean
    {'ndcg': 0.6309297535714575, 'rr': 0.5}
    >>> evaluate([2, 0, 1], [0.9, 0.8, 0.7], "dcg").mean
    {'dcg': 3.5}
    """
    named = named_measures(measures)
    if isinstance(data, (Qrels, Mapping)):
        if offsets is not None or query_ids is not None:
            raise DataError("offsets and query_ids go with arrays of labels; judgments name their queries themselves")
        rules = convention(like or "trec_eval")
        qrels = data if isinstance(data, Qrels) else Qrels(data)
        if _is_several_runs(scores):
            return Evaluations(
                {name: _evaluate_run(qrels, each, named, rules, n_threads) for name, each in scores.items()}
            )
        return _evaluate_run(qrels, scores, named, rules, n_threads)

    rules = convention(like or "idealrank")
    ranking, columns = as_ranking(data, scores, offsets, query_ids, order)
    if ranking.n_docs == 0:
        raise DataError("there are no documents: there is nothing to evaluate")
    systems = {name: evaluate_ranking(ranking, each, named, rules, n_threads) for name, each in columns.items()}
    return systems[""] if list(systems) == [""] else Evaluations(systems)


def named_measures(measures: Measures) -> dict[str, Measure]:
    """{measure as given: measure}."""
    listed = [measures] if isinstance(measures, (str, Measure)) else list(measures)
    if not listed:
        raise OptionError("no measure was named")
    return {str(given): measure(given) for given in listed}


def _is_several_runs(scores: Any) -> bool:
    """{name: run} rather than {query: {document: score}}: one level deeper."""
    if isinstance(scores, Run) or not isinstance(scores, Mapping):
        return False
    return any(
        isinstance(each, Run)
        or (isinstance(each, Mapping) and any(isinstance(docs, Mapping) for docs in each.values()))
        for each in scores.values()
    )


def as_ranking(
    data: Any,
    scores: Any = None,
    offsets: npt.ArrayLike | None = None,
    query_ids: Iterable[object] | None = None,
    order: Order | None = None,
) -> tuple[RankingData, dict[str, Floats]]:
    """Return the data, and {name: scores in the order of the data}; one system without a name is called ""."""
    is_frame = hasattr(data, "columns") or isinstance(data, (str, os.PathLike))
    if (offsets is not None or query_ids is not None) and (is_frame or isinstance(data, RankingData)):
        raise DataError("offsets and query_ids go with arrays of labels; RankingData and frames have their own")
    if is_frame:
        from idealrank.io.frames import ranking_and_scores

        if isinstance(data, (str, os.PathLike)):
            from idealrank.io.tables import read_frame

            data = read_frame(data, text=())
        data, scores = ranking_and_scores(data, scores)
        order = "grouped"
    elif not isinstance(data, RankingData):
        data, order = from_arrays(data, offsets=offsets, query_ids=query_ids), "input"
    if scores is None:
        if data.scores is None:
            raise DataError("the data has no scores of its own; give one score per document")
        return data, {"": data.scores}
    systems = scores if isinstance(scores, Mapping) else {"": scores}
    return data, {name: data.check_scores(each, order) for name, each in systems.items()}


def _evaluate_run(
    qrels: Qrels, answer: Any, named: Mapping[str, Measure], rules: Convention, n_threads: int | None
) -> Evaluation:
    if answer is None:
        raise DataError("judgments need a run: a Run, or {query: {document: score}}")
    answer = answer if isinstance(answer, Run) else Run(answer)
    if rules.duplicates == "error":
        for problem in (*qrels.problems, *answer.problems):
            if problem.kind == "duplicate":
                raise DataError(f"{problem.message}; {rules.name} refuses such data, another convention may not")
    for table, what in ((qrels, "the judgments are"), (answer, "the run is")):
        if table.n_docs == 0:
            raise DataError(f"{what} empty: there is nothing to evaluate")
    joined = join(qrels, answer, n_threads=n_threads)
    assert joined.scores is not None
    # A query that the run names without documents is not missing; one without judgments is to its judges.
    missing = (qrels.query_ids.index_in(answer.query_ids) < 0) | (np.diff(qrels.offsets) == 0)
    return evaluate_ranking(joined, joined.scores, named, rules, n_threads, missing)


def evaluate_ranking(
    data: RankingData,
    scores: Floats,
    named: Mapping[str, Measure],
    rules: Convention,
    n_threads: int | None,
    missing: Booleans | None = None,
) -> Evaluation:
    """Evaluate one system, whose scores are checked, on queries of which the run may leave out some."""
    if missing is None:
        missing = (np.diff(data.offsets) == 0) & (data.judged is not None)
    filled = {name: each.with_convention(rules) for name, each in named.items()}
    signs = _Signs.of(filled.values(), joined=data.judged is not None)
    problems: dict[Problem, None] = {}
    values: dict[str, Floats] = {}
    rules_of = {name: rules.for_measure(each.label, each.cutoff is not None) for name, each in named.items()}
    for own_rules in sorted(dict.fromkeys(rules_of.values()), key=rules.__ne__):  # the signs are of what is usual
        lists, absent, met = prepare(data, scores, own_rules, missing, n_threads)
        chosen = {name: each for name, each in filled.items() if rules_of[name] == own_rules}
        found = _measured(lists, absent, chosen, None if values else signs)
        problems |= dict.fromkeys(met)
        if not values:
            problems |= dict.fromkeys(signs.problems(found, lists.sizes))
        values |= found
    for name in named:
        skipped = int(np.isnan(values[name]).sum())
        if skipped and filled[name].empty == "skip":
            what = f"{skipped:,} queries have no value of {name} and are left out of its mean"
            problems[Problem("skipped query", skipped, what)] = None
        values[name].flags.writeable = False
    exceptions = {name: dict(own.data.items() - rules.data.items()) for name, own in rules_of.items() if own != rules}
    per_query = {name: values[name] for name in named}
    assert lists.query_ids is not None
    return Evaluation(per_query, lists.query_ids, filled, rules, tuple(problems), exceptions=exceptions)


def _measured(
    lists: Lists, missing: Booleans, filled: Mapping[str, Measure], signs: _Signs | None
) -> dict[str, Floats]:
    """Return one value per query of each measure, and of the signs."""
    values: dict[str, Floats] = {}
    ties_of = {name: each.ties or "average" for name, each in filled.items()}
    for ties in dict.fromkeys(ties_of.values()):
        group: dict[str, Measure | Plan] = {name: each for name, each in filled.items() if ties_of[name] == ties}
        if signs is not None and not values:
            group |= signs.plans
        ordered, kernel_ties = in_order_of_ties(lists, ties)
        with ordered.locating():
            values |= _in_one_sort(ordered, group, kernel_ties)
    if missing.any():
        for name, each in filled.items():
            values[name] = np.where(missing, _value_if_missing(lists, each), values[name])
    return values


def _value_if_missing(lists: Lists, filled: Measure) -> Floats | float:
    """Return 0, but NaN where a query has no value of the measure whatever a run retrieves."""
    if filled.empty not in ("nan", "skip"):
        return 0.0
    (at_best,) = _in_one_sort(judged_lists(lists), {"": filled}, "stable").values()
    return np.where(np.isnan(at_best), np.nan, 0.0)


def _in_one_sort(lists: Lists, group: Mapping[str, Measure | Plan], ties: str) -> dict[str, Floats]:
    plans: dict[str, Plan] = {}
    values: dict[str, Floats] = {}
    for name, each in group.items():
        plan = each if isinstance(each, Plan) else each.plan()
        if plan is not None:
            plans[name] = plan
        else:
            assert isinstance(each, Measure)
            values[name] = replace(each, ties=ties).values(lists)
    if plans:
        values |= dict(zip(plans, run(list(plans.values()), lists, ties), strict=True))
    return values


@dataclass(frozen=True)
class _Signs:
    """What else to count in the same pass: signs that the numbers hang on more than the ranking."""

    cutoff: Cutoff | None
    joined: bool

    @classmethod
    def of(cls, measures: Iterable[Measure], *, joined: bool) -> _Signs:
        """Down to the deepest rank that a measure looks at."""
        cuts = [each.cutoff for each in measures]
        ranks = [cut.k for cut in cuts if isinstance(cut, Rank)]
        return cls(Rank(max(ranks)) if len(ranks) == len(cuts) else None, joined)

    @property
    def plans(self) -> dict[str, Plan]:
        """Counts a query: ranks that share their score, ranks that were judged."""
        plans = {"\0tied": Plan("tied", "judged", cutoff=self.cutoff)}
        if self.joined:
            plans["\0judged"] = Plan("sum", "judged", cutoff=self.cutoff)
        return plans

    def problems(self, values: Mapping[str, Floats], sizes: Int64s) -> tuple[Problem, ...]:
        """What the counts say, where there is something to say."""
        ranked = sizes if self.cutoff is None else np.minimum(sizes, self.cutoff.at(sizes))
        where = "ranked documents" if self.cutoff is None else f"documents in the first {self.cutoff}"
        found = []
        tied = int(values["\0tied"].sum())
        if tied:
            what = (
                f"{_percent(tied, ranked)} of the {where} share their score with another: their order is a convention"
            )
            found.append(Problem("tied document", tied, what))
        if self.joined:
            unjudged = int(ranked.sum() - values["\0judged"].sum())
            if unjudged:
                found.append(
                    Problem("unjudged document", unjudged, f"{_percent(unjudged, ranked)} of the {where} are unjudged")
                )
        return tuple(found)


def _percent(count: int, ranked: Int64s) -> str:
    return f"{count:,} ({count / ranked.sum():.1%})"
