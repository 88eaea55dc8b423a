"""``idealrank power``: how many queries are needed to detect a difference."""

from __future__ import annotations

from typing import Any

import click

from idealrank.cli.support.options import level_option
from idealrank.cli.support.reading import explain_option, show_reading, show_reasons
from idealrank.cli.support.request import Request, SystemsCommand

__all__ = ["command"]

_HELP = """\
Plan an experiment: the number of queries needed to detect a difference of means.

DATA and SYSTEMS, two or more, are as for 'idealrank evaluate'. They are the pilot from which variances are estimated.

\b
delta      true difference of two means
t          queries with which a paired t test detects it
anova      queries with which an analysis of variance detects it, if the best
           and the worst of the systems differ by it
interval   queries for a confidence interval that is no wider than delta
order      queries for the right order of two means with probability 1 - level
any_order  the same, whatever the distribution of values between 0 and 1
sd         standard deviation of the per-query difference of two systems

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
@level_option
@explain_option
def command(request: Request, deltas: tuple[float, ...], power: float, level: float, explain: bool) -> None:
    """Plan an experiment from SYSTEMS on DATA."""
    judged, systems = request.read(least=2)

    from idealrank.cli.support.tables import Column, Table, show
    from idealrank.cli.support.terminal import quality, say
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
        click.echo()
        say(f"{needed}; sd: standard deviation of the per-query difference of two systems")
        for line in evaluations.remarks()[1:]:
            say(line)
        if not request.quiet:
            show_reading("How to read the first row:", _reading(rows[0], power, level))
        if explain:
            show_reasons("Why:", _REASONS)


def _reading(row: list[Any], power: float, level: float) -> dict[str, str]:
    """What the columns say, in words."""
    measure, delta, t, anova, interval, order, any_order, sd = row
    found = f"if two systems truly differ by {delta:g} in mean {measure}"
    right = f"the better one has the higher mean with a probability of {1 - level:.0%}"
    return {
        "delta": f"{found}, then:",
        "t": f"with {t:,} queries, a paired t test at level {level:g} detects it in {power:.0%} of experiments",
        "anova": f"with {anova:,} queries, so does an analysis of variance over as many systems as here",
        "interval": f"with {interval:,} queries, the {1 - level:.0%} interval of the difference is {delta:g} wide",
        "order": f"with {order:,} queries, {right}",
        "any_order": f"with {any_order:,} queries, so it does whatever the distribution of values between 0 and 1",
        "sd": f"on one query, the difference of two systems varies with a standard deviation of {sd:.4f}",
    }


_REASONS = {
    "t": ["The power of the paired t test, from the noncentral t distribution (Sakai 2016)."],
    "anova": [
        "The power of the F test of a two-way analysis of variance, from the noncentral F distribution, if the best "
        "and the worst system differ by delta and all others are halfway between them (Sakai 2016)."
    ],
    "interval": ["The expected width of the t interval of the mean difference is at most delta (Sakai 2016)."],
    "order": [
        "The mean of n differences is normal with variance sd^2 / n; it has the right sign with probability 1 - level "
        "if n is (z sd / delta)^2, z the quantile of the normal distribution."
    ],
    "any_order": [
        "Hoeffding's inequality: the mean of n differences between -1 and 1 has the wrong sign with a probability of "
        "at most exp(-n delta^2 / 2)."
    ],
}
