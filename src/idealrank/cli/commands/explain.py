"""``idealrank explain``: why two tools give different numbers."""

from __future__ import annotations

import click

from idealrank.cli.support.help import Command
from idealrank.cli.support.kinds import kind_of_judged
from idealrank.cli.support.options import data_options, debug_option, format_option, html_option, quiet_option

__all__ = ["command"]

_HELP = """\
Explain why conventions give SYSTEM different numbers on the judged documents in DATA, one choice at a time.

DATA and SYSTEM are as for 'idealrank evaluate'. From the first --like to each other, the choices that differ are
changed one after the other; 'change' is what each does to the mean, 'queries' how many it moves, 'most' which ones
most. The changes add up to the whole difference.

\b
Examples:
  idealrank explain qrels.txt bm25.run --like trec_eval --like lightgbm
  idealrank explain test.txt scores.txt -m ap --like sklearn --like xgboost
"""


@click.command("explain", cls=Command, help=_HELP)
@click.argument("data")
@click.argument("system")
@click.option("-m", "--measure", default="ndcg@10", show_default=True, metavar="MEASURE", help="The measure.")
@click.option("--like", multiple=True, metavar="TOOL", help="A tool whose conventions to compare; at least two.")
@data_options
@format_option
@html_option
@quiet_option
@debug_option
def command(
    data: str,
    system: str,
    measure: str,
    like: tuple[str, ...],
    from_kind: str | None,
    group: str | None,
    output_format: str,
    html_path: str | None,
    quiet: bool,
) -> None:
    """Explain the numbers of SYSTEM on DATA."""
    kind = kind_of_judged(data, from_kind, [system])
    if len(like) < 2:
        raise click.UsageError("two conventions or more are needed: --like trec_eval --like sklearn.")

    from idealrank.cli.support.evaluating import read_systems
    from idealrank.cli.support.tables import show
    from idealrank.cli.support.terminal import notes
    from idealrank.evaluation.explanation import explain

    judged, answers = read_systems(data, kind, [system], group=group, quiet=quiet)
    ((_, answer),) = answers
    found = explain(judged, answer, measure, like=like, order="grouped")
    notes(sorted(map(str, found.evaluations.problems)), quiet=quiet)
    for number, waterfall in enumerate(found.waterfalls):
        if number and output_format != "json":
            click.echo()
        show(waterfall.table(), output_format)
        for line in waterfall.remarks() if output_format in ("text", "markdown") else ():
            click.echo(f"\n{line}")
    if html_path is not None:
        from idealrank.cli.support import reporting

        reporting.write(found, html_path, quiet=quiet)
