"""Scores of lowest expected loss for thousands of small problems at once, for any loss.

A problem is a mixture of label vectors (see `fisher`); its risk is the expected loss. Smooth losses are minimized by
Newton's method, with Hessians from differences of gradients. If that does not converge, as at the kinks of a hinge, the
ellipsoid method is used, which needs convexity only. A tiny ridge selects one of many minima, and a finite point if the
minimum is at infinity.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from idealrank import losses
from idealrank._typing import Booleans, Floats, Int64s
from idealrank.data.columns import float_array
from idealrank.errors import DataError, OptionError
from idealrank.losses.loss_base import Loss
from idealrank.measures.cutoffs import CutoffLike
from idealrank.measures.discounts import DiscountLike
from idealrank.measures.gains import GainLike
from idealrank.theory.consistency.fisher import Mixture

#: A loss of the library, or any function of labels, scores and offsets that returns values and a gradient.
LossFunction = Callable[[Floats, Floats, Int64s], tuple[npt.ArrayLike, npt.ArrayLike]] | Loss

_STEPS = 60
_LONGEST_STEP = 8.0
_SHORTEST = 0.005  # of a step: a smooth risk would have decreased by then; at a kink no step helps
_RADIUS = 32.0  # of the search for a lower risk around the scores found


def loss_function(loss: str | LossFunction) -> LossFunction:
    """Return the loss of this name; a function is returned as it is."""
    function: LossFunction = losses.loss(loss) if isinstance(loss, str) else loss
    if not callable(function):
        raise OptionError(f"a loss must be a name or a function of labels, scores and offsets, got {loss!r}")
    return function


def loss_name(function: LossFunction) -> str:
    """Return the name of a loss for people."""
    return str(function) if isinstance(function, Loss) else getattr(function, "__name__", repr(function))


@dataclass(frozen=True)
class Risk:
    """The conditional risk of many problems.

    Parameters
    ----------
    loss : LossFunction
        The loss.
    mixture : Mixture
        The problems.
    n_threads : int, optional
        Threads for a loss of the library.
    basis : float64 array, optional
        Restricts the scores of each problem to a subspace, s = B z.
    ridge : float
        The factor of the ridge.
    tolerance : float
        A minimum has converged if the slope, with the ridge, is at most this times the mean size of the gradients that
        cancel there.
    convex : bool
        Whether the risk may be convex: else it is minimized from several starts.
    """

    loss: LossFunction
    mixture: Mixture
    n_threads: int | None = None
    basis: Floats | None = None
    ridge: float = 1e-7
    tolerance: float = 1e-8
    convex: bool = True

    @property
    def n_problems(self) -> int:
        return int(self.mixture.probabilities.shape[0])

    @property
    def n_free(self) -> int:
        """The number of free parameters of a problem: scores, or coordinates in the basis."""
        return self.mixture.n_docs if self.basis is None else int(self.basis.shape[2])

    def take(self, rows: npt.NDArray[Any]) -> Risk:
        """Return the risk of some of the problems."""
        return replace(self, mixture=take(self.mixture, rows), basis=None if self.basis is None else self.basis[rows])

    def scores(self, free: Floats) -> Floats:
        """Return the scores for these free parameters."""
        return free if self.basis is None else np.asarray(np.einsum("ndf,nf->nd", self.basis, free))

    def __call__(self, free: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the risk of each problem, its gradient, and the mean size of the gradients that it consists of."""
        chances, vectors = self.mixture
        n_problems, n_vectors, n_docs = vectors.shape
        scores = np.broadcast_to(self.scores(free)[:, None, :], vectors.shape)
        offsets = np.arange(0, vectors.size + 1, n_docs)
        options: dict[str, Any] = {"n_threads": self.n_threads} if isinstance(self.loss, Loss) else {}
        values, gradient = self.loss(vectors.reshape(-1), np.ascontiguousarray(scores).reshape(-1), offsets, **options)
        value_column, slope_column = np.asarray(values, np.float64), np.asarray(gradient, np.float64)
        if value_column.shape != (n_problems * n_vectors,) or slope_column.shape != (vectors.size,):
            raise DataError(
                f"a loss must return one value per query and one number per document, {n_problems * n_vectors} and "
                f"{vectors.size} here, got shapes {value_column.shape} and {slope_column.shape}"
            )
        slopes = slope_column.reshape(vectors.shape)
        risk = (chances * value_column.reshape(chances.shape)).sum(axis=1)
        slope = np.einsum("nk,nkd->nd", chances, slopes)
        size = (chances * np.abs(slopes).max(axis=2)).sum(axis=1)
        return risk, slope if self.basis is None else np.einsum("nd,ndf->nf", slope, self.basis), size


class RiskMinimum(NamedTuple):
    """The best scores found for each problem.

    Parameters
    ----------
    scores, risk : float64 arrays
        The scores and their risk.
    gap : float64 array
        How much lower a convex risk can be within the search radius.
    converged : bool array
        Whether the slope vanishes, or no clearly lower risk is possible.
    convex : bool array
        Whether no point was seen where the risk is concave.
    """

    scores: Floats
    risk: Floats
    gap: Floats
    converged: Booleans
    convex: Booleans


_PAIRS = 4096


def looks_convex(loss: LossFunction, label_vectors: Floats, n_threads: int | None = None) -> bool:
    """Return whether the loss is nowhere above its chord, between 4096 random pairs of scores of many sizes.

    >>> looks_convex(losses.LeastSquares(), np.array([[0.0, 1], [2, 1]]))
    True
    >>> looks_convex(losses.SoftNDCG(), np.array([[0.0, 1], [2, 1]]))
    False
    """
    rng = np.random.default_rng(0)
    labels = label_vectors[rng.integers(len(label_vectors), size=_PAIRS)]
    sizes = 10 ** rng.uniform(-2, 1, (2, _PAIRS, 1))
    a, b = rng.normal(size=(2, *labels.shape)) * sizes + rng.normal(size=(2, _PAIRS, 1))
    risk = Risk(loss, Mixture(np.ones((_PAIRS, 1)), labels[:, None, :]), n_threads)
    start, middle, end = (risk(scores)[0] for scores in (a, (a + b) / 2, b))
    known = np.isfinite(start) & np.isfinite(end)
    above = middle - (start + end) / 2
    return not bool((above > 1e-9 * (1 + np.abs(start) + np.abs(end)))[known].any())


def best_scores(
    loss: LossFunction, mixture: Mixture, n_threads: int | None = None, *, convex: bool = True
) -> RiskMinimum:
    """Return the scores of lowest risk, from ``loss.minimizer(probabilities, label_vectors)`` if there is one."""
    minimizer = getattr(loss, "minimizer", None)
    if minimizer is None:
        return minimize(Risk(loss, mixture, n_threads, convex=convex))
    scores = np.asarray(minimizer(*mixture), np.float64)
    known = np.asarray(~np.isnan(scores).any(axis=1))
    unasked = np.full(known.size, np.nan)
    return RiskMinimum(scores, unasked, unasked, known, np.ones(known.size, np.bool_))


def minimize(risk: Risk) -> RiskMinimum:
    """Return the scores of lowest risk of each problem, from several starts if a risk is not convex."""
    found = _newton(risk, np.zeros((risk.n_problems, risk.n_free)))
    found.convex[:] &= risk.convex
    not_converged = np.flatnonzero(~found.converged & found.convex)
    if not_converged.size:
        _put(found, not_converged, _ellipsoid(risk.take(not_converged), found.scores[not_converged]))
    bent = np.flatnonzero(~found.convex)
    for start in 2 * np.eye(risk.n_free) if bent.size else ():  # each document in turn first
        again = _newton(risk.take(bent), np.tile(start, (bent.size, 1)))
        # A converged point is preferred even if its risk is higher in the last digit.
        margin = np.where(again.converged & ~found.converged[bent], 1e-9, -1e-12) * (1 + np.abs(again.risk))
        lower = again.risk < found.risk[bent] + margin
        again.convex[:] = False
        _put(found, bent[lower], take(again, lower))
    return found._replace(scores=risk.scores(found.scores))


class _Place(NamedTuple):
    """A point of each problem: the risk with its ridge, its slope, the slope without the ridge, the size of slopes."""

    free: Floats
    value: Floats
    slope: Floats
    bare: Floats
    size: Floats

    @classmethod
    def of(cls, risk: Risk, free: Floats) -> _Place:
        value, slope, size = risk(free)
        return cls(free, value + risk.ridge / 2 * (free**2).sum(axis=1), slope + risk.ridge * free, slope, size)

    def resolved(self, tolerance: float) -> Booleans:
        """Return whether slopes cancel, with the ridge or without (the scale is irrelevant to a cosine)."""
        steepest = np.minimum(np.abs(self.slope).max(axis=1), np.abs(self.bare).max(axis=1))
        return np.asarray(steepest <= tolerance * self.size)


_Columns = TypeVar("_Columns", RiskMinimum, Mixture, _Place)


def take(columns: _Columns, rows: npt.NDArray[Any]) -> _Columns:
    """Return these rows of every column."""
    return type(columns)(*(column[rows] for column in columns))


def _put(columns: _Columns, rows: npt.NDArray[Any], part: _Columns) -> None:
    """Replace these rows of every column."""
    for column, new in zip(columns, part, strict=True):
        column[rows] = new


def _newton(risk: Risk, start: Floats) -> RiskMinimum:
    """Damped Newton steps from the start, for the problems that have not converged."""
    place = _Place.of(risk, start.copy())
    convex = np.ones(risk.n_problems, np.bool_)
    largest = place.size.copy()
    moving = ~place.resolved(risk.tolerance)
    for _ in range(_STEPS):
        rows = np.flatnonzero(moving)
        if not rows.size:
            break
        part, here = risk.take(rows), take(place, rows)
        hessian, least = _hessian(part, here)
        step = -np.linalg.solve(hessian, here.slope[..., None])[..., 0].astype(np.float64)
        step /= np.maximum(1, np.sqrt((step**2).sum(axis=1)) / _LONGEST_STEP)[:, None]
        there, stuck = _descend(part, here, step)
        along = there.free - here.free
        rise = ((there.slope - here.slope) * along).sum(axis=1)
        largest[rows] = np.maximum(largest[rows], there.size)
        convex[rows] &= (least >= -1e-3 * largest[rows]) & (rise >= -1e-9 * largest[rows] * np.abs(along).max(axis=1))
        _put(place, rows, there)
        moving[rows] = ~there.resolved(risk.tolerance) & ~stuck
    gap = _RADIUS * np.sqrt((place.bare**2).sum(axis=1))  # a convex risk decreases no faster than here
    value = place.value - risk.ridge / 2 * (place.free**2).sum(axis=1)
    return RiskMinimum(place.free, value, gap, place.resolved(risk.tolerance), convex)


def _hessian(risk: Risk, place: _Place) -> tuple[Floats, Floats]:
    """The Hessian by differences, its eigenvalues made positive; and the lowest second derivative along an axis."""
    n, d = place.free.shape
    hessian = np.empty((n, d, d))
    for axis in range(d):
        step = 1e-6 * (1 + np.abs(place.free[:, axis]))
        ahead = place.free.copy()
        ahead[:, axis] += step
        hessian[:, axis] = (risk(ahead)[1] + risk.ridge * ahead - place.slope) / step[:, None]
    least = np.diagonal(hessian, axis1=1, axis2=2).min(axis=1)
    values, vectors = np.linalg.eigh((hessian + hessian.swapaxes(1, 2)) / 2)
    floor = np.maximum(1e-10 * np.abs(values).max(axis=1), risk.ridge / 2)
    steep = np.maximum(np.abs(values), floor[:, None])
    return (vectors * steep[:, None, :]) @ vectors.swapaxes(1, 2), least


def _descend(risk: Risk, start: _Place, step: Floats) -> tuple[_Place, Booleans]:
    """A step, halved until the risk decreases by a part of what the slope predicts; stuck if it never does."""
    todo = np.arange(start.value.size)
    reached = take(start, todo)
    promise = (start.slope * step).sum(axis=1)
    scale = 1.0
    while todo.size and scale > _SHORTEST:
        here = take(start, todo)
        tried = _Place.of(risk.take(todo), here.free + scale * step[todo])
        # Near the minimum the risk is flat to the last digit, and only the slope is informative.
        flat = np.abs(tried.value - here.value) <= 1e-13 * (1 + np.abs(here.value))
        gentler = np.abs(tried.slope).max(axis=1) < np.abs(here.slope).max(axis=1)
        good = (tried.value <= here.value + 1e-4 * scale * promise[todo]) | (flat & gentler)
        _put(reached, todo[good], take(tried, good))
        todo = todo[~good]
        scale /= 2
    return reached, np.isin(np.arange(start.value.size), todo)


def _ellipsoid(risk: Risk, start: Floats) -> RiskMinimum:
    """The ellipsoid method (Shor; Yudin and Nemirovski): each slope cuts the region that can contain a minimum."""
    n, d = start.shape
    center, best = start.copy(), start.copy()
    shape = np.tile(_RADIUS**2 * np.eye(d), (n, 1, 1))
    least, bound, largest = np.full(n, np.inf), np.full(n, -np.inf), np.zeros(n)
    rows = np.arange(n)
    for _ in range(int(2 * d * (d + 1) * np.log(_RADIUS / 1e-9))):
        place = _Place.of(risk.take(rows), center[rows])
        along = np.einsum("nij,nj->ni", shape[rows], place.slope)
        width = np.sqrt(np.maximum((along * place.slope).sum(axis=1), 0))
        lower = place.value < least[rows]
        best[rows[lower]], least[rows[lower]] = place.free[lower], place.value[lower]
        bound[rows] = np.maximum(bound[rows], place.value - width)  # in the ellipsoid, convexity allows no less
        largest[rows] = np.maximum(largest[rows], place.size)
        unknown = (least - bound)[rows] > risk.tolerance * largest[rows]
        rows, width = rows[unknown], width[unknown]
        if not rows.size:
            break
        along = along[unknown] / width[:, None]
        center[rows] -= along / (d + 1)
        cut = along[:, :, None] * along[:, None, :]
        shape[rows] = shape[rows] / 4 if d == 1 else d**2 / (d**2 - 1) * (shape[rows] - 2 / (d + 1) * cut)
    reserve = risk.ridge / 2 * (best**2).sum(axis=1)
    return RiskMinimum(best, least - reserve, least - bound, least - bound <= 1e-6 * largest, np.ones(n, np.bool_))


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
