"""Calling an unknown function: what it returns, and how often it was called."""

from __future__ import annotations

import copy
import math
import re
import shlex
import subprocess
import tempfile
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np

from idealrank.errors import OptionError
from idealrank.identification.calling_forms import Form
from idealrank.identification.probes import Probe

__all__ = ["Answer", "Caller", "OutOfCalls", "ShellCommand"]


class OutOfCalls(Exception):  # noqa: N818 (an end, not an error)
    """The budget of calls is used up."""


@dataclass(frozen=True)
class Answer:
    """What a call gave: a number, or the words of an error."""

    probe: Probe
    value: float | None
    error: str = ""
    dtype: str = "float64"

    @property
    def is_number(self) -> bool:
        """Whether the call returned a finite number."""
        return self.value is not None and math.isfinite(self.value)

    def __str__(self) -> str:
        return f"{self.value:.6g}" if self.value is not None else self.error


class ShellCommand:
    """A shell command over a file of judgments and a run file: the last number that it prints.

    Parameters
    ----------
    command : str
        The command, with ``{qrels}``, ``{run}`` and, if it takes a cutoff, ``{k}``.
    timeout : float
        Seconds after which a call is given up.
    """

    def __init__(self, command: str, timeout: float = 60.0) -> None:
        for place in ("{qrels}", "{run}"):
            if place not in command:
                raise OptionError(f"the command must contain {place}, the path of a file that is written: {command!r}")
        self.command, self.timeout = command, timeout
        self.has_k = "{k}" in command

    def __call__(
        self, qrels: Mapping[str, Mapping[str, float]], run: Mapping[str, Mapping[str, float]], k: int = 1000
    ) -> float:
        """Write the files, run the command, and return the number."""
        with tempfile.TemporaryDirectory() as folder:
            paths = {"qrels": Path(folder, "qrels.txt"), "run": Path(folder, "system.run")}
            # some tools accept only numbers as query ids
            judged = [
                f"{q.removeprefix('q')} 0 {doc} {label}\n" for q, docs in qrels.items() for doc, label in docs.items()
            ]
            found = []
            for query, docs in run.items():
                ordered = {doc: rank for rank, (doc, _) in enumerate(sorted(docs.items(), key=lambda row: -row[1]), 1)}
                found += [f"{query.removeprefix('q')} Q0 {d} {ordered[d]} {s!r} probe\n" for d, s in docs.items()]
            paths["qrels"].write_text("".join(judged), encoding="utf-8")
            paths["run"].write_text("".join(found), encoding="utf-8")
            line = self.command
            for name, path in paths.items():
                line = line.replace(f"{{{name}}}", shlex.quote(str(path)))
            done = subprocess.run(
                line.replace("{k}", str(k)),
                shell=True,
                capture_output=True,
                text=True,
                timeout=self.timeout,
                check=False,
            )
        if done.returncode:
            raise RuntimeError(f"exit code {done.returncode}: {' '.join(done.stderr.split())[:200]}")
        numbers = re.findall(r"(?<![\w.])[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|nan|inf)(?![\w.])", done.stdout)
        if not numbers:
            raise RuntimeError(f"the command printed no number: {' '.join(done.stdout.split())[:200]!r}")
        return float(numbers[-1])


class Caller:
    """Calls a function with probes, and counts the calls.

    Parameters
    ----------
    function : callable
        The function.
    max_calls : int
        The number of calls after which `OutOfCalls` is raised.
    """

    def __init__(self, function: Callable[..., Any], max_calls: int) -> None:
        self.function, self.max_calls = function, max_calls
        self.n_calls = 0
        self.form = Form(())
        self.changed: Answer | None = None
        self.per_query = False
        #: Which of several numbers of a tuple is taken.
        self.place: int | None = None
        self.known: dict[tuple[Form, Probe], Answer] = {}

    @property
    def left(self) -> int:
        """The number of calls that are left."""
        return self.max_calls - self.n_calls

    def ask(self, probe: Probe, *, again: bool = False, form: Form | None = None) -> Answer:
        """Call the function, unless it was called with this before."""
        form = form or self.form
        key = (form, probe)
        if again or key not in self.known:
            if self.left <= 0:
                raise OutOfCalls
            self.n_calls += 1
            self.known[key] = self._called(form, probe)
        return self.known[key]

    def _called(self, form: Form, probe: Probe) -> Answer:
        positional, named = form.arguments(probe)
        before = copy.deepcopy(positional)
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                returned = self.function(*positional, **named)
            value, dtype = self._number(returned, len(probe.queries))
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # SystemExit and similar exceptions are answers too
            words = " ".join(str(error).split())
            return Answer(probe, None, f"{type(error).__name__}: {words}" if words else type(error).__name__)
        answer = Answer(probe, value, dtype=dtype)
        if self.changed is None and not all(map(_is_same, before, positional)):
            self.changed = answer
        return answer

    def _number(self, returned: Any, n_queries: int) -> tuple[float, str]:
        """Return the only number in the result of a function."""
        dtype = str(getattr(returned, "dtype", "float64")).removeprefix("torch.")
        if isinstance(returned, Real):
            return float(returned), dtype
        if hasattr(returned, "detach"):
            returned = returned.detach().cpu().numpy()
        for name in ("score", "value"):
            if isinstance(getattr(returned, name, None), Real):
                return float(getattr(returned, name)), dtype
        found = _numbers(returned)
        values = _at_largest_cutoff(found) or [value for _, value in found]
        if not values:
            raise TypeError(f"returned {type(returned).__name__} without a number: {returned!r:.80}")
        if len(values) == 1:
            return values[0], dtype
        if len(values) == n_queries:
            self.per_query = True
            return float(np.mean(values)), dtype
        is_tuple = isinstance(returned, (tuple, list, Mapping))
        if self.place is None and is_tuple and n_queries == 1 and 1.0 in values:  # the first list is in its best order
            self.place = values.index(1.0)
        if self.place is not None and self.place < len(values):
            return values[self.place], dtype
        raise TypeError(f"returned {len(values)} numbers for {n_queries} {'query' if n_queries == 1 else 'queries'}")


def _numbers(returned: Any, path: str = "") -> list[tuple[str, float]]:
    if isinstance(returned, Mapping):
        return [found for name, each in returned.items() for found in _numbers(each, f"{path}/{name}")]
    if isinstance(returned, Real):
        return [(path, float(returned))]
    if isinstance(returned, np.ndarray):
        return [(path, float(value)) for value in returned.ravel().tolist() if isinstance(value, Real)]
    if isinstance(returned, (list, tuple)):
        return [found for each in returned for found in _numbers(each, path)]
    if hasattr(returned, "to_numpy"):
        return _numbers(np.asarray(returned.to_numpy()), path)
    if hasattr(returned, "item"):
        return [(path, float(returned.item()))]
    return []


def _at_largest_cutoff(found: Sequence[tuple[str, float]]) -> list[float]:
    """Return the values with NDCG in their names; for ndcg@5 and ndcg@10, those of the largest cutoff."""
    named: dict[str, list[float]] = {}
    for path, value in found:
        for part in reversed(path.lower().split("/")):
            if "ndcg" in part:
                named.setdefault(part, []).append(value)
                break

    def cutoff(name: str) -> float:
        numbers = re.findall(r"\d+", name)
        return float(numbers[-1]) if numbers else math.inf

    return named[max(named, key=cutoff)] if named else []


def _is_same(first: Any, second: Any) -> bool:
    try:
        return (
            bool(np.array_equal(np.asarray(first), np.asarray(second)))
            if not isinstance(first, (dict, set))
            else first == second
        )
    except (TypeError, ValueError):
        return True
