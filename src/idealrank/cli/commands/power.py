"""``idealrank power``: how many queries a difference needs to be seen."""

from __future__ import annotations

import click

from idealrank.cli.support.help import Command
from idealrank.cli.support.kinds import kind_of_judged
from idealrank.cli.support.options import (
    data_options,
    debug_option,
    format_option,
    like_option,
    measures_option,
    quiet_option,
)

__all__ = ["command"]

_HELP = """\
Plan an experiment: how many queries show a difference of means, going by SYSTEMS on the judged documents in DATA.

DATA and SYSTEMS, two or more, are as for 'idealrank evaluate'; they are the pilot that says how much values vary.
't' is a paired t test of two systems, 'anova' finds out whether any of the systems differ, 'interval' is an interval
of a difference as wide as --delta; 'order' has the two means in the right order but for a risk of --level, 'any_order'
too, whatever the distribution of the values.

\b
Examples:
  idealrank power qrels.txt bm25.run new.run -m ndcg@10 -m ap --delta 0.02
  idealrank power qrels.txt *.run --delta 0.01 --delta 0.05 --power 0.9
"""


@click.command("power", cls=Command, help=_HELP)
@click.argument("data")
@click.argument("systems", nargs=-1)
@measures_option
@like_option
@click.option("--delta", "deltas", type=float, multiple=True, default=[0.05], metavar="D", help="Difference to see.")
@click.option("--power", type=float, default=0.8, show_default=True, metavar="P", help="Chance to see it.")
@click.option("--level", type=float, default=0.05, show_default=True, metavar="P", help="What is called significant.")
@data_options
@format_option
@quiet_option
@debug_option
def command(
    data: str,
    systems: tuple[str, ...],
    measures: tuple[str, ...],
    like: str | None,
    deltas: tuple[float, ...],
    power: float,
    level: float,
    from_kind: str | None,
    group: str | None,
    output_format: str,
    quiet: bool,
) -> None:
    """Plan an experiment from SYSTEMS on DATA."""
    kind = kind_of_judged(data, from_kind, systems, least=2)

    from idealrank.cli.support.evaluating import read_systems
    from idealrank.cli.support.tables import Column, Table, show
    from idealrank.cli.support.terminal import notes
    from idealrank.evaluation.comparison import common_queries
    from idealrank.evaluation.evaluator import Evaluator
    from idealrank.stats import queries_for
    from idealrank.stats.power import DESIGNS

    judged, answers = read_systems(data, kind, systems, group=group, quiet=quiet)
    names = list(measures) or ["ndcg@10"]
    evaluations = Evaluator(judged, like).evaluate_all(answers, names)
    notes(sorted(map(str, evaluations.problems)), quiet=quiet)
    query_ids, values = common_queries(evaluations)
    rows = []
    for measure, matrix in values.items():
        for delta in deltas:
            plans = {design: queries_for(delta, matrix, design=design, power=power, level=level) for design in DESIGNS}
            rows.append([measure, delta, *(plans[design].n_queries for design in DESIGNS), plans["t"].variance ** 0.5])
    columns = [
        Column("measure"),
        Column("delta", "g"),
        *(Column(design, ",") for design in DESIGNS),
        Column("sd", ".4f"),
    ]
    show(Table(columns, rows), output_format)
    if output_format == "text":
        click.echo(
            f"\nqueries needed at level {level:g} and power {power:g}, going by {len(query_ids):,} queries; "
            "sd: of the difference of two systems on a query"
        )
        for line in evaluations.remarks():
            click.echo(line)
