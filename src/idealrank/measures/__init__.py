"""Ranking measures: immutable values that return one number per query and never average.

All have the same interface, ``m(labels, scores, offsets)``: labels are the relevance of each document, scores rank the
documents (higher is better), and offsets divide both into queries (None means one query). `Measure` describes the
options that all measures have. If an option is None, the convention determines its value.
"""

from idealrank._core.lazy import from_stub

__all__, __getattr__, __dir__ = from_stub(__name__, __file__)
