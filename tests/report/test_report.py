"""The report: what its figures draw, what its page says, and that no text of the data becomes part of the page."""

import base64
import json
import math
import re
import zlib
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from numpy.testing import assert_allclose

import idealrank as ir
from idealrank import report
from idealrank._present.figure_style import COLOURS
from idealrank._present.markup import joined
from idealrank._present.system_scores import MeasureScores, Scores
from idealrank._present.table import Column, Table, html_table
from idealrank.cli.group import commands
from idealrank.errors import DataError
from idealrank.evaluation.evaluation_result import Evaluations
from idealrank.evaluation.top_documents import top_documents
from idealrank.report import figures, html, learning_curve, over_cutoffs
from idealrank.report.figures import _apart
from idealrank.report.page_data import embedded_scores
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

    VOID = frozenset(("meta", "col", "input", "br", "wbr"))

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []
        self.open: list[str] = []
        self._begun: list[list[str]] = []
        self._wholes: list[tuple[str, str]] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)
            self._begun.append([])

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag
        self._wholes.append((tag, "".join(self._begun.pop())))

    def handle_data(self, data: str) -> None:
        for texts in self._begun:
            texts.append(data)
        if data.strip():
            self.texts.append((self.open[-1] if self.open else "", data))

    def of(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]

    def text_of(self, tag: str) -> list[str]:
        return [text for name, text in self.texts if name == tag]

    def whole_text_of(self, tag: str) -> list[str]:
        """The texts of elements with those of all elements inside."""
        return [text for name, text in self._wholes if name == tag]


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


@pytest.mark.parametrize(("n_systems", "is_folded"), [(20, False), (30, True)])
def test_long_tables_of_data_quality_are_closed_at_first(n_systems: int, is_folded: bool) -> None:
    tied = {q: dict.fromkeys(docs, 0.0) for q, docs in QRELS.items()}
    page = html(ir.evaluate(QRELS, {f"s{i}": tied | {"q0": {"d1": float(i)}} for i in range(n_systems)}, "rr"))
    label = f"Ties, unjudged documents and missing queries: {n_systems} rows"
    assert (label in Outline(page).text_of("summary")) == is_folded


def test_the_rows_of_an_explanation_are_never_called_systems() -> None:
    tied = {q: dict.fromkeys(docs, 0.0) for q, docs in QRELS.items()}
    outline = Outline(html(ir.explain(QRELS, tied, "ndcg@5", like=["trec_eval", "sklearn", "lightgbm"])))
    assert "Found in the data" in outline.text_of("h3")
    assert "count as 0" in outline.text_of("dd")  # what lightgbm does with missing queries
    heads = outline.text_of("th")
    assert "convention" in heads
    assert "system" not in heads


@pytest.mark.parametrize("name", ["baseline", "explanation"])
def test_the_same_result_is_the_same_page_whatever_styles_are_in_use(name: str) -> None:
    import matplotlib

    first = html(result(name))
    with matplotlib.rc_context({"axes.facecolor": "black", "text.color": "white", "svg.fonttype": "path"}):
        assert html(result(name)) == first
        assert matplotlib.rcParams["axes.facecolor"] == "black"


def embedded(page: str) -> Any:
    (text,) = re.findall(r'id="report-data">(.*?)</script>', page)
    return json.loads(text)


def unpacked(text: str) -> bytes:
    return zlib.decompress(base64.b64decode(text))


def values_of(measure: Any, n_queries: int) -> Any:
    """The values that the script of the page finds: matrix[system, query]."""
    planes = np.frombuffer(unpacked(measure["values"]["data"]), np.uint8).reshape(-1, len(measure["means"]), n_queries)
    codes = sum(plane.astype(int) * 256**place for place, plane in enumerate(planes))
    return np.where(
        codes == 256 ** len(planes) - 1, np.nan, measure["values"]["low"] + codes * measure["values"]["step"]
    )


def test_the_values_of_the_page_are_those_of_the_result() -> None:
    short = {"q3": SYSTEMS["good"]["q3"], "q1": SYSTEMS["good"]["q1"]}
    found = ir.evaluate(QRELS, {"all": SYSTEMS["base"], "short": short}, ["dcg", "ap"])
    content = embedded(html(found))["scores"]
    assert content["systems"] == ["all", "short"]
    assert content["queries"] == ["q1", "q3"]  # those that both have
    for measure in content["measures"]:
        expected = np.stack([each.per_query[measure["name"]] for each in found.values()])
        step = measure["values"]["step"]
        assert 1e-7 <= step <= 1.3e-7
        assert_allclose(values_of(measure, 2), expected, rtol=0, atol=step / 2 * 1.001)
        means = [[each.mean[measure["name"]], *each.interval()[measure["name"]]] for each in found.values()]
        assert_allclose(measure["means"], means, rtol=1e-6, atol=0)


def test_the_pairs_of_the_page_are_those_of_the_result() -> None:
    for name in ("baseline", "pairs"):
        found = result(name)
        content = embedded(html(found))["scores"]
        assert (content["baseline"], content["level"]) == (found.baseline, 0.05)
        for measure in content["measures"]:
            rows = np.frombuffer(unpacked(measure["pairs"]), "<f4").reshape(-1, len(content["columns"]))
            assert len(rows) == len(found.differences[measure["name"]])
            for row, each in zip(rows, found.differences[measure["name"]], strict=True):
                told = dict(zip(content["columns"], row.tolist(), strict=True))
                assert found.systems[int(told["system"])] == each.system
                assert found.systems[int(told["against"])] == each.against
                numbers = [told[key] for key in ("change", "low", "high", "p", "corrected", "d_z", "detectable")]
                bounds = each.interval.low, each.interval.high
                expected = [each.difference, *bounds, each.p_value, each.corrected, each.effect.cohen_dz]
                assert_allclose(numbers, [*expected, each.detectable], rtol=1e-6, atol=1e-9)
                counts = [each.effect.wins, each.effect.ties, each.effect.losses]
                assert [told[key] for key in ("better", "same", "worse")] == counts


def test_values_of_any_size_are_embedded_with_their_precision() -> None:
    columns = ([0.0, 1.0, np.nan], [0.0, 1.3, 1.32], [-5.0, 40.0, np.nan], [1e9, 2e9, 1e9 + 1], [np.nan] * 3, [7.0] * 3)
    for column in columns:
        values = np.array([column])
        scores = Scores(["s"], ["a", "b", "c"], {"m": MeasureScores(values, values)}, "", "")
        (measure,) = embedded_scores(scores)["measures"]
        step = measure["values"]["step"]
        assert 1e-7 <= step <= max(1e-7, 1.1 * (np.nanmax(values, initial=0) - np.nanmin(values, initial=0)) / 256**3)
        assert_allclose(values_of(measure, 3), values, rtol=0, atol=0.5001 * step)


@pytest.mark.parametrize(("n_measures", "budget"), [(1, 25_000), (4, 40_000)])
def test_values_are_coarser_and_then_left_out_if_the_page_would_be_too_large(
    monkeypatch: pytest.MonkeyPatch, n_measures: int, budget: int
) -> None:
    values = RNG.uniform(size=(20, 500))
    one = MeasureScores(values, np.zeros((20, 3)))
    scores = Scores([f"s{i}" for i in range(20)], [f"q{i}" for i in range(500)], {}, "", "")
    scores = replace(scores, measures={f"m{i}": one for i in range(n_measures)})
    monkeypatch.setattr("idealrank.report.page_data._VALUE_BUDGET", budget)
    measures = embedded_scores(scores)["measures"]
    assert sum(len(each["values"]["data"]) for each in measures if each["values"]) <= budget
    if n_measures == 1:
        assert measures[0]["values"]["step"] == 1e-4
        assert_allclose(values_of(measures[0], 500), values, rtol=0, atol=5.1e-5)
    else:
        assert [each["values"] is None for each in measures] == [False, False, True, True]


def lists_of(page: str) -> dict[int, Any]:
    lines = unpacked(embedded(page)["lists"]["data"]).decode().splitlines()
    return {query: rest for query, *rest in map(json.loads, lines)}


def test_ranked_lists_are_those_of_the_runs() -> None:
    runs = {"tied": {"q1": {"d1": 1.0, "d2": 3.0, "d0": 1.0, "new": 2.0}, "q2": {"d4": 1.0}}, "other": SYSTEMS["good"]}
    page = html(ir.evaluate(QRELS, runs, ["ndcg@3", "ap"], for_report=True))
    content, told = embedded(page), lists_of(page)
    assert content["lists"]["systems"] == [0, 1]
    assert content["lists"]["left_out"] == ""
    place = content["scores"]["queries"].index("q1")
    documents, labels, ranked, tied = told[place]
    assert [documents[d] for d in ranked[0]] == ["d2", "new", "d1", "d0"]  # like trec_eval: ties by descending id
    assert [labels[d] for d in ranked[0]] == [QRELS["q1"]["d2"], None, QRELS["q1"]["d1"], QRELS["q1"]["d0"]]
    assert tied == [[2, 3], []]
    best = sorted(SYSTEMS["good"]["q1"], key=lambda d: -SYSTEMS["good"]["q1"][d])[:10]
    assert [documents[d] for d in ranked[1]] == best
    worth = content["lists"]["worth"]
    assert list(worth) == ["ndcg@3"]
    assert worth["ndcg@3"]["gains"] == {"0": 0.0, "1": 1.0, "2": 2.0}
    assert_allclose(worth["ndcg@3"]["discounts"], [1, 1 / np.log2(3), 0.5], rtol=0, atol=5.1e-5)


def test_ranked_lists_leave_out_unjudged_documents_if_the_measure_does() -> None:
    """The value of a measure with judged_only is that of the documents in its list."""
    qrels = {"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"a": 1}}
    run = {"q1": {"x": 5.0, "c": 4.0, "y": 3.0, "a": 2.0, "b": 1.0}, "q2": {"x": 2.0, "y": 1.0}}
    condensed, plain = "dcg(judged_only=True,gain=linear)@3", "dcg(gain=linear)@3"

    def listed(measures: str | list[str]) -> list[list[str]]:
        told = lists_of(html(ir.evaluate(qrels, {"system": run}, measures, for_report=True)))
        return [[told[query][0][d] for d in told[query][2][0]] if query in told else [] for query in range(2)]

    assert listed(condensed) == [["c", "a", "b"], []]
    assert listed(plain) == [["x", "c", "y", "a", "b"], ["x", "y"]]
    value = ir.evaluate(qrels, run, condensed).per_query[condensed][0]
    assert_allclose(value, 1 + 2 / np.log2(3), rtol=1e-12, atol=0)


@pytest.mark.parametrize("ties", ["stable", "reverse", "best", "worst", "docid_asc", "docid_desc"])
def test_ranked_lists_have_the_order_that_a_measure_has(ties: str) -> None:
    """The value of a measure at each depth is that of the documents above."""
    rng = np.random.default_rng(4)
    qrels = {f"q{i}": {f"d{j}": int(rng.integers(0, 3)) for j in range(9)} for i in range(20)}
    run = {q: {d: float(rng.integers(0, 3)) for d in rng.permutation([*docs, "x"])} for q, docs in qrels.items()}
    name = f"dcg(ties={ties},gain=linear)"
    evaluations = ir.evaluate(qrels, {"system": run}, name, for_report=True)
    kept = top_documents(evaluations)
    assert kept is not None
    found = kept.systems["system"]
    values = evaluations["system"].per_query[name]
    for query, (start, end) in enumerate(pairwise(found.offsets.tolist())):
        labels = np.nan_to_num(found.labels[start:end])
        assert_allclose(values[query], labels @ (1 / np.log2(np.arange(2, labels.size + 2))), rtol=1e-12, atol=0)


def test_lists_that_do_not_fit_are_left_out_and_the_page_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("idealrank.report.page_data._LIST_BUDGET", 40_000)
    monkeypatch.setattr("idealrank.report.page_data._MOST_LISTED", 2)
    labels = RNG.integers(0, 3, (2000, 20))
    data = ir.from_arrays(labels.ravel(), offsets=np.arange(2001) * 20)
    noise = {"bad": 9.0, "good": 0.5, "base": 3.0}
    systems = {name: (labels + size * RNG.normal(size=labels.shape)).ravel() for name, size in noise.items()}
    found = ir.compare(data, systems, "ndcg@5", baseline="base", seed=0, n_permutations=100, for_report=True)
    page = html(found)
    content = embedded(page)["lists"]
    assert content["systems"] == [2, 1]  # the baseline and the best one
    told = lists_of(page)
    assert 0 < len(told) < 2000
    assert 30_000 < len(content["data"]) <= 40_000
    assert (
        f"{len(told):,} of 2,000 queries, on which the systems differ most, and 2 of 3 systems" in content["left_out"]
    )
    values = found.values["ndcg@5"]
    spread = values.max(axis=1) - values.min(axis=1)
    assert min(spread[list(told)]) >= np.sort(spread)[::-1][len(told) - 1] - 1e-12


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
    for tag in ("h1", "title", "th", "code"):
        assert any(EVIL in text for text in outline.whole_text_of(tag)), tag
    assert embedded(page)["scores"]["queries"] == NAMES
    drawn = set(Outline(inline_svg(lambda: figures.means(found), "f", "t", "d")).text_of("text"))
    assert {"a$b$c & d", "_hidden", "日本語", "]]> -->", "#0b5fbf"} <= drawn
    assert not any(len(text) > 80 for text in drawn)


def test_a_page_of_ten_systems_and_a_thousand_queries_is_small(tmp_path: Path) -> None:
    labels = RNG.integers(0, 3, (1000, 20))
    data = ir.from_arrays(labels.ravel(), offsets=np.arange(1001) * 20)
    systems = {f"system {i}": (labels + RNG.normal(size=labels.shape) * (1 + i / 9)).ravel() for i in range(10)}
    found = ir.compare(data, systems, MEASURES, seed=0, n_permutations=200, for_report=True)
    path = tmp_path / "report.html"
    page = html(found, path)
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
    verdict = result("baseline").page().findings[MEASURES.index("ap")]
    differ = "both systems differ significantly from base, 1 better and 1 worse, at level 0.05"
    assert re.fullmatch(rf"ap: {differ}: good \(\+.*\) and bad \(-.*\)\.", verdict)
    verdict = result("pairs").page().findings[MEASURES.index("ap")]
    assert re.match(
        r"ap: good has the best mean, [01]\.\d+, significantly better than all others; all 3 pairs", verdict
    )
    alike = ir.compare(QRELS, dict.fromkeys("abcdefg", SYSTEMS["base"]), "ap", seed=0)
    assert alike.page().findings[0].startswith("ap: 7 systems share the best mean, 0.8491; none of the 21 pairs differ")
    (verdict,) = ir.compare(QRELS, dict.fromkeys("ab", SYSTEMS["base"]), "ap", seed=0).page().findings
    assert verdict == "ap: a and b have the same mean, 0.8491, and do not differ significantly at level 0.05."
    two = {name: SYSTEMS[name] for name in ("base", "good")}
    (verdict,) = ir.compare(QRELS, two, "ap", seed=0).page().findings
    assert re.fullmatch(
        r"ap: good has the best mean, 1\.0000, significantly better than base at level 0\.05\.", verdict
    )
    (verdict,) = ir.compare(QRELS, two, "ap", baseline="good", seed=0).page().findings
    assert re.fullmatch(r"ap: base is significantly worse than good \(-0\.\d+\) at level 0\.05\.", verdict)
    (verdict,) = ir.compare(QRELS, dict.fromkeys("ab", SYSTEMS["base"]), "ap", baseline="a", seed=0).page().findings
    assert verdict == "ap: b does not differ significantly from a (+0.0000) at level 0.05."
    assert list(result("one").page().findings) == []
    explained = result("explanation").page().findings
    assert len(explained) == 2
    assert explained[1].startswith("trec_eval gives 0.")
    assert "choices make a difference; largest: " in explained[1]


@pytest.mark.parametrize(
    ("test", "n_permutations", "said"),
    [
        ("randomization", 50, "with 50 permutations and 3 comparisons, .* is 0.0588; use at least 59 permutations."),
        ("bootstrap", 50, "with 50 resamples and 3 comparisons, .* is 0.0588; use at least 59 resamples."),
        ("tukey", 10, "with 10 permutations and 3 comparisons, .* is 0.0909; use at least 19 permutations."),
        ("randomization", 59, None),
        ("t", 1, None),
    ],
)
def test_a_test_that_cannot_find_anything_says_so(test: str, n_permutations: int, said: str | None) -> None:
    rng = np.random.default_rng(0)
    data = ir.from_arrays(np.tile([0, 1, 2], 60), offsets=np.arange(0, 181, 3))
    systems = {name: rng.normal(size=180) for name in "abc"}
    found = ir.compare(data, systems, ["ndcg", "dcg"], test=test, n_permutations=n_permutations, seed=0)
    told = [each for each in found.page().findings if "can be significant" in each]
    start = "ndcg and dcg: no difference can be significant: "
    assert [bool(re.fullmatch(start + (said or ""), each)) for each in told] == ([True] if said else [])
    assert all(each in html(found) for each in told)


def test_few_queries_that_can_show_nothing_ask_for_more_queries() -> None:
    qrels = {f"q{i}": {"a": 1, "b": 0} for i in range(3)}
    good, bad = ({q: {"a": a, "b": 1.0} for q in qrels} for a in (2.0, 0.0))
    exact: dict[str, Any] = {"test": "randomization", "seed": 0}
    found = ir.compare(qrels, {"good": good, "bad": bad}, "rr", baseline="bad", **exact)
    assert found.page().findings[1] == (
        "rr: no difference can be significant: with 3 queries that differ and 1 comparison, the smallest corrected "
        "p-value that the test can give is 0.2500; use more queries."
    )
    for test in ("sign", "wilcoxon"):
        found = ir.compare(qrels, {"good": good, "bad": bad}, "rr", test=test, correction="none", seed=0)
        assert found.page().findings[1] == (
            "rr: no difference can be significant: with 3 queries that differ and 1 comparison, the smallest p-value "
            "that the test can give is 0.2500; use more queries."
        )
    once = {**bad, "q0": good["q0"], "q1": good["q1"]}
    found = ir.compare(qrels, {"good": good, "once": once}, "rr", baseline="good", **exact)
    assert "with 1 query that differs and 1 comparison, the smallest corrected p-value" in found.page().findings[1]


def test_comparisons_without_a_p_value_do_not_count_in_what_a_test_can_find() -> None:
    rng = np.random.default_rng(0)
    data = ir.from_arrays(np.tile([0, 1, 2], 60), offsets=np.arange(0, 181, 3))
    systems = {name: rng.normal(size=180) for name in "abc"}
    found = ir.compare(data, systems, "ndcg", baseline="a", test="bootstrap", n_permutations=30, seed=0)
    assert "with 30 resamples and 2 comparisons" in found.page().findings[1]
    first, second = found.differences["ndcg"]
    untested = replace(second, p_value=math.nan, corrected=math.nan)
    assert len(replace(found, differences={"ndcg": (first, untested)}).page().findings) == 1


def test_a_page_calls_p_values_corrected_only_if_they_are() -> None:
    for correction, is_corrected in (("holm", True), ("none", False)):
        page = html(ir.compare(QRELS, SYSTEMS, "ap", correction=correction, seed=0))
        assert ("p: p-value, corrected for" in page) == is_corrected
        assert ("p: p-value, not corrected for the number of comparisons" in page) != is_corrected
        assert embedded(page)["scores"]["is_corrected"] == is_corrected


def test_cells_of_a_few_words_are_not_broken() -> None:
    rows = [["1", "Figure 1", "the three are very close"]]
    shown = html_table(Table([Column("claim"), Column("where"), Column("says")], rows))
    assert '<td class="words">Figure 1</td><td>the three are very close</td>' in shown


def test_names_in_findings_are_escaped() -> None:
    for n_systems in (2, 3, 7):
        names = [f"{EVIL}{i}" for i in range(n_systems)]
        alike = ir.compare(QRELS, dict.fromkeys(names, SYSTEMS["base"]), "ap", seed=0)
        page = html(alike)
        assert "<script>alert" not in page
        assert joined([alike.page().findings[0]]) in page


def test_the_script_has_no_lookbehind_which_older_browsers_cannot_parse() -> None:
    assert "(?<" not in (Path(report.__file__).parent / "page.js").read_text(encoding="utf-8")


def test_figures_draw_into_the_axes_that_they_are_given() -> None:
    from matplotlib.figure import Figure

    compared, explained = result("pairs"), result("explanation")
    drawings: list[Callable[[Any], Any]] = [
        lambda ax: figures.means(compared, "ap", ax),
        lambda ax: figures.differences(compared, "ap", ax),
        lambda ax: figures.cutoff_curves(compared.evaluations, "ndcg", ax),
        lambda ax: figures.waterfall(explained.waterfalls[0], ax),
    ]
    assert len(drawings) == len({*figures.__all__} - {"learning_curve"})  # which takes a ranker
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


def test_a_waterfall_goes_from_one_mean_to_the_other() -> None:
    for way in result("explanation").waterfalls:
        ax: Any = figures.waterfall(way)
        place = way.start_mean
        for patch in ax.patches:
            assert_allclose(patch.get_x(), place, rtol=0, atol=1e-12)
            place += patch.get_width()
        assert_allclose(place, way.end_mean, rtol=0, atol=1e-12)


def test_the_waterfall_of_an_explanation_is_its_first() -> None:
    found = result("explanation")
    drawn, first = (figures.waterfall(each) for each in (found, found.waterfalls[0]))
    assert [each.get_text() for each in drawn.get_yticklabels()] == [
        each.get_text() for each in first.get_yticklabels()
    ]


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
                is_text = name != "neutral" and not name.startswith("series")
                assert contrast >= (4.5 if is_text else 3), (name, ground, contrast)


#: Machado, Oliveira and Fernandes 2009, "A Physiologically-based Model for Simulation of Color Vision Deficiency": what
#: people without one kind of cones see, in linear RGB.
VISIONS = {
    "usual": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}
#: Ottosson 2020: linear RGB to cone responses, and their cube roots to OKLab.
CONES = [
    [0.4122214708, 0.5363325363, 0.0514459929],
    [0.2119034982, 0.6806995451, 0.1073969566],
    [0.0883024619, 0.2817188376, 0.6299787005],
]
OKLAB = [
    [0.2104542553, 0.7936177850, -0.0040720468],
    [1.9779984951, -2.4285922050, 0.4505937099],
    [0.0259040371, 0.7827717662, -0.8086757660],
]


def oklab(color: str, vision: Any) -> Any:
    channels = np.array([int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return np.array(OKLAB) @ np.cbrt(np.array(CONES) @ np.clip(np.array(vision) @ linear, 0, 1))


def smallest_distance(colors: list[str], vision: Any) -> float:
    return min(
        float(np.linalg.norm(oklab(one, vision) - oklab(other, vision))) for one, other in combinations(colors, 2)
    )


def test_oklab_of_known_colours() -> None:
    assert_allclose(oklab("#ffffff", np.eye(3)), [1, 0, 0], rtol=0, atol=1e-6)
    assert_allclose(oklab("#ff0000", np.eye(3)), [0.627955, 0.224863, 0.125846], rtol=0, atol=1e-5)
    assert smallest_distance(["#00a000", "#b07000"], VISIONS["deuteranopia"]) < 0.05  # green and brown look alike


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("vision", VISIONS)
def test_colour_blind_readers_tell_the_colours_apart(vision: str, theme: int) -> None:
    """The smallest distance in OKLab is 0.10 for color-blind readers and 0.18 for others; 0.02 is just noticeable."""
    series = [shade[theme] for name, shade in COLOURS.items() if name.startswith("series-")]
    sides = [COLOURS[name][theme] for name in ("better", "worse")]
    assert len(series) == 8
    assert smallest_distance(series, VISIONS[vision]) >= (0.18 if vision == "usual" else 0.10)
    assert smallest_distance(sides, VISIONS[vision]) >= 0.17


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    ir.io.write_qrels(ir.Qrels(QRELS), "qrels.txt")
    for name in ("base", "good"):
        ir.io.write_run(ir.Run(SYSTEMS[name], name=name), f"{name}.run")
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
        ["identify", "sklearn.metrics:ndcg_score"],
        ["bounds", "qrels.txt", "base.run", "good.run"],
    ],
    ids=" ".join,
)
def test_commands_write_a_report_beside_what_they_print(files: Path, arguments: list[str]) -> None:
    plain = CliRunner().invoke(commands, [*arguments, "--quiet"])
    outcome = CliRunner().invoke(commands, [*arguments, "--quiet", "--html", "a report.html"])
    assert outcome.exit_code == 0, outcome.output
    assert outcome.stdout == plain.stdout
    page = Path("a report.html").read_text(encoding="utf-8")
    assert f"idealrank {' '.join(arguments)} --quiet --html 'a report.html'" in Outline(page).whole_text_of("code")
    has_curves = "bpref" not in arguments and arguments[0] not in ("bounds", "explain", "identify")
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


def test_a_learning_curve_has_one_line_per_stage() -> None:
    from idealrank import learners

    X, y, qid = [[0.0, 1.0], [1.0, 0.0], [3.0, 2.0], [2.0, 5.0]], [0, 1, 1, 0], [1, 1, 2, 2]
    ranker = learners.ApproxNDCGRanker(max_iter=3).fit(X, y, qid=qid, eval_set=(X, y, qid))
    unvalidated = learners.ApproxNDCGRanker(max_iter=3).fit(X, y, qid=qid)
    for fitted, drawn, label in ((ranker, "validation", "validation ndcg"), (unvalidated, "loss", "loss")):
        ax: Any = learning_curve(fitted)
        *lines, kept = ax.lines
        stages = [entry["stage"] for entry in fitted.history_]
        assert len(lines) == len([1 for one, other in pairwise([None, *stages]) if one != other]) > 1
        assert [value for line in lines for value in line.get_ydata()] == [entry[drawn] for entry in fitted.history_]
        assert kept.get_xdata()[0] == fitted.best_iteration_
        assert ax.get_ylabel() == label
    with pytest.raises(DataError, match="RandomRanker has no history"):
        learning_curve(learners.RandomRanker().fit(X, y, qid=qid))


def test_a_learning_curve_marks_the_trees_of_each_loss() -> None:
    pytest.importorskip("lightgbm")
    from idealrank import datasets, learners
    from idealrank.learners.training_summary import summarize_training

    train, test = datasets.web_search(12, 20, n_features=3)
    options: dict[str, Any] = {"n_estimators": 6, "min_child_samples": 2, "n_threads": 1}
    ranker = learners.BoostedRanker("lambda_rank + lambda_rank", **options).fit(train, eval_set=test)
    one, two = ranker.best_iterations_
    ax: Any = learning_curve(ranker)
    assert [list(line.get_xdata()) for line in ax.lines[:2]] == [[*range(7)], [*range(7, 14)]]
    assert [line.get_xdata()[0] for line in ax.lines[2:]] == [one, 7 + two]
    remarks = summarize_training(ranker, {"train": train}).page().remarks
    assert [str(each) for each in remarks[1:]] == [
        f"lambda_rank (1): iteration {one} of 6 is kept",
        f"lambda_rank (2): iteration {two} of 6 is kept",
    ]
    first = learners.BoostedRanker("lambda_rank", **options).fit(train)
    more = learners.BoostedRanker("lambda_rank", **options).fit(train, eval_set=test, init_model=first)
    kept: Any = learning_curve(more).lines[-1]
    assert kept.get_xdata()[0] == more.best_iterations_[0] == more.best_iteration_ - 6


def test_figures_of_experiments_are_drawn_with_lines_in_the_colours_of_the_page() -> None:
    """The policy of the page blocks pictures made of pixels, and colors of its own would not follow the theme."""
    from matplotlib.figure import Figure

    from idealrank.experiments import jin2013

    pixels = Figure().subplots()
    pixels.imshow([[0, 1]])
    assert "<image" in inline_svg(lambda: pixels, "f", "t", "d")
    found = jin2013.reproduce(ir.datasets.web_search(2, 50, 1).test)
    drawn = [inline_svg(lambda figure=figure: figure.axes[0], "f", "t", "d") for figure in found.figures.values()]  # type: ignore[misc]
    assert len(drawn) == 3
    for svg in drawn:
        assert "<image" not in svg
        assert "var(--better)" in svg
        assert not re.search(r"#[0-9a-f]{6}", svg)
