"""Conversion of values to plain content that JSON can hold."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Iterable, Mapping
from typing import TypeAlias, cast

import numpy as np

Plain: TypeAlias = bool | int | float | str | list["Plain"] | dict[str, "Plain"] | None


def json_text(value: Plain, indent: int | None = None) -> str:
    r"""Return the value as JSON; letters stay as they are, and what is not valid Unicode is escaped.

    Parameters
    ----------
    value : None, bool, int, float, str, list or dict
        Plain content; numbers that are not finite become null.
    indent : int, optional
        The indentation, for people.

    Returns
    -------
    str
        The text.

    Examples
    --------
    >>> print(json_text({"Zürich": float("nan"), "not UTF-8": "\udcff"}))
    {"Zürich": null, "not UTF-8": "\udcff"}
    """
    import json  # most tables are text

    text = json.dumps(finite(value), indent=indent, ensure_ascii=False, allow_nan=False)
    return re.sub("[\ud800-\udfff]", lambda match: f"\\u{ord(match[0]):04x}", text)


def plain(value: object) -> Plain:
    """Convert a value to numbers, text, lists and dicts; other objects become their text form.

    Examples
    --------
    >>> plain({"a": np.array([1.0, np.nan]), "b": (np.int64(2), None)})
    {'a': [1.0, nan], 'b': [2, None]}
    """
    if type(value) in (float, int, str, bool):  # most values
        return cast("Plain", value)
    if type(value) in (list, tuple):
        return [plain(each) for each in cast("Iterable[object]", value)]
    if hasattr(value, "to_dict") and not isinstance(value, type):
        return cast("dict[str, Plain]", value.to_dict())
    if hasattr(value, "_asdict"):
        return plain(value._asdict())
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {each.name: plain(getattr(value, each.name)) for each in dataclasses.fields(value)}
    if isinstance(value, (np.ndarray, np.generic)):
        content: Plain = value.tolist()
        return content if value.dtype.kind in "biuf" else plain(content)
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    return [plain(each) for each in value] if isinstance(value, Iterable) else str(value)


def finite(content: Plain) -> Plain:
    """Replace NaN and infinity, which JSON does not have, by None.

    Examples
    --------
    >>> finite({"a": [1.0, float("nan")], "b": float("inf")})
    {'a': [1.0, None], 'b': None}
    """
    if isinstance(content, float):
        return content if math.isfinite(content) else None
    if isinstance(content, list):
        return [finite(each) for each in content]
    if isinstance(content, dict):
        return {name: finite(each) for name, each in content.items()}
    return content


def number(value: float, spec: str = ".4f") -> str:
    """Format a number for display; NaN becomes "none".

    Examples
    --------
    >>> number(0.25), number(float("nan"))
    ('0.2500', 'none')
    """
    return "none" if math.isnan(value) else format(value, spec)
