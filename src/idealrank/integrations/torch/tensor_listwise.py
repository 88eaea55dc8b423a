"""Listwise losses in PyTorch; targets are computed from labels by the code for arrays."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import logsigmoid

from idealrank.integrations.torch.padded import Formula, NoFormulaError, Padded, differences, formula_of
from idealrank.losses import PSL, Bregman, Cosine, CrossEntropy, LeastSquares, ListMLE, Loss, QNorm, SoftmaxAtK
from idealrank.losses.links import Scale
from idealrank.losses.potentials import KL, PNorm, Potential, Squared
from idealrank.losses.segments import Listwise
from idealrank.losses.softmax import SoftmaxLoss

__all__ = ["FORMULAS", "log_activations"]


def _listwise(loss: Listwise, at: Padded) -> Tensor:
    target = loss.target(at.lists)
    formula = formula_of(loss, _OF_TARGETS, "of_targets")
    values = formula(loss, at.column(target.values), at)
    return torch.where(at.tensor(target.ranked), values, 0)


def _least_squares(loss: LeastSquares, target: Tensor, at: Padded) -> Tensor:
    return ((at.scores - target) ** 2).sum(1)


def _cosine(loss: Cosine, target: Tensor, at: Padded) -> Tensor:
    return 1 - (at.scores * target).sum(1) / _or_one(_norms(at.scores, 2.0))


def _cross_entropy(loss: CrossEntropy, target: Tensor, at: Padded) -> Tensor:
    logs = at.scores if loss.normalizer is not None else _log_shares(at)
    fitted = torch.where(at.real, logs.exp(), 0)
    return (target.xlogy(target) - target * logs - target + fitted).sum(1)


def _log_shares(at: Padded) -> Tensor:
    """Return the log of softmax of each query's scores."""
    below = torch.where(at.real | ~at.real.any(1, keepdim=True), at.scores, -torch.inf)
    # Apart from the greatest, so that large scores cost no digits.
    greatest = below.detach().amax(1, keepdim=True)
    return (at.scores - greatest) - (below - greatest).logsumexp(1, keepdim=True)


def _softmax(loss: SoftmaxLoss, at: Padded) -> Tensor:
    return -(at.column(loss.targets(at.lists)) * _log_shares(at)).sum(1)


def _softmax_at_k(loss: SoftmaxAtK, at: Padded) -> Tensor:
    below = torch.where(at.real, at.scores.detach(), -torch.inf)
    ranking = below.argsort(dim=1, descending=True, stable=True)
    last = (at.sizes.clamp(max=loss.cutoff) - 1).clamp(min=0)
    border = at.scores.gather(1, ranking.gather(1, last))
    near = torch.sigmoid(loss.slope * (at.scores - (border.detach() if loss.hold else border)))
    return -(at.column(loss.targets(at.lists)) * near * _log_shares(at)).sum(1)


def _psl(loss: PSL, at: Padded) -> Tensor:
    logs = log_activations(loss, -differences(at.scores))  # of s_j - s_i, j along the last dimension
    counted = at.real[:, None, :] | ~at.real.any(1)[:, None, None]
    totals = torch.where(counted, logs, -torch.inf).logsumexp(2)
    targets = at.column(loss.targets(at.lists))
    return torch.where(targets > 0, targets * totals, 0).sum(1)


def log_activations(loss: PSL, apart: Tensor) -> Tensor:
    """Return the log of a(d)^(1/temperature); -inf where it is 0."""
    if loss.activation == "tanh":
        return (logsigmoid(2 * apart) + math.log(2)) / loss.temperature
    inside = 1 + (apart.arctan() if loss.activation == "atan" else apart)
    return torch.where(inside > 0, torch.where(inside > 0, inside, 1).log() / loss.temperature, -torch.inf)


def _q_norm(loss: QNorm, target: Tensor, at: Padded) -> Tensor:
    length = _norms(at.scores, at.tensor(loss.exponents(at.lists.sizes)[:, None]))
    fit = (at.scores * target).sum(1)
    return length**2 - 2 * fit if loss.form == "penalized" else -fit / _or_one(length)


def _bregman(loss: Bregman, target: Tensor, at: Padded) -> Tensor:
    if type(loss.psi) not in _CONJUGATES or not (loss.link is None or isinstance(loss.link, Scale)):
        raise NoFormulaError(loss)
    fitted = at.scores if loss.link is None else loss.link.factor * at.scores
    conjugate = _CONJUGATES[type(loss.psi)](loss.psi, fitted, at.real)
    at_target = loss.psi.value(loss.target(at.lists).values, at.lists.offsets)
    return at.tensor(at_target) + conjugate - (fitted * target).sum(1)


_CONJUGATES: dict[type[Potential], Callable[[Any, Tensor, Tensor], Tensor]] = {
    Squared: lambda psi, fitted, real: (fitted**2).sum(1) / 2,
    KL: lambda psi, fitted, real: torch.where(real, fitted.exp(), 0).sum(1),
    PNorm: lambda psi, fitted, real: _norms(fitted, psi.p / (psi.p - 1)) ** 2 / 4,
}
_OF_TARGETS: dict[type[Loss], Callable[[Any, Tensor, Padded], Tensor]] = {
    Bregman: _bregman,
    Cosine: _cosine,
    CrossEntropy: _cross_entropy,
    LeastSquares: _least_squares,
    QNorm: _q_norm,
}


def _norms(column: Tensor, q: float | Tensor) -> Tensor:
    """Return ||x||_q of each query; 0, with gradient 0, if all are 0."""
    greatest = column.detach().abs().amax(1, keepdim=True)  # to divide by, so that no power overflows
    scale = _or_one(greatest)
    total = ((column / scale).abs() ** q).sum(1, keepdim=True)
    return (greatest * _or_one(total) ** (1 / q)).squeeze(1)


def _or_one(sizes: Tensor) -> Tensor:
    return torch.where(sizes > 0, sizes, 1)


def _list_mle(loss: ListMLE, at: Padded) -> Tensor:
    ahead = at.is_above(at.lists.labels)
    level = ~ahead & ~ahead.mT  # with itself, too
    if loss.ties == "stable":
        level &= torch.ones_like(level).triu()
    chosen_from = ahead | (level & at.real[:, None, :]) | ~at.real[:, :, None]
    # Sums relative to each document's own score, so that large scores cost no digits.
    ahead_by = at.scores[:, None, :] - at.scores[:, :, None]
    surplus = torch.where(chosen_from, ahead_by, -torch.inf).logsumexp(2)
    weights = at.real if at.lists.weights is None else at.column(at.lists.weights)
    return (weights * surplus).sum(1)


FORMULAS: dict[type[Loss], Formula] = {
    CrossEntropy: _listwise,
    ListMLE: _list_mle,
    Listwise: _listwise,
    PSL: _psl,
    SoftmaxAtK: _softmax_at_k,
    SoftmaxLoss: _softmax,
}
