"""What `like=TOOL` gives against what the tool gives: run side by side where it is installed, stated where it is not.

Tools that are not installed are skipped; `pip install 'idealrank[peers]'` brings those that pip can bring. The first
run ever takes a minute longer, in which ranx is compiled.
"""

import math
import pkgutil
import shutil
import subprocess
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import idealrank as ir
from idealrank._typing import Floats
from idealrank.errors import DataError
from idealrank.evaluation import trec_eval
from idealrank.measures.conventions import CONVENTION_NAMES, Convention, convention

# numba says this of ranx's code whenever it compiles it anew.
pytestmark = pytest.mark.filterwarnings("ignore:unsafe cast from uint64 to int64")

Nested = dict[str, dict[str, Any]]

#: Every measure that is compared with a running tool: {convention: {our name: the tool's}}.
THEIR_NAMES: dict[str, dict[str, str]] = {
    "pytrec_eval": {
        "ndcg": "ndcg",
        "ndcg@1": "ndcg_cut_1",
        "ndcg@3": "ndcg_cut_3",
        "ap": "map",
        "ap@3": "map_cut_3",
        "rr": "recip_rank",
        "p": "set_P",
        "p@3": "P_3",
        "recall": "set_recall",
        "recall@3": "recall_3",
        "f1": "set_F",
        "hit_rate@3": "success_3",
        "r_precision": "Rprec",
        "bpref": "bpref",
    },
    "ir_measures": {
        "ndcg": "nDCG",
        "ndcg@1": "nDCG@1",
        "ndcg@3": "nDCG@3",
        "ap": "AP",
        "ap@3": "AP@3",
        "rr": "RR",
        "rr@3": "RR@3",
        "p": "SetP",
        "p@3": "P@3",
        "recall": "SetR",
        "recall@3": "R@3",
        "f1": "SetF",
        "hit_rate@3": "Success@3",
        "r_precision": "Rprec",
        "bpref": "Bpref",
        "judged": "Judged",
        "judged@3": "Judged@3",
    },
    "ranx": {
        "ndcg": "ndcg",
        "ndcg@1": "ndcg@1",
        "ndcg@3": "ndcg@3",
        "ndcg(gain=exp2)": "ndcg_burges",
        "dcg": "dcg",
        "dcg@3": "dcg@3",
        "ap": "map",
        "ap@3": "map@3",
        "rr": "mrr",
        "rr@3": "mrr@3",
        "p": "precision",
        "p@3": "precision@3",
        "recall@3": "recall@3",
        "f1": "f1",
        "f1@3": "f1@3",
        "hit_rate@3": "hit_rate@3",
        "r_precision": "r-precision",
        "bpref": "bpref",
        "rbp(p=0.8)": "rbp.80",
    },
    "gdeval": {"ndcg@3": "ndcg@3", "err@3": "err@3"},
    "msmarco": {"rr@3": "RR@3"},
    "sklearn": {
        "ndcg": "ndcg_score",
        "ndcg@1": "ndcg_score@1",
        "ndcg@3": "ndcg_score@3",
        "dcg": "dcg_score",
        "dcg@3": "dcg_score@3",
        "ap": "average_precision_score",
        "auc": "roc_auc_score",
    },
    "torchmetrics": {
        "ndcg": "RetrievalNormalizedDCG",
        "ndcg@1": "RetrievalNormalizedDCG@1",
        "ndcg@3": "RetrievalNormalizedDCG@3",
        "ap": "RetrievalMAP",
        "ap@2": "RetrievalMAP@2",
        "ap@3": "RetrievalMAP@3",
        "rr": "RetrievalMRR",
        "rr@3": "RetrievalMRR@3",
        "p": "RetrievalPrecision",
        "p@3": "RetrievalPrecision@3",
        "p@10": "RetrievalPrecision@10",
        "recall@3": "RetrievalRecall@3",
        "hit_rate@3": "RetrievalHitRate@3",
        "r_precision": "RetrievalRPrecision",
    },
    "lightgbm": {
        "ndcg": "ndcg@1000",
        "ndcg@1": "ndcg@1",
        "ndcg@3": "ndcg@3",
        "ap": "map@1000",
        "ap@2": "map@2",
        "ap@3": "map@3",
    },
    "xgboost": {
        "ndcg": "ndcg",
        "ndcg@1": "ndcg@1",
        "ndcg@3": "ndcg@3",
        "ndcg(empty=0)@3": "ndcg@3-",
        "ap": "map",
        "ap@2": "map@2",
        "ap(empty=0)@3": "map@3-",
        "p": "pre",
        "p@3": "pre@3",
        "p@10": "pre@10",
    },
    "catboost": {
        "ndcg": "NDCG",
        "ndcg@1": "NDCG:top=1",
        "ndcg@3": "NDCG:top=3",
        "ndcg(gain=exp2)": "NDCG:type=Exp",
        "ndcg(gain=exp2)@3": "NDCG:top=3;type=Exp",
        "ndcg(discount=zipf)": "NDCG:denominator=Position",
        "dcg": "DCG",
        "dcg@3": "DCG:top=3",
        "ap": "MAP",
        "ap@2": "MAP:top=2",
        "ap@3": "MAP:top=3",
        "rr": "MRR",
        "rr@3": "MRR:top=3",
        "p": "PrecisionAt",
        "p@3": "PrecisionAt:top=3",
        "p@10": "PrecisionAt:top=10",
        "recall": "RecallAt",
        "recall@3": "RecallAt:top=3",
    },
}


def cut(name: str) -> tuple[str, int | None]:
    base, _, k = name.partition("@")
    return base, int(k) if k else None


def of_one_query(labels: Sequence[float], scores: Sequence[float], letters: str = "") -> tuple[Nested, Nested]:
    """Judgments and a run of the query 1, with the documents d1, d2, ..., or these letters; NaN is not judged."""
    docs = list(letters) or [f"d{row}" for row in range(1, len(labels) + 1)]
    judged = {doc: label for doc, label in zip(docs, labels, strict=True) if not math.isnan(label)}
    return {"1": judged}, {"1": {doc: float(score) for doc, score in zip(docs, scores, strict=True)}}


def run_pytrec_eval(names: Sequence[str], qrels: Nested, run: Nested) -> Nested:
    """{query: {measure: value}}, as all that take judgments and a run."""
    evaluator = pytest.importorskip("pytrec_eval").RelevanceEvaluator(qrels, set(names))
    values: Nested = evaluator.evaluate(run)
    return values


def run_ir_measures(names: Sequence[str], qrels: Nested, run: Nested, provider: str | None = None) -> Nested:
    ir_measures = pytest.importorskip("ir_measures")
    named = {}
    for name in names:
        base, k = cut(name)
        measure = getattr(ir_measures, base)
        named[measure if k is None else measure @ k] = name
    tool = ir_measures if provider is None else ir_measures.providers.registry[provider]
    values: Nested = {}
    for metric in tool.iter_calc(list(named), qrels, run):
        values.setdefault(metric.query_id, {})[named[metric.measure]] = metric.value
    return values


def run_msmarco(names: Sequence[str], qrels: Nested, run: Nested) -> Nested:
    return run_ir_measures(names, qrels, run, provider="msmarco")


def run_ranx(names: Sequence[str], qrels: Nested, run: Nested) -> Nested:
    ranx = pytest.importorskip("ranx")
    table = ranx.Qrels(qrels), ranx.Run(run)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # numba has some when it compiles ranx
        values = {name: ranx.evaluate(*table, name, return_mean=False) for name in names}
    return {query: {name: values[name][number] for name in names} for number, query in enumerate(sorted(qrels))}


def run_gdeval(names: Sequence[str], qrels: Nested, run: Nested) -> Nested:
    """gdeval.pl as ir_measures brings it; queries are numbers, values have 5 decimals."""
    pytest.importorskip("ir_measures")
    perl = shutil.which("perl") or pytest.skip("gdeval.pl needs perl")
    script = pkgutil.get_data("ir_measures", "bin/gdeval.pl")
    assert script is not None
    with tempfile.TemporaryDirectory() as name:
        paths = [Path(name) / file for file in ("gdeval.pl", "qrels", "run")]
        paths[0].write_bytes(script)
        judged = [f"{query} 0 {doc} {label}\n" for query, docs in qrels.items() for doc, label in docs.items()]
        ranked = [f"{query} Q0 {doc} 1 {score!r} x\n" for query, docs in run.items() for doc, score in docs.items()]
        for path, lines in zip(paths[1:], (judged, ranked), strict=True):
            path.write_text("".join(lines), encoding="utf-8")
        done = subprocess.run([perl, *paths, "3"], check=True, capture_output=True, text=True)
    rows = [line.split(",") for line in done.stdout.splitlines()]
    return {row[1]: dict(zip(rows[0][2:], map(float, row[2:]), strict=True)) for row in rows[1:]}


def run_sklearn(name: str, labels: Floats, scores: Floats) -> float:
    """One value, as all that take arrays."""
    metrics = pytest.importorskip("sklearn.metrics")
    base, k = cut(name)
    if base.endswith("dcg_score"):
        return float(getattr(metrics, base)([labels], [scores], k=k))
    return float(getattr(metrics, base)(labels, scores))


def run_torchmetrics(name: str, labels: Floats, scores: Floats) -> float:
    retrieval, torch = pytest.importorskip("torchmetrics.retrieval"), pytest.importorskip("torch")
    base, k = cut(name)
    metric = getattr(retrieval, base)(**({} if k is None else {"top_k": k}))
    target = torch.tensor(labels if base == "RetrievalNormalizedDCG" else labels.astype(np.int64))
    return float(metric(torch.tensor(scores), target, indexes=torch.zeros(len(labels), dtype=torch.int64)))


def run_catboost(name: str, labels: Floats, scores: Floats) -> float:
    utils = pytest.importorskip("catboost.utils")
    return float(utils.eval_metric(labels, scores, name, group_id=np.zeros(len(labels), np.int64), thread_count=1)[0])


def lightgbm_means(names: Sequence[str], labels: Floats, scores: Floats, sizes: Sequence[int]) -> dict[str, float]:
    """{measure: mean over queries}, by LightGBM itself, of a model without trees that starts from the scores."""
    lightgbm = pytest.importorskip("lightgbm")
    bases, ks = zip(*map(cut, names), strict=True)
    data = lightgbm.Dataset(np.zeros((len(labels), 1)), labels, group=sizes, init_score=scores, params={"verbose": -1})
    parameters = {"objective": "lambdarank", "metric": sorted(set(bases)), "eval_at": sorted(set(ks))}
    booster = lightgbm.Booster(parameters | {"verbose": -1, "num_threads": 1}, data)
    return {name: value for _, name, value, _ in booster.eval_train()}


def xgboost_means(names: Sequence[str], labels: Floats, scores: Floats, sizes: Sequence[int]) -> dict[str, float]:
    """As LightGBM's."""
    xgboost = pytest.importorskip("xgboost")
    data = xgboost.DMatrix(np.zeros((len(labels), 1)), labels, base_margin=scores, group=sizes)
    booster = xgboost.Booster({"objective": "rank:ndcg", "eval_metric": names, "nthread": 1}, [data])
    values = booster.eval_set([(data, "here")]).split("\t")[1:]
    return {name: float(value) for name, value in (each.removeprefix("here-").rsplit(":", 1) for each in values)}


def run_lightgbm(name: str, labels: Floats, scores: Floats) -> float:
    return lightgbm_means([name], labels, scores, [len(labels)])[name]


def run_xgboost(name: str, labels: Floats, scores: Floats) -> float:
    return xgboost_means([name], labels, scores, [len(labels)])[name]


#: Tools that take judgments and a run, and tools that take arrays.
ON_RUNS: dict[str, Callable[[Sequence[str], Nested, Nested], Nested]] = {
    "pytrec_eval": run_pytrec_eval,
    "ir_measures": run_ir_measures,
    "ranx": run_ranx,
    "gdeval": run_gdeval,
    "msmarco": run_msmarco,
}
ON_ARRAYS: dict[str, Callable[[str, Floats, Floats], float]] = {
    "sklearn": run_sklearn,
    "torchmetrics": run_torchmetrics,
    "catboost": run_catboost,
    "lightgbm": run_lightgbm,
    "xgboost": run_xgboost,
}

# Ties; and pairs that are equal as float32, but not as double.
APART = (-1.0, 0.0, 0.5, 1.0, 2.0, 3.0)
CLOSE = (*APART, 1.0 + 1e-9, 1e8, 1e8 + 1)
# In byte order d10 < d2 < d9 < z < é.
DOCS = st.sampled_from(["d1", "d10", "d2", "d3", "d9", "z", "é", "Z"])
QUERIES = st.sampled_from(["2", "10", "3"])


class Case(NamedTuple):
    qrels: Nested
    run: Nested


@st.composite
def cases(
    draw: st.DrawFn, scores: Sequence[float] = CLOSE, least: int = -1, most: int = 4, same_queries: bool = False
) -> Case:
    """Judgments and a run with a query in common, and others on one side only; documents likewise."""
    # pytrec_eval can hang where all labels of a query are negative.
    judged = st.dictionaries(DOCS, st.integers(least, most), min_size=1).filter(lambda docs: max(docs.values()) >= 0)
    retrieved = st.dictionaries(DOCS, st.sampled_from(scores), min_size=1)
    qrels = {"1": draw(judged), **draw(st.dictionaries(QUERIES, judged))}
    if same_queries:
        return Case(qrels, {query: draw(retrieved) for query in qrels})
    return Case(qrels, {"1": draw(retrieved), **draw(st.dictionaries(QUERIES, retrieved))})


class Lists(NamedTuple):
    labels: Floats
    scores: Floats
    sizes: list[int]

    @property
    def offsets(self) -> list[int]:
        return [0, *np.cumsum(self.sizes).tolist()]

    def each(self) -> Iterator[tuple[int, Floats, Floats]]:
        for query, end in enumerate(self.offsets[1:]):
            rows = slice(end - self.sizes[query], end)
            yield query, self.labels[rows], self.scores[rows]


def lists_of(*queries: Sequence[npt.ArrayLike]) -> Lists:
    labels, scores = ([np.array(query[column], float) for query in queries] for column in (0, 1))
    return Lists(np.concatenate(labels), np.concatenate(scores), [each.size for each in labels])


def lists(labels: Sequence[float] = (0, 1, 2, 3, 4), scores: Sequence[float] = CLOSE) -> st.SearchStrategy[Lists]:
    """Ragged lists, some with nothing relevant; half of the examples binary, half graded."""

    def some(labels: Sequence[float]) -> st.SearchStrategy[Lists]:
        docs = st.lists(st.tuples(st.sampled_from(labels), st.sampled_from(scores)), min_size=1, max_size=8)
        queries = st.lists(docs.map(lambda pairs: tuple(zip(*pairs, strict=True))), min_size=1, max_size=4)
        return queries.map(lambda drawn: lists_of(*drawn))

    return st.one_of(some((0, 1)), some(labels))


def check_runs(like: str, case: Case, tool: str, measures: Sequence[str], atol: float = 1e-12) -> None:
    """Both have the same queries, and the same value for each."""
    theirs = ON_RUNS[tool]([THEIR_NAMES[tool][name] for name in measures], *case)
    ours = ir.evaluate(*case, measures, like=like)
    for name in measures:
        values = dict(zip(ours.query_ids, ours.per_query[name].tolist(), strict=True))
        values = {query: value for query, value in values.items() if not math.isnan(value)}
        assert values.keys() == theirs.keys(), name
        expected = [theirs[query][THEIR_NAMES[tool][name]] for query in values]
        assert_allclose(list(values.values()), expected, rtol=1e-12, atol=atol, err_msg=name)


@pytest.mark.parametrize("like", ["pytrec_eval", "trec_eval"])
@given(case=cases())
def test_pytrec_eval_which_holds_the_code_of_trec_eval_9(like: str, case: Case) -> None:
    check_runs(like, case, "pytrec_eval", list(THEIR_NAMES["pytrec_eval"]))


@settings(max_examples=25)
@given(case=cases(scores=APART, same_queries=True))
def test_trec_eval_10_is_trec_eval_9_where_float32_keeps_scores_apart_and_no_query_is_missing(case: Case) -> None:
    check_runs("trec_eval10", case, "pytrec_eval", list(THEIR_NAMES["pytrec_eval"]))


@settings(max_examples=25)
@given(case=cases(least=-1, same_queries=True))
def test_rbp_of_trec_eval_10_is_that_of_the_command(case: Case) -> None:
    theirs = np.asarray(trec_eval.evaluate(*case, ["rbp.p=0.8"]).per_query["rbp_p=0.8"], float)
    ours = ir.evaluate(*case, ["rbp(p=0.8)"], like="trec_eval10")
    by_query = dict(zip(ours.query_ids, ours.per_query["rbp(p=0.8)"].tolist(), strict=True))
    assert_allclose([by_query[query] for query in sorted(case.qrels)], theirs, rtol=1e-12, atol=0)


def test_rbp_on_the_data_of_trec_evals_own_tests(real_data: Path) -> None:
    folder = real_data / "trec_eval"
    qrels, run = ir.read_qrels(folder / "qrels.rel_level.xz"), ir.read_run(folder / "results.test.xz")
    theirs = float(trec_eval.evaluate(qrels, run, ["rbp.p=0.8"]).summary["rbp_p=0.8"])
    ours = ir.evaluate(qrels, run, "rbp(p=0.8)", like="trec_eval10").mean["rbp(p=0.8)"]
    assert_allclose(ours, theirs, rtol=1e-12, atol=0)


@given(case=cases())
def test_ir_measures(case: Case) -> None:
    check_runs("ir_measures", case, "ir_measures", list(THEIR_NAMES["ir_measures"]))


@given(case=cases())
def test_msmarco_as_ir_measures_brings_it(case: Case) -> None:
    check_runs("msmarco", case, "msmarco", ["rr@3"])


@settings(max_examples=15)
@given(case=cases())
def test_gdeval_to_its_five_decimals(case: Case) -> None:
    check_runs("gdeval", case, "gdeval", ["ndcg@3", "err@3"], atol=6e-6)


@pytest.mark.slow
@settings(max_examples=10)
@given(case=cases(same_queries=True))
def test_ranx_up_to_15_documents_where_its_order_of_ties_is_defined(case: Case) -> None:
    check_runs("ranx", case, "ranx", [name for name in THEIR_NAMES["ranx"] if not name.startswith("bpref")])


@pytest.mark.slow
@settings(max_examples=25)
@given(case=cases(least=0, same_queries=True))
def test_ranx_bpref_where_a_document_is_judged_relevant_and_another_not(case: Case) -> None:
    for judged in case.qrels.values():
        judged |= {"d0": 0, "z": 1}
    check_runs("ranx", case, "ranx", ["bpref"])


def defined(like: str, name: str, labels: Floats, scores: Floats) -> bool:
    """Whether the tool has this measure of such a list, and its note in conventions.py makes no reservation."""
    binary = bool(np.isin(labels, (0, 1)).all())
    if like == "sklearn" and "dcg" in name:
        return labels.size > 1
    if like == "sklearn":
        tied = np.unique(scores).size < scores.size
        return binary and labels.min() < labels.max() and not (tied and name == "average_precision_score")
    if like == "torchmetrics" and "DCG" not in name:
        # Equal scores are sorted as it happens.
        return bool(binary and np.unique(scores.astype(np.float32)).size == scores.size)
    if like == "xgboost":
        return bool(binary or name.startswith("ndcg"))
    return True


def check_arrays(like: str, case: Lists, tolerance: float) -> None:
    names = THEIR_NAMES[like]
    if like == "xgboost" and not np.isin(case.labels, (0, 1)).all():
        names = {name: theirs for name, theirs in names.items() if theirs.startswith("ndcg")}  # it refuses the others
    ours = ir.evaluate(case.labels, case.scores, list(names), like=like, offsets=case.offsets).per_query
    for query, labels, scores in case.each():
        for name, theirs in names.items():
            if defined(like, theirs, labels, scores):
                value = ON_ARRAYS[like](theirs, labels, scores)
                assert_allclose(ours[name][query], value, rtol=tolerance, atol=tolerance, err_msg=name)


@settings(max_examples=40)
@given(case=lists(labels=(0, 0.25, 1, 2.5, 4)))
def test_sklearn_on_two_documents_and_more(case: Lists) -> None:
    check_arrays("sklearn", case, 1e-12)


@settings(max_examples=40)
@given(case=st.one_of(lists(labels=(0, 0.25, 1, 2.5, 4)), lists(scores=np.linspace(0.1, 9.7, 97).tolist())))
def test_torchmetrics_which_is_float32_throughout(case: Lists) -> None:
    check_arrays("torchmetrics", case, 1e-6)


@given(case=st.one_of(lists(labels=(0, 0.25, 0.5, 0.75, 1, 3)), lists(labels=(-5, -1, 0, 1))))
def test_catboost_with_labels_on_both_sides_of_its_border(case: Lists) -> None:
    check_arrays("catboost", case, 1e-12)


LONG = lists_of(([0] * 39 + [1], np.arange(40, 0, -1)), ([1] * 40, np.arange(40)), ([0] * 40, np.zeros(40)))


@pytest.mark.parametrize("like", ["lightgbm", "xgboost"])
@settings(max_examples=25)
@given(case=lists())
@example(case=LONG)
def test_means_over_queries_of_lightgbm_and_xgboost(like: str, case: Lists) -> None:
    names = {
        name: theirs for name, theirs in THEIR_NAMES[like].items() if defined(like, theirs, case.labels, case.scores)
    }
    means = {"lightgbm": lightgbm_means, "xgboost": xgboost_means}[like]
    theirs = means(list(names.values()), *case)
    ours = ir.evaluate(case.labels, case.scores, list(names), like=like, offsets=case.offsets).mean
    for name in names:
        assert_allclose(ours[name], theirs[names[name]], rtol=1e-12, atol=1e-12, err_msg=name)


@settings(max_examples=10)
@given(case=lists())
def test_the_mean_of_torchmetrics(case: Lists) -> None:
    retrieval, torch = pytest.importorskip("torchmetrics.retrieval"), pytest.importorskip("torch")
    queries = torch.tensor(np.repeat(np.arange(len(case.sizes)), case.sizes))
    theirs = retrieval.RetrievalNormalizedDCG()(torch.tensor(case.scores), torch.tensor(case.labels), indexes=queries)
    ours = ir.evaluate(case.labels, case.scores, "ndcg", like="torchmetrics", offsets=case.offsets).mean
    assert_allclose(ours["ndcg"], float(theirs), rtol=1e-6, atol=1e-6)


def check_retrieved(like: str, case: Case, names: Sequence[str]) -> None:
    """A tool that takes arrays sees the retrieved documents only; those that are not judged have the label 0."""
    tolerance = 1e-6 if like == "torchmetrics" else 1e-12
    graded = any(label > 1 for judged in case.qrels.values() for label in judged.values())
    names = [name for name in names if not (like == "xgboost" and graded and name == "ap")]  # refused
    ours = ir.evaluate(*case, names, like=like)
    for number, (query, docs) in enumerate(case.run.items()):
        labels = np.array([case.qrels[query].get(doc, 0) for doc in docs], float)
        scores = np.array(list(docs.values()))
        for name in names:
            if defined(like, THEIR_NAMES[like][name], labels, scores):
                value = ON_ARRAYS[like](THEIR_NAMES[like][name], labels, scores)
                assert_allclose(ours.per_query[name][number], value, rtol=tolerance, atol=tolerance, err_msg=name)


@pytest.mark.parametrize("like", ON_ARRAYS)
@settings(max_examples=20)
@given(case=st.one_of(cases(least=0, same_queries=True), cases(least=0, most=1, same_queries=True)))
def test_judgments_and_a_run_are_measured_on_the_retrieved_documents(like: str, case: Case) -> None:
    names = ("ndcg", "ndcg@3", "ap", "recall@3", "r_precision")
    check_retrieved(like, case, [name for name in names if name in THEIR_NAMES[like]])


class Long(NamedTuple):
    """Long lists: how many documents, and how many different scores."""

    n_docs: int
    n_scores: int
    most: int


LONG_LISTS = [Long(1000, 10, 4), Long(1000, 1, 1), Long(1000, 400, 1), Long(100, 3, 2), Long(17, 2, 1)]


def long_case(long: Long, seed: int = 0) -> Case:
    """Two queries of many documents with equal scores, some not judged, and some judged ones not retrieved."""
    rng = np.random.default_rng(seed)
    docs = [f"d{number}" for number in range(long.n_docs + 30)]
    levels = rng.choice(np.arange(1.0, 5000.0) / 7, long.n_scores, replace=False)
    qrels, run = {}, {}
    for query in ("1", "2"):
        judged = rng.permutation(docs)[: long.n_docs * 3 // 4].tolist()
        retrieved = rng.permutation(docs)[: long.n_docs].tolist()
        qrels[query] = dict(zip(judged, rng.integers(0, long.most + 1, len(judged)).tolist(), strict=True))
        run[query] = dict(zip(retrieved, rng.choice(levels, len(retrieved)).tolist(), strict=True))
    return Case(qrels, run)


def long_lists(long: Long, seed: int = 0) -> Lists:
    rng = np.random.default_rng(seed)
    levels = rng.choice(np.arange(1.0, 5000.0) / 7, long.n_scores, replace=False)
    sizes = (long.n_docs, long.n_docs // 2)
    return lists_of(*((rng.integers(0, long.most + 1, n), rng.choice(levels, n)) for n in sizes))


@pytest.mark.parametrize("long", LONG_LISTS, ids=str)
@pytest.mark.parametrize("like", ["trec_eval", "trec_eval10", *(like for like in ON_RUNS if like != "ranx")])
def test_long_lists_with_equal_scores_by_tools_that_take_runs(like: str, long: Long) -> None:
    tool = "pytrec_eval" if like.startswith("trec_eval") else like
    check_runs(like, long_case(long), tool, list(THEIR_NAMES[tool]), atol=6e-6 if like == "gdeval" else 1e-12)


@pytest.mark.parametrize("long", LONG_LISTS, ids=str)
@pytest.mark.parametrize("like", ON_ARRAYS)
def test_long_lists_with_equal_scores_by_tools_that_take_arrays(like: str, long: Long) -> None:
    check_arrays(like, long_lists(long), 2e-6 if like == "torchmetrics" else 1e-12)


def without_ties(case: Case) -> Case:
    rng = np.random.default_rng(1)
    run = {query: dict(zip(docs, rng.permutation(len(docs)).tolist(), strict=True)) for query, docs in case.run.items()}
    return Case(case.qrels, run)


@pytest.mark.slow
@pytest.mark.parametrize("long", LONG_LISTS, ids=str)
def test_ranx_on_long_lists_without_equal_scores(long: Long) -> None:
    case = without_ties(long_case(long))
    check_runs("ranx", case, "ranx", list(THEIR_NAMES["ranx"]))
    assert "undefined tie order" not in kinds_of(ir.evaluate(*case, "ndcg", like="ranx"))


def kinds_of(found: ir.results.Evaluation) -> list[str]:
    return [problem.kind for problem in found.problems]


@pytest.mark.parametrize(("like", "measure", "longest"), [("ranx", "ndcg", 15), ("torchmetrics", "rr", 1)])
def test_equal_scores_in_an_order_that_the_tool_does_not_define_are_noted(
    like: str, measure: str, longest: int
) -> None:
    def kinds(labels: npt.ArrayLike, scores: npt.ArrayLike, measure: str = measure) -> list[str]:
        return kinds_of(ir.evaluate(np.asarray(labels), np.asarray(scores), measure, like=like))

    relevant_first = [1.0] + [0.0] * longest
    assert "undefined tie order" in kinds(relevant_first, np.ones(longest + 1))
    assert "undefined tie order" not in kinds(relevant_first[:-1], np.ones(longest))
    assert "undefined tie order" not in kinds(np.zeros(longest + 1), np.ones(longest + 1))  # any order is the same
    assert "undefined tie order" not in kinds(relevant_first, np.arange(1, longest + 2))
    assert "undefined tie order" not in kinds(relevant_first, np.ones(longest + 1), f"{measure}(ties=stable)")
    assert "undefined tie order" not in kinds_of(
        ir.evaluate([1, 0], [1, 1], measure, like=like, offsets=[0, 1, 2])  # two queries
    )


def test_the_note_on_undefined_ties_names_tool_measures_and_what_is_done() -> None:
    (problem,) = [
        problem
        for problem in ir.evaluate([0, 1], [1, 1], ["ndcg", "rr", "p@1"], like="torchmetrics").problems
        if problem.kind == "undefined tie order"
    ]
    assert str(problem) == (
        "1 query has equal scores for documents with different labels: torchmetrics does not define their order "
        "in rr, p@1, and here it is the input order"
    )


#: Whose numbers are stated below.
VERSIONS = {
    "trec_eval": "trec_eval 9.0.8",
    "trec_eval10": "trec_eval 10.0",
    "pytrec_eval": "pytrec_eval-terrier 0.5.11",
    "ir_measures": "ir_measures 0.4.3",
    "ranx": "ranx 0.3.21",
    "sklearn": "scikit-learn 1.9.1",
    "torchmetrics": "torchmetrics 1.9.0",
    "tf_ranking": "TF-Ranking 0.5.5",
    "rax": "Rax 0.4.0",
    "lightgbm": "LightGBM 4.7.0",
    "xgboost": "XGBoost 3.2.0",
    "catboost": "CatBoost 1.2.10",
    "rectools": "RecTools 0.19.0",
    "recommenders": "recommenders 1.2.1",
    "spark": "pyspark 4.3.0",
    "letor1": "LETOR 1.0",
    "letor3": "LETOR 3.0",
    "letor4": "LETOR 4.0",
}


class Stated(NamedTuple):
    """One query, and {value, or "error": the tools that give it}."""

    about: str
    labels: tuple[float, ...]
    scores: tuple[float, ...]
    measure: str
    values: Mapping[float | str, str]
    docs: str = ""


FIRST_4, TIED_3 = (4.0, 3.0, 2.0, 1.0), (1.0, 1.0, 1.0)
TREC = "trec_eval trec_eval10 pytrec_eval ir_measures"
LINEAR = f"{TREC} ranx sklearn torchmetrics catboost"
EXP2 = "tf_ranking rax lightgbm xgboost"
STATED = [
    Stated("gain", (1, 3, 0, 2), FIRST_4, "ndcg", {
        0.788377: LINEAR, 0.714222: EXP2, 1.0: "recommenders", 0.967468: "spark"}),
    Stated("gain", (1, 3, 0, 2), FIRST_4, "ndcg@3", {
        0.607492: LINEAR, 0.576667: EXP2, 1.0: "recommenders", 0.765361: "spark"}),
    Stated("gain", (1, 3, 0, 2), FIRST_4, "ndcg(gain=linear)", {0.788377: "xgboost recommenders"}),
    Stated("gain", (1, 3, 0, 2), FIRST_4, "ndcg(gain=exp2)", {0.714222: "ranx catboost recommenders"}),
    Stated("discount", (1, 3, 0, 2), FIRST_4, "ndcg(discount=zipf)", {0.692308: "catboost"}),
    Stated("ties", (0, 0, 1), TIED_3, "ndcg", {
        1.0: TREC, 0.5: "ranx rax lightgbm xgboost catboost", 0.71031: "sklearn torchmetrics"}),
    Stated("ties", (1, 0, 0), TIED_3, "ndcg", {
        0.5: f"{TREC} catboost", 1.0: "ranx rax lightgbm xgboost", 0.71031: "sklearn torchmetrics"}),
    Stated("ties", (0, 0, 1), TIED_3, "ndcg(ties=reverse)", {1.0: "sklearn"}),
    Stated("ties", (1, 0, 0), TIED_3, "ndcg(ties=reverse)", {0.5: "sklearn"}),
    Stated("ties", (0, 1, 2), TIED_3, "ndcg", {
        1.0: TREC, 0.809953: "sklearn torchmetrics", 0.619906: "ranx catboost", 0.586883: "rax lightgbm xgboost"}),
    Stated("ties", (0, 1, 2), TIED_3, "ndcg(gain=linear)", {0.619906: "rax lightgbm xgboost"}),
    Stated("ties", (0, 1), (1, 1), "ndcg@1", {
        1.0: TREC, 0.5: "sklearn torchmetrics", 0.0: "ranx rax lightgbm xgboost catboost"}),
    Stated("ties", (0, 0, 1), TIED_3, "rr", {1.0: "ir_measures"}),
    Stated("ties", (0, 0, 1), TIED_3, "rr@3", {1 / 3: "ir_measures"}),
    *(Stated("precision", (0, 1), scores, "ndcg", {
        0.63093: "trec_eval pytrec_eval ir_measures xgboost", 0.815465: "torchmetrics",
        1.0: "trec_eval10 ranx sklearn rax lightgbm"}, docs="zb")
      for scores in ((0.123456781, 0.123456782), (100000000, 100000001))),
    Stated("precision", (0, 1), (0.123456781, 0.123456782), "rr", {0.5: "ir_measures"}, docs="zb"),
    Stated("precision", (0, 1), (0.123456781, 0.123456782), "rr@3", {1.0: "ir_measures"}, docs="zb"),
    Stated("float labels", (0.5, 0.9), (2, 1), "ndcg", {
        0.0: "trec_eval trec_eval10 ranx", "error": "pytrec_eval ir_measures lightgbm xgboost",
        0.878542: "sklearn torchmetrics catboost", 0.852081: "rax"}),
    Stated("float labels", (1.2, 2.7), (2, 1), "ndcg", {0.859719: "trec_eval ranx", 0.839865: "sklearn"}),
    Stated("negative labels", (-1, 1, 0), (3, 2, 1), "ndcg", {
        0.63093: f"{TREC} ranx", 1.0: "tf_ranking", 0.174573: "rax", -0.73814: "catboost",
        "error": "sklearn lightgbm xgboost"}),
    Stated("negative labels", (-1, 1, 0), (3, 2, 1), "ndcg(gain=exp2)", {0.174573: "catboost"}),
    Stated("negative ideal", (-5, 1), (2, 1), "ndcg", {
        1.0: "catboost", (-5 + 1 / math.log2(3)) / (1 - 5 / math.log2(3)): "torchmetrics", -0.868909: "rax"}),
    Stated("negative ideal", (-1, -2), (2, 1), "ndcg", {1.0: "rax catboost"}),
    Stated("negative ideal", (-1, -2), (1, 2), "ndcg", {1.094809: "rax", 1.0: "catboost"}),
    Stated("negative ideal", (-1, -2), (1, 2), "ndcg@1", {1.5: "rax", 2.0: "torchmetrics"}),
    Stated("RBP", (2, 1, 0), (3, 2, 1), "rbp(p=0.8)", {
        0.2 * (2 + 0.8): "ranx", 0.2 * (1 + 0.8 / 2): "trec_eval10"}),
    Stated("RBP without p", (2, 1, 0), (3, 2, 1), "rbp", {0.1 * (1 + 0.9 / 2): "trec_eval10"}),
    Stated("RBP", (0.5, 1), (2, 1), "rbp(p=0.8)", {0.2 * 0.8: "ranx trec_eval10"}),
    Stated("short list", (1,), (1,), "p@10", {0.0: "letor1 letor3", 0.1: "letor4"}),
    Stated("short list", (1,), (1,), "ndcg@10", {1.0: "letor1", 0.0: "letor3 letor4"}),
    Stated("short list", (1, 2, 0, 2), FIRST_4, "p@4", {0.75: "letor1 letor3 letor4"}),
    Stated("gain", (1, 2, 0, 2), FIRST_4, "ndcg@3", {0.603234: "letor1 letor3 letor4"}),
    Stated("gain", (1, 2, 0, 2), FIRST_4, "ndcg@4", {0.829446: "letor1 letor3 letor4"}),
    Stated("AP", (1, 2, 0, 2), FIRST_4, "ap", {0.916667: "letor1 letor3 letor4"}),
    Stated("highest label", (30, 0), (2, 1), "ndcg", {1.0: "lightgbm xgboost"}),
    Stated("highest label", (31, 0), (2, 1), "ndcg", {"error": "lightgbm", 1.0: "xgboost"}),
    Stated("highest label", (32, 0), (2, 1), "ndcg", {"error": "lightgbm xgboost"}),
    Stated("highest label", (32, 0), (2, 1), "ndcg(gain=linear)", {1.0: "lightgbm xgboost"}),
    *(Stated("graded labels", (2, 0), (2, 1), name, {"error": "xgboost"}) for name in ("ap", "p", "p@3")),
    Stated("AP divisor", (1, 0, 1, 1), FIRST_4, "ap@2", {
        1 / 3: f"{TREC} ranx rax tf_ranking rectools", 0.5: "lightgbm xgboost catboost spark", 1.0: "torchmetrics"}),
    Stated("AP divisor", (1, math.nan, 1, 1), FIRST_4, "ap@2", {0.5: "recommenders"}),
    Stated("AP", (1, 0, 1, 1), FIRST_4, "ap", {
        0.805556: f"{TREC} ranx rax tf_ranking rectools lightgbm xgboost catboost spark torchmetrics"}),
    Stated("AP of RecTools with divide_by_k", (1, 0, 1, 1), FIRST_4, "ap(denominator=reachable)@2", {0.5: "rectools"}),
    Stated("P divisor", (1, 1), (2, 1), "p@10", {
        0.2: f"{TREC} ranx torchmetrics", 1.0: "tf_ranking rax xgboost catboost"}),
    Stated("P with adaptive_k", (1, 1), (2, 1), "p(denominator=retrieved)@10", {1.0: "torchmetrics"}),
    Stated("ideal", (1, 0, 0), (3, 2, 1), "ndcg@3", {
        1.0: f"{LINEAR} {EXP2} spark", 0.469279: "rectools"}),
    Stated("one document", (1,), (1,), "ndcg", {1.0: "torchmetrics"}),
]  # fmt: skip
#: The tools whose first answer takes seconds, or a minute.
SLOW_TOOLS = {"ranx"}
STATED_OF = [
    pytest.param(stated, value, like, id=f"{stated.about} {stated.measure} {stated.labels} {VERSIONS[like]}")
    for stated in STATED
    for value, likes in stated.values.items()
    for like in likes.split()
]


@pytest.mark.parametrize(("stated", "value", "like"), STATED_OF)
def test_stated_values(stated: Stated, value: float | str, like: str) -> None:
    case = of_one_query(stated.labels, stated.scores, stated.docs)
    if isinstance(value, str):
        with pytest.raises(DataError, match=r"takes"):
            ir.evaluate(*case, stated.measure, like=like)
    else:
        assert_allclose(ir.evaluate(*case, stated.measure, like=like).mean[stated.measure], value, rtol=0, atol=6e-7)


@pytest.mark.parametrize(
    ("stated", "value", "like"),
    [
        pytest.param(*each.values, id=each.id, marks=pytest.mark.slow if each.values[2] in SLOW_TOOLS else ())
        for each in STATED_OF
        if each.values[0].measure in THEIR_NAMES.get(str(each.values[2]), ())  # type: ignore[union-attr]
    ],
)
@pytest.mark.sampled(3)
def test_the_tools_still_give_the_stated_values(stated: Stated, value: float | str, like: str) -> None:
    name = THEIR_NAMES[like][stated.measure]

    def by_tool() -> float:
        if like in ON_ARRAYS:
            return ON_ARRAYS[like](name, np.array(stated.labels, float), np.array(stated.scores, float))
        qrels, run = of_one_query(stated.labels, stated.scores, stated.docs)
        return float(ON_RUNS[like]([name], qrels, run)["1"][name])

    if isinstance(value, str):
        with pytest.raises(Exception, match=r"(?i)label|negative|integer|int"):
            by_tool()
    else:
        assert_allclose(by_tool(), value, rtol=0, atol=6e-7)


def test_tf_ranking_is_the_mean_over_the_orders_of_ties_that_it_draws() -> None:
    drawn = (1 / math.log2(2), 1 / math.log2(3), 1 / math.log2(4))
    ours = ir.evaluate([0, 0, 1], TIED_3, "ndcg", like="tf_ranking").mean["ndcg"]
    assert_allclose(ours, sum(drawn) / 3, rtol=1e-12, atol=0)


@pytest.mark.parametrize(
    ("measure", "mean", "likes"),
    [
        ("ndcg", 0.5, f"{TREC} ranx sklearn torchmetrics tf_ranking rax spark"),
        ("ndcg", 1.0, "lightgbm xgboost catboost gdeval"),
        ("ap", 1.0, "lightgbm xgboost"),
        ("ap", 0.5, "catboost"),
        ("rr", 0.5, "catboost"),
        ("ndcg(empty=0)", 0.5, "xgboost"),
        ("ndcg(empty=1)", 1.0, "torchmetrics"),
        ("ndcg(empty=skip)", 1.0, "torchmetrics"),
    ],
)
def test_stated_means_with_a_query_that_has_nothing_relevant(measure: str, mean: float, likes: str) -> None:
    qrels, run = {"1": {"a": 1, "b": 0}, "2": {"a": 0, "b": 0}}, {"1": {"a": 2, "b": 1}, "2": {"a": 2, "b": 1}}
    for like in likes.split():
        assert_allclose(ir.evaluate(qrels, run, measure, like=like).mean[measure], mean, rtol=1e-12, atol=0)


def test_xgboost_without_a_cut_off_stops_at_32() -> None:
    def last_of(n: int) -> dict[str, float]:
        scores = np.arange(n, 0, -1.0)
        return dict(ir.evaluate(np.eye(n)[n - 1], scores, ["ndcg", "ndcg@33", "ap", "p"], like="xgboost").mean)

    assert_allclose(list(last_of(32).values()), [0.19824, 0.19824, 1 / 32, 1 / 32], rtol=0, atol=6e-7)
    assert_allclose(list(last_of(33).values()), [0, 0.196562, 0, 0], rtol=0, atol=6e-7)


@pytest.mark.parametrize(
    ("rules", "mean"),
    [
        ("trec_eval", 1.0),
        (convention("trec_eval").replace(missing=0.0), 0.5),
        ("trec_eval10", None),
        ("pytrec_eval", 1.0),
        ("ir_measures", 0.5),
        ("ranx", None),
        ("recommenders", 0.5),
    ],
    ids=[
        "trec_eval 9.0.8",
        "trec_eval 9.0.8 -c",
        "trec_eval 10.0",
        "pytrec_eval",
        "ir_measures",
        "ranx",
        "recommenders",
    ],
)
def test_a_judged_query_that_the_run_leaves_out(rules: str | Convention, mean: float | None) -> None:
    qrels, run = {"1": {"a": 1}, "2": {"a": 1}}, {"1": {"a": 1.0}}
    if mean is None:
        with pytest.raises(DataError, match=r"the run has nothing for a judged query.*'2'"):
            ir.evaluate(qrels, run, "ndcg", like=rules)
    else:
        assert ir.evaluate(qrels, run, "ndcg", like=rules).mean["ndcg"] == mean


def test_trec_eval_with_option_j_drops_a_negative_label_too() -> None:
    judged_only = convention("trec_eval").replace(unjudged="drop")
    case = of_one_query((math.nan, -1, 1, 0), (4, 3, 2, 1))
    assert ir.evaluate(*case, "ndcg", like=judged_only).mean["ndcg"] == 1


def test_pytrec_eval_leaves_out_a_query_without_judgments_and_keeps_one_without_documents() -> None:
    case = {"1": {"a": 1}, "2": {}, "3": {"a": 1}}, {"1": {"a": 1.0}, "2": {"a": 1.0}, "3": {}}
    assert run_pytrec_eval(["ndcg"], *case) == {"1": {"ndcg": 1.0}, "3": {"ndcg": 0.0}}
    assert list(ir.evaluate(*case, "ndcg", like="pytrec_eval").query_ids) == ["1", "3"]


def test_a_document_that_stands_twice_in_a_run() -> None:
    qrels = {"1": {"a": 1, "b": 1}}
    rows = [("a", 1.0), ("c", 2.0), ("a", 3.0)]
    run = ir.Run.from_flat(
        ir.results.Ids.of(["1"]), [0, 3], ir.results.Ids.of([doc for doc, _ in rows]), [score for _, score in rows]
    )
    for like in ("trec_eval", "trec_eval10", "pytrec_eval"):
        with pytest.raises(DataError, match=f"is repeated.*{like} rejects"):
            ir.evaluate(qrels, run, "ndcg", like=like)
    for like in ("ir_measures", "ranx"):
        assert_allclose(ir.evaluate(qrels, run, "ndcg", like=like).mean["ndcg"], 0.613147, rtol=0, atol=6e-7)
    ir_measures = pytest.importorskip("ir_measures")
    scored = [ir_measures.ScoredDoc("1", *row) for row in rows]
    values = ir_measures.calc_aggregate([ir_measures.nDCG], qrels, scored)
    assert_allclose(list(values.values()), 0.613147, rtol=0, atol=6e-7)


@pytest.mark.parametrize("like", CONVENTION_NAMES)
def test_every_convention_refuses_a_score_that_is_not_a_number(like: str) -> None:
    with pytest.raises(DataError, match="a score must be a finite number, got nan"):
        ir.evaluate([1, 0], [math.nan, 1.0], "ndcg", like=like)


def test_the_letor_scripts_as_they_are_described() -> None:
    ideal, ranked = 7 + 3 + 1 / math.log2(3), 1 + 7 + 3 / math.log2(4)
    for like, at_5 in (("letor1", ranked / ideal), ("letor3", 0.0), ("letor4", 0.0)):
        values = ir.evaluate([1, 3, 0, 2], FIRST_4, ["ndcg@2", "ndcg@4", "ndcg@5", "ap"], like=like).mean
        assert_allclose(list(values.values()), [8 / 10, ranked / ideal, at_5, 11 / 12], rtol=1e-12, atol=0)
        assert ir.evaluate([0, 0, 1], TIED_3, "rr", like=like).mean["rr"] == 1 / 3  # in file order
        assert ir.evaluate([0, 0], [2, 1], ["ndcg@1", "ap"], like=like).mean == {"ndcg@1": 0, "ap": 0}


class Bug(NamedTuple):
    """What the notes of the conventions say is not repeated: the tool's value, and ours."""

    like: str
    measure: str
    labels: tuple[float, ...]
    scores: tuple[float, ...]
    theirs: float
    ours: float


BUGS = [
    Bug("torchmetrics", "ndcg", (-1, 1, 0), (3, 2, 1), 0.0, (-1 + 1 / math.log2(3)) / (1 - 1 / 2)),
    Bug("sklearn", "ap", (1, 0), (1, 1), 1 / 2, (1 + 1 / 2) / 2),
    Bug("ranx", "bpref", (1,), (1,), math.nan, 1.0),
    Bug("ranx", "bpref", (-1, 1), (2, 1), 0.0, 1.0),
]


@pytest.mark.parametrize(
    "bug",
    [pytest.param(bug, marks=pytest.mark.slow if bug.like in SLOW_TOOLS else ()) for bug in BUGS],
    ids=lambda bug: f"{bug.like} {bug.measure} {bug.labels}",
)
def test_what_is_not_repeated_is_as_the_note_says(bug: Bug) -> None:
    case = of_one_query(bug.labels, bug.scores)
    found = ir.evaluate(*case, bug.measure, like=bug.like)
    assert_allclose(found.mean[bug.measure], bug.ours, rtol=1e-12, atol=0)
    assert "differs from the tool" in [problem.kind for problem in found.problems]
    name = THEIR_NAMES[bug.like][bug.measure]
    if bug.like in ON_ARRAYS:
        theirs = ON_ARRAYS[bug.like](name, np.array(bug.labels, float), np.array(bug.scores, float))
    else:
        theirs = ON_RUNS[bug.like]([name], *case)["1"][name]
    assert_allclose(theirs, bug.theirs, rtol=1e-6, atol=1e-6)
    assert "not reproduced here, and a note says so" in convention(bug.like).note


def test_fractional_gains_do_not_upset_the_ideal_as_they_do_in_trec_eval() -> None:
    case = of_one_query((3, 2, 1), (3, 2, 1))
    for table in ("3>1:2>0.5:1>0.25", "1>0.1:2>0.5:3>0.9"):  # trec_eval: 0 and 0
        assert ir.evaluate(*case, f"ndcg(gain=table:{table})").mean == {f"ndcg(gain=table:{table})": 1.0}


PAGE = Path(__file__).parents[2] / "docs" / "presets.md"
TABLE: Any = import_module("docs.convention_table")


def divisor_of_precision(rules: Convention) -> str:
    divisor = "min(n, k)" if rules.option("denominator", "p", True) == "retrieved" else "k"
    return f"{divisor}; 0 if n < k" if rules.option("short", "p", True) == "zero" else divisor


def matrix() -> str:
    header = ["like", "gain", "discount", "equal scores", "nothing relevant", "ideal over", "missing query"]
    rows = [[*header, "scores as", "AP divided by", "P@k divided by", "checked against"]]
    for rules in map(convention, CONVENTION_NAMES):
        tool = "pytrec_eval" if rules.name == "trec_eval" else rules.name
        stated = any(name == tool for each in STATED for likes in each.values.values() for name in likes.split())
        source = "the tool" if tool in THEIR_NAMES else "its numbers" if stated and tool != "letor1" else "its code"
        rows.append([
            f"`{rules.name}`",
            TABLE.cell(rules, "gain"),
            TABLE.cell(rules, "discount"),
            TABLE.cell(rules, "ties", ("ndcg", "ap", "rr", "rr@k", "p", "recall", "judged")),
            TABLE.cell(rules, "empty", ("ndcg", "ap", "rr", "p", "recall")),
            TABLE.cell(rules, "ideal"),
            TABLE.cell(rules, "missing", ("ndcg", "rr")),
            TABLE.cell(rules, "precision", ("ndcg", "ap", "rr", "rr@k", "p", "recall", "judged")),
            TABLE.cell(rules, "denominator", ("ap",)),
            divisor_of_precision(rules),
            "itself" if rules.name == "idealrank" else source,
        ])  # fmt: skip
    return "\n".join(f"| {' | '.join(row)} |" for row in [rows[0], ["---"] * len(rows[0]), *rows[1:]])


def compared() -> str:
    """The measures compared with each running tool, cut-offs and options left out."""
    measures = {like: dict.fromkeys(ir.measure(name).label for name in names) for like, names in THEIR_NAMES.items()}
    return "\n".join(f"- `{like}`: {', '.join(labels)}" for like, labels in measures.items())


@pytest.mark.parametrize("part", [matrix, compared, TABLE.notes], ids=lambda part: part.__name__)
def test_the_page_on_presets_says_what_the_conventions_are(part: Callable[[], str]) -> None:
    text = part()
    assert text in PAGE.read_text(encoding="utf-8"), f"docs/presets.md should have:\n\n{text}\n"
