"""Softmax losses with the labels as a distribution, as in TF-Ranking, Rax, LightGBM's xendcg and recommenders."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from idealrank import _native
from idealrank._names.options import choice, flag, number, option
from idealrank._typing import Floats, Int64s
from idealrank.data.columns import group_of_each
from idealrank.data.lists import Lists
from idealrank.losses.loss_base import Loss
from idealrank.losses.loss_names import register
from idealrank.losses.pairwise import ranks_option
from idealrank.losses.segments import check_finite, check_outcome, shares, sums, worth_of
from idealrank.measures import gains


class PositiveDocuments(NamedTuple):
    """The documents with a target above 0, few of many in a catalog, and their queries and targets."""

    rows: Int64s
    queries: Int64s
    targets: Floats


class SoftmaxLoss(Loss):
    """-sum_i p_i log softmax(s)_i, where each subclass chooses what documents are worth, which is not negative.

    The targets p are that worth, divided by its sum in the query if the loss is normalized. The gradient is
    P softmax(s) - p, where P is the sum of p.
    """

    @property
    def is_normalized(self) -> bool:
        """Whether the targets of a query sum to 1."""
        return True

    def worth(self, lists: Lists) -> Floats:
        """Return what each document is worth."""
        raise NotImplementedError

    def targets(self, lists: Lists) -> Floats:
        """Return the target of each document; all targets are 0 in a query that has nothing to learn from."""
        return _targets(self.worth(lists), self.is_normalized, lists)

    def values_and_gradient(self, lists: Lists) -> tuple[Floats, Floats]:
        targets, columns = "shares" if self.is_normalized else "worth", (lists.scores, lists.offsets)
        outcome = _native.softmax_cross_entropy(self.worth(lists), *columns, targets=targets, n_threads=lists.n_threads)
        return check_outcome(self, *outcome, lists)

    def curvature(self, lists: Lists) -> Floats:
        _, totals = self._targets(lists)
        return _curvature(totals, _shares(lists), lists)

    def gradient_and_curvature(self, lists: Lists) -> tuple[Floats, Floats]:
        return self.derivatives_of(lists)(lists.scores)

    def derivatives_of(self, lists: Lists) -> Callable[[Floats], tuple[Floats, Floats]]:
        targets, totals = self._targets(lists)
        spread = np.repeat(totals, lists.sizes)

        def of_scores(scores: Floats) -> tuple[Floats, Floats]:
            predicted = _shares(replace(lists, scores=scores))
            return spread * predicted - targets, _curvature(totals, predicted, lists)

        return of_scores

    def _targets(self, lists: Lists) -> tuple[Floats, Floats]:
        """Return the targets, and their sum in each query."""
        targets = self.targets(lists)
        return targets, sums(targets, lists.offsets)


def _shares(lists: Lists) -> Floats:
    """Return softmax(s)."""
    check_finite(lists.scores, lists.offsets, "score")
    with np.errstate(over="ignore"):
        return shares(lists.scores, lists.offsets)[0]


def _curvature(totals: Floats, predicted: Floats, lists: Lists) -> Floats:
    return np.repeat(totals, lists.sizes) * predicted * (1 - predicted)


def _cross_entropy(relevant: PositiveDocuments, lists: Lists) -> tuple[Floats, Floats]:
    """Return -p log softmax(s) of each relevant document, and the gradient P softmax(s) - p of all."""
    rows, queries, targets = relevant
    gradient, under, logs = shares(lists.scores, lists.offsets)
    gradient *= np.repeat(_added(targets, relevant, lists), lists.sizes)
    gradient[rows] -= targets
    return targets * (logs[queries] - under[rows]), gradient


def _added(values: Floats, relevant: PositiveDocuments, lists: Lists) -> Floats:
    """Return the sum of the values of each query's relevant documents."""
    return np.asarray(np.bincount(relevant.queries, values, lists.n_queries), np.float64)


def _targets(worth: Floats, normalize: bool, lists: Lists) -> Floats:
    """Return what each document is worth, divided by the sum of its query if `normalize`."""
    if not normalize:
        return worth
    totals = sums(worth, lists.offsets)
    return np.asarray(worth / np.repeat(np.where(totals > 0, totals, 1.0), lists.sizes))


@register("softmax")
class Softmax(SoftmaxLoss):
    """Cross entropy between the gains, as a distribution, and softmax(s): -sum_i G_i / (sum G) log softmax(s)_i.

    For binary labels, it is the softmax loss of recommenders over the whole catalog. `CrossEntropy`, the loss of
    ListNet, uses softmax(labels) instead of the gains. Weights multiply gains. A query without gain has the value 0.

    Parameters
    ----------
    normalize : {"gains", "none"}
        "gains" divides the gains by their sum, as TF-Ranking does, so that a query counts the same however many
        relevant documents it has; "none" does not divide, as in Rax.
    gain : str or Gain
        The gain of a label; by default, the label itself.

    Examples
    --------
    Labels 1, 0 and scores log 3, 0: -log(3/4).

    >>> import numpy as np
    >>> from idealrank.losses import Softmax
    >>> Softmax()([1, 0], [np.log(3), 0])
    (array([0.28768207]), array([-0.25,  0.25]))
    """

    normalize: str = option(choice("gains", "none"), "gains")
    gain: Any = option(gains.of, gains.Linear())

    @property
    def is_normalized(self) -> bool:
        return self.normalize == "gains"

    def worth(self, lists: Lists) -> Floats:
        return worth_of(self.gain, lists)


@register("xe_ndcg")
class XENDCG(SoftmaxLoss):
    """Cross entropy between (2^label - gamma) / sum and softmax(s), which bounds NDCG (Bruch 2021).

    The bound holds for any gamma from 0 to 1. The paper draws gamma uniformly for each document and step; here it is a
    constant, by default the mean of those draws, so that the loss is a function of its inputs. Weights multiply 2^label
    - gamma.

    Parameters
    ----------
    gamma : float
        A number from 0 to 1; with 1, documents with the label 0 have the target 0, as in `Softmax` with the gain
        2^label - 1.

    Examples
    --------
    Labels 1, 0 have the targets 1.5/2 and 0.5/2, and equal scores have a softmax of 1/2 each: the value is log 2.

    >>> from idealrank.losses import XENDCG
    >>> XENDCG()([1, 0], [0, 0])
    (array([0.69314718]), array([-0.25,  0.25]))

    References
    ----------
    S. Bruch, An Alternative Cross Entropy Loss for Learning-to-Rank, WWW 2021.
    """

    gamma: float = option(number(0, 1), 0.5)

    def worth(self, lists: Lists) -> Floats:
        worth = worth_of(gains.Exp2(), replace(lists, weights=None)) + (1 - self.gamma)
        return worth if lists.weights is None else worth * lists.weights


@register("softmax_at_k", "sl_at_k")
class SoftmaxAtK(Loss):
    """The softmax loss with more weight on documents in or near the first k, based on SL@K (Yang et al. 2025).

    The loss is -sum_i p_i w_i log softmax(s)_i, where p are the gains divided by their sum, w_i = sigma(slope (s_i -
    b)), and b is the k-th highest score of the query, or the lowest if there are fewer than k. The original estimates b
    from a sample and keeps it fixed for some epochs; here b is exact. By default, the gradient is the derivative of the
    values, and b changes with the scores; with ``hold=True``, b is a constant in the gradient, as in the original, and
    recommenders learn much better. `hessian_diagonal` returns the diagonal for the softmax loss with fixed w.

    The loss can also fall because w falls: where slope (1 - w_i) is larger than -1 / log softmax(s)_i, the gradient
    moves a relevant document down. With the default slope, that needs a softmax below exp(-20).

    Parameters
    ----------
    cutoff : int
        The number k of first ranks.
    slope : float
        The slope of the sigmoid. Over whole catalogs, training with 1 collapsed, and 0.05 to 0.1 was best.
    gain : str or Gain
        The gain of a label; by default, the label itself.
    hold : bool
        Whether b is constant in the gradient, which is then not the derivative of the values.

    Examples
    --------
    The first of two documents with equal scores is relevant, and b equals its score, so w = 1/2: 1/2 log 2.

    >>> from idealrank.losses import SoftmaxAtK
    >>> SoftmaxAtK(cutoff=1)([1, 0], [0, 0])[0]
    array([0.34657359])

    References
    ----------
    W. Yang et al., Breaking the Top-K Barrier: Advancing Top-K Ranking Metrics Optimization in Recommender Systems, KDD
    2025.
    """

    cutoff: int = option(ranks_option, 20)
    slope: float = option(number(1e-300, 1e300), 0.05)
    gain: Any = option(gains.of, gains.Linear())
    hold: bool = option(flag, False)

    def targets(self, lists: Lists) -> Floats:
        """Return p of each document."""
        return _targets(worth_of(self.gain, lists), True, lists)

    def values_and_gradient(self, lists: Lists) -> tuple[Floats, Floats]:
        relevant, weights, last = self._weighted(lists)
        with np.errstate(all="ignore"):
            terms, gradient = _cross_entropy(relevant, lists)
            moved = self.slope * (1 - weights) * terms  # w' = slope w (1 - w)
            gradient[relevant.rows] += moved
            if not self.hold:
                filled = last >= 0
                gradient[last[filled]] -= _added(moved, relevant, lists)[filled]
        return check_outcome(self, _added(terms, relevant, lists), gradient, lists)

    def curvature(self, lists: Lists) -> Floats:
        relevant, _, _ = self._weighted(lists)
        return _curvature(_added(relevant.targets, relevant, lists), _shares(lists), lists)

    def _weighted(self, lists: Lists) -> tuple[PositiveDocuments, Floats, Int64s]:
        """Return the relevant documents with the targets p w, their w, and the document with each query's k-th score.

        A query without documents has the document -1.
        """
        targets = self.targets(lists)
        rows = np.flatnonzero(targets > 0)
        queries = group_of_each(np.searchsorted(rows, lists.offsets))
        last = _native.last_of_first(lists.scores, lists.offsets, self.cutoff, lists.n_threads)  # checks the scores
        with np.errstate(over="ignore"):
            # Calls, between which Ctrl-C is answered: on long lists, each takes a while.
            ahead = np.subtract(np.take(lists.scores, rows), np.take(lists.scores, np.take(last, queries)))
            weights = np.divide(1, np.add(1, np.exp(np.multiply(-self.slope, ahead))))
        return PositiveDocuments(rows, queries, np.multiply(np.take(targets, rows), weights)), weights, last


@register("psl", "pairwise_softmax")
class PSL(Loss):
    """The pairwise softmax loss, sum_i p_i log sum_j a(s_j - s_i)^(1/temperature) (Yang et al. 2024, eq. (4.1)).

    Here p are the gains divided by their sum, j runs over all documents of the query, and a is an activation. With a =
    exp, the loss would be `Softmax` of the scores divided by the temperature; activations that grow more slowly give
    tighter bounds on DCG, and are less sensitive to relevant documents that are not labeled as such. All of them are
    meant for score differences between -1 and 1, such as differences of cosines divided by 2: "relu" is 0 below -1, and
    "atan" below -tan(1).

    Time is near-linear: documents with close scores act together through 18 Chebyshev points (the fast multipole method
    in one dimension). Results differ from the sum over pairs by about 1e-13. The loss is not convex. Because log a is
    concave, `hessian_diagonal` leaves out its curvature, and returns a bound on the second derivative. For "relu" and
    "atan" with a temperature above 1/2 there is no bound, because a^(1/temperature) is not smooth where a becomes 0.

    Parameters
    ----------
    activation : {"tanh", "atan", "relu"}
        The activation a(d): 1 + tanh(d), max(0, 1 + arctan(d)), or max(0, 1 + d).
    temperature : float
        A number from 0.002 to 1; the best values in the paper are between 0.025 and 0.1.
    normalize : {"gains", "none"}
        "gains" divides the gains by their sum, and "none" does not, as in `Softmax`.
    gain : str or Gain
        The gain of a label; by default, the label itself.

    Examples
    --------
    Two documents with equal scores: a(0) = 1 for each, so log 2.

    >>> from idealrank.losses import PSL
    >>> PSL(temperature=0.5)([1, 0], [0, 0])
    (array([0.69314718]), array([-1.,  1.]))

    References
    ----------
    W. Yang, J. Chen, X. Xin, S. Zhou, B. Hu, Y. Feng, C. Chen, C. Wang, PSL: Rethinking and Improving Softmax Loss from
    Pairwise Perspective for Recommendation, NeurIPS 2024.
    """

    activation: str = option(choice("tanh", "atan", "relu"), "tanh")
    temperature: float = option(number(0.002, 1), 0.1)
    normalize: str = option(choice("gains", "none"), "gains")
    gain: Any = option(gains.of, gains.Linear())

    def targets(self, lists: Lists) -> Floats:
        """Return p of each document."""
        return _targets(worth_of(self.gain, lists), self.normalize == "gains", lists)

    def values_and_gradient(self, lists: Lists) -> tuple[Floats, Floats]:
        return self._sums(lists, "first")

    def curvature(self, lists: Lists) -> Floats:
        return self._sums(lists, "second")[1]

    def gradient_and_curvature(self, lists: Lists) -> tuple[Floats, Floats]:
        return self._sums(lists, "both")

    def _sums(self, lists: Lists, derivative: str) -> tuple[Floats, Floats]:
        return _native.pairwise_softmax(
            self.targets(lists),
            lists.scores,
            lists.offsets,
            activation=self.activation,
            power=1 / self.temperature,
            derivative=derivative,
            n_threads=lists.n_threads,
        )
