"""Measures of novelty and diversity, which need judgments by subtopic (`idealrank.SubtopicQrels`).

A document that repeats a subtopic is worth less: alpha is the probability that a reader who has seen a relevant
document for a subtopic needs no other one. Ideal rankings are made greedily, as by ndeval, the tool of the TREC Web
Track. Values are those of ndeval, but for ERR-IA and alpha-DCG at rank 1, which ndeval forgets to divide.
"""

from __future__ import annotations

import heapq
import math

import numpy as np

from idealrank import _native
from idealrank._names.options import number, option
from idealrank._typing import Floats
from idealrank.data.columns import group_of_each
from idealrank.data.lists import Lists
from idealrank.data.subtopics import RelevantPairs
from idealrank.measures.measure_base import Measure, check_subtopics, empty_value, kernel_ties
from idealrank.measures.measure_names import register

#: Greedy rankings of a submodular gain reach at least 1 - 1/e of the best, at every rank (Nemhauser et al. 1978).
_RANGE_BY_GREEDY_IDEAL = (0.0, math.e / (math.e - 1))
#: Gains that add less than this fraction of the first one to a sum are left out.
_NEGLIGIBLE = 2.0**-60


class Diversity(Measure):
    """A measure of rankings whose documents are judged for each subtopic of a query.

    There is no closed form for "average", "best" and "worst" ties: equal scores need an order, such as "docid_desc".

    Parameters
    ----------
    rel : float, optional
        The lowest label of a document that is relevant to a subtopic; by default, 1.
    """

    rel: float | None = option(number())

    needs_subtopics = True
    _value_range = (0.0, 1.0)
    refused_ties = ("average", "best", "worst")

    def values(self, lists: Lists) -> Floats:
        """Compute one value per query of lists with subtopics."""
        filled = self.with_convention()
        check_subtopics(self, lists.subtopics)
        assert lists.subtopics is not None
        filled.plan()
        assert filled.rel is not None
        rows = np.arange(lists.scores.size)
        if kernel_ties(filled) == "reverse":
            rows = np.lexsort((-rows, group_of_each(lists.offsets)))
        order = rows[_native.order(lists.scores[rows], lists.offsets, lists.n_threads)]
        values = np.full(lists.n_queries, empty_value(filled))
        for query in range(lists.n_queries):
            documents = order[lists.offsets[query] : lists.offsets[query + 1]]
            ranked, judged = lists.subtopics.relevant(query, documents, filled.rel)
            if judged.n_documents:
                n = ranked.n_documents
                depth = n if filled.cutoff is None else int(filled.cutoff.depths(n))
                values[query] = filled._value(ranked, judged, depth)
        return values

    def _value(self, ranked: RelevantPairs, judged: RelevantPairs, depth: int) -> float:
        """Return the value of a query; ``depth`` is the cutoff, or the number of ranked documents without one."""
        raise NotImplementedError


class _Novelty(Diversity):
    """A sum over ranks of gain times discount, where the gain of a subtopic decreases with every relevant document.

    Parameters
    ----------
    alpha : float, optional
        The share of its gain that a subtopic loses with every relevant document; by default, 0.5.
    """

    alpha: float | None = option(number(0, 1))

    def _discounts(self, n: int) -> Floats:
        raise NotImplementedError

    def _sum(self, documents: RelevantPairs, depth: int | None) -> float:
        """Return the discounted gain of the first documents."""
        assert self.alpha is not None
        first = documents.first(depth)
        shares = np.cumprod(np.append(1.0, np.full(first.n_documents, 1 - self.alpha)))
        weights = shares[first.counts_above()]
        gains = np.bincount(first.documents, weights, minlength=first.n_documents)
        return self._discounted(gains.astype(np.float64, copy=False))

    def _discounted(self, gains: Floats) -> float:
        return float(np.dot(gains, self._discounts(gains.size)))

    def _by_all_subtopics(self, ranked: RelevantPairs, depth: int) -> float:
        """Return the sum, divided by that of documents which are all relevant to all subtopics."""
        if not depth:
            return 0.0
        assert self.alpha is not None
        shares = np.cumprod(np.append(1.0, np.full(depth - 1, 1 - self.alpha)))
        return self._sum(ranked, depth) / self._discounted(ranked.n_subtopics * shares)

    def _by_ideal(self, ranked: RelevantPairs, judged: RelevantPairs) -> float:
        """Return the sum, divided by that of the ideal ranking."""
        assert self.alpha is not None
        depth = None if self.cutoff is None else int(self.cutoff.depths(ranked.n_documents))
        return self._sum(ranked, depth) / self._discounted(_ideal_gains(judged, self.alpha, depth))


def _ideal_gains(judged: RelevantPairs, alpha: float, depth: int | None) -> Floats:
    """Return the gains of an ideal order: at each rank the document with the largest gain, the first of equal ones.

    The gain of a document never grows, so that the largest of old gains is the largest of all if it has not changed.
    Documents with the same subtopics have the same gain, and are compared once.
    """
    cuts = np.searchsorted(judged.documents, np.arange(1, judged.n_documents))
    alike: dict[bytes, list[int]] = {}
    for document, own in enumerate(np.split(judged.subtopics, cuts)):
        alike.setdefault(own.tobytes(), []).append(document)
    subtopics = [np.frombuffer(each, np.int64).tolist() for each in alike]
    waiting = [iter(each) for each in alike.values()]
    largest = [
        (-float(len(own)), next(rest), group) for group, (own, rest) in enumerate(zip(subtopics, waiting, strict=True))
    ]
    heapq.heapify(largest)
    left, gains = [1.0] * judged.n_subtopics, list[float]()
    n = judged.n_documents if depth is None else min(depth, judged.n_documents)
    while len(gains) < n:
        known, document, group = largest[0]
        gain = 0.0
        for subtopic in subtopics[group]:  # added one by one, so that ties are as in ndeval
            gain += left[subtopic]
        if gain != -known:
            heapq.heapreplace(largest, (-gain, document, group))
            continue
        gains.append(gain)
        if gain * (n - len(gains)) <= _NEGLIGIBLE * gains[0]:
            break
        for subtopic in subtopics[group]:
            left[subtopic] *= 1 - alpha
        following = next(waiting[group], None)
        if following is None:
            heapq.heappop(largest)
        else:
            heapq.heapreplace(largest, (-gain, following, group))
    return np.array(gains)


class _Logarithmic(_Novelty):
    def _discounts(self, n: int) -> Floats:
        discounts: Floats = 1 / np.log2(np.arange(2, n + 2))
        return discounts


class _Reciprocal(_Novelty):
    def _discounts(self, n: int) -> Floats:
        return 1 / np.arange(1.0, n + 1)


@register("alpha_ndcg")
class AlphaNDCG(_Logarithmic):
    """Alpha-nDCG: DCG with gains that decrease for repeated subtopics, divided by the DCG of the ideal ranking.

    The gain of a document is the sum over its subtopics of (1 - alpha)^c, where c is the number of documents above it
    that are relevant to the subtopic. The ideal ranking has at each rank the document with the largest gain; among
    equal ones, the one with the largest id, as in ndeval.

    References
    ----------
    Clarke et al. 2008, Novelty and Diversity in Information Retrieval Evaluation.

    Examples
    --------
    Both retrieved documents are relevant to a; the second one repeats it, so its gain is 1/2. Only d3 is relevant to b.

    >>> from idealrank import evaluate
    >>> qrels = {"q": {"d1": {"a": 1}, "d2": {"a": 1}, "d3": {"b": 1}}}
    >>> found = evaluate(qrels, {"q": ["d1", "d2"]}, "alpha_ndcg@2")
    >>> round(found.mean["alpha_ndcg@2"], 4)
    0.8066
    >>> round((1 + 0.5 / 1.58496) / (1 + 1 / 1.58496), 4)
    0.8066
    """

    _value_range = _RANGE_BY_GREEDY_IDEAL

    def _value(self, ranked: RelevantPairs, judged: RelevantPairs, depth: int) -> float:
        return self._by_ideal(ranked, judged)


@register("alpha_dcg")
class AlphaDCG(_Logarithmic):
    """Alpha-DCG, divided by its value if all documents were relevant to all subtopics, as in ndeval.

    Examples
    --------
    One of two subtopics at rank 1: 1 / 2.

    >>> from idealrank import evaluate
    >>> evaluate({"q": {"d1": {"a": 1}, "d2": {"b": 1}}}, {"q": ["d1"]}, "alpha_dcg@1").mean
    {'alpha_dcg@1': 0.5}
    """

    def _value(self, ranked: RelevantPairs, judged: RelevantPairs, depth: int) -> float:
        return self._by_all_subtopics(ranked, depth)


@register("err_ia")
class ERRIA(_Reciprocal):
    """Intent-aware expected reciprocal rank, divided by its value if all documents were relevant to all subtopics.

    Labels are used as binary relevance, as in ndeval.

    References
    ----------
    Chapelle et al. 2011, Intent-based diversification of web search results: metrics and algorithms.

    Examples
    --------
    Subtopic a at ranks 1 and 2: 1 + (1/2) / 2, divided by 2 (1 + (1/2) / 2).

    >>> from idealrank import evaluate
    >>> qrels = {"q": {"d1": {"a": 1}, "d2": {"a": 1}, "d3": {"b": 1}}}
    >>> evaluate(qrels, {"q": ["d1", "d2"]}, "err_ia@2").mean
    {'err_ia@2': 0.5}
    """

    def _value(self, ranked: RelevantPairs, judged: RelevantPairs, depth: int) -> float:
        return self._by_all_subtopics(ranked, depth)


@register("nerr_ia")
class NERRIA(_Reciprocal):
    """ERR-IA, divided by the ERR-IA of the ideal ranking.

    Examples
    --------
    The ideal ranking has the other subtopic at rank 2: (1 + (1/2) / 2) / (1 + 1/2).

    >>> from idealrank import evaluate
    >>> qrels = {"q": {"d1": {"a": 1}, "d2": {"a": 1}, "d3": {"b": 1}}}
    >>> evaluate(qrels, {"q": ["d1", "d2"]}, "nerr_ia@2").mean
    {'nerr_ia@2': 0.8333333333333334}
    """

    _value_range = _RANGE_BY_GREEDY_IDEAL

    def _value(self, ranked: RelevantPairs, judged: RelevantPairs, depth: int) -> float:
        return self._by_ideal(ranked, judged)


class _RankBiased(_Novelty):
    """Novelty- and rank-biased precision.

    Parameters
    ----------
    beta : float, optional
        The persistence: the probability that a user continues to the next rank; by default, 0.5.
    """

    beta: float | None = option(number(0, 1 - 1e-12))

    without = frozenset({"cutoff"})

    def _discounts(self, n: int) -> Floats:
        assert self.beta is not None
        discounts: Floats = np.cumprod(np.append(1.0, np.full(n, self.beta)))[:n]
        return discounts


@register("nrbp")
class NRBP(_RankBiased):
    """Novelty- and rank-biased precision (Clarke et al. 2009): RBP with gains that decrease for repeated subtopics.

    Examples
    --------
    One of two subtopics at rank 1: (1 - 1/2 * 1/2) / 2.

    >>> from idealrank import evaluate
    >>> evaluate({"q": {"d1": {"a": 1}, "d2": {"b": 1}}}, {"q": ["d1"]}, "nrbp").mean
    {'nrbp': 0.375}
    """

    def _value(self, ranked: RelevantPairs, judged: RelevantPairs, depth: int) -> float:
        assert self.alpha is not None
        assert self.beta is not None
        return float(self._sum(ranked, None) * (1 - (1 - self.alpha) * self.beta) / ranked.n_subtopics)


@register("nnrbp")
class NNRBP(_RankBiased):
    """NRBP, divided by the NRBP of the ideal ranking.

    Examples
    --------
    >>> from idealrank import evaluate
    >>> evaluate({"q": {"d1": {"a": 1}, "d2": {"b": 1}}}, {"q": ["d1"]}, "nnrbp").mean
    {'nnrbp': 0.6666666666666666}
    """

    _value_range = _RANGE_BY_GREEDY_IDEAL

    def _value(self, ranked: RelevantPairs, judged: RelevantPairs, depth: int) -> float:
        return self._by_ideal(ranked, judged)


@register("p_ia")
class PIA(Diversity):
    """Intent-aware precision: the mean over subtopics of precision at k.

    Examples
    --------
    >>> from idealrank import evaluate
    >>> evaluate({"q": {"d1": {"a": 1, "b": 1}, "d2": {"b": 1}}}, {"q": ["d1", "d2"]}, "p_ia@2").mean
    {'p_ia@2': 0.75}
    """

    def _value(self, ranked: RelevantPairs, judged: RelevantPairs, depth: int) -> float:
        return float(ranked.first(depth).documents.size) / (depth * ranked.n_subtopics) if depth else 0.0


@register("ap_ia", "map_ia")
class APIA(Diversity):
    """Intent-aware average precision: the mean over subtopics of average precision.

    Examples
    --------
    Subtopic a has the average precision 1, and b has (1/1 + 2/2) / 2 = 1.

    >>> from idealrank import evaluate
    >>> evaluate({"q": {"d1": {"a": 1, "b": 1}, "d2": {"b": 1}}}, {"q": ["d1", "d2"]}, "ap_ia").mean
    {'ap_ia': 1.0}
    """

    without = frozenset({"cutoff"})

    def _value(self, ranked: RelevantPairs, judged: RelevantPairs, depth: int) -> float:
        precision = (ranked.counts_above() + 1) / (ranked.documents + 1)
        sums = np.bincount(ranked.subtopics, precision, minlength=ranked.n_subtopics)
        return float(np.mean(sums / np.bincount(judged.subtopics)))


@register("strec", "st_recall", "subtopic_recall", "s_recall")
class SubtopicRecall(Diversity):
    """Subtopic recall at k: the fraction of subtopics for which one of the first k documents is relevant.

    Examples
    --------
    >>> from idealrank import evaluate
    >>> evaluate({"q": {"d1": {"a": 1}, "d2": {"b": 1}}}, {"q": ["d1", "d2"]}, "strec@1,2").mean
    {'strec@1': 0.5, 'strec@2': 1.0}
    """

    def _value(self, ranked: RelevantPairs, judged: RelevantPairs, depth: int) -> float:
        return np.unique(ranked.first(depth).subtopics).size / ranked.n_subtopics
