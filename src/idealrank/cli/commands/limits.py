"""``idealrank limits``: limits of the NDCG of systems as lists grow."""

from __future__ import annotations

from typing import Any

import click

from idealrank.cli.support.shared_options import PICTURE, explain_option
from idealrank.cli.support.systems_command import Request, SystemsCommand


@click.command("limits", cls=SystemsCommand, only=("ndcg", "linear_ndcg"))
@click.option(
    "--method",
    type=click.Choice(["top", "bins", "isotonic"]),
    default="top",
    metavar="METHOD",
    help="How to estimate curves: bins that are finer at the top (top, the default), equal bins (bins), or isotonic.",
)
@click.option("--plot", type=PICTURE, metavar="FILE", help="Plot the curves: .svg, .png or .pdf.")
@explain_option
def command(request: Request, method: Any, plot: str | None, explain: bool) -> None:
    """Show the limit of the NDCG of SYSTEMS as lists grow, estimated from the documents in DATA.

    DATA and SYSTEMS are given as for 'idealrank evaluate'. For each query, the expected relevance by position in a
    system's list is estimated as a curve. From these curves, the theorems of Wang et al. (2013) give NDCG on longer
    lists of the same kind. With judgments and runs, all judged documents are ranked, and those that a run does not
    retrieve come last. Text output shows at most 30 rows; --format csv shows all.

    \b
    now        mean over queries, as 'idealrank evaluate' gives it
    complete   the same mean on complete lists, on which the theory is based
    expected   mean that the curves predict for lists of these lengths
    limit      mean as lists grow, over queries with relevant documents;
               blank if NDCG does not converge
    low, high  95% interval of the limit, by Student's t over queries
    spread     standard deviation of NDCG on one long list, if it stays random
    sees       which ranks decide: all, the top, or a few

    \b
    Examples:
      idealrank limits test.txt scores.txt
      idealrank limits qrels.txt bm25.run -m ndcg -m ndcg@10 -m ndcg@20%
      idealrank limits test.txt scores.txt --method isotonic --plot curve.svg
    """
    given = request.inputs()

    from idealrank.cli.support.result_command import save_picture
    from idealrank.theory import limits
    from idealrank.theory.long_lists.measure_discount import MEASURES

    with request.working("evaluating systems") as say_that:
        result = limits(
            given.data,
            given.systems,
            request.measures or MEASURES,
            like=given.like,
            method=method,
            progress=lambda number, n: say_that(f"computing the limits of system {number:,} of {n:,}"),
        )
    if plot is not None:
        save_picture(result.plot().figure, plot)
    request.show(result, reasons=explain)
