"""The tables of a comparison: rows by system, by pair, for a paper, and everything for a spreadsheet.

Rows are sorted by the mean of the first measure. Marks say which systems differ significantly from the reference, which
is the baseline or the best system; letters, or numbers if there are many systems, say which systems a system beats.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING

from idealrank._present.page import listed
from idealrank._present.printable import counted
from idealrank._present.table import Column, Table, Value
from idealrank.evaluation.evaluation_base import best_rows
from idealrank.stats.many_systems import CORRECTION_NAMES

if TYPE_CHECKING:
    from idealrank.comparison.comparison_result import Comparison, Difference

#: The marks of systems that are significantly better and worse than the reference.
BETTER, WORSE = "†", "‡"
_EFFECTS = {
    "d_z": "{change} divided by the standard deviation of the per-query differences",
    "better, same, worse": "numbers of queries",
    "detectable": "the smallest true difference that this many queries would detect with 80% power",
}
_N_LETTERS = 26
#: The fewest labels in a row that are written as a range.
_LETTER_RUN, _NUMBER_RUN = 5, 3
_P_VALUES = ("p", "corrected")
_RAW = "not corrected for the number of comparisons"
_TESTS = {
    "randomization": "paired randomization test",
    "t": "paired t test",
    "wilcoxon": "Wilcoxon signed-rank test",
    "sign": "sign test",
    "bootstrap": "paired bootstrap test",
    "tukey": "randomized Tukey HSD test",
}
# In order of importance: a narrow screen leaves out the last ones first.
_DIFFERENCE_COLUMNS = (
    Column("change", "+.4f"),
    Column("p", "p", priority=5),
    Column("corrected", "p"),
    Column("d_z", ".2f", priority=4),
    *(Column(name, priority=3) for name in ("better", "same", "worse")),
    Column("detectable", ".4f", priority=4),
)


def labels(names: Sequence[str]) -> dict[str, str]:
    """Return a short label for each name: a letter, or a number if there are more than 26.

    Examples
    --------
    >>> labels(["bm25", "dense"])
    {'bm25': 'a', 'dense': 'b'}
    >>> labels([f"system {i}" for i in range(27)])["system 26"]
    '27'
    """
    if len(names) <= _N_LETTERS:
        return {name: chr(ord("a") + place) for place, name in enumerate(names)}
    return {name: str(place) for place, name in enumerate(names, start=1)}


def joined_labels(names: Iterable[str], known: Mapping[str, str]) -> str:
    """Return the labels of names in a form that can be read in one way only: "abd", "b,d-g" or "1,3-17".

    Examples
    --------
    >>> known = labels("abcdefgh")
    >>> joined_labels("cabe", known), joined_labels("bdefgh", known)
    ('abce', 'b,d-h')
    >>> joined_labels(["a", "c", "d", "e", "h", "i"], labels([chr(place) for place in range(97, 130)]))
    '1,3-5,8,9'
    """
    chosen, texts = set(names), list(known.values())
    places = [place for place, name in enumerate(known) if name in chosen]
    is_short = len(known) <= _N_LETTERS
    runs = [[place for _, place in run] for _, run in groupby(enumerate(places), lambda pair: pair[1] - pair[0])]
    least = _LETTER_RUN if is_short else _NUMBER_RUN
    if is_short and all(len(run) < least for run in runs):
        return "".join(texts[place] for place in places)
    parts = [[f"{texts[run[0]]}-{texts[run[-1]]}"] if len(run) >= least else [texts[p] for p in run] for run in runs]
    return ",".join(part for run in parts for part in run)


def test_text(comparison: Comparison) -> str:
    """Return the test, the correction and the level in words."""
    corrected = [] if comparison.test == "tukey" else [CORRECTION_NAMES[comparison.correction]]
    return ", ".join([_TESTS[comparison.test], *corrected, f"level {comparison.level:g}"])


def is_corrected(comparison: Comparison) -> bool:
    """Return whether the p-values that decide are corrected for the number of comparisons; Tukey's always are."""
    return comparison.test == "tukey" or comparison.correction != "none"


def gain(comparison: Comparison, measure: str, difference: Difference) -> float:
    """Return the difference, negated if lower values are better: above 0 for better, below 0 for worse."""
    return -difference.difference if comparison.evaluations.lower_is_better(measure) else difference.difference


def board_text(comparison: Comparison) -> str:
    """Return what the columns of the leaderboard on a page mean."""
    p_value = f'p-value, {_corrected(comparison)} ("corrected"' if is_corrected(comparison) else f'p-value, {_RAW} ("p"'
    effects = "; ".join(f"{name}: {text.format(change='that difference')}" for name, text in _EFFECTS.items())
    return (
        'The column with a minus sign: difference from the reference system ("change" in the tables of all '
        f"numbers); p: {p_value} in those tables); {effects}."
    )


def _corrected(comparison: Comparison) -> str:
    return f"corrected for {counted(len(next(iter(comparison.differences.values()))), 'comparison')}"


def column_meanings(comparison: Comparison) -> dict[str, str]:
    """Return what the columns of the tables by system mean, by their names."""
    kept = _p_values(comparison)
    raw = "p-value" if len(kept) > 1 else f"p-value, {_RAW}"
    values = {"p": raw, "corrected": f"p-value, {_corrected(comparison)}"}
    reference = comparison.baseline or "the best system"
    return {
        "low, high": "interval of the mean",
        "change": f"difference from the mean of {reference}",
        **{name: values[name] for name in kept},
        **{name: text.format(change="change") for name, text in _EFFECTS.items()},
    }


def systems_table(comparison: Comparison, measure: str) -> Table:
    """Return a row per system: its mean, its difference from the reference, and which systems it is better than."""
    rows: list[list[Value]] = []
    marks: dict[tuple[int, int], str] = {}
    against = _against(comparison, measure, comparison.reference(measure))
    is_paired = comparison.baseline is None
    known = labels(comparison.ranked())
    beaten = comparison.letters(measure)
    is_beaten = is_paired and any(beaten.values())
    mean_place, numbers = 2 if is_paired else 1, _columns(comparison)
    for row, system in enumerate(comparison.ranked()):
        each = comparison.means[measure][system]
        head: list[Value] = [known[system], system] if is_paired else [system]
        cells: list[Value] = [each.mean, each.low, each.high, *_cells(against.get(system), numbers)]
        rows.append([*head, *cells, *([beaten[system]] if is_beaten else [])])
        marks |= _mark(comparison, measure, against.get(system), (row, mean_place))
    columns = [
        *([Column("id", priority=-1)] if is_paired else []),
        Column("system", priority=-1),
        Column(measure, ".4f"),
        *(Column(name, ".4f", priority=2) for name in ("low", "high")),
        *numbers,
        *([Column("better than", priority=1)] if is_beaten else []),
    ]
    best, _ = _best(comparison, measure, mean_place)
    return Table(columns, rows, best=best, marks=marks, notes=_notes(comparison, marks.values(), [measure]))


def pairs_table(comparison: Comparison, measure: str) -> Table:
    """Return a row per pair of systems that was tested."""
    numbers = _columns(comparison)
    rows = [[each.system, each.against, *_cells(each, numbers)] for each in comparison.differences[measure]]
    columns = [Column("system", priority=-1), Column("against", priority=-1), *numbers]
    marks: dict[tuple[int, int], str] = {}
    for row, each in enumerate(comparison.differences[measure]):
        marks |= _mark(comparison, measure, each, (row, 2))
    note = f"{_marks_text(marks.values(), 'the other system')} ({test_text(comparison)})."
    return Table(columns, rows, marks=marks, notes=(note,) if marks else ())


def means_table(comparison: Comparison, measure: str) -> Table:
    """Return a row per system: its mean and its interval."""
    columns = [Column("system"), Column(measure, ".4f"), Column("low", ".4f"), Column("high", ".4f")]
    means = comparison.means[measure]
    rows: list[list[Value]] = [
        [system, means[system].mean, means[system].low, means[system].high] for system in comparison.ranked()
    ]
    best, _ = _best(comparison, measure, 1)
    return Table(columns, rows, best=best)


def paper_table(comparison: Comparison) -> Table:
    """Return the means of all measures, a row per system, with marks or letters for significant differences."""
    known = labels(comparison.ranked())
    is_paired = comparison.baseline is None
    first = 2 if is_paired else 1
    rows: list[list[Value]] = [
        [
            *([known[system]] if is_paired else []),
            system,
            *(comparison.means[measure][system].mean for measure in comparison.values),
        ]
        for system in comparison.ranked()
    ]
    marks: dict[tuple[int, int], str] = {}
    best: set[tuple[int, int]] = set()
    second: set[tuple[int, int]] = set()
    for place, measure in enumerate(comparison.values, first):
        for top, cells in zip((best, second), _best(comparison, measure, place), strict=True):
            top |= cells
        beaten = comparison.letters(measure)
        against = {} if is_paired else _against(comparison, measure, str(comparison.baseline))
        for row, system in enumerate(comparison.ranked()):
            if is_paired and beaten[system]:
                marks[row, place] = beaten[system]
            marks |= _mark(comparison, measure, against.get(system), (row, place))
    columns = [
        *([Column("id", priority=-1)] if is_paired else []),
        Column("system", priority=-1),
        *(Column(measure, ".4f") for measure in comparison.values),
    ]
    notes = _notes(comparison, marks.values(), comparison.values, letters=True)
    sets = frozenset(best), marks, frozenset(second), notes, caption(comparison, marks.values())
    return Table(columns, rows, {}, *sets)


def differences_table(comparison: Comparison) -> Table:
    """Return a row per measure and comparison with all numbers, those of both systems included."""
    columns = [Column(name) for name in ("measure", "system", "against")]
    numbers = ("change low", "change high", "mean", "low", "high", "mean against", "low against", "high against")
    rows = []
    for measure, differences in comparison.differences.items():
        for each in differences:
            both = (comparison.means[measure][name] for name in (each.system, each.against))
            means = [value for own in both for value in (own.mean, own.low, own.high)]
            cells = [*_cells(each, _DIFFERENCE_COLUMNS), each.interval.low, each.interval.high]
            rows.append([measure, each.system, each.against, *cells, *means])
    return Table([*columns, *_DIFFERENCE_COLUMNS, *(Column(name, ".4f") for name in numbers)], rows)


def caption(comparison: Comparison, marks: Collection[str]) -> str:
    """Return a caption for a paper: measures, queries, convention, test, correction, level and what the marks mean."""
    evaluation = next(iter(comparison.evaluations.values()))
    what = (
        f"Mean {listed(comparison.values)} over {evaluation.queries_text()}, as {evaluation.convention.name} computes"
    )
    them = "them" if len(comparison.values) > 1 else "it"
    meaning = _meaning(comparison, marks, comparison.values, letters=True)
    best = "The best mean is bold" if len(comparison.values) == 1 else "The best means are bold"
    return f"{what} {them}. {meaning}. {best}."


def _marks_text(marks: Collection[str], other: str) -> str:
    """Return what the marks that occur mean."""
    words = {mark: word for mark, word in ((BETTER, "better"), (WORSE, "worse")) if mark in marks}
    return f"{' and '.join(words)}: significantly {' and '.join(words.values())} than {other}"


def _meaning(comparison: Comparison, marks: Collection[str], measures: Collection[str], *, letters: bool) -> str:
    """Return what the marks after means, or the letters in a column, say for these measures, and by which test."""
    test = f"({test_text(comparison)})"
    if all(each.n_queries < 2 for measure in measures for each in comparison.differences[measure]):
        return f"There are too few queries to test differences {test}"
    is_any = any(comparison.significant(measure) for measure in measures)  # also a difference of 0, which has no mark
    if comparison.baseline is not None:
        if marks:
            return f"{_marks_text(marks, comparison.baseline)} {test}"
        none = "No system is significantly better or worse than" if is_any else "No system differs significantly from"
        return f"{none} {comparison.baseline} {test}"
    beaten = [text for measure in measures for text in comparison.letters(measure).values()]
    if not any(beaten):
        none = "No system is significantly better than another" if is_any else "No two systems differ significantly"
        return f"{none} {test}"
    what = "Letters" if len(comparison.systems) <= _N_LETTERS else "Numbers"
    ranges = [part for text in beaten for part in text.split(",") if "-" in part]
    if ranges:
        test = f"({ranges[0]}: {ranges[0].replace('-', ' to ')}; {test_text(comparison)})"
    if letters:
        return f"{what} after a mean: the systems that this system is significantly better than {test}"
    best = "the best system"
    worse = _marks_text(marks, best) if marks else f"No system is significantly worse than {best}"
    return f"{worse}; better than: the systems that this system is significantly better than {test}"


def _notes(
    comparison: Comparison, marks: Collection[str], measures: Collection[str], *, letters: bool = False
) -> tuple[str, ...]:
    first = next(iter(comparison.values))
    return (f"{_meaning(comparison, marks, measures, letters=letters)}. Rows are sorted by {first}.",)


def _against(comparison: Comparison, measure: str, reference: str) -> dict[str, Difference]:
    """Return the difference of each tested system from the reference."""
    tested: dict[str, Difference] = {}
    for each in comparison.differences[measure]:
        if each.against == reference:
            tested[each.system] = each
        elif each.system == reference:
            tested[each.against] = each.reversed()
    return tested


def _mark(
    comparison: Comparison, measure: str, difference: Difference | None, cell: tuple[int, int]
) -> dict[tuple[int, int], str]:
    """Return the mark of a significant difference; a difference of 0 is neither better nor worse, and has none."""
    if difference is None or not difference.corrected <= comparison.level or difference.difference == 0:
        return {}
    return {cell: BETTER if gain(comparison, measure, difference) > 0 else WORSE}


def _best(
    comparison: Comparison, measure: str, place: int
) -> tuple[frozenset[tuple[int, int]], frozenset[tuple[int, int]]]:
    """Return the cells of the best and the second best means."""
    means = [comparison.means[measure][system].mean for system in comparison.ranked()]
    first, second = best_rows(means, comparison.evaluations.lower_is_better(measure))
    return frozenset((row, place) for row in first), frozenset((row, place) for row in second)


def _p_values(comparison: Comparison) -> tuple[str, ...]:
    """Return the names of the p-values that differ: Tukey's are always corrected; without a correction, none is."""
    if comparison.test == "tukey":
        return ("corrected",)
    return ("p",) if comparison.correction == "none" else ("p", "corrected")


def _columns(comparison: Comparison) -> list[Column]:
    """Return the columns of differences, each p-value once."""
    kept = _p_values(comparison)
    columns = [column for column in _DIFFERENCE_COLUMNS if column.name not in _P_VALUES or column.name in kept]
    return [replace(column, priority=0) if column.name == kept[-1] else column for column in columns]


def _cells(difference: Difference | None, columns: Sequence[Column]) -> list[Value]:
    """Return the numbers of a difference for these columns."""
    if difference is None:
        return [None] * len(columns)
    effect = difference.effect
    cells = {
        "change": difference.difference,
        "p": difference.p_value,
        "corrected": difference.corrected,
        "d_z": effect.cohen_dz,
        "better": effect.wins,
        "same": effect.ties,
        "worse": effect.losses,
        "detectable": difference.detectable,
    }
    return [cells[column.name] for column in columns]
