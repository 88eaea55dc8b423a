"""``idealrank explain``: why two tools give different numbers."""

from __future__ import annotations

from dataclasses import replace

import click

from idealrank.cli.support.request import Request, SystemsCommand
from idealrank.cli.support.shared_options import digits_option

__all__ = ["command"]


@click.command("explain", cls=SystemsCommand, without=("systems", "measures", "like"))
@click.argument("system")
@click.option("-m", "--measure", default="ndcg@10", show_default=True, metavar="MEASURE", help="The measure.")
@click.option("--like", multiple=True, metavar="TOOL", help="A tool whose conventions to compare; give two or more.")
@digits_option
def command(request: Request, system: str, measure: str, like: tuple[str, ...], digits: int) -> None:
    """Explain why two tools give different numbers for SYSTEM on the judged documents in DATA, one choice at a time.

    DATA and SYSTEM are given as for 'idealrank evaluate'. Starting from the first --like, the choices that differ from
    each other --like are changed one after the other. 'change' is the effect on the mean, 'queries' is the number of
    queries whose value changes, and 'most changed' lists the queries that change most. The changes add up to the whole
    difference. The explorer, a page of the documentation, shows the same in a browser.

    \b
    Examples:
      idealrank explain qrels.txt bm25.run --like trec_eval --like lightgbm
      idealrank explain test.txt scores.txt -m ap --like sklearn --like xgboost
    """
    if len(like) < 2:
        raise click.UsageError("two conventions or more are needed: --like trec_eval --like sklearn.")
    given = replace(request, systems=(system,)).inputs()
    (answer,) = given.systems.values()

    from idealrank.cli.support.status_line import working
    from idealrank.comparison.explain import explain

    rules = [request.with_choices(each) for each in like]
    with working(f"evaluating between {len(rules)} conventions", quiet=request.quiet):
        result = explain(given.data, answer, measure, like=rules)
    request.show(result, digits=digits)
