"""The papers' experiments, reproduced, one file or folder each: their claims beside what is observed, and figures."""

from idealrank._core.lazy import from_stub

__all__, __getattr__, __dir__ = from_stub(__name__, __file__)
