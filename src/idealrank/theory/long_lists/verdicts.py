"""Whether a measure can distinguish two rankers, and why: the theorems in a sentence each."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from idealrank._present.page import Statement
from idealrank._present.result import Result
from idealrank.measures import cutoffs
from idealrank.measures.cutoffs import CutoffLike
from idealrank.theory.long_lists import curves
from idealrank.theory.long_lists.curves import Curve, CurveLike
from idealrank.theory.long_lists.limits import end_of, sees, without_limit
from idealrank.theory.long_lists.measure_discount import MeasureLike, Regime, Weighting
from idealrank.theory.long_lists.wins import EQUAL, agree, counts_equally, limit_gap, log_term, top_integral

PAPER = "Wang et al. 2013"

STATEMENTS = {
    "Definition 1": "NDCG is the DCG of a ranking divided by the highest DCG that its documents can have.",
    "Theorem 4": "With the discount 1/log(1 + r) and no cutoff, the NDCG of every ranker converges to 1.",
    "Theorem 6": (
        "With the discount 1/log(1 + r) and no cutoff, any two rankers with different, Hoelder continuous relevance "
        "curves are distinguished ever more surely as lists grow: the gap shrinks like a power of 1/log(n), the noise "
        "much faster."
    ),
    "Theorem 7": (
        "With the discount r^-b, 0 < b < 1, NDCG converges to a weighted mean of the relevance curve, relative to that "
        "of the ideal ranking."
    ),
    "Theorem 8": (
        "With the discount r^-b, 0 < b < 1, rankers with different limits are distinguished ever more surely as "
        "lists grow. (A correction of the paper: with r^-b itself, equal limits and random labels at the top, they are "
        "not.)"
    ),
    "Theorem 9": (
        "With the discount 1/r, NDCG converges to the expected gain at the very top of the list, relative to the "
        "highest gain. (Not in the paper: rankers with different tops are distinguished ever more surely, but slowly; "
        "with 1/r itself, equal tops and random labels there, they are not.)"
    ),
    "Theorem 10": (
        "If the sum of the discounts is bounded, or a fixed number of ranks counts, NDCG does not converge: the labels "
        "of a few documents decide, however long the list is."
    ),
    "Theorem 11": (
        "If the cutoff grows, but more slowly than the list, NDCG converges to the expected gain at the very top of "
        "the list, relative to the highest gain."
    ),
    "Theorems 12 and 13": (
        "If the cutoff is a fraction of the list, NDCG converges to a weighted mean of the relevance curve above the "
        "cutoff, relative to that of the ideal ranking; differences below the cutoff are not seen."
    ),
    "Theorem 14": (
        "With the discount r^-b, 0 < b < 1, and gains of several values, NDCG converges to a weighted mean of the "
        "expected gains, relative to that of the ideal ranking, in which the highest gains come first."
    ),
    "Theorem 15": (
        "If the cutoff grows, but more slowly than the list, and gains have several values, NDCG converges to the "
        "expected gain at the very top of the list, relative to the highest gain."
    ),
    "Theorem 16": (
        "With the discount 1/log(1 + r), a cutoff at a fraction of the list and gains of several values, NDCG "
        "converges to the mean gain above the cutoff, relative to that of the ideal ranking."
    ),
    "Theorem 17": (
        "With the discount r^-b, 0 < b < 1, a cutoff at a fraction of the list and gains of several values, NDCG "
        "converges to a weighted mean of the expected gains above the cutoff, relative to that of the ideal ranking."
    ),
    "the law of large numbers": (
        "With the discount n - r, NDCG is a ratio of means over all documents, and converges to the ratio of their "
        "expectations."
    ),
}


def theorem_text(theorem: str) -> str:
    """Return the statement of a theorem with its source; the name may be followed by a comma or a semicolon and more.

    >>> theorem_text("Theorem 8, condition 1")[:60]
    'Wang et al. 2013, Theorem 8, condition 1: With the discount '
    """
    name = theorem.partition(";")[0]
    name = "Theorems 12 and 13" if name in ("Theorem 12", "Theorem 13") else name
    known = next((key for key in (name, name.partition(",")[0]) if key in STATEMENTS), None)
    if known is None:
        return ""
    source = f"{PAPER}, {name}" if known != "the law of large numbers" else "The law of large numbers"
    return f"{source}: {STATEMENTS[known]}"


@dataclass(frozen=True)
class Verdict(Result):
    """Whether NDCG on growing lists distinguishes A from B.

    Parameters
    ----------
    how : str
        "consistently"; "in probability", if wrong orders become rare, but more slowly than Definition 5 requires; "in
        expectation" (Definition 18), if means differ but single lists stay random; "no"; or "undecided".
    reason : str
        The reason in words.
    theorem : str
        The theorem that gives the answer.
    rate : str
        How the gap and the noise change with n.
    better : str or None
        "a" or "b", if one of them is ahead in expectation; otherwise None.

    Examples
    --------
    >>> from idealrank.theory.long_lists.verdicts import verdict
    >>> verdict("ndcg@10", lambda s: s, lambda s: 0.5).how
    'in expectation'
    """

    how: str
    reason: str
    theorem: str
    rate: str = ""
    better: str | None = None

    @property
    def distinguishes(self) -> bool | None:
        """Whether NDCG distinguishes consistently: from some length on, the order is right and stays so (Definition 5).

        False if not; None if the curves do not decide.
        """
        return {"consistently": True, "undecided": None}.get(self.how, False)

    @property
    def in_words(self) -> str:
        """What the verdict means for a reader of the measure."""
        return Statement("verdict of theory", _IN_WORDS[self.how])

    def why(self) -> list[str]:
        """Return the reason, the theorem behind it, and how gap and noise change with n, as sentences.

        Returns
        -------
        list of str
            The sentences.
        """
        rate = f"On lists of n documents: {self.rate}." if self.rate else ""
        return [
            line for line in (f"{self.reason[0].upper()}{self.reason[1:]}.", theorem_text(self.theorem), rate) if line
        ]


_IN_WORDS = {
    "consistently": "the longer the lists, the more surely the measure distinguishes them",
    "in probability": "the longer the lists, the rarer a wrong order, but never as rare as Definition 5 asks",
    "in expectation": "only averages over queries distinguish them: a single list stays random, however long it is",
    "no": "the measure cannot distinguish them, however long the lists are",
    "undecided": "theory does not say whether longer lists would distinguish them",
}


def verdict(measure: MeasureLike, curve_a: CurveLike, curve_b: CurveLike, cutoff: CutoffLike = None) -> Verdict:
    """Find out whether NDCG with this discount and cutoff distinguishes two rankers of the same documents.

    The rankers are assumed to be independent of each other at the top, given the curves.

    Parameters
    ----------
    measure : str, Measure, Discount or callable
        A discount, a non-increasing function of ranks, or an NDCG measure with its cutoff.
    curve_a, curve_b : Curve, callable or mapping of float to callable
        The relevance curves of the two rankers.
    cutoff : int, float, str or Cutoff, optional
        Number of ranks that count, unless the measure has a cutoff; None means all ranks.

    Returns
    -------
    Verdict
        The answer with its reason.

    Raises
    ------
    DataError
        If a curve is 0 everywhere, or if the curves do not rank the same documents.

    Examples
    --------
    >>> from idealrank.theory import verdict
    >>> found = verdict("ndcg", lambda s: s, lambda s: 1 - s)
    >>> found.distinguishes, found.better, found.rate
    (True, 'a', 'gap 1/log(n), noise n^-1/2 / log(n)')
    >>> verdict("ndcg@10", lambda s: 0.9 * s, lambda s: 0.45).how
    'in expectation'
    """
    weighting = Weighting.of(measure, cutoff)
    a, b = map(curves.relevant, (curve_a, curve_b))
    curves.check_same_documents(a, b)
    if agree(a, b):
        return Verdict("undecided", "both curves are the same: as far as NDCG is concerned these may be one ranker", "")
    seen = sees(weighting)
    if seen == "undecided":
        return Verdict("undecided", without_limit(weighting), "")
    if seen == "few":
        return _of_few(weighting, a, b)
    found, end = weighting.regime, end_of(weighting)
    if end < 1 and agree(a, b, end):
        reason = f"the curves are the same on the first {end:.0%} of the list, which is all that counts"
        return Verdict("no", reason, "Theorems 12 and 13; the remark after Theorem 13 overlooks this")
    if counts_equally(weighting):
        return Verdict("no", "all ranks count equally: NDCG is 1 for any ranking", "Definition 1", "no gap, no noise")
    difference = limit_gap(weighting, a, b)
    if abs(difference) > EQUAL:
        is_noisy = min(a.top_variance, b.top_variance) > 0
        return _of_limits(weighting, found, seen, difference, is_noisy)
    if seen == "top":
        return _of_equal_tops(weighting, found, a, b)
    return _of_equal_limits(found, end, a, b)


def _in_expectation(signed: float, reason: str, theorem: str, rate: str) -> Verdict:
    """The verdict if single lists stay random: A is better in expectation if the number is above 0."""
    if abs(signed) <= EQUAL:
        return Verdict("no", reason, theorem, rate)
    return Verdict("in expectation", reason, theorem, rate, _better(signed))


def _better(signed: float) -> str:
    """The better ranker: A if the number is above 0."""
    return "a" if signed > 0 else "b"


def _noise(found: Regime) -> str:
    """How the noise of NDCG decreases with n: sqrt(sum D^2) / sum D."""
    logs = found.logs
    if found.kind == "harmonic":
        return "1/log(log(n))" if logs == 1 else f"1/{_log_power(1 - logs)}"
    if found.kind != "power" or found.beta < 0.5:
        return "n^-1/2"
    if found.beta == 0.5 and logs < 0.5:
        return "sqrt(log(n)/n)"
    if found.beta == 0.5 and logs == 0.5:
        return "sqrt(log(n) log(log(n)) / n)"
    rank = "1/2" if found.beta == 0.5 else f"{1 - found.beta:g}"
    if logs == 0:
        return f"n^-{rank}"
    return f"{_log_power(logs)} / n^{rank}" if logs > 0 else f"n^-{rank} / {_log_power(-logs)}"


def _log_power(exponent: float) -> str:
    """A power of log(n) in words."""
    return "log(n)" if exponent == 1 else f"log(n)^{exponent:g}"


#: Powers of log(n) from which on something grows faster than log(n), and up to which it does not, as far as lengths up
#: to 10^15 can tell.
_FASTER, _AS_LOG = 1.5, 1.15


class _Growth(NamedTuple):
    """The powers of log(n) with which the number of ranks grows, and minus the logarithm of the chance of an error."""

    ranks: float
    errors: float


def _growth(weighting: Weighting, found: Regime) -> _Growth:
    """How fast the ranks that count grow, and what follows for errors.

    The chance of a wrong order is at most exp(-c S^2 / Q) with the sum S and the sum of squares Q of the weights
    (Hoeffding's inequality). That is below any power of 1/n if S^2 / Q grows faster than log(n).
    """
    if isinstance(weighting.cutoff, cutoffs.Power | None):
        return _Growth(math.inf, math.inf)
    n = np.array([1e6, 1e15])
    ranks = weighting.cutoff.depths(n).astype(np.float64)
    match found.kind:
        case "harmonic":
            terms = np.log(ranks) ** 2 if found.logs == 0 else np.ones(2)
        case "power":
            terms = ranks ** min(1.0, 2 - 2 * found.beta)
        case _:
            terms = ranks
    powers = (float(np.log(each[1] / each[0]) / np.log(np.log(n[1]) / np.log(n[0]))) for each in (ranks, terms))
    return _Growth(*powers)


def _of_limits(weighting: Weighting, found: Regime, seen: str, difference: float, is_noisy: bool) -> Verdict:
    """The verdict if the limits differ."""
    noise, reason = _noise(found), "the limits differ"
    if seen == "top":
        reason = "the expected gains at the very top differ, and only they count in the end"
        theorem = "Theorem 9" if found.kind == "harmonic" else "Theorem 11"
        rate = f"gap {abs(difference):.3g}"
        growth = _growth(weighting, found)
        if growth.errors < _FASTER:
            reason += "; whether errors vanish as fast as Definition 5 asks depends on the cutoff"
            if growth.ranks > _AS_LOG or not is_noisy:
                return Verdict("undecided", reason, theorem, rate, _better(difference))
            reason = (
                "the expected gains at the very top differ, but no more than about log(n) ranks count: with a chance "
                "of a constant to that power, a power of 1/n, the worse ranker has the better labels there, and "
                "Definition 5 asks for chances below any power"
            )
            return Verdict("in probability", reason, theorem, rate, _better(difference))
        noise = noise if found.kind == "harmonic" else "(sum of the weights)^-1/2"
    elif found.kind == "linear":
        theorem = "the law of large numbers"
    else:
        theorem = "Theorem 8, condition 1" if weighting.cutoff is None else "Theorems 12 and 13"
    return Verdict("consistently", reason, theorem, f"gap {abs(difference):.3g}, noise {noise}", _better(difference))


def _of_equal_tops(weighting: Weighting, found: Regime, a: Curve, b: Curve) -> Verdict:
    """The verdict if only the top counts and the tops are the same."""
    noisy = a.top_variance + b.top_variance > 0
    if found.kind == "harmonic" and weighting.cutoff is None and found.logs == 0 and noisy:
        reason = "the tops are the same; what is below them adds no more than the noise of the labels at the top"
        return _in_expectation(top_integral(a, b), reason, "Theorem 9", "gap 1/log(n), noise 1/log(n)")
    reason = "the tops are the same: the verdict depends on how fast the curves differ below, and on chance"
    return Verdict("undecided", reason, "Theorem 9" if found.kind == "harmonic" else "Theorem 11")


def _of_equal_limits(found: Regime, end: float, a: Curve, b: Curve) -> Verdict:
    """The verdict if the whole list counts and the limits are the same."""
    if found.kind in ("slow", "power") and found.logs != 0:
        theorem = "Theorem 6" if found.kind == "slow" else "Theorem 6, extended to powers of r"
        term = log_term(found, a, b, end)
        if term is None:
            return Verdict("undecided", "the curves differ by less than can be computed", theorem)
        # Both lists hold the same documents, whose weights without a power of r differ by 1/log(n) only.
        noise = "n^-1/2 / log(n)" if found.kind == "slow" and end == 1 else _noise(found)
        reason = "the limits are the same, but noise shrinks faster than the difference"
        rate = f"gap {abs(term.constant):.3g}/{_log_power(term.order)}, noise {noise}"
        return Verdict("consistently", reason, theorem, rate, _better(term.constant))
    if found.kind == "power" and a.top_variance + b.top_variance > 0:
        reason = (
            "the limits are the same, and the gap vanishes no more slowly than the noise; "
            "Theorem 8's second condition is false as printed"
        )
        rate = f"gap n^-{1 - found.beta:g}, noise {_noise(found)}"
        # Below 1 zeta is negative: the ranker with the better top loses.
        return _in_expectation(b.top - a.top, reason, "Theorem 8, corrected", rate)
    return Verdict("undecided", "the limits are the same, and the theorems say nothing more", "Theorem 8, condition 2")


def _of_few(weighting: Weighting, a: Curve, b: Curve) -> Verdict:
    """The verdict if few ranks count."""
    if agree(a, b, 0.01):
        reason = (
            "the curves are the same at the top. If the rankers are the same there, lower ranks may distinguish them "
            "under a discount like r^-2 (Theorem 10's last sentence is false as printed); otherwise chance decides"
        )
        return Verdict("undecided", reason, "Theorem 10")
    if a.top_variance == 0 and b.top_variance == 0:
        return Verdict("undecided", "the labels at the very top are free of noise", "Theorem 10")
    signed = a.top - b.top
    count = weighting.cutoff.k if isinstance(weighting.cutoff, cutoffs.Rank) else "few"
    reason = f"{count} ranks count, however long the list: their labels decide, by chance"
    rate = f"gap {abs(signed) / max(a.best, b.best):.3g} in the expected gain at the very top, noise constant"
    return _in_expectation(signed, reason, "Theorem 10", rate)
