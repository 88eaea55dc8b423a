"""Listwise surrogates of NDCG: least squares, cosine, cross entropy, q-norms, and the likelihood of the best order.

Equations and sections refer to Ravikumar, Tewari and Yang 2011, On NDCG Consistency of Listwise Ranking Methods. G are
the gains of a query's documents, ||G||_D = sum_j G_[j] D(j) is their norm, the ideal DCG (Lemma 1), and
u = G / ||G||_D are the targets of a consistent loss.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from idealrank import _native
from idealrank._names.options import choice, number, option
from idealrank._typing import Floats, Int64s
from idealrank.data.lists import Lists
from idealrank.losses.loss_base import Loss
from idealrank.losses.loss_names import register
from idealrank.losses.segments import (
    Listwise,
    Target,
    check_finite,
    check_outcome,
    divided,
    log_shares,
    normalizer,
    norms,
    sums,
)


@register("least_squares", "squared")
class LeastSquares(Listwise):
    """Least squares, ||s - G||^2; with ``normalizer="dcg"``, ||s - u||^2, which is consistent with NDCG.

    G are the gains, and u = G / ||G||_D are the gains divided by their ideal DCG (Ravikumar et al. 2011, section 3.3).
    A gain table may have gains below 0, for documents that harm; the loss is then consistent with NDCG of that table.

    Examples
    --------
    Labels 1, 0 have the gains 1, 0: (0.5 - 1)^2 + (0.25 - 0)^2 = 0.3125, gradient 2 (s - G).

    >>> from idealrank.losses import LeastSquares
    >>> LeastSquares()([1, 0], [0.5, 0.25])
    (array([0.3125]), array([-1. ,  0.5]))
    """

    takes_harm = True

    def of_targets(self, target: Floats, lists: Lists) -> tuple[Floats, Floats]:
        away = lists.scores - target
        return sums(away**2, lists.offsets), 2 * away

    def curvature_of_targets(self, target: Floats, lists: Lists) -> Floats:
        return np.full(target.size, 2.0)

    def best_scores(self, target: Floats, offsets: Int64s) -> Floats:
        return target


@register("cosine", "rank_cosine")
class Cosine(Listwise):
    """RankCosine's loss, 1 - <s, G> / (||s||_2 ||G||_2); with ``normalizer="dcg"``, 1 - <s, u> / ||s||_2.

    G are the gains, and u = G / ||G||_D are the gains divided by their ideal DCG (Ravikumar et al. 2011, section 3.3).
    The original orders documents by E[G / ||G||_2]. (Section 3.2.2 of the paper misprints this as E[G / ||G||_D], which
    would be consistent.) If all scores are 0, the loss has no derivative, and the gradient is minus the target, a
    descent direction. The loss is not convex: `hessian_diagonal` returns 2/sqrt(3) ||target|| / ||s||^2, the largest
    possible eigenvalue of the Hessian.

    Examples
    --------
    Labels 1, 0 and scores 3, 4: 1 - 3/5.

    >>> from idealrank.losses import Cosine
    >>> Cosine()([1, 0], [3, 4])
    (array([0.4]), array([-0.128,  0.096]))
    """

    def target(self, lists: Lists) -> Target:
        if self.normalizer is not None:
            return super().target(lists)
        worth = self.worth(lists)
        return divided(worth, norms(worth, lists.offsets)[0], lists.sizes)

    def of_targets(self, target: Floats, lists: Lists) -> tuple[Floats, Floats]:
        length, direction = norms(lists.scores, lists.offsets)
        cosine = sums(direction * target, lists.offsets)
        return 1 - cosine, (direction * np.repeat(cosine, lists.sizes) - target) * _inverse(length, lists)

    def curvature_of_targets(self, target: Floats, lists: Lists) -> Floats:
        length, _ = norms(lists.scores, lists.offsets)
        size, _ = norms(target, lists.offsets)
        return 2 / math.sqrt(3) * np.repeat(size, lists.sizes) * _inverse(length, lists) ** 2

    def best_scores(self, target: Floats, offsets: Int64s) -> Floats:
        return target


@register("cross_entropy", "list_net")
class CrossEntropy(Listwise):
    """ListNet's top-one loss, KL(softmax(labels) || softmax(s)); with ``normalizer="dcg"``, KL(u || exp(s)).

    u = G / ||G||_D are the gains G divided by their ideal DCG (Ravikumar et al. 2011, section 3.3), and
    KL(p || q) = sum p log(p / q) - p + q, with 0 log 0 = 0, for vectors that need not sum to 1. Without a normalizer,
    weights multiply exp(label).

    Parameters
    ----------
    gain : str or Gain, optional
        The gain of a label; None means the label itself without a normalizer, and 2^label - 1 with one.

    Examples
    --------
    Labels 0, 0 and scores 0, log 3: softmax is 1/2, 1/2 and 1/4, 3/4, so (log 2 + log(2/3)) / 2.

    >>> import numpy as np
    >>> from idealrank.losses import CrossEntropy
    >>> CrossEntropy()([0, 0], [0, np.log(3)])
    (array([0.14384104]), array([-0.25,  0.25]))
    """

    def target(self, lists: Lists) -> Target:
        if self.normalizer is not None:
            return super().target(lists)
        with np.errstate(invalid="ignore"):
            shares = np.exp(log_shares(self._logits(lists), lists.offsets))
        total = sums(shares, lists.offsets)  # NaN if all weights are 0
        return Target(shares, total > 0)

    def values_and_gradient(self, lists: Lists) -> tuple[Floats, Floats]:
        if self.normalizer is not None:
            return super().values_and_gradient(lists)
        columns = self._logits(lists), lists.scores, lists.offsets
        outcome = _native.softmax_cross_entropy(*columns, targets="logits", n_threads=lists.n_threads)
        return check_outcome(self, *outcome, lists)

    def _logits(self, lists: Lists) -> Floats:
        """Return the logs of what targets are proportional to without a normalizer."""
        check_finite(lists.labels, lists.offsets, "label")
        if self.gain is None and lists.weights is None:
            return lists.labels
        with np.errstate(divide="ignore", over="ignore"):
            logits = lists.labels if self.gain is None else self.gain(lists.labels)
            return logits if lists.weights is None else logits + np.log(lists.weights)

    def of_targets(self, target: Floats, lists: Lists) -> tuple[Floats, Floats]:
        logs, fitted = self._fit(lists)
        ratio = np.where(target > 0, target * (np.log(target) - logs), 0.0)  # 0 log 0 = 0
        return sums(ratio - target + fitted, lists.offsets), fitted - target

    def curvature_of_targets(self, target: Floats, lists: Lists) -> Floats:
        _, fitted = self._fit(lists)
        return fitted * (1 - fitted if self.normalizer is None else 1)

    def _fit(self, lists: Lists) -> tuple[Floats, Floats]:
        """Return the logarithm of softmax(s) or of exp(s), and the values themselves."""
        logs = lists.scores if self.normalizer is not None else log_shares(lists.scores, lists.offsets)
        return logs, np.exp(logs)

    def best_scores(self, target: Floats, offsets: Int64s) -> Floats:
        return np.log(target)


def _q(value: Any) -> float | str:
    return "auto" if value == "auto" else number(2, 1e6)(value)


@register("q_norm")
class QNorm(Listwise):
    """The q-norm loss, ||s||_q^2 - 2 <s, u>, or with ``form="normalized"`` -<s, u> / ||s||_q.

    u = G / ||G||_D are the gains G divided by their ideal DCG (Ravikumar et al. 2011, eq. (4) and below it). The first
    form is convex; its second derivatives are at most 2 (q - 1), and vanish where scores are 0. The second form is not
    convex; its second derivatives are at most (q + 2) ||u||_p / ||s||_q^2 with 1/p + 1/q = 1, and its gradient is -u if
    all scores are 0.

    Parameters
    ----------
    form : {"penalized", "normalized"}
        Which of the two losses to compute.
    q : float or "auto"
        The exponent, at least 2; "auto" is log(n) + 2 for a query with n documents, as in the paper's experiments.

    Examples
    --------
    q = 2, labels 1, 0, so u = (1, 0), and scores 3, 4: 25 - 2 * 3 = 19 and -3/5.

    >>> from idealrank.losses import QNorm
    >>> QNorm(q=2)([1, 0], [3, 4])
    (array([19.]), array([4., 8.]))
    >>> QNorm(q=2, form="normalized")([1, 0], [3, 4])
    (array([-0.6]), array([-0.128,  0.096]))
    """

    form: str = option(choice("penalized", "normalized"), "penalized")
    q: float | str = option(_q, "auto")
    normalizer: Any = option(normalizer, "dcg")

    def exponents(self, sizes: Int64s) -> Floats:
        """Return q, one per query."""
        if isinstance(self.q, str):
            return np.log(np.maximum(sizes, 1)) + 2
        return np.full(sizes.size, self.q)

    def of_targets(self, target: Floats, lists: Lists) -> tuple[Floats, Floats]:
        q = self.exponents(lists.sizes)
        length, direction = norms(lists.scores, lists.offsets, q)
        slope = np.sign(direction) * np.abs(direction) ** np.repeat(q - 1, lists.sizes)  # slope of ||s||_q
        if self.form == "penalized":
            away = np.repeat(length, lists.sizes) * slope - target
            return length**2 - 2 * sums(lists.scores * target, lists.offsets), 2 * away
        fit = sums(direction * target, lists.offsets)
        return -fit, (np.repeat(fit, lists.sizes) * slope - target) * _inverse(length, lists)

    def curvature_of_targets(self, target: Floats, lists: Lists) -> Floats:
        q = self.exponents(lists.sizes)
        if self.form == "penalized":
            return np.repeat(2 * (q - 1), lists.sizes)
        length, _ = norms(lists.scores, lists.offsets, q)
        dual, _ = norms(target, lists.offsets, q / (q - 1))
        return np.repeat((q + 2) * dual, lists.sizes) * _inverse(length, lists) ** 2

    def best_scores(self, target: Floats, offsets: Int64s) -> Floats:
        sizes = np.diff(offsets)
        q = self.exponents(sizes)
        p = q / (q - 1)
        length, direction = norms(target, offsets, p)
        return np.repeat(length, sizes) * direction ** np.repeat(p - 1, sizes)  # grad ||u||_p^2 / 2


def _inverse(length: Floats, lists: Lists) -> Floats:
    """Return 1 / ||s|| for each document; 1 if all scores are 0."""
    return np.repeat(1 / np.where(length > 0, length, 1.0), lists.sizes)


@register("list_mle")
class ListMLE(Loss):
    """Minus the log of the Plackett-Luce likelihood of the documents in order of decreasing label (Xia et al. 2008).

    It is the sum over documents i of log sum_j exp(s_j) - s_i, where j runs over i and the documents below it. The
    weight of a document multiplies its term.

    Parameters
    ----------
    ties : {"together", "stable"}
        How documents with equal labels are ordered. "together": each is placed above all others with its label, so the
        order of rows does not matter; "stable": they stay in the order of rows.

    Examples
    --------
    Labels 1, 0 and scores log 3, 0: log 4 - log 3 for the first, nothing for the second.

    >>> import numpy as np
    >>> from idealrank.losses import ListMLE
    >>> ListMLE()([1, 0], [np.log(3), 0])
    (array([0.28768207]), array([-0.25,  0.25]))
    """

    ties: str = option(choice("together", "stable"), "together")

    def values_and_gradient(self, lists: Lists) -> tuple[Floats, Floats]:
        values, gradient, _ = self._sums(lists, curvature=False)
        return check_outcome(self, values, gradient, lists)

    def curvature(self, lists: Lists) -> Floats:
        return np.nan_to_num(self._sums(lists, curvature=True)[2], nan=0.0)

    def gradient_and_curvature(self, lists: Lists) -> tuple[Floats, Floats]:
        values, gradient, curvature = self._sums(lists, curvature=True)
        check_outcome(self, np.zeros_like(values), gradient, lists)
        return gradient, np.nan_to_num(curvature, nan=0.0)

    def _sums(self, lists: Lists, *, curvature: bool) -> tuple[Floats, Floats, Floats]:
        return _native.list_mle(
            lists.labels,
            lists.scores,
            lists.offsets,
            lists.weights,
            together=self.ties == "together",
            curvature=curvature,
            n_threads=lists.n_threads,
        )
