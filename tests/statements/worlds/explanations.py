"""`explain`, `identify`, and the verdicts of experiments."""

import dataclasses
import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from black_boxes import by_score, exp_gain, letor_dcg, log_dcg, made, power_dcg, zipf_dcg
from statements.data import pool
from statements.world import Kind, World, at_most

import idealrank as ir
from idealrank.experiments.claims import Claim, Finding, compared
from idealrank.experiments.reproduction import Reproduction
from idealrank.measures.conventions import CONVENTION_NAMES
from idealrank.results import Identification, PublishedExplanation

__all__ = ["KINDS", "WORLDS"]

KINDS = {
    "effects of choices": Kind(
        "trec_eval gives 0.40 and ranx 0.42: one choice makes a difference, equal scores (+0.02).",
        certain="differences of computed means",
    ),
    "published number explained": Kind(
        "0.3013 is ap(rel=2) like trec_eval (relevant from: label 1 -> label 2); yours is 0.3773."
    ),
    "published number possibly explained": Kind(
        "0.30 could be ap(rel=2), but settings as plausible give 20% of all numbers nearby: this may be chance."
    ),
    "published number repeated": Kind(
        "0.3773 is ap like trec_eval: nothing differs.", certain="a computed mean, rounded"
    ),
    "published number not explained": Kind("None of 918 settings gives 0.3013.", certain="computed means, rounded"),
    "identified": Kind("f(labels, scores) is identified. In idealrank, it is ndcg(ties=stable,gain=exp2)."),
    "partly identified": Kind(
        "As far as identified, it is ndcg(gain=linear): 20 of 24 random lists agree.",
        certain="counts of agreeing lists",
    ),
    "agrees with a preset": Kind("It agrees with like='trec_eval' on everything that was tried."),
    "agrees with no preset": Kind("No preset matches."),
    "defect": Kind("Defect: the ideal DCG is not cut at k."),
    "claims of a paper": Kind("Of 14 claims, 12 hold and 2 fail."),
}

_MEASURES = ("ap", "ndcg@10", "ndcg", "p@10", "rr", "recall@5")
#: Settings that people publish with: a change of the measure, or a tool.
_TOOLS = ("sklearn", "lightgbm", "ranx", "letor3", "gdeval", "rax", "recommenders")
_OPTIONS = {
    "rel": (2, 3),
    "cutoff": (1, 3, 5, 10, 20),
    "gain": ("linear", "exp2", "binary:2"),
    "discount": ("letor", "zipf"),
    "empty": ("skip", 1),
    "ties": ("stable", "average"),
}


def _data(rng: np.random.Generator, n: int = 30) -> tuple[np.ndarray, np.ndarray, dict[str, Any]]:
    """Labels, scores (some of them equal) and layout of queries drawn from a population."""
    drawn = pool().sample(rng, n)
    labels, scores = drawn.inputs
    return labels, scores["s0"].round(1), {"offsets": drawn.offsets}


def _mean(data: Sequence[Any], measure: Any, like: str) -> float:
    labels, scores, layout = data
    (mean,) = ir.evaluate(labels, scores, measure, like=like, **layout).mean.values()
    return float(mean)


def _explained(data: Sequence[Any], measure: str, published: str) -> tuple[str, PublishedExplanation]:
    labels, scores, layout = data
    result = ir.explain(labels, scores, measure, published=published, **layout)
    return result.page().findings[0].kind, result


def _random_number(rng: np.random.Generator, decimals: int) -> tuple[str, PublishedExplanation]:
    """What is said of a number near the true mean that no setting was chosen for."""
    data, measure = _data(rng), str(rng.choice(_MEASURES))
    number = _mean(data, measure, "idealrank") * rng.uniform(0.8, 1.2)
    return _explained(data, measure, f"{min(number, 0.9999):.{decimals}f}")


def _chance_number_explained(rng: np.random.Generator, decimals: int = 4) -> bool | None:
    kind, _ = _random_number(rng, decimals)
    return None if kind == "published number repeated" else kind == "published number explained"


def _chance_number_within_its_share(rng: np.random.Generator) -> bool:
    """A number that is nobody's: an explanation with a share of 20% or less may be found for 20% of them."""
    _, result = _random_number(rng, 3)
    return result.best is not None and result.best.chance <= 0.2


def _planted(rng: np.random.Generator, n_changes: int) -> bool | None:
    """A number that was made with other settings: the statement is false if it names settings with another mean."""
    data, measure = _data(rng), ir.measure(str(rng.choice(_MEASURES)))
    like, changed = "idealrank", measure
    change: dict[str, Any]
    options = [name for name in _OPTIONS if name in measure.options()]
    chosen = rng.choice(["like", *options], size=n_changes, replace=False)
    for name in chosen.tolist():
        if name == "like":
            like = str(rng.choice(_TOOLS))
        else:
            values = _OPTIONS[name]
            change = {name: values[rng.integers(len(values))]}
            changed = dataclasses.replace(changed, **change)
    planted = _mean(data, changed, like)
    if math.isnan(planted) or abs(planted - _mean(data, measure, "idealrank")) < 1e-4:
        return None
    kind, result = _explained(data, str(measure), f"{planted:.4f}")
    if kind != "published number explained":
        return None
    assert result.best is not None
    return abs(result.best.value - planted) > 1e-9


def _made(rng: np.random.Generator) -> Callable[..., float]:
    """A function of labels, scores and k whose choices are drawn at random."""

    def reversed_ties(labels: Sequence[float], scores: Sequence[float]) -> list[float]:
        return by_score(labels[::-1], scores[::-1])

    def binary(label: float) -> float:
        return float(label >= 1)

    pick = rng.integers
    return made(
        gain=(float, exp_gain, binary)[pick(3)],
        dcg=(log_dcg, letor_dcg, zipf_dcg, power_dcg)[pick(4)],
        empty=(0.0, 1.0, math.nan)[pick(3)],
        order=(by_score, reversed_ties)[pick(2)],
        finish=(float, lambda value: round(value, 5))[pick(2)],
    )


def _new_lists(rng: np.random.Generator, n: int = 12) -> list[tuple[list[float], list[float], int]]:
    """Lists on which nothing was tried before: longer, with ties, some without relevant documents."""
    lists = []
    for _ in range(n):
        size = int(rng.integers(1, 60))
        labels = rng.integers(0, 5, size) * (rng.random(size) < rng.choice([0.0, 0.2, 0.8]))
        lists.append((labels.astype(float).tolist(), rng.normal(size=size).round(1).tolist(), int(rng.integers(1, 20))))
    return lists


def _agrees(function: Callable[..., float], measure: Any, like: str, lists: Sequence[Any], tolerance: float) -> bool:
    """Whether a measure computes what the function does."""
    for labels, scores, k in lists:
        (own,) = ir.evaluate(labels, scores, measure @ k, like=like).per_query.values()
        if not np.allclose(own, function(labels, scores, k), rtol=0, atol=tolerance, equal_nan=True):
            return False
    return True


def _identified(rng: np.random.Generator) -> tuple[Callable[..., float], Identification]:
    function = _made(rng)
    return function, ir.identify(function)


def _identified_wrongly(rng: np.random.Generator) -> bool | None:
    function, result = _identified(rng)
    if result.measure is None or result.status != "identified":
        return None
    return not _agrees(function, ir.measure(result.measure), "idealrank", _new_lists(rng), 1e-4)


def _not_identified(rng: np.random.Generator) -> bool:
    return _identified(rng)[1].status != "identified"


def _defect_of_none(rng: np.random.Generator) -> bool:
    """The functions have no defect; a gain that is binary is named as one, and truly so."""
    function, result = _identified(rng)
    is_binary = function([1.0, 2.0], [2.0, 1.0], 1) == 1
    return any(not (is_binary and "binarized" in str(each)) for each in result.defects)


def _preset(rng: np.random.Generator) -> tuple[str, Callable[..., float]]:
    """A preset, and a function that computes its NDCG."""
    name = str(rng.choice(CONVENTION_NAMES))
    measure = ir.measure("ndcg")

    def ndcg(labels: Sequence[float], scores: Sequence[float], k: int) -> float:
        one_list = [float(label) for label in labels]
        (value,) = ir.evaluate(one_list, scores, measure @ k, like=name).per_query.values()
        return float(value[0])

    return name, ndcg


def _preset_wrongly(rng: np.random.Generator) -> bool | None:
    _, function = _preset(rng)
    result = ir.identify(function)
    lists = _new_lists(rng)
    if not result.presets:
        return None
    return not all(_agrees(function, ir.measure("ndcg"), each, lists, 1e-6) for each in result.presets)


def _preset_missed(rng: np.random.Generator) -> bool | None:
    name, function = _preset(rng)
    result = ir.identify(function)
    return None if name == "recommenders" else not result.presets  # it is 1 for every list without unjudged documents


def _claim_of_equal_systems(rng: np.random.Generator) -> bool:
    """The claim that one of two equal systems is better: it is said to hold, or to fail."""
    drawn = pool().sample(rng, 50).relabeled(rng)
    labels, scores = drawn.inputs
    a, b = (ir.ndcg(labels, own, drawn.offsets) for own in scores.values())
    claim = Claim("Table 1", "a is better", (Finding(compared(a, b).above(), ""),))
    return "undecided" not in Reproduction((claim,), {}, {}).page().findings[0]


WORLDS = [
    World(
        "published number explained", "numbers at random, 4 decimals", _chance_number_explained, at_most(0.05), quick=12
    ),
    World(
        "published number explained",
        "numbers at random, 2 decimals",
        functools.partial(_chance_number_explained, decimals=2),
        at_most(0.05),
        quick=12,
    ),
    World(
        "published number explained",
        "numbers of one other setting",
        functools.partial(_planted, n_changes=1),
        at_most(0.05),
        quick=12,
    ),
    World(
        "published number explained",
        "numbers of two other settings",
        functools.partial(_planted, n_changes=2),
        at_most(0.05),
        quick=12,
    ),
    World(
        "published number possibly explained",
        "numbers at random, a share of 20% or less",
        _chance_number_within_its_share,
        at_most(0.2),
        quick=12,
    ),
    World("identified", "functions of random choices compute the same", _identified_wrongly, at_most(0.01), quick=12),
    World("identified", "functions of random choices are identified", _not_identified, at_most(0.01), quick=12),
    World("agrees with a preset", "presets on new lists", _preset_wrongly, at_most(0.01), quick=12),
    World("agrees with no preset", "functions of presets", _preset_missed, at_most(0.01), quick=12),
    World("defect", "functions of random choices have none", _defect_of_none, at_most(0.01), quick=12),
    World("claims of a paper", "equal systems, 50 queries", _claim_of_equal_systems, at_most(0.05)),
]
