"""The classes of results, which the functions of idealrank return.

All of them have the methods of `Result`: text, tables, data frames and pages.
"""

from idealrank._core.lazy import from_stub

__all__, __getattr__, __dir__ = from_stub(__name__, __file__)
