"""Export linear models to other tools, which know one weight per feature."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from typing import Any

from idealrank.errors import DataError, ModelError
from idealrank.io.files import atomic_output
from idealrank.learners.estimators import check_is_fitted

__all__ = ["to_elasticsearch", "to_ranklib"]


def to_ranklib(model: Any, path: str | os.PathLike[str]) -> None:
    """Write a linear model as a RankLib "Coordinate Ascent" model.

    Features are numbered from 1, as in LETOR. The intercept, which changes no ranking, is left out.

    Parameters
    ----------
    model : Ranker
        A fitted linear learner with ``normalize=None``.
    path : path
        The file to write.

    Raises
    ------
    ModelError
        If the model is not linear, or normalizes features within queries.

    Examples
    --------
    >>> from pathlib import Path
    >>> from idealrank.learners import RankSVM
    >>> to_ranklib(RankSVM().fit([[0.0, 0.0], [1.0, 0.0]], [0, 1], qid=[1, 1]), "model.txt")
    >>> print(Path("model.txt").read_text(), end="")
    ## Coordinate Ascent
    1:0.66666... 2:0.0
    """
    weights = _weights(model, "RankLib")
    pairs = " ".join(f"{number}:{weight!r}" for number, weight in enumerate(weights, start=1))
    with atomic_output(path) as file:
        file.write(f"## Coordinate Ascent\n{pairs}\n".encode())


def to_elasticsearch(
    model: Any, path: str | os.PathLike[str], *, name: str, features: Iterable[str] | None = None
) -> None:
    """Write a linear model for the learning-to-rank plugins of Elasticsearch and OpenSearch.

    The file is the body of ``POST _ltr/_featureset/SET/_createmodel``. The intercept, which changes no ranking, is left
    out.

    Parameters
    ----------
    model : Ranker
        A fitted linear learner with ``normalize=None``.
    path : path
        The file to write.
    name : str
        The name of the model in the plugin.
    features : iterable of str, optional
        The name in the feature set of each column; by default the names that the model was fitted with.

    Raises
    ------
    DataError
        If there are no feature names, or not one different name per column.
    ModelError
        If the model is not linear, or normalizes features within queries.

    Examples
    --------
    >>> from pathlib import Path
    >>> from idealrank.learners import RankSVM
    >>> model = RankSVM().fit([[0.0, 0.0], [1.0, 0.0]], [0, 1], qid=[1, 1])
    >>> to_elasticsearch(model, "model.json", name="mine", features=["title", "body"])
    >>> json.loads(Path("model.json").read_text())["model"]["model"]
    {'type': 'model/linear', 'definition': {'title': 0.66666..., 'body': 0.0}}
    """
    weights = _weights(model, "Elasticsearch")
    names = list(features if features is not None else getattr(model, "feature_names_in_", ()))
    if not names:
        raise DataError("the plugin knows features by name: give features=[...], one per column")
    if len(names) != len(weights) or len(set(names)) != len(names):
        raise DataError(f"features must be {len(weights)} different names, one per column, got {len(names)}")
    linear = {"type": "model/linear", "definition": dict(zip(names, weights, strict=True))}
    text = json.dumps({"model": {"name": name, "model": linear}}, indent=2, allow_nan=False)
    with atomic_output(path) as file:
        file.write(f"{text}\n".encode())


def _weights(model: Any, tool: str) -> list[float]:
    check_is_fitted(model)
    if not hasattr(model, "coef_"):
        raise ModelError(f"{type(model).__name__} is not linear: {tool} takes one weight per feature")
    if model.normalize is not None:
        raise ModelError(
            f"normalize={model.normalize!r} scales each feature by the other documents of the query, which {tool} does "
            "not do: fit with normalize=None on features that are scaled already"
        )
    weights: list[float] = model.coef_.tolist()
    return weights
