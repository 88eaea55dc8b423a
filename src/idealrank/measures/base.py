"""What all measures have in common: options, names, cut-offs, conventions, and the call."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

import numpy as np
import numpy.typing as npt

from idealrank._base.options import Options, choice, number, option
from idealrank._typing import Floats
from idealrank.data.lists import Lists
from idealrank.errors import OptionError
from idealrank.measures import cutoffs, discounts, gains
from idealrank.measures.conventions import Convention, convention
from idealrank.measures.plan import Plan, run

__all__ = ["TIES", "Measure", "empty_value", "kernel_ties"]

_Measure = TypeVar("_Measure", bound="Measure")

#: Orders of documents with equal scores.
TIES = ("average", "stable", "reverse", "best", "worst", "docid_desc", "docid_asc")


def _empty(value: Any) -> float | str:
    if value in ("nan", "skip"):
        return str(value)
    if isinstance(value, float) and math.isnan(value):
        return "nan"
    coerced = number(0, 1)(value)
    if coerced not in (0.0, 1.0):
        raise OptionError(f"empty is 0, 1, 'nan' or 'skip', got {value!r}")
    return coerced


@dataclass(frozen=True, kw_only=True, repr=False)
class Measure(Options):
    """A measure of rankings: a frozen value that gives one number a query.

    ``m(labels, scores, offsets)`` measures; ``m @ 10`` is the same measure with a cut-off; ``str(m)`` is its name,
    which `idealrank.measure` reads back. Options that are None are as the convention says;
    ``m.with_convention("sklearn")`` fills them.

    >>> from idealrank.measures import Precision
    >>> p = Precision() @ 2
    >>> p, p([0, 1, 1], [3, 2, 1])
    (p@2, array([0.5]))
    >>> p.with_convention("sklearn")
    p(ties=average,empty=0,rel=1,ideal=retrieved,denominator=cutoff)@2
    """

    cutoff: Any = option(cutoffs.of)
    ties: str | None = option(choice(*TIES))
    empty: float | str | None = option(_empty)

    #: Whether a smaller value is a better one, as it is of an error.
    lower_is_better: ClassVar[bool] = False

    def __matmul__(self: _Measure, cutoff: int | float | str | cutoffs.Cutoff | None) -> _Measure:
        return dataclasses.replace(self, cutoff=cutoff)

    def __str__(self) -> str:
        return self.named(besides=["cutoff"]) + ("" if self.cutoff is None else f"@{self.cutoff}")

    __repr__ = __str__

    def with_convention(self: _Measure, like: str | Convention = "idealrank") -> _Measure:
        """The measure with every unnamed option filled in by the convention."""
        rules = convention(like)
        has_cutoff = self.cutoff is not None
        filled = {
            name: rules.option(name, self.label, has_cutoff) for name in self.options() if getattr(self, name) is None
        }
        return dataclasses.replace(self, **{name: value for name, value in filled.items() if value is not None})

    def plan(self) -> Plan | None:
        """How the native core computes the filled-in measure; None where the measure computes itself."""
        raise NotImplementedError

    def __call__(
        self,
        labels: npt.ArrayLike,
        scores: npt.ArrayLike,
        offsets: npt.ArrayLike | None = None,
        *,
        judged: tuple[npt.ArrayLike, npt.ArrayLike] | None = None,
        n_threads: int | None = None,
    ) -> Floats:
        """One value a query.

        ``offsets`` cuts the documents into queries, None is one query. ``judged``, labels and offsets of all judged
        documents, is for rankings that do not hold all of them; an unjudged document then has the label NaN.
        """
        return self.values(Lists.of(labels, scores, offsets, judged=judged, n_threads=n_threads))

    def values(self, lists: Lists) -> Floats:
        """As the call, on lists that are known to fit together."""
        filled = self.with_convention()
        plan = filled.plan()
        assert plan is not None, "a measure without a plan overrides values"
        return run([plan], lists, kernel_ties(filled)).reshape(-1)

    def range(
        self, labels: npt.ArrayLike, scores: npt.ArrayLike, offsets: npt.ArrayLike | None = None
    ) -> tuple[Floats, Floats]:
        """The least and the greatest value a query over all orders of documents with equal scores."""
        if "ties" not in self.options():
            value = self(labels, scores, offsets)
            return value, value
        worst, best = (dataclasses.replace(self, ties=ties)(labels, scores, offsets) for ties in ("worst", "best"))
        return np.minimum(worst, best), np.maximum(worst, best)  # of an error, the best is the least


def kernel_ties(measure: Measure) -> str:
    """The order of equal scores for the native core, which knows no document ids."""
    ties = measure.ties or "average"
    return {"docid_asc": "stable", "docid_desc": "reverse"}.get(ties, ties)  # the row number stands in for the id


def empty_value(measure: Measure) -> float:
    """The value of a query with nothing relevant, as a float."""
    return math.nan if isinstance(measure.empty, str) else float(measure.empty or 0)


gain_option = option(gains.of)
discount_option = option(discounts.of)
