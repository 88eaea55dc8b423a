"""``idealrank evaluate``: measures of one system or several, with the conventions below the table."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import click

from idealrank.cli.support.request import Request, SystemsCommand, path_of
from idealrank.cli.support.shared_options import by_option, digits_option, weights_option
from idealrank.errors import IdealrankError

if TYPE_CHECKING:
    from idealrank._typing import Floats
    from idealrank.data.judgments import Run
    from idealrank.evaluation.evaluation_result import Evaluations

__all__ = ["command"]

_HELP = """\
Evaluate SYSTEMS on the judged documents in DATA.

\b
DATA             SYSTEMS
TREC judgments   runs: TREC, MS MARCO, CSV, Parquet or JSON
LETOR text       files with one score per line, in document order
Parquet or CSV   names of score columns ("score" by default), or runs
JSON             runs

Formats are recognized by content; --from sets the format of DATA (see 'idealrank convert --help'). A system is called
NAME if it is given as NAME=PATH; otherwise by the tag of its run, or by the part of its path that differs from the
others. Options that a measure does not set follow --like, by default trec_eval for judgments and runs, and idealrank
for everything else. The conventions are printed below the table. Several systems are evaluated on the queries that all
of them have; a note says which queries are left out.

\b
Examples:
  idealrank evaluate qrels.txt bm25.run new.run -m ndcg@10 -m ap
  idealrank evaluate qrels.txt old=bm25.run new=new.run -m ndcg@10
  idealrank evaluate qrels.txt bm25.run -m 'ndcg(gain=exp2)' --like sklearn
  idealrank evaluate test.txt scores.txt -m ndcg@20% --format json
  idealrank evaluate log.parquet bm25 dense --query session --label clicked
  idealrank evaluate qrels.txt bm25.run -m ndcg@10 --by types.txt
  idealrank evaluate qrels.diversity run.txt -m alpha_ndcg@20 -m err_ia@20
"""


@click.command("evaluate", cls=SystemsCommand, help=_HELP, measures=("ndcg@10", "ap", "rr"))
@weights_option
@by_option
@click.option("--per-query", is_flag=True, help="Also print one row per query.")
@click.option("--interval", is_flag=True, help="Also print the 95% interval of each mean, by Student's t.")
@click.option("--hashes", is_flag=True, help="Add the SHA-256 of every file to JSON.")
@digits_option
def command(
    request: Request,
    query_weights: str | None,
    by: str | None,
    per_query: bool,
    interval: bool,
    hashes: bool,
    digits: int,
) -> None:
    """Evaluate SYSTEMS on DATA."""
    judged, systems = request.read()

    from idealrank.cli.support.printed_tables import show, show_with_remarks
    from idealrank.cli.support.status_line import working
    from idealrank.cli.support.terminal import quality
    from idealrank.evaluation.evaluation_base import interval_remark
    from idealrank.evaluation.evaluation_result import Evaluations
    from idealrank.evaluation.inputs import naming
    from idealrank.measures.base import Measure

    measures = request.measures
    depths: list[Measure] = []
    lists: Rankings | None = None
    evaluator = request.evaluator(judged, query_weights, by)
    with suppress(IdealrankError):  # to import the measures while the run is still read; the evaluation raises it again
        evaluator.filled(measures)
    found, curves = {}, {}

    def evaluated() -> Iterator[tuple[str, Run | Floats]]:
        for name, system in systems:  # each is read once, and released before the next one is read
            with naming(name):
                found[name] = evaluator.evaluate(system, measures)
                if depths:
                    curves[name] = evaluator.evaluate(system, depths)
            yield name, system

    with working("evaluating systems", quiet=request.quiet):
        if request.html_path is None:
            for _ in evaluated():
                pass
        else:
            from idealrank.report import Rankings, over_cutoffs

            depths += over_cutoffs(measures)
            lists = Rankings.of(evaluator, evaluated(), measures)
        evaluations = Evaluations(found).on_common_queries()
    if request.output_format == "json":
        import json

        content = _content(evaluations, per_query=per_query, interval=interval)
        click.echo(json.dumps(content | (_hashes(request) if hashes else {}), indent=2, allow_nan=False))
    else:
        table = evaluations.table_of_means(per_query=per_query, interval=interval)
        over, *others = evaluations.remarks()
        if interval:
            some = next(iter(evaluations.values()))
            over += f"; {interval_remark(some.mean_interval(next(iter(some.per_query))))}"
        if evaluations.has_categories:
            show(table.with_digits(digits), request.output_format)
            click.echo()
            table = evaluations.table_of_categories(interval=interval)
        show_with_remarks(table, [over, *others], request.output_format, digits=digits)
    quality(evaluations, quiet=request.quiet)
    request.write_page(evaluations, Evaluations(curves).on_common_queries() if curves else None, lists)


def _content(evaluations: Evaluations, *, per_query: bool, interval: bool) -> dict[str, Any]:
    """Return the evaluations as JSON content."""
    from idealrank._present.json_values import finite, plain
    from idealrank.evaluation.evaluation_base import INTERVAL_LEVEL, INTERVAL_METHOD

    content: dict[str, Any] = evaluations.to_dict()
    if interval:
        content |= {"interval_level": INTERVAL_LEVEL, "interval_method": INTERVAL_METHOD}
    for name, own in content["systems"].items():
        if not per_query:
            for name_of_many in ("per_query", "query_ids", "query_weights", "categories"):
                own.pop(name_of_many, None)
        if interval:
            own["interval"] = plain(evaluations[name].interval())
    return {name: finite(value) for name, value in content.items()}


def _hashes(request: Request) -> dict[str, dict[str, str]]:
    """Return the SHA-256 of every file that was read; systems may also be columns."""
    import hashlib  # it loads OpenSSL, which no table needs

    found = {}
    for path in (request.data, *map(path_of, request.systems)):
        if os.path.isfile(path):
            with open(path, "rb") as file:
                found[path] = hashlib.file_digest(file, "sha256").hexdigest()
    return {"sha256": found} if found else {}
