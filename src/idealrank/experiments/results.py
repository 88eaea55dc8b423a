"""What an experiment gives: claims with what was seen of them, tables, figures, and what was chosen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from idealrank._base.tables import Column, Table

__all__ = ["Claim", "Reproduction"]


@dataclass(frozen=True)
class Claim:
    """A statement of a paper, where it stands, what was seen here, and whether that agrees."""

    where: str
    says: str
    seen: str
    agrees: bool


@dataclass(frozen=True)
class Reproduction:
    """A paper's experiment, done again.

    ``figures`` are matplotlib Figures by name, ``tables`` numbers beside those of the paper by title, and ``notes``
    sentences on what the paper leaves open and what was chosen.
    """

    claims: tuple[Claim, ...]
    figures: Mapping[str, Any]
    tables: Mapping[str, Table] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def table(self) -> Table:
        """The claims, one a row.

        >>> Reproduction((Claim("Figure 1", "all meet", "0.01 apart", True),), {}).table().cells()
        [['Figure 1', 'all meet', '0.01 apart', 'yes']]
        """
        columns = [Column(name) for name in ("where", "says", "seen here", "agrees")]
        return Table(columns, [[c.where, c.says, c.seen, "yes" if c.agrees else "no"] for c in self.claims])
