"""The expected value of a measure in every order of a few documents whose labels are random.

Some measures, NDCG among them, have a target: an expected share per document, by which the best order sorts. Others, AP
and ERR among them, do not. All orders of few documents can be enumerated whatever the measure.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from idealrank import measures
from idealrank._typing import Booleans, Floats, Int64s
from idealrank.errors import DataError, OptionError
from idealrank.measures import Measure
from idealrank.theory.consistency.fisher import Mixture

#: A measure of the library, or a function of labels, scores and offsets that returns one value per query.
MeasureFunction: TypeAlias = "Measure | Callable[[Floats, Floats, Int64s], npt.ArrayLike]"

#: Values that differ by less are equal.
EQUAL = 1e-10


def measure_function(measure: str | MeasureFunction) -> MeasureFunction:
    """Return the measure of this name; a function is returned as it is.

    Measures of the library have no value, NaN, for labels that give every order the same one by convention.
    """
    found = measures.measure(measure) if isinstance(measure, str) else measure
    if isinstance(found, Measure):
        return replace(found, empty="nan") if "empty" in found.options() else found
    if not callable(found):
        raise OptionError(f"a measure must be a name or a function of labels, scores and offsets, got {measure!r}")
    return found


def name_of(measure: str | MeasureFunction) -> str:
    """Return the name of a measure for people."""
    if isinstance(measure, (str, Measure)):
        return str(measure)
    return getattr(measure, "__name__", repr(measure))


@dataclass(frozen=True)
class Orders:
    """All orders of ``n_docs`` documents, and what a measure says of them.

    Parameters
    ----------
    measure : MeasureFunction
        The measure.
    n_docs : int
        The number of documents.

    Examples
    --------
    >>> orders = Orders(measure_function("p@1"), 2)
    >>> orders.documents.tolist(), orders.values(np.array([[1.0, 0.0]])).tolist()
    ([[0, 1], [1, 0]], [[1.0, 0.0]])
    """

    measure: MeasureFunction
    n_docs: int
    _known: dict[bytes, Floats] = field(default_factory=dict, compare=False, repr=False)

    @cached_property
    def documents(self) -> Int64s:
        """The documents in each order, best first: of shape (orders, documents)."""
        return np.array(list(itertools.permutations(range(self.n_docs))), np.int64)

    @cached_property
    def before(self) -> Booleans:
        """Whether document i comes before j in each order: of shape (orders, documents, documents)."""
        ranks = np.argsort(self.documents, axis=1)
        return np.asarray(ranks[:, :, None] < ranks[:, None, :])

    def values(self, label_vectors: Floats) -> Floats:
        """Return the value of each order, of shape (..., orders), negated if lower is better; NaN if there is none."""
        flat = np.ascontiguousarray(label_vectors.reshape(-1, self.n_docs))
        distinct, rows = np.unique(flat, axis=0, return_inverse=True)
        new = [labels for labels in distinct if labels.tobytes() not in self._known]
        if new:
            self._known.update(zip([labels.tobytes() for labels in new], self._computed(np.array(new)), strict=True))
        shape = (*label_vectors.shape[:-1], len(self.documents))
        table = np.array([self._known[labels.tobytes()] for labels in distinct]).reshape(-1, shape[-1])
        return np.asarray(table[rows.reshape(-1)].reshape(shape))

    def _computed(self, label_vectors: Floats) -> Floats:
        n_orders = len(self.documents)
        scores = -np.argsort(self.documents, axis=1).astype(np.float64)
        labels = np.repeat(label_vectors, n_orders, axis=0).reshape(-1)
        offsets = np.arange(0, labels.size + 1, self.n_docs)
        found = self.measure(labels, np.tile(scores.reshape(-1), len(label_vectors)), offsets)
        column: Floats = np.asarray(found, np.float64) * (-1 if getattr(self.measure, "lower_is_better", False) else 1)
        if column.shape != (offsets.size - 1,):
            raise DataError(f"a measure must return one value per query, {offsets.size - 1} here, got {column.shape}")
        return column.reshape(-1, n_orders)

    def expected(self, mixture: Mixture) -> Floats:
        """Return the expected value of each order, of shape (problems, orders)."""
        return np.asarray(np.einsum("nk,nko->no", mixture.probabilities, self.values(mixture.label_vectors)))

    def clearly_reversed(self, scores: Floats) -> Booleans:
        """Return whether s_i is clearly below s_j: of shape (problems, documents, documents)."""
        size = np.where(np.isfinite(scores), np.abs(scores), 0).max(axis=1)
        tolerance = (1e-6 * size + 1e-8)[:, None, None]
        with np.errstate(invalid="ignore"):  # of two scores of -inf neither is below the other
            return np.asarray(scores[:, :, None] < scores[:, None, :] - tolerance)

    def wrong_pairs(self, mixture: Mixture, scores: Floats) -> tuple[Booleans, Booleans]:
        """Return which orders are best, and which pairs (i, j) of each best order the scores clearly reverse.

        Of shapes (problems, orders) and (problems, orders, documents, documents). Scores are wrong if they reverse a
        pair of every best order.
        """
        expected = self.expected(mixture)
        best = expected > expected.max(axis=1, keepdims=True) - EQUAL
        return best, self.clearly_reversed(scores)[:, None] & self.before & best[:, :, None, None]

    def regret(self, mixture: Mixture, scores: Floats) -> Floats:
        """Return the expected value that scores lose; equal scores have the mean of all their orders."""
        expected = self.expected(mixture)
        possible = self._possible(scores)
        value = np.where(possible, expected, 0).sum(axis=1) / possible.sum(axis=1)
        return np.asarray(np.maximum(expected.max(axis=1) - value, 0))

    def switches(self, supports: Floats) -> tuple[Int64s, Floats]:
        """Return the row and the probability of the first vector where the best order of a pair changes."""
        return switches_of(self.values(supports))

    @cached_property
    def with_ties(self) -> Floats:
        """One score vector per order with ties: ranks from the worst, equal for documents that are tied."""
        ranked = {
            tuple(np.unique(each, return_inverse=True)[1].tolist())
            for each in itertools.product(range(self.n_docs), repeat=self.n_docs)
        }
        return np.array(sorted(ranked), np.float64)

    @cached_property
    def shares(self) -> Floats:
        """The share of each order in each order with ties, whose value is a mean: of shape (with ties, orders)."""
        possible = self._possible(self.with_ties)
        return np.asarray(possible / possible.sum(axis=1, keepdims=True))

    def _possible(self, scores: Floats) -> Booleans:
        """Which orders scores allow; equal scores allow several."""
        against = (scores[:, :, None] < scores[:, None, :])[:, None] & self.before
        return np.asarray(~against.any(axis=(2, 3)))


def switches_of(values: Floats) -> tuple[Int64s, Floats]:
    """Return the row and the probability of the first of two ends, (rows, 2, orders), where the best order changes."""
    i, j = np.triu_indices(values.shape[-1], 1)
    first, second = np.moveaxis(values[..., i] - values[..., j], 1, 0)
    rows, places = np.nonzero(first * second < 0)
    chance = second[rows, places] / (second[rows, places] - first[rows, places])
    there = chance[:, None] * values[rows, 0] + (1 - chance[:, None]) * values[rows, 1]
    kept = there[np.arange(rows.size), i[places]] > there.max(axis=1) - EQUAL
    found = np.unique(np.column_stack([rows[kept], chance[kept].round(12)]), axis=0)
    return found[:, 0].astype(np.int64), found[:, 1]
