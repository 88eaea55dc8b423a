"""Integrations with other libraries; each module is imported on demand and needs the package with the same name."""

from typing import TYPE_CHECKING

from idealrank._core.lazy import lazy

__all__ = [
    "dask",
    "ir_measures",
    "lightgbm",
    "polars",
    "pytrec_eval",
    "sentence_transformers",
    "torch",
    "torchmetrics",
    "xgboost",
]

if TYPE_CHECKING:
    from idealrank.integrations import dask as dask
    from idealrank.integrations import ir_measures as ir_measures
    from idealrank.integrations import lightgbm as lightgbm
    from idealrank.integrations import polars as polars
    from idealrank.integrations import pytrec_eval as pytrec_eval
    from idealrank.integrations import sentence_transformers as sentence_transformers
    from idealrank.integrations import torch as torch
    from idealrank.integrations import torchmetrics as torchmetrics
    from idealrank.integrations import xgboost as xgboost
else:  # hidden from type checkers, which would accept any name
    __getattr__, __dir__ = lazy(__name__, {}, __all__)
