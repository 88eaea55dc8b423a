"""Learners of rankings: scikit-learn estimators that also take `RankingData`."""

from itertools import chain
from typing import TYPE_CHECKING

from idealrank._core.lazy import lazy

#: The public names by the module that defines them.
_TABLE = {
    "consistent": ["ConsistentRegression"],
    "factors.factor_ranker": ["FactorRanker"],
    "files.exports": ["to_elasticsearch", "to_onnx", "to_ranklib", "to_vespa"],
    "files.models": ["load", "save"],
    "linear.adarank": ["AdaRank"],
    "linear.classic_rankers": [
        "ApproxAPRanker",
        "ApproxNDCGRanker",
        "LeastSquaresRanker",
        "ListNet",
        "RankCosine",
        "RankNet",
        "RankSVM",
        "SoftRank",
    ],
    "linear.p_norm_push": ["PNormPush"],
    "linear.linear_ranker": ["LinearRanker"],
    "linear.sources": ["ParquetSource"],
    "names": ["register"],
    "random": ["RandomRanker"],
    "search.cross_fold": ["cross_fold"],
    "search.tuning": ["tune"],
    "structural.svm_map": ["SVMMap"],
    "structural.svm_ndcg": ["SVMNDCG"],
    "trees.boosted": ["BoostedRanker"],
    "trees.rankboost": ["RankBoost"],
}

__all__ = [*chain(*_TABLE.values())]

if TYPE_CHECKING:
    from idealrank.learners.consistent import ConsistentRegression as ConsistentRegression
    from idealrank.learners.factors.factor_ranker import FactorRanker as FactorRanker
    from idealrank.learners.files.exports import *  # noqa: F403
    from idealrank.learners.files.models import load as load
    from idealrank.learners.files.models import save as save
    from idealrank.learners.linear.adarank import AdaRank as AdaRank
    from idealrank.learners.linear.classic_rankers import *  # noqa: F403
    from idealrank.learners.linear.linear_ranker import LinearRanker as LinearRanker
    from idealrank.learners.linear.p_norm_push import PNormPush as PNormPush
    from idealrank.learners.linear.sources import ParquetSource as ParquetSource
    from idealrank.learners.names import register as register
    from idealrank.learners.random import RandomRanker as RandomRanker
    from idealrank.learners.search.cross_fold import cross_fold as cross_fold
    from idealrank.learners.search.tuning import tune as tune
    from idealrank.learners.structural.svm_map import SVMMap as SVMMap
    from idealrank.learners.structural.svm_ndcg import SVMNDCG as SVMNDCG
    from idealrank.learners.trees.boosted import BoostedRanker as BoostedRanker
    from idealrank.learners.trees.rankboost import RankBoost as RankBoost
else:  # hidden from type checkers, which would accept any name
    __getattr__, __dir__ = lazy(__name__, _TABLE)
