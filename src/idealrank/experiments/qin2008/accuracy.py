"""Table 1 and Figures 1 to 3: how far smooth ranks and measures are from the true ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from idealrank._base.tables import Column, Table
from idealrank._base.threads import resolve_threads
from idealrank._typing import Floats
from idealrank.data.ranking import RankingData
from idealrank.experiments.qin2008.protocol import Protocol
from idealrank.experiments.results import Claim
from idealrank.learners.linear.objective import Objective
from idealrank.learners.linear.optimizers import sgd
from idealrank.learners.linear.parts import Part
from idealrank.learners.trace import Trace
from idealrank.losses import ApproxAP, ApproxNDCG
from idealrank.losses.direct import Approximation
from idealrank.measures.ranks import soft_positions
from idealrank.theory import approximation_error

__all__ = ["Errors", "errors_in_training", "of_errors", "of_table_1", "table_1"]

_SCORES = [4.20074, 3.12378, 4.40918, 1.55258, 4.13330]
_SOFT = [2.00118, 4.00000, 1.00000, 5.00000, 2.99882]


def table_1() -> Table:
    """Soft ranks of the paper's five documents, beside the printed ones."""
    found = soft_positions(_SCORES, alpha=100.0).tolist()
    ranks = [1 + sum(other > score for other in _SCORES) for score in _SCORES]
    names = ("document", "score", "rank", "soft rank, alpha = 100", "published")
    columns = [Column(name, spec) for name, spec in zip(names, ("", ".5f", "", ".5f", ".5f"), strict=True)]
    documents = [f"x{number}" for number in range(1, 6)]
    return Table(columns, [list(row) for row in zip(documents, _SCORES, ranks, found, _SOFT, strict=True)])


def of_table_1() -> Claim:
    """Whether the printed soft ranks are right."""
    off = float(np.abs(soft_positions(_SCORES, alpha=100.0) - _SOFT).max())
    return Claim("Table 1", "soft ranks of five documents", f"off by {off:.1e} at most", off < 1e-5)


@dataclass(frozen=True)
class Errors:
    """rho = mean over queries of |smooth - true|, after each epoch of Algorithm 1, by what was varied.

    >>> Errors("ndcg", {"alpha = 10": np.array([0.3, 0.04, 0.02]), "alpha = 100": np.array([0.3, 0.01, 0.0])}).means
    {'alpha = 10': 0.03, 'alpha = 100': 0.005}
    """

    measure: str
    curves: Mapping[str, Floats]

    @property
    def means(self) -> dict[str, float]:
        """The mean of each curve over all epochs, without what was before the first."""
        return {setting: float(curve[1:].mean()) for setting, curve in self.curves.items()}


def errors_in_training(train: RankingData, protocol: Protocol) -> dict[str, Errors]:
    """{figure: its errors}, of features as they are: AP by alpha, AP by beta, NDCG by alpha."""
    from joblib import Parallel, delayed

    lines: dict[str, dict[str, Approximation]] = {
        "figure1": {f"alpha = {alpha}": ApproxAP(alpha=alpha, beta=10) for alpha in (10, 50, 100)},
        "figure2": {f"beta = {beta}": ApproxAP(alpha=100, beta=beta) for beta in (1, 10, 100)},
        "figure3": {f"alpha = {alpha}": ApproxNDCG(alpha=alpha) for alpha in (10, 50, 100)},
    }
    losses = list(dict.fromkeys(loss for own in lines.values() for loss in own.values()))
    found = Parallel(n_jobs=resolve_threads(None))(delayed(_rho)(train, loss, protocol) for loss in losses)
    rho = dict(zip(losses, found, strict=True))
    return {
        figure: Errors(str(next(iter(own.values())).target()), {name: rho[loss] for name, loss in own.items()})
        for figure, own in lines.items()
    }


def _rho(train: RankingData, loss: Approximation, protocol: Protocol) -> Floats:
    """The error of the loss on its own training queries, before the first epoch and after each."""
    part, start = Part.of(train, n_threads=1), np.zeros(train.n_features + 1)
    lists = part.lists

    def rho(parameters: Floats) -> float:
        scores = part.features.scores(parameters[:-1])
        return float(approximation_error(lists.labels, scores, lists.offsets, loss).actual.mean())

    trace = Trace(start, rho, None)
    sgd(Objective(part, loss), start, trace, protocol.epochs, protocol.rate, protocol.seed)
    return np.array([each["validation"] for each in trace.history])


def of_errors(errors: Mapping[str, Mapping[str, Errors]]) -> Iterator[Claim]:
    """What Section 6.2 says of the figures, for each collection."""
    for name, own in errors.items():
        by_alpha, by_beta, of_ndcg = ([*own[f"figure{number}"].means.values()] for number in (1, 2, 3))
        says = "AP: more than 95% accurate for all alphas, more than 98% for alpha = 100"
        yield Claim("Figure 1", says, _told(name, own["figure1"]), max(by_alpha) < 0.05 and by_alpha[-1] < 0.02)
        says = "AP: the larger beta, the more accurate"
        yield Claim("Figure 2", says, _told(name, own["figure2"]), _falls(by_beta))
        says = "NDCG@n: the larger alpha, the more accurate"
        yield Claim("Figure 3", says, _told(name, own["figure3"]), _falls(of_ndcg))


def _falls(values: Sequence[float]) -> bool:
    """Whether they fall, or rise by what cannot be seen in a figure."""
    return all(after <= before + 0.001 for before, after in pairwise(values))


def _told(name: str, errors: Errors) -> str:
    return f"{name}: mean rho " + ", ".join(f"{mean:.4f} for {setting}" for setting, mean in errors.means.items())
