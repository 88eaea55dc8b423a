"""Conversion of files: what a format can read of another; a frame that stays a frame is passed on as it is."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING

import numpy as np

from idealrank._present.printable import counted
from idealrank.data.ids import Ids
from idealrank.data.judgments import Qrels, Run
from idealrank.data.ranking import RankingData
from idealrank.data.subtopics import SubtopicQrels
from idealrank.errors import DataError, ParseError
from idealrank.io.files import Progress
from idealrank.io.formats import Format, Frame, Nested
from idealrank.io.letor import widened

if TYPE_CHECKING:
    import pyarrow

    from idealrank.io.formats import Content


def read(
    path: str, source: Format, target: Format, *, sparse: bool, group: str | None, progress: Progress | None
) -> Content:
    """Read a file, as far as the target format can use it."""
    if source.holds is not Frame or target.holds in (Frame, Nested):
        content = {Run: "run", Qrels: "qrels", RankingData: "qrels"}.get(target.holds)
        return source.read(path, sparse=sparse, group=group, content=content, progress=progress)
    # A run has scores for labels, and may have no labels.
    with _quiet_warnings():
        return source.read_ranking(path, label="score" if target.holds is Run else "label")


@contextmanager
def _quiet_warnings() -> Iterator[None]:
    """Suppress warnings about columns, which are also in the problems, and printed from there."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        yield


def read_features(
    path: str,
    kind: Format,
    columns: Mapping[str, str],
    *,
    group: str | None,
    names: Sequence[str] | None = None,
    judged: bool = True,
    progress: Progress | None = None,
) -> RankingData:
    """Read documents with features.

    The features of a frame are the columns with these names, in this order, or all that can be features; unless the
    documents must be ``judged``, it may have no labels. ``columns`` names the other columns by role.
    """
    if kind.holds is Frame:
        data: Content = _read_columns(path, kind, names, columns, judged=judged)
    else:
        data = kind.read(path, group=group, progress=progress)
    assert isinstance(data, RankingData)
    return data


def read_alike(
    paths: Sequence[str],
    kinds: Sequence[Format],
    columns: Mapping[str, str],
    *,
    group: str | None,
    reading: Callable[[str], AbstractContextManager[Progress | None]],
) -> list[RankingData]:
    """Read files of documents, their features in the order of the first; ``reading`` reports the progress of each."""
    parts: list[RankingData] = []
    for path, kind in zip(paths, kinds, strict=True):
        names = parts[0].feature_names if parts else None
        with reading(path) as progress:
            parts.append(read_features(path, kind, columns, group=group, names=names, progress=progress))
    width = max(part.n_features for part in parts)
    return [as_wide(part, kind, width) for part, kind in zip(parts, kinds, strict=True)]


def as_wide(data: RankingData, kind: Format, n_features: int) -> RankingData:
    """Return documents with this many features: LETOR text leaves out features that are 0; a frame has all columns."""
    return data if kind.holds is Frame else widened(data, n_features)


def _read_columns(
    path: str, kind: Format, names: Sequence[str] | None, columns: Mapping[str, str], *, judged: bool
) -> RankingData:
    frame: pyarrow.Table = kind.read(path)
    if not judged and "label" not in frame.column_names:
        frame = frame.append_column("label", [np.zeros(frame.num_rows)])
    assert kind.ranking_of is not None
    try:
        with _quiet_warnings():
            return kind.ranking_of(frame, features=names, **columns)
    except DataError as error:
        raise ParseError(str(error), path) from None


def size_of(data: Content) -> str:
    """Return how much was read, in words."""
    if not isinstance(data, (RankingData, Qrels, Run)):
        return f"{data.num_rows:,} rows of {data.num_columns:,} columns"
    sizes = [counted(data.n_queries, "query"), counted(data.n_docs, "document")]
    if isinstance(data, RankingData) and data.n_features:
        sizes.append(counted(data.n_features, "feature"))
    return ", ".join(sizes)


def obstacle(source: Format, target: Format) -> str | None:
    """Return why one format cannot become the other, or None; only a frame may hold both labels and scores."""
    if source.holds is target.holds or {Frame, Nested} & {source.holds, target.holds}:
        return None
    return "there are no labels" if source.holds is Run else "there are no scores" if target.holds is Run else None


def fit(data: Content, path: str, target: Format) -> tuple[Content, list[str]]:
    """Return the data in the form that the target format takes, and notes on what changed."""
    made, known = _fit(data, path, target)
    if isinstance(data, RankingData) and not data.group_sizes.all():
        empty = np.flatnonzero(data.group_sizes == 0)
        what = counted(empty.size, "query")
        known.append(f"left out: {what} without documents, first {data.query_id(int(empty[0]))}")
    return made, known


def _fit(data: Content, path: str, target: Format) -> tuple[Content, list[str]]:
    if isinstance(data, SubtopicQrels) and target.name in ("qrels", "letor"):
        data, known = Qrels(data), _left_out(["subtopics (the highest label counts)"], target)
        made, more = _fit(data, path, target)
        return made, known + more
    if isinstance(data, RankingData) and target.holds is not Frame:
        lost = [name for name in ("scores", "weights") if getattr(data, name) is not None]
        if target.holds is RankingData:
            return data, _left_out(lost, target)
        if data.n_features:
            lost.append(f"{data.n_features:,} {'other columns' if target.holds is Run else 'features'}")
        known = _left_out(lost, target)
        if data.doc_ids is None:
            known.append("the documents have no ids: their row numbers, starting at 0, are used")
        name = "_".join(os.path.basename(path).split(".")[0].split()).strip("-")
        return by_query(data, name if target.holds is Run else None), known
    if isinstance(data, Qrels) and target.holds is RankingData:
        made = RankingData(data.labels, data.offsets, data.query_ids, doc_ids=data.doc_ids)
        return made, ["judgments have no features: each line has a label, a query and a document"]
    if isinstance(data, Run) and target.holds in (Frame, Nested) and data.name:
        return data, _left_out([f"the run's name {data.name!r}"], target)
    return data, []


def _left_out(names: list[str], target: Format) -> list[str]:
    return [f"left out: {', '.join(names)}, which {target.title} cannot hold"] if names else []


def by_query(data: RankingData, run_name: str | None = None) -> Qrels | Run:
    """Return judgments, or a run of this name with the labels as scores; row numbers replace missing document ids."""
    doc_ids = Ids.of(data.rows.tolist()) if data.doc_ids is None else data.doc_ids
    columns = (Ids.of(data.query_ids), data.offsets, doc_ids, data.labels)
    return Qrels.from_flat(*columns) if run_name is None else Run.from_flat(*columns, name=run_name)
