"""Prediction and result files of MTEB."""

import io
import json
from typing import Any

import pytest

import idealrank as ir
from idealrank.errors import OptionError, ParseError

RUN = {"q1": {"d1": 0.5, "d2": 0.25}}


def file(content: Any) -> Any:
    return io.BytesIO(json.dumps(content).encode())


def test_predictions_of_new_and_old_versions() -> None:
    new = ir.io.read_mteb_predictions(file({"mteb_model_meta": {"model_name": "e5"}, "default": {"test": RUN}}))
    assert (new.to_dict(), new.name) == (RUN, "e5")
    assert ir.io.read_mteb_predictions(file(RUN)).to_dict() == RUN


def test_one_of_several_subsets_and_splits_must_be_chosen() -> None:
    content = {"mteb_model_meta": {}, "en": {"test": RUN, "dev": {}}, "fr": {"test": {}}}
    assert ir.io.read_mteb_predictions(file(content), subset="en", split="test").to_dict() == RUN
    with pytest.raises(ParseError, match="choose a subset=, of en, fr"):
        ir.io.read_mteb_predictions(file(content))
    with pytest.raises(ParseError, match="choose a split=, of test, dev"):
        ir.io.read_mteb_predictions(file(content), subset="en")
    with pytest.raises(OptionError, match="no subset 'de', it has en, fr"):
        ir.io.read_mteb_predictions(file(content), subset="de")


@pytest.mark.parametrize(
    "content", [[], 3, {"q1": 3}, {"q1": {"d1": "x"}}, {"mteb_model_meta": {}, "en": {"test": 3}}, {"q1": {"d1": None}}]
)
def test_other_content_is_not_predictions(content: Any) -> None:
    with pytest.raises(ParseError):
        ir.io.read_mteb_predictions(file(content))


@pytest.mark.parametrize(
    "content",
    [
        [],
        {"task_name": "A"},
        {"scores": {}},
        {"task_name": "A", "scores": {}},
        {"task_name": "A", "scores": {"test": [{"ndcg_at_10": 0.5}]}},
        {"task_name": "A", "scores": {"test": [{"main_score": "x"}]}},
        {"task_name": "A", "scores": {"test": [3]}},
        {"task_name": "A", "scores": {"test": {"main_score": 0.5}}},
    ],
)
def test_other_content_is_not_a_result(content: Any) -> None:
    with pytest.raises(ParseError):
        ir.io.read_mteb_results(file(content))


@pytest.mark.parametrize("version", ["1.1.1", "1.7.52"])
def test_results_from_before_1_11_are_read(version: str) -> None:
    head = {"mteb_version": version, "dataset_revision": None, "mteb_dataset_name": "NFCorpus"}
    one = {**head, "test": {"evaluation_time": 3.5, "ndcg_at_10": 0.25}}
    assert ir.io.read_mteb_results(file(one), "ndcg@10") == ("NFCorpus", 0.25)
    languages = {"de": {"ndcg_at_10": 0.5, "main_score": 0.5}, "en": {"ndcg_at_10": 0.75, "main_score": 0.75}}
    assert ir.io.read_mteb_results(file({**head, "test": {"evaluation_time": 3.5, **languages}})) == ("NFCorpus", 0.625)
    with pytest.raises(ParseError, match=r"there is no number 'main_score'.*ndcg_at_10"):
        ir.io.read_mteb_results(file(one))
