"""The page about a result: its findings, tables and sections, independent of how they are rendered."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from idealrank._present.table import Table


@dataclass(frozen=True)
class Figure:
    """A figure of a report, described by the function that draws it.

    Parameters
    ----------
    name : str
        The name of a function of `idealrank.report.figures`.
    data : tuple
        The arguments of the function.
    caption : str
        The caption of the figure.
    description : str
        What the figure shows, for readers who cannot see it.

    Examples
    --------
    >>> from idealrank import report
    >>> report.Figure("means", (None, "ndcg"), "Means", "a 0.5, b 0.4").name
    'means'
    """

    name: str
    data: tuple[object, ...]
    caption: str
    description: str


@dataclass(frozen=True)
class Section:
    """A section of a report.

    It shows figures, interactive views, tables, notes, lists, definitions and subsections in this order.

    Parameters
    ----------
    title : str
        The heading; a subsection without a heading continues its section.
    key : str
        The identifier of the section within its page; empty if it is identified by its number.
    figures : tuple of Figure
        Figures, side by side if they fit.
    tables : mapping of str to Table
        Tables by caption.
    folded : mapping of str to str
        Labels of the tables, by caption, and of the subsections, by heading, that are initially closed.
    notes : tuple of str
        Paragraphs.
    lists : mapping of str to tuple of str
        Lists of lines by label, initially closed.
    definitions : mapping of str to object
        Terms with their meanings.
    code : mapping of str to str
        Terms whose meanings are code, shown in a fixed-width font.
    views : mapping of str to callable
        {name of an interactive view: function that returns its data}.
    parts : tuple of Section
        Subsections.
    most_rows : int, optional
        The largest number of rows of its tables as text.

    Examples
    --------
    >>> from idealrank import report
    >>> report.Section("Means", notes=("Means over 50 queries.",)).notes
    ('Means over 50 queries.',)
    """

    title: str = ""
    key: str = ""
    figures: tuple[Figure, ...] = ()
    tables: Mapping[str, Table] = field(default_factory=dict)
    folded: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    lists: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    definitions: Mapping[str, object] = field(default_factory=dict)
    code: Mapping[str, str] = field(default_factory=dict)
    views: Mapping[str, Callable[[], object]] = field(default_factory=dict)
    parts: tuple[Section, ...] = ()
    most_rows: int | None = None


class OnDemand(Mapping[str, Sequence[str]]):
    """Sentences by subject that are made on access, because some of them take long to find.

    Parameters
    ----------
    makers : mapping of str to callable
        Each callable returns the sentences of a subject.

    Examples
    --------
    >>> OnDemand({"t": lambda: ["The power of the t test."]})["t"]
    ['The power of the t test.']
    """

    def __init__(self, makers: Mapping[str, Callable[[], Sequence[str]]]) -> None:
        self._makers = makers

    def __getitem__(self, subject: str) -> Sequence[str]:
        return self._makers[subject]()

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)


def no_sections() -> Sequence[Section]:
    """Return the sections of a page that has none besides its summary."""
    return ()


@dataclass(frozen=True)
class Page:
    """What a result says of itself; text, Markdown, LaTeX and HTML are renderings of it.

    Parameters
    ----------
    title : str
        A title of a few words.
    about : str
        One line that says what was measured.
    findings : tuple of Statement
        The main findings: sentences, each with its kind.
    summary : tuple of Section
        What ``print`` shows below the findings: titles, tables and notes.
    remarks : tuple of str
        How the numbers were computed.
    options : tuple of str
        Every option of the convention and of the measures: text has them only if asked to.
    reading : mapping of str to str
        What the columns of the main table say in its first row, in words.
    reasons : mapping of str to sequence of str
        The theorems or formulas behind the numbers, by subject; text shows them if asked to.
    sections : callable
        Returns the sections of the HTML page, which are made only for it; by default, they are the summary.
    provenance : mapping of str to object
        What is needed to reproduce the result, besides the data and the software versions.
    quality : Section
        What a user should know about the data.
    defaults : mapping of str to tuple of str
        The names of the tables that an output form shows, if they are not the first one: by "csv", "frame", "html",
        "latex" or "markdown".

    Examples
    --------
    >>> Page("Evaluation", findings=(Statement("best mean", "bm25 is best."),)).findings
    ('bm25 is best.',)
    """

    title: str
    about: str = ""
    findings: tuple[Statement, ...] = ()
    summary: tuple[Section, ...] = ()
    remarks: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    reading: Mapping[str, str] = field(default_factory=dict)
    reasons: Mapping[str, Sequence[str]] = field(default_factory=dict)
    sections: Callable[[], Sequence[Section]] = no_sections
    provenance: Mapping[str, object] = field(default_factory=dict)
    quality: Section = field(default_factory=Section)
    defaults: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for finding in self.findings:
            if not isinstance(finding, Statement):
                raise TypeError(f"a finding must be a Statement, which has a kind; got {finding!r}")


def listed(names: Iterable[str]) -> str:
    """Return the names as an English list.

    Examples
    --------
    >>> listed(["a"]), listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def few(systems: Sequence[str]) -> str:
    """Return the names of up to three systems as an English list, or the number of systems.

    Examples
    --------
    >>> few(["a", "b"]), few(["a", "b", "c", "d"])
    ('a and b', '4 systems')
    """
    return listed(systems) if len(systems) <= 3 else f"{len(systems):,} systems"


def first_row_in_words(reading: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """Return a list for a section that says what the columns of a table mean in its first row, with its label.

    Examples
    --------
    >>> first_row_in_words({"wins": "a beat b on 60% of the queries"})
    {'The first row of the table in words': ('wins: a beat b on 60% of the queries',)}
    """
    return {"The first row of the table in words": tuple(f"{column}: {text}" for column, text in reading.items())}


class Statement(str):
    """A sentence that a result states as a finding, and the kind of sentence that it is.

    ``tests/statements`` lists every kind, with worlds in which the truth is known; the page "How often is it wrong?" of
    the documentation has the measured error rates.

    Parameters
    ----------
    kind : str
        The kind of statement, as a literal, so that all kinds can be collected from the source.
    text : str
        The sentence.

    Examples
    --------
    >>> finding = Statement("significant difference", "a is significantly better than b.")
    >>> finding, finding.kind
    ('a is significantly better than b.', 'significant difference')
    """

    kind: str

    def __new__(cls, kind: str, text: str) -> Statement:
        statement = super().__new__(cls, text)
        statement.kind = kind
        return statement

    def __getnewargs__(self) -> tuple[str, str]:  # type: ignore[override]
        return self.kind, str(self)
