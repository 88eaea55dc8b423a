"""Sums over all pairs of documents without the pairs, for any device: time and memory linear in the length of a list.

A sorted list is cut into blocks. Pairs within a block are visited one by one. Everything further away goes through the
first document of a block: for d >= 0, a kernel is a polynomial of d and a short series in powers of q = exp(-d), and
sums of such terms over all documents up to one place follow from those up to an earlier place, by a factor and a few
products. So blocks exchange one small state each, in a parallel scan of log2(blocks) steps. Distances are differences
of scores, not of prefix sums, and terms of one kind have one sign, so that float32 is enough for float32 scores.

Where many documents share a short interval of scores, they are replaced by a few nodes: a `Grid` needs no sort.

`pair_sums` can be differentiated any number of times: its derivatives are sums of the same form with the derivative of
the kernel.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple, Protocol

import torch
from torch import Tensor
from torch.nn.functional import logsigmoid, pad

__all__ = ["Grid", "HingeKernel", "Kernel", "LogisticKernel", "Sequence", "pair_sums", "wide"]

_BLOCK = 16
#: Pairs of documents within blocks that are in memory at a time: few enough for the cache of a processor, or enough to
#: keep another device busy.
_PAIRS_OF_CPU, _PAIRS = 1 << 18, 1 << 22


def wide(device: torch.device) -> torch.dtype:
    """Return float64, or float32 where a device has nothing wider."""
    return torch.float32 if device.type == "mps" else torch.float64


class Kernel(Protocol):
    """A function g of z = s_y - s_x and its derivatives, the ``order``-th being g_order.

    With d = |z| and q = exp(-slope d), ``g_order(z)`` is ``series`` times the powers of q if z <= 0, and if z >= 0,
    ``factor`` d^``degree`` + ``sign`` times the same.
    """

    @property
    def slope(self) -> float: ...

    def near(self, z: Tensor, order: int) -> Tensor:
        """Return g_order(z) for z that are already multiplied by the slope."""

    def polynomial(self, order: int) -> tuple[float, int]:
        """Return the factor and the degree."""

    def series(self, order: int, dtype: torch.dtype) -> tuple[list[float], float]:
        """Return the coefficients of q, q^2, ..., and the sign."""


@dataclass(frozen=True)
class LogisticKernel:
    """g(z) = log(1 + exp(slope z)); its derivative by slope z is the sigmoid."""

    slope: float

    def near(self, z: Tensor, order: int) -> Tensor:
        if order == 0:
            return -logsigmoid(-z)
        high = z.sigmoid()
        if order == 1:
            return high
        low = (-z).sigmoid()
        # Each derivative after the sigmoid h is h l times a polynomial of h, with l = 1 - h.
        inner = [1]
        for _ in range(order - 2):
            inner = _next(inner)
        total = torch.zeros_like(high)
        for coefficient in reversed(inner):
            total = total * high + coefficient
        return high * low * total

    def polynomial(self, order: int) -> tuple[float, int]:
        return (1.0, 1 - order) if order < 2 else (0.0, 0)

    def series(self, order: int, dtype: torch.dtype) -> tuple[list[float], float]:
        slopes = _slopes(20 if dtype == torch.float64 else 10)
        return [float(b * Fraction(k) ** (order - 2)) for k, b in enumerate(slopes, 1)], (-1.0) ** order


def _next(inner: list[int]) -> list[int]:
    """Return p2 with (h l p(h))' = h l p2(h), where h' = h l: p2 = (1 - 2 h) p + h (1 - h) p'."""
    made = [0] * (len(inner) + 1)
    for k, c in enumerate(inner):
        made[k] += (1 + k) * c
        made[k + 1] -= (2 + k) * c
    return made


@cache
def _slopes(length: int) -> list[Fraction]:
    """Return b with sum_k b_k q^k = q / (1 + q)^2 for q from 0 to 1, to a relative error of 3e-14 for 20 of them.

    With T the Chebyshev polynomial of this degree at 2 q - 1 and r = -T'(-1) / T(-1), the polynomial e(q) = T(q) (1 + r
    (1 + q)) / T(-1) is small from 0 to 1, and (1 - e(q)) / (1 + q)^2 is a polynomial (Cohen, Rodriguez Villegas and
    Zagier 2000, who accelerate alternating series in this way).

    Examples
    --------
    >>> sum(float(b) * 0.5**k for k, b in enumerate(_slopes(20), 1)), 0.5 / 1.5**2
    (0.2222222222222..., 0.2222222222222222)
    """
    chebyshev = [
        (-1) ** (length - k) * Fraction(4**k * length * math.comb(length + k, 2 * k), length + k)
        for k in range(length + 1)
    ]
    end = sum((-1) ** k * c for k, c in enumerate(chebyshev))
    r = sum((-1) ** k * k * c for k, c in enumerate(chebyshev)) / end  # -T'(-1) / T(-1)
    rest = [-((1 + r) * c + r * before) / end for c, before in zip([*chebyshev, 0], [0, *chebyshev], strict=True)]
    rest[0] += 1
    for _ in range(2):  # synthetic division by 1 + q, twice
        carry, quotient = Fraction(0), []
        for c in reversed(rest):
            carry = c - carry
            quotient.append(carry)
        rest = quotient[-2::-1]
    return rest


@dataclass(frozen=True)
class HingeKernel:
    """g(z) = max(0, z)^power; the derivatives at 0 are 0."""

    power: int
    slope: float = 1.0

    def near(self, z: Tensor, order: int) -> Tensor:
        factor, degree = self.polynomial(order)
        return torch.where(z > 0, factor * z**degree, 0)

    def polynomial(self, order: int) -> tuple[float, int]:
        return (float(math.perm(self.power, order)), self.power - order) if order <= self.power else (0.0, 0)

    def series(self, order: int, dtype: torch.dtype) -> tuple[list[float], float]:
        return [], 1.0


class Grid(NamedTuple):
    """Documents in boxes that are narrow beside 1 / slope, where a kernel is interpolated between Chebyshev nodes.

    ``basis`` has the Chebyshev polynomials of the place of each document in its box, one row each. ``nodes`` are
    relative to the lowest score of their group.
    """

    boxes: Tensor
    basis: Tensor
    nodes: Tensor
    groups: Tensor

    @classmethod
    def of(cls, scores: Tensor, groups: Tensor, n_groups: int, slope: float) -> Grid | None:
        """Return the grid of these documents, in any order; None if they are not dense enough to gain by it."""
        degree, width = (8, 0.18) if scores.dtype == torch.float64 else (5, 0.3)
        given, scores = scores.dtype, scores.detach().to(wide(scores.device))
        empty = torch.full((n_groups,), torch.inf, dtype=scores.dtype, device=scores.device)
        lowest = empty.scatter_reduce(0, groups, scores, "amin") if n_groups > 1 else scores.amin(0, keepdim=True)
        places = (scores - lowest[groups]) * (slope / width)
        highest = (-empty).scatter_reduce(0, groups, places, "amax") if n_groups > 1 else places.amax(0, keepdim=True)
        n_boxes = torch.where(highest >= 0, highest.floor() + 1, 0)
        total = float(n_boxes.sum())
        if not total * degree * 4 <= len(scores):
            return None
        size, counts = int(total), n_boxes.long()
        starts = counts.cumsum(0) - counts
        inner = places.floor()
        of_boxes = torch.arange(n_groups, device=groups.device).repeat_interleave(counts, output_size=size)
        numbers = torch.arange(size, device=groups.device) - starts[of_boxes]
        return cls(
            inner.long().add_(starts[groups]),
            _chebyshev(places.sub_(inner).mul_(2).sub_(1), degree).to(given),
            ((numbers[:, None] + (1 + _nodes(degree, scores)) / 2) * (width / slope)).view(-1),
            of_boxes.repeat_interleave(degree),
        )

    def sums(self, weights: Tensor, kernel: Kernel, orders: tuple[int, ...], is_reflected: bool) -> list[Tensor]:
        """Return the sums over all pairs; if reflected, those of g(s_x - s_y)."""
        basis, n_columns = self.basis, weights.shape[1]
        degree = basis.shape[0]
        n_boxes = self.nodes.shape[0] // degree
        at_nodes = _chebyshev(_nodes(degree, self.nodes), degree)  # polynomials by nodes
        to_nodes = at_nodes * at_nodes.new_tensor([1 / degree] + [2 / degree] * (degree - 1))[:, None]
        moments = self.nodes.new_zeros(degree, n_boxes, n_columns)
        for moment, row in zip(moments, basis, strict=True):
            moment.index_add_(0, self.boxes, (weights * row[:, None]).to(moment))
        collected = torch.einsum("kbw,kj->bjw", moments, to_nodes).reshape(-1, n_columns)

        def turn(column: Tensor) -> Tensor:
            return column.flip(0) if is_reflected else column

        nodes = -self.nodes.flip(0) if is_reflected else self.nodes
        at_each = _sums(nodes, turn(collected), Sequence(turn(self.groups), kernel), orders)
        totals = []
        for order, values in zip(orders, at_each, strict=True):
            own = kernel.near(weights.new_zeros(()), order)
            whole = (turn(values) + own.to(collected) * collected).view(n_boxes, degree, n_columns)
            coefficients = torch.einsum("bjw,kj->kbw", whole, to_nodes).to(weights)
            total = -own * weights
            for coefficient, row in zip(coefficients, basis, strict=True):
                total.addcmul_(coefficient[self.boxes], row[:, None])
            totals.append(total)
        return totals


def _nodes(degree: int, like: Tensor) -> Tensor:
    """Return the zeros of the Chebyshev polynomial of this degree, ascending."""
    return like.new_tensor([-math.cos(math.pi * (2 * j + 1) / (2 * degree)) for j in range(degree)])


def _chebyshev(u: Tensor, count: int) -> Tensor:
    """Return the first Chebyshev polynomials at u, one row each."""
    rows = [torch.ones_like(u), u]
    for _ in range(count - 2):
        rows.append((2 * u).mul_(rows[-1]).sub_(rows[-2]))
    return torch.stack(rows)


class Sequence(NamedTuple):
    """Documents in groups, one after the other, with scores that do not fall within a group.

    ``shifts`` are added to the scores without rounding them. ``heights`` is None, or two columns that are monotone
    within a group: a pair is weighted by the difference of its first heights if y comes before x, of its second ones if
    it comes after. It is in the widest type, because differences are small. With a ``grid``, documents may have any
    order.
    """

    groups: Tensor
    kernel: Kernel
    shifts: Tensor | None = None
    heights: Tensor | None = None
    grid: Grid | None = None
    is_reflected: bool = False

    def reflected(self) -> Sequence:
        """Return the same documents with negated scores: the receiver of a sum and its terms change places."""
        if self.grid is not None:
            return self._replace(is_reflected=not self.is_reflected)
        return self._replace(
            groups=self.groups.flip(0),
            shifts=None if self.shifts is None else -self.shifts.flip(0),
            heights=None if self.heights is None else self.heights.flip(0),
        )

    def turned(self, column: Tensor) -> Tensor:
        """Return a column in the order of the reflected documents, or back from there."""
        return column if self.grid is not None else column.flip(0)


def pair_sums(scores: Tensor, weights: Tensor, sequence: Sequence, order: int = 0) -> Tensor:
    """Return sum_y w_y g_order(s_y - s_x) over the others y in the group of each x, for each column of weights.

    Examples
    --------
    >>> both = Sequence(torch.tensor([0, 0]), LogisticKernel(1.0))
    >>> pair_sums(torch.tensor([0.0, 0.0]), torch.tensor([[1.0], [3.0]]), both, order=1)
    tensor([[1.5000],
            [0.5000]])
    """
    is_differentiated = torch.is_grad_enabled() and scores.requires_grad
    totals: Tensor = _PairSums.apply(scores, weights, sequence, order, is_differentiated)[0]  # type: ignore[no-untyped-call]
    return totals


class _PairSums(torch.autograd.Function):
    """The sums of one order, and if they are to be differentiated, those of the next, which are nearly free."""

    @staticmethod
    def forward(
        ctx: Any, scores: Tensor, weights: Tensor, sequence: Sequence, order: int, is_differentiated: bool
    ) -> tuple[Tensor | None, ...]:
        ctx.set_materialize_grads(False)
        ctx.sequence, ctx.order = sequence, order
        orders = (order, order + 1) if is_differentiated else (order,)
        totals = _sums(scores, weights, sequence, orders)
        following = totals[1] if is_differentiated else None
        ctx.save_for_backward(scores, weights, following)
        return totals[0], following

    @staticmethod
    def backward(ctx: Any, by_sums: Tensor | None, by_following: Tensor | None = None) -> tuple[Tensor | None, ...]:
        scores, weights, following = ctx.saved_tensors
        sequence, order = ctx.sequence, ctx.order
        reflected, back = sequence.reflected(), -sequence.turned(scores)
        by_scores = by_weights = None
        for after, given in enumerate((by_sums, by_following)):
            if given is None:
                continue
            if ctx.needs_input_grad[0]:
                slopes = following if after == 0 else pair_sums(scores, weights, sequence, order + 2)
                pulled = sequence.turned(pair_sums(back, sequence.turned(given), reflected, order + after + 1))
                own = sequence.kernel.slope * (weights * pulled - given * slopes).sum(1)
                by_scores = own if by_scores is None else by_scores + own
            if ctx.needs_input_grad[1]:
                own = sequence.turned(pair_sums(back, sequence.turned(given), reflected, order + after))
                by_weights = own if by_weights is None else by_weights + own
        return by_scores, by_weights, None, None, None


def _sums(scores: Tensor, weights: Tensor, sequence: Sequence, orders: tuple[int, ...]) -> list[Tensor]:
    n_docs = scores.shape[0]
    if not n_docs:
        return [torch.zeros_like(weights) for _ in orders]
    if sequence.grid is not None:
        return sequence.grid.sums(weights, sequence.kernel, orders, sequence.is_reflected)
    blocks = _Blocks(scores, weights, sequence, orders)
    return [total.add_(far).flatten(0, 1)[:n_docs] for total, far in zip(blocks.near(), blocks.far(), strict=True)]


class _Blocks:
    """The documents of a sequence in blocks, a row each; the last block is filled with documents of no group.

    ``_into`` has the distances of documents to the first one of the next block, if that is of the same group; ``_out``
    those from the first one of their own block.
    """

    def __init__(self, scores: Tensor, weights: Tensor, sequence: Sequence, orders: tuple[int, ...]) -> None:
        missing = -scores.shape[0] % _BLOCK
        self.kernel, self.orders = sequence.kernel, orders
        self.scores = pad(scores, (0, missing)).view(-1, _BLOCK)
        self.groups = pad(sequence.groups, (0, missing), value=-1).view(-1, _BLOCK)
        self.weights = pad(weights, (0, 0, 0, missing)).view(-1, _BLOCK, weights.shape[1])
        shifts, heights = sequence.shifts, sequence.heights
        self.shifts = None if shifts is None else pad(shifts, (0, missing)).view(-1, _BLOCK)
        self.heights = None if heights is None else pad(heights.T, (0, missing)).view(2, -1, _BLOCK)

    def near(self) -> list[Tensor]:
        """Return the sums over the other documents of the same block."""
        size = (_PAIRS_OF_CPU if self.scores.device.type == "cpu" else _PAIRS) // _BLOCK**2
        parts = [self._near(slice(start, start + size)) for start in range(0, len(self.scores), size)]
        return [torch.cat(each) for each in zip(*parts, strict=True)]

    def _near(self, some: slice) -> list[Tensor]:
        z = _differences(self.scores[some])
        if self.shifts is not None:
            z += _differences(self.shifts[some])
        z *= self.kernel.slope
        apart = ~torch.eye(_BLOCK, dtype=torch.bool, device=z.device)
        counted = (self.groups[some][:, None, :] == self.groups[some][:, :, None]) & apart
        steps = None
        if self.heights is not None:
            before, after = (_differences(column[some]).abs_() for column in self.heights)
            steps = torch.where(torch.ones_like(apart).tril(), before, after).to(z.dtype)
        totals = []
        for order in self.orders:
            kernel = torch.where(counted, self.kernel.near(z, order), 0)
            totals.append((kernel if steps is None else kernel.mul_(steps)) @ self.weights[some])
        return totals

    def far(self) -> list[Tensor]:
        """Return the sums over the documents of other blocks."""
        kernel, heads = self.kernel, self.groups[:, :1]
        next_heads = torch.cat([heads[1:], torch.full_like(heads[:1], -2)])
        same = _Ways(self.groups == next_heads, self.groups == heads, (heads == next_heads).squeeze(1))
        distances = same.lengths(self.scores)
        if self.shifts is not None:
            distances = _Ways(*map(torch.add, distances, same.lengths(self.shifts)))
        distances = _Ways(*(kernel.slope * each for each in distances))
        polynomials = [kernel.polynomial(order) for order in self.orders]
        series = [kernel.series(order, self.scores.dtype) for order in self.orders]
        degree, n_powers = max(degree for _, degree in polynomials), len(series[0][0])
        into, out = (_powers(distances[way], same[way], degree, n_powers) for way in (0, 1))
        before, after = (
            [None, None]
            if self.heights is None
            else [_Ways(*(each.abs_().to(into) for each in same.lengths(column))) for column in self.heights]
        )
        # Forwards, a state at the first document of a block has the documents of the blocks before it.
        shares = [into.new_tensor(coefficients)[:, None] for coefficients, _ in series]
        totals = [torch.zeros_like(self.weights) for _ in self.orders]
        if n_powers:
            states = into[:, degree + 1 :] @ self._columns(before and before.into)
            states = torch.cat([torch.zeros_like(states[:1]), states[:-1]])
            states = _scan(states, _Gaps.of(distances, before, same).each(lambda column: column.roll(1)), -1)
            evaluated = out[:, degree + 1 :].mT @ torch.cat([share * states for share in shares], 2)
            totals = self._joined(evaluated, before and before.out)
        # Backwards, it has those of its own block and the blocks after it, and counts for the block before.
        states = (out @ self._columns(after and after.out)).flip(0)
        states = _scan(states, _Gaps.of(distances, after, same).each(lambda column: column.flip(0)), degree).flip(0)
        states = torch.cat([states[1:], torch.zeros_like(states[:1])])
        taken = []
        for (factor, power), share, (_, sign) in zip(polynomials, shares, series, strict=True):
            rows = torch.zeros_like(states)
            for r in range(power + 1):
                rows[:, r] = factor * math.comb(power, r) * states[:, power - r]
            rows[:, degree + 1 :] = sign * share * states[:, degree + 1 :]
            taken.append(rows)
        evaluated = into.mT @ torch.cat(taken, 2)
        return [a.add_(b) for a, b in zip(totals, self._joined(evaluated, after and after.into), strict=True)]

    def _columns(self, heights: Tensor | None) -> Tensor:
        """Return the weights, and if there are heights, the weights times these."""
        return self.weights if heights is None else torch.cat([self.weights, self.weights * heights[:, :, None]], 2)

    def _joined(self, evaluated: Tensor, heights: Tensor | None) -> list[Tensor]:
        """Return the sums of each order; a difference of heights is the sum of those on both sides of the state."""
        n_columns = self.weights.shape[2]
        if heights is None:
            return [*torch.split(evaluated, n_columns, 2)]
        parts = torch.split(evaluated, n_columns, 2)
        return [y + one * heights[:, :, None] for one, y in zip(parts[::2], parts[1::2], strict=True)]


class _Ways(NamedTuple):
    """From documents to the first one of the next block, to documents from the first one of theirs, between blocks."""

    into: Tensor
    out: Tensor
    gap: Tensor

    def lengths(self, column: Tensor) -> _Ways:
        """Return how much a column grows on each of these ways that stays in one group; 0 on the others."""
        first = column[:, :1]
        following = torch.cat([first[1:], first[-1:]])
        grown = following - column, column - first, (following - first).squeeze(1)
        return _Ways(*(torch.where(stays, each, 0) for stays, each in zip(self, grown, strict=True)))


class _Gaps(NamedTuple):
    """What leads from each state to the next: how far it is, how much higher, and whether the group goes on."""

    length: Tensor
    height: Tensor | None
    goes_on: Tensor

    @classmethod
    def of(cls, distances: _Ways, heights: _Ways | None, same: _Ways) -> _Gaps:
        return cls(distances.gap, None if heights is None else heights.gap, same.gap)

    def each(self, change: Callable[[Tensor], Tensor]) -> _Gaps:
        """Return the gaps with every column changed in the same way."""
        return _Gaps(change(self.length), None if self.height is None else change(self.height), change(self.goes_on))

    def joined(self) -> _Gaps:
        """Return the gaps over two at a time: the first with the second, the third with the fourth."""
        height = None if self.height is None else _paired(torch.add, self.height)
        return _Gaps(_paired(torch.add, self.length), height, _paired(torch.logical_and, self.goes_on))


def _differences(rows: Tensor) -> Tensor:
    """Return a_y - a_x for every two documents x and y of a block."""
    return rows[:, None, :] - rows[:, :, None]


def _powers(distances: Tensor, counted: Tensor, degree: int, n_powers: int) -> Tensor:
    """Return 1, d, ..., d^degree, q, q^2, ... of each document of each block, and 0 for those that do not count."""
    table = distances.new_empty(distances.shape[0], degree + 1 + n_powers, distances.shape[1])
    for k in range(degree + 1):
        table[:, k] = counted if k == 0 else distances * table[:, k - 1]
    if n_powers:
        powers, made = table[:, degree + 1 :], 1
        powers[:, 0] = torch.where(counted, (-distances).exp(), 0)
        while made < n_powers:
            more = min(made, n_powers - made)
            torch.mul(powers[:, :more], powers[:, made - 1 : made], out=powers[:, made : made + more])
            made += more
    return table


def _scan(states: Tensor, gaps: _Gaps, degree: int) -> Tensor:
    """Add to each state all earlier ones, moved to its place; a gap leads from the one before to it."""
    if states.shape[0] == 1:
        return states
    joined = states[1::2] + _moved(states[0:-1:2], gaps.each(lambda column: column[1::2]), degree)
    inner = _scan(joined, gaps.joined(), degree)
    whole = torch.empty_like(states)
    whole[0], whole[1::2] = states[0], inner
    if states.shape[0] > 2:
        even = gaps.each(lambda column: column[2::2])
        whole[2::2] = states[2::2] + _moved(inner[: len(even.length)], even, degree)
    return whole


def _paired(operation: Callable[[Tensor, Tensor], Tensor], column: Tensor) -> Tensor:
    odd = column[1::2]
    return operation(column[0::2][: len(odd)], odd)


def _moved(states: Tensor, gaps: _Gaps, degree: int) -> Tensor:
    """Return states as seen from the places after their gaps."""
    gap, n_powers = gaps.length[:, None], states.shape[1] - degree - 1
    moved = torch.empty_like(states)
    for k in range(degree + 1):
        moved[:, k] = sum((math.comb(k, r) * gap**r * states[:, k - r] for r in range(1, k + 1)), states[:, k])
    if n_powers:
        exponents = torch.arange(1, n_powers + 1, device=gap.device, dtype=gap.dtype)
        torch.mul(states[:, degree + 1 :], (-gap * exponents).exp()[:, :, None], out=moved[:, degree + 1 :])
    if gaps.height is not None:
        n_columns = states.shape[2] // 2
        moved[..., n_columns:] += gaps.height[:, None, None] * moved[..., :n_columns]
    return moved.mul_(gaps.goes_on[:, None, None])
