"""Measures from the names that people write."""

from __future__ import annotations

import re
from typing import Any

import numpy.typing as npt

from idealrank._base.options import read_options
from idealrank._base.specs import nearest
from idealrank._typing import Floats
from idealrank.errors import OptionError
from idealrank.measures import against_random, cutoffs, discounted, pairs, relevance
from idealrank.measures.base import Measure

__all__ = ["ALIASES", "CLASSES", "measure", "ndcg"]

#: Measures by their name in text.
CLASSES: dict[str, type[Measure]] = {
    cls.label: cls
    for module in (discounted, relevance, pairs, against_random)
    for cls in (getattr(module, name) for name in module.__all__)
}

#: Other names for the same measures.
ALIASES = {
    "map": "ap",
    "map_cut": "ap",
    "average_precision": "ap",
    "mrr": "rr",
    "recip_rank": "rr",
    "reciprocal_rank": "rr",
    "ndcg_cut": "ndcg",
    "n_dcg": "ndcg",
    "precision": "p",
    "prec": "p",
    "r": "recall",
    "f": "f1",
    "rprec": "r_precision",
    "r-precision": "r_precision",
    "success": "hit_rate",
    "hit": "hit_rate",
    "hits": "hit_rate",
    "hitrate": "hit_rate",
    "tau": "kendall_tau",
    "kendall": "kendall_tau",
    "roc_auc": "auc",
    "lndcg": "linear_ndcg",
    "linearndcg": "linear_ndcg",
    "pairwiseerror": "pairwise_error",
    "kendalltau": "kendall_tau",
    "rprecision": "r_precision",
}

_SHAPE = re.compile(
    r"\s*(?P<name>[A-Za-z][\w-]*?)(?:_(?P<tail>\d+))?\s*(?:\((?P<options>[^()]*)\))?\s*(?:@\s*(?P<cutoff>\S+))?\s*"
)


def measure(name: str | Measure) -> Measure:
    """The measure of this name; a measure stays itself.

    >>> measure("ndcg@10"), measure("ndcg(gain=linear)@20%"), measure("map"), measure("ndcg_cut_10"), measure("P_5")
    (ndcg@10, ndcg(gain=linear)@20%, ap, ndcg@10, p@5)
    >>> measure("ndgc@10")
    Traceback (most recent call last):
    idealrank.errors.OptionError: unknown measure 'ndgc@10'; did you mean 'ndcg'?
    """
    if isinstance(name, Measure):
        return name
    if not isinstance(name, str):
        raise OptionError(f"a measure is a name such as 'ndcg@10' or a Measure, got {name!r}")
    shape = _SHAPE.fullmatch(name)
    if shape is None:
        raise OptionError(f"cannot read the measure {name!r}: write ndcg@10 or ndcg(gain=linear,discount=zipf)@10")
    word = shape["name"].lower()
    cls = CLASSES.get(ALIASES.get(word, word))
    if cls is None:
        raise OptionError(f"unknown measure {name!r}{nearest(word, [*CLASSES, *ALIASES])}")
    options: dict[str, Any] = dict(read_options(shape["options"] or "", whole=name))
    cuts = [cut for cut in (shape["tail"], shape["cutoff"], options.pop("cutoff", None)) if cut is not None]
    if len(cuts) > 1:
        raise OptionError(f"{name!r} names two cut-offs")
    if cuts:
        options["cutoff"] = cuts[0]
    return cls(**options)


def ndcg(
    labels: npt.ArrayLike,
    scores: npt.ArrayLike,
    offsets: npt.ArrayLike | None = None,
    cutoff: int | float | str | cutoffs.Cutoff | None = None,
) -> Floats:
    """NDCG under idealrank's own convention, one value a query: the short way to ``measures.NDCG(cutoff=cutoff)``.

    >>> ndcg([1, 0, 1, 2], [0.3, 0.2, 0.1, 0.9], offsets=[0, 2, 4], cutoff=10)
    array([1., 1.])
    """
    return discounted.NDCG(cutoff=cutoff)(labels, scores, offsets)
