"""Learners by name, with options that are numbers and texts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from idealrank._base.grammar import no_option
from idealrank._base.registry import Registry
from idealrank.learners.base import Ranker

__all__ = ["LEARNERS", "by_class_name", "learner", "made", "options_of", "register"]

#: The learners by name; `register` adds one.
LEARNERS: Registry[Ranker] = Registry("learner", Ranker, "approx_ndcg", "idealrank.learners")
register = LEARNERS.register


def by_class_name() -> dict[str, type[Ranker]]:
    """Return the learners by the names of their classes, which model files hold.

    >>> by_class_name()["ApproxNDCGRanker"].label
    'approx_ndcg'
    """
    return {cls.__name__: cls for cls in LEARNERS.members().values()}


def learner(name: str, options: Mapping[str, Any] | None = None) -> Ranker:
    """Return the learner of this name, in text or of its class, with these options.

    >>> learner("approx_ndcg", {"alpha": 5}), learner("listnet"), learner("RankNet")
    (ApproxNDCGRanker(alpha=5), ListNet(), RankNet())
    >>> learner("aprox_ndcg")
    Traceback (most recent call last):
    idealrank.errors.OptionError: unknown learner 'aprox_ndcg'; did you mean 'approx_ndcg'?
    """
    return made(LEARNERS.find(name), options or {})


def options_of(cls: type[Ranker]) -> list[str]:
    """Return the names of a learner's options."""
    return list(cls().get_params(deep=False))


def made(cls: type[Ranker], options: Mapping[str, Any]) -> Ranker:
    """Return a learner with these options, after checking their names, types and values."""
    known = options_of(cls)
    for name in options:
        if name not in known:
            raise no_option(cls.__name__, name, known)
    ranker = cls(**options)
    ranker.check_options()
    return ranker
