"""Finding the formula itself: order, gain, discount, and what the DCG is divided by."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from idealrank.identification.calling_form import CallingForm
from idealrank.identification.elimination import N_DOCS
from idealrank.identification.function_calls import Answer
from idealrank.identification.gains_and_discounts import (
    DISCOUNTS,
    GAINS,
    GAINS_OF_SOME_LABELS,
    GainShape,
    measured_discount,
    measured_gain,
)
from idealrank.identification.ndcg_formulas import Formula, Refused
from idealrank.identification.probes import Query
from idealrank.measures import measure

__all__ = ["FormulaStages"]

_OTHER_MEASURES = ("ap", "rr", "err(max_label=5)", "rbp", "auc", "r_precision", "linear_ndcg")
_STARTS_AT_ONE = DISCOUNTS[-1]
_FRACTIONS = (0.5, 0.1, 0.2, 0.25, 0.3, 0.4, 0.6, 0.7, 0.75, 0.8, 0.9)
#: What is done to values; the usual first.
_OUTPUTS = tuple({"output": output} for output in ("value", "one minus", "negative", "squared", "root"))
#: What few functions do to the DCG, to ranks or to labels.
_UNUSUAL: tuple[dict[str, Any], ...] = (
    {"baseline": "worst"},
    {"baseline": "random"},
    {"counted": "first"},
    {"relative": True},
)


class FormulaStages(CallingForm):
    """The stages that find the DCG and its divisor."""

    def _dcg(self) -> None:
        """Find order, gain and discount: for the same labels, values are proportional to the DCG of the rankings."""
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
        orders = ["input"] if self.by_input else ["descending", "ascending", "argsort"]
        if self._find_numerator(groups, orders, _OUTPUTS):
            return
        self.other_measure = self._named_measure([each for group in groups for each in group])
        if self.other_measure is not None or self._find_numerator(groups, orders, _UNUSUAL):
            return
        self._shallow_cutoff(alone)
        if self.formula.own_cutoff is not None and self._find_numerator(groups, orders, _OUTPUTS):
            return
        if self.formula.own_cutoff is not None:  # the ideal may depend on the documents at the top
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
        if not self._measured_dcg(groups, orders[0]):
            self.unexplained["formula"] = alone[0]

    def _find_numerator(
        self, groups: Sequence[Sequence[Answer]], orders: Sequence[str], kinds: Sequence[Mapping[str, Any]]
    ) -> bool:
        # if rank 1 does not count, lists with one relevant document tell nothing
        telling = [group for group in groups if any(each.value for each in group)]
        for kind in kinds if telling else ():
            found = self._numerators(telling, kind, orders)
            if found:
                self._settle_dcg(found, groups)
                return True
        return False

    def _alone(self) -> list[Answer]:
        """Ask about lists with one relevant document, at each of the first ranks."""
        return [self.ask(self.query(self._single(N_DOCS), self._rank_of(4, rank))) for rank in range(1, N_DOCS)]

    def _shallow_cutoff(self, alone: Sequence[Answer]) -> None:
        """Find a built-in cutoff before the last rank that was tried."""
        counted = [bool(each.value) for each in alone]
        n_counted = sum(counted)
        if 0 < n_counted < len(alone) and self.form.k is None:
            cutoff = n_counted if counted[0] else n_counted + 1  # otherwise, the list is ranked from its end
            self.formula = replace(self.formula, own_cutoff=cutoff)
            self.evidence["own_cutoff"] = [alone[n_counted - 1], alone[n_counted]] if counted[0] else list(alone[:2])

    def _is_broken(self, alone: Sequence[Answer]) -> bool:
        """Return whether no value is a number, for example because a discount divides by log2(1) = 0."""
        if alone[0].is_number or any(each.is_number and each.value for each in alone):
            return False
        self.formula = replace(self.formula, discount=_STARTS_AT_ONE)
        self.evidence["discount"] = list(alone)
        self.unexplained["formula"] = alone[0]
        return True

    def _permutations(self, labels: Sequence[float]) -> list[list[int]]:
        """Return ranks of the documents; the last document always has label 0, so that k may be off by one."""
        rng = np.random.default_rng(3)
        zeros = [place for place, label in enumerate(labels) if not label]
        found: list[list[int]] = []
        while len(found) < N_DOCS:
            last = zeros[len(found) % len(zeros)]
            ranks = (rng.permutation(len(labels) - 1) + 1).tolist()
            ranks.insert(last, len(labels))
            if ranks not in found:
                found.append(ranks)
        return found

    def _measure_precision(self, answers: Sequence[Answer]) -> None:
        """Find out whether values are rounded, or have single precision."""
        values = [each.value for each in answers if each.value is not None and math.isfinite(each.value)]
        for decimals in range(1, 8):
            is_rounded = all(abs(round(value, decimals) - value) < 1e-12 for value in values) and len(set(values)) > 1
            if is_rounded and any(abs(value - round(value * 2) / 2) > 1e-12 for value in values):
                self.decimals, self.tolerance = decimals, 0.5000001 * 10.0**-decimals
                return
        is_single = all(each.dtype == "float32" for each in answers if each.value is not None)
        is_single |= all(float(np.float32(value)) == value for value in values)
        if is_single and any(value not in (0.0, 1.0, 0.5) for value in values):
            self.tolerance = 3e-6

    def _numerators(
        self, groups: Sequence[Sequence[Answer]], kind: Mapping[str, Any], orders: Sequence[str]
    ) -> list[Formula]:
        """Return the formulas whose DCG is proportional to the values, group by group."""
        found = []
        is_usual = kind.keys() <= {"output"}
        zeros = ("kept", "dropped") if is_usual else ("kept",)
        for zero, order, gain, discount in itertools.product(
            zeros, orders if is_usual else orders[:1], GAINS, DISCOUNTS[:-1]
        ):
            choices: dict[str, Any] = {"gain": gain, "discount": discount, "order": order, "zeros": zero}
            candidate = replace(self.formula, ties="stable", **choices, **kind)
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

    def _settle_dcg(self, found: list[Formula], groups: Sequence[Sequence[Answer]]) -> None:
        self.formula = found[0]
        answers = [each for group in groups for each in group]
        for name in ("gain", "discount", "order", "output", "zeros", "baseline", "counted", "relative"):
            self.evidence[name] = list(answers)
            values = list(dict.fromkeys(getattr(each, name) for each in found))
            if len(values) > 1:
                self.open[name] = values

    def _named_measure(self, answers: Sequence[Answer]) -> str | None:
        """Return the name of another measure that explains all values."""
        if not self._differ(answers) or any(each.value is None for each in answers):
            return None
        for name in _OTHER_MEASURES:
            own = measure(name)
            values = [float(own(*_arrays(each.probe.one))[0]) for each in answers]
            if all(self.is_close(value, each.value or 0.0) for value, each in zip(values, answers, strict=True)):
                return name
        return None

    def _measured_dcg(self, groups: Sequence[Sequence[Answer]], order: str) -> bool:
        """Measure discount and gain if no common formula fits: for the same labels, values are linear in both."""
        alone = [each.value for each in groups[0]]
        unit = next((value for value in alone if value), None)
        if unit is None or any(value is None or not math.isfinite(value) for value in alone):
            return False
        weights = [(value or 0.0) / unit for value in alone]
        deeper = [self._deeper(rank) for rank in range(N_DOCS, N_DOCS + 3)]
        weights += [value / unit for value in deeper if value is not None]
        for discount in (
            *(each for each in DISCOUNTS[:-1] if self._has_weights(each.weights(len(weights), N_DOCS), weights)),
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
        return self.ask(self.query(self._single(N_DOCS + 4), self._rank_of(4, rank, N_DOCS + 4))).value

    def _has_weights(self, known: Sequence[float], weights: Sequence[float]) -> bool:
        unit = next(each for each in known if each)
        return all(
            abs(each / unit - weight) <= 10 * self.tolerance for each, weight in zip(known, weights, strict=True)
        )

    def _measured_gain(self, base: Formula, group: Sequence[Answer]) -> GainShape | None:
        labels = sorted({label for label in group[0].probe.one.labels.values() if label > 0})
        rows, values = [], []
        for answer in group:
            if answer.value is None or not math.isfinite(answer.value):
                return None
            units = []
            for label in labels:
                unit = replace(base, gain=GainShape("", lambda each, label=label: float(each == label)))  # type: ignore[misc]
                units.append(unit.parts(answer.probe.one, answer.probe.k)[0])
            rows.append(units)
            values.append(answer.value)
        solved, *_ = np.linalg.lstsq(np.array(rows), np.array(values), rcond=None)
        if np.abs(np.array(rows) @ solved - values).max() > 10 * self.tolerance or not solved.any():
            return None
        unit = solved[np.abs(solved) > 10 * self.tolerance][0]
        by_label = dict(zip([0.0, *labels], [0.0, *(solved / unit).tolist()], strict=True))
        return measured_gain([_tidy(by_label.get(float(each), math.nan)) for each in range(int(max(labels)) + 1)], 1e-7)

    def _divisor(self) -> None:
        """Find what the DCG is divided by, from lists with different labels."""
        graded = [[1, 0, 1, 0], [1, 1, 0, 1, 0], [0, 2, 0], [3, 1, 0, 1, 0], [2, 0, 2, 2, 0], [0, 3, 2, 0, 3, 1, 0]]
        plain = [[1, 0, 1, 0], [1, 1, 0, 1, 0], [0, 1, 0], [1, 1, 1, 0, 1, 0]]
        answers = list(self.evidence["gain"])
        for labels in graded if self.max_label > 1 else plain:
            own = [min(label, self.max_label) for label in labels]
            n = len(own)
            zero = max(place for place, label in enumerate(own) if not label)
            ranks = self._shifted(n - 1)
            ranks.insert(zero, n)
            answers.append(self.ask(self.query(own, ranks)))
        if self._try_ideals(answers):
            return
        for each in (each for group in self.open.items() for each in [group] if each[0] in ("gain", "discount")):
            # several gains or discounts are left: another one may explain the divisor
            for value in each[1][1:]:
                before = self.formula
                self.formula = replace(before, **{each[0]: value})
                if self._try_ideals(answers):
                    return
                self.formula = before
        if not self._try_fractions(answers) and not self._try_truncation(answers):
            self.unexplained["ideal"] = answers[-1]

    def _try_fractions(self, answers: list[Answer]) -> bool:
        """Try a cutoff at a fraction of the list, if there is one at a rank."""
        before = self.formula
        for fraction in _FRACTIONS if isinstance(before.own_cutoff, int) else ():
            self.formula = replace(before, own_cutoff=fraction)
            if max(1, math.floor(fraction * N_DOCS)) == before.own_cutoff and self._try_ideals(answers):
                return True
        self.formula = before
        return False

    def _try_truncation(self, answers: list[Answer]) -> bool:
        """Try truncated decimals, if values seem to be rounded."""
        self.truncates = self.decimals is not None
        self.truncates = self.truncates and self._try_ideals(answers)
        return self.truncates

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
        shifted = [self._with_addend(each, answers) for each in (*simple, *gains, *discounts)]
        added = [each for each in shifted if each is not None]
        scaled = [(each, True) for each in (*simple, *gains, *discounts)]
        for candidate, is_free in [
            *((each, False) for each in (*simple, *added, *gains, *discounts, *both, *kinds_of)),
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

    def _with_addend(self, candidate: Formula, answers: Sequence[Answer]) -> Formula | None:
        """Return the formula with the number to add to the ideal DCG for the first answer, such as 1e-8 or 1."""
        for answer in answers:
            try:
                top, bottom, _ = candidate.parts(answer.probe.one, answer.probe.k)
            except (Refused, ValueError):
                return None
            value = self._plain(candidate.output, answer.value or 0.0)
            if candidate.ideal != "none" and value and top and bottom and math.isfinite(value):
                missing = top / value - bottom
                short = float(f"{missing:.3g}")
                return replace(candidate, added=short) if abs(short - missing) < 1e-9 * max(1, abs(short)) else None
        return None

    def _gains_for_ideal(self) -> list[GainShape]:
        return [self.formula.gain, *GAINS, *GAINS_OF_SOME_LABELS]

    def _scale_of(self, candidate: Formula, answers: Sequence[Answer]) -> float | None:
        for answer in answers:
            try:
                top, bottom, _ = candidate.parts(answer.probe.one, answer.probe.k)
            except (Refused, ValueError):
                return None
            if answer.value and top and bottom and math.isfinite(answer.value):
                return _tidy(self._plain(candidate.output, answer.value) * bottom / top)
        return None


def _arrays(query: Query) -> tuple[list[float], list[float]]:
    labels = query.labels
    return [labels.get(doc, 0.0) for doc in query.docs], [score for _, score in query.ranked or ()]


def _tidy(value: float) -> float:
    """Return a measured number without its rounding error, if it is close to one of few digits."""
    return round(value, 9) if abs(round(value, 9) - value) < 1e-10 * max(1.0, abs(value)) else value
