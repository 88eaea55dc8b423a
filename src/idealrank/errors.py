"""Errors, and a warning: each message says what is wrong, where, what was given, and what to do."""

__all__ = [
    "DataError",
    "IdealrankError",
    "MissingExtraError",
    "ModelError",
    "ObviousRivalWarning",
    "OptionError",
    "ParseError",
]


class IdealrankError(Exception):
    """Base class of all errors of this package.

    Examples
    --------
    >>> from idealrank.errors import DataError, IdealrankError, ModelError, OptionError, ParseError
    >>> all(issubclass(each, IdealrankError) for each in (DataError, ParseError, OptionError, ModelError))
    True
    """


class DataError(IdealrankError, ValueError):
    """Data that cannot be ranked or measured.

    Parameters
    ----------
    what : str
        What is wrong.
    query : object, optional
        The id of the query, if the error concerns one.
    row : int, optional
        The input row, counted from 0, if the error concerns one.
    column : str, optional
        The column of a data frame, if the error concerns one.

    Examples
    --------
    >>> from idealrank.errors import DataError
    >>> print(DataError("a score must be a finite number, got nan", query="q7", row=12))
    a score must be a finite number, got nan (query 'q7', row 12)
    """

    def __init__(self, what: str, query: object = None, row: int | None = None, column: str | None = None) -> None:
        super().__init__(what, query, row, column)
        self.what, self.query, self.row, self.column = what, query, row, column

    def __str__(self) -> str:
        places = [
            f"{name} {value!r}"
            for name, value in (("query", self.query), ("row", self.row), ("column", self.column))
            if value is not None
        ]
        return f"{self.what} ({', '.join(places)})" if places else self.what


class ParseError(IdealrankError, ValueError):
    """A file that cannot be parsed; the message starts with ``path:line:column``, counted from 1.

    Parameters
    ----------
    what : str
        What is wrong.
    path : str, optional
        The path of the file.
    line, column : int
        The position in the file, counted from 1.

    Examples
    --------
    >>> from idealrank.errors import ParseError
    >>> print(ParseError("a label must be a finite number, got 'x'", path="train.txt", line=3, column=1))
    train.txt:3:1: a label must be a finite number, got 'x'
    """

    def __init__(self, what: str, path: str | None = None, line: int = 1, column: int = 1) -> None:
        super().__init__(what, path, line, column)
        self.what, self.path, self.line, self.column = what, path, line, column

    def __str__(self) -> str:
        return f"{self.path or '<text>'}:{self.line}:{self.column}: {self.what}"


class OptionError(IdealrankError, ValueError):
    """An option that does not exist, or a value that is not valid for it.

    Examples
    --------
    >>> from idealrank import measure
    >>> measure("ndcg(gain=expp)")
    Traceback (most recent call last):
    idealrank.errors.OptionError: ndcg: gain: unknown gain 'expp'; did you mean 'exp2'?
    """


class ModelError(IdealrankError, ValueError):
    """A model that cannot be saved, or a file that is not a valid model.

    Parameters
    ----------
    what : str
        What is wrong.
    path : str, optional
        The path of the file.
    entry : str, optional
        The entry of the file that is not valid.

    Examples
    --------
    >>> from idealrank.errors import ModelError
    >>> print(ModelError("it has no 'coef_'", path="model.json", entry="state"))
    model.json: state: it has no 'coef_'
    """

    def __init__(self, what: str, path: str | None = None, entry: str | None = None) -> None:
        super().__init__(what, path, entry)
        self.what, self.path, self.entry = what, path, entry

    def __str__(self) -> str:
        return ": ".join(part for part in (self.path, self.entry, self.what) if part is not None)


class MissingExtraError(IdealrankError, ImportError):
    """An optional package that is not installed; the message names the pip commands to install it.

    Parameters
    ----------
    package : str
        The name of the package.
    extra : str
        The extra of idealrank that installs it; empty if there is none.
    for_ : str
        What needs the package.

    Examples
    --------
    >>> from idealrank.errors import MissingExtraError
    >>> print(MissingExtraError("pyarrow", extra="parquet"))
    this needs pyarrow: pip install 'idealrank[parquet]', or in a clone pip install '.[parquet]'
    """

    def __init__(self, package: str, extra: str, for_: str = "this") -> None:
        super().__init__(package, extra, for_)
        self.package, self.extra, self.for_ = package, extra, for_

    def __str__(self) -> str:
        here = f"'idealrank[{self.extra}]', or in a clone pip install '.[{self.extra}]'" if self.extra else self.package
        return f"{self.for_} needs {self.package}: pip install {here}"


class ObviousRivalWarning(UserWarning):
    """A learner that is worse on validation data than a ridge regression of the labels, or than popularity.

    Examples
    --------
    >>> import warnings
    >>> from idealrank.errors import ObviousRivalWarning
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", ObviousRivalWarning)  # such as in a comparison of losses
    """
