"""What an entry should achieve against a peer."""

from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

__all__ = ["AtLeast", "AtMost", "Direction", "Target"]

Direction: TypeAlias = Literal["peer/ours", "ours/peer"]


@dataclass(frozen=True)
class AtLeast:
    """The peer takes at least this many times what ours takes.

    >>> str(AtLeast(3)), AtLeast(3).met(ratio=2.9, peer=1.0)
    ('>= 3', False)
    """

    times: float
    direction: ClassVar[Direction] = "peer/ours"

    def met(self, ratio: float, peer: float) -> bool:
        """Whether a ratio peer/ours is enough."""
        return ratio >= self.times

    def __str__(self) -> str:
        return f">= {self.times:g}"


@dataclass(frozen=True)
class AtMost:
    """Ours takes at most this many times what the peer takes, and so many MB more.

    >>> str(AtMost(1.3, plus_mb=50)), AtMost(1.3, plus_mb=50).met(ratio=1.7, peer=100e6)
    ('<= 1.3 + 50 MB', True)
    """

    times: float
    plus_mb: float = 0.0
    direction: ClassVar[Direction] = "ours/peer"

    def met(self, ratio: float, peer: float) -> bool:
        """Whether a ratio ours/peer is small enough, where the peer's value is ``peer``."""
        return ratio <= self.times + self.plus_mb * 1e6 / peer

    def __str__(self) -> str:
        return f"<= {self.times:g}" + (f" + {self.plus_mb:g} MB" if self.plus_mb else "")


Target: TypeAlias = AtLeast | AtMost
