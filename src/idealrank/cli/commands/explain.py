"""``idealrank explain``: why two tools give different numbers."""

from __future__ import annotations

from dataclasses import replace

import click

from idealrank.cli.support.request import Request, SystemsCommand
from idealrank.cli.support.shared_options import digits_option

__all__ = ["command"]

_HELP = """\
Explain why two tools give different numbers for SYSTEM on the judged documents in DATA, one choice at a time.

DATA and SYSTEM are given as for 'idealrank evaluate'. Starting from the first --like, the choices that differ from each
other --like are changed one after the other. 'change' is the effect on the mean, 'queries' is the number of queries
whose value changes, and 'most changed' lists the queries that change most. The changes add up to the whole difference.
The explorer, a page of the documentation, shows the same in a browser.

\b
Examples:
  idealrank explain qrels.txt bm25.run --like trec_eval --like lightgbm
  idealrank explain test.txt scores.txt -m ap --like sklearn --like xgboost
"""


@click.command("explain", cls=SystemsCommand, help=_HELP, without=("systems", "measures", "like"))
@click.argument("system")
@click.option("-m", "--measure", default="ndcg@10", show_default=True, metavar="MEASURE", help="The measure.")
@click.option("--like", multiple=True, metavar="TOOL", help="A tool whose conventions to compare; give two or more.")
@digits_option
def command(request: Request, system: str, measure: str, like: tuple[str, ...], digits: int) -> None:
    """Explain the numbers of SYSTEM on DATA."""
    if len(like) < 2:
        raise click.UsageError("two conventions or more are needed: --like trec_eval --like sklearn.")
    judged, ((_, answer),) = replace(request, systems=(system,)).read()

    from idealrank.cli.support.printed_tables import show, show_remarks, show_result
    from idealrank.cli.support.status_line import working
    from idealrank.cli.support.terminal import notes, say
    from idealrank.comparison.explanation import explain

    rules = [request.convention_of(judged, each) for each in like]
    with working(f"evaluating between {len(rules)} conventions", quiet=request.quiet):
        found = explain(judged, answer, measure, like=rules, order="grouped")
    if request.output_format == "json":
        show_result(found, "json")
    else:
        for number, waterfall in enumerate(found.waterfalls):
            if number:
                click.echo()
            if request.output_format == "text":
                for finding in waterfall.findings():
                    say(finding)
                click.echo()
            show(waterfall.table(), request.output_format, digits=digits)
            for line in waterfall.remarks() if request.output_format in ("text", "markdown") else ():
                click.echo()
                say(line)
        click.echo(err=request.output_format == "csv")
        show_remarks(found.remarks(), request.output_format)
    notes(sorted(map(str, found.evaluations.problems)), quiet=request.quiet)
    request.write_page(found)
