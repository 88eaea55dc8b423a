"""Evaluate a run on judgments: trec_eval's values for each query and over all of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from idealrank._core.checks import check_count, is_whole
from idealrank._present.printable import counted
from idealrank._typing import Booleans, Floats, Int64s
from idealrank.data.judgments import Qrels, Run, join
from idealrank.data.problem import Problem
from idealrank.data.ranking import RankingData
from idealrank.errors import DataError, OptionError
from idealrank.evaluation.trec_eval.judged_rankings import Rankings, not_best
from idealrank.evaluation.trec_eval.measure_list import MeasureRequest, Values, read_measures
from idealrank.measures.measure_base import Measure

_LEAST = 0.00001


class NoCommonQueryError(DataError):
    """The run has no judged query, and such queries do not count."""


@dataclass(frozen=True, repr=False)
class Results:
    """What trec_eval prints.

    Attributes
    ----------
    query_ids : tuple of str
        The queries, in the order of their bytes.
    per_query : mapping of str to array or list of str
        One value per query for each measure: floats, integers, or text.
    summary : mapping of str to float, int or str
        The value over all queries for each measure: a mean, the sum of integers, or text.
    problems : tuple of Problem
        Properties of the data that were handled and may need attention.

    Examples
    --------
    >>> results = evaluate({"q1": {"d1": 1}}, {"q1": {"d2": 2.0, "d1": 1.0}}, ["map", "num_ret"])
    >>> results.summary
    {'num_ret': 2, 'map': 0.5}
    """

    query_ids: tuple[str, ...]
    per_query: Mapping[str, Values]
    summary: Mapping[str, float | int | str]
    problems: tuple[Problem, ...] = ()

    def lines(self, *, queries: bool = False, summary: bool = True) -> Iterator[str]:
        r"""Yield the lines of the output, without line ends.

        Parameters
        ----------
        queries : bool
            Whether to begin with the lines of each query.
        summary : bool
            Whether to end with the lines over all queries.

        Examples
        --------
        >>> results = evaluate({"q1": {"d1": 1}}, {"q1": {"d2": 2.0, "d1": 1.0}}, "map")
        >>> list(results.lines(queries=True))
        ['map                   \tq1\t0.5000', 'map                   \tall\t0.5000']
        """
        if queries:
            columns = {f"{name:<22}": _texts(values) for name, values in self.per_query.items()}
            for number, query in enumerate(self.query_ids):
                for name, texts in columns.items():
                    yield f"{name}\t{query}\t{texts[number]}"
        if summary:
            for name, value in self.summary.items():
                yield f"{name:<22}\tall\t{_text(value)}"

    def __repr__(self) -> str:
        return f"Results({len(self.summary)} values over {counted(len(self.query_ids), 'query')})"


def _texts(values: Values) -> list[str]:
    if isinstance(values, list):
        return [f"'{value}'" for value in values]
    return [_text(value) for value in values.tolist()]


def _text(value: float | int | str) -> str:
    if not isinstance(value, float):
        return str(value)
    return "  -nan" if math.isnan(value) else f"{value:6.4f}"  # 0 / 0 as trec_eval prints it on x86


def evaluate(
    qrels: Qrels | Mapping[Any, Mapping[Any, float]],
    run: Run | Mapping[Any, Mapping[Any, float]],
    measures: str | Iterable[str] = "official",
    *,
    complete: bool = False,
    level: int = 1,
    judged_only: bool = False,
    max_docs: int | None = None,
    n_collection: int = 0,
    version: int = 10,
    n_threads: int | None = None,
) -> Results:
    """Evaluate a run as trec_eval does.

    Parameters
    ----------
    qrels, run
        Judgments and a run, or nested dicts: {query: {document: label or score}}. Labels are truncated to integers;
        negative ones mean unjudged.
    measures : str or iterable of str
        Names of measures or sets of measures, as after trec_eval's flag ``-m``.
    complete : bool
        Whether a judged query that the run does not have counts as 0 (``-c``). Otherwise it is an error in version 10,
        and left out in version 9.
    level : int
        The lowest label of a relevant document (``-l``).
    judged_only : bool
        Whether to leave out unjudged documents (``-J``).
    max_docs : int, optional
        Leave out documents after this rank (``-M``).
    n_collection : int
        Number of documents in the collection (``-N``), for utility.
    version : {9, 10}
        The version to reproduce. 9 compares scores as float32, turns a recall level into a number of documents in
        another way, and lacks some measures.
    n_threads : int, optional
        Number of threads; None means all cores, or the number passed to `set_threads`.

    Returns
    -------
    Results
        The values per query and over all queries.

    Raises
    ------
    OptionError
        If a measure or the version is unknown.
    DataError
        If a document is repeated in a query, or the run lacks a judged query (see ``complete``).

    Notes
    -----
    A value may be NaN, as in trec_eval: `iprec_at_recall` and `11pt_avg` are 0 / 0 where ``judged_only`` or
    ``max_docs=0`` leaves nothing of a list. With ``complete``, ``num_rel`` over all queries counts labels from 1 on,
    whatever ``level`` is.

    Examples
    --------
    >>> judgments = {"q1": {"d1": 2, "d2": 1}, "q2": {"d7": 1}}
    >>> run = {"q1": {"d1": 0.9, "d5": 0.8, "d2": 0.7}, "q2": {"d5": 0.2, "d7": 0.1}}
    >>> evaluate(judgments, run, ["map", "P.1", "num_rel"]).summary
    {'num_rel': 3, 'map': 0.6666666666666666, 'P_1': 0.5}
    """
    if not is_whole(version, 9, 10):
        raise OptionError(f"version must be 9 or 10, got {version!r}")
    for name, count in (("level", level), ("max_docs", max_docs), ("n_collection", n_collection)):
        if not (count is None and name == "max_docs"):
            check_count(count, name, least=0)
    for name, flag in (("complete", complete), ("judged_only", judged_only)):
        if not isinstance(flag, (bool, np.bool_)):
            raise OptionError(f"{name} must be True or False, got {flag!r}")
    requests = read_measures(measures, version)
    qrels = qrels if isinstance(qrels, Qrels) else Qrels(qrels)
    run = run if isinstance(run, Run) else Run(run)
    for problem in (*qrels.problems, *run.problems):
        if problem.kind == "duplicate":
            raise DataError(f"{problem.message} by other conventions, but trec_eval rejects such data")
    is_missing = qrels.query_ids.index_in(run.query_ids) < 0
    if is_missing.any() and not complete and version >= 10:
        raise DataError(
            "the run has nothing for a judged query; count it as 0 (-c), or leave it out as version 9 does",
            query=qrels.query_ids[int(np.flatnonzero(is_missing)[0])],
        )
    nothing_common = bool(is_missing.all()) and qrels.n_queries > 0
    if nothing_common and version < 10:
        raise NoCommonQueryError(_nothing_common(qrels, run))
    data = join(qrels, Run({}) if nothing_common else run, n_threads=n_threads)
    rankings = Rankings.of(data, level=level, n_collection=n_collection, version=version, n_threads=n_threads)
    if version >= 10:
        rankings = rankings.with_placeholders(is_missing)
    if max_docs is not None:
        rankings = rankings.keep(rankings.retrieved.ranks <= max_docs)
    if judged_only:
        rankings = rankings.keep(rankings.labels >= 0)

    ids = list(qrels.query_ids)
    in_order = sorted(range(len(ids)), key=lambda query: ids[query].encode("utf-8", "surrogateescape"))
    counted = np.array([query for query in in_order if complete or not is_missing[query]], np.int64)
    shown = counted if version >= 10 else counted[~is_missing[counted]]
    columns = [(request, name, how) for request in requests for name, how in request.columns().items()]
    library = rankings.measured((how for *_, how in columns if isinstance(how, Measure)), n_threads)
    per_query: dict[str, Values] = {}
    summary: dict[str, float | int | str] = {}
    names = {request.name for request in requests}
    if "runid" in names:
        summary["runid"] = run.name
    if "num_q" in names:
        summary["num_q"] = counted.size
    for request, name, how in columns:
        values = library[how] if isinstance(how, Measure) else how(rankings)
        if request.clears_missing:
            values = _cleared(values, is_missing)
        if isinstance(values, list):
            per_query[name] = [values[query] for query in shown.tolist()]
        elif request.definition.is_geometric:
            summary[name] = _geometric_mean(values[shown], counted.size)
        else:
            per_query[name] = values[shown]
            summary[name] = int(values[shown].sum()) if values.dtype == np.int64 else _mean(values[shown], counted.size)
            if complete and request.name == "num_rel":
                summary[name] = int(np.count_nonzero(rankings.judged_labels > 0))
    problems = (*data.problems, *_problems(data, rankings, requests))
    if nothing_common:
        problems = (*problems, Problem("no common query", len(ids), _nothing_common(qrels, run)))
    return Results(tuple(ids[query] for query in shown.tolist()), per_query, summary, problems)


def _nothing_common(qrels: Qrels, run: Run) -> str:
    first = f"the first query of qrels is {qrels.query_ids[0]!r}"
    return f"qrels and run have no query in common: {first}, that of the run is {run.query_ids[0]!r}"


def _cleared(values: Values, is_missing: Booleans) -> Values:
    """Return the values with 0, or no text, for the missing queries."""
    if isinstance(values, list):
        return ["" if missing else value for value, missing in zip(values, is_missing.tolist(), strict=True)]
    return np.where(is_missing, 0, values)


# Values are added one by one, with the functions of C, as in trec_eval, to print the same digits.
def _mean(values: Floats | Int64s, n_queries: int) -> float:
    return float(np.cumsum(values)[-1]) / n_queries


def _geometric_mean(values: Floats | Int64s, n_queries: int) -> float:
    total = 0.0
    for value in values.tolist():
        total += math.log(max(value, _LEAST))
    total += (n_queries - values.size) * math.log(_LEAST)
    return math.exp(total / n_queries)


def _problems(data: RankingData, rankings: Rankings, requests: Iterable[MeasureRequest]) -> Iterator[Problem]:
    assert data.judged is not None
    cut = int(np.count_nonzero(np.trunc(data.judged.labels) != data.judged.labels))
    if cut:
        yield Problem("truncated label", cut, f"{cut:,} labels are not whole and were cut, as trec_eval does")
    for request in requests:
        judged = (rankings.judged, rankings.judged_labels)
        wrong = int(not_best(rankings.graded(request.gains), *judged, request.gains).sum()) if request.gains else 0
        if wrong:
            what = (
                f"{request.name}.{request.text}: trec_eval sorts gains less than 1 apart wrongly, so that the "
                f"ideal ranking of {wrong:,} queries is not the best one; multiply the gains for the right value"
            )
            yield Problem("gain order", wrong, what)
