"""``idealrank judge-next``: which documents to judge so that the order of systems is decided soonest."""

from __future__ import annotations

import click

from idealrank.cli.support.shared_options import count, one_measure_option
from idealrank.cli.support.systems_command import Request, SystemsCommand


@click.command("judge-next", cls=SystemsCommand, without=("measures", "unjudged", "html_path"))
@one_measure_option
@click.option("-n", "n", **count(1, 10), help="Number of documents.")
@click.option("--baseline", metavar="NAME", help="The system to compare the others with; the best by default.")
def command(request: Request, measure: str, n: int, baseline: str | None) -> None:
    """Choose the unjudged documents whose labels could change the order of SYSTEMS most.

    DATA contains judgments and SYSTEMS are runs, as for 'idealrank evaluate'. 'effect' is how much the label of this
    document alone could change the mean difference, summed over the pairs of systems whose order is undecided; with
    one system, its mean. The columns after it show the rank of the document in each system.

    \b
    Examples:
      idealrank judge-next qrels.txt bm25.run new.run -m ndcg@10 -n 20
      idealrank judge-next qrels.txt *.run --format csv > to_judge.csv
    """
    given = request.inputs()

    from idealrank.judging.unjudged.judge_next import judge_next

    chosen = request.baseline(baseline, given.systems)
    with request.working("choosing documents"):
        result = judge_next(given.data, given.systems, measure, n=n, baseline=chosen, like=given.like)
    request.show(result)
