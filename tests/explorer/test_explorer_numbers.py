"""The numbers of the explorer are those of the library: the same kernels, and the same choices around them."""

import json
import lzma
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import idealrank as ir
from idealrank.evaluation.evaluator import Evaluator
from idealrank.io.trec import read_qrels, read_run

CUTOFFS = [None, "1", "3", "10", "20%", "n^0.5", "1000"]
TIES = ["average", "stable", "reverse", "best", "worst", "docid_desc", "docid_asc"]
GAINS = ["linear", "exp2", "binary:1", "binary:2"]
DISCOUNTS = ["log:2", "log:10", "power:0.5", "zipf", "geometric:2", "linear", "letor", "table:1:0.5:0.25"]
LABELS: list[list[float]] = [
    [0, 1, 2, 3],
    [0, 1],
    [0, 0, 0, 1, 4],
    [-1, 0, 1, 2],
    [0, 0.5, 1, 2.7],
    [0, 1, 31],
    [-2, -1, 0, 1],
]
DATA = ("negative", "unjudged", "missing", "duplicates", "identical_ids", "zero_scores", "precision", "labels")
#: A link that waits for files, where another would load the example.
NO_DATA = "#a=trec_eval"
#: Cases in one message to the page.
AT_ONCE = 50


def drawn(rng: np.random.Generator) -> tuple[str, str]:
    """Judgments and a run with ties, odd labels, repeated documents and queries that only one of them has, as files."""
    n_queries = int(rng.integers(1, 6))
    labels = LABELS[int(rng.choice(len(LABELS), p=[0.4, 0.15, 0.15, 0.1, 0.08, 0.06, 0.06]))]
    digits = int(rng.choice([0, 1, 3, 17]))
    names = [f"d{number}" for number in range(25)] + ["é", "Z", "a1", "A1", "日本"]
    judgments, run = [], []
    for number in range(n_queries):
        query = ["q", "文", "x-"][int(rng.integers(3))] + str(number)
        judged = rng.permutation(names)[: int(rng.integers(1, 15))]
        in_judgments, in_run = rng.random() > 0.06 or number == 0, rng.random() > 0.08 or number == 0
        if in_judgments:
            chosen = [0.0] if rng.random() < 0.1 else labels
            judgments += [f"{query} 0 {doc} {rng.choice(chosen):g}" for doc in judged]
        if in_run:
            retrieved = rng.permutation([*names, query])[: int(rng.integers(1, 20))]
            scores = rng.normal(0, 3, retrieved.size)
            if rng.random() < 0.15:
                scores = 1 + scores * 1e-9  # equal as float32
            run += [
                f"{query} Q0 {doc} 1 {score:.{digits}{'f' if digits < 17 else 'g'}} tag"
                for doc, score in zip(retrieved, scores, strict=True)
            ]
    if rng.random() < 0.05:
        judgments.append(judgments[0])
        run.append(run[-1].replace(" 1 ", " 2 "))
    if rng.random() < 0.02:
        run.append(run[0].split()[0] + " Q0 huge 1 1e39 tag")
    if rng.random() < 0.3:
        rng.shuffle(run)
    return "".join(f"{line}\n" for line in judgments), "".join(f"{line}\n" for line in run)


def switched(rng: np.random.Generator, preset: dict[str, Any]) -> dict[str, Any]:
    """A convention with some other choices."""
    changed: dict[str, Any] = {
        "ties": rng.choice(TIES),
        "gain": rng.choice(GAINS),
        "discount": rng.choice(DISCOUNTS),
        "ideal": rng.choice(["judged", "retrieved", "full"]),
        "unjudged": rng.choice(["zero", "drop"]),
        "negative": rng.choice(["error", "unjudged", "keep", "drop"]),
        "empty": [0, 1, "nan", "skip"][int(rng.integers(4))],
        "missing": [0, "drop", "error"][int(rng.integers(3))],
        "identical_ids": rng.choice(["keep", "drop"]),
    }
    chosen = [name for name in changed if rng.random() < 0.5]
    plain = {name: str(value) if isinstance(value, np.str_) else value for name, value in changed.items()}
    return preset | {name: plain[name] for name in chosen}


def in_library(choices: dict[str, Any]) -> tuple[Any, Any]:
    """The measure and the convention that these choices are."""
    data = {name: choices[name] for name in DATA}
    options = {name: value for name, value in choices.items() if name not in DATA and value is not None}
    if options.get("ideal") == "full":  # which is cut nowhere
        options = {name: value for name, value in options.items() if name not in ("ideal_cut", "negative_ideal")}
    return ir.measures.NDCG(**options), ir.measures.conventions.Convention("drawn", **data)


def expected(judged: Any, run: Any, choices: dict[str, Any]) -> tuple[dict[str, float], float] | None:
    """The value of each query and the mean in the library; None if it refuses the data."""
    measure, rules = in_library(choices)
    try:
        found = Evaluator(judged, rules, n_threads=1).evaluate(run, measure)
    except ir.errors.DataError:
        return None
    (values,), (mean,) = found.per_query.values(), found.mean.values()
    return dict(zip(map(str, found.query_ids.tolist()), values.tolist(), strict=True)), mean


def same(left: float, right: float, tolerance: float) -> bool:
    return (math.isnan(left) and math.isnan(right)) or abs(left - right) <= tolerance * max(1, abs(right))


def number(text: str) -> float:
    return float(text.replace("NaN", "nan"))


def compare(
    answer: dict[str, Any],
    wanted: tuple[dict[str, float], float] | None,
    queries: list[str],
    choices: dict[str, Any],
    exact: bool,
) -> None:
    if wanted is None:
        assert "refused" in answer, (answer, choices)
        return
    assert "refused" not in answer, answer
    tolerance = 0.0 if exact else 1e-12
    values = {query: number(value) for query, value in zip(queries, answer["values"], strict=True)}
    for query, value in wanted[0].items():
        assert same(values[query], value, tolerance), (query, values[query], value, choices)
    kept = {query for query, counted in zip(queries, answer["counted"], strict=True) if counted}
    assert kept <= wanted[0].keys()
    assert {query for query, value in wanted[0].items() if not math.isnan(value)} <= kept
    assert same(number(answer["mean"]), wanted[1], 1e-12)


def answers(page: Any, sets: list[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """What the page computes: per data set, an answer per convention."""
    for start in range(0, len(sets), AT_ONCE):
        asked = json.dumps(sets[start : start + AT_ONCE])
        script = "async asked => (await (await explorer.started()).ask('cases', {sets: JSON.parse(asked)})).answers"
        yield from page.evaluate(script, asked)


def check(page: Any, cases: list[tuple[str, str, list[dict[str, Any]]]], folder: Path, exact: bool = False) -> int:
    """Compare the page with the library on every case, and return how many had a value."""
    sets = [{"judgments": judgments, "run": run, "conventions": chosen} for judgments, run, chosen in cases]
    n_values = 0
    for (judgments, run, conventions), found in zip(cases, answers(page, sets), strict=True):
        (folder / "qrels").write_text(judgments, encoding="utf-8")
        (folder / "run").write_text(run, encoding="utf-8")
        judged, system = read_qrels(folder / "qrels"), read_run(folder / "run")
        queries = list(judged.query_ids)
        for choices, answer in zip(conventions, found, strict=True):
            own = {name: value for name, value in choices.items() if name != "weights"}
            if "weights" in choices:
                own |= {"discount": tuple(choices["weights"])}
            wanted = expected(judged, system, own)
            compare(answer, wanted, queries, choices, exact)
            n_values += wanted is not None
    return n_values


@pytest.fixture(scope="module")
def presets() -> list[dict[str, Any]]:
    build = pytest.importorskip("explorer.build")
    return list(build.presets())


def test_ten_thousand_drawn_cases_have_the_numbers_of_the_library(
    visit: Callable[..., Any], presets: list[dict[str, Any]], tmp_path: Path
) -> None:
    rng = np.random.default_rng(20131)
    cases: list[tuple[str, str, list[dict[str, Any]]]] = []
    while sum(len(chosen) for *_, chosen in cases) < 10_000:
        cutoff = CUTOFFS[int(rng.integers(len(CUTOFFS)))]
        own = [preset["choices"] | ({} if cutoff is None else {"cutoff": cutoff}) for preset in presets]
        cases.append((*drawn(rng), [*own, *(switched(rng, each) for each in own[:: int(rng.integers(3, 7))])]))
    assert check(visit(NO_DATA), cases, tmp_path) > 7_000


def test_kernels_are_equal_bit_for_bit_given_the_same_tables(
    visit: Callable[..., Any], presets: list[dict[str, Any]], tmp_path: Path
) -> None:
    rng = np.random.default_rng(20132)
    cases = []
    for _ in range(40):
        judgments, run = drawn(rng)
        table = np.sort(rng.random(30))[::-1].tolist()
        chosen = [preset["choices"] | {"discount": "table", "weights": table} for preset in presets]
        # A gain of a fraction takes a power of two, which the C library computes: only whole labels have a table of it.
        kept = [each for each in chosen if not each["gain"].startswith("exp2") or "." not in judgments]
        cases.append((judgments, run, kept))
    assert check(visit(NO_DATA), cases, tmp_path, exact=True) > 700


def unpacked(path: Path) -> str:
    return lzma.open(path, "rt", encoding="utf-8").read()


def test_dl19_under_every_preset(
    visit: Callable[..., Any], presets: list[dict[str, Any]], real_data: Path, tmp_path: Path
) -> None:
    folder = real_data / "trec-dl19"
    judgments, run = unpacked(folder / "qrels.txt.xz"), unpacked(folder / "bm25.run.xz")
    chosen = [
        preset["choices"] | ({} if cutoff is None else {"cutoff": cutoff})
        for preset in presets
        for cutoff in (None, "10")
    ]
    assert check(visit(NO_DATA), [(judgments, run, chosen)], tmp_path) > 60


@pytest.mark.parametrize("cutoff", [None, "10"])
def test_the_steps_between_tools_are_those_of_explain(
    visit: Callable[..., Any], presets: list[dict[str, Any]], tmp_path: Path, cutoff: str | None
) -> None:
    build = pytest.importorskip("explorer.build")
    example = build.example()
    (tmp_path / "qrels").write_text(example["judgments"], encoding="utf-8")
    (tmp_path / "run").write_text(example["run"], encoding="utf-8")
    judged, system = read_qrels(tmp_path / "qrels"), read_run(tmp_path / "run")
    name = "ndcg" if cutoff is None else f"ndcg@{cutoff}"
    page = visit("#data=example")
    page.wait_for_selector("#waterfall table")
    by_name = {preset["name"]: preset["choices"] | ({"cutoff": cutoff} if cutoff else {}) for preset in presets}
    usual = list(by_name)
    script = "async ([from, to]) => (await explorer.started()).ask('explain', {from, to})"
    for start, end in zip(usual, [*usual[5:], *usual[:5]], strict=True):
        found = page.evaluate(script, [by_name[start], by_name[end]])
        (wanted,) = ir.explain(judged, system, name, like=[start, end]).waterfalls
        shown = [(step["choice"], step["before"], step["after"], step["moved"]) for step in found["steps"]]
        assert shown == [(step.choice, step.before, step.after, step.n_moved) for step in wanted.steps], (start, end)
        queries = list(judged.query_ids)
        for step, own in zip(found["steps"], wanted.steps, strict=True):
            assert same(float("nan") if step["mean"] is None else step["mean"], own.mean, 1e-12)
            if own.change == own.change:
                assert abs(step["change"] - own.change) <= 1e-12
            most = [(queries[int(query)], change) for query, change in step["most"]]
            assert [abs(change) for _, change in most] == pytest.approx([abs(change) for _, change in own.moved])
        assert same(found["end"]["mean"] if found["end"]["mean"] is not None else math.nan, wanted.end_mean, 1e-12)


def test_a_list_adds_up_to_the_value_of_its_query(visit: Callable[..., Any], presets: list[dict[str, Any]]) -> None:
    page = visit("#data=example")
    page.wait_for_selector("#waterfall table")
    script = """async (choices) => {
        const worker = await explorer.started();
        const found = await worker.ask("evaluate", {choices});
        if (found.refused) return [];
        const lists = [];
        for (let query = 0; query < found.values.length; query++) {
            const list = await worker.ask("list", {choices, query, depth: 1000});
            if (found.counted[query] && !list.left) lists.push([found.values[query], list]);
        }
        return lists;
    }"""
    n_lists = 0
    for preset in presets:
        for value, found in page.evaluate(script, preset["choices"] | {"cutoff": "10"}):
            assert len(found["documents"]) == found["total"]
            if found["ideal"] > 0:
                assert found["dcg"] / found["ideal"] == pytest.approx(value, abs=1e-12), preset["name"]
            products = sum(g * d for g, d in zip(found["counting"], found["discounts"], strict=True))
            assert products == pytest.approx(found["dcg"], abs=1e-12)
            assert found["idealGains"] == sorted(found["idealGains"], reverse=True)
            n_lists += 1
    assert n_lists > 500
