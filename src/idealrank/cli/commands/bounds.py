"""``idealrank bounds``: what unjudged documents could change."""

from __future__ import annotations

import click

from idealrank.cli.support.shared_options import count, one_measure_option, seed_option
from idealrank.cli.support.systems_command import Request, SystemsCommand


@click.command("bounds", cls=SystemsCommand, without=("measures", "unjudged"))
@one_measure_option
@click.option("--baseline", metavar="NAME", help="The system to compare the others with; the best by default.")
@click.option(
    "--unseen", default=0, **count(0), help="Allow for up to N relevant documents per query that no run retrieves."
)
@seed_option
def command(request: Request, measure: str, baseline: str | None, unseen: int, seed: int) -> None:
    """Compute the lowest and the highest mean of SYSTEMS over all labels that unjudged documents could have.

    DATA contains judgments and SYSTEMS are runs, as for 'idealrank evaluate'. 'value' treats unjudged documents as
    not relevant; 'expected' assumes that they are as relevant as judged documents at similar ranks; 'condensed'
    removes them from the ranking. If there are several systems, each is compared with the baseline, or with the best
    system: 'decided' says whether the same system is ahead for all labels.

    \b
    Examples:
      idealrank bounds qrels.txt bm25.run -m ndcg@10
      idealrank bounds qrels.txt *.run --baseline bm25
    """
    given = request.inputs()

    from idealrank.judging.unjudged.bounds import bounds

    chosen = request.baseline(baseline, given.systems)
    with request.working(f"bounding {measure}"):
        result = bounds(
            given.data, given.systems, measure, n_unseen=unseen, baseline=chosen, like=given.like, seed=seed
        )
    request.show(result)
