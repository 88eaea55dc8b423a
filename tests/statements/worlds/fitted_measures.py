"""`fit_measure`: is a measure that was fitted to outcomes better than a known one?"""

import numpy as np
from statements.world import Kind, World, at_most

import idealrank as ir
from idealrank.theory import fit_measure

__all__ = ["KINDS", "WORLDS"]

KINDS = {
    "fitted measure predicts better": Kind("The fitted measure predicts held-out outcomes better than ndcg@10, rr@10.")
}
_N, _DEPTH = 200, 5


def _outcomes_of_ndcg(rng: np.random.Generator) -> bool:
    """Outcomes that are NDCG and chance: the fitted measure is called better than NDCG."""
    labels = rng.integers(0, 3, (_N, _DEPTH)).astype(float)
    scores = -np.arange(float(labels.size))
    ndcg = ir.ndcg(labels.ravel(), scores, np.arange(_N + 1) * _DEPTH, cutoff=_DEPTH)
    outcomes = ndcg + rng.normal(0, rng.choice([0.1, 0.5]), _N)
    found = fit_measure(labels, outcomes, shape=str(rng.choice(["decreasing", "free"])))
    return any(f"ndcg@{_DEPTH}" in said for said in found.page().findings)


def _outcomes_of_chance(rng: np.random.Generator) -> bool:
    """Outcomes that do not depend on the labels: the fitted measure is called better than anything."""
    labels = rng.integers(0, 2, (_N, _DEPTH))
    return bool(fit_measure(labels, rng.random(_N) < 0.5).page().findings)


WORLDS = [
    World("fitted measure predicts better", "outcomes made by NDCG", _outcomes_of_ndcg, at_most(0.05), 30),
    World("fitted measure predicts better", "outcomes made by chance", _outcomes_of_chance, at_most(0.05), 30),
]
