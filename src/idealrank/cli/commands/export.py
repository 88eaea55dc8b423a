"""``idealrank export``: a model file for another tool."""

from __future__ import annotations

import click

from idealrank._core.extras import require
from idealrank.cli.support.command import Command
from idealrank.cli.support.shared_options import OUTPUT, one_of


@click.command("export", cls=Command)
@click.argument("model")
@click.argument("file", type=OUTPUT)
@click.option(
    "--to", "tool", required=True, **one_of("onnx ranklib elasticsearch opensearch vespa", "TOOL", "The tool: {}.")
)
@click.option("--name", metavar="NAME", help="The name of the model in the plugin, or of the rank profile.")
@click.option(
    "--features",
    metavar="NAMES",
    help="Names of the features in the plugin or in Vespa, separated by commas; by default, as in the training data.",
)
def command(model: str, file: str, tool: str, name: str | None, features: str | None, quiet: bool) -> None:
    """Export the model in the file MODEL to FILE, in the format of another tool.

    MODEL is a file written by 'idealrank train' or learners.save: a linear model or boosted trees. The other tools
    score one document at a time, so the model must have been trained without --normalize.

    \b
    TOOL           FILE
    onnx           an ONNX graph, for onnxruntime and others
    ranklib        a RankLib model
    elasticsearch  a model for the learning-to-rank plugin
    opensearch     the same
    vespa          a rank profile

    \b
    Examples:
      idealrank export model.json model.onnx --to onnx
      idealrank export model.json body.json --to opensearch --name mine
      idealrank export model.json schemas/doc/mine.profile --to vespa \\
          --name mine --features 'bm25(title),bm25(body)'
    """
    by_name = tool not in ("onnx", "ranklib")
    if by_name and name is None:
        raise click.UsageError(f"--to {tool} needs --name.")
    if not by_name and (name is not None or features is not None):
        raise click.UsageError(f"--name and --features are not for {tool}.")
    if tool == "onnx":
        require("onnx", for_="--to onnx")

    from idealrank.cli.support.terminal import note
    from idealrank.learners.files import exports, models

    ranker = models.load(model)
    if by_name:
        write = exports.to_vespa if tool == "vespa" else exports.to_elasticsearch
        write(ranker, file, name=str(name), features=None if features is None else features.split(","))
    else:
        {"onnx": exports.to_onnx, "ranklib": exports.to_ranklib}[tool](ranker, file)
    note(f"the model for {tool} is in {file}", quiet=quiet)
