"""Wang et al. 2013, appendix A: four discounts on growing lists, for two trained rankers and a random one.

The paper's click log is not public; `datasets.web_search` takes its place, with 40 queries of 5000 documents in the
order of their creation. RankSVM and ListNet are linear here: the pairwise hinge loss with a little L2, and the cross
entropy of softmax scores, each by L-BFGS on the training part; the paper gives no hyperparameters. The gain is the
label. The paper does not say whether it averages over queries: means are drawn in strong lines, one query in faint
ones. The open choices are the seed of the click log and the form of RankSVM: see `CHOICES`.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from idealrank._core.extras import require
from idealrank._core.seeds import generator
from idealrank._present.figure_style import new_panels
from idealrank._present.palette import NEUTRAL, SERIES
from idealrank._typing import Floats, Int64s
from idealrank.data import datasets
from idealrank.data.construction import from_arrays
from idealrank.data.ranking import RankingData
from idealrank.errors import DataError
from idealrank.experiments.claims import FAILS, HOLDS, Choices, Claim, Finding, MeanDifference, Setting, difference
from idealrank.experiments.reproduction import Reproduction
from idealrank.learners import LinearRanker
from idealrank.losses import CrossEntropy, Hinge, Loss, SquaredHinge
from idealrank.measures import measure
from idealrank.theory import StepCurve, limit, verdict
from idealrank.theory.distinguishing.growing_lists import Paths
from idealrank.theory.distinguishing.prefixes import growing_sizes, prefix_values
from idealrank.theory.long_lists.limits import sees
from idealrank.theory.long_lists.measure_discount import Weighting

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["CHOICES", "Growth", "grow", "reproduce"]

RANKERS = ("RankSVM", "ListNet", "random")
#: What is open; the first value of each is the reference.
CHOICES = Choices(
    {"seed": ("the given seed", "the next seed", "the seed after that"), "RankSVM": ("hinge", "squared hinge")}
)
_SEEDS = {"the given seed": 0, "the next seed": 1, "the seed after that": 2}
_RANK_SVM: dict[str, Loss] = {"hinge": Hinge(normalize="pairs"), "squared hinge": SquaredHinge(normalize="pairs")}
#: How far apart rankers are that are "very close", or whose limits are "different".
_CLOSE = 0.05
#: How the lines of single queries and of limits are drawn.
_ONE_QUERY: dict[str, Any] = {"linewidth": 0.8, "alpha": 0.6}
_LIMIT: dict[str, Any] = {"linewidth": 0.8, "linestyle": "--"}
_NOTES = (
    "The click log is generated; the paper's is not public. Figures show the reference setting. Differences between "
    "rankers have 95% intervals (Student's t over queries). 'Close' is less than 0.05 apart, 'different' more.",
)
#: The measures of Figures 1 to 4.
MEASURES = {
    "log": "ndcg(gain=linear)",
    "r^-1/2": "ndcg(gain=linear,discount=power:0.5)",
    "2^-r": "ndcg(gain=linear,discount=geometric:2)",
    "log, k = n/5": "ndcg(gain=linear)@20%",
}


@dataclass(frozen=True)
class Growth:
    """NDCG of the rankers on growing lists.

    Parameters
    ----------
    sizes : int64 array
        The lengths of the lists.
    values : float64 array
        NDCG, of shape (rankers, measures, queries, sizes).
    curves : tuple of tuple of StepCurve
        The relevance curves of the rankers, one per query.
    """

    sizes: Int64s
    values: Floats
    curves: tuple[tuple[StepCurve, ...], ...]

    def limit(self, ranker: int, m: int) -> float:
        """Return the mean over queries of the limits that theory gives."""
        return float(np.mean([limit(list(MEASURES.values())[m], curve) for curve in self.curves[ranker]]))

    def mean(self, ranker: int, m: int) -> Floats:
        """Return the mean over queries at each size; those with nothing relevant yet are left out."""
        return Paths(self.sizes, self.values[ranker, m]).mean_lead

    def paths(self, first: int, second: int, m: int) -> Paths:
        """Return the lead of one ranker over another."""
        return Paths(self.sizes, self.values[first, m] - self.values[second, m])


def reproduce(data: RankingData | None = None, seed: int = 0) -> Reproduction:
    """Reproduce the four figures, and check what the paper says about them.

    Parameters
    ----------
    data : RankingData, optional
        LETOR data in place of the click log. Its queries are short, so the rankers are trained on the first half of
        them, and the documents of the others, with features standardized within each query, are joined to lists of up
        to 5000.
    seed : int
        Seed of the random number generator.

    Returns
    -------
    Reproduction

    Raises
    ------
    DataError
        If the data has no features, or fewer than four queries.
    """
    require("matplotlib", for_="reproduce")
    grown = [(setting, _grown(data, seed, setting)) for setting in CHOICES.settings()]
    figures = {f"figure{number}": _figure(grown[0][1], number) for number in range(1, 5)}
    return Reproduction((*_claims(grown, seed),), figures, notes=_NOTES)


def _grown(data: RankingData | None, seed: int, setting: Setting) -> Growth:
    """The rankers in one setting."""
    own = seed + _SEEDS[setting["seed"]]
    return grow(*_parts(data, own), seed=own, rank_svm=_RANK_SVM[setting["RankSVM"]])


def grow(train: RankingData, test: RankingData, seed: int = 0, rank_svm: Loss = _RANK_SVM["hinge"]) -> Growth:
    """Train the rankers on one part and measure them on the growing lists of the other.

    Parameters
    ----------
    train, test : RankingData
        The parts, with features standardized within each query.
    seed : int
        Seed of the random number generator.
    rank_svm : Loss
        The loss of RankSVM.

    Returns
    -------
    Growth
    """
    rng = generator(seed)
    few = train.subset(range(min(train.n_queries, 10))) if train.n_docs > 100_000 else train
    scores = [test.known_features() @ _trained(each, few) for each in (rank_svm, CrossEntropy())]
    rankers = [np.ascontiguousarray(each, np.float64) for each in (*scores, rng.uniform(-1, 1, test.n_docs))]
    sizes = growing_sizes(int(np.median(np.diff(test.offsets))))
    measures = [measure(name) for name in MEASURES.values()]
    values = prefix_values(measures, test.labels, rankers, test.offsets, sizes)
    return Growth(sizes, values, tuple(tuple(_curves(test, each)) for each in rankers))


def _curves(test: RankingData, scores: Floats) -> Iterator[StepCurve]:
    """The relevance curve of each query."""
    for first, last in itertools.pairwise(test.offsets):
        yield StepCurve.fit(test.labels[first:last], scores[first:last], method="top")


def _parts(data: RankingData | None, seed: int) -> tuple[RankingData, RankingData]:
    """The training part and the test part."""
    if data is None:
        train, test = map(_on_one_scale, datasets.web_search(seed=seed))
        return train, test
    if data.features is None or data.n_queries < 4:
        raise DataError("the experiment trains rankers: it needs features, and at least four queries")
    half = data.n_queries // 2
    train, rest = (_on_one_scale(data.subset(rows)) for rows in (range(half), range(half, data.n_queries)))
    cuts = [*range(0, rest.n_docs, 5000), rest.n_docs]
    if len(cuts) > 2 and cuts[-1] - cuts[-2] < 2500:
        del cuts[-2]  # a short rest is added to the list before it
    return train, from_arrays(rest.labels, offsets=cuts, features=rest.features)


def _on_one_scale(data: RankingData) -> RankingData:
    """The data with every feature of mean 0 and variance 1 within each query."""
    features = np.asarray(data.features, np.float64).copy()
    for first, last in zip(data.offsets[:-1], data.offsets[1:], strict=True):
        part = features[first:last]
        part -= part.mean(axis=0)
        spread = part.std(axis=0)
        part /= np.where(spread > 0, spread, 1.0)
    return from_arrays(data.labels, offsets=data.offsets, features=features)


def _trained(loss: Loss, data: RankingData) -> Floats:
    """Weights of the features that minimize the loss."""
    weights: Floats = LinearRanker(loss, l2=2e-4, max_iter=60).fit(data).coef_
    return weights


def _claims(grown: Sequence[tuple[Setting, Growth]], seed: int) -> Iterator[Claim]:
    """The claims about all figures."""

    def claim(where: str, says: str, judge: Callable[[Growth], tuple[str, str]]) -> Claim:
        return Claim(where, says, tuple(Finding(*judge(growth), setting) for setting, growth in grown))

    log, root, geometric, top_fifth = range(4)

    def close(growth: Growth) -> tuple[str, str]:
        lead = _lead(growth, log, seed)
        return lead.close(_CLOSE), f"{_ends(growth, log)}; {_lead_text(lead)}"

    def same_limit(growth: Growth) -> tuple[str, str]:
        tenth = int(np.searchsorted(growth.sizes, growth.sizes[-1] // 10))
        lead = growth.paths(0, 2, log).lead
        change = difference(lead[:, -1] - lead[:, tenth], seed)
        sizes = f"from n = {growth.sizes[tenth]} to n = {growth.sizes[-1]}"
        return change.below(), f"the lead of RankSVM over random changes by {change} {sizes}"

    def separated(growth: Growth) -> tuple[str, str]:
        n, settled, changes = int(growth.sizes[-1]), _settled(growth, log), _changes(growth, log)
        lead = _lead(growth, log, seed)
        sure = HOLDS if settled <= n // 5 and changes < 0.5 else FAILS
        seen = f"trained ahead of random for good from n = {settled}; {changes:.2f} changes of lead per query"
        return sure if lead.above() == HOLDS else lead.above(), seen

    def different(m: int) -> Callable[[Growth], tuple[str, str]]:
        def judged(growth: Growth) -> tuple[str, str]:
            lead = _lead(growth, m, seed)
            theory = [growth.limit(ranker, m) for ranker in range(3)]
            return lead.above(_CLOSE), f"{_ends(growth, m)}; theory {_three(theory)}; {_lead_text(lead)}"

        return judged

    def restless(growth: Growth) -> tuple[str, str]:
        moves = [_moves(growth, m) for m in (geometric, log)]
        more = difference(np.asarray(moves[0] - 2 * moves[1]).mean(axis=0), seed)
        means = [float(each.mean()) for each in moves]
        n = growth.sizes[-1] // 5
        return more.above(), f"the values of a list vary by {means[0]:.3f} from n = {n} on, by {means[1]:.3f} under log"

    def as_good(growth: Growth) -> tuple[str, str]:
        lead = _lead(growth, geometric, seed)
        return lead.close(_CLOSE), f"{_ends(growth, geometric)}; {_lead_text(lead)}"

    yield claim("Figure 1", "the three are very close", close)
    yield claim("Figure 1", "they seem to converge to the same limit (leads shrink as lists grow)", same_limit)
    yield claim("Figure 1", "yet the measure distinguishes them well", separated)
    yield claim("Figure 2", "they converge to different limits", different(root))
    yield claim("Figure 3", "the measures do not converge (they move more than twice as much as under log)", restless)
    yield claim("Figure 3", "random has a similar NDCG", as_good)
    yield claim("Figure 4", "they converge to different limits", different(top_fifth))


def _lead_text(lead: MeanDifference) -> str:
    """The lead in words."""
    return f"the lead of the worse trained one over random is {lead}"


def _lead(growth: Growth, m: int, seed: int) -> MeanDifference:
    """How far the worse of the trained rankers is ahead of the random one on whole lists."""
    leads = [growth.paths(trained, 2, m).lead[:, -1] for trained in (0, 1)]
    return difference(min(leads, key=np.nanmean), seed)


def _ends(growth: Growth, m: int) -> str:
    """The means on whole lists in words."""
    return _three([float(growth.mean(ranker, m)[-1]) for ranker in range(3)])


def _three(values: list[float]) -> str:
    """The values of the three rankers in words."""
    return ", ".join(f"{name} {value:.3f}" for name, value in zip(RANKERS, values, strict=True))


def _settled(growth: Growth, m: int) -> int:
    """The size from which both trained rankers' means stay ahead of the random one's."""
    found = [growth.paths(trained, 2, m).settled_at for trained in (0, 1)]
    return max(int(growth.sizes[-1]) + 1 if each is None else each for each in found)


def _changes(growth: Growth, m: int) -> float:
    """Changes of lead between RankSVM and random per query, on the last four fifths of the lists."""
    late = growth.sizes >= growth.sizes[-1] // 5
    return float(Paths(growth.sizes[late], growth.paths(0, 2, m).lead[:, late]).sign_changes.mean())


def _moves(growth: Growth, m: int) -> Floats:
    """The range of a query's values on the last four fifths of its list, of shape (rankers, queries)."""
    late = growth.values[:, m][..., growth.sizes >= growth.sizes[-1] // 5]
    return np.asarray(np.nanmax(late, axis=-1) - np.nanmin(late, axis=-1))


def _figure(growth: Growth, number: int) -> Figure:
    """NDCG against n for the three rankers, with dashed lines at the limits; Figure 1 with its enlarged part."""
    from matplotlib.lines import Line2D

    m = number - 1
    title, name = list(MEASURES.items())[m]
    figure, [axes] = new_panels(5, 4)
    _lines(axes, growth, m)
    if sees(Weighting.of(name)) == "list" and name != MEASURES["log"]:
        for ranker in range(3):
            axes.axhline(growth.limit(ranker, m), color=SERIES[ranker], **_LIMIT)
    if name == MEASURES["log"]:
        axes.axhline(1.0, color=NEUTRAL, **_LIMIT)
        inset = axes.inset_axes((0.45, 0.08, 0.5, 0.4))
        _lines(inset, growth, m)
        tail = growth.sizes >= growth.sizes[-1] // 2
        ends = np.array([growth.mean(ranker, m)[tail] for ranker in range(3)])
        room = 0.1 * (ends.max() - ends.min())
        inset.set(xlim=(growth.sizes[tail][0], growth.sizes[-1]), ylim=(ends.min() - room, ends.max() + room))
        inset.tick_params(labelsize="small")
        inset.locator_params(nbins=3)
    how = verdict(name, growth.curves[0][0], growth.curves[2][0]).how
    is_told = how in ("consistently", "in expectation")
    told = f"separates RankSVM from random {how}" if is_told else f"does it separate RankSVM from random? {how}"
    axes.set(title=f"D = {title}:\n{told}", xlabel="n", ylabel="NDCG", ylim=(0, 1.02))
    for each in figure.axes:
        each.xaxis.set_major_formatter("{x:,.0f}")
    kinds = [Line2D([], [], color=NEUTRAL, label="one query", **_ONE_QUERY)]
    if sees(Weighting.of(name)) == "list":
        kinds.append(Line2D([], [], color=NEUTRAL, label="limit", **_LIMIT))
    handles = [*axes.get_legend_handles_labels()[0], *kinds]
    figure.legend(handles=handles, loc="outside lower center", ncols=3)
    return figure


def _lines(axes: Axes, growth: Growth, m: int) -> None:
    """Draw one query and the mean of each ranker."""
    for ranker, name in enumerate(RANKERS):
        axes.plot(growth.sizes, growth.values[ranker, m][0], color=SERIES[ranker], **_ONE_QUERY)
        axes.plot(growth.sizes, growth.mean(ranker, m), label=name, color=SERIES[ranker])
