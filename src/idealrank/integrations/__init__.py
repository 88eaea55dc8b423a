"""Other people's learners, each in a module of its own, which is imported on demand and needs the extra of its name."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from idealrank.integrations import dask as dask
    from idealrank.integrations import lightgbm as lightgbm
    from idealrank.integrations import torch as torch
    from idealrank.integrations import xgboost as xgboost

__all__ = ["dask", "lightgbm", "torch", "xgboost"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
