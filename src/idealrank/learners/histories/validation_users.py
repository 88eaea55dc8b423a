"""Part of the histories of some users, held out to choose by."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from idealrank.data.columns import offsets_of
from idealrank.data.interactions import Interactions


def held_out(
    data: Interactions, n_users: int, rng: np.random.Generator, share: float = 0.2
) -> tuple[Interactions, Interactions]:
    """Return the interactions without a share of the items of some users, and these items.

    Labels become 1. The users are drawn among those with two items or more. At least one item of each is held out, and
    one is left.
    """
    counts = data.counts
    users = rng.permutation(np.flatnonzero(counts >= 2))[:n_users]
    n_held = np.zeros(data.n_users, np.int64)
    n_held[users] = np.maximum(1, np.rint(share * counts[users]))
    rows = np.repeat(np.arange(data.n_users), counts)
    # A random order within each user: the first items are held out.
    order = np.lexsort((rng.random(rows.size), rows))
    is_held = np.zeros(rows.size, bool)
    is_held[order] = np.arange(rows.size) - np.repeat(data.offsets[:-1], counts) < np.repeat(n_held, counts)
    rest, held = (
        replace(
            data,
            offsets=offsets_of(np.bincount(rows[which], minlength=data.n_users)),
            items=data.items[which],
            labels=np.ones(int(which.sum())),
        )
        for which in (~is_held, is_held)
    )
    return rest, held
