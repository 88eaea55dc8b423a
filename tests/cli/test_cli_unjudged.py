"""idealrank bounds and judge-next, as a user runs them."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import idealrank as ir
from idealrank.cli.group import commands


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    ir.io.write_qrels(ir.Qrels({"q1": {"a": 2, "b": 0}, "q2": {"x": 1}}), "qrels.txt")
    ir.io.write_run(ir.Run({"q1": {"c": 3, "a": 2, "b": 1}, "q2": {"x": 1}}, name="one"), "one.run")
    ir.io.write_run(ir.Run({"q1": {"c": 3, "b": 2, "a": 1}, "q2": {"y": 2, "x": 1}}, name="two"), "two.run")
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(commands, arguments)


def test_bounds_of_one_run(files: Path) -> None:
    result = run("bounds", "qrels.txt", "one.run", "-m", "ndcg@2")
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("ndcg@2 of one is ")
    head, row = (line.split() for line in result.stdout.splitlines()[2:4])
    assert head[:6] == ["system", "lowest", "value", "expected", "highest", "condensed"]
    expected = ir.bounds("qrels.txt", "one.run", "ndcg@2").mean[""]
    assert row[:3] == ["one", f"{expected['lowest']:.4f}", f"{expected['value']:.4f}"]
    assert "like trec_eval" in result.stdout


@pytest.mark.parametrize("output_format", ["text", "json", "csv", "markdown", "latex"])
def test_bounds_of_two_runs_in_every_format(files: Path, output_format: str) -> None:
    result = run(
        "bounds", "qrels.txt", "one.run", "two.run", "-m", "ndcg@2", "--baseline", "one", "--format", output_format
    )
    assert result.exit_code == 0, result.output
    if output_format == "json":
        (difference,) = json.loads(result.stdout)["differences"]
        assert (difference["system"], difference["baseline"]) == ("two", "one")
    if output_format == "text":
        assert "unjudged documents alone could reverse the order" in " ".join(result.stdout.split())


def test_tables_after_the_first_stand_between_empty_lines(files: Path) -> None:
    Path("types.txt").write_text("q1 nav\nq2 info\n")
    lines = run(
        "compare", "qrels.txt", "one.run", "two.run", "--unjudged-bounds", "--by", "types.txt"
    ).stdout.splitlines()
    for start in ("system  lowest", "system  baseline", "category  system", "means over 2 queries"):
        (place,) = (place for place, line in enumerate(lines) if line.startswith(start))
        assert lines[place - 1] == "", start


def test_the_documents_to_judge_next(files: Path) -> None:
    result = run("judge-next", "qrels.txt", "one.run", "two.run", "-m", "ndcg@2", "-n", "1")
    assert result.exit_code == 0, result.output
    verdict, _, header, row, *_ = result.stdout.splitlines()
    assert "unjudged documents alone could reverse the order" in verdict
    assert header.split()[:3] == ["query", "document", "effect"]
    assert row.split()[:2] == ["q2", "y"]


@pytest.mark.parametrize("output_format", ["text", "markdown", "latex", "csv", "json"])
def test_nothing_to_judge_is_said_without_an_empty_table(files: Path, output_format: str) -> None:
    ir.io.write_qrels(ir.Qrels({"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"x": 1, "y": 0}}), "all.txt")
    result = run("judge-next", "all.txt", "one.run", "two.run", "-m", "ndcg@2", "--format", output_format)
    assert result.exit_code == 0, result.output
    if output_format == "json":
        assert json.loads(result.stdout)["documents"] == []
    elif output_format == "csv":  # programs need the header
        assert result.stdout.splitlines() == ["query,document,effect,one,two"]
        assert "No judgment is needed" in result.stderr
    else:
        (line,) = result.stdout.splitlines()
        assert "No judgment is needed" in line


def test_labeled_lists_have_nothing_unjudged(files: Path) -> None:
    Path("data.txt").write_text("1 qid:1 1:0.5\n0 qid:1 1:0.25\n")
    Path("scores.txt").write_text("1\n2\n")
    result = run("bounds", "data.txt", "scores.txt")
    assert result.exit_code != 0
    assert "every document is judged" in result.output


def test_compare_says_what_unjudged_documents_could_reverse(files: Path) -> None:
    result = run("compare", "qrels.txt", "one.run", "two.run", "-m", "ndcg@2", "--seed", "1")
    assert result.exit_code == 0, result.output
    said = " ".join(result.stdout.split())
    found = ir.bounds("qrels.txt", ["one.run", "two.run"], "ndcg@2").differences[0]
    assert f"could reverse the difference between two and one ({found.difference:+.4f}; {found.lowest:+.4f} to" in said
    assert "'idealrank judge-next', or judge_next in Python, lists the documents to judge first" in said
    assert "rbp_resid" not in said
    shown = run("compare", "qrels.txt", "one.run", "two.run", "-m", "ndcg@2", "--seed", "1", "--unjudged-bounds")
    assert "rbp_resid" in shown.stdout
    assert "decided" in shown.stdout
    never = run("compare", "qrels.txt", "one.run", "two.run", "-m", "ndcg@2", "--seed", "1", "--no-unjudged-bounds")
    assert "unjudged documents alone" not in " ".join(never.stdout.split())
    as_json = json.loads(
        run("compare", "qrels.txt", "one.run", "two.run", "-m", "ndcg@2", "--format", "json", "--seed", "1").stdout
    )
    assert as_json["unjudged_bounds"]["ndcg@2"]["differences"][0]["lowest"] == pytest.approx(found.lowest)


def test_the_page_of_a_comparison_shows_what_unjudged_documents_could_change(files: Path) -> None:
    given = ("compare", "qrels.txt", "one.run", "two.run", "-m", "ndcg@2", "--seed", "1", "--html", "page.html")
    assert run(*given).exit_code == 0
    page = Path("page.html").read_text()
    start = page.index('<h2 id="unjudged">')
    section = page[start : page.index("</section>", start)]
    found = ir.bounds("qrels.txt", ["one.run", "two.run"], "ndcg@2")
    assert f"{found.mean['two']['lowest']:.4f}" in section
    assert f"{found.mean['two']['highest']:.4f}" in section
    assert f"{found.differences[0].lowest:+.4f}".replace("-", "\N{MINUS SIGN}") in section
    assert "decided" in section
    assert "judge-next" in page
    assert 'href="#unjudged"' in page
    assert run(*given, "--no-unjudged-bounds").exit_code == 0
    assert 'id="unjudged"' not in Path("page.html").read_text()


def test_compare_is_silent_where_every_document_is_judged(files: Path) -> None:
    ir.io.write_qrels(ir.Qrels({"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"x": 1, "y": 0}}), "all.txt")
    result = run("compare", "all.txt", "one.run", "two.run", "-m", "ndcg@2", "--seed", "1")
    assert "unjudged documents alone" not in " ".join(result.stdout.split())
    asked = run("compare", "qrels.txt", "one.run", "two.run", "-m", "bpref", "--seed", "1", "--unjudged-bounds")
    assert asked.exit_code != 0
    assert "no bounds are known" in asked.output


@pytest.mark.parametrize("output_format", ["text", "markdown", "csv", "latex", "json"])
@pytest.mark.parametrize("sample", ["queries", "documents"])
def test_compare_with_machine_judgments(files: Path, output_format: str, sample: str) -> None:
    machine = {f"q{i}": {"a": i % 3, "b": 1, "c": i % 2} for i in range(6)}
    human = {f"q{i}": {"a": 1, "b": 0, "c": 2} for i in range(3)}
    if sample == "documents":
        human = {f"q{i}": {"a": 1, "c": 2} for i in range(6)}
    runs = {name: ir.Run({q: {d: float(-i) for i, d in enumerate(docs)} for q in machine}) for name, docs in
            (("x", "abc"), ("y", "cba"))}  # fmt: skip
    ir.io.write_qrels(ir.Qrels(human), "human.txt")
    ir.io.write_qrels(ir.Qrels(machine), "machine.txt")
    for name, each in runs.items():
        ir.io.write_run(each, f"{name}.run")
    given = ("compare", "human.txt", "x.run", "y.run", "-m", "ndcg@2", "--machine", "machine.txt")
    result = run(*given, "--human-sample", sample, "--format", output_format)
    assert result.exit_code == 0, result.output
    found = ir.compare_assisted("human.txt", "machine.txt", ["x.run", "y.run"], "ndcg@2", sample=sample)
    (difference,) = found.differences["ndcg@2"]
    shown = result.stdout.replace("&", "").replace(" ", "")  # LaTeX aligns at the point
    assert f"{abs(difference.mean):.4f}"[:5] in shown or str(difference.mean)[:6] in shown
    for option in (("--by", "x.txt"), ("--test", "wilcoxon"), ("--intervals", "bca")):
        refused = run(*given, *option)
        assert refused.exit_code != 0
        assert "--machine" in refused.output
    Path("machine.json").write_text(json.dumps(machine))
    from_json = run(*given[:-1], "machine.json", "--human-sample", sample, "--format", output_format)
    assert from_json.stdout == result.stdout


def test_intervals_for_exactly_these_queries_need_machine_judgments(files: Path) -> None:
    refused = run("compare", "qrels.txt", "one.run", "two.run", "--these-queries")
    assert refused.exit_code == 2
    assert "--these-queries needs --machine" in refused.output
