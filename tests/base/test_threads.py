"""How many threads a call uses: what it says, what the process says, and what the system allows."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import idealrank as ir
from idealrank._core.threads import available_cores, quota, resolve_threads
from idealrank.errors import OptionError


@pytest.fixture(autouse=True)
def _default(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv("IDEALRANK_NUM_THREADS", raising=False)
    yield
    ir.set_threads(None)


@pytest.mark.parametrize("number", [0, -1, 65_537, 2**40])
def test_a_number_out_of_range_is_an_option_error(number: int) -> None:
    with pytest.raises(OptionError, match=f"n_threads must be from 1 to 65,536, or None for all cores, got {number}"):
        resolve_threads(number)
    with pytest.raises(OptionError, match="n_threads must be from 1 to 65,536"):
        ir.set_threads(number)


@pytest.mark.parametrize("number", [1.5, "2", [2]])
def test_a_number_of_another_type_is_an_option_error(number: Any) -> None:
    with pytest.raises(OptionError, match="n_threads must be a whole number"):
        resolve_threads(number)


def test_the_call_comes_before_the_process_and_the_process_before_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert resolve_threads(None) == available_cores()
    monkeypatch.setenv("IDEALRANK_NUM_THREADS", "3")
    assert resolve_threads(None) == 3
    ir.set_threads(5)
    assert resolve_threads(None) == 5
    assert resolve_threads(7) == 7
    ir.set_threads(None)
    assert resolve_threads(None) == 3
    monkeypatch.setenv("IDEALRANK_NUM_THREADS", "")
    assert resolve_threads(None) == available_cores()


@pytest.mark.parametrize("text", ["0", "many", "-2", "1.5", "99999999"])
def test_a_wrong_variable_is_an_error_that_names_it(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("IDEALRANK_NUM_THREADS", text)
    with pytest.raises(OptionError, match="the environment variable IDEALRANK_NUM_THREADS must be"):
        ir.ndcg([1, 0], [2, 1])


@pytest.mark.parametrize(
    ("groups", "files", "expected"),
    [
        ("0::/\n", {"cpu.max": "200000 100000\n"}, 2),
        ("0::/\n", {"cpu.max": "150000 100000\n"}, 2),  # one and a half cores
        ("0::/\n", {"cpu.max": "5000 100000\n"}, 1),
        ("0::/a/b\n", {"a/cpu.max": "100000 100000\n", "a/b/cpu.max": "400000 100000\n"}, 1),  # the group around it
        ("0::/a/b\n", {"cpu.max": "300000 100000\n"}, 3),  # its own group is mounted as the root
        (
            "4:memory:/a\n3:cpu,cpuacct:/a\n0::/\n",
            {"cpu,cpuacct/a/cpu.cfs_quota_us": "250000\n", "cpu,cpuacct/a/cpu.cfs_period_us": "100000\n"},
            3,
        ),
    ],
    ids=["two cores", "a part of a core", "less than one", "an outer group", "a container", "version 1"],
)
def test_the_quota_of_a_control_group_counts(tmp_path: Path, groups: str, files: dict[str, str], expected: int) -> None:
    (tmp_path / "groups").write_text(groups)
    for name, text in files.items():
        path = tmp_path / "root" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    assert quota(tmp_path / "groups", tmp_path / "root") == expected


@pytest.mark.parametrize(
    ("groups", "files"),
    [
        ("0::/\n", {"cpu.max": "max 100000\n"}),
        ("0::/\n", {"cpu.max": "nonsense\n"}),
        ("", {}),
        ("nonsense\n", {}),
        ("3:cpu:/\n", {"cpu/cpu.cfs_quota_us": "-1\n", "cpu/cpu.cfs_period_us": "100000\n"}),
        ("4:memory:/\n", {"memory/cpu.max": "100000 100000\n"}),
    ],
    ids=["no limit", "nonsense", "no groups", "no such line", "version 1", "another controller"],
)
def test_no_quota_is_no_limit(tmp_path: Path, groups: str, files: dict[str, str]) -> None:
    (tmp_path / "groups").write_text(groups)
    for name, text in files.items():
        path = tmp_path / "root" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    assert quota(tmp_path / "groups", tmp_path / "root") == 65_536
    assert quota(tmp_path / "nowhere", tmp_path / "root") == 65_536


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system has no affinity")
def test_a_process_with_one_core_uses_one_thread() -> None:
    script = (
        "import os; os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])\n"
        "from idealrank._core.threads import resolve_threads; print(resolve_threads(None))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "1\n"
