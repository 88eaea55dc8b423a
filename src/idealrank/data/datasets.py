"""Seeded synthetic data that replaces collections which cannot be distributed with a package.

`web_search` replaces the click log of Wang et al. 2013, appendix A, which is not public; `topic_distillation` has the
shape of the TREC topic distillation tasks of 2003 and 2004, whose license forbids redistribution; `search_runs` has
judgments and runs with document ids, as a TREC task has them. With them every example, test and experiment runs
offline. They show how measures and learners behave, not how good a learner is on real queries.

The same arguments give the same labels and features on every platform and with every version of NumPy. NumPy guarantees
that for the raw words of a bit generator, but not for its normal deviates, and no mathematical library guarantees it
for exp or log. Therefore everything here is computed from raw words by + - * / sqrt, comparison and rounding, which
IEEE 754 defines to the last bit, each in an array operation of its own (no fused multiply-add). Nothing is summed along
an axis, because NumPy chooses the order of addition.
"""

from collections.abc import Callable
from math import sqrt
from operator import index
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from idealrank._typing import Floats
from idealrank.data.ids import Ids
from idealrank.data.judgments import Qrels, Run
from idealrank.data.ranking import RankingData
from idealrank.errors import DataError

__all__ = ["Searches", "TrainTestData", "search_runs", "topic_distillation", "web_search"]


# Literals, because log is not the same to the last bit on every platform.
_LOG_100 = 4.605170185988092
_LOG_1000 = 6.907755278982137


class TrainTestData(NamedTuple):
    """Training and test data from the same distribution, with no query in common.

    Attributes
    ----------
    train : RankingData
        Data to train on.
    test : RankingData
        Data to test on.

    Examples
    --------
    >>> from idealrank.datasets import web_search
    >>> train, test = web_search(n_queries=3, n_docs=10)
    >>> set(train.query_ids) & set(test.query_ids)
    set()
    """

    train: RankingData
    test: RankingData


class Searches(NamedTuple):
    """Judgments and the runs of three systems that were judged with them.

    Attributes
    ----------
    qrels : Qrels
        The judgments.
    runs : dict of str to Run
        The runs by system name.

    Examples
    --------
    >>> from idealrank.datasets import search_runs
    >>> qrels, runs = search_runs(n_queries=3)
    >>> list(runs)
    ['bm25', 'dense', 'hybrid']
    """

    qrels: Qrels
    runs: dict[str, Run]


class _Latent(NamedTuple):
    """Latent variables of the labels and features of one query: one value per document, mean 0 and variance 1.

    The third is the age of a document in `web_search`, and its likeness to an entry page in `topic_distillation`.
    """

    match: Floats
    quality: Floats
    third: Floats


class _Stream:
    """Random numbers that are the same on every platform; the parts of a seed never overlap."""

    def __init__(self, seed: int, part: int) -> None:
        self._bits = np.random.PCG64(seed).jumped(part)

    def uniforms(self, n: int) -> Floats:
        """Return multiples of 2^-53 in [0, 1)."""
        return (self._bits.random_raw(n) >> np.uint64(11)).astype(np.float64) / 2.0**53

    def between(self, low: float, high: float) -> float:
        """Return one number from low to high."""
        return low + (high - low) * float(self.uniforms(1)[0])

    def normals(self, n: int) -> Floats:
        """Return nearly normal deviates: the centered sum of twelve uniform quarters of a word, with variance 1."""
        total = np.zeros(n, np.uint64)
        for word in self._bits.random_raw(3 * n).reshape(3, n):
            for shift in (0, 16, 32, 48):
                total += (word >> np.uint64(shift)) & np.uint64(0xFFFF)
        return (total.astype(np.float64) - 12 * 32767.5) / 65536.0


def web_search(n_queries: int = 40, n_docs: int = 5000, n_features: int = 40, seed: int = 0) -> TrainTestData:
    """Generate a click log of a search engine: label 2 above 1000 clicks, 1 from 100 to 1000, 0 below.

    The documents of a query are ordered by creation time. They are not identically distributed: older documents had
    more time to be clicked. The number of clicks grows with the match between document and query and with the quality
    of the site, most of all if both are high, with weights that depend on the query; the rest is chance. The features
    are noisy views of match, quality and age: some are skewed, some have a scale that depends on the query, some are
    redundant, and a quarter is pure noise.

    Parameters
    ----------
    n_queries : int
        Number of queries in each part.
    n_docs : int
        Number of documents per query.
    n_features : int
        Number of features; it does not change the labels.
    seed : int
        Seed of the random number generator.

    Returns
    -------
    TrainTestData
        Training and test data.

    Raises
    ------
    DataError
        If an argument is not a whole number or is too small.

    References
    ----------
    Wang et al. 2013, appendix A.

    Examples
    --------
    >>> from idealrank.datasets import web_search
    >>> parts = web_search(n_queries=3, n_docs=200, n_features=5)
    >>> parts.test
    RankingData(3 queries, 600 documents, 5 features, labels 0 1 2, doc_ids)
    >>> parts.train.query_ids[0], parts.test.doc_ids[599]
    ('train-q01', 'test-q03-d00200')
    """
    n_queries, n_docs, n_features = _sizes(n_queries, n_docs, n_features)
    seed = _whole("seed", seed, 0)
    created = (np.arange(n_docs, dtype=np.float64) + 0.5) / n_docs
    age = (0.5 - created) * sqrt(12.0)

    def click_query(stream: _Stream) -> tuple[npt.NDArray[np.int8], _Latent]:
        latent = _Latent(stream.normals(n_docs), stream.normals(n_docs), age)
        log_clicks = stream.between(2.4, 3.6) + stream.between(1.0, 1.8) * latent.match
        log_clicks += stream.between(0.6, 1.2) * latent.quality
        log_clicks += 0.3 * (latent.match * latent.quality)
        log_clicks += stream.between(0.1, 0.4) * latent.third
        log_clicks += 1.1 * stream.normals(n_docs)
        return (log_clicks >= _LOG_100).astype(np.int8) + (log_clicks > _LOG_1000), latent

    train = _make("train-q", n_queries, n_docs, n_features, _Stream(seed, 0), _Stream(seed, 1), click_query)
    return TrainTestData(
        train, _make("test-q", n_queries, n_docs, n_features, _Stream(seed, 2), _Stream(seed, 3), click_query)
    )


def topic_distillation(
    n_queries: int = 50, n_docs: int = 1000, n_features: int = 44, p: float = 0.01, seed: int = 0
) -> RankingData:
    """Generate topics with few relevant pages among many: a share of about ``p`` has label 1, all others have label 0.

    Some topics have many relevant documents, some have one, and none has zero. The relevant documents are those with
    the largest sum of match, quality, likeness to an entry page, and chance; the features are noisy views of the first
    three, as in `web_search`.

    Parameters
    ----------
    n_queries : int
        Number of queries.
    n_docs : int
        Number of documents per query.
    n_features : int
        Number of features; it does not change the labels.
    p : float
        The mean share of relevant documents, between 0 and 1.
    seed : int
        Seed of the random number generator.

    Returns
    -------
    RankingData
        The topics.

    Raises
    ------
    DataError
        If a size or the seed is not a whole number or is too small, or ``p`` is not between 0 and 1.

    Examples
    --------
    >>> import numpy as np
    >>> from idealrank.datasets import topic_distillation
    >>> data = topic_distillation(n_queries=5)
    >>> data
    RankingData(5 queries, 5,000 documents, 44 features, labels 0 1, doc_ids)
    >>> bool((np.add.reduceat(data.labels, data.offsets[:-1]) >= 1).all())
    True
    """
    n_queries, n_docs, n_features = _sizes(n_queries, n_docs, n_features)
    seed = _whole("seed", seed, 0)
    if not 0 < p < 1:
        raise DataError(f"p, the share of relevant documents, must be between 0 and 1, got {p!r}")

    def judge_query(stream: _Stream) -> tuple[npt.NDArray[np.int8], _Latent]:
        latent = _Latent(stream.normals(n_docs), stream.normals(n_docs), stream.normals(n_docs))
        worth = latent.match + 0.7 * latent.quality
        worth += 0.6 * latent.third
        worth += 0.6 * stream.normals(n_docs)
        # 3 u^2 has mean 1 and a long upper tail; the factor (1 - p)^2 keeps the share below 1 for any p.
        u = stream.between(0.0, 1.0)
        share = p * (1.0 + (1.0 - p) * (1.0 - p) * (3.0 * u * u - 1.0))
        n_relevant = max(1, int(n_docs * share + 0.5))
        labels = np.zeros(n_docs, np.int8)
        labels[np.argsort(-worth, kind="stable")[:n_relevant]] = 1
        return labels, latent

    return _make("q", n_queries, n_docs, n_features, _Stream(seed, 0), _Stream(seed, 1), judge_query)


def search_runs(n_queries: int = 50, n_docs: int = 200, seed: int = 0) -> Searches:
    """Generate judgments from 0 to 3 and the runs of three search engines, with features on which tools disagree.

    "bm25" and "dense" are noisy views of the relevance, and "hybrid" adds their scores. Each run has the best 20
    documents of each query. As in a TREC task, only a pool was judged: the best 15 documents of "bm25" and "dense".
    The scores of "bm25" have one decimal, so that some are equal, and some queries have no relevant document.

    Parameters
    ----------
    n_queries : int
        Number of queries.
    n_docs : int
        Number of documents per query that a system can retrieve.
    seed : int
        Seed of the random number generator.

    Returns
    -------
    Searches
        The judgments and the runs.

    Raises
    ------
    DataError
        If an argument is not a whole number or is too small.

    Examples
    --------
    >>> from idealrank.datasets import search_runs
    >>> qrels, runs = search_runs()
    >>> qrels
    Qrels(50 queries, 1,314 documents)
    >>> runs["bm25"]
    Run(50 queries, 1,000 documents)
    """
    n_queries, n_docs, seed = _whole("n_queries", n_queries, 1), _whole("n_docs", n_docs, 20), _whole("seed", seed, 0)
    stream = _Stream(seed, 0)
    names = [f"d{number:03d}" for number in range(1, n_docs + 1)]
    judged: dict[str, dict[str, int]] = {}
    scored: dict[str, dict[str, dict[str, float]]] = {"bm25": {}, "dense": {}, "hybrid": {}}
    for number in range(1, n_queries + 1):
        query = f"q{number:02d}"
        relevance = stream.normals(n_docs)
        least = stream.between(1.0, 2.8)  # how good a relevant document is; for some queries none is good enough
        labels = np.searchsorted([least, least + 0.5, least + 1.0], relevance)
        lexical = np.rint(10 * (12.0 + 3 * (relevance + 1.2 * stream.normals(n_docs)))) / 10
        dense = np.rint(1e4 * (0.6 + 0.1 * (relevance + stream.normals(n_docs)))) / 1e4
        scores = {"bm25": lexical, "dense": dense, "hybrid": np.rint(1e4 * (lexical / 30 + dense)) / 1e4}
        best = {name: np.argsort(-each, kind="stable") for name, each in scores.items()}
        pool = np.union1d(best["bm25"][:15], best["dense"][:15])
        judged[query] = {names[row]: int(labels[row]) for row in pool}
        for name, each in scores.items():
            scored[name][query] = {names[row]: float(each[row]) for row in best[name][:20]}
    return Searches(Qrels(judged), {name: Run(run, name=name) for name, run in scored.items()})


def _whole(name: str, value: int, least: int) -> int:
    try:
        number = index(value)
    except TypeError:
        number = least - 1
    if number < least:
        raise DataError(f"{name} must be an integer of {least} or more, got {value!r}")
    return number


def _sizes(n_queries: int, n_docs: int, n_features: int) -> tuple[int, int, int]:
    return _whole("n_queries", n_queries, 1), _whole("n_docs", n_docs, 1), _whole("n_features", n_features, 1)


def _make(
    prefix: str,
    n_queries: int,
    n_docs: int,
    n_features: int,
    label_stream: _Stream,
    feature_stream: _Stream,
    label_query: Callable[[_Stream], tuple[npt.NDArray[np.int8], _Latent]],
) -> RankingData:
    """Generate queries in turn, with separate streams for labels and features: n_features does not change labels."""
    labels = np.empty(n_queries * n_docs)
    features = np.empty((n_queries * n_docs, n_features), np.float32)
    names = [f"{prefix}{number:02d}" for number in range(1, n_queries + 1)]
    for query in range(n_queries):
        rows = slice(query * n_docs, (query + 1) * n_docs)
        labels[rows], latent = label_query(label_stream)
        features[rows] = _features(latent, n_features, feature_stream).T
    return RankingData(
        labels,
        np.arange(n_queries + 1) * n_docs,
        Ids.of(names),
        features=features,
        doc_ids=Ids.of(f"{name}-d{number:05d}" for name in names for number in range(1, n_docs + 1)),
    )


def _features(latent: _Latent, n_features: int, stream: _Stream) -> Floats:
    """Return one row per feature for the documents of one query: eight kinds in turn, with more noise in each turn."""
    columns = np.empty((n_features, latent.match.size))
    for number in range(n_features):
        turn, kind = divmod(number, 8)
        blur = 0.8 + 0.8 * turn
        noise = stream.normals(latent.match.size)
        match kind:
            case 0:  # a matching score
                column = _blurred(latent.match, noise, blur)
            case 1:  # number of links to the site: heavy-tailed
                column = _grow(1.5 * _blurred(latent.quality, noise, blur))
            case 2:  # a matching score whose scale depends on the query
                column = stream.between(1.0, 9.0) * (4.0 + _blurred(latent.match, noise, blur))
            case 3:  # frequency of the query terms: mostly 0
                column = np.floor(_grow(_blurred(latent.match, noise, blur) - 0.5))
            case 4:  # freshness, or depth in the site, in (0, 1): higher is worse
                distance = _blurred(latent.third, noise, blur)
                column = 0.5 - 0.5 * (distance / (1.0 + np.abs(distance)))
            case 5:  # a copy of kind 0 in coarse steps
                column = 10.0 + np.rint(2.0 * columns[number - 5])
            case 6:  # noise
                column = noise
            case _:  # heavy-tailed noise
                column = _grow(1.5 * noise)
        columns[number] = column
    return columns


def _blurred(value: Floats, noise: Floats, blur: float) -> Floats:
    """Return the value with noise added, rescaled to variance 1."""
    return (value + blur * noise) / sqrt(1.0 + blur * blur)


def _grow(x: Floats) -> Floats:
    """Return (1 + x / 16)^16, which is close to exp(x) and the same on every platform."""
    power = 1.0 + x / 16.0
    for _ in range(4):
        power = power * power
    return power
