"""``idealrank power``: how many queries are needed to detect a difference."""

from __future__ import annotations

import click

from idealrank.cli.support.request import Request, SystemsCommand

__all__ = ["command"]

_HELP = """\
Plan an experiment: the number of queries needed to detect a difference of means.

DATA and SYSTEMS, two or more, are as for 'idealrank evaluate'. They are the pilot from which variances are estimated.
't' is a paired t test of two systems; 'anova' tests whether any of the systems differ; 'interval' is an interval of the
difference that is --delta wide; 'order' has the two means in the right order except for a risk of --level; 'any_order'
is the same for any distribution of the values.

\b
Examples:
  idealrank power qrels.txt bm25.run new.run -m ndcg@10 -m ap --delta 0.02
  idealrank power qrels.txt *.run --delta 0.01 --delta 0.05 --power 0.9
"""


@click.command("power", cls=SystemsCommand, help=_HELP, without=("html_path",))
@click.option(
    "--delta", "deltas", type=float, multiple=True, default=[0.05], metavar="D", help="Difference; may be repeated."
)
@click.option("--power", type=float, default=0.8, show_default=True, metavar="P", help="Probability of detecting it.")
@click.option("--level", type=float, default=0.05, show_default=True, metavar="P", help="Significance level.")
def command(request: Request, deltas: tuple[float, ...], power: float, level: float) -> None:
    """Plan an experiment from SYSTEMS on DATA."""
    judged, systems = request.read(least=2)

    from idealrank.cli.support.tables import Column, Table, show
    from idealrank.cli.support.terminal import echo, quality
    from idealrank.evaluation.comparison import common_queries
    from idealrank.evaluation.evaluator import Evaluator
    from idealrank.stats import queries_for
    from idealrank.stats.power import DESIGNS

    evaluations = Evaluator(judged, request.convention_of(judged)).evaluate_all(
        systems, request.measures or ("ndcg@10",)
    )
    quality(evaluations, quiet=request.quiet)
    _, values = common_queries(evaluations)
    rows = []
    for measure, matrix in values.items():
        for delta in deltas:
            plans = [queries_for(delta, matrix, design=design, power=power, level=level) for design in DESIGNS]
            rows.append([measure, delta, *(plan.n_queries for plan in plans), plans[0].variance ** 0.5])
    designs = [Column(design, ",") for design in DESIGNS]
    show(Table([Column("measure"), Column("delta", "g"), *designs, Column("sd", ".4f")], rows), request.output_format)
    if request.output_format == "text":
        needed = f"queries needed at level {level:g} and power {power:g}, based on {evaluations.n_queries:,} queries"
        click.echo(f"\n{needed}; sd: standard deviation of the per-query difference of two systems")
        echo("\n".join(evaluations.remarks()[1:]))
