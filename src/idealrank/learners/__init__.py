"""Learners of rankings: scikit-learn estimators that take the query of each row as ``qid``."""

from idealrank.learners.consistent import ConsistentRegression
from idealrank.learners.files.exports import to_elasticsearch, to_ranklib
from idealrank.learners.files.models import load, save
from idealrank.learners.linear.adarank import AdaRank
from idealrank.learners.linear.named import (
    ApproxAPRanker,
    ApproxNDCGRanker,
    LeastSquaresRanker,
    ListNet,
    RankCosine,
    RankNet,
    RankSVM,
    SoftRank,
)
from idealrank.learners.linear.p_norm_push import PNormPush
from idealrank.learners.linear.ranker import LinearRanker
from idealrank.learners.linear.sources import ParquetSource
from idealrank.learners.random import RandomRanker
from idealrank.learners.search.cross_fold import cross_fold
from idealrank.learners.search.trials import rows_of
from idealrank.learners.search.tuning import tune
from idealrank.learners.structural.svm_map import SVMMap
from idealrank.learners.structural.svm_ndcg import SVMNDCG
from idealrank.learners.trees.boosted import BoostedRanker
from idealrank.learners.trees.rankboost import RankBoost

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
