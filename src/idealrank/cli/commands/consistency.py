"""``idealrank consistency``: whether losses are consistent with NDCG, with a counterexample if not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from idealrank.cli.support.help import Command
from idealrank.cli.support.options import debug_option, format_option, quiet_option
from idealrank.cli.support.reading import explain_option, show_reasons
from idealrank.cli.support.tables import Table, show, stacked
from idealrank.cli.support.terminal import say

if TYPE_CHECKING:
    from idealrank.theory import Consistency

__all__ = ["command"]

_HELP = """\
Search for random labels for which minimizing a loss does not maximize NDCG, or another measure.

A loss is refuted by two lists of labels and their probabilities: ranked by the scores that minimize the expected loss,
the documents lose some of the expected NDCG ('regret'). The search goes through all pairs of label lists, each with
probabilities from 0.01 to 0.99 and next to the points where the best order changes; by default for two documents, then,
more coarsely, for three. The worst pair is shown, with the order that the loss picks and the best one.

\b
consistent  no: the example refutes it; yes: a theorem proves it;
            not refuted: no example was found;
            undecided: some minima could not be determined with certainty
regret      expected NDCG lost on the example
wrong, of   mixtures that the loss ranks wrongly, of those searched

\b
Examples:
  idealrank consistency cross_entropy 'cross_entropy(normalizer=dcg)'
  idealrank consistency cosine --levels 0,1 --n-docs 3
  idealrank consistency 'least_squares(normalizer=1)' --cutoff 1 --format json
  idealrank consistency hinge --measure ap --levels 0,1
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
@click.option("--measure", metavar="MEASURE", help="A measure other than NDCG, such as p@1, rbp or ap.")
@click.option("--gain", metavar="GAIN", help="Gain of NDCG (default: exp2).")
@click.option("--discount", metavar="DISCOUNT", help="Discount of NDCG (default: log).")
@click.option("--cutoff", metavar="K", help="Use NDCG@K instead of NDCG.")
@click.option("--grid", is_flag=True, help="Search the grid of probabilities only; do not refine the worst case.")
@explain_option
@format_option
@quiet_option
@debug_option
def command(
    losses: tuple[str, ...], grid: bool, explain: bool, output_format: str, quiet: bool, **options: Any
) -> None:
    """Search for random labels that refute LOSSES; ``options`` are those of `theory.check_consistency`."""
    from idealrank import theory
    from idealrank.losses import loss

    found = [theory.check_consistency(each, refine=not grid, **options) for each in map(loss, losses)]
    table = stacked([each.table() for each in found])
    if output_format != "text":
        show(table, output_format)
        return
    shown = [place for place, name in enumerate(table.header) if name != "example"]
    show(Table([table.columns[place] for place in shown], [[row[place] for place in shown] for row in table.rows]))
    for each in found:
        if each.counterexample is not None and not quiet:
            _show_counterexample(each)
    if explain:
        reasons = {"consistent": [found[0].meaning]} | {each.loss: each.reasons() for each in found}
        if options["measure"] is not None:
            reasons[f"{options['measure']} and convex losses"] = _possibility(options["measure"])
        show_reasons("Why:", reasons)


def _show_counterexample(found: Consistency) -> None:
    """Print two lists of labels, and what the loss and the measure make of them."""
    tables = found.tables()
    labels = f"{found.loss} is not consistent with {found.measured}. Labels that refute it:"
    orders = "Ranked by the scores of lowest expected loss, and as is best:"
    for title, name in ((labels, "labels"), (orders, "orders")):
        click.echo()
        say(title)
        click.echo()
        show(tables[name])
    click.echo()
    say(f"{found.measured} lost: {found.regret:.6f}")


def _possibility(measure: str) -> list[str]:
    """Whether a convex loss can be consistent with a measure, as sentences."""
    from idealrank.theory import no_convex_loss

    proof = no_convex_loss(measure)
    if proof is None:
        return [f"Nothing was found that keeps every convex loss from being consistent with {measure}."]
    labels = " and ".join(
        f"({', '.join(f'{label:g}' for label in vector)}) with probability {p:.4g}"
        for p, vector in zip(proof.probabilities, proof.label_vectors, strict=True)
    )
    return [f"{str(proof)[0].upper()}{str(proof)[1:]}. The labels: {labels}."]
