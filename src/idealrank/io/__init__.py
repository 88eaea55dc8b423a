"""Reading and writing of files and data frames, with one module per group of formats."""

from idealrank._core.lazy import from_stub

__all__, __getattr__, __dir__ = from_stub(__name__, __file__)
