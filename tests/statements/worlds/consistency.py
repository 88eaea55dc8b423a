"""`check_consistency`: does minimizing a loss maximize NDCG?"""

import numpy as np
from statements.world import Kind, World, at_most

from idealrank.theory import check_losses

__all__ = ["KINDS", "WORLDS"]

KINDS = {
    "consistency of a loss": Kind("least_squares(normalizer=dcg) is consistent with NDCG; cosine is not consistent.")
}
#: What Ravikumar et al. 2011 prove.
_CONSISTENT = {
    "least_squares(normalizer=dcg)": True,
    "cross_entropy(normalizer=dcg)": True,
    "qnorm": True,
    "least_squares": False,
    "cross_entropy": False,
    "cosine": False,
    "hinge": False,
}


def _answers(rng: np.random.Generator) -> bool:
    """Whether a loss is called consistent that is not, or the other way, in a random choice of losses and labels."""
    names = rng.choice([*_CONSISTENT], 2, replace=False).tolist()
    levels = tuple(float(each) for each in range(int(rng.integers(2, 5))))
    found = check_losses(names, levels=levels, refine=False)
    return any(
        each.answer == ("no" if _CONSISTENT[name] else "yes") for name, each in zip(names, found.losses, strict=True)
    )


WORLDS = [World("consistency of a loss", "losses with known answers", _answers, at_most(0), 5)]
