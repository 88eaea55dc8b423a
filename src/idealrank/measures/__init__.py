"""Ranking measures: immutable values that return one number per query and never average.

All have the same interface, ``m(labels, scores, offsets)``: labels are the relevance of each document, scores rank the
documents (higher is better), and offsets divide both into queries (None means one query). `Measure` describes the
options that all measures have. If an option is None, the convention determines its value.
"""

from itertools import chain
from typing import TYPE_CHECKING

from idealrank._core.lazy import lazy

#: The public names by the module that defines them.
_TABLE = {
    "against_random": ["CorrectedNDCG", "NDCGPValue", "NDCGZScore", "RandomNDCG"],
    "base": ["Measure"],
    "discounted": ["DCG", "LinearNDCG", "NDCG", "RBP"],
    "diversity": [
        "APIA",
        "ERRIA",
        "NERRIA",
        "NNRBP",
        "NRBP",
        "PIA",
        "AlphaDCG",
        "AlphaNDCG",
        "SubtopicRecall",
    ],
    "graded": ["GainOverCost", "IdealDCG", "NDCGAtFalls", "NDCGAtRelevant"],
    "names": ["measure", "register"],
    "pairs": ["AUC", "KendallTau", "PairwiseError"],
    "relevance": ["AP", "Bpref", "ERR", "F1", "HitRate", "Judged", "Precision", "Recall", "RPrecision", "RR", "Tied"],
    "retrieval": [
        "BinaryGain",
        "ElevenPoint",
        "GeometricAP",
        "GeometricBpref",
        "InferredAP",
        "InterpolatedPrecision",
        "LogAP",
        "LogBpref",
        "RBPResidual",
        "RPrecisionMultiple",
        "RelativePrecision",
        "SetF",
        "SetMAP",
        "SetRelativePrecision",
        "Unjudged",
        "Utility",
        "YAAP",
    ],
    "totals": ["NonrelevantRetrieved", "Queries", "Relevant", "RelevantRetrieved", "Retrieved"],
}

__all__ = [*chain(*_TABLE.values())]

if TYPE_CHECKING:
    from idealrank.measures.against_random import *  # noqa: F403
    from idealrank.measures.base import Measure as Measure
    from idealrank.measures.discounted import *  # noqa: F403
    from idealrank.measures.diversity import *  # noqa: F403
    from idealrank.measures.graded import *  # noqa: F403
    from idealrank.measures.names import measure as measure
    from idealrank.measures.names import register as register
    from idealrank.measures.pairs import *  # noqa: F403
    from idealrank.measures.relevance import *  # noqa: F403
    from idealrank.measures.retrieval import *  # noqa: F403
    from idealrank.measures.totals import *  # noqa: F403
else:  # hidden from type checkers, which would accept any name
    __getattr__, __dir__ = lazy(__name__, _TABLE)
