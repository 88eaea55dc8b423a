"""Results of the papers about the NDCG family as functions, with equation and theorem numbers.

Modules are loaded when one of their names is first used.
"""

from idealrank._core.lazy import from_stub

__all__, __getattr__, __dir__ = from_stub(__name__, __file__)
