"""Data frames that narwhals supports: pandas, Polars, PyArrow, DuckDB and others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from idealrank._core.checks import is_list
from idealrank._typing import Floats
from idealrank.data.judgments import Qrels, Run
from idealrank.data.ranking import RankingData
from idealrank.data.spans import Spans
from idealrank.errors import DataError
from idealrank.io.frame_arrays import read_doc_ids, read_numbers, read_query_ids
from idealrank.io.frame_roles import called_like, check_score_column, find_column, find_columns, need_column
from idealrank.io.frames import (
    collected,
    frame_schema,
    from_frame,
    qrels_from_frame,
    run_from_frame,
    score_column,
    values_by_query,
)
from idealrank.io.shapes.shape import ROLES, Content, InputLayout, Shape, recognize

if TYPE_CHECKING:
    from narwhals.dtypes import DType

_SEEN = 100


class FrameShape(Shape):
    """A frame: judgments or a run with document ids, or labels of documents that predictions go with."""

    title = "a data frame"
    options = ROLES

    @classmethod
    def fits(cls, value: object) -> bool:
        """Return whether the type of the value has columns."""
        return hasattr(type(value), "columns")

    @property
    def gives(self) -> tuple[Content, ...]:
        """Judgments, a run or labels; no labels of documents if a query has one row with lists."""
        has_lists = self._list_column("relevant") or self._list_column("retrieved")
        return ("qrels", "run") if has_lists else ("qrels", "run", "ranking")

    _joined: Collection[str] | None = None
    _judged: Iterable[str] = ()
    _chunk = "chunk"

    @cached_property
    def _schema(self) -> Mapping[str, DType]:
        return frame_schema(self.value)

    @cached_property
    def _names(self) -> list[str]:
        return list(self._schema)

    @property
    def column_names(self) -> Sequence[str]:
        """The columns."""
        return self._names

    def join_on(self, names: Collection[str]) -> None:
        """Prefer these columns."""
        self._joined = names
        for each in ("_relevant", "_retrieved"):  # whose queries depend on it
            self.__dict__.pop(each, None)

    def join_ids(self, ids: Iterable[str]) -> None:
        """Prefer the column of documents that has some of these ids."""
        self._judged = ids
        self.__dict__.pop("_retrieved", None)  # whose documents depend on it

    def _query(self) -> str:
        """Return the column of queries: that which the other frames have, too."""
        if "query" in self.layout.columns:
            return self._need("query")
        has_lists = self._list_column("relevant") or self._list_column("retrieved")
        names = list(find_columns("question" if has_lists else "query", self._names, self.layout.columns))
        return next((name for name in names if name in (self._joined or ())), None) or (
            names[0] if names else self._need("query")
        )

    def _doc(self) -> str:
        """Return the column of documents, which may be chunks: that which the other frames have, too."""
        names, given = self._names, self.layout.columns
        if "doc" in given:
            return self._need("doc")
        either = [find_column(self._chunk, names, given), find_column("doc", names, given)]
        both = [name for name in either if name is not None]
        shared = [name for name in both if name in (self._joined or ())]
        if len(both) == 2 and not shared:
            shared = [name for name in both if self._has_judged(name)]
            if len(shared) == 1:
                return shared[0]
            raise DataError(
                f"{both[0]!r} may hold the documents, and {both[1]!r} too: pass doc= with the one that the judgments "
                "and the run share (--doc on the command line)"
            )
        return (shared or both or [self._need("doc")])[0]

    def _has_judged(self, name: str) -> bool:
        """Return whether a column holds any judged document."""
        found = set(map(str, collected(self.value, [name]).get_column(name).to_list()))
        return any(doc in found for doc in self._judged)

    @property
    def has_spans(self) -> bool:
        """Whether there are columns where text begins and ends."""
        inner = self._relevant or self._retrieved
        if inner is not None:
            return inner.has_spans
        return all(find_column(role, self._names, self.layout.columns) for role in ("begin", "end"))

    def spans(self, content: Literal["qrels", "run"]) -> Spans:
        """Return the spans: gold spans with labels, 1 without such a column, or chunks with scores, ranks or places."""
        if (inner := self._relevant if content == "qrels" else self._retrieved) is not None:
            return inner.spans(content)
        names, given = self._names, self.layout.columns
        roles = ["label"] if content == "qrels" else ["score", "rank"]
        number, role = next(((name, role) for role in roles if (name := find_column(role, names, given))), (None, ""))
        columns = [self._query(), *(self._need(role) for role in ("doc", "begin", "end"))]
        frame = collected(self.value, list(dict.fromkeys([*columns, *([number] if number else [])])))
        if number is None:
            values = np.ones(len(frame)) if content == "qrels" else -np.arange(len(frame), dtype=np.float64)
        else:
            values = read_numbers(frame, number, allow_masked=True) * (-1 if role == "rank" else 1)
        queries, docs = read_query_ids(frame, columns[0]), read_doc_ids(frame, columns[1])
        begins, ends = (read_numbers(frame, name) for name in columns[2:])
        return Spans.of_rows(queries, docs, begins, ends, values)

    @cached_property
    def _relevant(self) -> Shape | None:
        return self._lists("relevant")

    @cached_property
    def _retrieved(self) -> Shape | None:
        return self._lists("retrieved")

    def _lists(self, role: Literal["relevant", "retrieved"]) -> Shape | None:
        """Return the lists of documents in a column, if each query has one row."""
        name = self._list_column(role)
        return None if name is None else self._lists_of(name)

    def _list_column(self, role: Literal["relevant", "retrieved"]) -> str | None:
        columns = self.layout.columns if role == "relevant" else self.layout.of_runs().columns
        name = columns.get("doc") or columns.get("label", "")
        if name not in self._names or not self._holds_lists(name):
            name = self._list_called(role)
        if role == "relevant" and not name and self._list_called("retrieved") == (own := self._list_called("either")):
            name = own
        return name or None

    def _list_called(self, role: str) -> str:
        """Return the column of lists that is called like this role; empty if there is none."""
        return find_column(role, filter(self._holds_lists, called_like(role, self._names))) or ""

    def _holds_lists(self, name: str) -> bool:
        import narwhals as nw

        kind = self._schema[name]
        if kind != nw.Object:
            return isinstance(kind, (nw.List, nw.Array))
        return any(is_list(cell) for cell in collected(self.value, [name]).get_column(name).to_list()[:_SEEN])

    def _lists_of(self, name: str) -> Shape:
        query = self._query()
        frame = collected(self.value, [query, name])
        cells = frame.get_column(name).to_list()
        ids = read_query_ids(frame, query).tolist()
        if len({*ids}) < len(ids):
            ((again, _),) = Counter(ids).most_common(1)
            raise DataError(f"{name!r} holds lists, so a query has one row; it has several", query=again)
        lists = {each: list(cell) if is_list(cell) else [] for each, cell in zip(ids, cells, strict=True)}
        others = {role: own for role, own in self.layout.columns.items() if own not in self._names}
        inner = recognize(lists, f"the column {name!r}", InputLayout(columns=others))
        inner.join_ids(self._judged)
        return inner

    @property
    def own_system(self) -> Shape | None:
        """The column of retrieved documents beside that of relevant ones."""
        has_one = self._list_column("relevant") == self._list_column("retrieved")
        return None if has_one or self._relevant is None else self._retrieved

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
        if (inner := self._relevant) is not None:
            return inner.qrels()
        names, given = self._names, self.layout.columns
        query, doc = self._query(), self._doc()
        label = find_column("label", names, given)
        if label is None and "label" not in given:
            label = next((name for name in names if str(name).lower() == "score"), None)
        subtopic = find_column("subtopic", names, given)
        if label is None and self._has_only_ids(query, doc):
            return qrels_from_frame(self.value, query, doc, None, subtopic)
        return qrels_from_frame(self.value, query, doc, label or self._need("label"), subtopic)

    def _has_only_ids(self, query: str, doc: str) -> bool:
        """Return whether no column could hold labels or scores: every row is a relevant document."""
        if {"label", "score"} & {*self.layout.columns}:
            return False
        known = {query, doc, *(find_column(role, self._names) for role in ("begin", "end", "chunk", "doc"))}
        known |= {*self.layout.columns.values()}
        return not any(kind.is_numeric() for name, kind in self._schema.items() if name not in known)

    def run(self) -> Run:
        """Return the run, by its scores, or by its ranks if it has no scores."""
        if (inner := self._retrieved) is not None:
            return inner.run()
        names, given = self._names, self.layout.columns
        query, doc = self._query(), self._doc()
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
            self._query(),
            self._need("label"),
            score=find_column("score", names, given) if scored else None,
            doc=find_column("doc", names, given),
            weight=None,
            features=(),
        )

    def categories(self, column: str) -> dict[object, object]:
        """Return {query: its value in this column}, which must be the same in all of its rows."""
        return values_by_query(self.value, self._query(), column)

    def column(self, name: str) -> Shape | None:
        """Return a column of scores, or of retrieved documents."""
        if name not in self._names:
            inner = self._retrieved or self._relevant
            return None if inner is None else inner.column(name)
        return self._lists_of(name) if self._holds_lists(name) else ColumnShape(self.value, self.layout, name)


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


def judgments_or_run(frame: Any) -> Qrels | Run:
    """Return judgments if the frame has labels, else a run."""
    shape = FrameShape(frame)
    return shape.run() if find_column("label", shape.column_names) is None else shape.qrels()
