"""Losses x data sets: test NDCG@10 of linear rankers, or of boosted trees, by the loss that they minimize.

From the root of the repository: ``python -m benchmarks.worth losses linear FOLDER...``, or ``losses trees FOLDER...``,
with the folders of ``python -m benchmarks.worth trees``. For each loss, a linear ranker has the scaling (none or
z-scores within queries), the penalty (0 or 1) and the iteration of L-BFGS or Adam, of at most 50, that are
best on the validation queries; trees are those of `BoostedRanker`, with a learning rate of 0.05, at most 400, and their
number is chosen on the same queries. The rivals are those of the other two modules. The test queries are measured once.
An interval is over test queries.
"""

import argparse
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np

import idealrank as ir
from benchmarks.worth import linear, trees
from benchmarks.worth.trees import Contestant, test_values, with_interval
from idealrank._typing import Floats

__all__ = ["main"]

_LOSSES = (
    "smoothed_lambda_rank",
    "lambda_rank",
    "pairwise_logistic",
    "hinge",
    "softmax",
    "cross_entropy",
    "cross_entropy(normalizer=dcg)",
    "q_norm",
    "list_mle",
    "least_squares(gain=linear)",
    "least_squares(normalizer=dcg)",
    "approx_ndcg",
)
_PENALTIES = (0.0, 1.0)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a table in Markdown, with a row per loss or rival, best first."""
    parser = argparse.ArgumentParser("python -m benchmarks.worth losses", description=__doc__)
    parser.add_argument("family", choices=_FAMILIES, help="which rankers")
    parser.add_argument("folders", type=Path, nargs="+", help="where the data sets are")
    parser.add_argument("--losses", nargs="*", default=_LOSSES, help="some losses (those of the table)")
    options = parser.parse_args(arguments)
    contestants, baseline = _FAMILIES[options.family](options.losses)
    print(table({folder.name: test_values(folder, contestants, 1) for folder in options.folders}, baseline))
    return 0


def table(found: Mapping[str, Mapping[str, Floats]], baseline: str) -> str:
    """Return the means of each contestant on each data set, and the mean difference from the baseline.

    >>> found = {"one": np.array([[0.5, 0.3]]), "other": np.array([[0.5, 0.7]])}
    >>> print(table({"some": found, "more": {"one": found["other"], "other": found["other"]}}, "one"))
    |  | some | more | minus one |
    | --- | ---: | ---: | --- |
    | other | **0.6000** | **0.6000** | +0.1000 (-0.0960 to +0.2960) |
    | one | 0.4000 | **0.6000** |  |
    """
    names = sorted(next(iter(found.values())), key=lambda name: -np.mean([own[name].mean() for own in found.values()]))
    best = {data: max(float(each.mean()) for each in own.values()) for data, own in found.items()}
    lines = [f"|  | {' | '.join(found)} | minus {baseline} |", f"| --- |{' ---: |' * len(found)} --- |"]
    for name in names:
        values = {data: float(own[name].mean()) for data, own in found.items()}
        means = [f"**{each:.4f}**" if each == best[data] else f"{each:.4f}" for data, each in values.items()]
        gap = with_interval(*(own[name] - own[baseline] for own in found.values())) if name != baseline else ""
        lines.append(f"| {name} | {' | '.join(means)} | {gap} |")
    return "\n".join(lines)


def _linear(losses: Sequence[str]) -> tuple[dict[str, Contestant], str]:
    """Return the rivals, ours and the losses, and the one to compare with."""
    rivals = {name: linear.RIVALS[name] for name in ("ridge", "linear trees")}
    ours: dict[str, linear.Contestant] = {each: partial(linear.tuned, each, _PENALTIES) for each in losses}
    every = {**rivals, "LinearRanker()": linear.default, **ours}
    return {name: _of_parts(each) for name, each in every.items()}, "ridge"


def _of_parts(contestant: linear.Contestant) -> Contestant:
    def scores(train: ir.RankingData, validation: ir.RankingData, test: ir.RankingData, _: int) -> Floats:
        return contestant(linear.Parts(train, validation, test))

    return scores


def _trees(losses: Sequence[str]) -> tuple[dict[str, Contestant], str]:
    ours = {"BoostedRanker()": trees.ours(), **{each: trees.ours(loss=each) for each in losses}}
    return {**trees.RIVALS, **ours}, "LightGBM lambdarank"


_FAMILIES: Mapping[str, Callable[[Sequence[str]], tuple[dict[str, Contestant], str]]] = {
    "linear": _linear,
    "trees": _trees,
}
