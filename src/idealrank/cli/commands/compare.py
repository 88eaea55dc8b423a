"""``idealrank compare``: which systems differ, by how much, and whether there are enough queries to tell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from idealrank.cli.support.options import by_option, weights_option
from idealrank.cli.support.request import Request, SystemsCommand, baseline_name

if TYPE_CHECKING:
    from idealrank.evaluation.comparison import Comparison

__all__ = ["command"]

_HELP = """\
Compare SYSTEMS on the judged documents in DATA. Both are as for 'idealrank evaluate'.

With --baseline, each other system is compared with the baseline by a paired randomization test, and the p-values are
corrected by Holm's method. Without it, all pairs are compared by the randomized Tukey HSD test. Means and their
intervals are those of 'idealrank evaluate' on the same systems: over the queries that all systems have. 'detectable' is
the smallest true difference that this many queries would detect with 80% power.

\b
Examples:
  idealrank compare qrels.txt bm25.run new.run -m ndcg@10 --baseline bm25
  idealrank compare qrels.txt *.run -m ndcg@10 --format latex
  idealrank compare test.txt a.txt b.txt --test t --seed 1
"""


@click.command("compare", cls=SystemsCommand, help=_HELP)
@weights_option
@by_option
@click.option("--baseline", metavar="NAME", help="The system that the others are compared with.")
@click.option(
    "--test",
    type=click.Choice(["randomization", "t", "wilcoxon", "sign", "bootstrap", "tukey"]),
    metavar="TEST",
    help="randomization, t, wilcoxon, sign, bootstrap or tukey.",
)
@click.option(
    "--correction",
    type=click.Choice(["holm", "benjamini_hochberg", "bonferroni", "none"]),
    default="holm",
    metavar="METHOD",
    help="holm (the default), benjamini_hochberg, bonferroni or none.",
)
@click.option("--level", type=float, default=0.05, show_default=True, metavar="P", help="Significance level.")
@click.option(
    "--permutations",
    "n_permutations",
    type=click.IntRange(1),
    default=10_000,
    show_default=True,
    metavar="N",
    help="Number of permutations.",
)
@click.option(
    "--intervals",
    "interval_method",
    type=click.Choice(["t", "percentile", "bca"]),
    default="t",
    metavar="METHOD",
    help="Intervals by Student's t (t, the default) or by a bootstrap: percentile or bca.",
)
@click.option("--seed", type=int, metavar="N", help="Seed of the random numbers; by default a new one, printed.")
def command(request: Request, query_weights: str | None, by: str | None, **options: Any) -> None:
    """Compare SYSTEMS on DATA; ``options`` are those of `Testing`."""
    judged, systems = request.read(least=2)

    from idealrank.evaluation.comparison import Testing

    named, measures = dict(systems), request.measures or ("ndcg@10",)
    options["baseline"] = baseline_name(options["baseline"], request.systems, list(named))
    evaluator = request.evaluator(judged, query_weights, by)
    found = Testing(**options).compare(evaluator.evaluate_all(named.items(), measures))
    _show(found, request.output_format, quiet=request.quiet)
    if request.html_path is not None:
        from idealrank.report import over_cutoffs

        depths = over_cutoffs(measures)
        request.write_page(found, evaluator.evaluate_all(named.items(), depths) if depths else None)


def _show(found: Comparison, output_format: str, *, quiet: bool) -> None:
    """Print a table per measure, the queries that changed most, how the p-values were computed, and the conventions."""
    from idealrank.cli.support.tables import show, show_remarks
    from idealrank.cli.support.terminal import quality

    quality(found.evaluations, quiet=quiet)
    if output_format == "json":
        click.echo(found.to_json())
        return
    changes = []
    if output_format in ("csv", "latex"):
        click.echo(found.to_csv() if output_format == "csv" else found.to_latex(), nl=False)
    else:
        for measure in found.values:
            for name in [measure] if found.baseline is not None else [f"means of {measure}", measure]:
                show(found.table(name), output_format)
                click.echo()
            if output_format == "text":
                changes += [
                    f"{measure}, {system} - {found.baseline}, most on: {queries}"
                    for system, queries in found.largest_changes(measure).items()
                ]
    if found.evaluations.has_categories:
        show(found.evaluations.table_of_categories(interval=True), output_format)
        click.echo()
    show_remarks([*changes, *found.remarks()], output_format)
