"""Model files: JSON that people can read, with plain arrays of numbers; nothing in them is ever run.

A file is one object: ``format`` and ``version``; ``idealrank``, the version that wrote it; ``learner``, a name;
``options`` of that learner; ``n_features`` and ``feature_names``; and ``state``, what it learned, each entry a number,
a text, or an array as {"dtype", "shape", "values"}, of numbers or of texts. Numbers read back the same to the last bit.
"""

from __future__ import annotations

import json
import math
import os
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

import idealrank
from idealrank.errors import ModelError, ParseError
from idealrank.io.files import Source, atomic_output, display_name, read_whole

__all__ = ["FORMAT", "VERSION", "Entry", "StoredModel", "read_model", "write_model"]

FORMAT = "idealrank model"
VERSION = 1

#: What an entry of the state may be.
Entry: TypeAlias = int | float | str | npt.NDArray[Any]

_DTYPES = ("float64", "int64", "text")
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
    with atomic_output(path) as file:
        file.write(("{\n" + ",\n".join(lines) + "\n}\n").encode())


def _text(value: Any) -> str:
    if not isinstance(value, dict) or not value:
        return json.dumps(value, allow_nan=False)
    lines = [f"    {json.dumps(key)}: {json.dumps(each, allow_nan=False)}" for key, each in value.items()]
    return "{\n" + ",\n".join(lines) + "\n  }"


def _as_json(entry: Entry) -> Any:
    if not isinstance(entry, np.ndarray):
        return entry
    dtype = "text" if entry.dtype == object else str(entry.dtype)
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
        is_full = isinstance(values, list) and len(values) == math.prod(shape)
        self.check(is_full, entry, f"the values must be {' x '.join(map(str, shape))} numbers", values)
        is_valid = {"float64": _is_number, "int64": _is_int64, "text": _is_text}[dtype]
        wrong = next((number for number, each in enumerate(values) if not is_valid(each)), None)
        if wrong is not None:
            kind = "text" if dtype == "text" else f"a finite number of {dtype}"
            self.check(False, f"{entry}[{wrong}]", f"must be {kind}", values[wrong])
        return np.array(values, object if dtype == "text" else dtype).reshape(shape)


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
