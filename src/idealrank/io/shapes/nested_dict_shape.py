"""Nested dicts {query: {document: number}}, as pytrec_eval takes them, or {query: {document: {subtopic: label}}}."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from idealrank.data.judgments import Qrels, Run
from idealrank.data.subtopics import SubtopicQrels
from idealrank.io.shapes.shape import Content, Shape


class NestedShape(Shape):
    """Labels or scores by query and document."""

    title = "nested dicts, {query: {document: number}}"
    gives: tuple[Content, ...] = ("qrels", "run")

    @classmethod
    def fits(cls, value: object) -> bool:
        """Return whether the value is a mapping of mappings, or empty."""
        return isinstance(value, Mapping) and isinstance(next(iter(value.values()), {}), Mapping)

    def qrels(self) -> Qrels:
        """Return the judgments, by subtopic if documents have labels by subtopic."""
        label = next((label for docs in self.value.values() for label in _values(docs)), None)
        return SubtopicQrels(self.value) if isinstance(label, (Mapping, set, frozenset, list)) else Qrels(self.value)

    def run(self) -> Run:
        """Return the run."""
        return Run(self.value)


def _values(docs: object) -> Iterable[object]:
    return docs.values() if isinstance(docs, Mapping) else ()
