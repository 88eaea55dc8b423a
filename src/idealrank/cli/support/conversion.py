"""Reading, fitting and writing for ``idealrank convert``; a frame that stays one is passed on as it is."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from idealrank.cli.support.kinds import FRAMES, KINDS
from idealrank.cli.support.progress import reading
from idealrank.cli.support.terminal import notes
from idealrank.data.ids import Ids
from idealrank.data.judgments import Qrels, Run
from idealrank.data.ranking import RankingData
from idealrank.errors import DataError, ParseError
from idealrank.io import letor, tables, trec
from idealrank.io.files import Progress
from idealrank.io.frames import feature_columns, from_frame

__all__ = ["Documents", "by_query", "fit", "read", "read_features", "size_of", "write"]

#: What a file holds; the last is a PyArrow table.
Data: TypeAlias = RankingData | Qrels | Run | Any


def read(path: str, kind: Any, target_kind: str, *, sparse: bool, group: str | None, progress: Progress | None) -> Data:
    """Read a file of this kind, as far as the kind that it shall become can use it."""
    if kind == "letor":
        return letor.read_letor(path, sparse=sparse, group=group, progress=progress)
    if kind == "qrels":
        return trec.read_qrels(path, progress=progress)
    if kind == "run":
        return trec.read_run(path, progress=progress)
    if target_kind in FRAMES:
        return tables.read_frame(path, kind=kind)
    read_file = tables.read_parquet if kind == "parquet" else tables.read_csv
    # A run has scores for labels, and may have no labels.
    return read_file(path, label="score") if target_kind == "run" else read_file(path)


class Documents(NamedTuple):
    """Documents to train on or to score, and the names of their features where the file has them."""

    data: RankingData
    names: tuple[str, ...] | None


def read_features(
    path: str, kind: Any, *, group: str | None, quiet: bool, names: Sequence[str] | None = None, judged: bool = True
) -> Documents:
    """Read documents, and say what their owner should know.

    A frame's features are the columns with these names, wherever they stand, or all that can be; where documents need
    not be ``judged``, it may have no labels.
    """
    if kind in FRAMES:
        found = _read_columns(path, kind, names, judged=judged)
    else:
        with reading(path, quiet=quiet) as progress:
            found = Documents(letor.read_letor(path, group=group, progress=progress), None)
    notes(found.data.problems, quiet=quiet)
    return found


def _read_columns(path: str, kind: Any, names: Sequence[str] | None, *, judged: bool) -> Documents:
    frame = tables.read_frame(path, kind=kind)
    if not judged and "label" not in frame.column_names:
        frame = frame.append_column("label", [np.zeros(frame.num_rows)])
    try:
        columns, data = feature_columns(frame, features=names), from_frame(frame, features=names)
    except DataError as error:
        raise ParseError(str(error), path) from None
    # One column may hold lists, whose numbers have no names.
    return Documents(data, tuple(columns) if len(columns) == data.n_features else None)


def size_of(data: Data) -> str:
    """How much was read, in words."""
    if not isinstance(data, (RankingData, Qrels, Run)):
        return f"{data.num_rows:,} rows of {data.num_columns:,} columns"
    features = f", {data.n_features:,} features" if isinstance(data, RankingData) and data.n_features else ""
    return f"{data.n_queries:,} queries, {data.n_docs:,} documents{features}"


def fit(data: Data, path: str, target_kind: str) -> tuple[Data, list[str]]:
    """The data as a file of the target's kind takes it, and what its owner should know of the change."""
    if isinstance(data, RankingData) and target_kind not in FRAMES:
        known = _losses(data, target_kind)
        if target_kind == "letor":
            return data, known
        if data.doc_ids is None:
            known.append("documents have no ids: the numbers of their rows, from 0, stand in")
        name = "_".join(os.path.basename(path).split(".")[0].split()).strip("-")
        return by_query(data, target_kind, name), known
    if isinstance(data, Qrels) and target_kind == "letor":
        made = RankingData(data.labels, data.offsets, data.query_ids, doc_ids=data.doc_ids)
        return made, ["judgments have no features: a line is label, query and document"]
    if isinstance(data, Run) and target_kind in FRAMES and data.name:
        return data, [_left_out([f"the run's name {data.name!r}"], target_kind)]
    return data, []


def _losses(data: RankingData, target_kind: str) -> list[str]:
    names = [name for name in ("scores", "weights") if getattr(data, name) is not None]
    if target_kind != "letor" and data.n_features:
        names.append(f"{data.n_features:,} {'other columns' if target_kind == 'run' else 'features'}")
    return [_left_out(names, target_kind)] if names else []


def _left_out(names: list[str], target_kind: str) -> str:
    return f"left out: {', '.join(names)} (no place in {KINDS[target_kind]})"


def by_query(data: RankingData, target_kind: str, name: str) -> Qrels | Run:
    """Judgments or, the labels being scores, a run of this name; rows stand in for ids that documents lack."""
    doc_ids = Ids.of(data.rows.tolist()) if data.doc_ids is None else data.doc_ids
    query_ids = data.query_ids if isinstance(data.query_ids, Ids) else Ids.of(data.query_ids.tolist())
    columns = (query_ids, data.offsets, doc_ids, data.labels)
    made: Qrels | Run = Qrels.from_flat(*columns) if target_kind == "qrels" else Run.from_flat(*columns, name=name)
    return made


def write(data: Any, path: str, kind: Any) -> None:
    """Write a file of this kind, "-" being standard output."""
    if kind == "letor":
        letor.write_letor(data, path)
    elif kind == "qrels":
        trec.write_qrels(data, path)
    elif kind == "run":
        trec.write_run(data, path)
    else:
        tables.write_frame(data, path, kind=kind)
