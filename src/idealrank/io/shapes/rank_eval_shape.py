"""Requests and responses of the ranking evaluation of Elasticsearch and OpenSearch, ``_rank_eval``."""

from __future__ import annotations

from collections.abc import Mapping

from idealrank.data.judgments import Qrels, Run
from idealrank.io.rank_eval import is_request, is_response, judgments_of, run_of
from idealrank.io.shapes.shape import Content, Shape


class RankEvalShape(Shape):
    """A request, whose ratings are judgments, or a response, whose hits are a run."""

    title = "a request or response of _rank_eval"

    @classmethod
    def fits(cls, value: object) -> bool:
        """Return whether the value has requests with ratings, or details with hits."""
        return isinstance(value, Mapping) and (is_request(value) or is_response(value))

    @property
    def gives(self) -> tuple[Content, ...]:
        """Judgments or a run."""
        return ("qrels",) if is_request(self.value) else ("run",)

    def describe(self) -> str:
        """Return which of the two."""
        return f"a {'request' if is_request(self.value) else 'response'} of _rank_eval"

    def qrels(self) -> Qrels:
        """Return the ratings of a request."""
        return judgments_of(self.value) if is_request(self.value) else super().qrels()

    def run(self) -> Run:
        """Return the hits of a response."""
        return run_of(self.value) if is_response(self.value) else super().run()
