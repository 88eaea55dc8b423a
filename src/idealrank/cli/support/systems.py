"""Reading of judged documents and systems."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

from idealrank._typing import Floats
from idealrank.cli.support.progress import reading
from idealrank.data.judgments import Qrels, Run
from idealrank.data.ranking import RankingData
from idealrank.io.formats import Format, Frame, load, sniffed
from idealrank.io.scores import read_scores

__all__ = ["read_systems"]


def read_systems(
    data: str, kind: Format, systems: Sequence[str], *, group: str | None, quiet: bool
) -> tuple[Qrels | RankingData, Iterator[tuple[str, Run | Floats]]]:
    """Return the judged documents, and (name, run or scores) of each system, which is read when it is asked for."""
    if kind.holds is Frame:
        from idealrank.io.frames import ranking_and_scores

        ranking, scores = ranking_and_scores(kind.read(data, text=("doc",)), list(systems) or ["score"])
        return ranking, iter((scores or {}).items())
    with reading(data, quiet=quiet) as progress:
        judged: Any = kind.read(data, group=group, progress=progress)

    def answers() -> Iterator[tuple[str, Run | Floats]]:
        for name, path in zip(_names(systems), systems, strict=True):
            with reading(path, quiet=quiet) as progress:
                if isinstance(judged, RankingData):
                    yield name, judged.check_scores(read_scores(path, progress=progress), order="input")
                else:
                    run: Any = _run_format(path).read(path, progress=progress)
                    yield name, run

    return judged, answers()


def _run_format(path: str) -> Format:
    """Return the format of a run by its content, TREC by default; names of runs say nothing."""
    found = sniffed(path)
    return found if found is not None and found.holds is Run else load("run")


def _names(paths: Sequence[str]) -> list[str]:
    """Return the file names without folder and ending if these are distinct, else the paths."""
    short = [os.path.basename(path).removesuffix(".gz").removesuffix(".xz") for path in paths]
    short = [os.path.splitext(name)[0] or name for name in short]
    return short if len(set(short)) == len(short) else list(paths)
