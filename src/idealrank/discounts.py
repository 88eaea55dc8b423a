"""Discounts: how much a rank counts.

The public name of `idealrank.measures.discounts`.
"""

from idealrank.measures.discounts import *  # noqa: F403
from idealrank.measures.discounts import __all__ as __all__
