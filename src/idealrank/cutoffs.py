"""Cutoffs: how many ranks count, k of a list of n documents.

The public name of `idealrank.measures.cutoffs`.
"""

from idealrank.measures.cutoffs import *  # noqa: F403
from idealrank.measures.cutoffs import __all__ as __all__
