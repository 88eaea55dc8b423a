"""Every name in the registry of another tool gives the tool's number with `like=`, a note that it may not, or an error.

Where a tool has no list of its names, the names are those of its documentation. BEIR, MTEB, recommenders and
sentence-transformers are read without the packages that they need for models: `pip install --no-deps` is enough.
"""

import importlib.util
import inspect
import itertools
import math
import re
import sys
import types
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import idealrank as ir
from idealrank.errors import DataError, OptionError

pytestmark = pytest.mark.filterwarnings("ignore")

Nested = dict[str, dict[str, Any]]
#: What a tool gives for one name: a value per query, or the mean.
Values = Mapping[str, float] | float

QUERIES = ("1", "2", "3")
DOCS = [f"d{place:02}" for place in range(20)]
#: A note of one of these kinds says that the number may not be the tool's.
NOTES = {"differs from the tool", "undefined tie order"}


def drawn(labels: tuple[int, ...], n_scores: int, seed: int = 7) -> tuple[Nested, Nested]:
    """Judgments and a run with unjudged documents and documents that were not retrieved; scores from 1 on."""
    rng = np.random.default_rng(seed)
    qrels: Nested = {}
    run: Nested = {}
    for query in QUERIES:
        judged = rng.permutation(DOCS)[:12].tolist()
        qrels[query] = dict(zip(judged, rng.choice(labels, 12).tolist(), strict=True))
        scores = rng.permutation(14) + 1.0 if n_scores >= 14 else rng.integers(1, n_scores + 1, 14).astype(float)
        run[query] = dict(zip(rng.permutation(DOCS)[:14].tolist(), scores.tolist(), strict=True))
    return qrels, run


def cases() -> Iterator[tuple[str, Nested, Nested]]:
    yield ("graded", *drawn((0, 0, 1, 2, 3), 14))
    yield ("binary", *drawn((0, 1), 14))
    yield ("equal scores", *drawn((0, 0, 1, 2, 3), 3))
    yield ("negative labels", *drawn((-1, 0, 1, 2, 3), 14))
    qrels, run = drawn((0, 1), 14)
    yield (
        "scores below 0",
        qrels,
        {query: {doc: score - 8 for doc, score in docs.items()} for query, docs in run.items()},
    )
    yield "the id of the query", qrels, {query: {query: 20.0, **docs} for query, docs in run.items()}
    yield "nothing relevant", qrels | {"2": dict.fromkeys(qrels["2"], 0)}, run
    yield "all relevant", qrels | {"2": dict.fromkeys(qrels["2"], 1)}, run
    yield "a missing query", qrels, {query: run[query] for query in ("1", "3")}


def of_arrays(value: Callable[[str, Any, Any], float]) -> Callable[[str, Nested, Nested], Values]:
    """A tool that takes the labels and scores of one list, and so sees retrieved documents only."""

    def values(name: str, qrels: Nested, run: Nested) -> Values:
        found = {}
        for query in qrels:
            docs = run[query]
            labels = np.array([qrels[query].get(doc, 0) for doc in docs], float)
            found[query] = value(name, labels, np.array(list(docs.values())))
        return found

    return values


def source(package: str, path: str, *stubs: str) -> Any:
    """A file of an installed package, without the modules in ``stubs`` that it imports for types and base classes."""
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        pytest.skip(f"needs {package}: pip install --no-deps {package.replace('_', '-')}")
    file = Path(spec.submodule_search_locations[0]) / path
    kept = {name: sys.modules.get(name) for name in stubs}
    for name in stubs:
        stub = types.ModuleType(name)
        stub.__getattr__ = _stub_class  # type: ignore[method-assign]
        sys.modules[name] = stub
    try:
        own = importlib.util.spec_from_file_location(f"{package}_{file.stem}", file)
        assert own is not None
        assert own.loader is not None
        module = importlib.util.module_from_spec(own)
        own.loader.exec_module(module)
    finally:
        for name, before in kept.items():
            sys.modules.pop(name)
            if before is not None:
                sys.modules[name] = before
    return module


def _stub_class(name: str) -> type:
    if name.startswith("__"):
        raise AttributeError(name)
    return type(name, (types.SimpleNamespace,), {})


def pytrec_eval() -> tuple[list[str], Callable[[str, Nested, Nested], Values]]:
    tool = pytest.importorskip("pytrec_eval")
    # trec_eval ends the process for parameters that a measure does not take.
    parameters = {
        **dict.fromkeys(("P", "recall", "success", "map_cut", "ndcg_cut", "relative_P"), "3"),
        "iprec_at_recall": "0.50",
        "Rprec_mult": "2.00",
        "set_F": "2.00",
    }
    texts = {"runid", "relstring"}
    names = [name for base in tool.supported_measures - texts for name in (base, f"{base}.{parameters.get(base)}")]
    names = [name for name in names if not name.endswith(".None") and name not in parameters]

    def values(name: str, qrels: Nested, run: Nested) -> Values:
        if any(max(docs.values()) < 0 for docs in qrels.values()):
            raise ValueError("it can hang")
        found = tool.RelevanceEvaluator(qrels, {name}).evaluate(run)
        per_query = {query: float(next(iter(own.values()))) for query, own in found.items()}
        if name.startswith("gm_"):  # their logarithms, and their geometric mean
            return float(tool.compute_aggregated_measure(name, list(per_query.values())))
        return per_query

    return sorted(names), values


#: Values of the parameters of ir_measures, besides their defaults.
OF_IR_MEASURES: dict[str, list[Any]] = {
    "cutoff": [3],
    "rel": [1, 2],
    "judged_only": [True],
    "T": [1.0],
    "min_rel": [0],
    "max_rel": [3],
    "p": [0.5],
    "normalize": [False],
    "alpha": [0.3],
    "beta": [2.0],
    "dcg": ["exp-log2"],
    "gains": [{1: 3, 2: 9}, {0: 1, 1: 2, 2: 3, 3: 4}],
    "recall": [0.5],
    "relative": [True],
}


def ir_measures() -> tuple[list[str], Callable[[str, Nested, Nested], Values]]:
    tool = pytest.importorskip("ir_measures")
    by_name = {}
    for base in tool.measures.registry.values():
        choices = [
            [(name, value) for value in OF_IR_MEASURES[name]] + ([] if own.required else [None])
            for name, own in base.SUPPORTED_PARAMS.items()
        ]
        for chosen in itertools.product(*choices):
            measure = base(**dict(each for each in chosen if each is not None))
            by_name[str(measure)] = measure

    def values(name: str, qrels: Nested, run: Nested) -> Values:
        if any(max(docs.values()) < 0 for docs in qrels.values()):
            raise ValueError("it can hang")
        return {each.query_id: float(each.value) for each in tool.iter_calc([by_name[name]], qrels, run)}

    return list(by_name), values


def ranx() -> tuple[list[str], Callable[[str, Nested, Nested], Values]]:
    tool = pytest.importorskip("ranx")
    bases = re.findall(r'metric == "([\w-]+)"', inspect.getsource(tool.metrics.metric_switch))
    names = [f"{base}{cutoff}{level}" for base in bases for cutoff in ("", "@3") for level in ("", "-l2")]
    names = [name for name in names if not name.startswith("rbp")] + ["rbp.50", "rbp@50", "rbp.50-l2"]

    def values(name: str, qrels: Nested, run: Nested) -> Values:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = tool.evaluate(tool.Qrels(qrels), tool.Run(run), name, return_mean=False)
        return dict(zip(sorted(qrels), map(float, found), strict=True))

    return names, values


def torchmetrics() -> tuple[list[str], Callable[[str, Nested, Nested], Values]]:
    retrieval, torch = pytest.importorskip("torchmetrics.retrieval"), pytest.importorskip("torch")
    ours = {"RetrievalNormalizedDCG": "ndcg", "RetrievalAUROC": "auc"}
    names: dict[str, tuple[str, dict[str, int]]] = {}
    for base in retrieval.__all__:
        for written in (base, ours.get(base, base.removeprefix("Retrieval"))):
            names |= {written: (base, {}), f"{written}@3": (base, {"top_k": 3})}

    def value(name: str, labels: Any, scores: Any) -> float:
        base, options = names[name]
        if "DCG" not in base and not np.isin(labels, (0, 1)).all():
            raise ValueError("it takes the labels 0 and 1 only")
        target = torch.tensor(labels if "DCG" in base else labels.astype(np.int64))
        metric = getattr(retrieval, base)(**options)
        return float(metric(torch.tensor(scores), target, indexes=torch.zeros(len(labels), dtype=torch.int64)))

    return list(names), of_arrays(value)


def sklearn() -> tuple[list[str], Callable[[str, Nested, Nested], Values]]:
    metrics = pytest.importorskip("sklearn.metrics")
    on_matrices = (
        "ndcg_score",
        "dcg_score",
        "label_ranking_average_precision_score",
        "label_ranking_loss",
        "coverage_error",
    )
    bases = [*on_matrices, "average_precision_score", "roc_auc_score", "top_k_accuracy_score"]
    names: dict[str, tuple[str, dict[str, int]]] = {}
    for base in bases:
        for written in (base, base.removesuffix("_score")):
            names[written] = (base, {})
            if "dcg" in base:
                names[f"{written}@3"] = (base, {"k": 3})

    def value(name: str, labels: Any, scores: Any) -> float:
        base, options = names[name]
        function = getattr(metrics, base)
        return float(function([labels], [scores], **options) if base in on_matrices else function(labels, scores))

    return list(names), of_arrays(value)


def catboost() -> tuple[list[str], Callable[[str, Nested, Nested], Values]]:
    utils = pytest.importorskip("catboost.utils")
    of_cutoffs = (
        "NDCG",
        "DCG",
        "MAP",
        "MRR",
        "ERR",
        "PrecisionAt",
        "RecallAt",
        "PFound",
        "AverageGain",
        "QueryAverage",
    )
    theirs = {f"{base}@3": f"{base}:top=3" for base in of_cutoffs} | {base: base for base in of_cutoffs}
    theirs |= {base: base for base in ("AUC", "AUC:type=Ranking", "QueryAUC", "NDCG:top=3;type=Exp", "NDCG:top=3")}

    def value(name: str, labels: Any, scores: Any) -> float:
        group = np.zeros(len(labels), np.int64)
        return float(utils.eval_metric(labels, scores, theirs[name], group_id=group, thread_count=1)[0])

    return list(theirs), of_arrays(value)


def lightgbm() -> tuple[list[str], Callable[[str, Nested, Nested], Values]]:
    tool = pytest.importorskip("lightgbm")
    bases = ("ndcg", "map", "mean_average_precision", "auc", "average_precision")

    def values(name: str, qrels: Nested, run: Nested) -> Values:
        rows = [(qrels[query].get(doc, 0), score) for query in qrels for doc, score in run[query].items()]
        labels, scores = map(np.array, zip(*rows, strict=True))
        base, _, k = name.partition("@")
        sizes = [len(run[query]) for query in qrels]
        data = tool.Dataset(np.zeros((len(rows), 1)), labels, group=sizes, init_score=scores, params={"verbose": -1})
        options: dict[str, Any] = {"objective": "lambdarank", "metric": base, "eval_at": [int(k or 1000)]}
        options |= {"verbose": -1, "num_threads": 1}
        ((_, _, found, _),) = tool.Booster(options, data).eval_train()
        return float(found)

    return [f"{base}{cutoff}" for base in bases for cutoff in ("", "@3")], values


def xgboost() -> tuple[list[str], Callable[[str, Nested, Nested], Values]]:
    tool = pytest.importorskip("xgboost")
    names = [
        f"{base}{cutoff}{empty}" for base in ("ndcg", "map", "pre") for cutoff in ("", "@3") for empty in ("", "-")
    ]

    def values(name: str, qrels: Nested, run: Nested) -> Values:
        rows = [(qrels[query].get(doc, 0), score) for query in qrels for doc, score in run[query].items()]
        labels, scores = map(np.array, zip(*rows, strict=True))
        sizes = [len(run[query]) for query in qrels]
        data = tool.DMatrix(np.zeros((len(rows), 1)), labels, base_margin=scores, group=sizes)
        booster = tool.Booster({"objective": "rank:ndcg", "eval_metric": name, "nthread": 1}, [data])
        return float(booster.eval_set([(data, "here")]).rpartition(":")[2])

    return [*names, "auc", "aucpr"], values


def beir() -> tuple[list[str], Callable[[str, Nested, Nested], Values]]:
    tool = pytest.importorskip("beir.retrieval.evaluation", exc_type=ImportError).EvaluateRetrieval
    of_custom = {"MRR@3": "mrr", "R_cap@3": "r_cap", "Hole@3": "hole", "Accuracy@3": "acc"}

    def values(name: str, qrels: Nested, run: Nested) -> Values:
        results = {query: dict(docs) for query, docs in run.items()}
        parts = tool.evaluate(qrels, results, [3])  # which takes documents out of the results
        if name in of_custom:
            parts = (tool.evaluate_custom(qrels, results, [3], of_custom[name]),)
        (found,) = (part[name] for part in parts if name in part)
        return float(found)

    return ["NDCG@3", "MAP@3", "Recall@3", "P@3", *of_custom], values


def mteb() -> tuple[list[str], Callable[[str, Nested, Nested], Values]]:
    tool = source("mteb", "_evaluators/retrieval_metrics.py", "mteb", "mteb.types")

    def scores(qrels: Nested, run: Nested) -> dict[str, float]:
        found = tool.calculate_retrieval_scores(run, qrels, [1, 3])
        names = ("ndcg", "map", "recall", "precision", "naucs", "mrr", "naucs_mrr", "hit_rate")
        parts = {{"map": "_map"}.get(name, name): getattr(found, name) for name in names}
        return dict(tool.make_score_dict(**parts, task_scores={}))

    return list(scores(*drawn((0, 1), 14))), lambda name, qrels, run: float(scores(qrels, run)[name])


def recommenders() -> tuple[list[str], Callable[[str, Nested, Nested], Values]]:
    tool = pytest.importorskip("recommenders.evaluation.python_evaluation", exc_type=ImportError)
    pandas = pytest.importorskip("pandas")
    written = {name.replace("at_k", "at_3"): name for name in tool.metrics}
    written |= {name.replace("_at_3", "@3"): theirs for name, theirs in written.items()}

    def values(name: str, qrels: Nested, run: Nested) -> Values:
        columns = (("rating", qrels), ("prediction", run))
        frames = [
            pandas.DataFrame(
                [(query, doc, value) for query, docs in table.items() for doc, value in docs.items()],
                columns=["userID", "itemID", column],
            )
            for column, table in columns
        ]
        return float(tool.metrics[written[name]](*frames, k=3 if "3" in name else 100))

    return list(written), values


def sentence_transformers() -> tuple[list[str], Callable[[str, Nested, Nested], Values]]:
    base = "sentence_transformers.base.evaluation.evaluator"
    stubs = ("sentence_transformers.base", "sentence_transformers.base.evaluation", base)
    more = ("sentence_transformers", "sentence_transformers.util", "sentence_transformers.util.similarity")
    path = "sentence_transformer/evaluation/information_retrieval.py"
    tool = source("sentence_transformers", path, *stubs, *more).InformationRetrievalEvaluator
    kinds = ("accuracy", "precision", "recall", "ndcg", "mrr", "map")

    def values(name: str, qrels: Nested, run: Nested) -> Values:
        relevant = {query: {doc for doc, label in docs.items() if label > 0} for query, docs in qrels.items()}
        queries = [query for query in qrels if relevant[query]]
        evaluator = tool.__new__(tool)
        vars(evaluator).update(relevant_docs=relevant, queries_ids=queries, queries=queries)
        for option in ("accuracy_at_k", "precision_recall_at_k", "mrr_at_k", "ndcg_at_k", "map_at_k"):
            setattr(evaluator, option, [3])
        hits = [[{"corpus_id": doc, "score": score} for doc, score in run[query].items()] for query in queries]
        return float(evaluator.compute_metrics(hits)[f"{name.split('@')[0]}@k"][3])

    return [f"{kind}@3" for kind in kinds], values


def sentence_transformers_reranking() -> tuple[list[str], Callable[[str, Nested, Nested], Values]]:
    base = "sentence_transformers.base.evaluation.evaluator"
    stubs = ("sentence_transformers", "sentence_transformers.base", "sentence_transformers.base.evaluation", base)
    tool = source(
        "sentence_transformers", "cross_encoder/evaluation/reranking.py", *stubs
    ).CrossEncoderRerankingEvaluator
    evaluator = tool.__new__(tool)
    evaluator.at_k = 3

    def value(name: str, labels: Any, scores: Any) -> float:
        relevant = (labels > 0).astype(int)
        found = evaluator.compute_metrics(relevant, scores) if relevant.any() else (0.0, 0.0, 0.0)
        return float(dict(zip(("mrr@3", "ndcg@3", "map"), found, strict=True))[name])

    return ["map", "mrr@3", "ndcg@3"], of_arrays(value)


#: The tools, each with the least number of names for which its number must come out, on all data together.
PEERS = {
    pytrec_eval: 280,
    ir_measures: 400,
    ranx: 100,
    torchmetrics: 70,
    sklearn: 35,
    catboost: 60,
    lightgbm: 25,
    xgboost: 30,
    beir: 30,
    mteb: 50,
    recommenders: 20,
    sentence_transformers: 30,
    sentence_transformers_reranking: 15,
}
#: Values that a tool rounds.
ROUNDED: dict[str, str | tuple[str, ...]] = {"ir_measures": ("ERR", "nDCG(dcg='exp-log2')"), "beir": "", "mteb": ""}


def is_close(ours: float, theirs: float, like: str, name: str) -> bool:
    atol = 6e-6 if name.startswith(ROUNDED.get(like, ("?",))) else 2e-6 if like == "torchmetrics" else 1e-9
    return math.isclose(ours, theirs, rel_tol=1e-6, abs_tol=atol) or (math.isnan(ours) and math.isnan(theirs))


SLOW = (ir_measures, ranx, torchmetrics, lightgbm, xgboost, recommenders)


@pytest.mark.parametrize(
    "peer",
    [pytest.param(peer, marks=pytest.mark.slow if peer in SLOW else (), id=peer.__name__) for peer in PEERS],
)
def test_no_name_of_a_peer_gives_another_number_in_silence(peer: Callable[[], Any]) -> None:
    like = peer.__name__
    names, values = peer()
    wrong, n_same = [], 0
    for kind, qrels, run in cases():
        for name in names:
            try:
                ours = ir.evaluate(qrels, run, name, like=like)
            except (OptionError, DataError):
                continue
            try:
                theirs = values(name, qrels, run)
            except Exception:
                continue
            (mean,), (per_query,) = ours.mean.values(), ours.per_query.values()
            if not isinstance(theirs, float) and ours.filled[name].aggregate == "sum":
                theirs = sum(theirs.values())  # a missing query may be left out, or have the value 0
            if isinstance(theirs, float):
                is_same = is_close(mean, theirs, like, name)
            else:
                own = dict(zip(map(str, ours.query_ids), per_query.tolist(), strict=True))
                own = {query: value for query, value in own.items() if value == value}
                known = {query: value for query, value in theirs.items() if value == value}
                is_same = own.keys() == known.keys() and all(is_close(own[q], known[q], like, name) for q in own)
            n_same += is_same
            if not is_same and not NOTES & {problem.kind for problem in ours.problems}:
                wrong.append(f"{name} ({kind}): {per_query.tolist()}, mean {mean}; {like} has {theirs}")
    assert not wrong, "\n".join(wrong)
    assert n_same >= PEERS[peer], n_same
