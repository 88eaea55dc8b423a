"""The public name of `idealrank.measures.ranks`."""

from idealrank.measures.ranks import *  # noqa: F403
from idealrank.measures.ranks import __all__ as __all__
