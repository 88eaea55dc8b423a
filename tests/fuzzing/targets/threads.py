"""The same bits with 1, 2 and 4 threads: every measure, every loss, readers and resampling."""

import io
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import numpy as np
from every_loss import NAMES

import idealrank as ir
from fuzzing.core import Target
from idealrank import stats
from idealrank.errors import DataError, OptionError
from idealrank.losses import loss as loss_named
from idealrank.measures.measure_names import MEASURES

_OTHERS = ["letor", "sparse", "qrels", "run", "scores", "randomization_test", "bootstrap_test", "interval"]
_SLOW = ("ndcg_p", "soft_ndcg", "neural_ndcg", "approx_rr", "sigmoid=", "ndcg_z", "corrected_ndcg", "random_ndcg")


def draw(rng: Random) -> Iterator[dict[str, Any]]:
    names = [f"measure {cls.label}" for cls in MEASURES.members().values()] + [f"loss {name}" for name in NAMES]
    for _ in range(4):
        name = rng.choice(_OTHERS if rng.random() < 0.15 else names)
        slow = any(word in name for word in _SLOW) or name in _OTHERS
        yield {
            "what": name,
            "seed": rng.getrandbits(32),
            "n_queries": rng.choice([1, 2, 3, 50, 25 if slow else 2000]),
            "most_docs": rng.choice([1, 5, 20, 60 if slow else 200]),
            "levels": rng.choice([1, 2, 5]),
            "grid": rng.choice([1, 3, 10, 10_000]),
        }


def check(case: dict[str, Any]) -> int:
    rng = np.random.default_rng(case["seed"])
    sizes = rng.integers(0, case["most_docs"] + 1, case["n_queries"])
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    labels = rng.integers(0, case["levels"], offsets[-1]).astype(float)
    scores = rng.integers(0, case["grid"], offsets[-1]) / 8
    call = _call(case["what"], labels, scores, offsets)
    if call is None:
        return 0
    first = _outcome(call, 1)
    for n_threads in (2, 4):
        again = _outcome(call, n_threads)
        assert len(first) == len(again)
        for one, other in zip(first, again, strict=True):
            assert one.dtype == other.dtype
            assert one.tobytes() == other.tobytes(), f"{n_threads} threads: {_difference(one, other)}"
    return sum(array.size for array in first)


def _outcome(call: Callable[[int], list[Any]], n_threads: int) -> list[Any]:
    """Return the arrays, or the message of an error, which must be the same too."""
    try:
        return call(n_threads)
    except DataError as error:
        return [np.frombuffer(str(error).encode(), np.uint8)]


def _difference(one: Any, other: Any) -> str:
    if one.shape != other.shape:
        return f"shape {other.shape}, not {one.shape}"
    where = np.flatnonzero(one.view(np.uint8) != other.view(np.uint8))[0] // one.itemsize
    return f"entry {where} is {other[where]!r}, not {one[where]!r}"


def _call(what: str, labels: Any, scores: Any, offsets: Any) -> Callable[[int], list[Any]] | None:
    kind, _, name = what.partition(" ")
    if kind == "measure":
        m = ir.measure(name)
        try:
            m.with_convention().plan()
        except OptionError:  # averaged ties have no closed form
            m = ir.measure(f"{name}(ties=stable)")
        return lambda n: [m(labels, scores, offsets, n_threads=n)]
    if kind == "loss":
        loss = loss_named(name)
        return lambda n: list(loss(labels, scores, offsets, n_threads=n))
    if not labels.size:
        return None
    if kind in ("randomization_test", "bootstrap_test", "interval"):
        a = scores[: max(2, min(60, labels.size))]
        b = labels[: a.size]
        if kind == "interval":
            return lambda n: [np.array(_ends(stats.interval(a, seed=1, n_resamples=500, n_threads=n)))]
        test = getattr(stats, kind)
        draws = {"n_permutations" if kind.startswith("rand") else "n_resamples": 500}
        return lambda n: [np.array([test(a, b, seed=1, n_threads=n, **draws).p_value])]
    return _reading(kind, labels, scores, offsets)


def _ends(interval: Any) -> list[float]:
    return [interval.low, interval.high, interval.mean]


def _reading(kind: str, labels: Any, scores: Any, offsets: Any) -> Callable[[int], list[Any]]:
    queries = np.repeat(np.arange(offsets.size - 1), np.diff(offsets))
    rows = zip(queries.tolist(), labels.tolist(), scores.tolist(), strict=True)
    line = {
        "letor": "{1:g} qid:{0} 1:{2} 2:0.25 #docid = d{3}\n",
        "sparse": "{1:g} qid:{0} 1:{2} 7:0.25 #docid = d{3}\n",
        "qrels": "{0} 0 d{3} {1:g}\n",
        "run": "{0} Q0 d{3} 1 {2} tag\n",
        "scores": "{2}\n",
    }[kind]
    text = "".join(line.format(*row, i) for i, row in enumerate(rows)).encode()
    content = text * max(1, (2 << 20) // len(text)) if kind in ("letor", "sparse", "scores") else text  # several pieces
    if kind == "scores":
        return lambda n: [ir.io.read_scores(io.BytesIO(content), n_threads=n)]
    if kind in ("letor", "sparse"):
        return lambda n: _arrays(ir.read_letor(io.BytesIO(content), sparse=kind == "sparse", n_threads=n))
    read: Any = getattr(ir, f"read_{kind}")
    return lambda n: _table(read(io.BytesIO(content), n_threads=n))


def _arrays(data: ir.RankingData) -> list[Any]:
    features: Any = data.features
    parts = [features.data, features.indices, features.indptr] if hasattr(features, "indptr") else [features.ravel()]
    return [data.labels, data.offsets, *parts]


def _table(table: Any) -> list[Any]:
    values = table.labels if isinstance(table, ir.Qrels) else table.scores
    return [values, table.offsets, table.doc_ids.buffer, table.query_ids.buffer]


def smaller(case: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for name in ("n_queries", "most_docs", "levels", "grid"):
        if case[name] > 1:
            yield case | {name: case[name] // 2}
            yield case | {name: case[name] - 1}


TARGET = Target(draw, check, smaller)
