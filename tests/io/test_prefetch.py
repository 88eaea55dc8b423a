"""Runs that are read on another thread before anyone asks for them."""

import gzip
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from idealrank._core import threads
from idealrank.errors import OptionError, ParseError
from idealrank.io.prefetch import RunAhead
from idealrank.io.trec import read_run

_TEXT = "".join(f"q{number // 50} Q0 d{number % 50} 1 {number % 7} tag\n" for number in range(5000))


@pytest.fixture(params=[1, 2], ids=["one core", "two cores"])
def path(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A run of many blocks."""
    monkeypatch.setattr(threads, "_chosen", request.param)
    monkeypatch.setattr("idealrank.io.files._BLOCK_SIZE", 1 << 10)
    (tmp_path / "a.run").write_text(_TEXT)
    return str(tmp_path / "a.run")


def _ended(ahead: RunAhead) -> RunAhead:
    if ahead._thread.ident is not None:
        ahead._thread.join()
    return ahead


@pytest.mark.parametrize("is_ended", [False, True])
def test_it_reads_what_the_path_names(path: str, is_ended: bool) -> None:
    ahead = _ended(RunAhead(path)) if is_ended else RunAhead(path)
    found, expected = read_run(ahead), read_run(path)
    assert (found, found.name, found.n_docs) == (expected, expected.name, 5000)
    assert read_run(ahead) == expected  # again: from the path
    ahead.close()


def test_the_caller_sees_the_rest_of_the_reading(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threading.Thread, "start", lambda thread: None)
    seen: list[tuple[int, int | None]] = []
    assert read_run(RunAhead(path), progress=lambda *told: seen.append(told)).n_docs == 5000
    assert len(seen) > 50
    assert seen[-1] == (len(_TEXT), len(_TEXT))


def test_a_system_without_threads_reads_as_well(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def start(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", start)
    assert read_run(RunAhead(path), n_threads=1).n_docs == 5000


def test_a_wrong_number_of_threads_is_an_error_when_the_run_is_read(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "_chosen", None)
    monkeypatch.setenv("IDEALRANK_NUM_THREADS", "many")
    ahead = RunAhead(path)
    with pytest.raises(OptionError, match="IDEALRANK_NUM_THREADS must be a whole number"):
        read_run(ahead)


def test_compressed_files_are_read(path: str) -> None:
    Path(f"{path}.gz").write_bytes(gzip.compress(Path(path).read_bytes()))
    assert read_run(RunAhead(f"{path}.gz")) == read_run(path)


def test_errors_are_those_of_the_path(path: str) -> None:
    with open(path, "a") as file:
        file.write("q1 Q0 d1 1 much tag\n")
    with pytest.raises(ParseError) as expected:
        read_run(path)
    with pytest.raises(ParseError) as found:
        read_run(_ended(RunAhead(path)))
    assert str(found.value) == str(expected.value)
    assert ":5001:" in str(found.value)


@pytest.mark.parametrize("is_closed", [False, True])
def test_another_file_is_no_error_until_it_is_taken(path: str, is_closed: bool) -> None:
    Path(path).write_text("q1 0 d1 1\n")
    ahead = _ended(RunAhead(path))
    if is_closed:
        ahead.close()
    with pytest.raises(ParseError, match="a run's line has 6 fields"):
        read_run(ahead)


def test_closing_stops_the_thread(path: str) -> None:
    ahead = RunAhead(path)
    ahead.close()
    assert not ahead._thread.is_alive()
    with pytest.raises(StopIteration):
        next(ahead._steps)


def test_lines_that_begin_like_comments_may_be_read(path: str) -> None:
    Path(path).write_text("#1 Q0 d1 1 2 tag\n")
    assert read_run(RunAhead(path), comments=False).to_dict() == {"#1": {"d1": 2.0}}


def test_it_does_not_import_numpy(path: str) -> None:
    code = (
        "import sys; from idealrank.io.prefetch import RunAhead\n"
        f"ahead = RunAhead({path!r}); ahead.take(2, None); print('numpy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
