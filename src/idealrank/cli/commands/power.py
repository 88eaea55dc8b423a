"""``idealrank power``: how many queries are needed to detect a difference."""

from __future__ import annotations

from typing import Any

import click

from idealrank.cli.support.shared_options import explain_option, level_option, probability
from idealrank.cli.support.systems_command import Request, SystemsCommand


@click.command("power", cls=SystemsCommand, measures=("ndcg@10",), without=("html_path",))
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
@click.option("--power", **probability(0.8), help="Probability of detecting the difference.")
@level_option
@explain_option
def command(request: Request, deltas: tuple[float, ...], power: float, level: float, explain: bool) -> None:
    """Plan an experiment: the number of queries needed to detect a difference of means.

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
    given = request.inputs(least=2)

    from idealrank.comparison.sample_sizes import power as queries_needed

    options: dict[str, Any] = {"deltas": deltas, "power": power, "level": level}
    with request.working("evaluating systems"):
        result = queries_needed(given.data, given.systems, request.measures, like=given.like, **options)
    request.show(result, reasons=explain)
