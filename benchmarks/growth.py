"""How time and memory of readers, forms of input, measures and statistics grow: at n and 10 n, with the exponent.

``python -m benchmarks.growth`` prints the tables of docs/reliability.md; ``--write`` puts them there, and ``--only
memory`` or ``--only time`` measures one of them.
"""

from __future__ import annotations

import argparse
import ctypes
import io
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import idealrank as ir
from idealrank import stats
from idealrank.data.ids import Ids
from idealrank.io.format_list import FORMATS
from idealrank.io.formats import Frame, Nested, load
from idealrank.measures.measure_names import MEASURES

PAGE = Path(__file__).parents[1] / "docs" / "reliability.md"
END = "<!-- end -->"
#: Malloc returns freed memory to the system, so that each task shows its own peak.
_RETURN_MEMORY = {
    "MALLOC_TRIM_THRESHOLD_": "0",
    "MALLOC_MMAP_THRESHOLD_": "65536",
    "ARROW_DEFAULT_MEMORY_POOL": "system",
}
#: Exponents up to this are linear; a sort, and caches that become too small, add some.
LINEAR = 1.25
#: What times are compared with: caches that become too small slow down a sort, too.
SORT = "a sort, `numpy.argsort`"
#: Measures that shuffle each list 10,000 times; the page has them in another table.
RESAMPLED = ("ndcg_p_value", "ndcg_z")
#: Shorter times are those of calls.
_LEAST = 0.002
#: Less memory is that of calls, too.
_LEAST_MB = 2.0


Tasks = Iterator[tuple[str, Callable[[], Any]]]


def work(n: int) -> Tasks:
    """Yield the name of each task and the task for n documents, lines or queries."""
    yield from _measures(n)
    yield from _statistics(n)
    yield from _readers(n)
    yield from _forms(n)


def _measures(n: int) -> Tasks:
    rng = np.random.default_rng(0)
    labels, scores = rng.integers(0, 4, n).astype(float), rng.permutation(n).astype(float)
    yield SORT, partial(np.argsort, scores, kind="stable")
    tied = np.floor(scores / 50)
    for name, cls in sorted(MEASURES.members().items()):
        if cls.needs_subtopics or name in RESAMPLED:
            continue
        try:
            chosen = ir.measure(name)
            chosen([1.0, 0.0], [0.5, 0.25])
        except Exception:  # a measure that needs options or other data
            continue
        yield f"`{chosen}`", partial(chosen, labels, scores)
        yield f"`{chosen}`, equal scores", partial(chosen, labels, tied)
    few = n // 10
    rows = ["q"] * few, rng.integers(0, 10, few).tolist(), [f"d{i}" for i in range(few)], np.ones(few)
    by_subtopic, ranked = ir.SubtopicQrels.from_rows(*rows), {"q": rows[2]}
    for name, cls in sorted(MEASURES.members().items()):
        if cls.needs_subtopics:
            yield f"`{name}`, n / 10 documents", partial(ir.evaluate, by_subtopic, ranked, name)


def _statistics(n: int) -> Tasks:
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=n), rng.normal(size=n)
    for name in ("t_test", "wilcoxon_test", "sign_test", "effect_size"):
        yield f"`stats.{name}`", partial(getattr(stats, name), a, b)
    for name in ("equivalence_test", "non_inferiority_test"):
        yield f"`stats.{name}`", partial(getattr(stats, name), a, b, 0.1)
    for name in ("interval", "minimum_detectable_effect"):
        yield f"`stats.{name}`", partial(getattr(stats, name), a)
    for name in ("holm", "bonferroni", "benjamini_hochberg"):
        yield f"`stats.{name}`", partial(getattr(stats, name), rng.random(n))
    yield "`stats.prediction_powered`", partial(stats.prediction_powered, a[: n // 10], b)
    few = n // 100
    for name in ("randomization_test", "bootstrap_test"):
        yield f"`stats.{name}`, n / 100 queries", partial(getattr(stats, name), a[:few], b[:few], seed=0)
    parts = [a[:few], a[few : 2 * few]], [b[:few], b[few : 2 * few]]
    yield "`stats.stratified_randomization_test`, n / 50 queries", partial(stats.stratified_randomization_test, *parts)
    matrix = a.reshape(-1, 10)
    yield "`stats.queries_for`, 10 systems, n / 10 queries", partial(stats.queries_for, 0.1, matrix)
    yield "`stats.anova`, 10 systems, n / 10 queries", partial(stats.anova, matrix)
    yield "`stats.variance_components`, 10 runs, n / 10 queries", partial(stats.variance_components, matrix)
    for name in ("randomized_tukey_hsd", "rank_systems"):
        few_rows = matrix[: max(n // 1000, 2)]
        own = few_rows if name == "randomized_tukey_hsd" else [few_rows]
        yield f"`stats.{name}`, 10 systems, n / 1,000 queries", partial(getattr(stats, name), own)
    order = rng.permutation(n // 10).tolist()
    yield "`stats.tau_ap`, n / 10 documents", lambda: stats.tau_ap(order, sorted(order))
    yield "`stats.rbo`, n / 10 documents", lambda: stats.rbo(order, sorted(order))


def _readers(n: int) -> Tasks:
    """Yield the reading of a file of n lines in each format, 100 lines per query, which the format itself writes."""
    ends, docs = np.arange(0, n + 1, 100), Ids.of([f"d{i}" for i in range(n)])
    queries, rng = Ids.of(range(n // 100)), np.random.default_rng(0)
    labels, scores = rng.integers(0, 5, n).astype(float), rng.permutation(n) / n
    run = ir.Run.from_flat(queries, ends, docs, scores)
    qrels = ir.Qrels.from_flat(queries, ends, docs, labels)
    subtopics = ir.SubtopicQrels.from_rows(np.arange(n) // 100, np.arange(n) % 3, docs, labels)
    letor = ir.from_arrays(labels, offsets=ends, features=rng.random((n, 2), np.float32))
    with tempfile.TemporaryDirectory() as folder:
        for name, listing in FORMATS.items():
            kind, path = load(name), os.path.join(folder, name)
            held: dict[Any, Any] = {Frame: lambda: ir.io.to_frame(run, "pyarrow"), Nested: lambda: qrels}
            held |= {ir.Run: lambda: run, ir.RankingData: lambda: letor}
            held[ir.Qrels] = (lambda: subtopics) if name == "subtopics" else (lambda: qrels)
            kind.write(held[kind.holds](), path)
            yield f"reading {listing.title}", partial(kind.read, path)
            os.unlink(path)
    numbers = "".join(f"{i}\n" for i in range(n)).encode()
    for name in ("read_scores", "read_groups"):
        yield f"`io.{name}`", partial(_read, getattr(ir.io, name), numbers)


def _forms(n: int) -> Tasks:
    """Yield an evaluation of n documents, 100 per query, in each form of input."""
    import pandas as pd
    import polars as pl
    import pyarrow as pa
    import scipy.sparse as sp

    rng = np.random.default_rng(0)
    queries, docs = np.arange(n) // 100, np.arange(n) % 100
    labels, scores = rng.integers(0, 4, n), rng.permutation(n) / n
    judged = {"qid": queries, "doc": docs, "label": labels}
    ranked = {"qid": queries, "doc": docs, "score": scores}
    for name, make in {"pandas": pd.DataFrame, "Polars": pl.DataFrame, "Arrow": pa.table}.items():
        yield f"`evaluate`, {name}", partial(ir.evaluate, make(judged), make(ranked), "ndcg")
    given = labels.tolist(), scores.tolist()
    nested = [
        {str(q): dict(zip(map(str, range(100)), own[100 * q : 100 * q + 100], strict=True)) for q in range(n // 100)}
        for own in given
    ]
    yield "`evaluate`, dicts", partial(ir.evaluate, *nested, "ndcg")
    pairs = {query: list(docs.items()) for query, docs in nested[1].items()}
    yield "`evaluate`, pairs", partial(ir.evaluate, nested[0], pairs, "ndcg")
    ranked_ids = {query: sorted(docs, key=docs.__getitem__, reverse=True) for query, docs in nested[1].items()}
    yield "`evaluate`, ranked ids", partial(ir.evaluate, nested[0], ranked_ids, "ndcg")
    named = [
        [make(query, doc, value) for query, docs in own.items() for doc, value in docs.items()]
        for own, make in zip(nested, (_Judgment, _Scored), strict=True)
    ]
    yield "`evaluate`, named tuples", partial(ir.evaluate, *named, "ndcg")
    yield "`evaluate`, matrices", partial(ir.evaluate, *(own.reshape(-1, 100) for own in (labels, scores)), "ndcg")
    yield "`evaluate`, arrays", partial(ir.evaluate, labels, scores, "ndcg", query_ids=queries)
    yield "`evaluate`, lists", partial(ir.evaluate, *given, "ndcg", query_ids=queries)
    matrices = [sp.csr_array((own, (queries, docs)), shape=(n // 100, 100)) for own in (labels, scores)]
    yield "`evaluate`, sparse matrices", partial(ir.evaluate, *matrices, "ndcg")


class _Judgment(NamedTuple):
    query_id: str
    doc_id: str
    relevance: float


class _Scored(NamedTuple):
    query_id: str
    doc_id: str
    score: float


def _read(reader: Callable[[io.BytesIO], Any], text: bytes) -> Any:
    return reader(io.BytesIO(text))


def seconds(task: Callable[[], Any]) -> float:
    """Return the shortest processor time of up to three runs."""
    times: list[float] = []
    while len(times) < 3 and sum(times) < 2:
        began = time.process_time()
        task()
        times.append(time.process_time() - began)
    return min(times)


def megabytes(n: int) -> dict[str, float]:
    """Return the peak memory of each task, beyond its input, measured in a new process."""
    command = [sys.executable, "-m", "benchmarks.growth", "--peaks", str(n)]
    environment = os.environ | _RETURN_MEMORY
    done = subprocess.run(command, env=environment, cwd=PAGE.parents[1], stdout=subprocess.PIPE, check=True)
    peaks: dict[str, float] = json.loads(done.stdout)
    return peaks


def peaks(n: int) -> dict[str, float]:
    """Return the peak memory of each task in this process, in MB; Linux only."""
    trim, found = ctypes.CDLL(None).malloc_trim, {}
    for _, task in work(10_000):
        task()  # imports what it needs
    for name, task in work(n):
        trim(0)
        Path("/proc/self/clear_refs").write_text("5")  # forgets the peak
        before = _status("VmHWM")
        task()
        found[name] = (_status("VmHWM") - before) / 1000
    return found


def _status(name: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(name))


def measured(of_size: Callable[[int], dict[str, float]], n: int, least: float) -> list[tuple[str, float, float, float]]:
    """Return for each task what it takes at n and 10 n, and the exponent; the largest exponents first."""
    short, long = of_size(n), of_size(10 * n)
    rows = [
        (each, short[each], long[each], math.log10(max(long[each], least) / max(short[each], least))) for each in long
    ]
    return sorted(rows, key=lambda row: (-row[3], row[0]))


def time_table(n: int) -> str:
    """Return the table: the tasks with the largest exponents, and how many others there are."""
    rows = measured(lambda size: {name: seconds(task) for name, task in work(size)}, n, _LEAST)
    sort = next(row[3] for row in rows if row[0] == SORT)
    steep = [row for row in rows if row[3] > LINEAR]
    lines = [f"| work | n = {n:,} | n = {10 * n:,} | exponent |", "| --- | ---: | ---: | ---: |"]
    lines += [f"| {name} | {short:.3f} s | {long:.3f} s | {power:.2f} |" for name, short, long, power in rows[:12]]
    said = (
        f"{len(rows)} tasks were measured; {len(steep)} of them have an exponent above {LINEAR}. A sort of n random "
        f"numbers (`numpy.argsort`) had {sort:.2f} in the same run. The 12 largest:"
    )
    slowest = max(rows, key=lambda row: row[2])
    return f"{said}\n\n" + "\n".join(lines) + f"\n\nThe slowest is {slowest[0]} with {slowest[2]:.1f} s.\n"


def memory_table(n: int) -> str:
    """Return the table: readers and forms of input, and the most that anything else takes."""
    rows = measured(megabytes, n, _LEAST_MB)
    shown = [row for row in rows if "read" in row[0] or "`evaluate`" in row[0]]
    others = [row for row in rows if row not in shown]
    lines = [f"| work | n = {n:,} | n = {10 * n:,} | exponent |", "| --- | ---: | ---: | ---: |"]
    lines += [f"| {name} | {short:.1f} MB | {long:.1f} MB | {power:.2f} |" for name, short, long, power in shown]
    most, steepest = max(others, key=lambda row: row[2]), others[0]
    said = (
        f"Of the {len(others)} other tasks, {most[0]} takes the most with {most[2]:.0f} MB, and {steepest[0]} has the"
    )
    return "\n".join(lines) + f"\n\n{said} largest exponent, {steepest[3]:.2f}.\n"


TABLES: dict[str, Callable[[int], str]] = {"time": time_table, "memory": memory_table}


def main() -> None:
    """Print the tables, and put them on the page if asked to."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.growth", description=__doc__)
    parser.add_argument("--write", action="store_true", help="put the tables on the page")
    parser.add_argument("--only", choices=TABLES, help="measure one of them")
    parser.add_argument("--peaks", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.peaks:
        print(json.dumps(peaks(options.peaks)))
        return
    for name in [options.only] if options.only else TABLES:
        text, begin = TABLES[name](100_000), f"<!-- growth of {name} -->"
        if options.write:
            head, _, rest = PAGE.read_text(encoding="utf-8").partition(begin)
            PAGE.write_text(f"{head}{begin}\n\n{text}\n{END}{rest.partition(END)[2]}", encoding="utf-8")
        print(text)


if __name__ == "__main__":
    main()
