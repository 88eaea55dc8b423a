"""A world: draws of data whose truth is known, and how often a statement about them may be false."""

import itertools
import math
import zlib
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

__all__ = ["Kind", "Promise", "Rate", "World", "at_most", "between", "measured"]


@dataclass(frozen=True)
class Kind:
    """A kind of statement.

    ``says`` is an example or the form of the sentence. ``certain`` is why it cannot be false: it repeats numbers of the
    result, which other tests compare with oracles. A kind that is not certain needs a world.
    """

    says: str
    certain: str = ""


@dataclass(frozen=True)
class Promise:
    """The share of draws in which a statement may be false."""

    most: float
    least: float = 0.0

    def __str__(self) -> str:
        if self.least:
            return f"{_percent(self.least)} to {_percent(self.most)}"
        return f"at most {_percent(self.most)}" if self.most else "never"

    def is_kept(self, rate: "Rate") -> bool:
        """Return whether the rate is within the promise, up to three standard errors of a rate at its edge."""
        slack = [3 * math.sqrt(edge * (1 - edge) / rate.n) for edge in (self.least, self.most)]
        return self.least - slack[0] <= rate.share <= self.most + slack[1]


def at_most(share: float) -> Promise:
    """A statement is false in at most this share of draws."""
    return Promise(share)


def between(least: float, most: float) -> Promise:
    """A statement is false in about this share of draws: if it were false less often, it would waste data."""
    return Promise(most, least)


@dataclass(frozen=True)
class Rate:
    """How often a statement was false: in ``n_false`` of ``n`` draws."""

    n_false: int
    n: int

    @property
    def share(self) -> float:
        """The share of draws in which it was false."""
        return self.n_false / self.n


@dataclass(frozen=True)
class World:
    """Draws of data with a known truth.

    ``draw(rng)`` makes data, calls the public function, and returns whether the statement is false; None if the draw
    does not count, because the statement was not made. The suite takes ``quick`` draws.
    """

    kind: str
    name: str
    draw: Callable[[np.random.Generator], bool | None]
    promise: Promise
    quick: int = 200

    @property
    def title(self) -> str:
        """Its name, unique among all worlds."""
        return f"{self.kind}: {self.name}"


def measured(world: World, draws: int) -> Rate:
    """Return how often the statement was false in this many draws, which depend on the name of the world alone.

    If some draws do not count, there are more of them, up to twenty times as many.
    """
    rng = np.random.default_rng([zlib.crc32(world.title.encode()), 0])
    every = (world.draw(rng) for _ in range(20 * draws))
    answers = list(itertools.islice((answer for answer in every if answer is not None), draws))
    if not answers:
        raise ValueError(f"no draw of {world.title!r} counts")
    return Rate(sum(map(bool, answers)), len(answers))


def _percent(share: float) -> str:
    return f"{100 * share:.4g}%"
