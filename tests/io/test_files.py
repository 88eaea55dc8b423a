import gzip
import io
import lzma
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import idealrank as ir
from idealrank.errors import ParseError
from idealrank.io.files import atomic_output

TEXT = b"q1 0 d1 2\nq1 0 d2 0\n"
COMPRESSORS: list[Callable[[bytes], bytes]] = [bytes, gzip.compress, lzma.compress]


@pytest.mark.parametrize("compress", COMPRESSORS)
def test_compressed_files_are_known_by_their_bytes(tmp_path: Path, compress: Callable[[bytes], bytes]) -> None:
    path = tmp_path / "no-ending"
    path.write_bytes(compress(TEXT))
    assert ir.read_qrels(path) == ir.read_qrels(io.BytesIO(TEXT))
    with path.open("rb") as file:
        assert ir.read_qrels(file) == ir.read_qrels(str(path))


@pytest.mark.parametrize("compress", COMPRESSORS)
def test_standard_input_is_a_dash(compress: Callable[[bytes], bytes]) -> None:
    script = "import idealrank as ir; print(ir.read_qrels('-').to_dict())"
    done = subprocess.run([sys.executable, "-c", script], input=compress(TEXT), capture_output=True, check=True)
    assert done.stdout.decode().strip() == "{'q1': {'d1': 2.0, 'd2': 0.0}}"


@pytest.mark.parametrize("compress", [gzip.compress, lzma.compress])
def test_a_damaged_file_is_a_parse_error(tmp_path: Path, compress: Callable[[bytes], bytes]) -> None:
    whole = compress(TEXT * 10_000)
    for name, damaged in (("cut", whole[: len(whole) // 2]), ("flipped", whole[:40] + b"\x00\xff\x00" + whole[43:])):
        path = tmp_path / name
        path.write_bytes(damaged)
        with pytest.raises(ParseError, match=f"^{path}:.*(damaged or cut short|fields|label)"):
            ir.read_qrels(path)


def test_a_missing_file_and_a_folder_are_os_errors(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"nowhere\.txt"):
        ir.read_letor(tmp_path / "nowhere.txt")
    with pytest.raises(IsADirectoryError):
        ir.read_letor(tmp_path)
    with pytest.raises(IsADirectoryError, match="give the name of a file in it"):
        ir.write_scores([1.0], tmp_path)


def test_a_file_open_as_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(TEXT)
    with (tmp_path / "x").open() as file, pytest.raises(TypeError, match="binary mode"):
        ir.read_qrels(file)  # type: ignore[arg-type]


def test_a_file_without_line_ends_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("idealrank.io.files._BLOCK_SIZE", 1 << 10)
    monkeypatch.setattr("idealrank.io.files._LONGEST_LINE", 1 << 12)
    with pytest.raises(ParseError, match=r"^<file>:2:1: no line end"):
        ir.read_qrels(io.BytesIO(TEXT[:10] + b"x" * 10_000))


def test_progress_counts_stored_bytes(tmp_path: Path) -> None:
    path = tmp_path / "x.gz"
    path.write_bytes(gzip.compress(TEXT * 1000))
    seen: list[tuple[int, int | None]] = []
    ir.read_qrels(path, progress=lambda done, size: seen.append((done, size)))
    assert seen[-1] == (path.stat().st_size, path.stat().st_size)
    seen.clear()
    ir.read_qrels(io.BytesIO(TEXT), progress=lambda done, size: seen.append((done, size)))
    assert seen[-1][1] is None


def test_output_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    path.write_text("before")

    def fail() -> None:
        with atomic_output(path) as file:
            file.write(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]
    with atomic_output(path) as file:
        file.write(b"whole")
    assert path.read_text() == "whole"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(os.name == "nt", reason="POSIX permissions")
def test_output_has_the_permissions_of_a_plain_file(tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("")
    with atomic_output(tmp_path / "ours") as file:
        file.write(b"")
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "plain").stat().st_mode


@pytest.mark.parametrize(("ending", "module"), [(".gz", gzip), (".xz", lzma)])
def test_output_is_compressed_by_its_ending_and_the_same_each_time(tmp_path: Path, ending: str, module: object) -> None:
    paths = [tmp_path / f"{name}{ending}" for name in "ab"]
    for path in paths:
        ir.write_scores([1.0, 0.5], path)
    assert module.decompress(paths[0].read_bytes()) == b"1.0\n0.5\n"  # type: ignore[attr-defined]
    assert paths[0].read_bytes() == paths[1].read_bytes()


@pytest.mark.skipif(os.name == "nt", reason="POSIX special files")
def test_what_is_not_a_regular_file_stays_what_it_is(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE) as reader:
        ir.write_scores([1.0, 2.0], pipe)
        assert reader.communicate()[0] == b"1.0\n2.0\n"
    assert pipe.is_fifo()


def test_an_impossible_target_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"nowhere.x\.txt"):
        ir.write_scores([1.0], tmp_path / "nowhere" / "x.txt")


def test_all_of_it_goes_to_standard_output() -> None:
    script = "import idealrank as ir, numpy as np; ir.write_scores(np.zeros(1_000_000), '-')"
    done = subprocess.run([sys.executable, "-u", "-c", script], capture_output=True, check=True)
    assert done.stdout == b"0.0\n" * 1_000_000


@pytest.mark.parametrize("compress", COMPRESSORS)
def test_a_byte_order_mark_is_passed_over(compress: Callable[[bytes], bytes]) -> None:
    assert ir.read_qrels(io.BytesIO(compress(b"\xef\xbb\xbf" + TEXT))) == ir.read_qrels(io.BytesIO(TEXT))
