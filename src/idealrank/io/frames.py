"""Data from data frames with one row per document.

Every frame that narwhals supports is accepted: pandas, Polars (eager or lazy), PyArrow, DuckDB, Modin and others.
Columns are found by name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from idealrank._typing import Floats, Int64s
from idealrank.data.construction import from_arrays, grouped_columns
from idealrank.data.ids import Ids
from idealrank.data.judgments import Qrels, Run
from idealrank.data.ranking import RankingData
from idealrank.data.subtopics import SubtopicQrels
from idealrank.errors import DataError
from idealrank.io.frame_arrays import pyarrow_module, read_doc_ids, read_features, read_numbers, read_query_ids
from idealrank.io.frame_roles import check_column, check_score_column, choose_roles
from idealrank.io.record_columns import RecordColumns

if TYPE_CHECKING:
    import narwhals as nw
    from narwhals.dtypes import DType


@dataclass(frozen=True)
class Stored:
    """A frame that is not in memory yet.

    Parameters
    ----------
    empty : frame
        A frame without rows that has the same columns.
    read : callable
        Takes names of columns, and returns a frame with these columns.
    """

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
    """Create RankingData from a data frame; the rows of a query need not be adjacent.

    Parameters
    ----------
    df : pandas, Polars, PyArrow, DuckDB or another frame that narwhals supports
        One row per document.
    query, label : str
        The columns of query ids and labels, which are required. Query ids are integers if the column has an integer
        type, otherwise text.
    score, doc, weight : str or None
        The columns of scores, document ids and weights. The default column is used if it exists; a column with any
        other name must exist. None means no such column.
    features : sequence of str, optional
        The feature columns, which contain numbers or lists of numbers of equal length. By default, all other numeric
        columns, in the order of the frame, and a column of lists named "features"; ``feature_names`` of the result
        lists them.

    Returns
    -------
    RankingData
        The rows of the frame, grouped by query. Missing features are NaN, and are counted in ``problems``.

    Warns
    -----
    UserWarning
        If a column with a name such as "doc_id", "index" or "rank" was used as a feature by default. ``problems``
        reports it too.

    Raises
    ------
    DataError
        If a column is missing or has the wrong type, a value other than a feature is missing, or the name of the score
        column suggests ranks, which would reverse the ranking.

    Examples
    --------
    >>> import pyarrow
    >>> from idealrank import from_frame
    >>> table = pyarrow.table({"qid": ["b", "a", "b"], "label": [1, 0, 2], "length": [3.5, None, 0.5]})
    >>> from_frame(table)
    RankingData(2 queries, 3 documents, 1 feature, labels 0 1 2, problems: missing value)
    """
    roles = choose_roles(frame_schema(df), query, label, score, doc, weight, features)
    frame, optional = collected(df, roles.columns), roles.optional
    matrix, problems = read_features(frame, roles.features)
    has_names = matrix is not None and matrix.shape[1] == len(roles.features)  # numbers within lists have no names
    return from_arrays(
        read_numbers(frame, roles.label),
        query_ids=read_query_ids(frame, roles.query),
        features=matrix,
        scores=read_numbers(frame, optional["score"], allow_masked=True) if "score" in optional else None,
        weights=read_numbers(frame, optional["weight"]) if "weight" in optional else None,
        doc_ids=read_doc_ids(frame, optional["doc"]) if "doc" in optional else None,
        feature_names=map(str, roles.features) if has_names else None,
        problems=problems + roles.problems,
    )


def feature_columns(
    df: Any,
    query: str = "qid",
    label: str = "label",
    weight: str | None = None,
    features: Sequence[str] | None = None,
) -> list[str]:
    """Return the feature columns: those given, or else those that `from_frame` would use.

    Parameters
    ----------
    df : frame that narwhals supports
        One row per document.
    query, label : str
        The columns of query ids and labels.
    weight : str, optional
        The column of weights.
    features : sequence of str, optional
        The feature columns, which must exist.

    Returns
    -------
    list of str
        Names of columns.

    Examples
    --------
    >>> import pyarrow
    >>> feature_columns(pyarrow.table({"qid": [1], "label": [0], "score": [0.5], "bm25": [3.5], "url": ["a"]}))
    ['bm25']
    """
    return list(choose_roles(frame_schema(df), query, label, "score", "doc", weight or "weight", features).features)


def ranking_and_scores(
    frame: Any, columns: str | Sequence[str] | None = None, query: str = "qid", label: str = "label"
) -> tuple[RankingData, dict[str, Floats] | None]:
    """Create RankingData from a frame, and read the scores of one system per column.

    Parameters
    ----------
    frame : frame that narwhals supports
        One row per document.
    columns : str or sequence of str, optional
        The columns of scores.
    query, label : str
        The columns of query ids and labels.

    Returns
    -------
    data : RankingData
        The rows of the frame.
    systems : dict or None
        {column: scores}; {"": scores} for one name, and None without columns, when the data has its own scores.
    """
    names = [columns] if isinstance(columns, str) else list(columns or ())
    for name in names:
        check_score_column(name)
    if not names:
        return from_frame(frame, query, label, features=()), None
    first = from_frame(frame, query, label, score=names[0], features=())
    systems = {name: first.check_scores(score_column(frame, name), "input") for name in names[1:]}
    assert first.scores is not None
    if isinstance(columns, str):
        return first, {"": first.scores}
    return first, {names[0]: first.scores, **systems}


def score_column(frame: Any, column: str) -> Floats:
    """Read one column of scores, in the order of the rows; -inf is allowed."""
    check_column(column, frame_schema(frame))
    return read_numbers(collected(frame, [column]), column, allow_masked=True)


def values_by_query(frame: Any, query: str, column: str) -> dict[object, object]:
    """Return {query: its value in a column}; a query with two values is a DataError.

    Examples
    --------
    >>> import pyarrow
    >>> values_by_query(pyarrow.table({"qid": [7, 7, 8], "kind": ["a", "a", "b"]}), "qid", "kind")
    {7: 'a', 8: 'b'}
    """
    chosen = _chosen(frame, query, column)
    by_query: dict[object, object] = {}
    cells = chosen.get_column(column)
    nulls = np.asarray(cells.is_null()).tolist()
    values = [None if null else value for value, null in zip(cells.to_list(), nulls, strict=True)]
    for row, (each, value) in enumerate(zip(read_query_ids(chosen, query).tolist(), values, strict=True)):
        first = by_query.setdefault(each, value)
        if first is not value and first != value:
            raise DataError(f"a query must have one value in all rows, got {first!r} and {value!r}", each, row, column)
    return by_query


def qrels_from_frame(
    df: Any, query: str = "qid", doc: str = "doc", label: str | None = "label", subtopic: str | None = None
) -> Qrels:
    """Create judgments from a data frame; the rows of a query need not be adjacent.

    Parameters
    ----------
    df : pandas, Polars, PyArrow, DuckDB or another frame that narwhals supports
        One row per judgment.
    query, doc : str
        The columns of query ids and document ids.
    label : str or None
        The column of labels; None gives every row the label 1.
    subtopic : str, optional
        The column of the subtopics for which documents are judged; None means no subtopics.

    Returns
    -------
    Qrels
        The labels by query and document; `SubtopicQrels` if there are subtopics.

    Raises
    ------
    DataError
        If a column is missing or has the wrong type, or a value is missing.

    Examples
    --------
    >>> import pyarrow
    >>> from idealrank.io import qrels_from_frame
    >>> table = pyarrow.table({"qid": ["q1", "q1"], "doc": ["d1", "d2"], "label": [2, 0]})
    >>> qrels_from_frame(table)["q1"]
    {'d1': 2.0, 'd2': 0.0}
    """
    named = [name for name in (label, subtopic) if name is not None]
    frame = _chosen(df, query, doc, *named)
    labels = np.ones(len(frame)) if label is None else read_numbers(frame, label)
    queries, docs = read_query_ids(frame, query), read_doc_ids(frame, doc)
    if subtopic is None:
        return Qrels.from_flat(*grouped_columns(queries, docs, labels))
    return SubtopicQrels.from_rows(queries, read_doc_ids(frame, subtopic), docs, labels)


def run_from_frame(
    df: Any, query: str = "qid", doc: str = "doc", score: str = "score", name: str = "", *, rank: str | None = None
) -> Run:
    """Create a run from a data frame; rows may be in any order, because only scores determine the ranking.

    Parameters
    ----------
    df : pandas, Polars, PyArrow, DuckDB or another frame that narwhals supports
        One row per retrieved document.
    query, doc, score : str
        The columns of query ids, document ids and scores.
    name : str
        The name of the run.
    rank : str, optional
        A column of ranks to use instead of scores; the score of a document is then minus its rank.

    Returns
    -------
    Run
        The scores by query and document.

    Raises
    ------
    DataError
        If a column is missing or has the wrong type, a value is missing, or ``score`` names a column of ranks.

    Examples
    --------
    >>> import pyarrow
    >>> from idealrank.io import run_from_frame
    >>> columns = {"qid": ["q1", "q1"], "doc": ["d1", "d2"]}
    >>> run_from_frame(pyarrow.table(columns | {"score": [0.5, 0.75]}))["q1"]
    {'d1': 0.5, 'd2': 0.75}
    >>> run_from_frame(pyarrow.table(columns | {"rank": [2, 1]}), rank="rank")["q1"]
    {'d1': -2.0, 'd2': -1.0}
    """
    if rank is None:
        check_score_column(score)
        return Run.from_flat(*_by_query(df, query, doc, score, allow_masked=True), name=name)
    query_ids, offsets, doc_ids, ranks = _by_query(df, query, doc, rank)
    return Run.from_flat(query_ids, offsets, doc_ids, -ranks, name=name)


def _by_query(
    df: Any, query: str, doc: str, number: str, *, allow_masked: bool = False
) -> tuple[Ids, Int64s, Ids, Floats]:
    """Return query ids, offsets, document ids and numbers, grouped by query."""
    frame = _chosen(df, query, doc, number)
    docs, numbers = read_doc_ids(frame, doc), read_numbers(frame, number, allow_masked=allow_masked)
    return grouped_columns(read_query_ids(frame, query), docs, numbers)


def _chosen(df: Any, *names: str) -> nw.DataFrame[Any]:
    """Return these columns, which must exist, in memory."""
    schema = frame_schema(df)
    for name in names:
        check_column(name, schema)
    return collected(df, list(dict.fromkeys(names)))


def frame_schema(df: Any) -> Mapping[str, DType]:
    """Return the narwhals types of the columns."""
    import narwhals as nw

    if isinstance(df, RecordColumns):
        return df.collect_schema()
    try:
        schema: Mapping[str, DType] = nw.from_native(df.empty if isinstance(df, Stored) else df).collect_schema()
        return schema
    except nw.exceptions.DuplicateError as error:
        raise DataError(f"column names must be unique: {' '.join(str(error).split())}") from None
    except TypeError:
        raise DataError(
            f"expected a data frame (pandas, Polars, PyArrow, DuckDB, ...), got {type(df).__name__}; "
            "for arrays use from_arrays"
        ) from None


def collected(df: Any, columns: Sequence[str]) -> nw.DataFrame[Any]:
    """Return these columns in memory; no others are computed by a lazy frame or read from a stored one."""
    import narwhals as nw

    if isinstance(df, RecordColumns):
        return cast("nw.DataFrame[Any]", df)
    native = df.read(columns) if isinstance(df, Stored) else df
    frame: nw.DataFrame[Any] | nw.LazyFrame[Any] = nw.from_native(native)
    picked = frame.select(nw.col(*columns))  # a bare name must be text, but column names of pandas may be numbers
    if isinstance(picked, nw.LazyFrame):
        native = picked.to_native()
        if hasattr(native, "to_arrow_table"):  # DuckDB: convert directly, without narwhals
            pyarrow_module()
            picked = nw.from_native(native.to_arrow_table(), eager_only=True)
        else:
            picked = picked.collect()
    if not len(picked):
        raise DataError("the frame has no rows")
    return picked
