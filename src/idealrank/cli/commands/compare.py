"""``idealrank compare``: which systems differ, by how much, and whether there are enough queries to tell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from idealrank.cli.support.request import Request, SystemsCommand, baseline_name
from idealrank.cli.support.shared_options import by_option, digits_option, level_option, weights_option

if TYPE_CHECKING:
    from idealrank._present.table import Table
    from idealrank.comparison.comparison_result import Comparison
    from idealrank.judging.machine_judgments.assisted import AssistedComparison

__all__ = ["command"]

_HELP = """\
Compare SYSTEMS on the judged documents in DATA. Both are given as for 'idealrank evaluate'.

With --baseline, each other system is compared with the baseline by a paired randomization test. Without it, all pairs
are compared by paired t tests, and the table shows the difference of each system from the best one. P-values are
corrected by Holm's method. Means and intervals are the same as in 'idealrank evaluate': over the queries that all
systems have. 'detectable' is the smallest true difference that this many queries would detect with 80% power.

If unjudged documents alone could reverse a difference, a sentence says so; --holes shows the numbers, and 'idealrank
judge-next' lists the documents to judge. With --machine, DATA has human judgments of some queries, or of some documents
of every query, and FILE has machine judgments of all of them; means and differences are estimated from both.

A narrow terminal shows the most important columns. --format csv prints all numbers, and --format latex prints a table
for a paper.

\b
Examples:
  idealrank compare qrels.txt bm25.run new.run -m ndcg@10 --baseline bm25
  idealrank compare qrels.txt *.run -m ndcg@10 --format latex
  idealrank compare test.txt a.txt b.txt --test tukey --seed 1
  idealrank compare human.qrels a.run b.run --machine llm.qrels
"""


#: Most rows of a table of details, and most systems whose queries are listed.
_N_ROWS, _N_CHANGES = 10, 5


class _Shown(NamedTuple):
    """How much of a comparison is printed, and in which form."""

    everything: bool
    digits: int
    underline: bool
    holes: bool


@click.command("compare", cls=SystemsCommand, help=_HELP, measures=("ndcg@10",))
@weights_option
@by_option
@click.option("--baseline", metavar="NAME", help="The system that the others are compared with.")
@click.option(
    "--test",
    type=click.Choice(["randomization", "t", "wilcoxon", "sign", "bootstrap", "tukey"]),
    metavar="TEST",
    help="The test: randomization (the default with --baseline), t (the default without), wilcoxon, sign, bootstrap or "
    "tukey.",
)
@click.option(
    "--correction",
    type=click.Choice(["holm", "benjamini_hochberg", "bonferroni", "none"]),
    default="holm",
    metavar="METHOD",
    help="The correction for multiple comparisons: holm (the default), benjamini_hochberg, bonferroni or none.",
)
@level_option
@click.option(
    "--permutations",
    "n_permutations",
    type=click.IntRange(1),
    default=10_000,
    show_default=True,
    metavar="N",
    help="Number of random permutations or bootstrap resamples.",
)
@click.option(
    "--intervals",
    "interval_method",
    type=click.Choice(["t", "percentile", "bca"]),
    default="t",
    metavar="METHOD",
    help="Intervals by Student's t (t, the default) or by a bootstrap: percentile or bca.",
)
@click.option("--machine", metavar="FILE", help="Machine judgments of all queries; DATA has the human ones.")
@click.option(
    "--human-sample",
    type=click.Choice(["queries", "documents"]),
    default="queries",
    metavar="KIND",
    help="With --machine: people judged some queries (queries, the default) or some documents of each (documents).",
)
@click.option(
    "--holes/--no-holes", default=None, help="Show what unjudged documents could change, or skip this computation."
)
@click.option(
    "--seed",
    type=click.IntRange(0),
    metavar="N",
    help="Seed of the random number generator; by default, a random seed, which is printed if it was needed.",
)
@click.option("--all", "everything", is_flag=True, help="Print all rows and all pairs as text, not only the first.")
@digits_option
@click.option("--underline", is_flag=True, help="Underline the second best means in LaTeX.")
def command(
    request: Request,
    query_weights: str | None,
    by: str | None,
    machine: str | None,
    human_sample: str,
    holes: bool | None,
    everything: bool,
    digits: int,
    underline: bool,
    **options: Any,
) -> None:
    """Compare SYSTEMS on DATA; ``options`` are those of `ComparisonOptions`."""
    if machine is not None:
        _refuse_with_machine(request, query_weights, by, holes, options)
    judged, systems = request.read(least=2)

    from idealrank.cli.support.status_line import working
    from idealrank.cli.support.terminal import quality
    from idealrank.comparison.comparison import ComparisonOptions
    from idealrank.comparison.unjudged_bounds import with_bounds

    with working("reading systems", quiet=request.quiet) as say_that:
        named, measures = dict(systems), request.measures
        options["baseline"] = baseline_name(options["baseline"], request.systems, list(named))
        evaluator = request.evaluator(judged, query_weights, by)
        if machine is not None:
            from idealrank.judging.machine_judgments.assisted import compare_assisted

            chosen = {name: options[name] for name in ("baseline", "correction", "level")}
            rules = evaluator.convention
            assisted = compare_assisted(judged, machine, named, measures, like=rules, sample=human_sample, **chosen)
            _show_assisted(assisted, request.output_format, digits)
            return
        say_that(f"evaluating {len(named):,} systems")
        evaluations = evaluator.evaluate_all(named.items(), measures)
        say_that(f"comparing {len(named):,} systems on {evaluations.n_queries:,} queries")
        found = ComparisonOptions(**options).compare(evaluations)
        found = with_bounds(found, evaluator, named, measures, holes=holes)
    _show(found, request.output_format, _Shown(everything, digits, underline, bool(holes)))
    quality(found.evaluations, quiet=request.quiet)
    if request.html_path is not None:
        from idealrank.report import Rankings, over_cutoffs

        with working("evaluating at more cutoffs", quiet=request.quiet):
            depths = over_cutoffs(measures)
            curves = evaluator.evaluate_all(named.items(), depths) if depths else None
            lists = Rankings.of(evaluator, named.items(), measures)
        request.write_page(found, curves, lists)


def _refuse_with_machine(
    request: Request, query_weights: str | None, by: str | None, holes: bool | None, options: Mapping[str, Any]
) -> None:
    """Raise a usage error for options that comparisons with machine judgments do not have."""
    given = {"--query-weights": query_weights, "--by": by, "--holes": holes, "--html": request.html_path}
    if options["test"] not in (None, "t") or options["interval_method"] != "t":
        raise click.UsageError("--machine has intervals and tests by Student's t: leave out --test and --intervals.")
    for name, value in given.items():
        if value is not None:
            raise click.UsageError(f"{name} does not go with --machine.")


def _show_assisted(found: AssistedComparison, output_format: str, digits: int) -> None:
    """Print what was found with human and machine judgments."""
    from idealrank.cli.support.printed_tables import show, show_remarks, show_result
    from idealrank.cli.support.terminal import say

    if output_format == "json":
        show_result(found, "json")
        return
    if output_format == "text":
        for finding in found.findings():
            say(finding)
    tables = [f"differences of {name}" for name in found.differences]
    if output_format != "csv":
        tables = [*(f"means of {name}" for name in found.means), *tables, "labels"]
    for name in tables:
        click.echo(err=output_format == "csv")
        show(found.table(name), output_format, digits=digits)
    click.echo(err=output_format == "csv")
    show_remarks(found.remarks(), output_format)


def _show(found: Comparison, output_format: str, shown: _Shown) -> None:
    """Print the result in the format that was asked for."""
    from idealrank.cli.support.printed_tables import show, show_remarks
    from idealrank.cli.support.terminal import echo

    if output_format == "json":
        click.echo(found.to_json())
        return
    if output_format == "text":
        _show_text(found, shown)
    elif output_format == "csv":
        echo(found.to_csv(), nl=False)
    elif output_format == "latex":
        echo(found.to_latex(digits=shown.digits, underline_second=shown.underline), nl=False)
    else:
        echo(found.to_markdown(digits=shown.digits))
    more: list[Table] = []
    if shown.holes:
        names = [name for each in found.holes for name in (f"unjudged by {each}", f"unjudged differences by {each}")]
        more += map(found.table, names)
    if found.evaluations.has_categories:
        more.append(found.evaluations.table_of_categories(interval=True))
    for table in more:
        click.echo(err=output_format == "csv")
        show(table, output_format, digits=shown.digits)
    if more:
        click.echo(err=output_format == "csv")
    show_remarks(found.remarks(), output_format)


def _show_text(found: Comparison, shown: _Shown) -> None:
    """Print what was found in a sentence per measure, the systems, and the details, of which there may be many."""
    from idealrank.cli.support.printed_tables import show_together
    from idealrank.cli.support.terminal import say
    from idealrank.comparison.comparison_tables import columns_text

    tables: list[tuple[Table, int | None]] = []

    def show(name: str, n_rows: int | None = None, *, is_told: bool = True) -> None:
        table = found.table(name).with_digits(shown.digits)
        tables.append((table if is_told else replace(table, notes=()), n_rows))

    for finding in found.findings():
        say(finding)
    several = len(found.values) > 1
    if several:  # all measures next to each other, then each by itself
        show("letters")
    notes = [found.table(f"systems by {measure}").notes for measure in found.values]
    for place, measure in enumerate(found.values):
        # Equal notes of several tables are below the last of them.
        is_told = notes[place] not in notes[place + 1 :] and not (several and found.baseline is not None)
        show(f"systems by {measure}", _N_ROWS if several and not shown.everything else None, is_told=is_told)
        if found.baseline is None and shown.everything:
            show(measure)
    show_together(tables, more="; --all shows them")
    details = list(_details(found, shown))
    click.echo()
    for line in details:
        say(line)
    if details:
        click.echo()
    say(columns_text(found))


def _details(found: Comparison, shown: _Shown) -> Iterator[str]:
    """Yield the queries on which systems differ most from the baseline, or how many pairs were tested."""
    if found.baseline is None:
        n_pairs = len(next(iter(found.differences.values())))
        if n_pairs > 1 and not shown.everything:
            yield f"{n_pairs:,} pairs were tested; --all shows each, and --format csv has all numbers"
        return
    for measure in found.values:
        changes = found.largest_changes(measure)
        ranked = [system for system in found.ranked() if system in changes]
        some = ranked if shown.everything else ranked[:_N_CHANGES]
        for system in some:
            yield f"{measure}, {system} - {found.baseline}, largest differences: {changes[system]}"
        if rest := len(ranked) - len(some):
            more = f"{rest} more {'system' if rest == 1 else 'systems'}"
            yield f"{measure}: {more}; --all shows their largest differences"
