"""Measure rankings with the whole NDCG family, tell which measures tell two rankers apart, and train rankers for them.

Importing this costs little more than NumPy: every name below is loaded when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from idealrank import cutoffs as cutoffs
    from idealrank import datasets as datasets
    from idealrank import discounts as discounts
    from idealrank import gains as gains
    from idealrank import integrations as integrations
    from idealrank import learners as learners
    from idealrank import losses as losses
    from idealrank import measures as measures
    from idealrank import ranks as ranks
    from idealrank import report as report
    from idealrank import stats as stats
    from idealrank import theory as theory
    from idealrank.comparison import Comparison as Comparison
    from idealrank.comparison import compare as compare
    from idealrank.conventions import convention as convention
    from idealrank.data import Judged as Judged
    from idealrank.data import Problem as Problem
    from idealrank.data import RankingData as RankingData
    from idealrank.data import concatenate as concatenate
    from idealrank.data import from_arrays as from_arrays
    from idealrank.evaluation import Evaluation as Evaluation
    from idealrank.evaluation import evaluate as evaluate
    from idealrank.explanation import Explanation as Explanation
    from idealrank.explanation import explain as explain
    from idealrank.ids import Ids as Ids
    from idealrank.io.frames import from_frame as from_frame
    from idealrank.io.frames import qrels_from_frame as qrels_from_frame
    from idealrank.io.frames import run_from_frame as run_from_frame
    from idealrank.io.frames import to_frame as to_frame
    from idealrank.io.letor import read_letor as read_letor
    from idealrank.io.letor import write_letor as write_letor
    from idealrank.io.letor_folds import read_letor_folds as read_letor_folds
    from idealrank.io.scores import read_groups as read_groups
    from idealrank.io.scores import read_scores as read_scores
    from idealrank.io.scores import write_groups as write_groups
    from idealrank.io.scores import write_scores as write_scores
    from idealrank.io.tables import read_csv as read_csv
    from idealrank.io.tables import read_parquet as read_parquet
    from idealrank.io.tables import write_frame as write_frame
    from idealrank.io.trec import read_qrels as read_qrels
    from idealrank.io.trec import read_run as read_run
    from idealrank.io.trec import write_qrels as write_qrels
    from idealrank.io.trec import write_run as write_run
    from idealrank.judgments import Qrels as Qrels
    from idealrank.judgments import Run as Run
    from idealrank.judgments import join as join
    from idealrank.losses.names import loss as loss
    from idealrank.measures.names import measure as measure
    from idealrank.measures.names import ndcg as ndcg
    from idealrank.scoring import scorer as scorer
    from idealrank.streaming import evaluate_stream as evaluate_stream

__version__ = "0.1.0"

_HOME = {
    "compare": "comparison",
    "Comparison": "comparison",
    "concatenate": "data",
    "convention": "conventions",
    "evaluate": "evaluation",
    "evaluate_stream": "streaming",
    "Evaluation": "evaluation",
    "explain": "explanation",
    "Explanation": "explanation",
    "from_arrays": "data",
    "from_frame": "io.frames",
    "Ids": "ids",
    "join": "judgments",
    "Judged": "data",
    "loss": "losses.names",
    "measure": "measures.names",
    "ndcg": "measures.names",
    "Problem": "data",
    "Qrels": "judgments",
    "qrels_from_frame": "io.frames",
    "RankingData": "data",
    "read_csv": "io.tables",
    "read_groups": "io.scores",
    "read_letor": "io.letor",
    "read_letor_folds": "io.letor_folds",
    "read_parquet": "io.tables",
    "read_qrels": "io.trec",
    "read_run": "io.trec",
    "read_scores": "io.scores",
    "Run": "judgments",
    "run_from_frame": "io.frames",
    "scorer": "scoring",
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

__all__ = ["__version__", *_HOME, *_MODULES]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"idealrank.{name}")
    if name in _HOME:
        value = getattr(import_module(f"idealrank.{_HOME[name]}"), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'idealrank' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
