"""Evaluation and comparison, share by share; the results are merged exactly."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from idealrank._core.checks import items_of
from idealrank._core.extras import needs
from idealrank.comparison.compare import ComparisonOptions
from idealrank.comparison.comparison_result import Comparison
from idealrank.errors import DataError, OptionError
from idealrank.evaluation.evaluation_result import Evaluation, Evaluations
from idealrank.evaluation.evaluator import Evaluator
from idealrank.evaluation.inputs import Measures, named_measures
from idealrank.evaluation.streaming import Summary, concatenated
from idealrank.integrations.dask.shares import Ends, Share, check_ends, shares_of
from idealrank.io.batches import without_rows
from idealrank.io.files import atomic_output
from idealrank.io.frames import ranking_and_scores
from idealrank.measures.conventions import Convention, convention
from idealrank.measures.measure_base import Measure

with needs("dask"):
    import dask

__all__ = ["compare", "evaluate"]

_MERGED_AT_ONCE = 16


def evaluate(
    data: Any,
    measures: Measures = ("ndcg@10",),
    *,
    query: str = "qid",
    label: str = "label",
    score: str = "score",
    like: str | Convention | None = None,
    sorted: bool = False,  # noqa: A002 (what it says of the data)
    per_query: str | os.PathLike[str] | None = None,
    batch_rows: int = 1_000_000,
    client: Any = None,
) -> Summary:
    """Evaluate one system: the means and intervals are bit for bit those of `idealrank.evaluate_stream`.

    Parameters
    ----------
    data : dask.dataframe.DataFrame, str or path
        A frame with one row per document, or the path of a Parquet file or of a folder of Parquet files.
    measures : str, Measure or iterable of these
        The measures to compute.
    query, label, score : str
        The columns of query ids, labels and scores.
    like : str or Convention, optional
        The convention for options that the measures leave unset, as in `evaluate`.
    sorted : bool
        Whether the rows are sorted by query.
    per_query : str or path, optional
        A folder without Parquet files, into which per-query values are written: one file per share of the data, with
        the column qid and one column per measure. Every worker must be able to write there. None writes nothing.
    batch_rows : int
        Number of rows to read from sorted Parquet at a time.
    client : distributed.Client, optional
        The client of the cluster; None means Dask's default scheduler.

    Returns
    -------
    Summary
        The means and intervals, without per-query values.

    Raises
    ------
    DataError
        If the data has no queries, a column is missing, or sorted data is not sorted.

    Examples
    --------
    >>> import dask.dataframe, pandas
    >>> from idealrank.integrations.dask import evaluate
    >>> rows = {"qid": [1, 2, 1, 2], "label": [1, 1, 0, 0], "score": [0.2, 0.1, 0.1, 0.3]}
    >>> evaluate(dask.dataframe.from_pandas(pandas.DataFrame(rows), npartitions=2), "rr").mean
    {'rr': 0.75}
    """
    rules = convention(like or "idealrank")
    work = _Work(named_measures(measures, rules), rules, query, label, (score,), sorted)
    shares = work.shares(data, batch_rows, client)
    folder = None if per_query is None else _empty_folder(per_query)
    summarize, merge = dask.delayed(work.summary), dask.delayed(_merged)
    summaries = [summarize(share, folder and folder / f"part-{n:05}.parquet") for n, share in enumerate(shares)]
    while len(summaries) > 1:
        summaries = [
            merge(summaries[begin : begin + _MERGED_AT_ONCE]) for begin in range(0, len(summaries), _MERGED_AT_ONCE)
        ]
    results: tuple[tuple[Summary, list[Ends]], ...] = dask.compute(*summaries, scheduler=client)
    for summary, ends in results:
        check_ends(ends)
        if summary.n_queries:
            return summary
    raise DataError("the data has no queries")


def compare(
    data: Any,
    scores: Sequence[str],
    measures: Measures = ("ndcg@10",),
    *,
    query: str = "qid",
    label: str = "label",
    baseline: str | None = None,
    like: str | Convention | None = None,
    test: str = "t",
    correction: str = "holm",
    level: float = 0.05,
    n_permutations: int = 10_000,
    seed: int | None = 0,
    sorted: bool = False,  # noqa: A002 (what it says of the data)
    batch_rows: int = 1_000_000,
    client: Any = None,
) -> Comparison:
    """Compare systems whose scores are columns of a frame, like `idealrank.compare`.

    The values of all queries and systems, one float each, are collected and tested in this process, in the order of
    query ids.

    Parameters
    ----------
    data : dask.dataframe.DataFrame, str or path
        A frame with one row per document, or the path of a Parquet file or of a folder of Parquet files.
    scores : sequence of str
        The columns of scores, one per system.
    measures : str, Measure or iterable of these
        The measures to compute.
    query, label : str
        The columns of query ids and labels.
    baseline : str, optional
        The system with which all others are compared; by default, all pairs are compared.
    like : str or Convention, optional
        The convention for options that the measures leave unset, as in `evaluate`.
    test, correction : str
        The paired test, and the correction for multiple comparisons, as in `idealrank.compare`.
    level : float
        The significance level; intervals have the confidence level 1 - ``level``.
    n_permutations : int
        The number of random permutations, and of bootstrap resamples.
    seed : int, optional
        Seed of the random number generator; None means a new seed for every call.
    sorted : bool
        Whether the rows are sorted by query.
    batch_rows : int
        Number of rows to read from sorted Parquet at a time.
    client : distributed.Client, optional
        The client of the cluster; None means Dask's default scheduler.

    Returns
    -------
    Comparison
        Means with intervals, and differences with p-values and effect sizes.

    Raises
    ------
    DataError
        If the data has no queries, a column is missing, or sorted data is not sorted.

    Examples
    --------
    >>> import dask.dataframe, pandas
    >>> from idealrank.integrations.dask import compare
    >>> rows = {"qid": [1, 2, 1, 2], "label": [1, 1, 0, 0], "old": [0.1, 0.1, 0.2, 0.3], "new": [0.2, 0.1, 0.1, 0.3]}
    >>> frame = dask.dataframe.from_pandas(pandas.DataFrame(rows), npartitions=2)
    >>> found = compare(frame, ["old", "new"], "rr", baseline="old")
    >>> found.differences["rr"][0].difference
    0.25
    """
    testing = ComparisonOptions(baseline, test, correction, level, n_permutations, seed)
    names = () if isinstance(scores, str) else tuple(items_of(scores, "scores"))
    if len(names) < 2:
        raise DataError(f"a comparison needs the names of two columns of scores or more, got {scores!r}")
    rules = convention(like or "idealrank")
    work = _Work(named_measures(measures, rules), rules, query, label, names, sorted)
    shares = work.shares(data, batch_rows, client)
    results = dask.compute(*map(dask.delayed(work.evaluations), shares), scheduler=client)
    check_ends(end for _, ends in results for end in ends)
    batches = [each for evaluations, _ in results for each in evaluations]
    if not batches:
        raise DataError("the data has no queries")
    by_system = {name: _by_query(concatenated([each[name] for each in batches])) for name in names}
    return testing.compare(Evaluations(by_system))


@dataclass(frozen=True)
class _Work:
    """The work of a worker on its share."""

    named: dict[str, Measure]
    rules: Convention
    query: str
    label: str
    scores: tuple[str, ...]
    is_sorted: bool

    def __post_init__(self) -> None:
        for name, each in self.named.items():
            ties = each.with_convention(self.rules).ties
            if not self.is_sorted and ties not in (None, "average", "best", "worst"):
                raise OptionError(
                    f"{name}: ties={ties} depends on the order of rows, which a shuffle does not keep: sort the data "
                    f"by {self.query} and pass sorted=True, or choose other ties"
                )

    def shares(self, data: Any, batch_rows: int, client: Any) -> list[Any]:
        columns = (self.label, *self.scores)
        return shares_of(data, self.query, columns, is_sorted=self.is_sorted, batch_rows=batch_rows, client=client)

    def evaluations(self, share: Share) -> tuple[list[dict[str, Evaluation]], list[Ends]]:
        """Return {column of scores: its evaluation} for each batch of the share, and the share's ends."""
        ends = share.ends()
        return list(self._batches(share)), ends

    def summary(self, share: Share, path: Path | None) -> tuple[Summary, list[Ends]]:
        """Return the means over a share, and the share's ends; write the per-query values to a file if one is named."""
        summary, ends = Summary(self.rules), share.ends()
        with ExitStack() as stack:
            writer = None
            for (evaluation,) in map(dict.values, self._batches(share)):
                summary.add(evaluation)
                if path is not None:
                    table = evaluation.to_frame("pyarrow")
                    if writer is None:
                        from pyarrow.parquet import ParquetWriter

                        file = stack.enter_context(atomic_output(path))
                        writer = stack.enter_context(ParquetWriter(file, table.schema))
                    writer.write_table(table)
        return summary, ends

    def _batches(self, share: Share) -> Iterator[dict[str, Evaluation]]:
        for table in share.tables():
            with without_rows(table[self.query]):
                data, systems = ranking_and_scores(table, self.scores, self.query, self.label)
                assert systems is not None
                evaluator = Evaluator(data, self.rules, n_threads=1)
                evaluations = {name: evaluator.evaluate(each, self.named.values()) for name, each in systems.items()}
            yield evaluations


def _empty_folder(path: str | os.PathLike[str]) -> Path:
    """Make the folder; files of an earlier evaluation in it would be read as parts of this one."""
    folder = Path(path)
    folder.mkdir(parents=True, exist_ok=True)
    for file in folder.glob("*.parquet"):
        raise DataError(f"{folder} must have no Parquet files, got {file.name}: remove them, or choose another folder")
    return folder


def _merged(summaries: list[tuple[Summary, list[Ends]]]) -> tuple[Summary, list[Ends]]:
    """Merge the summaries of neighbors, and the ends of all."""
    total = Summary(summaries[0][0].convention)
    for summary, _ in summaries:
        total.merge(summary)
    return total, [end for _, ends in summaries for end in ends]


def _by_query(evaluation: Evaluation) -> Evaluation:
    """Return the evaluation with its queries in the order of their ids, since a shuffle leaves them in none."""
    order = np.argsort(np.asarray(evaluation.query_ids), kind="stable")
    per_query = {name: values[order] for name, values in evaluation.per_query.items()}
    return replace(evaluation, per_query=per_query, query_ids=evaluation.query_ids.take(order))
