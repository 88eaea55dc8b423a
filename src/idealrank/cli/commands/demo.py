"""``idealrank demo``: one run in every tool, why two of them disagree, which system is better, and a trained ranker."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

import idealrank
from idealrank._core.extras import require
from idealrank._present.printable import wrapped
from idealrank._present.table import render
from idealrank.cli.support.command import check_target
from idealrank.cli.support.result_command import Display, ResultCommand
from idealrank.cli.support.shared_options import count
from idealrank.cli.support.terminal import echo

if TYPE_CHECKING:
    from collections.abc import Iterator

    from idealrank.comparison.comparison_result import Comparison
    from idealrank.data.judgments import Qrels, Run

_MEASURE = "ndcg@10"
_TWO_TOOLS = ("trec_eval", "lightgbm")
_WIDTH = 76
_NEXT = """
Try next
  idealrank evaluate qrels.txt bm25.run         any measure, any tool's numbers
  idealrank explain qrels.txt bm25.run --like trec_eval --like lightgbm
  idealrank compare qrels.txt bm25.run new.run  is the difference real?
  idealrank train train.txt --out model.json    a ranker for your measure
"""


@click.command("demo", cls=ResultCommand)
@click.option("--queries", **count(5, 50), help="Number of queries.")
@click.option("--docs", **count(20, 200), help="Documents per query.")
@click.option("--seed", **count(0, 0), help="Seed of the data.")
def command(queries: int, docs: int, seed: int, display: Display) -> None:
    """Show one run in every tool, why two tools disagree, which system is better, and a ranker trained for NDCG.

    All data is generated: judgments, the runs of three search systems, and labeled documents with features for the
    ranker. A report is written to idealrank-demo.html, or to the file given by --html.

    With --format other than text, or --quiet, only the table of the three systems is printed, and a report is written
    only with --html.
    """
    is_text = display.output_format == "text"
    speak = is_text and not display.quiet
    html_path = display.html_path or ("idealrank-demo.html" if speak else None)
    if html_path is not None:
        check_target(html_path)
    if speak:  # before any work
        require("sklearn", for_="the demo")
    if html_path is not None:
        require("matplotlib", for_="the report")

    from idealrank.comparison.compare import compare
    from idealrank.comparison.explain import explain
    from idealrank.data import datasets

    qrels, runs = datasets.search_runs(queries, docs, seed=seed)
    if speak:
        click.echo("\n".join(_every_tool(qrels, runs["bm25"])))
    explained = explain(qrels, runs["bm25"], _MEASURE, like=_TWO_TOOLS)
    if speak:
        click.echo(f"\n2. Why do {' and '.join(_TWO_TOOLS)} disagree?\n\n{explained}\n\n3. Which system is better?\n")
    compared = compare(qrels, runs, _MEASURE, seed=seed, for_report=html_path is not None)
    letters = compared.table("letters")
    echo(compared.to_text("letters", width=_WIDTH) if is_text else render(letters, display.output_format), nl=False)
    parts = [explained.page().sections()[0]]
    if speak:
        click.echo(f"\n4. Train a ranker for {_MEASURE}\n")
        with display.working("training ApproxNDCG"):
            trained = _trained(seed)
        finding, *_ = trained.page().findings
        click.echo("\n".join(wrapped(finding, _WIDTH, "  ")) + "\n" + _NEXT, nl=False)
    if html_path is not None:
        with display.working("writing the report"):
            display.write_report(compared, html_path, parts=parts)


def _every_tool(qrels: Qrels, run: Run) -> Iterator[str]:
    """Yield a line per number that tools give for a run, with the tools that give it."""
    from idealrank.evaluation.evaluate import evaluate
    from idealrank.measures.conventions import CONVENTION_NAMES

    tools: dict[str, list[str]] = {}
    for name in CONVENTION_NAMES:
        mean = evaluate(qrels, run, _MEASURE, like=name).mean[_MEASURE]
        if name != "idealrank" and mean == mean:
            tools.setdefault(f"{mean:.4f}", []).append(name)
    n_tools = sum(map(len, tools.values()))
    yield f"idealrank {idealrank.__version__}, on generated data\n"
    yield f"1. {_MEASURE} of one run: {n_tools} tools, {len(tools)} different numbers\n"
    for shown, names in sorted(tools.items()):
        yield from wrapped(f"{shown}  {', '.join(names)}", _WIDTH, " " * 8)
    said = ", ".join(f"{name} says {shown}" for shown, names in tools.items() for name in names if name in _TWO_TOOLS)
    yield "\n" + "\n".join(wrapped(f"{said}. Neither is wrong: they define NDCG differently.", _WIDTH, ""))


def _trained(seed: int) -> Comparison:
    """Compare a ranker, trained on generated data, with the best single feature, on other queries."""
    from idealrank.comparison.compare import compare
    from idealrank.data import datasets
    from idealrank.learners import ApproxNDCGRanker

    train, test = datasets.web_search(40, 100, seed=seed)
    fitted, validation = train.split([0.8, 0.2], seed=seed)
    ranker = ApproxNDCGRanker(normalize="zscore", max_iter=40, patience=5).fit(fitted, eval_set=validation)
    scores = {"feature 1": test.known_features()[:, 0], "ApproxNDCG": ranker.predict(test)}
    return compare(test, scores, _MEASURE, baseline="feature 1", seed=seed)
