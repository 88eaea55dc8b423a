"""Packages whose names are imported on first use."""

import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from importlib import import_module
from itertools import chain


def lazy(
    package: str, table: Mapping[str, Sequence[str]], modules: Collection[str] = ()
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` for a package.

    Parameters
    ----------
    package : str
        The package's ``__name__``.
    table : mapping of str to sequence of str
        The public names by the module that defines them.
    modules : collection of str
        Public modules of the package.

    Returns
    -------
    tuple of two callables
        ``__getattr__`` and ``__dir__``.
    """
    homes = {name: module for module, names in table.items() for name in names}

    def load(name: str) -> object:
        if name in modules:
            return import_module(f"{package}.{name}")
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value: object = getattr(import_module(homes[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    return load, lambda: sorted(sys.modules[package].__all__)


def from_stub(package: str, file: str) -> tuple[list[str], Callable[[str], object], Callable[[], list[str]]]:
    """Return ``__all__``, ``__getattr__`` and ``__dir__`` for a package whose names are listed in its stub.

    The stub, ``__init__.pyi``, is what type checkers read. Each line of it imports one name, ``from
    idealrank.losses.push import Push as Push``, or one module, ``from idealrank import losses as losses``.

    Parameters
    ----------
    package : str
        The package's ``__name__``.
    file : str
        The package's ``__file__``.

    Returns
    -------
    list of str and two callables
        ``__all__``, ``__getattr__`` and ``__dir__``.
    """
    table: dict[str, list[str]] = {}
    with open(file.removesuffix(".py").removesuffix(".pyc") + ".pyi", encoding="utf-8") as lines:
        for line in lines:
            if line.startswith("from"):
                _, module, _, name, *_ = line.split()
                table.setdefault(module, []).append(name)
    modules = table.pop(package, [])
    return [*modules, *chain(*table.values())], *lazy(package, table, modules)
