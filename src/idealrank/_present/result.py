"""Base class of all results, with output as dicts, tables, text, HTML and data frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, overload

from idealrank._core.checks import check_count
from idealrank._names.options import nearest
from idealrank._present.data_frames import Backend, frame_of
from idealrank._present.json_values import Plain, json_text, plain
from idealrank._present.markup import joined, tag
from idealrank._present.page import Page, Section
from idealrank._present.page_text import page_text
from idealrank._present.table import Column, Table, html_table, render
from idealrank.errors import OptionError

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

    from idealrank._present.data_frames import Frame

#: The width of printed results.
_WIDTH = 76
#: How the title of a table is written above it.
_TITLES = {"latex": "% {}\n", "markdown": "### {}\n\n"}


class Result:
    """Base class of results, with methods that all results have.

    Methods that write a table take the name of one of `tables`, and choose a suitable one by default. A subclass is a
    dataclass or defines `to_dict`, and defines `tables` unless one row of its numbers is sufficient.

    Examples
    --------
    >>> from idealrank import evaluate
    >>> result = evaluate([0, 1], [0.2, 0.9], "rr")
    >>> result.to_dict()["mean"]
    {'rr': 1.0}
    >>> result.to_csv("means").splitlines()
    ['measure,mean,low,high,queries', 'rr,1.0,,,1']
    """

    def to_dict(self) -> dict[str, Plain]:
        """Return the whole result as numbers, text, lists and dicts.

        Returns
        -------
        dict
            The result by field.
        """
        return {name: plain(value) for name, value in vars(self).items()}

    def tables(self) -> Mapping[str, Table]:
        """Return the tables by name, the main one first.

        Returns
        -------
        mapping of str to Table
            The tables.
        """
        cells = {
            name: value
            for name, value in self.to_dict().items()
            if value is None or isinstance(value, (str, bool, int, float))
        }
        columns = [Column(name, ".4g" if isinstance(value, float) else "") for name, value in cells.items()]
        return {"result": Table(columns, [list(cells.values())])}

    def page(self) -> Page:
        """Return what the result says of itself: findings, tables to print, and the sections of an HTML page.

        Returns
        -------
        Page
            Values only; `to_text`, `to_markdown`, `to_latex` and `idealrank.report.html` render them.
        """
        first, table = next(iter(self.tables().items()))
        return Page(
            type(self).__name__,
            summary=(Section(tables={first: table}),),
            sections=lambda: [Section("Result", tables=self.tables())],
        )

    def table(self, name: str | None = None) -> Table:
        """Return one of `tables`.

        Parameters
        ----------
        name : str, optional
            The name of a table; the first one by default.

        Raises
        ------
        OptionError
            If there is no such table.
        """
        tables = self.tables()
        if name is not None and name not in tables:
            raise OptionError(f"there is no table {name!r}{nearest(str(name), tables)}")
        return tables[next(iter(tables)) if name is None else name]

    def to_json(self) -> str:
        """Return `to_dict` as JSON text; NaN and infinity become null.

        Returns
        -------
        str
            The JSON text.
        """
        return json_text(self.to_dict(), indent=2)

    @overload
    def to_frame(self, backend: Literal["pandas"] = "pandas", table: str | None = None) -> pandas.DataFrame: ...
    @overload
    def to_frame(self, backend: Literal["polars"], table: str | None = None) -> polars.DataFrame: ...
    @overload
    def to_frame(self, backend: Literal["pyarrow"], table: str | None = None) -> pyarrow.Table: ...
    def to_frame(self, backend: Backend = "pandas", table: str | None = None) -> Frame:
        """Return a table as a data frame.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}
            The data frame library.
        table : str, optional
            The name of one of `tables`; by default, a suitable one.

        Returns
        -------
        pandas.DataFrame, polars.DataFrame or pyarrow.Table
            The table.
        """
        (name,) = self._defaults("frame", self.page()) if table is None else [table]
        return frame_of(self.table(name).by_column(), backend)

    def to_text(
        self,
        table: str | None = None,
        *,
        width: int | None = None,
        digits: int = 4,
        everything: bool = False,
        reading: bool = True,
        reasons: bool = False,
    ) -> str:
        """Return the result as text: findings, tables and how the numbers were computed.

        Parameters
        ----------
        table : str, optional
            The name of one of `tables`, to return only this one.
        width : int, optional
            The maximum width in characters; None means no limit. Numbers are never shortened: the least important
            columns are left out, and a line below the table names them.
        digits : int
            The number of digits after the decimal point of values; p-values have their own format.
        everything : bool
            Whether to show all rows of long tables.
        reading : bool
            Whether to say what the columns of the main table mean, if the result has such an explanation.
        reasons : bool
            Whether to give the theorem or formula behind each result, if there is one.

        Returns
        -------
        str
            The text; ``print(result)`` shows the same in 76 columns.
        """
        if width is not None:
            check_count(width, "width", 2)
        if table is not None:
            return self._rendered("text", table, digits=digits, width=width)
        check_count(digits, "digits", 0)
        return page_text(
            self.page(), width=width, digits=digits, everything=everything, reading=reading, reasons=reasons
        )

    def __str__(self) -> str:
        return self.to_text(width=_WIDTH).rstrip("\n")

    def to_markdown(self, table: str | None = None, *, digits: int = 4) -> str:
        """Return the important tables as Markdown, with findings and remarks; or one table.

        Parameters
        ----------
        table : str, optional
            The name of one of `tables`, to return only this one.
        digits : int
            The number of digits after the decimal point of values.

        Returns
        -------
        str
            One table or several.
        """
        return self._rendered("markdown", table, digits=digits)

    def to_latex(self, table: str | None = None, *, digits: int = 4, underline_second: bool = False) -> str:
        r"""Return a table as LaTeX for a paper; the preamble needs ``\usepackage{booktabs}``.

        Decimal points are aligned, and the best values are bold. If systems were compared, marks or letters show
        significant differences, and a caption says how they were tested.

        Parameters
        ----------
        table : str, optional
            The name of one of `tables`, to return only this one; otherwise, comments below it have the findings.
        digits : int
            The number of digits after the decimal point of values.
        underline_second : bool
            Whether to underline the second best values.

        Returns
        -------
        str
            A ``tabular`` environment with its caption.
        """
        return self._rendered("latex", table, digits=digits, underline_second=underline_second)

    def to_csv(self, table: str | None = None, *, escape_formulas: bool = False) -> str:
        """Return a table as CSV, with all digits.

        Parameters
        ----------
        table : str, optional
            The name of one of `tables`; by default, a suitable one.
        escape_formulas : bool
            Whether to put an apostrophe before text that begins with =, +, - or @, which a spreadsheet would execute as
            a formula. Use it if people open the file in a spreadsheet; other programs see the apostrophe.

        Returns
        -------
        str
            The table, with one line per row.
        """
        return self._rendered("csv", table, escape_formulas=escape_formulas)

    def to_html(self, table: str | None = None) -> str:
        """Return a table as HTML, followed by remarks.

        Parameters
        ----------
        table : str, optional
            The name of one of `tables`; by default, a suitable one.

        Returns
        -------
        str
            An HTML fragment.
        """
        page = self.page()
        tables = [self.table(name) for name in (self._defaults("html", page) if table is None else [table])]
        notes = [note for each in tables for note in each.notes]
        return joined([*map(html_table, tables), *(tag("p", line) for line in (*notes, *page.remarks))])

    def _repr_html_(self) -> str:
        return self.to_html()

    def _rendered(self, form: str, table: str | None, *, digits: int = 4, **options: Any) -> str:
        check_count(digits, "digits", 0)
        if table is not None:
            return render(self.table(table).with_digits(digits), form, **options)
        page = self.page()
        tables = {name: self.table(name).with_digits(digits) for name in self._defaults(form, page)}
        if form not in _TITLES:
            return "\n".join(render(each, form, **options) for each in tables.values())
        titles = {name: each.title for each in page.summary for name in each.tables if each.title}
        texts = [
            f"{_TITLES[form].format(titles[name]) if name in titles else ''}{render(each, form, **options)}"
            for name, each in tables.items()
            if each.rows  # without rows, the findings say that there is nothing
        ]
        return annotated("\n".join(texts), page, form)

    def _defaults(self, form: str, page: Page) -> Sequence[str]:
        """Return the names of the tables that an output form shows by default."""
        return page.defaults.get(form) or [next(iter(self.tables()))]


def annotated(text: str, page: Page, form: str) -> str:
    r"""Return tables in Markdown or LaTeX, followed by the findings and remarks of their page.

    Examples
    --------
    >>> annotated("| 1 |\n", Page("Means", remarks=("over 2 queries",)), "markdown")
    '| 1 |\n\n> over 2 queries\n'
    """
    # What text shows only if asked to belongs to a table that is pasted elsewhere.
    lines = (*page.findings, *page.remarks, *page.options)
    # Lines of one quotation would be joined to one paragraph.
    notes = "\n".join(f"% {line}" for line in lines) if form == "latex" else "\n>\n".join(f"> {line}" for line in lines)
    return "\n".join(part for part in (text, f"{notes}\n" if notes else "") if part)
