"""What a comparison says of unjudged documents if it does not compute what they could change."""

from typing import Any

import numpy as np
import pytest

import idealrank as ir
from idealrank.comparison import compare as comparing

RNG = np.random.default_rng(0)
QRELS = {f"q{i}": {f"d{j}": int(RNG.integers(0, 2)) for j in range(4)} for i in range(10)}
#: Six systems with 8 documents per query, of which half are unjudged.
RUNS = {
    f"s{k}": {q: {f"d{j}": labels.get(f"d{j}", 0) * k + RNG.normal() for j in range(8)} for q, labels in QRELS.items()}
    for k in range(6)
}


@pytest.mark.parametrize("baseline", [None, "s0"])
def test_many_documents_are_checked_for_the_leading_systems_only(baseline: str | None, monkeypatch: Any) -> None:
    whole = ir.compare(QRELS, RUNS, "ap", baseline=baseline)
    assert not whole.unchecked
    assert len(whole.unjudged_bounds["ap"].differences) == 5
    monkeypatch.setattr(comparing, "_MOST_DOCUMENTS", 250)
    some = ir.compare(QRELS, RUNS, "ap", baseline=baseline)
    leading = [name for name in whole.ranked() if name != baseline][: 2 if baseline else 3]
    checked = {name for each in some.unjudged_bounds["ap"].differences for name in (each.system, each.baseline)}
    assert checked == {*leading, *([baseline] if baseline else [])}
    assert some.page().findings[-1] == (
        "ap: whether unjudged documents could reverse differences was not computed for the 3 other systems, because "
        "there are many documents; unjudged_bounds=True (--unjudged-bounds) does it."
    )
    assert not ir.compare(QRELS, RUNS, "ap", baseline=baseline, unjudged_bounds=True).unchecked


def test_a_pair_with_too_many_documents_is_not_checked_in_silence(monkeypatch: Any) -> None:
    monkeypatch.setattr(comparing, "_MOST_DOCUMENTS", 100)
    found = ir.compare(QRELS, RUNS, ["ap", "rr"])
    assert not found.unjudged_bounds
    assert found.page().findings[-1].startswith("ap and rr: whether unjudged documents")
    assert "was not computed for any system" in found.page().findings[-1]
    assert not ir.compare(QRELS, RUNS, "ap", unjudged_bounds=False).unchecked


def test_weighted_means_are_not_checked_and_a_finding_says_so() -> None:
    found = ir.compare(QRELS, RUNS, "ap", query_weights={q: 1 + i for i, q in enumerate(QRELS)})
    assert "was not computed for weighted means" in found.page().findings[-1]


def test_nothing_is_said_if_all_documents_are_judged(monkeypatch: Any) -> None:
    monkeypatch.setattr(comparing, "_MOST_DOCUMENTS", 1)
    judged = {
        name: {q: {d: s for d, s in docs.items() if d in QRELS[q]} for q, docs in run.items()}
        for name, run in RUNS.items()
    }
    assert not ir.compare(QRELS, judged, "ap").unchecked
