"""Spans of text, against a slow loop over characters, and inputs that are wrong or odd."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import idealrank as ir
from idealrank.data.spans import Spans
from idealrank.errors import DataError

GOLD = ("doc_id", "start", "end", "label")
CHUNK = ("doc_id", "start", "end", "score")


def records(rows: list[tuple[Any, ...]], names: tuple[str, ...]) -> list[dict[str, Any]]:
    return [dict(zip(names, row, strict=True)) for row in rows]


def oracle(gold: list[tuple[Any, ...]], chunks: list[tuple[Any, ...]], k: int) -> tuple[float, float, float]:
    """Recall, precision and NDCG of the first k characters that a reader of the chunks sees."""
    label: dict[tuple[str, int], float] = {}
    for doc, begin, end, value in gold:
        for place in range(begin, end):
            label[doc, place] = max(value, label.get((doc, place), -math.inf))
    seen, read = set(), []
    for doc, begin, end, _ in sorted(chunks, key=lambda chunk: -chunk[3]):
        for place in range(begin, end):
            read.append(0 if (doc, place) in seen else label.get((doc, place), 0))
            seen.add((doc, place))
    hits = sum(value >= 1 for value in read[:k])
    ideal = sorted(label.values(), reverse=True)[:k]
    dcg = sum(value / math.log2(rank + 1) for rank, value in enumerate(read[:k], 1))
    best = sum(value / math.log2(rank + 1) for rank, value in enumerate(ideal, 1))
    n = sum(value >= 1 for value in label.values())
    return hits / n if n else 0.0, hits / k, dcg / best if best else 0.0


def test_evidence_equals_a_loop_over_characters() -> None:
    rng = np.random.default_rng(0)
    gold, chunks = {}, {}
    for query in range(40):
        spans = [("ü", int(b), int(b + n), int(v)) for b, n, v in rng.integers((0, 0, 0), (60, 20, 4), (4, 3))]
        gold[f"q{query}"] = [*spans, ("ü", 5, 9, 1)]
        pieces = rng.integers((0, 0, 0), (60, 30, 2), (int(rng.integers(1, 7)), 3))
        chunks[f"q{query}"] = [(("ü", "b:7")[d], int(b), int(b + n), float(rng.random())) for b, n, d in pieces]
    retrieved = {query: records(rows, CHUNK) for query, rows in chunks.items()}
    for k in (1, 7, 40, 1000):
        found = ir.evaluate(
            {query: records(rows, GOLD) for query, rows in gold.items()},
            retrieved,
            f"recall@{k}, p@{k}, ndcg@{k}",
            like="ir_measures",
        )
        for place, query in enumerate(found.query_ids.tolist()):
            expected = oracle(gold[query], chunks[query], k)
            got = [values[place] for values in found.per_query.values()]
            np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-12, err_msg=query)


@pytest.mark.parametrize("size", [1, 7, 64, 500, 5000])
def test_a_perfect_retriever_finds_all_evidence_in_chunks_of_any_size(size: int) -> None:
    gold = {"q": [("text", 30, 90, 1), ("text", 1200, 1300, 1), ("text", 80, 100, 2)]}
    cut = [("text", begin, min(begin + size, 5000), -float(begin)) for begin in range(0, 5000, size)]
    needed = [chunk for chunk in cut if any(chunk[1] < end and begin < chunk[2] for _, begin, end, _ in gold["q"])]
    found = ir.evaluate({"q": records(gold["q"], GOLD)}, {"q": records(needed, CHUNK)}, "recall, p")
    assert found.mean["recall"] == 1
    read = sum(end - begin for _, begin, end, _ in needed)
    assert found.mean["p"] == pytest.approx(170 / read, rel=1e-6)


def test_text_that_is_read_again_takes_places_and_earns_nothing() -> None:
    gold = {"q": [{"doc": "a", "start": 0, "end": 10}]}
    once = {"q": [{"doc": "a", "start": 0, "end": 10}]}
    twice = {"q": once["q"] * 2}
    for measure, expected in {"recall": 1, "p": 0.5, "p@10": 1, "ndcg": 1}.items():
        assert ir.evaluate(gold, twice, measure).mean[measure] == expected
    assert ir.evaluate(gold, once, "p").mean["p"] == 1


def test_systems_are_compared_by_the_same_judgments_and_nothing_is_unjudged() -> None:
    gold = {f"q{i}": [{"doc": "a", "start": i, "end": i + 5}] for i in range(6)}
    whole = {query: [{"doc": "a", "start": 0, "end": 20}] for query in gold}
    half = {query: [{"doc": "a", "start": 0, "end": 8}] for query in gold}
    found = ir.evaluate(gold, {"whole": whole, "half": half}, "judged@8, recall")
    assert found["half"].mean["judged@8"] == found["whole"].mean["judged@8"] == 1
    assert found["whole"].mean["recall"] == 1 > found["half"].mean["recall"]
    assert any("count text, not chunks" in problem.message for problem in found["half"].problems)


def test_without_offsets_on_one_side_documents_are_counted() -> None:
    gold = [{"question_id": "q", "doc_id": "a", "start": 3, "end": 9, "label": 1}]
    run = [{"question_id": "q", "doc_id": "b", "score": 2.0}, {"question_id": "q", "doc_id": "a", "score": 1.0}]
    assert ir.evaluate(gold, run, "rr").mean["rr"] == 0.5


def test_a_question_without_gold_spans_has_no_value_and_one_without_chunks_has_0() -> None:
    gold = {"a": [{"doc": "d", "start": 0, "end": 3}], "b": [{"doc": "d", "start": 4, "end": 9}], "c": []}
    chunks = {"a": [], "b": [{"doc": "d", "start": 0, "end": 9}], "c": [{"doc": "d", "start": 0, "end": 9}]}
    found = ir.evaluate(gold, chunks, "recall")
    assert dict(zip(found.query_ids.tolist(), found.per_query["recall"].tolist(), strict=True)) == {"a": 0, "b": 1}


@pytest.mark.parametrize(
    ("begin", "end", "message"),
    [
        (5, 3, "a span ends at 3 before it begins at 5"),
        (-1, 3, "an offset must be a whole number from 0, got -1"),
        (0.5, 3, "an offset must be a whole number from 0, got 0.5"),
        (0, 10**12, "an offset must be a whole number from 0, got 1e+12"),
        (0, 9 * 10**8, "900,000,000 characters"),
    ],
)
def test_odd_offsets_are_refused(begin: float, end: float, message: str) -> None:
    gold = [{"question_id": "q", "doc_id": "a", "start": 0, "end": 3, "label": 1}]
    chunk = [{"question_id": "q", "doc_id": "a", "start": begin, "end": end, "score": 1.0}]
    with pytest.raises(DataError) as error:
        ir.evaluate(gold, chunk, "recall")
    assert message in str(error.value)


def test_chunks_have_the_order_of_scores_or_ranks_whatever_the_order_of_rows() -> None:
    rows = [("q2", "a", 5, 9, 0.1), ("q1", "a", 0, 4, 0.9), ("q2", "b", 0, 2, 0.7)]
    spans = Spans.of_rows(*zip(*rows, strict=True)).ranked()
    assert spans.query_ids.tolist() == ["q2", "q1"]
    assert list(zip(spans.doc_ids, spans.begins.tolist(), strict=True)) == [("b", 0), ("a", 5), ("a", 0)]


def test_a_saved_baseline_stays_valid_when_other_text_is_retrieved(tmp_path: Path) -> None:
    gold = {f"q{i}": [{"doc": "a", "start": i, "end": i + 5}] for i in range(8)}
    old = {query: [{"doc": "a", "start": 0, "end": 20}] for query in gold}
    new = {query: [{"doc": "b", "start": 0, "end": 7}] for query in gold}
    path = tmp_path / "baseline.json"
    ir.save_baseline(gold, old, "recall@10", path=path)
    assert ir.gate(gold, old, path, "recall@10").verdict != "fail"
    assert ir.gate(gold, new, path, "recall@10").verdict == "fail"
    gold["q0"][0]["end"] = 4
    with pytest.raises(DataError, match=r"the judgments of 1 query \(q0\) changed"):
        ir.gate(gold, new, path, "recall@10")
