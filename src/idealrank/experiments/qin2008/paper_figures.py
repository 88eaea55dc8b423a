"""The paper's figures: errors by epoch, and NDCG by cutoff."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from idealrank._present.figure_style import SERIES, new_panels
from idealrank.experiments.qin2008.accuracy import Errors
from idealrank.experiments.qin2008.runs import CUTOFFS, TrainedCollection

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["ndcg_by_cutoff", "rho_by_epoch"]


def rho_by_epoch(errors: Mapping[str, Errors]) -> Figure:
    """Draw Figures 1 to 3: a panel per collection, a line per setting, without the error before the first epoch."""
    figure, parts = new_panels(1 + 3.2 * len(errors), 3.2, len(errors))
    for axes, (name, own) in zip(parts, errors.items(), strict=True):
        for color, (setting, curve) in zip(SERIES, own.curves.items(), strict=False):
            axes.plot(range(1, curve.size), curve[1:], color=color, linewidth=1, label=setting)
        axes.set(title=f"{own.measure}, {name}", xlabel="iteration", ylim=(0, None))
        axes.locator_params(axis="x", integer=True)
        axes.legend(fontsize="small", frameon=False)
    parts[0].set_ylabel("mean error rho")
    return figure


def ndcg_by_cutoff(runs: Sequence[TrainedCollection], rankers: Sequence[str]) -> Figure:
    """Draw Figures 4 and 5 in the reference setting: a panel per graded collection, a line per ranker."""
    graded = [each for each in runs if each.graded]
    figure, parts = new_panels(1 + 3.2 * len(graded), 3.2, len(graded))
    for axes, each in zip(parts, graded, strict=True):
        for color, marker, name in zip(SERIES, "os^", rankers, strict=False):
            values = [each.mean(name, f"ndcg@{k}", {}) for k in CUTOFFS]
            axes.plot(CUTOFFS, values, color=color, marker=marker, markersize=4, linewidth=1, label=name)
        axes.set(title=each.name, xlabel="k", xticks=list(CUTOFFS))
        axes.legend(fontsize="small", frameon=False)
    parts[0].set_ylabel("NDCG@k")
    return figure
