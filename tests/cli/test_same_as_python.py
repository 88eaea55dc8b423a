"""A command shows what the function of the library returns: every command, in every format."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner

import idealrank as ir
from idealrank import datasets, learners, theory
from idealrank.cli.group import commands
from idealrank.experiments.papers import reproduce
from idealrank.learners.training_summary import summarize_training
from idealrank.report import html

RUNS = ("bm25.run", "dense.run", "hybrid.run")
NAMES = {path.removesuffix(".run"): path for path in RUNS}


class Case(NamedTuple):
    """Arguments of a command, and the call in Python that gives the same result."""

    arguments: tuple[str, ...]
    call: Callable[[], Any]
    has_html: bool = True


def fitted() -> Any:
    train = ir.read_letor("train.txt")
    ranker = learners.LeastSquaresRanker(l2=1.0).fit(train)
    return summarize_training(ranker, {"train": train}, {"train": "train.txt"})


CASES = {
    "evaluate": Case(
        ("evaluate", "qrels.txt", *RUNS, "-m", "ndcg@10", "-m", "ap"),
        lambda: ir.evaluate("qrels.txt", NAMES, ["ndcg@10", "ap"], for_report=True),
    ),
    "compare": Case(
        ("compare", "qrels.txt", *RUNS, "-m", "ndcg@10", "--baseline", "bm25", "--seed", "1"),
        lambda: ir.compare("qrels.txt", NAMES, "ndcg@10", baseline="bm25", seed=1, for_report=True),
    ),
    "compare --machine": Case(
        ("compare", "some.txt", *RUNS, "-m", "ndcg@10", "--machine", "machine.json"),
        lambda: ir.compare_assisted("some.txt", "machine.json", NAMES, "ndcg@10"),
        has_html=False,
    ),
    "compare --machine --these-queries": Case(
        ("compare", "some.txt", *RUNS, "-m", "ndcg@10", "--machine", "machine.json", "--these-queries"),
        lambda: ir.compare_assisted("some.txt", "machine.json", NAMES, "ndcg@10", these_queries=True),
        has_html=False,
    ),
    "gate": Case(
        ("gate", "qrels.txt", "hybrid.run", "--baseline", "bm25.run", "-m", "ndcg@10", "--margin", "0.1"),
        lambda: ir.gate("qrels.txt", "hybrid.run", "bm25.run", "ndcg@10", margin=0.1),
    ),
    "explain": Case(
        ("explain", "qrels.txt", "bm25.run", "--like", "trec_eval", "--like", "lightgbm"),
        lambda: ir.explain("qrels.txt", "bm25.run", "ndcg@10", like=["trec_eval", "lightgbm"]),
    ),
    "explain --published": Case(
        ("explain", "qrels.txt", "bm25.run", "-m", "ap", "--published", "0.40"),
        lambda: ir.explain("qrels.txt", "bm25.run", "ap", published="0.40"),
    ),
    "leaderboard": Case(
        ("leaderboard", "qrels", "runs/bm25", "runs/dense", "--seed", "0"),
        lambda: ir.leaderboard(
            {
                name: (f"qrels/{name}.qrels", {system: f"runs/{system}/{name}.run" for system in ("bm25", "dense")})
                for name in ("one", "two")
            },
            weights="equal",
            seed=0,
        ),
    ),
    "power": Case(
        ("power", "qrels.txt", *RUNS, "--delta", "0.02"),
        lambda: ir.power("qrels.txt", NAMES, "ndcg@10", deltas=[0.02]),
        has_html=False,
    ),
    "bounds": Case(
        ("bounds", "some.txt", *RUNS), lambda: ir.bounds("some.txt", NAMES, "ndcg@10", seed=0), has_html=False
    ),
    "judge-next": Case(
        ("judge-next", "some.txt", *RUNS, "-n", "3"),
        lambda: ir.judge_next("some.txt", NAMES, "ndcg@10", n=3),
        has_html=False,
    ),
    "agreement": Case(
        ("agreement", *RUNS), lambda: ir.agreement(NAMES, measures=["rbo", "rbo_min", "tau_ap"]), has_html=False
    ),
    "distinguish": Case(
        ("distinguish", "qrels.txt", *RUNS, "-m", "ndcg", "-m", "ndcg@10", "--permutations", "20"),
        lambda: theory.distinguish("qrels.txt", NAMES, ["ndcg", "ndcg@10"], n_permutations=20),
    ),
    "limits": Case(("limits", "qrels.txt", *RUNS, "-m", "ndcg"), lambda: ir.limits("qrels.txt", NAMES, ["ndcg"])),
    "consistency": Case(
        ("consistency", "cosine", "least_squares", "--levels", "0,1", "--n-docs", "2", "--grid"),
        lambda: theory.check_losses(["cosine", "least_squares"], levels=(0, 1), n_docs=2, refine=False),
        has_html=False,
    ),
    "identify": Case(("identify", "own.py:dcg_ratio"), lambda: ir.identify(imported("own.py", "dcg_ratio"))),
    "train": Case(("train", "train.txt", "--learner", "least_squares_ranker", "--l2", "1", "-o", "m.json"), fitted),
    "reproduce": Case(("reproduce", "jin2013"), lambda: reproduce("jin2013", seed=0)),
}
#: Commands that write files, run another program's interface, or show several results.
WITHOUT_RESULT = {"convert", "demo", "export", "score", "trec_eval"}


def imported(path: str, name: str) -> Any:
    scope: dict[str, Any] = {"__name__": "_identified"}
    exec(Path(path).read_text(), scope)
    return scope[name]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    qrels, runs = datasets.search_runs(12, seed=3)
    ir.io.write_qrels(qrels, "qrels.txt")
    some = {query: dict(list(docs.items())[::2]) for query, docs in list(qrels.items())[:8]}
    ir.io.write_qrels(ir.Qrels(some), "some.txt")
    Path("machine.json").write_text(json.dumps({query: dict(docs) for query, docs in qrels.items()}))
    for folder in ("qrels", "runs/bm25", "runs/dense"):
        Path(folder).mkdir(parents=True)
    for name, run in runs.items():
        ir.io.write_run(run, f"{name}.run")
    for place, name in enumerate(("one", "two")):
        own, found = datasets.search_runs(10, seed=place)
        ir.io.write_qrels(own, f"qrels/{name}.qrels")
        for system in ("bm25", "dense"):
            ir.io.write_run(found[system], f"runs/{system}/{name}.run")
    ir.io.write_letor(datasets.web_search(5, 10, seed=0).train, "train.txt")
    Path("own.py").write_text(
        "import numpy as np\n\n\ndef dcg_ratio(labels, scores):\n"
        "    order = np.argsort(-np.asarray(scores), kind='stable')\n"
        "    discounts = 1 / np.log2(np.arange(len(labels)) + 2)\n"
        "    best = np.sort(labels)[::-1] @ discounts\n"
        "    return float(np.asarray(labels)[order] @ discounts / best) if best else 0.0\n"
    )
    return tmp_path


def test_every_command_with_a_result_is_compared() -> None:
    assert {case.arguments[0] for case in CASES.values()} == commands.commands.keys() - WITHOUT_RESULT


@pytest.mark.parametrize("name", CASES)
def test_a_command_shows_what_the_function_returns(folder: Path, name: str) -> None:
    case = CASES[name]
    result = case.call()
    expected = {
        "text": result.to_text(),
        "json": f"{result.to_json()}\n",
        "csv": result.to_csv(),
        "markdown": result.to_markdown(),
        "latex": result.to_latex(),
    }
    for form, text in expected.items():
        shown = CliRunner().invoke(commands, [*case.arguments, "--format", form])
        assert shown.exit_code == 0, shown.output
        assert shown.stdout == text, form


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.has_html])
def test_a_report_is_that_of_the_function(folder: Path, name: str) -> None:
    case = CASES[name]
    shown = CliRunner().invoke(commands, [*case.arguments, "--html", "page.html"])
    assert shown.exit_code == 0, shown.output
    command = " ".join(["idealrank", *case.arguments, "--html", "page.html"])
    assert Path("page.html").read_text() == html(case.call(), command=command)
