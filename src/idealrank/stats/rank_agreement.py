"""Agreement of two rankings of documents: rank-biased overlap and AP correlation."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from idealrank._names.options import number
from idealrank._typing import Floats, Int64s
from idealrank.errors import DataError, OptionError

#: A ranking: ids, best first, or {id: score}.
Ranking: TypeAlias = Sequence[Any] | Mapping[Any, float] | npt.NDArray[Any]

_TIES = ("average", "docid_desc", "docid_asc")
_KINDS = ("ext", "min")
_ROWS_AT_ONCE = 1024


class _Places(NamedTuple):
    """For each document, how many are above it, and how many have its score, itself included."""

    ids: list[Any]
    above: Int64s
    tied: Int64s


def rbo(a: Ranking, b: Ranking, *, p: float = 0.9, kind: str = "ext", ties: str = "average") -> float:
    """Compute the rank-biased overlap of two rankings, which need not have the same documents or lengths.

    It is (1 - p) sum_d p^(d - 1) X_d / d, where X_d is the number of documents that both rankings have in their first d
    ranks (Webber et al. 2010). Because the rankings are finite, "ext" extrapolates the sum, and "min" is the smallest
    value that longer rankings could have.

    Parameters
    ----------
    a, b : sequence or mapping
        The rankings: document ids, best first, or {document: score}.
    p : float
        The persistence, between 0 and 1. Most of the weight is on the first 1 / (1 - p) ranks: the first 10 for 0.9.
    kind : {"ext", "min"}
        The extrapolated value (equation 32 of the paper), or the lower bound (equation 11, at the length of the longer
        ranking).
    ties : {"average", "docid_desc", "docid_asc"}
        The order of documents with equal scores: "average" is the mean over all orders, chosen independently in the two
        rankings; the others order them by document id.

    Returns
    -------
    float
        The overlap, from 0 to 1; NaN if a ranking is empty.

    Raises
    ------
    DataError
        If a ranking is not ordered (such as a set), contains a document twice, or has a score that is not a number.
    OptionError
        If the value of an option is not valid.

    References
    ----------
    Webber et al. 2010, A Similarity Measure for Indefinite Rankings. The mean over orders of ties is described in Corsi
    and Urbano 2024, The Treatment of Ties in Rank-Biased Overlap.

    Examples
    --------
    The agreement is 0 at rank 1 and 1 at rank 2: 0.5 * (0 + 0.5 * 1) + 0.25 * 1.

    >>> from idealrank.stats import rbo
    >>> rbo(["a", "b"], ["b", "a"], p=0.5)
    0.5
    >>> rbo(["a", "b"], ["a", "b"])
    1.0
    """
    _check(kind, _KINDS, "kind")
    p = _persistence(p)
    first, second = _places(a, ties), _places(b, ties)
    short, long = sorted((len(first.ids), len(second.ids)))
    if not short:
        return math.nan
    depth = np.arange(1, long + 1)
    overlap = _overlap(first, second, long)
    weights = p**depth
    if kind == "min":
        last = overlap[-1]
        return float((1 - p) / p * (np.sum((overlap - last) * weights / depth) - last * math.log1p(-p)))
    at_short = overlap[short - 1]
    tail = slice(short, None)
    total = np.sum(overlap / depth * weights)
    total += np.sum(at_short * (depth[tail] - short) / (short * depth[tail]) * weights[tail])
    value = (1 - p) / p * total + ((overlap[-1] - at_short) / long + at_short / short) * p**long
    return float(min(value, 1.0))  # rounding may exceed 1 by a bit


def _overlap(first: _Places, second: _Places, depth: int) -> Floats:
    """Return the number of documents that both have in their first d ranks, for each d: the mean over orders."""
    i, j = _common(first, second)
    alone = (first.tied[i] == 1) & (second.tied[j] == 1)
    reached = np.maximum(first.above[i], second.above[j])[alone]
    overlap = np.cumsum(np.bincount(reached, minlength=depth)).astype(np.float64)
    depths = np.arange(1.0, depth + 1)
    rest = np.flatnonzero(~alone)
    for begin in range(0, rest.size, _ROWS_AT_ONCE):
        some = rest[begin : begin + _ROWS_AT_ONCE]
        overlap += (_share(first, i[some], depths) * _share(second, j[some], depths)).sum(axis=0)
    return overlap


def _common(first: _Places, second: _Places) -> Int64s:
    """Return the rows of the documents that both have: those in the first, and those in the second."""
    rows = dict(zip(second.ids, range(len(second.ids)), strict=True))
    found = np.array([rows.get(doc, -1) for doc in first.ids], np.int64)
    both = np.flatnonzero(found >= 0)
    return np.stack((both, found[both]))


def _share(places: _Places, rows: Int64s, depths: Floats) -> Floats:
    """Return the share of orders of ties in which each document is in the first d ranks."""
    return np.clip((depths - places.above[rows, None]) / places.tied[rows, None], 0.0, 1.0)


def tau_ap(ranking: Ranking, reference: Ranking, *, symmetric: bool = False, ties: str = "average") -> float:
    """Compute the AP correlation of two rankings: Kendall's tau with more weight on the top of the ranking.

    For each document from rank 2 on, it computes the fraction of the documents above it that are also above it in the
    reference. The mean of these fractions is scaled to the range from -1 to 1 (Yilmaz et al. 2008). Only documents that
    are in both rankings are compared.

    Parameters
    ----------
    ranking, reference : sequence or mapping
        The rankings: document ids, best first, or {document: score}.
    symmetric : bool
        Whether to return the mean of both directions. If False, the top of ``ranking`` counts more.
    ties : {"average", "docid_desc", "docid_asc"}
        The order of documents with equal scores: "average" is the mean over all orders, chosen independently in the two
        rankings; the others order them by document id.

    Returns
    -------
    float
        The correlation: 1 for the same order, -1 for the reverse order; NaN for fewer than two common documents.

    Raises
    ------
    DataError
        If a ranking is not ordered (such as a set), contains a document twice, or has a score that is not a number.
    OptionError
        If the value of an option is not valid.

    References
    ----------
    Yilmaz et al. 2008, A New Rank Correlation Coefficient for Information Retrieval.

    Examples
    --------
    Of the documents above ranks 2 and 3, 0 of 1 and 2 of 2 are above them in the reference: 2 * (0 + 1) / 2 - 1.

    >>> from idealrank.stats import tau_ap
    >>> tau_ap(["b", "a", "c"], ["a", "b", "c"])
    0.0
    """
    own, other = _places(ranking, ties), _places(reference, ties)
    i, j = _common(own, other)
    if i.size < 2:
        return math.nan
    a, b = own.above[i], other.above[j]  # equal in a group of ties
    return (_tau_ap(a, b) + _tau_ap(b, a)) / 2 if symmetric else _tau_ap(a, b)


def _tau_ap(own: Int64s, other: Int64s) -> float:
    """Return AP correlation of two sequences of places; equal places are tied."""
    group, s, t = _grouped(own)
    other = _grouped(other)[0]
    n = own.size
    # The order of the ranking; tied documents by the reference, the last ones first, so that those before a document
    # and above it in the reference are not tied with it.
    order = np.lexsort((-other, group))
    group, other, s, t = group[order], other[order], s[order], t[order]
    starts = np.flatnonzero(np.append(True, (np.diff(group) != 0) | (np.diff(other) != 0)))
    sizes = np.diff(np.append(starts, n))  # of documents that are tied in both
    start, equal = np.repeat(starts, sizes), np.repeat(sizes, sizes)
    smaller, as_large = _counts_before(other)
    certain = smaller + 0.5 * (as_large - (np.arange(n) - start))
    possible = (s + t - start - equal) + 0.5 * (equal - 1)  # of those tied with it, without the document itself
    # The mean over places j = 1 ... t in the group, with s + j - 1 documents above: sums of 1 / (s + j - 1) and of
    # (j - 1) / (s + j - 1) = 1 - s / (s + j - 1).
    harmonic = np.concatenate(([0.0, 0.0], np.cumsum(1 / np.arange(1, n))))  # harmonic[i] = sum of 1 / r for r < i
    inverse = harmonic[s + t] - harmonic[s]
    counted = t - (s == 0)  # rank 1 does not count
    shares = np.where(t > 1, (counted - s * inverse) / np.maximum(t - 1, 1), 0.0)
    return 2 * float(((certain * inverse + possible * shares) / t).sum()) / (n - 1) - 1


def _counts_before(values: Int64s) -> tuple[Int64s, Int64s]:
    """Return for each entry how many of those before it are smaller, and how many are equal.

    Two whole numbers are compared at the first bit in which they differ: an entry with a 1 is larger than those before
    it with a 0 and the same higher bits.
    """
    smaller, as_large = np.zeros(values.size, np.int64), np.empty(values.size, np.int64)
    for bit in range(int(values.max(initial=0)).bit_length()):
        order, starts = _by_value(values >> (bit + 1))
        zeros = 1 - ((values[order] >> bit) & 1)
        before = np.cumsum(zeros) - zeros
        smaller[order] += (1 - zeros) * (before - before[starts])
    order, starts = _by_value(values)
    as_large[order] = np.arange(values.size) - starts
    return smaller, as_large


def _by_value(values: Int64s) -> tuple[Int64s, Int64s]:
    """Return the entries in ascending order, equal ones by place, and where the equal ones of each begin."""
    narrow = values.astype(np.uint16) if values.max(initial=0) < 1 << 16 else values  # NumPy sorts these in linear time
    order = np.argsort(narrow, kind="stable")
    is_new = np.append(True, np.diff(values[order]) != 0)[: values.size]
    return order, np.maximum.accumulate(np.where(is_new, np.arange(values.size), 0))


def _grouped(places: Int64s) -> tuple[Int64s, Int64s, Int64s]:
    """Return the number of each entry's group of equal ones, how many are above it, and its size."""
    _, group, sizes = np.unique(places, return_inverse=True, return_counts=True)
    starts = np.concatenate(([0], np.cumsum(sizes)[:-1]))
    return group, starts[group], sizes[group]


def _places(ranking: Any, ties: str) -> _Places:
    _check(ties, _TIES, "ties")
    if isinstance(ranking, Mapping):
        return _by_score(ranking, ties)
    if isinstance(ranking, (set, frozenset)):
        raise DataError(f"a ranking must have an order, got a {type(ranking).__name__}: pass a list")
    if isinstance(ranking, (str, bytes)) or not hasattr(ranking, "__iter__"):
        raise DataError(f"expected a ranking, ids best first or {{id: score}}, got {type(ranking).__name__}")
    ids = ranking.tolist() if isinstance(ranking, np.ndarray) else list(ranking)
    seen: set[Any] = set()
    for row, doc in enumerate(ids):
        try:
            is_repeated = doc in seen
        except TypeError:
            raise DataError(f"expected document ids, got {type(doc).__name__}", row=row) from None
        if is_repeated:
            raise DataError(f"a ranking must have each document once, got {doc!r} twice", row=row)
        seen.add(doc)
    return _Places(ids, np.arange(len(ids)), np.ones(len(ids), np.int64))


def _by_score(scores: Mapping[Any, float], ties: str) -> _Places:
    ids = list(scores)
    try:
        values = np.array([float(scores[doc]) for doc in ids])
    except (TypeError, ValueError):
        raise DataError("a ranking must have one score per document, {id: score}") from None
    if np.isnan(values).any():
        raise DataError(f"a score must be a number, got nan for {ids[int(np.argmax(np.isnan(values)))]!r}")
    if ties != "average":
        by_id = sorted(range(len(ids)), key=lambda row: str(ids[row]).encode("utf-8", "surrogateescape"))
        by_id = by_id[::-1] if ties == "docid_desc" else by_id
        ids, values = [ids[row] for row in by_id], values[by_id]
        order = np.argsort(-values, kind="stable")
        return _Places([ids[row] for row in order.tolist()], np.arange(len(ids)), np.ones(len(ids), np.int64))
    _, above, tied = _grouped(np.unique(-values, return_inverse=True)[1])
    return _Places(ids, above, tied)


def _persistence(value: Any) -> float:
    try:
        return number(0, 1, is_open=True)(value)
    except OptionError as error:
        raise OptionError(f"p: {error}") from None


def _check(value: object, known: Sequence[str], name: str) -> None:
    if value not in known:
        raise OptionError(f"{name} must be one of {', '.join(map(repr, known))}, got {value!r}")
