"""Learners and ranking data: weights, names and the caller's words for queries and rows arrive."""

from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import idealrank as ir
from idealrank import learners
from idealrank.data.lists import JudgedLabels
from idealrank.errors import DataError
from idealrank.learners.learner_base import Ranker

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # fits are cut short

LEARNERS = [
    each
    for each in (getattr(learners, name) for name in dir(learners))
    if isinstance(each, type) and issubclass(each, Ranker)
    if each is not learners.BoostedRanker or find_spec("lightgbm")
]
NAMES = ("bm25", "length", "clicks")


def scattered(n_queries: int = 12, seed: int = 0, **options: Any) -> tuple[ir.RankingData, tuple[Any, Any, Any]]:
    """Data whose rows were scattered, and the rows as they lay."""
    rng = np.random.default_rng(seed)
    qid = rng.permutation(np.repeat([f"q{number}" for number in range(n_queries)], 9))
    labels = rng.integers(0, 3, qid.size)
    X = rng.normal(size=(qid.size, 3)).astype(np.float32)
    X[:, 0] += labels
    return ir.from_arrays(labels, query_ids=qid, features=X, **options), (X, labels, qid)


def seeded(cls: Any, **options: Any) -> Any:
    ranker = cls(n_threads=1, **options)
    return ranker.set_params(random_state=1) if "random_state" in ranker.get_params() else ranker


@pytest.mark.parametrize("cls", LEARNERS)
def test_arrays_are_an_adapter_that_answers_in_the_callers_order(cls: Any) -> None:
    (train, (X, y, qid)), (valid, rows) = scattered(), scattered(5, seed=1)
    ranker = seeded(cls, normalize="zscore").fit(train, eval_set=valid)
    adapted = seeded(cls, normalize="zscore").fit(X, y, qid=qid, eval_set=rows)
    assert_allclose(adapted.predict(valid), ranker.predict(valid), rtol=0, atol=0)
    assert_allclose(ranker.predict(rows[0], rows[2]), valid.to_input(ranker.predict(valid)), rtol=0, atol=0)
    assert ranker.score(valid) == ranker.score(rows[0], rows[1], qid=rows[2])
    (expected,) = ir.evaluate(valid, ranker.predict(valid), ranker.measure, order="grouped").mean.values()
    assert_allclose(ranker.score(valid), expected, rtol=1e-12, atol=0)


@pytest.mark.parametrize(
    "cls", [each for each in LEARNERS if each not in (learners.RandomRanker, learners.ConsistentRegression)]
)
def test_weights_of_the_data_are_those_of_the_arrays(cls: Any) -> None:
    rng = np.random.default_rng(3)
    weights_queries_only = (learners.AdaRank, learners.SVMMap, learners.SVMNDCG)
    documents = None if cls in weights_queries_only else rng.random(108)
    queries = rng.random(12)
    train, (X, y, qid) = scattered(weights=documents, query_weights=queries)
    ranker = seeded(cls).fit(train)
    adapted = seeded(cls).fit(X, y, qid=qid, sample_weight=documents, query_weight=queries)
    assert_allclose(adapted.predict(train), ranker.predict(train), rtol=0, atol=0)
    plain = seeded(cls).fit(scattered()[0])
    assert not np.array_equal(plain.predict(train), ranker.predict(train))


@pytest.mark.parametrize("cls", LEARNERS)
def test_features_must_be_as_in_the_fit(cls: Any) -> None:
    named = scattered(feature_names=NAMES)[0]
    ranker = seeded(cls).fit(named)
    assert ranker.feature_names_in_.tolist() == list(NAMES)
    ranker.predict(replace(named, feature_names=None))
    with pytest.raises(DataError, match=r"column 0 was 'bm25', got 'clicks'"):
        ranker.predict(replace(named, feature_names=NAMES[::-1]))
    with pytest.raises(DataError, match=r"2 features, but .* is expecting 3 features"):
        ranker.score(replace(named, features=np.asarray(named.features)[:, :2], feature_names=None))
    with pytest.raises(DataError, match=r"column 1 was 'length', got 'width'"):
        ranker.fit(named, eval_set=replace(named, feature_names=("bm25", "width", "clicks")))
    assert not hasattr(ranker.fit(replace(named, feature_names=None)), "feature_names_in_")


@pytest.mark.parametrize("cls", LEARNERS)
def test_errors_name_the_query_id_the_input_row_and_the_feature(cls: Any) -> None:
    _, (X, y, qid) = scattered()
    row = int(np.flatnonzero(qid == "q7")[4])
    X[row, 1] = np.inf if cls is learners.BoostedRanker else np.nan  # trees have a side for missing values
    data = ir.from_arrays(y, query_ids=qid, features=X, feature_names=NAMES)
    part = data.subset(np.flatnonzero(np.isin(data.query_ids.tolist(), ["q3", "q7", "q5"])))
    for bad in (data, part):
        with pytest.raises(DataError, match="in column 'length'") as caught:
            seeded(cls).fit(bad)
        assert (caught.value.query, caught.value.row) == ("q7", row)


def test_errors_of_a_search_name_the_query_id_and_the_input_row() -> None:
    _, (X, y, qid) = scattered()
    row = int(np.flatnonzero(qid == "q7")[4])
    data = ir.from_arrays(np.where(np.arange(y.size) == row, 5000, y), query_ids=qid, features=X)
    with pytest.raises(DataError, match=rf"\(query 'q7', row {row}\)"):
        learners.tune(learners.SoftRank(), {"sigma": [1.0]}, data, cv=3, n_jobs=1)


def test_a_search_hands_on_names_and_query_weights() -> None:
    pandas = pytest.importorskip("pandas")
    data, (X, y, qid) = scattered(query_weights=np.arange(12.0), feature_names=NAMES)
    found = learners.tune(learners.RankNet(max_iter=20), {"l2": [0.1]}, data, cv=2, n_jobs=1).best
    assert_allclose(found.coef_, learners.RankNet(max_iter=20, l2=0.1).fit(data).coef_, rtol=0, atol=0)
    assert found.feature_names_in_.tolist() == list(NAMES)
    rows = (pandas.DataFrame(X, columns=list(NAMES)), y, qid)
    framed = learners.tune(learners.RankNet(max_iter=2), {"l2": [0.1]}, rows, cv=2, n_jobs=1).best
    assert framed.feature_names_in_.tolist() == list(NAMES)


def test_what_cannot_be_learned_from_is_refused() -> None:
    data, (X, y, qid) = scattered()
    with pytest.raises(DataError, match="RankingData has labels, queries and weights of its own"):
        learners.RankNet().fit(data, y)
    with pytest.raises(DataError, match="of its own"):
        learners.RankNet().fit(data).predict(data, qid)
    with pytest.raises(DataError, match="no features"):
        learners.RankNet().fit(replace(data, features=None))
    with pytest.raises(DataError, match="all weights are zero"):
        learners.RankNet().fit(replace(data, weights=np.zeros(data.n_docs)))
    with pytest.raises(DataError, match="all query weights are zero"):
        learners.RankNet().fit(X, y, qid=qid, query_weight=np.zeros(12))
    unjudged = replace(
        data,
        labels=np.where(np.arange(data.n_docs) == 20, np.nan, data.labels),
        judged=JudgedLabels(data.labels, data.offsets),
    )
    with pytest.raises(DataError, match="a label to learn from must be a finite number, got nan") as caught:
        learners.RankNet().fit(unjudged)
    assert (caught.value.query, caught.value.row) == (data.query_id(2), data.rows[20])


@pytest.mark.parametrize("cls", [learners.AdaRank, learners.SVMMap, learners.RankSVM])
def test_linear_rankers_take_a_source_and_data_alike(cls: Any, tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    data = scattered()[0].subset(np.arange(8))
    columns = {f"f{column}": np.asarray(data.features)[:, column] for column in range(3)}
    qid = np.repeat(np.arange(8), data.group_sizes)
    pq.write_table(pa.table({"qid": qid, "label": data.labels, **columns}), tmp_path / "train.parquet")
    source = learners.ParquetSource(tmp_path / "train.parquet", batch_rows=20)
    inside, outside = cls().fit(data, eval_set=data), cls().fit(source, eval_set=data)
    assert_allclose(outside.coef_, inside.coef_, rtol=1e-9, atol=0)
    assert_allclose(inside.predict(source), inside.predict(data), rtol=1e-12, atol=0)
    assert_allclose(inside.score(source), inside.score(data), rtol=1e-12, atol=0)
