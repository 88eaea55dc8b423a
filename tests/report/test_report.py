"""The report: what its figures draw, what its page says, and that no text of the data becomes part of the page."""

import json
import re
from collections.abc import Callable
from functools import cache
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from numpy.testing import assert_allclose

import idealrank as ir
from idealrank.cli.group import commands
from idealrank.errors import DataError
from idealrank.evaluation.results import Evaluations
from idealrank.report import figures, html, learning_curve, over_cutoffs
from idealrank.report.figures import _apart
from idealrank.report.palette import COLOURS
from idealrank.report.svg import inline_svg

EVIL = "<script>alert(1)</script>"
#: Names that HTML, SVG, JSON, mathtext, legends and fonts have stumbled over.
NAMES = [EVIL, "a$b$c & d", '"quoted\' name"', "]]> -->", "_hidden", "日本語", "\x00\x1b[31m", "x" * 200, "#0b5fbf"]
RNG = np.random.default_rng(11)
QRELS = {f"q{i}": {f"d{j}": int(RNG.integers(0, 3)) for j in range(12)} for i in range(30)}


def system(noise: float) -> dict[str, dict[str, float]]:
    return {q: {d: label + noise * float(RNG.normal()) for d, label in docs.items()} for q, docs in QRELS.items()}


SYSTEMS = {"base": system(2), "good": system(0.1), "bad": system(30)}
MEASURES = ["ndcg@5", "ndcg@10", "ap"]
MAKE: dict[str, Callable[[], Any]] = {
    "one": lambda: ir.evaluate(QRELS, SYSTEMS["base"], MEASURES),
    "several": lambda: ir.evaluate(QRELS, SYSTEMS, MEASURES),
    "baseline": lambda: ir.compare(QRELS, SYSTEMS, MEASURES, baseline="base", seed=1),
    "pairs": lambda: ir.compare(QRELS, SYSTEMS, MEASURES, seed=1),
    "explanation": lambda: ir.explain(QRELS, SYSTEMS["bad"], "ndcg@5", like=["trec_eval", "sklearn", "letor4"]),
}


@cache
def result(name: str) -> Any:
    return MAKE[name]()


class Outline(HTMLParser):
    """The elements of a page with their attributes and texts, and whether every one is closed."""

    VOID = frozenset(("meta", "input", "br"))

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []
        self.open: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if data.strip():
            self.texts.append((self.open[-1] if self.open else "", data))

    def of(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]

    def text_of(self, tag: str) -> list[str]:
        return [text for name, text in self.texts if name == tag]


@pytest.fixture(scope="module", params=list(MAKE))
def page(request: pytest.FixtureRequest) -> str:
    return html(result(request.param))


def test_the_page_is_well_formed_and_its_ids_are_unique(page: str) -> None:
    outline = Outline(page)
    assert outline.open == []
    ids = [attributes["id"] for _, attributes in outline.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    targets = re.findall(r'href="#([^"]*)"|url\(#([^)]*)\)|aria-(?:labelled|described)by="([^"]*)"', page)
    assert {next(filter(None, found)) for found in targets} <= set(ids)


def test_the_page_has_landmarks_headed_tables_and_described_figures(page: str) -> None:
    outline = Outline(page)
    assert [len(outline.of(name)) for name in ("header", "nav", "main", "footer", "h1")] == [1] * 5
    assert outline.of("html") == [{"lang": "en"}]
    assert all(attributes.get("scope") in ("col", "row") for attributes in outline.of("th"))
    assert len(outline.of("caption")) == len(outline.of("table"))
    drawn = [each for each in outline.of("svg") if each["class"] == "figure"]
    assert len(drawn) == len(outline.of("figure")) == len(outline.text_of("desc"))
    assert all(each["role"] == "img" and each["aria-labelledby"] and each["aria-describedby"] for each in drawn)


def test_nothing_is_asked_of_the_network(page: str) -> None:
    assert not re.search(r"""(?:src|href|action)\s*=\s*["']?(?!["'#])|@import|url\((?!#)""", page.split("<body>")[1])
    assert "default-src 'none'" in page
    assert "http://" not in page.replace("http-equiv", "")
    assert "https://" not in page


def test_a_page_holds_its_conventions_versions_and_problems(page: str) -> None:
    words = " ".join(text for _, text in Outline(page).texts)
    assert "like trec_eval" in words
    assert "gain=linear" in words
    assert f"idealrank {ir.__version__}" in words
    for title in ("Query by query", "Data quality", "Conventions", "Provenance"):
        assert title in words


@pytest.mark.parametrize("name", ["baseline", "explanation"])
def test_the_same_result_is_the_same_page_whatever_styles_are_in_use(name: str) -> None:
    import matplotlib

    first = html(result(name))
    with matplotlib.rc_context({"axes.facecolor": "black", "text.color": "white", "svg.fonttype": "path"}):
        assert html(result(name)) == first
        assert matplotlib.rcParams["axes.facecolor"] == "black"


def embedded(page: str) -> Any:
    (text,) = re.findall(r'id="queries-data">(.*?)</script>', page)
    return json.loads(text)


def test_the_values_of_the_page_are_those_of_the_result() -> None:
    short = {"q3": SYSTEMS["good"]["q3"], "q1": SYSTEMS["good"]["q1"]}
    found = ir.evaluate(QRELS, {"all": SYSTEMS["base"], "short": short}, ["dcg", "ap"])
    content = embedded(html(found))
    assert content["systems"] == ["all", "short"]
    assert content["queries"] == ["q1", "q3"]  # those that both have
    assert_allclose(content["values"]["dcg"][0], found["all"].per_query["dcg"], rtol=0, atol=5.1e-5)
    own = dict(zip(found["short"].query_ids, found["short"].per_query["ap"], strict=True))
    for query, value in zip(content["queries"], content["values"]["ap"][1], strict=True):
        assert value == (round(own[query], 4) if query in own else None)
    largest = max(each.per_query["dcg"].max() for each in found.values())
    assert_allclose(content["largest"]["dcg"], largest, rtol=1e-12, atol=0)


def strange() -> tuple[dict[str, Any], dict[str, Any]]:
    qrels = {name: {"a": 1, "b": 0} for name in NAMES}
    runs = {name: {q: {"a": float(i % 3), "b": 1.0} for q in NAMES} for i, name in enumerate(NAMES)}
    return qrels, runs


@pytest.mark.parametrize("baseline", [None, EVIL])
def test_text_of_the_data_is_shown_and_never_part_of_the_page(baseline: str | None) -> None:
    qrels, runs = strange()
    found = ir.compare(qrels, runs, ["rr@1", "rr@2"], baseline=baseline, seed=0)
    page = html(found, title=EVIL, command=EVIL)
    assert "<script>alert" not in page
    outline = Outline(page)
    assert outline.open == []
    assert len(outline.of("script")) == 2  # the data and the page's own
    for tag in ("h1", "title", "th", "code", "figcaption" if baseline else "th"):
        assert any(EVIL in text for text in outline.text_of(tag)), tag
    assert embedded(page)["queries"] == NAMES
    drawn = set(outline.text_of("text"))
    assert {"a$b$c & d", "_hidden", "日本語", "]]> -->", "#0b5fbf"} <= drawn
    assert not any(len(text) > 80 for text in drawn)


def test_a_page_of_ten_systems_and_a_thousand_queries_is_small(tmp_path: Path) -> None:
    labels = RNG.integers(0, 3, (1000, 20))
    data = ir.from_arrays(labels.ravel(), offsets=np.arange(1001) * 20)
    systems = {f"system {i}": (labels + RNG.normal(size=labels.shape) * (1 + i / 9)).ravel() for i in range(10)}
    found = ir.compare(data, systems, MEASURES, seed=0, n_permutations=200)
    curves = ir.evaluate(data, systems, over_cutoffs(MEASURES))
    path = tmp_path / "report.html"
    page = html(found, path, curves=curves)
    assert path.read_text(encoding="utf-8") == page
    assert path.stat().st_size < 1_000_000
    assert os_names(tmp_path) == ["report.html"]


def os_names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_page_appears_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "report.html"
    path.write_text("before")
    monkeypatch.setattr("os.replace", lambda *_: (_ for _ in ()).throw(OSError("no")))
    with pytest.raises(OSError, match="no"):
        html(result("one"), path)
    assert path.read_text() == "before"
    assert os_names(tmp_path) == ["report.html"]


def test_what_is_no_result_is_refused() -> None:
    with pytest.raises(DataError, match="evaluate, compare or explain returned, got dict"):
        html({})  # type: ignore[arg-type]
    with pytest.raises(DataError, match="no measure 'err', it has 'ndcg@5'"):
        figures.means(result("one"), "err")
    with pytest.raises(DataError, match="two cutoffs"):
        figures.cutoff_curves(ir.evaluate(QRELS, SYSTEMS, ["ap"]))


@pytest.mark.parametrize(
    ("qrels", "runs", "measure"),
    [
        ({"q": {"a": 1}}, {"x": {"q": {"a": 1}}, "y": {"q": {"a": 1}}}, "rr"),
        ({"q": {"a": 0}, "r": {"a": 0}}, {"x": {"q": {"a": 1}}, "y": {"q": {"a": 1}}}, "ndcg(empty=nan)"),
        ({"q": {"a": 0}, "r": {"a": 0}}, {"x": {"q": {"a": 1}}, "y": {"q": {"a": 1}}}, "ndcg(empty=skip)"),
        ({"q": {"a": 9}, "r": {"a": 9}}, {"x": {"q": {"a": 1}}, "y": {"r": {"a": 1}, "q": {"a": 1}}}, "dcg"),
    ],
    ids=["one query", "all NaN", "all skipped", "different queries"],
)
def test_results_with_little_in_them_have_a_page_too(qrels: Any, runs: Any, measure: str) -> None:
    for baseline in (None, "x"):
        page = html(ir.compare(qrels, runs, measure, baseline=baseline, seed=0))
        assert ">nan<" not in page
        assert Outline(page).open == []
    html(ir.evaluate(qrels, runs, measure))
    html(ir.explain(qrels, runs["x"], measure, like=["idealrank", "idealrank"]))


def test_the_verdict_names_what_differs() -> None:
    verdict = result("baseline").findings()[MEASURES.index("ap")]
    differ = "2 of 2 differ significantly from base, 1 better and 1 worse, at level 0.05"
    assert re.fullmatch(rf"ap: {differ}: good \(\+.*\) and bad \(-.*\)\.", verdict)
    verdict = result("pairs").findings()[MEASURES.index("ap")]
    assert re.match(r"ap: good has the best mean, [01]\.\d+, significantly better than every other; 3 of 3", verdict)
    alike = ir.compare(QRELS, dict.fromkeys("abcdefg", SYSTEMS["base"]), "ap", seed=0)
    assert "not significantly better than 6 of the others; 0 of 21 pairs" in alike.findings()[0]
    assert result("one").findings() == []
    explained = result("explanation").findings()
    assert len(explained) == 2
    assert explained[1].startswith("trec_eval gives 0.")
    assert "gain -0." in explained[1]


def test_figures_draw_into_the_axes_that_they_are_given() -> None:
    from matplotlib.figure import Figure

    compared, explained = result("pairs"), result("explanation")
    drawings: list[Callable[[Any], Any]] = [
        lambda ax: figures.means(compared, "ap", ax),
        lambda ax: figures.distributions(compared, "ap", ax),
        lambda ax: figures.differences(compared, "ap", ax),
        lambda ax: figures.cutoff_curves(compared.evaluations, "ndcg", ax),
        lambda ax: figures.significance(compared, "ap", ax),
        lambda ax: figures.waterfall(explained.waterfalls[0], ax),
    ]
    assert len(drawings) == len(figures.__all__)
    for draw in drawings:
        ax = Figure().subplots()
        assert draw(ax) is ax
        assert ax.get_children()
        assert draw(None) is not ax


def test_means_and_intervals_are_drawn_where_they_lie() -> None:
    found = result("baseline")
    ax: Any = figures.means(found, "ap")
    assert [label.get_text() for label in ax.get_yticklabels()] == list(SYSTEMS)
    heights = ax.get_yticks()
    assert list(heights) == [2, 1, 0]
    dots = [line.get_xdata()[0] for line in ax.lines[:3]]
    assert_allclose(dots, [found.means["ap"][name].mean for name in SYSTEMS], rtol=0, atol=0)
    for lines, name in zip(ax.collections, SYSTEMS, strict=True):
        ((start, end),) = lines.get_segments()
        interval = found.means["ap"][name]
        assert_allclose([start[0], end[0]], [interval.low, interval.high], rtol=0, atol=0)
    assert ax.lines[3].get_xdata()[0] == dots[0]  # the baseline's


def test_bars_are_the_sorted_differences_of_all_queries() -> None:
    found = result("baseline")
    ax: Any = figures.differences(found, "ap")
    values = found.values["ap"]
    scale = np.abs(values - values[:, :1]).max()
    for row, (strip, number) in enumerate(zip((1, 0), (1, 2), strict=True)):
        better, worse = (patch.get_data() for patch in ax.patches[2 * row : 2 * row + 2])
        drawn = np.concatenate([better.values, worse.values])
        expected = np.sort(values[:, number] - values[:, 0])[::-1]
        assert_allclose((drawn - strip) / (0.85 / 2) * scale, expected[expected != 0], rtol=0, atol=1e-12)
        assert better.edges[0] == 0
        assert worse.edges[-1] == len(QRELS)


def test_many_bars_are_thinned_and_keep_their_ends() -> None:
    values = np.sort(RNG.normal(size=5000))[::-1]
    bars, edges = figures._thinned(values)
    assert bars.size == figures._MOST_BARS == edges.size - 1
    assert (bars[0], bars[-1], edges[0], edges[-1]) == (values[0], values[-1], 0, 5000)
    above, below = (np.interp(at, np.arange(5000) + 0.5, values) for at in (edges[:-1], edges[1:]))
    assert ((below <= bars) & (bars <= above)).all()


def test_the_matrix_has_every_pair_twice_and_the_rows_view_of_it() -> None:
    found = result("pairs")
    ax = figures.significance(found, "ap")
    places = {text.get_position(): text.get_text() for text in ax.texts}
    marks = {(column, round(row)): text for (column, row), text in places.items() if text in "▲▼"}
    order = sorted(range(3), key=lambda i: -found.means["ap"][found.systems[i]].mean)
    expected = {
        (column, 2 - row): "▲" if order.index(row) < order.index(column) else "▼"
        for row in range(3)
        for column in range(3)
        if row != column
    }
    assert marks == expected  # all three differ


def test_a_waterfall_goes_from_one_mean_to_the_other() -> None:
    for way in result("explanation").waterfalls:
        ax: Any = figures.waterfall(way)
        place = way.start_mean
        for patch in ax.patches:
            assert_allclose(patch.get_x(), place, rtol=0, atol=1e-12)
            place += patch.get_width()
        assert_allclose(place, way.end_mean, rtol=0, atol=1e-12)


def test_curves_are_the_means_at_each_cutoff() -> None:
    found = ir.evaluate(QRELS, SYSTEMS, over_cutoffs(["ndcg@10", "ap"], [1, 5, 10]))
    ax: Any = figures.cutoff_curves(found, "ap")
    for line, name in zip(ax.lines, SYSTEMS, strict=True):
        assert list(line.get_xdata()) == [1, 5, 10]
        means = [found.mean[name][f"ap@{cutoff}"] for cutoff in (1, 5, 10)]
        assert_allclose(line.get_ydata(), means, rtol=0, atol=0)
    assert {text.get_text() for text in ax.texts} == set(SYSTEMS)


def test_labels_are_moved_apart_as_little_as_it_takes() -> None:
    assert_allclose(_apart(np.array([0.0, 50.0, 100.0]), 10, 100), [0, 50, 100], rtol=0, atol=0)
    assert_allclose(_apart(np.array([50.0, 50.0]), 10, 100), [45, 55], rtol=0, atol=1e-12)
    assert_allclose(_apart(np.array([0.0, 0.0, 100.0, 100.0]), 10, 100), [0, 10, 90, 100], rtol=0, atol=1e-12)
    crowded = _apart(np.sort(RNG.uniform(0, 30, 8)), 10, 100)
    assert np.diff(crowded).min() >= 10 - 1e-9


def test_an_svg_has_text_as_text_and_colours_of_the_page() -> None:
    found = result("baseline")
    drawn = inline_svg(lambda: figures.differences(found, "ap"), "f", "t", "d")
    assert ">good</text>" in drawn
    assert "var(--better)" in drawn
    assert not re.search(r"#[0-9a-f]{6}", drawn)
    assert "font-family" not in drawn


def luminance(color: str) -> float:
    channels = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_colours_stand_out_from_page_and_panel(theme: int) -> None:
    shades = {name: shade[theme] for name, shade in COLOURS.items()}
    for name, shade in shades.items():
        for ground in ("page", "panel"):
            high, low = sorted((luminance(shade), luminance(shades[ground])), reverse=True)
            contrast = (high + 0.05) / (low + 0.05)
            # WCAG 2.2: 4.5 for text, 3 for what must be seen; lines of a grid need not.
            if name not in ("page", "panel", "grid"):
                assert contrast >= (3 if name == "neutral" else 4.5), (name, ground, contrast)


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    ir.write_qrels(ir.Qrels(QRELS), "qrels.txt")
    for name in ("base", "good"):
        ir.write_run(ir.Run(SYSTEMS[name], name=name), f"{name}.run")
    return tmp_path


@pytest.mark.parametrize(
    "arguments",
    [
        ["evaluate", "qrels.txt", "base.run", "good.run"],
        ["evaluate", "qrels.txt", "base.run", "-m", "bpref"],
        ["compare", "qrels.txt", "base.run", "good.run", "--seed", "1"],
        ["compare", "qrels.txt", "base.run", "good.run", "--baseline", "base", "-m", "bpref", "--seed", "1"],
        ["explain", "qrels.txt", "base.run", "--like", "trec_eval", "--like", "sklearn"],
        ["demo", "--queries", "10", "--docs", "20"],
    ],
    ids=" ".join,
)
def test_commands_write_a_report_beside_what_they_print(files: Path, arguments: list[str]) -> None:
    plain = CliRunner().invoke(commands, [*arguments, "--quiet"])
    outcome = CliRunner().invoke(commands, [*arguments, "--quiet", "--html", "a report.html"])
    assert outcome.exit_code == 0, outcome.output
    assert outcome.stdout == plain.stdout
    page = Path("a report.html").read_text(encoding="utf-8")
    assert f"<code>idealrank {' '.join(arguments)} --quiet --html &#x27;a report.html&#x27;</code>" in page
    has_curves = "bpref" not in arguments and arguments[0] != "explain"
    assert ("By cutoff" in page) == has_curves


def test_a_command_says_where_the_report_is(files: Path) -> None:
    outcome = CliRunner().invoke(commands, ["evaluate", "qrels.txt", "base.run", "--html", "out.html"])
    assert "idealrank: the report is in out.html" in outcome.stderr
    failed = CliRunner().invoke(commands, ["evaluate", "qrels.txt", "base.run", "--html", "nowhere/out.html"])
    assert failed.exit_code == 1
    assert "nowhere/out.html: there is no folder 'nowhere'" in failed.stderr


def test_evaluations_by_name_are_taken_as_they_are() -> None:
    one = result("one")
    assert html(one) == html(Evaluations({"system": one}))


def test_a_learning_curve_has_a_line_a_stage_and_shows_the_iteration_kept() -> None:
    from idealrank import learners

    X, y, qid = [[0.0, 1.0], [1.0, 0.0], [3.0, 2.0], [2.0, 5.0]], [0, 1, 1, 0], [1, 1, 2, 2]
    ranker = learners.ApproxNDCGRanker(max_iter=3).fit(X, y, qid=qid, eval_set=(X, y, qid))
    stages = [entry["stage"] for entry in ranker.history_]
    ax: Any = learning_curve(ranker)
    *lines, kept = ax.lines
    assert len(lines) == len([1 for one, other in pairwise([None, *stages]) if one != other]) > 1
    values = [value for line in lines for value in line.get_ydata()]
    assert values == [entry["validation"] for entry in ranker.history_]
    assert kept.get_xdata()[0] == ranker.best_iteration_
    assert ax.get_ylabel() == "validation ndcg"
    assert learning_curve(learners.RankNet(l2=10.0).fit(X, y, qid=qid)).get_ylabel() == "loss"
    with pytest.raises(DataError, match="RandomRanker has no history"):
        learning_curve(learners.RandomRanker().fit(X, y, qid=qid))
