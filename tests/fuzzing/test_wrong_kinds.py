"""Every public function given a value of a wrong kind: an answer, or an error that says what is expected.

Each parameter gets each of the wrong values while the others keep valid ones, and then all parameters get the same one.
"""

import importlib
import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sklearn.exceptions import NotFittedError

from fuzzing.hostile import ARGUMENTS, SETS, arguments_of
from fuzzing.test_hostile import KINDS, LEFT_OUT, PUBLIC, SLOW, parameters_of
from idealrank.errors import IdealrankError, MissingExtraError
from idealrank.learners.learner_base import Ranker
from idealrank.losses import Loss
from idealrank.measures import Measure

WRONG: tuple[Any, ...] = (None, 3, -1.5, "x", {}, [], object(), [[1, 2], [3]], float("nan"), b"x", ("a",))
#: Packages whose functions need other packages, or take the results of others; their parameters are all wrong at once.
OTHERS = ("integrations.dask", "integrations.lightgbm", "integrations.torch", "integrations.xgboost", "report.figures")
#: What raises the errors of Python, and why; integrations.pytrec_eval is left out as a whole for the same reason.
EXCEPTIONS = {
    "X": "features are checked by scikit-learn, whose own tests of estimators require a TypeError",
}
ALLOWED = (IdealrankError, OSError, ImportError, NotFittedError)

_PLAIN = SETS[0]
_COLUMNS = {"labels": _PLAIN.labels, "scores": _PLAIN.scores, "offsets": _PLAIN.offsets}
_QRELS = {"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 0, "d2": 2}}
_RUNS = {name: {"q1": {"d1": 0.5, "d2": 0.7}, "q2": {"d1": 0.1, "d3": 0.2}} for name in "AB"}
#: Valid arguments of functions for which the plain set of `fuzzing.hostile` has none.
VALID: dict[str, dict[str, Any]] = {
    "abstentions": {"data": _QRELS, "scores": _RUNS},
    "agreement": {"run": _RUNS},
    "bounds": {"data": _QRELS, "scores": _RUNS},
    "compare": {"data": _QRELS, "systems": _RUNS},
    "evaluate": {"data": _QRELS, "scores": _RUNS["A"], "measures": "ndcg"},
    "explain": {"data": _QRELS, "scores": _RUNS["A"], "measure": "ndcg", "like": ["trec_eval", "lightgbm"]},
    "leaderboard": {"datasets": dict.fromkeys(("one", "two"), (_QRELS, _RUNS))},
}
_Call = Callable[[Any], object]


def named_parameters(function: Callable[..., Any]) -> list[str]:
    """The names of the parameters that a caller can pass by name."""
    parameters = inspect.signature(function).parameters.values()
    by_name = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return [each.name for each in parameters if each.kind in by_name]


def with_each_wrong(function: Callable[..., Any], valid: dict[str, Any]) -> Iterator[tuple[str, _Call]]:
    for name in named_parameters(function):
        if name not in EXCEPTIONS:
            yield name, lambda wrong, name=name: function(**{**valid, name: wrong})  # type: ignore[misc]


def calls_of(function: Any, folder: Path) -> Iterator[tuple[str, _Call]]:
    """Yield names of parameters, and calls with one value for them."""
    if isinstance(function, type) and issubclass(function, (Measure, Loss)):
        own: dict[str, Any] = {"measure": "ndcg"} if function.__name__ == "Approx" else {}
        own = {"psi": "kl"} if function.__name__ == "Bregman" else own
        for name in function.options():
            yield name, lambda wrong, name=name: function(**{**own, name: wrong})(**_COLUMNS)  # type: ignore[misc]
        yield from with_each_wrong(function(**own), _COLUMNS)
    elif isinstance(function, type) and issubclass(function, Ranker):
        names = function().get_params()
        small = {"max_iter": 2, "n_estimators": 2, "min_child_samples": 1, "n_threads": 1}
        few: dict[str, Any] = {name: number for name, number in small.items() if name in names}
        data = ARGUMENTS["data"](_PLAIN, folder)
        for name in names:
            yield name, lambda wrong, name=name: function(**{**few, name: wrong}).fit(data)  # type: ignore[misc]
        ranker: Any = function(**few)
        yield from with_each_wrong(ranker.fit, {"X": [[1.0, 2.0], [3.0, 4.0]], "y": [1, 0], "qid": [1, 1]})
        ranker.fit(data)
        yield from with_each_wrong(ranker.score, {"X": data})
    elif not (isinstance(function, type) and issubclass(function, tuple(kind for kind, _ in KINDS))):
        known = VALID.get(getattr(function, "__name__", ""))
        yield from with_each_wrong(function, known or arguments_of(parameters_of(function), _PLAIN, folder))
    yield from all_wrong(function)


def all_wrong(function: Callable[..., Any]) -> Iterator[tuple[str, _Call]]:
    parameters = inspect.signature(function).parameters.values()
    needed = [each.name for each in parameters if each.default is each.empty and each.kind not in (2, 4)]
    if needed:
        yield ", ".join(needed), lambda wrong: function(**dict.fromkeys(needed, wrong))


def check(calls: Iterator[tuple[str, _Call]]) -> None:
    raw = []
    for name, call in calls:
        for wrong in WRONG:
            try:
                call(wrong)
            except ALLOWED:
                continue
            except Exception as error:
                raw.append(f"{name}={wrong!r}: {type(error).__name__}: {str(error)[:120]}")
    assert not raw, "\n".join(raw)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", [name for name in PUBLIC if name not in SLOW])
def test_a_wrong_kind_of_value_is_an_error_of_the_package(name: str, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    try:
        check(calls_of(PUBLIC[name], tmp_path))
    except MissingExtraError as error:
        pytest.skip(str(error))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("package", OTHERS)
def test_a_wrong_kind_of_value_for_what_other_packages_use(package: str, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    try:
        module = importlib.import_module(f"idealrank.{package}")
        public = {name: getattr(module, name) for name in module.__all__}
    except MissingExtraError as error:
        pytest.skip(str(error))
    for name, value in public.items():
        if callable(value) and name not in LEFT_OUT:
            check(all_wrong(value))


def test_the_folds_and_files_that_are_left_out_elsewhere(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    for package, name in (("data.ids", "Ids"), ("learners", "ParquetSource"), ("learners", "cross_fold")):
        check(all_wrong(getattr(importlib.import_module(f"idealrank.{package}"), name)))


@pytest.mark.parametrize("name", VALID)
def test_the_arguments_that_are_called_valid_are(name: str) -> None:
    PUBLIC[name](**VALID[name])
