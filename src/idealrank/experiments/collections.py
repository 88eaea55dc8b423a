"""LETOR collections for experiments: from a folder, or simulated."""

from __future__ import annotations

import os
from pathlib import Path

from idealrank.data import datasets
from idealrank.data.construction import concatenate
from idealrank.data.ranking import RankingData
from idealrank.errors import DataError
from idealrank.io.letor import read_letor
from idealrank.io.letor_folds import Folds, read_letor_folds

__all__ = ["collections_in", "simulated_collections", "whole"]


def collections_in(folder: str | os.PathLike[str]) -> dict[str, Folds]:
    """Read the folds of a folder that is a LETOR collection, or of the collections directly inside it.

    Parameters
    ----------
    folder : path-like
        The folder.

    Returns
    -------
    dict of str to Folds
        The folds by the name of their folder.

    Raises
    ------
    DataError
        If there is no such folder, or no collection in it.

    Examples
    --------
    >>> from idealrank.io import write_letor
    >>> os.makedirs("letor/small")
    >>> for number, part in enumerate(datasets.web_search(10, 20).train.split([0.2] * 5, seed=0), start=1):
    ...     write_letor(part, f"letor/small/S{number}.txt")
    >>> collections_in("letor"), collections_in("letor/small")
    ({'small': Folds(5)}, {'small': Folds(5)})
    """
    whole = Path(folder)
    if not whole.is_dir():
        raise DataError(f"{whole} is not a folder; pass one with S1.txt ... S5.txt, or with Fold1 ... Fold5")
    inside = [path for path in sorted(whole.iterdir()) if path.is_dir() and not path.name.startswith("Fold")]
    found = {path.name: read_letor_folds(path) for path in (whole, *inside) if _is_collection(path)}
    if not found:
        raise DataError(f"{whole} contains no LETOR collection: S1.txt ... S5.txt, or Fold1 ... Fold5 with train.txt")
    return found


def whole(path: str | os.PathLike[str]) -> dict[str, RankingData]:
    """Read a file of LETOR text, or all queries of the collections of a folder.

    >>> from idealrank.io import write_letor
    >>> write_letor(datasets.web_search(10, 20).train, "train.txt")
    >>> whole("train.txt")["train"].n_queries
    10
    """
    if not Path(path).is_dir():
        return {Path(path).name.partition(".")[0]: read_letor(path)}
    return {name: concatenate([fold.test for fold in folds]) for name, folds in collections_in(path).items()}


def _is_collection(folder: Path) -> bool:
    """Whether a folder is a LETOR collection."""
    return any(any(folder.glob(pattern)) for pattern in ("S1.txt*", "Fold1/train.txt*"))


def simulated_collections(seed: int = 0) -> dict[str, Folds]:
    """Simulate two small collections in five folds: a click log with graded labels, and topics with few relevant pages.

    Parameters
    ----------
    seed : int
        Seed of the random number generator.

    Returns
    -------
    dict of str to Folds
        The folds by the name of the collection.

    Examples
    --------
    >>> found = simulated_collections()
    >>> {name: sum(part.n_queries for part in folds[0]) for name, folds in found.items()}
    {'simulated click log': 100, 'simulated topics': 100}
    """
    made = {
        "simulated click log": concatenate([*datasets.web_search(50, 100, 25, seed=seed)]),
        "simulated topics": datasets.topic_distillation(100, 200, 25, seed=seed),
    }
    return {name: Folds.of(data.split([0.2] * 5, seed=seed)) for name, data in made.items()}
