"""``idealrank gate``: pass, fail or inconclusive, for continuous integration."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

import click

from idealrank.cli.support.failures import exiting_with
from idealrank.cli.support.shared_options import OUTPUT, digits_option, probability
from idealrank.cli.support.systems_command import Request, SystemsCommand

#: The exit status of errors: 1 and 2 are verdicts.
_ERROR = 3


class _GateCommand(SystemsCommand):
    """A command whose errors have an exit status of their own, and whose arguments a policy may give."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        for each in self.params:
            if each.name == "data":
                each.required = False
            elif each.name == "systems":
                each.metavar = "[CANDIDATE]..."

    def make_context(self, *arguments: Any, **options: Any) -> click.Context:
        """Parse the arguments."""
        with exiting_with(_ERROR):
            return super().make_context(*arguments, **options)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        with exiting_with(_ERROR):
            return super().invoke(ctx)


@click.command("gate", cls=_GateCommand, without=("missing",))
@click.option(
    "--baseline",
    "baselines",
    multiple=True,
    metavar="FILE",
    help="The system to compare with: a run, or a file that --save wrote; repeated for several runs of it.",
)
@click.option(
    "--margin",
    "margins",
    multiple=True,
    metavar="[MEASURE=]DROP",
    help="The largest drop of a mean that does not matter: 0.02 (the default), or a part of the baseline's mean, such "
    "as 2%; may be repeated for single measures, such as rr=5%.",
)
@click.option("--level", **probability(), help="Significance level; 0.05 by default.")
@click.option(
    "--by",
    metavar="FILE|COLUMN",
    help="Also fail if a category of queries is worse: a file with one query and its category per line, or a column.",
)
@click.option(
    "--removed",
    type=click.Choice(["error", "zero", "drop"]),
    metavar="error|zero|drop",
    help="For queries of the baseline that the candidate lacks: stop (error, the default), count them as queries "
    "without results (zero), or skip them (drop).",
)
@click.option("--policy", metavar="FILE", help="A TOML file with these options; by default, ./pyproject.toml.")
@click.option("--save", type=OUTPUT, metavar="FILE", help="Save the values of CANDIDATE as a baseline, and exit.")
@click.option("--junit", type=OUTPUT, metavar="FILE", help="Also write the verdicts as a JUnit XML test report.")
@click.option("--allow-inconclusive", is_flag=True, help="Exit with 0 if the verdict is inconclusive.")
@digits_option
def command(
    request: Request,
    baselines: tuple[str, ...],
    margins: tuple[str, ...],
    policy: str | None,
    save: str | None,
    junit: str | None,
    allow_inconclusive: bool,
    digits: int,
    **stated: Any,
) -> None:
    """Decide whether CANDIDATE is as good as a baseline on the judged documents in DATA: pass, fail or inconclusive.

    A measure passes if its mean is shown to drop by less than the margin. It fails if its mean is shown to drop, and
    not by less than the margin. Otherwise it is inconclusive. An unchanged system fails in at most 5% of cases,
    whatever the number of measures and categories. The output also says how small a drop this many queries can detect.

    Omit CANDIDATE if DATA also holds what was retrieved. Pass several files if the results of the system vary from run
    to run, for example with the seed; the verdict is then about new queries and new runs.

    The exit status is 0 for pass, 1 for fail, 2 for inconclusive and 3 for errors.

    --save writes the values of a system to a file, with conventions and digests of the judgments; a file that does not
    match is an error that says what differs. A table [tool.idealrank.gate] in pyproject.toml, or a TOML file, can set
    the arguments of idealrank.gate: data, candidate, baseline, measures, margin, level, like, by and removed, and the
    columns query, doc, label, score, rank and subtopic.

    \b
    Examples:
      idealrank gate qrels.txt old.run -m ndcg@10 --save baseline.json
      idealrank gate qrels.txt new.run -m ndcg@10 --baseline baseline.json
      idealrank gate qrels.txt new.run --baseline old.run --junit gate.xml
      idealrank gate qrels.txt new1.run new2.run --baseline baseline.json
      idealrank gate --policy gate.toml --format markdown
    """
    from idealrank.comparison.gating.policy import read_gate_policy

    options: dict[str, Any] = {}
    if policy is not None or os.path.exists("pyproject.toml"):
        options = read_gate_policy(policy or "pyproject.toml")
    stated |= {"baseline": list(baselines) or None, "margin": _margin(margins)}
    options |= {name: value for name, value in stated.items() if value is not None}
    request = _completed(request, options)
    request = replace(request, systems=tuple(f"candidate={path}" for path in request.systems))
    if save is not None:
        _save(request, save)
        return

    from idealrank.comparison.gating.gate import gate
    from idealrank.comparison.gating.saved_baseline import is_saved_baseline
    from idealrank.io.files import atomic_output

    reference = options.pop("baseline", None)
    if reference is None:
        raise click.UsageError("no baseline: give --baseline with a run or a saved file, or save one with --save.")
    paths = [reference] if isinstance(reference, str) else reference
    if not request.systems:
        request.inputs()  # DATA has the candidate, or it is a usage error
    is_saved = len(paths) == 1 and is_saved_baseline(paths[0])
    others = () if is_saved else tuple(f"baseline={path}" for path in paths)
    inputs = replace(request, systems=(*request.systems, *others)).inputs()
    systems = inputs.systems or {}
    reference = paths[0] if is_saved else systems["baseline"]
    with request.working("comparing with the baseline"):
        result = gate(inputs.data, systems.get("candidate"), reference, request.measures, like=inputs.like, **options)
    request.show(result, digits=digits)
    if junit is not None:
        with atomic_output(junit) as file:
            file.write(result.to_junit().encode())
    is_allowed = allow_inconclusive and result.verdict == "inconclusive"
    click.get_current_context().exit(0 if is_allowed else result.exit_status)


def _completed(request: Request, options: dict[str, Any]) -> Request:
    """Return the request with what the command line leaves to the policy, which loses those options."""
    names = ("data", "like", "query", "doc", "label", "score", "rank", "subtopic")
    stated = {name: options.pop(name) for name in names if name in options}
    chosen: dict[str, Any] = {name: value for name, value in stated.items() if getattr(request, name) is None}
    candidate, measures = options.pop("candidate", None), options.pop("measures", "ndcg@10")
    if not request.systems and candidate is not None:
        chosen["systems"] = (candidate,) if isinstance(candidate, str) else tuple(candidate)
    if not request.measures:
        chosen["measures"] = (measures,) if isinstance(measures, str) else tuple(measures)
    request = replace(request, **chosen)
    if not request.data:
        raise click.UsageError("judged documents and a candidate are needed: give DATA and CANDIDATE, or a policy.")
    return request


def _margin(margins: tuple[str, ...]) -> Any:
    """Return the margin of all measures, or {measure: margin}; None if there is none."""
    by_measure = dict(each.rpartition("=")[::2] for each in margins)
    if "" not in by_measure:
        return by_measure or None
    if len(by_measure) > 1:
        raise click.UsageError("give one --margin for all measures, or one MEASURE=DROP for each of them.")
    return by_measure[""]


def _save(request: Request, path: str) -> None:
    from idealrank.cli.support.terminal import note, notes
    from idealrank.comparison.gating.saved_baseline import save_baseline
    from idealrank.evaluation.data_quality import notable_problems

    inputs = request.inputs()
    saved = save_baseline(inputs.data, inputs.systems, request.measures, path, like=inputs.like)
    note(
        f"saved the values of {len(saved.query_ids):,} queries by {', '.join(saved.values)} in {path}",
        quiet=request.quiet,
    )
    notes(sorted(map(str, notable_problems(saved.problems))), quiet=request.quiet)
