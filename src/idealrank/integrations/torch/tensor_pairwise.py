"""Pairwise losses in PyTorch, pair by pair."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn.functional import logsigmoid, relu

from idealrank._typing import Floats, Int64s
from idealrank.integrations.torch.padded import BatchLayout, Formula, Padded, differences
from idealrank.losses import LambdaLoss, LambdaRank, Loss, Push
from idealrank.losses.direct import depths_of
from idealrank.losses.pairwise import Pairwise, inverse_divisors
from idealrank.losses.segments import worth_of
from idealrank.measures.discounts import Discount, Power, Zipf
from idealrank.measures.measure_base import Plan

__all__ = ["FORMULAS", "rescaled", "swap_heights"]

_PAIR_LOSSES: dict[str, Callable[[Tensor, float], Tensor]] = {
    "hinge": lambda gap, margin: relu(margin - gap),
    "squared_hinge": lambda gap, margin: relu(margin - gap) ** 2,
    "logistic": lambda gap, sigma: -logsigmoid(sigma * gap),
}


def _pairwise(loss: Pairwise, at: Padded) -> Tensor:
    labels = at.lists.labels
    gaps = loss.pair_weight == "label_gap"
    return _sum_over_pairs(loss, at, labels, differences(at.column(labels)) if gaps else at.scores.new_ones(()))


def _sum_over_pairs(
    loss: Pairwise, at: Padded, labels: Floats, pair_weights: Tensor, factors: Tensor | None = None
) -> Tensor:
    better = at.is_above(labels)
    name, scale = loss.pair_loss()
    ahead = differences(at.scores)
    each = _PAIR_LOSSES[name](ahead, scale)
    if at.lists.weights is not None:
        pair_weights = pair_weights * at.column(at.lists.weights)[:, :, None]
    total = torch.where(better, pair_weights * each, 0).sum((1, 2))
    if factors is not None:
        total = total * factors
    if loss.normalize == "pairs":
        return total / better.sum((1, 2)).clamp(min=1)
    if loss.normalize == "lambdas":
        slopes = torch.where(better, pair_weights * torch.sigmoid(-scale * ahead.detach()), 0).sum((1, 2))
        return total * rescaled(2 * scale * slopes if factors is None else 2 * scale * slopes * factors)
    return total


def rescaled(lambdas: Tensor) -> Tensor:
    """Return log2(1 + S) / S, and 1 where S is 0."""
    return torch.where(lambdas > 0, lambdas.log1p() / math.log(2) / lambdas, 1)


def _lambda_rank(loss: LambdaRank, at: Padded) -> Tensor:
    plan = loss.plan()
    worth = worth_of(plan.gain, dataclasses.replace(at.lists, weights=None))
    gains = at.column(worth)
    with torch.no_grad():
        changes = differences(gains) * _changes_of_swaps(loss, at, worth, depths_of(plan, at.lists, worth))
        if loss.score_offset is not None:
            scores = torch.where(at.real, at.scores, at.scores[:, :1])
            apart = scores.amax(1) > scores.amin(1)
            offset = differences(at.scores).abs() + loss.score_offset
            changes = torch.where(apart[:, None, None], changes / offset, changes)
    return _sum_over_pairs(loss, at, worth, changes, at.tensor(inverse_divisors(plan, at.lists)))


def _lambda_loss(loss: LambdaLoss, at: Padded) -> Tensor:
    plan = loss.plan()
    worth = worth_of(plan.gain, dataclasses.replace(at.lists, weights=None))
    gains = at.column(worth)
    with torch.no_grad():
        places = at.places
        weights = at.rank_weights(plan.discount, None).gather(1, places)
        if loss.kind == "loss1":
            weighting = (gains * weights)[:, :, None].expand(-1, -1, gains.shape[1])
        else:
            weighting = at.tensor(loss.distances(gains.shape[1]))[differences(places).abs()]
            if loss.kind == "loss2pp":
                weighting = weighting + differences(weights).abs()
            weighting = differences(gains) * weighting
        if loss.truncation is not None:
            weighting = torch.where(_kept(loss, places), weighting, 0)
    return _sum_over_pairs(loss, at, worth, weighting, at.tensor(inverse_divisors(plan, at.lists)))


def _kept(loss: LambdaRank | LambdaLoss, places: Tensor) -> Tensor:
    """Return whether a truncation keeps a pair."""
    assert loss.truncation is not None
    seen = places < loss.truncation
    return seen[:, :, None] & seen[:, None, :] if loss.truncate_both else seen[:, :, None] | seen[:, None, :]


def _changes_of_swaps(loss: LambdaRank, at: Padded, worth: Floats, depths: Int64s | None) -> Tensor:
    """Return how much a swap of two documents changes the measure, apart from the difference of their gains."""
    right, wrong = (column.gather(1, at.places) for column in swap_heights(loss.plan(), at, worth, depths))
    change = torch.where(differences(at.places) < 0, differences(right), -differences(wrong))
    return change if loss.truncation is None else torch.where(_kept(loss, at.places), change, 0)


def swap_heights(plan: Plan, at: BatchLayout, worth: Floats, depths: Int64s | None) -> tuple[Tensor, Tensor]:
    """Return C(rank), so that a swap changes the measure by C(upper rank) - C(lower rank).

    The first C is for pairs in the right order, the second for the others. If relevance is summed by precision: with c
    relevant documents up to rank r, one that falls from there loses c / r, one that rises to it adds (c + 1) / r; each
    relevant one that is passed loses or gains 1 / its rank. If only the first relevant document counts and it falls,
    the higher of it and the second is first. Weights are 0 beyond the cutoff.
    """
    weights = at.rank_weights(_RANK_DISCOUNTS.get(plan.reduction, plan.discount), depths)
    if plan.reduction == "sum":
        return weights, weights
    relevant = at.in_rank_order(worth > 0)
    count = at.running(relevant.to(weights))
    if plan.reduction == "precision_mean":
        passed = at.running(relevant * weights)
        return count * weights - passed, (count + 1) * weights - passed
    first, second = (at.wholes(torch.where(relevant & (count == n), weights, 0)) for n in (1, 2))
    return torch.maximum(weights, second), torch.maximum(weights, first)


_RANK_DISCOUNTS: dict[str, Discount] = {"precision_mean": Zipf(), "first": Zipf(), "any": Power(0)}


def _push(loss: Push, at: Padded) -> Tensor:
    better = at.others & (differences(at.column(at.lists.labels)) > 0)
    logs = at.scores.new_zeros(())
    if at.lists.weights is not None:
        weights = at.column(at.lists.weights)[:, :, None]
        better = better & (weights > 0)
        logs = torch.where(weights > 0, weights, 1).log()
    below = better.any(1)
    worst, even = (
        _log_sum_exp(loss.p * _log_sum_exp(logs - gaps, better), below)
        for gaps in (differences(at.scores), 0 * differences(at.scores.detach()))
    )
    return torch.where(below.any(1), (worst - even) / loss.p, 0)


def _log_sum_exp(terms: Tensor, counted: Tensor) -> Tensor:
    """Return the log of the sum of exp along dimension 1 of the counted terms; finite but meaningless without any."""
    return torch.where(counted | ~counted.any(1, keepdim=True), terms, -torch.inf).logsumexp(1)


FORMULAS: dict[type[Loss], Formula] = {
    LambdaLoss: _lambda_loss,
    LambdaRank: _lambda_rank,
    Pairwise: _pairwise,
    Push: _push,
}
