"""A formula in words: as choices, as a measure and a convention of ours, and as presets."""

from __future__ import annotations

from collections.abc import Sequence

from idealrank.identification.function_calls import Answer
from idealrank.identification.identification_result import Choice
from idealrank.identification.investigation import Investigation
from idealrank.identification.ndcg_formulas import Formula
from idealrank.measures import discounts, gains
from idealrank.measures import measure as measure_of
from idealrank.measures.conventions import CONVENTION_NAMES, Convention, convention
from idealrank.measures.measure_base import TIES

__all__ = ["choices_of", "matching", "options_of"]

_DATA = ("negative", "labels", "unjudged", "missing", "duplicates", "precision")
_FOR_GRADES = (0.3, 0.5, 0.7, 1.5)
#: Choices that no option of ours changes.
_USUAL = (
    "order",
    "ideal_gain",
    "ideal_discount",
    "scale",
    "baseline",
    "floor",
    "clip",
    "output",
    "counted",
    "relative",
    "signs",
    "cut",
    "cut_first",
    "cut_within",
    "unretrieved",
    "zeros",
    "average",
)
#: What may be added to the ideal DCG, to avoid a division by 0, without a visible difference.
_NEGLIGIBLE = 1e-6
#: Where the ideal ranking is cut, as a value of our option.
_IDEAL_CUTS: dict[int | str | None, str] = {0: "cutoff", "least": "shorter", "retrieved": "retrieved", None: "whole"}
#: The same where all documents are retrieved.
_SEEN_ON_ARRAYS = {"shorter": "cutoff", "retrieved": "whole"}


def _is_seen(found: Investigation, name: str) -> bool:
    return name in found.evidence and name not in found.unexplained


def options_of(found: Investigation) -> dict[str, str]:
    """Return the choices of a function by the names of our options; those that were not seen are left out."""
    formula, form = found.formula, found.form
    if (
        "formula" in found.unexplained
        or found.is_constant
        or found.other_measure
        or found.changing
        or found.by_magnitude
    ):
        return {}
    options = {"discount": str(formula.discount.option or formula.discount)}
    if form.is_graded and found.max_label > 1:
        options["gain"] = str(formula.gain.option or formula.gain)
    if _is_seen(found, "ideal"):
        options |= _ideal_option(found)
    options |= {name: _word(getattr(formula, name)) for name in ("ties", "empty", "short") if _is_seen(found, name)}
    if "undefined" in found.open.get("ties", ()):
        options["ties"] = f"{formula.ties} in short lists"
    elif "ties" in found.open:
        options.pop("ties", None)  # it makes no difference
    if formula.own_cutoff is not None:
        options["cutoff"] = _cutoff(formula.own_cutoff)
    if found.evidence.get("negative_ideal"):
        options["negative_ideal"] = formula.negative_ideal
    options |= {name: _word(getattr(formula, name)) for name in _DATA if _is_seen(found, name)}
    if "negative" in options and len(found.open.get("negative", ())) > 1:
        kept = found.open["negative"]
        options["negative"] = "unjudged" if "unjudged" in kept else str(kept[0])
        if "keep" in kept:
            options.pop("negative")  # it makes no difference
    if formula.highest is not None:
        options["highest label"] = f"{formula.highest:g}"
    if _is_seen(found, "average"):
        options["average"] = formula.average
    return options


def _ideal_option(found: Investigation) -> dict[str, str]:
    formula = found.formula
    if formula.ideal == "sorted":
        if not found.form.has_ids:
            return {}
        return {"ideal": formula.pool} if _is_seen(found, "pool") else {}
    return {"ideal": formula.ideal.removesuffix(" within n")}


def _cutoff(own: int | float) -> str:
    return f"{100 * own:g}%" if isinstance(own, float) else str(own)


def _word(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def expressed(found: Investigation, options: dict[str, str]) -> tuple[str | None, Convention | None]:
    """Return the function as a measure and a convention of ours, or None if options cannot say what it does."""
    formula = found.formula
    usual = Formula()
    if any(getattr(formula, name) != getattr(usual, name) for name in _USUAL) or formula.ideal_cut not in _IDEAL_CUTS:
        return None, None
    if formula.ideal not in ("sorted", "full", "none") or formula.pool in ("top", "first") or not options:
        return None, None
    if abs(formula.added) > _NEGLIGIBLE:
        return None, None
    if formula.precision in ("truncated", "rounded"):
        return None, None
    if formula.gain.option is None or formula.discount.option is None or formula.ties not in TIES:
        return None, None
    if (
        formula.empty not in (0.0, 1.0, "nan", "skip")
        or formula.short == "error"
        or "discount beyond rank 6" in found.unexplained
    ):
        written_empty = None
    else:
        written_empty = options.get("empty")
    written = {
        "ties": options.get("ties") if "undefined" not in found.open.get("ties", ()) else formula.ties,
        "empty": written_empty,
        "gain": str(formula.gain.option) if "gain" in options else None,
        "discount": options["discount"],
        "ideal": options.get("ideal") if formula.ideal != "none" else None,
        "short": formula.short if formula.short == "zero" else None,
        "ideal_cut": _IDEAL_CUTS[formula.ideal_cut] if formula.ideal_cut != 0 and formula.ideal == "sorted" else None,
    }
    if formula.ideal == "none":
        written = {name: written[name] for name in ("ties", "gain", "discount")}
    inside = ",".join(f"{name}={value}" for name, value in written.items() if value is not None)
    name = "dcg" if formula.ideal == "none" else "ndcg"
    text = f"{name}({inside})" + ("" if formula.own_cutoff is None else f"@{_cutoff(formula.own_cutoff)}")
    measured = str(measure_of(text))
    data: dict[str, object] = {}
    for choice, known in (
        ("negative", ("error", "unjudged", "keep", "drop")),
        ("unjudged", ("zero", "drop")),
        ("precision", ("float64", "float32")),
        ("labels", ("float", "integer", "truncated")),
    ):
        if getattr(formula, choice) in known and choice in options:
            data[choice] = getattr(formula, choice)
    if _is_seen(found, "missing") and formula.missing in (0.0, "drop", "error"):
        data["missing"] = formula.missing
    return measured, Convention("identified", note="Found by identify.", **data)  # type: ignore[arg-type]


def choices_of(found: Investigation, options: dict[str, str]) -> list[Choice]:
    """Return the choices as rows of a table, each with the list that shows it best."""
    rows = [Choice("takes", str(found.form))]
    words = _words(found)
    evidence = {"cutoff": "own_cutoff", "ideal": "pool", "highest label": "highest", "discount": "discount", "k": "cut"}
    for name, value in {**words, **{key: value for key, value in options.items() if key not in words}}.items():
        answers = found.evidence.get(evidence.get(name, name)) or found.evidence.get(name) or []
        shown = _telling(answers)
        if shown is None:
            rows.append(Choice(name, value))
        else:
            rows.append(Choice(name, value, str(shown.probe) if _length(shown) < 12 else _brief(shown), str(shown)))
    for name, answer in found.unexplained.items():
        rows.append(
            Choice(name, "not identified", str(answer.probe) if _length(answer) < 12 else _brief(answer), str(answer))
        )
    return rows


def _words(found: Investigation) -> dict[str, str]:
    """Return choices without an option of their own, in words."""
    formula = found.formula
    words = {}
    if _is_seen(found, "order") and found.form.has_scores:
        words["order"] = {
            "input": "as given",
            "descending": "highest score first",
            "ascending": "lowest score first",
            "text": "by the text of the scores",
            "argsort": "what argsort returns is taken for ranks",
        }[formula.order]
    if "own_cutoff" in found.evidence and formula.own_cutoff is None:
        words["cutoff"] = "none" if found.form.k is None else "none unless k is given"
    if found.form.k is not None and _is_seen(found, "cut"):
        offset = {
            0: "k",
            None: "all",
            -1: "k - 1" if not formula.cut_within else "min(k, n) - 1",
            1: "k + 1",
            "retrieved": "as many as were retrieved",
            "least": "k",
        }
        counted = "all ranks count" if formula.cut is None else f"the first {offset[formula.cut]} ranks count"
        words["k"] = f"{counted}, {offset[formula.ideal_cut]} in the ideal"
    if _is_seen(found, "extra"):
        words["query without judgments"] = formula.extra
    if found.decimals is not None:
        words["values"] = f"{'truncated' if found.truncates else 'rounded'} to {found.decimals} decimals"
    elif found.tolerance > 1e-9:
        words["values"] = "single precision"
    if formula.baseline != "none":
        words["subtracted"] = {"worst": "the DCG of the worst order", "random": "the mean DCG of all orders"}[
            formula.baseline
        ]
    if formula.added:
        words["added"] = f"{formula.added:g} to the ideal DCG"
    if formula.scale != 1:
        words["scale"] = f"{formula.scale:.9g}"
    return words


def _telling(answers: Sequence[Answer]) -> Answer | None:
    """Return the smallest answer that is not a trivial value."""
    if not answers:
        return None
    plain = [each for each in answers if each.value is None or each.value not in (0.0, 1.0)] or list(answers)
    return min(plain, key=lambda each: each.probe.size)


def _length(answer: Answer) -> int:
    return sum(len(query.ranked or ()) for query in answer.probe.queries)


def _brief(answer: Answer) -> str:
    query = answer.probe.queries[0]
    labels = query.labels
    relevant = [place for place, doc in enumerate(query.in_rank_order, 1) if labels.get(doc, 0)]
    k = "" if answer.probe.k is None else f", k = {answer.probe.k}"
    return f"{len(query.ranked or ())} documents, relevant at rank {', '.join(map(str, relevant))}{k}"


def matching(found: Investigation, options: dict[str, str]) -> tuple[list[str], dict[str, tuple[str, ...]]]:
    """Return the presets that agree on everything that was tried, and otherwise the nearest with what differs."""
    formula, usual = found.formula, Formula()
    if not options or formula.ideal not in ("sorted", "full") or formula.pool in ("top", "first"):
        return [], {}
    if any(getattr(formula, name) != getattr(usual, name) for name in _USUAL) or "ideal" in found.unexplained:
        return [], {}
    if abs(formula.added) > _NEGLIGIBLE:
        return [], {}
    if set(found.unexplained) & {"empty", "short", "ties", "cutoff", "average", *_DATA}:
        return [], {}
    differing = {name: _differences(found, options, convention(name)) for name in CONVENTION_NAMES}
    presets = [name for name, differ in differing.items() if not differ]
    if presets:
        return presets, {}
    fewest = min(len(differ) for differ in differing.values())
    return [], {name: tuple(differ) for name, differ in differing.items() if len(differ) == fewest}


def _differences(found: Investigation, options: dict[str, str], rules: Convention) -> list[str]:
    has_cutoff = found.form.k is not None
    formula = found.formula
    differ = []

    def option(name: str) -> object:
        return rules.option(name, "ndcg", has_cutoff)

    if "gain" in options and not _same_gain(found, option("gain")):
        differ.append(f"gain={options['gain']}")
    discount = option("discount")
    assert isinstance(discount, discounts.Discount)
    own = formula.discount.option
    if own is None or not all(
        abs(a / discount(1, 12) - b / own(1, 12)) < 1e-12
        for a, b in zip(discount.weights(12), own.weights(12), strict=True)
    ):
        differ.append(f"discount={options['discount']}")
    cuts = [_IDEAL_CUTS.get(formula.ideal_cut, str(formula.ideal_cut)), str(option("ideal_cut") or "cutoff")]
    if not found.form.has_ids:
        cuts = [_SEEN_ON_ARRAYS.get(cut, cut) for cut in cuts]
    if cuts[0] != cuts[1] and ("cut" in found.evidence or found.form.has_ids):
        differ.append(f"ideal_cut={cuts[0]}")
    rules_of = rules.for_measure("ndcg", has_cutoff)
    theirs: dict[str, object] = {"ties": option("ties"), "empty": option("empty"), "short": option("short")}
    theirs |= {name: getattr(rules_of, name) for name in _DATA}
    theirs["ideal"] = option("ideal")
    theirs["negative_ideal"] = option("negative_ideal") or "empty"
    if not found.form.has_scores and "ties" in theirs:
        theirs.pop("ties")
    if found.form.has_duplicates:  # presets describe what happens to files and dicts
        theirs.pop("duplicates")
    for name, value in theirs.items():
        if name not in options or (
            name == "ties" and "undefined" in found.open.get("ties", ()) and option("stable_up_to") is not None
        ):
            continue
        wanted = "undefined" if name == "ties" and "undefined" in found.open.get("ties", ()) else options[name]
        if name == "short" and value is None:
            value = "as is"
        if name == "negative" and wanted == "zero":
            wanted = "unjudged"
        if wanted != _word(value):
            differ.append(f"{name}={wanted}")
    if not has_cutoff and "own_cutoff" in found.evidence and formula.own_cutoff != option("cutoff"):
        differ.append(f"cutoff={formula.own_cutoff}")
    limit = getattr(option("gain"), "highest", None)
    if "highest label" in options and limit is None and rules.labels != "binary":
        differ.append(f"highest label={options['highest label']}")
    return differ


def _same_gain(found: Investigation, gain: object) -> bool:
    assert isinstance(gain, gains.Gain)
    own = found.formula.gain.of
    labels = [float(label) for label in range(found.max_label + 1)]
    if found.formula.labels == "float" and "labels" in found.evidence and "table" not in str(found.formula.gain):
        labels += _FOR_GRADES
    try:
        theirs = gain(labels)
    except ValueError:
        return False
    return all(abs(own(label) - value) < 1e-12 for label, value in zip(labels, theirs.tolist(), strict=True))
