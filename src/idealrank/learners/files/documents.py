"""Model files: JSON that people can read, with plain arrays of numbers; nothing in them is ever run.

A file is one object: ``format`` and ``version``; ``idealrank``, the version that wrote it; ``learner``, a name;
``options`` of that learner; ``n_features`` and ``feature_names``; and ``state``, what it learned, each entry a number,
a text, or an array as {"dtype", "shape", "values"}. Numbers read back the same to the last bit.
"""

from __future__ import annotations

import json
import math
import os
from collections import Counter
from collections.abc import Mapping
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

_DTYPES = ("float64", "int64")
_LARGEST = 1 << 30
_LONGEST = 1000  # letters of an option, which errors repeat
_KEYS = ("format", "version", "idealrank", "learner", "options", "n_features", "feature_names", "state")


@dataclass(frozen=True)
class StoredModel:
    """What a model file holds; what it means is up to the learner of that name.

    >>> StoredModel("LinearRanker", {"l2": 0.5}, 1, state={"intercept_": 0.0}).options
    {'l2': 0.5}
    """

    learner: str
    options: Mapping[str, int | float | str | None]
    n_features: int
    feature_names: tuple[str, ...] | None = None
    state: Mapping[str, Entry] = field(default_factory=dict)


def write_model(model: StoredModel, path: str | os.PathLike[str]) -> None:
    """Write a model file, whole or not at all; .gz and .xz by the ending, "-" to standard output.

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
        # One entry a line, and arrays on one: to be looked at, and compared.
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
    return {"dtype": str(entry.dtype), "shape": list(entry.shape), "values": entry.ravel().tolist()}


def read_model(path: Source) -> StoredModel:
    r"""Read a model file; "-" is standard input.

    What is not JSON is a ParseError with the place; JSON that is not a model, a ModelError with the entry.

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
    version = entries.whole_number("version", least=1)
    if version > VERSION:
        raise ModelError(
            f"is {version}, and this idealrank reads up to {VERSION}: install a newer idealrank", name, "version"
        )
    entries.must_be_known(_KEYS)
    n_features = entries.whole_number("n_features", least=1)
    return StoredModel(
        entries.text("learner"),
        entries.options("options"),
        n_features,
        entries.names("feature_names", n_features),
        {key: entries.state(key, value) for key, value in entries.mapping("state").items()},
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
    except ValueError as error:  # from the two below, and whole numbers of thousands of digits
        raise ModelError(str(error), name) from None


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        (twice, _), *_ = Counter(key for key, _ in pairs).most_common(1)
        raise ValueError(f"{_short(twice)} stands twice in one object")
    return found


def _no_constant(word: str) -> Any:
    raise ValueError(f"a number must be finite, got {word}")


@dataclass(frozen=True)
class _Entries:
    """The entries of a file, each checked as it is asked for."""

    content: Mapping[str, Any]
    path: str

    def wrong(self, entry: str, what: str) -> ModelError:
        return ModelError(what, self.path, entry)

    def must_be_known(self, keys: tuple[str, ...]) -> None:
        for key in self.content:
            if key not in keys:
                raise self.wrong(key, f"no entry of a model file; they are {', '.join(keys)}")

    def get(self, key: str) -> Any:
        if key not in self.content:
            raise self.wrong(key, "the entry is missing: the file was cut short or changed")
        return self.content[key]

    def text(self, key: str) -> str:
        value = self.get(key)
        if not isinstance(value, str):
            raise self.wrong(key, f"must be text, got {_short(value)}")
        return value

    def whole_number(self, key: str, least: int) -> int:
        value = self.get(key)
        if type(value) is not int or not least <= value < 2**31:
            raise self.wrong(key, f"must be a whole number from {least}, got {_short(value)}")
        return value

    def mapping(self, key: str) -> dict[str, Any]:
        value = self.get(key)
        if not isinstance(value, dict):
            raise self.wrong(key, f"must be an object, got {_short(value)}")
        return value

    def options(self, key: str) -> dict[str, int | float | str | None]:
        found = self.mapping(key)
        for name, value in found.items():
            if not (value is None or isinstance(value, (bool, str)) or _is_number(value)):
                what = f"must be a finite number, text, true, false or null, got {_short(value)}"
                raise self.wrong(f"{key}.{name}", what)
            if isinstance(value, str) and len(value) > _LONGEST:
                what = f"must be text of at most {_LONGEST:,} letters, got {len(value):,}"
                raise self.wrong(f"{key}.{name}", what)
        return found

    def names(self, key: str, count: int) -> tuple[str, ...] | None:
        value = self.get(key)
        if value is None:
            return None
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            raise self.wrong(key, f"must be a list of texts or null, got {_short(value)}")
        if len(value) != count or len(set(value)) != count:
            raise self.wrong(key, f"must be one name a feature, {count} different ones, got {len(value)}")
        return tuple(value)

    def state(self, key: str, value: Any) -> Entry:
        entry = f"state.{key}"
        if isinstance(value, dict):
            return self.array(entry, value)
        if not (isinstance(value, str) or _is_number(value)):
            raise self.wrong(entry, f"must be a finite number, a text or an array, got {_short(value)}")
        return value  # type: ignore[no-any-return]

    def array(self, entry: str, value: dict[str, Any]) -> npt.NDArray[Any]:
        if set(value) != {"dtype", "shape", "values"}:
            raise self.wrong(entry, f"an array has dtype, shape and values, got {', '.join(sorted(value))[:60]}")
        dtype, shape, values = value["dtype"], value["shape"], value["values"]
        if not isinstance(dtype, str) or dtype not in _DTYPES:
            raise self.wrong(entry, f"a dtype is {' or '.join(_DTYPES)}, got {_short(dtype)}")
        if not isinstance(shape, list) or not 1 <= len(shape) <= 2 or not all(map(_is_size, shape)):
            raise self.wrong(entry, f"a shape is one or two whole numbers from 0, got {_short(shape)}")
        if not isinstance(values, list) or len(values) != math.prod(shape):
            sizes = " x ".join(map(str, shape))
            raise self.wrong(entry, f"the shape is {sizes}, and the values are {_short(values)}")
        is_valid = _is_number if dtype == "float64" else _is_int64
        for number, each in enumerate(values):
            if not is_valid(each):
                raise self.wrong(f"{entry}[{number}]", f"must be a finite number of {dtype}, got {_short(each)}")
        return np.array(values, dtype).reshape(shape)


def _is_number(value: Any) -> bool:
    return (type(value) is float and math.isfinite(value)) or _is_int64(value)


def _is_int64(value: Any) -> bool:
    return type(value) is int and -(2**63) <= value < 2**63


def _is_size(value: Any) -> bool:
    return _is_int64(value) and value >= 0


def _short(value: Any) -> str:
    if isinstance(value, dict):
        return f"an object of {len(value)}"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
