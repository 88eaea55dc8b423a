"""Reading, fitting and showing for ``idealrank train``."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from idealrank.cli.support.conversion import read_features
from idealrank.cli.support.failures import Interrupted
from idealrank.cli.support.showing import show, write_report
from idealrank.cli.support.terminal import is_rich, note
from idealrank.data.ranking import RankingData
from idealrank.io.formats import Format, Frame
from idealrank.io.letor import widened
from idealrank.learners.estimators import ConvergenceWarning
from idealrank.learners.files.models import check_savable, save
from idealrank.learners.learner_names import learner, options_of
from idealrank.learners.training_summary import summarize_training

__all__ = ["train"]


def train(
    paths: Sequence[str],
    kinds: Sequence[Format],
    name: str,
    options: Mapping[str, Any],
    *,
    out: str,
    html_path: str | None,
    group: str | None,
    output_format: str,
    quiet: bool,
) -> None:
    """Fit the learner to the first file, with the second to validate by, and save it; an interrupt saves the best."""
    ranker: Any = learner(name, options)
    check_savable(ranker, out)
    parts = _read(paths, kinds, group=group, quiet=quiet)
    if "verbose" in options_of(type(ranker)) and not quiet and is_rich(sys.stderr):
        ranker.set_params(verbose=True)
    interrupted = False
    try:
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always", ConvergenceWarning)
            ranker.fit(parts[0], eval_set=parts[1] if len(parts) > 1 else None)
    except KeyboardInterrupt:
        if not ranker.__sklearn_is_fitted__():
            raise
        interrupted = True
    save(ranker, out)
    for each in seen:
        note(f"warning: {each.message}", quiet=quiet)
    names = ("train", "validation")[: len(parts)]
    sources = dict(zip(names, paths, strict=True))
    summary = summarize_training(ranker, dict(zip(names, parts, strict=True)), sources)
    if out == "-":
        for line in summary.page().remarks:
            note(line, quiet=quiet)
        if html_path is not None:
            write_report(summary, html_path, quiet=quiet)
    else:
        show(summary, output_format, quiet=quiet, html_path=html_path)
    note(f"the model is in {'standard output' if out == '-' else out}", quiet=quiet)
    if interrupted:
        note(f"training was interrupted: {out} has the best iteration so far", quiet=False)
        raise Interrupted("interrupted")


def _read(paths: Sequence[str], kinds: Sequence[Format], *, group: str | None, quiet: bool) -> list[RankingData]:
    """Read the files, their features in the order of the first."""
    parts: list[RankingData] = []
    for path, kind in zip(paths, kinds, strict=True):
        names = parts[0].feature_names if parts else None
        parts.append(read_features(path, kind, group=group, quiet=quiet, names=names))
    # LETOR text leaves out features that are 0; a frame has columns for all of them.
    width = max(part.n_features for part in parts)
    return [part if kind.holds is Frame else widened(part, width) for part, kind in zip(parts, kinds, strict=True)]
