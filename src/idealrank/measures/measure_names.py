"""Measures by name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from idealrank._names.grammar import no_option, unknown
from idealrank._names.registry import Registry
from idealrank.errors import OptionError
from idealrank.measures.conventions import CHOICES_OF_MEASURES, CONVENTION_NAMES, Convention
from idealrank.measures.discounts import DISCOUNTS
from idealrank.measures.gains import GAINS
from idealrank.measures.measure_base import Measure
from idealrank.measures.spellings import known_elsewhere, separate, translated

__all__ = ["MEASURES", "check_convention", "measure", "named", "register"]

#: The measures by name; `register` adds one.
MEASURES: Registry[Measure] = Registry(
    "measure", Measure, "ndcg@10 or ndcg(gain=linear,discount=zipf)@10", "idealrank.measures"
)
MeasureClass = TypeVar("MeasureClass", bound=type[Measure])


def register(name: str, *aliases: str) -> Callable[[MeasureClass], MeasureClass]:
    """Register a measure of your own, which `evaluate`, `compare` and the command line then take by name.

    A measure that the native core does not compute defines ``values``; one that it computes defines ``plan``.

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
        A decorator of the class, which returns it unchanged.

    Raises
    ------
    OptionError
        If another measure has one of the names.

    Examples
    --------
    >>> import numpy as np
    >>> from idealrank import evaluate, measures
    >>> @measures.register("top_label")
    ... class TopLabel(measures.Measure):
    ...     def values(self, lists):
    ...         queries = zip(lists.offsets[:-1], lists.offsets[1:])
    ...         best = [first + lists.scores[first:last].argmax() for first, last in queries]
    ...         return lists.labels[best]
    >>> evaluate([0, 2, 1, 1], [1, 2, 3, 4], "top_label", offsets=[0, 2, 4]).mean
    {'top_label': 1.5}
    """
    return MEASURES.register(name, *aliases)


def measure(name: str | Measure) -> Measure:
    """Return the measure with this name; a measure is returned unchanged.

    Parameters
    ----------
    name : str or Measure
        A name such as "ndcg@10" or "ndcg(gain=linear)@20%"; a name that another tool uses, such as "map",
        "ndcg_cut_10", "P.5", "rbp.p=0.8", "ndcg_burges@10" or 'nDCG(dcg="exp-log2")@10'; or a measure of ir_measures.

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
    if not isinstance(name, str):
        return MEASURES.of(name)
    try:
        return MEASURES.of(translated(name))
    except OptionError:
        better = known_elsewhere(name) or _of_another_kind(name)
        if better is not None:
            raise better from None
        raise


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


def named(measures: str | Measure | Iterable[str | Measure]) -> dict[str, Measure]:
    """Return the measures by the names under which they were given.

    Parameters
    ----------
    measures : str, Measure or iterable of these
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
            found[str(name)] = measure(name)
    if not found:
        raise OptionError("no measure was named")
    return found


def _listed(measures: Any) -> Iterable[Any]:
    if isinstance(measures, (str, Measure)) or not isinstance(measures, Iterable):
        return [measures]
    return measures
