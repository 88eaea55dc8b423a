"""The table of commands, and the group that imports one of them when it is called."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import click

import idealrank
from idealrank.cli.support.failures import reported
from idealrank.cli.support.help import Context
from idealrank.cli.support.options import debug_option

__all__ = ["commands"]

#: Name and one-line help; ``command`` in the module of that name is what runs.
_COMMANDS = {
    "compare": "Compare systems: differences, and whether they are real.",
    "consistency": "Find out whether losses lead to the best NDCG.",
    "convert": "Convert between LETOR, TREC, Parquet and CSV files.",
    "demo": "Train four rankers on a small click log, and tell them apart.",
    "distinguish": "Tell which measures separate systems, and how soon.",
    "evaluate": "Measure systems by any of the measures, under any convention.",
    "explain": "Explain why two tools give different numbers.",
    "limits": "Tell where NDCG is going as lists grow.",
    "power": "Plan how many queries show a difference.",
    "reproduce": "Do a paper's experiment again.",
    "score": "Score documents by a trained model.",
    "train": "Train a ranker, and keep it in a file.",
    "trec_eval": "NIST's trec_eval: the same flags, the same output.",
}


class Commands(click.Group):
    """Commands known by name and one-line help until one is called, and failures of any of them said in one line."""

    context_class = Context

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Import the command that the first argument names."""
        name, found, rest = super().resolve_command(ctx, args)
        return name, found and import_module(f"idealrank.cli.commands.{name}").command, rest

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Parse the options before the command; ``--help`` and ``--version`` print from here."""
        with reported():
            return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        with reported():
            return super().invoke(ctx)


@click.group(
    cls=Commands,
    name="idealrank",
    commands={name: click.Command(name, short_help=line) for name, line in _COMMANDS.items()},
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="'idealrank COMMAND --help' explains a command.",
)
@click.version_option(idealrank.__version__, message="%(prog)s %(version)s", help="Show the version and exit.")
@debug_option
def commands() -> None:
    """Measure rankings with the NDCG family, tell rankers apart, and train them for the measure you chose."""
