"""`identify` says what unknown functions compute."""

import math
import os
import random
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from black_box_shapes import SHAPES, UNKNOWN
from black_boxes import BOXES, Box, by_score, exp_gain, made
from click.testing import CliRunner
from numpy.testing import assert_allclose

import idealrank as ir
from idealrank.cli.group import commands
from idealrank.errors import MissingExtraError, OptionError
from idealrank.identification.calling_forms import Probe, ranking
from idealrank.identification.function_calls import _NUMBER, ShellCommand
from idealrank.identification.ndcg_formulas import DISCOUNTS, GAINS, Formula


def check(box: Box) -> ir.results.Identification:
    found = ir.identify(box.function)
    told = str(found)
    assert found.n_calls <= 100
    assert found.status == box.status, told
    for name, value in box.options.items():
        assert found.options.get(name) == value, (name, told)
    for words in box.defects:
        assert any(words in str(defect) for defect in found.defects), (words, told)
    assert len(found.defects) == len(box.defects), told
    for defect in found.defects:
        assert defect.example, told
    if box.presets is not None:
        assert found.presets == box.presets, told
    if found.measure is not None:
        assert str(ir.measure(found.measure)) == found.measure
    return found


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.slow if place % 6 else ()) for place, name in enumerate([*BOXES, *SHAPES])],
)
def test_a_function_is_named(name: str) -> None:
    check((BOXES | SHAPES)[name])


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow if place % 6 else ()) for place, name in enumerate(UNKNOWN)]
)
def test_what_no_formula_explains_is_never_identified(name: str) -> None:
    found = ir.identify(UNKNOWN[name])
    assert found.status != "identified"
    assert any("no known variant explains" in note for note in found.notes)
    assert found.n_calls <= 100


@pytest.mark.parametrize("name", ["plain", "exponential", "tied mean", "pessimist", "power discount", "short is zero"])
def test_the_measure_and_the_convention_that_are_named_give_the_same_numbers(name: str) -> None:
    box = BOXES[name]
    found = ir.identify(box.function)
    assert found.measure is not None
    assert found.convention is not None
    rng = np.random.default_rng(1)
    for n in (2, 5, 9):
        labels, scores = rng.integers(0, 5, n).astype(float), rng.integers(0, 4, n).astype(float)
        has_k = found.takes.endswith("k")
        value = box.function(list(labels), list(scores), *([3] if has_k else []))
        measure = ir.measure(found.measure) @ (3 if has_k else None)
        ours = ir.evaluate(labels, scores, measure, like=found.convention).mean
        assert_allclose(next(iter(ours.values())), value, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("ties", ["average", "stable", "reverse", "best", "worst"])
def test_the_formula_is_that_of_the_measures(ties: str) -> None:
    rng = np.random.default_rng(5)
    for gain, discount in (
        (gain, discount) for gain in GAINS if gain.option for discount in DISCOUNTS if discount.option
    ):
        labels, scores = rng.integers(0, 5, 6).tolist(), rng.integers(1, 4, 6).astype(float).tolist()
        k = int(rng.integers(1, 8))
        formula = Formula(gain=gain, discount=discount, ties=ties)
        measure = ir.measures.NDCG(gain=gain.option, discount=discount.option, ties=ties, cutoff=k)
        assert_allclose(
            formula.predict(Probe((ranking(labels, scores=scores),), k)),
            measure(labels, scores)[0],
            rtol=1e-12,
            atol=1e-12,
        )


def test_a_function_that_raises_is_told_with_the_list() -> None:
    def broken(labels: Sequence[float], scores: Sequence[float]) -> float:
        raise RuntimeError("no model is loaded")

    found = ir.identify(broken)
    assert found.status == "not identified"
    assert any("RuntimeError: no model is loaded" in note for note in found.notes)
    assert any("labels [0, 1, 0, 0, 1, 0]" in note for note in found.notes)
    (section,) = found.page().sections()
    assert all(note[0].upper() == note[0] for note in section.notes)
    assert found.n_calls <= 100


def test_a_function_that_raises_on_some_lists_is_identified_as_far_as_it_goes() -> None:
    def no_ties(labels: Sequence[float], scores: Sequence[float]) -> float:
        if len(set(scores)) < len(scores):
            raise ValueError("equal scores")
        return made(exp_gain)(labels, scores, 1000)

    found = ir.identify(no_ties)
    assert found.status == "partly identified"
    assert found.options["gain"] == "exp2"
    assert any("ties" in note and "ValueError: equal scores" in note for note in found.notes)


@pytest.mark.parametrize("divide", [np.divide, lambda gain, weight: gain / weight if gain else 0.0])
def test_a_discount_that_starts_at_the_logarithm_of_1(divide: Any) -> None:
    def ndcg(labels: Sequence[float], scores: Sequence[float]) -> float:
        def dcg(values: Sequence[float]) -> float:
            return float(sum(divide(float(value), np.log2(rank)) for rank, value in enumerate(values, 1)))

        return float(dcg(by_score(labels, scores)) / dcg(sorted(labels, reverse=True)))

    found = ir.identify(ndcg)
    (defect,) = found.defects
    assert "starts at log2(1) = 0" in defect.name
    assert defect.example == "labels [1], scores [1.5]"
    assert defect.value is None or math.isnan(defect.value)


def test_chance_and_state_are_noticed() -> None:
    rng = random.Random(0)

    def noisy(labels: Sequence[float], scores: Sequence[float]) -> float:
        return made()(labels, scores, 1000) + rng.random() / 1000

    values: list[float] = []

    def running_mean(labels: Sequence[float], scores: Sequence[float]) -> float:
        values.append(made()(labels, scores, 1000))
        return sum(values) / len(values)

    for function in (noisy, running_mean):
        found = ir.identify(function)
        assert found.status == "not identified"
        assert "depends on state or chance" in found.defects[0].name
        assert found.measure is None
        assert not found.presets


def test_random_ties_leave_the_rest_identified() -> None:
    rng = random.Random(0)

    def shuffled(labels: Sequence[float], scores: Sequence[float]) -> float:
        pairs = list(zip(labels, scores, strict=True))
        rng.shuffle(pairs)
        return made(exp_gain)([label for label, _ in pairs], [score for _, score in pairs], 1000)

    found = ir.identify(shuffled)
    assert found.status == "partly identified"
    assert found.options["gain"] == "exp2"
    assert "ties" not in found.options
    assert any(note.startswith("ties") for note in found.notes)


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda labels, scores: 1.0, "the same value for every ranking"),
        (
            lambda labels, scores: sum(a * b for a, b in zip(labels, scores, strict=True)),
            "depends on the scores themselves",
        ),
    ],
)
def test_what_is_no_ndcg_is_not_identified(function: Any, words: str) -> None:
    found = ir.identify(function)
    assert found.status == "not identified"
    assert any(words in defect.name for defect in found.defects)


def test_another_measure_is_named() -> None:
    def reciprocal_rank(y_true: Sequence[float], y_score: Sequence[float]) -> float:
        return next((1 / rank for rank, label in enumerate(by_score(y_true, y_score), 1) if label > 0), 0.0)

    found = ir.identify(reciprocal_rank)
    assert "this is not NDCG: its values are those of rr" in found.notes


def test_arguments_are_refused_with_words() -> None:
    with pytest.raises(OptionError, match="needs a function or a command"):
        ir.identify(3)  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="unknown word 'label'"):
        ir.identify(made(), takes="label, scores")
    with pytest.raises(OptionError, match="k must be the last word"):
        ir.identify(made(), takes="k, labels, scores")
    with pytest.raises(OptionError, match=r"must contain \{run\}"):
        ir.identify("trec_eval {qrels}")
    with pytest.raises(OptionError, match="max_calls"):
        ir.identify(made(), max_calls=0)
    found = ir.identify(lambda a, b, c, d: 1.0)
    assert any("more than three required parameters" in note for note in found.notes)


def test_frames_need_pandas_only_where_they_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)

    def mean_label(df: Any) -> float:
        return float(np.mean([each["label"] for each in df]))

    with pytest.raises(MissingExtraError, match="this needs pandas: pip install pandas"):
        ir.identify(mean_label, takes="frame")
    assert ir.identify(mean_label).status == "not identified"  # nothing else fits, and frames are not tried


def test_a_small_budget_is_kept_and_said() -> None:
    found = ir.identify(made(), max_calls=40)
    assert found.n_calls == 40
    assert any("budget of calls" in note for note in found.notes)


@pytest.mark.parametrize("name", list(BOXES)[::25])
def test_any_budget_is_kept(name: str) -> None:
    for max_calls in (*range(1, 14), 20, 30):
        result = ir.identify(BOXES[name].function, max_calls=max_calls)
        assert result.n_calls <= max_calls
        assert result.notes or result.status == "identified"
        assert not any("three required parameters" in note for note in result.notes)


def test_an_error_without_words_is_an_answer() -> None:
    class MuteError(Exception):
        def __str__(self) -> str:
            raise ValueError("no words")

    def ndcg(labels: Any, scores: Any) -> float:
        raise MuteError

    result = ir.identify(ndcg)
    assert result.status == "not identified"
    assert any(note.endswith(": MuteError") for note in result.notes)


SCRIPT = """
import collections, math, sys
qrels, run = collections.defaultdict(dict), collections.defaultdict(list)
for line in open(sys.argv[1]):
    query, _, doc, label = line.split()
    qrels[query][doc] = float(label)
for line in open(sys.argv[2]):
    query, _, doc, _, score, _ = line.split()
    run[query].append((-float(score), doc))
dcg = lambda labels: sum(label / math.log2(place + 2) for place, label in enumerate(labels))
values = []
for query, docs in qrels.items():
    found = [docs.get(doc, 0) for _, doc in sorted(run[query])]
    best = dcg(sorted(docs.values(), reverse=True))
    values.append(dcg(found) / best if best else 0)
print(f"queries {len(values)} ndcg {sum(values) / len(values):.4f}")
"""


@pytest.mark.slow
def test_a_command_over_files(tmp_path: Path) -> None:
    script = tmp_path / "ndcg.py"
    script.write_text(SCRIPT, encoding="utf-8")
    found = ir.identify(f"{shlex.quote(sys.executable)} -S {shlex.quote(str(script))} {{qrels}} {{run}}")
    assert found.takes == "qrels, run"
    assert found.status == "identified", str(found)
    assert found.options["gain"] == "linear"
    assert found.options["ties"] == "docid_asc"
    assert found.options["ideal"] == "judged"
    assert found.options["missing"] == "0"
    assert found.tolerance == pytest.approx(5e-5, rel=1e-3)


ONE: dict[str, dict[str, float]] = {"q": {"d": 1.0}}


def test_the_last_number_is_found_in_linear_time() -> None:
    for line in ("9" * 60_000 + "x", "1." * 30_000, "1e" * 30_000, "-" * 60_000, "x" * 60_000):
        began = time.process_time()
        assert not _NUMBER.findall(line) or line.endswith(".")
        assert time.process_time() - began < 3  # quadratic: minutes
    assert [_NUMBER.findall(text) for text in ("a 1 b .5 -2.5e-3", "1e5x 5.. +7", "nan -inf 3.")] == [
        ["1", "-2.5e-3"],
        ["+7"],
        ["nan", "-inf", "3."],
    ]


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="POSIX shells")
def test_a_command_ends_in_time_with_all_that_it_started(tmp_path: Path) -> None:
    files = ": {qrels} {run};"
    began = time.monotonic()
    assert ShellCommand(f"{files} sleep 60 & echo 0.5")(ONE, ONE) == 0.5  # a child that holds the output open
    assert ShellCommand(f"{files} yes 0.25 | head -c 3000000")(ONE, ONE) == 0.25
    begun, alive = tmp_path / "begun", tmp_path / "alive"
    with pytest.raises(TimeoutError, match=r"more than 0\.2 seconds"):
        ShellCommand(f"{files} (sleep 1; touch {alive}); echo 1", timeout=0.2)(ONE, ONE)
    script = (
        "from idealrank.identification.function_calls import ShellCommand\n"
        f"one = {ONE}\n"
        f"ShellCommand('{files} touch {begun}; (sleep 1; touch {alive}); echo 1')(one, one)"
    )
    with subprocess.Popen([sys.executable, "-c", script], stderr=subprocess.PIPE, start_new_session=True) as process:
        while not begun.exists() and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        assert process.wait() != 0
    assert time.monotonic() - began < 50
    time.sleep(1.2)
    assert not alive.exists()


def test_tools_that_are_installed_are_named() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    assert ir.identify(metrics.ndcg_score).presets == ("sklearn", "unitxt")


def test_pytrec_eval_is_named() -> None:
    pytrec_eval = pytest.importorskip("pytrec_eval")

    def ndcg(qrels: dict[str, dict[str, int]], run: dict[str, dict[str, float]]) -> float:
        values = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg"}).evaluate(run)
        return float(sum(each["ndcg"] for each in values.values()) / len(values))

    found = ir.identify(ndcg)
    assert "pytrec_eval" in found.presets, str(found)
    assert found.status == "identified"


def test_the_command_line(tmp_path: Path) -> None:
    module = tmp_path / "mine.py"
    module.write_text(
        "import math\n"
        "def ndcg(retrieved, relevant):\n"
        "    hits = [doc in relevant for doc in retrieved]\n"
        "    dcg = lambda gains: sum(gain / math.log2(place + 2) for place, gain in enumerate(gains))\n"
        "    return dcg(hits) / dcg(sorted(hits, reverse=True)) if any(hits) else 0.0\n",
        encoding="utf-8",
    )
    shown = CliRunner().invoke(commands, ["identify", f"{module}:ndcg"])
    assert shown.exit_code == 0, shown.output
    assert "the ideal DCG is over the retrieved documents only" in shown.output
    as_json = CliRunner().invoke(commands, ["identify", f"{module}:ndcg", "--format", "json"])
    assert '"status": "identified"' in as_json.output
    for arguments, words in (
        (["identify"], "one of FUNCTION and --command"),
        (["identify", "nowhere"], "MODULE:NAME"),
        (["identify", f"{module}:mrr"], "has no function"),
        (["identify", "no_such_module_here:ndcg"], "cannot be imported"),
        (["identify", f"{tmp_path}/absent.py:ndcg"], "no such file"),
    ):
        failed = CliRunner().invoke(commands, arguments)
        assert failed.exit_code != 0
        assert words in failed.output


def test_identify_sees_that_documents_with_the_id_of_the_query_are_left_out() -> None:
    def beir(qrels: dict[str, dict[str, int]], run: dict[str, dict[str, float]]) -> float:
        others = {query: {doc: score for doc, score in docs.items() if doc != query} for query, docs in run.items()}
        return ir.evaluate(qrels, others, "ndcg", like="beir").mean["ndcg"]

    def mteb(qrels: dict[str, dict[str, int]], run: dict[str, dict[str, float]]) -> float:
        return ir.evaluate(qrels, run, "ndcg", like="mteb").mean["ndcg"]

    dropped, kept = ir.identify(beir), ir.identify(mteb)
    assert (dropped.options["identical_ids"], dropped.presets) == ("drop", ("beir",))
    assert kept.options["identical_ids"] == "keep"
    assert "beir" not in kept.presets


def like(preset: str) -> Any:
    """A preset's NDCG as a function of one list."""

    def ndcg(labels: Sequence[float], scores: Sequence[float], k: int) -> float:
        (values,) = ir.evaluate(
            [float(each) for each in labels], scores, ir.measure("ndcg") @ k, like=preset
        ).per_query.values()
        return float(values[0])

    return ndcg


def test_a_full_ideal_is_not_that_of_the_relevant_documents() -> None:
    """RecTools divides by k relevant documents, Spark by those that exist; this needs no document ids to see."""
    assert "rectools" not in ir.identify(like("spark")).presets
    assert ir.identify(like("rectools")).presets == ("rectools",)


@pytest.mark.parametrize("preset", ["trec_eval", "msmarco", "gdeval"])
def test_presets_that_order_ties_by_id_order_them_by_row_on_arrays(preset: str) -> None:
    assert preset in ir.identify(like(preset)).presets


def test_rounded_values_of_a_measured_discount_are_explained() -> None:
    def dcg(gains: Sequence[float]) -> float:
        return float(sum(gain / rank**0.7 for rank, gain in enumerate(gains, 1)))

    found = ir.identify(made(exp_gain, dcg, finish=lambda value: round(value, 5)))  # type: ignore[arg-type]
    assert found.status == "identified"
    assert found.measure == "ndcg(ties=stable,empty=0,gain=exp2,discount=power:0.7)"


def test_what_is_partly_identified_is_not_said_to_be_the_measure() -> None:
    found = ir.identify(made(finish=lambda value: value**2 if value > 0.9 else value))
    assert found.status != "identified"
    assert not any("In idealrank, it is" in each for each in found.page().findings)
