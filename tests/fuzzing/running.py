"""The command line: each target runs in a process of its own, which may crash or hang without ending the others."""

import argparse
import faulthandler
import json
import queue
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from fuzzing import TARGETS
from fuzzing.core import CASES, cases_of, failure_of, load, minimized, read_case, save_case

__all__ = ["main"]

#: A seed takes a few hundredths of a second; a process that is silent for this long hangs.
_PATIENCE = 120
#: Of address space: an allocation beyond it fails instead of exhausting the machine.
_MOST_MEMORY = 8 << 30


@dataclass
class Tally:
    """What a target did."""

    name: str
    seeds: int = 0
    cases: int = 0
    answers: int = 0
    seconds: float = 0.0
    failures: list[str] = field(default_factory=list)


def main(arguments: list[str] | None = None) -> int:
    """Run targets, or one seed or one saved case of a target; return 1 if anything failed."""
    parser = argparse.ArgumentParser(prog="python tests/fuzzing", description=__doc__)
    parser.add_argument("targets", nargs="*", help=f"names of targets; all by default: {', '.join(TARGETS)}")
    budget = parser.add_mutually_exclusive_group()
    budget.add_argument("--minutes", type=float, help="how long to run, for all targets together (default: 1)")
    budget.add_argument("--seconds", type=float, help="the same in seconds")
    budget.add_argument("--seeds", type=int, help="take this many seeds of each target, however long that takes")
    parser.add_argument("--seed", type=int, default=0, help="the first seed (default: 0)")
    parser.add_argument("--jobs", type=int, default=1, help="how many targets to run at once (default: 1)")
    parser.add_argument(
        "--save", type=Path, default=CASES, help="folder for failing cases (default: tests/fuzzing/cases)"
    )
    parser.add_argument("--replay", type=Path, metavar="FILE", help="check one saved case of the target")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    names = options.targets or list(TARGETS)
    for name in names:
        if name not in TARGETS:
            parser.error(f"no target {name!r}; there are {', '.join(TARGETS)}")
    if options.worker:
        return _work(names[0], options.seed, options.seeds)
    if options.replay:
        wrong = failure_of(load(names[0]), read_case(options.replay))
        print(wrong or "right")
        return 1 if wrong else 0

    total = options.seconds or 60 * (options.minutes or 1)
    each = None if options.seeds else total * min(options.jobs, len(names)) / len(names)
    print(f"{'target':14}{'seeds':>10}{'cases':>12}{'answers':>14}{'per second':>12}{'failures':>10}", flush=True)
    with ThreadPoolExecutor(options.jobs) as pool:
        tallies = []
        for tally in pool.map(lambda name: _fuzz(name, options.seed, options.seeds, each, options.save), names):
            rate = tally.answers / max(tally.seconds, 1e-9)
            counts = f"{tally.seeds:>10,}{tally.cases:>12,}{tally.answers:>14,}{rate:>12,.0f}"
            print(f"{tally.name:14}{counts}{len(tally.failures):>10}", flush=True)
            tallies.append(tally)
    sums = [sum(getattr(tally, what) for tally in tallies) for what in ("seeds", "cases", "answers")]
    failures = [failure for tally in tallies for failure in tally.failures]
    print(f"{'all':14}{sums[0]:>10,}{sums[1]:>12,}{sums[2]:>14,}{'':>12}{len(failures):>10}")
    for failure in failures:
        print(failure)
    return 1 if failures else 0


def _work(name: str, seed: int, n_seeds: int | None) -> int:
    """Check seed after seed; tell the parent each seed as it begins, and what came of it."""
    faulthandler.enable()
    resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY, _MOST_MEMORY))
    target = load(name)
    end = None if n_seeds is None else seed + n_seeds
    while seed != end:
        _say({"seed": seed})
        answers = cases = 0
        for case in cases_of(name, seed):
            cases += 1
            try:
                answers += target.check(case)
            except Exception as error:
                kind = type(error)
                small = minimized(target, case, lambda smaller, kind=kind: _kind(target, smaller) is kind)  # type: ignore[misc]
                _say({"failed": seed, "wrong": failure_of(target, small), "case": _plain(small)})
        _say({"done": seed, "cases": cases, "answers": answers})
        seed += 1
    return 0


def _kind(target: Any, case: Any) -> type[Exception] | None:
    try:
        target.check(case)
    except Exception as error:
        return type(error)
    return None


def _plain(case: Any) -> Any:
    return {"bytes": case.decode("latin-1")} if isinstance(case, bytes) else {"values": case}


def _say(message: dict[str, Any]) -> None:
    print(json.dumps(message), flush=True)


def _fuzz(name: str, seed: int, n_seeds: int | None, seconds: float | None, folder: Path) -> Tally:
    """Run one target until the time is up, the seeds are done, or it failed ten times."""
    tally, start = Tally(name), time.monotonic()
    until = None if seconds is None else start + seconds
    next_seed = seed
    while len(tally.failures) < 10:
        left = None if n_seeds is None else seed + n_seeds - next_seed
        if left == 0:
            break
        worker = _started(name, "--seed", str(next_seed), *(() if left is None else ("--seeds", str(left))))
        current, ended = next_seed, None
        for message in _messages(worker, until):
            if message is None:
                ended = f"silent for {_PATIENCE} s"
                break
            if "seed" in message:
                current = message["seed"]
            elif "failed" in message:
                content = message["case"]
                case = content["bytes"].encode("latin-1") if "bytes" in content else content["values"]
                path = save_case(name, case, folder)
                tally.failures.append(f"{name}, seed {message['failed']}: {message['wrong']}\n  saved as {path}")
                if len(tally.failures) == 10:
                    break
            else:
                tally.seeds, tally.cases = tally.seeds + 1, tally.cases + message["cases"]
                tally.answers += message["answers"]
        code = worker.wait()
        if ended is None and code not in (0, -signal.SIGKILL):
            ended = f"died: {signal.Signals(-code).name if code < 0 else f'exit code {code}'}"
        if ended is None:
            break
        tally.failures.append(f"{name}, seed {current}: {ended}\n  {_crash(name, current, folder)}")
        next_seed = current + 1
    if not tally.answers and not tally.failures:
        tally.failures.append(f"{name}: no answer was compared; give it more time, or see why it draws no cases")
    tally.seconds = time.monotonic() - start
    return tally


def _started(name: str, *options: str, worker: bool = True) -> subprocess.Popen[str]:
    command = [sys.executable, str(Path(__file__).parent), name, *options, *(("--worker",) if worker else ())]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def _messages(worker: subprocess.Popen[str], until: float | None) -> Iterator[dict[str, Any] | None]:
    """Yield what the worker says until it ends or the time is up; None if it says nothing for too long."""
    lines: queue.Queue[str | None] = queue.Queue()
    assert worker.stdout is not None
    listener = threading.Thread(target=_pass_on, args=(worker.stdout, lines), daemon=True)
    listener.start()
    try:
        while until is None or time.monotonic() < until:
            try:
                line = lines.get(timeout=_PATIENCE)
            except queue.Empty:
                yield None
                return
            if line is None:
                worker.wait()
                return
            yield json.loads(line)
    finally:
        worker.kill()  # if it has not ended
        listener.join()


def _pass_on(stream: IO[str], lines: "queue.Queue[str | None]") -> None:
    with stream:
        for line in stream:
            lines.put(line)
    lines.put(None)


def _crash(name: str, seed: int, folder: Path) -> str:
    """Find the case of a seed that ends its process, and save it after making it smaller."""

    def fails(case: Any) -> bool:
        path = save_case(name, case, folder / ".trying")
        process = _started(name, "--replay", str(path), worker=False)
        try:
            return process.wait(timeout=_PATIENCE) not in (0, 1)
        except subprocess.TimeoutExpired:
            process.kill()
            return True
        finally:
            path.unlink()

    for case in cases_of(name, seed):
        if fails(case):
            return f"saved as {save_case(name, minimized(load(name), case, fails, most_tries=200), folder)}"
    return "no single case of this seed does it again"
