"""Learners of rankings: scikit-learn estimators that take the query of each row as ``qid``."""

from typing import TYPE_CHECKING

from idealrank._base.lazy import lazy

if TYPE_CHECKING:
    from idealrank.learners.consistent import ConsistentRegression as ConsistentRegression
    from idealrank.learners.files.exports import *  # noqa: F403
    from idealrank.learners.files.models import load as load
    from idealrank.learners.files.models import save as save
    from idealrank.learners.linear.adarank import AdaRank as AdaRank
    from idealrank.learners.linear.named import *  # noqa: F403
    from idealrank.learners.linear.p_norm_push import PNormPush as PNormPush
    from idealrank.learners.linear.ranker import LinearRanker as LinearRanker
    from idealrank.learners.linear.sources import ParquetSource as ParquetSource
    from idealrank.learners.names import register as register
    from idealrank.learners.random import RandomRanker as RandomRanker
    from idealrank.learners.search.cross_fold import cross_fold as cross_fold
    from idealrank.learners.search.trials import rows_of as rows_of
    from idealrank.learners.search.tuning import tune as tune
    from idealrank.learners.structural.svm_map import SVMMap as SVMMap
    from idealrank.learners.structural.svm_ndcg import SVMNDCG as SVMNDCG
    from idealrank.learners.trees.boosted import BoostedRanker as BoostedRanker
    from idealrank.learners.trees.rankboost import RankBoost as RankBoost

#: Where each public name is defined.
_TABLE = {
    "AdaRank": "linear.adarank",
    "ApproxAPRanker": "linear.named",
    "ApproxNDCGRanker": "linear.named",
    "BoostedRanker": "trees.boosted",
    "ConsistentRegression": "consistent",
    "cross_fold": "search.cross_fold",
    "LeastSquaresRanker": "linear.named",
    "LinearRanker": "linear.ranker",
    "ListNet": "linear.named",
    "load": "files.models",
    "ParquetSource": "linear.sources",
    "PNormPush": "linear.p_norm_push",
    "RandomRanker": "random",
    "RankBoost": "trees.rankboost",
    "RankCosine": "linear.named",
    "RankNet": "linear.named",
    "RankSVM": "linear.named",
    "register": "names",
    "rows_of": "search.trials",
    "save": "files.models",
    "SoftRank": "linear.named",
    "SVMMap": "structural.svm_map",
    "SVMNDCG": "structural.svm_ndcg",
    "to_elasticsearch": "files.exports",
    "to_ranklib": "files.exports",
    "tune": "search.tuning",
}

__all__ = [*_TABLE]

if not TYPE_CHECKING:  # a type checker would take any name for one of the package
    __getattr__, __dir__ = lazy(__name__, _TABLE)
