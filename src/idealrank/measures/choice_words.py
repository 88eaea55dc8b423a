"""The words for every choice of a convention and its values: explanations, pages and the explorer read them here."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from idealrank._names.options import number_text
from idealrank.measures import discounts, gains


@dataclass(frozen=True)
class ChoiceWords:
    """What a choice is called, and what its values are called; a value that has no words is shown as it is."""

    title: str
    values: Mapping[str, str] = field(default_factory=dict)


_REMOVED = "are removed first"
_NOT_RELEVANT = "count as not relevant"
_QUERIES = {
    "0": "count as 0",
    "1": "count as 1",
    "nan": "have no value",
    "skip": "are left out",
    "drop": "are left out",
}

#: Options of measures, choices about the data, and "like", the tool.
CHOICE_WORDS: Mapping[str, ChoiceWords] = {
    "like": ChoiceWords("tool"),
    "cutoff": ChoiceWords("cutoff", {"None": "all ranks"}),
    "ties": ChoiceWords(
        "equal scores",
        {
            "average": "mean over all orders",
            "stable": "in input order",
            "reverse": "in reverse input order",
            "best": "highest label first",
            "worst": "lowest label first",
            "docid_desc": "by descending id",
            "docid_asc": "by ascending id",
        },
    ),
    "empty": ChoiceWords("queries with nothing relevant", _QUERIES),
    "judged_only": ChoiceWords("unjudged documents", {"None": _NOT_RELEVANT, "False": _NOT_RELEVANT, "True": _REMOVED}),
    "gain": ChoiceWords("gain"),
    "discount": ChoiceWords("discount"),
    "ideal": ChoiceWords(
        "ideal ranking",
        {
            "judged": "judged documents",
            "retrieved": "retrieved documents",
            "full": "k documents with gain 1",
        },
    ),
    "ideal_cut": ChoiceWords(
        "end of the ideal ranking",
        {
            "None": "at the cutoff",
            "cutoff": "at the cutoff",
            "shorter": "at the cutoff, or before it with the list",
            "retrieved": "with the list",
            "whole": "never",
        },
    ),
    "short": ChoiceWords("lists shorter than k", {"as is": "are scored as they are", "zero": "score 0"}),
    "negative_ideal": ChoiceWords(
        "negative ideal DCG",
        {"None": "means nothing relevant", "empty": "means nothing relevant", "divide": "is a divisor"},
    ),
    "rel": ChoiceWords("relevant from"),
    "denominator": ChoiceWords(
        "divisor",
        {
            "relevant": "number of relevant documents",
            "reachable": "number of relevant documents, at most k",
            "hits": "number of relevant documents found",
            "cutoff": "k",
            "retrieved": "number of retrieved documents, at most k",
        },
    ),
    "grades": ChoiceWords(
        "gain", {"binary": "1 if relevant", "labels": "the label", "scaled": "label / highest label of the query"}
    ),
    "p": ChoiceWords("persistence"),
    "normalize": ChoiceWords(
        "normalization", {"none": "none", "pairs": "by the number of pairs", "weights": "by the weight of the pairs"}
    ),
    "rounding": ChoiceWords("rank of a recall level", {"up": "rounded up", "nearest": "rounded to the nearest"}),
    "max_label": ChoiceWords("highest label"),
    "negative": ChoiceWords(
        "negative labels",
        {
            "error": "are refused",
            "unjudged": "make a document unjudged",
            "keep": "are kept",
            "drop": "remove the document",
        },
    ),
    "unjudged": ChoiceWords("unjudged documents", {"zero": _NOT_RELEVANT, "drop": _REMOVED}),
    "missing": ChoiceWords("queries missing from the run", _QUERIES | {"error": "are refused"}),
    "duplicates": ChoiceWords(
        "repeated documents",
        {
            "last": "keep the last value",
            "first": "keep the first value",
            "best": "keep the highest value",
            "error": "are refused",
        },
    ),
    "identical_ids": ChoiceWords("documents with the id of the query", {"keep": "are kept", "drop": _REMOVED}),
    "zero_scores": ChoiceWords("scores of 0 or less", {"keep": "are ranked like others", "irrelevant": _NOT_RELEVANT}),
    "precision": ChoiceWords("precision of scores", {"float64": "double", "float32": "float"}),
    "labels": ChoiceWords(
        "labels",
        {
            "float": "any number",
            "integer": "whole numbers only",
            "binary": "0 and 1 only",
            "truncated": "truncated to whole numbers",
        },
    ),
}


def choice_title(choice: str) -> str:
    """Return what a choice is called.

    Examples
    --------
    >>> choice_title("ties"), choice_title("false_alarm")
    ('equal scores', 'false alarm')
    """
    return CHOICE_WORDS[choice].title if choice in CHOICE_WORDS else choice.replace("_", " ")


def choice_value(choice: str, value: Any) -> str:
    """Return what the value of a choice is called; a gain or a discount may be its text form.

    Examples
    --------
    >>> choice_value("ties", "stable"), choice_value("gain", "exp2:30"), choice_value("empty", 0.0)
    ('in input order', '2^label - 1, up to label 30', 'count as 0')
    """
    known = CHOICE_WORDS[choice].values if choice in CHOICE_WORDS else {}
    if value is None:
        return known.get("None", "none")
    if choice == "gain":
        return _gain(gains.of(value))
    if choice == "discount":
        return _discount(discounts.of(value))
    if choice == "rel":
        return _from_label(float(value))
    text = number_text(value) if isinstance(value, float) and math.isfinite(value) else str(value)
    return known.get(text, text)


def choice_change(choice: str, before: Any, after: Any) -> str:
    """Return a change of a choice in words.

    Examples
    --------
    >>> choice_change("ideal", "judged", "retrieved")
    'ideal ranking: judged documents -> retrieved documents'
    """
    return f"{choice_title(choice)}: {choice_value(choice, before)} -> {choice_value(choice, after)}"


def _gain(gain: gains.Gain) -> str:
    match gain:
        case gains.Linear():
            return "the label"
        case gains.Exp2(highest):
            return "2^label - 1" if highest is None else f"2^label - 1, up to label {highest:g}"
        case gains.Binary(least):
            return "1 if judged" if least == 0 else f"1 from {_from_label(least)} on"
    return str(gain)


def _discount(discount: discounts.Discount) -> str:
    match discount:
        case discounts.Log(base):
            return f"1 / log{base:g}(1 + rank)"
        case discounts.Letor():
            return "1 / log2(max(2, rank))"
        case discounts.Zipf():
            return "1 / rank"
        case discounts.Linear():
            return "n - rank"
        case discounts.Power(beta):
            return f"rank^-{beta:g}"
        case discounts.Geometric(base):
            return f"{base:g}^-rank"
    return str(discount)


def _from_label(least: float) -> str:
    """Return which labels are relevant; a tool may say "above 0.5", which is from the next number on."""
    below = math.nextafter(least, -math.inf)
    is_above = len(number_text(below)) < len(number_text(least))
    return f"above label {number_text(below)}" if is_above else f"label {number_text(least)}"
