"""``idealrank agreement``: how similar the rankings of systems are, without judgments."""

from __future__ import annotations

import click

from idealrank.cli.support.result_command import Display, ResultCommand
from idealrank.cli.support.shared_options import column_options, count, one_of
from idealrank.cli.support.systems_command import named_systems


@click.command("agreement", cls=ResultCommand, without=("html_path",))
@click.argument("systems", nargs=-1, required=True)
@click.option(
    "-m",
    "--measure",
    "measures",
    multiple=True,
    metavar="MEASURE",
    help="A measure: rbo, rbo_min or tau_ap; may be repeated.",
)
@click.option("-p", type=float, default=0.9, show_default=True, help="Persistence of rank-biased overlap.")
@click.option("--depth", **count(1, metavar="K"), help="Compare the first K documents of each ranking; all by default.")
@click.option("--ties", **one_of("average docid_desc docid_asc", "ORDER", "Order of equal scores: {}.", "average"))
@click.option("--per-query", is_flag=True, help="Print one row per query instead of means.")
@column_options
def command(
    systems: tuple[str, ...],
    measures: tuple[str, ...],
    p: float,
    depth: int | None,
    ties: str,
    per_query: bool,
    display: Display,
    **columns: str | None,
) -> None:
    """Compare the rankings of SYSTEMS pair by pair, without judgments. SYSTEMS are runs, as for 'idealrank evaluate'.

    \b
    rbo      rank-biased overlap, extrapolated (Webber et al. 2010)
    rbo_min  its lower bound, whatever the rest of the rankings
    tau_ap   AP correlation of the documents that both retrieve (Yilmaz 2008)

    Values are means over the queries common to all systems. They are averaged over all orders of equal scores, or use
    the order given by --ties. Text output shows at most 30 pairs; --format csv shows all.

    \b
    Examples:
      idealrank agreement bm25.run dense.run
      idealrank agreement *.run -p 0.98 --depth 100 --format csv
    """
    if len(systems) < 2:
        raise click.UsageError("at least 2 systems are needed, got 1: add a run.")
    runs = named_systems(systems, columns, quiet=display.quiet)

    from idealrank.comparison.agreement import agreement

    chosen = [name for each in measures for name in each.replace(" ", "").split(",")] or ["rbo", "rbo_min", "tau_ap"]
    with display.working("comparing rankings"):
        result = agreement(runs, measures=chosen, p=p, depth=depth, ties=ties)
    display.show(result, tables=["queries"] if per_query else [])
