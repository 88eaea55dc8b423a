"""The report in a real browser: headless Chromium, offline."""

import json
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import pytest
from exploring import PATIENCE
from numpy.testing import assert_allclose

import idealrank as ir
from idealrank import report

EVIL = "<script>alert(1)</script>"
#: Names that markup, addresses, selectors, spreadsheets and columns have stumbled over.
HOSTILE = [EVIL, "a_b & c|d", '"quoted\' name"', "=1+1", "日本語", "x" * 200, "top", "show=all&measure=dcg", "_hidden"]
MEASURES = ["ndcg(empty=skip)@10", "dcg"]


def drawn(names: list[str], queries: list[str], seed: int = 3) -> tuple[dict[str, Any], dict[str, Any]]:
    """Judgments, and runs from good to bad with a few equal scores; one query has no value of the first measure."""
    rng = np.random.default_rng(seed)
    qrels = {q: {f"d{j}": int(rng.integers(0, 3)) for j in range(10)} for q in queries}
    if len(queries) > 10:
        qrels[queries[7]] = {"d0": 0}
    noise = np.linspace(0.5, 6, len(names))
    runs = {
        name: {q: {d: round(label + size * float(rng.normal()), 1) for d, label in qrels[q].items()} for q in queries}
        for name, size in zip(names, noise, strict=True)
    }
    return qrels, runs


def compared(
    names: list[str],
    queries: list[str],
    baseline: str | None = None,
    measures: list[str] = MEASURES,
    **options: Any,
) -> Callable[[Path], Any]:
    def write(path: Path) -> Any:
        qrels, runs = drawn(names, queries)
        choices = {"test": "t", "seed": 0, "n_permutations": 200, **options}
        found = ir.compare(qrels, runs, measures, baseline=baseline, for_report=True, **choices)
        report.html(found, path)
        return found

    return write


def evaluated(names: list[str], queries: list[str]) -> Callable[[Path], Any]:
    def write(path: Path) -> Any:
        qrels, runs = drawn(names, queries)
        found = ir.evaluate(qrels, runs, MEASURES, for_report=True)
        report.html(found, path)
        return found

    return write


def equal_means(path: Path) -> Any:
    """One system is better on 8 queries and much worse on one; another differs by less than can be shown."""
    names = [f"q{i}" for i in range(9)]
    qrels = {q: {"relevant": 1, **{f"n{j}": 0 for j in range(8)}} for q in names}

    def run(wrong: list[int]) -> dict[str, dict[str, float]]:
        others = {f"n{j}": -j - 0.5 for j in range(8)}
        return {q: {"relevant": -float(n), **others} for q, n in zip(names, wrong, strict=True)}

    runs = {"often": run([0] * 8 + [8]), "seldom": run([1] * 8 + [0])}
    found = ir.compare(qrels, runs, "auc", baseline="seldom", test="sign", correction="none")
    report.html(found, path)
    return found


def nearly_all_values(path: Path) -> Any:
    """Values from 0.05 to 0.95, between which a step of 0.5 has only one multiple."""
    qrels = {f"q{n}": {f"d{j}": int(j < n) for j in range(20)} for n in (1, 10, 19)}
    run = {q: {d: -float(rank) for rank, d in enumerate(docs)} for q, docs in qrels.items()}
    found = ir.compare(qrels, {"old": run, "new": run}, "p@20", baseline="old")
    report.html(found, path)
    return found


def tiny(path: Path) -> Any:
    found = compared(["old", "new"], QUERIES[:20], "old")(path)
    small = {name: (replace(each, difference=-1e-9),) for name, (each,) in found.differences.items()}
    report.html(replace(found, differences=small), path)
    return found


def explained(path: Path) -> Any:
    qrels, runs = drawn(["only"], [f"q{i}" for i in range(12)])
    found = ir.explain(qrels, runs["only"], "ndcg@5", like=["trec_eval", "sklearn", "letor4"])
    report.html(found, path)
    return found


def signed(value: float) -> str:
    return f"{value:+z.4f}".replace("-", "\u2212")


def distinguished(path: Path) -> Any:
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 200)
    scores = {name: labels + rng.normal(size=200) * size for name, size in (("a", 1), ("b", 3))}
    data = ir.from_arrays(labels, offsets=np.arange(0, 201, 20))
    measures, names = ["ndcg", "ndcg(discount=power:0.5)"], ("ApproxNDCG", "RankSVM")
    found = ir.theory.distinguish(data, dict(zip(names, scores.values(), strict=True)), measures, n_permutations=5)
    report.html(found, path)
    return found


QUERIES = [EVIL, *(f"q{i}" for i in range(1, 300))]
PAGES: dict[str, Callable[[Path], Any]] = {
    "2": compared(["old", "new"], QUERIES[:40], "old"),
    "17": compared([f"system {i}" for i in range(17)], QUERIES),
    "100": compared([f"system {i:02d}" for i in range(100)], [f"q{i}" for i in range(600)], "system 40"),
    "hostile": compared(HOSTILE, [*HOSTILE, "q1", "q2", "q3"]),
    "one query": compared(["old", "new"], ["q1"]),
    "no means": compared(["old", "new", "newer"], QUERIES[:20], None, ["ndcg(empty=nan)@10"]),
    "no correction": compared(["a", "b", "c"], QUERIES[:40], correction="none"),
    "equal means": equal_means,
    "nearly all values": nearly_all_values,
    "tiny": tiny,
    "one system": evaluated(["only"], QUERIES[:20]),
    "many measures": compared(
        ["old", "new", "newest"], QUERIES[:20], "old", [f"ndcg(discount=power:0.{i})@{i}" for i in range(1, 10)]
    ),
    "explanation": explained,
    "distinction": distinguished,
}


@dataclass(frozen=True)
class Page:
    """A page that was written, and its result."""

    path: Path
    found: Any


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Page]:
    folder = tmp_path_factory.mktemp("report")
    made: dict[str, Page] = {}

    def page(name: str) -> Page:
        if name not in made:
            path = folder / f"{name}.html"
            made[name] = Page(path, PAGES[name](path))
        return made[name]

    return page


@dataclass
class Visit:
    """A page that was opened, and everything that it complained of or asked for."""

    page: Any
    found: Any
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def refuse(self, dialog: Any) -> None:
        self.complaints.append(dialog.message)
        dialog.dismiss()

    def cells(self, rows: str) -> list[list[str]]:
        """The texts of the rows."""
        script = "rows => rows.map(row => [...row.cells].map(cell => cell.textContent))"
        found: list[list[str]] = self.page.eval_on_selector_all(rows, script)
        return found

    def queries(self) -> list[list[str]]:
        return self.cells("#queries-table tbody tr:not(.spacer)")

    def board(self) -> list[str]:
        """The systems of the leaderboard, in its order."""
        return list(self.page.locator("#board tbody .name").all_text_contents())

    def ticked(self) -> list[str]:
        ticks = "#board tbody tr:has(input:checked) .name"
        return list(self.page.locator(ticks).all_text_contents())

    def sort_by(self, table: str, key: str) -> str:
        """Press the head of a column; the order that it then says it has."""
        head = self.page.locator(f'{table} thead th:has([data-sort="{key}"])')
        head.get_by_role("button").click()
        self.settled()
        return str(head.get_attribute("aria-sort"))

    def scroll_queries(self, top: float) -> None:
        """Scroll the table of queries, and wait until it is drawn there, in the frame that tells it of it."""
        script = """top => new Promise(done => {
            document.querySelector("#queries-scroll").scrollTop = top;
            requestAnimationFrame(() => requestAnimationFrame(done));
        })"""
        self.page.evaluate(script, top)

    def settled(self) -> None:
        """Wait until all parts are drawn, also those that are out of sight."""
        self.page.wait_for_selector("main[aria-busy=false]")

    def is_wider_than_its_window(self) -> bool:
        return bool(self.page.evaluate("document.documentElement.scrollWidth > innerWidth"))


Open = Callable[..., Visit]


@pytest.fixture
def open_page(chromium: Any, pages: Callable[[str], Page]) -> Iterator[Open]:
    """Open a page by name; at the end of a test, no page may have complained or asked for anything."""
    visits = []

    def opened(name: str, kind: str = "light", address: str = "", **options: Any) -> Visit:
        page = pages(name)
        context = chromium.new_context(
            color_scheme="dark" if kind == "dark" else "light",
            viewport={"width": 390 if kind == "phone" else 1300, "height": 844},
            offline=True,
            **options,
        )
        context.set_default_timeout(PATIENCE)
        seen = Visit(context.new_page(), page.found)
        seen.page.on("console", lambda message: seen.complaints.append(message.text))
        seen.page.on("pageerror", lambda error: seen.complaints.append(str(error)))
        seen.page.on("dialog", seen.refuse)
        seen.page.on("request", lambda asked: seen.requests.append(asked.url.partition("#")[0]))
        seen.page.goto(page.path.as_uri() + address)
        visits.append((seen, context, page))
        if options.get("java_script_enabled", True):
            seen.page.wait_for_selector("html.ready", state="attached")
            seen.settled()
        return seen

    yield opened
    for seen, context, page in visits:
        context.close()
        assert seen.complaints == []
        assert seen.requests == [page.path.as_uri()]


@pytest.mark.parametrize("kind", ["light", "dark", "phone"])
@pytest.mark.parametrize("name", PAGES)
def test_a_page_fits_its_window_and_no_text_leaves_its_figure(open_page: Open, name: str, kind: str) -> None:
    visit = open_page(name, kind)
    assert not visit.is_wider_than_its_window()
    script = """svgs => svgs.flatMap(svg => {
        const outer = svg.getBoundingClientRect();
        return [...svg.querySelectorAll("text")].filter(text => {
            const box = text.getBoundingClientRect();
            return box.left < outer.left - 1 || box.right > outer.right + 1
                || box.top < outer.top - 1 || box.bottom > outer.bottom + 1;
        }).map(text => `${svg.getAttribute("aria-label")}: ${text.textContent}`);
    })"""
    assert visit.page.eval_on_selector_all("svg.plot, svg.figure", script) == []
    names = {"one system": 1, "explanation": 0, "distinction": 0}
    assert len(visit.board()) == (names[name] if name in names else len(visit.found.systems))


@pytest.mark.parametrize("name", ["2", "17", "hostile", "explanation", "distinction"])
def test_no_name_that_fits_a_phone_is_broken(open_page: Open, name: str) -> None:
    visit = open_page(name, "phone")
    script = """names => {
        for (const each of document.querySelectorAll("details")) each.open = true;
        const ruler = document.createElement("canvas").getContext("2d");
        return names.filter(name => {
            const style = getComputedStyle(name);
            ruler.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
            const range = document.createRange();
            range.selectNodeContents(name);
            const lines = new Set([...range.getClientRects()].map(box => Math.round(box.top)));
            const word = name.textContent.trim();
            return !word.includes(" ") && lines.size > 1 && ruler.measureText(word).width < innerWidth - 100;
        }).map(name => name.textContent);
    }"""
    in_board = "#board .name, #board [data-sort=change] span"
    names = f":is(.scroll:not(.board) tbody th, {in_board}, .scroll thead th:not(:has(button), .axis))"
    assert visit.page.eval_on_selector_all(names, script) == []


def test_a_long_name_leaves_room_for_the_numbers_beside_it(open_page: Open) -> None:
    visit = open_page("hostile")
    script = """tables => tables.filter(table => table.checkVisibility() && table.scrollWidth > table.clientWidth)
        .map(table => table.textContent)"""
    assert visit.page.eval_on_selector_all(".scroll:not(.board, #queries-table)", script) == []


def test_dark_pages_are_dark_and_paper_is_light(open_page: Open) -> None:
    visit = open_page("2", "dark")
    ground = "getComputedStyle(document.documentElement).backgroundColor"
    line = "getComputedStyle(document.querySelector('svg.plot text')).fill"
    assert visit.page.evaluate(ground) == "rgb(20, 23, 28)"
    assert visit.page.evaluate(line) == "rgb(231, 233, 236)"
    visit.page.emulate_media(media="print")
    assert visit.page.evaluate(ground) == "rgb(255, 255, 255)"
    assert visit.page.evaluate(line) == "rgb(28, 31, 36)"
    assert not visit.page.locator(".toolbar").is_visible()


def test_the_leaderboard_has_the_numbers_of_the_result(open_page: Open) -> None:
    visit = open_page("100")
    found, measure = visit.found, MEASURES[0]
    means = found.means[measure]
    assert visit.board() == sorted(found.systems, key=lambda name: -means[name].mean)
    rows = dict(zip(visit.board(), visit.cells("#board tbody tr"), strict=True))
    for each in found.differences[measure]:
        _, mean, _, bounds, change, p, counts, effect, detectable, other = rows[each.system]
        interval = means[each.system]
        assert mean == f"{interval.mean:.4f}"
        assert bounds == f"{interval.low:.4f} to {interval.high:.4f}"
        sides = {True: "▲ significantly better: ", False: "▼ significantly worse: "}
        side = sides[each.difference > 0] if each.corrected <= 0.05 else ""
        assert change == f"{side}{signed(each.difference)}"
        assert p == ("<0.0001" if each.corrected < 0.0001 else f"{each.corrected:.4f}")
        assert counts == f"{each.effect.wins} · {each.effect.ties} · {each.effect.losses}"
        assert effect.replace("\u2212", "-").lstrip("+") == f"{each.effect.cohen_dz:.2f}"
        assert detectable == f"{each.detectable:.4f}"
        assert other == f"{found.means['dcg'][each.system].mean:.4f}"
    baseline = rows["system 40"]
    assert baseline[0].endswith("baseline")
    assert baseline[4:8] == ["", "", "", ""]


def test_intervals_are_drawn_to_the_scale_above_them(open_page: Open) -> None:
    for name in ("17", "one system"):
        visit = open_page(name)
        for media in ("screen", "print"):
            visit.page.emulate_media(media=media)
            if media == "print":
                visit.page.evaluate("dispatchEvent(new Event('beforeprint'))")
            script = (
                "all => all.map(each => { const box = each.getBoundingClientRect(); return [box.left, box.right]; })"
            )
            scale, *intervals = visit.page.eval_on_selector_all("#board :is(.scale, svg.interval)", script)
            assert intervals
            assert_allclose(intervals, [scale] * len(intervals), rtol=0, atol=0.6)
            assert visit.page.locator("#board .scale").get_by_text("interval").is_visible()


def test_counts_stand_outside_of_the_scatter_plot(open_page: Open) -> None:
    visit = open_page("2")
    figure = visit.page.locator("figure:has(figcaption:text('a point per query'))")
    (each,) = visit.found.differences[MEASURES[0]]
    told = [f"newbetter: {each.effect.wins}", f"oldbetter: {each.effect.losses}", f"same: {each.effect.ties}"]
    assert figure.locator(".counts li").all_text_contents() == told[: 3 if each.effect.ties else 2]
    assert not any("better" in text for text in figure.locator("svg.plot text").all_text_contents())


def test_an_axis_has_two_ticks_at_least(open_page: Open) -> None:
    visit = open_page("nearly all values", "phone")
    plot = visit.page.locator("figure:has(figcaption:text('a point per query')) svg.plot")
    lines = [str(path.get_attribute("d")) for path in plot.locator("path.grid").all()]
    assert sum("V" in d for d in lines) >= 2 <= sum("H" in d for d in lines)


def test_one_query_has_neither_intervals_nor_tests(open_page: Open) -> None:
    visit = open_page("one query")
    heads = visit.page.locator("#board thead th").all_text_contents()
    assert heads == ["system", MEASURES[0], f"\u2212\u00a0{visit.board()[0]}", "better · same · worse", "dcg"]
    text = visit.page.locator("main").text_content()
    assert "intervals by" not in text
    assert "▲" not in text


def test_a_wide_leaderboard_is_shaded_until_its_end_is_seen(open_page: Open) -> None:
    visit = open_page("17", "phone")
    frame = visit.page.locator(".shaded:has(#board)")
    assert "more" in frame.get_attribute("class")
    visit.page.locator(".board").evaluate("board => { board.scrollLeft = board.scrollWidth; }")
    visit.page.wait_for_selector(".shaded:has(#board):not(.more)")


def test_the_leaderboard_sorts_by_every_head(open_page: Open) -> None:
    visit = open_page("17")
    means = {name: each.mean for name, each in visit.found.means[MEASURES[0]].items()}
    assert visit.sort_by("#board", "mean") == "ascending"
    assert visit.board() == sorted(means, key=means.__getitem__)
    assert visit.sort_by("#board", "mean") == "descending"
    assert visit.sort_by("#board", "system") == "ascending"
    assert visit.board()[:3] == ["system 0", "system 1", "system 2"]  # numbers in names count as numbers
    assert visit.page.evaluate("document.activeElement.dataset.sort") == "system"
    for head in visit.page.locator("#board thead [data-sort]").all():
        head.click()
        order = head.locator("xpath=..").get_attribute("aria-sort")
        assert order in ("ascending", "descending")
        assert len(visit.board()) == 17
    assert visit.page.locator("#board [aria-sort=ascending], #board [aria-sort=descending]").count() == 1


def test_systems_are_chosen_for_all_views(open_page: Open) -> None:
    visit = open_page("100")
    best = visit.board()[:10]
    assert visit.ticked() == [*best[:9], "system 40"]  # the baseline is always among the first ten
    heads = "#queries-table thead [data-sort^='system:']"
    assert visit.page.locator(heads).count() == 10
    visit.page.get_by_role("button", name="All 100").click()
    visit.settled()
    assert len(visit.ticked()) == visit.page.locator(heads).count() == 100
    visit.page.get_by_role("button", name="Reference and best").click()
    assert visit.ticked() == [best[0], "system 40"]
    visit.page.get_by_role("checkbox", name="system 77").click()
    assert visit.ticked() == [best[0], "system 40", "system 77"]
    assert "system 77" in visit.page.evaluate("document.activeElement.closest('tr').textContent")
    visit.settled()
    for legend in visit.page.locator("figure:not([hidden]) .legend:not(.counts)").all():
        assert legend.locator("li").all_text_contents() == [best[0], "system 40", "system 77"]
        assert legend.locator("li svg").count() == 3
    visit.page.get_by_label("Find a system").fill("stem 0")
    assert visit.board() == [name for name in best if name.startswith("system 0")]


def test_the_button_for_two_systems_is_pressed_only_if_they_are_chosen(open_page: Open) -> None:
    visit = open_page("17")
    button = visit.page.get_by_role("button", name="Reference and best")
    button.click()
    assert button.get_attribute("aria-pressed") == "true"
    visit.page.get_by_role("checkbox", name="system 9").click()
    visit.settled()
    assert button.get_attribute("aria-pressed") == "false"


def test_of_more_systems_than_colors_the_best_have_one_and_the_others_are_gray(open_page: Open) -> None:
    visit = open_page("100", address="#show=all")
    for legend in visit.page.locator("figure:not([hidden]) .legend:not(.counts)").all():
        assert legend.locator("li").all_text_contents() == [*visit.board()[:10], "system 40", "89 other systems"]
    curves = visit.page.locator("[data-view=curves] figure").first
    assert curves.locator("svg.plot .line.gray").count() == 89
    drawn = curves.locator("svg.plot .line:not(.gray)")
    styles = {(line.get_attribute("stroke"), line.get_attribute("stroke-dasharray")) for line in drawn.all()}
    assert len(styles) == drawn.count() == 11


def test_queries_of_a_figure_are_in_the_order_of_their_means(open_page: Open) -> None:
    visit = open_page("2")
    values = visit.found.values[MEASURES[0]]
    means = dict(zip(visit.found.query_ids, values.mean(axis=1), strict=True))
    profile = visit.page.locator("figure:has(figcaption:text('Every query')) svg.plot")
    profile.focus()
    profile.press("Home")
    best = max(means, key=lambda query: np.nan_to_num(means[query], nan=-1))
    assert visit.page.locator(".tip strong").text_content() == f"query {best}"


def test_lines_have_the_dashes_that_their_legend_shows(open_page: Open) -> None:
    visit = open_page("17")
    script = """figures => figures.map(figure => [
        [...figure.querySelectorAll("svg.plot .line")].map(line => line.getAttribute("stroke") + line.getAttribute("stroke-dasharray")),
        [...figure.querySelectorAll(".legend path[stroke]")].map(line => line.getAttribute("stroke") + line.getAttribute("stroke-dasharray")),
    ])"""  # noqa: E501
    curves = visit.page.eval_on_selector_all("[data-view=curves] figure", script)
    assert len(curves) == 2
    for lines, told in curves:
        assert lines == told
        assert len(set(lines)) == 10


def test_p_values_without_a_correction_are_not_called_corrected(open_page: Open) -> None:
    for name, said in (("no correction", "p-value: "), ("17", "Corrected p-value: ")):
        visit = open_page(name)
        assert visit.page.locator("#board [data-sort=p]").get_attribute("title").startswith(said)
        assert visit.page.locator(f"figure .note:text('Numbers are {said[:-2].lower()}s.')").count() == 1


def test_without_a_chosen_system_nothing_can_be_chosen_above_the_figures(open_page: Open) -> None:
    visit = open_page("2")
    assert visit.page.locator("[data-view=figures] figure select").count() > 0
    for name in ("old", "new"):
        visit.page.get_by_role("checkbox", name=name).click()
    visit.page.locator("#measure").select_option("1")
    visit.settled()
    assert visit.page.locator("figure .note:text('No system is chosen')").count() > 0
    assert visit.page.locator("[data-view=figures] figure select").count() == 0


def test_equal_means_are_neither_better_nor_worse(open_page: Open) -> None:
    visit = open_page("equal means")
    assert len(visit.found.significant("auc")) == 1
    cell = visit.page.locator("#board tbody tr:has-text('often') td span[title]").first
    assert cell.get_attribute("title") == "significantly different"
    assert cell.text_content() == "significantly different: +0.0000"


def test_a_change_that_is_rounded_to_0_has_no_minus_sign(open_page: Open) -> None:
    visit = open_page("tiny")
    assert "+0.0000" in visit.page.locator("#board tbody").text_content()
    assert "\u22120.0000" not in visit.page.locator("#board tbody").text_content()


def test_another_reference_changes_what_is_compared(open_page: Open) -> None:
    visit = open_page("17")
    found, measure = visit.found, MEASURES[0]
    visit.page.locator("#against").select_option(label="system 9")
    rows = dict(zip(visit.board(), visit.cells("#board tbody tr"), strict=True))
    for each in found.differences[measure]:
        if "system 9" in (each.system, each.against):
            other = each.against if each.system == "system 9" else each.system
            change = each.difference if each.against == "system 9" else -each.difference
            assert rows[other][4].endswith(signed(change))
            assert rows[other][5] == (f"{each.corrected:.4f}" if each.corrected >= 0.0001 else "<0.0001")
    caption = visit.page.locator("figcaption").first.text_content()
    assert "Difference from system 9" in caption
    assert "300 queries, like trec_eval" in caption


def test_another_measure_shows_other_values(open_page: Open) -> None:
    visit = open_page("17")
    before = visit.queries()
    visit.page.locator("#measure").select_option(label="dcg")
    visit.settled()
    after = visit.queries()
    assert [row[0] for row in after] == [row[0] for row in before]
    assert max(float(row[1]) for row in after) > 1
    assert visit.cells("#board tbody tr")[0][1] == f"{max(each.mean for each in visit.found.means['dcg'].values()):.4f}"


def test_the_table_of_queries_draws_what_is_seen_and_has_every_row(open_page: Open) -> None:
    visit = open_page("17")
    assert visit.page.locator("#queries-table").get_attribute("aria-rowcount") == "301"
    assert len(visit.queries()) < 60
    values = dict(zip(visit.found.query_ids, visit.found.values[MEASURES[0]], strict=True))
    chosen = [name.removeprefix("system:") for name in visit.page.eval_on_selector_all(
        "#queries-table [data-sort^='system:']", "heads => heads.map(head => head.dataset.sort)"
    )]  # fmt: skip
    places = [visit.found.systems.index(name) for name in chosen]
    seen: dict[str, list[str]] = {}
    for top in range(0, 300 * 32, 500):
        visit.scroll_queries(top)
        seen |= {row[0]: row[1:] for row in visit.queries()}
    assert set(seen) == set(QUERIES)
    for query, cells in seen.items():
        expected = values[query][places]
        numbers = [np.nan if cell == "none" else float(cell) for cell in cells[:-1]]
        assert_allclose(numbers, expected, rtol=0, atol=7e-5)
    assert set(seen["q7"]) == {"none"}


def test_queries_sort_both_ways_and_keep_missing_values_last(open_page: Open) -> None:
    visit = open_page("2")
    assert visit.sort_by("#queries-table", "system:new") == "descending"
    place = 1 + [name.removeprefix("system:") for name in visit.page.eval_on_selector_all(
        "#queries-table [data-sort^='system:']", "heads => heads.map(head => head.dataset.sort)"
    )].index("new")  # fmt: skip
    visit.scroll_queries(1e6)
    column = [row[place] for row in visit.queries()]
    assert column[-1] == "none"
    values = [float(value) for value in column[:-1]]
    assert values == sorted(values, reverse=True)
    assert visit.sort_by("#queries-table", "system:new") == "ascending"
    visit.scroll_queries(1e6)
    column = [row[place] for row in visit.queries()]
    assert column[-1] == "none"
    assert visit.sort_by("#queries-table", "query") == "ascending"
    visit.scroll_queries(0)
    assert [row[0] for row in visit.queries()[:12]] == [EVIL, *(f"q{i}" for i in range(1, 12))]


def test_queries_are_found_by_name_and_by_spread(open_page: Open) -> None:
    visit = open_page("17")
    find, status = visit.page.get_by_label("Query contains"), visit.page.locator("#queries-status")
    find.fill("Q29")
    assert [row[0] for row in visit.queries()] == ["q29", *(f"q{i}" for i in range(290, 300))]
    assert status.text_content() == "11 of 300 queries"
    find.fill("script>")
    assert [row[0] for row in visit.queries()] == [EVIL]
    find.fill("no such query")
    assert visit.queries() == []
    visit.settled()
    find.fill("")
    visit.page.get_by_label("Spread at least").fill("0.4")
    rows = visit.queries()
    assert rows
    assert all(float(row[-1]) >= 0.4 for row in rows)
    assert status.text_content().endswith("of 300 queries")


def test_a_query_shows_its_differences_and_its_ranked_lists(open_page: Open) -> None:
    visit = open_page("2")
    qrels, runs = drawn(["old", "new"], QUERIES[:40])
    visit.page.get_by_role("button", name="q12", exact=True).click()
    panel = visit.page.get_by_role("complementary", name="Query q12")
    panel.locator(".ranking").first.wait_for()
    values = visit.found.values[MEASURES[0]][visit.found.query_ids.index("q12")]
    told = {row[0].strip(): row[1:] for row in visit.cells("#detail .values tbody tr")}
    assert told["old"] == [f"{values[0]:.4f}", ""]
    assert told["new"][0] == f"{values[1]:.4f}"
    change = values[1] - values[0]
    assert told["new"][1] == signed(change)
    for name in ("old", "new"):
        own = runs[name]["q12"]
        ranked = [d for _, d in sorted(((score, d) for d, score in own.items()), reverse=True)]  # like trec_eval
        table = f"#detail .ranking:has(h4:has-text('{name}')) tbody tr"
        rows = visit.cells(table)
        assert [row[1] for row in rows] == ranked[:10]
        assert [row[2] for row in rows] == [str(qrels["q12"][d]) for d in ranked[:10]]
        assert [float(row[4]) for row in rows] == [round(1 / np.log2(rank + 2), 3) for rank in range(len(rows))]
        scores = [own[d] for d in ranked]
        tied = [scores.count(score) > 1 for score in scores]
        assert [row[5] == "=" if len(row) > 5 else False for row in rows] == tied[:10]
    assert visit.page.locator("#queries-table tr.chosen").text_content().startswith("q12")
    assert visit.page.locator("svg.plot path.chosen[d*=M]").count() >= 3  # the figures show the query
    visit.page.keyboard.press("Escape")
    assert panel.is_hidden()
    assert visit.page.evaluate("document.activeElement.dataset.query") is not None


def test_a_point_of_a_figure_tells_what_it_is_and_opens_its_query(open_page: Open) -> None:
    visit = open_page("2")
    plot = visit.page.locator("svg.plot[aria-label^='new against old']")
    plot.scroll_into_view_if_needed()
    place = plot.evaluate(
        """svg => { const [, x, y] = svg.querySelector(".dots[d*=M]").getAttribute("d").match(/M([\\d.]+) ([\\d.]+)/);
        const box = svg.getBoundingClientRect(), scale = box.width / svg.viewBox.baseVal.width;
        return [box.left + x * scale, box.top + y * scale]; }"""
    )
    visit.page.mouse.move(*place)
    tip = visit.page.get_by_role("tooltip")
    lines = tip.locator("*").all_text_contents()
    query = lines[0].removeprefix("query ")
    values = visit.found.values[MEASURES[0]][visit.found.query_ids.index(query)]
    assert lines[1:3] == [f"old {values[0]:.4f}", f"new {values[1]:.4f}"]
    visit.page.mouse.click(*place)
    assert visit.page.locator("#detail-title").text_content() == f"Query {query}"


def test_figures_can_be_used_by_keyboard(open_page: Open) -> None:
    visit = open_page("17")
    for plot in visit.page.locator("figure:not([hidden]) svg.plot").all():
        assert plot.get_attribute("role") == "img"
        assert plot.get_attribute("aria-label")
        plot.focus()
        visit.page.keyboard.press("ArrowRight")
        visit.page.keyboard.press("ArrowRight")
        assert visit.page.get_by_role("tooltip").is_visible()
        spoken = visit.page.locator("p.unseen[role=status]").text_content()
        assert spoken == "; ".join(visit.page.get_by_role("tooltip").locator("*").all_text_contents())
    visit.page.locator("svg.plot[aria-label^='Differences']").focus()
    visit.page.keyboard.press("End")
    visit.page.keyboard.press("Enter")
    assert visit.page.locator("#detail").is_visible()
    assert visit.page.evaluate("document.activeElement.id") == "detail-title"


def test_the_table_of_queries_can_be_used_by_keyboard(open_page: Open) -> None:
    visit = open_page("17")
    visit.page.locator("#queries-table [data-query]").first.focus()
    for _ in range(40):
        visit.page.keyboard.press("ArrowDown")
    assert visit.page.evaluate("document.activeElement.textContent") == "q40"
    visit.page.keyboard.press("End")
    assert visit.page.evaluate("document.activeElement.textContent") == "q299"
    visit.page.keyboard.press("Enter")
    assert visit.page.locator("#detail-title").text_content() == "Query q299"
    visit.page.get_by_role("button", name="Previous query").click()
    assert visit.page.locator("#detail-title").text_content() == "Query q298"


def test_the_address_has_the_state_of_the_page(open_page: Open) -> None:
    visit = open_page("hostile")
    visit.page.locator("#measure").select_option(label="dcg")
    for name in (EVIL, "show=all&measure=dcg"):
        visit.page.locator("#board tr", has=visit.page.get_by_text(name, exact=True)).get_by_role("checkbox").uncheck()
    visit.page.locator("#against").select_option(label="a_b & c|d")
    visit.sort_by("#board", "system")
    visit.page.get_by_label("Query contains").fill("_")
    visit.page.locator("#queries-table [data-query]").first.click()
    address = visit.page.evaluate("location.hash")
    again = open_page("hostile", address=address)
    assert again.page.evaluate("location.hash") == address
    assert again.ticked() == visit.ticked()
    assert len(again.ticked()) == len(HOSTILE) - 2
    assert again.board() == visit.board()
    assert again.queries() == visit.queries()
    assert again.page.locator("#against").evaluate("each => each.selectedOptions[0].text") == "a_b & c|d"
    title = again.page.locator("#detail-title").text_content()
    assert title == visit.page.locator("#detail-title").text_content()
    assert title.startswith("Query ")


def test_addresses_that_nobody_made_are_harmless(open_page: Open) -> None:
    for address in (
        "#measure=none&system=nobody&query=x&sort=y&queries-sort=z&spread=-1",
        f"#query={quote(EVIL)}",
        "#a%",
    ):
        visit = open_page("17", address=address)
        assert len(visit.board()) == 17


def test_everything_can_be_downloaded(open_page: Open) -> None:
    visit = open_page("hostile", accept_downloads=True)

    def saved(label: str) -> str:
        with visit.page.expect_download() as download:
            visit.page.get_by_label("Download").select_option(label=label)
        return Path(download.value.path()).read_text(encoding="utf-8")

    import csv
    import io

    rows = list(csv.reader(io.StringIO(saved("Queries (CSV)"))))
    escaped = ["'=1+1" if name == "=1+1" else name for name in HOSTILE]
    assert rows[0] == ["measure", "query", *escaped]
    assert len(rows) == 1 + 2 * 12
    matrix = [[float(cell or "nan") for cell in row[2:]] for row in rows[1:13]]
    assert_allclose(matrix, visit.found.values[MEASURES[0]], rtol=0, atol=2e-5)
    board = list(csv.reader(io.StringIO(saved("Leaderboard (CSV)"))))
    assert {row[1] for row in board[1:]} == set(escaped)
    content = json.loads(saved("Everything (JSON)"))
    assert content["systems"] == HOSTILE
    assert len(content["measures"][1]["comparisons"]) == 36
    assert content["basis"] == "12 queries, like trec_eval"


@pytest.mark.parametrize("name", ["2", "17", "hostile"])
def test_without_javascript_all_numbers_are_there(open_page: Open, name: str) -> None:
    visit = open_page(name, java_script_enabled=False)
    assert visit.page.locator(".appendix").is_visible()
    assert not visit.page.locator(".scripted").first.is_visible()
    for link in visit.page.locator("nav a:visible").all():
        target = visit.page.locator(link.get_attribute("href"))
        assert target.is_visible(), link.inner_text()
    assert visit.page.locator("nav a[href='#appendix']").is_visible()
    text = visit.page.locator("main").inner_text()
    words = set(text.split())
    found = visit.found
    for measure in MEASURES:
        for interval in found.means[measure].values():
            assert f"{interval.mean:.4f}" in text
    for system in found.systems:
        assert system in text
    if name != "17":
        for value in found.values["dcg"].ravel():
            assert f"{value:.4f}" in words


@pytest.mark.parametrize("name", ["2", "17", "hostile", "explanation"])
def test_paper_has_every_number(open_page: Open, name: str) -> None:
    visit = open_page(name)
    visit.page.emulate_media(media="print")
    visit.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    words = set(visit.page.locator(".appendix").inner_text().replace("\u2212", "-").split())
    found = visit.found
    evaluations = getattr(found, "evaluations", found)
    for each in evaluations.values():
        for values in each.per_query.values():
            near = [[f"{value + shift:.4f}" for shift in (0, -2e-5, 2e-5)] for value in values if not np.isnan(value)]
            assert all(any(text in words for text in each) for each in near)
    for differences in getattr(found, "differences", {}).values():
        assert all(
            {f"{each.difference:z.4f}", signed(each.difference).replace("\u2212", "-")} & words for each in differences
        )
    assert not visit.page.locator("details:not([open])").count()
    visit.page.evaluate("dispatchEvent(new Event('afterprint'))")
    visit.page.emulate_media(media="screen")
    assert not visit.page.locator(".appendix").is_visible()


def test_paper_has_the_first_20_of_100_systems(open_page: Open) -> None:
    visit = open_page("100")
    assert visit.page.locator("#board tbody tr").count() == 100
    visit.page.emulate_media(media="print")
    visit.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    names = visit.page.locator("#board tbody .name").all_text_contents()
    assert names == list(visit.found.ranked()[:20])
    assert visit.page.get_by_text("Printed: 20 of 100 systems.").is_visible()
    visit.page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert visit.page.locator("#board tbody tr").count() == 100


def test_a_page_can_be_printed(open_page: Open) -> None:
    visit = open_page("17")
    assert visit.page.pdf(format="A4").startswith(b"%PDF")


@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="pdftotext is not installed")
def test_the_printed_leaderboard_of_100_systems_fits_a_page(open_page: Open, tmp_path: Path) -> None:
    visit = open_page("100")
    visit.page.pdf(path=tmp_path / "page.pdf", format="A4")
    command = ["pdftotext", "-f", "2", "-l", "2", "-layout", str(tmp_path / "page.pdf"), "-"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert text.lstrip().startswith("Figures"), text[:300]


@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="pdftotext is not installed")
@pytest.mark.parametrize("name", ["2", "17", "explanation"])
def test_no_heading_is_the_end_of_a_printed_page(open_page: Open, tmp_path: Path, name: str) -> None:
    visit = open_page(name)
    visit.page.pdf(path=tmp_path / "page.pdf", format="A4")
    headings = set(visit.page.locator("h2, h3, h4").all_text_contents())
    command = ["pdftotext", "-layout", str(tmp_path / "page.pdf"), "-"]
    *pages, _ = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\f")
    for each in pages:
        lines = [line.strip() for line in each.splitlines() if line.strip()]
        assert not headings & set(lines[-3:]), lines[-5:]


@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="pdftotext is not installed")
def test_no_column_of_a_wide_table_is_lost_on_paper(open_page: Open, tmp_path: Path) -> None:
    visit = open_page("distinction")
    visit.page.pdf(path=tmp_path / "page.pdf", format="A4")
    command = ["pdftotext", "-l", "1", "-layout", str(tmp_path / "page.pdf"), "-"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    heads = visit.page.locator("table").first.locator("thead th").all_text_contents()
    assert heads[-3:] == ["limit a", "limit b", "theory"]
    assert {word for head in heads for word in head.split()} <= set(text.split())


def words_on_paper(page: Any, path: Path) -> list[tuple[str, float, float]]:
    """The words of a printed page, with their heights and right edges in points."""
    page.pdf(path=path, format="A4")
    found = subprocess.run(["pdftotext", "-bbox", str(path), "-"], capture_output=True, text=True, check=True).stdout
    words = re.findall(r'<word xMin="[\d.]+" yMin="([\d.]+)" xMax="([\d.]+)" yMax="([\d.]+)">([^<]*)<', found)
    return [(word, float(bottom) - float(top), float(right)) for top, right, bottom, word in words]


@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="pdftotext is not installed")
@pytest.mark.parametrize("name", ["2", "17", "hostile", "many measures", "explanation", "distinction"])
def test_a_wide_table_does_not_shrink_the_printed_page(open_page: Open, tmp_path: Path, name: str) -> None:
    (usual,) = {
        height
        for word, height, _ in words_on_paper(open_page("one system").page, tmp_path / "narrow.pdf")
        if word == "Provenance"
    }
    words = words_on_paper(open_page(name).page, tmp_path / "wide.pdf")
    assert_allclose([height for word, height, _ in words if word == "Provenance"], [usual], rtol=0.001, atol=0)
    assert max(right for *_, right in words) < 595 - 33  # the margin of the paper


@pytest.mark.parametrize("name", ["17", "many measures", "distinction"])
def test_no_word_of_a_heading_is_broken_on_paper(open_page: Open, name: str) -> None:
    visit = open_page(name)
    visit.page.set_viewport_size({"width": 718, "height": 1000})  # A4 without its margins
    visit.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    visit.page.emulate_media(media="print")
    script = """heads => heads.flatMap(head => {
        const walker = document.createTreeWalker(head, NodeFilter.SHOW_TEXT), broken = [];
        while (walker.nextNode()) for (const found of walker.currentNode.data.matchAll(/[^\\s-]+/g)) {
            const range = document.createRange();
            range.setStart(walker.currentNode, found.index);
            range.setEnd(walker.currentNode, found.index + found[0].length);
            if (new Set([...range.getClientRects()].map(box => Math.round(box.top))).size > 1) broken.push(found[0]);
        }
        return broken;
    })"""
    assert visit.page.eval_on_selector_all("thead th", script) == []


def test_what_was_found_in_the_data_fits_a_phone(open_page: Open) -> None:
    visit = open_page("17", "phone")
    visit.page.eval_on_selector_all("details", "all => all.forEach(each => { each.open = true; })")
    boxes = visit.page.eval_on_selector_all(
        ".scroll:has(> .sentences)", "boxes => boxes.map(box => [box.scrollWidth, box.clientWidth])"
    )
    assert boxes
    assert all(needed <= seen for needed, seen in boxes)


def test_long_names_leave_room_for_numbers_on_paper(open_page: Open) -> None:
    visit = open_page("hostile")
    visit.page.set_viewport_size({"width": 718, "height": 1000})  # A4 without its margins
    visit.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    visit.page.emulate_media(media="print")
    cells = "[...document.querySelectorAll('table:not(#board) :is(th, td)')].filter((cell) => cell.checkVisibility())"
    assert visit.page.evaluate(f"Math.max(...{cells}.map((cell) => cell.getBoundingClientRect().right))") <= 718
    numbers = f"{cells}.filter((cell) => cell.matches('.appendix td.number') && !cell.children.length)"
    text = (
        "(cell) => { const range = new Range(); range.selectNodeContents(cell); return range.getClientRects().length; }"
    )
    assert visit.page.evaluate(f"Math.max(...{numbers}.map({text}))") == 1  # line


def test_a_script_in_the_data_could_not_run_even_as_markup(open_page: Open) -> None:
    """The page's policy lets its own script run and no other, whoever puts one there."""
    visit = open_page("2")
    script = "document.body.append(Object.assign(document.createElement('script'), {textContent: 'window.ran = true'}))"
    visit.page.evaluate(script)
    assert visit.page.evaluate("window.ran") is None
    (complaint,) = visit.complaints
    assert "Content Security Policy" in complaint
    visit.complaints.clear()
