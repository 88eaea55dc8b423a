"""Reading, evaluating and showing for ``idealrank evaluate``."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from typing import Any

import click

from idealrank._base.plain import Plain, finite, plain
from idealrank._typing import Floats
from idealrank.cli.support.progress import reading
from idealrank.cli.support.tables import show_with_remarks
from idealrank.cli.support.terminal import notes
from idealrank.data.judgments import Qrels, Run
from idealrank.data.ranking import RankingData
from idealrank.evaluation.evaluator import Evaluator
from idealrank.evaluation.results import Evaluations
from idealrank.io.formats import Format, Frame, load, sniffed
from idealrank.io.scores import read_scores
from idealrank.measures.base import Measure

__all__ = ["evaluate_files", "read_systems", "show"]


def evaluate_files(
    data: str,
    kind: Format,
    systems: Sequence[str],
    *lists_of_measures: Sequence[str | Measure],
    like: str | None,
    group: str | None,
    quiet: bool,
) -> list[Evaluations]:
    """Evaluations by the systems' names, for each list of measures; every file is read once."""
    judged, answers = read_systems(data, kind, systems, group=group, quiet=quiet)
    evaluator = Evaluator(judged, like)
    found = {name: [evaluator.evaluate(answer, measures) for measures in lists_of_measures] for name, answer in answers}
    return [
        Evaluations({name: each[number] for name, each in found.items()}) for number in range(len(lists_of_measures))
    ]


def read_systems(
    data: str, kind: Format, systems: Sequence[str], *, group: str | None, quiet: bool
) -> tuple[Qrels | RankingData, Iterator[tuple[str, Run | Floats]]]:
    """Return the judged documents, and (name, run or scores) of each system, read when it is asked for."""
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
    """The format of a run by its content, TREC's unless it looks like another; names of runs say nothing."""
    found = sniffed(path)
    return found if found is not None and found.holds is Run else load("run")


def _names(paths: Sequence[str]) -> list[str]:
    """Files without folder and ending, as long as that tells them apart; the paths themselves otherwise."""
    short = [os.path.basename(path).removesuffix(".gz").removesuffix(".xz") for path in paths]
    short = [os.path.splitext(name)[0] or name for name in short]
    return short if len(set(short)) == len(short) else list(paths)


def show(
    evaluations: Evaluations,
    hashed: Sequence[str],
    *,
    per_query: bool,
    interval: bool,
    output_format: str,
    quiet: bool,
) -> None:
    """Print the table, the conventions under it, and the problems in the data."""
    notes(sorted(map(str, evaluations.problems)), quiet=quiet)
    if output_format == "json":
        click.echo(json.dumps(_as_json(evaluations, hashed, per_query, interval), indent=2, allow_nan=False))
        return
    table = evaluations.table_of_means(per_query=per_query, interval=interval)
    show_with_remarks(table, evaluations.remarks(), output_format)


def _as_json(evaluations: Evaluations, hashed: Sequence[str], per_query: bool, interval: bool) -> Plain:
    content: dict[str, Any] = evaluations.to_dict()
    for name, own in content["systems"].items():
        if not per_query:
            del own["per_query"], own["query_ids"]
        if interval:
            own["interval"] = plain(evaluations[name].interval())
    if hashed:
        content["sha256"] = {path: _sha256(path) for path in hashed}
    return finite(content)


def _sha256(path: str) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
