"""The result of `identify`: the choices of a function, the presets that match, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from idealrank._present.json_values import Plain, plain
from idealrank._present.page import Page, Section, listed
from idealrank._present.result import Result
from idealrank._present.statement import Statement
from idealrank._present.table import Column, Table, Value
from idealrank.identification.defects import Defect
from idealrank.measures.conventions import Convention

__all__ = ["Choice", "Identification"]


@dataclass(frozen=True)
class Choice:
    """One choice of a function.

    Attributes
    ----------
    name : str
        The choice.
    value : str
        What the function does.
    example : str
        A list that shows it.
    returned : str
        What the function returned for the list.
    """

    name: str
    value: str
    example: str = ""
    returned: str = ""


@dataclass(frozen=True, repr=False)
class Identification(Result):
    """The result of `identify`.

    Attributes
    ----------
    function : str
        The name of the function.
    status : {"identified", "partly identified", "not identified"}
        Whether a formula was found that agrees with the function on all random lists and explains every choice.
    takes : str
        The arguments of the function, one word per argument.
    choices : tuple of Choice
        The choices that were found, each with a list that shows it.
    measure : str or None
        The idealrank measure that computes the same; None if options cannot express it.
    convention : Convention or None
        The choices of the function about the data, for ``like=``; None if a convention cannot express them.
    presets : tuple of str
        The conventions that agree with the function in all tests.
    nearest : mapping
        {convention: choices that differ} for the most similar conventions, if none matches.
    defects : tuple of Defect
        The defects that were found, each with the smallest list that shows it.
    notes : tuple of str
        Errors, and what could not be identified.
    n_calls : int
        The number of calls of the function.
    n_checked, n_agreeing : int
        The number of random lists on which the formula was compared with the function, and on which they agree.
    tolerance : float
        The largest difference between values that count as equal.
    options : mapping of str to str
        {option: value} of the measure that was found.

    Examples
    --------
    >>> from idealrank import identify
    >>> def ndcg(y_true, y_score):
    ...     import math
    ...     ranked = [label for _, label in sorted(zip(y_score, y_true), key=lambda pair: -pair[0])]
    ...     dcg = lambda labels: sum(label / math.log2(rank + 2) for rank, label in enumerate(labels))
    ...     return dcg(ranked) / dcg(sorted(y_true, reverse=True)) if any(y_true) else 0.0
    >>> found = identify(ndcg)
    >>> found.status, found.measure
    ('identified', 'ndcg(ties=stable,empty=0,gain=linear,discount=log:2)')
    """

    function: str
    status: str
    takes: str
    choices: tuple[Choice, ...] = ()
    measure: str | None = None
    convention: Convention | None = None
    presets: tuple[str, ...] = ()
    nearest: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    defects: tuple[Defect, ...] = ()
    notes: tuple[str, ...] = ()
    n_calls: int = 0
    n_checked: int = 0
    n_agreeing: int = 0
    tolerance: float = 1e-9
    options: Mapping[str, str] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Plain]:
        """Return everything that was found."""
        found = {name: plain(value) for name, value in vars(self).items() if name != "convention"}
        data = {} if self.convention is None else self.convention.data
        return found | {"convention": plain(data)}

    def tables(self) -> Mapping[str, Table]:
        """Return the table "choices", with a row per choice, and "defects", if there are any."""
        columns = [Column(name) for name in ("choice", "value", "seen on", "returned")]
        rows: list[list[Value]] = [[each.name, each.value, each.example, each.returned] for each in self.choices]
        wrong = [Column("defect"), Column("smallest list"), Column("value", ".6g"), Column("expected", ".6g")]
        found: list[list[Value]] = [[each.name, each.example, each.value, each.expected] for each in self.defects]
        return {"choices": Table(columns, rows)} | ({"defects": Table(wrong, found)} if found else {})

    def page(self) -> Page:
        """Return what the function computes, the table of its choices, and how many lists it was checked on."""
        checked = f"{self.n_agreeing} of {self.n_checked} random lists agree to {self.tolerance:.1g}"
        remarks = (*self.notes, f"{self.n_calls} calls; {checked}")
        notes = tuple(f"{line[0].upper()}{line[1:]}" for line in remarks)
        return Page(
            f"{self.function}: {self.status}",
            findings=tuple(self._findings()),
            summary=(Section(tables={"choices": self.table("choices")}),),
            remarks=remarks,
            sections=lambda: [Section("Result", tables=self.tables(), notes=notes)],
        )

    def _findings(self) -> list[Statement]:
        """Return the main findings."""
        statements = [Statement("identified", f"{self.function}({self.takes}) is {self.status}.")]
        if self.measure is not None and self.status == "identified":
            statements.append(Statement("identified", f"In idealrank, it is {self.measure}."))
        elif self.measure is not None:
            lists = f"{self.n_agreeing} of {self.n_checked} random lists agree"
            statements.append(Statement("partly identified", f"As far as identified, it is {self.measure}: {lists}."))
        if self.presets:
            presets = listed(f"like={each!r}" for each in self.presets)
            statements.append(
                Statement("agrees with a preset", f"It agrees with {presets} on everything that was tried.")
            )
        elif self.nearest:
            near = "; ".join(f"{name} (but {', '.join(differ)})" for name, differ in self.nearest.items())
            statements.append(Statement("agrees with no preset", f"No preset matches. The nearest: {near}."))
        return [*statements, *(Statement("defect", f"Defect: {defect}.") for defect in self.defects)]

    def __repr__(self) -> str:
        what = self.measure or "not a measure of idealrank"
        wrong = f", {len(self.defects)} defects" if self.defects else ""
        return f"Identification({self.function}: {self.status}, {what}{wrong})"
