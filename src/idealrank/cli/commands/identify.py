"""``idealrank identify``: what an unknown NDCG computes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from idealrank.cli.support.failures import Failure
from idealrank.cli.support.result_command import Display, ResultCommand
from idealrank.cli.support.shared_options import count, seed_option


@click.command("identify", cls=ResultCommand)
@click.argument("function", required=False)
@click.option("--command", "shell_command", metavar="COMMAND", help="A command with {qrels}, {run} and possibly {k}.")
@click.option("--takes", metavar="WORDS", help="The function's arguments, such as 'labels, scores, k'.")
@click.option("--max-calls", **count(1, 100), help="Maximum number of calls.")
@seed_option
def command(function: str | None, shell_command: str | None, display: Display, **options: Any) -> None:
    """Identify what the NDCG of FUNCTION computes: its conventions, the tools that agree with it, and its defects.

    FUNCTION is MODULE:NAME or FILE.py:NAME. Alternatively, --command is a shell command that reads judgments and a run;
    the paths of these files replace {qrels} and {run}, and the last number that it prints is its result. The function
    is called with small lists, each of which isolates one choice.

    \b
    Examples:
      idealrank identify sklearn.metrics:ndcg_score
      idealrank identify metrics.py:ndcg_at_k --takes 'ranked, relevant, k'
      idealrank identify --command 'trec_eval -m ndcg {qrels} {run}'
    """
    if (function is None) == (shell_command is None):
        raise click.UsageError(
            "one of FUNCTION and --command is needed: idealrank identify sklearn.metrics:ndcg_score."
        )
    from idealrank.identification.identify import identify

    asked = shell_command if function is None else _imported(function)
    assert asked is not None
    with display.working("calling the function"):
        result = identify(asked, **options)
    display.show(result)


def _imported(name: str) -> Callable[..., Any]:
    """Return the function that is written as MODULE:NAME or FILE.py:NAME."""
    import importlib
    import importlib.util
    import os
    import sys

    module_name, _, attribute = name.rpartition(":")
    if not module_name or not attribute:
        raise click.UsageError(f"FUNCTION must be MODULE:NAME or FILE.py:NAME, got {name!r}.")
    try:
        if module_name.endswith(".py"):
            spec = importlib.util.spec_from_file_location("_identified", module_name)
            assert spec is not None
            assert spec.loader is not None
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
        else:
            sys.path.insert(0, os.getcwd())  # as python -m does
            module = importlib.import_module(module_name)
    except FileNotFoundError:
        raise
    except Exception as error:
        raise Failure(f"{module_name} cannot be imported: {type(error).__name__}: {error}") from error
    function: Any = module
    for part in attribute.split("."):
        if not hasattr(function, part):
            raise Failure(f"{module_name} has no function {attribute!r}")
        function = getattr(function, part)
    if not callable(function):
        raise Failure(f"{name} is not a function")
    return function  # type: ignore[no-any-return]
