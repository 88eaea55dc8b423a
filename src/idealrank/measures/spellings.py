"""Names of measures as other tools write them, in the library's own grammar.

``P.5,10`` and ``rbp.p=0.8`` are trec_eval's, ``ndcg_burges@10``, ``map@10-l2`` and ``rbp.95`` ranx's, ``ndcg_at_10``
MTEB's, ``nDCG(dcg="exp-log2")@10`` and ``SetP`` those of ir_measures, ``pre@5`` and ``ndcg@5-`` those of XGBoost.
"""

from __future__ import annotations

import re
from functools import lru_cache

from idealrank._names.grammar import ParsedName, normalized_name, read
from idealrank.errors import OptionError

__all__ = ["ONLY_TREC_EVAL", "known_elsewhere", "separate", "translated"]

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
