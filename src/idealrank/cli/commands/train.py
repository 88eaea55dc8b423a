"""``idealrank train``: fit a learner to a file of judged documents, and save it."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import click

from idealrank.cli.support.file_formats import kind_of_features
from idealrank.cli.support.help import Command
from idealrank.cli.support.shared_options import (
    OUTPUT,
    data_options,
    debug_option,
    format_option,
    html_option,
    quiet_option,
)

__all__ = ["command"]


@click.command("train", cls=Command)
@click.argument("data")
@click.option("--valid", metavar="FILE", help="Validation data, used to choose the best iteration.")
@click.option("--learner", default="linear", show_default=True, metavar="NAME", help="The learner.")
@click.option(
    "-o", "--out", type=OUTPUT, required=True, metavar="FILE", help="The model file: .json, .json.gz or .json.xz."
)
@click.option("--loss", metavar="LOSS", help="The loss to minimize, such as approx_ndcg(alpha=20).")
@click.option(
    "--normalize",
    type=click.Choice(["none", "minmax", "zscore"]),
    metavar="HOW",
    help="Scale features within each query: minmax, zscore or none (the default).",
)
@click.option("-m", "--measure", metavar="MEASURE", help="The validation measure; ndcg by default.")
@click.option("--l2", type=float, metavar="X", help="Strength of the L2 penalty on the weights.")
@click.option("--max-iter", type=int, metavar="N", help="Maximum number of iterations.")
@click.option("--seed", type=click.IntRange(0), metavar="N", help="Seed of the random number generator.")
@click.option(
    "--set", "others", multiple=True, metavar="OPTION=VALUE", help="Any option of the learner; may be repeated."
)
@html_option
@data_options
@format_option
@quiet_option
@debug_option
def command(
    data: str,
    valid: str | None,
    learner: str,
    out: str,
    loss: str | None,
    normalize: str | None,
    measure: str | None,
    l2: float | None,
    max_iter: int | None,
    seed: int | None,
    others: tuple[str, ...],
    html_path: str | None,
    from_kind: str | None,
    group: str | None,
    output_format: str,
    quiet: bool,
) -> None:
    """Train a ranker on the judged documents in DATA, and write it to a model file.

    DATA is LETOR text, Parquet or CSV, as for 'idealrank convert'. With --valid, the iteration that is best on the
    validation queries is kept. Ctrl-C stops the training early and keeps the best iteration so far.

    \b
    Learners are those of idealrank.learners, in snake case:
      linear, with any --loss of idealrank.losses
      approx_ndcg, approx_ap, list_net, rank_svm, rank_net, soft_rank ...
      --learner '?' lists all of them

    \b
    Examples:
      idealrank train train.txt --valid vali.txt --learner approx_ndcg \\
          --normalize minmax --out model.json
      idealrank train train.txt --loss list_mle --l2 0.01 --out model.json
      idealrank train train.txt --learner rank_svm --set C=0.1 --out m.json
    """
    paths = [data] if valid is None else [data, valid]
    kinds = [kind_of_features(path, from_kind) for path in paths]
    if group is not None and valid is not None:
        raise click.UsageError("--group applies to DATA only: sizes for --valid are read from FILE.query next to it.")
    named = {"loss": loss, "measure": measure, "l2": l2, "max_iter": max_iter, "random_state": seed}
    options: dict[str, Any] = {name: value for name, value in named.items() if value is not None}
    if normalize is not None:
        options["normalize"] = None if normalize == "none" else normalize
    for each in others:
        name, equals, text = each.partition("=")
        if not equals or not name:
            raise click.UsageError(f"--set takes OPTION=VALUE, got {each!r}.")
        options[name.strip()] = _value(text.strip())

    from idealrank.cli.support.training import train

    train(
        paths,
        kinds,
        learner,
        options,
        out=out,
        html_path=html_path,
        group=group,
        output_format=output_format,
        quiet=quiet,
    )


def _value(text: str) -> Any:
    """Return the number, true, false or none that the text is, or else the text."""
    words = {"true": True, "false": False, "none": None}
    if text.lower() in words:
        return words[text.lower()]
    for kind in (int, float):
        with suppress(ValueError):
            return kind(text)
    return text
