"""Which measures tell two rankers apart on real lists, and what theory predicts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import numpy.typing as npt

from idealrank._base.options import check_count, items_of
from idealrank._base.plain import Plain, plain
from idealrank._base.results import Result
from idealrank._base.sections import Figure, Section, listed
from idealrank._base.seeds import generator
from idealrank._base.tables import Column, Table, Value, stacked
from idealrank._base.words import counted
from idealrank._typing import Floats, Int64s
from idealrank.data.columns import int_array
from idealrank.data.judgments import Qrels, Run
from idealrank.data.ranking import Order, RankingData
from idealrank.errors import DataError, OptionError
from idealrank.evaluation.evaluator import CompleteLists, Evaluator
from idealrank.evaluation.inputs import Data, LayoutOptions, OneSystem, judged_and_systems, layout_of
from idealrank.evaluation.results import Evaluation, Evaluations
from idealrank.measures import DCG, NDCG, Measure, gains
from idealrank.measures.conventions import Convention
from idealrank.measures.names import named
from idealrank.theory.distinguishing.paths import Paths
from idealrank.theory.distinguishing.predictions import GapPrediction, predict_gaps
from idealrank.theory.distinguishing.prefixes import check_growing, growing_sizes, prefix_values
from idealrank.theory.distinguishing.sequences import ConfidenceSequence, confidence_sequence
from idealrank.theory.long_lists.certificates import Certificate, certificate
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


_LONGEST = 100_000  # documents: certificates for longer lists are not looked for


@dataclass(frozen=True)
class Separation:
    """How well one measure separates ranker A from ranker B.

    Attributes
    ----------
    measure : str
        The name of the measure, as given.
    mean_a, mean_b : float
        The means over queries, as computed by `evaluate`.
    better : str or None
        "a" or "b", whichever has the higher mean; None if the means are equal.
    wins : float
        The share of queries on which the better ranker is ahead; ties count as 1/2.
    separated : float
        The share of resamples of the queries on which the mean of the better ranker is ahead; NaN with one query.
    queries_needed : int or None
        The number of queries that order the means correctly with probability 1 - ``delta``; None if there is none.
    certified_at : int or None
        The number of queries, taken in their order, after which the order of the means is certain except with
        probability ``delta``, even if it is checked after each query (see `confidence_sequence`). None if it is not
        certain yet, or if the measure can exceed 1.
    settled_at : int or None
        The length of lists from which the means over queries stay in the right order; None if there is none.
    last_wrong : float
        The median over lists of the last length at which a list has the wrong order.
    sign_changes : float
        The mean over lists of the number of times that the lead changes as the list grows.
    limit_a, limit_b : float
        The limits of both means on long lists: the means of the limits of the curves of the queries; NaN if there is no
        limit.
    limit_interval_a, limit_interval_b : tuple of float
        Their 95% intervals.
    predicted_gap : float
        mean_a - mean_b as predicted by theory from each query's curves, at the length of its list.
    predicted_interval : tuple of float
        The 95% interval of the gap that is observed on this number of queries.
    sd_documents, sd_queries : float
        The standard deviation of the difference on one query: the part due to its sample of documents, and the part due
        to differences between queries.
    verdict : Verdict
        The verdict of theory on this measure, for the curves of both rankers over all queries together.

    Examples
    --------
    >>> from idealrank.theory import distinguish
    >>> found = distinguish([2, 1, 0, 1, 0, 0], [3, 2, 1] * 2, [1, 2, 3] * 2, ["ndcg", "ndcg@1"], offsets=[0, 3, 6])
    >>> found["ndcg@1"].mean_a, found["ndcg@1"].mean_b, found["ndcg@1"].wins, found["ndcg@1"].better
    (1.0, 0.0, 1.0, 'a')
    """

    measure: str
    mean_a: float
    mean_b: float
    better: str | None
    wins: float
    separated: float
    queries_needed: int | None
    certified_at: int | None
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
        One separation per measure; measures that need the fewest queries come first.
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
        The number of queries over which means are taken.
    given : tuple of str
        The measures in the order given.
    evaluations : Evaluations
        The evaluations of both rankers, with the convention and the queries.
    lists : tuple of str
        What was done to obtain the complete lists that theory needs; empty if they were complete.
    delta : float
        The accepted probability of the wrong order.

    Examples
    --------
    >>> from idealrank.theory import distinguish
    >>> found = distinguish([2, 1, 0, 1, 0, 0], [3, 2, 1] * 2, [1, 2, 3] * 2, ["ndcg", "ndcg@1"], offsets=[0, 3, 6])
    >>> [each.measure for each in found.separations], found.best
    (['ndcg', 'ndcg@1'], 'ndcg')
    """

    separations: tuple[Separation, ...]
    sizes: Int64s
    paths: Mapping[str, Paths]
    means: Mapping[str, tuple[Floats, Floats]]
    curves: Mapping[str, tuple[Curve, ...]]
    names: tuple[str, str]
    n_queries: int
    given: tuple[str, ...]
    evaluations: Evaluations
    lists: tuple[str, ...] = ()
    delta: float = 0.05

    @cached_property
    def certificates(self) -> dict[str, Certificate]:
        """For each measure, the length from which single lists of this kind have the right order; see `certificate`.

        The curves of all queries together are taken for those of each list.
        """
        return {row.measure: self._certificate(row) for row in self.separations}

    def _certificate(self, row: Separation) -> Certificate:
        weighting = _normalized(self._first.filled[row.measure])
        try:
            a, b = self.curves[row.measure]
            return certificate(weighting, a, b, delta=self.delta, n_max=_LONGEST)
        except (DataError, OptionError) as error:
            return Certificate(None, self.delta, None, str(error))

    def sequence(self, measure: str) -> ConfidenceSequence:
        """Return intervals of the mean difference as queries are added in their order, see `confidence_sequence`.

        Parameters
        ----------
        measure : str
            The name of a measure, as given.

        Returns
        -------
        ConfidenceSequence
            One interval per number of queries.

        Raises
        ------
        DataError
            If the measure can exceed 1.
        """
        a, b = (self.evaluations[name].per_query[measure] for name in self.names)
        differences = a - b
        return confidence_sequence(differences[~np.isnan(differences)], delta=self.delta)

    def _is_bounded(self, measure: str) -> bool:
        """Return whether all differences are between -1 and 1, which confidence sequences need."""
        a, b = (self.evaluations[name].per_query[measure] for name in self.names)
        return bool(np.nanmax(np.abs(a - b)) <= 1)

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
            resamples = f"{first.separated:.0%} of resamples of {counted(self.n_queries, 'query')}"
            start = f"{first.measure} separates {a} from {b} in {resamples}"
        enough = best.queries_needed
        needs = "" if enough is None else f" needs {counted(enough, 'query')} to order them reliably"
        if best is first:
            others = "; no other measure does better" if len(self.separations) > 1 else ""
            return start + (f", and{needs}" if needs else "") + others
        if first.better != best.better:
            start += f", with {behind} ahead" if first.better else ""
            end = f", with {ahead} ahead"
        return f"{start}; {best.measure}{needs or ' does better'}{end}"

    def to_dict(self) -> dict[str, Plain]:
        """Return the separations, the advice, the convention, and the means at each length."""
        facts = ("names", "n_queries", "advice", "separations", "sizes", "means", "lists")
        return {name: plain(getattr(self, name)) for name in facts} | {"conventions": plain(self._first.conventions)}

    @property
    def _first(self) -> Evaluation:
        return next(iter(self.evaluations.values()))

    def about(self) -> str:
        """Return the number of queries, the measures and the convention."""
        return self.evaluations.about()

    def tables(self) -> Mapping[str, Table]:
        """Return the table "separations": a row per measure."""
        columns = [
            *(Column(name, priority=-1) for name in ("measure", "a", "b")),
            *(Column(name, ".4f") for name in ("mean a", "mean b")),
            *(Column(name, ".1%") for name in ("wins", "separated")),
            Column("queries", ","),
            Column("certified", ",", priority=2),
            Column("documents", ",", priority=3),
            Column("changes", ".1f", priority=3),
            *(Column(name, ".4f", priority=2) for name in ("limit a", "limit b")),
            Column("theory", priority=1),
        ]
        return {"separations": Table(columns, [self._row(each) for each in self.separations])}

    def _row(self, found: Separation) -> list[Value]:
        seen = [found.mean_a, found.mean_b, found.wins, _or_none(found.separated), found.queries_needed]
        seen.append(found.certified_at)
        longer = [found.settled_at, found.sign_changes, _or_none(found.limit_a), _or_none(found.limit_b)]
        return [found.measure, *self.names, *seen, *longer, found.verdict.how]

    def remarks(self) -> list[str]:
        """Return the queries and the convention of the means, and how lists became complete."""
        return [*self.evaluations.remarks(), *self.lists]

    def reading(self) -> dict[str, str]:
        """Return what the columns of the table say, in words, for its first row.

        Returns
        -------
        dict of str to str
            One sentence per column.
        """
        row, (a, b) = self.separations[0], self.names
        ahead, behind = (b, a) if row.better == "b" else (a, b)
        means = f"over {counted(self.n_queries, 'query')}, {a} has a mean of {row.mean_a:.4f}, {b} of {row.mean_b:.4f}"
        found = {"mean a, mean b": means}
        if row.better is not None:
            found["wins"] = f"{ahead} beat {behind} on {row.wins:.1%} of the queries; ties count half"
            if self.n_queries > 1:
                found["separated"] = f"{ahead} beat {behind} in {row.separated:.1%} of resamples of the queries"
                sure = f"the mean of {ahead} is ahead with a probability of {1 - self.delta:.0%} or more"
                enough = row.queries_needed and f"with {counted(row.queries_needed, 'query')} like these, {sure}"
                found["queries"] = enough or "no number of queries is known to be enough"
                certain = (
                    f"adding the queries one by one, the order of the true means is certain after {row.certified_at}"
                )
                risk = f"the chance that this is wrong is at most {self.delta:.0%}, however often one looks"
                still_open = "adding the queries one by one, the order of the true means is not certain yet"
                found["certified"] = f"{certain}: {risk}" if row.certified_at else still_open
            settled = f"from lists of {row.settled_at} documents on, the mean of {ahead} stays ahead"
            found["documents"] = (
                settled if row.settled_at else f"on the longest lists, the mean of {ahead} is not ahead"
            )
            found["changes"] = f"while one list grows, the lead changes {row.sign_changes:.1f} times on average"
        if not math.isnan(row.limit_a):
            ends = f"{row.limit_a:.4f} for {a} and {row.limit_b:.4f} for {b}"
            found["limit a, limit b"] = f"on ever longer lists, the means tend to {ends}"
        else:
            found["limit a, limit b"] = "there is no limit: on single lists, the measure stays random"
        return found | {"theory": f"{row.verdict.how}: {row.verdict.in_words}"}

    def reasons(self) -> dict[str, list[str]]:
        """Return the theorem behind each verdict, by measure.

        Returns
        -------
        dict of str to list of str
            One list of sentences per measure.
        """
        return {f"{row.measure}: {row.verdict.how}": self._why(row) for row in self.separations}

    def _why(self, row: Separation) -> list[str]:
        certain = self.certificates[row.measure]
        if certain.n is None:
            return row.verdict.why()
        ahead = self.names[0 if certain.better == "a" else 1]
        lasting = f"on a list of {certain.n:,} documents or more, {ahead} is ahead at every length"
        return [*row.verdict.why(), f"By Definition 5: {lasting}, except with probability {certain.delta:g}."]

    def title(self) -> str:
        """Return a title with the names of both rankers."""
        return f"What tells {listed(self.names)} apart"

    def findings(self) -> list[str]:
        """Return the advice."""
        return [f"{self.advice}."]

    def sections(self) -> list[Section]:
        """Return the table, how often the better ranker is ahead, and both means as lists grow."""
        a, b = self.names
        won = "; ".join(f"{row.measure} {row.wins:.0%}" for row in self.separations)
        caption = "Share of lists on which the better ranker is ahead, by list length"
        if any(each.n is not None for each in self.certificates.values()):
            caption += f"; from a triangle on, it stays ahead with probability {1 - self.delta:g}, by theory"
        figures = [Figure("wins", (self,), caption, won)]
        first = self[self.given[0]]
        if self.n_queries > 1 and self._is_bounded(first.measure):
            told = f"{self.sequence(first.measure)}"
            caption = f"Mean difference in {first.measure} as queries are added, with intervals that all hold at once"
            figures.append(Figure("difference_by_queries", (self, first.measure), caption, told))
        for row in self.separations:
            ends = [
                next((value for value in means[::-1] if value == value), math.nan) for means in self.means[row.measure]
            ]
            told = f"{a} ends at {ends[0]:.4f}, {b} at {ends[1]:.4f}"
            limits = "" if math.isnan(row.limit_a) else "; the dashed lines are the limits"
            caption = f"{row.measure} on growing lists{limits}"
            figures.append(Figure("means_by_length", (self, row.measure), caption, told))
        title = f"{a} and {b}"
        over = f"Means over {self._first.queries_text()}, like {self._first.convention.name}, as 'evaluate' gives them."
        # Only the first line begins with a word of ours, the others with the name of a ranker.
        notes = (over, *(f"{line if place else line[0].upper() + line[1:]}." for place, line in enumerate(self.lists)))
        words = tuple(f"{column}: {text}" for column, text in self.reading().items())
        why = tuple(f"{key}. {' '.join(lines)}" for key, lines in self.reasons().items())
        lists = {"The first row of the table in words": words, "The theorems behind the column 'theory'": why}
        shown = Section(tables={title: self.table()}, notes=notes, lists=lists)
        return [Section(title, parts=(shown, Section(figures=tuple(figures))))]

    def background(self) -> list[Section]:
        """Return per-query values, data quality and conventions."""
        return self.evaluations.background()

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the share of lists on which the better ranker is ahead, against their length.

        A triangle marks the length of the certificate of a measure; see `certificates`.

        Parameters
        ----------
        ax : Axes, optional
            The Axes to draw into; by default, those of a new figure.

        Returns
        -------
        Axes
            The Axes with the drawing.
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
    evaluations : Evaluations
        The evaluations of all rankers, on the same queries.
    lists : tuple of str
        What was done to obtain the complete lists that theory needs; empty if they were complete.
    """

    pairs: tuple[Distinction, ...]
    evaluations: Evaluations
    lists: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Plain]:
        """Return the number of queries and the convention of all means, and the pairs."""
        conventions = next(iter(self.evaluations.values())).conventions
        return {
            "conventions": plain(conventions),
            "n_queries": self.evaluations.n_queries,
            "lists": plain(self.lists),
            "pairs": plain(self.pairs),
            "problems": plain(self.evaluations.problems),
        }

    def tables(self) -> Mapping[str, Table]:
        """Return the table "separations": a row per pair and measure."""
        return {"separations": stacked([each.table() for each in self.pairs])}

    def remarks(self) -> list[str]:
        """Return the queries and the convention of the means, and how lists became complete."""
        return [*self.evaluations.remarks(), *self.lists]

    def about(self) -> str:
        """Return the number of queries, the measures and the convention."""
        return self.evaluations.about()

    def reading(self) -> dict[str, str]:
        """Return what the columns of the table say, in words, for its first row."""
        return self.pairs[0].reading()

    def reasons(self) -> dict[str, list[str]]:
        """Return the theorem behind each verdict, by pair and measure."""
        if len(self.pairs) == 1:
            return self.pairs[0].reasons()
        named = {" and ".join(pair.names): pair for pair in self.pairs}
        return {f"{names}, {key}": why for names, pair in named.items() for key, why in pair.reasons().items()}

    def title(self) -> str:
        """Return a title with the names of all rankers."""
        return f"What tells {listed(dict.fromkeys(name for each in self.pairs for name in each.names))} apart"

    def findings(self) -> list[str]:
        """Return the advice for each pair."""
        return [finding for each in self.pairs for finding in each.findings()]

    def sections(self) -> list[Section]:
        """Return a section per pair."""
        return [section for each in self.pairs for section in each.sections()]

    def background(self) -> list[Section]:
        """Return per-query values, data quality and conventions."""
        return self.evaluations.background()


def _or_none(value: float) -> float | None:
    """The number; None instead of NaN."""
    return None if math.isnan(value) else value


def distinguish(
    data: Data,
    scores_a: OneSystem,
    scores_b: OneSystem,
    measures: str | Measure | Iterable[str | Measure] = MEASURES,
    *,
    like: str | Convention | None = None,
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
    """Find which measures distinguish ranker A from ranker B on these lists, how soon, and what theory predicts.

    Means, wins and the number of queries needed come from `evaluate`, on the same queries. For the other results, the
    list of every query grows document by document, as in appendix A of Wang et al. 2013. This requires lists that both
    rankers order completely. For judgments and runs, therefore, the judged documents are ranked, and those that a run
    does not retrieve come last; the field ``lists`` of the result says so. A list has no value until it contains a
    relevant document.

    Parameters
    ----------
    data, scores_a, scores_b
        The judged documents and two systems, as in `evaluate`.
    measures : str, Measure or iterable of these
        DCG, NDCG or linear NDCG measures.
    like : str or Convention, optional
        The convention for options that the measures leave unset, as in `evaluate`. On growing lists, ties are averaged
        unless the measure sets another rule.
    sizes : array-like, optional
        The lengths at which growing lists are evaluated. By default, all lengths for lists up to 5000 documents, and at
        most 500 lengths for longer lists.
    n_orders : int
        Number of random orders in which lists grow; 0 means that they grow in the order of their rows.
    n_resamples : int
        The number of bootstrap resamples of the queries.
    delta : float
        The accepted probability of the wrong order, for the number of queries needed.
    seed : int, optional
        Seed of the random number generator; None means a new seed for every call.
    names : tuple of str
        The names of A and B.
    order : {"input", "grouped"}, optional
        The order of the scores, as in `evaluate`.
    n_threads : int, optional
        Number of threads; None means all cores, or the number passed to `set_threads`.
    **layout
        The layout of the data: offsets, group, query_ids, mask, and column names, as in `evaluate`.

    Returns
    -------
    Distinction
        One separation per measure, and what theory predicts.

    Raises
    ------
    OptionError
        If no measure is given, a measure is not of these kinds, or an option is out of range.
    DataError
        If no document is relevant.

    Examples
    --------
    Ranker A ranks both queries ideally, and B reverses both.

    >>> from idealrank.theory import distinguish
    >>> found = distinguish([2, 1, 0, 1, 0, 0], [3, 2, 1] * 2, [1, 2, 3] * 2, ["ndcg", "ndcg@1"], offsets=[0, 3, 6])
    >>> found.best, found["ndcg@1"].mean_a, found["ndcg@1"].mean_b, found["ndcg@1"].wins
    ('ndcg', 1.0, 0.0, 1.0)
    """
    options: dict[str, Any] = {"sizes": sizes, "n_orders": n_orders, "n_resamples": n_resamples, "delta": delta}
    options |= {"seed": seed, "n_threads": n_threads}
    given = [*map(str, items_of(names, "names"))]
    if len(given) != 2:
        raise OptionError(f"names must be those of the two systems, got {names!r}")
    first, second = given if given[0] != given[1] else (f"{given[0]} (a)", f"{given[1]} (b)")
    judged, systems = judged_and_systems(data, {first: scores_a, second: scores_b}, layout_of(layout, order))
    return distinguish_all(judged, systems.items(), measures, like=like, **options).pairs[0]


def distinguish_all(
    judged: Qrels | RankingData,
    systems: Iterable[tuple[str, Run | Floats]],
    measures: str | Measure | Iterable[str | Measure] = MEASURES,
    *,
    like: str | Convention | None = None,
    sizes: npt.ArrayLike | None = None,
    n_orders: int = 0,
    n_resamples: int = 200,
    delta: float = 0.05,
    seed: int | None = 0,
    n_threads: int | None = None,
) -> Distinctions:
    """Find which measures tell rankers apart, pair by pair, on the queries that all of them have.

    Parameters
    ----------
    judged : Qrels or RankingData
        The judged documents.
    systems : iterable of (str, Run or array)
        Two rankers or more, by name: runs, or scores in the order of ``judged``.
    measures, like, sizes, n_orders, n_resamples, delta, seed, n_threads
        As for `distinguish`.

    Returns
    -------
    Distinctions
    """
    listed = measures if isinstance(measures, (str, Measure)) else list(items_of(measures, "measures"))
    given = named(listed)
    check_count(n_orders, "n_orders", least=0)
    check_count(n_resamples, "n_resamples")
    evaluator, rankers = Evaluator(judged, like, n_threads=n_threads), dict(systems)
    rules = evaluator.convention
    on_lists = {name: replace(each.with_convention(rules), ties=each.ties or "average") for name, each in given.items()}
    for name, each in on_lists.items():
        check_growing(each, name)
    evaluations = evaluator.evaluate_all(rankers.items(), listed)
    lists = evaluator.complete_lists(rankers.items(), evaluations)
    options: dict[str, Any] = {"n_orders": n_orders, "n_resamples": n_resamples, "delta": delta, "n_threads": n_threads}
    pairs = [
        _distinction((a, b), on_lists, evaluations, lists, sizes=sizes, seed=seed, **options)
        for a, b in combinations(rankers, 2)
    ]
    return Distinctions(tuple(pairs), evaluations, lists.remarks)


def _distinction(
    names: tuple[str, str],
    given: Mapping[str, Measure],
    evaluations: Evaluations,
    lists: CompleteLists,
    *,
    sizes: npt.ArrayLike | None,
    n_orders: int,
    n_resamples: int,
    delta: float,
    seed: int | None,
    n_threads: int | None,
) -> Distinction:
    """Return what tells one pair apart; ``given`` are the measures as used on growing lists."""
    labels, cut = lists.data.labels, lists.data.offsets
    a, b = (lists.scores[name] for name in names)
    lengths = np.diff(cut)
    length = int(np.median(lengths[lengths > 0])) if lengths.any() else 0
    if not labels.any():
        raise DataError("no document is relevant: no measure can tell rankers apart")
    grid = growing_sizes(length) if sizes is None else int_array(sizes, "sizes")
    if not grid.size:
        raise DataError("sizes is empty: give the numbers of documents to compare at")
    seed = int(generator(seed).integers(2**32))  # shared, so that all measures see the same resamples
    filled = list(given.values())
    on_paths = _along(filled, labels, [a, b], cut, grid, n_orders, seed, n_threads)
    by_gain = {
        gain: tuple(fit_queries(gain(labels), scores, cut) for scores in (a, b)) for gain in {*map(_gain, filled)}
    }
    fits = {name: by_gain[_gain(m)] for name, m in given.items()}
    predicted = predict_gaps(given, fits, labels, [a, b], cut, seed=seed, n_threads=n_threads)
    rows, paths, means = [], {}, {}
    seen = {name: evaluations[name] for name in names}
    for (name, m), path_a, path_b in zip(given.items(), *on_paths, strict=True):
        values_a, values_b = (each.per_query[name] for each in seen.values())
        row, lead = _separation(values_a, values_b, path_a - path_b, grid, n_resamples, delta, seed)
        row |= {key: each.mean[name] for key, each in zip(("mean_a", "mean_b"), seen.values(), strict=True)}
        rows.append(Separation(name, **row, **_predicted(m, predicted[name], fits[name])))
        paths[name] = Paths(grid, lead)
        means[name] = Paths(grid, path_a).mean_lead, Paths(grid, path_b).mean_lead
    by_name = {name: tuple(fit.pooled for fit in pair) for name, pair in fits.items()}
    ranked, both = tuple(sorted(rows, key=_soonest)), Evaluations(seen)
    queries = evaluations.n_queries
    return Distinction(ranked, grid, paths, means, by_name, names, queries, tuple(given), both, lists.remarks, delta)


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
    rng = generator(seed)
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
    known = ~np.isnan(values_a) & ~np.isnan(values_b)
    differences = (values_a - values_b)[known]
    if not differences.size:
        raise DataError("no query has a value: no measure can tell rankers apart")
    n_queries, mean = differences.size, float(differences.mean())
    sd = float(differences.std(ddof=1)) if n_queries > 1 else math.nan
    sign = 0.0 if abs(mean) < 1e-15 else math.copysign(1.0, mean)
    drawn = generator(seed).integers(n_queries, size=(n_resamples, n_queries))
    draws = differences[drawn].mean(axis=1) * sign
    needed = Gap(mean, sd).queries(delta) if sign and n_queries > 1 else math.inf
    lead = path * (sign or 1.0)
    along = Paths(sizes, lead)
    return {
        "better": {1.0: "a", -1.0: "b"}.get(sign),
        "wins": float(np.mean((np.sign(differences) * (sign or 1.0) + 1) / 2)),
        "separated": float(np.mean(draws > 0)) if sign and n_queries > 1 else math.nan,
        "queries_needed": max(1, math.ceil(needed)) if math.isfinite(needed) else None,
        "certified_at": _certified_at(differences, delta),
        "settled_at": along.settled_at if sign else None,
        "last_wrong": float(np.median(along.last_wrong)) if sign else float(sizes[-1]),
        "sign_changes": float(along.sign_changes.mean()),
    }, lead


def _certified_at(differences: Floats, delta: float) -> int | None:
    """The number of queries after which the order is certain; None if it is not, or if differences can exceed 1."""
    return confidence_sequence(differences, delta=delta).certified_at if np.abs(differences).max() <= 1 else None


def _normalized(m: Measure) -> Measure:
    """NDCG instead of DCG, which has no limit, but orders rankers of the same documents as NDCG does."""
    return NDCG(discount=m.discount, cutoff=m.cutoff) if isinstance(m, DCG) else m


def _predicted(m: Measure, found: GapPrediction, fits: tuple[QueryCurves, ...]) -> dict[str, Any]:
    """The part of a separation that theory predicts."""
    limits, gap = (found.limit_a, found.limit_b), found.gap
    fit_a, fit_b = fits
    return {
        "limit_a": limits[0].value,
        "limit_b": limits[1].value,
        "limit_interval_a": (limits[0].low, limits[0].high),
        "limit_interval_b": (limits[1].low, limits[1].high),
        "predicted_gap": gap.value,
        "predicted_interval": (gap.low, gap.high),
        "sd_documents": found.sd_documents,
        "sd_queries": found.sd_queries,
        "verdict": verdict(_normalized(m), fit_a.pooled, fit_b.pooled),
    }


def _soonest(row: Separation) -> tuple[bool, float, float]:
    """The key that sorts measures by how soon they separate."""
    return row.better is None, row.queries_needed or math.inf, row.settled_at or math.inf
