"""Break code that is too wide for a page into lines."""

from __future__ import annotations

import doctest
import re
import subprocess
import sys

#: The most columns of code, without its prompt.
WIDTH = 76
_EXAMPLES = re.compile(r"(?<=^```pycon\n).*?(?=^```$)", re.MULTILINE | re.DOTALL)


def narrowed_page(text: str) -> str:
    """Return a page with its examples narrowed."""
    return _EXAMPLES.sub(lambda found: narrowed(found[0]), text)


def narrowed(examples: str) -> str:
    """Return examples of code with prompts, formatted by ruff where a line is too wide."""
    parts = []
    for each in doctest.DocTestParser().parse(examples):
        if isinstance(each, str) or max(map(len, each.source.splitlines())) <= WIDTH:
            parts.append(each if isinstance(each, str) else _prompted(each.source) + each.want)
        else:
            parts.append(_prompted(_formatted(each.source)) + each.want)
    return "".join(parts)


def _prompted(code: str) -> str:
    first, *rest = code.splitlines()
    return "\n".join([f">>> {first}", *(f"... {line}".rstrip() for line in rest)]) + "\n"


def _formatted(code: str) -> str:
    command = [sys.executable, "-m", "ruff", "format", "--isolated", "--line-length", str(WIDTH), "-"]
    return subprocess.run(command, input=code, capture_output=True, text=True, check=True).stdout
