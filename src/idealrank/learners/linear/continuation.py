"""Stages for losses that are not convex: from which weights to start, and how smooth the loss is."""

from __future__ import annotations

from typing import NamedTuple

from idealrank.losses import Loss, PairwiseLogistic

__all__ = ["Stage", "continuation"]

#: The fraction of its sharpness that a loss has, stage by stage.
_SHARPNESS = (1 / 3, 1.0)


class Stage(NamedTuple):
    """A loss to minimize, from the first weights or from those that the previous stage found."""

    loss: Loss
    afresh: bool


def continuation(asked: Loss) -> list[Stage]:
    """Return the stages of a fit: only one for a loss that has no smoother form.

    >>> from idealrank.losses import ApproxNDCG, CrossEntropy
    >>> continuation(CrossEntropy())
    [Stage(loss=cross_entropy, afresh=True)]
    >>> for loss, afresh in continuation(ApproxNDCG(alpha=60)):
    ...     print(loss, "from the start" if afresh else "from there on")
    approx_ndcg(alpha=20) from the start
    approx_ndcg(alpha=60) from there on
    pairwise_logistic from the start
    approx_ndcg(alpha=20) from there on
    approx_ndcg(alpha=60) from there on
    """
    sharpening = [asked.smoothed(sharpness) for sharpness in _SHARPNESS]
    if None in sharpening:
        return [Stage(asked, afresh=True)]
    on = [Stage(each, afresh=False) for each in sharpening if each is not None]
    return [on[0]._replace(afresh=True), *on[1:], Stage(PairwiseLogistic(), afresh=True), *on]
