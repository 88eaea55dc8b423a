"""Learners of rankings: scikit-learn estimators that also take `RankingData`."""

from idealrank._core.lazy import from_stub

__all__, __getattr__, __dir__ = from_stub(__name__, __file__)
