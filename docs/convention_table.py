"""The words in which pages state a convention, made from the preset itself so that no two pages can disagree.

presets.md has every convention, and conventions.md every tool; tests compare both with what is made here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from idealrank.measures.conventions import CONVENTION_NAMES, Convention, convention

__all__ = ["cell", "notes", "option_of", "typeset"]

_EXP2 = "2<sup>label</sup>&nbsp;&minus;&nbsp;1"
_WORDS = {
    "exp2": _EXP2,
    "exp2:30": f"{_EXP2}, label up to 30",
    "exp2:31": f"{_EXP2}, label up to 31",
    "linear": "label",
    "binary:1": "1 if relevant",
    "binary:0": "1 if judged",
    "log:2": "1/log2(r&nbsp;+&nbsp;1)",
    "letor": "1, then 1/log2(r)",
    "average": "averaged",
    "stable": "input order",
    "worst": "lower label first",
    "docid_desc": "id descending",
    "docid_asc": "id ascending",
    "skip": "left out",
    "drop": "left out",
    "zero": "0",
    "nan": "no value",
    "full": "k relevant ones",
    "float64": "double",
    "float32": "float",
    "relevant": "R",
    "reachable": "min(R, k)",
    "hits": "hits",
    "cutoff": "k",
}
#: What a tool does that no convention can: {(convention, option): words}.
_ONLY_THE_TOOL = {("llama_index", "empty"): "an error"}


def option_of(rules: Convention, option: str, measure: str = "ndcg") -> str:
    """Return the value of an option, or of a choice about the data, as a measure's name has it."""
    base, _, at = measure.partition("@")
    value = rules.for_measure(base, bool(at)).data.get(option, rules.option(option, base, bool(at)))
    return f"{value:g}" if isinstance(value, float) else str(value)


def cell(rules: Convention, option: str, measures: Sequence[str] = ("ndcg",)) -> str:
    """Return the words for the first measure, and then the measures for which they are others."""
    by_words: dict[str, list[str]] = {}
    for name in measures:
        by_words.setdefault(_words(rules, option, name), []).append(name)
    first, *others = by_words
    return "; ".join([first, *(f"{', '.join(by_words[other])}: {other}" for other in others)])


def _words(rules: Convention, option: str, measure: str) -> str:
    value = option_of(rules, option, measure)
    words = _WORDS.get(value, value)
    base, _, at = measure.partition("@")
    longest: Any = rules.option("stable_up_to", base, bool(at)) if option == "ties" else None
    if longest == 1:
        return "undefined"
    if longest:
        return f"{words} up to {longest} documents, undefined beyond"
    theirs = _ONLY_THE_TOOL.get((rules.name, option))
    return f"{words} (the tool: {theirs})" if theirs else words


def notes() -> str:
    """Return a list of the notes of all conventions."""
    return "\n".join(f"- `{rules.name}`: {typeset(rules.note)}" for rules in map(convention, CONVENTION_NAMES))


def typeset(text: str) -> str:
    """Return text with the exponents of a page, not of a terminal.

    >>> typeset("gain 2^label - 1")
    'gain 2<sup>label</sup>&nbsp;&minus;&nbsp;1'
    """
    return text.replace("2^label - 1", _EXP2)
