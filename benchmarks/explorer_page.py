"""Size and speed of the explorer in Chromium: the example, and runs of a million lines and of 100 MB.

Run ``python -m benchmarks.explorer_page`` where clang for WebAssembly, playwright and chromium are installed. Times are
by the page's own clock: of the example, from the start of the page to its first number; of files, from the moment at
which they are dropped to the first number, and to the numbers of all tools; medians of three visits.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from explorer import build

__all__ = ["main"]

_WATCH = """
window.seen = {};
new MutationObserver(() => {
    if (seen.first === undefined && document.querySelector("#tools .mean")) seen.first = performance.now();
}).observe(document, {childList: true, subtree: true});
"""


def write_files(folder: Path, n_queries: int, n_docs: int, seed: int = 0) -> dict[str, Path]:
    """Write judgments and a run with n_queries * n_docs lines."""
    rng = np.random.default_rng(seed)
    judged, run = folder / f"{n_queries}.qrels", folder / f"{n_queries}.run"
    with judged.open("w") as qrels_file, run.open("w") as run_file:
        for query in range(n_queries):
            docs = rng.permutation(10 * n_docs)
            scores = np.sort(rng.normal(10, 3, n_docs))[::-1]
            labels = rng.choice(4, 50, p=[0.6, 0.2, 0.15, 0.05])
            qrels_file.writelines(
                f"{query} 0 D{doc:07d} {label}\n" for doc, label in zip(docs[: 4 * 50 : 4], labels, strict=True)
            )
            run_file.writelines(
                f"{query} Q0 D{doc:07d} {rank} {score:.6f} bm25\n"
                for rank, (doc, score) in enumerate(zip(docs[:n_docs], scores, strict=True), 1)
            )
    return {"judgments": judged, "run": run}


def visit_example(browser: Any, page_file: Path) -> float:
    """Return the milliseconds from the start of the page to its first number."""
    page = browser.new_page(offline=True)
    page.add_init_script(_WATCH)
    page.goto(f"{page_file.as_uri()}#data=example")
    page.wait_for_function("() => seen.first !== undefined")
    first = float(page.evaluate("() => seen.first"))
    page.close()
    return first


def visit_files(browser: Any, page_file: Path, files: dict[str, Path]) -> tuple[float, float]:
    """Return the milliseconds from dropping the run to the first number, and to all of them."""
    page = browser.new_page(offline=True)
    page.goto(f"{page_file.as_uri()}#a=trec_eval&b=sklearn")  # without the example
    page.set_input_files("#file-judgments", files["judgments"])
    page.wait_for_function("() => document.querySelector('#state-judgments').textContent.includes('documents')")
    page.evaluate(_WATCH.replace("seen.first = performance.now()", "seen.first = performance.now() - seen.start"))
    page.evaluate(
        "() => document.querySelector('#file-run')"
        ".addEventListener('change', () => { seen.start = performance.now(); }, true)"
    )
    page.set_input_files("#file-run", files["run"])
    page.wait_for_function("() => document.documentElement.dataset.done !== undefined", timeout=300_000)
    first, everything = page.evaluate("() => [seen.first, performance.now() - seen.start]")
    page.close()
    return float(first), float(everything)


def measured(folder: Path, n_visits: int, most_megabytes: int) -> Iterator[str]:
    """Yield what was measured, a line each."""
    from playwright.sync_api import sync_playwright

    page_file = folder / "explore.html"
    build.main(page_file)
    yield f"page: {page_file.stat().st_size / 1e6:.2f} MB, of which WebAssembly {len(build.webassembly()) / 1e6:.2f} MB"
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        times = [visit_example(browser, page_file) for _ in range(n_visits)]
        yield f"first number of the example: {statistics.median(times) / 1000:.2f} s"
        for n_queries in (1000, 2800):
            files = write_files(folder, n_queries, 1000)
            size = files["run"].stat().st_size / 1e6
            if size > most_megabytes:
                continue
            pairs = [visit_files(browser, page_file, files) for _ in range(n_visits)]
            first, everything = (statistics.median(column) / 1000 for column in zip(*pairs, strict=True))
            lines = f"run of {n_queries * 1000:,} lines, {size:.0f} MB"
            yield f"{lines}: first number {first:.2f} s, all tools {everything:.2f} s"
        browser.close()


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--visits", type=int, default=3)
    parser.add_argument("--megabytes", type=int, default=200, help="leave out runs that are larger")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for line in measured(Path(folder), options.visits, options.megabytes):
            print(line, flush=True)


if __name__ == "__main__":
    main()
