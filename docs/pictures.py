"""Draw the pictures of the documentation, from drawn data, computed results and the table of benchmarks.

    python -m docs.pictures [NAME ...]

Each is an SVG file in docs/images that follows the light or dark setting of its reader. tests/docs/test_docs.py
draws them again and compares what they say, so that none of them can be stale.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import numpy as np
from scipy.sparse import csr_array

import idealrank as ir
from docs import experiments
from explorer.build import TOOLS
from idealrank import discounts, learners, losses, theory
from idealrank._present import figure_style
from idealrank._present.figure_style import new_axes, new_panels
from idealrank.measures.conventions import CONVENTION_NAMES
from idealrank.report import figures, learning_curve, over_cutoffs
from idealrank.report.svg import inline_svg
from idealrank.stats.paired import TESTS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.text import Text

FOLDER = Path(__file__).parent / "images"
PICTURES: dict[str, tuple[Callable[[], Axes], str]] = {}
_BENCHMARKS = Path(__file__).parents[1] / "benchmarks" / "README.md"
_STATISTICS = Path(__file__).parent / "statistics.md"
_LOSSES = Path(__file__).parent / "loss_experiments.md"
_STYLE = "text { font-family: system-ui, 'DejaVu Sans', sans-serif; fill: var(--ink) } svg { color: var(--ink) }"
_LINES = ("-", "--", ":", "-.", (0, (5, 1, 1, 1, 1, 1)))


def picture(title: str) -> Callable[[Callable[[], Axes]], Callable[[], Axes]]:
    """Register what draws the picture of its name; the title is what a screen reader says."""

    def registered(draw: Callable[[], Axes]) -> Callable[[], Axes]:
        PICTURES[draw.__name__] = draw, title
        return draw

    return registered


def drawn(name: str) -> str:
    """Return a picture as a whole SVG file."""
    draw, title = PICTURES[name]
    root = ElementTree.fromstring(inline_svg(draw, name, title, title))
    width, height = (f"{float(points) * 4 / 3:.0f}" for points in root.attrib["viewBox"].split()[2:])
    root.attrib |= {"xmlns": "http://www.w3.org/2000/svg", "width": width, "height": height}
    style = ElementTree.Element("style")
    style.text = figure_style.css() + _STYLE
    ground = ElementTree.Element("rect", {"width": "100%", "height": "100%", "style": "fill: var(--page)"})
    root[2:2] = [style, ground]
    return ElementTree.tostring(root, encoding="unicode") + "\n"


def words_of(svg: str) -> list[str]:
    """Return what a picture says, in order."""
    return [each.text or "" for each in ElementTree.fromstring(svg).iter() if each.tag.endswith("text")]


def _axes(height: float) -> Axes:
    """Return Axes as wide as the figures of reports: on a phone, their text is still legible."""
    return new_axes(None, height)


def _curves(ax: Axes, x: Sequence[float], curves: dict[str, Sequence[float]], **legend: object) -> None:
    """Draw lines of different colors and dashes, and name them."""
    for number, (name, y) in enumerate(curves.items()):
        ax.plot(x, y, color=figure_style.SERIES[number], linestyle=_LINES[number], linewidth=1.8, label=name)
    ax.legend(**{"handlelength": 3, "fontsize": 9} | legend)


def _scale(axis: Axis, ticks: dict[float, str]) -> None:
    """Name the ticks of a logarithmic scale in plain text."""
    from matplotlib.ticker import NullLocator

    axis.set_minor_locator(NullLocator())
    axis.set_ticks(list(ticks), labels=list(ticks.values()))


#: Means above this are written at the edge: recommenders counts every judged document as relevant.
_HIGHEST = 0.66
#: The width of a letter beside the width of the axis, in which names are placed.
_LETTER = 0.0125


@picture("The mean NDCG@10 of one run, as 36 tools compute it: 17 different values")
def one_run() -> Axes:
    """Every tool's number for one run: the picture of the README."""
    groups: dict[float, list[str]] = {}
    for name, mean in tool_means().items():
        groups.setdefault(round(mean, 9), []).append(TOOLS.get(name, name))
    ax = new_panels(7.2, 2.5)[1][0]
    low, high = min(groups) - 0.02, _HIGHEST
    rows: list[list[tuple[float, float]]] = []
    for mean, names in sorted(groups.items()):
        text = names[0] + (f" +{len(names) - 1}" if len(names) > 1 else "")
        place = (mean - low) / (high - low)
        if place > 1:
            note = f"{text}: {mean:.4f} \N{RIGHTWARDS ARROW}"
            ax.text(high, 3.1, note, ha="right", va="bottom", fontsize=8)
            continue
        half = (len(text) + 2) * _LETTER / 2
        middle = min(max(place, half), 1 - half)
        span = middle - half, middle + half
        row = next((r for r, taken in enumerate(rows) if all(span[1] < a or span[0] > b for a, b in taken)), len(rows))
        rows += [[]] if row == len(rows) else []
        rows[row].append(span)
        at = low + middle * (high - low)
        ax.plot([mean, at], [0, row + 1], color=figure_style.GRID, linewidth=0.7, zorder=1)
        ax.plot([mean], [0], "o", color=figure_style.SERIES[0], markersize=4 + min(4, len(names)), zorder=2)
        bold = "bold" if names[0] in ("trec_eval 9", "LightGBM") else "normal"
        ax.text(at, row + 1.1, text, ha="center", va="bottom", fontsize=8, fontweight=bold)
    ax.set(xlim=(low, high), ylim=(-0.6, len(rows) + 2), yticks=[], xlabel="mean NDCG@10 of one run over 50 queries")
    ax.spines["left"].set_visible(False)
    return ax


def tool_means() -> dict[str, float]:
    """Return the mean NDCG@10 of the drawn run of bm25 in every tool that gives one."""
    qrels, runs = ir.datasets.search_runs()
    tools = [name for name in CONVENTION_NAMES if name != "idealrank"]
    means = {name: ir.evaluate(qrels, runs["bm25"], "ndcg@10", like=name).mean["ndcg@10"] for name in tools}
    return {name: mean for name, mean in means.items() if mean == mean}


@picture("The steps from trec_eval's mean NDCG@10 of a run to LightGBM's, one choice at a time")
def waterfall() -> Axes:
    """From trec_eval to LightGBM on the drawn runs: the picture of the landing page."""
    qrels, runs = ir.datasets.search_runs()
    found = ir.explain(qrels, runs["bm25"], "ndcg@10", like=["trec_eval", "lightgbm"])
    return figures.waterfall(found.waterfalls[0])


@picture("Mean NDCG@10 of three systems, with 95% intervals")
def means() -> Axes:
    """The three drawn runs."""
    qrels, runs = ir.datasets.search_runs()
    return figures.means(ir.compare(qrels, runs, "ndcg@10", baseline="bm25", seed=0))


@picture("The difference of NDCG@10 from bm25 on every query, largest first")
def differences() -> Axes:
    """Query by query, against a baseline."""
    qrels, runs = ir.datasets.search_runs()
    two = {name: runs[name] for name in ("bm25", "hybrid")}
    return figures.differences(ir.compare(qrels, two, "ndcg@10", baseline="bm25", seed=0))


@picture("Share of judged documents by cutoff: the runs were not judged below rank 15")
def judged() -> Axes:
    """What a pool of depth 15 leaves unjudged."""
    qrels, runs = ir.datasets.search_runs()
    ax = _axes(2.6)
    depths = list(range(1, 21))
    found = ir.evaluate(qrels, runs, [f"judged@{k}" for k in depths])
    _curves(ax, depths, {name: [each.mean[f"judged@{k}"] for k in depths] for name, each in found.items()})
    ax.set(xlabel="cutoff k", ylabel="judged@k", xticks=[1, 5, 10, 15, 20])
    return ax


@picture("NDCG by cutoff of two recommenders")
def cutoffs() -> Axes:
    """The two systems of the page for recommenders, at other cutoffs."""
    rng = np.random.default_rng(0)
    taste, items = rng.normal(size=(200, 8)), rng.normal(size=(500, 8))
    liked = taste @ items.T + 2 * rng.normal(size=(200, 500)) > 6
    train = liked & (rng.random(liked.shape) < 0.7)
    held_out = csr_array((liked & ~train).astype(np.float64))
    scores = {"factors": taste @ items.T, "popular": np.broadcast_to(train.sum(axis=0), liked.shape)}
    systems = {name: np.where(train, -np.inf, each) for name, each in scores.items()}
    return figures.cutoff_curves(ir.evaluate(held_out, systems, over_cutoffs(["ndcg"])))


@picture("Weight of each rank under five discounts")
def discount_curves() -> Axes:
    """How much a rank counts."""
    ranks = np.arange(1.0, 21.0)
    named = {
        "linear": discounts.Linear(),
        "log": discounts.Log(),
        "power:0.5": discounts.Power(0.5),
        "zipf": discounts.Zipf(),
        "geometric:2": discounts.Geometric(2),
    }
    ax = _axes(2.8)
    curves = {name: each(ranks, 21) for name, each in named.items()}
    _curves(ax, ranks.tolist(), {name: (values / values[0]).tolist() for name, values in curves.items()})
    ax.set(xlabel="rank", ylabel="weight (first rank: 1)", xticks=[1, 5, 10, 15, 20])
    return ax


@picture("DCG of a ranking and of the ideal ranking: gains times discounts, rank by rank")
def dot_product() -> Axes:
    """NDCG is one sum divided by another."""
    labels, scores = np.array([1, 3, 0, 2, 0]), np.array([0.9, 0.7, 0.6, 0.4, 0.1])
    gains, weights = 2.0**labels - 1, 1 / np.log2(np.arange(2, 7))
    ax = _axes(2.6)
    for number, (name, ordered) in enumerate({"ranking": gains, "ideal ranking": np.sort(gains)[::-1]}.items()):
        products = ordered * weights
        places = np.arange(1, 6) + 0.38 * number - 0.19
        color = figure_style.SERIES[number]
        ax.bar(places, products, 0.36, color=color, label=f"{name}: DCG = {products.sum():.2f}")
        for place, value in zip(places, products, strict=True):
            ax.annotate(f"{value:.2f}", (place, value), (0, 2), textcoords="offset points", ha="center", fontsize=8)
    value = float(ir.ndcg(labels, scores)[0])
    ax.margins(y=0.15)
    ax.set(xlabel="rank", ylabel="gain x discount", title=f"labels 1, 3, 0, 2, 0 in order of score: NDCG = {value:.4f}")
    ax.legend(fontsize=9)
    return ax


@picture("The soft rank of a document as its score grows past those of four others, for two values of alpha")
def soft_ranks() -> Axes:
    """A step function and its smooth versions."""
    others = np.array([0.2, 0.4, 0.6, 0.8])
    places = np.linspace(0, 1, 101)
    curves = {f"alpha = {alpha}": 1 + _sigmoid(alpha * (others - places[:, None])).sum(axis=1) for alpha in (5, 20)}
    curves["the rank itself"] = 1 + (others > places[:, None]).sum(axis=1)
    ax = _axes(2.6)
    _curves(ax, places.tolist(), {name: values.tolist() for name, values in curves.items()})
    ax.invert_yaxis()
    ax.set(xlabel="score of the document (others: 0.2, 0.4, 0.6, 0.8)", ylabel="rank (1 is best)")
    return ax


def _sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


@picture("Loss per query of two documents of labels 1 and 0, as a function of the difference of their scores")
def pair_losses() -> Axes:
    """What four losses charge."""
    places = np.linspace(-3, 3, 61)
    ax = _axes(2.6)
    curves = {}
    for each in (losses.PairwiseLogistic(), losses.Hinge(), losses.ApproxNDCG(alpha=3.0), losses.CrossEntropy()):
        offsets = np.arange(0, 2 * len(places) + 1, 2)
        scores = np.stack([places / 2, -places / 2], axis=1).ravel()
        curves[str(each)] = each(np.tile([1.0, 0.0], len(places)), scores, offsets)[0].tolist()
    _curves(ax, places.tolist(), curves)
    ax.set(xlabel="score of the relevant document minus score of the other", ylabel="loss")
    return ax


@picture("Validation NDCG by iteration; a dashed line marks the best iteration")
def learning() -> Axes:
    """How a ranker learned, and which iteration was kept."""
    log = ir.datasets.web_search(n_queries=40, n_docs=100, n_features=12)
    train, validation = log.train.split([0.75, 0.25], seed=0)
    ranker = learners.ApproxNDCGRanker(normalize="minmax", continuation=False, max_iter=40)
    return learning_curve(ranker.fit(train, eval_set=validation))


@picture("The steps from LightGBM's mean NDCG@10 to trec_eval's")
def lightgbm_waterfall() -> Axes:
    """What LightGBM reports during training, and what a paper reports."""
    qrels, runs = ir.datasets.search_runs()
    found = ir.explain(qrels, runs["dense"], "ndcg@10", like=["lightgbm", "trec_eval"])
    return figures.waterfall(found.waterfalls[0])


@picture("Expected NDCG of a good and of a random ranker as lists grow, under two discounts")
def long_lists() -> Axes:
    """Standard NDCG goes to 1 for both; with a square root the gap stays."""
    lengths = np.geomspace(10, 1e6, 26)
    curves = {}
    for name, shown in (("ndcg", "ndcg"), ("ndcg(discount=power:0.5)", "power:0.5")):
        for ranker, curve in (("good", lambda s: 0.25 + 0.5 * s), ("random", lambda s: 0.5)):
            found = [theory.pseudo_expectation(name, curve, int(n)) for n in lengths]
            curves[f"{ranker} ranker, {shown}"] = found
    ax = _axes(3.2)
    ax.set_xscale("log")
    _curves(ax, lengths.tolist(), curves, loc="lower center", ncols=2, columnspacing=1)
    _scale(ax.xaxis, {10.0**k: f"{10**k:,}" for k in range(1, 7)})
    ax.set(xlabel="documents in the list", ylabel="expected NDCG", ylim=(0.55, 1), xlim=(8, 1.9e6))
    return ax


@picture("Expected NDCG lost by the minimum of three losses, as the labels (4, 1) become more likely than (0, 1)")
def regrets() -> Axes:
    """What an inconsistent loss costs, and where."""
    chances = np.linspace(0.01, 0.99, 99)
    mixtures = np.stack([1 - chances, chances], axis=1)
    labels = np.broadcast_to([[0.0, 1.0], [4.0, 1.0]], (len(chances), 2, 2))
    curves = {}
    for each in (losses.LeastSquares(), losses.CrossEntropy(), losses.CrossEntropy(normalizer="dcg")):
        scores = each.minimizer(mixtures, labels)
        curves[str(each)] = theory.regret(scores, mixtures, labels).tolist()
    ax = _axes(2.6)
    _curves(ax, chances.tolist(), curves)
    ax.set(xlabel="probability of the labels (4, 1); otherwise (0, 1)", ylabel="NDCG lost")
    return ax


@picture("Judgments and runs are joined by document id; labels and scores lie in the same order")
def two_kinds() -> Axes:
    """The two kinds of input, and the convention of each."""
    rows = [
        (
            "judgments\nand a run",
            "{q: {doc: label}}\n{q: {doc: score}}",
            "joined by query\nand document",
            "like\ntrec_eval",
        ),
        (
            "labels\nand scores",
            "[2, 0, 1, ...]\n[0.9, 0.8, 0.7, ...]",
            "same order,\nsplit by offsets",
            "like\nidealrank",
        ),
    ]
    return _boxes(rows, 2.0)


@picture("Each worker reads some row groups and returns exact sums; together they are one mean")
def workers() -> Axes:
    """How a mean is computed on several machines."""
    groups = ["worker 1:\nrow groups\n1 to 40", "worker 2:\nrow groups\n41 to 80"]
    rows = [(group, "one value\nper query", "exact sum") for group in groups]
    return _boxes(rows, 1.9, "one mean,\nrounded once")


def _boxes(rows: Sequence[Sequence[str]], height: float, end: str = "") -> Axes:
    """Draw rows of boxes, each with an arrow to the next, and all to one at the end."""
    ax = _axes(height)
    ax.set_axis_off()
    columns = [*zip(*rows, strict=True), *([(end,)] if end else [])]
    widths = np.array([max(len(line) for text in column for line in text.splitlines()) for column in columns])
    centers = np.cumsum(widths + 6) - widths / 2
    ax.set(xlim=(2, widths.sum() + 6 * len(columns) + 4), ylim=(len(rows) - 0.45, -0.55))

    def box(x: float, y: float, text: str) -> Text:
        look = {"boxstyle": "round,pad=0.4", "facecolor": "none", "edgecolor": figure_style.SERIES[0]}
        return ax.text(x, y, text, ha="center", va="center", fontsize=9, bbox=look)

    last = [box(centers[-1], (len(rows) - 1) / 2, end)] if end else []
    for y, row in enumerate(rows):
        boxes = [box(x, y, text) for x, text in zip(centers, row, strict=False)]
        for one, other in pairwise(boxes + last):
            ends = {"patchA": one.get_bbox_patch(), "patchB": other.get_bbox_patch(), "shrinkA": 3, "shrinkB": 3}
            arrow = {"arrowstyle": "->", "color": figure_style.NEUTRAL, **ends}
            ax.annotate("", other.get_position(), one.get_position(), arrowprops=arrow)
    return ax


@picture("Share of experiments with equal systems in which each test announces a difference, by number of topics")
def error_rates() -> Axes:
    """The first table of the page on tests."""
    rows = {}
    for line in _STATISTICS.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("|") and cells[0] in TESTS and cells[0] not in rows:
            rows[cells[0]] = [float(cell) for cell in cells[1:4]]
    ax = _axes(2.8)
    ax.axhspan(0.04, 0.06, color=figure_style.NEUTRAL, alpha=0.25, linewidth=0)
    ax.axhline(0.05, color=figure_style.NEUTRAL, linewidth=1)
    _curves(ax, [25, 50, 100], rows, loc="upper left")
    ax.set(xlabel="topics", ylabel="called different, though equal", xticks=[25, 50, 100], ylim=(0, 0.16))
    ax.yaxis.set_major_formatter(lambda share, _: f"{share:.0%}")
    return ax


@picture("NDCG@10 gained by the consistent cross entropy, by the number of training queries")
def consistency() -> Axes:
    """The last table of its section, without noise in the labels, with its intervals."""
    sizes = {"drawn": (10, 40, 160, 640), "MQ2008": (10, 40, 160, 471), "OHSUMED": (10, 40, 0, 63)}
    ax = _axes(3.0)
    ax.axhline(0, color=figure_style.NEUTRAL, linewidth=1)
    for line in _LOSSES.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip(" *") for cell in line.strip("|").split("|")]
        if cells[0] not in sizes or cells[2:3] != ["0%"]:
            continue
        is_linear = cells[1] == "linear"
        by_size = zip(sizes[cells[0]], cells[3:], strict=True)
        found = [(n, *map(float, re.findall(r"[-+][\d.]+", cell))) for n, cell in by_size if cell]
        n, mean, low, high = np.array(found).T
        color = figure_style.SERIES[list(sizes).index(cells[0])]
        n *= 0.97 if is_linear else 1.03  # side by side
        ax.errorbar(
            n, mean, (mean - low, high - mean), color=color, linestyle="-" if is_linear else "--", linewidth=1.8,
            elinewidth=1, label=f"{cells[0].replace('drawn', 'simulated')}, {cells[1]}",
        )  # fmt: skip
    ax.set_xscale("log")
    _scale(ax.xaxis, {n: str(n) for n in (10, 40, 160, 640)})
    ax.set(xlabel="training queries", ylabel="change of NDCG@10", ylim=(-0.08, 0.17))
    handles, labels = ax.get_legend_handles_labels()
    columns = [*range(0, len(labels), 2), *range(1, len(labels), 2)]  # linear, boosted
    ax.legend([handles[i] for i in columns], [labels[i] for i in columns], fontsize=9, ncols=2, loc="upper right")
    return ax


@picture("Number of claims of each paper that hold, are undecided or fail")
def verdicts() -> Axes:
    """What the page on experiments says."""
    found = {name: experiments.verdicts(text) for name, text in experiments.details().items() if text}
    shades = (figure_style.SERIES[0], figure_style.NEUTRAL, figure_style.SERIES[1], figure_style.SERIES[2])
    colors = dict(zip(experiments.VERDICTS, shades, strict=True))
    ax = _axes(2.0)
    for place, counts in enumerate(found.values()):
        left = 0
        for verdict, count in counts.items():
            ax.barh(place, count, 0.6, left=left, color=colors[verdict], label=verdict if place == 0 else None)
            left += count
        ax.text(
            left + 0.3, place, " + ".join(str(count) for count in counts.values() if count), va="center", fontsize=9
        )
    papers = [f"{name[:-4].title()} {name[-4:]}" for name in found]
    ax.set(yticks=range(len(found)), yticklabels=papers, xlabel="claims", xlim=(0, 30))
    ax.invert_yaxis()
    ax.legend(fontsize=9, loc="lower right")
    return ax


@picture("How many times as long other tools take, on a logarithmic scale")
def speed() -> Axes:
    """Ratios from the table of benchmarks."""
    wanted = {
        ("reading_letor", "XGBoost"): "LETOR text, XGBoost",
        ("reading_letor", "scikit-learn"): "LETOR text, scikit-learn",
        ("reading_run", "pytrec_eval"): "TREC run, pytrec_eval",
        ("ndcg_at_10", "NumPy, full sort"): "NDCG@10, dense NumPy",
        ("ndcg_at_10", "scikit-learn"): "NDCG@10, scikit-learn",
        ("evaluating_a_run", "pytrec_eval"): "run to result, pytrec_eval",
        ("randomization_test", "SciPy"): "randomization test, SciPy",
        ("approx_ndcg_of_short_lists", "NumPy, all pairs"): "ApproxNDCG, NumPy all pairs",
        ("torch_loss_and_backward", "PyTorch, all pairs"): "ApproxNDCG, PyTorch all pairs",
        ("rank_svm", "LinearSVC on explicit pairs"): "RankSVM, explicit pairs",
    }
    found: dict[str, tuple[float, float, float]] = {}
    for row in benchmark_rows():
        name = wanted.get((row["entry"], row["peer"]))
        if name is not None:
            found.setdefault(name, row["times as long"])
    ax = _axes(0.9 + 0.3 * len(found))
    found = dict(sorted(found.items(), key=lambda each: each[1], reverse=True))
    rows = np.arange(len(found))[::-1]
    for row, (median, low, high) in zip(rows, found.values(), strict=True):
        ax.barh(row, median, 0.55, color=figure_style.SERIES[0])
        for color, width in (("page", 3.2), ("ink", 1.4)):  # with an edge, it shows inside the bar and outside
            ax.plot([low, high], [row, row], "-", color=figure_style.COLOURS[color][0], linewidth=width)
        ax.annotate(f"{median:.3g}x", (high, row), (5, 0), textcoords="offset points", va="center")
    ax.set_xscale("log")
    _scale(ax.xaxis, {1: "1", 3: "3", 10: "10", 30: "30", 100: "100"})
    ax.set_yticks(rows, labels=list(found))
    ax.set(xlabel="times as long as idealrank\n(line: all rounds)", xlim=(1, 600))
    return ax


@picture("Seconds for ApproxNDCG and its gradient on one list, and for sorting it, by the length of the list")
def one_list() -> Axes:
    """Near-linear time, from the table of benchmarks."""
    found: dict[int, tuple[float, float]] = {}
    for row in benchmark_rows():
        if row["entry"] == "approx_ndcg_of_one_list":
            n = int(re.sub(r"\D", "", row["work"]))
            found[n] = row["ours"], row["theirs"]
    ax = _axes(2.6)
    ax.set(xscale="log", yscale="log", xlabel="documents in the list", ylabel="seconds")
    # Rows of few documents time several calls; only the longest three are of one call each.
    kept = {n: both for n, both in sorted(found.items()) if n >= 100_000}
    ours, theirs = zip(*kept.values(), strict=True)
    _curves(ax, list(kept), {"np.argsort, stable": theirs, "ApproxNDCG, value and gradient": ours})
    _scale(ax.xaxis, {10.0**k: f"{10**k:,}" for k in range(5, 8)})
    _scale(ax.yaxis, {0.01: "0.01", 0.1: "0.1", 1: "1"})
    return ax


def benchmark_rows() -> list[dict[str, object]]:
    """Return the rows of the table of benchmarks, with times in seconds and ratios as (median, smallest, largest)."""
    rows = []
    for line in _BENCHMARKS.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        ratio = re.match(r"(peer/ours|ours/peer) (\S+) \((\S+) to (\S+)\)$", cells[5]) if len(cells) == 9 else None
        if ratio is None:
            continue
        median, low, high = (float(each) for each in ratio.groups()[1:])
        times = (median, low, high) if ratio[1] == "peer/ours" else (1 / median, 1 / high, 1 / low)
        row = {"entry": cells[0], "work": cells[1], "peer": cells[3], "times as long": times}
        rows.append(row | {"ours": _seconds(cells[2]), "theirs": _seconds(cells[4])})
    return rows


def _seconds(text: str) -> float:
    value, unit = text.split(",")[0].split()[:2]
    return float(value) * {"s": 1.0, "ms": 1e-3, "us": 1e-6, "MB": 1.0}[unit]


def main(*names: str) -> None:
    """Write pictures, all of them by default."""
    FOLDER.mkdir(exist_ok=True)
    for name in names or PICTURES:
        (FOLDER / f"{name}.svg").write_text(drawn(name), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
