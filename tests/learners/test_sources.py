"""Learning from what does not fit into memory: the same numbers, one pass a gradient, and little memory."""

import pickle
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone

from benchmarks.processes import peak_memory, run_process
from idealrank import from_arrays, learners, losses
from idealrank.errors import DataError, OptionError
from idealrank.io.batches import SortedParquet
from idealrank.learners.linear.objective import LinearObjective
from idealrank.learners.linear.query_blocks import ParquetSource, engine_of

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # fits are cut short


def made(n_queries: int = 40, seed: int = 0) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    qid = np.repeat(np.arange(n_queries), rng.integers(1, 15, n_queries))
    labels = rng.integers(0, 3, qid.size)
    X = rng.normal(size=(qid.size, 5)).astype(np.float32)
    X[:, 0] += labels
    return X, labels, qid


def written(folder: Path, rows: tuple[Any, Any, Any], **others: Any) -> Path:
    """The rows in three files, whose row groups cut queries in two."""
    X, labels, qid = rows
    folder.mkdir(exist_ok=True)
    table = pa.table({"qid": qid, "label": labels, **{f"f{i}": X[:, i] for i in range(X.shape[1])}, **others})
    for number, begin in enumerate(range(0, qid.size, -(-qid.size // 3))):
        pq.write_table(table.slice(begin, -(-qid.size // 3)), folder / f"{number}.parquet", row_group_size=13)
    return folder


@pytest.mark.parametrize("normalize", [None, "minmax", "zscore"])
@pytest.mark.parametrize("loss", ["pairwise_logistic", "cross_entropy(normalizer=dcg)", "approx_ndcg"])
def test_value_and_gradient_are_those_in_memory(tmp_path: Path, loss: str, normalize: str | None) -> None:
    X, y, qid = rows = made()
    ranker = learners.LinearRanker(normalize=normalize).fit(X, y, qid=qid)
    source = ParquetSource(written(tmp_path / "train", rows), batch_rows=20)
    parts = ranker._parts(from_arrays(y, query_ids=qid, features=X)), ranker._parts(source)
    parameters = np.random.default_rng(1).normal(size=6)
    (value, gradient), (streamed_value, streamed_gradient) = (
        LinearObjective(each, losses.loss(loss), lambda weight: 0.5 / weight)(parameters) for each in parts
    )
    assert_allclose(streamed_value, value, rtol=1e-13, atol=0)
    assert_allclose(streamed_gradient, gradient, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize(
    "ranker",
    [
        learners.LinearRanker("pairwise_logistic", normalize="minmax", l2=0.1),
        learners.LinearRanker(),
        learners.RankSVM(C=0.5, normalize="zscore"),
        learners.LeastSquaresRanker(),
    ],
)
def test_a_fit_from_files_is_the_fit_in_memory(tmp_path: Path, ranker: Any) -> None:
    X, y, qid = rows = made()
    validation = made(20, seed=1)
    source = ParquetSource(written(tmp_path / "train", rows), batch_rows=50)
    to_choose_by = ParquetSource(written(tmp_path / "valid", validation), batch_rows=30)
    inside = clone(ranker).fit(X, y, qid=qid, eval_set=validation)
    outside = clone(ranker).fit(source, eval_set=to_choose_by)
    assert outside.best_iteration_ == inside.best_iteration_
    assert_allclose(outside.coef_, inside.coef_, rtol=1e-9, atol=0)
    assert outside.feature_names_in_.tolist() == ["f0", "f1", "f2", "f3", "f4"]
    assert_allclose(
        outside.score(to_choose_by), inside.score(validation[0], validation[1], qid=validation[2]), rtol=1e-12, atol=0
    )
    assert_allclose(outside.predict(to_choose_by), inside.predict(validation[0], validation[2]), rtol=1e-9, atol=1e-12)


def test_documents_are_weighted_by_a_column(tmp_path: Path) -> None:
    X, y, qid = rows = made()
    weight = np.random.default_rng(2).random(qid.size)
    source = ParquetSource(written(tmp_path / "train", rows, weight=weight), weight="weight", features=["f0", "f2"])
    outside = learners.ListNet(l2=0.1).fit(source)
    inside = learners.ListNet(l2=0.1).fit(X[:, [0, 2]], y, qid=qid, sample_weight=weight)
    assert_allclose(outside.coef_, inside.coef_, rtol=1e-9, atol=0)
    assert "weight" not in ParquetSource(tmp_path / "train").features


def test_an_error_names_the_query_and_not_the_row_of_a_batch(tmp_path: Path) -> None:
    X, y, qid = made()
    source = ParquetSource(
        written(tmp_path / "train", (X, np.where(np.arange(y.size) == 100, np.inf, y), qid)), batch_rows=20
    )
    with pytest.raises(DataError, match="expected a finite number, got inf") as caught:
        learners.ListNet().fit(source)
    assert (caught.value.query, caught.value.row, caught.value.column) == (qid[100], None, "label")


def test_alpha_may_be_found_from_the_scores_of_the_last_fit(tmp_path: Path) -> None:
    X, y, qid = rows = made()
    source = ParquetSource(written(tmp_path / "train", rows), batch_rows=20)
    options: dict[str, Any] = {"normalize": "minmax", "warm_start": True, "max_iter": 3}
    first, second = (learners.LinearRanker("pairwise_logistic", **options) for _ in range(2))
    first.fit(source).set_params(loss="approx_ndcg(alpha=auto)").fit(source)
    second.fit(X, y, qid=qid).set_params(loss="approx_ndcg(alpha=auto)").fit(X, y, qid=qid)
    streamed, expected = first.loss_, second.loss_
    assert isinstance(streamed, losses.ApproxNDCG)
    assert isinstance(expected, losses.ApproxNDCG)
    assert streamed.alpha != 10
    assert_allclose(streamed.slope_of_ranks(), expected.slope_of_ranks(), rtol=1e-6, atol=0)


def test_there_is_one_pass_for_each_gradient(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    passes: list[SortedParquet] = []
    gradients: list[Any] = []
    batches, called = SortedParquet.batches, LinearObjective.__call__

    def counted_batches(self: SortedParquet, rows: int) -> Any:
        passes.append(self)
        return batches(self, rows)

    def counted_call(self: LinearObjective, parameters: Any) -> Any:
        gradients.append(parameters)
        return called(self, parameters)

    monkeypatch.setattr(SortedParquet, "batches", counted_batches)
    monkeypatch.setattr(LinearObjective, "__call__", counted_call)
    ranker = learners.ApproxNDCGRanker(max_iter=5).fit(ParquetSource(written(tmp_path / "train", made())))
    assert len(passes) == 1 + len(gradients)  # the first finds the scale of the features
    assert len(gradients) >= len(ranker.history_) > 5


@pytest.mark.slow
def test_files_larger_than_the_memory_that_a_fit_takes(tmp_path: Path) -> None:
    n_queries, n_features = 4000, 60
    rng = np.random.default_rng(0)
    matrix = rng.random((n_queries * 100, n_features), np.float32)
    columns = {f"f{i}": matrix[:, i] for i in range(n_features)}
    labels = rng.integers(0, 3, matrix.shape[0])
    table = pa.table({"qid": np.repeat(np.arange(n_queries), 100), "label": labels, **columns})
    pq.write_table(table, tmp_path / "big.parquet", row_group_size=10_000, compression="none", use_dictionary=False)
    fit = (
        "LinearRanker('pairwise_logistic', max_iter=1, n_threads=1).fit(ParquetSource('big.parquet', batch_rows=5000))"
    )
    imports = "import scipy.optimize, pyarrow.parquet, narwhals\nfrom idealrank.learners import *\n"
    assert peak_memory(imports, fit, tmp_path) < matrix.nbytes / 2


@pytest.mark.slow
def test_a_memory_map_is_not_copied(tmp_path: Path) -> None:
    n_rows, n_features = 100_000, 300
    shape = f"mode='r', dtype='float32', shape=({n_rows}, {n_features})"
    rng = np.random.default_rng(0)
    cells = np.memmap(tmp_path / "cells", mode="w+", dtype=np.float32, shape=(n_rows, n_features))
    cells[:] = rng.random(cells.shape, np.float32)
    cells.flush()
    np.save(tmp_path / "labels.npy", rng.integers(0, 3, n_rows))
    # Only memory that is written counts as data: file pages that are read do not.
    code = f"""
import resource
import numpy as np
from idealrank.learners import LinearRanker
import scipy.optimize, sklearn.utils.validation
ranker = LinearRanker("pairwise_logistic", normalize="minmax", max_iter=2, n_threads=1)
ranker.fit(np.eye(4, 3, dtype=np.float32), [0, 1, 0, 1], qid=[0, 0, 1, 1])
with open("/proc/self/status") as status:
    data = next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmData"))
resource.setrlimit(resource.RLIMIT_DATA, (data + 60 * 2**20,) * 2)
cells = np.memmap("cells", {shape})
qid = np.repeat(np.arange({n_rows // 100}), 100)
print(ranker.fit(cells, np.load("labels.npy"), qid=qid).predict(cells, qid).size)
"""
    assert cells.nbytes > 100 * 2**20
    assert run_process([sys.executable, "-c", code], tmp_path).split() == [str(n_rows)]


def test_boosted_trees_read_a_source_into_memory(tmp_path: Path) -> None:
    pytest.importorskip("lightgbm")
    X, y, qid = rows = made()
    source = ParquetSource(written(tmp_path / "train", rows), batch_rows=20)
    options: dict[str, Any] = {"n_estimators": 5, "min_child_samples": 2, "n_threads": 1, "random_state": 0}
    inside = learners.BoostedRanker(**options).fit(X, y, qid=qid, eval_set=(X, y, qid))
    outside = learners.BoostedRanker(**options).fit(source, eval_set=source)
    assert_allclose(outside.predict(source), inside.predict(X, qid), rtol=0, atol=0)


def test_what_a_source_cannot_do_is_refused(tmp_path: Path) -> None:
    X, y, _ = rows = made()
    source = ParquetSource(written(tmp_path / "train", rows))
    with pytest.raises(OptionError, match="sgd"):
        learners.LinearRanker("cross_entropy", optimizer="sgd").fit(source)
    with pytest.raises(OptionError, match="RandomRanker takes RankingData or arrays in memory, got ParquetSource"):
        learners.RandomRanker().fit(source)
    with pytest.raises(DataError, match="of its own"):
        learners.ListNet().fit(source, y)
    with pytest.raises(DataError, match="query of each row"):
        learners.ListNet().fit(X, y)
    ranker = learners.ListNet().fit(source)
    with pytest.raises(DataError, match="feature names"):
        ranker.predict(ParquetSource(tmp_path / "train", features=["f4", "f3", "f2", "f1", "f0"]))
    with pytest.raises(DataError, match="label and the query"):
        ranker.score(X)
    with pytest.raises(OptionError, match=r"engine must be None or a distributed\.Client, got str"):
        learners.ListNet(engine="cluster").fit(source)


def test_what_is_wrong_in_the_files_names_the_query(tmp_path: Path) -> None:
    X, y, qid = made()
    X[qid == 30, 3] = np.nan
    source = ParquetSource(written(tmp_path / "train", (X, y, qid)), batch_rows=20)
    with pytest.raises(DataError, match="finite number") as refused:
        learners.ListNet().fit(source)
    assert (refused.value.query, refused.value.row) == (30, None)
    with pytest.raises(DataError, match="no columns of features"):
        ParquetSource(tmp_path / "train", features=[])
    with pytest.raises(DataError, match=r"no column 'rel'"):
        ParquetSource(tmp_path / "train", label="rel")
    with pytest.raises(DataError, match="batch_rows"):
        ParquetSource(tmp_path / "train", batch_rows=0)
    empty = pa.table({name: pa.array([], pa.int64()) for name in ("qid", "label", "f0")})
    pq.write_table(empty, tmp_path / "empty.parquet")
    with pytest.raises(DataError, match="no queries"):
        learners.ListNet().fit(ParquetSource(tmp_path / "empty.parquet"))


class Connection:
    """As much of a client as an engine needs; like one, it can be neither copied nor pickled."""

    def __reduce__(self) -> Any:
        raise TypeError("a connection stays where it is")

    def nthreads(self) -> dict[str, int]:
        return {"a": 1, "b": 1}

    def map(self, function: Any, pieces: Any, pure: bool) -> Any:
        return [pickle.loads(pickle.dumps((function, piece))) for piece in pieces]

    def gather(self, tasks: Any) -> Any:
        return [function(piece) for function, piece in tasks]


@pytest.mark.slow
def test_an_engine_computes_the_same_and_is_shared_by_copies_but_not_sent(tmp_path: Path) -> None:
    rows = made()
    source = ParquetSource(written(tmp_path / "train", rows), batch_rows=20)
    assert len(source.pieces(engine_of(Connection()))) == 8
    ranker = learners.LinearRanker("pairwise_logistic", normalize="minmax", l2=0.1, engine=Connection())
    copy = clone(ranker)
    assert copy.engine is ranker.engine
    copy.fit(source)
    here = learners.LinearRanker("pairwise_logistic", normalize="minmax", l2=0.1).fit(source)
    assert_allclose(copy.coef_, here.coef_, rtol=1e-9, atol=0)
    again = pickle.loads(pickle.dumps(copy))
    assert again.engine is None
    assert_allclose(again.predict(source), copy.predict(source), rtol=0, atol=0)
