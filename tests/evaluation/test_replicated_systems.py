"""Systems that ran several times: how they are recognized, and what evaluate, compare and gate make of them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats as scipy_stats

import idealrank as ir
from idealrank._present.json_values import plain
from idealrank.errors import DataError, OptionError
from idealrank.report import html
from idealrank.stats import variance_components

QRELS, RUNS = ir.datasets.search_runs(40)
RNG = np.random.default_rng(0)
NOISY = [
    ir.Run({query: {doc: score + RNG.normal() for doc, score in docs.items()} for query, docs in RUNS["bm25"].items()})
    for _ in range(3)
]


def nested(run: ir.Run) -> dict[str, dict[str, float]]:
    return {query: dict(docs) for query, docs in run.items()}


def ranked(run: ir.Run) -> dict[str, list[str]]:
    return {query: sorted(docs, key=lambda doc: -docs[doc]) for query, docs in run.items()}


def frame(run: ir.Run) -> Any:
    rows = [(query, doc, score) for query, docs in run.items() for doc, score in docs.items()]
    return pytest.importorskip("pandas").DataFrame(rows, columns=["qid", "docno", "score"])


@pytest.mark.parametrize("form", [lambda run: run, nested, ranked, frame, "str", "path"])
def test_every_form_of_a_run_can_be_repeated(form: Callable[[ir.Run], Any] | str, tmp_path: Path) -> None:
    if isinstance(form, str):
        paths = [tmp_path / f"{at}.run" for at in range(3)]
        for path, run in zip(paths, NOISY, strict=True):
            ir.io.write_run(run, path)
        runs: list[Any] = [str(path) if form == "str" else path for path in paths]
    else:
        runs = [form(run) for run in NOISY]
    found = ir.evaluate(QRELS, {"new": runs, "old": RUNS["dense"]}, "rr, p@5")
    each = [ir.evaluate(QRELS, run, "rr, p@5").per_query["rr"] for run in NOISY]
    np.testing.assert_allclose(found["new"].runs["rr"], np.stack(each, axis=1), rtol=0, atol=1e-12)
    np.testing.assert_allclose(found["new"].per_query["rr"], np.mean(each, axis=0), rtol=0, atol=1e-12)
    assert (found["new"].n_runs, found["old"].n_runs, found["old"].runs) == (3, 1, {})


@pytest.mark.parametrize("shape", [(27,), (9, 3)])
def test_scores_and_matrices_can_be_repeated(shape: tuple[int, ...]) -> None:
    labels = np.tile([1.0, 0.0, 0.0], 9).reshape(shape)
    runs = [RNG.normal(size=shape) for _ in range(4)]
    layout: dict[str, Any] = {"group": [3] * 9} if len(shape) == 1 else {}
    found = ir.evaluate(labels, {"new": runs}, "rr", **layout)["new"]
    assert found.mean["rr"] == pytest.approx(
        np.mean([ir.evaluate(labels, run, "rr", **layout).mean["rr"] for run in runs])
    )


def test_columns_of_a_frame_can_be_repeated() -> None:
    table = pytest.importorskip("pandas").DataFrame(
        {"qid": [1, 1, 2, 2], "label": [1, 0, 1, 0], "a": [2, 1, 2, 1], "b": [1, 2, 2, 1]}
    )
    both: Any = {"both": ["a", "b"]}
    assert ir.evaluate(table, both, "rr")["both"].per_query["rr"].tolist() == [0.75, 1.0]


def test_documents_that_are_called_like_files_are_no_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.md", "b.md"):
        Path(name).write_text("")
    assert ir.evaluate({"q1": {"b.md"}}, {"q1": ["a.md", "b.md"]}, "rr").mean == {"rr": 0.5}


def test_the_interval_is_about_new_runs_too() -> None:
    several: dict[str, Any] = {"new": NOISY}
    found = ir.evaluate(QRELS, several, "dcg@5")["new"]
    values = found.runs["dcg@5"]
    parts = variance_components(values)
    variance = parts.queries / 40 + parts.runs / 3 + parts.interaction / 120
    low, high = found.interval()["dcg@5"]
    degrees = found.moments["dcg@5"].degrees
    assert (high - low) / 2 == pytest.approx(scipy_stats.t.ppf(0.975, degrees) * variance**0.5)
    assert found.table("runs").rows[0][2] == 3


def test_the_t_test_of_a_comparison_uses_the_variance_between_runs() -> None:
    same_twice: dict[str, Any] = {"new": [RUNS["bm25"], nested(RUNS["bm25"])], "old": RUNS["dense"]}
    same = ir.compare(QRELS, same_twice, "rr").differences["rr"][0]
    single = ir.compare(QRELS, {"new": RUNS["bm25"], "old": RUNS["dense"]}, "rr").differences["rr"][0]
    assert (same.p_value, same.interval, same.effect) == (single.p_value, single.interval, single.effect)
    apart: dict[str, Any] = {"new": [RUNS["bm25"], RUNS["hybrid"]], "old": RUNS["dense"]}
    found = ir.compare(QRELS, apart, "rr", baseline="old")
    (wide,) = found.differences["rr"]
    (these,) = ir.compare(QRELS, apart, "rr", baseline="old", test="randomization").differences["rr"]
    assert wide.p_value > these.p_value
    assert wide.detectable > 0
    assert (wide.interval.low < 0 < wide.interval.high) == (wide.p_value > 0.05)
    text = " ".join(str(found).split())
    assert "rr, new - old: 2 runs do not show whether" in text
    assert "2 runs of new: values of queries are means over runs" in text
    assert "sd runs" in html(found)
    values = found.evaluations["new"].runs["rr"]
    assert json.loads(found.to_json())["variance_components"] == {"new": {"rr": plain(variance_components(values))}}


def test_queries_that_one_run_lacks_are_left_out_and_named() -> None:
    fewer = ir.Run({query: docs for query, docs in NOISY[1].items() if query != "q07"})
    several: dict[str, Any] = {"new": [NOISY[0], fewer]}
    found = ir.evaluate(QRELS, several, "rr")["new"]
    assert found.n_queries == 39
    assert any(each.kind == "different queries" for each in found.problems)


def test_what_has_no_form_for_several_runs_is_refused() -> None:
    several: dict[str, Any] = {"new": NOISY, "old": RUNS["dense"]}
    with pytest.raises(OptionError, match="leave out query_weights"):
        ir.evaluate(QRELS, several, "rr", query_weights=dict.fromkeys(QRELS, 1.0))
    with pytest.raises(OptionError, match="gm_map is not a mean"):
        ir.evaluate(QRELS, several, "gm_map")
    with pytest.raises(OptionError, match="systems with one run"):
        ir.compare(QRELS, several, "rr", unjudged_bounds=True)
    with pytest.raises(DataError, match="new has 3 runs: only evaluate, compare and gate"):
        ir.bounds(QRELS, several, "rr")


def test_a_gate_of_several_runs(tmp_path: Path) -> None:
    path = tmp_path / "baseline.json"
    saved = ir.save_baseline(QRELS, NOISY, "rr", path)
    assert saved.values["rr"].shape == (40, 3)
    new = [NOISY[0], NOISY[2]]
    by_file, by_runs = ir.gate(QRELS, new, path, "rr"), ir.gate(QRELS, new, NOISY, "rr")
    assert by_file.measures[0].test == by_runs.measures[0].test
    assert [each.n_runs for each in by_runs.measures[0].test.runs] == [2, 3]
    assert "several runs of a system (2 and 3)" in str(by_runs)
    assert "Few runs leave this open: the first may be from" in " ".join(str(by_runs).split())
    assert json.loads(by_runs.to_json())["measures"][0]["variance_components"][0]["n_runs"] == 2
    fewer = [{query: docs for query, docs in run.items() if query != "q07"} for run in new]
    zero = ir.gate(QRELS, fewer, path, "rr", removed="zero")
    assert zero.n_queries == 40
    assert zero.values["rr"][zero.query_ids.index("q07"), 0] == 0
