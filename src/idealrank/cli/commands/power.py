"""``idealrank power``: how many queries are needed to detect a difference."""

from __future__ import annotations

from typing import Any

import click

from idealrank._present.pluralize import counted
from idealrank.cli.support.column_help import explain_option, show_reading, show_reasons
from idealrank.cli.support.request import Request, SystemsCommand
from idealrank.cli.support.shared_options import PROBABILITY, level_option

__all__ = ["command"]

_HELP = """\
Plan an experiment: the number of queries needed to detect a difference of means.

DATA and two or more SYSTEMS are given as for 'idealrank evaluate'. They are the pilot data from which variances are
estimated.

\b
delta      true difference of two means
t          queries that a paired t test needs to detect it
anova      queries that an analysis of variance needs to detect it, if the
           best and the worst system differ by delta
interval   queries for a confidence interval that is no wider than delta
order      queries to order two means correctly with probability 1 - level
any_order  the same for any distribution of values between 0 and 1
sd         standard deviation of the per-query difference of two systems

\b
Examples:
  idealrank power qrels.txt bm25.run new.run -m ndcg@10 -m ap --delta 0.02
  idealrank power qrels.txt *.run --delta 0.01 --delta 0.05 --power 0.9
"""


@click.command("power", cls=SystemsCommand, help=_HELP, measures=("ndcg@10",), without=("html_path",))
@click.option(
    "--delta",
    "deltas",
    type=click.FloatRange(0, min_open=True),
    multiple=True,
    default=[0.05],
    metavar="D",
    show_default=True,
    help="True difference of two means; may be repeated.",
)
@click.option(
    "--power",
    type=PROBABILITY,
    default=0.8,
    show_default=True,
    metavar="P",
    help="Probability of detecting the difference.",
)
@level_option
@explain_option
def command(request: Request, deltas: tuple[float, ...], power: float, level: float, explain: bool) -> None:
    """Plan an experiment from SYSTEMS on DATA."""
    given = request.inputs(least=2)

    from idealrank.evaluation.inputs import judged_and_each_system

    judged, systems = judged_and_each_system(given.data, given.systems)

    from idealrank.cli.support.printed_tables import Column, Table, show
    from idealrank.cli.support.status_line import working
    from idealrank.cli.support.terminal import say
    from idealrank.comparison.comparison import common_queries
    from idealrank.evaluation.evaluator import Evaluator
    from idealrank.stats import queries_for
    from idealrank.stats.power import DESIGNS

    rows = []
    with working("evaluating systems", quiet=request.quiet):
        evaluator = Evaluator(judged, given.like)
        evaluations = evaluator.evaluate_all(systems, request.measures)
        _, values = common_queries(evaluations)
        for measure, matrix in values.items():
            for delta in deltas:
                plans = [queries_for(delta, matrix, design=design, power=power, level=level) for design in DESIGNS]
                rows.append([measure, delta, *(plan.n_queries for plan in plans), plans[0].variance ** 0.5])
    if request.output_format == "text":
        test = f"a paired t test at level {level:g} needs {rows[0][2]:,} queries"
        have = counted(evaluations.n_queries, "query")
        what = f"a true difference of {rows[0][1]:g} in mean {rows[0][0]} with {_percent(power)} power"
        n_others = len(rows) - 1
        others = f" The table has {n_others:,} more {'row' if n_others == 1 else 'rows'}." if n_others else ""
        say(f"To detect {what}, {test}; these data have {have}.{others}")
        click.echo()
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
    interval_text = f"the {_percent(1 - level)} interval of the difference is at most {delta:g} wide"
    found = f"if two systems truly differ by {delta:g} in mean {measure}"
    right = f"the better one has the higher mean with a probability of {_percent(1 - level)}"
    return {
        "delta": f"{found}, then:",
        "t": f"with {t:,} queries, a paired t test at level {level:g} detects it in {_percent(power)} of experiments",
        "anova": f"with {anova:,} queries, so does an analysis of variance of as many systems as here",
        "interval": f"with {interval:,} queries, {interval_text}",
        "order": f"with {order:,} queries, {right}",
        "any_order": f"with {any_order:,} queries, the same holds for any distribution of values between 0 and 1",
        "sd": f"on one query, the difference of two systems varies with a standard deviation of {sd:.4f}",
    }


def _percent(share: float) -> str:
    """Return a percentage that is not rounded to 100."""
    return f"{100 * share:.4g}%"


_REASONS = {
    "t": ["The power of the paired t test, from the noncentral t distribution (Sakai 2016)."],
    "anova": [
        "The power of the F test of a two-way analysis of variance, from the noncentral F distribution, if the best "
        "and the worst system differ by delta and all others are halfway between them (Sakai 2016)."
    ],
    "interval": ["The expected width of the t interval of the mean difference is at most delta (Sakai 2016)."],
    "order": [
        "The mean of n differences is normal with variance sd^2 / n; it has the right sign with probability 1 - level "
        "if n is (z sd / delta)^2, where z is the quantile of the normal distribution."
    ],
    "any_order": [
        "Hoeffding's inequality: the mean of n differences between -1 and 1 has the wrong sign with a probability of "
        "at most exp(-n delta^2 / 2)."
    ],
}
