"""Linear rankers that have names of their own: each is a loss, minimized like any other."""

from __future__ import annotations

from dataclasses import field
from typing import Any

import numpy as np

from idealrank import losses
from idealrank._names.options import choice, number, option
from idealrank._typing import Floats
from idealrank.learners.iterative import Trace
from idealrank.learners.learner_names import register
from idealrank.learners.linear.linear_ranker import LinearModel
from idealrank.learners.linear.objective import LinearObjective
from idealrank.learners.linear.optimizers import Optimizer, Optimum, planes
from idealrank.learners.linear.query_blocks import QueryBlocks
from idealrank.losses import Loss
from idealrank.measures.cutoffs import CutoffLike


@register("rank_svm")
class RankSVM(LinearModel):
    """Ranking SVM (Herbrich et al. 2000; Joachims 2002): 1/2 ||w||^2 + C times the sum of hinge losses of all pairs.

    All pairs of documents of the same query with different labels count the same. Pairs are never visited one by one.

    Parameters
    ----------
    C : float
        The weight of the losses, relative to the penalty on the weights.
    loss : {"squared_hinge", "hinge"}
        "squared_hinge" (Chapelle and Keerthi 2010) is smooth. "hinge" has corners and is minimized by cutting planes
        (Joachims 2006) to within a millionth of its value at zero weights.
    continuation : bool
        No effect, because the loss has no soft ranks.

    Examples
    --------
    One pair whose features differ by 1: 1/2 w^2 + C (1 - w)^2 is smallest at w = 2 C / (1 + 2 C) = 2/3.

    >>> from idealrank.learners import RankSVM
    >>> RankSVM(C=1.0).fit([[0.0], [1.0]], [0, 1], qid=[1, 1]).coef_.round(6)
    array([0.666667])
    """

    C: float = option(number(0, is_open=True), 1.0)
    loss: str = option(choice("squared_hinge", "hinge"), "squared_hinge")
    l2: float = field(default=0.0, init=False)

    def _loss(self) -> Loss:
        return losses.loss(self.loss)

    def _penalty(self, weight: float) -> float:
        return 1 / (self.C * weight)

    def _optimizer(self, parts: QueryBlocks) -> Optimizer:
        if self.loss == "squared_hinge" or self._optimizer_name() != "lbfgs":
            return super()._optimizer(parts)

        def by_planes(objective: LinearObjective, start: Floats, trace: Trace) -> Optimum:
            return planes(objective, trace, self.max_iter, 1e-6 * objective(np.zeros_like(start))[0])[0]

        return by_planes


@register("list_net")
class ListNet(LinearModel):
    """ListNet (Cao et al. 2007): the cross entropy between the top-one probabilities of labels and of scores.

    Parameters
    ----------
    normalizer : "dcg" or int, optional
        What gains are divided by. None means nothing, the paper's loss; "dcg" or a number of ranks k, for the ideal DCG
        or DCG@k, makes it consistent with NDCG or NDCG@k (Ravikumar et al. 2011).
    continuation : bool
        No effect, because the loss has no soft ranks.

    Examples
    --------
    >>> from idealrank.learners import ListNet
    >>> ListNet().fit([[0.0], [1.0]], [0, 1], qid=[1, 1]).coef_ > 0
    array([ True])
    """

    normalizer: Any = None

    def _loss(self) -> Loss:
        return losses.CrossEntropy(normalizer=self.normalizer)


@register("rank_cosine")
class RankCosine(LinearModel):
    """RankCosine (Qin et al. 2008, Information Processing and Management): the cosine of gains and scores.

    Parameters
    ----------
    normalizer : "dcg" or int, optional
        What gains are divided by. None means nothing, the paper's loss; "dcg" or a number of ranks k, for the ideal DCG
        or DCG@k, makes it consistent with NDCG or NDCG@k (Ravikumar et al. 2011).
    continuation : bool
        No effect, because the loss has no soft ranks.

    Examples
    --------
    >>> from idealrank.learners import RankCosine
    >>> RankCosine().fit([[0.0], [1.0]], [0, 1], qid=[1, 1]).score([[0.0], [1.0]], [0, 1], qid=[1, 1])
    1.0
    """

    normalizer: Any = None

    def _loss(self) -> Loss:
        return losses.Cosine(normalizer=self.normalizer)


@register("least_squares", "least_squares_ranker")
class LeastSquaresRanker(LinearModel):
    """Least squares on gains divided by their DCG norm, which is consistent with NDCG (Ravikumar et al. 2011).

    Parameters
    ----------
    normalizer : "dcg" or int, optional
        What gains are divided by: "dcg" for the ideal DCG of the whole list, or a number of ranks k for the ideal
        DCG@k. None leaves the gains as they are, and the fit is not consistent with NDCG (Cossock and Zhang 2006).
    continuation : bool
        No effect, because the loss has no soft ranks.

    Examples
    --------
    One relevant document of two: the gains (0, 1) have the norm 1, so the scores are 0 and 1.

    >>> from idealrank.learners import LeastSquaresRanker
    >>> ranker = LeastSquaresRanker().fit([[2.0], [4.0]], [0, 1], qid=[1, 1])
    >>> ranker.predict([[2.0], [4.0]]).round(4) + 0
    array([0., 1.])
    """

    normalizer: Any = "dcg"

    def _loss(self) -> Loss:
        return losses.LeastSquares(normalizer=self.normalizer)


@register("rank_net")
class RankNet(LinearModel):
    """RankNet (Burges et al. 2005), linear: the logistic loss of the difference of scores of each pair.

    Parameters
    ----------
    sigma : float
        The slope of the logistic loss of a pair.
    continuation : bool
        No effect, because the loss has no soft ranks.

    Examples
    --------
    >>> from idealrank.learners import RankNet
    >>> RankNet(l2=0.1).fit([[0.0], [1.0]], [0, 1], qid=[1, 1]).coef_ > 0
    array([ True])
    """

    sigma: float = 1.0

    def _loss(self) -> Loss:
        return losses.PairwiseLogistic(sigma=self.sigma)


@register("approx_ndcg", "approx_ndcg_ranker")
class ApproxNDCGRanker(LinearModel):
    """ApproxNDCG (Qin, Liu and Li 2008): a linear ranker that maximizes NDCG with smooth ranks.

    Parameters
    ----------
    alpha : float or "auto"
        The slope of the sigmoid that makes ranks smooth; "auto" computes it from the scores at the start.
    cutoff : int, float, str or Cutoff, optional
        Number of ranks that count: 10, 0.2 or "20%", "n^0.5"; None means all ranks.
    beta : float
        The slope of the sigmoid that makes the cutoff smooth.

    Examples
    --------
    >>> from idealrank.learners import ApproxNDCGRanker
    >>> ApproxNDCGRanker().fit([[0.0], [1.0]], [0, 1], qid=[1, 1]).coef_ > 0
    array([ True])
    """

    alpha: float | str = 10.0
    cutoff: CutoffLike = None
    beta: float = 10.0

    def _loss(self) -> Loss:
        return losses.ApproxNDCG(alpha=self.alpha, cutoff=self.cutoff, beta=self.beta)


@register("approx_ap", "approx_ap_ranker")
class ApproxAPRanker(LinearModel):
    """ApproxAP (Qin, Liu and Li 2008): a linear ranker that maximizes average precision with smooth ranks.

    Parameters
    ----------
    alpha : float or "auto"
        The slope of the sigmoid that makes ranks smooth; "auto" computes it from the scores at the start.
    beta : float
        The slope of the sigmoid that makes comparisons of ranks smooth.
    rel : float, optional
        The lowest label of a relevant document; None means 1.

    Examples
    --------
    >>> from idealrank.learners import ApproxAPRanker
    >>> ApproxAPRanker().fit([[0.0], [1.0]], [0, 1], qid=[1, 1]).coef_ > 0
    array([ True])
    """

    alpha: float | str = 10.0
    beta: float = 10.0
    rel: float | None = None

    def _loss(self) -> Loss:
        return losses.ApproxAP(alpha=self.alpha, beta=self.beta, rel=self.rel)


@register("soft_rank")
class SoftRank(LinearModel):
    """SoftRank (Taylor et al. 2008): a linear ranker that maximizes the expected NDCG of scores with Gaussian noise.

    Parameters
    ----------
    sigma : float
        The standard deviation of the noise.
    cutoff : int, float, str or Cutoff, optional
        Number of ranks that count: 10, 0.2 or "20%", "n^0.5"; None means all ranks.

    Examples
    --------
    >>> from idealrank.learners import SoftRank
    >>> SoftRank().fit([[0.0], [1.0]], [0, 1], qid=[1, 1]).coef_ > 0
    array([ True])
    """

    sigma: float = 1.0
    cutoff: CutoffLike = None

    def _loss(self) -> Loss:
        return losses.SoftNDCG(sigma=self.sigma, cutoff=self.cutoff)


@register("p_norm_push")
class PNormPush(LinearModel):
    """The p-norm push (Rudin 2009): a linear ranker that concentrates on the top of the list.

    The paper has only one list; here the logarithm of its objective is averaged over queries (`idealrank.losses.Push`).

    Parameters
    ----------
    p : float
        The power; the higher it is, the more the fit concentrates on the non-relevant documents with the highest
        scores. p = 1 gives the exponential loss of pairs, which RankBoost also minimizes.
    continuation : bool
        No effect, because the loss has no soft ranks.

    Examples
    --------
    One feature that equals the label: the loss is -w, and -w + l2 / 2 w^2 is smallest at w = 1 / l2.

    >>> from idealrank.learners import PNormPush
    >>> PNormPush(l2=0.5).fit([[0.0], [1.0]], [0, 1], qid=[1, 1]).coef_.round(6)
    array([2.])
    """

    p: float = 4.0

    def _loss(self) -> Loss:
        return losses.Push(p=self.p)
