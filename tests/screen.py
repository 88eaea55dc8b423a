"""A command on a real pseudo-terminal, and the screen that its output makes."""

from __future__ import annotations

import os
import re
import struct
import subprocess
import sys
import unicodedata
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
            elif letter in "\x1b\x08\t":
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
    """Run the command line on a pseudo-terminal of this width."""
    return of_command("-m", "idealrank.cli", *args, columns=columns, folder=folder, **environment)


def of_command(*args: str, columns: int, folder: Path, **environment: str) -> Screen:
    """Run Python with a pseudo-terminal of this width as its input and its outputs; it has to succeed."""
    import fcntl
    import pty
    import termios

    outer, inner = pty.openpty()
    fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    paths = [os.path.abspath(path) for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
    known = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES", "NO_COLOR")}
    child = subprocess.Popen(
        [sys.executable, *args],
        stdin=inner,
        stdout=inner,
        stderr=inner,
        cwd=folder,
        env=known | {"TERM": "xterm-256color", "PYTHONPATH": os.pathsep.join(paths)} | environment,
    )
    os.close(inner)
    written = b""
    while piece := _read(outer):
        written += piece
    os.close(outer)
    assert child.wait() == 0, written.decode()
    screen = Screen(columns)
    screen.write(written.decode())
    return screen


def _read(outer: int) -> bytes:
    try:
        return os.read(outer, 65536)
    except OSError:  # Linux says in this way that the other end is closed
        return b""
