"""Integrations with other libraries: each module is imported on demand and needs the extra of its name."""

from typing import TYPE_CHECKING

from idealrank._base.lazy import lazy

__all__ = ["dask", "lightgbm", "pytrec_eval", "torch", "xgboost"]

if TYPE_CHECKING:
    from idealrank.integrations import dask as dask
    from idealrank.integrations import lightgbm as lightgbm
    from idealrank.integrations import pytrec_eval as pytrec_eval
    from idealrank.integrations import torch as torch
    from idealrank.integrations import xgboost as xgboost
else:  # hidden from type checkers, which would accept any name
    __getattr__, __dir__ = lazy(__name__, {}, __all__)
