"""JSON as people keep questions: a list inside an object, and a folder with one file per question."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from idealrank.errors import ParseError
from idealrank.io.files import display_name
from idealrank.io.frame_roles import FILE, find_column, need_column
from idealrank.io.nested_json import load_json


def json_files(folder: str | os.PathLike[str]) -> list[Path]:
    """Return the JSON files of a folder in the order of their names; none if it is no folder."""
    return sorted(Path(folder).glob("*.json")) if os.path.isdir(folder) else []


def load_folder(folder: str | os.PathLike[str]) -> Any:
    """Return the content of a folder of JSON files.

    An object is a record of one question, a list of documents is what was retrieved for the question that the file is
    named after, and a list of records with questions is a part of one table. Baselines and other results that idealrank
    wrote are skipped.

    Parameters
    ----------
    folder : path-like
        The folder.

    Returns
    -------
    list of dict, or dict of str to list
        Records, each with the name of its file; or {name of the file: documents}.

    Raises
    ------
    ParseError
        If a file is not valid JSON, the files are of different kinds, or there are only results of idealrank.
    """
    records: list[Any] = []
    lists: dict[str, Any] = {}
    for path in json_files(folder):
        content = load_json(path)
        if _is_result(content):
            continue
        content = unwrapped(content)
        if isinstance(content, Mapping):
            records.append({FILE: path.stem, **content})
        elif _are_questions(content):
            records += content
        elif isinstance(content, list):
            lists[path.stem] = content
        if not isinstance(content, (list, Mapping)) or (records and lists):
            what = "an object per question, or a list of documents per question"
            raise ParseError(f"expected {what}, in every file of the folder", display_name(path))
    if not records and not lists:
        raise ParseError("expected questions, but all JSON files of the folder are results of idealrank", str(folder))
    return records or lists


def _is_result(content: Any) -> bool:
    """Return whether idealrank wrote this: a result has its version, and the conventions behind its numbers."""
    if not isinstance(content, Mapping):
        return False
    return isinstance(content.get("idealrank"), str) and isinstance(content.get("conventions"), Mapping)


def unwrapped(content: Any) -> Any:
    """Return the list of questions of an object in which it is the only list, or the gold passages of LlamaIndex.

    Examples
    --------
    >>> unwrapped({"version": 1, "questions": [{"id": "q1", "gold": ["a"]}]})
    [{'id': 'q1', 'gold': ['a']}]
    >>> unwrapped({"q1": [{"chunk_id": "a"}]})
    {'q1': [{'chunk_id': 'a'}]}
    >>> unwrapped({"queries": {"q1": "What?"}, "corpus": {"a": "That."}, "relevant_docs": {"q1": ["a"]}})
    {'q1': ['a']}
    >>> unwrapped({"q1": [{"query": "What?", "chunk_id": "a"}, {"query": "What?", "chunk_id": "b"}]}).keys()
    dict_keys(['q1'])
    """
    if not isinstance(content, Mapping):
        return content
    if isinstance(content.get("queries"), Mapping) and isinstance(content.get("relevant_docs"), Mapping):
        return content["relevant_docs"]
    lists = [each for each in content.values() if isinstance(each, list)]
    if len(lists) != 1 or not _are_questions(lists[0]) or (len(content) == 1 and _are_of_one_question(lists[0])):
        return content
    return lists[0]


def _are_questions(content: Any) -> bool:
    """Return whether this is a list of records, of which the first says which question it is of."""
    if not (isinstance(content, list) and content and isinstance(content[0], Mapping)):
        return False
    return find_column("question" if _has_lists(content[0]) else "query", content[0]) is not None


def _are_of_one_question(records: list[Any]) -> bool:
    """Return whether records of documents repeat the text of one question, and have no id of it."""
    if _has_lists(records[0]):
        return False
    name = need_column("query", records[0])
    has_id = find_column("question", [name, "id"]) == name
    return not has_id and all(isinstance(each, Mapping) and each.get(name) == records[0][name] for each in records)


def _has_lists(record: Mapping[str, Any]) -> bool:
    return any(find_column(role, record) for role in ("relevant", "retrieved"))
