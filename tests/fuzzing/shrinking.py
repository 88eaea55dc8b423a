"""Simpler cases: files with fewer bytes, batches with fewer queries and documents, and plainer numbers."""

from collections.abc import Iterator
from typing import Any

__all__ = ["fewer_bytes", "fewer_items", "fewer_queries"]


def fewer_items(items: Any) -> Iterator[Any]:
    """Yield the sequence without its halves, quarters, ..., single items."""
    size = len(items)
    while size := size // 2:
        for begin in range(0, len(items), size):
            yield items[:begin] + items[begin + size :]


def fewer_bytes(content: bytes) -> Iterator[bytes]:
    """Yield the file without some of its lines, then without some of its bytes, then with plainer bytes."""
    lines = content.splitlines(keepends=True)
    if len(lines) > 1:
        for kept in fewer_items(lines):
            yield b"".join(kept)
    yield from fewer_items(content)
    for i, byte in enumerate(content):
        for plain in b"1a":
            if byte not in b"1a \n:":
                yield content[:i] + bytes([plain]) + content[i + 1 :]


def fewer_queries(case: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the case with fewer of ``case["queries"]``, then of their documents, then with numbers like 0 and 1.

    A query is a list of documents, and a document a list of numbers.
    """
    queries = case["queries"]
    if len(queries) > 1:
        for kept in fewer_items(queries):
            yield case | {"queries": kept}
        return
    for q, docs in enumerate(queries):
        for kept in fewer_items(docs):
            yield case | {"queries": [*queries[:q], kept, *queries[q + 1 :]]}
        for d, doc in enumerate(docs):
            for n, number in enumerate(doc):
                for plain in (0.0, 1.0, 2.0):
                    if number is not None and abs(plain) < abs(number):
                        changed = [*docs[:d], [*doc[:n], plain, *doc[n + 1 :]], *docs[d + 1 :]]
                        yield case | {"queries": [*queries[:q], changed, *queries[q + 1 :]]}
