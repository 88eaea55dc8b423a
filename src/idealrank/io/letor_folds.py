"""Folders of LETOR collections: parts or folds for training, validation and test."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from itertools import count, takewhile
from pathlib import Path
from typing import NamedTuple, overload

from idealrank.data.construction import concatenate
from idealrank.data.ranking import RankingData
from idealrank.errors import DataError
from idealrank.io.files import COMPRESSIONS, path_text
from idealrank.io.letor import read_letor, widened

_LARGEST_GAP = 10  # how far to look for a later file if a number is missing


class Fold(NamedTuple):
    """Training, validation and test data with no query in common.

    Parameters
    ----------
    train : RankingData
        Data to train on.
    validation : RankingData
        Data to select options and the number of iterations with.
    test : RankingData
        Data to test on.

    Examples
    --------
    >>> from idealrank import from_arrays
    >>> from idealrank.io.letor_folds import Fold
    >>> parts = [from_arrays([1, 0], query_ids=[query, query]) for query in range(3)]
    >>> Fold(*parts).test.query_ids
    array([2])
    """

    train: RankingData
    validation: RankingData
    test: RankingData


class Folds(Sequence[Fold]):
    """Sequence of folds that are created on access, so that only one is in memory at a time.

    Parameters
    ----------
    makers : sequence of callables
        One function per fold, which takes no arguments and returns a `Fold`.

    Examples
    --------
    >>> from idealrank import from_arrays
    >>> from idealrank.io.letor_folds import Folds
    >>> parts = [from_arrays([1, 0], query_ids=[query, query]) for query in "abcde"]
    >>> for train, validation, test in Folds.of(parts)[:2]:
    ...     print(train.query_ids.tolist(), *validation.query_ids, *test.query_ids)
    ['a', 'b', 'c'] d e
    ['b', 'c', 'd'] e a
    """

    def __init__(self, makers: Sequence[Callable[[], Fold]]) -> None:
        self._makers = tuple(makers)

    @classmethod
    def of(cls, parts: Sequence[RankingData]) -> Folds:
        """Create folds by rotating parts as LETOR does: every part is the test data of one fold.

        In the first fold, the last part is the test data, the one before it the validation data, and the others are
        the training data. Each further fold starts one part later.

        Parameters
        ----------
        parts : sequence of RankingData
            Three parts or more.

        Returns
        -------
        Folds
            As many folds as parts.

        Raises
        ------
        DataError
            If there are fewer than three parts.
        """
        if len(parts) < 3:
            raise DataError(f"folds need at least three parts, for training, validation and test, got {len(parts)}")
        return cls([partial(_rotated, parts, first) for first in range(len(parts))])

    @overload
    def __getitem__(self, index: int) -> Fold: ...
    @overload
    def __getitem__(self, index: slice) -> Folds: ...
    def __getitem__(self, index: int | slice) -> Fold | Folds:
        return Folds(self._makers[index]) if isinstance(index, slice) else self._makers[index]()

    def __len__(self) -> int:
        return len(self._makers)

    def __repr__(self) -> str:
        return f"Folds({len(self)})"


def _rotated(parts: Sequence[RankingData], first: int) -> Fold:
    *train, validation, test = (*parts[first:], *parts[:first])
    return Fold(concatenate(train), validation, test)


def read_letor_folds(folder: str | os.PathLike[str], *, sparse: bool = False, n_threads: int | None = None) -> Folds:
    """Read a LETOR collection: ``S1.txt ... S5.txt``, or ``Fold1 ... Fold5`` with ``train.txt, vali.txt, test.txt``.

    Files may be compressed (.gz, .xz, .bz2, .zst). Parts (S1, S2, ...) are read once; fold folders are read whenever a
    fold is accessed. With parts, fold 1 trains on S1 to S3, validates on S4 and tests on S5; fold 2 starts with S2. All
    parts get the same number of features: trailing features that a file omits are 0.

    Parameters
    ----------
    folder : path-like
        The folder of the collection.
    sparse : bool
        Whether to store the features as a SciPy CSR array.
    n_threads : int, optional
        Number of threads; None means all cores, or the number passed to `set_threads`.

    Returns
    -------
    Folds
        The folds, created on access.

    Raises
    ------
    DataError
        If a file is missing.
    ParseError
        If a file cannot be parsed.

    Examples
    --------
    >>> import os
    >>> from idealrank import datasets
    >>> from idealrank.io import read_letor_folds, write_letor
    >>> os.makedirs("collection")
    >>> for number, part in enumerate(datasets.web_search(10, 20).train.split([0.2] * 5, seed=0), start=1):
    ...     write_letor(part, f"collection/S{number}.txt.gz")
    >>> for fold in read_letor_folds("collection")[:2]:
    ...     print(*(part.n_queries for part in fold))
    6 2 2
    6 2 2
    """
    read = partial(read_letor, sparse=sparse, n_threads=n_threads)
    whole = Path(path_text(folder, "the path of a folder"))
    parts = _numbered(whole, "S{}.txt")
    if parts:
        return Folds.of(_equally_wide([read(path) for path in parts]))
    files = [_numbered(whole, f"Fold{{}}/{name}.txt") for name in ("train", "vali", "test")]
    if not any(files):
        raise DataError(f"{whole} has neither S1.txt, S2.txt ... nor Fold1/train.txt, Fold1/vali.txt, Fold1/test.txt")
    if len({len(paths) for paths in files}) > 1:
        counts = ", ".join(map(str, map(len, files)))
        raise DataError(f"every Fold folder of {whole} needs train.txt, vali.txt and test.txt; there are {counts}")
    return Folds([partial(_read_fold, paths, read) for paths in zip(*files, strict=True)])


def _read_fold(paths: Sequence[Path], read: Callable[[Path], RankingData]) -> Fold:
    return Fold(*_equally_wide([read(path) for path in paths]))


def _numbered(folder: Path, pattern: str) -> list[Path]:
    """Return the files numbered 1, 2 and so on; a gap in the numbers is a DataError."""

    def numbered(number: int) -> Path | None:
        candidates = (folder / (pattern.format(number) + ending) for ending in ("", *COMPRESSIONS))
        return next(filter(Path.is_file, candidates), None)

    paths = [path for path in takewhile(bool, map(numbered, count(1))) if path is not None]
    missing = len(paths) + 1
    beyond = next(filter(None, map(numbered, range(missing + 1, missing + _LARGEST_GAP))), None)
    if beyond is not None:
        raise DataError(f"{folder / pattern.format(missing)} is missing, but {beyond.relative_to(folder)} exists")
    return paths


def _equally_wide(parts: Sequence[RankingData]) -> list[RankingData]:
    width = max(part.n_features for part in parts)
    return [widened(part, width) for part in parts]
