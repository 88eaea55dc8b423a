"""Unjudged documents: bounds of a measure against its value."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.generate import run_file
from benchmarks.runner import Comparison, Contestant, Setting, entry
from benchmarks.targets import AtMost


@entry
def bounds(setting: Setting) -> Iterator[Comparison]:
    import idealrank as ir

    n_queries = setting.size(1000)
    run = run_file(setting.folder, n_queries, 1000)
    qrels = _judgments(run)
    for measure in ("ndcg@10", "ndcg"):
        for n_draws, what, most in ((0, "", AtMost(3)), (100, " and expected values", None)):
            yield Comparison(
                f"bounds{what} of {measure}, {n_queries * 1000:,} lines, 40 judgments per query",
                Contestant(
                    "bounds",
                    partial(ir.bounds, qrels, run, measure, n_draws=n_draws),
                    digest=lambda found: (found.mean[""]["value"],),
                ),
                [
                    Contestant(
                        "evaluate",
                        partial(ir.evaluate, qrels, run, measure),
                        most,
                        digest=lambda found: tuple(found.mean.values()),
                    )
                ],
            )


def _judgments(run: Path) -> Path:
    """Labels from 0 to 3 of 40 random documents of each query, most of them from the first 200."""
    path = run.with_suffix(".qrels")
    if path.exists():
        return path
    rng = np.random.default_rng(1)
    lines = run.read_text().splitlines()
    with path.open("w") as file:
        for begin in range(0, len(lines), 1000):
            for place in sorted({*rng.choice(200, 30, replace=False).tolist(), *rng.choice(1000, 10).tolist()}):
                query, _, document, *_ = lines[begin + place].split()
                file.write(f"{query} 0 {document} {rng.integers(0, 4) if rng.random() < 0.4 else 0}\n")
    return path
