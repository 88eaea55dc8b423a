"""Learners of rankings: scikit-learn estimators that take the query of each row as ``qid``."""

from idealrank.learners.linear import LinearRanker

__all__ = ["LinearRanker"]
