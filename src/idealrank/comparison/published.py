"""Explain a published number: which settings of a measure give it on the same data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from idealrank._core.checks import check_count
from idealrank._present.json_values import Plain, number, plain
from idealrank._present.page import Page, Section, Statement, listed
from idealrank._present.result import Result
from idealrank._present.table import WORDS, Column, Table, Value
from idealrank._typing import Floats
from idealrank.data.judgments import Qrels, Run
from idealrank.data.ranking import RankingData
from idealrank.errors import DataError, OptionError
from idealrank.evaluation.evaluation_result import Evaluation
from idealrank.evaluation.evaluator import Evaluator, convention_of
from idealrank.measures import Measure
from idealrank.measures.choice_words import choice_change
from idealrank.measures.conventions import CONVENTION_NAMES, Convention, convention

#: The values of options that are tried, in the order of their plausibility; "rel" and "gain" depend on the labels.
_OPTIONS: Mapping[str, tuple[object, ...]] = {
    "cutoff": (10, None, 5, 1, 3, 20, 30, 50, 100, 200, 500, 1000),
    "gain": ("linear", "exp2"),
    "empty": ("skip", 0.0, 1.0),
    "p": (0.8, 0.9, 0.95, 0.5),
    "discount": ("log:2", "letor", "zipf"),
    "ideal": ("judged", "retrieved", "full"),
    "ideal_cut": ("cutoff", "shorter", "retrieved", "whole"),
    "denominator": ("relevant", "reachable", "hits", "cutoff", "retrieved"),
    "grades": ("binary", "labels", "scaled"),
    "normalize": ("pairs", "one"),
    "short": ("as is", "zero"),
    "ties": ("docid_desc", "docid_asc", "stable", "reverse", "average", "best", "worst"),
}
_DATA: Mapping[str, tuple[float | str, ...]] = {
    "missing": (0.0, "drop"),
    "unjudged": ("zero", "drop"),
    "negative": ("unjudged", "keep", "drop"),
    "duplicates": ("last", "first", "best"),
    "identical_ids": ("keep", "drop"),
}
#: Choices that few data sets show: if one alone changes nothing, it is not combined with others.
_RARE = ("negative", "duplicates", "identical_ids", "ties", "short")
#: What is changed, the most common reasons first. A tool is one change, however many choices it makes.
_PLAUSIBLE = ("rel", "like", "cutoff", "gain", "missing", "empty", "unjudged", "p", "discount", "ideal", "denominator")
_MOST_LEVELS = 10
#: More numbers than this share are explained by chance: then an explanation is only possible.
_CHANCE = 0.05
#: Numbers within this share of the published one, and at least this many on each side, are its neighborhood.
_NEIGHBORHOOD, _FEWEST_NEIGHBORS = 0.1, 10
_N_SHOWN, _N_CLOSEST, _N_OTHERS = 8, 2, 2
#: Sums in another order differ by less.
_SAME = 1e-12


@dataclass(frozen=True)
class Setting:
    """One setting of a measure, and its mean on the data.

    Attributes
    ----------
    measure : str
        The measure with the changed options.
    like : str
        The convention with the changed choices about the data.
    changes : tuple of str
        What differs from the measure and the convention that were given.
    value : float
        The mean.
    matches : bool
        Whether the mean, rounded, is the published number.
    chance : float
        The share of numbers near the published one that a setting at least as plausible gives.
    others : tuple of str
        Other settings with as many changes and the same mean.

    Examples
    --------
    >>> from idealrank import explain
    >>> run = {"q": {"a": 3, "b": 2, "c": 1}}
    >>> str(explain({"q": {"a": 1, "b": 2, "c": 0}}, run, "ap", published=0.5).settings[0])
    'ap(rel=2), like trec_eval: 0.5000'
    """

    measure: str
    like: str
    changes: tuple[str, ...]
    value: float
    matches: bool
    chance: float
    others: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.measure}, like {self.like}: {self.value:.4f}"


@dataclass(frozen=True, repr=False)
class PublishedExplanation(Result):
    """The result of `explain` with ``published``: the settings that give the published number.

    Attributes
    ----------
    measure, like : str
        The measure and the convention that were given.
    published : float
        The published number.
    decimals : int
        The number of its decimals.
    mean : float
        The mean with the measure and the convention that were given.
    settings : tuple of Setting
        The settings that give the published number, the most plausible first, and then the closest others.
    n_settings : int
        The number of settings that were tried.
    n_values : int
        The number of different means that they have.
    n_matches : int
        The number of different means that are the published number.
    neighborhood : (float, float)
        The numbers from which the chance of a match was counted.
    n_queries : int
        The number of queries with the measure and the convention that were given.

    Examples
    --------
    >>> from idealrank import explain
    >>> qrels, run = {"q": {"a": 1, "b": 2, "c": 0}}, {"q": {"a": 3, "b": 2, "c": 1}}
    >>> explain(qrels, run, "ap", published=0.5)
    PublishedExplanation(ap: 1.0000, published 0.5: ap(rel=2), like trec_eval)
    """

    measure: str
    like: str
    published: float
    decimals: int
    mean: float
    settings: tuple[Setting, ...]
    n_settings: int
    n_values: int
    n_matches: int
    neighborhood: tuple[float, float]
    n_queries: int

    @property
    def best(self) -> Setting | None:
        """The most plausible setting that gives the published number; None if none does."""
        return self.settings[0] if self.settings and self.settings[0].matches else None

    def to_dict(self) -> dict[str, Plain]:
        """Return the fields, and the best setting."""
        return super().to_dict() | {"best": plain(self.best)}

    def tables(self) -> Mapping[str, Table]:
        """Return the table "settings": a row per setting."""
        rows: list[list[Value]] = [
            [
                each.value,
                "yes" if each.matches else "no",
                "; ".join(each.changes) or "none",
                each.chance,
                len(each.others),
                each.measure,
                each.like,
            ]
            for each in self.settings
        ]
        columns = [Column("mean", f".{max(self.decimals, 4)}f"), Column("published"), Column("changes", WORDS)]
        columns += [Column("by chance", ".1%"), Column("others"), Column("measure", priority=1)]
        return {"settings": Table([*columns, Column("like", priority=1)], rows)}

    def page(self) -> Page:
        """Return the most plausible explanation, how often one is found by chance, and the other settings."""
        published = f"{self.published:.{self.decimals}f}"
        low, high = (f"{each:.{self.decimals}f}" for each in self.neighborhood)
        table = self.table()
        return Page(
            f"Settings of {self.measure} that give {published}",
            findings=(self._finding(published),),
            summary=(Section(tables={"settings": table}),),
            remarks=(
                f"{self.measure} like {self.like} is {number(self.mean)} on {self.n_queries:,} queries",
                f"{self.n_settings:,} settings were tried: tools, and up to two changes of options and choices; they "
                f"have {self.n_values:,} different means, of which {self.n_matches:,} "
                f"{'is' if self.n_matches == 1 else 'are'} {published}",
                f"by chance: the share of numbers from {low} to {high} that a setting at least as plausible gives",
            ),
            sections=lambda: [Section("Settings", "settings", tables={"settings": table})],
        )

    def _finding(self, published: str) -> Statement:
        best = self.best
        if best is None:
            closest = self.settings[0] if self.settings else None
            nearest = "" if closest is None else f"; the closest is {number(closest.value)} ({_in_words(closest)})"
            return Statement(
                "published number not explained",
                f"None of {self.n_settings:,} settings gives {published}{nearest}. The run, the judgments or the "
                "queries may differ.",
            )
        if not best.changes:
            same = f"{published} is {self.measure} like {self.like}: nothing differs."
            return Statement("published number repeated", same)
        what = f"{best.measure} like {best.like} ({_in_words(best)})"
        if best.chance <= _CHANCE:
            return Statement("published number explained", f"{published} is {what}; yours is {number(self.mean)}.")
        return Statement(
            "published number possibly explained",
            f"{published} could be {what}, but settings as plausible give {best.chance:.0%} of all numbers nearby: "
            "this may be chance.",
        )

    def __repr__(self) -> str:
        what = f"{self.best.measure}, like {self.best.like}" if self.best else "no setting"
        return (
            f"PublishedExplanation({self.measure}: {self.mean:.4f}, published {self.published:.{self.decimals}f}: "
            f"{what})"
        )


def _in_words(setting: Setting) -> str:
    """Return the changes, and other changes with the same mean."""
    named, n_more = setting.others[:_N_OTHERS], len(setting.others[_N_OTHERS:])
    more = (f"{n_more:,} more",) if n_more else ()
    return "; or ".join([listed(setting.changes) if setting.changes else "no change", *named, *more])


class _Change(NamedTuple):
    """One change: what is changed, its rank among the changes of its kind, and how."""

    name: str
    value: Any
    text: str


class _Candidate(NamedTuple):
    given: Measure
    like: Convention
    filled: Measure
    rules: Convention
    changes: tuple[_Change, ...]

    @property
    def cost(self) -> tuple[int, int]:
        """The number of changes, and how uncommon they are."""
        places = [_PLAUSIBLE.index(each.name) if each.name in _PLAUSIBLE else len(_PLAUSIBLE) for each in self.changes]
        return len(places), sum(places)


def explain_published(
    judged: Qrels | RankingData,
    system: Run | Floats,
    measure: Measure,
    published: float | str,
    *,
    like: str | Convention | None = None,
    n_threads: int | None = None,
) -> PublishedExplanation:
    """Search the settings of a measure for a published number; `idealrank.explain` describes it."""
    return explained(published, tried_settings(judged, system, measure, like=like, n_threads=n_threads))


class Tried(NamedTuple):
    """The evaluation with the settings that were given, and all settings that were tried with their means."""

    own: Evaluation
    measure: Measure
    candidates: list[_Candidate]
    values: Floats


def tried_settings(
    judged: Qrels | RankingData,
    system: Run | Floats,
    measure: Measure,
    *,
    like: str | Convention | None = None,
    n_threads: int | None = None,
) -> Tried:
    """Evaluate with all settings: as given, with one change, and with two."""
    rules = convention_of(judged, like)
    own = Evaluator(judged, rules, n_threads=n_threads).evaluate(system, measure)
    (mean,) = own.mean.values()
    singles = _singles(measure, rules, judged.labels)
    means = _means(singles, judged, system, n_threads)
    useful = [
        each
        for each in singles
        if each.changes
        and _key(each) in means
        and not (each.changes[0].name in _RARE and abs(means[_key(each)] - mean) < _SAME)
    ]
    pairs = _pairs(measure, rules, useful)
    means |= _means(pairs, judged, system, n_threads)
    candidates = [each for each in (*singles, *pairs) if not np.isnan(means.get(_key(each), np.nan))]
    return Tried(own, measure, candidates, np.array([means[_key(each)] for each in candidates]))


def explained(published: float | str, tried: Tried) -> PublishedExplanation:
    """Find the settings that give the published number, and how often they would give another one nearby."""
    own, measure, candidates, values = tried
    (mean,) = own.mean.values()
    target, decimals = _read(published, mean)
    unit = 10.0**-decimals
    matched = np.abs(values - target) <= unit / 2 * (1 + 1e-9)
    half = max(_NEIGHBORHOOD * abs(target), _FEWEST_NEIGHBORS * unit)
    n_numbers = 2 * round(half / unit) + 1
    steps = np.round((values - target) / unit)
    is_near = np.abs(steps) <= n_numbers // 2
    costs = [each.cost for each in candidates]
    order = sorted(range(len(candidates)), key=lambda place: (costs[place], abs(values[place] - target)))
    chance: dict[tuple[int, int], float] = {}
    met: set[float] = set()
    for place in order:
        if is_near[place]:
            met.add(steps[place])
        chance[costs[place]] = len(met) / n_numbers

    def setting(places: Sequence[int]) -> Setting:
        first, *rest = places
        one = candidates[first]
        others = [candidates[each] for each in rest if len(candidates[each].changes) == len(one.changes)]
        return Setting(
            str(one.given),
            one.like.name,
            tuple(each.text for each in one.changes),
            float(values[first]),
            bool(matched[first]),
            chance[one.cost],
            tuple("; ".join(each.text for each in other.changes) for other in others),
        )

    same: dict[float, list[int]] = {}
    for place in order:
        same.setdefault(round(values[place], 12), []).append(place)
    matches = [places for places in same.values() if matched[places[0]]]
    rest = sorted(
        (places for places in same.values() if not matched[places[0]]), key=lambda each: abs(values[each[0]] - target)
    )
    shown = [*matches[:_N_SHOWN], *rest[:_N_CLOSEST]]
    return PublishedExplanation(
        str(measure),
        own.convention.name,
        target,
        decimals,
        mean,
        tuple(map(setting, shown)),
        len(candidates),
        len(same),
        len(matches),
        (target - half, target + half),
        own.n_queries,
    )


def _read(published: float | str, mean: float) -> tuple[float, int]:
    """Return the published number and its decimals; a number above 1 of a measure below 1 is a percentage."""
    try:
        written = Decimal(str(published))
        decimals = -int(written.as_tuple().exponent)
    except (InvalidOperation, TypeError, ValueError):  # a NaN has no exponent
        raise OptionError(f"published must be a number such as 0.3013, or its text, got {published!r}") from None
    if abs(mean) <= 1 < abs(written):
        written, decimals = written / 100, decimals + 2
    check_count(decimals, "decimals of published", least=1)
    return float(written), decimals


def _singles(measure: Measure, rules: Convention, labels: Floats) -> list[_Candidate]:
    """Return the setting as given, and those with one change."""
    levels = np.unique(labels[labels > 0]).tolist()
    levels = levels if len(levels) <= _MOST_LEVELS else []
    values = {
        **_OPTIONS,
        "rel": tuple(levels),
        "gain": (*_OPTIONS["gain"], *(f"binary:{level:g}" for level in levels)),
    }
    filled = measure.with_convention(rules)
    tools = [
        _Change("like", convention(name), choice_change("like", rules, name))
        for name in CONVENTION_NAMES
        if name != rules.name
    ]
    options = [
        _Change(name, value, choice_change(name, getattr(filled, name), value))
        for name, tried in values.items()
        if name in measure.options()
        for value in tried
    ]
    data = [
        _Change(name, value, choice_change(name, rules.data[name], value))
        for name, tried in _DATA.items()
        for value in tried
    ]
    made = (_candidate(measure, rules, filled, (each,)) for each in (*tools, *options, *data))
    return [_Candidate(measure, rules, filled, _of_data(measure, rules), ()), *(each for each in made if each)]


def _pairs(measure: Measure, rules: Convention, singles: Iterable[_Candidate]) -> list[_Candidate]:
    """Return the settings with two of these changes; of tools that agree, one is combined."""
    filled = measure.with_convention(rules)
    distinct = {_key(each): each.changes[0] for each in reversed([*singles])}
    pairs = (pair for pair in combinations(distinct.values(), 2) if pair[0].name != pair[1].name)
    return [each for each in (_candidate(measure, rules, filled, pair) for pair in pairs) if each]


def _candidate(measure: Measure, rules: Convention, start: Measure, changes: Iterable[_Change]) -> _Candidate | None:
    """Return the setting after some changes, a tool first; None if a change is not possible or changes nothing."""
    like, given, filled = rules, measure, start
    changes = tuple(sorted(changes, key=lambda each: each.name != "like"))
    try:
        for name, value, _ in changes:
            before = filled, like.data
            if name == "like":
                like = value
            elif name in _DATA:
                like = like.replace(**{name: value})
            else:
                given = replace(given, **{name: value})
            filled = given.with_convention(like) if name not in _DATA else filled
            if name != "like" and (filled, like.data) == before:
                return None
        filled.plan()
    except OptionError:  # a value of another measure's option, one without effect, or no closed form for these ties
        return None
    return _Candidate(given, like, filled, _of_data(given, like), changes)


def _of_data(measure: Measure, like: Convention) -> Convention:
    """Return the choices about the data alone, as the convention makes them for this measure."""
    data = like.for_measure(measure.label, measure.cutoff is not None).data
    return Convention("published", **(data | {"missing": 0.0} if data["missing"] == "error" else data))


def _key(candidate: _Candidate) -> tuple[Measure, Convention]:
    return candidate.filled, candidate.rules


def _means(
    candidates: Iterable[_Candidate], judged: Qrels | RankingData, system: Run | Floats, n_threads: int | None
) -> dict[tuple[Measure, Convention], float]:
    """Return the mean of each setting that the data allows, evaluating those with the same data together."""
    by_rules: dict[Convention, dict[str, Measure]] = {}
    for each in candidates:
        by_rules.setdefault(each.rules, {})[str(each.filled)] = each.filled

    def evaluated(rules: Convention, measures: Mapping[str, Measure]) -> Iterator[tuple[Measure, float]]:
        try:
            means = Evaluator(judged, rules, n_threads=n_threads).evaluate(system, measures.values()).mean
        except (DataError, OptionError):  # a tool that refuses this data, or one measure of several
            if len(measures) > 1:
                for name, each in measures.items():
                    yield from evaluated(rules, {name: each})
        else:
            yield from ((measures[name], mean) for name, mean in means.items())

    return {(filled, rules): mean for rules, own in by_rules.items() for filled, mean in evaluated(rules, own)}
