"""``idealrank train`` and ``idealrank score``."""

import csv
import io
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from numpy.testing import assert_allclose, assert_array_equal

import idealrank as ir
from idealrank import learners
from idealrank.cli.group import commands

TRAIN, TEST = ir.datasets.web_search(n_queries=10, n_docs=20, seed=1)
posix_only = pytest.mark.skipif(os.name != "posix", reason="Windows has other terminals and signals")


def run(*args: str) -> Result:
    return CliRunner().invoke(commands, args, prog_name="idealrank")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    ir.io.write_letor(TRAIN, tmp_path / "train.txt")
    ir.io.write_letor(TEST, tmp_path / "vali.txt.gz")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def fitted(ranker: Any) -> Any:
    return ranker.fit(TRAIN, eval_set=TEST)


def test_what_is_trained_and_scored_is_what_python_gives(folder: Path) -> None:
    options = ("--learner", "list_net", "--normalize", "minmax", "--l2", "0.1", "--max-iter", "7", "-m", "ndcg@5")
    shown = run("train", "train.txt", "--valid", "vali.txt.gz", *options, "--out", "model.json", "--set", "patience=3")
    assert shown.exit_code == 0
    expected = fitted(learners.ListNet(normalize="minmax", l2=0.1, max_iter=7, measure="ndcg@5", patience=3))
    assert learners.load("model.json").get_params() == expected.get_params()
    scored = run("score", "model.json", "vali.txt.gz", "-o", "scores.txt")
    assert re.search(r"scored 10 queries, 200 documents, \d+ features; the scores are in scores.txt", scored.stderr)
    assert run("score", "model.json", "vali.txt.gz", "-o", "scores.txt", "-q").stderr == ""
    assert (scored.exit_code, scored.stdout) == (0, "")
    assert_allclose(ir.io.read_scores("scores.txt"), expected.predict(TEST), rtol=0, atol=0)
    lines = shown.stdout.splitlines()
    assert lines[2].split() == ["part", "file", "queries", "documents", "ndcg@5", "baseline"]
    assert lines[3].split()[:4] == ["train", "train.txt", "10", "200"]
    assert lines[4].split()[:5] == ["validation", "vali.txt.gz", "10", "200", f"{expected.score(TEST):.4f}"]
    assert "list_net: l2=0.1, max_iter=7, measure=ndcg@5, normalize=minmax, patience=3; " in shown.output
    assert f"iteration {expected.best_iteration_} of {len(expected.history_) - 1} is kept" in shown.output
    assert shown.stderr.splitlines()[-1] == "idealrank: the model is in model.json"


def test_any_loss_is_trained_by_the_linear_learner(folder: Path) -> None:
    shown = run("train", "train.txt", "--loss", "q_norm(q=3)", "--max-iter", "3", "-o", "m.json.gz")
    assert shown.exit_code == 0
    assert "warning: LinearRanker did not converge: after max_iter iterations the gradient is still" in shown.stderr
    model = learners.load("m.json.gz")
    assert (type(model).__name__, model.loss, model.max_iter) == ("LinearRanker", "q_norm(q=3)", 3)


def test_scores_go_to_standard_output_and_a_run_has_ids(folder: Path) -> None:
    named = ir.from_arrays([1, 0], query_ids=["q", "q"], doc_ids=["a", "b"], features=[[0.0], [1.0]])
    ir.io.write_letor(named, "named.txt")
    assert run("train", "named.txt", "--learner", "rank_svm", "-o", "model.json", "-q").exit_code == 0
    lines = run("score", "model.json", "named.txt").stdout.splitlines()
    assert float(lines[0]) > float(lines[1])
    assert run("score", "model.json", "named.txt", "--run", "mine", "-o", "mine.run").exit_code == 0
    assert ir.read_run("mine.run").to_dict() == {"q": dict(zip("ab", map(float, lines), strict=True))}
    assert ir.read_run("mine.run").name == "mine"
    Path("bare.txt").write_text("1 qid:q 1:0\n")
    told = run("score", "model.json", "bare.txt", "--run", "mine", "-o", "mine.run")
    assert "documents have no ids" in told.stderr
    assert list(ir.read_run("mine.run").to_dict()["q"]) == ["0"]


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_frames_train_and_score_as_letor_text_does(folder: Path, ending: str) -> None:
    pytest.importorskip("pyarrow")
    assert run("convert", "train.txt", f"train.{ending}").exit_code == 0
    for source, model in (("train.txt", "a.json"), (f"train.{ending}", "b.json")):
        assert run("train", source, "--max-iter", "5", "-o", model).exit_code == 0
    text, frame = (learners.load(model) for model in ("a.json", "b.json"))
    assert_array_equal(text.coef_, frame.coef_)
    scores = run("score", "a.json", "train.txt").stdout
    assert len(scores.splitlines()) == TRAIN.n_docs
    assert scores == run("score", "b.json", f"train.{ending}").stdout


def test_columns_are_found_by_name_and_scoring_needs_no_labels(folder: Path) -> None:
    pytest.importorskip("pyarrow")
    Path("train.csv").write_text("qid,label,a,b\n1,0,5,0\n1,1,4,1\n2,0,3,2\n2,1,2,9\n")
    Path("other.csv").write_text("b,qid,a\n0,7,5\n1,7,4\n")
    Path("lacking.csv").write_text("qid,label,b,c\n1,0,5,0\n")
    assert run("train", "train.csv", "--max-iter", "5", "-o", "model.json").exit_code == 0
    model = learners.load("model.json")
    assert model.feature_names_in_.tolist() == ["a", "b"]
    scores = [float(line) for line in run("score", "model.json", "other.csv").stdout.splitlines()]
    assert_allclose(scores, np.array([[5, 0], [4, 1]]) @ model.coef_ + model.intercept_, rtol=1e-12, atol=0)
    for command in (
        ("score", "model.json", "lacking.csv"),
        ("train", "train.csv", "--valid", "lacking.csv", "-o", "m"),
    ):
        told = run(*command)
        assert told.exit_code == 1
        assert "lacking.csv:1:1: the frame has no column 'a'" in told.stderr


def test_boosted_trees_say_how_many_are_kept(folder: Path) -> None:
    pytest.importorskip("lightgbm")
    options = ("--learner", "boosted", "--set", "n_estimators=4", "-o", "model.json", "--set", "n_threads=1")
    assert "is kept" not in run("train", "train.txt", *options).output
    shown = run("train", "train.txt", "--valid", "vali.txt.gz", *options)
    assert re.search(r"iteration [1-4] of 4 is kept", shown.output)


def test_features_that_a_letor_file_leaves_out_are_zero(folder: Path) -> None:
    Path("wide.txt").write_text("1 qid:1 1:1 3:2\n0 qid:1 1:0 3:1\n")
    Path("narrow.txt").write_text("1 qid:1 1:1\n0 qid:1 1:0\n")
    for data, valid in (("wide.txt", "narrow.txt"), ("narrow.txt", "wide.txt")):
        assert run("train", data, "--valid", valid, "-o", "model.json").exit_code == 0
        assert learners.load("model.json").n_features_in_ == 3
    assert len(run("score", "model.json", "narrow.txt").stdout.splitlines()) == 2
    run("train", "narrow.txt", "-o", "model.json")
    told = run("score", "model.json", "wide.txt")
    assert told.exit_code == 1
    assert "3 features, but LinearRanker is expecting 1" in told.stderr


def test_the_score_is_compared_with_the_best_single_feature(folder: Path) -> None:
    shown = run("train", "train.txt", "--valid", "vali.txt.gz", "-m", "ndcg@5", "-o", "model.json")
    values = {
        (sign, place): [
            ir.measure("ndcg@5")(data.labels, sign * np.asarray(data.features)[:, place], data.offsets).mean()
            for data in (TRAIN, TEST)
        ]
        for sign in (1, -1)
        for place in range(TRAIN.n_features)
    }
    (sign, place), (_, baseline) = max(values.items(), key=lambda each: each[1][0])
    score = float(shown.stdout.splitlines()[4].split()[4])
    name = f"{'-' if sign < 0 else ''}feature {place + 1}"
    assert f"validation ndcg@5: {score:.4f}, " in shown.stdout
    assert f"the best single feature in training ({name}: {baseline:.4f})." in shown.stdout.replace("\n  ", " ")


def test_many_features_are_not_compared(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("idealrank.learners.training_summary._MOST_FEATURES", TRAIN.n_features - 1)
    shown = run("train", "train.txt", "--max-iter", "2", "-o", "model.json").stdout
    assert "baseline" not in shown
    assert shown.splitlines()[0].split() == ["part", "file", "queries", "documents", "ndcg"]
    told = json.loads(run("train", "train.txt", "--max-iter", "2", "-o", "model.json", "--format", "json").stdout)
    assert (told["baseline"], told["parts"][0]["baseline"]) == ("", None)


@pytest.mark.parametrize("output_format", ["json", "csv"])
def test_tables_are_machine_readable_on_demand(folder: Path, output_format: str) -> None:
    shown = run("train", "train.txt", "--max-iter", "2", "-o", "model.json", "--format", output_format)
    is_json = output_format == "json"
    rows = json.loads(shown.stdout)["parts"] if is_json else list(csv.DictReader(io.StringIO(shown.stdout)))
    assert len(rows) == 1
    assert list(rows[0]) == ["part", "file", "queries", "documents", "ndcg", "baseline"]
    assert "the model is in model.json" in shown.stderr


def test_a_page_has_the_learning_curve(folder: Path) -> None:
    options = ("--loss", "cross_entropy", "--max-iter", "3", "-o", "m.json", "--html", "page.html")
    shown = run("train", "train.txt", "--valid", "vali.txt.gz", *options)
    assert shown.exit_code == 0
    page = Path("page.html").read_text()
    assert "Learning curve; the dashed line marks the iteration that was kept</figcaption>" in page
    assert "<svg" in page
    staged = ["--learner", "approx_ndcg", "--max-iter", "3", "-o", "m.json", "--html", "page.html"]
    assert run("train", "train.txt", "--valid", "vali.txt.gz", *staged).exit_code == 0
    assert "interrupted where a new stage of the training begins</figcaption>" in Path("page.html").read_text()
    assert run("train", "train.txt", "--learner", "random", "-o", "m.json", "--html", "page.html").exit_code == 0
    assert "<svg" not in Path("page.html").read_text()


def test_the_model_may_go_to_standard_output(folder: Path) -> None:
    shown = run("train", "train.txt", "--max-iter", "2", "-o", "-")
    assert json.loads(shown.stdout)["learner"] == "LinearRanker"


def test_a_question_mark_lists_learners_and_losses() -> None:
    listed = {option: run("train", option, "?").stdout.split() for option in ("--learner", "--loss")}
    assert {"linear", "boosted", "approx_ndcg"} <= {*listed["--learner"]}
    assert {"cross_entropy", "lambda_rank"} <= {*listed["--loss"]}


def test_columns_of_a_table_may_have_any_name(folder: Path) -> None:
    table = pytest.importorskip("pandas").DataFrame(
        {"session": [1, 1, 2, 2], "clicked": [0, 1, 1, 0], "bm25": [1.0, 3.0, 5.0, 2.0]}
    )
    table.assign(trust=1.0).to_parquet("log.parquet")
    columns = ("--query", "session", "--label", "clicked", "--weight", "trust")
    shown = run("train", "log.parquet", *columns, "--learner", "rank_svm", "--normalize", "zscore", "-o", "m.json")
    assert "1 feature" in shown.output
    scores = run("score", "m.json", "log.parquet", "--query", "session").stdout.split()
    assert float(scores[0]) < float(scores[1])


@pytest.mark.parametrize(
    ("args", "code", "what"),
    [
        (("train.txt",), 2, "Missing option '-o' / '--out'"),
        (("train.txt", "-o", "m.json", "--query", "session"), 2, "--query names a column of CSV or Parquet"),
        (("train.txt", "-o", "m.json", "--learner", "aprox_ndcg"), 1, "did you mean 'approx_ndcg'"),
        (("train.txt", "-o", "m.json", "--loss", "listmel"), 1, "unknown loss 'listmel'"),
        (("train.txt", "-o", "m.json", "--learner", "list_net", "--loss", "hinge"), 1, "ListNet has no option 'loss'"),
        (("train.txt", "-o", "m.json", "--set", "l2"), 2, "--set takes OPTION=VALUE, got 'l2'"),
        (("train.txt", "-o", "m.json", "--set", "patience=often"), 1, "patience: expected a whole number"),
        (("train.txt", "-o", "m.json", "--max-iter", "0"), 1, "max_iter: expected a whole number of at least 1, got 0"),
        (("none.txt", "-o", "m.json", "--learner", "consistent_regression"), 1, "m.json: ConsistentRegression keeps"),
        (("train.txt", "-o", "m.json", "--normalize", "log"), 2, "'log' is not one of"),
        (("train.txt", "-o", "no/m.json"), 1, "there is no folder 'no'"),
        (("train.txt", "-o", "m.json", "--html", "no/page.html"), 1, "there is no folder 'no'"),
        (("none.txt", "-o", "m.json"), 1, "none.txt: no such file"),
        (("qrels.txt", "-o", "m.json"), 2, "there are no features in TREC judgments"),
        (("train.txt", "--valid", "bad.txt", "-o", "m.json"), 1, "bad.txt:1:1"),
        (("nan.txt", "-o", "m.json"), 1, "a feature must be a finite number"),
        (
            ("train.txt", "--valid", "vali.txt.gz", "--group", "sizes", "-o", "m.json"),
            2,
            "--group applies to DATA",
        ),
    ],
)
def test_what_cannot_be_trained_is_said_in_a_line_and_leaves_no_file(
    folder: Path, args: tuple[str, ...], code: int, what: str
) -> None:
    Path("bad.txt").write_text("x qid:1 1:2\n")
    Path("nan.txt").write_text("1 qid:1 1:NULL\n")
    shown = run("train", *args)
    assert shown.exit_code == code
    assert what in shown.stderr
    assert not Path("m.json").exists()


def test_a_file_that_is_no_model_scores_nothing(folder: Path) -> None:
    Path("model.json").write_text('{"format": "idealrank model"')
    shown = run("score", "model.json", "train.txt", "-o", "scores.txt")
    assert shown.exit_code == 1
    assert shown.stderr.startswith("idealrank: error: model.json:1:29: not JSON")
    assert not Path("scores.txt").exists()


@pytest.mark.slow
@posix_only
def test_an_interrupt_keeps_and_saves_the_best_so_far(folder: Path) -> None:
    import pty

    outer, inner = pty.openpty()
    files = ("train.txt", "--valid", "vali.txt.gz", "-o", "m.json")
    endless = (
        "--loss",
        "list_mle",
        "--set",
        "optimizer=sgd",
        "--max-iter",
        "1000000000",
        "--seed",
        "1",
        "--normalize",
        "minmax",
    )
    child = subprocess.Popen(
        [sys.executable, "-m", "idealrank", "train", *files, *endless],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=inner,
        env=os.environ | {"TERM": "xterm-256color", "COLUMNS": "150", "NO_COLOR": ""},
    )
    try:
        os.close(inner)
        seen = b""
        # Until the bar says that 10 iterations are done: the 7th beats the start.
        while not re.search(rb"[1-9]\d+/1000000000", seen):
            seen += os.read(outer, 65536)
        child.send_signal(signal.SIGINT)
        try:
            while piece := os.read(outer, 65536):
                seen += piece
        except OSError:  # Linux says that the other end is closed in this way
            pass
        os.close(outer)
        assert child.stdout is not None
        table = child.stdout.read().decode()
        child.stdout.close()
        assert child.wait() == 130
    finally:
        child.kill()
    assert b"training was interrupted: m.json has the best iteration so far" in seen
    assert b"interrupted" in seen
    assert "is kept" in table
    model = learners.load("m.json")
    assert np.isfinite(model.predict(TEST)).all()
    assert model.coef_.any()
    assert re.search(rf"^validation .* {model.score(TEST):.4f} ", table, re.M)  # the row of the table


def test_an_error_of_a_fit_names_the_query_the_row_and_the_column(folder: Path) -> None:
    lines = ["qid,label,bm25,length", "b,1,2,3", "a,0,1,5", "b,0,1,", "a,1,4,2"]
    (folder / "train.csv").write_text("\n".join(lines) + "\n")
    shown = run("train", "train.csv", "--out", "m.json")
    assert shown.exit_code != 0
    assert "got nan in column 'length'" in " ".join(shown.output.split())
    assert "(query 'b', row 2)" in " ".join(shown.output.split())


def test_scattered_rows_are_scored_in_the_order_of_the_file(folder: Path) -> None:
    lines = ["qid,label,bm25", "b,1,2", "a,0,1", "b,0,1", "a,1,4"]
    (folder / "train.csv").write_text("\n".join(lines) + "\n")
    assert run("train", "train.csv", "--learner", "rank_svm", "--out", "m.json").exit_code == 0
    assert learners.load("m.json").feature_names_in_.tolist() == ["bm25"]
    assert run("score", "m.json", "train.csv", "-o", "scores.txt").exit_code == 0
    expected = learners.load("m.json").coef_ * [2, 1, 1, 4] + learners.load("m.json").intercept_
    assert_allclose(ir.io.read_scores("scores.txt"), expected, rtol=1e-12, atol=0)
