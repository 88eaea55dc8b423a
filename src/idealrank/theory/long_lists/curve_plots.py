"""Plots of relevance curves, drawn on given or new matplotlib Axes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from idealrank._present.figure_style import new_axes, shown
from idealrank.theory.long_lists import curves
from idealrank.theory.long_lists.curves import CurveLike
from idealrank.theory.long_lists.steps import StepCurve

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

#: In inches: the height of a figure without its legend, and of a row of the legend.
HEIGHT, LEGEND_ROW = 3.0, 0.2


def plot_curve(curve: CurveLike, ax: Axes | None = None, label: str | None = None) -> Axes:
    """Draw the expected gain against the canonical score, with bands if the curve was fitted with resamples.

    Parameters
    ----------
    curve : Curve, callable or mapping of float to callable
        The curve.
    ax : Axes, optional
        The axes to draw on; by default new ones.
    label : str, optional
        The label of the curve in a legend.

    Returns
    -------
    Axes
    """
    axes = new_axes(ax)
    checked = curves.of(curve)
    s = np.linspace(0, 1, 501)
    (line,) = axes.plot(s, checked(s), label=label)
    if isinstance(checked, StepCurve) and checked.bands is not None:
        bands = checked.bands
        axes.fill_between(bands.s, bands.low, bands.high, alpha=0.2, color=line.get_color(), linewidth=0)
    axes.set(xlabel="canonical score s", ylabel="expected gain", xlim=(0, 1))
    return axes


def plot_curves(named: Mapping[str, CurveLike]) -> Axes:
    """Draw the curves of several rankers, fitted to labels.

    Parameters
    ----------
    named : mapping of str to curve
        The curves by name.

    Returns
    -------
    Axes
    """
    axes = new_axes(None, HEIGHT + LEGEND_ROW * math.ceil(len(named) / 2))
    lines = {name: plot_curve(curve, axes).lines[-1] for name, curve in named.items()}
    axes.set_ylabel("expected label")
    explain_above(axes, lines)
    return axes


def explain_above(axes: Axes, lines: Mapping[str, Line2D]) -> None:
    """Name the lines in a legend above the plot, because curves may be anywhere in it."""
    labels = ["line"] * len(lines)  # Matplotlib would leave out a name that begins with an underscore
    legend = axes.legend(
        lines.values(), labels, loc="lower left", bbox_to_anchor=(0, 1.02), borderaxespad=0, ncols=2, frameon=False,
        handlelength=2.4, columnspacing=1.0,
    )  # fmt: skip
    for text, name in zip(legend.get_texts(), lines, strict=True):
        text.set(text=shown(name), fontsize="small", parse_math=False)
