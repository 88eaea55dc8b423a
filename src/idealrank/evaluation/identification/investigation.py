"""What an unknown function computes, found by elimination: one stage per choice, each with probes that isolate it."""

from __future__ import annotations

import inspect
import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from idealrank.evaluation.identification.calls import Answer, Caller, Form, OutOfCalls, variants
from idealrank.evaluation.identification.formulas import Formula, Refused
from idealrank.evaluation.identification.probes import Probe, Query, doc_ids, ranking
from idealrank.evaluation.identification.shapes import (
    DISCOUNTS,
    GAINS,
    Gain,
    binary,
    measured_discount,
    measured_gain,
)
from idealrank.measures import measure

__all__ = ["Investigation"]

_N = 7
_LONGEST = 101
#: Calls that are kept for the lists that check the whole formula.
_FOR_CHECKS = 14
_TIES = ("average", "stable", "reverse", "docid_desc", "docid_asc", "best", "worst")
_OTHER_MEASURES = ("ap", "rr", "err(max_label=5)", "rbp", "auc", "r_precision", "linear_ndcg")
#: No value of a list with labels 0 and 1.
_NONSENSE = 1000.0
_STARTS_AT_ONE = DISCOUNTS[-1]


class Investigation:
    """The choices of one function, as far as they were found.

    Parameters
    ----------
    caller : Caller
        Calls the function and counts.
    seed : int
        Of the lists that check the whole formula.
    """

    def __init__(self, caller: Caller, seed: int = 0) -> None:
        self.caller = caller
        self.rng = np.random.default_rng(seed)
        self.formula = Formula()
        self.tolerance = 1e-9
        self.decimals: int | None = None
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

    # asking

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

    # comparing

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
        return abs(expected - value) <= self.tolerance * (1.0 if self.decimals is not None else max(1.0, abs(expected)))

    def narrow(
        self, answers: Sequence[Answer], start: Formula | None = None, **choices: Iterable[Any]
    ) -> list[Formula]:
        """Return the formulas with one of the values per choice that agree with all answers."""
        found = []
        for values in itertools.product(*choices.values()):
            candidate = replace(start or self.formula, **dict(zip(choices, values, strict=True)))
            if all(self.agrees(candidate, answer) for answer in answers):
                found.append(candidate)
        return found

    def settle(self, answers: Sequence[Answer], **choices: Iterable[Any]) -> bool:
        """Choose the values that agree with the answers; keep what could not be told apart, or what nothing explains."""
        options = {name: list(values) for name, values in choices.items()}
        found = self.narrow(answers, **options)
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

    # stages

    def run(self) -> None:
        """Go through all stages, as far as calls last."""
        if self.changing or self.is_constant or self.by_magnitude:
            return
        try:
            for stage in self._stages():
                stage()
                if (
                    self.changing
                    or self.is_constant
                    or self.other_measure
                    or {"formula", "ideal"} & self.unexplained.keys()
                ):
                    break
        except OutOfCalls:
            self.notes.append(("the budget of calls ended before every choice was tried", self._any_answer()))

    def _stages(self) -> list[Callable[[], None]]:
        found: list[Callable[[], None]] = [self._dcg, self._divisor, self._long_lists]
        found += [self._cutoff, self._short_lists, self._empty, self._ties, self._documents, self._labels]
        return [*found, self._duplicates, self._queries, self._precision]

    def _any_answer(self) -> Answer:
        return next(iter(self.caller.known.values()))

    def find_form(self, forms: Sequence[Form]) -> bool:
        """Find out what the function takes; return whether it returned a number for anything."""
        labels = [0, 1, 0, 0, 1, 0]
        good = ranking(labels, [4, 1, 3, 5, 2, 6])
        bad = ranking(labels, [2, 4, 1, 3, 5, 6])
        moved = ranking([1, 0, 0, 0, 0, 1], [2, 1, 3, 6, 4, 5])
        #: 1: depends on the scores themselves, 2: gives no number, 3: always gives the same one
        fallbacks: list[tuple[int, Form]] = []
        first_form: Form | None = None
        most = self.caller.max_calls * 2 // 5
        for form in forms:
            for variant in variants(form):
                if self.caller.n_calls >= most:
                    break
                k = 6 if variant.k is not None else None
                answers = [self.caller.ask(Probe((good,), k), form=variant)]
                if answers[0].value is None:
                    self.tried.append((variant, answers[0]))
                    if "ZeroDivision" in answers[0].error:
                        fallbacks.append((2, variant))
                    continue
                if not answers[0].is_number:
                    fallbacks.append((2, variant))
                    break
                if abs(answers[0].value) > _NONSENSE:  # ids were taken for numbers
                    continue
                first_form = first_form or variant
                again = self.caller.ask(Probe((good,), k), form=variant, again=True)
                if again.value is None or abs(again.value - (answers[0].value or 0.0)) > 1e-12:
                    self.caller.form, self.changing = first_form, (answers[0], again)
                    return True
                answers += [self.caller.ask(Probe((each,), k), form=variant) for each in (bad, moved)]
                if not self._differ(answers) and variant.is_graded:
                    grades = [0, 1, 0, 0, 2, 0]
                    graded = [ranking(grades, [4, 2, 3, 5, 1, 6]), ranking(grades, [2, 4, 1, 3, 5, 6])]
                    graded.append(ranking([1, 0, 0, 0, 0, 2], [2, 1, 3, 6, 4, 5]))
                    others = [self.caller.ask(Probe((each,), k), form=variant) for each in graded]
                    if self._differ(others[:1] + others[2:]) or self._differ(others[:2]):
                        answers, good, bad = others, graded[0], graded[1]
                if not self._differ(answers):
                    if variant.has_names and variant.is_graded:
                        without = [
                            Probe((Query(each.ranked, tuple(row for row in each.judged or () if row[1])),), k)
                            for each in (good, bad)
                        ]
                        others = [self.caller.ask(each, form=variant) for each in without]
                        if self._differ(others):
                            self.caller.form, self.zeros_judged = variant, False
                            return True
                    fallbacks.append((3, variant))
                    break
                if variant.has_scores and not self._is_invariant(good, bad, k, variant):
                    fallbacks.append((1, variant))
                    break
                self.caller.form = variant
                self.by_input = not self._differ(answers[:2])
                return True
        if not fallbacks:
            return False
        rank, self.caller.form = min(fallbacks, key=lambda each: each[0])
        if rank == 1:
            self.by_magnitude = self.caller.ask(Probe((good,), 6 if self.form.k is not None else None))
        self.is_constant = rank == 3
        return True

    @staticmethod
    def _differ(answers: Sequence[Answer]) -> bool:
        values = [each.value for each in answers if each.value is not None and math.isfinite(each.value)]
        return len(values) == len(answers) and max(values) - min(values) > 1e-6

    def _is_invariant(self, good: Query, bad: Query, k: int | None, form: Form) -> bool:
        """Whether only the order of the scores matters, as it does not for labels."""
        answers = []
        for query in (good, bad):
            assert query.ranked is not None
            stretched = tuple((doc, score**3 + 1) for doc, score in query.ranked)
            for each in (query, Query(stretched, query.judged)):
                answers.append(self.caller.ask(Probe((each,), k), form=form))
            if any(each.value is None for each in answers[-2:]):
                return False
            if abs((answers[-1].value or 0) - (answers[-2].value or 0)) > 1e-6:
                return False
        return True

    def _dcg(self) -> None:
        """Find order, gain and discount: with the same labels, values are as the DCG of the rankings."""
        alone = self._alone()
        if self.form.is_graded and not any(each.value for each in alone) and all(each.is_number for each in alone):
            self.unit = 5.0  # a label of 1 is not relevant
            alone = self._alone()
        groups = [alone]
        if self._is_broken(alone):
            return
        for highest in (5, 3, 2, 1) if self.form.is_graded else (1,):
            labels = [min(label, highest) for label in (1, 0, 4, 2, 0, 5, 3)]
            permutations = self._permutations(labels)
            answers = [self.ask(self.query(labels, permutations[0]))]
            if answers[0].value is None and highest > 1:
                continue
            self.max_label = highest
            answers += [self.ask(self.query(labels, ranks)) for ranks in permutations[1:]]
            groups.append(answers)
            break
        self._measure_precision([each for group in groups for each in group])
        orders = ["input"] if self.by_input else ["descending", "ascending"]
        self._shallow_cutoff(alone)
        for output in ("value", "one minus", "negative"):
            found = self._numerators(groups, output, orders)
            if found:
                self._settle_dcg(found, groups)
                return
        if self.formula.own_cutoff is not None:  # the ideal may depend on what is in the top
            found = self.narrow(
                [each for group in groups for each in group],
                order=orders,
                gain=GAINS,
                discount=DISCOUNTS[:-1],
                pool=["top"],
            )
            if found:
                self._settle_dcg(found, groups)
                return
        self.other_measure = self._named_measure([each for group in groups for each in group])
        if self.other_measure is None and not self._measured_dcg(groups, orders[0]):
            self.unexplained["formula"] = alone[0]

    def _alone(self) -> list[Answer]:
        """Ask for lists with one relevant document, at each of the first ranks."""
        return [self.ask(self.query(self._single(_N), self._rank_of(4, rank))) for rank in range(1, _N)]

    def _single(self, n: int) -> list[float]:
        labels = [0.0] * n
        labels[4] = self.unit
        return labels

    def _shallow_cutoff(self, alone: Sequence[Answer]) -> None:
        """Find a cutoff of the function's own before the last rank that was tried."""
        counted = [bool(each.value) for each in alone]
        n_counted = sum(counted)
        if 0 < n_counted < len(alone) and self.form.k is None:
            cutoff = n_counted if counted[0] else n_counted + 1  # the list is ranked from its end
            self.formula = replace(self.formula, own_cutoff=cutoff)
            self.evidence["own_cutoff"] = [alone[n_counted - 1], alone[n_counted]] if counted[0] else list(alone[:2])

    def _is_broken(self, alone: Sequence[Answer]) -> bool:
        """Whether no value is a number, as of a discount that divides by log2(1) = 0."""
        if alone[0].is_number or any(each.is_number and each.value for each in alone):
            return False
        self.formula = replace(self.formula, discount=_STARTS_AT_ONE)
        self.evidence["discount"] = list(alone)
        self.unexplained["formula"] = alone[0]
        return True

    def _rank_of(self, place: int, rank: int, n: int = _N) -> list[int]:
        """Return ranks in which one document has the given rank; the others are neither in order nor in reverse."""
        others = [each for each in range(1, n + 1) if each != rank]
        mixed = others[1:-1:2] + others[0:-1:2] + others[-1:]
        mixed = [each for each in dict.fromkeys(mixed)]
        rest = iter(mixed[1:] + mixed[:1])
        return [rank if each == place else next(rest) for each in range(n)]

    def _permutations(self, labels: Sequence[float]) -> list[list[int]]:
        """Return ranks of the documents; the last one is always one of label 0, so that an off-by-one k is no matter."""
        rng = np.random.default_rng(3)
        zeros = [place for place, label in enumerate(labels) if not label]
        found: list[list[int]] = []
        while len(found) < _N:
            last = zeros[len(found) % len(zeros)]
            ranks = (rng.permutation(len(labels) - 1) + 1).tolist()
            ranks.insert(last, len(labels))
            if ranks not in found:
                found.append(ranks)
        return found

    def _measure_precision(self, answers: Sequence[Answer]) -> None:
        """Find out whether values are rounded or of single precision."""
        values = [each.value for each in answers if each.value is not None and math.isfinite(each.value)]
        for decimals in range(1, 8):
            if all(abs(round(value, decimals) - value) < 1e-12 for value in values) and len(set(values)) > 1:
                if any(abs(round(value, decimals) - round(value * 2) / 2) > 1e-12 for value in values):
                    self.decimals, self.tolerance = decimals, 0.5000001 * 10.0**-decimals
                    return
        is_single = all(each.dtype == "float32" for each in answers if each.value is not None)
        if is_single or all(float(np.float32(value)) == value for value in values):
            if any(value not in (0.0, 1.0, 0.5) for value in values):
                self.tolerance = 3e-6

    def _numerators(self, groups: Sequence[Sequence[Answer]], output: str, orders: Sequence[str]) -> list[Formula]:
        """Return the formulas whose DCG is proportional to the values, group by group."""
        found = []
        zeros = ("kept", "dropped")
        for zero, order, gain, discount in itertools.product(zeros, orders, GAINS, DISCOUNTS[:-1]):
            candidate = replace(
                self.formula, gain=gain, discount=discount, order=order, zeros=zero, output=output, ties="stable"
            )
            if all(self._is_proportional(candidate, group) for group in groups):
                found.append(candidate)
        return found

    def _is_proportional(self, candidate: Formula, group: Sequence[Answer]) -> bool:
        if any(each.value is None for each in group):
            return False
        plain = replace(candidate, output="value")
        values = [self._plain(candidate.output, each.value or 0.0) for each in group]
        tops = [plain.parts(each.probe.one, each.probe.k)[0] for each in group]
        place = max(range(len(tops)), key=lambda each: abs(tops[each]))
        if tops[place] == 0 or not all(map(math.isfinite, values)):
            return False
        ratio = values[place] / tops[place]
        if abs(ratio) < 1e-12:
            return False
        wide = 2.0 if self.decimals is not None else 1.0
        return all(
            abs(value - ratio * top) <= wide * self.tolerance * max(1.0, abs(value))
            for value, top in zip(values, tops, strict=True)
        )

    @staticmethod
    def _plain(output: str, value: float) -> float:
        return 1 - value if output == "one minus" else -value if output == "negative" else value

    def _settle_dcg(self, found: list[Formula], groups: Sequence[Sequence[Answer]]) -> None:
        self.formula = found[0]
        answers = [each for group in groups for each in group]
        for name in ("gain", "discount", "order", "output", "zeros"):
            self.evidence[name] = list(answers)
            values = list(dict.fromkeys(getattr(each, name) for each in found))
            if len(values) > 1:
                self.open[name] = values

    def _named_measure(self, answers: Sequence[Answer]) -> str | None:
        """Return the name of another measure that all values are of."""
        if not self._differ(answers) or any(each.value is None for each in answers):
            return None
        for name in _OTHER_MEASURES:
            own = measure(name)
            values = [float(own(*_arrays(each.probe.one))[0]) for each in answers]
            if all(self.is_close(value, each.value or 0.0) for value, each in zip(values, answers, strict=True)):
                return name
        return None

    def _measured_dcg(self, groups: Sequence[Sequence[Answer]], order: str) -> bool:
        """Measure discount and gain, where no usual formula fits: with the same labels, values are linear in both."""
        alone = [each.value for each in groups[0]]
        if any(value is None or not math.isfinite(value) for value in alone) or not alone[0]:
            return False
        weights = [(value or 0.0) / alone[0] for value in alone]
        deeper = [self._deeper(rank) for rank in range(_N, _N + 3)]
        weights += [value / alone[0] for value in deeper if value is not None]
        for discount in (
            *(each for each in DISCOUNTS[:-1] if self._has_weights(each.weights(len(weights), _N), weights)),
            measured_discount(weights, 10 * self.tolerance),
        ):
            base = replace(self.formula, discount=discount, order=order, output="value")
            if len(groups) == 1:
                self._settle_dcg([base], groups)
                return True
            gain = self._measured_gain(base, groups[1])
            if gain is not None:
                self._settle_dcg([replace(base, gain=gain)], groups)
                return True
        return False

    def _deeper(self, rank: int) -> float | None:
        return self.ask(self.query(self._single(_N + 4), self._rank_of(4, rank, _N + 4))).value

    def _has_weights(self, known: Sequence[float], weights: Sequence[float]) -> bool:
        return all(
            abs(each / known[0] - weight) <= 10 * self.tolerance for each, weight in zip(known, weights, strict=True)
        )

    def _measured_gain(self, base: Formula, group: Sequence[Answer]) -> Gain | None:
        labels = sorted({label for label in group[0].probe.one.labels.values() if label > 0})
        rows, values = [], []
        for answer in group:
            if answer.value is None or not math.isfinite(answer.value):
                return None
            units = []
            for label in labels:
                unit = replace(base, gain=Gain("", lambda each, label=label: float(each == label)))  # type: ignore[misc]
                units.append(unit.parts(answer.probe.one, answer.probe.k)[0])
            rows.append(units)
            values.append(answer.value)
        solved, *_ = np.linalg.lstsq(np.array(rows), np.array(values), rcond=None)
        if np.abs(np.array(rows) @ solved - values).max() > 10 * self.tolerance or not solved[0]:
            return None
        scaled = [0.0, *(solved / solved[0]).tolist()]
        highest = int(max(labels))
        by_label = dict(zip([0.0, *labels], scaled, strict=True))
        for known in GAINS:
            values_ = [known.of(label) for label in by_label]
            if (
                values_[0] == 0
                and values_[1]
                and all(abs(a / values_[1] - b) < 1e-7 for a, b in zip(values_, scaled, strict=True))
            ):
                return known
        return measured_gain([_tidy(by_label.get(float(label), math.nan)) for label in range(highest + 1)])

    def _divisor(self) -> None:
        """Find what the DCG is divided by, from lists with different labels."""
        graded = [[1, 0, 1, 0], [1, 1, 0, 1, 0], [0, 2, 0], [3, 1, 0, 1, 0], [2, 0, 2, 2, 0], [0, 3, 2, 0, 3, 1, 0]]
        plain = [[1, 0, 1, 0], [1, 1, 0, 1, 0], [0, 1, 0], [1, 1, 1, 0, 1, 0]]
        answers = list(self.evidence["gain"])
        for labels in graded if self.max_label > 1 else plain:
            own = [min(label, self.max_label) for label in labels]
            n = len(own)
            zero = max(place for place, label in enumerate(own) if not label)
            ranks = [rank for rank in self._shifted(n - 1)]
            ranks.insert(zero, n)
            answers.append(self.ask(self.query(own, ranks)))
        if self._try_ideals(answers):
            return
        for each in (each for group in self.open.items() for each in [group] if each[0] in ("gain", "discount")):
            # several gains or discounts were left: another of them may explain the divisor
            for value in each[1][1:]:
                before = self.formula
                self.formula = replace(before, **{each[0]: value})
                if self._try_ideals(answers):
                    return
                self.formula = before
        self.unexplained["ideal"] = answers[-1]

    @staticmethod
    def _shifted(n: int) -> list[int]:
        return [*range(2, n + 1), 1] if n > 1 else [1]

    def _try_ideals(self, answers: list[Answer]) -> bool:
        kinds = (
            "sorted",
            "none",
            "full",
            "highest",
            "unsorted",
            "ascending",
            "distinct",
            "gains",
            "documents",
            "relevant",
        )
        cuts = (self.formula.ideal_cut,) if self.formula.own_cutoff is None else (0, None, -1, 1)
        simple = [replace(self.formula, ideal=kind, ideal_cut=cut) for kind in kinds for cut in cuts]
        gains = [
            replace(self.formula, ideal_gain=gain) for gain in self._gains_for_ideal() if gain != self.formula.gain
        ]
        discounts = [
            replace(self.formula, ideal_discount=each) for each in DISCOUNTS[:-1] if each != self.formula.discount
        ]
        both = [replace(first, ideal_discount=second.ideal_discount) for first in gains for second in discounts]
        kinds_of = [
            replace(each, ideal=kind)
            for each in (*gains, *discounts)
            for kind in ("unsorted", "ascending", "distinct", "highest")
        ]
        scaled = [(each, True) for each in (*simple, *gains, *discounts)]
        for candidate, is_free in [
            *((each, False) for each in (*simple, *gains, *discounts, *both, *kinds_of)),
            *scaled,
        ]:
            scale = self._scale_of(candidate, answers) if is_free else 1.0
            if scale is None:
                continue
            whole = replace(candidate, scale=scale)
            if all(self.agrees(whole, answer) for answer in answers):
                self.formula = whole
                self.evidence["ideal"] = answers
                return True
        return False

    def _gains_for_ideal(self) -> list[Gain]:
        return [self.formula.gain, *GAINS]

    def _scale_of(self, candidate: Formula, answers: Sequence[Answer]) -> float | None:
        for answer in answers:
            try:
                top, bottom, _ = candidate.parts(answer.probe.one, answer.probe.k)
            except (Refused, ValueError):
                return None
            if answer.value and top and bottom and math.isfinite(answer.value):
                return _tidy(self._plain(candidate.output, answer.value) * bottom / top)
        return None

    def _long_lists(self) -> None:
        """Look at ranks far down: a cutoff of its own, or another discount there."""
        if "ideal" in self.unexplained or "table" in str(self.formula.discount):
            return
        if self.formula.own_cutoff is not None:
            own = self.formula.own_cutoff
            self._cut_choices([self._cut_probe(own, place) for place in range(4)], None)
        elif self.form.k is not None:
            answer = self._at_rank(40, k=_LONGEST)
            if not self.agrees(self.formula, answer):
                self._look_deeper(_LONGEST, answer)
            if self._has_default_k():
                self._own_cutoff(None)
        else:
            self._own_cutoff(None)

    def _has_default_k(self) -> bool:
        try:
            return (
                inspect.signature(self.caller.function).parameters[str(self.form.k)].default
                is not inspect.Parameter.empty
            )
        except (KeyError, TypeError, ValueError):
            return False

    def _at_rank(self, rank: int, k: int | None) -> Answer:
        return self.ask(self.query(self._single(_LONGEST), self._rank_of(4, rank, _LONGEST)), k=k)

    def _own_cutoff(self, k: int | None) -> None:
        """Find the rank below which nothing counts."""
        deepest = self._at_rank(_LONGEST - 1, k)
        if self.agrees(self.formula, deepest):
            self.evidence["own_cutoff"] = [deepest]
            return
        if deepest.value is None:
            self.notes.append((f"a list of {_LONGEST} documents is refused: {deepest}", deepest))
            return
        empty = self._plain(self.formula.output, deepest.value)
        if abs(empty) > self.tolerance:
            self._look_deeper(k, deepest)
            return
        low, high = 0 if k is None and self.form.k is not None else _N - 1, _LONGEST - 1
        hint = self._default_hint()
        while high - low > 1:
            middle = hint if hint is not None and low < hint < high else (low + high) // 2
            if hint is not None and low == hint:
                middle, hint = low + 1, None
            answer = self._at_rank(middle, k)
            counts = answer.value is not None and abs(self._plain(self.formula.output, answer.value)) > self.tolerance
            low, high = (middle, high) if counts else (low, middle)
        self.formula = replace(self.formula, own_cutoff=low)
        self.evidence["own_cutoff"] = [self._at_rank(low, k), self._at_rank(low + 1, k)] if low else [deepest]
        if self.form.k is None:
            self._cut_choices([self._cut_probe(low, place) for place in range(4)], None)

    def _default_hint(self) -> int | None:
        try:
            default = inspect.signature(self.caller.function).parameters[str(self.form.k)].default
        except (KeyError, TypeError, ValueError):
            return 10
        return default if isinstance(default, int) and not isinstance(default, bool) and default > 0 else 10

    def _look_deeper(self, k: int | None, answer: Answer) -> None:
        """The discount is another one further down."""
        self.unexplained["discount beyond rank 6"] = answer

    def _cut_probe(self, k: int, place: int) -> Query:
        """Return a list longer than k, with relevant documents on both sides of rank k."""
        n = k + 4
        rng = np.random.default_rng(10 + place)
        highest = min(self.max_label, 3)
        labels = [float(min(label, highest)) for label in rng.integers(0, 4, n)]
        ranks = (rng.permutation(n) + 1).tolist()
        at = {rank: index for index, rank in enumerate(ranks)}
        labels[at[1]], labels[at[k]], labels[at[k + 1]] = 1.0, float(highest), 1.0
        labels[at[k + 2]] = float(highest)
        return self.query(labels, ranks)

    def _cutoff(self) -> None:
        """Find what k does to the ranking and to the ideal."""
        if self.form.k is None or "ideal" in self.unexplained:
            return
        cuts = [(3, 0), (3, 1), (2, 2), (4, 3), (3, 4), (5, 5)]
        self._cut_choices([self._cut_probe(k, place) for k, place in cuts], [k for k, _ in cuts])

    def _cut_choices(self, queries: Sequence[Query], ks: Sequence[int] | None) -> None:
        answers = [self.ask(query, k=ks[place] if ks else None) for place, query in enumerate(queries)]
        offsets = (0, None, -1, 1)
        usual = {"cut": offsets, "ideal_cut": offsets, "pool": ("judged", "top")}
        for more in ({"cut_first": (False,)}, {"cut_first": (True,)}):
            found = self.narrow(answers, **usual, **more)
            if found:
                break
        if not found:
            found = self.narrow(answers, **usual, ideal=("full", "highest", "none", "gains", "documents", "relevant"))
        names = ("cut", "ideal_cut", "cut_first", "pool")
        for name in names:
            self.evidence.setdefault(name, []).extend(answers)
        if not found:
            self.unexplained["cutoff"] = self._first_failing(answers)
            return
        self.formula = found[0]
        for name in ("cut", "ideal_cut"):
            values = list(dict.fromkeys(getattr(each, name) for each in found))
            if len(values) > 1:
                self.open[name] = values

    def _short_lists(self) -> None:
        """Find what a k beyond the end of the list does."""
        if self.form.k is None or "cutoff" in self.unexplained or "ideal" in self.unexplained:
            return
        answers = [self.ask(self.query([1, 0, min(2, self.max_label)], ranks), k=8) for ranks in ([2, 1, 3], [1, 3, 2])]
        kinds = (
            (self.formula.ideal, f"{self.formula.ideal} within n")
            if self.formula.ideal in ("full", "highest")
            else (self.formula.ideal,)
        )
        self.settle(answers, short=("as is", "zero", "error"), **({"ideal": kinds} if len(kinds) > 1 else {}))

    def _empty(self) -> None:
        """Find the value of a list without a relevant document."""
        if self.formula.ideal == "none":
            return
        answer = self.ask(self.query([0, 0, 0], [2, 1, 3]))
        self.settle([answer], empty=(0.0, 1.0, "nan", "error"))
        single = self.ask(self.query([self.unit], [1]))
        if not self.agrees(self.formula, single):
            self.least = 2
            self.notes.append((f"a list of one document gives {single}", single))

    def _ties(self) -> None:
        """Find the order of equal scores."""
        if not self.form.has_scores or self.by_input:
            return
        highest = min(self.max_label, 2)
        first = ranking([highest, 0, 1, 0], scores=[1.0] * 4, zeros_judged=self.zeros_judged)
        answers = [self.ask(first)]
        again = self.caller.ask(answers[0].probe, again=True)
        if (
            answers[0].value is not None
            and again.value is not None
            and not self.is_close(answers[0].value, again.value)
        ):
            self.evidence["ties"] = [answers[0], again]
            self.unexplained["ties"] = again
            self.formula = replace(self.formula, ties="random")
            return
        answers += [
            self.ask(ranking([0, 1, 0, highest], scores=[1.0] * 4, zeros_judged=self.zeros_judged)),
            self.ask(ranking([0, highest, 1, 0, 1], scores=[2.0, 1.0, 1.0, 2.0, 1.0], zeros_judged=self.zeros_judged)),
        ]
        names = _TIES if self.form.has_names else tuple(each for each in _TIES if not each.startswith("docid"))
        if not self.settle(answers, ties=names):
            self.formula = replace(self.formula, ties="undefined")
            return
        if "table" in str(self.formula.discount):
            return
        n = 40
        labels = [0.0] * n
        labels[11] = self.unit
        long = self.ask(ranking(labels, scores=[1.0] * n, zeros_judged=self.zeros_judged, ids=doc_ids(n)))
        self.evidence["ties"].append(long)
        if not self.agrees(self.formula, long):
            words = f"equal scores in a list of {n} documents are not in the order that they have in short ones"
            self.notes.append((words, long))
            self.open["ties"] = [self.formula.ties, "undefined"]

    def _documents(self) -> None:
        """Find what documents that are judged and not retrieved, or retrieved and not judged, do."""
        if not self.form.has_ids or "ideal" in self.unexplained:
            return
        two, three = min(2, self.max_label), min(3, self.max_label)
        missed = [
            (self.query([1, 0, two], [2, 1, 3], unretrieved=[three]), "all"),
            (self.query([1, 0, two, 0], [1, 2, 3, 4], unretrieved=[1, three]), "all"),
        ]
        if self.form.k is not None:
            missed += [
                (self.query([1, 0, two, 0], [1, 2, 3, 4], unretrieved=[two, three, 1]), 2),
                (self.query([0, 1, two, 0], [1, 2, 3, 4], unretrieved=[two]), 3),
            ]
            if self.formula.short == "as is" and "short" not in self.unexplained:
                missed.append((self.query([1, 0, two], [2, 1, 3], unretrieved=[three, two, 1]), 8))
        else:
            missed.append((self.query([1, 0], [2, 1], unretrieved=[three, two]), None))
        answers = [self.ask(query, k=k) for query, k in missed]
        pools = ("judged", "retrieved", "top") if self.formula.pool != "top" else ("top",)
        # where all judged documents were retrieved, these could not be told apart
        same = {None: ["retrieved"], 0: ["least"]}
        offsets = [
            each for cut in self.open.pop("ideal_cut", [self.formula.ideal_cut]) for each in (cut, *same.get(cut, ()))
        ]
        found = self.settle(answers, pool=pools, unretrieved=("absent", "appended"), ideal_cut=offsets)
        if found and "pool" in self.open and self.formula.pool != "top":
            self.open.pop("pool")
        if self.form.has_names:
            unjudged = [
                self.query([None, two, None, 1, 0], [1, 3, 4, 2, 5]),
                self.query([1, None, 0, two], [2, 1, 3, 4]),
            ]
            self.settle([self.ask(each) for each in unjudged], unjudged=("zero", "nothing", "drop"))
            if not self.zeros_judged:
                zero = ranking([0, 1, 0, two], [1, 2, 3, 4])
                self.settle([self.ask(zero)], gain=(self.formula.gain, GAINS[-1]))

    def _labels(self) -> None:
        """Find what negative, fractional and large labels do."""
        if not self.form.is_graded or self.max_label < 2:
            return
        negative = [
            self.ask(self.query([2, -1, 1, 0], [2, 1, 3, 4])),
            self.ask(self.query([2, 0, 1, -1], [2, 1, 4, 3])),
        ]
        self.settle(negative, negative=("error", "keep", "unjudged", "zero", "drop", "absolute"))
        if self.formula.negative == "keep" and "negative" not in self.open and "negative" not in self.unexplained:
            self.settle([self.ask(self.query([1, -5], [2, 1]))], negative_ideal=("divide", "empty"))
        fractional = [
            self.ask(self.query([0.3, 0.5, 2.6, 1.5, 0.7, 0], ranks))
            for ranks in ([2, 3, 4, 1, 5, 6], [1, 5, 3, 4, 2, 6])
        ]
        gains = [self.formula.gain]
        if self.formula.gain.name.startswith("1 for a label"):
            gains = [binary(1), binary(0, above=True), binary(0.5), binary(0.5, above=True), self.formula.gain]
        self.open.pop("gain", None)
        kinds = ("float", "truncated", "rounded", "rounded up", "integer")
        if "table" in str(self.formula.gain):  # measured for whole labels only
            if "negative" in self.unexplained:
                self.notes.append(
                    ("negative labels have a gain that was not measured", self.unexplained.pop("negative"))
                )
            self.settle(fractional, labels=("integer", "truncated", "rounded", "rounded up"))
            if "labels" in self.unexplained:
                self.notes.append(
                    ("fractional labels have a gain that was not measured", self.unexplained.pop("labels"))
                )
            return
        self.settle(fractional, labels=kinds, gain=gains)
        self._large_labels()

    def _large_labels(self) -> None:
        answer = self.ask(self.query([40, 1, 0], [2, 1, 3]))
        if answer.value is None:
            low, high = self.max_label, 40
            for hint in (30, 31, None, None, None, None, None, None):
                if high - low <= 1:
                    break
                middle = hint if hint is not None and low < hint < high else (low + high) // 2
                found = self.ask(self.query([middle, 1, 0], [2, 1, 3]))
                low, high = (low, middle) if found.value is None else (middle, high)
            self.formula = replace(self.formula, highest=float(low))
            self.evidence["highest"] = [answer, found]
        elif not self.agrees(self.formula, answer):
            self.notes.append(
                (f"large labels: the formula does not hold for a label of 40, which gives {answer}", answer)
            )
        else:
            self.evidence["highest"] = [answer]
            if self.formula.gain.name.startswith("2^"):
                large = self.ask(self.query([70, 69, 0], [2, 1, 3]))
                if not self.agrees(self.formula, large):
                    self.notes.append(
                        (f"large labels: the formula does not hold for a label of 70, which gives {large}", large)
                    )

    def _duplicates(self) -> None:
        """Find what a document that is retrieved twice does."""
        if not self.form.has_duplicates:
            return
        docs = doc_ids(3)
        twice = [docs[0], docs[1], docs[0], docs[2]]
        ranked = tuple((doc, 4.5 - place) for place, doc in enumerate(twice))
        judged = ((docs[0], self.unit), *(((docs[1], 0.0),) if self.zeros_judged else ()), (docs[2], self.unit))
        self.settle([self.ask(Query(ranked, judged))], duplicates=("each", "first", "last", "once", "error"))

    def _queries(self) -> None:
        """Find how the values of queries become one."""
        if not self.form.has_queries:
            return
        two, three = min(2, self.max_label), min(3, self.max_label)
        first = self.query([1, 0, 0, 0], [3, 1, 2, 4])
        second = self.query([three, two, 1, 0, 0, 0], [3, 2, 1, 4, 5, 6])
        if not self.can_ask(first, second):  # a matrix
            second = self.query([three, two, 1, 0], [3, 2, 1, 4])
        third = self.query([0, two, 0, two], [1, 4, 2, 3])
        answers = [self.ask(first, second), self.ask(third, first, second)]
        averages = ("mean", "pooled", "documents", "relevant", "sum", "median", "first", "last")
        if not self.settle(answers, average=averages):
            return
        nothing = self.query([0, 0, 0, 0], [3, 1, 2, 4])
        if self.formula.empty in (0.0, 1.0, "nan"):
            single = [each for each in self.evidence.get("empty", [])]
            with_empty = [self.ask(first, nothing), self.ask(nothing, second)]
            options = [self.formula.empty, "skip", 0.0, 1.0, "nan"]
            self.evidence.setdefault("empty", []).extend(with_empty)
            found = self.narrow(with_empty, empty=dict.fromkeys(options))
            if found:
                self.formula = found[0]
            else:
                self.unexplained["empty"] = with_empty[0]
            del single
        if self.form.has_missing_queries:
            missing = Query(None, second.judged)
            self.settle([self.ask(first, missing)], missing=(0.0, "drop", "error", "empty"))
            extra = Query(second.ranked, None)
            self.settle([self.ask(first, extra)], extra=("ignored", "zero", "error"))

    def _precision(self) -> None:
        """Find out whether scores are compared in single precision."""
        if not self.form.has_scores or self.by_input or self.formula.ties in ("undefined", "random"):
            return
        close = [
            ranking([1, 0, 0], scores=scores, zeros_judged=self.zeros_judged)
            for scores in ([1.0, 1.0 + 1e-9, 0.5], [1.0 + 1e-9, 1.0, 0.5])
        ]
        self.settle([self.ask(each) for each in close], precision=("float64", "float32"))

    # checking

    def check(self) -> None:
        """Compare the formula with the function on drawn lists of every kind that was understood."""
        is_known = not (self.changing or self.is_constant or self.other_measure or self.by_magnitude)
        if not is_known or {"formula", "ideal"} & self.unexplained.keys():
            return
        try:
            for place in range(60):
                if self.caller.left <= 6 or self.n_checked >= 24:
                    break
                probe = self._drawn(place)
                if not self.form.can_express(probe):
                    continue
                answer = self.caller.ask(probe)
                self.n_checked += 1
                if self.agrees(self.formula, answer):
                    self.n_agreeing += 1
                elif self.failed is None or probe.size < self.failed.probe.size:
                    self.failed = answer
            first = next(each for (form, _), each in self.caller.known.items() if form == self.form)
            again = self.caller.ask(first.probe, again=True)
            if first.value is not None and again.value is not None and not self.is_close(first.value, again.value):
                self.changing = (first, again)
        except OutOfCalls:
            pass
        if self.failed is not None:
            self._shrink()

    def _drawn(self, place: int) -> Probe:
        rng = self.rng
        n_queries = (
            int(rng.integers(2, 4))
            if self.form.has_queries and place % 5 == 4 and "average" not in self.unexplained
            else 1
        )
        has_cut = self.form.k is not None and "cutoff" not in self.unexplained
        n = int(rng.integers(self.least if place % 7 == 6 else 2, 9))
        queries = tuple(self._drawn_query(n, place) for _ in range(n_queries))
        ks = [n, *range(1, n), *([n + 2] if "short" not in self.unexplained else [])]
        k = int(rng.choice(ks)) if has_cut else n if self.form.k is not None else None
        return Probe(queries, k)

    def _drawn_query(self, n: int, place: int) -> Query:
        rng = self.rng
        labels: list[float | None] = [float(label) for label in rng.integers(0, self.max_label + 1, n)]
        if not any(labels):
            labels[int(rng.integers(n))] = 1.0
        if (
            place % 6 == 5
            and self.formula.labels == "float"
            and "table" not in str(self.formula.gain)
            and self.max_label > 1
        ):
            if "labels" not in self.unexplained and "gain" not in self.unexplained and "labels" in self.evidence:
                labels = [(label or 0.0) + 0.25 for label in labels]
        missed: list[float] = []
        if self.form.has_ids and place % 2 and "pool" not in self.unexplained:
            missed = [float(label) for label in rng.integers(1, self.max_label + 1, int(rng.integers(1, 4)))]
            if self.form.has_names and "unjudged" not in self.unexplained and n > 2:
                labels[int(rng.integers(n))] = None
        ranks = (rng.permutation(n) + 1).tolist()
        tied = (
            self.form.has_scores
            and place % 3 == 2
            and not self.by_input
            and self.formula.ties in _TIES
            and "ties" not in self.unexplained
        )
        if tied and not (self.formula.pool == "top" and self.formula.ties == "average"):
            return self.query(labels, scores=[float(each) for each in rng.integers(1, 4, n)], unretrieved=missed)
        return self.query(labels, ranks, unretrieved=missed)

    def _shrink(self) -> None:
        """Make the list that the formula does not explain smaller."""
        assert self.failed is not None
        progress = True
        while progress and self.caller.left > 0:
            progress = False
            for probe in _smaller(self.failed.probe):
                if self.caller.left <= 0 or not self.form.can_express(probe):
                    continue
                answer = self.caller.ask(probe)
                if not self.agrees(self.formula, answer):
                    self.failed, progress = answer, True
                    break


def _smaller(probe: Probe) -> Iterable[Probe]:
    """Yield the probe without one query, or without one document."""
    if len(probe.queries) > 1:
        for place in range(len(probe.queries)):
            yield replace(probe, queries=probe.queries[:place] + probe.queries[place + 1 :])
        return
    query = probe.one
    rows = query.ranked or ()
    k = probe.k
    for place in range(len(rows) - 1, -1, -1):
        doc = rows[place][0]
        rest = rows[:place] + rows[place + 1 :]
        if rest:
            judged = tuple(row for row in query.judged or () if row[0] != doc)
            yield Probe((Query(rest, judged),), k if k is None or k < len(rows) else len(rest))
    for doc in query.unretrieved:
        yield Probe((Query(rows, tuple(row for row in query.judged or () if row[0] != doc)),), k)


def _arrays(query: Query) -> tuple[list[float], list[float]]:
    labels = query.labels
    return [labels.get(doc, 0.0) for doc in query.docs], [score for _, score in query.ranked or ()]


def _tidy(value: float) -> float:
    """Return a measured number without its rounding error, if it is close to one of few digits."""
    return round(value, 9) if abs(round(value, 9) - value) < 1e-10 * max(1.0, abs(value)) else value
