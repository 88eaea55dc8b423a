"""The scoreboard: every task that a peer or a plain formula also does, the rows that we lose first.

``python -m benchmarks --scoreboard`` measures it, and ``--write`` puts it into docs/benchmarks.md.
"""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.runner import Row

__all__ = ["markdown", "write"]

_PAGE = Path(__file__).parents[1] / "docs" / "benchmarks.md"
_BEGIN, _END = "<!-- scoreboard -->", "<!-- end -->"
_HEADER = ("task", "peer", "times as fast (range)", "times the floor", "memory, ours / theirs")


def markdown(rows: Sequence[Row], about: dict[str, Any]) -> str:
    """The table, and the reasons for what we lose."""
    others = [row for row in rows if row.unit == "s" and row.kind == "peer" and not row.peer.startswith("idealrank")]
    measured = sorted((row for row in others if row.ratio is not None), key=lambda row: (_times(row)[0], row.work))
    floors = {row.work: row for row in rows if row.kind == "floor" and row.ratio is not None}
    lost = [row for row in measured if _times(row)[0] < 1]
    lines: list[tuple[str, ...]] = [_HEADER, ("---", "---", "---:", "---:", "---:")]
    lines += [_cells(row, floors.get(row.work), about["versions"]) for row in measured]
    said = [f"{len(measured)} comparisons were measured; in {len(lost)} of them, the other one is faster."]
    reasons = Counter(row.why or "no reason is known" for row in lost)
    said += [f"Why {n} {'row is' if n == 1 else 'rows are'} below 1: {why}." for why, n in reasons.items()]
    absent = sorted({row.peer for row in others if row.ratio is None})
    if absent:
        said.append(f"Not measured, because not installed or not working: {', '.join(absent)}.")
    table = "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
    return "\n\n".join([said[0], table, *said[1:]]) + "\n"


def write(text: str) -> None:
    """Put the table on the page."""
    head, _, rest = _PAGE.read_text(encoding="utf-8").partition(_BEGIN)
    _PAGE.write_text(f"{head}{_BEGIN}\n\n{text}\n{_END}{rest.partition(_END)[2]}", encoding="utf-8")


def _times(row: Row) -> tuple[float, float, float]:
    """The median of theirs / ours, and the least and the most."""
    assert row.ratio is not None
    ratio = row.ratio
    if row.direction == "peer/ours":
        return ratio.median, ratio.min, ratio.max
    return 1 / ratio.median, 1 / ratio.max, 1 / ratio.min


def _cells(row: Row, floor: Row | None, versions: dict[str, str | None]) -> tuple[str, ...]:
    """One line of the table.

    >>> from benchmarks.runner import Summary
    >>> two = Summary.of([2.0, 3.0])
    >>> row = Row("e", "sorting", "np", "measured", "s", 2, "peer/ours", theirs=two, ratio=two, module="numpy")
    >>> _cells(row, None, {"numpy": "2.0"})
    ('sorting', 'np (numpy 2.0)', '2.50 (2.00 to 3.00)', '', '')
    """
    median, least, most = _times(row)
    name = row.distribution or row.module
    peer = f"{row.peer} ({name} {versions[name]})" if name and versions.get(name) else row.peer
    distance = f"{1 / _times(floor)[0]:.2f} ({floor.peer})".replace("(", "(of ") if floor is not None else ""
    memory = " / ".join("" if each is None else f"{each / 1e6:.1f} MB" for each in row.memory)
    shown = memory if None not in row.memory and max(row.memory) >= 1e6 else ""  # type: ignore[type-var,operator]
    return row.work, peer, f"{median:.2f} ({least:.2f} to {most:.2f})", distance, shown
