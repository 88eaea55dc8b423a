"""Measure rankings with the NDCG family, find out which measures distinguish two rankers, and train rankers for them.

Importing this package costs little more than importing NumPy: every name is imported on first use.
"""

import sys
from itertools import chain
from typing import TYPE_CHECKING

if sys.version_info < (3, 11):  # noqa: UP036  (a copy of the source may be imported by any Python)
    raise ImportError(f"idealrank needs Python 3.11 or newer, and this is {sys.version.split()[0]}")

from idealrank._core.lazy import lazy

__version__ = "0.1.0"

#: The public names by the module that defines them.
_TABLE = {
    "_present.result": ["Result"],
    "_core.threads": ["set_threads"],
    "data.construction": ["concatenate", "from_arrays"],
    "data.ids": ["Ids"],
    "data.judgments": ["join", "Qrels", "Run"],
    "data.lists": ["JudgedLabels"],
    "data.problem": ["Problem"],
    "data.ranking": ["RankingData"],
    "data.subtopics": ["SubtopicQrels"],
    "comparison.agreement": ["agreement", "Agreement"],
    "comparison.comparison_result": ["Comparison"],
    "comparison.compare": ["compare"],
    "evaluation.evaluate": ["evaluate"],
    "comparison.explain": ["explain", "Explanation"],
    "comparison.sample_sizes": ["power", "SampleSizes"],
    "evaluation.whole_catalogs": ["evaluate_factors"],
    "judging.unjudged.bounds": ["bounds", "Bounds"],
    "judging.unjudged.judge_next": ["judge_next"],
    "judging.machine_judgments.compare_assisted": ["AssistedComparison", "compare_assisted"],
    "judging.machine_judgments.uncertain_labels": ["evaluate_uncertain"],
    "identification.identify": ["identify"],
    "identification.identification_result": ["Identification"],
    "comparison.leaderboards.leaderboard": ["leaderboard"],
    "comparison.leaderboards.leaderboard_result": ["Leaderboard"],
    "evaluation.evaluation_result": ["Evaluation"],
    "evaluation.scorer": ["scorer"],
    "evaluation.streaming": ["evaluate_stream"],
    "io.frame_output": ["to_frame"],
    "io.frames": ["from_frame", "qrels_from_frame", "run_from_frame"],
    "io.letor": ["read_letor", "write_letor"],
    "io.letor_folds": ["read_letor_folds"],
    "io.mteb": ["read_mteb_predictions", "read_mteb_results"],
    "io.score_files": ["read_groups", "read_scores", "write_groups", "write_scores"],
    "io.parquet_csv": ["read_csv", "read_parquet", "write_frame"],
    "io.trec": ["read_qrels", "read_run", "write_qrels", "write_run"],
    "losses.loss_names": ["loss"],
    "measures.conventions": ["convention"],
    "measures.discounted": ["ndcg"],
    "measures.measure_names": ["measure"],
    "theory.long_lists.limits_of_systems": ["limits"],
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

__all__ = ["__version__", *_MODULES, *chain(*_TABLE.values())]

if TYPE_CHECKING:
    from idealrank import integrations as integrations
    from idealrank import learners as learners
    from idealrank import losses as losses
    from idealrank import measures as measures
    from idealrank import report as report
    from idealrank import stats as stats
    from idealrank import theory as theory
    from idealrank._core.threads import set_threads as set_threads
    from idealrank._present.result import Result as Result
    from idealrank.comparison.agreement import Agreement as Agreement
    from idealrank.comparison.agreement import agreement as agreement
    from idealrank.comparison.compare import compare as compare
    from idealrank.comparison.comparison_result import Comparison as Comparison
    from idealrank.comparison.explain import Explanation as Explanation
    from idealrank.comparison.explain import explain as explain
    from idealrank.comparison.leaderboards.leaderboard import leaderboard as leaderboard
    from idealrank.comparison.leaderboards.leaderboard_result import Leaderboard as Leaderboard
    from idealrank.comparison.sample_sizes import SampleSizes as SampleSizes
    from idealrank.comparison.sample_sizes import power as power
    from idealrank.data import datasets as datasets
    from idealrank.data.construction import concatenate as concatenate
    from idealrank.data.construction import from_arrays as from_arrays
    from idealrank.data.ids import Ids as Ids
    from idealrank.data.judgments import *  # noqa: F403
    from idealrank.data.lists import JudgedLabels as JudgedLabels
    from idealrank.data.problem import Problem as Problem
    from idealrank.data.ranking import RankingData as RankingData
    from idealrank.data.subtopics import SubtopicQrels as SubtopicQrels
    from idealrank.evaluation.evaluate import evaluate as evaluate
    from idealrank.evaluation.evaluation_result import Evaluation as Evaluation
    from idealrank.evaluation.scorer import scorer as scorer
    from idealrank.evaluation.streaming import evaluate_stream as evaluate_stream
    from idealrank.evaluation.whole_catalogs import evaluate_factors as evaluate_factors
    from idealrank.identification.identification_result import Identification as Identification
    from idealrank.identification.identify import identify as identify
    from idealrank.io.frame_output import to_frame as to_frame
    from idealrank.io.frames import from_frame as from_frame
    from idealrank.io.frames import qrels_from_frame as qrels_from_frame
    from idealrank.io.frames import run_from_frame as run_from_frame
    from idealrank.io.letor import read_letor as read_letor
    from idealrank.io.letor import write_letor as write_letor
    from idealrank.io.letor_folds import read_letor_folds as read_letor_folds
    from idealrank.io.mteb import read_mteb_predictions as read_mteb_predictions
    from idealrank.io.mteb import read_mteb_results as read_mteb_results
    from idealrank.io.parquet_csv import read_csv as read_csv
    from idealrank.io.parquet_csv import read_parquet as read_parquet
    from idealrank.io.parquet_csv import write_frame as write_frame
    from idealrank.io.score_files import *  # noqa: F403
    from idealrank.io.trec import read_qrels as read_qrels
    from idealrank.io.trec import read_run as read_run
    from idealrank.io.trec import write_qrels as write_qrels
    from idealrank.io.trec import write_run as write_run
    from idealrank.judging.machine_judgments.compare_assisted import AssistedComparison as AssistedComparison
    from idealrank.judging.machine_judgments.compare_assisted import compare_assisted as compare_assisted
    from idealrank.judging.machine_judgments.uncertain_labels import evaluate_uncertain as evaluate_uncertain
    from idealrank.judging.unjudged.bounds import Bounds as Bounds
    from idealrank.judging.unjudged.bounds import bounds as bounds
    from idealrank.judging.unjudged.judge_next import judge_next as judge_next
    from idealrank.losses.loss_names import loss as loss
    from idealrank.measures import cutoffs as cutoffs
    from idealrank.measures import discounts as discounts
    from idealrank.measures import gains as gains
    from idealrank.measures import ranks as ranks
    from idealrank.measures.conventions import convention as convention
    from idealrank.measures.discounted import ndcg as ndcg
    from idealrank.measures.measure_names import measure as measure
    from idealrank.theory.long_lists.limits_of_systems import limits as limits
else:  # to a type checker, __getattr__ would mean that every name exists
    __getattr__, __dir__ = lazy(__name__, _TABLE, _MODULES)
