"""Headless Chromium, and the explorer, built once and opened from disk, offline."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

#: Milliseconds in which a browser must have answered, also on a machine that does much else.
PATIENCE = 120_000


@pytest.fixture(scope="session")
def explorer_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page as the documentation has it."""
    if shutil.which("clang++-19") is None:
        pytest.skip("clang++-19, which compiles to WebAssembly, is not installed")
    from explorer import build

    path = tmp_path_factory.mktemp("explorer") / "explore.html"
    build.main(path)
    return path


@pytest.fixture(scope="module")  # no longer, for Playwright leaves an event loop running
def chromium() -> Iterator[Any]:
    """A browser, of which Playwright allows one at a time in a process."""
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = shutil.which("chromium")
    if path is None:
        pytest.skip("chromium is not installed")
    with api.sync_playwright() as started:
        launched = started.chromium.launch(executable_path=path, args=["--no-sandbox"], timeout=PATIENCE)
        yield launched
        launched.close()


@pytest.fixture
def visit(explorer_file: Path, chromium: Any) -> Iterator[Callable[..., Any]]:
    """Open the page with the text after the # and options of a browser context; it must not complain of anything."""
    complaints: list[str] = []
    contexts = []

    def opened(link: str = "", *, script: str = "", complains: bool = False, **options: Any) -> Any:
        context = chromium.new_context(**({"offline": True, "viewport": {"width": 1300, "height": 900}} | options))
        context.set_default_timeout(PATIENCE)
        contexts.append(context)
        page = context.new_page()
        if script:
            page.add_init_script(script)
        if not complains:
            page.on("pageerror", lambda error: complaints.append(str(error)))
            page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
        page.goto(f"{explorer_file.as_uri()}{link}")
        return page

    yield opened
    for context in contexts:
        context.close()
    assert not complaints
