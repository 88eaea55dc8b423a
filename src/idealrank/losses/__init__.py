"""Losses of rankings: frozen values that give one number a query and its gradient, all called alike."""

from typing import TYPE_CHECKING

from idealrank._base.lazy import lazy

if TYPE_CHECKING:
    from idealrank.losses.base import Loss as Loss
    from idealrank.losses.bregman import Bregman as Bregman
    from idealrank.losses.direct import *  # noqa: F403
    from idealrank.losses.listwise import *  # noqa: F403
    from idealrank.losses.names import loss as loss
    from idealrank.losses.names import register as register
    from idealrank.losses.pairwise import *  # noqa: F403
    from idealrank.losses.push import Push as Push
    from idealrank.losses.soft import SoftNDCG as SoftNDCG

#: Where each public name is defined.
_TABLE = {
    "Approx": "direct",
    "ApproxAP": "direct",
    "ApproxKendall": "direct",
    "ApproxNDCG": "direct",
    "ApproxPrecision": "direct",
    "ApproxRR": "direct",
    "Bregman": "bregman",
    "Cosine": "listwise",
    "CrossEntropy": "listwise",
    "Hinge": "pairwise",
    "LambdaRank": "pairwise",
    "LeastSquares": "listwise",
    "ListMLE": "listwise",
    "Loss": "base",
    "loss": "names",
    "PairwiseLinear": "pairwise",
    "PairwiseLogistic": "pairwise",
    "Push": "push",
    "QNorm": "listwise",
    "register": "names",
    "SoftNDCG": "soft",
    "SquaredHinge": "pairwise",
}

__all__ = [*_TABLE]

if not TYPE_CHECKING:  # a type checker would take any name for one of the package
    __getattr__, __dir__ = lazy(__name__, _TABLE)
