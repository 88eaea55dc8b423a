"""The discount and the cutoff of a measure, which is all that the theory of long lists needs to know about it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from idealrank._typing import Floats
from idealrank.errors import DataError, OptionError
from idealrank.measures import NDCG, LinearNDCG, Measure, cutoffs, discounts, measure
from idealrank.measures.cutoffs import CutoffLike

__all__ = ["MEASURES", "MeasureLike", "Weighting"]

#: The default measures: those of Wang et al. 2013, appendix A, and two common ones.
MEASURES = (
    "ndcg",
    "ndcg(discount=power:0.5)",
    "ndcg(discount=geometric:2)",
    "ndcg@20%",
    "ndcg@10",
    "ndcg(discount=zipf)",
)

MeasureLike: TypeAlias = "str | Measure | discounts.Discount | Weighting | Callable[[Floats], npt.ArrayLike]"


#: The largest number of ranks whose weights are computed one by one.
_SUMMED = 10**8


@dataclass(frozen=True)
class _DiscountFunction(discounts.Discount):
    """A user's own discount: a function of an array of ranks."""

    function: Callable[[Floats], npt.ArrayLike]

    def __call__(self, ranks: npt.ArrayLike, n: int | None = None) -> Floats:
        places = np.asarray(ranks, np.float64)
        return np.broadcast_to(np.asarray(self.function(places), np.float64), places.shape)

    def __str__(self) -> str:
        return getattr(self.function, "__name__", "function")


@dataclass(frozen=True)
class Weighting:
    """The weights of the ranks: a discount, and 0 beyond the cutoff.

    Parameters
    ----------
    discount : Discount
        The discount.
    cutoff : Cutoff or None
        The cutoff.
    """

    discount: discounts.Discount
    cutoff: cutoffs.Cutoff | None

    def __post_init__(self) -> None:
        if self.cutoff == cutoffs.Fraction(1):  # in theory, every document is judged
            object.__setattr__(self, "cutoff", None)

    @classmethod
    def of(cls, what: MeasureLike, cutoff: CutoffLike = None) -> Weighting:
        """Return the weighting of an NDCG measure, or of a discount with a separate cutoff.

        Parameters
        ----------
        what : str, Measure, Discount, Weighting or callable
            An NDCG measure, a discount, their names, a weighting, or a function of an array of ranks.
        cutoff : int, float, str or Cutoff, optional
            Number of ranks that count, unless the measure has a cutoff; None means all ranks.

        Returns
        -------
        Weighting

        Raises
        ------
        OptionError
            If this is neither an NDCG nor a discount, or if there are two cutoffs.

        Examples
        --------
        >>> Weighting.of("ndcg(discount=power:0.5)@20%")
        Weighting(discount=Power(beta=0.5), cutoff=Fraction(c=0.2))
        >>> Weighting.of("zipf", cutoff=10)
        Weighting(discount=Zipf(), cutoff=Rank(k=10))
        """
        if isinstance(what, Weighting) and cutoff is None:
            return what
        if isinstance(what, str) and what.partition(":")[0].lower() not in _DISCOUNTS:
            what = measure(what)
        if isinstance(what, Measure):
            return cls._of_measure(what, cutoff)
        if isinstance(what, (str, discounts.Discount)):
            return cls(discounts.of(what), cutoffs.of(cutoff))
        if callable(what):
            return cls(_DiscountFunction(what), cutoffs.of(cutoff))
        raise OptionError(f"expected an NDCG or a discount, got {what!r}")

    @classmethod
    def _of_measure(cls, given: Measure, cutoff: CutoffLike) -> Weighting:
        if cutoff is not None:
            if given.cutoff is not None:
                raise OptionError(f"{given} already has a cutoff; leave out cutoff={cutoff!r}")
            given = given @ cutoff
        if isinstance(given, LinearNDCG):
            return cls(discounts.Linear(), given.cutoff)
        if isinstance(given, NDCG):
            return cls(given.with_convention().discount, given.cutoff)
        raise OptionError(f"this theory is about NDCG and linear NDCG, not {given}")

    def depth(self, n: int) -> int:
        """Return the number of ranks that count in a list of n documents."""
        if self.cutoff is None or isinstance(self.cutoff, cutoffs.Rank):
            return n if self.cutoff is None else min(n, self.cutoff.k)
        if n > 2**53:
            raise DataError(f"a cutoff that depends on the length needs n of at most 2^53, got {n:g}")
        return min(n, int(self.cutoff.depths(n)))

    def weights(self, n: int) -> Floats:
        """Return the weights of the ranks that count in a list of n documents."""
        depth = self.depth(n)
        if depth > _SUMMED:
            raise DataError(f"ranks are summed one by one here, and {depth:g} count: n may be {_SUMMED:,} or less")
        return self.discount(np.arange(1, depth + 1), n)

    def __str__(self) -> str:
        return f"{self.discount}" if self.cutoff is None else f"{self.discount}@{self.cutoff}"


_DISCOUNTS = {name.lower() for name in discounts.__all__} - {"discount", "of"}
