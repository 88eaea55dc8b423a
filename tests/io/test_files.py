import bz2
import gzip
import io
import json
import lzma
import os
import signal
import stat
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import idealrank as ir
from idealrank.errors import ParseError
from idealrank.io.files import atomic_output
from idealrank.io.nested_json import read_json

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
        ir.io.write_scores([1.0], tmp_path)


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
        ir.io.write_scores([1.0, 0.5], path)
    assert module.decompress(paths[0].read_bytes()) == b"1.0\n0.5\n"  # type: ignore[attr-defined]
    assert paths[0].read_bytes() == paths[1].read_bytes()


@pytest.mark.skipif(os.name == "nt", reason="POSIX special files")
def test_what_is_not_a_regular_file_stays_what_it_is(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE) as reader:
        ir.io.write_scores([1.0, 2.0], pipe)
        assert reader.communicate()[0] == b"1.0\n2.0\n"
    assert pipe.is_fifo()


def test_an_impossible_target_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"nowhere.x\.txt"):
        ir.io.write_scores([1.0], tmp_path / "nowhere" / "x.txt")


def test_all_of_it_goes_to_standard_output() -> None:
    script = "import idealrank as ir, numpy as np; ir.io.write_scores(np.zeros(1_000_000), '-')"
    done = subprocess.run([sys.executable, "-u", "-c", script], capture_output=True, check=True)
    assert done.stdout == b"0.0\n" * 1_000_000


@pytest.mark.parametrize("compress", COMPRESSORS)
def test_a_byte_order_mark_is_passed_over(compress: Callable[[bytes], bytes]) -> None:
    assert ir.read_qrels(io.BytesIO(compress(b"\xef\xbb\xbf" + TEXT))) == ir.read_qrels(io.BytesIO(TEXT))


SECOND = b"q2 0 d1 1\n"
STREAMS = pytest.mark.parametrize("compress", [lzma.compress, bz2.compress], ids=["xz", "bz2"])


@STREAMS
@pytest.mark.parametrize("padding", [b"", b"\0" * 4, b"\0" * 100_000])
def test_all_streams_of_a_file_are_read(compress: Callable[[bytes], bytes], padding: bytes) -> None:
    qrels = ir.read_qrels(io.BytesIO(compress(TEXT) + padding + compress(SECOND) + padding))
    assert list(qrels) == ["q1", "q2"]


@STREAMS
@pytest.mark.parametrize("damage", ["cut at the end", "cut at the beginning", "changed", "lines", "a few bytes"])
def test_nothing_after_the_first_stream_is_lost(compress: Callable[[bytes], bytes], damage: str) -> None:
    second = compress(SECOND)
    after = {
        "cut at the end": second[:-4],
        "cut at the beginning": second[:8],
        "changed": second[:30] + b"\xff" + second[31:],
        "lines": SECOND * 20,
        "a few bytes": b"x",
    }
    with pytest.raises(ParseError, match="damaged or cut short"):
        ir.read_qrels(io.BytesIO(compress(TEXT) + after[damage]))


@pytest.mark.parametrize("after", [b"\0" * 3 + lzma.compress(SECOND), b"\0"])
def test_the_padding_of_an_xz_file_is_a_multiple_of_four_bytes(after: bytes) -> None:
    with pytest.raises(ParseError, match="damaged or cut short"):
        ir.read_qrels(io.BytesIO(lzma.compress(TEXT) + after))


@STREAMS
def test_many_streams_are_no_deep_recursion(compress: Callable[[bytes], bytes]) -> None:
    qrels = ir.read_qrels(io.BytesIO(compress(b"") * 3000 + compress(SECOND)))
    assert list(qrels) == ["q2"]


@pytest.mark.parametrize("compress", COMPRESSORS)
@pytest.mark.parametrize("change", ["cut", "grown"])
def test_a_file_that_changes_while_it_is_read_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, compress: Callable[[bytes], bytes], change: str
) -> None:
    monkeypatch.setattr("idealrank.io.files._BLOCK_SIZE", 1 << 10)
    path = tmp_path / "x"
    # Numbers that hardly repeat, so that the compressed file is longer than what is read ahead.
    path.write_bytes(compress(b"".join(b"q1 0 %x 1\n" % (i * 0x9E3779B97F4A7C15 % 2**64) for i in range(40_000))))
    size = path.stat().st_size
    seen: list[int] = []

    def progress(done: int, size: int | None) -> None:
        if not seen:
            seen.append(done)
            if change == "cut":
                os.truncate(path, (size or 0) // 2)
            else:
                with path.open("ab") as file:
                    file.write(compress(b"q1 0 last 1\n"))

    what = "(changed while it was read|damaged or cut short)" if change == "cut" else "changed while it was read"
    with pytest.raises(ParseError, match=f"^{path}:.*{what}"):
        ir.read_qrels(path, progress=progress)
    assert seen[0] < size


@pytest.mark.parametrize("compress", COMPRESSORS[1:])
def test_a_file_that_was_opened_by_a_decompressor_is_read_to_its_end(
    tmp_path: Path, compress: Callable[[bytes], bytes]
) -> None:
    path = tmp_path / "x"
    path.write_bytes(compress(TEXT * 1000))
    with gzip.open(path) if compress is gzip.compress else lzma.open(path) as file:
        assert ir.read_qrels(file) == ir.read_qrels(io.BytesIO(TEXT))  # type: ignore[arg-type]


@pytest.mark.parametrize("compress", COMPRESSORS)
def test_short_reads_are_no_end(compress: Callable[[bytes], bytes]) -> None:
    class Slow(io.RawIOBase):
        def __init__(self) -> None:
            self.rest = compress(TEXT)

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]
            piece, self.rest = self.rest[:1], self.rest[1:]
            buffer[: len(piece)] = piece
            return len(piece)

    assert ir.read_qrels(Slow()) == ir.read_qrels(io.BytesIO(TEXT))  # type: ignore[call-overload]

    class OnlyRead:
        def __init__(self) -> None:
            self.file = io.BytesIO(compress(TEXT))

        def read(self, size: int) -> bytes:
            return self.file.read(size)

    assert ir.read_qrels(OnlyRead()) == ir.read_qrels(io.BytesIO(TEXT))  # type: ignore[call-overload]


@pytest.mark.skipif(os.name == "nt", reason="POSIX pipes")
@pytest.mark.parametrize("start", [b"", TEXT, gzip.compress(TEXT, mtime=0)[:12]])
def test_a_stream_that_does_not_wait_is_a_parse_error(start: bytes) -> None:
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    os.write(writing, start)
    for buffering in (0, -1):
        with open(os.dup(reading), "rb", buffering) as file, pytest.raises(ParseError, match="non-blocking"):
            ir.read_qrels(file)
    os.close(reading)
    os.close(writing)


@pytest.mark.slow
def test_a_file_that_grows_out_of_proportion_is_refused() -> None:
    readers: dict[Callable[[Any], Any], tuple[bytes, bytes]] = {
        ir.read_letor: (b"", b"0 qid:1 1:1\n"),
        ir.read_qrels: (b"", b"q 0 d 1\n"),
        ir.read_run: (b"", b"q 0 d 1 1 t\n"),
        ir.io.read_scores: (b"", b"0\n"),
        ir.io.read_csv: (b"qid,label\n", b"1,0\n"),
        read_json: (b"{", b'"q": {"d": 1}, '),
    }
    for place, (reader, (head, line)) in enumerate(readers.items()):
        compress = COMPRESSORS[1 + place % (len(COMPRESSORS) - 1)]
        bomb = compress(head + line * ((20 << 20) // len(line)))
        with pytest.raises(ParseError, match="more than 100 times its size; if that is right, decompress it first"):
            reader(io.BytesIO(bomb))
    assert ir.io.read_scores(io.BytesIO(gzip.compress(b"0\n" * (4 << 20)))).size == 4 << 20  # harmless


def test_many_equal_rows_and_many_short_columns_are_refused(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    column = pa.nulls(2_000_000, pa.int8()).fill_null(1)
    pq.write_table(pa.table({"qid": column, "doc": column, "label": column}), tmp_path / "x.parquet")
    with pytest.raises(ParseError, match=r"x\.parquet:.*more than 100 times its size; .* without compression"):
        ir.evaluate(tmp_path / "x.parquet", {"1": ["1"]}, "ap")
    with pytest.raises(ParseError, match="more than 100 times its size"):
        ir.io.read_parquet(tmp_path / "x.parquet", query="qid")
    names = ["qid", "doc", "label", *(f"c{i}" for i in range(12_000))]
    (tmp_path / "x.csv").write_text(f"{','.join(names)}\n{','.join('1' for _ in names)}\n")
    (tmp_path / "x.json").write_text(json.dumps([dict.fromkeys(names, 1)]))
    with pytest.raises(ParseError, match="12,003 columns need at least 400 bytes each"):
        ir.evaluate(tmp_path / "x.csv", {"1": ["1"]}, "ap")
    assert ir.evaluate(tmp_path / "x.json", {"1": ["1"]}, "ap").mean == {"ap": 1.0}  # needs memory for what it has


@pytest.mark.skipif(os.name == "nt", reason="POSIX links")
def test_a_link_stays_and_its_target_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    target, link, chain = tmp_path / "folder" / "target", tmp_path / "link", tmp_path / "chain"
    link.symlink_to(Path("folder") / "target")
    chain.symlink_to(link)
    for content in (1.0, 2.0):  # first to a target that does not exist yet
        ir.io.write_scores([content], chain)
        assert target.read_text() == f"{content}\n"
        assert link.is_symlink()
        assert chain.is_symlink()
    assert [path.name for path in (tmp_path / "folder").iterdir()] == ["target"]


@pytest.mark.skipif(os.name == "nt", reason="POSIX permissions")
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o644, 0o777])
def test_an_output_keeps_the_permissions_of_what_it_replaces(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "x"
    path.touch()
    path.chmod(mode)
    ir.io.write_scores([1.0], path)
    assert stat.S_IMODE(path.stat().st_mode) == mode


@pytest.mark.skipif(os.name == "nt", reason="POSIX permissions")
def test_a_new_output_has_the_permissions_of_the_umask_in_any_thread(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        threads = [threading.Thread(target=ir.io.write_scores, args=([1.0], tmp_path / str(n))) for n in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert os.umask(0o027) == 0o027
    finally:
        os.umask(before)
    assert {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()} == {0o640}


def test_names_as_long_as_the_system_allows(tmp_path: Path) -> None:
    for name in ("x" * 255, "é" * 127, "x" * 251 + ".gz"):
        ir.io.write_scores([1.0], tmp_path / name)
        assert ir.io.read_scores(tmp_path / name).tolist() == [1.0]
    assert len(list(tmp_path.iterdir())) == 3


def test_the_content_is_on_the_disk_before_it_has_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    sync, replace = os.fsync, os.replace

    def seen(handle: int) -> None:
        calls.append(f"sync {os.fstat(handle).st_size if stat.S_ISREG(os.fstat(handle).st_mode) else 'folder'}")
        sync(handle)

    monkeypatch.setattr(os, "fsync", seen)

    def replaced(*names: Any) -> None:
        calls.append("replace")
        replace(*names)

    monkeypatch.setattr(os, "replace", replaced)
    ir.io.write_scores([1.0, 2.0], tmp_path / "x")
    assert calls[:2] == ["sync 8", "replace"]


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
def test_what_a_killed_process_left_is_removed_by_the_next_output(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    script = """
import sys, time
from idealrank.io.files import atomic_output
from idealrank.io.nested_json import read_json
with atomic_output(sys.argv[1]) as file:
    file.write(b"half")
    file.flush()
    print("written", flush=True)
    time.sleep(600)
"""
    command = [sys.executable, "-c", script, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as killed:
        assert killed.stdout is not None
        assert killed.stdout.readline() == b"written\n"
        (left,) = tmp_path.iterdir()
        ir.io.write_scores([1.0], path)  # what is in use stays
        assert sorted(tmp_path.iterdir()) == sorted([left, path])
        ir.io.write_scores([1.0], tmp_path / "y.txt")
        killed.send_signal(signal.SIGKILL)
    ir.io.write_scores([2.0], tmp_path / "y.txt")  # another target is no reason
    assert left.exists()
    ir.io.write_scores([2.0], path)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["x.txt", "y.txt"]
