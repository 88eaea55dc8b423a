"""Reading, fitting and showing for ``idealrank train``."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from idealrank.cli.support.conversion import read_features
from idealrank.cli.support.failures import Interrupted
from idealrank.cli.support.printed_tables import Column, Table, show_with_remarks
from idealrank.cli.support.terminal import is_rich, note
from idealrank.data.ranking import RankingData
from idealrank.io.formats import Format, Frame
from idealrank.io.letor import widened
from idealrank.learners.estimators import ConvergenceWarning
from idealrank.learners.files.models import check_savable, save
from idealrank.learners.names import learner, options_of

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
    table, remarks = _table(ranker, paths, parts), _remarks(ranker, out)
    if out == "-":
        for line in remarks:
            note(line, quiet=quiet)
    else:
        show_with_remarks(table, remarks, output_format)
    if html_path is not None:
        _write_report(ranker, table, remarks, html_path, quiet=quiet)
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


def _table(ranker: Any, paths: Sequence[str], parts: Sequence[RankingData]) -> Table:
    columns = [Column("part"), Column("file"), Column("queries", ","), Column("documents", ",")]
    rows = [
        [name, path, part.n_queries, part.n_docs, ranker.score(part)]
        for name, path, part in zip(("train", "validation"), paths, parts, strict=False)
    ]
    return Table([*columns, Column(str(ranker.measure), ".4f")], rows)


def _remarks(ranker: Any, out: str) -> list[str]:
    changed = {name: value for name, value in ranker.get_params().items() if value != getattr(type(ranker)(), name)}
    options = ", ".join(f"{name}={value}" for name, value in changed.items() if name != "verbose")
    lines = [f"{ranker.label}{': ' if options else ''}{options}; {ranker.n_features_in_:,} features"]
    if getattr(ranker, "history_", None):
        n_iterations, most = len(ranker.history_) - 1, getattr(ranker, "max_iter", None)
        stages = f" (max_iter={most} limits each stage)" if most is not None and n_iterations > most else ""
        lines.append(f"iteration {ranker.best_iteration_:,} of {n_iterations:,} is kept{stages}")
    return [*lines, f"the model is in {'standard output' if out == '-' else out}"]


def _write_report(ranker: Any, table: Table, remarks: Sequence[str], path: str, *, quiet: bool) -> None:
    from idealrank.cli.support.reporting import write_sections
    from idealrank.report import Figure, Section

    figures = []
    if getattr(ranker, "history_", None):
        described = f"Iteration {ranker.best_iteration_} of {len(ranker.history_) - 1} is the best"
        caption = "Learning curve; the dashed line marks the iteration that was kept"
        if len({entry.get("stage") for entry in ranker.history_}) > 1:
            caption += ", and the line is interrupted where a new stage of the training begins"
        figures.append(Figure("learning_curve", (ranker,), caption, described))
    section = Section("Training", parts=(Section(tables={"Training": table}), Section(figures=tuple(figures))))
    title = f"Trained ranker: {ranker.label}"
    options, *others = remarks
    said = [f"{options}.", *(f"{line[0].upper()}{line[1:]}." for line in others)]
    write_sections(title, said, [section], path, quiet=quiet)
