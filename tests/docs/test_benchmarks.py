import doctest
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

import idealrank as ir
from benchmarks import entries, generate, neighbors, processes, runner, scoreboard, table, targets
from benchmarks.__main__ import main
from benchmarks.runner import Comparison, Contestant, Mark, Row, Setting, as_returned
from benchmarks.targets import AtLeast, AtMost

entries.load()
linux_only = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="peak memory is read from Linux's /proc")


def returning(*values: float) -> Callable[[], float]:
    """A contestant's work that measures itself: the first value is that of the warm-up."""
    return iter(values).__next__


def rows_of(comparison: Comparison) -> list[Row]:
    def only(setting: Setting) -> Iterator[Comparison]:
        yield comparison

    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(runner.ENTRIES, "only", only)
        return list(runner.run(["only"], Setting(Path(), rounds=3)))


def test_the_ratio_is_the_median_of_the_ratios_of_each_round() -> None:
    ours = Contestant("ours", returning(9, 1, 2, 4))
    peer = Contestant("peer", returning(9, 3, 4, 20), AtLeast(3))
    (row,) = rows_of(Comparison("work", ours, [peer], meter=as_returned))
    assert row.ratio is not None
    assert row.ratio.values == (3, 2, 5)
    assert (row.ratio.median, row.ratio.min, row.ratio.max) == (3, 2, 5)
    assert (row.met, row.rounds, row.status) == (True, 3, "measured")


def test_contestants_take_turns_and_the_order_turns_too() -> None:
    calls: list[str] = []

    def noted(name: str) -> float:
        calls.append(name)
        return 1.0

    contestants = [Contestant(name, partial(noted, name)) for name in "abc"]
    rows_of(Comparison("work", contestants[0], contestants[1:], meter=as_returned))
    assert "".join(calls) == "abc" + "abc" + "cba" + "abc"


@pytest.mark.parametrize(
    ("goal", "direction", "ratio", "met"),
    [
        (AtLeast(3), "peer/ours", 4, True),
        (AtLeast(5), "peer/ours", 4, False),
        (AtMost(0.3), "ours/peer", 0.25, True),
        (AtMost(0.2), "ours/peer", 0.25, False),
        (AtMost(0.2, plus_mb=0.5), "ours/peer", 0.25, True),
        (None, "peer/ours", 4, None),
    ],
)
def test_each_target_looks_at_its_own_side_of_the_ratio(
    goal: targets.Target | None, direction: str, ratio: float, met: bool | None
) -> None:
    ours = Contestant("ours", lambda: 1e6)
    (row,) = rows_of(Comparison("work", ours, [Mark("mark", 4e6, goal)], unit="B", meter=as_returned))
    assert row.ratio is not None
    assert (row.direction, row.ratio.median, row.met) == (direction, ratio, met)


def test_a_peer_that_is_not_installed_stays_in_the_table() -> None:
    peer = Contestant("peer", lambda: 1 / 0, AtLeast(3), module="no_such_module_anywhere")
    (row,) = rows_of(Comparison("work", Contestant("ours", lambda: 1.0), [peer], meter=as_returned))
    assert (row.status, row.met, row.theirs, row.target) == ("not installed", None, None, ">= 3")
    assert "| not installed | >= 3 |" in table.markdown([row])


def test_a_peer_that_fails_says_why_and_the_others_go_on() -> None:
    peers = [Contestant("bad", lambda: 1 / 0), Contestant("good", lambda: 2.0)]
    bad, good = rows_of(Comparison("work", Contestant("ours", lambda: 1.0), peers, meter=as_returned))
    assert bad.status == "failed: ZeroDivisionError: division by zero"
    assert good.status == "measured"


def test_where_ours_fails_every_row_says_so() -> None:
    peers: list[Contestant | Mark] = [Contestant("peer", lambda: 2.0), Mark("mark", 3.0)]
    rows = rows_of(Comparison("work", Contestant("ours", lambda: 1 / 0), peers, meter=as_returned))
    assert {row.status for row in rows} == {"failed: ours: ZeroDivisionError: division by zero"}
    assert all(row.ours is None and row.ratio is None for row in rows)


def test_an_entry_whose_set_up_fails_does_not_stop_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(setting: Setting) -> Iterator[Comparison]:
        yield Comparison("fine", Contestant("ours", lambda: 1.0), [Mark("mark", 1.0)], meter=as_returned)
        raise ImportError("no such name")

    def whole(setting: Setting) -> Iterator[Comparison]:
        yield Comparison("fine too", Contestant("ours", lambda: 1.0), [Mark("mark", 1.0)], meter=as_returned)

    monkeypatch.setitem(runner.ENTRIES, "broken", broken)
    monkeypatch.setitem(runner.ENTRIES, "whole", whole)
    rows = list(runner.run(["broken", "whole"], Setting(Path(), rounds=1)))
    assert [row.work for row in rows] == ["fine", "set-up", "fine too"]
    assert rows[1].status == "failed: ImportError: no such name"


def test_a_peer_that_did_other_work_is_not_measured() -> None:
    ours = Contestant("ours", lambda: 1.0, digest=lambda _: (100, 7.5))
    same = Contestant("same", lambda: 1.0, digest=lambda _: (100, 7.5 + 1e-9))
    less = Contestant("less", lambda: 1.0, digest=lambda _: (99, 7.5))
    first, second = rows_of(Comparison("work", ours, [same, less], meter=as_returned))
    assert first.status == "measured"
    assert second.status == "failed: not the same work: ours gives (100, 7.5), this gives (99, 7.5)"
    assert second.ratio is None


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[linux_only] if "memory" in name else []) for name in runner.ENTRIES],
)
def test_every_entry_runs_on_tiny_sizes_without_peers(name: str, tmp_path: Path) -> None:
    rows = list(runner.run([name], Setting(tmp_path, scale=1e-4, rounds=1), installed=lambda module: False))
    assert rows
    if any("MissingExtraError" in row.status for row in rows):
        pytest.skip(rows[0].status)
    assert {row.status for row in rows} <= {"measured", "not installed"}
    assert all(row.ours is not None and row.ours.min > 0 for row in rows)


def test_the_command_prints_a_table_and_saves_everything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def small(setting: Setting) -> Iterator[Comparison]:
        peers = [Contestant("python", lambda: 3.0, AtLeast(2), module="numpy"), Contestant("gone", int, module="gone_")]
        yield Comparison("one and three", Contestant("ours", lambda: 1.0), peers, meter=as_returned)

    monkeypatch.setitem(runner.ENTRIES, "small", small)
    path = tmp_path / "results" / "now.json"
    assert main(["--json", str(path), "small"]) == 0
    assert "| small | one and three | 1.00 s | python | 3.00 s | peer/ours 3 (3 to 3) | >= 2 | yes |" in (
        capsys.readouterr().out
    )
    saved = json.loads(path.read_text())
    assert saved["machine"]["cores"] >= 1
    assert saved["versions"]["idealrank"] == ir.__version__
    assert saved["versions"]["gone_"] is None
    assert saved["install"] in ("regular", "editable")
    measured, gone = saved["rows"]
    assert measured["ours"]["values"] == [1.0] * 7
    assert gone["status"] == "not installed"


def test_the_scoreboard_begins_with_what_we_lose_and_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def small(setting: Setting) -> Iterator[Comparison]:
        peers: list[Contestant | Mark] = [
            Contestant("slower", lambda: 3.0),
            Contestant("faster", lambda: 0.5, why="it does less"),
            Contestant("a sort", lambda: 0.25, is_floor=True),
            Contestant("idealrank, 1 thread", lambda: 2.0),
            Mark("1 s", 1.0),
        ]
        yield Comparison("a task", Contestant("ours", lambda: 1.0), peers, meter=as_returned)

    monkeypatch.setitem(runner.ENTRIES, "small", small)
    assert main(["--scoreboard", "--json", str(tmp_path / "now.json"), "small"]) == 0
    first, *lines = (line for line in capsys.readouterr().out.splitlines() if line)
    assert first == "2 comparisons were measured; in 1 of them, the other one is faster."
    assert [line for line in lines if line.startswith("| a task")] == [
        "| a task | faster | 0.50 (0.50 to 0.50) | 4.00 (of a sort) |  |",
        "| a task | slower | 3.00 (3.00 to 3.00) | 4.00 (of a sort) |  |",
    ]
    assert "Why 1 row is below 1: it does less." in lines


def test_the_command_tells_a_failure_of_ours_by_its_exit_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(setting: Setting) -> Iterator[Comparison]:
        yield Comparison("nothing", Contestant("ours", lambda: 1 / 0), [Mark("mark", 1.0)])

    monkeypatch.setitem(runner.ENTRIES, "broken", broken)
    assert main(["--quick", "--json", str(tmp_path / "now.json"), "broken"]) == 1
    assert "a quick run" in capsys.readouterr().out


def test_an_unknown_entry_is_refused_with_the_names_there_are() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks", "reading_lettuce"],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "no entry is called 'reading_lettuce'; there are " in done.stderr
    assert all(name in done.stderr for name in runner.ENTRIES)


def test_generated_letor_files_are_the_same_for_a_seed_and_read_as_meant(tmp_path: Path) -> None:
    (tmp_path / "again").mkdir()
    path, again = (generate.letor_file(folder, 300_000, seed=3) for folder in (tmp_path, tmp_path / "again"))
    assert path.read_bytes() == again.read_bytes()
    data = ir.read_letor(path)
    assert data.n_features == 136
    assert 300_000 <= path.stat().st_size < 600_000
    bare = ir.read_letor(generate.letor_file(tmp_path, 300_000, with_qid=False, seed=3))
    n_docs = min(data.n_docs, bare.n_docs)
    assert (data.known_features()[:n_docs] == bare.known_features()[:n_docs]).all()
    assert set(data.offsets) <= set(bare.offsets) or set(bare.offsets) <= set(data.offsets)


def test_a_shuffled_run_has_the_lines_of_the_sorted_one(tmp_path: Path) -> None:
    in_order, shuffled = (generate.run_file(tmp_path, 3, 50, shuffled=flag).read_bytes() for flag in (False, True))
    assert in_order != shuffled
    assert sorted(in_order.splitlines()) == sorted(shuffled.splitlines())
    assert ir.read_run(tmp_path / "run-3-50-sorted-0.txt").n_docs == 150


@linux_only
def test_the_machine_is_at_least_as_busy_as_this_process() -> None:
    reading = neighbors.read_machine()
    assert reading is not None
    assert reading.busy >= reading.own > 0


@linux_only
def test_peak_memory_counts_what_was_freed_again(tmp_path: Path) -> None:
    n_bytes = processes.peak_memory("size = 50_000_000", "len(b'x' * size)", tmp_path)
    assert 49e6 < n_bytes < 60e6  # the kernel counts pages only about


def test_a_process_that_fails_says_its_last_line(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="ended with code 1: ValueError: no"):
        processes.run_process([sys.executable, "-c", "raise ValueError('no')"], tmp_path)


@pytest.mark.parametrize(
    "module", [neighbors, runner, scoreboard, table, targets], ids=lambda module: str(module.__name__)
)
def test_the_examples_hold(module: object) -> None:
    assert doctest.testmod(module).failed == 0  # type: ignore[arg-type]


def test_the_examples_of_the_table_of_losses_hold() -> None:
    pytest.importorskip("sklearn")
    assert doctest.testmod(pytest.importorskip("benchmarks.worth.losses")).failed == 0


def test_the_tasks_whose_growth_is_measured_run() -> None:
    for package in ("pandas", "polars", "pyarrow"):
        pytest.importorskip(package)
    growth = pytest.importorskip("benchmarks.growth")
    names = [name for name, task in growth.work(1_000) if task() is not None]
    assert len(names) == len(set(names)) > 60
