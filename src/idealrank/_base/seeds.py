"""Random numbers from a user's seed."""

from __future__ import annotations

from typing import Any

import numpy as np

from idealrank.errors import OptionError

__all__ = ["generator"]


def generator(seed: Any, name: str = "seed") -> np.random.Generator:
    """Return a generator of random numbers, or raise an OptionError for what cannot be a seed.

    Examples
    --------
    >>> int(generator(7).integers(100)) == int(generator(7).integers(100))
    True
    >>> generator(-1)
    Traceback (most recent call last):
    idealrank.errors.OptionError: seed must be None or a whole number of 0 or more, got -1
    """
    try:
        return np.random.default_rng(seed)
    except (TypeError, ValueError):
        raise OptionError(f"{name} must be None or a whole number of 0 or more, got {seed!r}") from None
