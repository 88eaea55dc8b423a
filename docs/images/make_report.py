"""Make report.png: the report of ``idealrank demo`` as Chromium shows it.

Run ``python docs/images/make_report.py`` where playwright, Pillow and chromium are installed.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

WIDTH, HEIGHT = 1300, 1500
TARGET = Path(__file__).with_name("report.png")

with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
    page = Path(folder, "report.html")
    subprocess.run([sys.executable, "-m", "idealrank.cli", "demo", "--quiet", "--html", page], check=True)
    browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
    tab = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
    tab.goto(page.as_uri())
    tab.wait_for_selector("main[aria-busy=false]")
    tab.screenshot(path=TARGET)
    browser.close()
picture = Image.open(TARGET).convert("RGB")
picture.quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(TARGET, optimize=True)
