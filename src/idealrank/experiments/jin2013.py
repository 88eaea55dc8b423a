"""Jin and Geng 2013, linear NDCG and pairwise loss: the identities on simulated and real lists, and Figures 1 to 3."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from idealrank._core.extras import needs
from idealrank._core.seeds import generator
from idealrank._present.figure_style import BETTER, new_panels
from idealrank._present.page import listed
from idealrank._typing import Floats
from idealrank.data import datasets
from idealrank.data.ranking import RankingData
from idealrank.experiments.claims import Claim
from idealrank.experiments.reproduction import Drawings, Reproduction
from idealrank.losses.segments import sums
from idealrank.measures import AUC, DCG, LinearNDCG, PairwiseError
from idealrank.theory import exchanges, linear_ndcg_of_auc, threshold_errors

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["reproduce"]

_LINEAR_DCG = DCG(gain="linear", discount="linear")
#: The figures are images, which we do not have: these lists were made to fit the text (see the notes).
_FIGURE_1 = [0, 1, 0, 0, 1, 1, 1, 0, 1]
#: {figure: its labels, ideal DCG, DCG and R}.
_FIGURES = {"Figure 2": ([1, 0, 1, 0, 0, 1], (12, 8, 4)), "Figure 3": ([2, 1, 0, 2, 0, 0], (21, 18, 3))}
#: Where a claim stands that the paper does not make.
_EXTENSION = "not in the paper"
_PRINTED = "ideal DCG {}, DCG {}, R = {}"
_NOTES = (
    "The paper's figures are images, which we do not have, so their lists are made up, to fit its text. The list of "
    "Figure 1, and its costs 5, 4 and 5, are not in the paper. Those of Figures 2 and 3 have the printed ideal DCG and "
    "DCG; what is tested is R.",
    "Lists are simulated unless data are given. Claims 'not in the paper' are extensions, counted apart: the "
    "labels of the paper are the integers from 0 to L - 1.",
)


def reproduce(data: RankingData | None = None, seed: int = 0) -> Reproduction:
    """Check the identities (5), (11) and (14) on simulated lists and on data, and draw the three figures.

    Parameters
    ----------
    data : RankingData, optional
        The data; by default simulated.
    seed : int
        Seed of the random number generator.

    Returns
    -------
    Reproduction

    Examples
    --------
    >>> found = reproduce(datasets.web_search(2, 50, 1).test)
    >>> all(claim.holds for claim in found.claims), sorted(found.figures)
    (True, ['figure1', 'figure2', 'figure3'])
    """
    documents = datasets.web_search(10, 1000, 1, seed=seed).test if data is None else data
    figures = {"figure1": partial(_drawing, "exchanges from the ideal order", _steps(_FIGURE_1))}
    for name, (labels, printed) in _FIGURES.items():
        rows = [("ideal", sorted(labels, reverse=True)), ("g", labels)]
        figures[name.lower().replace(" ", "")] = partial(_drawing, _PRINTED.format(*printed), rows)
    return Reproduction(
        (*_on_simulated_lists(seed), *_on(documents, "data" if data is not None else "simulated data"), *_of_figures()),
        Drawings(figures),
        notes=_NOTES,
    )


def _error(labels: Floats, scores: Floats, offsets: npt.ArrayLike, ties: str = "average") -> float:
    """The largest difference between the DCG error and the pairwise error of a query."""
    dcg = DCG(gain="linear", discount="linear", ties=ties)
    error = PairwiseError(normalize="none", ties=ties, empty=0)
    off = dcg(labels, labels, offsets) - dcg(labels, scores, offsets) - error(labels, scores, offsets)
    return float(np.abs(off).max())


def _on_simulated_lists(seed: int) -> list[Claim]:
    """The identities on simulated lists."""
    rng = generator(seed)
    n_lists, n = 300, 30
    offsets = np.arange(0, n_lists * n + 1, n)
    labels = rng.integers(0, 5, n_lists * n).astype(float)
    real = rng.random(n_lists * n) * 3
    untied, tied = rng.permutation(n_lists * n).astype(float), rng.integers(0, 6, n_lists * n).astype(float)
    by_threshold = threshold_errors(labels, untied, offsets)
    whole = PairwiseError(normalize="none", empty=0)(labels, untied, offsets)
    errors = {
        ("Theorem 1, (6)", "R is the sum of the R_k"): np.abs(by_threshold.steps @ by_threshold.errors - whole).max(),
        ("Theorem 3, (14)", "the DCG error is R"): _error(labels, untied, offsets),
        (_EXTENSION, "also for real-valued labels"): _error(real, untied, offsets),
        (_EXTENSION, "also with ties: best, worst and average order"): max(
            _error(labels, tied, offsets, ties) for ties in ("best", "worst", "average")
        ),
    }
    return [
        Claim.exact(
            where, says, f"{_off(error)} on {n_lists} lists", bool(error < 1e-6), is_extension=where == _EXTENSION
        )
        for (where, says), error in errors.items()
    ]


def _on(data: RankingData, what: str) -> list[Claim]:
    """The identities on data."""
    labels, offsets = np.nan_to_num(data.labels), data.offsets
    scores = -np.arange(labels.size * 1.0)
    if data.features is not None:
        scores = np.asarray(data.features)[:, 0].astype(np.float64)
    off = _error(labels, scores, offsets) / max(float(_LINEAR_DCG(labels, labels, offsets).max()), 1.0)
    binary = (labels > 0).astype(float)
    m = sums(binary, offsets)
    n = np.diff(offsets) - m
    both = (m > 0) & (n > 0)
    auc, linear = (each(binary, scores, offsets)[both] for each in (AUC(), LinearNDCG()))
    line = float(np.abs(linear_ndcg_of_auc(auc, m[both], n[both]) - linear).max(initial=0.0))
    queries = f"{data.n_queries} queries, {data.n_docs:,} documents"
    seen = f"{_off(off)} of the ideal DCG, {queries}" if off else f"equal, {queries}"
    return [
        Claim.exact("(5)", f"the DCG error is R, on {what}", seen, off < 1e-9),
        Claim.exact(
            _EXTENSION, "linear NDCG is linear in AUC", f"{_off(line)}, {queries}", line < 1e-9, is_extension=True
        ),
    ]


def _of_figures() -> list[Claim]:
    """The numbers of the figures."""
    costs = [each.cost for each in exchanges(_FIGURE_1)]
    seen = f"costs {listed(map(str, costs))}"
    says = "each exchange costs m + j - i pairs (made-up list)"
    found = [Claim.exact("Figure 1, Theorem 2", says, seen, costs == [5, 4, 5])]
    for name, (labels, printed) in _FIGURES.items():
        order = range(len(labels), 0, -1)
        error = PairwiseError(normalize="none")(labels, order)
        values = (_LINEAR_DCG(labels, labels), _LINEAR_DCG(labels, order), error)
        computed = tuple(int(value[0]) for value in values)
        says = f"{_PRINTED.format(*printed)} (made-up list)"
        found.append(Claim.exact(name, says, _PRINTED.format(*computed), computed == printed))
    return found


def _steps(labels: list[int]) -> list[tuple[str, list[int]]]:
    """The ideal order, and the order after each exchange with its two increments."""
    order, m = sorted(labels, reverse=True), sum(labels)
    rows = [("ideal", list(order))]
    for each in exchanges(labels):
        order[each.i - 1], order[m + each.j - 1] = order[m + each.j - 1], order[each.i - 1]
        rows.append((f"i = {each.i}, j = {each.j}: + {each.moved_down} + {each.moved_up}", list(order)))
    return rows


def _drawing(title: str, rows: list[tuple[str, list[int]]]) -> Figure:
    """Labels as squares, darker for higher ones, with one row per order."""
    with needs("matplotlib"):
        from matplotlib.patches import Rectangle

    figure, [axes] = new_panels(6, 0.6 * len(rows) + 0.8)
    names, orders = zip(*rows, strict=True)
    for (line, rank), label in np.ndenumerate(orders):
        shade = {"color": BETTER, "alpha": 0.08 + 0.18 * label, "linewidth": 0}
        axes.add_patch(Rectangle((rank - 0.47, line - 0.47), 0.94, 0.94, **shade))
        axes.text(rank, line, str(label), ha="center", va="center")
    axes.set(
        title=title, xlabel="rank", aspect="equal", xlim=(-0.5, len(orders[0]) - 0.5), ylim=(len(rows) - 0.5, -0.5)
    )
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.set_xticks(range(len(orders[0])), [str(rank) for rank in range(1, len(orders[0]) + 1)])
    axes.set_yticks(range(len(rows)), names)
    return figure


def _off(error: float) -> str:
    return f"off by at most {error:.1e}" if error else "equal"
