"""The result of an experiment: claims with what was observed, tables, figures, and notes on choices."""

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
    from matplotlib.axes import Axes

__all__ = ["Claim", "Reproduction", "panels"]


@dataclass(frozen=True)
class Claim:
    """A claim of a paper.

    Parameters
    ----------
    where : str
        Its place in the paper.
    says : str
        The claim.
    seen : str
        What was observed here.
    agrees : bool
        Whether the observation agrees with the claim.
    """

    where: str
    says: str
    seen: str
    agrees: bool


@dataclass(frozen=True)
class Reproduction(Result):
    """A paper's experiment, reproduced.

    Parameters
    ----------
    claims : tuple of Claim
        The claims.
    figures : mapping of str to Figure
        The matplotlib figures by name.
    numbers : mapping of str to Table
        Tables of numbers beside those of the paper, by title.
    notes : tuple of str
        Sentences about what the paper leaves open and what was chosen.

    Examples
    --------
    >>> print(Reproduction((Claim("Figure 1", "all meet", "0.01 apart", True),), {}).to_text().rstrip())
    where     says      seen here   agrees
    Figure 1  all meet  0.01 apart  yes
    """

    claims: tuple[Claim, ...]
    figures: Mapping[str, matplotlib.figure.Figure]
    numbers: Mapping[str, Table] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Plain]:
        """Return claims, numbers and notes, and the names of the figures."""
        return {
            "claims": plain(self.claims),
            "numbers": {title: plain(table.by_column()) for title, table in self.numbers.items()},
            "figures": list(self.figures),
            "notes": list(self.notes),
        }

    def tables(self) -> Mapping[str, Table]:
        """Return the table "Claims", a row per claim, and the tables of numbers."""
        columns = [Column(name) for name in ("where", "says", "seen here", "agrees")]
        rows = [[c.where, c.says, c.seen, "yes" if c.agrees else "no"] for c in self.claims]
        return {"Claims": Table(columns, rows), **self.numbers}

    def remarks(self) -> list[str]:
        """Return the notes."""
        return list(self.notes)

    def findings(self) -> list[str]:
        """Return the notes."""
        return list(self.notes)

    def sections(self) -> list[Section]:
        """Return the claims with the figures, then the other tables."""
        figures = tuple(
            Figure("drawn", (figure,), name.replace("figure", "Figure "), _described(figure))
            for name, figure in self.figures.items()
        )
        claims = Section("Claims", parts=(Section(tables={"Claims": self.table()}), Section(figures=figures)))
        return [claims, *(Section(title, tables={title: table}) for title, table in self.numbers.items())]


def _described(figure: matplotlib.figure.Figure) -> str:
    """A figure in words: its title, its axes, and what is drawn."""
    axes = figure.axes[0]
    drawn = ", ".join(axes.get_legend_handles_labels()[1])
    return f"{axes.get_title()}; {axes.get_ylabel()} by {axes.get_xlabel()}: {drawn}"


def panels(width: float, height: float, count: int = 1) -> tuple[matplotlib.figure.Figure, list[Axes]]:
    """Return a new figure with this many panels side by side."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, [figure.add_subplot(1, count, place) for place in range(1, count + 1)]
