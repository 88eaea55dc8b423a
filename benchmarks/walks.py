"""How many files a reader visits who follows a call: ``python -m benchmarks.walks [--write] [WALK ...]``.

Each walk runs in a process of its own, on the data of `benchmarks.recordings`. A file of idealrank is visited if a
function that it defines is called; what runs while modules are imported does not count, since no reader follows it.
``--write`` updates docs/architecture.md, which shows what was measured. The Python of any build can run it.
"""

import argparse
import inspect
import json
import os
import subprocess
import sys
import tempfile
import textwrap
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from functools import partial
from io import StringIO
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import idealrank
from benchmarks import recordings
from benchmarks.recordings import public

__all__ = ["PAGE", "WALKS", "Walk", "main", "measure", "updated", "visits"]

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "architecture.md"


class Walk(NamedTuple):
    """What one walk visited: the number of calls by file, in the order of their first call."""

    files: dict[str, int]


class _Visits:
    """Calls of idealrank's functions, seen by `sys.setprofile`, in all threads."""

    def __init__(self) -> None:
        package = os.path.dirname(idealrank.__file__)  # one of two folders of an editable install
        self.root = f"{package}{os.sep}"
        self.files: dict[str, int] = {}
        self.local = threading.local()

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        if event not in ("call", "return"):
            return
        code = frame.f_code
        importing = getattr(self.local, "importing", 0)
        if code.co_name == "<module>":
            self.local.importing = importing + (1 if event == "call" else -1)
            return
        is_function = code.co_flags & inspect.CO_OPTIMIZED  # and not the body of a class
        if event == "call" and is_function and not importing and code.co_filename.startswith(self.root):
            name = code.co_filename.removeprefix(self.root).replace(os.sep, "/")
            self.files[name] = self.files.get(name, 0) + 1


@contextmanager
def visits() -> Iterator[_Visits]:
    """What the code inside calls."""
    seen, before = _Visits(), sys.getprofile()
    threading.setprofile(seen)
    sys.setprofile(seen)
    try:
        yield seen
    finally:
        sys.setprofile(before)
        threading.setprofile(before)


def _command(*arguments: str) -> None:
    from idealrank.cli import main as command

    try:
        with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
            command(list(arguments))
    except SystemExit as stop:
        if stop.code:
            raise RuntimeError(f"idealrank {' '.join(arguments)}: exit status {stop.code}") from None


def _evaluate() -> Callable[[], object]:
    return lambda: _command("evaluate", recordings.QRELS, recordings.RUNS[0], "-m", "ndcg@10")


def _fit() -> Callable[[], object]:
    from idealrank import learners

    data = public("read_letor")(recordings.LETOR)
    return lambda: learners.LinearRanker("pairwise_logistic").fit(data)


def _compare() -> Callable[[], object]:
    import idealrank as ir
    from idealrank import report

    qrels = public("read_qrels")(recordings.QRELS)
    runs = {Path(path).stem: public("read_run")(path) for path in recordings.RUNS[:3]}
    return lambda: report.html(ir.compare(qrels, runs, "ndcg@10", baseline="bm25", seed=0))


def _distinguish() -> Callable[[], object]:
    qrels = public("read_qrels")(recordings.QRELS)
    runs = {Path(path).stem: public("read_run")(path) for path in recordings.RUNS[:2]}
    return lambda: recordings.distinguish(qrels, runs)


def _identify() -> Callable[[], object]:
    from sklearn.metrics import ndcg_score

    import idealrank as ir

    return lambda: ir.identify(ndcg_score)


#: What is walked, as docs/architecture.md calls it, and what prepares the call.
WALKS: dict[str, tuple[str, Callable[[], Callable[[], object]]]] = {
    "evaluate": ("idealrank evaluate qrels.txt bm25.run -m ndcg@10", _evaluate),
    "fit": ('LinearRanker("pairwise_logistic").fit(data)', _fit),
    "compare": ('report.html(compare(qrels, runs, "ndcg@10", baseline="bm25"))', _compare),
    "distinguish": ("theory.distinguish(qrels, runs)", _distinguish),
    "identify": ("identify(sklearn.metrics.ndcg_score)", _identify),
}


def _walk(name: str) -> Walk:
    """Walk in this process, in a folder with the data."""
    call = WALKS[name][1]()
    with visits() as seen:
        call()
    return Walk(seen.files)


def measure(names: list[str] | None = None) -> dict[str, Walk]:
    """Walk each of `names`, all by default, in a process of its own."""
    walks = {}
    with tempfile.TemporaryDirectory() as folder:
        recordings.make_data(Path(folder) / "data")
        for name in names or WALKS:
            command = [sys.executable, "-m", "benchmarks.walks", name, "--inside"]
            path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
            environment = {**os.environ, "PYTHONPATH": path}
            done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
            if done.returncode:
                raise RuntimeError(f"{name}: {done.stderr}")
            walks[name] = Walk(*json.loads(done.stdout))
    return walks


def table(walks: dict[str, Walk]) -> str:
    """The table of counts, in Markdown."""
    rows = [f"| `{WALKS[name][0]}` | {len(walk.files)} |" for name, walk in walks.items()]
    return "\n".join(["| call | files |", "| --- | ---: |", *rows])


def by_room(walk: Walk) -> str:
    """The files of a walk by room, a list in Markdown; rooms and files are in the order of their first call."""
    rooms: dict[str, list[str]] = {}
    for path in walk.files:
        room, _, file = path.rpartition("/")
        rooms.setdefault(room, []).append(f"`{file.removesuffix('.py')}`")
    lines = [f"- `{room or 'idealrank'}/`: {', '.join(files)}" for room, files in rooms.items()]
    wrap = partial(textwrap.fill, width=125, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
    return "\n".join(map(wrap, lines))


def updated(page: str, walks: dict[str, Walk]) -> str:
    """The page with what was measured between the comments that mark it."""
    for name, text in {"table": table(walks), **{name: by_room(walk) for name, walk in walks.items()}}.items():
        marks = f"<!-- walk: {name} -->", "<!-- end -->"
        before, mark, rest = page.partition(marks[0])
        if not mark:
            raise ValueError(f"the page has no {marks[0]}")
        page = f"{before}{mark}\n\n{text}\n\n{marks[1]}{rest.partition(marks[1])[2]}"
    return page


def main(arguments: list[str] | None = None) -> int:
    """Print the table of counts and the files in the order of their first call, or write them to the page."""
    parser = argparse.ArgumentParser("python -m benchmarks.walks", description="Files visited by five calls.")
    parser.add_argument("walks", nargs="*", metavar="WALK", help=f"all by default: {', '.join(WALKS)}")
    parser.add_argument("--write", action="store_true", help="update docs/architecture.md")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    for name in options.walks:
        if name not in WALKS:
            parser.error(f"no walk is called {name!r}; there are {', '.join(WALKS)}")
    if options.write and options.walks:
        parser.error("--write measures all walks: name none")
    if options.inside:
        print(json.dumps(_walk(options.walks[0])))
        return 0
    walks = measure(options.walks)
    if options.write:
        PAGE.write_text(updated(PAGE.read_text(encoding="utf-8"), walks), encoding="utf-8")
    print(table(walks))
    for name, walk in walks.items() if not options.write else ():
        print(f"\n{name}: {len(walk.files)} files, {sum(walk.files.values()):,} calls")
        for number, (path, n_calls) in enumerate(walk.files.items(), 1):
            print(f"{number:4} {path:60} {n_calls:9,}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
