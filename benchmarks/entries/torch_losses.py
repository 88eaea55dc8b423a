"""Losses for PyTorch: forward and backward, against all pairs of padded lists; and a list as long as a training set."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from benchmarks.entries.losses import digest_of_loss, lists_of_100, torch_all_pairs
from benchmarks.processes import peak_memory
from benchmarks.runner import Comparison, Contestant, Mark, Setting, as_returned, entry
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


@entry
def torch_long_lists_memory(setting: Setting) -> Iterator[Comparison]:
    n_docs = setting.size(1_000_000)
    for name in ("approx_ndcg", "pairwise_logistic", "lambda_rank", "hinge"):
        imports = (
            "import numpy as np, torch; from idealrank.integrations import torch as ranking;"
            "rng = np.random.default_rng(0);"
            f"labels = rng.choice(5, {n_docs}, p=[0.5, 0.3, 0.15, 0.03, 0.02]).astype(float);"
            f"scores = torch.from_numpy(rng.normal(size={n_docs})).requires_grad_();"
            f"loss = ranking.RankingLoss({name!r}, backend='torch')"
        )
        step = partial(peak_memory, imports, "loss(labels, scores).sum().backward()", setting.folder)
        yield Comparison(
            f"{name} of one list of {n_docs:,} documents, loss and backward, by the operations of PyTorch: peak memory",
            Contestant("idealrank, backend='torch'", step),
            [Mark("4 kB per document", 4_000 * n_docs, AtMost(1))],
            unit="B",
            meter=as_returned,
        )


@entry
def soft_ranks_of_others(setting: Setting) -> Iterator[Comparison]:
    """NDCG of soft ranks of one list, loss and backward, with what others rank softly by, where it is installed."""
    import numpy as np

    from idealrank.integrations import torch as ranking

    rng = np.random.default_rng(0)
    for full in (1_000, 10_000, 100_000, 1_000_000):
        n_docs = setting.size(full)
        labels, scores = rng.integers(0, 5, n_docs).astype(np.float64), rng.normal(size=n_docs)
        peers = [
            Contestant("torchsort", partial(_soft_ndcg, _torchsort, labels, scores), AtLeast(1), module="torchsort"),
            Contestant(
                "fast-soft-sort",
                partial(_soft_ndcg, _fast_soft_sort, labels, scores),
                AtLeast(1),
                module="fast_soft_sort",
            ),
        ]
        if n_docs <= 3_000:  # all pairs
            peers.append(
                Contestant("allRank", partial(_allrank, labels, scores), AtLeast(1), module="allrank"),
            )
        loss = ranking.ApproxNDCG(reduction="none")
        yield Comparison(
            f"NDCG of soft ranks of one list of {n_docs:,} documents, loss and backward",
            Contestant("idealrank", partial(_ours, loss, labels, scores)),
            peers,
        )


def _torchsort(scores: Any) -> Any:
    import torchsort

    return torchsort.soft_rank(-scores[None], regularization_strength=1 / len(scores))[0]


def _fast_soft_sort(scores: Any) -> Any:
    from fast_soft_sort import pytorch_ops

    return pytorch_ops.soft_rank(-scores[None], regularization_strength=1 / len(scores))[0]


def _soft_ndcg(rank: Callable[[Any], Any], labels: Floats, scores: Floats) -> tuple[float, Floats]:
    """1 - NDCG of soft ranks, and its gradient."""
    import numpy as np
    import torch

    own = torch.from_numpy(scores).requires_grad_()
    gains = 2.0**labels - 1
    ideal = float((np.sort(gains)[::-1] / np.log2(np.arange(2, gains.size + 2))).sum())
    value = 1 - (torch.from_numpy(gains) / torch.log2(1 + rank(own))).sum() / ideal
    value.backward()  # type: ignore[no-untyped-call]
    assert own.grad is not None
    return float(value.detach()), own.grad.numpy()


def _allrank(labels: Floats, scores: Floats) -> tuple[float, Floats]:
    import torch
    from allrank.models.losses.approxNDCG import approxNDCGLoss

    own = torch.from_numpy(scores).requires_grad_()
    value = approxNDCGLoss(own[None], torch.from_numpy(labels)[None], alpha=10.0)
    value.backward()
    assert own.grad is not None
    return 1 + float(value.detach()), own.grad.numpy()


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
