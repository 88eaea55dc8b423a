"""Every choice in which conventions differ has words, and so has every value."""

from __future__ import annotations

import pytest

import idealrank as ir
from idealrank.measures.choice_words import CHOICE_WORDS, choice_change, choice_title, choice_value
from idealrank.measures.conventions import _CHOICES, CONVENTION_NAMES
from idealrank.measures.measure_base import TIES


def test_every_choice_about_the_data_and_every_order_of_ties_has_words() -> None:
    for choice, values in {**_CHOICES, "ties": TIES}.items():
        words = [choice_value(choice, value) for value in values]
        assert len(set(words)) == len(values)
        assert not {f"{value:g}" if isinstance(value, float) else value for value in values} & set(words)


@pytest.mark.parametrize("name", ["ndcg", "ndcg@10", "ap", "p@10", "rr", "recall@5", "rbp", "err", "auc", "dcg"])
def test_every_choice_that_differs_between_tools_has_words(name: str) -> None:
    given = ir.measure(name)
    filled = [given.with_convention(like) for like in CONVENTION_NAMES]
    for option in given.options():
        values = {getattr(each, option) for each in filled}
        if len(values) > 1:
            assert option in CHOICE_WORDS
            words = {choice_value(option, value) for value in values}
            texts = {str(value) for value in values if not isinstance(value, float)}
            assert not words & (texts - {"None"}) or option in ("p", "cutoff"), option


def test_words_tell_values_apart() -> None:
    for choice, own in CHOICE_WORDS.items():
        same = {text: [key for key, words in own.values.items() if words == text] for text in own.values.values()}
        for keys in same.values():
            pairs = [{"skip", "drop"}, {"None", "cutoff"}, {"None", "False"}, {"None", "empty"}]
            assert len(keys) == 1 or set(keys) in pairs, (choice, keys)


def test_a_choice_without_words_is_shown_as_it_is() -> None:
    assert choice_title("false_alarm") == "false alarm"
    assert choice_change("hit", 1.0, 0.5) == "hit: 1 -> 0.5"
    assert choice_value("gain", ir.gains.Table([0, 1, 3])) == "table:0:1:3"


@pytest.mark.parametrize(
    ("value", "words"),
    [(1.0, "label 1"), (0.5000000000000001, "above label 0.5"), (0.5, "label 0.5")],
)
def test_which_labels_are_relevant(value: float, words: str) -> None:
    assert choice_value("rel", value) == words


def test_the_words_of_catboost() -> None:
    filled = ir.measure("ap").with_convention("catboost")
    assert choice_value("rel", filled.rel) == "above label 0.5"  # type: ignore[attr-defined]
