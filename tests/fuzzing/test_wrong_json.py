"""JSON files with a value of a wrong kind in any place: data, or an error of the package."""

import copy
import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import idealrank as ir
from idealrank.errors import IdealrankError

QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"a": 0, "b": 2}}
RUN = {"q1": {"a": 0.5, "b": 1.0}, "q2": {"a": 2.0, "b": 0.5}}
QUESTIONS = [{"question_id": name, "gold": ["a"], "retrieved": ["b", "a"]} for name in QRELS]
SPANS = [{"question_id": "q1", "doc": "d", "begin": 0, "end": 5, "label": 1}]
RATINGS = {"requests": [{"id": "q1", "ratings": [{"_index": "i", "_id": "d1", "rating": 1}]}]}
HITS = {"metric_score": 0.5, "details": {"q1": {"hits": [{"hit": {"_id": "d1", "_score": 1.5}, "rating": 1}]}}}
MTEB = {"mteb_version": "1.0", "task_name": "X", "scores": {"test": [{"ndcg_at_10": 0.5, "main_score": 0.5}]}}
#: Valid content, and what reads it.
FILES: dict[str, tuple[Any, Callable[[Path], object]]] = {
    "judgments": (QRELS, lambda path: ir.evaluate(path, RUN, "rr")),
    "a run": (RUN, lambda path: ir.evaluate(QRELS, path, "rr")),
    "questions": (QUESTIONS, lambda path: ir.evaluate(path, None, "rr")),
    "spans": (SPANS, lambda path: ir.evaluate(path, path, "rr")),
    "ratings": (RATINGS, ir.io.read_rank_eval),
    "hits": (HITS, ir.io.read_rank_eval),
    "MTEB": (MTEB, ir.io.read_mteb_results),
    "MTEB, predictions": (RUN, ir.io.read_mteb_predictions),
    "categories": ({"q1": "x", "q2": "y"}, lambda path: ir.evaluate(QRELS, RUN, "rr", by=path)),
    "a baseline": (
        ir.save_baseline(QRELS, RUN, "ndcg@10").to_dict(),
        lambda path: ir.gate(QRELS, RUN, path, "ndcg@10"),
    ),
}
WRONG: tuple[Any, ...] = (None, True, 0, -1, 1.5, 2**63, 10**400, float("nan"), float("inf"), "", "x", "\0", "\ud800")
WRONG += ([], {}, [1], [None], [[1]], {"": None}, {"a": {"b": 1}}, [{"a": 1}])


def places(value: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the keys that lead to each value inside of a value."""
    yield place
    if isinstance(value, (dict, list)):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from places(value[key], (*place, key))


def replaced(value: Any, place: tuple[Any, ...], new: Any) -> Any:
    if not place:
        return new
    changed = inner = copy.deepcopy(value)
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = new
    return changed


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", FILES)
def test_a_wrong_kind_anywhere_is_an_error_of_the_package(name: str, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    content, read = FILES[name]
    path = tmp_path / "x.json"
    path.write_text(json.dumps(content))
    read(path)
    for place in places(content):
        for wrong in WRONG:
            path.write_text(json.dumps(replaced(content, place, wrong)))
            with suppress(IdealrankError):
                read(path)
