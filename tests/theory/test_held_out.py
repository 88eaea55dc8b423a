"""A few of the random checks of theory_held_out.py, which runs many, on longer lists."""

from collections import Counter
from itertools import chain

import pytest
from theory_held_out import check_excess_risk, check_limits, check_verdicts


def test_random_limits_are_those_of_extrapolated_sums() -> None:
    assert not list(check_limits(80, seed=11))


@pytest.mark.slow
def test_random_verdicts_agree_with_simulated_lists() -> None:
    outcomes: Counter[str] = Counter()
    assert not list(check_verdicts(9, seed=12, lists={10_000: 200, 60_000: 20}, outcomes=outcomes))
    assert set(outcomes) >= {"consistently", "in expectation", "undecided"}


def test_random_excess_risks_are_within_their_bounds() -> None:
    assert not list(check_excess_risk(150, seed=13))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "name", "wrong"),
    [
        ("idealrank.theory.long_lists.wins", "log_term", lambda *_: None),
        ("idealrank.theory.long_lists.wins", "zeta", lambda beta: 3.0),
        ("idealrank.theory.long_lists.limits", "end_of", lambda weighting: 1.0),
    ],
)
def test_wrong_theory_would_be_noticed(module: str, name: str, wrong: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{module}.{name}", wrong)
    found = chain(check_limits(40, seed=11), check_verdicts(9, seed=12, lists={10_000: 200}))
    assert next(found, None) is not None
