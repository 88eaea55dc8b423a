"""Soft ranks: positions that change smoothly with the scores (Qin, Liu and Li 2008)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from idealrank import _native
from idealrank._core.threads import resolve_threads
from idealrank._names.options import choice, number
from idealrank._typing import Floats, Int64s
from idealrank.data.columns import check_columns

__all__ = ["SIGMOIDS", "SoftRanks", "alpha_for", "soft_positions"]

#: The step 1{z > 0}, smoothed: 1/(1 + e^-z); (1 + tanh(z/2))/2, which is the same; 1/2 + arctan(z)/pi; (1 + erf z)/2.
SIGMOIDS = ("logistic", "tanh", "arctan", "erf")
#: The allowed slopes of a sigmoid: outside of them, products with scores are 0 or infinite.
slope = number(1e-300, 1e300)


class SoftRanks(NamedTuple):
    """Sums of sigmoids over the documents of each query, where t = alpha s for scores s.

    The logistic sigmoid takes near-linear time and linear memory, with a relative error of 1e-10; "arctan" and "erf"
    take quadratic time.

    Parameters
    ----------
    scores : float64 array of shape (n_docs,)
        One score per document.
    offsets : int64 array of shape (n_queries + 1,)
        Query i has the documents ``offsets[i]:offsets[i + 1]``.
    alpha : float
        The slope of the sigmoid; the larger it is, the closer soft ranks are to the ranks.
    sigmoid : {"logistic", "tanh", "arctan", "erf"}
        The smooth step function; "logistic" and "tanh" are the same function.
    n_threads : int
        Number of threads.

    Examples
    --------
    >>> import numpy as np
    >>> from idealrank.ranks import SoftRanks
    >>> soft = SoftRanks(np.array([1.0, 1.0, 0.0]), np.array([0, 3]), alpha=100.0)
    >>> soft.sums()[0] + 1
    array([1.5, 1.5, 3. ])
    """

    scores: Floats
    offsets: Int64s
    alpha: float
    sigmoid: str = "logistic"
    n_threads: int = 1

    def sums(self, weights: Floats | None = None) -> tuple[Floats, Floats]:
        """Return the sums over all other documents j of w_j sigma(t_j - t_i), and the same for sigma'.

        Parameters
        ----------
        weights : float64 array, optional
            One weight w per document; None means 1 for all.

        Returns
        -------
        sums, derivatives : float64 arrays of shape (n_docs,)
            One number per document i.
        """
        kind = "logistic" if self.sigmoid == "tanh" else self.sigmoid
        return _native.sigmoid_sums(self.scores, weights, self.offsets, self.alpha, kind, self.n_threads)

    def log_sums(self) -> Floats:
        """Return minus the log of the product over j of sigma(t_j - t_i), for the logistic sigmoid.

        Returns
        -------
        float64 array of shape (n_docs,)
            The sum over j of log(1 + exp(t_i - t_j)) for each document i.
        """
        return _native.log_sigmoid_sums(self.scores, self.offsets, self.alpha, self.n_threads)


def soft_positions(
    scores: npt.ArrayLike,
    offsets: npt.ArrayLike | None = None,
    alpha: float = 10.0,
    *,
    sigmoid: str = "logistic",
    n_threads: int | None = None,
) -> Floats:
    """Compute soft ranks 1 + sum_y sigma(alpha (s_y - s_x)) over all other documents y, one per document.

    See Qin, Liu and Li 2008, eq. (20).

    Parameters
    ----------
    scores : array-like
        One score per document.
    offsets : array-like of int, optional
        Query i has the documents ``offsets[i]:offsets[i + 1]``; None means one query.
    alpha : float
        The slope of the sigmoid; the larger it is, the closer soft ranks are to the ranks. Documents with equal scores
        approach the mean of their ranks.
    sigmoid : {"logistic", "tanh", "arctan", "erf"}
        The smooth step function; "logistic" and "tanh" are the same function.
    n_threads : int, optional
        Number of threads; None means all cores, or the number passed to `set_threads`.

    Returns
    -------
    float64 array of shape (n_docs,)
        The soft ranks.

    Raises
    ------
    DataError
        If a score is not a finite number.
    OptionError
        If the value of an option is not valid.

    Examples
    --------
    Scores 1 and 0 with alpha 1: the first has the position 1 + 1/(1 + e) = 1.268...

    >>> from idealrank.ranks import soft_positions
    >>> soft_positions([1.0, 0.0], alpha=1.0)
    array([1.26894142, 1.73105858])
    """
    column, _, cut = check_columns(scores, scores, offsets)
    kind, steepness = choice(*SIGMOIDS)(sigmoid), slope(alpha)
    return 1 + SoftRanks(column, cut, steepness, kind, resolve_threads(n_threads)).sums()[0]


def alpha_for(scores: npt.ArrayLike, offsets: npt.ArrayLike | None = None, tol: float = 0.01) -> float:
    """Return the smallest alpha for which every soft rank of every query is within ``tol`` of the rank.

    That is, (n - 1) / (1 + exp(alpha delta)) <= tol for n documents (Qin, Liu and Li 2008, eq. (25)), where delta is
    the smallest difference between two scores. Equal scores are ignored: their soft ranks approach the mean of their
    ranks.

    Parameters
    ----------
    scores : array-like
        One score per document.
    offsets : array-like of int, optional
        Query i has the documents ``offsets[i]:offsets[i + 1]``; None means one query.
    tol : float
        The largest allowed distance between a soft rank and the rank.

    Returns
    -------
    float
        The slope; 0 if any slope is large enough.

    Raises
    ------
    DataError
        If a score is not a finite number.
    OptionError
        If the value of an option is not valid.

    Examples
    --------
    Two documents whose scores differ by 1: 1 / (1 + exp(alpha)) = 0.01 for alpha = ln 99.

    >>> import numpy as np
    >>> from idealrank.ranks import alpha_for
    >>> round(alpha_for([1.0, 0.0]), 12) == round(float(np.log(99)), 12)
    True
    """
    column, _, cut = check_columns(scores, scores, offsets)
    tolerance = number(1e-300)(tol)
    rows = _native.order(column, cut, resolve_threads(None))
    with np.errstate(over="ignore"):
        gaps = -np.diff(column[rows])
    gaps[cut[(cut > 0) & (cut < column.size)] - 1] = 0  # from one query to the next
    apart = np.flatnonzero(gaps > 0)
    sizes = np.repeat(np.diff(cut), np.diff(cut))[apart]
    with np.errstate(divide="ignore", over="ignore"):
        needed = np.log(np.maximum((sizes - 1) / tolerance - 1, 1)) / gaps[apart]
    return float(needed.max(initial=0.0))
