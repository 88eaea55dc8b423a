"""Catalogs: scores of all items for each user, and the best items, without all scores in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from idealrank import _native
from idealrank._typing import Floats, Int64s
from idealrank.data.columns import array_of, float_array
from idealrank.data.interactions import Interactions
from idealrank.data.lists import QueryIds, query_id
from idealrank.errors import DataError

#: Takes row numbers of users, and returns one row of scores per user with one score per item.
Scorer: TypeAlias = Callable[[Int64s], npt.ArrayLike]
#: Users, their best items, the scores of these, and offsets that separate the users.
BestItems: TypeAlias = tuple[Int64s, Int64s, Floats, Int64s]

# Number of scores at a time. Products of factors are computed for some users and items at a time, and searched while
# they are in the cache.
_SCORES_PER_SELECTION = 1 << 23
_USERS_PER_TILE, _ITEMS_PER_TILE = 768, 384


class Products:
    """Scores from factors of one dtype, written over the last ones: the memory is there already, and in the cache."""

    def __init__(self, users: npt.NDArray[Any], items: npt.NDArray[Any]) -> None:
        self._users, self._items = users, items
        self._memory = np.empty(0, users.dtype)

    def __call__(self, users: Int64s) -> npt.NDArray[Any]:
        return self._product(self._users[users], self._items)

    def tiles(self, users: Int64s) -> Iterator[npt.NDArray[Any]]:
        """Yield the scores of some items after the other."""
        own = self._users[users]
        for start in range(0, self._items.shape[0], _ITEMS_PER_TILE):
            yield self._product(own, self._items[start : start + _ITEMS_PER_TILE])

    def _product(self, users: npt.NDArray[Any], items: npt.NDArray[Any]) -> npt.NDArray[Any]:
        shape = users.shape[0], items.shape[0]
        if self._memory.size < shape[0] * shape[1]:
            self._memory = np.empty(shape[0] * shape[1], users.dtype)
        return np.matmul(users, items.T, out=self._memory[: shape[0] * shape[1]].reshape(shape))


@dataclass(frozen=True)
class Catalog:
    """Scores of all items for any users, made on demand.

    Parameters
    ----------
    scorer : callable
        Takes user numbers, returns scores.
    user_ids, item_ids : int64 array or Ids
        The ids, for results and errors.
    """

    scorer: Scorer
    user_ids: QueryIds
    item_ids: QueryIds

    def blocks(self, users: Int64s, n_scores: int) -> Iterator[Int64s]:
        """Yield users, as many at a time as have so many scores."""
        yield from _parts(users, max(1, n_scores // max(1, len(self.item_ids))))

    def tiled_blocks(self, users: Int64s) -> Iterator[Int64s]:
        """Yield users, as many at a time as `tiles` is best called with."""
        if isinstance(self.scorer, Products):
            n_items = max(1, len(self.item_ids))
            yield from _parts(users, max(_USERS_PER_TILE, _USERS_PER_TILE * _ITEMS_PER_TILE // n_items))
        else:
            yield from self.blocks(users, _SCORES_PER_SELECTION)

    def scores(self, users: Int64s) -> npt.NDArray[Any]:
        """Return the scores of all items, until the next call: float32 if the scorer returns that, else float64."""
        scores = array_of(self.scorer(users), "scores")
        if scores.shape != (users.size, len(self.item_ids)):
            raise DataError(
                f"the scores of {users.size} users must have shape {(users.size, len(self.item_ids))}, one column "
                f"per item, got {scores.shape}"
            )
        return np.ascontiguousarray(scores) if scores.dtype == np.float32 else float_array(scores, "scores")

    def tiles(self, users: Int64s) -> Iterator[npt.NDArray[Any]]:
        """Yield the scores of all items, as many items at a time as the scorer computes best."""
        if isinstance(self.scorer, Products):
            yield from self.scorer.tiles(users)
        else:
            yield self.scores(users)

    def located(self, error: DataError, users: Int64s) -> DataError:
        """Return an error about a row and a column of a block with the ids of the user and the item."""
        if not isinstance(error.query, int):
            return error
        user = query_id(self.user_ids, int(users[error.query]))
        item = "" if error.row is None else f" and item {query_id(self.item_ids, error.row)!r}"
        return DataError(f"{error.what} for user {user!r}{item}")


def _parts(users: Int64s, size: int) -> Iterator[Int64s]:
    return (users[start : start + size] for start in range(0, users.size, size))


def best_items(
    catalog: Catalog, users: Int64s, k: int, exclude: Interactions | None, n_threads: int
) -> Iterator[BestItems]:
    """Yield users, some at a time, with their best items, the scores of these, and offsets that separate the users.

    A user has k items, best first, equal scores in the order of the items, and all others that share the score of the
    k-th; fewer if there are no more.
    """
    for some in catalog.tiled_blocks(users):
        excluded, starts = np.zeros(0, np.int64), np.zeros(some.size + 1, np.int64)
        if exclude is not None:
            excluded, _, starts = exclude.of_users(some)
        selection: _native.TopSelection32 | _native.TopSelection64 | None = None
        try:
            for tile in catalog.tiles(some):
                if selection is None:
                    kind = _native.TopSelection32 if tile.dtype == np.float32 else _native.TopSelection64
                    selection = kind(len(catalog.item_ids), k, excluded, starts)
                selection.add(tile, n_threads if tile.size >= _SCORES_PER_SELECTION // 2 else 1)
        except DataError as error:
            raise catalog.located(error, some) from None
        assert selection is not None
        yield some, *selection.found()
