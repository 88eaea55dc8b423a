"""The generators: the same everywhere, and of the shape of what they stand in for."""

import math
from hashlib import sha256
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from idealrank._typing import Floats
from idealrank.data import datasets
from idealrank.data.ranking import RankingData
from idealrank.errors import DataError


@pytest.fixture(scope="module")
def log() -> datasets.TrainTestData:
    return datasets.web_search(n_queries=20, n_docs=1000)


@pytest.fixture(scope="module")
def topics() -> RankingData:
    return datasets.topic_distillation()


def by_query(data: RankingData, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return values.reshape(data.n_queries, -1, *values.shape[1:])


def usefulness(data: RankingData) -> Floats:
    """The correlation of each feature with the labels within a query, averaged over queries."""
    x = by_query(data, data.known_features()).astype(np.float64)
    y = by_query(data, data.labels)
    x, y = x - x.mean(axis=1, keepdims=True), y - y.mean(axis=1, keepdims=True)
    pairs = zip(x, y, strict=True)
    return np.asarray(np.mean([(b @ a) / np.sqrt((a * a).sum(axis=0) * (b @ b)) for a, b in pairs], axis=0))


def least_squares_scores(train: RankingData, test: RankingData) -> Floats:
    design = [np.c_[part.known_features().astype(np.float64), np.ones(part.n_docs)] for part in (train, test)]
    return np.asarray(design[1] @ np.linalg.lstsq(design[0], train.labels, rcond=None)[0])


def ndcg(labels: Floats, scores: Floats) -> float:
    discounts = 1 / np.log2(1 + np.arange(1, labels.size + 1))
    ranked = labels[np.argsort(-scores, kind="stable")]
    return float(ranked @ discounts / (np.sort(labels)[::-1] @ discounts))


def mean_ndcg(data: RankingData, scores: Floats) -> float:
    lists = zip(by_query(data, data.labels), by_query(data, scores), strict=True)
    return float(np.mean([ndcg(*pair) for pair in lists]))


def fingerprint(data: RankingData) -> tuple[str, str]:
    return (
        sha256(data.labels.astype(np.int8).tobytes()).hexdigest()[:16],
        sha256(data.known_features().astype("<f4").tobytes()).hexdigest()[:16],
    )


def test_web_search_is_the_same_on_every_platform() -> None:
    parts = datasets.web_search(n_queries=4, n_docs=500)
    assert fingerprint(parts.train) == ("38eea29b30334028", "9c1fa60bb4db2bd9")
    assert fingerprint(parts.test) == ("a8b5a4fa56161a49", "4c0da8899d3ac1a7")


def test_topic_distillation_is_the_same_on_every_platform(topics: RankingData) -> None:
    assert fingerprint(topics) == ("6637473e0021c055", "3d8265bee8462a71")


@pytest.mark.slow
def test_default_shapes_are_those_of_the_paper_and_of_trec(topics: RankingData) -> None:
    parts = datasets.web_search()
    for part in parts:
        assert (part.n_queries, part.n_docs, part.n_features) == (40, 40 * 5000, 40)
        assert np.diff(part.offsets).tolist() == [5000] * 40
    assert (topics.n_queries, topics.n_docs, topics.n_features) == (50, 50 * 1000, 44)
    assert np.diff(topics.offsets).tolist() == [1000] * 50


def test_ids_name_part_query_and_document() -> None:
    parts = datasets.web_search(n_queries=2, n_docs=2, n_features=1)
    assert list(parts.train.query_ids) == ["train-q01", "train-q02"]
    assert parts.test.doc_ids is not None
    assert list(parts.test.doc_ids) == ["test-q01-d00001", "test-q01-d00002", "test-q02-d00001", "test-q02-d00002"]
    topics = datasets.topic_distillation(n_queries=1, n_docs=2, n_features=1)
    assert topics.doc_ids is not None
    assert list(topics.doc_ids) == ["q01-d00001", "q01-d00002"]


def test_labels_are_cut_at_100_and_1000_clicks() -> None:
    np.testing.assert_allclose(
        [datasets._LOG_100, datasets._LOG_1000], [math.log(100), math.log(1000)], rtol=1e-15, atol=0
    )


def test_few_documents_are_clicked_often(log: datasets.TrainTestData) -> None:
    for part in log:
        shares = np.bincount(part.labels.astype(np.int64)) / part.n_docs
        assert shares.size == 3
        assert 0.15 < shares[1] < 0.25
        assert 0.02 < shares[2] < 0.06
        of_query = (by_query(part, part.labels) > 0).mean(axis=1)
        assert of_query.max() > 1.5 * of_query.min() > 0


def test_older_documents_have_more_clicks(log: datasets.TrainTestData) -> None:
    for part in log:
        fifths = by_query(part, part.labels).reshape(part.n_queries, 5, -1).mean(axis=(0, 2))
        assert fifths[0] > fifths[2] > fifths[4] > 0.4 * fifths[0]


def test_a_trained_linear_ranker_is_good_but_not_perfect(log: datasets.TrainTestData) -> None:
    at_random = mean_ndcg(log.test, np.random.default_rng(0).random(log.test.n_docs))
    best_feature = mean_ndcg(log.test, log.test.known_features()[:, 0].astype(np.float64))
    trained = mean_ndcg(log.test, least_squares_scores(log.train, log.test))
    assert at_random + 0.1 < best_feature
    assert best_feature + 0.03 < trained < 0.95


def test_features_differ_in_usefulness(log: datasets.TrainTestData) -> None:
    useful = usefulness(log.test)
    assert useful[0] > 0.3
    assert (np.diff(useful[0::8]) < -0.01).all()
    assert useful[1] > 0.2 > 0.1 > useful[33] > 0.03
    assert useful[4] < -0.03
    np.testing.assert_allclose(useful[6::8], 0, rtol=0, atol=0.02)
    np.testing.assert_allclose(useful[7::8], 0, rtol=0, atol=0.02)


def test_features_are_redundant_skewed_and_scaled_by_query(log: datasets.TrainTestData) -> None:
    features = log.train.known_features().astype(np.float64)
    assert np.corrcoef(features[:, 0], features[:, 5])[0, 1] > 0.95
    assert (features[:, [1, 7]].mean(axis=0) > 2 * np.median(features[:, [1, 7]], axis=0)).all()
    assert 0.5 < (features[:, 3] == 0).mean() < 0.8
    deviations = by_query(log.train, features).std(axis=1)
    assert deviations[:, 2].max() > 3 * deviations[:, 2].min()
    assert deviations[:, 0].max() < 1.2 * deviations[:, 0].min()


def test_train_and_test_and_seeds_differ() -> None:
    one, two = datasets.web_search(2, 50, 8, seed=1), datasets.web_search(2, 50, 8, seed=2)
    assert len({fingerprint(part) for part in (*one, *two)}) == 4
    topics = [datasets.topic_distillation(2, 50, 8, p=0.2, seed=seed) for seed in (1, 2)]
    assert fingerprint(topics[0]) != fingerprint(topics[1])


def test_the_number_of_features_does_not_change_the_labels() -> None:
    few, many = datasets.web_search(3, 50, 2), datasets.web_search(3, 50, 11)
    for a, b in zip(few, many, strict=True):
        np.testing.assert_array_equal(a.labels, b.labels)


def test_more_queries_leave_the_first_ones_as_they_were() -> None:
    for few, many in zip(datasets.web_search(2, 50, 9), datasets.web_search(5, 50, 9), strict=True):
        np.testing.assert_array_equal(few.labels, many.labels[:100])
        np.testing.assert_array_equal(few.known_features(), many.known_features()[:100])


def test_topics_have_one_percent_relevant_and_never_none(topics: RankingData) -> None:
    relevant = by_query(topics, topics.labels).sum(axis=1)
    assert set(topics.labels) == {0.0, 1.0}
    assert 0.008 < topics.labels.mean() < 0.012
    assert relevant.min() >= 1
    assert relevant.max() > 2 * np.median(relevant)


@pytest.mark.parametrize("p", [0.1, 0.5, 0.9])
def test_the_share_of_relevant_documents_is_near_p(p: float) -> None:
    data = datasets.topic_distillation(n_queries=200, n_docs=100, n_features=1, p=p)
    relevant = by_query(data, data.labels).sum(axis=1)
    np.testing.assert_allclose(data.labels.mean(), p, rtol=0.1, atol=0)
    assert 1 <= relevant.min() < relevant.max() < 100


def test_topics_can_be_learned_but_not_perfectly(topics: RankingData) -> None:
    train, test = topics.split((0.6, 0.4), seed=0)
    trained = mean_ndcg(test, least_squares_scores(train, test))
    at_random = mean_ndcg(test, np.random.default_rng(0).random(test.n_docs))
    assert at_random + 0.2 < trained < 0.9


@pytest.mark.parametrize(("n_queries", "n_docs", "n_features"), [(1, 1, 1), (2, 10, 3), (101, 7, 50)])
def test_other_sizes_are_sensible_too(n_queries: int, n_docs: int, n_features: int) -> None:
    made = [*datasets.web_search(n_queries, n_docs, n_features)]
    made.append(datasets.topic_distillation(n_queries, n_docs, n_features))
    for data in made:
        assert data.known_features().shape == (n_queries * n_docs, n_features)
        assert data.known_features().dtype == np.float32
        assert np.isfinite(data.known_features()).all()
        assert data.n_queries == n_queries
    assert (by_query(made[2], made[2].labels).sum(axis=1) == 1).all()


def test_search_runs_are_the_same_on_every_platform() -> None:
    qrels, runs = datasets.search_runs()
    assert sha256(repr(qrels.to_dict()).encode()).hexdigest()[:16] == "3a7fead79b338fdd"
    found = {name: sha256(repr(run.to_dict()).encode()).hexdigest()[:16] for name, run in runs.items()}
    assert found == {"bm25": "f789ce7dd9dec1b4", "dense": "5a03401a4de3e37a", "hybrid": "a0fae63808498f65"}


def test_search_runs_have_what_makes_tools_disagree() -> None:
    qrels, runs = datasets.search_runs()
    assert set(qrels.labels) == {0, 1, 2, 3}
    assert 0 < sum(max(labels.values()) == 0 for labels in qrels.values()) < 10
    for run in runs.values():
        assert {len(docs) for docs in run.values()} == {20}
    assert sum(len(set(docs.values())) < 20 for docs in runs["bm25"].values()) > 40
    assert any(doc not in qrels[query] for query, docs in runs["hybrid"].items() for doc in docs)
    assert any(label > 0 and doc not in runs["bm25"][query] for query in qrels for doc, label in qrels[query].items())


def test_more_queries_leave_the_first_runs_as_they_were() -> None:
    few, many = datasets.search_runs(3), datasets.search_runs(5)
    assert [few.qrels[query] for query in few.qrels] == [many.qrels[query] for query in few.qrels]
    assert [few.runs["hybrid"][query] for query in few.qrels] == [many.runs["hybrid"][query] for query in few.qrels]


def test_numpy_integers_are_sizes_too() -> None:
    small = datasets.web_search(np.int8(2), np.uint8(100), np.int8(2), np.int8(0))  # type: ignore[arg-type]
    assert fingerprint(small.test) == fingerprint(datasets.web_search(2, 100, 2, 0).test)


@pytest.mark.parametrize("make", [datasets.web_search, datasets.topic_distillation])
@pytest.mark.parametrize("name", ["n_queries", "n_docs", "n_features", "seed"])
@pytest.mark.parametrize("value", [-1, 1.5, "3", None])
def test_a_size_that_is_no_whole_number_is_refused(make: Any, name: str, value: object) -> None:
    with pytest.raises(DataError, match=f"{name} must be an integer of {int(name != 'seed')} or more, got {value!r}"):
        make(**{name: value})


@pytest.mark.parametrize("make", [datasets.web_search, datasets.topic_distillation])
@pytest.mark.parametrize("name", ["n_queries", "n_docs", "n_features"])
def test_nothing_at_all_is_refused(make: Any, name: str) -> None:
    with pytest.raises(DataError, match=f"{name} must be an integer of 1 or more, got 0"):
        make(**{name: 0})


@pytest.mark.parametrize("p", [0, 1, -0.1, 1.1, math.nan])
def test_p_must_be_a_share(p: float) -> None:
    with pytest.raises(DataError, match=f"p, the share of relevant documents, must be between 0 and 1, got {p!r}"):
        datasets.topic_distillation(p=p)


def test_the_public_names_are_listed() -> None:
    assert datasets.__all__ == ["Searches", "TrainTestData", "search_runs", "topic_distillation", "web_search"]
