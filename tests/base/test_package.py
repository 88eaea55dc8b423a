import subprocess
import sys

import pytest

import idealrank
from idealrank.errors import MissingExtraError


@pytest.mark.parametrize("name", idealrank.__all__)
def test_every_public_name_is_there_and_documented(name: str) -> None:
    value = getattr(idealrank, name)
    assert name == "__version__" or value.__doc__


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="'idealrank' has no attribute 'ndgc'"):
        getattr(idealrank, "ndgc")  # noqa: B009


def test_importing_loads_nothing_heavy() -> None:
    script = "import sys, idealrank; idealrank.Qrels; print(*sorted(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True, text=True).stdout.split()
    heavy = {"scipy", "sklearn", "narwhals", "matplotlib", "click", "rich", "pandas", "pyarrow", "torch"}
    assert heavy.isdisjoint(loaded)


def test_a_missing_extra_names_the_pip_command() -> None:
    assert str(MissingExtraError("pyarrow", "parquet")) == "this needs pyarrow: pip install 'idealrank[parquet]'"
