"""Hostile data sets, and an argument of every public function for each of them."""

import functools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import idealrank as ir
from idealrank import discounts, learners, theory

__all__ = ["ARGUMENTS", "SETS", "Hostile", "arguments_of"]


class Hostile(NamedTuple):
    """Labels, scores and offsets that a caller may pass, right or wrong."""

    name: str
    labels: Any
    scores: Any
    offsets: Any = None


def _sets() -> Iterator[Hostile]:
    plain, scores = [2.0, 0.0, 1.0, 0.0], [0.4, 0.3, 0.2, 0.1]
    yield Hostile("plain", plain, scores, [0, 4])
    yield Hostile("nothing", [], [], [0])
    yield Hostile("one empty query", [], [], [0, 0])
    yield Hostile("empty queries around others", plain, scores, [0, 0, 2, 2, 4, 4])
    yield Hostile("one document", [1.0], [0.5])
    yield Hostile("nothing relevant", [0.0] * 4, scores, [0, 2, 4])
    yield Hostile("all labels equal", [3.0] * 4, scores, [0, 2, 4])
    yield Hostile("all scores equal", plain, [0.5] * 4)
    yield Hostile("zeros of both signs", plain, [0.0, -0.0, 0.0, -0.0])
    yield Hostile("huge scores", plain, [1e308, -1e308, 1e308, 0.0])
    yield Hostile("scores near a huge one", plain, [1e15, 1e15 + 1, 1e15 + 2, 1e15])
    yield Hostile("tiny scores", plain, [5e-324, 0.0, -5e-324, 1e-320])
    yield Hostile("a score that is NaN", plain, [0.1, np.nan, 0.3, 0.4])
    yield Hostile("a score that is infinite", plain, [0.1, np.inf, -np.inf, 0.4])
    yield Hostile("a label that is NaN", [1.0, np.nan, 0.0, 2.0], scores)
    yield Hostile("a label that is infinite", [1.0, np.inf, 0.0, 2.0], scores)
    yield Hostile("negative labels", [-1.0, 2.0, -3.0, 0.0], scores)
    yield Hostile("labels whose gain overflows", [1100.0, 0.0, 1e308, 1.0], scores)
    yield Hostile("fractions of labels", [0.1, 1 / 3, 1e-300, 0.7], scores)
    yield Hostile("offsets that fall", plain, scores, [0, 3, 2, 4])
    yield Hostile("offsets beyond the end", plain, scores, [0, 2, 9])
    yield Hostile("offsets that do not start at 0", plain, scores, [-1, 2, 4])
    yield Hostile("huge offsets", plain, scores, [0, 2**62, 4])
    yield Hostile("offsets that are fractions", plain, scores, [0.0, 1.5, 4.0])
    yield Hostile("fewer scores than labels", plain, scores[:3])
    yield Hostile("matrices", [plain, plain], [scores, scores])
    yield Hostile("ragged lists", [[1.0], [0.0, 2.0]], [[0.1], [0.2, 0.3]])
    yield Hostile("text", ["2", "x", "", "0"], ["a", "b", "c", "d"])
    yield Hostile("None", [None, 1, 0, 2], [None, 0.1, 0.2, 0.3])
    yield Hostile("one number", 3.0, 0.5)
    yield Hostile("complex numbers", np.array(plain) * 1j, np.array(scores) * 1j)
    yield Hostile("booleans and bytes", np.array([True, False, True, False]), np.array([3, 2, 1, 0], np.uint8))
    yield Hostile("whole numbers beyond doubles", np.array([2**64 - 1, 1, 0, 2], np.uint64), np.array(scores, ">f4"))
    yield Hostile("strides", np.array(plain * 2)[::-2], np.array(scores * 3)[::3])
    yield Hostile("a long list of ties", np.arange(600.0) % 3, np.zeros(600), [0, 1, 300, 600])


SETS = tuple(_sets())

_Argument = Callable[[Hostile, Path], Any]


def _nth(*choices: Any) -> _Argument:
    """Return one of these, in turn over the data sets."""
    return lambda hostile, folder: choices[SETS.index(hostile) % len(choices)]


def _size(values: Any) -> int:
    return len(values) if isinstance(values, (list, np.ndarray)) else 1


def _data(hostile: Hostile, folder: Path) -> Any:
    """Return the set as RankingData; one that cannot be made is refused here, with an error of the package."""
    n = _size(hostile.labels)
    features = np.column_stack([np.arange(n) % 5, np.arange(n) % 3]).astype(np.float32)
    offsets = [0, n] if hostile.offsets is None else hostile.offsets
    return ir.from_arrays(hostile.labels, offsets=offsets, features=features, scores=hostile.scores)


def _nested(hostile: Hostile, what: str) -> Any:
    values = getattr(hostile, what)
    numbers = list(values) if isinstance(values, (list, np.ndarray)) else [values]
    return {"q1": {f"d{i}": number for i, number in enumerate(numbers)}, "q2": {"d1": 1}}


def _matrix(hostile: Hostile, folder: Path) -> Any:
    try:
        column = np.asarray(hostile.scores)
        return np.column_stack([column, column[::-1]]) if column.ndim == 1 else column
    except ValueError:  # ragged
        return hostile.scores


def _file(hostile: Hostile, folder: Path) -> Path:
    """Write the set as text, whatever the reader expects."""
    path = folder / f"{SETS.index(hostile)}.txt"
    labels, scores = (np.array(values, object).ravel().tolist() for values in _aligned(hostile))
    line = _nth("{0} qid:1 1:{1}\n", "q1 0 d{2} {0}\n", "q1 Q0 d{2} 1 {1} t\n", "{1}\n", "{0},{1}\n")(hostile, folder)
    path.write_text("".join(line.format(a, b, i) for i, (a, b) in enumerate(zip(labels, scores, strict=False))))
    return path


def _aligned(hostile: Hostile) -> Iterator[list[Any]]:
    for values in (hostile.labels, hostile.scores):
        yield [str(value) for value in values] if isinstance(values, (list, np.ndarray)) else [str(values)]


def _frame(hostile: Hostile, folder: Path) -> Any:
    """Return an Arrow table, if Arrow takes the columns."""
    import pyarrow as pa

    n = _size(hostile.labels)
    columns = {"qid": ["q1"] * n, "label": hostile.labels, "score": hostile.scores, "doc": [f"d{i}" for i in range(n)]}
    try:
        return pa.table(columns)
    except (pa.ArrowException, TypeError, ValueError):
        return pa.table({"qid": ["q1"] * n, "label": [str(hostile.labels)] * n})


@functools.cache
def _fitted() -> Any:
    return learners.ListNet(max_iter=1).fit([[0.0, 1.0], [1.0, 0.0]], [0, 1], qid=[1, 1])


@functools.cache
def _evaluation() -> Any:
    return ir.evaluate({"q1": {"d1": 1}}, {"q1": {"d1": 0.5}}, "ndcg")


_labels: _Argument = lambda hostile, folder: hostile.labels  # noqa: E731
_scores: _Argument = lambda hostile, folder: hostile.scores  # noqa: E731
_curves = _nth(
    theory.StepCurve([0, 0.5, 1], [0.2, 0.9]),
    lambda s: s,
    lambda s: 0 * s,
    lambda s: np.nan * s,
    3.0,
    "x",
    lambda s: 1 + s,
)
_numbers = _nth(0.1, 0.0, 1.0, -1.0, np.nan, np.inf, 1e308, 5e-324, 3)
_counts = _nth(2, 0, 1, -1, 3, 1000, True)
_words = _nth(
    "ndcg@10", "", "ndcg@0", "ndcg@", "ndcg(gain=x)", "a" + " " * 50 + "!", "ndcg(" * 20, "err@5", None, 7, "\0"
)
_losses = _nth("list_mle", "least_squares(normalizer=dcg)", "cross_entropy", "", "x", None, "approx_ndcg(alpha=nan)")
_discounts = _nth("log", "zipf", "power:0.5", "geometric:2", "", "x", "power:-1", [1, 0.5], [], None, discounts.Letor())

#: What is passed for a parameter, by its name.
ARGUMENTS: dict[str, _Argument] = {
    "labels": _labels,
    "scores": _scores,
    "offsets": lambda hostile, folder: hostile.offsets,
    "a": _labels,
    "b": _scores,
    "auc": _scores,
    "alpha": _numbers,
    "baseline": _nth("A", "B", None),
    "batches": lambda hostile, folder: iter([_data(hostile, folder)]),
    "beta": _numbers,
    "c": _numbers,
    "candidate": lambda hostile, folder: _nested(hostile, "scores"),
    "count": _counts,
    "curve": _curves,
    "curve_a": _curves,
    "curve_b": _curves,
    "data": _data,
    "datasets": lambda hostile, folder: {
        "one": (_nested(hostile, "labels"), {name: _nested(hostile, "scores") for name in "AB"}),
        "two": {"A": hostile.scores, "B": 0.5},
    },
    "delta": _numbers,
    "df": _frame,
    "differences": _scores,
    "discount": _discounts,
    "edges": _scores,
    "excess": _scores,
    "exponent": _numbers,
    "first": _labels,
    "folder": lambda hostile, folder: folder,
    "folds": lambda hostile, folder: [(_data(hostile, folder),) * 3],
    "function": lambda hostile, folder: lambda labels, scores: hostile.scores,
    "functions": lambda hostile, folder: {1.0: _curves(hostile, folder)},
    "gains": _labels,
    "highest": _numbers,
    "k": _counts,
    "kind": _words,
    "human": _scores,
    "judgments": lambda hostile, folder: _nested(hostile, "labels"),
    "item_factors": lambda hostile, folder: [[score] for score in np.atleast_1d(np.asarray(hostile.scores, object))],
    "label_vectors": lambda hostile, folder: np.atleast_2d(np.asarray(_matrix(hostile, folder), object)),
    "lists": lambda hostile, folder: [np.roll(np.asarray(hostile.labels, object), i) for i in range(60)],
    "outcomes": lambda hostile, folder: np.resize(np.asarray(hostile.scores, object), 60),
    "system": lambda hostile, folder: _nested(hostile, "scores"),
    "like": _nth(["trec_eval"], ["sklearn", "lightgbm"], ["x"], [""], []),
    "loss": _losses,
    "losses": lambda hostile, folder: [_losses(hostile, folder)],
    "margin": _numbers,
    "machine": _labels,
    "matrices": lambda hostile, folder: [_matrix(hostile, folder)] * 2,
    "matrix": _matrix,
    "measure": _words,
    "measures": _nth("ndcg@10", ["ap", "rr"], "", "ndcg@0", "ndcg(gain=x)", ["ndcg("], "err@5", "\0", []),
    "message": _words,
    "model": lambda hostile, folder: _fitted(),
    "n": _counts,
    "n_docs": _nth(2, 0, 1, -1, 3),
    "n_features": _nth(2, 5),
    "n_others": _labels,
    "n_permutations": lambda hostile, folder: 20,
    "n_queries": _counts,
    "n_relevant": _counts,
    "n_resamples": lambda hostile, folder: 20,
    "n_draws": lambda hostile, folder: 20,
    "n_pairs": lambda hostile, folder: 5,
    "name": _words,
    "p": _numbers,
    "p_values": _scores,
    "parts": lambda hostile, folder: [_data(hostile, folder)] * 2,
    "path": _file,
    "pilot": _scores,
    "probabilities": _scores,
    "psi": _nth("squared", "kl", "pnorm:1.5", "x", "", None, "pnorm:1"),
    "qrels": lambda hostile, folder: ir.Qrels(_nested(hostile, "labels")),
    "queries": lambda hostile, folder: _nested(hostile, "labels"),
    "query_ids": lambda hostile, folder: np.arange(max(np.size(hostile.offsets) - 1, 0)),
    "ranker": lambda hostile, folder: learners.ListNet(max_iter=2),
    "rankers": lambda hostile, folder: {"A": learners.RandomRanker()},
    "refine": lambda hostile, folder: False,
    "rel": _numbers,
    "result": lambda hostile, folder: _evaluation(),
    "ranking": _labels,
    "reference": _scores,
    "run": lambda hostile, folder: ir.Run(_nested(hostile, "scores")),
    "scores_a": _scores,
    "scores_b": _scores,
    "second": _scores,
    "seed": _nth(0, 0, -1, 0, 2.5, 0, "x", 0, [1]),
    "relevant": lambda hostile, folder: [hostile.labels],
    "settings": lambda hostile, folder: {"l2": [0.1]},
    "sizes": _labels,
    "surrogate": _losses,
    "systems": lambda hostile, folder: {"A": hostile.scores, "B": hostile.scores},
    "target": _labels,
    "test": _scores,
    "train": _scores,
    "user_factors": lambda hostile, folder: [[1.0]],
    "value": _words,
    "values": _labels,
    "variance": _numbers,
    "width": _numbers,
}


def arguments_of(names: list[str], hostile: Hostile, folder: Path) -> dict[str, Any]:
    """Return an argument for each of these parameters."""
    return {name: ARGUMENTS[name](hostile, folder) for name in names}
