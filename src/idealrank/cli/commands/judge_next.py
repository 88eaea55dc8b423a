"""``idealrank judge-next``: which documents to judge so that the order of systems is decided soonest."""

from __future__ import annotations

import click

from idealrank.cli.support.request import Request, SystemsCommand, baseline_name

__all__ = ["command"]

_HELP = """\
Choose the unjudged documents whose labels can change the order of SYSTEMS most.

DATA is judgments and SYSTEMS are runs, as for 'idealrank evaluate'. 'effect' is how far the label of the document alone
can move the mean difference between systems whose order is open. The columns after it are the document's ranks.

\b
Examples:
  idealrank judge-next qrels.txt bm25.run new.run -m ndcg@10 -n 20
  idealrank judge-next qrels.txt *.run --format csv > to_judge.csv
"""


@click.command("judge-next", cls=SystemsCommand, help=_HELP, without=("measures", "unjudged", "html_path"))
@click.option("-m", "--measure", default="ndcg@10", show_default=True, metavar="MEASURE", help="The measure.")
@click.option(
    "-n", "n", type=click.IntRange(1), default=10, show_default=True, metavar="N", help="Number of documents."
)
@click.option("--baseline", metavar="NAME", help="The system that the others are compared with; the best by default.")
def command(request: Request, measure: str, n: int, baseline: str | None) -> None:
    """Choose documents to judge for SYSTEMS on DATA."""
    judged, systems = request.read()

    from idealrank.cli.support.tables import show, show_remarks, show_result
    from idealrank.evaluation.holes.judging import judge_next

    named = dict(systems)
    chosen = baseline_name(baseline, request.systems, list(named))
    found = judge_next(judged, named, measure, n=n, baseline=chosen, like=request.convention_of(judged))
    if request.output_format == "json":
        show_result(found, "json")
        return
    if found.documents or request.output_format == "csv":
        show(found.table(), request.output_format)
        click.echo(err=request.output_format == "csv")
    show_remarks(found.findings()[:5], request.output_format)
