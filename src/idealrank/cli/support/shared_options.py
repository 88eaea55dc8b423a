"""Options that several commands share, and the formats that they name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from idealrank.io.format_list import FORMATS

if TYPE_CHECKING:
    from idealrank.io.formats import Format

#: The type of options that name a format.
KIND = click.Choice(list(FORMATS))


def kind_of(path: str, given: str | None, option: str = "--from") -> Format:
    """Return the format that was given, or that of the file: by content to read, by its name alone to write.

    >>> kind_of("bm25.run", None).title
    'a TREC run'
    """
    from idealrank.errors import OptionError
    from idealrank.io.formats import load, named, recognized

    if given is not None:
        return load(given).require()
    ask = f"give {option} {'|'.join(FORMATS)}"
    if path == "-":
        raise click.UsageError(f"'-' has neither content nor a name to tell its format by; {ask}.")
    try:
        return (recognized(path, ask) if option == "--from" else named(path, ask)).require()
    except OptionError as error:
        raise click.UsageError(f"{error}.") from None


def kind_of_features(path: str, given: str | None) -> Format:
    """Return the format of a file of documents with features."""
    from idealrank.data.judgments import Qrels, Run
    from idealrank.io.formats import Nested

    kind = kind_of(path, given)
    if kind.holds in (Qrels, Run, Nested):
        raise click.UsageError(
            f"{path!r}: there are no features in {kind.title}; give --from letor if it is LETOR text."
        )
    return kind


PICTURE_ENDINGS = (".svg", ".png", ".pdf")


class Output(click.types.StringParamType):
    """The name of a file that the command writes, which is checked before the command begins."""

    name = "file"


class _Picture(Output):
    """The name of a picture that the command writes."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the name if its ending is that of a picture."""
        if not str(value).lower().endswith(PICTURE_ENDINGS):
            self.fail(f"a plot must be .svg, .png or .pdf, got {value!r}.", param, ctx)
        return value


OUTPUT = Output()
PICTURE = _Picture()


def one_of(values: str, metavar: str, text: str, default: str | None = None) -> dict[str, Any]:
    """Return the attributes of an option that takes one of the values; the help lists them where the text has {}.

    >>> one_of("keep drop", "WHICH", "Repeated ids: {}.", "keep")["help"]
    'Repeated ids: keep (the default) or drop.'
    """
    names = values.split()
    *most, last = [f"{name} (the default)" if name == default else name for name in names]
    help_text = text.format(f"{', '.join(most)} or {last}")
    given = {} if default is None else {"default": default}  # None would be a value of a required option
    return {"type": click.Choice(names), "metavar": metavar, "help": help_text, **given}


def count(least: int, default: int | None = None, metavar: str = "N") -> dict[str, Any]:
    """Return the attributes of an option that takes an integer."""
    shown = {} if default is None else {"default": default, "show_default": True}
    return {"type": click.IntRange(least), "metavar": metavar, **shown}


def probability(default: float | None = None) -> dict[str, Any]:
    """Return the attributes of an option that takes a probability other than 0 and 1."""
    shown = {} if default is None else {"default": default, "show_default": True}
    return {"type": click.FloatRange(0, 1, min_open=True, max_open=True), "metavar": "P", **shown}


quiet_option = click.option(
    "-q", "--quiet", is_flag=True, help="Print only results and errors: no progress and no notes."
)
format_option = click.option(
    "--format", "output_format", **one_of("text json csv markdown latex", "FORMAT", "Print the table as {}.", "text")
)
html_option = click.option(
    "--html", "html_path", type=OUTPUT, metavar="FILE", help="Also write a report as a self-contained HTML page."
)
digits_option = click.option(
    "--digits",
    type=click.IntRange(0, 15),
    default=4,
    show_default=True,
    metavar="N",
    help="Number of digits after the decimal point in text, markdown and latex.",
)
explain_option = click.option("--explain", is_flag=True, help="Explain the theorem or formula behind each result.")
level_option = click.option("--level", **probability(0.05), help="Significance level.")
seed_option = click.option("--seed", **count(0, 0), help="Seed of the random number generator.")
one_measure_option = click.option(
    "-m", "--measure", default="ndcg@10", show_default=True, metavar="MEASURE", help="The measure."
)
measures_option = click.option(
    "-m",
    "--measure",
    "measures",
    multiple=True,
    metavar="MEASURE",
    help="A measure, such as ndcg@10 or P.5,10; may be repeated. '?' lists all.",
)
like_option = click.option(
    "--like",
    metavar="TOOL",
    help="The tool whose conventions apply, such as trec_eval (9.0.8) or trec_eval10; '?' lists all.",
)
weights_option = click.option(
    "--query-weights", metavar="FILE", help="A file with a query and its weight on each line, for means and intervals."
)
by_option = click.option(
    "--by",
    metavar="FILE|COLUMN",
    help="Also print means by query category: a column of DATA, or a file with a query and its category on each line.",
)
_COLUMNS = {
    "query": "query ids",
    "doc": "document ids",
    "label": "labels",
    "score": "scores",
    "rank": "ranks",
    "subtopic": "subtopics",
}


def column_options(function: click.decorators.FC) -> click.decorators.FC:
    """Add an option per role of a column in tables: CSV, Parquet and JSON."""
    where = "CSV, Parquet or JSON; --query and --doc take A,B if judgments and runs differ"
    return _options_of(_COLUMNS, where, function)


_FEATURE_COLUMNS = {"query": "query ids", "label": "labels", "doc": "document ids", "weight": "document weights"}


def feature_column_options(*roles: str) -> Callable[[click.decorators.FC], click.decorators.FC]:
    """Add an option per role of a column, other than features, in tables of documents: CSV and Parquet."""
    return partial(_options_of, {role: _FEATURE_COLUMNS[role] for role in roles}, "CSV or Parquet")


def named_columns(data: str, kinds: Sequence[Format], **columns: str | None) -> dict[str, str]:
    """Return the columns that options name, which only a table has."""
    from idealrank.io.formats import Frame

    given = {role: name for role, name in columns.items() if name is not None}
    if given and not any(kind.holds is Frame for kind in kinds):
        raise click.UsageError(f"--{next(iter(given))} names a column of CSV or Parquet, and {data!r} is neither.")
    return given


def _options_of(roles: Mapping[str, str], where: str, function: click.decorators.FC) -> click.decorators.FC:
    for role, what in reversed(list(roles.items())):
        function = click.option(f"--{role}", metavar="COLUMN", help=f"Column of {what} in {where}.")(function)
    return function


group_option = click.option(
    "--group", metavar="FILE", help="A file with the number of documents per query, for LETOR text without qid."
)
_kind_option = click.option(
    "--from", "from_kind", type=KIND, metavar="KIND", help="The format of DATA, if it is not recognized."
)


def data_options(function: click.decorators.FC) -> click.decorators.FC:
    """Add ``--from`` and ``--group``: the format of the judged documents."""
    return _kind_option(group_option(function))
