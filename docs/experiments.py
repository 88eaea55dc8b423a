"""Write experiments.md: what ``idealrank reproduce`` prints, experiment by experiment.

    python docs/experiments.py LETOR_FOLDER [EXPERIMENT ...]

The folder holds the collections that the commands on the page name. Only the named experiments are run again, all of
them by default; about six minutes on one core.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import NamedTuple

PAGE = Path(__file__).with_name("experiments.md")
VERDICTS = ("holds", "undecided", "fails")
_INTRO = """\
# The papers' experiments, reproduced

`idealrank reproduce` repeats the experiments of four papers, and says for each claim whether it *holds*, *fails* or is
*undecided* here:

![Claims of four papers that hold, are undecided and fail](images/verdicts.svg)

{verdicts}

The rest of this page is what the commands print (`docs/experiments.py` writes it): the claims, in how many settings
each holds, and what was seen. A paper leaves choices open: which script evaluated, how features were scaled, which
optimizer ran for how long, which variant of a baseline was used, which seed. Each experiment has a reference setting
and changes one choice at a time; the verdict names the choices that change it. "Seen here" and all figures are of the
reference setting.

Comparisons of rankers are paired over queries, with 95% intervals. "Undecided" means that the interval contains
both outcomes: there are too few queries to tell.

`--figures FOLDER` writes the figures, `--html FILE` one page with everything. `--data` names a LETOR collection, a
folder with `S1.txt` to `S5.txt` or with `Fold1` to `Fold5`; without it, data are drawn. `--quick` trains for a
moment, to see that everything runs: its numbers mean nothing, and its tables say so.
"""


class Experiment(NamedTuple):
    """A section of the page: its title, what it is about, and the collections that its command reads."""

    title: str
    about: str
    collections: tuple[str, ...] = ()


EXPERIMENTS = {
    "qin2008": Experiment(
        "Qin, Liu and Li 2008: smooth measures as losses",
        "Measures with smooth ranks in place of ranks, how close they are to the measures, and linear rankers trained "
        "for them. `ohsumed-letor1` is OHSUMED of LETOR 1.0, 25 features, as in the paper.",
        ("ohsumed-letor1",),
    ),
    "ravikumar2011": Experiment(
        "Ravikumar, Tewari and Yang 2011: consistency on real data",
        "Three surrogates as published, and divided by the ideal DCG, which makes them consistent with NDCG; and the "
        "q-norm loss. `mq2008` is of LETOR 4.0, `ohsumed-letor3` of LETOR 3.0.",
        ("mq2008", "ohsumed-letor3"),
    ),
    "wang2013": Experiment(
        "Wang et al. 2013: four discounts along growing lists",
        "NDCG of two trained rankers and a random one on lists of up to 5,000 documents, under four discounts.",
    ),
    "jin2013": Experiment(
        "Jin and Geng 2013: linear NDCG and misordered pairs",
        "Identities between the error of linear DCG and the number of misordered pairs.",
    ),
}


def command(name: str, folder: str = "letor") -> list[str]:
    """Return the arguments of ``idealrank`` that print a section."""
    data = [word for each in EXPERIMENTS[name].collections for word in ("--data", f"{folder}/{each}")]
    return ["reproduce", name, *data, "--format", "markdown"]


def section(name: str, printed: str) -> str:
    """Return the section of an experiment, given what its command printed."""
    own = EXPERIMENTS[name]
    shown = " ".join(["idealrank", *command(name)]).replace(" --data", " \\\n  --data")
    return f"## {own.title}\n\n{own.about}\n\n```sh\n{shown}\n```\n\n{printed.strip()}\n"


def sections_of(page: str) -> dict[str, str]:
    """Return {experiment: what its command had printed} of a page."""
    found = {}
    for name in EXPERIMENTS:
        begin = section(name, "").strip()
        if begin in page:
            found[name] = re.split(r"^## ", page.split(begin, 1)[1], maxsplit=1, flags=re.MULTILINE)[0].strip()
    return found


def verdicts(printed: str) -> dict[str, int]:
    """Return how many claims have each verdict, given what a command printed."""
    claims = re.split(r"^### ", printed.partition("### Claims\n")[2], maxsplit=1, flags=re.MULTILINE)[0]
    rows = [line.split("|")[4].strip() for line in claims.splitlines() if line.startswith("|")]
    return {verdict: sum(row.startswith(verdict) for row in rows) for verdict in VERDICTS}


def _verdicts_table(printed: dict[str, str]) -> str:
    """Return a row per paper: how many of its claims have each verdict, and where they are."""
    rows = [["paper", *VERDICTS], ["---", *["---:"] * len(VERDICTS)]]
    for name, text in printed.items():
        title = EXPERIMENTS[name].title
        anchor = re.sub(r"\W+", "-", title.lower())
        rows.append([f"[{title}](#{anchor})", *map(str, verdicts(text).values())])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def written(printed: dict[str, str]) -> str:
    """Return the whole page."""
    printed = {name: printed[name] for name in EXPERIMENTS if name in printed}
    intro = _INTRO.format(verdicts=_verdicts_table(printed))
    return "\n".join([intro, *(section(name, text) for name, text in printed.items())])


def main(folder: str, *names: str) -> None:
    """Run experiments and write the page."""
    from click.testing import CliRunner

    from idealrank.cli.group import commands

    printed = sections_of(PAGE.read_text(encoding="utf-8"))
    for name in names or EXPERIMENTS:
        shown = CliRunner().invoke(commands, command(name, folder), catch_exceptions=False)
        if shown.exit_code != 0:
            sys.exit(shown.output)
        printed[name] = shown.stdout
        PAGE.write_text(written(printed), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
