"""What theory needs to know of a measure: its discount and its cut-off."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from idealrank._typing import Floats
from idealrank.errors import OptionError
from idealrank.measures import NDCG, LinearNDCG, Measure, cutoffs, discounts, measure

__all__ = ["MeasureLike", "Weighting"]

MeasureLike: TypeAlias = "str | Measure | discounts.Discount | Callable[[Floats], npt.ArrayLike]"


@dataclass(frozen=True)
class _Function(discounts.Discount):
    """Anyone's own discount: a function of ranks, as an array of floats."""

    function: Callable[[Floats], npt.ArrayLike]

    def __call__(self, ranks: npt.ArrayLike, n: int | None = None) -> Floats:
        places = np.asarray(ranks, np.float64)
        return np.broadcast_to(np.asarray(self.function(places), np.float64), places.shape)

    def __str__(self) -> str:
        return getattr(self.function, "__name__", "function")


@dataclass(frozen=True)
class Weighting:
    """The weights of the ranks: a discount, and 0 beyond the cut-off."""

    discount: discounts.Discount
    cutoff: cutoffs.Cutoff | None

    @classmethod
    def of(cls, what: MeasureLike, cutoff: Any = None) -> Weighting:
        """The weighting of an NDCG ("ndcg(discount=power:0.5)@20%"), or of a discount with a cut-off beside it.

        >>> Weighting.of("ndcg(discount=power:0.5)@20%")
        Weighting(discount=Power(beta=0.5), cutoff=Fraction(c=0.2))
        >>> Weighting.of("zipf", cutoff=10)
        Weighting(discount=Zipf(), cutoff=Rank(k=10))
        """
        if isinstance(what, str) and what.partition(":")[0].lower() not in _DISCOUNTS:
            what = measure(what)
        if isinstance(what, Measure):
            return cls._of_measure(what, cutoff)
        if isinstance(what, (str, discounts.Discount)):
            return cls(discounts.of(what), cutoffs.of(cutoff))
        if callable(what):
            return cls(_Function(what), cutoffs.of(cutoff))
        raise OptionError(f"expected an NDCG or a discount, got {what!r}")

    @classmethod
    def _of_measure(cls, given: Measure, cutoff: Any) -> Weighting:
        if cutoff is not None:
            if given.cutoff is not None:
                raise OptionError(f"{given} has a cut-off; leave out cutoff={cutoff!r}")
            given = given @ cutoff
        if isinstance(given, LinearNDCG):
            return cls(discounts.Linear(), given.cutoff)
        if isinstance(given, NDCG):
            return cls(given.with_convention().discount, given.cutoff)
        raise OptionError(f"this theory is about NDCG and linear NDCG, not {given}")

    def depth(self, n: int) -> int:
        """How many ranks of a list of n documents count."""
        return n if self.cutoff is None else min(n, int(self.cutoff.at(n)))

    def weights(self, n: int) -> Floats:
        """The weights of the ranks that count in a list of n documents."""
        return self.discount(np.arange(1, self.depth(n) + 1), n)

    def __str__(self) -> str:
        return f"{self.discount}" if self.cutoff is None else f"{self.discount}@{self.cutoff}"


_DISCOUNTS = {name.lower() for name in discounts.__all__} - {"discount", "of"}
