"""Whether several losses are consistent with a measure, with a counterexample for each that is not."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from idealrank._core.checks import check_callback, items_of
from idealrank._present.json_values import Plain, plain
from idealrank._present.page import OnDemand, Page, Section, Statement, listed
from idealrank._present.result import Result
from idealrank._present.table import Table, stacked
from idealrank.errors import OptionError
from idealrank.measures.cutoffs import CutoffLike
from idealrank.measures.discounts import DiscountLike
from idealrank.measures.gains import GainLike
from idealrank.theory.consistency.checking import Consistency, check_consistency
from idealrank.theory.consistency.impossible import no_convex_loss
from idealrank.theory.consistency.minimizers import LossFunction, loss_function, loss_name
from idealrank.theory.consistency.orders import MeasureFunction, name_of


@dataclass(frozen=True)
class ConsistencyOfLosses(Result):
    """The result of `check_losses`.

    Parameters
    ----------
    losses : tuple of Consistency
        One per loss.
    measure : str, Measure, callable or None
        The measure, as given; None means NDCG.

    Examples
    --------
    >>> from idealrank.theory import check_losses
    >>> found = check_losses(["cosine", "cross_entropy(normalizer=dcg)"], levels=(0, 1, 2), refine=False)
    >>> [each.answer for each in found.losses]
    ['no', 'yes']
    """

    losses: tuple[Consistency, ...]
    measure: str | MeasureFunction | None = None

    def to_dict(self) -> dict[str, Plain]:
        """Return the measure, and what was found about each loss."""
        return {"measure": self.losses[0].measure, "losses": plain(self.losses)}

    def tables(self) -> Mapping[str, Table]:
        """Return the table "search": a row per loss."""
        return {"search": stacked([each.table() for each in self.losses])}

    def page(self) -> Page:
        """Return which losses are consistent, and the counterexamples."""
        refuted = [each for each in self.losses if each.counterexample is not None]
        return Page(
            "Consistency of losses",
            findings=(Statement("consistency of a loss", self._finding()),),
            summary=(self._overview(), *(part for each in refuted for part in each.counterexample_sections())),
            reading=self._reading(),
            reasons=self._reasons(),
            sections=lambda: [
                Section("Losses", tables={"Losses": self.table()}),
                *(Section(each.loss, parts=each.counterexample_sections()) for each in refuted),
            ],
        )

    def _finding(self) -> str:
        """Return which losses are consistent."""
        measured = self.losses[0].measured
        answers: dict[str, list[str]] = {}
        for each in self.losses:
            answers.setdefault(each.answer, []).append(each.loss)
        texts = {"yes": "consistent", "no": "not consistent"}
        known = [f"{_are(names)} {text}" for answer, text in texts.items() if (names := answers.get(answer))]
        sentences = [f"{'; '.join([f'{known[0]} with {measured}', *known[1:]])}."] if known else []
        if names := answers.get("not refuted"):
            sentences.append(f"No counterexample was found to the consistency of {listed(names)} with {measured}.")
        if names := answers.get("undecided"):
            sentences.append(f"It is undecided whether {_are(names)} consistent with {measured}.")
        return " ".join(sentences)

    def _overview(self) -> Section:
        """Return the table without the examples, which are too long for it."""
        table = self.table()
        places = [place for place, name in enumerate(table.header) if name != "example"]
        columns, rows = (
            [table.columns[place] for place in places],
            [[row[place] for place in places] for row in table.rows],
        )
        return Section(tables={"losses": Table(columns, rows)})

    def _reading(self) -> dict[str, str]:
        """Return what the columns say in the first row, in words."""
        first = self.losses[0]
        answers = {
            "yes": f"a theorem proves that {first.loss} is consistent with {first.measured}",
            "no": f"a counterexample refutes that {first.loss} is consistent with {first.measured}",
            "not refuted": "no counterexample was found, and no theorem is known",
            "undecided": "some minima could not be computed reliably",
        }
        lost = f"in the worst case, ranking by this loss gives up {first.regret:.6f} of the expected {first.measured}"
        wrong = f"{first.inconsistent:,} of the {first.searched:,} label distributions tried are ranked wrongly"
        regret = {} if first.counterexample is None else {"regret": lost}
        return {"consistent": answers[first.answer], **regret, "wrong, of": wrong}

    def _reasons(self) -> OnDemand:
        reasons: dict[str, Callable[[], Sequence[str]]] = {"consistent": lambda: [self.losses[0].meaning]}
        reasons |= {each.loss: each.why for each in self.losses}
        if self.measure is not None:
            reasons[f"{name_of(self.measure)} and convex losses"] = lambda: self._convex_losses
        return OnDemand(reasons)

    @cached_property
    def _convex_losses(self) -> list[str]:
        """Whether a convex loss can be consistent with the measure, as sentences."""
        assert self.measure is not None
        proof, name = no_convex_loss(self.measure), name_of(self.measure)
        if proof is None:
            return [f"Nothing was found that keeps every convex loss from being consistent with {name}."]
        labels = " and ".join(
            f"({', '.join(f'{label:g}' for label in vector)}) with probability {p:.4g}"
            for p, vector in zip(proof.probabilities, proof.label_vectors, strict=True)
        )
        return [f"{str(proof)[0].upper()}{str(proof)[1:]}. The labels: {labels}."]

    def __repr__(self) -> str:
        return f"ConsistencyOfLosses({self._finding()})"


def check_losses(
    losses: str | LossFunction | Sequence[str | LossFunction],
    n_docs: int | Sequence[int] | None = None,
    levels: Sequence[float] = (0, 1, 2, 3, 4),
    n_threads: int | None = None,
    *,
    measure: str | MeasureFunction | None = None,
    gain: GainLike | None = None,
    discount: DiscountLike | None = None,
    cutoff: CutoffLike = None,
    refine: bool = True,
    progress: Callable[[str], None] | None = None,
) -> ConsistencyOfLosses:
    """Search for distributions of labels that refute the consistency of losses with NDCG or another measure.

    Parameters
    ----------
    losses : str, callable or sequence of these
        The losses, as in `check_consistency`.
    n_docs, levels, n_threads, measure, gain, discount, cutoff, refine
        As in `check_consistency`.
    progress : callable, optional
        Called with the name of each loss before it is checked.

    Returns
    -------
    ConsistencyOfLosses
        What was found about each loss.

    Raises
    ------
    OptionError
        If there is no loss, or if an option is out of range.

    Examples
    --------
    >>> from idealrank.theory import check_losses
    >>> print(check_losses("hinge", levels=(0, 1), measure="p@1", refine=False).page().findings[0])
    No counterexample was found to the consistency of hinge with p@1.
    """
    check_callback(progress, "progress")
    given = [losses] if isinstance(losses, str) or callable(losses) else list(items_of(losses, "losses"))
    if not given:
        raise OptionError("no loss to check: give one loss or more")
    functions = [loss_function(each) for each in given]
    options: dict[str, Any] = {"n_docs": n_docs, "levels": levels, "n_threads": n_threads, "measure": measure}
    options |= {"gain": gain, "discount": discount, "cutoff": cutoff, "refine": refine}
    answers = []
    for each in functions:
        if progress is not None:
            progress(loss_name(each))
        answers.append(check_consistency(each, **options))
    return ConsistencyOfLosses(tuple(answers), measure)


def _are(names: Sequence[str]) -> str:
    return f"{listed(names)} {'is' if len(names) == 1 else 'are'}"
