"""Figures of results, drawn with Matplotlib, which is imported when a figure is drawn.

Every function draws into ``ax`` and returns it. By default it makes a figure of suitable size, to be saved with
``ax.figure.savefig("a.pdf")``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from idealrank._present.figure_style import BETTER, DASHES, GRID, NEUTRAL, SERIES, WORSE, new_axes, shown
from idealrank._present.markup import typeset
from idealrank._typing import Floats
from idealrank.comparison.comparison_result import Comparison
from idealrank.comparison.explain import Explanation, Waterfall
from idealrank.errors import DataError
from idealrank.evaluation.evaluation_base import Measured
from idealrank.evaluation.evaluation_result import Evaluations

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["cutoff_curves", "differences", "learning_curve", "means", "waterfall"]

#: Share of the height of a row that is drawn on.
_ROW = 0.85
#: In points.
_LINE_HEIGHT = 11.0
#: More bars would not be visible; longer sorted lists are thinned to every n-th value.
_MOST_BARS = 250


def means(result: Measured, measure: str | None = None, ax: Axes | None = None) -> Axes:
    """Draw the mean of each system as a dot with its confidence interval as a line, and the baseline's mean dashed.

    Parameters
    ----------
    result : Evaluation, Evaluations, Comparison or Explanation
        The result to draw.
    measure : str, optional
        One of the measures of the result; by default, the first one.
    ax : matplotlib Axes, optional
        The Axes to draw into; by default, those of a new figure.

    Returns
    -------
    Axes
        The Axes with the drawing.

    Raises
    ------
    DataError
        If the result does not have the measure.

    Examples
    --------
    >>> from idealrank import evaluate
    >>> from idealrank.report import figures
    >>> ax = figures.means(evaluate([0, 1, 1, 0], [4, 3, 2, 1], "rr", offsets=[0, 2, 4]))
    >>> ax.get_xlabel(), [line.get_xdata().tolist() for line in ax.lines]
    ('rr (2 queries, like idealrank)', [[0.75]])
    """
    _check_has(result, "one_measure", "evaluate, compare or explain")
    measure = result.one_measure(measure)
    intervals = result.intervals(measure)
    ax = new_axes(ax, 0.7 + 0.27 * len(intervals))
    rows = _rows(ax, map(shown, intervals))
    for row, each in zip(rows, intervals.values(), strict=True):
        ax.hlines(row, each.low, each.high, colors=BETTER, linewidth=2)
        ax.plot([each.mean], [row], "o", color=BETTER, markersize=6)
    baseline = getattr(result, "baseline", None)
    if baseline is not None:
        ax.axvline(intervals[baseline].mean, color=NEUTRAL, linewidth=1, linestyle="--", zorder=0)
    _name_values(ax, f"{measure} ({result.basis()})")
    return ax


def rank_ranges(
    names: Sequence[str], ranks: Sequence[int], low: Sequence[int], high: Sequence[int], ax: Axes | None = None
) -> Axes:
    """Draw the rank of each system as a dot, and the ranks that it may have as a line."""
    ax = new_axes(ax, 0.7 + 0.27 * len(names))
    rows = _rows(ax, map(shown, names))
    ax.hlines(rows, low, high, colors=BETTER, linewidth=2)
    ax.plot(ranks, rows, "o", color=BETTER, markersize=6)
    ax.set_xlim(0.5, len(names) + 0.5)
    _name_values(ax, "rank")
    ax.locator_params(axis="x", nbins=8, integer=True)
    return ax


def differences(comparison: Comparison, measure: str | None = None, ax: Axes | None = None) -> Axes:
    r"""Draw the per-query differences of each system from the baseline, or from the best system, as sorted bars.

    There is one strip per system. All have the same scale, which is shown at the right.

    Parameters
    ----------
    comparison : Comparison
        The result of `compare`.
    measure : str, optional
        One of the measures of the comparison; by default, the first one.
    ax : matplotlib Axes, optional
        The Axes to draw into; by default, those of a new figure.

    Returns
    -------
    Axes
        The Axes with the drawing.

    Raises
    ------
    DataError
        If the comparison does not have the measure.

    Examples
    --------
    >>> from idealrank import compare, from_arrays
    >>> from idealrank.report import figures
    >>> data = from_arrays([1, 0, 1, 0], offsets=[0, 2, 4])
    >>> ax = figures.differences(compare(data, {"a": [2, 1, 2, 1], "b": [1, 2, 2, 1]}, "rr", baseline="a"))
    >>> [label.get_text() for label in ax.get_yticklabels()], ax.get_xlabel()
    (['b'], 'queries, by difference from a\n2 queries, like idealrank')
    """
    _check_has(comparison, "query_differences", "compare")
    measure = comparison.one_measure(measure)
    against = comparison.reference(measure)
    others = [system for system in comparison.systems if system != against]
    differences = [comparison.query_differences(measure, system, against) for system in others]
    scale = max((float(np.abs(each).max(initial=0)) for each in differences), default=0) or 1.0
    ax = new_axes(ax, 0.6 + max(0.62 * len(others), 1.2))
    rows = _rows(ax, map(shown, others))
    above, below = (WORSE, BETTER) if comparison.evaluations.lower_is_better(measure) else (BETTER, WORSE)
    for row, each in zip(rows, differences, strict=True):
        bars, edges = _thinned(each)
        n_above, n_not_below = np.count_nonzero(bars > 0), np.count_nonzero(bars >= 0)
        for start, end, color in ((0, n_above, above), (n_not_below, bars.size, below)):
            tops = row + _ROW / 2 * bars[start:end] / scale
            ax.stairs(tops, edges[start : end + 1], baseline=row, fill=True, color=color)
        ax.axhline(row, color=NEUTRAL, linewidth=0.6)
        sides = {above: np.count_nonzero(each > 0), below: np.count_nonzero(each < 0)}
        counts = f"{sides[BETTER]:,} better, {sides[WORSE]:,} worse"
        ax.text(
            0.99, row + _ROW / 2, counts, transform=ax.get_yaxis_transform(), ha="right", va="top", fontsize="small"
        )
    _label_scale(ax, rows, scale)
    ax.set_ylim(-0.5, len(others) - 0.5)
    ax.set_xlim(0, max([1, *(each.size for each in differences)]))
    _name_below(ax, f"queries, by difference from {shown(against)}\n{comparison.basis()}")
    return ax


def cutoff_curves(evaluations: Evaluations, family: str | None = None, ax: Axes | None = None) -> Axes:
    """Draw the mean of a measure by cutoff, with one line per system.

    Parameters
    ----------
    evaluations : Evaluations
        Evaluations at several cutoffs, such as those of `over_cutoffs`.
    family : str, optional
        The measure without its cutoff, such as "ndcg"; by default, the first one with at least two cutoffs.
    ax : matplotlib Axes, optional
        The Axes to draw into; by default, those of a new figure.

    Returns
    -------
    Axes
        The Axes with the drawing.

    Raises
    ------
    DataError
        If there is no such measure with at least two cutoffs.

    Examples
    --------
    >>> from idealrank import evaluate
    >>> from idealrank.report import figures
    >>> result = evaluate({"q": {"a": 0, "b": 1}}, {"x": {"q": {"a": 2, "b": 1}}}, ["rr@1", "rr@2"])
    >>> figures.cutoff_curves(result).lines[0].get_ydata().tolist()
    [0.0, 0.5]
    """
    _check_has(evaluations, "by_cutoff", "evaluate, given several systems,")
    curves = evaluations.by_cutoff()
    if not curves or (family is not None and family not in curves):
        known = ", ".join(map(repr, curves)) or "no measure"
        raise DataError(f"a curve needs a measure at two cutoffs or more, which {known} has; got {family!r}")
    family = next(iter(curves)) if family is None else family
    ax = new_axes(ax, max(2.8, 1 + 0.2 * len(curves[family])))
    for number, curve in enumerate(curves[family].values()):
        (line,) = ax.plot(list(curve), list(curve.values()), marker="o", markersize=3, linewidth=1.5)
        line.set(**_series(number))
    cutoffs = list(next(iter(curves[family].values())))
    ax.set_xscale("log")
    ax.set_xticks(cutoffs, labels=[str(cutoff) for cutoff in cutoffs])
    ax.minorticks_off()
    _name_ends(ax, curves[family])
    ax.grid(axis="y", color=GRID, linewidth=0.6)
    _name_below(ax, f"cutoff ({evaluations.basis()})")
    ax.set_ylabel(family, parse_math=False)
    return ax


def waterfall(way: Waterfall | Explanation, ax: Axes | None = None) -> Axes:
    r"""Draw the steps between the means under two conventions: a dot per mean, a bar per choice that changes a value.

    Parameters
    ----------
    way : Waterfall or Explanation
        One of the ``waterfalls`` of an `Explanation`; an `Explanation` stands for the first of them.
    ax : matplotlib Axes, optional
        The Axes to draw into; by default, those of a new figure.

    Returns
    -------
    Axes
        The Axes with the drawing.

    Examples
    --------
    >>> from idealrank import explain
    >>> from idealrank.report import figures
    >>> result = explain({"q": {"a": 2, "b": 1}}, {"q": {"b": 2, "a": 1}}, "ndcg", like=["trec_eval", "lightgbm"])
    >>> [label.get_text() for label in figures.waterfall(result.waterfalls[0]).get_yticklabels()]
    ['trec_eval', 'gain:\nthe label → 2^label - 1, up to label 30', 'lightgbm']
    """
    _check_has(way, "waterfalls", "explain")
    way = way.waterfalls[0]
    steps = way.effective
    names = [shown(way.start), *(typeset(step.text).replace(": ", ":\n", 1) for step in steps), shown(way.end)]
    ax = new_axes(ax, 0.7 + 0.42 * len(names))
    rows = _rows(ax, names)
    for row, mean in ((rows[0], way.start_mean), (rows[-1], way.end_mean)):
        ax.plot([mean], [row], "o", color=NEUTRAL, markersize=7)
        _write_beside(ax, mean, row, f"{mean:.4f}")
    for number, step in enumerate(steps, 1):
        before = step.mean - step.change
        ax.vlines(before, rows[number - 1], rows[number], colors=NEUTRAL, linewidth=0.8)
        color = BETTER if step.change > 0 else WORSE
        ax.barh([rows[number]], [step.change], left=[before], height=0.5, color=color)
        _write_beside(ax, max(before, step.mean), rows[number], typeset(f"{step.change:+z.4f}"))
    ax.vlines(way.end_mean, rows[-2], rows[-1], colors=NEUTRAL, linewidth=0.8)
    ax.use_sticky_edges = False  # else a bar that ends the plot has no margin
    ax.margins(x=0.2)
    _name_values(ax, "mean over " + " or ".join(f"{n:,} queries" for n in dict.fromkeys(way.n_queries)))
    return ax


def _check_has(result: object, needed: str, function: str) -> None:
    """Raise a DataError, which names the function that returns such results, if a result lacks what is needed."""
    if not hasattr(result, needed):
        raise DataError(f"expected what {function} returns, got {type(result).__name__}")


def _rows(ax: Axes, names: Iterable[str]) -> Floats:
    """Make a row per name, the first one on top."""
    names = list(names)
    rows = np.arange(len(names), dtype=np.float64)[::-1]
    ax.set_yticks(rows, labels=names, parse_math=False)
    ax.tick_params(axis="y", length=0)
    ax.set_ylim(-0.6, len(names) - 0.4)
    return rows


def _name_values(ax: Axes, what: str) -> None:
    _name_below(ax, what)
    ax.locator_params(axis="x", nbins=5)
    ax.grid(axis="x", color=GRID, linewidth=0.6)
    ax.set_axisbelow(True)


def _name_below(ax: Axes, what: str) -> None:
    """Label the x-axis; a long label extends to the left, below the names of rows."""
    ax.set_xlabel(what, loc="right", parse_math=False)


def _label_scale(ax: Axes, rows: Floats, scale: float) -> None:
    """Write the largest difference, up and down, at the right of each strip."""
    for row in rows:
        for sign in (1, -1):
            place = (1.01, row + sign * _ROW / 2)
            va = "top" if sign > 0 else "bottom"
            ax.text(
                *place, typeset(f"{sign * scale:+.2g}"), transform=ax.get_yaxis_transform(), va=va, fontsize="small"
            )


def _thinned(values: Floats) -> tuple[Floats, Floats]:
    """Return heights and edges of bars that show the sorted values, always including the first and the last."""
    n_bars = min(values.size, _MOST_BARS)
    chosen = values[np.rint(np.linspace(0, values.size - 1, n_bars)).astype(int)] if n_bars else values
    return chosen, np.linspace(0, values.size, n_bars + 1)


def _series(number: int) -> dict[str, str]:
    """Return the color and the dash of a line."""
    return {"color": SERIES[number % len(SERIES)], "linestyle": DASHES[number // len(SERIES) % len(DASHES)]}


def _name_ends(ax: Axes, curves: Mapping[str, Mapping[int, float]]) -> None:
    """Write the name of each line at its end, moved apart where they would cover each other."""
    ends = [(number, name, *list(curve.items())[-1]) for number, (name, curve) in enumerate(curves.items())]
    ends = sorted((end for end in ends if np.isfinite(end[3])), key=lambda end: end[3])
    low, high = ax.get_ylim()
    height = ax.get_window_extent().height / ax.figure.dpi * 72  # in points
    ideal = np.array([(y - low) / (high - low) * height for *_, y in ends])
    half = _LINE_HEIGHT / 2  # so that no label reaches below the axis
    moves = _apart(ideal - half, _LINE_HEIGHT, height - _LINE_HEIGHT) + half - ideal
    for (number, name, x, y), move in zip(ends, moves, strict=True):
        ax.annotate(
            shown(name),
            (x, y),
            (26, float(move)),
            textcoords="offset points",
            va="center",
            fontsize="small",
            arrowprops={"arrowstyle": "-", "linewidth": 1.5, "shrinkA": 1, "shrinkB": 3, **_series(number)},
            annotation_clip=False,
            parse_math=False,
        )


def _apart(places: Floats, gap: float, highest: float) -> Floats:
    """The sorted places, moved as little as it takes, in squares, to keep a gap between them and lie in [0, highest].

    Isotonic regression: neighbors that are too close become a block, which is placed at their average.
    """
    steps = gap * np.arange(places.size)
    blocks: list[list[float]] = []
    for place in places - steps:
        block = [float(place)]
        while blocks and np.mean(blocks[-1]) > np.mean(block):
            block = blocks.pop() + block
        blocks.append(block)
    moved = np.array([np.mean(block) for block in blocks for _ in block])
    inside: Floats = np.clip(moved, 0, max(highest - gap * (places.size - 1), 0))
    return inside + steps


def _write_beside(ax: Axes, x: float, row: float, text: str) -> None:
    ax.annotate(text, (x, float(row)), (7, 0), textcoords="offset points", va="center", fontsize="small")


def learning_curve(ranker: Any, ax: Axes | None = None) -> Axes:
    """Draw the validation measure of a fitted ranker by iteration, or its loss if it had no validation data.

    A dashed line marks the best iteration. If the fit had several stages, each is a line of its own: it may begin with
    new weights, and losses of different stages are not comparable. If each of several losses has
    trees of its own (`BoostedRanker`), each has a dashed line.

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
    from idealrank.learners.iterative import kept_iterations  # needs scikit-learn, which pages of results do not

    history = getattr(ranker, "history_", None)
    if not history:
        raise DataError(f"{type(ranker).__name__} has no history of iterations to draw")
    what = "validation" if "validation" in history[0] else "loss"
    ax = new_axes(ax, 2.8)
    for _, stage in groupby(enumerate(history), key=lambda each: each[1].get("stage")):
        iterations, entries = zip(*stage, strict=True)
        ax.plot(iterations, [each[what] for each in entries], color=BETTER, linewidth=1.5)
    for each in kept_iterations(ranker):
        ax.axvline(each.start + each.kept, color=NEUTRAL, linewidth=1, linestyle="--", zorder=0)
    ax.grid(axis="y", color=GRID, linewidth=0.6)
    ax.set_xlabel("iteration")
    ax.set_ylabel(f"validation {ranker.measure}" if what == "validation" else what, parse_math=False)
    return ax
