"""Small rankings that an unknown function is called with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

__all__ = ["QUERY_ID", "Probe", "Query", "ranking"]

#: The id of the first query.
QUERY_ID = "q1"
#: Document ids whose alphabetical order is not the order in which they are used.
_IDS = ("d4", "d1", "d6", "d2", "d8", "d3", "d7", "d5")


@dataclass(frozen=True)
class Query:
    """One query: the documents of the ranking with their scores, and the judged documents with their labels.

    Both are in the order in which a function receives them. ``ranked`` or ``judged`` is None where a query exists on
    one side only. What follows from them is kept, because many formulas are compared on the same query.
    """

    ranked: tuple[tuple[str, float], ...] | None
    judged: tuple[tuple[str, float], ...] | None

    @cached_property
    def labels(self) -> dict[str, float]:
        """The labels by document."""
        return dict(self.judged or ())

    @cached_property
    def docs(self) -> list[str]:
        """The retrieved documents, in the order given."""
        return [doc for doc, _ in self.ranked or ()]

    @cached_property
    def scores(self) -> list[float]:
        """The scores, in the order given."""
        return [score for _, score in self.ranked or ()]

    @cached_property
    def in_rank_order(self) -> list[str]:
        """The retrieved documents by falling score; equal scores stay in the order given."""
        return [doc for doc, _ in sorted(self.ranked or (), key=lambda row: -row[1])]

    @cached_property
    def unretrieved(self) -> list[str]:
        """The judged documents that were not retrieved."""
        retrieved = set(self.docs)
        return [doc for doc in self.labels if doc not in retrieved]

    @cached_property
    def unjudged(self) -> list[str]:
        """The retrieved documents that were not judged."""
        labels = self.labels
        return [doc for doc in self.docs if doc not in labels]

    @cached_property
    def is_tied(self) -> bool:
        """Whether two different documents have the same score."""
        scores = [score for _, score in dict.fromkeys(self.ranked or ())]
        return len(set(scores)) < len(scores)

    def __str__(self) -> str:
        if self.ranked is not None and not self.unretrieved and not self.unjudged:
            labels = self.labels
            if len(set(self.docs)) == len(self.docs) and QUERY_ID not in labels:
                shown = ", ".join(f"{labels[doc]:g}" for doc in self.docs)
                scores = ", ".join(f"{score:.12g}" for _, score in self.ranked)
                return f"labels [{shown}], scores [{scores}]"
        judged = "none" if self.judged is None else ", ".join(f"{doc}: {label:g}" for doc, label in self.judged)
        found = "none" if self.ranked is None else ", ".join(f"{doc}: {score:.12g}" for doc, score in self.ranked)
        return f"judged {{{judged}}}, run {{{found}}}"


@dataclass(frozen=True)
class Probe:
    """What a function is called with: queries, and the cutoff that is passed to it."""

    queries: tuple[Query, ...]
    k: int | None = None

    @property
    def one(self) -> Query:
        """The only query."""
        (query,) = self.queries
        return query

    @property
    def size(self) -> tuple[int, ...]:
        """What makes a probe small: few queries, documents and grades."""
        docs = [len(query.ranked or ()) + len(query.unretrieved) for query in self.queries]
        labels = [label for query in self.queries for label in query.labels.values()]
        return len(self.queries), sum(docs), int(10 * sum(map(abs, labels)))

    def __str__(self) -> str:
        k = "" if self.k is None else f", k = {self.k}"
        if len(self.queries) == 1:
            return f"{self.one}{k}"
        return "; ".join(f"query {place}: {query}" for place, query in enumerate(self.queries, 1)) + k


def doc_ids(n: int) -> list[str]:
    """Return n different ids, neither ascending nor descending."""
    return [_IDS[place] if place < len(_IDS) else f"e{(place * 37) % 101:03d}x{place}" for place in range(n)]


def ranking(
    labels: Sequence[float | None],
    ranks: Sequence[int] | None = None,
    *,
    scores: Sequence[float] | None = None,
    unretrieved: Iterable[float] = (),
    ids: Sequence[str] | None = None,
    zeros_judged: bool = True,
) -> Query:
    """Return a query from labels in the order given, and the rank or the score of each; None is an unjudged document.

    >>> print(ranking([0, 2], [2, 1]))
    labels [0, 2], scores [1.5, 2.5]
    """
    n = len(labels)
    if scores is None:
        scores = [n - rank + 1.5 for rank in (ranks or range(1, n + 1))]
    docs = list(ids or doc_ids(n))
    missed = {f"u{place}": label for place, label in enumerate(unretrieved)}
    known: Mapping[str, float] = {doc: label for doc, label in zip(docs, labels, strict=True) if label is not None}
    judged = {doc: label for doc, label in {**known, **missed}.items() if label or zeros_judged}
    return Query(tuple(zip(docs, scores, strict=True)), tuple(judged.items()))
