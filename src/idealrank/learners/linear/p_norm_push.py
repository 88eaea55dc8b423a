"""The p-norm push: a linear ranker that concentrates on the top of the list."""

from __future__ import annotations

from idealrank import losses
from idealrank.learners.learner_names import register
from idealrank.learners.linear.linear_ranker import LinearModel
from idealrank.losses import Loss

__all__ = ["PNormPush"]


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
