"""Pictures of what was found, on a matplotlib Axes that is given or made."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from idealrank.theory.long_lists import curves
from idealrank.theory.long_lists.curves import CurveLike
from idealrank.theory.long_lists.steps import StepCurve

if TYPE_CHECKING:
    from idealrank.theory.distinguishing.distinctions import Distinction

__all__ = ["plot_curve", "plot_values", "plot_wins"]


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    from matplotlib.figure import Figure

    return Figure(layout="constrained").add_subplot()


def plot_wins(found: Distinction, ax: Any = None) -> Any:
    """For every measure the share of lists on which the better ranker is ahead, against the length of the lists."""
    axes = _axes(ax)
    for row in found.table:
        axes.plot(found.sizes, found.paths[row.measure].wins, label=row.measure, linewidth=1)
    axes.axhline(0.5, color="grey", linewidth=0.5)
    axes.set(xscale="log", ylim=(0, 1.02), xlabel="documents", ylabel="share of lists with the better ranker ahead")
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.legend(fontsize="small", frameon=False)
    return axes


def plot_values(found: Distinction, measure: str, ax: Any = None) -> Any:
    """Both rankers' means under one measure, against the length of the lists; dashed, where theory sees them going."""
    axes = _axes(ax)
    row = found[measure]
    limits = (row.limit_a, row.limit_b)
    for name, means, end, color in zip(found.names, found.means[measure], limits, ("C0", "C1"), strict=True):
        axes.plot(found.sizes, means, label=name, color=color, linewidth=1)
        if not math.isnan(end):
            axes.axhline(end, linestyle="--", color=color, linewidth=0.7)
    axes.set(xlabel="documents", ylabel=measure)
    axes.legend(fontsize="small", frameon=False)
    return axes


def plot_curve(curve: CurveLike, ax: Any = None, label: str | None = None) -> Any:
    """The expected gain against the canonical score, with its bands where it was fitted with resamples."""
    axes = _axes(ax)
    checked = curves.of(curve)
    s = np.linspace(0, 1, 501)
    (line,) = axes.plot(s, checked(s), label=label)
    if isinstance(checked, StepCurve) and checked.bands is not None:
        bands = checked.bands
        axes.fill_between(bands.s, bands.low, bands.high, alpha=0.2, color=line.get_color(), linewidth=0)
    axes.set(xlabel="canonical score s", ylabel="expected gain", xlim=(0, 1))
    return axes
