"""Functions that compute NDCG in one way or another, right and wrong, for `identify` to tell what they do."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np


class Box(NamedTuple):
    """A function, and what must be said of it."""

    function: Callable[..., Any]
    options: Mapping[str, str] = {}
    #: Words of each defect that must be named; no other defect may be.
    defects: tuple[str, ...] = ()
    presets: tuple[str, ...] | None = None
    status: str = "identified"


def log_dcg(gains: Iterable[float]) -> float:
    return float(sum(gain / math.log2(place + 2) for place, gain in enumerate(gains)))


def by_score(labels: Sequence[float], scores: Sequence[float]) -> list[float]:
    pairs = sorted(zip(scores, labels, strict=True), key=lambda pair: -pair[0])
    return [label for _, label in pairs]


def exp_gain(label: float) -> float:
    return float(2.0**label - 1)


def made(
    gain: Callable[[float], float] = float,
    dcg: Callable[[Iterable[float]], float] = log_dcg,
    empty: float = 0.0,
    ideal: Callable[[list[float], list[float], int], float] | None = None,
    order: Callable[[Sequence[float], Sequence[float]], list[float]] = by_score,
    cut: Callable[[list[float], int], list[float]] = lambda ranked, k: ranked[:k],
    finish: Callable[[float], float] = float,
) -> Callable[..., float]:
    """A function of labels, scores and k, made of parts."""

    def ndcg(labels: Sequence[float], scores: Sequence[float], k: int) -> float:
        ranked = [gain(label) for label in order(list(labels), list(scores))]
        best = sorted((gain(label) for label in labels), reverse=True)
        below = dcg(best[:k]) if ideal is None else ideal(ranked, list(labels), k)
        return finish(dcg(cut(ranked, k)) / below if below else empty)

    return ndcg


def letor_dcg(gains: Iterable[float]) -> float:
    return sum(gain / (1 if place < 1 else math.log2(place + 1)) for place, gain in enumerate(gains))


def shifted_dcg(gains: Iterable[float]) -> float:
    return sum(gain / math.log2(place + 3) for place, gain in enumerate(gains))


def natural_dcg(gains: Iterable[float]) -> float:
    return sum(gain / math.log(place + 2) for place, gain in enumerate(gains))


def zipf_dcg(gains: Iterable[float]) -> float:
    return sum(gain / (place + 1) for place, gain in enumerate(gains))


def gist(r: Sequence[float], k: int) -> float:
    """Labels in rank order; ranks 1 and 2 count the same; the ideal is that of the list given."""

    def dcg(values: Sequence[float]) -> float:
        first = np.asarray(values, float)[:k]
        return float(first[0] + np.sum(first[1:] / np.log2(np.arange(2, first.size + 1)))) if first.size else 0.0

    best = dcg(sorted(r, reverse=True))
    return dcg(r) / best if best else 0.0


def of_ranked_labels(relevances: Sequence[float], k: int = 10) -> float:
    best = log_dcg(sorted(relevances, reverse=True)[:k])
    return log_dcg(relevances[:k]) / best if best else 0.0


def recommended(recommended: Sequence[str], relevant: Iterable[str], k: int = 10) -> float:
    wanted = set(relevant)
    hits = [float(item in wanted) for item in recommended[:k]]
    best = log_dcg([1.0] * min(len(wanted), k))
    return log_dcg(hits) / best if best else 0.0


def hits_only(recommended: Sequence[str], relevant: Sequence[str], k: int) -> float:
    """The ideal has as many relevant documents as were found."""
    hits = [float(item in relevant) for item in recommended[:k]]
    best = log_dcg(sorted(hits, reverse=True))
    return log_dcg(hits) / best if best else 0.0


def full_ideal(predicted: Sequence[str], actual: Sequence[str], k: int) -> float:
    return log_dcg([float(item in actual) for item in predicted[:k]]) / log_dcg([1.0] * k)


def nested(qrels: Mapping[str, Mapping[str, int]], run: Mapping[str, Mapping[str, float]]) -> float:
    """As trec_eval: ties by descending id, the mean over the queries of both."""
    values = []
    for query in qrels.keys() & run.keys():
        docs = sorted(sorted(run[query], reverse=True), key=lambda doc: -run[query][doc])
        labels = [max(qrels[query].get(doc, 0), 0) for doc in docs]
        best = log_dcg(sorted((max(label, 0) for label in qrels[query].values()), reverse=True))
        values.append(log_dcg(labels) / best if best else 0.0)
    return sum(values) / len(values)


def nested_retrieved(run: Mapping[str, Mapping[str, float]], qrels: Mapping[str, Mapping[str, int]], k: int) -> float:
    """The ideal is over what was retrieved; a query that was not retrieved counts 0."""
    total = 0.0
    for query, judged in qrels.items():
        docs = sorted(run.get(query, {}), key=lambda doc: -run[query][doc])
        labels = [exp_gain(judged.get(doc, 0)) for doc in docs]
        best = log_dcg(sorted(labels, reverse=True)[:k])
        total += log_dcg(labels[:k]) / best if best else 0.0
    return total / len(qrels)


def micro(y_true: Any, y_score: Any) -> float:
    above = below = 0.0
    for labels, scores in zip(y_true, y_score, strict=True):
        above += log_dcg(by_score(labels, scores))
        below += log_dcg(sorted(labels, reverse=True))
    return above / below if below else 0.0


def graded_judged(ranked: Sequence[str], judged: Mapping[str, float], k: int) -> float:
    best = log_dcg(sorted(map(exp_gain, judged.values()), reverse=True)[:k])
    return log_dcg(exp_gain(judged.get(doc, 0)) for doc in ranked[:k]) / best if best else 0.0


def condensed(ranked: Sequence[str], judged: Mapping[str, float]) -> float:
    """Unjudged documents are left out of the ranking."""
    best = log_dcg(sorted(judged.values(), reverse=True))
    return log_dcg(judged[doc] for doc in ranked if doc in judged) / best if best else 0.0


def scores_first(y_pred: Any, y_true: Any, k: int = 5) -> float:
    order = sorted(range(len(y_pred)), key=lambda place: (-y_pred[place], -place))
    labels = [y_true[place] for place in order]
    best = log_dcg(sorted(y_true, reverse=True)[:k])
    return log_dcg(labels[:k]) / best if best else math.nan


def own_cutoff(a: Sequence[float], b: Sequence[float]) -> float:
    """Names that say nothing; cut at 10."""
    best = log_dcg(sorted(map(exp_gain, a), reverse=True)[:10])
    return log_dcg(map(exp_gain, by_score(a, b)[:10])) / best if best else 0.0


def ideal_uncut_own(labels: Sequence[float], scores: Sequence[float]) -> float:
    best = log_dcg(sorted(labels, reverse=True))
    return log_dcg(by_score(labels, scores)[:5]) / best if best else 0.0


def integers_only(labels: Sequence[float], scores: Sequence[float], k: int) -> float:
    table = [0, 1, 3, 7, 15, 31]
    own = [table[label] for label in map(_index, labels)]
    best = log_dcg(sorted(own, reverse=True)[:k])
    return log_dcg(by_score(own, scores)[:k]) / best if best else 1.0


def _index(label: float) -> int:
    if label < 0 or label != int(label):
        raise ValueError("labels are indices")
    return int(label)


def short_is_zero(labels: Sequence[float], scores: Sequence[float], k: int) -> float:
    if len(labels) < k:
        return 0.0
    best = letor_dcg(sorted(map(exp_gain, labels), reverse=True)[:k])
    return letor_dcg([*map(exp_gain, by_score(labels, scores))][:k]) / best if best else 0.0


def tied_mean(labels: Sequence[float], scores: Sequence[float]) -> float:
    labels_, scores_ = np.asarray(labels, float), np.asarray(scores, float)
    means = [labels_[scores_ == score].mean() for score in by_score(scores_.tolist(), scores_.tolist())]
    best = log_dcg(sorted(labels, reverse=True))
    return log_dcg(means) / best if best else 0.0


def pessimist(labels: Sequence[float], scores: Sequence[float]) -> float:
    order = sorted(zip(scores, labels, strict=True), key=lambda pair: (-pair[0], pair[1]))
    best = log_dcg(sorted(labels, reverse=True))
    return log_dcg([label for _, label in order]) / best if best else 1.0


def single_precision(labels: Any, scores: Any) -> Any:
    labels, scores = np.asarray(labels, np.float32), np.asarray(scores, np.float32)
    weights = (1 / np.log2(np.arange(2, labels.size + 2))).astype(np.float32)
    best = np.sum(np.sort(labels)[::-1] * weights, dtype=np.float32)
    found = np.sum(labels[np.argsort(-scores, kind="stable")] * weights, dtype=np.float32)
    return found / best if best else np.float32(0)


def dcg_only(labels: Sequence[float], scores: Sequence[float], k: int) -> float:
    return log_dcg([*map(exp_gain, by_score(labels, scores))][:k])


def percent(labels: Sequence[float], scores: Sequence[float]) -> float:
    best = log_dcg(sorted(labels, reverse=True))
    return round(100 * log_dcg(by_score(labels, scores)) / best, 2) if best else 0.0


def appended(ranked: Sequence[str], judged: Mapping[str, float]) -> float:
    """What was not retrieved follows what was."""
    rest = [doc for doc in judged if doc not in ranked]
    best = log_dcg(sorted(judged.values(), reverse=True))
    return log_dcg(judged.get(doc, 0) for doc in [*ranked, *rest]) / best if best else 0.0


def distinct_ideal(labels: Sequence[float], scores: Sequence[float]) -> float:
    best = log_dcg(sorted(set(labels), reverse=True))
    return log_dcg(by_score(labels, scores)) / best if best else 0.0


def per_query(y_true: Any, y_score: Any) -> list[float]:
    return [made()(labels, scores, len(labels)) for labels, scores in zip(y_true, y_score, strict=True)]


def without_empty(y_true: Any, y_score: Any, k: int = 10) -> float:
    values = [made()(labels, scores, k) for labels, scores in zip(y_true, y_score, strict=True) if any(labels)]
    return sum(values) / len(values) if values else 0.0


def grouped(labels: Sequence[float], scores: Sequence[float], group: Sequence[int]) -> float:
    ends = np.cumsum(group)
    values = []
    for size, end in zip(group, ends, strict=True):
        rows = slice(end - size, end)
        values.append(made(exp_gain, empty=1.0)(list(labels[rows]), list(scores[rows]), int(size)))
    return sum(values) / len(values)


def matrix(relevance: Any, predictions: Any, k: int | None = None) -> Any:
    """One row per query; equal scores in reverse order; NumPy throughout."""
    values = []
    for labels, scores in zip(relevance, predictions, strict=True):
        gains = 2.0 ** np.asarray(labels) - 1
        ranked, best = gains[np.argsort(scores, kind="stable")[::-1]][:k], np.sort(gains)[::-1][:k]
        weights = 1 / np.log2(np.arange(2, ranked.size + 2))
        values.append((ranked * weights).sum() / (best * weights).sum() if best.any() else 0.0)
    return np.mean(values)


def rated_hits(hits: Sequence[str], ratings: Mapping[str, float], k: int) -> float:
    """The ideal is over the ratings of the first k hits."""
    labels = [exp_gain(ratings.get(hit, 0)) for hit in hits[:k]]
    best = log_dcg(sorted(labels, reverse=True))
    return log_dcg(labels) / best if best else 0.0


def power_dcg(gains: Iterable[float]) -> float:
    return float(sum(gain / (place + 1) ** 0.7 for place, gain in enumerate(gains)))


def geometric_dcg(gains: Iterable[float]) -> float:
    return sum(gain * 0.8**place for place, gain in enumerate(gains))


def cut_first(labels: Sequence[float], scores: Sequence[float], k: int) -> float:
    best = log_dcg(sorted(labels, reverse=True)[:k])
    return log_dcg(by_score(labels[:k], scores[:k])) / best if best else 0.0


def in_a_dict(labels: Sequence[float], scores: Sequence[float], k: int = 10) -> dict[str, float]:
    return {"dcg@k": 3.0, "ndcg@k": made()(labels, scores, k)}


def zeros_dropped(labels: Sequence[float], scores: Sequence[float]) -> float:
    kept = [(label, score) for label, score in zip(labels, scores, strict=True) if label > 0]
    return made()([label for label, _ in kept], [score for _, score in kept], 1000) if kept else 0.0


def weighted_by_documents(labels: Any, scores: Any, group: Any) -> float:
    ends = np.cumsum(group)
    rows = [slice(end - size, end) for size, end in zip(group, ends, strict=True)]
    values = [made()(list(labels[each]), list(scores[each]), 1000) for each in rows]
    return float(np.average(values, weights=group))


def padded(labels: Sequence[float], scores: Sequence[float], k: int) -> float:
    """A negative label is padding."""
    kept = [(label, score) for label, score in zip(labels, scores, strict=True) if label >= 0]
    return made(exp_gain)([label for label, _ in kept], [score for _, score in kept], k)


def summed(y_true: Any, y_score: Any) -> float:
    return sum(made()(labels, scores, len(labels)) for labels, scores in zip(y_true, y_score, strict=True))


def in_place(labels: Any, scores: Any) -> float:
    ranked = by_score(labels, scores)
    labels.sort()
    best = log_dcg(list(labels)[::-1])
    return log_dcg(ranked) / best if best else 0.0


def by_ascending_id(scored: Mapping[str, float], judged: Mapping[str, float], k: int) -> float:
    docs = sorted(scored, key=lambda doc: (-scored[doc], doc))
    best = log_dcg(sorted(judged.values(), reverse=True)[:k])
    return log_dcg(judged.get(doc, 0) for doc in docs[:k]) / best if best else 0.0


def of_all_labels(ranked_labels: Sequence[float], all_labels: Sequence[float], k: int) -> float:
    best = log_dcg(sorted(all_labels, reverse=True)[:k])
    return log_dcg(ranked_labels[:k]) / best if best else 0.0


def double_first(labels: Sequence[float], scores: Sequence[float]) -> float:
    def dcg(values: Sequence[float]) -> float:
        return values[0] + log_dcg(values) if len(values) else 0.0

    best = dcg(sorted(labels, reverse=True))
    return dcg(by_score(labels, scores)) / best if best else 0.0


def error_of_labels(r: Sequence[float]) -> float:
    best = letor_dcg(sorted(r, reverse=True))
    return 1 - letor_dcg(r) / best if best else 1.0


def users(actual: Sequence[Sequence[str]], predicted: Sequence[Sequence[str]], k: int = 10) -> float:
    values = [recommended(ranked, relevant, k) for relevant, ranked in zip(actual, predicted, strict=True)]
    return sum(values) / len(values)


def first_query(y_true: Any, y_score: Any) -> float:
    return made()(y_true[0], y_score[0], len(y_true[0]))


UNSORTED = "not sorted"
TOP_K = "over the top k of the ranking only"
RETRIEVED = "over the retrieved documents only"
ABOVE = "NDCG > 1 is possible"
BOXES = {
    "plain": Box(made(), {"gain": "linear", "discount": "log:2", "ties": "stable", "empty": "0"}),
    "exponential": Box(made(exp_gain, empty=1.0), {"gain": "exp2", "empty": "1", "ties": "stable"}),
    "gist": Box(gist, {"discount": "letor", "gain": "linear", "empty": "0"}),
    "ranked labels": Box(of_ranked_labels, {"gain": "linear", "cutoff": "10"}),
    "recommended": Box(recommended, {"discount": "log:2", "ideal": "judged", "cutoff": "10"}, ("counts twice", ABOVE)),
    "hits only": Box(hits_only, {}, (TOP_K, "counts twice")),
    "full ideal": Box(full_ideal, {"ideal": "full"}, ("a relevant document at every rank", "counts twice")),
    "nested": Box(nested, {"gain": "linear", "ties": "docid_desc", "ideal": "judged", "missing": "drop",
                           "negative": "unjudged"}),
    "nested retrieved": Box(nested_retrieved, {"gain": "exp2", "ideal": "retrieved", "missing": "0"}, (RETRIEVED,)),
    "micro": Box(micro, {"gain": "linear", "average": "pooled"}, ("micro average",)),
    "graded judged": Box(graded_judged, {"gain": "exp2", "ideal": "judged", "unjudged": "zero"},
                         ("counts twice", ABOVE)),
    "condensed": Box(condensed, {"unjudged": "drop", "gain": "linear"}, ("counts twice", ABOVE)),
    "scores first": Box(scores_first, {"gain": "linear", "ties": "reverse", "empty": "nan", "cutoff": "5"}),
    "own cutoff": Box(own_cutoff, {"gain": "exp2", "cutoff": "10"}),
    "ideal uncut": Box(ideal_uncut_own, {"gain": "linear", "cutoff": "5"}, ("ideal DCG is not cut",)),
    "integers only": Box(integers_only, {"gain": "exp2", "labels": "integer", "highest label": "5", "empty": "1"}),
    "short is zero": Box(short_is_zero, {"discount": "letor", "gain": "exp2", "short": "zero"}),
    "tied mean": Box(tied_mean, {"ties": "average", "gain": "linear"}),
    "pessimist": Box(pessimist, {"ties": "worst", "empty": "1"}),
    "single precision": Box(single_precision, {"precision": "float32", "gain": "linear"}),
    "dcg only": Box(dcg_only, {"gain": "exp2"}, ("returns DCG",)),
    "percent": Box(percent, {"gain": "linear"}, ("in percent", ABOVE)),
    "appended": Box(appended, {"ideal": "judged"}, ("appended to the ranking", "counts twice", ABOVE)),
    "distinct ideal": Box(distinct_ideal, {"gain": "linear"}, ("counts each label once", ABOVE)),
    "per query": Box(per_query, {"gain": "linear"}),
    "without empty": Box(without_empty, {"empty": "skip", "cutoff": "10"}),
    "grouped": Box(grouped, {"gain": "exp2", "empty": "1", "average": "mean"}),
    "ascending": Box(made(order=lambda labels, scores: by_score(labels, scores)[::-1]), {}, ("sorted ascending",)),
    "not sorted": Box(made(order=lambda labels, scores: list(labels)), {}, (UNSORTED,)),
    "binarized": Box(made(lambda label: float(label > 0)), {"gain": "binary:5e-324"}, ("relevance binarized",)),
    "gain of zero": Box(made(lambda label: 2.0**label), {}, ("label 0 has a gain",)),
    "ignores k": Box(made(cut=lambda ranked, k: ranked, ideal=lambda ranked, labels, k: log_dcg(sorted(labels)[::-1])),
                     {}, ("k is ignored",)),
    "ideal not cut": Box(made(ideal=lambda ranked, labels, k: log_dcg(sorted(labels)[::-1])), {},
                         ("ideal DCG is not cut at k",)),
    "dcg not cut": Box(made(cut=lambda ranked, k: ranked), {}, ("the DCG is not cut at k", ABOVE)),
    "shifted discount": Box(made(dcg=shifted_dcg), {}, ("starts at log2(3)",)),
    "other gain in the ideal": Box(
        made(exp_gain, ideal=lambda ranked, labels, k: log_dcg(sorted(labels)[::-1][:k])), {},
        ("the gain of the ideal DCG is label", ABOVE)),
    "natural logarithms": Box(made(ideal=lambda ranked, labels, k: natural_dcg(sorted(labels)[::-1][:k])), {},
                              ("binary logarithms and the ideal DCG has natural",)),
    "one too many": Box(made(cut=lambda ranked, k: ranked[: k + 1]), {}, ("one rank more", ABOVE)),
    "unsorted ideal": Box(made(ideal=lambda ranked, labels, k: log_dcg(labels[:k])), {},
                          ("in the order given, not sorted", ABOVE)),
    "one minus": Box(made(finish=lambda value: 1 - value), {}, ("returns 1 - NDCG",)),
    "squared": Box(made(lambda label: label * abs(label)), {}, ("gain is label^2",)),
    "reciprocal rank discount": Box(made(dcg=zipf_dcg), {"discount": "zipf"}),
    "rounded": Box(made(exp_gain, finish=lambda value: round(value, 4)), {"gain": "exp2"}),
    "table of gains": Box(made(lambda label: [0, 1, 4, 5, 11, 12][int(label)]),
                          {"gain": "table:0:1:4:5:11:12", "labels": "truncated"}),
    "matrix": Box(matrix, {"gain": "exp2", "ties": "reverse", "average": "mean"}),
    "rated hits": Box(rated_hits, {"gain": "exp2"}, (TOP_K, "counts twice")),
    "power discount": Box(made(dcg=power_dcg), {"discount": "power:0.7", "gain": "linear"}),
    "geometric discount": Box(made(exp_gain, dcg=geometric_dcg), {"discount": "geometric:1.25", "gain": "exp2"}),
    "cut first": Box(cut_first, {}, ("cut at k before it is sorted",)),
    "ideal one short": Box(made(ideal=lambda ranked, labels, k: log_dcg(sorted(labels)[::-1][: k - 1])), {},
                           ("the ideal DCG counts one rank less", ABOVE)),
    "in a dict": Box(in_a_dict, {"gain": "linear", "cutoff": "10"}),
    "zeros dropped": Box(zeros_dropped, {}, ("label 0 are removed",)),
    "highest ideal": Box(
        made(ideal=lambda ranked, labels, k: max(labels) * log_dcg([1.0] * min(k, len(labels)))), {},
        ("the highest label of the list at every rank",)),
    "weighted by documents": Box(weighted_by_documents, {}, ("weighted by their number of documents",)),
    "rounded labels": Box(made(lambda label: exp_gain(round(label))), {"gain": "exp2", "labels": "rounded"},
                          ("fractional labels are rounded",)),
    "padded": Box(padded, {"negative": "drop", "gain": "exp2"}),
    "summed": Box(summed, {}, ("summed, not averaged", ABOVE)),
    "in place": Box(in_place, {"gain": "linear"}, ("changes its arguments",)),
    "by ascending id": Box(by_ascending_id, {"ties": "docid_asc", "ideal": "judged"}),
    "all labels": Box(of_all_labels, {"gain": "linear", "ideal": "judged"}),
    "double first": Box(double_first, {"gain": "linear"}, ("a table of its own",)),
    "from label 2 on": Box(made(lambda label: float(label >= 2)), {"gain": "binary:2"}, ("relevance binarized",)),
    "error of labels": Box(error_of_labels, {"discount": "letor", "gain": "linear"}, ("returns 1 - NDCG",)),
    "users": Box(users, {"ideal": "judged", "cutoff": "10", "average": "mean"}, ("counts twice", ABOVE)),
    "clipped": Box(made(lambda label: min(label, 1.0)), {}, ("relevance binarized",)),
    "clipped at 3": Box(made(lambda label: min(label, 3.0)), {}, ("the gain is min(label, 3)",)),
    "first query": Box(first_query, {"gain": "linear", "average": "first"}, ("only the first query counts",)),
    "no discount": Box(made(dcg=sum), {"discount": "power:0", "ties": "stable"}, ("no discount",)),
    "ideal one long": Box(
        made(ideal=lambda ranked, labels, k: log_dcg(sorted(labels)[::-1][: k + 1])), {},
        ("the ideal DCG counts one rank more",), ()),
    "ideal of the first k": Box(
        made(ideal=lambda ranked, labels, k: log_dcg(sorted(labels[:k])[::-1])), {},
        ("over the first k documents given", ABOVE)),
}  # fmt: skip
