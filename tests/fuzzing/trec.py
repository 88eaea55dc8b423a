"""What the targets of judgments and runs share."""

import io
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from fuzzing.core import Target
from fuzzing.references.text import RefusedError, parse_trec
from fuzzing.refusals import check_refusal
from fuzzing.shrinking import fewer_bytes
from fuzzing.texts import damaged, number, small_number, word

__all__ = ["target"]


def target(read: Callable[..., Any], *, is_run: bool) -> Target:
    """Return the target of a reader of judgments or runs."""

    def draw(rng: Random) -> Iterator[bytes]:
        for _ in range(50):
            queries = [word(rng) for _ in range(rng.randint(1, 3))]
            lines = [line(rng, rng.choice(queries), i) for i in range(rng.randint(0, 6))]
            yield damaged(rng.choice([b"\n", b"\n", b"\r\n"]).join(lines) + rng.choice([b"", b"\n"]), rng)

    def line(rng: Random, query: bytes, i: int) -> bytes:
        doc = word(rng) + (b"%d" % i if rng.random() < 0.9 else b"")
        fields = [query, b"Q0", doc, b"%d" % i, number(rng), word(rng)]
        if not is_run:
            fields = [query, b"0", doc, small_number(rng)]
        return rng.choice([b" ", b" ", b"  ", b"\t"]).join(fields)

    def check(content: bytes) -> int:
        try:
            expected = parse_trec(content, is_run=is_run)
        except RefusedError as refused:
            check_refusal(lambda: read(io.BytesIO(content)), refused)
            return 1
        table = read(io.BytesIO(content))
        found = {query: list(docs.items()) for query, docs in table.to_dict().items()}
        wanted = {text(query): [(text(doc), v) for doc, v in docs.items()] for query, docs in expected.queries.items()}
        assert list(found) == list(wanted), (list(found), list(wanted))
        assert found == wanted, (found, wanted)
        counts = {problem.kind: problem.count for problem in table.problems}
        assert counts.get("duplicate", 0) == expected.n_repeated, counts
        assert counts.get("comment", 0) == expected.n_comments, counts
        if is_run:
            assert table.name == text(expected.tag), (table.name, expected.tag)
        return 1

    def text(word: bytes) -> str:
        return word.decode("utf-8", "surrogateescape")

    return Target(draw, check, fewer_bytes)
