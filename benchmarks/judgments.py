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
from scipy.special import stdtrit

import idealrank as ir
from idealrank.judging.machine_judgments.sampled_documents import Sampled, WeightedRanking, estimate_by_document
from idealrank.judging.unjudged.pool import Ranked, rules_of
from idealrank.measures.conventions import convention
from idealrank.stats.control_variates import estimate_means

_MEASURE = "ndcg@10"


def main() -> None:
    """Print how often bounds hold, and how often intervals cover the truth."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--human", type=int, default=15, help="queries with human judgments (default: 15)")
    parser.add_argument("--draws", type=int, default=200, help="draws of these queries or documents (default: 200)")
    parser.add_argument("--share", type=float, default=0.3, help="documents with human labels (default: 0.3)")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    qrels = ir.read_qrels(options.folder / "qrels.txt")
    runs = {path.name: ir.read_run(path) for path in sorted((options.folder / "runs").iterdir())}
    judges = {path.name: ir.read_qrels(path) for path in sorted((options.folder / "judges").iterdir())}
    _unjudged(qrels, runs)
    _machine(qrels, runs, judges, options)
    _documents(qrels, runs, judges, options)


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
    n_queries = human.shape[1]
    draws = np.array([rng.permutation(n_queries)[: options.human] for _ in range(options.draws)])
    pairs = [pair for pair in combinations(range(len(runs)), 2) if np.ptp(human[pair[0]] - human[pair[1]]) > 0]
    print(f"human judgments of {options.human} of {n_queries} queries, {options.draws} draws:")
    n_more = round(1.4 * options.human)
    more = np.array([rng.permutation(n_queries)[:n_more] for _ in range(options.draws)])
    alone = [[_half(human[i] - human[j], own).sum() for own in (draws, more)] for i, j in pairs]
    few_width, more_width = np.sum(alone, axis=0)
    print(
        f"human judgments of {n_more} queries alone: mean width {more_width / few_width:.3f} of that of {options.human}"
    )
    for name, values in machine.items():
        these, alone, new, wrong, widths = [], [], [], [], []
        for first, second in pairs:
            difference, guess = human[first] - human[second], values[first] - values[second]
            truth = difference.mean()
            found = estimate_means(difference[draws], (guess - guess.mean())[draws], 0.0, guess.var(ddof=1), n_queries)
            half = stdtrit(found.open_degrees, 0.975) * np.sqrt(found.open_variances)
            human_half = _half(difference, draws) * (1 - options.human / n_queries) ** 0.5
            these.append(np.abs(found.means - truth) <= half)
            alone.append(np.abs(difference[draws].mean(axis=1) - truth) <= human_half)
            rows = rng.integers(n_queries, size=(options.draws, n_queries))  # new queries: as many, drawn again
            mean, half = _for_new_queries(difference[rows], guess[rows], options.human)
            new.append(np.abs(mean - truth) <= half)
            widths.append((half.sum(), _half(difference, rows[:, : options.human]).sum()))
            signs = rng.choice([-1.0, 1.0], rows.shape)  # the two runs exchanged at random
            mean, half = _for_new_queries(difference[rows] * signs, guess[rows] * signs, options.human)
            wrong.append(np.abs(mean) > half)
        ratio = np.sum(widths, axis=0)
        print(
            f"{name}: coverage for exactly these queries {np.mean(these):.4f}, with human judgments alone "
            f"{np.mean(alone):.4f}; for new queries {np.mean(new):.4f}, width {ratio[0] / ratio[1]:.3f} of that with "
            f"human judgments alone; significant if runs are exchanged at random: {np.mean(wrong):.4f}",
            flush=True,
        )


def _half(difference: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Return half the widths of Student's t intervals of means of these queries."""
    n = rows.shape[1]
    half: np.ndarray = stdtrit(n - 1, 0.975) * difference[rows].std(axis=1, ddof=1) / n**0.5
    return half


def _for_new_queries(difference: np.ndarray, guess: np.ndarray, n_human: int) -> tuple[np.ndarray, np.ndarray]:
    """Return estimates, and half the widths of their intervals, if people judged the first queries."""
    guess = guess - guess.mean(axis=1, keepdims=True)
    judged, spread = slice(0, n_human), guess.var(axis=1, ddof=1)
    found = estimate_means(difference[:, judged], guess[:, judged], 0.0, spread, guess.shape[1])
    return found.means, stdtrit(found.degrees, 0.975) * np.sqrt(found.variances)


def _documents(
    qrels: ir.Qrels, runs: dict[str, ir.Run], judges: dict[str, ir.Qrels], options: argparse.Namespace
) -> None:
    """Draw documents with human labels, and estimate all differences of two runs with each judge."""
    rng = np.random.default_rng(options.seed)
    rules = rules_of(ir.measure(_MEASURE), convention("trec_eval"), np.arange(qrels.labels.max() + 1))
    numbered = ir.Qrels.from_flat(qrels.query_ids, qrels.offsets, qrels.doc_ids, np.arange(qrels.n_docs))
    rankings = []
    for run in runs.values():
        ranked = Ranked.of(numbered, run, rules, None)
        depths = ranked.depths(rules, np.zeros(qrels.n_queries, np.int64))
        places = np.nan_to_num(ranked.data.labels[ranked.places], nan=-1).astype(np.int64)
        rankings.append(WeightedRanking(places, ranked.weights(rules, depths)))
    machine = {name: _labels(judge, qrels) for name, judge in judges.items()}
    machine |= {"shuffled": rng.permutation(next(iter(machine.values()))), "none": np.zeros(qrels.n_docs)}
    truth = _matrix(qrels, runs).mean(axis=1)
    pairs = np.array(list(combinations(range(len(runs)), 2))).T
    gaps = truth[pairs[0]] - truth[pairs[1]]
    pairs, gaps = pairs[:, gaps != 0], gaps[gaps != 0]
    sizes = np.diff(qrels.offsets)
    first = np.repeat(qrels.offsets[:-1], sizes)
    wanted = np.repeat(np.round(options.share * sizes), sizes)
    discounts = rules.plan.discount.weights(10)
    print(f"{options.share:.0%} of the documents of each query with human labels, {options.draws} draws:")
    for name, labels in machine.items():
        own = np.random.default_rng(options.seed)
        covered, errors, of_means, widths = [], [], [], []
        for _ in range(options.draws):
            order = np.lexsort((own.random(qrels.n_docs), first))
            rank = np.empty(qrels.n_docs)
            rank[order] = np.arange(qrels.n_docs) - first
            sampled = Sampled.of(qrels.offsets, np.where(rank < wanted, rules.gains(qrels.labels), np.nan), labels)
            found = estimate_by_document(sampled, rankings, None, discounts, np.minimum(sizes, 10))
            means, c = found.values.mean(axis=1), found.covariance
            error = np.sqrt(np.diag(c)[pairs[0]] + np.diag(c)[pairs[1]] - 2 * c[pairs[0], pairs[1]])
            half = float(stdtrit(qrels.n_queries - 1, 0.975)) * error
            off = means[pairs[0]] - means[pairs[1]] - gaps
            covered.append(np.abs(off) <= half)
            errors.append(off)
            of_means.append(means - truth)
            widths.append(2 * half.mean())
        towards = float((np.mean(errors, axis=0) * np.sign(gaps)).mean())
        print(
            f"{name}: coverage {np.mean(covered):.4f}, mean width {np.mean(widths):.4f}, bias of differences "
            f"{towards:+.4f} and of means {np.mean(of_means):+.4f}",
            flush=True,
        )


def _labels(judge: ir.Qrels, qrels: ir.Qrels) -> np.ndarray:
    """Return the machine label of each document with a human label; 0 without one."""
    found = []
    for query, docs in qrels.items():
        own = judge[query]
        found += [own.get(doc, 0) for doc in docs]
    return np.array(found)


def _matrix(qrels: ir.Qrels, runs: dict[str, ir.Run]) -> np.ndarray:
    return np.array([ir.evaluate(qrels, run, _MEASURE).per_query[_MEASURE] for run in runs.values()])


if __name__ == "__main__":
    main()
