"""``idealrank consistency``: whether losses are consistent with NDCG, with a counterexample if not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from idealrank._present.page import listed
from idealrank.cli.support.column_help import explain_option, show_reading, show_reasons
from idealrank.cli.support.help import Command
from idealrank.cli.support.printed_tables import Table, show, stacked
from idealrank.cli.support.shared_options import debug_option, format_option, quiet_option
from idealrank.cli.support.status_line import working
from idealrank.cli.support.terminal import say

if TYPE_CHECKING:
    from idealrank.theory import Consistency

__all__ = ["command"]

_HELP = """\
Search for distributions of labels for which minimizing a loss does not maximize NDCG, or another measure.

A counterexample is two lists of labels with probabilities: ranked by the scores that minimize the expected loss, the
documents do not reach the highest expected NDCG, and 'regret' is what they lose. The search tries all pairs of label
lists, each with probabilities from 0.01 to 0.99 and close to the points where the best order changes; by default for
two documents, then on a coarser grid for three. The worst pair is shown, with the order that the loss prefers and the
best order.

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


def _levels(ctx: click.Context, parameter: click.Parameter, value: str) -> tuple[float, ...]:
    try:
        levels = tuple(float(part) for part in value.split(","))
    except ValueError:
        levels = ()
    if len(set(levels)) < 2:
        raise click.BadParameter(f"expected two or more labels, such as 0,1,2, got {value!r}")
    return levels


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

    found = []
    with working("searching for counterexamples", quiet=quiet) as say_that:
        for chosen in list(map(loss, losses)):
            say_that(f"searching for counterexamples to {chosen}")
            found.append(theory.check_consistency(chosen, refine=not grid, **options))
    table = stacked([each.table() for each in found])
    if output_format != "text":
        show(table, output_format)
        return
    _show_answers(found)
    shown = [place for place, name in enumerate(table.header) if name != "example"]
    show(Table([table.columns[place] for place in shown], [[row[place] for place in shown] for row in table.rows]))
    if not quiet:
        show_reading("How to read the first row:", _reading(found[0]))
    for each in found:
        if each.counterexample is not None and not quiet:
            _show_counterexample(each)
    if explain:
        reasons = {"consistent": [found[0].meaning]} | {each.loss: each.reasons() for each in found}
        if options["measure"] is not None:
            reasons[f"{options['measure']} and convex losses"] = _possibility(options["measure"])
        show_reasons("Why:", reasons)


def _show_answers(found: Sequence[Consistency]) -> None:
    """Print which losses are consistent."""
    measured = found[0].measured
    answers: dict[str, list[str]] = {}
    for each in found:
        answers.setdefault(each.answer, []).append(each.loss)
    texts = {"yes": "consistent", "no": "not consistent"}
    known = [f"{_are(names)} {text}" for answer, text in texts.items() if (names := answers.get(answer))]
    sentences = [f"{'; '.join([f'{known[0]} with {measured}', *known[1:]])}."] if known else []
    if names := answers.get("not refuted"):
        sentences.append(f"No counterexample was found to the consistency of {listed(names)} with {measured}.")
    if names := answers.get("undecided"):
        sentences.append(f"It is undecided whether {_are(names)} consistent with {measured}.")
    say(" ".join(sentences))
    click.echo()


def _are(names: Sequence[str]) -> str:
    return f"{listed(names)} {'is' if len(names) == 1 else 'are'}"


def _reading(found: Consistency) -> dict[str, str]:
    """Return what the columns say, in words."""
    answers = {
        "yes": f"a theorem proves that {found.loss} is consistent with {found.measured}",
        "no": f"a counterexample refutes that {found.loss} is consistent with {found.measured}",
        "not refuted": "no counterexample was found, and no theorem is known",
        "undecided": "some minima could not be computed reliably",
    }
    lost = f"in the worst case, ranking by this loss gives up {found.regret:.6f} of the expected {found.measured}"
    return {
        "consistent": answers[found.answer],
        **({} if found.counterexample is None else {"regret": lost}),
        "wrong, of": f"{found.inconsistent:,} of the {found.searched:,} label distributions tried are ranked wrongly",
    }


def _show_counterexample(found: Consistency) -> None:
    """Print two lists of labels, and what the loss and the measure make of them."""
    tables = found.tables()
    labels = f"A counterexample to {found.loss}: the documents have one of these lists of labels."
    orders = "The order by the scores that minimize the expected loss, and the best order:"
    for title, name in ((labels, "labels"), (orders, "orders")):
        click.echo()
        say(title)
        click.echo()
        show(tables[name])
    click.echo()
    say(f"Expected {found.measured} lost: {found.regret:.6f}")


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
