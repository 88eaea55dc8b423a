"""Who adds up the parts of a source, pass after pass: this process, or the workers of a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from operator import add
from typing import Any, Protocol, TypeVar, runtime_checkable

from idealrank._base.threads import resolve_threads
from idealrank.data.ranking import RankingData
from idealrank.errors import DataError, OptionError
from idealrank.io.batches import without_rows
from idealrank.learners.linear.parts import Part, Parts

__all__ = ["Cluster", "Engine", "Here", "Piece", "Source", "Streamed", "engine_of"]

T = TypeVar("T")

# So that a slow worker does not keep the others waiting for long, and a lost one has little to repeat.
_PIECES_A_THREAD = 4


class Piece(Protocol):
    """A share of the data, small enough to be sent: it is read where it is computed."""

    def batches(self) -> Iterator[RankingData]:
        """Whole queries, as many as fit into memory at a time."""
        ...


@runtime_checkable
class Source(Protocol):
    """Data that need not fit into memory."""

    @property
    def features(self) -> Sequence[str]:
        """The names of its columns of features."""
        ...

    def pieces(self, engine: Engine) -> Sequence[Any]:
        """The data in pieces, or in what the engine takes for them."""
        ...


class Engine(Protocol):
    """Something that computes a function of many pieces."""

    @property
    def n_pieces(self) -> int:
        """Into how many pieces data is best cut for it."""
        ...

    def n_threads(self, asked: int | None) -> int:
        """Threads for one piece; None leaves it to the engine."""
        ...

    def map(self, function: Callable[[Any], T], pieces: Sequence[Any]) -> Iterable[T]:
        """The function of each, in order."""
        ...


@dataclass(frozen=True)
class Here:
    """One piece after the other, in this process."""

    n_pieces: int = 1

    def n_threads(self, asked: int | None) -> int:
        return resolve_threads(asked)

    def map(self, function: Callable[[Any], T], pieces: Sequence[Any]) -> Iterable[T]:
        return map(function, pieces)


@dataclass(frozen=True)
class Cluster:
    """The workers of a ``distributed.Client``, or of anything that maps, gathers and counts threads as it does."""

    client: Any

    @property
    def n_pieces(self) -> int:
        return _PIECES_A_THREAD * max(1, sum(map(int, self.client.nthreads().values())))

    def n_threads(self, asked: int | None) -> int:
        return resolve_threads(asked or 1)

    def map(self, function: Callable[[Any], T], pieces: Sequence[Any]) -> Iterable[T]:
        found: Iterable[T] = self.client.gather(self.client.map(function, pieces, pure=False))
        return found


def engine_of(given: Any) -> Engine:
    """The engine that an option names: None is this process.

    >>> engine_of(None)
    Here(n_pieces=1)
    """
    if given is None:
        return Here()
    if not all(callable(getattr(given, name, None)) for name in ("map", "gather", "nthreads")):
        raise OptionError(f"engine is None or a distributed.Client, got {type(given).__name__}")
    return Cluster(given)


@dataclass(frozen=True)
class Streamed:
    """The parts of pieces, which are read anew for each sum; features are normalised then, too."""

    pieces: Sequence[Any]
    engine: Engine
    normalize: str | None
    n_threads: int

    def sum(self, of_part: Callable[[Part], T]) -> T:
        share = partial(_share, of_part=of_part, normalize=self.normalize, n_threads=self.n_threads)
        shares = [each for found in self.engine.map(share, self.pieces) for each in found]
        if not shares:
            raise DataError("the source has no queries")
        return reduce(add, shares)

    def queries(self) -> Sequence[Parts]:
        raise OptionError("optimizer='sgd' takes queries in any order, from memory: a source needs 'lbfgs'")


def _share(piece: Piece, of_part: Callable[[Part], T], normalize: str | None, n_threads: int) -> list[T]:
    """The sum over a piece, in a list; an empty one where no query begins in it."""
    total: list[T] = []
    for data in piece.batches():
        with without_rows():
            found = of_part(Part.of(data, normalize, n_threads))
        del data  # before the next is read
        total = [add(total[0], found)] if total else [found]
    return total
