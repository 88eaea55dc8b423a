"""The data model: documents grouped by query, judgments, runs and their ids."""

from idealrank.data.construction import concatenate, from_arrays
from idealrank.data.ids import Ids
from idealrank.data.judgments import Qrels, Run, join
from idealrank.data.lists import JudgedLabels, Lists
from idealrank.data.problem import Problem
from idealrank.data.ranking import RankingData

__all__ = [
    "Ids",
    "JudgedLabels",
    "Lists",
    "Problem",
    "Qrels",
    "RankingData",
    "Run",
    "concatenate",
    "from_arrays",
    "join",
]
