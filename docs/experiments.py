"""Write experiments.md, and papers/*.md: what ``idealrank reproduce`` prints, experiment by experiment.

    python docs/experiments.py LETOR_FOLDER [EXPERIMENT ...]

The folder holds the collections that the commands on the page name. Only the named experiments are run again, all of
them by default. A file of papers/ is what one command prints; the page has its claims with their verdicts.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from textwrap import fill
from typing import NamedTuple

from idealrank.experiments.claims import counted

PAGE = Path(__file__).with_name("experiments.md")
DETAILS = Path(__file__).with_name("papers")
VERDICTS = ("holds", "undecided", "fails", "not testable")
_NOT_RUN = "Not run yet with the paper's grids, so there are no verdicts."
_INTRO = """\
# The papers' experiments, reproduced

Do published results on NDCG hold up? `idealrank reproduce` repeats the experiments of four papers, with their grids and
with tuned baselines, and gives each claim a verdict.

![Number of claims of each paper that hold, are undecided or fail](images/verdicts.svg)

{verdicts}

- **Undecided**: the 95% confidence interval of a paired difference contains both outcomes.
- **Not testable**: the claim needs data that we do not have. Those tested on other data say so.
- A **concession**, a weakness that a paper admits, and an **extension**, which it does not claim, are not counted.
- **Settings**: choices that a paper leaves open have a reference, and each alternative is tried alone. Verdicts name
  the choice that changes them, or count the settings.

"All numbers" is what the command prints, with choices made in sight of results.
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
        "With smooth ranks in place of ranks, NDCG or AP becomes a differentiable loss (ApproxNDCG, "
        "ApproxAP). It is accurate, and linear rankers trained with it are better than SoftRank, AdaRank and SVMMap.",
        "All four published means are reproduced to within 0.005, but only with LETOR's discount and scaled features, "
        "chosen because they came closer, not with eq. (5)'s discount. ApproxNDCG is better than AdaRank "
        "(+0.0101), but not surely than one that takes no feature twice in a row (0.6649). Its leads over a tuned "
        "SoftRank (+0.0016) and at the top (+0.0029) are undecided; with L-BFGS, SoftRank has 0.6695, ApproxNDCG "
        "0.6685. Values are means over five seeds: single seeds change 4 of 10 verdicts.",
        "`ohsumed-letor1` is OHSUMED of LETOR 1.0, as in the paper.",
        ("ohsumed-letor1",),
    ),
    "ravikumar2011": Experiment(
        "Ravikumar, Tewari and Yang 2011: consistency on real data",
        "Three listwise losses (cross entropy, cosine, least squares) become consistent with NDCG if divided by the "
        "ideal DCG of each query (Z), or the ideal DCG@10 (Z₁₀). This improves performance, and a new loss, the "
        "q-norm, improves it further.",
        "Consistency changes NDCG by -1.00% on average (-2.37% to +0.36%), on two collections where the paper reports "
        "-2.02% and +0.81%; its gains come from four others. The q-norm, which has Z, is ahead of cosine (+0.0062) and "
        "cross entropy (+0.0107) with Z; with Z₁₀ throughout, cross entropy is undecided (+0.0037). **Scaling and "
        "intercept decide**, and the paper gives neither: with z-scores, MQ2008 changes by +0.15% and OHSUMED by "
        "-2.27%; without an intercept, cross entropy with Z₁₀ falls from 0.4912 to 0.3140 on MQ2008.",
        "`mq2008` is from LETOR 4.0, `ohsumed-letor3` from LETOR 3.0.",
        ("mq2008", "ohsumed-letor3"),
    ),
    "wang2013": Experiment(
        "Wang et al. 2013: four discounts along growing lists",
        "With the logarithmic discount, all rankers approach the same NDCG, which still distinguishes them. With "
        "r<sup>&minus;1/2</sup>, or the logarithmic discount on the top fifth of the list, rankers converge to "
        "different limits. With 2<sup>&minus;r</sup>, NDCG does not converge. See "
        "[Which NDCG](which_ndcg.md), and [Proofs](proofs.md) for corrections.",
        "All are on other data. RankSVM and ListNet are less than 0.05 apart, except with 2<sup>&minus;r</sup> (0.686 "
        "and 0.805 on the click log). **What 'distinguish' means decides** claims 3 and 6 (one seed in five changes "
        "the verdict). On single lists, RankSVM and ListNet are not told apart; trained rankers stay ahead of random "
        "on 89% with the logarithm, 40% and 46% with 2<sup>&minus;r</sup>. By means, both discounts tell trained from "
        "random: 3 holds, 6 fails. **The share of relevant documents decides** how close random is with the logarithm, "
        "and the paper does not give it: 0.964 against 0.996 and 0.995 if 80% are relevant, here 0.667 against 0.763 "
        "and 0.764. With 2<sup>&minus;r</sup>, random is not similar (0.131 against 0.486 and 0.448).",
        "Documents of several queries are joined to lists of 800; generators make longer ones.",
        ("ohsumed-letor3", "mq2008"),
    ),
    "jin2013": Experiment(
        "Jin and Geng 2013: linear NDCG and misordered pairs",
        "With a linear discount, the DCG that a ranking loses is the number of misordered pairs, weighted by the "
        "differences of their labels (R).",
        "We do not have its figures: their lists are made up to fit the text.",
        "No data are needed.",
    ),
}


def command(name: str, folder: str = "letor") -> list[str]:
    """Return the arguments of ``idealrank`` that print the details of an experiment."""
    data = [word for each in EXPERIMENTS[name].collections for word in ("--data", f"{folder}/{each}")]
    return ["reproduce", name, *data, "--format", "markdown"]


def section(name: str, printed: str) -> str:
    """Return the section of an experiment, given what its command printed; nothing if it was not run."""
    own = EXPERIMENTS[name]
    shown = " ".join(["idealrank", *command(name)]).replace(" --data", " \\\n  --data")
    summary = {
        "What the paper claims.": own.claims,
        "What we found.": f"{counted([row['verdict'] for row in claims(printed)])} {own.found}"
        if printed
        else _NOT_RUN,
        "How to reproduce it.": f"{own.data} [All numbers](papers/{name}.md).",
    }
    paragraphs = [fill(f"**{lead}** {text}", 120, break_on_hyphens=False) for lead, text in summary.items()]
    tables = [_claims_table(printed)] if printed else []
    return "\n\n".join([f"## {own.title}", *paragraphs, f"```sh\n{shown}\n```", *tables]) + "\n"


def details() -> dict[str, str]:
    """Return {experiment: what its command printed}."""
    paths = {name: DETAILS / f"{name}.md" for name in EXPERIMENTS}
    return {name: _printed(path.read_text(encoding="utf-8")) for name, path in paths.items() if path.exists()}


def _printed(page: str) -> str:
    """What a command printed, without the title of its page."""
    return "".join(page.partition("### Claims")[1:])


def detail_page(name: str, printed: str) -> str:
    """Return the page of what a command printed."""
    if not printed:
        return f"# {EXPERIMENTS[name].title}\n\n{_NOT_RUN}\n"
    return f"# {EXPERIMENTS[name].title}\n\nWhat the command of [Experiments](../experiments.md) prints.\n\n{printed}\n"


def claims(printed: str) -> list[dict[str, str]]:
    """Return the rows of the table of claims, given what a command printed."""
    table = re.split(r"^### ", printed.partition("### Claims\n")[2], maxsplit=1, flags=re.MULTILINE)[0]
    lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines() if line.startswith("|")]
    header, _, *rows = lines or [[], []]
    return [dict(zip(header, row, strict=True)) for row in rows]


def verdicts(printed: str) -> dict[str, int]:
    """Return how many claims have each verdict, given what a command printed."""
    found = [row["verdict"] for row in claims(printed)]
    return {verdict: sum(each.startswith(verdict) for each in found) for verdict in VERDICTS}


def _claims_table(printed: str) -> str:
    """Return the claims with their verdicts, in short: without the published numbers of what is not testable."""
    rows = [["claim", "verdict"], ["---"] * 2]
    for row in claims(printed):
        claim = row["claim"]
        short = claim.partition(" (")[0] if row["verdict"] == "not testable" else claim
        rows.append([short, "; ".join(map(_short, row["verdict"].split("; ")))])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _short(outcome: str) -> str:
    """Return an outcome with its setting, or with the number of settings if there are several.

    >>> _short("fails with A"), _short("fails with A or B or C or D")
    ('fails with A', 'fails in 4 others')
    """
    word, _, settings = outcome.partition(" with ")
    names = settings.split(" or ")
    return outcome if len(names) < 2 else f"{word} in {len(names)} others"


def _verdicts_table(printed: dict[str, str]) -> str:
    """Return a row per paper: how many of its claims have each verdict, and where they are."""
    rows = [["paper", *VERDICTS], ["---", *["---:"] * len(VERDICTS)]]
    for name, text in printed.items():
        if not text:
            continue
        title = EXPERIMENTS[name].title
        anchor = re.sub(r"\W+", "-", title.lower())
        rows.append([f"[{title.partition(':')[0]}](#{anchor})", *map(str, verdicts(text).values())])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def written(printed: dict[str, str]) -> str:
    """Return the page, given what the commands printed."""
    printed = {name: printed[name] for name in EXPERIMENTS if name in printed}
    intro = _INTRO.format(verdicts=_verdicts_table(printed))
    return "\n".join([intro, *(section(name, text) for name, text in printed.items())])


def main(folder: str, *names: str) -> None:
    """Run experiments and write the pages."""
    from click.testing import CliRunner

    from idealrank.cli.group import commands

    for name in names or EXPERIMENTS:
        shown = CliRunner().invoke(commands, command(name, folder), catch_exceptions=False)
        if shown.exit_code != 0:
            sys.exit(shown.output)
        (DETAILS / f"{name}.md").write_text(detail_page(name, shown.stdout.strip()), encoding="utf-8")
        PAGE.write_text(written(details()), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
