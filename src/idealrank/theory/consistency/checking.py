"""Whether a loss leads to the best value of a measure, such as NDCG: a search for random labels for which it does not.

A loss is consistent with a measure if its scores of lowest expected loss always have an order of the highest expected
value; for NDCG that is the order of its target (Ravikumar et al. 2011, Theorem 6). One mixture of label vectors for
which they have another order refutes that.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from idealrank._core.checks import is_whole
from idealrank._core.threads import resolve_threads
from idealrank._present.page import Page, Section, Statement
from idealrank._present.result import Result
from idealrank._present.table import Column, Table, Value
from idealrank._typing import Booleans, Floats, Int64s
from idealrank.errors import OptionError
from idealrank.losses import Bregman, Cosine, CrossEntropy, LeastSquares, QNorm
from idealrank.losses.links import Scale
from idealrank.losses.potentials import KL, PNorm, Squared
from idealrank.losses.segments import Listwise
from idealrank.measures import NDCG, discounts, gains
from idealrank.measures.cutoffs import CutoffLike
from idealrank.measures.discounts import DiscountLike
from idealrank.measures.gains import GainLike
from idealrank.theory.consistency.fisher import Mixture, distinct_levels
from idealrank.theory.consistency.minimizers import (
    LossFunction,
    Risk,
    RiskMinimum,
    best_scores,
    looks_convex,
    loss_function,
    loss_name,
    minimize,
    take,
)
from idealrank.theory.consistency.orders import MeasureFunction, Orders, measure_function, name_of

_PROBABILITIES = np.arange(1, 100) / 100
_COARSE = np.arange(1, 20) / 20
_DEFAULT = (2, 3)
_NEAR_A_SWITCH = 1e-3
_CHUNK = 6000  # pairs of label vectors at once, times the number of orders
_MOST = 20_000_000
_DIGITS = 1e-14  # the relative accuracy of a risk
_DRAWS = 4096


class Counterexample(NamedTuple):
    """A mixture of label vectors that refutes consistency.

    Parameters
    ----------
    probabilities : tuple of float
        One probability per label vector.
    label_vectors : tuple of tuple of float
        One label per document in each vector.

    Examples
    --------
    >>> from idealrank.theory import Counterexample
    >>> print(Counterexample((0.66, 0.34), ((0, 1), (4, 1))))
    {0.66: (0, 1), 0.34: (4, 1)}
    """

    probabilities: tuple[float, ...]
    label_vectors: tuple[tuple[float, ...], ...]

    def __str__(self) -> str:
        parts = (f"{p:g}: ({', '.join(f'{label:g}' for label in labels)})" for p, labels in zip(*self, strict=True))
        return f"{{{', '.join(parts)}}}"


@dataclass(frozen=True)
class Consistency(Result):
    """The result of `check_consistency`.

    Parameters
    ----------
    loss : str
        The name of the loss.
    consistent : bool or None
        False if the counterexample refutes it; True if ``theorem`` proves it and the search found no counterexample;
        otherwise None.
    n_docs : tuple of int
        The numbers of documents for which mixtures were searched.
    searched : int
        The number of mixtures on the grid.
    refined : int
        The number of mixtures that are not on the grid.
    inconsistent : int
        The number of mixtures on the grid that the loss ranks wrongly.
    undecided : int
        The number of mixtures for which no minimum was found.
    convex : bool
        Whether the loss was convex in the scores wherever it was tested: on random pairs of scores, and during the
        search.
    closed_form : bool
        Whether the loss has a closed-form minimum.
    theorem : str or None
        The theorem of Ravikumar et al. 2011 that proves that the loss is consistent with this NDCG; None if there is
        none.
    counterexample : Counterexample or None
        The worst counterexample.
    regret : float
        The NDCG that is lost at the counterexample.
    scores : tuple of float or None
        The scores with the lowest risk at the counterexample.
    target : tuple of float or None
        The target of NDCG at the counterexample; None for measures that have no target.
    charge : float or None
        A lower bound on the additional risk of any scores in the right order.
    slope : float or None
        The largest derivative of the risk at the scores; it need not be 0 at a kink.
    measure : str
        The name of the measure.
    order, best_order : tuple of int or None
        The documents, numbered from 0, in the order of the scores and in a best order; the first one is on top.
    expected : float or None
        The expected value of the measure in the order of the scores.

    Examples
    --------
    >>> from idealrank.theory import check_consistency
    >>> found = check_consistency("least_squares", refine=False)
    >>> found.consistent, found.counterexample.label_vectors, round(found.regret, 6)
    (False, ((0.0, 1.0), (4.0, 1.0)), 0.320096)
    """

    loss: str
    consistent: bool | None
    n_docs: tuple[int, ...]
    searched: int
    refined: int
    inconsistent: int
    undecided: int
    convex: bool
    closed_form: bool
    theorem: str | None = None
    counterexample: Counterexample | None = None
    regret: float = 0.0
    scores: tuple[float, ...] | None = None
    target: tuple[float, ...] | None = None
    charge: float | None = None
    slope: float | None = None
    measure: str = "ndcg"
    order: tuple[int, ...] | None = None
    best_order: tuple[int, ...] | None = None
    expected: float | None = None

    @property
    def answer(self) -> str:
        """The answer in words: "no"; "yes", if a theorem says so; "not refuted"; "undecided".

        A loss is "not refuted" if the lowest risk of every mixture was found, and all are in the right order. It is
        "undecided" if some minima were not found, or if risks are not convex and there may be lower ones.
        """
        if self.consistent is not None:
            return "yes" if self.consistent else "no"
        is_sure = (self.closed_form or self.convex) and not self.undecided and not self.inconsistent
        return "not refuted" if is_sure else "undecided"

    @property
    def measured(self) -> str:
        """The measure, as sentences name it."""
        return "NDCG" if self.measure == "ndcg" else self.measure

    def tables(self) -> Mapping[str, Table]:
        """Return the table "search": one row with the answer, the worst example, and the mixtures ranked wrongly.

        If there is a counterexample, "labels" are its label vectors with their probabilities, and "orders" what the
        loss makes of them.
        """
        names = {"loss": "", "consistent": "", "regret": ".6f", "example": "", "wrong": ",", "of": ","}
        worst: list[Value] = [None, None] if self.counterexample is None else [self.regret, str(self.counterexample)]
        row: list[Value] = [self.loss, self.answer, *worst, self.inconsistent, self.searched]
        found = {"search": Table([Column(*each) for each in names.items()], [row])}
        if self.counterexample is None or self.order is None or self.best_order is None or self.expected is None:
            return found
        documents = [Column(f"d{number}", "g") for number in range(1, len(self.order) + 1)]
        labels = [[p, *vector] for p, vector in zip(*self.counterexample, strict=True)]
        ranks = [Column(f"rank {number}") for number in range(1, len(self.order) + 1)]
        picked, best = ([f"d{document + 1}" for document in order] for order in (self.order, self.best_order))
        values: list[list[Value]] = [
            ["the loss picks", *picked, self.expected],
            ["the best", *best, self.expected + self.regret],
        ]
        return found | {
            "labels": Table([Column("probability", ".4g"), *documents], labels),
            "orders": Table([Column("order"), *ranks, Column(f"expected {self.measured}", ".4f")], values),
        }

    def page(self) -> Page:
        """Return the answer, the search, and the counterexample."""
        regret = f"regret: the expected {self.measured} that the scores of lowest expected loss lose on the example"
        return Page(
            "Consistency",
            findings=(Statement("consistency of a loss", f"{self}."),),
            summary=(Section(tables={"search": self.table()}),),
            remarks=(regret,),
            reasons={"consistent": [self.meaning], self.loss: self.why()},
            sections=lambda: [Section("Result", tables=self.tables(), notes=(regret,))],
        )

    def counterexample_sections(self) -> tuple[Section, ...]:
        """Return the label vectors of the counterexample, and what the loss makes of them; empty if there is none."""
        tables = self.tables()
        if "labels" not in tables:
            return ()
        labels = f"A counterexample to {self.loss}: the documents have one of these lists of labels."
        orders = "The order by the scores that minimize the expected loss, and the best order:"
        lost = f"Expected {self.measured} lost: {self.regret:.6f}"
        return (
            Section(labels, tables={"labels": tables["labels"]}),
            Section(orders, tables={"orders": tables["orders"]}),
            Section(notes=(lost,)),
        )

    @property
    def meaning(self) -> str:
        """What it means for a loss to be consistent."""
        return (
            f"A loss is consistent with {self.measured} if, whatever the distribution of the labels, the scores of "
            f"lowest expected loss rank the documents in an order with the highest expected {self.measured}."
        )

    def why(self) -> list[str]:
        """Return why the answer is what it is.

        Returns
        -------
        list of str
            Sentences.
        """
        if self.counterexample is not None:
            proof = f"One distribution with a wrong order refutes it: this one loses {self.regret:.4f} {self.measured}."
            more = f"Scores in a best order have an expected loss that is higher by at least {self.charge:.3g}."
            return [proof] if self.charge is None else [proof, more]
        if self.consistent:
            return [f"It is consistent by {self.theorem}; the search found no counterexample either."]
        return [f"No theorem is known for this loss and this measure. {str(self)[0].upper()}{str(self)[1:]}."]

    def __str__(self) -> str:
        searched = f"{self.searched + self.refined:,} mixtures of labels searched"
        if self.counterexample is not None:
            lost = f"it loses {self.regret:.6f} {self.measured} on {self.counterexample}"
            return f"{self.loss} is not consistent: {lost}; {searched}"
        if self.answer == "undecided":
            why = f"no minimum was found for {self.undecided:,}" if self.undecided else "minima may not be the lowest"
            return f"{self.loss} is undecided: no counterexample is certain, but {why}; {searched}"
        if self.theorem is not None:
            return f"{self.loss} is consistent ({self.theorem}); {searched}"
        return f"{self.loss} is not refuted up to {max(self.n_docs)} documents; {searched}"


def check_consistency(
    loss: str | LossFunction,
    n_docs: int | Sequence[int] | None = None,
    levels: Sequence[float] = (0, 1, 2, 3, 4),
    n_threads: int | None = None,
    *,
    measure: str | MeasureFunction | None = None,
    gain: GainLike | None = None,
    discount: DiscountLike | None = None,
    cutoff: CutoffLike = None,
    refine: bool = True,
) -> Consistency:
    """Search for distributions of labels for which the loss ranks documents differently from NDCG or another measure.

    All pairs of label vectors are mixed with the probabilities 0.01, ..., 0.99. The scores with the lowest risk come
    from ``loss.minimizer(probabilities, label_vectors)`` if the loss has this method; otherwise they are found
    numerically.

    A search can refute consistency, but never prove it. The answer is yes only for losses of the library to which a
    theorem applies; any other loss is at best "not refuted" up to some number of documents.

    The best orders are found by enumeration, so that any measure of the library can be used, or your own function. To
    find out whether any convex loss can be consistent with a measure, see `no_convex_loss`.

    A counterexample counts only if no scores in the right order have a risk as low as the minimum that was found. For a
    convex risk, this is guaranteed. If a risk is not convex, 4096 random scores in the right order are tried instead,
    and the answer is None if there is no counterexample. Mixtures count as wrong only if the right order has a higher
    risk.

    Parameters
    ----------
    loss : str or callable
        A loss, its name, or a function of labels, scores and offsets that returns one value per query, and the
        gradient.
    n_docs : int or sequence of int, optional
        The numbers of documents, which are tried in turn until one refutes the loss. By default, 2 and then 3; with 3
        documents, only the three lowest levels and the probabilities 0.05, ..., 0.95 are used, and label vectors that
        differ only in the numbering of the documents are tried once.
    levels : sequence of float
        The possible labels of a document.
    n_threads : int, optional
        Number of threads; None means all cores, or the number passed to `set_threads`.
    measure : str, Measure or callable, optional
        The measure, such as "p@1", or a function of labels, scores and offsets that returns one value per query. By
        default, NDCG with the next three options.
    gain : str, Gain, mapping or sequence, optional
        The gain of NDCG; by default, "exp2".
    discount : str, Discount or sequence of float, optional
        The discount of NDCG; by default, "log".
    cutoff : int, float, str or Cutoff, optional
        Number of ranks that count in NDCG; None means all ranks.
    refine : bool
        Whether to also mix each pair with probabilities close to those where the best order changes, and to optimize
        the worst mixtures that were found.

    Returns
    -------
    Consistency
        The answer, and the worst counterexample if there is one.

    Raises
    ------
    OptionError
        If there are fewer than two documents or levels, there are too many mixtures, or options of NDCG are passed
        together with another measure.

    Examples
    --------
    >>> import numpy as np
    >>> from idealrank.theory import check_consistency
    >>> found = check_consistency("cross_entropy", refine=False)
    >>> found.consistent, round(found.regret, 6)
    (False, 0.131195)
    >>> print(found.counterexample)
    {0.66: (0, 1), 0.34: (4, 1)}
    >>> check_consistency("cross_entropy(normalizer=dcg)").consistent
    True
    >>> def flat(labels, scores, offsets):
    ...     return np.zeros(offsets.size - 1), 0 * scores
    >>> print(check_consistency(flat, refine=False))
    flat is not refuted up to 3 documents; 29,091 mixtures of labels searched
    """
    function, labels = loss_function(loss), distinct_levels(levels)
    numbers = _DEFAULT if n_docs is None else tuple(n_docs) if isinstance(n_docs, Iterable) else (n_docs,)
    are_searchable = bool(numbers) and all(is_whole(number, 2) for number in numbers)
    if not are_searchable or len(labels) < 2 or not all(map(math.isfinite, labels)):
        raise OptionError(
            f"a search needs at least two documents and two levels, got n_docs={n_docs!r} and levels={labels}"
        )
    judged_by, name = _measure(measure, gain, discount, cutoff)
    tally, on_grid, found = _Tally(), _Tally(), None
    searched: list[int] = []
    for number in numbers:
        is_coarse = n_docs is None and number > _DEFAULT[0]
        search = _Search.of(function, labels, number, resolve_threads(n_threads), judged_by, is_coarse=is_coarse)
        counted, found = search.run(tally, refine=refine)
        on_grid, searched = on_grid + counted, [*searched, number]
        if found:
            break
    theorem = _theorem(function, judged_by)
    return Consistency(
        loss=loss_name(function),
        consistent=False if found else True if theorem and not tally.inconsistent else None,
        n_docs=tuple(searched),
        searched=on_grid.searched,
        refined=tally.searched - on_grid.searched,
        inconsistent=on_grid.inconsistent,
        undecided=tally.undecided,
        convex=tally.convex,
        closed_form=hasattr(function, "minimizer"),
        theorem=None if found else theorem,
        measure=name,
        **(found or {}),
    )


def _measure(
    measure: str | MeasureFunction | None, gain: GainLike | None, discount: DiscountLike | None, cutoff: CutoffLike
) -> tuple[MeasureFunction, str]:
    """The measure, or NDCG with these options, and its name."""
    options: dict[str, Any] = {"gain": gain, "discount": discount, "cutoff": cutoff}
    given = {name: value for name, value in options.items() if value is not None}
    if measure is not None and given:
        raise OptionError(f"{', '.join(given)} belong to NDCG: pass them as options of the measure {name_of(measure)}")
    chosen = NDCG(**given) if measure is None else measure
    return measure_function(chosen), name_of(chosen)


def _theorem(function: LossFunction, measure: MeasureFunction) -> str | None:
    """Where it is proved that a loss is consistent with a measure; None if it is not known to be."""
    if type(function) not in (LeastSquares, Cosine, CrossEntropy, QNorm, Bregman) or type(measure) is not NDCG:
        return None
    assert isinstance(function, Listwise)
    filled = measure.with_convention()
    if function.normalizer is None or (function.gain or gains.Exp2()) != filled.gain:
        return None
    own, other = function.discount, filled.discount
    is_same = own == other or (isinstance(own, discounts.Log) and isinstance(other, discounts.Log))  # any base
    cutoff = None if function.normalizer == "dcg" else function.normalizer
    if not is_same or cutoff != filled.cutoff:
        return None
    if isinstance(function, Bregman):
        is_known = isinstance(function.psi, (Squared, KL, PNorm)) and isinstance(function.link, Scale | None)
        return "Ravikumar et al. 2011, Theorem 9" if is_known else None
    return "Ravikumar et al. 2011, " + ("Theorem 9" if isinstance(function, QNorm) else "section 3.3")


@dataclass
class _Tally:
    """The state of a search: counts, whether every risk looked convex, and the worst findings."""

    searched: int = 0
    inconsistent: int = 0
    undecided: int = 0
    convex: bool = True
    worst: tuple[_Finding, ...] = ()

    def __add__(self, other: _Tally) -> _Tally:
        """Add the counts."""
        return self._counted(other, 1, self.convex and other.convex)

    def __sub__(self, other: _Tally) -> _Tally:
        """Subtract the counts."""
        return self._counted(other, -1, self.convex)

    def _counted(self, other: _Tally, sign: int, convex: bool) -> _Tally:
        return _Tally(
            self.searched + sign * other.searched,
            self.inconsistent + sign * other.inconsistent,
            self.undecided + sign * other.undecided,
            convex,
        )

    def add(self, search: _Search, mixture: Mixture) -> None:
        """Examine more mixtures."""
        regret, found = search.examine(mixture)
        self.searched += regret.size
        self.inconsistent += int((regret > 0).sum())
        self.undecided += int((~found.converged).sum())
        self.convex &= search.convex and bool(found.convex.all())
        order = np.argsort(-regret, kind="stable")[:64]
        rows = order[regret[order] > 0]
        first, vectors = mixture.probabilities[:, 0], mixture.label_vectors
        new = [_Finding(float(regret[row]), float(first[row]), vectors[row], found.scores[row]) for row in rows]
        self.worst = _worst([*self.worst, *new])


@dataclass(frozen=True)
class _Finding:
    """A mixture of two label vectors that a loss ranks wrongly."""

    regret: float
    first: float
    label_vectors: Floats
    scores: Floats

    def neighbors(self, width: float) -> Mixture:
        """Return mixtures of the same label vectors with similar probabilities."""
        first = np.clip(self.first + width * np.linspace(-1, 1, 41), 1e-6, 1 - 1e-6)
        return Mixture.of_two(first, np.broadcast_to(self.label_vectors, (41, *self.label_vectors.shape)))


def _worst(findings: Iterable[_Finding]) -> tuple[_Finding, ...]:
    """The eight worst pairs of label vectors, each with its worst probability."""
    best: dict[bytes, _Finding] = {}
    for finding in sorted(findings, key=lambda each: -each.regret):
        best.setdefault(finding.label_vectors.tobytes(), finding)
    return tuple(best.values())[:8]


@dataclass(frozen=True)
class _Search:
    """A loss, the orders of the documents by a measure, and the label vectors to mix."""

    loss: LossFunction
    label_vectors: Floats
    n_threads: int
    orders: Orders
    pairs: Int64s
    probabilities: Floats
    convex: bool

    @classmethod
    def of(
        cls,
        loss: LossFunction,
        levels: list[float],
        n_docs: int,
        n_threads: int,
        measure: MeasureFunction,
        *,
        is_coarse: bool,
    ) -> _Search:
        """Return the search for a number of documents."""
        count = math.comb(len(levels) ** n_docs, 2) * _PROBABILITIES.size
        if count > _MOST:
            raise OptionError(f"{count:,} mixtures are too many to search: pass fewer documents or levels")
        used = levels[:3] if is_coarse else levels
        vectors = np.array(list(itertools.product(used, repeat=n_docs)), np.float64)
        orders = Orders(measure, n_docs)
        vectors = vectors[~np.isnan(orders.values(vectors)).any(axis=1)]
        pairs = np.stack(np.triu_indices(len(vectors), 1), axis=1)
        if is_coarse:
            pairs = pairs[_up_to_names(vectors[pairs])]
        chances = _COARSE if is_coarse else _PROBABILITIES
        return cls(loss, vectors, n_threads, orders, pairs, chances, looks_convex(loss, vectors, n_threads))

    def run(self, tally: _Tally, *, refine: bool) -> tuple[_Tally, dict[str, Any] | None]:
        """Search, add to the tally, and return the part of it on the grid, and the worst certified finding."""
        before = replace(tally)
        tally.worst = ()
        for supports in self.supports():
            first = np.tile(self.probabilities, len(supports))
            tally.add(self, Mixture.of_two(first, np.repeat(supports, self.probabilities.size, axis=0)))
        on_grid = tally - before
        candidates = [tally.worst]
        if refine:
            for supports in self.supports():
                tally.add(self, self.beside_switches(supports))
            for width in (0.01, 0.0005):
                candidates.append(tally.worst)
                if tally.worst:
                    parts = [finding.neighbors(width) for finding in tally.worst]
                    tally.add(self, Mixture(*map(np.concatenate, zip(*parts, strict=True))))
            candidates.append(tally.worst)
        # The closer to a switch of the loss's own order, the higher the regret, and the weaker the certificate.
        certified = map(self.certify, itertools.chain(*reversed(candidates)))
        return on_grid, next((each for each in certified if each is not None), None)

    def supports(self) -> Iterator[Floats]:
        """Yield the pairs of label vectors, in pieces that fit in memory."""
        chunk = max(1, _CHUNK // len(self.orders.documents))
        for begin in range(0, len(self.pairs), chunk):
            yield self.label_vectors[self.pairs[begin : begin + chunk]]

    def beside_switches(self, supports: Floats) -> Mixture:
        """Return mixtures of the pairs just before and just after the best order changes."""
        rows, first = self.orders.switches(supports)
        both = np.concatenate([first - _NEAR_A_SWITCH, first + _NEAR_A_SWITCH])
        inside = (both > 0) & (both < 1)
        return Mixture.of_two(both[inside], supports[np.tile(rows, 2)[inside]])

    def examine(self, mixture: Mixture) -> tuple[Floats, RiskMinimum]:
        """Return the regret of each mixture, 0 if the order is right, and the scores of lowest risk."""
        found = best_scores(self.loss, mixture, self.n_threads, convex=self.convex)
        best, wrong = self.orders.wrong_pairs(mixture, found.scores)
        rows = np.flatnonzero((wrong.any(axis=(2, 3)) | ~best).all(axis=1) & found.converged)
        if rows.size and not hasattr(
            self.loss, "minimizer"
        ):  # of many minima, one was found: another may be in the right order
            charge, trusted = self.charge(take(mixture, rows), found.scores[rows], found.risk[rows])
            rows = rows[charge > trusted]
        regret = np.zeros(found.converged.size)
        regret[rows] = self.orders.regret(take(mixture, rows), _finite(found.scores[rows]))
        regret[regret < 1e-12] = 0
        return regret, found

    def charge(self, mixture: Mixture, scores: Floats, value: Floats) -> tuple[Floats, Floats]:
        """Return a lower bound on the risk of scores in a best order above the value, and its rounding error.

        Take a pair of the best order that the scores reverse: scores in that order have s_better >= s_worse, and the
        lowest of their risks, if it is convex, is at equal scores.
        """
        best, wrong = self.orders.wrong_pairs(mixture, scores)
        above = scores[:, None, :] - scores[:, :, None]
        above /= np.maximum(np.abs(above).max(axis=(1, 2), keepdims=True), 1e-300)
        charge = np.full(value.size, np.inf)
        while best.any():
            rows = np.flatnonzero(best.any(axis=1))
            # The pair that most of the orders share; of those, the one that the scores reverse most clearly.
            votes = (wrong[rows] & best[rows, :, None, None]).sum(axis=1)
            pairs = np.where(votes > 0, votes + above[rows] / 2, 0).reshape(rows.size, -1)
            better, worse = np.divmod(pairs.argmax(axis=1), mixture.n_docs)
            basis, part = _tied(mixture.n_docs, better, worse), take(mixture, rows)
            tied = minimize(Risk(self.loss, part, self.n_threads, basis, 1e-12, 1e-12, self.convex))
            more = tied.risk - np.where(tied.convex, tied.gap, 0) - value[rows]
            charge[rows] = np.minimum(charge[rows], np.where(pairs.max(axis=1) > 0, more, 0))
            covered = wrong[rows, :, better, worse] | (pairs.max(axis=1) == 0)[:, None]
            best[rows] &= ~covered
        return charge, _DIGITS * (1 + np.abs(value))

    def certify(self, finding: _Finding) -> dict[str, Any] | None:
        """Return the finding with its certificate, a clearly higher risk of scores in the right order; else None."""
        mixture = Mixture.of_two(np.array([finding.first]), finding.label_vectors[None])
        risk = Risk(self.loss, mixture, self.n_threads)
        scores = _finite(finding.scores[None])
        value, slope, _ = risk(scores)
        at_border, trusted = self.charge(mixture, scores, value)
        expected = self.orders.expected(mixture)[0]
        best = self.orders.wrong_pairs(mixture, scores)[0][0]
        drawn = np.concatenate([_in_order(documents) for documents in self.orders.documents[best]])
        drawn_risk = risk.take(np.zeros(len(drawn), np.int64))(drawn)[0]
        charge = min(float(at_border[0]), float(drawn_risk.min() - value[0]))
        if charge <= trusted[0]:
            return None
        chances = tuple(round(p, 12) for p in mixture.probabilities[0].tolist())
        return {
            "counterexample": Counterexample(chances, tuple(map(tuple, finding.label_vectors.tolist()))),
            "regret": finding.regret,
            "scores": tuple(finding.scores.tolist()),
            "target": self.target(mixture),
            "charge": charge,
            "slope": float(np.abs(slope).max()),
            "order": tuple(np.argsort(-scores[0], kind="stable").tolist()),
            "best_order": tuple(self.orders.documents[int(expected.argmax())].tolist()),
            "expected": float(expected.max()) - finding.regret,
        }

    def target(self, mixture: Mixture) -> tuple[float, ...] | None:
        """Return the target of NDCG; None if the measure is another one."""
        if type(self.orders.measure) is not NDCG:
            return None
        filled = self.orders.measure.with_convention()
        return tuple(mixture.target(filled.gain, filled.discount, filled.cutoff)[0].tolist())


def _up_to_names(supports: Floats) -> Booleans:
    """Which pairs of label vectors come first among all renamings of their documents."""
    orders = [list(order) for order in itertools.permutations(range(supports.shape[2]))]
    levels, coded = np.unique(supports, return_inverse=True)
    weights = float(levels.size) ** np.arange(2 * supports.shape[2])[::-1]
    codes = [coded.reshape(supports.shape)[:, :, order].reshape(len(supports), -1) @ weights for order in orders]
    # In the other order the pair is another row, with the other probabilities: both are kept.
    return np.asarray(codes[0] <= np.min(codes, axis=0))


def _finite(scores: Floats) -> Floats:
    """The scores with -inf replaced by a number below all others."""
    least = np.where(np.isfinite(scores), scores, 0).min(initial=0)
    return np.asarray(np.maximum(scores, least - 1))


def _tied(n_docs: int, better: Int64s, worse: Int64s) -> Floats:
    """For each row, the basis of the scores in which two documents are equal: the worse one is not free."""
    unit = np.eye(n_docs)
    basis = np.tile(unit, (better.size, 1, 1))
    basis[np.arange(better.size), worse] = unit[better]
    free = np.argsort(np.arange(n_docs) == worse[:, None], axis=1, kind="stable")[:, :-1]
    return np.take_along_axis(basis, free[:, None, :], axis=2)


def _in_order(documents: Int64s) -> Floats:
    """Random scores of many scales and offsets in an order, the same in every call."""
    rng = np.random.default_rng(0)
    drawn = np.sort(rng.normal(size=(_DRAWS, documents.size)) + rng.normal(size=(_DRAWS, 1)), axis=1)
    ranked = np.empty_like(drawn)
    ranked[:, documents[::-1]] = drawn * 10 ** rng.uniform(-2, 1, (_DRAWS, 1))
    return ranked
