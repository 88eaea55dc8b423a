"""``idealrank reproduce``: a paper's experiment, done again."""

from __future__ import annotations

import os
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from idealrank.cli.help import Command
from idealrank.cli.options import debug_option, format_option, html_option, quiet_option

if TYPE_CHECKING:
    from idealrank.experiments.results import Reproduction

__all__ = ["command"]

#: Experiments, and what they are about.
_EXPERIMENTS = {
    "jin2013": "linear NDCG and misordered pairs",
    "wang2013": "four discounts along lists that grow",
}
_HELP = """\
Do a paper's EXPERIMENT again: a table of its claims with what is seen here, its numbers, and its figures.

\b
wang2013   four discounts along lists that grow (Figures 1 to 4)
jin2013    linear NDCG and misordered pairs (Figures 1 to 3)

\b
Examples:
  idealrank reproduce wang2013 --figures out
  idealrank reproduce wang2013 --data train.txt
  idealrank reproduce jin2013 --format markdown --html page.html
"""


@click.command("reproduce", cls=Command, help=_HELP)
@click.argument("experiment", type=click.Choice(list(_EXPERIMENTS)))
@click.option("--data", metavar="FILE", help="LETOR text in the place of the embedded data.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, metavar="N", help="Of what is drawn.")
@click.option("--figures", metavar="FOLDER", help="Write the figures there, as SVG.")
@html_option
@format_option
@quiet_option
@debug_option
def command(
    experiment: str,
    data: str | None,
    seed: int,
    figures: str | None,
    html_path: str | None,
    output_format: str,
    quiet: bool,
) -> None:
    """Do an experiment again."""
    from idealrank.cli.progress import reading
    from idealrank.cli.tables import show_titled
    from idealrank.io.letor import read_letor

    documents = None
    if data is not None:
        with reading(data, quiet=quiet) as progress:
            documents = read_letor(data, progress=progress)
    found: Reproduction = import_module(f"idealrank.experiments.{experiment}").reproduce(documents, seed=seed)
    show_titled({"Claims": found.table(), **found.tables}, found.notes, output_format)
    if figures is not None:
        _write_figures(found, os.path.join(figures, experiment), quiet=quiet)
    if html_path is not None:
        _write_page(found, f"{experiment}: {_EXPERIMENTS[experiment]}", html_path, quiet=quiet)


def _write_figures(found: Reproduction, stem: str, *, quiet: bool) -> None:
    from idealrank.cli.same_documents import save_picture
    from idealrank.cli.terminal import note

    os.makedirs(os.path.dirname(stem), exist_ok=True)
    for name, figure in found.figures.items():
        path = f"{stem}-{name}.svg"
        save_picture(figure, path)
        note(f"wrote {path}", quiet=quiet)


def _write_page(found: Reproduction, title: str, path: str, *, quiet: bool) -> None:
    """The claims with the figures, then the other tables; above them what was chosen."""
    from idealrank.cli.reporting import write_tables
    from idealrank.report import Part

    pictures = tuple((partial(_axes, figure), name, _told(figure)) for name, figure in found.figures.items())
    others = [Part(name, table) for name, table in found.tables.items()]
    write_tables(title, found.notes, [Part("Claims", found.table(), pictures), *others], path, quiet=quiet)


def _axes(figure: Any) -> Any:
    return figure.axes[0]


def _told(figure: Any) -> str:
    """A figure in words: what it is of, and what is drawn."""
    axes = _axes(figure)
    drawn = ", ".join(axes.get_legend_handles_labels()[1])
    return f"{axes.get_title()}; {axes.get_ylabel()} by {axes.get_xlabel()}: {drawn}"
