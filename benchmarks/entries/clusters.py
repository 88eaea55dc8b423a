"""Sorted Parquet on two workers of a Dask cluster, against one process that streams the same files."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.runner import Comparison, Contestant, Digest, Mark, Setting, as_returned, entry
from benchmarks.targets import AtLeast, AtMost

_N_FILES = 10
_LENGTH = 100  # documents per query
_ROW_GROUP = 1_000_000


@entry
def dask_evaluation(setting: Setting) -> Iterator[Comparison]:
    from idealrank import evaluate_stream
    from idealrank.integrations import dask as clusters

    n_docs = setting.size(100_000_000) // (_N_FILES * _LENGTH) * (_N_FILES * _LENGTH)
    everything, half = setting.folder / "sorted", setting.folder / "sorted-half"
    _write(everything, half, n_docs // _N_FILES)
    millions = n_docs / 1e6
    with ExitStack() as stack:
        one, two = (stack.enter_context(_Workers(n, clusters.evaluate)) for n in (1, 2))
        on_two = Contestant("Dask, 2 workers", lambda: two.evaluate(everything), digest=_digest)
        stream = Contestant(
            "one process, 2 threads",
            lambda: evaluate_stream(everything, "ndcg@10", n_threads=2),
            AtMost(1.5),
            digest=_digest,
        )
        work = f"NDCG@10 of {millions:g} M documents in sorted Parquet"
        yield Comparison(work, on_two, [stream], amount=n_docs, amount_unit="documents")
        yield Comparison(
            f"{work}, weak scaling",
            on_two,
            [Contestant(f"1 worker, {millions / 2:g} M", lambda: one.evaluate(half), digest=lambda _: ())],
        )
        yield Comparison(
            f"{work}, peak memory of the larger worker",
            Contestant("Dask, 2 workers", lambda: two.peak_memory(everything)),
            [Mark("2 GB", 2e9, AtLeast(1))],
            unit="B",
            meter=as_returned,
        )


class _Workers:
    """A cluster of so many processes with one thread each."""

    def __init__(self, n: int, evaluate: Callable[..., Any]) -> None:
        import distributed

        self._cluster = distributed.LocalCluster(
            n_workers=n, threads_per_worker=1, processes=True, dashboard_address=":0"
        )
        self._evaluate = evaluate
        self._client = distributed.Client(self._cluster, set_as_default=False)

    def __enter__(self) -> "_Workers":
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()
        self._cluster.close()

    def evaluate(self, folder: Path) -> Any:
        return self._evaluate(folder, "ndcg@10", sorted=True, client=self._client)

    def peak_memory(self, folder: Path) -> int:
        """All that a worker has resident at its worst moment, its imports included."""
        self._client.run(_forget_peak)
        self.evaluate(folder)
        return int(max(self._client.run(_peak).values()))


def _forget_peak() -> None:
    Path("/proc/self/clear_refs").write_text("5")


def _peak() -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))


def _digest(summary: Any) -> Digest:
    return summary.n_queries, summary.mean["ndcg@10"]


def _write(everything: Path, half: Path, n_docs: int) -> None:
    """Files of so many documents each in two folders, of which the second has every other."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    if everything.exists():
        return
    everything.mkdir()
    half.mkdir()
    rng = np.random.default_rng(0)
    schema = pa.schema([("qid", pa.int64()), ("label", pa.int8()), ("score", pa.float32())])
    for number in range(_N_FILES):
        path = everything / f"part-{number:02}.parquet"
        with pq.ParquetWriter(path, schema) as writer:
            for begin in range(0, n_docs, _ROW_GROUP):
                rows = np.arange(begin, min(begin + _ROW_GROUP, n_docs))
                labels = rng.choice(5, rows.size, p=[0.52, 0.32, 0.13, 0.02, 0.01]).astype(np.int8)
                columns = [(number * n_docs + rows) // _LENGTH, labels, rng.random(rows.size, np.float32)]
                writer.write_table(pa.table(columns, schema=schema))
        if number % 2:
            os.link(path, half / path.name)
