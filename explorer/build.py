"""Build the explorer, one HTML page with everything in it: python -m explorer.build FILE.

The C++ headers of the library are compiled to WebAssembly, so that the numbers of the page are the library's. The page
needs no server and no network, and its content security policy allows it no connection.
"""

from __future__ import annotations

import base64
import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from string import Template
from typing import Any

from idealrank import __version__, convention, datasets, measure
from idealrank._present import figure_style
from idealrank.io import write_qrels, write_run
from idealrank.measures.choice_words import choice_title, choice_value
from idealrank.measures.conventions import CONVENTION_NAMES
from idealrank.theory.long_lists.verdicts import PAPER, STATEMENTS

__all__ = ["SWITCHES", "example", "main", "page", "presets", "webassembly", "words"]

FOLDER = Path(__file__).parent
ROOT = FOLDER.parent
#: Debian's packages for WebAssembly.
PACKAGES = "clang-19 lld-19 wasi-libc libc++-19-dev-wasm32 libc++abi-19-dev-wasm32 libclang-rt-19-dev-wasm32"
_COMPILER = "clang++-19"
_FLAGS = (
    *("--target=wasm32-wasi", "-std=c++20", "-O3", "-msimd128", "-fno-exceptions", "-fno-rtti", "-ffp-contract=off"),
    *("-mexec-model=reactor", "-Wl,--export=__stack_pointer", "-Wl,--strip-all"),
    *("-Wall", "-Wextra", "-Werror"),
)

#: How tools write their names; the others are written as the convention is called.
TOOLS = {
    "trec_eval": "trec_eval 9",
    "trec_eval10": "trec_eval 10",
    "sklearn": "scikit-learn",
    "tf_ranking": "TF-Ranking",
    "rax": "Rax",
    "lightgbm": "LightGBM",
    "xgboost": "XGBoost",
    "catboost": "CatBoost",
    "rectools": "RecTools",
    "spark": "Spark",
    "letor1": "LETOR 1.0",
    "letor3": "LETOR 3.0",
    "letor4": "LETOR 4.0",
    "msmarco": "MS MARCO",
    "beir": "BEIR",
    "mteb": "MTEB",
    "mlflow": "MLflow",
    "elasticsearch": "Elasticsearch",
    "opensearch": "OpenSearch",
    "quepid": "Quepid",
    "llama_index": "LlamaIndex",
    "haystack": "Haystack",
    "sentence_transformers": "sentence-transformers",
    "sentence_transformers_reranking": "sentence-transformers, reranking",
    "recbole": "RecBole",
    "cornac": "Cornac",
    "lightgcn": "LightGCN",
    "ngcf": "NGCF",
    "allrank": "allRank",
}


#: The choices that a reader can make, and their values.
SWITCHES: dict[str, tuple[float | str, ...]] = {
    "gain": ("linear", "exp2", "binary:1", "binary:2"),
    "discount": ("log:2", "letor", "power:0.5", "zipf", "geometric:2", "linear"),
    "ties": ("average", "stable", "reverse", "docid_desc", "docid_asc", "best", "worst"),
    "empty": (0, 1, "skip"),
    "ideal": ("judged", "retrieved", "full"),
    "ideal_cut": ("cutoff", "shorter", "retrieved", "whole"),
    "unjudged": ("zero", "drop"),
    "missing": (0, "drop"),
    "precision": ("float64", "float32"),
}


def webassembly() -> bytes:
    """Return the compiled module; without the compiler, say which packages have it."""
    if shutil.which(_COMPILER) is None:
        raise SystemExit(f"the explorer needs {_COMPILER} for WebAssembly: apt-get install {PACKAGES}")
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "core.wasm"
        source = FOLDER / "core.cpp"
        command = [_COMPILER, *_FLAGS, "-I", str(ROOT / "cpp" / "include"), str(source), "-o", str(made)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            missing = f"if a header is missing: apt-get install {PACKAGES}"
            raise SystemExit(f"{source.name} does not compile to WebAssembly; {missing}\n{done.stderr}")
        return made.read_bytes()


def _plain(value: object) -> float | int | str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() else value
    return str(value)


def presets() -> list[dict[str, Any]]:
    """Return every convention with all that NDCG needs: {"name", "tool", "note", "choices"}.

    The choices are in the order in which `idealrank.explain` changes them. A cutoff that is not None applies to NDCG
    without a cutoff.
    """
    found = []
    for name in CONVENTION_NAMES:
        rules = convention(name)
        filled = measure("ndcg").with_convention(rules)
        options = {key: _plain(getattr(filled, key)) for key in filled.options()}
        data = {key: _plain(value) for key, value in rules.for_measure("ndcg").data.items()}
        with_cutoff = (measure("ndcg@10").with_convention(rules), rules.for_measure("ndcg", has_cutoff=True))
        same = {key: _plain(getattr(with_cutoff[0], key)) for key in options if key != "cutoff"}
        assert options | same == options, f"{name}: a cutoff changes other choices, which the page does not know"
        assert with_cutoff[1].data == rules.for_measure("ndcg").data
        found.append({"name": name, "tool": TOOLS.get(name, name), "note": rules.note, "choices": options | data})
    return found


def words() -> dict[str, dict[str, Any]]:
    """Return the words for every choice, {"title", "values"}, and for every value of a preset or a switch."""
    values: dict[str, list[Any]] = {name: [*own] for name, own in SWITCHES.items()}
    for preset in presets():
        for name, value in preset["choices"].items():
            values.setdefault(name, []).append(value)
    return {
        name: {"title": choice_title(name), "values": {str(value): choice_value(name, value) for value in own}}
        for name, own in values.items()
    }


def example() -> dict[str, str]:
    """Return the judgments and the run of the README as files."""
    qrels, runs = datasets.search_runs()
    with tempfile.TemporaryDirectory() as folder:
        judgments, run = Path(folder, "qrels"), Path(folder, "run")
        write_qrels(qrels, judgments)
        write_run(runs["bm25"], run)
        return {"judgments": judgments.read_text(encoding="utf-8"), "run": run.read_text(encoding="utf-8")}


def page() -> str:
    """Return the page."""
    text = {name: (FOLDER / name).read_text(encoding="utf-8") for name in ("page.html", "page.css", "worker.js")}
    script = "".join((FOLDER / name).read_text(encoding="utf-8") for name in ("theory.js", "which.js", "page.js"))
    data = {
        "version": __version__,
        "presets": presets(),
        "words": words(),
        "switches": SWITCHES,
        "example": example(),
        "theorems": {"paper": PAPER, "statements": dict(STATEMENTS)},
        "worker": text["worker.js"],
        "wasm": base64.b64encode(webassembly()).decode("ascii"),
    }
    report_style = (ROOT / "src" / "idealrank" / "report" / "page.css").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")
    return Template(text["page.html"]).substitute(
        style=figure_style.css() + report_style + text["page.css"],
        script=script,
        script_hash=f"sha256-{digest}",
        data=json.dumps(data, allow_nan=False).replace("<", "\\u003c"),
        version=__version__,
    )


def main(path: str | Path) -> None:
    """Write the page."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m explorer.build FILE")
    main(sys.argv[1])
