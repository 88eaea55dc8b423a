"""Save and load learners: their options and what they learned, as JSON and plain arrays.

A file is one object: ``format`` and ``version``; ``idealrank``, the version that wrote it; ``learner``, a name;
``options`` of that learner; ``n_features`` and ``feature_names``; and ``state``, what it learned, each entry a number,
a text, or an array as {"dtype", "shape", "values"}, of numbers or of texts. Large matrices have the dtype float32, and
their values are one text: the little-endian bytes in Base64. Numbers read back the same to the last bit.
"""

from __future__ import annotations

import base64
import binascii
import json
import math
import os
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

import idealrank
from idealrank._names.options import nearest
from idealrank.data.ids import Ids
from idealrank.errors import DataError, IdealrankError, ModelError, OptionError, ParseError
from idealrank.io.files import Source, atomic_output, display_name, path_text, read_whole
from idealrank.learners.catalog_learner import CatalogLearner
from idealrank.learners.estimators import check_is_fitted
from idealrank.learners.factors.factor_ranker import FactorRanker
from idealrank.learners.histories.history_factors import HistoryFactors
from idealrank.learners.histories.history_ranker import HistoryRanker
from idealrank.learners.histories.item_regression import ItemRegression
from idealrank.learners.learner_base import Learner
from idealrank.learners.learner_names import by_class_name, made, options_of
from idealrank.losses import Loss, loss
from idealrank.measures import Measure, cutoffs, measure

FORMAT = "idealrank model"
VERSION = 1

#: What an entry of the state may be.
Entry: TypeAlias = int | float | str | npt.NDArray[Any]

_DTYPES = ("float64", "int64", "float32", "text")
_LARGEST = 1 << 30
_LONGEST = 1000  # characters of an option; errors quote it
_KEYS = ("format", "version", "idealrank", "learner", "options", "n_features", "feature_names", "state")


@dataclass(frozen=True)
class StoredModel:
    """The content of a model file; the learner of that name interprets it.

    >>> StoredModel("LinearRanker", {"l2": 0.5}, 1, state={"intercept_": 0.0}).options
    {'l2': 0.5}
    """

    learner: str
    options: Mapping[str, int | float | str | None]
    n_features: int
    feature_names: tuple[str, ...] | None = None
    state: Mapping[str, Entry] = field(default_factory=dict)


def write_model(model: StoredModel, path: str | os.PathLike[str]) -> None:
    """Write a model file, completely or not at all.

    Parameters
    ----------
    model : StoredModel
        What the file shall hold.
    path : path-like
        The file; names that end in .gz, .xz, .bz2 or .zst are compressed, and "-" is standard output.

    Examples
    --------
    >>> write_model(StoredModel("RankNet", {"l2": 0.5}, 2, state={"coef_": np.array([0.25, -1])}), "model.json")
    >>> read_model("model.json").state["coef_"]
    array([ 0.25, -1.  ])
    """
    content = {
        "format": FORMAT,
        "version": VERSION,
        "idealrank": idealrank.__version__,
        "learner": model.learner,
        "options": dict(model.options),
        "n_features": model.n_features,
        "feature_names": None if model.feature_names is None else list(model.feature_names),
        "state": {name: _as_json(entry) for name, entry in model.state.items()},
    }
    try:
        # One entry per line, and each array on one line, so that files can be read and compared.
        lines = [f"  {json.dumps(key)}: {_text(value)}" for key, value in content.items()]
    except (TypeError, ValueError) as error:
        raise ModelError(f"cannot be written to a file: {error}", os.fspath(path)) from None
    encoded = ("{\n" + ",\n".join(lines) + "\n}\n").encode()
    if len(encoded) > _LARGEST:
        raise ModelError(
            f"would have {len(encoded):,} bytes, but model files have at most {_LARGEST:,}", os.fspath(path)
        )
    with atomic_output(path) as file:
        file.write(encoded)


def _text(value: Any) -> str:
    if not isinstance(value, dict) or not value:
        return json.dumps(value, allow_nan=False)
    lines = [f"    {json.dumps(key)}: {json.dumps(each, allow_nan=False)}" for key, each in value.items()]
    return "{\n" + ",\n".join(lines) + "\n  }"


def _as_json(entry: Entry) -> Any:
    if not isinstance(entry, np.ndarray):
        return entry
    dtype = "text" if entry.dtype == object else str(entry.dtype)
    if dtype == "float32":
        values = base64.b64encode(entry.astype("<f4", order="C").tobytes()).decode()
        return {"dtype": dtype, "shape": list(entry.shape), "values": values}
    return {"dtype": dtype, "shape": list(entry.shape), "values": entry.ravel().tolist()}


def read_model(path: Source) -> StoredModel:
    r"""Read a model file; "-" is standard input.

    Parameters
    ----------
    path : path-like or binary file
        The file.

    Returns
    -------
    StoredModel
        What it holds.

    Raises
    ------
    ParseError
        If the file is not JSON; it gives line and column.
    ModelError
        If the JSON is not a model; it names the entry.

    Examples
    --------
    >>> import io
    >>> read_model(io.BytesIO(b'{"format": "idealrank model",\n "version": }'))
    Traceback (most recent call last):
    idealrank.errors.ParseError: <file>:2:13: not JSON: Expecting value
    """
    name = display_name(path)
    content = _json(path, name)
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ModelError(f'not a model file: it does not say "format": "{FORMAT}"', name)
    entries = _Entries(content, name)
    version = entries.get("version", _is_count, "must be an integer of 1 or more")
    if version > VERSION:
        newer = f"is {version}, but this idealrank reads versions up to {VERSION}: install a newer idealrank"
        raise ModelError(newer, name, "version")
    for key in content:
        if key not in _KEYS:
            raise ModelError(f"not an entry of a model file; they are {', '.join(_KEYS)}", name, key)
    n_features = entries.get("n_features", _is_count, "must be an integer of 1 or more")
    return StoredModel(
        entries.get("learner", _is_text, "must be text"),
        entries.options(),
        n_features,
        entries.feature_names(n_features),
        {key: entries.state(f"state.{key}", value) for key, value in entries.mapping("state").items()},
    )


def _json(path: Source, name: str) -> Any:
    content = read_whole(path, most=_LARGEST)
    try:
        return json.loads(content.decode(), object_pairs_hook=_distinct, parse_constant=_no_constant)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        column = error.start - content.rfind(b"\n", 0, error.start)
        raise ParseError("not a text file: a byte that is not UTF-8", name, line, column) from None
    except json.JSONDecodeError as error:
        raise ParseError(f"not JSON: {error.msg}", name, error.lineno, error.colno) from None
    except RecursionError:
        raise ParseError("not a model file: nested too deeply", name) from None
    except ValueError as error:  # from the two functions below, or for integers of thousands of digits
        raise ModelError(str(error), name) from None


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        (twice, _), *_ = Counter(key for key, _ in pairs).most_common(1)
        raise ValueError(f"{_short(twice)} is repeated in one object")
    return found


def _no_constant(word: str) -> Any:
    raise ValueError(f"a number must be finite, got {word}")


@dataclass(frozen=True)
class _Entries:
    """The entries of a file, each checked when it is read."""

    content: Mapping[str, Any]
    path: str

    def check(self, is_valid: bool, entry: str, what: str, got: Any) -> None:
        """Raise a ModelError that names the entry, what is allowed there, and what was found."""
        if not is_valid:
            raise ModelError(f"{what}, got {_short(got)}", self.path, entry)

    def get(self, key: str, is_valid: Callable[[Any], bool], what: str) -> Any:
        """Return the value of an entry, which must be there."""
        if key not in self.content:
            raise ModelError("the entry is missing: the file was cut short or changed", self.path, key)
        self.check(is_valid(self.content[key]), key, what, self.content[key])
        return self.content[key]

    def mapping(self, key: str) -> dict[str, Any]:
        return dict(self.get(key, lambda value: isinstance(value, dict), "must be an object"))

    def options(self) -> dict[str, int | float | str | None]:
        found = self.mapping("options")
        for name, value in found.items():
            is_plain = value is None or isinstance(value, (bool, str)) or _is_number(value)
            self.check(is_plain, f"options.{name}", "must be a finite number, text, true, false or null", value)
            if isinstance(value, str) and len(value) > _LONGEST:
                what = f"must be text of at most {_LONGEST:,} characters, got {len(value):,}"
                raise ModelError(what, self.path, f"options.{name}")
        return found

    def feature_names(self, count: int) -> tuple[str, ...] | None:
        value = self.get("feature_names", _is_texts_or_none, "must be a list of texts or null")
        if value is None:
            return None
        if len(value) != count or len(set(value)) != count:
            what = f"must have one name per feature, {count} different ones, got {len(value)}"
            raise ModelError(what, self.path, "feature_names")
        return tuple(value)

    def state(self, entry: str, value: Any) -> Entry:
        if isinstance(value, dict):
            return self.array(entry, value)
        is_plain = isinstance(value, str) or _is_number(value)
        self.check(is_plain, entry, "must be a finite number, text or an array", value)
        return value  # type: ignore[no-any-return]

    def array(self, entry: str, value: dict[str, Any]) -> npt.NDArray[Any]:
        if set(value) != {"dtype", "shape", "values"}:
            got = ", ".join(sorted(value))[:60]
            raise ModelError(f"an array has dtype, shape and values, got {got}", self.path, entry)
        dtype, shape, values = value["dtype"], value["shape"], value["values"]
        is_known = isinstance(dtype, str) and dtype in _DTYPES
        self.check(is_known, entry, f"the dtype must be {', '.join(_DTYPES[:-1])} or {_DTYPES[-1]}", dtype)
        is_shape = isinstance(shape, list) and 1 <= len(shape) <= 2 and all(_is_int64(n) and n >= 0 for n in shape)
        self.check(is_shape, entry, "the shape must be one or two whole numbers from 0", shape)
        if dtype == "float32":
            return self.floats(entry, shape, values)
        is_full = isinstance(values, list) and len(values) == math.prod(shape)
        self.check(is_full, entry, f"the values must be {' x '.join(map(str, shape))} numbers", values)
        is_valid = {"float64": _is_number, "int64": _is_int64, "text": _is_text}[dtype]
        wrong = next((number for number, each in enumerate(values) if not is_valid(each)), None)
        if wrong is not None:
            kind = "text" if dtype == "text" else f"a finite number of {dtype}"
            self.check(False, f"{entry}[{wrong}]", f"must be {kind}", values[wrong])
        return np.array(values, object if dtype == "text" else dtype).reshape(shape)

    def floats(self, entry: str, shape: list[int], values: Any) -> npt.NDArray[np.float32]:
        what = f"the values must be {' x '.join(map(str, shape))} finite numbers of float32 in Base64"
        try:
            found = np.frombuffer(base64.b64decode(values, validate=True), "<f4").astype(np.float32)
        except (TypeError, ValueError, binascii.Error):
            raise ModelError(f"{what}, got {_short(values)}", self.path, entry) from None
        self.check(found.size == math.prod(shape), entry, what, f"{found.size} numbers")
        self.check(bool(np.isfinite(found).all()), entry, what, "others")
        return found.reshape(shape)


def _is_count(value: Any) -> bool:
    return type(value) is int and 1 <= value < 2**31


def _is_texts_or_none(value: Any) -> bool:
    return value is None or (isinstance(value, list) and all(isinstance(each, str) for each in value))


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_number(value: Any) -> bool:
    return (type(value) is float and math.isfinite(value)) or _is_int64(value)


def _is_int64(value: Any) -> bool:
    return type(value) is int and -(2**63) <= value < 2**63


def _short(value: Any) -> str:
    if isinstance(value, dict):
        return f"an object of {len(value)}"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


#: Learners without a name in text: they learn from interactions.
_RECOMMENDERS: tuple[type[CatalogLearner], ...] = (FactorRanker, HistoryFactors, HistoryRanker, ItemRegression)
#: Options that depend on the machine where a model is fitted, and do not change the model.
_NOT_STORED = ("n_threads", "verbose", "engine")
#: The functions that read values from their text in a file.
_READERS = {Measure: measure, Loss: loss, cutoffs.Cutoff: cutoffs.of}


def save(model: Learner, path: str | os.PathLike[str]) -> None:
    """Write a fitted learner to a JSON file: its options, and the learned values that scoring needs.

    The file is written completely or not at all. It does not contain the history of the fit.

    Parameters
    ----------
    model : Ranker or CatalogLearner
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
    if isinstance(value, (list, tuple)) and value:
        return " + ".join(str(_as_text(each, what, path)) for each in value)
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
    Ranker or CatalogLearner
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
    ['FactorRanker', 'HistoryFactors', 'HistoryRanker', 'ItemRegression']
    """
    return {**by_class_name(), **{each.__name__: each for each in _RECOMMENDERS}}
