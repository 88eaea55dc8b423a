"""Peak memory of every reader, as a multiple of the size of its input: the table in docs/reliability.md."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet

from idealrank.io.files import atomic_output

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="memory is measured by /proc")

#: Bytes of text of each file, before compression.
SIZE = 16 << 20
#: Independent of the input: two blocks of 8 MiB, what the threads hold of them, and what the system rounds up to.
FIXED = 32 << 20

CHILD = """
import idealrank as ir
{setup}
def peak():  # not ru_maxrss, which a child has from its parent
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM"))
def read(name):
    return {read}
read({small!r})  # imports what it needs
before = peak()
kept = read({large!r})
print(peak() - before)
"""


@cache
def content(kind: str, n_bytes: int) -> str:
    """Return lines of queries with 100 documents each, about so many bytes."""
    if kind == "json":
        n_queries = max(n_bytes // 3600, 2)  # 100 documents take about so many bytes
        return json.dumps({f"q{q}": {f"document_{q}_{d}": d / 7 for d in range(100)} for q in range(n_queries)})
    line = LINES[kind]
    sample = sum(len(line(1000 + i // 100, i % 100)) for i in range(1000)) / 1000
    lines = (line(1000 + i // 100, i % 100) for i in range(int(n_bytes / sample)))
    return HEADS.get(kind, "") + "".join(lines)


def letor(q: int, d: int) -> str:
    features = " ".join(f"{j}:{(j * 37 + d * 11 + q) % 1009 / 1009:.6f}" for j in range(1, 47))
    return f"{d % 5} qid:{q} {features} #docid = d{q}_{d}\n"


def sparse(q: int, d: int) -> str:
    return f"{d % 5} qid:{q} {d + 1}:0.5 {d + 100}:{d / 7:.4f} {900 + q % 100}:1\n"


LINES: dict[str, Callable[[int, int], str]] = {
    "letor": letor,
    "sparse": sparse,
    "qrels": lambda q, d: f"{q} 0 d{q}_{d} {d % 5}\n",
    "run": lambda q, d: f"{q} Q0 d{q}_{d} {d + 1} {-d / 7:.6f} tag\n",
    "repeated": lambda q, d: "q 0 d 1\n",
    "alternating": lambda q, d: f"q {d % 2} d 1\n",
    "repeated_run": lambda q, d: "q 0 d 1 1 t\n",
    "scores": lambda q, d: f"{(q * 37 + d) % 1009 / 1009:.6f}\n",
    "csv": lambda q, d: f"{q},{d % 5},{d / 7:.6f},d{q}_{d}\n",
}
HEADS = {"csv": "qid,label,score,doc\n"}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], tuple[Path, Path, int]]:
    """Return a small file, a large one, and the size of its text, by name; each is written once."""
    folder = tmp_path_factory.mktemp("memory")
    sizes: dict[str, int] = {}

    def make(name: str) -> tuple[Path, Path, int]:
        kind, ending = name.split(".", 1)
        small, large = folder / f"small-{name}", folder / f"large-{name}"
        if name not in sizes:
            for path, n_bytes in ((small, 10_000), (large, SIZE)):
                text = content(kind, n_bytes)
                sizes[name] = len(text)
                if ending == "parquet":
                    import pyarrow.csv
                    import pyarrow.parquet

                    table = pyarrow.csv.read_csv(pyarrow.py_buffer(text.encode()))
                    pyarrow.parquet.write_table(table, path, compression="none", use_dictionary=False)
                    sizes[name] = path.stat().st_size
                else:
                    with atomic_output(path) as file:
                        file.write(text.encode())
        return small, large, sizes[name]

    return make


#: The file, how it is read, and the multiple of its text that the reader may take beyond the fixed part: more than was
#: measured, so little that a reader that takes twice as much as today fails.
CASES: dict[str, tuple[str, str, float]] = {
    "LETOR, dense": ("letor.txt", "ir.read_letor(name, n_threads=2)", 0.5),
    "LETOR, dense, gzip": ("letor.txt.gz", "ir.read_letor(name, n_threads=2)", 0.5),
    "LETOR, sparse": ("sparse.txt", "ir.read_letor(name, sparse=True, n_threads=2)", 5.0),
    "qrels": ("qrels.txt", "ir.read_qrels(name, n_threads=2)", 5.0),
    "qrels, gzip": ("qrels.txt.gz", "ir.read_qrels(name, n_threads=2)", 5.0),
    "qrels, xz": ("qrels.txt.xz", "ir.read_qrels(name, n_threads=2)", 5.0),
    "qrels, bzip2": ("qrels.txt.bz2", "ir.read_qrels(name, n_threads=2)", 5.0),
    "qrels, zstandard": ("qrels.txt.zst", "ir.read_qrels(name, n_threads=2)", 5.0),
    "run": ("run.txt", "ir.read_run(name, n_threads=2)", 2.0),
    "run, gzip": ("run.txt.gz", "ir.read_run(name, n_threads=2)", 2.0),
    "qrels, one line repeated": ("repeated.txt", "ir.read_qrels(name, n_threads=2)", 8.0),
    "qrels, two subtopics repeated": ("alternating.txt", "ir.read_qrels(name, n_threads=2)", 14.0),
    "run, one line repeated": ("repeated_run.txt", "ir.read_run(name, n_threads=2)", 6.0),
    "scores": ("scores.txt", "ir.io.read_scores(name)", 1.0),
    "CSV": ("csv.csv", "ir.io.read_csv(name)", 12.0),
    "CSV, gzip": ("csv.csv.gz", "ir.io.read_csv(name)", 12.0),
    "Parquet": ("csv.parquet", "ir.io.read_parquet(name)", 5.0),
    "evaluate, a run": ("run.txt", "ir.evaluate(JUDGED, name, 'ndcg@10', n_threads=2)", 2.0),
    "evaluate, a JSON run": ("json.json", "ir.evaluate(JUDGED, name, 'ndcg@10', n_threads=2)", 8.0),
}


def case_of(name: str) -> ParameterSet:
    is_compressed = CASES[name][0].endswith(("gz", "xz", "bz2", "zst"))
    return pytest.param(name, marks=pytest.mark.slow if is_compressed else ())


@pytest.mark.slow
@pytest.mark.parametrize("case", [case_of(name) for name in CASES])
def test_peak_memory_is_bounded_by_the_size_of_the_input(
    files: Callable[[str], tuple[Path, Path, int]], case: str
) -> None:
    name, read, multiple = CASES[case]
    small, large, size = files(name)
    setup = "JUDGED = {'1000': {'d1000_0': 1}, 'q1': {'document_1_1': 1}}"
    script = CHILD.format(setup=setup, read=read, small=str(small), large=str(large))
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    grown = int(done.stdout)
    print(f"{case}: {grown / size:.2f} times {size:,} bytes; {(grown - FIXED) / size:.2f} beyond the fixed part")
    assert grown <= FIXED + multiple * size, f"{case}: {(grown - FIXED) / size:.2f} times the input"
