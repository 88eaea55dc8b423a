"""Losses of long lists in PyTorch, near-linear in time and memory: what other modules compute pair by pair."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.utils.checkpoint import checkpoint

from idealrank import _native
from idealrank._typing import Booleans, Floats, Int64s
from idealrank.data.columns import group_of_each
from idealrank.data.lists import Lists
from idealrank.integrations.torch import tensor_direct
from idealrank.integrations.torch.padded import BatchLayout, Formula, NoFormulaError
from idealrank.integrations.torch.sweeps import Grid, HingeKernel, Kernel, LogisticKernel, Sequence, pair_sums, wide
from idealrank.integrations.torch.tensor_inputs import Batch
from idealrank.integrations.torch.tensor_listwise import log_activations
from idealrank.integrations.torch.tensor_pairwise import rescaled, swap_heights
from idealrank.losses import PSL, Approx, ApproxKendall, LambdaLoss, LambdaRank, Loss
from idealrank.losses.direct import Approximation, depths_of
from idealrank.losses.pairwise import Pairwise, inverse_divisors
from idealrank.losses.segments import runs, sums, worth_of
from idealrank.measures.discounts import Discount, Linear

__all__ = ["FORMULAS", "Flat", "is_long"]

#: From which length of the longest list, and from how many pairs in a rectangle, pairs are not visited one by one.
LONGEST, MOST_PAIRS = 256, 1 << 23
#: Pairs that are in memory at a time where they are visited.
_AT_A_TIME = 1 << 22


def is_long(lists: Lists) -> bool:
    """Return whether sums without the pairs are faster or need less memory."""
    longest = int(lists.sizes.max(initial=0))
    return longest > LONGEST or lists.n_queries * longest**2 > MOST_PAIRS


class Flat(BatchLayout):
    """A batch as flat columns; `padded.Padded` is the same as a rectangle."""

    def __init__(self, batch: Batch, lists: Lists) -> None:
        super().__init__(batch, lists)
        self.sizes = self.spread(lists.sizes)
        self.queries = self.tensor(group_of_each(lists.offsets))

    column = BatchLayout.tensor

    def wide(self, values: npt.NDArray[np.generic]) -> Tensor:
        """Return an array as a tensor, on the device of the scores and in the widest type it has."""
        return torch.as_tensor(values).to(self._like.device, wide(self._like.device))

    def spread(self, per_query: npt.NDArray[np.generic]) -> Tensor:
        return self.tensor(np.repeat(per_query, self.lists.sizes))

    def totals(self, column: Tensor, rows: Tensor | None = None) -> Tensor:
        """Return the sum of each query; rows are the documents of the column if these are not all, in order."""
        if self.lists.n_queries == 1:
            return column.sum(0, keepdim=True)
        queries = self.queries if rows is None else self.queries[rows]
        zeros = torch.zeros(self.lists.n_queries, dtype=wide(column.device), device=column.device)
        return zeros.index_add(0, queries, column.to(zeros)).to(column)

    @cached_property
    def ascending(self) -> Tensor:
        """The documents from the lowest score to the highest, whatever their query; equal scores in reverse order."""
        return self.scores.detach().argsort(descending=True, stable=True).flip(0)

    @cached_property
    def ranking(self) -> Tensor:
        """The documents of each query from the highest score to the lowest; equal scores in input order."""
        order = self.ascending.flip(0)
        return order if self.lists.n_queries == 1 else order[self.queries[order].argsort(stable=True)]

    @cached_property
    def flat_places(self) -> Tensor:
        """The place of each document in the ranking."""
        places = torch.arange(len(self.queries), device=self.queries.device)
        return torch.empty_like(places).scatter_(0, self.ranking, places)

    @property
    def places(self) -> Tensor:
        """The rank of each document in its query, counted from 0."""
        return self.flat_places - self.spread(self.lists.offsets[:-1])

    def rank_weights(self, discount: Discount, depths: Int64s | None) -> Tensor:
        lists = self.lists
        ranks = np.arange(lists.labels.size) - np.repeat(lists.offsets[:-1], lists.sizes)
        if isinstance(discount, Linear):
            weights = (np.repeat(lists.sizes, lists.sizes) - ranks - 1).astype(np.float64)
        else:
            weights = discount.weights(int(lists.sizes.max(initial=0)))[ranks]
        return self.wide(weights if depths is None else np.where(ranks < np.repeat(depths, lists.sizes), weights, 0.0))

    def in_rank_order(self, values: Booleans) -> Tensor:
        return self.tensor(values)[self.ranking]

    def running(self, ranked: Tensor) -> Tensor:
        total = ranked.cumsum(0)
        before = (total - ranked)[self.spread(self.lists.offsets[:-1])] if self.lists.n_queries > 1 else 0
        return total - before

    def wholes(self, ranked: Tensor) -> Tensor:
        return self.totals(ranked)[self.queries]

    def soft_sums(self, sigmoid: str, scores: Tensor, slope: float, weights: Tensor | None = None) -> Tensor:
        if sigmoid not in tensor_direct.LOGISTIC and sigmoid != "softplus":
            raise NoFormulaError(f"the sigmoid {sigmoid} of long lists")
        columns = torch.ones_like(scores) if weights is None else weights
        grid = Grid.of(scores, self.queries, self.lists.n_queries, slope) if len(scores) else None
        if grid is not None:
            sequence = Sequence(self.queries, LogisticKernel(slope), grid=grid)
            return pair_sums(scores, columns[:, None], sequence, sigmoid != "softplus").squeeze(1)
        order = self.ranking.flip(0) if scores is self.scores else self._sorted(scores)
        sequence = Sequence(self.queries[order], LogisticKernel(slope))
        totals = pair_sums(scores[order], columns[order][:, None], sequence, sigmoid != "softplus").squeeze(1)
        return torch.zeros_like(totals).index_copy(0, order, totals)

    def _sorted(self, scores: Tensor) -> Tensor:
        order = scores.detach().argsort(stable=True)
        return order if self.lists.n_queries == 1 else order[self.queries[order].argsort(stable=True)]


class _LabelSplit(NamedTuple):
    """Two sets of labels of which all of one are higher, within groups of documents: one column per document.

    ``groups`` is -1 for documents that meet nothing. ``borders`` are the lowest of the higher labels of each group.
    """

    groups: Int64s
    is_low: Booleans
    borders: Floats
    n_left_out: int
    n_groups: int


def _splits(labels: Floats, lists: Lists) -> Iterator[_LabelSplit]:
    """Yield splits in which every two documents of a query with different labels meet exactly once.

    The labels of a query are numbered, and two of them first differ in one bit of their numbers, counted from the top.
    """
    order = _native.order(labels, lists.offsets, lists.n_threads)
    ranked = labels[order]
    firsts, _ = runs(ranked, lists.offsets)
    begins = np.repeat(lists.offsets[:-1], lists.sizes)
    changes = np.cumsum(firsts == np.arange(order.size)) - 1
    levels = changes - changes[begins] if order.size else changes
    queries = group_of_each(lists.offsets)
    for bit in reversed(range(int(levels.max(initial=0)).bit_length())):
        is_low = (levels >> bit & 1).astype(np.bool_)
        above = levels >> (bit + 1)
        starts = np.ones(order.size, np.bool_)
        starts[1:] = (above[1:] != above[:-1]) | (queries[1:] != queries[:-1])
        group = np.cumsum(starts) - 1
        sizes = np.bincount(group)
        lows = np.bincount(group, is_low).astype(np.int64)
        border = ranked[np.maximum(np.flatnonzero(starts) + sizes - lows - 1, 0)]
        meet = (lows > 0) & (lows < sizes)
        groups, low, borders = np.empty(order.size, np.int64), np.empty(order.size, np.bool_), np.empty(order.size)
        groups[order], low[order] = np.where(meet, np.arange(sizes.size), -1)[group], is_low
        borders[order] = border[group]
        yield _LabelSplit(groups, low, borders, int(sizes[~meet].sum()), sizes.size)


class _Weights(NamedTuple):
    """What multiplies a pair, beside the weight of its better document.

    ``gaps``: the difference of the labels. ``heights``: two columns, whose difference is taken by which document is
    ranked higher. ``seen``: which documents are among the first ranks; ``together`` if both must be.
    """

    gaps: bool = False
    heights: Tensor | None = None
    seen: Tensor | None = None
    together: bool = False


def _sum_over_pairs(
    loss: Pairwise,
    at: Flat,
    labels: Floats,
    weights: _Weights,
    better: Tensor | None = None,
    factors: Tensor | None = None,
) -> Tensor:
    name, scale = loss.pair_loss()
    kernel: Kernel = LogisticKernel(scale) if name == "logistic" else HingeKernel(2 if name == "squared_hinge" else 1)
    total = _totals(at, labels, kernel, 0 if name == "logistic" else scale, weights, better)
    if factors is not None:
        total = total * factors
    if loss.normalize == "lambdas":
        with torch.no_grad():
            lambdas = 2 * scale * _totals(at, labels, kernel, 0, weights, better, order=1)
            share = rescaled(lambdas if factors is None else lambdas * factors)
        return total * share
    if loss.normalize != "pairs":
        return total
    return total / at.tensor(np.maximum(sums(_n_lower(labels, at.lists), at.lists.offsets), 1.0))


def _totals(
    at: Flat,
    labels: Floats,
    kernel: Kernel,
    margin: float,
    weights: _Weights,
    better: Tensor | None = None,
    order: int = 0,
) -> Tensor:
    """Return the sum over the pairs of each query of g_order(margin + s_y - s_x), where x has the higher label."""
    if at.lists.weights is not None:
        own = at.column(at.lists.weights)
        better = own if better is None else better * own
    total = at.totals(0 * at.scores)  # so that it has a gradient even if there are no pairs
    for split in _splits(labels, at.lists):
        rows, sequence = _sequence(at, split, kernel, margin, weights.heights)
        low = at.tensor(split.is_low)[rows]
        highs, lows = (~low).to(at.scores), low.to(at.scores)
        if better is not None:
            highs = highs * better[rows]
        # A difference of labels is that of the better one from the border, and of the border from the other.
        pairs = [(highs, lows)]
        if weights.gaps:
            from_border = at.tensor(np.abs(labels - split.borders))[rows]
            pairs = [(highs * from_border, lows), (highs, lows * from_border)]
        if weights.seen is not None:
            seen = weights.seen[rows]
            kept = [(high, torch.where(seen, low_one, 0)) for high, low_one in pairs]
            if weights.together:
                pairs = [(torch.where(seen, high, 0), low_one) for high, low_one in kept]
            else:
                pairs = kept + [(torch.where(seen, high, 0), torch.where(seen, 0, low_one)) for high, low_one in pairs]
        by_high = pair_sums(at.scores[rows], torch.stack([low_one for _, low_one in pairs], 1), sequence, order)
        total = total + at.totals((by_high * torch.stack([high for high, _ in pairs], 1)).sum(1), rows)
    return total


def _sequence(
    at: Flat, split: _LabelSplit, kernel: Kernel, margin: float, heights: Tensor | None
) -> tuple[Tensor, Sequence]:
    """Return the documents that meet others, in the order of the sequence; sorted by group and score, or on a grid.

    Where a low document's score and margin equal a high one's score, the low one comes first: their hinge has ended.
    """
    groups = at.tensor(split.groups)
    if heights is None and isinstance(kernel, LogisticKernel):
        rows = at.tensor(np.flatnonzero(split.groups >= 0))
        grid = Grid.of(at.scores[rows], groups[rows], split.n_groups, kernel.slope)
        if grid is not None:
            return rows, Sequence(groups[rows], kernel, grid=grid)
    margins = margin * at.tensor(split.is_low).to(at.scores) if margin else None
    if margins is None:
        order = at.ascending
    else:
        lows_first = margins.argsort(descending=True, stable=True)
        keys = at.scores.detach().to(wide(groups.device)) + margins
        order = lows_first[keys[lows_first].argsort(stable=True)]
    if split.n_groups > 1:
        order = order[groups[order].argsort(stable=True)]
    rows = order[split.n_left_out :]
    shifts, steps = (column if column is None else column[rows] for column in (margins, heights))
    return rows, Sequence(groups[rows], kernel, shifts, steps)


def _n_lower(labels: Floats, lists: Lists) -> Floats:
    """Return how many documents of its query have a lower label than each document."""
    order = _native.order(labels, lists.offsets, lists.n_threads)
    _, last = runs(labels[order], lists.offsets)
    lower = np.empty(order.size)
    lower[order] = np.repeat(lists.offsets[1:], lists.sizes) - 1 - last
    return lower


def _pairwise(loss: Pairwise, at: Flat) -> Tensor:
    return _sum_over_pairs(loss, at, at.lists.labels, _Weights(gaps=loss.pair_weight == "label_gap"))


def _lambda_rank(loss: LambdaRank, at: Flat) -> Tensor:
    if loss.score_offset is not None:
        raise NoFormulaError(loss)  # weights by the distance of scores are not short series
    plan = loss.plan()
    worth = worth_of(plan.gain, dataclasses.replace(at.lists, weights=None))
    depths = depths_of(plan, at.lists, worth)
    with torch.no_grad():
        heights = torch.stack(swap_heights(plan, at, worth, depths), 1)[at.flat_places]
        weights = _Weights(gaps=True, heights=heights, seen=_seen(loss, at), together=loss.truncate_both)
    return _sum_over_pairs(loss, at, worth, weights, factors=at.tensor(inverse_divisors(plan, at.lists)))


def _seen(loss: LambdaRank | LambdaLoss, at: Flat) -> Tensor | None:
    return None if loss.truncation is None else at.places < loss.truncation


def _lambda_loss(loss: LambdaLoss, at: Flat) -> Tensor:
    if loss.kind != "loss1":
        raise NoFormulaError(loss)  # the weights of the others are not products of what each document has
    plan = loss.plan()
    worth = worth_of(plan.gain, dataclasses.replace(at.lists, weights=None))
    better = at.column(worth) * at.rank_weights(plan.discount, None)[at.flat_places].to(at.scores)
    return _sum_over_pairs(loss, at, worth, _Weights(), better, at.tensor(inverse_divisors(plan, at.lists)))


def _kendall(loss: ApproxKendall, at: Flat) -> Tensor:
    if loss.sigmoid not in tensor_direct.LOGISTIC:
        raise NoFormulaError(loss)
    labels, weights = at.lists.labels, at.lists.weights
    wrong = _totals(at, labels, LogisticKernel(loss.slope_of_ranks()), 0, _Weights(), order=1)
    lower = _n_lower(labels, at.lists)
    pairs = sums(lower if weights is None else lower * weights, at.lists.offsets)
    return 2 * wrong / at.tensor(np.where(pairs > 0, pairs, 1.0))


def _psl(loss: PSL, at: Flat) -> Tensor:
    """Some relevant documents at a time against all of their query, so that memory is linear."""
    targets, offsets = loss.targets(at.lists), at.lists.offsets
    values = []
    for begin, end in itertools.pairwise(offsets.tolist()):
        relevant = begin + np.flatnonzero(targets[begin:end] > 0)
        scores, total = at.scores[begin:end], at.scores[begin:end].sum() * 0
        size = max(1, _AT_A_TIME // max(1, end - begin))
        for first in range(0, relevant.size, size):
            rows = relevant[first : first + size]
            logs = checkpoint(_log_totals, loss, at.scores[at.tensor(rows)], scores, use_reentrant=False)
            total = total + (at.tensor(targets[rows]) * logs).sum()
        values.append(total)
    return torch.stack(values) if values else at.totals(at.scores)


def _log_totals(loss: PSL, own: Tensor, scores: Tensor) -> Tensor:
    return log_activations(loss, scores - own[:, None]).logsumexp(1)


def _approx(loss: Approx, at: Flat) -> Tensor:
    form = loss.form
    return _kendall(form, at) if isinstance(form, ApproxKendall) else tensor_direct.approximation(form, at)


FORMULAS: dict[type[Loss], Formula] = {
    Approx: _approx,
    ApproxKendall: _kendall,
    Approximation: tensor_direct.approximation,
    LambdaLoss: _lambda_loss,
    LambdaRank: _lambda_rank,
    PSL: _psl,
    Pairwise: _pairwise,
}
