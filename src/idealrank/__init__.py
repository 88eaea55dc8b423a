"""Measure rankings with the NDCG family, find out which measures distinguish two rankers, and train rankers for them.

Importing this package costs little more than importing NumPy: every name is imported on first use. About thirty names
are here; `idealrank.io` has the other readers and writers, and `idealrank.results` the classes of results.
"""

import sys

if sys.version_info < (3, 11):  # noqa: UP036  (a copy of the source may be imported by any Python)
    raise ImportError(f"idealrank needs Python 3.11 or newer, and this is {sys.version.split()[0]}")

from idealrank._core.lazy import from_stub

__version__ = "0.1.0"

__all__, __getattr__, __dir__ = from_stub(__name__, __file__)
__all__ = ["__version__", *__all__]
