"""LETOR and SVMlight text: ``label qid:Q 1:v 2:v ... #docid = D``, dense or sparse."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from idealrank import _native
from idealrank._core.checks import is_whole
from idealrank._typing import Int64s
from idealrank.data.columns import group_of_each, offsets_of, read_only
from idealrank.data.construction import offsets_of_group
from idealrank.data.ids import Ids, taken
from idealrank.data.problem import Problem
from idealrank.data.ranking import RankingData, is_sparse
from idealrank.errors import DataError, ParseError
from idealrank.io.files import Progress, Source, atomic_output, display_name, read_blocks, without_compression
from idealrank.io.formats import BLANK, FIELD, NUMBER, Format, check_words
from idealrank.io.score_files import read_groups

_ROWS_AT_ONCE = 4096


def read_letor(
    path: Source,
    *,
    sparse: bool = False,
    group: str | os.PathLike[str] | npt.ArrayLike | None = None,
    n_features_max: int = 100_000,
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> RankingData:
    r"""Read a LETOR or SVMlight file.

    Features that a line omits are 0. ``NULL`` is read as NaN, and a value that overflows float32 is read as infinite;
    ``problems`` counts both.

    Parameters
    ----------
    path : path-like or binary file
        The file, which may be compressed with gzip, xz, bzip2 or Zstandard; "-" is standard input.
    sparse : bool
        Whether to store the features as a SciPy CSR array.
    group : path-like or array-like of int, optional
        The number of documents in each query, or a file with one number per line, for a file without ``qid:``. By
        default, the file with the same name plus ``.query``, as in LightGBM.
    n_features_max : int
        The largest allowed feature id.
    n_threads : int, optional
        Number of threads; None means all cores, or the number passed to `set_threads`.
    progress : callable, optional
        A function that is called with the number of bytes read so far and the size of the file, which is None if
        unknown.

    Returns
    -------
    RankingData
        The documents, grouped by query.

    Raises
    ------
    ParseError
        If the text cannot be parsed; the message starts with the path, the line and the column.

    Examples
    --------
    >>> import io
    >>> from idealrank import read_letor
    >>> read_letor(io.BytesIO(b"2 qid:10 1:0.5 3:1 #docid = GX-1\n0 qid:10 2:0.25 #docid = GX-2\n"))
    RankingData(1 query, 2 documents, 3 features, labels 0 2, doc_ids)
    """
    if not is_whole(n_features_max, 1, 2**31 - 1):
        raise DataError(f"n_features_max must be from 1 to 2147483647, got {n_features_max!r}")
    reader = _native.LetorReader(bool(sparse), n_features_max)
    read_blocks(path, reader, n_threads=n_threads, progress=progress)
    name, n_lines = display_name(path), reader.n_lines
    parsed = reader.finish()
    n_docs = parsed["labels"].size
    if n_docs == 0:
        raise ParseError("the file has no documents", name, n_lines + 1)

    problems = []
    for kind, count, what in (
        ("missing value", parsed["n_nan"], "NULL or NaN: read as NaN"),
        ("infinite value", parsed["n_infinite"], "infinite, or too large for float32: read as infinite"),
    ):
        if count:
            values = "1 feature value is" if count == 1 else f"{count:,} feature values are"
            problems.append(Problem(kind, count, f"{values} {what}"))
    doc_ids = Ids(*parsed["doc_ids"]) if parsed["n_docs_named"] else None
    unnamed = n_docs - parsed["n_docs_named"]
    if doc_ids is not None and unnamed:
        lines = "1 line has" if unnamed == 1 else f"{unnamed:,} lines have"
        problems.append(Problem("unnamed document", unnamed, f"{lines} no docid: read as empty"))
    features = _csr(parsed, n_docs) if sparse else parsed["features"]
    labels, rows = read_only(parsed["labels"]), None
    query_ids: Ids | Int64s
    if "query_ids" in parsed:
        if group is not None:
            raise DataError(f"the lines of {name} have qid:, so group= is not needed: leave it out")
        query_ids, offsets, rows = Ids(*parsed["query_ids"]), parsed["offsets"], parsed["order"]
    else:
        offsets = _group_offsets(path, group, n_docs)
        query_ids = np.arange(offsets.size - 1)
    if rows is not None:
        problems.append(Problem("scattered query", 1, "the lines of some queries are not adjacent: regrouped by qid"))
        del parsed  # frees the rows in input order before the rest is checked
        labels, features = read_only(labels[rows]), features[rows]
        doc_ids, rows = taken(doc_ids, rows), read_only(rows)
    return RankingData(
        labels,
        read_only(offsets),
        query_ids,
        features=features,
        doc_ids=doc_ids,
        input_rows=rows,
        regrouped=rows is not None,
        problems=tuple(problems),
    )


def widened(data: RankingData, n_features: int) -> RankingData:
    """Return the data with at least this many features; the last ones, which LETOR files may omit, are 0.

    Parameters
    ----------
    data : RankingData
        Data with features.
    n_features : int
        The required number of features.

    Returns
    -------
    RankingData
        The data itself if it is wide enough, else a copy with further features.

    Examples
    --------
    >>> import io
    >>> widened(read_letor(io.BytesIO(b"1 qid:1 1:5")), 3).features
    array([[5., 0., 0.]], dtype=float32)
    """
    if data.n_features >= n_features:
        return data
    wide = data.known_features()
    if is_sparse(wide):
        wide = wide.copy()
        wide.resize((data.n_docs, n_features))
    else:
        wide = np.pad(wide, ((0, 0), (0, n_features - data.n_features)))
    return replace(data, features=wide)


def _csr(parsed: dict[str, Any], n_docs: int) -> Any:
    from scipy.sparse import csr_array

    indptr = np.concatenate((np.zeros(1, np.int64), parsed["row_ends"]))
    return csr_array((parsed["values"], parsed["columns"], indptr), shape=(n_docs, parsed["n_features"]))


def _group_offsets(path: Source, group: str | os.PathLike[str] | npt.ArrayLike | None, n_docs: int) -> Int64s:
    name = display_name(path)
    if group is None:
        candidates = [f"{name}.query", f"{without_compression(name)}.query"]
        beside = isinstance(path, (str, os.PathLike)) and path != "-"
        group = next((candidate for candidate in candidates if beside and os.path.isfile(candidate)), None)
        if group is None:
            raise ParseError("the lines have no qid:; pass group=FILE, a file with one group size per line", name)
    if not isinstance(group, (str, os.PathLike)):
        return offsets_of_group(group, n_docs)
    sizes = read_groups(group)
    if sizes.sum() != n_docs:
        raise ParseError(
            f"the group sizes sum to {sizes.sum()}, but {name} has {n_docs} documents", os.fspath(group), sizes.size
        )
    return offsets_of(sizes)


def write_letor(data: RankingData, path: str | os.PathLike[str]) -> None:
    """Write labels, query ids, features and document ids in the format that `read_letor` reads.

    Numbers are written with the fewest digits that read back as the same number, and lines are in the order of the
    input rows. The format has no place for scores and weights.

    Parameters
    ----------
    data : RankingData
        The data to write.
    path : path-like
        The file to write, compressed if its name ends in .gz, .xz, .bz2 or .zst; "-" is standard output.

    Raises
    ------
    DataError
        If an id contains white space, or a document has no label.

    Examples
    --------
    >>> from pathlib import Path
    >>> from idealrank import from_arrays
    >>> from idealrank.io import write_letor
    >>> write_letor(from_arrays([2, 0], query_ids=[7, 7], features=[[0.5, 1], [0, 3]]), "train.txt")
    >>> print(Path("train.txt").read_text(), end="")
    2 qid:7 1:0.5 2:1
    0 qid:7 1:0 2:3
    """
    if not isinstance(data, RankingData):
        raise DataError(f"expected RankingData, which from_arrays and from_frame make, got {type(data).__name__}")
    query_ids = Ids.of(data.query_ids)
    check_words(query_ids, "a query id")
    if data.doc_ids is not None:
        check_words(data.doc_ids, "a document id", allow_empty=True)
    if np.isnan(data.labels).any():
        raise DataError("a LETOR file needs a label for every document, but some documents are unjudged")
    queries = group_of_each(data.offsets)
    in_input_order = data.to_input(np.arange(data.n_docs))
    with atomic_output(path) as file:
        for begin in range(0, data.n_docs, _ROWS_AT_ONCE):
            chosen = in_input_order[begin : begin + _ROWS_AT_ONCE]
            docs = None if data.doc_ids is None else data.doc_ids.take(chosen).parts
            part, sparse = None if data.features is None else data.features[chosen], None
            if is_sparse(part):
                ends, columns = part.indptr.astype(np.int64), part.indices.astype(np.int32)
                sparse = _native.SparseRows(row_ends=ends, columns=columns, values=part.data)
            file.write(
                _native.format_letor(
                    data.labels[chosen],
                    *query_ids.parts,
                    queries=queries[chosen],
                    docs=docs,
                    features=part if sparse is None else None,
                    sparse=sparse,
                    begin=0,
                    end=chosen.size,
                )
            )


_BEGINS = rb"(?:%b%bqid:|%b%b\d+:)" % (FIELD, BLANK, NUMBER, BLANK)
LETOR = Format("letor", RankingData, _BEGINS, read_letor, write_letor, options=("sparse", "group", "progress"))
