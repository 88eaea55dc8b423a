"""Every project whose code is linked into the wheel has its license in it."""

import tomllib
from importlib.metadata import distribution
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def words(text: str) -> str:
    return " ".join(text.replace("*", " ").split())


def test_the_licenses_of_linked_code_are_those_of_the_installed_build_tools() -> None:
    with (ROOT / "pyproject.toml").open("rb") as project:
        names = tomllib.load(project)["project"]["license-files"]
    shipped = words("\n".join((ROOT / name).read_text(encoding="utf-8") for name in names))
    pytest.importorskip("nanobind")
    files = distribution("nanobind").files or []
    licenses = [file for file in files if "licenses" in file.parts]
    assert licenses
    for file in licenses:
        assert words(file.read_text(encoding="utf-8")) in shipped
    # What nanobind bundles has its license at the top of its headers.
    bundled = {file.parts[file.parts.index("ext") + 1]: file for file in files if "ext" in file.parts}
    assert set(bundled) <= {"robin_map"}
    for file in bundled.values():
        header = file.read_text(encoding="utf-8").split("*/")[0]
        assert words(header[header.index("Copyright") :]) in shipped
