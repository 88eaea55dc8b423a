"""The table of commands, and the group that imports one of them when it is called."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import click

import idealrank
from idealrank.cli.support.command import Context
from idealrank.cli.support.failures import asks_for_json, debug_option, reported

_AS_JSON = "idealrank.json"

#: The commands by subject, with one-line helps; ``command`` in the module of that name is what runs.
_COMMANDS = {
    "Evaluate": {
        "evaluate": "Evaluate systems with any measure and any tool's conventions.",
        "compare": "Compare systems: differences and their significance.",
        "gate": "Pass or fail a changed system in continuous integration.",
        "explain": "Explain why two tools give different numbers.",
        "leaderboard": "Rank systems over many data sets, and show which are tied.",
        "power": "Plan how many queries are needed to detect a difference.",
    },
    "Judgments": {
        "bounds": "Bound a measure over all labels of unjudged documents.",
        "judge-next": "Choose the unjudged documents to judge next.",
    },
    "Train": {
        "train": "Train a ranker and save it to a file.",
        "score": "Score documents with a trained model.",
        "export": "Export a trained model to ONNX, RankLib, OpenSearch or Vespa.",
    },
    "Understand": {
        "distinguish": "Find which measures distinguish systems with the fewest queries.",
        "limits": "Show the limit of NDCG as lists grow.",
        "consistency": "Check whether losses are consistent with NDCG.",
        "reproduce": "Reproduce the experiment of a paper.",
    },
    "Tools": {
        "identify": "Identify what an unknown NDCG function computes.",
        "convert": "Convert between LETOR, TREC, Parquet, CSV and JSON files.",
        "agreement": "Compare rankings of systems without judgments: RBO and tau-AP.",
        "trec_eval": "Run trec_eval: the same flags and the same output.",
        "demo": "One run in every tool, why they disagree, which system is better.",
    },
}


class Commands(click.Group):
    """A group that imports a command when it is called, and reports any error in one line."""

    context_class = Context

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands in groups."""
        width = max(len(name) for commands in _COMMANDS.values() for name in commands)
        for subject, commands in _COMMANDS.items():
            with formatter.section(subject):
                formatter.write_dl([(name.ljust(width), line) for name, line in commands.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Import the command that the first argument names."""
        name, command, rest = super().resolve_command(ctx, args)
        return name, command and import_module(f"idealrank.cli.commands.{str(name).replace('-', '_')}").command, rest

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Parse the options before the command; ``--help`` and ``--version`` print from here."""
        as_json = asks_for_json(args)
        with reported(as_json=as_json):
            context = super().make_context(info_name, args, parent, **extra)
        context.meta[_AS_JSON] = as_json
        return context

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        with reported(as_json=ctx.meta[_AS_JSON]):
            return super().invoke(ctx)


@click.group(
    cls=Commands,
    name="idealrank",
    commands={
        name: click.Command(name, short_help=line) for lines in _COMMANDS.values() for name, line in lines.items()
    },
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="'idealrank COMMAND --help' explains a command.",
)
@click.version_option(idealrank.__version__, message="%(prog)s %(version)s", help="Show the version and exit.")
@debug_option
def commands() -> None:
    """Evaluate rankings with the NDCG family, compare rankers, and train them for a measure."""
