"""A measure at many cut-offs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from idealrank.evaluation.evaluator import Evaluations
from idealrank.measures.base import Measure
from idealrank.measures.cutoffs import Rank
from idealrank.measures.names import measure

__all__ = ["curves_of", "over_cutoffs"]

_CUTOFFS = (1, 2, 3, 5, 10, 20, 50, 100)


def over_cutoffs(measures: Iterable[str | Measure], cutoffs: Sequence[int] = _CUTOFFS) -> list[Measure]:
    """Each measure that has a cut-off at each of these: what to evaluate for curves.

    >>> over_cutoffs(["ndcg@10", "ndcg@20", "rr", "auc"], [1, 5])
    [ndcg@1, ndcg@5, rr@1, rr@5]
    """
    families = dict.fromkeys(measure(each) @ None for each in measures)
    return [family @ cutoff for family in families if "cutoff" in family.options() for cutoff in cutoffs]


def curves_of(evaluations: Evaluations) -> dict[str, dict[str, dict[int, float]]]:
    """{measure without its cut-off: {system: {cut-off: mean}}}, of measures with two cut-offs or more.

    >>> from idealrank import evaluate
    >>> found = evaluate({"q": {"a": 0, "b": 1}}, {"x": {"q": {"a": 2, "b": 1}}}, ["rr@1", "rr@2", "ap"])
    >>> curves_of(found)
    {'rr': {'x': {1: 0.0, 2: 0.5}}}
    """
    found: dict[str, dict[str, dict[int, float]]] = {}
    for system, evaluation in evaluations.items():
        means = evaluation.mean
        for name in evaluation.per_query:
            given = measure(name)
            if isinstance(given.cutoff, Rank):
                found.setdefault(str(given @ None), {}).setdefault(system, {})[given.cutoff.k] = means[name]
    return {
        family: {system: dict(sorted(curve.items())) for system, curve in systems.items()}
        for family, systems in found.items()
        if all(len(curve) > 1 for curve in systems.values())
    }
