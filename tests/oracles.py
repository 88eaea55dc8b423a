"""Slow and obvious answers to compare with."""

import math

import numpy as np
import numpy.typing as npt


def parse_letor(text: str) -> tuple[list[float], list[str], list[dict[int, float]], list[str]]:
    """Labels, query ids, {feature id: float32 value} and document ids of LETOR lines, word by word."""
    labels, queries, features, docs = [], [], [], []
    for line in text.split("\n"):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        body, _, comment = line.partition(" #")
        words = body.split()
        labels.append(float(words[0]))
        queries.append(words[1].removeprefix("qid:"))
        pairs = (word.split(":") for word in words[2:])
        with np.errstate(over="ignore"):
            features.append({int(k): float(np.float32(math.nan if v == "NULL" else float(v))) for k, v in pairs})
        docs.append(comment.partition("docid =")[2].split()[0] if "docid =" in comment else "")
    return labels, queries, features, docs


def dense(rows: list[dict[int, float]]) -> npt.NDArray[np.float32]:
    """The matrix of sparse rows whose columns count from 1."""
    matrix = np.zeros((len(rows), max((max(row, default=0) for row in rows), default=0)), np.float32)
    for i, row in enumerate(rows):
        for column, value in row.items():
            matrix[i, column - 1] = value
    return matrix


def group_rows(query_ids: list[object]) -> dict[object, list[int]]:
    """The rows of each query, both in the order in which they come."""
    rows: dict[object, list[int]] = {}
    for row, query in enumerate(query_ids):
        rows.setdefault(query, []).append(row)
    return rows
