"""Measures of pairs in the right or wrong order: Kendall's tau, the pairwise error of Jin and Geng 2013, AUC."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from idealrank import _native
from idealrank._core.threads import resolve_threads
from idealrank._names.options import choice, number, option
from idealrank._typing import Floats
from idealrank.data.lists import Lists, located
from idealrank.errors import DataError
from idealrank.measures import gains
from idealrank.measures.measure_base import Measure, empty_value, kernel_ties, run
from idealrank.measures.measure_names import register
from idealrank.measures.ranked_labels import RankedLabels, ratio
from idealrank.measures.retrieval import RankedRelevance


class _PairCounts(NamedTuple):
    """Counts of pairs with different labels, one entry per query; a pair's weight is the difference of its labels."""

    wrong: Floats
    tied: Floats
    all: Floats
    wrong_weight: Floats
    tied_weight: Floats
    all_weight: Floats


class _PairMeasure(Measure):
    without = frozenset({"cutoff"})

    def values(self, lists: Lists) -> Floats:
        filled = self.with_convention()
        ties, n_threads = kernel_ties(filled), resolve_threads(lists.n_threads)
        run([], lists, ties)  # checks the labels before they are converted
        labels = lists.labels
        prepared = filled._prepared(np.where(labels < 0, np.nan, labels) if lists.negative == "unjudged" else labels)
        counts = _PairCounts(*_native.pair_counts(prepared, lists.scores, lists.offsets, ties, n_threads).T)
        with np.errstate(invalid="ignore"):  # infinite sums
            values = filled._value(counts)
        beyond = np.flatnonzero(~np.isfinite(values))
        if beyond.size:
            what = "the differences of a query's labels are too large to be summed"
            raise located(DataError(what, query=int(beyond[0])), lists.query_ids, None)
        return np.where(counts.all > 0, values, empty_value(filled))

    def _prepared(self, labels: Floats) -> Floats:
        """Return the labels to compare; an unjudged document counts as 0."""
        return np.nan_to_num(labels, nan=0.0)

    def _value(self, counts: _PairCounts) -> Floats:
        """Return one value per query."""
        raise NotImplementedError


@register("kendall_tau", "tau", "kendall")
class KendallTau(_PairMeasure):
    """The mean over pairs with different labels: +1 in the right order, -1 in the wrong order, 0 for equal scores.

    Examples
    --------
    Of the three pairs, the order 2, 0, 1 has one wrong: (2 - 1) / 3.

    >>> from idealrank.measures import KendallTau
    >>> KendallTau()([2, 0, 1], [3, 2, 1])
    array([0.33333333])
    """

    _value_range = (-1.0, 1.0)

    def _value(self, counts: _PairCounts) -> Floats:
        return ratio(counts.all - counts.tied - 2 * counts.wrong, counts.all)


@register("pairwise_error")
class PairwiseError(_PairMeasure):
    """The misordered pairs, each weighted by the difference of its labels (Jin and Geng 2013, eq. (3) and (4)).

    A pair with equal scores counts as half a pair if ties are averaged.

    Parameters
    ----------
    normalize : {"none", "pairs", "weights"}, optional
        "none" is the plain sum R; "pairs" (the default) divides R by the number of pairs with different labels, as in
        the paper, and can exceed 1; "weights" divides R by its largest possible value.

    Examples
    --------
    Labels 1, 2, 0, 0, 1 in rank order: three misordered pairs, whose labels differ by 1, so R = 3, of 8 pairs.

    >>> from idealrank.measures import PairwiseError
    >>> PairwiseError()([1, 2, 0, 0, 1], [5, 4, 3, 2, 1])
    array([0.375])
    """

    normalize: str | None = option(choice("none", "pairs", "weights"))
    lower_is_better = True
    missing_value = "worst"

    @property
    def value_range(self) -> tuple[float, float]:
        return (0.0, 1.0 if self.normalize == "weights" else math.inf)

    def _value(self, counts: _PairCounts) -> Floats:
        error = counts.wrong_weight + counts.tied_weight / 2
        divisors = {"none": np.ones_like(error), "pairs": counts.all, "weights": counts.all_weight}
        return ratio(error, divisors[self.normalize or "pairs"])


@register("auc", "roc_auc")
class AUC(_PairMeasure):
    """The fraction of pairs of a relevant and a non-relevant document that are in the right order.

    A pair with equal scores counts as half a pair if ties are averaged.

    Parameters
    ----------
    rel : float, optional
        The lowest label of a relevant document; by default, 1.

    Examples
    --------
    >>> from idealrank.measures import AUC
    >>> AUC()([1, 0, 1, 0], [4, 3, 2, 1])
    array([0.75])
    """

    rel: float | None = option(number())
    _value_range = (0.0, 1.0)

    def _prepared(self, labels: Floats) -> Floats:
        assert self.rel is not None
        return np.where(np.isnan(labels), 0.0, gains.Binary(self.rel)(labels))

    def _value(self, counts: _PairCounts) -> Floats:
        return 1 - ratio(counts.wrong + counts.tied / 2, counts.all)


@register("pair_accuracy")
class PairAccuracy(RankedRelevance):
    """The fraction of pairs of a relevant and another document among the first k that are in the right order.

    Unjudged documents are not relevant. If the first k documents contain no such pair, the value is ``empty``, by
    default "skip". There is no closed form for averaged, best and worst ties: choose another value of ``ties``. It is
    Accuracy in ir_measures.

    Examples
    --------
    Of the pairs of ranks (1, 2) and (3, 2), the first is in the right order.

    >>> from idealrank.measures import PairAccuracy
    >>> PairAccuracy(cutoff=3, ties="stable")([1, 0, 1, 1], [4, 3, 2, 1])
    array([0.5])
    """

    without = frozenset({"ideal"})
    refused_ties = ("average", "best", "worst")

    def _value(self, rankings: RankedLabels) -> Floats:
        sizes = rankings.n_retrieved
        depths = sizes if self.cutoff is None else np.minimum(self.cutoff.depths(sizes), sizes)
        hits = rankings.hits(depths)
        is_within = rankings.found_ranks <= depths[rankings.found.queries]
        wrong = rankings.found.total((rankings.found_ranks - rankings.found.ranks)[is_within], is_within)
        pairs = hits * (depths - hits)
        return np.where(pairs > 0, 1 - ratio(wrong, pairs), empty_value(self))
