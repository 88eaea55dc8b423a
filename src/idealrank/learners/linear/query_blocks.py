"""Parts of the data, which hold whole queries: where they come from, and sums over queries, part by part."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from itertools import pairwise
from operator import add
from typing import Any, Protocol, TypeVar

import numpy as np

from idealrank._core.threads import resolve_threads
from idealrank._typing import Floats, Int64s
from idealrank.data.construction import concatenate
from idealrank.data.lists import Lists
from idealrank.data.ranking import RankingData
from idealrank.errors import DataError, OptionError
from idealrank.io.batches import SortedParquet, parquet_files, without_rows
from idealrank.io.frames import feature_columns, from_frame
from idealrank.io.parquet_csv import parquet_file
from idealrank.learners.features import DenseFeatures, FeatureMoments, SparseFeatures, features_of
from idealrank.losses import Loss
from idealrank.measures import Measure

T = TypeVar("T")


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


@dataclass(frozen=True)
class FrameColumns:
    """The roles of the columns of a frame."""

    query: str
    label: str
    weight: str | None
    features: tuple[str, ...]

    @classmethod
    def of(cls, frame: Any, query: str, label: str, weight: str | None, features: Sequence[str] | None) -> FrameColumns:
        """Return the columns of a frame without rows; unnamed features are chosen as `from_frame` does."""
        names = feature_columns(frame, query, label, weight, features)
        if not names:
            raise DataError("there are no columns of features to learn from")
        return cls(query, label, weight, tuple(names))

    def data(self, frame: Any) -> RankingData:
        """Return the frame as data."""
        with without_rows(frame[self.query]):
            return from_frame(
                frame, self.query, self.label, score=None, doc=None, weight=self.weight, features=self.features
            )

    @property
    def others(self) -> tuple[str, ...]:
        """All columns except the query ids."""
        return (self.label, *(() if self.weight is None else (self.weight,)), *self.features)


@dataclass(frozen=True)
class ParquetSource(Source):
    """A Parquet file, or a folder of them, with one row per document, sorted by query; each pass reads it again.

    Parameters
    ----------
    path : path-like
        The Parquet file, or a folder of Parquet files.
    query, label : str
        The columns of query ids and labels.
    features : sequence of str, optional
        The feature columns; None means all other numeric columns except "score", "doc" and "weight".
    weight : str, optional
        The column of document weights; None means that all weights are 1.
    batch_rows : int
        Approximate number of rows in memory at a time; there are more only if a single query has more.

    Examples
    --------
    >>> import pyarrow, pyarrow.parquet
    >>> from idealrank.learners import ParquetSource
    >>> table = pyarrow.table({"qid": [1, 1, 2, 2], "label": [0, 1, 0, 1], "bm25": [1.0, 3.0, 2.0, 5.0]})
    >>> pyarrow.parquet.write_table(table, "train.parquet")
    >>> source = ParquetSource("train.parquet")
    >>> source.features
    ('bm25',)
    >>> from idealrank.learners import RankSVM
    >>> RankSVM().fit(source).score(source)
    1.0
    """

    path: str | os.PathLike[str]
    query: str = "qid"
    label: str = "label"
    features: Any = None
    weight: str | None = None
    batch_rows: int = 100_000

    def __post_init__(self) -> None:
        if self.batch_rows < 1:
            raise DataError(f"batch_rows must be 1 or more, got {self.batch_rows}")
        with parquet_file(parquet_files(self.path)[0]) as file:
            empty = file.schema_arrow.empty_table()
        columns = FrameColumns.of(empty, self.query, self.label, self.weight, self.features)
        object.__setattr__(self, "features", columns.features)

    def pieces(self, engine: Engine = Engine()) -> list[ParquetPiece]:  # noqa: B008 (a constant)
        """Return the files, cut into as many pieces as the engine asks for."""
        columns = FrameColumns(self.query, self.label, self.weight, self.features)
        rows = SortedParquet.at(self.path, self.query, columns.others)
        return [ParquetPiece(each, columns, self.batch_rows) for each in rows.pieces(engine.n_pieces)]


@dataclass(frozen=True)
class ParquetPiece:
    """Some row groups of a `ParquetSource`."""

    rows: SortedParquet
    columns: FrameColumns
    batch_rows: int

    def batches(self) -> Iterator[RankingData]:
        return map(self.columns.data, self.rows.batches(self.batch_rows))


def in_memory(given: Any) -> Any:
    """Return a `ParquetSource` as data in memory, and anything else as it is."""
    if not isinstance(given, ParquetSource):
        return given
    return concatenate([batch for piece in given.pieces() for batch in piece.batches()])


@dataclass(frozen=True)
class Sums:
    """Sums over queries: of weight * loss, of its gradient by weights and intercept, and of the query weights."""

    value: float
    gradient: Floats
    weight: float

    def __add__(self, other: Sums) -> Sums:
        return Sums(self.value + other.value, self.gradient + other.gradient, self.weight + other.weight)


@dataclass(frozen=True)
class QueryBlock:
    """Whole queries in memory.

    Methods whose results are added over parts return a list of one array, so that the sum is a list of arrays. The
    last of the parameters is an intercept that is added to every score: some losses depend on the level of the scores.
    """

    features: DenseFeatures | SparseFeatures
    lists: Lists
    query_weights: Floats

    @classmethod
    def of(cls, data: RankingData, normalize: str | None = None, n_threads: int | None = None) -> QueryBlock:
        """Return the queries of the data with their weights."""
        weights = np.ones(data.n_queries) if data.query_weights is None else data.query_weights
        return cls(features_of(data, normalize, n_threads), data.lists(n_threads=n_threads), weights)

    def sums(self, parameters: Floats, loss: Loss) -> Sums:
        """Return what the queries add to the objective."""
        with self.lists.with_locations():
            values, by_score = loss.values_and_gradient(self._scored(parameters))
        by_score = by_score * np.repeat(self.query_weights, self.lists.sizes)
        gradient = np.append(self.features.gradient(by_score), by_score.sum())
        return Sums(float(values @ self.query_weights), gradient, self.weight())

    def gradient(self, parameters: Floats, loss: Loss) -> Floats:
        """Return the sum of the gradients alone: what `sums` computes besides costs more than one short query."""
        known, scores = self.lists, self.features.scores(parameters[:-1])
        scores += float(parameters[-1])
        with known.with_locations():
            _, by_score = loss.values_and_gradient(Lists(known.labels, scores, known.offsets, known.weights))
        by_score = by_score * (self.query_weights if known.n_queries == 1 else self.query_weights.repeat(known.sizes))
        return np.concatenate([self.features.gradient(by_score), [by_score.sum()]])

    def moments(self) -> FeatureMoments:
        """Return the mean and the deviations of each feature, and the sum of the query weights."""
        return replace(self.features.moments(), weight=self.weight())

    def weight(self) -> float:
        """Return the sum of the query weights."""
        return float(self.query_weights.sum())

    def scores(self, parameters: Floats) -> list[Floats]:
        """Return one score per document."""
        return [self._scored(parameters).scores]

    def sizes(self) -> list[Int64s]:
        """Return the number of documents of each query."""
        return [self.lists.sizes]

    def measured(self, parameters: Floats, chosen: Measure) -> list[Floats]:
        """Return one value of a measure per query."""
        with self.lists.with_locations():
            return [chosen.values(self._scored(parameters))]

    def sum(self, of_part: Callable[[QueryBlock], T]) -> T:
        """Return what ``of_part`` returns: data in memory is one part."""
        return of_part(self)

    def queries(self) -> list[QueryBlock]:
        """Return each query by itself."""
        return [self._of_queries(slice(query, query + 1)) for query in range(self.lists.n_queries)]

    def slices(self, n_slices: int) -> list[QueryBlock]:
        """Return the queries in this many slices of adjacent ones, some of which are empty if there are few."""
        bounds = [self.lists.n_queries * each // n_slices for each in range(n_slices + 1)]
        return [self._of_queries(slice(low, high)) for low, high in pairwise(bounds)]

    def _of_queries(self, queries: slice) -> QueryBlock:
        known, offsets = self.lists, self.lists.offsets[queries.start : queries.stop + 1]
        own = slice(int(offsets[0]), int(offsets[-1]))
        weights = None if known.weights is None else known.weights[own]
        lists = Lists(known.labels[own], known.scores[own], offsets - offsets[0], weights, n_threads=known.n_threads)
        return QueryBlock(self.features.of_queries(queries), lists, self.query_weights[queries])

    @property
    def row_weights(self) -> Floats:
        """The weight of each document times that of its query."""
        weights = np.repeat(self.query_weights, self.lists.sizes)
        return weights if self.lists.weights is None else weights * self.lists.weights

    def less_query_means(self, values: Floats) -> Floats:
        """Return values of documents, in one column or several, less their weighted means over the query."""
        sizes = self.lists.sizes[self.lists.sizes > 0]
        if not sizes.size:
            return values
        weights = self.row_weights.reshape(-1, *[1] * (values.ndim - 1))
        starts = np.cumsum(sizes) - sizes
        totals = np.maximum(np.add.reduceat(weights, starts), np.finfo(float).tiny)
        means = np.add.reduceat(values * weights, starts) / totals
        return np.asarray(values - np.repeat(means, sizes, axis=0))

    def _scored(self, parameters: Floats) -> Lists:
        scores = self.features.scores(parameters[:-1])
        scores += float(parameters[-1])
        return replace(self.lists, scores=scores)


class QueryBlocks(Protocol):
    """All queries: in memory, on disk, or on other machines."""

    def sum(self, of_part: Callable[[QueryBlock], T]) -> T:
        """Return the sum over parts of what ``of_part`` returns, in order; one pass over the data."""
        ...

    def queries(self) -> Sequence[QueryBlocks]:
        """Return each query by itself."""
        ...


# More than one, so that a slow worker hardly delays the others, and a lost one leaves little to repeat.
_PIECES_PER_THREAD = 4
