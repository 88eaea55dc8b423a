"""Measuring: NDCG on arrays, families of measures, one long list, and a run from file to table."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.generate import run_file
from benchmarks.processes import peak_memory, run_process
from benchmarks.runner import Comparison, Contestant, Digest, Mark, Setting, as_returned, entry
from benchmarks.targets import AtLeast, AtMost
from idealrank._typing import Floats

_LENGTH = 100
_DISCOUNTS = 1 / np.log2(np.arange(2, 12))


def _lists(n_queries: int) -> tuple[Floats, Floats, npt.NDArray[np.int64]]:
    """Labels and scores, one row per query, and offsets; labels 0 to 4, most of them 0, no ties."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 5, (n_queries, _LENGTH)) * (rng.random((n_queries, _LENGTH)) < 0.4)
    return labels.astype(float), rng.normal(size=labels.shape), np.arange(0, labels.size + 1, _LENGTH)


@entry
def ndcg_at_10(setting: Setting) -> Iterator[Comparison]:
    import idealrank as ir

    labels, scores, offsets = _lists(setting.size(100_000))
    ours, measure = (labels.ravel(), scores.ravel(), offsets), ir.measure("ndcg@10")
    yield Comparison(
        f"NDCG@10, {labels.size / 1e6:g} M documents in lists of {_LENGTH}",
        Contestant("idealrank", lambda: measure(*ours), digest=_mean),
        [
            Contestant("NumPy, full sort", lambda: _numpy_sort(labels, scores), AtLeast(3), digest=_mean),
            Contestant("NumPy, partition", lambda: _numpy_partition(labels, scores), AtLeast(3), digest=_mean),
            Contestant("idealrank, 1 thread", lambda: measure(*ours, n_threads=1), digest=_mean),
            Contestant("one pass", lambda: np.vdot(scores, labels), is_floor=True),
        ],
        amount=labels.size / 1e6,
        amount_unit="M",
    )
    few = slice(0, setting.size(10_000))
    part = (labels[few].ravel(), scores[few].ravel(), offsets[: few.stop + 1])
    yield Comparison(
        f"NDCG@10, {part[0].size / 1e6:g} M documents in lists of {_LENGTH}",
        Contestant("idealrank", lambda: measure(*part), digest=_mean),
        [
            Contestant(
                "scikit-learn",
                lambda: _sklearn(labels[few], scores[few]),
                AtLeast(30),
                "sklearn",
                "scikit-learn",
                _mean,
            ),
            Contestant("one pass", lambda: np.vdot(scores[few], labels[few]), is_floor=True),
        ],
        amount=part[0].size / 1e6,
        amount_unit="M",
    )


@entry
def twenty_measures(setting: Setting) -> Iterator[Comparison]:
    from idealrank.data.lists import Lists
    from idealrank.measures import NDCG
    from idealrank.measures.measure_base import run

    labels, scores, offsets = _lists(setting.size(100_000))
    lists = Lists.of(labels.ravel(), scores.ravel(), offsets)
    family = [
        NDCG(gain=gain, discount=discount, cutoff=cutoff).with_convention().plan()
        for gain in ("exp2", "linear")
        for discount in ("log", "power:0.5", "zipf", "geometric:2", "letor")
        for cutoff in (10, None)
    ]
    yield Comparison(
        f"20 measures, {labels.size / 1e6:g} M documents in lists of {_LENGTH}",
        Contestant("idealrank, all 20", lambda: run(family, lists, "average")),
        [
            Contestant("idealrank, NDCG alone", lambda: run(family[1:2], lists, "average"), AtMost(2)),
            Contestant("idealrank, NDCG@10 alone", lambda: run(family[:1], lists, "average")),
        ],
    )


@entry
def one_long_list(setting: Setting) -> Iterator[Comparison]:
    import idealrank as ir

    n_docs = setting.size(1_000_000)
    rng = np.random.default_rng(1)
    labels, scores = rng.integers(0, 5, n_docs).astype(float), rng.normal(size=n_docs)
    measure = ir.measure("ndcg")
    yield Comparison(
        f"NDCG of one list of {n_docs:,} documents",
        Contestant("idealrank", lambda: measure(labels, scores)),
        [Contestant("np.argsort, stable", lambda: np.argsort(-scores, kind="stable"), AtMost(1), is_floor=True)],
    )


@entry
def evaluating_a_run(setting: Setting) -> Iterator[Comparison]:
    n_queries = setting.size(1000)
    run = run_file(setting.folder, n_queries, 1000)
    qrels = _judgments(run)
    files = [str(qrels), str(run)]
    ours = [sys.executable, "-m", "idealrank", "evaluate", *files, "-m", "ndcg@10", "-m", "ap", "--quiet"]
    peer = [sys.executable, "-c", _PYTREC_EVAL, *files]
    least = [sys.executable, "-c", "import sys, numpy; [open(file, 'rb').read() for file in sys.argv[1:]]", *files]
    yield Comparison(
        f"run of {n_queries * 1000:,} lines to ndcg@10 and ap, whole process",
        Contestant("idealrank evaluate", lambda: run_process(ours, setting.folder)),
        [
            Contestant(
                "pytrec_eval",
                lambda: run_process(peer, setting.folder),
                AtLeast(3),
                "pytrec_eval",
                "pytrec_eval-terrier",
            ),
            Contestant("import NumPy, read", lambda: run_process(least, setting.folder), is_floor=True),
        ],
    )
    imports = "import idealrank as ir"
    expression = f"ir.evaluate(ir.read_qrels({str(qrels)!r}), ir.read_run({str(run)!r}), ['ndcg@10', 'ap']).mean"
    yield Comparison(
        f"run of {n_queries * 1000:,} lines to ndcg@10 and ap, peak memory over that of the imports",
        Contestant("idealrank", lambda: peak_memory(imports, expression, setting.folder)),
        [Mark("250 MB", 250e6, AtMost(1))],
        unit="B",
        meter=as_returned,
    )


def _judgments(run: Path) -> Path:
    """Judgments of every twentieth document of a run, labels 0 to 3."""
    path = run.with_suffix(".qrels")
    if not path.exists():
        with run.open("rb") as lines, path.open("wb") as file:
            for number, line in enumerate(lines):
                if number % 20 == 0:
                    query, _, doc, *_ = line.split()
                    file.write(b"%s 0 %s %d\n" % (query, doc, number // 20 * 7 % 4))
    return path


_PYTREC_EVAL = """
import sys, pytrec_eval
with open(sys.argv[1]) as qrels, open(sys.argv[2]) as run:
    evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(qrels), {"ndcg_cut.10", "map"})
    results = evaluator.evaluate(pytrec_eval.parse_run(run))
for measure in ("ndcg_cut_10", "map"):
    print(measure, sum(values[measure] for values in results.values()) / len(results))
"""


def _mean(values: Floats) -> Digest:
    return (float(np.mean(values)),)


def _numpy_sort(labels: Floats, scores: Floats) -> Floats:
    return _ratio(labels, np.argsort(-scores, axis=1)[:, :10])


def _numpy_partition(labels: Floats, scores: Floats) -> Floats:
    top = np.argpartition(-scores, 10, axis=1)[:, :10]
    order = np.argsort(-np.take_along_axis(scores, top, axis=1), axis=1)
    return _ratio(labels, np.take_along_axis(top, order, axis=1))


def _ratio(labels: Floats, top: npt.NDArray[Any]) -> Floats:
    ideal = -np.partition(-labels, 10, axis=1)[:, :10]
    ideal.sort(axis=1)
    best = (np.exp2(ideal[:, ::-1]) - 1) @ _DISCOUNTS
    actual = (np.exp2(np.take_along_axis(labels, top, axis=1)) - 1) @ _DISCOUNTS
    return np.divide(actual, best, out=np.zeros_like(best), where=best > 0)


def _sklearn(labels: Floats, scores: Floats) -> float:
    from sklearn.metrics import ndcg_score

    return float(ndcg_score(np.exp2(labels) - 1, scores, k=10))
