"""``idealrank demo``: a click log, made, written, read back and ranked, on one screen."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

import idealrank
from idealrank.cli.help import Command
from idealrank.cli.options import debug_option, format_option, html_option, quiet_option
from idealrank.cli.tables import Column, Table, show

if TYPE_CHECKING:
    from idealrank.data import Floats, RankingData

__all__ = ["command"]

_TOP = 10
_FEATURES = {1: "a matching score", 2: "links to the site", 4: "words of the query found", 7: "noise"}


@click.command("demo", cls=Command)
@click.option("--queries", type=click.IntRange(1), default=40, show_default=True, metavar="N", help="Queries.")
@click.option(
    "--docs", type=click.IntRange(_TOP), default=5000, show_default=True, metavar="N", help="Documents a query."
)
@click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, metavar="N", help="Another seed makes another log."
)
@format_option
@html_option
@quiet_option
@debug_option
def command(queries: int, docs: int, seed: int, output_format: str, html_path: str | None, quiet: bool) -> None:
    """Make a small click log, read it back and rank it.

    The log is that of an invented search engine: a document's label is 2 above 1000 clicks, 1 from 100, else 0. Its
    training part is written as LETOR text and read back; then the test queries are ranked by single features, at
    random, and by the least-squares combination of all features, and the best-ranked ten documents are looked at.

    With --format other than text, or --quiet, only the table is printed. With --html, the rankers are also compared
    with the first feature, as 'idealrank compare' does.
    """
    speak = output_format == "text" and not quiet
    if speak:
        click.echo(f"idealrank {idealrank.__version__}: the click log of an invented search engine, seed {seed}\n")

    from idealrank import datasets

    parts = datasets.web_search(queries, docs, seed=seed)
    train, speed = _through_a_file(parts.train)
    if speak:
        click.echo(f"{_summary('train', train)}\n{_summary('test', parts.test)}\n{speed}\n")
        click.echo(f"The first {_TOP} documents of each test query, ranked by ...\n")
    rankers = _rankers(train, parts.test, seed)
    show(_table(parts.test, rankers), output_format)
    if speak:
        click.echo(_NEXT)
    if html_path is not None:
        _report(parts.test, rankers, html_path, seed, quiet=quiet)


_NEXT = """
clicked: the share of those documents with label 1 or 2, over all test queries.

Try next
  idealrank convert train.txt train.parquet   LETOR, TREC, CSV and Parquet files
  idealrank convert --help                    what it reads and writes
  idealrank.read_letor("train.txt")           the same from Python, as arrays
  idealrank.datasets.web_search().train       this click log"""


def _through_a_file(data: RankingData) -> tuple[RankingData, str]:
    """The data as it comes back from a LETOR file, and how fast that went."""
    with tempfile.TemporaryDirectory(prefix="idealrank-") as folder:
        path = os.path.join(folder, "train.txt")
        begin = time.perf_counter()
        idealrank.write_letor(data, path)
        written = time.perf_counter()
        back = idealrank.read_letor(path)
        read = time.perf_counter()
        megabytes = os.path.getsize(path) / 1e6
    return back, (
        f"file:  {megabytes:.1f} MB of LETOR text, written at {megabytes / (written - begin):,.0f} MB/s, "
        f"read at {megabytes / (read - written):,.0f} MB/s"
    )


def _summary(name: str, data: RankingData) -> str:
    import numpy as np

    levels, counts = np.unique(data.labels, return_counts=True)
    shares = ", ".join(f"{level:g}: {count / data.n_docs:.1%}" for level, count in zip(levels, counts, strict=True))
    return f"{name + ':':6} {data.n_queries:,} queries, {data.n_docs:,} documents; labels {shares}"


def _rankers(train: RankingData, test: RankingData, seed: int) -> dict[str, Floats]:
    """{ranker: one score a test document}."""
    import numpy as np

    # Centred, so that no constant is needed.
    features = train.features - train.features.mean(axis=0, dtype=np.float64)
    weights = np.linalg.lstsq(features, train.labels - train.labels.mean())[0]
    return {
        "nothing, at random": np.random.default_rng(seed).random(test.n_docs),
        **{f"feature {number}, {what}": test.features[:, number - 1] for number, what in _FEATURES.items()},
        f"all {test.n_features} features, by least squares": test.features @ weights,
    }


def _table(test: RankingData, rankers: Mapping[str, Floats]) -> Table:
    """One row a ranker: the shares of labels in its top documents."""
    import numpy as np

    from idealrank import _core, _threads

    def row(name: str, scores: Floats) -> list[str | float]:
        order = _core.order(np.ascontiguousarray(scores, np.float64), test.offsets, _threads.resolve(None))
        top = test.labels[order[test.offsets[:-1, None] + np.arange(_TOP)]]
        return [name, float(np.mean(top >= 1)), float(np.mean(top == 2))]

    columns = [Column("ranked by"), Column("clicked", ".1%"), Column("label 2", ".1%")]
    return Table(columns, [row(name, scores) for name, scores in rankers.items()])


def _report(test: RankingData, rankers: Mapping[str, Floats], path: str, seed: int, *, quiet: bool) -> None:
    from idealrank.cli import reporting
    from idealrank.comparison import compare
    from idealrank.evaluation import evaluate
    from idealrank.report import over_cutoffs

    measures = [f"ndcg@{_TOP}", f"p@{_TOP}"]
    baseline = next(name for name in rankers if name.startswith("feature"))
    found = compare(test, rankers, measures, baseline=baseline, seed=seed)
    reporting.write(found, path, curves=evaluate(test, rankers, over_cutoffs(measures)), quiet=quiet)
