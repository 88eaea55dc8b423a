"""Calling an unknown function: which form it takes, what it returns, and how often it was called."""

from __future__ import annotations

import copy
import math
import os
import re
import shlex
import signal
import subprocess
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from numbers import Real
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from idealrank.errors import OptionError
from idealrank.identification.calling_forms import Form, Probe, Query, ranking

_NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d++\.?+\d*+(?:[eE][-+]?\d++)?+|nan|inf)(?![\w.])")
#: How much of the output of a command is read, from its end.
_PRINTED = 1 << 16
#: No value of a list with labels 0 and 1.
_NONSENSE = 1000.0


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


class Obstacle(NamedTuple):
    """Why a function cannot be identified as NDCG: changing, constant, magnitude, or the name of another measure."""

    kind: str
    answer: Answer
    words: str

    @property
    def is_defect(self) -> bool:
        """Whether something is wrong; another measure may be right."""
        return self.kind in ("changing", "constant", "magnitude")


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
        self.form = Form(("qrels", "run"), "k" if "{k}" in command else None)

    def __call__(
        self, qrels: Mapping[str, Mapping[str, float]], run: Mapping[str, Mapping[str, float]], k: int = 1000
    ) -> float:
        """Write the files, run the command, and return the number."""
        judged, retrieved = [], []
        for query, docs in qrels.items():  # some tools accept only numbers as query ids
            judged += [f"{query.removeprefix('q')} 0 {doc} {label}\n" for doc, label in docs.items()]
        for query, docs in run.items():
            ranks = {doc: rank for rank, doc in enumerate(sorted(docs, key=lambda doc: -docs[doc]), 1)}
            retrieved += [f"{query.removeprefix('q')} Q0 {d} {ranks[d]} {s!r} probe\n" for d, s in docs.items()]
        with tempfile.TemporaryDirectory() as folder:
            line = self.command.replace("{k}", str(k))
            for name, file, lines in (("qrels", "qrels.txt", judged), ("run", "system.run", retrieved)):
                Path(folder, file).write_text("".join(lines), encoding="utf-8")
                line = line.replace(f"{{{name}}}", shlex.quote(str(Path(folder, file))))
            code, printed, errors = self._run(line, Path(folder))
        if code:
            raise RuntimeError(f"exit code {code}: {' '.join(errors.split())[:200]}")
        numbers = _NUMBER.findall(printed)
        if not numbers:
            raise RuntimeError(f"the command printed no number: {' '.join(printed.split())[:200]!r}")
        return float(numbers[-1])

    def _run(self, line: str, folder: Path) -> tuple[int, str, str]:
        """Return the exit code of a shell command, and the ends of what it printed."""
        # Not pipes: they stay open as long as any process that the command started. A session of its own is a group of
        # processes that can be ended together.
        with (folder / "stdout").open("w+b") as stdout, (folder / "stderr").open("w+b") as stderr:
            process = subprocess.Popen(line, shell=True, stdout=stdout, stderr=stderr, start_new_session=True)
            timer, began = threading.Timer(self.timeout, _end, [process]), time.monotonic()
            try:
                timer.start()
                code = process.wait()
            except BaseException:
                _end(process)
                raise
            finally:
                timer.cancel()
            if code < 0 and time.monotonic() - began >= self.timeout:
                raise TimeoutError(f"the command took more than {self.timeout:g} seconds")
            ends = []
            for file in (stdout, stderr):
                file.seek(-min(file.seek(0, 2), _PRINTED), 2)
                ends.append(file.read().decode("utf-8", "replace"))
        return code, ends[0], ends[1]


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process and those that it started."""
    if process.returncode is None:
        with suppress(ProcessLookupError):
            if os.name == "nt":
                process.kill()
            else:
                os.killpg(process.pid, signal.SIGKILL)


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
        #: The first call that changed its arguments.
        self.changed: Answer | None = None
        #: Which of several numbers of a tuple is taken.
        self.place: int | None = None
        self.known: dict[tuple[Form, Probe], Answer] = {}

    @property
    def left(self) -> int:
        """The number of calls that are left."""
        return self.max_calls - self.n_calls

    @property
    def first(self) -> Answer:
        """The first answer to a call of the right form."""
        return next(answer for (form, _), answer in self.known.items() if form == self.form)

    def ask(self, probe: Probe, *, again: bool = False, form: Form | None = None) -> Answer:
        """Call the function, unless it was called with this before."""
        key = (form or self.form, probe)
        if again or key not in self.known:
            if self.left <= 0:
                raise OutOfCalls
            self.n_calls += 1
            self.known[key] = self._called(*key)
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
            return Answer(probe, None, _described(error))
        answer = Answer(probe, value, dtype=dtype)
        if self.changed is None and not all(map(_is_same, before, positional)):
            self.changed = answer
        return answer

    def _number(self, returned: Any, n_queries: int) -> tuple[float, str]:
        """Return the only number in the result of a function."""
        dtype = str(getattr(returned, "dtype", "float64")).removeprefix("torch.")
        if hasattr(returned, "detach"):
            returned = returned.detach().cpu().numpy()
        for number in (returned, getattr(returned, "score", None), getattr(returned, "value", None)):
            if isinstance(number, Real):
                return float(number), dtype
        numbers = _numbers(returned)
        values = _at_largest_cutoff(numbers) or [value for _, value in numbers]
        if not values:
            raise TypeError(f"returned {type(returned).__name__} without a number: {returned!r:.80}")
        if len(values) in (1, n_queries):
            return float(np.mean(values)), dtype
        is_tuple = isinstance(returned, (tuple, list, Mapping))
        if self.place is None and is_tuple and n_queries == 1 and 1.0 in values:  # the first list is in its best order
            self.place = values.index(1.0)
        if self.place is not None and self.place < len(values):
            return values[self.place], dtype
        raise TypeError(f"returned {len(values)} numbers for {n_queries} {'query' if n_queries == 1 else 'queries'}")


def _described(error: BaseException) -> str:
    try:
        words = " ".join(str(error).split())
    except Exception:  # the error comes from the function, and may be wrong itself
        words = ""
    return f"{type(error).__name__}: {words}" if words else type(error).__name__


def _numbers(returned: Any, path: str = "") -> list[tuple[str, float]]:
    """Return the numbers that a function returned, with the names that lead to each."""
    if isinstance(returned, Mapping):
        return [number for name, each in returned.items() for number in _numbers(each, f"{path}/{name}")]
    if isinstance(returned, Real):
        return [(path, float(returned))]
    if hasattr(returned, "to_numpy"):
        returned = np.asarray(returned.to_numpy())
    if isinstance(returned, np.ndarray):
        return [(path, float(value)) for value in returned.ravel().tolist() if isinstance(value, Real)]
    if isinstance(returned, (list, tuple)):
        return [number for each in returned for number in _numbers(each, path)]
    return [(path, float(returned.item()))] if hasattr(returned, "item") else []


def _at_largest_cutoff(numbers: Sequence[tuple[str, float]]) -> list[float]:
    """Return the values with NDCG in their names; for ndcg@5 and ndcg@10, those of the largest cutoff."""
    named: dict[str, list[float]] = {}
    for path, value in numbers:
        name = next((part for part in reversed(path.lower().split("/")) if "ndcg" in part), None)
        if name is not None:
            named.setdefault(name, []).append(value)

    def cutoff(name: str) -> float:
        return float(next(reversed(re.findall(r"\d+", name)), math.inf))

    return named[max(named, key=cutoff)] if named else []


def _is_same(first: Any, second: Any) -> bool:
    try:
        if isinstance(first, (dict, set)):
            return bool(first == second)
        return bool(np.array_equal(np.asarray(first), np.asarray(second)))
    except (TypeError, ValueError):
        return True


def differ(answers: Sequence[Answer]) -> bool:
    """Return whether all answers are numbers, and not the same."""
    values = [each.value for each in answers if each.value is not None and math.isfinite(each.value)]
    return len(values) == len(answers) and max(values) - min(values) > 1e-6


#: A good ranking, a bad one, and one of other documents: any NDCG differs between two of them.
_LABELS = [0, 1, 0, 0, 1, 0]
_GOOD = ranking(_LABELS, [4, 1, 3, 5, 2, 6])
_BAD = ranking(_LABELS, [2, 4, 1, 3, 5, 6])
_MOVED = ranking([1, 0, 0, 0, 0, 1], [2, 1, 3, 6, 4, 5])
#: The same with grades.
_GRADES = [0, 1, 0, 0, 2, 0]
_GRADED = (
    ranking(_GRADES, [4, 2, 3, 5, 1, 6]),
    ranking(_GRADES, [2, 4, 1, 3, 5, 6]),
    ranking([1, 0, 0, 0, 0, 2], [2, 1, 3, 6, 4, 5]),
)
#: Forms that are taken if no other is right, the better first.
_AS_GIVEN, _BY_MAGNITUDE, _NO_NUMBER, _CONSTANT = range(4)


class FormSearch:
    """Finds out what a function takes.

    Parameters
    ----------
    caller : Caller
        Calls the function; has the right form in the end.
    """

    def __init__(self, caller: Caller) -> None:
        self.caller = caller
        #: Whether documents are ranked in the order given.
        self.by_input = False
        self.zeros_judged = True
        self.obstacle: Obstacle | None = None
        #: Forms that raised errors.
        self.tried: list[tuple[Form, Answer]] = []
        #: Whether the budget of calls ended before a form was found.
        self.is_out_of_calls = False

    def run(self, forms: Iterable[Form]) -> bool:
        """Return whether the function returned a number for any of the forms."""
        try:
            return self._run(forms)
        except OutOfCalls:
            self.is_out_of_calls = True
            return False

    def _run(self, forms: Iterable[Form]) -> bool:
        fallbacks: list[tuple[int, Form]] = []
        constant: list[Form] = []
        first_form: Form | None = None
        for form in forms:
            if self.caller.n_calls >= max(self.caller.max_calls // 2, 1):
                break
            if fallbacks and fallbacks[0][0] == _AS_GIVEN and (form.has_scores or "relevant" not in form.bare):
                continue  # documents are ranked as given: by ids, or with ignored scores
            if form.words in [each.words for each in (*constant, *(known for _, known in fallbacks))]:
                continue
            answer = self._ask(_GOOD, form)
            if answer.value is None:
                self.tried.append((form, answer))
            if not answer.is_number:
                if answer.value is not None or "ZeroDivision" in answer.error:
                    fallbacks.append((_NO_NUMBER, form))
                continue
            if abs(answer.value or 0.0) > _NONSENSE:  # ids were interpreted as numbers
                continue
            first_form = first_form or form
            if self._is_changing(form, first_form):
                return True
            answers = [answer, *(self._ask(each, form) for each in (_BAD, _MOVED))]
            if not differ(answers):
                if form.is_suggested and self._looks_closer(form):
                    return True
                constant.append(form)
                continue
            verdict = self._accepted(form)
            if verdict == "yes" and form.has_scores and not differ(answers[:2]):
                fallbacks.insert(0, (_AS_GIVEN, form))
            elif verdict == "yes":
                return self._take(form, answers)
            elif verdict == "by magnitude":
                fallbacks.append((_BY_MAGNITUDE, form))
                if form.is_suggested:
                    break
        if not fallbacks or fallbacks[0][0] > _AS_GIVEN:
            for form in constant:
                if self._looks_closer(form):
                    return True
                fallbacks.append((_CONSTANT, form))
        return bool(fallbacks) and self._fall_back(*min(fallbacks, key=lambda each: each[0]))

    def _ask(self, query: Query, form: Form, k: int = 6, *, again: bool = False) -> Answer:
        return self.caller.ask(Probe((query,), k if form.k is not None else None), form=form, again=again)

    def _take(self, form: Form, answers: Sequence[Answer]) -> bool:
        self.caller.form, self.by_input = form, not differ(answers[:2])
        return True

    def _is_changing(self, form: Form, own: Form) -> bool:
        """Find out whether the same call gives two values."""
        first, again = self._ask(_GOOD, form), self._ask(_GOOD, form, again=True)
        if first.value is not None and again.value is not None and not abs(again.value - first.value) > 1e-12:
            return False
        self.caller.form = own
        self.obstacle = changing(first, again)
        return True

    def _fall_back(self, kind: int, form: Form) -> bool:
        self.caller.form = form
        self.by_input = kind == _AS_GIVEN
        if kind == _BY_MAGNITUDE and not self._is_changing(form, form):
            words = "the value depends on the scores themselves, not only on the order that they give"
            self.obstacle = Obstacle("magnitude", self._ask(_GOOD, form), words)
        elif kind == _CONSTANT:
            self.obstacle = Obstacle("constant", self.caller.first, "returns the same value for every ranking")
        return True

    def _accepted(self, form: Form, tested: Sequence[Query] = (_GOOD, _BAD), k: int = 6) -> str:
        """Return whether a form whose values differ is the right one: "yes", "no" or "by magnitude"."""
        # scores have one digit before the point, so that they may also be compared as text
        if form.has_scores and not all(
            self._is_unchanged(each, _renamed(each, score=lambda score: 1 + 8 * (score / 8) ** 3), form, k)
            for each in tested
        ):
            return "by magnitude"  # only the order of scores matters, but the size of labels does too
        names = {doc: chr(ord("a") + place) * (place + 1) for place, doc in enumerate(_GOOD.docs)}
        if form.has_names and not all(
            self._is_unchanged(each, _renamed(each, doc=names.__getitem__), form, k) for each in tested
        ):
            return "no"  # ids were interpreted as something else
        return "yes"

    def _is_unchanged(self, query: Query, other: Query, form: Form, k: int) -> bool:
        """Return whether two queries give the same value."""
        first, second = (self._ask(each, form, k).value for each in (query, other))
        return first is not None and second is not None and not abs(first - second) > 1e-6

    def _looks_closer(self, form: Form) -> bool:
        """Find what matters to a function that returned one value for all lists: grades, a cutoff, or no zeros."""
        if form.is_graded:
            answers = [self._ask(each, form) for each in _GRADED]
            if differ(answers[:1] + answers[2:]) or differ(answers[:2]):
                return self._accepted(form, _GRADED[:2]) == "yes" and self._take(form, answers)
        if form.k is not None:  # without a discount, only a cutoff matters
            answers = [self._ask(each, form, 3) for each in (_GOOD, _BAD, _MOVED)]
            if differ(answers):
                return self._accepted(form, k=3) == "yes" and self._take(form, answers)
        if not (form.has_names and form.is_graded):
            return False
        without = [Query(each.ranked, tuple(row for row in each.judged or () if row[1])) for each in (_GOOD, _BAD)]
        if not differ([self._ask(each, form) for each in without]):
            return False
        self.caller.form, self.zeros_judged = form, False
        return True


def changing(first: Answer, again: Answer) -> Obstacle:
    """Return what is said of a function that gives two values for the same call."""
    words = f"the same call gives {first}, then {again}: it depends on state or chance"
    return Obstacle("changing", again, words)


def _renamed(query: Query, doc: Callable[[str], str] = str, score: Callable[[float], float] = float) -> Query:
    """Return the query with other ids or scores."""
    ranked = tuple((doc(name), score(value)) for name, value in query.ranked or ())
    return Query(ranked, tuple((doc(name), label) for name, label in query.judged or ()))
