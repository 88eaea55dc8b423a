"""Two builds of idealrank side by side: ``python -m benchmarks.builds OLD NEW [ENTRY ...]``.

OLD and NEW are checkouts, each with its build in ``.venv``. Only idealrank's own part of each benchmark is run, once
per round and by turns, in one process per build that stays warm. The ratio of a round is new/old.
"""

import argparse
import json
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from benchmarks.runner import Summary

__all__ = ["main"]

# Runs inside a checkout that may be older than this file: it uses only Setting, ENTRIES, `ours` and `meter`.
_WORKER = """
import json, sys, tempfile, traceback
from pathlib import Path
answers, sys.stdout = sys.stdout, sys.stderr
def tell(**answer):
    print(json.dumps(answer), file=answers, flush=True)
import benchmarks.entries
from benchmarks.runner import ENTRIES, Setting
benchmarks.entries.load()
scale, names = float(sys.argv[1]), sys.argv[2:] or list(ENTRIES)
with tempfile.TemporaryDirectory() as folder:
    for name in names:
        try:
            for comparison in ENTRIES[name](Setting(Path(folder), scale=scale)):
                comparison.ours.run()
                tell(entry=name, work=comparison.work)
                while sys.stdin.readline().strip() == "run":
                    tell(value=comparison.meter(comparison.ours.run))
        except Exception as error:
            traceback.print_exc()
            tell(entry=name, work="failed", failure=f"{type(error).__name__}: {error}")
            sys.stdin.readline()
tell(entry=None)
"""


class _Build:
    """A process that runs the benchmarks of one checkout, one measurement at a time."""

    def __init__(self, checkout: Path, scale: float, names: list[str]) -> None:
        python = checkout / ".venv" / "bin" / "python"
        if not python.exists():
            raise SystemExit(f"{checkout} has no build: {python} does not exist")
        command = [str(python.absolute()), "-c", _WORKER, str(scale), *names]
        self.process = subprocess.Popen(
            command, cwd=checkout, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )

    def answer(self) -> dict[str, Any]:
        line = self.process.stdout.readline() if self.process.stdout else ""
        if not line:
            raise SystemExit("a build ended early")
        found: dict[str, Any] = json.loads(line)
        return found

    def say(self, word: str) -> None:
        if self.process.stdin:
            self.process.stdin.write(word + "\n")

    def measured(self) -> float:
        self.say("run")
        return float(self.answer()["value"])


def ratios(old: _Build, new: _Build, rounds: int) -> Iterator[tuple[str, str, list[tuple[float, float]]]]:
    """For every benchmark that both builds have: entry, work, and the values (old, new) of each round."""
    while True:
        first, second = old.answer(), new.answer()
        if first["entry"] is None or second["entry"] is None:
            return
        if (first["entry"], first["work"]) != (second["entry"], second["work"]):
            raise SystemExit(f"the builds run different benchmarks: {first} and {second}")
        pairs = []
        for number in range(rounds if "failure" not in first else 0):
            if number % 2 == 0:
                before = old.measured()
                pairs.append((before, new.measured()))
            else:
                after = new.measured()
                pairs.append((old.measured(), after))
        old.say("next")
        new.say("next")
        yield first["entry"], first["work"], pairs


def main() -> None:
    """Print one row per benchmark: both medians, and the median ratio with its range."""
    parser = argparse.ArgumentParser("python -m benchmarks.builds", description=__doc__)
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("entries", nargs="*")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--scale", type=float, default=1.0, help="size of the work, as a part of the full size")
    options = parser.parse_intermixed_args()
    print("| entry | work | old | new | new/old: median (min to max) |\n| --- | --- | --- | --- | --- |")
    with ExitStack() as stack:
        old, new = (_Build(checkout, options.scale, options.entries) for checkout in (options.old, options.new))
        stack.enter_context(old.process)
        stack.enter_context(new.process)
        for entry, work, pairs in ratios(old, new, options.rounds):
            if not pairs:
                print(f"| {entry} | {work} | | | failed |", flush=True)
                continue
            before, after = (Summary.of(values).median for values in zip(*pairs, strict=True))
            ratio = Summary.of(new / old for old, new in pairs)
            text = f"{ratio.median:.3f} ({ratio.min:.2f} to {ratio.max:.2f})"
            print(f"| {entry} | {work} | {before:.4g} | {after:.4g} | {text} |", flush=True)


if __name__ == "__main__":
    main()
