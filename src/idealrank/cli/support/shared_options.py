"""Options that several commands share."""

from __future__ import annotations

from typing import Any

import click

from idealrank.cli.support.file_formats import KIND

__all__ = [
    "OUTPUT",
    "PICTURE",
    "PICTURE_ENDINGS",
    "PROBABILITY",
    "Output",
    "by_option",
    "column_options",
    "data_options",
    "debug_option",
    "digits_option",
    "duplicates_option",
    "explain_option",
    "format_option",
    "html_option",
    "identical_ids_option",
    "is_debug",
    "level_option",
    "like_option",
    "measures_option",
    "missing_option",
    "quiet_option",
    "seed_option",
    "unjudged_option",
    "weights_option",
]

PICTURE_ENDINGS = (".svg", ".png", ".pdf")
#: A probability other than 0 and 1.
PROBABILITY = click.FloatRange(0, 1, min_open=True, max_open=True)
_DEBUG = "idealrank.debug"


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


def _remember_debug(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value:
        ctx.meta[_DEBUG] = True


def is_debug() -> bool:
    """Return whether ``--debug`` was given to the running command, or IDEALRANK_DEBUG is set."""
    ctx = click.get_current_context(silent=True)
    return ctx is not None and bool(ctx.meta.get(_DEBUG))


#: ``--debug`` is accepted before the command and after it.
debug_option = click.option(
    "--debug",
    is_flag=True,
    envvar="IDEALRANK_DEBUG",
    expose_value=False,
    is_eager=True,
    callback=_remember_debug,
    help="Show the traceback of an error.",
)
quiet_option = click.option(
    "-q", "--quiet", is_flag=True, help="Print only results and errors: no progress and no notes."
)
format_option = click.option(
    "--format",
    "output_format",
    type=click.Choice(["text", "json", "csv", "markdown", "latex"]),
    default="text",
    metavar="FORMAT",
    help="Print the table as text (the default), json, csv, markdown or latex.",
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
level_option = click.option(
    "--level",
    type=PROBABILITY,
    default=0.05,
    show_default=True,
    metavar="P",
    help="Significance level.",
)
seed_option = click.option(
    "--seed",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    metavar="N",
    help="Seed of the random number generator.",
)
html_option = click.option(
    "--html", "html_path", type=OUTPUT, metavar="FILE", help="Also write a report as a self-contained HTML page."
)
measures_option = click.option(
    "-m",
    "--measure",
    "measures",
    multiple=True,
    metavar="MEASURE",
    help="A measure, such as ndcg@10 or 'ndcg(gain=linear)@10', or as other tools write it, such as P.5,10; may be "
    "repeated. '?' lists all.",
)
like_option = click.option(
    "--like",
    metavar="TOOL",
    help="Use the conventions of this tool for options that a measure does not set; '?' lists all. trec_eval is "
    "version 9.0.8, trec_eval10 is version 10.",
)
unjudged_option = click.option(
    "--unjudged",
    type=click.Choice(["zero", "drop"]),
    metavar="zero|drop",
    help="Treat unjudged documents as not relevant (zero), or remove them like trec_eval -J (drop); by default, as "
    "--like does.",
)
missing_option = click.option(
    "--missing",
    type=click.Choice(["0", "drop", "error"]),
    metavar="0|drop|error",
    help="For a query that is missing from a run: count it as 0 like trec_eval -c (as the worst value if lower is "
    "better), leave it out (drop), or stop (error); by default, as --like does.",
)
duplicates_option = click.option(
    "--duplicates",
    type=click.Choice(["last", "first", "best", "error"]),
    metavar="WHICH",
    help="For a document that is repeated in a query: use its last, first or highest score (last, first, best) or stop "
    "(error); by default, as --like does.",
)
identical_ids_option = click.option(
    "--identical-ids",
    type=click.Choice(["keep", "drop"]),
    metavar="WHICH",
    help="Keep retrieved documents whose id is the id of the query (keep), or remove them like BEIR (drop); by "
    "default, as --like does.",
)
weights_option = click.option(
    "--query-weights",
    metavar="FILE",
    help="Weight the queries in means and intervals: a file with one query and its weight per line.",
)
by_option = click.option(
    "--by",
    metavar="FILE|COLUMN",
    help="Also print means by query category: a file with one query and its category per line, or a column of DATA.",
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
    for role, what in reversed(_COLUMNS.items()):
        function = click.option(f"--{role}", metavar="COLUMN", help=f"Column of {what} in CSV, Parquet or JSON.")(
            function
        )
    return function


_group_option = click.option(
    "--group", metavar="FILE", help="A file with the number of documents per query, for LETOR text without qid."
)
_kind_option = click.option(
    "--from", "from_kind", type=KIND, metavar="KIND", help="The format of DATA, if it is not recognized."
)


def data_options(function: click.decorators.FC) -> click.decorators.FC:
    """Add ``--from`` and ``--group``: the format of the judged documents."""
    return _kind_option(_group_option(function))
