"""A paper's claims, and in which settings of the experiment they hold."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from idealrank._present.page import listed
from idealrank._typing import Floats
from idealrank.stats import interval

__all__ = [
    "FAILS",
    "HOLDS",
    "NOT_TESTABLE",
    "UNDECIDED",
    "Choices",
    "Claim",
    "Finding",
    "MeanDifference",
    "Setting",
    "all_of",
    "compared",
    "counted",
    "difference",
    "pooled",
    "within",
]

HOLDS, FAILS, UNDECIDED, NOT_TESTABLE = "holds", "fails", "undecided", "not testable"
_CONCESSION, _EXTENSION = "concession: ", "extension: "

#: {open choice: what was chosen}.
Setting = Mapping[str, str]


@dataclass(frozen=True)
class Choices:
    """The open choices of an experiment: the first value of each is the reference, the others are tried one at a time.

    Parameters
    ----------
    values : mapping of str to sequence of str
        The values of each choice.

    Examples
    --------
    >>> choices = Choices({"features": ("min-max", "raw"), "seed": ("0", "1")})
    >>> for setting in choices.settings():
    ...     print(dict(setting))
    {'features': 'min-max', 'seed': '0'}
    {'features': 'raw', 'seed': '0'}
    {'features': 'min-max', 'seed': '1'}
    """

    values: Mapping[str, Sequence[str]]

    @property
    def reference(self) -> Setting:
        """The first value of each choice."""
        return {axis: values[0] for axis, values in self.values.items()}

    def settings(self) -> list[Setting]:
        """Return the reference, then each setting that differs from it in one choice."""
        others = [{axis: value} for axis, values in self.values.items() for value in values[1:]]
        return [self.reference, *({**self.reference, **other} for other in others)]

    def only(self, *names: str) -> Choices:
        """Return the choices of these names, for a claim that the others do not touch."""
        return Choices({name: self.values[name] for name in names})


@dataclass(frozen=True)
class Finding:
    """What was seen of a claim in one setting.

    Parameters
    ----------
    outcome : {"holds", "fails", "undecided", "not testable"}
        "undecided" if the data do not suffice to say, "not testable" if there are none.
    seen : str
        The numbers.
    setting : mapping of str to str
        The setting.
    """

    outcome: str
    seen: str
    setting: Setting = field(default_factory=dict)


@dataclass(frozen=True)
class Claim:
    """A claim of a paper, with the findings in all settings; the first is in the reference setting.

    Parameters
    ----------
    where : str
        Its place in the paper.
    says : str
        The claim.
    findings : tuple of Finding
        What was seen.
    is_concession : bool
        Whether the paper concedes it as a weakness of its own proposal. Then it is not counted among the claims.
    is_extension : bool
        Whether the paper does not say it, but it extends what the paper says. Then it is counted apart.

    Examples
    --------
    >>> first = Finding("holds", "0.67 > 0.66", {"features": "min-max", "seed": "0"})
    >>> other = Finding("fails", "0.65 < 0.66", {"features": "raw", "seed": "0"})
    >>> claim = Claim("Figure 4", "A is better", (first, other))
    >>> claim.verdict, claim.share
    ('holds; fails with raw', '1 of 2')
    """

    where: str
    says: str
    findings: tuple[Finding, ...]
    is_concession: bool = False
    is_extension: bool = False

    @classmethod
    def untestable(cls, where: str, says: str, why: str) -> Claim:
        """Return a claim about data that are not at hand."""
        return cls(where, says, (Finding(NOT_TESTABLE, why),))

    @classmethod
    def exact(cls, where: str, says: str, seen: str, holds: bool, *, is_extension: bool = False) -> Claim:
        """Return a claim that no setting touches."""
        return cls(where, says, (Finding(HOLDS if holds else FAILS, seen),), is_extension=is_extension)

    @property
    def seen(self) -> str:
        """What was seen in the reference setting."""
        return self.findings[0].seen

    @property
    def holds(self) -> bool:
        """Whether the claim holds in every setting."""
        return all(each.outcome == HOLDS for each in self.findings)

    @property
    def share(self) -> str:
        """In how many settings it holds."""
        return f"{sum(each.outcome == HOLDS for each in self.findings)} of {len(self.findings)}"

    @property
    def verdict(self) -> str:
        """The outcome in the reference setting, and the choices that change it."""
        reference, *others = self.findings
        changes: dict[str, list[str]] = {}
        for each in others:
            if each.outcome != reference.outcome:
                changes.setdefault(each.outcome, []).append(_differing(reference.setting, each.setting))
        told = (f"{outcome} with {' or '.join(names)}" for outcome, names in changes.items())
        kind = _CONCESSION if self.is_concession else _EXTENSION if self.is_extension else ""
        return "; ".join([kind + reference.outcome, *told])

    def change(self, finding: Finding) -> str:
        """Return the choices in which a finding's setting differs from the reference."""
        return _differing(self.findings[0].setting, finding.setting)


def all_of(*outcomes: str) -> str:
    """Return the outcome of a claim that is made of several.

    >>> all_of(HOLDS, UNDECIDED), all_of(FAILS, UNDECIDED), all_of(HOLDS, HOLDS)
    ('undecided', 'fails', 'holds')
    """
    return next((each for each in (FAILS, UNDECIDED) if each in outcomes), HOLDS)


def counted(verdicts: Sequence[str]) -> str:
    """Return how many claims hold, in a sentence.

    Parameters
    ----------
    verdicts : sequence of str
        The verdict of each claim.

    Examples
    --------
    >>> counted(["holds", "holds; fails with raw", "fails"])
    'Of 3 claims, 2 hold and 1 fails; 1 depends on the setting.'
    >>> counted(["holds", "holds"])
    'All 2 claims hold.'
    >>> counted(["not testable", "concession: holds", "fails"])
    'Of 2 claims, 1 fails and 1 is not testable.'
    >>> counted(["holds", "fails", "extension: holds"])
    'Of 2 claims, 1 holds and 1 fails. Of 1 extension, 1 holds.'
    """
    extensions = [each.removeprefix(_EXTENSION) for each in verdicts if each.startswith(_EXTENSION)]
    own = [each for each in verdicts if not each.startswith((_CONCESSION, _EXTENSION))]
    told = [_tally(each, noun) for each, noun in ((own, "claim"), (extensions, "extension")) if each]
    return " ".join(told) or "No claim was tested."


def _tally(verdicts: Sequence[str], noun: str) -> str:
    """How many of the claims, or of the extensions, hold, in a sentence."""
    outcomes = Counter(verdict.partition(";")[0] for verdict in verdicts)
    texts = {
        HOLDS: ("holds", "hold"),
        UNDECIDED: ("is undecided", "are undecided"),
        FAILS: ("fails", "fail"),
        NOT_TESTABLE: ("is not testable", "are not testable"),
    }
    parts = {name: text[outcomes[name] > 1] for name, text in texts.items() if outcomes[name]}
    n_claims = f"1 {noun}" if len(verdicts) == 1 else f"{len(verdicts)} {noun}s"
    told = f"Of {n_claims}, {listed(f'{outcomes[name]} {text}' for name, text in parts.items())}"
    if len(parts) == 1 and len(verdicts) > 1:
        told = f"All {n_claims} {next(iter(parts.values()))}"
    n_open = sum(";" in verdict for verdict in verdicts)
    depends = f"; {n_open} {'depends' if n_open == 1 else 'depend'} on the setting"
    return f"{told}{depends if n_open else ''}."


def _differing(reference: Setting, other: Setting) -> str:
    """The choices in which a setting differs from the reference."""
    return ", ".join(value for axis, value in other.items() if reference[axis] != value)


@dataclass(frozen=True)
class MeanDifference:
    """The mean of paired differences over queries, with its interval by Student's t, of 95% if not said.

    It is printed with four decimals, or with as many as it takes to see on which side of 0 the interval ends.

    Examples
    --------
    >>> print(MeanDifference(-0.01, -0.02, 0.0), MeanDifference(-0.000002, -0.00003, 0.00003), sep="; ")
    -0.0100 (-0.0200 to +0.0000); +0.00000 (-0.00003 to +0.00003)
    """

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        nearest = min((abs(end) for end in (self.low, self.high) if 0 < abs(end) < 1), default=1.0)
        decimals = max(4, math.ceil(-math.log10(2 * nearest)))
        mean, low, high = (f"{value:+z.{decimals}f}" for value in (self.mean, self.low, self.high))
        return f"{mean} ({low} to {high})"

    def above(self, least: float = 0.0) -> str:
        """Return whether it is above this number: undecided if the interval contains it."""
        return HOLDS if self.low > least else FAILS if self.high < least else UNDECIDED

    def below(self, most: float = 0.0) -> str:
        """Return whether it is below this number."""
        return HOLDS if self.high < most else FAILS if self.low > most else UNDECIDED

    def close(self, margin: float) -> str:
        """Return whether it is less than the margin from 0, on both sides."""
        if -margin < self.low and self.high < margin:
            return HOLDS
        return FAILS if self.low > margin or self.high < -margin else UNDECIDED


def difference(values: Floats, seed: int = 0, level: float = 0.95) -> MeanDifference:
    """Return the mean of differences with its interval.

    >>> found = difference(np.array([0.1, 0.2, 0.3, 0.2]))
    >>> found.above(), found.above(0.2), found.below(), found.close(0.25)
    ('holds', 'undecided', 'fails', 'undecided')
    """
    found = interval(values, level, seed=seed, n_threads=1)
    return MeanDifference(found.mean, found.low, found.high)


def compared(better: Floats, worse: Floats, seed: int = 0) -> MeanDifference:
    """Return the difference of two systems' values of the same queries."""
    return difference(np.asarray(better) - np.asarray(worse), seed)


def pooled(parts: Sequence[MeanDifference]) -> MeanDifference:
    """Return the mean of independent mean differences, each with the same weight.

    >>> print(pooled([MeanDifference(0.02, 0.01, 0.03), MeanDifference(0.04, 0.03, 0.05)]))
    +0.0300 (+0.0229 to +0.0371)
    """
    mean = float(np.mean([part.mean for part in parts]))
    half = math.hypot(*((part.high - part.low) / 2 for part in parts)) / len(parts)
    return MeanDifference(mean, mean - half, mean + half)


def within(value: float, published: float, margin: float) -> str:
    """Return whether a number is that close to the published one.

    >>> within(0.669, 0.6698, 0.01), within(0.65, 0.6698, 0.01)
    ('holds', 'fails')
    """
    return HOLDS if abs(value - published) <= margin else FAILS
