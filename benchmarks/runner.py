"""The core: contestants do the same work by turns, and every ratio is of two values of one round."""

from __future__ import annotations

import gc
import importlib.util
import math
import os
import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias

from benchmarks.neighbors import Neighbors
from benchmarks.processes import peak_of
from benchmarks.targets import Direction, Target

__all__ = ["ENTRIES", "Comparison", "Contestant", "Mark", "Row", "Setting", "Summary", "as_returned", "entry", "run"]

#: A few numbers that tell whether two contestants did the same work; compared as far as both go.
Digest: TypeAlias = tuple[float, ...]
Unit: TypeAlias = Literal["s", "B"]

# The threads of OpenMP keep a core busy for a while after their work, at the expense of whoever comes next.
_PAUSE = 0.05


@dataclass(frozen=True)
class Setting:
    """What an entry is told: where its files go, how large the work is, how many rounds are run.

    Times are those of the clock, or of the processor, in all threads and in child processes, if ``by_processor``. The
    memory of each contestant is measured in one more run if ``with_memory``.
    """

    folder: Path
    scale: float = 1.0
    rounds: int = 7
    by_processor: bool = False
    with_memory: bool = False

    def size(self, full: int) -> int:
        """A size as the full run has it, scaled down in a quick run.

        >>> Setting(Path(), scale=0.05).size(1000)
        50
        """
        return max(1, round(full * self.scale))


@dataclass(frozen=True)
class Contestant:
    """One way to do the work; it imports what it needs when it is first run, which is not measured.

    ``module`` names the package without which it cannot run, and ``distribution`` what pip calls that package where
    the two differ. ``digest`` reduces what ``run`` returned to numbers that must agree with those of the others. A
    contestant that ``is_floor`` does what no implementation can avoid, such as a sort. ``why`` is the reason why ours
    cannot be faster than this peer.
    """

    name: str
    run: Callable[[], Any]
    target: Target | None = None
    module: str | None = None
    distribution: str | None = None
    digest: Callable[[Any], Digest] = lambda _: ()
    is_floor: bool = False
    why: str = ""


@dataclass(frozen=True)
class Mark:
    """A fixed value, in the unit of the comparison, to hold ours against."""

    name: str
    value: float
    target: Target | None = None


def seconds(run: Callable[[], Any], clock: Callable[[], float] = time.perf_counter) -> float:
    """The time of one call; freeing what it returned is not counted."""
    gc.collect()
    time.sleep(_PAUSE)
    start = clock()
    result = run()
    elapsed = clock() - start
    del result
    return elapsed


def processor_seconds(run: Callable[[], Any]) -> float:
    """The processor time of one call, in this process and its children, for machines that others use too."""
    return seconds(run, lambda: sum(os.times()[2:4]) + time.process_time())


def as_returned(run: Callable[[], Any]) -> float:
    """What the call returned, for contestants that measure themselves."""
    return float(run())


@dataclass(frozen=True)
class Comparison:
    """The same work done by ours and by the peers.

    ``amount`` of ``amount_unit`` is the size of the work, from which the rate is made. The rounds of the run are
    multiplied by ``rounds_factor``.
    """

    work: str
    ours: Contestant
    peers: Sequence[Contestant | Mark]
    unit: Unit = "s"
    meter: Callable[[Callable[[], Any]], float] = seconds
    amount: float | None = None
    amount_unit: str = ""
    rounds_factor: int = 1


@dataclass(frozen=True)
class Summary:
    """The values of all rounds, and what stands in the table of them."""

    median: float
    min: float
    max: float
    values: tuple[float, ...]

    @classmethod
    def of(cls, values: Iterable[float]) -> Summary:
        """Summarize at least one value.

        >>> Summary.of([3.0, 1.0, 2.0]).median
        2.0
        """
        kept = tuple(values)
        return cls(statistics.median(kept), min(kept), max(kept), kept)


@dataclass(frozen=True)
class Row:
    """Ours against one peer; ``status`` is "measured", "not installed", or "failed: ..." and why.

    ``others`` is how many cores other processes kept busy during the rounds; ``memory`` is the peak of ours and of
    theirs in this process, in bytes.
    """

    entry: str
    work: str
    peer: str
    status: str
    unit: Unit
    rounds: int
    direction: Direction
    kind: Literal["peer", "mark", "floor"] = "peer"
    why: str = ""
    memory: tuple[float | None, float | None] = (None, None)
    target: str | None = None
    met: bool | None = None
    ours: Summary | None = None
    theirs: Summary | None = None
    ratio: Summary | None = None
    amount: float | None = None
    amount_unit: str = ""
    others: float | None = None
    module: str | None = None
    distribution: str | None = None


Entry: TypeAlias = Callable[[Setting], Iterator[Comparison]]
ENTRIES: dict[str, Entry] = {}


def entry(function: Entry) -> Entry:
    """Register an entry under its name; it yields comparisons, each run before the next is set up."""
    ENTRIES[function.__name__] = function
    return function


def is_installed(module: str) -> bool:
    """Whether the module can be found; it is not imported."""
    return importlib.util.find_spec(module) is not None


def run(
    names: Iterable[str],
    setting: Setting,
    *,
    tell: Callable[[str], None] = lambda _: None,
    installed: Callable[[str], bool] = is_installed,
) -> Iterator[Row]:
    """Run the named entries, and yield one row per peer."""
    for name in names:
        tell(f"{name}: making its input")
        comparisons = ENTRIES[name](setting)
        while True:
            try:
                comparison = next(comparisons)
            except StopIteration:
                break
            except Exception as error:  # the other entries are to run all the same
                yield Row(name, "set-up", "", f"failed: {type(error).__name__}: {error}", "s", 0, "peer/ours")
                break
            if setting.by_processor and comparison.meter is seconds:
                comparison = replace(comparison, meter=processor_seconds)
            yield from _compare(name, comparison, setting, tell, installed)


def _compare(
    name: str, comparison: Comparison, setting: Setting, tell: Callable[[str], None], installed: Callable[[str], bool]
) -> Iterator[Row]:
    rounds = setting.rounds * comparison.rounds_factor
    tell(f"{name}: {comparison.work}")
    status: dict[str, str] = {}
    expected, trouble = _warmed_up(comparison.ours, ())
    runnable = [] if trouble else [comparison.ours]
    for peer in comparison.peers:
        if trouble:
            status[peer.name] = f"failed: {comparison.ours.name}: {trouble}"
        elif isinstance(peer, Contestant) and peer.module is not None and not installed(peer.module):
            status[peer.name] = "not installed"
        elif isinstance(peer, Contestant):
            _, problem = _warmed_up(peer, expected)
            if problem:
                status[peer.name] = f"failed: {problem}"
            else:
                runnable.append(peer)

    values: dict[str, list[float]] = {contestant.name: [] for contestant in runnable}
    neighbors = Neighbors()
    for number in range(rounds):
        # The order turns every round, so that nobody always runs after the same other.
        for contestant in runnable if number % 2 == 0 else reversed(runnable):
            values[contestant.name].append(comparison.meter(contestant.run))
    others = neighbors.cores()
    memory = {each.name: peak_of(each.run) for each in runnable} if setting.with_memory else {}
    for peer in comparison.peers:
        if isinstance(peer, Mark) and not trouble:
            values[peer.name] = [peer.value] * rounds
        row = _row(name, comparison, peer, values, status.get(peer.name, "measured"), others)
        yield replace(row, memory=(memory.get(comparison.ours.name), memory.get(peer.name)))


def _warmed_up(contestant: Contestant, expected: Digest) -> tuple[Digest, str]:
    """Run once unmeasured, for imports and caches; the digest of what came out, and what went wrong, or ''."""
    try:
        found = contestant.digest(contestant.run())
    except Exception as error:  # whatever a peer raises is a result to report, not a reason to stop
        return (), f"{type(error).__name__}: {error}"
    for ours, theirs in zip(expected, found, strict=False):
        if not math.isclose(ours, theirs, rel_tol=1e-6):
            return found, f"not the same work: ours gives {expected}, this gives {found}"
    return found, ""


def _row(
    name: str,
    comparison: Comparison,
    peer: Contestant | Mark,
    values: dict[str, list[float]],
    status: str,
    others: float | None,
) -> Row:
    target = peer.target
    direction: Direction = target.direction if target else "peer/ours"
    ours, theirs = values.get(comparison.ours.name), values.get(peer.name)
    ratio = met = None
    if ours and theirs:
        pairs = zip(ours, theirs, strict=True)
        ratio = Summary.of(them / us if direction == "peer/ours" else us / them for us, them in pairs)
        met = target.met(ratio.median, statistics.median(theirs)) if target else None
    return Row(
        entry=name,
        work=comparison.work,
        peer=peer.name,
        status=status,
        unit=comparison.unit,
        rounds=len(theirs or ()),
        direction=direction,
        target=str(target) if target else None,
        met=met,
        ours=Summary.of(ours) if ours else None,
        theirs=Summary.of(theirs) if theirs else None,
        ratio=ratio,
        amount=comparison.amount,
        amount_unit=comparison.amount_unit,
        others=others,
        kind="mark" if isinstance(peer, Mark) else "floor" if peer.is_floor else "peer",
        why=getattr(peer, "why", ""),
        module=getattr(peer, "module", None),
        distribution=getattr(peer, "distribution", None),
    )
