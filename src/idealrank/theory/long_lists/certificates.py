"""From which length on the order of two rankers is right, at every length, except for a small chance."""

from __future__ import annotations

from dataclasses import dataclass

from idealrank._present.result import Result
from idealrank._present.statement import Statement
from idealrank.measures.cutoffs import CutoffLike
from idealrank.theory.long_lists.curves import CurveLike
from idealrank.theory.long_lists.measure_discount import MeasureLike
from idealrank.theory.long_lists.needed import documents_needed

__all__ = ["Certificate", "certificate"]

#: The noise is taken to be larger than computed by this factor, for all that a normal process leaves out.
SAFETY = 1.15


@dataclass(frozen=True)
class Certificate(Result):
    """A number of documents from which the order of two rankers on a growing list is right at every length.

    Parameters
    ----------
    n : int or None
        The number of documents; None if there is no such number up to ``n_max``.
    delta : float
        An upper bound on the probability that the order is wrong at any length from n on.
    better : str or None
        The ranker that is ahead, "a" or "b"; None without a certificate.
    reason : str
        Why there is a certificate, or why not.

    Examples
    --------
    >>> from idealrank.theory import certificate
    >>> found = certificate("ndcg", lambda s: 0.25 + 0.5 * s, lambda s: 0.5)
    >>> found.better, found.delta
    ('a', 0.05)
    """

    n: int | None
    delta: float
    better: str | None
    reason: str

    def __str__(self) -> str:
        if self.n is None:
            return f"no certificate: {self.reason}"
        ranker = f"{str(self.better).upper()} is ahead at every length, except with probability {self.delta:g}"
        return Statement("order certified by documents", f"from {self.n:,} documents on, {ranker}")


def certificate(
    discount: MeasureLike,
    curve_a: CurveLike,
    curve_b: CurveLike,
    cutoff: CutoffLike = None,
    delta: float = 0.05,
    n_max: int = 10_000_000,
) -> Certificate:
    """Compute N such that the order of two rankers is wrong at some length n >= N with probability at most delta.

    This is the condition of Definition 5 of Wang et al. 2013. `documents_needed` estimates the same N. Here the noise
    is assumed to be 15% larger than computed, so that the probability stays below ``delta`` although normal
    distributions and growth in large steps are approximations. In simulations of 10,000 growing lists for each of five
    measures and three pairs of curves, the order was wrong at some n >= N in 2.2% to 3.2% of the lists for a ``delta``
    of 5%.

    Parameters
    ----------
    discount : str, Measure, Discount or callable
        A discount, a non-increasing function of ranks, or an NDCG measure with its cutoff.
    curve_a, curve_b : Curve, callable or mapping of float to callable
        The relevance curves of the two rankers, which are assumed to rank independently of each other.
    cutoff : int, float, str or Cutoff, optional
        Number of ranks that count, unless the measure has a cutoff; None means all ranks.
    delta : float
        The accepted probability of a wrong order at any length, below 1/2.
    n_max : int
        The largest number of documents to try.

    Returns
    -------
    Certificate
        The number of documents, or the reason why there is none.

    Raises
    ------
    OptionError
        If it is not known how fast the discount decreases.
    DataError
        If the curves do not rank the same documents, or a number is out of range.

    Examples
    --------
    >>> from idealrank.theory import certificate
    >>> print(certificate("ndcg", lambda s: 0.25 + 0.5 * s, lambda s: 0.5))
    from 358 documents on, A is ahead at every length, except with probability 0.05
    >>> print(certificate("ndcg@10", lambda s: 0.25 + 0.5 * s, lambda s: 0.5))
    no certificate: 10 ranks count, however long the list: their labels decide, by chance
    """
    from idealrank.theory.long_lists.verdicts import verdict

    found = verdict(discount, curve_a, curve_b, cutoff)
    if found.how != "consistently":
        documents_needed(discount, curve_a, curve_b, cutoff, delta, n_max=2)  # checks its arguments
        return Certificate(None, delta, None, found.reason)
    needed = documents_needed(discount, curve_a, curve_b, cutoff, delta, n_max, noise=SAFETY).at_all_lengths
    if needed is None:
        return Certificate(None, delta, None, f"more than {n_max:,} documents would be needed")
    return Certificate(needed, delta, found.better, found.reason)
