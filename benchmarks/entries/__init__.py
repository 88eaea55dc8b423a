"""One file a group of entries: to add an entry, write one function under `benchmarks.runner.entry` in a file here."""

import importlib
import pkgutil

__all__ = ["load"]


def load() -> None:
    """Import every file of this folder, so that its entries are registered."""
    for module in sorted(info.name for info in pkgutil.iter_modules(__path__)):
        importlib.import_module(f"{__name__}.{module}")
