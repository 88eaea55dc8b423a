"""What a page shows of a result, in terms that know nothing of HTML or of drawing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from idealrank._base.tables import Table

__all__ = ["Figure", "Section", "listed"]


@dataclass(frozen=True)
class Figure:
    """A figure by the name of the function that draws it, and that function's arguments.

    ``description`` says in words what the figure shows, for readers who do not see it.

    >>> Figure("means", (None, "ndcg"), "Means", "a 0.5, b 0.4").name
    'means'
    """

    name: str
    data: tuple[object, ...]
    caption: str
    description: str


@dataclass(frozen=True)
class Section:
    """A part of a page, shown in this order: figures, tables, notes, lists, definitions, then its own parts.

    Parameters
    ----------
    title
        The heading; a part without one continues the section that it is in.
    key
        Identifies the section within its page; empty for one that is numbered by its place.
    figures
        Figures, side by side where they fit.
    tables
        Tables by caption; those of ``folded`` are closed at first and carry that label.
    notes
        Paragraphs.
    lists
        Lists of lines by label, closed at first.
    definitions, code
        Terms with their meanings; those of ``code`` are code.
    values
        {"systems", "queries", "values", "largest"}: values by measure, system and query, to sort and to search.
    parts
        Sections within this one.

    Examples
    --------
    >>> Section("Means", notes=("Means over 50 queries.",)).notes
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
    values: Mapping[str, object] = field(default_factory=dict)
    parts: tuple[Section, ...] = ()


def listed(names: Iterable[str]) -> str:
    """The names as English lists them.

    >>> listed(["a"]), listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last
