"""Slow and obvious answers to compare with."""

import bisect
import functools
import itertools
import math
import statistics
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from idealrank import cutoffs, discounts, gains
from idealrank.data.ranking import RankingData
from idealrank.measures import NDCG, Measure, NDCGPValue

#: What tests draw for the options of measures, wherever they draw; "measure.option" is that of one measure alone.
OPTION_VALUES: dict[str, list[Any]] = {
    "empty": [0, 1, "nan", "skip"],
    "discount": [
        "log",
        "log:10",
        "power:0",
        "power:0.5",
        "zipf",
        "geometric:1.5",
        "linear",
        "letor",
        "table:1:0.5:0.1",
    ],
    "ideal": ["judged", "retrieved"],
    "ndcg.ideal": ["judged", "retrieved", "full"],
    "short": ["as is", "zero"],
    "ideal_cut": ["cutoff", "shorter", "retrieved", "whole"],
    "negative_ideal": ["empty", "divide"],
    "grades": ["binary", "labels", "scaled"],
    "p": [0, 0.5, 0.8, 0.99],
    "max_label": [3, 4.5, 60],
    "min_label": [0, 0.5],
    "goal": [0.3, 1, 2.5],
    "normalized": [True, False],
    "p.denominator": ["cutoff", "retrieved"],
    "ap.denominator": ["relevant", "reachable", "hits"],
    "normalize": ["none", "pairs", "weights"],
    "recall": [0, 0.1, 0.5, 1],
    "rounding": ["up", "nearest"],
    "multiple": [0, 0.5, 1.2, 3],
    "hit": [2, 0.5],
    "false_alarm": [-1, 0.25],
    "miss": [0, -2],
    "weight": [0, 0.5, 1, 2],
    "judged_only": [True, False],
}


def sparse_features(data: RankingData) -> Any:
    """The features, known to be of SciPy, which ships no types."""
    return data.features


def parse_letor(text: str) -> tuple[list[float], list[str], list[dict[int, float]], list[str]]:
    """Labels, query ids, {feature id: float32 value} and document ids of LETOR lines, word by word."""
    labels, queries, features, docs = [], [], [], []
    for line in text.split("\n"):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        body, _, comment = line.partition(" #")
        words = body.split()
        labels.append(float(words[0]))
        queries.append(words[1].removeprefix("qid:"))
        pairs = (word.split(":") for word in words[2:])
        with np.errstate(over="ignore"):
            features.append({int(k): float(np.float32(math.nan if v == "NULL" else float(v))) for k, v in pairs})
        docs.append(comment.partition("docid =")[2].split()[0] if "docid =" in comment else "")
    return labels, queries, features, docs


def dense(rows: list[dict[int, float]]) -> npt.NDArray[np.float32]:
    """The matrix of sparse rows whose columns count from 1."""
    matrix = np.zeros((len(rows), max((max(row, default=0) for row in rows), default=0)), np.float32)
    for i, row in enumerate(rows):
        for column, value in row.items():
            matrix[i, column - 1] = value
    return matrix


def group_rows(query_ids: list[object]) -> dict[object, list[int]]:
    """The rows of each query, both in the order in which they come."""
    rows: dict[object, list[int]] = {}
    for row, query in enumerate(query_ids):
        rows.setdefault(query, []).append(row)
    return rows


class Ranking(NamedTuple):
    """Labels in rank order, NaN for an unjudged document; the labels of all judged documents; scores in rank order."""

    labels: tuple[float, ...]
    judged: tuple[float, ...]
    scores: tuple[float, ...] = ()


#: What gains, discounts and cutoffs are drawn from, by the names of their classes.
_positive = st.floats(0, 1e6, allow_subnormal=False)
GAINS: dict[str, st.SearchStrategy[gains.Gain]] = {
    "Exp2": st.one_of(st.none(), st.floats(100, 1e6)).map(gains.Exp2),
    "Linear": st.just(gains.Linear()),
    "Binary": st.builds(gains.Binary, _positive),
    "Table": st.one_of(
        st.lists(_positive, min_size=1, max_size=5).map(gains.Table),
        st.dictionaries(_positive, _positive, min_size=1, max_size=5).map(gains.Table),
    ),
    "Partial": st.dictionaries(_positive, _positive, min_size=1, max_size=5).map(gains.Partial),
}
DISCOUNTS: dict[str, st.SearchStrategy[discounts.Discount]] = {
    "Log": st.builds(discounts.Log, st.floats(1, 100, exclude_min=True)),
    "Power": st.builds(discounts.Power, st.floats(0, 5)),
    "Zipf": st.just(discounts.Zipf()),
    "Geometric": st.builds(discounts.Geometric, st.floats(1.001, 10)),
    "Linear": st.just(discounts.Linear()),
    "Letor": st.just(discounts.Letor()),
    "Table": st.lists(st.floats(0.01, 1e6), min_size=1, max_size=6).map(
        lambda weights: discounts.Table(sorted(weights, reverse=True))
    ),
}
_fractions = st.floats(0, 1, exclude_min=True, exclude_max=True)
CUTOFFS: dict[str, st.SearchStrategy[cutoffs.Cutoff]] = {
    "Rank": st.builds(cutoffs.Rank, st.integers(1, 2**53)),
    "Fraction": st.builds(cutoffs.Fraction, _fractions),
    "Power": st.builds(cutoffs.Power, _fractions),
}


def gain_of(gain: gains.Gain, label: float) -> float:
    """The gain of one label; of an unjudged document 0."""
    if math.isnan(label):
        return 0.0
    match gain:
        case gains.Exp2():
            return float(2.0**label) - 1
        case gains.Linear():
            return label
        case gains.Binary(rel):
            return 1.0 if label >= rel else 0.0
        case gains.Partial(labels, worth):
            return dict(zip(labels, worth, strict=True)).get(label, label)
        case gains.Table(labels, worth):
            return dict(zip(labels, worth, strict=True))[label]
    raise NotImplementedError(f"no oracle for the gain {gain!r}: write one here")


def discount_of(discount: discounts.Discount, rank: int, n: int) -> float:
    """The weight of one rank in a list of n documents."""
    match discount:
        case discounts.Log(base):
            return math.log(base) / math.log(1 + rank)
        case discounts.Power(beta):
            return float(rank**-beta)
        case discounts.Zipf():
            return 1 / rank
        case discounts.Geometric(base):
            return float(float(base) ** -rank)
        case discounts.Linear():
            return float(max(n - rank, 0))
        case discounts.Letor():
            return 1.0 if rank <= 2 else math.log(2) / math.log(rank)
        case discounts.Table(values):
            return values[rank - 1] if rank <= len(values) else 0.0
    raise NotImplementedError(f"no oracle for the discount {discount!r}: write one here")


def depth_of(cutoff: cutoffs.Cutoff | None, n: int) -> int | None:
    """k of a list of n documents; None without a cutoff."""
    match cutoff:
        case None:
            return None
        case cutoffs.Rank(k):
            return k
        case cutoffs.Fraction(c):
            return max(1, math.floor(c * n + 1e-9))
        case cutoffs.Power(exponent):
            return max(1, math.floor(float(n**exponent) + 1e-9))
    raise NotImplementedError(f"no oracle for the cutoff {cutoff!r}: write one here")


def _top(m: Any, ranking: Ranking) -> tuple[float, ...]:
    return ranking.labels[: depth_of(m.cutoff, len(ranking.labels))]


def _n_relevant(m: Any, labels: Iterable[float]) -> int:
    return sum(label >= m.rel for label in labels)


def _known(m: Any, ranking: Ranking) -> tuple[float, ...]:
    return ranking.labels if m.ideal == "retrieved" else ranking.judged


def _discounted(gain: gains.Gain, discount: discounts.Discount, labels: Sequence[float], n: int) -> float:
    return math.fsum(gain_of(gain, label) * discount_of(discount, r, n) for r, label in enumerate(labels, 1))


def _has_gain(gain: gains.Gain, labels: Iterable[float]) -> bool:
    return any(gain_of(gain, label) > 0 for label in labels)


def _dcg(m: Any, ranking: Ranking) -> float | None:
    if not _has_gain(m.gain, ranking.judged):
        return None
    return _discounted(m.gain, m.discount, _top(m, ranking), len(ranking.labels))


def _normalized(m: Any, discount: discounts.Discount, ranking: Ranking) -> float | None:
    n = len(ranking.labels)
    k = depth_of(m.cutoff, n)
    known = _known(m, ranking)
    if not _has_gain(m.gain, known):
        return None
    best_first = sorted(known, key=lambda label: -gain_of(m.gain, label))
    if m.ideal == "full":
        ideal = math.fsum(discount_of(discount, r + 1, n) for r in range(max(n, len(known)) if k is None else k))
    else:
        ends = {"shorter": n if k is None else min(k, n), "retrieved": n, "whole": None}
        ideal = _discounted(m.gain, discount, best_first[: ends.get(getattr(m, "ideal_cut", None) or "cutoff", k)], n)
    if ideal == 0:
        return None
    return _discounted(m.gain, discount, ranking.labels[:k], n) / ideal


def _ndcg(m: Any, ranking: Ranking) -> float | None:
    k = depth_of(m.cutoff, len(ranking.labels))
    if m.short == "zero" and k is not None and len(ranking.labels) < k and _has_gain(m.gain, _known(m, ranking)):
        return 0.0
    return _normalized(m, m.discount, ranking)


def _linear_ndcg(m: Any, ranking: Ranking) -> float | None:
    return _normalized(m, discounts.Linear(), ranking)


def _rbp(m: Any, ranking: Ranking) -> float | None:
    p = float(m.p)
    if m.grades in ("labels", "scaled"):
        highest = max(ranking.judged, default=0.0)
        if highest <= 0:
            return None
        unit = max(highest, 1.0) if m.grades == "scaled" else 1.0
        return (1 - p) * math.fsum(p**i * label / unit for i, label in enumerate(_top(m, ranking)) if label > 0)
    if not _n_relevant(m, ranking.judged):
        return None
    return (1 - p) * math.fsum(p**i for i, label in enumerate(_top(m, ranking)) if label >= m.rel)


def _precision(m: Any, ranking: Ranking) -> float | None:
    if not _n_relevant(m, _known(m, ranking)):
        return None
    top = _top(m, ranking)
    k = depth_of(m.cutoff, len(ranking.labels))
    if m.short == "zero" and k is not None and len(ranking.labels) < k:
        return 0.0
    divisor = len(top) if k is None or m.denominator == "retrieved" else k
    return _n_relevant(m, top) / divisor if divisor else 0.0


def _recall(m: Any, ranking: Ranking) -> float | None:
    relevant = _n_relevant(m, _known(m, ranking))
    return _n_relevant(m, _top(m, ranking)) / relevant if relevant else None


def _f1(m: Any, ranking: Ranking) -> float | None:
    recall = _recall(m, ranking)
    if recall is None:
        return None
    hits = _n_relevant(m, _top(m, ranking))
    k = depth_of(m.cutoff, len(ranking.labels))
    precision = hits / (len(ranking.labels) if k is None else k) if hits else 0.0
    return 2 * precision * recall / (precision + recall) if hits else 0.0


def _r_precision(m: Any, ranking: Ranking) -> float | None:
    relevant = _n_relevant(m, _known(m, ranking))
    return _n_relevant(m, ranking.labels[:relevant]) / relevant if relevant else None


def _hit_rate(m: Any, ranking: Ranking) -> float | None:
    if not _n_relevant(m, _known(m, ranking)):
        return None
    return 1.0 if _n_relevant(m, _top(m, ranking)) else 0.0


def _rr(m: Any, ranking: Ranking) -> float | None:
    if not _n_relevant(m, _known(m, ranking)):
        return None
    return next((1 / rank for rank, label in enumerate(_top(m, ranking), 1) if label >= m.rel), 0.0)


def _ap(m: Any, ranking: Ranking) -> float | None:
    relevant = _n_relevant(m, _known(m, ranking))
    if not relevant:
        return None
    top = _top(m, ranking)
    precisions = [_n_relevant(m, top[:rank]) / rank for rank, label in enumerate(top, 1) if label >= m.rel]
    k = depth_of(m.cutoff, len(ranking.labels))
    reachable = relevant if k is None else min(relevant, k)
    divisor = {"relevant": relevant, "reachable": reachable, "hits": len(precisions)}[m.denominator]
    return math.fsum(precisions) / divisor if divisor else 0.0


def _bpref(m: Any, ranking: Ranking) -> float | None:
    relevant = _n_relevant(m, _known(m, ranking))
    if not relevant:
        return None
    others = sum(label < m.rel for label in _known(m, ranking))
    value = 0.0
    for i, label in enumerate(ranking.labels):
        if label >= m.rel:
            above = sum(other < m.rel for other in ranking.labels[:i])
            value += 1 - min(above, relevant) / min(relevant, others) if above else 1
    return value / relevant


def _err(m: Any, ranking: Ranking) -> float | None:
    if not any(label > 0 for label in ranking.judged):
        return None
    value, reads_on = 0.0, 1.0
    for rank, label in enumerate(_top(m, ranking), 1):
        stops = gain_of(gains.Exp2(), label) / 2**m.max_label
        value += reads_on * stops / rank
        reads_on *= 1 - stops
    return value


def _judged(m: Any, ranking: Ranking) -> float:
    top = _top(m, ranking)
    return sum(not math.isnan(label) for label in top) / len(top) if top else 0.0


def _pairs(ranking: Ranking) -> list[tuple[float, float]]:
    """(label above, label below) of the pairs of different labels; an unjudged document counts as 0."""
    labels = [0.0 if math.isnan(label) else label for label in ranking.labels]
    return [(a, b) for a, b in itertools.combinations(labels, 2) if a != b]


def _kendall_tau(m: Any, ranking: Ranking) -> float | None:
    pairs = _pairs(ranking)
    return sum(1 if a > b else -1 for a, b in pairs) / len(pairs) if pairs else None


def _pairwise_error(m: Any, ranking: Ranking) -> float | None:
    pairs = _pairs(ranking)
    if not pairs:
        return None
    error = math.fsum(b - a for a, b in pairs if a < b)
    return error / {"none": 1, "pairs": len(pairs), "weights": math.fsum(abs(b - a) for a, b in pairs)}[m.normalize]


def _auc(m: Any, ranking: Ranking) -> float | None:
    binary = tuple(gain_of(gains.Binary(m.rel), label) for label in ranking.labels)
    pairs = _pairs(Ranking(binary, ()))
    return sum(a > b for a, b in pairs) / len(pairs) if pairs else None


def _tied(m: Any, ranking: Ranking) -> float:
    top = ranking.scores[: depth_of(m.cutoff, len(ranking.labels))]
    return sum(ranking.scores.count(score) > 1 for score in top) / len(top) if top else 0.0


def _hits(m: Any, ranking: Ranking) -> list[tuple[int, float]]:
    """(rank, precision there) of the relevant documents."""
    labels = ranking.labels
    return [(k, _n_relevant(m, labels[:k]) / k) for k in range(1, len(labels) + 1) if labels[k - 1] >= m.rel]


def _interpolated(m: Any, recall: float, relevant: int, hits: list[tuple[int, float]]) -> float:
    wanted = recall * relevant
    needed = math.floor(wanted + (0.9 if m.rounding == "up" else 0.5))
    return max((precision for _, precision in hits[max(needed, 1) - 1 :]), default=0.0)


def _iprec(m: Any, ranking: Ranking) -> float | None:
    relevant = _n_relevant(m, _known(m, ranking))
    return _interpolated(m, m.recall, relevant, _hits(m, ranking)) if relevant else None


def _eleven_point(m: Any, ranking: Ranking) -> float | None:
    relevant, hits = _n_relevant(m, _known(m, ranking)), _hits(m, ranking)
    return statistics.fmean(_interpolated(m, i / 10, relevant, hits) for i in range(11)) if relevant else None


def _inf_ap(m: Any, ranking: Ranking) -> float | None:
    relevant = _n_relevant(m, _known(m, ranking))
    if not relevant:
        return None
    total = 0.0
    for rank, _ in _hits(m, ranking):
        above = [label for label in ranking.labels[: rank - 1] if not math.isnan(label)]
        hits = _n_relevant(m, above)
        share = len(above) / (rank - 1) if rank > 1 else 0.0
        total += 1 / rank + (rank - 1) / rank * share * (hits + 1e-5) / (len(above) + 2e-5)
    return total / relevant


def _rprec_mult(m: Any, ranking: Ranking) -> float | None:
    relevant = _n_relevant(m, _known(m, ranking))
    depth = math.floor(m.multiple * relevant + 0.9)
    return (_n_relevant(m, ranking.labels[:depth]) / depth if depth else 0.0) if relevant else None


def _bin_g(m: Any, ranking: Ranking) -> float | None:
    relevant = _n_relevant(m, _known(m, ranking))
    ranks = [rank for rank, _ in _hits(m, ranking)]
    return sum(1 / math.log2(2 + rank - i) for i, rank in enumerate(ranks, 1)) / relevant if relevant else None


def _yaap(m: Any, ranking: Ranking) -> float | None:
    relevant, total = _n_relevant(m, _known(m, ranking)), math.fsum(p for _, p in _hits(m, ranking))
    return math.log(1 + total) - math.log(1 + relevant - total) if relevant else None


def _set_map(m: Any, ranking: Ranking) -> float | None:
    relevant, hits, n = _n_relevant(m, _known(m, ranking)), _n_relevant(m, ranking.labels), len(ranking.labels)
    return (hits / n * hits / relevant if n else 0.0) if relevant else None


def _set_relative_p(m: Any, ranking: Ranking) -> float | None:
    relevant, hits, n = _n_relevant(m, _known(m, ranking)), _n_relevant(m, ranking.labels), len(ranking.labels)
    return (max(hits / n, hits / relevant) if n else 0.0) if relevant else None


def _relative_p(m: Any, ranking: Ranking) -> float | None:
    relevant, k = _n_relevant(m, _known(m, ranking)), depth_of(m.cutoff, len(ranking.labels))
    return _n_relevant(m, _top(m, ranking)) / min(relevant, relevant if k is None else k) if relevant else None


def _utility(m: Any, ranking: Ranking) -> float:
    relevant, hits = _n_relevant(m, _known(m, ranking)), _n_relevant(m, ranking.labels)
    missed = m.false_alarm * (len(ranking.labels) - hits) + m.miss * (relevant - hits)
    return float(m.hit * hits + missed)


def _unj(m: Any, ranking: Ranking) -> float:
    depth = depth_of(m.cutoff, len(ranking.labels)) or len(ranking.labels)
    return sum(map(math.isnan, _top(m, ranking))) / depth if depth else 0.0


def _rbp_resid(m: Any, ranking: Ranking) -> float:
    p, n = m.p, len(ranking.labels)
    unjudged = [p**i for i, label in enumerate(ranking.labels) if math.isnan(label)]
    return float(p**n + (1 - p) * math.fsum(unjudged)) if unjudged else 0.0


def _log(of: Callable[[Any, Ranking], float | None]) -> Callable[[Any, Ranking], float]:
    def log(m: Any, ranking: Ranking) -> float:
        value = of(m, ranking)
        if value is None:
            value = math.nan if isinstance(m.empty, str) else m.empty
        return math.log(max(value, 1e-5)) if not math.isnan(value) else math.nan

    return log


def _plain_ap(m: Any, ranking: Ranking) -> float | None:
    relevant = _n_relevant(m, _known(m, ranking))
    return math.fsum(precision for _, precision in _hits(m, ranking)) / relevant if relevant else None


def _set_f(m: Any, ranking: Ranking) -> float | None:
    relevant, hits, n = _n_relevant(m, _known(m, ranking)), _n_relevant(m, ranking.labels), len(ranking.labels)
    if not relevant or not hits:
        return 0.0 if relevant else None
    precision, recall = hits / n, hits / relevant
    return float((m.weight + 1) * precision * recall / (recall + m.weight * precision))


def _scaled(m: Any, label: float) -> float:
    """The gain from 0 to 1 of a measure of continuation."""
    return (
        0.0
        if math.isnan(label)
        else (min(max(label, m.min_label), m.max_label) - m.min_label) / (m.max_label - m.min_label)
    )


def _continued(m: Any, ranking: Ranking, go_on: Callable[[int, float], float]) -> float | None:
    """The expected gain of a user who goes on from rank r with probability go_on(r, gain so far), in 1,000 ranks."""
    if not any(_scaled(m, label) > 0 for label in ranking.judged):
        return None
    reached, value, reads, so_far = 1.0, 0.0, 0.0, 0.0
    for rank in range(1, 1001):
        gain = _scaled(m, ranking.labels[rank - 1]) if rank <= len(ranking.labels) else 0.0
        value, reads, so_far = value + reached * gain, reads + reached, so_far + gain
        reached *= go_on(rank, so_far)
    return value / reads


def _insq(m: Any, ranking: Ranking) -> float | None:
    return _continued(m, ranking, lambda r, _: ((r + 2 * m.goal - 1) / (r + 2 * m.goal)) ** 2)


def _inst(m: Any, ranking: Ranking) -> float | None:
    return _continued(m, ranking, lambda r, g: ((r + 2 * m.goal - g - 1) / (r + 2 * m.goal - g)) ** 2)


def _bpm(m: Any, ranking: Ranking) -> float | None:
    depth = depth_of(m.cutoff, len(ranking.labels)) or 1000
    return _continued(m, ranking, lambda r, g: float(g < m.goal and r < depth))


def _sdcg(m: Any, ranking: Ranking) -> float | None:
    depth = depth_of(m.cutoff, len(ranking.labels)) or 1000
    own = [_scaled(m, label) / math.log2(rank + 1) for rank, label in enumerate(ranking.labels[:depth], 1)]
    if not any(_scaled(m, label) > 0 for label in ranking.judged):
        return None
    return math.fsum(own) / math.fsum(1 / math.log2(rank + 1) for rank in range(1, depth + 1)) if own else 0.0


def _compat(m: Any, ranking: Ranking) -> float | None:
    """Overlaps of sets of documents, which are numbers: first the retrieved ones, in rank order."""
    missed = list(ranking.judged)
    for label in ranking.labels:
        if not math.isnan(label):
            missed.remove(label)
    documents = dict(enumerate([*ranking.labels, *missed]))
    ideal = sorted((doc for doc, label in documents.items() if label > 0), key=lambda doc: -documents[doc])
    ranked, depth = list(range(len(ranking.labels))), max(len(ranking.labels), len(ideal))

    def rbo(ranked: list[int]) -> float:
        overlaps = (len(set(ranked[:k]) & set(ideal[:k])) / k for k in range(1, depth + 1))
        return math.fsum(m.p**i * overlap for i, overlap in enumerate(overlaps))

    if not ideal:
        return None
    return rbo(ranked) / (rbo(ideal) if m.normalized else math.fsum(m.p**i for i in range(depth)))


def _pair_accuracy(m: Any, ranking: Ranking) -> float | None:
    first = [label >= m.rel for label in _top(m, ranking)]
    pairs = [(a, b) for a, b in itertools.combinations(first, 2) if a != b]
    return sum(a > b for a, b in pairs) / len(pairs) if pairs else None


def _positive_gains(m: Any, labels: Iterable[float]) -> list[float]:
    """Gains of the measure itself: which are above 0, and which are equal, may depend on the last bit."""
    return [0.0 if math.isnan(label) else max(float(m.gain([label])[0]), 0.0) for label in labels]


def _best_gains(m: Any, ranking: Ranking) -> list[float]:
    return sorted(filter(None, _positive_gains(m, _known(m, ranking))), reverse=True)


def _g(m: Any, ranking: Ranking) -> float | None:
    best, value, cost, so_far = _best_gains(m, ranking), 0.0, 0.0, 0.0
    for i, gain in enumerate(_positive_gains(m, ranking.labels)):
        cost, so_far = cost + max(best[i] if i < len(best) else 0.0, 1.0), so_far + gain
        value += gain / math.log2(2 + (cost - so_far)) if gain else 0.0
    return value / math.fsum(best) if best else None


def _ndcg_at(own: Sequence[float], best: Sequence[float], k: int) -> float:
    first, ideal = own[:k], best[:k]
    return math.fsum(g / math.log2(r + 1) for r, g in enumerate(first, 1)) / math.fsum(
        g / math.log2(r + 1) for r, g in enumerate(ideal, 1)
    )


def _ndcg_rel(m: Any, ranking: Ranking) -> float | None:
    own, best = _positive_gains(m, ranking.labels), _best_gains(m, ranking)
    ranks = [rank for rank, gain in enumerate(own, 1) if gain]
    ends = [max(len(own), len(best))] * (len(best) - len(ranks))
    return statistics.fmean(_ndcg_at(own, best, k) for k in [*ranks, *ends]) if best else None


def _rndcg(m: Any, ranking: Ranking) -> float | None:
    own, best = _positive_gains(m, ranking.labels), _best_gains(m, ranking)
    falls = [k for k in range(1, len(best) + 1) if k == len(best) or best[k] != best[k - 1]]
    falls += [len(own)] if len(own) > len(best) + 1 else []
    return statistics.fmean(_ndcg_at(own, best, k) for k in falls) if best else None


def _ideal_dcg(m: Any, ranking: Ranking) -> float | None:
    best, n = _best_gains(m, ranking), len(ranking.labels)
    first = best[: depth_of(m.cutoff, n)]
    return math.fsum(g * discount_of(m.discount, r, n) for r, g in enumerate(first, 1)) if best else None


class _Orders(NamedTuple):
    """NDCG of every order of the ranked documents."""

    values: list[float]
    mean: float
    sd: float

    def share_from(self, value: float) -> float:
        """The share of values that are at least this one, but for rounding."""
        return 1 - bisect.bisect_left(self.values, value * (1 - 1e-12)) / len(self.values)

    def differ(self) -> bool:
        """Whether it is not rounding alone that makes them different."""
        return self.values[-1] > self.values[0] * (1 + 1e-12)


@functools.lru_cache(maxsize=32)
def _all_orders(m: Any, labels: tuple[float, ...], judged: tuple[float, ...]) -> _Orders | None:
    values = [_normalized(m, m.discount, Ranking(order, judged)) for order in itertools.permutations(labels)]
    defined = sorted(value for value in values if value is not None)
    return _Orders(defined, statistics.fmean(defined), statistics.pstdev(defined)) if defined else None


def _orders(m: Any, ranking: Ranking) -> _Orders | None:
    return _all_orders(m, tuple(sorted(ranking.labels, key=str)), ranking.judged)


def _random_ndcg(m: Any, ranking: Ranking) -> float | None:
    orders = _orders(m, ranking)
    return None if orders is None else orders.mean


def _corrected_ndcg(m: Any, ranking: Ranking) -> float | None:
    value, orders = _normalized(m, m.discount, ranking), _orders(m, ranking)
    if value is None or orders is None:
        return None
    return (value - orders.mean) / (1 - orders.mean) if orders.differ() else 0.0


def _ndcg_z(m: Any, ranking: Ranking) -> float | None:
    value, orders = _normalized(m, m.discount, ranking), _orders(m, ranking)
    if value is None or orders is None:
        return None
    return (value - orders.mean) / orders.sd if orders.differ() else 0.0


def _ndcg_p(m: Any, ranking: Ranking) -> float | None:
    value, orders = _normalized(m, m.discount, ranking), _orders(m, ranking)
    if value is None or orders is None:
        return None if isinstance(m.empty, str) else 1.0  # all orders are equally good
    return orders.share_from(value)


#: The value of a filled-in measure for one ranking; None where it is undefined.
MEASURES: dict[str, Callable[[Any, Ranking], float | None]] = {
    "AP": _ap,
    "AUC": _auc,
    "BPM": _bpm,
    "BinaryGain": _bin_g,
    "Bpref": _bpref,
    "Compatibility": _compat,
    "CorrectedNDCG": _corrected_ndcg,
    "DCG": _dcg,
    "ERR": _err,
    "ElevenPoint": _eleven_point,
    "F1": _f1,
    "GainOverCost": _g,
    "GeometricAP": _plain_ap,
    "GeometricBpref": _bpref,
    "HitRate": _hit_rate,
    "INSQ": _insq,
    "INST": _inst,
    "IdealDCG": _ideal_dcg,
    "InferredAP": _inf_ap,
    "InterpolatedPrecision": _iprec,
    "Judged": _judged,
    "KendallTau": _kendall_tau,
    "LinearNDCG": _linear_ndcg,
    "LogAP": _log(_plain_ap),
    "LogBpref": _log(_bpref),
    "NDCG": _ndcg,
    "NDCGAtFalls": _rndcg,
    "NDCGAtRelevant": _ndcg_rel,
    "NDCGPValue": _ndcg_p,
    "NDCGZScore": _ndcg_z,
    "NonrelevantRetrieved": lambda m, ranking: float(sum(label < m.rel for label in ranking.labels)),
    "PairAccuracy": _pair_accuracy,
    "PairwiseError": _pairwise_error,
    "Precision": _precision,
    "Queries": lambda m, ranking: 1.0,
    "RBP": _rbp,
    "RBPResidual": _rbp_resid,
    "RPrecision": _r_precision,
    "RPrecisionMultiple": _rprec_mult,
    "RR": _rr,
    "RandomNDCG": _random_ndcg,
    "Recall": _recall,
    "RelativePrecision": _relative_p,
    "Relevant": lambda m, ranking: float(_n_relevant(m, _known(m, ranking))),
    "RelevantRetrieved": lambda m, ranking: float(_n_relevant(m, ranking.labels)),
    "Retrieved": lambda m, ranking: float(len(ranking.labels)),
    "ScaledDCG": _sdcg,
    "SetF": _set_f,
    "SetMAP": _set_map,
    "SetRelativePrecision": _set_relative_p,
    "Tied": _tied,
    "Unjudged": _unj,
    "Utility": _utility,
    "YAAP": _yaap,
}


def measure_value(
    m: Measure, labels: Iterable[float], judged: Iterable[float] | None = None, scores: Iterable[float] = ()
) -> float:
    """The value of a measure for labels in rank order; ``judged`` are the labels of all judged documents."""
    ranked = tuple(labels)
    ranking = Ranking(ranked, ranked if judged is None else tuple(judged), tuple(scores))
    filled = m.with_convention()
    value = MEASURES[type(m).__name__](filled, ranking)
    if value is None:
        return math.nan if isinstance(filled.empty, str) else float(filled.empty or 0)
    return value


def tie_groups(labels: Sequence[float], scores: Sequence[float]) -> list[list[float]]:
    """Labels by falling score; one group a score, in input order."""
    return [
        [label for label, score in zip(labels, scores, strict=True) if score == level]
        for level in sorted(set(scores), reverse=True)
    ]


def left(m: Measure, labels: Sequence[float], scores: Sequence[float]) -> tuple[list[float], list[float]]:
    """Labels and scores of the documents that the measure looks at."""
    pairs = zip(labels, scores, strict=True)
    left = [pair for pair in pairs if not (m.judged_only and math.isnan(pair[0]))]
    return [label for label, _ in left], [score for _, score in left]


def tie_values(
    m: Measure, labels: Sequence[float], scores: Sequence[float], judged: Sequence[float] | None = None
) -> list[float]:
    """The value of every order of documents with equal scores; orders that look alike are taken once.

    Each order of the labels of a group stands for equally many orders of its documents, so the mean is the same.
    """
    pool = labels if judged is None else judged
    labels, scores = left(m, labels, scores)
    ranked_scores = sorted(scores, reverse=True)
    orders = [sorted(set(itertools.permutations(group))) for group in tie_groups(labels, scores)]
    return [measure_value(m, itertools.chain(*order), pool, ranked_scores) for order in itertools.product(*orders)]


def _p_value_of_mean(m: NDCGPValue, labels: Sequence[float], scores: Sequence[float], judged: Sequence[float]) -> float:
    """The p-value of the averaged NDCG, which is not the mean of the p-values."""
    filled: Any = m.with_convention()
    options = {name: getattr(filled, name) for name in ("cutoff", "empty", "gain", "discount", "ideal")}
    mean = statistics.fmean(tie_values(NDCG(**options), labels, scores, judged))
    orders = _orders(filled, Ranking(tuple(labels), tuple(judged)))
    if orders is None:
        return math.nan if isinstance(filled.empty, str) else 1.0
    return orders.share_from(mean)


def tied_values(
    m: Measure, labels: Sequence[float], scores: Sequence[float], judged: Sequence[float] | None = None
) -> dict[str, float]:
    """What each ``ties`` means, by going through all orders; of an error and of a p-value the least is the best."""
    pool = labels if judged is None else judged
    labels, scores = left(m, labels, scores)
    groups, ranked_scores = tie_groups(labels, scores), sorted(scores, reverse=True)
    every = tie_values(m, labels, scores, judged)
    least, greatest = min(every), max(every)
    return {
        "average": _p_value_of_mean(m, labels, scores, pool) if isinstance(m, NDCGPValue) else statistics.fmean(every),
        "stable": measure_value(m, itertools.chain(*groups), pool, ranked_scores),
        "reverse": measure_value(m, itertools.chain(*(group[::-1] for group in groups)), pool, ranked_scores),
        "best": least if m.lower_is_better else greatest,
        "worst": greatest if m.lower_is_better else least,
    }
