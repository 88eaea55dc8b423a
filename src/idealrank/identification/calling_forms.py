"""How a function may be called: what each argument holds, guessed from the number and names of its parameters."""

from __future__ import annotations

import contextlib
import inspect
import itertools
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from idealrank._core.extras import is_installed, needs
from idealrank.errors import OptionError

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
        scored = "none" if self.ranked is None else ", ".join(f"{doc}: {score:.12g}" for doc, score in self.ranked)
        return f"judged {{{judged}}}, run {{{scored}}}"


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


_FRAMES = ("frame", "qrels_frame", "run_frame")
#: Words for dicts by query, and the word for what they hold for each.
_BY_QUERY = {"qrels": "judged", "relevants": "relevant", "run": "scored", "rankings": "ranked"}
_LABELS = {"labels", "ranked_labels", "frame", "relevant_ranks"}
#: Names of columns of frames, and of fields of records.
_FIELDS = {
    "query": """query_id qid query q_id queryid query_ids topic topic_id user user_id userID userId user_idx session
        session_id group group_id""",
    "doc": "id doc_id docid docno doc document document_id item item_id itemID itemId product_id pid _id",
    "label": "label labels rel relevance rating grade target y_true gain relevant true gt",
    "score": "score scores prediction pred y_pred y_score similarity predicted relevance_score",
    "rank": "rank position",
}
#: Forms that are tried with all containers before the next one is.
_LIKELY = 4


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

    @cached_property
    def bare(self) -> set[str]:
        """The words without brackets, one by one."""
        return {part for word in self.words for part in _parts(word)}

    @property
    def has_scores(self) -> bool:
        """Whether the function sees scores, and so equal ones."""
        return bool({"scores", "scored", "run", "records", "frame", "run_frame"} & self.bare)

    @property
    def has_ids(self) -> bool:
        """Whether documents may be judged and not retrieved, or the reverse."""
        return self.has_names or bool({"judged_labels", "n_relevant", "relevant"} & self.bare)

    @property
    def has_names(self) -> bool:
        """Whether the function sees ids of documents."""
        return not _LABELS & self.bare

    @property
    def is_graded(self) -> bool:
        """Whether the function sees labels."""
        return not {"relevant", "relevants", "n_relevant"} & self.bare

    @property
    def has_queries(self) -> bool:
        """Whether the function takes several queries."""
        of_queries = {*_BY_QUERY, *_FRAMES, "group", "offsets", "query_ids"}
        return any(word in of_queries or word.startswith("[") for word in self.words)

    @property
    def has_missing_queries(self) -> bool:
        """Whether a query may be judged and not retrieved, or the reverse."""
        return bool({*_BY_QUERY, "qrels_frame"} & set(self.words))

    @property
    def has_duplicates(self) -> bool:
        """Whether a document may be retrieved twice."""
        return bool({"ranked", "rankings"} & self.bare)

    @property
    def has_query_ids(self) -> bool:
        """Whether the function sees ids of queries that a document may have too."""
        return self.has_names and self.ids == "text" and bool({*_BY_QUERY, "qrels_frame"} & set(self.words))

    def __str__(self) -> str:
        return ", ".join([*self.words, *(["k"] if self.k is not None and "k" not in self.words else [])])

    def can_express(self, probe: Probe) -> bool:
        """Whether the arguments can hold what the probe says."""
        for query in probe.queries:
            if (
                ((query.ranked is None or query.judged is None) and not self.has_missing_queries)
                or ((query.unretrieved or query.unjudged) and not self.has_ids)
                or (not set(query.labels.values()) <= {0, 1} and not self.is_graded)
                or (query.is_tied and not self.has_scores)
                or (QUERY_ID in query.docs and not self.has_query_ids)
                or (len(set(query.docs)) < len(query.docs) and not self.has_duplicates)
            ):
                return False
        lengths = {len(query.docs) for query in probe.queries}
        if len(lengths) > 1 and {"[labels]", "[ranked_labels]"} & set(self.words):
            return False
        return (len(probe.queries) == 1 or self.has_queries) and (probe.k is None or self.k is not None)

    def arguments(self, probe: Probe) -> tuple[list[Any], dict[str, Any]]:
        """Return new positional and keyword arguments."""
        positional = [self._argument(word, probe) for word in self.words]
        k = [probe.k] if self.has_list_of_k else probe.k
        named = {} if probe.k is None or not self.k else {self.k: k}
        if probe.k is not None and self.k == "":
            positional.append(k)
        return positional, named

    def variants(self) -> list[Form]:
        """Return the form with the containers and ids that it is likely to take."""
        containers = [self]
        if self.bare & {*_FRAMES, "relevant_ranks"}:
            return containers
        if self.bare & {"labels", "scores", "ranked_labels"} and not any("+" in word for word in self.words):
            containers.append(replace(self, arrays="list"))
            if "torch" in sys.modules:
                containers.append(replace(self, arrays="torch"))
        if self.bare & {"relevant", "relevants"}:
            containers.append(replace(self, arrays="set"))
        if self.bare & {"ranked", "rankings", "docs"}:
            containers.append(replace(self, ids="numbers"))
        return containers

    def _argument(self, word: str, probe: Probe) -> Any:
        queries = {f"q{place}": query for place, query in enumerate(probe.queries, 1)}
        sizes = [len(query.docs) for query in probe.queries]
        if "+" in word:
            plain = replace(self, arrays="set" if self.arrays == "set" else "list")
            pairs = [[plain._of(part, query) for part in _parts(word)] for query in probe.queries]
            return [tuple(pair) for pair in pairs] if word.startswith("[") else list(zip(*pairs[0], strict=True))
        if word.startswith("["):
            rows = [self._of(word.strip("[]"), query) for query in probe.queries]
            return np.array(rows) if isinstance(rows[0], np.ndarray) else rows
        if word in _BY_QUERY:
            side = "judged" if word in ("qrels", "relevants") else "ranked"
            own = {name: query for name, query in queries.items() if getattr(query, side) is not None}
            return {name: self._of(_BY_QUERY[word], query) for name, query in own.items()}
        if word in _FRAMES:
            return _frame(word, queries)
        match word:
            case "group":
                return self.array(sizes)
            case "offsets":
                return self.array([0, *itertools.accumulate(sizes)])
            case "query_ids":
                return self.array([place for place, size in enumerate(sizes) for _ in range(size)])
        parts: list[Any] = [self._of(word, query) for query in probe.queries]
        return parts[0] if len(parts) == 1 else self.array([value for part in parts for value in part])

    def _of(self, word: str, query: Query) -> Any:
        value = WORDS[word].value
        if value is None:
            raise OptionError(f"unknown word {word!r} in takes; known are {', '.join(WORDS)}")
        return value(self, query)

    def array(self, values: Sequence[Any]) -> Any:
        """Return numbers in the container that the function takes."""
        if self.arrays == "torch":
            import torch

            return torch.tensor(values)
        return np.array(values) if self.arrays == "numpy" else list(values)

    def ids_of(self, docs: Iterable[str]) -> list[Any]:
        """Return ids of the kind that the function takes."""
        if self.ids == "text":
            return list(docs)
        return [int("".join(f"{ord(letter):03d}" for letter in doc)) % 1_000_003 for doc in docs]

    def relevant_ids(self, query: Query) -> Any:
        """Return the ids of the relevant documents, as a set if the function takes one."""
        ids = self.ids_of([doc for doc, label in query.labels.items() if label > 0])
        return set(ids) if self.arrays == "set" else ids


class _Word(NamedTuple):
    """What an argument holds: names of parameters that suggest it, and its value for one query."""

    names: str
    #: None for what holds several queries.
    value: Callable[[Form, Query], Any] | None = None


#: The words that a form is made of.
WORDS = {
    # the labels and scores of one list, in the order of its documents
    "labels": _Word(
        "labels label y_true true relevance relevances rel rels target targets truth gt gold y grades ratings "
        "true_relevance", lambda form, query: form.array(_whole([query.labels[doc] for doc in query.docs]))),
    "scores": _Word(
        "scores score y_score y_scores y_pred pred preds prediction predictions predicted output outputs y_hat logits",
        lambda form, query: form.array(query.scores)),
    "ranked_labels": _Word(
        "r rel rels relevance relevances ranked_labels ranked_relevances gains retrieved_relevances relevances_at_rank",
        lambda form, query: form.array(_whole([query.labels.get(doc, 0) for doc in query.in_rank_order]))),
    "judged_labels": _Word("all_labels judged_labels all_relevances ideal ideal_relevances all_rels",
                           lambda form, query: form.array(_whole(list(query.labels.values())))),
    # {document: label} and {document: score} of one query
    "judged": _Word(
        "judged judgments judgements relevance qrel rel ground_truth gold grades ratings",
        lambda form, query: dict(zip(form.ids_of(query.labels), _whole(list(query.labels.values())), strict=True))),
    "scored": _Word("scored result results ranking run",
                    lambda form, query: dict(zip(form.ids_of(query.docs), query.scores, strict=True))),
    "ranked": _Word(
        "ranked ranked_list ranked_ids ranked_docs ranking recommended recs recommendations retrieved retrieved_ids "
        "retrieved_docs predicted pred preds prediction predictions docs hits result results items recommended_items "
        "rec_list topk_items", lambda form, query: form.ids_of(query.in_rank_order)),
    "docs": _Word("docs doc_ids ids items item_ids results result ranking retrieved run hits",
                  lambda form, query: form.ids_of(query.docs)),
    # one dict or object per retrieved document
    "records": _Word(
        "results result documents docs hits retrieved",
        lambda form, query: list(map(_RetrievedDocument, form.ids_of(query.docs), query.scores))),
    "judged_docs": _Word("relevant_ids judged_ids judged_docs relevant_docs relevant",
                         lambda form, query: form.ids_of(query.labels)),
    "n_relevant": _Word("n_relevant num_relevant n_rel num_rel total_relevant pos_len n_pos total_rel num_pos",
                        lambda form, query: sum(label > 0 for label in query.labels.values())),
    "relevant_ranks": _Word(
        "ranks positions relevant_ranks", lambda form, query:
        [rank for rank, doc in enumerate(query.in_rank_order, 1) if query.labels.get(doc, 0) > 0]),
    # data frames with a row per document
    "frame": _Word("df frame data"),
    "qrels_frame": _Word("rating_true qrels df_true true truth_df actual"),
    "run_frame": _Word("rating_pred run df_pred pred predictions recs"),
    "relevant": _Word(
        "relevant relevant_docs relevant_ids relevant_items actual ground_truth expected expected_ids positives truth "
        "test_items target targets gt gold true_items y_true", lambda form, query: form.relevant_ids(query)),
    # dicts by query
    "qrels": _Word("qrels qrel judgments judgements ground_truth gold"),
    "run": _Word("run runs results result ranking system"),
    "rankings": _Word("rankings run results retrieved predictions"),
    "relevants": _Word("relevants qrels relevant ground_truth gold"),
    # the number of documents of each query, where each begins, and the query of each document
    "group": _Word("group groups group_sizes sizes"),
    "offsets": _Word("offsets query_ptr group_ptr indptr"),
    "query_ids": _Word("qid qids query_ids query_id indexes indices groups"),
    "k": _Word("k top_k topk topn top_n at at_k cutoff n p depth k_max num limit n_top num_docs rank top size max_rank "
               "k_value"),
}  # fmt: skip
#: Names of parameters that take a list of cutoffs.
_LISTS_OF_K = ("ks", "k_values", "k_list", "k_vals", "ats", "at_ks", "cutoffs", "topks", "top_ks")
_NAMES_OF = {word: set(each.names.split()) for word, each in WORDS.items()}


def _forms(text: str) -> list[tuple[str, ...]]:
    return [tuple(form.split()) for form in text.replace("\n", "|").split("|") if form.strip()]


#: Arguments besides k, in the order in which they are tried.
_SINGLES = _forms("""
    ranked_labels | [ranked_labels] | scores+labels | labels+scores | [ranked+relevant] | [relevant+ranked] | frame""")
_PAIRS = _forms("""
    labels scores | scores labels | [labels] [scores] | [scores] [labels]
    ranked relevant | relevant ranked | ranked judged | judged ranked
    qrels run | run qrels | judged scored | scored judged
    [ranked] [relevant] | [relevant] [ranked]
    rankings relevants | relevants rankings | rankings qrels | qrels rankings
    ranked_labels judged_labels | judged_labels ranked_labels
    docs+scores judged | judged docs+scores | docs+scores relevant
    records judged | judged records | records relevant
    ranked_labels n_relevant | [ranked_labels] [n_relevant] | [relevant] [ranked_labels] | relevant_ranks n_relevant
    qrels_frame run_frame""")
_TRIPLES = _forms("""
    labels scores group | labels scores offsets | labels scores query_ids
    scores labels group | scores labels offsets | scores labels query_ids
    docs scores judged | docs scores relevant | ranked judged_docs judged_labels""")


def forms_of(function: Callable[..., Any]) -> Iterator[Form]:
    """Yield the forms that a function may have, the likely ones first, by the number and names of its parameters."""
    try:
        signature = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        signature = []
    parameters = [each for each in signature if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)]
    named = [each for each in signature if each.kind == each.KEYWORD_ONLY]
    k = _cutoff_name([*parameters[1:], *named])
    n_data = sum(each.default is each.empty and each.name != k for each in parameters) if parameters else 2
    possible: list[tuple[tuple[str, ...], str | None]]
    if n_data > 3:
        return
    if n_data == 1:  # there may be a list of scores with a default
        possible = [(words, k) for words in (*_SINGLES, *(_PAIRS[:4] if len(parameters) >= 2 else ()))]
    elif n_data == 3:  # the third may be a cutoff with another name
        possible = [(words, "") for words in _PAIRS if k is None] + [(words, k) for words in _TRIPLES]
    else:
        possible = [(words, k) for words in _PAIRS] + ([(("ranked_labels",), "")] if k is None else [])
    data = [each.name.lower() for each in parameters if k is None or each.name.lower() != k.lower()]
    listed = any(_takes_list(each) for each in signature if each.name == k)
    ordered = sorted(possible, key=lambda each: -_likeness((*each[0], *(["k"] if each[1] == "" else [])), data))
    forms = [
        Form(words, own_k, has_list_of_k=listed, is_suggested=_likeness(words, data) == 2 * len(words))
        for words, own_k in ordered
    ]
    first, later = forms[:_LIKELY], forms[_LIKELY:]
    rounds = itertools.zip_longest(*(form.variants() for form in later))
    by_turns = (variant for turn in rounds for variant in turn if variant is not None)
    for form in itertools.chain(*(form.variants() for form in first), by_turns):
        if not form.bare & set(_FRAMES) or is_installed("pandas"):
            yield form


def _cutoff_name(parameters: Sequence[inspect.Parameter]) -> str | None:
    """Return the name of the parameter that is a cutoff, judging by its name or by an integer default."""
    for each in parameters:
        may_be = each.default in (each.empty, None) or _is_cutoff(each.default)
        if (each.name.lower() in _NAMES_OF["k"] and may_be) or _takes_list(each):
            return each.name
    return next((each.name for each in parameters if _is_cutoff(each.default)), None)


def _is_cutoff(default: object) -> bool:
    return isinstance(default, (int, np.integer)) and not isinstance(default, bool) and int(default) >= 1


def _takes_list(parameter: inspect.Parameter) -> bool:
    """Return whether a parameter takes a list of cutoffs, judging by its default or else by its name."""
    default = parameter.default
    if isinstance(default, (list, tuple)):
        return bool(default) and all(map(_is_cutoff, default))
    return parameter.name.lower() in _LISTS_OF_K and not isinstance(default, int)


def _likeness(words: Sequence[str], names: Sequence[str]) -> int:
    """Return how well the words match the names of parameters."""
    likeness = 0
    for word, name in zip(words, names, strict=False):
        is_suggested = any(name in _NAMES_OF[part] for part in _parts(word))
        suggests_others = not is_suggested and any(name in names for names in _NAMES_OF.values())
        likeness += 2 * is_suggested - suggests_others
    return likeness


def parse_takes(takes: str, function: Callable[..., Any]) -> list[Form]:
    """Return the form that is written as "labels, scores, k"; k is passed by name if the function has a name for it."""
    if not isinstance(takes, str):
        raise OptionError(f"takes must be text such as 'labels, scores, k', got {takes!r}")
    words = [word.strip() for word in takes.split(",")]
    for word in words:
        if not all(part in WORDS for part in _parts(word)):
            raise OptionError(f"unknown word {word!r} in takes={takes!r}; known are {', '.join(WORDS)}")
        if word.startswith("[") != word.endswith("]"):
            raise OptionError(f"a bracket is missing in takes={takes!r}")
    if "k" in words[:-1]:
        raise OptionError(f"k must be the last word in takes={takes!r}")
    if "k" not in words:
        return Form(tuple(words)).variants()
    name, listed = "", False
    with contextlib.suppress(TypeError, ValueError):
        parameters = inspect.signature(function).parameters
        name = _cutoff_name(list(parameters.values())) or ""
        listed = bool(name) and _takes_list(parameters[name])
    return Form(tuple(words[:-1]), name, has_list_of_k=listed).variants()


def _parts(word: str) -> list[str]:
    return word.strip("[]").split("+")


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
        if word == "qrels_frame":
            rows += [{"query": name, "doc": doc, "label": label} for doc, label in query.judged or () if label > 0]
            continue
        ranks = {doc: rank for rank, doc in enumerate(query.in_rank_order, 1)}
        for doc, score in query.ranked or ():
            label = query.labels.get(doc, 0)
            rows.append({"query": name, "doc": doc, "label": label, "score": score, "rank": ranks[doc]})
    without = {"qrels_frame": ("score", "rank"), "run_frame": ("label",)}.get(word, ())
    columns = {field: [row[field] for row in rows] for field in _FIELDS if field not in without}
    if "label" in columns:
        columns["label"] = _whole(columns["label"])
    return pandas.DataFrame({name: columns[field] for field in columns for name in _FIELDS[field].split()})


def _whole(values: list[float]) -> list[Any]:
    """Return the numbers as integers if all are whole."""
    return [int(value) for value in values] if all(float(value).is_integer() for value in values) else values
