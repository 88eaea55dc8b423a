"""Learners by name, with options that are numbers and texts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from idealrank._names.options import no_option
from idealrank._names.registry import Registry
from idealrank.learners.learner_base import Learner, Ranker

#: The learners by name; `register` adds one.
LEARNERS: Registry[Ranker] = Registry("learner", Ranker, "approx_ndcg", "idealrank.learners")
RankerClass = TypeVar("RankerClass", bound=type[Ranker])


def register(name: str, *aliases: str) -> Callable[[RankerClass], RankerClass]:
    """Register a learner of your own, so that model files can contain it and the command line can train it.

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
        If another learner has one of the names.

    Examples
    --------
    >>> from idealrank import learners
    >>> @learners.register("strict_svm")
    ... class StrictSVM(learners.RankSVM):
    ...     C: float = 100.0
    >>> ranker = StrictSVM().fit([[0.0], [1.0]], [0, 1], qid=[1, 1])
    >>> learners.save(ranker, "strict_svm.json")
    >>> learners.load("strict_svm.json")
    StrictSVM()
    """
    return LEARNERS.register(name, *aliases)


_Made = TypeVar("_Made", bound=Learner)


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


def options_of(cls: type[Learner]) -> list[str]:
    """Return the names of a learner's options."""
    return list(cls().get_params(deep=False))


def made(cls: type[_Made], options: Mapping[str, Any]) -> _Made:
    """Return a learner with these options, after checking their names, types and values."""
    known = options_of(cls)
    for name in options:
        if name not in known:
            raise no_option(cls.__name__, name, known)
    ranker = cls(**options)
    ranker.check_options()
    return ranker
