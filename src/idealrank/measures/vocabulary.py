"""Names of measures and conventions as plain text: help pages list them without importing NumPy.

A test compares them with the registry and the presets.
"""

__all__ = ["CONVENTIONS", "MEASURES"]

#: The names that `idealrank.measure` takes; aliases and the names of other tools are not listed.
MEASURES = (
    "ndcg", "dcg", "linear_ndcg", "ap", "rr", "p", "recall", "f1", "hit_rate", "r_precision", "err", "rbp", "bpref",
    "inf_ap", "iprec_at_recall", "eleven_point", "relative_p", "rprec_mult", "set_f", "set_map", "set_relative_p",
    "utility", "gm_map", "gm_bpref", "log_ap", "log_bpref", "g", "ndcg_rel", "rndcg", "ideal_dcg", "num_q", "num_ret",
    "num_rel", "num_rel_ret", "num_nonrel_judged_ret", "bin_g", "yaap", "judged", "unj", "rbp_resid", "tied",
    "kendall_tau", "pairwise_error", "auc", "random_ndcg", "corrected_ndcg", "ndcg_z_score", "ndcg_p_value",
    "alpha_ndcg", "alpha_dcg", "err_ia", "nerr_ia", "nrbp", "nnrbp", "p_ia", "ap_ia", "strec",
)  # fmt: skip
#: The names that ``like=`` and ``--like`` take.
CONVENTIONS = (
    "idealrank", "trec_eval", "trec_eval10", "pytrec_eval", "ir_measures", "ranx", "sklearn", "torchmetrics",
    "tf_ranking", "rax", "lightgbm", "xgboost", "catboost", "rectools", "recommenders", "spark", "letor1", "letor3",
    "letor4", "gdeval", "msmarco", "beir", "mteb", "mlflow", "elasticsearch", "opensearch", "quepid", "llama_index",
    "haystack", "unitxt", "sentence_transformers", "implicit", "recbole", "cornac", "lightgcn", "ngcf", "allrank",
)  # fmt: skip
