"""Everything that idealrank prints: ``python -m benchmarks.recordings record FOLDER`` and ``... compare OLD NEW``.

A refactoring must not change output. `record` runs the commands on three small data sets (TREC files, LETOR text, a
data frame) in all output formats, and the same functions through Python, and writes one text file per case. `compare`
shows what differs between two recordings. The file also runs by its path, under the Python of any build:

    OLD/.venv/bin/python benchmarks/recordings.py record /tmp/old
    NEW/.venv/bin/python benchmarks/recordings.py record /tmp/new
    python benchmarks/recordings.py compare /tmp/old /tmp/new

It uses only public names; for a name that moved, it tries the old place and the new one.
"""

import argparse
import difflib
import hashlib
import inspect
import json
import os
import re
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

__all__ = ["main"]

FORMATS = ("text", "json", "csv", "markdown", "latex", "html")
# What a file that a case reads and writes is called: each case runs in a folder of its own with a link to the data.
QRELS = "data/trec/qrels.txt"
RUNS = [f"data/trec/{name}.run" for name in ("bm25", "dense", "hybrid", "partial")]
LETOR = "data/letor/test.txt"
SCORES = [f"data/letor/{name}.txt" for name in ("good", "fair", "poor")]


class Case(NamedTuple):
    """A command to run: its name, which is a path, its arguments, and what it reads from standard input."""

    name: str
    arguments: list[str]
    stdin: str = ""


# ---------------------------------------------------------------------------------------------------------------- data


def make_data(folder: Path) -> None:
    """Write the three data sets, with plain Python: writers of idealrank may be what changes."""
    _make_trec(folder / "trec")
    _make_leaderboard(folder)
    _make_letor(folder / "letor")
    _make_frames(folder / "frame")
    (folder / "metrics.py").write_text(_METRICS)


def _write(path: Path, lines: Iterable[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines))


def _qrels_lines(qrels: Mapping[str, Mapping[str, float]]) -> Iterator[str]:
    return (f"{query} 0 {doc} {label:g}" for query, labels in qrels.items() for doc, label in labels.items())


def _run_lines(run: Mapping[str, Mapping[str, float]], tag: str) -> Iterator[str]:
    for query, scores in run.items():
        ranked = sorted(scores.items(), key=lambda pair: -pair[1])
        yield from (f"{query} Q0 {doc} {rank} {score:.6g} {tag}" for rank, (doc, score) in enumerate(ranked, 1))


def _searches(n_queries: int, seed: int) -> tuple[dict[str, dict[str, float]], dict[str, dict[str, dict[str, float]]]]:
    """Judgments and four runs as plain dicts; the fourth run is noisier, retrieves less and has not all queries."""
    import idealrank as ir

    searches = ir.datasets.search_runs(n_queries=n_queries, seed=seed)
    qrels = {query: dict(labels) for query, labels in searches.qrels.items()}
    runs = {name: {query: dict(scores) for query, scores in run.items()} for name, run in searches.runs.items()}
    random = np.random.default_rng(seed)
    runs["partial"] = {
        query: {doc: score + float(random.normal()) for doc, score in list(scores.items())[:12]}
        for query, scores in list(runs["bm25"].items())[: n_queries - 3]
    }
    return qrels, runs


def _make_trec(folder: Path) -> None:
    qrels, runs = _searches(50, 0)
    random = np.random.default_rng(7)
    machine = {
        query: {doc: float(np.clip(label + random.integers(-1, 2), 0, 3)) for doc, label in labels.items()}
        for query, labels in qrels.items()
    }
    _write(folder / "qrels.txt", _qrels_lines(qrels))
    for name, run in runs.items():
        _write(folder / f"{name}.run", _run_lines(run, name))
    _write(folder / "machine.qrels", _qrels_lines(machine))
    (folder / "machine.json").write_text(json.dumps({q: {d: int(x) for d, x in m.items()} for q, m in machine.items()}))
    _write(folder / "human.qrels", _qrels_lines(dict(list(qrels.items())[:20])))
    some = {query: dict(list(labels.items())[::2]) for query, labels in qrels.items()}
    _write(folder / "some.qrels", _qrels_lines(some))
    kinds = ("long", "short", "navigational")
    _write(folder / "types.txt", (f"{query} {kinds[i % 3]}" for i, query in enumerate(qrels)))
    _write(folder / "weights.txt", (f"{query} {1 + i % 4}" for i, query in enumerate(qrels)))
    subtopics = (
        f"{query} {1 + (i + j) % 3} {doc} {int(label > 0)}"
        for i, (query, labels) in enumerate(qrels.items())
        for j, (doc, label) in enumerate(labels.items())
    )
    _write(folder / "subtopics.diversity", subtopics)
    (folder / "run.json").write_text(json.dumps(runs["dense"]))
    _write(folder / "empty.txt", [])
    _write(folder / "broken.run", ["q1 Q0 d1 1 0.5 t", "q1 Q0 d2 two"])
    _write(folder / "nan.run", ["q1 Q0 d1 1 nan t"])
    doubled = list(_run_lines(runs["bm25"], "doubled"))
    _write(folder / "doubled.run", [*doubled[:30], *doubled[:3]])
    _write(folder / "strange.run", (line.replace("q", "x") for line in doubled[:5]))


def _make_leaderboard(folder: Path) -> None:
    for i, name in enumerate(("alpha", "beta", "gamma", "delta")):
        qrels, runs = _searches(15, 10 + i)
        _write(folder / "board" / "qrels" / f"{name}.qrels", _qrels_lines(qrels))
        for system in ("bm25", "dense", "hybrid"):
            _write(folder / "board" / system / f"{name}.run", _run_lines(runs[system], system))
            number = round(0.3 + 0.05 * i + 0.02 * len(system), 4)
            entries = [{"hf_subset": "default", "main_score": number, "ndcg_at_10": number / 2}]
            path = folder / "mteb" / system / "revision" / f"{name}.json"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps({"task_name": name, "mteb_version": "2.1", "scores": {"test": entries}}))


def _letor_data() -> tuple[Any, Any, list[np.ndarray]]:
    import idealrank as ir

    parts = ir.datasets.web_search(n_queries=24, n_docs=60, n_features=8, seed=3)
    features = np.asarray(parts.test.features, dtype=float)
    random = np.random.default_rng(5)
    quality = parts.test.labels + random.normal(size=len(features))
    scores = [quality, quality + random.normal(size=len(features)), features[:, 0].round(1)]
    return parts.train, parts.test, scores


def _make_letor(folder: Path) -> None:
    train, test, scores = _letor_data()
    for name, data in (("train", train), ("test", test)):
        sizes = np.diff(data.offsets)
        queries = [query for query, size in zip(data.query_ids, sizes, strict=True) for _ in range(size)]
        rows = [
            " ".join(f"{column}:{float(value):.5g}" for column, value in enumerate(row, 1)) for row in data.features
        ]
        labelled = list(zip(data.labels, queries, rows, strict=True))
        _write(folder / f"{name}.txt", (f"{label:g} qid:{query} {row}" for label, query, row in labelled))
        _write(folder / f"{name}.svm", (f"{label:g} {row}" for label, _, row in labelled))
        _write(folder / f"{name}.group", map(str, sizes))
    for path, values in zip(SCORES, scores, strict=True):
        _write(folder / Path(path).name, (f"{value:.6g}" for value in values))
    _write(folder / "short.txt", ["1", "2"])


def _make_frames(folder: Path) -> None:
    _, test, scores = _letor_data()
    sizes = np.diff(test.offsets)
    columns: dict[str, list[Any]] = {
        "session": [f"s{i}" for i, size in enumerate(sizes) for _ in range(size)],
        "item": [f"d{j}" for size in sizes for j in range(size)],
        "clicked": [int(label) for label in test.labels],
        "kind": [("new", "old")[i % 2] for i, size in enumerate(sizes) for _ in range(size)],
        **{
            name: [round(float(x), 5) for x in values]
            for name, values in zip(("good", "fair", "poor"), scores, strict=True)
        },
    }
    rows = zip(*columns.values(), strict=True)
    _write(folder / "log.csv", [",".join(columns), *(",".join(map(str, row)) for row in rows)])
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table(columns), folder / "log.parquet")


_METRICS = '''import math


def ndcg(relevant, ranked, k=10):
    """DCG by rank + 1, normalized by the retrieved documents only."""
    gains = [relevant.get(doc, 0) for doc in ranked[:k]]
    ideal = sorted(gains, reverse=True)
    dcg = sum(g / math.log2(i + 2) for i, g in enumerate(gains))
    best = sum(g / math.log2(i + 2) for i, g in enumerate(ideal))
    return dcg / best if best else 0.0


def mine(labels, scores, k):
    order = sorted(range(len(labels)), key=lambda i: -scores[i])
    value = lambda order: sum((2 ** labels[i] - 1) / math.log2(r + 2) for r, i in enumerate(order[:k]))
    best = value(sorted(range(len(labels)), key=lambda i: -labels[i]))
    return value(order) / best if best else 1.0


def broken(labels, scores):
    raise KeyError("no such key")


def constant(labels, scores):
    return 0.5
'''


# ------------------------------------------------------------------------------------------------------------ commands


def cases() -> Iterator[Case]:
    """Every command with its options; those marked with all formats once per format."""
    for name, arguments, formats in [
        *_evaluate_cases(),
        *_compare_cases(),
        *_unjudged_cases(),
        *_theory_cases(),
        *_tool_cases(),
        *_error_cases(),
    ]:
        for form in formats:
            yield Case(f"{name}/{form}" if formats != ("text",) else name, _with_format(arguments, form))
    yield from _help_cases()
    yield Case("evaluate/stdin", ["evaluate", QRELS, "-"], "stdin:" + RUNS[0])
    yield Case("convert/stdin", ["convert", "-", "-", "--from", "run", "--to", "csv"], "stdin:" + RUNS[0])


def _with_format(arguments: list[str], form: str) -> list[str]:
    if form == "text":
        return arguments
    return [*arguments, "--html", "page.html"] if form == "html" else [*arguments, "--format", form]


_Row = tuple[str, list[str], tuple[str, ...]]
_ALL, _NO_PAGE, _TWO, _TEXT = FORMATS, FORMATS[:-1], ("text", "json"), ("text",)
_MEASURES = """ndcg dcg@5 linear_ndcg ap rr p@10 recall@20 f1@5 hit_rate@10 r_precision err@20 rbp bpref inf_ap
iprec_at_recall eleven_point set_f gm_map num_q num_ret num_rel num_rel_ret judged@10 tied kendall_tau auc ndcg@n^0.5
ndcg(gain=exp2,discount=power:0.5)@10 P.5,10 nDCG@20 corrected_ndcg@10"""
_COMMANDS = """agreement bounds compare consistency convert demo distinguish evaluate explain export gate identify
judge-next leaderboard limits power reproduce score train trec_eval"""
_COLUMNS = ["--query", "session", "--doc", "item", "--label", "clicked"]


def _evaluate_cases() -> list[_Row]:
    one, two = [QRELS, RUNS[0]], [QRELS, *RUNS[:2]]
    measures = ["-m", "ndcg@10", "-m", "ap", "-m", "p@5"]
    return [
        ("evaluate/one", ["evaluate", *one], _ALL),
        ("evaluate/four", ["evaluate", QRELS, *RUNS, *measures, "--interval"], _ALL),
        ("evaluate/letor", ["evaluate", LETOR, *SCORES, "-m", "ndcg@10", "-m", "ndcg@20%", "--interval"], _ALL),
        ("evaluate/csv", ["evaluate", "data/frame/log.csv", "good", "fair", "poor", *_COLUMNS, "--by", "kind"], _ALL),
        ("evaluate/parquet", ["evaluate", "data/frame/log.parquet", "good", "fair", *_COLUMNS, "--interval"], _TWO),
        ("evaluate/score_column", ["evaluate", "data/frame/log.csv", *_COLUMNS, "--score", "good"], _TWO),
        ("evaluate/per_query", ["evaluate", *two, "--per-query", "-m", "ndcg@10"], _ALL),
        ("evaluate/by", ["evaluate", *two, "--by", "data/trec/types.txt", "--interval"], _ALL),
        ("evaluate/weights", ["evaluate", *two, "--query-weights", "data/trec/weights.txt", "--interval"], _TWO),
        ("evaluate/by_weights_per_query", [
            "evaluate", *two, "--by", "data/trec/types.txt", "--query-weights", "data/trec/weights.txt",
            "--per-query", "--interval", "-m", "ap",
        ], ("text", "json", "csv")),
        ("evaluate/digits", ["evaluate", *two, "--digits", "2"], ("text", "markdown", "latex")),
        ("evaluate/quiet", ["evaluate", QRELS, *RUNS, "--quiet"], _TWO),
        ("evaluate/named", ["evaluate", QRELS, f"old={RUNS[0]}", f"new={RUNS[1]}"], _TWO),
        ("evaluate/json_run", ["evaluate", QRELS, "data/trec/run.json", "-m", "rr"], _TWO),
        ("evaluate/group", ["evaluate", "data/letor/test.svm", SCORES[0], "--group", "data/letor/test.group"], _TEXT),
        ("evaluate/subtopics", [
            "evaluate", "data/trec/subtopics.diversity", *RUNS[:2], "--from", "subtopics", "-m", "alpha_ndcg@20",
            "-m", "err_ia@20",
        ], _ALL),
        ("evaluate/many_measures", [
            "evaluate", QRELS, RUNS[2], *(word for name in _MEASURES.split() for word in ("-m", name)),
        ], ("text", "json", "csv")),
        ("evaluate/ties", ["evaluate", QRELS, *RUNS, "-m", "ndcg(ties=worst)", "-m", "ndcg(empty=nan)@5"], _TWO),
        ("evaluate/unjudged", ["evaluate", *two, "--unjudged", "drop"], _TWO),
        ("evaluate/missing_zero", ["evaluate", QRELS, RUNS[3], "--missing", "0"], _TWO),
        ("evaluate/missing_drop", ["evaluate", QRELS, RUNS[3], "--missing", "drop"], _TWO),
        ("evaluate/problems", ["evaluate", QRELS, "data/trec/doubled.run", "--like", "idealrank"], _TWO),
        *(
            (f"evaluate/like_{tool}", ["evaluate", *two, "--like", tool, "-m", "ndcg@10", "-m", "ap"], _TEXT)
            for tool in ("idealrank", "sklearn", "ranx", "lightgbm", "gdeval", "msmarco", "beir", "letor3")
        ),
        ("explain/two", ["explain", *one, "--like", "trec_eval", "--like", "lightgbm"], _ALL),
        ("explain/three", [
            "explain", *one, "-m", "ndcg@10", "--like", "sklearn", "--like", "xgboost", "--like", "ranx",
            "--digits", "3",
        ], _ALL),
        ("explain/letor", ["explain", LETOR, SCORES[2], "--like", "idealrank", "--like", "letor3"], _TWO),
        ("explain/csv", [
            "explain", "data/frame/log.csv", "poor", *_COLUMNS, "--like", "sklearn", "--like", "catboost",
        ], _TWO),
        ("explain/ap", ["explain", QRELS, RUNS[3], "-m", "ap", "--like", "trec_eval", "--like", "ir_measures"], _TWO),
        ("explain/missing", [
            "explain", QRELS, RUNS[3], "--missing", "0", "--unjudged", "drop", "--like", "trec_eval", "--like", "beir",
        ], _TWO),
    ]  # fmt: skip


def _compare_cases() -> list[_Row]:
    seed = ["--seed", "1", "--permutations", "2000"]
    three_forms = ("text", "latex", "markdown")
    four = [QRELS, *RUNS, *seed]
    bounds = "unjudged-bounds" if find_spec("idealrank._present") else "holes"  # as the flag was called
    three = [LETOR, *SCORES, *seed]
    machine = ["--machine", "data/trec/machine.qrels"]
    return [
        ("compare/four", ["compare", *four, "-m", "ndcg@10", "-m", "ap"], _ALL),
        ("compare/baseline", ["compare", *four, "--baseline", "bm25"], _ALL),
        ("compare/letor", ["compare", *three, "--test", "tukey"], _ALL),
        ("compare/csv", ["compare", "data/frame/log.csv", "good", "fair", *_COLUMNS, *seed, "--by", "kind"], _ALL),
        ("compare/two", ["compare", QRELS, *RUNS[:2], *seed], _TWO),
        ("compare/by_weights", [
            "compare", *four, "--by", "data/trec/types.txt", "--query-weights", "data/trec/weights.txt",
        ], ("text", "json", "csv", "html")),
        *(
            (f"compare/test_{test}", ["compare", *four, "--test", test, *extra], _TWO)
            for test, extra in (
                ("t", ["--baseline", "dense"]), ("wilcoxon", []), ("sign", []), ("bootstrap", []),
                ("randomization", []), ("tukey", ["--level", "0.1"]),
            )
        ),
        *(
            (f"compare/correction_{name}", ["compare", *four, "--correction", name], ("text", "csv"))
            for name in ("benjamini_hochberg", "bonferroni", "none")
        ),
        *(
            (f"compare/intervals_{name}", ["compare", *four, "--intervals", name], ("text", "json"))
            for name in ("percentile", "bca")
        ),
        ("compare/holes", ["compare", *four, f"--{bounds}"], _ALL),
        ("compare/no_holes", ["compare", *four, f"--no-{bounds}", "--all", "--digits", "2"], three_forms),
        ("gate/baseline", ["gate", QRELS, RUNS[1], "--baseline", RUNS[0], "-m", "ndcg@10", "-m", "ap"], _ALL),
        ("gate/junit", ["gate", QRELS, RUNS[0], "--baseline", RUNS[1], "--margin", "2%", "--format", "junit"], _TEXT),
        ("gate/by", [
            "gate", QRELS, RUNS[3], "--baseline", RUNS[0], "--by", "data/trec/types.txt", "--removed", "zero",
        ], _TWO),
        ("gate/save", ["gate", QRELS, RUNS[0], "-m", "ndcg@10", "--save", "baseline.json"], _TEXT),
        ("compare/underline", ["compare", *four, "--underline", "--baseline", "bm25"], ("latex",)),
        ("compare/quiet", ["compare", *four, "--quiet"], _TWO),
        ("compare/like", ["compare", *four, "--like", "sklearn", "--missing", "drop", "--unjudged", "drop"], _TWO),
        ("compare/machine", ["compare", "data/trec/human.qrels", *RUNS[:3], *machine, "--seed", "1"], _NO_PAGE),
        ("compare/machine_baseline", [
            "compare", "data/trec/human.qrels", *RUNS[:3], *machine, "--seed", "1", "--baseline", "bm25", "-m", "ap",
            "-m", "ndcg@10", "--level", "0.1",
        ], ("text", "json", "csv")),
        ("compare/machine_documents", [
            "compare", "data/trec/some.qrels", *RUNS[:3], *machine, "--seed", "1", "--human-sample", "documents",
        ], _NO_PAGE),
        ("leaderboard/queries", ["leaderboard", "data/board/qrels", *(
            f"data/board/{name}" for name in ("bm25", "dense", "hybrid")
        )], _ALL),
        ("leaderboard/baseline", [
            "leaderboard", "data/board/qrels", "old=data/board/bm25", "new=data/board/dense", "--baseline", "old",
            "--weights", "queries", "--method", "randomization", "--permutations", "500", "--seed", "2",
        ], ("text", "json", "csv")),
        ("leaderboard/datasets", [
            "leaderboard", "data/board/qrels", "data/board/bm25", "data/board/dense", "data/board/hybrid",
            "--over", "datasets", "-m", "ap", "--level", "0.2", "--method", "bootstrap", "--permutations", "500",
        ], _TWO),
        ("leaderboard/results", [
            "leaderboard", "--results", *(f"data/mteb/{name}" for name in ("bm25", "dense", "hybrid")),
        ], _ALL),
        ("agreement/four", ["agreement", *RUNS], _NO_PAGE),
        ("agreement/options", [
            "agreement", *RUNS[:3], "-p", "0.98", "--depth", "10", "--ties", "docid_desc", "-m", "rbo_min", "-m", "rbo",
        ], _TWO),
        ("agreement/per_query", ["agreement", *RUNS[:2], "--per-query"], ("text", "csv", "json")),
    ]  # fmt: skip


def _unjudged_cases() -> list[_Row]:
    return [
        ("bounds/four", ["bounds", QRELS, *RUNS], _ALL),
        ("bounds/one", ["bounds", QRELS, RUNS[0], "-m", "ap", "--unseen", "2"], _TWO),
        ("bounds/baseline", ["bounds", QRELS, *RUNS, "--baseline", "bm25", "-m", "rbp", "--seed", "3"], _TWO),
        ("bounds/like", ["bounds", QRELS, *RUNS[:2], "--like", "sklearn", "--missing", "drop"], _TWO),
        ("judge_next/four", ["judge-next", QRELS, *RUNS], _NO_PAGE),
        ("judge_next/options", ["judge-next", QRELS, *RUNS[:2], "-n", "3", "-m", "p@5", "--baseline", "dense"], _TWO),
        ("judge_next/one", ["judge-next", QRELS, RUNS[2], "-n", "4", "--missing", "0"], _TWO),
    ]


def _theory_cases() -> list[_Row]:
    few = ["--resamples", "50"]
    return [
        ("distinguish/letor", ["distinguish", LETOR, *SCORES[:2], *few], _ALL),
        ("distinguish/three", ["distinguish", LETOR, *SCORES, *few, "-m", "ndcg@10", "-m", "ndcg"], _ALL),
        ("distinguish/trec", ["distinguish", QRELS, *RUNS[:3], *few, "-m", "ndcg@10", "-m", "ndcg", "--explain"], _TWO),
        ("distinguish/plot", [
            "distinguish", LETOR, *SCORES[:2], *few, "-m", "ndcg@20%", "--plot", "wins.svg", "--orders", "2",
            "--risk", "0.1",
        ], _TEXT),
        ("distinguish/explain", ["distinguish", LETOR, *SCORES[:2], *few, "--explain"], _TEXT),
        ("distinguish/csv", [
            "distinguish", "data/frame/log.csv", "good", "poor", *_COLUMNS, *few, "-m", "ndcg@10", "--seed", "4",
        ], ("text", "csv")),
        ("limits/letor", ["limits", LETOR, *SCORES[:2]], _ALL),
        ("limits/trec", ["limits", QRELS, *RUNS[:2], "-m", "ndcg", "-m", "ndcg@10", "-m", "ndcg@20%"], _NO_PAGE),
        ("limits/isotonic", [
            "limits", LETOR, SCORES[0], "--method", "isotonic", "--plot", "curve.svg", "--explain",
        ], _TWO),
        ("limits/bins", ["limits", LETOR, SCORES[0], "--method", "bins", "-m", "ndcg(discount=zipf)"], _TWO),
        ("power/two", ["power", QRELS, *RUNS[:2], "-m", "ndcg@10", "-m", "ap", "--delta", "0.02"], _NO_PAGE),
        ("power/four", [
            "power", QRELS, *RUNS, "--delta", "0.01", "--delta", "0.05", "--power", "0.9", "--level", "0.01",
        ], _NO_PAGE),
        ("power/explain", ["power", LETOR, *SCORES, "--explain"], _TWO),
        ("consistency/two", ["consistency", "cross_entropy", "cross_entropy(normalizer=dcg)", "--n-docs", "2"],
         _NO_PAGE),
        ("consistency/levels", ["consistency", "cosine", "--levels", "0,1", "--n-docs", "3", "--explain"], _TWO),
        ("consistency/cutoff", ["consistency", "least_squares(normalizer=1)", "--cutoff", "1", "--n-docs", "2",
                                "--grid"], _TWO),
        ("consistency/measure", ["consistency", "hinge", "--measure", "ap", "--levels", "0,1"], _TWO),
        ("consistency/gain", ["consistency", "list_mle", "--gain", "linear", "--discount", "zipf", "--levels", "0,1,2",
                              "--n-docs", "2"], _TWO),
    ]  # fmt: skip


def _tool_cases() -> list[_Row]:
    trec = ["trec_eval", QRELS, RUNS[0]]
    train = ["train", "data/letor/train.txt", "--seed", "0", "--max-iter", "10", "--out", "model.json"]
    model, names = "data/models/linear.json", ["--features", "a,b,c,d,e,f,g,h"]
    return [
        ("identify/sklearn", ["identify", "sklearn.metrics:ndcg_score"], _ALL),
        ("identify/file", ["identify", "data/metrics.py:ndcg", "--takes", "relevant, ranked, k"], _ALL),
        ("identify/mine", ["identify", "data/metrics.py:mine", "--seed", "3"], _TWO),
        ("identify/few_calls", ["identify", "data/metrics.py:mine", "--max-calls", "9"], _TWO),
        ("identify/constant", ["identify", "data/metrics.py:constant"], _TWO),
        ("identify/broken", ["identify", "data/metrics.py:broken"], _TWO),
        ("trec_eval/default", trec, _TEXT),
        ("trec_eval/all", [*trec, "-m", "all_trec", "-q"], _TEXT),
        ("trec_eval/v9", [*trec, "--v9", "-m", "all_trec", "-l2", "-c"], _TEXT),
        ("trec_eval/options", [*trec, "-q", "-n", "-m", "ndcg_cut.5,10", "-m", "map", "-J", "-M", "10"], _TEXT),
        ("trec_eval/set", [*trec, "-m", "set", "-N", "1000"], _TEXT),
        ("trec_eval/gains", [*trec, "-m", "ndcg.1=3,2=9", "-m", "rbp.p=0.8"], _TEXT),
        ("trec_eval/unknown", [*trec, "-m", "nothing"], _TEXT),
        ("trec_eval/no_file", ["trec_eval", QRELS, "none.run"], _TEXT),
        ("convert/letor_csv", ["convert", LETOR, "out.csv"], _TEXT),
        ("convert/letor_qrels", ["convert", LETOR, "out.qrels"], _TEXT),
        ("convert/letor_parquet", ["convert", LETOR, "out.parquet"], _TEXT),
        ("convert/sparse", ["convert", LETOR, "out.svm", "--sparse"], _TEXT),
        ("convert/group", ["convert", "data/letor/test.svm", "out.csv", "--group", "data/letor/test.group"], _TEXT),
        ("convert/qrels_json", ["convert", QRELS, "out.json"], _TEXT),
        ("convert/run_csv", ["convert", RUNS[0], "out.csv", "-q"], _TEXT),
        ("convert/run_msmarco", ["convert", RUNS[0], "out.txt", "--to", "msmarco"], _TEXT),
        ("convert/json_run", ["convert", "data/trec/run.json", "out.run"], _TEXT),
        ("convert/stdout", ["convert", LETOR, "-", "--to", "qrels"], _TEXT),
        ("convert/broken", ["convert", "data/trec/broken.run", "out.csv"], _TEXT),
        ("convert/unknown", ["convert", QRELS, "out.what"], _TEXT),
        ("train/linear", [*train, "--valid", LETOR, "--normalize", "minmax"], _ALL),
        ("train/loss", [*train, "--loss", "list_mle", "--l2", "0.01", "-m", "ndcg@5"], _TWO),
        ("train/rank_svm", [*train, "--learner", "rank_svm", "--set", "C=0.1"], _TWO),
        ("train/approx_ndcg", [*train, "--learner", "approx_ndcg", "--valid", LETOR, "--quiet"], _TWO),
        ("train/learners", [*train, "--learner", "?"], _TEXT),
        ("train/unknown_learner", [*train, "--learner", "nothing"], _TEXT),
        ("train/unknown_option", [*train, "--set", "nothing=3"], _TEXT),
        ("train/bad_option", [*train, "--l2", "-1"], _TEXT),
        ("score/stdout", ["score", model, LETOR], _TEXT),
        ("score/file", ["score", model, LETOR, "-o", "scores.txt"], _TEXT),
        ("score/run", ["score", model, LETOR, "--run", "mine", "-o", "mine.run", "-q"], _TEXT),
        ("score/no_model", ["score", "data/trec/run.json", LETOR], _TEXT),
        ("export/onnx", ["export", model, "out.onnx", "--to", "onnx"], _TEXT),
        ("export/ranklib", ["export", model, "out.txt", "--to", "ranklib"], _TEXT),
        ("export/opensearch", ["export", model, "out.json", "--to", "opensearch", "--name", "mine", *names], _TEXT),
        ("export/vespa", ["export", model, "out.profile", "--to", "vespa", "--name", "mine", *names], _TEXT),
        ("export/no_names", ["export", model, "out.profile", "--to", "vespa"], _TEXT),
        ("export/unknown", ["export", model, "out.x", "--to", "nothing"], _TEXT),
        ("demo/small", ["demo", "--queries", "8", "--docs", "60"], _ALL),
        ("reproduce/wang2013", ["reproduce", "wang2013", "--data", LETOR, "--seed", "1"], ("text", "json", "html")),
        ("reproduce/jin2013", ["reproduce", "jin2013", "--data", LETOR, "--figures", "figures"], ("text", "csv")),
        ("reproduce/unknown", ["reproduce", "nothing"], _TEXT),
    ]


def _error_cases() -> list[_Row]:
    two = [QRELS, *RUNS[:2]]
    rows = {
        "no_arguments": ["evaluate"],
        "no_systems": ["evaluate", QRELS],
        "no_file": ["evaluate", QRELS, "none.run"],
        "no_data": ["evaluate", "none.txt", RUNS[0]],
        "folder": ["evaluate", "data", RUNS[0]],
        "empty_file": ["evaluate", "data/trec/empty.txt", RUNS[0]],
        "broken_run": ["evaluate", QRELS, "data/trec/broken.run"],
        "nan_score": ["evaluate", QRELS, "data/trec/nan.run"],
        "doubled_run": ["evaluate", QRELS, "data/trec/doubled.run"],
        "no_common_query": ["evaluate", QRELS, "data/trec/strange.run"],
        "unknown_measure": ["evaluate", *two, "-m", "ndgc@10"],
        "bad_cutoff": ["evaluate", *two, "-m", "ndcg@0"],
        "bad_option": ["evaluate", *two, "-m", "ndcg(gian=exp2)"],
        "bad_value": ["evaluate", *two, "-m", "ndcg(gain=exp3)"],
        "unknown_tool": ["evaluate", *two, "--like", "trec-evil"],
        "missing_error": ["evaluate", QRELS, RUNS[3], "--missing", "error"],
        "same_name": ["evaluate", QRELS, RUNS[0], RUNS[0]],
        "short_scores": ["evaluate", LETOR, "data/letor/short.txt"],
        "unknown_column": ["evaluate", "data/frame/log.csv", "none", *_COLUMNS],
        "no_columns": ["evaluate", "data/frame/log.csv", "good"],
        "by_no_file": ["evaluate", *two, "--by", "none.txt"],
        "by_column": ["evaluate", "data/frame/log.csv", "good", *_COLUMNS, "--by", "none"],
        "weights_no_file": ["evaluate", *two, "--query-weights", "none.txt"],
        "bad_format": ["evaluate", *two, "--format", "word"],
        "bad_digits": ["evaluate", *two, "--digits", "99"],
        "bad_page": ["evaluate", *two, "--html", "none/page.html"],
        "from_unknown": ["evaluate", *two, "--from", "nothing"],
        "unknown_command": ["evaluat"],
        "unknown_flag": ["evaluate", *two, "--nothing"],
        "compare_one": ["compare", QRELS, RUNS[0]],
        "compare_baseline": ["compare", *two, "--baseline", "none"],
        "compare_test": ["compare", *two, "--test", "none"],
        "compare_correction": ["compare", *two, "--correction", "none_such"],
        "compare_tukey_baseline": ["compare", *two, "--test", "tukey", "--baseline", "bm25", "--seed", "1"],
        "compare_level": ["compare", *two, "--level", "2"],
        "compare_sample": ["compare", *two, "--human-sample", "documents"],
        "compare_machine_no_file": ["compare", *two, "--machine", "none.qrels"],
        "compare_machine_page": ["compare", *two, "--machine", "data/trec/machine.qrels", "--html", "page.html"],
        "compare_machine_json": ["compare", *two, "--machine", "data/trec/machine.json"],
        "compare_machine_test": ["compare", *two, "--machine", "data/trec/machine.qrels", "--test", "sign"],
        "explain_one": ["explain", QRELS, RUNS[0], "--like", "trec_eval"],
        "explain_missing": ["explain", QRELS, RUNS[3], "-m", "ap", "--like", "trec_eval", "--like", "ranx"],
        "explain_none": ["explain", QRELS, RUNS[0]],
        "distinguish_one": ["distinguish", LETOR, SCORES[0]],
        "distinguish_measure": ["distinguish", LETOR, *SCORES[:2], "-m", "ap"],
        "limits_measure": ["limits", LETOR, SCORES[0], "-m", "ap"],
        "power_one": ["power", QRELS, RUNS[0]],
        "power_delta": ["power", *two, "--delta", "0"],
        "consistency_unknown": ["consistency", "nothing"],
        "consistency_levels": ["consistency", "hinge", "--levels", "a,b"],
        "agreement_one": ["agreement", RUNS[0]],
        "agreement_p": ["agreement", *RUNS[:2], "-p", "2"],
        "bounds_letor": ["bounds", LETOR, SCORES[0]],
        "bounds_measure": ["bounds", QRELS, RUNS[0], "-m", "kendall_tau"],
        "judge_next_n": ["judge-next", QRELS, RUNS[0], "-n", "0"],
        "leaderboard_one": ["leaderboard", "data/board/qrels"],
        "leaderboard_empty": ["leaderboard", "data/letor", "data/board/bm25"],
        "leaderboard_baseline": ["leaderboard", "data/board/qrels", "data/board/bm25", "--baseline", "none"],
        "identify_none": ["identify"],
        "identify_module": ["identify", "no_such_module:f"],
        "identify_name": ["identify", "data/metrics.py:nothing"],
        "identify_takes": ["identify", "data/metrics.py:mine", "--takes", "apples, pears"],
        "train_runs": ["train", QRELS, "--out", "model.json"],
        "score_columns": ["score", "data/models/linear.json", "data/frame/log.csv"],
    }
    return [(f"errors/{name}", arguments, _TEXT) for name, arguments in rows.items()]


def _help_cases() -> Iterator[Case]:
    yield Case("help/all", ["--help"])
    yield Case("help/version", ["--version"])
    for name in _COMMANDS.split():
        yield Case(f"help/{name}", [name, "--help"])


def _run_command(case: Case, data: Path, work: Path) -> str:
    """The text of a case: what the command printed, its exit code, and the files that it wrote."""
    folder = work / "cases" / case.name
    folder.mkdir(parents=True)
    (folder / "data").symlink_to(data)
    stdin = (folder / case.stdin.removeprefix("stdin:")).read_bytes() if case.stdin else b""
    done = subprocess.run(
        [sys.executable, "-m", "idealrank", *case.arguments],
        cwd=folder,
        input=stdin,
        capture_output=True,
        env=_environment(),
        timeout=120,
        check=False,
    )
    (folder / "data").unlink()
    parts = {"stdout": done.stdout, "stderr": done.stderr}
    parts |= {f"file {path.relative_to(folder)}": path.read_bytes() for path in sorted(folder.rglob("*.*"))}
    head = f"$ idealrank {' '.join(case.arguments)}\nexit {done.returncode}\n"
    return head + "".join(f"--- {name}\n{_readable(content, work)}" for name, content in parts.items())


def _environment() -> dict[str, str]:
    """The environment of a command: no terminal, no settings of the caller's."""
    left_out = ("COLUMNS", "LINES", "PYTHONPATH", "FORCE_COLOR", "NO_COLOR", "CLICOLOR_FORCE")
    return {name: value for name, value in os.environ.items() if name not in left_out}


def _readable(content: bytes, work: Path) -> str:
    """Text without the work folder's name; the hash of what is no text."""
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return f"{len(content)} bytes, SHA-256 {hashlib.sha256(content).hexdigest()}\n"
    return _normalized(text, work) + ("" if text.endswith("\n") or not text else "\n(no newline at the end)\n")


def _normalized(text: str, work: Path) -> str:
    for folder in {str(work), str(work.resolve())}:
        text = text.replace(folder, "<work>")
    text = re.sub(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d(\.\d+)?)?(\+00:00|Z)?", "<time>", text)
    text = re.sub(r"\b(in|took|after) \d+(\.\d+)? (s|seconds|minutes)\b", r"\1 <time>", text)
    text = re.sub(r"\d+ MB/s", "<speed>", text)
    # Matplotlib names the marks of a saved figure at random.
    for number, name in enumerate(dict.fromkeys(re.findall(r'id="([mp][0-9a-f]{10})"', text))):
        text = text.replace(name, f"mark{number}")
    return text


# -------------------------------------------------------------------------------------------------------------- Python


def _idealrank() -> Any:
    """The package, without types: those of this build may not be those of another."""
    return import_module("idealrank")


def public(name: str) -> Any:
    """A public function that may have moved from the top of idealrank to one of its modules."""
    ir = _idealrank()
    for place in ("", "io", "results", "theory", "comparison", "judging", "stats"):
        try:
            module = getattr(ir, place) if place else ir
            return getattr(module, name)
        except AttributeError:
            continue
    raise AttributeError(f"idealrank has no public {name}")


def _assisted(human: Any, machine: Any, systems: Any, measures: Any, sample: str = "queries") -> Any:
    """The comparison with machine judgments, a function of its own or an option of `compare`."""
    ir = _idealrank()
    if hasattr(ir, "compare_assisted"):
        return ir.compare_assisted(human, machine, systems, measures, sample=sample)
    return ir.compare(human, systems, measures, machine_judgments=machine, human_sample=sample)


def distinguish(data: Any, systems: dict[str, Any], *measures: Any, **options: Any) -> Any:
    """The distinction of two systems, which once were two arguments."""
    function = _idealrank().theory.distinguish
    if "systems" in inspect.signature(function).parameters:
        return function(data, systems, *measures, **options)
    return function(data, *systems.values(), *measures, names=tuple(systems), **options)


def _python_calls() -> dict[str, Callable[[], Any]]:
    """What is called, by name; every call gives a result."""
    from sklearn.metrics import ndcg_score

    ir = _idealrank()
    theory = ir.theory
    runs = dict(zip(("bm25", "dense", "hybrid", "partial"), RUNS, strict=True))
    two = {name: runs[name] for name in ("bm25", "dense")}
    three = {name: runs[name] for name in ("bm25", "dense", "hybrid")}
    qrels = public("read_qrels")(QRELS)
    read = {name: public("read_run")(path) for name, path in runs.items()}
    letor = public("read_letor")(LETOR)
    scores = {name: np.loadtxt(path) for name, path in zip(("good", "fair", "poor"), SCORES, strict=True)}
    kinds = dict(line.split() for line in Path("data/trec/types.txt").read_text().splitlines())
    weights = {q: float(w) for q, w in (x.split() for x in Path("data/trec/weights.txt").read_text().splitlines())}

    def frame() -> Any:
        import pandas as pd

        return pd.read_csv("data/frame/log.csv")

    columns = {"query": "session", "doc": "item", "label": "clicked"}
    fast = {"seed": 1, "n_permutations": 2000}
    like = ("trec_eval", "lightgbm", "sklearn")
    board = {
        name: (f"data/board/qrels/{name}.qrels", {s: f"data/board/{s}/{name}.run" for s in ("bm25", "dense")})
        for name in ("alpha", "beta", "gamma")
    }
    return {
        "evaluate/one": lambda: ir.evaluate(qrels, read["bm25"], ["ndcg@10", "ap"]),
        "evaluate/paths": lambda: ir.evaluate(QRELS, RUNS[0], ["ndcg@10", "ap"]),
        "evaluate/several": lambda: ir.evaluate(qrels, read, ["ndcg@10", "rr"], like="sklearn"),
        "evaluate/by": lambda: ir.evaluate(qrels, read["dense"], "ndcg@10", by=kinds, query_weights=weights),
        "evaluate/letor": lambda: ir.evaluate(letor, scores["good"], ["ndcg@10", "ndcg@20%"]),
        "evaluate/letor_several": lambda: ir.evaluate(letor, scores, "ndcg@10"),
        "evaluate/frame": lambda: ir.evaluate(frame(), None, "ndcg@10", score="good", **columns),
        "evaluate/frame_columns": lambda: ir.evaluate(frame(), ["good", "fair"], "ndcg@10", **columns),
        "evaluate/arrays": lambda: ir.evaluate([2, 0, 1, 1, 0], [0.3, 0.2, 0.9, 0.1, 0.5], "ndcg", group=[3, 2]),
        "evaluate/dicts": lambda: ir.evaluate({"q": {"a": 2, "b": 0}}, {"q": {"b": 0.7, "a": 0.5}}, "ndcg@10"),
        "compare/all": lambda: ir.compare(qrels, read, ["ndcg@10", "ap"], **fast),
        "compare/paths": lambda: ir.compare(QRELS, two, "ndcg@10", **fast),
        "compare/baseline": lambda: ir.compare(qrels, read, "ndcg@10", baseline="bm25", by=kinds, **fast),
        "compare/letor": lambda: ir.compare(letor, scores, "ndcg@10", test="tukey", **fast),
        "compare/assisted": lambda: _assisted("data/trec/human.qrels", "data/trec/machine.qrels", three, "ndcg@10"),
        "compare/assisted_json": lambda: _assisted("data/trec/human.qrels", "data/trec/machine.json", three, "ndcg@10"),
        "compare/assisted_documents": lambda: _assisted(
            "data/trec/some.qrels", "data/trec/machine.qrels", three, "ndcg@10", sample="documents"
        ),
        "compare/unknown_baseline": lambda: ir.compare(qrels, read, "ndcg@10", baseline="none"),
        "compare/one": lambda: ir.compare(qrels, {"a": read["bm25"]}, "ndcg@10"),
        "explain/trec": lambda: ir.explain(qrels, read["bm25"], "ndcg@10", like=like),
        "explain/letor": lambda: ir.explain(letor, scores["poor"], "ndcg@10", like=("idealrank", "letor3")),
        "explain/one_tool": lambda: ir.explain(qrels, read["bm25"], "ndcg@10", like=["sklearn"]),
        "leaderboard/three": lambda: ir.leaderboard(board, "ndcg@10", seed=1),
        "leaderboard/baseline": lambda: ir.leaderboard(board, "ap", baseline="bm25", over="datasets", seed=1),
        "agreement/two": lambda: public("agreement")(read["bm25"], read["dense"]),
        "agreement/several": lambda: public("agreement")(read, p=0.8, depth=10),
        "bounds/several": lambda: ir.bounds(qrels, read, "ndcg@10"),
        "bounds/one": lambda: ir.bounds(qrels, read["bm25"], "ap", n_unseen=1),
        "judge_next/several": lambda: ir.judge_next(qrels, read, "ndcg@10", n=5),
        "distinguish/two": lambda: distinguish(
            letor, {name: scores[name] for name in ("good", "fair")}, n_resamples=50
        ),
        "distinguish/paths": lambda: distinguish(QRELS, two, ["ndcg", "ndcg@10"], n_resamples=50),
        "consistency/cross_entropy": lambda: theory.check_consistency("cross_entropy", 2),
        "consistency/hinge": lambda: theory.check_consistency("hinge", 2, (0, 1), measure="ap"),
        "identify/sklearn": lambda: ir.identify(ndcg_score),
        "identify/lambda": lambda: ir.identify(lambda labels, scores: 0.5),
    }


def _record_python(work: str) -> None:
    """Call everything, in this process, and print one JSON object: the text of each case."""
    from idealrank import report

    texts = {}
    for name, call in _python_calls().items():
        try:
            result = call()
        except Exception as error:
            texts[name] = f"{type(error).__name__}: {error}\n"
            if not type(error).__module__.startswith("idealrank"):
                traceback.print_exc()
            continue
        views: dict[str, Callable[[], Any]] = {
            "repr": partial(repr, result),
            "to_dict": partial(_dict_text, result),
            "to_frame": partial(_frame_text, result),
            **{
                f"to_{form}": getattr(result, f"to_{form}")
                for form in ("text", "json", "csv", "latex", "markdown", "html")
            },
            "report.html": partial(report.html, result),
        }
        texts[name] = "".join(f"--- {view}\n{_shown(show)}\n" for view, show in views.items())
    sys.stdout.write(json.dumps({name: _normalized(text, Path(work)) for name, text in texts.items()}))


def _shown(show: Callable[[], Any]) -> str:
    try:
        return str(show())
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def _dict_text(result: Any) -> str:
    return json.dumps(result.to_dict(), indent=1, default=repr)


def _frame_text(result: Any) -> str:
    frame = result.to_frame()
    return str(frame.to_csv()) if hasattr(frame, "to_csv") else repr(frame)


# ----------------------------------------------------------------------------------------------------------------- both


def record(folder: Path, only: str = "") -> int:
    """Write one text file per case whose name has `only` in it; the number of cases."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.rglob("*.txt"):
        path.unlink()
    with tempfile.TemporaryDirectory(prefix="recordings-") as name, ThreadPoolExecutor(2) as pool:
        work = Path(name)
        data = work / "data"
        make_data(data)
        _train_model(data)
        texts: dict[str, Future[Any]] = {"data": pool.submit(_hashes, data)}
        if not only or "python" in only:
            texts["python"] = pool.submit(_python_texts, work)
        for case in cases():
            if only in f"commands/{case.name}":
                texts[f"commands/{case.name}"] = pool.submit(_run_command, case, data, work)
        n_cases = 0
        for key, future in texts.items():
            outcome = future.result()
            for inner, text in (outcome if isinstance(outcome, dict) else {"": outcome}).items():
                path = folder / f"{key}{'/' if inner else ''}{inner}.txt"
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
                n_cases += 1
    return n_cases


def _hashes(data: Path) -> str:
    """The hashes of the data, since a difference there explains all the others."""
    paths = sorted(path for path in data.rglob("*") if path.is_file() and path.parent.name != "models")
    return "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()} {path.relative_to(data)}\n" for path in paths)


def _train_model(data: Path) -> None:
    """Train the model that `score` and `export` read."""
    (data / "models").mkdir()
    arguments = ["train", str(data / "letor/train.txt"), "--seed", "0", "--max-iter", "5", "-q"]
    out = str(data / "models/linear.json")
    subprocess.run([sys.executable, "-m", "idealrank", *arguments, "--out", out], check=True, capture_output=True)


def _python_texts(work: Path) -> dict[str, str]:
    command = [sys.executable, str(Path(__file__).resolve()), "python", str(work)]
    done = subprocess.run(command, cwd=work, capture_output=True, text=True, env=_environment(), check=False)
    if done.returncode:
        return {"failed": done.stderr}
    return {**json.loads(done.stdout), "stderr": _normalized(done.stderr, work)}


def compare(old: Path, new: Path, n_lines: int = 40, only: str = "") -> int:
    """Print what differs, case by case; the number of cases that differ."""
    recordings = [{str(path.relative_to(folder)): path for path in folder.rglob("*.txt")} for folder in (old, new)]
    names = sorted(name for name in {*recordings[0], *recordings[1]} if only in name)
    n_differing = 0
    for name in names:
        sides = [recording[name].read_text() if name in recording else None for recording in recordings]
        if sides[0] == sides[1]:
            continue
        n_differing += 1
        print(f"=== {name}")
        if sides[0] is None or sides[1] is None:
            print(f"only in the {'new' if sides[0] is None else 'old'} recording")
            continue
        lines = list(difflib.unified_diff(_lines(sides[0]), _lines(sides[1]), n=1, lineterm=""))[2:]
        for line in lines[:n_lines]:
            print(line if len(line) <= 240 else f"{line[:240]} [... {len(line)} characters]")
        if len(lines) > n_lines:
            print(f"[... {len(lines) - n_lines} more lines]")
    print(f"{n_differing} of {len(names)} cases differ")
    return n_differing


def _lines(text: str) -> list[str]:
    """Lines of a case; the long ones of pages are split between tags and between the parts of JSON."""
    lines: list[str] = []
    for line in text.splitlines():
        lines += re.split(r"(?<=>)(?=<)|(?<=[,\]}])(?=[\"\[{])", line) if len(line) > 300 else [line]
    return lines


def main(arguments: list[str] | None = None) -> int:
    """Record or compare; 1 if recordings differ."""
    parser = argparse.ArgumentParser("python -m benchmarks.recordings", description="Everything idealrank prints.")
    actions = parser.add_subparsers(dest="action", required=True)
    parts = actions.add_parser("record", help="run all cases and write their outputs to FOLDER")
    parts.add_argument("folder", type=Path, metavar="FOLDER")
    parts.add_argument("--only", default="", metavar="PART", help="only the cases with PART in the name")
    parts = actions.add_parser("compare", help="show the differences of two recordings")
    parts.add_argument("old", type=Path, metavar="OLD")
    parts.add_argument("new", type=Path, metavar="NEW")
    parts.add_argument("--only", default="", metavar="PART", help="only the cases with PART in the name")
    parts.add_argument("--lines", type=int, default=40, metavar="N", help="lines per case; 40 by default")
    actions.add_parser("python").add_argument("work")
    options = parser.parse_args(arguments)
    if options.action == "python":
        _record_python(options.work)
        return 0
    if options.action == "record":
        print(f"{record(options.folder, options.only)} cases in {options.folder}")
        return 0
    return 1 if compare(options.old, options.new, options.lines, options.only) else 0


if __name__ == "__main__":
    sys.exit(main())
