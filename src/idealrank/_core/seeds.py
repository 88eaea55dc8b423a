"""Seeds that users give, and random numbers from them."""

from __future__ import annotations

from typing import Any

import numpy as np

from idealrank._core.checks import is_whole
from idealrank.errors import OptionError


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


def new_seed(seed: int | None) -> int:
    """Return the seed, or one drawn by the system: results keep it, so that they can be repeated.

    Examples
    --------
    >>> new_seed(7), new_seed(None) == new_seed(None)
    (7, False)
    """
    if seed is None:
        return int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
    if not is_whole(seed, most=2**64 - 1):
        raise OptionError(f"seed must be None or a whole number from 0 to 2^64 - 1, got {seed!r}")
    return int(seed)
