"""idealrank compare, explain and power, as a user runs them."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

import idealrank as ir
from idealrank.cli.group import commands


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    qrels = {f"q{i}": {f"d{j}": int(rng.integers(0, 3)) for j in range(10)} for i in range(12)}
    ir.io.write_qrels(ir.Qrels(qrels), "qrels.txt")
    for name, noise in (("base", 3.0), ("good", 0.1), ("other", 3.0)):
        run = {q: {d: label + noise * float(rng.normal()) for d, label in docs.items()} for q, docs in qrels.items()}
        ir.io.write_run(ir.Run(run, name=name), f"{name}.run")
    data = ir.from_arrays([2, 0, 1, 0], query_ids=[7, 7, 8, 8], features=[[1.0], [2.0], [3.0], [4.0]])
    ir.io.write_letor(data, "data.txt")
    ir.io.write_scores([0.5, 0.25, 0.1, 0.2], "one.txt")
    ir.io.write_scores([0.5, 0.25, 0.3, 0.2], "two.txt")
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(commands, arguments)


def test_systems_are_compared_with_a_baseline(files: Path) -> None:
    result = run("compare", "qrels.txt", "base.run", "good.run", "other.run", "--baseline", "base", "--seed", "1")
    assert result.exit_code == 0, result.output
    verdict, blank, *lines = result.stdout.splitlines()
    assert verdict.startswith("ndcg@10: 1 of 2 systems differs significantly from base at level 0.05: good (+0.")
    assert blank == ""
    assert lines[0].split() == [
        "system",
        "ndcg@10",
        "low",
        "high",
        "change",
        "p",
        "corrected",
        "d_z",
        "better",
        "same",
        "worse",
        "detectable",
    ]
    assert [line.split()[0] for line in lines[1:4]] == ["good", "base", "other"]
    assert [line.split()[2] == "†" for line in lines[1:4]] == [True, False, False]
    assert "Rows are sorted by ndcg@10." in lines[4]
    assert "good - base, largest differences: q" in result.stdout
    how = "paired t test, Holm correction, level 0.05; 95% intervals by the score method"
    assert f"means over 12 queries, like trec_eval (version 9.0.8); {how}" in lines


@pytest.mark.parametrize(
    ("options", "is_random"),
    [
        (["--test", "t"], False),
        (["--test", "randomization"], False),  # exact: there are few queries
        (["--test", "bootstrap"], True),
        (["--test", "tukey"], True),
        (["--test", "t", "--intervals", "bca"], True),
    ],
)
def test_a_seed_is_told_only_if_random_numbers_were_drawn(files: Path, options: list[str], is_random: bool) -> None:
    arguments = ["compare", "qrels.txt", "base.run", "good.run", "--seed", "71", *options]
    assert ("seed 71" in run(*arguments).stdout) == is_random
    assert json.loads(run(*arguments, "--format", "json").stdout)["seed"] == (71 if is_random else None)


@pytest.mark.parametrize("output_format", ["text", "json", "csv", "markdown", "latex"])
def test_pairs_come_out_in_every_format(files: Path, output_format: str) -> None:
    result = run("compare", "qrels.txt", "base.run", "good.run", "--seed", "1", "--format", output_format)
    assert result.exit_code == 0, result.output
    assert "good" in result.stdout
    if output_format == "json":
        assert json.loads(result.stdout)["test"] == "t"


def test_details_are_capped_and_all_shows_them(files: Path) -> None:
    given = ["compare", "qrels.txt", "base.run", "good.run", "other.run", "--seed", "1"]
    short, whole = run(*given).stdout, run(*given, "--all").stdout
    assert "corrected for 3 comparisons" in short
    assert "against" not in short
    assert len([line for line in whole.splitlines() if line.startswith("base  ")]) == 2
    for name in ("base.run", "good.run", "other.run"):
        for place in range(4):
            Path(f"{place}{name}").write_bytes(Path(name).read_bytes())
    many = [f"{place}{name}={place}{name}" for place in range(4) for name in ("base.run", "good.run", "other.run")]
    given = ["compare", "qrels.txt", *many, "-m", "ap", "-m", "rr", "--baseline", "0base.run", "--seed", "1"]
    short, whole = run(*given).stdout, run(*given, "--all").stdout
    assert short.count("2 more rows; CSV output has all") == 2
    assert "ap: 3 more systems; JSON output has all" in short
    assert "more rows" not in whole
    assert len(whole.splitlines()) > len(short.splitlines())


def test_digits_and_the_second_best_are_options(files: Path) -> None:
    given = ["compare", "qrels.txt", "base.run", "good.run", "--baseline", "base", "--seed", "1", "--digits", "2"]
    latex = run(*given, "--format", "latex", "--underline").stdout
    assert latex.count(r"\underline{0.") == 1
    assert "paired t test, Holm correction, level 0.05" in latex
    assert "% means over 12 queries" in latex
    assert re.search(r"^good & .*\d\.\d\d(?!\d)", latex, re.MULTILINE)
    text = run(*given).stdout
    assert all(len(line.split()[1]) == 4 for line in text.splitlines()[3:5])
    assert run("evaluate", "qrels.txt", "base.run", "--digits", "-1").exit_code == 2


def test_a_report_in_a_missing_folder_fails_before_the_work(files: Path) -> None:
    for command in ("compare", "evaluate"):
        result = run(command, "missing.txt", "base.run", "good.run", "--html", "nowhere/report.html")
        assert result.exit_code == 1
        assert "nowhere/report.html: there is no folder 'nowhere'" in result.stderr


def test_score_files_are_compared_on_letor_data(files: Path) -> None:
    result = run("compare", "data.txt", "one.txt", "two.txt", "-m", "rr", "--test", "sign", "--baseline", "one")
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert lines[1].startswith("rr: no difference can be significant: with 1 query that differs and 1 comparison, ")
    assert [line.split()[:2] for line in lines[4:6]] == [["two", "1.0000"], ["one", "0.7500"]]


def test_one_system_is_not_enough(files: Path) -> None:
    for command in ("compare", "power"):
        result = run(command, "qrels.txt", "base.run")
        assert result.exit_code == 2
        assert "at least 2 systems are needed, got 1: give more runs" in result.stderr


def test_a_baseline_that_is_not_there_is_named(files: Path) -> None:
    result = run("compare", "qrels.txt", "base.run", "good.run", "--baseline", "bm25")
    assert result.exit_code == 1
    assert "'bm25' is not among the systems 'base', 'good'" in result.stderr


def test_an_explanation_is_a_table_from_one_number_to_the_other(files: Path) -> None:
    result = run("explain", "qrels.txt", "base.run", "--like", "trec_eval", "--like", "lightgbm", "--like", "letor4")
    assert result.exit_code == 0, result.output
    assert result.stdout.count("gain: the label -> 2^label - 1") == 2
    assert "discount: 1 / log2(1 + rank) -> 1 / log2(max(2, rank))" in result.stdout
    assert "lightgbm: without effect here: equal scores, " in result.stdout
    result = run("explain", "qrels.txt", "base.run", "--like", "trec_eval")
    assert result.exit_code == 2
    assert "two conventions or more" in result.stderr


def test_a_plan_says_how_many_queries(files: Path) -> None:
    result = run("power", "qrels.txt", "base.run", "other.run", "--delta", "0.1", "--delta", "0.2", "--format", "json")
    assert result.exit_code == 0, result.output
    small, large = json.loads(result.stdout)["needed"]
    assert small["t"] > large["t"] > 1
    assert small["measure"] == "ndcg@10"
    text = run("power", "qrels.txt", "base.run", "other.run")
    assert "queries needed at level 0.05 and power 0.8, based on 12 queries" in text.stdout
    assert text.stdout.startswith("To detect a true difference of 0.05 in mean ndcg@10 with 80% power, a paired t test")
    row = text.stdout.splitlines()[3].split()
    told = text.stdout[text.stdout.index("How to read the first row:") :]
    assert max(map(len, told.splitlines())) <= 80
    assert f"t with {row[2]} queries, a paired t test at level 0.05 detects it in 80%" in " ".join(told.split())
    several = run("power", "qrels.txt", "base.run", "other.run", "-m", "ap", "-m", "ndcg", "--power", "0.999").stdout
    assert several.startswith("To detect a true difference of 0.05 in mean ap with 99.9% power, ")
    assert several.splitlines()[0].endswith("; these data have 12 queries. The table has 1 more row.")
    explained = run("power", "qrels.txt", "base.run", "other.run", "--explain").stdout
    assert "Hoeffding's inequality" in explained
    assert "How to read" not in run("power", "qrels.txt", "base.run", "other.run", "-q").stdout


def test_one_query_is_compared_but_not_tested(files: Path) -> None:
    first = Path("qrels.txt").read_text().splitlines()[0].split()[0]
    for name in ("qrels.txt", "base.run", "good.run"):
        kept = [line for line in Path(name).read_text().splitlines() if line.split()[0] == first]
        Path(name).write_text("\n".join([*kept, ""]))
    said = run("compare", "qrels.txt", "base.run", "good.run", "-m", "ap", "--seed", "1").stdout
    assert "one query is not enough to test differences" in said.splitlines()[0]
    assert "better than" not in said


def test_tables_of_several_measures_have_their_own_notes_and_equal_notes_once(files: Path) -> None:
    def notes(*measures: str) -> list[str]:
        options = [part for each in measures for part in ("-m", each)]
        said = run("compare", "qrels.txt", "base.run", "good.run", *options, "--seed", "1").stdout
        return [line.split(" (")[0] for line in said.splitlines() if "Rows are sorted" in line]

    letters = "Letters after a mean: the systems that this system is significantly better than"
    better = "‡: significantly worse than the best system; better than: the systems that this system is significantly"
    assert notes("ap", "p@10") == [letters, f"{better} better than", "No two systems differ significantly"]
    assert notes("ap", "ndcg") == [letters, f"{better} better than"]
