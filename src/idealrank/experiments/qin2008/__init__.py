"""Qin, Liu and Li 2008, Section 6: smooth measures, how close they are, and rankers trained for them.

The paper trains on LETOR's TD2003, TD2004 (two labels) and OHSUMED (three). Its ApproxNDCG and ApproxAP are trained by
its own Algorithm 1 with its own grids, and also by L-BFGS with a continuation, as in `learners`. It gives neither the
first weights nor the scale of features: here weights start at 0, and features are used as they are in the files, and
again scaled to [0, 1] within each query. NDCG is the paper's, with the discount 1/log2(1 + rank).
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
    "weights, feature scaling and learning-rate schedule are not in the paper: weights start at 0, the rate is "
    "constant, and features are as in the files; 'min-max' is with features scaled to [0, 1] within each query. With "
    "more than 64 training queries there are fewer epochs, with as many steps as 200 epochs of 64 queries have.",
    "The iteration and the setting kept are those with the best NDCG@n on validation queries; for ApproxAP, "
    "AdaRank.MAP and SVMMap, with the best MAP. 'Ours' is the same loss by L-BFGS, from zero weights and from those of "
    "RankNet, each time with a third of alpha first; alpha 10, 50 or 100.",
    "The baselines are trained here, not cited: SoftRank also by Algorithm 1, with a quarter of the epochs, because "
    "each is expensive, sigma 0.1 or 1 ('ours' is by L-BFGS, sigma 1); AdaRank with at most 100 rounds; SVMMap by "
    "cutting planes, l2 0.001, 0.01 or 0.1.",
    "NDCG: gain 2^r - 1, discount 1/log2(1 + rank). MAP: relevant from label 1 on. Numbers are means of five folds' "
    "test means; tests are paired randomization tests over all test queries, with Holm's correction.",
)


def reproduce(
    data: Mapping[str, Folds] | None = None, seed: int = 0, *, quick: bool = False, verbose: bool = False
) -> Reproduction:
    """Reproduce Tables 1 to 3 and Figures 1 to 5.

    Parameters
    ----------
    data : mapping of str to Folds, optional
        LETOR collections by name; by default simulated ones.
    seed : int
        Seed of the random number generator.
    quick : bool
        Whether to cut the training short.
    verbose : bool
        Whether to report progress.

    Returns
    -------
    Reproduction
    """
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
