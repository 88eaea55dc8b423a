"""``idealrank limits``: limits of the NDCG of systems as lists grow."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import click

from idealrank.cli.support.options import OUTPUT
from idealrank.cli.support.request import Request, SystemsCommand

if TYPE_CHECKING:
    from idealrank._typing import Floats
    from idealrank.cli.support.tables import Value
    from idealrank.data.ranking import RankingData

__all__ = ["command"]

_HELP = """\
Show the limit of the NDCG of SYSTEMS as lists grow, estimated from the documents in DATA.

DATA and SYSTEMS are as for 'idealrank evaluate'. The relevance at each position of a system's lists is estimated as a
curve. From the curve, the theorems of Wang et al. (2013) give NDCG on longer lists of the same kind.

\b
now       mean over queries on the given lists
expected  value that the curve gives for lists of this length
limit     value for ever longer lists; empty if NDCG stays random
spread    standard deviation of NDCG on one long list if it stays random
sees      what determines the limit: the whole list, its top, a few ranks

\b
Examples:
  idealrank limits test.txt scores.txt
  idealrank limits qrels.txt bm25.run -m ndcg -m ndcg@10 -m ndcg@20%
  idealrank limits test.txt scores.txt --method isotonic --plot curve.svg
"""


@click.command("limits", cls=SystemsCommand, help=_HELP, without=("like",))
@click.option(
    "--method",
    type=click.Choice(["top", "bins", "isotonic"]),
    default="top",
    metavar="METHOD",
    help="How to estimate curves: bins that are finer at the top (top, the default), equal bins (bins), or isotonic.",
)
@click.option("--plot", type=OUTPUT, metavar="FILE", help="Plot the curves: .svg, .png or .pdf.")
def command(request: Request, method: str, plot: str | None) -> None:
    """Show the limit of the NDCG of SYSTEMS."""
    documents, scores = request.read_complete()

    from idealrank.cli.support.pictures import save_picture
    from idealrank.cli.support.tables import Column, Table, show
    from idealrank.theory.distinguishing.distinctions import MEASURES
    from idealrank.theory.distinguishing.plots import plot_curves
    from idealrank.theory.long_lists.steps import StepCurve

    rows = [
        [name, measure, *_prospect(measure, documents, column, method)]
        for name, column in scores.items()
        for measure in request.measures or MEASURES
    ]
    numbers = [Column(name, ".4f") for name in ("now", "expected", "limit", "spread")]
    table = Table([Column("system"), Column("measure"), *numbers, Column("sees")], rows)
    show(table, request.output_format)
    if plot is None and request.html_path is None:
        return
    curves = {
        name: StepCurve.fit(documents.labels, column, documents.offsets, method=method)
        for name, column in scores.items()
    }
    if plot is not None:
        save_picture(plot_curves(curves).figure, plot)
    if request.html_path is not None:
        from idealrank.cli.support.reporting import write_sections
        from idealrank.report import Figure, Section

        told = "the expected label of a document by its position in the list, 1 at the top"
        figure = Figure("relevance_curves", (curves,), "Relevance curves", told)
        title = "Now and on longer lists"
        section = Section(title, parts=(Section(tables={title: table}), Section(figures=(figure,))))
        write_sections(f"Limits of NDCG: {', '.join(scores)}", [], [section], request.html_path, quiet=request.quiet)


_SEES = {"list": "the list", "top": "its top", "few": "a few ranks", "undecided": "not known"}


def _prospect(name: str, documents: RankingData, scores: Floats, method: str) -> list[Value]:
    """Return the mean, the expected value at this length, the limit, the spread if there is none, and what decides."""
    import numpy as np

    from idealrank.errors import DataError
    from idealrank.measures import measure
    from idealrank.theory import StepCurve, bounded_law, limit, pseudo_expectation
    from idealrank.theory.long_lists.limits import sees
    from idealrank.theory.long_lists.weighting import Weighting

    m = measure(name)
    seen = sees(Weighting.of(m))
    labels, offsets = np.nan_to_num(documents.labels), documents.offsets
    curve = StepCurve.fit(m.with_convention().gain(labels), scores, offsets, method=method)  # type: ignore[attr-defined]
    values = m(labels, scores, offsets)
    try:
        expected = pseudo_expectation(m, curve, float(np.median(np.diff(offsets))))
    except DataError:  # less than one relevant document is expected
        expected = float("nan")
    random = seen in ("few", "undecided") and curve.top_variance > 0
    return [
        float(values[[bool(labels[first:last].any()) for first, last in pairwise(offsets)]].mean()),
        None if np.isnan(expected) else expected,
        None if random else limit(m, curve),
        bounded_law(m, curve).sd if random and seen == "few" else None,
        _SEES[seen],
    ]
