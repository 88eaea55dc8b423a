"""How far machine labels agree with human labels of the same documents."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from idealrank._present.page import Page, Section
from idealrank._present.pluralize import counted
from idealrank._present.result import Result
from idealrank._present.statement import Statement
from idealrank._present.table import Column, Table
from idealrank._typing import Floats

__all__ = ["LabelAgreement", "label_agreement"]


@dataclass(frozen=True)
class LabelAgreement(Result):
    """The agreement between human and machine labels of the same documents.

    Attributes
    ----------
    n_documents : int
        The number of documents with both labels.
    equal : float
        The share of these documents with equal labels.
    kappa : float
        Cohen's kappa, the agreement beyond chance; NaN if all labels are the same.
    correlation : float
        The correlation between the labels; NaN if one of the two kinds is constant.
    bias : float
        The mean of machine minus human labels.
    labels : tuple of float
        The labels that occur, ascending.
    counts : tuple of tuple of int
        ``counts[i][j]`` is the number of documents with the human label ``labels[i]`` and the machine label
        ``labels[j]``.

    Examples
    --------
    >>> from idealrank.judging.machine_judgments.label_agreement import label_agreement
    >>> found = label_agreement([0, 0, 1, 1], [0, 1, 1, 1])
    >>> found.equal, found.kappa, found.bias, found.counts
    (0.75, 0.5, 0.25, ((1, 1), (0, 2)))
    """

    n_documents: int
    equal: float
    kappa: float
    correlation: float
    bias: float
    labels: tuple[float, ...]
    counts: tuple[tuple[int, ...], ...]

    def tables(self) -> Mapping[str, Table]:
        """Return the table "labels": a row per human label, with the numbers of documents by machine label."""
        names = [f"machine {label:g}" for label in self.labels]
        rows = [[label, *own] for label, own in zip(self.labels, self.counts, strict=True)]
        return {"labels": Table([Column("human", "g"), *(Column(name) for name in names)], rows)}

    def page(self) -> Page:
        """Return the agreement as a sentence, and the numbers of documents by label."""
        return Page(
            "Agreement of human and machine labels",
            findings=(Statement("agreement of labels", self._finding()),),
            summary=(Section(tables=self.tables()),),
            sections=lambda: [Section("Result", tables=self.tables())],
        )

    def _finding(self) -> str:
        if not self.n_documents:
            return "No document has both a human and a machine label."
        documents = f"{counted(self.n_documents, 'document')} with both"
        parts = [f"Human and machine labels are equal on {self.equal:.0%} of the {documents}"]
        if not math.isnan(self.kappa):
            parts.append(f"kappa {self.kappa:.2f}")
        if not math.isnan(self.correlation):
            parts.append(f"correlation {self.correlation:.2f}")
        higher = "lower" if self.bias < 0 else "higher"
        return f"{', '.join(parts)}; machine labels are {higher} by {abs(self.bias):.2f} on average."


def label_agreement(human: Floats, machine: Floats) -> LabelAgreement:
    """Compare human and machine labels of the same documents.

    Examples
    --------
    >>> print(*label_agreement([1, 1], [1, 0]).page().findings)
    Human and machine labels are equal on 50% of the 2 documents with both, kappa 0.00; machine labels are lower by 0.50
    on average.
    """
    first, second = np.asarray(human, np.float64), np.asarray(machine, np.float64)
    n = first.size
    if not n:
        return LabelAgreement(0, math.nan, math.nan, math.nan, math.nan, (), ())
    labels, places = np.unique(np.concatenate([first, second]), return_inverse=True)
    counts = np.zeros((labels.size, labels.size), np.int64)
    np.add.at(counts, (places[:n], places[n:]), 1)
    equal = float(np.trace(counts) / n)
    by_chance = float(counts.sum(axis=0) @ counts.sum(axis=1) / n**2)
    kappa = (equal - by_chance) / (1 - by_chance) if labels.size > 1 else math.nan
    has_spread = np.ptp(first) > 0 and np.ptp(second) > 0
    correlation = float(np.corrcoef(first, second)[0, 1]) if has_spread else math.nan
    shown = tuple(tuple(row) for row in counts.tolist())
    return LabelAgreement(n, equal, kappa, correlation, float((second - first).mean()), tuple(labels.tolist()), shown)
