"""Targets, their outcomes, and how a failing case is made smaller and saved."""

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any, TypeAlias

__all__ = ["CASES", "Case", "Target", "cases_of", "failure_of", "load", "minimized", "read_case", "save_case"]

#: An input: the bytes of a file, or values that JSON can hold.
Case: TypeAlias = "bytes | dict[str, Any]"
CASES = Path(__file__).parent / "cases"


@dataclass(frozen=True)
class Target:
    """What is fuzzed.

    ``draw`` yields the cases of one seed. ``check`` returns how many answers it compared, and raises if one is wrong:
    an AssertionError, or whatever the code under test raised that it may not. ``smaller`` yields simpler cases, the
    simplest first.
    """

    draw: Callable[[Random], Iterator[Any]]
    check: Callable[[Any], int]
    smaller: Callable[[Any], Iterator[Any]]


def load(name: str) -> Target:
    """Return the target with this name in ``fuzzing.TARGETS``."""
    target: Target = import_module(f"fuzzing.targets.{name}").TARGET
    return target


def cases_of(name: str, seed: int) -> Iterator[Any]:
    """Return the cases of a seed, which are the same in every run."""
    return load(name).draw(Random(f"{name} {seed}"))


def failure_of(target: Target, case: Case) -> str | None:
    """Return what is wrong with the answers to this case; None if nothing is."""
    try:
        target.check(case)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return None


def minimized(target: Target, case: Any, fails: Callable[[Any], bool], most_tries: int = 3000) -> Any:
    """Return a small case that still fails: the first simpler case that fails is taken, again and again."""
    tries = 0
    found: Any = case
    while found is not None:
        case, found = found, None
        for candidate in target.smaller(case):
            tries += 1
            if tries > most_tries:
                return case
            if fails(candidate):
                found = candidate
                break
    return case


def save_case(name: str, case: Case, folder: Path = CASES) -> Path:
    """Write a case to the folder of its target; the same case has the same name."""
    content = case if isinstance(case, bytes) else json.dumps(case, indent=1).encode() + b"\n"
    ending = "bin" if isinstance(case, bytes) else "json"
    path = folder / name / f"{hashlib.sha256(content).hexdigest()[:12]}.{ending}"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def read_case(path: Path) -> Case:
    """Read a case that `save_case` wrote, or that was written by hand."""
    content = path.read_bytes()
    return content if path.suffix == ".bin" else dict(json.loads(content))
