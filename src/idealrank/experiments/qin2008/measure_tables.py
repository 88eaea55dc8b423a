"""Tables of NDCG and MAP, and the claims of Sections 6.3 to 6.5 in each setting."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from idealrank._present.table import Column, Table, Value
from idealrank.experiments.claims import Claim, Finding, MeanDifference, compared, within
from idealrank.experiments.qin2008.protocol import LIKE, PUBLISHED_NDCG
from idealrank.experiments.qin2008.runs import TrainedCollection

__all__ = ["claims_of", "tables_of"]

#: How close a mean must be to the published one, and two rankers to each other to be comparable.
_CLOSE = 0.01


def tables_of(runs: Sequence[TrainedCollection]) -> dict[str, Table]:
    """Return {title: table}: a table per collection and scale of features, with a row per ranker."""
    return {
        f"Five-fold test means: {each.name}, {features}": _means(each, features)
        for each in runs
        for features in each.found
    }


def _means(run: TrainedCollection, features: str) -> Table:
    """NDCG by both discounts, MAP as in the claims (ties in file order), and for OHSUMED the published NDCG@n."""
    published = PUBLISHED_NDCG if "ohsumed" in run.name.lower() else {}
    letor, standard = ({"discount": discount} for discount in LIKE)
    shown = [(f"NDCG{at}", f"ndcg{at}", letor) for at in ("@1", "@5", "@10", "")]
    shown += [("standard NDCG", "ndcg", standard), ("MAP", "ap", letor)]
    columns = [Column("ranker"), *(Column(title, ".4f") for title, *_ in shown)]
    rows: list[list[Value]] = []
    for name in run.found[features].scores:
        means = (
            float(run.measured({"features": features, **setting}).fold_means(measure)[name].mean())
            for _, measure, setting in shown
        )
        known = [published.get(name.split(",")[0])] if published else []
        rows.append([name, *means, *known])
    return Table([*columns, Column("published NDCG", ".4f")] if published else columns, rows)


def claims_of(runs: Sequence[TrainedCollection], seed: int) -> Iterator[Claim]:
    """Yield the claims of Sections 6.3 to 6.5, for each collection."""
    for each in runs:
        yield from _of_map(each, seed)
        if each.graded:
            yield from _of_ndcg(each, seed)


def _of_map(run: TrainedCollection, seed: int) -> Iterator[Claim]:
    """The claims about MAP."""
    for other, published in (("AdaRank.MAP", "0.233/0.350 and 0.137/0.331"), ("SVMMap", "0.233/0.350 and 0.198/0.304")):
        says = f"MAP of ApproxAP is higher than that of {other} (TD2003/TD2004: {published})"
        yield _pair("Table 2", says, run, "ap", ("ApproxAP", other), MeanDifference.above, seed)
    says = f"MAP of ApproxAP is not lower than that of ApproxNDCG by more than {_CLOSE} (0.233/0.350 and 0.238/0.318)"
    yield _pair("Table 3", says, run, "ap", ("ApproxAP", "ApproxNDCG"), lambda found: found.above(-_CLOSE), seed)
    yield _better_optimizer(run, "ApproxAP", "ap", seed)


def _of_ndcg(run: TrainedCollection, seed: int) -> Iterator[Claim]:
    """The claims about NDCG@n."""
    if "ohsumed" in run.name.lower():
        for name, value in PUBLISHED_NDCG.items():
            findings = []
            for setting in run.protocol.settings(name, measure="ndcg"):
                mean = run.mean(name, "ndcg", setting)
                seen = f"{mean:.4f}, {mean - value:+z.4f}"
                findings.append(Finding(within(mean, value, _CLOSE), seen, setting))
            where = f"Section {'6.5' if name == 'ApproxAP' else '6.4'}, {run.name}"
            yield Claim(where, f"NDCG@n of {name} is {value:.4f}, to within {_CLOSE}", tuple(findings))
    for better, worse in (("ApproxNDCG", "SoftRank"), ("SoftRank", "AdaRank.NDCG"), ("ApproxNDCG", "AdaRank.NDCG")):
        says = f"NDCG@n of {better} is higher than that of {worse}"
        yield _pair("Section 6.4", says, run, "ndcg", (better, worse), MeanDifference.above, seed)
    says = f"NDCG@n of ApproxAP is comparable with that of ApproxNDCG, less than {_CLOSE} apart"
    yield _pair("Figure 5", says, run, "ndcg", ("ApproxAP", "ApproxNDCG"), lambda found: found.close(_CLOSE), seed)
    yield _better_optimizer(run, "ApproxNDCG", "ndcg", seed)


def _pair(
    where: str,
    says: str,
    run: TrainedCollection,
    measure: str,
    names: tuple[str, str],
    judge: Callable[[MeanDifference], str],
    seed: int,
) -> Claim:
    """A claim about the difference of two rankers."""
    findings = []
    for setting in run.protocol.settings(*names, measure=measure):
        first, second = (run.values(name, measure, setting) for name in names)
        means = [run.mean(name, measure, setting) for name in names]
        found = compared(first, second, seed)
        seen = f"{means[0]:.4f} and {means[1]:.4f}, difference {found}"
        findings.append(Finding(judge(found), seen, setting))
    return Claim(f"{where}, {run.name}", says, tuple(findings))


def _better_optimizer(run: TrainedCollection, name: str, measure: str, seed: int) -> Claim:
    """The claim that a better optimizer could improve the performance."""
    better, reference = {"training": "L-BFGS"}, run.protocol.choices.reference
    found = compared(run.values(name, measure, better), run.values(name, measure, {}), seed)
    means = [run.mean(name, measure, setting) for setting in (better, reference)]
    seen = f"L-BFGS {means[0]:.4f}, Algorithm 1 {means[1]:.4f}, difference {found}"
    says = f"{name}: a better optimizer could improve the performance"
    return Claim(f"Section 6.3, {run.name}", says, (Finding(found.above(), seen),))
