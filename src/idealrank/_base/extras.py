"""One sentence for every package that is not installed: the pip command that brings it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from idealrank.errors import MissingExtraError

__all__ = ["needs"]


@contextmanager
def needs(package: str, extra: str | None = None) -> Iterator[None]:
    """Around the import of an optional package; the extra that brings it has the same name unless it is given.

    >>> with needs("no_such_booster", extra="boosters"):
    ...     import no_such_booster
    Traceback (most recent call last):
    idealrank.errors.MissingExtraError: this needs no_such_booster: pip install 'idealrank[boosters]'
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] != package:
            raise  # installed, but not whole: its own message says what it lacks
        raise MissingExtraError(package, extra or package) from None
