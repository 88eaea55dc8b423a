"""Whether a loss leads to the best NDCG: a search for random labels with which it does not.

A loss is consistent if scores of least expected loss always have the order of the target that NDCG wants (Ravikumar et
al. 2011, Theorem 6). One mixture of label vectors with which they have another order refutes that.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from idealrank._base.results import Result
from idealrank._base.tables import Column, Table, Value
from idealrank._base.threads import resolve_threads
from idealrank._typing import Booleans, Floats, Int64s
from idealrank.errors import OptionError
from idealrank.losses.base import Loss
from idealrank.theory.consistency import minimizers as minimizers
from idealrank.theory.consistency.fisher import Mixture, regret_of_target, targets
from idealrank.theory.consistency.minimizers import LossFunction, Risk, best_scores, minimize

__all__ = ["Consistency", "Counterexample", "check_consistency"]

_PROBABILITIES = np.arange(1, 100) / 100
_NEAR_A_SWITCH = 1e-3
_CHUNK = 1000  # pairs of label vectors at once
_MOST = 20_000_000
_DIGITS = 1e-14  # of a risk, that can be trusted
_DRAWS = 4096
_ANSWERS = {True: "yes", False: "no", None: "undecided"}


class Counterexample(NamedTuple):
    """Label vectors, one label a document, and how probable each is.

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
    """What a search found; see `check_consistency`.

    ``consistent``: False, refuted by the counterexample; True, all were searched and none was found; None, undecided:
    for some mixtures no minimum was found, or the risk is not convex and there may be a lower one.
    ``counterexample``: the worst one; ``regret``: the NDCG that is lost there; ``scores``: those of least risk;
    ``target``: what NDCG wants; ``charge``: how much more risk any scores in the right order have, at the least;
    ``slope``: the greatest derivative of the risk at the scores, which need not vanish at a kink.
    ``searched``: the mixtures on the grid; ``inconsistent``: those of them that the loss ranks wrongly; ``refined``:
    the mixtures beside the grid; ``undecided``: those of all that no minimum was found for. ``convex``: whether every
    risk looked convex, or the loss itself says where its minimum is, as ``closed_form`` tells.

    >>> found = check_consistency("least_squares", refine=False)
    >>> found.consistent, found.counterexample.label_vectors, round(found.regret, 6)
    (False, ((0.0, 1.0), (4.0, 1.0)), 0.320096)
    """

    loss: str
    consistent: bool | None
    searched: int
    refined: int
    inconsistent: int
    undecided: int
    convex: bool
    closed_form: bool
    counterexample: Counterexample | None = None
    regret: float = 0.0
    scores: tuple[float, ...] | None = None
    target: tuple[float, ...] | None = None
    charge: float | None = None
    slope: float | None = None

    def tables(self) -> Mapping[str, Table]:
        """Table "search": one row with the answer, the worst example, and how many mixtures were ranked wrongly."""
        columns = [Column("loss"), Column("consistent"), Column("regret", ".6f"), Column("example")]
        counts = [Column("wrong", ","), Column("of", ",")]
        worst: list[Value] = [None, None] if self.counterexample is None else [self.regret, str(self.counterexample)]
        row: list[Value] = [self.loss, _ANSWERS[self.consistent], *worst, self.inconsistent, self.searched]
        return {"search": Table([*columns, *counts], [row])}

    def remarks(self) -> list[str]:
        """What regret means."""
        return ["regret: the NDCG lost on average over the labels in the example, by the scores of least expected loss"]

    def findings(self) -> list[str]:
        """The answer in a sentence."""
        return [f"{self}."]

    def __str__(self) -> str:
        searched = f"{self.searched + self.refined:,} mixtures of labels searched"
        if self.counterexample is not None:
            return (
                f"{self.loss} is not consistent: it loses {self.regret:.6f} NDCG on {self.counterexample}; {searched}"
            )
        if self.consistent is None:
            why = f"for {self.undecided:,} no minimum was found" if self.undecided else "minima may not be the lowest"
            return f"{self.loss} is undecided: nothing is sure against it, but {why}; {searched}"
        return f"{self.loss} is consistent as far as was searched; {searched}"


def check_consistency(
    loss: str | LossFunction,
    n_docs: int = 2,
    levels: Sequence[float] = (0, 1, 2, 3, 4),
    n_threads: int | None = None,
    *,
    gain: Any = "exp2",
    discount: Any = "log",
    cutoff: Any = None,
    refine: bool = True,
) -> Consistency:
    """Search for random labels with which the loss ranks other than NDCG, or NDCG@cutoff, wants.

    ``loss``: one of `idealrank.losses`, its name, or any function of labels, scores and offsets that gives one value a
    query and its gradient. All pairs of vectors of ``n_docs`` labels out of ``levels`` are mixed with the probabilities
    0.01, ..., 0.99. With ``refine`` each pair is mixed also just beside the probabilities where the best order changes,
    and the worst mixtures found are made worse. The scores of least risk come from ``loss.minimizer(probabilities,
    label_vectors)`` if there is one, else they are found numerically.

    A counterexample counts only with its certificate: no scores in the right order come as low as the minimum found.
    Convexity makes that sure; where a risk is not convex, 4096 drawn scores in the right order stand in for it, and
    without a counterexample the answer is None. Mixtures count as wrong only if the right order has more risk.

    >>> print(check_consistency("cross_entropy", refine=False))
    cross_entropy is not consistent: it loses 0.131195 NDCG on {0.66: (0, 1), 0.34: (4, 1)}; 27,324 mixtures of labels
    searched
    >>> check_consistency("cross_entropy(normalizer=dcg)").consistent
    True
    """
    search = _Search.of(loss, n_docs, levels, n_threads, gain, discount, cutoff)
    tally = _Tally()
    for supports in search.supports():
        tally.add(
            search, _mixed(np.tile(_PROBABILITIES, len(supports)), np.repeat(supports, _PROBABILITIES.size, axis=0))
        )
    on_grid = replace(tally)
    candidates = [tally.worst]
    if refine:
        for supports in search.supports():
            tally.add(search, search.beside_switches(supports))
        for width in (0.01, 0.0005):
            candidates.append(tally.worst)
            if tally.worst:
                parts = [finding.neighbors(width) for finding in tally.worst]
                tally.add(search, Mixture(*map(np.concatenate, zip(*parts, strict=True))))
        candidates.append(tally.worst)
    # The nearer to a switch of the loss's own order, the worse the regret, and the fainter the certificate.
    certified = map(search.certify, itertools.chain(*reversed(candidates)))
    found = next((each for each in certified if each is not None), None)
    none_found = True if tally.is_sure() else None
    return Consistency(
        loss=search.name,
        consistent=False if found else none_found,
        searched=on_grid.searched,
        refined=tally.searched - on_grid.searched,
        inconsistent=on_grid.inconsistent,
        undecided=tally.undecided,
        convex=tally.convex,
        closed_form=search.closed_form,
        **(found or {}),
    )


@dataclass
class _Tally:
    """What a search has seen so far: counts, whether every risk looked convex, and the worst findings."""

    searched: int = 0
    inconsistent: int = 0
    undecided: int = 0
    convex: bool = True
    worst: tuple[_Finding, ...] = ()

    def add(self, search: _Search, mixture: Mixture) -> None:
        outcome = search.examine(mixture)
        self.searched += outcome.regret.size
        self.inconsistent += int((outcome.regret > 0).sum())
        self.undecided += int((~outcome.converged).sum())
        self.convex &= bool(outcome.convex.all())
        self.worst = _worst([*self.worst, *outcome.findings(mixture)])

    def is_sure(self) -> bool:
        """Whether nothing was found and nothing could have been missed among what was searched."""
        return self.convex and not self.worst and not self.undecided


@dataclass(frozen=True)
class _Finding:
    """A mixture of two label vectors that a loss ranks wrongly."""

    regret: float
    first: float
    label_vectors: Floats
    scores: Floats

    def neighbors(self, width: float) -> Mixture:
        """The same label vectors with probabilities nearby."""
        first = np.clip(self.first + width * np.linspace(-1, 1, 41), 1e-6, 1 - 1e-6)
        return _mixed(first, np.broadcast_to(self.label_vectors, (41, *self.label_vectors.shape)))


def _worst(findings: Iterable[_Finding]) -> tuple[_Finding, ...]:
    """The eight worst pairs of label vectors, each with its worst probability."""
    best: dict[bytes, _Finding] = {}
    for finding in sorted(findings, key=lambda each: -each.regret):
        best.setdefault(finding.label_vectors.tobytes(), finding)
    return tuple(best.values())[:8]


class _Outcome(NamedTuple):
    """The regret of each mixture, 0 where the order is right, and how its scores were found."""

    regret: Floats
    scores: Floats
    converged: Booleans
    convex: Booleans

    def findings(self, mixture: Mixture) -> Iterator[_Finding]:
        order = np.argsort(-self.regret, kind="stable")[:64]
        for row in order[self.regret[order] > 0]:
            vectors = np.ascontiguousarray(mixture.label_vectors[row])
            yield _Finding(float(self.regret[row]), float(mixture.probabilities[row, 0]), vectors, self.scores[row])


def _mixed(first: Floats, supports: Floats) -> Mixture:
    return Mixture(np.stack([first, 1 - first], axis=1), supports)


@dataclass(frozen=True)
class _Search:
    """A loss, the measure it is held to, and the label vectors to mix."""

    loss: LossFunction
    name: str
    label_vectors: Floats
    n_threads: int
    measure: dict[str, Any]

    @classmethod
    def of(
        cls,
        loss: str | LossFunction,
        n_docs: int,
        levels: Sequence[float],
        n_threads: int | None,
        gain: Any,
        discount: Any,
        cutoff: Any,
    ) -> _Search:
        function = minimizers.of(loss)
        if n_docs < 2 or len(set(levels)) < 2 or not all(map(math.isfinite, levels)):
            raise OptionError(f"a search needs two documents and two levels, got {n_docs} and {tuple(levels)}")
        count = math.comb(len(set(levels)) ** n_docs, 2) * _PROBABILITIES.size
        if count > _MOST:
            raise OptionError(f"{count:,} mixtures are too many to search: take fewer documents or levels")
        vectors = np.array(list(itertools.product(sorted(set(levels)), repeat=n_docs)), np.float64)
        measure = {"gain": gain, "discount": discount, "cutoff": cutoff}
        relevant = vectors[targets(vectors, **measure).any(axis=1)]
        name = str(function) if isinstance(function, Loss) else getattr(function, "__name__", repr(function))
        return cls(function, name, relevant, resolve_threads(n_threads), measure)

    @property
    def closed_form(self) -> bool:
        return hasattr(self.loss, "minimizer")

    def supports(self) -> Iterator[Floats]:
        """All pairs of label vectors, in pieces of a size that memory bears."""
        pairs = np.stack(np.triu_indices(len(self.label_vectors), 1), axis=1)
        for begin in range(0, len(pairs), _CHUNK):
            yield self.label_vectors[pairs[begin : begin + _CHUNK]]

    def beside_switches(self, supports: Floats) -> Mixture:
        """The pairs mixed so that the best order is just about to change, or just has."""
        rows, first = _switches(targets(supports, **self.measure))
        both = np.concatenate([first - _NEAR_A_SWITCH, first + _NEAR_A_SWITCH])
        inside = (both > 0) & (both < 1)
        return _mixed(both[inside], supports[np.tile(rows, 2)[inside]])

    def target(self, mixture: Mixture) -> Floats:
        each = targets(mixture.label_vectors, **self.measure)
        return np.asarray(np.einsum("nk,nkd->nd", mixture.probabilities, each))

    def examine(self, mixture: Mixture) -> _Outcome:
        """The scores of least risk of each mixture, and what NDCG they lose."""
        found = best_scores(self.loss, mixture, self.n_threads)
        target = self.target(mixture)
        rows = np.flatnonzero(_reversed(found.scores, target).any(axis=(1, 2)) & found.converged)
        if rows.size and not self.closed_form:  # of many minima, one was found: another may be in the right order
            part = Mixture(mixture.probabilities[rows], mixture.label_vectors[rows])
            charge, trusted = self.charge(part, found.scores[rows], target[rows], found.risk[rows])
            rows = rows[charge > trusted]
        regret = np.zeros(target.shape[0])
        discount, cutoff = self.measure["discount"], self.measure["cutoff"]
        regret[rows] = regret_of_target(_finite(found.scores[rows]), target[rows], discount=discount, cutoff=cutoff)
        regret[regret < 1e-12] = 0  # behind the cut-off any order will do
        return _Outcome(regret, found.scores, found.converged, found.convex)

    def charge(self, mixture: Mixture, scores: Floats, target: Floats, value: Floats) -> tuple[Floats, Floats]:
        """How much more risk than the value scores in the right order have, at the least; and what digits can tell.

        Of the pairs in a wrong order, take one: right scores have s_better > s_worse, and the least of these risks, if
        it is convex, is where both are equal.
        """
        gains = np.where(_reversed(scores, target), target[:, :, None] - target[:, None, :], -1)
        better, worse = np.divmod(gains.reshape(len(gains), -1).argmax(axis=1), mixture.n_docs)
        basis = _tied(mixture.n_docs, better, worse)
        tied = minimize(Risk(self.loss, mixture, self.n_threads, basis, ridge=1e-12, tolerance=1e-12))
        return tied.risk - np.where(tied.convex, tied.gap, 0) - value, _DIGITS * (1 + np.abs(value))

    def certify(self, finding: _Finding) -> dict[str, Any] | None:
        """The finding with its certificate, clearly more risk for scores in the right order; None without one."""
        mixture = _mixed(np.array([finding.first]), finding.label_vectors[None])
        target = self.target(mixture)
        risk = Risk(self.loss, mixture, self.n_threads)
        scores = _finite(finding.scores[None])
        value, slope, _ = risk(scores)
        at_border, trusted = self.charge(mixture, scores, target, value)
        drawn = risk.take(np.zeros(_DRAWS, np.int64))(_in_order_of(target[0]))[0]
        charge = min(float(at_border[0]), float(drawn.min() - value[0]))
        if charge <= trusted[0]:
            return None
        chances = tuple(round(p, 12) for p in mixture.probabilities[0].tolist())
        return {
            "counterexample": Counterexample(chances, tuple(map(tuple, finding.label_vectors.tolist()))),
            "regret": finding.regret,
            "scores": tuple(finding.scores.tolist()),
            "target": tuple(target[0].tolist()),
            "charge": charge,
            "slope": float(np.abs(slope).max()),
        }


def _switches(each: Floats) -> tuple[Int64s, Floats]:
    """Where the target of a pair of vectors changes the order of two documents: row, and probability of the first."""
    i, j = np.triu_indices(each.shape[-1], 1)
    first, second = np.moveaxis(each[..., i] - each[..., j], 1, 0)
    rows, places = np.nonzero(first * second < 0)
    first, second = first[rows, places], second[rows, places]
    return rows, second / (second - first)


def _reversed(scores: Floats, target: Floats) -> Booleans:
    """The pairs (i, j) of each row that the target clearly ranks i, j and the scores clearly j, i."""
    size = np.where(np.isfinite(scores), np.abs(scores), 0).max(axis=1)
    tolerance = (1e-6 * size + 1e-8)[:, None, None]
    better = target[:, :, None] > target[:, None, :] + 1e-12
    return np.asarray(better & (scores[:, :, None] < scores[:, None, :] - tolerance))


def _finite(scores: Floats) -> Floats:
    """The scores with something below all others in the place of -inf."""
    least = np.where(np.isfinite(scores), scores, 0).min(initial=0)
    return np.asarray(np.maximum(scores, least - 1))


def _tied(n_docs: int, better: Int64s, worse: Int64s) -> Floats:
    """Of each row, the basis of scores in which two documents have the same: that of the worse one is not free."""
    unit = np.eye(n_docs)
    basis = np.tile(unit, (better.size, 1, 1))
    basis[np.arange(better.size), worse] = unit[better]
    free = np.argsort(np.arange(n_docs) == worse[:, None], axis=1, kind="stable")[:, :-1]
    return np.take_along_axis(basis, free[:, None, :], axis=2)


def _in_order_of(target: Floats) -> Floats:
    """Scores of many sizes and offsets in the order of the target, always the same ones."""
    rng = np.random.default_rng(0)
    drawn = np.sort(rng.normal(size=(_DRAWS, target.size)) + rng.normal(size=(_DRAWS, 1)), axis=1)
    ranked = np.empty_like(drawn)
    ranked[:, np.argsort(target, kind="stable")] = drawn * 10 ** rng.uniform(-2, 1, (_DRAWS, 1))
    return ranked
