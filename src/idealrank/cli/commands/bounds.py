"""``idealrank bounds``: what unjudged documents could change."""

from __future__ import annotations

import click

from idealrank.cli.support.request import Request, SystemsCommand, baseline_name
from idealrank.cli.support.shared_options import seed_option

__all__ = ["command"]

_HELP = """\
Compute the lowest and the highest mean of SYSTEMS over all labels that unjudged documents could have.

DATA has judgments and SYSTEMS are runs, as for 'idealrank evaluate'. 'value' treats unjudged documents as not
relevant; 'expected' assumes that they are as relevant as judged documents at similar ranks; 'condensed' removes them
from the ranking. If there are several systems, each is compared with the baseline, or with the best system: 'decided'
says whether the same system is ahead for all labels.

\b
Examples:
  idealrank bounds qrels.txt bm25.run -m ndcg@10
  idealrank bounds qrels.txt *.run --baseline bm25
"""


@click.command("bounds", cls=SystemsCommand, help=_HELP, without=("measures", "unjudged", "html_path"))
@click.option("-m", "--measure", default="ndcg@10", show_default=True, metavar="MEASURE", help="The measure.")
@click.option("--baseline", metavar="NAME", help="The system that the others are compared with; the best by default.")
@click.option(
    "--unseen",
    type=click.IntRange(0),
    default=0,
    metavar="N",
    help="Allow for up to N relevant documents per query that no run retrieves.",
)
@seed_option
def command(request: Request, measure: str, baseline: str | None, unseen: int, seed: int) -> None:
    """Bound the measure of SYSTEMS on DATA."""
    judged, systems = request.read()

    from idealrank.cli.support.printed_tables import show, show_remarks, show_result
    from idealrank.cli.support.status_line import working
    from idealrank.cli.support.terminal import say
    from idealrank.judging.unjudged.bounding import bounds

    with working("reading systems", quiet=request.quiet) as say_that:
        named = dict(systems)
        chosen = baseline_name(baseline, request.systems, list(named))
        rules = request.convention_of(judged)
        say_that(f"bounding {measure}")
        found = bounds(judged, named, measure, n_unseen=unseen, baseline=chosen, like=rules, seed=seed)
    if request.output_format == "json":
        show_result(found, "json")
        return
    is_read = request.output_format in ("text", "markdown")
    if is_read:
        # Of several differences, the first sentence says how many are open, and the table shows each.
        for finding in found.findings()[: 1 if len(found.differences) > 1 else None]:
            say(finding)
        click.echo()
    show(found.table(), request.output_format)
    if found.differences and is_read:
        click.echo()
        show(found.table("differences"), request.output_format)
    click.echo(err=request.output_format == "csv")
    show_remarks(found.remarks(), request.output_format)
