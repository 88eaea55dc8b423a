"""Tables 2 and 3, NDCG on collections with more than two labels, significance tests, and the claims about them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from idealrank._base.tables import Column, Table, Value
from idealrank.evaluation.comparison import Comparison, compare
from idealrank.evaluation.evaluator import evaluate
from idealrank.experiments.qin2008.protocol import OURS, PUBLISHED_MAP, PUBLISHED_NDCG
from idealrank.experiments.qin2008.runs import CUTOFFS, Run
from idealrank.experiments.results import Claim

__all__ = ["claims_of", "tables_of"]

#: ListNet's published NDCG on MQ2008.
_LISTNET = {"ndcg@1": 0.3754, "ndcg@5": 0.4747, "ndcg@10": 0.2303}


def tables_of(runs: Sequence[Run], seed: int) -> dict[str, Table]:
    """Return {title: table}: NDCG with its tests, then MAP of all collections."""
    found = {}
    for each in runs:
        if each.graded:
            found[f"Figures 4 and 5, NDCG: {each.title}"] = _ndcg(each)
            found[f"Against ApproxNDCG, NDCG@n: {each.title}"] = _tested(each, "ndcg", "ApproxNDCG", seed).table()
    found["Tables 2 and 3, MAP"] = _map(runs)
    for each in runs:
        if not each.graded:
            found[f"Against ApproxAP, MAP: {each.title}"] = _tested(each, "ap", "ApproxAP", seed).table()
        if "mq2008" in each.title.lower():
            found[f"{each.title} as LETOR 4.0 measures"] = _like_letor(each)
    return found


def _ndcg(run: Run) -> Table:
    """A row per ranker: NDCG@1 to 10, NDCG@n, and for OHSUMED the published NDCG@n."""
    published = PUBLISHED_NDCG if "ohsumed" in run.title.lower() else {}
    columns = [Column("ranker"), *(Column(f"@{k}", ".4f") for k in CUTOFFS), Column("@n", ".4f")]
    rows: list[list[Value]] = [
        [name, *(own[f"ndcg@{k}"] for k in CUTOFFS), own["ndcg"], *([published.get(name)] if published else [])]
        for name, own in run.found.mean.items()
    ]
    return Table([*columns, Column("published @n", ".4f")] if published else columns, rows)


def _map(runs: Sequence[Run]) -> Table:
    """A row per ranker, a column per run, and the published columns."""
    means = [each.of("ap") for each in runs]
    names = dict.fromkeys(name for own in means for name in own)
    published = [Column(f"published {name}", ".3f") for name in ("TD2003", "TD2004")]
    columns = [Column("ranker"), *(Column(each.title, ".4f") for each in runs), *published]
    none = (None, None)
    return Table(columns, [[name, *(own.get(name) for own in means), *PUBLISHED_MAP.get(name, none)] for name in names])


def _like_letor(run: Run) -> Table:
    """NDCG@1, 5, 10 and MAP by LETOR 4.0's script, with ListNet's published NDCG, and NDCG@n by idealrank's own."""
    measures = [*_LISTNET, "ap"]
    scripted = evaluate(run.found.data, run.found.scores, measures, like="letor4")
    means = replace(run.found, evaluations=scripted).mean
    own = run.of("ndcg")
    columns = [Column("ranker"), *(Column(name, ".4f") for name in (*measures, "NDCG@n, 1/log2(1 + rank)"))]
    rows: list[list[Value]] = [[name, *means[name].values(), own[name]] for name in means]
    return Table(columns, [*rows, ["ListNet, published", *_LISTNET.values(), None, None]])


def _tested(run: Run, measure: str, baseline: str, seed: int) -> Comparison:
    """All rankers against one of them."""
    return compare(run.found.data, run.found.scores, measure, baseline=baseline, seed=seed)


def claims_of(runs: Sequence[Run], seed: int) -> Iterator[Claim]:
    """Yield the claims of Sections 6.3 to 6.5, for each collection with unscaled features."""
    for each in runs:
        if not each.scaled:
            yield from _of_map(each, seed)
            if each.graded:
                yield from _of_ndcg(each, seed)


def _of_map(run: Run, seed: int) -> Iterator[Claim]:
    """The claims about MAP."""
    means = run.of("ap")
    told = _listed(means, ("ApproxAP", "AdaRank.MAP", "SVMMap"))
    best = all(means["ApproxAP"] >= means[name] for name in ("AdaRank.MAP", "SVMMap"))
    yield Claim("Table 2", "ApproxAP has a higher MAP than AdaRank.MAP and SVMmap", f"{run.title}: {told}", best)
    says = "MAP of ApproxNDCG is comparable with that of ApproxAP, or lower"
    yield _alike("Table 3", says, run, "ap", ("ApproxAP", "ApproxNDCG"), seed, lower_is_fine=True)


def _of_ndcg(run: Run, seed: int) -> Iterator[Claim]:
    """The claims about NDCG."""
    means = run.of("ndcg")
    names = ("ApproxNDCG", "SoftRank", "AdaRank.NDCG")
    in_order = means["ApproxNDCG"] > means["SoftRank"] > means["AdaRank.NDCG"]
    says = "NDCG@n of ApproxNDCG is above SoftRank's, SoftRank's above AdaRank.NDCG's"
    yield Claim("Figure 4", says, f"{run.title}: {_listed(means, names)}", in_order)
    says = "NDCG@n of ApproxAP is comparable with that of ApproxNDCG"
    yield _alike("Figure 5", says, run, "ndcg", ("ApproxNDCG", "ApproxAP"), seed)
    better = means[f"ApproxNDCG{OURS}"] >= means["ApproxNDCG"]
    seen = f"{run.title}: {_listed(means, ('ApproxNDCG', f'ApproxNDCG{OURS}'))}"
    yield Claim("6.3", "a better optimizer could improve the performance further", seen, better)


def _alike(
    where: str, says: str, run: Run, measure: str, names: tuple[str, str], seed: int, *, lower_is_fine: bool = False
) -> Claim:
    """A claim that the second ranker does not differ significantly from the first, or is only worse."""
    first, second = names
    tested = next(each for each in _tested(run, measure, first, seed).differences[measure] if each.system == second)
    seen = f"{run.title}: {_listed(run.of(measure), names)}; p = {tested.corrected:.3f}"
    agrees = tested.corrected >= 0.05 or (lower_is_fine and tested.difference < 0)
    return Claim(where, says, seen, agrees)


def _listed(means: dict[str, float], names: Sequence[str]) -> str:
    """The means of these rankers in words."""
    return ", ".join(f"{name} {means[name]:.4f}" for name in names)
