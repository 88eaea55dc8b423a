"""Measure rankings with the whole NDCG family, tell which measures tell two rankers apart, and train rankers for them.

Importing this costs little more than NumPy: every name below is loaded when it is first used.
"""

from typing import TYPE_CHECKING

from idealrank._base.lazy import lazy

if TYPE_CHECKING:
    from idealrank import integrations as integrations
    from idealrank import learners as learners
    from idealrank import losses as losses
    from idealrank import measures as measures
    from idealrank import report as report
    from idealrank import stats as stats
    from idealrank import theory as theory
    from idealrank.data import datasets as datasets
    from idealrank.data.construction import concatenate as concatenate
    from idealrank.data.construction import from_arrays as from_arrays
    from idealrank.data.ids import Ids as Ids
    from idealrank.data.judgments import Qrels as Qrels
    from idealrank.data.judgments import Run as Run
    from idealrank.data.judgments import join as join
    from idealrank.data.lists import Judged as Judged
    from idealrank.data.problem import Problem as Problem
    from idealrank.data.ranking import RankingData as RankingData
    from idealrank.evaluation.comparison import Comparison as Comparison
    from idealrank.evaluation.comparison import compare as compare
    from idealrank.evaluation.evaluator import Evaluation as Evaluation
    from idealrank.evaluation.evaluator import evaluate as evaluate
    from idealrank.evaluation.explanation import Explanation as Explanation
    from idealrank.evaluation.explanation import explain as explain
    from idealrank.evaluation.scoring import scorer as scorer
    from idealrank.evaluation.streaming import evaluate_stream as evaluate_stream
    from idealrank.io.frames import from_frame as from_frame
    from idealrank.io.frames import qrels_from_frame as qrels_from_frame
    from idealrank.io.frames import run_from_frame as run_from_frame
    from idealrank.io.frames import to_frame as to_frame
    from idealrank.io.letor import read_letor as read_letor
    from idealrank.io.letor import write_letor as write_letor
    from idealrank.io.letor_folds import read_letor_folds as read_letor_folds
    from idealrank.io.scores import *  # noqa: F403
    from idealrank.io.tables import read_csv as read_csv
    from idealrank.io.tables import read_parquet as read_parquet
    from idealrank.io.tables import write_frame as write_frame
    from idealrank.io.trec import *  # noqa: F403
    from idealrank.losses.names import loss as loss
    from idealrank.measures import cutoffs as cutoffs
    from idealrank.measures import discounts as discounts
    from idealrank.measures import gains as gains
    from idealrank.measures import ranks as ranks
    from idealrank.measures.conventions import convention as convention
    from idealrank.measures.discounted import ndcg as ndcg
    from idealrank.measures.names import measure as measure

__version__ = "0.1.0"

#: Where each public name is defined.
_TABLE = {
    "compare": "evaluation.comparison",
    "Comparison": "evaluation.comparison",
    "concatenate": "data.construction",
    "convention": "measures.conventions",
    "evaluate": "evaluation.evaluator",
    "evaluate_stream": "evaluation.streaming",
    "Evaluation": "evaluation.evaluator",
    "explain": "evaluation.explanation",
    "Explanation": "evaluation.explanation",
    "from_arrays": "data.construction",
    "from_frame": "io.frames",
    "Ids": "data.ids",
    "join": "data.judgments",
    "Judged": "data.lists",
    "loss": "losses.names",
    "measure": "measures.names",
    "ndcg": "measures.discounted",
    "Problem": "data.problem",
    "Qrels": "data.judgments",
    "qrels_from_frame": "io.frames",
    "RankingData": "data.ranking",
    "read_csv": "io.tables",
    "read_groups": "io.scores",
    "read_letor": "io.letor",
    "read_letor_folds": "io.letor_folds",
    "read_parquet": "io.tables",
    "read_qrels": "io.trec",
    "read_run": "io.trec",
    "read_scores": "io.scores",
    "Run": "data.judgments",
    "run_from_frame": "io.frames",
    "scorer": "evaluation.scoring",
    "to_frame": "io.frames",
    "write_frame": "io.tables",
    "write_groups": "io.scores",
    "write_letor": "io.letor",
    "write_qrels": "io.trec",
    "write_run": "io.trec",
    "write_scores": "io.scores",
}
_MODULES = (
    "cutoffs",
    "datasets",
    "discounts",
    "gains",
    "integrations",
    "learners",
    "losses",
    "measures",
    "ranks",
    "report",
    "stats",
    "theory",
)

__all__ = ["__version__", *_TABLE, *_MODULES]

if not TYPE_CHECKING:  # a type checker would take any name for one of the package
    __getattr__, __dir__ = lazy(__name__, _TABLE, _MODULES)
