"""``idealrank compare``: which systems differ, by how much, and whether the queries are enough to say so."""

from __future__ import annotations

import click

from idealrank.cli.support.help import Command
from idealrank.cli.support.kinds import kind_of_judged
from idealrank.cli.support.options import (
    data_options,
    debug_option,
    format_option,
    html_option,
    like_option,
    measures_option,
    quiet_option,
)

__all__ = ["command"]

_HELP = """\
Compare SYSTEMS on the judged documents in DATA, which are as for 'idealrank evaluate'.

With --baseline each other system is tested against that one, by a paired randomisation test, its p-values corrected
by Holm's method. Without, all pairs are, by the randomised Tukey HSD test. 'detectable' is the least true difference
that as many queries show with a power of 0.8.

\b
Examples:
  idealrank compare qrels.txt bm25.run new.run -m ndcg@10 --baseline bm25
  idealrank compare qrels.txt *.run -m ndcg@10 --format latex
  idealrank compare test.txt a.txt b.txt --test t --seed 1
"""


@click.command("compare", cls=Command, help=_HELP)
@click.argument("data")
@click.argument("systems", nargs=-1)
@measures_option
@like_option
@click.option("--baseline", metavar="NAME", help="The system that the others are compared with.")
@click.option(
    "--test",
    type=click.Choice(["randomization", "t", "wilcoxon", "sign", "bootstrap", "tukey"]),
    metavar="TEST",
    help="randomization, t, wilcoxon, sign, bootstrap or tukey.",
)
@click.option(
    "--correction",
    type=click.Choice(["holm", "benjamini_hochberg", "bonferroni", "none"]),
    default="holm",
    metavar="METHOD",
    help="holm (the default), benjamini_hochberg, bonferroni or none.",
)
@click.option("--level", type=float, default=0.05, show_default=True, metavar="P", help="What is called significant.")
@click.option("--permutations", type=click.IntRange(1), default=10_000, show_default=True, metavar="N")
@click.option("--seed", type=int, metavar="N", help="Repeats a comparison; the one used is printed.")
@data_options
@format_option
@html_option
@quiet_option
@debug_option
def command(
    data: str,
    systems: tuple[str, ...],
    measures: tuple[str, ...],
    like: str | None,
    baseline: str | None,
    test: str | None,
    correction: str,
    level: float,
    permutations: int,
    seed: int | None,
    from_kind: str | None,
    group: str | None,
    output_format: str,
    html_path: str | None,
    quiet: bool,
) -> None:
    """Compare SYSTEMS on DATA."""
    kind = kind_of_judged(data, from_kind, systems, least=2)

    from idealrank.cli.support import comparing
    from idealrank.cli.support.evaluating import read_systems
    from idealrank.evaluation.comparison import check_choices, compared
    from idealrank.evaluation.evaluator import Evaluator

    judged, answers = read_systems(data, kind, systems, group=group, quiet=quiet)
    named, names = dict(answers), list(measures) or ["ndcg@10"]
    evaluator = Evaluator(judged, like)
    check_choices(test, correction)
    found = compared(
        evaluator.evaluate_all(named.items(), names),
        baseline=baseline,
        test=test,
        correction=correction,
        level=level,
        n_permutations=permutations,
        seed=seed,
        n_threads=None,
    )
    comparing.show(found, output_format, quiet=quiet)
    if html_path is not None:
        from idealrank.cli.support import reporting
        from idealrank.report import over_cutoffs

        depths = over_cutoffs(names)
        curves = evaluator.evaluate_all(named.items(), depths) if depths else None
        reporting.write(found, html_path, curves=curves, quiet=quiet)
