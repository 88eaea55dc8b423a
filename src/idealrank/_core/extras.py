"""Optional dependencies: errors that name the pip command to install them."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from contextlib import contextmanager

from idealrank.errors import MissingExtraError

__all__ = ["is_installed", "needs"]

#: The names that pip knows packages by, if they differ.
_DISTRIBUTIONS = {"sklearn": "scikit-learn"}


@contextmanager
def needs(package: str, extra: str | None = None) -> Iterator[None]:
    """Turn a failed import in this context into an error that names the pip command.

    Parameters
    ----------
    package : str
        The optional package.
    extra : str, optional
        The extra of idealrank that installs the package; by default the one with the same name. Empty if there is none.

    Raises
    ------
    MissingExtraError
        If the package is not installed.

    Examples
    --------
    >>> with needs("no_such_booster", extra="boosters"):
    ...     import no_such_booster
    Traceback (most recent call last):
    idealrank.errors.MissingExtraError: this needs no_such_booster: pip install 'idealrank[boosters]'
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] != package:
            raise  # installed, but one of its own dependencies is missing
        name = _DISTRIBUTIONS.get(package, package)
        raise MissingExtraError(name, package if extra is None else extra) from None


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
