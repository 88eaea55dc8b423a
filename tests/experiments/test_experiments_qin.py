"""Qin, Liu and Li 2008, done again: in small, and on OHSUMED where it is at hand."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from numpy.testing import assert_allclose

import idealrank as ir
from idealrank.cli.group import commands
from idealrank.experiments import qin2008
from idealrank.experiments.qin2008 import accuracy, comparing
from idealrank.experiments.qin2008.protocol import PUBLISHED_NDCG, QUICK, Protocol
from idealrank.experiments.qin2008.runs import Run, is_graded, run
from idealrank.experiments.results import Reproduction
from idealrank.io.letor_folds import Folds
from idealrank.learners import ApproxNDCGRanker, ListNet, cross_fold
from idealrank.losses import ApproxAP, ApproxNDCG


def folds_of(data: ir.RankingData) -> Folds:
    return Folds.of(data.split([0.2] * 5, seed=0))


def small_graded() -> Folds:
    return folds_of(ir.datasets.web_search(15, 20, 5).train)


@pytest.fixture(scope="module")
def reproduced() -> Reproduction:
    topics = folds_of(ir.datasets.topic_distillation(10, 30, 5, p=0.1))
    return qin2008.reproduce({"ohsumed-small": small_graded(), "TD2003": topics}, quick=True)


def test_the_protocol_is_the_papers() -> None:
    full = Protocol()
    assert (full.epochs, full.rate) == (200, 0.01)
    rankers = full.rankers(None, graded=True)
    ranker, grid = rankers["ApproxNDCG"]
    assert grid == {"alpha": [10, 20, 50, 100, 150, 200, 250, 300]}
    assert (ranker.optimizer, ranker.max_iter, ranker.learning_rate, ranker.measure) == ("sgd", 200, 0.01, "ndcg")
    ranker, grid = rankers["ApproxAP"]
    assert grid == {"alpha": [10, 20, 50, 100], "beta": [1, 10, 20, 50, 100]}
    assert (ranker.optimizer, ranker.measure) == ("sgd", "ap")
    assert "SoftRank" not in full.rankers(None, graded=False)


def test_soft_ranks_are_those_printed_in_table_1() -> None:
    assert accuracy.of_table_1().agrees
    found = [[f"{value:.5f}" for value in row[3:]] for row in accuracy.table_1().rows]
    assert all(seen == printed for seen, printed in found)


@pytest.mark.parametrize("loss", [ApproxNDCG(alpha=20), ApproxAP(alpha=20, beta=5)])
def test_errors_are_those_of_algorithm_1_step_by_step(loss: Any) -> None:
    train = small_graded()[0].train
    queries = [slice(*cut) for cut in zip(train.offsets[:-1], train.offsets[1:], strict=True)]
    features = np.asarray(train.features, np.float64)
    theta, rng, expected = np.zeros(train.n_features), np.random.default_rng(3), []
    for epoch in range(4):
        for query in rng.permutation(len(queries)) if epoch else ():
            part = queries[query]
            theta -= 0.01 * features[part].T @ loss(train.labels[part], features[part] @ theta)[1]
        scores = features @ theta
        smooth = 1 - loss(train.labels, scores, train.offsets)[0]
        expected.append(np.abs(smooth - loss.target()(train.labels, scores, train.offsets)).mean())
    found = accuracy._rho(train, loss, Protocol(epochs=3, seed=3))
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


def test_features_that_are_scaled_already_are_taken_once() -> None:
    scaled = ir.datasets.web_search(15, 20, 5).train
    flat = 1 / (1 + np.exp(-np.asarray(scaled.features)))
    data = ir.from_arrays(scaled.labels, offsets=scaled.offsets, features=flat)
    assert [each.title for each in run("scaled", folds_of(data), QUICK)] == ["scaled"]


def test_all_tables_and_figures_come_with_their_claims(reproduced: Reproduction) -> None:
    graded = [f"ohsumed-small{scale}" for scale in ("", ", min-max")]
    titles = [
        title for each in graded for title in (f"Figures 4 and 5, NDCG: {each}", f"Against ApproxNDCG, NDCG@n: {each}")
    ]
    binary = [f"Against ApproxAP, MAP: TD2003{scale}" for scale in ("", ", min-max")]
    assert list(reproduced.numbers) == ["Table 1: soft ranks", *titles, "Tables 2 and 3, MAP", *binary]
    assert list(reproduced.figures) == [f"figure{number}" for number in range(1, 6)]
    assert [len(figure.axes) for figure in reproduced.figures.values()] == [2, 2, 2, 2, 2]
    where = [claim.where for claim in reproduced.claims]
    assert where.count("Figure 1") == where.count("Table 2") == where.count("Table 3") == 2
    assert where.count("Figure 4") == where.count("Figure 5") == 1


def test_published_numbers_stand_beside_ours(reproduced: Reproduction) -> None:
    ndcg = reproduced.numbers["Figures 4 and 5, NDCG: ohsumed-small"]
    assert ndcg.header[-2:] == ["@n", "published @n"]
    assert {row[0]: row[-1] for row in ndcg.rows if row[-1] is not None} == PUBLISHED_NDCG
    means = {row[0]: row for row in reproduced.numbers["Tables 2 and 3, MAP"].rows}
    assert means["SVMMap"][-2:] == [0.198, 0.304]
    assert means["SoftRank"][3:] == [None, None, None, None]


def test_mq2008_is_measured_as_its_own_script_does() -> None:
    folds = small_graded()
    found = cross_fold({"ListNet": ListNet(max_iter=3)}, folds, ["ndcg", "ap"], n_jobs=1)
    table = comparing._like_letor(Run("MQ2008", graded=True, scaled=False, found=found))
    ours, published = table.rows
    again = cross_fold({"ListNet": ListNet(max_iter=3)}, folds, ["ndcg@10", "ap"], like="letor4", n_jobs=1)
    assert ours[3:5] == list(again.mean["ListNet"].values())
    assert ours[-1] == found.mean["ListNet"]["ndcg"]
    assert published[:4] == ["ListNet, published", 0.3754, 0.4747, 0.2303]


def test_topics_are_drawn_where_all_collections_have_more_than_two_labels(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []

    def note_width(train: ir.RankingData, protocol: Protocol) -> dict[str, Any]:
        asked.append(train.n_features)
        return {}

    def only_ask(name: str, folds: Folds, protocol: Protocol, *, verbose: bool) -> list[Run]:
        asked.append(name)
        raise KeyboardInterrupt

    monkeypatch.setattr(qin2008, "run", only_ask)
    monkeypatch.setattr(qin2008, "errors_in_training", note_width)
    with pytest.raises(KeyboardInterrupt):
        qin2008.reproduce({"graded": small_graded()}, quick=True)
    assert asked == [5, 25, "graded"]
    assert is_graded(small_graded())


def test_quick_is_for_experiments_that_train() -> None:
    refused = CliRunner().invoke(commands, ["reproduce", "jin2013", "--quick"])
    assert refused.exit_code == 2
    assert "qin2008, ravikumar2011" in refused.stderr


def test_approx_ndcg_reaches_the_published_ndcg_on_ohsumed(real_data: Path) -> None:
    folds = ir.read_letor_folds(real_data / "ohsumed-letor1")
    descent = ApproxNDCGRanker(alpha=10, optimizer="sgd", max_iter=30, random_state=0)
    found = cross_fold({"ApproxNDCG": descent}, folds, ["ndcg"], n_jobs=1)
    assert abs(found.mean["ApproxNDCG"]["ndcg"] - PUBLISHED_NDCG["ApproxNDCG"]) < 0.01
