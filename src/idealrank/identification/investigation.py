"""What an unknown function computes, found by elimination: all stages, then a check on drawn lists."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from idealrank.identification.choice_stages import TIES, ChoiceStages
from idealrank.identification.function_calls import OutOfCalls
from idealrank.identification.probes import Probe, Query

__all__ = ["Investigation"]


class Investigation(ChoiceStages):
    """All stages, and the check of what they found."""

    def run(self) -> None:
        """Go through all stages, as far as calls last."""
        if self.changing is not None or self.is_constant or self.by_magnitude is not None:
            return
        try:
            for stage in self._stages():
                stage()
                if self.other_measure is not None or {"formula", "ideal"} & self.unexplained.keys():
                    break
        except OutOfCalls:
            self.notes.append(("the budget of calls ended before every choice was tried", self._any_answer()))

    def _stages(self) -> list[Callable[[], None]]:
        found: list[Callable[[], None]] = [self._dcg, self._divisor, self._long_lists, self._cutoff]
        found += [self._default_cutoff, self._short_lists, self._empty, self._ties, self._documents, self._labels]
        return [*found, self._duplicates, self._queries, self._precision]

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
        takes_fractions = (
            self.formula.labels == "float" and "table" not in str(self.formula.gain) and self.max_label > 1
        )
        is_known = "labels" in self.evidence and not {"labels", "gain"} & self.unexplained.keys()
        if place % 6 == 5 and takes_fractions and is_known:
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
            and (self.formula.ties in TIES or self.formula.ties.startswith("shared"))
            and "ties" not in self.unexplained
        )
        if tied and not (self.formula.pool == "top" and self.formula.ties == "average"):
            return self.query(labels, scores=[float(each) for each in rng.integers(1, 4, n)], unretrieved=missed)
        return self.query(labels, ranks, unretrieved=missed)

    def _shrink(self) -> None:
        """Reduce the list that the formula does not explain."""
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
