"""Ranking losses: frozen values that return one number per query and its gradient, all with the same interface."""

from itertools import chain
from typing import TYPE_CHECKING

from idealrank._core.lazy import lazy

#: The public names by the module that defines them.
_TABLE = {
    "base": ["Loss"],
    "bregman": ["Bregman"],
    "direct": ["Approx", "ApproxAP", "ApproxKendall", "ApproxNDCG", "ApproxPrecision", "ApproxRR"],
    "lambda_loss": ["LambdaLoss"],
    "listwise": ["Cosine", "CrossEntropy", "LeastSquares", "ListMLE", "QNorm"],
    "names": ["loss", "register"],
    "pairwise": ["Hinge", "LambdaRank", "PairwiseLinear", "PairwiseLogistic", "SquaredHinge"],
    "push": ["Push"],
    "soft": ["NeuralNDCG", "SoftNDCG"],
    "softmax": ["PSL", "Softmax", "SoftmaxAtK", "XENDCG"],
}

__all__ = [*chain(*_TABLE.values())]

if TYPE_CHECKING:
    from idealrank.losses.base import Loss as Loss
    from idealrank.losses.bregman import Bregman as Bregman
    from idealrank.losses.direct import *  # noqa: F403
    from idealrank.losses.lambda_loss import LambdaLoss as LambdaLoss
    from idealrank.losses.listwise import *  # noqa: F403
    from idealrank.losses.names import loss as loss
    from idealrank.losses.names import register as register
    from idealrank.losses.pairwise import *  # noqa: F403
    from idealrank.losses.push import Push as Push
    from idealrank.losses.soft import *  # noqa: F403
    from idealrank.losses.softmax import *  # noqa: F403
else:  # hidden from type checkers, which would accept any name
    __getattr__, __dir__ = lazy(__name__, _TABLE)
