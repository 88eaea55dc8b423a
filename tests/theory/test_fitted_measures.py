"""Gains and discounts that are estimated from outcomes."""

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import idealrank as ir
from idealrank.errors import DataError, OptionError
from idealrank.theory import fit_measure, fitted_measures

RANKS = np.arange(1, 11)
SHAPES: dict[str, np.ndarray] = {
    "decreasing": 1 / np.log2(1 + RANKS),
    "unimodal": np.array([0.3, 0.6, 1.0, 0.8, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1]),
    "free": np.array([1.0, 0.6, 0.4, 0.3, 0.2, 0.2, 0.3, 0.4, 0.6, 0.9]),
}
GAINS = np.array([-0.3, 0.0, 0.4])  # a distractor, an irrelevant and a relevant document


def answers(rng: np.random.Generator, n: int, shape: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Labels -1, 0 and 1, answers that are correct or not, and the planted discount."""
    discount = SHAPES[shape] / SHAPES[shape].sum()
    labels = rng.choice([-1.0, 0.0, 1.0], size=(n, 10), p=[0.3, 0.4, 0.3])
    chance = 0.4 + GAINS[labels.astype(int) + 1] @ discount
    return labels, (rng.random(n) < chance).astype(float), discount


@pytest.mark.parametrize("shape", SHAPES)
def test_planted_curves_are_found_where_nothing_is_chance(shape: str) -> None:
    rng = np.random.default_rng(0)
    labels, _, discount = answers(rng, 300, shape)
    outcomes = 0.2 + GAINS[labels.astype(int) + 1] @ discount
    found = fit_measure(labels, outcomes, shape=shape)
    assert_allclose(found.discount, discount, rtol=0, atol=1e-5)
    assert_allclose(found.gains, [-0.3, 0.4], rtol=0, atol=1e-5)
    assert_allclose([found.intercept, found.explained], [0.2, 1.0], rtol=0, atol=1e-5)
    assert_allclose(found.predict(labels), outcomes, rtol=0, atol=1e-5)
    assert found.labels.tolist() == [-1, 1]


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
def test_bands_contain_the_planted_curves(shape: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """All weights at once, in at least 93% of 500 draws."""
    monkeypatch.setattr(fitted_measures, "_held_out", lambda *data: (0.0, {}))
    rng, inside = np.random.default_rng(1), []
    for _ in range(500):
        labels, correct, discount = answers(rng, 1000, shape)
        found = fit_measure(labels, correct, shape=shape)
        low = np.concatenate([found.gains_low, found.discount_low])
        high = np.concatenate([found.gains_high, found.discount_high])
        truth = np.concatenate([[-0.3, 0.4], discount])
        inside.append(bool(((low <= truth) & (truth <= high)).all()))
    assert np.mean(inside) >= 0.93


def test_a_reader_of_another_kind_is_predicted_better_than_by_ndcg() -> None:
    """Not the model of the fit: a reader who sees one document, and whom a distractor misleads."""
    rng = np.random.default_rng(2)
    labels = rng.choice([-1.0, 0.0, 1.0], size=(1500, 10), p=[0.3, 0.4, 0.3])
    seen = rng.random((1500, 10)) < SHAPES["free"]  # the first and the last ones most
    helps, misleads = ((seen & (labels == label)).sum(axis=1) for label in (1, -1))
    correct = rng.random(1500) < 1 / (1 + np.exp(0.5 - 1.5 * (helps > 0) + 1.0 * misleads))
    found = fit_measure(labels, correct, shape="free")
    assert found.peers["ndcg@10"].low > 0
    assert found.gains[0] < 0 < found.gains[1]
    (said,) = found.page().findings
    assert said.startswith("The fitted measure predicts held-out outcomes better than ndcg@10")
    assert found.explained - found.peers["ndcg@10"].explained == pytest.approx(found.peers["ndcg@10"].lead)


def test_the_fitted_measure_is_a_measure_by_object_and_by_name() -> None:
    rng = np.random.default_rng(5)
    labels, correct, _ = answers(rng, 400, "free")
    found = fit_measure(labels, correct, shape="free")
    offsets, scores = np.arange(401) * 10, -np.arange(labels.size)
    for named in (found.measure(), ir.measure(str(found.measure()))):
        values = named(labels.ravel(), scores, offsets)
        assert_allclose(values, found.predict(labels) - found.intercept, rtol=0, atol=1e-12)
    best = found.measure("ndcg")(labels.ravel(), scores, offsets)
    assert best.max() <= 1
    assert best.min() < 0  # distractors
    with pytest.raises(OptionError, match="a fitted measure is dcg or ndcg, got 'ap'"):
        found.measure("ap")


def test_nothing_is_said_where_labels_do_not_matter() -> None:
    rng = np.random.default_rng(3)
    found = fit_measure(rng.integers(0, 2, (200, 5)), rng.normal(size=200))
    assert found.page().findings == ()
    assert found.explained < 0.05
    assert found.discount_high[0] == np.inf  # no gain, no discount
    assert (found.gains_low < 0).all()
    assert (found.gains_high > 0).all()


def test_ranks_come_from_scores_and_bands_of_decreasing_curves_decrease() -> None:
    rng = np.random.default_rng(4)
    labels, correct, _ = answers(rng, 500, "decreasing")
    order = rng.permuted(np.tile(np.arange(10), (500, 1)), axis=1)
    shuffled = np.take_along_axis(labels, order, axis=1)
    offsets = np.arange(501) * 10
    data = ir.from_arrays(shuffled.ravel() + 1, offsets=offsets, scores=-order.ravel().astype(float))
    found, plain = (fit_measure(lists, correct, zero=1) for lists in (data, labels + 1))
    assert_allclose(found.discount, plain.discount, rtol=0, atol=0)
    for band in (found.discount, found.discount_low, found.discount_high):
        assert (np.diff(band) <= 1e-12).all()
    assert list(found.tables()) == ["gains", "discount", "held-out outcomes"]


@pytest.mark.parametrize(
    ("lists", "outcomes", "options", "message"),
    [
        ([[1, 0]] * 40, [1] * 39, {}, "one finite outcome per list: 40 lists, outcomes of shape"),
        ([[1, 0]] * 40, [np.nan] * 40, {}, "one finite outcome per list"),
        ([[1, 0], [0, 1]] * 4, [1] * 8, {}, "1 labels at 2 ranks need at least 9 lists, got 8"),
        ([[1, 0]] * 40, [1] * 40, {}, "all documents at rank 2 have the label 0; use depth=1"),
    ],
)
def test_lists_that_cannot_be_fitted_are_refused(lists: Any, outcomes: Any, options: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        fit_measure(lists, outcomes, **options)


def test_options_are_checked() -> None:
    with pytest.raises(OptionError, match="shape must be one of decreasing, unimodal, free, got 'flat'"):
        fit_measure([[1, 0]] * 40, [1] * 40, shape="flat")
    with pytest.raises(DataError, match="the lists have no scores"):
        fit_measure(ir.from_arrays([1, 0], offsets=[0, 2]), [1])
