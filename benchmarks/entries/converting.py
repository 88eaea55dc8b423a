"""Converting what people hold, dicts and data frames, compared with evaluating it with pytrec_eval."""

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
            )
        ],
        amount=n_queries * _N_DOCS / 1e6,
        amount_unit="M rows",
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


def _pytrec_eval(
    qrels: dict[str, dict[str, int]], run: dict[str, dict[str, float]], measures: Set[str] = frozenset({"ndcg_cut.10"})
) -> Any:
    import pytrec_eval

    return pytrec_eval.RelevanceEvaluator(qrels, measures).evaluate(run)


def _means(values: dict[str, dict[str, float]]) -> tuple[float, ...]:
    """The mean of each measure, to be equal."""
    names = sorted(next(iter(values.values())))
    return tuple(float(np.mean([each[name] for each in values.values()])) for name in names)
