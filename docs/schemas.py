"""JSON Schemas of what commands print with ``--format json``: ``python -m docs.schemas`` writes docs/schemas/.

They are made from outputs: each command runs on several data sets in which queries, systems, measures and categories
have other names. An object whose keys all differ from run to run is a mapping of names; any other has properties.
"""

import json
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "schemas"
N_VARIANTS = 5
#: What properties mean that many outputs have.
MEANINGS = {
    "conventions": "The conventions by which the numbers were computed.",
    "idealrank": "The version of idealrank.",
    "interval": "The confidence interval of each mean: low and high.",
    "mean": "The mean over queries, by measure.",
    "n_queries": "The number of queries.",
    "n_values": "The number of queries in the mean of each measure.",
    "numpy": "The version of NumPy.",
    "per_query": "One value per query, in the order of query_ids, by measure.",
    "problems": "Irregularities in the data, and how they were handled.",
    "query_ids": "The ids of the queries.",
    "systems": "The systems by name.",
    "variance_components": "The variance between queries, between runs of a system, and of their interaction.",
    "verdict": "The decision.",
}
ERROR = {
    "type": "object",
    "properties": {
        "error": {
            "type": "object",
            "properties": {
                "type": {"type": "string", "description": "The class of the error, such as ParseError or UsageError."},
                "message": {"type": "string", "description": "What is wrong, and what to do."},
                "exit_status": {"type": "integer", "description": "The exit status of the command."},
                "path": {"type": "string", "description": "The file that cannot be read."},
                "line": {"type": "integer", "description": "The line of the file, from 1."},
                "column": {"type": ["integer", "string"], "description": "The place in the line, or the column."},
                "query": {"type": ["string", "integer"], "description": "The query."},
                "row": {"type": "integer", "description": "The row of the input, from 0."},
            },
            "required": ["exit_status", "message", "type"],
            "additionalProperties": False,
        }
    },
    "required": ["error"],
    "additionalProperties": False,
}


def commands(variant: int) -> dict[str, list[str]]:
    """Return the arguments of each command that prints JSON, for the files of `write_inputs`.

    >>> commands(0)["power"][-4:]
    ['-m', 'ndcg@10', '-m', 'ap']
    """
    first, second = (["ndcg@10", "ap"], ["rr", "p@5"], ["recall@20", "bpref"], ["err@20", "dcg"])[variant % 4]
    a, b = (f"{name}{variant}.run" for name in ("one", "two"))
    both, measures = ["qrels", a, b], ["-m", first, "-m", second]
    several = ["qrels", f"one{variant}={a}", f"one{variant}={b}", b] if variant % 2 else both  # runs of one system
    ndcg = ["-m", ("ndcg@10", "linear_ndcg", "ndcg@5", "ndcg@20")[variant % 4]]
    tools = [("trec_eval", "sklearn"), ("lightgbm", "ranx"), ("xgboost", "trec_eval10"), ("ranx", "lightgbm")][
        variant % 4
    ]
    return {
        "evaluate": [*several, *measures, "--by", "types", "--interval"],
        "compare": [*several, *measures, "--by", "types"],
        "gate": ["qrels", *([a, b] if variant % 2 else [a]), "--baseline", b, *measures, "--allow-inconclusive"],
        "explain": ["qrels", a, *ndcg, *(word for tool in tools for word in ("--like", tool))],
        "leaderboard": ["sets", a[:-4], b[:-4], "-m", first],
        "power": [*both, *measures],
        "bounds": [*both, "-m", first],
        "judge-next": [*both, "-m", ("ndcg@10", "p@5", "rbp", "dcg@3")[variant % 4]],
        "train": ["letor", "-o", f"model{variant}.json", *ndcg],
        "distinguish": [*both, *ndcg],
        "limits": [*both, *ndcg],
        "consistency": [("hinge", "cross_entropy", "least_squares", "list_mle")[variant % 4]],
        "identify": [f"function{variant}.py:dcg"],
        "agreement": [a, b],
        "demo": ["--queries", "8", "--docs", "30", "--seed", str(variant)],
    }


def write_inputs(variant: int) -> None:
    """Write the files that `commands` names into the working directory."""
    import idealrank as ir

    qrels, runs = ir.datasets.search_runs(n_queries=8 + 5 * variant, seed=variant)
    query = {name: f"{'abcdef'[variant]}{number}" for number, name in enumerate(qrels)}
    judged = ir.Qrels({query[name]: docs for name, docs in qrels.items()})
    ir.io.write_qrels(judged, "qrels")
    for number, run in enumerate(list(runs.values())[:2]):
        tag = ("one", "two")[number] + str(variant)
        renamed = ir.Run({query[each]: docs for each, docs in run.items()}, name=tag)
        ir.io.write_run(renamed, f"{tag}.run")
        for place in ("first", "second"):
            for folder in ("sets", tag):
                Path(folder).mkdir(exist_ok=True)
            ir.io.write_qrels(judged, Path("sets", f"{place}{variant}.qrels"))
            ir.io.write_run(renamed, Path(tag, f"{place}{variant}.run"))
    Path("types").write_text("".join(f"{each} kind{variant}{i % 2}\n" for i, each in enumerate(query.values())))
    ir.io.write_letor(ir.datasets.web_search(n_queries=6, n_docs=10).train, "letor")
    formula = ("sum(labels)", "max(labels)", "labels[0]", "1.5")[variant % 4]
    Path(f"function{variant}.py").write_text(f"def dcg(labels, scores):\n    return {formula}\n")


def outputs(variant: int) -> Iterator[tuple[str, Any]]:
    """Yield the name of each command and what it prints as JSON."""
    from click.testing import CliRunner

    from idealrank.cli.group import commands as group

    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        write_inputs(variant)
        for name, arguments in commands(variant).items():
            shown = CliRunner().invoke(group, [name, *arguments, "--format", "json"])
            if shown.exit_code not in (0, 1) or "idealrank: error" in shown.output:
                raise SystemExit(f"idealrank {name} {' '.join(arguments)}: {shown.output}")
            yield name, json.loads(shown.stdout)


def schema_of(values: list[Any], name: str = "") -> dict[str, Any]:
    """Return a schema that describes all values.

    >>> schema_of([{"n": 1, "by": {"a": "x"}}, {"n": 2.5, "by": {"b": "y"}}])["properties"]["by"]
    {'type': 'object', 'additionalProperties': {'type': 'string'}}
    """
    kinds: dict[str, list[Any]] = {}
    for value in values:
        kinds.setdefault(_kind(value, name), []).append(value)
    made: dict[str, Any] = {"type": sorted(kinds) if len(kinds) > 1 else next(iter(kinds), "null")}
    if not values:
        return {}
    if "number" in kinds:  # what is not finite is written as null
        made["type"] = sorted({*kinds, "null"})
    if "array" in kinds:
        items = schema_of([each for value in kinds["array"] for each in value], name)
        made |= {"items": items} if items else {}
    if "object" in kinds:
        made |= _properties(kinds["object"])
    return made


def _kind(value: Any, name: str) -> str:
    if isinstance(value, bool) or value is None:
        return "null" if value is None else "boolean"
    if isinstance(value, (int, float)):
        return "integer" if isinstance(value, int) and name.startswith("n_") else "number"
    return "string" if isinstance(value, str) else "array" if isinstance(value, list) else "object"


def _properties(objects: list[dict[str, Any]]) -> dict[str, Any]:
    filled = [each for each in objects if each]
    common = set.intersection(*(set(each) for each in filled)) if filled else set()
    if not common:
        inner = schema_of([value for each in filled for value in each.values()])
        return {"additionalProperties": inner} if inner else {}
    names = sorted({name for each in filled for name in each})
    properties = {}
    for name in names:
        meaning = {"description": MEANINGS[name]} if name in MEANINGS else {}
        properties[name] = meaning | schema_of([each[name] for each in filled if name in each], name)
    required = sorted(common) if len(filled) == len(objects) else []
    return {"properties": properties, "required": required, "additionalProperties": False}


def main() -> int:
    """Write the schemas."""
    FOLDER.mkdir(exist_ok=True)
    shown: dict[str, list[Any]] = {}
    for variant in range(N_VARIANTS):
        for name, value in outputs(variant):
            shown.setdefault(name, []).append(value)
    schemas = {name: (f"idealrank {name} --format json", schema_of(values)) for name, values in shown.items()}
    schemas["error"] = ("What a command with --format json prints if it fails", ERROR)
    for name, (title, schema) in schemas.items():
        head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title}
        (FOLDER / f"{name}.json").write_text(json.dumps(head | schema, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    os.environ.setdefault("COLUMNS", "80")
    sys.exit(main())
