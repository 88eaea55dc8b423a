"""What a reader must do with a file that the reference refuses."""

from collections.abc import Callable

from fuzzing.references.text import RefusedError
from idealrank.errors import ParseError

__all__ = ["check_refusal"]


def check_refusal(read: Callable[[], object], refused: RefusedError) -> None:
    """Fail unless reading is a ParseError that names the same line."""
    try:
        found = read()
    except ParseError as error:
        line = error.line
    else:
        raise AssertionError(f"read {found!r}, but line {refused.line} is wrong")
    assert refused.line in (None, line), f"refused at line {line}, not at line {refused.line}"
