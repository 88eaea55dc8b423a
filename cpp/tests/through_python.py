"""Calls of the extension from several Python threads at once, each on several threads of its own, for sanitizers."""

import threading

import numpy as np
import pytest

import idealrank as ir
from idealrank import stats

N = 120_000  # enough for more than one thread
rng = np.random.default_rng(0)
labels, scores = rng.integers(0, 5, N).astype(np.float64), rng.normal(size=N)
offsets = np.concatenate([np.arange(0, N, 60), [N]])
CALLS = [
    *(ir.measure(name) for name in ("ndcg@10", "ap", "err(ties=average)", "kendall_tau")),
    *(ir.loss(name) for name in ("approx_ndcg", "lambda_rank", "hinge", "list_mle", "push", "approx_ap")),
]


def results() -> list[bytes]:
    """Compute everything once, on two threads."""
    found = [np.asarray(call(labels, scores, offsets, n_threads=2)[0]).tobytes() for call in CALLS]
    tukey = stats.randomized_tukey_hsd(scores[:400].reshape(100, 4), n_permutations=200, seed=1, n_threads=2)
    return [*found, tukey.p_values.tobytes()]


def check(expected: list[bytes], same: list[bool]) -> None:
    """Add whether the results are the expected ones."""
    same.append(results() == expected)


expected = results()
same: list[bool] = []
threads = [threading.Thread(target=check, args=(expected, same)) for _ in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert same == [True] * 3, same
with pytest.raises(ir.errors.DataError, match=f"row {N // 2}"):
    ir.measure("ndcg")(np.where(np.arange(N) == N // 2, np.nan, labels), scores, offsets, n_threads=2)
print("ok")
