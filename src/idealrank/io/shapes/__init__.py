"""Adapters of input shapes: what people hold, recognized and turned into judgments, runs, labels or scores.

A shape is one subclass of `idealrank.io.shapes.shape.Shape` in a module of its own, and one line of the table below.
"""

__all__ = ["SHAPES"]

#: Classes by their modules, in the order in which a value is compared with them.
SHAPES = {
    "judgment_shape": "JudgmentsShape",
    "ranking_data_shape": "RankingDataShape",
    "rank_eval_shape": "RankEvalShape",
    "nested_dict_shape": "NestedShape",
    "ranx_shape": "RanxShape",
    "path_shape": "PathShape",
    "named_tuple_shape": "NamedTuplesShape",
    "tensor_shape": "TensorShape",
    "sparse_matrix_shape": "SparseShape",
    "frame_shape": "FrameShape",
    "record_shape": "RecordsShape",
    "id_list_shape": "IdListsShape",
    "array_shape": "ArrayShape",
}
