"""The gate: compare a candidate with a baseline, and decide whether it may replace it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, Literal, Unpack

import numpy as np

from idealrank._core.checks import check_fraction
from idealrank._typing import Floats, Int64s
from idealrank.comparison.gating.gate_result import Gate, GatedMeasure, UnjudgedEffect, largest_drops
from idealrank.comparison.gating.margins import Margins, check_margins, margin_in
from idealrank.comparison.gating.saved_baseline import (
    Baseline,
    is_saved_baseline,
    query_digests,
    read_baseline,
    some_queries,
)
from idealrank.data.judgments import Qrels, Run
from idealrank.data.ranking import Order
from idealrank.data.subtopics import SubtopicQrels
from idealrank.errors import DataError, OptionError
from idealrank.evaluation.evaluation_base import check_means
from idealrank.evaluation.evaluation_result import Evaluation
from idealrank.evaluation.evaluator import Evaluator
from idealrank.evaluation.inputs import (
    Data,
    LayoutOptions,
    Measures,
    OneSystem,
    Replicates,
    System,
    judged_and_each_system,
    layout_of,
    named_measures,
    naming,
)
from idealrank.io.query_values import By, categories_of
from idealrank.io.shapes.shape import recognize
from idealrank.measures.conventions import Convention
from idealrank.measures.measure_base import Measure
from idealrank.stats.non_inferiority import GateVerdict, non_inferiority_test

__all__ = ["gate"]

_REMOVED = ("error", "zero", "drop")
_CANDIDATE, _BASELINE = "candidate", "baseline"
#: Documents to judge first that a sentence names.
_N_FIRST = 5
#: More than all unjudged documents.
_ALL_DOCUMENTS = 2**31


def gate(
    data: Data,
    candidate: OneSystem | Sequence[OneSystem] | None,
    baseline: OneSystem | Sequence[OneSystem] | Baseline,
    measures: Measures = ("ndcg@10",),
    *,
    margin: Margins = 0.02,
    level: float = 0.05,
    like: str | Convention | None = None,
    by: By | None = None,
    removed: Literal["error", "zero", "drop"] = "error",
    order: Order | None = None,
    n_threads: int | None = None,
    **layout: Unpack[LayoutOptions],
) -> Gate:
    """Decide whether a changed system is as good as its baseline: pass, fail or inconclusive.

    A measure passes if its mean is shown to drop by less than the margin. It fails if its mean is shown to drop, and
    not to drop by less than the margin. Otherwise it is inconclusive: the queries do not suffice for either. Both are
    one-sided paired t tests of the per-query differences, see `idealrank.stats.non_inferiority_test`. A change that
    helps as often as it hurts fails with a probability of at most ``level``, whatever the number of measures and
    categories (Bonferroni). All measures must pass, which needs no correction.

    Parameters
    ----------
    data, candidate
        The judged documents and the changed system, as in `evaluate`. A system that does not give the same results
        every time is a list of several runs: then verdicts are about new queries and new runs of it. The candidate
        is None if the data also has what was retrieved.
    baseline
        The system to compare with, in the same form; or the values that `save_baseline` returned, or the path of the
        file that it wrote.
    measures : str, Measure or iterable of these
        The measures.
    margin : float, str or mapping
        The largest drop of a mean that does not matter: 0.02, or "2%" of the baseline's mean; or {measure: margin}.
    level : float
        The significance level.
    like : str or Convention, optional
        The convention for options that the measures leave unset, as in `evaluate`.
    by : mapping, sequence, str or path, optional
        The category of each query, as in `evaluate`. A category that is worse makes the gate fail; for a pass, only the
        means over all queries must be within the margin, because categories have few queries.
    removed : {"error", "zero", "drop"}
        What to do if the candidate has no results for queries of the baseline: raise an error; count them as queries
        for which it retrieves nothing; or leave them out and name them, which may hide a drop.
    order : {"input", "grouped"}, optional
        The order of the scores, as in `evaluate`.
    n_threads : int, optional
        Number of threads; None means all cores, or the number passed to `set_threads`.
    **layout
        The layout of the data: offsets, group, query_ids, mask, and column names, as in `evaluate`.

    Returns
    -------
    Gate
        The verdicts, and what this many queries can show.

    Raises
    ------
    OptionError
        If an option is out of range, or a margin is so large that any system would pass.
    DataError
        If the baseline was computed from other data or in another way, or the candidate lacks queries.

    Notes
    -----
    ``print`` shows the smallest drop that the queries find with 80% power, from the variance of the differences; look
    at it before you rely on a gate. Keep a saved baseline for several changes: if every change that passes becomes the
    next baseline, small drops add up.

    Examples
    --------
    >>> import idealrank as ir
    >>> qrels, runs = ir.datasets.search_runs(50)
    >>> ir.gate(qrels, runs["bm25"], runs["hybrid"], "ndcg@10, rr", margin={"ndcg@10": "5%", "rr": 0.1})
    Gate(fail: ndcg@10 fail, rr fail; 50 queries)
    """
    check_fraction(level, "level")
    if removed not in _REMOVED:
        raise OptionError(f"removed must be one of {', '.join(_REMOVED)}, got {removed!r}")
    saved = read_baseline(os.fspath(baseline)) if is_saved_baseline(baseline) else baseline  # type: ignore[arg-type]
    laid_out = layout_of(gate, layout, order)
    shape = recognize(data, "data", laid_out) if candidate is None or by is not None else None
    if shape is not None and candidate is None:
        candidate = shape.own_system
        if candidate is None:
            raise DataError(f"{shape.describe()} has no retrieved documents: give the candidate, too")
    given: dict[str, Any] = {_CANDIDATE: candidate}
    if not isinstance(saved, Baseline):
        given[_BASELINE] = saved
    judged, each_system = judged_and_each_system(data, given, laid_out)
    systems = dict(each_system)
    categories = None if by is None or shape is None else categories_of(by, shape)
    evaluator = Evaluator(judged, like, by=categories, n_threads=n_threads)
    margins = check_margins(margin, named_measures(measures, evaluator.convention))
    evaluations = {}
    for name, system in systems.items():
        with naming(f"the {name}"):
            evaluations[name] = evaluator.evaluate(system, measures)
    evaluation = evaluations[_CANDIDATE]
    check_means(evaluation.filled)
    digests = query_digests(judged)
    if isinstance(saved, Baseline):
        saved.check_same(evaluation, digests)
    else:
        saved = Baseline.of(evaluations[_BASELINE], digests)
    added, gone, places, rows = _aligned(evaluation, saved)
    lacking = [query for query in gone if query in digests]  # others are no longer judged
    if lacking and removed == "error":
        raise DataError(
            f"the candidate has no results for {some_queries(lacking)} of the baseline: add them, if only as empty "
            "lists; or count them as such with removed='zero' (--removed zero); or leave them out with removed='drop' "
            "(--removed drop)"
        )
    if lacking and removed == "zero":
        run, nothing = systems[_CANDIDATE], {query: dict[str, float]() for query in lacking}
        runs = [Run({**nothing, **each}) for each in (run if isinstance(run, Replicates) else [run])]  # type: ignore[dict-item]
        systems[_CANDIDATE] = Replicates(runs) if isinstance(run, Replicates) else runs[0]
        evaluation = evaluator.evaluate(systems[_CANDIDATE], measures)
        added, gone, places, rows = _aligned(evaluation, saved)
    if not places.size:
        raise DataError("candidate and baseline have no query in common")
    evaluation = evaluation.take(places)
    values = {
        name: (evaluation.runs.get(name, own), saved.values[name][rows]) for name, own in evaluation.per_query.items()
    }
    means = {name: np.stack([_mean_of_runs(each) for each in pair], axis=1) for name, pair in values.items()}
    query_ids = tuple(saved.query_ids[row] for row in rows.tolist())
    gated = list(_gated(evaluation, values, query_ids, margins, level))
    gated = [
        replace(each, unjudged=_unjudged_effect(each, evaluator, systems, saved, query_ids))
        if each.verdict == "fail" and not each.category
        else each
        for each in gated
    ]
    return Gate(_overall(gated), tuple(gated), query_ids, means, added, gone, level, evaluation, saved.version)


def _mean_of_runs(values: Floats) -> Floats:
    return values if values.ndim == 1 else np.asarray(values.mean(axis=1), np.float64)


def _aligned(evaluation: Evaluation, baseline: Baseline) -> tuple[tuple[str, ...], tuple[str, ...], Int64s, Int64s]:
    """Return the queries that only one of both has, and the places of the others in each."""
    ours = {str(query): place for place, query in enumerate(evaluation.query_ids.tolist())}
    theirs = {query: row for row, query in enumerate(baseline.query_ids)}
    both = [query for query in ours if query in theirs]
    added, gone = (tuple(q for q in one if q not in other) for one, other in ((ours, theirs), (theirs, ours)))
    places, rows = (np.array([known[query] for query in both], np.int64) for known in (ours, theirs))
    return added, gone, places, rows


def _gated(
    evaluation: Evaluation,
    values: Mapping[str, tuple[Floats, Floats]],
    query_ids: tuple[str, ...],
    margins: Mapping[str, float | str],
    level: float,
) -> Iterator[GatedMeasure]:
    """Yield the verdict of each measure over all queries, then those of each category."""
    groups: dict[str, Any] = {"": np.arange(len(query_ids))}
    for place, name in enumerate(evaluation.categories or ()):
        groups.setdefault(f" {name}", []).append(place)  # a category may have an empty name
    n_tests = len(values) * len(groups)
    drops: dict[str, float] = {}
    for category, places in sorted(groups.items()):
        for name, (candidate, baseline) in values.items():
            measure = evaluation.filled[name]
            own = candidate[places], baseline[places]
            pairs = np.stack([_mean_of_runs(each) for each in own], axis=1)
            own_ids = tuple(query_ids[place] for place in places)
            kept = ~np.isnan(pairs).any(axis=1)
            means = pairs[kept].mean(axis=0) if kept.any() else np.full(2, np.nan)
            if not category:
                drops[name] = margin_in(margins[name], name, measure, float(means[1])) if kept.any() else 1.0
            yield _tested(name, category[1:], measure, own, means, own_ids, drops[name], level, n_tests)


def _tested(
    name: str,
    category: str,
    measure: Measure,
    values: tuple[Floats, Floats],
    means: Floats,
    query_ids: tuple[str, ...],
    drop: float,
    level: float,
    n_tests: int,
) -> GatedMeasure:
    sign = -1.0 if measure.lower_is_better else 1.0
    changes = _mean_of_runs(values[0]) - _mean_of_runs(values[1])
    test = non_inferiority_test(sign * values[0], sign * values[1], drop, level=level, n_tests=n_tests)
    lowest, highest = measure.value_range
    worst = highest if measure.lower_is_better else lowest
    if test.verdict == "pass" and abs(means[1] - worst) <= drop:  # any system would pass in this category
        test = replace(test, verdict="inconclusive", note="the margin reaches to the worst value")
    width = highest - lowest  # no change is larger
    low, high = sorted((sign * test.low, sign * test.high)) if test.low == test.low else (test.low, test.high)
    low, high = max(low, -width), min(high, width)
    candidate, baseline = means.tolist()
    change = 0.0 if not test.n_queries else sign * test.difference
    moved = largest_drops(changes, np.nan_to_num(sign * changes), query_ids)
    return GatedMeasure(name, category, baseline, candidate, change, low, high, drop, test, moved, largest_change=width)


def _overall(gated: list[GatedMeasure]) -> GateVerdict:
    if any(each.verdict == "fail" for each in gated):
        return "fail"
    return "pass" if all(each.verdict == "pass" for each in gated if not each.category) else "inconclusive"


def _unjudged_effect(
    gated: GatedMeasure,
    evaluator: Evaluator,
    systems: Mapping[str, System],
    baseline: Baseline,
    query_ids: tuple[str, ...],
) -> UnjudgedEffect | None:
    """Return what unjudged documents could change in a measure that fails; None if they cannot undo it."""
    from idealrank.judging.unjudged.bounds import bounds  # most gates need neither
    from idealrank.judging.unjudged.judge_next import judge_next

    judged, rules = evaluator.judged, evaluator.convention
    if not isinstance(judged, Qrels) or isinstance(judged, SubtopicQrels) or rules.unjudged != "zero":
        return None
    if any(isinstance(system, Replicates) for system in systems.values()):
        return None
    kept = {*query_ids}
    runs = {
        name: Run({query: docs for query, docs in run.items() if str(query) in kept})
        for name, run in systems.items()
        if isinstance(run, Run)
    }
    options: dict[str, Any] = {"like": rules, "n_threads": evaluator.n_threads}
    reference = _BASELINE if _BASELINE in runs else None
    first: tuple[tuple[str, str], ...] = ()
    n_documents = 0
    with suppress(OptionError):  # a measure without such bounds
        found = bounds(judged, runs, gated.measure, n_draws=0, baseline=reference, **options)
        if reference is not None:
            (difference,) = found.differences
            highest, is_exact = difference.highest, difference.is_exact
        else:
            best = found.per_query(_CANDIDATE)["highest"]
            places = {str(query): place for place, query in enumerate(found.systems[_CANDIDATE].query_ids.tolist())}
            rows = {query: row for row, query in enumerate(baseline.query_ids)}
            old = _mean_of_runs(baseline.values[gated.measure])
            gains = [best[places[query]] - old[rows[query]] for query in query_ids]
            highest, is_exact = float(np.nanmean(gains)), False
        if highest < 0:
            return None
        n_documents = found.n_unjudged
        with suppress(OptionError):  # no order of documents for this measure
            following = judge_next(judged, runs, gated.measure, n=_ALL_DOCUMENTS, baseline=reference, **options)
            n_documents = len(following.documents)
            first = tuple(zip(following.queries, following.documents, strict=True))[:_N_FIRST]
        return UnjudgedEffect(highest, is_exact, n_documents, first)
    return None
