"""``idealrank convert A B``: the same data in another kind of file."""

from __future__ import annotations

import sys

import click

from idealrank.cli.support.help import Command
from idealrank.cli.support.kinds import KINDS, kind_of
from idealrank.cli.support.options import debug_option, quiet_option
from idealrank.cli.support.progress import reading, writing
from idealrank.cli.support.targets import check_target
from idealrank.cli.support.terminal import note, notes

__all__ = ["command"]

_IMPOSSIBLE = {
    ("letor", "run"): "it has no scores",
    ("qrels", "run"): "they have no scores",
    ("run", "letor"): "it has no labels",
    ("run", "qrels"): "it has no labels",
}
_KIND = click.Choice(list(KINDS))


_HELP = """\
Convert the file A to the file B.

\b
KIND     what it is                names it is known by
letor    LETOR or SVMlight text    .txt .dat .letor .svm .svmlight .libsvm
qrels    TREC judgments            .qrels, or "qrels" in the name
run      TREC run                  .run .results, or "run" in the name
parquet  columns qid, label,       .parquet .pq
csv      score, doc, f1, f2 ...    .csv

All but Parquet may be compressed: .gz or .xz after the name. "-" is standard input or output. What B has no
place for is left out, with a note. B is complete or not there at all.

\b
Examples:
  idealrank convert train.txt train.parquet
  idealrank convert qrels.dl19.txt.gz judgments.csv
  idealrank convert train.txt - --to qrels | head
"""


@click.command("convert", cls=Command, help=_HELP)
@click.argument("a")
@click.argument("b")
@click.option("--from", "from_kind", type=_KIND, metavar="KIND", help="What A is, whatever its name.")
@click.option("--to", "to_kind", type=_KIND, metavar="KIND", help="What B shall be, whatever its name.")
@click.option("--sparse", is_flag=True, help="Read LETOR text into a sparse matrix, for features that are mostly 0.")
@click.option("--group", metavar="FILE", help="Number of documents of each query, for LETOR text without qid.")
@quiet_option
@debug_option
def command(
    a: str, b: str, from_kind: str | None, to_kind: str | None, sparse: bool, group: str | None, quiet: bool
) -> None:
    """Convert the file A to the file B."""
    kind, target_kind = from_kind or kind_of(a, "--from"), to_kind or kind_of(b, "--to")
    if (kind, target_kind) in _IMPOSSIBLE:
        why = _IMPOSSIBLE[kind, target_kind]
        raise click.UsageError(f"{KINDS[kind]} cannot become {KINDS[target_kind]}: {why}.")
    if kind != "letor" and (sparse or group is not None):
        raise click.UsageError(f"--sparse and --group are for LETOR text, and A is {KINDS[kind]}.")
    if b == "-" and target_kind == "parquet" and sys.stdout.isatty():
        raise click.UsageError("Parquet is not for a terminal; send standard output to a file.")
    check_target(b)

    from idealrank.cli.support import conversion

    with reading(a, quiet=quiet) as progress:
        data = conversion.read(a, kind, target_kind, sparse=sparse, group=group, progress=progress)
    fitting, known = conversion.fit(data, a, target_kind)
    problems = dict.fromkeys((*getattr(data, "problems", ()), *getattr(fitting, "problems", ())))
    notes((*problems, *known), quiet=quiet)
    with writing(b, shown=progress is not None):
        conversion.write(fitting, b, target_kind)
    source, target = ("standard input" if a == "-" else a), ("standard output" if b == "-" else b)
    what = f"read {source} ({KINDS[kind]}: {conversion.size_of(data)}), wrote {target} ({KINDS[target_kind]})"
    note(what, quiet=quiet)
