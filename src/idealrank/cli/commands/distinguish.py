"""``idealrank distinguish``: which measures separate systems, and how many queries and documents that takes."""

from __future__ import annotations

from typing import Any

import click

from idealrank.cli.support.options import OUTPUT, seed_option
from idealrank.cli.support.reading import explain_option, show_reading, show_reasons
from idealrank.cli.support.request import Request, SystemsCommand

__all__ = ["command"]

_HELP = """\
Find which measures separate SYSTEMS, pair by pair, on the documents in DATA.

DATA and SYSTEMS are given as for 'idealrank evaluate', and the means are the same. For 'documents', 'changes' and
theory, lists grow document by document, in the order of DATA. With judgments and runs, the judged documents are ranked,
and those that a run does not retrieve come last. The measures are DCG, NDCG or linear NDCG; those that separate the
systems soonest come first.

\b
mean a, b  means over queries, as 'idealrank evaluate' gives them
wins       share of queries on which the better system beat the other
separated  share of resamples of the queries in which its mean is higher
queries    queries needed to order the means correctly, up to --risk
certified  queries after which the order was certain, up to --risk,
           even if you look after each query
documents  list length from which the means stay in the right order
changes    how often the lead changes while one list grows
limit a, b limits of both means on ever longer lists, according to theory
theory     whether longer lists tell them apart: consistently (ever more
           surely), in expectation (only on average over queries), or no

\b
Examples:
  idealrank distinguish test.txt new.txt old.txt
  idealrank distinguish qrels.txt new.run old.run -m ndcg@10 -m ndcg
  idealrank distinguish test.txt new.txt old.txt --plot wins.svg
"""


@click.command("distinguish", cls=SystemsCommand, help=_HELP)
@click.option(
    "--orders",
    "n_orders",
    type=click.IntRange(0),
    default=0,
    metavar="N",
    help="Grow lists in N random orders.",
)
@click.option(
    "--resamples",
    "n_resamples",
    type=click.IntRange(1),
    default=200,
    show_default=True,
    metavar="N",
    help="Number of resamples of the queries.",
)
@click.option(
    "--risk", "delta", type=float, default=0.05, show_default=True, metavar="P", help="Risk of the wrong order."
)
@seed_option
@click.option(
    "--plot", type=OUTPUT, metavar="FILE", help="Plot wins by list length for the first pair: .svg, .png or .pdf."
)
@explain_option
def command(request: Request, plot: str | None, explain: bool, **options: Any) -> None:
    """Find which measures separate SYSTEMS on DATA; ``options`` are those of `theory.distinguish`."""
    judged, systems = request.read(least=2)

    from idealrank.cli.support.pictures import save_picture
    from idealrank.cli.support.tables import show_result
    from idealrank.cli.support.terminal import quality
    from idealrank.theory.distinguishing.distinctions import MEASURES, distinguish_all

    found = distinguish_all(
        judged, systems, request.measures or MEASURES, like=request.convention_of(judged), **options
    )
    show_result(found, request.output_format)
    if request.output_format == "text" and not request.quiet:
        show_reading("How to read the first row:", found.reading())
    if request.output_format == "text" and explain:
        show_reasons("Why, according to theory, on ever longer lists:", found.reasons())
    quality(found.evaluations, quiet=request.quiet)
    if plot is not None:
        save_picture(found.pairs[0].plot().figure, plot)
    request.write_page(found)
