"""``idealrank evaluate``: measures of one system or several, with the convention below the table."""

from __future__ import annotations

import click

from idealrank.cli.support.shared_options import by_option, digits_option, weights_option
from idealrank.cli.support.systems_command import Request, SystemsCommand


@click.command("evaluate", cls=SystemsCommand, measures=("ndcg@10", "ap", "rr"))
@weights_option
@by_option
@click.option("--per-query", is_flag=True, help="Also print one row per query.")
@click.option("--interval", is_flag=True, help="Also print the 95% interval of each mean.")
@click.option("--verbose", is_flag=True, help="Print every option of the convention and of the measures.")
@digits_option
def command(
    request: Request,
    query_weights: str | None,
    by: str | None,
    per_query: bool,
    interval: bool,
    verbose: bool,
    digits: int,
) -> None:
    """Evaluate SYSTEMS on the judged documents in DATA.

    \b
    DATA             SYSTEMS
    TREC judgments   runs: TREC, MS MARCO, CSV, Parquet or JSON
    LETOR text       files with one score per line, in document order
    Parquet or CSV   names of score columns ("score" by default), or runs
    JSON             runs

    Formats are recognized by content; --from sets the format of DATA (see 'idealrank convert --help'). A system is
    called NAME if it is given as NAME=PATH; otherwise by the tag of its run, or by the part of its path that differs
    from the others. Options that a measure does not set follow --like, by default trec_eval for judgments and runs, and
    idealrank for everything else. The convention is printed below the table, and with --verbose all of its options.
    Several systems are evaluated on the queries that they have in common; a note says which queries are dropped.

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
    given = request.inputs()

    from idealrank.evaluation.evaluate import evaluate

    with request.working("evaluating systems"):
        result = evaluate(
            given.data,
            given.systems,
            request.measures,
            like=given.like,
            query_weights=query_weights,
            by=by,
            for_report=request.html_path is not None,
        ).by_system()
    tables = [
        "intervals" if interval else "means",
        *(["queries"] if per_query else []),
        *(["categories"] if by is not None else []),
    ]
    chosen = [name for name in tables if name in result.tables()] if interval or per_query else []
    request.show(result, tables=chosen, digits=digits, everything=verbose)
