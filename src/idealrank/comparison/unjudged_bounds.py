"""What unjudged documents could change in a comparison."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

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
        Whether to compute bounds; by default, where a measure saw unjudged documents and the systems retrieve few
        documents. Measures without bounds are left out.

    Raises
    ------
    OptionError
        If bounds are asked for and there are none: of labeled lists, of weighted means, or of a measure.
    """
    judged = evaluator.judged
    why = ""
    if not isinstance(judged, Qrels) or isinstance(judged, SubtopicQrels):
        why = "bounds over unjudged documents need judgments of documents, and runs"
    elif evaluator.query_weights is not None:
        why = "bounds over unjudged documents are of means without query weights"
    elif evaluator.convention.unjudged != "zero":
        why = "bounds need a convention that takes unjudged documents as not relevant"
    if why:
        if wanted:
            raise OptionError(f"{why}: leave out unjudged_bounds=True (--unjudged-bounds)")
        return comparison
    assert isinstance(judged, Qrels)
    runs = {name: run for name, run in systems.items() if isinstance(run, Run)}
    has_some = any(problem.kind == "unjudged document" for problem in comparison.problems)
    is_cheap = sum(run.n_docs for run in runs.values()) <= _MOST_DOCUMENTS
    if wanted is False or (wanted is None and not (has_some and is_cheap)):
        return comparison
    by_measure: dict[str, Bounds] = {}
    for name, measure in named_measures(measures).items():
        try:
            rules = rules_of(measure, evaluator.convention, labels_in(judged, None))
            pool = Pool.of(judged, runs, rules, evaluator.n_threads)
            by_measure[name] = bounds_of(evaluator, runs, measure, pool, rules, baseline=comparison.baseline)
        except OptionError:
            if wanted:
                raise
    return replace(comparison, unjudged_bounds=by_measure, shows_bounds=bool(wanted))
