"""Inputs of `evaluate`: judgments and runs, labels and scores, frames, files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

import numpy.typing as npt

from idealrank._typing import Floats
from idealrank.data.construction import from_arrays
from idealrank.data.judgments import Qrels, Run
from idealrank.data.ranking import Order, RankingData
from idealrank.errors import DataError
from idealrank.measures.base import Measure
from idealrank.measures.names import named

__all__ = ["Data", "Measures", "OneRun", "Scores", "judged_and_systems", "named_measures"]


class _Frame(Protocol):
    """A data frame of any library."""

    @property
    def columns(self) -> Any: ...


class _Array(Protocol):
    """An array or a column of any library."""

    def __array__(self, dtype: Any = ..., /) -> npt.NDArray[Any]: ...


Measures: TypeAlias = str | Measure | Iterable[str | Measure]
Data: TypeAlias = Qrels | Mapping[str, Mapping[str, float]] | RankingData | _Frame | os.PathLike[str] | npt.ArrayLike
OneRun: TypeAlias = Run | Mapping[str, Mapping[str, float]]
Scores: TypeAlias = _Array | Sequence[float]


def named_measures(measures: Measures) -> dict[str, Measure]:
    """Return {measure as given: measure}."""
    return named(measures)


def judged_and_systems(
    data: Any,
    scores: Any = None,
    offsets: npt.ArrayLike | None = None,
    query_ids: Iterable[object] | None = None,
    order: Order | None = None,
    *,
    allow_empty: bool = False,
) -> tuple[Qrels | RankingData, dict[str, Run | Floats]]:
    """Return the judged documents, and {name: run, or scores in the order of the data}.

    One system without a name is called "". The arguments are those of `evaluate`; ``allow_empty`` takes data without
    documents, such as a batch.
    """
    if isinstance(data, (Qrels, Mapping)):
        if offsets is not None or query_ids is not None:
            raise DataError("offsets and query_ids go with arrays of labels; judgments name their queries themselves")
        if scores is None:
            raise DataError("judgments need a run: a Run, or {query: {document: score}}")
        runs = scores if _is_several_runs(scores) else {"": scores}
        qrels = data if isinstance(data, Qrels) else Qrels(data)
        return qrels, {name: each if isinstance(each, Run) else Run(each) for name, each in runs.items()}

    is_frame = hasattr(data, "columns") or isinstance(data, (str, os.PathLike))
    if (offsets is not None or query_ids is not None) and (is_frame or isinstance(data, RankingData)):
        raise DataError("offsets and query_ids go with arrays of labels; RankingData and frames have their own")
    if is_frame:
        from idealrank.io.frames import ranking_and_scores

        if isinstance(data, (str, os.PathLike)):
            from idealrank.io.tables import read_frame

            data = read_frame(data, text=())
        data, scores = ranking_and_scores(data, scores)
        order = "grouped"
    elif not isinstance(data, RankingData):
        data, order = from_arrays(data, offsets=offsets, query_ids=query_ids), "input"
    if data.n_docs == 0 and not allow_empty:
        raise DataError("there are no documents: there is nothing to evaluate")
    if scores is None:
        if data.scores is None:
            raise DataError("the data has no scores of its own; give one score per document")
        return data, {"": data.scores}
    systems = scores if isinstance(scores, Mapping) else {"": scores}
    return data, {name: data.check_scores(each, order) for name, each in systems.items()}


def _is_several_runs(scores: Any) -> bool:
    """Return whether this is {name: run} rather than {query: {document: score}}: one level deeper."""
    if isinstance(scores, Run) or not isinstance(scores, Mapping):
        return False
    return any(
        isinstance(each, Run)
        or (isinstance(each, Mapping) and any(isinstance(docs, Mapping) for docs in each.values()))
        for each in scores.values()
    )
