"""Inputs of `evaluate`, `compare`, `explain` and `distinguish`: judged documents and systems of every shape."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Protocol, TypeAlias, TypedDict, TypeVar

import numpy as np
import numpy.typing as npt

from idealrank._names.options import no_option, normalized_name
from idealrank._typing import Floats
from idealrank.data.columns import check_index
from idealrank.data.judgments import Qrels, Run
from idealrank.data.ranking import Order, RankingData
from idealrank.data.spans import text_judgments
from idealrank.errors import DataError, OptionError
from idealrank.io.frame_roles import find_column
from idealrank.io.shapes.id_list_shape import is_ids
from idealrank.io.shapes.rank_eval_shape import RankEvalShape
from idealrank.io.shapes.shape import ROLES, InputLayout, Shape, recognize, system_names
from idealrank.measures.conventions import Convention
from idealrank.measures.measure_base import Measure
from idealrank.measures.measure_names import AnyMeasures, named

_Read = TypeVar("_Read")


class _Frame(Protocol):
    """A data frame of any library."""

    @property
    def columns(self) -> Any: ...


class _Array(Protocol):
    """An array or a column of any library."""

    def __array__(self, dtype: Any = ..., /) -> npt.NDArray[Any]: ...


class _Record(Protocol):
    """A judgment or a scored document of ir_measures."""

    @property
    def query_id(self) -> str: ...
    @property
    def doc_id(self) -> str: ...


class _Sparse(Protocol):
    """A sparse matrix of SciPy."""

    def tocsr(self) -> Any: ...


class _Table(Protocol):
    """Judgments or a run of ranx."""

    def to_dict(self) -> Any: ...


_Path: TypeAlias = str | os.PathLike[str]
_Records: TypeAlias = Sequence[Mapping[str, object]] | Mapping[str, Sequence[Mapping[str, object]]]
_ByQuery: TypeAlias = (
    Mapping[str, Mapping[str, float]]
    | Mapping[int, Mapping[int, float]]
    | Mapping[str, list[str]]
    | Mapping[str, tuple[str, ...]]
    | Mapping[str, list[tuple[str, float]]]
    | Mapping[int, list[int]]
    | Iterable[_Record]
    | Sequence[list[str]]
    | Sequence[list[int]]
    | _Table
    | _Records
)
Measures: TypeAlias = AnyMeasures
#: What the judged documents may be.
Data: TypeAlias = (
    "Qrels | RankingData | _ByQuery | Mapping[str, Mapping[str, Mapping[str, float]]] | Mapping[str, set[str]] "
    "| Mapping[int, set[int]] | Sequence[set[str]] | Sequence[set[int]] | _Frame | _Path | _Sparse | npt.ArrayLike "
    "| Sequence[_Array] | Shape"
)
#: What one system may be.
OneSystem: TypeAlias = (
    "Run | _ByQuery | _Frame | _Path | _Sparse | _Array | Sequence[float] | Sequence[list[float]] | Sequence[_Array] "
    "| Shape"
)
#: Several runs of one system.
_Runs: TypeAlias = "list[Run] | list[dict[str, dict[str, float]]] | list[os.PathLike[str]] | list[Shape]"
#: What several systems may be.
Several: TypeAlias = "Mapping[str, OneSystem | _Runs] | list[str] | list[Run] | list[os.PathLike[str]] | list[Shape]"


class Replicates(tuple[Run | Floats, ...]):
    """Several runs of one system, such as with several seeds."""

    __slots__ = ()


#: What a system becomes: a run for judgments, scores for labels, or several of these.
System: TypeAlias = Run | Floats | Replicates


#: The column of a role; a pair names that of the judgments and that of the runs.
Names: TypeAlias = str | tuple[str, str]


class LayoutOptions(TypedDict, total=False):
    """Options of `evaluate` that say how the data is laid out, for the functions that pass them on."""

    offsets: npt.ArrayLike | None
    group: npt.ArrayLike | None
    query_ids: Iterable[object] | None
    mask: npt.ArrayLike | None
    query: Names | None
    doc: Names | None
    label: str | None
    score: str | None
    rank: str | None
    subtopic: str | None


def named_measures(measures: Measures, like: Convention | None = None) -> dict[str, Measure]:
    """Return {measure as given: measure}; a name that means something else in the tool of ``like`` is an error."""
    by_name = named(measures)
    refused = {} if like is None else like.refuses
    for text, each in by_name.items() if refused else ():
        written = normalized_name(re.split(r"[@(.]|-l\d", text)[0])
        for key in (written, each.label, f"{each.label}@" if each.cutoff is not None else ""):
            if key in refused:
                raise OptionError(f"{text!r} with like={str(like)!r}: {refused[key]}")
    return by_name


def layout_of(function: Callable[..., Any], options: Mapping[str, Any], order: Order | None = None) -> InputLayout:
    """Return the layout that `LayoutOptions` describe, as a function with other options too was given them.

    Examples
    --------
    >>> layout_of(print, {"query": "q", "group": [2, 1], "doc": None}).given
    ['group', 'query']
    >>> layout_of(print, {"flash": True})
    Traceback (most recent call last):
    idealrank.errors.OptionError: print has no option 'flash'; did you mean 'flush'?
    """
    for name in options.keys() - LayoutOptions.__annotations__.keys():
        import inspect  # only errors need it

        own = inspect.signature(function).parameters.values()
        known = [each.name for each in own if each.kind is not each.VAR_KEYWORD]
        raise no_option(function.__name__, name, [*known, *LayoutOptions.__annotations__])
    columns = {role: options[role] for role in ROLES if options.get(role) is not None}
    arrays = {name: value for name, value in options.items() if name not in ROLES}
    return InputLayout.named(columns, order=order, **arrays)


def judged_and_systems(
    data: Any,
    scores: Any = None,
    layout: InputLayout | None = None,
    *,
    allow_empty: bool = False,
) -> tuple[Qrels | RankingData, dict[str, Run | Floats]]:
    """Recognize the judged documents and the systems.

    Parameters
    ----------
    data, scores : object
        The arguments of `evaluate`.
    layout : InputLayout, optional
        The options of `evaluate` that say how they are laid out.
    allow_empty : bool
        Whether data without documents is allowed, such as a batch.

    Returns
    -------
    judged : Qrels or RankingData
        The judged documents.
    systems : dict
        {name: run, or scores in the order of the data}; one system without a name is called "".

    Raises
    ------
    DataError
        If a shape is not recognized, or the two do not go together; the error names what was recognized.
    OptionError
        If an option does not go with the data.

    Examples
    --------
    >>> judged_and_systems({"u1": {"a"}}, {"u1": ["b", "a"]})
    (Qrels(1 query, 1 document), {'': Run(1 query, 2 documents)})
    """
    judged, systems = judged_and_each_system(data, scores, layout, allow_empty=allow_empty)
    single: dict[str, Run | Floats] = {}
    for name, system in systems:
        if isinstance(system, Replicates):
            raise DataError(f"{name} has {len(system)} runs: only evaluate, compare and gate take several runs")
        single[name] = system
    return judged, single


def judged_and_each_system(
    data: Any, scores: Any = None, layout: InputLayout | None = None, *, allow_empty: bool = False
) -> tuple[Qrels | RankingData, Iterator[tuple[str, System]]]:
    """Recognize the same as `judged_and_systems`, but read each system only when it is asked for.

    Returns
    -------
    judged : Qrels or RankingData
        The judged documents.
    systems : iterator
        Pairs (name, run or scores); `Replicates` if a system has several runs.
    """
    layout = layout or InputLayout()
    if not isinstance(data, RankingData):
        layout = replace(layout, order="input")  # the caller's arrays and frames keep the caller's order
    judged = recognize(data, "data", layout)
    scores, n_runs = _each_run(scores, judged)
    systems = _shapes(scores, judged, layout)
    if systems is None and judged.own_system is not None:
        systems = {"": judged.own_system}
    _check_options(judged, systems)
    if systems is None and "ranking" not in judged.gives:
        if "qrels" not in judged.gives:
            raise DataError(f"a run needs judgments, which come first; got {judged.describe()} alone")
        raise DataError(
            f"judgments need a run: a Run, or {{query: {{document: score}}}}; got {judged.describe()} alone"
        )
    if systems is not None and not are_scores(judged, systems):
        if judged.has_spans and all(each.has_spans for each in systems.values()):
            qrels, runs = text_judgments(judged.spans("qrels"), dict(_each(systems, lambda shape: shape.spans("run"))))
            return qrels, _grouped(iter(runs.items()), n_runs)
        _join_frames(judged, systems)
        qrels = judged.qrels()
        for each in systems.values():
            each.join_ids(qrels.doc_ids)
        return qrels, _grouped(_each(systems, lambda shape: shape.run()), n_runs)
    labeled = judged.ranking(scored=systems is None)
    if labeled.n_docs == 0 and not allow_empty:
        raise DataError("there are no documents: there is nothing to evaluate")
    if systems is not None:
        per_row = {f"the scores of {name}" if name else "the scores": each.value for name, each in systems.items()}
        check_index({"the data": judged.value, "query_ids": layout.query_ids, **per_row})
        return labeled, _grouped(_each(systems, lambda shape: shape.scores(labeled)), n_runs)
    if labeled.scores is None:
        raise DataError(
            "the data has no scores of its own: give one score per document, or name the column of scores (score=, or "
            "--score on the command line)"
        )
    return labeled, iter([("", labeled.scores)])


def _join_frames(judged: Shape, systems: Mapping[str, Shape]) -> None:
    """Let the frames be joined on columns that they all have, if there are several that could be."""
    frames = [each for each in (judged, *systems.values()) if each.column_names]
    shared = set.intersection(*({*map(str, each.column_names)} for each in frames)) if judged.column_names else set()
    for each in frames if len(frames) > 1 else []:
        each.join_on(shared)


def _each_run(scores: Any, judged: Shape) -> tuple[Any, dict[str, int]]:
    """Return the systems with every run by itself, and {system: its number of runs} if some have several."""
    if not isinstance(scores, Mapping) or isinstance(scores, (Qrels, Run)):
        return scores, {}
    n_runs = {}
    for name, value in scores.items():
        n_runs[str(name)] = len(value) if _are_runs(value, name, judged) else 0
        if not n_runs[str(name)] and isinstance(value, (list, tuple)) and value and isinstance(value[0], str):
            return scores, {}  # {query: documents}
    if not any(n_runs.values()):
        return scores, {}
    every: dict[Any, Any] = {}
    for name, value in scores.items():
        runs = {_of_run(name, run): each for run, each in enumerate(value, 1)} if n_runs[str(name)] else {name: value}
        every |= runs
    return every, n_runs


def _of_run(name: object, run: int) -> str:
    return f"{name}, run {run}"


def _are_runs(value: Any, name: object, judged: Shape) -> bool:
    """Return whether a system is a list of runs, rather than one run or its scores."""
    if not isinstance(value, (list, tuple)) or not value:
        return False
    first = value[0]
    if isinstance(first, str):
        if all(judged.column(each) is not None for each in value):
            return True
        are_files = all(os.path.isfile(each) for each in value)  # documents may be called like files
        return are_files and ("ranking" in judged.gives or name not in judged.qrels())
    if isinstance(first, Mapping) and not isinstance(first, Run):
        return bool(first) and all(map(_holds_several, first.values()))  # a record has an id, too
    if getattr(first, "shape", None) is None or hasattr(first, "columns"):
        return isinstance(first, (Run, Shape, os.PathLike)) or hasattr(first, "columns")
    labels = judged.value
    n_docs = labels.n_docs if isinstance(labels, RankingData) else len(labels) if hasattr(labels, "__len__") else 0
    shape = np.shape(labels) if getattr(labels, "ndim", 1) > 1 and not hasattr(labels, "columns") else (n_docs,)
    return len(value) > 1 and all(tuple(getattr(each, "shape", ())) == shape for each in value)


def _grouped(systems: Iterator[tuple[str, Run | Floats]], n_runs: Mapping[str, int]) -> Iterator[tuple[str, System]]:
    """Yield systems that were read run by run: those of `_each_run`."""
    if not n_runs:
        yield from systems
    for name, many in n_runs.items():
        runs = [next(systems)[1] for _ in range(many or 1)]
        yield name, Replicates(runs) if many else runs[0]


def _each(systems: Mapping[str, Shape], read: Callable[[Shape], _Read]) -> Iterator[tuple[str, _Read]]:
    for name, shape in systems.items():
        with naming(name):
            system = read(shape)
        yield name, system


@contextmanager
def naming(system: str) -> Iterator[None]:
    """Add the name of the system to errors in its data.

    Examples
    --------
    >>> with naming("bm25"):
    ...     raise DataError("a score must be a finite number, got nan", query="q7")
    Traceback (most recent call last):
    idealrank.errors.DataError: bm25: a score must be a finite number, got nan (query 'q7')
    """
    try:
        yield
    except DataError as error:
        if not system:
            raise
        raise DataError(f"{system}: {error.what}", error.query, error.row, error.column) from None


def are_scores(judged: Shape, systems: Mapping[str, Shape]) -> bool:
    """Return whether the systems are scores of labeled documents, rather than runs for judgments."""
    if "ranking" in judged.gives and all("scores" in each.gives for each in systems.values()):
        return True
    if "qrels" in judged.gives and all("run" in each.gives for each in systems.values()):
        return False
    if not {"qrels", "ranking"} & {*judged.gives}:
        swapped = any({"qrels", "ranking"} & {*each.gives} and "run" not in each.gives for each in systems.values())
        hint = "the arguments are swapped" if swapped else "pass the judgments first"
        raise DataError(f"the judged documents come first, then systems: got {judged.describe()} first; {hint}")
    needs = "run" if "qrels" in judged.gives and "ranking" not in judged.gives else "scores"
    name, odd = next((name, each) for name, each in systems.items() if needs not in each.gives)
    expected = {
        "run": "a run for it: {query: {document: score}}, {query: [document, ...]} best first, a frame with query, "
        "document and score columns, or a run file",
        "scores": "one score per document, in the same order, or a column of the same frame",
    }[needs]
    called = f" for {name}" if name else ""
    raise DataError(f"{judged.describe()} needs {expected}; got {odd.describe()}{called}")


def _check_options(judged: Shape, systems: Mapping[str, Shape] | None) -> None:
    shapes = (judged, *(systems or {}).values())
    taken = {option for each in shapes for option in each.options}
    for option in judged.layout.given:
        if option not in (judged.options if option in ("offsets", "group", "query_ids") else taken):
            goes = "data frames" if option in ROLES else "arrays of labels"
            written = f"{option}= (--{option})" if option in ROLES else f"{option}="
            raise OptionError(f"{written} goes with {goes}; {judged.describe()} needs no such option")
        if option in ROLES and not any(each.column(each.layout.columns.get(option, "")) for each in shapes):
            frames = " or ".join(dict.fromkeys(each.describe() for each in shapes if option in each.options))
            raise OptionError(f"{option}={judged.layout.columns[option]!r} (--{option}) is not a column of {frames}")


def _shapes(scores: Any, judged: Shape, layout: InputLayout) -> dict[str, Shape] | None:
    """Return the systems by name; a system without a name is called ""."""
    if scores is None:
        return None
    layout = layout.of_runs()
    if isinstance(scores, Mapping) and not isinstance(scores, (Qrels, Run)):
        if _is_several(scores, judged):
            return {str(name): _shape(each, judged, layout) for name, each in scores.items()}
    elif isinstance(scores, (list, tuple)) and scores and isinstance(scores[0], (str, os.PathLike, Run, Shape)):
        shapes = [_shape(each, judged, layout) for each in scores]
        return dict(zip(system_names(shapes), shapes, strict=True))
    return {"": _shape(scores, judged, layout)}


def named_runs(run: Any, other: Any = None, layout: InputLayout | None = None) -> dict[str, Shape]:
    """Recognize runs without judgments: two, or several as a mapping or a list.

    Parameters
    ----------
    run, other : object
        The arguments of `agreement`.
    layout : InputLayout, optional
        Names of columns.

    Returns
    -------
    dict of str to Shape
        {name: run}.

    Raises
    ------
    DataError
        If a value is no run.

    Examples
    --------
    >>> list(named_runs({"q1": ["a"]}, Run({"q1": {"a": 1}}, name="bm25")))
    ['system 1', 'bm25']
    """
    layout = layout or InputLayout()
    given: dict[str, Any] | list[Any]
    if other is not None:
        given = [run, other]
    elif isinstance(run, Mapping) and not isinstance(run, (Qrels, Run)):
        given = {str(name): each for name, each in run.items()}
        first: Any = next(iter(given.values()), None)
        if isinstance(first, (list, tuple)) or (
            isinstance(first, Mapping) and isinstance(next(iter(first.values()), 0), (int, float))
        ):
            given = [run]  # {query: documents}
    else:
        given = list(run) if isinstance(run, (list, tuple)) else [run]
    shapes = [recognize(each, "a run", layout) for each in (given.values() if isinstance(given, dict) else given)]
    for shape in shapes:
        if "run" not in shape.gives:
            raise DataError(f"expected a run, got {shape.describe()}")
    if shapes:
        _check_options(shapes[0], {str(number): shape for number, shape in enumerate(shapes)})
    return dict(zip(given if isinstance(given, dict) else system_names(shapes), shapes, strict=True))


def _shape(value: Any, judged: Shape, layout: InputLayout) -> Shape:
    """Return one system; text is a column of the judged frame if there is one, else a path."""
    if not isinstance(value, str):
        return recognize(value, "scores", layout)
    column = judged.column(value)
    if column is None and "ranking" in judged.gives and not os.path.exists(value):
        # A column is more likely: the error suggests the most similar one.
        hint = f"; to choose the measure, pass measures={value!r}" if _is_measure(value) else ""
        raise DataError(f"there is neither a column nor a file {value!r} for {judged.describe()}{hint}")
    return column or recognize(value, "scores", layout)


def _is_measure(name: str) -> bool:
    try:
        return bool(named(name))
    except OptionError:
        return False


def _is_several(scores: Mapping[Any, Any], judged: Shape) -> bool:
    """Return whether this is {name: system} rather than {query: documents}."""
    first: Any = next(iter(scores.values()), None)
    if isinstance(first, (Run, Shape)):
        return True
    if RankEvalShape.fits(scores):
        return False
    lists = (each for each in scores.values() if isinstance(each, (list, tuple)) and len(each))
    record = next((each[0] for each in lists if isinstance(each[0], Mapping)), None)
    if record is not None:  # {query: records}, or {name: records with a query}
        return find_column("query", record) is not None
    if isinstance(first, (int, float, np.number)):
        raise DataError("expected {query: {document: score}}, got {document: score} without a query")
    if isinstance(first, Mapping):
        return any(
            isinstance(each, (Run, Qrels))
            or RankEvalShape.fits(each)
            or (isinstance(each, Mapping) and _holds_several(next(iter(each.values()), None)))
            for each in scores.values()
        )
    if not isinstance(first, (list, tuple, set, frozenset)) and getattr(first, "ndim", 0) != 1:
        return first is not None
    entry = next(iter(first), None) if len(first) else None
    if hasattr(entry, "query_id") or isinstance(entry, (set, frozenset)):
        return True
    if "ranking" in judged.gives:
        return "qrels" not in judged.gives or not is_ids(first)
    is_list = isinstance(entry, (list, tuple)) or getattr(entry, "ndim", 0) == 1
    return is_list and not is_ids(first)


def _holds_several(value: object) -> bool:
    """Return whether the value holds the documents of a query, rather than the score of a document."""
    return isinstance(value, (Mapping, list, tuple, set, frozenset)) or getattr(value, "ndim", 0) == 1
