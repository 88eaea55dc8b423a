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
    "at least 1": Box(made(ideal=lambda ranked, labels, k: max(ideal_of(labels, k), 1.0)), {}, ("at least 1",)),
    "one added": Box(made(ideal=lambda ranked, labels, k: 1 + ideal_of(labels, k)), {}, ("1 is added to the ideal",)),
    "little added": Box(made(ideal=lambda ranked, labels, k: 1e-8 + ideal_of(labels, k)), {"gain": "linear"}),
    "cut values": Box(cut_values, {"ideal": "judged"}, ("values above 1 are set to 1", TWICE)),
    "scores as text": Box(made(order=as_text), {}, ("compared as text",)),
    "scores as integers": Box(
        made(order=lambda labels, scores: by_score(labels, [int(score) for score in scores])), {},
        ("scores are truncated to integers",)),
    "a discount from rank 11 on": Box(made(dcg=deep_dcg), {}, ("ranks up to 10 counting 1",), ()),
    "queries without judgments count": Box(every_query, {"empty": "1", "missing": "drop"}),
}  # fmt: skip
