"""Error rates of all tests and intervals on real values: ``python -m benchmarks.which_test FOLDER``.

FOLDER has matrices of values, ``COLLECTION_MEASURE.csv``: a column per system and, below a line of names, a row per
topic. The figures of docs/statistics.md are of the folder ``data`` of
https://github.com/julian-urbano/sigir2019-statistical: 20 matrices of TREC's ad hoc and web tracks.

On real systems nobody knows which ones differ, so topics are drawn from populations that are fitted to them and whose
means are known: the distribution of each system's values is that of its observed values, and the dependence of the
systems is that of the observed ranks (an empirical copula). Systems are made equal, or different by a known amount, by
tilting the distributions, which keeps their supports. The method is that of Urbano, Lima and Hanjalic 2019, without
parametric families. What needs no population is counted on halves of the real topics.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq
from scipy.special import fdtrc

from idealrank import stats
from idealrank.stats.paired import TESTS, paired_test

Floats = npt.NDArray[np.float64]
Rates = dict[tuple[str, str], float]

LEVEL = 0.05
#: 999 and not 1,000: the observed order is one of the orders that are counted, and 5% of 1,000 is an integer.
N_DRAWS = 999
_INTERVALS = ("t", "percentile", "bca")
_N_POINTS = 1_000
_N_NEAREST = 10


@dataclass(frozen=True)
class Margin:
    """The distribution of one system's values: ascending, with probabilities."""

    values: Floats
    probabilities: Floats

    @classmethod
    def fitted(cls, observed: Floats, *, discrete: bool) -> Margin:
        """Return the distribution of observed values, between which it is continuous unless the measure is discrete."""
        ascending = np.sort(observed)
        if not discrete:
            known = (np.arange(ascending.size) + 0.5) / ascending.size
            ascending = np.interp((np.arange(_N_POINTS) + 0.5) / _N_POINTS, known, ascending)
        return cls(ascending, np.full(ascending.size, 1 / ascending.size))

    @property
    def mean(self) -> float:
        """The expected value, exactly."""
        return float(self.values @ self.probabilities)

    def with_mean(self, mean: float) -> Margin | None:
        """Return the distribution on the same values that has this mean and is closest to this one; None if none is.

        It is closest by the Kullback-Leibler divergence: probabilities are multiplied by exp(theta * value).
        """

        def tilted(theta: float) -> Margin:
            logs = theta * self.values
            weights = self.probabilities * np.exp(logs - logs.max())
            return Margin(self.values, weights / weights.sum())

        steepest = 200.0
        if not tilted(-steepest).mean < mean < tilted(steepest).mean:
            return None
        return tilted(float(brentq(lambda theta: tilted(theta).mean - mean, -steepest, steepest)))

    def quantiles(self, shares: Floats) -> Floats:
        """Return the values below which these shares of the distribution are."""
        places = np.searchsorted(np.cumsum(self.probabilities), shares, side="right")
        found: Floats = self.values[np.minimum(places, self.values.size - 1)]
        return found


@dataclass(frozen=True)
class Population:
    """A population of topics: the distribution of each system's values, and the ranks of real topics' values.

    ``ranks[topic, system]`` are 0 to n_topics - 1, each once per system. If ``exchanged``, the systems take each
    other's place at random on every topic, which makes them equal in every respect.
    """

    margins: tuple[Margin, ...]
    ranks: npt.NDArray[np.int64]
    exchanged: bool = False

    @property
    def means(self) -> Floats:
        """The true mean of each system."""
        own = np.array([margin.mean for margin in self.margins])
        return np.full(own.size, own.mean()) if self.exchanged else own

    def draw(self, n: int, rng: np.random.Generator) -> Floats:
        """Return the values of n topics, ``values[topic, system]``."""
        chosen = self.ranks[rng.integers(len(self.ranks), size=n)]
        shares = (chosen + rng.random(chosen.shape)) / len(self.ranks)
        values = np.stack([margin.quantiles(own) for margin, own in zip(self.margins, shares.T, strict=True)], axis=1)
        return rng.permuted(values, axis=1) if self.exchanged else values


@dataclass(frozen=True)
class Matrix:
    """Real values, ``values[topic, system]``, of one collection and measure."""

    name: str
    values: Floats

    @property
    def measure(self) -> str:
        """The measure, from the name of the file."""
        return self.name.rsplit("_", 1)[-1]

    @property
    def is_discrete(self) -> bool:
        """Whether the measure has few values, as precision and reciprocal rank do."""
        return np.unique(self.values).size < self.values.size / 4

    @classmethod
    def read(cls, path: Path) -> Matrix:
        """Read a file without the worst quarter of its systems, which are often broken, and without copies."""
        values = np.loadtxt(path, delimiter=",", skiprows=1)
        means = values.mean(axis=0)
        values = np.unique(values[:, means >= np.quantile(means, 0.25)], axis=1)
        return cls(path.stem, values)

    def population(
        self, systems: Sequence[int], means: Sequence[float] | None, rng: np.random.Generator
    ) -> Population | None:
        """Return a population in which these systems have these means, or change places; None if that cannot be."""
        own = self.values[:, systems]
        fitted = [Margin.fitted(column, discrete=self.is_discrete) for column in own.T]
        wanted = [margin.mean for margin in fitted] if means is None else means
        margins = [margin.with_mean(mean) for margin, mean in zip(fitted, wanted, strict=True)]
        if any(margin is None for margin in margins):
            return None
        keys = rng.random(len(own))  # the same for all systems: what ties in several of them stays together
        ranks = np.argsort(np.lexsort((np.broadcast_to(keys[:, None], own.shape), own), axis=0), axis=0)
        return Population(tuple(margin for margin in margins if margin is not None), ranks, means is None)

    def drawn_systems(self, n: int, rng: np.random.Generator) -> list[int]:
        """Return n systems with similar means, the first one at random."""
        means = self.values.mean(axis=0)
        first = int(rng.integers(means.size))
        nearest = np.argsort(np.abs(means - means[first]), kind="stable")
        others = nearest[nearest != first][: max(_N_NEAREST, n - 1)]
        return [first, *rng.choice(others, n - 1, replace=False).tolist()]


def populations(
    matrices: Sequence[Matrix], n_systems: int, added: Sequence[float] | None, n: int, rng: np.random.Generator
) -> Iterator[tuple[str, Population]]:
    """Yield n populations with their measures: the means are that of the first system plus ``added``.

    Without ``added``, the systems are exchanged at random. Matrices with fewer systems are left out.
    """
    matrices = [matrix for matrix in matrices if matrix.values.shape[1] >= n_systems]
    shares = np.array([matrix.values.shape[1] for matrix in matrices], np.float64)
    found = 0
    while found < n:
        matrix = matrices[rng.choice(len(matrices), p=shares / shares.sum())]
        systems = matrix.drawn_systems(n_systems, rng)
        mean = float(matrix.values[:, systems[0]].mean())
        population = matrix.population(systems, added and [mean + each for each in added], rng)
        if population is not None:
            found += 1
            yield matrix.measure, population


def two_systems(drawn: Iterable[tuple[str, Population]], n: int, rng: np.random.Generator) -> Rates:
    """Return how often each test rejects, and how often each interval covers the truth, for the first two systems."""
    counts = _Counts()
    for measure, population in drawn:
        values, means = population.draw(n, rng), population.means
        a, b = values[:, 0], values[:, 1]
        true = float(means[0] - means[1])
        for name in TESTS:
            found = paired_test(name, a, b, n_draws=N_DRAWS, seed=_seed(rng), n_threads=1)
            counts.add(name, measure, found.p_value <= LEVEL)
        if abs(true) > 1e-9:
            counts.add("equivalence", measure, stats.equivalence_test(a, b, abs(true)).p_value <= LEVEL)
        for method in _INTERVALS:
            for what, own, truth in (("mean", a, float(means[0])), ("difference", a - b, true)):
                counts.add(f"{method} of a {what}", measure, _covers(own, truth, method, rng))
    return counts.rates()


def many_systems(drawn: Iterable[tuple[str, Population]], n: int, rng: np.random.Generator) -> Rates:
    """Return how often procedures for many systems call any equal pair different, and which share of the others."""
    counts = _Counts()
    for measure, population in drawn:
        values, means = population.draw(n, rng), population.means
        for name, pairs, p_values in _procedures(values, _seed(rng)):
            is_equal = np.array([abs(means[i] - means[j]) < 1e-9 for i, j in pairs])
            is_found = np.nan_to_num(p_values, nan=1.0) <= LEVEL
            counts.add(f"{name}: any error", measure, bool((is_found & is_equal).any()))
            if is_found.any():
                counts.add(f"{name}: share of errors", measure, float(is_equal[is_found].mean()))
            else:
                counts.add(f"{name}: share of errors", measure, 0.0)
            if not is_equal.all():
                counts.add(f"{name}: found", measure, float(is_found[~is_equal].mean()))
        if np.ptp(means) < 1e-9:
            counts.add("anova: any error", measure, stats.anova(values).p_value <= LEVEL)
    return counts.rates()


def variance_analyses(drawn: Iterable[tuple[str, Population]], n: int, rng: np.random.Generator) -> Rates:
    """Return how often the analysis of variance rejects, with its correction and without it."""
    counts = _Counts()
    for measure, population in drawn:
        found = stats.anova(population.draw(n, rng))
        plain = float(fdtrc(found.df_systems, found.df_residual, found.f_statistic))
        counts.add("Huynh and Feldt", measure, found.p_value <= LEVEL)
        counts.add("no correction", measure, plain <= LEVEL)
        counts.add("epsilon", measure, found.epsilon)
    return counts.rates()


def halves(matrices: Sequence[Matrix], n_splits: int, rng: np.random.Generator) -> Rates:
    """Return what one half of the real topics says about what a test found on the other half.

    "found": the share of pairs that are significant on a half. Of these, "reversed": the share in which the other half
    has the opposite order; "contradicted": in which that is significant too.
    """
    counts = _Counts()
    for _ in range(n_splits):
        matrix = matrices[int(rng.integers(len(matrices)))]
        first, second = rng.choice(matrix.values.shape[1], 2, replace=False)
        differences = rng.permutation(matrix.values[:, first] - matrix.values[:, second])
        half = differences.size // 2
        parts = differences[:half], differences[half : 2 * half]
        for name in TESTS:
            tested = [paired_test(name, part, 0 * part, n_draws=N_DRAWS, seed=1, n_threads=1) for part in parts]
            for one, other in (tested, tested[::-1]):
                is_found = one.p_value <= LEVEL
                counts.add(f"{name}: found", matrix.measure, is_found)
                if is_found:
                    is_reversed = one.difference * other.difference < 0
                    counts.add(f"{name}: reversed", matrix.measure, is_reversed)
                    counts.add(f"{name}: contradicted", matrix.measure, is_reversed and other.p_value <= LEVEL)
    return dict(sorted(counts.rates().items()))


class _Counts:
    """Sums of what happened, by name and measure, and over all measures."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str], list[float]] = defaultdict(list)

    def add(self, name: str, measure: str, happened: float) -> None:
        for own in (measure, "all"):
            self._found[name, own].append(float(happened))

    def rates(self) -> Rates:
        return {key: float(np.mean(found)) for key, found in self._found.items()}


def _procedures(values: Floats, seed: int) -> Iterator[tuple[str, list[tuple[int, int]], Floats]]:
    """Yield each procedure for many systems, the pairs that it compares and their p-values."""
    every = list(combinations(range(values.shape[1]), 2))
    baseline = [(0, j) for j in range(1, values.shape[1])]
    tukey = stats.randomized_tukey_hsd(values, n_permutations=N_DRAWS, seed=seed, n_threads=1).p_values
    yield "Tukey HSD, all pairs", every, np.array([tukey[pair] for pair in every])
    for method in ("randomization", "bootstrap"):
        largest = stats.rank_systems([values], n_resamples=N_DRAWS, seed=seed, method=method).p_values
        yield f"largest t by {method}, all pairs", every, np.array([largest[pair] for pair in every])
    corrections: dict[str, Callable[[npt.ArrayLike], Floats]] = {
        "holm": stats.holm,
        "benjamini_hochberg": stats.benjamini_hochberg,
        "none": lambda p_values: np.asarray(p_values, np.float64),
    }
    # The p-values of the t test are those of the randomization test to within a few percent, in a tenth of the time.
    for where, pairs in (("all pairs", every), ("a baseline", baseline)):
        raw = [stats.t_test(values[:, i], values[:, j]).p_value for i, j in pairs]
        for name, correct in corrections.items():
            yield f"t and {name}, {where}", pairs, correct(raw)


def _covers(values: Floats, truth: float, method: str, rng: np.random.Generator) -> bool:
    found = stats.interval(values, 1 - LEVEL, method, n_resamples=N_DRAWS, seed=_seed(rng), n_threads=1)
    return found.low <= truth <= found.high


def _seed(rng: np.random.Generator) -> int:
    return int(rng.integers(2**62))


def table(by_size: dict[int, Rates], *, measures: Sequence[str] = ("all",)) -> str:
    """Return rates as a Markdown table: a row per name, a column per number of topics and measure."""
    names = list(dict.fromkeys(name for rates in by_size.values() for name, _ in rates))
    columns = [(n, measure) for measure in measures for n in by_size]
    head = ["", *(f"n = {n}" if measure == "all" else f"{measure}, {n}" for n, measure in columns)]
    rows = [[name, *(f"{by_size[n].get((name, measure), np.nan):.3f}" for n, measure in columns)] for name in names]
    lines = [f"| {' | '.join(row)} |" for row in (head, ["---", *["---:"] * len(columns)], *rows)]
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print all rates as Markdown tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--trials", type=int, default=5_000, help="simulated experiments with two systems")
    parser.add_argument("--many", type=int, default=2_000, help="simulated experiments with ten systems")
    parser.add_argument("--sizes", type=int, nargs="+", default=[25, 50, 100], help="numbers of topics")
    parser.add_argument("--difference", type=float, default=0.05, help="the true difference where there is one")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--anova", action="store_true", help="only the analysis of variance, in a minute")
    options = parser.parse_args(arguments)
    matrices = [Matrix.read(path) for path in sorted(options.folder.glob("*.csv"))]
    if not any(matrix.values.shape[1] >= 10 for matrix in matrices):
        parser.error(f"{options.folder} has no CSV files with ten different systems or more")
    rng = np.random.default_rng(options.seed)
    measures = ["all", *dict.fromkeys(matrix.measure for matrix in matrices)]
    n, few, difference = options.trials, options.many, options.difference

    def each(n_systems: int, added: Sequence[float] | None, count: int, run: Callable[..., Rates]) -> dict[int, Rates]:
        sizes = options.sizes
        return {size: run(populations(matrices, n_systems, added, count, rng), size, rng) for size in sizes}

    if options.anova:
        print(f"## Analysis of variance of ten systems with equal means, {few:,} experiments\n")
        print(table(each(10, [0.0] * 10, few, variance_analyses)), flush=True)
        print("\n## Ten systems, exchanged at random\n")
        print(table(each(10, None, few, variance_analyses)), flush=True)
        return
    print(f"{len(matrices)} matrices, {n:,} simulated experiments per column, level {LEVEL}\n", flush=True)
    print("## Two systems with equal means\n")
    print(table(each(2, [0, 0], n, two_systems), measures=measures), flush=True)
    print("\n## Two systems, exchanged at random\n")
    print(table(each(2, None, n, two_systems)), flush=True)
    print(f"\n## Two systems that differ by {difference}\n")
    print(table(each(2, [0, difference], n, two_systems), measures=measures), flush=True)
    print(f"\n## Ten equal systems, {few:,} experiments\n")
    print(table(each(10, [0.0] * 10, few, many_systems)), flush=True)
    print(f"\n## Five equal systems, and five that are better by {2 * difference}, {few:,} experiments\n")
    print(table(each(10, [0.0] * 5 + [2 * difference] * 5, few, many_systems)), flush=True)
    print(f"\n## Halves of the real topics, {n:,} splits\n")
    print(table({min(len(m.values) for m in matrices) // 2: halves(matrices, n, rng)}), flush=True)


if __name__ == "__main__":
    main()
