"""``idealrank train``: fit a learner to a file of judged documents, and save it."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import click

from idealrank.cli.support.failures import Interrupted
from idealrank.cli.support.result_command import Display, ResultCommand
from idealrank.cli.support.shared_options import (
    OUTPUT,
    count,
    data_options,
    feature_column_options,
    kind_of_features,
    named_columns,
)
from idealrank.cli.support.terminal import is_rich, note, notes, reading
from idealrank.data.ranking import RankingData
from idealrank.io.conversion import read_alike
from idealrank.learners.estimators import ConvergenceWarning
from idealrank.learners.files.models import check_savable, save
from idealrank.learners.learner_names import learner as learner_named
from idealrank.learners.learner_names import options_of
from idealrank.learners.training_summary import summarize_training

#: What the files are called.
_PARTS = ("train", "validation")


class TrainCommand(ResultCommand):
    """The command, which lists learners and losses."""

    def listed(self, option: str) -> Iterable[str]:
        """Return the names of learners or of losses."""
        if option == "--learner":
            from idealrank.learners.learner_names import LEARNERS

            return sorted(LEARNERS.members())
        if option == "--loss":
            from idealrank.losses.loss_names import LOSSES

            return sorted(LOSSES.members())
        return ()


def _fit(ranker: Any, parts: Sequence[RankingData], *, quiet: bool) -> bool:
    """Fit to the first part, with the second to validate by; return whether Ctrl-C ended it at the best iteration."""
    interrupted = False
    try:
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always", ConvergenceWarning)
            ranker.fit(parts[0], eval_set=parts[1] if len(parts) > 1 else None)
    except KeyboardInterrupt:
        if not ranker.__sklearn_is_fitted__():
            raise
        interrupted = True
    for each in seen:
        note(f"warning: {each.message}", quiet=quiet)
    return interrupted


@click.command("train", cls=TrainCommand)
@click.argument("data")
@click.option("--valid", metavar="FILE", help="Validation data, used to choose the best iteration.")
@click.option("--learner", default="linear", show_default=True, metavar="NAME", help="The learner; '?' lists all.")
@click.option(
    "-o", "--out", type=OUTPUT, required=True, metavar="FILE", help="The model file: .json, .json.gz or .json.xz."
)
@click.option("--loss", metavar="LOSS", help="The loss to minimize, such as approx_ndcg(alpha=20); '?' lists all.")
@click.option(
    "--normalize",
    type=click.Choice(["none", "minmax", "zscore"]),
    metavar="HOW",
    help="Scale features within each query: minmax, zscore or none (the default).",
)
@click.option("-m", "--measure", metavar="MEASURE", help="The validation measure; ndcg by default.")
@click.option("--l2", type=float, metavar="X", help="Strength of the L2 penalty on the weights.")
@click.option("--max-iter", type=int, metavar="N", help="Maximum number of iterations.")
@click.option("--seed", **count(0), help="Seed of the random number generator.")
@click.option(
    "--set", "others", multiple=True, metavar="OPTION=VALUE", help="Any option of the learner; may be repeated."
)
@feature_column_options("query", "label", "doc", "weight")
@data_options
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
    from_kind: str | None,
    group: str | None,
    display: Display,
    **columns: str | None,
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
      idealrank train log.parquet --query session --label clicked --out m.json
    """
    paths = [data] if valid is None else [data, valid]
    kinds = [kind_of_features(path, from_kind) for path in paths]
    named = named_columns(data, kinds, **columns)
    if group is not None and valid is not None:
        raise click.UsageError("--group applies to DATA only: sizes for --valid are read from FILE.query next to it.")
    given = {"loss": loss, "measure": measure, "l2": l2, "max_iter": max_iter, "random_state": seed}
    options: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    if normalize is not None:
        options["normalize"] = None if normalize == "none" else normalize
    for each in others:
        name, equals, text = each.partition("=")
        if not equals or not name:
            raise click.UsageError(f"--set takes OPTION=VALUE, got {each!r}.")
        options[name.strip()] = _value(text.strip())
    ranker: Any = learner_named(learner, options)
    check_savable(ranker, out)
    quiet = display.quiet
    parts = read_alike(paths, kinds, named, group=group, reading=partial(reading, quiet=quiet))
    for part in parts:
        notes(part.problems, quiet=quiet)
    if "verbose" in options_of(type(ranker)) and not quiet and is_rich(sys.stderr):
        ranker.set_params(verbose=True)
    interrupted = _fit(ranker, parts, quiet=quiet)
    save(ranker, out)
    summary = summarize_training(ranker, dict(zip(_PARTS, parts, strict=False)), dict(zip(_PARTS, paths, strict=False)))
    if out == "-":
        for line in summary.page().remarks:
            note(line, quiet=quiet)
        if display.html_path is not None:
            display.write_report(summary, display.html_path)
    else:
        display.show(summary)
    note(f"the model is in {'standard output' if out == '-' else out}", quiet=quiet)
    if interrupted:
        note(f"training was interrupted: {out} has the best iteration so far", quiet=False)
        raise Interrupted("interrupted")


def _value(text: str) -> Any:
    """Return the number, true, false or none that the text is, or else the text."""
    words = {"true": True, "false": False, "none": None}
    if text.lower() in words:
        return words[text.lower()]
    for kind in (int, float):
        with suppress(ValueError):
            return kind(text)
    return text
