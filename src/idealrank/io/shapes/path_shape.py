"""Paths of files: TREC, LETOR, MS MARCO, CSV, Parquet, JSON, or one score per line; the content decides."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from idealrank._typing import Floats
from idealrank.data.judgments import Qrels, Run
from idealrank.data.ranking import RankingData
from idealrank.errors import DataError, ParseError
from idealrank.io.files import Progress, copy_of_pipe, display_name, first_bytes, read_whole
from idealrank.io.formats import NUMBER, Format, Frame, Nested, load, recognized, sniffed
from idealrank.io.prefetch import RunAhead
from idealrank.io.shapes.shape import ROLES, Content, InputLayout, Shape, recognize

if TYPE_CHECKING:
    from idealrank.data.spans import Spans

_CONTENT: dict[Any, Content] = {Qrels: "qrels", Run: "run", RankingData: "ranking"}
_NUMBER_LINES = re.compile(rb"\s*+(?:" + NUMBER + rb"[ \t]*+\r?(?:\n|$)|-?(?:inf|nan)\s)", re.I)
_PLAIN = InputLayout()
_ASK = "expected TREC, LETOR, MS MARCO, CSV, Parquet, JSON, or one score per line"


def _without_progress(path: str) -> AbstractContextManager[Progress | None]:
    return nullcontext()


class PathShape(Shape):
    """A file; compressed files are decompressed, and the content of a pipe is kept in a temporary file.

    Parameters
    ----------
    value : str or path-like
        The path.
    layout : InputLayout
        Names of columns.
    kind : Format, optional
        The format; by default, it is recognized by the content.
    fallback : Format or "scores", optional
        What to read the file as if its content says nothing; by default, its name decides.
    group : str, optional
        For LETOR text: a file of group sizes; ``layout`` may have the sizes.
    reading : callable, optional
        Takes the path, and returns a context that gives a progress callback.
    """

    title = "a path"

    @property
    def options(self) -> tuple[str, ...]:  # type: ignore[override]
        """The names of columns, and the sizes of queries for LETOR text."""
        return (*ROLES, "group") if self.kind is not None and self.kind.name == "letor" else ROLES

    def __init__(
        self,
        value: Any,
        layout: InputLayout = _PLAIN,
        *,
        kind: Format | None = None,
        fallback: Format | Literal["scores"] | None = None,
        group: str | None = None,
        reading: Callable[[str], AbstractContextManager[Progress | None]] = _without_progress,
    ) -> None:
        super().__init__(value, layout)
        self._path, self._given, self._fallback = os.fspath(value), kind, fallback
        if os.path.exists(self._path) and stat.S_ISFIFO(os.stat(self._path).st_mode):
            self._path = copy_of_pipe(self._path, self)
        self._source = value if isinstance(value, RunAhead) else self._path
        self._group, self._reading = group, reading

    @classmethod
    def fits(cls, value: object) -> bool:
        """Return whether the value is text or path-like."""
        return isinstance(value, (str, os.PathLike))

    @cached_property
    def _start(self) -> bytes:
        if self._path == "-":
            return b""
        if self._is_folder:
            return b""
        if os.path.isdir(self._path):
            raise IsADirectoryError(errno.EISDIR, "expected a file or a folder of JSON files, got a folder", self._path)
        if not os.path.exists(self._path):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), self._path)
        return first_bytes(self._path) if os.path.isfile(self._path) else b""

    @cached_property
    def _is_folder(self) -> bool:
        if not os.path.isdir(self._path):
            return False
        from idealrank.io.json_questions import json_files

        return bool(json_files(self._path))

    @cached_property
    def kind(self) -> Format | None:
        """The format; None for one number per line."""
        if self._is_folder:
            return load("json")
        kind = self._given or (sniffed(self._path) if self._start else None)
        if kind is None and _NUMBER_LINES.match(self._start):
            return None
        if kind is None and self._fallback is not None:
            return None if self._fallback == "scores" else self._fallback
        return (kind or recognized(self._path, _ASK)).require()

    @property
    def is_json(self) -> bool:
        """Whether the file holds JSON."""
        return self.kind is not None and self.kind.holds is Nested

    @cached_property
    def _inner(self) -> Shape | None:
        """The content, if it has a shape of its own: JSON, or a frame."""
        if self.is_json:
            with self._located():
                return recognize(self._json(), self._path, self.layout)
        if self.kind is not None and self.kind.holds is Frame:
            from idealrank.io.shapes.frame_shape import FrameShape

            return FrameShape(self._frame(self.kind), self.layout)
        return None

    @property
    def gives(self) -> tuple[Content, ...]:
        """What the file holds."""
        if self.kind is None:
            return ("scores",)
        if self._inner is not None:
            with self._located():
                return self._inner.gives
        return (_CONTENT[self.kind.holds],)

    @cached_property
    def name(self) -> str:
        """The tag of the first line of a TREC run."""
        if self.kind is None or self.kind.name != "run" or not self._start:
            return ""
        line = next((line for line in self._start.splitlines() if line.strip() and not line.startswith(b"#")), b"")
        fields = line.decode("utf-8", "replace").split()
        return fields[5] if len(fields) > 5 else ""

    def describe(self) -> str:
        """Return the path and the format."""
        if self._inner is not None:
            return f"{display_name(self._path)!r}, {self._inner.describe()}"
        return f"{display_name(self._path)!r}, {'one score per line' if self.kind is None else self.kind.title}"

    def qrels(self) -> Qrels:
        """Return the judgments."""
        qrels: Qrels = self._as("qrels")
        return qrels

    def run(self) -> Run:
        """Return the run."""
        run: Run = self._as("run")
        return run

    def ranking(self, *, scored: bool = False) -> RankingData:
        """Return the labels."""
        data: RankingData = self._as("ranking", scored=scored)
        return data

    def scores(self, data: RankingData) -> Floats:
        """Return the scores in the order of the data; lines follow the rows of the input."""
        if self._inner is not None:
            with self._located():
                return self._inner.scores(data)
        if self.kind is not None:
            raise self._refused("scores")
        from idealrank.io.score_files import read_scores

        with self._reading(self._path) as progress:
            return data.check_scores(read_scores(self._path, progress=progress), order="input")

    def column(self, name: str) -> Shape | None:
        """Return a column of scores."""
        with self._located():
            return None if self._inner is None else self._inner.column(name)

    def categories(self, column: str) -> dict[object, object]:
        """Return {query: its value in this column of the file}."""
        if self._inner is None:
            return super().categories(column)
        with self._located():
            return self._inner.categories(column)

    @property
    def column_names(self) -> Sequence[str]:
        """The columns, if the file has a table."""
        with self._located():
            return () if self._inner is None else self._inner.column_names

    def join_on(self, names: Collection[str]) -> None:
        """Prefer these columns."""
        if self._inner is not None:
            with self._located():
                self._inner.join_on(names)

    def join_ids(self, ids: Iterable[str]) -> None:
        """Prefer the column of documents that has some of these ids."""
        if self._inner is not None:
            with self._located():
                self._inner.join_ids(ids)

    @property
    def own_system(self) -> Shape | None:
        """The retrieved documents that come with the judgments."""
        with self._located():
            return None if self._inner is None else self._inner.own_system

    @property
    def has_spans(self) -> bool:
        """Whether documents come with offsets of text."""
        with self._located():
            return self._inner is not None and self._inner.has_spans

    def spans(self, content: Literal["qrels", "run"]) -> Spans:
        """Return the spans of text in documents."""
        if self._inner is None:
            return super().spans(content)
        with self._located():
            return self._inner.spans(content)

    def _as(self, content: Content, **options: bool) -> Any:
        """Return what the file becomes; ``options`` are for a content that has a shape of its own."""
        with self._located():
            if self._inner is not None:
                return getattr(self._inner, content)(**options)
            if content not in self.gives or self.kind is None:
                raise self._refused(content)
            with self._reading(self._path) as progress:
                group = self._group if self.layout.group is None else self.layout.group
                return self.kind.read(self._source, group=group, progress=progress)

    def _frame(self, kind: Format) -> Any:
        from idealrank.io.frame_roles import find_column
        from idealrank.io.frames import Stored
        from idealrank.io.parquet_csv import csv_columns, parquet_file

        if not kind.is_text and self._path != "-":
            with parquet_file(self._path) as file:
                empty = file.schema_arrow.empty_table()

            def read(names: Any) -> Any:
                with parquet_file(self._path) as file:
                    return file.read(columns=names)

            return Stored(empty, read)
        names = csv_columns(self._start) if kind.is_text else []
        roles = ("query", "doc", "subtopic")
        ids = [name for name in names if any(find_column(role, [name], self.layout.columns) for role in roles)]
        with self._reading(self._path) as progress:
            return kind.read(self._path, text=ids, progress=progress)

    def _json(self) -> Any:
        from idealrank.io.json_questions import load_folder, unwrapped
        from idealrank.io.nested_json import load_json

        if self._is_folder:
            return load_folder(self._path)

        with self._reading(self._path) as progress:
            content = unwrapped(load_json(self._path, progress=progress))
        if not isinstance(content, (Mapping, list)):  # text would be the path of another file
            raise DataError(f"expected a JSON object or list, got {type(content).__name__}")
        return content

    @contextmanager
    def _located(self) -> Iterator[None]:
        """Turn errors in the data into errors that name the file, and the line if it is known."""
        try:
            yield
        except DataError as error:
            line = 1
            if error.row is not None and self.kind is not None and self.kind.name == "csv":
                from idealrank.io.parquet_csv import line_of_record

                line = line_of_record(read_whole(self._path), error.row + 1)
            raise ParseError(str(error), display_name(self._file_of(error)), line) from None

    def _file_of(self, error: DataError) -> str:
        """Return the path, or that of the file in a folder that the error is about."""
        path: str = self._path
        inner: Shape | None = self.__dict__.get("_inner")  # None if reading it is what failed
        if not self._is_folder or inner is None:
            return path
        from idealrank.io.frame_roles import FILE

        name, columns = error.query, inner.column_names
        with suppress(DataError):  # files of several queries, which have no name of their own
            if error.query is None and error.row is not None and {FILE, error.column} <= {*columns}:
                name = inner.value.get_column(FILE).to_list()[error.row]
            elif FILE in columns:
                name = inner.categories(FILE).get(error.query, error.query)
        own = os.path.join(path, f"{name}.json")
        return own if os.path.isfile(own) else path
