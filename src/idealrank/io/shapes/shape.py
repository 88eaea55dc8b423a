"""What all shapes have in common, recognition: which shape a value has, and what systems are called."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

import numpy.typing as npt

from idealrank._core.checks import is_list
from idealrank.errors import DataError, OptionError
from idealrank.io.files import without_compression
from idealrank.io.shapes import SHAPES

if TYPE_CHECKING:
    from idealrank._typing import Floats
    from idealrank.data.judgments import Qrels, Run
    from idealrank.data.ranking import Order, RankingData
    from idealrank.data.spans import Spans

#: What a shape can become: judgments, a run, labels of documents, or one score per document.
Content: TypeAlias = Literal["qrels", "run", "ranking", "scores"]
#: The roles that a column of a frame can be given by name.
ROLES = ("query", "doc", "label", "score", "rank", "subtopic")
_CONTENT_NAMES = {
    "qrels": "judgments",
    "run": "a run",
    "ranking": "labels of documents",
    "scores": "one score per document",
}


@dataclass(frozen=True)
class InputLayout:
    """Options that say how the values are laid out.

    Parameters
    ----------
    offsets, group : array-like of int, optional
        Boundaries of the queries in arrays, or their sizes.
    query_ids : iterable, optional
        The query of each document in arrays, or of each row of a matrix.
    mask : array-like of bool, optional
        Which entries of matrices are documents.
    order : {"input", "grouped"}, optional
        The order of scores beside RankingData.
    columns : dict
        Column names of frames by role.
    run_columns : dict
        Those of runs, where they differ from those of judgments.
    """

    offsets: npt.ArrayLike | None = None
    group: npt.ArrayLike | None = None
    query_ids: Iterable[object] | None = None
    mask: npt.ArrayLike | None = None
    order: Order | None = None
    columns: dict[str, str] = field(default_factory=dict)
    run_columns: dict[str, str] = field(default_factory=dict)

    @classmethod
    def named(cls, given: Mapping[str, Any], **arrays: Any) -> InputLayout:
        """Return a layout with names of columns by role; a pair names that of the judgments and that of the runs.

        Examples
        --------
        >>> InputLayout.named({"query": "q", "doc": ("gold_id", "chunk_id")}).of_runs().columns
        {'query': 'q', 'doc': 'chunk_id'}
        """
        pairs = {role: names for role, names in given.items() if isinstance(names, (tuple, list))}
        for role, names in pairs.items():
            if role not in ("query", "doc") or len(names) != 2:
                raise OptionError(
                    f"{role} must be the name of a column, or for query and doc a pair: the column of the judgments "
                    f"and that of the runs; got {names!r}"
                )
        columns = {role: names[0] if role in pairs else names for role, names in given.items()}
        return cls(columns=columns, run_columns={role: names[1] for role, names in pairs.items()}, **arrays)

    def of_runs(self) -> InputLayout:
        """Return the layout of the systems beside the judgments."""
        return replace(self, columns=self.columns | self.run_columns, run_columns={})

    @property
    def given(self) -> list[str]:
        """Names of the options that were given, without the order."""
        arrays = [name for name in ("offsets", "group", "query_ids", "mask") if getattr(self, name) is not None]
        return arrays + list(self.columns)


_PLAIN = InputLayout()


class Shape:
    """A value whose shape was recognized; a subclass defines what it can become.

    Parameters
    ----------
    value : object
        The value.
    layout : InputLayout
        How it is laid out.
    """

    #: Name of the shape, for errors and documentation.
    title: ClassVar[str] = ""
    #: The options of `InputLayout` that the shape uses.
    options: ClassVar[tuple[str, ...]] = ()

    def __init__(self, value: Any, layout: InputLayout = _PLAIN) -> None:
        self.value, self.layout = value, layout

    @classmethod
    def fits(cls, value: object) -> bool:
        """Return whether the value has this shape; cheap, and without importing the library of the value."""
        raise NotImplementedError

    @property
    def gives(self) -> tuple[Content, ...]:
        """What the value can become."""
        raise NotImplementedError

    @property
    def name(self) -> str:
        """The name that the value itself has, such as the tag of a run; may be empty."""
        return ""

    def describe(self) -> str:
        """Return what was recognized, for errors."""
        return self.title

    def qrels(self) -> Qrels:
        """Return the value as judgments."""
        raise self._refused("qrels")

    def run(self) -> Run:
        """Return the value as a run."""
        raise self._refused("run")

    def ranking(self, *, scored: bool = False) -> RankingData:
        """Return the value as labels of documents, with their scores if ``scored``."""
        raise self._refused("ranking")

    def scores(self, data: RankingData) -> Floats:
        """Return the value as one score per document, in the order of the data."""
        raise self._refused("scores")

    def column(self, name: str) -> Shape | None:
        """Return a column of this frame as a system; None if this is not a frame, or has no such column."""
        return None

    @property
    def column_names(self) -> Sequence[str]:
        """The columns of a frame."""
        return ()

    def join_on(self, names: Collection[str]) -> None:
        """Prefer these columns, which all frames that are joined have."""

    def join_ids(self, ids: Iterable[str]) -> None:
        """If two columns may hold the documents, take the one that has some of these ids, the judged ones."""

    @property
    def own_system(self) -> Shape | None:
        """The retrieved documents that come with the judgments, if each query has one row with both."""
        return None

    @property
    def has_spans(self) -> bool:
        """Whether documents come with offsets of text."""
        return False

    def spans(self, content: Literal["qrels", "run"]) -> Spans:
        """Return the spans of text in documents, with labels or with scores."""
        raise DataError(f"expected offsets of text, got {self.describe()}")

    def categories(self, column: str) -> dict[object, object]:
        """Return {query: its value in this column of the frame}; `column` says whether there is one."""
        raise DataError(f"{self.describe()} has no column {column!r}")

    def _refused(self, content: Content) -> DataError:
        return DataError(f"expected {_CONTENT_NAMES[content]}, got {self.describe()}")


def recognize(value: Any, what: str, layout: InputLayout = _PLAIN) -> Shape:
    """Return the value as the first shape of the table that it fits.

    Parameters
    ----------
    value : object
        The value. An iterator is read to its end; a shape, such as a file that is read later, is returned as it is.
    what : str
        What the value is for, for the error.
    layout : InputLayout
        How it is laid out.

    Returns
    -------
    Shape
        An object of the class that recognized the value.

    Raises
    ------
    DataError
        If the value fits none.

    Examples
    --------
    >>> recognize({"q1": {"d1": 1}}, "data").title
    'nested dicts, {query: {document: number}}'
    >>> recognize([0.5, 2], "scores").title
    'numbers'
    """
    if isinstance(value, Shape):
        return value
    if isinstance(value, Iterator):
        value = list(value)
    elif _holds_lists(value):
        value = value.to_list()
    for module, name in SHAPES.items():
        shape: type[Shape] = getattr(import_module(f"idealrank.io.shapes.{module}"), name)
        if shape.fits(value):
            return shape(value, layout)
    if isinstance(value, Mapping):
        first = type(next(iter(value.values()))).__name__
        raise DataError(
            f"{what}: expected {{query: {{document: number}}}} or {{query: [document, ...]}}, got a dict with values "
            f"of type {first}"
        )
    raise DataError(
        f"{what}: {type(value).__name__} is not a shape that idealrank recognizes; pass dicts, id lists, a data frame, "
        "a path, or arrays (docs/inputs.md lists all)"
    )


def _holds_lists(value: Any) -> bool:
    """Return whether this is a column of lists, of pandas or Polars."""
    is_column = hasattr(value, "to_list") and str(getattr(value, "dtype", "")).startswith(("object", "List"))
    if not is_column:
        return False
    first = next(iter(value), None)
    return is_list(first) or type(first) is type(value)  # an entry of a column of Polars is a column, too


def top_module(value: object) -> str:
    """Return the name of the package that defines the type of the value.

    Examples
    --------
    >>> top_module({})
    'builtins'
    """
    return type(value).__module__.split(".")[0]


#: The tag that `write_run` gives a run without a name: it says nothing.
_DEFAULT_TAG = "idealrank"


def system_names(systems: Sequence[Shape]) -> list[str]:
    """Return names of systems: what they are called themselves, if these names differ, else what differs in the paths.

    Parameters
    ----------
    systems : sequence of Shape
        The systems.

    Returns
    -------
    list of str
        Distinct names.

    Examples
    --------
    >>> from idealrank.data.judgments import Run
    >>> system_names([recognize(Run({}, name="bm25"), ""), recognize(Run({}), "")])
    ['bm25', 'system 2']
    """
    own = ["" if each.name == _DEFAULT_TAG else each.name for each in systems]
    paths = [os.fspath(each.value) if isinstance(each.value, (str, os.PathLike)) else "" for each in systems]
    if all(own) and len({*own}) == len(own):
        return own
    if all(paths):
        return differing_parts(paths)
    names = [name or f"system {number}" for number, name in enumerate(own, start=1)]
    if len({*names}) < len(names):
        again = next(name for name in names if names.count(name) > 1)
        raise DataError(f"two systems are called {again!r}: pass {{name: system}}")
    return names


def differing_parts(paths: Sequence[str]) -> list[str]:
    """Return what differs between paths: the file names without endings, or with the folders that differ.

    Examples
    --------
    >>> differing_parts(["runs/bm25.run.gz", "runs/dense.run"])
    ['bm25', 'dense']
    >>> differing_parts(["bm25/dl19/run.txt", "dense/dl19/run.txt"])
    ['bm25', 'dense']
    >>> differing_parts(["input.bm25", "input.dense"])
    ['bm25', 'dense']
    """
    if len(paths) == 1:
        return [_stem(os.path.basename(paths[0]))]
    for names in (
        [_stem(os.path.basename(path)) for path in paths],
        [_differing(path, paths) for path in paths],
    ):
        if all(names) and len({*names}) == len(names):
            return names
    return list(paths) if len({*paths}) == len(paths) else [f"{path} ({i})" for i, path in enumerate(paths, 1)]


def _stem(name: str) -> str:
    name = without_compression(name)
    return os.path.splitext(name)[0] or name


def _differing(path: str, paths: Sequence[str]) -> str:
    """Return the parts of the path without what all paths begin and end with."""
    split = [each.replace(".", "/.").split("/") for each in (path, *paths)]
    start = _n_common(split)
    end = _n_common([each[start:][::-1] for each in split])
    return "/".join(split[0][start : len(split[0]) - end]).replace("/.", ".").strip("./")


def _n_common(lists: Sequence[Sequence[str]]) -> int:
    """Return how many entries at the start all lists share."""
    same = [len({*entries}) == 1 for entries in zip(*lists, strict=False)]
    return same.index(False) if False in same else len(same)
