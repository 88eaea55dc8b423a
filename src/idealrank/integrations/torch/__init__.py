"""Every loss of `idealrank.losses` for PyTorch: as a module of the same name, and as a function of its name in text.

``ApproxNDCG(alpha=10.0)(labels, scores, offsets)`` and ``approx_ndcg(labels, scores, offsets, alpha=10.0)`` are the
same. Tensors are flat, cut into queries by ``offsets``, or have a row a query, with a ``mask`` that is False where a
row has no document. ``weights``, one a document, and ``query_weights`` mean what they mean in `idealrank.losses`.

``reduction``: "mean" over the queries that have documents, weighted by query_weights, as `learners.LinearRanker` does;
"sum"; or "none", one value a query. A query without anything to rank, and the mean of none, is 0.

``backend``: "auto" computes where the scores are. "native", for the CPU, is near-linear in time and linear in memory;
scores on another device are copied there and their gradient back. It has first derivatives only. "torch", for any
device, computes with PyTorch's operations: it visits all pairs of a query, in a rectangle as wide as the longest one,
and can be differentiated twice.

Gradients have the type of the scores, values too, but at least float32. float64 scores on the CPU are read where they
lie; float32 ones are computed with in float64; float16 and bfloat16 ones are taken as float32, under `torch.autocast`
too. Labels, offsets, masks and weights may be of any numeric type and on any device: they are best kept on the CPU,
where they are read. They must not require a gradient. An error's row counts through the rows of a rectangle.

`torch.compile` takes a module with the native backend into its graph (fullgraph=True); the graph is broken at the torch
backend, and at the functions, which make their loss anew at each call. `torch.func.grad` takes neither backend.
"""

from typing import Any

from idealrank.integrations.torch.modules import RankingLoss, function, module
from idealrank.losses.names import classes

_MADE: dict[str, Any] = {
    **{cls.__name__: module(cls) for cls in classes().values()},
    **{name: function(cls) for name, cls in classes().items()},
}
__all__ = ["RankingLoss", *_MADE]


def __getattr__(name: str) -> Any:
    if name in _MADE:
        return _MADE[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
