"""Human labels of some documents of each query, and machine labels of all: estimates of DCG and NDCG.

The documents with human labels are a simple random sample of those of their query, n of N, so each is included with the
probability n / N. A DCG is a sum over documents: the sum of the gains that the machine labels predict, plus the
residuals of the sample divided by n / N, is unbiased for it, whatever the predictions are (the difference estimator of
survey sampling). The predictions for a query come from the human labels of the other queries.

An ideal DCG depends on the labels only through the numbers of documents with at least each gain, and a small sample
says little about a small number. The numbers among the documents without a human label are therefore estimated with an
empirical Bayes model: the probabilities that the machine labels predict are multiplied by a factor of the query, which
has a gamma distribution over queries. The DCG is multiplied by the mean of the inverse ideal DCG under this model, to
the second order.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from idealrank._core.exact import UNBOUNDED
from idealrank._present.page import Page, Section, Statement
from idealrank._present.printable import counted
from idealrank._present.result import Result
from idealrank._present.table import Column, Table
from idealrank._typing import Booleans, Floats, Int64s
from idealrank.stats.control_variates import Estimate

#: Most classes of machine labels; more are joined by quantiles.
_MOST_CLASSES = 10
#: How many documents with the mean label are added to each class, so that a rare class predicts no certainty.
_PRIOR_DOCUMENTS = 2.0
#: The smallest variance of the factors of queries: a few queries with hardly any relevant document need a wide
#: distribution, which a variance estimated mostly from others would exclude.
_LEAST_VARIANCE = 0.25


@dataclass(frozen=True)
class Sampled:
    """The documents with machine labels, some of which have human labels.

    Parameters
    ----------
    offsets : int64 array
        Query i has the documents ``offsets[i]:offsets[i + 1]``.
    gains : float64 array
        The gain of the human label of each document; NaN without one.
    classes : int64 array
        The class of the machine label of each document, from 0 on.
    """

    offsets: Int64s
    gains: Floats
    classes: Int64s

    @classmethod
    def of(cls, offsets: Int64s, gains: Floats, machine_labels: Floats) -> Sampled:
        """Number the machine labels; if there are many, those between two quantiles are one class."""
        _, classes = np.unique(machine_labels, return_inverse=True)
        if classes.max(initial=0) >= _MOST_CLASSES:
            cuts = np.unique(np.quantile(machine_labels, np.arange(1, _MOST_CLASSES) / _MOST_CLASSES))
            classes = np.searchsorted(cuts, machine_labels, side="right")
        return cls(offsets, gains, classes.astype(np.int64))

    @property
    def is_known(self) -> Booleans:
        """Whether each document has a human label."""
        return ~np.isnan(self.gains)

    def queries(self) -> Iterator[slice]:
        """Return the documents of each query."""
        return (slice(start, end) for start, end in pairwise(self.offsets.tolist()))

    def without_machine(self) -> Sampled:
        """Return the same documents as if all machine labels were equal."""
        return replace(self, classes=np.zeros_like(self.classes))


@dataclass(frozen=True)
class WeightedRanking:
    """What a system gives to the documents.

    Parameters
    ----------
    documents : int64 array
        The retrieved documents as positions in `Sampled`; -1 for one that is not there.
    weights : float64 array
        Their weights.
    """

    documents: Int64s
    weights: Floats


@dataclass(frozen=True)
class DocumentEstimates:
    """Estimates of the means of several systems, and the covariance of their errors.

    Parameters
    ----------
    values : float64 array of shape (n_systems, n_queries)
        The estimate of each system for each query.
    covariance : float64 array of shape (n_systems, n_systems)
        That of the means over exactly these queries, from the documents without a human label.
    open_share : float
        The fraction of documents without a human label.
    """

    values: Floats
    covariance: Floats
    open_share: float

    def contrast(
        self, system: int, against: int | None = None, value_range: tuple[float, float] = UNBOUNDED
    ) -> Estimate:
        """Return the mean of a system, or its difference from another.

        The estimates of queries vary between queries, and because documents were sampled: for new queries, their
        variance over queries includes both, and the test is the t test.
        """
        c, values = self.covariance, self.values[system]
        open_variance = c[system, system]
        if against is not None:
            values = values - self.values[against]
            open_variance = open_variance + c[against, against] - 2 * c[system, against]
        n, share = values.size, self.open_share
        variance, rest = float(values.var(ddof=1)) / n, max(float(open_variance), 0.0)
        facts = against is not None, int(np.count_nonzero(values))
        return Estimate(float(values.mean()), variance, n - 1, rest, n - 1, share, value_range, *facts)


def estimate_by_document(
    sampled: Sampled, rankings: Iterable[WeightedRanking], divisors: Floats | None, discounts: Floats, depths: Int64s
) -> DocumentEstimates:
    """Estimate the mean of a sum over documents, or of its ratio to the ideal sum.

    Parameters
    ----------
    sampled : Sampled
        The documents; each query needs human labels of two documents or of all, and one of them needs a gain.
    rankings : iterable of WeightedRanking
        The systems.
    divisors : float64 array or None
        What the sums are divided by, one per query; None for the ideal sum.
    discounts : float64 array
        The discounts of ideal rankings, as many as the deepest of ``depths``.
    depths : int64 array
        How many ranks of an ideal ranking count, by query.

    Returns
    -------
    DocumentEstimates
        The variance is that of the jackknife over the documents of each query with a human label, with the correction
        for a finite population, plus that of the factor of the query.
    """
    systems = list(rankings)
    model = _Model(sampled)
    sums = np.concatenate([[0.0], np.cumsum(discounts)])
    n_queries = sampled.offsets.size - 1
    values = np.zeros((len(systems), n_queries))
    covariance = np.zeros((len(systems), len(systems)))
    rows, documents, weights_of, cuts = _by_query(systems, sampled.offsets)
    for query, own in enumerate(sampled.queries()):
        weights = np.zeros((len(systems), own.stop - own.start))
        part = slice(cuts[query], cuts[query + 1])
        weights[rows[part], documents[part] - own.start] = weights_of[part]
        inverse = None if divisors is None else 1 / divisors[query]
        estimate = _of_query(model, sampled, own, weights, inverse, sums[: depths[query] + 1])
        values[:, query] = estimate.values
        covariance += estimate.deviations @ estimate.deviations.T + np.outer(estimate.open, estimate.open)
    return DocumentEstimates(values, covariance / n_queries**2, 1 - float(sampled.is_known.mean()))


def _by_query(systems: Sequence[WeightedRanking], offsets: Int64s) -> tuple[Int64s, Int64s, Floats, list[int]]:
    """Return the system, position and weight of all retrieved documents that count, and the end of each query."""
    kept = [np.flatnonzero((each.documents >= 0) & (each.weights != 0)) for each in systems]
    rows = np.repeat(np.arange(len(systems)), [own.size for own in kept])
    documents = np.concatenate([each.documents[own] for each, own in zip(systems, kept, strict=True)])
    weights = np.concatenate([each.weights[own] for each, own in zip(systems, kept, strict=True)])
    order = np.argsort(documents, kind="stable")
    documents = documents[order]
    return rows[order], documents, weights[order], np.searchsorted(documents, offsets).tolist()


class _Model:
    """The probability that a document has at least each gain, by the class of its machine label.

    Attributes
    ----------
    levels, steps : float64 array
        The different positive gains, ascending, and their differences.
    shapes : float64 array of shape (n_levels, 1)
        The shapes of the gamma distributions of the factors of queries, which have the mean 1.
    least : float
        The smallest probability of a level that occurs.
    """

    def __init__(self, sampled: Sampled) -> None:
        known = sampled.is_known
        gains = sampled.gains[known]
        self.levels = np.unique(gains[gains > 0])
        self.steps = np.diff(self.levels, prepend=0.0)
        self._sampled, self._n_classes = sampled, int(sampled.classes.max()) + 1
        self._hits, self._counts = self._by_class(slice(None))
        self.least = 0.5 / (self._counts.sum() + 1)
        # Over queries, the variance of the numbers of documents in excess of that of independent documents.
        beyond, squares = np.zeros(self.levels.size), np.zeros(self.levels.size)
        for own in sampled.queries():
            is_known = known[own]
            chances = np.maximum(self.probabilities(own)[:, is_known], self.least)
            has_level = sampled.gains[own][is_known] >= self.levels[:, None]
            beyond += (has_level - chances).sum(axis=1) ** 2 - (chances * (1 - chances)).sum(axis=1)
            squares += chances.sum(axis=1) ** 2
        self.shapes = 1 / np.maximum(beyond / squares, _LEAST_VARIANCE)[:, None]

    def probabilities(self, own: slice) -> Floats:
        """Return the probabilities for the documents of a query, by level.

        They come from the human labels of the other queries, so that they do not depend on which documents of this
        query are in the sample.
        """
        own_hits, own_counts = self._by_class(own)
        hits, counts = self._hits - own_hits, self._counts - own_counts
        base = hits.sum(axis=1, keepdims=True) / max(counts.sum(), 1)
        probabilities: Floats = (hits + _PRIOR_DOCUMENTS * base) / (counts + _PRIOR_DOCUMENTS)
        return probabilities[:, self._sampled.classes[own]]

    def _by_class(self, rows: slice) -> tuple[Floats, Int64s]:
        """Return how many documents with a human label have at least each level, and how many there are, by class."""
        gains, classes = self._sampled.gains[rows], self._sampled.classes[rows]
        known = ~np.isnan(gains)
        gains, classes = gains[known], classes[known]
        hits = [np.bincount(classes, gains >= level, minlength=self._n_classes) for level in self.levels]
        return np.stack(hits), np.bincount(classes, minlength=self._n_classes)


@dataclass(frozen=True)
class _OfQuery:
    values: Floats
    deviations: Floats
    open: Floats


def _of_query(
    model: _Model, sampled: Sampled, own: slice, weights: Floats, inverse: float | None, sums: Floats
) -> _OfQuery:
    """Return the estimates of a query, those without each document, centered and scaled, and what the prior adds."""
    gains, known = sampled.gains[own], np.flatnonzero(sampled.is_known[own])
    n, n_all = known.size, gains.size
    probabilities = model.probabilities(own)
    predicted = model.steps @ probabilities
    residuals = gains[known] - predicted[known]
    fixed, in_sample = weights @ predicted, weights[:, known]
    sampled_sum = in_sample @ residuals
    totals = fixed + n_all / n * sampled_sum
    without = fixed[:, None] + n_all / max(n - 1, 1) * (sampled_sum[:, None] - in_sample * residuals)
    left = np.zeros(weights.shape[0])
    if inverse is not None:
        values, deleted = totals * inverse, without * inverse
    else:
        has_level = (gains[known] >= model.levels[:, None]).astype(np.float64)
        probabilities = np.maximum(probabilities, model.least)  # levels that only this query has are not impossible
        chances = probabilities[:, known]
        counts, expected = (part.sum(axis=1, keepdims=True) for part in (has_level, chances))
        rest = np.maximum(probabilities.sum(axis=1, keepdims=True) - expected, 0.0)
        ideal = _Ideal.of(model, sums, counts, expected, rest)
        values = totals * ideal.inverse
        deleted = without * _Ideal.of(model, sums, counts - has_level, expected - chances, rest + chances).inverse
        # The factor of the query is shrunk towards 1: this is what remains of its standard deviation.
        shrunk = 1 - n / n_all * (1 + rest / (model.shapes + expected))
        spread = (expected + rest) / np.sqrt(model.shapes)
        left = values * float((model.steps[:, None] * ideal.slopes * shrunk * spread).sum()) * ideal.inverse
    if n == n_all:
        return _OfQuery(values, np.zeros((weights.shape[0], 1)), np.zeros_like(left))
    scale = np.sqrt((1 - n / n_all) * (n - 1) / n)
    return _OfQuery(values, (deleted - deleted.mean(axis=1, keepdims=True)) * scale, left)


@dataclass(frozen=True)
class _Ideal:
    """An ideal sum: the mean of its inverse (0 if the sum is certainly 0), and how its mean grows with the counts."""

    inverse: Floats
    slopes: Floats

    @classmethod
    def of(cls, model: _Model, sums: Floats, counts: Floats, expected: Floats, rest: Floats) -> _Ideal:
        """Return the ideal sum of a query.

        Parameters
        ----------
        model : _Model
            The probabilities.
        sums : float64 array
            The sums of the first discounts, from 0 on.
        counts, expected : float64 array of shape (n_levels, m)
            How many documents with a human label have at least each level, and how many are expected to.
        rest : float64 array of shape (n_levels, m)
            How many without a human label are expected to.
        """
        from scipy.special import gammaln

        # Given the counts, the factor of the query has a gamma distribution, and the number of
        # others a negative binomial one.
        shape = model.shapes + counts
        mean = rest * shape / (model.shapes + expected)
        deepest = sums.size - 1
        more = np.arange(deepest).reshape(-1, 1, 1)
        log_odds = np.log(np.maximum(mean, 1e-300)) - np.log(shape + mean)
        chances = np.exp(
            gammaln(more + shape) - gammaln(shape) - gammaln(more + 1.0) + shape * np.log(shape / (shape + mean))
            + more * log_odds
        )  # fmt: skip
        places = np.minimum(more + counts, deepest).astype(np.int64)
        beyond = np.maximum(1 - chances.sum(axis=0), 0.0)
        first = (chances * sums[places]).sum(axis=0) + beyond * sums[-1]
        second = (chances * sums[places] ** 2).sum(axis=0) + beyond * sums[-1] ** 2
        spread = np.sqrt(np.maximum(second - first**2, 0.0))
        # Given that there is a relevant document: without one, DCG and NDCG are 0.
        is_relevant = np.where(counts[0] > 0, 1.0, np.maximum(1 - chances[0, 0], 0.0))
        share = np.maximum(is_relevant, np.finfo(np.float64).tiny)
        ideal = np.maximum(model.steps @ first / share, np.where(is_relevant > 0, model.steps[0] * sums[1], 0.0))
        variance = ((model.steps @ spread) ** 2 + (model.steps @ first) ** 2) / share - ideal**2
        slopes = (chances * (sums[np.minimum(places + 1, deepest)] - sums[places])).sum(axis=0)
        some = np.maximum(ideal, np.finfo(np.float64).tiny)
        return cls(np.where(ideal > 0, (1 + np.maximum(variance, 0.0) / some**2) / some, 0.0), slopes)


@dataclass(frozen=True)
class LabelAgreement(Result):
    """The agreement between human and machine labels of the same documents.

    Attributes
    ----------
    n_documents : int
        The number of documents with both labels.
    equal : float
        The share of these documents with equal labels.
    kappa : float
        Cohen's kappa, the agreement beyond chance; NaN if all labels are the same.
    correlation : float
        The correlation between the labels; NaN if one of the two kinds is constant.
    bias : float
        The mean of machine minus human labels.
    labels : tuple of float
        The labels that occur, ascending.
    counts : tuple of tuple of int
        ``counts[i][j]`` is the number of documents with the human label ``labels[i]`` and the machine label
        ``labels[j]``.

    Examples
    --------
    >>> from idealrank.judging.machine_judgments.sampled_documents import label_agreement
    >>> found = label_agreement([0, 0, 1, 1], [0, 1, 1, 1])
    >>> found.equal, found.kappa, found.bias, found.counts
    (0.75, 0.5, 0.25, ((1, 1), (0, 2)))
    """

    n_documents: int
    equal: float
    kappa: float
    correlation: float
    bias: float
    labels: tuple[float, ...]
    counts: tuple[tuple[int, ...], ...]

    def tables(self) -> Mapping[str, Table]:
        """Return the table "labels": a row per human label, with the numbers of documents by machine label."""
        names = [f"machine {label:g}" for label in self.labels]
        rows = [[label, *own] for label, own in zip(self.labels, self.counts, strict=True)]
        return {"labels": Table([Column("human", "g"), *(Column(name) for name in names)], rows)}

    def page(self) -> Page:
        """Return the agreement as a sentence, and the numbers of documents by label."""
        return Page(
            "Agreement of human and machine labels",
            findings=(Statement("agreement of labels", self._finding()),),
            summary=(Section(tables=self.tables()),),
            sections=lambda: [Section("Result", tables=self.tables())],
        )

    def _finding(self) -> str:
        if not self.n_documents:
            return "No document has both a human and a machine label."
        documents = f"{counted(self.n_documents, 'document')} with both"
        parts = [f"Human and machine labels are equal on {self.equal:.0%} of the {documents}"]
        if not math.isnan(self.kappa):
            parts.append(f"kappa {self.kappa:.2f}")
        if not math.isnan(self.correlation):
            parts.append(f"correlation {self.correlation:.2f}")
        higher = "lower" if self.bias < 0 else "higher"
        return f"{', '.join(parts)}; machine labels are {higher} by {abs(self.bias):.2f} on average."


def label_agreement(human: Floats, machine: Floats) -> LabelAgreement:
    """Compare human and machine labels of the same documents.

    Examples
    --------
    >>> print(*label_agreement([1, 1], [1, 0]).page().findings)
    Human and machine labels are equal on 50% of the 2 documents with both, kappa 0.00; machine labels are lower by 0.50
    on average.
    """
    first, second = np.asarray(human, np.float64), np.asarray(machine, np.float64)
    n = first.size
    if not n:
        return LabelAgreement(0, math.nan, math.nan, math.nan, math.nan, (), ())
    labels, places = np.unique(np.concatenate([first, second]), return_inverse=True)
    counts = np.zeros((labels.size, labels.size), np.int64)
    np.add.at(counts, (places[:n], places[n:]), 1)
    equal = float(np.trace(counts) / n)
    by_chance = float(counts.sum(axis=0) @ counts.sum(axis=1) / n**2)
    kappa = (equal - by_chance) / (1 - by_chance) if labels.size > 1 else math.nan
    has_spread = np.ptp(first) > 0 and np.ptp(second) > 0
    correlation = float(np.corrcoef(first, second)[0, 1]) if has_spread else math.nan
    shown = tuple(tuple(row) for row in counts.tolist())
    return LabelAgreement(n, equal, kappa, correlation, float((second - first).mean()), tuple(labels.tolist()), shown)
