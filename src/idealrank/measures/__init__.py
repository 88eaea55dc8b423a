"""Measures of rankings: frozen values that give one number a query, and never average.

All are called alike, ``m(labels, scores, offsets)``: labels say how relevant each document is, scores rank the
documents (higher is better), offsets cut both into queries (None: one query). Options common to all: ``cutoff`` (10,
0.2 or "20%", "n^0.5", None), ``ties`` (the order of equal scores: "average", "stable", "reverse", "best", "worst",
"docid_desc", "docid_asc"), ``empty`` (the value of a query with nothing relevant: 0, 1, "nan", "skip"). What is left
None is as the convention says.
"""

from idealrank.measures.against_random import CorrectedNDCG, NDCGPValue, NDCGZScore, RandomNDCG
from idealrank.measures.base import Measure
from idealrank.measures.discounted import DCG, NDCG, RBP, LinearNDCG
from idealrank.measures.names import ALIASES, measure
from idealrank.measures.pairs import AUC, KendallTau, PairwiseError
from idealrank.measures.relevance import AP, ERR, F1, RR, Bpref, HitRate, Judged, Precision, Recall, RPrecision, Tied

__all__ = [
    "ALIASES",
    "AP",
    "AUC",
    "DCG",
    "ERR",
    "F1",
    "NDCG",
    "RBP",
    "RR",
    "Bpref",
    "CorrectedNDCG",
    "HitRate",
    "Judged",
    "KendallTau",
    "LinearNDCG",
    "Measure",
    "NDCGPValue",
    "NDCGZScore",
    "PairwiseError",
    "Precision",
    "RPrecision",
    "RandomNDCG",
    "Recall",
    "Tied",
    "measure",
]
