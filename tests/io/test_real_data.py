"""Public research data, read where IDEALRANK_DATA names a folder that holds it."""

import lzma
from pathlib import Path

import numpy as np
import pytest
from oracles import dense, parse_letor

import idealrank as ir

PARTS = [f"S{number}.txt.xz" for number in range(1, 6)]


@pytest.mark.parametrize(
    ("folder", "n_queries", "n_docs", "n_features"),
    [("mq2008", 784, 15_211, 46), ("ohsumed-letor1", 106, 16_140, 25), ("ohsumed-letor3", 106, 16_140, 45)],
)
def test_letor_collections_have_the_published_size(
    real_data: Path, folder: str, n_queries: int, n_docs: int, n_features: int
) -> None:
    parts = [ir.read_letor(real_data / folder / part) for part in PARTS]
    assert sum(part.n_queries for part in parts) == n_queries
    assert sum(part.n_docs for part in parts) == n_docs
    for part in parts:
        assert part.n_features == n_features
        assert set(part.labels) == {0, 1, 2}
        assert part.doc_ids is not None
        assert not part.problems
    if folder == "mq2008":
        empty = sum(
            not part.labels[part.offsets[query] : part.offsets[query + 1]].any()
            for part in parts
            for query in range(part.n_queries)
        )
        assert empty == 220


@pytest.mark.parametrize("folder", ["mq2008", "ohsumed-letor1", "ohsumed-letor3"])
def test_every_number_is_what_float_reads(real_data: Path, folder: str) -> None:
    path = real_data / folder / PARTS[0]
    labels, _, features, docs = parse_letor(lzma.decompress(path.read_bytes()).decode())
    data = ir.read_letor(path)
    np.testing.assert_array_equal(data.labels, labels)
    np.testing.assert_array_equal(data.features, dense(features))
    assert data.doc_ids is not None
    assert data.doc_ids.tolist() == docs


def test_lightgbm_example_finds_its_group_sizes(real_data: Path) -> None:
    folder = real_data / "lightgbm-lambdarank"
    train, test = ir.read_letor(folder / "rank.train.xz"), ir.read_letor(folder / "rank.test.xz", sparse=True)
    assert (train.n_queries, test.n_queries) == (201, 50)
    assert train.n_features == test.n_features == 300
    assert set(train.labels) == {0, 1, 2, 3, 4}


def test_trec_deep_learning_2019(real_data: Path) -> None:
    qrels = ir.read_qrels(real_data / "trec-dl19" / "qrels.txt.xz")
    run = ir.read_run(real_data / "trec-dl19" / "bm25.run.xz")
    data = ir.io.join(qrels, run)
    assert qrels.n_queries == run.n_queries == data.n_queries == 43
    assert qrels.n_docs == 9_260
    assert run.n_docs == 43_000
    assert not data.problems


def test_trec_deep_learning_2019_has_the_published_values(real_data: Path) -> None:
    qrels = ir.read_qrels(real_data / "trec-dl19" / "qrels.txt.xz")
    run = ir.read_run(real_data / "trec-dl19" / "bm25.run.xz")
    mean = ir.evaluate(qrels, run, ["map", "ndcg", "ndcg_cut_10", "ap(rel=2)"]).mean
    assert {name: round(value, 4) for name, value in mean.items()} == {
        "map": 0.3766,
        "ndcg": 0.6001,
        "ndcg_cut_10": 0.4973,
        "ap(rel=2)": 0.2903,
    }


def test_letor_4_gives_nothing_to_the_short_and_the_empty_queries_of_mq2008(real_data: Path) -> None:
    parts = [ir.read_letor(real_data / "mq2008" / part) for part in PARTS]
    # With the ideal order, every query that has a relevant document, and for letor4 ten documents, has NDCG@10 1.
    for like, least_docs in (("letor1", 1), ("letor4", 10)):
        values = np.concatenate([ir.evaluate(p, p.labels, "ndcg@10", like=like).per_query["ndcg@10"] for p in parts])
        sizes = np.concatenate([np.diff(part.offsets) for part in parts])
        relevant = np.concatenate([np.add.reduceat(part.labels, part.offsets[:-1]) > 0 for part in parts])
        np.testing.assert_array_equal(values, relevant & (sizes >= least_docs))
        assert (relevant == 0).sum() == 220


def test_trec_evals_own_files(real_data: Path) -> None:
    folder = real_data / "trec_eval"
    qrels = {path.name: ir.read_qrels(path) for path in sorted(folder.glob("qrels.*"))}
    runs = {path.name: ir.read_run(path) for path in sorted(folder.glob("results.*"))}
    commented, plain = qrels["qrels.test.with-comments.xz"].to_dict(), qrels["qrels.test.xz"].to_dict()
    commented["301"]["CR93E-1860"] = commented["301"].pop("CR#93E-1860")  # a hash inside an id is no comment
    assert commented == plain
    assert (qrels["qrels.test.xz"].n_queries, qrels["qrels.test.xz"].n_docs) == (3, 3_681)
    assert (runs["results.test.xz"].n_queries, runs["results.test.xz"].n_docs) == (3, 1_500)
    assert (runs["results.trunc.xz"].n_queries, runs["results.trunc.xz"].n_docs) == (2, 584)
    assert runs["results.comment.test.xz"].n_docs == 30_100
