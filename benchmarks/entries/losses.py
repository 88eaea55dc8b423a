"""Losses: value and gradient, against sorts of the same scores and against sums over all pairs."""

import os
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any
from unittest import mock

import numpy as np
import numpy.typing as npt

from benchmarks.processes import peak_memory
from benchmarks.runner import Comparison, Contestant, Digest, Mark, Setting, as_returned, entry
from benchmarks.targets import AtLeast, AtMost
from idealrank._typing import Floats

_LENGTH = 100
_ALPHA = 10.0
# The matrices of all pairs of so many lists at once fit a cache better than those of all lists.
_AT_ONCE = 200


def _list(n_docs: int) -> tuple[Floats, Floats]:
    rng = np.random.default_rng(2)
    return rng.integers(0, 5, n_docs).astype(float), rng.normal(size=n_docs)


@entry
def approx_ndcg_of_one_list(setting: Setting) -> Iterator[Comparison]:
    from idealrank.losses import ApproxNDCG

    for full in (10_000, 100_000, 1_000_000, 10_000_000):
        labels, scores = _list(setting.size(full))
        yield _against_argsort(ApproxNDCG(), labels, scores, AtMost(0.5), repeated=max(1, 100_000 // scores.size))


@entry
def losses_of_one_list(setting: Setting) -> Iterator[Comparison]:
    from idealrank import losses

    labels, scores = _list(setting.size(1_000_000))
    for name, target in (("approx_ap", 2), ("pairwise_logistic", 2), ("hinge", 2), ("lambda_rank", 3)):
        yield _against_argsort(losses.loss(name), labels, scores, AtMost(target))


@entry
def approx_ndcg_of_short_lists(setting: Setting) -> Iterator[Comparison]:
    from idealrank.losses import ApproxNDCG

    loss = ApproxNDCG()
    labels, scores, offsets = lists_of_100(setting.size(1000))
    yield Comparison(
        f"ApproxNDCG, {len(offsets) - 1:,} lists of {_LENGTH}",
        Contestant("idealrank", lambda: loss(labels.ravel(), scores.ravel(), offsets), digest=digest_of_loss),
        [
            Contestant("NumPy, all pairs", lambda: _numpy(labels, scores), AtLeast(20), digest=digest_of_loss),
            Contestant("idealrank, 1 thread", lambda: loss(labels.ravel(), scores.ravel(), offsets, n_threads=1)),
        ],
        amount=labels.size / 1e6,
        amount_unit="M",
    )
    n_calls = setting.size(1000)
    yield Comparison(
        f"ApproxNDCG, {n_calls:,} calls for one list of {_LENGTH}",
        Contestant("idealrank", _times(n_calls, lambda: loss(labels[0], scores[0]))),
        [Mark("15 us a call", 15e-6 * n_calls, AtLeast(1))],
    )


@entry
def approx_ndcg_of_many_lists(setting: Setting) -> Iterator[Comparison]:
    from idealrank.losses import ApproxNDCG

    loss = ApproxNDCG()
    labels, scores, offsets = lists_of_100(setting.size(10_000))
    yield Comparison(
        f"ApproxNDCG, {labels.size / 1e6:g} M documents in lists of {_LENGTH}",
        Contestant("idealrank", lambda: loss(labels.ravel(), scores.ravel(), offsets), digest=digest_of_loss),
        [
            Contestant(
                "PyTorch, all pairs",
                lambda: torch_all_pairs(labels, scores),
                AtLeast(10),
                "torch",
                digest=digest_of_loss,
            )
        ],
        amount=labels.size / 1e6,
        amount_unit="M",
    )


@entry
def approx_ndcg_memory(setting: Setting) -> Iterator[Comparison]:
    n_docs = setting.size(10_000_000)
    imports = (
        "import numpy as np; from idealrank.losses import ApproxNDCG; rng = np.random.default_rng(0);"
        f"labels, scores = rng.integers(0, 5, {n_docs}).astype(float), rng.normal(size={n_docs})"
    )
    yield Comparison(
        f"ApproxNDCG, one list of {n_docs:,} documents, peak memory over that of labels and scores",
        Contestant("idealrank", lambda: peak_memory(imports, "ApproxNDCG()(labels, scores)", setting.folder)),
        [Mark("10 doubles per document", 80 * n_docs, AtMost(1))],
        unit="B",
        meter=as_returned,
    )


@entry
def instruction_sets(setting: Setting) -> Iterator[Comparison]:
    """What losses cost on a processor without AVX2."""
    from idealrank import losses

    rng = np.random.default_rng(2)
    for length, n_docs in ((10, 100_000), (100, 100_000), (1000, 100_000), (setting.size(1_000_000), 1_000_000)):
        for loss in (
            losses.ApproxNDCG(),
            losses.ApproxAP(),
            losses.PairwiseLogistic(),
            losses.PairwiseLinear(),
            losses.Hinge(),
            losses.LambdaRank(),
            losses.SoftNDCG(),
        ):
            expensive = isinstance(loss, losses.SoftNDCG)
            if expensive and length > 1000:
                continue
            n_queries = max(1, setting.size(n_docs) // length // (length if expensive else 1))
            labels = rng.choice(5, n_queries * length, p=[0.5, 0.3, 0.15, 0.03, 0.02]).astype(float)
            scores = rng.normal(size=labels.size)
            given = (labels > 0).astype(float) if isinstance(loss, losses.ApproxAP) else labels
            offsets = np.arange(0, labels.size + 1, length)
            run = partial(loss, given, scores, offsets, n_threads=1)
            yield Comparison(
                f"{loss}, {n_queries:,} lists of {length:,}",
                Contestant("idealrank, IDEALRANK_ISA=base", _with_isa("base", run), digest=digest_of_loss),
                [Contestant("idealrank, x86-64-v3", _with_isa("v3", run), AtMost(3), digest=digest_of_loss)],
            )


def _with_isa(isa: str, run: Callable[[], Any]) -> Callable[[], Any]:
    """Run under one instruction set; a processor without it fails, and says so."""

    def chosen() -> Any:
        with mock.patch.dict(os.environ, {"IDEALRANK_ISA": isa}):
            return run()

    return chosen


def _against_argsort(loss: Any, labels: Floats, scores: Floats, target: AtMost, repeated: int = 1) -> Comparison:
    return Comparison(
        f"{loss}, one list of {scores.size:,} documents",
        Contestant("idealrank", _times(repeated, lambda: loss(labels, scores))),
        [
            Contestant(
                "np.argsort, stable", _times(repeated, lambda: np.argsort(scores, kind="stable")), target, is_floor=True
            ),
        ],
        amount=repeated * scores.size / 1e6,
        amount_unit="M",
    )


def _times(n: int, run: Callable[[], Any]) -> Callable[[], Any]:
    def repeat() -> Any:
        for _ in range(n - 1):
            run()
        return run()

    return repeat


def lists_of_100(n_queries: int) -> tuple[Floats, Floats, npt.NDArray[np.int64]]:
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 5, (n_queries, _LENGTH)).astype(float)
    labels[:, 0] = 1
    return labels, rng.normal(size=labels.shape), np.arange(0, labels.size + 1, _LENGTH)


def digest_of_loss(outcome: tuple[Floats, Floats]) -> Digest:
    values, gradient = outcome
    return float(values.mean()), float(np.abs(gradient).sum())


def _ideal(labels: Floats) -> Floats:
    best: Floats = np.exp2(-np.sort(-labels, axis=1)) - 1
    return best @ (1 / np.log2(np.arange(2, _LENGTH + 2)))


def _numpy(labels: Floats, scores: Floats) -> tuple[Floats, Floats]:
    parts = [slice(begin, begin + _AT_ONCE) for begin in range(0, len(labels), _AT_ONCE)]
    outcomes = [_numpy_part(labels[part], scores[part]) for part in parts]
    return np.concatenate([value for value, _ in outcomes]), np.concatenate([slope for _, slope in outcomes])


def _numpy_part(labels: Floats, scores: Floats) -> tuple[Floats, Floats]:
    sigma = 1 / (1 + np.exp(_ALPHA * (scores[:, :, None] - scores[:, None, :])))
    positions = sigma.sum(axis=2) + 0.5
    slopes = sigma * (1 - sigma)
    each = (np.exp2(labels) - 1) / _ideal(labels)[:, None]
    logs = np.log(1 + positions)
    c = each * np.log(2) / ((1 + positions) * logs**2)
    gradient = _ALPHA * ((slopes @ c[:, :, None])[:, :, 0] - c * slopes.sum(axis=2))
    return 1 - (each / (logs / np.log(2))).sum(axis=1), gradient


def torch_all_pairs(labels: Floats, scores: Floats) -> tuple[Floats, Floats]:
    import torch

    values, gradients = [], []
    for begin in range(0, len(labels), _AT_ONCE):
        part = slice(begin, begin + _AT_ONCE)
        each = torch.from_numpy((np.exp2(labels[part]) - 1) / _ideal(labels[part])[:, None])
        own = torch.from_numpy(scores[part]).requires_grad_()
        sigma = torch.sigmoid(_ALPHA * (own[:, None, :] - own[:, :, None]))
        value = 1 - (each / torch.log2(sigma.sum(dim=2) + 1.5)).sum(dim=1)
        value.sum().backward()  # type: ignore[no-untyped-call]
        assert own.grad is not None
        values.append(value.detach().numpy())
        gradients.append(own.grad.numpy())
    return np.concatenate(values), np.concatenate(gradients)
