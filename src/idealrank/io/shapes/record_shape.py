"""Records: lists of objects, as JSON has them, {query: [{document, ...}, ...]} or [{query, document, ...}, ...]."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import replace
from typing import Any, Literal, TypeVar

import numpy as np

from idealrank._core.checks import is_list
from idealrank.data.columns import read_only
from idealrank.data.ids import Ids
from idealrank.data.judgments import Qrels, Run
from idealrank.data.spans import Spans
from idealrank.errors import DataError
from idealrank.io.frame_roles import find_column
from idealrank.io.record_columns import RecordColumns
from idealrank.io.shapes.frame_shape import FrameShape
from idealrank.io.shapes.shape import InputLayout

_QUERY, _PLACE = "query of the list", "place in the list"
_Content = TypeVar("_Content", Qrels, Run)


class RecordsShape(FrameShape):
    """A table of records; those of a query have the order of the list, unless they have scores or ranks."""

    title = "records, {query: [{document, ...}, ...]}"

    def __init__(self, value: Any, layout: InputLayout = InputLayout()) -> None:  # noqa: B008 - it is frozen
        self._queries: list[object] = []
        rows = list(value)
        if isinstance(value, Mapping):
            self._queries = list(value)
            rows = [row for query, records in value.items() for row in _rows(query, records)]
            names = {name for row in rows for name in _flat(row)}
            has_order = {"score", "rank"} & {*layout.columns} or any(find_column(r, names) for r in ("score", "rank"))
            self._chunk = "listed"
            own = {"query": _QUERY} if has_order else {"query": _QUERY, "rank": _PLACE}
            layout = replace(layout, columns={**layout.columns, **own}, run_columns={})
        for number, row in enumerate(rows):
            if not isinstance(row, Mapping):
                raise DataError(f"expected records like the first, got {type(row).__name__}", row=number)
        super().__init__(RecordColumns(list(map(_flat, rows))), layout)

    @classmethod
    def fits(cls, value: object) -> bool:
        """Return whether the first entry of a list, or of the lists of a mapping, is a mapping."""
        lists: list[Any] = list(value.values()) if isinstance(value, Mapping) else [value]
        if not all(isinstance(each, (list, tuple)) for each in lists):
            return False
        return isinstance(next((each[0] for each in lists if len(each)), None), Mapping)

    def qrels(self) -> Qrels:
        """Return the judgments, with the queries for which nothing is relevant."""
        self._check_labels()
        return self._with_all(super().qrels())

    def run(self) -> Run:
        """Return the run, with the queries for which nothing was retrieved."""
        return self._with_all(super().run())

    def spans(self, content: Literal["qrels", "run"]) -> Spans:
        """Return the spans, with the queries that have none."""
        spans = super().spans(content)
        ids, offsets = self._all_queries(spans.query_ids, spans.offsets)
        return replace(spans, query_ids=ids, offsets=offsets)

    def _check_labels(self) -> None:
        """Raise a DataError that names the first document without a label if others have one."""
        names, given = self.column_names, self.layout.columns
        label = find_column("label", names, given)
        if label is None or self._relevant is not None:
            return
        labels = self.value.get_column(label).to_list()
        lacking = [row for row, each in enumerate(labels) if each is None]
        if lacking and len(lacking) < len(labels):
            query, doc = (self.value.get_column(name).to_list()[lacking[0]] for name in (self._query(), self._doc()))
            raise DataError(
                f"{doc!r} has no {label!r}, which other documents have: add it, such as 1, or remove {label!r} from "
                "all documents, so that all count as relevant alike",
                query=query,
            )

    def _with_all(self, content: _Content) -> _Content:
        ids, offsets = self._all_queries(content.query_ids, content.offsets)
        made = copy(content)
        made.__dict__.update(query_ids=ids, offsets=read_only(offsets))
        return made

    def _all_queries(self, ids: Ids, offsets: Any) -> tuple[Ids, Any]:
        every = Ids.of(dict.fromkeys([*ids, *Ids.of(self._queries)]))
        return every, np.concatenate([offsets, np.full(len(every) - len(ids), offsets[-1])])


def _flat(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record with the fields of the objects in it, such as metadata, unless it has such a field itself."""
    record = dict(row)  # a repeated key is an error here
    fields = {name: _list_in(name, each) if isinstance(each, Mapping) else each for name, each in record.items()}
    try:
        inner = [_flat(each) for each in fields.values() if isinstance(each, Mapping)]
    except RecursionError:
        raise DataError("the objects in a record are nested too deeply") from None
    own = {name: each for name, each in fields.items() if not isinstance(each, Mapping)}
    return {name: each for one in [*inner[::-1], own] for name, each in one.items()} if inner else own


def _list_in(name: str, value: Mapping[str, Any]) -> Any:
    """Return the list of documents in an object that is named like one, such as "gold": {"passages": [...]}."""
    if not any(find_column(role, [name]) for role in ("relevant", "retrieved")):
        return value
    lists = [each for each, own in value.items() if is_list(own)]
    inner = lists[0] if len(lists) == 1 else find_column("either", lists)
    return value if inner is None else value[inner]


def _rows(query: object, records: Any) -> list[dict[str, Any]]:
    if not is_list(records) or not all(isinstance(each, Mapping) for each in records):
        raise DataError("expected a list of records like the first", query=query)
    return [{**each, _PLACE: place, _QUERY: query} for place, each in enumerate(records, start=1)]
