"""Measures of soft ranks in PyTorch."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import logsigmoid, relu

from idealrank.integrations.torch.padded import SIGMOIDS, BatchLayout, Formula, NoFormulaError, Padded, differences
from idealrank.losses import Approx, ApproxKendall, Loss, NeuralNDCG, SoftNDCG
from idealrank.losses.direct import Approximation, depths_of, factors_of, is_ranked, worth_by_plan
from idealrank.losses.soft import SoftlyRanked
from idealrank.measures import discounts
from idealrank.measures.discounted import Persistence

__all__ = ["FORMULAS", "LOGISTIC", "approximation"]

#: Two names of the same sigmoid.
LOGISTIC = ("logistic", "tanh")


class _SoftRanks(NamedTuple):
    """The positions of documents, what each is worth, and how much of it the cutoff keeps: sigma of ``inside``."""

    positions: Tensor
    worth: Tensor
    inside: Tensor | None
    beta: float
    at: BatchLayout

    def kept(self) -> Tensor:
        return self.worth if self.inside is None else self.worth * self.inside.sigmoid()

    def precision_sum(self) -> Tensor:
        hits = self.worth + self.at.soft_sums("logistic", -self.positions, self.beta, self.worth)
        return self.at.totals(self.kept() / self.positions * hits)

    def first_sum(self) -> Tensor:
        rivals = (self.worth > 0).to(self.worth)
        earlier = self.at.soft_sums("softplus", -self.positions, self.beta, rivals)
        return self.at.totals(self.kept() / self.positions * (-earlier).exp())

    def any_relevant(self) -> Tensor:
        if self.inside is None:
            return (self.at.totals(self.worth) > 0) + 0 * self.at.totals(self.positions)  # a constant, gradient 0
        return 1 - self.at.totals(self.worth * logsigmoid(-self.inside)).exp()


def approximation(loss: Approximation, at: BatchLayout) -> Tensor:
    """Return 1 - the measure of soft ranks of each query, 0 if nothing is relevant."""
    plan, lists = loss.plan, at.lists
    worth = worth_by_plan(plan, lists)
    depths = depths_of(plan, lists, worth)
    positions = 1 + at.soft_sums(loss.sigmoid, at.scores, loss.slope_of_ranks())
    inside = None if depths is None else loss.beta * (at.spread(depths) + 0.5 - positions)
    soft_ranks = _SoftRanks(positions, at.column(worth), inside, loss.beta, at)
    if plan.reduction == "sum":
        total = at.totals(soft_ranks.kept() * _discounted(plan.discount, positions, at))
    else:
        total = _REDUCTIONS[plan.reduction](soft_ranks)
    values = 1 - total * at.tensor(factors_of(plan, worth, lists, depths))
    return torch.where(at.tensor(is_ranked(worth, lists)), values, 0)


_REDUCTIONS = {
    "precision_mean": _SoftRanks.precision_sum,
    "first": _SoftRanks.first_sum,
    "any": _SoftRanks.any_relevant,
}

_DISCOUNTS: dict[type[discounts.Discount], Callable[[Any, Tensor, Tensor], Tensor]] = {
    discounts.Log: lambda log, at, n: math.log(log.base) / at.log1p(),
    discounts.Power: lambda power, at, n: at**-power.beta,
    discounts.Zipf: lambda zipf, at, n: 1 / at,
    discounts.Geometric: lambda geometric, at, n: float(geometric.base) ** -at,
    discounts.Linear: lambda linear, at, n: relu(n - at),
    Persistence: lambda rbp, at, n: (1 - rbp.p) * rbp.p ** (at - 1),
    discounts.Letor: lambda letor, at, n: 1 / (2 + relu(at - 2)).log2(),
}


def _discounted(discount: discounts.Discount, positions: Tensor, at: BatchLayout) -> Tensor:
    formula = _DISCOUNTS.get(type(discount))
    if formula is not None:
        return formula(discount, positions, at.sizes)
    if type(discount).at is not discounts.Discount.at:
        raise NoFormulaError(f"the discount {discount}")
    # A discount without a formula is interpolated linearly between ranks.
    longest = int(at.lists.sizes.max(initial=0))
    weights = at.tensor(discount.weights(longest + 1))
    rank = positions.detach().floor().long().clamp(1, longest)
    first, second = weights[rank - 1], weights[rank]
    return first + (positions - rank) * (second - first)


def _kendall(loss: ApproxKendall, at: Padded) -> Tensor:
    better = at.is_above(at.lists.labels)
    weights = better if at.lists.weights is None else better * at.column(at.lists.weights)[:, :, None]
    wrong = weights * SIGMOIDS[loss.sigmoid](-loss.slope_of_ranks() * differences(at.scores))
    pairs = weights.sum((1, 2))
    return 2 * wrong.sum((1, 2)) / torch.where(pairs > 0, pairs, 1)


def _approx(loss: Approx, at: Padded) -> Tensor:
    return _kendall(loss.form, at) if isinstance(loss.form, ApproxKendall) else approximation(loss.form, at)


def _soft_ndcg(loss: SoftNDCG, at: Padded) -> Tensor:
    chances = torch.where(at.others, torch.special.ndtr(-differences(at.scores) / (math.sqrt(2) * loss.sigma)), 0)
    return _softly_ranked(loss, at, _counts(chances).mT)


def _neural_ndcg(loss: NeuralNDCG, at: Padded) -> Tensor:
    apart = torch.where(at.others, differences(at.scores).abs(), 0).sum(2)
    ranks = torch.arange(1, at.real.shape[1] + 1, device=at.real.device)
    # The middle of the scores cancels, but would cost digits.
    middle = torch.where(at.real, at.scores.detach(), 0).sum(1, keepdim=True) / at.sizes.clamp(min=1)
    factors = (at.sizes + 1 - 2 * ranks).to(at.scores)
    logits = (factors[:, :, None] * (at.scores - middle)[:, None, :] - apart[:, None, :]) / loss.temperature
    counted = at.real[:, None, :] | ~at.real.any(1)[:, None, None]
    return _softly_ranked(loss, at, torch.where(counted, logits, -torch.inf).softmax(2))


def _softly_ranked(loss: SoftlyRanked, at: Padded, shares: Tensor) -> Tensor:
    """Return 1 - NDCG; the shares of documents, along the last dimension, in each rank."""
    worth, ideal = loss.worth_and_ideal(at.lists)
    weights = at.rank_weights(loss.discount, None if loss.cutoff is None else loss.cutoff.depths(at.lists.sizes))
    expected = (weights[:, :, None] * shares[:, : weights.shape[1]] * at.column(worth)[:, None, :]).sum((1, 2))
    best = at.tensor(ideal)
    return torch.where(best > 0, 1 - expected / torch.where(best > 0, best, 1), 0)


def _counts(chances: Tensor) -> Tensor:
    """Return the distribution of the number of independent events with these probabilities along the last axis.

    That is a product of polynomials 1 - c + c x, multiplied pair by pair with Fourier transforms.
    """
    factors = torch.stack([1 - chances, chances], dim=-1)
    while factors.shape[-2] > 1:
        if factors.shape[-2] % 2:
            one = torch.zeros_like(factors[..., :1, :])
            one[..., 0] = 1
            factors = torch.cat([factors, one], dim=-2)
        length = 2 * factors.shape[-1] - 1
        even, odd = (torch.fft.rfft(factors[..., start::2, :], length) for start in (0, 1))
        factors = torch.fft.irfft(even * odd, length)
    return factors.squeeze(-2)


FORMULAS: dict[type[Loss], Formula] = {
    Approx: _approx,
    ApproxKendall: _kendall,
    Approximation: approximation,
    NeuralNDCG: _neural_ndcg,
    SoftNDCG: _soft_ndcg,
}
