"""Run another tool's own tests against idealrank: python tests/integrations/own_suites.py TOOL FOLDER [PYTEST OPTIONS].

TOOL is torchmetrics, ir_measures or pytrec_eval, and FOLDER a checkout of its repository. Tests of what idealrank does
not replace are skipped, and say why: other aggregations than the mean, errors in the tool's own words.
"""

import importlib
import sys
import types
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import idealrank as ir

#: The classes of torchmetrics by module, the names of their functions, and our names.
RETRIEVAL = {
    "average_precision": ("RetrievalMAP", "retrieval_average_precision", "ap"),
    "reciprocal_rank": ("RetrievalMRR", "retrieval_reciprocal_rank", "rr"),
    "ndcg": ("RetrievalNormalizedDCG", "retrieval_normalized_dcg", "ndcg"),
    "precision": ("RetrievalPrecision", "retrieval_precision", "p"),
    "recall": ("RetrievalRecall", "retrieval_recall", "recall"),
    "hit_rate": ("RetrievalHitRate", "retrieval_hit_rate", "hit_rate"),
    "r_precision": ("RetrievalRPrecision", "retrieval_r_precision", "r_precision"),
}
EMPTY = {"neg": "0", "pos": "1", "skip": "skip"}


def named(measure: str, top_k: int | None, empty: str = "neg", **others: Any) -> str:
    for name, value in others.items():
        if value not in (None, False, "mean"):
            pytest.skip(f"{name}={value} is not replaced")
    return f"{measure}(empty={EMPTY[empty]}){'' if top_k is None else f'@{top_k}'}"


def metric_class(name: str, measure: str, module: str) -> type:
    from idealrank.integrations.torchmetrics import RankingMetric

    def __init__(  # noqa: N807
        self: Any,
        empty_target_action: str = "neg",
        ignore_index: int | None = None,
        top_k: int | None = None,
        adaptive_k: bool = False,
        aggregation: Any = "mean",
        **options: Any,
    ) -> None:
        written = named(measure, top_k, empty_target_action, adaptive_k=adaptive_k, aggregation=aggregation)
        RankingMetric.__init__(self, written, ignore_index=ignore_index, **options)

    return type(name, (RankingMetric,), {"__init__": __init__, "__module__": module})  # pickle finds it there


def function(measure: str) -> Callable[..., Any]:
    import torch

    def computed(preds: Any, target: Any, top_k: int | None = None, adaptive_k: bool = False) -> Any:
        written = named(measure, top_k, adaptive_k=adaptive_k)
        labels, scores = (np.asarray(each.detach().cpu().double()).reshape(-1) for each in (target, preds))
        return torch.tensor(
            ir.evaluate(labels, scores, written, like="torchmetrics").mean[written], dtype=torch.float32
        )

    return computed


def torchmetrics(folder: Path) -> list[str]:
    if importlib.util.find_spec("cachier") is None:  # which the tests use to keep values of references
        cachier = types.ModuleType("cachier")
        cachier.cachier = lambda **_: lambda function: function  # type: ignore[attr-defined]
        sys.modules["cachier"] = cachier
    for module, (name, functional, measure) in RETRIEVAL.items():
        theirs = importlib.import_module(f"torchmetrics.retrieval.{module}")
        setattr(theirs, name, metric_class(name, measure, theirs.__name__))
        setattr(importlib.import_module(f"torchmetrics.functional.retrieval.{module}"), functional, function(measure))
    sys.path.insert(0, str(folder / "tests"))
    of_files = {"average_precision": "map", "reciprocal_rank": "mrr"}
    files = [str(folder / "tests/unittests/retrieval" / f"test_{of_files.get(each, each)}.py") for each in RETRIEVAL]
    others = "arguments or precision_cpu or precision_gpu"
    return [*files, "-m", "not DDP", "-k", f"not ({others})"]


def pytrec_eval(folder: Path) -> list[str]:
    sys.modules["pytrec_eval"] = importlib.import_module("idealrank.integrations.pytrec_eval")
    return [str(folder / "tests/pytrec_eval_tests.py")]


def ir_measures(folder: Path) -> list[str]:
    tool = importlib.import_module("ir_measures")

    class Provider(importlib.import_module("idealrank.integrations.ir_measures").Provider):  # type: ignore[misc]
        def supports(self, measure: Any) -> bool:
            if not super().supports(measure):
                raise unittest.SkipTest(f"{measure} is not replaced")
            return True

    tool.providers.PytrecEvalProvider = Provider
    # Not gdeval, which rounds, and whose nDCG has other gains.
    names = ("pytrec_eval", "judged", "accuracy", "compat", "cwl_eval")
    for name in names:
        setattr(tool, name, Provider())
    sys.path.insert(0, str(folder))
    return [str(folder / "tests" / f"test_{each}.py") for each in (*names, "aggregate")]


if __name__ == "__main__":
    _, tool, folder, *options = sys.argv
    files = {each.__name__: each for each in (torchmetrics, pytrec_eval, ir_measures)}[tool](Path(folder))
    sys.exit(
        pytest.main(
            [*files, "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:warnings", "-o", "addopts=", *options]
        )
    )
