"""The base of every result: facts as plain content and as tables, and all other forms made of these."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal, overload

from idealrank._base.frames import Backend, frame_of
from idealrank._base.grammar import nearest
from idealrank._base.markup import joined, tag
from idealrank._base.plain import Plain, finite, plain
from idealrank._base.sections import Section
from idealrank._base.tables import Column, Table, html_table, render
from idealrank.errors import OptionError

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

    from idealrank._base.frames import Frame

__all__ = ["Result"]


class Result:
    """What a function found: as a dict, as tables, and in every form that these can take.

    A subclass is a dataclass, or defines `to_dict`; it defines `tables` unless one row of its numbers is table enough.
    The methods that write a table take the name of one of `tables`, and choose a fitting one where none is named.
    """

    def to_dict(self) -> dict[str, Plain]:
        """Everything that was found, as numbers, text, lists and dicts."""
        return {name: plain(value) for name, value in vars(self).items()}

    def tables(self) -> Mapping[str, Table]:
        """The tables by name, the main one first."""
        cells = {
            name: value
            for name, value in self.to_dict().items()
            if value is None or isinstance(value, (str, bool, int, float))
        }
        columns = [Column(name, ".4g" if isinstance(value, float) else "") for name, value in cells.items()]
        return {"result": Table(columns, [list(cells.values())])}

    def remarks(self) -> list[str]:
        """Lines to read below a table: how the numbers were made."""
        return []

    def title(self) -> str:
        """What the result is about, in a few words."""
        return type(self).__name__

    def about(self) -> str:
        """What was measured, in one line; may be empty."""
        return ""

    def findings(self) -> list[str]:
        """What was found, in sentences."""
        return []

    def sections(self) -> list[Section]:
        """What a page shows of the result."""
        return [Section("Result", tables=self.tables(), notes=tuple(self.remarks()))]

    def cutoff_sections(self) -> list[Section]:
        """Sections with the measures at several cutoffs, where there are such."""
        return []

    def background(self) -> list[Section]:
        """Sections at the end of a page: single queries, data quality, conventions."""
        return []

    def made_with(self) -> dict[str, object]:
        """What is needed to repeat the result, beside the data and the versions of programs."""
        return {}

    def table(self, name: str | None = None) -> Table:
        """One of `tables`, the first if none is named."""
        tables = self.tables()
        if name is not None and name not in tables:
            raise OptionError(f"there is no table {name!r}{nearest(name, list(tables))}")
        return tables[next(iter(tables)) if name is None else name]

    def to_json(self) -> str:
        """Return `to_dict` as JSON text; NaN becomes null."""
        return json.dumps(finite(self.to_dict()), ensure_ascii=False, allow_nan=False)

    @overload
    def to_frame(self, backend: Literal["pandas"] = "pandas", table: str | None = None) -> pandas.DataFrame: ...
    @overload
    def to_frame(self, backend: Literal["polars"], table: str | None = None) -> polars.DataFrame: ...
    @overload
    def to_frame(self, backend: Literal["pyarrow"], table: str | None = None) -> pyarrow.Table: ...
    def to_frame(self, backend: Backend = "pandas", table: str | None = None) -> Frame:
        """Return a table as a data frame of pandas, Polars or PyArrow."""
        (name,) = self._chosen("frame") if table is None else [table]
        return frame_of(self.table(name).by_column(), backend)

    def to_text(self, table: str | None = None) -> str:
        """Return a table as aligned text."""
        return self._rendered("text", table)

    def to_markdown(self, table: str | None = None) -> str:
        """Return a table as Markdown."""
        return self._rendered("markdown", table)

    def to_latex(self, table: str | None = None) -> str:
        """Return a table as LaTeX, for the package booktabs."""
        return self._rendered("latex", table)

    def to_csv(self, table: str | None = None) -> str:
        """Return a table as CSV, with numbers in full."""
        return self._rendered("csv", table)

    def to_html(self, table: str | None = None) -> str:
        """Return a table as HTML, with remarks below it."""
        tables = [html_table(self.table(name)) for name in (self._chosen("html") if table is None else [table])]
        return joined([*tables, *(tag("p", line) for line in self.remarks())])

    def _repr_html_(self) -> str:
        return self.to_html()

    def _rendered(self, form: str, table: str | None) -> str:
        names = self._chosen(form) if table is None else [table]
        return "\n".join(render(self.table(name), form) for name in names)

    def _chosen(self, form: str) -> list[str]:
        """The names of the tables that a form shows where none is named."""
        return [next(iter(self.tables()))]
