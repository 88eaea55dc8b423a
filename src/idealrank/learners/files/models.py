"""Learners to files and back: what was asked for and what was learned, as `documents` writes it."""

from __future__ import annotations

import os
import re
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from idealrank._base.grammar import nearest
from idealrank.errors import DataError, IdealrankError, ModelError, OptionError
from idealrank.io.files import Source, display_name
from idealrank.learners.base import Ranker
from idealrank.learners.files.documents import Entry, StoredModel, read_model, write_model
from idealrank.learners.names import by_class_name, made, options_of
from idealrank.losses import Loss, loss
from idealrank.measures import Measure, cutoffs, measure

__all__ = ["check_savable", "load", "save"]

#: Options of the place where a model is fitted, and not of the model.
_NOT_STORED = ("n_threads", "verbose", "engine")
#: What makes a value of the text that stands for it in a file.
_READERS = {Measure: measure, Loss: loss, cutoffs.Cutoff: cutoffs.of}


def save(model: Ranker, path: str | os.PathLike[str]) -> None:
    """Write a fitted learner to a JSON file: its options, and what scoring needs of what it learned.

    The file is written completely or not at all. The history of the fit is not part of it.

    Parameters
    ----------
    model : Ranker
        A fitted learner. Options that are objects are written by their names, so that an object without one, such as a
        loss made of functions of your own, cannot be saved.
    path : path
        The file; names that end in .gz or .xz are compressed.

    Raises
    ------
    ModelError
        If a file cannot hold the model.

    Examples
    --------
    >>> from idealrank import from_arrays
    >>> from idealrank.learners import RankNet
    >>> data = from_arrays([0, 1, 0, 1], group=[2, 2], features=[[1.0, 5.0], [3.0, 4.0], [2.0, 9.0], [5.0, 1.0]])
    >>> save(RankNet(l2=0.1).fit(data), "model.json")
    >>> load("model.json").score(data)
    1.0
    """
    check_savable(model, path)
    name, target = type(model).__name__, os.fspath(path)
    check_is_fitted(model)
    options = {key: _as_text(getattr(model, key), f"{name}'s {key}", target) for key in _stored_options(type(model))}
    names = getattr(model, "feature_names_in_", None)
    stored = StoredModel(
        name,
        options,
        int(model.n_features_in_),
        None if names is None else tuple(names.tolist()),
        {key: _as_entry(value, model._state[key]) for key, value in _state_of(model, target).items()},
    )
    write_model(stored, path)


def check_savable(model: Ranker, path: str | os.PathLike[str]) -> None:
    """Raise a ModelError for a learner, fitted or not yet, that no file can hold."""
    name, target = type(model).__name__, os.fspath(path)
    if by_class_name().get(name) is not type(model):
        raise ModelError(f"{name} is not a learner of idealrank.learners, which a file could name", target)
    if not model._state:
        raise ModelError(f"{name} keeps what it learned in objects that a file cannot hold", target)


def _state_of(model: Ranker, path: str) -> dict[str, Any]:
    try:
        return model._get_state()
    except DataError as error:
        raise ModelError(str(error), path) from None


def _stored_options(cls: type[Ranker]) -> list[str]:
    return [name for name in options_of(cls) if name not in _NOT_STORED]


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
    array = np.asarray(value, dtype)
    return array if dimensions else array.item()


def load(path: Source) -> Any:
    """Read a learner that `save` wrote; it scores as it did, to the last bit.

    Nothing in the file is run. A file that is not JSON is a ParseError that names the place; one that is not a model
    of a learner here, with options and arrays that fit, a ModelError that names the entry.

    >>> from idealrank.learners import ListNet
    >>> save(ListNet().fit([[0.0], [1.0]], [0, 1], qid=[1, 1]), "model.json")
    >>> load("model.json")
    ListNet()
    """
    stored, name = read_model(path), display_name(path)
    known = by_class_name()
    cls = known.get(stored.learner)
    if cls is None:
        raise ModelError(
            f"unknown learner {stored.learner[:60]!r}{nearest(stored.learner[:60], known)}", name, "learner"
        )
    model = _with_options(cls, stored, name)
    model.n_features_in_ = stored.n_features
    if stored.feature_names is not None:
        model.feature_names_in_ = np.array(stored.feature_names, object)
    _learn(model, stored, name)
    return model


def _with_options(cls: type[Ranker], stored: StoredModel, path: str) -> Ranker:
    for name in _NOT_STORED:
        if name in stored.options:
            raise ModelError("not an option that files hold", path, f"options.{name}")
    try:
        return made(cls, stored.options)
    except OptionError as error:
        raise ModelError(str(error), path, "options") from None


def _learn(model: Ranker, stored: StoredModel, path: str) -> None:
    """Give the model its state, which must be all of it, and nothing else."""
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
    """The value, if it is what was declared, with dimensions of sizes that are known or now are."""
    entry = f"state.{key}"
    if spec == "text":
        if not isinstance(value, str):
            raise ModelError(f"must be text, got {value!r:.60}", path, entry)
        return value
    dtype, dimensions = _declared(spec)
    array = np.asarray(value)
    fits = array.dtype == dtype or (dtype == "float64" and array.dtype == "int64")
    if not fits or array.ndim != len(dimensions):
        raise ModelError(f"must be {spec}, got {array.dtype} of shape {array.shape}", path, entry)
    for dimension, size in zip(dimensions, array.shape, strict=True):
        if sizes.setdefault(dimension, size) != size:
            raise ModelError(f"{dimension} is {sizes[dimension]}, got {size} numbers", path, entry)
    return array.astype(dtype) if dimensions else array.astype(dtype).item()


def _declared(spec: str) -> tuple[str, list[str]]:
    """The dtype and the dimensions.

    >>> _declared("float64[n_features]"), _declared("int64")
    (('float64', ['n_features']), ('int64', []))
    """
    dtype, *dimensions = re.findall(r"\w+", spec)
    return dtype, dimensions
