"""What an experiment gives: claims with what was seen of them, tables, figures, and what was chosen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from idealrank._base.plain import Plain, plain
from idealrank._base.results import Result
from idealrank._base.sections import Figure, Section
from idealrank._base.tables import Column, Table

if TYPE_CHECKING:
    import matplotlib.figure

__all__ = ["Claim", "Reproduction"]


@dataclass(frozen=True)
class Claim:
    """A statement of a paper, where it stands, what was seen here, and whether that agrees."""

    where: str
    says: str
    seen: str
    agrees: bool


@dataclass(frozen=True)
class Reproduction(Result):
    """A paper's experiment, reproduced.

    ``figures`` are matplotlib Figures by name, ``numbers`` tables of numbers beside those of the paper by title, and
    ``notes`` sentences on what the paper leaves open and what was chosen.

    >>> print(Reproduction((Claim("Figure 1", "all meet", "0.01 apart", True),), {}).to_text().rstrip())
    where     says      seen here   agrees
    Figure 1  all meet  0.01 apart  yes
    """

    claims: tuple[Claim, ...]
    figures: Mapping[str, matplotlib.figure.Figure]
    numbers: Mapping[str, Table] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Plain]:
        """Claims, numbers and notes; figures by name only."""
        return {
            "claims": plain(self.claims),
            "numbers": {title: plain(table.by_column()) for title, table in self.numbers.items()},
            "figures": list(self.figures),
            "notes": list(self.notes),
        }

    def tables(self) -> Mapping[str, Table]:
        """Tables "Claims": a row per claim; then the numbers."""
        columns = [Column(name) for name in ("where", "says", "seen here", "agrees")]
        rows = [[c.where, c.says, c.seen, "yes" if c.agrees else "no"] for c in self.claims]
        return {"Claims": Table(columns, rows), **self.numbers}

    def remarks(self) -> list[str]:
        """The notes."""
        return list(self.notes)

    def findings(self) -> list[str]:
        """The notes."""
        return list(self.notes)

    def sections(self) -> list[Section]:
        """The claims with the figures, then the other tables."""
        figures = tuple(
            Figure("drawn", (figure,), name.replace("figure", "Figure "), _told(figure))
            for name, figure in self.figures.items()
        )
        claims = Section("Claims", parts=(Section(tables={"Claims": self.table()}), Section(figures=figures)))
        return [claims, *(Section(title, tables={title: table}) for title, table in self.numbers.items())]


def _told(figure: matplotlib.figure.Figure) -> str:
    """A figure in words: what it is of, and what is drawn."""
    axes = figure.axes[0]
    drawn = ", ".join(axes.get_legend_handles_labels()[1])
    return f"{axes.get_title()}; {axes.get_ylabel()} by {axes.get_xlabel()}: {drawn}"
