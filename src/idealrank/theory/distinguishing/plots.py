"""Figures of theory's results, drawn on given or new matplotlib Axes."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from idealrank._present.figure_style import DASHES, NEUTRAL, SERIES, new_axes, shown
from idealrank.theory.long_lists.curve_plots import HEIGHT, LEGEND_ROW, explain_above

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from idealrank.theory.distinguishing.all_pairs import Distinctions
    from idealrank.theory.distinguishing.distinctions import Distinction

#: The height of a triangle in a plot of shares, and the ratio of lengths below which two of them touch.
_TRIANGLE, _CLOSE = 0.07, 1.3


def plot_wins(found: Distinction, ax: Axes | None = None) -> Axes:
    """Draw the share of lists on which the better ranker is ahead, by measure, against the length of the lists.

    A triangle marks the length from which, in theory, a list has the right order at every length, except with
    probability ``delta``.

    Parameters
    ----------
    found : Distinction
        The result to draw.
    ax : Axes, optional
        The axes to draw on; by default new ones.

    Returns
    -------
    Axes
    """
    axes = new_axes(ax, HEIGHT + LEGEND_ROW * math.ceil(len(found.measures) / 2))
    lines, paths, marks = {}, found.paths, found.marks
    for number, row in enumerate(found.measures):
        (lines[row.measure],) = axes.plot(found.sizes, paths[row.measure].wins, **_series(number))
    for (measure, length), height in zip(marks.items(), _apart([*marks.values()]), strict=True):
        # from there on single lists are in the right order, see `certificate`
        axes.plot([length], [height], marker="v", color=lines[measure].get_color(), markersize=6, clip_on=False)
    axes.axhline(0.5, color=NEUTRAL, linewidth=0.5)
    axes.set(xscale="log", ylim=(0, 1.02), xlabel="documents", ylabel="lists with the better ranker ahead")
    axes.xaxis.set_major_formatter("{x:,.0f}")
    explain_above(axes, lines)
    return axes


def plot_pairs(found: Distinctions, ax: Axes | None = None) -> Axes:
    """Draw the share of pairs that need at most so many queries, by measure.

    Parameters
    ----------
    found : Distinctions
        The result to draw.
    ax : Axes, optional
        The axes to draw on; by default new ones.

    Returns
    -------
    Axes
    """
    by_measure = found.by_measure()
    axes = new_axes(ax, HEIGHT + LEGEND_ROW * math.ceil(len(by_measure) / 2))
    lines, here = {}, found.evaluations.n_queries
    end = 10.0 * here  # what more queries than that would show is not worth the room
    for number, (name, rows) in enumerate(by_measure.items()):
        needed = sorted(row.queries_needed for row in rows if row.queries_needed is not None)
        shares = np.arange(len(needed) + 1) / len(rows)
        x, y = [1.0, *needed, end], [*shares, shares[-1]]
        (lines[name],) = axes.step(x, y, where="post", **_series(number))
    axes.axvline(here, linestyle="--", color=NEUTRAL, linewidth=0.7)
    axes.set(xscale="log", xlim=(1, end), ylim=(0, 1.02), xlabel="queries", ylabel="pairs")
    axes.xaxis.set_major_formatter("{x:,.0f}")
    explain_above(axes, lines)
    return axes


def plot_values(found: Distinction, measure: str, ax: Axes | None = None) -> Axes:
    """Draw the means of both rankers by one measure against the length of the lists; dashed lines are their limits.

    Parameters
    ----------
    found : Distinction
        The result to draw.
    measure : str
        The measure.
    ax : Axes, optional
        The axes to draw on; by default new ones.

    Returns
    -------
    Axes
    """
    axes = new_axes(ax, HEIGHT + LEGEND_ROW)
    row = found[measure]
    limits = (row.limit_a, row.limit_b)
    lines = {}
    for name, means, end, color in zip(found.names, found.means[measure], limits, SERIES[:2], strict=True):
        (lines[name],) = axes.plot(found.sizes, means, color=color)
        if not math.isnan(end):
            axes.axhline(end, linestyle="--", color=color, linewidth=0.7)
    axes.set(xlabel="documents", ylabel=shown(measure))
    axes.locator_params(axis="x", integer=True)
    axes.xaxis.set_major_formatter("{x:,.0f}")
    explain_above(axes, lines)
    return axes


def plot_sequence(found: Distinction, measure: str, ax: Axes | None = None) -> Axes:
    """Draw the mean difference by one measure as queries are added, with intervals that hold at every number at once.

    Parameters
    ----------
    found : Distinction
        The result to draw.
    measure : str
        The name of the measure, whose values must not exceed 1.
    ax : Axes, optional
        The axes to draw on; by default new ones.

    Returns
    -------
    Axes
    """
    axes = new_axes(ax)
    sequence = found.sequence(measure)
    axes.fill_between(sequence.sizes, sequence.low, sequence.high, alpha=0.2, linewidth=0)
    axes.plot(sequence.sizes, sequence.mean)
    axes.axhline(0, color=NEUTRAL, linewidth=0.5)
    if sequence.certified_at is not None:
        axes.axvline(sequence.certified_at, linestyle="--", color=NEUTRAL, linewidth=0.7)
    a, b = map(shown, found.names)
    axes.set_xlabel("queries")
    axes.locator_params(axis="x", integer=True)
    axes.set_ylabel(f"{shown(measure)}\n{a} \N{MINUS SIGN} {b}", parse_math=False)
    return axes


def _series(number: int) -> dict[str, Any]:
    """Return the color and the dash of a line; neighbors differ in both, because lines often cover each other."""
    repeated, place = divmod(number, len(SERIES))
    return {"color": SERIES[place], "linestyle": DASHES[(place + repeated) % len(DASHES)]}


def _apart(lengths: Sequence[int]) -> list[float]:
    """Return the heights of triangles at these lengths: 1, or lower where they would cover each other.

    >>> np.round(_apart([1773, 30, 1564]), 2).tolist()
    [0.93, 1.0, 1.0]
    """
    heights = [1.0] * len(lengths)
    for before, place in itertools.pairwise(sorted(range(len(lengths)), key=lengths.__getitem__)):
        if lengths[place] < _CLOSE * lengths[before]:
            heights[place] = heights[before] - _TRIANGLE
    return heights
