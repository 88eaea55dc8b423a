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
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import idealrank as ir
from idealrank import stats
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
#: Measures that shuffle each list 10,000 times; the page has them in another table.
RESAMPLED = ("ndcg_p_value", "ndcg_z")
#: Shorter times are those of calls.
_LEAST = 0.002
#: Less memory is that of calls, too.
_LEAST_MB = 2.0


def work(n: int) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield the name of each task and the task for n documents, lines or queries."""
    rng = np.random.default_rng(0)
    labels, scores = rng.integers(0, 4, n).astype(float), rng.permutation(n).astype(float)
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
    for name in ("alpha_ndcg", "nerr_ia", "nnrbp", "ap_ia", "strec"):
        yield f"`{name}`, n / 10 documents", partial(ir.evaluate, by_subtopic, ranked, name)
    a, b = rng.normal(size=n), rng.normal(size=n)
    for name in ("t_test", "wilcoxon_test", "sign_test"):
        yield f"`stats.{name}`", partial(getattr(stats, name), a, b)
    for name in ("interval", "minimum_detectable_effect"):
        yield f"`stats.{name}`", partial(getattr(stats, name), a)
    yield "`stats.effect_size`", lambda: stats.effect_size(a, b)
    yield (
        "`stats.randomization_test`, n / 100 queries",
        lambda: stats.randomization_test(a[: n // 100], b[: n // 100], seed=0),
    )
    order = rng.permutation(few).tolist()
    yield "`stats.tau_ap`, n / 10 documents", lambda: stats.tau_ap(order, sorted(order))
    yield "`stats.rbo`, n / 10 documents", lambda: stats.rbo(order, sorted(order))
    texts = {
        "read_letor": "".join(f"{i % 5} qid:{i // 100} 1:0.5 2:{i}\n" for i in range(n)),
        "read_qrels": "".join(f"{i // 100} 0 d{i} {i % 5}\n" for i in range(n)),
        "read_run": "".join(f"{i // 100} Q0 d{i} 1 {i} t\n" for i in range(n)),
        "io.read_scores": "".join(f"{i}\n" for i in range(n)),
        "io.read_csv": "qid,label,score\n" + "".join(f"{i // 100},{i % 5},{i}\n" for i in range(n)),
    }
    for name, text in texts.items():
        reader: Any = ir
        for part in name.split("."):
            reader = getattr(reader, part)
        yield f"`{name}`", partial(_read, reader, text.encode())
    yield from _forms(n)


def _forms(n: int) -> Iterator[tuple[str, Callable[[], Any]]]:
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
    yield "`evaluate`, arrays", partial(ir.evaluate, labels, scores, "ndcg", query_ids=queries)
    yield "`evaluate`, lists", partial(ir.evaluate, *given, "ndcg", query_ids=queries)
    matrices = [sp.csr_array((own, (queries, docs)), shape=(n // 100, 100)) for own in (labels, scores)]
    yield "`evaluate`, sparse matrices", partial(ir.evaluate, *matrices, "ndcg")


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
    for _, task in work(100):
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
    steep = [row for row in rows if row[3] > LINEAR]
    lines = [f"| work | n = {n:,} | n = {10 * n:,} | exponent |", "| --- | ---: | ---: | ---: |"]
    lines += [f"| {name} | {short:.3f} s | {long:.3f} s | {power:.2f} |" for name, short, long, power in rows[:12]]
    said = f"{len(rows)} tasks were measured; {len(steep)} of them have an exponent above {LINEAR}. The 12 largest:"
    slowest = max(rows, key=lambda row: row[2])
    return f"{said}\n\n" + "\n".join(lines) + f"\n\nThe slowest is {slowest[0]} with {slowest[2]:.1f} s.\n"


def memory_table(n: int) -> str:
    """Return the table: readers and forms of input, and the most that anything else takes."""
    rows = measured(megabytes, n, _LEAST_MB)
    shown = [row for row in rows if "read_" in row[0] or "`evaluate`" in row[0]]
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
