"""``idealrank trec_eval``: NIST's command with the same flags, the same output and the same exit codes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from idealrank.cli.support.command import Command
from idealrank.cli.support.failures import exiting_with
from idealrank.cli.support.terminal import echo, notes, reading


def _judgments(ctx: click.Context, parameter: click.Parameter, value: str) -> None:
    """Accept ``-R qrels``, the only format of judgments that is read."""
    others = {"prefs": "preferences", "qrels_prefs": "preferences", "qrels_jg": "judgments by several judges"}
    if value in others:
        raise click.UsageError(f"-R {value}: {others[value]} are not available here; only -R qrels is.")
    if value != "qrels":
        known = ", ".join(["qrels", *others])
        raise click.UsageError(f"-R {value}: trec_eval has no such format of judgments, it has {known}.")


def _refused(short: str, long: str, what: str) -> Callable[[click.decorators.FC], click.decorators.FC]:
    """Return a flag of trec_eval's that is refused with its meaning."""

    def refuse(ctx: click.Context, parameter: click.Parameter, value: str | None) -> None:
        if value is not None:
            raise click.UsageError(
                f"{short} ({what}) is not available here; 'idealrank trec_eval --help' lists what is."
            )

    return click.option(short, long, callback=refuse, expose_value=False, hidden=True)


#: Exit codes of trec_eval: a file that cannot be read, data that cannot be evaluated, no query in common.
_UNREADABLE, _UNFIT, _NOTHING_COMMON = 2, 4, 7
_N: Any = {"type": click.IntRange(0), "metavar": "N"}


@click.command("trec_eval", cls=Command)
@click.argument("qrels")
@click.argument("run")
@click.option("-q", "--query_eval_wanted", "queries", is_flag=True, help="Also print the values of each query.")
@click.option("-n", "--nosummary", "no_summary", is_flag=True, help="Print no values over all queries.")
@click.option("-m", "--measure", "names", multiple=True, metavar="MEASURE", help="A measure or set; may be repeated.")
@click.option("-c", "--complete_rel_info_wanted", "complete", is_flag=True, help="Count a query not in RUN as 0.")
@click.option("-l", "--level_for_rel", "level", default=1, **_N, help="Lowest label of a relevant document.")
@click.option("-J", "--Judged_docs_only", "judged_only", is_flag=True, help="Leave out unjudged documents.")
@click.option("-M", "--Max_retrieved_per_topic", "max_docs", **_N, help="Leave out documents after rank N.")
@click.option("-N", "--Number_docs_in_coll", "n_collection", default=0, **_N, help="Collection size, for utility.")
@click.option("-R", "--Rel_info_format", default="qrels", callback=_judgments, expose_value=False, hidden=True)
@click.option("-T", "--Results_format", type=click.Choice(["trec_results"]), expose_value=False, hidden=True)
@_refused("-Z", "--Zscore", "scores relative to other systems")
@_refused("-D", "--Debug_level", "debugging output")
@_refused("-Q", "--Debug_query", "debugging output")
@click.option("--v9", is_flag=True, help="Reproduce trec_eval 9.0.8, like --like trec_eval of other commands.")
@click.option("--quiet", is_flag=True, help="Print no progress and no notes, only errors.")
def command(
    qrels: str, run: str, queries: bool, no_summary: bool, names: tuple[str, ...], v9: bool, quiet: bool, **options: Any
) -> None:
    """Evaluate RUN on the judgments in QRELS, with trec_eval's flags and, byte for byte, the output of trec_eval 10.

    Other commands follow this version with --like trec_eval10; their --like trec_eval is version 9.0.8, as in
    pytrec_eval.

    \b
    MEASURE is a name, with parameters after a dot, or a set of measures:
      official   the default          all_trec   all but dcg, ideal_dcg, yaap
      set        for unranked lists
      map  P.5,10  ndcg_cut.10  ndcg.1=3,2=9  rbp.p=0.8  relstring.20 ...

    Files may be compressed (.gz, .xz, .bz2, .zst), and one of them may be "-", standard input. Exit codes: 1 for an
    unknown measure, 2 for a file that cannot be read, 4 for data that cannot be evaluated, 7 if --v9 finds no query in
    common.

    Known differences, where trec_eval reads uninitialized memory or crashes: its rbp can depend on the other measures
    that were requested if a label or gain is not 0 or 1; it rejects, or crashes on, a query in which all labels are
    negative, which is evaluated here as unjudged; and it crashes on dcg or ideal_dcg together with ndcg with gains. Not
    available here: -R with prefs, qrels_prefs or qrels_jg and their measures, -Z, and the debugging flags -D and -Q.

    \b
    Examples:
      idealrank trec_eval qrels.txt bm25.run
      idealrank trec_eval -q -c -m ndcg_cut.10 -m map qrels.txt bm25.run
      idealrank trec_eval --v9 -m all_trec -l2 qrels.txt bm25.run
    """
    from idealrank.evaluation import trec_eval
    from idealrank.io.trec import read_qrels, read_run

    names, version = names or ("official",), 9 if v9 else 10
    trec_eval.read_measures(names, version)  # report errors in them before a long read
    with exiting_with(_UNREADABLE):
        with reading(qrels, quiet=quiet) as progress:
            judgments = read_qrels(qrels, comments=not v9, subtopics=False, progress=progress)
        with reading(run, quiet=quiet) as progress:
            answer = read_run(run, comments=not v9, progress=progress)
    with exiting_with(_UNFIT):
        try:
            results = trec_eval.evaluate(judgments, answer, names, version=version, **options)
        except trec_eval.NoCommonQueryError:
            with exiting_with(_NOTHING_COMMON):
                raise
    notes(results.problems, quiet=quiet)
    text = "".join(f"{line}\n" for line in results.lines(queries=queries, summary=not no_summary))
    echo(text, nl=False)
