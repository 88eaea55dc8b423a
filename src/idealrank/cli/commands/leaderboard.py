"""``idealrank leaderboard``: systems compared over many data sets."""

from __future__ import annotations

import os
from typing import Any

import click

from idealrank.cli.support.result_command import Display, ResultCommand
from idealrank.cli.support.shared_options import count, digits_option, level_option, like_option, seed_option


@click.command("leaderboard", cls=ResultCommand)
@click.argument("folders", nargs=-1, required=True)
@click.option(
    "-m",
    "--measure",
    metavar="MEASURE",
    help="The measure; by default, ndcg@10, or with --results the main measure of each task.",
)
@like_option
@click.option("--results", "are_results", is_flag=True, help="The folders contain MTEB's result files.")
@click.option("--baseline", metavar="NAME", help="The system to test the others against.")
@click.option(
    "--weights",
    type=click.Choice(["equal", "queries"]),
    default="equal",
    metavar="equal|queries",
    help="Weight data sets equally (the default), or by their number of queries.",
)
@click.option(
    "--over",
    type=click.Choice(["queries", "datasets"]),
    metavar="queries|datasets",
    help="What ranks and intervals generalize to: other queries of these data sets (the default), or other data sets.",
)
@click.option("--split", default="test", show_default=True, metavar="NAME", help="The split of BEIR data sets.")
@level_option
@click.option(
    "--method",
    type=click.Choice(["t", "randomization", "bootstrap"]),
    default="t",
    metavar="t|randomization|bootstrap",
    help="The test of all pairs that gives the ranks: t tests with Holm's correction (the default), or the largest "
    "studentized difference under random swaps of the systems or resampled queries.",
)
@click.option(
    "--permutations",
    "n_permutations",
    **count(1, 10_000),
    help="Number of permutations in the tests against the baseline.",
)
@seed_option
@digits_option
def command(
    folders: tuple[str, ...], measure: str | None, are_results: bool, digits: int, display: Display, **options: Any
) -> None:
    """Compare systems over many data sets: which one is first, and which are tied with it.

    The first of FOLDERS contains the data sets: folders of BEIR data sets, with qrels/test.tsv, or one file of
    judgments per data set. Each other folder contains the runs of one system, one file per data set and named after
    it (nfcorpus.run, or NFCorpus_predictions.json of MTEB). A system is named after its folder, or NAME if it is
    given as NAME=FOLDER. With --results, there are no data sets: each folder contains MTEB's result files of one
    model.

    'rank range' shows the ranks that a system could have with other queries. The ranges hold for all systems at once,
    with confidence 1 - LEVEL.

    \b
    Examples:
      idealrank leaderboard beir/ runs/bm25 runs/e5 runs/bge -m ndcg@10
      idealrank leaderboard qrels/ old=runs/v1 new=runs/v2 --baseline old
      idealrank leaderboard --results results/e5 results/bge --format latex
    """
    systems = _named(folders if are_results else folders[1:])
    if len(systems) < 2:
        what = "folders of two models" if are_results else "the folder of data sets, then folders of two systems"
        raise click.UsageError(f"at least 2 systems are needed, got {len(systems)}: give {what} or more.")

    from idealrank.comparison.leaderboards.leaderboard import leaderboard

    with display.working("reading data sets") as say_that:
        options["progress"] = lambda name, number, n: say_that(f"evaluating {name}, {number} of {n} data sets")
        result = leaderboard(None if are_results else folders[0], measure, systems=systems, **options)
    display.show(result, digits=digits)


def _named(folders: tuple[str, ...]) -> dict[str, str]:
    """Return {system: folder} of NAME=FOLDER, or of folders, whose names are those of the systems."""
    systems: dict[str, str] = {}
    for text in folders:
        name, equals, path = text.partition("=")
        is_whole = not equals or not name or os.path.isdir(text)
        system, folder = (os.path.basename(os.path.normpath(text)), text) if is_whole else (name, path)
        if system in systems:
            raise click.UsageError(f"two systems are called {system!r}: give NAME=FOLDER.")
        systems[system] = folder
    return systems
