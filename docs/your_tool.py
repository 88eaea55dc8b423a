"""Write the table of conventions.md: what `idealrank.identify` finds out about the NDCG of each tool.

    python -m docs.your_tool [TOOL ...]

Only the named tools are called again, all of them by default. A tool that is installed is run; of the others, the
formula below is, which states what their source code computes. The cells are the words of the preset, as in
presets.md; a tool that `identify` finds to contradict its preset is an error.
"""

from __future__ import annotations

import datetime
import importlib
import importlib.metadata
import math
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from docs.convention_table import cell, option_of
from idealrank.measures.conventions import CONVENTION_NAMES, convention

PAGE = Path(__file__).with_name("conventions.md")
_Judged = Mapping[str, Mapping[str, float]]
_INTRO = """\
`identify` examined {n_tools} tools. It ran {n_run} of them in the versions given, on {date}, and evaluated the formula
in the source code of the others. *Value* is the NDCG of one list with the labels 2, 0, 1, 0, 3 (or relevant, not,
relevant, not, relevant) and the scores 5 to 1. A document is relevant if its label is 1 or more, and r is the rank.
[Presets](presets.md) lists the other choices of each tool: missing queries, precision of scores, AP and P@k.

Together with `letor3`, `msmarco` and `sentence_transformers_reranking`, `like=` covers {n_presets} tools. The
[picture](index.md) of one run shows {n_pictured} of them. It omits Cornac, whose mean has no value if a query has no
relevant document.
"""
_OUTRO = "Some of these numbers are wrong or surprising:\n"
START, END = "<!-- tools -->", "<!-- end -->"


class Tool(NamedTuple):
    """A tool: what it takes, its formula, how to run it if its package is installed, and the preset for it."""

    name: str
    like: str
    takes: str
    formula: Callable[..., float]
    package: str = ""
    real: Callable[[], Callable[..., float]] | None = None
    source: str = ""


def dcg(gains: Iterable[float]) -> float:
    """Return the sum of gain / log2(rank + 1)."""
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1))


def letor_dcg(gains: Iterable[float]) -> float:
    """Return the DCG in which ranks 1 and 2 count 1 and rank r counts 1 / log2(r)."""
    return sum(gain / max(1.0, math.log2(rank)) for rank, gain in enumerate(gains, 1))


def exp2(label: float) -> float:
    """Return 2^label - 1."""
    return 2.0**label - 1


def ratio(above: float, below: float, empty: float = 0.0) -> float:
    """Return the quotient, or a value for a query with nothing relevant."""
    return above / below if below else empty


def best(gains: Iterable[float], k: int | None = None) -> list[float]:
    """Return the k highest gains."""
    return sorted(gains, reverse=True)[:k]


def on_arrays(
    labels: Sequence[float],
    scores: Sequence[float],
    k: int | None = None,
    *,
    gain: Callable[[float], float] = float,
    ties: str = "input",
    empty: float = 0.0,
    sum_of: Callable[[Iterable[float]], float] = dcg,
    negative: str = "error",
    highest: float = math.inf,
    whole: bool = False,
    single: bool = False,
    own_cutoff: int | None = None,
    short: bool = False,
) -> float:
    """Return NDCG as tools compute it that take the labels and scores of one list."""
    rows = list(
        zip(map(float, labels), map(float, np.asarray(scores, np.float32 if single else np.float64)), strict=True)
    )
    if any(label > highest or (whole and label != int(label)) for label, _ in rows):
        raise ValueError("such a label is refused")
    if any(label < 0 for label, _ in rows):
        if negative == "error":
            raise ValueError("negative labels are refused")
        if negative == "drop":
            rows = [row for row in rows if row[0] >= 0]
    if ties == "lowest label first":
        rows = sorted(rows)
    ranked = [gain(label) for label, _ in sorted(rows, key=lambda row: -row[1])]
    if ties == "average":
        of_score: dict[float, list[float]] = {}
        for label, score in rows:
            of_score.setdefault(score, []).append(gain(label))
        ranked = [sum(of_score[s]) / len(of_score[s]) for _, s in sorted(rows, key=lambda row: -row[1])]
    cutoff = own_cutoff if k is None else k
    if short and cutoff is not None and len(rows) < cutoff:
        return 0.0
    ideal = sum_of(best((gain(label) for label, _ in rows), cutoff))
    return ratio(sum_of(ranked[:cutoff]), ideal, empty)


def on_runs(
    qrels: _Judged,
    run: _Judged,
    k: int | None = None,
    *,
    gain: Callable[[float], float] = float,
    single: bool = False,
    missing: str = "drop",
    empty: str = "zero",
    labels: str = "integer",
    ties: str = "descending",
    digits: int | None = None,
    negative: str = "unjudged",
) -> float:
    """Return mean NDCG as tools compute it that take judgments and a run."""
    values = []
    for query, judged in qrels.items():
        if query not in run:
            if missing == "zero":
                values.append(0.0)
            if missing == "error":
                raise ValueError(f"the run has no query {query}")
            continue
        if labels == "integer" and any(label != int(label) for label in judged.values()):
            raise TypeError("labels must be integers")
        known = {doc: gain(max(math.trunc(label), 0)) for doc, label in judged.items()}
        scores = {doc: float(np.float32(score)) if single else score for doc, score in run[query].items()}
        order = list(scores) if ties == "input" else sorted(scores, reverse=ties == "descending")
        ranked = sorted(order, key=lambda doc: -scores[doc])
        ideal = dcg(best(known.values(), k))
        if ideal or empty == "zero":
            values.append(ratio(dcg(known.get(doc, 0.0) for doc in ranked[:k]), ideal))
    value = sum(values) / len(values) if values else 0.0
    return value if digits is None else round(value, digits)


def on_ids(
    ranked: Sequence[str],
    relevant: Iterable[str],
    k: int | None = None,
    *,
    empty: float = 0.0,
    refuses_empty: bool = False,
) -> float:
    """Return NDCG of a ranked list of ids, where documents are relevant or not."""
    wanted = set(relevant)
    if refuses_empty and not wanted:
        raise ZeroDivisionError("nothing is relevant")
    n_best = len(wanted) if k is None else min(len(wanted), k)
    return ratio(dcg(float(doc in wanted) for doc in ranked[:k]), dcg([1.0] * n_best), empty)


def full_ideal(ranked: Sequence[str], relevant: Iterable[str], k: int) -> float:
    """RecTools: the ideal has k relevant documents."""
    wanted = set(relevant)
    return dcg(float(doc in wanted) for doc in ranked[:k]) / dcg([1.0] * k)


def judged_is_relevant(qrels: _Judged, run: _Judged, k: int) -> float:
    """Recommenders: a judged document counts 1, whatever its label."""
    values = []
    known = {query: judged for query, judged in qrels.items() if judged}  # others have no row in the table of ratings
    if not known:
        raise ValueError("nothing is judged")
    for query, judged in known.items():
        docs = run.get(query, {})
        ranked = sorted(docs, key=lambda doc: -docs[doc])
        values.append(ratio(dcg(float(doc in judged) for doc in ranked[:k]), dcg([1.0] * min(len(judged), k))))
    return sum(values) / len(values)


def elasticsearch(ranked: Sequence[str], judged: Mapping[str, float], k: int = 10) -> float:
    """Elasticsearch: the ideal is cut at the number of hits."""
    hits = ranked[:k]
    if any(label != int(label) for label in judged.values()):
        raise TypeError("ratings are integers")
    return ratio(dcg(exp2(judged.get(doc, 0)) for doc in hits), dcg(best(map(exp2, judged.values()), len(hits))))


def opensearch(ranked: Sequence[str], judged: Mapping[str, float], k: int) -> float:
    """OpenSearch: the ideal is cut at the number of documents, whatever k is; two decimals."""
    ideal = dcg(best(map(exp2, judged.values()), len(ranked)))
    return round(dcg(exp2(judged.get(doc, 0)) for doc in ranked[:k]) / ideal, 2) if ideal > 0 else 0.0


def quepid(ranked: Sequence[str], judged: Mapping[str, float]) -> float:
    """Quepid: the ranking is cut at 10, the ideal is not."""
    return ratio(dcg(exp2(judged.get(doc, 0)) for doc in ranked[:10]), dcg(best(map(exp2, judged.values()))))


def mlflow(ranked: Sequence[str], relevant: Iterable[str], k: int) -> float:
    """MLflow: the ideal is cut at the number of documents retrieved; a duplicate is one more relevant document."""
    docs = list(ranked[:k])
    wanted = set(relevant)
    if not docs or not wanted:
        return float(not docs and not wanted)
    n_relevant = len(wanted) + sum(docs.count(doc) - 1 for doc in wanted if doc in docs)
    return dcg(float(doc in wanted) for doc in docs) / dcg([1.0] * min(n_relevant, len(docs)))


def llama_index(ranked: Sequence[str], relevant: Sequence[str]) -> float:
    """LlamaIndex: the ideal is over all expected documents; an empty list is refused."""
    if not ranked or not relevant:
        raise ValueError("ids must be given")
    return on_ids(ranked, relevant)


def haystack(ranked: Sequence[str], judged: Mapping[str, float]) -> float:
    """Haystack: the gain is the score of the ground truth; a duplicate counts once."""
    left = dict(judged)
    return ratio(dcg(left.pop(doc, 0.0) for doc in ranked), dcg(best(judged.values())))


def ngcf(ranked_labels: Sequence[float], k: int) -> float:
    """NGCF: the ideal is over the list that was retrieved."""
    return ratio(dcg(ranked_labels[:k]), dcg(best(ranked_labels, k)))


def trec_mean(measure: str, evaluator: Callable[..., Any]) -> Callable[[_Judged, _Judged], float]:
    """Return a function that averages what an evaluator of pytrec_eval's kind returns."""

    def ndcg(qrels: _Judged, run: _Judged) -> float:
        values = evaluator(qrels, {measure}).evaluate(run)
        return sum(each[measure] for each in values.values()) / len(values)

    return ndcg


def real_pytrec_eval() -> Callable[..., float]:
    """Return pytrec_eval's NDCG."""
    return trec_mean("ndcg", importlib.import_module("pytrec_eval").RelevanceEvaluator)


def real_ir_measures() -> Callable[..., float]:
    """Return ir_measures' NDCG."""
    tool = importlib.import_module("ir_measures")
    return lambda qrels, run: float(tool.calc_aggregate([tool.nDCG], qrels, run)[tool.nDCG])


def real_sklearn() -> Callable[..., float]:
    """Return scikit-learn's NDCG."""
    found: Callable[..., float] = importlib.import_module("sklearn.metrics").ndcg_score
    return found


def real_torchmetrics() -> Callable[..., float]:
    """Return torchmetrics' NDCG."""
    torch = importlib.import_module("torch")
    metric = importlib.import_module("torchmetrics.functional.retrieval").retrieval_normalized_dcg

    def ndcg(labels: Any, scores: Any, k: int | None = None) -> Any:
        return metric(torch.tensor(np.asarray(scores, np.float32)), torch.tensor(np.asarray(labels)), top_k=k)

    return ndcg


def real_lightgbm() -> Callable[..., float]:
    """Return LightGBM's NDCG, of a model without trees that starts from the scores."""
    tool = importlib.import_module("lightgbm")

    def ndcg(labels: Any, scores: Any, k: int) -> float:
        quiet = {"verbose": -1, "num_threads": 1}
        data = tool.Dataset(np.zeros((len(labels), 1)), labels, group=[len(labels)], init_score=scores, params=quiet)
        booster = tool.Booster({"objective": "lambdarank", "metric": "ndcg", "eval_at": [k], **quiet}, data)
        return float(booster.eval_train()[0][2])

    return ndcg


def real_xgboost() -> Callable[..., float]:
    """Return XGBoost's NDCG without a cutoff."""
    tool = importlib.import_module("xgboost")

    def ndcg(labels: Any, scores: Any) -> float:
        data = tool.DMatrix(np.zeros((len(labels), 1)), labels, base_margin=scores, group=[len(labels)])
        booster = tool.Booster({"objective": "rank:ndcg", "eval_metric": "ndcg", "nthread": 1}, [data])
        return float(booster.eval_set([(data, "here")]).rsplit(":", 1)[1])

    return ndcg


def real_catboost() -> Callable[..., float]:
    """Return CatBoost's NDCG."""
    tool = importlib.import_module("catboost.utils")

    def ndcg(labels: Any, scores: Any, k: int) -> float:
        groups = np.zeros(len(labels), np.int64)
        return float(tool.eval_metric(labels, scores, f"NDCG:top={k}", group_id=groups, thread_count=1)[0])

    return ndcg


def real_ranx() -> Callable[..., float]:
    """Return ranx's NDCG."""
    tool = importlib.import_module("ranx")

    def ndcg(qrels: Any, run: Any) -> float:
        return float(tool.evaluate(tool.Qrels(qrels), tool.Run(run), "ndcg"))

    return ndcg


def real_mlflow() -> Callable[..., float]:
    """Return MLflow's NDCG."""
    metrics, pandas = importlib.import_module("mlflow.metrics"), importlib.import_module("pandas")

    def ndcg(ranked: Any, relevant: Any, k: int) -> float:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # it is deprecated, and in use
            metric = metrics.ndcg_at_k(k)
        found = metric.eval_fn(pandas.Series([ranked]), pandas.Series([relevant]))
        return float(found.scores[0])

    return ndcg


def real_haystack() -> Callable[..., float]:
    """Return Haystack's NDCG."""
    haystack_, evaluators = map(importlib.import_module, ("haystack", "haystack.components.evaluators"))

    def ndcg(ranked: Any, judged: Any) -> float:
        truth = [haystack_.Document(content=doc, score=float(label)) for doc, label in judged.items()]
        found = [haystack_.Document(content=doc) for doc in ranked]
        evaluator = evaluators.DocumentNDCGEvaluator()
        return float(evaluator.run(ground_truth_documents=[truth], retrieved_documents=[found])["score"])

    return ndcg


def real_llama_index() -> Callable[..., float]:
    """Return LlamaIndex's NDCG."""
    metrics = importlib.import_module("llama_index.core.evaluation.retrieval.metrics")
    return lambda ranked, relevant: float(metrics.NDCG().compute(expected_ids=relevant, retrieved_ids=ranked).score)


def real_cornac() -> Callable[..., float]:
    """Return Cornac's NDCG."""
    ranking = importlib.import_module("cornac.metrics.ranking")
    return lambda ranked, relevant, k: float(ranking.NDCG(k).compute(np.array(relevant), np.array(ranked)))


def real_implicit() -> Callable[..., float]:
    """Return implicit's NDCG of a model that recommends a given list."""
    evaluation, sparse = map(importlib.import_module, ("implicit.evaluation", "scipy.sparse"))

    def ndcg(ranked: Any, relevant: Any, k: int) -> float:
        items = {doc: place for place, doc in enumerate(dict.fromkeys([*ranked, *relevant]))}

        class Model:
            def recommend(self, users: Any, *_: Any, N: int = 10, **__: Any) -> tuple[Any, Any]:  # noqa: N803
                ids = [items[doc] for doc in ranked][:N]
                rows = np.tile(np.array(ids + [-1] * (N - len(ids)), np.int32), (len(users), 1))
                return rows, rows.astype(np.float32)

        shape = (1, len(items) + k)
        rows = np.zeros(len(relevant), np.int32)
        test = sparse.csr_matrix((np.ones(len(relevant)), (rows, [items[doc] for doc in relevant])), shape=shape)
        return float(evaluation.ndcg_at_k(Model(), sparse.csr_matrix(shape), test, K=k, show_progress=False))

    return ndcg


def real_allrank() -> Callable[..., float]:
    """Return allRank's NDCG."""
    torch, metrics = map(importlib.import_module, ("torch", "allrank.models.metrics"))

    def ndcg(labels: Any, scores: Any, k: int) -> float:
        rows = [torch.tensor(np.asarray([each], np.float32)) for each in (scores, labels)]
        return float(metrics.ndcg(*rows, ats=[k])[0, 0])

    return ndcg


def real_sentence_transformers() -> Callable[..., float]:
    """Return the NDCG of sentence-transformers' InformationRetrievalEvaluator."""
    module = "sentence_transformers.sentence_transformer.evaluation"
    evaluation = importlib.import_module(module)

    def ndcg(ranked: Any, relevant: Any, k: int) -> float:
        corpus = {doc: doc for doc in [*ranked, *relevant]}
        evaluator = evaluation.InformationRetrievalEvaluator(
            {"q": "q"}, corpus, {"q": set(relevant)}, ndcg_at_k=[k], show_progress_bar=False
        )
        found = [{"corpus_id": doc, "score": -float(place)} for place, doc in enumerate(ranked)]
        return float(evaluator.compute_metrics([found])["ndcg@k"][k])

    return ndcg


def real_recommenders() -> Callable[..., float]:
    """Return recommenders' NDCG."""
    evaluation, pandas = map(importlib.import_module, ("recommenders.evaluation.python_evaluation", "pandas"))

    def ndcg(qrels: Any, run: Any, k: int) -> float:
        truth, found = (
            [(query, doc, float(value)) for query, docs in each.items() for doc, value in docs.items()]
            for each in (qrels, run)
        )
        columns = ["userID", "itemID"]
        frames = (
            pandas.DataFrame(truth, columns=[*columns, "rating"]),
            pandas.DataFrame(found, columns=[*columns, "prediction"]),
        )
        return float(evaluation.ndcg_at_k(*frames, k=k))

    return ndcg


def real_beir() -> Callable[..., float]:
    """Return BEIR's NDCG, at a cutoff beyond the end of every list."""
    evaluation = importlib.import_module("beir.retrieval.evaluation").EvaluateRetrieval
    return lambda qrels, run: float(evaluation.evaluate(qrels, run, [1000])[0]["NDCG@1000"])


_PYTREC = partial(on_runs, single=True)
_ON_LISTS = "labels, scores, k"
TOOLS = (
    Tool("trec_eval 9", "trec_eval", "qrels, run", partial(on_runs, single=True, labels="truncated"), source="9.0.8"),
    Tool("trec_eval 10", "trec_eval10", "qrels, run", partial(on_runs, labels="truncated", missing="error"),
         source="10.0"),
    Tool("pytrec_eval", "pytrec_eval", "qrels, run", _PYTREC, "pytrec_eval-terrier", real_pytrec_eval),
    Tool("ir_measures", "ir_measures", "qrels, run", partial(_PYTREC, missing="zero"), "ir_measures", real_ir_measures),
    Tool("ranx", "ranx", "qrels, run", partial(on_runs, labels="truncated", missing="error", ties="input"), "ranx",
         real_ranx),
    Tool("BEIR", "beir", "qrels, run", partial(_PYTREC, digits=5), "beir", real_beir),
    Tool("MTEB", "mteb", "qrels, run", partial(_PYTREC, digits=5), source="2.26"),
    Tool("gdeval.pl", "gdeval", "qrels, run, k", partial(on_runs, gain=exp2, empty="skip", digits=5),
         source="TREC Web track"),
    Tool("scikit-learn", "sklearn", "[labels], [scores], k",
         lambda labels, scores, k=None: sum(
             on_arrays(a, b, k, ties="average") for a, b in zip(labels, scores, strict=True)) / len(labels),
         "scikit-learn", real_sklearn),
    Tool("torchmetrics", "torchmetrics", _ON_LISTS,
         partial(on_arrays, ties="average", single=True, negative="keep"), "torchmetrics", real_torchmetrics),
    Tool("LightGBM", "lightgbm", _ON_LISTS,
         partial(on_arrays, gain=exp2, empty=1.0, highest=30, whole=True), "lightgbm", real_lightgbm),
    Tool("XGBoost", "xgboost", "labels, scores",
         partial(on_arrays, gain=exp2, empty=1.0, highest=31, whole=True, single=True, own_cutoff=32), "xgboost",
         real_xgboost),
    Tool("CatBoost", "catboost", _ON_LISTS,
         partial(on_arrays, ties="lowest label first", empty=1.0, negative="keep"), "catboost", real_catboost),
    Tool("TF-Ranking", "tf_ranking", _ON_LISTS, partial(on_arrays, gain=exp2, ties="average", negative="drop"),
         source="0.5.5"),
    Tool("Rax", "rax", _ON_LISTS, partial(on_arrays, gain=exp2, negative="keep"), source="0.4.0"),
    Tool("allRank", "allrank", _ON_LISTS,
         partial(on_arrays, gain=exp2, empty=1.0, negative="drop", single=True), "allRank", real_allrank,
         source="1.4"),
    Tool("unitxt", "unitxt", "labels, scores", partial(on_arrays, ties="average"), source="1.26"),
    Tool("LETOR 4.0 script", "letor4", _ON_LISTS, partial(on_arrays, gain=exp2, sum_of=letor_dcg, short=True),
         source="4.0"),
    Tool("LETOR 1.0 script", "letor1", _ON_LISTS, partial(on_arrays, gain=exp2, sum_of=letor_dcg), source="1.0"),
    Tool("Elasticsearch", "elasticsearch", "ranked, judged, k", elasticsearch, source="rank_eval, dcg with normalize"),
    Tool("OpenSearch", "opensearch", "ranked, judged, k", opensearch, source="search-relevance plugin"),
    Tool("Quepid", "quepid", "ranked, judged", quepid, source="nDCG@10 scorer"),
    Tool("Haystack", "haystack", "ranked, judged", haystack, "haystack-ai", real_haystack),
    Tool("LlamaIndex", "llama_index", "ranked, relevant", llama_index, "llama-index-core", real_llama_index),
    Tool("MLflow", "mlflow", "ranked, relevant, k", mlflow, "mlflow", real_mlflow),
    Tool("sentence-transformers", "sentence_transformers", "ranked, relevant, k", partial(on_ids, refuses_empty=True),
         "sentence-transformers", real_sentence_transformers),
    Tool("RecTools", "rectools", "ranked, relevant, k", full_ideal, source="0.19"),
    Tool("recommenders", "recommenders", "qrels, run, k", judged_is_relevant, "recommenders", real_recommenders),
    Tool("Spark", "spark", "ranked, relevant, k", on_ids, source="RankingMetrics of 4.0"),
    Tool("implicit", "implicit", "ranked, relevant, k", partial(on_ids, refuses_empty=True), "implicit", real_implicit),
    Tool("RecBole", "recbole", "ranked, relevant, k", on_ids, source="1.2"),
    Tool("Cornac", "cornac", "ranked, relevant, k", partial(on_ids, empty=math.nan), "cornac", real_cornac),
    Tool("LightGCN", "lightgcn", "ranked, relevant, k", on_ids, source="LightGCN-PyTorch"),
    Tool("NGCF", "ngcf", "ranked_labels, k", ngcf, source="utility/metrics.py"),
)  # fmt: skip
_DEFECTS = "what is wrong"
#: The columns that state a convention, and its options.
OPTIONS = {
    "gain": "gain",
    "discount": "discount",
    "equal scores": "ties",
    "nothing relevant": "empty",
    "ideal over": "ideal",
}
_COLUMNS = ("tool", "like", *OPTIONS, "value", "checked", _DEFECTS)


def example(tool: Tool, function: Callable[..., float]) -> float:
    """Return the value of the list that the page names."""
    labels, scores, docs = [2, 0, 1, 0, 3], [5.0, 4.0, 3.0, 2.0, 1.0], ["a", "b", "c", "d", "e"]
    judged = dict(zip(docs, labels, strict=True))
    values: dict[str, Any] = {
        "labels": np.array(labels),
        "scores": np.array(scores),
        "[labels]": np.array([labels]),
        "[scores]": np.array([scores]),
        "ranked_labels": np.array([min(label, 1) for label in labels]),
        "ranked": docs,
        "relevant": [doc for doc, label in judged.items() if label],
        "judged": judged,
        "qrels": {"1": judged},
        "run": {"1": dict(zip(docs, scores, strict=True))},
    }
    words = [word.strip() for word in tool.takes.split(",")]
    arguments = [values[word] for word in words if word != "k"]
    return float(function(*arguments, **({"k": 5} if words[-1] == "k" else {})))


def row(tool: Tool, function: Callable[..., float], checked: str) -> dict[str, str]:
    """Return what `identify` finds out, by column."""
    from idealrank import identify

    found = identify(function, takes=tool.takes)
    if found.status == "not identified":
        raise SystemExit(f"{tool.name}: {found}")
    if wrong := contradictions(tool, found.options):
        raise SystemExit(f"{tool.name} is not as the preset {tool.like}: {'; '.join(wrong)}")
    # what a formula does with duplicates says nothing about a tool that may never see them
    twice = {"a document that is retrieved twice counts twice", "NDCG > 1 is possible"}
    defects = [each.name for each in found.defects if checked.startswith("run") or each.name not in twice]
    return {
        "tool": tool.name,
        "like": f"`{tool.like}`",
        **{column: cell(convention(tool.like), option) for column, option in OPTIONS.items()},
        "value": f"{example(tool, function):.4f}",
        "checked": checked,
        _DEFECTS: "; ".join(defects),
    }


def contradictions(tool: Tool, options: Mapping[str, str]) -> list[str]:
    """Return what `identify` found of the tool that is not so in its preset."""
    preset = convention(tool.like)
    found = {option: options[option] for option in OPTIONS.values() if option in options}
    if "highest label" in options:
        found["gain"] += f":{options['highest label']}"
    if tool.takes.startswith("ranked_labels"):
        found.pop("gain")  # the tool sees hits, not labels, and all gains of 0 and 1 are the same
    expected = {option: {option_of(preset, option)} for option in found}
    if tool.like == "llama_index" or "skip" in expected.get("empty", ()):
        expected["empty"].add("error")  # no convention refuses a query; and without its one query a mean has none
    if preset.option("stable_up_to", "ndcg"):
        expected["ties"].add("stable in short lists")
    return [f"{option} is {value}" for option, value in found.items() if value not in expected[option]]


def version(package: str) -> str:
    """Return the version of an installed package."""
    return importlib.metadata.version(package)


def real_of(tool: Tool) -> Callable[..., float] | None:
    """Return the function of the tool itself, if it is installed."""
    try:
        return tool.real() if tool.real else None
    except Exception:  # not installed, or not for these versions of its dependencies
        return None


def written(rows: Sequence[Mapping[str, str]], date: str) -> str:
    """Return the part of the page that this script writes."""
    n_run = sum(each["checked"].startswith("run") for each in rows)
    defects = [each for each in rows if each[_DEFECTS]]
    parts = [
        _INTRO.format(
            n_tools=len(rows),
            n_run=n_run,
            date=date,
            n_presets=len(CONVENTION_NAMES) - 1,
            n_pictured=len(CONVENTION_NAMES) - 2,
        ),
        _table(rows, [column for column in _COLUMNS if column != _DEFECTS]),
        _OUTRO,
        _table(defects, ["tool", _DEFECTS]),
    ]
    return "\n".join(parts)


def _table(rows: Sequence[Mapping[str, str]], columns: Sequence[str]) -> str:
    lines = ["| " + " | ".join(columns) + " |", "|" + " --- |" * len(columns)]
    lines += ["| " + " | ".join(each[column] for column in columns) + " |" for each in rows]
    return "\n".join([*lines, ""])


def rows_of(page: str) -> dict[str, dict[str, str]]:
    """Return {tool: cells by column} of the page."""
    found: dict[str, dict[str, str]] = {}
    for table in re.findall(r"^\| tool .*?(?=^$)", page, re.MULTILINE | re.DOTALL):
        lines = [line for line in table.splitlines() if not line.startswith("| ---")]
        header, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
        for cells in rows:
            found.setdefault(cells[0], {_DEFECTS: ""}).update(zip(header, cells, strict=True))
    return {name: {column: cells[column] for column in _COLUMNS} for name, cells in found.items()}


def main(*names: str) -> None:
    """Write the page; a tool that is not installed keeps the version that it was last run in."""
    before = rows_of(PAGE.read_text(encoding="utf-8"))
    rows = []
    for tool in TOOLS:
        if names and tool.name not in names and tool.name in before:
            rows.append(before[tool.name])
            continue
        real = real_of(tool)
        if real is not None:
            checked = f"run, {version(tool.package)}"
        else:
            checked = before.get(tool.name, {}).get("checked", "")
            if not checked.startswith("run"):
                checked = f"formula, {tool.source}" if tool.source else "formula"
        rows.append(row(tool, real or tool.formula, checked))
        print(*rows[-1].values(), sep=" | ", file=sys.stderr, flush=True)
    page, new = PAGE.read_text(encoding="utf-8"), written(rows, datetime.date.today().isoformat())
    PAGE.write_text(f"{page.partition(START)[0]}{START}\n\n{new}\n{END}\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
