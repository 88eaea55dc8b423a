"""Losses for PyTorch: forward and backward, against all pairs of padded lists; and a list as long as a training set."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from benchmarks.entries.losses import digest_of_loss, lists_of_100, torch_all_pairs
from benchmarks.runner import Comparison, Contestant, Mark, Setting, entry
from benchmarks.targets import AtLeast, AtMost
from idealrank._typing import Floats


@entry
def torch_loss_and_backward(setting: Setting) -> Iterator[Comparison]:
    from idealrank.integrations import torch as ranking

    loss = ranking.ApproxNDCG(reduction="none")
    labels, scores, _ = lists_of_100(setting.size(100_000))
    yield Comparison(
        f"ApproxNDCG of tensors, loss and backward, {len(labels):,} lists of 100",
        Contestant("idealrank", lambda: _ours(loss, labels, scores), digest=digest_of_loss),
        [Contestant("PyTorch, all pairs", lambda: torch_all_pairs(labels, scores), AtLeast(10), digest=digest_of_loss)],
        amount=labels.size / 1e6,
        amount_unit="M",
    )


@entry
def torch_step_on_one_list(setting: Setting) -> Iterator[Comparison]:
    from idealrank.integrations import torch as ranking

    n_docs = setting.size(1_000_000)
    for loss in (ranking.ApproxNDCG(), ranking.PairwiseLogistic(normalize="pairs"), ranking.LambdaRank()):
        yield Comparison(
            f"{loss.loss}, a step of a linear model on one list of {n_docs:,} documents",
            Contestant("idealrank", _step(loss, n_docs)),
            [Mark("5 s", 5.0, AtLeast(1))],
        )


@entry
def torch_long_lists(setting: Setting) -> Iterator[Comparison]:
    import numpy as np

    from idealrank.integrations import torch as ranking

    rng = np.random.default_rng(0)
    n_docs = setting.size(1_000_000)
    labels = rng.choice(5, n_docs, p=[0.5, 0.3, 0.15, 0.03, 0.02]).astype(np.float64)
    scores = rng.normal(size=n_docs)
    for name in ("approx_ndcg", "pairwise_logistic", "lambda_rank", "hinge"):
        native, operations = (ranking.RankingLoss(name, backend=backend) for backend in ("native", "torch"))
        yield Comparison(
            f"{name} of one list of {n_docs:,} documents, loss and backward, by the operations of PyTorch",
            Contestant("idealrank, backend='torch'", partial(_ours, operations, labels, scores), digest=digest_of_loss),
            [
                Contestant(
                    "idealrank, backend='native'",
                    partial(_ours, native, labels, scores),
                    AtMost(30),
                    digest=digest_of_loss,
                )
            ],
        )


def _ours(loss: Any, labels: Floats, scores: Floats) -> tuple[Floats, Floats]:
    import torch

    own = torch.from_numpy(scores).requires_grad_()
    values = loss(labels, own)
    values.sum().backward()
    assert own.grad is not None
    return values.detach().numpy(), own.grad.numpy()


def _step(loss: Any, n_docs: int, n_features: int = 32) -> Callable[[], None]:
    import torch

    features, labels = torch.randn(n_docs, n_features), torch.randint(0, 5, (n_docs,)).double()
    model = torch.nn.Sequential(torch.nn.Linear(n_features, 1), torch.nn.Flatten(0))
    optimizer = torch.optim.Adam(model.parameters())

    def step() -> None:
        optimizer.zero_grad()
        loss(labels, model(features)).backward()
        optimizer.step()

    return step
