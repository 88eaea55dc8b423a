"""Interactions of users with items: which items each user has, out of one catalog."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from idealrank._typing import Floats, Int64s
from idealrank.data.columns import check_offsets, check_size, group_of_each, offsets_of, places, query_at
from idealrank.data.ids import Ids
from idealrank.data.lists import QueryIds, query_id
from idealrank.errors import DataError


@dataclass(frozen=True, eq=False)
class Interactions:
    """The items of each user, a sparse matrix of users x items with ids; entries that are not stored are 0.

    Parameters
    ----------
    user_ids, item_ids : int64 array or Ids
        One id per user, and one per item of the catalog.
    offsets : int64 array
        User i has the interactions ``offsets[i]:offsets[i + 1]``.
    items : int64 array
        The item number of each interaction, from 0; a user has an item at most once.
    labels : float64 array
        The label of each interaction, above 0.

    Examples
    --------
    >>> ids = np.array([7, 8])
    >>> own = Interactions(ids, Ids.of(["a", "b", "c"]), np.array([0, 1, 3]), np.array([2, 0, 1]), np.ones(3))
    >>> own.n_users, own.n_items, own.dense(np.array([1, 0]))
    (2, 3, array([[1., 1., 0.],
           [0., 0., 1.]]))
    """

    user_ids: QueryIds
    item_ids: QueryIds
    offsets: Int64s
    items: Int64s
    labels: Floats

    def __post_init__(self) -> None:
        check_offsets(self.offsets, self.items.size)
        check_size(self.offsets.size - 1, self.n_users, "offsets", "user")
        check_size(self.labels.size, self.items.size, "labels", "interaction")
        outside = np.flatnonzero((self.items < 0) | (self.items >= self.n_items))
        if outside.size:
            place = int(outside[0])
            raise DataError(
                f"an item number must be from 0 to {self.n_items - 1}, the {self.n_items:,} items of the catalog, "
                f"got {self.items[place]} for {self.user_at(place)}"
            )
        bad = np.flatnonzero(~((self.labels > 0) & np.isfinite(self.labels)))
        if bad.size:
            place = int(bad[0])
            raise DataError(
                f"a label must be finite and not negative, got {self.labels[place]:g} for {self.user_at(place)}, item "
                f"{query_id(self.item_ids, int(self.items[place]))!r}"
            )

    @classmethod
    def of_pairs(
        cls, users: Int64s, items: Int64s, labels: Floats | None, user_ids: QueryIds, item_ids: QueryIds
    ) -> Interactions:
        """Group pairs of a user and an item, given by their numbers, in any order.

        A repeated pair counts once, with its largest label. A pair with the label 0 is no interaction.
        """
        values = np.ones(users.size) if labels is None else labels
        order = np.lexsort((-values, items, users))
        order = order[~(values[order] == 0)]
        users, items, values = users[order], items[order], values[order]
        again = np.flatnonzero((users[1:] == users[:-1]) & (items[1:] == items[:-1])) + 1
        users, items, values = (np.delete(column, again) for column in (users, items, values))
        offsets = offsets_of(np.bincount(users, minlength=len(user_ids)))
        return cls(user_ids, item_ids, offsets, items, values)

    @property
    def n_users(self) -> int:
        """Number of users."""
        return len(self.user_ids)

    @property
    def n_items(self) -> int:
        """Number of items in the catalog."""
        return len(self.item_ids)

    @property
    def counts(self) -> Int64s:
        """Number of items of each user."""
        return np.diff(self.offsets)

    def user_at(self, place: int) -> str:
        """Return the user of an interaction, for errors."""
        return f"user {query_id(self.user_ids, query_at(self.offsets, place))!r}"

    def of_users(self, users: Int64s) -> tuple[Int64s, Floats, Int64s]:
        """Return the items of these users, their labels, and the offsets that separate the users."""
        taken, offsets = places(self.offsets, users)
        return self.items[taken], self.labels[taken], offsets

    def dense(self, users: Int64s) -> Floats:
        """Return the labels of all items of the catalog for these users, one row each."""
        items, labels, offsets = self.of_users(users)
        block = np.zeros((users.size, self.n_items))
        block[group_of_each(offsets), items] = labels
        return block

    def aligned(self, to: Interactions, what: str) -> Interactions:
        """Return these interactions with the users and the item numbers of others.

        Raises
        ------
        DataError
            If a user or an item is not among those of ``to``; it names the first.
        """
        rows, columns = positions_in(self.user_ids, to.user_ids), positions_in(self.item_ids, to.item_ids)
        used = np.zeros(self.n_items, bool)
        used[self.items] = True
        for kind, ids, unknown in (
            ("user", self.user_ids, np.flatnonzero((rows < 0) & (self.counts > 0))),
            ("item", self.item_ids, np.flatnonzero((columns < 0) & used)),
        ):
            if unknown.size:
                first = query_id(ids, int(unknown[0]))
                raise DataError(f"{what} has {unknown.size:,} {kind}s that were not in fit, first {first!r}")
        users = np.repeat(rows, self.counts)
        return Interactions.of_pairs(users, columns[self.items], self.labels, to.user_ids, to.item_ids)

    def without(self, others: Interactions) -> tuple[Interactions, int]:
        """Return the interactions that others, of the same users and items, do not have, and how many they do have."""
        users = np.repeat(np.arange(self.n_users), self.counts)
        own = users * self.n_items + self.items
        others_users = np.repeat(np.arange(others.n_users), others.counts)
        # np.isin does not know that the numbers are nearly sorted, and takes ten times as long.
        theirs = np.sort(others_users * others.n_items + others.items)
        places = np.searchsorted(theirs, own)
        kept = places == theirs.size
        kept[~kept] = theirs[places[~kept]] != own[~kept]
        if kept.all():
            return self, 0
        offsets = offsets_of(np.bincount(users[kept], minlength=self.n_users))
        return replace(self, offsets=offsets, items=self.items[kept], labels=self.labels[kept]), int((~kept).sum())


def numbered(ids: QueryIds) -> tuple[Int64s, QueryIds]:
    """Return the number of each id, and the distinct ids: integers ascending, text by first appearance.

    Examples
    --------
    >>> numbered(np.array([5, 3, 5]))
    (array([1, 0, 1]), array([3, 5]))
    """
    if isinstance(ids, Ids):
        return ids.numbered()
    distinct, numbers = np.unique(ids, return_inverse=True)
    return numbers.astype(np.int64), distinct.astype(np.int64)


def positions_in(ids: QueryIds | Iterable[Any], known: QueryIds) -> Int64s:
    """Return the position of each id among the known, distinct ones, or -1 if it is not there.

    Examples
    --------
    >>> positions_in(np.array([5, 4]), np.array([3, 5])).tolist()
    [1, -1]
    >>> positions_in(Ids.of(["b"]), Ids.of(["a", "b"])).tolist()
    [1]
    """
    if isinstance(known, Ids):
        return Ids.of(ids).index_in(known)
    if isinstance(ids, Ids):  # text is never an integer id
        return np.full(len(ids), -1)
    wanted = np.asarray(ids, np.int64)
    if not known.size:
        return np.full(wanted.size, -1)
    order = np.argsort(known, kind="stable")
    near = order[np.minimum(np.searchsorted(known, wanted, sorter=order), known.size - 1)]
    return np.where(known[near] == wanted, near, -1)
