"""Qin, Liu and Li 2008, done again: in small, and on OHSUMED where it is at hand."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from numpy.testing import assert_allclose

import idealrank as ir
from idealrank.cli.group import commands
from idealrank.experiments import qin2008
from idealrank.experiments.qin2008 import accuracy
from idealrank.experiments.qin2008.accuracy import Errors
from idealrank.experiments.qin2008.measure_tables import claims_of, tables_of
from idealrank.experiments.qin2008.protocol import CHOICES, PUBLISHED_NDCG, QUICK, Protocol
from idealrank.experiments.qin2008.runs import TrainedCollection, run
from idealrank.experiments.reproduction import Reproduction
from idealrank.io.letor_folds import Folds
from idealrank.learners import ApproxNDCGRanker, cross_fold
from idealrank.losses import ApproxAP, ApproxNDCG


def folds_of(data: ir.RankingData) -> Folds:
    return Folds.of(data.split([0.2] * 5, seed=0))


def small_graded() -> Folds:
    return folds_of(ir.datasets.web_search(15, 20, 5).train)


@pytest.fixture(scope="module")
def reproduced() -> Reproduction:
    topics = folds_of(ir.datasets.topic_distillation(10, 30, 5, p=0.1))
    return qin2008.reproduce({"ohsumed-small": small_graded(), "TD2003": topics}, quick=True)


@pytest.fixture(scope="module")
def trained() -> TrainedCollection:
    return run("ohsumed-small", small_graded(), QUICK)


def test_the_protocol_is_the_papers() -> None:
    full = Protocol()
    assert (full.epochs, full.rate) == (200, 0.01)
    rankers = full.rankers("min-max features", graded=True)
    ranker, grid = rankers["ApproxNDCG, Algorithm 1, seed 0"]
    assert grid == {"alpha": [10, 20, 50, 100, 150, 200, 250, 300]}
    assert (ranker.optimizer, ranker.max_iter, ranker.learning_rate, ranker.measure) == ("sgd", 200, 0.01, "ndcg")
    assert ranker.normalize == "minmax"
    ranker, grid = rankers["ApproxAP, Algorithm 1, seed 0"]
    assert grid == {"alpha": [10, 20, 50, 100], "beta": [1, 10, 20, 50, 100]}
    assert (ranker.optimizer, ranker.measure) == ("sgd", "ap")
    assert rankers["SoftRank, Algorithm 1, seed 0"][1] == {"sigma": [0.03, 0.1, 1.0]}
    assert "SoftRank, Algorithm 1, seed 0" not in full.rankers("min-max features", graded=False)


def test_each_open_choice_changes_the_training_that_it_names() -> None:
    rankers = Protocol().rankers("min-max features", graded=True)
    for name in ("ApproxNDCG", "ApproxAP", "SoftRank"):
        seeds = [rankers[each][0].random_state for each in Protocol().runs(name, CHOICES.reference)]
        assert seeds == [0, 1, 2, 3, 4]
    assert rankers["ApproxNDCG, L-BFGS"][0].optimizer == "lbfgs"
    assert [rankers[f"AdaRank.NDCG, {how}"][0].repeats for how in CHOICES.values["AdaRank"]] == [True, False]
    raw = Protocol().rankers("raw features", graded=True)
    assert raw["ListNet"][0].normalize is None
    assert "ApproxNDCG, L-BFGS" not in raw  # one choice at a time
    touched = Protocol().settings("ApproxAP", "SVMMap", measure="ap")
    assert all(set(setting) == {"features", "training"} for setting in touched)


def test_soft_ranks_are_those_printed_in_table_1() -> None:
    assert accuracy.of_table_1().holds
    found = [[f"{value:.5f}" for value in row[3:]] for row in accuracy.table_1().rows]
    assert all(seen == printed for seen, printed in found)


@pytest.mark.parametrize("loss", [ApproxNDCG(alpha=20), ApproxAP(alpha=20, beta=5)])
def test_errors_are_those_of_algorithm_1_step_by_step(loss: Any) -> None:
    train = small_graded()[0].train
    queries = [slice(*cut) for cut in zip(train.offsets[:-1], train.offsets[1:], strict=True)]
    features = np.asarray(train.features, np.float64)
    expected = np.zeros((4, len(queries)))
    for seed in (3, 4):
        theta, rng = np.zeros(train.n_features), np.random.default_rng(seed)
        for epoch in range(4):
            for query in rng.permutation(len(queries)) if epoch else ():
                part = queries[query]
                theta -= 0.01 * features[part].T @ loss(train.labels[part], features[part] @ theta)[1]
            scores = features @ theta
            smooth = 1 - loss(train.labels, scores, train.offsets)[0]
            expected[epoch] += np.abs(smooth - loss.target()(train.labels, scores, train.offsets)) / 2
    as_they_are = replace(CHOICES, values={**CHOICES.values, "features": ("raw features",)})
    found = accuracy._errors(train, loss, Protocol(epochs=3, seed=3, n_seeds=2, choices=as_they_are))
    assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


def test_there_is_a_curve_for_each_setting_of_the_figures() -> None:
    errors = accuracy.errors_in_training(small_graded()[0].train, QUICK)
    assert [each.measure for each in errors.values()] == ["ap", "ap", "ndcg"]
    assert [list(each.curves) for each in errors.values()] == [
        ["alpha = 10", "alpha = 50", "alpha = 100"],
        ["beta = 1", "beta = 10", "beta = 100"],
        ["alpha = 10", "alpha = 50", "alpha = 100"],
    ]
    same = errors["figure1"].curves["alpha = 100"], errors["figure2"].curves["beta = 10"]
    assert_allclose(*same, rtol=0, atol=0)


def test_accuracy_grows_with_alpha_if_an_interval_says_so() -> None:
    rng = np.random.default_rng(0)
    less, more = rng.uniform(0.01, 0.02, (2, 50)), rng.uniform(0.03, 0.04, (2, 50))
    figures = {
        "figure1": Errors("ap", {"alpha = 10": more, "alpha = 100": less}),
        "figure2": Errors("ap", {"beta = 1": less, "beta = 10": more}),
        "figure3": Errors("ndcg", {"alpha = 10": more, "alpha = 100": less}),
    }
    claims = list(accuracy.of_errors({"TD2004": figures}, 0))
    assert [claim.verdict for claim in claims] == ["holds", "fails", "holds"]
    _, rises, falls = (claim.seen.partition("changes by ")[2] for claim in claims)
    assert (rises[0], falls[0]) == ("+", "-")
    same = {**figures, "figure3": Errors("ndcg", {"alpha = 10": less, "alpha = 100": rng.permuted(less, axis=1)})}
    assert [claim.verdict for claim in accuracy.of_errors({"TD2004": same}, 0)][2] == "undecided"


@pytest.mark.slow
def test_features_that_are_scaled_already_are_taken_once() -> None:
    scaled = ir.datasets.web_search(15, 20, 5).train
    flat = 1 / (1 + np.exp(-np.asarray(scaled.features)))
    data = ir.from_arrays(scaled.labels, offsets=scaled.offsets, features=flat)
    assert list(run("scaled", folds_of(data), QUICK).found) == ["min-max features"]


@pytest.mark.slow
def test_all_tables_and_figures_come_with_their_claims(reproduced: Reproduction) -> None:
    names = ("ohsumed-small", "TD2003")
    effects = [f"Effect of each open choice: {name}" for name in names]
    own = [
        [
            f"Reference setting with single seeds: {name}",
            *(f"Five-fold test means: {name}, {features}" for features in CHOICES.values["features"]),
        ]
        for name in names
    ]
    assert list(reproduced.numbers) == ["Table 1: soft ranks", *effects, *own[0], *own[1]]
    assert list(reproduced.figures) == [f"figure{number}" for number in range(1, 6)]
    assert [len(figure.axes) for figure in reproduced.figures.values()] == [2, 2, 2, 1, 1]
    where = [claim.where for claim in reproduced.claims]
    assert where.count("Table 2, TD2003") == 2
    assert where.count("Section 6.4, ohsumed-small") == 3 + 4
    assert not any("Table" in each for each in where if "ohsumed" in each)  # the paper has no MAP of OHSUMED
    assert not any("Section 6.4, TD2003" in each for each in where)
    assert "mean nothing" in reproduced.verdict()


@pytest.mark.slow
def test_published_numbers_stand_beside_ours(reproduced: Reproduction) -> None:
    table = reproduced.numbers["Five-fold test means: ohsumed-small, min-max features"]
    assert table.header[-1] == "published NDCG"
    published = {row[0]: row[-1] for row in table.rows if row[-1] is not None}
    assert {str(name).split(",")[0]: value for name, value in published.items()} == PUBLISHED_NDCG


def test_the_effect_of_a_choice_is_the_change_of_a_mean(reproduced: Reproduction) -> None:
    rows: dict[Any, Any] = {
        row[0]: row[1:] for row in reproduced.numbers["Effect of each open choice: ohsumed-small"].rows
    }
    means = reproduced.numbers["Five-fold test means: ohsumed-small, min-max features"]
    by_name: dict[Any, dict[str, Any]] = {row[0]: dict(zip(means.header, row, strict=True)) for row in means.rows}
    reference = by_name["ApproxNDCG, Algorithm 1"]["NDCG"]
    assert rows["reference: NDCG@n"][0] == f"{reference:.4f}"
    other = by_name["ApproxNDCG, L-BFGS"]["NDCG"]
    assert rows["L-BFGS"][0] == f"{other - reference:+z.4f}"
    assert rows["L-BFGS"][3] == rows["no repeats"][0] == ""  # neither AdaRank nor ApproxNDCG is touched
    assert list(rows)[1:] == [value for values in CHOICES.values.values() for value in values[1:]]


@pytest.mark.slow
def test_claims_about_collections_that_are_missing_are_not_testable() -> None:
    found = qin2008.reproduce({"ohsumed-small": small_graded()}, quick=True)
    missing = [claim.where for claim in found.claims if claim.verdict == "not testable"]
    assert missing == ["Table 2", "Table 2", "Table 3"]


@pytest.mark.parametrize(
    ("says", "rankers", "measure", "name"),
    [
        ("NDCG@n: ApproxNDCG is better than S", ("ApproxNDCG", "SoftRank"), "NDCG", "ohsumed-small"),
        ("MAP of ApproxAP is higher than that of AdaRank", ("ApproxAP", "AdaRank.MAP"), "MAP", "TD2003"),
    ],
)
def test_findings_are_means_and_intervals_of_their_setting(
    reproduced: Reproduction, says: str, rankers: tuple[str, str], measure: str, name: str
) -> None:
    """The numbers of a claim against those of the table, and the outcome against the interval that is printed."""
    tables: Any = {
        features: reproduced.numbers[f"Five-fold test means: {name}, {features}"]
        for features in CHOICES.values["features"]
    }
    by_name = {
        (row[0], features): dict(zip(table.header, row, strict=True))
        for features, table in tables.items()
        for row in table.rows
    }
    claim = next(each for each in reproduced.claims if each.says.startswith(says))
    assert len(claim.findings) == 4
    for finding in claim.findings:
        setting = {**CHOICES.reference, **finding.setting}
        *means, _, low, high = (float(each) for each in re.findall(r"[+-]?\d\.\d{4}", finding.seen))
        is_standard = measure == "NDCG" and setting["discount"] != "LETOR discount"
        column = f"standard {measure}" if is_standard else measure
        for name, mean in zip(rankers, means, strict=True):
            row = by_name[Protocol.name(name, setting), setting["features"]]
            assert mean == pytest.approx(row[column], abs=6e-5)
        assert finding.outcome == ("holds" if low > 0 else "fails" if high < 0 else "undecided")


def test_values_are_means_over_seeds_of_what_is_random(trained: TrainedCollection) -> None:
    own = trained.measured({})
    names = [f"ApproxAP, Algorithm 1, seed {seed}" for seed in range(2)]
    seeds = [own.evaluations[name].per_query["ndcg"] for name in names]
    assert np.abs(seeds[0] - seeds[1]).max() > 0
    assert_allclose(trained.values("ApproxAP", "ndcg", {}), np.mean(seeds, axis=0), rtol=1e-15)
    means = trained.means("ApproxAP", "ndcg", {})
    assert means == [own.fold_means("ndcg")[name].mean() for name in names]
    assert trained.mean("ApproxAP", "ndcg", {}) == pytest.approx(np.mean(means), rel=1e-15)
    alone = trained.with_seed(1)
    assert_allclose(alone.values("ApproxAP", "ndcg", {}), seeds[1], rtol=0, atol=0)
    for name, fixed in (("ApproxAP", {"training": "L-BFGS"}), ("AdaRank.NDCG", {"AdaRank": "no repeats"})):
        assert_allclose(alone.values(name, "ndcg", fixed), trained.values(name, "ndcg", fixed), rtol=0, atol=0)


def test_a_table_has_the_outcomes_with_single_seeds(trained: TrainedCollection) -> None:
    found = trained.found["min-max features"]
    labels = np.asarray(found.data.labels, np.float64)
    by_seed = {f"ApproxNDCG, Algorithm 1, seed {seed}": sign * labels for seed, sign in enumerate((-1, 1))}
    apart = replace(
        trained, found={**trained.found, "min-max features": replace(found, scores={**found.scores, **by_seed})}
    )
    table = tables_of([apart], 0)["Reference setting with single seeds: ohsumed-small"]
    assert table.header == ["claim", "mean of 2 seeds", "seed 0", "seed 1"]
    rows = {str(row[0]): row[1:] for row in table.rows}
    assert rows["NDCG@n: ApproxNDCG is better than AdaRank.NDCG"][1:] == ["fails", "holds"]
    claims = {claim.says: claim.findings[0].outcome for claim in claims_of([apart], 0)}
    assert {says: outcomes[0] for says, outcomes in rows.items()} == {says: claims[says] for says in rows}


def test_values_are_those_of_the_letor_script(trained: TrainedCollection) -> None:
    own = trained.found["min-max features"]
    expected = ir.evaluate(own.data, own.scores["ListNet"], ["ndcg"], like="letor1")
    assert_allclose(trained.values("ListNet", "ndcg", CHOICES.reference), expected.per_query["ndcg"], rtol=0, atol=0)
    plain = ir.evaluate(own.data, own.scores["ListNet"], ["ndcg"])
    other = {"discount": "discount 1/log2(1 + rank)"}
    assert_allclose(trained.values("ListNet", "ndcg", other), plain.per_query["ndcg"], rtol=0, atol=0)


def test_quick_is_for_experiments_that_train() -> None:
    refused = CliRunner().invoke(commands, ["reproduce", "jin2013", "--quick"])
    assert refused.exit_code == 2
    assert "--quick is for qin2008 and ravikumar2011" in refused.stderr


def test_approx_ndcg_reaches_the_published_ndcg_on_ohsumed(real_data: Path) -> None:
    folds = ir.io.read_letor_folds(real_data / "ohsumed-letor1")
    descent = ApproxNDCGRanker(alpha=10, optimizer="sgd", max_iter=30, random_state=0, normalize="minmax")
    found = cross_fold({"ApproxNDCG": descent}, folds, ["ndcg"], like="letor1", n_jobs=1)
    assert abs(found.mean["ApproxNDCG"]["ndcg"] - PUBLISHED_NDCG["ApproxNDCG"]) < 0.01
