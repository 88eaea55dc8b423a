"""``idealrank reproduce``: reproduce the experiment of a paper."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

from idealrank._core.extras import require
from idealrank.cli.support.result_command import Display, ResultCommand
from idealrank.cli.support.shared_options import seed_option
from idealrank.experiments import papers
from idealrank.experiments.papers import ON_FOLDS, PAPERS

if TYPE_CHECKING:
    from idealrank.experiments.reproduction import Reproduction


@click.command("reproduce", cls=ResultCommand)
@click.argument("experiment", type=click.Choice(list(PAPERS)), metavar="PAPER")
@click.option(
    "--data",
    metavar="PATH",
    multiple=True,
    help="Data to use instead of the built-in data: a folder with S1.txt ... S5.txt or Fold1 ... Fold5, or a folder of "
    "such folders; may be repeated. For wang2013 also, and for jin2013 only, a file of LETOR text.",
)
@seed_option
@click.option("--quick", is_flag=True, help="Train only briefly, as a test; the numbers are meaningless.")
@click.option("--figures", metavar="FOLDER", help="Write the figures to this folder, as SVG.")
def command(
    experiment: str, data: tuple[str, ...], seed: int, quick: bool, figures: str | None, display: Display
) -> None:
    """Reproduce the experiment of a paper: its numbers, its figures, and whether its claims hold.

    Where a paper leaves a choice open (evaluation script, scaling of features, optimizer, seed), alternatives are tried
    one at a time: a claim holds, fails or is undecided, in some settings or in all.

    \b
    wang2013       four discounts as lists grow (Figures 1 to 4)
    jin2013        linear NDCG and misordered pairs (Figures 1 to 3)
    ravikumar2011  losses and their consistent versions (Table 1, Figures 1 to 6)
    qin2008        smooth NDCG and AP as losses (Tables 1 to 3, Figures 1 to 5)

    \b
    Examples:
      idealrank reproduce wang2013 --figures out
      idealrank reproduce wang2013 --data letor/OHSUMED --data letor/MQ2008
      idealrank reproduce jin2013 --format markdown --html page.html
      idealrank reproduce ravikumar2011 --data letor/MQ2008 --data letor/OHSUMED
      idealrank reproduce qin2008 --data letor/OHSUMED --html page.html
      idealrank reproduce qin2008 --quick
    """
    if figures is not None:
        require("matplotlib", for_="--figures")
        os.makedirs(figures, exist_ok=True)

    from idealrank.cli.support.terminal import is_rich

    if quick and experiment not in ON_FOLDS:
        long = " and ".join(sorted(ON_FOLDS))
        raise click.UsageError(f"--quick is for {long}, which train for long; leave it out for {experiment}.")
    if len(data) > 1 and experiment == "jin2013":
        raise click.UsageError(f"{experiment} reads one file: give --data once.")
    verbose = not display.quiet and is_rich(sys.stderr)
    result = papers.reproduce(experiment, data or None, seed=seed, quick=quick, verbose=verbose)
    if figures is not None:
        _write_figures(result, os.path.join(figures, experiment), quiet=display.quiet)
    display.show(result)


def _write_figures(reproduced: Reproduction, stem: str, *, quiet: bool) -> None:
    from idealrank.cli.support.result_command import save_picture
    from idealrank.cli.support.terminal import note

    for name, figure in reproduced.figures.items():
        path = f"{stem}-{name}.svg"
        save_picture(figure, path)
        note(f"wrote {path}", quiet=quiet)
