"""Counts of ties and unjudged documents among those that a measure looks at."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from idealrank._typing import Floats, Int64s
from idealrank.data.problem import Problem
from idealrank.measures.cutoffs import Cutoff, Rank
from idealrank.measures.measure_base import Measure
from idealrank.measures.plan import Plan

__all__ = ["Counts"]


@dataclass(frozen=True)
class Counts:
    """Counts of ties and unjudged documents, made in the same pass as the measures."""

    cutoff: Cutoff | None
    joined: bool

    @classmethod
    def of(cls, measures: Iterable[Measure], *, joined: bool) -> Counts:
        """Return the counts down to the deepest rank that a measure looks at."""
        cuts = [each.cutoff for each in measures]
        ranks = [cut.k for cut in cuts if isinstance(cut, Rank)]
        return cls(Rank(max(ranks)) if len(ranks) == len(cuts) else None, joined)

    @property
    def plans(self) -> dict[str, Plan]:
        """Plans that count, per query, the ranks that share their score and the ranks that were judged."""
        plans = {"\0tied": Plan("tied", "judged", cutoff=self.cutoff)}
        if self.joined:
            plans["\0judged"] = Plan("sum", "judged", cutoff=self.cutoff)
        return plans

    def problems(self, values: Mapping[str, Floats], sizes: Int64s) -> tuple[Problem, ...]:
        """Return the problems that the counts show."""
        ranked = sizes if self.cutoff is None else np.minimum(sizes, self.cutoff.depths(sizes))
        where = "ranked documents" if self.cutoff is None else f"documents in the first {self.cutoff}"
        found = []
        tied = int(values["\0tied"].sum())
        if tied:
            shared = f"{_percent(tied, ranked)} of the {where} share their score with another"
            what = f"{shared}: their order depends on the rule for ties"
            found.append(Problem("tied document", tied, what, int(ranked.sum())))
        if self.joined:
            unjudged = int(ranked.sum() - values["\0judged"].sum())
            if unjudged:
                what = f"{_percent(unjudged, ranked)} of the {where} are unjudged"
                found.append(Problem("unjudged document", unjudged, what, int(ranked.sum())))
        return tuple(found)


def _percent(count: int, ranked: Int64s) -> str:
    return f"{count:,} ({count / ranked.sum():.1%})"
