"""A formula found by elimination: variants that disagree with an answer are dropped; random lists check the rest."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from idealrank.identification.function_calls import Answer, FormSearch, OutOfCalls, changing
from idealrank.identification.ndcg_formulas import Formula, Refused
from idealrank.identification.probes import Probe, Query, ranking

__all__ = ["N_DOCS", "Closeness", "Elimination", "RandomCheck", "check"]

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
        if not formulas and self.formula.clip == "none":
            formulas = self.narrow(answers, **choices, clip=("above", "below", "both"))
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
