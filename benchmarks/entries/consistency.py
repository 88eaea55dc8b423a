"""Searching for counterexamples to the consistency of losses: 27,324 mixtures of labels and what lies beside them."""

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from benchmarks.runner import Comparison, Contestant, Mark, Setting, entry
from benchmarks.targets import AtLeast


def _own_loss(labels: Any, scores: Any, offsets: Any) -> tuple[list[float], list[float]]:
    """The pairwise logistic loss as a user may write it: one query, one pair at a time."""
    label, score = labels.tolist(), scores.tolist()
    values, gradient = [], [0.0] * len(score)
    for begin, end in pairwise(offsets.tolist()):
        value = 0.0
        for i in range(begin, end):
            for j in range(begin, end):
                if label[i] > label[j]:
                    cost = math.exp(min(score[j] - score[i], 700.0))
                    value += math.log1p(cost)
                    gradient[i] -= cost / (1 + cost)
                    gradient[j] += cost / (1 + cost)
        values.append(value)
    return values, gradient


def _search(loss: Any, setting: Setting) -> Any:
    from idealrank import theory

    return theory.check_consistency(loss, levels=(0, 1, 2, 3, 4) if setting.scale == 1 else (0, 1))


@entry
def consistency(setting: Setting) -> Iterator[Comparison]:
    for loss in ("cross_entropy", "pairwise_logistic", "hinge"):
        yield Comparison(
            f"check_consistency({loss!r})",
            Contestant("idealrank", lambda loss=loss: _search(loss, setting)),  # type: ignore[misc]
            [Mark("10 s", 10.0, AtLeast(1))],
        )
    yield Comparison(
        "check_consistency of a loss in plain Python",
        Contestant("idealrank", lambda: _search(_own_loss, setting)),
        [Mark("60 s", 60.0, AtLeast(1))],
    )
