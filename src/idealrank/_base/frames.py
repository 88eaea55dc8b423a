"""Data frames of the library that the caller names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from idealrank._base.extras import needs
from idealrank.errors import MissingExtraError, OptionError

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

    Frame: TypeAlias = pandas.DataFrame | polars.DataFrame | pyarrow.Table

__all__ = ["Backend", "frame_of"]

Backend: TypeAlias = Literal["pandas", "polars", "pyarrow"]


def frame_of(columns: Mapping[str, Any], backend: Backend = "pandas") -> Frame:
    """Make a frame of these columns.

    >>> frame_of({"qid": ["a", "b"], "ndcg": [1.0, 0.5]}, "pyarrow").to_pydict()
    {'qid': ['a', 'b'], 'ndcg': [1.0, 0.5]}
    """
    import narwhals as nw

    if backend not in get_args(Backend):
        raise OptionError(f"backend must be one of {', '.join(map(repr, get_args(Backend)))}, got {backend!r}")
    if backend == "pyarrow":
        with needs("pyarrow", extra="parquet"):
            import pyarrow  # noqa: F401  (to say how to install it where it is missing)
    try:
        return nw.from_dict(columns, backend=backend).to_native()
    except ModuleNotFoundError as error:
        if error.name != backend:
            raise
        raise _MissingBackendError(backend, "") from None


class _MissingBackendError(MissingExtraError):
    """A frame library that no extra installs."""

    def __str__(self) -> str:
        return f"this needs {self.package}: pip install {self.package}"
