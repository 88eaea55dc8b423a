"""Losses of rankings: frozen values that give one number a query and its gradient, all called alike."""

from idealrank.losses.base import Loss
from idealrank.losses.bregman import Bregman
from idealrank.losses.direct import Approx, ApproxAP, ApproxKendall, ApproxNDCG, ApproxPrecision, ApproxRR
from idealrank.losses.listwise import Cosine, CrossEntropy, LeastSquares, ListMLE, QNorm
from idealrank.losses.names import loss
from idealrank.losses.pairwise import Hinge, LambdaRank, PairwiseLinear, PairwiseLogistic, SquaredHinge
from idealrank.losses.push import Push
from idealrank.losses.soft import SoftNDCG

__all__ = [
    "Approx",
    "ApproxAP",
    "ApproxKendall",
    "ApproxNDCG",
    "ApproxPrecision",
    "ApproxRR",
    "Bregman",
    "Cosine",
    "CrossEntropy",
    "Hinge",
    "LambdaRank",
    "LeastSquares",
    "ListMLE",
    "Loss",
    "PairwiseLinear",
    "PairwiseLogistic",
    "Push",
    "QNorm",
    "SoftNDCG",
    "SquaredHinge",
    "loss",
]
