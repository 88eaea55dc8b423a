"""Figures as inline SVG: text stays text, colors follow the page, and equal figures give equal bytes."""

from __future__ import annotations

import io
import re
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from idealrank._core.extras import needs
from idealrank._present.figure_style import COLOURS, style
from idealrank._present.markup import Markup
from idealrank._present.printable import printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Where names share a color, the first one counts.
_VARIABLES = {light: f"var(--{name})" for name, (light, _) in [*COLOURS.items()][::-1]} | {"#000000": "currentColor"}
_NUMBERS = ("d", "transform", "x", "y", "width", "height")
_LINKS = ("href", "clip-path")
# Matplotlib's settings, and the filters of warnings, belong to the whole process: threads draw one after the other.
_DRAWING = threading.RLock()
_NO_METADATA = dict.fromkeys(("Date", "Creator", "Format", "Type"))


def inline_svg(draw: Callable[[], Axes], key: str, title: str, description: str) -> Markup:
    """Return what ``draw`` draws as an SVG element.

    Parameters
    ----------
    draw : callable
        Returns the Axes of a figure.
    key : str
        Prefix of ids, unique within the page.
    title, description : str
        Text for screen readers.

    Returns
    -------
    Markup
        The element.

    Examples
    --------
    >>> from idealrank import evaluate
    >>> from idealrank.report import figures
    >>> result = evaluate([0, 1], [2, 1], "rr")
    >>> inline_svg(lambda: figures.means(result), "f1", "Means", "rr is 0.5").split("<g>")[0].split("><")[1:3]
    ['title id="f1-title">Means</title', 'desc id="f1-desc">rr is 0.5</desc']
    """
    root = ElementTree.fromstring(_drawn(draw))
    targets = {
        target
        for each in root.iter()
        for name, value in each.attrib.items()
        if _local(name) in _LINKS
        for target in re.findall(r"#([\w.-]+)", value)
    }
    for parent in root.iter():
        for child in [each for each in parent if _local(each.tag) in ("style", "metadata")]:
            parent.remove(child)
    for each in root.iter():
        each.tag, each.tail = _local(each.tag), None
        each.text = each.text if each.tag == "text" else None
        each.attrib = {
            _local(name): _attribute(_local(name), value, key)
            for name, value in each.attrib.items()
            if name != "id" or value in targets
        }
    size = {"viewBox": root.attrib["viewBox"], "class": "figure", "role": "img"}
    root.attrib = size | {"aria-labelledby": f"{key}-title", "aria-describedby": f"{key}-desc"}
    for place, (name, text) in enumerate((("title", title), ("desc", description))):
        element = ElementTree.Element(name, {"id": f"{key}-{name}"})
        element.text = text
        root.insert(place, element)
    return Markup(printable(ElementTree.tostring(root, encoding="unicode", short_empty_elements=True), keep="\n\t"))


def _drawn(draw: Callable[[], Axes]) -> str:
    """Return the figure as Matplotlib writes it, independent of the styles in use, which stay as they are."""
    with needs("matplotlib"):
        import matplotlib
        from matplotlib.legend import Legend

    file = io.StringIO()
    with _DRAWING, matplotlib.rc_context(), _glyphs_of_the_browser():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update({**style(), "svg.fonttype": "none", "svg.hashsalt": "idealrank"})
        figure = draw().get_figure(root=True)
        assert figure is not None, "nothing has removed the Axes"
        for legend in figure.findobj(Legend):
            legend.set_frame_on(False)  # its ground would be white on dark pages
        figure.savefig(file, format="svg", transparent=True, metadata=_NO_METADATA)
    return file.getvalue()


@contextmanager
def _glyphs_of_the_browser() -> Iterator[None]:
    """Suppress warnings about characters that Matplotlib's font lacks: the browser has its own fonts."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from", UserWarning)
        yield


def _local(name: str) -> str:
    return name.rpartition("}")[2]


def _attribute(name: str, value: str, key: str) -> str:
    """Return the attribute with coordinates rounded to a tenth of a pixel, and fonts and colors of the page."""
    if name in _NUMBERS:
        rounded = re.sub(r"-?\d+\.\d+", lambda match: f"{float(match[0]):.1f}".removesuffix(".0"), value)
        return re.sub(r"\s+", " ", rounded).strip()
    if name == "id":
        return f"{key}-{value}"
    if name in _LINKS:
        return value.replace("#", f"#{key}-")
    if name == "style":
        value = re.sub(r"font: ([\d.]+px)[^;]*", r"font-size: \1", value)
        value = re.sub(r"font-family: [^;]*;?\s*", "", value)
        value = re.sub(r"#[0-9a-f]{6}", lambda match: _VARIABLES.get(match[0], match[0]), value)
    return value
