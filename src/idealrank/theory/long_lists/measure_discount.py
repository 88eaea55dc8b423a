"""The discount and the cutoff of a measure, and how fast the discount decreases: all that theory needs to know."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from idealrank._present.result import Result
from idealrank._typing import Floats
from idealrank.data.columns import read_only
from idealrank.errors import DataError, OptionError
from idealrank.measures import NDCG, LinearNDCG, Measure, cutoffs, discounts, measure
from idealrank.measures.cutoffs import CutoffLike
from idealrank.measures.measure_base import lowest_dcg


@dataclass(frozen=True)
class Regime(Result):
    """The behavior of a discount on long lists, D(r) ~ r^-beta (log r)^-logs.

    Parameters
    ----------
    kind : str
        "slow": decreases more slowly than any power of r, like the logarithm. "power": like r^-beta with 0 < beta < 1.
        "harmonic": like 1/r, and its sum is still unbounded. "bounded": its sum is bounded. "linear": n - r.
        "undecided": none of these, as far as can be computed.
    beta : float
        The power of r.
    logs : float
        The power of log r.
    reason : str
        The reason why the discount is of this kind.

    Examples
    --------
    >>> from idealrank.theory.long_lists.measure_discount import regime
    >>> found = regime("power:0.5")
    >>> found.kind, found.beta
    ('power', 0.5)
    """

    kind: str
    beta: float
    logs: float
    reason: str


def regime(discount: MeasureLike) -> Regime:
    """Return the regime of a discount; for functions outside the library, it is estimated from their values.

    Parameters
    ----------
    discount : str, Measure, Discount or callable
        A discount, a non-increasing function of ranks, or an NDCG measure.

    Returns
    -------
    Regime
        The kind of the discount, its exponents, and the reason.

    Raises
    ------
    OptionError
        If the discount starts at 0 or below, increases, or becomes negative.

    Examples
    --------
    >>> import numpy as np
    >>> from idealrank.theory import regime
    >>> regime("log").kind, regime("power:0.5").kind, regime("zipf").kind, regime("geometric").kind
    ('slow', 'power', 'harmonic', 'bounded')
    >>> own = regime(lambda r: 1 / (r * np.log(r + 1) ** 2))
    >>> own.kind, own.reason
    ('bounded', 'like r^-1 (log r)^-2 up to rank 2^960: its sum is bounded')
    """
    return Weighting.of(discount).regime


def _regime(discount: discounts.Discount) -> Regime:
    match discount:
        case discounts.Log() | discounts.Letor():
            return _of_powers(0.0, 1.0, "(log r)^-1")
        case discounts.Power(beta):
            return _of_powers(beta, 0.0, f"r^-{beta:g}")
        case discounts.Zipf():
            return _of_powers(1.0, 0.0, "r^-1")
        case discounts.Geometric(base):
            return Regime("bounded", np.inf, 0.0, f"{base:g}^-r: its sum is bounded")
        case discounts.Linear():
            return Regime("linear", 0.0, 0.0, "n - r stretches with the list")
        case discounts.Table(values):
            return Regime("bounded", np.inf, 0.0, f"only the first {len(values)} ranks count")
        case own:
            return _judged(own)


def _of_powers(beta: float, logs: float, text: str) -> Regime:
    """The regime of r^-beta (log r)^-logs."""
    if beta == 0:
        return Regime("slow", 0.0, logs, f"{text}: slower than any power of r, its sum is unbounded")
    if beta < 1:
        return Regime("power", beta, logs, f"{text}: slower than 1/r, its sum is unbounded")
    if beta == 1 and logs <= 1:
        return Regime("harmonic", beta, logs, f"{text}: its sum is only just unbounded")
    return Regime("bounded", beta, logs, f"{text}: its sum is bounded")


# Ranks are powers of two, so far apart that even a logarithm shows; rounding to a millionth tells 1 from 1.00001.
_EXPONENTS = np.arange(60.0, 961.0, 60.0)
_TOLERANCE = 1e-6


def _judged(own: discounts.Discount) -> Regime:
    """Fit -log2(D(2r) / D(r)) = beta + logs * log2(1 + 1/log2(r)) at r = 2^60 ... 2^960."""
    _check_decreasing(own)
    with np.errstate(all="ignore"):
        near, far = own(np.exp2(_EXPONENTS)), own(np.exp2(_EXPONENTS + 1))
        slopes = -np.log2(far / near)
    alive = np.isfinite(slopes) & (far > np.finfo(np.float64).tiny)  # smaller numbers have fewer digits
    return _fitted(_EXPONENTS[alive], slopes[alive]) if alive.sum() >= 4 else _vanishing(own)


def _fitted(exponents: Floats, slopes: Floats) -> Regime:
    """The powers of r and log r that describe these slopes."""
    design = np.column_stack([np.ones_like(exponents), np.log2(1 + 1 / exponents)])
    (beta, logs), *_ = np.linalg.lstsq(design, slopes)
    if np.abs(design @ [beta, logs] - slopes).max() > _TOLERANCE:
        return Regime("undecided", float(beta), float(logs), "no power of r and log r describes how it decreases")
    beta, logs = _rounded(beta), _rounded(logs)
    factors = [f"r^-{beta:g}"] * (beta != 0) + [f"(log r)^-{logs:g}"] * (logs != 0)
    return _of_powers(beta, logs, f"like {' '.join(factors) or 'a constant'} up to rank 2^{exponents[-1]:g}")


def _rounded(value: float) -> float:
    """The nearest number with five decimals, if it is close: 0.5000000001 means 0.5."""
    near = round(float(value), 5)
    return near + 0.0 if abs(near - value) < _TOLERANCE else float(value)


def _vanishing(own: discounts.Discount) -> Regime:
    """The regime of a discount that underflows to 0: find where it drops below r^-2."""
    exponents = np.arange(1.0, 60.0)
    with np.errstate(all="ignore"):
        below = own(np.exp2(exponents)) < np.exp2(-2 * exponents)
    first = int(np.argmax(below))
    if below[first:].all():
        return Regime("bounded", np.inf, 0.0, f"below r^-2 from rank 2^{exponents[first]:g} on: its sum is bounded")
    return Regime("undecided", np.nan, np.nan, "its values at large ranks cannot be judged")


def _check_decreasing(own: discounts.Discount) -> None:
    """Raise an OptionError unless the discount starts above 0, never increases and is never negative."""
    ranks = np.concatenate([np.arange(1.0, 1001.0), np.exp2(np.arange(10.0, 51.0))])
    weights = own(ranks)
    if not np.isfinite(weights).all() or weights[0] <= 0 or (weights < 0).any() or (np.diff(weights) > 0).any():
        rank = ranks[1:][np.diff(weights) > 0]
        where = f"; it increases at rank {rank[0]:g}" if rank.size else ""
        raise OptionError(f"a discount must start above 0, never increase and never be negative{where}: {own}")


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


_WHOLE = cutoffs.Fraction(1)
#: The weights of so many lists that are so short are kept.
_N_KEPT, _SHORT = 256, 5000


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
        if self.cutoff == _WHOLE:  # in theory, every document is judged
            object.__setattr__(self, "cutoff", None)
        if isinstance(self.discount, discounts.Table):
            self.discount.require_decreasing("this theory", len(self.discount.values))

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
        if isinstance(given, (LinearNDCG, NDCG)) and lowest_dcg(given.gain) < 0:
            raise OptionError(f"this theory needs gains of 0 or more, got {given.gain}")
        if isinstance(given, LinearNDCG):
            return cls(discounts.Linear(), given.cutoff)
        if isinstance(given, NDCG):
            return cls(given.with_convention().discount, given.cutoff)
        raise OptionError(f"this theory is about NDCG and linear NDCG, not {given}")

    @cached_property
    def regime(self) -> Regime:
        """The regime of the discount."""
        return _regime(self.discount)

    def depth(self, n: int) -> int:
        """Return the number of ranks that count in a list of n documents."""
        if self.cutoff is None or isinstance(self.cutoff, cutoffs.Rank):
            return n if self.cutoff is None else min(n, self.cutoff.k)
        if n > 2**53:
            raise DataError(f"a cutoff that depends on the length needs n of at most 2^53, got {n:g}")
        return min(n, int(self.cutoff.depths(n)))

    def weights(self, n: int) -> Floats:
        """Return the weights of the ranks that count in a list of n documents."""
        found = self._weights.get(n)
        if found is None:
            found = read_only(self._computed_weights(n))
            if n <= _SHORT and len(self._weights) < _N_KEPT:
                self._weights[n] = found
        return found

    @cached_property
    def _weights(self) -> dict[int, Floats]:
        return {}

    def _computed_weights(self, n: int) -> Floats:
        depth = self.depth(n)
        if depth > _SUMMED:
            raise DataError(f"ranks are summed one by one here, and {depth:g} count: n may be {_SUMMED:,} or less")
        return self.discount(np.arange(1, depth + 1), n)

    def __str__(self) -> str:
        return f"{self.discount}" if self.cutoff is None else f"{self.discount}@{self.cutoff}"


_DISCOUNTS = {name.lower() for name in discounts.__all__} - {"discount", "of"}
