"""``idealrank reproduce``: a paper's experiment, done again."""

from __future__ import annotations

import os
from importlib import import_module

import click

from idealrank.cli.help import Command
from idealrank.cli.options import debug_option, format_option, quiet_option

__all__ = ["command"]

#: Experiments, and what they are about.
_EXPERIMENTS = {
    "jin2013": "linear NDCG and misordered pairs",
    "wang2013": "four discounts along lists that grow",
}
_HELP = """\
Do a paper's EXPERIMENT again: a table of its claims with what is seen here, and its figures.

\b
wang2013   four discounts along lists that grow (Figures 1 to 4)
jin2013    linear NDCG and misordered pairs (Figures 1 to 3)

\b
Examples:
  idealrank reproduce wang2013 --figures out
  idealrank reproduce wang2013 --data train.txt
  idealrank reproduce jin2013 --format markdown
"""


@click.command("reproduce", cls=Command, help=_HELP)
@click.argument("experiment", type=click.Choice(list(_EXPERIMENTS)))
@click.option("--data", metavar="FILE", help="LETOR text in the place of the embedded data.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, metavar="N", help="Of what is drawn.")
@click.option("--figures", metavar="FOLDER", help="Write the figures there, as SVG.")
@format_option
@quiet_option
@debug_option
def command(experiment: str, data: str | None, seed: int, figures: str | None, output_format: str, quiet: bool) -> None:
    """Do an experiment again."""
    from idealrank.cli.progress import reading
    from idealrank.cli.same_documents import save_picture
    from idealrank.cli.tables import show
    from idealrank.cli.terminal import note
    from idealrank.io.letor import read_letor

    documents = None
    if data is not None:
        with reading(data, quiet=quiet) as progress:
            documents = read_letor(data, progress=progress)
    found = import_module(f"idealrank.experiments.{experiment}").reproduce(documents, seed=seed)
    show(found.table(), output_format)
    if figures is not None:
        os.makedirs(figures, exist_ok=True)
        for name, figure in found.figures.items():
            path = os.path.join(figures, f"{experiment}-{name}.svg")
            save_picture(figure, path)
            note(f"wrote {path}", quiet=quiet)
