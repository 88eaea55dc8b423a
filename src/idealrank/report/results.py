"""What the results of `evaluate`, `compare` and `explain` have in common: systems, measures, values, intervals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import numpy as np

from idealrank._typing import Floats
from idealrank.errors import DataError
from idealrank.evaluation.comparison import Comparison
from idealrank.evaluation.evaluator import Evaluation, Evaluations
from idealrank.evaluation.explanation import Explanation
from idealrank.stats import Interval

__all__ = [
    "Result",
    "best_of",
    "difference",
    "evaluations_of",
    "intervals_of",
    "measures_of",
    "one_measure",
    "reference_of",
    "values_of",
]

Result: TypeAlias = Evaluation | Evaluations | Comparison | Explanation

_LEVEL = 0.95


def evaluations_of(result: Result) -> Evaluations:
    """The evaluations by system, of an explanation by convention; one without a name is "system"."""
    if isinstance(result, Evaluations):
        return result
    if isinstance(result, Evaluation):
        return Evaluations({"system": result})
    if isinstance(result, (Comparison, Explanation)):
        return result.evaluations
    raise DataError(f"a report is of what evaluate, compare or explain returned, got {type(result).__name__}")


def measures_of(result: Result) -> list[str]:
    """The measures, as given."""
    return list(next(iter(evaluations_of(result).values())).per_query)


def one_measure(result: Result, measure: str | None) -> str:
    """The measure that is named, else the first."""
    known = measures_of(result)
    if measure is not None and measure not in known:
        raise DataError(f"the result has no measure {measure!r}, it has {', '.join(map(repr, known))}")
    return known[0] if measure is None else measure


def intervals_of(result: Result, measure: str) -> dict[str, Interval]:
    """The mean of each system and its interval: as compared, else by the t distribution."""
    if isinstance(result, Comparison):
        return dict(result.means[measure])
    found = {}
    for name, evaluation in evaluations_of(result).items():
        moments = evaluation.moments(measure)
        found[name] = Interval(*moments.t_interval(_LEVEL), moments.mean, _LEVEL, "t")
    return found


def values_of(result: Result, measure: str) -> dict[str, Floats]:
    """One value a query for each system, without the queries that have none; as compared, of the common queries."""
    if isinstance(result, Comparison):
        columns = dict(zip(result.systems, result.values[measure].T, strict=True))
    else:
        columns = {name: each.per_query[measure] for name, each in evaluations_of(result).items()}
    return {name: values[~np.isnan(values)] for name, values in columns.items()}


def reference_of(comparison: Comparison, measure: str) -> str:
    """What the others are shown against: the baseline, else the system with the best mean."""
    if comparison.baseline is not None:
        return comparison.baseline
    return best_of(comparison.means[measure], comparison.evaluations.lower_is_better(measure))


def best_of(intervals: Mapping[str, Interval], lower_is_better: bool = False) -> str:
    """The system with the highest mean, or the lowest; one without a mean only where none has one.

    >>> best_of({"a": Interval(0, 1, float("nan"), 0.95, "t"), "b": Interval(0, 1, 0.5, 0.95, "t")})
    'b'
    """
    sign = -1.0 if lower_is_better else 1.0
    return max(intervals, key=lambda system: float(np.nan_to_num(sign * intervals[system].mean, nan=-np.inf)))


def difference(comparison: Comparison, measure: str, system: str, against: str) -> Floats:
    """The difference of two systems on each query that has one, largest first."""
    i, j = comparison.systems.index(system), comparison.systems.index(against)
    matrix = comparison.values[measure]
    found = matrix[:, i] - matrix[:, j]
    return -np.sort(-found[~np.isnan(found)])
