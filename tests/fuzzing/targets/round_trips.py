"""What a format writes it reads back, compressed too: every format in the registry, scores and group sizes."""

import itertools
import math
import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

import idealrank as ir
from fuzzing.core import Target
from fuzzing.shrinking import fewer_items
from idealrank.data.judgments import Qrels, Run
from idealrank.errors import DataError
from idealrank.io.format_list import FORMATS
from idealrank.io.formats import Format, Nested, load, sniffed

_MEMORY = Path("/dev/shm")
_FOLDER = Path(tempfile.mkdtemp(prefix="fuzzing-", dir=_MEMORY if _MEMORY.is_dir() else None))
_IDS = [
    "q1",
    "q2",
    "7",
    "007",
    "a b",
    "a,b",
    'say "x"',
    "#x",
    "x#y",
    "ü",
    "=1+1",
    "\ufeffq",
    "",
    "\t",
    "a\nb",
    "a\r",
    "\x00",
]
_IDS += ["qid:3", "docid", "=", "-", "NULL", "nan", "\u2028", "\x85", "\xa0", "\x1b[31m", "\udcff", "Q0", "1e5", "inf"]
_NUMBERS = [0.0, -0.0, 1.0, 2.0, 0.1, 1 / 3, 1e300, -1e-300, 5e-324, 2.0**53 + 2, 123456789.125, 1e22, 1e-7]
_FEATURES = [0.0, 1.0, -1.5, 0.1, 1e38, 1e-45, 3.4028234663852886e38, math.inf, math.nan, 16777216.0]


def draw(rng: Random) -> Iterator[dict[str, Any]]:
    for _ in range(10):
        # Judgments by subtopic have tests of their own: these rows have no subtopics.
        kinds = [*(name for name in FORMATS if name != "subtopics"), "scores", "groups"]
        hostile = rng.random() < 0.5
        ids = rng.sample(_IDS, 4) if hostile else ["q1", "q2", "d-3", "7"]
        n = rng.randint(1, 8)
        yield {
            "format": rng.choice(kinds),
            "ending": rng.choice(["", "", ".gz", ".xz"]),
            "sparse": rng.random() < 0.3,
            "name": rng.choice(["bm25", "", "two words", "a\nb", "\x1b[0m"]) if hostile else "bm25",
            "rows": [
                {
                    "query": rng.choice(ids),
                    "doc": f"{rng.choice(ids)}{row if rng.random() < 0.9 else ''}",
                    "label": float(rng.choice([0, 0, 1, 2, rng.choice(_NUMBERS)])),
                    "score": rng.choice(_NUMBERS) if rng.random() < 0.5 else rng.gauss(0, 1),
                    "features": [rng.choice(_FEATURES) for _ in range(3)],
                }
                for row in range(n)
            ],
        }


def check(case: dict[str, Any]) -> int:
    kind, rows = case["format"], case["rows"]
    if kind in ("scores", "groups"):
        return _numbers(case)
    found = load(kind)
    path = _FOLDER / f"file{(*FORMATS[kind].endings, '.txt')[0]}{case['ending'] if found.is_text else ''}"
    content = _content(case, found)
    if content is None:
        return 0
    try:
        found.write(content, path)
    except DataError:
        if kind in ("letor", "qrels", "run", "msmarco") and _is_hostile(case):  # ids there are words
            return 1
        if kind == "rank_eval" and any(not row["label"].is_integer() or row["label"] < 0 for row in rows):
            return 1  # ratings there are whole numbers from 0
        raise
    try:
        words = [row[name] for row in rows for name in ("query", "doc")]
        # No text file has NUL bytes, and three columns of an MS MARCO run may look like LETOR text.
        if not any("\0" in word or (kind == "msmarco" and word.startswith("qid:")) for word in words):
            sniff = sniffed(path)
            assert sniff is not None, "not recognized"
            assert sniff.name == kind, f"recognized as {sniff.name}"
        if kind == "letor":
            read: Any = found.read(path, sparse=case["sparse"])
            _same_rows(read, rows, features=True)
        elif kind in ("qrels", "run", "json", "rank_eval"):
            again: Any = found.read(path)
            assert again.to_dict() == content.to_dict(), (again.to_dict(), content.to_dict())
            assert list(again.to_dict()) == list(content.to_dict())
            if kind == "run":
                assert again.name == (content.name or "idealrank"), (again.name, content.name)
        elif kind == "msmarco":  # keeps ranks only
            ranked: Any = found.read(path)
            assert ranked.to_dict().keys() == content.to_dict().keys()
            for query, docs in ranked.items():
                scores = [content[query][doc] for doc in sorted(docs, key=docs.__getitem__, reverse=True)]
                assert sorted(scores, reverse=True) == scores, (query, scores)
                assert docs.keys() == content[query].keys()
        else:
            _same_rows(found.read_ranking(path, doc="doc"), rows, features=False)
    finally:
        path.unlink()
    return 1


def _is_hostile(case: dict[str, Any]) -> bool:
    words = [word for row in case["rows"] for word in (row["query"], row["doc"])] + [case["name"]]
    return any(not word or not word.isalnum() or not word.isascii() for word in words)


def _content(case: dict[str, Any], found: Format) -> Any:
    rows = case["rows"]
    if found.holds in (Qrels, Run, Nested):
        queries: dict[str, dict[str, float]] = {}
        for row in rows:
            queries.setdefault(row["query"], {})[row["doc"]] = row["score" if found.holds is Run else "label"]
        return Run(queries, name=case["name"]) if found.holds is Run else Qrels(queries)
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    if found.name == "csv" and any(_loses_text(word) for word in columns["query"] + columns["doc"]):
        return None
    matrix: Any = np.array(columns["features"], np.float32)
    if found.name == "letor" and case["sparse"]:
        from scipy.sparse import csr_array

        matrix = csr_array(matrix)
    data = ir.from_arrays(
        columns["label"],
        query_ids=columns["query"],
        features=matrix if found.name == "letor" else None,
        doc_ids=columns["doc"],
        scores=columns["score"],
    )
    return data if found.name == "letor" else ir.io.to_frame(data, backend="pyarrow") if _is_valid(columns) else None


def _is_valid(columns: dict[str, list[Any]]) -> bool:
    """Whether frames can hold the ids: Arrow has no surrogates, and `from_frame` refuses empty query ids."""
    return "" not in columns["query"] and not any("\udcff" in word for word in columns["query"] + columns["doc"])


def _loses_text(word: str) -> bool:
    """Whether CSV does not tell the text from nothing."""
    return word in ("", "\x00") or "\x00" in word


def _same_rows(data: ir.RankingData, rows: list[dict[str, Any]], *, features: bool) -> None:
    """Compare with the rows in the order of queries and then of input."""
    order = [row for query in dict.fromkeys(row["query"] for row in rows) for row in rows if row["query"] == query]
    queries = list(itertools.chain(*([q] * n for q, n in zip(data.query_ids, data.group_sizes.tolist(), strict=True))))
    assert list(map(str, queries)) == [row["query"] for row in order], queries
    assert data.labels.tolist() == [row["label"] for row in order], data.labels
    docs = [""] * data.n_docs if data.doc_ids is None else list(data.doc_ids)  # text without any id has no ids
    assert docs == [row["doc"] for row in order], docs
    if not features:
        assert data.scores is not None
        assert data.scores.tolist() == [row["score"] for row in order], data.scores
        return
    matrix: Any = data.features
    dense = matrix.toarray() if hasattr(matrix, "toarray") else matrix
    expected = np.array([row["features"] for row in order], np.float32)
    width = dense.shape[1]
    assert not expected[:, width:].any()
    np.testing.assert_array_equal(dense, expected[:, :width])


def _numbers(case: dict[str, Any]) -> int:
    path = _FOLDER / f"numbers{case['ending']}"
    try:
        if case["format"] == "scores":
            scores = np.array([row["score"] for row in case["rows"]])
            ir.io.write_scores(scores, path)
            assert ir.io.read_scores(path).tobytes() == scores.tobytes()
        else:
            sizes = np.array([len(row["query"]) for row in case["rows"]])
            ir.io.write_groups(sizes, path)
            assert ir.io.read_groups(path).tolist() == sizes.tolist()
    finally:
        path.unlink(missing_ok=True)
    return 1


def smaller(case: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield fewer rows, then plainer entries."""
    rows = case["rows"]
    if len(rows) > 1:
        for kept in fewer_items(rows):
            yield case | {"rows": kept}
    plain = {"query": "q1", "doc": "d1", "label": 0.0, "score": 0.0, "features": [0.0] * 3}
    for i, row in enumerate(rows):
        for name, simple in plain.items():
            if row[name] != simple and not (name == "doc" and row[name].startswith("d1")):
                entry = f"d1{i}" if name == "doc" else simple
                yield case | {"rows": [*rows[:i], row | {name: entry}, *rows[i + 1 :]]}
    for name, simple in {"ending": "", "name": "bm25", "sparse": False}.items():
        if case[name] != simple:
            yield case | {name: simple}


TARGET = Target(draw, check, smaller)
