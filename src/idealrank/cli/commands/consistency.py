"""``idealrank consistency``: whether losses lead to the best NDCG, with a counterexample where they do not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from idealrank.cli.support.help import Command
from idealrank.cli.support.options import debug_option, format_option, quiet_option
from idealrank.cli.support.tables import show, stacked

if TYPE_CHECKING:
    pass

__all__ = ["command"]

_HELP = """\
Search for random labels with which minimising a loss does not lead to the best NDCG.

A loss is refuted by two label vectors and their probabilities: on average over them, the scores of least loss lose
REGRET in NDCG. 'yes' means that none was found among all pairs of label vectors, each with the probabilities 0.01 to
0.99 and beside the points where the best order changes; 'undecided' that not every minimum could be made sure of.

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
@click.option("--n-docs", type=click.IntRange(2), default=2, show_default=True, metavar="N", help="Documents to rank.")
@click.option(
    "--levels", default="0,1,2,3,4", show_default=True, metavar="LABELS", callback=_levels, help="Labels they may have."
)
@click.option("--gain", default="exp2", show_default=True, metavar="GAIN", help="Gain of NDCG.")
@click.option("--discount", default="log", show_default=True, metavar="DISCOUNT", help="Discount of NDCG.")
@click.option("--cutoff", metavar="K", help="NDCG@K in the place of NDCG.")
@click.option("--grid", is_flag=True, help="The grid of probabilities only; do not make the worst found worse.")
@format_option
@quiet_option
@debug_option
def command(
    losses: tuple[str, ...],
    n_docs: int,
    levels: tuple[float, ...],
    gain: str,
    discount: str,
    cutoff: str | None,
    grid: bool,
    output_format: str,
    quiet: bool,
) -> None:
    """Search for random labels that refute LOSSES."""
    from idealrank import theory
    from idealrank.losses import loss

    found = [
        theory.check_consistency(each, n_docs, levels, gain=gain, discount=discount, cutoff=cutoff, refine=not grid)
        for each in map(loss, losses)
    ]
    show(stacked([each.table() for each in found]), output_format)
    if output_format == "text" and not quiet:
        click.echo("\n" + "\n".join(found[0].remarks()))
