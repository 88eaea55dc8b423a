"""Adapters of input shapes: what people hold, recognized and turned into judgments, runs, labels or scores.

A shape is one subclass of `idealrank.io.shapes.base.Shape` in a module of its own, and one line of the table below.
"""

__all__ = ["SHAPES"]

#: Classes by their modules, in the order in which a value is compared with them.
SHAPES = {
    "ranking_data": "RankingDataShape",
    "judgments": "JudgmentsShape",
    "nested": "NestedShape",
    "ranx": "RanxShape",
    "paths": "PathShape",
    "named_tuples": "NamedTuplesShape",
    "tensors": "TensorShape",
    "sparse": "SparseShape",
    "frames": "FrameShape",
    "id_lists": "IdListsShape",
    "arrays": "ArrayShape",
}
