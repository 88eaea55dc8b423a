"""Where the parts of a source are added up: in this process, or on the workers of a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from operator import add
from typing import Any, Protocol, TypeVar

from idealrank._core.threads import resolve_threads
from idealrank.data.ranking import RankingData
from idealrank.errors import DataError, OptionError
from idealrank.io.batches import without_rows
from idealrank.learners.linear.query_blocks import QueryBlock, QueryBlocks

__all__ = ["Cluster", "Engine", "Piece", "Source", "Streamed", "engine_of", "parts_of"]

T = TypeVar("T")

# More than one, so that a slow worker hardly delays the others, and a lost one leaves little to repeat.
_PIECES_PER_THREAD = 4


class Piece(Protocol):
    """A share of the data, small enough to be sent: it is read where it is computed."""

    def batches(self) -> Iterator[RankingData]:
        """Yield whole queries, as many as fit into memory at a time."""
        ...


class Source:
    """Data that need not fit into memory; each subclass defines how it is divided into pieces.

    Attributes
    ----------
    features : sequence of str
        The names of the feature columns.
    """

    features: Any

    @property
    def feature_names(self) -> tuple[str, ...]:
        """One name per feature."""
        return tuple(self.features)

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self.features)

    def pieces(self, engine: Engine) -> Sequence[Any]:
        """Return the data in pieces, or in objects that the engine resolves to pieces."""
        raise NotImplementedError


class Engine:
    """What computes a function of many pieces: this process, one piece after the other."""

    @property
    def n_pieces(self) -> int:
        """Number of pieces that data should be cut into."""
        return 1

    def n_threads(self, asked: int | None) -> int:
        """Return the number of threads for one piece; None leaves it to the engine."""
        return resolve_threads(asked)

    def map(self, function: Callable[[Any], T], pieces: Sequence[Any]) -> Iterable[T]:
        """Yield the function of each piece, in order."""
        return map(function, pieces)


@dataclass(frozen=True)
class Cluster(Engine):
    """The workers of a ``distributed.Client``, or of anything that maps, gathers and counts threads as it does."""

    client: Any

    @property
    def n_pieces(self) -> int:
        return _PIECES_PER_THREAD * max(1, sum(map(int, self.client.nthreads().values())))

    def n_threads(self, asked: int | None) -> int:
        return resolve_threads(asked or 1)

    def map(self, function: Callable[[Any], T], pieces: Sequence[Any]) -> Iterable[T]:
        found: Iterable[T] = self.client.gather(self.client.map(function, pieces, pure=False))
        return found


def engine_of(given: Any) -> Engine:
    """Return the engine that an option names; None is this process.

    >>> engine_of(None).n_pieces
    1
    """
    if given is None:
        return Engine()
    if not all(callable(getattr(given, name, None)) for name in ("map", "gather", "nthreads")):
        raise OptionError(f"engine must be None or a distributed.Client, got {type(given).__name__}")
    return Cluster(given)


@dataclass(frozen=True)
class Streamed:
    """The parts of pieces, which are read again for each sum, as features are normalized again."""

    pieces: Sequence[Any]
    engine: Engine
    normalize: str | None
    n_threads: int

    def sum(self, of_part: Callable[[QueryBlock], T]) -> T:
        share = partial(_share, of_part=of_part, normalize=self.normalize, n_threads=self.n_threads)
        shares = [each for found in self.engine.map(share, self.pieces) for each in found]
        if not shares:
            raise DataError("the source has no queries")
        return reduce(add, shares)

    def queries(self) -> Sequence[QueryBlocks]:
        raise OptionError("optimizer='sgd' takes queries in any order, from memory: a source needs 'lbfgs'")


def parts_of(data: RankingData | Source, engine: Engine, normalize: str | None, n_threads: int | None) -> QueryBlocks:
    """Return the data as sums are taken over it."""
    if isinstance(data, RankingData):
        return QueryBlock.of(data, normalize, n_threads)
    return Streamed(data.pieces(engine), engine, normalize, engine.n_threads(n_threads))


def _share(piece: Piece, of_part: Callable[[QueryBlock], T], normalize: str | None, n_threads: int) -> list[T]:
    """Return the sum over a piece in a list, which is empty if no query begins in the piece."""
    total: list[T] = []
    for data in piece.batches():
        with without_rows():
            found = of_part(QueryBlock.of(data, normalize, n_threads))
        del data  # before the next batch is read
        total = [add(total[0], found)] if total else [found]
    return total
