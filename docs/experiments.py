"""Write experiments.md: what ``idealrank reproduce`` prints, experiment by experiment.

    python docs/experiments.py LETOR_FOLDER [EXPERIMENT ...]

The folder holds the collections that the commands on the page name. Only the named experiments are run again, all of
them by default; about six minutes on one core.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from textwrap import fill
from typing import NamedTuple

from idealrank.experiments.claims import counted

PAGE = Path(__file__).with_name("experiments.md")
VERDICTS = ("holds", "undecided", "fails")
_INTRO = """\
# The papers' experiments, reproduced

Do the published results on NDCG hold up when somebody else runs the experiments? `idealrank reproduce` repeats the
experiments of four papers and gives each claim a verdict: it *holds*, *fails* or is *undecided*. Read this page if you
build on one of these papers, or if you want to know how far idealrank agrees with them.

![Number of claims of each paper that hold, are undecided or fail](images/verdicts.svg)

{verdicts}

**Undecided** means that the 95% confidence interval contains both outcomes: there are too few queries to tell. Rankers
are compared query by query (paired differences).

**Settings.** A paper leaves choices open: which script evaluates, how features are scaled, which optimizer runs and for
how long, which variant of a baseline is used, which seed. Each experiment has a reference setting and then changes one
choice at a time. The verdict is about the reference setting and names the choices that change it, "measured here" shows
the numbers of the reference setting, and "holds in" counts the settings in which the claim holds.

**Data.** Where a collection of a paper is not available, *simulated topics* take its place: generated queries with
few relevant documents among many.

Each section below begins with a summary. The tables after it are what the command prints. All four experiments take
about six minutes on one core. These options are useful:

- `--data` names a LETOR collection, a folder with `S1.txt` to `S5.txt` or with `Fold1` to `Fold5`. Without it, all data
  are simulated.
- `--figures FOLDER` writes the figures of the paper, and `--html FILE` writes one page with everything.
- `--quick` trains only for a moment, to check that everything runs. Its numbers mean nothing, and it says so.
"""


class Experiment(NamedTuple):
    """A section of the page.

    ``found`` says what was found, with numbers that are in the tables; the command reads the collections.
    """

    title: str
    claims: str
    found: str
    data: str
    collections: tuple[str, ...] = ()


EXPERIMENTS = {
    "qin2008": Experiment(
        "Qin, Liu and Li 2008: smooth measures as losses",
        "If ranks are replaced by smooth ranks, a measure such as NDCG or AP becomes a differentiable loss "
        "(ApproxNDCG, ApproxAP). The approximation is accurate, and linear rankers trained with it are better than "
        "SoftRank, AdaRank and SVMMap.",
        "The smooth ranks of the paper's Table 1 are reproduced (off by at most 3.5e-06), and the error of smooth "
        "NDCG (rho) falls as alpha grows, as claimed. The NDCG of ApproxNDCG on OHSUMED is 0.6658, within 0.01 of "
        "the published 0.6698, but only with scaled features and LETOR's discount. Most claims that one ranker is "
        "better than another are undecided: the intervals of the differences contain 0. The claim that fails is the "
        "NDCG of SoftRank, 0.6490 in place of 0.6680; trained with L-BFGS, SoftRank reaches 0.6702.",
        "`ohsumed-letor1` is OHSUMED of LETOR 1.0 with 25 features, as in the paper. Simulated topics stand in for "
        "TD2003 and TD2004.",
        ("ohsumed-letor1",),
    ),
    "ravikumar2011": Experiment(
        "Ravikumar, Tewari and Yang 2011: consistency on real data",
        "Three listwise losses (cross entropy, cosine, least squares) become consistent with NDCG if they are divided "
        "by the ideal DCG of each query (Z), or by the ideal DCG@10 (Z₁₀). This mostly leaves NDCG the "
        "same or improves it. A new loss, the q-norm, is better than cosine and cross entropy on 3 of 9 collections, "
        "and comparable on 6.",
        "On MQ2008, dividing by Z₁₀ changes NDCG by -2.76%; the paper also reports a loss there, -2.02%. "
        "On OHSUMED (+0.75%) and on simulated topics (+4.31%), the interval contains 0. The claim that fails is that "
        "only improvements are larger than 3%: 5 of the changes here are below -3%, and 2 of these are significant. "
        "The q-norm is less than 0.01 worse than the better of cosine and cross entropy, or better, on MQ2008 and on "
        "simulated topics; on OHSUMED that is undecided.",
        "`mq2008` is from LETOR 4.0, `ohsumed-letor3` from LETOR 3.0. Simulated topics stand in for HP2003.",
        ("mq2008", "ohsumed-letor3"),
    ),
    "wang2013": Experiment(
        "Wang et al. 2013: four discounts along growing lists",
        "The discount decides what NDCG can tell on long lists. With the logarithmic discount (Figure 1), all rankers "
        "approach the same value, and NDCG still tells them apart. With the discount r<sup>&minus;1/2</sup> (Figure "
        "2), or with the logarithmic discount on the top fifth of the list (Figure 4), different rankers converge to "
        "different limits. With 2<sup>&minus;r</sup> (Figure 3), NDCG does not converge. [Which NDCG](which_ndcg.md) "
        "explains the theory.",
        "What the paper says about limits holds, and the values on long lists are close to the limits that theory "
        "gives. Two statements about the figures fail with these data: with the logarithmic discount a random ranker "
        "is not very close to the trained ones (0.719 against 0.896 and 0.899), and with 2<sup>&minus;r</sup> its "
        "NDCG is not similar to theirs (0.109 against 0.686 and 0.805).",
        "The click log of the paper is not public. Two trained rankers and a random one rank lists of up to 5,000 "
        "documents of a simulated click log instead.",
    ),
    "jin2013": Experiment(
        "Jin and Geng 2013: linear NDCG and misordered pairs",
        "With a linear discount, the DCG that a ranking loses equals the number of misordered pairs, weighted by the "
        "differences of their labels (R).",
        "Everything holds up to rounding, also for real-valued labels. Two extensions that are not in the paper hold "
        "as well: the identity with tied scores, and linear NDCG as a linear function of AUC.",
        "All lists are simulated; no data are needed.",
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
    summary = {
        "What the paper claims.": own.claims,
        "What we found.": f"{counted(_verdicts(printed))} {own.found}",
        "How to reproduce it.": own.data,
    }
    paragraphs = [fill(f"**{lead}** {text}", 120, break_on_hyphens=False) for lead, text in summary.items()]
    return "\n\n".join([f"## {own.title}", *paragraphs, f"```sh\n{shown}\n```", printed.strip()]) + "\n"


def sections_of(page: str) -> dict[str, str]:
    """Return {experiment: what its command had printed} of a page."""
    found = {}
    for name, own in EXPERIMENTS.items():
        _, heading, rest = page.partition(f"## {own.title}\n")
        if heading:
            shown = re.split(r"^## ", rest, maxsplit=1, flags=re.MULTILINE)[0]
            found[name] = tables_of(shown)
    return found


def verdicts(printed: str) -> dict[str, int]:
    """Return how many claims have each verdict, given what a command printed."""
    found = _verdicts(printed)
    return {verdict: sum(each.startswith(verdict) for each in found) for verdict in VERDICTS}


def _verdicts(printed: str) -> list[str]:
    """Return the verdict of each claim, given what a command printed."""
    claims = re.split(r"^### ", printed.partition("### Claims\n")[2], maxsplit=1, flags=re.MULTILINE)[0]
    lines = [[cell.strip() for cell in line.split("|")] for line in claims.splitlines() if line.startswith("|")]
    header, _, *rows = lines or [[], []]
    return [row[header.index("verdict")] for row in rows]


def tables_of(printed: str) -> str:
    """Return what a command printed from its first table on, without the verdict, which the page gives in a table."""
    tables = "".join(printed.partition("### Claims")[1:])
    return re.sub(r"^> (?:All|Of) \d+ claims? .*\n?(?:>\n)?", "", tables, flags=re.MULTILINE).strip()


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
        printed[name] = tables_of(shown.stdout)
        PAGE.write_text(written(printed), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
