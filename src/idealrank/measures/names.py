"""Measures by name."""

from __future__ import annotations

from idealrank._base.registry import Registry
from idealrank.measures.base import Measure

__all__ = ["MEASURES", "measure", "register"]

#: The measures by name; `register` adds one.
MEASURES: Registry[Measure] = Registry(
    "measure", Measure, "ndcg@10 or ndcg(gain=linear,discount=zipf)@10", "idealrank.measures"
)
register = MEASURES.register


def measure(name: str | Measure) -> Measure:
    """Return the measure with this name; a measure is returned as it is.

    Parameters
    ----------
    name : str or Measure
        Such as "ndcg@10", "ndcg(gain=linear)@20%", or another tool's "map" or "ndcg_cut_10".

    Returns
    -------
    Measure

    Raises
    ------
    OptionError
        If the name or one of its options is unknown.

    Examples
    --------
    >>> measure("ndcg@10"), measure("ndcg(gain=linear)@20%"), measure("map"), measure("ndcg_cut_10"), measure("P_5")
    (ndcg@10, ndcg(gain=linear)@20%, ap, ndcg@10, p@5)
    >>> measure("ndgc@10")
    Traceback (most recent call last):
    idealrank.errors.OptionError: unknown measure 'ndgc@10'; did you mean 'ndcg'?
    """
    return MEASURES.of(name)
