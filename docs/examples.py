"""Refresh the examples on pages: break wide code into lines, and write what code without prompts prints now.

    python -m docs.examples [PAGE ...]

On such a page, every block of ``python`` is run, in order. A block of ``text`` that follows one is what it prints;
tests/docs/test_docs.py compares the two, and this script writes what is printed now.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace

import idealrank as ir
from docs.narrow import narrowed_page

ROOT = Path(__file__).parents[1]
_BLOCK = re.compile(r"^```python\n(?!>>> )(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", re.MULTILINE | re.DOTALL)


def every_page() -> list[Path]:
    """Return the README and all pages but those of the reference."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def pages() -> list[Path]:
    """Return the pages that show code without prompts."""
    return [page for page in every_page() if _BLOCK.search(page.read_text(encoding="utf-8"))]


def refreshed(page: Path) -> str:
    """Return the text of a page with the output that its examples have now."""
    names: dict[str, object] = {"__name__": "__main__", **known_names()}

    def ran(found: re.Match[str]) -> str:
        code, shown = found.groups()
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, f"{page.name}: {code.splitlines()[0]}", "exec"), names)
        lines = [line.rstrip() for line in printed.getvalue().rstrip().splitlines()]
        if shown is None:
            assert not lines, f"{page.name}: no block of text follows {code!r}, which prints {lines}"
            return found[0]
        return f"```python\n{code}```\n\n```text\n" + "".join(f"{line}\n" for line in lines) + "```\n"

    with in_example_files():
        return _BLOCK.sub(ran, page.read_text(encoding="utf-8"))


def known_names() -> dict[str, object]:
    """Return what the examples take for granted: a data frame, a matrix of features and a model."""
    import pyarrow

    data = ir.datasets.web_search(12, 30, 8).test
    qid = [name for name, size in zip(data.query_ids, data.group_sizes, strict=True) for _ in range(size)]
    frame = pyarrow.table({"qid": qid, "label": data.labels})
    return {"df": frame, "X": data.known_features(), "model": SimpleNamespace(predict=lambda X: X[:, 0])}


def write_example_files(folder: Path) -> None:
    """Write a file of each name that the pages use."""
    train, test = ir.datasets.web_search(12, 30, 8)
    fitted, validation = train.split([0.7, 0.3], seed=0)
    for name, part in (("train", fitted), ("valid", validation), ("vali", validation), ("test", test)):
        ir.io.write_letor(part, folder / f"{name}.txt")
    for name, feature in (("a", 0), ("b", 1)):
        ir.io.write_scores(test.known_features()[:, feature], folder / f"{name}.txt")
    qrels, runs = ir.datasets.search_runs()
    ir.io.write_qrels(qrels, folder / "qrels.txt")
    for name, run in (("bm25", "bm25"), ("old", "bm25"), ("new", "hybrid"), ("dense", "dense"), ("hybrid", "hybrid")):
        ir.io.write_run(ir.Run(runs[run], name=name), folder / f"{name}.run")
    _write_questions(folder / "eval", qrels, runs)
    for seed, name in enumerate(["fiqa", "scifact"]):
        _write_dataset(folder, name, *ir.datasets.search_runs(20, seed=seed))


def _exchanged(documents: list[str], at: int) -> list[str]:
    return [*documents[:at], *documents[at : at + 2][::-1], *documents[at + 2 :]]


def _write_questions(folder: Path, qrels: ir.Qrels, runs: Mapping[str, ir.Run]) -> None:
    """Write questions with gold passages and retrieved chunks, as JSON has them."""
    folder.mkdir()
    gold = [
        {"question_id": query, "chunk_id": doc, "grade": g} for query, docs in qrels.items() for doc, g in docs.items()
    ]
    lists = {
        name: {q: sorted(docs, key=docs.__getitem__)[::-1] for q, docs in run.items()} for name, run in runs.items()
    }
    retrieved = [{"question_id": query, "chunks": docs} for query, docs in lists["bm25"].items()]
    changed = [{"question_id": query, "chunks": docs} for query, docs in lists["hybrid"].items()]
    noisy = {f"run{at}": [{**each, "chunks": _exchanged(each["chunks"], at)} for each in changed] for at in range(3)}
    for name, content in {"gold": gold, "retrieved": retrieved, "changed": changed, **noisy}.items():
        (folder / f"{name}.json").write_text(json.dumps(content), encoding="utf-8")


def _write_dataset(folder: Path, name: str, qrels: ir.Qrels, runs: Mapping[str, ir.Run]) -> None:
    """Write a data set as BEIR has it, its runs, and results as MTEB has them."""
    (folder / "beir" / name / "qrels").mkdir(parents=True)
    (folder / "qrels").mkdir(exist_ok=True)
    rows = [f"{query}\t{doc}\t{label:.0f}\n" for query, docs in qrels.items() for doc, label in docs.items()]
    table = "".join(["query-id\tcorpus-id\tscore\n", *rows])
    (folder / "beir" / name / "qrels" / "test.tsv").write_text(table, encoding="utf-8")
    ir.io.write_qrels(qrels, folder / "qrels" / f"{name}.txt")
    systems = {"bm25": "bm25", "e5": "dense", "bge": "hybrid", "v1": "bm25", "v2": "hybrid"}
    for system, run in systems.items():
        for kind in ("runs", "results"):
            (folder / kind / system).mkdir(parents=True, exist_ok=True)
        ir.io.write_run(runs[run], folder / "runs" / system / f"{name}.run")
        score = ir.evaluate(qrels, runs[run], "ndcg@10").mean["ndcg@10"]
        result = {"task_name": name, "scores": {"test": [{"hf_subset": "default", "main_score": score}]}}
        (folder / "results" / system / f"{name}.json").write_text(json.dumps(result), encoding="utf-8")


@contextlib.contextmanager
def in_example_files() -> Iterator[Path]:
    """Work in a new folder with the files that the pages use."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        write_example_files(Path(folder))
        yield Path(folder)


def main(*names: str) -> None:
    """Refresh pages, all of them by default."""
    chosen = [Path(name).resolve() for name in names] or every_page()
    for page in chosen:
        page.write_text(narrowed_page(page.read_text(encoding="utf-8")), encoding="utf-8")
    for page in [page for page in pages() if page in chosen]:
        page.write_text(refreshed(page), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
