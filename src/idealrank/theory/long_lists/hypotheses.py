"""Which theorems about long lists apply to a discount and a cutoff: every hypothesis, with the steps that check it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from idealrank._present.page import Page
from idealrank._present.result import Result
from idealrank._present.statement import Statement
from idealrank._present.table import Column, Table
from idealrank._typing import Floats, Int64s
from idealrank.errors import OptionError
from idealrank.measures import cutoffs
from idealrank.measures.cutoffs import CutoffLike
from idealrank.theory.long_lists import curves
from idealrank.theory.long_lists.curves import Curve, CurveLike
from idealrank.theory.long_lists.limits import end_of, reach_of
from idealrank.theory.long_lists.measure_discount import MeasureLike, Weighting
from idealrank.theory.long_lists.rank_weights import discount_sum
from idealrank.theory.long_lists.regimes import Regime, regime
from idealrank.theory.long_lists.theorems import theorem_text
from idealrank.theory.long_lists.wins import EQUAL, agree, limit_gap

__all__ = ["Hypothesis", "TheoremCheck", "check_theorems"]

#: The lengths at which sums of discounts and cutoffs are shown.
_SHOWN = (1e3, 1e6, 1e9)
_GRID = 2**14


class Hypothesis(NamedTuple):
    """A hypothesis of a theorem, and whether it holds.

    Attributes
    ----------
    theorem : str
        The name of the theorem.
    text : str
        What the theorem assumes.
    holds : bool or None
        Whether the assumption holds; None if it is not known or was not checked.
    step : str
        The step that checks it, with its numbers.

    Examples
    --------
    >>> from idealrank.theory import check_theorems
    >>> check_theorems("zipf").by_theorem["Theorem 9"][0].text
    'D(r) = 1/r, or times a power of log r, with an unbounded sum'
    """

    theorem: str
    text: str
    holds: bool | None
    step: str


@dataclass(frozen=True)
class TheoremCheck(Result):
    """The result of `check_theorems`.

    Parameters
    ----------
    weighting : str
        The discount and the cutoff.
    hypotheses : tuple of Hypothesis
        Every hypothesis of every theorem, with the step that checks it.

    Examples
    --------
    >>> from idealrank.theory import check_theorems
    >>> check_theorems("ndcg@n^0.5").applies
    ('Theorem 11',)
    """

    weighting: str
    hypotheses: tuple[Hypothesis, ...]

    @property
    def by_theorem(self) -> dict[str, tuple[Hypothesis, ...]]:
        """The hypotheses of each theorem."""
        found: dict[str, tuple[Hypothesis, ...]] = {}
        for each in self.hypotheses:
            found[each.theorem] = (*found.get(each.theorem, ()), each)
        return found

    @property
    def applies(self) -> tuple[str, ...]:
        """The theorems whose hypotheses all hold.

        Without curves, the theorems whose hypotheses about the discount and the cutoff hold.
        """
        return tuple(
            theorem
            for theorem, own in self.by_theorem.items()
            if all(each.holds or each.step == _NOT_GIVEN for each in own)
        )

    def tables(self) -> Mapping[str, Table]:
        """Return the table "hypotheses": a row per theorem and hypothesis."""
        words = {True: "yes", False: "no", None: "not known"}
        rows = [[each.theorem, each.text, words[each.holds], each.step] for each in self.hypotheses]
        return {"hypotheses": Table([Column(name) for name in ("theorem", "hypothesis", "holds", "step")], rows)}

    def page(self) -> Page:
        """Return what each theorem that applies says, and the hypotheses."""
        texts = [theorem_text(name) for name in self.applies] or [f"No theorem is known to apply to {self.weighting}."]
        findings = tuple(Statement("theorem applies", text) for text in texts)
        return replace(super().page(), title=f"Which theorems apply to {self.weighting}", findings=findings)


_NOT_GIVEN = "no curves were given"
#: The theorem that says the same for gains of several values.
_GRADED = {"Theorem 11": "Theorem 15", "Theorem 12": "Theorem 16", "Theorem 13": "Theorem 17"}


def check_theorems(
    discount: MeasureLike,
    curve_a: CurveLike | None = None,
    curve_b: CurveLike | None = None,
    cutoff: CutoffLike | Callable[[Floats], npt.ArrayLike] = None,
) -> TheoremCheck:
    """Check each hypothesis of each theorem about long lists for a discount and a cutoff, and show the steps.

    The theorems are those of Wang et al. 2013, with corrections: Theorems 4, 7, 9, 10, 11, 12 and 13 give the limit of
    NDCG, Theorems 14 to 17 do so for gains with several values, and Theorems 6 and 8 say whether NDCG distinguishes two
    rankers. `verdict` also covers curves with jumps, gains with several values and other discounts.

    Parameters
    ----------
    discount : str, Measure, Discount or callable
        A discount, such as your own function of an array of ranks, or an NDCG measure with its cutoff.
    curve_a, curve_b : Curve, callable or mapping of float to callable, optional
        The relevance curves of two rankers. None leaves hypotheses about curves unchecked.
    cutoff : int, float, str, Cutoff or callable, optional
        The number of ranks k(n) that count, unless the measure has a cutoff; a function takes an array of lengths.

    Returns
    -------
    TheoremCheck
        Every hypothesis of every theorem, with the step that checks it.

    Raises
    ------
    OptionError
        If the discount increases or becomes negative, or only one curve is given.
    DataError
        If a curve is 0 everywhere, or if the curves do not rank the same documents.

    Examples
    --------
    >>> from idealrank.theory import check_theorems
    >>> found = check_theorems(lambda r: r**-0.3)
    >>> found.applies
    ('Theorem 7', 'Theorem 8')
    >>> for each in found.by_theorem["Theorem 7"]:
    ...     print(f"{each.text}: {each.holds}")
    D(r) = r^-b with 0 < b < 1, or times a power of log r: True
    no cutoff: True
    some documents are relevant, p > 0: None
    >>> found.by_theorem["Theorem 7"][2].step
    'no curves were given'
    """
    if (curve_a is None) != (curve_b is None):
        raise OptionError("give the curves of both rankers, or none")
    own = _CutoffFunction(cutoff) if callable(cutoff) and not isinstance(cutoff, cutoffs.Cutoff) else cutoff
    weighting = Weighting.of(discount, own)
    pair = None
    if curve_a is not None and curve_b is not None:
        pair = curves.relevant(curve_a), curves.relevant(curve_b)
        curves.check_same_documents(*pair)
    checker = _Checker(weighting, regime(weighting.discount), pair)
    return TheoremCheck(str(weighting), tuple(checker.hypotheses()))


@dataclass(frozen=True)
class _CutoffFunction(cutoffs.Cutoff):
    """A user's own cutoff: a function of an array of lengths."""

    function: Callable[[Floats], npt.ArrayLike] = field(compare=False)

    def at(self, n: npt.ArrayLike) -> Int64s:
        lengths = np.asarray(n, np.float64)
        return np.broadcast_to(np.asarray(self.function(lengths)), lengths.shape)

    def __str__(self) -> str:
        return getattr(self.function, "__name__", "function")


class _Checker(NamedTuple):
    weighting: Weighting
    kind: Regime
    curves: tuple[Curve, Curve] | None

    def hypotheses(self) -> list[Hypothesis]:
        slow = self._discount("D(r) = 1/log(1 + r), or another that is slower than any power", self.kind.kind == "slow")
        power = self._discount("D(r) = r^-b with 0 < b < 1, or times a power of log r", self.kind.kind == "power")
        harmonic = self._discount(
            "D(r) = 1/r, or times a power of log r, with an unbounded sum", self.kind.kind == "harmonic"
        )
        whole, part = self._whole(), self._fraction()
        some, top = self._relevant(), self._continuous_top()
        smooth = self._smooth()
        by_theorem: dict[str, list[Any]] = {
            "Theorem 4": [slow, whole, some],
            "Theorem 6": [slow, whole, some, smooth, self._differ(1.0)],
            "Theorem 7": [power, whole, some],
            "Theorem 8": [power, whole, some, self._limits_differ()],
            "Theorem 9": [harmonic, whole, top],
            "Theorem 10": [self._few()],
            "Theorem 11": [self._grows(), self._slower(), self._unbounded_sum(), top],
            "Theorem 12": [slow, part, some],
            "Theorem 13": [power, part, some],
        }
        levels = self._levels()
        if len(levels) > 1:
            shown = f"the gains are {', '.join(f'{each:g}' for each in sorted((0.0, *levels), reverse=True))}"
            for theorem in ("Theorem 6", "Theorem 7", "Theorem 8", "Theorem 9", *_GRADED):
                by_theorem[theorem].append(("labels are 0 or 1", False, shown))
            several = ("gains have finitely many values, the highest above 0", True, shown)
            by_theorem["Theorem 14"] = [power, whole, some, several]
            by_theorem |= {graded: [*by_theorem[plain][:-1], several] for plain, graded in _GRADED.items()}
        return [Hypothesis(theorem, *each) for theorem, own in by_theorem.items() for each in own]

    def _levels(self) -> set[float]:
        """The positive gains of the curves."""
        return {gain for each in self.curves or () for gain in each.levels if gain > 0}

    def _discount(self, text: str, holds: bool) -> tuple[str, bool | None, str]:
        return text, None if self.kind.kind == "undecided" else holds, self.kind.reason

    def _whole(self) -> tuple[str, bool | None, str]:
        return "no cutoff", self.weighting.cutoff is None, self._depths()

    def _fraction(self) -> tuple[str, bool | None, str]:
        cutoff = self.weighting.cutoff
        holds: bool | None = isinstance(cutoff, cutoffs.Fraction)
        if cutoff is not None and reach_of(cutoff) == "undecided":
            holds = None
        return "k(n) = c n with 0 < c < 1", holds, self._depths()

    def _depths(self) -> str:
        cutoff = self.weighting.cutoff
        if cutoff is None:
            return "k(n) = n"
        ranks = cutoff.depths(np.array(_SHOWN)).tolist()
        return ", ".join(f"k({n:.0e}) = {k:,}".replace("e+0", "e") for n, k in zip(_SHOWN, ranks, strict=True))

    def _reach(self) -> str:
        return reach_of(self.weighting.cutoff)

    def _few(self) -> tuple[str, bool | None, str]:
        text = "the sum of the discounts that count is bounded"
        if self._reach() == "few":
            return text, True, f"a fixed number of ranks counts: {self._depths()}"
        known = None if self.kind.kind == "undecided" else self.kind.kind == "bounded"
        return text, known, self._sums()

    def _unbounded_sum(self) -> tuple[str, bool | None, str]:
        _, few, step = self._few()
        return "the sum of the discounts up to k(n) is unbounded", None if few is None else not few, step

    def _sums(self) -> str:
        """The sums of the discounts at growing ranks, and why they grow or not."""
        if self.kind.kind in ("linear", "undecided"):
            return self.kind.reason
        sums = ((n, discount_sum(self.weighting.discount, n)) for n in _SHOWN)
        shown = ", ".join(f"{value:.4g} up to rank {n:.0e}".replace("e+0", "e") for n, value in sums)
        return f"{shown}; {self.kind.reason}"

    def _grows(self) -> tuple[str, bool | None, str]:
        reach = self._reach()
        return "k(n) grows without bound", None if reach == "undecided" else reach != "few", self._depths()

    def _slower(self) -> tuple[str, bool | None, str]:
        reach = self._reach()
        return "k(n)/n tends to 0", None if reach == "undecided" else reach in ("top", "few"), self._depths()

    def _relevant(self) -> tuple[str, bool | None, str]:
        text = "some documents are relevant, p > 0"
        if self.curves is None:
            return text, None, _NOT_GIVEN
        shares = [each.p for each in self.curves]
        return text, min(shares) > 0, f"p = {shares[0]:.4g}"

    def _continuous_top(self) -> tuple[str, bool | None, str]:
        text = "the curves are continuous at the top, s = 1"
        if self.curves is None:
            return text, None, _NOT_GIVEN
        below = [(each.top, float(each(1 - 1e-9))) for each in self.curves]
        told_values = "; ".join(
            f"{name}(1) = {top:.4g}, {name}(1 - 1e-9) = {near:.4g}"
            for name, (top, near) in zip("ab", below, strict=True)
        )
        return text, all(abs(top - near) < 1e-3 for top, near in below), told_values

    def _smooth(self) -> tuple[str, bool | None, str]:
        text = "the curves are Hoelder continuous"
        if self.curves is None:
            return text, None, _NOT_GIVEN
        jumps = [each.breaks[(each.breaks > 0) & (each.breaks < 1)] for each in self.curves]
        known = [f"{name} jumps at s = {own[0]:.4g}" for name, own in zip("ab", jumps, strict=True) if own.size]
        if known:
            return text, False, f"{'; '.join(known)}; the verdict does not need this"
        steps = []
        for each in self.curves:
            changes = [float(np.abs(np.diff(each(np.linspace(0, 1, n + 1)))).max()) for n in (_GRID // 64, _GRID)]
            # Halving the distance six times divides the change by 64^alpha.
            steps.append(np.log(changes[0] / changes[1]) / np.log(64) if min(changes) > 1e-12 else 1.0)
        exponents = ", ".join(f"{step:.2f}" for step in steps)
        return (
            text,
            min(steps) > 0.02,
            f"exponents of about {exponents}, from changes over 1/{_GRID // 64} and 1/{_GRID}",
        )

    def _differ(self, end: float) -> tuple[str, bool | None, str]:
        text = "the curves differ on more than single points"
        if self.curves is None:
            return text, None, _NOT_GIVEN
        s = 1 - end * (np.arange(4000) + 0.5) / 4000
        largest = float(np.abs(self.curves[0](s) - self.curves[1](s)).max())
        return text, not agree(*self.curves, end), f"the largest difference is {largest:.4g}"

    def _limits_differ(self) -> tuple[str, bool | None, str]:
        text = "the limits of NDCG differ (the second condition in the paper does not suffice)"
        if self.curves is None:
            return text, None, _NOT_GIVEN
        if self.kind.kind != "power" or self.weighting.cutoff is not None:
            return text, None, "there are no limits of this kind"
        difference = limit_gap(self.weighting, *self.curves)
        return text, abs(difference) > EQUAL, f"a - b = {difference:+.4g}, on the first {end_of(self.weighting):.0%}"
