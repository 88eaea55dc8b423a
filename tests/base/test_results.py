"""Every result of the package has every form, and the report asks none of them for its type."""

import csv
import importlib
import io
import json
import pkgutil
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import idealrank as ir
from idealrank import datasets, learners, stats, theory
from idealrank._present.json_values import finite
from idealrank._present.result import Result
from idealrank._present.table import WORDS, Column, Table, html_table
from idealrank.errors import OptionError
from idealrank.evaluation.evaluation_base import Measured
from idealrank.experiments.claims import Claim
from idealrank.experiments.reproduction import Reproduction
from idealrank.io.letor_folds import Folds
from idealrank.learners.training_summary import summarize_training
from idealrank.theory.linear_ndcg import exchanges, threshold_errors
from idealrank.theory.long_lists.certificates import concentration
from idealrank.theory.long_lists.measure_discount import regime
from idealrank.theory.long_lists.needed import gap
from idealrank.theory.long_lists.wins import first_order

RNG = np.random.default_rng(4)
QRELS = {f"q{i}": {f"d{j}": int(RNG.integers(0, 3)) for j in range(6)} for i in range(8)}
RUNS = {name: {q: {d: float(RNG.normal()) for d in docs} for q, docs in QRELS.items()} for name in ("a<b", "c")}
SOME = {q: dict(list(docs.items())[:3]) for q, docs in QRELS.items()}  # half of the documents are judged
MATRIX = RNG.normal(size=(20, 3))
LINE: Callable[[Any], Any] = lambda s: s  # noqa: E731


def never_sorted(labels: Any, scores: Any) -> float:
    """A wrong NDCG, which leaves documents in input order."""
    return float(ir.ndcg(labels, -np.arange(len(labels)))[0])


def explained() -> Any:
    return ir.explain(QRELS, RUNS["c"], "ndcg", like=["trec_eval", "sklearn", "letor4"])


def distinguished() -> Any:
    rankers = {"A": [3, 2, 1] * 2, "B": [1, 2, 3] * 2, "C": [2, 3, 1] * 2}
    return theory.distinguish([2, 1, 0, 1, 0, 0], rankers, ["ndcg", "dcg"], offsets=[0, 3, 6])


def tuned() -> Any:
    train, test = datasets.web_search(n_queries=6, n_docs=10)
    return learners.tune(learners.RankNet(max_iter=2), {"normalize": [None, "minmax"]}, train, eval_set=test, n_jobs=1)


def folded() -> Any:
    folds = Folds.of(datasets.web_search(n_queries=10, n_docs=10).train.split([0.2] * 5, seed=0))
    return learners.cross_fold({"random": learners.RandomRanker(random_state=0)}, folds, ["ndcg", "ap"], n_jobs=1)


def trained() -> Any:
    train = datasets.web_search(n_queries=6, n_docs=10).train
    return summarize_training(learners.LeastSquaresRanker(l2=1.0).fit(train), {"train": train})


def assisted() -> Any:
    """Compare with human judgments of three of six queries."""
    machine = {f"q{i}": {"a": i % 3, "b": 1, "c": i % 2} for i in range(6)}
    human = {query: {"a": 1, "b": 0, "c": 2} for query in list(machine)[:3]}
    runs = {name: {query: list(docs) for query in machine} for name, docs in (("x", "abc"), ("y", "cba"))}
    return ir.compare_assisted(human, machine, runs, "ndcg")


#: A small instance of each class, by its name.
MAKE: dict[str, Callable[[], Any]] = {
    "Abstentions": lambda: ir.abstentions(QRELS, RUNS),
    "Agreement": lambda: ir.agreement(RUNS),
    "Anova": lambda: stats.anova(MATRIX),
    "ApproximationError": lambda: theory.approximation_error([1, 0], [1.0, 0.0]),
    "AssistedComparison": assisted,
    "AssistedEstimate": lambda: assisted().differences["ndcg"][0],
    "Baseline": lambda: ir.save_baseline(QRELS, RUNS["c"], "ndcg"),
    "Bounds": lambda: ir.bounds(SOME, RUNS, "ndcg@3", n_draws=2),
    "BoundedLaw": lambda: theory.bounded_law("ndcg@10", lambda s: 0.7),
    "Certificate": lambda: theory.certificate("ndcg", lambda s: 0.25 + 0.5 * s, lambda s: 0.5),
    "Comparison": lambda: ir.compare(QRELS, RUNS, ["ndcg", "ap"], baseline="c", seed=0),
    "Concentration": lambda: concentration("log", lambda s: 0.5, 1000),
    "ConfidenceSequence": lambda: theory.confidence_sequence([0.2, 0.1] * 30),
    "Consistency": lambda: theory.check_consistency("cosine", levels=(0, 1), refine=False),
    "ConsistencyOfLosses": lambda: theory.check_losses(["cosine", "hinge"], levels=(0, 1), refine=False),
    "CrossFold": folded,
    "DifferenceBounds": lambda: ir.bounds(SOME, RUNS, "ndcg@3", n_draws=0).differences[0],
    "Distinction": lambda: distinguished().pairs[0],
    "Distinctions": distinguished,
    "DocumentsNeeded": lambda: theory.documents_needed("log", LINE, lambda s: 0.5 + 0 * s),
    "EffectSize": lambda: stats.effect_size([1, 2], [0, 3]),
    "Evaluation": lambda: ir.evaluate(QRELS, RUNS["c"], ["ndcg", "ap"]),
    "Evaluations": lambda: ir.evaluate(QRELS, RUNS, ["ndcg", "ap"]),
    "Exchange": lambda: exchanges([0, 1])[0],
    "Explanation": explained,
    "FirstOrder": lambda: first_order(LINE),
    "FittedMeasure": lambda: theory.fit_measure([[1, 0], [0, 1], [1, 1], [0, 0]] * 5, [1, 0, 1, 0] * 5),
    "Gap": lambda: gap("ndcg@10", lambda s: 0.7, lambda s: 0.5),
    "Gate": lambda: ir.gate(QRELS, RUNS["c"], RUNS["a<b"], ["ndcg", "ap"], margin=0.1),
    "GeneralizationGap": lambda: theory.generalization_gap([0.75, 0.5], [0.5, 0.5]),
    "Identification": lambda: ir.identify(never_sorted),
    "Impossibility": lambda: theory.no_convex_loss("ap"),
    "Interval": lambda: stats.interval([0.5]),
    "LeadingGap": lambda: theory.leading_gap(LINE, lambda s: 1 - s),
    "Leaderboard": lambda: ir.leaderboard({"s": (QRELS, RUNS), "t": (SOME, RUNS)}, "ndcg@3", baseline="c", seed=0),
    "Limits": lambda: ir.limits(QRELS, {"c": RUNS["c"]}, ["ndcg", "ndcg@3"]),
    "LabelAgreement": lambda: assisted().agreement,
    "UncertainEvaluation": lambda: ir.evaluate_uncertain({"q": {"a": [0, 1]}}, {"q": ["a"]}, "ndcg", n_draws=5),
    "NextJudgments": lambda: ir.judge_next(SOME, RUNS, "ndcg@3", n=2),
    "CrossedComponents": lambda: stats.crossed_components([[0.0, 0.2], [0.5, 0.7], [1.0, 1.1]], ["queries", "judges"]),
    "VarianceComponents": lambda: stats.variance_components([[0.0, 0.2], [0.5, 0.7], [1.0, 1.1]]),
    "NonInferiority": lambda: stats.non_inferiority_test([1, 2, 4], [0, 3, 1], 0.5),
    "PairedTest": lambda: stats.t_test([1, 2, 4], [0, 3, 1]),
    "PowerPlan": lambda: stats.queries_for(0.5, MATRIX),
    "JudgingPlan": lambda: stats.human_queries_for(0.2, [0.1, 0.5, 0.4, 0.6], [0.2, 0.4, 0.5, 0.6] * 5),
    "PredictionPowered": lambda: stats.prediction_powered([0.1, 0.5, 0.4], [0.2, 0.4, 0.5, 0.6]),
    "PublishedExplanation": lambda: ir.explain(QRELS, RUNS["c"], "ndcg", published=0.75),
    "Regime": lambda: regime("geometric"),
    "Reproduction": lambda: Reproduction(
        (Claim.exact("Table 1", "a > b", "1 > 0", True),), {}, {"Table 1": Table([Column("n")], [[1]])}, ("drawn data",)
    ),
    "SampleSizes": lambda: ir.power(QRELS, RUNS, "ndcg"),
    "StrongConsistency": lambda: theory.check_strong_consistency("cosine", n_pairs=2),
    "Summary": lambda: ir.evaluate_stream([([1, 0], [0.2, 0.1], [0, 2])], "rr"),
    "SystemRanks": lambda: stats.rank_systems([MATRIX, MATRIX[:9]], seed=0),
    "ThresholdErrors": lambda: threshold_errors([2, 0, 1], [3, 2, 1]),
    "TrainingSummary": trained,
    "TukeyHSD": lambda: stats.randomized_tukey_hsd(MATRIX, n_permutations=99, seed=0),
    "Tuning": tuned,
    "Verdict": lambda: theory.verdict("ndcg", LINE, lambda s: 1 - s),
    "Waterfall": lambda: explained().waterfalls[0],
}


def classes(base: type[Any] = Result) -> set[type[Any]]:
    return {found for each in base.__subclasses__() for found in {each, *classes(each)}}


def test_every_result_class_is_tested_here() -> None:
    for module in pkgutil.walk_packages(ir.__path__, "idealrank."):
        if not module.name.startswith(("idealrank.integrations", "idealrank.__main__")):
            importlib.import_module(module.name)
    own = {each.__name__ for each in classes() - {Measured} if each.__module__.startswith("idealrank.")}
    assert {name for name in own if not name.startswith("_")} == set(MAKE)


@pytest.fixture(scope="module", params=list(MAKE))
def result(request: pytest.FixtureRequest) -> Any:
    made = MAKE[request.param]()
    assert type(made).__name__ == request.param
    return made


def test_the_dict_is_plain_and_json_says_the_same(result: Any) -> None:
    content = result.to_dict()
    assert content
    back = json.loads(json.dumps(content))
    assert json.dumps(back) == json.dumps(content)
    assert json.loads(result.to_json()) == finite(content)


def test_every_form_says_something_of_every_table(result: Any) -> None:
    for name in (None, *result.tables()):
        table = result.table(name)
        assert table.header
        for form in (result.to_text, result.to_markdown, result.to_latex, result.to_html):
            assert form(name).strip()
        rows = list(csv.reader(io.StringIO(result.to_csv(name))))
        assert len(rows) > 1
        if name is not None:
            assert rows[0] == table.header
            assert result.to_frame("pyarrow", name).column_names == table.header
    assert len(result.to_frame("pyarrow")) > 0
    assert result._repr_html_() == result.to_html()
    assert "<table" in result.to_html()
    assert "a<b" not in result.to_html()
    with pytest.raises(OptionError, match="there is no table 'nothing'"):
        result.table("nothing")


def test_every_result_has_a_page(result: Any) -> None:
    page = ir.report.html(result)
    assert escape(result.page().title) in page
    assert all(section.title for section in result.page().sections())


def test_the_report_asks_no_result_for_its_type() -> None:
    folder = Path(ir.report.__file__).parent
    assert not [path.name for path in folder.glob("*.py") if "isinstance(" in path.read_text(encoding="utf-8")]


def test_means_are_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from idealrank._core.exact import Moments

    found = ir.evaluate(QRELS, RUNS["c"], ["ndcg", "ap"])
    first = found.mean
    monkeypatch.setattr(Moments, "of", lambda values: pytest.fail("computed again"))
    monkeypatch.setattr(Moments, "mean", property(lambda self: pytest.fail("computed again")))
    assert found.mean == first
    first["ndcg"] = -1.0
    assert found.mean["ndcg"] != -1.0


def test_html_has_minus_signs_in_numbers_and_words_but_leaves_names_alone() -> None:
    columns = [Column("system"), Column("against"), Column("change", "+.2f"), Column("why", WORDS)]
    shown = html_table(Table(columns, [["a", "x -> -0.5", -0.25, "k -> 10: -0.25"]]))
    cells = shown.split("<tbody>")[1]
    assert ">x -&gt; -0.5</td>" in cells
    assert ">\N{MINUS SIGN}0.25</td>" in cells
    assert ">k → 10:\N{NO-BREAK SPACE}\N{MINUS SIGN}0.25</td>" in cells


@pytest.mark.parametrize("width", [-1, 0, 1, 1.5, True, "wide"])
def test_a_width_that_holds_no_text_is_refused(width: Any) -> None:
    result = ir.evaluate({"q": {"d": 1}}, {"q": {"d": 1}}, "ndcg")
    for table in (None, "means"):
        with pytest.raises(OptionError, match="width must be a whole number of at least 2"):
            result.to_text(table, width=width)
    assert result.to_text(width=2)
