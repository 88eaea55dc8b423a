"""A measure at many cutoffs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from idealrank.measures.base import Measure
from idealrank.measures.names import named

__all__ = ["over_cutoffs"]

_CUTOFFS = (1, 2, 3, 5, 10, 20, 50, 100)


def over_cutoffs(measures: Iterable[str | Measure], cutoffs: Sequence[int] = _CUTOFFS) -> list[Measure]:
    """Return each measure that takes a cutoff at each of the cutoffs, to evaluate for curves.

    Parameters
    ----------
    measures : iterable of str or Measure
        The measures; their own cutoffs are ignored, and measures without a cutoff are left out.
    cutoffs : sequence of int
        The cutoffs, in the order of the result.

    Returns
    -------
    list of Measure
        Each measure at each cutoff.

    Raises
    ------
    OptionError
        If a measure is unknown, or a cutoff is not valid.

    Examples
    --------
    >>> from idealrank import report
    >>> report.over_cutoffs(["ndcg@10,20", "rr", "auc"], [1, 5])
    [ndcg@1, ndcg@5, rr@1, rr@5]
    """
    families = dict.fromkeys(each @ None for each in named(measures).values())
    return [family @ cutoff for family in families if "cutoff" in family.options() for cutoff in cutoffs]
