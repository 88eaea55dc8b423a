"""Input files, the same bytes for the same seed and size; each is made once a folder."""

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import numpy as np

__all__ = ["letor_file", "run_file"]

_N_FEATURES = 136
_DISTINCT = 1009
_ROWS_AT_ONCE = 1000

Draw = Callable[[np.random.Generator, int], np.ndarray]


def letor_file(folder: Path, n_bytes: int, *, with_qid: bool = True, seed: int = 0) -> Path:
    """A LETOR file of about n_bytes whose lines look like those of MSLR-WEB10K.

    136 features: counts, ratios, lengths, decimals of 6 places, negative logarithms, large integers, many zeros.
    Without ``qid:``, the sizes of the groups are in a file of the same name with ``.query`` after it, as LightGBM
    wants them.
    """
    path = folder / f"letor-{n_bytes}-{'qid' if with_qid else 'query'}-{seed}.txt"
    if path.exists():
        return path
    written, sizes = 0, []
    with path.open("wb") as file:
        for query_id, lines in _letor_queries(seed):
            label_end = b" qid:%d " % query_id if with_qid else b" "
            for label, features in lines:
                written += file.write(b"%d%s%s \n" % (label, label_end, features))
            sizes.append(len(lines))
            if written >= n_bytes:
                break
    if not with_qid:
        path.with_name(f"{path.name}.query").write_text("".join(f"{size}\n" for size in sizes))
    return path


def _letor_queries(seed: int) -> Iterator[tuple[int, list[tuple[int, bytes]]]]:
    """Query ids with their lines, (label, features), without end."""
    rng = np.random.default_rng(seed)
    tokens = np.array([_tokens(column, rng) for column in range(1, _N_FEATURES + 1)], dtype=object)
    lines: list[tuple[int, bytes]] = []
    for query in count():
        size = int(rng.integers(60, 180))
        while len(lines) < size:
            chosen = rng.integers(_DISTINCT, size=(_ROWS_AT_ONCE, _N_FEATURES))
            labels = rng.choice(5, size=_ROWS_AT_ONCE, p=[0.52, 0.32, 0.13, 0.02, 0.01])
            rows = tokens[np.arange(_N_FEATURES), chosen].tolist()
            lines += zip(labels.tolist(), map(b" ".join, rows), strict=True)
        yield 15 * query + 1, lines[:size]
        del lines[:size]


def _tokens(column: int, rng: np.random.Generator) -> list[bytes]:
    """Texts ``column:value`` to draw from."""
    draw, zeros = _kind(column)
    values = draw(rng, _DISTINCT) * (rng.random(_DISTINCT) >= zeros)
    return [f"{column}:{_short(value)}".encode() for value in values.tolist()]


def _short(value: float) -> str:
    """Six decimals at most, without zeros at the end."""
    return f"{value:.6f}".rstrip("0").rstrip(".") if value else "0"


def _kind(column: int) -> tuple[Draw, float]:
    """How the values of a column are distributed, and the share of zeros.

    Up to 125, each statistic has five columns: body, anchor, title, URL, whole document; few documents have anchors.
    """
    if column > 125:
        return (_integers(2.0, 1.0), 0.1) if column < 130 else (_integers(7.0, 3.0), 0.3)
    statistic, stream = divmod(column - 1, 5)
    zeros = (0.05, 0.85, 0.15, 0.35, 0.0)[stream]
    whole = stream in (0, 4)
    kinds: dict[int, Draw] = {
        0: lambda rng, n: rng.integers(1, 6, n).astype(float),
        1: lambda rng, n: rng.integers(1, 5, n) / rng.integers(4, 7, n),
        2: _integers(6.5 if whole else 2.0, 1.0),
        4: _integers(3.0 if whole else 0.5, 1.2),
        5: _integers(1.0 if whole else 0.1, 1.0),
        6: _integers(2.5 if whole else 0.3, 1.0),
        19: lambda rng, n: np.ones(n),
    }
    if statistic >= 22:
        return lambda rng, n: -rng.lognormal(2.5, 0.5, n), zeros
    small = 9 <= statistic < 14
    return kinds.get(statistic, lambda rng, n: rng.lognormal(-4.0 if small else 2.5, 1.5, n)), zeros


def _integers(mean: float, sigma: float) -> Draw:
    return lambda rng, n: np.rint(rng.lognormal(mean, sigma, n))


def run_file(folder: Path, n_queries: int, n_docs: int, *, shuffled: bool = False, seed: int = 0) -> Path:
    """A TREC run of n_queries times n_docs lines; half the ids are as MS MARCO's, half as ClueWeb09's."""
    path = folder / f"run-{n_queries}-{n_docs}-{'shuffled' if shuffled else 'sorted'}-{seed}.txt"
    if path.exists():
        return path
    rng = np.random.default_rng(seed)
    lines: list[bytes] = []
    for query in range(n_queries):
        documents = rng.choice(8_841_823, n_docs, replace=False).tolist()
        scores = np.sort(rng.gamma(3.0, 4.0, n_docs))[::-1].tolist()
        query_id = 100_000 + 37 * query
        lines += (
            b"%d Q0 %s %d %.6f bm25\n" % (query_id, _doc_id(document), rank, score)
            for rank, (document, score) in enumerate(zip(documents, scores, strict=True), 1)
        )
    if shuffled:
        lines = [lines[place] for place in rng.permutation(len(lines)).tolist()]
    with path.open("wb") as file:
        file.writelines(lines)
    return path


def _doc_id(number: int) -> bytes:
    if number % 2:
        return b"D%d" % number
    rest, page = divmod(number, 500)
    return b"clueweb09-en%04d-%02d-%05d" % (*divmod(rest, 100), page)
