"""Other people's learners, each in a module of its own, which is imported on demand and needs the extra of its name."""

from importlib import import_module
from typing import Any

__all__ = ["lightgbm", "xgboost"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
