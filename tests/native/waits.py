"""How long Ctrl-C may have to wait: the longest time between two moments at which a signal is answered.

    python tests/native/waits.py                      # everything, 5 million documents in one list
    python tests/native/waits.py losses --documents 20_000_000 --per-list 10

A signal comes every 2 ms of processor time, and its handler notes the time; so every wait of a call is seen, not only
those that one interruption would meet. Times are those of the processor, on one thread: other processes do not count.
The calls of the table in docs/reliability.md are these.
"""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from functools import partial
from io import BytesIO, TextIOWrapper
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))
import every_loss

import idealrank as ir
from idealrank import losses, stats
from idealrank.io.files import atomic_output
from idealrank.measures.measure_names import MEASURES

_EVERY = 0.002
#: Quadratic time: 5 million documents would take days. Others cost as much as 10,000 permutations.
_TOO_SLOW = {"NeuralNDCG", "SoftNDCG", "ndcg_p_value"}
READERS: dict[str, Callable[..., Any]] = {"qrels": ir.read_qrels, "run": ir.read_run, "letor": ir.read_letor}


class Waits:
    """The longest processor time in which no signal was answered, and the line of the package where that ended."""

    def __init__(self) -> None:
        self.longest, self.where = 0.0, ""

    def __enter__(self) -> Waits:
        self._last = time.process_time()
        self._before = signal.signal(signal.SIGPROF, self._answer)
        signal.setitimer(signal.ITIMER_PROF, _EVERY, _EVERY)
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._answer(0, None)
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, self._before)

    def _answer(self, _: int, frame: FrameType | None) -> None:
        wait = time.process_time() - self._last
        if wait > self.longest:
            while frame is not None and "idealrank" not in frame.f_code.co_filename:
                frame = frame.f_back
            place = "the end" if frame is None else f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno}"
            self.longest, self.where = wait, place
        self._last = time.process_time()


def calls(kinds: list[str], n: int, per_list: int, folder: Path) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Return what is measured: a name, and a call."""
    rng = np.random.default_rng(0)
    labels, scores = rng.integers(0, 5, n).astype(np.float64), rng.normal(size=n)
    lists = labels, scores, np.arange(0, n + 1, per_list)
    if "losses" in kinds:
        for name in every_loss.CLASSES:
            if name not in _TOO_SLOW:
                text = every_loss.FORMS[name][0] if name in every_loss.INCOMPLETE else getattr(losses, name).label
                yield text, partial(ir.loss(text), *lists, n_threads=1)
                yield f"{text}, curvature", partial(ir.loss(text).hessian_diagonal, *lists, n_threads=1)
    if "measures" in kinds:
        for name in sorted(MEASURES.members()):
            if name not in _TOO_SLOW:
                measure = ir.measure(name)
                if measure.needs_subtopics:
                    continue
                if measure.ties is None and not _averages(measure):
                    measure = ir.measure(f"{name}(ties=stable)")
                yield str(measure), partial(measure, *lists, n_threads=1)
    if "stats" in kinds:
        a, b = scores[: n // 5], labels[: n // 5]
        yield "randomization_test", lambda: stats.randomization_test(a, b, n_permutations=100, n_threads=1)
        yield "interval", lambda: stats.interval(a, method="percentile", n_resamples=100, n_threads=1)
        yield "t_test", lambda: stats.t_test(a, b)
        several = a[:10_000].reshape(1000, 10)
        yield "randomized_tukey_hsd", lambda: stats.randomized_tukey_hsd(several, n_permutations=20_000, n_threads=1)
    if "readers" in kinds:
        yield from _readers(n, folder)
    if "fits" in kinds:
        yield from fits(n, per_list)
    if "commands" in kinds:
        yield from _commands(folder)


def fits(n: int, per_list: int, n_features: int = 50) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Return fits of learners, after one that is short and imports what they need."""
    from idealrank import learners

    rng = np.random.default_rng(0)
    cells, labels = rng.standard_normal((n, n_features), np.float32), rng.integers(0, 5, n).astype(np.float64)
    data = ir.from_arrays(labels, offsets=np.arange(0, n + 1, per_list), features=cells)
    for normalize in (None, "zscore"):
        ranker = learners.RankNet(max_iter=2, normalize=normalize, n_threads=1)
        ranker.fit(cells[:99], labels[:99], qid=[0] * 99)
        yield f"RankNet(normalize={normalize!r})", partial(ranker.fit, data, eval_set=data)


def _commands(folder: Path) -> Iterator[tuple[str, Callable[[], Any]]]:
    from idealrank.cli.group import commands
    from idealrank.io import write_letor

    write_letor(ir.datasets.web_search(seed=0)[0], folder / "train.txt")
    for words in (
        f"train {folder}/train.txt --out {folder}/m.json --html {folder}/m.html",
        f"reproduce wang2013 --html {folder}/w.html",
        f"reproduce ravikumar2011 --quick --html {folder}/r.html",
        f"train {folder}/train.txt --learner boosted --set n_estimators=20 --set n_threads=1 --out {folder}/m.json",
    ):
        yield words.partition(" --html")[0].replace(f"{folder}/", ""), partial(_command, commands, words)


def _command(commands: Any, words: str) -> None:
    with redirect_stdout(TextIOWrapper(BytesIO())):
        commands.main([*words.split(), "-q"], standalone_mode=False)


def _averages(measure: ir.measures.Measure) -> bool:
    try:
        measure([1, 0], [1, 0])
    except ir.errors.OptionError:
        return False
    return True


def _readers(n: int, folder: Path) -> Iterator[tuple[str, Callable[[], Any]]]:
    n_queries = max(n // 100, 1)
    rows = [(q, d) for q in range(n_queries) for d in range(100)]
    texts = {
        "qrels": "".join(f"q{q} 0 d{q}_{d} {d % 5}\n" for q, d in rows),
        "run": "".join(f"q{q} Q0 d{q}_{d} {d + 1} {-d / 7:.6f} tag\n" for q, d in rows),
        "letor": "".join(f"{d % 5} qid:{q} 1:{d / 7:.6f} 2:{q / 7:.6f} 4:1\n" for q, d in rows),
        "scores": "".join(f"{d / 7:.6f}\n" for _, d in rows),
    }
    for name, text in texts.items():
        for ending in ("", ".gz"):
            with atomic_output(folder / f"{name}.txt{ending}") as file:
                file.write(text.encode())
    for ending in ("", ".gz"):
        for name, read in READERS.items():
            path = folder / f"{name}.txt{ending}"
            yield f"read_{name}, {n:,} lines{ending}", partial(read, path, n_threads=1)
    both = folder / "qrels.txt", folder / "run.txt"
    yield "evaluate(path, path)", lambda: ir.evaluate(*both, "ndcg@10", n_threads=1)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("kinds", nargs="*", default=["losses", "measures", "stats", "readers", "fits", "commands"])
    parser.add_argument("--documents", type=int, default=5_000_000)
    parser.add_argument("--per-list", type=int, default=None)
    asked = parser.parse_args()
    longest: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        for kind in asked.kinds:
            for name, call in calls([kind], asked.documents, asked.per_list or asked.documents, Path(folder)):
                start = time.process_time()
                with Waits() as waits:
                    call()
                took = time.process_time() - start
                print(f"{name:44} {took:7.2f} s, longest wait {waits.longest:.3f} s, until {waits.where}", flush=True)
                longest[kind] = max(longest.get(kind, 0.0), waits.longest)
    for kind, wait in longest.items():
        print(f"{kind}: {wait:.3f} s")


if __name__ == "__main__":
    main()
