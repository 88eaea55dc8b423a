"""What a fitted ranker learned from: its data, its score on each part, and the iteration that was kept."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import issparse

from idealrank._present.json_values import Plain, plain
from idealrank._present.page import Figure, Page, Section, Statement
from idealrank._present.result import Result
from idealrank._present.table import Column, Table, Value
from idealrank.data.ranking import RankingData
from idealrank.evaluation.scorer import mean_value
from idealrank.learners.iterative import kept_iterations
from idealrank.measures import measure

#: Most training queries on which features are compared: a data set may have hundreds of features.
_MOST_QUERIES = 1_000
#: Most features that are compared: each takes some milliseconds.
_MOST_FEATURES = 2_000


@dataclass(frozen=True)
class TrainingSummary(Result):
    """The parts of the data with the ranker's score on each.

    Parameters
    ----------
    ranker : Learner
        The fitted ranker.
    parts : tuple of tuples
        (name of the part, source, numbers of queries and of documents, score, score of the baseline) of each part.
    baseline : str
        The single feature that ranks the training queries best; empty if features are not compared.

    Examples
    --------
    >>> from idealrank import datasets, learners
    >>> data = datasets.web_search(4, 10, seed=0).train
    >>> summary = summarize_training(learners.LeastSquaresRanker(l2=1.0).fit(data), {"train": data})
    >>> summary.parts[0][:4] == ("train", "", data.n_queries, data.n_docs)
    True
    """

    ranker: Any
    parts: tuple[tuple[str, str, int, int, float, float], ...]
    baseline: str = ""

    def to_dict(self) -> dict[str, Plain]:
        """Return the learner, its options, the iteration that was kept, and the score on each part."""
        names = ("part", "file", "queries", "documents", str(self.ranker.measure), "baseline")
        return {
            "learner": self.ranker.label,
            "options": {name: str(value) for name, value in self._changed_options().items()},
            "n_features": int(self.ranker.n_features_in_),
            "baseline": self.baseline,
            "best_iteration": plain(getattr(self.ranker, "best_iteration_", None)),
            "parts": [plain(dict(zip(names, part, strict=True))) for part in self.parts],
        }

    def tables(self) -> Mapping[str, Table]:
        """Return the table "training": a row per part of the data."""
        columns = [Column("part"), Column("file"), Column("queries", ","), Column("documents", ",")]
        names = (str(self.ranker.measure), *(["baseline"] if self.baseline else []))
        columns += [Column(name, ".4f") for name in names]
        rows: list[tuple[Value, ...]] = [row[: len(columns)] for row in self.parts]
        return {"training": Table(columns, rows)}

    def page(self) -> Page:
        """Return the table, how the ranker was trained, and its learning curve."""
        return Page(
            f"Trained ranker: {self.ranker.label}",
            findings=tuple(self._findings()),
            summary=(Section(tables=self.tables()),),
            remarks=tuple(self._remarks()),
            sections=lambda: [
                Section("Training", parts=(Section(tables=self.tables()), Section(figures=self._figures())))
            ],
        )

    def _findings(self) -> Iterator[Statement]:
        """Yield the score on the last part, and its difference from that of the baseline."""
        part, _, _, _, score, baseline = self.parts[-1]
        if not math.isnan(score - baseline):
            yield Statement(
                "score of a trained ranker",
                f"{part} {self.ranker.measure}: {score:.4f}, {score - baseline:+z.4f} from the baseline, the best "
                f"single feature in training ({self.baseline}: {baseline:.4f}).",
            )

    def _changed_options(self) -> dict[str, Any]:
        defaults = type(self.ranker)()
        given = self.ranker.get_params()
        return {name: value for name, value in given.items() if value != getattr(defaults, name) and name != "verbose"}

    def _remarks(self) -> list[str]:
        ranker = self.ranker
        options = ", ".join(f"{name}={value}" for name, value in self._changed_options().items())
        lines = [f"{ranker.label}{': ' if options else ''}{options}; {ranker.n_features_in_:,} features"]
        if getattr(ranker, "l2_", None) is not None and ranker.l2 is None and ranker.loss is None:
            lines.append(
                f"ridge regression with the loss and the penalty that rank best: {ranker.loss_}, l2={ranker.l2_:.3g}"
            )
        if getattr(ranker, "history_", None):
            n_iterations, most = len(ranker.history_) - 1, getattr(ranker, "max_iter", None)
            stages = f" (max_iter={most} limits each stage)" if most is not None and n_iterations > most else ""
            lines += [
                f"{each.stage}{': ' if each.stage else ''}{each} is kept{stages}" for each in kept_iterations(ranker)
            ]
        return lines

    def _figures(self) -> tuple[Figure, ...]:
        history = getattr(self.ranker, "history_", None)
        if not history:
            return ()
        kept = kept_iterations(self.ranker)
        if len(kept) > 1:
            described = "; ".join(f"{each.stage}: {each} is the best" for each in kept)
            caption = "Learning curves of the losses; dashed lines mark the iterations that were kept"
            return (Figure("learning_curve", (self.ranker,), caption, described),)
        described = f"{str(kept[0]).capitalize()} is the best"
        caption = "Learning curve; the dashed line marks the iteration that was kept"
        if len({entry.get("stage") for entry in history}) > 1:
            caption += ", and the line is interrupted where a new stage of the training begins"
        return (Figure("learning_curve", (self.ranker,), caption, described),)


def summarize_training(
    ranker: Any, parts: Mapping[str, RankingData], sources: Mapping[str, str] | None = None
) -> TrainingSummary:
    """Score a fitted ranker on the parts of its data.

    Parameters
    ----------
    ranker : Learner
        The fitted ranker.
    parts : mapping of str to RankingData
        The data by the name of its part, such as "train" and "validation".
    sources : mapping of str to str, optional
        The file of each part.

    Returns
    -------
    TrainingSummary
        The summary.
    """
    files = sources or {}
    first = next(iter(parts.values()))
    best, baseline = None, ""
    if first.n_features <= _MOST_FEATURES:
        feature, sign = best = _best_feature(ranker, first)
        name = f"feature {feature + 1}" if first.feature_names is None else first.feature_names[feature]
        baseline = f"{'-' if sign < 0 else ''}{name}"
    rows = []
    for name, part in parts.items():
        values = float(ranker.score(part)), math.nan if best is None else _value(ranker, part, *best)
        rows.append((name, files.get(name, ""), part.n_queries, part.n_docs, *values))
    return TrainingSummary(ranker, tuple(rows), baseline)


def _best_feature(ranker: Any, data: RankingData) -> tuple[int, float]:
    """Return the feature, and its sign, that ranks the first training queries best by the measure of the ranker."""
    first = data.subset(np.arange(min(data.n_queries, _MOST_QUERIES)))
    better = -1.0 if measure(ranker.measure).lower_is_better else 1.0
    tried = [(feature, sign) for feature in range(data.n_features) for sign in (1.0, -1.0)]
    return max(tried, key=lambda each: np.nan_to_num(better * _value(ranker, first, *each), nan=-np.inf))


def _value(ranker: Any, data: RankingData, feature: int, sign: float) -> float:
    """Return the mean measure of the documents sorted by one feature; missing values rank last."""
    column: Any = data.known_features()[:, [feature]]
    scores = sign * np.asarray(column.toarray() if issparse(column) else column, np.float64).ravel()
    return mean_value(measure(ranker.measure), data.lists(np.nan_to_num(scores, nan=-np.inf), ranker.n_threads))
