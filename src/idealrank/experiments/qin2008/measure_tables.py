"""Tables of NDCG and MAP, and the claims of Sections 6.3 to 6.5 in each setting."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np

from idealrank._present.table import Column, Table, Value
from idealrank.experiments.claims import Claim, Finding, MeanDifference, Setting, all_of, compared, difference, within
from idealrank.experiments.qin2008.protocol import LIKE, PUBLISHED_NDCG
from idealrank.experiments.qin2008.runs import TrainedCollection

__all__ = ["claims_of", "tables_of"]

#: How close a mean must be to the published one.
_REACHED = 0.005
#: How close two rankers must be to each other to be comparable.
_CLOSE = 0.01
#: The cutoffs of the "top positions".
_TOP = (1, 2, 3)
_BINARY = "TD2003 and TD2004"


def tables_of(runs: Sequence[TrainedCollection], seed: int) -> dict[str, Table]:
    """Return {title: table}: per collection, the effect of each choice and seed, and means per scale of features."""
    tables = {f"Effect of each open choice: {each.name}": _effects(each) for each in runs}
    for each in runs:
        tables[f"Reference setting with single seeds: {each.name}"] = _by_seed(each, seed)
        tables |= {f"Five-fold test means: {each.name}, {features}": _means(each, features) for features in each.found}
    return tables


def _effects(run: TrainedCollection) -> Table:
    """The mean of each ranker in the reference setting, and what changes with each other choice that touches it."""
    names = ("ApproxNDCG", "ApproxAP", "SoftRank", "AdaRank.NDCG") if run.graded else ("ApproxAP", "AdaRank.MAP")
    measure = "ndcg" if run.graded else "ap"
    title = "NDCG@n" if run.graded else "MAP"
    reference = {name: run.mean(name, measure, {}) for name in names}
    rows: list[list[Value]] = [[f"reference: {title}", *(f"{mean:.4f}" for mean in reference.values())]]
    touching = {name: [_changes(run, each) for each in run.protocol.settings(name, measure=measure)] for name in names}
    for axis, values in run.protocol.choices.values.items():
        for change in ({axis: value} for value in values[1:]):
            changes = [
                f"{run.mean(name, measure, change) - reference[name]:+z.4f}" if change in touching[name] else ""
                for name in names
            ]
            if any(changes):
                rows.append([change[axis], *changes])
    return Table([Column("setting"), *map(Column, names)], rows)


def _by_seed(run: TrainedCollection, seed: int) -> Table:
    """The outcome of each claim in the reference setting, with the mean over seeds and with each seed alone."""
    parts = [run, *map(run.with_seed, run.protocol.seeds)]
    claims = zip(*(_of(part, seed) for part in parts), strict=True)
    titles = ["claim", f"mean of {run.protocol.n_seeds} seeds", *(f"seed {each}" for each in run.protocol.seeds)]
    rows: list[list[Value]] = [[own[0].says, *(each.findings[0].outcome for each in own)] for own in claims]
    return Table(list(map(Column, titles)), rows)


def _changes(run: TrainedCollection, setting: Setting) -> dict[str, str]:
    """The choices of a setting that are not those of the reference."""
    return {axis: value for axis, value in setting.items() if run.protocol.choices.reference[axis] != value}


def _means(run: TrainedCollection, features: str) -> Table:
    """NDCG by both discounts, MAP as in the claims (ties in file order), and for OHSUMED the published NDCG@n.

    Means over seeds, and the range of NDCG over seeds.
    """
    published = PUBLISHED_NDCG if "ohsumed" in run.name.lower() else {}
    letor, standard = ({"discount": discount} for discount in LIKE)
    shown = [(f"NDCG{at}", f"ndcg{at}", letor) for at in ("@1", "@5", "@10", "")]
    shown += [("standard NDCG", "ndcg", standard), ("MAP", "ap", letor)]
    columns = [Column("ranker"), *(Column(title, ".4f") for title, *_ in shown), Column("NDCG by seed")]
    rows: list[list[Value]] = []
    for name, setting in run.protocol.trained(features, graded=run.graded):
        means = (run.mean(name, measure, {**setting, **discount}) for _, measure, discount in shown)
        by_seed = run.means(name, "ndcg", setting)
        spread = f"{min(by_seed):.4f} to {max(by_seed):.4f}" if len(by_seed) > 1 else ""
        known = [published.get(name)] if published else []
        rows.append([run.protocol.name(name, setting), *means, spread, *known])
    return Table([*columns, Column("published NDCG", ".4f")] if published else columns, rows)


def claims_of(runs: Sequence[TrainedCollection], seed: int) -> Iterator[Claim]:
    """Yield the claims of Sections 6.3 to 6.5: those about MAP on collections with two labels, others on the others."""
    for each in runs:
        yield from _of(each, seed)
    if all(each.graded for each in runs):
        why = f"needs {_BINARY} of LETOR, which were not given"
        yield from (Claim.untestable(where, says, why) for where, says in _CLAIMS_ABOUT_MAP)
    if not any(each.graded for each in runs):
        why = "needs OHSUMED of LETOR, which was not given"
        yield Claim.untestable("Section 6.4", "NDCG@n of ApproxNDCG is higher than those of SoftRank and AdaRank", why)


_CLAIMS_ABOUT_MAP = (
    (
        "Table 2",
        "MAP of ApproxAP is higher than that of AdaRank.MAP (TD2003/TD2004: 0.233/0.350 and 0.137/0.331; more than 5% "
        "on TD2004)",
    ),
    (
        "Table 2",
        "MAP of ApproxAP is higher than that of SVMMap (TD2003/TD2004: 0.233/0.350 and 0.198/0.304; more than 15% on "
        "TD2003)",
    ),
    (
        "Table 3",
        f"MAP of ApproxAP is higher than that of ApproxNDCG on TD2004, and less than {_CLOSE} away on TD2003 "
        "(TD2003/TD2004: 0.233/0.350 and 0.238/0.318)",
    ),
)


def _of(run: TrainedCollection, seed: int) -> Iterator[Claim]:
    """The claims that a collection tests."""
    return (_of_ndcg if run.graded else _of_map)(run, seed)


def _of_map(run: TrainedCollection, seed: int) -> Iterator[Claim]:
    """The claims about MAP."""
    others = ("AdaRank.MAP", "SVMMap", "ApproxNDCG")
    for other, (where, says) in zip(others, _CLAIMS_ABOUT_MAP, strict=True):
        is_higher = other != "ApproxNDCG" or "td2004" in run.name.lower()
        judge = MeanDifference.above if is_higher else partial(MeanDifference.close, margin=_CLOSE)
        yield _pair(where, says, run, "ap", ("ApproxAP", other), judge, seed)
    yield _better_optimizer(run, seed)


def _of_ndcg(run: TrainedCollection, seed: int) -> Iterator[Claim]:
    """The claims about NDCG@n."""
    if "ohsumed" in run.name.lower():
        for name, value in PUBLISHED_NDCG.items():
            findings = []
            for setting in run.protocol.settings(name, measure="ndcg"):
                mean = run.mean(name, "ndcg", setting)
                seen = f"{mean:.4f}, {mean - value:+z.4f}"
                findings.append(Finding(within(mean, value, _REACHED), seen, setting))
            where = f"Section {'6.5' if name == 'ApproxAP' else '6.4'}, {run.name}"
            yield Claim(where, f"NDCG@n of {name} is {value:.4f} ± {_REACHED}", tuple(findings))
    for better, worse in (("ApproxNDCG", "SoftRank"), ("SoftRank", "AdaRank.NDCG"), ("ApproxNDCG", "AdaRank.NDCG")):
        says = f"NDCG@n: {better} is better than {worse}"
        yield _pair("Section 6.4", says, run, "ndcg", (better, worse), MeanDifference.above, seed)
        if worse == "SoftRank":
            yield _top_positions(run, seed)
    says = f"NDCG@n of ApproxAP is comparable with that of ApproxNDCG, less than {_CLOSE} apart"
    yield _pair("Figure 5", says, run, "ndcg", ("ApproxAP", "ApproxNDCG"), lambda found: found.close(_CLOSE), seed)
    yield _better_optimizer(run, seed)


def _top_positions(run: TrainedCollection, seed: int) -> Claim:
    """The claim that ApproxNDCG leads SoftRank "especially for top positions"."""
    names, findings = ("ApproxNDCG", "SoftRank"), []
    for setting in run.protocol.settings(*names, measure="ndcg"):
        top, whole = (
            np.mean([run.values(names[0], each, setting) - run.values(names[1], each, setting) for each in own], axis=0)
            for own in ([f"ndcg@{k}" for k in _TOP], ["ndcg"])
        )
        lead, more = difference(top, seed), difference(top - whole, seed)
        seen = f"lead at the top {lead}, which is {more} more than in NDCG@n"
        findings.append(Finding(all_of(lead.above(), more.above()), seen, setting))
    says = "this lead is largest at the top positions (mean of NDCG@1, 2, 3)"
    return Claim(f"Section 6.4, {run.name}", says, tuple(findings))


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


def _better_optimizer(run: TrainedCollection, seed: int) -> Claim:
    """The claim that a better optimizer could improve ApproxAP, which the paper says of its MAP."""
    better, reference = {"training": "L-BFGS"}, run.protocol.choices.reference
    found = compared(run.values("ApproxAP", "ap", better), run.values("ApproxAP", "ap", {}), seed)
    means = [run.mean("ApproxAP", "ap", setting) for setting in (better, reference)]
    seen = f"L-BFGS {means[0]:.4f}, Algorithm 1 {means[1]:.4f}, difference {found}"
    says = "MAP of ApproxAP: a better optimizer could improve it" + (f" (paper: {_BINARY})" if run.graded else "")
    return Claim(f"Section 6.3, {run.name}", says, (Finding(found.above(), seen),))
