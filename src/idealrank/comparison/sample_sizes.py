"""Plan an experiment: the number of queries needed to detect a difference between systems."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import astuple, dataclass, fields
from typing import Unpack

from idealrank._core.checks import items_of
from idealrank._present.json_values import Plain, plain
from idealrank._present.page import Page, Section, Statement
from idealrank._present.printable import counted
from idealrank._present.result import Result
from idealrank._present.table import Column, Table
from idealrank.comparison.compare import common_queries
from idealrank.data.ranking import Order
from idealrank.errors import DataError, OptionError
from idealrank.evaluation.evaluation_result import Evaluations
from idealrank.evaluation.evaluator import Evaluator
from idealrank.evaluation.inputs import Data, LayoutOptions, Measures, Several, judged_and_systems, layout_of
from idealrank.io.shapes.shape import InputLayout
from idealrank.measures.conventions import Convention
from idealrank.stats import queries_for
from idealrank.stats.power import DESIGNS

_REASONS = {
    "t": ["The power of the paired t test, from the noncentral t distribution (Sakai 2016)."],
    "anova": [
        "The power of the F test of a two-way analysis of variance, from the noncentral F distribution, if the best "
        "and the worst system differ by delta and all others are halfway between them (Sakai 2016)."
    ],
    "interval": ["The expected width of the t interval of the mean difference is at most delta (Sakai 2016)."],
    "order": [
        "The mean of n differences is normal with variance sd^2 / n; it has the right sign with probability 1 - level "
        "if n is (z sd / delta)^2, where z is the quantile of the normal distribution."
    ],
    "any_order": [
        "Hoeffding's inequality: the mean of n differences between -1 and 1 has the wrong sign with a probability of "
        "at most exp(-n delta^2 / 2)."
    ],
}


@dataclass(frozen=True)
class QueriesNeeded:
    """The numbers of queries that a difference in one measure needs, by design of the experiment.

    Parameters
    ----------
    measure : str
        The measure, as given.
    delta : float
        The true difference of two means.
    t : int
        Queries with which a paired t test detects it.
    anova : int
        Queries with which an analysis of variance detects it, if the best and the worst system differ by ``delta``.
    interval : int
        Queries for a confidence interval of the difference that is no wider than ``delta``.
    order : int
        Queries that order two means correctly with probability 1 - level.
    any_order : int
        The same for any distribution of values between 0 and 1.
    sd : float
        The standard deviation of the per-query difference of two systems.

    Examples
    --------
    >>> from idealrank import power
    >>> qrels = {f"q{i}": {"a": 1, "b": 0} for i in range(8)}
    >>> runs = {name: {q: {"a": (i * k) % 3, "b": 1} for i, q in enumerate(qrels)} for k, name in ((1, "x"), (2, "y"))}
    >>> power(qrels, runs, "rr", deltas=[0.1]).needed[0].measure
    'rr'
    """

    measure: str
    delta: float
    t: int
    anova: int
    interval: int
    order: int
    any_order: int
    sd: float


_FORMATS = {"measure": "", "delta": "g", "sd": ".4f"}
_COLUMNS = [Column(each.name, _FORMATS.get(each.name, ",")) for each in fields(QueriesNeeded)]


@dataclass(frozen=True)
class SampleSizes(Result):
    """The result of `power`.

    Parameters
    ----------
    needed : tuple of QueriesNeeded
        One per measure and difference.
    power : float
        The probability of detecting the difference.
    level : float
        The significance level.
    evaluations : Evaluations
        The evaluations of the systems, from which variances are estimated.

    Examples
    --------
    >>> import idealrank as ir
    >>> runs = {"a": [3, 2, 1] * 2, "b": [1, 2, 3, 3, 2, 1]}
    >>> ir.power([2, 1, 0, 1, 0, 0], runs, "ndcg", deltas=0.1, offsets=[0, 3, 6]).needed[0].any_order
    600
    """

    needed: tuple[QueriesNeeded, ...]
    power: float
    level: float
    evaluations: Evaluations

    def to_dict(self) -> dict[str, Plain]:
        """Return the numbers of queries, and the convention and number of queries of the data."""
        return {
            "conventions": plain(next(iter(self.evaluations.values())).conventions),
            "n_queries": self.evaluations.n_queries,
            "power": self.power,
            "level": self.level,
            "needed": plain(self.needed),
            "problems": plain(self.evaluations.problems),
        }

    def tables(self) -> Mapping[str, Table]:
        """Return the table "queries": a row per measure and difference."""
        return {"queries": Table(_COLUMNS, [astuple(each) for each in self.needed])}

    def page(self) -> Page:
        """Return what the first difference needs, the table, and what its columns mean."""
        over, n_queries = self.evaluations.page(), self.evaluations.n_queries
        needed = f"queries needed at level {self.level:g} and power {self.power:g}, based on {n_queries:,} queries"
        sd = "sd: standard deviation of the per-query difference of two systems"
        return Page(
            "Queries needed to detect a difference",
            over.about,
            (Statement("queries needed", self._finding()),),
            (Section(tables=self.tables()),),
            (f"{needed}; {sd}", *over.remarks),
            over.options,
            self._reading(),
            _REASONS,
            sections=lambda: [
                Section("Queries needed", tables={"Queries needed, by design": self.table()}, notes=(f"{sd}.",)),
                *self.evaluations.background(),
            ],
            quality=over.quality,
        )

    def _finding(self) -> str:
        """Return what a t test of the first difference needs, in a sentence."""
        first, n_others = self.needed[0], len(self.needed) - 1
        what = f"a true difference of {first.delta:g} in mean {first.measure} with {_percent(self.power)} power"
        test = f"a paired t test at level {self.level:g} needs {first.t:,} queries"
        have = counted(self.evaluations.n_queries, "query")
        others = f" The table has {n_others:,} more {'row' if n_others == 1 else 'rows'}." if n_others else ""
        return f"To detect {what}, {test}; these data have {have}.{others}"

    def _reading(self) -> dict[str, str]:
        """Return what the columns say in the first row, in words."""
        row, level = self.needed[0], f"{self.level:g}"
        detects = f"a paired t test at level {level} detects it in {_percent(self.power)} of experiments"
        narrow = f"the {_percent(1 - self.level)} interval of the difference is at most {row.delta:g} wide"
        any_values = "the same holds for any distribution of values between 0 and 1"
        right = f"the better one has the higher mean with a probability of {_percent(1 - self.level)}"
        return {
            "delta": f"if two systems truly differ by {row.delta:g} in mean {row.measure}, then:",
            "t": f"with {row.t:,} queries, {detects}",
            "anova": f"with {row.anova:,} queries, so does an analysis of variance of as many systems as here",
            "interval": f"with {row.interval:,} queries, {narrow}",
            "order": f"with {row.order:,} queries, {right}",
            "any_order": f"with {row.any_order:,} queries, {any_values}",
            "sd": f"on one query, the difference of two systems varies with a standard deviation of {row.sd:.4f}",
        }

    def __repr__(self) -> str:
        return f"SampleSizes({self._finding()})"


def power(
    data: Data,
    systems: Several,
    measures: Measures = ("ndcg@10",),
    *,
    deltas: float | Iterable[float] = (0.05,),
    power: float = 0.8,
    level: float = 0.05,
    like: str | Convention | None = None,
    order: Order | None = None,
    n_threads: int | None = None,
    **layout: Unpack[LayoutOptions],
) -> SampleSizes:
    """Plan an experiment: compute the number of queries needed to detect a difference of means.

    The systems are the pilot data from which variances are estimated; see `idealrank.stats.queries_for`.

    Parameters
    ----------
    data, systems
        The judged documents and two or more systems, as in `evaluate`.
    measures : str, Measure or iterable of these
        The measures.
    deltas : float or iterable of float
        True differences of two means.
    power : float
        The probability of detecting the difference.
    level : float
        The significance level.
    like : str or Convention, optional
        The convention for options that the measures leave unset, as in `evaluate`.
    order : {"input", "grouped"}, optional
        The order of the scores, as in `evaluate`.
    n_threads : int, optional
        Number of threads; None means all cores, or the number passed to `set_threads`.
    **layout
        The layout of the data: offsets, group, query_ids, mask, and column names, as in `evaluate`.

    Returns
    -------
    SampleSizes
        The number of queries for each measure, difference and design of the experiment.

    Raises
    ------
    OptionError
        If an option is out of range.
    DataError
        If there are fewer than two systems, or if their differences have no variance.

    Examples
    --------
    >>> import idealrank as ir
    >>> qrels, runs = ir.datasets.search_runs(50)
    >>> found = ir.power(qrels, runs, "ndcg@10", deltas=[0.05, 0.02])
    >>> [each.delta for each in found.needed], found.needed[0].t < found.needed[1].t
    ([0.05, 0.02], True)
    """
    differences = [deltas] if isinstance(deltas, (int, float)) else list(items_of(deltas, "deltas"))
    if not differences:
        raise OptionError("deltas is empty: give one difference or more")
    judged, rankers = judged_and_systems(data, systems, _layout(layout, order))
    if len(rankers) < 2:
        raise DataError("a plan needs two systems or more: give {name: run} or {name: scores}")
    evaluations = Evaluator(judged, like, n_threads=n_threads).evaluate_all(rankers.items(), measures)
    needed = []
    for measure, matrix in common_queries(evaluations)[1].items():
        for delta in differences:
            plans = [queries_for(delta, matrix, design=design, power=power, level=level) for design in DESIGNS]
            sizes = {plan.design: plan.n_queries for plan in plans}
            needed.append(QueriesNeeded(measure, delta, sd=plans[0].variance ** 0.5, **sizes))
    return SampleSizes(tuple(needed), power, level, evaluations)


def _layout(options: LayoutOptions, order: Order | None) -> InputLayout:
    return layout_of(power, options, order)  # inside the function, this name is the power


def _percent(share: float) -> str:
    """Return a percentage that is not rounded to 100."""
    return f"{100 * share:.4g}%"
