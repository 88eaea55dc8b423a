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
from idealrank.comparison.published import Tried, explained, tried_settings
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


#: The data sets to draw from: their means with all settings are computed once.
_SETS = 25


@functools.cache
def data(at: int, n: int = 30) -> tuple[np.ndarray, np.ndarray, dict[str, Any]]:
    """Labels, scores (some of them equal) and layout of queries drawn from a population."""
    drawn = pool().sample(np.random.default_rng(at), n)
    labels, scores = drawn.inputs
    return labels, scores["s0"].round(1), {"offsets": drawn.offsets}


def _mean(at: int, measure: Any, like: str) -> float:
    labels, scores, layout = data(at)
    (mean,) = ir.evaluate(labels, scores, measure, like=like, **layout).mean.values()
    return float(mean)


@functools.cache
def _tried(at: int, measure: str) -> Tried:
    labels, scores, layout = data(at)
    return tried_settings(ir.from_arrays(labels, **layout), scores, ir.measure(measure))


def explanation(at: int, measure: str, published: str) -> PublishedExplanation:
    """Return what `idealrank.explain` says; a test compares them."""
    return explained(published, _tried(at, measure))


def _random_number(rng: np.random.Generator, decimals: int) -> PublishedExplanation:
    """What is said of a number near the true mean that no setting was chosen for."""
    at, measure = int(rng.integers(_SETS)), str(rng.choice(_MEASURES))
    number = _mean(at, measure, "idealrank") * rng.uniform(0.8, 1.2)
    return explanation(at, measure, f"{min(number, 0.9999):.{decimals}f}")


def _kind(result: PublishedExplanation) -> str:
    return result.page().findings[0].kind


def _chance_number_explained(rng: np.random.Generator, decimals: int = 4) -> bool | None:
    kind = _kind(_random_number(rng, decimals))
    return None if kind == "published number repeated" else kind == "published number explained"


def _chance_number_within_its_share(rng: np.random.Generator) -> bool:
    """A number that is nobody's: an explanation with a share of 20% or less may be found for 20% of them."""
    result = _random_number(rng, 3)
    return result.best is not None and result.best.chance <= 0.2


def _planted(rng: np.random.Generator, n_changes: int) -> bool | None:
    """A number that was made with other settings: the statement is false if it names settings with another mean."""
    at, measure = int(rng.integers(_SETS)), ir.measure(str(rng.choice(_MEASURES)))
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
    planted = _mean(at, changed, like)
    if math.isnan(planted) or abs(planted - _mean(at, measure, "idealrank")) < 1e-4:
        return None
    result = explanation(at, str(measure), f"{planted:.4f}")
    if _kind(result) != "published number explained":
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


@functools.cache
def _preset(name: str, seed: int) -> tuple[Callable[..., float], Identification]:
    """A function that computes the NDCG of a preset, and what is said of it."""
    measure = ir.measure("ndcg")

    def ndcg(labels: Sequence[float], scores: Sequence[float], k: int) -> float:
        one_list = [float(label) for label in labels]
        (value,) = ir.evaluate(one_list, scores, measure @ k, like=name).per_query.values()
        return float(value[0])

    return ndcg, ir.identify(ndcg, seed=seed)


def _preset_wrongly(rng: np.random.Generator) -> bool | None:
    function, result = _preset(str(rng.choice(CONVENTION_NAMES)), int(rng.integers(10)))
    lists = _new_lists(rng)
    if not result.presets:
        return None
    return not all(_agrees(function, ir.measure("ndcg"), each, lists, 1e-6) for each in result.presets)


def _preset_missed(rng: np.random.Generator) -> bool | None:
    name = str(rng.choice(CONVENTION_NAMES))
    _, result = _preset(name, int(rng.integers(10)))
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
