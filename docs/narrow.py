"""Break code that is too wide for a page into lines."""

from __future__ import annotations

import io
import re
import subprocess
import sys
import tokenize

#: The most columns of code, without its prompt.
WIDTH = 76
_BLOCK = re.compile(r"(?<=^```pycon\n).*?(?=^```$)", re.MULTILINE | re.DOTALL)
_EXAMPLE = re.compile(r"^>>> .*(?:\n\.\.\.(?: .*)?$)*", re.MULTILINE)


def narrowed_page(text: str) -> str:
    """Return a page with its examples narrowed; blocks with prompts are called pycon."""
    text = re.sub(r"^```python\n(?=>>> )", "```pycon\n", text, flags=re.MULTILINE)
    return _BLOCK.sub(lambda block: narrowed(block[0]), text)


def narrowed(examples: str) -> str:
    """Return examples of code with prompts, formatted by ruff where a line is too wide."""
    return _EXAMPLE.sub(lambda example: _narrowed(example[0]), examples)


def _narrowed(example: str) -> str:
    lines = [line[4:] for line in example.splitlines()]
    if max(map(len, lines)) <= WIDTH:
        return example
    if len(lines) == 1 and (at := _comment(lines[0])):
        return f">>> {lines[0][at:]}\n{_narrowed(f'>>> {lines[0][:at].rstrip()}')}"
    command = [sys.executable, "-m", "ruff", "format", "--isolated", "--line-length", str(WIDTH), "-"]
    code = "\n".join(lines)
    first, *rest = subprocess.run(command, input=code, capture_output=True, text=True, check=True).stdout.splitlines()
    return "\n".join([f">>> {first}", *(f"... {line}".rstrip() for line in rest)])


def _comment(line: str) -> int:
    """Return where the comment after a statement begins; 0 if there is none."""
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(line).readline))
    except tokenize.TokenError:  # the statement goes on
        return 0
    return next((token.start[1] for token in tokens if token.type == tokenize.COMMENT), 0)
