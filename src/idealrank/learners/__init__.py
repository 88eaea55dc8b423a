"""Learners of rankings: scikit-learn estimators that take the query of each row as ``qid``."""

from idealrank.learners.linear import LinearRanker
from idealrank.learners.named import (
    ApproxAPRanker,
    ApproxNDCGRanker,
    LeastSquaresRanker,
    ListNet,
    RankCosine,
    RankNet,
    RankSVM,
    SoftRank,
)
from idealrank.learners.random import RandomRanker

__all__ = [
    "ApproxAPRanker",
    "ApproxNDCGRanker",
    "LeastSquaresRanker",
    "LinearRanker",
    "ListNet",
    "RandomRanker",
    "RankCosine",
    "RankNet",
    "RankSVM",
    "SoftRank",
]
