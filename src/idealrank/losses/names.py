"""Losses from the names that people write."""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from typing import Any

from idealrank._base.options import read_options
from idealrank._base.specs import nearest
from idealrank.errors import OptionError
from idealrank.losses.base import Loss

__all__ = ["ALIASES", "classes", "loss"]

#: Other names for the same losses.
ALIASES = {
    "listnet": "cross_entropy",
    "rank_cosine": "cosine",
    "rankcosine": "cosine",
    "squared": "least_squares",
    "listmle": "list_mle",
    "qnorm": "q_norm",
    "ranksvm": "hinge",
    "ranknet": "pairwise_logistic",
    "lambdarank": "lambda_rank",
    "softrank": "soft_ndcg",
}

_SHAPE = re.compile(r"\s*(?P<name>[A-Za-z]\w*)\s*(?:\((?P<options>.*)\))?\s*")


@cache
def classes() -> dict[str, type[Loss]]:
    """Losses by their name in text: all that `idealrank.losses` holds.

    >>> classes()["list_mle"].__name__
    'ListMLE'
    """
    package = import_module("idealrank.losses")
    values = (getattr(package, name) for name in package.__all__)
    return {cls.label: cls for cls in values if isinstance(cls, type) and issubclass(cls, Loss) and cls is not Loss}


def loss(name: str | Loss) -> Loss:
    """The loss of this name; a loss stays itself.

    >>> loss("cross_entropy(normalizer=dcg)"), loss("q_norm(q=3)"), loss("ListNet"), loss(loss("cosine"))
    (cross_entropy(normalizer=dcg), q_norm(q=3), cross_entropy, cosine)
    >>> loss("cross_entropi")
    Traceback (most recent call last):
    idealrank.errors.OptionError: unknown loss 'cross_entropi'; did you mean 'cross_entropy'?
    """
    if isinstance(name, Loss):
        return name
    if not isinstance(name, str):
        raise OptionError(f"a loss is a name such as 'cosine' or a Loss, got {name!r}")
    shape = _SHAPE.fullmatch(name)
    if shape is None:
        raise OptionError(f"cannot read the loss {name!r}: write cosine or cross_entropy(normalizer=dcg)")
    word = shape["name"].lower()
    cls = classes().get(ALIASES.get(word, word))
    if cls is None:
        raise OptionError(f"unknown loss {name!r}{nearest(word, [*classes(), *ALIASES])}")
    options: dict[str, Any] = dict(read_options(shape["options"] or "", whole=name))
    try:
        made: Loss = cls(**options)
    except TypeError as error:
        raise OptionError(f"{name!r} lacks an option: {error}") from None
    return made
