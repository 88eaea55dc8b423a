"""Questions in JSON as people keep them: folders of files, objects around lists, rows with lists of objects."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import idealrank as ir
from idealrank.cli.group import commands
from idealrank.errors import IdealrankError

GOLD = {"q1": ["a#1", "a#2"], "q2": ["b#1"], "q3": ["c#7"]}
FOUND = {"q1": ["a#2", "z", "a#1"], "q2": ["y", "b#1"], "q3": ["x", "w"]}
EXPECTED = ir.evaluate(GOLD, FOUND, "ndcg@10, rr").per_query
TEXTS = {"q1": "What is a?", "q2": "Is b 0 or 1, is it 5 ?", "q3": "Why c?"}


def _stored(name: str, content: Any) -> str:
    if name.endswith("/"):
        Path(name).mkdir()
        for file, each in content.items():
            Path(name, f"{file}.json").write_text(json.dumps(each))
    elif name.endswith(".jsonl"):
        Path(name).write_text("".join(json.dumps(each) + "\n" for each in content))
    else:
        Path(name).write_text(json.dumps(content))
    return name


def _rows(**fields: Any) -> list[dict[str, Any]]:
    return [{name: make(query) for name, make in fields.items()} for query in GOLD]


def _objects(query: str) -> list[dict[str, Any]]:
    return [{"id": doc, "content": "text", "score": 1 / n} for n, doc in enumerate(FOUND[query], 1)]


_gold, _found, _text, _id = GOLD.__getitem__, FOUND.__getitem__, TEXTS.__getitem__, str
GOLDS = {
    "gold/": {q: {"question": TEXTS[q], "gold": GOLD[q]} for q in GOLD},
    "lists/": GOLD,
    "parts/": {"one": _rows(id=_id, gold=_gold)[:2], "two": _rows(id=_id, gold=_gold)[2:]},
    "gold.json": {"version": 1, "questions": _rows(id=_id, question=_text, gold_passages=_gold)},
    "gold.jsonl": _rows(question=_text, id=_id, relevant_docs=_gold),
    "nested.jsonl": _rows(id=_id, gold=lambda query: {"count": 2, "passages": _gold(query)}),
    "ids.jsonl": _rows(query_id=_id, question=_text, relevant_chunk_ids=_gold, tags=lambda _: ["hr"]),
    "neutral/": {q: {"question": TEXTS[q], "passages": GOLD[q]} for q in GOLD},
    "llama.json": {"queries": TEXTS, "corpus": {"b#1": "x"}, "relevant_docs": GOLD, "mode": "text"},
}
RETRIEVED = {
    "found/": {q: {"question": TEXTS[q], "chunks": _objects(q)} for q in GOLD},
    "plain/": FOUND,
    "objects/": {q: _objects(q) for q in GOLD},
    "found.json": {"results": _rows(id=_id, retrieved=_objects)},
    "found.jsonl": _rows(question_id=_id, chunks=_found),
    "found_ids.jsonl": _rows(query_id=_id, retrieved_chunk_ids=_found, latency_ms=len),
    "nested.json": _rows(id=_id, retrieved=lambda query: {"ids": _found(query), "texts": [], "took_ms": 3}),
    "chain.json": _rows(id=_id, source_documents=_objects, result=_text),
    "langchain.json": {
        q: [{"page_content": "", "metadata": {"chunk_id": doc, "page": 3}} for doc in FOUND[q]] for q in GOLD
    },
    "llama_found.json": {
        q: [{"node": {"id_": doc, "text": ""}, "score": 1 / n} for n, doc in enumerate(FOUND[q], 1)] for q in GOLD
    },
}


@pytest.mark.parametrize("found", RETRIEVED)
@pytest.mark.parametrize("gold", GOLDS)
def test_every_form_has_the_same_values(gold: str, found: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    values = ir.evaluate(_stored(gold, GOLDS[gold]), _stored(found, RETRIEVED[found]), "ndcg@10, rr")
    by_text = found == "found/" and gold in ("gold.json", "gold.jsonl", "ids.jsonl")  # all that both have is the text
    assert values.query_ids.tolist() == [*(TEXTS.values() if by_text else GOLD)]
    for name, expected in EXPECTED.items():
        assert values.per_query[name].tolist() == expected.tolist()


@pytest.mark.parametrize(
    ("gold", "found"),
    [
        ("gold", "retrieved"),
        ("reference_context_ids", "retrieved_context_ids"),
        ("expected", "retrieved_contexts"),
        ("expected_chunks", "context"),
    ],
)
def test_one_file_or_folder_has_both(gold: str, found: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = _rows(user_input=_text, **{gold: _gold, found: _found})
    folder = {f"n{n}": row for n, row in enumerate(rows)}
    for data in (_stored("both.json", rows), _stored("both/", folder)):
        assert ir.evaluate(data, None, "rr").per_query["rr"].tolist() == EXPECTED["rr"].tolist()
        assert ir.gate(data, None, data, "rr").measures[0].change == 0
        assert ir.save_baseline(data, None, "rr").values["rr"].tolist() == EXPECTED["rr"].tolist()  # type: ignore[arg-type]


def test_questions_need_no_library_of_frames(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("pyarrow", "pandas", "polars"):
        monkeypatch.setitem(sys.modules, name, None)
    for name in ("nested.jsonl", "parts/"):
        assert ir.evaluate(_stored(name, GOLDS[name]), FOUND, "rr").per_query["rr"].tolist() == EXPECTED["rr"].tolist()


def test_an_unknown_field_is_named_with_the_option_that_tells_it(tmp_path: Path) -> None:
    path = tmp_path / "both.json"
    path.write_text(json.dumps(_rows(id=_id, context=_gold, retrieval_context=_found)))
    failed = CliRunner().invoke(commands, ["evaluate", str(path)])
    assert "--doc GOLD,RETRIEVED" in " ".join(failed.output.split())
    named = CliRunner().invoke(commands, ["evaluate", str(path), "--doc", "context,retrieval_context", "-m", "rr"])
    assert named.exit_code == 0, named.output


def test_folders_that_cannot_be_read_say_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("empty").mkdir()
    for data, message in (
        (_stored("mixed/", {"q1": ["a"], "q2": {"gold": ["a"]}}), r"mixed/q2\.json:1:1: expected an object"),
        (_stored("number/", {"q1": 7}), r"number/q1\.json:1:1: expected an object"),
        (_stored("broken/", {"q1": []}), ""),
    ):
        if data == "broken/":
            Path("broken/q1.json").write_text("{")
            message = r"broken/q1\.json:1:2: not valid JSON"
        with pytest.raises(IdealrankError, match=message):
            ir.evaluate(data, FOUND, "rr")
    other = {"a": {"qid": "q1", "gold": ["a"]}, "settings": {"model": "x"}}
    with pytest.raises(IdealrankError, match=r"^other/settings\.json:1:1: a value is missing.*column 'qid'"):
        ir.evaluate(_stored("other/", other), FOUND, "rr")
    with pytest.raises(IsADirectoryError, match="JSON files"):
        ir.evaluate("empty", FOUND, "rr")


def test_some_grades_without_others_name_the_file_and_the_question(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    graded: dict[str, Any] = {
        "a": [{"passage_id": "x", "grade": 2}],
        "b": [{"passage_id": "y", "grade": 1}, {"passage_id": "z"}],
    }
    message = (
        r"'z' has no 'grade', which other documents have: add it, such as 1, or remove 'grade' from all documents, so "
        r"that all count as relevant alike \(query '{}'\)"
    )
    folder = _stored("eval/", {name: {"qid": f"q_{name}", "gold": gold} for name, gold in graded.items()})
    for data, start, query in (
        (folder, r"^eval/b\.json:1:1: ", "q_b"),
        (_stored("lists/", graded), r"^lists/b\.json:1:1: ", "b"),
        (_stored("gold.json", [{"id": q, "gold": gold} for q, gold in graded.items()]), r"^gold\.json:1:1: ", "b"),
        (_stored("rows.json", [{"qid": q, **doc} for q in graded for doc in graded[q]]), r"^rows\.json:1:1: ", "b"),
        (graded, "^", "b"),
    ):
        with pytest.raises(IdealrankError, match=start + message.format(query)):
            ir.evaluate(data, {"q_b": ["z"]}, "rr")
    for gold in graded.values():
        for document in gold:
            document.pop("grade", None)
    assert ir.evaluate(graded, {"a": ["x"], "b": ["y"]}, "rr").mean["rr"] == 1


def test_questions_may_have_their_category_beside_them() -> None:
    questions = [{"id": q, "gold": GOLD[q], "retrieved": FOUND[q], "meta": {"lang": TEXTS[q][:2]}} for q in GOLD]
    found = ir.evaluate(questions, None, "rr", by="lang")
    assert list(found.query_ids) == [*GOLD]
    assert found.categories == tuple(TEXTS[q][:2] for q in GOLD)


def test_a_folder_of_questions_may_also_hold_what_idealrank_wrote(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = _stored("eval/", {q: {"qid": q, "gold": GOLD[q], "retrieved": FOUND[q]} for q in GOLD})
    saved = ir.save_baseline(folder, folder, "rr", "eval/baseline.json")
    Path("eval/a_gate.json").write_text(ir.gate(folder, None, "eval/baseline.json", "rr", margin=0.1).to_json())
    Path("eval/z_values.json").write_text(ir.evaluate(folder, None, "rr").to_json())
    assert ir.evaluate(folder, None, "rr").per_query["rr"].tolist() == saved.values["rr"].tolist()
    for question in GOLD:
        Path(f"eval/{question}.json").unlink()
    with pytest.raises(IdealrankError, match="eval/:1:1: expected questions, but all JSON files of the folder are res"):
        ir.evaluate(folder, None, "rr")


def test_the_judged_ids_say_whether_chunks_or_their_sources_were_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("id", "chunk_id"):
        chunks = {q: [{name: doc, "source": f"{doc[0]}.md"} for doc in docs] for q, docs in FOUND.items()}
        sources = {q: [f"{doc[0]}.md" for doc in docs[:1]] for q, docs in GOLD.items()}
        both = {q: {"qid": q, "gold": [{"passage_id": doc} for doc in GOLD[q]], "retrieved": chunks[q]} for q in GOLD}
        inputs: list[tuple[Any, Any]] = [(GOLD, chunks), (_stored(f"{name}.json", GOLD), _stored("run.json", chunks))]
        for gold, run in [*inputs, (_stored(f"{name}/", both), None)]:
            assert ir.evaluate(gold, run, "rr").per_query["rr"].tolist() == EXPECTED["rr"].tolist()
        best = ir.convention("trec_eval").replace(duplicates="best")
        assert (
            ir.evaluate(sources, chunks, "rr", like=best).mean
            == ir.evaluate(sources, chunks, "rr", like=best, doc="source").mean
        )


def test_the_id_of_a_chunk_is_not_guessed_beside_that_of_its_document() -> None:
    chunks = {q: [{"id": doc, "source": doc[0]} for doc in docs] for q, docs in FOUND.items()}
    with pytest.raises(IdealrankError, match="'id' may hold the documents, and 'source' too: pass doc="):
        ir.evaluate({q: ["unknown"] for q in GOLD}, chunks, "rr")
    assert ir.evaluate(GOLD, chunks, "rr", doc="id").per_query["rr"].tolist() == EXPECTED["rr"].tolist()
    rows = [{"question_id": q, "chunks": own} for q, own in chunks.items()]
    assert ir.evaluate(GOLD, rows, "rr", doc="id").per_query["rr"].tolist() == EXPECTED["rr"].tolist()


def test_a_run_of_one_query_may_repeat_its_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    documents = [{"query": "What?", "chunk_id": "b", "score": 2.0}, {"query": "What?", "chunk_id": "a", "score": 1.0}]
    for queries in (["q1"], ["q1", "q2"]):
        gold, run = _stored("gold.json", {each: {"a": 1} for each in queries}), dict.fromkeys(queries, documents)
        assert ir.evaluate(gold, _stored("run.json", run), "rr").mean == {"rr": 0.5}
