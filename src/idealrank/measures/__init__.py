"""Measures of rankings: frozen values that give one number a query, and never average.

All are called alike, ``m(labels, scores, offsets)``: labels say how relevant each document is, scores rank the
documents (higher is better), offsets cut both into queries (None: one query). Options common to all: ``cutoff`` (10,
0.2 or "20%", "n^0.5", None), ``ties`` (the order of equal scores: "average", "stable", "reverse", "best", "worst",
"docid_desc", "docid_asc"), ``empty`` (the value of a query with nothing relevant: 0, 1, "nan", "skip"). What is left
None is as the convention says.
"""

from itertools import chain
from typing import TYPE_CHECKING

from idealrank._base.lazy import lazy

#: The public names by the module that defines them.
_TABLE = {
    "against_random": ["CorrectedNDCG", "NDCGPValue", "NDCGZScore", "RandomNDCG"],
    "base": ["Measure"],
    "discounted": ["DCG", "LinearNDCG", "NDCG", "RBP"],
    "names": ["measure", "register"],
    "pairs": ["AUC", "KendallTau", "PairwiseError"],
    "relevance": ["AP", "Bpref", "ERR", "F1", "HitRate", "Judged", "Precision", "Recall", "RPrecision", "RR", "Tied"],
}

__all__ = [*chain(*_TABLE.values())]

if TYPE_CHECKING:
    from idealrank.measures.against_random import *  # noqa: F403
    from idealrank.measures.base import Measure as Measure
    from idealrank.measures.discounted import DCG as DCG
    from idealrank.measures.discounted import NDCG as NDCG
    from idealrank.measures.discounted import RBP as RBP
    from idealrank.measures.discounted import LinearNDCG as LinearNDCG
    from idealrank.measures.names import measure as measure
    from idealrank.measures.names import register as register
    from idealrank.measures.pairs import *  # noqa: F403
    from idealrank.measures.relevance import *  # noqa: F403
else:  # a type checker would take any name for one of the package
    __getattr__, __dir__ = lazy(__name__, _TABLE)
