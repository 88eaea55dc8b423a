from importlib import import_module

import pytest

from idealrank import integrations
from idealrank._core.extras import needs
from idealrank.errors import MissingExtraError


def test_a_missing_package_names_the_pip_command() -> None:
    with pytest.raises(MissingExtraError, match=r"pip install 'idealrank\[boosters\]'"), needs("absent", "boosters"):
        import_module("absent.inner")


def test_the_extra_has_the_name_of_the_package_unless_it_is_given() -> None:
    with pytest.raises(MissingExtraError, match=r"pip install 'idealrank\[absent\]'"), needs("absent"):
        import_module("absent")


def test_what_an_installed_package_lacks_is_its_own_to_say() -> None:
    with pytest.raises(ModuleNotFoundError, match="No module named 'absent'"), needs("torch"):
        import_module("absent")


def test_an_unknown_integration_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match=r"'idealrank\.integrations' has no attribute 'tensorflow'"):
        getattr(integrations, "tensorflow")  # noqa: B009
