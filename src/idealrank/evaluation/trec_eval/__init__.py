"""NIST's trec_eval: judgments and a run in, the numbers of its command line out, with its own names for measures.

The library's measures compute what they reproduce to the last bit, all in one call of the native core: map, gm_map and
map_cut (`AP`), P and set_P (`Precision`), recall and set_recall (`Recall`), Rprec (`RPrecision`), bpref and gm_bpref
(`Bpref`), recip_rank (`RR`), success (`HitRate`) and relative_P
(`RelativePrecision`). This package has code of its own only for the following:

- ndcg, ndcg_cut, dcg, ideal_dcg: the native core adds four partial sums, trec_eval one term after the other. The last
  bit differs, and so does the fourth printed digit where a mean is halfway between two. The library also lacks gain
  maps such as ``1=3,2=9`` for some labels, and trec_eval's order of fractional gains.
- rbp: gains are graded and scaled to 0 ... 1; the library's RBP is binary, and its sum has other last bits.
- unj: divides by k even if the list is shorter; the library's `Judged` divides by the documents there are.
- relstring: text, and therefore no measure of the library.
- infAP, yaap, binG, iprec_at_recall, 11pt_avg, Rprec_mult, set_F, set_map, set_relative_P, utility, G, Rndcg, ndcg_rel:
  the formulas are those of ``idealrank.measures.ranked_labels``, which the library's measures use too; here they get
  trec_eval's rankings. So do the counts (num_...).
- rbp_resid: the library computes it from what is certain, with other last bits.
- Means: one value is added after the other in the order of the query ids, as trec_eval does; the library's are exact.
- ``rankings.Rankings``: -M and -J cut the lists after they are ranked, and version 9 takes the nearest finite float32
  of a score; a convention does neither.

To add a measure, register it in ``measures.py``: a measure of the library, or a function from `rankings.Rankings` to
one value per query.
"""

from idealrank.evaluation.trec_eval.measure_list import MEASURES, SETS, read_measures
from idealrank.evaluation.trec_eval.trec_eval_results import NoCommonQueryError, Results, evaluate

__all__ = ["MEASURES", "SETS", "NoCommonQueryError", "Results", "evaluate", "read_measures"]
