"""Every example in a docstring of the installed package."""

import doctest
import importlib
import pkgutil

import pytest

import idealrank

MODULES = [module.name for module in pkgutil.walk_packages(idealrank.__path__, "idealrank.")]
OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


@pytest.mark.parametrize("name", [name for name in MODULES if not name.endswith("__main__")])
def test_docstrings(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name), optionflags=OPTIONS).failed == 0
