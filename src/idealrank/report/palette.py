"""Colors for light and dark pages: distinguishable for color-blind readers, and legible as text on their page."""

from __future__ import annotations

__all__ = ["BETTER", "COLOURS", "GRID", "NEUTRAL", "SERIES", "WORSE", "css"]

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
    "series-0": ("#0a5cb8", "#6db3fe"),
    "series-1": ("#ad4800", "#ff9e58"),
    "series-2": ("#0c7350", "#4fcf9f"),
    "series-3": ("#9c1f5f", "#ff8fc0"),
    "series-4": ("#6440b8", "#b9a2ff"),
    "series-5": ("#4f5761", "#c0c7d0"),
    "series-6": ("#0b6b80", "#59cfe6"),
    "series-7": ("#7a6000", "#e3c453"),
    "series-8": ("#b3261e", "#ff8f86"),
    "series-9": ("#36419c", "#a2adff"),
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
