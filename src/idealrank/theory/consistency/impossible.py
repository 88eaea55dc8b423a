"""Measures that no convex loss is consistent with, with random labels that prove it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from idealrank._core.checks import is_whole
from idealrank._present.page import Page, Section
from idealrank._present.result import Result
from idealrank._present.table import Column, Table, Value
from idealrank._typing import Booleans, Floats, Int64s
from idealrank.errors import OptionError
from idealrank.theory.consistency.fisher import distinct_levels
from idealrank.theory.consistency.orders import (
    EQUAL,
    MeasureFunction,
    Orders,
    measure_function,
    name_of,
    switches_of,
)

_CHUNK = 200_000
_MOST = 5_000_000


@dataclass(frozen=True)
class Impossibility(Result):
    """A distribution of labels that proves that no convex loss is consistent with a measure.

    Parameters
    ----------
    measure : str
        The name of the measure.
    probabilities : tuple of float
        One probability per label vector.
    label_vectors : tuple of tuple of float
        One label per document in each vector.
    first, second : tuple of int
        Two orders with the highest expected value, as documents numbered from 0, best first.
    toward_first, toward_second : tuple of float
        Label vectors: if ``toward_first`` becomes slightly more probable, only the first order stays best; if
        ``toward_second`` does, only the second.
    expected : float
        The expected value of the measure in both orders.
    between : float
        The least that is lost somewhere on any path from scores in the first order to scores in the second order.

    Examples
    --------
    >>> from idealrank.theory import no_convex_loss
    >>> found = no_convex_loss("ap")
    >>> found.probabilities, found.label_vectors
    ((0.384615384615, 0.615384615385), ((0.0, 0.0, 1.0), (1.0, 1.0, 0.0)))
    >>> found.first, found.second, round(found.expected, 4)  # the third document is last, or first
    ((0, 1, 2), (2, 0, 1), 0.7436)
    """

    measure: str
    probabilities: tuple[float, ...]
    label_vectors: tuple[tuple[float, ...], ...]
    first: tuple[int, ...]
    second: tuple[int, ...]
    toward_first: tuple[float, ...]
    toward_second: tuple[float, ...]
    expected: float
    between: float

    def tables(self) -> Mapping[str, Table]:
        """Return the tables "labels", a row per label vector, and "orders", the two best orders."""
        numbers = range(1, len(self.first) + 1)
        labels: list[list[Value]] = [
            [p, *vector] for p, vector in zip(self.probabilities, self.label_vectors, strict=True)
        ]
        orders: list[list[Value]] = [
            [name, *(f"d{document + 1}" for document in order), self.expected]
            for name, order in (("best", self.first), ("as good", self.second))
        ]
        ranks = [Column(f"rank {number}") for number in numbers]
        return {
            "labels": Table([Column("probability", ".4g"), *(Column(f"d{number}", "g") for number in numbers)], labels),
            "orders": Table([Column("order"), *ranks, Column(f"expected {self.measure}", ".4f")], orders),
        }

    def page(self) -> Page:
        """Return the labels and the orders, and what they prove."""
        said, tables = (f"{self}.",), self.tables()
        return Page(
            "Impossibility",
            summary=(Section(tables={"labels": tables["labels"]}),),
            remarks=said,
            sections=lambda: [Section("Result", tables=tables, notes=said)],
        )

    def __str__(self) -> str:
        return (
            f"no convex loss is consistent with {self.measure}: two orders are best for these labels, and on any way "
            f"from scores in the one to scores in the other {self.between:.4f} is lost"
        )


def no_convex_loss(
    measure: str | MeasureFunction, n_docs: int = 3, levels: Sequence[float] = (0, 1, 2)
) -> Impossibility | None:
    """Search for a distribution of labels which proves that no convex loss is consistent with a measure.

    The argument: the scores of lowest risk of a convex loss form a convex set, which is connected, and which changes
    continuously with the probabilities as long as it is bounded. At certain probabilities, however, the scores in a
    best order form several separate sets. The scores of lowest risk are then in one of them. If the probabilities
    change slightly, so that only another set is best, the scores of lowest risk are still in the first one, in a wrong
    order.

    Calauzènes, Usunier and Gallinari (2012) prove this for AP, ERR and pairwise disagreement, whether the sets are
    bounded or not. For measures with a target per document (NDCG, P@k, RBP, recall), there are no such labels.

    Parameters
    ----------
    measure : str, Measure or callable
        The measure, or a function of labels, scores and offsets that returns one value per query.
    n_docs : int
        The number of documents.
    levels : sequence of float
        The labels that documents can have.

    Returns
    -------
    Impossibility or None
        The labels with the largest loss between two best orders; None if the search found none. The search tries the
        mixtures of a label vector with another one, or with two others of equal probability, at which the best order
        changes, and the midpoints between them.

    Raises
    ------
    OptionError
        If there are fewer than two documents or levels, or too many mixtures to search.

    Examples
    --------
    >>> from textwrap import fill
    >>> from idealrank.theory import no_convex_loss
    >>> print(fill(str(no_convex_loss("rr"))))
    no convex loss is consistent with rr: two orders are best for these
    labels, and on any way from scores in the one to scores in the other
    0.0417 is lost
    >>> no_convex_loss("ndcg") is None
    True
    """
    labels = distinct_levels(levels)
    if not is_whole(n_docs, 2) or len(labels) < 2:
        raise OptionError(
            f"a search needs at least two documents and two levels, got n_docs={n_docs!r} and levels={labels}"
        )
    n_vectors = len(labels) ** n_docs
    if n_vectors * math.comb(n_vectors, 2) * math.factorial(n_docs) > _MOST:
        raise OptionError(f"mixtures of {n_vectors:,} label vectors are too many: pass fewer documents or levels")
    orders = Orders(measure_function(measure), n_docs)
    vectors = np.array(list(itertools.product(labels, repeat=n_docs)), np.float64)
    values = orders.values(vectors)
    known = ~np.isnan(values).any(axis=1)
    vectors, values = vectors[known], values[known]
    two = np.stack(np.triu_indices(len(vectors)), axis=1)  # a vector, or the mean of two
    ends = values[two].mean(axis=1)
    grid = np.meshgrid(np.arange(len(vectors)), np.arange(len(two)), indexing="ij")
    pairs = np.stack(grid, axis=-1).reshape(-1, 2)
    worst, found = 10 * EQUAL, None
    chunk = max(1, _CHUNK // (len(orders.with_ties) ** 2 + len(vectors) * len(orders.documents) ** 2))
    for begin in range(0, len(pairs), chunk):
        part = pairs[begin : begin + chunk]
        supports = np.stack([values[part[:, 0]], ends[part[:, 1]]], axis=1)
        rows, chances = _with_middles(*switches_of(supports), len(part))
        at = chances[:, None] * supports[rows, 0] + (1 - chances[:, None]) * supports[rows, 1]
        lost, pieces = _pieces(orders, at)
        proves = _always_avoidable(values, at, pieces)
        lost = np.where(proves[:, None, None], lost, 0)
        place, first, second = np.unravel_index(int(lost.argmax()), lost.shape) if lost.size else (0, 0, 0)
        if lost.size and lost[place, first, second] > worst + 1e-9:
            worst, chance, (start, end) = float(lost[place, first, second]), float(chances[place]), part[rows[place]]
            others = [*dict.fromkeys(two[end].tolist())]
            weights = [chance, *[(1 - chance) / len(others)] * len(others)]
            gains = values[:, first] - values[:, second]
            found = Impossibility(
                measure=name_of(measure),
                probabilities=tuple(round(weight, 12) for weight in weights),
                label_vectors=tuple(tuple(vectors[row].tolist()) for row in (start, *others)),
                first=tuple(orders.documents[first].tolist()),
                second=tuple(orders.documents[second].tolist()),
                toward_first=tuple(vectors[int(gains.argmax())].tolist()),
                toward_second=tuple(vectors[int(gains.argmin())].tolist()),
                expected=float(at[place].max()),
                between=worst,
            )
    return found


def _with_middles(rows: Int64s, chances: Floats, n_rows: int) -> tuple[Int64s, Floats]:
    """The switches of each row, and the middles between them and the ends 0 and 1."""
    every = np.arange(n_rows)
    all_rows = np.concatenate([every, rows, every])
    places = np.concatenate([np.zeros(n_rows), chances, np.ones(n_rows)])
    order = np.lexsort((places, all_rows))
    all_rows, places = all_rows[order], places[order]
    inside = all_rows[1:] == all_rows[:-1]
    middles = (places[1:] + places[:-1])[inside] / 2
    return np.concatenate([rows, all_rows[1:][inside]]), np.concatenate([chances, middles])


def _pieces(orders: Orders, at: Floats) -> tuple[Floats, Booleans]:
    """What is lost, at least, between any two best orders of each problem; and which of them are in one piece.

    From one order with ties to the next, scores change by making two documents equal, or different again. The best of
    all ways is the one whose worst point is best, found as shortest ways are (Floyd and Warshall).
    """
    best = at > at.max(axis=1, keepdims=True) - EQUAL
    worth = at @ orders.shares.T
    widest = np.where(_touching(orders.with_ties), np.minimum(worth[:, :, None], worth[:, None, :]), -np.inf)
    for via in range(widest.shape[1]):
        widest = np.maximum(widest, np.minimum(widest[:, :, [via]], widest[:, [via], :]))
    strict = np.argmax(orders.shares == 1, axis=0)  # where each order is among those with ties
    both = best[:, :, None] & best[:, None, :]
    lost = np.where(both, at.max(axis=1)[:, None, None] - widest[:, strict][:, :, strict], 0)
    return lost, both & (lost < EQUAL)


def _always_avoidable(values: Floats, at: Floats, pieces: Booleans) -> Booleans:
    """Whether each piece of the best orders stops being best if one of the label vectors becomes more probable."""
    best = np.diagonal(pieces, axis1=1, axis2=2)
    among = np.where(best[:, None], values, -np.inf)
    stays = among > among.max(axis=2, keepdims=True) - EQUAL  # the best orders with a little more of each label vector
    whole = (stays[:, :, :, None] & pieces[:, None]).any(axis=2)  # and all orders in their pieces
    return np.asarray((~whole.all(axis=1) | ~best).all(axis=1))


def _touching(scores: Floats) -> Booleans:
    """Which orders with ties are next to each other: one of them breaks ties of the other, and changes nothing else."""
    below = scores[:, :, None] < scores[:, None, :]
    refined = ~(below[:, None] & ~below[None]).any(axis=(2, 3))
    return np.asarray(refined | refined.T)
