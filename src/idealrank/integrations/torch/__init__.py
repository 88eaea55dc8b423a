"""Every registered loss for PyTorch: as a module with the name of its class, and as a function with its name in text.

``ApproxNDCG(alpha=10.0)(labels, scores, offsets)`` and ``approx_ndcg(labels, scores, offsets, alpha=10.0)`` are the
same. Tensors are flat, cut into queries by ``offsets``, or have a row a query, with a ``mask`` that is False where a
row has no document. ``weights``, one a document, and ``query_weights`` mean what they mean in `idealrank.losses`.

``reduction``: "mean" over the queries that have documents, weighted by query_weights, as `learners.LinearRanker` does;
"sum"; or "none", one value a query. A query without anything to rank, and the mean of none, is 0.

``backend``: "auto" computes where the scores are. "native", for the CPU, is near-linear in time and linear in memory;
scores on another device are copied there and their gradient back. It has first derivatives only. "torch", for any
device, computes with PyTorch's operations: it visits all pairs of a query, in a rectangle as wide as the longest one,
and can be differentiated twice. A loss of your own that has no formula there is computed by "native", whatever the
device of the scores, unless "torch" was named.

Gradients have the type of the scores, values too, but at least float32. float64 scores on the CPU are read where they
lie; float32 ones are computed with in float64; float16 and bfloat16 ones are taken as float32, under `torch.autocast`
too. Labels, offsets, masks and weights may be of any numeric type and on any device: they are best kept on the CPU,
where they are read. They must not require a gradient. An error's row counts through the rows of a rectangle.

`torch.compile` takes a module with the native backend into its graph (fullgraph=True); the graph is broken at the torch
backend, and at the functions, which make their loss anew at each call. `torch.func.grad` takes neither backend.
"""

from typing import Any

from idealrank.integrations.torch.modules import RankingLoss, function, module
from idealrank.losses import Loss
from idealrank.losses.names import LOSSES

__all__ = ["RankingLoss", *(name for label, cls in LOSSES.members().items() for name in (cls.__name__, label))]

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
