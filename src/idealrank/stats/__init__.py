"""Statistics of per-query values: intervals, paired tests, many systems at once, effect sizes, power.

`rbo` and `tau_ap` compare two rankings of documents.

Two systems are two arrays ``a, b`` with one value per query; many systems are ``matrix[query, system]``. A query with a
NaN, which some conventions give to a query with no relevant document, is left out, and the ``note`` of the result says
so. Functions that draw random numbers take a ``seed``, store the seed that was used in the result, and return the same
numbers for any number of threads.
"""

from idealrank._core.lazy import from_stub

__all__, __getattr__, __dir__ = from_stub(__name__, __file__)
