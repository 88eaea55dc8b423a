"""How the time of readers, measures and statistics grows: at n and 10 n, with the exponent between them.

``python -m benchmarks.growth`` prints the table of docs/reliability.md; ``--write`` puts it there.
"""

from __future__ import annotations

import io
import math
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
BEGIN, END = "<!-- growth -->", "<!-- end -->"
#: Exponents up to this are linear; a sort, and caches that become too small, add some.
LINEAR = 1.25
#: Measures that shuffle each list 10,000 times; the page has them in another table.
RESAMPLED = ("ndcg_p_value", "ndcg_z")
#: Shorter times are those of calls.
_LEAST = 0.002


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


def measured(n: int) -> list[tuple[str, float, float, float]]:
    """Return for each task its times at n and 10 n, and the exponent."""
    short, rows = {name: seconds(task) for name, task in work(n)}, []
    for name, task in work(10 * n):
        long = seconds(task)
        rows.append((name, short[name], long, math.log10(max(long, _LEAST) / max(short[name], _LEAST))))
    return sorted(rows, key=lambda row: (-row[3], row[0]))


def table(n: int) -> str:
    """Return the table: the tasks with the largest exponents, and how many others there are."""
    rows = measured(n)
    steep = [row for row in rows if row[3] > LINEAR]
    lines = [f"| work | n = {n:,} | n = {10 * n:,} | exponent |", "| --- | ---: | ---: | ---: |"]
    lines += [f"| {name} | {short:.3f} s | {long:.3f} s | {power:.2f} |" for name, short, long, power in rows[:12]]
    said = f"{len(rows)} tasks were measured; {len(steep)} of them have an exponent above {LINEAR}. The 12 largest:"
    slowest = max(rows, key=lambda row: row[2])
    return f"{said}\n\n" + "\n".join(lines) + f"\n\nThe slowest is {slowest[0]} with {slowest[2]:.1f} s.\n"


if __name__ == "__main__":
    text = table(100_000)
    if "--write" in sys.argv:
        page = PAGE.read_text(encoding="utf-8")
        head, _, rest = page.partition(BEGIN)
        PAGE.write_text(f"{head}{BEGIN}\n\n{text}\n{END}{rest.partition(END)[2]}", encoding="utf-8")
    print(text)
