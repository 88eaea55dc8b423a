"""Names of what is wrong with a formula, and the smallest list that shows it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from idealrank.identification.calling_forms import Probe, Query, doc_ids, ranking
from idealrank.identification.choices import CHOICES, VISIBLE
from idealrank.identification.dcg_and_ideal import Elimination
from idealrank.identification.function_calls import OutOfCalls
from idealrank.identification.ndcg_formulas import DISCOUNTS, STARTS_AT_ONE, Formula, Refused


@dataclass(frozen=True)
class Defect:
    """Something that is wrong with a function.

    Attributes
    ----------
    name : str
        What is wrong.
    example : str
        The smallest list that shows it; empty if there is none.
    value : float or None
        What the function returns for the example; None if it raises an error.
    expected : float or None
        What it would return without the defect.
    """

    name: str
    example: str = ""
    value: float | None = None
    expected: float | None = None

    def __str__(self) -> str:
        if not self.example:
            return self.name
        got = "an error" if self.value is None else f"{self.value:.6g}"
        instead = "" if self.expected is None else f" instead of {self.expected:.6g}"
        return f"{self.name}: {got}{instead} for {self.example}"


def defects_of(known: Elimination) -> list[Defect]:
    """Return what is wrong with a function, each with the smallest list that shows it."""
    caller, formula, obstacle = known.caller, known.formula, known.obstacle
    defects = []
    if caller.changed is not None:
        defects.append(Defect("changes its arguments", str(caller.changed.probe), caller.changed.value))
    if obstacle is not None:
        own = Defect(obstacle.words, str(obstacle.answer.probe), obstacle.answer.value)
        if obstacle.kind == "changing":
            return [own, *defects]
        return [*defects, own] if obstacle.is_defect else defects
    if formula.discount == STARTS_AT_ONE:
        one = Probe((ranking([1], [1]),), 1 if known.form.k is not None else None)
        answer = caller.ask(one) if caller.left else known.evidence["discount"][0]
        expected = replace(formula, discount=DISCOUNTS[0]).predict(answer.probe)
        name = "no value is a number, as with a discount that starts at log2(1) = 0, by which the first rank is divided"
        return [*defects, Defect(name, str(answer.probe), answer.value, expected)]
    if "formula" in known.unexplained:
        return defects
    for choice, row in CHOICES.items():
        for name, right in row.flaws(choice, formula, known.form):
            reference = replace(formula, **right)
            defects.append(_shown(known, name, lambda probe, value, own=reference: _predicted(own, probe)))  # type: ignore[misc]
    decimals = known.is_close.decimals
    if decimals is not None and 10.0**-decimals > VISIBLE * formula.scale:
        defects.append(_rounded(known, decimals))
    if "ideal" not in known.unexplained and formula.ideal != "none" and formula.output == "value":
        above = _shown(
            known, "NDCG > 1 is possible", lambda probe, value: min(value, 1.0), longest=3, confirm=formula.scale <= 1
        )
        if above.example:
            defects.append(replace(above, expected=None))
    return defects


def _rounded(known: Elimination, decimals: int) -> Defect:
    """Return rounding as a defect, with the smallest list that shows it."""
    how = "truncated" if known.is_close.truncates else "rounded"
    name = f"values are {how} to {decimals} decimal{'s' if decimals != 1 else ''}"
    for probe in _small_probes(known, longest=3):
        value = _predicted(known.formula, probe)
        if value is None or not known.caller.left:
            continue
        if abs(round(value, decimals) - value) > known.is_close.tolerance / 10:
            return Defect(name, str(probe), known.caller.ask(probe).value, value)
    return Defect(name)


def _predicted(formula: Formula, probe: Probe) -> float | None:
    """Return the value of a formula; None if it is not a finite number."""
    try:
        value = formula.predict(probe)
    except (Refused, ValueError, OverflowError, ZeroDivisionError):
        return None
    return value if math.isfinite(value) else None


def _shown(
    known: Elimination,
    name: str,
    reference: Callable[[Probe, float], float | None],
    *,
    longest: int = 4,
    confirm: bool = True,
) -> Defect:
    """Return the defect with the smallest list on which the function and the reference differ."""
    n_tried = 0
    for probe in _small_probes(known, longest):
        value = _predicted(known.formula, probe)
        expected = None if value is None else reference(probe, value)
        if value is None or expected is None or abs(value - expected) < max(VISIBLE, 2 * known.is_close.tolerance):
            continue
        if not known.form.can_express(probe):
            continue
        if not confirm:
            return Defect(name, str(probe), value, expected)
        try:
            answer = known.caller.ask(probe)
        except OutOfCalls:
            return Defect(name, str(probe), value, expected)
        if known.agrees(known.formula, answer):
            return Defect(name, str(probe), answer.value, expected)
        n_tried += 1
        if n_tried > 2:
            break
    return Defect(name)


def _small_probes(known: Elimination, longest: int) -> Iterator[Probe]:
    """Yield small probes, the smallest first."""
    form, highest = known.form, min(known.max_label, 3)
    has_k = form.k is not None
    missed: list[tuple[int, ...]] = [()]
    if form.has_ids:
        missed += [*((label,) for label in range(1, highest + 1)), (1, 1)]
    for n in range(1, longest + 1):
        grades = range((known.max_label if n < 3 else highest) + 1)
        orders = [*itertools.permutations(range(1, n + 1))] if form.has_scores else [tuple(range(1, n + 1))]
        lists = itertools.product(itertools.product(grades, repeat=n), orders, missed)
        by_size = sorted((len(more), sum(labels) + sum(more), labels, ranks, more) for labels, ranks, more in lists)
        for _, _, labels, ranks, more in by_size:
            query = ranking(labels, ranks, unretrieved=more, zeros_judged=known.zeros_judged)
            for k in range(1, n + 2) if has_k else (None,):
                yield Probe((query,), k)
        if form.has_duplicates and n == 2:
            doc, other = doc_ids(2)
            yield Probe((Query(((doc, 2.5), (doc, 1.5)), ((doc, 1.0),)),), 2 if has_k else None)
            twice = Query(((doc, 3.5), (doc, 2.5), (other, 1.5)), ((doc, 1.0), (other, 1.0)))
            yield Probe((twice,), 3 if has_k else None)
        if form.has_queries and n == 2:
            yield from _two_queries(known, highest)
    yield from _beyond_own_cutoff(known)
    scored: list[tuple[list[float], list[float] | None]] = []
    if form.has_scores:
        equal_or_close = ([1.5, 1.5], [9.5, 10.5], [1.2, 1.4], [1.4, 1.2], [-1.5, -0.5], [0.5, -1.5])
        scored += [(labels, scores) for scores in equal_or_close for labels in ([1.0, 0.0], [0.0, 1.0], [1.0, 1.0])]
    if form.has_scores or form.is_graded:
        scored += [(labels, None) for labels in ([0.5], [0.25, 0.5], [0.5, 1.0], [1.5, 1.75])]
        scored += [
            (labels, [place + 1.5 for place in range(len(labels))])
            for labels in ([2.0, -1.0, 0.0], [-1.0, 2.0], [1.0, -1.0])
        ]
    for labels_of, scores in scored:
        query = ranking(labels_of, scores=scores, zeros_judged=known.zeros_judged)
        yield Probe((query,), len(labels_of) if has_k else None)


def _two_queries(known: Elimination, highest: int) -> Iterator[Probe]:
    has_k, pairs = known.form.k is not None, itertools.product(range(highest + 1), repeat=2)
    lists = [(labels, ranks) for labels in pairs for ranks in ((1, 2), (2, 1))]
    more: list[tuple[tuple[int, ...], tuple[int, ...]]] = [((1,), (1,)), ((0, 0, 1), (1, 2, 3)), ((0, 1, 0), (1, 2, 3))]
    queries = [ranking(labels, ranks, zeros_judged=known.zeros_judged) for labels, ranks in (*lists, *more)]
    for both in itertools.product(queries, repeat=2):
        yield Probe(both, 3 if has_k else None)
    good, late = (ranking([1, 0], ranks, zeros_judged=known.zeros_judged) for ranks in ([1, 2], [2, 1]))
    missed = ranking([0, 0], [1, 2], unretrieved=[1], zeros_judged=known.zeros_judged)
    for bad in (late, missed):
        yield Probe((good, bad), 1 if has_k else None)


def _beyond_own_cutoff(known: Elimination) -> Iterator[Probe]:
    cutoff = known.formula.own_cutoff
    if cutoff is None:
        return
    for n in (cutoff, cutoff + 1, cutoff + 2):
        places = itertools.chain(itertools.combinations(range(n), 1), itertools.combinations(range(n), 2))
        for relevant in (*map(set, places), *(set(range(zeros, n)) for zeros in (0, 1, 2))):
            labels = [float(place in relevant) for place in range(n)]
            yield Probe((ranking(labels, zeros_judged=known.zeros_judged),), None)
