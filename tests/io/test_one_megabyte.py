"""No file of 1 MB takes time or memory out of proportion to be recognized, and read or refused."""

import gzip
import json
import lzma
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

SIZE = 1_000_000
#: Parts of files that are repeated: blanks, digits, brackets and quotes, and the lines of every format, whole and cut.
PARTS = r"""\n 1 1\n \x20 \t \r \r\n , ,\n " "" { [ [[ {"a": [1, q\x200\x20d\x201\n q\x200\x20d q\x20d\x201\n
1\x20qid:1\x201:1\n 1\x20qid:1\x20 1\x20qid:1\x201:1\x20 qid: # #\n #\x20\n a,b\n a\tb\n a\tb\t1\n 1.0e - -- +1\n 0x1\n
nan\n \x00 \xff q\x20Q0\x20d\x201\x201\x20t\n q\x20Q0\x20d\x201\x201\x20t\x20 q\x200\x20d\x201\x201\x20t\n "a":1,
\x1f\x8b PAR1 {} [] {}\n []\n [1]\n {"q":{"d":1}}\n {"query_id":"q","doc_id":"d","score":1}\n a\x20 \x20a a\n \x20\n
\n\x20 1\x20 1, 1,\x20 q\td\t1\n 1:1\x20 e ' \\ \\u \x0b \x0c q,d,1\n <a>"""
#: What compressed files hold: they would grow to 40 MB.
GROWING = [
    b"\n",
    b"1",
    b"q 0 d 1\n",
    b"q Q0 d 1 1 t\n",
    b'{"q":{"d":1},',
    b"[",
    b"q,d,1\n",
    b"1 qid:1 1:1\n",
    b" ",
    b'"',
]

#: Reads small files, which imports what is needed; then each file in a child of its own, whose memory is measured.
CHILD = """
import json, os, sys, time
import pyarrow, pandas
import idealrank as ir
from idealrank.errors import IdealrankError

def status(name):
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) / 1024 for line in file if line.startswith(name))

def read(path, is_run):
    try:
        ir.evaluate({"q": {"d": 1}}, path, "ap") if is_run else ir.evaluate(path, {"q": {"d": 1}}, "ap")
    except IdealrankError:
        pass

*small, folder = sys.argv[1:]
for path in small:
    read(path, True)
    read(path, False)
for path in sorted(os.scandir(folder), key=lambda each: each.name):
    for is_run in (True, False):
        reading, writing = os.pipe()
        if os.fork() == 0:
            with open("/proc/self/clear_refs", "w") as file:
                file.write("5")  # the peak begins here
            before, began = status("VmHWM"), time.process_time()
            read(path.path, is_run)
            found = [path.name, is_run, time.process_time() - began, status("VmHWM") - before]
            os.write(writing, json.dumps(found).encode())
            os._exit(0)
        os.close(writing)
        print(os.read(reading, 4096).decode(), flush=True)
        os.close(reading)
        os.wait()
"""


def contents() -> Iterator[tuple[str, bytes]]:
    """Yield hostile and unusual files of about 1 MB, or that a compressed file of less would grow to."""
    for part in PARTS.split():
        unit = part.encode().decode("unicode_escape").encode("latin-1")
        yield part, unit * (SIZE // len(unit))
    for unit in GROWING:
        for name, compress in (("gzip", gzip.compress), ("xz", lzma.compress)):
            yield f"{name} of {unit!r}", compress(unit * (40 * SIZE // len(unit)))
    numbers = range(60_000)
    yield "documents in JSON", json.dumps({"q": {f"d{i}": 1 for i in numbers}}).encode()
    yield "queries in JSON", json.dumps({f"q{i}": {"d": 1} for i in numbers}).encode()
    yield "records of one key each", json.dumps([{f"k{i}": 1} for i in numbers]).encode()
    yield "pairs in JSON", json.dumps({"q": [["d", 1]] * 90_000}).encode()
    yield "empty objects", json.dumps([{}] * 250_000).encode()
    yield "empty lists", json.dumps([[]] * 250_000).encode()
    yield "an object in an object", b'{"q":' * 5_000 + b"1" + b"}" * 5_000
    yield "one key again and again", b'{"q":{' + b'"d":1,' * 160_000 + b'"d":1}}'
    yield "columns", (",".join(f"c{i}" for i in numbers) + "\n" + "1," * 60_000 + "1\n").encode()
    yield "queries in CSV", b"query_id,doc_id,score\n" + b"".join(b"q%d,d,1\n" % i for i in numbers)
    yield "features", b"1 qid:1 " + b" ".join(b"%d:1" % i for i in range(1, 100_000)) + b"\n"
    yield "the last feature", b"1 qid:1 100000:1\n" * 58_000
    yield "queries in LETOR text", b"".join(b"1 qid:%d 1:1\n" % i for i in numbers)
    yield "queries in judgments", b"".join(b"q%d 0 d 1\n" % i for i in numbers)
    yield "documents in a run", b"".join(b"q Q0 d%d 1 1 t\n" % i for i in numbers)
    yield "long ids", b"".join(b"q Q0 " + b"d" * 5_000 + b"%d 1 1 t\n" % i for i in range(190))


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="memory is measured by /proc")
def test_a_file_of_one_megabyte_takes_little_time_and_memory(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    pytest.importorskip("pandas")
    names = {}
    (tmp_path / "files").mkdir()
    for number, (name, content) in enumerate(contents()):
        names[f"{number:03}"] = name
        (tmp_path / "files" / f"{number:03}").write_bytes(content)
    small = {"run.txt": "q Q0 d 1 1 t\n", "x.csv": "query_id,doc_id,score\nq,d,1\n", "x.json": '{"q":{"d":1}}'}
    for name, text in small.items():
        (tmp_path / name).write_text(text)
    command = [sys.executable, "-c", CHILD, *(str(tmp_path / name) for name in small), str(tmp_path / "files")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(found) == 2 * len(names)
    for number, is_run, seconds, megabytes in found:
        what = f"{names[number]} as {'a run' if is_run else 'judgments'}: {seconds:.2f} s, {megabytes:.0f} MB"
        print(what)
        assert seconds < 10, what  # quadratic: minutes; measured: below 1 s
        assert megabytes < 150, what  # measured: below 100
