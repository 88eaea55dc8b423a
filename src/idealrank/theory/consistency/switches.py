"""Where the best order of documents changes as one label vector becomes more probable than another."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from idealrank._typing import Floats
from idealrank.data.columns import float_array
from idealrank.errors import DataError
from idealrank.measures.cutoffs import CutoffLike
from idealrank.measures.discounts import DiscountLike
from idealrank.measures.gains import GainLike
from idealrank.theory.consistency.fisher import Mixture
from idealrank.theory.consistency.minimizers import LossFunction, best_scores, loss_function

__all__ = ["switch_points"]

_GRID = np.linspace(0, 1, 1001)[1:-1]
_HALVINGS = 45


def switch_points(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    loss: str | LossFunction | None = None,
    *,
    gain: GainLike = "exp2",
    discount: DiscountLike = "log",
    cutoff: CutoffLike = None,
) -> tuple[float, ...]:
    """Find the probabilities of the first of two label vectors at which the order of documents changes.

    Between its own switch point and the switch point of NDCG, a loss ranks documents wrongly. Points closer than 0.001
    may be missed.

    Parameters
    ----------
    first, second : array-like
        The label vectors.
    loss : str or callable, optional
        A loss, its name, or a function of labels, scores and offsets that returns one value per query, and the
        gradient; the order is then the order of the scores with the lowest expected loss. By default, it is the best
        order for NDCG.
    gain : str, Gain, mapping or sequence
        The gain of a label.
    discount : str, Discount or sequence of float
        The weight of a rank, or a sequence of the weights of the ranks 1, 2, ...
    cutoff : int, float, str or Cutoff, optional
        Number of ranks that count; None means all ranks.

    Returns
    -------
    tuple of float
        The probabilities, in increasing order.

    Raises
    ------
    DataError
        If the label vectors differ in length or have fewer than two documents.

    Examples
    --------
    For the labels 1, 5 and 2, 1 (Ravikumar et al. 2011, Proposition 7):

    >>> import numpy as np
    >>> from idealrank.theory import switch_points
    >>> np.round(switch_points([1, 5], [2, 1]), 4), np.round(switch_points([1, 5], [2, 1], "cosine"), 4)
    (array([0.3674]), array([0.3954]))
    """
    both: Any = [first, second]
    vectors = float_array(both, "label vectors")
    if vectors.ndim != 2 or vectors.shape[1] < 2:
        raise DataError(f"pass two label vectors of at least two documents, got shape {vectors.shape}")
    Mixture.of([0.5, 0.5], vectors)  # checks the labels
    function = None if loss is None else loss_function(loss)
    i, j = np.triu_indices(vectors.shape[1], 1)

    def signs(chances: Floats) -> Floats:
        """Which of each pair of documents comes first; 0 if neither does."""
        mixture = Mixture.of_two(chances, np.tile(vectors, (chances.size, 1, 1)))
        scores = mixture.target(gain, discount, cutoff) if function is None else best_scores(function, mixture).scores
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
