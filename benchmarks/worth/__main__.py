"""Compare the learners' defaults with their rivals, on data that the reader has: ``python -m benchmarks.worth FAMILY``.

Each family of models is a module of this folder with a function ``main(arguments)``, which prints tables in Markdown.
"""

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

__all__ = ["main"]

_FAMILIES = sorted(path.stem for path in Path(__file__).parent.glob("[a-z]*.py"))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one family; all other arguments are for its module."""
    parser = argparse.ArgumentParser("python -m benchmarks.worth", description=__doc__, add_help=False)
    parser.add_argument("family", choices=_FAMILIES)
    options, rest = parser.parse_known_args(arguments)
    done: int = import_module(f"benchmarks.worth.{options.family}").main(rest)
    return done


if __name__ == "__main__":
    sys.exit(main())
