"""A native call ends when its user presses Ctrl-C, long before its work would."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

CHILD = """
import signal, sys, threading
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have had it ignored
import numpy as np
import idealrank as ir
from idealrank import _native, losses, measures, stats
from idealrank.measures.ranks import soft_positions

rng = np.random.default_rng(0)
def call():
    {work}
{setup}
try:
    print("ready", flush=True)  # from here on the signal may come at any moment
    while True:
        call()
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""

#: Each takes minutes, in one or two queries.
WORK = {
    "a quadratic loss": ("n = 400_000; a = np.ones(n), rng.normal(size=n)", "ir.loss('soft_ndcg(sigma=100)')(*a)"),
    "pairs of sigmoids": ("n = 2_000_000; s = rng.normal(size=n)", "soft_positions(s, sigmoid='arctan')"),
    "on two threads": (
        "n = 1_000_000; s = rng.normal(size=n); cut = [0, n // 2, n]",
        "soft_positions(s, cut, sigmoid='erf', n_threads=2)",
    ),
    "the second thread alone": (
        "n = 1_000_000; s = rng.normal(size=n); cut = [0, 200_000, 200_001, n]",
        "soft_positions(s, cut, sigmoid='erf', n_threads=2)",
    ),
    "many queries": (
        "n = 20_000_000; a = rng.integers(0, 5, n) * 1.0, rng.normal(size=n), np.arange(0, n + 1, 10)",
        "[ir.loss('soft_ndcg')(*a) for _ in range(100)]",
    ),
    "resampling": (
        "v = rng.normal(size=(50_000, 10)); stats.randomized_tukey_hsd(v[:9], n_permutations=10)",
        "stats.randomized_tukey_hsd(v, n_permutations=1_000_000)",
    ),
    # A first short call imports SciPy, before the signal.
    "bootstrap": (
        "v = rng.normal(size=1_000_000); stats.interval(v[:9], method='percentile', n_resamples=10)",
        "stats.interval(v, method='percentile', n_resamples=100_000)",
    ),
}


@pytest.mark.skipif(os.name != "posix", reason="signals are sent to a child process")
@pytest.mark.parametrize("name", WORK)
def test_ctrl_c_ends_a_native_call(name: str) -> None:
    setup, work = WORK[name]
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD.format(setup=setup, work=work)], stdout=subprocess.PIPE, text=True
    )
    try:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        time.sleep(0.3)  # into the call; a signal that comes before it is answered as well
        child.send_signal(signal.SIGINT)
        output, _ = child.communicate(timeout=200)  # the work itself has no end
    finally:
        child.kill()
    assert output == "interrupted\n"
    assert child.returncode == 0


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="timers of processor time")
@pytest.mark.filterwarnings("ignore:RankNet did not converge")
def test_a_fit_answers_signals_in_time() -> None:
    from native.waits import Waits, fits

    for name, fit in fits(500_000, 500_000):
        with Waits() as waits:
            fit()
        assert 0 < waits.longest < 0.2, f"{name}: until {waits.where}"  # 0.1 s on a busy machine
