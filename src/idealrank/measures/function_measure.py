"""A measure that is a function of the labels and scores of one query, in the order of their ranks."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, ClassVar, TypeAlias

import numpy as np

from idealrank._typing import Floats
from idealrank.data.lists import Lists, query_id
from idealrank.errors import DataError, OptionError
from idealrank.measures.cutoffs import Cutoff
from idealrank.measures.measure_base import Measure, kernel_ties, run
from idealrank.measures.ranked_labels import in_rank_order

#: A function of the labels and the scores of one query, best score first, that returns its value.
MeasureFunction: TypeAlias = Callable[[Floats, Floats], float]


class FunctionMeasure(Measure):
    """Base class of measures that are functions ``f(labels, scores)``; `register` and `evaluate` make them.

    The function is called once per query, with two read-only float64 arrays: the documents in ranked order, cut at the
    cutoff if there is one. An unjudged document has the label 0. Equal scores are ordered as the convention says, and
    in input order where it averages them, since a function has no closed form for that. A query without documents has
    the value 0, and so has a query that a run lacks, if it counts. NaN means that a query has no value.
    """

    function: ClassVar[MeasureFunction]

    without = frozenset({"empty"})

    def values(self, lists: Lists) -> Floats:
        ties = "stable" if self.ties in (None, "average") else kernel_ties(self)
        run([], lists, ties)  # checks the labels
        is_unjudged = np.isnan(lists.labels) if lists.negative != "unjudged" else ~(lists.labels >= 0)
        labels = np.where(is_unjudged, 0.0, lists.labels)
        rows = in_rank_order(lists, ties, labels)
        labels, scores = labels[rows], lists.scores[rows]
        labels.flags.writeable = scores.flags.writeable = False
        depths = self.cutoff.depths(lists.sizes) if isinstance(self.cutoff, Cutoff) else lists.sizes
        ends = lists.offsets[:-1] + np.minimum(depths, lists.sizes)
        values = np.zeros(lists.n_queries)
        for query, (first, end) in enumerate(zip(lists.offsets[:-1].tolist(), ends.tolist(), strict=True)):
            if end > first:
                values[query] = self._value(labels[first:end], scores[first:end], lists, query)
        return values

    def _value(self, labels: Floats, scores: Floats, lists: Lists, query: int) -> float:
        try:
            value: Any = type(self).function(labels, scores)
        except Exception as error:
            name = query if lists.query_ids is None else query_id(lists.query_ids, query)
            error.add_note(f"in the measure {self.label}, query {name!r}")
            raise
        try:
            return float(value)
        except (TypeError, ValueError):
            said = f"the measure {self.label} must return one number per query, got {value!r}"
            raise DataError(said, query=query) from None

    def __reduce__(self) -> tuple[Any, ...]:
        given = {name: getattr(self, name) for name in self.options()}
        return _restored, (type(self).function, self.label, given)


def measure_of_function(function: MeasureFunction, name: str | None = None) -> type[FunctionMeasure]:
    """Return the class of the measure that a function computes, named as the function unless a name is given."""
    label = name or getattr(function, "__name__", "").strip("<>")
    if not label:
        raise OptionError(f"{function!r} has no name: measures.register('mine')(function) gives it one")
    return _class_of(function, label)


@lru_cache(maxsize=256)  # so that measures of one function are equal
def _class_of(function: MeasureFunction, label: str) -> type[FunctionMeasure]:
    body = {
        "function": staticmethod(function),
        "label": label,
        "__doc__": function.__doc__,
        "__module__": function.__module__,
        "__qualname__": getattr(function, "__qualname__", label),
    }
    return type(label, (FunctionMeasure,), body)


def _restored(function: MeasureFunction, name: str, given: dict[str, Any]) -> FunctionMeasure:
    return measure_of_function(function, name)(**given)
