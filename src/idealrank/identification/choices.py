"""The choices that an NDCG makes: one row each, with its values, the probe that finds it, its words and its defects."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from idealrank.identification.calling_forms import QUERY_ID, Form, Query, doc_ids, ranking
from idealrank.identification.dcg_and_ideal import N_DOCS, Elimination, find_dcg, find_ideal
from idealrank.identification.function_calls import Answer, OutOfCalls
from idealrank.identification.ndcg_formulas import COMBINATIONS, DISCOUNTS, GAINS, OUTPUTS, Formula, thresholds_like

_LONGEST = 101
#: The words of a defect, and the choices of a formula without it.
Flaw = tuple[str, Mapping[str, Any]]
#: Differences that people see.
VISIBLE = 1e-4


@dataclass(frozen=True)
class ChoiceRow:
    """A choice, which is a field of `Formula`."""

    #: Asks about lists that isolate the choice, maybe together with others.
    probe: Callable[[Elimination], None]
    #: The values that are tried, in this order; empty if they depend on the function.
    values: Sequence[Any] = ()
    #: What a value means, in the table of choices.
    words: Mapping[Any, str] = field(default_factory=dict)
    #: The option of ours with the same meaning; empty if there is none.
    option: str = ""
    #: Values that a convention can have.
    in_convention: Sequence[Any] = ()
    #: The values that are wrong, and what is wrong, if ``is_wrong``; or a function that yields this.
    defects: Mapping[Any, str] | Callable[[Formula, Form], Iterator[Flaw]] = field(default_factory=dict)
    is_wrong: Callable[[Formula, Form], bool] = lambda formula, form: True
    #: The right value, if it is not the usual one, and other choices that follow from a wrong value.
    right: Any = None
    also: Mapping[Any, Mapping[str, Any]] = field(default_factory=dict)

    def flaws(self, name: str, formula: Formula, form: Form) -> Iterator[Flaw]:
        """Yield what is wrong about this choice of a formula."""
        if callable(self.defects):
            yield from self.defects(formula, form)
            return
        value = getattr(formula, name)
        if value in self.defects and self.is_wrong(formula, form):
            right = getattr(Formula(), name) if self.right is None else self.right
            yield self.defects[value], {name: right, **self.also.get(value, {})}


def _tried(*names: str) -> dict[str, Sequence[Any]]:
    """Return the values of choices that are tried."""
    return {name: CHOICES[name].values for name in names}


def _long_lists(known: Elimination) -> None:
    """Look at ranks far down: find a built-in cutoff, or another discount there."""
    own = known.formula.own_cutoff
    if known.formula.discount.is_table:
        return
    if own is not None:
        _find_cuts(known, [(_around(known, own, place), None) for place in range(4)])
    elif known.form.k is None:
        _find_own_cutoff(known)
    else:
        answer = _at_rank(known, 40, _LONGEST)
        if not known.agrees(known.formula, answer):
            _look_deeper(known, answer)


def _default_cutoff(known: Elimination) -> None:
    """Find the cutoff of a function that is called without one."""
    has_default = _default_of_k(known) is not inspect.Parameter.empty and not known.form.has_list_of_k
    if has_default and not {"cutoff", "discount beyond rank 6"} & known.unexplained.keys():
        _find_own_cutoff(known)


def _default_of_k(known: Elimination) -> object:
    try:
        return inspect.signature(known.caller.function).parameters[str(known.form.k)].default
    except (KeyError, TypeError, ValueError):
        return inspect.Parameter.empty


def _at_rank(known: Elimination, rank: int, k: int | None = None) -> Answer:
    if known.formula.order == "ascending":
        rank = _LONGEST + 1 - rank
    # with one relevant document, the ideal DCG is 0 if rank 1 does not count
    more = () if known.formula.discount.at(1, _LONGEST) else (3 if rank == 2 else 2,)
    return known.ask(known.relevant_at(rank, _LONGEST, *more), k=k)


def _find_own_cutoff(known: Elimination) -> None:
    """Find the rank below which nothing counts if no k is given."""
    deepest = _at_rank(known, _LONGEST - 1)
    if known.agrees(known.formula, deepest):
        known.evidence["own_cutoff"] = [deepest]
        return
    if deepest.value is None:
        known.notes.append((f"a list of {_LONGEST} documents is refused: {deepest}", deepest))
        return
    default = _default_of_k(known)
    low = default if isinstance(default, int) and not isinstance(default, bool) and default > 0 else 10
    around = [deepest, _at_rank(known, low), _at_rank(known, low + 1)] if N_DOCS <= low < _LONGEST else []
    if around and known.narrow(around, own_cutoff=[low]):
        known.formula = replace(known.formula, own_cutoff=low)
        known.evidence["own_cutoff"] = around[1:]
    elif not known.agrees(replace(known.formula, own_cutoff=_LONGEST - 2), deepest):
        _look_deeper(known, deepest)
        return
    else:
        low, high = 0 if known.form.k is not None else N_DOCS - 1, _LONGEST - 1
        while high - low > 1:
            middle = (low + high) // 2
            answer = _at_rank(known, middle)
            counts = answer.value is not None and not known.is_close(deepest.value, answer.value)
            low, high = (middle, high) if counts else (low, middle)
        known.formula = replace(known.formula, own_cutoff=low - (known.formula.cut or 0))
        known.evidence["own_cutoff"] = [_at_rank(known, low), _at_rank(known, low + 1)] if low else [deepest]
    if known.form.k is None:
        _find_cuts(known, [(_around(known, low, place), None) for place in range(4)])


def _look_deeper(known: Elimination, answer: Answer) -> None:
    """Find out whether the discount is different further down."""
    for discount in known.open.get("discount", ()):
        changed = replace(known.formula, discount=discount)
        if known.agrees(changed, answer):
            known.formula = changed
            known.evidence["discount"].append(answer)
            return
    known.unexplained["discount beyond rank 6"] = answer


def _around(known: Elimination, k: int, place: int) -> Query:
    """Return a list longer than k, with relevant documents on both sides of rank k."""
    rng = np.random.default_rng(10 + place)
    highest = min(known.max_label, 3)
    labels = [float(min(label, highest)) for label in rng.integers(0, 4, k + 4)]
    ranks = (rng.permutation(k + 4) + 1).tolist()
    for rank, label in ((1, 1), (k, highest), (k + 1, 1), (k + 2, highest)):
        labels[ranks.index(rank)] = float(label)
    return known.query(labels, ranks)


def _cutoff(known: Elimination) -> None:
    """Find the effect of k on the ranking and on the ideal."""
    if known.form.k is not None:
        cuts = [(3, 0), (3, 1), (2, 2), (4, 3), (3, 4), (5, 5)]
        _find_cuts(known, [(_around(known, k, place), k) for k, place in cuts])


def _find_cuts(known: Elimination, queries: Sequence[tuple[Query, int | None]]) -> None:
    answers = [known.ask(query, k=k) for query, k in queries]
    pools = ("judged", "top", "first") if known.form.has_scores else ("judged", "top")
    choices = _tried("cut", "ideal_cut") | {"pool": pools}
    kinds = ("full", "highest", "none", "gains", "documents", "k", "relevant", "relevant within k")
    like_whole_lists = sorted(kinds, key=lambda kind: not kind.startswith(known.formula.ideal))
    formulas = (
        known.narrow(answers, **choices, cut_first=(False,))
        or known.narrow(answers, **choices, cut_first=(True,))
        or known.narrow(answers, **choices, ideal=like_whole_lists)
    )
    if formulas:
        known.choose(formulas, answers, ("cut", "ideal_cut"))
    else:
        failing = (each for each in answers if not known.agrees(known.formula, each))
        known.unexplained["cutoff"] = next(failing, answers[0])
    for name in ("cut_first", "pool", *(() if formulas else ("cut", "ideal_cut"))):
        known.evidence[name].extend(answers)


def _short_lists(known: Elimination) -> None:
    """Find the effect of a k beyond the end of the list."""
    formula, two = known.formula, min(2, known.max_label)
    if "cutoff" in known.unexplained:
        return
    lists = [known.query([1, 0, two], ranks) for ranks in ([2, 1, 3], [1, 3, 2])]
    if known.form.k is not None:
        choices = _tried("short")
        if formula.ideal in ("full", "highest", "k"):
            choices["ideal"] = (formula.ideal, f"{formula.ideal} within n")
        if -1 in (formula.cut, formula.ideal_cut):
            choices["cut_within"] = (False, True)
        known.settle([known.ask(each, k=8) for each in lists], **choices)
    elif formula.own_cutoff is None:  # whether the last document counts
        answers = [known.ask(each) for each in lists]
        if not all(known.agrees(formula, answer) for answer in answers):
            answers.append(known.ask(known.query([1, two, 1], [3, 2, 1])))
            known.settle(answers, cut=(0, -1), ideal_cut=(0, -1), cut_within=(True,))


def _empty(known: Elimination) -> None:
    """Find the value of a list without a relevant document."""
    if known.formula.ideal == "none":
        return
    answer = known.ask(known.query([0, 0, 0], [2, 1, 3]))
    own = [] if answer.value is None or not answer.is_number else [known.formula.plain(answer.value)]
    known.settle([answer], empty=(0.0, 1.0, "nan", "error", *own))
    single = known.ask(known.query([known.unit], [1]))
    if not known.agrees(known.formula, single):
        known.least = 2
        known.notes.append((f"a list of one document gives {single}", single))


def _ties(known: Elimination) -> None:
    """Find the order of equal scores."""
    if not known.form.has_scores or known.by_input:
        return
    highest = min(known.max_label, 2)
    equal = known.query([highest, 0, 1, 0], scores=[1.0] * 4)
    first = known.ask(equal)
    again = known.caller.ask(first.probe, again=True)
    if first.value is not None and again.value is not None and not known.is_close(first.value, again.value):
        known.evidence["ties"] = [first, again]
        known.unexplained["ties"] = again
        known.formula = replace(known.formula, ties="random")
        return
    lists = [([0, 1, 0, highest], [1.0] * 4), ([0, highest, 1, 0, 1], [2.0, 1.0, 1.0, 2.0, 1.0])]
    answers = [first, *(known.ask(known.query(labels, scores=scores)) for labels, scores in lists)]
    if known.form.k is not None and "cutoff" not in known.unexplained and known.formula.pool != "top":
        answers.append(known.ask(equal, k=2))  # the cutoff is inside the tie
    values = [each for each in CHOICES["ties"].values if known.form.has_names or not each.startswith("docid")]
    if not known.settle(answers, ties=values):
        known.formula = replace(known.formula, ties="undefined")
    elif not known.formula.discount.is_table:
        n = 40
        labels = [known.unit if place == 11 else 0.0 for place in range(n)]
        long = known.ask(known.query(labels, scores=[1.0] * n, ids=doc_ids(n)))
        known.evidence["ties"].append(long)
        if not known.agrees(known.formula, long):
            words = f"equal scores in a list of {n} documents are not in the order that they have in short ones"
            known.notes.append((words, long))
            known.open["ties"] = [known.formula.ties, "undefined"]


def _documents(known: Elimination) -> None:
    """Find the effect of documents that are judged but not retrieved, or retrieved but not judged."""
    if not known.form.has_ids:
        return
    formula, query = known.formula, known.query
    two, three = min(2, known.max_label), min(3, known.max_label)
    missed: list[tuple[Query, int | str | None]] = [
        (query([1, 0, two], [2, 1, 3], unretrieved=[three]), "all"),
        (query([1, 0, two, 0], [1, 2, 3, 4], unretrieved=[1, three]), "all"),
    ]
    if known.form.k is None:
        missed.append((query([1, 0], [2, 1], unretrieved=[three, two]), None))
    else:
        missed.append((query([1, 0, two, 0], [1, 2, 3, 4], unretrieved=[two, three, 1]), 2))
        missed.append((query([0, 1, two, 0], [1, 2, 3, 4], unretrieved=[two]), 3))
        if formula.short == "as is" and "short" not in known.unexplained:
            missed.append((query([1, 0, two], [2, 1, 3], unretrieved=[three, two, 1]), 8))
    answers = [known.ask(each, k=k) for each, k in missed]
    # when all judged documents were retrieved, these could not be distinguished
    same = {None: ["retrieved"], 0: ["least"]}
    cuts = [each for cut in known.open.pop("ideal_cut", [formula.ideal_cut]) for each in (cut, *same.get(cut, ()))]
    pools = ("judged", "retrieved", "top") if formula.pool != "top" else ("top",)
    if known.settle(answers, pool=pools, **_tried("unretrieved"), ideal_cut=cuts) and known.formula.pool != "top":
        known.open.pop("pool", None)
    if known.form.has_names:
        unjudged = [query([None, two, None, 1, 0], [1, 3, 4, 2, 5]), query([1, None, 0, two], [2, 1, 3, 4])]
        choices = _tried("unjudged")
        if not known.zeros_judged:
            unjudged.append(ranking([0, 1, 0, two]))
            choices["gain"] = (formula.gain, GAINS[-1])
        known.settle([known.ask(each) for each in unjudged], **choices)


def _labels(known: Elimination) -> None:
    """Find the effect of fractional, negative and large labels."""
    if not known.form.is_graded or known.max_label < 2:
        return
    is_table = known.formula.gain.is_table  # measured for whole labels only
    lists = [known.query([0.3, 0.5, 2.6, 1.5, 0.7, 0], ranks) for ranks in ([2, 3, 4, 1, 5, 6], [1, 5, 3, 4, 2, 6])]
    known.open.pop("gain", None)
    choices = _tried("labels")
    if is_table:
        choices["labels"] = ("integer", "truncated", "rounded", "rounded up")
    else:  # the lowest label of a relevant document
        own = {name: getattr(known.formula, name) for name in ("gain", "ideal_gain")}
        choices |= {name: thresholds_like(gain) for name, gain in own.items() if gain is not None}
    known.settle([known.ask(each) for each in lists], **choices)
    lists = [known.query([2, -1, 1, 0], [2, 1, 3, 4]), known.query([2, 0, 1, -1], [2, 1, 4, 3])]
    known.settle([known.ask(each) for each in lists], **_tried("negative"))
    if is_table:
        for name, kind in (("negative", "negative"), ("labels", "fractional")):
            if name in known.unexplained:
                words = f"{kind} labels have a gain that was not measured"
                known.notes.append((words, known.unexplained.pop(name)))
        return
    if known.formula.negative == "keep" and "negative" not in known.open and "negative" not in known.unexplained:
        lists = [known.query(labels, [2, 1]) for labels in ([1, -5], [-1, -2])]
        below = [each for each in lists if known.formula.parts(each, known.probe(each).k)[1] < 0]
        if below:
            known.settle([known.ask(below[0])], **_tried("negative_ideal"))
    _large_labels(known)


def _large_labels(known: Elimination) -> None:
    """Find the highest label that is not refused."""
    answer = known.ask(known.query([40, 1, 0], [2, 1, 3]))
    if answer.value is None:
        low, high = known.max_label, 40
        for hint in (30, 31, None, None, None, None, None, None):
            if high - low <= 1:
                break
            middle = hint if hint is not None and low < hint < high else (low + high) // 2
            last = known.ask(known.query([middle, 1, 0], [2, 1, 3]))
            low, high = (low, middle) if last.value is None else (middle, high)
        known.formula = replace(known.formula, highest=float(low))
        known.evidence["highest"] = [answer, last]
        return
    answers = [(40, answer)]
    if known.agrees(known.formula, answer):
        known.evidence["highest"] = [answer]
        if known.formula.gain.name.startswith("2^"):
            answers.append((70, known.ask(known.query([70, 69, 0], [2, 1, 3]))))
    label, answer = answers[-1]
    if not known.agrees(known.formula, answer):
        words = f"large labels: the formula does not hold for a label of {label}, which gives {answer}"
        known.notes.append((words, answer))


def _duplicates(known: Elimination) -> None:
    """Find the effect of a document that is retrieved twice."""
    if known.form.has_duplicates:
        first, second, third = doc_ids(3)
        ranked = tuple((doc, 4.5 - place) for place, doc in enumerate((first, second, first, third)))
        judged = ((first, known.unit), (second, 0.0), (third, known.unit))
        query = Query(ranked, judged if known.zeros_judged else judged[::2])
        known.settle([known.ask(query)], **_tried("duplicates"))


def _identical_ids(known: Elimination) -> None:
    """Find whether a document with the id of the query is left out."""
    if known.form.has_query_ids:
        ids = [QUERY_ID, *doc_ids(3)]
        lists = [([0, 1, 0, 1], [1, 2, 3, 4]), ([1, 0, 1, 0], [2, 1, 3, 4])]
        queries = [ranking(labels, ranks, ids=ids, zeros_judged=known.zeros_judged) for labels, ranks in lists]
        known.settle([known.ask(query) for query in queries], **_tried("identical_ids"))


def _queries(known: Elimination) -> None:
    """Find how the values of queries are combined."""
    if not known.form.has_queries:
        return
    two, three = min(2, known.max_label), min(3, known.max_label)
    first = known.query([1, 0, 0, 0], [3, 1, 2, 4])
    second = known.query([three, two, 1, 0, 0, 0], [3, 2, 1, 4, 5, 6])
    if not known.form.can_express(known.probe(first, second)):  # a matrix
        second = known.query([three, two, 1, 0], [3, 2, 1, 4])
    third = known.query([0, two, 0, two], [1, 4, 2, 3])
    answers = [known.ask(first, second), known.ask(third, first, second), *_with_a_worthless_query(known)]
    if not known.settle(answers, **_tried("average")):
        return
    if "nonzero" in known.open.get("average", ()):
        known.open.pop("average")  # no list with a relevant document has the value 0
    if known.formula.empty not in ("skip", "error"):
        nothing = known.query([0, 0, 0, 0], [3, 1, 2, 4])
        answers = [known.ask(first, nothing), known.ask(nothing, second)]
        known.evidence["empty"].extend(answers)
        formulas = known.narrow(answers, empty=dict.fromkeys([known.formula.empty, "skip", 0.0, 1.0, "nan"]))
        if formulas:
            known.formula = formulas[0]
        else:
            known.unexplained["empty"] = answers[0]
    if known.form.has_missing_queries:
        known.settle([known.ask(first, Query(None, second.judged))], **_tried("missing"))
        known.settle([known.ask(first, Query(second.ranked, None))], **_tried("extra"))


def _with_a_worthless_query(known: Elimination) -> list[Answer]:
    """Ask about two queries, one of which has relevant documents but the value 0, if this is possible."""
    good, k = known.query([known.unit, 0], [1, 2]), "all"
    if known.form.k is not None and known.formula.cut is not None:
        bad = known.query([known.unit, 0], [2, 1])
        probe = known.probe(good, bad, k=1 - known.formula.cut)
    elif known.form.has_ids and known.formula.unretrieved == "absent":
        probe = known.probe(good, known.query([0, 0], [1, 2], unretrieved=[known.unit]), k=k)
    else:
        return []
    return [known.caller.ask(probe)] if known.form.can_express(probe) else []


def _scores(known: Elimination) -> None:
    """Find out whether scores are compared in single precision, or without their sign."""
    if not known.form.has_scores or known.by_input or known.formula.ties in ("undefined", "random"):
        return
    highest = min(known.max_label, 2) * known.unit
    lists = [([highest, 0, known.unit], [-2.0, -0.5, -1.0]), ([0, known.unit, highest], [1.0, 0.0, -1.5])]
    known.settle([known.ask(known.query(labels, scores=scores)) for labels, scores in lists], **_tried("signs"))
    pairs = [(1.0, 1.0 + 1e-9), (1.0 + 1e-9, 1.0), (1.1, 1.4), (1.2, 1.7), (1.7, 1.2)]
    known.settle([known.ask(known.query([1, 0, 0], scores=[*pair, 0.5])) for pair in pairs], **_tried("precision"))


def _gain_flaws(formula: Formula, form: Form) -> Iterator[Flaw]:
    gain = formula.gain
    usual = {"gain": GAINS[1] if "2^" in gain.name else GAINS[0]}
    is_clipped = gain.name == "min(label, 1)"
    if not form.is_graded:
        return
    if gain.name.startswith("1 for a") or is_clipped:
        # "highest" has a document with the best label at each rank
        same = {"gain": GAINS[0], "ideal": formula.ideal.replace("full", "highest")}
        yield "relevance binarized: all labels of relevant documents count the same", same
    if gain.of(0.0):
        yield f"a document with label 0 has a gain: the gain is {gain}", usual
    elif gain.option is None and not is_clipped:
        yield f"the gain is {gain}, neither the label nor 2^label - 1", usual


def _discount_flaws(formula: Formula, form: Form) -> Iterator[Flaw]:
    name, usual = formula.discount.name, {"discount": DISCOUNTS[0]}
    if name in ("1/log2(rank + 2)", "1/log2(rank + 3)"):
        yield f"the discount starts at log2({int(name[-2]) + 1}): {name}", usual
    elif name.startswith("0 at rank 1"):
        yield f"the first document does not count: the discount is {name}", usual
    elif name.startswith("none"):
        yield "no discount: every rank counts the same", usual
    elif formula.discount.option is None or formula.discount.is_table:
        yield f"the discount is {name}", usual


def _is_constant(formula: Formula) -> bool:
    return formula.ideal.removesuffix(" within n") == "full" and formula.scale != 1


def _ideal_flaws(formula: Formula, form: Form) -> Iterator[Flaw]:
    words = CHOICES["ideal"].words.get(formula.ideal.removesuffix(" within n"))
    if _is_constant(formula):
        words = f"the ideal DCG has a gain of {1 / formula.scale:.6g} at every rank up to k, whatever the labels"
    if words is not None:
        yield words, {"ideal": "sorted", "scale": 1.0}


def _scale_flaws(formula: Formula, form: Form) -> Iterator[Flaw]:
    if formula.scale == 1 or formula.ideal == "none" or _is_constant(formula):
        return
    of_scales = CHOICES["scale"].words
    words = next((of_scales[scale] for scale in of_scales if abs(scale - formula.scale) < 1e-4 * scale), None)
    yield words or f"values are multiplied by {formula.scale:g}", {"scale": 1.0}


def _own_flaws(name: str, words: str) -> Callable[[Formula, Form], Iterator[Flaw]]:
    """Return a function that yields words about a choice of the function's own."""

    def flaws(formula: Formula, form: Form) -> Iterator[Flaw]:
        value = getattr(formula, name)
        if value and (name != "added" or abs(value) > VISIBLE):
            yield words.format(value, formula=formula), {name: getattr(Formula(), name)}

    return flaws


def _cut_flaws(formula: Formula, form: Form) -> Iterator[Flaw]:
    if formula.ideal_cut in ("retrieved", "least") and formula.pool == "judged":
        below = " where there are fewer than k of them" if form.k is not None and formula.ideal_cut == "least" else ""
        yield f"the ideal DCG is cut at the number of retrieved documents{below}", {"ideal_cut": 0}
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
    counts = {-1: "one rank less", 1: "one rank more"}
    if formula.cut in counts:
        yield f"the DCG counts {counts[formula.cut]} than {k}", {"cut": 0}
    if formula.ideal_cut in counts and has_ideal:
        yield f"the ideal DCG counts {counts[formula.ideal_cut]} than {k}", {"ideal_cut": 0}


def _has_pool(formula: Formula, form: Form) -> bool:
    has_pool = formula.ideal.removesuffix(" within n") not in ("none", "full", "documents", "k")
    return has_pool and (formula.pool != "retrieved" or form.has_ids)


#: The choices by name, in the order in which defects are listed.
CHOICES: dict[str, ChoiceRow] = {
    "output": ChoiceRow(find_dcg, tuple(OUTPUTS), defects={
        "one minus": "returns 1 - NDCG", "negative": "returns the negative of NDCG"}),
    "signs": ChoiceRow(_scores, ("kept", "absolute", "dropped", "error"), defects={
        "absolute": "documents are ranked by the absolute values of their scores",
        "dropped": "documents with negative scores are left out of the ranking"}),
    "ties": ChoiceRow(
        _ties, ("average", "stable", "reverse", "docid_desc", "docid_asc", "best", "worst"), option="ties",
        defects={"best": "documents with equal scores are ranked by their labels, the best first"},
        right="average"),
    "order": ChoiceRow(
        find_dcg, ("descending", "ascending", "input"),
        words={"input": "as given", "descending": "highest score first", "ascending": "lowest score first"},
        defects={"ascending": "sorted ascending: the lowest score is ranked first",
                 "input": "not sorted: documents are ranked in the order given, whatever their scores"},
        is_wrong=lambda formula, form: form.has_scores),
    "precision": ChoiceRow(
        _scores, ("float64", "float32"), option="precision", in_convention=("float64", "float32")),
    "labels": ChoiceRow(
        _labels, ("float", "truncated", "rounded", "rounded up", "integer"), option="labels",
        in_convention=("float", "integer", "truncated"),
        defects={how: f"fractional labels are {how} to integers" for how in ("truncated", "rounded", "rounded up")},
        is_wrong=lambda formula, form: not formula.gain.is_table),
    "cut_first": ChoiceRow(_cutoff, (False, True), defects={True: "the list is cut at k before it is sorted"}),
    "gain": ChoiceRow(find_dcg, GAINS, option="gain", defects=_gain_flaws),
    "discount": ChoiceRow(find_dcg, DISCOUNTS, option="discount", defects=_discount_flaws),
    "ideal": ChoiceRow(find_ideal, option="ideal", defects=_ideal_flaws, words={
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
        "relevant within k":
            "the DCG is divided by the number of relevant documents, at most k, not by the ideal DCG"}),
    "added": ChoiceRow(find_ideal, option="added", defects=_own_flaws(
        "added", "{:g} is added to the ideal DCG, so that no ranking reaches 1")),
    "pool": ChoiceRow(
        _documents, ("judged", "retrieved", "top", "first"), option="ideal", is_wrong=_has_pool,
        defects={"retrieved": "the ideal DCG is over the retrieved documents only",
                 "top": "the ideal DCG is over the top k of the ranking only",
                 "first": "the ideal DCG is over the first k documents given, before they are sorted"}),
    "ideal_gain": ChoiceRow(find_ideal, defects=_own_flaws(
        "ideal_gain", "the gain of the ideal DCG is {}, that of the DCG is {formula.gain}")),
    "ideal_discount": ChoiceRow(find_ideal, defects=_own_flaws(
        "ideal_discount", "the discount of the ideal DCG is {}, that of the DCG is {formula.discount}")),
    "scale": ChoiceRow(find_ideal, defects=_scale_flaws, words={
        100.0: "values are in percent",
        1 / math.log(2): "the DCG has natural logarithms and the ideal DCG has binary ones",
        math.log(2): "the DCG has binary logarithms and the ideal DCG has natural ones",
        1 / math.log10(2): "the DCG has decimal logarithms and the ideal DCG has binary ones",
        math.log10(2): "the DCG has binary logarithms and the ideal DCG has decimal ones"}),
    "cut": ChoiceRow(_cutoff, (0, None, -1, 1), defects=_cut_flaws),
    "ideal_cut": ChoiceRow(_cutoff, (0, None, -1, 1), option="ideal_cut", words={
        0: "k", None: "all", -1: "k - 1", 1: "k + 1", "retrieved": "as many as were retrieved", "least": "k"}),
    "cut_within": ChoiceRow(_short_lists, (False, True)),
    "unretrieved": ChoiceRow(_documents, ("absent", "appended"), defects={
        "appended": "documents that were not retrieved are appended to the ranking and counted"}),
    "zeros": ChoiceRow(find_dcg, ("kept", "dropped"), defects={
        "dropped": "documents with label 0 are removed before ranks are counted"}),
    "negative": ChoiceRow(
        _labels, ("error", "keep", "unjudged", "zero", "drop", "absolute"), option="negative",
        in_convention=("error", "unjudged", "keep", "drop"),
        defects={"absolute": "a negative label counts as its absolute value"}, right="unjudged"),
    "duplicates": ChoiceRow(
        _duplicates, ("each", "first", "last", "once", "error"), option="duplicates",
        defects={"each": "a document that is retrieved twice counts twice"}, right="once",
        is_wrong=lambda formula, form: form.has_duplicates),
    "identical_ids": ChoiceRow(
        _identical_ids, ("keep", "drop"), option="identical_ids", in_convention=("keep", "drop")),
    "average": ChoiceRow(
        _queries, ("mean", "nonzero", "pooled", "documents", *COMBINATIONS),
        also={"nonzero": {"empty": "skip"}}, defects={
            "nonzero": "queries with the value 0 are left out of the mean, even if they have relevant documents",
            "pooled": "micro average: the DCG of all queries is divided by the ideal DCG of all queries",
            "documents": "queries are weighted by their number of documents",
            "sum": "the values of the queries are summed, not averaged",
            "first": "only the first query counts"}),
    "own_cutoff": ChoiceRow(_long_lists, option="cutoff"),
    "short": ChoiceRow(_short_lists, ("as is", "zero", "error"), option="short"),
    "empty": ChoiceRow(_empty, option="empty"),
    "negative_ideal": ChoiceRow(_labels, ("divide", "empty"), option="negative_ideal"),
    "highest": ChoiceRow(_labels, option="highest label"),
    "unjudged": ChoiceRow(_documents, ("zero", "nothing", "drop"), option="unjudged", in_convention=("zero", "drop")),
    "missing": ChoiceRow(
        _queries, (0.0, "drop", "error", "empty"), option="missing", in_convention=(0.0, "drop", "error")),
    "extra": ChoiceRow(_queries, ("ignored", "zero", "empty", "error"), option="query without judgments"),
}  # fmt: skip
#: The probes, in the order in which they are asked: a later one knows what earlier ones found.
_PROBES = (
    find_dcg, find_ideal, _long_lists, _cutoff, _default_cutoff, _short_lists, _empty, _ties, _documents, _labels,
    _duplicates, _identical_ids, _queries, _scores,
)  # fmt: skip


def find_choices(known: Elimination) -> None:
    """Find all choices, as far as calls last."""
    try:
        for probe in _PROBES:
            if not known.has_formula:
                break
            probe(known)
    except OutOfCalls:
        known.notes.append(
            ("the budget of calls ended before every choice was tried", next(iter(known.caller.known.values())))
        )
