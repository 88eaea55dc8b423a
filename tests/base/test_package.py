import subprocess
import sys

import pytest

import idealrank
from idealrank.errors import MissingExtraError


@pytest.mark.parametrize("name", dir(idealrank))
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
    commands = "pip install 'idealrank[parquet]', or in a clone pip install '.[parquet]'"
    assert str(MissingExtraError("pyarrow", "parquet")) == f"this needs pyarrow: {commands}"
    assert str(MissingExtraError("pyarrow", "parquet", "Parquet")) == f"Parquet needs pyarrow: {commands}"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            "sys.version_info = (3, 10, 13); sys.version = '3.10.13 (main)'",
            "idealrank needs Python 3.11 or newer, and this is 3.10.13",
        ),
        (
            "import numpy; numpy.__version__ = '1.26.4'",
            "idealrank needs NumPy 2 or newer, and this is 1.26.4: pip install --upgrade numpy",
        ),
    ],
)
def test_what_is_too_old_is_named_first(change: str, message: str) -> None:
    script = f"import sys; {change}; import idealrank; idealrank.evaluate"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False, text=True)
    assert done.stderr.splitlines()[-1] == f"ImportError: {message}"
