"""Ranking losses: frozen values that return one number per query and its gradient, all with the same interface."""

from idealrank._core.lazy import from_stub

__all__, __getattr__, __dir__ = from_stub(__name__, __file__)
