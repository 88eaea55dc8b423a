"""HTML that is safe by construction: whatever is not markup already is escaped."""

from __future__ import annotations

import html
import json
import math
from collections.abc import Iterable, Sequence

from idealrank._base.tables import Table

__all__ = ["Markup", "json_script", "number", "table", "tag"]

#: Elements that have no end.
_VOID = frozenset({"br", "input"})


class Markup(str):
    """Text that is HTML; any other text is escaped where it goes into HTML."""

    __slots__ = ()


def tag(name: str, *children: object, **attributes: object) -> Markup:
    """An element: children that are not `Markup` are escaped; ``class_`` is class, ``aria_label`` aria-label.

    >>> tag("p", "1 < 2 ", tag("b", "so"), class_="note", title='"', hidden=None)
    '<p class="note" title="&quot;">1 &lt; 2 <b>so</b></p>'
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{html.escape(str(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Markup(f"<{name}{written}>{joined(children)}" + ("" if name in _VOID else f"</{name}>"))


def joined(children: Iterable[object]) -> Markup:
    """Children one after the other.

    >>> joined(["a&b", Markup("<br>")])
    'a&amp;b<br>'
    """
    return Markup("".join(child if isinstance(child, Markup) else html.escape(str(child)) for child in children))


def number(value: float, spec: str = ".4f") -> str:
    """The number as people read it, with a word where there is none.

    >>> number(0.25), number(float("nan"))
    ('0.2500', 'none')
    """
    return "none" if math.isnan(value) else format(value, spec)


def table(content: Table, caption: str) -> Markup:
    """A table whose first column names its rows; its caption is for those who do not see what stands around it.

    >>> from idealrank._base.tables import Column
    >>> table(Table([Column("system"), Column("p", ".2f")], [["a<b", 0.125]]), "p-values").split("<tbody>")[1]
    '<tr><th scope="row">a&lt;b</th><td class="number">0.12</td></tr></tbody></table></div>'
    """
    is_number = content.is_number()
    heads = [
        tag("th", name, scope="col", class_=_side(right)) for name, right in zip(content.header, is_number, strict=True)
    ]
    rows = [_row(cells, is_number) for cells in content.cells()]
    return scrolled(
        tag("table", tag("caption", caption), tag("thead", tag("tr", *heads)), tag("tbody", *rows)), caption
    )


def _row(cells: Sequence[str], is_number: Sequence[bool]) -> Markup:
    others = [
        tag("td", "none" if cell == "nan" else cell, class_=_side(right))
        for cell, right in zip(cells[1:], is_number[1:], strict=True)
    ]
    return tag("tr", tag("th", cells[0], scope="row") if cells[0] else tag("td"), *others)


def _side(right: bool) -> str | None:
    return "number" if right else None


def scrolled(content: Markup, label: str) -> Markup:
    """What may be wider than the page, in a region of its own that scrolls, also by keyboard."""
    return tag("div", content, class_="scroll", role="region", aria_label=label, tabindex=0)


def json_script(content: object, identifier: str) -> Markup:
    r"""Data for a script. ``<`` is escaped, so that no text in it can end the element or begin another.

    >>> json_script({"q": "</script>"}, "data")
    '<script type="application/json" id="data">{"q":"\\u003c/script>"}</script>'
    """
    text = json.dumps(content, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    return Markup(f'<script type="application/json" id="{html.escape(identifier)}">{text}</script>')
