import csv
import gzip
import io
import json
import os
import re
import signal
import subprocess
import sys
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any

import click
import numpy as np
import pytest
from click.testing import CliRunner, Result

import idealrank
from idealrank._present.table import Column, Table, render
from idealrank.cli.group import commands
from idealrank.cli.support import terminal
from idealrank.cli.support.command import Command
from idealrank.cli.support.shared_options import kind_of

SMALL_DEMO = ("demo", "--queries", "10", "--docs", "20", "--html", os.devnull)
posix_only = pytest.mark.skipif(os.name != "posix", reason="Windows has other terminals, pipes and signals")


def run(*args: str, **options: Any) -> Result:
    return CliRunner().invoke(commands, args, prog_name="idealrank", **options)


def process(*args: str, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "idealrank", *args], capture_output=True, text=True, check=False, **options
    )


def on_a_terminal(*args: str, **environment: str) -> str:
    """What the command line writes when both its outputs are a terminal."""
    import pty

    outer, inner = pty.openpty()
    child = subprocess.Popen(
        [sys.executable, "-m", "idealrank", *args],
        stdin=subprocess.DEVNULL,
        stdout=inner,
        stderr=inner,
        env=os.environ | {"TERM": "xterm-256color", "COLUMNS": "80", "NO_COLOR": ""} | environment,
    )
    os.close(inner)
    written = b""
    while piece := _read_terminal(outer):
        written += piece
    os.close(outer)
    assert child.wait() == 0
    return written.decode()


def _read_terminal(outer: int) -> bytes:
    try:
        return os.read(outer, 65536)
    except OSError:  # Linux says that the other end is closed in this way
        return b""


def test_help_lists_commands_that_exist_and_each_explains_itself() -> None:
    shown = run("--help")
    assert shown.exit_code == 0
    sections = shown.output.split("\nEvaluate:\n")[1].split("\n\n  'idealrank COMMAND")[0]
    listed = [line.split()[0] for line in sections.splitlines() if line.startswith("  ")]
    assert set(listed) == set(commands.commands)
    assert shown.output.index("\nJudgments:\n") < shown.output.index("\nTools:\n")
    for name in listed:
        page = run(name, "--help")
        assert page.exit_code == 0
        assert page.output.startswith(f"Usage: idealrank {name} ")
        assert all(len(line) <= 80 for line in (shown.output + page.output).splitlines())
        assert page.output.count("(") == page.output.count(")")


def test_every_command_remembers_how_it_was_called_and_checks_what_it_will_write() -> None:
    for name in commands.commands:
        command = import_module(f"idealrank.cli.commands.{name.replace('-', '_')}").command
        assert isinstance(command, Command), name


def test_the_version_is_the_packages() -> None:
    assert run("--version").output == f"idealrank {idealrank.__version__}\n"


def test_a_misspelt_command_suggests_the_nearest() -> None:
    shown = run("convrt")
    assert shown.exit_code == 2
    assert "No such command 'convrt'. Did you mean 'convert'?" in shown.stderr


def imported_by(*args: str) -> set[str]:
    """The modules that are loaded when the command line has done this."""
    script = (
        "import atexit, sys; atexit.register(lambda: print(*sys.modules, file=sys.stderr));"
        "from idealrank.cli import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", script, *args], capture_output=True, text=True, check=True)
    return set(done.stderr.split())


def test_help_imports_neither_numpy_nor_rich_nor_a_command() -> None:
    imported = imported_by("--help")
    assert "idealrank.cli.group" in imported
    assert imported.isdisjoint(
        {"numpy", "rich", "idealrank.data", "idealrank.cli.commands.convert", "idealrank.cli.commands.demo"}
    )


@pytest.mark.parametrize("command", ["convert", "evaluate"])
def test_a_commands_help_imports_that_command_but_not_numpy(command: str) -> None:
    imported = imported_by(command, "--help")
    assert f"idealrank.cli.commands.{command}" in imported
    assert imported.isdisjoint({"numpy", "rich", "idealrank.cli.commands.demo"})


def test_a_table_is_printed_without_openssl_and_masked_arrays(tmp_path: Path) -> None:
    (tmp_path / "judged").write_text("q1 0 d1 1\nq1 0 d2 0\n")
    (tmp_path / "run").write_text("q1 Q0 d1 1 2 tag\nq1 Q0 d2 2 1 tag\n")
    imported = imported_by("evaluate", str(tmp_path / "judged"), str(tmp_path / "run"), "-m", "ndcg@10", "--quiet")
    assert "idealrank.evaluation.evaluation_result" in imported
    assert imported.isdisjoint({"_hashlib", "numpy.ma", "rich"})
    assert imported.isdisjoint({"csv", "fractions", "json", "pathlib", "idealrank.io.frames"})


@posix_only
def test_help_has_colours_on_a_terminal_that_shows_them() -> None:
    assert "\x1b[36m--help\x1b[0m" in on_a_terminal("demo", "--help")
    assert "\x1b" not in on_a_terminal("demo", "--help", NO_COLOR="1")
    assert "\x1b" not in on_a_terminal("demo", "--help", TERM="dumb")


@posix_only
def test_colours_change_no_letter_of_the_help() -> None:
    coloured = on_a_terminal("convert", "--help")
    assert click.unstyle(coloured) == on_a_terminal("convert", "--help", NO_COLOR="1")


def test_the_demo_shows_a_table_and_names_commands_that_exist(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shown = run("demo", "--queries", "10", "--docs", "20")
    assert shown.exit_code == 0
    assert shown.stderr == "idealrank: the report is in idealrank-demo.html\n"
    assert "<h1>" in Path("idealrank-demo.html").read_text(encoding="utf-8")
    assert re.search(r"1\. ndcg@10 of one run: 36 tools, \d+ different numbers", shown.output)
    assert re.search(r"trec_eval gives 0\.\d{4} and lightgbm 0\.\d{4}: \d choices make a difference", shown.output)
    assert any(line.split()[1:2] == ["hybrid"] for line in shown.output.splitlines())
    named = [line.split()[1] for line in shown.stdout.splitlines() if line.startswith("  idealrank ")]
    assert set(named) <= set(commands.commands)
    assert named
    assert all(len(line) <= 80 for line in shown.stdout.splitlines())


def test_the_demos_numbers_are_those_of_the_readme(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shown, readme = run("demo").output, (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    assert "36 tools, 17 different numbers" in shown
    assert "36 tools, 17 different numbers" in readme
    assert "ApproxNDCG is significantly better than feature 1" in shown
    for line in shown.split("\n2. ")[1].split("\n4. ")[0].splitlines():
        assert line in readme or line.startswith("3. ") or line == "Why do trec_eval and lightgbm disagree?"


@pytest.mark.slow
def test_the_demo_is_the_same_for_the_same_seed() -> None:
    first, again, other = (run(*SMALL_DEMO, "--format", "csv", "--seed", seed).output for seed in ("1", "1", "2"))
    assert first == again != other


@pytest.mark.slow
@posix_only
def test_the_demo_leaves_nothing_behind(tmp_path: Path) -> None:
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    assert process(*SMALL_DEMO, env=environment).returncode == 0
    assert list(tmp_path.iterdir()) == []


TABLE = Table(
    [Column("ranker"), Column("n", ","), Column("share", ".1%")],
    [["a|b_c", 1200, 0.125], ['50% "x", \\y', 7, float("nan")], ["two\nlines", None, None]],
)


def test_text_aligns_numbers_to_the_right() -> None:
    assert render(TABLE).splitlines() == [
        "ranker           n  share",
        "a|b_c        1,200  12.5%",
        '50% "x", \\y      7    nan',
        "two lines",
    ]


def test_json_has_full_numbers_and_null_for_what_it_cannot_say() -> None:
    assert json.loads(render(TABLE, "json")) == [
        {"ranker": "a|b_c", "n": 1200, "share": 0.125},
        {"ranker": '50% "x", \\y', "n": 7, "share": None},
        {"ranker": "two\nlines", "n": None, "share": None},
    ]


def test_csv_reads_back() -> None:
    assert list(csv.reader(io.StringIO(render(TABLE, "csv")))) == [
        ["ranker", "n", "share"],
        ["a|b_c", "1200", "0.125"],
        ['50% "x", \\y', "7", "nan"],
        ["two\nlines", "", ""],
    ]


def test_markdown_escapes_what_would_end_a_cell_or_change_its_look() -> None:
    assert render(TABLE, "markdown").splitlines() == [
        "| ranker       |     n | share |",
        "|:-------------|------:|------:|",
        "| a\\|b\\_c      | 1,200 | 12.5% |",
        '| 50% "x", \\\\y |     7 |   nan |',
        "| two lines    |       |       |",
    ]


def test_latex_escapes_its_special_letters() -> None:
    lines = render(TABLE, "latex").splitlines()
    assert r"\begin{tabular}{lrr}" in lines
    assert r"a\textbar{}b\_c & 1,200 & 12.5\% \\" in lines
    mark = r"{\ttfamily\char34}"
    assert rf"50\% {mark}x{mark}, \textbackslash{{}}y & 7 & -- \\" in lines
    assert lines[-1] == r"\end{tabular}"


@pytest.mark.parametrize("output_format", ["text", "json", "csv", "markdown", "latex"])
def test_a_table_without_rows_is_still_a_table(output_format: str) -> None:
    shown = render(Table([Column("a"), Column("b")], []), output_format)
    assert shown.endswith("\n")
    assert json.loads(shown) == [] if output_format == "json" else "a" in shown


@pytest.mark.slow
@pytest.mark.parametrize("output_format", ["text", "json", "csv", "markdown", "latex"])
def test_every_format_is_an_option_of_the_demo(output_format: str) -> None:
    shown = run(*SMALL_DEMO, "--format", output_format, "--quiet")
    assert shown.exit_code == 0
    assert "hybrid" in shown.output
    assert "Try next" not in shown.output


def fails(error: BaseException, *args: str) -> Result:
    """What the group makes of an error in a command."""

    def fail() -> None:
        raise error

    command = click.Command("fail", callback=fail)

    class Failing(type(commands)):  # type: ignore[misc]
        def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str, click.Command, list[str]]:
            return "fail", command, args[1:]

    group = Failing("idealrank", params=commands.params)
    return CliRunner().invoke(group, [*args, "fail"])


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (idealrank.errors.ParseError("bad label", "a.txt", 3, 7), "a.txt:3:7: bad label"),
        (idealrank.errors.DataError("two\nlines", row=4), "two lines (row 4)"),
        (FileNotFoundError(2, "No such file or directory", "a.txt"), "a.txt: no such file"),
        (PermissionError(13, "Permission denied", "a.txt"), "a.txt: permission denied"),
        (OSError(28, "No space left on device"), "no space left on device"),
        (IsADirectoryError("out is a folder; give the name of a file in it"), "out is a folder; give the name"),
        (MemoryError(), "out of memory"),
        (KeyError("x"), "KeyError: 'x' (a bug in idealrank: please report it with what --debug shows)"),
    ],
)
def test_every_failure_is_one_line_and_exit_code_1(error: Exception, line: str) -> None:
    shown = fails(error)
    assert shown.exit_code == 1
    assert shown.output.startswith(f"idealrank: error: {line}")
    assert shown.output.count("\n") == 1


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (["evaluate", "none", "x"], {"type": "FileNotFoundError", "message": "none: no such file", "exit_status": 1}),
        (["evaluate"], {"type": "UsageError", "message": "Missing argument 'DATA'.", "exit_status": 2}),
        (["gate", "none", "x", "--baseline", "y"], {"type": "FileNotFoundError", "message": "none: no such file"}),
        (["no-such-command"], {"type": "UsageError", "message": "No such command 'no-such-command'."}),
    ],
)
def test_with_json_an_error_is_an_object_too(args: list[str], expected: dict[str, Any]) -> None:
    for form in (["--format", "json"], ["--format=json"]):
        shown = run(*args, *form)
        error = json.loads(shown.stdout)["error"]
        assert {**error, **expected} == error
        assert shown.exit_code == error["exit_status"] > 0
        assert shown.stderr


def test_with_json_an_error_says_where(tmp_path: Path) -> None:
    (tmp_path / "q").write_text("q1 0 d1 1\nq1 0 d2 x\n")
    (tmp_path / "r").write_text("q1 Q0 d1 1 0.5 x\n")
    shown = run("evaluate", str(tmp_path / "q"), str(tmp_path / "r"), "--format", "json", "--from", "qrels")
    error = json.loads(shown.stdout)["error"]
    assert (error["type"], error["path"], error["line"]) == ("ParseError", str(tmp_path / "q"), 2)


def test_debug_shows_the_traceback_too(monkeypatch: pytest.MonkeyPatch) -> None:
    error = idealrank.errors.DataError("no good")
    shown = fails(error, "--debug")
    assert shown.exit_code == 1
    assert shown.output.startswith("Traceback (most recent call last):")
    assert shown.output.endswith("\nidealrank: error: no good\n")
    monkeypatch.setenv("IDEALRANK_DEBUG", "1")
    assert fails(error).output.startswith("Traceback")
    monkeypatch.setenv("IDEALRANK_DEBUG", "0")
    assert "Traceback" not in fails(error).output


def test_a_message_cannot_steer_the_terminal() -> None:
    assert terminal.one_line("a\x1b[2J\udce9\tb") == r"a\x1b[2J\udce9\tb"


def test_ctrl_c_in_a_command_is_one_line_and_exit_code_130() -> None:
    shown = fails(KeyboardInterrupt())
    assert (shown.exit_code, shown.output) == (130, "idealrank: interrupted\n")


@posix_only
@pytest.mark.parametrize(
    ("number", "code", "line"),
    [
        (signal.SIGINT, 130, b"idealrank: interrupted\n"),
        (signal.SIGTERM, 143, b""),
    ],
)
def test_a_signal_while_a_file_is_read_ends_the_command_in_order(number: int, code: int, line: bytes) -> None:
    # A shell that runs the tests in the background lets its children ignore Ctrl-C.
    script = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler);from idealrank.cli import main; main()"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", script, "convert", "-", "-", "--from", "letor", "--to", "qrels"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert child.stdin is not None
    # More than a pipe holds: once it is written, the command is reading, and waits for the rest.
    child.stdin.write(b"0 qid:1 1:1\n" * 200_000)
    child.send_signal(number)
    assert child.communicate() == (b"", line)
    assert child.returncode == code


@posix_only
@pytest.mark.parametrize("n_docs", [1, 30_000])
def test_a_reader_that_goes_away_is_no_failure(tmp_path: Path, n_docs: int) -> None:
    source = tmp_path / "a.qrels"
    source.write_text("".join(f"q1 0 d{number} 1\n" for number in range(n_docs)))
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-m", "idealrank", "convert", str(source), "-", "--to", "qrels", "--quiet"],
        stdout=writer,
        stderr=subprocess.PIPE,
        check=False,
        env=os.environ | {"PYTHONUNBUFFERED": ""},  # what a buffer still holds at the end must not complain either
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, b"")


def test_usage_errors_exit_with_2() -> None:
    for args in (["convert"], ["demo", "--docs", "3"], ["demo", "--frmat", "csv"], []):
        shown = run(*args)
        assert shown.exit_code == 2, args
        assert shown.output.startswith("Usage: idealrank")


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a/train.txt", "letor"),
        ("train.TXT.gz", "letor"),
        ("fold1.svmlight.xz", "letor"),
        ("pruned.dat", "letor"),
        ("trunk.txt", "letor"),
        ("runs/vali.txt", "letor"),
        ("qrels.dl19-passage.txt", "qrels"),
        ("robust04.qrels.gz", "qrels"),
        ("qrels.parquet", "parquet"),
        ("run.bm25.txt", "run"),
        ("bm25_run1.txt.gz", "run"),
        ("input.myrun", "run"),
        ("submission.results", "run"),
        ("clicks.csv.gz", "csv"),
    ],
)
def test_the_kind_of_a_file_shows_in_its_name(name: str, kind: str) -> None:
    assert kind_of(name, None).name == kind


@pytest.mark.parametrize("name", ["-", "data.xlsx", "noending"])
def test_a_name_that_tells_no_kind_asks_for_the_option(name: str) -> None:
    with pytest.raises(
        click.UsageError, match=r"give --from letor\|subtopics\|qrels\|msmarco\|run\|parquet\|rank_eval\|json\|csv"
    ):
        kind_of(name, None)


def test_parquet_is_not_compressed_again() -> None:
    with pytest.raises(click.UsageError, match=r"leave out the last ending"):
        kind_of("a.parquet.gz", None, "--to")


def test_a_large_file_says_how_much_of_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    large, small = tmp_path / "large.txt", tmp_path / "small.txt"
    with large.open("wb") as file:
        file.truncate(50_000_001)
    small.write_bytes(b"x")
    for path, quiet, rich, expected in [
        (large, False, True, True),
        (large, True, True, False),
        (large, False, False, False),
        (small, False, True, False),
        (tmp_path / "missing.txt", False, True, False),
    ]:
        monkeypatch.setattr(terminal, "is_rich", lambda stream, rich=rich: rich)
        with terminal.reading(str(path), quiet=quiet) as callback:
            assert (callback is not None) == expected
            if callback is not None:
                callback(1000, 50_000_001)
                callback(25_000_000, None)
                terminal._STATUS.draw()
        with terminal.writing(str(path), shown=callback is not None):
            pass
    assert "reading large.txt: 50% of 50 MB" in capsys.readouterr().err


def test_a_stream_is_rich_only_where_it_shows_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert terminal.is_rich(Terminal())
    assert not terminal.is_rich(io.StringIO())
    assert not terminal.is_rich(None)
    monkeypatch.setenv("NO_COLOR", "1")
    assert not terminal.is_rich(Terminal())
    monkeypatch.setenv("NO_COLOR", "")
    monkeypatch.setenv("TERM", "dumb")
    assert not terminal.is_rich(Terminal())


LETOR = "2 qid:7 1:0.5 2:1 #docid = d1\n0 qid:7 2:0.25 #docid = d2\n1 qid:8 1:4 #docid = d1\n"
QRELS = "7 0 d1 2\n7 0 d2 0\n8 0 d1 1\n"
RUN = "7 Q0 d1 2 0.5 bm25\n7 Q0 d2 1 0.75 bm25\n8 Q0 d1 1 -3 bm25\n"
CSV = '"qid","label","doc","f1","f2"\n"7",2,"d1",0.5,1\n"7",0,"d2",0,0.25\n"8",1,"d1",4,0\n'


def converted(folder: Path, content: str, source: str, target: str, *options: str) -> tuple[str, list[str]]:
    """What the target holds after a conversion, and the lines on standard error."""
    if ".csv" in source + target:
        pytest.importorskip("pyarrow")
    (folder / source).write_text(content)
    shown = run("convert", str(folder / source), str(folder / target), *options)
    assert (shown.exit_code, shown.stdout) == (0, ""), shown.output
    return (folder / target).read_text(), shown.stderr.splitlines()


@pytest.mark.parametrize(
    ("content", "source", "target", "expected"),
    [
        (LETOR, "a.txt", "b.qrels", QRELS),
        (LETOR, "a.txt", "b.csv", CSV),
        (
            CSV,
            "a.csv",
            "b.letor",
            "2 qid:7 1:0.5 2:1 #docid = d1\n0 qid:7 1:0 2:0.25 #docid = d2\n1 qid:8 1:4 2:0 #docid = d1\n",
        ),
        (CSV, "a.csv", "b.qrels", QRELS),
        (QRELS, "a.qrels", "b.csv", '"qid","doc","label"\n"7","d1",2\n"7","d2",0\n"8","d1",1\n'),
        (QRELS, "qrels.txt", "b.txt", "2 qid:7 #docid = d1\n0 qid:7 #docid = d2\n1 qid:8 #docid = d1\n"),
        (RUN, "a.run", "b.csv", '"qid","doc","score"\n"7","d1",0.5\n"7","d2",0.75\n"8","d1",-3\n'),
        ("qid,doc,score\n7,d1,0.5\n8,d1,-3\n7,d2,0.75\n", "bm25.csv", "b.run", RUN),
    ],
)
def test_each_kind_becomes_another(tmp_path: Path, content: str, source: str, target: str, expected: str) -> None:
    assert converted(tmp_path, content, source, target)[0] == expected


@pytest.mark.parametrize(("content", "ending"), [(LETOR, "txt"), (QRELS, "qrels"), (RUN, "run"), (CSV, "csv")])
def test_nothing_is_lost_through_parquet_and_compression(tmp_path: Path, content: str, ending: str) -> None:
    pytest.importorskip("pyarrow")
    first, last = tmp_path / f"a.{ending}.gz", tmp_path / f"bm25.{ending}"
    (tmp_path / f"start.{ending}").write_text(content)
    steps = [f"start.{ending}", first.name, "bm25.parquet", last.name]
    for source, target in pairwise(steps):
        shown = run("convert", str(tmp_path / source), str(tmp_path / target))
        assert shown.exit_code == 0, shown.output
    assert gzip.decompress(first.read_bytes())
    if ending == "txt":  # a frame has a number in every cell
        before, after = (idealrank.read_letor(tmp_path / name) for name in (steps[0], steps[-1]))
        np.testing.assert_array_equal(before.features, after.features)
        assert before.doc_ids == after.doc_ids
    else:
        assert last.read_text() == content


def test_a_conversion_says_what_it_read_wrote_and_left_out(tmp_path: Path) -> None:
    a, b = tmp_path / "a.csv", tmp_path / "b.txt"
    said = converted(tmp_path, "qid,label,score,title,f\n1,0,2.5,x,7\n", a.name, b.name)[1]
    assert "'title'" in said[0]
    assert said[1:] == [
        "idealrank: note: left out: scores, which LETOR text cannot hold",
        f"idealrank: read {a} (CSV: 1 query, 1 document, 1 feature), wrote {b} (LETOR text)",
    ]
    said = converted(tmp_path, LETOR, "a.txt", "b.qrels")[1]
    assert said[0] == "idealrank: note: left out: 2 features, which TREC judgments cannot hold"
    said = converted(tmp_path, RUN, "a.run", "b.csv")[1]
    assert said[0] == "idealrank: note: left out: the run's name 'bm25', which CSV cannot hold"
    said = converted(tmp_path, QRELS, "a.qrels", "b.txt")[1]
    assert said[0] == "idealrank: note: judgments have no features: each line has a label, a query and a document"
    said = converted(tmp_path, "1 qid:4\n0 qid:5\n0 qid:4\n", "a.txt", "b.qrels")[1]
    assert said[:2] == [
        "idealrank: note: the lines of some queries are not adjacent: regrouped by qid",
        "idealrank: note: the documents have no ids: their row numbers, starting at 0, are used",
    ]
    assert (tmp_path / "b.qrels").read_text() == "4 0 0 1\n4 0 2 0\n5 0 1 0\n"


def test_quiet_says_nothing(tmp_path: Path) -> None:
    assert converted(tmp_path, LETOR + "1 qid:7 1:NULL\n", "a.txt", "b.csv", "-q")[1] == []


def test_problems_of_the_data_are_notes(tmp_path: Path) -> None:
    said = converted(tmp_path, QRELS + "8 0 d1 0\n", "a.qrels", "b.csv")[1]
    assert said[0].startswith("idealrank: note: 1 document is repeated in the same query, first 'd1' in query '8'")
    assert len(said) == 2


def test_standard_input_and_output_need_kinds_and_then_work() -> None:
    shown = run("convert", "-", "-", "--from", "letor", "--to", "qrels", input=LETOR)
    assert (shown.exit_code, shown.stdout) == (0, QRELS)
    assert "read standard input" in shown.stderr
    assert "wrote standard output" in shown.stderr
    for args in (("-", "x.csv"), ("x.csv", "-")):
        assert run("convert", *args).exit_code == 2


def test_content_wins_over_the_name_of_what_is_read(tmp_path: Path) -> None:
    for content, name in [(QRELS, "judgments"), (QRELS, "data.csv"), (LETOR, "qrels.txt"), (CSV, "train.txt")]:
        if content == CSV:
            pytest.importorskip("pyarrow")
        (tmp_path / name).write_text(content)
        shown = run("convert", str(tmp_path / name), "-", "--to", "qrels")
        assert (shown.exit_code, shown.stdout) == (0, QRELS)
    (tmp_path / "first").write_text(RUN)
    assert run("evaluate", str(tmp_path / "judgments"), str(tmp_path / "first")).exit_code == 0


def test_a_file_of_no_known_format_is_a_failure_that_names_the_option(tmp_path: Path) -> None:
    path = tmp_path / "noending"
    for content, what in [
        (b"", "the file is empty"),
        (b"\x7fELF\x00", "the file does not begin like any of "),
    ]:
        path.write_bytes(content)
        shown = run("convert", str(path), "b.csv")
        assert shown.exit_code == 1
        assert shown.output.startswith(f"idealrank: error: {path}:1:1: {what}")
    assert "give --from letor|subtopics|qrels|msmarco|run|parquet|rank_eval|json|csv" in shown.output


def test_from_and_to_win_over_names(tmp_path: Path) -> None:
    assert converted(tmp_path, QRELS, "run.txt", "b.dat", "--from", "qrels", "--to", "qrels")[0] == QRELS
    assert converted(tmp_path, CSV, "data.csv.txt", "b.dat", "--from", "csv", "--to", "qrels")[0] == QRELS


def test_group_sizes_and_sparse_features_are_for_letor_text(tmp_path: Path) -> None:
    (tmp_path / "sizes").write_text("1\n2\n")
    plain, sizes = "2 1:1\n0 3:1\n1 1:2\n", str(tmp_path / "sizes")
    written, _ = converted(tmp_path, plain, "a.txt", "b.txt", "--group", sizes, "--sparse")
    assert written == "2 qid:0 1:1\n0 qid:1 3:1\n1 qid:1 1:2\n"
    shown = run("convert", "a.csv", "b.txt", "--sparse")
    assert shown.exit_code == 2
    assert "--sparse and --group are for LETOR text, and A is CSV" in shown.stderr


@pytest.mark.parametrize(("source", "target"), [("a.txt", "b.run"), ("a.run", "b.txt"), ("a.run", "b.qrels")])
def test_what_cannot_become_another_kind_is_a_usage_error(source: str, target: str) -> None:
    shown = run("convert", source, target)
    assert shown.exit_code == 2
    assert "cannot become" in shown.stderr


def test_a_failed_conversion_leaves_the_target_as_it_was(tmp_path: Path) -> None:
    a, b = tmp_path / "a.txt", tmp_path / "b.csv"
    a.write_text(LETOR + "x qid:8 1:4\n")
    b.write_text("before")
    shown = run("convert", str(a), str(b))
    assert shown.exit_code == 1
    assert shown.output.startswith(f"idealrank: error: {a}:4:1: ")
    assert shown.output.count("\n") == 1
    a.write_text("1 qid:7 #docid = d1\n0 qid:7\n")  # judgments need an id for each document
    shown = run("convert", str(a), str(b), "--to", "qrels")
    assert shown.exit_code == 1
    assert b.read_text() == "before"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.txt", "b.csv"]


@posix_only
def test_a_target_that_cannot_be_written_fails_before_the_source_is_read(tmp_path: Path) -> None:
    for target, what in [(tmp_path / "no" / "b.csv", "there is no folder"), (tmp_path, "is a folder")]:
        shown = run("convert", "missing.txt", str(target), "--to", "csv")
        assert shown.exit_code == 1
        assert shown.output.startswith(f"idealrank: error: {target}: {what}")
    assert run("convert", "missing.txt", "-", "--to", "csv").output == "idealrank: error: missing.txt: no such file\n"
