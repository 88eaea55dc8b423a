"""Nested dicts {query: {document: number}}, as pytrec_eval takes them."""

from __future__ import annotations

from collections.abc import Mapping

from idealrank.data.judgments import Qrels, Run
from idealrank.io.shapes.base import Content, Shape

__all__ = ["NestedShape"]


class NestedShape(Shape):
    """Labels or scores by query and document."""

    title = "nested dicts, {query: {document: number}}"

    @classmethod
    def fits(cls, value: object) -> bool:
        """Return whether the value is a mapping of mappings, or empty."""
        return isinstance(value, Mapping) and isinstance(next(iter(value.values()), {}), Mapping)

    @property
    def gives(self) -> tuple[Content, ...]:
        """Judgments or a run; only the position tells."""
        return ("qrels", "run")

    def qrels(self) -> Qrels:
        """Return the judgments."""
        return Qrels(self.value)

    def run(self) -> Run:
        """Return the run."""
        return Run(self.value)
