import importlib.util
import re
from fractions import Fraction
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

SCRIPT = Path(__file__).parents[2] / "cpp" / "tables" / "sigmoid_series.py"


@pytest.fixture(scope="module")
def series() -> ModuleType:
    spec = importlib.util.spec_from_file_location("sigmoid_series", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def columns(header: str, name: str, length: int) -> list[float]:
    (numbers,) = re.findall(rf"double, {length}> {name}\{{(.*?)\}};", header, re.DOTALL)
    return [float(number) for number in numbers.replace(",", " ").split()]


def test_the_header_is_what_the_script_makes(series: ModuleType) -> None:
    assert series.HEADER.read_text(encoding="utf-8") == series.header()


@pytest.mark.parametrize("length", [16, 20])
def test_the_error_is_within_its_bound_for_every_distance(series: ModuleType, length: int) -> None:
    bound = series.error(length)[1]
    worst = Fraction(0)
    for q in (Fraction(k, 100) for k in range(1, 101)):
        slope = sum(b * q**k for k, b in enumerate(series.slope_coefficients(length), 1))
        worst = max(worst, abs(slope / (q / (1 + q) ** 2) - 1))
    assert bound / 10 < worst <= bound


@pytest.mark.parametrize("length", [16, 20])
@pytest.mark.parametrize(
    ("name", "exact"),
    [
        ("slope", lambda q: q / (1 + q) ** 2),
        ("tail", lambda q: q / (1 + q)),
        ("softplus", np.log1p),
    ],
)
def test_each_column_sums_to_its_function(series: ModuleType, length: int, name: str, exact: np.ufunc) -> None:
    coefficients = columns(series.header(), name, length)
    q = np.exp(-np.linspace(0, 30, 301))
    found = sum(c * q**k for k, c in enumerate(coefficients, 1))
    rtol = float(series.error(length)[1]) + 1e-14 * length
    np.testing.assert_allclose(found, exact(q), rtol=rtol, atol=0)
