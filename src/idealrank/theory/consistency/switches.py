"""Where the best order of documents changes as one label vector becomes more probable than another."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from idealrank._typing import Floats
from idealrank.errors import DataError
from idealrank.theory.consistency import minimizers as minimizers
from idealrank.theory.consistency.fisher import Mixture, fisher_target
from idealrank.theory.consistency.minimizers import LossFunction, best_scores

__all__ = ["switch_points"]

_GRID = np.linspace(0, 1, 1001)[1:-1]
_HALVINGS = 45


def switch_points(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    loss: str | LossFunction | None = None,
    *,
    gain: Any = "exp2",
    discount: Any = "log",
    cutoff: Any = None,
) -> tuple[float, ...]:
    """The probabilities of the first label vector, against the second, at which two documents change places.

    Without a loss, in the order that NDCG wants; with one, in that of its scores of least expected loss. A loss is
    wrong between its own point and that of NDCG. Points closer than 0.001 may be missed. For the labels 1, 5 and 2, 1
    (Ravikumar et al. 2011, Proposition 7):

    >>> switch_points([1, 5], [2, 1]), switch_points([1, 5], [2, 1], "cosine")
    ((0.36739...,), (0.39536...,))
    """
    vectors = np.array([first, second], np.float64)
    if vectors.ndim != 2 or vectors.shape[1] < 2:
        raise DataError(f"give two label vectors of two documents or more, got shape {vectors.shape}")
    function = None if loss is None else minimizers.of(loss)
    i, j = np.triu_indices(vectors.shape[1], 1)

    def signs(chances: Floats) -> Floats:
        """Which of each pair of documents comes first, 0 where neither does."""
        mixture = Mixture(np.stack([chances, 1 - chances], axis=1), np.tile(vectors, (chances.size, 1, 1)))
        if function is None:
            scores = fisher_target(*mixture, gain=gain, discount=discount, cutoff=cutoff)
        else:
            scores = best_scores(function, mixture).scores
        gaps = scores[:, i] - scores[:, j]
        return np.sign(np.where(np.abs(gaps) > 1e-13, gaps, 0))

    on_grid = signs(_GRID)
    found = []
    for pair in range(i.size):
        told = np.flatnonzero(on_grid[:, pair])
        changes = np.flatnonzero(np.diff(on_grid[told, pair]))
        low, high, before = _GRID[told[changes]], _GRID[told[changes + 1]], on_grid[told[changes], pair]
        for _ in range(_HALVINGS if changes.size else 0):
            middle = (low + high) / 2
            earlier = signs(middle)[:, pair] == before
            low, high = np.where(earlier, middle, low), np.where(earlier, high, middle)
        found += high.tolist()
    return tuple(sorted(found))
