"""``idealrank leaderboard``: systems compared over many data sets."""

from __future__ import annotations

import os

import click

from idealrank.cli.support.help import Command
from idealrank.cli.support.shared_options import (
    debug_option,
    digits_option,
    format_option,
    html_option,
    level_option,
    like_option,
    quiet_option,
    seed_option,
)


@click.command("leaderboard", cls=Command)
@click.argument("folders", nargs=-1, required=True)
@click.option(
    "-m",
    "--measure",
    metavar="MEASURE",
    help="The measure; by default, ndcg@10, or with --results the main measure of each task.",
)
@like_option
@click.option("--results", "are_results", is_flag=True, help="The folders have MTEB's result files.")
@click.option("--baseline", metavar="NAME", help="The system that the others are tested against.")
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
    type=click.IntRange(1),
    default=10_000,
    show_default=True,
    metavar="N",
    help="Number of permutations in the tests against the baseline.",
)
@seed_option
@digits_option
@format_option
@html_option
@quiet_option
@debug_option
def command(
    folders: tuple[str, ...],
    measure: str | None,
    like: str | None,
    are_results: bool,
    baseline: str | None,
    weights: str,
    over: str | None,
    split: str,
    level: float,
    method: str,
    n_permutations: int,
    seed: int,
    digits: int,
    output_format: str,
    html_path: str | None,
    quiet: bool,
) -> None:
    """Compare systems over many data sets: which one is first, and which are tied with it.

    The first of FOLDERS has the data sets: folders of BEIR data sets, with qrels/test.tsv, or one file of judgments per
    data set. Each other folder has the runs of one system, one file per data set, with the name of the data set
    (nfcorpus.run, or NFCorpus_predictions.json of MTEB). A system has the name of its folder, or NAME if it is given as
    NAME=FOLDER. With --results, there are no data sets: each folder has MTEB's result files of one model.

    'rank range' has the ranks that a system could have with other queries. The ranges hold for all systems at once,
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

    from idealrank.cli.support.showing import show
    from idealrank.cli.support.terminal import working
    from idealrank.comparison.leaderboards.leaderboard import leaderboard

    with working("reading data sets", quiet=quiet) as say_that:
        found = leaderboard(
            None if are_results else folders[0],
            measure,
            systems=systems,
            split=split,
            baseline=baseline,
            like=like,
            weights=weights,
            over=over,
            level=level,
            method=method,
            n_permutations=n_permutations,
            seed=seed,
            progress=lambda name, number, n: say_that(f"evaluating {name}, {number} of {n} data sets"),
        )
    show(found, output_format, quiet=quiet, html_path=html_path, digits=digits)


def _named(folders: tuple[str, ...]) -> dict[str, str]:
    """Return {system: folder} of NAME=FOLDER, or of folders, whose names are those of the systems."""
    found: dict[str, str] = {}
    for text in folders:
        name, equals, path = text.partition("=")
        is_whole = not equals or not name or os.path.isdir(text)
        system, folder = (os.path.basename(os.path.normpath(text)), text) if is_whole else (name, path)
        if system in found:
            raise click.UsageError(f"two systems are called {system!r}: give NAME=FOLDER.")
        found[system] = folder
    return found
