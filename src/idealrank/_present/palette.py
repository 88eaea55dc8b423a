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
