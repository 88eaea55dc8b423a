"""The explorer as its users meet it: files, clicks, links, bad input, a phone, and no mouse."""

import gzip
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from numpy.testing import assert_allclose

import idealrank as ir
from idealrank.evaluation.evaluator import Evaluator
from idealrank.measures.conventions import CONVENTION_NAMES
from idealrank.theory.long_lists.steps import StepCurve

JUDGMENTS = "".join(
    f"{q} 0 {d} {label}\n" for q, docs in (("1", "abc"), ("2", "ab")) for d, label in zip(docs, (2, 1, 0), strict=False)
)
RUN = "1 Q0 a 1 3 x\n1 Q0 b 2 3 x\n1 Q0 z 3 2 x\n2 Q0 b 1 1 x\n2 Q0 a 2 0.5 x\n"


def payload(name: str, content: str | bytes) -> dict[str, Any]:
    data = content.encode() if isinstance(content, str) else content
    return {"name": name, "mimeType": "text/plain", "buffer": data}


def drop(page: Any, *files: dict[str, Any], on: str = "body") -> None:
    """Drop files on the page as a mouse does."""
    script = """([selector, files]) => {
        const transfer = new DataTransfer();
        for (const [name, bytes] of files) transfer.items.add(new File([new Uint8Array(bytes)], name));
        const event = new DragEvent("drop", {dataTransfer: transfer, bubbles: true, cancelable: true});
        document.querySelector(selector).dispatchEvent(event);
    }"""
    page.evaluate(script, [on, [(file["name"], list(file["buffer"])) for file in files]])


def settled(page: Any) -> None:
    page.wait_for_selector("#waterfall table", state="attached")
    page.wait_for_function("() => explorer.isDone()")


def means(page: Any) -> dict[str, float]:
    """The mean of every tool that has one."""
    script = "() => [...explorer.means()].filter(([, f]) => !f.refused).map(([name, f]) => [name, String(f.mean)])"
    page.wait_for_function("n => explorer.means().size >= n && explorer.isDone()", arg=len(CONVENTION_NAMES))
    return {name: float(value.replace("NaN", "nan")) for name, value in page.evaluate(script)}


def problem(page: Any) -> str:
    page.wait_for_selector("#problem:not([hidden])")
    return str(page.text_content("#problem"))


def test_drop_two_files_click_two_tools_open_a_query_copy_the_link_and_reload(
    visit: Callable[..., Any], tmp_path: Path
) -> None:
    page = visit(permissions=["clipboard-read", "clipboard-write"])
    settled(page)  # the example
    drop(page, payload("my.run", RUN), payload("my.qrels", JUDGMENTS))  # in any order
    page.wait_for_selector("#state-judgments:has-text('my.qrels: 2 queries, 5 documents')")
    found = means(page)
    (tmp_path / "q").write_text(JUDGMENTS, encoding="utf-8")
    (tmp_path / "r").write_text(RUN, encoding="utf-8")
    for name, mean in found.items():
        assert mean == pytest.approx(ir.evaluate(tmp_path / "q", tmp_path / "r", "ndcg@10", like=name).mean["ndcg@10"])
    assert len(found) == len(CONVENTION_NAMES)

    page.click("[data-tool=trec_eval].a")  # give up both
    page.click("[data-tool=lightgbm].a")
    page.click("[data-tool=lightgbm]")
    page.click("[data-tool=gdeval]")
    page.wait_for_selector("#waterfall tr[data-choice=ties]")
    steps = page.eval_on_selector_all(
        "#waterfall tr[data-choice]", "rows => rows.map(row => [row.dataset.choice, Number(row.dataset.change)])"
    )
    (way,) = ir.explain(tmp_path / "q", tmp_path / "r", "ndcg@10", like=["lightgbm", "gdeval"]).waterfalls
    assert [choice for choice, _ in steps] == [step.choice for step in way.steps if step.n_moved]
    assert [change for _, change in steps] == pytest.approx([step.change for step in way.steps if step.n_moved])
    page.click("[data-query='1']")
    page.wait_for_selector("#query .ranking[data-side=b]")
    assert page.text_content("#query-title") == "Query 1"
    documents = page.eval_on_selector_all(
        ".ranking[data-side=b] table:first-of-type tbody th", "cells => cells.map(cell => cell.textContent)"
    )
    assert documents == ["b", "a", "z"]  # descending ids of equal scores

    page.wait_for_selector("#link[data-link*=q]")
    page.click("#copy-link")
    page.wait_for_selector("#copy-link:has-text('Copied')")
    link = page.evaluate("() => navigator.clipboard.readText()")
    assert "with=" in link
    again = visit(link[link.index("#") :])
    again.wait_for_selector("#query .ranking[data-side=b]")
    assert again.text_content("#state-run").startswith("my.run")
    assert means(again) == found
    assert (again.evaluate("() => [explorer.state().a, explorer.state().b, explorer.state().q]")) == [
        "lightgbm",
        "gdeval",
        "1",
    ]


def test_code_of_the_page_gives_its_numbers(visit: Callable[..., Any], tmp_path: Path) -> None:
    page = visit("#data=example&k=5&a=sklearn&own=trec_eval;gain=exp2;ties=stable;unjudged=drop&b=yours")
    build = pytest.importorskip("explorer.build")
    example = build.example()
    (tmp_path / "example.qrels").write_text(example["judgments"], encoding="utf-8")
    (tmp_path / "example.run").write_text(example["run"], encoding="utf-8")
    settled(page)
    mean = page.evaluate("() => explorer.means().get('yours').mean")
    for text, link in ((None, ""), ("explain", "a=sklearn&b=trec_eval")):
        if text:
            page = visit(f"#data=example&k=5&{link}")
            settled(page)
            mean = page.evaluate("() => explorer.means().get('trec_eval').mean")
        code = page.evaluate("() => explorer.code()")
        shell = shlex.split(code["shell"], comments=True)
        assert shell[0] == "idealrank"
        for command in (["-c", code["python"]], ["-m", "idealrank", *shell[1:]]):
            env = os.environ | {"PYTHONPATH": str(Path(ir.__file__).parents[1])}
            done = subprocess.run(
                [sys.executable, *command], cwd=tmp_path, env=env, capture_output=True, text=True, check=False
            )
            assert f"{mean:.4f}" in done.stdout, done


def test_every_switch_changes_what_it_says(visit: Callable[..., Any], tmp_path: Path) -> None:
    page = visit("#data=example")
    settled(page)
    page.click("#own summary")
    for name, value in (
        ("gain", "exp2"),
        ("ties", "worst"),
        ("discount", "zipf"),
        ("empty", "1"),
        ("ideal", "retrieved"),
        ("missing", "0"),
    ):
        page.select_option(f"#own-{name}", value)  # without waiting for the numbers of the one before
    settled(page)
    page.select_option("#cutoff", "5")
    page.wait_for_function("() => explorer.state().k === '5' && explorer.means().has('yours')")
    build = pytest.importorskip("explorer.build")
    (tmp_path / "q").write_text(build.example()["judgments"], encoding="utf-8")
    (tmp_path / "r").write_text(build.example()["run"], encoding="utf-8")
    measure = "ndcg(gain=exp2,ties=worst,discount=zipf,empty=1,ideal=retrieved)@5"
    rules = ir.convention("trec_eval").replace(missing=0.0)
    wanted = ir.evaluate(tmp_path / "q", tmp_path / "r", measure, like=rules).mean
    arrives = "wanted => Math.abs(explorer.means().get('yours')?.mean - wanted) < 1e-12"
    page.wait_for_function(arrives, arg=next(iter(wanted.values())))


BAD = {
    "not a text file": (payload("photo.png", bytes(range(256)) * 40),),
    "empty": (payload("nothing.run", ""),),
    "does not look like a TREC file": (payload("notes.txt", "hello world\nthis is it\n"),),
    "line 2": (payload("odd.qrels", "1 0 a 1\n1 0 b many\n"),),
    "One file of judgments and one run are needed": (payload("a.run", RUN), payload("b.run", RUN)),
    "drop one file of judgments and one run": (payload("a", RUN), payload("b", RUN), payload("c", RUN)),
    "no query in common": (payload("a.qrels", "x 0 a 1\n"), payload("b.run", RUN)),
}


@pytest.mark.parametrize("said", BAD)
def test_bad_files_are_answered_by_a_sentence_and_the_page_stays_alive(visit: Callable[..., Any], said: str) -> None:
    page = visit()
    settled(page)
    drop(page, *BAD[said])
    assert said in problem(page)
    assert page.is_hidden("#results")  # not the numbers of earlier files
    drop(page, payload("good.qrels", JUDGMENTS), payload("good.run", RUN))
    page.wait_for_selector("#state-run:has-text('good.run')")
    settled(page)
    assert page.is_hidden("#problem")
    assert len(means(page)) == len(CONVENTION_NAMES)


def test_swapped_and_packed_files_are_taken_for_what_they_are(visit: Callable[..., Any]) -> None:
    page = visit()
    settled(page)
    page.set_input_files("#file-judgments", payload("x.gz", gzip.compress(RUN.encode())))
    page.wait_for_selector("#state-run:has-text('x.gz: 2 queries, 5 documents')")
    page.set_input_files("#file-run", payload("y", JUDGMENTS.replace("\n", "\r\n")))
    page.wait_for_selector("#state-judgments:has-text('y: 2 queries')")
    assert len(means(page)) == len(CONVENTION_NAMES)


def test_names_are_text_and_never_markup(visit: Callable[..., Any]) -> None:
    evil = "<img/src=x/onerror=alert(1)>"
    page = visit()
    settled(page)
    drop(
        page,
        payload(f"{evil}.qrels", f"{evil} 0 {evil} 1\n{evil} 0 b 0\n"),
        payload("r", f"{evil} Q0 {evil} 1 1 x\n{evil} Q0 b 2 1 x\n"),
    )
    page.wait_for_selector("#state-run:has-text('r: 1 query')")
    page.get_by_role("button", name=evil, exact=True).click()
    page.wait_for_selector("#query .ranking")
    assert page.text_content("#query-title") == f"Query {evil}"
    assert page.locator("img").count() == 0


def test_damaged_links_are_answered_by_a_sentence(visit: Callable[..., Any]) -> None:
    assert "damaged" in problem(visit("#with=abc&a=trec_eval"))
    page = visit("#data=example&k=-3&a=nonsense&b=sklearn&own=foo;gain=bar&q=nowhere")
    settled_or_one = page.wait_for_selector("#tools [data-tool=sklearn].b")
    assert settled_or_one


@pytest.mark.parametrize("missing", ["WebAssembly", "Worker"])
def test_without_webassembly_the_page_says_what_to_do(visit: Callable[..., Any], missing: str) -> None:
    page = visit(script=f"delete window.{missing};")
    assert "idealrank explain" in problem(page)


def test_the_page_asks_for_nothing_and_may_not(visit: Callable[..., Any]) -> None:
    page = visit(offline=False, complains=True)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    settled(page)
    refused = page.evaluate("() => fetch('https://example.com/').then(() => 'went out', () => 'refused')")
    assert refused == "refused"
    assert not [url for url in asked if not url.startswith(("blob:", "file:", "https://example.com"))]


@pytest.mark.parametrize("tab", ["data=example&q=q01", "tab=which&discount=power&cutoff=rank"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1300])
def test_nothing_is_wider_than_the_screen(visit: Callable[..., Any], tab: str, scheme: str, width: int) -> None:
    page = visit(f"#{tab}", viewport={"width": width, "height": 800}, color_scheme=scheme)
    page.wait_for_selector("#query .ranking" if "example" in tab else "#soonest table")
    assert page.evaluate("() => document.documentElement.scrollWidth") <= width
    script = "boxes => boxes.filter(box => box.scrollWidth > box.clientWidth).map(box => box.textContent)"
    assert page.eval_on_selector_all(".scroll, .ranking", script) == []  # every column of every table is in sight
    dark = page.evaluate("() => getComputedStyle(document.documentElement).backgroundColor")
    assert (dark == "rgb(255, 255, 255)") == (scheme == "light")


def test_both_numbers_are_dots_on_the_scale_of_the_steps(visit: Callable[..., Any]) -> None:
    page = visit("#data=example&a=trec_eval&b=lightgbm", viewport={"width": 1300, "height": 800})
    settled(page)
    script = """rows => rows.map(row => {
        const {left, width} = row.querySelector(".dot, .bar").getBoundingClientRect();
        return [left, left + width, row.querySelector(".dot") !== null, +row.cells[3].textContent];
    })"""
    first, *steps, last = page.eval_on_selector_all("#waterfall tbody tr", script)
    assert [row[2] for row in (first, *steps, last)] == [True, *[False] * len(steps), True]
    middle = [(left + right) / 2 for left, right, *_ in (first, last)]
    pixels = (middle[1] - middle[0]) / (last[3] - first[3])
    at = first[3]
    for left, right, _, mean in steps:
        ends = sorted(middle[0] + pixels * (each - first[3]) for each in (at, mean))
        assert_allclose([left, right], ends, rtol=0, atol=2.5)  # a bar is at least 2 pixels wide
        at = mean


@pytest.mark.parametrize("tab", ["data=example", "tab=which"])
def test_paper_has_no_controls_but_what_they_are_set_to(visit: Callable[..., Any], tab: str) -> None:
    page = visit(f"#{tab}")
    page.wait_for_selector("#waterfall table" if "example" in tab else "#soonest table")
    page.emulate_media(media="print")
    controls = ".tabs, #use-example, .code button, input[type=range], input[type=file]:not(.drop input), .help"
    assert not any(each.is_visible() for each in page.locator(controls).all())
    chosen = "#cutoff" if "example" in tab else "#shape-a"
    assert page.locator(chosen).is_visible()
    assert page.eval_on_selector(chosen, "each => getComputedStyle(each).borderTopWidth") == "0px"


def test_without_a_mouse(visit: Callable[..., Any]) -> None:
    page = visit("#data=example")
    settled(page)
    page.focus("[data-tool=sklearn]")
    page.keyboard.press("Enter")
    page.wait_for_selector("[data-tool=sklearn].b")
    assert page.evaluate("() => document.activeElement.dataset.tool") == "sklearn"
    page.focus("[data-query]")
    page.keyboard.press("Enter")
    page.wait_for_selector("#query .ranking")
    assert page.evaluate("() => document.activeElement.id") == "query-title"
    page.focus("#tab-why")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("#soonest table")
    page.focus("[data-step=a19]")
    before = page.text_content("#gap")
    for _ in range(5):
        page.keyboard.press("ArrowUp")
    assert page.text_content("#gap") != before
    assert page.evaluate("() => document.activeElement.dataset.step") == "a19"


def test_the_second_tab_takes_two_runs_and_keeps_its_link(visit: Callable[..., Any]) -> None:
    page = visit("#tab=which&a=good&b=random&discount=power&exponent=0.3&n=500")
    page.wait_for_selector("#soonest table")
    assert page.input_value("#shape-a") == "good"
    gap = page.text_content("#gap")
    page.reload()
    page.wait_for_selector("#soonest table")
    assert page.text_content("#gap") == gap

    qrels, runs = ir.datasets.search_runs()
    files = {"q": "".join(f"{q} 0 {d} {label:g}\n" for q, docs in qrels.items() for d, label in docs.items())}
    for name in ("bm25", "dense"):
        files[name] = "".join(
            f"{q} Q0 {d} 1 {score!r} x\n" for q, docs in runs[name].items() for d, score in docs.items()
        )
    drop(page, *(payload(name, text) for name, text in files.items()))
    page.wait_for_selector("#which-note:has-text('A: bm25, B: dense')")
    systems = [(name, ir.Run(runs[name])) for name in ("bm25", "dense")]
    evaluator = Evaluator(ir.Qrels(qrels), "trec_eval")
    lists = evaluator.complete_lists(systems, evaluator.evaluate_all(systems, ["ndcg"]))
    for side, (name, _) in zip("ab", systems, strict=True):
        wanted = StepCurve.fit(lists.data.labels, lists.scores[name], lists.data.offsets, method="top")
        steps = page.evaluate(f"() => [...which.fit.{side}.means]")
        assert steps == pytest.approx((wanted.levels @ wanted.steps).tolist(), abs=1e-9)
    drop(page, payload("junk", b"\x00\x01"))
    page.wait_for_selector("#which-note:has-text('not a text file')")


def test_every_tool_is_on_the_page_by_its_name(visit: Callable[..., Any]) -> None:
    build = pytest.importorskip("explorer.build")
    assert build.TOOLS.keys() <= set(CONVENTION_NAMES)
    page = visit("#data=example")
    settled(page)
    means(page)
    shown = page.eval_on_selector_all("#tools [data-tool]", "chips => chips.map(chip => chip.dataset.tool)")
    assert sorted(shown) == sorted(CONVENTION_NAMES)


def test_the_page_is_one_small_file(explorer_file: Path) -> None:
    text = explorer_file.read_text(encoding="utf-8")
    assert len(text.encode()) <= 1_500_000
    assert not re.search(r'(src|href)="(?!#)', text)
    json.loads(text[text.index('id="data">') + 10 : text.index("</script>")])


def test_the_example_tells_the_story_of_the_readme(visit: Callable[..., Any]) -> None:
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    page = visit("#data=example")
    settled(page)
    count = re.match(r"\d+ tools, \d+ different", page.text_content("#numbers-note"))
    assert count is not None
    assert f"{count[0]} numbers" in readme
    shown = page.eval_on_selector_all("#waterfall tbody tr", "rows => rows.map(row => row.cells[3].textContent)")
    assert shown == re.findall(r" (0\.\d{4})$", readme.partition("## Explain")[2], re.MULTILINE)[:6]
