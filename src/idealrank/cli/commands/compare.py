"""``idealrank compare``: which systems differ, by how much, and whether there are enough queries to tell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from idealrank.cli.support.shared_options import (
    by_option,
    count,
    digits_option,
    level_option,
    one_of,
    seed_option,
    weights_option,
)
from idealrank.cli.support.systems_command import Request, SystemsCommand

if TYPE_CHECKING:
    from idealrank._present.result import Result


@click.command("compare", cls=SystemsCommand, measures=("ndcg@10",))
@weights_option
@by_option
@click.option("--baseline", metavar="NAME", help="The system to compare the others with.")
@click.option("--test", **one_of("t randomization wilcoxon sign bootstrap tukey", "TEST", "The test: {}.", "t"))
@click.option(
    "--correction",
    **one_of(
        "holm benjamini_hochberg bonferroni none", "METHOD", "The correction for multiple comparisons: {}.", "holm"
    ),
)
@level_option
@click.option(
    "--permutations", "n_permutations", **count(1, 10_000), help="Number of random permutations or bootstrap resamples."
)
@click.option(
    "--intervals",
    "interval_method",
    type=click.Choice(["score", "t", "percentile", "bca"]),
    default="score",
    metavar="METHOD",
    help="Intervals by the score method, which stays in the range of the measure (score, the default), by Student's t "
    "(t), or by a bootstrap: percentile or bca.",
)
@click.option("--machine", metavar="FILE", help="Machine judgments of all queries; DATA has the human ones.")
@click.option(
    "--human-sample",
    type=click.Choice(["queries", "documents"]),
    default="queries",
    metavar="KIND",
    help="With --machine: people judged some queries (queries, the default) or some documents of each (documents).",
)
@click.option("--these-queries", is_flag=True, help="With --machine: also show intervals for exactly these queries.")
@click.option(
    "--unjudged-bounds/--no-unjudged-bounds",
    default=None,
    help="Show what unjudged documents could change, or skip this computation.",
)
@seed_option
@click.option(
    "--all", "--verbose", "everything", is_flag=True, help="Print all rows and pairs, and every option of the measures."
)
@digits_option
@click.option("--underline", is_flag=True, help="Underline the second best means in LaTeX.")
def command(
    request: Request,
    query_weights: str | None,
    by: str | None,
    machine: str | None,
    human_sample: str,
    these_queries: bool,
    unjudged_bounds: bool | None,
    everything: bool,
    digits: int,
    underline: bool,
    **options: Any,
) -> None:
    """Compare SYSTEMS on the judged documents in DATA. Both are given as for 'idealrank evaluate'.

    By default, paired t tests with Holm's correction: each system against the --baseline, or all pairs. If unjudged
    documents alone could reverse a difference, a sentence says so.

    With --machine, DATA holds human judgments of some queries, or of some documents of every query, and FILE holds
    machine judgments of all; means and differences are estimated from both.

    \b
    Examples:
      idealrank compare qrels.txt bm25.run new.run -m ndcg@10 --baseline bm25
      idealrank compare qrels.txt *.run -m ndcg@10 --format latex
      idealrank compare test.txt a.txt b.txt --test tukey --seed 1
      idealrank compare human.qrels a.run b.run --machine llm.qrels
    """
    given = request.inputs(least=2)
    options["baseline"] = request.baseline(options["baseline"], given.systems)
    if machine is not None:
        _refuse_with_machine()
        from idealrank.judging.machine_judgments.compare_assisted import compare_assisted

        chosen = {name: options[name] for name in ("baseline", "level", "correction")}
        chosen |= {"like": given.like, "sample": human_sample, "these_queries": these_queries}
        with request.working("estimating differences"):
            result: Result = compare_assisted(given.data, machine, given.systems, request.measures, **chosen)
    elif these_queries:
        raise click.UsageError("--these-queries needs --machine: with human judgments only, nothing else is unknown.")
    else:
        from idealrank.comparison.compare import compare

        with request.working(f"comparing {len(given.systems):,} systems"):
            result = compare(
                given.data,
                given.systems,
                request.measures,
                like=given.like,
                query_weights=query_weights,
                by=by,
                unjudged_bounds=unjudged_bounds,
                for_report=request.html_path is not None,
                **options,
            )
    request.show(result, digits=digits, everything=everything, underline_second=underline)


#: Options that comparisons with machine judgments do not have.
_HUMAN_ONLY = ("query_weights", "by", "test", "interval_method", "unjudged_bounds", "html_path")


def _refuse_with_machine() -> None:
    """Raise a usage error if such an option was given."""
    context = click.get_current_context()
    for each in context.command.params:
        is_given = context.get_parameter_source(str(each.name)) is ParameterSource.COMMANDLINE
        if is_given and each.name in _HUMAN_ONLY:
            raise click.UsageError(f"{each.opts[0]} does not go with --machine.")
