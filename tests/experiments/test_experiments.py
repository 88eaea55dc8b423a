"""The papers' experiments, in small."""

import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import idealrank as ir
from idealrank._present.table import Column, Table
from idealrank.cli.group import commands
from idealrank.errors import DataError, OptionError
from idealrank.experiments import jin2013, reproduce, wang2013
from idealrank.experiments.claims import Choices, Claim, Finding, difference
from idealrank.experiments.reproduction import Reproduction

_DISTINGUISHES = "log: yet the measure distinguishes them well"


@pytest.fixture(scope="module")
def small() -> ir.RankingData:
    return ir.datasets.web_search(20, 100, 16).train


def test_wang2013_finds_what_the_paper_says_of_long_lists() -> None:
    train, test = (wang2013._on_one_scale(part) for part in ir.datasets.web_search(8, 1500, 16))
    growth = wang2013.grow(train, test)
    assert growth.values.shape == (3, 4, 8, 1500)
    claims = {claim.says: claim for claim in wang2013._claims([(wang2013.choices().reference, growth)], 0)}
    limits = [f"{name}: they converge to different limits (trained and random)" for name in ("r^-1/2", "log, k = n/5")]
    for says in limits:
        assert claims[says].holds
    outcomes = {each.setting["criterion"]: each.outcome for each in claims[_DISTINGUISHES].findings}
    assert [outcomes[f"{kind}, only from random"] for kind in ("single lists", "means")] == ["holds", "holds"]
    assert claims["log: the three are very close"].verdict == "fails"  # 0.9 is not close to 0.7
    opposite = {"holds": "fails", "fails": "holds"}
    denied = claims["2^-r: the measure cannot distinguish the three very well"].findings
    told = [wang2013._distinguishes(growth, 2, each.setting["criterion"], 0)[0] for each in denied]
    assert [each.outcome for each in denied] == [opposite.get(outcome, outcome) for outcome in told]
    assert "holds" in told
    random = np.random.default_rng(0).uniform(-1, 1, test.n_docs)
    for m, name in enumerate(wang2013.MEASURES.values()):
        whole = ir.measure(name)(test.labels, random, test.offsets)
        assert growth.mean(2, m)[-1] == pytest.approx(float(whole.mean()))


def test_a_random_ranker_is_very_close_under_log_where_most_documents_are_relevant() -> None:
    data = ir.datasets.topic_distillation(24, 1500, 16, p=0.8, seed=0)
    train, test = (wang2013._on_one_scale(part) for part in data.split([0.5, 0.5], seed=0))
    growth = wang2013.grow(train, test)
    claims = {claim.says: claim for claim in wang2013._claims([(wang2013.choices().reference, growth)], 0)}
    assert claims["log: the three are very close"].verdict == "holds"
    assert claims[_DISTINGUISHES].findings[1].outcome == "holds"  # trained from random
    random = claims["2^-r: random has a similar NDCG"]
    first, second, last = (growth.values[ranker, 2, :, -1] for ranker in range(3))
    share = np.mean(np.minimum(first, second) - last < 0.05)
    assert f"on {share:.0%} of single lists" in random.seen


def made_up(*rankers: list[list[float]]) -> wang2013.Growth:
    """Lists of five documents with these values under each measure."""
    values = np.repeat(np.array(rankers)[:, np.newaxis], len(wang2013.MEASURES), axis=1)
    return wang2013.Growth(np.arange(1, 6), values, ((), (), ()))


@pytest.mark.parametrize(
    ("second", "on_lists", "by_means"),
    [
        ([[0.5] * 5] * 8, "holds", "holds"),
        ([[0.8] * 5] * 8, "fails", "undecided"),  # ties
        ([[0.9, 0.5, 0.9, 0.5, 0.5]] * 8, "fails", "fails"),  # the lead changes on all lists, and that of means too
        ([[0.7] * 5] * 5 + [[0.7, 0.7, 0.81, 0.7, 0.7]] * 3, "undecided", "holds"),
        ([[0.9] * 5] * 4 + [[0.7] * 5] * 4, "undecided", "undecided"),
    ],
)
def test_what_tells_rankers_apart_depends_on_the_criterion(
    second: list[list[float]], on_lists: str, by_means: str
) -> None:
    growth = made_up([[0.8] * 5] * 8, second, [[0.1] * 5] * 8)
    found = [wang2013._distinguishes(growth, 0, criterion, 0)[0] for criterion in wang2013._CRITERIA]
    assert found == [on_lists, "holds", by_means, "holds"]


def test_limits_are_means_of_the_limits_of_queries() -> None:
    train, test = (wang2013._on_one_scale(part) for part in ir.datasets.web_search(4, 300, 8))
    growth, root = wang2013.grow(train, test), 1
    random = np.random.default_rng(0).uniform(-1, 1, test.n_docs)
    name = wang2013.MEASURES["r^-1/2"]
    curves = [
        ir.theory.StepCurve.fit(test.labels[a:b], random[a:b], method="top")
        for a, b in zip(test.offsets[:-1], test.offsets[1:], strict=True)
    ]
    assert growth.limit(2, root) == pytest.approx(np.mean([ir.theory.limit(name, curve) for curve in curves]))


def test_wang2013_figures_say_what_the_discount_tells_apart() -> None:
    train, test = (wang2013._on_one_scale(part) for part in ir.datasets.web_search(4, 300, 8))
    growth = wang2013.grow(train, test)
    (axes,) = wang2013._figure(growth, 1).axes[:1]
    assert axes.get_title() == "D = log:\nseparates RankSVM from random consistently"


@pytest.fixture
def short_lists(monkeypatch: pytest.MonkeyPatch) -> None:
    """The generated data in small."""
    generated = {"web_search": ir.datasets.web_search(6, 60, 8), "topic_distillation": None}
    monkeypatch.setattr("idealrank.experiments.wang2013.datasets.web_search", lambda seed: generated["web_search"])
    topics = ir.datasets.topic_distillation(12, 60, 8, p=0.2)
    monkeypatch.setattr("idealrank.experiments.wang2013.datasets.topic_distillation", lambda *sizes, p, seed: topics)


@pytest.mark.slow
@pytest.mark.usefixtures("short_lists")
def test_wang2013_joins_short_queries_to_several_lists(small: ir.RankingData) -> None:
    found = wang2013.reproduce({"first": small, "second": small.subset(range(10))})
    assert [claim.where for claim in found.claims] == [f"Figure {number}" for number in (1, 1, 1, 2, 3, 3, 3, 4)]
    settings = wang2013.choices(["first", "second"]).settings()
    assert len(settings) == 1 + 5 + 4 + 1 + 2  # data, five seeds, two forms of RankSVM, three ways to train
    n_criteria = 4  # what "distinguish" means, tried on the reference
    counts = [len(claim.findings) - len(settings) for claim in found.claims]
    assert counts == [0, 0, n_criteria - 1, 0, 0, n_criteria - 1, 0, 0]
    assert not any("nan" in finding.seen for claim in found.claims for finding in claim.findings)
    assert found.notes[0].startswith("first: 10 lists of 200 documents (documents of one half")
    assert "simulated topics: 6 lists of 60 documents (generated" in found.notes[0]
    assert list(found.figures) == [f"figure{number}" for number in range(1, 5)]
    first = found.figures["figure1"].axes[0]
    assert len(first.child_axes) == 1  # the enlarged part
    assert "n = 100" in found.claims[1].seen  # the lists of the second one are shorter
    assert "n = 200" in found.claims[1].findings[1].seen
    assert found.figures["figure2"].axes[0].get_legend_handles_labels()[1] == list(wang2013.RANKERS)


def test_lists_are_made_of_queries_that_no_ranker_was_trained_on(small: ir.RankingData) -> None:
    """Each document is in one list or in the training part; its features are standardized within its own query."""
    for train, test in wang2013._joined(small, seed=3):
        assert (train.n_queries, train.n_docs) == (10, 1000)
        assert np.diff(test.offsets).tolist() == [200] * 5
        rows = [row.tobytes() for part in (train, test) for row in np.asarray(part.known_features())]
        assert len(set(rows)) == len(rows) == 2000
    whole = {row.tobytes() for row in np.asarray(wang2013._on_one_scale(small).known_features())}
    assert set(rows) <= whole


def test_weakened_rankers_have_one_query_or_features_that_say_nothing_about_the_best(small: ir.RankingData) -> None:
    whole = wang2013._on_one_scale(small)
    one, rest = wang2013._weakened(whole, whole, "trained on one query")
    assert (one.n_queries, rest.n_queries) == (1, small.n_queries)
    for part in wang2013._weakened(whole, whole, "features cut at 0"):
        np.testing.assert_array_equal(part.known_features(), np.minimum(whole.known_features(), 0))


def test_wang2013_needs_features_queries_and_documents() -> None:
    with pytest.raises(DataError, match="data: the experiment trains rankers: it needs features, and at least four"):
        wang2013.reproduce(ir.from_arrays([1, 0], offsets=[0, 2]))
    with pytest.raises(DataError, match="tiny: 5 long lists need at least 200 documents, got 80"):
        wang2013.reproduce({"tiny": ir.datasets.web_search(8, 10, 2).train})


def test_features_are_brought_to_one_scale_within_each_query(small: ir.RankingData) -> None:
    scaled = wang2013._on_one_scale(small)
    first = np.asarray(scaled.features)[:100]
    np.testing.assert_allclose(first.mean(axis=0), 0, rtol=0, atol=1e-5)
    np.testing.assert_allclose(first.std(axis=0), 1, rtol=1e-5, atol=0)


def test_jin2013_holds_everywhere(small: ir.RankingData) -> None:
    for data in (None, small):
        found = jin2013.reproduce(data, seed=3)
        assert all(claim.holds for claim in found.claims)
        assert [claim.is_extension for claim in found.claims] == [number in (3, 4, 6) for number in range(1, 10)]
    drawn = found.figures["figure1"].axes[0]
    assert [text.get_text() for text in drawn.get_yticklabels()] == [
        "ideal", "i = 1, j = 1: + 5 + 0", "i = 3, j = 2: + 4 + 0", "i = 4, j = 4: + 4 + 1"
    ]  # fmt: skip


@pytest.mark.parametrize("command", [("reproduce", "jin2013"), ("demo",)])
def test_a_page_that_cannot_be_written_is_known_before_the_work(command: tuple[str, ...], tmp_path: Path) -> None:
    shown = CliRunner().invoke(commands, [*command, "--html", str(tmp_path / "none" / "page.html")])
    assert (shown.exit_code, shown.stdout) == (1, "")
    assert "there is no folder" in shown.stderr


def test_reproduce_prints_claims_and_writes_figures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, small: ir.RankingData
) -> None:
    monkeypatch.chdir(tmp_path)
    ir.io.write_letor(small, "data.txt")
    shown = CliRunner().invoke(
        commands, ["reproduce", "jin2013", "--data", "data.txt", "--figures", "out", "--format", "json"]
    )
    assert shown.exit_code == 0
    assert {row["verdict"] for row in json.loads(shown.stdout)["claims"]} == {"holds", "extension: holds"}
    assert sorted(path.name for path in Path("out").iterdir()) == [f"jin2013-figure{i}.svg" for i in (1, 2, 3)]
    assert CliRunner().invoke(commands, ["reproduce", "nobody1999"]).exit_code == 2
    twice = CliRunner().invoke(commands, ["reproduce", "jin2013", "--data", "data.txt", "--data", "data.txt"])
    assert (twice.exit_code, "jin2013 reads one file" in twice.stderr) == (2, True)


@pytest.fixture
def with_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """jin2013 with a table and a note, as experiments that train rankers have them."""
    numbers = Table([Column("ranker"), Column("NDCG", ".3f")], [["ours", 0.67]])
    found = replace(jin2013.reproduce(), numbers={"Table 2": numbers}, notes=("theta_0 is 0",))
    monkeypatch.setattr(jin2013, "reproduce", lambda data, seed: found)


@pytest.mark.parametrize(
    ("output_format", "numbers"),
    [
        ("text", "\n\nTable 2\nranker   NDCG\nours    0.670\n\ntheta_0 is 0\n"),
        (
            "markdown",
            "\n\n### Table 2\n\n| ranker |  NDCG |\n|:-------|------:|\n| ours   | 0.670 |\n\n> All 6 claims hold. "
            "All 3 extensions hold.\n>\n> theta_0 is 0\n",
        ),
        ("csv", "\n\nranker,NDCG\nours,0.67\n"),
    ],
)
@pytest.mark.usefixtures("with_numbers")
def test_reproduce_prints_tables_under_their_titles(output_format: str, numbers: str) -> None:
    shown = CliRunner().invoke(commands, ["reproduce", "jin2013", "--format", output_format])
    assert shown.stdout.endswith(numbers)


def test_every_format_says_how_many_claims_hold(with_numbers: None) -> None:
    for output_format, mark in (("text", ""), ("markdown", "> "), ("latex", "% ")):
        shown = CliRunner().invoke(commands, ["reproduce", "jin2013", "--format", output_format])
        assert f"{mark}{jin2013.reproduce(None, seed=0).verdict()}\n" in shown.stdout
    shown = CliRunner().invoke(commands, ["reproduce", "jin2013", "--format", "csv"])
    assert "All 6 claims hold. All 3 extensions hold." in shown.stderr


@pytest.mark.usefixtures("with_numbers")
def test_reproduce_writes_one_page_with_figures_tables_and_notes(tmp_path: Path) -> None:
    shown = CliRunner().invoke(commands, ["reproduce", "jin2013", "--html", str(tmp_path / "page.html")])
    assert shown.exit_code == 0, shown.output
    page = (tmp_path / "page.html").read_text()
    assert page.count("<figure") == 3
    for part in (">theta_0 is 0</p>", ">Claims</h2>", ">Table 2</h2>", "0.670"):
        assert part in page
    assert "idealrank reproduce jin2013" in re.sub("<[^>]*>", "", page)


@pytest.fixture(scope="module")
def ravikumar(tmp_path_factory: pytest.TempPathFactory) -> Any:
    from idealrank.experiments import ravikumar2011
    from idealrank.experiments.collections import collections_in

    folder = tmp_path_factory.mktemp("letor")
    for number, part in enumerate(ir.datasets.web_search(20, 20, 6).train.split([0.2] * 5, seed=0), start=1):
        (folder / "mq2008").mkdir(exist_ok=True)
        ir.io.write_letor(part, folder / "mq2008" / f"S{number}.txt")
    return ravikumar2011.reproduce(collections_in(folder), quick=True)


@pytest.mark.slow
def test_consistent_versions_are_compared_on_collections_of_a_folder(ravikumar: Any) -> None:
    from idealrank.experiments import ravikumar2011

    table_1, means = (table.rows for table in ravikumar.numbers.values())
    settings = ravikumar2011.CHOICES.settings()
    assert [row[0] for row in table_1] == ["mq2008"] * len(settings)
    row: Any
    for row in table_1[: len(settings)]:
        _, _, better, same, worse, _, paper = row
        assert better + same + worse == 9
        assert paper == "0/4/5 better/same/worse, -2.02%"
    assert [row[0] for row in means][3:5] == ["Cross-entropy Z", "Cosine"]
    # All versions in the reference and with another discount, those that are compared if trained otherwise.
    by_setting = Counter(row[1] for row in means)
    changed = {value for each in settings[1:] for value in each.values()} - {*ravikumar2011.CHOICES.reference.values()}
    assert by_setting == {"reference": 15, "LETOR discount": 15} | dict.fromkeys(changed - {"LETOR discount"}, 9)
    values: list[Any] = [value for row in means for value in row[2:]]
    assert all(0 <= value < 1 for value in values)
    assert len(set(values)) > 10
    assert [claim.holds for claim in ravikumar.claims[:2]] == [True, True]
    assert [claim.where for claim in ravikumar.claims[2:4]] == ["Abstract", "Abstract"]
    conceded = [claim.where for claim in ravikumar.claims if claim.is_concession]
    assert conceded == ["Table 1, MQ2008", "Table 1, all"]
    assert [claim.where for claim in ravikumar.claims if claim.verdict == "not testable"] == [
        "Table 1, OHSUMED, HP2003, NP2003, TD2003 and TD2004"
    ]
    assert {"figure3", "figure4", "figure1-5-mq2008-Cosine", "figure2-6"} <= set(ravikumar.figures)


@pytest.mark.slow
def test_the_new_loss_is_compared_to_versions_with_its_own_normalizer(ravikumar: Any) -> None:
    means = {(row[0], row[1]): row[2] for row in ravikumar.numbers["NDCG@10, five-fold test means"].rows}
    further = next(each for each in ravikumar.claims if "improves further" in each.says)
    named = {"normalizer Z": " Z", "normalizer Z₁₀": " Z₁₀", "normalizer Z₁": " Z₁"}
    assert {each.setting["normalizer"] for each in further.findings} == set(named)
    for each in further.findings:
        version = named[each.setting["normalizer"]]
        told = re.findall(r"against (.+?) ([+-][\d.]+) \(([+-][\d.]+) to", each.seen)
        assert [rival for rival, *_ in told] == [f"Cosine{version}", f"Cross-entropy{version}"]
        changed = further.change(each)
        row = changed if ("Cosine", changed) in means else "reference"
        for rival, *numbers in told:
            lead, low = map(float, numbers)
            assert lead == pytest.approx(means[f"q-norm{version}", row] - means[rival, row], abs=2e-4)
            assert low > 0 or each.outcome != "holds"


@pytest.mark.slow
def test_a_change_is_that_of_the_means_and_its_sign_is_judged_by_an_interval(ravikumar: Any) -> None:
    claim = next(each for each in ravikumar.claims if each.where == "Table 1, MQ2008")
    for finding, row in zip(claim.findings, ravikumar.numbers[next(iter(ravikumar.numbers))].rows, strict=False):
        change, low, high = (float(each) for each in re.findall(r"([+-][\d.]+)%", finding.seen))
        assert change == pytest.approx(row[5], abs=0.006)
        assert low <= change <= high
        assert finding.outcome == ("holds" if high < 0 else "fails" if low > 0 else "undecided")


@pytest.mark.filterwarnings("ignore:.*did not converge")
def test_without_an_intercept_a_score_of_zero_features_is_zero() -> None:
    from idealrank.experiments import ravikumar2011

    data = ir.datasets.web_search(5, 20, 4).train
    for optimizer in ("gd", "lbfgs", "sgd"):
        models = [
            make("least_squares(normalizer=dcg)", optimizer=optimizer, max_iter=20, normalize="minmax").fit(data)
            for make in ravikumar2011._RANKERS.values()
        ]
        assert models[0].intercept_ != 0
        assert models[1].intercept_ == 0
        assert np.abs(models[1].coef_ - models[0].coef_).max() > 1e-3


def test_a_quick_run_begins_with_a_warning_that_stands_once(ravikumar: Any) -> None:
    assert "mean nothing" in ravikumar.verdict()
    assert "mean nothing" in ravikumar.page().findings[0]
    assert not any("nothing" in title for title in ravikumar.tables())
    head, content = ir.report.html(ravikumar, title="quick").split("</header>")
    assert head.count("mean nothing") == 1
    assert "mean nothing" not in content


def test_settings_change_one_choice_at_a_time() -> None:
    axes = Choices({"features": ("a", "b", "c"), "seed": ("0", "1")})
    settings = axes.settings()
    assert len(settings) == 1 + 2 + 1
    assert all(sum(setting[axis] != axes.reference[axis] for axis in setting) == 1 for setting in settings[1:])
    assert axes.only("seed").settings() == [{"seed": "0"}, {"seed": "1"}]


def test_a_verdict_needs_an_interval() -> None:
    """0.001 more on average is no evidence if queries differ by 0.1; with ten thousand of them it is."""
    noise = np.random.default_rng(0).normal(0, 0.1, 100)
    noise -= noise.mean()
    few, many = difference(noise + 0.001), difference(np.tile(noise, 1000) + 0.001)
    assert (few.above(), many.above()) == ("undecided", "holds")
    assert (few.close(0.01), many.close(0.01), many.close(0.0003)) == ("undecided", "holds", "fails")
    assert (many.below(), many.below(0.01)) == ("fails", "holds")
    assert difference(np.array([0.5])).above() == "undecided"


def test_a_verdict_names_the_choices_that_change_it() -> None:
    def found(outcome: str, **setting: str) -> Finding:
        return Finding(outcome, "", {"features": "scaled", "seed": "0", **setting})

    findings = (found("holds"), found("fails", features="raw"), found("fails", seed="1"), found("undecided", seed="2"))
    claim = Claim("Table 1", "a > b", findings)
    assert (claim.verdict, claim.share) == ("holds; fails with raw or 1; undecided with 2", "1 of 4")
    assert not claim.holds
    rows = Reproduction((claim,), {}).table("Claims in other settings").rows
    assert [row[:3] for row in rows] == [[1, "raw", "fails"], [1, "1", "fails"], [1, "2", "undecided"]]


def test_the_means_of_figures_3_and_4_are_those_of_the_specification() -> None:
    from idealrank.experiments import ravikumar2011

    seen = [claim.seen for claim in ravikumar2011._of_geometry()]
    assert seen == ["(0.5243, 0.5432), (0.6004, 0.5759)", "(0.5481, 0.5220), (0.4815, 0.5185)"]


def test_a_concession_is_no_claim_that_holds() -> None:
    conceded = Claim("Table 1", "worse", (Finding("holds", "-2%"),), is_concession=True)
    missing = Claim.untestable("Table 2", "better", "needs TD2003")
    found = Reproduction((conceded, missing, Claim.exact("Figure 1", "all meet", "0.01", True)), {})
    assert found.verdict() == "Of 2 claims, 1 holds and 1 is not testable."
    assert [row[1] for row in found.table("Claims").rows] == ["concession: holds", "not testable", "holds"]


def test_an_extension_is_counted_apart() -> None:
    own = Claim.exact("Theorem 1", "equal", "equal", True)
    further = Claim.exact("not in the paper", "with ties", "equal", True, is_extension=True)
    assert Reproduction((own, further), {}).verdict() == "Of 1 claim, 1 holds. Of 1 extension, 1 holds."


def test_nothing_is_drawn_before_a_figure_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(jin2013, "_drawing", refuse)
    found = jin2013.reproduce()
    assert list(found.figures) == ["figure1", "figure2", "figure3"]
    assert found.to_text()
    with pytest.raises(KeyboardInterrupt):
        _ = found.figures["figure1"]


def test_a_folder_without_collections_is_refused(tmp_path: Path) -> None:
    from idealrank.experiments.collections import collections_in

    with pytest.raises(DataError, match="no LETOR collection"):
        collections_in(tmp_path)
    with pytest.raises(DataError, match="not a folder"):
        collections_in(tmp_path / "nothing")


def test_one_function_reproduces_every_paper(tmp_path: Path) -> None:
    found = reproduce("jin2013", seed=1)
    assert found.verdict() == jin2013.reproduce(seed=1).verdict()
    assert found.page().title == "jin2013: linear NDCG and misordered pairs"
    ir.io.write_letor(ir.datasets.web_search(2, 50, 1).test, tmp_path / "test.txt")
    assert "2 queries, 100 documents" in reproduce("jin2013", tmp_path / "test.txt").to_text()
    with pytest.raises(OptionError, match="there is no experiment 'wang2012'; did you mean 'wang2013'"):
        reproduce("wang2012")
    with pytest.raises(OptionError, match="quick is for qin2008 and ravikumar2011"):
        reproduce("jin2013", quick=True)
    with pytest.raises(OptionError, match="jin2013 reads one file, got 2"):
        reproduce("jin2013", ["a.txt", "b.txt"])
