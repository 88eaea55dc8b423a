"""The share of 95% intervals that contain the true mean: ``python -m benchmarks.interval_coverage FOLDER ...``.

The populations are the values per query of rankers by a single feature, on folders with LETOR files. Queries are drawn
from them with replacement, so that the true mean is known. The table of docs/statistics.md is of OHSUMED and MQ2008.
"""

import sys
from pathlib import Path

import numpy as np

import idealrank as ir
from idealrank.stats.intervals import bounded_interval

__all__ = ["main"]

MEASURES = ("hit_rate@1", "hit_rate@10", "rr", "recall@5", "recall@10", "ndcg@10", "ap", "p@10")
KINDS = {"hit rate": "hit", "RR": "rr", "recall": "recall", "NDCG@10": "ndcg", "AP": "ap", "P@10": "p@"}
N_QUERIES, N_DRAWS = (5, 10, 20, 50), 200
INTERVALS = {"score": (0.0, 1.0), "t": (-np.inf, np.inf)}


def populations(folder: str) -> dict[str, list[np.ndarray]]:
    """Return {measure: the values per query of each feature}, without features that give all queries the same value."""
    files = [ir.read_letor(path) for path in sorted(Path(folder).glob("*.txt*"))]
    values: dict[str, list[np.ndarray]] = {name: [] for name in MEASURES}
    for feature in range(np.asarray(files[0].features).shape[1]):
        parts = [ir.evaluate(data, np.asarray(data.features)[:, feature].astype(float), MEASURES) for data in files]
        for name in MEASURES:
            values[name].append(np.concatenate([part.per_query[name] for part in parts]))
    return {name: [own for own in each if np.ptp(own) > 0] for name, each in values.items()}


def main(folders: list[str]) -> None:
    """Print the coverage and the mean width of the intervals."""
    rng = np.random.default_rng(0)
    every = [populations(folder) for folder in folders]
    print(f"| queries | interval | {' | '.join(KINDS)} |\n| ---: | --- |{' ---: |' * len(KINDS)}")
    for n in N_QUERIES:
        cells: dict[str, list[str]] = {method: [] for method in INTERVALS}
        for start in KINDS.values():
            owns = [own for each in every for name in MEASURES if name.startswith(start) for own in each[name]]
            covered: dict[str, list[bool]] = {method: [] for method in INTERVALS}
            widths: dict[str, list[float]] = {method: [] for method in INTERVALS}
            for own in owns:
                drawn, true = rng.choice(own, size=(N_DRAWS, n)), own.mean()
                variances = np.where(np.ptp(drawn, axis=1) == 0, 0.0, drawn.var(axis=1, ddof=1))
                for mean, variance in zip(drawn.mean(axis=1).tolist(), variances.tolist(), strict=True):
                    for method, value_range in INTERVALS.items():
                        low, high = bounded_interval(mean, variance, n, 0.95, value_range)
                        covered[method].append(low - 1e-12 <= true <= high + 1e-12)
                        widths[method].append(high - low)
            for method, texts in cells.items():
                texts.append(f"{np.mean(covered[method]):.3f} ({np.mean(widths[method]):.2f})")
        for method, texts in cells.items():
            print(f"| {n} | {method} | {' | '.join(texts)} |")


if __name__ == "__main__":
    main(sys.argv[1:])
