"""Two rankers on growing lists: which one is ahead at each length."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from idealrank._typing import Booleans, Floats, Int64s

__all__ = ["Paths"]


@dataclass(frozen=True)
class Paths:
    """The lead of the better ranker on several lists at several lengths.

    Parameters
    ----------
    sizes : int64 array
        The lengths.
    lead : float64 array
        The lead, of shape (lists, sizes). NaN if the list is shorter, or if nothing in it is relevant yet.

    Examples
    --------
    A list on which the better ranker is first behind, then ahead, then level, then ahead:

    >>> paths = Paths(np.array([1, 2, 3, 4]), np.array([[-0.1, 0.2, 0.0, 0.3]]))
    >>> paths.wins, paths.lasting_lead_share
    (array([0. , 1. , 0.5, 1. ]), array([0., 0., 0., 1.]))
    >>> paths.last_wrong, paths.sign_changes
    (array([3]), array([1]))
    """

    sizes: Int64s
    lead: Floats

    @property
    def wins(self) -> Floats:
        """For each size, the share of lists on which the better ranker is ahead; ties count half."""
        return _mean(np.where(np.isnan(self.lead), np.nan, (np.sign(self.lead) + 1) / 2))

    @property
    def mean_lead(self) -> Floats:
        """For each size, the mean lead over lists."""
        return _mean(self.lead)

    @property
    def lasting_lead_share(self) -> Floats:
        """For each size N, the share of lists on which it is ahead at all sizes from N on (Definition 5)."""
        right = np.isnan(self.lead) | (self.lead > 0)
        from_here_on = np.logical_and.accumulate(right[:, ::-1], axis=1)[:, ::-1]
        return np.asarray(from_here_on.mean(axis=0), np.float64)

    @property
    def last_wrong(self) -> Int64s:
        """For each list, the last size at which the better ranker is not ahead; 0 if there is none."""
        return _last(self.sizes, self.lead <= 0)

    @property
    def settled_at(self) -> int | None:
        """The first size from which its mean lead stays above 0; None if it does not end above 0."""
        last = int(_last(self.sizes, ~(self.mean_lead[None] > 0))[0])
        after = self.sizes[self.sizes > last]
        return int(after[0]) if after.size else None

    @property
    def sign_changes(self) -> Int64s:
        """For each list, how often the lead goes from one ranker to the other as the list grows."""
        signs = np.sign(np.nan_to_num(self.lead))
        places = np.where(signs != 0, np.arange(self.sizes.size), 0)  # a tie keeps the lead with whoever had it
        held = np.take_along_axis(signs, np.maximum.accumulate(places, axis=1), axis=1)
        changed = (held[:, 1:] != held[:, :-1]) & (held[:, :-1] != 0)
        return np.asarray(np.count_nonzero(changed, axis=1), np.int64)


def _mean(values: Floats) -> Floats:
    """The mean over lists, without NaN; NaN if nothing is left."""
    return np.asarray(np.ma.masked_invalid(values).mean(axis=0).filled(np.nan), np.float64)


def _last(sizes: Int64s, where: Booleans) -> Int64s:
    """For each row, the last size at which ``where`` is true; 0 if there is none."""
    last: Int64s = np.where(where, sizes, 0).max(axis=1, initial=0)
    return last
