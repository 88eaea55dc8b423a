"""Tables on a real pseudo-terminal of 80, 120 and 200 columns, with few and with many systems."""

import os
import re
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from screen import Screen, of_command, on_a_terminal

import idealrank as ir
from idealrank.cli.group import commands
from idealrank.cli.support import terminal as progress
from idealrank.learners.iterative import bar

pytestmark = pytest.mark.skipif(os.name != "posix", reason="Windows has other terminals")

AWKWARD = ["[bold]under_score[/bold]", "a & b | c", "x" * 200, "50% #1 ~^\\{}$", "日本語の検索システム"]


def draw(folder: Path, names: list[str], n_queries: int = 40) -> Path:
    rng = np.random.default_rng(len(names))
    qrels = {f"{1000 + i}": {f"d{j}": int(rng.integers(0, 3)) for j in range(20)} for i in range(n_queries)}
    ir.io.write_qrels(ir.Qrels(qrels), folder / "qrels.txt")
    for place in range(len(names)):
        noise = rng.uniform(0.8, 3)
        run = {q: {d: label + noise * float(rng.normal()) for d, label in docs.items()} for q, docs in qrels.items()}
        ir.io.write_run(ir.Run(run, name=f"r{place}"), folder / f"{place}.run")
    return folder


def systems(names: list[str]) -> list[str]:
    return [f"{name}={place}.run" for place, name in enumerate(names)]


def names_of(count: int) -> list[str]:
    return ["bm25", "bm25-rm3", "dense_retrieval_v2", "monoT5-3B-rerank-top1000"][:count] + [
        f"system_{i:03d}_lr2e-5" for i in range(4, count)
    ]


@pytest.fixture(scope="module", params=[2, 17, 40, pytest.param(100, marks=pytest.mark.slow)])
def drawn(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    names = names_of(request.param)
    return draw(tmp_path_factory.mktemp("drawn"), names, 12 if request.param > 20 else 40), names


def check(screen: Screen) -> str:
    """Fail on lines longer than the screen, overprinting, and numbers that are cut."""
    assert not screen.faults, screen.faults[:3]
    text = screen.text
    assert "…" not in text, text
    assert not re.search(r"\d\.{2,}", text), text
    return text


@pytest.mark.parametrize("columns", [80, 120, 200])
@pytest.mark.parametrize("options", [["--baseline", "bm25"], []], ids=["baseline", "pairs"])
def test_a_comparison_fits_the_screen(drawn: tuple[Path, list[str]], options: list[str], columns: int) -> None:
    folder, names = drawn
    measures = ["-m", "ndcg@10", "-m", "ap", "--seed", "1", "--permutations", "200"]
    screen = on_a_terminal("compare", "qrels.txt", *systems(names), *measures, *options, columns=columns, folder=folder)
    text = check(screen)
    runs = {name: ir.read_run(folder / f"{place}.run") for place, name in enumerate(names)}
    means = ir.evaluate(ir.read_qrels(folder / "qrels.txt"), runs, ["ndcg@10", "ap"]).mean
    best = max(names, key=lambda name: means[name]["ndcg@10"])
    lines = text.splitlines()
    assert "ndcg@10: " in lines[0]
    rows = [line for line in lines if re.search(r" 0\.\d{4} ", line) or re.search(r" 0\.\d{4}$", line)]
    assert best in rows[0]
    for measure in ("ndcg@10", "ap"):
        for name in names:
            mean = f"{means[name][measure]:.4f}"
            assert any(name in line and mean in line for line in lines), (name, mean)
        assert any(f"{max(each[measure] for each in means.values()):.4f}" in word for word in screen.bold)
    whole = re.sub(r"\s+", " ", text)
    assert "sorted by ndcg@10" in whole
    assert len(lines) < 60 + 4 * len(names)
    if columns == 80:
        assert "Not shown in 80 columns" in whole
        assert "CSV output" in whole
    elif columns == 200:
        assert "detectable" in text
        assert "Not shown" not in text


@pytest.mark.parametrize("columns", [70, 80, 90, 100])
def test_no_column_is_both_shown_and_said_to_be_hidden(tmp_path: Path, columns: int) -> None:
    # Only by one of the measures do the systems differ, so that only one of the tables has a column "better than".
    qrels = {f"q{i}": {"a": 1, "b": 0, "c": 1} for i in range(20)}
    ir.io.write_qrels(ir.Qrels(qrels), tmp_path / "qrels.txt")
    for name, order in (("good", "acb"), ("bad", "abc")):
        run = {q: {doc: float(3 - place) for place, doc in enumerate(order)} for q in qrels}
        ir.io.write_run(ir.Run(run, name=name), tmp_path / f"{name}.run")
    given = ["qrels.txt", "good.run", "bad.run", "-m", "ap", "-m", "rr"]
    lines = check(on_a_terminal("compare", *given, columns=columns, folder=tmp_path)).splitlines()
    headings = " ".join(line for line, rule in pairwise(lines) if rule.startswith("──")).split()
    hidden = re.search(r"Not shown in \d+ columns: (.*?)\.", re.sub(r"\s+", " ", " ".join(lines)))
    assert hidden is not None
    assert {"ap", "rr", "change"} < set(headings)
    assert not set(hidden.group(1).split(", ")) & set(" ".join(headings).replace("better than", "").split())


@pytest.mark.parametrize("columns", [80, 120, 200])
def test_names_with_markup_and_long_names_are_shown_whole(tmp_path: Path, columns: int) -> None:
    draw(tmp_path, AWKWARD, 5)
    for command in (["compare", "--baseline", AWKWARD[1]], ["compare"], ["evaluate", "--interval", "-m", "ap"]):
        screen = on_a_terminal(
            command[0], "qrels.txt", *systems(AWKWARD), *command[1:], "-m", "rr", columns=columns, folder=tmp_path
        )
        whole = re.sub(r"\s", "", check(screen))
        for name in AWKWARD:
            if name != "x" * 200:
                assert name.replace(" ", "") in whole, name
        assert whole.count("x") >= 200


@pytest.mark.parametrize("columns", [80, 120, 200])
def test_one_query_and_values_that_are_missing_are_shown(tmp_path: Path, columns: int) -> None:
    ir.io.write_qrels(ir.Qrels({"q1": {"a": 1, "b": 0}}), tmp_path / "qrels.txt")
    for name, score in (("x", 2.0), ("y", 0.5)):
        ir.io.write_run(ir.Run({"q1": {"a": score, "b": 1.0}}, name=name), tmp_path / f"{name}.run")
    screen = on_a_terminal("compare", "qrels.txt", "x.run", "y.run", columns=columns, folder=tmp_path)
    assert "1 query" in check(screen)
    one = on_a_terminal("evaluate", "qrels.txt", "x.run", "--interval", columns=columns, folder=tmp_path)
    assert "1.0000" in check(one)
    ir.io.write_qrels(ir.Qrels({"q1": {"a": 0, "b": 0}}), tmp_path / "none.txt")
    nothing = on_a_terminal(
        "compare", "none.txt", "x.run", "y.run", "-m", "ndcg(empty=nan)@10", columns=columns, folder=tmp_path
    )
    assert "nan" in check(nothing)


@pytest.mark.parametrize("columns", [80, 120, 200])
def test_an_explanation_fits_the_screen(tmp_path: Path, columns: int) -> None:
    draw(tmp_path, ["bm25"])
    tools = [word for tool in ("trec_eval", "sklearn", "lightgbm", "letor4") for word in ("--like", tool)]
    text = check(on_a_terminal("explain", "qrels.txt", "0.run", *tools, columns=columns, folder=tmp_path))
    assert text.startswith("trec_eval gives")
    assert "gain: the label -> 2^label - 1" in re.sub(r"\s+", " ", text)


@pytest.mark.parametrize("columns", [40, 80])
def test_every_other_table_fits_too(tmp_path: Path, columns: int) -> None:
    draw(tmp_path, names_of(3))
    given = ["qrels.txt", *systems(names_of(3))]
    for command in (
        ["evaluate", *given, "--per-query", "-m", "ndcg@10", "-m", "ap"],
        ["evaluate", *given, "--interval", *(word for k in range(1, 12) for word in ("-m", f"ndcg@{k}"))],
        ["distinguish", *given, "-m", "ndcg", "-m", "ndcg@10"],
        ["limits", *given],
        ["power", *given],
        ["consistency", "cosine"],
    ):
        check(on_a_terminal(*command, columns=columns, folder=tmp_path))


@pytest.mark.parametrize(
    "command", [["distinguish", "0.run", "1.run"], ["explain", "0.run", "--like", "trec_eval", "--like", "ranx"]]
)
def test_the_finding_comes_before_the_notes(tmp_path: Path, command: list[str]) -> None:
    draw(tmp_path, names_of(2))
    unjudged = "".join(f"{1000 + i} Q0 new{j} 0 99 r0\n" for i in range(40) for j in range(2))
    (tmp_path / "0.run").write_text(unjudged + (tmp_path / "0.run").read_text())
    name, *rest = command
    text = check(on_a_terminal(name, "qrels.txt", *rest, "-m", "ndcg@10", columns=80, folder=tmp_path))
    assert "note:" in text
    assert not text.startswith("idealrank: note"), text


def test_trec_eval_has_tabs_on_a_terminal_too(tmp_path: Path) -> None:
    draw(tmp_path, names_of(1))
    shown = on_a_terminal("trec_eval", "-m", "num_q", "qrels.txt", "0.run", columns=80, folder=tmp_path)
    assert check(shown).split() == ["num_q", "all", "40"]


@pytest.mark.slow
def test_real_runs_fit_the_screen(real_data: Path, tmp_path: Path) -> None:
    folder = real_data / "trec-dl19"
    judged, run = str(folder / "qrels.txt.xz"), str(folder / "bm25.run.xz")
    for columns in (80, 120, 200):
        text = check(on_a_terminal("evaluate", judged, run, columns=columns, folder=tmp_path))
        assert "ndcg@10" in text
        tools = ["--like", "trec_eval", "--like", "lightgbm"]
        assert "lightgbm" in check(on_a_terminal("explain", judged, run, *tools, columns=columns, folder=tmp_path))


def test_long_work_has_a_label_that_leaves_no_trace(tmp_path: Path) -> None:
    script = """
from idealrank.cli.support import terminal as progress
progress._DELAY = progress._EVERY = 0.001
with progress.working("comparing systems with " + "long names " * 20, quiet=False) as say_that:
    progress._STATUS.drawn.wait()
    say_that("testing 4,950 pairs")
    progress._STATUS.draw()
    with progress.working("reading the second file", quiet=False):
        progress._STATUS.draw()
print("the table")
with progress.working("never", quiet=True):
    progress._STATUS.draw()
"""
    screen = of_command("-c", script, columns=40, folder=tmp_path)
    assert check(screen) == "the table\n"
    assert any("comparing systems with" in label for label in screen.labels)
    assert any("testing 4,950 pairs, 0 s" in label for label in screen.labels)
    assert any("reading the second file" in label for label in screen.labels)
    assert not any("never" in label for label in screen.labels)


@pytest.mark.parametrize("columns", [80, 120, 200])
def test_progress_of_training_cuts_no_number(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], columns: int
) -> None:
    for name, value in {"FORCE_COLOR": "1", "COLUMNS": str(columns), "TERM": "xterm"}.items():
        monkeypatch.setenv(name, value)
    with bar(200, shown=True) as tell:
        tell("cross_entropy(normalizer=dcg)", 185, "loss 3.3913, validation 0.6843, best 0.6957")
    shown = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", capsys.readouterr().err)
    assert re.search("cross_ent.* 185/200 loss 3.3913, validation 0.6843, best 0.6957 0:00:0", shown)


def test_a_usage_error_is_broken_between_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("idealrank.cli.support.failures.screen_width", lambda stream: 40)
    result = CliRunner().invoke(commands, ["leaderboard", "data", "one"])
    assert result.exit_code == 2
    *_, first, second, third = result.stderr.splitlines()
    assert [first, second] == ["Error: at least 2 systems are needed,", "  got 1: give the folder of data sets,"]
    assert third == "  then folders of two systems or more."


def test_the_width_is_that_of_the_stream(tmp_path: Path) -> None:
    given = ["compare", "qrels.txt", *systems(names_of(3)), "--seed", "1"]
    draw(tmp_path, names_of(3))
    assert "Not shown in 70 columns" in re.sub(
        r"\s+", " ", check(on_a_terminal(*given, columns=90, folder=tmp_path, COLUMNS="70"))
    )
    script = """
import os, sys
from idealrank.cli.support.terminal import screen_width
piped = os.fdopen(os.pipe()[1], "w")
print(screen_width(sys.stdout), screen_width(sys.stderr), screen_width(piped), screen_width(None))
"""
    assert check(of_command("-c", script, columns=90, folder=tmp_path)) == "90 90 None None\n"


def test_the_label_is_of_the_time_since_the_first_work(capsys: pytest.CaptureFixture[str]) -> None:
    seconds = iter(range(1000))
    status = progress.Status(lambda: float(next(seconds)))
    with status.work("first"):
        pass
    with status.work("second"):
        status.draw()
    assert re.search(r"second, [1-9]\d* s", capsys.readouterr().err)
