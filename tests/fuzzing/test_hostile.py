"""Every public function on hostile data: a right answer or an error that its documentation names, nothing else."""

import builtins
import dataclasses
import inspect
import itertools
import re
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning, NotFittedError

import idealrank as ir
from fuzzing.hostile import ARGUMENTS, SETS, Hostile, arguments_of
from fuzzing.targets.measures import Reference
from idealrank._present.result import Result
from idealrank.data.columns import float_column
from idealrank.errors import IdealrankError, OptionError
from idealrank.learners.learner_base import Ranker
from idealrank.losses import Loss
from idealrank.measures import Measure
from idealrank.measures.cutoffs import Cutoff
from idealrank.measures.discounts import Discount
from idealrank.measures.gains import Gain

PACKAGES = [
    "",
    "cutoffs",
    "datasets",
    "discounts",
    "gains",
    "io",
    "learners",
    "losses",
    "measures",
    "ranks",
    "report",
    "results",
    "stats",
    "theory",
]
#: Values that functions return and that nobody makes by hand: their fields are not checked.
RETURNED = (Result, tuple)
#: Functions that search, with every one of the data sets.
SLOW = {"learners.cross_fold", "theory.check_consistency", "theory.check_losses", "theory.switch_points"}
#: Public names that are no functions of data, and why.
LEFT_OUT = {
    "register": "changes the registry",
    "set_threads": "changes the process; see tests/base/test_threads.py",
    "Loss": "a base class",
    "Measure": "a base class",
    "Gain": "a base class",
    "Discount": "a base class",
    "Cutoff": "a base class",
    "Curve": "a base class",
    "topic_distillation": "draws data from numbers alone; see tests/data/test_datasets.py",
    "web_search": "draws data from numbers alone; see tests/data/test_datasets.py",
    "Figure": "part of a page, made by results",
    "Section": "part of a page, made by results",
    "Ids": "takes a buffer and offsets; Ids.of is what others use, and tests/data/test_ids.py checks it",
    "JudgedLabels": "an array half of checked data",
    "SoftRanks": "takes checked arrays; soft_positions checks them",
    "over_cutoffs": "takes names of measures alone",
    "ParquetSource": "takes a file; see tests/learners/test_sources.py",
}


#: NumPy's warnings of overflow that reach the caller, together with an infinite or NaN result.
WARNED: dict[str, tuple[type[Warning], ...]] = {
    "learners.BoostedRanker": (RuntimeWarning,),
    "theory.approximation_error": (RuntimeWarning,),
    "theory.switch_points": (RuntimeWarning,),
}


def public() -> Iterator[tuple[str, Any]]:
    """Yield every public name and what it is; the modules are looked into, and not yielded."""
    for package in PACKAGES:
        module = getattr(ir, package) if package else ir
        for name in module.__all__:
            value = getattr(module, name)
            if callable(value) and name not in LEFT_OUT and not _is_returned(value):
                yield f"{package}.{name}".strip("."), value


def _is_returned(value: Any) -> bool:
    if not isinstance(value, type):
        return False
    is_record = dataclasses.is_dataclass(value) and not issubclass(
        value, (Measure, Loss, Gain, Discount, Cutoff, Ranker)
    )
    return issubclass(value, RETURNED) or (is_record and value is not ir.RankingData)


PUBLIC = dict(public())
#: Parameters with a default that are passed too.
ALSO = ("offsets", "seed", "n_permutations", "n_resamples", "n_draws", "n_pairs", "refine")


def parameters_of(function: Callable[..., Any]) -> list[str]:
    """The names of the parameters that have no default, and of a few others."""
    return [
        name
        for name, parameter in inspect.signature(function).parameters.items()
        if parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
        and (parameter.default is parameter.empty or name in ALSO)
    ]


def documented(function: Callable[..., Any]) -> tuple[type[BaseException], ...]:
    """The errors of Python that the section Raises of a docstring names."""
    raises = (inspect.getdoc(function) or "").partition("Raises\n------")[2].partition("\n\n")[0]
    named = (getattr(builtins, word, None) for word in re.findall(r"^\w+", raises, re.MULTILINE))
    return tuple(each for each in named if isinstance(each, type) and issubclass(each, BaseException))


def check_finite(result: Any) -> None:
    for part in result if isinstance(result, tuple) else (result,):
        assert np.isfinite(np.asarray(part, float)).all(), result


def of_measure(cls: type[Measure], hostile: Hostile, folder: Path) -> None:
    columns = hostile.labels, hostile.scores, hostile.offsets
    for options in ({}, {"ties": "stable"}, {"ties": "best"}, {"cutoff": 1}):
        try:
            m = cls(**options)
            values = m(*columns)
        except OptionError:  # no closed form for these ties, or no cutoff
            continue
        if m.with_convention().empty != "skip":  # otherwise, NaN is the value of queries to leave out
            check_finite(values)
        labels, scores = np.atleast_1d(np.asarray(columns[0], float)), np.atleast_1d(np.asarray(columns[1], float))
        offsets = [0, labels.size] if columns[2] is None else columns[2]
        reference = Reference(m)
        for q, (begin, end) in enumerate(itertools.pairwise(offsets)):
            if end - begin <= 5 and (labels >= 0).all():
                docs = labels[begin:end].tolist()
                expected = reference.value(docs, scores[begin:end].tolist(), docs)
                assert values[q] == pytest.approx(expected, rel=1e-10, abs=1e-12, nan_ok=True), (m, q)


def of_loss(cls: type[Loss], hostile: Hostile, folder: Path) -> None:
    loss = cls(
        **{"measure": "ndcg"} if cls.__name__ == "Approx" else {"psi": "kl"} if cls.__name__ == "Bregman" else {}
    )
    columns = hostile.labels, hostile.scores, hostile.offsets
    check_finite(loss(*columns))
    check_finite(loss.hessian_diagonal(*columns))


def of_learner(cls: type[Ranker], hostile: Hostile, folder: Path) -> None:
    names = cls().get_params()
    few: dict[str, Any] = (
        {"max_iter": 2}
        if "max_iter" in names
        else {"n_estimators": 2, "min_child_samples": 1}
        if "n_estimators" in names
        else {}
    )
    data = ARGUMENTS["data"](hostile, folder)
    ranker: Any = cls(n_threads=1, **few)
    check_finite(ranker.fit(data).predict(data))
    check_finite(ranker.score(data))


def of_option(cls: type[Gain | Discount | Cutoff], hostile: Hostile, folder: Path) -> None:
    made: Any = cls(**arguments_of([name for name in parameters_of(cls) if name in ARGUMENTS], hostile, folder))
    if isinstance(made, Cutoff):
        made.at(np.array([0, 1, 7]))
    elif isinstance(made, Discount):
        made(np.arange(1, 5), 4)
    else:
        with np.errstate(over="ignore"):  # of 2^1100
            made(float_column(hostile.labels, "labels"))


KINDS: list[tuple[type, Callable[[Any, Hostile, Path], None]]] = [
    (Measure, of_measure),
    (Loss, of_loss),
    (Ranker, of_learner),
    (Gain, of_option),
    (Discount, of_option),
    (Cutoff, of_option),
]


def call(function: Any, hostile: Hostile, folder: Path) -> None:
    for kind, of_kind in KINDS:
        if isinstance(function, type) and issubclass(function, kind):
            of_kind(function, hostile, folder)
            return
    function(**arguments_of(parameters_of(function), hostile, folder))


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow if name in SLOW else ()) for name in PUBLIC]
)
def test_hostile_data_gives_a_right_answer_or_a_documented_error(name: str, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    function, wrong = PUBLIC[name], []
    for hostile in SETS:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                warnings.simplefilter("ignore", UserWarning)
                call(function, hostile, tmp_path)
        except (IdealrankError, NotFittedError, *documented(function), *WARNED.get(name, ())):
            continue
        except Exception as error:
            wrong.append(f"{hostile.name}: {type(error).__name__}: {str(error)[:200]}")
    assert not wrong, "\n".join(wrong)


def test_every_parameter_has_a_hostile_argument() -> None:
    kinds = tuple(kind for kind, _ in KINDS)
    unknown = {
        f"{name}: {parameter}"
        for name, function in PUBLIC.items()
        for parameter in ([] if isinstance(function, type) and issubclass(function, kinds) else parameters_of(function))
        if parameter not in ARGUMENTS
    }
    assert not unknown, "say in fuzzing.hostile.ARGUMENTS what to pass"


def test_there_are_enough_sets_and_names() -> None:
    assert len(SETS) >= 25
    assert len({hostile.name for hostile in SETS}) == len(SETS)
    assert set(LEFT_OUT) <= {name for package in PACKAGES for name in (getattr(ir, package) if package else ir).__all__}
