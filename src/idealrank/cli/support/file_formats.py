"""Which format a file on the command line has."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from idealrank.io.format_list import FORMATS

if TYPE_CHECKING:
    from idealrank.io.formats import Format

__all__ = ["KIND", "kind_of", "kind_of_features"]

#: The type of options that name a format.
KIND = click.Choice(list(FORMATS))


def kind_of(path: str, given: str | None, option: str = "--from") -> Format:
    """Return the format that was given, or that of the file: by content to read, by its name alone to write.

    >>> kind_of("bm25.run", None).title
    'a TREC run'
    """
    from idealrank.errors import OptionError
    from idealrank.io.formats import load, named, recognized

    if given is not None:
        return load(given).require()
    ask = f"give {option} {'|'.join(FORMATS)}"
    if path == "-":
        raise click.UsageError(f"'-' has neither content nor a name to tell its format by; {ask}.")
    try:
        return (recognized(path, ask) if option == "--from" else named(path, ask)).require()
    except OptionError as error:
        raise click.UsageError(f"{error}.") from None


def kind_of_features(path: str, given: str | None) -> Format:
    """Return the format of a file of documents with features."""
    from idealrank.data.judgments import Qrels, Run
    from idealrank.io.formats import Nested

    found = kind_of(path, given)
    if found.holds in (Qrels, Run, Nested):
        raise click.UsageError(
            f"{path!r}: there are no features in {found.title}; give --from letor if it is LETOR text."
        )
    return found
