"""Convert data to a frame with one row per document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from idealrank._present.data_frames import Backend, frame_of
from idealrank._typing import Int64s
from idealrank.data.columns import group_of_each
from idealrank.data.ids import Ids
from idealrank.data.judgments import Qrels, Run
from idealrank.data.ranking import RankingData, is_sparse
from idealrank.data.subtopics import SubtopicQrels
from idealrank.errors import DataError
from idealrank.io.frame_arrays import pyarrow_module

if TYPE_CHECKING:
    from idealrank._present.data_frames import Frame


def to_frame(data: RankingData | Qrels | Run, backend: Backend = "pandas") -> Frame:
    """Return the data as a pandas, Polars or PyArrow frame, with one row per document.

    Parameters
    ----------
    data : RankingData, Qrels or Run
        The data. RankingData gives the columns qid and label; score, weight and doc if it has them; and its features as
        float32, named f1, f2, ... if they have no names. Sparse features become dense, and rows are in the order of the
        data. Qrels give the columns qid, doc and label, and subtopic if they are by subtopic; a Run gives qid, doc and
        score.
    backend : {"pandas", "polars", "pyarrow"}
        The data frame library.

    Returns
    -------
    pandas.DataFrame, polars.DataFrame or pyarrow.Table
        A copy of the data.

    Raises
    ------
    DataError
        If an id is not valid UTF-8.
    MissingExtraError
        If the library is not installed.

    Examples
    --------
    >>> from idealrank import from_arrays
    >>> from idealrank.io import to_frame
    >>> to_frame(from_arrays([1, 0], query_ids=[7, 7]), backend="pyarrow").to_pydict()
    {'qid': [7, 7], 'label': [1.0, 0.0]}
    """
    if not isinstance(data, (RankingData, Qrels, Run)):
        raise DataError(f"expected RankingData, Qrels or a Run, got {type(data).__name__}")
    columns = _ranking_columns(data, backend) if isinstance(data, RankingData) else _by_query_columns(data, backend)
    return frame_of(columns, backend)


def _ranking_columns(data: RankingData, backend: str) -> dict[str, Any]:
    queries = group_of_each(data.offsets)
    ids = data.query_ids
    columns = {
        "qid": _strings(ids, queries, backend) if isinstance(ids, Ids) else ids[queries],
        "label": data.labels,
        "score": data.scores,
        "weight": data.weights,
        "doc": None if data.doc_ids is None else _strings(data.doc_ids, None, backend),
    }
    if data.features is not None:
        matrix = data.features.toarray() if is_sparse(data.features) else data.features
        names = data.feature_names or [f"f{number + 1}" for number in range(data.n_features)]
        columns |= dict(zip(names, np.ascontiguousarray(matrix.T), strict=True))
    return {name: column for name, column in columns.items() if column is not None}


def _by_query_columns(data: Qrels | Run, backend: str) -> dict[str, Any]:
    if isinstance(data, SubtopicQrels):
        *ids_of_rows, labels = data.columns()
        names = ("qid", "subtopic", "doc")
        return {
            **{name: _strings(each, None, backend) for name, each in zip(names, ids_of_rows, strict=True)},
            "label": labels,
        }
    queries = group_of_each(data.offsets)
    ids = {"qid": _strings(data.query_ids, queries, backend), "doc": _strings(data.doc_ids, None, backend)}
    return ids | ({"label": data.labels} if isinstance(data, Qrels) else {"score": data.scores})


def _strings(ids: Ids, rows: Int64s | None, backend: str) -> Any:
    """Return the ids at these rows, or all, in a type that the backend takes."""
    _check_utf8(ids)
    if backend == "pyarrow":
        pa = pyarrow_module()
        ids = ids if rows is None else ids.take(rows)
        return pa.LargeStringArray.from_buffers(len(ids), pa.py_buffer(ids.offsets), pa.py_buffer(ids.buffer))
    texts = ids.tolist()
    return texts if rows is None else np.array(texts, object)[rows].tolist()


def _check_utf8(ids: Ids) -> None:
    if ids.buffer.max(initial=0) < 128:
        return
    for row, text in enumerate(ids):
        try:
            text.encode()
        except UnicodeEncodeError:
            raise DataError(f"an id in a frame must be valid UTF-8, got {text!r}", row=row) from None
