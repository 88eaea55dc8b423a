"""Run the benchmarks: ``python -m benchmarks [--quick] [--json PATH] [ENTRY ...]``, from the root of the repository."""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import benchmarks.entries
from benchmarks import record, scoreboard, table
from benchmarks.runner import ENTRIES, Setting, run

__all__ = ["main"]

_RESULTS = Path(__file__).parent / "results"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the entries, print the table, save the record; 1 where an entry failed on our side, else 0."""
    benchmarks.entries.load()
    parser = argparse.ArgumentParser("python -m benchmarks", description="idealrank side by side with its peers.")
    parser.add_argument("entries", nargs="*", metavar="ENTRY", help=f"all if none is named: {', '.join(ENTRIES)}")
    parser.add_argument("--quick", action="store_true", help="a twentieth of the sizes, and 3 rounds")
    parser.add_argument("--processor", action="store_true", help="processor time, for machines that others use too")
    parser.add_argument("--scoreboard", action="store_true", help="one table of peers, the rows that we lose first")
    parser.add_argument("--write", action="store_true", help="put the scoreboard into docs/benchmarks.md")
    parser.add_argument("--json", type=Path, metavar="PATH", help="where to save (benchmarks/results/<date>.json)")
    options = parser.parse_args(arguments)
    unknown = [name for name in options.entries if name not in ENTRIES]
    if unknown:
        parser.error(f"no entry is called {unknown[0]!r}; there are {', '.join(ENTRIES)}")

    with tempfile.TemporaryDirectory(prefix="idealrank-benchmarks-") as folder:
        size = (0.05, 3) if options.quick else (1.0, 7)
        setting = Setting(Path(folder), *size, options.processor, options.scoreboard)
        rows = list(run(options.entries or list(ENTRIES), setting, tell=lambda text: print(text, file=sys.stderr)))
    about = record.describe(rows, setting)
    if options.scoreboard:
        text = scoreboard.markdown(rows, about)
        print(text)
        if options.write:
            scoreboard.write(text)
    else:
        table.show(rows)
    path = options.json or _RESULTS / f"{datetime.now():%Y-%m-%dT%H%M%S}.json"
    record.save(rows, about, path)
    machine, versions = about["machine"], ", ".join(f"{name} {version}" for name, version in about["versions"].items())
    print(f"\n{about['date']}, {machine['processor']}, {machine['cores']} cores, load {machine['load']}")
    print(f"Python {about['python']}, {versions}; idealrank's install is {about['install']}\nsaved as {path}")
    if setting.scale != 1:
        print("a quick run: the targets are meant for the full sizes, so that these ratios only hint at them")
    return int(any(row.ours is None for row in rows))


if __name__ == "__main__":
    sys.exit(main())
