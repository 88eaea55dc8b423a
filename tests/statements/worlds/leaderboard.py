"""`leaderboard`: who is first on several data sets."""

import functools
from typing import Any

import numpy as np
from statements.data import Pool, pool
from statements.world import Kind, World, at_most

import idealrank as ir

__all__ = ["KINDS", "WORLDS"]

KINDS = {
    "first of a leaderboard": Kind("a is first: its mean is significantly better than all others."),
    "tied for first": Kind("2 systems are tied for first: a has the best mean, and b may be as good."),
    "aggregations disagree": Kind("Mean and mean rank agree on the order.", certain="compares the printed orders"),
    "normalization matters": Kind("NDCG and DCG order 2 pairs differently.", certain="compares the printed orders"),
}


def _sets(rng: np.random.Generator, sizes: tuple[int, ...], systems: int) -> dict[str, Pool]:
    """Draw data sets whose systems are exchanged at random on every query."""
    return {f"d{at}": pool(systems=systems, seed=at).sample(rng, n).relabeled(rng) for at, n in enumerate(sizes)}


def _board(sets: dict[str, Pool], **options: Any) -> Any:
    evaluated = {name: ir.evaluate(*each.inputs, "ndcg@10", offsets=each.offsets) for name, each in sets.items()}
    return ir.leaderboard({name: dict(each) for name, each in evaluated.items()}, "ndcg@10", **options)


def _is_first(rng: np.random.Generator, sizes: tuple[int, ...], systems: int, **options: Any) -> bool:
    """Whether one of several equal systems is called the first."""
    board = _board(_sets(rng, sizes, systems), **options)
    return len(board.tied_for_first) == 1 and board.page().findings[0].kind == "first of a leaderboard"


def _wrong_ranks(rng: np.random.Generator, sizes: tuple[int, ...], systems: int) -> bool:
    """Whether any of several equal systems, all of which may have any rank, is said to have fewer ranks."""
    overall = _board(_sets(rng, sizes, systems)).overall
    return bool((overall.rank_low > 1).any() or (overall.rank_high < systems).any())


def _best_is_not_tied(rng: np.random.Generator, sizes: tuple[int, ...]) -> bool:
    """Whether the best system is not among those that are said to be tied for first; the others have more noise."""
    sets = {}
    for at, n in enumerate(sizes):
        drawn = pool(seed=at).sample(rng, n)
        base = drawn.scores["s0"]
        noisy = {f"s{k}": base + 0.2 * k * rng.normal(size=base.shape) for k in range(4)}
        sets[f"d{at}"] = Pool(drawn.labels, noisy)
    return "s0" not in _board(sets).tied_for_first


def _differs(rng: np.random.Generator, sizes: tuple[int, ...], systems: int) -> bool:
    """Whether any of several equal systems is significantly different from the baseline."""
    return any(each.corrected <= 0.05 for each in _board(_sets(rng, sizes, systems), baseline="s0").against_baseline)


SIZES = (20, 40, 80)

WORLDS = [
    *(
        World(
            "first of a leaderboard",
            f"{k} exchanged systems on 3 data sets",
            functools.partial(_is_first, sizes=SIZES, systems=k),
            at_most(0.05),
            100,
        )
        for k in (2, 4)
    ),
    World(
        "first of a leaderboard",
        "2 exchanged systems on 3 data sets, randomization",
        functools.partial(_is_first, sizes=SIZES, systems=2, method="randomization"),
        at_most(0.05),
        50,
    ),
    World(
        "first of a leaderboard",
        "4 exchanged systems on 3 data sets: any difference from a baseline",
        functools.partial(_differs, sizes=SIZES, systems=4),
        at_most(0.05),
        100,
    ),
    World(
        "first of a leaderboard",
        "4 exchanged systems on 3 data sets: the ranks that they may have",
        functools.partial(_wrong_ranks, sizes=SIZES, systems=4),
        at_most(0.05),
        100,
    ),
    World(
        "tied for first",
        "4 systems with more and more noise on 3 data sets",
        functools.partial(_best_is_not_tied, sizes=SIZES),
        at_most(0.05),
        100,
    ),
]
