"""HTML that is safe by construction: everything that is not markup is escaped."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from idealrank._present.printable import printable

#: Elements without an end tag.
_VOID = frozenset({"br", "col", "input", "wbr"})
#: Not from Python's `html`, whose table of all entities would slow down every command that writes no HTML.
_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;"})
#: A colon and a blank before a change, and the sign of a negative decimal.
_BEFORE_CHANGE, _MINUS = re.compile(r": (?=[+-]\d)"), re.compile(r"(?<![^\s(])-(?=\d*\.\d)")


class Markup(str):
    """Text that is already HTML; any other text is escaped when it is inserted into HTML."""

    __slots__ = ()


def tag(name: str, *children: object, **attributes: object) -> Markup:
    """Create an HTML element.

    Parameters
    ----------
    name : str
        Name of the element.
    *children : object
        Contents; those that are not `Markup` are escaped.
    **attributes : object
        Attributes; None is left out, ``class_`` becomes class, and ``aria_label`` becomes aria-label.

    Returns
    -------
    Markup
        The element.

    Examples
    --------
    >>> tag("p", "1 < 2 ", tag("b", "so"), class_="note", title='"', hidden=None)
    '<p class="note" title="&quot;">1 &lt; 2 <b>so</b></p>'
    """
    start = name
    for key, value in attributes.items():
        if value is not None:
            start += f' {key.rstrip("_").replace("_", "-")}="{_escaped(str(value))}"'
    inside = "".join([child if isinstance(child, Markup) else _escaped(str(child)) for child in children])
    return Markup(f"<{start}>{inside}" if name in _VOID else f"<{start}>{inside}</{name}>")


def joined(children: Iterable[object]) -> Markup:
    """Concatenate children; those that are not `Markup` are escaped.

    Examples
    --------
    >>> joined(["a&b", Markup("<br>")])
    'a&amp;b<br>'
    """
    return Markup("".join([child if isinstance(child, Markup) else _escaped(str(child)) for child in children]))


def breakable(name: str) -> list[str]:
    """Return the parts of a name, with places between them where a line may end.

    Examples
    --------
    >>> joined(breakable("ndcg(gain=linear)"))
    'ndcg(<wbr>gain=<wbr>linear)'
    """
    first, *others = re.findall(r"[^(,=]*[(,=]|[^(,=]+", name) or [name]
    return [first, *(part for other in others for part in (tag("wbr"), other))]


def typeset(text: str) -> str:
    r"""Return text with arrows, minus signs before decimals, and no line end between a name and its change.

    Whole numbers stay as they are: they may be names, or labels to be copied.

    Examples
    --------
    >>> typeset("0 -> 1: -0.25 to +0.5, labels [1, -1]")
    '0 → 1:\xa0−0.25 to +0.5, labels [1, -1]'
    """
    return _MINUS.sub("\N{MINUS SIGN}", _BEFORE_CHANGE.sub(":\N{NO-BREAK SPACE}", text.replace(" -> ", " → ")))


def scrolled(content: Markup, label: str) -> Markup:
    """Wrap content that may be wider than the page in a region that scrolls, also by keyboard."""
    return tag("div", content, class_="scroll", role="region", aria_label=label, tabindex=0)


def json_script(content: object, identifier: str) -> Markup:
    r"""Create a script element with JSON data; ``<`` is escaped, so that no text can end the element.

    Examples
    --------
    >>> json_script({"q": "</script>"}, "data")
    '<script type="application/json" id="data">{"q":"\\u003c/script>"}</script>'
    """
    import json  # pages alone need it

    text = json.dumps(content, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    return Markup(f'<script type="application/json" id="{_escaped(identifier)}">{text}</script>')


@lru_cache(4096)
def _escaped(text: str) -> str:
    safe = text if text.isprintable() else printable(text, keep="\n\r\t\N{NO-BREAK SPACE}")
    return safe.translate(_ENTITIES)
