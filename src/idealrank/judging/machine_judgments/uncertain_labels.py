"""Labels that are uncertain: the expected value of a measure, and how far labels alone can move it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from idealrank._core.checks import check_fraction, is_whole
from idealrank._core.seeds import generator
from idealrank._present.json_values import Plain, plain
from idealrank._present.page import Page, Section, Statement
from idealrank._present.result import Result
from idealrank._present.table import Column, Table, Value
from idealrank._typing import Booleans, Floats
from idealrank.data.columns import offsets_of
from idealrank.data.ids import Ids
from idealrank.data.judgments import Qrels, Run, join
from idealrank.data.lists import JudgedLabels, Lists
from idealrank.errors import DataError, OptionError
from idealrank.evaluation.evaluator import values_of_lists
from idealrank.evaluation.inputs import OneSystem, Several, judged_and_systems, naming
from idealrank.evaluation.preparation import in_order_of_ties, prepare, with_duplicates
from idealrank.measures import Measure, gains
from idealrank.measures import measure as measure_named
from idealrank.measures.conventions import Convention, convention
from idealrank.measures.measure_base import run as run_plans

#: The label of a document: a number, {label: probability}, or the labels of several judges, who count the same.
UncertainLabels: TypeAlias = Mapping[str, Mapping[str, float | Mapping[float, float] | Sequence[float]]]

_LEAST_DRAWS = 2
_CONSTANT = ("none", "cutoff", "retrieved", "full")


@dataclass(frozen=True, repr=False)
class UncertainEvaluation(Result):
    """The result of `evaluate_uncertain`.

    Attributes
    ----------
    measure : str
        The name of the measure.
    query_ids : tuple of str
        The queries.
    expected : mapping of str to array
        {system: one expected value per query}.
    draws : mapping of str to array
        {system: the mean over queries for each draw of the labels}; the drawn labels are the same for all systems.
    is_exact : bool
        Whether the expected values are exact; otherwise they are means over the draws.
    level : float
        The probability that an interval contains the mean.

    Examples
    --------
    >>> from idealrank.judging.machine_judgments.uncertain_labels import evaluate_uncertain
    >>> evaluate_uncertain({"q": {"a": {0: 0.5, 1: 0.5}, "b": 1}}, {"q": ["a", "b"]}, "p@2")
    UncertainEvaluation(p@2 0.7500, from 0.5000 to 1.0000)
    """

    measure: str
    query_ids: tuple[str, ...]
    expected: Mapping[str, Floats]
    draws: Mapping[str, Floats]
    is_exact: bool
    level: float = 0.95

    @property
    def mean(self) -> dict[str, float]:
        """{system: its expected mean over queries}."""
        return {name: float(values.mean()) for name, values in self.expected.items()}

    @property
    def error(self) -> dict[str, float]:
        """{system: the standard error of the expected mean due to the random draws}; 0 if the mean is exact."""
        return {
            name: 0.0 if self.is_exact else float(own.std(ddof=1) / np.sqrt(own.size))
            for name, own in self.draws.items()
        }

    def interval(self, system: str = "") -> tuple[float, float]:
        """Return the interval that contains the mean of a system with probability ``level``.

        Parameters
        ----------
        system : str
            The name of the system; empty if there is only one without a name.

        Returns
        -------
        low, high : float
            The bounds of the interval.
        """
        low, high = np.quantile(self.draws[system], [(1 - self.level) / 2, (1 + self.level) / 2])
        return float(low), float(high)

    def probability_ahead(self, system: str, against: str) -> float:
        """Return the share of the draws in which one system has a higher mean than another; equal means count half.

        Parameters
        ----------
        system, against : str
            The names of the two systems.

        Returns
        -------
        float
            The share, from 0 to 1.
        """
        difference = self.draws[system] - self.draws[against]
        return float(((difference > 0) + 0.5 * (difference == 0)).mean())

    def to_dict(self) -> dict[str, Plain]:
        """Return means, intervals, errors and expected values per query."""
        return {
            "measure": self.measure,
            "mean": plain(self.mean),
            "error": plain(self.error),
            "interval": {name: plain(self.interval(name)) for name in self.draws},
            "is_exact": self.is_exact,
            "level": self.level,
            "n_draws": next(iter(self.draws.values())).size,
            "query_ids": plain(self.query_ids),
            "expected": plain(dict(self.expected)),
        }

    def tables(self) -> Mapping[str, Table]:
        """Return the table "means": a row per system."""
        columns = [Column("system"), Column(self.measure, ".4f"), Column("error", ".1e")]
        rows: list[list[Value]] = [
            [name, mean, self.error[name], *self.interval(name)] for name, mean in self.mean.items()
        ]
        return {"means": Table([*columns, Column("low", ".4f"), Column("high", ".4f")], rows)}

    def page(self) -> Page:
        """Return the expected mean of each system, and the numbers of queries and draws."""
        findings = []
        for name, mean in self.mean.items():
            low, high = self.interval(name)
            of = f" of {name}" if name else ""
            how = "exact" if self.is_exact else f"with a standard error of {self.error[name]:.1g} from the draws"
            text = f"The expected {self.measure}{of} is {mean:.4f} ({how})."
            findings.append(Statement("expected value with uncertain labels", text))
            text = f"With a probability of {self.level:.0%}, labels put it between {low:.4f} and {high:.4f}."
            findings.append(Statement("range with uncertain labels", text))
        n_draws = next(iter(self.draws.values())).size
        remarks = (f"{len(self.query_ids):,} queries; {n_draws:,} draws of independent labels",)
        return Page(
            f"{self.measure} with uncertain labels",
            findings=tuple(findings),
            summary=(Section(tables=self.tables()),),
            remarks=remarks,
            sections=lambda: [Section("Result", tables=self.tables(), notes=remarks)],
        )

    def __repr__(self) -> str:
        shown = []
        for name, mean in self.mean.items():
            low, high = self.interval(name)
            shown.append(f"{name + ' ' if name else ''}{mean:.4f}, from {low:.4f} to {high:.4f}")
        return f"UncertainEvaluation({self.measure} {'; '.join(shown)})"


def evaluate_uncertain(
    judgments: UncertainLabels,
    run: OneSystem | Several,
    measure: str | Measure = "ndcg@10",
    *,
    like: str | Convention | None = None,
    n_draws: int = 1000,
    seed: int = 0,
    level: float = 0.95,
    n_threads: int | None = None,
) -> UncertainEvaluation:
    """Compute the expected value of a measure if the labels of documents are uncertain.

    Parameters
    ----------
    judgments : mapping
        {query: {document: label}}, where a label is a number; {label: probability}, such as the probabilities of a
        language model; or a list of the labels of several judges. The labels of different documents are independent.
    run : Run, mapping or several of these
        One run or several, as in `evaluate`.
    measure : str or Measure
        The measure to compute.
    like : str or Convention, optional
        The convention for options that the measures leave unset, as in `evaluate`.
    n_draws : int
        The number of times that labels are drawn.
    seed : int
        Seed of the random number generator.
    level : float
        The probability that an interval contains the mean.
    n_threads : int, optional
        Number of threads; None means all cores, or the number passed to `set_threads`.

    Returns
    -------
    UncertainEvaluation
        The expected value of each query, and intervals of the means.

    Raises
    ------
    DataError
        If a label is negative or not finite, or probabilities are negative or do not sum to 1.
    OptionError
        If there are fewer than two draws.

    Notes
    -----
    DCG, P and RBP are sums over documents, so their expected values follow exactly from the expected gains. NDCG, AP
    and others divide by a number that depends on the labels: they are averaged over the draws, and ``error`` is the
    standard error of this average.

    Examples
    --------
    Two judges disagree about the document at rank 1. The mean of the two values of NDCG is not the NDCG of the mean
    labels.

    >>> from idealrank import evaluate_uncertain
    >>> found = evaluate_uncertain({"q": {"a": [0, 1], "b": 1}}, {"q": ["a", "b"]}, "ndcg", n_draws=2000)
    >>> abs(found.mean[""] - (0.6309 + 1) / 2) < 4 * found.error[""]
    True
    """
    if not is_whole(n_draws, _LEAST_DRAWS):
        raise OptionError(f"n_draws must be a whole number from {_LEAST_DRAWS} on, got {n_draws!r}")
    check_fraction(level, "level")
    numbered, labels, chances = _distributions(judgments)
    _, systems = judged_and_systems(numbered, run)
    rules = convention("trec_eval" if like is None else like)
    given = measure_named(measure)
    filled = given.with_convention(rules)
    own = rules.for_measure(given.label, given.cutoff is not None)
    own = replace(own, unjudged="drop") if given.judged_only else own
    if own.labels == "truncated":
        labels = np.trunc(labels)
    lists: dict[str, tuple[Lists, Booleans]] = {}
    for system, each in systems.items():
        assert isinstance(each, Run)
        with naming(system):
            data = join(numbered, with_duplicates(each, own), n_threads=n_threads)
            missing = numbered.query_ids.index_in(each.query_ids) < 0
            assert data.scores is not None
            prepared, absent, _ = prepare(data, data.scores, own, missing, n_threads)
        if prepared.n_queries < numbered.n_queries:
            raise DataError(
                f"{system or 'the run'} has results for {prepared.n_queries:,} of {numbered.n_queries:,} queries: "
                "leave the others out of the judgments, or choose a convention that counts them as 0"
            )
        lists[system] = prepared, absent
    rng = generator(seed)
    cumulative = np.cumsum(chances, axis=1)[:, :-1]
    draws = {system: np.zeros(n_draws) for system in lists}
    sums = {system: np.zeros(numbered.n_queries) for system in lists}
    for draw in range(n_draws):
        drawn = labels[(rng.random((cumulative.shape[0], 1)) > cumulative).sum(axis=1)]
        for system, (own_lists, absent) in lists.items():
            values = values_of_lists(_with_labels(own_lists, drawn), absent, {"": filled})[""]
            if np.isnan(values).any():
                raise OptionError(f"{filled} has no value for some queries and labels: choose empty=0 or empty=1")
            draws[system][draw] = values.mean()
            sums[system] += values
    expected = {system: total / n_draws for system, total in sums.items()}
    plan = filled.plan()
    is_exact = (
        plan is not None
        and plan.reduction == "sum"
        and plan.denominator in _CONSTANT
        and isinstance(plan.gain, gains.Gain)
        and filled.ties not in ("best", "worst")
        and not any(absent.any() for _, absent in lists.values())
    )
    if is_exact:
        assert plan is not None
        assert isinstance(plan.gain, gains.Gain)
        linear = replace(plan, gain=gains.Linear())
        mean_gains = chances @ plan.gain(labels)
        for system, (own_lists, _) in lists.items():
            ordered, ties = in_order_of_ties(_with_labels(own_lists, mean_gains), filled.ties or "average")
            expected[system] = run_plans([linear], ordered, ties)[0]
    ids = tuple(map(str, numbered.query_ids.tolist()))
    return UncertainEvaluation(str(given), ids, expected, draws, is_exact, level)


def _with_labels(lists: Lists, labels: Floats) -> Lists:
    """Replace labels that are document numbers by the labels of these documents; unjudged ones stay."""
    assert lists.judged is not None
    places = np.nan_to_num(lists.labels, nan=1).astype(np.int64) - 1
    own = np.where(np.isnan(lists.labels), np.nan, labels[places])
    judged = JudgedLabels(labels[lists.judged.labels.astype(np.int64) - 1], lists.judged.offsets)
    return replace(lists, labels=own, judged=judged)


def _distributions(judgments: UncertainLabels) -> tuple[Qrels, Floats, Floats]:
    """Return judgments whose labels number the documents from 1, the distinct labels, and their probabilities."""
    names: list[str] = []
    rows: list[dict[float, float]] = []
    if not isinstance(judgments, Mapping):
        raise DataError(f"expected a mapping {{query: {{document: labels}}}}, got {type(judgments).__name__}")
    for query, docs in judgments.items():
        if not isinstance(docs, Mapping):
            raise DataError(f"expected {{document: labels}}, got {type(docs).__name__}", query=query)
        for doc, given in docs.items():
            names.append(doc)
            rows.append(_distribution(query, doc, given))
    if not rows:
        raise DataError("the judgments are empty: there is nothing to evaluate")
    labels = np.unique([label for row in rows for label in row])
    places = {label: place for place, label in enumerate(labels.tolist())}
    chances = np.zeros((len(rows), labels.size))
    for i, row in enumerate(rows):
        for label, chance in row.items():
            chances[i, places[label]] = chance
    offsets = offsets_of([len(docs) for docs in judgments.values()])
    numbered = Qrels.from_flat(Ids.of(judgments), offsets, Ids.of(names), np.arange(1, len(rows) + 1))
    if numbered.n_docs < len(rows):
        raise DataError("a document is repeated in a query: as a number and as the same text")
    return numbered, labels, chances


def _distribution(query: str, doc: str, given: float | Mapping[float, float] | Sequence[float]) -> dict[float, float]:
    """Return {label: probability} of a document."""
    try:
        if isinstance(given, Mapping):
            pairs = [(float(label), float(chance)) for label, chance in given.items()]
        elif isinstance(given, (int, float, np.number)):
            pairs = [(float(given), 1.0)]
        else:
            own = np.asarray(given, np.float64).ravel()
            pairs = [(label, 1 / own.size) for label in own.tolist()]
    except (TypeError, ValueError):
        raise DataError(
            f"document {doc!r} needs a label, {{label: probability}} or a list of labels, got {given!r}", query=query
        ) from None
    chances: dict[float, float] = {}
    for label, chance in pairs:
        chances[label] = chances.get(label, 0.0) + chance
    if not all(np.isfinite(label) and label >= 0 for label in chances):
        raise DataError(f"labels must be finite numbers from 0 on, got {given!r} for document {doc!r}", query=query)
    total = sum(chances.values())
    if not all(chance >= 0 for chance in chances.values()) or not abs(total - 1) < 1e-6:
        what = f"probabilities must be 0 or more and sum to 1, got {given!r} for document {doc!r}"
        raise DataError(what, query=query)
    return {label: chance / total for label, chance in chances.items()}
