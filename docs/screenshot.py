"""Take docs/images/report.png and report_dark.png: the report of ``idealrank demo`` as Chromium shows it.

    python -m docs.screenshot

The build of the site does this too, if playwright, Pillow and chromium are installed.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

WIDTH, HEIGHT = 1300, 1500
_IMAGES = Path(__file__).parent / "images"
TARGETS = {"light": _IMAGES / "report.png", "dark": _IMAGES / "report_dark.png"}


def is_possible() -> bool:
    """Return whether everything that takes pictures is installed."""
    return all(map(find_spec, ("playwright", "PIL"))) and shutil.which("chromium") is not None


def main() -> None:
    """Take the pictures, and replace a file if its picture is another one."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page, taken = Path(folder, "report.html"), Path(folder, "report.png")
        demo = [sys.executable, "-m", "idealrank", "demo", "--quiet", "--html", page]
        subprocess.run(demo, check=True, stdout=subprocess.DEVNULL)
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for scheme, target in TARGETS.items():
            tab = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme=scheme)
            tab.goto(page.as_uri())
            tab.wait_for_selector("main[aria-busy=false]")
            tab.screenshot(path=taken)
            _keep(taken, target)
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
