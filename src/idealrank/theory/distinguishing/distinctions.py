"""Which measures tell two rankers apart on real lists, and what theory predicts of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from idealrank._base.plain import Plain, plain
from idealrank._base.results import Result
from idealrank._base.sections import Figure, Section
from idealrank._base.tables import Column, Table, Value, stacked
from idealrank._typing import Floats, Int64s
from idealrank.data.columns import check_columns
from idealrank.data.ranking import Order, RankingData
from idealrank.errors import DataError, OptionError
from idealrank.measures import DCG, NDCG, Measure, gains, measure
from idealrank.theory.distinguishing.paths import Paths
from idealrank.theory.distinguishing.prefixes import growing_sizes, prefix_values
from idealrank.theory.long_lists.curves import Curve
from idealrank.theory.long_lists.limits import limit
from idealrank.theory.long_lists.needed import Gap
from idealrank.theory.long_lists.pseudo import pseudo_expectation
from idealrank.theory.long_lists.steps import StepCurve
from idealrank.theory.long_lists.verdicts import Verdict, verdict

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["MEASURES", "Distinction", "Distinctions", "Separation", "distinguish"]

#: What is compared if nothing is named: what Wang et al. 2013, appendix A, compares, and two everyday measures.
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

    Attributes
    ----------
    measure
        Its name, as given.
    mean_a, mean_b
        The means over queries, on whole lists.
    better
        "a" or "b", whichever has the higher mean; None if neither has.
    wins
        The share of queries on which the better one is ahead; ties count half.
    separated
        The share of resamples of the queries on which the mean of the better one is ahead.
    queries_needed
        The number of queries that put the means in the right order but for a risk ``delta``; None if there is none.
    settled_at
        The length of lists from which on the mean over queries has the right order; None if it never has.
    last_wrong
        The median over lists of the last length at which a list has the wrong order.
    sign_changes
        The mean over lists of how often the lead changes as the list grows.
    limit_a, limit_b
        The limits of both means on long lists, computed from their curves; NaN where there is no limit.
    predicted_gap
        mean_a - mean_b as theory expects it at this length of lists.
    verdict
        What theory says about the two curves and this measure.
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
    predicted_gap: float
    verdict: Verdict


@dataclass(frozen=True)
class Distinction(Result):
    """What `distinguish` found: ``separations`` has one entry per measure, those that separate soonest first.

    ``sizes``: the lengths n at which growing lists were measured. ``paths``: for each measure, who is ahead where.
    ``means``: for each measure, the mean over lists of A's and of B's value at each size.
    """

    separations: tuple[Separation, ...]
    sizes: Int64s
    paths: Mapping[str, Paths]
    means: Mapping[str, tuple[Floats, Floats]]
    curves: Mapping[str, tuple[Curve, Curve]]
    names: tuple[str, str]
    n_queries: int
    given: tuple[str, ...]

    @property
    def best(self) -> str | None:
        """The measure that separates soonest; None if no measure sees a difference."""
        return self.separations[0].measure if self.separations[0].better else None

    def __getitem__(self, name: str) -> Separation:
        return next(row for row in self.separations if row.measure == name)

    @property
    def advice(self) -> str:
        """One sentence: how well the first measure that was named does, and which does better."""
        a, b = self.names
        first, best = self[self.given[0]], self.separations[0]
        if best.better is None:
            return f"no measure here tells {a} from {b}: their means are the same"
        if self.n_queries == 1:
            ahead, behind = (a, b) if best.better == "a" else (b, a)
            return (
                f"{best.measure} puts {ahead} ahead of {behind} on the only query; how surely, more queries would tell"
            )
        resamples = f"{first.separated:.0%} of resamples of {_count(self.n_queries, 'query', 'queries')}"
        start = f"{first.measure} separates {a} from {b} on {resamples}"
        if first.better is None:
            start = f"{first.measure} does not tell {a} from {b}"
        elif first.better != best.better:
            start += f", with {self.names[0 if first.better == 'a' else 1]} ahead"
        needs = "" if best.queries_needed is None else f" needs {_count(best.queries_needed, 'query', 'queries')}"
        if best is first:
            others = "; none of the others is better" if len(self.separations) > 1 else ""
            return start + (f", and{needs}" if needs else "") + others
        ahead = f", with {self.names[0 if best.better == 'a' else 1]} ahead" if first.better != best.better else ""
        return f"{start}; {best.measure}{needs or ' does better'}{ahead}"

    def to_dict(self) -> dict[str, Plain]:
        """The separations, the advice, and the means at each length."""
        facts = ("names", "n_queries", "advice", "separations", "sizes", "means")
        return {name: plain(getattr(self, name)) for name in facts}

    def tables(self) -> Mapping[str, Table]:
        """Table "separations": a row per measure."""
        numbers = {"mean a": ".4f", "mean b": ".4f", "wins": ".1%", "separated": ".1%", "queries": ","}
        more = {"documents": ",", "changes": ".1f", "limit a": ".4f", "limit b": ".4f"}
        columns = [*map(Column, ("measure", "a", "b")), *(Column(*item) for item in {**numbers, **more}.items())]
        return {"separations": Table([*columns, Column("theory")], [self._row(each) for each in self.separations])}

    def _row(self, found: Separation) -> list[Value]:
        seen = [found.mean_a, found.mean_b, found.wins, _or_none(found.separated), found.queries_needed]
        longer = [found.settled_at, found.sign_changes, _or_none(found.limit_a), _or_none(found.limit_b)]
        return [found.measure, *self.names, *seen, *longer, found.verdict.how]

    def remarks(self) -> list[str]:
        """The advice."""
        return [self.advice]

    def title(self) -> str:
        """The names of both rankers."""
        return f"What tells {', '.join(self.names)} apart"

    def findings(self) -> list[str]:
        """The advice."""
        return [f"{self.advice}."]

    def sections(self) -> list[Section]:
        """The table, how often the better ranker is ahead, and both means as lists grow."""
        a, b = self.names
        won = "; ".join(f"{row.measure} {row.wins:.0%}" for row in self.separations)
        figures = [Figure("wins", (self,), "Share of lists with the better one ahead, by their length", won)]
        for row in self.separations:
            told = f"{a} ends at {row.mean_a:.4f}, {b} at {row.mean_b:.4f}"
            caption = f"Means of {row.measure}; dashed, the limits"
            figures.append(Figure("means_by_length", (self, row.measure), caption, told))
        title = f"{a} and {b}"
        return [Section(title, parts=(Section(tables={title: self.table()}), Section(figures=tuple(figures))))]

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the share of lists on which the better ranker is ahead, against their length."""
        from idealrank.theory.distinguishing.plots import plot_wins

        return plot_wins(self, ax)

    def __repr__(self) -> str:
        return f"Distinction({self.advice})"


@dataclass(frozen=True)
class Distinctions(Result):
    """What tells several rankers apart, pair by pair."""

    pairs: tuple[Distinction, ...]

    def tables(self) -> Mapping[str, Table]:
        """Table "separations": a row per pair and measure."""
        return {"separations": stacked([each.table() for each in self.pairs])}

    def remarks(self) -> list[str]:
        """The advice for each pair."""
        return [line for each in self.pairs for line in each.remarks()]

    def title(self) -> str:
        """The names of all rankers."""
        return f"What tells {', '.join(dict.fromkeys(name for each in self.pairs for name in each.names))} apart"

    def findings(self) -> list[str]:
        """The advice for each pair."""
        return [finding for each in self.pairs for finding in each.findings()]

    def sections(self) -> list[Section]:
        """A section per pair."""
        return [section for each in self.pairs for section in each.sections()]


def _or_none(value: float) -> float | None:
    return None if math.isnan(value) else value


def _count(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"


def distinguish(
    data: RankingData | npt.ArrayLike,
    scores_a: npt.ArrayLike,
    scores_b: npt.ArrayLike,
    measures: str | Measure | Iterable[str | Measure] = MEASURES,
    *,
    offsets: npt.ArrayLike | None = None,
    sizes: npt.ArrayLike | None = None,
    n_orders: int = 0,
    n_resamples: int = 200,
    delta: float = 0.05,
    seed: int | None = 0,
    names: tuple[str, str] = ("A", "B"),
    order: Order | None = None,
    n_threads: int | None = None,
) -> Distinction:
    """Which of these measures tell ranker A from ranker B on these lists, how soon, and what theory says to it.

    ``data``: `RankingData`, or labels with ``offsets``. Every query's list grows document by document in the order of
    its rows, as in appendix A of Wang et al. 2013, or in ``n_orders`` random orders; ``sizes`` are the lengths at which
    it is measured, by default all up to 5000, at most 500 beyond. Queries are drawn anew ``n_resamples`` times. The
    measures are DCG, NDCG and linear NDCG; queries without a relevant document are left out.

    A ranks both queries ideally, B reverses both:

    >>> found = distinguish([2, 1, 0, 1, 0, 0], [3, 2, 1] * 2, [1, 2, 3] * 2, ["ndcg", "ndcg@1"], offsets=[0, 3, 6])
    >>> found.best, found["ndcg@1"].mean_a, found["ndcg@1"].mean_b, found["ndcg@1"].wins
    ('ndcg', 1.0, 0.0, 1.0)
    """
    given = {str(each): measure(each) for each in _listed(measures)}
    if not given:
        raise OptionError("no measure was named")
    if n_orders < 0 or n_resamples < 1:
        raise OptionError(f"n_orders is from 0, n_resamples from 1, got {n_orders} and {n_resamples}")
    labels, (a, b), cut = _columns(data, (scores_a, scores_b), offsets, order)
    lengths = np.diff(cut)
    length = int(np.median(lengths[lengths > 0])) if lengths.any() else 0
    if not labels.any():
        raise DataError("no document is relevant: no measure can tell rankers apart")
    grid = growing_sizes(length) if sizes is None else np.ascontiguousarray(sizes, np.int64)
    seed = int(np.random.default_rng(seed).integers(2**32))  # one for all, so that measures see the same resamples
    filled = list(given.values())
    on_paths = _along(filled, labels, [a, b], cut, grid, n_orders, seed, n_threads)
    curves = {gain: _curves(gain, labels, a, b, cut) for gain in {*map(_gain, filled)}}

    rows, paths, means, used = [], {}, {}, 0
    for (name, m), path_a, path_b in zip(given.items(), *on_paths, strict=True):
        values_a, values_b = (_whole(m, labels, scores, cut, n_threads) for scores in (a, b))
        row, lead = _separation(values_a, values_b, path_a - path_b, grid, n_resamples, delta, seed)
        theory = _prediction(m, *curves[_gain(m)], length)
        rows.append(Separation(name, **row, **theory))
        paths[name] = Paths(grid, lead)
        means[name] = Paths(grid, path_a).mean_lead, Paths(grid, path_b).mean_lead
        used = max(used, int(np.count_nonzero(~np.isnan(values_a))))
    by_name = {name: curves[_gain(m)] for name, m in given.items()}
    return Distinction(tuple(sorted(rows, key=_soonest)), grid, paths, means, by_name, names, used, tuple(given))


def _listed(measures: str | Measure | Iterable[str | Measure]) -> Iterable[str | Measure]:
    return [measures] if isinstance(measures, (str, Measure)) else measures


def _columns(
    data: RankingData | npt.ArrayLike,
    rankers: tuple[npt.ArrayLike, npt.ArrayLike],
    offsets: npt.ArrayLike | None,
    order: Order | None,
) -> tuple[Floats, list[Floats], Int64s]:
    """Labels, both scores and offsets, query by query; an unjudged document counts as not relevant."""
    if isinstance(data, RankingData):
        if offsets is not None:
            raise OptionError("the data has offsets of its own; leave out offsets=")
        labels = np.nan_to_num(data.labels, nan=0.0)
        return labels, [data.check_scores(scores, order) for scores in rankers], data.offsets
    columns = [check_columns(data, scores, offsets) for scores in rankers]
    return columns[0][0], [scores for _, scores, _ in columns], columns[0][2]


def _gain(m: Measure) -> gains.Gain:
    gain: gains.Gain = m.with_convention().gain  # type: ignore[attr-defined]
    return gain


def _curves(gain: gains.Gain, labels: Floats, a: Floats, b: Floats, offsets: Int64s) -> tuple[Curve, Curve]:
    worth = gain(labels)
    first, second = (StepCurve.fit(worth, scores, offsets, method="top") for scores in (a, b))
    return first, second


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
    """Values on growing lists, in row order or in random orders: of shape (rankers, measures, lists, sizes)."""
    if n_orders == 0:
        return prefix_values(measures, labels, rankers, offsets, sizes, n_threads=n_threads)
    rng = np.random.default_rng(seed)
    queries = np.repeat(np.arange(offsets.size - 1), np.diff(offsets))
    found = []
    for _ in range(n_orders):
        order = np.lexsort((rng.random(labels.size), queries))
        shuffled = [scores[order] for scores in rankers]
        found.append(prefix_values(measures, labels[order], shuffled, offsets, sizes, n_threads=n_threads))
    return np.concatenate(found, axis=2)


def _whole(m: Measure, labels: Floats, scores: Floats, offsets: Int64s, n_threads: int | None) -> Floats:
    """One value a query; NaN where nothing is relevant."""
    values = m(labels, scores, offsets, n_threads=n_threads)
    relevant = np.add.reduceat(np.append(labels, 0.0), offsets[:-1]) > 0
    return np.where(relevant & (np.diff(offsets) > 0), values, np.nan)


def _separation(
    values_a: Floats,
    values_b: Floats,
    path: Floats,
    sizes: Int64s,
    n_resamples: int,
    delta: float,
    seed: int,
) -> tuple[dict[str, Any], Floats]:
    """What was seen of one measure; and the lead of the better ranker on growing lists."""
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


def _prediction(m: Measure, curve_a: Curve, curve_b: Curve, length: int) -> dict[str, Any]:
    """What theory says of one measure."""

    def or_nan(function: Any, *arguments: Any) -> float:
        try:
            return float(function(*arguments))
        except (OptionError, DataError):
            return math.nan

    if isinstance(m, DCG):  # which grows without limit, but orders rankers of the same documents as NDCG does
        nowhere = {"limit_a": math.nan, "limit_b": math.nan, "predicted_gap": math.nan}
        return {**nowhere, "verdict": verdict(NDCG(discount=m.discount, cutoff=m.cutoff), curve_a, curve_b)}
    expected = [or_nan(pseudo_expectation, m, curve, length) for curve in (curve_a, curve_b)]
    return {
        "limit_a": or_nan(limit, m, curve_a),
        "limit_b": or_nan(limit, m, curve_b),
        "predicted_gap": expected[0] - expected[1],
        "verdict": verdict(m, curve_a, curve_b),
    }


def _soonest(row: Separation) -> tuple[bool, float, float]:
    return row.better is None, row.queries_needed or math.inf, row.settled_at or math.inf
