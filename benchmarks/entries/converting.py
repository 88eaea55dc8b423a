"""Converting what people hold, dicts and data frames, compared with evaluating it with pytrec_eval."""

import warnings
from collections.abc import Callable, Iterator, Set
from functools import partial
from typing import Any

import numpy as np

from benchmarks.runner import Comparison, Contestant, Setting, entry
from benchmarks.targets import AtLeast, AtMost

_N_DOCS, _N_JUDGED = 1000, 100


@entry
def converting(setting: Setting) -> Iterator[Comparison]:
    n_queries = setting.size(1000)
    qrels, run = _drawn(n_queries)
    n_rows = n_queries * _N_DOCS
    held: dict[str, Callable[[], tuple[Any, Any]]] = {
        "dicts": lambda: (qrels, run),
        "pandas": lambda: (_pandas(qrels, "label"), _pandas(run, "score")),
        "Polars": lambda: (_polars(qrels, "label"), _polars(run, "score")),
    }
    for name, make in held.items():
        data, scores = make()
        yield Comparison(
            f"{name} to judgments and a run, {n_rows:,} rows",
            Contestant("idealrank, conversion alone", partial(_convert, data, scores)),
            [
                Contestant(
                    "pytrec_eval, NDCG@10 of the dicts",
                    lambda: _pytrec_eval(qrels, run),
                    AtMost(1),
                    "pytrec_eval",
                    "pytrec_eval-terrier",
                )
            ],
            amount=n_rows / 1e6,
            amount_unit="M rows",
        )


@entry
def replacing_pytrec_eval(setting: Setting) -> Iterator[Comparison]:
    n_queries = setting.size(1000)
    qrels, run = _drawn(n_queries)
    measures = {"ndcg_cut.10", "map", "recip_rank", "recall.100"}
    yield Comparison(
        f"RelevanceEvaluator on dicts, {len(measures)} measures, {n_queries * _N_DOCS:,} rows",
        Contestant("idealrank", partial(_replaced, qrels, run, measures), digest=_means),
        [
            Contestant(
                "pytrec_eval",
                partial(_pytrec_eval, qrels, run, measures),
                AtLeast(3),
                "pytrec_eval",
                "pytrec_eval-terrier",
                digest=_means,
            ),
            Contestant("visiting the entries", partial(_visit, qrels, run), is_floor=True),
        ],
        amount=n_queries * _N_DOCS / 1e6,
        amount_unit="M rows",
    )


@entry
def evaluating_dicts(setting: Setting) -> Iterator[Comparison]:
    n_queries = setting.size(1000)
    qrels, run = _drawn(n_queries)
    peers = [
        Contestant("ranx", partial(_ranx, qrels, run), AtLeast(1), "ranx", digest=lambda value: (value,)),
        Contestant(
            "ir_measures", partial(_ir_measures, qrels, run), AtLeast(1), "ir_measures", digest=lambda value: (value,)
        ),
        Contestant("visiting the entries", partial(_visit, qrels, run), is_floor=True),
    ]
    ours = Contestant("idealrank", partial(_evaluated, qrels, run), digest=lambda value: (value,))
    yield Comparison(f"NDCG@10 of dicts, {n_queries * _N_DOCS:,} rows", ours, peers)


@entry
def evaluating_tensors(setting: Setting) -> Iterator[Comparison]:
    """A metric of torchmetrics that gets batches of 100 queries, and then the mean."""
    import torch

    from idealrank.integrations.torchmetrics import RankingMetric

    n_queries, length = setting.size(1000), 100
    torch.manual_seed(0)
    labels, scores = torch.randint(0, 5, (n_queries, length)), torch.rand(n_queries, length, dtype=torch.float64)
    queries = torch.arange(n_queries).repeat_interleave(length).reshape(n_queries, length)

    def computed(make: Callable[[], Any]) -> float:
        metric = make()
        for first in range(0, n_queries, 100):
            batch = slice(first, first + 100)
            metric.update(scores[batch], labels[batch], indexes=queries[batch])
        return float(metric.compute())

    def theirs() -> Any:
        from torchmetrics.retrieval import RetrievalNormalizedDCG

        return RetrievalNormalizedDCG(top_k=10)

    def mean(value: float) -> tuple[float]:
        return (value,)

    yield Comparison(
        f"NDCG@10 of tensors in batches, {n_queries:,} lists of {length}",
        Contestant("idealrank", partial(computed, lambda: RankingMetric("ndcg@10")), digest=mean),
        [Contestant("torchmetrics", partial(computed, theirs), AtLeast(1), "torchmetrics", digest=mean)],
    )


def _drawn(n_queries: int) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    rng = np.random.default_rng(0)
    qrels, run = {}, {}
    for query in range(n_queries):
        docs = [f"doc{number}" for number in rng.choice(10 * _N_DOCS, _N_DOCS, replace=False).tolist()]
        run[f"query{query}"] = dict(zip(docs, rng.random(_N_DOCS).tolist(), strict=True))
        labels = rng.integers(0, 4, _N_JUDGED).tolist()
        qrels[f"query{query}"] = dict(zip(docs[:_N_JUDGED], labels, strict=True))
    return qrels, run


def _columns(nested: dict[str, Any], number: str) -> dict[str, list[Any]]:
    rows = [(query, doc, value) for query, docs in nested.items() for doc, value in docs.items()]
    return dict(zip(("qid", "docno", number), map(list, zip(*rows, strict=True)), strict=True))


def _pandas(nested: dict[str, Any], number: str) -> Any:
    import pandas

    return pandas.DataFrame(_columns(nested, number))


def _polars(nested: dict[str, Any], number: str) -> Any:
    import polars

    return polars.DataFrame(_columns(nested, number))


def _convert(data: Any, scores: Any) -> Any:
    from idealrank.evaluation.inputs import judged_and_systems

    return judged_and_systems(data, scores)


def _replaced(qrels: dict[str, dict[str, int]], run: dict[str, dict[str, float]], measures: set[str]) -> Any:
    from idealrank.integrations import pytrec_eval

    return pytrec_eval.RelevanceEvaluator(qrels, measures).evaluate(run)


def _visit(qrels: dict[str, dict[str, int]], run: dict[str, dict[str, float]]) -> float:
    """Look up the label of every document that was retrieved."""
    return sum(qrels[query].get(doc, 0) for query, docs in run.items() for doc in docs)


def _pytrec_eval(
    qrels: dict[str, dict[str, int]], run: dict[str, dict[str, float]], measures: Set[str] = frozenset({"ndcg_cut.10"})
) -> Any:
    import pytrec_eval

    return pytrec_eval.RelevanceEvaluator(qrels, measures).evaluate(run)


def _evaluated(qrels: dict[str, dict[str, int]], run: dict[str, dict[str, float]]) -> float:
    import idealrank as ir

    return ir.evaluate(qrels, run, "ndcg@10", like="trec_eval").mean["ndcg@10"]


def _ranx(qrels: dict[str, dict[str, int]], run: dict[str, dict[str, float]]) -> float:
    import ranx

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of Numba about ranx
        return float(ranx.evaluate(ranx.Qrels(qrels), ranx.Run(run), "ndcg@10"))


def _ir_measures(qrels: dict[str, dict[str, int]], run: dict[str, dict[str, float]]) -> float:
    import ir_measures

    return float(ir_measures.calc_aggregate([ir_measures.nDCG @ 10], qrels, run)[ir_measures.nDCG @ 10])


def _means(values: dict[str, dict[str, float]]) -> tuple[float, ...]:
    """The mean of each measure, to be equal."""
    names = sorted(next(iter(values.values())))
    return tuple(float(np.mean([each[name] for each in values.values()])) for name in names)
