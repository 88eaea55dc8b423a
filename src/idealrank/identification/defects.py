"""Names of what is wrong with a formula, and the smallest list that shows it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from idealrank.identification.calling_forms import Form
from idealrank.identification.function_calls import OutOfCalls
from idealrank.identification.gains_and_discounts import DISCOUNTS, GAINS
from idealrank.identification.investigation import Investigation
from idealrank.identification.ndcg_formulas import Formula, Refused
from idealrank.identification.probes import Probe, Query, doc_ids, ranking

__all__ = ["Defect", "defects_of"]

_LOG, _STARTS_AT_ONE = DISCOUNTS[0], DISCOUNTS[-1]
_LINEAR, _EXP2 = GAINS[0], GAINS[1]
_ABOVE = "NDCG > 1 is possible"
#: Differences that people see.
_VISIBLE = 1e-4


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


_Reference = dict[str, Any]


def _rules(formula: Formula, form: Form) -> Iterator[tuple[str, _Reference]]:
    """Yield each defect of a formula, with the correct choices."""
    if formula.output == "one minus":
        yield "returns 1 - NDCG", {"output": "value"}
    if formula.output == "negative":
        yield "returns the negative of NDCG", {"output": "value"}
    if formula.output == "squared":
        yield "returns the square of NDCG", {"output": "value"}
    if formula.output == "root":
        yield "returns the square root of NDCG", {"output": "value"}
    if formula.counted == "first":
        yield "only the first relevant document counts", {"counted": "all"}
    if formula.relative:
        yield "labels are divided by the highest label of the list before they have a gain", {"relative": False}
    if formula.signs == "absolute":
        yield "documents are ranked by the absolute values of their scores", {"signs": "kept"}
    if formula.signs == "dropped":
        yield "documents with negative scores are left out of the ranking", {"signs": "kept"}
    if formula.ties.startswith("shared"):
        rank = formula.ties.split()[1]
        yield f"documents with equal scores all have the {rank} of their ranks", {"ties": "average"}
    if formula.order == "ascending":
        yield "sorted ascending: the lowest score is ranked first", {"order": "descending"}
    if formula.order == "argsort":
        yield "what argsort returns, documents by rank, is taken for the rank of each document", {"order": "descending"}
    if formula.order == "text":
        yield "scores are compared as text, so that 9 is ranked above 10", {"order": "descending"}
    if formula.precision in ("truncated", "rounded"):
        yield f"scores are {formula.precision} to integers before documents are ranked", {"precision": "float64"}
    if formula.clip != "none":
        words = {"above": "above 1 are set to 1", "below": "below 0 are set to 0", "both": "outside of 0 to 1 are cut"}
        yield f"values {words[formula.clip]}", {"clip": "none"}
    if formula.ties == "best" and form.has_scores:
        yield "documents with equal scores are ranked by their labels, the best first", {"ties": "average"}
    if formula.labels in ("truncated", "rounded", "rounded up") and "table" not in formula.gain.name:
        yield f"fractional labels are {formula.labels} to integers", {"labels": "float"}
    if formula.order == "input" and form.has_scores:
        yield "not sorted: documents are ranked in the order given, whatever their scores", {"order": "descending"}
    if formula.cut_first:
        yield "the list is cut at k before it is sorted", {"cut_first": False}
    yield from _gain_and_discount(formula, form)
    yield from _ideal(formula, form)
    yield from _cut(formula, form)
    if formula.unretrieved == "appended":
        yield "documents that were not retrieved are appended to the ranking and counted", {"unretrieved": "absent"}
    if formula.zeros == "dropped":
        yield "documents with label 0 are removed before ranks are counted", {"zeros": "kept"}
    if formula.negative == "absolute":
        yield "a negative label counts as its absolute value", {"negative": "unjudged"}
    if formula.duplicates == "each" and form.has_duplicates:
        yield "a document that is retrieved twice counts twice", {"duplicates": "once"}
    names = {
        "nonzero": "queries with the value 0 are left out of the mean, even if they have relevant documents",
        "geometric": "the geometric mean of the queries, not their mean",
        "highest": "the highest value of the queries, not their mean",
        "lowest": "the lowest value of the queries, not their mean",
        "pooled": "micro average: the DCG of all queries is divided by the ideal DCG of all queries",
        "documents": "queries are weighted by their number of documents",
        "relevant": "queries are weighted by their number of relevant documents",
        "sum": "the values of the queries are summed, not averaged",
        "median": "the median of the queries, not their mean",
        "first": "only the first query counts",
        "last": "only the last query counts",
    }
    if formula.average in names:
        skipped = {"empty": "skip"} if formula.average == "nonzero" else {}
        yield names[formula.average], {"average": "mean", **skipped}


def _gain_and_discount(formula: Formula, form: Form) -> Iterator[tuple[str, _Reference]]:
    gain, discount = formula.gain, formula.discount
    if (gain.name.startswith("1 for a") or gain.name == "min(label, 1)") and form.is_graded:
        same = {
            "ideal": formula.ideal.replace("full", "highest")
        }  # "highest" has a document with the best label at each rank
        yield "relevance binarized: all labels of relevant documents count the same", {"gain": _LINEAR, **same}
    try:
        zero = gain.of(0.0)
    except ValueError:
        zero = 0.0
    if zero and form.is_graded:
        right = _EXP2 if "2^" in gain.name else _LINEAR
        yield f"a document with label 0 has a gain: the gain is {gain}", {"gain": right}
    elif gain.option is None and form.is_graded and gain.name != "min(label, 1)":
        yield (
            f"the gain is {gain}, neither the label nor 2^label - 1",
            {"gain": _EXP2 if "2^" in gain.name else _LINEAR},
        )
    if discount == _STARTS_AT_ONE:
        yield "the discount starts at log2(1) = 0, by which the first rank is divided", {"discount": _LOG}
    elif discount.name.startswith("1/log2(rank + ") and discount != _LOG and "^" not in discount.name:
        shift = discount.name.removeprefix("1/log2(rank + ").removesuffix(")")
        yield f"the discount starts at log2({int(shift) + 1}): {discount}", {"discount": _LOG}
    elif discount.name.startswith("0 at rank 1"):
        yield f"the first document does not count: the discount is {discount}", {"discount": _LOG}
    elif discount.name.startswith("none"):
        yield "no discount: every rank counts the same", {"discount": _LOG}
    elif discount.option is None or discount.name.startswith("a table"):
        yield f"the discount is {discount}", {"discount": _LOG}


def _ideal(formula: Formula, form: Form) -> Iterator[tuple[str, _Reference]]:
    kinds = {
        "none": "returns DCG: it is divided by no ideal DCG",
        "unsorted": "the ideal DCG is over the documents in the order given, not sorted by label",
        "ascending": "the ideal DCG is over the labels in ascending order",
        "distinct": "the ideal DCG counts each label once: duplicates are lost",
        "highest": "the ideal DCG has the highest label of the list at every rank",
        "full": "the ideal DCG has a relevant document at every rank up to k, however many there are",
        "gains": "the DCG is divided by the sum of the gains, not by the ideal DCG",
        "documents": "the DCG is divided by the number of documents, not by the ideal DCG",
        "k": "the DCG is divided by k, not by the ideal DCG",
        "relevant": "the DCG is divided by the number of relevant documents, not by the ideal DCG",
        "relevant within k": "the DCG is divided by the number of relevant documents, at most k, not by the ideal DCG",
    }
    kind = formula.ideal.removesuffix(" within n")
    is_constant = kind == "full" and formula.scale != 1
    if is_constant:
        words = f"the ideal DCG has a gain of {1 / formula.scale:.6g} at every rank up to k, whatever the labels"
        yield words, {"ideal": "sorted", "scale": 1.0}
    elif kind in kinds:
        yield kinds[kind], {"ideal": "sorted", "scale": 1.0}
    if formula.baseline != "none":
        words = {"worst": "the DCG of the worst order", "random": "the mean DCG of all orders"}[formula.baseline]
        yield f"{words} is subtracted from the DCG and from the ideal DCG", {"baseline": "none"}
    pooled = kind not in ("none", "full", "documents", "k")
    if formula.floor:
        yield f"the DCG is divided by at least {formula.floor:g}, even if the ideal DCG is less", {"floor": 0.0}
    if abs(formula.added) > _VISIBLE:
        yield f"{formula.added:g} is added to the ideal DCG, so that no ranking reaches 1", {"added": 0.0}
    if formula.pool == "retrieved" and form.has_ids and pooled:
        yield "the ideal DCG is over the retrieved documents only", {"pool": "judged"}
    if formula.pool == "top" and pooled:
        yield "the ideal DCG is over the top k of the ranking only", {"pool": "judged"}
    if formula.pool == "first" and pooled:
        yield "the ideal DCG is over the first k documents given, before they are sorted", {"pool": "judged"}
    if formula.ideal_gain is not None:
        words = f"the gain of the ideal DCG is {formula.ideal_gain}, that of the DCG is {formula.gain}"
        yield words, {"ideal_gain": None}
    if formula.ideal_discount is not None:
        words = f"the discount of the ideal DCG is {formula.ideal_discount}, that of the DCG is {formula.discount}"
        yield words, {"ideal_discount": None}
    if formula.scale != 1 and formula.ideal != "none" and not is_constant:
        known = {
            100.0: "values are in percent",
            1 / math.log(2): "the DCG has natural logarithms and the ideal DCG has binary ones",
            math.log(2): "the DCG has binary logarithms and the ideal DCG has natural ones",
            1 / math.log10(2): "the DCG has decimal logarithms and the ideal DCG has binary ones",
            math.log10(2): "the DCG has binary logarithms and the ideal DCG has decimal ones",
        }
        name = next((words for scale, words in known.items() if abs(scale - formula.scale) < 1e-4 * scale), None)
        yield name or f"values are multiplied by {formula.scale:g}", {"scale": 1.0}


def _cut(formula: Formula, form: Form) -> Iterator[tuple[str, _Reference]]:
    if formula.ideal_cut in ("retrieved", "least") and formula.pool == "judged":
        below = " where there are fewer than k of them" if form.k is not None and formula.ideal_cut == "least" else ""
        words = f"the ideal DCG is cut at the number of retrieved documents{below}"
        yield words, {"ideal_cut": 0}
    if formula.cut_within:
        lists = [name for name, cut in (("DCG", formula.cut), ("ideal DCG", formula.ideal_cut)) if cut == -1]
        words = f"the last document does not count in the {' and in the '.join(lists)}"
        yield words, {"cut": 0, "ideal_cut": 0, "cut_within": False}
        return
    if form.k is None and formula.own_cutoff is None:
        return
    k = "k" if form.k is not None else f"the function's own cutoff of {formula.own_cutoff}"
    has_ideal = formula.ideal not in ("none", "documents", "k", "k within n", "relevant")
    if formula.cut is None and (formula.ideal_cut is None or not has_ideal):
        yield "k is ignored", {"cut": 0, "ideal_cut": 0}
        return
    if formula.cut is None:
        yield f"the DCG is not cut at {k} but the ideal DCG is", {"cut": 0}
    if formula.ideal_cut is None and has_ideal and formula.pool != "top":
        yield f"the ideal DCG is not cut at {k}", {"ideal_cut": 0}
    if formula.cut in (-1, 1):
        yield f"the DCG counts {'one rank less' if formula.cut < 0 else 'one rank more'} than {k}", {"cut": 0}
    if formula.ideal_cut in (-1, 1) and has_ideal:
        words = "one rank less" if formula.ideal_cut < 0 else "one rank more"
        yield f"the ideal DCG counts {words} than {k}", {"ideal_cut": 0}


def defects_of(found: Investigation) -> list[Defect]:
    """Return what is wrong with a function, each with the smallest list that shows it."""
    listed = [_changing(found)] if found.changing else []
    if found.caller.changed is not None:
        listed.append(Defect("changes its arguments", str(found.caller.changed.probe), found.caller.changed.value))
    if found.changing:
        return listed
    if found.is_constant:
        answer = next(each for (form, _), each in found.caller.known.items() if form == found.form)
        return [*listed, Defect("returns the same value for every ranking", str(answer.probe), answer.value)]
    if found.by_magnitude is not None:
        name = "the value depends on the scores themselves, not only on the order that they give"
        return [*listed, Defect(name, str(found.by_magnitude.probe), found.by_magnitude.value)]
    if found.other_measure is not None:
        return listed
    if found.formula.discount == _STARTS_AT_ONE:
        one = Probe((ranking([1], [1]),), 1 if found.form.k is not None else None)
        answer = found.caller.ask(one) if found.caller.left else found.evidence["discount"][0]
        right = replace(found.formula, discount=_LOG).predict(answer.probe)
        name = "no value is a number, as with a discount that starts at log2(1) = 0, by which the first rank is divided"
        return [*listed, Defect(name, str(answer.probe), answer.value, right)]
    if "formula" in found.unexplained:
        return listed
    for name, without in _rules(found.formula, found.form):
        reference = replace(found.formula, **without)
        defect = _shown(found, name, lambda probe, own=reference: _predicted(own, probe))  # type: ignore[misc]
        if defect.example or "clip" not in without:  # clipping of values is known only from lists that show it
            listed.append(defect)
    if found.decimals is not None and 10.0**-found.decimals > _VISIBLE * found.formula.scale:
        listed.append(_rounded(found))
    if "ideal" not in found.unexplained and found.formula.ideal != "none" and found.formula.output == "value":
        above = _shown(found, _ABOVE, _above_one(found.formula), confirm=found.formula.scale <= 1)
        if above.example:
            listed.append(replace(above, expected=None))
    return listed


def _rounded(found: Investigation) -> Defect:
    """Return rounding as a defect, with the smallest list that shows it."""
    how = "truncated" if found.truncates else "rounded"
    name = f"values are {how} to {found.decimals} decimal{'s' if found.decimals != 1 else ''}"
    for probe in _small_probes(found, longest=3):
        value = _predicted(found.formula, probe)
        if value is None or not math.isfinite(value) or not found.caller.left:
            continue
        if abs(round(value, found.decimals) - value) > found.tolerance / 10:
            return Defect(name, str(probe), found.caller.ask(probe).value, value)
    return Defect(name)


def _changing(found: Investigation) -> Defect:
    assert found.changing is not None
    first, again = found.changing
    return Defect(
        f"the same call gives {first}, then {again}: it depends on state or chance", str(first.probe), again.value
    )


def _above_one(formula: Formula) -> Callable[[Probe], float | None]:
    """Return a reference that differs where the formula is above 1."""

    def reference(probe: Probe) -> float | None:
        value = _predicted(formula, probe)
        return None if value is None else min(value, 1.0)

    return reference


def _predicted(formula: Formula, probe: Probe) -> float | None:
    try:
        return formula.predict(probe)
    except (Refused, ValueError, OverflowError, ZeroDivisionError):
        return None


def _shown(
    found: Investigation, name: str, reference: Callable[[Probe], float | None], *, confirm: bool = True
) -> Defect:
    """Return the defect with the smallest list on which the function and the reference differ."""
    tried = 0
    for probe in _small_probes(found, longest=4 if confirm and name != _ABOVE else 3):
        value, expected = _predicted(found.formula, probe), reference(probe)
        if value is None or expected is None or not math.isfinite(value) or not math.isfinite(expected):
            continue
        if abs(value - expected) < max(_VISIBLE, 2 * found.tolerance) or not found.form.can_express(probe):
            continue
        if not confirm:
            return Defect(name, str(probe), value, expected)
        try:
            answer = found.caller.ask(probe)
        except OutOfCalls:
            return Defect(name, str(probe), value, expected)
        if found.agrees(found.formula, answer):
            return Defect(name, str(probe), answer.value, expected)
        tried += 1
        if tried > 2:
            break
    return Defect(name)


def _small_probes(found: Investigation, longest: int) -> Iterator[Probe]:
    """Yield small probes, the smallest first."""
    form, highest = found.form, min(found.max_label, 3)
    grades = range(highest + 1)
    has_k = form.k is not None
    for n in range(1, longest + 1):
        missed: list[tuple[int, ...]] = [()]
        if form.has_ids:
            missed += [(label,) for label in range(1, highest + 1)] + [(1, 1)]
        drawn = []
        for labels in itertools.product(range(found.max_label + 1) if n < 3 else grades, repeat=n):
            for ranks in itertools.permutations(range(1, n + 1)):
                if not form.has_scores and list(ranks) != list(range(1, n + 1)):
                    continue
                drawn += [(len(each), sum(labels) + sum(each), labels, ranks, each) for each in missed]
        for _, _, labels, ranks, unretrieved in sorted(drawn):
            query = ranking(labels, ranks, unretrieved=unretrieved, zeros_judged=found.zeros_judged)
            for k in range(1, n + 2) if has_k else (None,):
                yield Probe((query,), k)
        if form.has_duplicates and n == 2:
            yield from _twice(found)
        if form.has_queries and n == 2:
            yield from _two_queries(found, highest)
    yield from _beyond_own_cutoff(found)
    if found.form.has_scores:
        for scores in ([1.5, 1.5], [9.5, 10.5], [1.2, 1.4], [1.4, 1.2], [-1.5, -0.5], [0.5, -1.5]):
            for pair in ([1, 0], [0, 1], [1, 1]):
                query = ranking(pair, scores=scores, zeros_judged=found.zeros_judged)
                yield Probe((query,), 2 if has_k else None)
    if found.form.has_scores or found.form.is_graded:
        for small in ([0.5], [0.25, 0.5], [0.5, 1.0], [1.5, 1.75]):
            query = ranking(small, zeros_judged=found.zeros_judged)
            yield Probe((query,), len(small) if has_k else None)
        for negative in ([2, -1, 0], [-1, 2], [1, -1]):
            query = ranking(negative, range(len(negative), 0, -1), zeros_judged=found.zeros_judged)
            yield Probe((query,), len(negative) if has_k else None)


def _twice(found: Investigation) -> Iterator[Probe]:
    doc, other = doc_ids(2)
    k = 2 if found.form.k is not None else None
    yield Probe((Query(((doc, 2.5), (doc, 1.5)), ((doc, 1.0),)),), k)
    yield Probe((Query(((doc, 3.5), (doc, 2.5), (other, 1.5)), ((doc, 1.0), (other, 1.0))),), k and 3)


def _two_queries(found: Investigation, highest: int) -> Iterator[Probe]:
    grades = range(highest + 1)
    pairs: list[tuple[tuple[int, ...], tuple[int, ...]]] = [
        (labels, ranks) for labels in itertools.product(grades, repeat=2) for ranks in ((1, 2), (2, 1))
    ]
    pairs += [((1,), (1,)), ((0, 0, 1), (1, 2, 3)), ((0, 1, 0), (1, 2, 3))]
    for first, second in itertools.product(pairs, repeat=2):
        queries = tuple(ranking(labels, ranks, zeros_judged=found.zeros_judged) for labels, ranks in (first, second))
        yield Probe(queries, 3 if found.form.k is not None else None)
    good, late = (ranking([1, 0], ranks, zeros_judged=found.zeros_judged) for ranks in ([1, 2], [2, 1]))
    missed = ranking([0, 0], [1, 2], unretrieved=[1], zeros_judged=found.zeros_judged)
    for bad in (late, missed):
        yield Probe((good, bad), 1 if found.form.k is not None else None)


def _beyond_own_cutoff(found: Investigation) -> Iterator[Probe]:
    cutoff = found.formula.own_cutoff
    if cutoff is None or isinstance(cutoff, float):
        return
    for n in (cutoff, cutoff + 1, cutoff + 2):
        for size in (1, 2):
            for places in itertools.combinations(range(n), size):
                labels = [1.0 if place in places else 0.0 for place in range(n)]
                yield Probe((ranking(labels, zeros_judged=found.zeros_judged),), None)
        for zeros in (0, 1, 2):
            yield Probe((ranking([0.0] * zeros + [1.0] * (n - zeros), zeros_judged=found.zeros_judged),), None)
