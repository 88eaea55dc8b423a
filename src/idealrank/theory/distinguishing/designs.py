"""The discount and the cutoff that distinguish two rankers with the fewest queries, and how much of that is luck."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple, Unpack

import numpy as np
from scipy import special

from idealrank import stats
from idealrank._core.checks import check_count, items_of
from idealrank._core.seeds import generator
from idealrank._present.page import Page, Section
from idealrank._present.result import Result
from idealrank._present.statement import Statement
from idealrank._present.table import Column, Table
from idealrank._typing import Floats, Int64s
from idealrank.data.ranking import Order
from idealrank.errors import DataError, OptionError
from idealrank.evaluation.evaluator import Evaluator
from idealrank.evaluation.inputs import Data, LayoutOptions, OneSystem, judged_and_systems, layout_of
from idealrank.measures import NDCG, Measure, cutoffs, discounts
from idealrank.measures import measure as parse
from idealrank.measures.conventions import Convention

__all__ = ["DesignSearch", "search_design"]

_BETAS = (0.0, 0.25, 0.5, 0.75, 1.0)
_CUTOFFS = (None, 0.5, 0.2, "n^0.5", 20, 10, 5)


@dataclass(frozen=True)
class DesignSearch(Result):
    """The result of `search_design`.

    Parameters
    ----------
    measures : tuple of str
        The measures that were tried; the last one is the reference.
    signal, noise : float64 arrays of shape (n_measures,)
        For each measure, the mean of the differences A - B over queries, and their standard deviation.
    ratios : float64 array of shape (n_measures,)
        The signal-to-noise ratios, |signal| / noise.
    best : str
        The measure with the highest ratio on all queries.
    best_ratio : float
        The ratio of the best measure on the same queries, which is too high, because the measure was selected by it.
    honest_ratio : float
        The ratio to expect on other queries: the mean over splits of the ratio on one half of the queries of the
        measure that was selected on the other half. It is below 0 if the order of the systems is more often reversed.
    reference_ratio : float
        The mean ratio of the reference on the same halves, signed by the order on the other half.
    gain_interval : tuple of float
        The 95% interval of ``honest_ratio - reference_ratio``, with the variance of repeated splits as corrected by
        Nadeau and Bengio (2003).
    chosen : float64 array of shape (n_measures,)
        The share of splits in which each measure was selected.
    n_queries, n_splits : int
        The number of queries, and of random splits.
    seed : int
        Seed of the random number generator.

    Examples
    --------
    >>> from idealrank.theory import search_design
    >>> search_design([2, 1, 0] * 4, [3, 2, 1] * 4, [1, 2, 3, 3, 1, 2] * 2, offsets=[0, 3, 6, 9, 12]).n_queries
    4
    """

    measures: tuple[str, ...]
    signal: Floats
    noise: Floats
    ratios: Floats
    best: str
    best_ratio: float
    honest_ratio: float
    reference_ratio: float
    gain_interval: tuple[float, float]
    chosen: Floats
    n_queries: int
    n_splits: int
    seed: int

    @property
    def queries_needed(self) -> int | None:
        """The number of queries with which a t test detects the difference with 80% power, from ``honest_ratio``."""
        if not self.honest_ratio > 0:
            return None
        unit = np.array([[0.0, 0.0], [math.sqrt(2.0), 0.0]])  # differences with a variance of 1
        return stats.queries_for(self.honest_ratio, unit).n_queries

    def tables(self) -> Mapping[str, Table]:
        """Return the table "measures": a row per measure, the highest ratio first."""
        columns = [Column("measure"), Column("signal", "+.4f"), Column("noise", ".4f"), Column("ratio", ".3f")]
        order = np.argsort(-np.nan_to_num(self.ratios, nan=-1.0), kind="stable").tolist()
        rows = [
            [self.measures[i], *(float(each[i]) for each in (self.signal, self.noise, self.ratios, self.chosen))]
            for i in order
        ]
        best = frozenset({(0, 3)})
        return {"measures": Table([*columns, Column("chosen", ".0%")], rows, best=best)}

    def page(self) -> Page:
        """Return the best measure, what to expect of it on other queries, and the caveat."""
        reference = self.measures[-1]
        first = (
            f"{self.best} has the best signal-to-noise ratio on these {self.n_queries} queries, {self.best_ratio:.3f}."
        )
        honest = (
            "That is too high, because it was chosen on the same queries: chosen on one half and measured on the "
            f"other, the ratio is {self.honest_ratio:.3f}, and that of {reference} is {self.reference_ratio:.3f}."
        )
        gain, (low, high) = self.honest_ratio - self.reference_ratio, self.gain_interval
        worth = f"Whether choosing is worth it is open: it gains {gain:+.3f} ({low:+.3f} to {high:+.3f})."
        if low > 0:
            worth = f"Choosing is worth it here: it gains {gain:+.3f} ({low:+.3f} to {high:+.3f})."
        elif high < 0:
            worth = f"Choosing loses here, {gain:+.3f} ({low:+.3f} to {high:+.3f}): keep {reference}."
        caveat = (
            "A measure that distinguishes two systems is not for that reason the measure that users care about, and a "
            "test with the chosen measure on the same queries finds too many differences: use other queries."
        )
        how = (f"{self.n_queries} queries, {self.n_splits} random splits into halves, seed {self.seed}",)
        return Page(
            f"Signal to noise of {len(self.measures)} measures",
            findings=(
                Statement("best signal-to-noise ratio", first),
                Statement("ratio on other queries", honest),
                Statement("choosing a measure is worth it", worth),
                Statement("caveat of a chosen measure", caveat),
            ),
            summary=(Section(tables=self.tables()),),
            remarks=how,
            sections=lambda: [Section("Result", tables=self.tables(), notes=how)],
        )


def search_design(
    data: Data,
    scores_a: OneSystem,
    scores_b: OneSystem,
    *,
    betas: Iterable[float] = _BETAS,
    cuts: Iterable[Any] = _CUTOFFS,
    reference: str | Measure = "ndcg@10",
    n_splits: int = 100,
    like: str | Convention | None = None,
    seed: int = 0,
    order: Order | None = None,
    n_threads: int | None = None,
    **layout: Unpack[LayoutOptions],
) -> DesignSearch:
    """Search for the discount r^-beta and the cutoff k(n) that best distinguish two rankers on lists of your length.

    The best of many measures on some queries looks better than it is. Therefore the selection is repeated on random
    halves of the queries, and each selected measure is evaluated on the other half.

    Parameters
    ----------
    data, scores_a, scores_b
        The judged documents and two systems, as in `evaluate`.
    betas : iterable of float
        The exponents of the discount; 0 means the logarithm.
    cuts : iterable of int, float, str, Cutoff or None
        The cutoffs, such as 10, 0.2 for a fifth of the list, "n^0.5", or None for the whole list.
    reference : str or Measure
        The measure to compare with, which is also one of the candidates.
    n_splits : int
        The number of random splits into halves.
    like : str or Convention, optional
        The convention for options that the measures leave unset, as in `evaluate`.
    seed : int
        Seed of the random number generator.
    order : {"input", "grouped"}, optional
        The order of the scores, as in `evaluate`.
    n_threads : int, optional
        Number of threads; None means all cores, or the number passed to `set_threads`.
    **layout
        The layout of the data: offsets, group, query_ids, mask, and column names, as in `evaluate`.

    Returns
    -------
    DesignSearch
        The ratios of all measures, and what to expect of the best one.

    Raises
    ------
    DataError
        If there are fewer than four queries, or no measure sees a difference.
    OptionError
        If an option is out of range.

    Examples
    --------
    >>> from idealrank.datasets import search_runs
    >>> from idealrank.theory import search_design
    >>> qrels, runs = search_runs(100)
    >>> found = search_design(qrels, runs["hybrid"], runs["dense"], seed=0)
    >>> found.best_ratio > found.honest_ratio
    True
    """
    check_count(n_splits, "n_splits")
    tried = _candidates(betas, cuts)
    last = parse(reference) if isinstance(reference, str) else reference
    names = [*(name for name in tried if name != str(last)), str(last)]
    judged, systems = judged_and_systems(data, {"A": scores_a, "B": scores_b}, layout_of(layout, order))
    evaluator = Evaluator(judged, like, n_threads=n_threads)
    found = evaluator.evaluate_all(systems.items(), names).on_common_queries()
    a, b = (np.stack([each.per_query[name] for name in names], axis=1) for each in found.values())
    differences = a - b
    differences = differences[~np.isnan(differences).any(axis=1)]
    if len(differences) < 4:
        raise DataError(
            f"a search needs four queries or more that all measures have values for, got {len(differences)}"
        )
    if not differences.any():
        raise DataError("no measure sees a difference between the two systems")
    ratios = _ratios(differences)
    best = int(np.argmax(np.abs(ratios)))
    honest = honest_choice(differences, n_splits, generator(seed))
    return DesignSearch(
        tuple(names),
        differences.mean(axis=0),
        differences.std(axis=0, ddof=1),
        np.abs(ratios),
        names[best],
        float(np.abs(ratios[best])),
        honest.ratio,
        honest.reference,
        honest.gain_interval,
        np.bincount(honest.chosen, minlength=len(names)) / n_splits,
        len(differences),
        n_splits,
        seed,
    )


class HonestChoice(NamedTuple):
    """The mean ratio, on halves that were not used to choose, of what was chosen and of the last column; their gap."""

    ratio: float
    reference: float
    gain_interval: tuple[float, float]
    chosen: Int64s


def honest_choice(differences: Floats, n_splits: int, rng: np.random.Generator) -> HonestChoice:
    """Choose the column with the best signal to noise on one half of the rows, and measure it on the other.

    Parameters
    ----------
    differences : array of shape (n_queries, n_measures)
        The differences of two systems; the last column is the reference.
    n_splits : int
        The number of random splits.
    rng : numpy.random.Generator
        Draws the splits.

    Returns
    -------
    HonestChoice
    """
    chosen, ratios, references = [], [], []
    half = len(differences) // 2
    for _ in range(n_splits):
        rows = rng.permutation(len(differences))
        first, second = (_ratios(differences[part]) for part in (rows[:half], rows[half:]))
        best = int(np.argmax(np.abs(first)))
        chosen.append(best)
        ratios.append(float(np.sign(first[best]) * second[best]))
        references.append(float(np.sign(first[-1]) * second[-1]))
    gains = np.subtract(ratios, references)
    # Splits share their queries: the variance of the mean is theirs times 1/n_splits + test / training queries.
    error = math.sqrt(float(gains.var(ddof=1)) * (1 / n_splits + 1)) if n_splits > 1 else math.inf
    reach = float(special.stdtrit(max(n_splits - 1, 1), 0.975)) * error
    interval = (float(gains.mean()) - reach, float(gains.mean()) + reach)
    return HonestChoice(float(np.mean(ratios)), float(np.mean(references)), interval, np.array(chosen))


def _ratios(differences: Floats) -> Floats:
    """Return mean over standard deviation; 0 without a difference, and the largest finite one without variance."""
    means, spread = differences.mean(axis=0), differences.std(axis=0, ddof=1)
    safe = np.where(spread > 1e-12 * np.abs(means), spread, np.nan)
    with np.errstate(invalid="ignore"):
        found = np.where(means == 0, 0.0, means / safe)
    limit = math.sqrt(len(differences))  # that of a mean that all rows share but one
    return np.where(np.isnan(found), np.sign(means) * limit, found)


def _candidates(betas: Iterable[Any], cuts: Iterable[Any]) -> list[str]:
    powers = []
    for beta in items_of(betas, "betas"):
        if not isinstance(beta, (int, float, np.floating)) or not 0 <= beta < math.inf:
            raise OptionError(f"betas must be numbers of at least 0, got {beta!r}")
        powers.append(discounts.of("log") if beta == 0 else discounts.Power(float(beta)))
    tried = [
        NDCG(discount=discount, cutoff=cutoffs.of(cut)) for discount, cut in product(powers, items_of(cuts, "cuts"))
    ]
    if not tried:
        raise OptionError("no candidates: give one beta and one cutoff or more")
    return list(dict.fromkeys(str(each) for each in tried))
