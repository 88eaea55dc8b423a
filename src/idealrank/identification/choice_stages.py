"""Finding the other choices: cutoff, ties, empty lists, documents, labels, queries."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from idealrank.identification.elimination import N_DOCS
from idealrank.identification.formula_stages import FormulaStages
from idealrank.identification.function_calls import Answer
from idealrank.identification.gains_and_discounts import GAINS, thresholds_like
from idealrank.identification.probes import Query, doc_ids, ranking

__all__ = ["TIES", "ChoiceStages"]

_LONGEST = 101
TIES = ("average", "stable", "reverse", "docid_desc", "docid_asc", "best", "worst")


class ChoiceStages(FormulaStages):
    """The stages that find everything besides the formula; each has probes that isolate one choice."""

    def _long_lists(self) -> None:
        """Look at ranks far down: find a built-in cutoff, or another discount there."""
        if "ideal" in self.unexplained or "table" in str(self.formula.discount):
            return
        own = self.formula.own_cutoff
        if isinstance(own, float):
            return
        if own is not None:
            self._cut_choices([self._cut_probe(own, place) for place in range(4)], None)
        elif self.form.k is not None:
            answer = self._at_rank(40, k=_LONGEST)
            if not self.agrees(self.formula, answer):
                self._look_deeper(_LONGEST, answer)
        else:
            self._own_cutoff(None)

    def _default_cutoff(self) -> None:
        """Find the cutoff of a function that is called without one."""
        if self._has_default_k() and not {"ideal", "cutoff", "discount beyond rank 6"} & self.unexplained.keys():
            self._own_cutoff(None)

    def _has_default_k(self) -> bool:
        if self.form.has_list_of_k:
            return False
        try:
            return (
                inspect.signature(self.caller.function).parameters[str(self.form.k)].default
                is not inspect.Parameter.empty
            )
        except (KeyError, TypeError, ValueError):
            return False

    def _at_rank(self, rank: int, k: int | None) -> Answer:
        if self.formula.order == "ascending":
            rank = _LONGEST + 1 - rank
        labels, ranks = self._single(_LONGEST), self._rank_of(4, rank, _LONGEST)
        if not self.formula.discount.at(1, _LONGEST):  # with one relevant document, the ideal DCG is 0
            labels[ranks.index(3 if rank == 2 else 2)] = self.unit
        return self.ask(self.query(labels, ranks), k=k)

    def _own_cutoff(self, k: int | None) -> None:
        """Find the rank below which nothing counts."""
        deepest = self._at_rank(_LONGEST - 1, k)
        if self.agrees(self.formula, deepest):
            self.evidence["own_cutoff"] = [deepest]
            return
        if deepest.value is None:
            self.notes.append((f"a list of {_LONGEST} documents is refused: {deepest}", deepest))
            return
        hint = self._default_hint()
        around = [deepest, self._at_rank(hint, k), self._at_rank(hint + 1, k)] if N_DOCS <= hint < _LONGEST else []
        if around and self.narrow(around, own_cutoff=[hint]):
            self.formula = replace(self.formula, own_cutoff=hint)
            self.evidence["own_cutoff"] = around[1:]
            self._cut_at_own(hint)
            return
        if not self.agrees(replace(self.formula, own_cutoff=_LONGEST - 2), deepest):
            self._look_deeper(k, deepest)
            return
        low, high = 0 if k is None and self.form.k is not None else N_DOCS - 1, _LONGEST - 1
        while high - low > 1:
            middle = (low + high) // 2
            answer = self._at_rank(middle, k)
            counts = answer.value is not None and not self.is_close(deepest.value, answer.value)
            low, high = (middle, high) if counts else (low, middle)
        self.formula = replace(self.formula, own_cutoff=low - (self.formula.cut or 0))
        self.evidence["own_cutoff"] = [self._at_rank(low, k), self._at_rank(low + 1, k)] if low else [deepest]
        self._cut_at_own(low)

    def _cut_at_own(self, cutoff: int) -> None:
        if self.form.k is None:
            self._cut_choices([self._cut_probe(cutoff, place) for place in range(4)], None)

    def _default_hint(self) -> int:
        try:
            default = inspect.signature(self.caller.function).parameters[str(self.form.k)].default
        except (KeyError, TypeError, ValueError):
            return 10
        return default if isinstance(default, int) and not isinstance(default, bool) and default > 0 else 10

    def _look_deeper(self, k: int | None, answer: Answer) -> None:
        """Find out whether scores are compared as text, or whether the discount is different further down."""
        as_text = replace(self.formula, order="text")
        if self.form.has_scores and self.formula.order == "descending" and self.agrees(as_text, answer):
            self.formula = as_text
            self.evidence["order"] = [answer]
            return
        for discount in self.open.get("discount", ()):
            deeper = replace(self.formula, discount=discount)
            if self.agrees(deeper, answer):
                self.formula = deeper
                self.evidence["discount"].append(answer)
                return
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
        """Find the effect of k on the ranking and on the ideal."""
        if self.form.k is None or "ideal" in self.unexplained:
            return
        cuts = [(3, 0), (3, 1), (2, 2), (4, 3), (3, 4), (5, 5)]
        self._cut_choices([self._cut_probe(k, place) for k, place in cuts], [k for k, _ in cuts])

    def _cut_choices(self, queries: Sequence[Query], ks: Sequence[int] | None) -> None:
        answers = [self.ask(query, k=ks[place] if ks else None) for place, query in enumerate(queries)]
        offsets = (0, None, -1, 1)
        pools = ("judged", "top", "first") if self.form.has_scores else ("judged", "top")
        usual: dict[str, Sequence[Any]] = {"cut": offsets, "ideal_cut": offsets, "pool": pools}
        for more in ({"cut_first": (False,)}, {"cut_first": (True,)}):
            found = self.narrow(answers, **usual, **more)
            if found:
                break
        if not found:
            kinds = ("full", "highest", "none", "gains", "documents", "k", "relevant", "relevant within k")
            like_whole_lists = sorted(kinds, key=lambda kind: not kind.startswith(self.formula.ideal))
            found = self.narrow(answers, **usual, ideal=like_whole_lists)
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
        """Find the effect of a k beyond the end of the list."""
        if "cutoff" in self.unexplained or "ideal" in self.unexplained:
            return
        lists = [self.query([1, 0, min(2, self.max_label)], ranks) for ranks in ([2, 1, 3], [1, 3, 2])]
        if self.form.k is None:
            if self.formula.own_cutoff is None:
                self._last_rank([self.ask(each) for each in lists])
            return
        choices: dict[str, Sequence[Any]] = {"short": ("as is", "zero", "error")}
        if self.formula.ideal in ("full", "highest", "k"):
            choices["ideal"] = (self.formula.ideal, f"{self.formula.ideal} within n")
        if self.formula.cut == -1 or self.formula.ideal_cut == -1:
            choices["cut_within"] = (False, True)
        self.settle([self.ask(each, k=8) for each in lists], **choices)

    def _last_rank(self, answers: Sequence[Answer]) -> None:
        """Find out whether the last document counts if there is no cutoff."""
        if not all(self.agrees(self.formula, answer) for answer in answers):
            full = self.ask(self.query([1, min(2, self.max_label), 1], [3, 2, 1]))
            self.settle([*answers, full], cut=(0, -1), ideal_cut=(0, -1), cut_within=(True,))

    def _empty(self) -> None:
        """Find the value of a list without a relevant document."""
        if self.formula.ideal == "none":
            return
        answer = self.ask(self.query([0, 0, 0], [2, 1, 3]))
        own = [] if answer.value is None or not answer.is_number else [self._plain(self.formula.output, answer.value)]
        self.settle([answer], empty=(0.0, 1.0, "nan", "error", *own))
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
        if self.form.k is not None and "cutoff" not in self.unexplained and self.formula.pool != "top":
            answers.append(self.ask(first, k=2))  # the cutoff is inside the tie
        names = TIES if self.form.has_names else tuple(each for each in TIES if not each.startswith("docid"))
        if not self.narrow(answers, ties=names):
            names = tuple(f"shared {each}{how}" for how in ("", " by place") for each in ("best", "worst", "mean"))
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
        """Find the effect of documents that are judged but not retrieved, or retrieved but not judged."""
        if not self.form.has_ids or "ideal" in self.unexplained:
            return
        two, three = min(2, self.max_label), min(3, self.max_label)
        missed: list[tuple[Query, int | str | None]] = [
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
        # when all judged documents were retrieved, these could not be distinguished
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
            choices: dict[str, Sequence[Any]] = {"unjudged": ("zero", "nothing", "drop")}
            if not self.zeros_judged:
                unjudged.append(ranking([0, 1, 0, two], [1, 2, 3, 4]))
                choices["gain"] = (self.formula.gain, GAINS[-1])
            self.settle([self.ask(each) for each in unjudged], **choices)

    def _labels(self) -> None:
        """Find the effect of fractional, negative and large labels."""
        if not self.form.is_graded or self.max_label < 2:
            return
        is_table = "table" in str(self.formula.gain)  # measured for whole labels only
        self._fractional_labels(is_table)
        if self.formula.labels == "float" and not is_table and "labels" not in self.unexplained:
            self._small_ideal()
        negative = [
            self.ask(self.query([2, -1, 1, 0], [2, 1, 3, 4])),
            self.ask(self.query([2, 0, 1, -1], [2, 1, 4, 3])),
        ]
        self.settle(negative, negative=("error", "keep", "unjudged", "zero", "drop", "absolute"))
        if is_table:
            for name, kind in (("negative", "negative"), ("labels", "fractional")):
                if name in self.unexplained:
                    words = f"{kind} labels have a gain that was not measured"
                    self.notes.append((words, self.unexplained.pop(name)))
            return
        if self.formula.negative == "keep" and "negative" not in self.open and "negative" not in self.unexplained:
            self._negative_ideal()
        self._large_labels()

    def _negative_ideal(self) -> None:
        """Find the effect of a negative ideal DCG."""
        for labels in ([1, -5], [-1, -2]):
            query = self.query(labels, [2, 1])
            if self.formula.parts(query, self.probe(query).k)[1] < 0:
                self.settle([self.ask(query)], negative_ideal=("divide", "empty"))
                return

    def _fractional_labels(self, is_table: bool) -> None:
        """Find the effect of fractional labels, and thus the lowest label of a relevant document."""
        answers = [
            self.ask(self.query([0.3, 0.5, 2.6, 1.5, 0.7, 0], ranks))
            for ranks in ([2, 3, 4, 1, 5, 6], [1, 5, 3, 4, 2, 6])
        ]
        self.open.pop("gain", None)
        if is_table:
            self.settle(answers, labels=("integer", "truncated", "rounded", "rounded up"))
            return
        choices: dict[str, Sequence[Any]] = {"labels": ("float", "truncated", "rounded", "rounded up", "integer")}
        for name in ("gain", "ideal_gain"):
            own = getattr(self.formula, name)
            if own is not None:
                choices[name] = thresholds_like(own)
        self.settle(answers, **choices)

    def _small_ideal(self) -> None:
        """Find the smallest number that the DCG is divided by."""
        answer = self.ask(self.query([0.125, 0.25, 0], [1, 2, 3]))
        if self.agrees(self.formula, answer) or not answer.value:
            return
        top, bottom, _ = self.formula.parts(answer.probe.one, answer.probe.k)
        divisor = self.formula.scale * top / self._plain(self.formula.output, answer.value)
        if divisor > bottom > 0:
            floor = round(divisor, 9)
            self.settle([answer], floor=(floor,))

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
        """Find the effect of a document that is retrieved twice."""
        if not self.form.has_duplicates:
            return
        docs = doc_ids(3)
        twice = [docs[0], docs[1], docs[0], docs[2]]
        ranked = tuple((doc, 4.5 - place) for place, doc in enumerate(twice))
        judged = ((docs[0], self.unit), *(((docs[1], 0.0),) if self.zeros_judged else ()), (docs[2], self.unit))
        self.settle([self.ask(Query(ranked, judged))], duplicates=("each", "first", "last", "once", "error"))

    def _queries(self) -> None:
        """Find how the values of queries are combined."""
        if not self.form.has_queries:
            return
        two, three = min(2, self.max_label), min(3, self.max_label)
        first = self.query([1, 0, 0, 0], [3, 1, 2, 4])
        second = self.query([three, two, 1, 0, 0, 0], [3, 2, 1, 4, 5, 6])
        if not self.can_ask(first, second):  # a matrix
            second = self.query([three, two, 1, 0], [3, 2, 1, 4])
        third = self.query([0, two, 0, two], [1, 4, 2, 3])
        answers = [self.ask(first, second), self.ask(third, first, second)]
        averages = ("mean", "nonzero", "pooled", "documents", "relevant", "sum", "median", "first", "last", "geometric")
        worthless = self._with_a_worthless_query()
        if worthless is not None:
            answers.append(worthless)
        if not self.settle(answers, average=(*averages, "highest", "lowest")):
            return
        if "average" in self.open and "nonzero" in self.open["average"]:
            self.open.pop("average")  # no list with a relevant document has the value 0
        nothing = self.query([0, 0, 0, 0], [3, 1, 2, 4])
        if self.formula.empty not in ("skip", "error"):
            with_empty = [self.ask(first, nothing), self.ask(nothing, second)]
            options = [self.formula.empty, "skip", 0.0, 1.0, "nan"]
            self.evidence.setdefault("empty", []).extend(with_empty)
            found = self.narrow(with_empty, empty=dict.fromkeys(options))
            if found:
                self.formula = found[0]
            else:
                self.unexplained["empty"] = with_empty[0]
        if self.form.has_missing_queries:
            missing = Query(None, second.judged)
            self.settle([self.ask(first, missing)], missing=(0.0, "drop", "error", "empty"))
            extra = Query(second.ranked, None)
            self.settle([self.ask(first, extra)], extra=("ignored", "zero", "empty", "error"))

    def _with_a_worthless_query(self) -> Answer | None:
        """Ask about two queries, one of which has relevant documents but the value 0, if this is possible."""
        if self.form.k is not None and self.formula.cut is not None:
            k: int | str = 1 - self.formula.cut
            good, bad = (self.query([self.unit, 0], ranks) for ranks in ([1, 2], [2, 1]))
        elif self.form.has_ids and self.formula.unretrieved == "absent":
            good, k = self.query([self.unit, 0], [1, 2]), "all"
            bad = self.query([0, 0], [1, 2], unretrieved=[self.unit])
        else:
            return None
        return self.ask(good, bad, k=k) if self.can_ask(good, bad, k=k) else None

    def _precision(self) -> None:
        """Find out whether scores are compared in single precision, as integers, or without their sign."""
        if not self.form.has_scores or self.by_input or self.formula.ties in ("undefined", "random"):
            return
        highest = min(self.max_label, 2) * self.unit
        lists = [([highest, 0, self.unit], [-2.0, -0.5, -1.0]), ([0, self.unit, highest], [1.0, 0.0, -1.5])]
        below = [ranking(labels, scores=scores, zeros_judged=self.zeros_judged) for labels, scores in lists]
        self.settle([self.ask(each) for each in below], signs=("kept", "absolute", "dropped", "error"))
        pairs = [(1.0, 1.0 + 1e-9), (1.0 + 1e-9, 1.0), (1.1, 1.4), (1.2, 1.7), (1.7, 1.2)]
        close = [ranking([1, 0, 0], scores=[*pair, 0.5], zeros_judged=self.zeros_judged) for pair in pairs]
        self.settle([self.ask(each) for each in close], precision=("float64", "float32", "truncated", "rounded"))
