"""Linear models for other tools: weights by feature, and nothing that happens within a query."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from typing import Any

from sklearn.utils.validation import check_is_fitted

from idealrank.errors import DataError, ModelError
from idealrank.io.files import atomic_output

__all__ = ["to_elasticsearch", "to_ranklib"]


def to_ranklib(model: Any, path: str | os.PathLike[str]) -> None:
    """Write a linear model for RankLib, as one of its "Coordinate Ascent": features are numbered from 1, as in LETOR.

    The intercept, which changes no ranking, is left out: the format has no place for it.

    >>> from pathlib import Path
    >>> from idealrank.learners import RankSVM
    >>> to_ranklib(RankSVM().fit([[0.0, 0.0], [1.0, 0.0]], [0, 1], qid=[1, 1]), "model.txt")
    >>> print(Path("model.txt").read_text(), end="")
    ## Coordinate Ascent
    1:0.66666... 2:0.0
    """
    weights = _weights(model, "RankLib")
    pairs = " ".join(f"{number}:{weight!r}" for number, weight in enumerate(weights, start=1))
    _write(f"## Coordinate Ascent\n{pairs}\n", path)


def to_elasticsearch(
    model: Any, path: str | os.PathLike[str], *, name: str, features: Iterable[str] | None = None
) -> None:
    """Write a linear model for the learning-to-rank plugins of Elasticsearch and OpenSearch.

    The file is the body of ``POST _ltr/_featureset/SET/_createmodel``: ``name`` is what the model will be called
    there, ``features`` the names of the features in that set, one a column; by default those that the model was fitted
    with. The intercept, which changes no ranking, is left out.

    >>> from pathlib import Path
    >>> from idealrank.learners import RankSVM
    >>> model = RankSVM().fit([[0.0, 0.0], [1.0, 0.0]], [0, 1], qid=[1, 1])
    >>> to_elasticsearch(model, "model.json", name="mine", features=["title", "body"])
    >>> json.loads(Path("model.json").read_text())
    {'model': {'name': 'mine', 'model': {'type': 'model/linear', 'definition': {'title': 0.66666..., 'body': 0.0}}}}
    """
    weights = _weights(model, "Elasticsearch")
    names = list(features if features is not None else getattr(model, "feature_names_in_", ()))
    if not names:
        raise DataError("the plugin knows features by name: give features=[...], one a column")
    if len(names) != len(weights) or len(set(names)) != len(names):
        raise DataError(f"features must be {len(weights)} different names, one a column, got {len(names)}")
    linear = {"type": "model/linear", "definition": dict(zip(names, weights, strict=True))}
    _write(json.dumps({"model": {"name": name, "model": linear}}, indent=2, allow_nan=False) + "\n", path)


def _weights(model: Any, tool: str) -> list[float]:
    check_is_fitted(model)
    if not hasattr(model, "coef_"):
        raise ModelError(f"{type(model).__name__} is not linear: {tool} takes its weights by feature, and it has none")
    if model.normalize is not None:
        raise ModelError(
            f"normalize={model.normalize!r} scales each feature by the other documents of the query, which {tool} does "
            "not do: fit with normalize=None on features that are scaled already"
        )
    weights: list[float] = model.coef_.tolist()
    return weights


def _write(text: str, path: str | os.PathLike[str]) -> None:
    with atomic_output(path) as file:
        file.write(text.encode())
