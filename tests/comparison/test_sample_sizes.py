"""`power`: the number of queries that an experiment needs, from systems on judged documents."""

import numpy as np
import pytest

import idealrank as ir
from idealrank.errors import DataError, OptionError

QRELS, RUNS = ir.datasets.search_runs(30)


def test_numbers_are_those_of_queries_for() -> None:
    found = ir.power(QRELS, RUNS, ["ndcg@10", "ap"], deltas=[0.1, 0.05], power=0.9, level=0.01)
    assert [(each.measure, each.delta) for each in found.needed] == [
        (measure, delta) for measure in ("ndcg@10", "ap") for delta in (0.1, 0.05)
    ]
    evaluations = ir.evaluate(QRELS, RUNS, ["ndcg@10", "ap"])
    pilot = np.stack([each.per_query["ap"] for each in evaluations.values()], axis=1)
    for design in ("t", "anova", "interval", "order", "any_order"):
        plan = ir.stats.queries_for(0.05, pilot, design=design, power=0.9, level=0.01)
        assert getattr(found.needed[-1], design) == plan.n_queries


def test_text_says_what_the_first_difference_needs() -> None:
    found = ir.power(QRELS, RUNS, deltas=0.05)
    text = found.to_text(reasons=True)
    assert text.startswith("To detect a true difference of 0.05 in mean ndcg@10 with 80% power, a paired t test at")
    assert f"with {found.needed[0].anova:,} queries, so does an analysis of variance" in text
    assert "Hoeffding's inequality" in text


def test_bad_input() -> None:
    with pytest.raises(DataError, match="a plan needs two systems or more"):
        ir.power(QRELS, {"bm25": RUNS["bm25"]})
    with pytest.raises(OptionError, match="deltas is empty"):
        ir.power(QRELS, RUNS, deltas=[])
    with pytest.raises(OptionError, match="the difference to detect must be a positive number"):
        ir.power(QRELS, RUNS, deltas=-1.0)
