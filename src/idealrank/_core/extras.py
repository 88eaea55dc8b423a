"""Optional dependencies: errors that name the pip command to install them."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from contextlib import contextmanager

from idealrank.errors import MissingExtraError

#: The extra of idealrank that installs a package; any other package is installed by its own name.
EXTRAS = {
    "sklearn": "learn",
    "joblib": "learn",
    "matplotlib": "report",
    "pyarrow": "parquet",
    "lightgbm": "lightgbm",
    "onnx": "onnx",
    "torch": "torch",
    "xgboost": "xgboost",
    "dask": "dask",
    "distributed": "dask",
}
#: The names that pip knows packages by, if they differ.
_DISTRIBUTIONS = {"sklearn": "scikit-learn"}


@contextmanager
def needs(package: str) -> Iterator[None]:
    """Turn a failed import in this context into an error that names the pip command.

    Parameters
    ----------
    package : str
        The optional package.

    Raises
    ------
    MissingExtraError
        If the package is not installed.

    Examples
    --------
    >>> with needs("no_such_booster"):
    ...     import no_such_booster
    Traceback (most recent call last):
    idealrank.errors.MissingExtraError: this needs no_such_booster: pip install no_such_booster
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] != package:
            raise  # installed, but one of its own dependencies is missing
        raise _missing(package, "this") from None


def require(*packages: str, for_: str = "this") -> None:
    """Raise an error if a package is not installed that will be imported later, after long work.

    Parameters
    ----------
    *packages : str
        The optional packages, which are not imported.
    for_ : str
        What needs them, for the error.

    Raises
    ------
    MissingExtraError
        If a package is not installed.

    Examples
    --------
    >>> require("numpy", "no_such_plotter", for_="--plot")
    Traceback (most recent call last):
    idealrank.errors.MissingExtraError: --plot needs no_such_plotter: pip install no_such_plotter
    """
    for package in packages:
        if not is_installed(package):
            raise _missing(package, for_)


def is_installed(package: str) -> bool:
    """Return whether a package is there to be imported.

    Examples
    --------
    >>> is_installed("numpy"), is_installed("no_such_booster")
    (True, False)
    """
    try:
        return importlib.util.find_spec(package) is not None
    except ModuleNotFoundError:  # of an import hook that refuses the package
        return False


def _missing(package: str, for_: str) -> MissingExtraError:
    return MissingExtraError(_DISTRIBUTIONS.get(package, package), EXTRAS.get(package, ""), for_)
