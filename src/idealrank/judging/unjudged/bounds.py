"""Bounds on a measure, whatever the labels of the unjudged documents are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Unpack, cast

import numpy as np
import numpy.typing as npt

from idealrank._core.checks import is_whole
from idealrank._present.json_values import Plain, plain
from idealrank._present.page import Page, Section, Statement, listed
from idealrank._present.printable import share
from idealrank._present.result import Result
from idealrank._present.table import Column, Table, Tables, Value
from idealrank._typing import Floats
from idealrank.data.columns import float_array
from idealrank.data.ids import Ids
from idealrank.data.judgments import Qrels, Run
from idealrank.errors import DataError, OptionError
from idealrank.evaluation.evaluation_result import Evaluations
from idealrank.evaluation.evaluator import Evaluator
from idealrank.evaluation.inputs import Data, LayoutOptions, OneSystem, Several, judged_and_systems, layout_of
from idealrank.io.shapes.shape import InputLayout
from idealrank.judging.unjudged.completions import extreme_difference, extreme_gaps
from idealrank.judging.unjudged.expected_values import LabelModel, expected_values
from idealrank.judging.unjudged.pool import Pool, Rules, rules_of
from idealrank.measures import Measure
from idealrank.measures import measure as measure_named
from idealrank.measures.conventions import Convention

#: The most different labels that are tried for an unjudged document.
_MOST_LABELS = 64
#: Differences of this size can be rounding errors.
_ROUNDING = 1e-12

#: Most systems to list in a sentence.
_FEW = 4
#: What the columns of the tables say of unjudged documents.
_MEANINGS = {
    "lowest": "lowest, highest: over all labels that unjudged documents could have",
    "value": "value: they are not relevant",
    "expected": "expected: they are as relevant as judged documents at similar ranks",
    "condensed": "condensed: they are removed from the ranking",
}
#: What the columns of other measures mean, by their names without a cutoff.
_OTHER_MEANINGS = {
    "judged": "judged: share of judged documents, down to the cutoff if there is one",
    "rbp": "rbp, rbp_resid: rank-biased precision, and what unjudged documents could add to it",
    "inf_ap": "inf_ap: average precision, inferred from the judged documents",
}
_DIFFERENCES = (
    "lowest, highest: the difference from the baseline for any labels of unjudged documents; decided: whether the same "
    "system is ahead for all labels; exact: whether some labels reach both bounds."
)


@dataclass(frozen=True)
class DifferenceBounds(Result):
    """Bounds on the difference between two systems over all labels that unjudged documents could have.

    Attributes
    ----------
    system, baseline : str
        The two systems.
    difference : float
        The difference of the means if unjudged documents are not relevant.
    lowest, highest : float
        The smallest and the largest difference of the means.
    is_exact : bool
        Whether some labels reach these bounds. If False, they come from the bounds of both systems, and are too wide.

    Examples
    --------
    >>> from idealrank.judging.unjudged.bounds import bounds
    >>> found = bounds({"q": {"a": 1, "b": 0}}, {"x": {"q": ["a", "c"]}, "y": {"q": ["b", "c"]}}, "p@2")
    >>> found.differences[0].lowest, found.differences[0].is_decided
    (-0.5, True)
    """

    system: str
    baseline: str
    difference: float
    lowest: float
    highest: float
    is_exact: bool

    @property
    def is_decided(self) -> bool:
        """Whether the same system is ahead for all labels."""
        return self.lowest > _ROUNDING or self.highest < -_ROUNDING

    @property
    def is_tie(self) -> bool:
        """Whether the systems are equal if unjudged documents are not relevant."""
        return abs(self.difference) <= _ROUNDING

    @property
    def is_reversible(self) -> bool:
        """Whether the other system may be ahead for some labels, or either system if they are equal without them."""
        lowest, highest = self.lowest < -_ROUNDING, self.highest > _ROUNDING
        return lowest or highest if self.is_tie else lowest if self.difference > 0 else highest

    def page(self) -> Page:
        """Return the difference and its bounds as a sentence."""
        ahead, behind = (self.system, self.baseline) if self.difference >= 0 else (self.baseline, self.system)
        low, high = sorted(bound if ahead == self.system else -bound for bound in (self.lowest, self.highest))
        start = f"{ahead} is ahead of {behind} by {abs(self.difference):.4f} if unjudged documents are not relevant"
        if self.is_tie:
            start = f"{ahead} and {behind} are equal if unjudged documents are not relevant"
        other = f"{start}; with other labels the difference is {low:+z.4f} to {high:+z.4f}"
        if self.is_decided or high - low <= _ROUNDING:
            whatever = f"by {low:.4f} to {high:.4f} whatever" if self.is_decided else "whatever"
            finding = Statement("order decided", f"{start}, and {whatever} their labels are.")
        elif not self.is_exact:
            text = f"{other} at most, so that unjudged documents alone might reverse the order."
            finding = Statement("order left open", text)
        elif self.is_reversible:
            text = f"{other}: unjudged documents alone could {'decide' if self.is_tie else 'reverse'} the order."
            finding = Statement("unjudged documents could reverse", text)
        else:
            text = f"{other}: unjudged documents alone could make them equal, but not reverse the order."
            finding = Statement("unjudged documents could not reverse", text)
        return Page(
            "Difference of two systems for any labels of unjudged documents",
            findings=(finding,),
            summary=(Section(tables=self.tables()),),
            sections=lambda: [Section("Result", tables=self.tables())],
        )


def reversal(
    differences: Sequence[DifferenceBounds], measure: str = "", n_compared: int | None = None
) -> Statement | None:
    """Return which of several differences from the same baseline unjudged documents alone could reverse, if any.

    Parameters
    ----------
    differences : sequence of DifferenceBounds
        The differences.
    measure : str
        The measure with which the sentence begins; empty for none.
    n_compared : int, optional
        The number of all differences from this baseline; by default, that of the given ones.

    Examples
    --------
    >>> reversal([DifferenceBounds("a", "c", 0.25, -0.5, 0.5, True), DifferenceBounds("b", "c", 0.5, 0.1, 0.5, True)])
    'Unjudged documents alone could reverse 1 of 2 differences from c: a (+0.2500; -0.5000 to +0.5000 for any labels).'
    """
    some = [each for each in differences if each.is_reversible]
    if not some:
        return None
    first, is_exact = some[0], all(each.is_exact for each in some)
    n_compared = len(differences) if n_compared is None else n_compared
    bounds = f"({first.difference:+z.4f}; {first.lowest:+z.4f} to {first.highest:+z.4f} for any labels)"
    if n_compared == 1:
        which = f"the difference between {first.system} and {first.baseline} {bounds}"
    else:
        shown = [each.system for each in some[:_FEW]] if len(some) > 1 else [f"{first.system} {bounds}"]
        if len(some) > _FEW:
            shown.append(f"{len(some) - _FEW:,} more")
        which = f"{share(len(some), n_compared, 'differences')} from {first.baseline}: {listed(shown)}"
    ties = {each.is_tie for each in some}
    verb = "reverse or decide" if len(ties) > 1 else "decide" if True in ties else "reverse"
    text = f"unjudged documents alone {'could' if is_exact else 'might'} {verb} {which}."
    text = f"{measure}: {text}" if measure else f"{text[0].upper()}{text[1:]}"
    return Statement("unjudged documents could reverse", text) if is_exact else Statement("order left open", text)


@dataclass(frozen=True, repr=False)
class Bounds(Result):
    """The result of `bounds`: for each system, several columns with one value per query.

    Attributes
    ----------
    measure : str
        The measure.
    systems : Evaluations
        The columns by system: "lowest"; "value", if unjudged documents are not relevant; "expected", if they are
        relevant as often as judged documents at similar ranks; "highest"; "condensed", if they are removed from the
        ranking; and, if the convention defines them, the fraction of judged documents, RBP with its residual, and
        inferred AP.
    differences : tuple of DifferenceBounds
        Each system compared with the baseline, or with the best one.
    labels : tuple of float
        The labels that an unjudged document could have.
    n_unjudged : int
        The number of different unjudged documents that the systems retrieve.

    Examples
    --------
    >>> from idealrank import bounds
    >>> found = bounds({"q1": {"a": 2, "b": 0}}, {"q1": ["c", "a", "b"]}, "ndcg")
    >>> found
    Bounds(ndcg 0.6309, from 0.6309 to 1.0000)
    >>> found.mean[""]["condensed"]
    1.0
    """

    measure: str
    systems: Evaluations
    differences: tuple[DifferenceBounds, ...]
    labels: tuple[float, ...]
    n_unjudged: int

    @property
    def mean(self) -> dict[str, dict[str, float]]:
        """{system: {column: mean over queries}}."""
        return self.systems.mean

    @property
    def undecided(self) -> tuple[DifferenceBounds, ...]:
        """The differences that unjudged documents alone could reverse."""
        return tuple(each for each in self.differences if not each.is_decided)

    def per_query(self, system: str = "") -> dict[str, Floats]:
        """Return {column: one value per query} of a system.

        Parameters
        ----------
        system : str
            The name of the system; empty if there is only one without a name.

        Returns
        -------
        dict of str to float64 array
            The columns, as in ``systems``.
        """
        return dict(self.systems[system].per_query)

    def to_dict(self) -> dict[str, Plain]:
        """Return means, values per query, differences and the labels that were tried."""
        return {
            "measure": self.measure,
            "mean": plain(self.mean),
            "n_queries": self.systems.n_queries,
            "labels": plain(self.labels),
            "n_unjudged": self.n_unjudged,
            "differences": plain(self.differences),
            "systems": {name: plain(dict(each.per_query)) for name, each in self.systems.items()},
            "query_ids": plain(next(iter(self.systems.values())).query_ids.tolist()),
        }

    def tables(self) -> Mapping[str, Table]:
        """Return the tables "means", with a row per system; "differences", if there are any; and "queries"."""
        first = next(iter(self.systems.values()))
        names = list(first.per_query)
        columns = [
            Column("system"),
            *(Column(name, ".4f", priority=0 if name in (*_MEANINGS, "highest") else 1) for name in names),
        ]
        rows: list[list[Value]] = [[name, *(means[each] for each in names)] for name, means in self.mean.items()]
        meanings = [text for name, text in _MEANINGS.items() if name in names]
        for name in names:
            text = _OTHER_MEANINGS.get(name.partition("@")[0])
            meanings += [] if text is None else [text]
        note = f"{'; '.join(meanings)}."
        differences = {"differences": self._differences_table} if self.differences else {}
        means = Table(columns, rows, notes=(note,))
        return Tables({"means": lambda: means, **differences, "queries": lambda: self._queries_table(columns[1:])})

    def _differences_table(self) -> Table:
        numbers = [Column(name, "+.4f") for name in ("difference", "lowest", "highest")]
        words = ("no", "yes")
        rows: list[list[Value]] = [
            [
                *(each.system, each.baseline, each.difference, each.lowest, each.highest),
                *(words[each.is_decided], words[each.is_exact]),
            ]
            for each in self.differences
        ]
        columns = [Column("system"), Column("baseline"), *numbers, Column("decided"), Column("exact")]
        return Table(columns, rows, notes=(_DIFFERENCES,))

    def _queries_table(self, columns: Sequence[Column]) -> Table:
        rows: list[list[Value]] = []
        for name, each in self.systems.items():
            values = zip(*(each.per_query[column.name] for column in columns), strict=True)
            rows += [[name, query, *row] for query, row in zip(each.query_ids.tolist(), values, strict=True)]
        return Table([Column("system"), Column("qid"), *columns], rows)

    def page(self) -> Page:
        """Return what unjudged documents mean for the differences, the range of each system, and all differences."""
        remarks = tuple(self._remarks())
        names = ("means", *(("differences",) if self.differences else ()))
        return Page(
            f"{self.measure} over all labels of unjudged documents",
            findings=tuple(self._findings()),
            summary=tuple(Section(tables={name: self.table(name)}) for name in names),
            remarks=remarks,
            sections=lambda: [
                Section("Result", tables=self.tables(), folded={"queries": "All queries"}, notes=remarks)
            ],
            defaults={"markdown": names},
        )

    def _findings(self) -> list[Statement]:
        """Return how many differences are open, or the range of each system; a table shows each of many differences."""
        if len(self.differences) > 1:
            return self._verdict()
        ranges = []
        for name, mean in self.mean.items():
            of = f" of {name}" if name else ""
            text = (
                f"{self.measure}{of} is {mean['value']:.4f} if unjudged documents are not relevant, and from "
                f"{mean['lowest']:.4f} to {mean['highest']:.4f} for any labels from {self.labels[0]:g} to "
                f"{self.labels[-1]:g}."
            )
            ranges.append(Statement("range for any labels", text))
        return [*ranges, *(finding for each in self.differences for finding in each.page().findings)]

    def _verdict(self) -> list[Statement]:
        """Return how many differences unjudged documents could reverse, in a sentence."""
        n, baseline = len(self.differences), self.differences[0].baseline
        text = f"Unjudged documents cannot reverse any of the {n:,} differences from {baseline}."
        return [reversal(self.differences) or Statement("order decided", text)]

    def _remarks(self) -> list[str]:
        """Return the query set, the convention, and which documents are unjudged."""
        first = next(iter(self.systems.values()))
        return [
            f"{first.queries_text()}, like {first.convention.name}; {self.measure} = {first.filled['value']}",
            f"{self.n_unjudged:,} unjudged {'document' if self.n_unjudged == 1 else 'documents'} in all, with labels "
            f"{listed([f'{label:g}' for label in self.labels])}; documents that no system retrieves are not relevant",
        ]

    def __repr__(self) -> str:
        shown = "; ".join(
            f"{name + ' ' if name else ''}{mean['value']:.4f}, from {mean['lowest']:.4f} to {mean['highest']:.4f}"
            for name, mean in self.mean.items()
        )
        return f"Bounds({self.measure} {shown})"


def bounds(
    data: Data,
    scores: OneSystem | Several,
    measure: str | Measure = "ndcg@10",
    *,
    labels: npt.ArrayLike | None = None,
    n_unseen: int = 0,
    baseline: str | None = None,
    like: str | Convention | None = None,
    n_draws: int = 100,
    seed: int = 0,
    n_threads: int | None = None,
    **layout: Unpack[LayoutOptions],
) -> Bounds:
    """Compute the lowest and the highest value of a measure over all labels that unjudged documents could have.

    The bounds are exact: some labels reach them. The ideal ranking of NDCG, and the number of relevant documents of AP
    and recall, change with the labels. A document that several systems retrieve has the same label for all of them, so
    bounds on the difference between two systems are narrower than the bounds of each system suggest.

    Parameters
    ----------
    data, scores
        Judgments, and one run or several, as in `evaluate`.
    measure : str or Measure
        The measure: DCG, NDCG, AP, P, recall, F1, R-precision, RR, hit rate, ERR or RBP, with any options.
    labels : array-like, optional
        The labels that an unjudged document could have. By default, the whole numbers from 0 to the highest label of
        the judgments; if some labels are not whole numbers, 0 and the labels that occur.
    n_unseen : int
        The number of documents per query that no system retrieves and that could be relevant.
    baseline : str, optional
        The system with which all others are compared; by default, the best one.
    like : str or Convention, optional
        The convention for options that the measures leave unset, as in `evaluate`.
    n_draws : int
        The number of times that labels are drawn for the expected values; 0 leaves out the expected values.
    seed : int
        Seed of the random number generator.
    n_threads : int, optional
        Number of threads; None means all cores, or the number passed to `set_threads`.
    **layout
        The layout of the data, as in `evaluate`.

    Returns
    -------
    Bounds
        The bounds of each system, and of the differences between systems.

    Raises
    ------
    DataError
        If the data is labeled lists, in which every document is judged.
    OptionError
        If no exact bounds are known for the measure.

    Notes
    -----
    NDCG is lowest if some of the lowest-ranked unjudged documents have the highest label and the others have 0. It is
    highest if labels decrease from the first unjudged document on; Dinkelbach's method finds how many documents have at
    least each label. Both take time linear in the number of unjudged documents, times the number of different gains.

    Examples
    --------
    The document at rank 1 is unjudged. NDCG is lowest if it is not relevant, because the relevant one is at rank 2:
    1/log2(3).

    >>> from idealrank import bounds
    >>> found = bounds({"q1": {"a": 1}}, {"q1": ["c", "a"]}, "ndcg")
    >>> {column: round(value, 4) for column, value in found.mean[""].items() if column in ("lowest", "highest")}
    {'lowest': 0.6309, 'highest': 1.0}
    """
    qrels, runs = judgments_and_runs(data, scores, layout_of(bounds, layout))
    given = measure_named(measure)
    if not is_whole(n_unseen, 0) or not is_whole(n_draws, 0):
        raise OptionError(f"n_unseen and n_draws must be whole numbers from 0 on, got {n_unseen!r} and {n_draws!r}")
    evaluator = Evaluator(qrels, like, n_threads=n_threads)
    rules = rules_of(given, evaluator.convention, labels_in(qrels, labels))
    pool = Pool.of(qrels, runs, rules, n_threads)
    return bounds_of(
        evaluator, runs, given, pool, rules, n_unseen=n_unseen, baseline=baseline, n_draws=n_draws, seed=seed
    )


def bounds_of(
    evaluator: Evaluator,
    runs: Mapping[str, Run],
    given: Measure,
    pool: Pool,
    rules: Rules,
    *,
    n_unseen: int = 0,
    baseline: str | None = None,
    n_draws: int = 0,
    seed: int = 0,
) -> Bounds:
    """Return the bounds of runs that are joined with the judgments already; the options are those of `bounds`."""
    if baseline not in (None, *runs):
        raise OptionError(f"the baseline must be one of the systems {', '.join(runs)}, got {baseline!r}")
    qrels = evaluator.judged
    assert isinstance(qrels, Qrels)
    without_unjudged = evaluator.convention.replace(unjudged="drop")
    condensed = Evaluator(qrels, without_unjudged, n_threads=evaluator.n_threads)
    model = LabelModel.of(pool.ranked.values(), rules) if n_draws else None
    by_system = {}
    for system, run in runs.items():
        ranked = pool.ranked[system]
        evaluated = evaluator.evaluate(run, [given, *_beside(given, evaluator.convention)])
        outside = pool.outside(system) + n_unseen
        low, high = (ranked.values(gaps, rules) for gaps in extreme_gaps(ranked, rules, outside))
        kept = Ids.of(evaluated.query_ids).index_in(qrels.query_ids)
        beside = dict(evaluated.per_query)
        columns = {"lowest": low[kept], "value": beside.pop(str(given))}
        if model is not None:
            columns["expected"] = expected_values(ranked, rules, model, n_draws, seed)[kept]
        columns["highest"] = high[kept]
        (columns["condensed"],) = condensed.evaluate(run, given).per_query.values()
        columns |= beside
        filled = {key: evaluated.filled.get(key, evaluated.filled[str(given)]) for key in columns}
        by_system[system] = replace(evaluated, per_query=columns, filled=filled)
    systems = Evaluations(by_system).on_common_queries()
    differences = _differences(pool, rules, systems, baseline)
    return Bounds(str(given), systems, differences, tuple(rules.labels.tolist()), pool.queries.size)


def judgments_and_runs(data: Data, scores: OneSystem | Several, layout: InputLayout) -> tuple[Qrels, dict[str, Run]]:
    """Return judgments and runs by name.

    Raises
    ------
    DataError
        If the data is labeled lists, in which every document is judged.
    """
    judged, systems = judged_and_systems(data, scores, layout)
    if not isinstance(judged, Qrels):
        raise DataError("expected judgments and runs, got labeled lists, in which every document is judged")
    return judged, cast("dict[str, Run]", systems)


def labels_in(qrels: Qrels, labels: npt.ArrayLike | None) -> Floats:
    """Return the labels that an unjudged document could have, ascending."""
    if labels is not None:
        possible = np.unique(float_array(labels, "labels"))
        if possible.size == 0 or not np.isfinite(possible).all() or possible[0] < 0:
            raise OptionError(f"labels must be finite numbers from 0 on, got {labels!r}")
    else:
        seen = np.unique(qrels.labels[qrels.labels > 0])
        highest = float(seen[-1]) if seen.size else 1.0
        is_scale = (seen == np.trunc(seen)).all() and highest < _MOST_LABELS
        possible = np.arange(highest + 1) if is_scale else np.unique(np.append(seen, 0.0))
    if possible.size > _MOST_LABELS:
        raise OptionError(
            f"the judgments have {possible.size:,} different labels; pass labels= with at most {_MOST_LABELS} of them"
        )
    return possible


def _beside(given: Measure, convention: Convention) -> list[str]:
    """Return measures that show unjudged documents in another way, if the convention defines them."""
    cutoff = "" if given.cutoff is None else f"@{given.cutoff}"
    defined = []
    for name in (f"judged{cutoff}", "rbp", "rbp_resid", "inf_ap"):
        with suppress(OptionError):  # a measure without a closed form for averaged ties
            measure_named(name).with_convention(convention).plan()
            defined.append(name)
    return [name for name in defined if name != str(given)]


def _differences(pool: Pool, rules: Rules, systems: Evaluations, baseline: str | None) -> tuple[DifferenceBounds, ...]:
    """Return the difference of each system from the baseline, or from the best system."""
    if len(systems) < 2:
        return ()
    means = {name: mean["value"] for name, mean in systems.mean.items()}
    best = max(means, key=lambda name: means[name]) if baseline is None else baseline
    kept = Ids.of(systems[best].query_ids).index_in(Ids.of(pool.ranked[best].data.query_ids))

    def mean(values: Floats) -> float:
        return float(np.nanmean(values))

    differences = []
    for name in systems:
        if name == best:
            continue
        ends = []
        for highest in (False, True):
            gaps = extreme_difference(pool, name, best, rules, highest=highest)
            if gaps is None:
                ours, theirs = ("highest", "lowest") if highest else ("lowest", "highest")
                ends.append(systems.mean[name][ours] - systems.mean[best][theirs])
            else:
                first, second = (
                    pool.ranked[each].values(own, rules) for each, own in zip((name, best), gaps, strict=True)
                )
                ends.append(mean((first - second)[kept]))
        is_exact = gaps is not None
        differences.append(DifferenceBounds(name, best, means[name] - means[best], ends[0], ends[1], is_exact))
    return tuple(differences)
