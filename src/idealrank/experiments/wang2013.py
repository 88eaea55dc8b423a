"""Wang et al. 2013, appendix A: four discounts on growing lists, for two trained rankers and a random one.

The paper's click log is not public. Two generators take its place: `datasets.web_search`, a click log of 40 queries
with 5000 documents in the order of their creation, and `datasets.topic_distillation`, two labels and few relevant
documents, or many: the paper does not say how many there are, and the more, the closer is a random ranker. Collections
that are given come first, all together and then each alone. Their queries are short: the rankers are trained on one
half of them, and the documents of the others, with features standardized within each query, are joined to lists of 800;
then the halves change places.

RankSVM and ListNet are linear here: the pairwise hinge loss with a little L2, and the cross entropy of softmax scores,
each by L-BFGS on the training part; the paper gives no hyperparameters. The gain is the label. The paper does not say
whether it averages over queries: means are drawn in strong lines, one query in faint ones. The open choices are the
data, the seed, the form of RankSVM, what the rankers are trained on, and what "distinguish" means.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from idealrank._core.seeds import generator
from idealrank._present.figure_style import NEUTRAL, SERIES, new_panels
from idealrank._typing import Floats, Int64s
from idealrank.data import datasets
from idealrank.data.construction import from_arrays
from idealrank.data.ranking import RankingData
from idealrank.errors import DataError
from idealrank.experiments.claims import (
    FAILS,
    HOLDS,
    UNDECIDED,
    Choices,
    Claim,
    Finding,
    MeanDifference,
    Setting,
    all_of,
    difference,
)
from idealrank.experiments.reproduction import Drawings, Reproduction
from idealrank.learners import LinearRanker
from idealrank.learners.estimators import ConvergenceWarning
from idealrank.learners.iterative import bar
from idealrank.losses import CrossEntropy, Hinge, Loss, SquaredHinge
from idealrank.measures import measure
from idealrank.theory import StepCurve, limit, verdict
from idealrank.theory.distinguishing.growing_lists import Paths, growing_sizes, prefix_values
from idealrank.theory.long_lists.limits import sees
from idealrank.theory.long_lists.measure_discount import Weighting

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["Growth", "choices", "grow", "reproduce"]

RANKERS = ("RankSVM", "ListNet", "random")
_SEEDS = ("first seed", "second seed", "third seed", "fourth seed", "fifth seed")
_RANK_SVM: dict[str, Loss] = {"hinge": Hinge(normalize="pairs"), "squared hinge": SquaredHinge(normalize="pairs")}
#: The documents of a list that is made of the queries of a collection, and the least number of lists.
_LENGTH, _LISTS = 800, 5
#: Training that was aimed at rankers that are weak at the top.
_TRAINED_ON_ONE, _CUT = "trained on one query", "features cut at 0"
_TRAINING = ("all of it", _TRAINED_ON_ONE, _CUT)
_TOGETHER, _CLICK_LOG = "all collections", "simulated click log"
_TOPICS, _MOSTLY_RELEVANT = "simulated topics", "80% relevant"
#: How far apart rankers are that are "very close", or whose limits are "different".
_CLOSE = 0.05
#: The pairs of rankers.
_ALL_PAIRS, _FROM_RANDOM = ((0, 1), (0, 2), (1, 2)), ((0, 2), (1, 2))
#: What it may mean that a measure distinguishes rankers: {criterion: (on what, for which pairs)}.
_CRITERIA = {
    "single lists": ("lists", _ALL_PAIRS),
    "single lists, only from random": ("lists", _FROM_RANDOM),
    "means": ("means", _ALL_PAIRS),
    "means, only from random": ("means", _FROM_RANDOM),
}
_OPPOSITE = {HOLDS: FAILS, FAILS: HOLDS}
#: How the lines of single queries and of limits are drawn.
_ONE_QUERY: dict[str, Any] = {"linewidth": 0.8, "alpha": 0.6}
_LIMIT: dict[str, Any] = {"linewidth": 0.8, "linestyle": "--"}
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

    @classmethod
    def joined(cls, parts: Sequence[Growth]) -> Growth:
        """Return the lists of all parts, up to the length of the shortest."""
        sizes = min((each.sizes for each in parts), key=len)
        values = np.concatenate([each.values[..., : sizes.size] for each in parts], axis=2)
        curves = (itertools.chain(*own) for own in zip(*(each.curves for each in parts), strict=True))
        return cls(sizes, values, tuple(map(tuple, curves)))

    def limit(self, ranker: int, m: int) -> float:
        """Return the mean over queries of the limits that theory gives."""
        return float(np.mean([limit(list(MEASURES.values())[m], curve) for curve in self.curves[ranker]]))

    def mean(self, ranker: int, m: int) -> Floats:
        """Return the mean over queries at each size; those with nothing relevant yet are left out."""
        return Paths(self.sizes, self.values[ranker, m]).mean_lead

    def paths(self, first: int, second: int, m: int) -> Paths:
        """Return the lead of one ranker over another."""
        return Paths(self.sizes, self.values[first, m] - self.values[second, m])


def choices(names: Sequence[str] = ()) -> Choices:
    """Return what is open, the reference first: the data, with the collections of these names; seed; RankSVM; training.

    >>> choices(["ohsumed", "mq2008"]).values["data"]
    ('all collections', 'ohsumed', 'mq2008', 'simulated click log', 'simulated topics', '80% relevant')
    """
    together = [_TOGETHER] if len(names) > 1 else []
    data = (*together, *names, _CLICK_LOG, _TOPICS, _MOSTLY_RELEVANT)
    return Choices({"data": data, "seed": _SEEDS, "RankSVM": tuple(_RANK_SVM), "training": _TRAINING})


def reproduce(
    data: RankingData | Mapping[str, RankingData] | None = None, seed: int = 0, *, verbose: bool = False
) -> Reproduction:
    """Reproduce the four figures, and check what the paper says about them.

    Parameters
    ----------
    data : RankingData or mapping of str to RankingData, optional
        LETOR collections, by name, to use beside the two generators. All of them together are the reference.
    seed : int
        Seed of the random number generator.
    verbose : bool
        Whether to report progress.

    Returns
    -------
    Reproduction

    Raises
    ------
    DataError
        If a collection has no features, fewer than four queries or too few documents.
    """
    given = {"data": data} if isinstance(data, RankingData) else dict(data or {})
    for name, each in given.items():
        _check(name, each)
    settings = choices(list(given)).settings()
    grown = []
    with bar(len(settings), shown=verbose, is_predictable=True) as tell:
        for number, setting in enumerate(settings, start=1):
            own = seed + _SEEDS.index(setting["seed"])
            parts = [_weakened(*part, setting["training"]) for part in _parts(setting["data"], given, own)]
            growths = [grow(*part, seed=own, rank_svm=_RANK_SVM[setting["RankSVM"]]) for part in parts]
            grown.append((setting, Growth.joined(growths)))
            tell(f"{setting['data']}, {setting['seed']}", number, "")
    figures = {f"figure{number}": partial(_figure, grown[0][1], number) for number in range(1, 5)}
    return Reproduction((*_claims(grown, seed),), Drawings(figures), notes=_notes(grown))


def _notes(grown: Sequence[tuple[Setting, Growth]]) -> tuple[str, ...]:
    """What the lists are made of."""
    sizes = {setting["data"]: growth.values.shape[2:] for setting, growth in grown}
    made = {
        _CLICK_LOG: "generated, as a click log",
        _TOPICS: "generated, as topics with few relevant documents",
        _MOSTLY_RELEVANT: "generated, as topics",
    }
    joined = (
        "documents of one half of the queries, shuffled and joined, where the rankers are trained on the other half"
    )
    own = [
        f"{name}: {n} lists of {size:,} documents ({made.get(name, joined)})"
        for name, (n, size) in sizes.items()
        if name != _TOGETHER
    ]
    return (
        f"{'; '.join(own)}. The paper's click log is not public: all verdicts are on other data. The paper asks how "
        "far lists that are not i.i.d. behave like lists that are; the lists of collections are shuffled, and those of "
        "the simulated click log are in the order of creation.",
        "Figures show the reference setting, the first data. Differences between rankers have 95% intervals (Student's "
        "t over lists). 'Close' is less than 0.05 apart, 'different' more. Claims 1, 4, 7 and 8 compare the worse of "
        "the trained rankers to the random one: RankSVM and ListNet, both linear here, are less than 0.05 apart except "
        "with 2^-r. Two settings were aimed at making random similar, by trained rankers that are weak at the top: one "
        "training query for each half of a collection, and features that are cut at their mean, 0, so that they say "
        "nothing about the best documents.",
        "What 'distinguish' means decides claims 3 and 6, so it is a setting of them. 'Single lists', the reference, "
        "is close to Definition 5, which is about one growing list, and to the paper's figures: for each of the three "
        "pairs, the ranker with the higher mean is ahead at all lengths from a fifth on, on more than half of the "
        "lists. 'Means' is close to Definition 18, which is weaker: the lead of means on whole lists is not 0, and "
        "their order stays from a fifth on; it is undecided if the interval of the lead contains 0. 'Only from random' "
        "leaves out the pair of trained rankers. If one pair is not told apart, claim 3 fails and claim 6 holds.",
        "This protocol was chosen with results in sight. At first, only one half of the queries made lists, each "
        "collection was judged alone, and claim 3 asked for fewer than 0.5 changes of lead per list between RankSVM "
        "and random: with 8 or 9 lists, the verdicts of claims 1, 3 and 7 depended on the seed. Then claims 3 and 6 "
        "were judged as 'means, only from random': claim 3 held in all settings of data, and claim 6 failed in all. "
        "Changes of lead are still shown; a tie changes no lead, so that a list on which rankers are level has none.",
    )


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
    sizes = growing_sizes(int(np.diff(test.offsets).min()))
    measures = [measure(name) for name in MEASURES.values()]
    values = prefix_values(measures, test.labels, rankers, test.offsets, sizes)
    return Growth(sizes, values, tuple(tuple(_curves(test, each)) for each in rankers))


def _curves(test: RankingData, scores: Floats) -> Iterator[StepCurve]:
    """The relevance curve of each query."""
    for first, last in itertools.pairwise(test.offsets):
        yield StepCurve.fit(test.labels[first:last], scores[first:last], method="top")


def _parts(name: str, given: Mapping[str, RankingData], seed: int) -> list[tuple[RankingData, RankingData]]:
    """Training parts and test parts of these data."""
    if name == _TOGETHER:
        return [part for each in given.values() for part in _joined(each, seed)]
    if name in given:
        return _joined(given[name], seed)
    if name == _CLICK_LOG:
        train, test = datasets.web_search(seed=seed)
    else:
        n_queries, p = (80, 0.8) if name == _MOSTLY_RELEVANT else (40, 0.05)
        train, test = datasets.topic_distillation(n_queries, 2500, 40, p=p, seed=seed).split([0.5, 0.5], seed=seed)
    return [(_on_one_scale(train), _on_one_scale(test))]


def _weakened(train: RankingData, test: RankingData, training: str) -> tuple[RankingData, RankingData]:
    """The parts as they are, one query to train on, or features that say nothing about what is above average."""
    if training == _TRAINED_ON_ONE:
        return train.subset([0]), test
    return (_cut(train), _cut(test)) if training == _CUT else (train, test)


def _cut(data: RankingData) -> RankingData:
    """The data with 0 in place of every higher value of a feature."""
    return from_arrays(data.labels, offsets=data.offsets, features=np.minimum(data.known_features(), 0))


def _check(name: str, data: RankingData) -> None:
    """Raise if lists cannot be made of a collection."""
    if data.features is None or data.n_queries < 4:
        raise DataError(f"{name}: the experiment trains rankers: it needs features, and at least four queries")
    if data.n_docs < 40 * _LISTS:
        raise DataError(f"{name}: {_LISTS} long lists need at least {40 * _LISTS} documents, got {data.n_docs}")


def _joined(data: RankingData, seed: int) -> list[tuple[RankingData, RankingData]]:
    """Each half of the queries, in random order, to train on, and the documents of the other one in long lists."""
    order = generator(seed).permutation(data.n_queries)
    halves = [_on_one_scale(data.subset(rows)) for rows in np.array_split(order, 2)]
    return [(train, _lists(rest, seed)) for train, rest in (halves, reversed(halves))]


def _lists(data: RankingData, seed: int) -> RankingData:
    """Lists of one length: whole queries, until there are enough documents, which are then shuffled."""
    rng = generator(seed)
    length = min(_LENGTH, data.n_docs // _LISTS)
    ends = [0]
    for end in data.offsets[1:].tolist():
        if end - ends[-1] >= length:
            ends.append(end)
    kept = np.concatenate([first + rng.permutation(last - first)[:length] for first, last in itertools.pairwise(ends)])
    offsets = np.arange(len(ends)) * length
    return from_arrays(data.labels[kept], offsets=offsets, features=data.known_features()[kept])


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
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the budget is part of the protocol
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
        change = _difference(lead[:, -1] - lead[:, tenth], seed)
        sizes = f"from n = {growth.sizes[tenth]} to n = {growth.sizes[-1]}"
        return change.below(), f"the lead of RankSVM over random changes by {change} {sizes}"

    def distinguished(where: str, says: str, m: int, *, denied: bool = False) -> Claim:
        """A claim that the measure of a figure distinguishes the rankers, or that it does not."""
        findings = []
        for setting, growth in _by_criterion(grown):
            outcome, seen = _distinguishes(growth, m, setting["criterion"], seed)
            outcome = _OPPOSITE.get(outcome, outcome) if denied else outcome
            findings.append(Finding(outcome, seen, setting))
        return Claim(where, says, tuple(findings))

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
        ends = growth.values[:, geometric, :, -1]
        near = float(np.mean(np.nanmin(ends[:2], axis=0) - ends[2] < _CLOSE))
        alone = f"on {near:.0%} of single lists, random is ahead of one trained or less than {_CLOSE} behind"
        return lead.close(_CLOSE), f"{_ends(growth, geometric)}; {_lead_text(lead)}; {alone}"

    yield claim("Figure 1", "log: the three are very close", close)
    yield claim("Figure 1", "log: they seem to converge to the same limit (leads shrink as lists grow)", same_limit)
    yield distinguished("Figure 1", "log: yet the measure distinguishes them well", log)
    yield claim("Figure 2", "r^-1/2: they converge to different limits (trained and random)", different(root))
    yield claim(
        "Figure 3", "2^-r: the measures do not converge (they move more than twice as much as under log)", restless
    )
    yield distinguished("Figure 3", "2^-r: the measure cannot distinguish the three very well", geometric, denied=True)
    yield claim("Figure 3", "2^-r: random has a similar NDCG", as_good)
    says = "log, k = n/5: they converge to different limits (trained and random)"
    yield claim("Figure 4", says, different(top_fifth))


def _lead_text(lead: MeanDifference) -> str:
    """The lead in words."""
    return f"the lead of the worse trained one over random is {lead}"


def _lead(growth: Growth, m: int, seed: int) -> MeanDifference:
    """How far the worse of the trained rankers is ahead of the random one on whole lists."""
    leads = [growth.paths(trained, 2, m).lead[:, -1] for trained in (0, 1)]
    return _difference(min(leads, key=np.nanmean), seed)


def _difference(values: Floats, seed: int) -> MeanDifference:
    """The mean of the lists that have a relevant document by then."""
    return difference(values[~np.isnan(values)], seed)


def _ends(growth: Growth, m: int) -> str:
    """The means on whole lists in words."""
    return _three([float(growth.mean(ranker, m)[-1]) for ranker in range(3)])


def _three(values: list[float]) -> str:
    """The values of the three rankers in words."""
    return ", ".join(f"{name} {value:.3f}" for name, value in zip(RANKERS, values, strict=True))


def _by_criterion(grown: Sequence[tuple[Setting, Growth]]) -> Iterator[tuple[Setting, Growth]]:
    """All settings with the first criterion, then the reference with the other criteria."""
    reference, *others = _CRITERIA
    for setting, growth in grown:
        yield {**setting, "criterion": reference}, growth
    for criterion in others:
        yield {**grown[0][0], "criterion": criterion}, grown[0][1]


def _distinguishes(growth: Growth, m: int, criterion: str, seed: int) -> tuple[str, str]:
    """Whether a measure tells the rankers of each pair apart, and by what."""
    kind, pairs = _CRITERIA[criterion]
    judged = {"lists": _on_single_lists, "means": _by_means}[kind]
    found = [(pair, *judged(growth, pair, m, seed)) for pair in pairs]
    seen = "; ".join(f"{RANKERS[first]} and {RANKERS[second]}: {text}" for (first, second), _, text in found)
    return all_of(*(outcome for _, outcome, _ in found)), seen


def _on_single_lists(growth: Growth, pair: tuple[int, int], m: int, seed: int) -> tuple[str, str]:
    """Whether the better ranker is ahead at all lengths from a fifth on, on more than half of the lists."""
    late = growth.sizes >= growth.sizes[-1] // 5
    lead = _ordered(growth, pair, m).lead[:, late]
    share = difference(np.all(lead > 0, axis=1).astype(np.float64), seed)
    changes = float(Paths(growth.sizes[late], lead).sign_changes.mean())
    return share.above(0.5), f"one stays ahead on {share.mean:.0%} of lists, changes of lead {changes:.2f}"


def _by_means(growth: Growth, pair: tuple[int, int], m: int, seed: int) -> tuple[str, str]:
    """Whether the mean of one ranker is ahead on whole lists, and at all lengths from a fifth on."""
    paths = _ordered(growth, pair, m)
    lead = _difference(paths.lead[:, -1], seed)
    settled = int(paths.settled_at)
    stays = HOLDS if settled <= growth.sizes[-1] // 5 else FAILS
    # An order that noise may have made says nothing by changing.
    outcome = stays if lead.above() == HOLDS else UNDECIDED
    return outcome, f"lead of means {lead}, in this order from n = {settled}"


def _ordered(growth: Growth, pair: tuple[int, int], m: int) -> Paths:
    """The lead of the ranker whose mean on whole lists is higher."""
    paths = growth.paths(*pair, m)
    return paths if paths.mean_lead[-1] > 0 else growth.paths(*pair[::-1], m)


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
