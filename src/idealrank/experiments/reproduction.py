"""The result of an experiment: claims with what was observed, tables, figures, and notes on choices."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from idealrank._present.json_values import Plain, plain
from idealrank._present.page import Figure, Page, Section, Statement
from idealrank._present.result import Result
from idealrank._present.table import WORDS, Column, OnAccess, Table, Value
from idealrank.experiments.claims import Claim, counted

if TYPE_CHECKING:
    import matplotlib.figure

__all__ = ["QUICK_WARNING", "Drawings", "Reproduction"]

#: The formats of columns with words.
_SPECS = {"measured here": WORDS}
#: For experiments whose training was cut short.
QUICK_WARNING = "This is a quick run, trained only briefly: its verdicts, and the numbers behind them, mean nothing."


class Drawings(OnAccess["matplotlib.figure.Figure"]):
    """Figures that are drawn on access: an experiment without figures needs no Matplotlib."""


@dataclass(frozen=True)
class Reproduction(Result):
    """A paper's experiment, reproduced.

    Parameters
    ----------
    claims : tuple of Claim
        The claims.
    figures : mapping of str to Figure
        The figures by name; each is drawn, by Matplotlib, on access.
    numbers : mapping of str to Table
        Tables of numbers beside those of the paper, by title.
    notes : tuple of str
        Sentences about what the paper leaves open and what was chosen.
    warning : str
        A sentence that must be known before any number is read; empty if there is none.
    subject : str
        The paper, and what it is about.

    Examples
    --------
    >>> print(Reproduction((Claim.exact("Figure 1", "all meet", "0.01 apart", True),), {}).to_text("Claims").rstrip())
    claim        verdict  measured here  where     holds in
    1. all meet  holds    0.01 apart     Figure 1  1 of 1
    """

    claims: tuple[Claim, ...]
    figures: Mapping[str, matplotlib.figure.Figure]
    numbers: Mapping[str, Table] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    warning: str = ""
    subject: str = "Reproduction"

    def to_dict(self) -> dict[str, Plain]:
        """Return claims, numbers and notes, and the names of the figures."""
        claims = [{**vars(each), "verdict": each.verdict, "holds in": each.share} for each in self.claims]
        return {
            "claims": plain(claims),
            "numbers": {title: plain(table.by_column()) for title, table in self.numbers.items()},
            "figures": list(self.figures),
            "notes": plain([*([self.warning] if self.warning else []), *self.notes]),
        }

    def tables(self) -> Mapping[str, Table]:
        """Return the table "Claims", a row per claim; one of the other settings, if any; and the tables of numbers."""
        columns = [
            Column(name, _SPECS.get(name, "")) for name in ("claim", "verdict", "measured here", "where", "holds in")
        ]
        rows: list[list[Value]] = [
            [f"{number}. {claim.says}", claim.verdict, claim.seen, claim.where, claim.share]
            for number, claim in enumerate(self.claims, start=1)
        ]
        return {"Claims": Table(columns, rows), **self._settings(), **self.numbers}

    def _settings(self) -> dict[str, Table]:
        """The findings of claims in other settings than the reference."""
        rows: list[list[Value]] = [
            [number, claim.change(each), each.outcome, each.seen]
            for number, claim in enumerate(self.claims, start=1)
            for each in claim.findings[1:]
        ]
        columns = [Column(name, _SPECS.get(name, "")) for name in ("claim", "setting", "outcome", "measured here")]
        return {"Claims in other settings": Table(columns, rows)} if rows else {}

    def verdict(self) -> str:
        """Return the warning, if there is one, and how many claims hold, in sentences."""
        counts = counted([claim.verdict for claim in self.claims])
        return f"{self.warning} {counts}" if self.warning else counts

    def page(self) -> Page:
        """Return how many claims hold, the tables, the figures, and what the paper leaves open."""
        tables = tuple(Section(title, tables={title: table}) for title, table in self.tables().items())
        return Page(
            self.subject,
            "",
            (Statement("claims of a paper", self.verdict()),),
            tables,
            self.notes,
            sections=lambda: self._sections(*tables),
            defaults=dict.fromkeys(("csv", "latex", "markdown"), tuple(self.tables())),
        )

    def _sections(self, claims: Section, *others: Section) -> list[Section]:
        """Return the claims with the figures, then the other tables."""
        figures = tuple(
            Figure("drawn", (figure,), _caption(name), _described(figure)) for name, figure in self.figures.items()
        )
        parts = (Section(tables=claims.tables, notes=self.notes), Section(figures=figures))
        return [Section(claims.title, parts=parts), *others]


def _caption(name: str) -> str:
    """The caption of a figure by its name: "Figures 1 and 5: Cosine, OHSUMED" for "figure1-5-OHSUMED-Cosine"."""
    numbers, names = re.fullmatch(r"figure(\d+(?:-\d+)*)(?:-(.+))?", name).groups()  # type: ignore[union-attr]
    which = numbers.split("-")
    rest = f": {', '.join(reversed(names.split('-', 1)))}" if names else ""
    return f"Figure{'s' if len(which) > 1 else ''} {' and '.join(which)}{rest}"


def _described(figure: matplotlib.figure.Figure) -> str:
    """A figure in words: its title, its axes, and what is drawn."""
    axes = figure.axes[0]
    drawn = ", ".join(axes.get_legend_handles_labels()[1])
    return f"{axes.get_title()}; {axes.get_ylabel()} by {axes.get_xlabel()}: {drawn}"
