"""Ravikumar, Tewari and Yang 2011, section 6: three surrogates against their NDCG-consistent versions, and a new one.

Scores are linear. The paper minimises by MATLAB's gradient descent "without any parameter tuning" and says nothing of
step sizes, iterations, first weights or scaling: here all losses are minimised by the same L-BFGS, at most 200
iterations from zero weights, without regularisation, and the last iteration is kept; "validated" is the same with the
iteration kept that has the best NDCG@10 on validation data, which stands in for descent that ends early. Features are
brought to [0, 1] within each query. NDCG is idealrank's own: gain 2^r - 1, discount 1/log2(1 + rank), and 0 for a query
without anything relevant.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from idealrank import theory
from idealrank._base.tables import Column, Table
from idealrank.experiments.collections import drawn_collections
from idealrank.experiments.results import Claim, Reproduction
from idealrank.io.letor_folds import Folds
from idealrank.learners import LinearRanker
from idealrank.learners.search.cross_fold import CrossFold, cross_fold
from idealrank.stats import randomization_test

__all__ = ["reproduce"]

#: The surrogates by the paper's names, and what they are divided by to become consistent.
_SURROGATES = {"Cross-entropy": "cross_entropy", "Cosine": "cosine", "Square": "least_squares"}
_VERSIONS = {"": None, " Z_1": "1", " Z_10": "10", " Z": "dcg"}
_NEW = "q-norm"
_CUTOFFS = range(1, 11)
_TESTED = ("ndcg@1", "ndcg@5", "ndcg@10")
_NOTES = (
    "All losses: linear scores, L-BFGS from zero weights, at most 200 iterations, the last one kept, or, "
    "'validated', the one with the best NDCG@10 on validation data; no regularisation; features min-max scaled within "
    "queries. The paper: MATLAB's gradient descent, no validation; its settings and the scaling are not given.",
    "Table 1 compares the version with Z_10 to the surrogate as published: a paired randomisation test for each of 3 "
    "losses x NDCG@1, 5, 10, at 5%. The paper prints a total of 63 and a mean change of 4.34%; its own columns sum to "
    "81 and average 3.14%.",
)


class _Counts(NamedTuple):
    """A column of Table 1: in how many of nine cases the consistent version wins, and the mean change in percent."""

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
    """Table 1 and Figures 1 to 6, on LETOR collections or on drawn ones; ``quick`` cuts the training short."""
    collections, max_iter = drawn_collections(seed) if data is None else data, 3 if quick else 200
    found = {
        f"{name}{', validated' if keep_best else ''}": _trained(folds, max_iter, keep_best=keep_best, verbose=verbose)
        for name, folds in collections.items()
        for keep_best in (False, True)
    }
    counted = {name: _counts(each, seed) for name, each in found.items()}
    figures: dict[str, Any] = {"figure3": _geometry("Cosine", 0.38), "figure4": _geometry("Cross-entropy", 0.35)}
    for name in collections:
        for surrogate in _SURROGATES:
            figures[f"figure1-5-{name}-{surrogate}"] = _by_cutoff(name, surrogate, found[name].mean)
    figures["figure2-6"] = _of_new_loss(found)
    tables = {
        "Table 1: Z_10 against the surrogate as published": _table_1(counted),
        "NDCG@10, five-fold test means": _means(found),
    }
    claims = (*_of_geometry(), *_of_table(counted), *_of_the_new_loss(found, seed))
    return Reproduction(claims, figures, tables, _NOTES)


def _rankers(max_iter: int) -> dict[str, LinearRanker]:
    named = {
        name + version: word if divisor is None else f"{word}(normalizer={divisor})"
        for name, word in _SURROGATES.items()
        for version, divisor in _VERSIONS.items()
    }
    named[_NEW] = "q_norm(form=normalized)"
    return {name: LinearRanker(loss, normalize="minmax", max_iter=max_iter) for name, loss in named.items()}


def _trained(folds: Folds, max_iter: int, *, keep_best: bool, verbose: bool) -> CrossFold:
    measures = [f"ndcg@{k}" for k in _CUTOFFS]
    return cross_fold(_rankers(max_iter), folds, measures, select_by="ndcg@10", keep_best=keep_best, verbose=verbose)


def _counts(found: CrossFold, seed: int) -> _Counts:
    """The version with Z_10 against the surrogate as published."""
    better = worse = 0
    changes = []
    for name in _SURROGATES:
        for measure in _TESTED:
            before, after = (found.evaluations[each].per_query[measure] for each in (name, f"{name} Z_10"))
            test = randomization_test(after, before, seed=seed)
            better += test.p_value < 0.05 and after.mean() > before.mean()
            worse += test.p_value < 0.05 and after.mean() < before.mean()
            changes.append(100 * (after.mean() / before.mean() - 1))
    cases = len(_SURROGATES) * len(_TESTED)
    return _Counts(better, cases - better - worse, worse, float(np.mean(changes)))


def _published(name: str) -> tuple[str, _Counts] | None:
    """The paper's column for a collection, found by its name ("ohsumed-letor3" is OHSUMED)."""
    return next(((key, row) for key, row in _PUBLISHED.items() if key.lower() in name.lower()), None)


def _table_1(counted: Mapping[str, _Counts]) -> Table:
    columns = [Column("collection"), *(Column(name, "d") for name in ("better", "same", "worse"))]
    columns += [Column("change %", "+.2f"), Column("in the paper")]
    papers = ((_published(name) or ("", ""))[1] for name in counted)
    return Table(
        columns, [[name, *row, str(paper)] for (name, row), paper in zip(counted.items(), papers, strict=True)]
    )


def _means(found: Mapping[str, CrossFold]) -> Table:
    columns = [Column("loss"), *(Column(name, ".4f") for name in found)]
    means = {name: each.mean for name, each in found.items()}
    losses = next(iter(means.values()))
    return Table(columns, [[loss, *(own[loss]["ndcg@10"] for own in means.values())] for loss in losses])


def _of_table(counted: Mapping[str, _Counts]) -> list[Claim]:
    claims = []
    for name, seen in counted.items():
        paper = _published(name)
        if paper is not None:
            key, printed = paper
            agrees = np.sign(seen.better - seen.worse) == np.sign(printed.better - printed.worse)
            claims.append(Claim(f"Table 1, {key}", str(printed), f"{name}: {seen}", bool(agrees)))
    sums = np.sum([row[:3] for row in counted.values()], axis=0)
    better, same, worse = sums / sums.sum()
    says = "consistency changes little: 14% better, 75% the same, 11% worse"
    seen_of_all = f"{better:.0%} better, {same:.0%} the same, {worse:.0%} worse"
    return [*claims, Claim("Table 1, all", says, seen_of_all, bool(same > 0.5))]


def _of_the_new_loss(found: Mapping[str, CrossFold], seed: int) -> list[Claim]:
    wins = {"better": 0, "the same": 0, "worse": 0}
    for each in found.values():
        new, *others = (each.evaluations[name].per_query["ndcg@10"] for name in (_NEW, "Cosine", "Cross-entropy"))
        best = max(others, key=np.mean)
        test = randomization_test(new, best, seed=seed)
        verdict = "the same" if test.p_value >= 0.05 else "better" if new.mean() > best.mean() else "worse"
        wins[verdict] += 1
    seen = "; ".join(f"{verdict} on {count}" for verdict, count in wins.items())
    says = "q-norm with q = ln(m) + 2 is better than Cosine and Cross-entropy on 3 of 9 sets, comparable on 6"
    return [Claim("Figure 2", says, f"against the better of the two: {seen}", wins["worse"] == 0)]


def _two_points(loss: str) -> tuple[Any, Any]:
    """Normalised label vectors of (1, 5) and (2, 1): as NDCG needs them, and as the loss has them."""
    labels = np.array([[1.0, 5.0], [2.0, 1.0]])
    gains = 2**labels - 1
    by_ndcg = gains / np.array([theory.dcg_norm(row) for row in gains]).reshape(2, 1)
    if loss == "Cosine":
        return by_ndcg, gains / np.linalg.norm(gains, axis=1, keepdims=True)
    return by_ndcg, np.exp(labels) / np.exp(labels).sum(axis=1, keepdims=True)


def _of_geometry() -> list[Claim]:
    claims = []
    for where, loss, p in (("Figure 3", "Cosine", 0.38), ("Figure 4", "Cross-entropy", 0.35)):
        means = [np.array([p, 1 - p]) @ points for points in _two_points(loss)]
        seen = ", ".join(f"({x:.4f}, {y:.4f})" for x, y in means)
        sides = [math.copysign(1, x - y) for x, y in means]
        says = "the means by DCG norm and by the loss lie on different sides of the diagonal"
        claims.append(Claim(f"{where}, p = {p}", says, seen, sides[0] != sides[1]))
    return claims


def _geometry(loss: str, p: float) -> Any:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5, 4.6), layout="constrained")
    axes = figure.add_subplot()
    axes.axline((0, 0), slope=1, color="black", linewidth=1)
    for points, color, name in zip(_two_points(loss), ("#2a9d3a", "#1f5fbf"), ("NDCG", loss), strict=True):
        mean = np.array([p, 1 - p]) @ points
        axes.plot(*points.T, color=color, marker="o", linewidth=1, label=f"normalised as {name} does")
        axes.plot(*mean, color=color, marker="*", markersize=13)
    axes.set(xlim=(0, 1.05), ylim=(0, 1.05), aspect="equal", xlabel="document 1", ylabel="document 2")
    axes.set_title(f"Inconsistency of {loss}: means as stars")
    axes.legend(loc="lower left")
    return figure


def _by_cutoff(name: str, surrogate: str, means: Mapping[str, Mapping[str, float]]) -> Any:
    """Figures 1 and 5: NDCG at 1 to 10 of a surrogate and its versions."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5, 3.6), layout="constrained")
    axes = figure.add_subplot()
    for version, style in zip(_VERSIONS, ("k-o", "C0--s", "C1--^", "C2--v"), strict=True):
        values = [means[surrogate + version][f"ndcg@{k}"] for k in _CUTOFFS]
        axes.plot(_CUTOFFS, values, style, markersize=4, label=f"NDCG{version}" if version else "as published")
    axes.set(title=f"{surrogate}, {name}", xlabel="k", ylabel="NDCG@k", xticks=list(_CUTOFFS))
    axes.legend()
    return figure


def _of_new_loss(found: Mapping[str, CrossFold]) -> Any:
    """Figures 2 and 6: NDCG@10 of the new loss beside the others, as published and consistent."""
    from matplotlib.figure import Figure

    names = ("Cosine", "Cosine Z", _NEW, "Cross-entropy", "Cross-entropy Z")
    figure = Figure(figsize=(7, 1.4 + 0.6 * len(found)), layout="constrained")
    axes = figure.add_subplot()
    for name, marker in zip(names, ("o", "v", "*", "s", "^"), strict=True):
        places = [each.mean[name]["ndcg@10"] for each in found.values()]
        axes.plot(places, range(len(found)), marker, markersize=10 if name == _NEW else 6, label=name)
    axes.set(title="q-norm with q = ln(m) + 2, and others", xlabel="NDCG@10", ylabel="collection")
    axes.set_yticks(range(len(found)), list(found))
    axes.set_ylim(len(found) - 0.5, -0.5)
    figure.legend(loc="outside lower center", ncols=len(names))
    return figure
