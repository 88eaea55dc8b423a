"""``idealrank limits``: where the NDCG of systems is going as their lists grow."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import click

from idealrank._typing import Booleans, Floats, Int64s
from idealrank.cli.support.help import Command
from idealrank.cli.support.kinds import kind_of_judged
from idealrank.cli.support.options import (
    data_options,
    debug_option,
    format_option,
    html_option,
    measures_option,
    quiet_option,
)

if TYPE_CHECKING:
    from idealrank.cli.support.tables import Value
    from idealrank.data.ranking import RankingData

__all__ = ["command"]

_HELP = """\
Tell where the NDCG of SYSTEMS is going as lists grow, from the documents in DATA.

DATA and SYSTEMS are as for 'idealrank evaluate'. How relevant documents are at each place of a system's lists is
estimated as a curve, and the theorems of Wang et al. 2013 say what becomes of NDCG on longer lists of that kind.

\b
now       the mean over queries, as the lists are
expected  what the curve makes of lists of this length
limit     what it makes of ever longer ones; - if NDCG stays random
spread    how much NDCG of a single list goes on to vary where it does
sees      what decides in the end: the whole list, its top, a few ranks

\b
Examples:
  idealrank limits test.txt scores.txt
  idealrank limits qrels.txt bm25.run -m ndcg -m ndcg@10 -m ndcg@20%
  idealrank limits test.txt scores.txt --method isotonic --plot curve.svg
"""


@click.command("limits", cls=Command, help=_HELP)
@click.argument("data")
@click.argument("systems", nargs=-1)
@measures_option
@click.option(
    "--method",
    type=click.Choice(["top", "bins", "isotonic"]),
    default="top",
    metavar="METHOD",
    help="Estimate curves by bins that are finer at the top (top, the default), equal (bins), or isotonic.",
)
@click.option("--plot", metavar="FILE", help="Draw the curves: .svg, .png or .pdf.")
@html_option
@data_options
@format_option
@quiet_option
@debug_option
def command(
    data: str,
    systems: tuple[str, ...],
    measures: tuple[str, ...],
    method: str,
    plot: str | None,
    html_path: str | None,
    from_kind: str | None,
    group: str | None,
    output_format: str,
    quiet: bool,
) -> None:
    """Tell where the NDCG of SYSTEMS is going."""
    kind = kind_of_judged(data, from_kind, systems)

    from idealrank.cli.support.evaluating import read_systems
    from idealrank.cli.support.pictures import save_picture
    from idealrank.cli.support.tables import Column, Table, show
    from idealrank.cli.support.terminal import notes
    from idealrank.evaluation.evaluator import Evaluator
    from idealrank.theory.distinguishing.distinctions import MEASURES
    from idealrank.theory.distinguishing.plots import plot_curves
    from idealrank.theory.long_lists.steps import StepCurve

    judged, answers = read_systems(data, kind, systems, group=group, quiet=quiet)
    documents, scores, remarks = Evaluator(judged).complete_lists(answers)
    notes(remarks, quiet=quiet)
    rows = [
        [name, measure, *_prospect(measure, documents, column, method)]
        for name, column in scores.items()
        for measure in measures or MEASURES
    ]
    numbers = [Column(name, ".4f") for name in ("now", "expected", "limit", "spread")]
    table = Table([Column("system"), Column("measure"), *numbers, Column("sees")], rows)
    show(table, output_format)

    labels = documents.labels
    curves = {
        name: StepCurve.fit(labels, column, documents.offsets, method=method)
        for name, column in (scores.items() if plot is not None or html_path is not None else ())
    }
    if plot is not None:
        save_picture(plot_curves(curves).figure, plot)
    if html_path is not None:
        from idealrank.cli.support.reporting import write_sections
        from idealrank.report import Figure, Section

        told = "the expected label of a document by its place in the list, 1 at the top"
        figure = Figure("relevance_curves", (curves,), "Relevance curves", told)
        title = "Now and on longer lists"
        section = Section(title, parts=(Section(tables={title: table}), Section(figures=(figure,))))
        write_sections(f"Where NDCG of {', '.join(scores)} is going", [], [section], html_path, quiet=quiet)


_SEES = {"list": "the list", "top": "its top", "few": "a few ranks", "undecided": "not known"}


def _prospect(name: str, documents: RankingData, scores: Floats, method: str) -> list[Value]:
    """Mean now, expected value at this length, limit, spread where there is none, and what decides."""
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
    except DataError:  # not one relevant document is to be expected
        expected = float("nan")
    random = seen in ("few", "undecided") and curve.top_variance > 0
    return [
        float(values[_relevant(labels, offsets)].mean()),
        None if np.isnan(expected) else expected,
        None if random else limit(m, curve),
        bounded_law(m, curve).sd if random and seen == "few" else None,
        _SEES[seen],
    ]


def _relevant(labels: Floats, offsets: Int64s) -> Booleans:
    """The queries with a relevant document."""
    import numpy as np

    return np.array([labels[first:last].any() for first, last in pairwise(offsets)])
