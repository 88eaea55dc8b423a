"""What unjudged documents could change in a comparison."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from idealrank._typing import Floats
from idealrank.comparison.comparison_result import Comparison
from idealrank.data.judgments import Qrels, Run
from idealrank.data.subtopics import SubtopicQrels
from idealrank.errors import OptionError
from idealrank.evaluation.evaluator import Evaluator
from idealrank.evaluation.inputs import Measures, named_measures
from idealrank.judging.unjudged.bounds import Bounds, bounds_of, labels_in
from idealrank.judging.unjudged.measure_rules import rules_of
from idealrank.judging.unjudged.pool import Pool

__all__ = ["with_bounds"]

#: Most retrieved documents of all systems for which bounds are computed without being asked for.
_MOST_DOCUMENTS = 300_000
_HOW = "unjudged_bounds=True (--unjudged-bounds)"


def with_bounds(
    comparison: Comparison,
    evaluator: Evaluator,
    systems: Mapping[str, Run | Floats],
    measures: Measures,
    *,
    wanted: bool | None = None,
) -> Comparison:
    """Return a comparison with the bounds of its measures over all labels of unjudged documents.

    Parameters
    ----------
    comparison : Comparison
        The comparison.
    evaluator : Evaluator
        The judgments and the convention.
    systems : mapping of str to Run
        The systems.
    measures : str, Measure or iterable of these
        The measures of the comparison.
    wanted : bool, optional
        Whether to compute bounds; by default, where a measure saw unjudged documents, of the baseline and the systems
        with the best means that retrieve at most 300,000 documents in total. Measures without bounds are left out.

    Raises
    ------
    OptionError
        If bounds are asked for and there are none: of labeled lists, of weighted means, or of a measure.
    """
    judged = evaluator.judged
    has_some = any(problem.kind == "unjudged document" for problem in comparison.problems)
    why = ""
    if not isinstance(judged, Qrels) or isinstance(judged, SubtopicQrels):
        why = "bounds over unjudged documents need judgments of documents, and runs"
    elif evaluator.query_weights is not None:
        why = "bounds over unjudged documents are of means without query weights"
    elif evaluator.convention.unjudged != "zero":
        why = "bounds need a convention that takes unjudged documents as not relevant"
    if why:
        if wanted:
            raise OptionError(f"{why}: leave out {_HOW}")
        is_weighted = evaluator.query_weights is not None and has_some
        return replace(
            comparison, unchecked=dict.fromkeys(comparison.values, f"for weighted means: {why}") if is_weighted else {}
        )
    assert isinstance(judged, Qrels)
    every = {name: run for name, run in systems.items() if isinstance(run, Run)}
    if wanted is False or (wanted is None and not has_some):
        return comparison
    by_measure: dict[str, Bounds] = {}
    unchecked: dict[str, str] = {}
    for name, measure in named_measures(measures).items():
        runs = every if wanted else _leading(comparison, name, every)
        try:
            rules = rules_of(measure, evaluator.convention, labels_in(judged, None))
            if len(runs) > 1:
                pool = Pool.of(judged, runs, rules, evaluator.n_threads)
                by_measure[name] = bounds_of(evaluator, runs, measure, pool, rules, baseline=comparison.baseline)
            if len(runs) < len(every):
                which = f"the {len(every) - len(runs):,} other systems" if len(runs) > 1 else "any system"
                unchecked[name] = f"for {which}, because there are many documents; {_HOW} does it"
        except OptionError:
            if wanted:
                raise
    return replace(comparison, unjudged_bounds=by_measure, unchecked=unchecked, shows_bounds=bool(wanted))


def _leading(comparison: Comparison, measure: str, runs: Mapping[str, Run]) -> dict[str, Run]:
    """Return the baseline and the systems with the best means that have few documents in total; none if only one."""
    sign = 1.0 if comparison.evaluations.lower_is_better(measure) else -1.0
    means = comparison.means[measure]
    ranked = sorted(runs, key=lambda name: (name != comparison.baseline, sign * float(np.nan_to_num(means[name].mean))))
    n = int((np.cumsum([runs[name].n_docs for name in ranked]) <= _MOST_DOCUMENTS).sum())
    return {name: runs[name] for name in runs if n > 1 and name in ranked[:n]}
