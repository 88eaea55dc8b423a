"""Bounds and prediction-powered intervals on real runs and judges: ``python -m benchmarks.judgments FOLDER``.

FOLDER has human judgments ``qrels.txt``, runs in ``runs/``, and machine judgments of the same documents in ``judges/``.
For TREC DL 2019 these are data/dl2019/2019qrels-pass.txt, trec-dl-2019/runs-compressed/deep/input.* and
results/*dl2019* of https://github.com/naghmefarzi/llmjudge.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from itertools import combinations
from pathlib import Path

import numpy as np

import idealrank as ir
from idealrank import stats

_MEASURE = "ndcg@10"


def main() -> None:
    """Print how often bounds hold, and how often intervals cover the truth."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--human", type=int, default=15, help="queries with human judgments (default: 15)")
    parser.add_argument("--draws", type=int, default=200, help="draws of these queries (default: 200)")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    qrels = ir.read_qrels(options.folder / "qrels.txt")
    runs = {path.name: ir.read_run(path) for path in sorted((options.folder / "runs").iterdir())}
    judges = {path.name: ir.read_qrels(path) for path in sorted((options.folder / "judges").iterdir())}
    _unjudged(qrels, runs)
    _machine(qrels, runs, judges, options)


def _unjudged(qrels: ir.Qrels, runs: dict[str, ir.Run]) -> None:
    """Remove the judgments that only one run contributed, for each run in turn."""
    best = {name: {query: _first_ten(run[query]) for query in qrels if query in run} for name, run in runs.items()}
    found_by = defaultdict(set)
    for name, lists in best.items():
        for query, docs in lists.items():
            for doc in docs:
                found_by[query, doc].add(name)
    n_inside, errors = 0, defaultdict(list)
    for name, lists in best.items():
        left = {q: {d: label for d, label in docs.items() if found_by[q, d] != {name}} for q, docs in qrels.items()}
        truth = ir.evaluate(qrels, lists, _MEASURE).mean[_MEASURE]
        mean = ir.bounds(left, lists, _MEASURE).mean[""]
        n_inside += mean["lowest"] <= truth <= mean["highest"]
        for column in ("value", "expected", "condensed"):
            errors[column].append(mean[column] - truth)
    inside = f"{n_inside} of {len(runs)} runs"
    print(f"{_MEASURE} without the judgments of one run: the truth is between the bounds for {inside}")
    for column, own in errors.items():
        squares = float(np.mean(np.square(own)))
        print(f"  {column:10} mean error {np.mean(own):+.4f}, root mean squared error {squares**0.5:.4f}")


def _first_ten(scores: dict[str, float]) -> list[str]:
    return sorted(scores, key=lambda doc: scores[doc], reverse=True)[:10]


def _machine(
    qrels: ir.Qrels, runs: dict[str, ir.Run], judges: dict[str, ir.Qrels], options: argparse.Namespace
) -> None:
    """Draw queries with human judgments, and estimate all differences of two runs with each judge."""
    human = _matrix(qrels, runs)
    rng = np.random.default_rng(options.seed)
    shuffled = _matrix(next(iter(judges.values())), runs)[:, rng.permutation(human.shape[1])]
    machine = {name: _matrix(judge, runs) for name, judge in judges.items()} | {"shuffled": shuffled}
    draws = [rng.permutation(human.shape[1]) < options.human for _ in range(options.draws)]
    pairs = [pair for pair in combinations(range(len(runs)), 2) if np.ptp(human[pair[0]] - human[pair[1]]) > 0]
    for name, values in machine.items():
        covered, alone, widths = [], [], []
        for first, second in pairs:
            difference, guess = human[first] - human[second], values[first] - values[second]
            truth = difference.mean()
            for chosen in draws:
                found = stats.prediction_powered(np.where(chosen, difference, np.nan), guess)
                covered.append(found.low <= truth <= found.high)
                alone.append(found.human_low <= truth <= found.human_high)
                widths.append((found.high - found.low, found.human_high - found.human_low))
        ratio = np.sum(widths, axis=0)
        print(
            f"{name}: coverage {np.mean(covered):.4f}, human judgments alone {np.mean(alone):.4f}; "
            f"mean width {ratio[0] / ratio[1]:.3f} of that of human judgments alone",
            flush=True,
        )


def _matrix(qrels: ir.Qrels, runs: dict[str, ir.Run]) -> np.ndarray:
    return np.array([ir.evaluate(qrels, run, _MEASURE).per_query[_MEASURE] for run in runs.values()])


if __name__ == "__main__":
    main()
