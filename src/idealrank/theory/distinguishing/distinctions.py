"""Which measures tell two rankers apart on real lists, and what theory predicts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import numpy.typing as npt

from idealrank._base.plain import Plain, plain
from idealrank._base.results import Result
from idealrank._base.sections import Figure, Section
from idealrank._base.tables import Column, Table, Value, stacked
from idealrank._typing import Floats, Int64s
from idealrank.data.ranking import Order
from idealrank.errors import DataError, OptionError
from idealrank.evaluation.evaluator import Evaluator
from idealrank.evaluation.inputs import Data, LayoutOptions, OneSystem, judged_and_systems, layout_of
from idealrank.losses.segments import sums
from idealrank.measures import DCG, NDCG, Measure, gains, measure
from idealrank.theory.distinguishing.paths import Paths
from idealrank.theory.distinguishing.predictions import GapPrediction, predict_gap
from idealrank.theory.distinguishing.prefixes import growing_sizes, prefix_values
from idealrank.theory.long_lists.curves import Curve
from idealrank.theory.long_lists.needed import Gap
from idealrank.theory.long_lists.per_query import QueryCurves, fit_queries
from idealrank.theory.long_lists.verdicts import Verdict, verdict

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["distinguish"]

#: The default measures: those of Wang et al. 2013, appendix A, and two common ones.
MEASURES = (
    "ndcg",
    "ndcg(discount=power:0.5)",
    "ndcg(discount=geometric:2)",
    "ndcg@20%",
    "ndcg@10",
    "ndcg(discount=zipf)",
)


@dataclass(frozen=True)
class Separation:
    """How well one measure separates ranker A from ranker B.

    Parameters
    ----------
    measure : str
        Its name, as given.
    mean_a, mean_b : float
        The means over queries, on whole lists.
    better : str or None
        "a" or "b", whichever has the higher mean; None if the means are equal.
    wins : float
        The share of queries on which the better ranker is ahead; ties count half.
    separated : float
        The share of resamples of the queries on which the mean of the better ranker is ahead; NaN with one query.
    queries_needed : int or None
        The number of queries that order the means correctly with probability 1 - ``delta``; None if there is none.
    settled_at : int or None
        The length of lists from which on the means over queries are in the right order; None if they never are.
    last_wrong : float
        The median over lists of the last length at which a list has the wrong order.
    sign_changes : float
        The mean over lists of how often the lead changes as the list grows.
    limit_a, limit_b : float
        The limits of both means on long lists: means of the limits of each query's curve; NaN if there is no limit.
    limit_interval_a, limit_interval_b : tuple of float
        Their 95% intervals.
    predicted_gap : float
        mean_a - mean_b as predicted by theory from each query's curves, at the length of its list.
    predicted_interval : tuple of float
        Its 95% interval, wide enough for the gap that is seen on as many queries.
    sd_documents, sd_queries : float
        The standard deviation of the difference on one query that comes from its documents, if others were drawn, and
        that of its expected value over queries.
    verdict : Verdict
        The verdict of theory on the two curves of all queries together and this measure.
    """

    measure: str
    mean_a: float
    mean_b: float
    better: str | None
    wins: float
    separated: float
    queries_needed: int | None
    settled_at: int | None
    last_wrong: float
    sign_changes: float
    limit_a: float
    limit_b: float
    limit_interval_a: tuple[float, float]
    limit_interval_b: tuple[float, float]
    predicted_gap: float
    predicted_interval: tuple[float, float]
    sd_documents: float
    sd_queries: float
    verdict: Verdict


@dataclass(frozen=True)
class Distinction(Result):
    """The result of `distinguish`.

    Parameters
    ----------
    separations : tuple of Separation
        One per measure; those that separate with the fewest queries come first.
    sizes : int64 array
        The lengths n at which growing lists were measured.
    paths : mapping of str to Paths
        For each measure, which ranker is ahead at each size.
    means : mapping of str to tuple of arrays
        For each measure, the means over lists of A's and of B's value at each size.
    curves : mapping of str to tuple of Curve
        For each measure, the relevance curves of A and of B.
    names : tuple of str
        The names of A and B.
    n_queries : int
        The number of queries with a relevant document.
    given : tuple of str
        The measures in the order given.
    """

    separations: tuple[Separation, ...]
    sizes: Int64s
    paths: Mapping[str, Paths]
    means: Mapping[str, tuple[Floats, Floats]]
    curves: Mapping[str, tuple[Curve, ...]]
    names: tuple[str, str]
    n_queries: int
    given: tuple[str, ...]

    @property
    def best(self) -> str | None:
        """The measure that separates with the fewest queries; None if no measure sees a difference."""
        return self.separations[0].measure if self.separations[0].better else None

    def __getitem__(self, name: str) -> Separation:
        return next(row for row in self.separations if row.measure == name)

    @property
    def advice(self) -> str:
        """One sentence: how well the first measure given does, and which one does better."""
        a, b = self.names
        first, best = self[self.given[0]], self.separations[0]
        if best.better is None:
            return f"no measure here tells {a} from {b}: their means are the same"
        ahead, behind = (a, b) if best.better == "a" else (b, a)
        if self.n_queries == 1:
            seen = f"{best.measure} puts {ahead} ahead of {behind} on the only query"
            return f"{seen}; more queries are needed to tell how reliably"
        start, end = f"{first.measure} does not tell {a} from {b}", ""
        if first.better is not None:
            resamples = f"{first.separated:.0%} of resamples of {_queries(self.n_queries)}"
            start = f"{first.measure} separates {a} from {b} on {resamples}"
        needs = "" if best.queries_needed is None else f" needs {_queries(best.queries_needed)}"
        if best is first:
            others = "; none of the others is better" if len(self.separations) > 1 else ""
            return start + (f", and{needs}" if needs else "") + others
        if first.better != best.better:
            start += f", with {behind} ahead" if first.better else ""
            end = f", with {ahead} ahead"
        return f"{start}; {best.measure}{needs or ' does better'}{end}"

    def to_dict(self) -> dict[str, Plain]:
        """Return the separations, the advice, and the means at each length."""
        facts = ("names", "n_queries", "advice", "separations", "sizes", "means")
        return {name: plain(getattr(self, name)) for name in facts}

    def tables(self) -> Mapping[str, Table]:
        """Return the table "separations": a row per measure."""
        numbers = {"mean a": ".4f", "mean b": ".4f", "wins": ".1%", "separated": ".1%", "queries": ","}
        more = {"documents": ",", "changes": ".1f", "limit a": ".4f", "limit b": ".4f"}
        columns = [*map(Column, ("measure", "a", "b")), *(Column(*item) for item in {**numbers, **more}.items())]
        return {"separations": Table([*columns, Column("theory")], [self._row(each) for each in self.separations])}

    def _row(self, found: Separation) -> list[Value]:
        seen = [found.mean_a, found.mean_b, found.wins, _or_none(found.separated), found.queries_needed]
        longer = [found.settled_at, found.sign_changes, _or_none(found.limit_a), _or_none(found.limit_b)]
        return [found.measure, *self.names, *seen, *longer, found.verdict.how]

    def remarks(self) -> list[str]:
        """Return the advice."""
        return [self.advice]

    def title(self) -> str:
        """Return a title with the names of both rankers."""
        return f"What tells {', '.join(self.names)} apart"

    def findings(self) -> list[str]:
        """Return the advice."""
        return [f"{self.advice}."]

    def sections(self) -> list[Section]:
        """Return the table, how often the better ranker is ahead, and both means as lists grow."""
        a, b = self.names
        won = "; ".join(f"{row.measure} {row.wins:.0%}" for row in self.separations)
        figures = [Figure("wins", (self,), "Share of lists with the better ranker ahead, by length", won)]
        for row in self.separations:
            told = f"{a} ends at {row.mean_a:.4f}, {b} at {row.mean_b:.4f}"
            caption = f"Means of {row.measure}; dashed lines are the limits"
            figures.append(Figure("means_by_length", (self, row.measure), caption, told))
        title = f"{a} and {b}"
        return [Section(title, parts=(Section(tables={title: self.table()}), Section(figures=tuple(figures))))]

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the share of lists on which the better ranker is ahead, against their length.

        Parameters
        ----------
        ax : Axes, optional
            The axes to draw on; by default new ones.

        Returns
        -------
        Axes
        """
        from idealrank.theory.distinguishing.plots import plot_wins

        return plot_wins(self, ax)

    def __repr__(self) -> str:
        return f"Distinction({self.advice})"


@dataclass(frozen=True)
class Distinctions(Result):
    """What tells several rankers apart, pair by pair.

    Parameters
    ----------
    pairs : tuple of Distinction
        One per pair of rankers.
    """

    pairs: tuple[Distinction, ...]

    def tables(self) -> Mapping[str, Table]:
        """Return the table "separations": a row per pair and measure."""
        return {"separations": stacked([each.table() for each in self.pairs])}

    def remarks(self) -> list[str]:
        """Return the advice for each pair."""
        return [line for each in self.pairs for line in each.remarks()]

    def title(self) -> str:
        """Return a title with the names of all rankers."""
        return f"What tells {', '.join(dict.fromkeys(name for each in self.pairs for name in each.names))} apart"

    def findings(self) -> list[str]:
        """Return the advice for each pair."""
        return [finding for each in self.pairs for finding in each.findings()]

    def sections(self) -> list[Section]:
        """Return a section per pair."""
        return [section for each in self.pairs for section in each.sections()]


def _or_none(value: float) -> float | None:
    """The number; None instead of NaN."""
    return None if math.isnan(value) else value


def _queries(number: int) -> str:
    """A number of queries in words."""
    return f"{number:,} {'query' if number == 1 else 'queries'}"


def distinguish(
    data: Data,
    scores_a: OneSystem,
    scores_b: OneSystem,
    measures: str | Measure | Iterable[str | Measure] = MEASURES,
    *,
    sizes: npt.ArrayLike | None = None,
    n_orders: int = 0,
    n_resamples: int = 200,
    delta: float = 0.05,
    seed: int | None = 0,
    names: tuple[str, str] = ("A", "B"),
    order: Order | None = None,
    n_threads: int | None = None,
    **layout: Unpack[LayoutOptions],
) -> Distinction:
    """Find which measures tell ranker A from ranker B on these lists, how soon, and what theory predicts.

    Every query's list grows document by document, as in appendix A of Wang et al. 2013. Queries without a relevant
    document are left out.

    Parameters
    ----------
    data, scores_a, scores_b
        The judged documents and two systems, as for `evaluate`. Beside judgments, the judged documents are ranked:
        those that a run does not retrieve come last, and unjudged documents are left out.
    measures : str, Measure or iterable of them
        DCG, NDCG or linear NDCG measures.
    sizes : array-like, optional
        The lengths at which growing lists are measured. By default all lengths up to 5000, at most 500 for longer
        lists.
    n_orders : int
        Lists grow in this many random orders; 0 means in the order of their rows.
    n_resamples : int
        The number of resamples of the queries.
    delta : float
        The accepted probability of the wrong order, for the number of queries needed.
    seed : int, optional
        Seed of the random number generator.
    names : tuple of str
        The names of A and B.
    order : {"input", "grouped"}, optional
        The order of the scores, if ``data`` has rows that were moved.
    n_threads : int, optional
        The number of threads; None means all cores.
    **layout
        How the data is laid out: offsets, group, query_ids, mask, and column names, as for `evaluate`.

    Returns
    -------
    Distinction

    Raises
    ------
    OptionError
        If no measure is given, if a measure is of another kind, or if an option is out of range.
    DataError
        If no document is relevant.

    Examples
    --------
    A ranks both queries ideally, B reverses both.

    >>> found = distinguish([2, 1, 0, 1, 0, 0], [3, 2, 1] * 2, [1, 2, 3] * 2, ["ndcg", "ndcg@1"], offsets=[0, 3, 6])
    >>> found.best, found["ndcg@1"].mean_a, found["ndcg@1"].mean_b, found["ndcg@1"].wins
    ('ndcg', 1.0, 0.0, 1.0)
    """
    listed = [measures] if isinstance(measures, (str, Measure)) else measures
    given = {str(each): measure(each) for each in listed}
    if not given:
        raise OptionError("no measure was given")
    if n_orders < 0 or n_resamples < 1:
        raise OptionError(f"n_orders must be at least 0, n_resamples at least 1, got {n_orders} and {n_resamples}")
    if names[0] == names[1]:
        raise OptionError(f"the two rankers must have different names, got {names[0]!r} twice")
    judged, systems = judged_and_systems(
        data, dict(zip(names, (scores_a, scores_b), strict=True)), layout_of(layout, order)
    )
    lists, scores, _ = Evaluator(judged, n_threads=n_threads).complete_lists(systems.items())
    labels, cut = np.nan_to_num(lists.labels, nan=0.0), lists.offsets  # an unjudged document is not relevant
    a, b = scores.values()
    lengths = np.diff(cut)
    length = int(np.median(lengths[lengths > 0])) if lengths.any() else 0
    if not labels.any():
        raise DataError("no document is relevant: no measure can tell rankers apart")
    grid = growing_sizes(length) if sizes is None else np.ascontiguousarray(sizes, np.int64)
    seed = int(np.random.default_rng(seed).integers(2**32))  # shared, so that all measures see the same resamples
    filled = list(given.values())
    on_paths = _along(filled, labels, [a, b], cut, grid, n_orders, seed, n_threads)
    fits = {gain: tuple(fit_queries(gain(labels), scores, cut) for scores in (a, b)) for gain in {*map(_gain, filled)}}
    rows, paths, means, used = [], {}, {}, 0
    for (name, m), path_a, path_b in zip(given.items(), *on_paths, strict=True):
        values_a, values_b = (
            np.where(sums(labels, cut) > 0, m(labels, scores, cut, n_threads=n_threads), np.nan) for scores in (a, b)
        )
        row, lead = _separation(values_a, values_b, path_a - path_b, grid, n_resamples, delta, seed)
        found = predict_gap(m, fits[_gain(m)], labels, [a, b], cut, seed=seed, n_threads=n_threads)
        rows.append(Separation(name, **row, **_predicted(m, found, fits[_gain(m)])))
        paths[name] = Paths(grid, lead)
        means[name] = Paths(grid, path_a).mean_lead, Paths(grid, path_b).mean_lead
        used = max(used, int(np.count_nonzero(~np.isnan(values_a))))
    by_name = {name: tuple(fit.pooled for fit in fits[_gain(m)]) for name, m in given.items()}
    return Distinction(tuple(sorted(rows, key=_soonest)), grid, paths, means, by_name, names, used, tuple(given))


def _gain(m: Measure) -> gains.Gain:
    """The gain of a measure."""
    gain: gains.Gain = m.with_convention().gain  # type: ignore[attr-defined]
    return gain


def _along(
    measures: list[Measure],
    labels: Floats,
    rankers: list[Floats],
    offsets: Int64s,
    sizes: Int64s,
    n_orders: int,
    seed: int,
    n_threads: int | None,
) -> Floats:
    """Values on growing lists, in row order or in random orders, of shape (rankers, measures, lists, sizes)."""
    rng = np.random.default_rng(seed)
    queries = np.repeat(np.arange(offsets.size - 1), np.diff(offsets))
    found = []
    for _ in range(max(n_orders, 1)):
        order = np.lexsort((rng.random(labels.size), queries)) if n_orders else np.arange(labels.size)
        ordered = [scores[order] for scores in rankers]
        found.append(prefix_values(measures, labels[order], ordered, offsets, sizes, n_threads=n_threads))
    return np.concatenate(found, axis=2)


def _separation(
    values_a: Floats,
    values_b: Floats,
    path: Floats,
    sizes: Int64s,
    n_resamples: int,
    delta: float,
    seed: int,
) -> tuple[dict[str, Any], Floats]:
    """The observed part of a separation, and the lead of the better ranker on growing lists."""
    known = ~np.isnan(values_a)
    differences = (values_a - values_b)[known]
    n_queries, mean = differences.size, float(differences.mean())
    sd = float(differences.std(ddof=1)) if n_queries > 1 else math.nan
    sign = 0.0 if abs(mean) < 1e-15 else math.copysign(1.0, mean)
    drawn = np.random.default_rng(seed).integers(n_queries, size=(n_resamples, n_queries))
    draws = differences[drawn].mean(axis=1) * sign
    needed = Gap(mean, sd).queries(delta) if sign and n_queries > 1 else math.inf
    lead = path * (sign or 1.0)
    along = Paths(sizes, lead)
    return {
        "mean_a": float(values_a[known].mean()),
        "mean_b": float(values_b[known].mean()),
        "better": {1.0: "a", -1.0: "b"}.get(sign),
        "wins": float(np.mean((np.sign(differences) * (sign or 1.0) + 1) / 2)),
        "separated": float(np.mean(draws > 0)) if sign and n_queries > 1 else math.nan,
        "queries_needed": max(1, math.ceil(needed)) if math.isfinite(needed) else None,
        "settled_at": along.settled_at if sign else None,
        "last_wrong": float(np.median(along.last_wrong)) if sign else float(sizes[-1]),
        "sign_changes": float(along.sign_changes.mean()),
    }, lead


def _predicted(m: Measure, found: GapPrediction, fits: tuple[QueryCurves, ...]) -> dict[str, Any]:
    """The part of a separation that theory predicts."""
    # DCG has no limit, but orders rankers of the same documents as NDCG does.
    normalized = NDCG(discount=m.discount, cutoff=m.cutoff) if isinstance(m, DCG) else m
    limits, gap = (found.limit_a, found.limit_b), found.gap
    return {
        "limit_a": limits[0].value,
        "limit_b": limits[1].value,
        "limit_interval_a": (limits[0].low, limits[0].high),
        "limit_interval_b": (limits[1].low, limits[1].high),
        "predicted_gap": gap.value,
        "predicted_interval": (gap.low, gap.high),
        "sd_documents": found.sd_documents,
        "sd_queries": found.sd_queries,
        "verdict": verdict(normalized, *(fit.pooled for fit in fits)),
    }


def _soonest(row: Separation) -> tuple[bool, float, float]:
    """The key that sorts measures by how soon they separate."""
    return row.better is None, row.queries_needed or math.inf, row.settled_at or math.inf
