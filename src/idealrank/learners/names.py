"""Learners from the names that people write, with options that are numbers and texts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib import import_module
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from idealrank._base.specs import nearest
from idealrank.errors import OptionError
from idealrank.learners.base import Ranker
from idealrank.losses import Loss
from idealrank.measures import Measure, cutoffs

__all__ = ["classes", "label", "learner", "made", "options_of"]

_WORDS = {float: "a number", int: "a whole number", bool: "true or false", str: "text", NoneType: "none"}
#: What a text may stand for.
_NAMED = (Measure, Loss, cutoffs.Cutoff)


def classes() -> dict[str, type[Ranker]]:
    """Learners by the name of their class: all that `idealrank.learners` holds.

    >>> classes()["RankNet"].__name__
    'RankNet'
    """
    package = import_module("idealrank.learners")
    values = ((name, getattr(package, name)) for name in package.__all__)
    return {name: cls for name, cls in values if isinstance(cls, type) and issubclass(cls, Ranker)}


def label(cls: type[Ranker]) -> str:
    """The name in text: in snake case, without "ranker" at its end.

    >>> [label(classes()[name]) for name in ("ApproxNDCGRanker", "RankSVM", "ListNet")]
    ['approx_ndcg', 'rank_svm', 'list_net']
    """
    words = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", cls.__name__)
    return words.lower().removesuffix("_ranker")


def learner(name: str, options: Mapping[str, Any] | None = None) -> Ranker:
    """The learner of this name, whatever its underscores and capitals, with these options.

    >>> learner("approx_ndcg", {"alpha": 5}), learner("listnet"), learner("RankNet")
    (ApproxNDCGRanker(alpha=5), ListNet(), RankNet())
    >>> learner("aprox_ndcg")
    Traceback (most recent call last):
    idealrank.errors.OptionError: unknown learner 'aprox_ndcg'; did you mean 'approx_ndcg'?
    """
    known = {label(cls): cls for cls in classes().values()}
    by_letters = {_letters(each): cls for each, cls in known.items()}
    cls = by_letters.get(_letters(name).removesuffix("ranker"))
    if cls is None:
        raise OptionError(f"unknown learner {name!r}{nearest(name, known)}")
    return made(cls, options or {})


def _letters(name: str) -> str:
    return re.sub(r"[_\W]", "", name).lower()


def options_of(cls: type[Ranker]) -> list[str]:
    """The names of a learner's options."""
    return list(cls().get_params(deep=False))


def made(cls: type[Ranker], options: Mapping[str, Any]) -> Ranker:
    """A learner with these options, each checked to be there, of its type, and to make sense."""
    known, types = options_of(cls), get_type_hints(cls)
    for name, value in options.items():
        if name not in known:
            raise OptionError(f"{cls.__name__} has no option {name!r}{nearest(name, known)}")
        kinds = _kinds(types.get(name, Any))
        if not any(_is_of(value, kind) for kind in kinds):
            words = dict.fromkeys(_WORDS.get(kind, "text") for kind in kinds)
            raise OptionError(f"{name} must be {' or '.join(words)}, got {value!r}")
    ranker = cls(**options)
    ranker.check_options()
    return ranker


def _kinds(annotation: Any) -> tuple[Any, ...]:
    return get_args(annotation) if get_origin(annotation) in (Union, UnionType) else (annotation,)


def _is_of(value: Any, kind: Any) -> bool:
    if kind is Any or (kind is float and type(value) is int):
        return True
    return type(value) is (str if kind in _NAMED else kind)
