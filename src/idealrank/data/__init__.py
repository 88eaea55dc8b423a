"""The data model: documents grouped by query, judgments, runs and their ids."""

from idealrank.data.ids import Ids
from idealrank.data.judgments import Qrels, Run, join
from idealrank.data.ranking import Judged, Problem, RankingData, concatenate, from_arrays

__all__ = ["Ids", "Judged", "Problem", "Qrels", "RankingData", "Run", "concatenate", "from_arrays", "join"]
