"""Query lists: validated arrays that are ready for the native core."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from idealrank._core.threads import resolve_threads
from idealrank._typing import Floats, Int64s
from idealrank.data.columns import array_of, check_columns, check_offsets, float_column, weight_column
from idealrank.data.ids import Ids, taken
from idealrank.errors import DataError

if TYPE_CHECKING:
    from idealrank.data.subtopics import Subtopics

#: Integers stay integers; any other ids are text.
QueryIds: TypeAlias = Ids | Int64s


class JudgedLabels(NamedTuple):
    """Labels of all judged documents, retrieved or not, from which the ideal ranking and recall are computed.

    Parameters
    ----------
    labels : float64 array of shape (n_judged,)
        One label per judged document.
    offsets : int64 array of shape (n_queries + 1,)
        Query i has the labels ``offsets[i]:offsets[i + 1]``.

    Examples
    --------
    Two queries, the first with the labels 2 and 0, the second with the label 1:

    >>> import numpy as np
    >>> from idealrank.results import JudgedLabels
    >>> JudgedLabels(np.array([2.0, 0.0, 1.0]), np.array([0, 2, 3]))
    JudgedLabels(labels=array([2., 0., 1.]), offsets=array([0, 2, 3]))
    """

    labels: Floats
    offsets: Int64s


@dataclass(frozen=True, eq=False)
class Lists:
    """Labeled and scored documents, grouped by query, in arrays of matching sizes.

    Parameters
    ----------
    labels, scores : float64 arrays
        One entry per document.
    offsets : int64 array
        Query i has the documents ``offsets[i]:offsets[i + 1]``.
    weights : float64 array, optional
        One non-negative weight per document; None means that all are 1.
    judged : JudgedLabels, optional
        Labels of all judged documents, if some are not in the lists. An unjudged document has the label NaN.
    doc_ids : Ids, optional
        One id per document.
    query_ids : Ids or int64 array, optional
        One id per query, for errors.
    rows : int64 array, optional
        The caller's row of each document, for errors; None if document i is row i.
    negative : {"error", "unjudged", "keep"}
        Whether a negative label is an error, marks an unjudged document, or is an ordinary label.
    n_threads : int
        Number of threads that the native core may use.
    subtopics : Subtopics, optional
        The subtopics that the documents are judged for, if the judgments are by subtopic.

    Examples
    --------
    >>> lists = Lists.of([1, 0, 2], [0.1, 0.2, 0.3], [0, 1, 3])
    >>> lists.n_queries, lists.sizes
    (2, array([1, 2]))
    """

    labels: Floats
    scores: Floats
    offsets: Int64s
    weights: Floats | None = None
    judged: JudgedLabels | None = None
    doc_ids: Ids | None = None
    query_ids: QueryIds | None = None
    rows: Int64s | None = None
    negative: str = "error"
    n_threads: int = 1
    subtopics: Subtopics | None = None

    @classmethod
    def of(
        cls,
        labels: npt.ArrayLike,
        scores: npt.ArrayLike,
        offsets: npt.ArrayLike | None = None,
        *,
        weights: npt.ArrayLike | None = None,
        judged: tuple[npt.ArrayLike, npt.ArrayLike] | None = None,
        mask: npt.ArrayLike | None = None,
        n_threads: int | None = None,
    ) -> Lists:
        """Check arrays and combine them, without copying.

        Parameters
        ----------
        labels, scores : array-like
            One number per document.
        offsets : array-like of int, optional
            n_queries + 1 integers that separate the queries; one query by default.
        weights : array-like, optional
            One non-negative weight per document.
        judged : tuple of two array-likes, optional
            Labels and offsets of all judged documents.
        mask : array-like of bool, optional
            Documents where it is False are left out.
        n_threads : int, optional
            Number of threads; None means all cores, or the number passed to `set_threads`.

        Returns
        -------
        Lists
            The checked arrays.

        Raises
        ------
        DataError
            If the arrays have the wrong type or their sizes do not match.

        Examples
        --------
        >>> lists = Lists.of([1, 0, 2], [0.1, 0.2, 0.3], [0, 1, 3], mask=[True, False, True])
        >>> lists.labels, lists.offsets, lists.rows
        (array([1., 2.]), array([0, 1, 2]), array([0, 2]))
        """
        label_column, score_column, cut = check_columns(labels, scores, offsets)
        factors = None if weights is None else weight_column(weights, label_column.size, "weights", "document")
        pool = None if judged is None else check_judged(as_judged(judged), n_queries=cut.size - 1)
        lists = cls(label_column, score_column, cut, factors, pool, n_threads=resolve_threads(n_threads))
        if mask is None:
            return lists
        kept = array_of(mask, "mask")
        if kept.dtype != np.bool_ or kept.shape != label_column.shape:
            raise DataError(f"mask must be one bool per document, got {kept.dtype} of shape {kept.shape}")
        places = np.flatnonzero(kept)
        return lists.take(places, np.searchsorted(places, cut))

    @property
    def n_queries(self) -> int:
        """Number of queries."""
        return self.offsets.size - 1

    @cached_property
    def sizes(self) -> Int64s:
        """Number of documents of each query."""
        return self.offsets[1:] - self.offsets[:-1]

    def take(self, places: Int64s, offsets: Int64s) -> Lists:
        """Return the documents at these positions, with the new offsets of the same queries."""
        return replace(
            self,
            labels=self.labels[places],
            scores=self.scores[places],
            offsets=offsets,
            weights=taken(self.weights, places),
            doc_ids=taken(self.doc_ids, places),
            rows=places if self.rows is None else self.rows[places],
            subtopics=None if self.subtopics is None else self.subtopics.take(places),
        )

    def with_locations(self) -> ErrorLocations:
        """Return a context in which a DataError about a position in these arrays names the caller's query id and row.

        Examples
        --------
        >>> with Lists.of([1, 0], [2, 1], mask=[False, True]).with_locations():
        ...     raise DataError("bad", row=0)
        Traceback (most recent call last):
        idealrank.errors.DataError: bad (row 1)
        """
        return ErrorLocations(self)


class ErrorLocations:
    """The context of `Lists.with_locations`: a class, because a generator would cost a tenth of a call of a loss."""

    __slots__ = ("_lists",)

    def __init__(self, lists: Lists) -> None:
        self._lists = lists

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, DataError):
            if self._lists.judged is not None:
                error.row = None  # it may refer to judged or to retrieved documents
            raise located(error, self._lists.query_ids, self._lists.rows) from None


def located(error: DataError, query_ids: QueryIds | None, rows: Int64s | None) -> DataError:
    """Return the error with positions in arrays replaced by the query id and the caller's row.

    Parameters
    ----------
    error : DataError
        An error with the index of a query, the position of a document, or both.
    query_ids : Ids or int64 array, optional
        One id per query.
    rows : int64 array, optional
        The caller's row of each document.

    Returns
    -------
    DataError
        A new error with the same message.

    Examples
    --------
    >>> print(located(DataError("bad", query=0, row=1), Ids.of(["q7"]), np.array([5, 3])))
    bad (query 'q7', row 3)
    """
    query, row = error.query, error.row
    if query_ids is not None and isinstance(query, int):
        query = query_id(query_ids, query)
    if rows is not None and row is not None:
        row = int(rows[row])
    return DataError(error.what, query, row, error.column)


def query_id(query_ids: QueryIds, query: int) -> str | int:
    """Return the id of the query with this index."""
    return query_ids[query] if isinstance(query_ids, Ids) else int(query_ids[query])


def as_judged(given: Any) -> JudgedLabels:
    """Return a pair (labels, offsets) under these names, not checked further; anything else is a DataError."""
    try:
        labels, offsets = given
    except (TypeError, ValueError):
        raise DataError(f"judged must be a pair (labels, offsets), got {type(given).__name__}") from None
    return JudgedLabels(labels, offsets)


def check_judged(judged: JudgedLabels, n_queries: int) -> JudgedLabels:
    """Return the judged labels as flat arrays for this many queries; otherwise raise a DataError."""
    column = float_column(judged.labels, "judged labels")
    cut = check_offsets(judged.offsets, column.size)
    if cut.size - 1 != n_queries:
        raise DataError(f"judged must have as many queries as the rankings: {n_queries}, got {cut.size - 1}")
    return JudgedLabels(column, cut)
