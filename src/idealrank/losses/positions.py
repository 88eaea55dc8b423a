"""Measures as smooth functions of positions: one value per query, and its derivative with respect to each position.

Equations are those of Qin, Liu and Li 2008. A cutoff k weights a position p by sigma(beta (k + 1/2 - p)): nearly 1 up
to rank k, nearly 0 from rank k + 1 on.

Signals such as Ctrl-C are answered after calls, not after operators: where all documents take part, steps are calls.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from idealrank._typing import Floats, Int64s
from idealrank.losses.segments import sums
from idealrank.measures import discounts
from idealrank.measures.ranks import SoftRanks


@dataclass(frozen=True)
class Positions:
    """The positions of documents, and what each is worth there.

    ``depths`` has one cutoff per query, or is None if all positions count. ``discount`` is only for sums.
    """

    positions: Floats
    worth: Floats
    offsets: Int64s
    depths: Int64s | None
    beta: float
    discount: discounts.Discount
    n_threads: int

    def spread(self, per_query: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return each query's number for each of its documents."""
        return np.repeat(per_query, np.diff(self.offsets))

    def kept(self) -> tuple[Floats, Floats]:
        """Return how much of a document the cutoff keeps, and the derivative with respect to its position."""
        if self.depths is None:
            return np.ones(self.positions.size), np.zeros(self.positions.size)
        with np.errstate(over="ignore"):
            over = np.subtract(self.positions, self.spread(self.depths + 0.5))
            share = np.divide(1, 1 + np.exp(self.beta * over))
        return share, np.multiply(-self.beta * share, 1 - share)

    def relevant(self) -> tuple[Int64s, Positions]:
        """Return the rows that are worth something, and the positions of only those."""
        rows = np.flatnonzero(self.worth > 0)
        offsets = np.searchsorted(rows, self.offsets).astype(np.int64)
        return rows, replace(self, positions=self.positions[rows], worth=self.worth[rows], offsets=offsets)

    def soft(self, sign: float) -> SoftRanks:
        """Return sums of sigma(beta (p_y - p_x)) for sign 1, of sigma(beta (p_x - p_y)) for sign -1."""
        return SoftRanks(sign * self.positions, self.offsets, self.beta, n_threads=self.n_threads)


def discounted_sum(at: Positions) -> tuple[Floats, Floats]:
    """Return sum_x G_x D(p_x), from which DCG, precision, recall and others are computed (eq. (21))."""
    weight, slope = at.discount.at(at.positions, at.spread(np.diff(at.offsets)))
    if at.depths is not None:
        share, share_slope = at.kept()
        slope = np.add(np.multiply(slope, share), weight * share_slope)
        weight = np.multiply(weight, share)
    return sums(np.multiply(at.worth, weight), at.offsets), np.multiply(at.worth, slope)


def precision_sum(at: Positions) -> tuple[Floats, Floats]:
    """Return sum_y r_y / p_y (r_y + sum_x r_x sigma(beta (p_y - p_x))), undivided average precision (eq. (22))."""
    rows, found = at.relevant()
    share, share_slope = found.kept()
    above, density = found.soft(-1).sums(found.worth)
    hits = found.worth + above
    each = np.divide(found.worth * share, found.positions)
    _, pulled = found.soft(-1).sums(each)
    own = np.divide(found.worth * np.subtract(share_slope, share / found.positions), found.positions)
    slopes = np.zeros(at.positions.size)
    pairs = np.subtract(each * density, found.worth * pulled)
    slopes[rows] = np.add(own * hits, found.beta * pairs)  # eqs. (44)-(47)
    return sums(np.multiply(each, hits), found.offsets), slopes


def first_sum(at: Positions) -> tuple[Floats, Floats]:
    """Return sum_x r_x / p_x prod_y sigma(beta (p_y - p_x)) over relevant x and y: the first one's reciprocal rank."""
    rows, found = at.relevant()
    share, share_slope = found.kept()
    is_first = found.worth * np.exp(-found.soft(1).log_sums())
    each = share / found.positions * is_first
    above, _ = found.soft(-1).sums()
    pulled, _ = found.soft(1).sums(each)
    own = np.divide(np.subtract(share_slope, share / found.positions), found.positions) * is_first
    slopes = np.zeros(at.positions.size)
    slopes[rows] = own + found.beta * (pulled - each * above)
    return sums(each, found.offsets), slopes


def any_found(at: Positions) -> tuple[Floats, Floats]:
    """Return 1 - prod_x (1 - kept_x)^r_x: whether something relevant is kept."""
    share, _ = at.kept()
    with np.errstate(divide="ignore", invalid="ignore"):
        missed = np.exp(sums(np.where(at.worth > 0, at.worth * np.log1p(-share), 0.0), at.offsets))
    slopes = 0 * share if at.depths is None else -at.beta * at.worth * share * at.spread(missed)
    return 1 - missed, slopes


#: By the names of reductions in a measure's plan.
REDUCTIONS: Mapping[str, Callable[[Positions], tuple[Floats, Floats]]] = MappingProxyType(
    {"sum": discounted_sum, "precision_mean": precision_sum, "first": first_sum, "any": any_found}
)
#: The reductions that compare positions with each other, also without a cutoff.
COMPARING = frozenset({"precision_mean", "first"})
