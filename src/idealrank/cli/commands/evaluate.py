"""``idealrank evaluate``: measures of one system or several, with the conventions under every table."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from idealrank.cli.support.help import Command
from idealrank.cli.support.kinds import kind_of_judged
from idealrank.cli.support.options import (
    data_options,
    debug_option,
    format_option,
    html_option,
    like_option,
    measures_option,
    quiet_option,
)

if TYPE_CHECKING:
    from idealrank.measures import Measure

__all__ = ["command"]

_HELP = """\
Evaluate systems: SYSTEMS on the judged documents in DATA.

\b
DATA             SYSTEMS
TREC judgments   TREC runs
LETOR text       files with one score a line, in the documents' order
Parquet or CSV   names of score columns; "score" if there is none

DATA's kind is told by its content or by --from, as 'idealrank convert --help' lists them. What a measure leaves
open is as --like says: trec_eval for judgments and runs, idealrank's own for the rest. The conventions are printed
under the table.

\b
Examples:
  idealrank evaluate qrels.txt bm25.run new.run -m ndcg@10 -m ap
  idealrank evaluate qrels.txt bm25.run -m 'ndcg(gain=exp2)' --like sklearn
  idealrank evaluate test.txt scores.txt -m ndcg@20% --format json
"""


@click.command("evaluate", cls=Command, help=_HELP)
@click.argument("data")
@click.argument("systems", nargs=-1)
@measures_option
@like_option
@click.option("--per-query", is_flag=True, help="One line a query as well as the mean.")
@click.option("--interval", is_flag=True, help="The 95% interval of each mean as well.")
@data_options
@click.option("--hashes", is_flag=True, help="Add the SHA-256 of every file to JSON.")
@format_option
@html_option
@quiet_option
@debug_option
def command(
    data: str,
    systems: tuple[str, ...],
    measures: tuple[str, ...],
    like: str | None,
    per_query: bool,
    interval: bool,
    from_kind: str | None,
    group: str | None,
    hashes: bool,
    output_format: str,
    html_path: str | None,
    quiet: bool,
) -> None:
    """Evaluate SYSTEMS on DATA."""
    kind = kind_of_judged(data, from_kind, systems)

    from idealrank.cli.support import evaluating
    from idealrank.io.formats import Frame

    names = list(measures) or ["ndcg@10", "ap", "rr"]
    depths: list[Measure] = []
    if html_path is not None:
        from idealrank.report import over_cutoffs

        depths = over_cutoffs(names)
    wanted = [names, depths] if depths else [names]
    evaluations, *curves = evaluating.evaluate_files(data, kind, systems, *wanted, like=like, group=group, quiet=quiet)
    files = [data, *(() if kind.holds is Frame else systems)] if hashes else []
    evaluating.show(
        evaluations,
        [path for path in files if os.path.isfile(path)],
        per_query=per_query,
        interval=interval,
        output_format=output_format,
        quiet=quiet,
    )
    if html_path is not None:
        from idealrank.cli.support import reporting

        reporting.write(evaluations, html_path, curves=curves[0] if curves else None, quiet=quiet)
