"""Data frames as data: one row per document, read through narwhals.

A frame is what narwhals takes: pandas, Polars (eager or lazy), PyArrow, DuckDB, Modin and so on. Columns are found by
name.
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
    """Return the rows of a data frame as RankingData; the rows of a query need not be adjacent.

    Parameters
    ----------
    df : pandas, Polars, PyArrow, DuckDB or another frame that narwhals takes
        One row per document.
    query, label : str
        The columns of query ids and labels, which must be there. Query ids of an integer column stay integers, others
        are text.
    score, doc, weight : str or None
        The columns of scores, document ids and weights: used if they are there, and required if they are not named as
        by default; None leaves them out.
    features : sequence of str, optional
        Columns of numbers, or of lists of numbers that are all equally long. Unless given, all other columns of
        numbers in the order of the frame, and a column of lists named "features".

    Returns
    -------
    RankingData
        Grouped by query. A missing feature is NaN, and counted in ``problems``.

    Raises
    ------
    DataError
        If a column is missing or cannot be read, or a value other than a feature is missing.

    Examples
    --------
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
    """Return the columns that are features: those named, or all that `from_frame` would take as features.

    >>> import pyarrow
    >>> feature_columns(pyarrow.table({"qid": [1], "label": [0], "score": [0.5], "bm25": [3.5], "url": ["a"]}))
    ['bm25']
    """
    return list(choose_roles(_schema(df), query, label, "score", "doc", weight or "weight", features).features)


def ranking_and_scores(
    frame: Any, columns: str | Sequence[str] | None = None, query: str = "qid", label: str = "label"
) -> tuple[RankingData, dict[str, Floats] | None]:
    """Return a frame as data, and the scores in the named columns, one system per column.

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
    """Return the rows of a data frame as judgments; the rows of a query need not be adjacent.

    Parameters
    ----------
    df : frame that narwhals takes
        One row per judgment.
    query, doc, label : str
        The columns of query ids, document ids and labels.

    Examples
    --------
    >>> import pyarrow
    >>> qrels_from_frame(pyarrow.table({"qid": ["q1", "q1"], "doc": ["d1", "d2"], "label": [2, 0]}))["q1"]
    {'d1': 2.0, 'd2': 0.0}
    """
    frame = _picked(df, query, doc, label)
    qrels: Qrels = Qrels.from_flat(*_by_query(frame, query, doc, label))
    return qrels


def run_from_frame(df: Any, query: str = "qid", doc: str = "doc", score: str = "score", name: str = "") -> Run:
    """Return the rows of a data frame as a run; rows may be in any order, only scores determine the ranking.

    Parameters
    ----------
    df : frame that narwhals takes
        One row per retrieved document.
    query, doc, score : str
        The columns of query ids, document ids and scores.
    name : str, default=""
        The name of the run.

    Examples
    --------
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
