"""Size and speed of the report of 100 systems on 5,000 queries, in Chromium.

Run ``python -m benchmarks.report_page`` where playwright and chromium are installed. It prints the size of the page,
how long it takes until the page is ready, and how long each action takes until the browser has drawn its result, by the
clock and by the time that the page's thread computes, which other processes change little: medians of three visits.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import idealrank as ir
from idealrank import report

#: What people do, as JavaScript, by name. Each is timed until the second frame after it.
ACTIONS = {
    "choose all systems": "document.querySelector('[data-show=all]').click()",
    "sort the leaderboard, all chosen": "document.querySelector('#board [data-sort=system]').click()",
    "sort queries by a system, all chosen": "document.querySelectorAll('#queries-table [data-sort]')[1].click()",
    "press a query, all chosen": "document.querySelectorAll('#queries-table [data-query]')[3].click()",
    "compare with another system, all chosen": (
        "{const s = document.querySelector('#against'); s.selectedIndex = 3; s.dispatchEvent(new Event('change'))}"
    ),
    "choose the top 10": "document.querySelector('[data-show=top]').click()",
    "pick one more system": "document.querySelector('#board [data-system]:not(:checked)').click()",
    "press a query": "document.querySelectorAll('#queries-table [data-query]')[5].click()",
    "close the query": "document.querySelector('#detail [title=Close]').click()",
    "sort queries by spread": "document.querySelector('#queries-table [data-sort=spread]').click()",
    "filter queries": (
        "{const i = document.querySelector('#queries-filter'); i.value = '12'; i.dispatchEvent(new Event('input'))}"
    ),
    "scroll to the last query": "document.querySelector('#queries-scroll').scrollTop = 1e7",
    "another pair in the scatter": (
        "{const s = document.querySelector('[data-key=y]'); s.selectedIndex = 7; s.dispatchEvent(new Event('change'))}"
    ),
    "another measure": (
        "{const s = document.querySelector('#measure'); s.selectedIndex = s.length - 1;"
        " s.dispatchEvent(new Event('change'))}"
    ),
}
_READY = "new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(performance.now()))))"
_TIMED = """async () => {
    const frame = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    await frame();
    const begin = performance.now();
    {ACTION};
    await frame();
    return performance.now() - begin;
}"""


def drawn(n_systems: int, n_queries: int, n_docs: int = 30) -> tuple[ir.RankingData, dict[str, Any]]:
    """Return drawn labels, and scores of systems from good to bad."""
    rng = np.random.default_rng(1)
    labels = rng.choice(4, (n_queries, n_docs), p=[0.6, 0.2, 0.13, 0.07])
    data = ir.from_arrays(labels.ravel(), offsets=np.arange(n_queries + 1) * n_docs)
    noise = np.linspace(1, 4, n_systems)
    systems = {f"system {i:02d}": (labels + rng.normal(size=labels.shape) * noise[i]).ravel() for i in range(n_systems)}
    return data, systems


def write_page(path: Path, n_systems: int, n_queries: int, measures: list[str]) -> None:
    """Write the report of drawn systems."""
    data, systems = drawn(n_systems, n_queries)
    found = ir.compare(data, systems, measures, seed=0, n_permutations=200, for_report=True)
    report.html(found, path)


def visits(path: Path, n_visits: int) -> Iterator[dict[str, tuple[float, float]]]:
    """Yield the milliseconds until the page is ready, and of each action: of the clock, and of the page's thread."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for _ in range(n_visits):
            tab = browser.new_page(viewport={"width": 1300, "height": 900})
            complaints: list[str] = []
            tab.on("pageerror", _noting(complaints))
            tools = tab.context.new_cdp_session(tab)
            tools.send("Performance.enable", {"timeDomain": "threadTicks"})
            times = {}
            spent = _busy(tools)
            tab.goto(path.as_uri(), wait_until="commit")
            tab.wait_for_selector("html.ready", state="attached")
            ready = tab.evaluate(_READY)
            times["ready"] = ready, _busy(tools) - spent
            for name, action in ACTIONS.items():
                spent = _busy(tools)
                passed = tab.evaluate(_TIMED.replace("{ACTION}", action))
                times[name] = passed, _busy(tools) - spent
            yield times
            assert not complaints, complaints
            tab.close()
        browser.close()


def _busy(tools: Any) -> float:
    """Return how long the page's thread has computed, in milliseconds; other processes do not count."""
    metrics = {each["name"]: each["value"] for each in tools.send("Performance.getMetrics")["metrics"]}
    return 1000 * float(metrics["TaskDuration"])


def _noting(complaints: list[str]) -> Callable[[Any], None]:
    return lambda error: complaints.append(str(error))


def main() -> None:
    """Print the size of the page and the median times."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--systems", type=int, default=100)
    parser.add_argument("--queries", type=int, default=5000)
    parser.add_argument("--measures", nargs="+", default=["ndcg@10"])
    parser.add_argument("--page", type=Path, help="measure this page, which was made before")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = options.page or Path(folder, "report.html")
        if not options.page:
            write_page(path, options.systems, options.queries, options.measures)
        print(f"{path.stat().st_size / 1e6:8.2f} MB  page")
        found = list(visits(path.resolve(), 3))
        print("   clock  thread, ms")
        for name in found[0]:
            passed, busy = (statistics.median(each[name][i] for each in found) for i in (0, 1))
            print(f"{passed:8.0f} {busy:7.0f}  {name}")


if __name__ == "__main__":
    main()
