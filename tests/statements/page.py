"""The page "How often is it wrong?": what each statement promises, and what was measured."""

import json
import math
from collections.abc import Mapping
from pathlib import Path

from statements.listing import KINDS, WORLDS
from statements.world import Rate, World

__all__ = ["MEASURED", "PAGE", "page_text", "read_rates", "write_rates"]

#: The measured rates by the title of the world.
MEASURED = Path(__file__).parent / "measured.json"
#: The page of the documentation.
PAGE = Path(__file__).parents[2] / "docs/how_often_wrong.md"

_TOP = """# How often is it wrong?

A result ends in sentences: "a is significantly better than b", "at least 120 queries are needed". This page says how
often each kind of sentence is false. Every kind has worlds in which the truth is known: two systems that are exchanged
at random on every query, so that neither is better; a difference of a known size; a list whose limit is known. Each
draw of a world is data for the public function, whose sentence is compared with the truth. Where a draw takes long, the
values of all queries are computed once, and each draw is data for the part of the function that decides what it says; a
test checks that both agree.

"False" is the share of draws in which the sentence is false, with its 95% interval. A promise such as "at most 5%" is
the level of the sentence. If the promise is 3% to 7%, far less than 5% would be a fault too: it costs power.

The weakest rows are intervals of a difference where one system nearly always wins: they miss the truth in 16% of draws
of 10 queries, and in 11% of draws of 20. Student's t needs more queries there. Most misses are draws in which fewer
than six queries differ, and results say so. Other intervals that were tried are not clearly better: those with a
correction for skewness miss more often elsewhere, and those that cover are far wider or contradict the t test. With
machine judgments, the interval is widened if fewer than six judged queries differ; from 10 or 15 judged queries, it
misses in 2% to 12% of draws. With few queries and many ties, tests are false in less than 5%, and so miss more real
differences than they have to.

Rows with fewer than 2,000 draws are slow to compute: their intervals show how much is known.

`python tests/statements --draws 2000` measures all worlds again and writes this page; the tests take fewer draws.
"""
_CERTAIN = """
## Sentences that repeat numbers

These sentences say what was computed, and nothing about other data. They are right if the numbers are, and other tests
compare these with independent implementations.

| sentence | why it cannot be false |
|---|---|
"""


def read_rates() -> dict[str, Rate]:
    """Return the rates that were measured last."""
    stored = json.loads(MEASURED.read_text(encoding="utf-8")) if MEASURED.exists() else {}
    return {title: Rate(*counts) for title, counts in stored.items()}


def write_rates(rates: Mapping[str, Rate]) -> None:
    """Store the rates of the worlds that exist, and write the page."""
    known = {world.title: rates[world.title] for world in WORLDS if world.title in rates}
    stored = {title: [rate.n_false, rate.n] for title, rate in sorted(known.items())}
    MEASURED.write_text(f"{json.dumps(stored, indent=1)}\n", encoding="utf-8")
    PAGE.write_text(page_text(known), encoding="utf-8")


def page_text(rates: Mapping[str, Rate]) -> str:
    """Return the page in Markdown."""
    parts = [_TOP]
    for name, kind in KINDS.items():
        if worlds := [world for world in WORLDS if world.kind == name]:
            rows = "\n".join(_row(world, rates.get(world.title)) for world in worlds)
            title = f"{name[0].upper()}{name[1:]}"
            head = "| world | promise | false | draws |\n|---|---|---|---|"
            parts.append(f"\n## {title}\n\n> {kind.says}\n\n{head}\n{rows}\n")
    certain = [f"| {kind.says} | {kind.certain} |\n" for kind in KINDS.values() if kind.certain]
    return "".join([*parts, _CERTAIN, *certain])


def _row(world: World, rate: Rate | None) -> str:
    if rate is None:
        return f"| {world.name} | {world.promise} | not measured | |"
    low, high = _interval(rate)
    return f"| {world.name} | {world.promise} | {rate.share:.1%} ({low:.1%} to {high:.1%}) | {rate.n:,} |"


def _interval(rate: Rate) -> tuple[float, float]:
    """Return Wilson's 95% interval."""
    z, n = 1.96, rate.n
    center = (rate.share + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(rate.share * (1 - rate.share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return max(center - half, 0.0), min(center + half, 1.0)
