"""Gains: what a document with a given label is worth.

The public name of `idealrank.measures.gains`.
"""

from idealrank.measures.gains import *  # noqa: F403
from idealrank.measures.gains import __all__ as __all__
