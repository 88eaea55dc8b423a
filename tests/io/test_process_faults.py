"""Signals inside a write, a full disk, read-only folders and few open files: the old file stays, the error names it."""

import os
import shutil
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

import idealrank as ir

pytestmark = pytest.mark.skipif(os.name == "nt", reason="POSIX signals, limits and users")

WRITERS = """
import errno, os, resource, sys
import numpy as np
import idealrank as ir

numbers = np.random.default_rng(0).random(3_000)
qrels = {f"q{i}": {os.urandom(8).hex(): 1} for i in range(3_000)}
data = ir.from_arrays(np.ones(100), group=[10] * 10, features=numbers.reshape(100, 30))
WRITERS = {
    "scores": lambda path: ir.io.write_scores(numbers, path),
    "scores.gz": lambda path: ir.io.write_scores(numbers, path),
    "qrels": lambda path: ir.io.write_qrels(ir.Qrels(qrels), path),
    "run.xz": lambda path: ir.io.write_run(ir.Run(qrels), path),
    "letor": lambda path: ir.io.write_letor(data, path),
}


def write_old(folder):
    for name in WRITERS:
        with open(os.path.join(folder, name), "w") as file:
            file.write("before")


def check_failures(folder, *numbers):
    '''Each writer fails with one of these errors, which names the file; the old file stays, and no other is left.'''
    for name, write in WRITERS.items():
        path = os.path.join(folder, name)
        try:
            write(path)
        except OSError as error:
            assert error.errno in numbers and error.filename == path, repr(error)
        else:
            raise AssertionError(f"{name} was written")
        assert open(path).read() == "before"
    assert sorted(os.listdir(folder)) == sorted(WRITERS)
    print("as promised")
"""


def run_child(script: str, *args: object, launcher: tuple[str, ...] = ()) -> str:
    """Return what a script that has the writers prints."""
    command = [*launcher, sys.executable, "-c", WRITERS + textwrap.dedent(script), *map(str, args)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr
    return done.stdout


def test_a_full_disk_leaves_the_old_file(tmp_path: Path) -> None:
    script = """
    write_old(sys.argv[1])
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))  # as a disk with room for 1,000 bytes
    check_failures(sys.argv[1], errno.EFBIG)
    """
    assert run_child(script, tmp_path) == "as promised\n"


def test_a_full_file_system_leaves_the_old_file(tmp_path: Path) -> None:
    mount = ["unshare", "-rm", "sh", "-c", 'mount -t tmpfs -o size=32k none "$0" && exec "$@"', str(tmp_path)]
    if shutil.which("unshare") is None or subprocess.run([*mount, "true"], capture_output=True, check=False).returncode:
        pytest.skip("this system lets no test mount a file system")
    script = """
    write_old(sys.argv[1])
    check_failures(sys.argv[1], errno.ENOSPC)
    """
    assert run_child(script, tmp_path, launcher=tuple(mount)) == "as promised\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is always full")
@pytest.mark.parametrize("name", ["/dev/full", "-"])
def test_a_full_device_is_an_error_of_the_command(tmp_path: Path, name: str) -> None:
    (tmp_path / "a.qrels").write_text("".join(f"q1 0 d{i} 1\n" for i in range(30_000)))
    command = [sys.executable, "-m", "idealrank", "convert", str(tmp_path / "a.qrels"), name, "--to", "qrels"]
    with open("/dev/full", "wb") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    place = "" if name == "-" else "/dev/full: "
    assert (done.returncode, done.stderr) == (1, f"idealrank: error: {place}no space left on device\n")


@pytest.fixture
def shared_folder() -> Iterator[Path]:
    """A folder that other users can reach, unlike those of pytest."""
    with TemporaryDirectory() as name:
        os.chmod(name, 0o777)
        yield Path(name)


def test_without_rights_nothing_is_written(shared_folder: Path) -> None:
    script = """
    folder, sealed = sys.argv[1], os.path.join(sys.argv[1], "sealed")
    os.mkdir(sealed)
    os.chmod(sealed, 0o755)  # whatever the umask
    write_old(folder)
    write_old(sealed)
    for name, write in WRITERS.items():  # imports what it needs: another user may not read the packages
        write(os.path.join(folder, "first"))
        os.unlink(os.path.join(folder, "first"))
        os.chmod(os.path.join(folder, name), 0o444)
        os.chmod(os.path.join(sealed, name), 0o666)
    if os.geteuid() == 0:
        try:
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)
        except OSError:
            sys.exit(print("still root"))
    else:
        os.chmod(sealed, 0o555)
    check_failures(sealed, errno.EACCES)
    for name, write in WRITERS.items():
        try:
            write(os.path.join(folder, name))
        except PermissionError as error:
            assert error.filename == os.path.join(folder, name)
        else:
            raise AssertionError(f"{name} was replaced")
    """
    printed = run_child(script, shared_folder)
    if printed == "still root\n":
        pytest.skip("root cannot become another user here")
    assert printed == "as promised\n"


def test_32_open_files_suffice(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("q 0 a 1\nq 0 b 0\n")
    for number in range(40):
        (tmp_path / f"{number}.run").write_text(f"q Q0 a 1 1.0 t\nq Q0 b 2 {number / 20} t\n")
    script = """
    resource.setrlimit(resource.RLIMIT_NOFILE, (32, 32))
    folder = sys.argv[1]
    runs = [os.path.join(folder, f"{number}.run") for number in range(40)]
    print(len(ir.evaluate(os.path.join(folder, "qrels"), runs, "ndcg").mean))
    for number in range(40):
        ir.io.write_scores([1.0], os.path.join(folder, "scores.gz"))
        ir.io.read_scores(os.path.join(folder, "scores.gz"))
    """
    assert run_child(script, tmp_path) == "40\n"


@pytest.mark.parametrize("number", [signal.SIGTERM, pytest.param(signal.SIGKILL, marks=pytest.mark.slow)])
@pytest.mark.parametrize("moment", ["fsync", "chmod", "replace"])
def test_a_signal_inside_a_write_leaves_the_old_file(tmp_path: Path, moment: str, number: signal.Signals) -> None:
    path, source = tmp_path / "out.qrels", tmp_path / "in.qrels"
    path.write_text("before")
    source.write_text("q1 0 d1 1\n")
    script = f"""
import os
from pathlib import Path
from idealrank.cli import main

def killed(*args, then=os.{moment}):
    (temporary,) = Path({str(tmp_path)!r}).glob(".out.qrels.*")
    assert temporary.read_text() == "q1 0 d1 1\\n"  # inside the write: complete, and not yet in place
    os.kill(os.getpid(), {int(number)})
    return then(*args)

os.{moment} = killed
main(["convert", {str(source)!r}, {str(path)!r}])
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)
    assert done.returncode == (143 if number == signal.SIGTERM else -number), done.stderr
    assert path.read_text() == "before"
    left = [each for each in tmp_path.iterdir() if each not in (path, source)]
    assert len(left) == (number == signal.SIGKILL)  # nobody can clean up after that; the next output does
    ir.io.write_qrels(ir.Qrels({"q": {"d": 1}}), path)
    assert sorted(tmp_path.iterdir()) == sorted([path, source])
