"""Queries given as users of LightGBM and XGBoost give them."""

from typing import Any

import numpy as np
import pytest

from idealrank import datasets, learners
from idealrank.errors import DataError

TRAIN, VALID = datasets.web_search(12, 20)
X, y, sizes = np.asarray(TRAIN.features), TRAIN.labels, TRAIN.group_sizes
qid = np.repeat(np.arange(sizes.size), sizes)
X2, y2, sizes2 = np.asarray(VALID.features), VALID.labels, VALID.group_sizes
qid2 = np.repeat(np.arange(sizes2.size), sizes2)


@pytest.mark.parametrize(
    "queries",
    [
        {"group": sizes, "eval_set": [(X2, y2)], "eval_group": [sizes2]},
        {"group": list(sizes), "eval_set": (X2, y2), "eval_qid": qid2},
        {"qid": qid, "eval_set": [(X2, y2)], "eval_qid": [qid2]},
        {"qid": qid, "eval_set": [(X2, y2, qid2)]},
        {"qid": qid, "eval_set": [VALID]},
        {"qid": qid, "eval_set": [X2, y2, qid2]},
    ],
)
@pytest.mark.parametrize("kind", [learners.RankNet, learners.BoostedRanker])
def test_every_form_of_the_queries_gives_the_same_ranker(kind: Any, queries: dict[str, Any]) -> None:
    if kind is learners.BoostedRanker:
        pytest.importorskip("lightgbm")
    options = {"n_estimators": 5} if kind is learners.BoostedRanker else {"max_iter": 5}
    expected = kind(**options).fit(X, y, qid=qid, eval_set=(X2, y2, qid2)).predict(VALID)
    np.testing.assert_array_equal(kind(**options).fit(X, y, **queries).predict(VALID), expected)


@pytest.mark.parametrize(
    ("queries", "what"),
    [
        ({"group": sizes, "qid": qid}, "by qid or by group, not both"),
        ({"group": sizes[1:]}, r"group sizes must sum to the number of documents, 240, got 220"),
        ({"qid": qid, "eval_set": (X2, y2)}, "beside .X, y., give eval_qid"),
        ({"qid": qid, "eval_qid": qid2}, "eval_qid is given without eval_set"),
        ({"qid": qid, "eval_set": VALID, "eval_qid": qid2}, "goes with an eval_set of"),
        ({"qid": qid, "eval_set": (X2, y2), "eval_group": [1, 2]}, "eval_group sizes must sum"),
        ({"qid": qid, "eval_set": [(X2, y2)] * 2, "eval_qid": [qid2] * 2}, "one set of validation data, got a list of"),
        ({}, "qid, or group with sizes"),
    ],
)
def test_queries_that_contradict_each_other_are_refused(queries: dict[str, Any], what: str) -> None:
    with pytest.raises(DataError, match=what):
        learners.RankNet().fit(X, y, **queries)


def test_tune_takes_arrays_and_their_queries() -> None:
    settings = {"l2": [0.1, 10.0]}
    ranker = learners.RankNet(max_iter=5)
    expected = learners.tune(ranker, settings, TRAIN, eval_set=VALID, n_jobs=1).values
    by_group = learners.tune(ranker, settings, X, y, group=sizes, eval_set=[(X2, y2)], eval_qid=[qid2], n_jobs=1)
    np.testing.assert_array_equal(by_group.values, expected)
    with pytest.raises(DataError, match="qid and group go with features and labels"):
        learners.tune(ranker, settings, TRAIN, qid=qid, cv=2)
