"""What is in a file or a model runs no code, opens no other file and uses no network: SECURITY.md promises it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("sklearn")
from idealrank.learners import LinearRanker, save

WORDS = ["evil:run", "__import__('evil')", "cos\\nsystem\\n(S'touch ran'\\ntR.", "$(touch ran)", "secret.txt"]
WORDS += ["file:///etc/passwd", "http://127.0.0.1:9/x", "//127.0.0.1/share", "|touch ran", "!include secret.txt"]
#: Each reads a file of its own in a child process; W stands for a hostile word.
FILES = {
    "qrels.txt": "W W W 1\nW 0 d 0\n",
    "run.txt": "W Q0 W 1 2 W\nW Q0 d 2 1 W\n",
    "letor.txt": "1 qid:W 1:1 #W\n0 qid:W 1:2 #W\n",
    "table.csv": 'qid,doc,"W",label\n"W","W",1,1\n"W",d,2,0\n',
    "nested.json": '{"W": {"W": 1, "$ref": 0}}',
    "text.json": '"W"',
    "list.json": '["W", "W"]',
    "bad.json": '{"$ref": "W", "__class__": "W"}',
    "bad.txt": "W",
}

#: Reads plain files first, which imports all that is needed; then reports what hostile ones cause beyond their opening.
CHILD = """
import json, os, sys
import idealrank as ir
from idealrank.errors import IdealrankError

def read(path):
    for reading in (lambda: ir.evaluate(path, {"q": {"d": 1}}, "rr"), lambda: ir.learners.load(path)):
        try:
            reading()
        except IdealrankError:
            pass

plain, hostile = json.loads(sys.argv[1])
for path in plain:
    read(path)
events = []
WATCHED = ("open", "os.", "subprocess.", "socket.", "urllib.", "pickle.", "ctypes.", "exec", "compile", "shutil.")
def watch(event, args):
    if event.startswith(WATCHED) and current is not None and not (event == "open" and args[0] == current):
        events.append((current, event, repr(args)))
current = None
sys.addaudithook(watch)
for current in hostile:
    read(current)
current = None
print(json.dumps([events, "evil" in sys.modules]))
"""


def written(folder: Path, word: str) -> list[str]:
    """Write all files with this word in them, and models."""
    folder.mkdir()
    for name, text in FILES.items():
        quoted = json.dumps(word)[1:-1] if name.endswith("json") else word.replace(" ", "_")
        (folder / name).write_text(text.replace("W", quoted))
    ranker = LinearRanker(max_iter=1).fit([[1.0], [0.0]], [1, 0], qid=[0, 0])
    save(ranker, folder / "model.json")
    model = json.loads((folder / "model.json").read_text())
    for option in ("loss", "measure", "normalize"):
        changed = {**model, "options": {**model["options"], option: word}}
        (folder / f"{option}.model.json").write_text(json.dumps(changed))
    (folder / "learner.model.json").write_text(json.dumps({**model, "learner": word}))
    return sorted(map(str, folder.iterdir()))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:LinearRanker did not converge")
def test_hostile_words_run_nothing_and_open_nothing(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    (tmp_path / "evil.py").write_text("open('ran', 'w').close()\ndef run(*_): pass\n")
    (tmp_path / "secret.txt").write_text("q 0 d 1\n")
    plain = written(tmp_path / "plain", "q")
    hostile = [path for i, word in enumerate(WORDS) for path in written(tmp_path / str(i), word)]
    command = [sys.executable, "-c", CHILD, json.dumps([plain, hostile])]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    events, is_imported = json.loads(done.stdout.splitlines()[-1])
    assert not events
    assert not is_imported
    assert not (tmp_path / "ran").exists()


def test_the_tests_that_security_names_are_there() -> None:
    root = Path(__file__).parents[2]
    named = re.findall(r"`((?:tests|cpp)/[\w./]+)`", (root / "SECURITY.md").read_text())
    assert len(named) > 10
    assert [path for path in named if not (root / path).exists()] == []
