"""Take docs/images/report*.png: the beginning and the figures of the report of ``idealrank demo``, light and dark.

For phones, there are pictures of the page as a phone shows it.

    python -m docs.screenshot

The build of the site does this too, if playwright, Pillow and chromium are installed.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import Literal

MARGIN = 16
_IMAGES = Path(__file__).parent / "images"
SCHEMES: dict[Literal["light", "dark"], str] = {"light": "", "dark": "_dark"}
#: What the pictures show, by their names: the width of the page, and the selectors of the first and the last element.
PARTS = {
    "report": (1300, "html", "section:has([data-view=leaderboard])"),
    "report_phone": (390, "section:has([data-view=leaderboard]) h2", "section:has([data-view=leaderboard])"),
    "report_figures": (1100, "section:has([data-view=figures]) h2", "section:has([data-view=figures])"),
    "report_figures_phone": (390, "section:has([data-view=figures]) h2", "[data-view=figures] figure:nth-of-type(2)"),
}
_EDGES = "selectors => selectors.map(each => document.querySelector(each).getBoundingClientRect())"


def is_possible() -> bool:
    """Return whether everything that takes pictures is installed."""
    return all(map(find_spec, ("playwright", "PIL"))) and shutil.which("chromium") is not None


def main() -> None:
    """Take the pictures, and replace a file if its picture is another one."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page, taken = Path(folder, "report.html"), Path(folder, "report.png")
        demo: list[str | Path] = [sys.executable, "-m", "idealrank", "demo", "--quiet", "--html", page]
        subprocess.run(demo, check=True, stdout=subprocess.DEVNULL)
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for (scheme, ending), (part, (width, *ends)) in product(SCHEMES.items(), PARTS.items()):
            viewport = {"width": width, "height": 900}
            sharpness = 2 if width < 600 else 1  # phones have small pixels
            tab = browser.new_page(viewport=viewport, color_scheme=scheme, device_scale_factor=sharpness)
            tab.goto(page.as_uri())
            tab.wait_for_selector("main[aria-busy=false]")
            first, last = tab.evaluate(_EDGES, ends)
            height = last["y"] + last["height"] - first["y"] + MARGIN
            tab.screenshot(
                path=taken, full_page=True, clip={"x": 0, "y": first["y"] + 1, "width": width, "height": height}
            )
            _keep(taken, _IMAGES / f"{part}{ending}.png")
        browser.close()


def _keep(taken: Path, target: Path) -> None:
    """Replace the target if a picture was taken that looks different."""
    from PIL import Image, ImageChops

    picture = Image.open(taken).convert("RGB").quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    if target.exists():
        with Image.open(target) as kept:
            is_same = kept.size == picture.size
            if is_same and not ImageChops.difference(kept.convert("RGB"), picture.convert("RGB")).getbbox():
                return
    picture.save(target, optimize=True)


if __name__ == "__main__":
    main()
