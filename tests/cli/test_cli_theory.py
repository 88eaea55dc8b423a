"""``idealrank limits`` and ``idealrank distinguish``, as their users call them."""

import csv
import io
import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result
from theory_models import distinguish_two

import idealrank as ir
from idealrank.cli.group import commands


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ir.RankingData:
    monkeypatch.chdir(tmp_path)
    data = ir.datasets.web_search(6, 200, 8).test
    ir.io.write_letor(data, "test.txt")
    for name, feature in (("match", 0), ("fresh", 4), ("noise", 6)):
        ir.io.write_scores(data.known_features()[:, feature], f"{name}.txt")
    return data


def run(*arguments: str) -> Result:
    return CliRunner().invoke(commands, arguments)


def test_distinguish_prints_its_advice_and_a_row_per_measure(files: ir.RankingData) -> None:
    shown = run("distinguish", "test.txt", "match.txt", "noise.txt", "-m", "ndcg", "-m", "ndcg@10")
    assert shown.exit_code == 0
    found = distinguish_two(
        files, files.known_features()[:, 0], files.known_features()[:, 6], ["ndcg", "ndcg@10"], names=("match", "noise")
    )
    advice, empty, *lines = shown.stdout.splitlines()
    assert (advice, empty) == (f"{found.advice}.", "")
    assert shown.stdout.count(found.advice) == 1
    assert lines[0].split()[:5] == ["measure", "a", "b", "mean", "a"]
    assert lines[0].endswith("queries  low  high  certified  documents  changes  limit a  limit b  theory")
    assert [line.split()[0] for line in lines[1:3]] == [row.measure for row in found.measures]
    assert f"{found['ndcg'].mean_a:.4f}" in lines[1] + lines[2]


@pytest.mark.parametrize("arguments", [("distinguish", "--risk"), ("power", "--power"), ("power", "--level")])
@pytest.mark.parametrize("value", ["0", "1"])
def test_probabilities_are_between_0_and_1(files: ir.RankingData, arguments: tuple[str, str], value: str) -> None:
    command, option = arguments
    refused = run(command, "test.txt", "match.txt", "noise.txt", option, value)
    assert refused.exit_code == 2
    assert f"Invalid value for '{option}'" in refused.stderr


def test_distinguish_says_what_each_column_means(files: ir.RankingData) -> None:
    arguments = ("distinguish", "test.txt", "match.txt", "noise.txt", "-m", "ndcg", "-m", "ndcg@10")
    found = distinguish_two(
        files, files.known_features()[:, 0], files.known_features()[:, 6], ["ndcg", "ndcg@10"], names=("match", "noise")
    )
    row = found.measures[0]
    shown = run(*arguments).stdout
    told = shown[shown.index("How to read the first row:") :]
    assert max(map(len, told.splitlines())) <= 80
    words = " ".join(told.split())
    assert f"wins match beat noise on {row.wins:.1%} of the queries" in words
    equal = "if match and noise did not differ, one of them would be as far ahead with a probability of"
    assert f"p {equal} {row.p_value:.2g}" in words
    assert f"match has a mean of {row.mean_a:.4f}, noise of {row.mean_b:.4f}" in words
    assert "Theorem" not in words
    # Each column is explained, by a name that the table has.
    header = shown.splitlines()[2]
    for name in found.page().reading:
        assert all(part in header for part in name.split(", "))
    explained = " ".join(run(*arguments, "--explain").stdout.split())
    assert "ndcg@10: in expectation" in explained
    assert "Wang et al. 2013, Theorem 10: If the sum of the discounts is bounded" in explained
    assert "Wang et al. 2013, Theorem 6" in explained
    assert "How to read" not in run(*arguments, "--quiet").stdout
    assert "How to read" not in run(*arguments, "--format", "markdown").stdout


def test_the_order_of_equal_means_is_not_explained(files: ir.RankingData) -> None:
    shown = run("distinguish", "test.txt", "match.txt", "match.txt", "-m", "ndcg", "--explain")
    assert shown.exit_code == 0, shown.output
    assert "beat" not in shown.stdout
    assert "theory does not say whether longer lists would distinguish them" in " ".join(shown.stdout.split())


def test_limits_say_what_each_column_means(files: ir.RankingData) -> None:
    shown = run("limits", "test.txt", "match.txt", "-m", "ndcg@20%", "-m", "ndcg@10", "--explain")
    assert shown.exit_code == 0, shown.output
    verdict = "As lists grow, ndcg@20% tends to a limit; ndcg@10 stays random: the labels of a few documents decide."
    assert shown.stdout.splitlines()[0] == verdict
    row = shown.stdout.splitlines()[3].split()
    told = shown.stdout[shown.stdout.index("How to read the first row:") :]
    assert max(map(len, told.splitlines())) <= 80
    words = " ".join(told.split())
    assert f"now the mean ndcg@20% of match over 6 queries is {row[2]}" in words
    assert f"limit as lists grow, it tends to {row[5]} on queries with relevant documents" in words
    assert "ndcg@10 Wang et al. 2013, Theorem 10" in words
    assert "ndcg@20% Wang et al. 2013, Theorems 12 and 13" in words


def test_a_measure_may_have_a_limit_for_some_systems_only(files: ir.RankingData) -> None:
    relevant = files.labels > np.median(files.labels)
    ir.io.write_letor(replace(files, labels=relevant.astype(float)), "binary.txt")
    ir.io.write_scores(relevant, "ideal.txt")  # all documents at its top are relevant
    shown = run("limits", "binary.txt", "match.txt", "ideal.txt", "-m", "ndcg", "-m", "ndcg@1")
    assert shown.exit_code == 0, shown.output
    mixed = "ndcg@1 tends to a limit for ideal and stays random for match"
    assert shown.stdout.splitlines()[0] == f"As lists grow, ndcg tends to a limit; {mixed}."


def test_names_of_any_length_are_wrapped(files: ir.RankingData) -> None:
    long = "system" * 34
    Path(f"{long}.txt").write_bytes(Path("match.txt").read_bytes())
    shown = run("distinguish", "test.txt", f"{long}.txt", "noise.txt", "-m", "ndcg")
    told = shown.stdout[shown.stdout.index("How to read the first row:") :]
    assert max(map(len, told.splitlines())) <= 80
    assert long in told.replace("\n", "").replace(" ", "")


def test_distinguish_compares_all_pairs(files: ir.RankingData) -> None:
    shown = run("distinguish", "test.txt", "match.txt", "fresh.txt", "noise.txt", "-m", "ndcg", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(shown.stdout)))
    assert [(row["a"], row["b"]) for row in rows] == [("match", "fresh"), ("match", "noise"), ("fresh", "noise")]
    assert "ndcg distinguishes match from fresh" in shown.stderr


def several(files: ir.RankingData, n_systems: int) -> list[str]:
    """Write the scores of systems from good to bad, and return the names of the files."""
    rng = np.random.default_rng(3)
    names = [f"s{place}.txt" for place in range(n_systems)]
    for place, name in enumerate(names):
        ir.io.write_scores(files.labels + (1 + place) * rng.normal(size=files.labels.size), name)
    return names


def test_many_pairs_are_summed_up_by_measure_and_the_closest_are_shown(files: ir.RankingData) -> None:
    shown = run("distinguish", "test.txt", *several(files, 6))
    assert shown.exit_code == 0, shown.output
    overall, closest, empty, heads, *rows = shown.stdout.splitlines()
    assert re.match(
        r"ndcg distinguishes \d+ of 15 pairs of 6 systems on these 6 queries \(p at most 0.05 each; if", overall
    )
    assert re.match(r"The closest pair: no measure here distinguishes s\d from s\d on these 6 queries", closest)
    assert not empty
    assert heads.split() == ["measure", "distinguished", "pairs", "share", "queries", "certified", "consistent"]
    counts = [int(row.split()[1]) for row in rows[:6]]
    assert counts == sorted(counts, reverse=True)
    assert rows[7] == "Closest pairs by ndcg:"
    assert rows[19] == "5 more rows; CSV output has all"
    p_values = [float(row.split()[5]) for row in rows[9:19]]
    assert p_values == sorted(p_values, reverse=True)
    assert "distinguished pairs, share" in shown.stdout
    everything = run("distinguish", "test.txt", *several(files, 6), "--format", "csv")
    assert len(list(csv.DictReader(io.StringIO(everything.stdout)))) == 15 * 6


def test_few_pairs_are_all_shown(files: ir.RankingData) -> None:
    shown = run("distinguish", "test.txt", *several(files, 3), "-m", "ndcg", "-m", "ndcg@5")
    lines = shown.stdout.splitlines()
    assert [line for line in lines[:4] if " distinguishes " in line] == lines[:4]
    start = lines.index("Pairs:")
    assert len(lines[start + 2 : lines.index("", start)]) == 3 * 2
    explained = run("distinguish", "test.txt", *several(files, 3), "-m", "ndcg", "--explain").stdout
    assert "  ndcg: consistently, 2 pairs\n    For example, s0 and s1.\n" in explained


@pytest.mark.slow
def test_a_page_of_many_pairs_shows_some_in_detail(files: ir.RankingData) -> None:
    run("distinguish", "test.txt", *several(files, 6), "-m", "ndcg", "-q", "--html", "many.html")
    page = Path("many.html").read_text(encoding="utf-8")
    assert "<h1>What distinguishes 6 systems</h1>" in page
    assert page.count("<figure>") == 1 + 6 * 3
    assert "The first 6 of these pairs follow in detail" in page
    assert "<summary>All 15 pairs by ndcg</summary>" in page
    run("limits", "test.txt", *several(files, 11), "-q", "--html", "limits.html")
    page = Path("limits.html").read_text(encoding="utf-8")
    assert "<h1>Limits of NDCG: 11 systems</h1>" in page
    assert "for the 8 best of 11 systems" in page
    assert "<h3>By ndcg</h3>" in page
    assert "<summary>All measures: 66 rows</summary>" in page


def test_limits_are_sorted_by_the_first_measure(files: ir.RankingData) -> None:
    shown = run("limits", "test.txt", *several(files, 6), "-m", "ndcg@5", "-m", "ndcg", "--format", "csv")
    rows = [row for row in csv.DictReader(io.StringIO(shown.stdout)) if row["measure"] == "ndcg@5"]
    means = [float(row["now"]) for row in rows]
    assert means == sorted(means, reverse=True)
    assert {row["system"] for row in rows} == {f"s{place}" for place in range(6)}


def test_runs_that_leave_out_judged_documents_are_counted_in_one_line(files: ir.RankingData) -> None:
    qrels = {f"q{i}": {f"d{j}": j % 3 for j in range(12)} for i in range(5)}
    ir.io.write_qrels(qrels, "qrels.txt")
    names = [f"r{place}.run" for place in range(5)]
    for place, name in enumerate(names):
        ir.io.write_run({q: {f"d{j}": float(j) for j in range(12 - place)} for q in qrels}, name)
    lists = json.loads(run("limits", "qrels.txt", *names, "-m", "ndcg", "--format", "json").stdout)["lists"]
    assert lists[1].endswith("those that a system does not retrieve come last: 5 to 20 for 4 of 5 systems")
    three = json.loads(run("limits", "qrels.txt", *names[:3], "-m", "ndcg", "--format", "json").stdout)["lists"]
    assert three[1].endswith("come last: 5 for r1 and 10 for r2")
    one = json.loads(run("limits", "qrels.txt", names[0], "-m", "ndcg", "--format", "json").stdout)["lists"]
    assert len(one) == 1


@pytest.mark.parametrize(("output_format", "mark"), [("markdown", "> "), ("latex", "% "), ("text", "")])
def test_advice_is_a_remark_in_every_format(files: ir.RankingData, output_format: str, mark: str) -> None:
    shown = run("distinguish", "test.txt", "match.txt", "noise.txt", "-m", "ndcg", "-q", "--format", output_format)
    lines = [
        line for line in shown.stdout.splitlines() if line.startswith(f"{mark}ndcg distinguishes match from noise")
    ]
    assert len(lines) == 1
    assert shown.stdout.startswith(lines[0]) == (output_format == "text")


def test_distinguish_takes_runs(files: ir.RankingData) -> None:
    qrels = {f"q{i}": {f"d{j}": j % 3 for j in range(12)} for i in range(5)}
    ir.io.write_qrels(ir.Qrels(qrels), "qrels.txt")
    good = {q: {d: float(label) for d, label in docs.items()} for q, docs in qrels.items()}
    bad = {q: {d: -score for d, score in docs.items() if d != "d11"} | {"x": 9.0} for q, docs in good.items()}
    ir.io.write_run(ir.Run(good), "good.run")
    ir.io.write_run(ir.Run({q: bad[q] for q in list(bad)[1:]}), "bad.run")
    shown = run("distinguish", "qrels.txt", "good.run", "bad.run", "-m", "ndcg", "--format", "json")
    assert shown.exit_code == 0
    found = json.loads(shown.stdout)
    (row,) = found["pairs"][0]["measures"]
    assert row["mean_a"] == 1
    assert row["mean_b"] < 0.8
    assert found["n_queries"] == 4  # bad.run does not have the first
    last = "of 48 judged documents, those that a system does not retrieve come last: 4 for bad"
    assert last in found["lists"]
    quiet = run("distinguish", "qrels.txt", "good.run", "bad.run", "-m", "ndcg", "--quiet")
    assert quiet.stderr == ""
    assert last in quiet.stdout.splitlines()


def test_limits_tell_what_each_measure_sees(files: ir.RankingData) -> None:
    measures = [
        argument for name in ("ndcg", "ndcg@10", "ndcg@20%", "ndcg(discount=zipf)") for argument in ("-m", name)
    ]
    shown = run("limits", "test.txt", "match.txt", *measures, "--format", "json")
    assert shown.exit_code == 0
    rows = {row["measure"]: row for row in json.loads(shown.stdout)["limits"]}
    assert rows["ndcg"]["limit"] == 1
    assert [row["sees"] for row in rows.values()] == ["the list", "a few ranks", "the list", "its top"]
    assert rows["ndcg@10"]["limit"] is None
    assert 0 < rows["ndcg@10"]["spread"] < 0.3
    assert rows["ndcg@20%"]["expected"] == pytest.approx(rows["ndcg@20%"]["now"], abs=0.1)
    labels, offsets = files.labels, files.offsets
    assert rows["ndcg"]["now"] == pytest.approx(float(ir.ndcg(labels, files.known_features()[:, 0], offsets).mean()))


def test_other_ways_to_estimate_the_curve(files: ir.RankingData) -> None:
    shown = run("limits", "test.txt", "match.txt", "noise.txt", "--method", "isotonic", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(shown.stdout)))
    assert len(rows) == 2 * 6
    assert {row["system"] for row in rows} == {"match", "noise"}


@pytest.mark.parametrize("command", [("limits", "match.txt"), ("distinguish", "match.txt", "noise.txt")])
@pytest.mark.parametrize("ending", ["svg", "png"])
def test_pictures_are_written(files: ir.RankingData, command: tuple[str, ...], ending: str) -> None:
    name, *systems = command
    assert run(name, "test.txt", *systems, "-m", "ndcg", "--plot", f"out.{ending}").exit_code == 0
    assert Path(f"out.{ending}").read_bytes()[:20].lstrip()[:5] in (b"<?xml", b"\x89PNG\r")


def test_mistakes_are_said_in_one_line(files: ir.RankingData) -> None:
    assert "2 systems are needed" in run("distinguish", "test.txt", "match.txt").stderr
    assert "a plot must be .svg, .png or .pdf" in run("limits", "test.txt", "match.txt", "--plot", "x.gif").stderr
    shown = run("distinguish", "test.txt", "match.txt", "noise.txt", "-m", "ap")
    assert shown.exit_code == 1
    assert shown.stderr == "idealrank: error: growing lists can be measured by DCG, NDCG and linear NDCG, not by ap\n"
    shown = run("limits", "test.txt", "match.txt", "-m", "ap")
    assert shown.stderr == "idealrank: error: this theory is about NDCG and linear NDCG, not ap\n"


@pytest.mark.slow
def test_reports_hold_the_table_the_advice_and_a_picture_of_each_measure(files: ir.RankingData) -> None:
    shown = run(
        "distinguish", "test.txt", "match.txt", "noise.txt", "-m", "ndcg", "-m", "ndcg@10", "-q", "--html", "d.html"
    )
    assert shown.exit_code == 0, shown.output
    page = Path("d.html").read_text(encoding="utf-8")
    assert shown.stdout.splitlines()[0] in page
    assert page.count("<figure>") == 4
    assert "idealrank distinguish test.txt" in re.sub("<[^>]*>", "", page)
    shown = run("limits", "test.txt", "match.txt", "noise.txt", "-m", "ndcg", "--html", "l.html")
    assert shown.exit_code == 0, shown.output
    page = Path("l.html").read_text(encoding="utf-8")
    assert page.count("<figure>") == 1
    assert "Limits of NDCG: match and noise" in page
