"""Evaluate rankings: data and scores in, one value a query and measure out, under a named convention."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from idealrank import _core, _threads
from idealrank.conventions import Convention, convention
from idealrank.cutoffs import Cutoff, Rank
from idealrank.data import Floats, Judged, Problem, QueryIds, RankingData, from_arrays
from idealrank.errors import ConventionError, DataError
from idealrank.exact import Moments
from idealrank.ids import Ids
from idealrank.judgments import Qrels, Run, join
from idealrank.measures.base import Measure
from idealrank.measures.names import measure
from idealrank.measures.plan import Plan, run

__all__ = ["Evaluation", "Evaluations", "evaluate"]

Booleans: TypeAlias = npt.NDArray[np.bool_]
Measures: TypeAlias = str | Measure | Iterable[str | Measure]


@dataclass(frozen=True, repr=False)
class Evaluation:
    """What one system scored: one value a query and measure, and how it was computed.

    Attributes
    ----------
    per_query: {measure as given: one value a query}; NaN where the query has none.
    query_ids: one a query, in the same order.
    filled: {measure as given: the measure with every option filled in}.
    convention: what filled them.
    problems: what was met in the data and given a meaning.
    """

    per_query: Mapping[str, Floats]
    query_ids: QueryIds
    filled: Mapping[str, Measure]
    convention: Convention
    problems: tuple[Problem, ...] = ()
    provenance: Mapping[str, Any] = field(default_factory=dict)

    @property
    def n_queries(self) -> int:
        """Number of queries."""
        return len(self.query_ids)

    @property
    def mean(self) -> dict[str, float]:
        """{measure as given: mean over queries}; queries to skip are left out."""
        return {name: self.moments(name).mean for name in self.per_query}

    def moments(self, name: str) -> Moments:
        """Exact count, mean and variance of a measure over queries; those to skip are left out."""
        return _moments(self.per_query[name], self.filled[name])

    def interval(self, level: float = 0.95) -> dict[str, tuple[float, float]]:
        """{measure as given: (low, high)}: the t interval of the mean over queries.

        NaN where fewer than two queries have a value.
        """
        return {name: t_interval(self.moments(name), level) for name in self.per_query}

    @property
    def conventions(self) -> dict[str, Any]:
        """The convention by name, its choices about the data, and each measure with all of its options."""
        rules = self.convention
        data = ("negative", "unjudged", "missing", "duplicates", "precision", "labels")
        return {
            "convention": rules.name,
            "data": {name: getattr(rules, name) for name in data},
            "measures": {name: str(filled) for name, filled in self.filled.items()},
        }

    def to_frame(self, backend: Literal["pandas", "polars", "pyarrow"] = "pandas") -> Any:
        """A data frame with one row a query: the column qid, and one a measure."""
        from idealrank.io.frames import frame_of

        return frame_of({"qid": list(self.query_ids), **self.per_query}, backend)

    def to_json(self) -> str:
        """Everything as JSON text; NaN as null."""
        from idealrank import __version__

        query_ids = self.query_ids.tolist()
        content = {
            "idealrank": __version__,
            "numpy": np.__version__,
            "conventions": self.conventions,
            "n_queries": self.n_queries,
            "mean": {name: _or_none(value) for name, value in self.mean.items()},
            "query_ids": query_ids,
            "per_query": {name: [_or_none(v) for v in values.tolist()] for name, values in self.per_query.items()},
            "problems": [{"kind": p.kind, "count": p.count, "message": p.message} for p in self.problems],
            **self.provenance,
        }
        return json.dumps(content, ensure_ascii=False, allow_nan=False)

    def __repr__(self) -> str:
        means = ", ".join(f"{name} {value:.4f}" for name, value in self.mean.items())
        return f"Evaluation({means}; {self.n_queries:,} queries, like {self.convention.name})"


class Evaluations(Mapping[str, Evaluation]):
    """Evaluations of several systems on the same queries, by the systems' names."""

    def __init__(self, systems: Mapping[str, Evaluation]) -> None:
        self._systems = dict(systems)

    def __getitem__(self, name: str) -> Evaluation:
        return self._systems[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._systems)

    def __len__(self) -> int:
        return len(self._systems)

    @property
    def mean(self) -> dict[str, dict[str, float]]:
        """{system: {measure as given: mean}}."""
        return {name: evaluation.mean for name, evaluation in self.items()}

    def to_frame(self, backend: Literal["pandas", "polars", "pyarrow"] = "pandas") -> Any:
        """A data frame with one row a system and query: the columns system and qid, and one a measure."""
        from idealrank.io.frames import frame_of

        columns: dict[str, list[Any]] = {"system": [], "qid": []}
        for name, evaluation in self.items():
            columns["system"] += [name] * evaluation.n_queries
            columns["qid"] += evaluation.query_ids.tolist()
            for measure_name, values in evaluation.per_query.items():
                columns.setdefault(measure_name, []).extend(values.tolist())
        return frame_of(columns, backend)

    def __repr__(self) -> str:
        return "\n".join(f"{name}: {evaluation!r}" for name, evaluation in self.items())


def _moments(values: Floats, filled: Measure) -> Moments:
    return Moments.of(values[~np.isnan(values)] if filled.empty == "skip" else values)


def t_interval(moments: Moments, level: float) -> tuple[float, float]:
    """The t interval of a mean; NaN where fewer than two values have one."""
    from scipy.special import stdtrit

    if not 0 < level < 1:
        raise DataError(f"level must lie between 0 and 1, got {level}")
    half = math.nan
    if moments.count > 1:
        half = float(stdtrit(moments.count - 1, (1 + level) / 2)) * math.sqrt(moments.variance / moments.count)
    return moments.mean - half, moments.mean + half


def _or_none(value: float) -> float | None:
    return None if math.isnan(value) else value


def evaluate(
    data: Any,
    scores: Any = None,
    measures: Measures = ("ndcg@10",),
    *,
    like: str | Convention | None = None,
    offsets: npt.ArrayLike | None = None,
    query_ids: Iterable[object] | None = None,
    n_threads: int | None = None,
) -> Any:
    """Evaluate one system, or several, on one set of queries.

    ``data`` and ``scores`` may be

    - judgments and a run: `Qrels` and `Run`, or nested dicts; several systems are {name: run};
    - `RankingData` and one score a document in row order; several are {name: scores}; None takes its own;
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
    named = {str(given): measure(given) for given in _listed(measures)}
    if not named:
        raise ConventionError("no measure was named")
    if isinstance(data, (Qrels, Mapping)):
        rules = convention(like or "trec_eval")
        qrels = data if isinstance(data, Qrels) else Qrels(data)
        if _is_several_runs(scores):
            return Evaluations(
                {name: _evaluate_run(qrels, each, named, rules, n_threads) for name, each in scores.items()}
            )
        return _evaluate_run(qrels, scores, named, rules, n_threads)

    rules = convention(like or "idealrank")
    ranking, columns = _as_ranking(data, scores, offsets, query_ids)
    systems = {
        name: _evaluate(ranking, ranking.check_scores(each), named, rules, n_threads) for name, each in columns.items()
    }
    return systems[""] if list(systems) == [""] else Evaluations(systems)


def _listed(measures: Measures) -> Sequence[str | Measure]:
    return [measures] if isinstance(measures, (str, Measure)) else list(measures)


def _is_several_runs(scores: Any) -> bool:
    """{name: run} rather than {query: {document: score}}: one level deeper."""
    if isinstance(scores, Run) or not isinstance(scores, Mapping):
        return False
    return any(
        isinstance(each, Run)
        or (isinstance(each, Mapping) and any(isinstance(docs, Mapping) for docs in each.values()))
        for each in scores.values()
    )


def _as_ranking(
    data: Any, scores: Any, offsets: npt.ArrayLike | None, query_ids: Iterable[object] | None
) -> tuple[RankingData, dict[str, Any]]:
    """The data, and {name: scores}; one system without a name is called ""."""
    if not isinstance(data, RankingData) and (hasattr(data, "columns") or isinstance(data, (str, os.PathLike))):
        from idealrank.io.frames import ranking_and_scores

        if isinstance(data, (str, os.PathLike)):
            from idealrank.io.tables import read_frame

            data = read_frame(data, text=())
        data, scores = ranking_and_scores(data, scores)
    elif not isinstance(data, RankingData):
        data = from_arrays(data, offsets=offsets, query_ids=query_ids)
    elif offsets is not None or query_ids is not None:
        raise DataError("offsets and query_ids go with arrays of labels; RankingData has its own")
    if scores is None:
        if data.scores is None:
            raise DataError("the data has no scores of its own; give one score a document")
        return data, {"": data.scores}
    return data, dict(scores) if isinstance(scores, Mapping) else {"": scores}


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
    return _evaluate(joined, joined.scores, named, rules, n_threads, missing)


def _evaluate(
    data: RankingData,
    scores: Floats,
    named: Mapping[str, Measure],
    rules: Convention,
    n_threads: int | None,
    missing: Booleans | None = None,
) -> Evaluation:
    if missing is None:
        missing = (np.diff(data.offsets) == 0) & (data.judged is not None)
    table = _prepare(data, scores, rules, missing)
    filled = {name: each.under(rules) for name, each in named.items()}
    signs = _Signs.of(filled.values(), joined=table.judged is not None)
    values: dict[str, Floats] = {}
    for ties in dict.fromkeys(each.ties for each in filled.values()):
        group: dict[str, Measure | Plan] = {name: each for name, each in filled.items() if each.ties == ties}
        if not values:
            group |= signs.plans
        values |= _measure(table.ordered(ties or "average", n_threads), group, n_threads)
    problems = table.problems + signs.problems(values, np.diff(table.offsets))
    for name in named:
        if table.missing.any():
            values[name] = np.where(table.missing, 0.0, values[name])
        skipped = int(np.isnan(values[name]).sum())
        if skipped and filled[name].empty == "skip":
            what = f"{skipped:,} queries have no value of {name} and are left out of its mean"
            problems += (Problem("skipped query", skipped, what),)
        values[name].flags.writeable = False
    return Evaluation({name: values[name] for name in named}, table.query_ids, filled, rules, problems)


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

    def problems(self, values: Mapping[str, Floats], sizes: npt.NDArray[np.int64]) -> tuple[Problem, ...]:
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


def _percent(count: int, ranked: npt.NDArray[np.int64]) -> str:
    return f"{count:,} ({count / ranked.sum():.1%})"


@dataclass(frozen=True)
class _Table:
    """Lists ready for the native core: rows query by query, the convention's choices about data made."""

    labels: Floats
    scores: Floats
    offsets: npt.NDArray[np.int64]
    judged: Judged | None
    doc_ids: Ids | None
    query_ids: QueryIds
    missing: Booleans
    negative: str
    ties: str = "average"
    problems: tuple[Problem, ...] = ()

    def ordered(self, ties: str, n_threads: int | None) -> _Table:
        """With the rows so that the native core need not know document ids."""
        if not ties.startswith("docid"):
            return replace(self, ties=ties)
        if self.doc_ids is None:  # the row number stands in
            return replace(self, ties="stable" if ties == "docid_asc" else "reverse")
        descending, threads = ties == "docid_desc", _threads.resolve(n_threads)
        rows = _core.order_by_id(self.scores, self.offsets, *self.doc_ids.parts, descending, threads)
        return replace(self, ties="stable", labels=self.labels[rows], scores=self.scores[rows], doc_ids=None)


def _prepare(data: RankingData, scores: Floats, rules: Convention, missing: Booleans) -> _Table:
    labels, scores = data.to_groups(data.labels), data.to_groups(scores)
    doc_ids = data.doc_ids
    if doc_ids is not None and data.order is not None:
        doc_ids = doc_ids.take(data.order)
    offsets, judged, query_ids = data.offsets, data.judged, data.query_ids
    problems = list(data.problems)

    labels = _check_labels(labels, data, rules, problems)
    if judged is not None:
        judged = Judged(_check_labels(judged.labels, data, rules, []), judged.offsets)
    if rules.precision == "float32":
        scores = _as_float32(scores, offsets, rules, problems)

    if missing.any() and rules.missing == "error":
        query = data.query_id(int(np.flatnonzero(missing)[0]))
        raise DataError(f"the run has nothing for a judged query, which {rules.name} refuses", query=query)

    dropped = np.zeros(labels.size, bool)
    if rules.unjudged == "drop":
        dropped |= np.isnan(labels)
        if rules.negative == "unjudged":
            dropped |= labels < 0
    if rules.negative == "drop":
        dropped |= labels < 0
        if judged is not None:
            kept_judged = judged.labels >= 0
            judged = Judged(judged.labels[kept_judged], _count_up_to(kept_judged)[judged.offsets])
    if dropped.any():
        kept = ~dropped
        labels, scores, offsets = labels[kept], scores[kept], _count_up_to(kept)[offsets]
        doc_ids = None if doc_ids is None else doc_ids.take(np.flatnonzero(kept))

    if rules.missing == "drop" and missing.any():
        kept_queries = np.flatnonzero(~missing)
        assert judged is not None
        judged_rows, rows = (np.repeat(~missing, np.diff(each)) for each in (judged.offsets, offsets))
        judged = Judged(judged.labels[judged_rows], _subset_offsets(judged.offsets, kept_queries))
        labels, scores = labels[rows], scores[rows]
        doc_ids = None if doc_ids is None else doc_ids.take(np.flatnonzero(rows))
        offsets, query_ids = _subset_offsets(offsets, kept_queries), query_ids.take(kept_queries)
        missing = missing[kept_queries]
    negative = "keep" if rules.negative == "drop" else rules.negative
    return _Table(labels, scores, offsets, judged, doc_ids, query_ids, missing, negative, problems=tuple(problems))


def _as_float32(scores: Floats, offsets: npt.NDArray[np.int64], rules: Convention, problems: list[Problem]) -> Floats:
    """Scores rounded to float32, and how many of them became equal by it."""
    with np.errstate(over="ignore"):
        rounded = scores.astype(np.float32).astype(np.float64)
    if not np.isfinite(rounded).all():
        raise DataError(f"{rules.name} compares scores as float32, and some are too large for that")
    if np.array_equal(rounded, scores):
        return rounded
    order = _core.order(rounded, offsets, _threads.resolve(None))
    same = (rounded[order[1:]] == rounded[order[:-1]]) & (scores[order[1:]] != scores[order[:-1]])
    heads = offsets[1:-1]
    same[heads[(heads > 0) & (heads < rounded.size)] - 1] = False  # the last of one query and the first of the next
    count = int(np.count_nonzero(np.append(same, False) | np.append(False, same)))
    if count:
        what = f"{count:,} scores differ from another only beyond float32, which is how {rules.name} compares them"
        problems.append(Problem("float32 collision", count, what))
    return rounded


def _check_labels(labels: Floats, data: RankingData, rules: Convention, problems: list[Problem]) -> Floats:
    if rules.labels == "float":
        return labels
    whole = np.trunc(labels)
    odd = np.flatnonzero((whole != labels) & ~np.isnan(labels))
    if not odd.size:
        return labels
    if rules.labels == "integer":
        raise DataError(f"{rules.name} takes whole labels only, got {labels[odd[0]]:g}")
    problems.append(
        Problem("truncated label", odd.size, f"{odd.size:,} labels are not whole and were cut, as {rules.name} does")
    )
    return whole


def _count_up_to(kept: Booleans) -> npt.NDArray[np.int64]:
    return np.concatenate((np.zeros(1, np.int64), np.cumsum(kept)))


def _subset_offsets(offsets: npt.NDArray[np.int64], queries: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    return np.concatenate((np.zeros(1, np.int64), np.cumsum(np.diff(offsets)[queries])))


def _measure(table: _Table, group: Mapping[str, Measure | Plan], n_threads: int | None) -> dict[str, Floats]:
    plans: dict[str, Plan] = {}
    values: dict[str, Floats] = {}
    lists = (table.labels, table.scores, table.offsets)
    for name, each in group.items():
        plan = each if isinstance(each, Plan) else each.plan()
        if plan is not None:
            plans[name] = plan
        else:
            assert isinstance(each, Measure)
            resolved = replace(each, ties=table.ties)
            values[name] = resolved.values(*lists, judged=table.judged, negative=table.negative, n_threads=n_threads)
    if plans:
        matrix = run(
            list(plans.values()),
            *lists,
            judged=table.judged,
            ties=table.ties,
            negative=table.negative,
            n_threads=n_threads,
        )
        values |= dict(zip(plans, matrix, strict=True))
    return values
