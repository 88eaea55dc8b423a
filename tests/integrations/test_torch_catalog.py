"""CatalogLoss against the loss of all scores, differentiated by PyTorch."""

import re
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_array

from idealrank import losses
from idealrank.errors import DataError, OptionError
from idealrank.io.interaction_inputs import interactions_of
from idealrank.learners.factors.model import Factors

torch = pytest.importorskip("torch")

from idealrank.integrations import torch as ranking  # noqa: E402
from idealrank.integrations.torch import catalog  # noqa: E402

RNG = np.random.default_rng(0)
LABELS = (RNG.random((5, 9)) < 0.4) * RNG.integers(1, 3, (5, 9)).astype(float)
LABELS[3] = 0


def embeddings(dtype: Any = torch.float64) -> tuple[Any, Any]:
    rng = np.random.default_rng(1)
    users, items = (torch.tensor(rng.normal(size=(n, 4)), dtype=dtype, requires_grad=True) for n in (5, 9))
    return users, items


@pytest.mark.parametrize("similarity", ["cosine", "dot"])
@pytest.mark.parametrize("reduction", ["mean", "sum"])
@pytest.mark.parametrize("loss", ["lambda_rank", "approx_ndcg(alpha=3)", "cross_entropy"])
def test_value_and_gradient_are_those_of_all_scores(
    loss: str, reduction: Any, similarity: Any, monkeypatch: Any
) -> None:
    monkeypatch.setattr(catalog, "_SCORES_PER_BLOCK", 20)
    found = []
    for form in ("whole", "blocks"):
        users, items = embeddings()
        if form == "blocks":
            module = ranking.CatalogLoss(loss, similarity=similarity, temperature=0.3, reduction=reduction)
            value = module(2 * users, items, csr_array(LABELS))
        else:
            own, others = 2 * users, items
            if similarity == "cosine":
                own, others = own / own.norm(dim=1, keepdim=True), others / others.norm(dim=1, keepdim=True)
            value = ranking.RankingLoss(loss, reduction=reduction)(LABELS, own @ others.T / 0.3)
        (3 * value).backward()
        found.append([each.detach().numpy() for each in (value, users.grad, items.grad)])
    for blocks, whole in zip(*found, strict=True):
        assert_allclose(blocks, whole, rtol=1e-10, atol=1e-12)


def test_it_is_what_the_learner_minimizes() -> None:
    users, items = embeddings()
    value = ranking.CatalogLoss("lambda_rank", temperature=0.2)(users, items, csr_array(LABELS))
    value.backward()
    factors = Factors(users.detach().numpy(), items.detach().numpy(), True, 0.2)
    pairs = interactions_of(csr_array(LABELS))
    own, by_users, by_items = factors.loss(losses.LambdaRank(), pairs, np.arange(5), np.ones(5), 1)
    assert_allclose(value.item(), own, rtol=1e-12)
    assert_allclose(users.grad.numpy(), by_users, rtol=1e-9, atol=1e-12)
    assert_allclose(items.grad.numpy(), by_items, rtol=1e-9, atol=1e-12)


@pytest.mark.filterwarnings("ignore:Sparse CSR tensor support:UserWarning")
def test_types_and_forms_of_positives() -> None:
    users, items = embeddings(torch.float32)
    module = ranking.CatalogLoss("lambda_rank")
    values = [
        module(users, items, positives)
        for positives in (csr_array(LABELS), csr_array(LABELS).tocoo(), torch.tensor(LABELS).to_sparse_csr())
    ]
    assert {value.dtype for value in values} == {torch.float32}
    assert len({value.item() for value in values}) == 1
    values[0].backward()
    assert users.grad.dtype == torch.float32
    assert "lambda_rank, similarity='cosine', temperature=0.2" in repr(module)


def test_a_two_tower_model_learns() -> None:
    torch.manual_seed(0)
    labels = np.kron(np.eye(2), np.ones((4, 5)))
    tower = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.Tanh(), torch.nn.Linear(8, 3))
    features, items = torch.eye(8), torch.nn.Parameter(torch.randn(10, 3))
    optimizer = torch.optim.Adam([*tower.parameters(), items], lr=0.05)
    module = ranking.CatalogLoss("lambda_rank")
    for _ in range(60):
        optimizer.zero_grad()
        module(tower(features), items, csr_array(labels)).backward()
        optimizer.step()
    scores = (tower(features) @ items.T).detach().numpy()
    assert (scores[labels == 1].reshape(8, 5).min(1) > scores[labels == 0].reshape(8, 5).max(1)).mean() > 0.8


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"users": np.ones((5, 4))},
            "users must be a tensor of floating point numbers with two dimensions, got ndarray",
        ),
        ({"items": torch.ones(9)}, "items must be a tensor of floating point numbers with two dimensions, got (9,)"),
        ({"items": torch.ones(9, 3)}, "embeddings must be equally long, got shapes (5, 4) and (9, 3)"),
        ({"users": torch.ones(0, 4, dtype=torch.float64)}, "there are no users"),
        ({"positives": csr_array(LABELS[:4])}, "positives must have shape (5, 9)"),
        ({"positives": LABELS}, "positives must be a SciPy sparse matrix of users x items, got ndarray"),
        ({"positives": torch.tensor(LABELS)}, "positives must be a sparse CSR tensor or a SciPy sparse matrix"),
        ({"positives": csr_array(-LABELS)}, "a label must be finite and not negative"),
        ({"users": torch.ones(5, 4)}, "embeddings must have one dtype, got torch.float32 and torch.float64"),
        (
            {"users": torch.full((5, 4), float("nan"), dtype=torch.float64)},
            "a score must be a finite number, got nan (user 0 of the batch)",
        ),
    ],
)
def test_what_does_not_fit_together_is_refused(change: dict[str, Any], message: str) -> None:
    users, items = embeddings()
    arguments = {"users": users, "items": items, "positives": csr_array(LABELS), **change}
    with pytest.raises(DataError, match=re.escape(message)):
        ranking.CatalogLoss("lambda_rank")(**arguments)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"similarity": "cos"}, "unknown similarity 'cos'"),
        ({"reduction": "none"}, "unknown reduction 'none'"),
        ({"temperature": 0}, "temperature must be a number above 0, got 0"),
    ],
)
def test_options_are_checked(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=re.escape(message)):
        ranking.CatalogLoss("lambda_rank", **options)
