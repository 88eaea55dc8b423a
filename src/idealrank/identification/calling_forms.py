"""How a function is called: what each argument holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from idealrank._core.extras import needs
from idealrank.errors import OptionError
from idealrank.identification.probes import Probe, Query

__all__ = ["FRAMES", "WORDS", "Form"]

#: Words that a form is made of: what one argument holds.
WORDS = {
    "labels": "the labels of one list, in the order of its documents",
    "scores": "the scores of one list",
    "ranked_labels": "the labels of one list, in rank order",
    "judged_labels": "the labels of all judged documents",
    "judged": "{document: label} of one query",
    "scored": "{document: score} of one query",
    "ranked": "document ids in rank order",
    "docs": "document ids, in the order of the labels and scores",
    "records": "[{id, score}], one dict or object per retrieved document",
    "judged_docs": "ids of the judged documents, in the order of judged_labels",
    "n_relevant": "the number of relevant documents",
    "relevant_ranks": "the ranks of the relevant documents that were retrieved",
    "frame": "a data frame with a row per document: query, document, label, score",
    "qrels_frame": "a data frame of judgments",
    "run_frame": "a data frame of retrieved documents",
    "relevant": "ids of the relevant documents",
    "qrels": "{query: {document: label}}",
    "run": "{query: {document: score}}",
    "rankings": "{query: document ids in rank order}",
    "relevants": "{query: ids of the relevant documents}",
    "group": "the number of documents of each query",
    "offsets": "where each query begins, and the end",
    "query_ids": "the query of each document",
    "k": "the cutoff",
}
#: Words for arguments that are data frames.
FRAMES = ("frame", "qrels_frame", "run_frame")
_OF_QUERIES = ("qrels", "run", "rankings", "relevants", "group", "offsets", "query_ids", *FRAMES)
_LABELS = ("labels", "ranked_labels", "frame", "relevant_ranks")
#: Names of columns of frames, and of fields of records.
_FIELDS = {
    "query": """query_id qid query q_id queryid query_ids topic topic_id user user_id userID userId user_idx session
        session_id group group_id""",
    "doc": "id doc_id docid docno doc document document_id item item_id itemID itemId product_id pid _id",
    "label": "label labels rel relevance rating grade target y_true gain relevant true gt",
    "score": "score scores prediction pred y_pred y_score similarity predicted relevance_score",
    "rank": "rank position",
}
#: Words that tell of judged documents which were not retrieved.
_OF_JUDGED = {"judged_labels", "n_relevant", "relevant"}


@dataclass(frozen=True)
class Form:
    """How a function is called: a word per argument, k by position or by name.

    Words that are joined by + are pairs in one list: one per document, or one per query if the words are in brackets.
    """

    words: tuple[str, ...]
    k: str | None = None
    arrays: str = "numpy"
    ids: str = "text"
    #: Whether the function takes a list of cutoffs.
    has_list_of_k: bool = False
    #: Whether the names of the function's parameters suggest the words.
    is_suggested: bool = field(default=False, compare=False)

    @property
    def bare(self) -> tuple[str, ...]:
        """The words without brackets, one by one."""
        return tuple(part for word in self.words for part in word.strip("[]").split("+"))

    @property
    def has_scores(self) -> bool:
        """Whether the function sees scores, and so equal ones."""
        return bool({"scores", "scored", "run", "records", "frame", "run_frame"} & set(self.bare))

    @property
    def has_ids(self) -> bool:
        """Whether documents may be judged and not retrieved, or the reverse."""
        return not set(_LABELS) & set(self.bare) or bool(_OF_JUDGED & set(self.bare))

    @property
    def has_names(self) -> bool:
        """Whether the function sees ids of documents."""
        return not set(_LABELS) & set(self.bare)

    @property
    def is_graded(self) -> bool:
        """Whether the function sees labels."""
        return not {"relevant", "relevants", "n_relevant"} & set(self.bare)

    @property
    def has_queries(self) -> bool:
        """Whether the function takes several queries."""
        return any(word in _OF_QUERIES or word.startswith("[") for word in self.words)

    @property
    def has_missing_queries(self) -> bool:
        """Whether a query may be judged and not retrieved, or the reverse."""
        return any(word in ("qrels", "run", "rankings", "relevants", "qrels_frame") for word in self.words)

    @property
    def has_duplicates(self) -> bool:
        """Whether a document may be retrieved twice."""
        return bool({"ranked", "rankings"} & set(self.bare))

    def __str__(self) -> str:
        return ", ".join([*self.words, *(["k"] if self.k is not None and "k" not in self.words else [])])

    def can_express(self, probe: Probe) -> bool:
        """Whether the arguments can hold what the probe says."""
        for query in probe.queries:
            if (query.ranked is None or query.judged is None) and not self.has_missing_queries:
                return False
            if not self.has_ids and (query.unretrieved or query.unjudged):
                return False
            if not self.is_graded and not set(query.labels.values()) <= {0, 1}:
                return False
            if not self.has_scores and query.is_tied:
                return False
            if len(set(query.docs)) < len(query.docs) and not self.has_duplicates:
                return False
        lengths = {len(query.ranked or ()) for query in probe.queries}
        if len(probe.queries) > 1 and {"[labels]", "[ranked_labels]"} & set(self.words) and len(lengths) > 1:
            return False
        return (len(probe.queries) == 1 or self.has_queries) and (probe.k is None or self.k is not None)

    def arguments(self, probe: Probe) -> tuple[list[Any], dict[str, Any]]:
        """Return new positional and keyword arguments."""
        positional = [self._argument(word, probe) for word in self.words]
        k = [probe.k] if self.has_list_of_k else probe.k
        named = {} if probe.k is None or self.k in (None, "") else {str(self.k): k}
        if probe.k is not None and self.k == "":
            positional.append(k)
        return positional, named

    def _argument(self, word: str, probe: Probe) -> Any:
        queries = {f"q{place}": query for place, query in enumerate(probe.queries, 1)}
        if "+" in word:
            plain = replace(self, arrays="set" if self.arrays == "set" else "list")
            pairs = [[plain._of(part, query) for part in word.strip("[]").split("+")] for query in queries.values()]
            return [tuple(pair) for pair in pairs] if word.startswith("[") else list(zip(*pairs[0], strict=True))
        if word.startswith("["):
            rows = [self._of(word.strip("[]"), query) for query in queries.values()]
            return np.array(rows) if isinstance(rows[0], np.ndarray) else rows
        sizes = [len(query.ranked or ()) for query in queries.values()]
        match word:
            case "qrels" | "relevants":
                own = {name: query for name, query in queries.items() if query.judged is not None}
                return {name: self._of("judged" if word == "qrels" else "relevant", q) for name, q in own.items()}
            case "run" | "rankings":
                own = {name: query for name, query in queries.items() if query.ranked is not None}
                return {name: self._of("scored" if word == "run" else "ranked", q) for name, q in own.items()}
            case "frame" | "qrels_frame" | "run_frame":
                return _frame(word, queries)
            case "group":
                return self._array(sizes)
            case "offsets":
                return self._array([sum(sizes[:place]) for place in range(len(sizes) + 1)])
            case "query_ids":
                return self._array([place for place, size in enumerate(sizes) for _ in range(size)])
        parts: list[Any] = [self._of(word, query) for query in queries.values()]
        if len(parts) == 1:
            return parts[0]
        return self._array([value for part in parts for value in part])

    def _of(self, word: str, query: Query) -> Any:
        labels = query.labels
        match word:
            case "labels":
                return self._array(_whole([labels[doc] for doc in query.docs]))
            case "scores":
                return self._array([score for _, score in query.ranked or ()])
            case "ranked_labels":
                return self._array(_whole([labels.get(doc, 0) for doc in query.in_rank_order]))
            case "judged_labels":
                return self._array(_whole(list(labels.values())))
            case "judged":
                return dict(zip(map(self._id, labels), _whole(list(labels.values())), strict=True))
            case "scored":
                return {self._id(doc): score for doc, score in query.ranked or ()}
            case "records":
                return [_RetrievedDocument(self._id(doc), score) for doc, score in query.ranked or ()]
            case "judged_docs":
                return [self._id(doc) for doc in labels]
            case "n_relevant":
                return sum(label > 0 for label in labels.values())
            case "relevant_ranks":
                return [rank for rank, doc in enumerate(query.in_rank_order, 1) if labels.get(doc, 0) > 0]
            case "docs":
                return [self._id(doc) for doc in query.docs]
            case "ranked":
                return [self._id(doc) for doc in query.in_rank_order]
            case "relevant":
                found = [self._id(doc) for doc, label in labels.items() if label > 0]
                return set(found) if self.arrays == "set" else found
        raise OptionError(f"unknown word {word!r} in takes; known are {', '.join(WORDS)}")

    def _array(self, values: Sequence[Any]) -> Any:
        if self.arrays == "torch":
            import torch

            return torch.tensor(values)
        return np.array(values) if self.arrays == "numpy" else list(values)

    def _id(self, doc: str) -> Any:
        return doc if self.ids == "text" else int("".join(f"{ord(letter):03d}" for letter in doc)) % 1_000_003


class _RetrievedDocument(dict[str, Any]):
    """A retrieved document, with every common name of its id and its score, as keys and as attributes."""

    def __init__(self, doc: Any, score: float) -> None:
        values = {"doc": doc, "score": score}
        super().__init__({name: value for field, value in values.items() for name in _FIELDS[field].split()})

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


def _frame(word: str, queries: Mapping[str, Query]) -> Any:
    """Return a data frame with every common name of each of its columns."""
    with needs("pandas"):
        import pandas

    rows: list[dict[str, Any]] = []
    for name, query in queries.items():
        labels = query.labels
        if word == "qrels_frame":
            rows += [{"query": name, "doc": doc, "label": label} for doc, label in query.judged or () if label > 0]
            continue
        ranks = {doc: rank for rank, doc in enumerate(query.in_rank_order, 1)}
        for doc, score in query.ranked or ():
            row = {"query": name, "doc": doc, "label": labels.get(doc, 0), "score": score, "rank": ranks[doc]}
            rows.append(row)
    without = {"qrels_frame": ("score", "rank"), "run_frame": ("label",)}.get(word, ())
    fields = [field for field in _FIELDS if field not in without]
    columns = {field: [row[field] for row in rows] for field in fields}
    if "label" in columns:
        columns["label"] = _whole(columns["label"])
    return pandas.DataFrame({name: columns[field] for field in fields for name in _FIELDS[field].split()})


def _whole(values: list[float]) -> list[Any]:
    """Return the numbers as integers if all are whole."""
    return [int(value) for value in values] if all(float(value).is_integer() for value in values) else values
