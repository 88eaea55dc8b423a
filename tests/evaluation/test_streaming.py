from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import idealrank as ir
from idealrank.errors import DataError, OptionError

MEASURES = ["ndcg@3", "ap", "ndcg(empty=skip)", "rr(empty=nan)", "kendall_tau", "corrected_ndcg"]


def drawn(n_queries: int, seed: int) -> ir.RankingData:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 9, n_queries)
    n_docs = int(sizes.sum())
    return ir.from_arrays(
        rng.integers(0, 3, n_docs), group=sizes, query_ids=range(n_queries), scores=rng.integers(0, 5, n_docs)
    )


@given(st.integers(1, 30), st.integers(1, 7), st.integers(0, 9))
def test_batches_of_queries_give_the_result_in_memory_bit_for_bit(n_queries: int, n_batches: int, seed: int) -> None:
    data = drawn(n_queries, seed)
    whole = ir.evaluate(data, None, MEASURES)
    batches = (data.subset(part) for part in np.array_split(np.arange(n_queries), n_batches))
    summary = ir.evaluate_stream(batches, MEASURES)
    assert summary.n_queries == n_queries
    np.testing.assert_equal(summary.mean, whole.mean)
    np.testing.assert_equal(summary.interval(), whole.interval())


@pytest.mark.parametrize("batch_rows", [1, 7, 100, 10_000])
def test_parquet_is_folded_in_batches(tmp_path: Path, batch_rows: int) -> None:
    data = drawn(60, seed=3)
    ir.io.write_frame(data, tmp_path / "data.parquet")
    summary = ir.evaluate_stream(tmp_path / "data.parquet", MEASURES, batch_rows=batch_rows)
    np.testing.assert_equal(summary.mean, ir.evaluate(data, None, MEASURES).mean)
    assert summary.n_queries == 60


@pytest.mark.parametrize("batch_rows", [2, 100])
def test_a_query_that_comes_again_is_refused(tmp_path: Path, batch_rows: int) -> None:
    data = ir.from_arrays([1, 0, 1, 0, 1], query_ids=[1, 1, 2, 2, 1], scores=[5, 4, 3, 2, 1])
    ir.io.write_frame(data, tmp_path / "x.parquet")
    with pytest.raises(DataError, match="sorted by qid"):
        ir.evaluate_stream(tmp_path / "x.parquet", "ndcg", batch_rows=batch_rows)


def test_queries_without_documents_count_as_in_memory() -> None:
    summary = ir.evaluate_stream([([], [], [0, 0]), ([], [], [0]), ([0, 1], [2, 1], [0, 2])], "rr")
    assert summary.mean == ir.evaluate([0, 1], [2, 1], "rr", offsets=[0, 0, 2]).mean == {"rr": 0.25}


def test_a_summary_is_shown_like_an_evaluation() -> None:
    batch = [1, 0, 0, 1], [4, 3, 2, 1], [0, 2, 4]
    summary, evaluation = (
        ir.evaluate_stream([batch], ["rr", "p@1"]),
        ir.evaluate(*batch[:2], ["rr", "p@1"], offsets=batch[2]),
    )
    assert repr(summary) == repr(evaluation).replace("Evaluation", "Summary")
    assert repr(summary) == "Summary(rr 0.7500, p@1 0.5000; 2 queries, like idealrank)"


def test_a_stream_without_queries_is_refused() -> None:
    with pytest.raises(DataError, match="no queries"):
        ir.evaluate_stream([], "ndcg")


def test_problems_are_counted_over_batches() -> None:
    batches = [ir.from_arrays([0.5, 1.0], scores=[2, 1])] * 3
    summary = ir.evaluate_stream(batches, "ndcg", like="ranx")
    assert [(problem.kind, problem.count) for problem in summary.problems] == [("truncated label", 3)]
    assert str(summary.problems[0]) == (
        "truncated label, 3 times; in the first batch that has any: 1 labels are not whole and were cut, as ranx does"
    )


@pytest.mark.parametrize("batch_rows", [0, -1, 1.5])
def test_a_number_of_rows_that_reads_nothing_is_refused(batch_rows: Any, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    path = tmp_path / "x.parquet"
    ir.io.write_frame(ir.from_arrays([1, 0], query_ids=["a", "a"], scores=[1, 2]), path)
    with pytest.raises(OptionError, match="batch_rows must be a whole number of at least 1"):
        ir.evaluate_stream(path, "ndcg", batch_rows=batch_rows)
