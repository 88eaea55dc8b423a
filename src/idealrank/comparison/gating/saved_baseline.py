"""The per-query values of a baseline, with what is needed to notice that later values are not comparable."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np

from idealrank._present.json_values import Plain, json_text, plain
from idealrank._present.page import listed
from idealrank._present.printable import counted
from idealrank._present.result import Result
from idealrank._typing import Floats
from idealrank.data.columns import float_array
from idealrank.data.judgments import Qrels
from idealrank.data.problem import Problem
from idealrank.data.ranking import Order, RankingData
from idealrank.errors import DataError, ParseError
from idealrank.evaluation.evaluation_result import Evaluation
from idealrank.evaluation.evaluator import Evaluator
from idealrank.evaluation.inputs import Data, LayoutOptions, Measures, OneSystem, judged_and_each_system, layout_of
from idealrank.io.files import atomic_output, display_name, first_bytes
from idealrank.measures.conventions import Convention

__all__ = ["Baseline", "is_saved_baseline", "query_digests", "read_baseline", "save_baseline", "some_queries"]

_KEY, _FORMAT = "idealrank_baseline", 1
#: Most queries to name in a sentence.
_FEW = 5


@dataclass(frozen=True, repr=False)
class Baseline(Result):
    """The values of a system on every query, as `save_baseline` stores them.

    Attributes
    ----------
    query_ids : tuple of str
        The queries.
    values : mapping of str to array
        {measure as given: one value per query, or a matrix[query, run] of a system with several runs}.
    conventions : mapping
        How the values were computed, as ``conventions`` of an `Evaluation`.
    digests : mapping of str to str
        {query: SHA-256 of its judgments}.
    version : str
        The version of idealrank.
    problems : tuple of Problem
        What was found in the data, and measures that cannot drop; the file does not have them.

    Examples
    --------
    >>> from idealrank import save_baseline
    >>> save_baseline({"q1": {"a": 1}}, {"q1": ["b", "a"]}, "rr")
    Baseline(rr; 1 query)
    """

    query_ids: tuple[str, ...]
    values: Mapping[str, Floats]
    conventions: Mapping[str, Any]
    digests: Mapping[str, str]
    version: str
    problems: tuple[Problem, ...] = ()

    @classmethod
    def of(cls, evaluation: Evaluation, digests: Mapping[str, str]) -> Baseline:
        """Return the baseline that an evaluation is.

        Parameters
        ----------
        evaluation : Evaluation
            The values of a system.
        digests : mapping of str to str
            The `query_digests` of what it was evaluated on.

        Returns
        -------
        Baseline
        """
        from idealrank import __version__

        ids = tuple(map(str, evaluation.query_ids.tolist()))
        values = {**evaluation.per_query, **evaluation.runs}
        problems = (*evaluation.problems, *_cannot_drop(evaluation))
        return cls(ids, values, evaluation.conventions, {name: digests[name] for name in ids}, __version__, problems)

    def to_dict(self) -> dict[str, Plain]:
        """Return what the file holds."""
        return {
            _KEY: _FORMAT,
            "idealrank": self.version,
            "numpy": np.__version__,
            "conventions": plain(self.conventions),
            "query_ids": plain(self.query_ids),
            "judgments_sha256": plain([self.digests[query] for query in self.query_ids]),
            "per_query": plain(self.values),
        }

    def check_same(self, evaluation: Evaluation, digests: Mapping[str, str]) -> None:
        """Raise a DataError that says what differs if values of an evaluation are not comparable with these.

        Parameters
        ----------
        evaluation : Evaluation
            The evaluation of the candidate.
        digests : mapping of str to str
            {query: digest of its judgments} now.
        """
        advice = "evaluate both in the same way, or save the baseline again"
        for name in evaluation.per_query:
            if name not in self.values:
                raise DataError(f"the baseline has values of {listed(self.values)}, and not of {name}: save it again")
        for what, ours, theirs in _choices(evaluation.conventions, self.conventions):
            if ours != theirs:
                raise DataError(f"{what} is {ours} for the candidate and was {theirs} for the baseline: {advice}")
        if not set(self.query_ids) & set(digests):
            raise DataError(
                f"the baseline is of other data: none of its queries, such as {self.query_ids[0]!r}, is judged here"
            )
        changed = [query for query in self.query_ids if query in digests and digests[query] != self.digests[query]]
        if changed:
            raise DataError(
                f"the judgments of {some_queries(changed)} changed since the baseline was saved: save it again"
            )

    def __repr__(self) -> str:
        return f"Baseline({', '.join(self.values)}; {counted(len(self.query_ids), 'query')})"


def save_baseline(
    data: Data,
    system: OneSystem | Sequence[OneSystem],
    measures: Measures = ("ndcg@10",),
    path: str | os.PathLike[str] | None = None,
    *,
    like: str | Convention | None = None,
    order: Order | None = None,
    n_threads: int | None = None,
    **layout: Unpack[LayoutOptions],
) -> Baseline:
    """Evaluate a system and save its per-query values, as the baseline of later gates.

    The file also has the conventions, the version of idealrank, and a digest of the judgments of every query. `gate`
    refuses a baseline that does not fit, and says what differs.

    Parameters
    ----------
    data, system
        The judged documents and one system, as in `evaluate`.
    measures : str, Measure or iterable of these
        The measures.
    path : str or path, optional
        The JSON file to write; by default, the baseline is only returned.
    like : str or Convention, optional
        The convention for options that the measures leave unset, as in `evaluate`.
    order : {"input", "grouped"}, optional
        The order of the scores, as in `evaluate`.
    n_threads : int, optional
        Number of threads; None means all cores, or the number passed to `set_threads`.
    **layout
        The layout of the data: offsets, group, query_ids, mask, and column names, as in `evaluate`.

    Returns
    -------
    Baseline
        The values.

    Raises
    ------
    DataError
        If the data or the system is not valid.
    OptionError
        If an option is not valid.

    Examples
    --------
    >>> from idealrank import gate, save_baseline
    >>> good = {f"q{i}": {"a"} for i in range(8)}
    >>> _ = save_baseline(good, {query: ["a", "b"] for query in good}, "rr", "baseline.json")
    >>> gate(good, {query: ["b", "a"] for query in good}, "baseline.json", "rr").verdict
    'fail'
    """
    named = {"": system} if isinstance(system, (list, tuple)) else system  # a list may be several runs
    judged, each_system = judged_and_each_system(data, named, layout_of(save_baseline, layout, order))
    systems = dict(each_system)
    (only, *others) = systems.values()
    if others:
        raise DataError(f"a baseline is one system, got {len(systems):,}: {listed(systems)}")
    evaluation = Evaluator(judged, like, n_threads=n_threads).evaluate(only, measures)
    baseline = Baseline.of(evaluation, query_digests(judged))
    if path is not None:
        with atomic_output(path) as file:
            file.write(f"{json_text(baseline.to_dict(), indent=1)}\n".encode("utf-8", "surrogateescape"))
    return baseline


def _cannot_drop(evaluation: Evaluation) -> Iterator[Problem]:
    """Yield a problem per measure whose mean is already the worst value, so that every candidate would pass."""
    for name, mean in evaluation.mean.items():
        measure = evaluation.filled[name]
        lowest, highest = measure.value_range
        worst = highest if measure.lower_is_better else lowest
        if mean == worst:
            text = f"the mean of {name} is {worst:g}, already the worst value: any system would pass"
            yield Problem("worst mean", len(evaluation.query_ids), text)


def is_saved_baseline(value: object) -> bool:
    """Return whether a value is the path of a file that `save_baseline` wrote."""
    if not isinstance(value, (str, os.PathLike)) or not os.path.isfile(value):
        return False
    return f'"{_KEY}"'.encode() in first_bytes(value)[:100]


def read_baseline(path: str | os.PathLike[str]) -> Baseline:
    """Read a file that `save_baseline` wrote.

    Raises
    ------
    ParseError
        If the file is damaged, or of a later version.
    """
    from idealrank.io.nested_json import load_json

    name, content = display_name(path), load_json(path)
    if not isinstance(content, Mapping) or content.get(_KEY) != _FORMAT:
        raise ParseError(f"expected a baseline of format {_FORMAT}: save it again with this version of idealrank", name)
    try:
        ids = tuple(map(str, content["query_ids"]))
        per_query = {str(measure): _numbers(values) for measure, values in content["per_query"].items()}
        digests = dict(zip(ids, map(str, content["judgments_sha256"]), strict=True))
        conventions = dict(content["conventions"])
        conventions |= {part: dict(conventions.get(part, {})) for part in ("data", "measures", "exceptions")}
        found = Baseline(ids, per_query, conventions, digests, str(content["idealrank"]))
        if (
            not ids
            or not per_query
            or any(values.shape[:1] != (len(ids),) or values.ndim > 2 for values in per_query.values())
        ):
            raise ValueError("there must be one value per query and measure")
    except (KeyError, TypeError, ValueError, AttributeError, DataError) as error:
        raise ParseError(f"not a complete baseline ({error}): save it again", name) from None
    return found


def _numbers(values: Sequence[Any]) -> Floats:
    """Return the values of the queries, or a matrix[query, run]; None is NaN."""
    if values and isinstance(values[0], list):
        return np.stack([_numbers(each) for each in values])
    return float_array([np.nan if each is None else each for each in values], "values")


def _choices(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> list[tuple[str, Any, Any]]:
    """Return (what it is, here, there) for every choice of two conventions."""
    data = [
        (f"{name!r} of the convention", value, theirs.get("data", {}).get(name)) for name, value in ours["data"].items()
    ]
    measures = [(name, text, theirs.get("measures", {}).get(name)) for name, text in ours["measures"].items()]
    others = [
        (f"what is special about {name}", plain(ours["exceptions"].get(name)), theirs.get("exceptions", {}).get(name))
        for name in ours["measures"]
    ]
    return [*measures, *data, *others]


def query_digests(judged: Qrels | RankingData) -> dict[str, str]:
    """Return {query: SHA-256 of its labels by document}; lists without document ids are digested in their order.

    Examples
    --------
    >>> first, second = query_digests(Qrels({"q1": {"a": 1, "b": 0}, "q2": {"b": 0, "a": 1}})).values()
    >>> first == second, len(first)
    (True, 64)
    """
    if isinstance(judged, Qrels):
        if any(each.kind == "evidence" for each in judged.problems):
            # Of text, the judgments have the gold spans, and with the label 0 whatever the systems retrieved.
            gold = np.flatnonzero(judged.labels)
            offsets = np.searchsorted(gold, judged.offsets)
            judged = Qrels.from_flat(judged.query_ids, offsets, judged.doc_ids.take(gold), judged.labels[gold])
        return {
            str(query): _digest(sorted((doc, str(label)) for doc, label in judged[query].items())) for query in judged
        }
    labels, ids = judged.labels.tolist(), None if judged.doc_ids is None else judged.doc_ids.tolist()
    digests = {}
    for query, begin, end in zip(judged.query_ids.tolist(), judged.offsets, judged.offsets[1:], strict=False):
        names = range(end - begin) if ids is None else ids[begin:end]
        pairs = [(str(name), repr(label)) for name, label in zip(names, labels[begin:end], strict=True)]
        digests[str(query)] = _digest(pairs if ids is None else sorted(pairs))
    return digests


def _digest(pairs: list[tuple[str, str]]) -> str:
    text = "\n".join(f"{name}\t{label}" for name, label in pairs)
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


def some_queries(queries: Sequence[str]) -> str:
    """Return how many queries there are, and the first of them by name.

    Examples
    --------
    >>> some_queries(["q1"]), some_queries([f"q{i}" for i in range(9)])
    ('1 query (q1)', '9 queries (q0, q1, q2, q3, q4, ...)')
    """
    more = ", ..." if len(queries) > _FEW else ""
    return f"{counted(len(queries), 'query')} ({', '.join(queries[:_FEW])}{more})"
