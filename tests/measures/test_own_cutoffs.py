"""A user's own cutoff can be used wherever those of the package can."""

import dataclasses
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from every_loss import LABELS, OFFSETS, SCORES
from numpy.testing import assert_array_equal

import idealrank as ir
from idealrank import cutoffs, discounts, losses, measures, theory
from idealrank.errors import OptionError
from idealrank.losses.loss_names import LOSSES
from idealrank.measures.cutoffs import CUTOFFS
from idealrank.measures.diversity import Diversity
from idealrank.measures.measure_names import MEASURES
from idealrank.theory.long_lists.limits import theorem_of
from idealrank.theory.long_lists.measure_discount import Weighting
from idealrank.theory.long_lists.needed import decay_of


@dataclasses.dataclass(frozen=True)
class Share(cutoffs.Cutoff):
    """The same ranks as `cutoffs.Fraction`, which also serves as the oracle; not rounded, as users write it."""

    share: float

    def at(self, n: npt.ArrayLike) -> Any:
        return np.maximum(self.share * np.asarray(n), 1)


@dataclasses.dataclass(frozen=True)
class Half(cutoffs.Cutoff):
    """A cutoff without numbers."""

    def at(self, n: npt.ArrayLike) -> Any:
        return np.maximum(np.asarray(n) // 2, 1)


@pytest.fixture(autouse=True)
def _registered(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(CUTOFFS, "_by_name", dict(CUTOFFS._by_name))
    cutoffs.register("share")(Share)
    cutoffs.register("half")(Half)
    yield
    for registry in (CUTOFFS, MEASURES, LOSSES):
        registry._parsed.clear()  # texts with these names


def _takes_cutoff(cls: type[measures.Measure]) -> bool:
    if issubclass(cls, Diversity):
        return False
    try:
        _ = cls() @ 10
    except (OptionError, TypeError):
        return False
    return True


CUT = [name for name, cls in MEASURES.members().items() if _takes_cutoff(cls)]


def test_many_measures_take_a_cutoff() -> None:
    assert {"ndcg", "dcg", "p", "ap", "rr", "err", "recall", "unj", "ndcg_p_value"} <= {*CUT}


@pytest.mark.parametrize("name", CUT)
def test_every_measure_takes_it(name: str) -> None:
    ties = "(ties=stable)" if "average" in MEASURES.find(name).refused_ties else ""
    own, given = (measures.measure(f"{name}{ties}@{cutoff}") for cutoff in ("share:0.5", "50%"))
    assert_array_equal(own(LABELS, SCORES, OFFSETS), given(LABELS, SCORES, OFFSETS))


@pytest.mark.parametrize("ideal_cut", ["cutoff", "shorter", "retrieved", "whole"])
def test_the_ideal_may_be_longer_than_the_run(ideal_cut: str) -> None:
    qrels = {"q": {"a": 2, "b": 1, "c": 1, "d": 3}, "r": {"a": 1}}
    run = {"q": {"x": 3.0, "a": 2.0, "b": 1.0}, "r": {"a": 1.0, "b": 2.0}}
    given = f"ndcg(ideal_cut={ideal_cut})@"
    found = ir.evaluate(qrels, run, [f"{given}share:0.7", f"{given}70%", "p@share:0.7", "p@70%"])
    own, same, own_precision, same_precision = found.per_query.values()
    assert_array_equal(own, same)
    assert_array_equal(own_precision, same_precision)


def test_a_full_list_may_be_longer_than_any_query() -> None:
    @dataclasses.dataclass(frozen=True)
    class Longer(cutoffs.Cutoff):
        factor: float

        def at(self, n: npt.ArrayLike) -> Any:
            return self.factor * np.asarray(n)

    full = measures.NDCG(gain="binary", discount="zipf", ideal="full")
    assert_array_equal((full @ Longer(2))([1, 0, 1], [3, 2, 1]), (full @ 6)([1, 0, 1], [3, 2, 1]))
    with pytest.raises(OptionError, match="k at most 10,000,000, got 30,000,000,000"):
        (full @ Longer(1e10))([1, 0, 1], [3, 2, 1])


def test_its_name_needs_no_number() -> None:
    assert cutoffs.of("half") == Half()
    assert ir.measure("p@half") == measures.Precision(cutoff=Half())
    assert_array_equal(ir.measure("p@half")([1, 0, 1, 1], [4, 3, 2, 1]), [0.5])
    with pytest.raises(OptionError, match="cannot read the cutoff 'hal'"):
        cutoffs.of("hal")


FORMS = [
    "approx_ndcg(cutoff={})",
    "approx_ndcg(cutoff={},gain=linear,discount=zipf)",
    "approx_ndcg(cutoff={},sigmoid=erf)",
    "approx_precision(cutoff={})",
    "approx_ap(cutoff={})",
    "approx_rr(cutoff={})",
    "approx(measure=recall@{})",
    "soft_ndcg(cutoff={})",
    "cosine(normalizer={})",
    "cross_entropy(normalizer={})",
    "least_squares(normalizer={})",
    "lambda_rank(measure=ndcg@{})",
    "lambda_rank(measure=ap@{})",
    "lambda_rank(measure=p@{})",
]


@pytest.mark.parametrize("form", FORMS)
def test_every_loss_with_a_cutoff_takes_it(form: str) -> None:
    own, given = (ir.loss(form.format(cutoff)) for cutoff in ("share:0.5", "50%"))
    for found, expected in zip(own(LABELS, SCORES, OFFSETS), given(LABELS, SCORES, OFFSETS), strict=True):
        assert_array_equal(found, expected)


@pytest.mark.parametrize(
    ("name", "option", "value"),
    [("ApproxNDCG", "cutoff", "{}"), ("SoftNDCG", "cutoff", "{}"), ("LambdaRank", "measure", "ndcg@{}")],
)
def test_modules_for_torch_take_it(name: str, option: str, value: str) -> None:
    torch = pytest.importorskip("torch")
    from idealrank.integrations import torch as modules

    arrays = torch.tensor(LABELS), torch.tensor(SCORES), torch.tensor(OFFSETS)
    options = [{option: value.format(cutoff)} for cutoff in ("share:0.5", "50%")]
    own, given = (getattr(modules, name)(**each)(*arrays) for each in options)
    assert_array_equal(own.numpy(), given.numpy())


def test_theory_judges_it_by_its_values() -> None:
    @dataclasses.dataclass(frozen=True)
    class Root(cutoffs.Cutoff):
        def at(self, n: npt.ArrayLike) -> Any:
            return np.sqrt(n)

    own, given = (Weighting(discounts.Log(), cutoff) for cutoff in (Root(), cutoffs.Power(0.5)))
    assert theorem_of(own) == theorem_of(given) == "Theorem 11"
    assert decay_of(own) == pytest.approx(decay_of(given), rel=1e-6)


@pytest.mark.parametrize("curve", [lambda s: s, lambda s: s / 2])  # of the best documents, all or half are relevant
def test_theory_gives_no_limit_if_it_is_not_known_how_many_ranks_count(curve: Any) -> None:
    with pytest.raises(OptionError, match=r"NDCG has no limit here: it is not known how many ranks count \(half\)"):
        theory.limit("ndcg@half", curve)


@pytest.mark.parametrize(
    ("at", "message"),
    [
        (lambda n: max(n // 2, 1), r"own: at\(n\) must accept an array of lengths, but failed: The truth value"),
        (lambda n: 3, r"own: at\(n\) must return one number of ranks per length, got an array of shape \(\)"),
        (lambda n: n - 1, "own: a cutoff must be at least 1 for every length, got 0 for a list of length 1"),
        (lambda n: n * np.nan, "own: a cutoff must be at least 1 for every length, got nan for a list of length 5"),
    ],
)
@pytest.mark.parametrize("user", [measures.NDCG, losses.ApproxNDCG, losses.SoftNDCG])
def test_a_wrong_one_is_refused(user: Any, at: Any, message: str) -> None:
    @dataclasses.dataclass(frozen=True)
    class Own(cutoffs.Cutoff):
        def at(self, n: npt.ArrayLike) -> Any:
            return at(n)

    with pytest.raises(OptionError, match=message):
        user(cutoff=Own())(LABELS, SCORES, OFFSETS)
