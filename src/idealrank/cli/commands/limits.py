"""``idealrank limits``: limits of the NDCG of systems as lists grow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from idealrank._present.json_values import Plain, plain
from idealrank._present.page import Figure, Section, few, first_row_in_words, listed
from idealrank._present.result import Result
from idealrank._present.table import Column, Table, Value
from idealrank.cli.support.column_help import explain_option, show_reading, show_reasons
from idealrank.cli.support.request import Request, SystemsCommand
from idealrank.cli.support.shared_options import PICTURE

if TYPE_CHECKING:
    from idealrank._typing import Floats
    from idealrank.data.ranking import RankingData
    from idealrank.evaluation.evaluation_result import Evaluations
    from idealrank.measures.base import Measure
    from idealrank.measures.gains import Gain
    from idealrank.theory import StepCurve

__all__ = ["command"]

_HELP = """\
Show the limit of the NDCG of SYSTEMS as lists grow, estimated from the documents in DATA.

DATA and SYSTEMS are given as for 'idealrank evaluate'. For each query, the expected relevance by position in a system's
list is estimated as a curve. From these curves, the theorems of Wang et al. (2013) give NDCG on longer lists of the
same kind. With judgments and runs, all judged documents are ranked, and those that a run does not retrieve come last.
Text output has at most 30 rows; --format csv has all.

\b
now        mean over queries, as 'idealrank evaluate' gives it
complete   the same mean on complete lists, on which the theory is based
expected   mean that the curves predict for lists of these lengths
limit      mean for ever longer lists; empty if NDCG stays random
low, high  95% interval of the limit, by Student's t over queries
spread     standard deviation of NDCG on one long list, if it stays random
sees       what determines the limit: the whole list, its top, or a few ranks

\b
Examples:
  idealrank limits test.txt scores.txt
  idealrank limits qrels.txt bm25.run -m ndcg -m ndcg@10 -m ndcg@20%
  idealrank limits test.txt scores.txt --method isotonic --plot curve.svg
"""


@click.command("limits", cls=SystemsCommand, help=_HELP, only=("ndcg", "linear_ndcg"))
@click.option(
    "--method",
    type=click.Choice(["top", "bins", "isotonic"]),
    default="top",
    metavar="METHOD",
    help="How to estimate curves: bins that are finer at the top (top, the default), equal bins (bins), or isotonic.",
)
@click.option("--plot", type=PICTURE, metavar="FILE", help="Plot the curves: .svg, .png or .pdf.")
@explain_option
def command(request: Request, method: str, plot: str | None, explain: bool) -> None:
    """Show the limit of the NDCG of SYSTEMS."""
    judged, systems = request.read()

    from idealrank.cli.support.pictures import save_picture
    from idealrank.cli.support.printed_tables import show_result
    from idealrank.cli.support.status_line import working
    from idealrank.cli.support.terminal import quality
    from idealrank.evaluation.evaluator import Evaluator
    from idealrank.measures.names import named
    from idealrank.theory.distinguishing.distinguish import MEASURES
    from idealrank.theory.long_lists.curve_plots import plot_curves
    from idealrank.theory.long_lists.measure_discount import Weighting
    from idealrank.theory.long_lists.steps import StepCurve

    measures = named(request.measures or MEASURES)
    for each in measures.values():
        Weighting.of(each)  # is the theory about this measure?
    evaluator, rankers = Evaluator(judged, request.convention_of(judged)), dict(systems)
    rows: list[list[Value]] = []
    with working("evaluating systems", quiet=request.quiet) as say_that:
        evaluations = evaluator.evaluate_all(rankers.items(), list(measures))
        lists = evaluator.complete_lists(rankers.items(), evaluations)
        documents, first = lists.data, next(iter(measures))
        ordered = sorted(evaluations.items(), key=lambda item: _best_first(item[1].mean[first]))
        for place, (system, evaluation) in enumerate(ordered):
            say_that(f"computing the limits of system {place + 1:,} of {len(ordered):,}")
            found = _prospects(evaluation.filled, documents, lists.scores[system], method)
            rows += [[system, name, evaluation.mean[name], *found[name]] for name in measures]
        drawn = [name for name, _ in ordered[:_N_CURVES]] if plot is not None or request.html_path is not None else []
        curves = {
            name: StepCurve.fit(documents.labels, lists.scores[name], documents.offsets, method=method)
            for name in drawn
        }
    limits = _Limits(tuple(map(tuple, rows)), evaluations, lists.remarks, curves)
    show_result(limits, request.output_format, n_rows=_N_ROWS)
    if request.output_format == "text" and not request.quiet:
        show_reading("How to read the first row:", limits.reading())
    if request.output_format == "text" and explain:
        show_reasons("Why, on ever longer lists:", limits.reasons())
    quality(evaluations, quiet=request.quiet)
    if plot is not None:
        save_picture(plot_curves(curves).figure, plot)
    request.write_page(limits)


#: Most rows of the table as text, and most curves in a plot, which are those of the best systems.
_N_ROWS, _N_CURVES = 30, 8
#: With more rows, a page shows those of the first measure, and all of them in a table that is closed at first.
_MANY = 60
_NUMBERS = ("now", "complete", "expected", "limit", "low", "high", "spread")
#: What a narrow screen leaves out first.
_PRIORITIES = {"complete": 3, "expected": 3, "low": 2, "high": 2, "spread": 1}


@dataclass(frozen=True)
class _Limits(Result):
    """What the command found.

    Parameters
    ----------
    rows : tuple of tuples
        System, measure, the numbers of the table, and what determines the limit.
    evaluations : Evaluations
        The evaluations that the means come from.
    lists : tuple of str
        What was done to get the complete lists that theory needs.
    curves : mapping of str to StepCurve
        The relevance curves by system, to draw.
    """

    rows: tuple[tuple[Value, ...], ...]
    evaluations: Evaluations
    lists: tuple[str, ...]
    curves: Mapping[str, StepCurve]

    def to_dict(self) -> dict[str, Plain]:
        """Return the convention and the number of queries of the means, and a dict per system and measure."""
        names = ("system", "measure", *_NUMBERS, "sees")
        return {
            "conventions": plain(next(iter(self.evaluations.values())).conventions),
            "n_queries": self.evaluations.n_queries,
            "lists": plain(self.lists),
            "limits": [plain(dict(zip(names, row, strict=True))) for row in self.rows],
            "problems": plain(self.evaluations.problems),
        }

    def tables(self) -> Mapping[str, Table]:
        """Return the table "limits": a row per system and measure."""
        numbers = [Column(name, ".4f", priority=_PRIORITIES.get(name, 0)) for name in _NUMBERS]
        names = [Column("system"), Column("measure", priority=-1)]
        return {"limits": Table([*names, *numbers, Column("sees", priority=1)], self.rows)}

    def findings(self) -> list[str]:
        """Return which measures have a limit, in a sentence."""
        if len(self.rows) == 1:
            system, measure, now, _, _, limit, *_ = self.rows[0]
            if isinstance(now, float) and isinstance(limit, float):
                return [f"The mean {measure} of {system} is {now:.4f}; on ever longer lists, it tends to {limit:.4f}."]
        systems: dict[str, dict[str, list[str]]] = {}  # by measure and future
        for row in self.rows:
            systems.setdefault(str(row[1]), {}).setdefault(_future(row), []).append(str(row[0]))
        same = {future: [name for name, own in systems.items() if [*own] == [future]] for future in _FUTURES}
        parts = {
            future: f"{listed(names)} {_FUTURES[future][len(names) > 1]}" for future, names in same.items() if names
        }
        mixed = [
            f"{measure} {listed(f'{_FUTURES[future][0]} for {few(names)}' for future, names in own.items())}"
            for measure, own in systems.items()
            if len(own) > 1
        ]
        random = parts.pop("random", None)
        last = [] if random is None else [f"{random}: the labels of a few documents decide"]
        return [f"On ever longer lists, {'; '.join([*parts.values(), *mixed, *last])}."]

    def remarks(self) -> list[str]:
        """Return the queries and the convention of the means, and how lists became complete."""
        return [*self.evaluations.remarks(), *self.lists]

    def reading(self) -> dict[str, str]:
        """Return what the columns of the table say, in words, for its first row."""
        row: dict[str, Any] = dict(zip(("system", "measure", *_NUMBERS, "sees"), self.rows[0], strict=True))
        over = next(iter(self.evaluations.values())).queries_text()
        found = {"now": f"the mean {row['measure']} of {row['system']} over {over} is {row['now']:.4f}"}
        if row["complete"] is not None:
            found["complete"] = f"with all judged documents in the lists, it is {row['complete']:.4f}"
        if row["expected"] is not None:
            found["expected"] = f"other documents of the same kind would give {row['expected']:.4f} on average"
        if row["limit"] is not None:
            found["limit"] = f"on ever longer lists of the same kind, it tends to {row['limit']:.4f}"
            if row["low"] is not None:
                found["low, high"] = f"with other queries, from {row['low']:.4f} to {row['high']:.4f} (95% interval)"
        else:
            none = "there is none: on single lists, the measure stays random"
            found["limit"] = none if row["sees"] == _SEES["few"] else "it is not known"
        if row["spread"] is not None:
            found["spread"] = f"on one long list, it varies with a standard deviation of {row['spread']:.4f}"
        return found | {"sees": f"{row['sees']}: {_SEEN[row['sees']]}"}

    def reasons(self) -> dict[str, list[str]]:
        """Return the theorem behind each limit, by measure."""
        from idealrank.theory.long_lists.limits import theorem_of
        from idealrank.theory.long_lists.measure_discount import Weighting
        from idealrank.theory.long_lists.theorems import told

        filled = next(iter(self.evaluations.values())).filled
        names = dict.fromkeys(str(row[1]) for row in self.rows)
        return {name: [told(theorem_of(Weighting.of(filled[name]))) or _UNKNOWN] for name in names}

    def title(self) -> str:
        """Return a title with the names of the systems, or their number if there are many."""
        return f"Limits of NDCG: {few([*self.evaluations])}"

    def about(self) -> str:
        """Return the number of queries, the measures and the convention."""
        return self.evaluations.about()

    def sections(self) -> list[Section]:
        """Return the table and the relevance curves."""
        told = "the expected label of a document by its position in the list, 1 at the top"
        caption = (
            "Relevance curves: the expected label of a document by its position, from the bottom (0) to the top (1)"
        )
        if len(self.curves) < len(self.evaluations):
            caption += f", for the {len(self.curves)} best of {len(self.evaluations)} systems"
        figure = Figure("relevance_curves", (self.curves,), caption, told)
        title = "Now and on longer lists"
        over = next(iter(self.evaluations.values()))
        now = f"'now' is the mean over {over.queries_text()}, like {over.convention.name}, as 'evaluate' gives it."
        notes = (now, *(f"{line[0].upper()}{line[1:]}." for line in self.lists))
        why = tuple(f"{measure}: {' '.join(lines)}" for measure, lines in self.reasons().items())
        lists = first_row_in_words(self.reading()) | {"The theorems behind the limits": why}
        drawn, table = Section(figures=(figure,)), self.table()
        if len(table.rows) <= _MANY:
            return [Section(title, parts=(Section(tables={title: table}, notes=notes, lists=lists), drawn))]
        first = self.rows[0][1]
        head = Table(table.columns, [row for row in table.rows if row[1] == first])
        every = f"All measures: {len(table.rows):,} rows"
        shown = Section(f"By {first}", tables={title: head}, notes=notes, lists=lists)
        return [Section(title, parts=(shown, drawn, Section(tables={every: table}, folded={every: every})))]

    def background(self) -> list[Section]:
        """Return per-query values, data quality and conventions."""
        return self.evaluations.background()


_SEES = {"list": "the list", "top": "its top", "few": "a few ranks", "undecided": "not known"}
_SEEN = {
    "the list": "all documents count, down to the cutoff if there is one, however long the list is",
    "its top": "in the end, only the relevance at the very top counts",
    "a few ranks": "the labels of a few documents decide, however long the list is",
    "not known": "it is not known how fast the discount decreases or the cutoff grows",
}
#: What becomes of one measure, and of several.
_FUTURES = {
    "limit": ("tends to a limit", "tend to a limit"),
    "unknown": ("has no known limit", "have no known limit"),
    "random": ("stays random", "stay random"),
}
_UNKNOWN = "No theorem is known to apply: it is not known how fast the discount decreases or the cutoff grows."


def _best_first(mean: float) -> tuple[bool, float]:
    """Return the key that sorts means, the highest first, and NaN last."""
    return mean != mean, -mean


def _future(row: Sequence[Value]) -> str:
    """Return what becomes of the measure of a row on ever longer lists, a key of `_FUTURES`."""
    if row[2 + _NUMBERS.index("limit")] is not None:
        return "limit"
    return "random" if row[-1] == _SEES["few"] else "unknown"


def _prospects(
    measures: Mapping[str, Measure], documents: RankingData, scores: Floats, method: str
) -> dict[str, list[Value]]:
    """Return mean and expected value on complete lists, the limit with its interval, its spread, and what decides."""
    import functools
    from dataclasses import replace

    import numpy as np

    from idealrank.evaluation.scorer import mean_over_queries
    from idealrank.theory.long_lists.limits import sees
    from idealrank.theory.long_lists.limits_of_means import prospect
    from idealrank.theory.long_lists.measure_discount import Weighting
    from idealrank.theory.long_lists.query_curves import QueryCurves, fit_queries

    labels, offsets = documents.labels, documents.offsets

    @functools.cache  # most measures have the same gain
    def curves(gain: Gain) -> QueryCurves:
        return fit_queries(gain(labels), scores, offsets, method=method)

    def row(m: Measure) -> list[Value]:
        found = prospect(m, curves(m.gain))  # type: ignore[attr-defined]
        values = replace(m, ties="average")(labels, scores, offsets)
        end = found.limit
        numbers = [mean_over_queries(values, m), found.expected.value, end.value, end.low, end.high, found.spread]
        return [*(None if np.isnan(number) else number for number in numbers), _SEES[sees(Weighting.of(m))]]

    return {name: row(m) for name, m in measures.items()}
