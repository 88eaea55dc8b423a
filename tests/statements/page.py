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
#: Rows with fewer draws say how many there were.
_DRAWS = 2000

_TOP = """# How often is it wrong?

Results state their findings in sentences such as "a is significantly better than b" or "at least 120 queries are
needed". We tested each kind of sentence in simulated worlds in which the truth is known. For example, two systems are
exchanged at random on every query (so neither is better), a difference has a known size, or a list has a known limit.
"False" is the share of draws in which the sentence is false, with its 95% interval. The promise is the level of the
sentence. If the promise is a range, a much lower share would also be a fault, because it costs power.

Most statements are reliable: tests and gates are false in about 5% of draws or less, statements that must never be
false never were, and intervals for a mean miss the mean in 1% to 7% of draws of 10 queries or more, with the exceptions
that follow.

These statements are the weakest:

- **Rare queries with very different values.** If 5% of all queries have the value 0 and the values of the others are
  close to 1, most samples of ten queries contain no 0, and their intervals miss the mean. With ten queries, 60% of the
  intervals miss the mean; with 50 queries, 12% do.
- **Differences where one system nearly always wins.** The 95% interval misses the truth in 11% of draws of 20 queries,
  and in 6% to 7% of draws of 50 queries, because Student's t needs more queries if differences are skewed. On 74 pairs
  of systems, we tried intervals with a correction for skewness, with fewer degrees of freedom, by empirical likelihood,
  with a prior, and by the score method. Intervals that miss clearly less often here are a quarter wider on average, or
  miss more often elsewhere.
- **Machine judgments, with 10 or 15 judged queries.** The interval for a difference misses the truth in 2% to 12% of
  draws. The interval for a mean misses the truth in 22% of draws if the machine's values, apart from a few very large
  values, are hardly related to people's values.
- **Few queries, or many ties.** Tests are false in less than 5% of draws, and hardly ever with five queries, so they
  miss more real differences than necessary. If fewer than six queries differ, nothing is significant.

`python tests/statements --draws 2000` measures all worlds again and writes this page; the test suite uses fewer draws.
If a draw is slow, work that many draws share is done once, and tests check that the public functions give the same
results. The tables show the number of draws for worlds with fewer than 2,000, where a draw takes up to a second.

## Every kind, in its worst world

For each kind of statement, this table shows the world in which it was false most often:

| statement | promise | false | world |
|---|---|---|---|
"""
_CERTAIN = """
## Sentences that repeat numbers

These sentences repeat what was computed, and claim nothing about other data. They are right if their numbers are right,
and other tests compare these numbers with independent implementations.

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
    by_kind = {name: [world for world in WORLDS if world.kind == name] for name in KINDS}
    by_kind = {name: worlds for name, worlds in by_kind.items() if worlds}
    summary = [_summary(name, [(world, rates.get(world.title)) for world in own]) for name, own in by_kind.items()]
    details = [_details(name, own, rates) for name, own in by_kind.items()]
    certain = [f"| {kind.says} | {kind.certain} |\n" for kind in KINDS.values() if kind.certain]
    return "".join([_TOP, *summary, "\n## All worlds\n", *details, _CERTAIN, *certain])


def _summary(name: str, worlds: list[tuple[World, Rate | None]]) -> str:
    """Return a row with the world in which the statement was false most often."""
    measured = [(world, rate) for world, rate in worlds if rate is not None]
    if not measured:
        return f"| {_capitalized(name)} | | not measured | |\n"
    world, rate = max(measured, key=lambda each: (each[1].share, -each[1].n))
    others = f" (of {len(worlds)} worlds)" if len(worlds) > 1 else ""
    return f"| {_capitalized(name)} | {world.promise} | {_false(rate)} | {world.name}{others} |\n"


def _details(name: str, worlds: list[World], rates: Mapping[str, Rate]) -> str:
    """Return all worlds of a kind, folded; draws are told where there were fewer than the command takes."""
    head = "| world | promise | false |\n|---|---|---|"
    rows = "\n".join(_row(world, rates.get(world.title)) for world in worlds)
    title = f"<summary>{_capitalized(name)}: {len(worlds)} world{'s' if len(worlds) > 1 else ''}</summary>"
    return f'\n<details markdown="1">\n{title}\n\n> {KINDS[name].says}\n\n{head}\n{rows}\n\n</details>\n'


def _row(world: World, rate: Rate | None) -> str:
    return f"| {world.name} | {world.promise} | {'not measured' if rate is None else _false(rate)} |"


def _false(rate: Rate) -> str:
    low, high = _interval(rate)
    draws = f"; {rate.n:,} draws" if rate.n < _DRAWS else ""
    return f"{rate.share:.1%} ({low:.1%} to {high:.1%}{draws})"


def _capitalized(name: str) -> str:
    return f"{name[0].upper()}{name[1:]}"


def _interval(rate: Rate) -> tuple[float, float]:
    """Return Wilson's 95% interval."""
    z, n = 1.96, rate.n
    center = (rate.share + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(rate.share * (1 - rate.share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return max(center - half, 0.0), min(center + half, 1.0)
