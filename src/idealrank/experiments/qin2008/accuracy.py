"""Table 1 and Figures 1 to 3: the errors of smooth ranks and measures."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from idealrank._present.table import Column, Table
from idealrank._typing import Floats
from idealrank.data.ranking import RankingData
from idealrank.experiments.claims import Claim, Finding, all_of, compared, difference
from idealrank.experiments.qin2008.protocol import NORMALIZE, Protocol
from idealrank.learners.iterative import Trace
from idealrank.learners.linear.objective import LinearObjective
from idealrank.learners.linear.optimizers import sgd
from idealrank.learners.linear.query_blocks import QueryBlock
from idealrank.losses import ApproxAP, ApproxNDCG
from idealrank.losses.direct import Approximation
from idealrank.measures.ranks import soft_positions
from idealrank.theory import approximation_error

__all__ = ["Errors", "errors_in_training", "of_errors", "of_table_1", "table_1"]

_SCORES = [4.20074, 3.12378, 4.40918, 1.55258, 4.13330]
_SOFT = [2.00118, 4.00000, 1.00000, 5.00000, 2.99882]


def table_1() -> Table:
    """Return the soft ranks of the paper's five documents, beside the printed ones."""
    found = soft_positions(_SCORES, alpha=100.0).tolist()
    ranks = [1 + sum(other > score for other in _SCORES) for score in _SCORES]
    specs = {"document": "", "score": ".5f", "rank": "", "soft rank, alpha = 100": ".5f", "published": ".5f"}
    columns = [Column(*each) for each in specs.items()]
    documents = [f"x{number}" for number in range(1, 6)]
    return Table(columns, [list(row) for row in zip(documents, _SCORES, ranks, found, _SOFT, strict=True)])


def of_table_1() -> Claim:
    """Return whether the printed soft ranks are right."""
    off = float(np.abs(soft_positions(_SCORES, alpha=100.0) - _SOFT).max())
    return Claim.exact("Table 1", "soft ranks of five documents", f"off by at most {off:.1e}", off < 1e-5)


@dataclass(frozen=True)
class Errors:
    """|smooth - true| of each query, before the first epoch of Algorithm 1 and after each.

    Parameters
    ----------
    measure : str
        The measure.
    by_setting : mapping of str to float64 array
        Errors of shape (1 + epochs, queries).

    Examples
    --------
    >>> errors = Errors("ndcg", {"alpha = 10": np.array([[0.3, 0.5], [0.02, 0.06], [0.01, 0.03]])})
    >>> errors.means, errors.of_queries("alpha = 10")
    ({'alpha = 10': 0.03}, array([0.015, 0.045]))
    """

    measure: str
    by_setting: Mapping[str, Floats]

    @property
    def curves(self) -> dict[str, Floats]:
        """rho, the mean over queries, by epoch."""
        return {setting: errors.mean(axis=1) for setting, errors in self.by_setting.items()}

    @property
    def means(self) -> dict[str, float]:
        """The mean of rho over all epochs, without the value before the first."""
        return {setting: float(curve[1:].mean()) for setting, curve in self.curves.items()}

    def of_queries(self, setting: str) -> Floats:
        """Return the mean error of each query over all epochs, without the one before the first."""
        return np.asarray(self.by_setting[setting][1:].mean(axis=0))


def errors_in_training(train: RankingData, protocol: Protocol) -> dict[str, Errors]:
    """Return {figure: its errors} with the features of the reference: AP by alpha, AP by beta, NDCG by alpha."""
    lines: dict[str, dict[str, Approximation]] = {
        "figure1": {f"alpha = {alpha}": ApproxAP(alpha=alpha, beta=10) for alpha in (10, 50, 100)},
        "figure2": {f"beta = {beta}": ApproxAP(alpha=100, beta=beta) for beta in (1, 10, 100)},
        "figure3": {f"alpha = {alpha}": ApproxNDCG(alpha=alpha) for alpha in (10, 50, 100)},
    }
    losses = list(dict.fromkeys(loss for own in lines.values() for loss in own.values()))
    found = {loss: _errors(train, loss, protocol) for loss in losses}
    return {
        figure: Errors(str(next(iter(own.values())).target()), {name: found[loss] for name, loss in own.items()})
        for figure, own in lines.items()
    }


def _errors(train: RankingData, loss: Approximation, protocol: Protocol) -> Floats:
    """The errors of the loss on its training queries, before the first epoch and after each: means over seeds."""
    normalize = NORMALIZE[protocol.choices.reference["features"]]
    part, start = QueryBlock.of(train, normalize, n_threads=1), np.zeros(train.n_features + 1)
    lists, found = part.lists, []

    def rho(parameters: Floats) -> float:
        scores = part.features.scores(parameters[:-1])
        found.append(approximation_error(lists.labels, scores, lists.offsets, loss).actual)
        return float(found[-1].mean())

    for seed in protocol.seeds:
        sgd(LinearObjective(part, loss), start, Trace(start, rho, None), protocol.epochs, protocol.rate, seed)
    return np.asarray(np.mean(np.split(np.array(found), protocol.n_seeds), axis=0))


def of_errors(errors: Mapping[str, Mapping[str, Errors]], seed: int) -> Iterator[Claim]:
    """Yield the claims of Section 6.2 about the figures, for each collection."""
    for name, own in errors.items():
        first = own["figure1"]
        limits = {setting: 0.02 if setting == "alpha = 100" else 0.05 for setting in first.by_setting}
        outcomes = [difference(first.of_queries(setting), seed).below(most) for setting, most in limits.items()]
        says = f"AP: more than 95% accurate for all alphas, more than 98% for alpha = 100{_elsewhere('TD2004', name)}"
        yield Claim(f"Figure 1, {name}", says, (Finding(all_of(*outcomes), _told(first)),))
        for number, says in (
            (2, f"AP: the larger beta, the more accurate{_elsewhere('TD2004', name)}"),
            (3, f"NDCG@n: the larger alpha, the more accurate{_elsewhere('OHSUMED', name)}"),
        ):
            figure = own[f"figure{number}"]
            pairs = itertools.pairwise(map(figure.of_queries, figure.by_setting))
            changes = [compared(after, before, seed) for before, after in pairs]
            seen = f"{_told(figure)}; changes by {' and '.join(map(str, changes))}"
            yield Claim(f"Figure {number}, {name}", says, (Finding(all_of(*(each.below() for each in changes)), seen),))


def _elsewhere(published: str, name: str) -> str:
    """The collection of the paper, if it is another one."""
    return "" if published.lower() in name.lower() else f" (paper: {published})"


def _told(errors: Errors) -> str:
    """The means in words."""
    return "mean rho " + ", ".join(f"{mean:.4f} for {setting}" for setting, mean in errors.means.items())
