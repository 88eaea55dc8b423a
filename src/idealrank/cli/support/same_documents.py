"""Systems as rankers of the same documents, which is what theory compares."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import click
import numpy as np

from idealrank._typing import Floats
from idealrank.data.construction import from_arrays
from idealrank.data.ranking import RankingData
from idealrank.io.files import atomic_output

__all__ = ["same_documents", "save_picture"]


def same_documents(judged: Any, systems: Iterable[tuple[str, Any]]) -> tuple[RankingData, dict[str, Floats], list[str]]:
    """Documents, each system's scores of them, and what their owner should know.

    Runs do not retrieve the same documents: there the judged ones are ranked, and what a run does not retrieve comes
    last, all alike. Those that nobody judged are left out.
    """
    if isinstance(judged, RankingData):
        return judged, dict(systems), []
    documents = {query: judged[query] for query in judged}
    data = from_arrays(  # the labels of a query lie together already
        [max(label, 0.0) for labels in documents.values() for label in labels.values()],
        query_ids=[query for query, labels in documents.items() for _ in labels],
    )
    scores, notes = {}, []
    for name, run in systems:
        retrieved = {query: run.get(query, {}) for query in documents}
        scores[name] = np.concatenate([_scored(retrieved[query], labels) for query, labels in documents.items()])
        missing = sum(len(labels.keys() - retrieved[query]) for query, labels in documents.items())
        if missing:
            notes.append(f"{name} does not retrieve {missing:,} of {data.n_docs:,} judged documents; they come last")
    return data, scores, notes


def _scored(retrieved: dict[str, float], labels: dict[str, float]) -> Floats:
    least = min(retrieved.values(), default=0.0) - 1
    return np.array([retrieved.get(doc, least) for doc in labels], np.float64)


def save_picture(figure: Any, path: str) -> None:
    """Write a matplotlib figure; the ending of the name says how."""
    ending = os.path.splitext(path)[1].lstrip(".").lower()
    if ending not in ("svg", "png", "pdf"):
        raise click.UsageError(f"{path!r}: a picture is written as .svg, .png or .pdf.")
    with atomic_output(path) as file:
        figure.savefig(file, format=ending)
