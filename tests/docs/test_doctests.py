"""Every example in a docstring of the installed package, and one for every public name."""

import doctest
import importlib
import pkgutil
import re
from pathlib import Path
from typing import Any

import pytest

import idealrank
from idealrank.errors import MissingExtraError

MODULES = [module.name for module in pkgutil.walk_packages(idealrank.__path__, "idealrank.")]
#: Modules whose examples need an optional package.
NEEDS = {
    "idealrank.data.columns": "pandas",
    "idealrank.learners.files.exports": "onnx",
    "idealrank.learners.trees.boosted": "lightgbm",
}
OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


@pytest.mark.usefixtures("registries")
@pytest.mark.parametrize("name", [name for name in MODULES if not name.endswith("__main__")])
def test_docstrings(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # for examples that write
    if name in NEEDS:
        pytest.importorskip(NEEDS[name])
    try:
        module = importlib.import_module(name)
    except MissingExtraError as missing:
        pytest.skip(str(missing))
    assert doctest.testmod(module, optionflags=OPTIONS).failed == 0


def public_value(module: Any, name: str) -> Any:
    try:
        return getattr(module, name)
    except MissingExtraError:  # a module of an extra that is not installed
        return None


def public_values() -> list[Any]:
    """All that `__all__` of the package and of its public modules names, but for constants and the command line."""
    found = []
    for name in ["idealrank", *(name for name in MODULES if re.fullmatch(r"idealrank\.(?!_|cli)\w+", name))]:
        module = importlib.import_module(name)
        values = {public: public_value(module, public) for public in getattr(module, "__all__", ())}
        found += [pytest.param(value, id=f"{name}.{public}") for public, value in values.items() if callable(value)]
    return found


@pytest.mark.parametrize("value", public_values())
def test_every_public_name_has_an_example(value: Any) -> None:
    assert ">>>" in (value.__doc__ or "")
