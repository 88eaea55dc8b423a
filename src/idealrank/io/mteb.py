"""Files of MTEB: the retrieved documents of a task, and the scores of a model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from idealrank.data.judgments import Run
from idealrank.errors import DataError, OptionError, ParseError
from idealrank.io.files import Progress, Source, display_name
from idealrank.io.nested_json import load_json

_META = "mteb_model_meta"


def read_mteb_predictions(
    path: Source, *, subset: str | None = None, split: str | None = None, progress: Progress | None = None
) -> Run:
    r"""Read a run from a prediction file of MTEB, ``TASK_predictions.json``.

    MTEB 2 writes {subset: {split: {query: {document: score}}}}, and older versions write {query: {document: score}}.

    Parameters
    ----------
    path : path-like or binary file
        The prediction file, which may be compressed with gzip, xz, bzip2 or Zstandard; "-" is standard input.
    subset, split : str, optional
        The subset of the data set, such as a language, and its split; required if the file has several.
    progress : callable, optional
        A function that is called with the number of bytes read so far and the size of the file, which is None if
        unknown.

    Returns
    -------
    Run
        The run, named after the model if the file contains its name.

    Raises
    ------
    ParseError
        If the file has another format, or has several subsets or splits and none was selected.
    OptionError
        If the file does not have the subset or the split.

    Examples
    --------
    >>> import io
    >>> from idealrank.io import read_mteb_predictions
    >>> meta, runs = b'"mteb_model_meta": {"model_name": "e5"}', b'"default": {"test": {"q1": {"d1": 0.5}}}'
    >>> read_mteb_predictions(io.BytesIO(b"{%b, %b}" % (meta, runs))).to_dict()
    {'q1': {'d1': 0.5}}
    """
    name, content = display_name(path), load_json(path, progress=progress)
    if not isinstance(content, Mapping) or not all(isinstance(each, Mapping) for each in content.values()):
        raise ParseError("expected predictions of MTEB, {subset: {split: {query: {document: score}}}}", name)
    meta = content.get(_META, {})
    subsets = {key: own for key, own in content.items() if key != _META}
    if subset is None and split is None and _META not in content:
        documents: Any = subsets  # older versions
    else:
        splits = _chosen(subsets, subset, "subset", name)
        documents = _chosen(splits, split, "split", name)
    try:
        return Run(documents, name=str(meta.get("model_name") or ""))
    except DataError as error:
        raise ParseError(str(error), name) from None


def read_mteb_results(path: Source, measure: str | None = None) -> tuple[str, float]:
    r"""Read the score of a model from a result file of MTEB, ``TASK.json``.

    Parameters
    ----------
    path : path-like or binary file
        The result file, of any version of MTEB from 1.0.
    measure : str, optional
        The measure, such as "ndcg@10", which MTEB calls "ndcg_at_10"; by default, the main measure of the task. Files
        of versions before 1.11 do not name it: then give one.

    Returns
    -------
    task : str
        The name of the task.
    score : float
        The mean over splits and subsets, as MTEB reports it.

    Raises
    ------
    ParseError
        If the file has another format, or does not have the measure.

    Examples
    --------
    >>> import io
    >>> from idealrank.io import read_mteb_results
    >>> scores = b'{"test": [{"main_score": 0.5}, {"main_score": 0.25}]}'  # of two subsets
    >>> read_mteb_results(io.BytesIO(b'{"task_name": "MIRACL", "scores": %b}' % scores))
    ('MIRACL', 0.375)
    """
    name, content = display_name(path), load_json(path)
    task = content.get("task_name") if isinstance(content, Mapping) else None
    splits = content.get("scores") if isinstance(content, Mapping) else None
    if isinstance(content, Mapping) and task is None:
        task, splits = content.get("mteb_dataset_name"), _old_splits(content)
    if not isinstance(task, str) or not isinstance(splits, Mapping):
        raise ParseError("expected a result of MTEB, with task_name or mteb_dataset_name, and scores", name)
    entries = [entry for own in splits.values() if isinstance(own, list) for entry in own]
    key = "main_score" if measure is None else measure.replace("@", "_at_")
    scores = [entry.get(key) if isinstance(entry, Mapping) else None for entry in entries]
    if not scores or not all(_is_number(score) for score in scores):
        known = sorted({each for entry in entries if isinstance(entry, Mapping) for each in entry if "_at_" in each})
        told = f"; it has {', '.join(known[:8])}" if known else ""
        raise ParseError(f"there is no number {key!r} for each subset of {task}{told}", name)
    return task, float(np.mean([float(score) for score in scores if score is not None]))


def _old_splits(content: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Return {split: scores of each subset} of a file from before MTEB 1.11: {split: scores} or {split: {subset: ...}}.

    >>> _old_splits({"mteb_version": "1.7.4", "test": {"evaluation_time": 3.5, "de": {"ndcg_at_10": 0.5}}})
    {'test': [{'ndcg_at_10': 0.5}]}
    """
    splits = {split: own for split, own in content.items() if isinstance(own, Mapping)}
    by_subset = {split: [each for each in own.values() if isinstance(each, Mapping)] for split, own in splits.items()}
    return {split: by_subset[split] or [own] for split, own in splits.items()}


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e308


def _chosen(entries: Mapping[str, Any], wanted: str | None, what: str, name: str) -> Mapping[str, Any]:
    if wanted is None and len(entries) != 1:
        raise ParseError(f"choose a {what}=, of {', '.join(entries) or 'none'}", name)
    key = next(iter(entries)) if wanted is None else wanted
    if key not in entries:
        raise OptionError(f"{name} has no {what} {key!r}, it has {', '.join(entries) or 'none'}")
    if not isinstance(entries[key], Mapping):
        raise ParseError(f"expected an object for the {what} {key!r}", name)
    own: Mapping[str, Any] = entries[key]
    return own
