"""Evaluation and comparison, share by share; what they find is merged exactly."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from idealrank._base.extras import needs
from idealrank.errors import DataError, OptionError
from idealrank.evaluation.comparison import Comparison, Testing
from idealrank.evaluation.evaluator import Evaluator
from idealrank.evaluation.inputs import Measures, named_measures
from idealrank.evaluation.results import Evaluation, Evaluations
from idealrank.evaluation.streaming import Summary, concatenated
from idealrank.integrations.dask.shares import Ends, Share, check_ends, shares_of
from idealrank.io.batches import without_rows
from idealrank.io.files import atomic_output
from idealrank.io.frames import ranking_and_scores
from idealrank.measures.base import Measure
from idealrank.measures.conventions import Convention, convention

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
    """Evaluate one system: means and intervals over all queries, those of `idealrank.evaluate_stream` bit for bit.

    ``query``, ``label`` and ``score`` are names of columns. ``per_query`` names a folder without Parquet files, which
    gets one a share, with the column qid and one a measure; every worker must be able to write there.

    >>> import dask.dataframe, pandas
    >>> rows = {"qid": [1, 2, 1, 2], "label": [1, 1, 0, 0], "score": [0.2, 0.1, 0.1, 0.3]}
    >>> evaluate(dask.dataframe.from_pandas(pandas.DataFrame(rows), npartitions=2), "rr").mean
    {'rr': 0.75}
    """
    work = _Work.of(measures, like, query, label, (score,), is_sorted=sorted)
    shares = work.shares(data, batch_rows, client, is_sorted=sorted)
    folder = None if per_query is None else Path(per_query)
    if folder is not None:
        _make_room(folder)
    summarize, merge = dask.delayed(work.summary), dask.delayed(_merged)
    found = [
        summarize(share, None if folder is None else folder / f"part-{number:05}.parquet")
        for number, share in enumerate(shares)
    ]
    while len(found) > 1:
        found = [merge(found[begin : begin + _MERGED_AT_ONCE]) for begin in range(0, len(found), _MERGED_AT_ONCE)]
    results: tuple[tuple[Summary, list[Ends]], ...] = dask.compute(*found, scheduler=client)
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
    test: str | None = None,
    correction: str = "holm",
    level: float = 0.05,
    n_permutations: int = 10_000,
    seed: int | None = None,
    sorted: bool = False,  # noqa: A002 (what it says of the data)
    batch_rows: int = 1_000_000,
    client: Any = None,
) -> Comparison:
    """Compare the systems whose scores are in these columns, as `idealrank.compare` does.

    The values of every query and system, one float each, are gathered and tested here, in the order of query ids.

    >>> import dask.dataframe, pandas
    >>> rows = {"qid": [1, 2, 1, 2], "label": [1, 1, 0, 0], "old": [0.1, 0.1, 0.2, 0.3], "new": [0.2, 0.1, 0.1, 0.3]}
    >>> frame = dask.dataframe.from_pandas(pandas.DataFrame(rows), npartitions=2)
    >>> compare(frame, ["old", "new"], "rr", baseline="old").differences["rr"][0].difference
    0.25
    """
    testing = Testing(baseline, test, correction, level, n_permutations, seed)
    if isinstance(scores, str) or len(scores) < 2:
        raise DataError(f"a comparison needs the names of two columns of scores or more, got {scores!r}")
    work = _Work.of(measures, like, query, label, tuple(scores), is_sorted=sorted)
    shares = work.shares(data, batch_rows, client, is_sorted=sorted)
    found = dask.compute(*map(dask.delayed(work.evaluations), shares), scheduler=client)
    check_ends(end for _, ends in found for end in ends)
    batches = [each for evaluations, _ in found for each in evaluations]
    if not batches:
        raise DataError("the data has no queries")
    by_system = {name: _by_query(concatenated([each[name] for each in batches])) for name in scores}
    return testing.compare(Evaluations(by_system))


@dataclass(frozen=True)
class _Work:
    """What a worker does with its share."""

    named: dict[str, Measure]
    rules: Convention
    query: str
    label: str
    scores: tuple[str, ...]

    @classmethod
    def of(
        cls,
        measures: Measures,
        like: str | Convention | None,
        query: str,
        label: str,
        scores: tuple[str, ...],
        *,
        is_sorted: bool,
    ) -> _Work:
        rules, named = convention(like or "idealrank"), named_measures(measures)
        for name, each in named.items():
            ties = each.with_convention(rules).ties
            if not is_sorted and ties not in (None, "average", "best", "worst"):
                raise OptionError(
                    f"{name}: ties={ties} goes by the order of rows, which a shuffle does not keep: sort the data by "
                    f"{query} and say sorted=True, or name other ties"
                )
        return cls(named, rules, query, label, scores)

    def shares(self, data: Any, batch_rows: int, client: Any, *, is_sorted: bool) -> list[Any]:
        columns = (self.label, *self.scores)
        return shares_of(data, self.query, columns, is_sorted=is_sorted, batch_rows=batch_rows, client=client)

    def evaluations(self, share: Share) -> tuple[list[dict[str, Evaluation]], list[Ends]]:
        """{column of scores: its evaluation} for each batch of the share, and the share's ends."""
        ends = share.ends()
        return list(self._batches(share)), ends

    def summary(self, share: Share, path: Path | None) -> tuple[Summary, list[Ends]]:
        """The means over a share, whose values a query go to a file if one is named, and the share's ends."""
        summary, ends = Summary(self.rules), share.ends()
        with ExitStack() as stack:
            writer = None
            for (evaluation,) in map(dict.values, self._batches(share)):
                summary.add(evaluation)
                if path is not None:
                    table = evaluation.to_frame("pyarrow")
                    writer = writer or stack.enter_context(_parquet_writer(path, table.schema))
                    writer.write_table(table)
        return summary, ends

    def _batches(self, share: Share) -> Iterator[dict[str, Evaluation]]:
        for table in share.tables():
            with without_rows(table[self.query]):
                data, systems = ranking_and_scores(table, self.scores, self.query, self.label)
                assert systems is not None
                evaluator = Evaluator(data, self.rules, n_threads=1)
                found = {name: evaluator.evaluate(each, self.named.values()) for name, each in systems.items()}
            yield found


def _make_room(folder: Path) -> None:
    """Make the folder; files of an earlier evaluation would be read as parts of this one."""
    folder.mkdir(parents=True, exist_ok=True)
    for file in folder.glob("*.parquet"):
        raise DataError(f"{folder} must have no Parquet files, got {file.name}: remove them, or name another folder")


@contextmanager
def _parquet_writer(path: Path, schema: Any) -> Iterator[Any]:
    """A writer of tables to a file, which is there when all of them are written."""
    import pyarrow.parquet as pq

    with atomic_output(path) as file, pq.ParquetWriter(file, schema) as writer:
        yield writer


def _merged(found: list[tuple[Summary, list[Ends]]]) -> tuple[Summary, list[Ends]]:
    """Summaries of neighbors as one, and the ends of all."""
    total = Summary(found[0][0].convention)
    for summary, _ in found:
        total.merge(summary)
    return total, [end for _, ends in found for end in ends]


def _by_query(evaluation: Evaluation) -> Evaluation:
    """The same, its queries in the order of their ids: a shuffle leaves them in none."""
    order = np.argsort(np.asarray(evaluation.query_ids), kind="stable")
    per_query = {name: values[order] for name, values in evaluation.per_query.items()}
    return replace(evaluation, per_query=per_query, query_ids=evaluation.query_ids.take(order))
