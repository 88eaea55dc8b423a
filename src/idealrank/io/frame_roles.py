"""Roles of the columns of a frame: query, label, score, document, weight or feature."""

from __future__ import annotations

import re
import warnings
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import compress
from typing import TYPE_CHECKING, Any, TypedDict

from idealrank._core.checks import items_of
from idealrank.data.problem import Problem
from idealrank.errors import DataError

if TYPE_CHECKING:
    from narwhals.dtypes import DType

#: The column that has the name of the file of each record, which a folder with one file per question gets.
FILE = "nameofitsfile"
_QUERY_IDS = ("qid", "queryid", "userid", "topicid", "questionid")
_CHUNKS = ("chunkid", "nodeid")
_NOUNS = ("doc", "document", "chunk", "passage", "context", "node")
_QUERIES = (
    ("query", "user", "topic"),
    ("question", "userinput"),
    ("sessionid", "searchid", "srchid", "customerid", "reviewerid"),
)
_LISTS = ("ids", "context", *(noun + end for noun in _NOUNS for end in ("ids", "s")))
#: Names of columns by role, without case, hyphens and underscores, as idealrank, PyTerrier, ir_measures, MTEB, BEIR,
#: recommenders, retrieval for language models, and well-known data sets of searches, ratings and clicks write them. A
#: name of an earlier group wins over those of later groups; two of one group are ambiguous. "chunk" takes the place
#: of "doc", and "listed" that of "chunk" in lists of documents; "question" takes that of "query" in rows with lists of
#: documents; "begin" and "end" are offsets in a document; "relevant" and "retrieved" hold lists of documents, and
#: "either" may be both. "*" is nothing or a noun: "gold*" is gold or goldchunks, "gold*ids" goldids or goldchunkids.
NAMES: Mapping[str, Sequence[tuple[str, ...]]] = {
    "query": (_QUERY_IDS, *_QUERIES),
    "question": (_QUERY_IDS, ("id",), (FILE,), *_QUERIES, ("input",)),
    "doc": (
        ("docno",),
        ("docid", "documentid", "corpusid", "passageid", "pid", "itemid"),
        ("doc", "document", "item"),
        ("source", "filename"),
        ("movieid", "productid", "propid", "articleid", "newsid", "trackid", "songid", "bookid", "videoid"),
        ("parentasin",),
        ("asin",),
    ),
    "chunk": (_CHUNKS,),
    "listed": (_CHUNKS, ("id",)),
    "label": (("label", "relevance", "rel", "grade", "rating"), ("target",)),
    "score": (("score", "prediction"), ("pred", "similarity", "similarityscore", "yscore", "ypred")),
    "rank": (("rank",), ("position",)),
    "subtopic": (("subtopic", "subtopicid"),),
    "begin": (("begin", "start"), ("beginoffset", "startoffset", "startchar", "charstart", "startindex", "startidx")),
    "end": (("end", "stop"), ("endoffset", "endchar", "charend", "endindex", "endidx")),
    "relevant": (
        ("relevant*ids", "gold*ids", "golden*ids", "expected*ids", "reference*ids", "groundtruth*ids", "positive*ids"),
        ("relevant*", "gold*", "golden*", "goldspans", "evidence"),
        ("expected*", "groundtruth*", "positive*", "positives", "reference*", "references"),
    ),
    "retrieved": (
        ("retrieved*ids",),
        ("retrieved*",),
        ("results", "ranking", "ranked", "hits", "matches", "retrievalcontext", "source*"),
        _LISTS,
    ),
    "either": (_LISTS,),
}
_TITLES = {
    "query": "query ids",
    "question": "query ids",
    "doc": "document ids",
    "chunk": "ids of chunks",
    "listed": "ids of chunks",
    "label": "labels",
    "score": "scores",
    "rank": "ranks",
    "subtopic": "subtopics",
    "begin": "offsets where text begins",
    "end": "offsets where text ends",
    "relevant": "relevant documents",
    "retrieved": "retrieved documents",
    "either": "documents",
}
# Names of numbers that identify a row or give its position: as features, they leak the
# order of the file, or the answer.
_IDS = re.compile(
    r"(.*[\W_])?(id|idx|index|docno)|row|rank|position|pos"
    r"|(doc|document|query|item|product|user|url|row|page|passage|topic|session)id"
    r"|unnamed: \d+|level_\d+"
)
_RANKS = ("rank", "ranking", "position", "pos")


class Columns(TypedDict, total=False):
    """Column names, as keywords of functions that pass them to `from_frame`."""

    query: str
    label: str
    score: str | None
    doc: str | None
    weight: str | None
    features: Sequence[str] | None


def check_column(name: Any, schema: Mapping[str, object], role: str = "") -> None:
    """Raise a DataError if the frame does not have this column; the error suggests the most similar one.

    If no name is similar, it says how to name the column of this role.
    """
    if isinstance(name, Hashable) and name in schema:
        return
    import difflib  # only errors need it

    names = {str(column).lower(): str(column) for column in schema}
    near = difflib.get_close_matches(str(name).lower(), names, n=1, cutoff=0.5)
    hint = f", did you mean {names[near[0]]!r}?" if near else "."
    advice = ""
    if role and not near:
        advice = f"; name the column of {_TITLES[role]} with {role}= (--{role} on the command line)"
    raise DataError(f"the frame has no column {name!r}{hint} It has {_listed(list(map(str, schema)))}{advice}")


def find_column(role: str, columns: Iterable[str], given: Mapping[str, str] | None = None) -> str | None:
    """Return the column that has a role, by the name given for it or by a well-known name; None if there is none.

    Parameters
    ----------
    role : str
        The role, a key of ``NAMES``.
    columns : iterable of str
        The columns of the frame.
    given : mapping, optional
        Names by role; they take precedence, and no other role gets such a column.

    Raises
    ------
    DataError
        If several columns could have the role.

    Examples
    --------
    >>> find_column("doc", ["qid", "docid", "docno", "score"]), find_column("label", ["qid", "score"])
    ('docno', None)
    """
    return next(find_columns(role, columns, given), None)


def find_columns(role: str, columns: Iterable[str], given: Mapping[str, str] | None = None) -> Iterator[str]:
    """Yield the columns that may have a role, those of earlier groups of names first; see `find_column`."""
    names, given, is_found = list(columns), given or {}, False
    if given.get(role) in names:
        yield given[role]
        return
    free = [name for name in names if name not in given.values()]
    for group in NAMES[role]:
        matches = _among(_written_out(group), free)
        if len(matches) > 1 and not is_found:
            raise DataError(
                f"several columns could hold the {_TITLES[role]}: {_listed(matches)}; pass {role}= with one of them "
                f"(--{role} on the command line)"
            )
        yield from matches
        is_found = is_found or bool(matches)


def called_like(role: str, columns: Iterable[str]) -> list[str]:
    """Return the columns with any name of a role.

    Examples
    --------
    >>> called_like("relevant", ["qid", "reference", "gold_ids"])
    ['reference', 'gold_ids']
    """
    return _among(frozenset().union(*map(_written_out, NAMES[role])), columns)


def _among(known: frozenset[str], columns: Iterable[str]) -> list[str]:
    return [name for name in columns if "".join(filter(str.isalnum, str(name).lower())) in known]


@cache
def _written_out(group: tuple[str, ...]) -> frozenset[str]:
    """Return the names of a group, with nouns in the place of "*".

    >>> sorted(_written_out(("gold*ids", "hits")))[:4]
    ['goldchunkids', 'goldcontextids', 'golddocids', 'golddocumentids']
    """
    nouns = ("", *_NOUNS)
    return frozenset(
        name.replace("*", noun) + ("s" if noun and name.endswith("*") else "")
        for name in group
        for noun in (nouns if "*" in name else ("",))
    )


def need_column(role: str, columns: Iterable[str], given: Mapping[str, str] | None = None) -> str:
    """Return the column that has a role, as `find_column` does; none is a DataError."""
    names = list(columns)
    column = find_column(role, names, given)
    if column is None:
        raise DataError(
            f"no column of {_TITLES[role]} was recognized; pass {role}= with the name of the column (--{role} on the "
            f"command line). The frame has {_listed(list(map(str, names)))}"
        )
    return column


def check_score_column(name: str) -> None:
    """Raise a DataError if the name of a column says that it holds ranks, which as scores would reverse the ranking."""
    if str(name).strip().lower() in _RANKS:
        raise DataError(
            "the column seems to hold ranks, of which lower is better, while higher scores are better: "
            "negate it in a column of another name, or rename it if higher is better",
            column=name,
        )


def _listed(names: Sequence[str], most: int = 20) -> str:
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return (", ".join(map(repr, names[:most])) or "no columns") + more


@dataclass(frozen=True)
class Roles:
    """Columns by role.

    Parameters
    ----------
    query, label : str
        The columns of query ids and labels.
    optional : mapping
        The columns that are used as "score", "doc" and "weight".
    features : sequence of str
        The feature columns.
    problems : tuple of Problem
        Reports columns that are not used.
    """

    query: str
    label: str
    optional: Mapping[str, str]
    features: Sequence[str]
    problems: tuple[Problem, ...]

    @property
    def columns(self) -> list[str]:
        """All columns that are used, without repetitions."""
        return list(dict.fromkeys((self.query, self.label, *self.optional.values(), *self.features)))


def choose_roles(
    schema: Mapping[str, DType],
    query: str,
    label: str,
    score: str | None,
    doc: str | None,
    weight: str | None,
    features: Sequence[str] | None,
) -> Roles:
    """Choose columns as described in `from_frame`; a named column that does not exist is a DataError."""
    wanted = {"score": score, "doc": doc, "weight": weight}
    named = {role: name for role, name in wanted.items() if name not in (None, role)}
    check_column(query, schema, "query")
    check_column(label, schema, "label")
    for name in named.values():
        check_column(name, schema)
    if "score" in named:
        check_score_column(named["score"])
    taken = {query, label, *named.values()}
    # Named columns take precedence over defaults: from_frame(df, label="score") must not also rank by the labels.
    optional = named | {role: role for role, name in wanted.items() if name == role in schema and role not in taken}

    if features is not None:
        columns = [features] if isinstance(features, str) else list(items_of(features, "features"))
        for name in columns:
            check_column(name, schema)
        return Roles(query, label, optional, columns, ())
    rest = [name for name in schema if name not in taken | set(optional.values())]
    fits = [schema[name].is_numeric() or (name == "features" and _may_hold_lists(schema[name])) for name in rest]
    unused = [str(name) for name, fit in zip(rest, fits, strict=True) if not fit]
    problems: tuple[Problem, ...] = ()
    if unused:
        columns_are = "column is" if len(unused) == 1 else "columns are"
        message = f"{len(unused):,} {columns_are} not numeric and not used: {_listed(unused, 5)}"
        problems = (Problem("unused column", len(unused), message),)
    chosen = list(compress(rest, fits))
    return Roles(query, label, optional, chosen, problems + _note_ids(chosen))


def _note_ids(features: Sequence[str]) -> tuple[Problem, ...]:
    """Warn about features whose names suggest ids or positions, and report them."""
    ids = [str(name) for name in features if _IDS.fullmatch(str(name).strip().lower())]
    if not ids:
        return ()
    others = [str(name) for name in features if str(name) not in ids]
    message = (
        f"{len(ids):,} of the {len(features):,} columns that were taken as features have names of ids or ranks: "
        f"{_listed(ids, 5)}; to use other features, name them: features=[{_listed(others, 5)}]"
    )
    warnings.warn(message, UserWarning, stacklevel=4)
    return (Problem("id as feature", len(ids), message),)


def _may_hold_lists(dtype: DType) -> bool:
    import narwhals as nw

    return isinstance(dtype, (nw.List, nw.Array, nw.Object))  # pandas stores lists as objects
