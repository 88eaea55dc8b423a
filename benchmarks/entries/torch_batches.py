"""Losses on ordinary batches in PyTorch, forward and backward, against plain formulas, compiled ones, and allRank's.

Every contestant gets float32 scores with one row per query, as models return them. Shorter lists are padded: ours and
the formulas get a mask, allRank the label -1.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any, NamedTuple

from benchmarks.runner import Comparison, Contestant, Setting, entry
from benchmarks.targets import AtMost

_SHAPES = ((1, 100), (1, 1_000), (64, 100), (64, 1_000))
#: Formulas with all pairs of more documents need gigabytes; ours is a hundred times as fast there.
_MOST_PAIRS = 1 << 22


class Peer(NamedTuple):
    """A loss in plain PyTorch, and the name of allRank's function with its options."""

    formula: Callable[[Any, Any, Any], Any]
    allrank: str = ""
    options: dict[str, Any] = {}  # noqa: RUF012
    has_pairs: bool = False


@entry
def torch_batches(setting: Setting) -> Iterator[Comparison]:
    for shape, name, peer in _cases():
        yield _comparison(setting, *shape, name, peer, is_compiled=False)


@entry
def torch_batches_compiled(setting: Setting) -> Iterator[Comparison]:
    """The same against `torch.compile`, which takes minutes to compile."""
    for shape, name, peer in _cases():
        yield _comparison(setting, *shape, name, peer, is_compiled=True)


def _cases() -> Iterator[tuple[tuple[int, int, bool], str, Peer]]:
    for n_queries, length in _SHAPES:
        for is_ragged in (False, True) if n_queries > 1 else (False,):
            for name, peer in _PEERS.items():
                if not peer.has_pairs or n_queries * length**2 <= _MOST_PAIRS:
                    yield (n_queries, length, is_ragged), name, peer


def _comparison(
    setting: Setting, n_queries: int, length: int, is_ragged: bool, name: str, peer: Peer, *, is_compiled: bool
) -> Comparison:
    import torch

    from idealrank.integrations import torch as ranking

    torch.manual_seed(0)
    labels = torch.multinomial(torch.tensor([0.5, 0.3, 0.15, 0.03, 0.02]), n_queries * length, True)
    labels = labels.reshape(n_queries, length).float()
    sizes = torch.randint(length // 4, length + 1, (n_queries, 1)) if is_ragged else torch.tensor([[length]])
    mask = (torch.arange(length) < sizes).expand(n_queries, length).contiguous()
    padded, scores, loss = torch.where(mask, labels, -1.0), torch.randn(n_queries, length), ranking.RankingLoss(name)
    work = n_queries * length * (length // 50 if peer.has_pairs else 1)
    repeats = setting.size(min(200, 400_000 // work))  # milliseconds, so that pauses do not matter

    def step(of_scores: Callable[[Any], Any]) -> Callable[[], None]:
        own = scores.clone().requires_grad_()

        def run() -> None:
            for _ in range(repeats):
                own.grad = None
                of_scores(own).backward()

        return run

    formula, made_by = (_compiled(peer.formula), "torch.compile") if is_compiled else (peer.formula, "PyTorch")
    peers = [Contestant(made_by, step(partial(formula, labels, mask)), AtMost(1), "torch")]
    if (
        peer.allrank and not is_compiled and (length < 1_000 or peer.allrank != "rankNet")
    ):  # a list of all pairs, minutes
        theirs = step(partial(_allrank, peer, padded))
        peers.append(Contestant("allRank", theirs, AtMost(1), "allrank", "allRank"))
    if not is_compiled:
        peers.append(Contestant("a product with the labels", step(lambda own: (own * labels).sum()), is_floor=True))
    ours = partial(loss, labels, mask=mask if is_ragged else None)
    return Comparison(
        f"{name}, forward and backward, {_text(n_queries, length, is_ragged)}",
        Contestant("idealrank", step(ours)),
        peers,
    )


def _text(n_queries: int, length: int, is_ragged: bool) -> str:
    lists = "one list" if n_queries == 1 else f"{n_queries} lists"
    return f"{lists} of {length // 4} to {length:,}, padded" if is_ragged else f"{lists} of {length:,}"


@cache
def _compiled(formula: Callable[..., Any]) -> Callable[..., Any]:
    import torch

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of PyTorch about itself
        return torch.compile(formula, dynamic=True)


def _allrank(peer: Peer, labels: Any, scores: Any) -> Any:
    from allrank.models import losses

    return getattr(losses, peer.allrank)(scores, labels, **peer.options)


def _softmax(labels: Any, mask: Any, scores: Any) -> Any:
    logs = scores.masked_fill(~mask, -1e30).log_softmax(1)
    targets = labels.masked_fill(~mask, 0)
    return -(targets / targets.sum(1, keepdim=True).clamp(min=1e-30) * logs).sum(1).mean()


def _list_net(labels: Any, mask: Any, scores: Any) -> Any:
    logs = scores.masked_fill(~mask, -1e30).log_softmax(1)
    targets = labels.masked_fill(~mask, -1e30).softmax(1)
    return -(targets * logs).sum(1).mean()


def _list_mle(labels: Any, mask: Any, scores: Any) -> Any:
    order = labels.masked_fill(~mask, -1).sort(dim=1, descending=True, stable=True).indices
    ordered, real = scores.masked_fill(~mask, -1e30).gather(1, order), mask.gather(1, order)
    totals = ordered.flip(1).logcumsumexp(1).flip(1)
    return (totals - ordered).masked_fill(~real, 0).sum(1).mean()


def _least_squares(labels: Any, mask: Any, scores: Any) -> Any:
    return ((scores - labels.exp2() + 1) ** 2).masked_fill(~mask, 0).sum(1).mean()


def _gains(labels: Any, mask: Any) -> Any:
    import torch

    gains = (labels.exp2() - 1).masked_fill(~mask, 0)
    discounts = torch.arange(2, labels.shape[1] + 2).log2()
    ideal = (gains.sort(1, descending=True).values / discounts).sum(1, keepdim=True)
    return gains / ideal.clamp(min=1e-30)


def _approx_ndcg(labels: Any, mask: Any, scores: Any) -> Any:
    ahead = (10 * (scores[:, None, :] - scores[:, :, None])).sigmoid()
    ranks = ahead.masked_fill(~mask[:, None, :], 0).sum(2) + 0.5
    return 1 - (_gains(labels, mask) / (1 + ranks).log2()).sum(1).mean()


def _pairs(labels: Any, mask: Any) -> Any:
    return (labels[:, :, None] > labels[:, None, :]) & mask[:, :, None] & mask[:, None, :]


def _pairwise_logistic(labels: Any, mask: Any, scores: Any) -> Any:
    from torch.nn.functional import softplus

    each = softplus(scores[:, None, :] - scores[:, :, None])
    return each.masked_fill(~_pairs(labels, mask), 0).sum((1, 2)).mean()


def _hinge(labels: Any, mask: Any, scores: Any) -> Any:
    each = (1 - scores[:, :, None] + scores[:, None, :]).relu()
    return each.masked_fill(~_pairs(labels, mask), 0).sum((1, 2)).mean()


def _lambda_rank(labels: Any, mask: Any, scores: Any) -> Any:
    from torch.nn.functional import softplus

    gains = _gains(labels, mask)
    places = scores.detach().masked_fill(~mask, -1e30).argsort(1, descending=True).argsort(1)
    discounts = 1 / (places + 2.0).log2()
    weights = (gains[:, :, None] - gains[:, None, :]).abs() * (discounts[:, :, None] - discounts[:, None, :]).abs()
    each = weights * softplus(scores[:, None, :] - scores[:, :, None])
    return each.masked_fill(~_pairs(labels, mask), 0).sum((1, 2)).mean()


def _neural_ndcg(labels: Any, mask: Any, scores: Any) -> Any:
    import torch

    n = scores.shape[1]
    apart = (scores[:, :, None] - scores[:, None, :]).abs().masked_fill(~mask[:, None, :], 0).sum(2)
    sizes, ranks = mask.sum(1, keepdim=True), torch.arange(1, n + 1)
    heights = (sizes + 1 - 2 * ranks)[:, :, None] * scores[:, None, :] - apart[:, None, :]
    shares = heights.masked_fill(~mask[:, None, :], -1e30).softmax(2)
    ordered = (shares * _gains(labels, mask)[:, None, :]).sum(2).masked_fill(ranks > sizes, 0)
    return 1 - (ordered / (ranks + 1.0).log2()).sum(1).mean()


_PEERS = {
    "softmax": Peer(_softmax),
    "list_net": Peer(_list_net, "listNet"),
    "list_mle": Peer(_list_mle, "listMLE"),
    "least_squares": Peer(_least_squares),
    "approx_ndcg": Peer(_approx_ndcg, "approxNDCGLoss", {"alpha": 10.0}, has_pairs=True),
    "pairwise_logistic": Peer(_pairwise_logistic, "rankNet", has_pairs=True),
    "hinge": Peer(_hinge, has_pairs=True),
    "lambda_rank": Peer(_lambda_rank, "lambdaLoss", {"weighing_scheme": "lambdaRank_scheme"}, has_pairs=True),
    "neural_ndcg": Peer(_neural_ndcg, "neuralNDCG", has_pairs=True),
}
