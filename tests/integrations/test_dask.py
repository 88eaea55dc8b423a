"""Two workers in processes of their own: the numbers of one machine, whatever happens to a worker."""

import logging
import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import idealrank as ir
from idealrank import learners
from idealrank.errors import DataError, OptionError

dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")
dataframe = pytest.importorskip("dask.dataframe")
pandas = pytest.importorskip("pandas")
pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

from idealrank.integrations import dask as clusters  # noqa: E402 (only where Dask is installed)

MEASURES = ["ndcg@10", "ap", "rr(empty=skip)"]


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    settings = {
        "distributed.worker.daemon": True,
        "distributed.scheduler.allowed-failures": 10,
        "distributed.comm.timeouts": {"connect": "120s", "tcp": "120s"},  # the machine may do much else
    }
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    with (
        dask.config.set(settings),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0", silence_logs=logging.CRITICAL
        ) as cluster,
        distributed.Client(cluster) as connected,
    ):
        yield connected


def wait_for_two_workers(client: Any) -> None:
    """Wait until Dask has started a killed worker again; on a busy machine it sometimes gives up, and gets another."""
    try:
        client.wait_for_workers(2, timeout=60)
    except TimeoutError:
        client.cluster.scale(3)
        client.wait_for_workers(2, timeout=200)


def made(n_queries: int = 60, seed: int = 0) -> Any:
    """Two systems and two features, the rows sorted by query."""
    rng = np.random.default_rng(seed)
    qid = np.repeat(np.arange(n_queries), rng.integers(1, 30, n_queries))
    label = rng.integers(0, 3, qid.size)
    columns = {"old": label + 2 * rng.normal(size=qid.size), "new": label + rng.normal(size=qid.size)}
    return pandas.DataFrame({"qid": qid, "label": label, **columns, "f": rng.random(qid.size), "g": columns["new"]})


def written(frame: Any, folder: Path, row_group_size: int = 37) -> Path:
    """Three files, whose row groups cut queries in two."""
    folder.mkdir()
    table, rows = pa.Table.from_pandas(frame, preserve_index=False), -(-len(frame) // 3)
    for number in range(3):
        part = table.slice(number * rows, rows)
        pq.write_table(part, folder / f"part-{number}.parquet", row_group_size=row_group_size)
    return folder


def same(found: Any, frame: Any, score: str = "new") -> None:
    """The bits of the evaluation in memory."""
    expected = ir.evaluate(frame, score, MEASURES)
    assert found.n_queries == expected.n_queries
    np.testing.assert_equal(found.mean, expected.mean)
    np.testing.assert_equal(found.interval(), expected.interval())
    assert [problem.kind for problem in found.problems] == [problem.kind for problem in expected.problems]


def test_shuffled_rows_give_the_bits_of_one_machine(client: Any, tmp_path: Path) -> None:
    frame = made()
    mixed = frame.sample(frac=1, random_state=3).rename(columns={"qid": "query", "label": "grade"})
    lazy = dataframe.from_pandas(mixed, npartitions=5, sort=False)
    names: dict[str, Any] = {"query": "query", "label": "grade", "score": "new"}
    same(clusters.evaluate(lazy, MEASURES, **names, client=client), frame)
    same(clusters.evaluate(written(mixed, tmp_path / "x"), MEASURES, **names, client=client), frame)


def test_sorted_files_give_the_bits_of_one_machine_and_values_a_query(client: Any, tmp_path: Path) -> None:
    frame = made()
    folder = written(frame, tmp_path / "data")
    out = tmp_path / "values"
    found = clusters.evaluate(folder, MEASURES, score="new", sorted=True, per_query=out, batch_rows=50, client=client)
    same(found, frame)
    files = sorted(out.iterdir())
    assert [file.name for file in files] == [f"part-{number:05}.parquet" for number in range(8)]
    values = pa.concat_tables([pq.read_table(file) for file in files])
    expected = ir.evaluate(frame, "new", MEASURES)
    assert values["qid"].to_pylist() == expected.query_ids.tolist()
    for name in MEASURES:
        np.testing.assert_equal(values[name].to_numpy(), expected.per_query[name])


def test_partitions_of_whole_queries_need_no_shuffle(client: Any) -> None:
    frame = made().astype({"qid": str})
    frame["qid"] = frame["qid"].str.zfill(3)
    parts = [
        frame[(frame["qid"] >= low) & (frame["qid"] < high)]
        for low, high in (("", "020"), ("020", "041"), ("041", "9"))
    ]
    lazy = dataframe.from_delayed([dask.delayed(part) for part in parts], meta=frame)
    same(clusters.evaluate(lazy, MEASURES, score="new", sorted=True, client=client), frame)


def test_a_comparison_is_that_of_one_machine(client: Any, tmp_path: Path) -> None:
    frame = made()
    choices: dict[str, Any] = {"baseline": "old", "seed": 5, "n_permutations": 500}
    expected = ir.compare(frame, ["old", "new"], MEASURES, **choices)
    folder = written(frame, tmp_path / "data")
    lazy = dataframe.from_pandas(frame.sample(frac=1, random_state=1), npartitions=4, sort=False)
    for data, is_sorted in ((folder, True), (lazy, False)):
        found = clusters.compare(data, ["old", "new"], MEASURES, **choices, sorted=is_sorted, client=client)
        assert found.query_ids == expected.query_ids
        np.testing.assert_equal(found.values, expected.values)
        assert found.differences == expected.differences
        assert found.means == expected.means


@pytest.mark.parametrize("normalize", [None, "minmax"])
def test_gradients_of_workers_add_up_to_the_fit_of_one_machine(
    client: Any, tmp_path: Path, normalize: str | None
) -> None:
    frame = made()
    X = frame[["f", "g"]].astype(np.float32)
    options: dict[str, Any] = {"normalize": normalize, "l2": 0.01}
    rows = X, frame["label"], frame["qid"]
    expected = learners.LinearRanker("pairwise_logistic", **options).fit(X, rows[1], qid=rows[2], eval_set=rows)
    ranker = learners.LinearRanker("pairwise_logistic", **options, engine=client)
    stored = learners.ParquetSource(written(frame, tmp_path / "data"), features=["f", "g"], batch_rows=50)
    lazy = dataframe.from_pandas(frame.sample(frac=1, random_state=1), npartitions=4, sort=False)
    for source in (stored, clusters.FrameSource(lazy, features=["f", "g"])):
        ranker.fit(source, eval_set=source)
        for found, wanted in zip(ranker.history_, expected.history_, strict=True):
            assert_allclose(found["loss"], wanted["loss"], rtol=1e-12, atol=0)
            assert_allclose(found["validation"], wanted["validation"], rtol=1e-12, atol=0)
        assert_allclose(ranker.coef_, expected.coef_, rtol=1e-9, atol=0)
        assert_allclose(ranker.score(source), expected.score(X, rows[1], qid=rows[2]), rtol=1e-12, atol=0)


def test_a_query_in_two_partitions_is_named_with_both(client: Any) -> None:
    frame = pandas.DataFrame({"qid": [1, 1, 2, 2, 2, 3], "label": 1, "score": 0.5, "f": 1.0})
    lazy = dataframe.from_pandas(frame, npartitions=2, sort=False)
    with pytest.raises(DataError, match="partitions 0 and 1") as refused:
        clusters.evaluate(lazy, sorted=True, client=client)
    assert refused.value.query == 2
    with pytest.raises(DataError, match="partitions 0 and 1"):
        clusters.compare(lazy, ["score", "f"], sorted=True, client=client)
    with pytest.raises(DataError, match="partitions 0 and 1"):
        learners.ListNet(engine=client).fit(clusters.FrameSource(lazy, sorted=True))
    wrong = dataframe.from_pandas(frame.iloc[::-1], npartitions=1, sort=False)
    with pytest.raises(DataError, match="partition 0 is not sorted by qid, got 2 after 3"):
        clusters.evaluate(wrong, sorted=True, client=client)


def test_what_cannot_be_evaluated_is_refused() -> None:
    frame = pandas.DataFrame({"qid": [1, 1], "label": [0.0, 1.0], "score": [0.5, np.inf], "f": [1.0, 2.0]})
    lazy = dataframe.from_pandas(frame, npartitions=1)
    with pytest.raises(DataError, match="finite number"):
        clusters.evaluate(lazy)
    with pytest.raises(DataError, match=r"no column 'grade'"):
        clusters.evaluate(lazy, label="grade")
    with pytest.raises(DataError, match="no queries"):
        clusters.evaluate(lazy[lazy["label"] > 5])
    with pytest.raises(DataError, match="Dask data frame or the path"):
        clusters.evaluate(frame)
    with pytest.raises(DataError, match="Dask data frame, got DataFrame"):
        clusters.FrameSource(frame)
    with pytest.raises(OptionError, match="ties=stable depends on the order of rows"):
        clusters.evaluate(lazy, "ndcg(ties=stable)")
    with pytest.raises(DataError, match="two columns"):
        clusters.compare(lazy, "score")
    with pytest.raises(OptionError, match="engine=client"):
        learners.ListNet().fit(clusters.FrameSource(lazy, features=["f"]))


def test_an_error_names_the_query_and_not_the_row_of_a_partition() -> None:
    frame = made()
    frame.loc[100, "new"] = np.inf
    lazy = dataframe.from_pandas(frame, npartitions=4, sort=False)
    with pytest.raises(DataError, match="finite number") as caught:
        clusters.evaluate(lazy, score="new")
    assert (caught.value.query, caught.value.row) == (frame["qid"][100], None)


@pytest.mark.parametrize("is_sorted", [True, False])
def test_a_missing_query_id_is_refused(is_sorted: bool) -> None:
    frame = pandas.DataFrame({"qid": ["a", None, "b"], "label": [0, 1, 0], "score": [0.5, 0.2, 0.1]})
    with pytest.raises(DataError, match=r"a value is missing.*column 'qid'"):
        clusters.evaluate(dataframe.from_pandas(frame, npartitions=1, sort=False), sorted=is_sorted)


@pytest.mark.slow
def test_values_a_query_are_not_mixed_with_those_of_an_earlier_evaluation(tmp_path: Path) -> None:
    lazy = dataframe.from_pandas(made(), npartitions=2, sort=False)
    clusters.evaluate(lazy, score="new", per_query=tmp_path)
    with pytest.raises(DataError, match=r"must have no Parquet files, got part-0000\d\.parquet: remove them"):
        clusters.evaluate(lazy, score="old", per_query=tmp_path)


def resident(field: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(field))


def forgotten_peak() -> int:
    Path("/proc/self/clear_refs").write_text("5")
    return resident("VmRSS")


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="only Linux tells a process's peak")
def test_a_worker_has_batches_in_memory_and_not_its_share(client: Any, tmp_path: Path) -> None:
    n_docs = 10_000_000
    columns = {"qid": np.arange(n_docs) // 100, "label": np.arange(n_docs) % 3, "score": np.arange(n_docs) % 97.0}
    table = pa.table(columns)
    pq.write_table(table.slice(0, 1000), tmp_path / "short.parquet", row_group_size=100)
    pq.write_table(table, tmp_path / "long.parquet", row_group_size=100_000)
    clusters.evaluate(tmp_path / "short.parquet", sorted=True, client=client)  # imports what it needs
    before = client.run(forgotten_peak)
    found = clusters.evaluate(tmp_path / "long.parquet", sorted=True, batch_rows=50_000, client=client)
    after = client.run(resident, "VmHWM")
    assert found.n_queries == n_docs // 100
    assert max(after[worker] - before[worker] for worker in before) < table.nbytes / 8  # what one share would take


@pytest.mark.slow
def test_a_worker_that_is_killed_loses_nothing(client: Any, tmp_path: Path) -> None:
    frame = made(800)
    folder = written(frame, tmp_path / "data", row_group_size=500)
    victim = next(iter(client.run(os.getpid).values()))
    out = tmp_path / "values"

    def kill_in_mid_run() -> None:
        while not any(out.glob("part-*")):
            time.sleep(0.001)
        os.kill(victim, signal.SIGKILL)

    killer = threading.Thread(target=kill_in_mid_run)
    killer.start()
    found = clusters.evaluate(folder, MEASURES, score="new", sorted=True, per_query=out, batch_rows=100, client=client)
    killer.join()
    same(found, frame)
    assert sum(pq.read_metadata(file).num_rows for file in out.glob("part-*")) == 800
    wait_for_two_workers(client)
    assert victim not in client.run(os.getpid).values()


class KillingClient:
    """A client that kills a worker as soon as the fourth sum over the data is under way."""

    def __init__(self, client: Any) -> None:
        self.client, self.n_sums = client, 0
        self.victim = next(iter(client.run(os.getpid).values()))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.client, name)

    def map(self, *args: Any, **options: Any) -> Any:
        futures = self.client.map(*args, **options)
        self.n_sums += 1
        if self.n_sums == 4:
            os.kill(self.victim, signal.SIGKILL)
        return futures


@pytest.mark.slow
@pytest.mark.parametrize("stored", [True, False])
def test_a_worker_that_is_killed_changes_no_fit(client: Any, tmp_path: Path, stored: bool) -> None:
    frame = made(300)
    expected = learners.LinearRanker("pairwise_logistic", l2=0.01).fit(
        frame[["f", "g"]].astype(np.float32), frame["label"], qid=frame["qid"]
    )
    lazy = dataframe.from_pandas(frame.sample(frac=1, random_state=1), npartitions=4, sort=False)
    source: Any = clusters.FrameSource(lazy, features=["f", "g"])
    if stored:
        source = learners.ParquetSource(written(frame, tmp_path / "data"), features=["f", "g"], batch_rows=50)
    wait_for_two_workers(client)
    killing = KillingClient(client)
    ranker = learners.LinearRanker("pairwise_logistic", l2=0.01, engine=killing).fit(source)
    assert killing.n_sums > 4
    assert_allclose(ranker.coef_, expected.coef_, rtol=1e-9, atol=0)
    wait_for_two_workers(client)
    assert killing.victim not in client.run(os.getpid).values()
