"""Calls of the extension from several Python threads at once, each on two threads of its own, for sanitizers."""

import io
import threading

import numpy as np

import idealrank as ir
from idealrank import stats

N = 110_000  # above the size from which the native core starts threads
rng = np.random.default_rng(0)
labels, scores = rng.integers(0, 5, N).astype(np.float64), rng.normal(size=N)
offsets = np.concatenate([np.arange(0, N, 8), [N]])
MEASURES = ["ndcg@10", "ap", "err(ties=average)", "kendall_tau", "bpref(ties=best)"]
LOSSES = ["approx_ndcg", "approx_ap", "lambda_rank", "hinge", "list_mle", "push", "soft_ndcg", "approx_rr(sigmoid=erf)"]
CALLS = [*map(ir.measure, MEASURES), *map(ir.loss, LOSSES)]
# Each is longer than the 512 KiB that one thread reads.
LETOR = b"".join(b"%d qid:%d 1:%g 3:0.5 #docid = d%d\n" % (i % 3, i // 20, i / 7, i) for i in range(20_000))
QRELS = b"".join(b"%d 0 d%d %d\n" % (i % 100, i, i % 3) for i in range(50_000))
RUN = b"".join(b"%d Q0 d%d 0 %d tag\n" % (i % 100, i, i * 7 % 1000) for i in range(50_000))


def bits(values: object) -> bytes:
    """Return the bytes of an array, or of the first array of a tuple."""
    return np.asarray(values[0] if isinstance(values, tuple) else values).tobytes()


def results() -> list[bytes]:
    """Compute everything once, on two threads."""
    found = [bits(call(labels, scores, offsets, n_threads=2)) for call in CALLS]
    for sparse in (False, True):
        data = ir.read_letor(io.BytesIO(LETOR), sparse=sparse, n_threads=2)
        found += [bits(data.labels), bits(data.offsets)]
    qrels, run = (read(io.BytesIO(text), n_threads=2) for read, text in ((ir.read_qrels, QRELS), (ir.read_run, RUN)))
    found += [bits(list(ir.evaluate(qrels, run, ["ndcg@10", "ap"], n_threads=2).mean.values()))]
    matrix = scores[:400].reshape(100, 4)
    found += [bits(stats.randomized_tukey_hsd(matrix, n_permutations=200, seed=1, n_threads=2).p_values)]
    found += [bits(stats.interval(scores[:200], method="bca", n_resamples=500, seed=1, n_threads=2).high)]
    return found


found: list[list[bytes]] = []
threads = [threading.Thread(target=lambda: found.append(results())) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert len(found) == 2, "a thread failed"
assert found[0] == found[1]

bad = np.where(np.arange(N) % (N // 2) == N // 2 - 1, np.nan, labels)
row = None
try:
    ir.measure("ndcg")(bad, scores, offsets, n_threads=2)
except ir.errors.DataError as error:
    row = error.row
assert row == N // 2 - 1, row
