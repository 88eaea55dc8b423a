"""Which settings give a published number: planted settings are found, random numbers are not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import idealrank as ir
from idealrank import datasets
from idealrank.errors import OptionError

REL_2 = "relevant from: label 1 -> label 2"
#: Published number, the measure as a reader writes it, and the change that explains it. bm25tuned_p of TREC DL 2019:
#: Anserini's page of regressions and NIST's results of the track ("passages-eval" is with -l 2).
PUBLISHED = [
    ("ap", "0.2903", REL_2),
    ("recall@100", "0.4974", REL_2),
    ("recall@1000", "0.7450", REL_2),
    ("rr", "0.6850", REL_2),
    ("ndcg", "0.4973", "cutoff: all ranks -> 10"),
]


@pytest.fixture(scope="module")
def collection() -> tuple[Any, Any]:
    qrels, runs = datasets.search_runs(40, seed=5)
    return qrels, runs["bm25"]


@pytest.mark.parametrize(("measure", "published", "change"), PUBLISHED)
def test_published_numbers_of_dl19(real_data: Path, measure: str, published: str, change: str) -> None:
    folder = real_data / "trec-dl19"
    result = ir.explain(folder / "qrels.txt.xz", folder / "bm25.run.xz", measure, published=published)
    assert result.best is not None
    assert result.best.changes == (change,)
    assert result.page().findings[0].startswith(f"{published} is ")


@pytest.mark.parametrize(
    ("measure", "planted", "like", "changes"),
    [
        ("ap", "ap(rel=2)", "trec_eval", [REL_2]),
        ("ndcg@10", "ndcg@5", "trec_eval", ["cutoff: 10 -> 5"]),
        ("ndcg@10", "ndcg@10", "sklearn", ["tool: trec_eval -> sklearn"]),
        ("ndcg@10", "ndcg(gain=exp2)@10", "trec_eval", ["gain: the label -> 2^label - 1"]),
        (
            "ndcg",
            "ndcg(discount=zipf)@5",
            "trec_eval",
            ["cutoff: all ranks -> 5", "discount: 1 / log2(1 + rank) -> 1 / rank"],
        ),
    ],
)
def test_planted_settings_come_first(
    collection: tuple[Any, Any], measure: str, planted: str, like: str, changes: list[str]
) -> None:
    qrels, run = collection
    (value,) = ir.evaluate(qrels, run, planted, like=like).mean.values()
    result = ir.explain(qrels, run, measure, published=f"{value:.4f}")
    found = [[*each.changes] for each in result.settings[:1]] + [[each] for each in result.settings[0].others]
    assert sorted(changes) in [sorted(each) for each in found]
    assert result.settings[0].value == pytest.approx(value, rel=0, abs=1e-12)


def test_a_setting_repeats_its_mean(collection: tuple[Any, Any]) -> None:
    qrels, run = collection
    for each in ir.explain(qrels, run, "ndcg@10", published="0.41").settings:
        name, *changed = each.like.split(" but ")
        choices: dict[str, Any] = dict(part.split("=") for part in ", ".join(changed).split(", ") if part)
        choices = {choice: 0.0 if value == "0.0" else value for choice, value in choices.items()}
        rules = ir.convention(name).replace(**choices) if choices else name
        assert ir.evaluate(qrels, run, each.measure, like=rules).mean[each.measure] == pytest.approx(each.value)


def test_equal_numbers_differ_by_nothing(collection: tuple[Any, Any]) -> None:
    qrels, run = collection
    (own,) = ir.evaluate(qrels, run, "ap").mean.values()
    result = ir.explain(qrels, run, "ap", published=round(own, 4))
    assert result.best is not None
    assert result.best.changes == ()
    assert "nothing differs" in result.page().findings[0]


@pytest.mark.slow
def test_decimals_decide_what_matches(collection: tuple[Any, Any]) -> None:
    qrels, run = collection
    (own,) = ir.evaluate(qrels, run, "ap").mean.values()
    counts = [ir.explain(qrels, run, "ap", published=f"{own:.{decimals}f}").n_matches for decimals in (1, 2, 4, 8)]
    assert counts == sorted(counts, reverse=True)
    assert counts[-1] == 1
    percent = ir.explain(qrels, run, "ap", published=f"{100 * own:.2f}")
    assert percent.published == pytest.approx(own, rel=0, abs=5e-5)
    assert percent.decimals == 4


def test_a_number_that_no_setting_gives_is_not_explained(collection: tuple[Any, Any]) -> None:
    qrels, run = collection
    result = ir.explain(qrels, run, "ap", published="0.987654")
    assert result.best is None
    assert result.page().findings[0].startswith(f"None of {result.n_settings:,} settings gives 0.987654")


def test_a_match_of_few_decimals_may_be_chance(collection: tuple[Any, Any]) -> None:
    qrels, run = collection
    result = ir.explain(qrels, run, "ap", published="0.2")
    assert result.best is not None
    assert result.best.chance > 0.05
    assert "this may be chance" in result.page().findings[0]


@pytest.mark.parametrize("published", ["a third", "nan", None, "3"])
def test_published_must_be_a_number_with_decimals(collection: tuple[Any, Any], published: Any) -> None:
    qrels, run = collection
    with pytest.raises(OptionError):
        ir.explain(qrels, run, "dcg", published=published)


def test_one_convention_goes_with_a_published_number(collection: tuple[Any, Any]) -> None:
    qrels, run = collection
    assert ir.explain(qrels, run, "ap", like="ranx", published=0.3).like == "ranx"
    with pytest.raises(OptionError, match="one convention"):
        ir.explain(qrels, run, "ap", like=["ranx", "beir"], published=0.3)  # type: ignore[call-overload]


def test_a_name_that_means_something_else_in_a_tool_is_not_explained() -> None:
    qrels, run = {"q1": {"a": 1, "b": 0}}, {"q1": {"a": 2.0, "b": 1.0}}
    with pytest.raises(OptionError, match="ranx's hits@k is the number of relevant documents"):
        ir.explain(qrels, run, "hits@10", like=["trec_eval", "ranx"])
