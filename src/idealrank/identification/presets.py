"""A formula in words: as choices, as a measure and a convention of ours, and as presets."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from idealrank._typing import Floats
from idealrank.identification.choices import CHOICES
from idealrank.identification.elimination import Elimination
from idealrank.identification.function_calls import Answer
from idealrank.identification.gains_and_discounts import relative_weights
from idealrank.identification.identification_result import Choice
from idealrank.identification.ndcg_formulas import Formula
from idealrank.measures.conventions import CONVENTION_NAMES, Convention, convention
from idealrank.measures.measure_base import TIES

__all__ = ["choices_of", "expressed", "matching", "options_of"]

_DATA = ("negative", "labels", "unjudged", "missing", "duplicates", "identical_ids", "precision")
#: Labels whose gains are compared.
_GRADES = (0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 0.3, 0.5, 0.7, 1.5)
#: What may be added to the ideal DCG, to avoid a division by 0, without a visible difference.
_NEGLIGIBLE = 1e-6
#: Where the ideal ranking is cut, as a value of our option.
_IDEAL_CUTS: dict[int | str | None, str] = {0: "cutoff", "least": "shorter", "retrieved": "retrieved", None: "whole"}
#: The same where all documents are retrieved.
_SEEN_ON_ARRAYS = {"shorter": "cutoff", "retrieved": "whole"}
#: The same of ties, where the row number replaces the id; and of ideal rankings, which contain all documents.
_TIES_ON_ARRAYS = {"docid_desc": "reverse", "docid_asc": "stable"}
_IDEALS_ON_ARRAYS = {"judged": "sorted", "retrieved": "sorted"}
#: Options that a convention may leave unset.
_UNSET = {"short": "as is", "negative_ideal": "empty", "ideal_cut": "cutoff"}
#: Under which choice the evidence for an option is, if it has another name.
_EVIDENCE = {"cutoff": "own_cutoff", "ideal": "pool", "highest label": "highest", "k": "cut"}


def options_of(known: Elimination) -> dict[str, str]:
    """Return the choices of a function by the names of our options; those that were not seen are left out."""
    formula, form = known.formula, known.form
    if "formula" in known.unexplained or known.obstacle is not None:
        return {}
    seen = {name: _word(getattr(formula, name)) for name in CHOICES if known.is_seen(name)}
    options = {"discount": formula.discount.text}
    if form.is_graded and known.max_label > 1:
        options["gain"] = formula.gain.text
    if known.is_seen("ideal") and formula.ideal != "sorted":
        options["ideal"] = formula.ideal.removesuffix(" within n")
    elif known.is_seen("ideal") and form.has_ids and "pool" in seen:
        options["ideal"] = formula.pool
    options |= {name: seen[name] for name in ("ties", "empty", "short") if name in seen}
    if "undefined" in known.open.get("ties", ()):
        options["ties"] = f"{formula.ties} in short lists"
    elif "ties" in known.open:
        options.pop("ties", None)  # it makes no difference
    if formula.own_cutoff is not None:
        options["cutoff"] = _cutoff(formula.own_cutoff)
    if known.evidence.get("negative_ideal"):
        options["negative_ideal"] = formula.negative_ideal
    options |= {name: seen[name] for name in _DATA if name in seen}
    kept = known.open.get("negative", ())
    if "negative" in options and kept:
        options["negative"] = "unjudged" if "unjudged" in kept else str(kept[0])
        if "keep" in kept:
            options.pop("negative")  # it makes no difference
    if formula.highest is not None:
        options["highest label"] = f"{formula.highest:g}"
    if "average" in seen:
        options["average"] = formula.average
    return options


def _cutoff(own: int | float) -> str:
    return f"{100 * own:g}%" if isinstance(own, float) else str(own)


def _word(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _is_usual(formula: Formula) -> bool:
    """Return whether options can say what a formula does, besides its gain, discount and ideal."""
    usual = Formula()
    without_option = [name for name, row in CHOICES.items() if not row.option]
    has_usual = all(getattr(formula, name) == getattr(usual, name) for name in without_option)
    return has_usual and formula.pool not in ("top", "first") and abs(formula.added) <= _NEGLIGIBLE


def expressed(known: Elimination, options: dict[str, str]) -> tuple[str | None, Convention | None]:
    """Return the function as a measure and a convention of ours, or None if options cannot say what it does."""
    formula = known.formula
    has_options = formula.gain.option is not None and formula.discount.option is not None and formula.ties in TIES
    if (
        not (options and has_options and _is_usual(formula))
        or formula.ideal not in ("sorted", "full", "none")
        or formula.ideal_cut not in _IDEAL_CUTS
        or formula.precision in ("truncated", "rounded")
    ):
        return None, None
    has_empty = formula.empty in (0.0, 1.0, "nan", "skip") and formula.short != "error"
    written = {
        "ties": options.get("ties") if "undefined" not in known.open.get("ties", ()) else formula.ties,
        "empty": options.get("empty") if has_empty and "discount beyond rank 6" not in known.unexplained else None,
        "gain": formula.gain.text if "gain" in options else None,
        "discount": options["discount"],
        "ideal": options.get("ideal"),
        "short": formula.short if formula.short == "zero" else None,
        "ideal_cut": _IDEAL_CUTS[formula.ideal_cut] if formula.ideal_cut != 0 and formula.ideal == "sorted" else None,
    }
    if formula.ideal == "none":
        written = {name: written[name] for name in ("ties", "gain", "discount")}
    inside = ",".join(f"{name}={value}" for name, value in written.items() if value is not None)
    cutoff = "" if formula.own_cutoff is None else f"@{_cutoff(formula.own_cutoff)}"
    measure = f"{'dcg' if formula.ideal == 'none' else 'ndcg'}({inside}){cutoff}"
    data: dict[str, Any] = {
        name: getattr(formula, name)
        for name, row in CHOICES.items()
        if name in options and getattr(formula, name) in row.in_convention
    }
    return measure, Convention("identified", note="Found by identify.", **data)


def choices_of(known: Elimination, options: dict[str, str]) -> list[Choice]:
    """Return the choices as rows of a table, each with the list that shows it best."""
    rows = [Choice("takes", str(known.form))]
    for name, value in (_words(known) | options).items():
        answers = known.evidence.get(_EVIDENCE.get(name, name)) or known.evidence.get(name) or ()
        # the smallest answer that is not a trivial value
        telling = [each for each in answers if each.value is None or each.value not in (0.0, 1.0)] or answers
        shown = min(telling, key=lambda each: each.probe.size, default=None)
        rows.append(Choice(name, value) if shown is None else Choice(name, value, _brief(shown), str(shown)))
    return rows + [
        Choice(name, "not identified", _brief(answer), str(answer)) for name, answer in known.unexplained.items()
    ]


def _words(known: Elimination) -> dict[str, str]:
    """Return choices without an option of their own, in words."""
    formula, has_k = known.formula, known.form.k is not None
    words = {}
    if known.is_seen("order") and known.form.has_scores:
        words["order"] = CHOICES["order"].words[formula.order]
    if "own_cutoff" in known.evidence and formula.own_cutoff is None:
        words["cutoff"] = "none unless k is given" if has_k else "none"
    if has_k and known.is_seen("cut"):
        of_cuts = {**CHOICES["ideal_cut"].words, **({-1: "min(k, n) - 1"} if formula.cut_within else {})}
        counted = "all ranks count" if formula.cut is None else f"the first {of_cuts[formula.cut]} ranks count"
        words["k"] = f"{counted}, {of_cuts[formula.ideal_cut]} in the ideal"
    if known.is_seen("extra"):
        words["query without judgments"] = formula.extra
    if known.is_close.decimals is not None:
        how = "truncated" if known.is_close.truncates else "rounded"
        words["values"] = f"{how} to {known.is_close.decimals} decimals"
    elif known.is_close.tolerance > 1e-9:
        words["values"] = "single precision"
    if formula.baseline != "none":
        words["subtracted"] = CHOICES["baseline"].words[formula.baseline]
    if formula.added:
        words["added"] = f"{formula.added:g} to the ideal DCG"
    if formula.scale != 1:
        words["scale"] = f"{formula.scale:.9g}"
    return words


def _brief(answer: Answer) -> str:
    """Return the list of an answer, or what matters about it if it is long."""
    queries, k = answer.probe.queries, answer.probe.k
    if sum(len(query.docs) for query in queries) < 12:
        return str(answer.probe)
    labels = [queries[0].labels.get(doc, 0) for doc in queries[0].in_rank_order]
    ranks = ", ".join(str(rank) for rank, label in enumerate(labels, 1) if label)
    return f"{len(labels)} documents, relevant at rank {ranks}" + ("" if k is None else f", k = {k}")


def matching(known: Elimination, options: dict[str, str]) -> tuple[list[str], dict[str, tuple[str, ...]]]:
    """Return the presets that agree on everything that was tried, and otherwise the nearest with what differs."""
    unclear = {"ideal", "empty", "short", "ties", "cutoff", "average", *_DATA} & known.unexplained.keys()
    if not options or known.formula.ideal not in ("sorted", "full") or not _is_usual(known.formula) or unclear:
        return [], {}
    own = _compared(known, options)
    differing = {}
    for name in CONVENTION_NAMES:
        theirs = _preset(name, known.form.k is not None, known.form.has_ids)
        same = {"gain": _has_gains(known, theirs["gain"]), "discount": _has_weights(known, theirs["discount"])}
        differing[name] = tuple(
            f"{each}={value}" for each, value in own.items() if not same.get(each, value in theirs.get(each, ()))
        )
    presets = [name for name, differences in differing.items() if not differences]
    fewest = min(map(len, differing.values()))
    return presets, {} if presets else {name: each for name, each in differing.items() if len(each) == fewest}


def _compared(known: Elimination, options: dict[str, str]) -> dict[str, str]:
    """Return the choices of a function that are compared with those of presets."""
    formula, form = known.formula, known.form
    names = ("gain", "discount", "ideal_cut", "ties", "empty", "short", *_DATA, "ideal", "negative_ideal", "cutoff")
    own = {name: options.get(name, "") for name in (*names, "highest label")}
    ideal_cut = _IDEAL_CUTS.get(formula.ideal_cut, str(formula.ideal_cut))
    if form.has_ids:
        own["ideal_cut"] = ideal_cut
    else:
        if "cut" in known.evidence:
            own["ideal_cut"] = _SEEN_ON_ARRAYS.get(ideal_cut, ideal_cut)
        if known.is_seen("ideal") and form.k is not None:  # without k, a full list is as long as the list
            own["ideal"] = own["ideal"] or formula.ideal
    if not form.has_queries and own["empty"] == "nan":  # the only query is left out
        own["empty"] = "no value"
    if "undefined" in known.open.get("ties", ()) and own["ties"]:
        own["ties"] = "undefined"
    own["cutoff"] = str(formula.own_cutoff) if form.k is None and "own_cutoff" in known.evidence else ""
    if own["negative"] == "zero":
        own["negative"] = "unjudged"
    if form.has_duplicates:  # presets describe what happens to files and dicts
        own["duplicates"] = ""
    return {name: value for name, value in own.items() if value}


@cache
def _preset(name: str, has_cutoff: bool, has_ids: bool) -> dict[str, Any]:
    """Return what a convention says about NDCG: gains, weights, and the values of other choices that agree with it."""
    rules = convention(name)
    of_ndcg = rules.for_measure("ndcg", has_cutoff)
    names = ("gain", "discount", "ties", "empty", "ideal", "cutoff", *_UNSET)
    option: dict[str, Any] = {each: rules.option(each, "ndcg", has_cutoff) for each in names}
    option |= {each: option[each] or value for each, value in _UNSET.items()}
    option |= {each: getattr(of_ndcg, each) for each in _DATA}
    if not has_ids:
        seen = {"ideal_cut": _SEEN_ON_ARRAYS, "ties": _TIES_ON_ARRAYS, "ideal": _IDEALS_ON_ARRAYS}
        option |= {each: words.get(option[each], option[each]) for each, words in seen.items()}
    theirs: dict[str, Any] = {each: [_word(value)] for each, value in option.items()}
    if option["empty"] in ("nan", "skip"):
        theirs["empty"].append("no value")
    if rules.option("stable_up_to", "ndcg", has_cutoff) is not None:
        theirs["ties"].append("undefined")
    if getattr(option["gain"], "highest", None) is not None or rules.labels == "binary":
        theirs["highest label"] = [str(label) for label in range(41)]
    return theirs | {"gain": option["gain"](_GRADES), "discount": relative_weights(option["discount"])}


def _has_weights(known: Elimination, weights: Floats) -> bool:
    own = known.formula.discount.relative
    return own is not None and bool(np.allclose(own, weights, rtol=0, atol=1e-12))


def _has_gains(known: Elimination, values: Floats) -> bool:
    """Return whether the gains of a function are these; gains of fractions are compared if they were seen."""
    gain = known.formula.gain
    has_fractions = known.formula.labels == "float" and "labels" in known.evidence and not gain.is_table
    return all(
        abs(gain.of(label) - value) < 1e-12
        for label, value in zip(_GRADES, values.tolist(), strict=True)
        if (label <= known.max_label if label.is_integer() else has_fractions)
    )
