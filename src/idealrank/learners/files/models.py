"""Save and load learners: their options and what they learned, in files that `documents` writes."""

from __future__ import annotations

import os
import re
from typing import Any

import numpy as np

from idealrank._names.grammar import nearest
from idealrank.data.ids import Ids
from idealrank.errors import DataError, IdealrankError, ModelError, OptionError
from idealrank.io.files import Source, display_name, path_text
from idealrank.learners.estimators import check_is_fitted
from idealrank.learners.factors.factor_ranker import FactorRanker
from idealrank.learners.files.model_json import Entry, StoredModel, read_model, write_model
from idealrank.learners.learner_base import Learner
from idealrank.learners.learner_names import by_class_name, made, options_of
from idealrank.losses import Loss, loss
from idealrank.measures import Measure, cutoffs, measure

__all__ = ["check_savable", "load", "save"]

#: Options that depend on the machine where a model is fitted, and do not change the model.
_NOT_STORED = ("n_threads", "verbose", "engine")
#: The functions that read values from their text in a file.
_READERS = {Measure: measure, Loss: loss, cutoffs.Cutoff: cutoffs.of}


def save(model: Learner, path: str | os.PathLike[str]) -> None:
    """Write a fitted learner to a JSON file: its options, and the learned values that scoring needs.

    The file is written completely or not at all. It does not contain the history of the fit.

    Parameters
    ----------
    model : Ranker or FactorRanker
        A fitted learner. Options that are objects are written by name, so that an object without a name, such as a loss
        made of your own functions, cannot be saved.
    path : path-like
        The file; names that end in .gz, .xz, .bz2 or .zst are compressed.

    Raises
    ------
    ModelError
        If the model cannot be written to such a file.

    Examples
    --------
    >>> from idealrank import from_arrays
    >>> from idealrank.learners import RankNet, load, save
    >>> data = from_arrays([0, 1, 0, 1], group=[2, 2], features=[[1.0, 5.0], [3.0, 4.0], [2.0, 9.0], [5.0, 1.0]])
    >>> save(RankNet(l2=0.1).fit(data), "model.json")
    >>> load("model.json").score(data)
    1.0
    """
    check_savable(model, path)
    check_is_fitted(model)
    name, target = type(model).__name__, os.fspath(path)
    stored = (key for key in options_of(type(model)) if key not in _NOT_STORED)
    options = {key: _as_text(getattr(model, key), f"{name}'s {key}", target) for key in stored}
    names = getattr(model, "feature_names_in_", None)
    try:
        state = {key: _as_entry(value, model._state[key]) for key, value in model._get_state().items()}
    except DataError as error:
        raise ModelError(str(error), target) from None
    feature_names = None if names is None else tuple(names.tolist())
    write_model(StoredModel(name, options, int(model.n_features_in_), feature_names, state), path)


def check_savable(model: Learner, path: str | os.PathLike[str]) -> None:
    """Raise a ModelError for a learner, fitted or not yet, that no file can hold."""
    name, target = type(model).__name__, path_text(path, "the path of the file to write")
    if _storable().get(name) is not type(model):
        raise ModelError(f"{name} is not a learner of idealrank.learners, so a file cannot name it", target)
    if not model._state:
        raise ModelError(f"{name} keeps what it learned in objects that a file cannot hold", target)


def _as_text(value: Any, what: str, path: str) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    for kind, read in _READERS.items():
        if isinstance(value, kind):
            try:
                if read(str(value)) == value:
                    return str(value)
            except IdealrankError:
                break
    raise ModelError(f"{what} has no name that a file could hold, got {value!r}", path)


def _as_entry(value: Any, declared: str) -> Entry:
    if declared == "text":
        return str(value)
    dtype, dimensions = _declared(declared)
    if dtype == "ids":
        return np.array(value.tolist(), object) if isinstance(value, Ids) else np.asarray(value, np.int64)
    array = np.asarray(value, dtype)
    return array if dimensions else array.item()


def load(path: Source) -> Learner:
    """Read a learner that `save` wrote; its scores are the same to the last bit.

    No code from the file is executed.

    Parameters
    ----------
    path : path-like or binary file
        The file; "-" is standard input.

    Returns
    -------
    Ranker or FactorRanker
        The fitted learner.

    Raises
    ------
    ParseError
        If the file is not JSON; the message gives the line and the column.
    ModelError
        If the JSON is not a model of a known learner with valid options and arrays; the message names the entry.

    Examples
    --------
    >>> from idealrank.learners import ListNet, load, save
    >>> save(ListNet().fit([[0.0], [1.0]], [0, 1], qid=[1, 1]), "model.json")
    >>> load("model.json")
    ListNet()
    """
    stored, name = read_model(path), display_name(path)
    known, learner = _storable(), stored.learner[:60]
    if stored.learner not in known:
        raise ModelError(f"unknown learner {learner!r}{nearest(learner, known)}", name, "learner")
    for option in _NOT_STORED:
        if option in stored.options:
            raise ModelError("not an option that files hold", name, f"options.{option}")
    try:
        model = made(known[stored.learner], stored.options)
    except OptionError as error:
        raise ModelError(str(error), name, "options") from None
    model.n_features_in_ = stored.n_features
    if stored.feature_names is not None:
        model.feature_names_in_ = np.array(stored.feature_names, object)
    _learn(model, stored, name)
    return model


def _learn(model: Learner, stored: StoredModel, path: str) -> None:
    """Set the state of the model, which must be complete and have no other entries."""
    declared = model._state
    if stored.state.keys() != declared.keys():
        got = ", ".join(sorted(stored.state))[:60] or "nothing"
        raise ModelError(f"{stored.learner} has {', '.join(sorted(declared))}, got {got}", path, "state")
    sizes = {"n_features": stored.n_features}
    values = {key: _fitting(stored.state[key], spec, sizes, path, key) for key, spec in declared.items()}
    try:
        model._set_state(values)
    except DataError as error:
        raise ModelError(str(error), path, "state") from None


def _fitting(value: Entry, spec: str, sizes: dict[str, int], path: str, key: str) -> Any:
    """Return the value, checked against its declaration; the first array with a dimension sets its size."""
    entry = f"state.{key}"
    if spec == "text":
        if not isinstance(value, str):
            raise ModelError(f"must be text, got {value!r:.60}", path, entry)
        return value
    dtype, dimensions = _declared(spec)
    array = np.asarray(value)
    fits = {"float64": ("float64", "int64"), "ids": ("int64", "object")}.get(dtype, (dtype,))
    if array.dtype not in fits or array.ndim != len(dimensions):
        raise ModelError(f"must be {spec}, got {array.dtype} of shape {array.shape}", path, entry)
    for dimension, size in zip(dimensions, array.shape, strict=True):
        if sizes.setdefault(dimension, size) != size:
            raise ModelError(f"{dimension} is {sizes[dimension]}, got {size} numbers", path, entry)
    if dtype == "ids":
        return Ids.of(array) if array.dtype == object else array
    return array.astype(dtype) if dimensions else array.astype(dtype).item()


def _declared(spec: str) -> tuple[str, list[str]]:
    """Return the dtype and the names of the dimensions.

    >>> _declared("float64[n_features]"), _declared("int64")
    (('float64', ['n_features']), ('int64', []))
    """
    dtype, *dimensions = re.findall(r"\w+", spec)
    return dtype, dimensions


def _storable() -> dict[str, type[Learner]]:
    """Return all that model files can hold, by the names of their classes: the learners, and recommenders.

    >>> sorted(_storable().keys() - by_class_name().keys())
    ['FactorRanker']
    """
    return {**by_class_name(), FactorRanker.__name__: FactorRanker}
