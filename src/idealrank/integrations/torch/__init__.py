"""Every registered loss for PyTorch: as a module with the name of its class, and as a function with its name in text.

``ApproxNDCG(alpha=10.0)(labels, scores, offsets)`` and ``approx_ndcg(labels, scores, offsets, alpha=10.0)`` are the
same. Tensors are flat and divided into queries by ``offsets``, or have one row per query, with a ``mask`` that is False
where a row has no document. `RankingLoss` describes the options and arguments that all of them have.

Gradients have the type of the scores; so do values, but at least float32. float64 scores on the CPU are not copied;
float32 scores are computed in float64; float16 and bfloat16 scores are converted to float32, also under
`torch.autocast`. Labels, offsets, masks and weights may have any numeric type and be on any device, but are best kept
on the CPU, where they are read. They must not require a gradient. For tensors with one row per query, the row in an
error message is an index into the flattened tensor.

`torch.compile` includes a module with the native backend in its graph (``fullgraph=True``). The graph breaks at modules
with the torch backend, and at the functions, which create their loss at each call. `torch.func.grad` is not supported
by either backend.

`CatalogLoss` takes embeddings of users and items instead of scores, for recommenders that rank whole catalogs.
"""

from typing import Any

from idealrank._core.extras import require

require("torch")  # which all modules of this package import

from idealrank.integrations.torch.catalog import CatalogLoss  # noqa: E402
from idealrank.integrations.torch.modules import RankingLoss, function, module  # noqa: E402
from idealrank.losses import Loss  # noqa: E402
from idealrank.losses.loss_names import LOSSES  # noqa: E402

__all__ = [
    "CatalogLoss",
    "RankingLoss",
    *(name for label, cls in LOSSES.members().items() for name in (cls.__name__, label)),
]

_MADE: dict[tuple[type[Loss], str], Any] = {}


def __getattr__(name: str) -> Any:
    for label, cls in LOSSES.members().items():
        if name in (cls.__name__, label):
            if (cls, name) not in _MADE:
                _MADE[cls, name] = function(cls) if name == label else module(cls)
            return _MADE[cls, name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
