"""A drop-in for pytrec_eval: the same constructor, names and output, and also fractional labels and a choice of ties.

Replace ``import pytrec_eval`` by ``from idealrank.integrations import pytrec_eval``. The package itself is not needed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from idealrank._core.checks import is_whole
from idealrank._names.options import nearest
from idealrank._typing import Floats
from idealrank.data.judgments import Qrels, Run
from idealrank.errors import OptionError
from idealrank.evaluation import trec_eval
from idealrank.evaluation.evaluator import Evaluator
from idealrank.measures import Measure, measure
from idealrank.measures.conventions import convention
from idealrank.measures.measure_base import TIES

__all__ = [
    "RelevanceEvaluator",
    "compute_aggregated_measure",
    "parse_qrel",
    "parse_run",
    "supported_measures",
    "supported_nicknames",
]

_SINCE_10 = 10
#: Measures of trec_eval 9 without parameters.
supported_measures = frozenset(
    name for name, each in trec_eval.MEASURES.items() if each.since < _SINCE_10 and name != "yaap"
)
supported_nicknames: Mapping[str, frozenset[str]] = MappingProxyType(
    {name: frozenset(members) & supported_measures for name, members in trec_eval.SETS.items()}
)
_LEAST = 0.00001
#: Measures that have a number per query in pytrec_eval only.
_GEOMETRIC = {"gm_map": "map", "gm_bpref": "bpref"}
_CONSTANT = {"runid": 0.0, "num_q": 1.0, "relstring": 0.0}
_NUMBERS = re.compile(r"[._](\d+(?:\.\d+)?(?:,\d+(?:\.\d+)?)*)")


class RelevanceEvaluator:
    """Evaluate runs with judgments, like the class of the same name in pytrec_eval.

    Parameters
    ----------
    query_relevance : mapping of mappings
        {query: {document: label}}. Labels may be fractional, which pytrec_eval refuses.
    measures : iterable of str
        The names of measures, such as "map", "ndcg_cut.5,10" or "P_10", or of sets of measures, such as "official".
    relevance_level : int
        The lowest label of a relevant document.
    judged_docs_only_flag : bool
        Whether to remove unjudged documents from the rankings.
    ties : {"docid_desc", "average", "stable", "reverse", "best", "worst", "docid_asc"}
        The order of documents with equal scores. The default is the order of trec_eval, by descending document id;
        "average" is the mean over all orders, which a system cannot exploit by giving equal scores.

    Raises
    ------
    OptionError
        If a measure is unknown, or is not available with fractional labels or with this order of ties.

    Examples
    --------
    >>> from idealrank.integrations.pytrec_eval import RelevanceEvaluator
    >>> evaluator = RelevanceEvaluator({"q1": {"d1": 1, "d2": 0}}, {"map", "ndcg"})
    >>> evaluator.evaluate({"q1": {"d1": 0.5, "d2": 0.7}})
    {'q1': {'map': 0.5, 'ndcg': 0.6309297535714575}}

    Fractional labels, and the mean over both orders of equal scores:

    >>> evaluator = RelevanceEvaluator({"q1": {"d1": 0.5, "d2": 1.0}}, {"ndcg"}, ties="average")
    >>> round(evaluator.evaluate({"q1": {"d1": 1.0, "d2": 1.0}})["q1"]["ndcg"], 4)
    0.9299
    """

    def __init__(
        self,
        query_relevance: Mapping[str, Mapping[str, float]],
        measures: Iterable[str],
        relevance_level: int = 1,
        judged_docs_only_flag: bool = False,
        *,
        ties: str = "docid_desc",
    ) -> None:
        if not is_whole(relevance_level):
            raise OptionError(f"relevance_level must be a whole number, got {relevance_level!r}")
        if ties not in TIES:
            raise OptionError(f"unknown order of ties {ties!r}{nearest(ties, TIES)}")
        self.measures = _combined(measures)
        self.relevance_level, self.judged_docs_only_flag, self.ties = relevance_level, bool(judged_docs_only_flag), ties
        self._qrels = Qrels({query: docs for query, docs in query_relevance.items() if len(docs)})
        labels = self._qrels.labels
        #: Whether trec_eval itself knows such data.
        self._is_plain = ties == "docid_desc" and bool(np.array_equal(labels, np.trunc(labels)))
        self._others = () if self._is_plain else _library(self.measures, relevance_level, ties)

    def evaluate(self, scores: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
        """Evaluate a run.

        Parameters
        ----------
        scores : mapping of mappings
            {query: {document: score}}.

        Returns
        -------
        dict
            {query: {measure: value}} for the judged queries that are in the run.

        Raises
        ------
        DataError
            If a score is not a number.
        """
        run = scores if isinstance(scores, Run) else Run(scores)
        if not run.n_queries or not self._qrels.n_queries or (self._qrels.query_ids.index_in(run.query_ids) < 0).all():
            return {}
        queries, columns = self._plain(run) if self._is_plain else self._graded(run)
        lists = [values.tolist() for values in columns.values()]
        if not lists:
            return {query: {} for query in queries}
        names = list(columns)
        return {
            query: dict(zip(names, row, strict=True))
            for query, row in zip(queries, zip(*lists, strict=True), strict=True)
        }

    def _plain(self, run: Run) -> tuple[Sequence[str], dict[str, Floats]]:
        """Return the values of trec_eval."""
        asked = [_GEOMETRIC.get(name, name) for name in self.measures if name not in _CONSTANT]
        results = trec_eval.evaluate(
            self._qrels,
            run,
            [*asked, "num_ret"],
            version=9,
            level=self.relevance_level,
            judged_only=self.judged_docs_only_flag,
        )
        n_queries = len(results.query_ids)
        columns: dict[str, Floats] = {}
        for name in self.measures:
            base = name.partition(".")[0]
            if base in _CONSTANT:
                columns[base] = np.full(n_queries, _CONSTANT[base])
            elif base in _GEOMETRIC:
                columns[base] = np.log(np.maximum(np.asarray(results.per_query[_GEOMETRIC[base]], np.float64), _LEAST))
        wanted = {name.partition(".")[0] for name in self.measures}
        for name, values in results.per_query.items():
            if _base_of(name) in wanted:
                columns[name] = np.asarray(values, np.float64)
        return results.query_ids, columns

    def _graded(self, run: Run) -> tuple[Sequence[str], dict[str, Floats]]:
        """Return the values of the library's own measures."""
        rules = convention("pytrec_eval").replace(labels="float")
        if self.judged_docs_only_flag:
            rules = rules.replace(unjudged="drop")
        if not self._others:
            kept = self._qrels.query_ids.index_in(run.query_ids) >= 0
            return [query for query, is_in in zip(self._qrels, kept.tolist(), strict=True) if is_in], {}
        evaluation = Evaluator(self._qrels, rules).evaluate(run, [own for _, own in self._others])
        values = [evaluation.per_query[str(own)] for _, own in self._others]
        return list(evaluation.query_ids), {name: each for (name, _), each in zip(self._others, values, strict=True)}


def _base_of(name: str) -> str:
    """Return the measure that a name is of, without its parameters: the longest that it begins with."""
    return max((base for base in supported_measures if name == base or name.startswith(f"{base}_")), key=len)


def _combined(measures: Iterable[str]) -> tuple[str, ...]:
    """Return the measures in trec_eval's form, with all parameters of one measure together."""
    if isinstance(measures, str):
        raise OptionError(f"measures must be a set or list of names, got the text {measures!r}")
    parameters: dict[str, set[str]] = {}
    for name in (each for given in measures for each in sorted(supported_nicknames.get(given, {given}))):
        if name in supported_measures:
            parameters.setdefault(name, set())
            continue
        parsed = next(
            (
                (base, match[1])
                for base in sorted(supported_measures, key=len, reverse=True)
                if name.startswith(base) and (match := _NUMBERS.fullmatch(name[len(base) :]))
            ),
            None,
        )
        if parsed is None:
            raise OptionError(f"unsupported measure {name}{nearest(name, [*supported_measures, *supported_nicknames])}")
        parameters.setdefault(parsed[0], set()).update(parsed[1].split(","))
    return tuple(
        f"{base}.{','.join(sorted(given, key=float))}" if given else base for base, given in parameters.items()
    )


def _library(measures: Iterable[str], level: int, ties: str) -> tuple[tuple[str, Measure], ...]:
    """Return the measures of the library by trec_eval's names."""
    named = []
    for request in (
        trec_eval.read_measures([each for each in measures if each not in _CONSTANT], version=9) if measures else ()
    ):
        for name in request.columns():
            own = measure(name)
            options: dict[str, Any] = {"ties": ties} if "ties" in own.options() else {}
            if "rel" in own.options():
                options["rel"] = float(level)
            named.append((name, type(own)(**{**{n: getattr(own, n) for n in own.options()}, **options})))
    return tuple(named)


def compute_aggregated_measure(name: str, values: Iterable[float]) -> float:
    """Aggregate the values of a measure over queries: the sum of counts, the geometric mean of logarithms, or the mean.

    Parameters
    ----------
    name : str
        The name of the measure.
    values : iterable of float
        One value per query.

    Returns
    -------
    float
        The aggregated value.

    Examples
    --------
    >>> from idealrank.integrations.pytrec_eval import compute_aggregated_measure
    >>> compute_aggregated_measure("num_ret", [3, 4]), compute_aggregated_measure("map", [0.5, 1])
    (7.0, 0.75)
    """
    listed = list(values)
    if name.startswith("num_"):
        return float(sum(listed))
    mean = float(np.mean(listed))
    return math.exp(mean) if name.startswith("gm_") else mean


def parse_run(f_run: Iterable[str]) -> dict[str, dict[str, float]]:
    """Parse a TREC run into nested dicts.

    Parameters
    ----------
    f_run : iterable of str
        Lines of a TREC run file: query, Q0, document, rank, score, name.

    Returns
    -------
    dict
        {query: {document: score}}.

    Raises
    ------
    OptionError
        If a line does not have the right number of fields.
    ValueError
        If a score is not a number.

    Examples
    --------
    >>> from idealrank.integrations.pytrec_eval import parse_run
    >>> parse_run(["q1 Q0 d1 1 2.5 bm25"])
    {'q1': {'d1': 2.5}}
    """
    return _parsed(f_run, 6, 4, float)


def parse_qrel(f_qrel: Iterable[str]) -> dict[str, dict[str, float]]:
    """Parse TREC judgments into nested dicts.

    Parameters
    ----------
    f_qrel : iterable of str
        Lines of a TREC qrels file: query, 0, document, label.

    Returns
    -------
    dict
        {query: {document: label}}; labels that are written as integers are int.

    Raises
    ------
    OptionError
        If a line does not have the right number of fields.
    ValueError
        If a label is not a number.

    Examples
    --------
    >>> from idealrank.integrations.pytrec_eval import parse_qrel
    >>> parse_qrel(["q1 0 d1 2"])
    {'q1': {'d1': 2}}
    """
    return _parsed(f_qrel, 4, 3, lambda text: float(text) if "." in text else int(text))


def _parsed(lines: Iterable[str], n_fields: int, place: int, convert: Any) -> dict[str, dict[str, float]]:
    queries: dict[str, dict[str, float]] = {}
    for number, line in enumerate(lines, 1):
        fields = line.split()
        if len(fields) != n_fields:
            raise OptionError(f"line {number}: expected {n_fields} fields, got {len(fields)}: {line!r}")
        docs = queries.setdefault(fields[0], {})
        if fields[2] in docs:
            raise OptionError(f"line {number}: document {fields[2]!r} of query {fields[0]!r} is repeated")
        docs[fields[2]] = convert(fields[place])
    return queries
