"""Finding out what a function takes."""

from __future__ import annotations

from collections.abc import Sequence

from idealrank.evaluation.identification.calls import Form, variants
from idealrank.evaluation.identification.inquiry import Inquiry
from idealrank.evaluation.identification.probes import Probe, Query, ranking

__all__ = ["CallingForm"]

#: No value of a list with labels 0 and 1.
_NONSENSE = 1000.0


class CallingForm(Inquiry):
    """The stage that finds out what a function takes."""

    def find_form(self, forms: Sequence[Form]) -> bool:
        """Find out what the function takes; return whether it returned a number for anything."""
        labels = [0, 1, 0, 0, 1, 0]
        good = ranking(labels, [4, 1, 3, 5, 2, 6])
        bad = ranking(labels, [2, 4, 1, 3, 5, 6])
        moved = ranking([1, 0, 0, 0, 0, 1], [2, 1, 3, 6, 4, 5])
        #: 1: depends on the scores themselves, 2: gives no number, 3: always gives the same one
        fallbacks: list[tuple[int, Form]] = []
        first_form: Form | None = None
        most = self.caller.max_calls // 2
        for form in forms:
            for variant in variants(form):
                if self.caller.n_calls >= most:
                    break
                k = 6 if variant.k is not None else None
                answers, tested = [self.caller.ask(Probe((good,), k), form=variant)], [good, bad]
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
                        answers, tested = others, graded[:2]
                if not self._differ(answers) and variant.k is not None:  # without a discount, only a cutoff matters
                    others = [self.caller.ask(Probe((each,), 3), form=variant) for each in (good, bad, moved)]
                    answers, k = (others, 3) if self._differ(others) else (answers, k)
                if not self._differ(answers):
                    if variant.has_names and variant.is_graded:
                        without = [
                            Probe((Query(each.ranked, tuple(row for row in each.judged or () if row[1])),), k)
                            for each in tested
                        ]
                        others = [self.caller.ask(each, form=variant) for each in without]
                        if self._differ(others):
                            self.caller.form, self.zeros_judged = variant, False
                            return True
                    fallbacks.append((3, variant))
                    break
                if variant.has_scores and not self._is_invariant(tested, k, variant):
                    fallbacks.append((1, variant))
                    break
                if variant.has_names and not all(self._ignores_ids(each, k, variant) for each in tested):
                    break  # ids were taken for something else
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

    def _ignores_ids(self, query: Query, k: int | None, form: Form) -> bool:
        """Whether other ids of the same documents give the same value."""
        names = {doc: chr(ord("a") + place) * (place + 1) for place, doc in enumerate(dict(query.ranked or ()))}
        ranked = tuple((names[doc], score) for doc, score in query.ranked or ())
        judged = tuple((names[doc], label) for doc, label in query.judged or ())
        values = [self.caller.ask(Probe((each,), k), form=form).value for each in (query, Query(ranked, judged))]
        return None not in values and abs((values[0] or 0.0) - (values[1] or 0.0)) < 1e-6

    def _is_invariant(self, queries: Sequence[Query], k: int | None, form: Form) -> bool:
        """Whether only the order of the scores matters, as it does not for labels."""
        for query in queries:
            assert query.ranked is not None
            stretched = tuple((doc, score**3 + 1) for doc, score in query.ranked)
            both = [self.caller.ask(Probe((each,), k), form=form) for each in (query, Query(stretched, query.judged))]
            values = [each.value for each in both if each.value is not None]
            if len(values) < 2 or abs(values[0] - values[1]) > 1e-6:
                return False
        return True
