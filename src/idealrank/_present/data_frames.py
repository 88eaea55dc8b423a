"""Creation of data frames with the library of the caller's choice."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from idealrank._core.extras import needs
from idealrank.errors import OptionError

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

    Frame: TypeAlias = pandas.DataFrame | polars.DataFrame | pyarrow.Table

Backend: TypeAlias = Literal["pandas", "polars", "pyarrow"]


def frame_of(columns: Mapping[str, Any], backend: Backend = "pandas") -> Frame:
    """Create a data frame.

    Parameters
    ----------
    columns : mapping
        Lists or arrays of equal length by column name.
    backend : {"pandas", "polars", "pyarrow"}
        The data frame library.

    Returns
    -------
    pandas.DataFrame, polars.DataFrame or pyarrow.Table
        The frame.

    Raises
    ------
    OptionError
        If the backend is unknown.
    MissingExtraError
        If the library is not installed.

    Examples
    --------
    >>> frame_of({"qid": ["a", "b"], "ndcg": [1.0, 0.5]}, "pyarrow").to_pydict()
    {'qid': ['a', 'b'], 'ndcg': [1.0, 0.5]}
    """
    import narwhals as nw

    if backend not in get_args(Backend):
        raise OptionError(f"backend must be one of {', '.join(map(repr, get_args(Backend)))}, got {backend!r}")
    with needs(backend):
        import_module(backend)
    return nw.from_dict(columns, backend=backend).to_native()
