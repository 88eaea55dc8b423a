"""Learners of rankings: scikit-learn estimators that take the query of each row as ``qid``."""

from idealrank.learners.adarank import AdaRank
from idealrank.learners.boosted import BoostedRanker
from idealrank.learners.consistent import ConsistentRegression
from idealrank.learners.cross_fold import cross_fold
from idealrank.learners.exports import to_elasticsearch, to_ranklib
from idealrank.learners.files import load, save
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
from idealrank.learners.p_norm_push import PNormPush
from idealrank.learners.random import RandomRanker
from idealrank.learners.rankboost import RankBoost
from idealrank.learners.sources import ParquetSource
from idealrank.learners.svm_map import SVMMap
from idealrank.learners.svm_ndcg import SVMNDCG
from idealrank.learners.trials import rows_of
from idealrank.learners.tuning import tune

__all__ = [
    "SVMNDCG",
    "AdaRank",
    "ApproxAPRanker",
    "ApproxNDCGRanker",
    "BoostedRanker",
    "ConsistentRegression",
    "LeastSquaresRanker",
    "LinearRanker",
    "ListNet",
    "PNormPush",
    "ParquetSource",
    "RandomRanker",
    "RankBoost",
    "RankCosine",
    "RankNet",
    "RankSVM",
    "SVMMap",
    "SoftRank",
    "cross_fold",
    "load",
    "rows_of",
    "save",
    "to_elasticsearch",
    "to_ranklib",
    "tune",
]
