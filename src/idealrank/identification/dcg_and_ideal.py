"""Finding the formula by elimination: order, gain, discount, and what the DCG is divided by."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from idealrank._typing import Booleans
from idealrank.identification.calling_forms import Probe, Query, ranking
from idealrank.identification.function_calls import Answer, FormSearch, Obstacle, OutOfCalls, changing, differ
from idealrank.identification.ndcg_formulas import (
    DISCOUNTS,
    GAINS,
    GAINS_OF_SOME_LABELS,
    OUTPUTS,
    STARTS_AT_ONE,
    Formula,
    GainShape,
    Refused,
    measured_discount,
    measured_gain,
)
from idealrank.measures import measure

_ROUNDING = 1e-9
#: The length of most lists.
N_DOCS = 7


@dataclass(frozen=True)
class Closeness:
    """How close two values of a function are if they are the same."""

    tolerance: float = 1e-9
    #: The number of decimals to which values are rounded, and whether they are cut off instead.
    decimals: int | None = None
    truncates: bool = False

    def __call__(self, expected: float, value: float) -> bool:
        if math.isnan(expected) or math.isnan(value):
            return math.isnan(expected) and math.isnan(value)
        if math.isinf(expected) or math.isinf(value):
            return expected == value
        if self.truncates and self.decimals is not None:
            return -_ROUNDING <= expected - value < 10.0**-self.decimals
        return abs(expected - value) <= self.tolerance * (1.0 if self.decimals is not None else max(1.0, abs(expected)))


class Elimination:
    """What is known about one function so far.

    Parameters
    ----------
    search : FormSearch
        What the function takes.
    """

    def __init__(self, search: FormSearch) -> None:
        self.caller, self.form = search.caller, search.caller.form
        self.zeros_judged, self.by_input = search.zeros_judged, search.by_input
        self.obstacle = search.obstacle
        self.formula = Formula()
        self.is_close = Closeness()
        #: The answers that decided a choice.
        self.evidence: dict[str, list[Answer]] = defaultdict(list)
        #: Choices that no known formula explains, and an answer that shows it.
        self.unexplained: dict[str, Answer] = {}
        #: Choices that probes could not tell apart: the values that remain.
        self.open: dict[str, list[Any]] = {}
        self.notes: list[tuple[str, Answer]] = []
        self.max_label = 5
        #: The label of relevant documents in lists with one relevant document.
        self.unit = 1.0
        #: The shortest list that follows the formula.
        self.least = 1

    @property
    def has_formula(self) -> bool:
        """Whether DCG and ideal DCG are known."""
        return self.obstacle is None and not {"formula", "ideal"} & self.unexplained.keys()

    def is_seen(self, name: str) -> bool:
        """Whether a choice was found."""
        return name in self.evidence and name not in self.unexplained

    def query(self, labels: Sequence[float | None], ranks: Sequence[int] | None = None, **rest: Any) -> Query:
        """Return a query; where a function does not sort, ranks are places in the list given."""
        if self.by_input and ranks is not None:
            order = np.argsort(ranks)
            labels, ranks = [labels[place] for place in order], [ranks[place] for place in order]
        return ranking(labels, ranks, zeros_judged=self.zeros_judged, **rest)

    def relevant_at(self, rank: int, n: int = N_DOCS, *more: int) -> Query:
        """Return a list with one relevant document at a rank; the others are neither in order nor in reverse."""
        others = [each for each in range(1, n + 1) if each != rank]
        mixed = others[1:-1:2] + others[0:-1:2] + others[-1:]
        rest = iter(mixed[1:] + mixed[:1])
        ranks = [rank if place == 4 else next(rest) for place in range(n)]
        return self.query([self.unit if place == 4 or ranks[place] in more else 0.0 for place in range(n)], ranks)

    def probe(self, *queries: Query, k: int | str | None = "all") -> Probe:
        """Return a probe; k = "all" passes the length of the longest list, if the function takes k."""
        if k == "all":
            k = max(len(query.docs) for query in queries) if self.form.k is not None else None
        assert not isinstance(k, str)
        return Probe(queries, k)

    def ask(self, *queries: Query, k: int | str | None = "all") -> Answer:
        """Call the function."""
        return self.caller.ask(self.probe(*queries, k=k))

    def agrees(self, formula: Formula, answer: Answer) -> bool:
        """Whether a formula predicts an answer."""
        try:
            expected = formula.predict(answer.probe)
        except Refused:
            return answer.value is None
        except (OverflowError, ValueError, ZeroDivisionError):
            return answer.value is None or not math.isfinite(answer.value)
        return answer.value is not None and self.is_close(expected, answer.value)

    def narrow(self, answers: Sequence[Answer], **choices: Iterable[Any]) -> list[Formula]:
        """Return the formulas with one of the values per choice that agree with all answers."""
        candidates = (
            replace(self.formula, **dict(zip(choices, values, strict=True)))
            for values in itertools.product(*choices.values())
        )
        return [each for each in candidates if all(self.agrees(each, answer) for answer in answers)]

    def settle(self, answers: Sequence[Answer], **choices: Sequence[Any]) -> bool:
        """Choose the values that agree with the answers; keep what is still open, or what nothing explains."""
        formulas = self.narrow(answers, **choices)
        return self.choose(formulas, answers, choices)

    def choose(self, formulas: Sequence[Formula], answers: Sequence[Answer], names: Iterable[str]) -> bool:
        """Take the first of the formulas that are left; return whether there is one."""
        for name in names:
            self.evidence[name].extend(answers)
            if not formulas:
                failing = (each for each in answers if not self.agrees(self.formula, each))
                self.unexplained[name] = next(failing, answers[0])
            elif len(values := list(dict.fromkeys(getattr(each, name) for each in formulas))) > 1:
                self.open[name] = values
        if formulas:
            self.formula = formulas[0]
        return bool(formulas)


class RandomCheck(NamedTuple):
    """On how many random lists a formula agrees with the function, and the smallest list on which it does not."""

    n_checked: int = 0
    n_agreeing: int = 0
    failed: Answer | None = None


def check(known: Elimination, rng: np.random.Generator) -> RandomCheck:
    """Compare the formula with the function on random lists of every kind that was understood."""
    checked = RandomCheck()
    if not known.has_formula:
        return checked
    caller = known.caller
    try:
        for place in range(60):
            if caller.left <= 6 or checked.n_checked >= 24:
                break
            probe = _random_probe(known, rng, place)
            if not known.form.can_express(probe):
                continue
            answer = caller.ask(probe)
            agrees = known.agrees(known.formula, answer)
            failed = checked.failed
            if not agrees and (failed is None or probe.size < failed.probe.size):
                failed = answer
            checked = RandomCheck(checked.n_checked + 1, checked.n_agreeing + agrees, failed)
        first = caller.first
        again = caller.ask(first.probe, again=True)
        if first.value is not None and again.value is not None and not known.is_close(first.value, again.value):
            known.obstacle = changing(first, again)
    except OutOfCalls:
        pass
    return checked if checked.failed is None else checked._replace(failed=_shrunk(known, checked.failed))


def _random_probe(known: Elimination, rng: np.random.Generator, place: int) -> Probe:
    form, unexplained = known.form, known.unexplained
    has_several = form.has_queries and place % 5 == 4 and "average" not in unexplained
    n_queries = int(rng.integers(2, 4)) if has_several else 1
    n = int(rng.integers(known.least if place % 7 == 6 else 2, 9))
    queries = tuple(_random_query(known, rng, n, place) for _ in range(n_queries))
    if form.k is None:
        return Probe(queries)
    ks = [n, *range(1, n), *([n + 2] if "short" not in unexplained else [])]
    return Probe(queries, int(rng.choice(ks)) if "cutoff" not in unexplained else n)


def _random_query(known: Elimination, rng: np.random.Generator, n: int, place: int) -> Query:
    form, formula, unexplained, highest = known.form, known.formula, known.unexplained, known.max_label
    labels: list[float | None] = [float(label) for label in rng.integers(0, highest + 1, n)]
    if not any(labels):
        labels[int(rng.integers(n))] = 1.0
    takes_fractions = formula.labels == "float" and not formula.gain.is_table and highest > 1
    if place % 6 == 5 and takes_fractions and known.is_seen("labels") and "gain" not in unexplained:
        labels = [(label or 0.0) + 0.25 for label in labels]
    missed: list[float] = []
    if form.has_ids and place % 2 and "pool" not in unexplained:
        missed = [float(label) for label in rng.integers(1, highest + 1, int(rng.integers(1, 4)))]
        if form.has_names and "unjudged" not in unexplained and n > 2:
            labels[int(rng.integers(n))] = None
    ranks = (rng.permutation(n) + 1).tolist()
    has_ties = form.has_scores and place % 3 == 2 and not known.by_input
    knows_ties = formula.ties not in ("random", "undefined") and "ties" not in unexplained
    if has_ties and knows_ties and not (formula.pool == "top" and formula.ties == "average"):
        return known.query(labels, scores=[float(each) for each in rng.integers(1, 4, n)], unretrieved=missed)
    return known.query(labels, ranks, unretrieved=missed)


def _shrunk(known: Elimination, failed: Answer) -> Answer:
    """Return the smallest list that the formula does not explain, by leaving out queries and documents."""
    progress = True
    while progress and known.caller.left > 0:
        progress = False
        for probe in _smaller(failed.probe):
            if known.caller.left <= 0 or not known.form.can_express(probe):
                continue
            answer = known.caller.ask(probe)
            if not known.agrees(known.formula, answer):
                failed, progress = answer, True
                break
    return failed


def _smaller(probe: Probe) -> Iterator[Probe]:
    """Yield the probe without one query, or without one document."""
    if len(probe.queries) > 1:
        for place in range(len(probe.queries)):
            yield replace(probe, queries=probe.queries[:place] + probe.queries[place + 1 :])
        return
    query, k = probe.one, probe.k
    rows, judged = query.ranked or (), query.judged or ()
    for place in range(len(rows) - 1, -1, -1) if len(rows) > 1 else ():
        rest = rows[:place] + rows[place + 1 :]
        kept = tuple(row for row in judged if row[0] != rows[place][0])
        yield Probe((Query(rest, kept),), k if k is None or k < len(rows) else len(rest))
    for doc in query.unretrieved:
        yield Probe((Query(rows, tuple(row for row in judged if row[0] != doc)),), k)


_OTHER_MEASURES = ("ap", "rr", "err(max_label=5)", "rbp", "auc", "r_precision", "linear_ndcg")
_OF_DCG = ("gain", "discount", "order", "output", "zeros")
_IDEALS = ["sorted", "none", "full", "highest", "unsorted", "ascending", "distinct", "gains", "documents", "relevant"]
_Groups = Sequence[Sequence[Answer]]


def find_dcg(known: Elimination) -> None:
    """Find order, gain and discount: for the same labels, values are proportional to the DCG of the rankings."""
    alone = _alone(known)
    if known.form.is_graded and not any(each.value for each in alone) and all(each.is_number for each in alone):
        known.unit = 5.0  # a label of 1 is not relevant
        alone = _alone(known)
    if not alone[0].is_number and not any(each.is_number and each.value for each in alone):
        # no value is a number, for example because a discount divides by log2(1) = 0
        known.formula = replace(known.formula, discount=STARTS_AT_ONE)
        known.evidence["discount"] = list(alone)
        known.unexplained["formula"] = alone[0]
        return
    groups = [alone]
    for highest in (5, 3, 2, 1) if known.form.is_graded else (1,):
        labels = [min(label, highest) for label in (1, 0, 4, 2, 0, 5, 3)]
        first, *others = _permutations(labels)
        answer = known.ask(known.query(labels, first))
        if answer.value is not None or highest == 1:
            known.max_label = highest
            groups.append([answer, *(known.ask(known.query(labels, ranks)) for ranks in others)])
            break
    answers = [each for group in groups for each in group]
    known.is_close = _measured_closeness(answers)
    orders = ["input"] if known.by_input else ["descending", "ascending"]
    if _find_numerator(known, groups, orders):
        return
    if name := _named_measure(known, answers):
        known.obstacle = Obstacle(name, answers[0], f"this is not NDCG: its values are those of {name}")
        return
    _shallow_cutoff(known, alone)
    if known.formula.own_cutoff is not None:
        if _find_numerator(known, groups, orders):
            return
        # the ideal may depend on the documents at the top
        formulas = known.narrow(answers, order=orders, gain=GAINS, discount=DISCOUNTS, pool=["top"])
        if formulas:
            known.choose(formulas, answers, _OF_DCG)
            return
    if not _measured_dcg(known, groups, orders[0]):
        known.unexplained["formula"] = alone[0]


def _alone(known: Elimination) -> list[Answer]:
    """Ask about lists with one relevant document, at each of the first ranks."""
    return [known.ask(known.relevant_at(rank)) for rank in range(1, N_DOCS)]


def _permutations(labels: Sequence[float]) -> list[list[int]]:
    """Return ranks of the documents; the last document always has label 0, so that k may be off by one."""
    rng = np.random.default_rng(3)
    zeros = [place for place, label in enumerate(labels) if not label]
    permutations: list[list[int]] = []
    while len(permutations) < N_DOCS:
        ranks = (rng.permutation(len(labels) - 1) + 1).tolist()
        ranks.insert(zeros[len(permutations) % len(zeros)], len(labels))
        if ranks not in permutations:
            permutations.append(ranks)
    return permutations


def _measured_closeness(answers: Sequence[Answer]) -> Closeness:
    """Find out whether values are rounded, or have single precision."""
    values = [each.value for each in answers if each.value is not None and math.isfinite(each.value)]
    for decimals in range(1, 8):
        is_rounded = all(abs(round(value, decimals) - value) < 1e-12 for value in values) and len(set(values)) > 1
        if is_rounded and any(abs(value - round(value * 2) / 2) > 1e-12 for value in values):
            return Closeness(0.5000001 * 10.0**-decimals, decimals)
    is_single = all(each.dtype == "float32" for each in answers if each.value is not None)
    is_single |= all(float(np.float32(value)) == value for value in values)
    return Closeness(3e-6) if is_single and any(value not in (0.0, 1.0, 0.5) for value in values) else Closeness()


def _find_numerator(known: Elimination, groups: _Groups, orders: Sequence[str]) -> bool:
    """Find the formulas whose DCG is proportional to the values, group by group."""
    # if rank 1 does not count, lists with one relevant document tell nothing
    telling = [group for group in groups if any(each.value for each in group)]
    for output in OUTPUTS if telling else ():
        formulas = []
        for zeros, order in itertools.product(("kept", "dropped"), orders):
            base = replace(known.formula, ties="stable", order=order, zeros=zeros, output=output)
            fits = np.logical_and.reduce([_are_proportional(known, base, group) for group in telling])
            formulas += [replace(base, gain=GAINS[g], discount=DISCOUNTS[d]) for g, d in np.argwhere(fits)]
        if formulas:
            return known.choose(formulas, [each for group in groups for each in group], _OF_DCG)
    return False


def _are_proportional(known: Elimination, base: Formula, group: Sequence[Answer]) -> Booleans:
    """Return for each of GAINS and DISCOUNTS whether the values are proportional to the DCG."""
    values = np.array([math.nan if each.value is None else base.plain(each.value) for each in group])
    if not np.isfinite(values).all():
        return np.zeros((len(GAINS), len(DISCOUNTS)), bool)
    tops = np.array([base.dcg_table(each.probe.one, each.probe.k) for each in group])
    place = np.abs(tops).argmax(axis=0)
    largest = np.take_along_axis(tops, place[None], axis=0)[0]
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = values[place] / largest
        errors = np.abs(values[:, None, None] - ratio * tops)
    wide = 2.0 if known.is_close.decimals is not None else 1.0
    tolerances = wide * known.is_close.tolerance * np.maximum(1.0, np.abs(values))
    fits: Booleans = (largest != 0) & (np.abs(ratio) >= 1e-12) & (errors <= tolerances[:, None, None]).all(axis=0)
    return fits


def _named_measure(known: Elimination, answers: Sequence[Answer]) -> str | None:
    """Return the name of another measure that explains all values."""
    if not differ(answers):
        return None

    def value(name: str, query: Query) -> float:
        return float(measure(name)([query.labels.get(doc, 0.0) for doc in query.docs], query.scores)[0])

    def agrees(name: str) -> bool:
        return all(known.is_close(value(name, each.probe.one), each.value or 0.0) for each in answers)

    return next(filter(agrees, _OTHER_MEASURES), None)


def _shallow_cutoff(known: Elimination, alone: Sequence[Answer]) -> None:
    """Find a built-in cutoff before the last rank that was tried."""
    counted = [bool(each.value) for each in alone]
    n_counted = sum(counted)
    if 0 < n_counted < len(alone) and known.form.k is None:
        cutoff = n_counted if counted[0] else n_counted + 1  # otherwise, the list is ranked from its end
        known.formula = replace(known.formula, own_cutoff=cutoff)
        known.evidence["own_cutoff"] = [alone[n_counted - 1], alone[n_counted]] if counted[0] else list(alone[:2])


def _measured_dcg(known: Elimination, groups: _Groups, order: str) -> bool:
    """Measure discount and gain if no common formula fits: for the same labels, values are linear in both."""
    alone = [each.value for each in groups[0]]
    unit = next((value for value in alone if value), None)
    if unit is None or any(value is None or not math.isfinite(value) for value in alone):
        return False
    deeper = [known.ask(known.relevant_at(rank, N_DOCS + 4)).value for rank in range(N_DOCS, N_DOCS + 3)]
    weights = [(value or 0.0) / unit for value in (*alone, *(value for value in deeper if value is not None))]
    tolerance = 10 * known.is_close.tolerance

    def has_weights(of_ranks: Sequence[float]) -> bool:
        first = next(each for each in of_ranks if each)
        return all(abs(a / first - b) <= tolerance for a, b in zip(of_ranks, weights, strict=True))

    usual = [each for each in DISCOUNTS if has_weights(each.weights(len(weights), N_DOCS))]
    for discount in (*usual, measured_discount(weights, tolerance)):
        base = replace(known.formula, discount=discount, order=order, output="value")
        gain = base.gain if len(groups) == 1 else _measured_gain(base, groups[1], tolerance)
        if gain is not None:
            answers = [each for group in groups for each in group]
            return known.choose([replace(base, gain=gain)], answers, _OF_DCG)
    return False


def _measured_gain(base: Formula, group: Sequence[Answer], tolerance: float) -> GainShape | None:
    labels = sorted({label for label in group[0].probe.one.labels.values() if label > 0})
    if not all(each.is_number for each in group):
        return None
    units = [
        replace(base, gain=GainShape("", lambda each, label=label: float(each == label)))  # type: ignore[misc]
        for label in labels
    ]
    rows = np.array([[unit.parts(each.probe.one, each.probe.k)[0] for unit in units] for each in group])
    values = np.array([each.value for each in group])
    solved, *_ = np.linalg.lstsq(rows, values, rcond=None)
    if np.abs(rows @ solved - values).max() > tolerance or not solved.any():
        return None
    unit = solved[np.abs(solved) > tolerance][0]
    by_label = dict(zip([0.0, *labels], [0.0, *(solved / unit).tolist()], strict=True))
    own = [_tidy(by_label.get(float(each), math.nan)) for each in range(int(max(labels)) + 1)]
    return measured_gain(own, max(1e-7, tolerance / abs(unit)))


def find_ideal(known: Elimination) -> None:
    """Find what the DCG is divided by, from lists with different labels."""
    graded = [[1, 0, 1, 0], [1, 1, 0, 1, 0], [0, 2, 0], [3, 1, 0, 1, 0], [2, 0, 2, 2, 0], [0, 3, 2, 0, 3, 1, 0]]
    plain = [[1, 0, 1, 0], [1, 1, 0, 1, 0], [0, 1, 0], [1, 1, 1, 0, 1, 0]]
    answers = list(known.evidence["gain"])
    for labels in graded if known.max_label > 1 else plain:
        own = [min(label, known.max_label) for label in labels]
        n = len(own)
        ranks = [*range(2, n), 1]
        ranks.insert(max(place for place, label in enumerate(own) if not label), n)
        answers.append(known.ask(known.query(own, ranks)))
    before = known.formula
    # several gains or discounts may be left: another one may explain the divisor
    others = [(name, value) for name in ("gain", "discount") for value in known.open.get(name, [])[1:]]
    tried = [before, *(replace(before, **{name: value}) for name, value in others)]
    if any(_find_divisor(known, each, answers) for each in tried):
        return
    rounded = known.is_close
    if rounded.decimals is not None:  # or cut off
        known.is_close = replace(rounded, truncates=True)
        if _find_divisor(known, before, answers):
            return
        known.is_close = rounded
    known.unexplained["ideal"] = answers[-1]


def _find_divisor(known: Elimination, base: Formula, answers: list[Answer]) -> bool:
    for candidate in _divisors(base, answers):
        if all(known.agrees(candidate, answer) for answer in answers):
            known.formula = candidate
            known.evidence["ideal"] = answers
            return True
    return False


def _divisors(base: Formula, answers: Sequence[Answer]) -> Iterator[Formula]:
    """Yield the formula with each known divisor, the usual ones first."""
    cuts = (base.ideal_cut,) if base.own_cutoff is None else (0, None, -1, 1)
    simple = [replace(base, ideal=kind, ideal_cut=cut) for kind in _IDEALS for cut in cuts]
    yield from simple
    gains = [replace(base, ideal_gain=gain) for gain in (*GAINS, *GAINS_OF_SOME_LABELS) if gain != base.gain]
    discounts = [replace(base, ideal_discount=each) for each in DISCOUNTS if each != base.discount]
    for each in (*simple, *gains, *discounts):
        yield from _with_addend(each, answers)
    yield from (*gains, *discounts)
    for first, second in itertools.product(gains, discounts):
        yield replace(first, ideal_discount=second.ideal_discount)
    for each, kind in itertools.product((*gains, *discounts), ("unsorted", "ascending", "distinct", "highest")):
        yield replace(each, ideal=kind)
    for each in (*simple, *gains, *discounts):
        for value, top, bottom in _first_value(each, answers):
            yield replace(each, scale=_tidy(value * bottom / top))


def _with_addend(candidate: Formula, answers: Sequence[Answer]) -> Iterator[Formula]:
    """Yield the formula with the number to add to the ideal DCG for the first answer, such as 1e-8 or 1."""
    for value, top, bottom in _first_value(candidate, answers) if candidate.ideal != "none" else ():
        missing = top / value - bottom
        short = float(f"{missing:.3g}")
        if abs(short - missing) < 1e-9 * max(1, abs(short)):
            yield replace(candidate, added=short)


def _first_value(candidate: Formula, answers: Sequence[Answer]) -> Iterator[tuple[float, float, float]]:
    """Yield value, DCG and divisor of the first answer that has them."""
    for answer in answers:
        try:
            top, bottom, _ = candidate.parts(answer.probe.one, answer.probe.k)
        except (Refused, ValueError):
            return
        value = candidate.plain(answer.value or 0.0)
        if value and top and bottom and math.isfinite(value):
            yield value, top, bottom
            return


def _tidy(value: float) -> float:
    """Return a measured number without its rounding error, if it is close to one of few digits."""
    return round(value, 9) if abs(round(value, 9) - value) < 1e-10 * max(1.0, abs(value)) else value
