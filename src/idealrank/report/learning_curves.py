"""Learning curves."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from idealrank._present.figure_style import new_axes
from idealrank._present.palette import BETTER, GRID, NEUTRAL
from idealrank.errors import DataError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["learning_curve"]


def learning_curve(ranker: Any, ax: Axes | None = None) -> Axes:
    """Draw the validation measure of a fitted ranker by iteration, or its loss if it had no validation data.

    A dashed line marks the best iteration. If the fit had several stages, each is a line of its own: it may begin with
    new weights, and losses of different stages are not comparable.

    Parameters
    ----------
    ranker : estimator
        A fitted ranker with ``history_``.
    ax : matplotlib Axes, optional
        The Axes to draw into; by default, those of a new figure.

    Returns
    -------
    Axes
        The Axes with the drawing.

    Raises
    ------
    DataError
        If the ranker has no history.

    Examples
    --------
    >>> from idealrank import report
    >>> from idealrank.learners import RankNet
    >>> ranker = RankNet(l2=1.0).fit([[0.0], [1.0]], [0, 1], qid=[1, 1])
    >>> report.learning_curve(ranker).lines[0].get_xdata().tolist()
    [0, 1, 2]
    """
    history = getattr(ranker, "history_", None)
    if not history:
        raise DataError(f"{type(ranker).__name__} has no history of iterations to draw")
    what = "validation" if "validation" in history[0] else "loss"
    ax = new_axes(ax, 2.8)
    for _, stage in groupby(enumerate(history), key=lambda each: each[1].get("stage")):
        iterations, entries = zip(*stage, strict=True)
        ax.plot(iterations, [each[what] for each in entries], color=BETTER, linewidth=1.5)
    ax.axvline(ranker.best_iteration_, color=NEUTRAL, linewidth=1, linestyle="--", zorder=0)
    ax.grid(axis="y", color=GRID, linewidth=0.6)
    ax.set_xlabel("iteration")
    ax.set_ylabel(f"validation {ranker.measure}" if what == "validation" else what, parse_math=False)
    return ax
