"""Calling an unknown function: what it takes, what it returns, and how often it was called."""

from __future__ import annotations

import contextlib
import copy
import importlib.util
import inspect
import math
import re
import shlex
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np

from idealrank._base.extras import needs
from idealrank.errors import OptionError
from idealrank.evaluation.identification.probes import Probe, Query

__all__ = ["Answer", "Caller", "Command", "Form", "OutOfCalls"]

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
_OF_QUERIES = (
    *("qrels", "run", "rankings", "relevants", "group", "offsets", "query_ids"),
    *("frame", "qrels_frame", "run_frame"),
)
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
_GROUPS = ("group", "offsets", "query_ids")
#: Words that tell of judged documents which were not retrieved.
_OF_JUDGED = {"judged_labels", "n_relevant", "relevant"}
#: Names of parameters, and the words that they suggest.
_NAMES = {
    "labels": """labels label y_true true relevance relevances rel rels target targets truth gt gold y grades ratings
        true_relevance""",
    "scores": """scores score y_score y_scores y_pred pred preds prediction predictions predicted output outputs y_hat
        logits""",
    "ranked_labels": """r rel rels relevance relevances ranked_labels ranked_relevances gains retrieved_relevances
        relevances_at_rank""",
    "judged_labels": "all_labels judged_labels all_relevances ideal ideal_relevances all_rels",
    "judged": "judged judgments judgements relevance qrel rel ground_truth gold grades ratings",
    "scored": "scored result results ranking run",
    "ranked": """ranked ranked_list ranked_ids ranked_docs ranking recommended recs recommendations retrieved
        retrieved_ids retrieved_docs predicted pred preds prediction predictions docs hits result results items
        recommended_items rec_list topk_items""",
    "records": "results result documents docs hits retrieved",
    "judged_docs": "relevant_ids judged_ids judged_docs relevant_docs relevant",
    "n_relevant": "n_relevant num_relevant n_rel num_rel total_relevant pos_len n_pos total_rel num_pos",
    "relevant_ranks": "ranks positions relevant_ranks",
    "frame": "df frame data",
    "qrels_frame": "rating_true qrels df_true true truth_df actual",
    "run_frame": "rating_pred run df_pred pred predictions recs",
    "docs": "docs doc_ids ids items item_ids results result ranking retrieved run hits",
    "relevant": """relevant relevant_docs relevant_ids relevant_items actual ground_truth expected expected_ids
        positives truth test_items target targets gt gold true_items y_true""",
    "qrels": "qrels qrel judgments judgements ground_truth gold",
    "run": "run runs results result ranking system",
    "rankings": "rankings run results retrieved predictions",
    "relevants": "relevants qrels relevant ground_truth gold",
    "group": "group groups group_sizes sizes",
    "offsets": "offsets query_ptr group_ptr indptr",
    "query_ids": "qid qids query_ids query_id indexes indices groups",
    "k": """k top_k topk topn top_n at at_k cutoff n p depth k_max num limit n_top num_docs rank top size max_rank
        k_value""",
}
#: Names of parameters that take a list of cutoffs.
_LISTS_OF_K = ("ks", "k_values", "k_list", "k_vals", "ats", "at_ks", "cutoffs", "topks", "top_ks")
_WORDS_OF = {
    name: [word for word, names in _NAMES.items() if name in names.split()]
    for names in _NAMES.values()
    for name in names.split()
}
#: Arguments besides k, in the order in which they are tried.
_PAIRS = (
    ("labels", "scores"),
    ("scores", "labels"),
    ("[labels]", "[scores]"),
    ("[scores]", "[labels]"),
    ("ranked", "relevant"),
    ("relevant", "ranked"),
    ("ranked", "judged"),
    ("judged", "ranked"),
    ("qrels", "run"),
    ("run", "qrels"),
    ("judged", "scored"),
    ("scored", "judged"),
    ("[ranked]", "[relevant]"),
    ("[relevant]", "[ranked]"),
    ("rankings", "relevants"),
    ("relevants", "rankings"),
    ("rankings", "qrels"),
    ("qrels", "rankings"),
    ("ranked_labels", "judged_labels"),
    ("judged_labels", "ranked_labels"),
    ("docs+scores", "judged"),
    ("judged", "docs+scores"),
    ("docs+scores", "relevant"),
    ("records", "judged"),
    ("judged", "records"),
    ("records", "relevant"),
    ("ranked_labels", "n_relevant"),
    ("[ranked_labels]", "[n_relevant]"),
    ("[relevant]", "[ranked_labels]"),
    ("relevant_ranks", "n_relevant"),
    ("qrels_frame", "run_frame"),
)
_SINGLES = (
    ("ranked_labels",),
    ("[ranked_labels]",),
    ("scores+labels",),
    ("labels+scores",),
    ("[ranked+relevant]",),
    ("[relevant+ranked]",),
    ("frame",),
)
_TRIPLES = (
    *((*pair, each) for pair in (("labels", "scores"), ("scores", "labels")) for each in _GROUPS),
    ("docs", "scores", "judged"),
    ("docs", "scores", "relevant"),
    ("ranked", "judged_docs", "judged_labels"),
)


class OutOfCalls(Exception):  # noqa: N818 (an end, not an error)
    """The budget of calls is used up."""


@dataclass(frozen=True)
class Answer:
    """What a call gave: a number, or the words of an error."""

    probe: Probe
    value: float | None
    error: str = ""
    dtype: str = "float64"

    @property
    def is_number(self) -> bool:
        """Whether the call returned a finite number."""
        return self.value is not None and math.isfinite(self.value)

    def __str__(self) -> str:
        return f"{self.value:.6g}" if self.value is not None else self.error


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
                return [_Record(self._id(doc), score) for doc, score in query.ranked or ()]
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


class _Record(dict[str, Any]):
    """A retrieved document, with every usual name of its id and its score, as keys and as attributes."""

    def __init__(self, doc: Any, score: float) -> None:
        values = {"doc": doc, "score": score}
        super().__init__({name: value for field, value in values.items() for name in _FIELDS[field].split()})

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


def _frame(word: str, queries: Mapping[str, Query]) -> Any:
    """Return a data frame that has every usual name of each of its columns."""
    with needs("pandas", ""):
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
    """Return the numbers as integers if they all are."""
    return [int(value) for value in values] if all(float(value).is_integer() for value in values) else values


class Command:
    """A shell command over a file of judgments and a run file: the last number that it prints.

    Parameters
    ----------
    command : str
        The command, with ``{qrels}``, ``{run}`` and, if it takes a cutoff, ``{k}``.
    timeout : float
        Seconds after which a call is given up.
    """

    def __init__(self, command: str, timeout: float = 60.0) -> None:
        for place in ("{qrels}", "{run}"):
            if place not in command:
                raise OptionError(f"the command must contain {place}, the path of a file that is written: {command!r}")
        self.command, self.timeout = command, timeout
        self.has_k = "{k}" in command

    def __call__(
        self, qrels: Mapping[str, Mapping[str, float]], run: Mapping[str, Mapping[str, float]], k: int = 1000
    ) -> float:
        """Write the files, run the command, and return the number."""
        with tempfile.TemporaryDirectory() as folder:
            paths = {"qrels": Path(folder, "qrels.txt"), "run": Path(folder, "system.run")}
            # some tools accept only numbers as query ids
            judged = [
                f"{q.removeprefix('q')} 0 {doc} {label}\n" for q, docs in qrels.items() for doc, label in docs.items()
            ]
            found = []
            for query, docs in run.items():
                ordered = {doc: rank for rank, (doc, _) in enumerate(sorted(docs.items(), key=lambda row: -row[1]), 1)}
                found += [f"{query.removeprefix('q')} Q0 {d} {ordered[d]} {s!r} probe\n" for d, s in docs.items()]
            paths["qrels"].write_text("".join(judged), encoding="utf-8")
            paths["run"].write_text("".join(found), encoding="utf-8")
            line = self.command
            for name, path in paths.items():
                line = line.replace(f"{{{name}}}", shlex.quote(str(path)))
            done = subprocess.run(
                line.replace("{k}", str(k)),
                shell=True,
                capture_output=True,
                text=True,
                timeout=self.timeout,
                check=False,
            )
        if done.returncode:
            raise RuntimeError(f"exit code {done.returncode}: {' '.join(done.stderr.split())[:200]}")
        numbers = re.findall(r"(?<![\w.])[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|nan|inf)(?![\w.])", done.stdout)
        if not numbers:
            raise RuntimeError(f"the command printed no number: {' '.join(done.stdout.split())[:200]!r}")
        return float(numbers[-1])


class Caller:
    """Calls a function with probes, and counts the calls.

    Parameters
    ----------
    function : callable
        The function.
    max_calls : int
        The number of calls after which `OutOfCalls` is raised.
    """

    def __init__(self, function: Callable[..., Any], max_calls: int) -> None:
        self.function, self.max_calls = function, max_calls
        self.n_calls = 0
        self.form = Form(())
        self.changed: Answer | None = None
        self.per_query = False
        #: Which of several numbers of a tuple is taken.
        self.place: int | None = None
        self.known: dict[tuple[Form, Probe], Answer] = {}

    @property
    def left(self) -> int:
        """The number of calls that are left."""
        return self.max_calls - self.n_calls

    def ask(self, probe: Probe, *, again: bool = False, form: Form | None = None) -> Answer:
        """Call the function, unless it was called with this before."""
        form = form or self.form
        key = (form, probe)
        if again or key not in self.known:
            if self.left <= 0:
                raise OutOfCalls
            self.n_calls += 1
            self.known[key] = self._called(form, probe)
        return self.known[key]

    def _called(self, form: Form, probe: Probe) -> Answer:
        positional, named = form.arguments(probe)
        before = copy.deepcopy(positional)
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                returned = self.function(*positional, **named)
            value, dtype = self._number(returned, len(probe.queries))
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # SystemExit and the like are answers too
            words = " ".join(str(error).split())
            return Answer(probe, None, f"{type(error).__name__}: {words}" if words else type(error).__name__)
        answer = Answer(probe, value, dtype=dtype)
        if self.changed is None and not all(map(_is_same, before, positional)):
            self.changed = answer
        return answer

    def _number(self, returned: Any, n_queries: int) -> tuple[float, str]:
        """Return the one number in what a function returned."""
        dtype = str(getattr(returned, "dtype", "float64")).removeprefix("torch.")
        if isinstance(returned, Real):
            return float(returned), dtype
        if hasattr(returned, "detach"):
            returned = returned.detach().cpu().numpy()
        for name in ("score", "value"):
            if isinstance(getattr(returned, name, None), Real):
                return float(getattr(returned, name)), dtype
        found = _numbers(returned)
        values = _at_largest_cutoff(found) or [value for _, value in found]
        if not values:
            raise TypeError(f"returned {type(returned).__name__} without a number: {returned!r:.80}")
        if len(values) == 1:
            return values[0], dtype
        if len(values) == n_queries:
            self.per_query = True
            return float(np.mean(values)), dtype
        is_tuple = isinstance(returned, (tuple, list, Mapping))
        if self.place is None and is_tuple and n_queries == 1 and 1.0 in values:  # the first list is in its best order
            self.place = values.index(1.0)
        if self.place is not None and self.place < len(values):
            return values[self.place], dtype
        raise TypeError(f"returned {len(values)} numbers for {n_queries} {'query' if n_queries == 1 else 'queries'}")


def _numbers(returned: Any, path: str = "") -> list[tuple[str, float]]:
    if isinstance(returned, Mapping):
        return [found for name, each in returned.items() for found in _numbers(each, f"{path}/{name}")]
    if isinstance(returned, Real):
        return [(path, float(returned))]
    if isinstance(returned, np.ndarray):
        return [(path, float(value)) for value in returned.ravel().tolist() if isinstance(value, Real)]
    if isinstance(returned, (list, tuple)):
        return [found for each in returned for found in _numbers(each, path)]
    if hasattr(returned, "to_numpy"):
        return _numbers(np.asarray(returned.to_numpy()), path)
    if hasattr(returned, "item"):
        return [(path, float(returned.item()))]
    return []


def _at_largest_cutoff(found: Sequence[tuple[str, float]]) -> list[float]:
    """Return the values with NDCG in their names; of ndcg@5 and ndcg@10, the one for most ranks."""
    named: dict[str, list[float]] = {}
    for path, value in found:
        for part in reversed(path.lower().split("/")):
            if "ndcg" in part:
                named.setdefault(part, []).append(value)
                break

    def cutoff(name: str) -> float:
        numbers = re.findall(r"\d+", name)
        return float(numbers[-1]) if numbers else math.inf

    return named[max(named, key=cutoff)] if named else []


def _is_same(first: Any, second: Any) -> bool:
    try:
        return (
            bool(np.array_equal(np.asarray(first), np.asarray(second)))
            if not isinstance(first, (dict, set))
            else first == second
        )
    except (TypeError, ValueError):
        return True


def forms_of(function: Callable[..., Any]) -> list[Form]:
    """Return the forms that a function may have, the likely ones first, by the number and names of its parameters."""
    if isinstance(function, Command):
        return [Form(("qrels", "run"), "k" if function.has_k else None)]
    try:
        parameters = [
            each
            for each in inspect.signature(function).parameters.values()
            if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)
        ]
        named = [each for each in inspect.signature(function).parameters.values() if each.kind == each.KEYWORD_ONLY]
    except (TypeError, ValueError):
        parameters, named = [], []
    names = [each.name.lower() for each in parameters]
    k = _cutoff_name([*parameters[1:], *named])
    data = [name for name in names if k is None or name != k.lower()]
    n_data = sum(1 for each in parameters if each.default is each.empty and each.name != k) if parameters else 2
    found: list[tuple[tuple[str, ...], str | None]]
    if n_data > 3:
        return []
    if n_data == 1:  # a list of scores may have a default
        found = [(words, k) for words in (*_SINGLES, *(_PAIRS[:4] if len(names) >= 2 else ()))]
    elif n_data == 3:  # the third may be a cutoff under another name
        found = [(words, "") for words in _PAIRS if k is None] + [(words, k) for words in _TRIPLES]
    else:
        found = [(words, k) for words in _PAIRS] + ([(("ranked_labels",), "")] if k is None else [])
    ordered = sorted(found, key=lambda each: -_likeness((*each[0], *(["k"] if each[1] == "" else [])), data))
    listed = next((_takes_list(each) for each in [*parameters, *named] if each.name == k), False)
    return [
        Form(words, own_k, has_list_of_k=listed, is_suggested=_likeness(words, data) == 2 * len(words))
        for words, own_k in ordered
    ]


def _cutoff_name(parameters: Sequence[inspect.Parameter]) -> str | None:
    """Return the name of the parameter that is a cutoff: by its name, or by its default, an integer."""
    for each in parameters:
        if each.name.lower() in _NAMES["k"].split() or _takes_list(each):
            return each.name
    for each in parameters:
        if isinstance(each.default, int) and not isinstance(each.default, bool) and each.default > 0:
            return each.name
    return None


def _takes_list(parameter: inspect.Parameter) -> bool:
    """Whether a parameter takes a list of cutoffs: by its name, or by its default."""
    default = parameter.default
    if isinstance(default, (list, tuple)):
        return bool(default) and all(isinstance(each, int) and not isinstance(each, bool) for each in default)
    return parameter.name.lower() in _LISTS_OF_K


def _likeness(words: Sequence[str], names: Sequence[str]) -> int:
    """Return how well the words suit the names of parameters."""
    found = 0
    for word, name in zip(words, names, strict=False):
        suggested = _WORDS_OF.get(name, [])
        is_suggested = any(part in suggested for part in word.strip("[]").split("+"))
        found += 2 * is_suggested - bool(suggested and not is_suggested)
    return found


def variants(form: Form) -> list[Form]:
    """Return the form with other containers and ids."""
    words = set(form.bare)
    found = [form]
    if words & {"frame", "qrels_frame", "run_frame"}:
        return found if importlib.util.find_spec("pandas") else []
    if "relevant_ranks" in words:
        return found
    if words & {"labels", "scores", "ranked_labels"} and not any("+" in word for word in form.words):
        found.append(replace(form, arrays="list"))
        if "torch" in sys.modules:
            found.append(replace(form, arrays="torch"))
    if words & {"relevant", "relevants"}:
        found.append(replace(form, arrays="set"))
    if words & {"ranked", "rankings", "docs"}:
        found.append(replace(form, ids="numbers"))
    return found


def parse_takes(takes: str, function: Callable[..., Any]) -> Form:
    """Return the form that is written as "labels, scores, k"; k is passed by name if the function has a name for it."""
    words = [word.strip() for word in takes.split(",")]
    for word in words:
        if not all(part in WORDS for part in word.strip("[]").split("+")):
            raise OptionError(f"unknown word {word!r} in takes={takes!r}; known are {', '.join(WORDS)}")
        if word.startswith("[") != word.endswith("]"):
            raise OptionError(f"a bracket is missing in takes={takes!r}")
    if "k" in words[:-1]:
        raise OptionError(f"k must be the last word in takes={takes!r}")
    name, listed = "", False
    if "k" in words:
        if isinstance(function, Command):
            name = "k"
        else:
            with contextlib.suppress(TypeError, ValueError):
                parameters = inspect.signature(function).parameters
                name = _cutoff_name(list(parameters.values())) or ""
                listed = bool(name) and _takes_list(parameters[name])
    own = tuple(word for word in words if word != "k")
    return Form(own, name if "k" in words else None, has_list_of_k=listed)
