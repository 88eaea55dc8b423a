"""Certificates: the order of two rankers is right at every length from N on, or at every number of queries."""

import math
from typing import Any

import numpy as np
import pytest
from theory_held_out import MODELS, growths, lists_of_pair
from theory_models import distinguish_two

from idealrank._typing import Floats
from idealrank.errors import DataError, OptionError
from idealrank.theory import StepCurve, certificate, confidence_sequence, documents_needed, gap
from idealrank.theory.distinguishing.plots import plot_sequence, plot_wins


def line(low: float, high: float) -> StepCurve:
    """A curve that rises in 200 steps."""
    return StepCurve(np.arange(201) / 200, low + (high - low) * (np.arange(200) + 0.5) / 200)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (line(0.05, 0.95), line(0.5, 0.5)),
        (line(0.26, 0.74), line(0.74, 0.26)),
        (line(0, 0.2), line(0.1, 0.1)),
        (StepCurve([0, 0.5, 1], {3: [0.05, 0.25], 1: [0.3, 0.1]}), StepCurve([0, 1], {3: [0.15], 1: [0.2]})),
    ],
)
def test_the_spread_of_the_gap_is_that_of_drawn_lists(a: StepCurve, b: StepCurve) -> None:
    # The place of a document is random, not its label alone: for steep curves that is most of the noise.
    names: list[Any] = [("log", None), ("power:0.5", None), ("log", 0.2), ("zipf", None), ("linear", None)]
    n, times = 400, 900
    drawn = lists_of_pair(a, b, names, n, times, seed=1)
    for (discount, cutoff), values in zip(names, drawn.T, strict=True):
        found = gap(discount, a, b, n, cutoff)
        # 3.5 standard errors of a standard deviation, 1 / sqrt(2 times), and second-order terms of 1/n.
        assert values.std(ddof=1) / found.sd == pytest.approx(1, abs=0.1)
        assert values.mean() == pytest.approx(found.mean, abs=4 * found.sd / math.sqrt(times) + 0.002)


@pytest.mark.parametrize("delta", [0.1, 0.25])
def test_a_certificate_is_kept_as_lists_grow(delta: float) -> None:
    # Longer lists of other kinds: theory_held_out.py --growths.
    a, b = MODELS["steep"]
    names = ["ndcg", "ndcg(discount=power:0.5)", "ndcg@50%"]
    promised = {name: certificate(name, a, b, delta=delta).n for name in names}
    one = {name: documents_needed(name, a, b, delta=delta).at_one_length for name in names}
    longest = 8 * max(n for n in promised.values() if n is not None)
    times = 400
    kept = growths(a, b, promised, longest, times, seed=2)
    for name, share in kept.items():
        assert promised[name] is not None
        assert 0.01 < share <= delta, name
    # The length that is enough for one look is not enough for all of them.
    broken = growths(a, b, one, longest, times, seed=2)
    assert min(broken.values()) > delta + 3 * math.sqrt(delta * (1 - delta) / times)


@pytest.mark.slow
@pytest.mark.parametrize("model", MODELS)
def test_a_certificate_is_kept_in_a_thousand_growths(model: str) -> None:
    # Ten thousand: theory_held_out.py --growths 10000.
    a, b = MODELS[model]
    delta, times = 0.05, 1_000
    names = ["ndcg", "ndcg(discount=power:0.5)", "ndcg@50%"]
    promised = {name: certificate(name, a, b, delta=delta).n for name in names}
    longest = 4 * max(n for n in promised.values() if n is not None)
    for name, share in growths(a, b, promised, longest, times, seed=5).items():
        assert promised[name] is not None
        assert 0.005 < share <= delta, name


def test_a_certificate_names_the_ranker_or_says_why_there_is_none() -> None:
    a, b = MODELS["flat"]
    found = certificate("ndcg", b, a, delta=0.01)
    assert found.better == "b"
    assert found.n is not None
    estimate = documents_needed("ndcg", a, b, delta=0.01).at_all_lengths
    assert estimate is not None
    assert estimate < found.n < 2 * estimate
    assert str(found) == f"from {found.n:,} documents on, B is ahead at every length, except with probability 0.01"
    assert str(certificate("ndcg@10", a, b)).startswith("no certificate: 10 ranks count, however long the list")
    assert certificate("ndcg", a, a).n is None
    short = certificate("ndcg", a, b, n_max=50)
    assert (short.n, short.reason) == (None, "more than 50 documents would be needed")
    with pytest.raises(DataError, match="delta"):
        certificate("ndcg@10", a, b, delta=0.7)
    with pytest.raises(DataError, match="noise, a factor"):
        documents_needed("ndcg", a, b, noise=0)
    with pytest.raises(OptionError, match="not known how fast"):
        certificate(lambda r: 1 / np.log(1 + np.log(1 + r)), a, b)


def looked_at_each_time(differences: Floats, delta: float) -> bool:
    """Whether an ordinary interval, normal with the seen variance, excludes 0 after some query from the tenth on."""
    counts = np.arange(1, differences.size + 1)
    means = np.cumsum(differences) / counts
    variances = np.cumsum(differences**2) / counts - means**2
    half = 1.96 * np.sqrt(np.maximum(variances, 0) / counts)
    return bool((np.abs(means) > half)[9:].any())


@pytest.mark.slow
def test_a_confidence_sequence_may_be_looked_at_after_each_query() -> None:
    # Skewed differences with the mean 0: most are small gains, a few large losses.
    rng, times, delta = np.random.default_rng(3), 300, 0.1
    drawn = rng.choice([0.1, -0.6, 0.0], p=[0.6, 0.1, 0.3], size=(times, 300))
    wrong = [confidence_sequence(each, delta=delta).certified_at is not None for each in drawn]
    assert np.mean(wrong) <= delta
    assert np.mean([looked_at_each_time(each, delta) for each in drawn]) > 0.3
    # All intervals contain a mean that is not 0, at once.
    covered = [confidence_sequence(each, delta=delta) for each in drawn + 0.2]
    assert np.mean([((each.low > 0.2) | (each.high < 0.2)).any() for each in covered]) <= delta


def test_a_confidence_sequence_finds_the_better_ranker() -> None:
    differences = np.random.default_rng(4).normal(0.05, 0.15, 2500).clip(-1, 1)
    found = confidence_sequence(differences)
    assert (found.better, found.delta) == ("a", 0.05)
    assert found.certified_at is not None
    assert 30 < found.certified_at < 400
    assert found.low[found.certified_at - 1] >= 0 > found.low[found.certified_at - 2]
    assert (np.diff(found.low) >= 0).all()
    assert (np.diff(found.high) <= 0).all()
    assert found.low[-1] < 0.05 < found.high[-1]
    assert found.high[-1] - found.low[-1] < 0.05
    other = confidence_sequence(-differences)
    assert (other.better, other.certified_at) == ("b", found.certified_at)
    assert confidence_sequence([0.5]).certified_at is None
    assert "the order is open" in str(confidence_sequence([0.5]))
    assert list(found.table().header) == ["queries", "mean", "low", "high"]
    for bad, options in (([], {}), ([1.5], {}), ([math.nan], {}), ([[0.1]], {}), ([0.1], {"delta": 1.0})):
        with pytest.raises(DataError):
            confidence_sequence(bad, **options)


def test_distinguish_certifies_and_draws_it() -> None:
    rng = np.random.default_rng(5)
    s, noise = rng.random((2, 120 * 60))
    labels = (rng.random(s.size) < 0.1 + 0.8 * s).astype(float)
    found = distinguish_two(labels, s, noise, ["ndcg", "ndcg@10", "dcg"], offsets=np.arange(0, s.size + 1, 60))
    row = found["ndcg"]
    sequence = found.sequence("ndcg")
    assert row.certified_at == sequence.certified_at
    assert row.certified_at is not None
    assert found["dcg"].certified_at is None
    with pytest.raises(DataError, match="from -1 to 1"):
        found.sequence("dcg")
    assert found.table().by_column()["certified"][0] in (row.certified_at, found["ndcg@10"].certified_at)
    assert found.certificates["ndcg@10"].n is None
    certain = found.certificates["ndcg"].n
    curve_a, curve_b = found.curves["ndcg"]
    assert certain == certificate("ndcg", curve_a, curve_b).n
    assert certain is not None
    assert f"on a list of {certain:,} documents or more with these curves, A is ahead at every length" in " ".join(
        found.page().reasons["ndcg: consistently"]
    )
    axes: Any = plot_wins(found)
    assert certain in [line.get_xdata()[0] for line in axes.get_lines() if line.get_marker() == "v"]
    drawn: Any = plot_sequence(found, "ndcg")
    assert any(line.get_xdata()[0] == row.certified_at for line in drawn.get_lines() if line.get_linestyle() == "--")
    shown, folded = found.details().parts
    assert [figure.name for figure in shown.parts[0].figures] == ["wins"]
    assert folded.figures[0].name == "difference_by_queries"
