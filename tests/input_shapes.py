"""The shapes that `evaluate` takes: each as one expression, from which the tests and the page on inputs are made."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import idealrank as ir
from idealrank.io.frame_roles import NAMES

#: All documents are judged and retrieved, and no two of a query have the same score, so that every shape can hold them.
QRELS = {"0": {"0": 2, "1": 0, "2": 1, "3": 0}, "1": {"0": 0, "1": 1, "2": 0}, "2": {"1": 3, "2": 0, "4": 0}}
RUN = {
    "0": {"0": 0.3, "1": 0.9, "2": 0.5, "3": 0.1},
    "1": {"0": 2.5, "1": 1.5, "2": -1.0},
    "2": {"1": 0.2, "2": 0.7, "4": 0.4},
}
BINARY = {query: {doc: float(label > 0) for doc, label in docs.items()} for query, docs in QRELS.items()}
MEASURES = ["ndcg", "ndcg@2", "ap", "rr", "p@2", "recall@2"]


class Example(NamedTuple):
    """One shape.

    Parameters
    ----------
    title : str
        The shape, for the page.
    code : str
        The arguments of `evaluate` after the measures: data, scores and options.
    needs : str
        Packages that are not dependencies, separated by blanks.
    binary : bool
        Whether the shape can hold only whether a document is relevant.
    """

    title: str
    code: str
    needs: str = ""
    binary: bool = False


EXAMPLES = {
    "Dicts and lists": [
        Example("nested dicts, as in pytrec_eval", "qrels, run"),
        Example("`Qrels` and `Run`", "ir.Qrels(qrels), ir.Run(run)"),
        Example("sets of relevant ids, ranked ids", "relevant_sets, ranked_ids", binary=True),
        Example("lists of relevant ids, ranked ids", "relevant_lists, ranked_ids", binary=True),
        Example("lists of (id, score) pairs", "qrels, scored_pairs"),
        Example("one set and one ranking per query, without query ids", "list_of_sets, list_of_rankings", binary=True),
        Example("records by query", "gold_records, retrieved_records", "pyarrow"),
        Example("the request and the response of `_rank_eval`", "request, response"),
        Example("ranx", "ranx.Qrels(int_qrels), ranx.Run(run)", "ranx"),
        Example("ir_measures", "ir_measures_qrels, iter(ir_measures_run)", "ir_measures"),
    ],
    "Data frames": [
        Example("pandas, columns of PyTerrier", "pd_qrels, pd_run", "pandas"),
        Example("pandas, ranks instead of scores", 'pd_qrels, pd_run.drop(columns="score")', "pandas"),
        Example("Polars, columns of ir_measures", "pl_qrels, pl_run", "polars"),
        Example("PyArrow, columns of MTEB and BEIR", "pa_qrels, pa_run", "pyarrow"),
        Example("columns of recommenders", "ratings, recommended", "pandas"),
        Example("pandas, columns of questions and chunks", "rag_qrels, rag_run", "pandas"),
        Example(
            "other names in judgments and runs",
            'gold_frame, hits_frame, query=("ask", "asked"), doc=("gold_id", "hit_id")',
            "pandas",
        ),
        Example("one row per question, with two columns of lists", "lists_frame, None", "pandas", binary=True),
        Example("two columns of lists", 'lists_frame["relevant"], lists_frame["retrieved"]', "pandas", binary=True),
        Example(
            "any other columns",
            'odd_qrels, odd_run, query="q", doc="url", label="gain", score="points"',
            "pandas",
        ),
        Example("judgments as dicts, a run as a frame", "qrels, pd_run", "pandas"),
        Example("a frame with the predictions of a model", "df, model.predict(X)", "pandas"),
        Example("a frame with predictions as a list", "df, model.predict(X).tolist()", "pandas"),
        Example("a frame with predictions as a Series", 'df, df["bm25"]', "pandas"),
        Example("a frame with a column of scores", 'df, "bm25"', "pandas"),
        Example("Polars, lazy, with a column of scores", 'pl_df.lazy(), "bm25"', "polars"),
    ],
    "Arrays": [
        Example("flat arrays with group sizes", "labels, scores, group=sizes"),
        Example("flat arrays with offsets", "labels, scores, offsets=offsets"),
        Example("flat arrays with query ids", "labels, scores, query_ids=query_ids"),
        Example("matrices with padding", "labels_2d, scores_2d, mask=mask"),
        Example("matrices, masked by scores of -inf", "labels_2d, masked_2d"),
        Example("lists of lists", "labels_lists, scores_lists"),
        Example("`RankingData`", "ir.from_arrays(labels, group=sizes), scores"),
        Example(
            "PyTorch, flat", "torch.tensor(labels), torch.tensor(scores, requires_grad=True), group=sizes", "torch"
        ),
        Example("PyTorch, padded", "torch_labels, torch_scores, mask=torch_mask", "torch"),
        Example("SciPy sparse, users by items", "relevant_csr, scores_csr"),
        Example("SciPy sparse, and scores of all items", "relevant_csr, all_scores"),
        Example("SciPy sparse, and ranked item ids", "relevant_csr, top_items"),
    ],
    "Files": [
        Example("TREC, whatever the names", '"judgments.txt", "input.bm25"'),
        Example("TREC, compressed", '"qrels.gz", "bm25.run.xz"'),
        Example("TREC, compressed with bzip2 and Zstandard", '"qrels.bz2", "bm25.run.zst"', "pyarrow"),
        Example("MS MARCO, tabs", '"qrels.dev.tsv", "run.dev.tsv"', binary=True),
        Example("CSV", '"qrels.csv", "run.csv"', "pyarrow"),
        Example("Parquet", '"qrels.parquet", "run.parquet"', "pyarrow"),
        Example("JSON", '"qrels.json", "run.json"'),
        Example("JSON lines", '"qrels.jsonl", "run.jsonl"', "pyarrow"),
        Example("LETOR and one score per line", '"test.txt", "predictions.txt"'),
        Example("CSV with a column of scores", '"test.csv", "bm25"', "pyarrow"),
        Example("BEIR, with a header", '"qrels/test.tsv", "run.json"', "pyarrow"),
    ],
}


def every_example() -> Iterator[Example]:
    """Yield the examples of all groups."""
    for group in EXAMPLES.values():
        yield from group


class _Model:
    def predict(self, x: Any) -> Any:
        return x[:, 0]


def flat() -> dict[str, Any]:
    """The data as flat arrays, in the order of the judgments."""
    rows = [(q, d, label, RUN[q][d]) for q, docs in QRELS.items() for d, label in docs.items()]
    queries, docs, labels, scores = (list(column) for column in zip(*rows, strict=True))
    return {"query": queries, "doc": docs, "label": labels, "score": scores}


def names(example: Example) -> dict[str, Any]:
    """The variables of the examples; libraries are imported only where the example needs them."""
    import scipy.sparse

    columns, n_items = flat(), 5
    labels, scores = np.array(columns["label"], float), np.array(columns["score"])
    sizes = np.array([len(docs) for docs in QRELS.values()])
    mask = np.arange(4) < sizes[:, None]
    labels_2d, scores_2d = np.zeros(mask.shape), np.full(mask.shape, 7.0)
    labels_2d[mask], scores_2d[mask] = labels, scores
    cells = (np.array(columns["query"], int), np.array(columns["doc"], int))
    all_scores = np.full((3, n_items), -np.inf)
    all_scores[cells] = scores
    ranked = {query: sorted(docs, key=lambda doc: -docs[doc]) for query, docs in RUN.items()}
    relevant = {query: {doc for doc, label in docs.items() if label} for query, docs in QRELS.items()}
    top = np.full((3, 4), -1)
    for row, docs in enumerate(ranked.values()):
        top[row, : len(docs)] = list(map(int, docs))
    found: dict[str, Any] = {
        "ir": ir,
        "qrels": QRELS,
        "run": RUN,
        "relevant_sets": relevant,
        "relevant_lists": {query: sorted(docs) for query, docs in relevant.items()},
        "ranked_ids": ranked,
        "scored_pairs": {query: list(docs.items()) for query, docs in RUN.items()},
        "list_of_sets": list(relevant.values()),
        "list_of_rankings": list(ranked.values()),
        "gold_records": {q: [{"chunk_id": d, "grade": v} for d, v in docs.items()] for q, docs in QRELS.items()},
        "retrieved_records": {q: [{"chunk_id": d} for d in docs] for q, docs in ranked.items()},
        "request": {
            "requests": [
                {"id": q, "ratings": [{"_index": "i", "_id": d, "rating": v} for d, v in docs.items()]}
                for q, docs in QRELS.items()
            ]
        },
        "response": {
            "metric_score": 0.5,
            "details": {
                q: {"hits": [{"hit": {"_id": d, "_score": RUN[q][d]}} for d in docs]} for q, docs in ranked.items()
            },
        },
        "labels": labels,
        "scores": scores,
        "sizes": sizes,
        "offsets": np.concatenate(([0], np.cumsum(sizes))),
        "query_ids": columns["query"],
        "mask": mask,
        "labels_2d": labels_2d,
        "scores_2d": scores_2d,
        "masked_2d": np.where(mask, scores_2d, -np.inf),
        "labels_lists": [[*docs.values()] for docs in QRELS.values()],
        "scores_lists": [[RUN[query][doc] for doc in docs] for query, docs in QRELS.items()],
        "relevant_csr": scipy.sparse.csr_array((labels, cells), shape=(3, n_items)),
        "scores_csr": scipy.sparse.csr_array((scores, cells), shape=(3, n_items)),
        "all_scores": all_scores,
        "top_items": top,
        "model": _Model(),
        "X": scores[:, None],
    }
    for package in example.needs.split():
        found |= globals()[f"_{package}"](columns)
    return found


def _ranx(columns: dict[str, Any]) -> dict[str, Any]:
    from importlib import import_module

    return {"ranx": import_module("ranx"), "int_qrels": {query: dict(docs) for query, docs in QRELS.items()}}


def _ir_measures(columns: dict[str, Any]) -> dict[str, Any]:
    from ir_measures import Qrel, ScoredDoc

    pairs = list(zip(columns["query"], columns["doc"], strict=True))
    return {
        "ir_measures_qrels": [Qrel(*pair, label) for pair, label in zip(pairs, columns["label"], strict=True)],
        "ir_measures_run": [ScoredDoc(*pair, score) for pair, score in zip(pairs, columns["score"], strict=True)],
    }


def _ranks(columns: dict[str, Any]) -> list[int]:
    """The rank of each row within its query."""
    rows = list(zip(columns["query"], columns["score"], strict=True))
    return [1 + sum(q == query and s > score for q, s in rows) for query, score in rows]


def _renamed(columns: dict[str, Any], **new: str) -> dict[str, Any]:
    return {name: columns[old] for old, name in new.items()}


def _pandas(columns: dict[str, Any]) -> dict[str, Any]:
    import pandas as pd

    shuffled = np.random.default_rng(0).permutation(len(columns["query"]))
    frame = pd.DataFrame({**_renamed(columns, query="qid", doc="docno", label="label", score="bm25"), "length": 7})
    run = pd.DataFrame({**_renamed(columns, query="qid", doc="docno", score="score"), "rank": _ranks(columns)})
    run["docid"], run["query"] = range(len(run)), "the text of the query"
    return {
        "pd_qrels": pd.DataFrame(_renamed(columns, query="qid", doc="docno", label="label")),
        "pd_run": run.iloc[shuffled],
        "ratings": pd.DataFrame(_renamed(columns, query="userID", doc="itemID", label="rating")),
        "recommended": pd.DataFrame(_renamed(columns, query="userID", doc="itemID", score="prediction")),
        "rag_qrels": pd.DataFrame(_renamed(columns, query="question_id", doc="chunk_id", label="grade")),
        "rag_run": pd.DataFrame(_renamed(columns, query="question_id", doc="chunk_id", score="similarity_score")),
        "gold_frame": pd.DataFrame(_renamed(columns, query="ask", doc="gold_id", label="grade")),
        "hits_frame": pd.DataFrame(_renamed(columns, query="asked", doc="hit_id", score="score")),
        "lists_frame": pd.DataFrame(
            {
                "question_id": list(QRELS),
                "relevant": [[doc for doc, label in docs.items() if label] for docs in QRELS.values()],
                "retrieved": [sorted(docs, key=lambda doc: -docs[doc]) for docs in RUN.values()],
            }
        ),
        "odd_qrels": pd.DataFrame(_renamed(columns, query="q", doc="url", label="gain")),
        "odd_run": pd.DataFrame(_renamed(columns, query="q", doc="url", score="points")),
        "df": frame,
    }


def _polars(columns: dict[str, Any]) -> dict[str, Any]:
    import polars as pl

    return {
        "pl_qrels": pl.DataFrame(_renamed(columns, query="query_id", doc="doc_id", label="relevance")),
        "pl_run": pl.DataFrame(_renamed(columns, query="query_id", doc="doc_id", score="score")),
        "pl_df": pl.DataFrame(_renamed(columns, query="query_id", label="relevance", score="bm25")),
    }


def _pyarrow(columns: dict[str, Any]) -> dict[str, Any]:
    import pyarrow as pa

    return {
        "pa_qrels": pa.table(_renamed(columns, query="query-id", doc="corpus-id", label="score")),
        "pa_run": pa.table(_renamed(columns, query="query-id", doc="corpus-id", score="score")),
    }


def _torch(columns: dict[str, Any]) -> dict[str, Any]:
    import torch

    arrays = names(Example("", ""))
    return {
        "torch": torch,
        "torch_labels": torch.tensor(arrays["labels_2d"], dtype=torch.int32),
        "torch_scores": torch.tensor(arrays["scores_2d"], requires_grad=True),
        "torch_mask": torch.tensor(arrays["mask"]),
    }


def write_files(folder: Path) -> None:
    """Write the files that the examples name."""
    import bz2
    import gzip
    import json
    import lzma

    columns = flat()
    rows = list(zip(*columns.values(), _ranks(columns), strict=True))
    trec_qrels = "".join(f"{q} 0 {d} {label}\n" for q, d, label, _, _ in rows)
    trec_run = "".join(f"{q} Q0 {d} {rank} {score} bm25\n" for q, d, _, score, rank in rows)
    ms_qrels = "".join(f"{q}\t0\t{d}\t1\n" for q, d, label, _, _ in rows if label)
    ms_run = "".join(f"{q}\t{d}\t{rank}\n" for q, d, _, _, rank in sorted(rows, key=lambda row: (row[0], row[4])))
    texts = {
        "judgments.txt": trec_qrels,
        "input.bm25": trec_run,
        "qrels.dev.tsv": ms_qrels,
        "run.dev.tsv": ms_run,
        "qrels.json": json.dumps(QRELS),
        "run.json": json.dumps(RUN),
        "qrels.jsonl": "".join(
            json.dumps({"query_id": q, "doc_id": d, "relevance": label}) + "\n" for q, d, label, _, _ in rows
        ),
        "run.jsonl": "".join(json.dumps({"query_id": q, "doc_id": d, "score": s}) + "\n" for q, d, _, s, _ in rows),
        "test.txt": "".join(f"{label} qid:{q} 1:{s}\n" for q, _, label, s, _ in rows),
        "predictions.txt": "".join(f"{score}\n" for *_, score, _ in rows),
        "qrels.csv": "query_id,doc_id,relevance\n" + "".join(f"{q},{d},{label}\n" for q, d, label, _, _ in rows),
        "run.csv": "query_id,doc_id,score\n" + "".join(f"{q},{d},{score}\n" for q, d, _, score, _ in rows),
        "test.csv": "qid,label,bm25\n" + "".join(f"{q},{label},{score}\n" for q, _, label, score, _ in rows),
        "qrels/test.tsv": "query-id\tcorpus-id\tscore\n" + "".join(f"{q}\t{d}\t{v}\n" for q, d, v, _, _ in rows),
    }
    for name, text in texts.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    (folder / "qrels.gz").write_bytes(gzip.compress(trec_qrels.encode()))
    (folder / "bm25.run.xz").write_bytes(lzma.compress(trec_run.encode()))
    (folder / "qrels.bz2").write_bytes(bz2.compress(trec_qrels.encode()))


def write_arrow_files(folder: Path) -> None:
    """Write the Parquet and Zstandard files that the examples name."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    with pa.CompressedOutputStream(str(folder / "bm25.run.zst"), "zstd") as file:
        file.write((folder / "input.bm25").read_bytes())
    columns = flat()
    qrels = pa.table(_renamed(columns, query="qid", doc="docno", label="label"))
    pq.write_table(qrels, folder / "qrels.parquet")
    pq.write_table(pa.table(_renamed(columns, query="qid", doc="docno", score="score")), folder / "run.parquet")


@contextmanager
def evaluated(example: Example) -> Iterator[Any]:
    """The evaluation of an example, in the folder with the files."""
    yield eval(f"ir.evaluate({_with_measures(example.code)})", {**names(example), "MEASURES": MEASURES})


def _with_measures(code: str) -> str:
    return f"{code}, measures=MEASURES, like='trec_eval'"


def page_table() -> str:
    """The tables of shapes on the page on inputs."""
    parts = []
    for group, examples in EXAMPLES.items():
        lines = [f"### {group}", "", "| what you have | one line |", "| --- | --- |"]
        lines += [f"| {each.title} | `ir.evaluate({_shown(each.code)})` |" for each in examples]
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def columns_table() -> str:
    """The table of column names on the page on inputs."""
    lines = ["| role | names; an earlier group wins over a later one |", "| --- | --- |"]
    for role, groups in NAMES.items():
        lines.append(f"| `{role}` | {'; '.join(', '.join(f'`{name}`' for name in group) for group in groups)} |")
    return "\n".join(lines)


def _shown(code: str) -> str:
    """The arguments with the measure in third place, as users write them."""
    import ast

    call = ast.parse(f"f({code})", mode="eval").body
    assert isinstance(call, ast.Call)
    positional = [ast.unparse(each) for each in call.args]
    options = [f"{each.arg}={ast.unparse(each.value)}" for each in call.keywords]
    return ", ".join([*positional, '"ndcg@10"', *options]).replace("'", '"')


def written(page: str) -> str:
    """The page with both tables made anew."""
    before, _, rest = page.partition(f"### {next(iter(EXAMPLES))}")
    page = before + page_table() + "\n" + rest[rest.index("\n## ") :]
    before, _, rest = page.partition("| role |")
    return before + columns_table() + "\n" + rest[rest.index("\n## ") :]


if __name__ == "__main__":
    path = Path(__file__).parents[1] / "docs" / "inputs.md"
    path.write_text(written(path.read_text(encoding="utf-8")), encoding="utf-8")
