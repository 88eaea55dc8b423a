import gzip
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import idealrank as ir
from idealrank import stats
from idealrank.cli.group import commands
from idealrank.evaluation import trec_eval
from idealrank.io.prefetch import RunAhead
from idealrank.measures.measure_names import MEASURES


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    ir.io.write_qrels(ir.Qrels({"q1": {"a": 2, "b": 0}, "q2": {"a": 1}}), "qrels.txt")
    ir.io.write_run(ir.Run({"q1": {"b": 2.0, "a": 1.0}, "q2": {"a": 1.0}}), "one.run")
    ir.io.write_run(ir.Run({"q1": {"a": 2.0, "b": 1.0}, "q2": {"x": 3.0, "a": 1.0}}), "two.run")
    data = ir.from_arrays([2, 0, 1], query_ids=[7, 7, 8], scores=[0.1, 0.2, 0.3], features=[[1.0], [2.0], [3.0]])
    ir.io.write_letor(data, "data.txt")
    ir.io.write_scores([0.5, 0.25, 0.1], "scores.txt")
    ir.io.write_frame(data, "data.parquet")
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(commands, ["evaluate", *arguments])


def test_systems_stand_in_one_table_with_the_convention_below_it(files: Path) -> None:
    result = run("qrels.txt", "one.run", "two.run", "-m", "rr", "-m", "p@1")
    assert result.exit_code == 0
    assert result.stdout == (
        "system  queries      rr     p@1\n"
        "one           2  0.7500  0.5000\n"
        "two           2  0.7500  0.5000\n"
        "Rows are sorted by rr.\n"
        "\n"
        "means over 2 queries, like trec_eval (version 9.0.8)\n"
    )
    assert result.stderr == (
        "idealrank: note: ties, unjudged documents and missing queries by system:\n"
        "  system  tied  unjudged  missing queries\n"
        "  one     0.0%      0.0%                0\n"
        "  two     0.0%     25.0%                0\n"
    )
    assert run("qrels.txt", "one.run", "two.run", "-m", "rr", "--quiet").stderr == ""


@pytest.mark.parametrize(
    "options", [[], ["--per-query"], ["two.run"], ["--format", "markdown"], ["--by", "topics.csv"]]
)
def test_one_query_has_no_interval_and_the_table_says_so(files: Path, options: list[str]) -> None:
    ir.io.write_qrels(ir.Qrels({"q1": {"a": 2, "b": 0}}), "one_query.txt")
    Path("topics.csv").write_text("query,topic\nq1,short\n", encoding="utf-8")
    why = "An interval needs at least 2 queries."
    assert why in run("one_query.txt", "one.run", *options, "--interval").stdout
    assert why not in run("one_query.txt", "one.run", *options).stdout
    assert ("--by" in options) or why not in run("qrels.txt", "one.run", *options, "--interval").stdout


def test_what_is_otherwise_for_one_measure_stands_with_it(files: Path) -> None:
    result = run("qrels.txt", "one.run", "-m", "rr", "-m", "rr@5", "--like", "ir_measures", "--verbose")
    assert "rr = rr(ties=docid_desc,empty=0,rel=1,ideal=judged)\n" in result.stdout
    assert "rr@5 = rr(ties=docid_asc,empty=0,rel=1,ideal=judged)@5; precision float64\n" in result.stdout


def test_systems_with_different_queries_are_remarked_upon(files: Path) -> None:
    (files / "two.run").write_text("q2 Q0 a 1 1.0 t\n")
    shown = run("qrels.txt", "one.run", "two.run", "-m", "rr")
    assert "because not all systems have it, first 'q1', which 'two' does not have" in shown.stderr
    assert "means over 1 query, like trec_eval (version 9.0.8)\n" in shown.stdout


def test_json_holds_everything(files: Path) -> None:
    result = run("qrels.txt", "one.run", "-m", "rr", "--per-query", "--interval", "--format", "json")
    content = json.loads(result.stdout)
    system = content["systems"]["one"]
    assert system["mean"] == {"rr": 0.75}
    assert system["per_query"] == {"rr": [0.5, 1.0]}
    assert system["query_ids"] == ["q1", "q2"]
    expected = stats.interval([0.5, 1.0], value_range=(0, 1))
    assert system["interval"]["rr"] == [expected.low, expected.high]
    assert content["conventions"]["convention"] == "trec_eval"


def test_queries_have_lines_of_their_own(files: Path) -> None:
    result = run("qrels.txt", "one.run", "-m", "rr", "--per-query", "--format", "csv")
    assert result.stdout == "system,qid,rr\none,q1,0.5\none,q2,1.0\n"
    shown = run("qrels.txt", "one.run", "-m", "rr", "--per-query").stdout
    assert shown.startswith(
        "system  queries      rr\none           2  0.7500\n\nsystem  qid      rr\none     q1   0.5000\n"
    )
    assert "rr = rr(" in result.stderr  # CSV has no place for conventions


@pytest.mark.parametrize(("output_format", "mark"), [("markdown", ">"), ("latex", "%")])
def test_conventions_are_marked_as_remarks(files: Path, output_format: str, mark: str) -> None:
    shown = run("qrels.txt", "one.run", "-m", "rr", "--format", output_format).stdout
    assert f"\n{mark} means over 2 queries, like trec_eval (version 9.0.8)\n" in shown
    assert f"\n{mark} negative labels: make a document unjudged; unjudged documents: count as not relevant; " in shown
    assert f"\n{mark} rr = rr(ties=docid_desc,empty=0,rel=1,ideal=judged)\n" in shown


def test_each_remark_in_markdown_is_a_paragraph(files: Path) -> None:
    shown = run("qrels.txt", "one.run", "-m", "rr", "--format", "markdown").stdout
    remarks = [line for line in shown.splitlines() if line.startswith(">")]
    assert len(remarks) > 2
    assert [line == ">" for line in remarks] == [place % 2 == 1 for place in range(len(remarks))]


@pytest.mark.parametrize("arguments", [["data.txt", "scores.txt"], ["data.parquet"], ["data.parquet", "score"]])
def test_letor_text_and_frames_have_idealranks_own_conventions(files: Path, arguments: list[str]) -> None:
    result = run(*arguments, "-m", "rr", "--format", "json")
    expected = 1.0 if arguments[0] == "data.txt" else 0.75
    content = json.loads(result.stdout)
    assert [system["mean"] for system in content["systems"].values()] == [{"rr": expected}]
    assert content["conventions"]["convention"] == "idealrank"


def test_like_names_another_tool(files: Path) -> None:
    result = run("qrels.txt", "one.run", "-m", "ndcg", "--like", "lightgbm", "--verbose")
    assert "like lightgbm" in result.stdout
    assert "gain=exp2" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["qrels.txt"], 2, "no system to evaluate: give runs"),
        (["one.run", "qrels.txt"], 2, "judgments come first"),
        (["qrels.txt", "one.run", "-m", "ndgc"], 1, "unknown measure 'ndgc'; did you mean 'ndcg'?"),
        (["qrels.txt", "one.run", "--like", "trek"], 1, "unknown convention 'trek'"),
        (["qrels.txt", "three.run"], 1, "three.run"),
        (["data.txt", "one.run"], 1, "needs one score per document"),
        (["data.txt", "qrels.txt"], 1, "one score"),
        (["data.parquet", "scre"], 1, "scre"),
    ],
)
def test_failures_are_said_in_one_line(files: Path, arguments: list[str], code: int, message: str) -> None:
    result = run(*arguments)
    assert result.exit_code == code
    assert message in result.stderr
    assert "Traceback" not in result.stderr


def test_systems_of_one_name_are_told_apart_by_their_paths(files: Path) -> None:
    (files / "other").mkdir()
    (files / "one.run").rename(files / "other" / "two.run")
    result = run("qrels.txt", "two.run", "other/two.run", "-m", "rr", "--format", "csv")
    assert [line.split(",")[0] for line in result.stdout.splitlines()] == ["system", "two.run", "other/two.run"]


def test_systems_are_called_as_given_or_as_tagged(files: Path) -> None:
    def names(*systems: str) -> list[str]:
        shown = run("qrels.txt", *systems, "-m", "rr", "--format", "csv")
        assert shown.exit_code == 0, shown.output
        return [line.split(",")[0] for line in shown.stdout.splitlines()[1:]]

    assert names("one.run", "two.run") == ["one", "two"]
    assert names("bm25=one.run", "two.run") == ["bm25", "two"]
    for path, tag in (("one.run", "BM25"), ("two.run", "dense")):
        text = (files / path).read_text()
        (files / path).write_text(text.replace(" idealrank\n", f" {tag}\n"))
    assert names("one.run", "two.run") == ["BM25", "dense"]
    assert names("x=one.run", "two.run") == ["x", "dense"]
    (files / "k1=0.9.run").write_text("q1 Q0 a 1 1.0 tuned\n")
    assert names("k1=0.9.run") == ["tuned"]
    assert "two systems are called 'BM25': give NAME=PATH" in run("qrels.txt", "one.run", "BM25=two.run").stderr
    compared = CliRunner().invoke(commands, ["compare", "qrels.txt", "one.run", "two.run", "--baseline", "one"])
    assert compared.exit_code == 0, compared.output


def test_files_of_strangers_need_no_names_and_no_options(files: Path) -> None:
    (files / "judgments").write_text("q1\t0\ta\t2\nq1\t0\tb\t0\nq2\t0\ta\t1\n")
    (files / "input.bm25").write_text((files / "one.run").read_text())
    (files / "run1").write_bytes(gzip.compress(b"q1\tb\t1\nq1\ta\t2\nq2\ta\t1\n"))
    (files / "run.json").write_text('{"q1": ["b", "a"], "q2": ["a"]}')
    (files / "run.tsv").write_text("query-id\tcorpus-id\tscore\nq1\tb\t2\nq1\ta\t1\nq2\ta\t1\n")
    (files / "qrels.json").write_text('{"q1": {"a": 2, "b": 0}, "q2": {"a": 1}}')
    for judged in ("judgments", "qrels.json"):
        shown = run(judged, "input.bm25", "run1", "run.json", "run.tsv", "-m", "rr", "--format", "csv")
        assert shown.exit_code == 0, shown.output
        assert [line.split(",")[1:] for line in shown.stdout.splitlines()[1:]] == [["2", "0.75"]] * 4


def test_seventeen_runs_give_one_table_and_few_lines(files: Path) -> None:
    for number in range(17):
        (files / f"run{number}").write_text("q1 Q0 x 1 3 t\nq1 Q0 a 2 1 t\nq1 Q0 b 3 1 t\nq9 Q0 a 1 1 t\n")
    shown = run("qrels.txt", *(f"run{number}" for number in range(17)), "-m", "rr@10")
    lines = shown.stderr.splitlines()
    assert lines[1].split() == ["system", "tied@10", "unjudged@10", "missing", "queries"]
    assert [line.split() for line in lines[2:19]] == [[f"run{n}", "66.7%", "33.3%", "1"] for n in range(17)]
    assert [line.split(":")[0] for line in lines[19:]] == ["idealrank"]
    assert "1 unjudged query of the run is left out, first 'q9'" in lines[19]


def test_a_small_share_is_not_notable_problems(files: Path) -> None:
    labels = {f"d{number}": 1 for number in range(100)}
    ir.io.write_qrels(ir.Qrels({"q1": labels}), "wide.txt")
    few, many = ({**dict.fromkeys([f"u{n}" for n in range(size)], 0), **labels} for size in (9, 40))
    for name, docs in (("few", few), ("many", many)):
        ranked = {doc: float(-place) for place, doc in enumerate(docs)}
        ir.io.write_run(ir.Run({"q1": ranked}, name=name), f"{name}.run")
    assert run("wide.txt", "few.run", "-m", "rr").stderr == ""
    said = run("wide.txt", "many.run", "-m", "rr").stderr
    assert said == "idealrank: note: many: 40 (28.6%) of the ranked documents are unjudged\n"


def test_an_error_in_the_data_names_the_system(files: Path) -> None:
    (files / "three.run").write_text("q1 Q0 a 1 1.0 t\nq1 Q0 a 2 0.5 t\n")
    assert "three: " in run("qrels.txt", "one.run", "three=three.run", "-m", "rr").stderr


@pytest.mark.parametrize(
    ("options", "of_trec_eval"),
    [
        ((), {}),
        (("--unjudged", "drop"), {"judged_only": True}),
        (("--missing", "0"), {"complete": True}),
        (("--missing", "0", "--unjudged", "drop"), {"complete": True, "judged_only": True}),
    ],
)
def test_choices_about_unjudged_documents_and_missing_queries_are_those_of_trec_eval(
    files: Path, options: tuple[str, ...], of_trec_eval: dict[str, bool]
) -> None:
    qrels = ir.Qrels({"q1": {"a": 2, "b": 0}, "q2": {"a": 1}, "q3": {"a": 1}})
    ir.io.write_qrels(qrels, "qrels.txt")
    found = run("qrels.txt", "two.run", "-m", "map", "-m", "P.5", *options, "--format", "json")
    content = json.loads(found.stdout)
    expected = trec_eval.evaluate(qrels, ir.read_run("two.run"), ["map", "P.5"], version=9, **of_trec_eval).summary
    assert content["systems"]["two"]["mean"] == pytest.approx({"map": expected["map"], "P.5": expected["P_5"]})
    said = content["conventions"]["convention"]
    assert all(f"{name[2:]}=" in said for name in options[::2]), said


def test_choices_about_repeated_documents_and_those_with_the_id_of_the_query(files: Path) -> None:
    Path("q.txt").write_text("q 0 a 1\n", encoding="utf-8")
    Path("q.run").write_text("q Q0 q 1 5 t\nq Q0 a 2 4 t\nq Q0 b 3 3 t\nq Q0 a 4 2 t\n", encoding="utf-8")
    refused = run("q.txt", "q.run", "-m", "rr")
    assert refused.exit_code == 1
    assert "choose which one counts with" in refused.stderr
    for options, mean in (
        (["--duplicates", "best"], 1 / 2),
        (["--duplicates", "last"], 1 / 3),
        (["--duplicates", "first", "--identical-ids", "drop"], 1.0),
    ):
        found = run("q.txt", "q.run", "-m", "rr", *options, "--format", "json")
        assert json.loads(found.stdout)["systems"]["t"]["mean"] == {"rr": mean}


@pytest.mark.parametrize("command", ["compare", "explain", "power", "distinguish", "limits"])
def test_every_command_that_evaluates_takes_these_choices_and_lists_of_measures(files: Path, command: str) -> None:
    likes = ["--like", "trec_eval", "--like", "sklearn"] if command == "explain" else []
    systems = ["one.run"] if command == "explain" else ["one.run", "two.run"]
    measures = "ndcg@1" if command == "explain" else "ndcg@1,2"
    arguments = [command, "qrels.txt", *systems, *likes, "-m", measures, "--unjudged", "drop", "--missing", "0"]
    result = CliRunner().invoke(commands, arguments)
    assert result.exit_code == 0, result.output
    assert "but unjudged=drop, missing=0.0" in result.stdout
    assert "ndcg@1" in result.stdout
    assert command == "explain" or "ndcg@2" in result.stdout


def test_a_report_has_curves_of_measures_that_are_named_together(files: Path) -> None:
    result = run("qrels.txt", "one.run", "-m", "ndcg@1,2, set_map", "--html", "page.html")
    assert result.exit_code == 0, result.output


def test_a_choice_that_does_not_exist_is_refused(files: Path) -> None:
    result = run("qrels.txt", "one.run", "--missing", "1")
    assert result.exit_code == 2
    assert "'1' is not one of '0', 'drop', 'error'" in result.stderr


@pytest.mark.parametrize(
    ("command", "default", "names"),
    [
        ("evaluate", "[default: ndcg@10, ap, rr]", None),
        ("compare", "[default: ndcg@10]", None),
        ("power", "[default: ndcg@10]", None),
        ("distinguish", "By default, NDCG with six discounts", ["ndcg", "dcg", "linear_ndcg"]),
        ("limits", "By default, NDCG with six discounts", ["ndcg", "linear_ndcg"]),
    ],
)
def test_a_question_mark_lists_measures_and_tools(command: str, default: str, names: list[str] | None) -> None:
    assert default in " ".join(CliRunner().invoke(commands, [command, "--help"]).stdout.split())
    listed = CliRunner().invoke(commands, [command, "-m", "?"]).stdout.split()
    assert listed == (sorted(MEASURES.members()) if names is None else names)
    tools = CliRunner().invoke(commands, [command, "qrels.txt", "--like", "?"])
    assert (tools.exit_code, tools.stdout.split()[:2]) == (0, ["idealrank", "trec_eval"])


@pytest.mark.parametrize("command", ["distinguish", "limits"])
def test_measures_that_help_does_not_list_are_refused(files: Path, command: str) -> None:
    result = CliRunner().invoke(commands, [command, "qrels.txt", "x=one.run", "y=two.run", "-m", "ap"])
    assert result.exit_code == 1
    assert re.search(r"NDCG and linear NDCG, not (by )?ap$", result.stderr)


@pytest.fixture
def sessions(files: Path) -> Path:
    """A table with other names of columns, and a run as such a table."""
    pytest.importorskip("pyarrow")
    (files / "log.csv").write_text("session,url,clicked,points,kind\na,u1,1,0.5,nav\na,u2,0,0.7,nav\nb,u3,1,0.9,info\n")
    (files / "ranked.csv").write_text("session,url,place\na,u1,1\na,u2,2\nb,u3,1\n")
    return files


COLUMNS = ("--query", "session", "--doc", "url", "--label", "clicked")


def test_columns_by_name(sessions: Path) -> None:
    means = [
        json.loads(run("log.csv", *system, *COLUMNS, "-m", "rr", "--format", "json").stdout)["systems"]
        for system in (
            ["points"],
            ["--score", "points"],
            ["log.csv", "--score", "points"],
            ["ranked.csv", "--rank", "place"],
        )
    ]
    assert [[own["mean"] for own in systems.values()] for systems in means] == [
        [{"rr": 0.75}], [{"rr": 0.75}], [{"rr": 0.75}], [{"rr": 1.0}]]  # fmt: skip
    for command in ("compare", "explain", "distinguish"):
        likes = ["--like", "sklearn", "--like", "lightgbm"] if command == "explain" else []
        systems = ["points"] if command == "explain" else ["a=points", "b=points"]
        result = CliRunner().invoke(commands, [command, "log.csv", *systems, *COLUMNS, *likes])
        assert result.exit_code == 0, result.stderr
    assert (
        "query='sesion' (--query) is not a column of 'log.csv'" in run("log.csv", "points", "--query", "sesion").stderr
    )
    assert "(--label on the command line)" in run("log.csv", "points", "--query", "session").stderr
    assert (
        "query='q' (--query) is not a column of 'qrels.txt', TREC judgments"
        in run("qrels.txt", "one.run", "--query", "q").stderr
    )


def test_means_by_category(sessions: Path) -> None:
    result = run("log.csv", "points", *COLUMNS, "-m", "rr", "--by", "kind")
    assert result.stdout.startswith(
        "system  queries      rr\n"
        "points        2  0.7500\n"
        "\n"
        "category  system  queries      rr\n"
        "info      points        1  1.0000\n"
        "nav       points        1  0.5000\n"
        "\n"
        "means over 2 queries, like idealrank\n"
    )
    (sessions / "types.txt").write_text("q1 a question\n")
    result = run("qrels.txt", "one.run", "-m", "rr", "--by", "types.txt", "--format", "json")
    own = json.loads(result.stdout)["systems"]["one"]
    assert {name: each["mean"] for name, each in own["by_category"].items()} == {
        "(none)": {"rr": 1},
        "a question": {"rr": 0.5},
    }
    assert own["categories"] == ["a question", "(none)"]
    assert "one: 1 query has no category, first 'q2'; shown as (none)" in result.stderr
    assert "neither a column nor a file 'x' for by= (--by)" in run("qrels.txt", "one.run", "--by", "x").stderr
    page = run("qrels.txt", "one.run", "--by", "types.txt", "--html", "page.html")
    assert page.exit_code == 0
    assert "Means by category of queries" in (sessions / "page.html").read_text(encoding="utf-8")
    compared = CliRunner().invoke(
        commands, ["compare", "qrels.txt", "one.run", "two.run", "-m", "rr", "--by", "types.txt"]
    )
    assert "a question  two           1" in compared.stdout


def test_weights_of_queries(files: Path) -> None:
    (files / "weights.txt").write_text("q1 3\nq2 1\n")
    result = run("qrels.txt", "one.run", "-m", "rr", "--query-weights", "weights.txt", "--format", "json")
    assert json.loads(result.stdout)["systems"]["one"]["mean"] == {"rr": (3 * 0.5 + 1) / 4}
    (files / "weights.txt").write_text("q1 3\n")
    assert "no weight for a query (query 'q2')" in run("qrels.txt", "one.run", "--query-weights", "weights.txt").stderr


def test_measures_of_diversity(files: Path) -> None:
    (files / "qrels.diversity").write_text("q1 1 a 1\nq1 2 a 0\nq1 2 b 1\nq2 1 a 1\n")
    result = run("qrels.diversity", "one.run", "-m", "alpha_ndcg@2,strec@1", "--format", "json")
    assert json.loads(result.stdout)["systems"]["one"]["mean"]["strec@1"] == 0.75
    plain = run("qrels.txt", "one.run", "-m", "alpha_ndcg@2")
    assert plain.exit_code == 1
    assert "alpha_ndcg needs judgments by subtopic" in plain.stderr
    assert run("qrels.txt", "one.run", "-m", "alpha_ndcg@2", "--from", "subtopics").exit_code == 0


_LINES = "".join(f"q{number // 1000} Q0 d{number % 1000} 1 {7919 * number % 1000} tag\n" for number in range(400_000))


@pytest.mark.parametrize("n_threads", ["1", "2"])
def test_a_run_that_is_read_ahead_gives_the_same_output_and_errors(files: Path, n_threads: str) -> None:
    (files / "qrels.txt").write_text(
        "".join(f"q{number // 20} 0 d{number % 20} {number % 3}\n" for number in range(8000))
    )
    (files / "long.run").write_text(_LINES)  # more than one block
    (files / "bad.run").write_text(_LINES + "q1 Q0 d1 1 much tag\n")
    done, failed = (
        subprocess.run(
            [sys.executable, "-m", "idealrank", "evaluate", "qrels.txt", name, "-m", "ndcg@10", "--quiet"],
            capture_output=True,
            text=True,
            check=False,
            env=os.environ | {"IDEALRANK_NUM_THREADS": n_threads},
        )
        for name in ("long.run", "bad.run")
    )
    expected = ir.evaluate(ir.read_qrels("qrels.txt"), ir.read_run("long.run"), "ndcg@10").mean["ndcg@10"]
    assert (done.returncode, done.stderr) == (0, "")
    assert f"  {expected:.4f}\n" in done.stdout
    assert (failed.returncode, failed.stdout) == (1, "")
    assert failed.stderr.splitlines()[0].startswith(
        "idealrank: error: bad.run:400001:12: a score must be a finite number"
    )


@pytest.mark.parametrize("system", ["scores.txt", "run.json", "run.csv", "one.run.gz"])
def test_a_process_ends_without_a_word_whatever_the_system_turns_out_to_be(files: Path, system: str) -> None:
    (files / "letor.txt").write_text("1 qid:1 1:0.5\n0 qid:1 1:0.25\n")
    (files / "scores.txt").write_text("0.5\n0.25\n")
    (files / "run.json").write_text('{"q1": {"d1": 0.5}}')
    (files / "run.csv").write_text("query_id,doc_id,score\nq1,d1,0.5\n")
    (files / "one.run.gz").write_bytes(gzip.compress(b"q1 Q0 d1 1 0.5 tag\n"))
    data = "letor.txt" if system == "scores.txt" else "qrels.txt"
    command = [sys.executable, "-m", "idealrank", "evaluate", data, system, "-m", "rr", "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("system ")


def test_an_error_ends_the_reading(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[RunAhead] = []
    monkeypatch.setattr(RunAhead, "close", lambda ahead: closed.append(ahead))
    assert run("qrels.txt", "one.run", "-m", "nonsense").exit_code == 1
    assert list(map(os.fspath, closed)) == ["one.run"]
