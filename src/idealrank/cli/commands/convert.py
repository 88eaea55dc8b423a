"""``idealrank convert A B``: convert a file to another format."""

from __future__ import annotations

import os
import sys

import click

from idealrank.cli.support.command import Command
from idealrank.cli.support.shared_options import KIND, OUTPUT, group_option, kind_of
from idealrank.cli.support.terminal import note, notes, reading, writing
from idealrank.io.format_list import FORMATS

_ROWS = "\n".join(
    f"{name:9}  {listing.title.removeprefix('a '):26}  {' '.join(listing.endings)}"
    + (f', or "{listing.word}" in the name' if listing.word else "")
    for name, listing in FORMATS.items()
)

_HELP = f"""\
Convert the file A to the file B.

\b
KIND       content                     names
{_ROWS}

The format of A is recognized by its content, or else by its name; the format of B by its name. Parquet and CSV have the
columns qid, label, score, doc, weight, f1, f2 ... JSON is {{query: {{document: number}}}}: the numbers are labels if
all are whole and B is not a run, and scores otherwise. All formats except Parquet may be compressed (.gz, .xz, .bz2 or
.zst). "-" is standard input or output. Content that B cannot hold is dropped, with a note. B is written completely or
not at all.

\b
Examples:
  idealrank convert train.txt train.parquet
  idealrank convert qrels.dl19.txt.gz judgments.csv
  idealrank convert train.txt - --to qrels | head
"""


@click.command("convert", cls=Command, help=_HELP)
@click.argument("a")
@click.argument("b", type=OUTPUT)
@click.option("--from", "from_kind", type=KIND, metavar="KIND", help="The format of A, if it is not recognized.")
@click.option("--to", "to_kind", type=KIND, metavar="KIND", help="The format of B, if its name does not say.")
@click.option("--sparse", is_flag=True, help="Read LETOR text as a sparse matrix, for features that are mostly 0.")
@group_option
def command(
    a: str, b: str, from_kind: str | None, to_kind: str | None, sparse: bool, group: str | None, quiet: bool
) -> None:
    """Convert the file A to the file B."""
    try:
        source = kind_of(a, from_kind)
    except click.UsageError:
        if a != "-":
            os.stat(a)  # a file that does not exist is the more likely mistake
        raise
    target = kind_of(b, to_kind, "--to")

    from idealrank.io import conversion
    from idealrank.io.formats import Frame, Nested
    from idealrank.io.shapes.frame_shape import judgments_or_run

    obstacle = conversion.obstacle(source, target)
    if obstacle is not None:
        raise click.UsageError(f"{source.title} cannot become {target.title}: {obstacle}.")
    if (sparse and "sparse" not in source.options) or (group is not None and "group" not in source.options):
        raise click.UsageError(f"--sparse and --group are for LETOR text, and A is {source.title}.")
    if b == "-" and not target.is_text and sys.stdout.isatty():
        raise click.UsageError(f"{target.title} is not for a terminal; send standard output to a file.")

    with reading(a, quiet=quiet) as progress:
        data = conversion.read(a, source, target, sparse=sparse, group=group, progress=progress)
        if source.holds is Frame and target.holds is Nested:
            data = judgments_or_run(data)
    fitting, known = conversion.fit(data, a, target)
    problems = dict.fromkeys((*getattr(data, "problems", ()), *getattr(fitting, "problems", ())))
    notes((*problems, *known), quiet=quiet)
    with writing(b, shown=progress is not None):
        target.write(fitting, b)
    read, wrote = ("standard input" if a == "-" else a), ("standard output" if b == "-" else b)
    what = f"read {read} ({source.title}: {conversion.size_of(data)}), wrote {wrote} ({target.title})"
    note(what, quiet=quiet)
