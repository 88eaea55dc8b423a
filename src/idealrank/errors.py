"""What can go wrong: each error says what, where, what was got, and what to do."""

__all__ = ["DataError", "IdealrankError", "MissingExtraError", "ModelError", "OptionError", "ParseError"]


class IdealrankError(Exception):
    """Every error that this package raises on purpose.

    >>> all(issubclass(each, IdealrankError) for each in (DataError, ParseError, OptionError, ModelError))
    True
    """


class DataError(IdealrankError, ValueError):
    """Values that cannot be ranked or measured; names the query and the row where there is one.

    >>> print(DataError("a score must be a finite number, got nan", query="q7", row=12))
    a score must be a finite number, got nan (query 'q7', row 12)
    """

    def __init__(self, what: str, query: object = None, row: int | None = None, column: str | None = None) -> None:
        super().__init__(what, query, row, column)
        self.what = what
        self.query = query
        self.row = row
        self.column = column

    def __str__(self) -> str:
        places = [
            f"{name} {value!r}"
            for name, value in (("query", self.query), ("row", self.row), ("column", self.column))
            if value is not None
        ]
        return f"{self.what} ({', '.join(places)})" if places else self.what


class ParseError(IdealrankError, ValueError):
    """Text that cannot be read; its message starts with ``path:line:column``, counted from 1.

    >>> print(ParseError("a label must be a finite number, got 'x'", path="train.txt", line=3, column=1))
    train.txt:3:1: a label must be a finite number, got 'x'
    """

    def __init__(self, what: str, path: str | None = None, line: int = 1, column: int = 1) -> None:
        super().__init__(what, path, line, column)
        self.what = what
        self.path = path
        self.line = line
        self.column = column

    def __str__(self) -> str:
        return f"{self.path or '<text>'}:{self.line}:{self.column}: {self.what}"


class OptionError(IdealrankError, ValueError):
    """A choice that does not exist, or that a measure cannot take.

    >>> from idealrank import measure
    >>> measure("ndcg(gain=expp)")
    Traceback (most recent call last):
    idealrank.errors.OptionError: ndcg: gain: unknown gain 'expp'; did you mean 'exp2'?
    """


class ModelError(IdealrankError, ValueError):
    """A model that no file can hold, or a file that holds no model; starts with the path, and says which entry.

    >>> print(ModelError("it has no 'coef_'", path="model.json", entry="state"))
    model.json: state: it has no 'coef_'
    """

    def __init__(self, what: str, path: str | None = None, entry: str | None = None) -> None:
        super().__init__(what, path, entry)
        self.what = what
        self.path = path
        self.entry = entry

    def __str__(self) -> str:
        return ": ".join(part for part in (self.path, self.entry, self.what) if part is not None)


class MissingExtraError(IdealrankError, ImportError):
    """An optional package is not installed; the message names the pip command that brings it.

    >>> print(MissingExtraError("pyarrow", extra="parquet"))
    this needs pyarrow: pip install 'idealrank[parquet]'
    """

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(package, extra)
        self.package = package
        self.extra = extra

    def __str__(self) -> str:
        return f"this needs {self.package}: pip install 'idealrank[{self.extra}]'"
