"""Data frames as data: one row per document, read through narwhals.

A frame is what narwhals takes: pandas, Polars (eager or lazy), PyArrow, DuckDB, Modin and so on. Columns are found by
name: ``query`` and ``label`` must be there; ``score``, ``doc`` and ``weight`` are used if they are there, and must be
there if they are named otherwise; None leaves one alone. ``features`` lists columns of numbers, or of lists of numbers
that are all equally long. Without it they are all other columns of numbers, in the order of the frame (true and false
are none), and a column of lists named "features".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from idealrank._typing import Floats, Int64s
from idealrank.data.construction import from_arrays
from idealrank.data.ids import Ids
from idealrank.data.judgments import Qrels, Run
from idealrank.data.ranking import RankingData
from idealrank.errors import DataError
from idealrank.io.frame_arrays import (
    as_text,
    pyarrow_module,
    read_doc_ids,
    read_features,
    read_numbers,
    read_query_ids,
)
from idealrank.io.frame_roles import Roles, check_column, choose_roles

if TYPE_CHECKING:
    import narwhals as nw
    from narwhals.dtypes import DType


__all__ = [
    "Stored",
    "feature_columns",
    "from_frame",
    "qrels_from_frame",
    "ranking_and_scores",
    "run_from_frame",
]


@dataclass(frozen=True)
class Stored:
    """A frame that is not in memory yet: an empty one with the same columns, and how to read some of them."""

    empty: Any
    read: Callable[[Sequence[str]], Any]


def from_frame(
    df: Any,
    query: str = "qid",
    label: str = "label",
    score: str | None = "score",
    doc: str | None = "doc",
    weight: str | None = "weight",
    features: Sequence[str] | None = None,
) -> RankingData:
    """RankingData from a data frame; the rows of a query may be scattered, and keep their order.

    Query ids of an integer column stay integers, others are text. A missing value is a DataError, but for features:
    there it is NaN, and counted in ``problems``.

    >>> import pyarrow
    >>> table = pyarrow.table({"qid": ["b", "a", "b"], "label": [1, 0, 2], "length": [3.5, None, 0.5]})
    >>> from_frame(table)
    RankingData(2 queries, 3 documents, 1 features, labels 0 1 2, problems: missing value)
    """
    schema = _schema(df)
    roles = choose_roles(schema, query, label, score, doc, weight, features)
    return _build_ranking(_collected(df, roles.columns), roles)


def feature_columns(
    df: Any,
    query: str = "qid",
    label: str = "label",
    weight: str | None = None,
    features: Sequence[str] | None = None,
) -> list[str]:
    """The columns that are features: those named, or all that `from_frame` would take, scores and weights left out.

    >>> import pyarrow
    >>> feature_columns(pyarrow.table({"qid": [1], "label": [0], "score": [0.5], "bm25": [3.5], "url": ["a"]}))
    ['bm25']
    """
    return list(choose_roles(_schema(df), query, label, "score", "doc", weight or "weight", features).features)


def ranking_and_scores(
    frame: Any, columns: str | Sequence[str] | None = None, query: str = "qid", label: str = "label"
) -> tuple[RankingData, dict[str, Floats] | None]:
    """A frame as data, and the scores in the named columns, one system per column.

    One name, or None for the data's own scores, is one system without a name: {"": scores}, or None.
    """
    names = [columns] if isinstance(columns, str) else list(columns or ())
    if not names:
        return from_frame(frame, query, label), None
    first = from_frame(frame, query, label, score=names[0], features=())
    systems = {name: first.to_grouped(read_numbers(_collected(frame, [name]), name)) for name in names[1:]}
    assert first.scores is not None
    if isinstance(columns, str):
        return first, {"": first.scores}
    return first, {names[0]: first.scores, **systems}


def qrels_from_frame(df: Any, query: str = "qid", doc: str = "doc", label: str = "label") -> Qrels:
    """Judgments from a data frame; the rows of a query may be scattered.

    >>> import pyarrow
    >>> qrels_from_frame(pyarrow.table({"qid": ["q1", "q1"], "doc": ["d1", "d2"], "label": [2, 0]}))["q1"]
    {'d1': 2.0, 'd2': 0.0}
    """
    frame = _picked(df, query, doc, label)
    qrels: Qrels = Qrels.from_flat(*_by_query(frame, query, doc, label))
    return qrels


def run_from_frame(df: Any, query: str = "qid", doc: str = "doc", score: str = "score", name: str = "") -> Run:
    """A run from a data frame; the rows of a query may be scattered, the scores alone make the order.

    >>> import pyarrow
    >>> run_from_frame(pyarrow.table({"qid": ["q1", "q1"], "doc": ["d1", "d2"], "score": [0.5, 0.75]}))["q1"]
    {'d1': 0.5, 'd2': 0.75}
    """
    frame = _picked(df, query, doc, score)
    run: Run = Run.from_flat(*_by_query(frame, query, doc, score), name=name)
    return run


def _by_query(frame: nw.DataFrame[Any], query: str, doc: str, number: str) -> tuple[Ids, Int64s, Ids, Floats]:
    """Query ids, offsets, document ids and numbers, the rows of a query together."""
    docs, numbers = read_doc_ids(frame, doc), read_numbers(frame, number)
    data = from_arrays(numbers, query_ids=read_query_ids(frame, query))
    docs = docs.take(data.rows) if data.regrouped else docs
    return as_text(data.query_ids), data.offsets, docs, data.labels


def _schema(df: Any) -> Mapping[str, DType]:
    """The types of the frame's columns, as narwhals names them."""
    import narwhals as nw

    try:
        schema: Mapping[str, DType] = nw.from_native(df.empty if isinstance(df, Stored) else df).collect_schema()
        return schema
    except nw.exceptions.DuplicateError as error:
        raise DataError(f"column names must differ: {' '.join(str(error).split())}") from None
    except TypeError:
        raise DataError(
            f"expected a data frame (pandas, Polars, PyArrow, DuckDB, ...), got {type(df).__name__}; "
            "from_arrays takes arrays"
        ) from None


def _collected(df: Any, columns: Sequence[str]) -> nw.DataFrame[Any]:
    """These columns in memory; a lazy frame computes no others, and of a stored one no others are read."""
    import narwhals as nw

    native = df.read(columns) if isinstance(df, Stored) else df
    frame: nw.DataFrame[Any] | nw.LazyFrame[Any] = nw.from_native(native)
    picked = frame.select(nw.col(*columns))  # a bare name must be text, and pandas has columns named by numbers too
    if isinstance(picked, nw.LazyFrame):
        native = picked.to_native()
        if hasattr(native, "to_arrow_table"):  # DuckDB's own way, whatever narwhals would choose
            pyarrow_module()
            picked = nw.from_native(native.to_arrow_table(), eager_only=True)
        else:
            picked = picked.collect()
    if not len(picked):
        raise DataError("the frame has no rows")
    return picked


def _picked(df: Any, *columns: str) -> nw.DataFrame[Any]:
    schema = _schema(df)
    for name in columns:
        check_column(name, schema)
    return _collected(df, list(dict.fromkeys(columns)))


def _build_ranking(frame: nw.DataFrame[Any], roles: Roles) -> RankingData:
    optional = roles.optional
    matrix, problems = read_features(frame, roles.features)
    return from_arrays(
        read_numbers(frame, roles.label),
        query_ids=read_query_ids(frame, roles.query),
        features=matrix,
        scores=read_numbers(frame, optional["score"]) if "score" in optional else None,
        weights=read_numbers(frame, optional["weight"]) if "weight" in optional else None,
        doc_ids=read_doc_ids(frame, optional["doc"]) if "doc" in optional else None,
        # One column may hold lists, whose numbers have no names.
        feature_names=tuple(map(str, roles.features))
        if matrix is not None and matrix.shape[1] == len(roles.features)
        else None,
        problems=problems + roles.problems,
    )
