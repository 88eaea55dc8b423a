"""Measures of diversity against their definitions, and against ndeval."""

import itertools
import math
import random
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import idealrank as ir
from idealrank.errors import DataError, OptionError
from idealrank.measures import Measure
from idealrank.measures.conventions import convention
from idealrank.measures.measure_names import MEASURES

#: {document: subtopics that it is relevant to}, in rank order.
Ranking = list[set[str]]


class Query(NamedTuple):
    """A ranking, and the judged documents by id."""

    ranked: Ranking
    judged: dict[str, set[str]]

    @property
    def n_subtopics(self) -> int:
        return len(set().union(*self.judged.values()))


def novelty(ranking: Ranking, alpha: float) -> list[float]:
    """The gain of each rank, subtopic by subtopic."""
    return [
        sum((1 - alpha) ** sum(subtopic in above for above in ranking[:i]) for subtopic in own)
        for i, own in enumerate(ranking)
    ]


def discounted(ranking: Ranking, alpha: float, discount: Any, k: int) -> float:
    return float(sum(gain * discount(rank) for rank, gain in enumerate(novelty(ranking, alpha)[:k], 1)))


def greedy(judged: dict[str, set[str]], alpha: float) -> Ranking:
    """At each rank the document with the largest gain; of equal ones that with the largest id."""
    chosen: list[str] = []
    while len(chosen) < len(judged):
        ranking = [judged[doc] for doc in chosen]
        left = [doc for doc in judged if doc not in chosen]
        chosen.append(max(left, key=lambda doc: (round(novelty([*ranking, judged[doc]], alpha)[-1], 12), doc)))
    return [judged[doc] for doc in chosen]


def log_discount(rank: int) -> float:
    return 1 / math.log2(rank + 1)


def reciprocal(rank: int) -> float:
    return 1 / rank


def expected(m: Any, query: Query) -> float:
    n = query.n_subtopics
    if not n:
        return 0.0
    k = m.cutoff.k if m.cutoff is not None else len(query.ranked)
    everything = [set(map(str, range(n)))] * k
    match type(m).__name__:
        case "AlphaNDCG" | "NERRIA" as name:
            discount = log_discount if name == "AlphaNDCG" else reciprocal
            depth = k if m.cutoff is not None else 10**6
            ideal = discounted(greedy(query.judged, m.alpha), m.alpha, discount, depth)
            return discounted(query.ranked, m.alpha, discount, depth) / ideal
        case "AlphaDCG" | "ERRIA" as name:
            discount = log_discount if name == "AlphaDCG" else reciprocal
            best = discounted(everything, m.alpha, discount, k)
            return discounted(query.ranked, m.alpha, discount, k) / best if k else 0.0
        case "NRBP" | "NNRBP" as name:

            def persistence(rank: int) -> float:
                return float(m.beta ** (rank - 1))

            value = discounted(query.ranked, m.alpha, persistence, 10**6)
            if name == "NRBP":
                return float(value * (1 - (1 - m.alpha) * m.beta) / n)
            return value / discounted(greedy(query.judged, m.alpha), m.alpha, persistence, 10**6)
        case "PIA":
            return sum(map(len, query.ranked[:k])) / (k * n) if k else 0.0
        case "APIA":
            total = 0.0
            for subtopic in set().union(*query.judged.values()):
                hits = [rank for rank, own in enumerate(query.ranked, 1) if subtopic in own]
                relevant = sum(subtopic in own for own in query.judged.values())
                total += sum(number / rank for number, rank in enumerate(hits, 1)) / relevant
            return total / n
        case "SubtopicRecall":
            return len(set().union(*query.ranked[:k])) / n if query.ranked else 0.0
    raise AssertionError(m)


Rows = list[tuple[str, str, str, int]]


def drawn(seed: int = 0, n_queries: int = 12) -> tuple[Rows, dict[str, dict[str, float]]]:
    """Judgments by subtopic and a run with ties; the first query has nothing relevant, the last is not in the run."""
    rng = random.Random(seed)
    rows, run = [], {}
    for q in range(n_queries):
        for d, s in itertools.product(range(20), range(4)):
            if rng.random() < 0.4:
                rows.append((f"q{q}", f"s{s}", f"d{d}", 0 if q == 0 else rng.choice([-1, 0, 0, 1, 2])))
        run[f"q{q}"] = {f"d{d}": float(rng.randint(0, 9)) for d in rng.sample(range(30), rng.randint(1, 18))}
    del run[f"q{n_queries - 1}"]
    return rows, run


def queries_of(rows: Rows, run: dict[str, dict[str, float]], rel: float = 1) -> dict[str, Query]:
    """The queries of the run, with ties in descending order of ids."""
    judged: dict[str, dict[str, set[str]]] = {}
    for query, subtopic, doc, label in rows:
        own = judged.setdefault(query, {}).setdefault(doc, set())
        if label >= rel:
            own.add(subtopic)
    ranked = {
        query: [judged[query].get(doc, set()) for doc in sorted(docs, key=lambda doc: (docs[doc], doc), reverse=True)]
        for query, docs in run.items()
    }
    return {query: Query(ranked[query], judged[query]) for query in run}


EVERY = [
    "alpha_ndcg", "alpha_ndcg@1", "alpha_ndcg@5", "alpha_ndcg(alpha=0.3)@10", "alpha_ndcg(alpha=1)@5",
    "alpha_ndcg(alpha=0)@5", "alpha_dcg", "alpha_dcg@1", "alpha_dcg@30", "err_ia", "err_ia@1", "err_ia@10",
    "err_ia(alpha=0.9)@20", "nerr_ia", "nerr_ia@3", "nrbp", "nrbp(alpha=0.2,beta=0.8)", "nnrbp",
    "nnrbp(alpha=0.2,beta=0.8)", "p_ia@1", "p_ia@30", "p_ia", "ap_ia", "strec", "strec@1", "strec@3",
    "alpha_ndcg(rel=2)@5", "strec(rel=2)@5",
]  # fmt: skip


@pytest.mark.parametrize("seed", range(3))
def test_values_are_those_of_the_definitions(seed: int) -> None:
    rows, run = drawn(seed)
    found = ir.evaluate(ir.SubtopicQrels.from_rows(*zip(*rows, strict=True)), run, EVERY)
    assert found.query_ids.tolist() == list(run)
    for name in EVERY:
        filled: Any = found.filled[name]
        values = [expected(filled, query) for query in queries_of(rows, run, filled.rel).values()]
        assert found.per_query[name] == pytest.approx(values, rel=1e-12), name
        assert filled.value_range[0] <= min(values), name
        assert max(values) <= filled.value_range[1] + 1e-12, name


def test_a_ranking_can_be_better_than_the_greedy_ideal() -> None:
    documents = {"greedy": "2345", "first": "123", "second": "456"}
    qrels = {"q": {doc: dict.fromkeys(own, 1) for doc, own in documents.items()}}
    value = ir.evaluate(qrels, {"q": ["first", "second"]}, "alpha_ndcg(alpha=1)@2").per_query["alpha_ndcg(alpha=1)@2"]
    second = 1 / math.log2(3)
    assert value == pytest.approx([(3 + 3 * second) / (4 + second)])
    assert 1 < value[0] < ir.measure("alpha_ndcg").value_range[1]


def test_every_measure_that_needs_subtopics_is_tested() -> None:
    assert {type(ir.measure(name)).__name__ for name in EVERY} == {
        cls.__name__ for cls in MEASURES.members().values() if cls.needs_subtopics
    }


@pytest.mark.parametrize("alpha", [0.5, 0.3, 0.9])
def test_values_are_those_of_ndeval(alpha: float) -> None:
    pyndeval = pytest.importorskip("pyndeval")
    rows, run = drawn()
    names = [f"{name}(alpha={alpha},ties=docid_asc)" for name in ("alpha_ndcg", "alpha_dcg", "err_ia", "nerr_ia")]
    ours = {
        **{f"{name}@{k}": f"{other}@{k}"
           for name, other in zip(names, ("alpha-nDCG", "alpha-DCG", "ERR-IA", "nERR-IA"), strict=True)
           for k in (2, 5, 20)},
        **{f"{name}(ties=docid_asc)@{k}": f"{other}@{k}"
           for name, other in (("p_ia", "P-IA"), ("strec", "strec")) for k in (1, 5, 20)},
        f"nrbp(alpha={alpha},ties=docid_asc)": "NRBP",
        "ap_ia(ties=docid_asc)": "MAP-IA",
        f"nnrbp(alpha={alpha},ties=docid_asc)": "nNRBP",
    }  # fmt: skip
    scored = [(query, doc, score) for query, docs in run.items() for doc, score in docs.items()]
    theirs = pyndeval.ndeval(rows, scored, list(ours.values()), alpha=alpha)
    found = ir.evaluate(ir.SubtopicQrels.from_rows(*zip(*rows, strict=True)), run, list(ours))
    for name, other in ours.items():
        values = [0.0 if query == "q0" else theirs[query][other] for query in run]  # theirs may be 0 / 0
        assert found.per_query[name] == pytest.approx(values, rel=1e-12), name


def test_measures_of_ir_measures_have_its_values() -> None:
    ir_measures = pytest.importorskip("ir_measures")
    pytest.importorskip("pyndeval")
    rows, run = drawn()
    rows = [row for row in rows if row[0] not in ("q0", "q11")]
    qrels = [ir_measures.Qrel(query, doc, max(label, 0), subtopic) for query, subtopic, doc, label in rows]
    asked = [ir_measures.alpha_nDCG @ 5, ir_measures.ERR_IA @ 10, ir_measures.StRecall @ 5, ir_measures.AP_IA]
    theirs = ir_measures.calc_aggregate(asked, qrels, {query: run[query] for query in run if query != "q0"})
    ours = ir.evaluate(qrels, run, asked, like="ir_measures").mean
    assert ours == pytest.approx({str(measure): value for measure, value in theirs.items()}, rel=1e-12)


QRELS = {"q1": {"d1": {"1": 1, "2": 1}, "d2": {"1": 2}, "d3": {"2": 0}}, "q2": {"d7": {"1": 1}, "d8": {"1": 0, "3": 1}}}
RUN = {"q1": {"d3": 3.0, "d2": 2.0, "d1": 1.0}, "q2": {"d8": 2.0, "d9": 1.0}}
LINES = [(q, s, d, label) for q, docs in QRELS.items() for d, own in docs.items() for s, label in own.items()]


@pytest.fixture
def value() -> float:
    return ir.evaluate(ir.SubtopicQrels(QRELS), RUN, "alpha_ndcg@3").mean["alpha_ndcg@3"]


def test_dicts_and_tuples(value: float) -> None:
    class SubQrel(NamedTuple):
        query_id: str
        doc_id: str
        relevance: int
        subtopic_id: str

    by_subtopic: dict[str, dict[str, dict[str, int]]] = {}
    for q, s, d, label in LINES:
        by_subtopic.setdefault(q, {}).setdefault(s, {})[d] = label
    relevant = {q: {d: {s for s in own if own[s]} for d, own in docs.items()} for q, docs in QRELS.items()}
    shapes: list[Any] = [
        QRELS,
        relevant,
        ir.SubtopicQrels.by_subtopic(by_subtopic),
        ir.SubtopicQrels.from_rows(*zip(*LINES, strict=True)),
        [SubQrel(q, d, label, s) for q, s, d, label in LINES],
    ]
    for shape in shapes:
        assert ir.evaluate(shape, RUN, "alpha_ndcg@3").mean["alpha_ndcg@3"] == value
    with pytest.raises(DataError, match=r"the run retrieves what the judgments call subtopics.*by_subtopic"):
        ir.evaluate(by_subtopic, RUN, "alpha_ndcg@3")


def test_frames(value: float) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(LINES, columns=["query_id", "subtopic_id", "doc_id", "relevance"])
    assert ir.evaluate(frame, RUN, "alpha_ndcg@3").mean["alpha_ndcg@3"] == value
    other = frame.rename(columns={"subtopic_id": "nugget"})
    assert ir.evaluate(other, RUN, "alpha_ndcg@3", subtopic="nugget").mean["alpha_ndcg@3"] == value
    assert ir.io.qrels_from_frame(ir.io.to_frame(ir.SubtopicQrels(QRELS)), subtopic="subtopic") == ir.SubtopicQrels(
        QRELS
    )


def written(folder: Path, lines: list[tuple[Any, ...]], name: str = "judgments") -> Path:
    path = folder / name
    path.write_text("# diversity\n\n" + "".join(" ".join(map(str, line)) + "\n" for line in lines))
    return path


def test_a_file_is_recognized_by_documents_that_are_listed_for_several_subtopics(tmp_path: Path, value: float) -> None:
    path = written(tmp_path, LINES)
    assert ir.read_qrels(path) == ir.SubtopicQrels(QRELS)
    assert ir.evaluate(path, RUN, "alpha_ndcg@3").mean["alpha_ndcg@3"] == value
    assert ir.evaluate(path, RUN, "ndcg").mean == ir.evaluate(ir.Qrels(ir.SubtopicQrels(QRELS)), RUN, "ndcg").mean
    late = written(tmp_path, [(f"q{i}", "0", "d", 1) for i in range(9000)] + LINES, "late")  # beyond the first block
    assert isinstance(ir.read_qrels(late), ir.SubtopicQrels)
    (problem,) = (each for each in ir.read_qrels(path).problems if each.kind == "subtopics")
    assert "highest label" in problem.message


def test_a_file_that_repeats_a_document_under_one_second_field_is_no_file_of_subtopics(tmp_path: Path) -> None:
    found = ir.read_qrels(written(tmp_path, [("q1", "0", "d1", 1), ("q1", "1", "d2", 1), ("q1", "0", "d1", 2)]))
    assert type(found) is ir.Qrels
    assert [each.kind for each in found.problems] == ["comment", "duplicate"]


def test_a_file_that_does_not_say_needs_the_option(tmp_path: Path) -> None:
    path = written(tmp_path, [("q1", "1", "d1", 1), ("q1", "2", "d2", 1)])
    assert type(ir.read_qrels(path)) is ir.Qrels
    assert ir.read_qrels(path, subtopics=True).to_nested() == {"q1": {"d1": {"1": 1.0}, "d2": {"2": 1.0}}}
    with pytest.raises(DataError, match=r"alpha_ndcg needs judgments by subtopic.*--from subtopics"):
        ir.evaluate(path, {"q1": ["d1"]}, "alpha_ndcg@3")


@pytest.mark.parametrize(
    ("ties", "order"), [("average", "averaged ties"), ("best", "ties=best"), ("worst", "ties=worst")]
)
def test_ties_without_a_closed_form_are_refused(ties: str, order: str) -> None:
    with pytest.raises(OptionError, match=f"alpha_ndcg has no closed form for {order}; choose ties from stable"):
        ir.evaluate(QRELS, RUN, f"alpha_ndcg(ties={ties})")


def test_arrays_have_no_subtopics() -> None:
    with pytest.raises(DataError, match="err_ia needs judgments by subtopic"):
        ir.evaluate([1, 0], [2, 1], "err_ia")


@pytest.mark.parametrize("missing", [0.0, "drop"])
def test_queries_without_a_run_or_without_a_relevant_document(missing: float | str) -> None:
    rows, run = drawn()
    like = convention("trec_eval").replace(missing=missing)
    qrels = ir.SubtopicQrels.from_rows(*zip(*rows, strict=True))
    found = ir.evaluate(qrels, run, ["alpha_ndcg@5", "alpha_ndcg(empty=skip)@5", "alpha_ndcg(empty=1)@5"], like=like)
    assert found.n_queries == (12 if missing == 0.0 else 11)
    assert found.moments["alpha_ndcg(empty=skip)@5"].count == found.n_queries - 1
    assert found.per_query["alpha_ndcg(empty=1)@5"][0] == 1
    assert found.per_query["alpha_ndcg@5"][0] == 0
    if missing == 0.0:
        assert found.per_query["alpha_ndcg(empty=skip)@5"][-1] == 0


def test_parts_of_joined_judgments_keep_their_subtopics() -> None:
    rows, run = drawn()
    qrels = ir.SubtopicQrels.from_rows(*zip(*rows, strict=True))
    data = ir.io.join(qrels, run)
    m: Measure = ir.measure("alpha_ndcg(ties=stable)@5")
    whole, part = m.values(data.lists(data.scores)), data.subset([7, 2])
    assert m.values(part.lists(part.scores)).tolist() == whole[[7, 2]].tolist()


def test_judgments_by_subtopic_as_a_value() -> None:
    qrels = ir.SubtopicQrels(QRELS)
    assert repr(qrels) == "SubtopicQrels(2 queries, 5 documents, 4 subtopics)"
    assert qrels["q1"] == {"d1": 1.0, "d2": 2.0, "d3": 0.0}
    halves = [ir.SubtopicQrels({query: docs}) for query, docs in QRELS.items()]
    assert ir.io.concatenate(halves) == qrels
    assert type(ir.io.concatenate([halves[0], ir.Qrels({"q9": {"d": 1}})])) is ir.Qrels
    twice = ir.SubtopicQrels.from_rows(["q", "q"], ["1", "1"], ["d", "d"], [1, 2])
    assert twice.to_nested() == {"q": {"d": {"1": 2.0}}}
    assert "'d' for subtopic '1' of query 'q': the last label counts" in twice.problems[0].message
    assert ir.SubtopicQrels({}).n_queries == 0


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"q": {"d": 1}}, "expected labels by subtopic for 'd', got int"),
        ({"q": 1}, r"expected \{document: \{subtopic: label\}\}, got int"),
        ({"q": {"d": {"s": math.nan}}}, "a label must be a finite number, got nan"),
        ({"q": {"d": {"s": "x"}}}, "labels must be"),
        ({"q": {"d": {"s": 1}, "e": 1}}, "expected labels by subtopic for 'e', got int"),
    ],
)
def test_bad_judgments_by_subtopic(given: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        ir.SubtopicQrels(given)


@pytest.mark.parametrize("n_subtopics", [10, 20_000])
def test_long_lists_take_linear_time_and_memory(n_subtopics: int) -> None:
    rng = np.random.default_rng(0)
    n = 20_000
    docs = np.repeat([f"d{i}" for i in range(n)], 3)
    subtopics = (np.repeat(rng.integers(0, n_subtopics, n), 3) + np.tile([0, 1, 3], n)) % n_subtopics
    qrels = ir.SubtopicQrels.from_rows(["q"] * docs.size, subtopics.tolist(), docs.tolist(), np.ones(docs.size))
    began = time.process_time()
    means = ir.evaluate(qrels, {"q": [f"d{i}" for i in rng.permutation(n)]}, EVERY).mean
    assert time.process_time() - began < 10
    assert all((0 < value <= 1) is ("rel=2" not in name) for name, value in means.items())


def test_queries_do_not_take_time_for_the_documents_of_others() -> None:
    n = 3_000
    rows = [(f"q{i}", j, f"d{j}", 1) for i in range(n) for j in range(4)]
    qrels = ir.SubtopicQrels.from_rows(*zip(*rows, strict=True))
    began = time.process_time()
    evaluation = ir.evaluate(qrels, {f"q{i}": ["d1", "d0"] for i in range(n)}, "strec@2")
    assert time.process_time() - began < 3
    assert evaluation.mean["strec@2"] == 0.5
