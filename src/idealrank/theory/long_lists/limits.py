"""The limit of NDCG as the list grows, and the NDCG of the worst ranking."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from idealrank._core.checks import are_numbers
from idealrank._typing import Floats
from idealrank.errors import DataError, OptionError
from idealrank.measures import cutoffs, discounts
from idealrank.measures.cutoffs import CutoffLike
from idealrank.theory.long_lists import curves, weights
from idealrank.theory.long_lists.curves import Curve, CurveLike
from idealrank.theory.long_lists.measure_discount import MeasureLike, Weighting
from idealrank.theory.long_lists.weights import discount_sum

if TYPE_CHECKING:
    from idealrank.theory.long_lists.stacked_curves import StepCurves


def limit(discount: MeasureLike, curve: CurveLike, cutoff: CutoffLike = None) -> float:
    """Compute the value to which NDCG converges as a list grows (Wang et al. 2013, Theorems 4, 7, 9, 11 to 17).

    For a logarithmic discount without a cutoff, it is 1 for every ranker (Theorem 4).

    Parameters
    ----------
    discount : str, Measure, Discount or callable
        A discount, a non-increasing function of ranks, or an NDCG measure with its cutoff.
    curve : Curve, callable or mapping of float to callable
        The relevance curve of the ranker. Its levels are gains, so the gain of a measure is ignored.
    cutoff : int, float, str or Cutoff, optional
        Number of ranks that count, unless the measure has a cutoff: a fraction of the list, or "n^0.5", which grows
        more slowly than the list. None means all ranks.

    Returns
    -------
    float
        The limit.

    Raises
    ------
    OptionError
        If NDCG has no limit and stays random, because the sum of the discounts is bounded or a fixed number of ranks
        counts.
    DataError
        If the curve is 0 everywhere.

    Examples
    --------
    With ybar(s) = s, the discount r^-b and p = 1/2, it is 2^(1 - b) / (2 - b).

    >>> from idealrank import discounts
    >>> from idealrank.theory import limit
    >>> round(limit(discounts.Power(0.5), lambda s: s), 12), round(2**0.5 / 1.5, 12)
    (0.942809041582, 0.942809041582)
    >>> round(limit("ndcg@20%", lambda s: s), 12)  # the mean of s over the top fifth
    0.9
    >>> limit("ndcg", lambda s: s**2), limit("zipf", lambda s: 0.1 + 0.6 * s)
    (1.0, 0.7)
    """
    weighting = Weighting.of(discount, cutoff)
    found = float(limit_or_nan(weighting, curves.relevant(curve)))
    if math.isnan(found):
        raise OptionError(f"NDCG has no limit here: {without_limit(weighting)}")
    return found


def limit_or_nan(weighting: Weighting, curve: Curve | StepCurves) -> Floats:
    """Return the limit of each curve; NaN if there is none."""
    seen = sees(weighting)
    if seen == "list":
        return np.asarray(_share_of_ideal(weighting, curve))
    exists = seen == "top" or (seen == "few" and np.asarray(curve.top_variance) == 0)
    return np.where(exists, curve.top / curve.best, np.nan)


def sees(weighting: Weighting) -> str:
    """Return what a weighting sees of a long list: the whole "list", its "top", a "few" ranks; or "undecided"."""
    kind = weighting.regime.kind
    reach = reach_of(weighting.cutoff)
    if reach == "few" or kind == "bounded":
        return "few"
    if "undecided" in (kind, reach):
        return "undecided"
    return "top" if kind == "harmonic" else reach


_LENGTHS = 10.0 ** np.arange(3, 16)


def reach_of(cutoff: cutoffs.Cutoff | None) -> str:
    """What a cutoff reaches of a long list; a cutoff of your own is judged by its values up to 10^15 documents."""
    match cutoff:
        case None | cutoffs.Fraction():
            return "list"
        case cutoffs.Rank():
            return "few"
        case cutoffs.Power():
            return "top"
    ranks = cutoff.depths(_LENGTHS).astype(np.float64)
    if (np.diff(ranks[-7:]) == 0).all():
        return "few"
    shares = ranks / _LENGTHS
    return "top" if (np.diff(ranks) > 0).all() and (np.diff(shares) < 0).all() and shares[-1] < 1e-3 else "undecided"


def without_limit(weighting: Weighting) -> str:
    """Explain why NDCG has no limit under a weighting."""
    if isinstance(weighting.cutoff, cutoffs.Rank):
        return f"only {weighting.cutoff.k} ranks count, however long the list, so it stays random (Theorem 10)"
    if reach_of(weighting.cutoff) == "undecided":
        return f"it is not known how many ranks count ({weighting.cutoff})"
    found = weighting.regime
    if found.kind == "undecided":
        return f"it is not known how fast the discount decreases ({found.reason})"
    return f"{found.reason}, so it stays random (Theorem 10)"


def theorem_of(weighting: Weighting) -> str:
    """Return the name of the theorem that says to what NDCG converges, or that it does not; "" if none does.

    >>> [theorem_of(Weighting.of(each)) for each in ("ndcg", "ndcg@20%", "ndcg@10", "power:0.5", "zipf", "ndcg@n^0.5")]
    ['Theorem 4', 'Theorems 12 and 13', 'Theorem 10', 'Theorem 7', 'Theorem 9', 'Theorem 11']
    """
    seen, kind = sees(weighting), weighting.regime.kind
    if seen != "list":
        names = {"few": "Theorem 10", "top": "Theorem 9" if kind == "harmonic" else "Theorem 11"}
        return names.get(seen, "")
    if kind == "linear":
        return "the law of large numbers"
    if weighting.cutoff is not None:
        return "Theorems 12 and 13"
    return "Theorem 4" if kind == "slow" else "Theorem 7"


def end_of(weighting: Weighting) -> float:
    """Return the place u of the last document that counts."""
    return weighting.cutoff.c if isinstance(weighting.cutoff, cutoffs.Fraction) else 1.0


def _share_of_ideal(weighting: Weighting, curve: Curve | StepCurves) -> float | Floats:
    """The limit of each curve under a discount that sees the whole list."""
    found = weighting.regime
    if found.kind == "slow" and weighting.cutoff is None:
        return np.ones_like(curve.mean)  # Theorem 4, exactly
    weight = weights.linear() if found.kind == "linear" else weights.power(found.beta)
    end = end_of(weighting)
    return curve.integral(weight, to=end) / curve.ideal_integral(weight, to=end)


def worst_ndcg(discount: MeasureLike, n: float, n_relevant: float, cutoff: CutoffLike = None) -> float:
    """Compute NDCG with all relevant documents, of equal gain, at the end of the list (Wang et al. 2013, Theorem 4).

    For the standard discount, it converges to 1 like that of every ranking, but so slowly that no real list is long
    enough: with 10^100 documents, the last half of them relevant, it is 0.994.

    Parameters
    ----------
    discount : str, Measure, Discount or callable
        A discount, a non-increasing function of ranks, or an NDCG measure with its cutoff.
    n : float
        The number of documents.
    n_relevant : float
        The number of relevant documents.
    cutoff : int, float, str or Cutoff, optional
        Number of ranks that count, unless the measure has a cutoff; None means all ranks.

    Returns
    -------
    float
        The lowest NDCG of any ranking.

    Raises
    ------
    DataError
        If the number of relevant documents is not between 1 and n.

    Examples
    --------
    >>> from idealrank.theory import worst_ndcg
    >>> worst_ndcg("linear_ndcg", 6, 3)  # relevant at the ranks 4 to 6: (2 + 1 + 0) / (5 + 4 + 3)
    0.25
    >>> [round(worst_ndcg("log", n, n / 2), 3) for n in (1e2, 1e6, 1e100)]
    [0.623, 0.89, 0.994]
    """
    if not (are_numbers(n_relevant, n) and 1 <= n_relevant <= n < float("inf")):
        raise DataError(f"NDCG needs a list with from 1 to n relevant documents, got {n_relevant} of {n}")
    weighting = Weighting.of(discount, cutoff)
    if weighting.cutoff is not None or isinstance(weighting.discount, discounts.Linear):
        values = weighting.weights(int(n))
        return float(values[int(n - n_relevant) :].sum() / values[: int(n_relevant)].sum())
    whole, before, ideal = (discount_sum(weighting.discount, count) for count in (n, n - n_relevant, n_relevant))
    return (whole - before) / ideal
