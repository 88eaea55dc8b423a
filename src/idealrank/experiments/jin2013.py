"""Jin and Geng, on linear NDCG and pairwise loss: the identities on drawn and on real lists, and Figures 1 to 3."""

from __future__ import annotations

from typing import Any

import numpy as np

from idealrank._typing import Floats
from idealrank.data import datasets
from idealrank.data.ranking import RankingData
from idealrank.experiments.results import Claim, Reproduction
from idealrank.measures import AUC, DCG, LinearNDCG, PairwiseError
from idealrank.theory import exchanges, linear_ndcg_of_auc, threshold_errors

__all__ = ["reproduce"]

_LINEAR_DCG = DCG(gain="linear", discount="linear")
#: The paper's images are not in its text; these are the lists that fit what it says of them.
_FIGURE_1 = [0, 1, 0, 0, 1, 1, 1, 0, 1]
_FIGURE_2 = [1, 0, 1, 0, 0, 1]
_FIGURE_3 = [2, 1, 0, 2, 0, 0]


def reproduce(data: RankingData | None = None, seed: int = 0) -> Reproduction:
    """The identities (5), (11) and (14), on drawn lists and on real ones, and the three figures.

    >>> found = reproduce(datasets.web_search(2, 50, 1).test)
    >>> all(claim.agrees for claim in found.claims), sorted(found.figures)
    (True, ['figure1', 'figure2', 'figure3'])
    """
    documents = datasets.web_search(10, 1000, 1, seed=seed).test if data is None else data
    claims = [*_on_drawn_lists(seed), *_on(documents), *_of_figures()]
    figures = {
        "figure1": _drawing("exchanges from the ideal order", _steps(_FIGURE_1)),
        "figure2": _drawing(
            "ideal DCG 12, DCG 8, R = 4", [("ideal", sorted(_FIGURE_2, reverse=True)), ("g", _FIGURE_2)]
        ),
        "figure3": _drawing(
            "ideal DCG 21, DCG 18, R = 3", [("ideal", sorted(_FIGURE_3, reverse=True)), ("g", _FIGURE_3)]
        ),
    }
    return Reproduction(tuple(claims), figures)


def _error(labels: Any, scores: Any, offsets: Any = None, ties: str = "average") -> Floats:
    """How far the DCG error is from the pairwise error, query by query."""
    dcg = DCG(gain="linear", discount="linear", ties=ties)
    error = PairwiseError(normalize="none", ties=ties, empty=0)
    return np.abs(dcg(labels, labels, offsets) - dcg(labels, scores, offsets) - error(labels, scores, offsets))


def _on_drawn_lists(seed: int) -> list[Claim]:
    rng = np.random.default_rng(seed)
    n_lists, n = 300, 30
    offsets = np.arange(0, n_lists * n + 1, n)
    labels = rng.integers(0, 5, n_lists * n).astype(float)
    real = rng.random(n_lists * n) * 3
    untied, tied = rng.permutation(n_lists * n).astype(float), rng.integers(0, 6, n_lists * n).astype(float)
    by_threshold = threshold_errors(labels, untied, offsets)
    whole = PairwiseError(normalize="none", empty=0)(labels, untied, offsets)
    steps = float(np.abs(by_threshold.steps @ by_threshold.errors - whole).max())
    worst = {ties: float(_error(labels, tied, offsets, ties).max()) for ties in ("best", "worst", "average")}
    return [
        _identity("Theorem 1, (6)", "R is the sum of the R_k", steps, n_lists),
        _identity("Theorem 3, (14)", "the DCG error is R", float(_error(labels, untied, offsets).max()), n_lists),
        _identity("Theorem 3", "and so for real labels", float(_error(real, untied, offsets).max()), n_lists),
        _identity("not in the paper", "and with ties, best, worst and on average", max(worst.values()), n_lists),
    ]


def _identity(where: str, says: str, error: float, n_lists: int) -> Claim:
    return Claim(where, says, f"off by {error:.1e} at most, {n_lists} lists", error < 1e-6)


def _on(data: RankingData) -> list[Claim]:
    labels, offsets = np.nan_to_num(data.labels), data.offsets
    scores = (
        np.asarray(data.features)[:, 0].astype(np.float64)
        if data.features is not None
        else -np.arange(labels.size * 1.0)
    )
    off = float(_error(labels, scores, offsets).max()) / max(float(_LINEAR_DCG(labels, labels, offsets).max()), 1.0)
    binary = (labels > 0).astype(float)
    m = np.add.reduceat(binary, offsets[:-1])
    n = np.diff(offsets) - m
    both = (m > 0) & (n > 0)
    auc, linear = (each(binary, scores, offsets)[both] for each in (AUC(), LinearNDCG()))
    said = float(np.abs(linear_ndcg_of_auc(auc, m[both], n[both]) - linear).max()) if both.any() else 0.0
    queries = f"{data.n_queries} queries, {data.n_docs:,} documents"
    return [
        Claim(
            "(5)", "the DCG error is R, on data", f"off by {off:.1e} of the ideal DCG at most, {queries}", off < 1e-9
        ),
        Claim("not in the paper", "linear NDCG is a line in AUC", f"off by {said:.1e} at most, {queries}", said < 1e-9),
    ]


def _of_figures() -> list[Claim]:
    costs = [each.cost for each in exchanges(_FIGURE_1)]
    found = [Claim("Figure 1, Theorem 2", "each exchange costs m + j - i pairs", f"{costs}", costs == [5, 4, 5])]
    for name, labels, expected in (("Figure 2", _FIGURE_2, (12, 8, 4)), ("Figure 3", _FIGURE_3, (21, 18, 3))):
        order = range(len(labels), 0, -1)
        values = [
            _LINEAR_DCG(labels, labels),
            _LINEAR_DCG(labels, order),
            PairwiseError(normalize="none")(labels, order),
        ]
        seen = tuple(int(value[0]) for value in values)
        found.append(Claim(name, "ideal DCG {}, DCG {}, R = {}".format(*expected), f"{seen}", seen == expected))
    return found


def _steps(labels: list[int]) -> list[tuple[str, list[int]]]:
    """The ideal order, and the order after each exchange with its two increments."""
    order, m = sorted(labels, reverse=True), sum(labels)
    rows = [("ideal", list(order))]
    for each in exchanges(labels):
        order[each.i - 1], order[m + each.j - 1] = order[m + each.j - 1], order[each.i - 1]
        rows.append((f"i = {each.i}, j = {each.j}: + {each.moved_down} + {each.moved_up}", list(order)))
    return rows


def _drawing(title: str, rows: list[tuple[str, list[int]]]) -> Any:
    """Labels as squares, darker for higher ones, one row an order."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 0.6 * len(rows) + 0.8), layout="constrained")
    axes = figure.add_subplot()
    axes.imshow([labels for _, labels in rows], cmap="Blues", vmin=0, vmax=3)
    for line, (_, labels) in enumerate(rows):
        for rank, label in enumerate(labels):
            axes.text(rank, line, str(label), ha="center", va="center")
    axes.set(title=title, xlabel="rank", xticks=range(len(rows[0][1])), yticks=range(len(rows)))
    axes.set_xticklabels([str(rank) for rank in range(1, len(rows[0][1]) + 1)])
    axes.set_yticklabels([name for name, _ in rows])
    return figure
