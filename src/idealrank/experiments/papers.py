"""The papers whose experiments can be reproduced."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, TypeAlias

from idealrank._core.extras import require
from idealrank._names.options import nearest
from idealrank.errors import OptionError

if TYPE_CHECKING:
    from idealrank.data.ranking import RankingData
    from idealrank.experiments.reproduction import Reproduction
    from idealrank.io.letor_folds import Folds

__all__ = ["ON_FOLDS", "PAPERS", "reproduce"]

_Path: TypeAlias = str | os.PathLike[str]

#: What the experiments are about.
PAPERS = {
    "jin2013": "linear NDCG and misordered pairs",
    "qin2008": "rankers trained for smooth NDCG and AP",
    "ravikumar2011": "losses and their NDCG-consistent versions",
    "wang2013": "four discounts as lists grow",
}
#: Experiments that train, validate and test on folds: their data is a folder.
ON_FOLDS = frozenset({"qin2008", "ravikumar2011"})


def reproduce(
    paper: str,
    data: RankingData | Mapping[str, Folds] | Mapping[str, RankingData] | _Path | Sequence[_Path] | None = None,
    *,
    seed: int = 0,
    quick: bool = False,
    verbose: bool = False,
) -> Reproduction:
    """Reproduce the experiment of a paper: its numbers, its figures, and whether its claims hold.

    Where a paper leaves a choice open (evaluation script, scaling of features, optimizer, seed), alternatives are tried
    one at a time: a claim holds, fails or is undecided, in some settings or in all.

    Parameters
    ----------
    paper : {"jin2013", "qin2008", "ravikumar2011", "wang2013"}
        The paper.
    data : RankingData, mapping of str to Folds or RankingData, path or sequence of paths, optional
        Data to use instead of the built-in data; "wang2013" uses it beside the generated data. For "jin2013":
        RankingData or a file of LETOR text. For the others: LETOR collections by name, or folders with S1.txt ...
        S5.txt or Fold1 ... Fold5, or folders of such folders; for "wang2013" also files of LETOR text.
    seed : int
        Seed of the random number generator.
    quick : bool
        Whether to train only briefly, as a test; the numbers are meaningless. For "qin2008" and "ravikumar2011".
    verbose : bool
        Whether to report progress; "jin2013" takes a second.

    Returns
    -------
    Reproduction
        The claims with what was observed, tables and figures.

    Raises
    ------
    OptionError
        If there is no such paper, or ``quick`` is set for an experiment that does not train for long.
    DataError
        If there are no data in a folder.
    ParseError
        If a file cannot be read.

    Examples
    --------
    >>> from idealrank.experiments import reproduce
    >>> print(reproduce("jin2013").verdict())
    All 6 claims hold. All 3 extensions hold.
    """
    if paper not in PAPERS:
        raise OptionError(f"there is no experiment {paper!r}{nearest(paper, PAPERS)}")
    if quick and paper not in ON_FOLDS:
        raise OptionError(f"quick is for {' and '.join(sorted(ON_FOLDS))}, which train for long; not for {paper}")
    if paper != "jin2013":
        require("sklearn", for_=paper)
    options = {} if paper == "jin2013" else {"verbose": verbose}
    if paper in ON_FOLDS:
        options["quick"] = quick
    experiment = import_module(f"idealrank.experiments.{paper}")
    found: Reproduction = experiment.reproduce(_read(paper, data), seed=seed, **options)
    return replace(found, subject=f"{paper}: {PAPERS[paper]}")


def _read(
    paper: str,
    data: RankingData | Mapping[str, Folds] | Mapping[str, RankingData] | _Path | Sequence[_Path] | None,
) -> RankingData | Mapping[str, Folds] | Mapping[str, RankingData] | None:
    """Read data that is given by paths."""
    if data is None or not isinstance(data, (str, os.PathLike, list, tuple)):
        return data  # type: ignore[return-value]
    paths: Sequence[_Path] = [data] if isinstance(data, (str, os.PathLike)) else data
    if paper != "jin2013":
        from idealrank.experiments.collections import collections_in, whole

        if paper in ON_FOLDS:
            return {name: folds for path in paths for name, folds in collections_in(path).items()}
        return {name: data for path in paths for name, data in whole(path).items()}
    if len(paths) > 1:
        raise OptionError(f"{paper} reads one file, got {len(paths)}")

    from idealrank.io.letor import read_letor

    return read_letor(paths[0])
