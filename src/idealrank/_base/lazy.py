"""Packages whose names are loaded when they are first used."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Mapping
from importlib import import_module

__all__ = ["lazy"]


def lazy(
    package: str, table: Mapping[str, str], modules: Collection[str] = ()
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Return the ``__getattr__`` and the ``__dir__`` of a package.

    Parameters
    ----------
    package : str
        The package's ``__name__``.
    table : mapping of str to str
        For each public name the module within the package that defines it.
    modules : collection of str
        Modules within the package that are public themselves.
    """

    def load(name: str) -> object:
        if name in modules:
            return import_module(f"{package}.{name}")
        if name not in table:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value: object = getattr(import_module(f"{package}.{table[name]}"), name)
        setattr(sys.modules[package], name, value)
        return value

    return load, lambda: sorted(sys.modules[package].__all__)
