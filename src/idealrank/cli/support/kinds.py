"""What kind of file a name stands for."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

import click

__all__ = ["FRAMES", "KINDS", "kind_of", "kind_of_features", "kind_of_judged"]

#: Kinds of files, and what they are called in sentences.
KINDS = {"letor": "LETOR text", "qrels": "TREC judgments", "run": "a TREC run", "parquet": "Parquet", "csv": "CSV"}
#: Those that hold a data frame.
FRAMES = frozenset({"parquet", "csv"})

_ENDINGS = {
    ".letor": "letor",
    ".svm": "letor",
    ".svmlight": "letor",
    ".libsvm": "letor",
    ".qrels": "qrels",
    ".run": "run",
    ".results": "run",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".csv": "csv",
}


def kind_of(path: str, option: str) -> str:
    """The kind of file by its name; an ending that says nothing is a usage error that names the option to give.

    >>> [kind_of(name, "--from") for name in ("train.txt", "qrels.dl19.txt.gz", "bm25.run", "pruned.dat", "a.csv")]
    ['letor', 'qrels', 'run', 'letor', 'csv']
    """
    if path == "-":
        raise click.UsageError(f"'-' has no ending to tell its kind by; give {option} {'|'.join(KINDS)}.")
    name = os.path.basename(path).lower().removesuffix(".gz").removesuffix(".xz")
    ending = os.path.splitext(name)[1]
    if _ENDINGS.get(ending) == "parquet" and not path.lower().endswith(ending):
        raise click.UsageError(f"{path!r}: Parquet is compressed inside; leave out what follows {ending!r}.")
    if ending in _ENDINGS:
        return _ENDINGS[ending]
    if "qrels" in name:
        return "qrels"
    # As a word or at its edge: bm25_run.txt and run1.txt are runs, pruned.txt and trunk.txt are not.
    if re.search(r"(?<![a-z])run|run(?![a-z])", name):
        return "run"
    if ending in {".txt", ".dat"}:
        return "letor"
    raise click.UsageError(f"{path!r} does not tell its kind by its ending; give {option} {'|'.join(KINDS)}.")


def kind_of_judged(data: str, from_kind: str | None, systems: Sequence[str], least: int = 1) -> str:
    """The kind of the judged documents, where there are enough systems that go with it."""
    kind = from_kind or kind_of(data, "--from")
    if kind == "run":
        raise click.UsageError("judgments come first, then runs; give --from qrels if DATA is judgments after all.")
    what = "runs" if kind == "qrels" else "score columns" if kind in FRAMES else "files of scores"
    if len(systems) < least and not (kind in FRAMES and least == 1):
        few = "no system to evaluate" if least == 1 else f"{least} systems are needed, got {len(systems)}"
        raise click.UsageError(f"{few}: give {what}.")
    return kind


def kind_of_features(path: str, from_kind: str | None) -> str:
    """The kind of a file of documents with features."""
    kind = from_kind or kind_of(path, "--from")
    if kind in ("qrels", "run"):
        raise click.UsageError(f"{path!r}: {KINDS[kind]} has no features; give --from letor if it is LETOR text.")
    return kind
