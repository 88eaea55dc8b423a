"""Text of repeated parts, as a file or as a name, is recognized or refused in time and memory in proportion."""

import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import idealrank as ir
from fuzzing.core import Target
from idealrank.errors import IdealrankError

_UNITS = [" ", "\t", "\n", "\r\n", "\r", "#", "# \n", "1", "0", "-", "+", ".", "e", "1e", "1.", "1:", "1:1 ", "qid:1 "]
_UNITS += [
    "Q0 ",
    "d ",
    "1 ",
    "a ",
    ",",
    '"',
    '""',
    "[",
    "{",
    "]",
    '{"a":',
    "\\",
    "\0",
    "\x0b",
    "\x0c",
    "é",
    "\x85",
    "id",
]
_UNITS += [
    "q 0 d 1\n",
    "q Q0 d 1 1 t\n",
    "1 qid:1 1:1\n",
    "@",
    "(",
    "=",
    "_",
    "a=",
    "a.",
    "\u2028",
    ": ",
    "a,b\n",
    ")",
    "id",
]
_SIZE = 100_000
#: Of processor time; what is linear takes a small part of it.
_SECONDS = 2.0


def draw(rng: Random) -> Iterator[dict[str, Any]]:
    for _ in range(20):
        units = ["".join(rng.choices(_UNITS, k=rng.choice([1, 1, 2, 3]))) for _ in range(rng.choice([1, 1, 2, 3]))]
        begin, end = rng.choice(["", "", *_UNITS]), rng.choice(["", "\n", "x", "\0", *_UNITS])
        yield {"begin": begin, "parts": [[unit, rng.random()] for unit in units], "end": end}


def _text(case: dict[str, Any]) -> str:
    total = sum(share for _, share in case["parts"]) or 1.0
    repeated = (unit * int(_SIZE * share / total / len(unit)) for unit, share in case["parts"])
    return "".join([case["begin"], *repeated, case["end"]])


def check(case: dict[str, Any]) -> int:
    text = _text(case)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        path.write_text(text, encoding="utf-8", newline="")
        calls: dict[str, Callable[[], object]] = {
            "judgments": lambda: ir.evaluate(path, {"q": ["a"]}, "ap"),
            "a run": lambda: ir.evaluate({"q": {"a": 1}}, path, "ap"),
            "a measure": lambda: ir.measure(text[: _SIZE // 10]),
            "a loss": lambda: ir.loss(text[: _SIZE // 10]),
        }
        for name, call in calls.items():
            began = time.process_time()
            with suppress(IdealrankError):
                call()
            taken = time.process_time() - began
            assert taken < _SECONDS, f"as {name}, it takes {taken:.1f} s"
    return len(calls)


def smaller(case: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the case with fewer parts, and without its begin and end."""
    for place in range(len(case["parts"]) if len(case["parts"]) > 1 else 0):
        yield case | {"parts": [*case["parts"][:place], *case["parts"][place + 1 :]]}
    for what in ("begin", "end"):
        if case[what]:
            yield case | {what: ""}


TARGET = Target(draw, check, smaller)
