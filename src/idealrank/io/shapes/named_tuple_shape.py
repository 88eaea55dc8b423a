"""Iterables of named tuples, as ir_measures and ir_datasets make them: ``Qrel`` and ``ScoredDoc``."""

from __future__ import annotations

from typing import Any

import numpy as np

from idealrank.data.construction import grouped_columns
from idealrank.data.judgments import Qrels, Run
from idealrank.data.subtopics import SubtopicQrels
from idealrank.errors import DataError
from idealrank.io.shapes.shape import Content, Shape

#: Fields of a subtopic: that of ir_datasets, and that of ir_measures, which may also mean nothing.
_SUBTOPICS = ("subtopic_id", "iteration")


class NamedTuplesShape(Shape):
    """Records with the fields query_id, doc_id, and relevance or score."""

    title = "named tuples with query_id, doc_id, and relevance or score"

    @classmethod
    def fits(cls, value: object) -> bool:
        """Return whether the first entry of a list has the fields of a judgment or of a scored document."""
        if not isinstance(value, (list, tuple)) or not value or hasattr(value, "_fields"):
            return False
        return all(hasattr(value[0], name) for name in ("query_id", "doc_id")) and cls._number(value) != ""

    @staticmethod
    def _number(value: Any) -> str:
        return next((name for name in ("relevance", "score") if hasattr(value[0], name)), "")

    @property
    def gives(self) -> tuple[Content, ...]:
        """Judgments or a run, by the fields."""
        return ("qrels",) if self._number(self.value) == "relevance" else ("run",)

    def describe(self) -> str:
        """Return the type of the records."""
        return f"{type(self.value[0]).__name__} records with the field {self._number(self.value)}"

    def _columns(self, number: str) -> Any:
        if self._number(self.value) != number:
            raise self._refused("qrels" if number == "relevance" else "run")
        try:
            rows = [(each.query_id, each.doc_id, getattr(each, number)) for each in self.value]
        except AttributeError as error:
            raise DataError(f"all records must have the fields of the first, {self.describe()}: {error}") from None
        return grouped_columns(*zip(*rows, strict=True))

    def qrels(self) -> Qrels:
        """Return the judgments, by subtopic if a document is judged for several of them."""
        plain = Qrels.from_flat(*self._columns("relevance"))
        field = next((name for name in _SUBTOPICS if hasattr(self.value[0], name)), None)
        if field is None or (field == "iteration" and not plain.problems):
            return plain
        names = ("query_id", field, "doc_id", "relevance")
        by_subtopic = SubtopicQrels.from_rows(*([getattr(each, name) for each in self.value] for name in names))
        return plain if field == "iteration" and (np.diff(by_subtopic.cells.offsets) < 2).all() else by_subtopic

    def run(self) -> Run:
        """Return the run."""
        return Run.from_flat(*self._columns("score"))
