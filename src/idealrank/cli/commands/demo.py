"""``idealrank demo``: a click log, four rankers trained on it, and what tells them apart, on one screen."""

from __future__ import annotations

import os
import sys
import tempfile
import textwrap
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

import idealrank
from idealrank._core.extras import require
from idealrank._present.table import render
from idealrank._typing import Floats
from idealrank.cli.support.help import Command
from idealrank.cli.support.output_files import check_target
from idealrank.cli.support.shared_options import debug_option, format_option, html_option, quiet_option
from idealrank.cli.support.terminal import echo, is_rich

if TYPE_CHECKING:
    from idealrank.data.ranking import RankingData

__all__ = ["command"]

_FEATURE = "feature 1"
#: NDCG with the four discounts of Wang et al. 2013, by what the table calls them.
_MEASURES = {
    "log": "ndcg",
    "r^-1/2": "ndcg(discount=power:0.5)",
    "2^-r": "ndcg(discount=geometric:2)",
    "log, n/5": "ndcg@20%",
}


@click.command("demo", cls=Command)
@click.option(
    "--queries", type=click.IntRange(5), default=40, show_default=True, metavar="N", help="Number of queries."
)
@click.option(
    "--docs", type=click.IntRange(10), default=5000, show_default=True, metavar="N", help="Documents per query."
)
@click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, metavar="N", help="Seed of the generated click log."
)
@format_option
@html_option
@quiet_option
@debug_option
def command(queries: int, docs: int, seed: int, output_format: str, html_path: str | None, quiet: bool) -> None:
    """Train four rankers on a generated click log, and see which measure tells them apart.

    The clicks come from a simulated search engine: the label of a document is 2 if it has more than 1000 clicks, 1 if
    it has at least 100, and 0 otherwise. The training part of the log is written as LETOR text and read back. Four
    learners are trained on most of it, and keep the iteration that is best on the rest. They and the best single
    feature rank the test queries; the rankings are evaluated by NDCG with four discounts and compared pair by pair. A
    report is written to idealrank-demo.html, or to the file given by --html.

    With --format other than text, or --quiet, only the table is printed, and a report is written only with --html.
    """
    speak = output_format == "text" and not quiet
    if html_path is None and speak:
        html_path = "idealrank-demo.html"
    if html_path is not None:
        check_target(html_path)
    _check_extras(html_path)
    if speak:
        click.echo(f"idealrank {idealrank.__version__}: a generated click log, seed {seed}\n")

    from idealrank.comparison.compare import compare
    from idealrank.data import datasets
    from idealrank.theory import distinguish

    parts = datasets.web_search(queries, docs, seed=seed)
    train, speed = _through_a_file(parts.train)
    if speak:
        click.echo(f"{_summary('train', train)}\n{_summary('test', parts.test)}\n{speed}\n")
    scores = _scores(train, parts.test, seed, verbose=speak and is_rich(sys.stderr))
    measures = list(_MEASURES.values())
    compared = compare(parts.test, scores, measures, test="randomization", seed=seed, for_report=html_path is not None)
    means = {name: each.mean for name, each in compared.means[_MEASURES["log"]].items() if name != _FEATURE}
    first, second = sorted(means, key=lambda name: -means[name])[:2]
    two = {name: scores[name] for name in (first, second)}
    told = distinguish(parts.test, two, measures, seed=seed).pairs[0]
    found = compared.table("letters")
    names = ("id", "NDCG of test queries", *_MEASURES)
    columns = [replace(column, name=name) for column, name in zip(found.columns, names, strict=True)]
    echo(render(replace(found, columns=columns, notes=(), caption=""), output_format), nl=False)
    if speak:
        tested = f"paired randomization test, {compared.correction.capitalize()}, 5%"
        letters = f"Letters: the systems that a system is significantly better than ({tested})."
        seen = f"{letters} For the best two, {told.advice}."
        click.echo("\n" + textwrap.fill(seen, 80))
        click.echo(_NEXT, nl=False)
    if html_path is not None:
        from idealrank.cli.support.showing import write_report

        write_report(compared, html_path, parts=[told.details()], quiet=quiet)


def _check_extras(html_path: str | None) -> None:
    """Raise a MissingExtraError before any work is done, not after it."""
    require("sklearn", for_="the demo")
    if html_path is not None:
        require("matplotlib", for_="the report")


_NEXT = """
Try next
  idealrank train train.txt --out model.json   a ranker from LETOR, CSV, Parquet
  idealrank evaluate test.txt scores.txt       any measure, any tool's numbers
  idealrank compare qrels.txt old.run new.run  is the difference real?
"""


def _through_a_file(data: RankingData) -> tuple[RankingData, str]:
    """Return the data after a round trip through a LETOR file, and how fast that was."""
    with tempfile.TemporaryDirectory(prefix="idealrank-") as folder:
        path = os.path.join(folder, "train.txt")
        begin = time.perf_counter()
        idealrank.io.write_letor(data, path)
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


def _scores(train: RankingData, test: RankingData, seed: int, *, verbose: bool) -> dict[str, Floats]:
    """Return {ranker: one score per test document}: the best single feature, and four learners."""
    import numpy as np

    from idealrank import learners

    fitted, validation = train.split([0.8, 0.2], seed=seed)
    common: dict[str, Any] = {"normalize": "zscore", "max_iter": 40, "patience": 5, "verbose": verbose}
    rankers = {
        "least squares": learners.LeastSquaresRanker(**common),
        "ListNet": learners.ListNet(**common),
        "RankSVM": learners.RankSVM(C=1e-6, **common),
        "ApproxNDCG": learners.ApproxNDCGRanker(**common),
    }
    scores = {_FEATURE: np.asarray(test.known_features()[:, 0], np.float64)}
    for name, ranker in rankers.items():
        scores[name] = ranker.fit(fitted, eval_set=validation).predict(test)
    return scores
