"""The rankings by noisy scores that SmoothedLambdaRank draws, number by number as the native core does."""

import math
import struct
from collections.abc import Iterator, Sequence

__all__ = ["noisy_rankings"]

_ONES = 2**64 - 1


def noisy_rankings(
    gains: Sequence[float], scores: Sequence[float], sigma: float, n_top: int, n_rankings: int, seed: int
) -> list[list[int]]:
    """Return the documents of one query by sigma s + logistic noise, best first, for each ranking.

    The noise hangs on the gains, and on the first ``n_top`` documents of the ranking without noise.
    """
    n = len(gains)
    differences = [s - max(scores) for s in scores]  # noise on scores of 1e15 would be rounded
    stream = n
    for gain in gains:
        stream = _mixed(stream + int.from_bytes(struct.pack("<d", gain + 0.0), "little"))
    for document in sorted(range(n), key=lambda i: -scores[i])[:n_top]:
        stream = _mixed(stream + document)
    words = _words(seed, stream)
    found = []
    for _ in range(n_rankings):
        chances = [((next(words) >> 12) + 0.5) * 2.0**-52 for _ in range(n)]
        noisy = [sigma * s + math.log(u) - math.log1p(-u) for s, u in zip(differences, chances, strict=True)]
        found.append(sorted(range(n), key=lambda i: -noisy[i]))
    return found


def _mixed(x: int) -> int:
    x &= _ONES
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & _ONES
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & _ONES
    return x ^ (x >> 31)


def _words(seed: int, stream: int) -> Iterator[int]:
    """Yield the numbers of xoshiro256++."""
    x = _mixed(seed) ^ _mixed(~stream)
    state = []
    for _ in range(4):
        x = (x + 0x9E3779B97F4A7C15) & _ONES
        state.append(_mixed(x))
    while True:
        yield (_turned((state[0] + state[3]) & _ONES, 23) + state[0]) & _ONES
        shifted = (state[1] << 17) & _ONES
        state[2] ^= state[0]
        state[3] ^= state[1]
        state[1] ^= state[2]
        state[0] ^= state[3]
        state[2] ^= shifted
        state[3] = _turned(state[3], 45)


def _turned(x: int, by: int) -> int:
    return ((x << by) | (x >> (64 - by))) & _ONES
