from importlib import import_module

import pytest

from idealrank import integrations
from idealrank._core.extras import needs
from idealrank.errors import MissingExtraError


def test_a_missing_package_names_the_pip_command() -> None:
    with pytest.raises(MissingExtraError, match=r"pip install 'idealrank\[lightgbm\]'"), needs("lightgbm"):
        raise ModuleNotFoundError("No module named 'lightgbm.inner'", name="lightgbm.inner")


def test_a_package_of_no_extra_is_installed_by_its_own_name() -> None:
    with pytest.raises(MissingExtraError, match=r"this needs absent: pip install absent$"), needs("absent"):
        import_module("absent")


def test_what_an_installed_package_lacks_is_its_own_to_say() -> None:
    with pytest.raises(ModuleNotFoundError, match="No module named 'absent'"), needs("torch"):
        import_module("absent")


def test_an_unknown_integration_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match=r"'idealrank\.integrations' has no attribute 'tensorflow'"):
        getattr(integrations, "tensorflow")  # noqa: B009
