"""The report in a real browser: headless Chromium, offline."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import idealrank as ir
from idealrank.report import html, over_cutoffs

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
CHROMIUM = shutil.which("chromium")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")

EVIL = "<script>alert(1)</script>"
N_QUERIES = 300


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three systems; one query has a name that would run if the page let it, and one has no value."""
    rng = np.random.default_rng(3)
    queries = [EVIL, *(f"q{i}" for i in range(1, N_QUERIES))]
    qrels = {q: {f"d{j}": int(rng.integers(0, 3)) for j in range(10)} for q in queries}
    qrels["q7"] = {"d0": 0}
    systems = {
        name: {q: {d: label + noise * float(rng.normal()) for d, label in docs.items()} for q, docs in qrels.items()}
        for name, noise in ((EVIL, 1.0), ("fair", 2.0), ("a long name of a system, as people give them", 9.0))
    }
    measures = ["ndcg(empty=nan)@10", "dcg"]
    path = tmp_path_factory.mktemp("report") / "report.html"
    curves = ir.evaluate(qrels, systems, over_cutoffs(measures))
    html(ir.compare(qrels, systems, measures, seed=0, n_permutations=500), path, curves=curves, title=EVIL)
    return path


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as started:
        launched = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield launched
        launched.close()


@dataclass
class Visit:
    """A page that was opened, and everything that it complained of or asked for."""

    page: Any
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def refuse(self, dialog: Any) -> None:
        self.complaints.append(dialog.message)
        dialog.dismiss()

    def rows(self) -> list[list[str]]:
        """The texts of the table of queries."""
        script = "rows => rows.map(row => [...row.cells].map(cell => cell.textContent))"
        found: list[list[str]] = self.page.eval_on_selector_all("#queries-table tbody tr", script)
        return found

    def sort_by(self, name: str) -> str:
        """Press the head of a column; the order that it then says it has."""
        head = self.page.locator("#queries-table thead th").filter(has=self.page.get_by_role("button", name=name))
        head.get_by_role("button").click()
        return str(head.get_attribute("aria-sort"))

    def is_wider_than_its_window(self) -> bool:
        return bool(self.page.evaluate("document.documentElement.scrollWidth > innerWidth"))


@pytest.fixture(params=["light", "dark", "phone"])
def visit(request: pytest.FixtureRequest, browser: Any, report: Path) -> Iterator[Visit]:
    yield from visited(browser, report, request.param)


@pytest.fixture
def plain(browser: Any, report: Path) -> Iterator[Visit]:
    yield from visited(browser, report, "light")


@pytest.fixture
def dark(browser: Any, report: Path) -> Iterator[Visit]:
    yield from visited(browser, report, "dark")


def visited(browser: Any, report: Path, kind: str) -> Iterator[Visit]:
    context = browser.new_context(
        color_scheme="dark" if kind == "dark" else "light",
        viewport={"width": 390 if kind == "phone" else 1200, "height": 844},
        offline=True,
    )
    seen = Visit(context.new_page())
    seen.page.on("console", lambda message: seen.complaints.append(message.text))
    seen.page.on("pageerror", lambda error: seen.complaints.append(str(error)))
    seen.page.on("dialog", seen.refuse)
    seen.page.on("request", lambda asked: seen.requests.append(asked.url))
    seen.page.goto(report.as_uri())
    yield seen
    context.close()


def test_the_page_opens_without_a_complaint_or_a_request(visit: Visit, report: Path) -> None:
    assert visit.page.title() == EVIL
    assert visit.page.locator("h1").text_content() == EVIL
    assert len(visit.rows()) == 200
    assert visit.complaints == []
    assert visit.requests == [report.as_uri()]


def test_the_page_fits_its_window(visit: Visit) -> None:
    assert not visit.is_wider_than_its_window()
    for figure in visit.page.locator("svg.figure").all():
        box = figure.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= visit.page.viewport_size["width"]


def test_no_text_of_a_figure_leaves_it(visit: Visit) -> None:
    script = """svgs => svgs.flatMap(svg => {
        const outer = svg.getBoundingClientRect();
        return [...svg.querySelectorAll("text")].filter(text => {
            const box = text.getBoundingClientRect();
            return box.left < outer.left - 1 || box.right > outer.right + 1
                || box.top < outer.top - 1 || box.bottom > outer.bottom + 1;
        }).map(text => `${svg.querySelector("title").textContent}: ${text.textContent}`);
    })"""
    assert visit.page.eval_on_selector_all("svg.figure", script) == []


def test_dark_pages_are_dark_and_paper_is_light(dark: Visit) -> None:
    ground = "getComputedStyle(document.documentElement).backgroundColor"
    line = "getComputedStyle(document.querySelector('svg.figure text')).fill"
    assert dark.page.evaluate(ground) == "rgb(20, 23, 28)"
    assert dark.page.evaluate(line) == "rgb(231, 233, 236)"
    dark.page.emulate_media(media="print")
    assert dark.page.evaluate(ground) == "rgb(255, 255, 255)"
    assert dark.page.evaluate(line) == "rgb(28, 31, 36)"
    assert not dark.page.locator(".controls").is_visible()
    assert dark.page.locator("#queries-table tbody tr:visible").count() == 50


def test_columns_sort_both_ways_and_keep_missing_values_last(plain: Visit) -> None:
    plain.page.locator("#queries-more").click()
    assert len(plain.rows()) == N_QUERIES
    assert plain.sort_by("fair") == "descending"
    column = [row[2] for row in plain.rows()]
    assert column[-1] == "none"
    values = [float(value) for value in column[:-1]]
    assert values == sorted(values, reverse=True)
    assert plain.sort_by("fair") == "ascending"
    column = [row[2] for row in plain.rows()]
    assert column[-1] == "none"
    assert [float(value) for value in column[:-1]] == sorted(values)


def test_queries_sort_by_the_numbers_in_their_names(plain: Visit) -> None:
    assert plain.sort_by("query") == "ascending"
    assert [row[0] for row in plain.rows()[:12]] == [EVIL, *(f"q{i}" for i in range(1, 12))]
    assert plain.complaints == []


def test_the_filter_finds_queries_by_a_part_of_their_name(plain: Visit) -> None:
    plain.page.get_by_label("Query contains").fill("Q29")
    assert [row[0] for row in plain.rows()] == ["q29", *(f"q{i}" for i in range(290, 300))]
    assert plain.page.locator("#queries-status").text_content() == "11 of 300 queries shown, 11 match"
    plain.page.get_by_label("Query contains").fill("script>")
    assert [row[0] for row in plain.rows()] == [EVIL]
    plain.page.get_by_label("Query contains").fill("no such query")
    assert plain.rows() == []
    assert plain.complaints == []


def test_another_measure_shows_other_values(plain: Visit) -> None:
    before = plain.rows()
    plain.page.get_by_label("Measure").select_option("dcg")
    after = plain.rows()
    assert [row[0] for row in after] == [row[0] for row in before]
    assert after != before
    assert max(float(row[1]) for row in after) > 1


def test_the_table_can_be_used_by_keyboard_alone(plain: Visit) -> None:
    plain.page.get_by_label("Query contains").focus()
    plain.page.keyboard.press("Tab")  # the region, which scrolls
    assert plain.page.evaluate("document.activeElement.id") == "queries-scroll"
    plain.page.keyboard.press("Tab")
    plain.page.keyboard.press("Enter")
    assert plain.page.locator("#queries-table th[aria-sort=ascending]").text_content() == "query"
    assert plain.page.evaluate("document.activeElement.textContent") == "query"


def test_a_script_in_the_data_could_not_run_even_as_markup(plain: Visit) -> None:
    """The page's policy lets its own script run and no other, whoever puts one there."""
    script = "document.body.append(Object.assign(document.createElement('script'), {textContent: 'window.ran = true'}))"
    plain.page.evaluate(script)
    assert plain.page.evaluate("window.ran") is None
    assert any("Content Security Policy" in complaint for complaint in plain.complaints)
