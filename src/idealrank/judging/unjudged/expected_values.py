"""The expected value of a measure under a model of the relevance of unjudged documents by rank."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from idealrank._core.seeds import generator
from idealrank._typing import Floats, Int64s
from idealrank.judging.unjudged.completions import (
    constant_denominator,
    denominators,
    filled_with,
    ideal_sums,
    known_relevant,
)
from idealrank.judging.unjudged.pool import Gaps, Ranked, Rules, sums_by_query

#: Most numbers to draw at once.
_MOST_AT_ONCE = 1_000_000


@dataclass(frozen=True)
class LabelModel:
    """The probability of each label of an unjudged document; ranks 1, 2 to 3, 4 to 7, 8 to 15, ... are taken together.

    It is the share of all documents at these ranks, judged or not, that are known to have the label. Pools judge first
    what is likely to be relevant, so the share among judged documents would be too high.

    Parameters
    ----------
    probabilities : float64 array of shape (n_bins, n_labels)
        The probability of each label by bin of ranks.
    """

    probabilities: Floats

    @classmethod
    def of(cls, runs: Iterable[Ranked], rules: Rules) -> LabelModel:
        """Count the labels of the judged documents of several runs, and the unjudged ones."""
        n_labels = rules.labels.size
        counts, n_docs = np.zeros((64, n_labels)), np.zeros(64)
        for ranked in runs:
            bins, known = _bins(ranked.ranks), ~ranked.is_unjudged
            label = np.searchsorted(rules.levels, rules.gains(ranked.labels), side="right")
            np.add.at(counts, (bins[known], label[known]), 1.0)
            n_docs += np.bincount(bins, minlength=64)
        probabilities = counts / np.maximum(n_docs, 1)[:, None]
        probabilities[:, 0] += 1 - probabilities.sum(axis=1)
        return cls(probabilities)

    def draw(self, ranked: Ranked, rules: Rules, rng: np.random.Generator) -> Gaps:
        """Draw a label for each unjudged document of a run."""
        labels = ranked.lists.labels.copy()
        unjudged = ranked.is_unjudged
        cumulative = np.cumsum(self.probabilities, axis=1)[_bins(ranked.ranks[unjudged])]
        level = (rng.random((cumulative.shape[0], 1)) > cumulative[:, :-1]).sum(axis=1)
        labels[ranked.places[unjudged]] = rules.labels[level]
        return Gaps(labels, np.zeros(0, np.int64), np.zeros(0))


def expected_values(ranked: Ranked, rules: Rules, model: LabelModel, n_draws: int, seed: int) -> Floats:
    """Return the expected value of a measure if labels are drawn, for all judged queries.

    Where the numerator is a sum over documents, its mean is exact, given how many documents of each bin have each
    label; only these numbers are drawn, and nothing where the denominator does not depend on labels. Otherwise the
    label of each document is drawn.
    """
    rng = generator(seed)
    plan = rules.plan
    if not ranked.is_unjudged.any() or not rules.levels.size:
        return ranked.values(filled_with(ranked, float(rules.labels[0])), rules)
    if plan.reduction != "sum" or plan.cutoff == "relevant":
        values = (ranked.values(model.draw(ranked, rules, rng), rules) for _ in range(n_draws))
        mean: Floats = sum(values, np.zeros(ranked.data.n_queries)) / n_draws
        return mean
    lowest = ranked.values(filled_with(ranked, float(rules.labels[0])), rules)
    cells = _Cells.of(ranked, rules, model)
    if plan.denominator in ("none", "cutoff", "retrieved", "full"):
        added = cells.by_query(cells.weights * (cells.probabilities @ rules.levels))
        return lowest + added / constant_denominator(ranked, rules, cells.depths)
    means = cells.mean_of_ratios(ranked, rules, n_draws, rng)
    lowest[cells.queries] = means[cells.queries]
    return lowest


@dataclass(frozen=True)
class _Cells:
    """The unjudged documents of each query that are in the same bin of ranks.

    Parameters
    ----------
    queries, sizes : int64 array
        The query of each cell, and the number of its documents.
    weights : float64 array
        The sum of their weights.
    probabilities : float64 array of shape (n_cells, n_levels)
        The probability that one of them has each level.
    depths : int64 array
        How many ranks count, by query.
    fixed : float64 array
        The sum of the weighted gains of the judged documents, by query.
    """

    queries: Int64s
    sizes: Int64s
    weights: Floats
    probabilities: Floats
    depths: Int64s
    fixed: Floats

    @classmethod
    def of(cls, ranked: Ranked, rules: Rules, model: LabelModel) -> _Cells:
        n_queries, unjudged = ranked.data.n_queries, np.flatnonzero(ranked.is_unjudged)
        n_unjudged = np.bincount(ranked.queries[unjudged], minlength=n_queries)
        depths = ranked.depths(rules, n_unjudged)
        weights = ranked.weights(rules, depths)
        # Documents are sorted by query and rank, so those of a cell are contiguous.
        bins, queries = _bins(ranked.ranks[unjudged]), ranked.queries[unjudged]
        starts = np.flatnonzero(np.diff(queries * 64 + bins, prepend=-1))
        sizes = np.diff(np.append(starts, unjudged.size))
        return cls(
            queries[starts],
            sizes,
            np.add.reduceat(weights[unjudged], starts),
            model.probabilities[bins[starts], 1:],
            depths,
            sums_by_query(ranked.queries, rules.gains(ranked.labels) * weights, n_queries),
        )

    def by_query(self, values: Floats) -> Floats:
        """Return the sums over the cells of each query."""
        return sums_by_query(self.queries, values, self.depths.size)

    def mean_of_ratios(self, ranked: Ranked, rules: Rules, n_draws: int, rng: np.random.Generator) -> Floats:
        """Return the mean ratio over random numbers of documents with each level; NaN for a query without a cell."""
        plan, n_queries = rules.plan, self.depths.size
        starts = np.flatnonzero(np.diff(self.queries, prepend=-1))
        queries = self.queries[starts]
        rows = queries[:, None]
        rises = np.diff(rules.levels, prepend=0.0)
        known, fixed = known_relevant(ranked, rules)[rows], self.fixed[rows]
        if plan.denominator == "ideal":
            n_unjudged = np.bincount(self.queries, self.sizes, minlength=n_queries).astype(np.int64)
            ideal = ideal_sums(ranked, rules, self.depths, n_unjudged)
            reached = np.searchsorted(rules.levels, ideal.gains).tolist()
        total = np.zeros(queries.size)
        block = max(1, _MOST_AT_ONCE // self.queries.size)
        for start in range(0, n_draws, block):
            at_least = self._draw(min(block, n_draws - start), rng)
            gains = np.tensordot(rises, at_least, 1) * (self.weights / self.sizes)[:, None]
            top = fixed + np.add.reduceat(gains, starts, axis=0)
            more = [np.add.reduceat(own, starts, axis=0) for own in at_least]
            if plan.denominator == "ideal":
                n_more = [*more, np.zeros_like(rows)]
                layers = (ideal.layer(gain, n_more[level], rows) for gain, level in enumerate(reached))
                bottom = sum(layers, np.zeros(top.shape))
            else:
                n_relevant = known + more[0]
                bottom = np.where(n_relevant > 0, denominators(ranked, rules, self.depths, n_relevant, rows), 0.0)
            total += np.where(bottom > 0, top / np.where(bottom > 0, bottom, 1.0), plan.empty).sum(axis=1)
        ratios = np.full(n_queries, np.nan)
        ratios[queries] = total / n_draws
        return ratios

    def _draw(self, n_draws: int, rng: np.random.Generator) -> Int64s:
        """Return how many documents have at least each level, by level, cell and draw."""
        chances = np.cumsum(self.probabilities[:, ::-1], axis=1)[:, ::-1]
        shares = chances.copy()  # among documents with the previous level, or among all
        shares[:, 1:] /= np.maximum(chances[:, :-1], np.finfo(np.float64).tiny)
        shape = chances.shape[1], self.queries.size, n_draws
        counts, left = np.empty(shape, np.int64), np.repeat(self.sizes[:, None], n_draws, axis=1)
        for own, share in zip(counts, np.clip(shares, 0.0, 1.0).T, strict=True):
            own[:] = left = rng.binomial(left, share[:, None])
        return counts


def _bins(ranks: Int64s) -> Int64s:
    return np.frexp(ranks.astype(np.float64))[1].astype(np.int64) - 1
