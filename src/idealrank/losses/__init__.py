"""Losses of rankings: frozen values that give one number a query and its gradient, all called alike."""

from idealrank.losses.base import Loss
from idealrank.losses.bregman import Bregman
from idealrank.losses.listwise import Cosine, CrossEntropy, LeastSquares, ListMLE, QNorm
from idealrank.losses.names import loss

__all__ = [
    "Bregman",
    "Cosine",
    "CrossEntropy",
    "LeastSquares",
    "ListMLE",
    "Loss",
    "QNorm",
    "loss",
]
