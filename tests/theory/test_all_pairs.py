"""All pairs of several rankers: the same as one pair at a time, and what is said of all of them together."""

import math
from dataclasses import asdict
from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from idealrank import from_arrays
from idealrank._typing import Floats
from idealrank.errors import DataError
from idealrank.theory import Distinctions, confidence_sequence, distinguish
from idealrank.theory.distinguishing.confidence_sequences import certified_at
from idealrank.theory.distinguishing.growing_lists import Paths

MEASURES = ["ndcg", "ndcg(gain=linear)@5", "dcg@3", "linear_ndcg"]


def rankers(n_queries: int, n_docs: int, n_rankers: int) -> tuple[Floats, dict[str, Floats], list[int]]:
    """Labels, rankers from good to bad that see them with noise, and offsets; the first query is not relevant."""
    rng = np.random.default_rng(5)
    labels = rng.integers(0, 3, n_queries * n_docs).astype(float)
    labels[:n_docs] = 0
    scores = {f"r{i}": labels + (0.5 + i) * rng.normal(size=labels.size) for i in range(n_rankers)}
    return labels, scores, [*range(0, labels.size + 1, n_docs)]


def found_for(n_queries: int, n_docs: int, n_rankers: int, measures: list[str]) -> Distinctions:
    labels, scores, offsets = rankers(n_queries, n_docs, n_rankers)
    return distinguish(from_arrays(labels, offsets=offsets), scores, measures, n_permutations=200)


def test_every_pair_is_as_if_it_were_alone() -> None:
    labels, scores, offsets = rankers(12, 15, 4)
    together = found_for(12, 15, 4, MEASURES)
    assert [pair.names for pair in together.pairs][:4] == [("r0", "r1"), ("r0", "r2"), ("r0", "r3"), ("r1", "r2")]
    for pair in together.pairs:
        a, b = pair.names
        two = {a: scores[a], b: scores[b]}
        (alone,) = distinguish(labels, two, MEASURES, offsets=offsets, n_permutations=200).pairs
        for name in MEASURES:
            expected, seen = asdict(alone[name]), asdict(pair[name])
            assert str(seen) == str(expected)  # NaN differs from NaN, but not as text
            assert_array_equal(pair.paths[name].lead, alone.paths[name].lead)
            assert_array_equal(pair.means[name], alone.means[name])


def test_the_summary_counts_pairs() -> None:
    found = found_for(12, 15, 5, ["ndcg", "ndcg@3"])
    table = found.table("measures")
    for name, count, share, queries, certified, consistent in table.rows:
        rows = [pair[str(name)] for pair in found.pairs]
        assert count == sum(row.p_value <= 0.05 for row in rows)
        assert share == pytest.approx(sum(row.p_value <= 0.05 for row in rows) / 10)
        assert queries == np.median([row.queries_needed or math.inf for row in rows])
        assert certified == sum(row.certified_at is not None for row in rows)
        assert consistent == sum(row.verdict.how == "consistently" for row in rows)
    counts = [float(str(row[1])) for row in table.rows]
    assert counts == sorted(counts, reverse=True)
    p_values = [pair["ndcg"].p_value for pair in found.closest]
    assert p_values == sorted(p_values, reverse=True)
    assert len(found.table().rows) == 10 * 2
    assert found.table("closest").by_column()["p"] == p_values


def test_the_first_sentence_is_about_all_pairs() -> None:
    found = found_for(12, 15, 5, ["ndcg", "ndcg@3"])
    first, best = (sum(pair[name].p_value <= 0.05 for pair in found.pairs) for name in ("ndcg", "ndcg@3"))
    end = f"ndcg@3 distinguishes {best}" if best > first else "no other measure distinguishes more"
    sure = "on these 12 queries (p at most 0.05 each; if no system differed, 0.5 pairs would be expected)"
    assert found.page().findings[0] == f"ndcg distinguishes {first} of 10 pairs of 5 systems {sure}; {end}."
    assert len(found.page().findings) == 2
    few = found_for(12, 15, 3, ["ndcg"])
    assert few.page().findings[0].endswith("if no system differed, 0.15 pairs would be expected).")
    assert len(few.page().findings) == 4


def test_one_query_distinguishes_nothing() -> None:
    labels, scores, _ = rankers(2, 20, 3)
    found = distinguish(labels[20:], {name: each[20:] for name, each in scores.items()}, ["ndcg"])
    assert found.page().findings[0] == "With one query, no measure can distinguish any of the 3 pairs of 3 systems."
    assert found.table("measures").rows[0][3] is None
    assert found.page().reading["queries"] == "more than half of the pairs cannot be ordered by any number of queries"


def test_rankers_with_equal_means_are_the_closest() -> None:
    labels, scores, offsets = rankers(6, 15, 2)
    scores |= {"again": scores["r0"] * 2}
    found = distinguish(from_arrays(labels, offsets=offsets), scores, ["ndcg"])
    assert found.closest[0].names == ("r0", "again")
    assert found.page().sections()  # its figures and sentences have no numbers for this pair


def test_progress_counts_pairs() -> None:
    labels, scores, offsets = rankers(4, 10, 4)
    seen: list[tuple[int, int]] = []
    distinguish(labels, scores, ["ndcg"], offsets=offsets, progress=lambda *done: seen.append(done))
    assert seen == [(done, 6) for done in range(1, 7)]


@pytest.mark.parametrize("seed", range(20))
def test_the_moment_of_certainty_is_that_of_the_confidence_sequence(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = np.clip(rng.normal(rng.normal() / 4, 0.3, 1500), -1, 1)
    for delta in (0.01, 0.2):
        for size in (1, 7, 400, 1500):
            expected = [confidence_sequence(each[:size], delta=delta).certified_at for each in (values, -values / 2)]
            assert certified_at(np.array([values, -values / 2])[:, :size], delta) == expected


def test_changes_of_the_lead_are_counted_across_ties() -> None:
    rng = np.random.default_rng(2)
    lead = rng.choice([-1.0, 0.0, 1.0, math.nan], (300, 40))
    signs = [[sign for sign in np.sign(line) if sign in (-1, 1)] for line in lead]
    expected = [sum(a != b for a, b in pairwise(line)) for line in signs]
    assert_array_equal(Paths(np.arange(40), lead).sign_changes, expected)


def test_one_ranker_is_not_enough() -> None:
    labels, scores, offsets = rankers(4, 10, 1)
    with pytest.raises(DataError, match="two systems or more"):
        distinguish(labels, scores, offsets=offsets)
