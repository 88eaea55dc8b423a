"""Identify what an unknown NDCG computes, from what it returns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from idealrank._present.json_values import Plain, plain
from idealrank._present.page import Page, Section, Statement, listed
from idealrank._present.result import Result
from idealrank._present.table import Column, Table, Value
from idealrank._typing import Floats
from idealrank.errors import OptionError
from idealrank.identification.calling_forms import Form, forms_of, parse_takes
from idealrank.identification.choices import CHOICES, find_choices
from idealrank.identification.dcg_and_ideal import Elimination, RandomCheck, check
from idealrank.identification.defects import Defect, defects_of
from idealrank.identification.function_calls import Answer, Caller, FormSearch, ShellCommand
from idealrank.identification.ndcg_formulas import Formula, relative_weights
from idealrank.measures.conventions import CONVENTION_NAMES, Convention, convention
from idealrank.measures.measure_base import TIES

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
        options["cutoff"] = str(formula.own_cutoff)
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
    cutoff = "" if formula.own_cutoff is None else f"@{formula.own_cutoff}"
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


@dataclass(frozen=True)
class Choice:
    """One choice of a function.

    Attributes
    ----------
    name : str
        The choice.
    value : str
        What the function does.
    example : str
        A list that shows it.
    returned : str
        What the function returned for the list.
    """

    name: str
    value: str
    example: str = ""
    returned: str = ""


@dataclass(frozen=True, repr=False)
class Identification(Result):
    """The result of `identify`.

    Attributes
    ----------
    function : str
        The name of the function.
    status : {"identified", "partly identified", "not identified"}
        Whether a formula was found that agrees with the function on all random lists and explains every choice.
    takes : str
        The arguments of the function, one word per argument.
    choices : tuple of Choice
        The choices that were found, each with a list that shows it.
    measure : str or None
        The idealrank measure that computes the same; None if options cannot express it.
    convention : Convention or None
        The choices of the function about the data, for ``like=``; None if a convention cannot express them.
    presets : tuple of str
        The conventions that agree with the function in all tests.
    nearest : mapping
        {convention: choices that differ} for the most similar conventions, if none matches.
    defects : tuple of Defect
        The defects that were found, each with the smallest list that shows it.
    notes : tuple of str
        Errors, and what could not be identified.
    n_calls : int
        The number of calls of the function.
    n_checked, n_agreeing : int
        The number of random lists on which the formula was compared with the function, and on which they agree.
    tolerance : float
        The largest difference between values that count as equal.
    options : mapping of str to str
        {option: value} of the measure that was found.

    Examples
    --------
    >>> from idealrank import identify
    >>> def ndcg(y_true, y_score):
    ...     import math
    ...     ranked = [label for _, label in sorted(zip(y_score, y_true), key=lambda pair: -pair[0])]
    ...     dcg = lambda labels: sum(label / math.log2(rank + 2) for rank, label in enumerate(labels))
    ...     return dcg(ranked) / dcg(sorted(y_true, reverse=True)) if any(y_true) else 0.0
    >>> result = identify(ndcg)
    >>> result.status, result.measure
    ('identified', 'ndcg(ties=stable,empty=0,gain=linear,discount=log:2)')
    """

    function: str
    status: str
    takes: str
    choices: tuple[Choice, ...] = ()
    measure: str | None = None
    convention: Convention | None = None
    presets: tuple[str, ...] = ()
    nearest: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    defects: tuple[Defect, ...] = ()
    notes: tuple[str, ...] = ()
    n_calls: int = 0
    n_checked: int = 0
    n_agreeing: int = 0
    tolerance: float = 1e-9
    options: Mapping[str, str] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Plain]:
        """Return everything that was found."""
        values = {name: plain(value) for name, value in vars(self).items() if name != "convention"}
        data = {} if self.convention is None else self.convention.data
        return values | {"convention": plain(data)}

    def tables(self) -> Mapping[str, Table]:
        """Return the table "choices", with a row per choice, and "defects", if there are any."""
        columns = [Column(name) for name in ("choice", "value", "seen on", "returned")]
        rows: list[list[Value]] = [[each.name, each.value, each.example, each.returned] for each in self.choices]
        wrong = [Column("defect"), Column("smallest list"), Column("value", ".6g"), Column("expected", ".6g")]
        defects: list[list[Value]] = [[each.name, each.example, each.value, each.expected] for each in self.defects]
        return {"choices": Table(columns, rows)} | ({"defects": Table(wrong, defects)} if defects else {})

    def page(self) -> Page:
        """Return what the function computes, the table of its choices, and how many lists it was checked on."""
        checked = f"{self.n_agreeing} of {self.n_checked} random lists agree to {self.tolerance:.1g}"
        remarks = (*self.notes, f"{self.n_calls} calls; {checked}")
        notes = tuple(f"{line[0].upper()}{line[1:]}" for line in remarks)
        return Page(
            f"{self.function}: {self.status}",
            findings=tuple(self._findings()),
            summary=(Section(tables={"choices": self.table("choices")}),),
            remarks=remarks,
            sections=lambda: [Section("Result", tables=self.tables(), notes=notes)],
        )

    def _findings(self) -> list[Statement]:
        """Return the main findings."""
        statements = [Statement("identified", f"{self.function}({self.takes}) is {self.status}.")]
        if self.measure is not None and self.status == "identified":
            statements.append(Statement("identified", f"In idealrank, it is {self.measure}."))
        elif self.measure is not None:
            lists = f"{self.n_agreeing} of {self.n_checked} random lists agree"
            statements.append(Statement("partly identified", f"As far as identified, it is {self.measure}: {lists}."))
        if self.presets:
            presets = listed(f"like={each!r}" for each in self.presets)
            statements.append(
                Statement("agrees with a preset", f"It agrees with {presets} on everything that was tried.")
            )
        elif self.nearest:
            near = "; ".join(f"{name} (but {', '.join(differ)})" for name, differ in self.nearest.items())
            statements.append(Statement("agrees with no preset", f"No preset matches. The nearest: {near}."))
        return [*statements, *(Statement("defect", f"Defect: {defect}.") for defect in self.defects)]

    def __repr__(self) -> str:
        what = self.measure or "not a measure of idealrank"
        wrong = f", {len(self.defects)} defects" if self.defects else ""
        return f"Identification({self.function}: {self.status}, {what}{wrong})"


def identify(
    function: Callable[..., Any] | str, *, takes: str | None = None, max_calls: int = 100, seed: int = 0
) -> Identification:
    """Identify what an unknown NDCG computes: its convention, the presets that match, and its defects.

    The function is called with small lists, each of which isolates one choice: gain, discount, order, ideal ranking,
    cutoff, equal scores, lists with nothing relevant, negative, fractional and large labels, documents that are not
    judged or not retrieved, duplicates, several queries. The resulting formula is then compared with the function on
    random lists.

    Parameters
    ----------
    function : callable or str
        The function, or a shell command that contains ``{qrels}`` and ``{run}``, which are replaced by the paths of
        files, and optionally ``{k}``; the last number that the command prints is its value.
    takes : str, optional
        The arguments of the function, such as "labels, scores, k"; by default, they are determined automatically. The
        words are labels, scores, ranked_labels, judged_labels, judged ({document: label}), scored ({document: score}),
        ranked (ids in rank order), docs (ids in the order of the scores), relevant (ids), qrels, run, rankings,
        relevants (dicts by query), group, offsets, query_ids, and k as the last word. Brackets, as in "[labels],
        [scores]", mean one row per query; "docs+scores" is a list of pairs, and "[ranked+relevant]" is a list with a
        pair per query.
    max_calls : int
        Maximum number of calls of the function.
    seed : int
        Seed of the random number generator, which draws lists.

    Returns
    -------
    Identification
        The choices, each with a list that shows it, and the defects, each with the smallest list that shows it.

    Raises
    ------
    OptionError
        If ``function`` is not callable, or ``takes`` cannot be parsed.

    Examples
    --------
    A function whose ideal ranking contains only the retrieved documents:

    >>> import math
    >>> from idealrank import identify
    >>> def ndcg_at_k(retrieved, relevant, k):
    ...     hits = [doc in relevant for doc in retrieved[:k]]
    ...     dcg = lambda gains: sum(gain / math.log2(place + 2) for place, gain in enumerate(gains))
    ...     return dcg(hits) / dcg(sorted(hits, reverse=True)) if any(hits) else 0.0
    >>> for defect in identify(ndcg_at_k).defects:
    ...     print(defect.name)
    the ideal DCG is over the top k of the ranking only
    a document that is retrieved twice counts twice
    """
    if isinstance(function, str):
        function = ShellCommand(function)
        name = function.command
    else:
        name = getattr(function, "__name__", type(function).__name__)
    if not callable(function):
        raise OptionError(f"identify needs a function or a command, got {function!r}")
    if not np.issubdtype(type(max_calls), np.integer) or max_calls < 1:  # True is no integer here
        raise OptionError(f"max_calls must be a positive integer, got {max_calls!r}")
    try:
        rng = np.random.default_rng(seed)
    except (TypeError, ValueError):
        raise OptionError(f"seed must be None or a whole number of 0 or more, got {seed!r}") from None
    search = FormSearch(Caller(function, int(max_calls)))
    forms: Iterable[Form] = [function.form] if isinstance(function, ShellCommand) else forms_of(function)
    if not search.run(forms if takes is None else parse_takes(takes, function)):
        return _unidentified(name, search, takes)
    known = Elimination(search)
    find_choices(known)
    checked = check(known, rng)
    defects = defects_of(known)
    options = options_of(known)
    measure, rules = expressed(known, options)
    presets, nearest = matching(known, options)
    return Identification(
        function=name,
        status=_status(known, checked),
        takes=str(known.form),
        choices=tuple(choices_of(known, options)),
        measure=measure,
        convention=rules,
        presets=tuple(presets),
        nearest=nearest,
        defects=tuple(defects),
        notes=tuple(_notes(known, checked)),
        n_calls=known.caller.n_calls,
        n_checked=checked.n_checked,
        n_agreeing=checked.n_agreeing,
        tolerance=known.is_close.tolerance,
        options=options,
    )


def _status(known: Elimination, checked: RandomCheck) -> str:
    if known.obstacle is not None:
        return "not identified"
    if "formula" in known.unexplained:
        return "partly identified" if "discount" in known.evidence else "not identified"
    is_whole = checked.failed is None and not known.unexplained and checked.n_checked
    return "identified" if is_whole else "partly identified"


def _notes(known: Elimination, checked: RandomCheck) -> list[str]:
    notes = [f"{words} ({answer.probe})" if len(str(answer.probe)) < 200 else words for words, answer in known.notes]
    if known.formula.labels in ("rounded", "rounded up") and "labels" in known.evidence:
        notes.append(f"labels are {known.formula.labels} to integers, for which there is no option")
    if known.obstacle is not None and not known.obstacle.is_defect:
        notes.append(known.obstacle.words)
    for name, answer in known.unexplained.items():
        if name != "formula" or "discount" not in known.evidence:  # otherwise a defect describes it
            notes.append(f"{name}: no known variant explains {answer} for {answer.probe}")
    if checked.failed is not None:
        try:
            expected = f"{known.formula.predict(checked.failed.probe):.6g}"
        except Exception as error:  # the formula refuses input that the function accepts
            expected = type(error).__name__
        notes.append(f"the formula gives {expected}, the function {checked.failed}, for {checked.failed.probe}")
    return notes


def _unidentified(name: str, search: FormSearch, takes: str | None) -> Identification:
    """Return the result if no call returned a number."""
    by_error: dict[str, list[str]] = {}
    for form, answer in search.tried:
        by_error.setdefault(str(answer), []).append(f"({form})")
    notes = [f"called with {' or '.join(dict.fromkeys(forms))}: {error}" for error, forms in by_error.items()]
    if search.tried:
        notes.append(f"the list was {search.tried[0][1].probe}")
    elif not search.caller.n_calls:
        notes.append("the function has more than three required parameters; wrap it in one of two or three")
    if search.is_out_of_calls:
        notes.append("the budget of calls ended before it was known what the function takes; allow more calls")
    elif takes is None:
        notes.append("no call returned a number; say what the function takes: takes='labels, scores, k' (--takes)")
    words = "unknown" if takes is None else takes
    return Identification(name, "not identified", words, notes=tuple(notes), n_calls=search.caller.n_calls)
