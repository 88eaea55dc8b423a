"""What NDCG tends to as the list grows."""

from __future__ import annotations

from typing import Any

from idealrank.errors import OptionError
from idealrank.measures import cutoffs
from idealrank.theory.long_lists import curves, weights
from idealrank.theory.long_lists.curves import Curve, CurveLike
from idealrank.theory.long_lists.regimes import Regime, regime
from idealrank.theory.long_lists.weighting import MeasureLike, Weighting

__all__ = ["end_of", "limit", "place_weight", "sees", "without_limit"]


def limit(discount: MeasureLike, curve: CurveLike, cutoff: Any = None) -> float:
    """The value to which NDCG converges as a ranker's list grows (Wang et al. 2013, Theorems 4, 7, 9, 11 to 17).

    ``discount``: a discount, any function of ranks that falls, or an NDCG measure with its cut-off. ``curve``: what
    stands at each place of the list, see `idealrank.theory.curves`; its levels are gains, so that a measure's own gain
    does not count here. ``cutoff``: None; a fraction of the list; "n^0.5", which grows more slowly than the list.

    A logarithm alone gives 1 for every ranker (Theorem 4). Where the sum of the discounts is bounded, or a fixed number
    of ranks counts, NDCG stays random and has no limit: a OptionError.

    With ybar(s) = s, discount r^-b and p = 1/2 it is 2^(1 - b) / (2 - b).

    >>> from idealrank import discounts
    >>> round(limit(discounts.Power(0.5), lambda s: s), 12), round(2**0.5 / 1.5, 12)
    (0.942809041582, 0.942809041582)
    >>> round(limit("ndcg@20%", lambda s: s), 12)  # the mean of s over the top fifth
    0.9
    >>> limit("ndcg", lambda s: s**2), limit("zipf", lambda s: 0.1 + 0.6 * s)
    (1.0, 0.7)
    """
    weighting = Weighting.of(discount, cutoff)
    checked = curves.check_relevant(curves.of(curve))
    seen = sees(weighting)
    if seen == "list":
        return _share_of_ideal(weighting, checked)
    if seen == "top" or checked.top_variance == 0:
        return checked.top / checked.best
    raise OptionError(f"NDCG has no limit here: {without_limit(weighting)}")


def sees(weighting: Weighting) -> str:
    """What a weighting sees of a long list: the whole "list", its "top", a "few" ranks; or "undecided"."""
    kind = regime(weighting.discount).kind
    if isinstance(weighting.cutoff, cutoffs.Rank) or kind == "bounded":
        return "few"
    if kind == "undecided":
        return "undecided"
    if kind == "harmonic" or isinstance(weighting.cutoff, cutoffs.Power):
        return "top"
    return "list"


def without_limit(weighting: Weighting) -> str:
    """Why a weighting has no limit."""
    if isinstance(weighting.cutoff, cutoffs.Rank):
        return f"only {weighting.cutoff.k} ranks count, however long the list, so that it stays random (Theorem 10)"
    found = regime(weighting.discount)
    if found.kind == "undecided":
        return f"it is not known how fast the discount falls ({found.reason})"
    return f"{found.reason}, so that it stays random (Theorem 10)"


def place_weight(found: Regime) -> weights.Weight:
    """The weight of the places of a long list, for a discount that sees all of it."""
    return weights.linear() if found.kind == "linear" else weights.power(found.beta)


def end_of(weighting: Weighting) -> float:
    """The place u of the last document that counts."""
    return weighting.cutoff.c if isinstance(weighting.cutoff, cutoffs.Fraction) else 1.0


def _share_of_ideal(weighting: Weighting, curve: Curve) -> float:
    found = regime(weighting.discount)
    if found.kind == "slow" and weighting.cutoff is None:
        return 1.0  # Theorem 4, exactly
    weight, end = place_weight(found), end_of(weighting)
    return curve.integral(weight, to=end) / curve.ideal_integral(weight, to=end)
