"""Identify what an unknown NDCG computes, from what it returns."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral
from typing import Any

import numpy as np

from idealrank.errors import OptionError
from idealrank.identification.calling_forms import forms_of, parse_takes
from idealrank.identification.choices import find_choices
from idealrank.identification.defects import defects_of
from idealrank.identification.elimination import Elimination, RandomCheck, check
from idealrank.identification.function_calls import Caller, FormSearch, ShellCommand
from idealrank.identification.identification_result import Identification
from idealrank.identification.presets import choices_of, expressed, matching, options_of

__all__ = ["identify"]


def identify(
    function: Callable[..., Any] | str,
    *,
    takes: str | None = None,
    max_calls: int = 100,
    seed: int = 0,
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
    if not isinstance(max_calls, Integral) or isinstance(max_calls, bool) or max_calls < 1:
        raise OptionError(f"max_calls must be a positive integer, got {max_calls!r}")
    try:
        rng = np.random.default_rng(seed)
    except (TypeError, ValueError):
        raise OptionError(f"seed must be None or a whole number of 0 or more, got {seed!r}") from None
    search = FormSearch(Caller(function, int(max_calls)))
    if takes is not None:
        forms = parse_takes(takes, function)
    else:
        forms = [function.form] if isinstance(function, ShellCommand) else forms_of(function)
    if not search.run(forms):
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
