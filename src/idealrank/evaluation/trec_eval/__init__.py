"""NIST's trec_eval: judgments and a run in, the numbers of its command line out, by its own names.

To add a measure, write a function from `rankings.Rankings` to one value a query, in ``binary.py`` or ``graded.py``, and
give it an entry in ``table.py``.
"""

from idealrank.evaluation.trec_eval.evaluation import Results, evaluate
from idealrank.evaluation.trec_eval.table import MEASURES, SETS, read_measures

__all__ = ["MEASURES", "SETS", "Results", "evaluate", "read_measures"]
