"""Judgments and a run in, trec_eval's values for each query and for all of them out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from idealrank._typing import Floats, Int64s
from idealrank.data.judgments import Qrels, Run, join
from idealrank.data.problem import Problem
from idealrank.data.ranking import RankingData
from idealrank.errors import DataError, OptionError
from idealrank.evaluation.trec_eval.gains import not_best
from idealrank.evaluation.trec_eval.rankings import Rankings
from idealrank.evaluation.trec_eval.table import Request, read_measures

__all__ = ["Results", "evaluate"]

Values: TypeAlias = Floats | Int64s | list[str]

_LEAST = 0.00001


@dataclass(frozen=True, repr=False)
class Results:
    """What trec_eval prints.

    Attributes
    ----------
    query_ids: one a query, in the order of their bytes.
    per_query: {name: one value a query}: floats, integers, or text.
    summary: {name: value over all queries}: the mean, the sum of integers, or text.
    problems: what was met in the data and given a meaning.

    >>> results = evaluate({"q1": {"d1": 1}}, {"q1": {"d2": 2.0, "d1": 1.0}}, ["map", "num_ret"])
    >>> results.summary
    {'num_ret': 2, 'map': 0.5}
    """

    query_ids: tuple[str, ...]
    per_query: Mapping[str, Values]
    summary: Mapping[str, float | int | str]
    problems: tuple[Problem, ...] = ()

    def lines(self, *, queries: bool = False, summary: bool = True) -> Iterator[str]:
        r"""The lines of the output, without their ends: those of each query if asked for, then those of all.

        >>> results = evaluate({"q1": {"d1": 1}}, {"q1": {"d2": 2.0, "d1": 1.0}}, "map")
        >>> list(results.lines(queries=True))
        ['map                   \tq1\t0.5000', 'map                   \tall\t0.5000']
        """
        if queries:
            columns = {name: _texts(values) for name, values in self.per_query.items()}
            for number, query in enumerate(self.query_ids):
                for name, texts in columns.items():
                    yield f"{name:<22}\t{query}\t{texts[number]}"
        if summary:
            for name, value in self.summary.items():
                yield f"{name:<22}\tall\t{_text(value)}"

    def __repr__(self) -> str:
        return f"Results({len(self.summary)} values over {len(self.query_ids):,} queries)"


def _texts(values: Values) -> list[str]:
    if isinstance(values, list):
        return [f"'{value}'" for value in values]
    return [_text(value) for value in values.tolist()]


def _text(value: float | int | str) -> str:
    return f"{value:.4f}" if isinstance(value, float) else str(value)


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

    ``measures`` are names as after its flag ``-m``. Documents are relevant from label ``level`` on (``-l``), labels are
    cut to integers, and negative ones mean unjudged; ``judged_only`` (``-J``) leaves unjudged documents out, and
    ``max_docs`` (``-M``) those after that rank. ``n_collection`` (``-N``) is the size of the collection, for utility.

    A judged query that the run does not have counts 0 if ``complete`` (``-c``); otherwise it is a DataError in
    version 10 and left out in version 9.

    ``version`` 9 is release 9.0.8: scores are compared as float32, a recall level becomes a number of documents in
    another way, and some measures are not there.

    >>> judgments = {"q1": {"d1": 2, "d2": 1}, "q2": {"d7": 1}}
    >>> run = {"q1": {"d1": 0.9, "d5": 0.8, "d2": 0.7}, "q2": {"d5": 0.2, "d7": 0.1}}
    >>> evaluate(judgments, run, ["map", "P.1", "num_rel"]).summary
    {'num_rel': 3, 'map': 0.6666666666666666, 'P_1': 0.5}
    """
    if version not in (9, 10):
        raise OptionError(f"version must be 9 or 10, got {version}")
    requests = read_measures(measures, version)
    qrels = qrels if isinstance(qrels, Qrels) else Qrels(qrels)
    run = run if isinstance(run, Run) else Run(run)
    for problem in (*qrels.problems, *run.problems):
        if problem.kind == "duplicate":
            raise DataError(f"{problem.message}; trec_eval refuses such data")
    is_missing = qrels.query_ids.index_in(run.query_ids) < 0
    if is_missing.any() and not complete and version >= 10:
        raise DataError(
            "the run has nothing for a judged query; count it as 0 (-c), or leave it out as version 9 does",
            query=qrels.query_ids[int(np.flatnonzero(is_missing)[0])],
        )
    data = join(qrels, run, n_threads=n_threads)
    rankings = Rankings.of(data, level=level, n_collection=n_collection, version=version, n_threads=n_threads)
    if max_docs is not None:
        rankings = rankings.keep(rankings.retrieved.ranks <= max_docs)
    if judged_only:
        rankings = rankings.keep(rankings.labels >= 0)

    ids = list(qrels.query_ids)
    in_order = sorted(range(len(ids)), key=lambda query: ids[query].encode("utf-8", "surrogateescape"))
    counted = np.array([query for query in in_order if complete or not is_missing[query]], np.int64)
    shown = counted if version >= 10 else counted[~is_missing[counted]]
    per_query: dict[str, Values] = {}
    summary: dict[str, float | int | str] = {}
    for request in requests:
        if request.name == "runid":
            summary["runid"] = run.name
        elif request.name == "num_q":
            summary["num_q"] = counted.size
        for name, values in request.columns(rankings).items():
            if isinstance(values, list):
                per_query[name] = [values[query] for query in shown.tolist()]
            elif values.dtype == np.int64:
                per_query[name] = values[shown]
                summary[name] = int(values[counted].sum())
            elif request.measure.is_geometric:
                summary[name] = float(np.exp(_mean(np.log(np.maximum(values[counted], _LEAST)))))
            else:
                per_query[name] = values[shown]
                summary[name] = _mean(np.where(is_missing & (version < 10), 0.0, values)[counted])
    problems = (*data.problems, *_problems(data, rankings, requests))
    return Results(tuple(ids[query] for query in shown.tolist()), per_query, summary, problems)


def _mean(values: Floats) -> float:
    # One after the other, as trec_eval adds, so that the same digits are printed.
    return float(np.cumsum(values)[-1] / values.size)


def _problems(data: RankingData, rankings: Rankings, requests: Iterable[Request]) -> Iterator[Problem]:
    assert data.judged is not None
    cut = int(np.count_nonzero(np.trunc(data.judged.labels) != data.judged.labels))
    if cut:
        yield Problem("truncated label", cut, f"{cut:,} labels are not whole and were cut, as trec_eval does")
    for request in requests:
        judged = (rankings.judged, rankings.judged_labels)
        wrong = int(not_best(rankings.ideal(request.gains), *judged, request.gains).sum()) if request.gains else 0
        if wrong:
            what = (
                f"{request.name}.{request.text}: trec_eval sorts gains less than 1 apart wrongly, so that the "
                f"ideal ranking of {wrong:,} queries is not the best one; multiply the gains for the right value"
            )
            yield Problem("gain order", wrong, what)
