"""Finding out what a function takes."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from idealrank.identification.calling_forms import Form
from idealrank.identification.elimination import Inquiry
from idealrank.identification.function_calls import Answer
from idealrank.identification.guessing import variants
from idealrank.identification.probes import Probe, Query, ranking

__all__ = ["CallingForm"]

#: No value of a list with labels 0 and 1.
_NONSENSE = 1000.0
#: Forms that are tried with all containers before the next one is.
_LIKELY = 4


class CallingForm(Inquiry):
    """The stage that finds out what a function takes."""

    def find_form(self, forms: Sequence[Form]) -> bool:
        """Find out what the function takes; return whether it returned a number for anything."""
        labels = [0, 1, 0, 0, 1, 0]
        good = ranking(labels, [4, 1, 3, 5, 2, 6])
        bad = ranking(labels, [2, 4, 1, 3, 5, 6])
        moved = ranking([1, 0, 0, 0, 0, 1], [2, 1, 3, 6, 4, 5])
        #: 0: ranks as given, 1: depends on the scores themselves, 2: gives no number, 3: always gives the same one
        fallbacks: list[tuple[int, Form]] = []
        constant: list[Form] = []
        first_form: Form | None = None
        most = self.caller.max_calls // 2
        for form in self._in_turn(forms):
            if self.caller.n_calls >= most:
                break
            if fallbacks and fallbacks[0][0] == 0 and (form.has_scores or "relevant" not in form.bare):
                continue  # documents are ranked as given: by ids, or with ignored scores
            if form.words in [each.words for each in (*constant, *(known for _, known in fallbacks))]:
                continue
            k = 6 if form.k is not None else None
            answer = self.caller.ask(Probe((good,), k), form=form)
            if answer.value is None:
                self.tried.append((form, answer))
                if "ZeroDivision" in answer.error:
                    fallbacks.append((2, form))
                continue
            if not answer.is_number:
                fallbacks.append((2, form))
                continue
            if abs(answer.value) > _NONSENSE:  # ids were interpreted as numbers
                continue
            first_form = first_form or form
            again = self.caller.ask(Probe((good,), k), form=form, again=True)
            if not _repeats(answer, again):
                self.caller.form, self.changing = first_form, (answer, again)
                return True
            answers = [answer, *(self.caller.ask(Probe((each,), k), form=form) for each in (bad, moved))]
            if not self._differ(answers):
                if form.is_suggested and self._looks_closer(form, good, bad, moved):
                    return True
                constant.append(form)
                continue
            found = self._accepted(form, answers, [good, bad], k)
            if found == "yes" and form.has_scores and not self._differ(answers[:2]):
                fallbacks.insert(0, (0, form))
            elif found == "yes":
                self.caller.form = form
                self.by_input = not self._differ(answers[:2])
                return True
            elif found == "by magnitude":
                fallbacks.append((1, form))
                if form.is_suggested:
                    break
        if not fallbacks or fallbacks[0][0] > 0:
            for form in constant:
                if self._looks_closer(form, good, bad, moved):
                    return True
                fallbacks.append((3, form))
        if not fallbacks:
            return False
        rank, self.caller.form = min(fallbacks, key=lambda each: each[0])
        if rank == 1:
            probe = Probe((good,), 6 if self.form.k is not None else None)
            first, again = self.caller.ask(probe), self.caller.ask(probe, again=True)
            if not _repeats(first, again):
                self.changing = (first, again)  # values differ from call to call, not because of the scores
            else:
                self.by_magnitude = first
        self.by_input = rank == 0
        self.is_constant = rank == 3
        return True

    @staticmethod
    def _in_turn(forms: Sequence[Form]) -> Iterator[Form]:
        """Yield the forms with the containers that each is likely to take, the likeliest forms first."""
        first, later = forms[:_LIKELY], forms[_LIKELY:]
        yield from (variant for form in first for variant in variants(form))
        rounds = itertools.zip_longest(*(variants(form) for form in later))
        yield from (variant for turn in rounds for variant in turn if variant is not None)

    def _accepted(self, form: Form, answers: Sequence[Answer], tested: Sequence[Query], k: int | None) -> str:
        """Return whether a form whose values differ is the right one: "yes", "no" or "by magnitude"."""
        if form.has_scores and not self._is_invariant(tested, k, form):
            return "by magnitude"
        if form.has_names and not all(self._ignores_ids(each, k, form) for each in tested):
            return "no"  # ids were interpreted as something else
        return "yes"

    def _looks_closer(self, form: Form, good: Query, bad: Query, moved: Query) -> bool:
        """Find what matters to a function that returned one value for all lists: grades, a cutoff, or no zeros."""
        k = 6 if form.k is not None else None
        tested = [good, bad]
        answers: list[Answer] = []
        if form.is_graded:
            grades = [0, 1, 0, 0, 2, 0]
            graded = [ranking(grades, [4, 2, 3, 5, 1, 6]), ranking(grades, [2, 4, 1, 3, 5, 6])]
            graded.append(ranking([1, 0, 0, 0, 0, 2], [2, 1, 3, 6, 4, 5]))
            others = [self.caller.ask(Probe((each,), k), form=form) for each in graded]
            if self._differ(others[:1] + others[2:]) or self._differ(others[:2]):
                answers, tested = others, graded[:2]
        if not answers and form.k is not None:  # without a discount, only a cutoff matters
            others = [self.caller.ask(Probe((each,), 3), form=form) for each in (good, bad, moved)]
            answers, k = (others, 3) if self._differ(others) else ([], k)
        if not answers:
            if not (form.has_names and form.is_graded):
                return False
            without = [
                Probe((Query(each.ranked, tuple(row for row in each.judged or () if row[1])),), k) for each in tested
            ]
            if not self._differ([self.caller.ask(each, form=form) for each in without]):
                return False
            self.caller.form, self.zeros_judged = form, False
            return True
        if self._accepted(form, answers, tested, k) != "yes":
            return False
        self.caller.form = form
        self.by_input = not self._differ(answers[:2])
        return True

    def _ignores_ids(self, query: Query, k: int | None, form: Form) -> bool:
        """Return whether other ids of the same documents give the same value."""
        names = {doc: chr(ord("a") + place) * (place + 1) for place, doc in enumerate(dict(query.ranked or ()))}
        ranked = tuple((names[doc], score) for doc, score in query.ranked or ())
        judged = tuple((names[doc], label) for doc, label in query.judged or ())
        values = [self.caller.ask(Probe((each,), k), form=form).value for each in (query, Query(ranked, judged))]
        return None not in values and abs((values[0] or 0.0) - (values[1] or 0.0)) < 1e-6

    def _is_invariant(self, queries: Sequence[Query], k: int | None, form: Form) -> bool:
        """Return whether only the order of the scores matters; for labels, their size matters too."""
        for query in queries:
            assert query.ranked is not None
            # with one digit before the point, so that scores may also be compared as text
            stretched = tuple((doc, 1 + 8 * (score / 8) ** 3) for doc, score in query.ranked)
            both = [self.caller.ask(Probe((each,), k), form=form) for each in (query, Query(stretched, query.judged))]
            values = [each.value for each in both if each.value is not None]
            if len(values) < 2 or abs(values[0] - values[1]) > 1e-6:
                return False
        return True


def _repeats(first: Answer, again: Answer) -> bool:
    """Return whether the same call returned the same number twice."""
    if first.value is None or again.value is None:
        return False
    differs = abs(again.value - first.value) > 1e-12
    return not differs
