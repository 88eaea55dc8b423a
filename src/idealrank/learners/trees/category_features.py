"""Columns that hold categories: which they are, and the numbers that stand for the categories of data frames."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from idealrank._typing import Int64s
from idealrank.data.columns import query_at
from idealrank.data.lists import located
from idealrank.data.ranking import RankingData, is_sparse
from idealrank.errors import DataError, OptionError

if TYPE_CHECKING:
    import narwhals.stable.v2 as nw

#: The categories of each categorical column of a frame, by its name; the place in the list is the number.
Categories: TypeAlias = Mapping[str, Sequence[Any]]

_MOST = 1 << 24  # float32 represents all whole numbers up to here


def frame_categories(X: Any) -> dict[str, list[Any]]:
    """Return the categories of the categorical columns; none of what is not a data frame."""
    frame = _frame(X)
    if frame is None:
        return {}
    kinds = frame.schema
    return {name: frame[name].cat.get_categories().to_list() for name in kinds if _is_categorical(kinds[name])}


def coded(X: Any, known: Categories) -> Any:
    """Return a frame with numbers for categories; missing and unknown ones become NaN. Anything else stays as it is.

    The categorical columns must be those that are known.
    """
    frame = _frame(X)
    if frame is None:
        return X
    import narwhals.stable.v2 as nw

    columns, index = [], nw.maybe_get_index(frame)  # pandas would join columns by their row labels
    for name, kind in frame.schema.items():
        if _is_categorical(kind) != (name in known):
            was, hint = ("was", "it is not any more") if name in known else ("was not", "it is now")
            raise DataError(f"column {name!r} {was} categorical in fit, but {hint}: its dtype is {kind}")
        if name in known:
            codes = {each: float(code) for code, each in enumerate(known[name])}
            values = [codes.get(each, math.nan) for each in frame[name].to_list()]
            column = nw.new_series(name, values, nw.Float32(), backend=frame.implementation)
            columns.append(column if index is None else nw.maybe_set_index(column, index=index))
    return nw.to_native(frame.with_columns(*columns)) if columns else X


def columns_named(given: Any, names: Sequence[str] | None, n_features: int) -> list[int]:
    """Return the numbers of columns that are given by number or by name."""
    if given is None or (isinstance(given, str) and given == "auto"):
        return []
    if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
        raise OptionError(f"categorical_feature must be a list of column numbers or names, or 'auto', got {given!r}")
    found = []
    for each in given:
        if isinstance(each, str):
            if names is None:
                raise DataError(f"categorical_feature has the name {each!r}, but the features have no names")
            if each not in names:
                raise DataError(f"categorical_feature has {each!r}, which is not the name of a feature")
            found.append(list(names).index(each))
        elif isinstance(each, (int, np.integer)) and not isinstance(each, bool) and 0 <= each < n_features:
            found.append(int(each))
        else:
            raise OptionError(
                f"categorical_feature must have names or numbers of columns from 0 to {n_features - 1}, got {each!r}"
            )
    return found


def check_codes(data: RankingData, columns: Int64s) -> None:
    """Raise a DataError unless these columns have whole numbers from 0 on, or NaN."""
    if not columns.size:
        return
    features = data.known_features()
    for column in columns.tolist():
        values = features[:, [column]].toarray()[:, 0] if is_sparse(features) else features[:, column]
        with np.errstate(invalid="ignore"):
            is_code = np.isnan(values) | ((values >= 0) & (values < _MOST) & (values == np.floor(values)))
        if is_code.all():
            continue
        row = int(np.argmin(is_code))
        name = column if data.feature_names is None else repr(data.feature_names[column])
        error = DataError(
            f"a categorical feature must be a whole number of 0 or more and below 2^24, or NaN, got {values[row]:g} in "
            f"column {name}",
            query=query_at(data.offsets, row),
            row=row,
        )
        raise located(error, data.query_ids, data.input_rows)


def to_text(categories: Categories) -> str:
    """Return JSON, for model files; a category that is no text, number or truth value is a DataError."""
    plain: dict[str, list[Any]] = {}
    for name, values in categories.items():
        plain[name] = [each.item() if isinstance(each, np.generic) else each for each in values]
        strange = next((each for each in plain[name] if not isinstance(each, (str, int, float))), None)
        if strange is not None:
            raise DataError(
                f"column {name!r} has the category {strange!r}, which a file cannot hold: use text or numbers"
            )
    return json.dumps(plain)


def from_text(text: str, names: Sequence[str] | None) -> dict[str, list[Any]]:
    """Return what `to_text` wrote, for features of these names."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise DataError("categories must be JSON") from None
    if not isinstance(found, dict) or not set(found) <= set(names or ()):
        raise DataError("categories must be those of named features")
    for values in found.values():
        if not isinstance(values, list) or not all(isinstance(each, (str, int, float)) for each in values):
            raise DataError("categories must be lists of texts or numbers")
    return found


def _frame(X: Any) -> nw.DataFrame[Any] | None:
    if isinstance(X, (np.ndarray, RankingData)):
        return None
    import narwhals.stable.v2 as nw  # other versions deprecate the categories of a column

    frame = nw.from_native(X, eager_only=True, pass_through=True)
    return frame if isinstance(frame, nw.DataFrame) else None


def _is_categorical(kind: Any) -> bool:
    import narwhals.stable.v2 as nw

    return isinstance(kind, (nw.Categorical, nw.Enum))
