"""``idealrank explain``: why two tools give different numbers."""

from __future__ import annotations

from dataclasses import replace

import click

from idealrank.cli.support.shared_options import digits_option, one_measure_option
from idealrank.cli.support.systems_command import Request, SystemsCommand


@click.command("explain", cls=SystemsCommand, without=("systems", "measures", "like"))
@click.argument("system")
@one_measure_option
@click.option("--like", multiple=True, metavar="TOOL", help="A tool whose conventions to compare; give two or more.")
@click.option("--published", metavar="NUMBER", help="A published number: search for the settings that give it.")
@digits_option
def command(
    request: Request, system: str, measure: str, like: tuple[str, ...], published: str | None, digits: int
) -> None:
    """Explain why two tools give different numbers for SYSTEM on the judged documents in DATA, one choice at a time.

    DATA and SYSTEM are given as for 'idealrank evaluate'. Starting from the first --like, the choices that differ from
    each other --like are changed one at a time. 'change' is the effect on the mean, 'queries' is the number of queries
    whose value changes, and 'most changed' lists the queries that change most. The changes add up to the whole
    difference. The explorer, a page of the documentation, shows the same in a browser.

    With --published, the command searches for settings that give a published number: tools, and up to two changes of
    options and of choices about the data. 'by chance' is the share of nearby numbers that a setting at least as
    plausible gives.

    \b
    Examples:
      idealrank explain qrels.txt bm25.run --like trec_eval --like lightgbm
      idealrank explain test.txt scores.txt -m ap --like sklearn --like xgboost
      idealrank explain qrels.txt bm25.run -m ap --published 0.3013
    """
    if published is None and len(like) < 2:
        raise click.UsageError(
            "two conventions or more are needed: --like trec_eval --like sklearn; or a published number: "
            "--published 0.3013."
        )
    if published is not None and len(like) > 1:
        raise click.UsageError("--published needs one --like at most: the tool that you use.")
    given = replace(request, systems=(system,)).inputs()
    (answer,) = given.systems.values()

    from idealrank.comparison.explain import Explanation, explain
    from idealrank.comparison.published import PublishedExplanation

    rules = [request.with_choices(each) for each in like]
    result: Explanation | PublishedExplanation
    if published is None:
        with request.working(f"evaluating between {len(rules)} conventions"):
            result = explain(given.data, answer, measure, like=rules)
    else:
        with request.working(f"searching for {published}"):
            result = explain(given.data, answer, measure, like=rules[0] if rules else given.like, published=published)
    request.show(result, digits=digits)
