"""The forms that a function may have, by the number and the names of its parameters."""

from __future__ import annotations

import contextlib
import inspect
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from idealrank._core.checks import is_whole
from idealrank._core.extras import is_installed
from idealrank.errors import OptionError
from idealrank.identification.calling_forms import FRAMES, WORDS, Form
from idealrank.identification.function_calls import ShellCommand

__all__ = ["forms_of", "parse_takes", "variants"]

#: Names of parameters, and the words that they suggest.
_NAMES = {
    "labels": """labels label y_true true relevance relevances rel rels target targets truth gt gold y grades ratings
        true_relevance""",
    "scores": """scores score y_score y_scores y_pred pred preds prediction predictions predicted output outputs y_hat
        logits""",
    "ranked_labels": """r rel rels relevance relevances ranked_labels ranked_relevances gains retrieved_relevances
        relevances_at_rank""",
    "judged_labels": "all_labels judged_labels all_relevances ideal ideal_relevances all_rels",
    "judged": "judged judgments judgements relevance qrel rel ground_truth gold grades ratings",
    "scored": "scored result results ranking run",
    "ranked": """ranked ranked_list ranked_ids ranked_docs ranking recommended recs recommendations retrieved
        retrieved_ids retrieved_docs predicted pred preds prediction predictions docs hits result results items
        recommended_items rec_list topk_items""",
    "records": "results result documents docs hits retrieved",
    "judged_docs": "relevant_ids judged_ids judged_docs relevant_docs relevant",
    "n_relevant": "n_relevant num_relevant n_rel num_rel total_relevant pos_len n_pos total_rel num_pos",
    "relevant_ranks": "ranks positions relevant_ranks",
    "frame": "df frame data",
    "qrels_frame": "rating_true qrels df_true true truth_df actual",
    "run_frame": "rating_pred run df_pred pred predictions recs",
    "docs": "docs doc_ids ids items item_ids results result ranking retrieved run hits",
    "relevant": """relevant relevant_docs relevant_ids relevant_items actual ground_truth expected expected_ids
        positives truth test_items target targets gt gold true_items y_true""",
    "qrels": "qrels qrel judgments judgements ground_truth gold",
    "run": "run runs results result ranking system",
    "rankings": "rankings run results retrieved predictions",
    "relevants": "relevants qrels relevant ground_truth gold",
    "group": "group groups group_sizes sizes",
    "offsets": "offsets query_ptr group_ptr indptr",
    "query_ids": "qid qids query_ids query_id indexes indices groups",
    "k": """k top_k topk topn top_n at at_k cutoff n p depth k_max num limit n_top num_docs rank top size max_rank
        k_value""",
}
#: Names of parameters that take a list of cutoffs.
_LISTS_OF_K = ("ks", "k_values", "k_list", "k_vals", "ats", "at_ks", "cutoffs", "topks", "top_ks")
_WORDS_OF = {
    name: [word for word, names in _NAMES.items() if name in names.split()]
    for names in _NAMES.values()
    for name in names.split()
}
#: Arguments besides k, in the order in which they are tried.
_PAIRS = (
    ("labels", "scores"),
    ("scores", "labels"),
    ("[labels]", "[scores]"),
    ("[scores]", "[labels]"),
    ("ranked", "relevant"),
    ("relevant", "ranked"),
    ("ranked", "judged"),
    ("judged", "ranked"),
    ("qrels", "run"),
    ("run", "qrels"),
    ("judged", "scored"),
    ("scored", "judged"),
    ("[ranked]", "[relevant]"),
    ("[relevant]", "[ranked]"),
    ("rankings", "relevants"),
    ("relevants", "rankings"),
    ("rankings", "qrels"),
    ("qrels", "rankings"),
    ("ranked_labels", "judged_labels"),
    ("judged_labels", "ranked_labels"),
    ("docs+scores", "judged"),
    ("judged", "docs+scores"),
    ("docs+scores", "relevant"),
    ("records", "judged"),
    ("judged", "records"),
    ("records", "relevant"),
    ("ranked_labels", "n_relevant"),
    ("[ranked_labels]", "[n_relevant]"),
    ("[relevant]", "[ranked_labels]"),
    ("relevant_ranks", "n_relevant"),
    ("qrels_frame", "run_frame"),
)
_SINGLES = (
    ("ranked_labels",),
    ("[ranked_labels]",),
    ("scores+labels",),
    ("labels+scores",),
    ("[ranked+relevant]",),
    ("[relevant+ranked]",),
    ("frame",),
)
_TRIPLES = (
    *(("labels", "scores", each) for each in ("group", "offsets", "query_ids")),
    *(("scores", "labels", each) for each in ("group", "offsets", "query_ids")),
    ("docs", "scores", "judged"),
    ("docs", "scores", "relevant"),
    ("ranked", "judged_docs", "judged_labels"),
)


def forms_of(function: Callable[..., Any]) -> list[Form]:
    """Return the forms that a function may have, the likely ones first, by the number and names of its parameters."""
    if isinstance(function, ShellCommand):
        return [Form(("qrels", "run"), "k" if function.has_k else None)]
    try:
        parameters = [
            each
            for each in inspect.signature(function).parameters.values()
            if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)
        ]
        named = [each for each in inspect.signature(function).parameters.values() if each.kind == each.KEYWORD_ONLY]
    except (TypeError, ValueError):
        parameters, named = [], []
    names = [each.name.lower() for each in parameters]
    k = _cutoff_name([*parameters[1:], *named])
    data = [name for name in names if k is None or name != k.lower()]
    n_data = sum(1 for each in parameters if each.default is each.empty and each.name != k) if parameters else 2
    found: list[tuple[tuple[str, ...], str | None]]
    if n_data > 3:
        return []
    if n_data == 1:  # there may be a list of scores with a default
        found = [(words, k) for words in (*_SINGLES, *(_PAIRS[:4] if len(names) >= 2 else ()))]
    elif n_data == 3:  # the third may be a cutoff with another name
        found = [(words, "") for words in _PAIRS if k is None] + [(words, k) for words in _TRIPLES]
    else:
        found = [(words, k) for words in _PAIRS] + ([(("ranked_labels",), "")] if k is None else [])
    if not is_installed("pandas"):
        found = [each for each in found if not set(FRAMES) & set(each[0])]
    ordered = sorted(found, key=lambda each: -_likeness((*each[0], *(["k"] if each[1] == "" else [])), data))
    listed = next((_takes_list(each) for each in [*parameters, *named] if each.name == k), False)
    return [
        Form(words, own_k, has_list_of_k=listed, is_suggested=_likeness(words, data) == 2 * len(words))
        for words, own_k in ordered
    ]


def _cutoff_name(parameters: Sequence[inspect.Parameter]) -> str | None:
    """Return the name of the parameter that is a cutoff, judging by its name or by an integer default."""
    for each in parameters:
        may_be = each.default in (each.empty, None) or _is_cutoff(each.default)
        if (each.name.lower() in _NAMES["k"].split() and may_be) or _takes_list(each):
            return each.name
    return next((each.name for each in parameters if _is_cutoff(each.default)), None)


def _is_cutoff(default: object) -> bool:
    return is_whole(default, 1) and not isinstance(default, bool)


def _takes_list(parameter: inspect.Parameter) -> bool:
    """Return whether a parameter takes a list of cutoffs, judging by its default or else by its name."""
    default = parameter.default
    if isinstance(default, (list, tuple)):
        return bool(default) and all(map(_is_cutoff, default))
    return parameter.name.lower() in _LISTS_OF_K and not isinstance(default, int)


def _likeness(words: Sequence[str], names: Sequence[str]) -> int:
    """Return how well the words match the names of parameters."""
    found = 0
    for word, name in zip(words, names, strict=False):
        suggested = _WORDS_OF.get(name, [])
        is_suggested = any(part in suggested for part in word.strip("[]").split("+"))
        found += 2 * is_suggested - bool(suggested and not is_suggested)
    return found


def variants(form: Form) -> list[Form]:
    """Return the form with other containers and ids."""
    words = set(form.bare)
    found = [form]
    if words & {*FRAMES, "relevant_ranks"}:
        return found
    if words & {"labels", "scores", "ranked_labels"} and not any("+" in word for word in form.words):
        found.append(replace(form, arrays="list"))
        if "torch" in sys.modules:
            found.append(replace(form, arrays="torch"))
    if words & {"relevant", "relevants"}:
        found.append(replace(form, arrays="set"))
    if words & {"ranked", "rankings", "docs"}:
        found.append(replace(form, ids="numbers"))
    return found


def parse_takes(takes: str, function: Callable[..., Any]) -> Form:
    """Return the form that is written as "labels, scores, k"; k is passed by name if the function has a name for it."""
    if not isinstance(takes, str):
        raise OptionError(f"takes must be text such as 'labels, scores, k', got {takes!r}")
    words = [word.strip() for word in takes.split(",")]
    for word in words:
        if not all(part in WORDS for part in word.strip("[]").split("+")):
            raise OptionError(f"unknown word {word!r} in takes={takes!r}; known are {', '.join(WORDS)}")
        if word.startswith("[") != word.endswith("]"):
            raise OptionError(f"a bracket is missing in takes={takes!r}")
    if "k" in words[:-1]:
        raise OptionError(f"k must be the last word in takes={takes!r}")
    name, listed = "", False
    if "k" in words:
        if isinstance(function, ShellCommand):
            name = "k"
        else:
            with contextlib.suppress(TypeError, ValueError):
                parameters = inspect.signature(function).parameters
                name = _cutoff_name(list(parameters.values())) or ""
                listed = bool(name) and _takes_list(parameters[name])
    own = tuple(word for word in words if word != "k")
    return Form(own, name if "k" in words else None, has_list_of_k=listed)
