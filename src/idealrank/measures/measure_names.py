"""Measures by name, in our spelling and in those of other tools.

``P.5,10`` and ``rbp.p=0.8`` are trec_eval's, ``ndcg_burges@10``, ``map@10-l2`` and ``rbp.95`` ranx's, ``ndcg_at_10``
MTEB's, ``nDCG(dcg="exp-log2")@10`` and ``SetP`` those of ir_measures, ``pre@5`` and ``ndcg@5-`` those of XGBoost.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from types import FunctionType
from typing import Any, TypeAlias, TypeVar, cast

from idealrank._names.options import ParsedName, no_option, normalized_name, read, unknown
from idealrank._names.registry import Registry
from idealrank.errors import OptionError
from idealrank.measures.conventions import CHOICES_OF_MEASURES, CONVENTION_NAMES, Convention
from idealrank.measures.discounts import DISCOUNTS
from idealrank.measures.function_measure import MeasureFunction, measure_of_function
from idealrank.measures.gains import GAINS
from idealrank.measures.measure_base import Measure

#: What the trec_eval command prints that is text rather than a number.
ONLY_TREC_EVAL = ("runid", "relstring")
_OF_TWO_RANKINGS = (
    "compares two rankings, not a ranking with judgments: use idealrank.agreement(run, other) or the command "
    "`idealrank agreement`; kendall_tau compares a ranking with labels"
)
_UNSUPPORTED = {
    "accuracy": "has several meanings: write hit_rate@k for that of BEIR and sentence-transformers, recall@1 for that "
    "of MTEB, pair_accuracy@k for that of ir_measures",
    "hole": "of BEIR counts documents that are judged for no query at all, which is not computed here: unj@k counts "
    "those that are not judged for their query",
    "nauc": "of MTEB is about abstention, not about a ranking, and is not computed here",
    **dict.fromkeys(("rbo", "tauap"), _OF_TWO_RANKINGS),
    **{name: f"is text, not a number: `idealrank trec_eval -m {name}` prints it" for name in ONLY_TREC_EVAL},
}
_CUTOFF = r"\d+%?|\d*\.\d+%?|n\^\d*\.?\d+"
_COMMA = re.compile(r",(?![^(]*\))")  # not within parentheses
_WITH_CUTOFF = re.compile(rf"(.*?)(@|\.|_)({_CUTOFF})")
_DOTTED = re.compile(r"(\w+?)(?:\.|_(?=\d+\.\d))(.+)")
_NUMBER = r"-?\d*\.?\d+"
_LEVEL = re.compile(rf"(iprec|iprec_?at_?recall|interpolated_?precision|rprec_?mult)[@._]({_NUMBER})", re.IGNORECASE)
_UTILITY = re.compile(rf"utility\.({_NUMBER})(?:,{_NUMBER})*", re.IGNORECASE)
_XGBOOST = re.compile(r"(ndcg|map|pre)(@\d+)?(-)?")  # a minus: a query without relevant documents counts as 0
_AT = re.compile(r"(\w+?)_at_(\d+)")  # MTEB's ndcg_at_10
_LEVEL_SUFFIX = re.compile(r"(.+)-l(\d+)")  # ranx's map@10-l2
_FOREIGN_OPTION = re.compile(r"""["']|\b(dcg|gains|beta|T|min_rel|max_rel|normalize)\s*=""")
_GAINS = re.compile(r"\bgains\s*=\s*\{([^}]*)\}")
_OF_GOALS = {"T": "goal", "min_rel": "min_label", "max_rel": "max_label"}
#: Options of ir_measures, by the measure, that have another name here.
_OPTION_WORDS = {
    "setf": {"beta": "weight"},
    "compat": {"normalize": "normalized"},
    **dict.fromkeys(("inst", "insq", "bpm", "sdcg"), _OF_GOALS),
}
_HEAD = re.compile(r"\w+?(?=$|[.@(]|_\d)")


def separate(text: str) -> list[str]:
    """Return the names in a text with commas between them; a number alone is another cutoff of the name before it.

    Parameters
    ----------
    text : str
        One name or several.

    Returns
    -------
    list of str

    Raises
    ------
    OptionError
        If a comma has nothing before or after it, or a number comes after a name without a cutoff.

    Examples
    --------
    >>> separate("ndcg@10,20, ap"), separate("P.5,10"), separate("ndcg(gain=linear,ties=stable)@5")
    (['ndcg@10', 'ndcg@20', 'ap'], ['P.5', 'P.10'], ['ndcg(gain=linear,ties=stable)@5'])
    """
    names: list[str] = []
    for part in map(str.strip, _COMMA.split(text)):
        if not part and "," in text:
            raise OptionError(f"{text!r}: a measure is missing next to a comma")
        if names and _UTILITY.fullmatch(names[-1]) and re.fullmatch(_NUMBER, part):
            names[-1] += f",{part}"
        elif names and re.fullmatch(_CUTOFF, part):
            before = _WITH_CUTOFF.fullmatch(names[-1])
            if before is None:
                raise OptionError(
                    f"{text!r}: the cutoff {part} follows {names[-1]!r}, which has none; write name@{part}"
                )
            names.append(f"{before[1]}{before[2]}{part}")
        elif names and re.match(r"\w+=", part) and _DOTTED.match(names[-1]):
            names[-1] += f",{part}"  # a parameter of a trec_eval measure
        else:
            names.append(part)
    return names


@lru_cache(maxsize=1000)
def translated(text: str) -> str:
    """Return a name in the library's own grammar; a name that needs no translation is returned as it is.

    Parameters
    ----------
    text : str
        A name.

    Returns
    -------
    str

    Raises
    ------
    OptionError
        If the name or one of its options has no counterpart.

    Examples
    --------
    >>> translated("P.10"), translated("rbp.95"), translated('nDCG(dcg="exp-log2")@10'), translated("ndcg_burges@5")
    ('P@10', 'rbp(p=0.95)', 'nDCG(gain=exp2)@10', 'ndcg(gain=exp2)@5')
    """
    text = text.strip()
    at = _AT.fullmatch(text)
    if at:
        text = f"{'hit_rate' if at[1].lower() == 'accuracy' else at[1]}@{at[2]}"
    level_suffix = _LEVEL_SUFFIX.fullmatch(text)
    if level_suffix:
        return _from_level(translated(level_suffix[1]), int(level_suffix[2]), text)
    text = re.sub(r"(?i)^num_?ret\s*(?=\(\s*rel)", "num_rel_ret", text)  # as ir_measures means it
    if normalized_name(text).startswith("11pt"):
        text = _eleven_point(text)
    level = _LEVEL.fullmatch(text)
    if level:
        return f"{level[1]}({'multiple' if normalized_name(level[1]) == 'rprecmult' else 'recall'}={level[2]})"
    dotted = _DOTTED.fullmatch(text)
    if dotted:
        text = _undotted(dotted[1], dotted[2], text)
    xgboost = _XGBOOST.fullmatch(text)
    if xgboost and (xgboost[1] == "pre" or xgboost[3]):
        return f"{'p' if xgboost[1] == 'pre' else xgboost[1]}{'(empty=0)' if xgboost[3] else ''}{xgboost[2] or ''}"
    is_burges = re.match(r"(?i)n?dcg[-_]?burges(?=$|[@(])", text)
    if not is_burges and not _FOREIGN_OPTION.search(text):
        return text
    text = _GAINS.sub(lambda found: f"gain={_partial(found[1])}", text)
    parsed = read(text, "measure", "ndcg@10")
    words = _OPTION_WORDS.get(normalized_name(parsed.name), {})
    if is_burges:
        parsed = parsed._replace(name=parsed.name[: normalized_name(parsed.name).index("burges")].rstrip("_-"))
        parsed = _with_option(parsed, "gain", "exp2")
    options: dict[str, str] = {}
    for name, value in parsed.options.items():
        options |= _option(words.get(name, name), value.strip("\"'"), text)
    if normalized_name(parsed.name) == "sdcg" and options.get("gain") == "linear":
        del options["gain"]  # the only one that it has
    cutoff = options.pop("cutoff", None)
    inside = ",".join(f"{name}={value}" for name, value in options.items())
    return f"{parsed.name}{f'({inside})' if inside else ''}{'' if cutoff is None else f'@{cutoff}'}"


def known_elsewhere(text: str) -> OptionError | None:
    """Return the error for a name that only the trec_eval command or another tool knows."""
    head = _HEAD.match(re.sub(r"^nauc_.*", "nauc", text.strip()))
    if head is not None and normalized_name(head[0]) in _UNSUPPORTED:
        return OptionError(f"{text!r}: {head[0]} {_UNSUPPORTED[normalized_name(head[0])]}")
    return None


def _undotted(name: str, parameter: str, text: str) -> str:
    """Return name and parameter of trec_eval or ranx in the library's own grammar."""
    if normalized_name(name) == "utility":
        return _utility(parameter, text)
    if normalized_name(name) == "setf":
        return f"{name}(weight={parameter})"
    if normalized_name(name) in ("rbp", "rbpresid"):
        if parameter.isdecimal() and normalized_name(name) == "rbp":
            return f"rbp(p=0.{parameter})"
        if parameter.startswith("p=") and "," not in parameter:
            return f"{name}({parameter})"
    if "=" in parameter:
        return f"{name}(gain={_partial(parameter)})"
    return f"{name}@{parameter}"


def _partial(pairs: str) -> str:
    """Return the gains of some labels, written 1=3,2=9 or 1: 3, 2: 9, as a gain."""
    return ":".join(["partial", *(re.sub(r"\s*[=:]\s*", ">", pair.strip()) for pair in pairs.split(","))])


def _from_level(text: str, level: int, written: str) -> str:
    """Return a measure, in the library's own grammar, for which labels below a level are not relevant."""
    parsed = read(text, "measure", "ndcg@10")
    if normalized_name(parsed.name) in ("ndcg", "dcg"):
        if "gain" in parsed.options:
            raise OptionError(f"{written!r}: write the gain of every label, such as ndcg(gain=table:0:0:3:7)")
        parsed = parsed._replace(options=parsed.options | {"gain": _partial(",".join(f"{i}=0" for i in range(level)))})
    else:
        parsed = parsed._replace(options=parsed.options | {"rel": str(level)})
    return f"{parsed.name}({','.join(f'{name}={value}' for name, value in parsed.options.items())})"


def _utility(parameter: str, text: str) -> str:
    """Return utility with trec_eval's four weights in the library's own grammar."""
    weights = parameter.split(",")
    if len(weights) != 4:
        raise OptionError(f"{text!r}: utility takes 4 weights, such as utility.1,-1,0,0, got {len(weights)}")
    if weights[3].strip("-0."):
        raise OptionError(
            f"{text!r}: the weight of nonrelevant documents that were not retrieved needs the size of the collection; "
            "`idealrank trec_eval -N` takes it"
        )
    return "utility(hit={},false_alarm={},miss={})".format(*weights)


def _eleven_point(text: str) -> str:
    _, dot, recalls = text.partition(".")
    if dot:
        raise OptionError(f"{text!r}: other recalls ({recalls}) are taken by `idealrank trec_eval` only")
    return re.sub(r"(?i)11pt(_?avg)?", "eleven_point", text)


def _with_option(parsed: ParsedName, name: str, value: str) -> ParsedName:
    if name in parsed.options:
        raise OptionError(f"{parsed.text!r} names its {name} twice")
    return parsed._replace(options={name: value} | parsed.options)


def _option(name: str, value: str, text: str) -> dict[str, str]:
    """Return an option of ir_measures in the library's own words."""
    if name == "dcg":
        gains = {"log2": "linear", "exp-log2": "exp2"}
        if value not in gains:
            raise OptionError(f"{text!r}: dcg must be 'log2' or 'exp-log2', got {value!r}")
        return {"gain": gains[value]}
    return {name: value}


#: The measures by name; `register` adds one.
MEASURES: Registry[Measure] = Registry(
    "measure", Measure, "ndcg@10 or ndcg(gain=linear,discount=zipf)@10", "idealrank.measures"
)
#: One measure or several, by name or as objects.
AnyMeasures: TypeAlias = str | Measure | MeasureFunction | Iterable[str | Measure | MeasureFunction]
#: A class of measures, or a function of the labels and scores of one query.
OwnMeasure = TypeVar("OwnMeasure", bound=type[Measure] | MeasureFunction)


def register(name: str, *aliases: str) -> Callable[[OwnMeasure], OwnMeasure]:
    """Register a measure of your own, which `evaluate` and `compare` then take by name: a function, or a class.

    A function ``f(labels, scores)`` returns the value of one query. It gets the labels and scores of the documents as
    arrays, best score first; equal scores are in the order that the convention names, and in input order where it
    averages them. An unjudged document has the label 0. "mine@10" passes the first 10 documents only. A query without
    documents has the value 0, and higher values are better.

    A class, derived from `Measure`, can have options, bounds and smaller values that are better. It defines either
    ``values(lists)``, which returns the values of all queries, or ``plan()``, which says how the native core computes
    them.

    Case, underscores and hyphens in names are ignored. A class that is defined again replaces its earlier version.

    Parameters
    ----------
    name : str
        The name, which becomes the ``label`` of the class.
    *aliases : str
        Other names for the same class.

    Returns
    -------
    callable
        A decorator of the function or class, which returns it unchanged.

    Raises
    ------
    OptionError
        If another measure has one of the names.

    Examples
    --------
    >>> from idealrank import evaluate, measures
    >>> @measures.register("best_of")
    ... def best_of(labels, scores):
    ...     return labels.max()
    >>> evaluate([0, 2, 1, 1], [1, 2, 3, 4], ["best_of", "best_of@1"], offsets=[0, 2, 4]).mean
    {'best_of': 1.5, 'best_of@1': 1.5}

    The same as a class:

    >>> @measures.register("top_label")
    ... class TopLabel(measures.Measure):
    ...     def values(self, lists):
    ...         queries = zip(lists.offsets[:-1], lists.offsets[1:])
    ...         best = [first + lists.scores[first:last].argmax() for first, last in queries]
    ...         return lists.labels[best]
    >>> evaluate([0, 2, 1, 1], [1, 2, 3, 4], "top_label", offsets=[0, 2, 4]).mean
    {'top_label': 1.5}
    """

    def add(own: OwnMeasure) -> OwnMeasure:
        given: Any = own
        if not callable(given):
            raise OptionError(f"a measure is a function of labels and scores, or a class, got {given!r}")
        MEASURES.register(name, *aliases)(given if isinstance(given, type) else measure_of_function(given, name))
        return own

    return add


def measure(name: str | Measure | MeasureFunction) -> Measure:
    """Return the measure with this name, or of this function; a measure is returned unchanged.

    Parameters
    ----------
    name : str, Measure or callable
        A name such as "ndcg@10" or "ndcg(gain=linear)@20%"; a name that another tool uses, such as "map",
        "ndcg_cut_10", "P.5", "rbp.p=0.8", "ndcg_burges@10" or 'nDCG(dcg="exp-log2")@10'; or a measure of ir_measures. A
        function ``f(labels, scores)`` of one query is described at `measures.register`.

    Returns
    -------
    Measure
        The measure.

    Raises
    ------
    OptionError
        If the name or one of its options is unknown.

    Examples
    --------
    >>> from idealrank import measure
    >>> measure("ndcg@10"), measure("ndcg(gain=linear)@20%"), measure("map"), measure("ndcg_cut_10"), measure("P_5")
    (ndcg@10, ndcg(gain=linear)@20%, ap, ndcg@10, p@5)
    >>> measure("ndgc@10")
    Traceback (most recent call last):
    idealrank.errors.OptionError: unknown measure 'ndgc@10'; did you mean 'ndcg'?
    """
    if type(name).__module__.partition(".")[0] == "ir_measures":
        name = re.sub(r"^Accuracy\b", "pair_accuracy", str(name))
    if isinstance(name, type) and issubclass(name, Measure):
        raise OptionError(f"expected a measure, got the class {name.__name__}: write {name.__name__}()")
    if isinstance(name, FunctionType):
        return _unregistered(name)
    if not isinstance(name, str):
        return MEASURES.of(cast("Measure", name))  # anything else is an error
    try:
        return MEASURES.of(translated(name))
    except OptionError:
        better = known_elsewhere(name) or _of_another_kind(name)
        if better is not None:
            raise better from None
        raise


def _unregistered(function: MeasureFunction) -> Measure:
    """Return the measure of a function; one that is called like another measure is an error."""
    own = measure_of_function(function)
    if MEASURES.knows(own.label) and MEASURES.find(own.label) is not own:
        raise OptionError(f"there is a measure {own.label!r} already: rename your function")
    return own()


def _of_another_kind(text: str) -> OptionError | None:
    """Return the error for a name that is not a measure, but something else that measures take."""
    name = re.split(r"[:@(]", text.strip())[0]
    if MEASURES.knows(name):
        return None
    if name in CONVENTION_NAMES:
        return OptionError(
            f"unknown measure {text!r}: {name} is a convention; write like='{name}' (--like {name} on the command line)"
        )
    kinds = [kind for kind, known in (("gain", GAINS), ("discount", DISCOUNTS)) if known.knows(name)]
    if not kinds:
        return None
    options = " or ".join(f"ndcg({kind}={text.strip()})" for kind in kinds)
    return OptionError(f"unknown measure {text!r}: {name} is a {' and a '.join(kinds)}; write {options}")


def check_convention(rules: Convention) -> Convention:
    """Return the convention; an option or a measure in it that does not exist, and so has no effect, is an OptionError.

    Examples
    --------
    >>> check_convention(Convention("mine", options={"tise": "stable"}))
    Traceback (most recent call last):
    idealrank.errors.OptionError: mine has no option 'tise'; did you mean 'ties'?
    """
    if rules.name.partition(" but ")[0] in CONVENTION_NAMES or not (rules.options or rules.overrides):
        return rules
    members = MEASURES.members()
    every = {"stable_up_to", "differs"}.union(*(cls.options() for cls in members.values()))
    for name in rules.options:
        if name not in every:
            raise no_option(rules.name, name, every)
    for label, options in rules.overrides.items():
        if label.removesuffix("@") not in members:
            raise unknown(f"measure in the overrides of {rules.name}:", label, members)
        own = {"stable_up_to", "differs", *CHOICES_OF_MEASURES, *members[label.removesuffix("@")].options()}
        for name in options:
            if name not in own:
                raise no_option(f"{rules.name}: {label}", name, own)
    return rules


def named(measures: AnyMeasures) -> dict[str, Measure]:
    """Return the measures by the names under which they were given.

    Parameters
    ----------
    measures : str, Measure, function or iterable of these
        A text may name several measures, such as "ndcg@10,20, ap".

    Returns
    -------
    dict of str to Measure

    Raises
    ------
    OptionError
        If no measure is given, or one is unknown.

    Examples
    --------
    >>> named(["ndcg@10,20", "P.5"])
    {'ndcg@10': ndcg@10, 'ndcg@20': ndcg@20, 'P.5': p@5}
    """
    found: dict[str, Measure] = {}
    for each in _listed(measures):
        for name in separate(each) if isinstance(each, str) else [each]:
            made = measure(name)
            text = str(made if isinstance(name, FunctionType) else name)
            if found.setdefault(text, made) != made:
                raise OptionError(f"two measures are called {text!r}: register one of them under another name")
    if not found:
        raise OptionError("no measure was named")
    return found


def _listed(measures: Any) -> Iterable[Any]:
    if isinstance(measures, (str, Measure, FunctionType)) or not isinstance(measures, Iterable):
        return [measures]
    return measures
