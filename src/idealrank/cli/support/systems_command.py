"""Commands that evaluate systems: their arguments and shared options, and how judged documents and systems are read."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import click

from idealrank.cli.support.result_command import Display, ResultCommand
from idealrank.cli.support.shared_options import column_options, data_options, like_option, measures_option

if TYPE_CHECKING:
    from idealrank.io.formats import Format
    from idealrank.io.prefetch import RunAhead
    from idealrank.io.shapes.path_shape import PathShape
    from idealrank.io.shapes.shape import InputLayout, Shape
    from idealrank.measures.conventions import Convention


@dataclass(frozen=True)
class Request(Display):
    """The values of the arguments and options that all commands that evaluate systems share."""

    data: str = ""
    systems: tuple[str, ...] = ()
    measures: tuple[str, ...] = ()
    like: str | None = None
    unjudged: str | None = None
    missing: str | None = None
    duplicates: str | None = None
    identical_ids: str | None = None
    query: str | None = None
    doc: str | None = None
    label: str | None = None
    score: str | None = None
    rank: str | None = None
    subtopic: str | None = None
    from_kind: str | None = None
    group: str | None = None

    def inputs(self, least: int = 1) -> Inputs:
        """Return the judged documents and the systems by name, as files that are read when they are needed.

        A system is a path, a column of DATA, or ``name=`` and one of these; several with one name are runs of one
        system. Fewer than ``least`` are a usage error.
        """
        first = _started(self.systems[0]) if self.systems else None  # before the imports, which take as long

        from idealrank.cli.support.terminal import reading
        from idealrank.io.formats import load
        from idealrank.io.shapes.path_shape import PathShape

        shown = partial(reading, quiet=self.quiet)
        kind = None if self.from_kind is None else load(self.from_kind)
        judged = PathShape(self.data, self._layout(), kind=kind, group=self.group, reading=shown)
        self._check(judged, least)
        if not self.systems:  # a frame with scores of its own, or with lists
            return Inputs(judged, None, self._like(judged, None))
        given: list[str] = []
        shapes: list[Shape] = []
        for text in self.systems:
            name, path = _split(text, judged)
            # The names of runs and files of scores say nothing, so content that says nothing is an error of that kind.
            fallback: Format | Literal["scores"] = "scores" if judged.gives == ("ranking",) else load("run")
            source = first if not given and first is not None else path
            given.append(name)
            column = judged.column(path)
            shapes.append(column or PathShape(source, judged.layout.of_runs(), fallback=fallback, reading=shown))
        by_name = dict(zip(_names(given, shapes), shapes, strict=True))
        runs = {name: [shape for own, shape in zip(given, shapes, strict=True) if own == name] for name in given}
        systems = {name: runs[name] if len(runs.get(name, ())) > 1 else shape for name, shape in by_name.items()}
        return Inputs(judged, systems, self._like(judged, by_name))

    def _layout(self) -> InputLayout:
        """Return the names of columns that were given."""
        from idealrank.io.shapes.shape import ROLES, InputLayout

        given = {role: getattr(self, role) for role in ROLES if getattr(self, role) is not None}
        pairs = {role: tuple(given[role].split(",")) for role in ("query", "doc") if "," in given.get(role, "")}
        return InputLayout.named(given | pairs)

    def _check(self, judged: PathShape, least: int) -> None:
        """Raise a usage error if DATA is no judged documents, or there are too few systems."""
        from idealrank.data.judgments import Qrels, Run
        from idealrank.data.ranking import RankingData
        from idealrank.errors import OptionError
        from idealrank.io.format_list import FORMATS
        from idealrank.io.formats import Frame

        if self.data == "-" and self.from_kind is None:
            ask = f"give --from {'|'.join(FORMATS)}"
            raise click.UsageError(f"'-' has neither content nor a name to tell its format by; {ask}.")
        try:
            holds = Qrels if judged.kind is None or judged.is_json else judged.kind.holds
        except OptionError as error:
            raise click.UsageError(f"{error}.") from None
        if holds is Run:
            raise click.UsageError("judgments come first, then runs; give --from qrels if DATA does hold judgments.")
        has_own = holds is Frame or (judged.is_json and judged.own_system is not None)
        if len(self.systems) < least and not (has_own and least == 1):
            what = {Qrels: "runs", RankingData: "files of scores", Frame: "runs or score columns"}[holds]
            few = f"at least {least} systems are needed, got {len(self.systems)}: give more {what}"
            if judged.is_json and judged.column_names and least == 1:
                fields = ", ".join(judged.column_names)
                what += f", or name the fields of gold and of retrieved documents (--doc GOLD,RETRIEVED) among {fields}"
            raise click.UsageError(f"no system to evaluate: give {what}." if least == 1 else f"{few}.")

    def _like(self, judged: Shape, systems: Mapping[str, Shape] | None) -> str | Convention | None:
        """Return the convention of ``--like`` with the choices of options such as ``--unjudged``."""
        if all(getattr(self, name) is None for name in _CHOICES):
            return self.like

        from idealrank.evaluation.inputs import are_scores

        is_labeled = systems is None or are_scores(judged, systems)
        return self.with_choices(self.like or ("idealrank" if is_labeled else "trec_eval"))

    def with_choices(self, like: str) -> Convention:
        """Return a convention with the choices of options such as ``--unjudged``."""
        from idealrank.measures.conventions import convention

        given = {name: getattr(self, name) for name in _CHOICES if getattr(self, name) is not None}
        choices: dict[str, str | float] = {name: 0.0 if value == "0" else value for name, value in given.items()}
        rules = convention(like)
        return rules.replace(**choices) if choices else rules

    def baseline(self, given: str | None, systems: Mapping[str, Shape] | None) -> str | None:
        """Return the name of the baseline, which may be given by its name, its path, or its file name or a part."""
        return baseline_name(given, self.systems, list(systems or {}))


class Inputs(NamedTuple):
    """What a public function of the library takes: judged documents, systems by name, and the convention."""

    data: Any
    systems: Any
    like: str | Convention | None


def _split(text: str, judged: Shape | None = None) -> tuple[str, str]:
    """Return the name and the path of NAME=PATH; the name is empty without one, or if the text is a path itself."""
    name, equals, path = text.partition("=")
    is_whole = not equals or not name or not path or os.path.exists(text)
    if is_whole or (judged is not None and judged.column(text) is not None):
        return "", text
    return name, path


def _started(text: str) -> RunAhead | None:
    """Begin to read a system as a run, until the command ends; None if it is no file."""
    from idealrank.io.prefetch import RunAhead

    path = path_of(text)
    context = click.get_current_context(silent=True)
    if context is None or path == "-" or not os.path.isfile(path):
        return None
    # The idle threads of NumPy's OpenBLAS would spin on the core that reads the run; 4 is the shortest time.
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")
    ahead = RunAhead(path)
    context.call_on_close(ahead.close)
    return ahead


def path_of(text: str) -> str:
    """Return the path of a system, without its name.

    >>> path_of("bm25=runs/input.bm25"), path_of("runs/input.bm25")
    ('runs/input.bm25', 'runs/input.bm25')
    """
    return _split(text)[1]


def named_systems(systems: Sequence[str], columns: Mapping[str, str | None], *, quiet: bool) -> dict[str, Any]:
    """Return runs by name, PATH or NAME=PATH, for a command without judged documents; ``columns`` are by role."""
    from idealrank.cli.support.terminal import reading
    from idealrank.io.formats import load
    from idealrank.io.shapes.path_shape import PathShape
    from idealrank.io.shapes.shape import InputLayout

    layout = InputLayout(columns={role: name for role, name in columns.items() if name is not None})
    pairs = [_split(text) for text in systems]
    shapes = [PathShape(path, layout, fallback=load("run"), reading=partial(reading, quiet=quiet)) for _, path in pairs]
    return dict(zip(_names([name for name, _ in pairs], shapes), shapes, strict=True))


def _names(given: Sequence[str], shapes: Sequence[Shape]) -> list[str]:
    from idealrank.errors import OptionError
    from idealrank.io.shapes.shape import system_names

    unnamed = iter(system_names([shape for name, shape in zip(given, shapes, strict=True) if not name]))
    names = [name or next(unnamed) for name in given]
    again = [name for name, own in zip(names, given, strict=True) if names.count(name) > 1 and not own]
    if again:
        raise OptionError(f"two systems are called {again[0]!r}: give NAME=PATH")
    return names


def baseline_name(given: str | None, systems: Sequence[str], names: Sequence[str]) -> str | None:
    """Return the name of the baseline, which may be given by its name, its path, or its file name or a part of that.

    >>> baseline_name("bm25", ["runs/bm25.run.gz", "runs/dense.run"], ["anserini", "colbert"])
    'anserini'
    >>> baseline_name("bm25", ["input.bm25", "input.dense"], ["a", "b"])
    'a'
    """
    if given is None or given in names:
        return given
    files = {name: os.path.basename(path_of(text)) for text, name in zip(systems, names, strict=True)}
    for text, name in zip(systems, names, strict=True):
        if given in (text, path_of(text), files[name], os.path.splitext(files[name])[0]):
            return name
    parts = [name for name, file in files.items() if given in file.split(".")]
    return parts[0] if len(parts) == 1 else given


@click.command()
@click.argument("data")
@click.argument("systems", nargs=-1)
@measures_option
@like_option
@click.option(
    "--unjudged",
    type=click.Choice(["zero", "drop"]),
    metavar="zero|drop",
    help="Unjudged documents: zero: count as not relevant; drop: remove (trec_eval -J).  [default: from --like]",
)
@click.option(
    "--missing",
    type=click.Choice(["0", "drop", "error"]),
    metavar="0|drop|error",
    help="A query missing from a run: 0: count as 0, or the worst value (trec_eval -c); drop: skip it; error: stop.  "
    "[default: from --like]",
)
@click.option(
    "--duplicates",
    type=click.Choice(["last", "first", "best", "error"]),
    metavar="WHICH",
    help="The score of a document that is repeated in a query: last, first, best, or error to stop.  "
    "[default: from --like]",
)
@click.option(
    "--identical-ids",
    type=click.Choice(["keep", "drop"]),
    metavar="WHICH",
    help="Documents with the id of the query: keep, or drop like BEIR.  [default: from --like]",
)
def _first() -> None:
    """Only the parameters of this command are used."""


@click.command()
@column_options
@data_options
def _last() -> None:
    """Only the parameters of this command are used."""


_OF_NDCG = (
    "A measure, such as ndcg@10 or 'ndcg(gain=linear)@10'; may be repeated. By default, NDCG with six discounts and "
    "cutoffs."
)
_CHOICES = ("unjudged", "missing", "duplicates", "identical_ids")


class SystemsCommand(ResultCommand):
    """A command that evaluates systems: its function receives a `Request` and the values of the command's own options.

    Parameters
    ----------
    measures : sequence of str
        The measures that are evaluated without ``-m``; none if the command chooses them later.
    only : sequence of str
        The names of the NDCG family that ``-m`` takes; by default, it takes all measures.
    """

    shared = (Request, "request")

    def __init__(self, *, measures: Sequence[str] = (), only: Sequence[str] = (), **attributes: Any) -> None:
        first = [copy(each) for each in _first.params]
        for each in first:
            if isinstance(each, click.Option) and each.name == "measures":
                if only:
                    each.help = _OF_NDCG
                if measures:
                    each.default, each.show_default = tuple(measures), True
        self._only = only
        super().__init__(first=first, last=_last.params, **attributes)

    def listed(self, option: str) -> Iterable[str]:
        """Return the names that ``-m`` or ``--like`` takes."""
        if option == "--like":
            from idealrank.measures.conventions import CONVENTION_NAMES

            return CONVENTION_NAMES
        if option in ("-m", "--measure"):
            from idealrank.measures.measure_names import MEASURES

            return self._only or sorted(MEASURES.members())
        return ()
