"""The colors of pages and figures, and one style for all Matplotlib figures, which are made here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from idealrank._core.extras import needs

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: {name: (on a light page, on a dark page)}; figures use the light ones, and the page refers to them by name.
COLOURS: dict[str, tuple[str, str]] = {
    "page": ("#ffffff", "#14171c"),
    "panel": ("#f5f6f8", "#1d2127"),
    "ink": ("#1c1f24", "#e7e9ec"),
    "muted": ("#565d66", "#a3abb5"),
    "grid": ("#d9dce1", "#363c45"),
    "neutral": ("#7b838d", "#8b939d"),
    "better": ("#0b5fbf", "#6cb2ff"),
    "worse": ("#b04a00", "#ff9d57"),
    "series-0": ("#0b5fbf", "#6cb2ff"),
    "series-1": ("#b04a00", "#ff9d57"),
    "series-2": ("#399ba4", "#83f8fe"),
    "series-3": ("#76035e", "#934bb4"),
    "series-4": ("#fd4572", "#ee1a71"),
    "series-5": ("#9c79f4", "#2a6fff"),
    "series-6": ("#494101", "#4a7738"),
    "series-7": ("#24039c", "#cfff60"),
}

GRID, NEUTRAL, BETTER, WORSE = (COLOURS[name][0] for name in ("grid", "neutral", "better", "worse"))
SERIES = tuple(light for name, (light, _) in COLOURS.items() if name.startswith("series-"))


def css() -> str:
    """Return the colors as variables of a style sheet; printed pages are always light.

    Examples
    --------
    >>> css().splitlines()[1]
    '  --page: #ffffff;'
    """
    light, dark = ("".join(f"  --{name}: {shades[number]};\n" for name, shades in COLOURS.items()) for number in (0, 1))
    return f":root {{\n{light}}}\n@media screen and (prefers-color-scheme: dark) {{ :root {{\n{dark}}} }}\n"


#: The dashes of lines: those after the last color begin again with the first color and the next dash.
DASHES = ("-", "--", ":", "-.")
#: In inches.
_WIDTH = 5.0
#: Letters of a name beside a plot or in a legend.
_LONGEST_NAME = 28


def style() -> dict[Any, Any]:
    """Return the settings of Matplotlib that all figures share.

    Examples
    --------
    >>> style()["legend.frameon"]
    False
    """
    from cycler import cycler

    return {
        "axes.prop_cycle": cycler(linestyle=DASHES) * cycler(color=SERIES),
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.edgecolor": NEUTRAL,
        "axes.titlesize": "medium",
        "axes.titlelocation": "left",
        "grid.color": GRID,
        "grid.linewidth": 0.6,
        "legend.frameon": False,
        "legend.fontsize": "small",
        "lines.linewidth": 1.5,
        "xtick.color": NEUTRAL,
        "ytick.color": NEUTRAL,
        "xtick.labelcolor": "black",
        "ytick.labelcolor": "black",
    }


def new_axes(ax: Axes | None, height: float = 3.2) -> Axes:
    """Return these Axes, or those of a new figure of this height in inches.

    Examples
    --------
    >>> new_axes(None).get_figure().get_size_inches().tolist()
    [5.0, 3.2]
    """
    return new_panels(_WIDTH, height)[1][0] if ax is None else ax


def new_panels(width: float, height: float, count: int = 1) -> tuple[Figure, list[Axes]]:
    """Return a new figure with this many panels side by side.

    Examples
    --------
    >>> len(new_panels(6, 3, 2)[1])
    2
    """
    with needs("matplotlib"):
        import matplotlib
        from matplotlib.figure import Figure  # not pyplot, which keeps every figure until it is closed

    with matplotlib.rc_context(style()):
        figure = Figure(figsize=(width, height), layout="constrained")
        return figure, [figure.add_subplot(1, count, place) for place in range(1, count + 1)]


def shown(name: str) -> str:
    """Return the name, shortened in the middle to fit beside a plot, with unprintable characters replaced.

    Examples
    --------
    >>> shown("bm25"), shown("a-very-long-name-of-a-system-2")
    ('bm25', 'a-very-long-na…of-a-system-2')
    """
    visible = "".join(letter if letter.isprintable() else "\ufffd" for letter in name)
    half = _LONGEST_NAME // 2
    return visible if len(visible) <= _LONGEST_NAME else f"{visible[:half]}…{visible[1 - half :]}"
