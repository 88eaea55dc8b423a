"""ir_measures, torchmetrics and Polars with idealrank's measures."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import idealrank as ir
from idealrank.errors import DataError, OptionError

DOCS = st.sampled_from(["d1", "d10", "d2", "d3", "d9", "z"])
QUERIES = st.sampled_from(["q1", "q2", "q3"])


class TestProviderOfIrMeasures:
    @settings(max_examples=30)
    @given(
        qrels=st.dictionaries(QUERIES, st.dictionaries(DOCS, st.integers(0, 3), min_size=1), min_size=1),
        run=st.dictionaries(QUERIES, st.dictionaries(DOCS, st.sampled_from([0.0, 0.5, 1.0]), min_size=1), min_size=1),
    )
    def test_it_gives_what_other_providers_give(self, qrels: dict[str, Any], run: dict[str, Any]) -> None:
        tool = pytest.importorskip("ir_measures")
        from idealrank.integrations.ir_measures import Provider

        graded = ["nDCG", "nDCG@2", "nDCG(judged_only=True)@3", "AP", "AP@2", "AP(rel=2)", "P@2", "P(rel=2)@1", "R@2"]
        binary = ["RR", "Success@1", "Rprec", "Bpref", "SetP", "SetR", "SetRelP", "SetF", "SetF(beta=0.5)", "SetAP"]
        others = ["infAP", "IPrec@0.5", "IPrec@0.0", "NumQ", "NumRel", "NumRet", "NumRet(rel=2)"]
        measures = [tool.parse_measure(name) for name in (*graded, *binary, *others)]
        provider = Provider()
        assert all(provider.supports(each) for each in measures)
        ours = {(each.query_id, each.measure): each.value for each in provider.iter_calc(measures, qrels, run)}
        theirs = {
            (each.query_id, each.measure): each.value for each in tool.pytrec_eval.iter_calc(measures, qrels, run)
        }
        assert ours.keys() == theirs.keys()
        for key, value in theirs.items():
            assert_allclose(ours[key], value, rtol=1e-12, atol=1e-12, err_msg=str(key))

    def test_it_is_registered_and_takes_other_ties(self) -> None:
        tool = pytest.importorskip("ir_measures")
        from idealrank.integrations.ir_measures import Provider

        assert "idealrank" in tool.providers.registry
        case = {"q": {"a": 0, "z": 1}}, {"q": {"a": 1.0, "z": 1.0}}
        assert Provider().calc_aggregate([tool.RR], *case) == {tool.RR: 1.0}
        assert Provider(ties="average").calc_aggregate([tool.RR], *case) == {tool.RR: 0.75}

    def test_gains_and_the_exponential_gain(self) -> None:
        tool = pytest.importorskip("ir_measures")
        from idealrank.integrations.ir_measures import Provider

        case = {"1": {"a": 1, "b": 2, "c": 0}}, {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}
        exponential = tool.nDCG(dcg="exp-log2") @ 3
        mapped = tool.nDCG(gains={1: 5, 2: 1})
        found = Provider().calc_aggregate([exponential, mapped], *case)
        gains = ir.evaluate(*case, ["ndcg(gain=exp2)@3", "ndcg(gain=table:0:5:1)"]).mean
        assert_allclose(list(found.values()), list(gains.values()), rtol=1e-12, atol=0)

    def test_measures_of_cwl_eval_and_err(self) -> None:
        tool = pytest.importorskip("ir_measures")
        from idealrank.integrations.ir_measures import Provider

        qrels = {"q": {"a": 1, "b": 2, "c": 0, "d": 1}, "r": {"a": 0, "b": 1}}
        run = {"q": {"c": 4.0, "b": 3.0, "x": 2.0, "a": 1.0}, "r": {"b": 2.0, "a": 1.0}}

        names = ["ERR@5", "ERR", "Compat(p=0.9)", "INST(T=2.0,max_rel=2)", "INSQ(max_rel=2)", "BPM(max_rel=1)@5",
                 "SDCG(max_rel=2)@3", "nDCG(gains={1: 3})"]  # fmt: skip
        measures = [tool.parse_measure(name) for name in names]
        found = Provider().calc_aggregate(measures, qrels, run)
        ours = ir.evaluate(qrels, run, names, like="ir_measures").mean
        assert_allclose([found[each] for each in measures], list(ours.values()), rtol=1e-12, atol=0)
        compared = [each for each in measures if each.NAME in ("Compat", "nDCG")]  # others need extra packages
        theirs = tool.calc_aggregate(compared, qrels, run)
        assert_allclose([found[each] for each in compared], [theirs[each] for each in compared], rtol=1e-12, atol=0)

    def test_a_measure_that_is_not_provided_is_refused(self) -> None:
        tool = pytest.importorskip("ir_measures")
        from idealrank.integrations.ir_measures import Provider

        for name in ("NERR10(max_rel=2)", "Accuracy@5", "alpha_nDCG@5"):
            with pytest.raises(OptionError, match="is not among the measures of ir_measures that idealrank provides"):
                Provider().calc_aggregate([tool.parse_measure(name)], {"q": {"a": 1}}, {"q": {"a": 1.0}})

    def test_any_measure_can_be_defined(self) -> None:
        tool = pytest.importorskip("ir_measures")
        from idealrank.integrations.ir_measures import define

        name = "ndcg(ties=average,gain=exp2)@2"
        own = define(name)
        case = {"q": {"a": 0, "z": 2}, "r": {"a": 1}}, {"q": {"a": 1.0, "z": 1.0}, "r": {"a": 0.5}}
        found = tool.calc_aggregate([own], *case)
        assert_allclose(found[own], ir.evaluate(*case, name).mean[name], rtol=1e-12, atol=0)

    def test_pyterrier_evaluates_with_a_defined_measure(self) -> None:
        pandas, pyterrier = (
            pytest.importorskip("pandas"),
            pytest.importorskip("pyterrier", reason="pip install python-terrier"),
        )
        from idealrank.integrations.ir_measures import define

        topics = pandas.DataFrame({"qid": ["q1", "q2"], "query": ["a", "b"]})
        rows = {"qid": ["q1", "q1", "q2"], "docno": ["d1", "d2", "d1"]}
        run = pandas.DataFrame({**rows, "score": [1.0, 1.0, 0.5], "rank": [0, 1, 0]})
        qrels = pandas.DataFrame({**rows, "label": [0, 1, 1]})
        name = "ndcg(ties=average)@10"
        found = pyterrier.Experiment(
            [run, run],
            topics,
            qrels,
            eval_metrics=[define(name), "map"],
            names=["a", "b"],
            baseline=0,
            test="t",
            correction="b",
        )
        judged, retrieved = (
            {"q1": {"d1": 0, "d2": 1}, "q2": {"d1": 1}},
            {"q1": {"d1": 1.0, "d2": 1.0}, "q2": {"d1": 0.5}},
        )
        expected = ir.evaluate(judged, retrieved, name).mean[name]
        assert_allclose(found[name].tolist(), [expected, expected], rtol=1e-12, atol=0)


class TestTorchmetrics:
    def metric(self, *arguments: Any, **options: Any) -> Any:
        pytest.importorskip("torchmetrics")
        from idealrank.integrations.torchmetrics import RankingMetric

        return RankingMetric(*arguments, **options)

    def test_it_gives_what_torchmetrics_gives(self) -> None:
        torch, retrieval = pytest.importorskip("torch"), pytest.importorskip("torchmetrics.retrieval")
        generator = torch.Generator().manual_seed(0)
        scores, labels = torch.rand(200, generator=generator), torch.randint(0, 4, (200,), generator=generator)
        queries = torch.randint(0, 20, (200,), generator=generator)  # not grouped
        ours, theirs = self.metric("ndcg@5"), retrieval.RetrievalNormalizedDCG(top_k=5)
        for start in range(0, 200, 64):  # queries are spread over batches
            rows = slice(start, start + 64)
            for each in (ours, theirs):
                each.update(scores[rows], labels[rows], indexes=queries[rows])
        assert_allclose(float(ours.compute()), float(theirs.compute()), rtol=1e-6, atol=1e-6)
        ours.reset()
        assert ours.per_query().size == 0

    def test_states_of_several_processes_are_merged(self) -> None:
        torch = pytest.importorskip("torch")
        scores, labels = torch.tensor([0.9, 0.1, 0.4, 0.8]), torch.tensor([0, 1, 2, 0])
        queries = torch.tensor([7, 7, 3, 7])
        whole, parts = self.metric("ndcg"), [self.metric("ndcg") for _ in range(2)]
        whole.update(scores, labels, queries)
        for place, part in enumerate(parts):
            rows = slice(2 * place, 2 * place + 2)
            part.update(scores[rows], labels[rows], queries[rows])
        parts[0].merge_state(parts[1])
        assert float(parts[0].compute()) == float(whole.compute())

    def test_options_and_errors(self) -> None:
        torch = pytest.importorskip("torch")
        metric = self.metric("rr", ignore_index=-1)
        metric.update(torch.tensor([0.9, 0.5]), torch.tensor([-1, 1]), torch.tensor([0, 0]))
        assert float(metric.compute()) == 1.0
        with pytest.raises(DataError, match=r"one shape, got \(2,\), \(1,\), \(2,\)"):
            metric.update(torch.zeros(2), torch.zeros(1), torch.zeros(2))


class TestPolars:
    def test_groups_and_windows(self) -> None:
        polars = pytest.importorskip("polars")
        from idealrank.integrations.polars import expression

        rng = np.random.default_rng(0)
        frame = polars.DataFrame(
            {"qid": rng.integers(0, 9, 60), "label": rng.integers(0, 4, 60), "score": rng.integers(0, 5, 60) / 7}
        )
        expected = ir.evaluate(frame, "score", "ndcg@3", query="qid", label="label", like="sklearn")
        by_query = dict(zip(map(int, expected.query_ids), expected.per_query["ndcg@3"], strict=True))
        name = expression("ndcg@3", like="sklearn")
        found = frame.group_by("qid").agg(name)
        assert_allclose(found["ndcg@3"].to_list(), [by_query[query] for query in found["qid"]], rtol=1e-12, atol=0)
        over = frame.select("qid", name.over("qid"))
        assert_allclose(over["ndcg@3"].to_list(), [by_query[query] for query in over["qid"]], rtol=1e-12, atol=0)
        lazy = frame.lazy().group_by("qid").agg(name).collect()
        assert_allclose(sorted(lazy["ndcg@3"]), sorted(found["ndcg@3"]), rtol=1e-12, atol=0)

    def test_a_missing_label_is_an_error(self) -> None:
        polars = pytest.importorskip("polars")
        from idealrank.integrations.polars import expression

        frame = polars.DataFrame({"label": [1, None], "score": [0.5, 0.1]})
        with pytest.raises(Exception, match="finite number"):
            frame.select(expression("ndcg"))
