"""Ravikumar, Tewari and Yang 2011, section 6: three surrogates against their NDCG-consistent versions, and a new one.

Scores are linear. The paper minimizes by MATLAB's gradient descent "without any parameter tuning" and gives no step
sizes, iterations, first weights or scaling. Here all losses are minimized by the same L-BFGS, with at most 200
iterations from zero weights and without regularization, and the last iteration is kept. "validated" is the same with
the iteration that has the best NDCG@10 on validation data, which takes the place of early stopping. Features are scaled
to [0, 1] within each query. NDCG is idealrank's own: gain 2^r - 1, discount 1/log2(1 + rank), and 0 for a query without
relevant documents.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from idealrank import theory
from idealrank._base.tables import Column, Table
from idealrank._typing import Floats
from idealrank.experiments.collections import drawn_collections
from idealrank.experiments.results import Claim, Reproduction, panels
from idealrank.io.letor_folds import Folds
from idealrank.learners import LinearRanker
from idealrank.learners.search.cross_fold import CrossFold, cross_fold
from idealrank.stats import randomization_test

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["reproduce"]

#: The surrogates by the paper's names, and the normalizers that make them consistent.
_SURROGATES = {"Cross-entropy": "cross_entropy", "Cosine": "cosine", "Square": "least_squares"}
_VERSIONS = {"": None, " Z_1": "1", " Z_10": "10", " Z": "dcg"}
_NEW = "q-norm"
_CUTOFFS = range(1, 11)
_TESTED = ("ndcg@1", "ndcg@5", "ndcg@10")
_NOTES = (
    "All losses: linear scores, L-BFGS from zero weights, at most 200 iterations; the last iteration is kept or, if "
    "'validated', the one with the best NDCG@10 on validation data; no regularization; features min-max scaled within "
    "queries. The paper: MATLAB's gradient descent, no validation; its settings and the scaling are not given.",
    "Table 1 compares the version with Z_10 to the surrogate as published: a paired randomization test for each of 3 "
    "losses x NDCG@1, 5, 10, at 5%. The paper prints a total of 63 and a mean change of 4.34%; its own columns sum to "
    "81 and average 3.14%.",
)


class _Counts(NamedTuple):
    """A column of Table 1: the nine cases by how the consistent version does, and the mean change in percent."""

    better: int
    same: int
    worse: int
    change: float

    def __str__(self) -> str:
        return f"{self.better}/{self.same}/{self.worse} better/same/worse, {self.change:+.2f}%"


_PUBLISHED = {
    "OHSUMED": _Counts(2, 7, 0, 0.81),
    "HP2003": _Counts(5, 4, 0, 14.9),
    "HP2004": _Counts(0, 9, 0, -0.78),
    "NP2003": _Counts(3, 6, 0, 11.68),
    "NP2004": _Counts(0, 8, 1, -2.77),
    "TD2003": _Counts(0, 8, 1, 4.73),
    "TD2004": _Counts(0, 9, 0, 1.82),
    "MQ2007": _Counts(1, 6, 2, -0.09),
    "MQ2008": _Counts(0, 4, 5, -2.02),
}


def reproduce(
    data: Mapping[str, Folds] | None = None, seed: int = 0, *, quick: bool = False, verbose: bool = False
) -> Reproduction:
    """Reproduce Table 1 and Figures 1 to 6.

    Parameters
    ----------
    data : mapping of str to Folds, optional
        LETOR collections by name. If not given, two small collections are simulated.
    seed : int
        Seed of the simulation and of the tests.
    quick : bool
        Whether to stop the training after three iterations.
    verbose : bool
        Whether to report progress.

    Returns
    -------
    Reproduction
    """
    collections, max_iter = drawn_collections(seed) if data is None else data, 3 if quick else 200
    found = {
        f"{name}{', validated' if keep_best else ''}": _trained(folds, max_iter, keep_best=keep_best, verbose=verbose)
        for name, folds in collections.items()
        for keep_best in (False, True)
    }
    counted = {name: _counts(each, seed) for name, each in found.items()}
    figures = {"figure3": _geometry("Cosine", 0.38), "figure4": _geometry("Cross-entropy", 0.35)}
    for name in collections:
        for surrogate in _SURROGATES:
            figures[f"figure1-5-{name}-{surrogate}"] = _by_cutoff(name, surrogate, found[name].mean)
    figures["figure2-6"] = _new_loss_figure(found)
    tables = {
        "Table 1: Z_10 against the surrogate as published": _table_1(counted),
        "NDCG@10, five-fold test means": _means(found),
    }
    claims = (*_of_geometry(), *_of_table(counted), _of_new_loss(found, seed))
    return Reproduction(claims, figures, tables, _NOTES)


def _trained(folds: Folds, max_iter: int, *, keep_best: bool, verbose: bool) -> CrossFold:
    """All losses on one collection."""
    losses = {
        name + version: word if divisor is None else f"{word}(normalizer={divisor})"
        for name, word in _SURROGATES.items()
        for version, divisor in _VERSIONS.items()
    }
    losses[_NEW] = "q_norm(form=normalized)"
    rankers = {name: LinearRanker(loss, normalize="minmax", max_iter=max_iter) for name, loss in losses.items()}
    measures = [f"ndcg@{k}" for k in _CUTOFFS]
    return cross_fold(rankers, folds, measures, select_by="ndcg@10", keep_best=keep_best, verbose=verbose)


def _compared(new: Floats, old: Floats, seed: int) -> int:
    """1 if the new values are significantly higher, -1 if lower, 0 if neither."""
    return int(np.sign(new.mean() - old.mean())) if randomization_test(new, old, seed=seed).p_value < 0.05 else 0


def _counts(found: CrossFold, seed: int) -> _Counts:
    """The version with Z_10 against the surrogate as published."""
    outcomes, changes = [], []
    for name in _SURROGATES:
        for measure in _TESTED:
            before, after = (found.evaluations[each].per_query[measure] for each in (name, f"{name} Z_10"))
            outcomes.append(_compared(after, before, seed))
            changes.append(100 * (after.mean() / before.mean() - 1))
    return _Counts(outcomes.count(1), outcomes.count(0), outcomes.count(-1), float(np.mean(changes)))


def _published(name: str) -> str:
    """The name of a collection in the paper ("ohsumed-letor3" is OHSUMED), or nothing."""
    return next((key for key in _PUBLISHED if key.lower() in name.lower()), "")


def _table_1(counted: Mapping[str, _Counts]) -> Table:
    """Table 1 beside the published one."""
    columns = [Column("collection"), *(Column(name, "d") for name in ("better", "same", "worse"))]
    columns += [Column("change %", "+.2f"), Column("in the paper")]
    return Table(columns, [[name, *row, str(_PUBLISHED.get(_published(name), ""))] for name, row in counted.items()])


def _means(found: Mapping[str, CrossFold]) -> Table:
    """NDCG@10: a row per loss, a column per collection."""
    columns = [Column("loss"), *(Column(name, ".4f") for name in found)]
    means = {name: each.mean for name, each in found.items()}
    losses = next(iter(means.values()))
    return Table(columns, [[loss, *(own[loss]["ndcg@10"] for own in means.values())] for loss in losses])


def _of_table(counted: Mapping[str, _Counts]) -> list[Claim]:
    """The claims of Table 1."""
    claims = []
    for name, seen in counted.items():
        key = _published(name)
        if key:
            printed = _PUBLISHED[key]
            agrees = np.sign(seen.better - seen.worse) == np.sign(printed.better - printed.worse)
            claims.append(Claim(f"Table 1, {key}", str(printed), f"{name}: {seen}", bool(agrees)))
    sums = np.sum([row[:3] for row in counted.values()], axis=0)
    better, same, worse = sums / sums.sum()
    says = "consistency changes little: 14% better, 75% the same, 11% worse"
    seen_of_all = f"{better:.0%} better, {same:.0%} the same, {worse:.0%} worse"
    return [*claims, Claim("Table 1, all", says, seen_of_all, bool(same > 0.5))]


def _of_new_loss(found: Mapping[str, CrossFold], seed: int) -> Claim:
    """The claim of Figure 2."""
    outcomes = []
    for each in found.values():
        new, *others = (each.evaluations[name].per_query["ndcg@10"] for name in (_NEW, "Cosine", "Cross-entropy"))
        outcomes.append(_compared(new, max(others, key=np.mean), seed))
    words = {"better": 1, "the same": 0, "worse": -1}
    seen = "; ".join(f"{word} on {outcomes.count(outcome)}" for word, outcome in words.items())
    says = "q-norm with q = ln(m) + 2 is better than Cosine and Cross-entropy on 3 of 9 sets, comparable on 6"
    return Claim("Figure 2", says, f"against the better of the two: {seen}", -1 not in outcomes)


def _two_points(loss: str) -> tuple[Floats, Floats]:
    """Label vectors (1, 5) and (2, 1), normalized for NDCG and by the loss."""
    labels = np.array([[1.0, 5.0], [2.0, 1.0]])
    gains = 2**labels - 1
    by_ndcg = gains / theory.dcg_norm(gains.ravel(), [0, 2, 4])[:, None]
    if loss == "Cosine":
        return by_ndcg, gains / np.linalg.norm(gains, axis=1, keepdims=True)
    return by_ndcg, np.exp(labels) / np.exp(labels).sum(axis=1, keepdims=True)


def _of_geometry() -> list[Claim]:
    """The claims of Figures 3 and 4."""
    claims = []
    for where, loss, p in (("Figure 3", "Cosine", 0.38), ("Figure 4", "Cross-entropy", 0.35)):
        means = [np.array([p, 1 - p]) @ points for points in _two_points(loss)]
        seen = ", ".join(f"({x:.4f}, {y:.4f})" for x, y in means)
        first, second = (x < y for x, y in means)
        says = "the means by DCG norm and by the loss are on different sides of the diagonal"
        claims.append(Claim(f"{where}, p = {p}", says, seen, bool(first != second)))
    return claims


def _geometry(loss: str, p: float) -> Figure:
    """Figures 3 and 4: normalized label vectors and their means."""
    figure, [axes] = panels(5, 4.6)
    axes.axline((0, 0), slope=1, color="black", linewidth=1)
    for points, color, name in zip(_two_points(loss), ("#2a9d3a", "#1f5fbf"), ("NDCG", loss), strict=True):
        mean = np.array([p, 1 - p]) @ points
        axes.plot(*points.T, color=color, marker="o", linewidth=1, label=f"normalized for {name}")
        axes.plot(*mean, color=color, marker="*", markersize=13)
    axes.set(xlim=(0, 1.05), ylim=(0, 1.05), aspect="equal", xlabel="document 1", ylabel="document 2")
    axes.set_title(f"Inconsistency of {loss}: means as stars")
    axes.legend(loc="lower left")
    return figure


def _by_cutoff(name: str, surrogate: str, means: Mapping[str, Mapping[str, float]]) -> Figure:
    """Figures 1 and 5: NDCG@1 to NDCG@10 of a surrogate and its versions."""
    figure, [axes] = panels(5, 3.6)
    for version, style in zip(_VERSIONS, ("k-o", "C0--s", "C1--^", "C2--v"), strict=True):
        values = [means[surrogate + version][f"ndcg@{k}"] for k in _CUTOFFS]
        axes.plot(_CUTOFFS, values, style, markersize=4, label=f"NDCG{version}" if version else "as published")
    axes.set(title=f"{surrogate}, {name}", xlabel="k", ylabel="NDCG@k", xticks=list(_CUTOFFS))
    axes.legend()
    return figure


def _new_loss_figure(found: Mapping[str, CrossFold]) -> Figure:
    """Figures 2 and 6: NDCG@10 of the new loss beside the others, as published and consistent."""
    names = ("Cosine", "Cosine Z", _NEW, "Cross-entropy", "Cross-entropy Z")
    figure, [axes] = panels(7, 1.4 + 0.6 * len(found))
    for name, marker in zip(names, ("o", "v", "*", "s", "^"), strict=True):
        places = [each.mean[name]["ndcg@10"] for each in found.values()]
        axes.plot(places, range(len(found)), marker, markersize=10 if name == _NEW else 6, label=name)
    axes.set(title="q-norm with q = ln(m) + 2, and others", xlabel="NDCG@10", ylabel="collection")
    axes.set_yticks(range(len(found)), list(found))
    axes.set_ylim(len(found) - 0.5, -0.5)
    figure.legend(loc="outside lower center", ncols=len(names))
    return figure
