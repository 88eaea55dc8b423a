"""Look at the built site in Chromium: take a picture of every page, and report what is wrong with it.

    python -m docs.look pictures/                 every page of site/
    python -m docs.look pictures/ a.html b.html   these pages instead, reports for example

Each page is shown at three widths, light and dark, and printed as PDF. What is reported: errors on the console, text
wider than its page or its block, words of code cut in two, links, anchors and pictures that lead nowhere, and text of
too little contrast.
"""

from __future__ import annotations

import shutil
import sys
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

from playwright.sync_api import Page, sync_playwright

SITE = Path(__file__).parent.parent / "site"
WIDTHS = (1300, 768, 390)
SCHEMES = ("light", "dark")

# Contrast as WCAG 2 defines it: 4.5 to 1, and 3 to 1 for large text.
FAULTS = r"""
() => {
  const faults = [];
  const short = (text) => text.trim().replace(/\s+/g, " ").slice(0, 50);
  const root = document.scrollingElement;
  const [wide, seen] = [root.scrollWidth, root.clientWidth];
  if (wide > seen) faults.push(`the page is ${wide} px wide, not ${seen}`);
  // Code may scroll on a phone, and a wide table on a tablet.
  const whole = ["pre, pre > code", ".md-typeset__scrollwrap"].filter((_, i) => innerWidth > [600, 1000][i]).join();
  for (const block of whole ? document.querySelectorAll(whole) : [])
    if (block.clientWidth && block.scrollWidth > block.clientWidth + 1)
      faults.push(`a block is cut after ${block.clientWidth} of ${block.scrollWidth} px: ${short(block.textContent)}`);
  for (const image of document.images)
    if (image.complete && !image.naturalWidth) faults.push(`a picture is missing: ${image.src}`);
  for (const code of document.querySelectorAll(":not(pre) > code")) {
    if (code.getClientRects().length < 2) continue;
    const range = document.createRange(), texts = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const text = texts.currentNode.data;
      const top = (i) => (range.setStart(texts.currentNode, i), range.setEnd(texts.currentNode, i + 1),
                          range.getBoundingClientRect().top);
      for (let i = 1; i < text.length; i++)
        if (/^[A-Za-z]{2}$/.test(text.slice(i - 1, i + 1)) && top(i) > top(i - 1) + 2)
          faults.push(`a word is cut after ${text.slice(0, i)}: ${short(text)}`);
    }
  }

  const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
  const colors = new Map();
  const rgba = (text) => {
    if (!colors.has(text)) {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = text;
      canvas.fillRect(0, 0, 1, 1);
      const [red, green, blue, alpha] = canvas.getImageData(0, 0, 1, 1).data;
      colors.set(text, [red, green, blue, alpha / 255]);
    }
    return colors.get(text);
  };
  const over = (top, below) => [0, 1, 2].map((i) => top[i] * top[3] + below[i] * (1 - top[3]));
  const backgrounds = new Map();
  const behind = (element) => {
    if (!element) return rgba(getComputedStyle(document.documentElement).colorScheme === "dark" ? "#121212" : "#fff");
    if (!backgrounds.has(element)) {
      const own = rgba(getComputedStyle(element).backgroundColor);
      backgrounds.set(element, own[3] === 1 ? own : [...over(own, behind(element.parentElement)), 1]);
    }
    return backgrounds.get(element);
  };
  const light = (color) => {
    const [red, green, blue] = color.map((c) => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const poor = new Map();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode.textContent.trim(), parent = walker.currentNode.parentElement;
    if (!text || !parent.checkVisibility({opacityProperty: true, visibilityProperty: true})) continue;
    if (parent.closest("script, style, noscript, .md-search")) continue;
    const style = getComputedStyle(parent), size = parseFloat(style.fontSize);
    const color = parent.namespaceURI.endsWith("svg") ? style.fill : style.color;
    if (color === "none") continue;
    const below = behind(parent), ink = over(rgba(color), below);
    const [dark, bright] = [light(ink), light(below)].sort((a, b) => a - b);
    const ratio = (bright + 0.05) / (dark + 0.05);
    const large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
    if (ratio < (large ? 3 : 4.5)) {
      const kind = `${parent.tagName.toLowerCase()}.${parent.getAttribute("class") || ""} ${color}`;
      if (!poor.has(kind)) poor.set(kind, `contrast ${ratio.toFixed(2)} (${kind}): ${short(text)}`);
    }
  }
  faults.push(...poor.values());
  return faults;
}
"""
LINKS = "() => [...document.querySelectorAll('a[href]')].map((link) => link.href)"
NAMES = "() => [...document.querySelectorAll('[id], a[name]')].map((each) => each.id || each.name)"


class Quiet(SimpleHTTPRequestHandler):
    """Serve files without a word."""

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def name_of(path: Path, root: Path) -> str:
    """Return one word for a page: ``api_losses`` for api/losses/index.html."""
    parts = path.relative_to(root).with_suffix("").parts
    return "_".join(part for part in parts if part != "index") or "home"


def look(pages: list[Path], root: Path, target: Path) -> list[str]:
    """Take pictures of pages below ``root``; return what is wrong with them."""
    target.mkdir(parents=True, exist_ok=True)
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(root)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    base = f"http://127.0.0.1:{server.server_port}"
    faults: dict[str, list[str]] = {}
    anchors: dict[str, set[str]] = {}
    links: dict[str, set[str]] = {}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for scheme in SCHEMES:
            for width in WIDTHS:
                context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
                tab = context.new_page()
                for path in pages:
                    name = name_of(path, root)
                    address = f"{base}/{path.relative_to(root)}".removesuffix("index.html")
                    for fault in visit(tab, address, target / f"{name}-{width}-{scheme}.png"):
                        faults.setdefault(f"{name}: {fault}", []).append(f"{width} {scheme}")
                    if scheme == "light" and width == WIDTHS[0]:
                        anchors[address] = set(tab.evaluate(NAMES))
                        links[address] = set(tab.evaluate(LINKS))
                        tab.pdf(path=target / f"{name}.pdf", format="A4")
                context.close()
        browser.close()
    server.shutdown()
    for address, leads in links.items():
        for lead in sorted(leads):
            if lead.startswith(base) and (wrong := broken(lead, anchors, root)):
                faults.setdefault(f"{address.removeprefix(base)}: {wrong}", [])
    return [fault + (f" ({', '.join(where)})" if where else "") for fault, where in faults.items()]


def visit(tab: Page, address: str, picture: Path) -> list[str]:
    """Show a page; return its faults."""
    said: list[str] = []

    def console(message: object) -> None:
        if message.type in ("error", "warning"):  # type: ignore[attr-defined]
            said.append(f"the console says: {message.text}")  # type: ignore[attr-defined]

    tab.on("console", console)
    tab.goto(address)
    tab.wait_for_load_state("networkidle")
    if tab.query_selector("main[aria-busy]"):
        tab.wait_for_selector("main[aria-busy=false]")
    faults = said + tab.evaluate(FAULTS)
    tab.screenshot(path=picture, full_page=True)
    tab.remove_listener("console", console)
    return faults


def broken(lead: str, anchors: dict[str, set[str]], root: Path) -> str:
    """Return what is wrong with a link within the site, or nothing."""
    parts = urlsplit(lead)
    page = f"{parts.scheme}://{parts.netloc}{parts.path}".removesuffix("index.html")
    if page not in anchors:
        path = root / unquote(parts.path).lstrip("/")
        return "" if path.is_file() or (path / "index.html").is_file() else f"a link leads nowhere: {parts.path}"
    if parts.fragment and unquote(parts.fragment) not in anchors[page] and not parts.fragment.startswith(("v=", "q=")):
        return f"an anchor is missing: {parts.path}#{parts.fragment}"
    return ""


def main(target: str, *chosen: str) -> int:
    """Look at every page of the site, or at those chosen; return 1 if anything is wrong."""
    pages = [Path(each).resolve() for each in chosen] or sorted(SITE.rglob("*.html"))
    faults = look(pages, pages[0].parent if chosen else SITE, Path(target))
    print("\n".join(faults) or f"{len(pages)} pages, nothing wrong")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
