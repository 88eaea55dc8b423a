"""Losses for PyTorch: every one of them, by the native kernels and in PyTorch's own operations."""

import copy
import inspect
import pickle
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from every_loss import CLASSES, HELD, LABELS, NAMES, OFFSETS, SCORES

from idealrank import discounts, losses
from idealrank.data.columns import read_only
from idealrank.errors import DataError, OptionError
from idealrank.losses import links, potentials
from idealrank.losses.loss_names import LOSSES

torch = pytest.importorskip("torch")
ranking = pytest.importorskip("idealrank.integrations.torch")
modules = pytest.importorskip("idealrank.integrations.torch.modules")
native = pytest.importorskip("idealrank.integrations.torch.native")
RankingLoss = ranking.RankingLoss

pytestmark = pytest.mark.sampled(6)
BACKENDS = ["native", "torch"]
#: Forms that the formulas of PyTorch must know beside those that every loss is tested in.
MORE_FORMS = [
    *(f"lambda_rank(measure={name})" for name in ["rr", "rr@2", "hit_rate@2", "p@2", "ap@3", "linear_ndcg", "rbp"]),
    "lambda_rank(measure=r_precision)",
    "lambda_rank(measure=ap,truncation=2)",
    "lambda_rank(normalize=pairs)",
    *HELD,
    "approx_ndcg(discount=table:1:0.5:0.2)",
    "approx_ndcg(discount=letor)",
    "approx(measure=hit_rate)",
    "soft_ndcg(discount=linear)",
]
WEIGHTS = np.linspace(0.2, 2, LABELS.size)
QUERY_WEIGHTS = np.array([1, 2, 3, 0, 0.5, 1])
MASK = np.arange(LABELS.size) % 4 != 2
OPTIONS: dict[str, Any] = {"weights": WEIGHTS, "query_weights": QUERY_WEIGHTS, "mask": MASK}


def has_formula(name: str) -> bool:
    """Whether the loss can be computed with PyTorch's operations, as one that was just added need not be."""
    with suppress(modules.NoFormulaError):
        RankingLoss(name, backend="torch")(LABELS, torch.tensor(SCORES), OFFSETS)
        return True
    return False


every_loss = pytest.mark.parametrize("name", NAMES)
every_formula = pytest.mark.parametrize("name", [*filter(has_formula, NAMES)])
every_backend_of_every_loss = pytest.mark.parametrize(
    ("name", "backend"), [(name, backend) for name in NAMES for backend in BACKENDS[: 1 + has_formula(name)]]
)
both_backends = pytest.mark.parametrize("backend", BACKENDS)


def scores_of(values: Any, dtype: Any = None) -> Any:
    return torch.tensor(values, dtype=dtype or torch.float64, requires_grad=True)


def value_and_gradient(loss: Any, labels: Any, scores: Any, *args: Any, **options: Any) -> tuple[Any, Any]:
    value = loss(labels, scores, *args, **options)
    value.sum().backward()
    return value.detach(), scores.grad


def test_every_loss_is_a_module_and_a_function_of_its_name() -> None:
    assert set(CLASSES) < set(ranking.__all__)
    for name in CLASSES:
        made, of_tensors = getattr(ranking, name), getattr(ranking, getattr(losses, name).label)
        assert issubclass(made, RankingLoss)
        assert made.__name__ == name
        assert f"losses.{name}" in made.__doc__
        assert f"losses.{name}" in of_tensors.__doc__
    with pytest.raises(AttributeError, match="has no attribute 'ApproxERR'"):
        ranking.ApproxERR  # noqa: B018


def test_options_are_those_of_the_loss() -> None:
    assert ranking.ApproxNDCG(alpha=20, cutoff=10).loss == losses.ApproxNDCG(alpha=20, cutoff=10)
    assert ranking.Approx("recall@2").loss == losses.Approx("recall@2")
    assert str(ranking.ApproxNDCG(alpha=20)) == "ApproxNDCG(approx_ndcg(alpha=20), reduction='mean')"
    with pytest.raises(OptionError, match="approx_ndcg has no option 'alfa'; did you mean 'alpha'"):
        ranking.ApproxNDCG(alfa=20)
    with pytest.raises(OptionError, match="unknown reduction 'men'; did you mean 'mean'"):
        ranking.ApproxNDCG(reduction="men")
    with pytest.raises(OptionError, match="unknown backend 'cuda'"):
        ranking.ApproxNDCG(backend="cuda")


def test_help_shows_the_options() -> None:
    assert "alpha" in inspect.signature(ranking.ApproxNDCG).parameters
    assert list(inspect.signature(ranking.hinge).parameters)[:3] == ["labels", "scores", "offsets"]
    assert "margin" in inspect.signature(ranking.hinge).parameters


@pytest.mark.parametrize("name", CLASSES)
def test_the_function_is_the_module(name: str) -> None:
    options = {"Approx": {"measure": "recall@2"}, "Bregman": {"psi": "kl"}}.get(name, {})
    scores = torch.tensor(SCORES)
    by_module = getattr(ranking, name)(**options, reduction="sum")(LABELS, scores, OFFSETS, mask=MASK)
    label = getattr(losses, name).label
    assert by_module == getattr(ranking, label)(LABELS, scores, OFFSETS, mask=MASK, reduction="sum", **options)


@every_loss
def test_the_native_backend_gives_what_losses_of_arrays_give(name: str) -> None:
    values, gradient = losses.loss(name)(LABELS, SCORES, OFFSETS, **OPTIONS)
    found = value_and_gradient(RankingLoss(name, reduction="none"), LABELS, scores_of(SCORES), OFFSETS, **OPTIONS)
    np.testing.assert_array_equal(found[0].numpy(), values)
    np.testing.assert_array_equal(found[1].numpy(), gradient)


@pytest.mark.parametrize("name", [*filter(has_formula, [*NAMES, *MORE_FORMS])])
@pytest.mark.parametrize(
    ("scores", "options"),
    [(SCORES, {}), (3 * SCORES, OPTIONS), (np.round(SCORES), OPTIONS), (0 * SCORES, {})],
    ids=["apart", "wide", "ties", "equal"],
)
def test_both_backends_agree(name: str, scores: Any, options: dict[str, Any]) -> None:
    native, formula = (
        value_and_gradient(
            RankingLoss(name, reduction="none", backend=backend), LABELS, scores_of(scores), OFFSETS, **options
        )
        for backend in BACKENDS
    )
    torch.testing.assert_close(formula[0], native[0], rtol=1e-10, atol=1e-11)
    torch.testing.assert_close(formula[1], native[1], rtol=1e-9, atol=1e-9)


@every_formula
def test_both_backends_agree_on_longer_lists(name: str) -> None:
    rng = np.random.default_rng(3)
    offsets = np.cumsum([0, 33, 1, 64, 7, 0, 20])
    labels, scores = rng.integers(0, 5, offsets[-1]), rng.normal(size=offsets[-1])
    native, formula = (
        value_and_gradient(RankingLoss(name, reduction="none", backend=backend), labels, scores_of(scores), offsets)
        for backend in BACKENDS
    )
    torch.testing.assert_close(formula[0], native[0], rtol=1e-9, atol=1e-10)
    torch.testing.assert_close(formula[1], native[1], rtol=1e-9, atol=1e-9)


@both_backends
@pytest.mark.parametrize("name", ["hinge", "list_mle", "approx_kendall"])
def test_labels_that_float32_cannot_tell_apart_are_different(name: str, backend: str) -> None:
    labels, scores = np.array([1, 1 + 1e-12]), torch.tensor([0.5, 0.2])
    loss = RankingLoss(name, backend=backend)
    torch.testing.assert_close(loss(labels, scores), loss([0, 1], scores), rtol=1e-6, atol=0)


@every_backend_of_every_loss
def test_gradients_pass_gradcheck(name: str, backend: str) -> None:
    loss = RankingLoss(name, reduction="none", backend=backend)
    labels, offsets = LABELS[:8], [0, 5, 6, 6, 8]
    assert torch.autograd.gradcheck(
        lambda scores: loss(labels, scores, offsets, weights=WEIGHTS[:8]), scores_of(SCORES[:8]), eps=1e-5, atol=1e-4
    )


@every_backend_of_every_loss
def test_a_rectangle_is_the_lists_that_its_mask_leaves(name: str, backend: str) -> None:
    loss = RankingLoss(name, reduction="none", backend=backend)
    sizes = np.diff(OFFSETS)
    mask = np.arange(sizes.max()) < sizes[:, None]
    labels, padded = np.full(mask.shape, np.nan), np.full(mask.shape, np.nan)
    labels[mask], padded[mask] = LABELS, SCORES
    values, gradient = value_and_gradient(loss, labels, scores_of(padded), mask=torch.tensor(mask))
    expected = value_and_gradient(loss, LABELS, scores_of(SCORES), OFFSETS)
    torch.testing.assert_close(values, expected[0], rtol=1e-12, atol=1e-13)
    torch.testing.assert_close(gradient[torch.tensor(mask)], expected[1], rtol=1e-12, atol=1e-13)
    assert (gradient[~torch.tensor(mask)] == 0).all()


@every_backend_of_every_loss
def test_a_list_has_the_same_loss_at_any_padding(name: str, backend: str) -> None:
    found = []
    for width in (2, 3, 4, 6, 9):
        padding = [float("nan")] * (width - 2)
        loss = RankingLoss(name, backend=backend)
        mask = torch.arange(width).reshape(1, -1) < 2
        value, gradient = value_and_gradient(loss, [[2, 1, *padding]], scores_of([[1.5, 0.3, *padding]]), mask=mask)
        found.append([float(value), *gradient[0, :2].tolist()])
        assert not gradient[0, 2:].any()
    np.testing.assert_allclose(found, [found[0]] * len(found), rtol=1e-12, atol=1e-13)


@both_backends
@pytest.mark.parametrize("width", [2, 3, 4, 6])
def test_the_likelihood_of_a_padded_list_is_that_of_its_documents(width: int, backend: str) -> None:
    """The list of a known bug, in which padding added exp(0) to the normalizer: 0.2633, 0.9759, 1.4671, 2.1627."""
    padding = [0.0] * (width - 2)
    mask = torch.arange(width).reshape(1, -1) < 2
    loss = RankingLoss("list_mle", backend=backend)
    value, gradient = value_and_gradient(loss, [[2, 1, *padding]], scores_of([[1.5, 0.3, *padding]]), mask=mask)
    lost = 1 / (1 + np.exp(1.5 - 0.3))
    np.testing.assert_allclose(float(value), -np.log1p(-lost), rtol=1e-12, atol=0)
    np.testing.assert_allclose(gradient[0, :2].numpy(), [-lost, lost], rtol=1e-12, atol=0)


@both_backends
def test_the_mean_is_over_queries_with_documents_and_weighted(backend: str) -> None:
    scores = torch.tensor(SCORES)
    values = RankingLoss("list_mle", reduction="none", backend=backend)(LABELS, scores, OFFSETS)
    mean = RankingLoss("list_mle", backend=backend)
    assert mean(LABELS, scores, OFFSETS) == values.sum() / 5  # the third of six is empty
    weighted = mean(LABELS, scores, OFFSETS, query_weights=QUERY_WEIGHTS)
    assert float(weighted) == pytest.approx(float(values @ torch.tensor(QUERY_WEIGHTS)) / (QUERY_WEIGHTS.sum() - 3))
    total = RankingLoss("list_mle", backend=backend, reduction="sum")(LABELS, scores, OFFSETS)
    assert total == values.sum()


@both_backends
def test_rows_that_are_all_masked_count_for_nothing(backend: str) -> None:
    loss = RankingLoss("approx_ndcg", backend=backend)
    mask = torch.tensor([[True, True, True], [False, False, False]])
    scores = scores_of([[0.1, 0.3, 0.2], [np.nan, np.nan, np.nan]])
    value, gradient = value_and_gradient(loss, [[1, 0, 2], [0, 0, 0]], scores, mask=mask)
    assert value == loss([1, 0, 2], scores[0].detach())
    assert (gradient[1] == 0).all()
    nothing, gradient = value_and_gradient(loss, [[1, 0]], scores_of([[0.1, 0.2]]), mask=[[False, False]])
    assert nothing == 0
    assert (gradient == 0).all()


@every_backend_of_every_loss
def test_an_empty_batch_is_0_with_a_gradient(name: str, backend: str) -> None:
    for shape, offsets in (((0,), [0]), ((0,), [0, 0, 0]), ((0, 4), None), ((3, 0), None)):
        scores = scores_of(np.zeros(shape))
        value, gradient = value_and_gradient(RankingLoss(name, backend=backend), np.zeros(shape), scores, offsets)
        assert value == 0
        assert gradient.shape == shape


@both_backends
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
def test_values_and_gradients_have_the_precision_of_the_scores(backend: str, dtype: str) -> None:
    loss = RankingLoss("approx_ndcg", backend=backend)
    exact = value_and_gradient(loss, LABELS, scores_of(SCORES), OFFSETS)
    value, gradient = value_and_gradient(loss, LABELS, scores_of(SCORES, getattr(torch, dtype)), OFFSETS)
    assert value.dtype == torch.float32
    assert gradient.dtype == getattr(torch, dtype)
    tolerance = 20 * torch.finfo(gradient.dtype).eps
    torch.testing.assert_close(value.double(), exact[0], rtol=tolerance, atol=tolerance)
    torch.testing.assert_close(gradient.double(), exact[1], rtol=tolerance, atol=tolerance)


@both_backends
def test_autocast_does_not_coarsen_a_loss(backend: str) -> None:
    loss = RankingLoss("pairwise_logistic", backend=backend)
    model = torch.nn.Linear(3, 1)
    features = torch.randn(LABELS.size, 3)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        scores = model(features).squeeze(1)
        assert scores.dtype == torch.bfloat16
        value = loss(LABELS, scores, OFFSETS)
    assert value.dtype == torch.float32
    torch.testing.assert_close(value, loss(LABELS, scores.float(), OFFSETS), rtol=0, atol=0)
    value.backward()
    assert torch.isfinite(model.weight.grad).all()


def test_float64_scores_are_not_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []

    def spy(self: Any, lists: Any) -> Any:
        seen.extend([lists.labels, lists.scores, lists.offsets])
        return original(self, lists)

    original = losses.ListMLE.values_and_gradient
    monkeypatch.setattr(losses.ListMLE, "values_and_gradient", spy)
    tensors = torch.tensor(LABELS), scores_of(SCORES), torch.tensor(OFFSETS)
    ranking.ListMLE()(*tensors)
    assert [array.ctypes.data for array in seen] == [tensor.data_ptr() for tensor in tensors]


@both_backends
def test_labels_may_be_of_any_numeric_type(backend: str) -> None:
    loss = RankingLoss("approx_ndcg", backend=backend)
    scores, binary = torch.tensor(SCORES), LABELS > 0
    expected = loss(LABELS, scores, OFFSETS)
    for dtype in (torch.int8, torch.int64, torch.bfloat16, torch.float32):
        assert loss(torch.tensor(LABELS, dtype=dtype), scores, torch.tensor(OFFSETS, dtype=torch.int32)) == expected
    assert loss(torch.tensor(binary), scores, OFFSETS) == loss(binary.astype(float), scores, OFFSETS)
    assert loss(LABELS.tolist(), scores, OFFSETS.tolist()) == expected
    assert loss(read_only(LABELS), scores, read_only(OFFSETS)) == expected  # as RankingData has them


@both_backends
def test_scores_need_not_lie_side_by_side(backend: str) -> None:
    loss = RankingLoss("approx_ndcg", backend=backend)
    table = scores_of(np.stack([SCORES, SCORES]).T)
    value, gradient = value_and_gradient(lambda labels, both: loss(labels, both[:, 1], OFFSETS), LABELS, table)
    expected = value_and_gradient(loss, LABELS, scores_of(SCORES), OFFSETS)
    assert value == expected[0]
    torch.testing.assert_close(gradient, torch.stack([0 * expected[1], expected[1]], dim=1), rtol=0, atol=0)


@both_backends
@pytest.mark.parametrize(
    ("labels", "scores", "options", "message"),
    [
        ([1, 0], torch.tensor([0.1, np.nan]), {}, r"score must be a finite number, got nan \(query 0, row 1\)"),
        ([1, 0], torch.tensor([0.1, 0.2, 0.3]), {}, r"labels must have the shape of scores, \(3,\), got \(2,\)"),
        ([[1, 0]], torch.zeros(1, 2), {"offsets": [0, 2]}, "leave them out if scores have one row per query"),
        ([[[1, 0]]], torch.zeros(1, 2, 1), {}, r"got shape \(1, 2, 1\): use squeeze"),
        ([1, 0], [0.1, 0.2], {}, "scores must be a tensor, got list"),
        ([1, 0], torch.tensor([1, 2]), {}, "scores must be floating point numbers, got torch.int64"),
        ([1, 0], torch.zeros(2, dtype=torch.complex64), {}, "scores must be floating point numbers"),
        ([1, 0], torch.zeros(2, device="meta"), {}, "on the device 'meta', which holds no values"),
        (torch.ones(2, requires_grad=True), torch.zeros(2), {}, r"pass labels.detach\(\)"),
        (torch.ones(2, dtype=torch.complex64), torch.zeros(2), {}, "labels must be real numbers, got torch.complex64"),
        ("ab", torch.zeros(2), {}, "labels must be a tensor or an array"),
        ([1, 0], torch.zeros(2), {"offsets": [0, 1]}, "offsets must end at the number of documents, 2, got 1"),
        ([1, 0], torch.zeros(2), {"offsets": [0.0, 2.0]}, "offsets must be integers, n_queries"),
        ([1, 0], torch.zeros(2), {"offsets": []}, "offsets must be integers, n_queries"),
        ([1, 0], torch.zeros(2), {"mask": [1, 1]}, "mask must be True or False, got torch.int64"),
        ([1, 0], torch.zeros(2), {"mask": [True]}, r"mask must have the shape of scores, \(2,\), got \(1,\)"),
        ([1, 0], torch.zeros(2), {"weights": [1, -1]}, r"weights must be finite and not negative, got -1 \(row 1\)"),
        ([1, 0], torch.zeros(2), {"query_weights": [1, 1]}, "query_weights must have one entry per query: 1, got 2"),
        ([1, 0], torch.zeros(2), {"query_weights": [-1]}, "query_weights must be finite and not negative, got -1"),
        ([1, np.nan], torch.zeros(2), {}, "label must be a finite number, got nan"),
        ([-1, 0], torch.zeros(2), {}, "a gain must be finite and not negative, got -0.5"),
    ],
)
def test_bad_input_is_a_data_error_that_says_what_to_do(
    backend: str, labels: Any, scores: Any, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(DataError, match=message):
        RankingLoss("approx_ndcg", backend=backend)(labels, scores, **options)


@both_backends
def test_under_a_mask_rows_are_the_callers(backend: str) -> None:
    broken = np.where(np.arange(LABELS.size) == 7, np.nan, SCORES)
    with pytest.raises(DataError) as caught:
        RankingLoss("list_mle", backend=backend)(LABELS, torch.tensor(broken), OFFSETS, mask=MASK)
    assert (caught.value.query, caught.value.row) == (3, 7)


@both_backends
def test_a_value_beyond_all_numbers_is_a_data_error(backend: str) -> None:
    with pytest.raises(DataError, match="overflows"):
        RankingLoss("least_squares", backend=backend)([1, 0], torch.tensor([1e200, 0.0], dtype=torch.float64))


def test_the_native_kernels_say_that_they_have_no_second_derivative() -> None:
    scores = scores_of(SCORES)
    (gradient,) = torch.autograd.grad(RankingLoss("list_mle")(LABELS, scores, OFFSETS), scores, create_graph=True)
    with pytest.raises(OptionError, match="no second derivatives: use backend='torch'"):
        gradient.sum().backward()


@pytest.mark.parametrize(
    "name", ["list_mle", "approx_ndcg(alpha=1)", "pairwise_logistic", "soft_ndcg", "cross_entropy"]
)
def test_formulas_can_be_differentiated_twice(name: str) -> None:
    loss = RankingLoss(name, backend="torch")
    assert torch.autograd.gradgradcheck(lambda scores: loss(LABELS[:5], scores), scores_of(SCORES[:5]))


def test_what_has_no_formula_says_how_to_compute_it() -> None:
    class Own(losses.ListMLE):
        pass

    class Plain(losses.Loss):
        label = "plain"

        @classmethod
        def options(cls) -> dict[str, Any]:
            return {}

        def text(self, exclude: Any = ()) -> str:
            return self.label

        def values_and_gradient(self, lists: Any) -> Any:
            return np.zeros(lists.n_queries), np.zeros(lists.scores.size)

    class Steep(discounts.Zipf):
        def at(self, positions: Any, n: Any = None) -> Any:
            return super().at(positions, n)

    class Cube(links.Link):
        def forward(self, s: Any) -> Any:
            return s**3

        def slope(self, s: Any) -> Any:
            return 3 * s**2

    scores = torch.tensor(SCORES)
    assert RankingLoss(Own(), backend="torch")(LABELS, scores, OFFSETS) > 0
    for loss in (Plain(), losses.Bregman("squared", link=Cube()), losses.ApproxNDCG(discount=Steep())):
        RankingLoss(loss)(LABELS, scores, OFFSETS)
        with pytest.raises(OptionError, match="has no formula in PyTorch: use backend='native'"):
            RankingLoss(loss, backend="torch")(LABELS, scores, OFFSETS)


class Doubled(losses.LeastSquares):
    def of_targets(self, target: Any, lists: Any) -> Any:
        return tuple(2 * column for column in super().of_targets(target, lists))


class Renamed(losses.LeastSquares):
    pass


@pytest.mark.parametrize(("loss", "factor"), [(Doubled(), 2), (Renamed(), 1)], ids=["other values", "same values"])
def test_a_listwise_loss_of_ones_own_is_never_computed_by_the_formula_of_another(
    loss: Any, factor: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = value_and_gradient(RankingLoss("least_squares"), LABELS, scores_of(SCORES), OFFSETS)
    monkeypatch.setattr(modules, "is_on_cpu", lambda scores: False)  # as if there were a GPU
    own = value_and_gradient(RankingLoss(loss), LABELS, scores_of(SCORES), OFFSETS)
    for found, expected in zip(own, plain, strict=True):
        torch.testing.assert_close(found, factor * expected, rtol=1e-12, atol=1e-12)
    if factor == 2:
        with pytest.raises(OptionError, match="has no formula in PyTorch"):
            RankingLoss(loss, backend="torch")(LABELS, torch.tensor(SCORES), OFFSETS)


def test_a_registered_loss_of_ones_own_is_a_module_and_a_function(monkeypatch: pytest.MonkeyPatch) -> None:
    for table in ("_by_name", "_aliases"):
        monkeypatch.setattr(LOSSES, table, dict(getattr(LOSSES, table)))
    losses.register("doubled_squares")(Doubled)
    scores = torch.tensor(SCORES)
    assert ranking.Doubled is ranking.Doubled
    assert ranking.Doubled()(LABELS, scores, OFFSETS) == ranking.doubled_squares(LABELS, scores, OFFSETS)
    assert str(ranking.Doubled()) == "Doubled(doubled_squares, reduction='mean')"


def test_losses_with_the_same_text_are_told_apart() -> None:
    class Other(potentials.Squared):
        def conjugate(self, s: Any, offsets: Any) -> Any:
            return super().conjugate(s, offsets) + 1

    assert str(Other()) == str(potentials.Squared())
    scores = torch.tensor(SCORES)
    for psi in (potentials.Squared(), Other()):
        expected = losses.Bregman(psi)(LABELS, SCORES, OFFSETS)[0]
        np.testing.assert_array_equal(ranking.Bregman(psi, reduction="none")(LABELS, scores, OFFSETS), expected)


def test_modules_can_be_copied_and_pickled() -> None:
    loss = ranking.ApproxNDCG(alpha=7.25, reduction="sum", backend="torch")
    for other in (copy.deepcopy(loss), pickle.loads(pickle.dumps(loss))):
        assert type(other) is ranking.ApproxNDCG
        assert (other.loss, other.reduction, other.backend) == (loss.loss, "sum", "torch")


@pytest.mark.slow
def test_a_pickled_module_works_in_another_process(tmp_path: Path) -> None:
    (tmp_path / "loss.pickle").write_bytes(pickle.dumps(ranking.ListMLE()))
    script = (
        "import pickle, torch, pathlib\n"
        "loss = pickle.loads(pathlib.Path('loss.pickle').read_bytes())\n"
        "print(loss([1, 0], torch.zeros(2)).item())"
    )
    run = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert float(run.stdout) == pytest.approx(np.log(2))


@pytest.mark.slow
def test_importing_does_not_load_the_compiler() -> None:
    script = "import sys, idealrank.integrations.torch; sys.exit('torch._dynamo' in sys.modules)"
    subprocess.run([sys.executable, "-c", script], check=True)


@both_backends
def test_a_loss_can_be_had_without_its_gradient(backend: str) -> None:
    loss, scores = RankingLoss("approx_ndcg", backend=backend), scores_of(SCORES)
    expected = loss(LABELS, scores, OFFSETS).detach()
    with torch.no_grad():
        assert loss(LABELS, scores, OFFSETS) == expected
    with torch.inference_mode():
        assert loss(LABELS, scores * 1, OFFSETS) == expected


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # PyTorch's own, about itself
@pytest.mark.parametrize("name", ["approx_ndcg", "lambda_rank", "list_mle(ties=stable)"])
def test_a_compiled_model_holds_the_native_loss_in_its_graph(name: str) -> None:
    loss, model = RankingLoss(name), torch.nn.Linear(4, 1)

    def flat(features: Any, labels: Any, offsets: Any) -> Any:
        return loss(labels, model(features).squeeze(1), offsets)

    def padded(features: Any, labels: Any, mask: Any) -> Any:
        return loss(labels, model(features).squeeze(2), mask=mask)

    shapes = [(flat, (9, 4), torch.tensor([0, 4, 9])), (padded, (3, 5, 4), torch.rand(3, 5) > 0.3)]
    for step, shape, third in shapes:
        features, labels = torch.randn(shape), torch.randint(0, 3, shape[:-1])
        compiled = torch.compile(step, fullgraph=True, backend="aot_eager")(features, labels, third)
        (gradient,) = torch.autograd.grad(compiled, model.weight)
        expected = step(features, labels, third)
        torch.testing.assert_close(compiled, expected, rtol=1e-6, atol=1e-7)
        torch.testing.assert_close(gradient, torch.autograd.grad(expected, model.weight)[0], rtol=1e-6, atol=1e-7)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_compiled_model_breaks_its_graph_at_a_formula() -> None:
    loss, model = RankingLoss("approx_ndcg", backend="torch"), torch.nn.Linear(4, 1)

    def step(features: Any, labels: Any) -> Any:
        return loss(labels, model(features).squeeze(2))

    features, labels = torch.randn(3, 5, 4), torch.randint(0, 3, (3, 5))
    with pytest.raises(torch._dynamo.exc.Unsupported):
        torch.compile(step, backend="aot_eager", fullgraph=True)(features, labels)
    compiled = torch.compile(step, backend="aot_eager")(features, labels)
    torch.testing.assert_close(compiled, step(features, labels), rtol=1e-6, atol=1e-7)


def test_scores_may_lie_on_another_device_than_labels() -> None:
    if not torch.cuda.is_available():
        pytest.skip("there is no GPU here")
    for backend in ("auto", "native", "torch"):
        scores = torch.tensor(SCORES, device="cuda", requires_grad=True)
        value, gradient = value_and_gradient(RankingLoss("approx_ndcg", backend=backend), LABELS, scores, OFFSETS)
        assert value.device == gradient.device == scores.device
        expected = value_and_gradient(RankingLoss("approx_ndcg"), LABELS, scores_of(SCORES), OFFSETS)
        torch.testing.assert_close(gradient.cpu(), expected[1], rtol=1e-9, atol=1e-9)


def test_without_pytorch_the_error_names_the_pip_command() -> None:
    script = "import sys; sys.modules['torch'] = None\nfrom idealrank.integrations import torch"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert "MissingExtraError: this needs torch: pip install 'idealrank[torch]'" in run.stderr


def test_a_list_of_100_000_documents_trains_in_linear_memory() -> None:
    rng = np.random.default_rng(0)
    scores = scores_of(rng.normal(size=100_000))
    loss = ranking.ApproxNDCG(alpha=1)
    _, gradient = value_and_gradient(loss, rng.integers(0, 5, 100_000), scores)
    assert torch.isfinite(gradient).all()
    assert gradient.abs().max() > 0


def test_the_mean_over_pairs_is_that_of_the_batch() -> None:
    labels = torch.tensor([[2.0, 0, 1, 1], [1, 0, 0, 0], [1, 1, 1, 1]])
    scores = torch.randn(3, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(0)).requires_grad_()
    mask = torch.tensor([[True] * 4, [True, True, True, False], [True] * 4])
    better = (labels[:, :, None] > labels[:, None, :]) & mask[:, :, None] & mask[:, None, :]
    apart = (scores[:, :, None] - scores[:, None, :])[better]
    expected = torch.nn.functional.binary_cross_entropy_with_logits(apart, torch.ones_like(apart))
    found = ranking.PairwiseLogistic(reduction="pairs")(labels, scores, mask=mask)
    torch.testing.assert_close(found, expected, rtol=1e-12, atol=0)
    torch.testing.assert_close(*(torch.autograd.grad(value, scores)[0] for value in (found, expected)))
    alone = ranking.PairwiseLogistic(reduction="pairs")(labels[2], scores[2])
    assert alone.item() == 0
    for loss in ("approx_ndcg", "hinge(normalize=pairs)"):
        with pytest.raises(OptionError, match="reduction='pairs' is for pairwise losses"):
            ranking.RankingLoss(loss, reduction="pairs")


IN_ONE_CALL = [
    "softmax",
    "softmax(normalize=none)",
    "softmax(gain=exp2)",
    "least_squares",
    "least_squares(gain=linear)",
    "cross_entropy",
]
PADDING = {
    "none": None,
    "at the end": np.arange(9) < np.array([[9], [4], [0], [1]]),
    "between": np.arange(36).reshape(4, 9) % 3 != 1,
}


@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
@pytest.mark.parametrize("padding", PADDING)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", IN_ONE_CALL)
def test_one_call_gives_what_the_loss_of_arrays_gives(name: str, dtype: str, padding: str, reduction: str) -> None:
    rng = np.random.default_rng(2)
    grades, scores, mask = rng.integers(0, 5, (4, 9)), rng.normal(size=(4, 9)).astype(dtype), PADDING[padding]
    labels = grades / 2 if name == "softmax(gain=exp2)" else grades
    offsets = np.arange(0, 37, 9)
    flat_mask = None if mask is None else mask.ravel()
    values, gradient = losses.loss(name)(labels.ravel(), scores.ravel().astype(np.float64), offsets, mask=flat_mask)
    divisor = 4 - (padding == "at the end") if reduction == "mean" else 1
    weights = np.arange(1.0, 5.0) if reduction == "none" else np.ones(4)
    if mask is not None:
        scores[~mask] = np.nan
    given = scores_of(scores, getattr(torch, dtype))
    columns = torch.tensor(labels), given, None if mask is None else torch.tensor(mask)
    loss = RankingLoss(name, reduction=reduction)
    assert native.of_batch(native.kernel_of(loss.loss), *columns, reduction, 1) is not None
    found = loss(*columns[:2], mask=columns[2])
    (found * torch.tensor(weights) if reduction == "none" else found).sum().backward()
    tolerance = 1e-13 if dtype == "float64" else 3e-7
    np.testing.assert_allclose(
        found.detach().numpy(),
        values if reduction == "none" else values.sum() / divisor,
        rtol=tolerance,
        atol=tolerance,
    )
    expected = gradient.reshape(4, 9) * weights[:, None] / divisor
    np.testing.assert_allclose(given.grad.numpy(), expected, rtol=0, atol=tolerance * np.abs(expected).max())
    assert given.grad.dtype == getattr(torch, dtype)


@pytest.mark.parametrize("name", IN_ONE_CALL)
def test_what_one_call_cannot_do_is_done_or_explained_by_others(name: str) -> None:
    labels, scores = torch.tensor([[1.0, 0.0], [2.0, 1.0]]), torch.tensor([[0.5, 0.25], [1.0, 0.0]])
    loss = RankingLoss(name)
    expected = loss(labels, scores)
    strided = torch.stack([scores, scores], dim=-1)[..., 0]
    for given in ((labels.tolist(), scores), (labels.int(), scores), (labels, strided), (labels.numpy(), scores)):
        torch.testing.assert_close(loss(*given), expected)
    assert loss(labels, scores.bfloat16()).dtype == torch.float32
    for odd in (float("nan"), float("inf")):
        for wrong in (
            (labels, scores + torch.tensor([[0, 0], [0, odd]])),
            (labels + torch.tensor([[0], [odd]]), scores),
        ):
            with pytest.raises(DataError, match=r"must be a finite number, got \w+ \(query 1, row [23]\)"):
                loss(*wrong)
    with pytest.raises(DataError, match=r"labels must have the shape of scores, \(2, 2\), got \(4,\)"):
        loss(labels.ravel(), scores)
    with pytest.raises(DataError, match="mask must be True or False"):
        loss(labels, scores, mask=labels)
    with pytest.raises(DataError, match="labels require a gradient"):
        loss(labels.requires_grad_(), scores)


def test_true_is_any_byte_but_0_of_a_mask() -> None:
    labels, scores = torch.tensor([[2.0, 0.0, 1.0], [0.0, 1.0, 0.0]]), torch.tensor([[0.3, 0.1, -0.4], [0.9, 0.2, 0.5]])
    numbers = torch.tensor([[2, 255, 0], [0, 4, 2]], dtype=torch.uint8)
    expected = RankingLoss("softmax")(labels, scores, mask=numbers != 0)
    torch.testing.assert_close(RankingLoss("softmax")(labels, scores, mask=numbers.view(torch.bool)), expected)


def test_another_loss_of_a_module_is_the_one_that_is_computed() -> None:
    labels, scores = torch.tensor([2.0, 0.0, 1.0]), torch.tensor([0.3, 0.1, -0.4])
    loss = RankingLoss("softmax")
    loss.loss = losses.loss("least_squares")
    assert (
        loss(labels, scores) == RankingLoss("least_squares")(labels, scores) != RankingLoss("softmax")(labels, scores)
    )
    assert repr(loss) == "RankingLoss(least_squares, reduction='mean')"


def test_one_call_is_only_for_the_classes_that_it_knows() -> None:
    class Own(losses.LeastSquares):
        def of_targets(self, target: Any, lists: Any) -> Any:
            return np.full(lists.n_queries, 7.0), 0 * target

    assert native.kernel_of(Own()) is None
    assert RankingLoss(Own())(torch.tensor([1.0, 0.0]), torch.tensor([0.5, 0.0])) == 7
    for name in ("softmax(gain=binary)", "least_squares(normalizer=dcg)", "cross_entropy(gain=linear)", "xe_ndcg"):
        assert native.kernel_of(losses.loss(name)) is None
