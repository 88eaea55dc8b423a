"""Data frames that narwhals supports: pandas, Polars, PyArrow, DuckDB and others."""

from __future__ import annotations

from typing import Any

from idealrank._typing import Floats
from idealrank.data.judgments import Qrels, Run
from idealrank.data.ranking import RankingData
from idealrank.errors import DataError
from idealrank.io.frame_roles import check_score_column, find_column, need_column
from idealrank.io.frames import (
    frame_schema,
    from_frame,
    qrels_from_frame,
    run_from_frame,
    score_column,
    values_by_query,
)
from idealrank.io.shapes.shape import ROLES, Content, InputLayout, Shape

__all__ = ["ColumnShape", "FrameShape"]


class FrameShape(Shape):
    """A frame: judgments or a run with document ids, or labels of documents that predictions go with."""

    title = "a data frame"
    options = ROLES
    gives: tuple[Content, ...] = ("qrels", "run", "ranking")

    @classmethod
    def fits(cls, value: object) -> bool:
        """Return whether the type of the value has columns."""
        return hasattr(type(value), "columns")

    @property
    def _names(self) -> list[str]:
        return list(frame_schema(self.value))

    def _need(self, role: str) -> str:
        """Return the column that has a role; the error mentions an index that may have it."""
        try:
            return need_column(role, self._names, self.layout.columns)
        except DataError as error:
            index = [str(name) for name in getattr(getattr(self.value, "index", None), "names", ()) if name is not None]
            if find_column(role, index, self.layout.columns) is None:
                raise
            raise DataError(
                f"{error.what}. The index has {', '.join(map(repr, index))}: pass df.reset_index()"
            ) from None

    def describe(self) -> str:
        """Return the columns."""
        names = list(map(str, self._names))
        more = f" and {len(names) - 8:,} more" if len(names) > 8 else ""
        return f"a data frame with the columns {', '.join(map(repr, names[:8]))}{more}"

    def qrels(self) -> Qrels:
        """Return the judgments, by subtopic if there is such a column; MTEB and BEIR call the labels "score"."""
        names, given = self._names, self.layout.columns
        query, doc = self._need("query"), self._need("doc")
        label = find_column("label", names, given)
        if label is None and "label" not in given:
            label = next((name for name in names if str(name).lower() == "score"), None)
        subtopic = find_column("subtopic", names, given)
        return qrels_from_frame(self.value, query, doc, label or self._need("label"), subtopic)

    def run(self) -> Run:
        """Return the run, by its scores, or by its ranks if it has no scores."""
        names, given = self._names, self.layout.columns
        query, doc = self._need("query"), self._need("doc")
        score, rank = find_column("score", names, given), find_column("rank", names, given)
        if rank is not None and (score is None or ("rank" in given and "score" not in given)):
            return run_from_frame(self.value, query, doc, rank=rank)
        if score is None and find_column("label", names, given) is not None and "score" not in given:
            raise DataError(
                f"expected a run, with a column of scores or ranks, got {self.describe()}: it has labels; "
                "judgments come first, runs second, and score= names another column of scores"
            )
        return run_from_frame(self.value, query, doc, score or self._need("score"))

    def ranking(self, *, scored: bool = False) -> RankingData:
        """Return the labels by query, with scores if the frame's own are asked for, and document ids if it has them."""
        names, given = self._names, self.layout.columns
        return from_frame(
            self.value,
            self._need("query"),
            self._need("label"),
            score=find_column("score", names, given) if scored else None,
            doc=find_column("doc", names, given),
            weight=None,
            features=(),
        )

    def categories(self, column: str) -> dict[object, object]:
        """Return {query: its value in this column}, which must be the same in all of its rows."""
        return values_by_query(self.value, self._need("query"), column)

    def column(self, name: str) -> Shape | None:
        """Return a column of scores."""
        return ColumnShape(self.value, self.layout, name) if name in self._names else None


class ColumnShape(Shape):
    """A column of the frame that holds the labels, with the scores of one system.

    Parameters
    ----------
    value : frame
        The frame.
    layout : InputLayout
        Names of its columns.
    column : str
        The name of the column.
    """

    title = "a column of scores"

    def __init__(self, value: Any, layout: InputLayout, column: str) -> None:
        super().__init__(value, layout)
        self._column = column

    gives: tuple[Content, ...] = ("scores",)

    @property
    def name(self) -> str:
        """The name of the column."""
        return self._column

    def describe(self) -> str:
        """Return the name of the column."""
        return f"the column {self._column!r}"

    def scores(self, data: RankingData) -> Floats:
        """Return the scores in the order of the data."""
        check_score_column(self._column)
        return data.check_scores(score_column(self.value, self._column), "input")
