"""Functions that take and return NDCG in shapes of their own, or have a defect that few lists show."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from black_boxes import ABOVE, Box, by_score, exp_gain, log_dcg, made


def on_judged(ranked: Sequence[Any], judged: Mapping[Any, float], k: int, gain: Any = float) -> float:
    """NDCG of ids in rank order, all judged documents in the ideal."""
    best = log_dcg(sorted(map(gain, judged.values()), reverse=True)[:k])
    return log_dcg([gain(judged.get(doc, 0)) for doc in ranked[:k]]) / best if best else 0.0


def by_cutoffs(qrels: Any, results: Any, k_values: Sequence[int] = (1, 5, 10)) -> dict[str, float]:
    found = {}
    for k in k_values:
        values = [on_judged(sorted(docs, key=lambda d: -docs[d]), qrels.get(q, {}), k) for q, docs in results.items()]
        found[f"NDCG@{k}"] = round(sum(values) / len(values), 5)
    return found


def of_pairs(prediction_and_labels: Iterable[tuple[list[Any], list[Any]]], k: int) -> float:
    return float(np.mean([on_judged(found, dict.fromkeys(wanted, 1), k) for found, wanted in prediction_and_labels]))


def scored_labels(results: Sequence[tuple[float, float]], k: int = 10) -> float:
    scores, labels = zip(*results, strict=True)
    return float(made(exp_gain)(labels, scores, k))


def scored_docs(results: Iterable[tuple[Any, float]], judgments: Mapping[Any, float], k: int = 10) -> float:
    return on_judged([doc for doc, _ in sorted(results, key=lambda pair: -pair[1])], judgments, k, exp_gain)


def of_records(results: Iterable[Any], ground_truth: Mapping[Any, float], k: int = 10) -> float:
    ranked = sorted(results, key=lambda hit: -hit["score"])
    return on_judged([hit["doc_id"] for hit in ranked], ground_truth, k)


def of_objects(documents: Iterable[Any], relevant: Iterable[Any], k: int = 10) -> float:
    ranked = [each.id for each in sorted(documents, key=lambda each: -each.score)]
    return on_judged(ranked, dict.fromkeys(relevant, 1), k)


def graded_ids(retrieved: Sequence[Any], relevant_ids: Sequence[Any], grades: Sequence[float], k: int = 10) -> float:
    return on_judged(list(dict.fromkeys(retrieved)), dict(zip(relevant_ids, grades, strict=True)), k)


def hits_and_count(hits: Sequence[float], n_relevant: int, k: int) -> float:
    best = log_dcg([1.0] * min(int(n_relevant), k))
    return log_dcg(hits[:k]) / best if best else 0.0


def hit_rows(test_data: Sequence[Sequence[Any]], r: Any, k: int) -> float:
    rows = np.asarray(r, float)
    return float(np.mean([hits_and_count(row, len(items), k) for row, items in zip(rows, test_data, strict=True)]))


def ranks_of_hits(ranks: Iterable[int], n_relevant: int) -> float:
    return sum(1 / math.log2(rank + 1) for rank in ranks) / log_dcg([1.0] * int(n_relevant))


def user_lists(true_items: Mapping[str, Any], predicted: Mapping[str, Any], topk: int) -> float:
    rows = [(predicted.get(user, []), set(items)) for user, items in true_items.items() if items]
    values = [on_judged(list(dict.fromkeys(found)), dict.fromkeys(wanted, 1), topk) for found, wanted in rows]
    return sum(values) / len(values) if values else 0.0


def with_parts(y_true: Sequence[float], y_score: Sequence[float], k: int = 10) -> tuple[float, float, float]:
    dcg, ideal = log_dcg(by_score(y_true, y_score)[:k]), log_dcg(sorted(y_true, reverse=True)[:k])
    return (dcg / ideal if ideal else 0.0), dcg, ideal


def one_frame(df: Any, k: int = 10) -> float:
    groups = [(rows["label"].tolist(), rows["score"].tolist()) for _, rows in df.groupby("query_id")]
    return float(np.mean([made(exp_gain)(labels, scores, k) for labels, scores in groups]))


def two_frames(rating_true: Any, rating_pred: Any, k: int = 10) -> float:
    values = []
    for user, rows in rating_true.groupby("userID"):
        own = rating_pred[rating_pred["userID"] == user].sort_values("prediction", ascending=False, kind="stable")
        values.append(on_judged(own["itemID"].tolist(), dict.fromkeys(rows["itemID"], 1), k))
    return float(np.mean(values))


def cut_values(retrieved: Sequence[Any], relevant: Iterable[Any], k: int) -> float:
    return min(1.0, on_judged(retrieved, dict.fromkeys(relevant, 1), k))


def as_text(labels: Sequence[float], scores: Sequence[float]) -> list[float]:
    pairs = sorted(zip(map(str, scores), labels, strict=True), key=lambda pair: pair[0], reverse=True)
    return [label for _, label in pairs]


def ideal_of(labels: Sequence[float], k: int) -> float:
    return log_dcg(sorted(labels, reverse=True)[:k])


def deep_dcg(gains: Iterable[float]) -> float:
    return sum(gain / max(1.0, math.log10(rank)) for rank, gain in enumerate(gains, 1))


def every_query(qrels: Any, run: Any, k: int = 10) -> float:
    values = []
    for query, docs in run.items():
        judged = qrels.get(query, {})
        values.append(on_judged(sorted(docs, key=lambda d: -docs[d]), judged, k) if any(judged.values()) else 1.0)
    return sum(values) / len(values)


TWICE = "retrieved twice counts twice"

SHAPES: dict[str, Box] = {
    "several cutoffs": Box(by_cutoffs, {"gain": "linear", "ideal": "judged", "missing": "drop"}),
    "pairs of lists": Box(of_pairs, {"ideal": "judged"}, (TWICE, ABOVE)),
    "pairs of score and label": Box(scored_labels, {"gain": "exp2", "cutoff": "10"}),
    "pairs of id and score": Box(scored_docs, {"gain": "exp2", "ideal": "judged"}),
    "records": Box(of_records, {"gain": "linear", "ideal": "judged"}),
    "objects": Box(of_objects, {"ideal": "judged"}),
    "ids and grades": Box(graded_ids, {"gain": "linear", "ideal": "judged", "duplicates": "first"}),
    "hits and a count": Box(hits_and_count, {"ideal": "judged"}),
    "rows of hits": Box(hit_rows, {"ideal": "judged", "empty": "0"}),
    "ranks of hits": Box(ranks_of_hits, {"discount": "log:2", "ideal": "judged", "empty": "error"}),
    "lists by user": Box(user_lists, {"ideal": "judged", "empty": "skip"}),
    "a tuple": Box(with_parts, {"gain": "linear", "cutoff": "10"}),
    "one frame": Box(one_frame, {"gain": "exp2", "cutoff": "10"}),
    "two frames": Box(two_frames, {"ideal": "judged", "empty": "skip"}, ("relevance binarized",)),
    "divided by k": Box(made(ideal=lambda ranked, labels, k: float(k)), {}, ("is divided by k", ABOVE)),
    "divided by hits within k": Box(
        made(ideal=lambda ranked, labels, k: float(min(k, sum(label > 0 for label in labels)))), {},
        ("number of relevant documents, at most k", ABOVE)),
    "one added": Box(made(ideal=lambda ranked, labels, k: 1 + ideal_of(labels, k)), {}, ("1 is added to the ideal",)),
    "little added": Box(made(ideal=lambda ranked, labels, k: 1e-8 + ideal_of(labels, k)), {"gain": "linear"}),
    "a discount from rank 11 on": Box(made(dcg=deep_dcg), {}, ("ranks up to 10 counting 1",), ()),
    "queries without judgments count": Box(every_query, {"empty": "1", "missing": "drop"}),
}  # fmt: skip


def cutoff_named_ats(y_pred: Any, y_true: Any, ats: int = 10, filler_value: float = 1.0) -> Any:
    """A name that usually means a list of cutoffs, with one of them."""
    rows = zip(np.asarray(y_true, float), np.asarray(y_pred, float), strict=True)
    return np.array([made(exp_gain, empty=filler_value)(labels, scores, ats) for labels, scores in rows])


def with_patience(y_true: Sequence[float], y_score: Sequence[float], p: float = 0.8) -> float:
    """A number that is no cutoff, though its name is that of one."""

    def dcg(gains: Iterable[float]) -> float:
        return sum(gain * p**place for place, gain in enumerate(gains))

    best = dcg(sorted(y_true, reverse=True))
    return dcg(by_score(y_true, y_score)) / best if best else 0.0


def against(base: Any) -> Any:
    """NDCG minus the DCG of a baseline, above and below."""

    def ndcg(y_true: Sequence[float], y_score: Sequence[float], k: int = 10) -> float:
        low = base(list(y_true), min(k, len(y_true)))
        below = ideal_of(y_true, k) - low
        return (log_dcg(by_score(y_true, y_score)[:k]) - low) / below if below > 1e-12 else 0.0

    return ndcg


def of_rows(value: Any, mean: Any = np.mean) -> Any:
    def ndcg(y_true: Any, y_score: Any, k: int = 10) -> float:
        return float(mean([value(labels, scores, k) for labels, scores in zip(y_true, y_score, strict=True)]))

    return ndcg


def of_found(values: list[float]) -> float:
    found = [value for value in values if value]
    return sum(found) / len(found) if found else 0.0


def runs_with_a_value(qrels: Any, run: Any) -> float:
    values = [on_judged(sorted(docs, key=lambda d: -docs[d]), qrels.get(q, {}), 1000) for q, docs in run.items()]
    return of_found(values)


def without_the_last(y_true: Sequence[float], y_score: Sequence[float]) -> float:
    best = log_dcg(sorted(y_true, reverse=True)[:-1])
    return log_dcg(by_score(y_true, y_score)[:-1]) / best if best else 0.0


def last_of_the_top(y_true: Sequence[float], y_score: Sequence[float], k: int = 10) -> float:
    ranked = by_score(y_true, y_score)
    best = ideal_of(y_true, k)
    return log_dcg(ranked[: min(k, len(ranked)) - 1]) / best if best > 0 else 0.0


def after_the_first(rank_of_first: int) -> Any:
    def dcg(gains: Iterable[float]) -> float:
        return sum(gain / math.log2(place + rank_of_first) for place, gain in enumerate(gains) if place)

    return dcg


def until_a_hit(y_true: Sequence[float], y_score: Sequence[float], k: int = 10) -> float:
    ranked = by_score(y_true, y_score)[:k]
    return next((1 / math.log2(place + 2) for place, label in enumerate(ranked) if label > 0), 0.0)


def in_shares(y_true: Sequence[float], y_score: Sequence[float], k: int = 10) -> float:
    """Labels are divided by the highest one before 2^label - 1."""
    highest = max(0.0, *y_true) or 1.0
    return float(made(exp_gain)([label / highest for label in y_true], y_score, k))


def of_half(y_true: Sequence[float], y_score: Sequence[float]) -> float:
    return float(made()(y_true, y_score, max(1, len(y_true) // 2)))


def shared_ranks(method: str) -> Any:
    """As of scipy.stats.rankdata."""

    def ndcg(y_true: Sequence[float], y_score: Sequence[float], k: int = 10) -> float:
        dcg = 0.0
        for label, score in zip(y_true, y_score, strict=True):
            above, same = sum(other > score for other in y_score), sum(other == score for other in y_score)
            rank = {"min": above + 1, "max": above + same, "average": above + (same + 1) / 2}[method]
            dcg += label / math.log2(rank + 1) if rank <= k else 0.0
        best = ideal_of(y_true, k)
        return dcg / best if best > 0 else 0.0

    return ndcg


def positive_ideal(y_true: Sequence[float], y_score: Sequence[float], k: int = 10) -> float:
    best = log_dcg(exp_gain(label) for label in sorted(y_true, reverse=True)[:k])
    return log_dcg(exp_gain(label) for label in by_score(y_true, y_score)[:k]) / best if best > 0 else 0.0


def ascending(y_true: Sequence[float], y_score: Sequence[float], k: int = 10) -> float:
    return float(made()(y_true, [-score for score in y_score], k))


def argsort_once(y_true: Sequence[float], y_score: Sequence[float], k: int = 10) -> float:
    ranks = np.argsort(-np.asarray(y_score, float), kind="stable")
    dcg = sum(label / math.log2(rank + 2) for label, rank in zip(y_true, ranks, strict=True) if rank < k)
    best = ideal_of(y_true, k)
    return float(dcg / best) if best > 0 else 0.0


def only_as_many_as_are_relevant(recommended: Sequence[Any], relevant: Iterable[Any], k: int = 10) -> float:
    wanted = set(relevant)
    n = min(k, len(wanted))
    found = [float(item in wanted) for item in dict.fromkeys(recommended)]
    return log_dcg(found[:n]) / log_dcg([1.0] * n) if n else 0.0


def binary_ideal(ranked_ids: Iterable[Any], judgments: Mapping[Any, float], k: int = 10) -> float:
    best = log_dcg([1.0] * min(k, sum(label > 0 for label in judgments.values())))
    found = [max(judgments.get(doc, 0), 0) for doc in dict.fromkeys(ranked_ids)]
    return log_dcg(found[:k]) / best if best else 0.0


SHAPES |= {
    "one cutoff named ats": Box(cutoff_named_ats, {"gain": "exp2", "empty": "1", "cutoff": "10", "average": "mean"}),
    "a number named p": Box(with_patience, {"discount": "geometric:1.25", "gain": "linear"}),
    "exponential up to 4": Box(made(lambda label: exp_gain(min(label, 4.0))), {"gain": "2^min(label, 4) - 1"},
                               ("the gain is 2^min(label, 4) - 1",)),
    "graded from label 2 on": Box(made(lambda label: float(label) if label >= 2 else 0.0),
                                  {"gain": "label from label 2 on, else 0"}, ("label from label 2 on",)),
    "label minus one": Box(made(lambda label: max(label - 1.0, 0.0)), {"gain": "max(label - 1, 0)"},
                           ("the gain is max(label - 1, 0)",)),
    "above 1": Box(made(lambda label: float(label > 1)), {"labels": "float"}, ("relevance binarized",)),
    "the best of equal scores first": Box(
        made(order=lambda labels, scores: [label for _, label in sorted(zip(scores, labels, strict=True))[::-1]]),
        {"ties": "best"}, ("equal scores are ranked by their labels",)),
    "truncated labels": Box(made(lambda label: exp_gain(int(label))), {"labels": "truncated", "gain": "exp2"},
                            ("fractional labels are truncated",)),
    "two decimals": Box(made(finish=lambda value: round(value, 2)), {"gain": "linear"},
                        ("values are rounded to 2 decimals",)),
    "whole percent": Box(made(finish=lambda value: int(100 * value) / 100), {"gain": "linear"},
                         ("values are truncated to 2 decimals",)),
    "mean of what is found": Box(of_rows(made(), of_found), {"average": "nonzero"}, ("value 0 are left out",)),
    "mean of runs that found something": Box(runs_with_a_value, {"average": "nonzero"}, ("value 0 are left out",)),
    "the last is left out": Box(without_the_last, {"gain": "linear"},
                                ("the last document does not count in the DCG and in the ideal DCG",)),
    "the last of the top is left out": Box(last_of_the_top, {"gain": "linear", "cutoff": "10"},
                                           ("the last document does not count in the DCG", ABOVE)),
    "the first is left out": Box(made(dcg=after_the_first(1)), {}, ("the first document does not count", ABOVE)),
    "the first is left out, with usual weights": Box(
        made(dcg=after_the_first(2)), {}, ("the first document does not count", ABOVE)),
    "absolute scores": Box(
        made(order=lambda labels, scores: by_score(labels, [abs(score) for score in scores])), {},
        ("absolute values of their scores",)),
    "nothing relevant is a half": Box(made(empty=0.5), {"empty": "0.5", "gain": "linear"}),
    "a negative ideal is nothing": Box(positive_ideal, {"negative_ideal": "empty", "gain": "exp2"}),
    "a negative ideal divides": Box(made(exp_gain), {"negative_ideal": "divide"}),
    "cut at the relevant": Box(only_as_many_as_are_relevant, {}, status="not identified"),
    "ascending to 10": Box(ascending, {"cutoff": "10"}, ("sorted ascending",)),
    "grades above, hits below": Box(binary_ideal, {"gain": "linear", "labels": "float"},
                                    ("the gain of the ideal DCG is 1 for a label above 0", ABOVE)),
}  # fmt: skip

#: What is not among the formulas that are tried.
UNKNOWN: dict[str, Any] = {
    "at least 1": made(ideal=lambda ranked, labels, k: max(ideal_of(labels, k), 1.0)),
    "cut values": cut_values,
    "scores as text": made(order=as_text),
    "scores as integers": made(order=lambda labels, scores: by_score(labels, [int(score) for score in scores])),
    "the worst order is 0": against(lambda labels, k: log_dcg(sorted(labels)[:k])),
    "a random order is 0": against(lambda labels, k: sum(labels) / len(labels) * log_dcg([1.0] * k)),
    "the best query": of_rows(made(), max),
    "square": made(finish=lambda value: value**2),
    "square root": made(exp_gain, finish=lambda value: math.sqrt(value) if value > 0 else 0.0),
    "the first hit": until_a_hit,
    "shares of the highest label": in_shares,
    "half of the list": of_half,
    "equal scores have the best rank": shared_ranks("min"),
    "equal scores have the mean rank": shared_ranks("average"),
    "argsort for ranks": argsort_once,
}
