"""Which measure distinguishes rankers with the fewest queries: ``python -m benchmarks.which_measure DATA [--write]``.

DATA has the folders of any of these collections; those that are absent are left out:

- ``ohsumed-letor3``, ``mq2008``: S1.txt.xz to S5.txt.xz of LETOR 3.0 OHSUMED and LETOR 4.0 MQ2008;
- ``lightgbm-lambdarank``: rank.train.xz, rank.test.xz and their .query files, the example of LightGBM;
- ``dl19``: qrels.txt and runs/, the 37 runs of the TREC Deep Learning track 2019, passages:
  data/dl2019/2019qrels-pass.txt and trec-dl-2019/runs-compressed/deep/input.* of
  https://github.com/naghmefarzi/llmjudge, decompressed;
- ``trec``: matrices of AP, P@10 and RR (ad hoc tracks 5 to 8) and of NDCG@20 and ERR@20 (web tracks 2010 to 2013), the
  folder ``data`` of https://github.com/julian-urbano/sigir2019-statistical.

A ranker of the LETOR data is one feature. Two rankers are a pair if all measures agree which one is better; nobody
knows the truth where they do not. The number of queries that a paired t test needs to find the difference, at the 5%
level with a power of 80%, is (1.96 + 0.84)^2 (sd / mean)^2 of the differences. Relative to NDCG@10, its geometric mean
over the pairs is in the table. Intervals are of the bootstrap over queries and rankers, on the scale of logarithms.
"""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

import idealrank as ir

Floats = npt.NDArray[np.float64]

REFERENCE = "ndcg@10"
MEASURES = (
    "ap",
    "ndcg(discount=power:0.5)",
    "ndcg@20%",
    "ndcg",
    "ndcg@20",
    REFERENCE,
    "ndcg@5",
    "ndcg(discount=zipf)",
    "rbp",
    "p@10",
    "recall@10",
    "err",
    "rr",
)
#: Matrices of the folder ``trec``: tracks, and their measures, the reference first.
TRACKS = {
    "ad hoc tracks of TREC-5 to TREC-8": ([f"adhoc{year}" for year in range(5, 9)], ("p10", "ap", "rr")),
    "web tracks of 2010 to 2013": ([f"web{year}" for year in range(2010, 2014)], ("ndcg20", "err20")),
}
_SHOWN = {"p10": "p@10", "ndcg20": "ndcg@20", "err20": "err@20"}
_WIDTH = 125
PAGE = Path(__file__).parents[1] / "docs" / "which_ndcg.md"
START, END = "<!-- which_measure: table -->", "<!-- end of which_measure -->"
#: Squared, the mean difference in standard deviations that one query would need.
FACTOR = float((ndtri(0.975) + ndtri(0.8)) ** 2)


@dataclass(frozen=True)
class Collection:
    """The values of all measures: one row per query and one column per ranker."""

    name: str
    values: Mapping[str, Floats]

    @property
    def shape(self) -> tuple[int, int]:
        """The number of queries and of rankers."""
        n_queries, n_rankers = next(iter(self.values.values())).shape
        return n_queries, n_rankers


@dataclass(frozen=True)
class Needed:
    """Queries needed by each measure, over the pairs of one collection."""

    n_pairs: int
    median: Mapping[str, float]
    relative: Mapping[str, float]
    best: Mapping[str, float]


def needed(
    collection: Collection, queries: npt.NDArray[np.intp] | None = None, weights: Floats | None = None
) -> Needed:
    """Return what the measures need on some queries, with weights of the rankers, both drawn by the bootstrap."""
    names = list(collection.values)
    rows = [each if queries is None else each[queries] for each in collection.values.values()]
    n_rankers = rows[0].shape[1]
    first, second = np.triu_indices(n_rankers, 1)
    means, variances = [], []
    for own in rows:
        mean, covariance = own.mean(0), np.cov(own, rowvar=False)
        spread = np.diag(covariance)
        means.append(mean[first] - mean[second])
        variances.append(spread[first] + spread[second] - 2 * covariance[first, second])
    mean, variance = np.array(means), np.maximum(np.array(variances), 1e-300)
    agreed = (np.abs(np.sign(mean).sum(0)) == len(names)) & (np.array(variances) > 1e-12).all(0)
    weight = np.ones(first.size) if weights is None else weights[first] * weights[second]
    kept = agreed & (weight > 0)
    log_queries = np.log(FACTOR * variance[:, kept] / mean[:, kept] ** 2)
    weight = weight[kept]
    relative = np.exp(np.average(log_queries - log_queries[names.index(_reference(names))], axis=1, weights=weight))
    is_best = log_queries == log_queries.min(0)
    return Needed(
        int(kept.sum()),
        dict(zip(names, np.exp(np.median(log_queries, axis=1)).tolist(), strict=True)),
        dict(zip(names, relative.tolist(), strict=True)),
        dict(zip(names, np.average(is_best, axis=1, weights=weight).tolist(), strict=True)),
    )


def _reference(names: Sequence[str]) -> str:
    return REFERENCE if REFERENCE in names else names[0]


def intervals(collection: Collection, n_draws: int, seed: int = 0) -> dict[str, tuple[float, float]]:
    """Return 95% intervals of what the measures need relative to the reference."""
    rng = np.random.default_rng(seed)
    n_queries, n_rankers = collection.shape
    draws = []
    for _ in range(n_draws):
        weights = np.bincount(rng.integers(n_rankers, size=n_rankers), minlength=n_rankers).astype(float)
        drawn = needed(collection, rng.integers(n_queries, size=n_queries), weights)
        draws.append(np.log(list(drawn.relative.values())))
    own = np.log(list(needed(collection).relative.values()))
    low, high = np.exp(2 * own - np.quantile(draws, [0.975, 0.025], axis=0))  # the basic bootstrap
    return {name: (low[place], high[place]) for place, name in enumerate(collection.values)}


def letor(folder: Path, name: str) -> Collection:
    """Return the values of single features of LETOR data."""
    return _of_features(name, [ir.read_letor(folder / f"S{part}.txt.xz") for part in range(1, 6)])


def lightgbm(folder: Path) -> Collection:
    """Return the values of single features of LightGBM's example, training and test set."""
    parts = [
        ir.read_letor(folder / f"rank.{part}.xz", group=folder / f"rank.{part}.query") for part in ("train", "test")
    ]
    return _of_features("LightGBM's example", parts)


def _of_features(name: str, parts: Sequence[ir.RankingData]) -> Collection:
    """Return the values of features that rank something in at least half of the queries."""
    n_features = min(0 if part.features is None else part.features.shape[1] for part in parts)
    rankers: dict[str, list[Floats]] = {each: [] for each in MEASURES}
    for place in range(n_features):
        columns = [np.ascontiguousarray(part.features[:, place]) for part in parts if part.features is not None]
        ranked = [
            np.maximum.reduceat(own, part.offsets[:-1]) > np.minimum.reduceat(own, part.offsets[:-1])
            for part, own in zip(parts, columns, strict=True)
        ]
        if np.concatenate(ranked).mean() >= 0.5:
            own = [ir.evaluate(part, column, MEASURES).per_query for part, column in zip(parts, columns, strict=True)]
            for each in MEASURES:
                rankers[each].append(np.concatenate([values[each] for values in own]))
    return _distinct(name, {each: np.stack(own, axis=1) for each, own in rankers.items()})


def runs(folder: Path) -> Collection:
    """Return the values of runs."""
    qrels = ir.read_qrels(folder / "qrels.txt")
    like = ir.convention("trec_eval").replace(missing=0.0, duplicates="last")
    paths = sorted((folder / "runs").iterdir())
    found = [ir.evaluate(qrels, ir.read_run(path), MEASURES, like=like).per_query for path in paths]
    return _distinct("TREC DL 2019", {each: np.stack([own[each] for own in found], axis=1) for each in MEASURES})


def tracks(folder: Path, kind: str) -> list[Collection]:
    """Return the values of TREC's tracks of one kind."""
    names, measures = TRACKS[kind]
    return [
        _distinct(
            name,
            {each: np.loadtxt(folder / f"{name}_{each}.csv", delimiter=",", skiprows=1) for each in measures},
        )
        for name in names
    ]


def _distinct(name: str, values: Mapping[str, Floats]) -> Collection:
    """Return the collection without rankers that have the same values as another one."""
    _, first = np.unique(np.concatenate(list(values.values())).round(12), axis=1, return_index=True)
    return Collection(name, {each: own[:, np.sort(first)] for each, own in values.items()})


def collections(folder: Path) -> list[Collection]:
    """Return the collections that are present."""
    makers = {
        "ohsumed-letor3": lambda path: letor(path, "OHSUMED"),
        "mq2008": lambda path: letor(path, "MQ2008"),
        "lightgbm-lambdarank": lightgbm,
        "dl19": runs,
    }
    return [make(folder / name) for name, make in makers.items() if (folder / name).is_dir()]


def averages(needs: Iterable[Needed]) -> dict[str, float]:
    """Return what each measure needs relative to the reference: the geometric mean over collections."""
    logs = [{name: np.log(value) for name, value in each.relative.items()} for each in needs]
    return {name: float(np.exp(np.mean([own[name] for own in logs]))) for name in logs[0]}


def held_out(needs: Mapping[str, Needed]) -> list[tuple[tuple[str, ...], str, float, float]]:
    """Return, for each half of the collections: its names, the best measure there, its need there and elsewhere."""
    results = []
    for half in combinations(needs, len(needs) // 2):
        inside = averages(needs[name] for name in half)
        outside = averages(needs[name] for name in needs if name not in half)
        best = min(inside, key=inside.__getitem__)
        results.append((half, best, inside[best], outside[best]))
    return results


def tables(folder: Path, n_draws: int) -> str:
    """Return the tables in Markdown, with the sentences that state their numbers."""
    found = collections(folder)
    needs = {each.name: needed(each) for each in found}
    ranges = {each.name: intervals(each, n_draws) for each in found}
    average = averages(needs.values())
    lines = [
        f"| measure | all | {' | '.join(needs)} |",
        f"| --- | ---: |{' ---: |' * len(needs)}",
        f"| rankers, pairs, queries | | {' | '.join(_sizes(each, needs[each.name]) for each in found)} |",
    ]
    for name in sorted(average, key=average.__getitem__):
        cells = [_cell(needs[each].relative[name], ranges[each][name]) for each in needs]
        lines.append(f"| `{name}` | {average[name]:.2f} | {' | '.join(cells)} |")
    chosen = held_out(needs)
    outside = [each[3] for each in chosen]
    names = sorted({each[1] for each in chosen})
    lines += [
        "",
        textwrap.fill(
            f"Chosen on half of the collections, the best measure ({', '.join(f'`{name}`' for name in names)}, "
            f"depending on the half) needs {min(outside):.2f} to {max(outside):.2f} times as many queries as "
            f"`{REFERENCE}` on the other half, although it needed {min(each[2] for each in chosen):.2f} to "
            f"{max(each[2] for each in chosen):.2f} times as many where it was chosen.",
            _WIDTH,
            break_long_words=False,
        ),
    ]
    if (folder / "trec").is_dir():
        lines += ["", "| runs of | measures | queries needed, year by year |", "| --- | --- | --- |"]
        for kind, (_, measures) in TRACKS.items():
            all_tracks = tracks(folder / "trec", kind)
            ways = {each.name: (needed(each), intervals(each, n_draws)) for each in all_tracks}
            for name in measures[1:]:
                cells = [_cell(need.relative[name], own[name]) for need, own in ways.values()]
                both = [f"`{_SHOWN.get(each, each)}`" for each in (name, measures[0])]
                lines.append(f"| {kind} | {both[0]} relative to {both[1]} | {'; '.join(cells)} |")
    return "\n".join(lines)


def _sizes(collection: Collection, need: Needed) -> str:
    n_queries, n_rankers = collection.shape
    return f"{n_rankers}, {need.n_pairs:,}, {n_queries}"


def _cell(value: float, interval: tuple[float, float]) -> str:
    return "1" if interval[0] == interval[1] else f"{value:.2f} ({interval[0]:.2f} to {interval[1]:.2f})"


def between_markers(page: str, start: str, end: str, text: str) -> str:
    """Return the page with the text between two markers."""
    before, rest = page.split(start)
    return f"{before}{start}\n\n{text}\n\n{end}{rest.split(end)[1]}"


def main() -> None:
    """Print the tables, or write them into the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--draws", type=int, default=500, help="draws of the bootstrap (default: 500)")
    parser.add_argument("--write", action="store_true", help=f"write the tables into {PAGE.name}")
    options = parser.parse_args()
    text = tables(options.folder, options.draws)
    if options.write:
        PAGE.write_text(between_markers(PAGE.read_text(encoding="utf-8"), START, END, text), encoding="utf-8")
    else:
        print(text)


if __name__ == "__main__":
    main()
