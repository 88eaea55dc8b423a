"""Asking a function, and comparing its answers with formulas."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from idealrank._core.seeds import generator
from idealrank.identification.calling_forms import Form
from idealrank.identification.function_calls import Answer, Caller
from idealrank.identification.ndcg_formulas import Formula, Refused
from idealrank.identification.probes import Probe, Query, ranking

__all__ = ["N_DOCS", "Inquiry"]

_ROUNDING = 1e-9
#: The length of most lists.
N_DOCS = 7


class Inquiry:
    """What was found out about one function so far, and how it is asked.

    Parameters
    ----------
    caller : Caller
        Calls the function and counts.
    seed : int
        Of the lists that check the whole formula.
    """

    def __init__(self, caller: Caller, seed: int = 0) -> None:
        self.caller = caller
        self.rng = generator(seed)
        self.formula = Formula()
        self.tolerance = 1e-9
        self.decimals: int | None = None
        #: Whether decimals are cut off, not rounded.
        self.truncates = False
        #: What was found, by choice: the answers that decided it.
        self.evidence: dict[str, list[Answer]] = {}
        #: Choices that no known formula explains, and an answer that shows it.
        self.unexplained: dict[str, Answer] = {}
        #: Choices that probes could not tell apart: the values that remain.
        self.open: dict[str, list[Any]] = {}
        self.notes: list[tuple[str, Answer]] = []
        self.changing: tuple[Answer, Answer] | None = None
        self.failed: Answer | None = None
        self.n_checked = self.n_agreeing = 0
        self.other_measure: str | None = None
        self.is_constant = False
        #: A list on which other scores in the same order give another value.
        self.by_magnitude: Answer | None = None
        self.zeros_judged = True
        self.by_input = False
        self.max_label = 5
        #: The label of relevant documents in lists with one relevant document.
        self.unit = 1.0
        #: The shortest list that follows the formula.
        self.least = 1
        self.tried: list[tuple[Form, Answer]] = []

    def query(self, labels: Sequence[float | None], ranks: Sequence[int] | None = None, **rest: Any) -> Query:
        """Return a query; where a function does not sort, ranks are places in the list given."""
        rest.setdefault("zeros_judged", self.zeros_judged)
        if self.by_input and ranks is not None:
            order = np.argsort(ranks)
            labels, ranks = [labels[place] for place in order], [ranks[place] for place in order]
        return ranking(labels, ranks, **rest)

    def probe(self, *queries: Query, k: int | str | None = "all") -> Probe:
        """Return a probe; k = "all" passes the length of the longest list, if the function takes k."""
        if k == "all":
            k = max(len(query.ranked or ()) for query in queries) if self.form.k is not None else None
        assert not isinstance(k, str)
        return Probe(queries, k)

    @property
    def form(self) -> Form:
        """How the function is called."""
        return self.caller.form

    def ask(self, *queries: Query, k: int | str | None = "all") -> Answer:
        """Call the function."""
        return self.caller.ask(self.probe(*queries, k=k))

    def can_ask(self, *queries: Query, k: int | str | None = "all") -> bool:
        """Whether the function's arguments can hold this."""
        return self.form.can_express(self.probe(*queries, k=k))

    def agrees(self, formula: Formula, answer: Answer) -> bool:
        """Whether a formula predicts an answer."""
        try:
            expected = formula.predict(answer.probe)
        except Refused:
            return answer.value is None
        except (OverflowError, ValueError, ZeroDivisionError):
            return answer.value is None or not math.isfinite(answer.value)
        return answer.value is not None and self.is_close(expected, answer.value)

    def is_close(self, expected: float, value: float) -> bool:
        """Whether two values are the same to the precision of the function."""
        if math.isnan(expected) or math.isnan(value):
            return math.isnan(expected) and math.isnan(value)
        if math.isinf(expected) or math.isinf(value):
            return expected == value
        if self.truncates and self.decimals is not None:
            return -_ROUNDING <= expected - value < 10.0**-self.decimals
        return abs(expected - value) <= self.tolerance * (1.0 if self.decimals is not None else max(1.0, abs(expected)))

    def narrow(self, answers: Sequence[Answer], **choices: Iterable[Any]) -> list[Formula]:
        """Return the formulas with one of the values per choice that agree with all answers."""
        found = []
        for values in itertools.product(*choices.values()):
            candidate = replace(self.formula, **dict(zip(choices, values, strict=True)))
            if all(self.agrees(candidate, answer) for answer in answers):
                found.append(candidate)
        return found

    def settle(self, answers: Sequence[Answer], **choices: Iterable[Any]) -> bool:
        """Choose the values that agree with the answers; keep what is still open, or what nothing explains."""
        options = {name: list(values) for name, values in choices.items()}
        found = self.narrow(answers, **options)
        if not found and self.formula.clip == "none":
            found = self.narrow(answers, **options, clip=("above", "below", "both"))
        for name in options:
            self.evidence.setdefault(name, []).extend(answers)
        if not found:
            for name in options:
                self.unexplained[name] = self._first_failing(answers)
            return False
        self.formula = found[0]
        for name in options:
            values = list(dict.fromkeys(getattr(each, name) for each in found))
            if len(values) > 1:
                self.open[name] = values
        return True

    def _first_failing(self, answers: Sequence[Answer]) -> Answer:
        return next((each for each in answers if not self.agrees(self.formula, each)), answers[0])

    @staticmethod
    def _plain(output: str, value: float) -> float:
        """Return the value before it was converted to the output."""
        match output:
            case "one minus":
                return 1 - value
            case "negative":
                return -value
            case "squared":
                return math.sqrt(max(value, 0.0))
            case "root":
                return value * value
        return value

    @staticmethod
    def _differ(answers: Sequence[Answer]) -> bool:
        values = [each.value for each in answers if each.value is not None and math.isfinite(each.value)]
        return len(values) == len(answers) and max(values) - min(values) > 1e-6

    def _any_answer(self) -> Answer:
        return next(iter(self.caller.known.values()))

    def _rank_of(self, place: int, rank: int, n: int = N_DOCS) -> list[int]:
        """Return ranks in which one document has the given rank; the others are neither in order nor in reverse."""
        others = [each for each in range(1, n + 1) if each != rank]
        mixed = others[1:-1:2] + others[0:-1:2] + others[-1:]
        rest = iter(mixed[1:] + mixed[:1])
        return [rank if each == place else next(rest) for each in range(n)]

    def _single(self, n: int) -> list[float]:
        labels = [0.0] * n
        labels[4] = self.unit
        return labels
