"""``idealrank consistency``: whether losses are consistent with NDCG, with a counterexample if not."""

from __future__ import annotations

from typing import Any

import click

from idealrank.cli.support.help import Command
from idealrank.cli.support.options import debug_option, format_option, quiet_option
from idealrank.cli.support.tables import show, stacked

__all__ = ["command"]

_HELP = """\
Search for random labels for which minimizing a loss does not maximize NDCG.

A loss is refuted by two label vectors and their probabilities: in expectation over them, the scores that minimize the
loss lose REGRET in NDCG. The search goes through all pairs of label vectors, each with probabilities from 0.01 to 0.99
and next to the points where the best order changes; by default of two documents, then, more coarsely, of three. 'not
refuted' means that it found no counterexample, 'yes' that a theorem says that there is none, 'undecided' that some
minima could not be determined with certainty.

\b
Examples:
  idealrank consistency cross_entropy 'cross_entropy(normalizer=dcg)'
  idealrank consistency cosine --levels 0,1 --n-docs 3
  idealrank consistency 'least_squares(normalizer=1)' --cutoff 1 --format json
"""


def _levels(ctx: click.Context, parameter: click.Parameter, value: str) -> tuple[float, ...]:
    try:
        return tuple(float(part) for part in value.split(","))
    except ValueError:
        raise click.BadParameter(f"expected labels such as 0,1,2, got {value!r}") from None


@click.command("consistency", cls=Command, help=_HELP)
@click.argument("losses", nargs=-1, required=True)
@click.option("--n-docs", type=click.IntRange(2), metavar="N", help="Documents to rank (default: 2, then 3).")
@click.option(
    "--levels", default="0,1,2,3,4", show_default=True, metavar="LABELS", callback=_levels, help="Possible labels."
)
@click.option("--gain", default="exp2", show_default=True, metavar="GAIN", help="Gain of NDCG.")
@click.option("--discount", default="log", show_default=True, metavar="DISCOUNT", help="Discount of NDCG.")
@click.option("--cutoff", metavar="K", help="Use NDCG@K instead of NDCG.")
@click.option("--grid", is_flag=True, help="Search the grid of probabilities only; do not refine the worst case.")
@format_option
@quiet_option
@debug_option
def command(losses: tuple[str, ...], grid: bool, output_format: str, quiet: bool, **options: Any) -> None:
    """Search for random labels that refute LOSSES; ``options`` are those of `theory.check_consistency`."""
    from idealrank import theory
    from idealrank.losses import loss

    found = [theory.check_consistency(each, refine=not grid, **options) for each in map(loss, losses)]
    show(stacked([each.table() for each in found]), output_format)
    if output_format == "text" and not quiet:
        click.echo("\n" + "\n".join(found[0].remarks()))
