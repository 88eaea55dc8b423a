"""Arrays that another thread changes while native code reads them: any number or error may come out, but no crash."""

from __future__ import annotations

import subprocess
import sys

import pytest

CHILD = """
import sys, threading, time
import numpy as np
import idealrank as ir
from idealrank import losses, measures, stats
from idealrank.errors import IdealrankError
from idealrank.measures.ranks import soft_positions

which, what = sys.argv[1:]
rng = np.random.default_rng(0)
n, size = {n}, {size}
offsets = np.arange(0, n + 1, size, dtype=np.int64)
labels = rng.integers(0, 5, n).astype(np.float64)
scores = rng.integers(0, 200, n).astype(np.float64)
weights = np.ones(n)
good = {{"labels": labels.copy(), "scores": scores.copy(), "offsets": offsets.copy()}}
target = {{"labels": labels, "scores": scores, "offsets": offsets}}[what]
bad = {{
    "labels": [np.nan, np.inf, -1e300, 1e300, 63, 64, 0.5, -1],
    "scores": [np.nan, np.inf, -np.inf, 1e308, -1e308, 5e-324],
    "offsets": [2**62, -(2**62), n * 100, -1, 0, n],
}}[what]
calls = {{
    "measures": [ir.measure(name) for name in
        ["ndcg@10", "ndcg", "ap(ties=best)", "err(ties=worst)", "ndcg(ties=best)@50%", "kendall_tau", "bpref",
         "ndcg(gain=linear)@30"]],
    "losses": [ir.loss(name) for name in
        ["approx_ndcg", "approx_ap", "lambda_rank", "pairwise_logistic", "hinge", "approx_kendall",
         "approx_ndcg(cutoff=5)"]],
    "soft": [ir.loss(name) for name in ["soft_ndcg(sigma=0.01)", "approx_rr", "approx_ndcg(sigmoid=arctan)"]]
        + [lambda labels, scores, offsets, n_threads: soft_positions(scores, offsets, n_threads=n_threads)],
}}[which]

stop = False
def change():
    i = 0
    while not stop:
        i += 1
        value = bad[i % len(bad)]
        place = slice(1, -1) if what == "offsets" else slice(i % 7, None, 3)
        target[place] = value
        target[:] = good[what]

threads = [threading.Thread(target=change) for _ in range(2)]
for thread in threads:
    thread.start()
sys.setswitchinterval(1e-5)
until = time.monotonic() + float({seconds})  # as long as it takes to meet a change in the middle of a call
rounds = 0
while time.monotonic() < until or rounds < 1:
    for call in calls:
        try:
            call(labels, scores, offsets, n_threads=2)
        except (IdealrankError, ValueError, IndexError, MemoryError):
            pass
    rounds += 1
stop = True
for thread in threads:
    thread.join()
print("alive")
"""


@pytest.mark.slow
@pytest.mark.parametrize("what", ["labels", "scores", "offsets"])
@pytest.mark.parametrize("which", ["measures", "losses", "soft"])
def test_arrays_changed_by_another_thread_do_not_crash(which: str, what: str) -> None:
    n, size = (2_000, 50) if which == "soft" else (40_000, 400)  # the soft ones are quadratic
    child = [sys.executable, "-W", "ignore", "-c", CHILD.format(n=n, size=size, seconds=1.5), which, what]
    done = subprocess.run(child, capture_output=True, text=True, timeout=300, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, "alive"), done.stderr[-2000:]
