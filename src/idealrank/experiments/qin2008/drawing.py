"""The paper's figures: errors by epoch, and NDCG by cut-off."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from idealrank.experiments.qin2008.accuracy import Errors
from idealrank.experiments.qin2008.runs import CUTOFFS, Run
from idealrank.report.palette import SERIES

__all__ = ["ndcg_by_cutoff", "rho_by_epoch"]


def rho_by_epoch(errors: Mapping[str, Errors]) -> Any:
    """Figures 1 to 3: a panel a collection, a line a setting; the error before the first epoch is left out."""
    figure, panels = _panels(len(errors))
    for axes, (name, own) in zip(panels, errors.items(), strict=True):
        for color, (setting, curve) in zip(SERIES, own.curves.items(), strict=False):
            axes.plot(range(1, curve.size), curve[1:], color=color, linewidth=1, label=setting)
        axes.set(title=f"{own.measure}, {name}", xlabel="iteration", ylim=(0, None))
        axes.legend(fontsize="small", frameon=False)
    panels[0].set_ylabel("mean error rho")
    return figure


def ndcg_by_cutoff(runs: Sequence[Run], rankers: Sequence[str]) -> Any:
    """Figures 4 and 5: a panel a run on more than two labels, a line a ranker."""
    graded = [each for each in runs if each.graded]
    figure, panels = _panels(len(graded))
    for axes, each in zip(panels, graded, strict=True):
        means = each.mean
        for color, marker, name in zip(SERIES, "os^", [name for name in rankers if name in means], strict=False):
            values = [means[name][f"ndcg@{k}"] for k in CUTOFFS]
            axes.plot(CUTOFFS, values, color=color, marker=marker, markersize=4, linewidth=1, label=name)
        axes.set(title=each.title, xlabel="k", xticks=list(CUTOFFS))
        axes.legend(fontsize="small", frameon=False)
    panels[0].set_ylabel("NDCG@k")
    return figure


def _panels(n: int) -> tuple[Any, list[Any]]:
    """A figure with so many panels side by side."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(1 + 3.2 * n, 3.2), layout="constrained")
    return figure, [figure.add_subplot(1, n, place) for place in range(1, n + 1)]
