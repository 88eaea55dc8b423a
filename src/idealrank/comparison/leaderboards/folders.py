"""Data sets and runs in folders: those of BEIR and MTEB, or one file per data set."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from idealrank._present.page import listed
from idealrank.errors import DataError
from idealrank.io.mteb import read_mteb_results

_ENDINGS = re.compile(r"\.(gz|xz|bz2|zst|run|results|qrels|txt|tsv|csv|json|jsonl|trec|parquet|pq)$", re.IGNORECASE)
#: What MTEB adds to the name of a task.
_ADDED = re.compile(r"(_default)?_predictions$")
#: Files beside the results of MTEB.
_NOT_RESULTS = ("model_meta.json",)


def beir_qrels(folder: str | os.PathLike[str], split: str = "test") -> Path:
    """Return the path of the judgments in the folder of a BEIR data set.

    Parameters
    ----------
    folder : path-like
        The folder, which has ``qrels/SPLIT.tsv``.
    split : str
        The split.

    Raises
    ------
    DataError
        If there is no such file.
    """
    path = Path(folder) / "qrels" / f"{split}.tsv"
    if not path.is_file():
        raise DataError(f"{folder} is not the folder of a BEIR data set: it has no qrels/{split}.tsv")
    return path


def datasets_in(
    folder: str | os.PathLike[str], systems: Mapping[str, str | os.PathLike[str]], split: str = "test"
) -> dict[str, tuple[Path, dict[str, Path]]]:
    """Find the judgments and the runs of each data set.

    Parameters
    ----------
    folder : path-like
        The data sets: folders of BEIR data sets, with ``qrels/SPLIT.tsv``, or files of judgments named by data set.
    systems : mapping of str to path-like
        {system: folder with one run per data set, named by data set}.
    split : str
        The split of BEIR data sets.

    Returns
    -------
    dict
        {data set: (judgments, {system: run})}, as for `leaderboard`; data sets for which no system has a run are left
        out.

    Raises
    ------
    DataError
        If a folder has no such files, or two files for the same data set.
    """
    judgments = {}
    for path in sorted(_entries(folder)):
        if path.is_dir() and (path / "qrels").is_dir():
            judgments[path.name] = beir_qrels(path, split)
        elif path.is_file() and not path.name.startswith("."):
            name = _dataset_name(path)
            if name in judgments:
                raise DataError(f"{folder} has two files of judgments for {name}: {judgments[name].name}, {path.name}")
            judgments[name] = path
    if not judgments:
        raise DataError(f"{folder} has no data sets: neither folders with qrels/{split}.tsv nor files of judgments")
    places = {_key(name): name for name in judgments}
    runs_of: dict[str, dict[str, Path]] = {name: {} for name in judgments}
    for system, own in systems.items():
        for path in sorted(each for each in _entries(own) if each.is_file()):
            name = places.get(_key(_dataset_name(path)), "")
            if name and system in runs_of[name]:
                raise DataError(f"{own} has two runs for {name}: {runs_of[name][system].name} and {path.name}")
            if name:
                runs_of[name][system] = path
        if not any(system in runs for runs in runs_of.values()):
            raise DataError(f"{own} has no run named as a data set is: {listed(list(judgments)[:5])}")
    return {name: (judgments[name], runs) for name, runs in runs_of.items() if runs}


def results_in(
    systems: Mapping[str, str | os.PathLike[str]], measure: str | None = None
) -> dict[str, dict[str, float]]:
    """Read the results of MTEB in folders.

    Parameters
    ----------
    systems : mapping of str to path-like
        {system: folder with result files of MTEB, at any depth}.
    measure : str, optional
        The measure, such as "ndcg@10"; by default, the main one of each task.

    Returns
    -------
    dict
        {task: {system: score}}, as for `leaderboard`.

    Raises
    ------
    DataError
        If a folder has no results, or two of the same task.
    """
    scores: dict[str, dict[str, float]] = {}
    for system, own in systems.items():
        _entries(own)
        paths = [path for path in sorted(Path(own).rglob("*.json")) if path.name not in _NOT_RESULTS]
        if not paths:
            raise DataError(f"{own} has no result files of MTEB, TASK.json")
        for path in paths:
            task, score = read_mteb_results(path, measure)
            if system in scores.setdefault(task, {}):
                raise DataError(f"{own} has two results of {task}, one of them {path}: give the folder of one revision")
            scores[task][system] = score
    return scores


def _entries(folder: str | os.PathLike[str]) -> Iterable[Path]:
    if not os.path.isdir(folder):
        raise DataError(f"expected a folder, got {os.fspath(folder)!r}")
    return Path(folder).iterdir()


def _dataset_name(path: Path) -> str:
    """Return the name of a file without its endings.

    >>> _dataset_name(Path("nfcorpus.run.gz")), _dataset_name(Path("NFCorpus_predictions.json"))
    ('nfcorpus', 'NFCorpus')
    """
    name = path.name
    while (shorter := _ENDINGS.sub("", name)) != name:
        name = shorter
    return _ADDED.sub("", name)


def _key(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())
