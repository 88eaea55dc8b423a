"""How time and memory of evaluating, comparing, losses and learners grow: at n, 10 n and 100 n documents.

``python -m benchmarks.scaling`` prints the table of docs/benchmarks.md; ``--write`` puts it there. Linux only.
"""

import argparse
import ctypes
import json
import math
import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np

import idealrank as ir
from benchmarks.growth import _RETURN_MEMORY as RETURN_MEMORY
from benchmarks.growth import Tasks, seconds
from benchmarks.growth import _status as status
from idealrank import learners
from idealrank.losses.loss_names import LOSSES

_PAGE = Path(__file__).parents[1] / "docs" / "benchmarks.md"
_BEGIN, _END = "<!-- scaling -->", "<!-- end of scaling -->"
_SIZES = (10_000, 100_000, 1_000_000)
#: Losses that take more than near-linear time; docs/reliability.md has their exponents.
_STEEP = ("soft_ndcg", "neural_ndcg")
_MACHINE = 24e9
_FEATURES = 10


def work(n: int) -> Tasks:
    """Yield the name of each task and the task for n documents."""
    rng = np.random.default_rng(0)
    labels, scores, ends = rng.integers(0, 4, n).astype(float), rng.normal(size=n), np.arange(0, n + 1, 100)
    lists = ir.from_arrays(labels, offsets=ends)
    systems = {name: rng.normal(size=n) + labels for name in "abc"}
    yield "`evaluate`, NDCG@10 and AP, lists of 100", partial(ir.evaluate, lists, scores, ["ndcg@10", "ap"])
    yield "`compare`, 3 systems, lists of 100", partial(ir.compare, lists, systems, "ndcg@10")
    for name, cls in LOSSES.members().items():
        if name not in (*_STEEP, "approx", "bregman"):
            yield f"`{name}`, one list", partial(cls(), labels, scores)
    features = (rng.normal(size=(n, _FEATURES)) + labels[:, None] / 4).astype(np.float32)
    data = ir.from_arrays(labels, offsets=ends, features=features)
    linear = learners.LinearRanker("least_squares", max_iter=10)
    yield f"`LinearRanker`, 10 iterations, {_FEATURES} features, lists of 100", partial(linear.fit, data)


def measured(n: int) -> dict[str, tuple[float, float]]:
    """Return the processor time in seconds and the peak memory in bytes, beyond the input, of each task."""
    for _, task in work(1_000):
        task()  # imports what it needs
    found = {}
    for name, task in work(n):
        ctypes.CDLL(None).malloc_trim(0)
        Path("/proc/self/clear_refs").write_text("5")  # forgets the peak
        before = status("VmHWM")
        took = seconds(task)
        found[name] = took, (status("VmHWM") - before) * 1024.0
    return found


def table() -> str:
    """Measure all sizes, each in a new process, and return the table."""
    sizes = []
    for n in _SIZES:
        command = [sys.executable, "-m", "benchmarks.scaling", "--size", str(n)]
        done = subprocess.run(
            command, env=os.environ | RETURN_MEMORY, cwd=_PAGE.parents[1], stdout=subprocess.PIPE, check=True
        )
        sizes.append(json.loads(done.stdout))
    heads = [*(f"{n:,}" for n in _SIZES), "exponent", "memory per document", "24 GB are full at"]
    lines = [f"| work | {' | '.join(heads)} |", "| --- |" + " ---: |" * len(heads)]
    for name in sizes[0]:
        times = [size[name][0] for size in sizes]
        exponent = math.log10(times[-1] / times[-2])
        held = 16 + (4 * _FEATURES if "Ranker" in name else 16 if "compare" in name else 0)  # by the input
        each = held + sizes[-1][name][1] / _SIZES[-1]
        cells = [*(f"{time:.3g} s" for time in times), f"{exponent:.2f}", f"{each:.0f} bytes"]
        lines.append(f"| {name} | {' | '.join(cells)} | {_MACHINE / each / 1e6:,.0f} million documents |")
    return "\n".join(lines)


def main() -> None:
    """Print the table, and put it on the page if asked to."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scaling", description=__doc__)
    parser.add_argument("--write", action="store_true", help="put the table on the page")
    parser.add_argument("--size", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.size:
        print(json.dumps(measured(options.size)))
        return
    text = table()
    print(text)
    if options.write:
        head, _, rest = _PAGE.read_text(encoding="utf-8").partition(_BEGIN)
        _PAGE.write_text(f"{head}{_BEGIN}\n\n{text}\n\n{_END}{rest.partition(_END)[2]}", encoding="utf-8")


if __name__ == "__main__":
    main()
