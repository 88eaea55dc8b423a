"""Soft ranks: positions that change smoothly with the scores (Qin, Liu and Li 2008).

The public name of `idealrank.measures.ranks`.
"""

from idealrank.measures.ranks import *  # noqa: F403
from idealrank.measures.ranks import __all__ as __all__
