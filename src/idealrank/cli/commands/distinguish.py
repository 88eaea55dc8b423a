"""``idealrank distinguish``: which measures tell systems apart, and how many queries and documents that takes."""

from __future__ import annotations

from itertools import combinations

import click

from idealrank.cli.support.help import Command
from idealrank.cli.support.kinds import kind_of_judged
from idealrank.cli.support.options import (
    data_options,
    debug_option,
    format_option,
    html_option,
    measures_option,
    quiet_option,
)

__all__ = ["command"]

_HELP = """\
Tell which measures separate SYSTEMS, pair by pair, on the documents in DATA.

DATA and SYSTEMS are as for 'idealrank evaluate'. Lists grow document by document, in the order of DATA; the
measures that separate soonest come first. They are DCG, NDCG and linear NDCG.

\b
wins       share of queries on which the better system is ahead
separated  share of resamples of as many queries on which its mean is
queries    so many have the means in the right order but for --risk
documents  lists from this length on have the means in the right order
changes    how often the lead changes as one list grows
limits     where theory sees both means going as lists grow
theory     whether the measure distinguishes them on long lists

\b
Examples:
  idealrank distinguish test.txt new.txt old.txt
  idealrank distinguish qrels.txt new.run old.run -m ndcg@10 -m ndcg
  idealrank distinguish test.txt new.txt old.txt --plot wins.svg
"""


@click.command("distinguish", cls=Command, help=_HELP)
@click.argument("data")
@click.argument("systems", nargs=-1)
@measures_option
@click.option("--orders", type=click.IntRange(0), default=0, metavar="N", help="Grow lists in N random orders instead.")
@click.option(
    "--resamples", type=click.IntRange(1), default=200, show_default=True, metavar="N", help="Resamples of the queries."
)
@click.option("--risk", type=float, default=0.05, show_default=True, metavar="P", help="Risk of the wrong order.")
@click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, metavar="N", help="Draws other resamples."
)
@click.option("--plot", metavar="FILE", help="Draw wins against length: .svg, .png or .pdf; of the first pair.")
@html_option
@data_options
@format_option
@quiet_option
@debug_option
def command(
    data: str,
    systems: tuple[str, ...],
    measures: tuple[str, ...],
    orders: int,
    resamples: int,
    risk: float,
    seed: int,
    plot: str | None,
    html_path: str | None,
    from_kind: str | None,
    group: str | None,
    output_format: str,
    quiet: bool,
) -> None:
    """Tell which measures separate SYSTEMS on DATA."""
    kind = kind_of_judged(data, from_kind, systems, least=2)

    from idealrank.cli.support.evaluating import read_systems
    from idealrank.cli.support.pictures import save_picture
    from idealrank.cli.support.tables import show_with_remarks
    from idealrank.cli.support.terminal import notes
    from idealrank.evaluation.evaluator import Evaluator
    from idealrank.theory.distinguishing.distinctions import MEASURES, Distinctions, distinguish

    judged, answers = read_systems(data, kind, systems, group=group, quiet=quiet)
    documents, scores, remarks = Evaluator(judged).complete_lists(answers)
    notes(remarks, quiet=quiet)
    pairs = [
        distinguish(
            documents,
            scores[a],
            scores[b],
            measures or MEASURES,
            n_orders=orders,
            n_resamples=resamples,
            delta=risk,
            seed=seed,
            names=(a, b),
            order="grouped",
        )
        for a, b in combinations(scores, 2)
    ]
    found = Distinctions(tuple(pairs))
    show_with_remarks(found.table(), found.remarks(), output_format)
    if plot is not None:
        save_picture(pairs[0].plot().figure, plot)
    if html_path is not None:
        from idealrank.cli.support import reporting

        reporting.write(found, html_path, quiet=quiet)
