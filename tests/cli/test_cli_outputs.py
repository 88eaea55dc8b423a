"""What commands write: never onto their input, and through links and devices."""

import io
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from idealrank.cli.group import commands
from idealrank.cli.support.failures import Failure, Interrupted
from idealrank.io.files import _descriptor_of

LETOR = "".join(
    f"{label} qid:{query} 1:{label + query / 8} 2:{label * query}\n" for query in (1, 2) for label in (0, 1)
)
posix_only = pytest.mark.skipif(os.name == "nt", reason="POSIX files")


def run(*args: str) -> Result:
    return CliRunner().invoke(commands, list(args), prog_name="idealrank")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "data.txt"
    path.write_text(LETOR)
    (tmp_path / "scores.txt").write_text("1\n0\n1\n0\n")
    return path


@pytest.mark.parametrize(
    "command",
    [
        "train {data} -o {data}",
        "train {data} --valid {link} -o {data}",
        "train {data} -o {folder}/model.json --html {data}",
        "train {data} -o {folder}/same --html {folder}/same",
        "score {model} {data} -o {data}",
        "score {model} {data} -o {model}",
        "convert {data} {data} --to letor",
        "convert {data} {link} --to letor",
        "convert {data} {folder}/./data.txt",
        "evaluate {data} {scores} --html {scores}",
        "evaluate {data} mine={scores} --html {scores}",
        "compare {data} {scores} {scores} --html {data}",
        "limits {data} {scores} --html {data}",
        "limits {data} {drawn} --plot {drawn}",
        "distinguish {data} {scores} {drawn} --plot {drawn}",
    ],
)
def test_a_command_does_not_write_onto_its_input(data: Path, tmp_path: Path, command: str) -> None:
    model, link = tmp_path / "model.json", tmp_path / "link.txt"
    link.hardlink_to(data)
    if "score " in command:
        assert run("train", str(data), "-o", str(model), "-q").exit_code == 0
    scores, drawn = tmp_path / "scores.txt", tmp_path / "scores.svg"
    drawn.write_bytes(scores.read_bytes())  # the name of a picture
    paths = {"data": data, "model": model, "link": link, "folder": tmp_path, "scores": scores, "drawn": drawn}
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    shown = run(*command.format(**paths).split())
    assert shown.exit_code == 1, shown.output
    assert "is also another file of this command; give the output another name" in shown.output
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_an_error_goes_to_the_file_that_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    file = io.StringIO()
    for error in (Failure("a\nb"), Interrupted("")):
        error.show(file)
    assert file.getvalue() == "idealrank: error: a b\nidealrank: interrupted\n"
    assert capsys.readouterr() == ("", "")


@posix_only
@pytest.mark.parametrize("redirected", [True, False])
def test_dev_stdout_is_standard_output(data: Path, tmp_path: Path, redirected: bool) -> None:
    # Not by its own name: a fault here would replace the device of the machine that runs the test.
    assert _descriptor_of("/dev/stdout") == 1
    link = tmp_path / "out"
    link.symlink_to("/dev/stdout")
    for target in (str(link), "/dev/fd/1"):
        command = [sys.executable, "-m", "idealrank", "convert", str(data), target, "--to", "letor", "-q"]
        with (tmp_path / "written").open("wb") as file:
            done = subprocess.run(command, stdout=file if redirected else subprocess.PIPE, check=True)
        written = (tmp_path / "written").read_bytes() if redirected else done.stdout
        assert written == LETOR.encode()
    assert link.is_symlink()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data.txt", "out", "scores.txt", "written"]


@posix_only
def test_a_pipe_may_be_the_target(data: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDWR)  # so that neither side waits for the other
    assert run("convert", str(data), str(pipe), "-q").exit_code == 0
    assert os.read(reader, 1 << 16).startswith(b'"qid","label"')
    os.close(reader)
    assert pipe.is_fifo()


@posix_only
def test_process_substitution_may_be_the_data_and_a_system(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("q1 0 a 1\nq1 0 b 0\n")
    (tmp_path / "run").write_text("q1 Q0 a 1 1 t\nq1 Q0 b 2 2 t\n")
    shell = f"{shlex.quote(sys.executable)} -m idealrank evaluate <(cat qrels) <(cat run) -m rr --format csv -q"
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("needs bash")
    done = subprocess.run([bash, "-c", shell], capture_output=True, text=True, check=False, cwd=tmp_path)
    direct = run("evaluate", str(tmp_path / "qrels"), str(tmp_path / "run"), "-m", "rr", "--format", "csv", "-q")
    assert done.stdout == direct.stdout, done.stderr


def test_convert_writes_every_query_or_fails(tmp_path: Path) -> None:
    table, target = tmp_path / "a.csv", tmp_path / "b.qrels"
    table.write_text("qid,doc,label\n#1,d1,1\nq2,d1,0\n")
    shown = run("convert", str(table), str(target))
    assert shown.exit_code == 1
    assert "a query id must not begin with '#', which marks a comment, got '#1'" in shown.output
    assert not target.exists()
    (tmp_path / "c.qrels").write_text("#1 0 d1 1\nq2 0 d1 0\n")
    shown = run("convert", str(tmp_path / "c.qrels"), str(tmp_path / "d.csv"))
    assert shown.exit_code == 0
    assert "note: 1 line begins with '#'" in shown.output


def test_convert_says_which_queries_have_no_documents(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("1 1:1\n0 1:2\n")
    (tmp_path / "a.txt.query").write_text("1\n0\n1\n")
    shown = run("convert", str(tmp_path / "a.txt"), str(tmp_path / "b.txt"))
    assert shown.exit_code == 0
    assert "left out: 1 query without documents, first 1" in shown.output


def test_trec_eval_9_has_no_comments(tmp_path: Path) -> None:
    qrels, answer = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("#1 0 d1 1\nq2 0 d1 1\n")
    answer.write_text("#1 Q0 d1 1 2 t\nq2 Q0 d1 1 2 t\n")
    common = ["trec_eval", "-m", "num_q", str(qrels), str(answer)]
    assert run(*common, "--quiet").output.split()[-1] == "1"
    assert run(*common, "--v9", "--quiet").output.split()[-1] == "2"
    qrels.write_text("# comment\nq2 0 d1 1\n")
    assert run(*common, "--v9").exit_code == 2


@posix_only
@pytest.mark.parametrize("command", ["trec_eval -q {qrels} {run}", "evaluate {qrels} {run} -m rr --format csv"])
def test_ids_command_no_terminal(tmp_path: Path, command: str) -> None:
    import pty

    (tmp_path / "qrels").write_bytes(b"q\x1b[31m\xff 0 d1 1\n")
    answer = tmp_path / "run\x1b]0;x\x07"
    answer.write_bytes(b"q\x1b[31m\xff Q0 d1 1 2 t\x1b]0;x\x07\n")
    words = command.format(qrels=tmp_path / "qrels", run=answer).split()
    arguments = [sys.executable, "-m", "idealrank", *words]
    ours, theirs = pty.openpty()
    environment = os.environ | {"NO_COLOR": "1"}
    with subprocess.Popen(
        arguments, stdout=theirs, stderr=theirs, stdin=subprocess.DEVNULL, env=environment
    ) as process:
        os.close(theirs)
        shown = b""
        while piece := _read(ours):
            shown += piece
    assert process.returncode == 0, shown
    assert b"x1b" in shown
    assert b"\x1b" not in shown.replace(b"\x1b[0m", b"")
    assert b"\x07" not in shown


def _read(handle: int) -> bytes:
    try:
        return os.read(handle, 1 << 16)
    except OSError:  # the other side of a terminal was closed
        return b""


@pytest.mark.skipif(os.name == "nt", reason="POSIX shells")
def test_a_closed_standard_output_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "q").write_text("q 0 d 1\n")
    (tmp_path / "r").write_text("q Q0 d 1 1 t\n")
    line = f"{shlex.quote(sys.executable)} -m idealrank evaluate q r >&-"
    done = subprocess.run(line, shell=True, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "standard output is closed" in done.stderr
