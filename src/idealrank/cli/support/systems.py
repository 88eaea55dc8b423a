"""Reading of judged documents and systems, and the names of systems."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Literal

from idealrank._typing import Floats
from idealrank.cli.support.progress import reading
from idealrank.data.judgments import Qrels, Run
from idealrank.data.ranking import RankingData
from idealrank.errors import OptionError
from idealrank.evaluation.inputs import prepared, system_names
from idealrank.io.formats import Format, load
from idealrank.io.shapes.base import Shape
from idealrank.io.shapes.paths import PathShape

__all__ = ["baseline_name", "path_of", "read_systems"]


def read_systems(
    data: str, kind: Format | None, systems: Sequence[str], *, group: str | None, quiet: bool
) -> tuple[Qrels | RankingData, Iterator[tuple[str, Run | Floats]]]:
    """Return the judged documents, and (name, run or scores) of each system, which is read when it is asked for.

    A system is a path, a column of DATA, or ``name=`` and one of these.
    """
    shown = partial(reading, quiet=quiet)
    judged = PathShape(data, kind=kind, group=group, reading=shown)
    if not systems:  # a frame with scores of its own
        found, ((_, scores),) = prepared(judged, None)
        return found, iter([("score", scores)])
    given, shapes = [], []
    for text in systems:
        name, path = _split(text, judged)
        # The names of runs and files of scores say nothing, so content that says nothing is an error of that kind.
        fallback: Format | Literal["scores"] = "scores" if judged.gives == ("ranking",) else load("run")
        given.append(name)
        shapes.append(judged.column(path) or PathShape(path, fallback=fallback, reading=shown))
    return prepared(judged, dict(zip(_names(given, shapes), shapes, strict=True)))


def _split(text: str, judged: Shape | None = None) -> tuple[str, str]:
    """Return the name and the path of NAME=PATH; the name is empty without one, or if the text is a path itself."""
    name, equals, path = text.partition("=")
    is_whole = not equals or not name or not path or os.path.exists(text)
    if is_whole or (judged is not None and judged.column(text) is not None):
        return "", text
    return name, path


def path_of(text: str) -> str:
    """Return the path of a system, without its name.

    >>> path_of("bm25=runs/input.bm25"), path_of("runs/input.bm25")
    ('runs/input.bm25', 'runs/input.bm25')
    """
    return _split(text)[1]


def _names(given: Sequence[str], shapes: Sequence[Shape]) -> list[str]:
    names = [name or found for name, found in zip(given, system_names(shapes), strict=True)]
    again = [name for name in names if names.count(name) > 1]
    if again:
        raise OptionError(f"two systems are called {again[0]!r}: give NAME=PATH")
    return names


def baseline_name(given: str | None, systems: Sequence[str], names: Sequence[str]) -> str | None:
    """Return the name of the baseline, which may be given by its name, its path, or its file name.

    >>> baseline_name("bm25", ["runs/bm25.run.gz", "runs/dense.run"], ["anserini", "colbert"])
    'anserini'
    """
    if given is None or given in names:
        return given
    for text, name in zip(systems, names, strict=True):
        path = path_of(text)
        file = os.path.basename(path)
        if given in (text, path, file, file.split(".")[0], os.path.splitext(file)[0]):
            return name
    return given
