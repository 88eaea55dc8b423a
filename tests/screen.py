"""A command on a real pseudo-terminal, and the screen that its output makes."""

from __future__ import annotations

import functools
import json
import os
import re
import struct
import subprocess
import sys
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

_TOKEN = re.compile(r"\x1b\[([0-9;?]*)([A-Za-z])|(.)", re.DOTALL)


@dataclass
class Screen:
    """A terminal that scrolls without end: the lines that a reader sees, and what went wrong."""

    columns: int
    lines: list[dict[int, str]] = field(default_factory=lambda: [{}])
    bold: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)

    def write(self, text: str) -> None:
        """Write what a process wrote to the terminal."""
        self._at, self._is_bold = 0, False
        for parameters, command, letter in _TOKEN.findall(text):
            if command:
                self._command(parameters, command)
            elif letter == "\n":
                self.lines.append({})
            elif letter == "\r":
                self._at = 0
            elif letter == "\t":
                self._at += 8 - self._at % 8
            elif letter in "\x1b\x08":
                self.faults.append(f"moves the cursor: {letter!r}")
            else:
                self._put(letter)

    def _command(self, parameters: str, command: str) -> None:
        line = self.lines[-1]
        if command == "m":
            self._is_bold = parameters == "1"
            if self._is_bold:
                self.bold.append("")
        elif command == "K":
            if self._at == 0 and line:
                self.labels.append(self._text(line))
            for place in [place for place in line if place >= self._at]:
                del line[place]
        elif command not in "hl":
            self.faults.append(f"moves the cursor: {parameters}{command}")

    def _put(self, letter: str) -> None:
        width = 0 if unicodedata.combining(letter) else 2 if unicodedata.east_asian_width(letter) in "WF" else 1
        if self._at + width > self.columns:
            self.faults.append(f"longer than {self.columns} columns: {self._text(self.lines[-1])!r}")
            self.lines.append({})
            self._at = 0
        line = self.lines[-1]
        if line.get(self._at, letter) != letter:
            self.faults.append(f"{letter!r} overprints {self._text(line)!r}")
        if width:
            line[self._at] = letter
        if self._is_bold:
            self.bold[-1] += letter
        self._at += width

    @staticmethod
    def _text(line: dict[int, str]) -> str:
        return "".join(line.get(place, " ") for place in range(max(line, default=-1) + 1)).rstrip()

    @property
    def text(self) -> str:
        """All lines, as they are seen at the end."""
        return "\n".join(map(self._text, self.lines))


def on_a_terminal(*args: str, columns: int, folder: Path, **environment: str) -> Screen:
    """Run the command line on a pseudo-terminal of this width, in a fork of a process that has imported it."""
    outer, inner = _terminal(columns)
    request = {"terminal": os.ttyname(inner), "folder": str(folder), "args": args}
    requests, answers = _parent().stdin, _parent().stdout
    assert requests is not None
    assert answers is not None
    requests.write(json.dumps(request | {"environment": _environment() | environment}) + "\n")
    requests.flush()
    assert answers.readline() == "started\n"  # it has opened the terminal
    os.close(inner)
    ended = answers.readline
    return _shown(outer, lambda: int(ended()), columns)


def of_command(*args: str, columns: int, folder: Path, **environment: str) -> Screen:
    """Run Python with a pseudo-terminal of this width as its input and its outputs; it has to succeed."""
    outer, inner = _terminal(columns)
    child = subprocess.Popen(
        [sys.executable, *args], stdin=inner, stdout=inner, stderr=inner, cwd=folder, env=_environment() | environment
    )
    os.close(inner)
    return _shown(outer, child.wait, columns)


#: Imports are most of the time of a command. This process has no threads, so that its forks are safe.
_PARENT = """
import importlib, json, os, sys
for name in ("scipy.stats", "rich.console", "rich.table", *sys.argv[1:]):
    importlib.import_module(name)
from idealrank.cli import main

def run(request):
    os.setsid()
    terminal = os.open(request["terminal"], os.O_RDWR)
    for stream in range(3):
        os.dup2(terminal, stream)
    os.close(terminal)
    os.environ.clear()
    os.environ.update(request["environment"])
    os.chdir(request["folder"])
    sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w", encoding="utf-8"), open(2, "w", encoding="utf-8")
    os.write(told, b"started\\n")
    try:
        main(request["args"])
    except SystemExit as end:
        code = end.code or 0
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)

told = os.dup(1)
for line in sys.stdin:
    child = os.fork()
    if not child:
        run(json.loads(line))
    os.write(told, f"{os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])}\\n".encode())
"""


@functools.cache
def _parent() -> subprocess.Popen[str]:
    """Return a process, one per session, that runs the command line in forks of itself until its input ends."""
    modules = [f"idealrank.cli.commands.{name}" for name in ("compare", "distinguish", "evaluate", "explain", "limits")]
    modules += [f"idealrank.{name}" for name in ("comparison.compare", "comparison.explain", "evaluation.inputs")]
    return subprocess.Popen(
        [sys.executable, "-c", _PARENT, *modules, "idealrank.theory", "idealrank.io.trec"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=_environment(),
    )


def _terminal(columns: int) -> tuple[int, int]:
    import fcntl
    import pty
    import termios

    outer, inner = pty.openpty()
    fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    return outer, inner


def _environment() -> dict[str, str]:
    paths = [os.path.abspath(path) for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
    known = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES", "NO_COLOR")}
    return known | {"TERM": "xterm-256color", "PYTHONPATH": os.pathsep.join(paths)}


def _shown(outer: int, wait: Callable[[], int], columns: int) -> Screen:
    """Return the screen when the process at the other end has ended, as it has to with 0."""
    written = b""
    while piece := _read(outer):
        written += piece
    os.close(outer)
    assert wait() == 0, written.decode()
    screen = Screen(columns)
    screen.write(written.decode())
    return screen


def _read(outer: int) -> bytes:
    try:
        return os.read(outer, 65536)
    except OSError:  # Linux says in this way that the other end is closed
        return b""
