"""Data frames, Parquet and CSV: one row a document, in and out through narwhals.

A frame is what narwhals takes: pandas, Polars (eager or lazy), PyArrow, DuckDB, Modin and so on. Columns are found by
name: ``query`` and ``label`` must be there; ``score``, ``doc`` and ``weight`` are used if they are there, and must be
there if they are named otherwise; None leaves one alone. ``features`` lists columns of numbers, or of lists of numbers
that are all equally long. Without it they are all other columns of numbers, in the order of the frame (true and false
are none), and a column of lists named "features".
"""

from __future__ import annotations

import difflib
import reprlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np
import numpy.typing as npt

from idealrank._base.extras import needs
from idealrank._base.frames import Backend, frame_of
from idealrank._typing import Float32s, Floats, Int64s
from idealrank.data.construction import from_arrays
from idealrank.data.ids import Ids
from idealrank.data.judgments import Qrels, Run
from idealrank.data.lists import QueryIds
from idealrank.data.problem import Problem
from idealrank.data.ranking import RankingData, is_sparse
from idealrank.errors import DataError

if TYPE_CHECKING:
    import narwhals as nw

    from idealrank._base.frames import Frame

__all__ = [
    "Columns",
    "Stored",
    "feature_columns",
    "from_frame",
    "qrels_from_frame",
    "ranking_and_scores",
    "run_from_frame",
    "to_frame",
]

# Rows whose features stay in the cache while the frame's columns are woven into them: 4 x faster than whole columns.
_ROWS_AT_ONCE = 4096
# From here on a float skips integers, so that two ids may have become one.
_EXACT_FLOATS = 2.0**53


class Columns(TypedDict, total=False):
    """Names of columns, for functions that hand them on to `from_frame`."""

    query: str
    label: str
    score: str | None
    doc: str | None
    weight: str | None
    features: Sequence[str] | None


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
    roles = _choose_roles(schema, query, label, score, doc, weight, features)
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
    return list(_choose_roles(_schema(df), query, label, "score", "doc", weight or "weight", features).features)


def ranking_and_scores(
    frame: Any, columns: str | Sequence[str] | None = None, query: str = "qid", label: str = "label"
) -> tuple[RankingData, dict[str, Floats] | None]:
    """A frame as data, and the scores in the named columns, one system a column.

    One name, or None for the data's own scores, is one system without a name: {"": scores}, or None.
    """
    names = [columns] if isinstance(columns, str) else list(columns or ())
    if not names:
        return from_frame(frame, query, label), None
    first = from_frame(frame, query, label, score=names[0], features=())
    systems = {name: first.to_grouped(_numbers(_collected(frame, [name]), name)) for name in names[1:]}
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
    docs, numbers = _doc_ids(frame, doc), _numbers(frame, number)
    data = from_arrays(numbers, query_ids=_query_ids(frame, query))
    docs = docs.take(data.rows) if data.regrouped else docs
    return _as_text(data.query_ids), data.offsets, docs, data.labels


def _schema(df: Any) -> Mapping[str, Any]:
    """The types of the frame's columns, as narwhals names them."""
    import narwhals as nw

    try:
        schema: Mapping[str, Any] = nw.from_native(df.empty if isinstance(df, Stored) else df).collect_schema()
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
        _check_column(name, schema)
    return _collected(df, list(dict.fromkeys(columns)))


def _check_column(name: str, schema: Mapping[str, Any]) -> None:
    if name in schema:
        return
    names = {str(column).lower(): str(column) for column in schema}
    near = difflib.get_close_matches(str(name).lower(), names, n=1, cutoff=0.5)
    hint = f", did you mean {names[near[0]]!r}?" if near else "."
    raise DataError(f"the frame has no column {name!r}{hint} It has {_listed(list(map(str, schema)))}")


def _listed(names: Sequence[str], most: int = 20) -> str:
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return (", ".join(map(repr, names[:most])) or "no columns") + more


@dataclass(frozen=True)
class _Roles:
    """Which column is what."""

    query: str
    label: str
    optional: Mapping[str, str]
    features: Sequence[str]
    problems: tuple[Problem, ...]

    @property
    def columns(self) -> list[str]:
        """All that are used, each once."""
        return list(dict.fromkeys((self.query, self.label, *self.optional.values(), *self.features)))


def _choose_roles(
    schema: Mapping[str, Any],
    query: str,
    label: str,
    score: str | None,
    doc: str | None,
    weight: str | None,
    features: Sequence[str] | None,
) -> _Roles:
    wanted = {"score": score, "doc": doc, "weight": weight}
    named = {role: name for role, name in wanted.items() if name not in (None, role)}
    for name in (query, label, *named.values()):
        _check_column(name, schema)
    taken = {query, label, *named.values()}
    # A default gives way to what was named: from_frame(df, label="score") must not also rank by the labels.
    optional = named | {role: role for role, name in wanted.items() if name == role in schema and role not in taken}

    if features is not None:
        columns = [features] if isinstance(features, str) else list(features)
        for name in columns:
            _check_column(name, schema)
        return _Roles(query, label, optional, columns, ())
    rest = [name for name in schema if name not in taken | set(optional.values())]
    fits = [schema[name].is_numeric() or (name == "features" and _may_hold_lists(schema[name])) for name in rest]
    unused = [str(name) for name, fit in zip(rest, fits, strict=True) if not fit]
    problems: tuple[Problem, ...] = ()
    if unused:
        message = f"{len(unused):,} columns do not hold numbers and are not used: {_listed(unused, 5)}"
        problems = (Problem("unused column", len(unused), message),)
    return _Roles(query, label, optional, list(compress(rest, fits)), problems)


def _may_hold_lists(dtype: Any) -> bool:
    import narwhals as nw

    return isinstance(dtype, (nw.List, nw.Array, nw.Object))  # pandas keeps lists as objects


def _build_ranking(frame: nw.DataFrame[Any], roles: _Roles) -> RankingData:
    optional = roles.optional
    matrix, problems = _features(frame, roles.features)
    return from_arrays(
        _numbers(frame, roles.label),
        query_ids=_query_ids(frame, roles.query),
        features=matrix,
        scores=_numbers(frame, optional["score"]) if "score" in optional else None,
        weights=_numbers(frame, optional["weight"]) if "weight" in optional else None,
        doc_ids=_doc_ids(frame, optional["doc"]) if "doc" in optional else None,
        # One column may hold lists, whose numbers have no names.
        feature_names=tuple(map(str, roles.features))
        if matrix is not None and matrix.shape[1] == len(roles.features)
        else None,
        problems=problems + roles.problems,
    )


def _full_column(frame: nw.DataFrame[Any], name: str) -> nw.Series[Any]:
    """The column; a value that is missing in it is a DataError."""
    column = frame.get_column(name)
    if column.null_count():
        row = int(np.argmax(column.is_null().to_numpy()))
        raise DataError("a value is missing; fill it or leave the row out", row=row, column=name)
    return column


def _numbers(frame: nw.DataFrame[Any], name: str) -> Floats:
    """The column as float64, in memory of its own: the frame may change later."""
    column = _full_column(frame, name)
    try:
        values = np.array(_values(column), np.float64)
    except (TypeError, ValueError):
        for row, value in enumerate(column.to_list()):
            if not _is_number(value):
                raise DataError(f"expected a number, got {reprlib.repr(value)}", row=row, column=name) from None
        raise DataError(f"expected numbers, got {column.dtype}; convert the column first", column=name) from None
    finite = np.isfinite(values)
    if not finite.all():
        row = int(np.argmin(finite))
        raise DataError(f"expected a finite number, got {values[row]}", row=row, column=name)
    return values


def _values(column: nw.Series[Any]) -> npt.NDArray[Any]:
    """The column's numbers; missing ones are NaN."""
    import narwhals as nw

    kind = column.dtype
    if kind.is_decimal() or kind in {nw.Boolean, nw.Int128, nw.UInt128}:
        column = column.cast(nw.Float64())  # NumPy has no such type, or none that can be missing
    elif not kind.is_numeric() and kind != nw.Object:
        raise TypeError(f"{kind} is not a type of numbers")
    values = column.to_numpy()
    return values.astype(np.float64) if values.dtype == object else values


def _is_number(value: object) -> bool:
    try:
        float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return False
    return True


def _query_ids(frame: nw.DataFrame[Any], name: str) -> QueryIds:
    ids = _ids(frame, name)
    if isinstance(ids, Ids):
        sizes = np.diff(ids.offsets)
        if not sizes.all():
            raise DataError("a query id is empty", row=int(np.argmin(sizes)), column=name)
    return ids


def _ids(frame: nw.DataFrame[Any], name: str) -> QueryIds:
    """The column as ids: integers as they are, all else as text."""
    import narwhals as nw

    column = _full_column(frame, name)
    if column.dtype.is_integer() and column.dtype not in {nw.Int128, nw.UInt128}:
        return column.to_numpy()
    if column.dtype.is_float():  # pandas makes floats of integers where one was missing once
        values = column.to_numpy()
        bad = np.flatnonzero(~((np.abs(values) < _EXACT_FLOATS) & (values == np.rint(values))))
        if bad.size:
            row = int(bad[0])
            raise DataError(f"an id must be text or a whole number, got {values[row]}", row=row, column=name)
        return values.astype(np.int64)
    return _text(column)


def _doc_ids(frame: nw.DataFrame[Any], name: str) -> Ids:
    if frame.get_column(name).dtype.is_integer():
        return _text(_full_column(frame, name))
    return _as_text(_ids(frame, name))


def _as_text(ids: QueryIds) -> Ids:
    return ids if isinstance(ids, Ids) else Ids.of(ids.tolist())


def _text(column: nw.Series[Any]) -> Ids:
    ids = _arrow_text(column)
    if ids is not None:
        return ids
    try:
        return Ids.of(column.to_list())
    except DataError as error:
        raise DataError(error.what, row=error.row, column=column.name) from None


def _arrow_text(column: nw.Series[Any]) -> Ids | None:
    """The column's text as Arrow keeps it, without a loop; None without Arrow, or if it cannot say what they are."""
    try:
        pa, array = pyarrow_module(), _one_array(column)
    except (ImportError, ValueError, TypeError):
        return None
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    kinds = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view, pa.types.is_integer)
    if not any(is_kind(array.type) for is_kind in kinds):
        return None
    array = array.cast(pa.large_string())
    _, offsets, text = array.buffers()
    ends = np.frombuffer(offsets, np.int64)[array.offset : array.offset + len(array) + 1]
    return Ids(np.frombuffer(text or b"", np.uint8)[ends[0] : ends[-1]], ends - ends[0])


def _one_array(column: nw.Series[Any]) -> Any:
    """The column as one Arrow array; pandas has chunks of them after a concatenation."""
    array: Any = column.to_arrow()
    return array.combine_chunks() if hasattr(array, "combine_chunks") else array


def pyarrow_module() -> Any:
    with needs("pyarrow", extra="parquet"):
        import pyarrow
    return pyarrow


def _features(frame: nw.DataFrame[Any], names: Sequence[str]) -> tuple[Float32s | None, tuple[Problem, ...]]:
    """The columns side by side as one float32 matrix, and what was missing in them."""
    if not names:
        return None, ()
    pieces = [_piece(frame, name) for name in names]
    ends = np.cumsum([piece.shape[1] for piece in pieces]).tolist()
    places = [slice(end - piece.shape[1], end) for end, piece in zip(ends, pieces, strict=True)]
    matrix = np.empty((len(frame), ends[-1]), np.float32)
    n_missing, first = 0, ""
    for begin in range(0, len(frame), _ROWS_AT_ONCE):
        rows = slice(begin, begin + _ROWS_AT_ONCE)
        with np.errstate(over="ignore"):  # it becomes infinite, which is looked for below
            for place, piece in zip(places, pieces, strict=True):
                matrix[rows, place] = piece[rows]
        if np.isfinite(matrix[rows]).all():
            continue
        for name, place, piece in zip(names, places, pieces, strict=True):
            lost = np.argwhere(np.isinf(matrix[rows, place]) & np.isfinite(piece[rows]))
            if lost.size:
                value = piece[rows][tuple(lost[0])]
                raise DataError(f"a feature must fit in float32, got {value}", row=begin + int(lost[0, 0]), column=name)
            missing = np.argwhere(np.isnan(matrix[rows, place]))
            if missing.size and not n_missing:
                first = f"column {name!r}, row {begin + missing[0, 0]}"
            n_missing += len(missing)
    if not n_missing:
        return matrix, ()
    message = f"{n_missing:,} feature values are missing, one in {first}: read as NaN"
    return matrix, (Problem("missing value", n_missing, message),)


def _piece(frame: nw.DataFrame[Any], name: str) -> npt.NDArray[Any]:
    """A column of features with two dimensions: one wide, or as wide as the lists that it holds."""
    import narwhals as nw

    column = frame.get_column(name)
    is_list = isinstance(column.dtype, (nw.List, nw.Array))
    if is_list or (column.dtype == nw.Object and isinstance(column[0], (list, tuple, np.ndarray))):
        return _stacked_lists(_full_column(frame, name), name)
    try:
        return _values(column)[:, np.newaxis]
    except (TypeError, ValueError):
        raise DataError(f"features must be numbers, got {column.dtype}", column=name) from None


def _stacked_lists(column: nw.Series[Any], name: str) -> npt.NDArray[Any]:
    sizes, flat = _flat_lists(column)
    odd = np.flatnonzero(sizes != sizes[0])
    if odd.size:
        row = int(odd[0])
        raise DataError(f"all lists must be as long as the first, {sizes[0]}, got {sizes[row]}", row=row, column=name)
    try:
        numbers = flat if flat.dtype.kind in "fiu" else flat.astype(np.float64)
    except (TypeError, ValueError):
        raise DataError("features must be lists of numbers", column=name) from None
    return numbers.reshape(sizes.size, int(sizes[0]))


def _flat_lists(column: nw.Series[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """The length of each list, and all their values one after the other."""
    try:
        pyarrow_module()
        import pyarrow.compute as pc

        array = _one_array(column)
        return np.asarray(pc.list_value_length(array)), array.flatten().to_numpy(zero_copy_only=False)
    except (ImportError, ValueError, TypeError, NotImplementedError):
        lists = column.to_list()
        return np.array([len(values) for values in lists]), np.array([v for values in lists for v in values], object)


def to_frame(data: RankingData | Qrels | Run, backend: Backend = "pandas") -> Frame:
    """A pandas, Polars or PyArrow frame, one row a document.

    RankingData gives the columns qid, label, score, weight, doc (those that there are) and its features f1, f2, ... as
    float32, or under the names that they have, in the order of the data; sparse features become dense. Qrels give qid,
    doc, label, and a Run qid, doc, score.

    >>> to_frame(from_arrays([1, 0], query_ids=[7, 7]), backend="pyarrow").to_pydict()
    {'qid': [7, 7], 'label': [1.0, 0.0]}
    """
    columns = _ranking_columns(data, backend) if isinstance(data, RankingData) else _by_query_columns(data, backend)
    return frame_of(columns, backend)


def _ranking_columns(data: RankingData, backend: str) -> dict[str, Any]:
    queries = np.repeat(np.arange(data.n_queries), data.group_sizes)
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
    queries = np.repeat(np.arange(data.n_queries), np.diff(data.offsets))
    ids = {"qid": _strings(data.query_ids, queries, backend), "doc": _strings(data.doc_ids, None, backend)}
    return ids | ({"label": data.labels} if isinstance(data, Qrels) else {"score": data.scores})


def _strings(ids: Ids, rows: Int64s | None, backend: str) -> Any:
    """The ids at these rows, or all, as the backend takes text."""
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
            raise DataError(f"a frame takes ids in UTF-8 alone, got {text!r}", row=row) from None
