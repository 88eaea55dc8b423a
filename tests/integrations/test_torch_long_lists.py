"""Losses of long lists in PyTorch's own operations: sums over pairs without the pairs."""

from typing import Any

import numpy as np
import pytest
from every_loss import HELD, LABELS, NAMES, OFFSETS, SCORES

from idealrank.errors import DataError

torch = pytest.importorskip("torch")
RankingLoss = pytest.importorskip("idealrank.integrations.torch").RankingLoss
formulas = pytest.importorskip("idealrank.integrations.torch.tensor_formulas")
long_lists = pytest.importorskip("idealrank.integrations.torch.long_lists")
sweeps = pytest.importorskip("idealrank.integrations.torch.sweeps")

pytestmark = pytest.mark.sampled(6)
_FAMILIES = ("approx", "hinge", "lambda_rank", "lambda_loss(kind=loss1", "pairwise", "psl", "squared_hinge")
FORMS = [
    *(name for name in NAMES if name.startswith(_FAMILIES) and "erf" not in name and "arctan" not in name),
    *(f"lambda_rank(measure={name})" for name in ["rr", "rr@2", "hit_rate@2", "p@2", "ap@3", "linear_ndcg", "rbp"]),
    "lambda_rank(measure=r_precision)",
    "lambda_rank(measure=ap,truncation=2)",
    "lambda_rank(truncation=1,normalize=pairs)",
    "lambda_rank(sigma=7)",
    *(name for name in HELD if name.startswith("lambda_rank") and "score_offset" not in name),
    "approx_ndcg(discount=letor)",
    "approx(measure=hit_rate)",
]
every_form = pytest.mark.parametrize("name", FORMS)
RNG = np.random.default_rng(8)
OPTIONS: dict[str, Any] = {
    "weights": np.linspace(0.2, 2, LABELS.size),
    "query_weights": np.array([1, 2, 3, 0, 0.5, 1]),
    "mask": np.arange(LABELS.size) % 4 != 2,
}


@pytest.fixture
def _without_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every list is long, and a rectangle is never made."""
    monkeypatch.setattr(long_lists, "LONGEST", -1)
    monkeypatch.setattr(formulas, "Padded", None)


def value_and_gradient(loss: Any, labels: Any, scores: Any, *args: Any, **options: Any) -> tuple[Any, Any]:
    leaf = torch.as_tensor(scores).clone().requires_grad_()
    value = loss(labels, leaf, *args, **options)
    (gradient,) = torch.autograd.grad(value.sum(), leaf)
    return value.detach(), gradient


def by_backends(name: str, *columns: Any, **options: Any) -> list[Any]:
    return [
        value_and_gradient(RankingLoss(name, reduction="none", backend=backend), *columns, **options)
        for backend in ("torch", "native")
    ]


def assert_close(found: Any, expected: Any, rtol: float = 1e-9) -> None:
    """The gradient is a sum with two signs: it is compared with the size of its entries."""
    torch.testing.assert_close(found[0], expected[0], rtol=rtol, atol=rtol / 10)
    size = float(expected[1].abs().max()) if expected[1].numel() else 0.0
    torch.testing.assert_close(found[1], expected[1], rtol=rtol, atol=rtol * max(size, 1e-3))


@pytest.mark.usefixtures("_without_pairs")
@every_form
@pytest.mark.parametrize(
    ("scores", "options"),
    [(SCORES, {}), (3 * SCORES, OPTIONS), (np.round(SCORES), OPTIONS), (0 * SCORES, {}), (1e6 + SCORES, {})],
    ids=["apart", "wide", "ties", "equal", "shifted"],
)
def test_short_lists_agree_with_the_native_kernels(name: str, scores: Any, options: dict[str, Any]) -> None:
    found, expected = by_backends(name, LABELS, scores, OFFSETS, **options)
    assert_close(found, expected, 1e-8 if scores[0] > 1e5 else 1e-9)


def _columns(case: str) -> tuple[Any, Any, Any]:
    offsets = np.cumsum([0, 333, 1, 1024, 7, 0, 20, 16, 16, 15])
    labels, scores = RNG.integers(0, 5, offsets[-1]), RNG.normal(size=offsets[-1])
    match case:
        case "ties":
            scores = np.round(scores * 8) / 8  # so that a difference is exactly a margin
        case "integers":
            scores = RNG.integers(0, 4, offsets[-1]).astype(float)
        case "real labels":
            labels = RNG.random(offsets[-1])
        case "binary":
            labels = labels > 3
        case "wide":
            scores = 1000 * RNG.standard_cauchy(offsets[-1])
        case "dense":
            scores = 1e-4 * scores
    return labels, scores, offsets


@pytest.mark.usefixtures("_without_pairs")
@every_form
@pytest.mark.parametrize("case", ["apart", "ties", "integers", "real labels", "binary", "wide", "dense"])
def test_longer_lists_agree_with_the_native_kernels(name: str, case: str) -> None:
    found, expected = by_backends(name, *_columns(case))
    assert_close(found, expected, 1e-8)


@pytest.mark.usefixtures("_without_pairs")
@every_form
def test_float32_scores_cost_only_their_own_rounding(name: str) -> None:
    labels, scores, offsets = _columns("apart")
    loss = RankingLoss(name, reduction="none", backend="torch")
    rounded = torch.tensor(scores, dtype=torch.float32)
    value, gradient = value_and_gradient(loss, labels, rounded, offsets)
    assert value.dtype == gradient.dtype == torch.float32
    expected = value_and_gradient(
        RankingLoss(name, reduction="none", backend="native"), labels, rounded.double(), offsets
    )
    torch.testing.assert_close(value.double(), expected[0], rtol=2e-5, atol=1e-6)
    size = float(expected[1].abs().max())
    torch.testing.assert_close(gradient.double(), expected[1], rtol=2e-4, atol=1e-4 * size)


@pytest.mark.usefixtures("_without_pairs")
@pytest.mark.parametrize("name", ["approx_ndcg", "lambda_rank", "pairwise_logistic", "hinge"])
def test_float32_with_a_large_offset_is_as_exact_as_the_differences(name: str) -> None:
    labels, scores, offsets = _columns("apart")
    shifted = torch.tensor(np.round(scores * 16) / 16 + 2**15, dtype=torch.float32)  # without rounding
    loss = RankingLoss(name, reduction="none", backend="torch")
    value, gradient = value_and_gradient(loss, labels, shifted, offsets)
    expected = value_and_gradient(loss, labels, shifted.double() - 2**15, offsets)
    torch.testing.assert_close(value.double(), expected[0], rtol=2e-5, atol=1e-6)
    torch.testing.assert_close(gradient.double(), expected[1], rtol=2e-4, atol=1e-4 * float(expected[1].abs().max()))


@pytest.mark.usefixtures("_without_pairs")
@pytest.mark.parametrize("name", [name for name in FORMS if name not in HELD])
def test_gradients_pass_gradcheck(name: str) -> None:
    loss = RankingLoss(name, reduction="none", backend="torch")
    leaf = torch.tensor(SCORES[:8], requires_grad=True)
    assert torch.autograd.gradcheck(
        lambda scores: loss(LABELS[:8], scores, [0, 5, 6, 6, 8], weights=OPTIONS["weights"][:8]),
        leaf,
        eps=1e-5,
        atol=1e-4,
    )


@pytest.mark.usefixtures("_without_pairs")
@pytest.mark.parametrize(
    "name", ["approx_ndcg(alpha=1)", "pairwise_logistic", "lambda_rank", "approx_ap(alpha=1,beta=1)", "approx_kendall"]
)
def test_long_lists_can_be_differentiated_twice(name: str) -> None:
    loss = RankingLoss(name, backend="torch")
    leaf = torch.tensor(SCORES[:5], requires_grad=True)
    assert torch.autograd.gradgradcheck(lambda scores: loss(LABELS[:5], scores), leaf)


@pytest.mark.usefixtures("_without_pairs")
@every_form
def test_padding_changes_nothing(name: str) -> None:
    loss = RankingLoss(name, reduction="none", backend="torch")
    expected = value_and_gradient(loss, LABELS, SCORES, OFFSETS)
    sizes = np.diff(OFFSETS)
    for width in (sizes.max(), 40):
        mask = np.arange(width) < sizes[:, None]
        labels, padded = np.full(mask.shape, np.nan), np.full(mask.shape, np.nan)
        labels[mask], padded[mask] = LABELS, SCORES
        values, gradient = value_and_gradient(loss, labels, padded, mask=torch.tensor(mask))
        torch.testing.assert_close(values, expected[0], rtol=0, atol=0)
        torch.testing.assert_close(gradient[torch.tensor(mask)], expected[1], rtol=0, atol=0)
        assert (gradient[~torch.tensor(mask)] == 0).all()


@pytest.mark.usefixtures("_without_pairs")
@every_form
def test_an_empty_batch_is_0_with_a_gradient(name: str) -> None:
    for shape, offsets in (((0,), [0, 0, 0]), ((3, 0), None)):
        value, gradient = value_and_gradient(
            RankingLoss(name, backend="torch"), np.zeros(shape), np.zeros(shape), offsets
        )
        assert value == 0
        assert gradient.shape == shape


@pytest.mark.usefixtures("_without_pairs")
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_huge_scores_have_their_loss_or_overflow(dtype: str) -> None:
    huge = torch.finfo(getattr(torch, dtype)).max
    scores = torch.tensor([huge, -huge, 0.0, huge], dtype=getattr(torch, dtype))
    for name in ("approx_ndcg", "approx_ap", "approx_kendall"):
        found, expected = by_backends(name, [1, 0, 2, 0], scores)
        torch.testing.assert_close(found[0].double(), expected[0].double(), rtol=1e-6, atol=1e-6)
        torch.testing.assert_close(found[1], expected[1], rtol=1e-5, atol=1e-6)
    with pytest.raises(DataError, match="overflows at these scores"):
        RankingLoss("pairwise_logistic", backend="torch")([1, 0, 2, 0], scores)


def test_rows_of_very_different_lengths_are_never_a_rectangle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formulas, "Padded", None)
    sizes = np.r_[20_000, np.full(2_000, 2)]
    offsets = np.r_[0, sizes.cumsum()]
    labels, scores = RNG.integers(0, 3, offsets[-1]), RNG.normal(size=offsets[-1])
    for name in ("approx_ndcg", "pairwise_logistic"):
        found, expected = by_backends(name, labels, scores, offsets)
        assert_close(found, expected)


def test_a_sigmoid_without_a_series_is_computed_by_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(long_lists, "LONGEST", -1)
    for name in ("approx_ndcg(sigmoid=erf)", "approx_kendall(sigmoid=arctan)", "lambda_loss(kind=loss2)"):
        found, expected = by_backends(name, LABELS, SCORES, OFFSETS)
        assert_close(found, expected)


def test_scores_are_not_copied_to_the_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    labels, scores, offsets = _columns("apart")
    monkeypatch.setattr(torch.Tensor, "cpu", None)  # as if there were none
    leaf = torch.tensor(scores, requires_grad=True)
    for name in ("approx_ndcg", "lambda_rank", "pairwise_logistic", "hinge"):
        RankingLoss(name, backend="torch")(labels, leaf, offsets).backward()


@pytest.mark.parametrize("order", range(5))
@pytest.mark.parametrize("kernel", ["logistic", "hinge", "squared_hinge"])
@pytest.mark.parametrize("n_groups", [1, 9])
@pytest.mark.parametrize("heights", [False, True], ids=["flat", "heights"])
def test_pair_sums_are_sums_over_pairs(order: int, kernel: str, n_groups: int, heights: bool) -> None:
    rng = np.random.default_rng(order)
    made = {
        "logistic": sweeps.LogisticKernel(1.5),
        "hinge": sweeps.HingeKernel(1),
        "squared_hinge": sweeps.HingeKernel(2),
    }[kernel]
    for n in (1, 15, 16, 17, 200):
        groups = np.sort(rng.integers(0, n_groups, n))
        # A hinge at 0 has one derivative within a block and another outside: it is for scores that differ.
        scores = rng.normal(size=n).round(1) if kernel == "logistic" else rng.normal(size=n)
        scores = scores[np.lexsort((scores, groups))]
        steps = torch.tensor(rng.random((n, 2)).cumsum(0)) if heights else None
        weights = torch.tensor(rng.random((n, 3)))
        sequence = sweeps.Sequence(torch.tensor(groups), made, None, steps)
        z = torch.tensor(scores)[None, :] - torch.tensor(scores)[:, None]
        counted = torch.tensor(groups[None, :] == groups[:, None]) & ~torch.eye(n, dtype=torch.bool)
        each = torch.where(counted, made.near(made.slope * z, order), 0)
        if steps is not None:
            before, after = ((column[None, :] - column[:, None]).abs() for column in steps.T)
            each = each * torch.where(torch.ones_like(counted).tril(), before, after)
        found = sweeps.pair_sums(torch.tensor(scores), weights, sequence, order)
        size = float((each.abs() @ weights).max())
        torch.testing.assert_close(found, each @ weights, rtol=0, atol=1e-13 * 20**order * max(size, 1e-300))


@pytest.mark.slow
@pytest.mark.parametrize("order", range(4))
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_grid_gives_the_sums_over_pairs(order: int, dtype: str) -> None:
    rng = np.random.default_rng(order)
    groups = torch.tensor(rng.integers(0, 3, 3000))
    scores = torch.tensor(0.3 * rng.normal(size=3000), dtype=getattr(torch, dtype))
    weights = torch.tensor(rng.random((3000, 2)), dtype=scores.dtype)
    kernel = sweeps.LogisticKernel(1.0)
    grid = sweeps.Grid.of(scores, groups, 4, kernel.slope)  # the last group is empty
    z = (scores[None, :] - scores[:, None]).double()
    counted = (groups[None, :] == groups[:, None]) & ~torch.eye(3000, dtype=torch.bool)
    for is_reflected, sign in ((False, 1), (True, -1)):
        each = torch.where(counted, kernel.near(sign * z, order), 0)
        (found,) = grid.sums(weights, kernel, (order,), is_reflected)
        size = float((each.abs() @ weights.double()).max())
        bound = (1e-6 if dtype == "float32" else 1e-13) * 10**order * size
        torch.testing.assert_close(found.double(), each @ weights.double(), rtol=0, atol=bound)


def test_scores_that_are_not_dense_have_no_grid() -> None:
    groups = torch.zeros(3000, dtype=torch.int64)
    scores = torch.tensor(0.3 * RNG.normal(size=3000))
    assert sweeps.Grid.of(scores, groups, 1, 1.0) is not None
    for steep in (1e4, 1e307):
        assert sweeps.Grid.of(scores, groups, 1, steep) is None
    scores[0] = 1e300
    assert sweeps.Grid.of(scores, groups, 1, 1.0) is None
