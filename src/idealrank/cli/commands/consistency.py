"""``idealrank consistency``: whether losses are consistent with NDCG, with a counterexample if not."""

from __future__ import annotations

from typing import Any

import click

from idealrank.cli.support.result_command import Display, ResultCommand
from idealrank.cli.support.shared_options import count, explain_option


def _levels(ctx: click.Context, parameter: click.Parameter, value: str) -> tuple[float, ...]:
    try:
        levels = tuple(float(part) for part in value.split(","))
    except ValueError:
        levels = ()
    if len(set(levels)) < 2:
        raise click.BadParameter(f"expected two or more labels, such as 0,1,2, got {value!r}")
    return levels


@click.command("consistency", cls=ResultCommand, without=("html_path",))
@click.argument("losses", nargs=-1, required=True)
@click.option("--n-docs", **count(2), help="Documents to rank (default: 2, then 3).")
@click.option(
    "--levels", default="0,1,2,3,4", show_default=True, metavar="LABELS", callback=_levels, help="Possible labels."
)
@click.option("--measure", metavar="MEASURE", help="A measure other than NDCG, such as p@1, rbp or ap.")
@click.option("--gain", metavar="GAIN", help="Gain of NDCG (default: exp2).")
@click.option("--discount", metavar="DISCOUNT", help="Discount of NDCG (default: log).")
@click.option("--cutoff", metavar="K", help="Use NDCG@K instead of NDCG.")
@click.option("--grid", is_flag=True, help="Search the grid of probabilities only; do not refine the worst case.")
@explain_option
def command(losses: tuple[str, ...], grid: bool, explain: bool, display: Display, **options: Any) -> None:
    """Search for distributions of labels for which minimizing a loss does not maximize NDCG, or another measure.

    A counterexample is two lists of labels with probabilities: ranked by the scores that minimize the expected loss,
    the documents do not reach the highest expected NDCG, and 'regret' is what they lose. The search tries all pairs of
    label lists, each with probabilities from 0.01 to 0.99 and close to the points where the best order changes; by
    default for two documents, then on a coarser grid for three. The worst pair is shown, with the order that the loss
    prefers and the best order.

    \b
    consistent  no: a counterexample was found; yes: a theorem proves it;
                not refuted: no counterexample was found;
                undecided: some minima could not be computed reliably
    regret      expected NDCG that the loss gives up in the worst case found
    wrong, of   distributions that the loss ranks wrongly, of those tried

    \b
    Examples:
      idealrank consistency cross_entropy 'cross_entropy(normalizer=dcg)'
      idealrank consistency cosine --levels 0,1 --n-docs 3
      idealrank consistency 'least_squares(normalizer=1)' --cutoff 1 --format json
      idealrank consistency hinge --measure ap --levels 0,1
    """
    from idealrank import theory

    with display.working("searching for counterexamples") as say_that:
        options["progress"] = lambda loss: say_that(f"searching for counterexamples to {loss}")
        result = theory.check_losses(losses, refine=not grid, **options)
    display.show(result, reasons=explain)
