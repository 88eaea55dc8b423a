"""Qin, Liu and Li 2008, Section 6: measures made smooth, how close they stay, and rankers trained for them.

The paper trains on LETOR's TD2003, TD2004 (two labels) and OHSUMED (three). Its ApproxNDCG and ApproxAP are trained by
its own Algorithm 1 with its own grids, and beside that by L-BFGS with a continuation, as `learners` does it. It does
not say what the first weights are, and nothing of the scale of features: here weights begin at 0, and features are
taken as the files have them, and once more brought to [0, 1] within each query. NDCG is the paper's, with the discount
1/log2(1 + rank).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from idealrank.experiments.collections import drawn_collections
from idealrank.experiments.qin2008.accuracy import errors_in_training, of_errors, of_table_1, table_1
from idealrank.experiments.qin2008.comparing import claims_of, tables_of
from idealrank.experiments.qin2008.drawing import ndcg_by_cutoff, rho_by_epoch
from idealrank.experiments.qin2008.protocol import QUICK, Protocol
from idealrank.experiments.qin2008.runs import is_graded, run
from idealrank.experiments.results import Reproduction
from idealrank.io.letor_folds import Folds

__all__ = ["reproduce"]

_NOTES = (
    "ApproxNDCG and ApproxAP: Algorithm 1 with T = 200, eta = 0.01 and the paper's grids, on linear scores. First "
    "weights, feature scaling and learning-rate schedule are not in the paper: weights begin at 0, the rate is "
    "constant, and features are as in the files; 'min-max' is with features brought to [0, 1] within each query. On "
    "more than 64 training queries there are fewer epochs, with as many steps as 200 epochs of 64 queries have.",
    "The iteration and the setting kept are those with the best NDCG@n on validation queries; for ApproxAP, "
    "AdaRank.MAP and SVMMap, with the best MAP. 'Ours' is the same loss by L-BFGS, from zero weights and from those of "
    "RankNet, each time with a third of alpha first; alpha 10, 50 or 100.",
    "The baselines are trained here, not cited: SoftRank by Algorithm 1 too, with a quarter of the epochs, because one "
    "costs much, sigma 0.1 or 1 ('ours' is by L-BFGS, sigma 1); AdaRank with at most 100 rounds; SVMMap by cutting "
    "planes, l2 0.001, 0.01 or 0.1.",
    "NDCG: gain 2^r - 1, discount 1/log2(1 + rank). MAP: relevant from label 1 on. Numbers are means of five folds' "
    "test means; tests are paired randomisation tests over all test queries, corrected after Holm.",
)


def reproduce(
    data: Mapping[str, Folds] | None = None, seed: int = 0, *, quick: bool = False, verbose: bool = False
) -> Reproduction:
    """Tables 1 to 3 and Figures 1 to 5, on LETOR collections or on drawn ones; ``quick`` cuts the training short."""
    protocol = replace(QUICK if quick else Protocol(), seed=seed)
    drawn = drawn_collections(seed)
    collections = dict(drawn if data is None else data)
    if all(is_graded(folds) for folds in collections.values()):
        collections["drawn topics"] = drawn["drawn topics"]
    errors = {
        name: errors_in_training(folds[0].train, protocol.for_queries(folds[0].train.n_queries))
        for name, folds in collections.items()
    }
    runs = [each for name, folds in collections.items() for each in run(name, folds, protocol, verbose=verbose)]
    figures = {
        **{key: rho_by_epoch({name: own[key] for name, own in errors.items()}) for key in next(iter(errors.values()))},
        "figure4": ndcg_by_cutoff(runs, ("ApproxNDCG", "SoftRank", "AdaRank.NDCG")),
        "figure5": ndcg_by_cutoff(runs, ("ApproxNDCG", "ApproxAP")),
    }
    tables = {"Table 1: soft ranks": table_1(), **tables_of(runs, seed)}
    claims = (of_table_1(), *of_errors(errors), *claims_of(runs, seed))
    return Reproduction(claims, figures, tables, _NOTES)
