"""Damaged model files: `learners.load` gives a model that scores documents, or an error of the package."""

import copy
import functools
import io
import json
import math
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from fuzzing.core import Target
from fuzzing.shrinking import fewer_bytes
from fuzzing.texts import damaged
from idealrank.errors import IdealrankError, MissingExtraError
from idealrank.learners import load, save
from idealrank.learners.learner_names import by_class_name

_VALUES: list[Any] = [None, True, -1, 0, 1, 2**31, 2**63, 10**30, 1e308, math.nan, math.inf, "", "x", "ndcg@0", [], {}]
_VALUES += [[1], [[1, 2]], {"a": 1}, "float64", [4, 4], [-1], [2**62], "AAAA", "\ud800", [[]], [None], "cross_entropy"]


@functools.cache
def models() -> tuple[bytes, ...]:
    """Every learner that can be saved, fitted on a little data."""
    rng = np.random.default_rng(0)
    qid = np.repeat(np.arange(6), 5)
    labels = rng.integers(0, 3, qid.size)
    features = rng.normal(size=(qid.size, 3)).astype(np.float32)
    features[:, 0] += labels
    files = []
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # two steps are enough here
        path = Path(folder) / "model.json"
        for name, cls in by_class_name().items():
            if not cls._state:
                continue
            few: dict[str, Any] = {"max_iter": 2} if "max_iter" in cls().get_params() else {}
            few = {"n_estimators": 2, "min_child_samples": 2} if name == "BoostedRanker" else few
            try:
                save(cls(normalize="zscore", **few).fit(features, labels, qid=qid), path)
            except MissingExtraError:
                continue
            files.append(path.read_bytes())
    return tuple(files)


def draw(rng: Random) -> Iterator[bytes]:
    for _ in range(25):
        content = rng.choice(models())
        if rng.random() < 0.3:
            yield damaged(content, rng, 0.7)
            continue
        document = json.loads(content)
        for _ in range(rng.choice([1, 1, 2, 4])):
            _change(document, rng)
        yield json.dumps(document).encode("utf-8", "surrogatepass")


def _change(document: Any, rng: Random) -> None:
    """Put another value somewhere, take an entry away, or add one."""
    while True:
        keys = list(document) if isinstance(document, dict) else list(range(len(document)))
        if not keys:
            return
        key = rng.choice(keys)
        if isinstance(document[key], (dict, list)) and document[key] and rng.random() < 0.75:
            document = document[key]
            continue
        kind, value = rng.random(), copy.deepcopy(rng.choice(_VALUES))
        if kind < 0.15:
            del document[key]
        elif kind < 0.25 and isinstance(document, dict):
            document[rng.choice(["x", "coef_", "loss", "n_threads", "verbose"])] = value
        elif kind < 0.3 and isinstance(document, list):
            document.append(copy.deepcopy(document[key]))
        elif kind < 0.4 and isinstance(document[key], (int, float)):
            document[key] = document[key] * rng.choice([-1, 0, 2, 0.5])
        else:
            document[key] = value
        return


_FEATURES = np.random.default_rng(1).normal(size=(8, 3)).astype(np.float32)
_QUERIES = np.repeat([0, 1], 4)


def check(content: bytes) -> int:
    try:
        model: Any = load(io.BytesIO(content))
        scores = model.predict(_FEATURES, _QUERIES)
    except IdealrankError:
        return 1
    assert scores.shape == (8,), scores.shape
    assert not np.isnan(scores).any(), scores
    return 1


TARGET = Target(draw, check, fewer_bytes)
