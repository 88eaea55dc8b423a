"""``idealrank distinguish``: which measures distinguish systems, and how many queries and documents that takes."""

from __future__ import annotations

from typing import Any

import click

from idealrank.cli.support.shared_options import PICTURE, count, explain_option, probability, seed_option
from idealrank.cli.support.systems_command import Request, SystemsCommand


@click.command("distinguish", cls=SystemsCommand, only=("ndcg", "dcg", "linear_ndcg"))
@click.option(
    "--orders", "n_orders", default=0, **count(0), help="Grow lists in N random orders instead of the order of DATA."
)
@click.option(
    "--permutations", "n_permutations", **count(1, 2_000), help="Number of random exchanges of two systems in the test."
)
@click.option("--risk", "delta", **probability(0.05), help="Probability of a wrong order.")
@seed_option
@click.option(
    "--plot", type=PICTURE, metavar="FILE", help="Plot wins by list length for the first pair: .svg, .png or .pdf."
)
@explain_option
def command(request: Request, plot: str | None, explain: bool, **options: Any) -> None:
    """Find which measures distinguish SYSTEMS, pair by pair, on the documents in DATA.

    DATA and SYSTEMS are given as for 'idealrank evaluate', and the means are the same. For 'documents', 'changes' and
    'theory', lists grow document by document, in the order of DATA. With judgments and runs, all judged documents are
    ranked, and those that a run does not retrieve come last. Measures that need the fewest queries come first.

    With more than two systems, a table counts for each measure the pairs that it distinguishes (with a p-value of at
    most --risk), the pairs whose order is certified, and the pairs that it distinguishes consistently; its 'queries'
    suffice for half of the pairs. With many pairs, text output shows only the closest; --format csv shows all.

    \b
    mean a, b   means over queries, as 'idealrank evaluate' gives them
    wins        share of queries on which the better system beats the other
    p           how often systems that do not differ show such a lead: p-value of
                the randomization test
    queries     queries needed to order the means correctly, except with
                probability --risk, if the true difference is the one seen here
    low, high   95% interval of that number
    certified   queries after which the winner is certified with error --risk
                (valid under repeated looks)
    documents   list length from which on the means stay in the right order
    changes     how often the lead changes while one list grows
    limit a, b  limits of both means as lists grow, over queries with relevant
                documents, according to theory
    theory      whether longer lists distinguish them: consistently (more and more
                reliably), in expectation (only on average over queries), or no

    \b
    Examples:
      idealrank distinguish test.txt new.txt old.txt
      idealrank distinguish qrels.txt new.run old.run -m ndcg@10 -m ndcg
      idealrank distinguish test.txt new.txt old.txt --plot wins.svg
    """
    given = request.inputs(least=2)

    from idealrank.cli.support.result_command import save_picture
    from idealrank.theory import distinguish
    from idealrank.theory.long_lists.measure_discount import MEASURES

    with request.working("measuring systems on growing lists") as say_that:
        options["progress"] = lambda done, total: say_that(f"comparing pair {done:,} of {total:,}")
        result = distinguish(given.data, given.systems, request.measures or MEASURES, like=given.like, **options)
    if plot is not None:
        save_picture(result.pairs[0].plot().figure, plot)
    request.show(result, reasons=explain)
