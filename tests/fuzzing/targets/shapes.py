"""Every form of input against nested dicts: the same numbers, to the last bit, or an error of the package from both.

Numbers have hostile types and values, ids hostile texts, rows any order, and pandas objects any index. Each case is
read in all forms that can hold it, judgments and runs separately; a few forms, drawn with the case, are also evaluated.
"""

import collections
import dataclasses
import datetime
import itertools
import json
import math
import tempfile
import types
import warnings
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import scipy.sparse as sp

import idealrank as ir
from fuzzing.core import Target
from fuzzing.shrinking import fewer_items
from idealrank.errors import IdealrankError
from idealrank.evaluation.inputs import judged_and_systems, layout_of

_MEASURES = ["ndcg", "ap"]
#: Files that live for a few milliseconds need no disk, if the system has a folder in memory.
_MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None
_LARGE = (2**53 - 1, 2**53, 2**53 + 1, 2**53 + 2, -(2**53), -(2**53) - 1)
#: Values by kind of number, as text from which `_number` makes one; most of them are plain.
_VALUES: dict[str, list[Any]] = {
    "float": [0, 1, 2, 3, 0.5, -1, 1e15, 0.1, 0.1 + 2**-56, 1e308, -1e308, 5e-324, -0.0, 2.0**53, 2.0**53 + 2],
    "masked": [0, 1, 2, -math.inf, 0.5],
    "infinite": [0, 1, 2, math.inf, math.nan],
    "int": [0, 1, 2, 3, 4, *_LARGE, 2**62 + 1, 2**62],
    "huge int": [0, 1, 2**63, 2**63 + 1, 2**64 - 1, 2**64, 10**30, 10**400],
    "mixed": [0, 1, 0.5, 2, 1e15, *_LARGE, 2.0**53],
    "float32": [0, 1, 0.1, 3.5, 1e30, 1e-45],
    "float16": [0, 1, 0.1, 3.5, 60000],
    "int8": [0, 1, 2, 100, -100],
    "uint64": [0, 1, 2, 2**53, 2**53 + 1, 2**63, 2**63 + 1],
    "bool": [0, 1],
    "Decimal": ["0", "1", "2", "0.1", "0.5", "0.10000000000000000000001", "9007199254740993", "9007199254740992"],
    "Fraction": ["0", "1", "1/2", "1/3", "1000000000000000000001/3000000000000000000000"],
    "longdouble": ["0", "1", "2", "0.5", "1.00000000000000000011", "9007199254740993", "9007199254740992"],
    "None": [0, 1, 2, None],
    "text": ["1", "2", "x"],
    "complex": ["0", "1", "1j"],
    "date": [0, 1, 2],
}
_ARRAYS = {"float32": "f4", "float16": "f2", "int8": "i1", "uint64": "u8", "bool": "?", "date": "M8[D]"}
_KINDS = ["float"] * 6 + ["int"] * 4 + ["mixed"] * 3 + ["Decimal"] * 2 + [*_VALUES]
_TEXTS = ["a", "b", "c", "d1", "d2", "D1", "0", "00", "1", "-1", "1.0", "", " ", "a b", "a\tb", "a\nb", "é", "e\u0301"]
_TEXTS += ["\0", "a\0", "nan", "None", "null", "\U0001f600", "\ufeff", "x" * 300, "'", '"', ",", ";", "#", "\u2028"]
_TEXTS += ["\udcff", "\ud800", "\x85", "NA", "true", "1e5", "9007199254740993", "9007199254740992", "\r", "=1", "{}"]
_PLAIN = ["a", "b", "c", "d", "e", "f", "g"]
_INTS = [0, 1, 2, 3, 4, 5, 6]
_LARGE_INTS = [0, 1, -1, 2**31, 2**53, 2**53 + 1, 2**63 - 1, -(2**63), 2**63, 2**64, 10**25]


def draw(rng: Random) -> Iterator[dict[str, Any]]:
    for _ in range(4):
        ids: list[Any] = rng.choice([_PLAIN, _PLAIN, _INTS, _INTS, _TEXTS, _TEXTS, _LARGE_INTS])
        kinds = [rng.choice(["float", "int", "int", "bool", "int8", rng.choice(_KINDS)]), rng.choice(_KINDS)]
        odd = [kind if rng.random() < 0.8 else "float" for kind in kinds]  # one hostile kind at a time is enough
        is_plain = odd[0] in ("float", "int", "int8", "mixed") and rng.random() < 0.9
        labels = [0, 0, 1, 1, 2, 3] if is_plain else _VALUES[odd[0]]
        scores = rng.sample(_VALUES[odd[1]], min(len(_VALUES[odd[1]]), rng.randint(1, 6)))
        queries = []
        named = [each for each in ids if each != ""]  # most formats have no queries without a name
        for query in rng.sample(named, rng.randint(1, min(4, len(named)))):
            docs = rng.sample(ids, rng.choice([0, 1, 2, 3, 4, 5, 6]) if rng.random() < 0.5 else min(4, len(ids)))
            rows = [[doc, rng.choice(labels), rng.choice(scores)] for doc in docs]
            if rng.random() < 0.3:  # some are unjudged, others not retrieved
                rows = [[d, *rng.choice([(a, b), (a, b), (a, "-"), ("-", b)])] for d, a, b in rows]
            queries.append([query, rows])
        n = sum(len(rows) for _, rows in queries)
        yield {
            "labels": odd[0],
            "scores": odd[1],
            "queries": _encoded(queries),
            "order": rng.choice([list(range(n)), rng.sample(range(n), n)]),
            "index": rng.choice(["range", "range", "moved", "text", "repeated", "shuffled"]),
            "slow": [form for form in _JOINED if form.startswith("pandas") and rng.random() < 0.4],
            "joined": [rng.sample([*_JOINED], 2) for _ in range(1)],
            "labeled": [rng.choice([*_LABELED, *_GROUPED, "factors"])],
        }


def _encoded(queries: list[Any]) -> list[Any]:
    """Return values that JSON holds exactly."""
    return [
        [query, [[doc, *(v if v is None or isinstance(v, str) else repr(v) for v in values)] for doc, *values in rows]]
        for query, rows in queries
    ]


def _number(kind: str, text: str | None) -> Any:
    """Return the number as the dicts hold it."""
    if text is None:
        return None
    if kind in ("Decimal", "Fraction", "longdouble"):
        return {"Decimal": Decimal, "Fraction": Fraction, "longdouble": np.longdouble}[kind](text)
    if kind in ("text", "complex"):
        return text if kind == "text" else complex(text)
    if kind == "date":
        return datetime.date(2020, 1, 1 + int(text))
    if kind in _ARRAYS:
        number = np.array(float(text) if "." in text or "e" in text else int(text)).astype(_ARRAYS[kind])
        return number.item()
    return float(text) if kind in ("float", "masked", "infinite") or not text.lstrip("-").isdigit() else int(text)


class Row(NamedTuple):
    """A document of a query; None for a label or a score that it does not have."""

    query: Any
    doc: Any
    label: Any
    score: Any


_ABSENT = object()


class World:
    """The values of a case, and the forms that they are made into."""

    def __init__(self, case: dict[str, Any]) -> None:
        self.kinds = {"label": case["labels"], "score": case["scores"]}
        self.index: str = case["index"]
        rows = [
            Row(
                query,
                doc,
                _ABSENT if label == "-" else _number(case["labels"], label),
                _ABSENT if score == "-" else _number(case["scores"], score),
            )
            for query, docs in case["queries"]
            for doc, label, score in docs
        ]
        self.rows = rows
        self.queries = [query for query, _ in case["queries"]]
        self.order = [place for place in case["order"] if place < len(rows)]
        self.order += [place for place in range(len(rows)) if place not in set(self.order)]
        self.shuffled = [rows[place] for place in self.order]
        self.is_full = all(_ABSENT not in (row.label, row.score) for row in rows)
        self.has_text = any(isinstance(each, str) for row in rows for each in row[:2])

    def nested(self, what: str, make: Any = dict, *, by_place: bool = False) -> Any:
        """{query: {document: number}}; queries without documents are left out, as most forms cannot hold them."""
        found: dict[Any, dict[Any, Any]] = {}
        for place, row in enumerate(self.rows):
            if getattr(row, what) is not _ABSENT:
                found.setdefault(row.query, {})[place if by_place else row.doc] = getattr(row, what)
        return make({query: make(docs) for query, docs in found.items()})

    def of(self, what: str, *, shuffled: bool = True) -> tuple[list[Any], list[Any], list[Any]]:
        """Columns of the rows that have a number, in the order of the case."""
        rows = [row for row in (self.shuffled if shuffled else self.rows) if getattr(row, what) is not _ABSENT]
        return [row.query for row in rows], [row.doc for row in rows], [getattr(row, what) for row in rows]

    def array(self, what: str, values: list[Any]) -> Any:
        """An array that holds the numbers exactly."""
        kind = self.kinds[what]
        if kind in _ARRAYS:
            return np.array(values, _ARRAYS[kind])
        if kind in ("float", "masked", "infinite"):
            return np.array(values, float)
        if kind == "longdouble":
            return np.array(values, np.longdouble)
        if kind == "int" and all(-(2**63) <= value < 2**63 for value in values):
            return np.array(values, np.int64)
        made = np.empty(len(values), object)
        made[:] = values
        return made

    def arrow(self, what: str, values: list[Any]) -> Any:
        """An Arrow array that holds the numbers exactly, or an error of Arrow."""
        kind = self.kinds[what]
        if kind in ("mixed", "longdouble", "Fraction"):
            raise _ImpossibleError
        if kind == "Decimal":
            return pa.array(
                values, pa.decimal128(38, 23) if max(map(abs, values), default=0) < 10**14 else pa.decimal256(76, 23)
            )
        if kind in _ARRAYS and kind != "date":
            return pa.array(np.array(values, _ARRAYS[kind]))
        return pa.array(values, from_pandas=False)

    def pandas(self, what: str, values: list[Any], **options: Any) -> Any:
        """A Series that holds the numbers exactly."""
        column = self.array(what, values)
        return pd.Series(column, dtype=column.dtype if column.dtype != object else object, **options)


class _ImpossibleError(Exception):
    """The form cannot hold these values."""


def _mixed_ids(values: list[Any]) -> None:
    if len({type(value) for value in values}) > 1:
        raise _ImpossibleError


# Judgments and runs -------------------------------------------------------------------------------------------------


def _frame(world: World, what: str, make: Callable[..., Any]) -> Any:
    queries, docs, values = world.of(what)
    if not values:
        raise _ImpossibleError
    return make(queries, docs, values)


def _pandas(world: World, what: str, ids: Any = object) -> Any:
    if str(ids).startswith("int") and world.has_text:
        raise _ImpossibleError  # pandas makes 0 of "00"

    def make(queries: list[Any], docs: list[Any], values: list[Any]) -> Any:
        columns = {
            "qid": pd.Series(queries, dtype=ids),
            "doc": pd.Series(docs, dtype=ids),
            what: world.pandas(what, values),
        }
        frame = pd.DataFrame(columns)
        return frame if world.index == "range" else frame.set_axis(list(range(len(frame)))[::-1])

    return _frame(world, what, make)


def _polars(world: World, what: str) -> Any:
    def make(queries: list[Any], docs: list[Any], values: list[Any]) -> Any:
        return pl.DataFrame({"qid": queries, "doc": docs, what: _polars_column(world, what, values)})

    return _frame(world, what, make)


def _arrow(world: World, what: str, encode: Callable[[Any], Any] = lambda ids: ids) -> Any:
    def make(queries: list[Any], docs: list[Any], values: list[Any]) -> Any:
        ids = (encode(pa.array(each)) for each in (queries, docs))
        return pa.table([*ids, world.arrow(what, values)], ["qid", "doc", what])

    return _frame(world, what, make)


def _dictionary(ids: Any) -> Any:
    """Ids as a dictionary with an entry that no row uses, in two chunks."""
    encoded = ids.dictionary_encode()
    half = len(encoded) // 2
    return pa.chunked_array([encoded[:half], encoded[half:]])


_Judgment = collections.namedtuple("_Judgment", ["query_id", "doc_id", "relevance"])
_Scored = collections.namedtuple("_Scored", ["query_id", "doc_id", "score"])


def _records(world: World, what: str) -> Any:
    rows = [(_Judgment if what == "label" else _Scored)(*row) for row in zip(*world.of(what), strict=True)]
    if not rows:
        raise _ImpossibleError  # a list of nothing is of no kind
    return rows


def _pairs(world: World, what: str) -> Any:
    if world.kinds[what] == "text":
        raise _ImpossibleError  # pairs of ids
    found: dict[Any, list[Any]] = {}
    for query, doc, value in zip(*world.of(what), strict=True):
        found.setdefault(query, []).append((doc, value))
    return found


def _renamed(nested: dict[Any, dict[Any, Any]], rename: Callable[[Any], Any]) -> Any:
    return {rename(query): {rename(doc): value for doc, value in docs.items()} for query, docs in nested.items()}


def _numpy_id(one: Any) -> Any:
    if isinstance(one, int):
        return np.int64(one) if one < 2**63 else np.uint64(one)  # or an error of NumPy
    return np.str_(one)


def _numpy_numbers(world: World, what: str) -> Any:
    nested = world.nested(what)
    if world.array(what, [value for docs in nested.values() for value in docs.values()]).dtype == object:
        raise _ImpossibleError
    return {query: dict(zip(docs, world.array(what, [*docs.values()]), strict=True)) for query, docs in nested.items()}


def _sparse(world: World, what: str, form: str) -> Any:
    queries, docs, values = world.of(what)
    if not values or not all(isinstance(each, int) and 0 <= each < 100 for each in (*queries, *docs)):
        raise _ImpossibleError
    column = world.array(what, values)
    if column.dtype == object or column.dtype.kind == "M" or column.dtype == np.float16:
        raise _ImpossibleError
    if form == "lil" and column.dtype == np.longdouble:  # SciPy rounds them
        raise _ImpossibleError
    matrix = sp.coo_array((column, (queries, docs)), shape=(100, 100))
    return matrix if form == "coo" else matrix.asformat(form)


def _json(world: World, what: str, folder: Path) -> Path:
    _mixed_ids([each for row in world.rows for each in row[:2]])
    path = folder / f"{what}.json"
    nested = world.nested(what)
    if any(isinstance(value, str) for docs in nested.values() for value in docs.values()):
        raise _ImpossibleError  # text among lists of ids
    path.write_text(json.dumps(nested))
    return path


def _json_twice(world: World, what: str, folder: Path) -> Path:
    """Every query is repeated, with one document each time."""
    queries, docs, values = world.of(what, shuffled=False)
    if not values or world.kinds[what] == "text":
        raise _ImpossibleError
    entries = (
        f"{json.dumps(str(query))}: {json.dumps({str(doc): value})}"
        for query, doc, value in zip(queries, docs, values, strict=True)
    )
    path = folder / f"{what}.json"
    path.write_text("{" + ", ".join(entries) + "}")
    return path


def _json_lines(world: World, what: str, folder: Path) -> Path:
    queries, docs, values = world.of(what)
    if len(values) < 2 or world.kinds[what] == "text":
        raise _ImpossibleError
    if any(isinstance(each, int) and not -(2**63) <= each < 2**63 for each in (*queries, *docs, *values)):
        raise _ImpossibleError  # Arrow refuses such integers, and large ones beside floats
    if world.kinds[what] == "mixed" and max(map(abs, values)) >= 2**53:
        raise _ImpossibleError
    if any(isinstance(each, str) and not each.isascii() for each in (*queries, *docs)):
        pa.array([*map(str, queries), *map(str, docs)])
    path = folder / f"{what}.jsonl"
    rows = zip(queries, docs, values, strict=True)
    path.write_text("".join(json.dumps({"qid": q, "doc": d, what: v}) + "\n" for q, d, v in rows))
    return path


def _parquet(world: World, what: str, folder: Path) -> Path:
    import pyarrow.parquet as pq

    path = folder / f"{what}.parquet"
    pq.write_table(_arrow(world, what), path)
    return path


_JOINED: dict[str, Callable[[World, str, Path], Any]] = {
    "Qrels and Run": lambda world, what, folder: (ir.Qrels if what == "label" else ir.Run)(world.nested(what)),
    "mappings": lambda world, what, folder: world.nested(what, types.MappingProxyType),
    "ordered dicts": lambda world, what, folder: world.nested(what, collections.OrderedDict),
    "mappings, last query first": lambda world, what, folder: dict([*world.nested(what).items()][::-1]),
    "mappings, ids as text": lambda world, what, folder: _renamed(world.nested(what), str),
    "mappings, ids of NumPy": lambda world, what, folder: _renamed(world.nested(what), _numpy_id),
    "mappings, numbers of NumPy": lambda world, what, folder: _numpy_numbers(world, what),
    "pairs": lambda world, what, folder: _pairs(world, what),
    "pairs, last first": lambda world, what, folder: {q: docs[::-1] for q, docs in _pairs(world, what).items()},
    "pairs in tuples": lambda world, what, folder: {q: tuple(docs) for q, docs in _pairs(world, what).items()},
    "named tuples": lambda world, what, folder: _records(world, what),
    "named tuples, last first": lambda world, what, folder: _records(world, what)[::-1],
    "named tuples, an iterator": lambda world, what, folder: iter(_records(world, what)),
    "pandas, objects": lambda world, what, folder: _pandas(world, what),
    "pandas, text": lambda world, what, folder: _pandas(world, what, "str"),
    "pandas, categories": lambda world, what, folder: _pandas(world, what, "category"),
    "pandas, integers": lambda world, what, folder: _pandas(world, what, "int64"),
    "pandas, Arrow integers": lambda world, what, folder: _pandas(world, what, "int64[pyarrow]"),
    "Polars": lambda world, what, folder: _polars(world, what),
    "Polars, lazy": lambda world, what, folder: _polars(world, what).lazy(),
    "Arrow": lambda world, what, folder: _arrow(world, what),
    "Arrow, dictionaries": lambda world, what, folder: _arrow(world, what, _dictionary),
    "sparse, coo": lambda world, what, folder: _sparse(world, what, "coo"),
    "sparse, csr": lambda world, what, folder: _sparse(world, what, "csr"),
    "sparse, csc": lambda world, what, folder: _sparse(world, what, "csc"),
    "sparse, lil": lambda world, what, folder: _sparse(world, what, "lil"),
    "JSON": _json,
    "JSON, repeated queries": _json_twice,
    "JSON lines": _json_lines,
    "Parquet": _parquet,
}


class _Call(NamedTuple):
    """The arguments of `evaluate`; a function makes the data where the package itself may refuse it."""

    data: Any
    scores: Any = None
    options: Mapping[str, Any] = types.MappingProxyType({})


# Labels and scores --------------------------------------------------------------------------------------------------


def _labels_and_scores(world: World) -> tuple[list[Any], list[Any], list[Any]]:
    """Query ids, labels and scores of all rows, in the order of the case."""
    return (
        [row.query for row in world.shuffled],
        [row.label for row in world.shuffled],
        [row.score for row in world.shuffled],
    )


def _arrays(world: World) -> tuple[Any, Any, Any]:
    queries, labels, scores = _labels_and_scores(world)
    return queries, world.array("label", labels), world.array("score", scores)


def _indexed(world: World) -> tuple[Any, Any]:
    """A pandas frame, and a Series of scores in the order of its rows, whose index may be in another order."""
    queries, labels, scores = _arrays(world)
    n = len(queries)
    index: Any = {"moved": list(range(5, n + 5)), "text": [f"r{i}" for i in range(n)], "repeated": [0] * n}.get(
        world.index
    )
    own = pd.RangeIndex(n) if index is None else pd.Index(index)
    other = own[::-1] if world.index == "shuffled" else own if world.index != "moved" else pd.RangeIndex(n)
    frame = pd.DataFrame({"qid": pd.Series(queries, dtype=object, index=own), "label": pd.Series(labels, index=own)})
    return frame, pd.Series(scores, index=other)


def _grouped(world: World) -> tuple[list[Any], list[Any], list[int]]:
    rows = [row for query in world.queries for row in world.rows if row.query == query]
    sizes = [sum(row.query == query for row in rows) for query in world.queries]
    labels, scores = [row.label for row in rows], [row.score for row in rows]
    return labels, scores, sizes


def _padded(world: World, labels: list[Any], scores: list[Any], sizes: list[int]) -> tuple[Any, Any, Any]:
    mask = np.arange(max(sizes, default=0)) < np.array(sizes)[:, None]
    flat = world.array("label", labels), world.array("score", scores)
    matrices = [
        np.zeros(mask.shape, each.dtype) if each.dtype != object else np.full(mask.shape, 0, object) for each in flat
    ]
    for matrix, each in zip(matrices, flat, strict=True):
        matrix[mask] = each
    return matrices[0], matrices[1], mask


def _rows(values: list[Any], sizes: list[int], make: Callable[[Any], Any] = list) -> list[Any]:
    ends = np.cumsum([0, *sizes]).tolist()
    return [make(values[begin:end]) for begin, end in itertools.pairwise(ends)]


def _series(world: World, place: str) -> _Call:
    """A frame with a Series somewhere; an index in another order must be refused."""
    frame, scores = _indexed(world)
    match place:
        case "bare":
            return _Call(frame, scores)
        case "named":
            return _Call(frame, {"x": scores})
        case "labels":
            return _Call(frame["label"], scores, {"query_ids": frame["qid"]})
        case "queries":
            queries = frame["qid"].set_axis(scores.index)
            return _Call(frame["label"], scores.to_numpy(), {"query_ids": queries})
    return _Call(lambda: ir.from_arrays(frame["label"], query_ids=frame["qid"].to_numpy(), scores=scores))


def _factors(world: World) -> Any:
    """A complete matrix of users and items, with a relevant item each, and its scores."""
    labels, scores, sizes = _grouped(world)
    if len({*sizes}) != 1 or not sizes[0]:
        raise _ImpossibleError
    shape = len(sizes), sizes[0]
    own, given = world.array("label", labels).reshape(shape), world.array("score", scores).reshape(shape)
    if own.dtype.kind not in "fiub" or own.dtype.itemsize in (2, 16):
        raise _ImpossibleError
    if (own.astype(float) < 0).any() or not (own.astype(float) > 0).any(axis=1).all():
        raise _ImpossibleError
    return sp.csr_array(own), given, world.queries


def _catalog(call: tuple[Any, Any, list[Any]]) -> dict[str, Any]:
    """Evaluate a function that returns the scores of users."""
    own, given, queries = call
    found = ir.evaluate_factors(lambda users: given[users], None, own, measures=_MEASURES, like="idealrank")
    return _values(dataclasses.replace(found, query_ids=ir.results.Ids.of(queries)))


def _torch(world: World) -> _Call:
    import torch

    queries, labels, scores = _arrays(world)
    if np.uint64 in (labels.dtype, scores.dtype):
        raise _ImpossibleError
    if any(each.dtype == object or each.dtype.kind == "M" or each.dtype == np.longdouble for each in (labels, scores)):
        raise _ImpossibleError
    if not all(isinstance(query, int) for query in queries):
        raise _ImpossibleError
    return _Call(torch.from_numpy(labels), torch.from_numpy(scores), {"query_ids": queries})


def _flat(
    make: Callable[[World, str, list[Any]], Any], ids: Callable[[list[Any]], Any] = list
) -> Callable[[World], _Call]:
    def call(world: World) -> _Call:
        queries, labels, scores = _labels_and_scores(world)
        return _Call(make(world, "label", labels), make(world, "score", scores), {"query_ids": ids(queries)})

    return call


def _polars_column(world: World, what: str, values: list[Any]) -> Any:
    if world.kinds[what] in ("mixed", "longdouble", "Fraction"):
        raise _ImpossibleError
    column = pl.Series(values if world.kinds[what] not in _ARRAYS else world.array(what, values))
    if world.kinds[what] == "Decimal" and column.to_list() != values:  # Polars has no room for the digits
        raise _ImpossibleError
    return column


def _strided(world: World, what: str, values: list[Any]) -> Any:
    made = world.array(what, values)
    twice = np.repeat(made, 2)[::2]
    return (
        twice if made.dtype.kind not in "fiu" or made.dtype.itemsize > 8 else twice.astype(made.dtype.newbyteorder(">"))
    )


def _objects(values: list[Any]) -> Any:
    made = np.empty(len(values), object)
    made[:] = values
    return made


def _sealed(array: Any) -> Any:
    array.flags.writeable = False
    return array


def _list(world: World, what: str, values: list[Any]) -> Any:
    if what == "score" and (world.kinds[what] == "text" or not values):
        raise _ImpossibleError  # names of columns
    return values


_LABELED: dict[str, Callable[[World], _Call]] = {
    "lists": _flat(_list),
    "arrays": _flat(World.array, _objects),
    "tuples": _flat(lambda world, what, values: tuple(_list(world, what, values)), tuple),
    "arrays, read-only": _flat(lambda world, what, values: _sealed(world.array(what, values)), _objects),
    "arrays, columns of a matrix": _flat(
        lambda world, what, values: np.stack([world.array(what, values)] * 2, axis=1)[:, 1], _objects
    ),
    "arrays, nothing masked": _flat(
        lambda world, what, values: np.ma.array(world.array(what, values), mask=[False] * len(values)), _objects
    ),
    "arrays, strided": _flat(_strided, lambda ids: pd.Index(ids)),
    "pandas": _flat(World.pandas, lambda ids: pd.Series(ids, dtype=object)),
    "pandas, categories of queries": _flat(World.pandas, lambda ids: pd.Series(ids, dtype="category")),
    "Arrow arrays": _flat(World.arrow, pa.array),
    "Polars Series": _flat(_polars_column, pl.Series),
    "a Series, bare": partial(_series, place="bare"),
    "a Series, named": partial(_series, place="named"),
    "a Series beside labels": partial(_series, place="labels"),
    "a Series of queries": partial(_series, place="queries"),
    "a Series in from_arrays": partial(_series, place="from_arrays"),
    "PyTorch": _torch,
}


def _by_group(world: World, name: str) -> _Call:
    labels, scores, sizes = _grouped(world)
    if name == "lists of lists":
        if not any(sizes) or world.kinds["score"] == "text" or world.kinds["label"] == "text":
            raise _ImpossibleError
        return _Call(_rows(labels, sizes), _rows(scores, sizes))
    if name == "lists of arrays":
        return _Call(
            _rows(labels, sizes, partial(world.array, "label")), _rows(scores, sizes, partial(world.array, "score"))
        )
    if name == "padded":
        labels_2d, scores_2d, mask = _padded(world, labels, scores, sizes)
        return _Call(labels_2d, scores_2d, {"mask": mask})
    flat = world.array("label", labels), world.array("score", scores)
    if name == "offsets":
        return _Call(*flat, {"offsets": np.cumsum([0, *sizes])})
    return _Call(lambda: ir.from_arrays(flat[0], group=sizes, scores=flat[1]))


_GROUPED: dict[str, Callable[[World], _Call]] = {
    name: partial(_by_group, name=name) for name in ("lists of lists", "lists of arrays", "padded", "offsets", "group")
}


# Comparison ---------------------------------------------------------------------------------------------------------

#: What a form was read or evaluated as: numbers by query, or an error of the package.
_Outcome = dict[Any, Any] | str
#: The other side, where only the judgments or only the run are read.
_JUDGED, _SCORED = ir.Qrels({"q": {"d": 1}}), ir.Run({"q": {"d": 1}})


def _outcome(make: Callable[[], Any], act: Callable[[Any], dict[Any, Any]]) -> _Outcome | None:
    """Return numbers, or the error of the package; None if the library of the form refuses the values."""
    try:
        made = make()
    except IdealrankError as error:
        return f"{type(error).__name__}: {error}"
    except Exception:
        return None
    try:
        return act(made)
    except IdealrankError as error:
        return f"{type(error).__name__}: {error}"


def _judgments(data: Any) -> dict[str, Any]:
    """Return the labels of all documents as the package reads them."""
    qrels, _ = judged_and_systems(data, _SCORED)
    assert isinstance(qrels, ir.Qrels)
    return qrels.to_dict()


def _run(system: Any) -> dict[str, Any]:
    """Return the scores of all documents as the package reads them."""
    run = judged_and_systems(_JUDGED, system)[1][""]
    assert isinstance(run, ir.Run)
    return run.to_dict()


def _data(call: _Call) -> Any:
    return call.data() if callable(call.data) else call.data


def _read(call: _Call, places: list[int]) -> dict[Any, Any]:
    """Return query, label and score of each row as the package reads them, sorted by their places."""
    data, systems = judged_and_systems(_data(call), call.scores, layout_of(ir.evaluate, call.options))
    (scores,) = systems.values()
    assert isinstance(data, ir.RankingData)
    assert isinstance(scores, np.ndarray)
    ids = [data.query_id(query) for query, size in enumerate(data.group_sizes) for _ in range(size)]
    rows = [*zip(map(str, ids), data.labels.tolist(), scores.tolist(), strict=True)]
    given = [rows[at] for at in np.argsort(data.rows)]  # in the order of the input
    return dict(sorted(zip(places, given, strict=True)))


def _evaluated(call: _Call, like: str | None = "idealrank") -> dict[str, Any]:
    """Return the values of each query."""
    found = ir.evaluate(_data(call), call.scores, _MEASURES, like=like, **call.options)
    return _values(found["x"] if isinstance(found, ir.results.Evaluations) else found)


def _values(found: Any) -> dict[str, Any]:
    columns = zip(*(found.per_query[name].tolist() for name in _MEASURES), strict=True)
    return dict(zip(map(str, found.query_ids), columns, strict=True))


def check(case: dict[str, Any]) -> int:
    world, answers = World(case), 0
    with warnings.catch_warnings(), tempfile.TemporaryDirectory(dir=_MEMORY) as name:
        warnings.simplefilter("ignore")
        answers += _check_joined(world, Path(name), case)
        if world.is_full and world.rows:
            answers += _check_labeled(world, case["labeled"])
    return answers


def _check_joined(world: World, folder: Path, case: dict[str, Any]) -> int:
    answers, forms = 0, {form: make for form, make in _JOINED.items() if form in case["slow"] or "pandas" not in form}
    for what, read in (("label", _judgments), ("score", _run)):
        expected = _outcome(partial(world.nested, what), read)
        for form, make in forms.items():
            answers += _compare(f"{form}, {what}", expected, _outcome(partial(make, world, what, folder), read))
    evaluated = partial(_evaluated, like=None)
    expected = _outcome(lambda: _Call(world.nested("label"), world.nested("score")), evaluated)
    for judgments, run in case["joined"]:

        def make_both(judgments: str = judgments, run: str = run) -> _Call:
            return _Call(_JOINED[judgments](world, "label", folder), _JOINED[run](world, "score", folder))

        answers += _compare(f"{judgments} and {run}", expected, _outcome(make_both, evaluated))
    return answers


def _check_labeled(world: World, evaluated: list[str]) -> int:
    """Check forms without document ids, and those without query ids; the dicts have places and numbers instead."""
    moved, answers = world.index == "shuffled" and len(world.rows) > 1, 0
    for forms, places, names in (
        (_LABELED, world.order, {query: query for query in world.queries}),
        (_GROUPED, list(range(len(world.rows))), {query: number for number, query in enumerate(world.queries)}),
    ):
        dicts = partial(_dicts, world, names)
        rows = _outcome(dicts, partial(_rows_of_dicts, world, names))
        values = _outcome(dicts, _evaluated)
        for form, make in forms.items():
            is_refused = moved and form.startswith("a Series")
            found = _outcome(partial(make, world), partial(_read, places=places))
            answers += _compare(form, "a Series in another order" if is_refused else rows, found)
            if form in evaluated and not is_refused:
                found = _outcome(partial(make, world), _evaluated)
                if isinstance(found, dict) and isinstance(values, dict):  # lists without documents have values, too
                    found = {name: each for name, each in found.items() if name in values}
                answers += _compare(f"{form}, evaluated", values, found)
        if forms is _LABELED and "factors" in evaluated:
            answers += _compare("factors", values, _outcome(partial(_factors, world), _catalog))
    return answers


def _dicts(world: World, names: dict[Any, Any]) -> _Call:
    sides = [world.nested(what, by_place=True) for what in ("label", "score")]
    labels, scores = ({names[query]: docs for query, docs in side.items()} for side in sides)
    return _Call(labels, scores)


def _rows_of_dicts(world: World, names: dict[Any, Any], dicts: _Call) -> dict[Any, Any]:
    labels, scores = _judgments(dicts.data), _run(dicts.scores)
    found = {}
    for place, row in enumerate(world.rows):
        query = str(names[row.query])
        found[place] = (query, labels[query][str(place)], scores[query][str(place)])
    return found


def _compare(form: str, expected: Any, found: Any) -> int:
    if found is None:
        return 0
    same = isinstance(expected, str) if isinstance(found, str) else found == expected
    assert same, f"{form}: {found}, but dicts: {expected}"
    return 1


def smaller(case: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the case with fewer queries and documents, rows in order, and plainer kinds."""
    queries = case["queries"]
    for kept in fewer_items(queries):
        yield case | {"queries": kept}
    for q, (query, rows) in enumerate(queries):
        for kept in fewer_items(rows):
            yield case | {"queries": [*queries[:q], [query, kept], *queries[q + 1 :]]}
    if case["order"]:
        yield case | {"order": []}
    if case["index"] != "range":
        yield case | {"index": "range"}


TARGET = Target(draw, check, smaller)
