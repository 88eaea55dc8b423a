"""Tables of papers: compiled by LaTeX, with nothing but booktabs in the preamble, and read back from the PDF."""

import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import idealrank as ir
from idealrank._present.latex import latex_table, latex_text
from idealrank._present.table import Column, Table

AWKWARD = [
    "[optional] *star",
    "a_b & c | d",
    "50% #1 ~^\\{}$",
    "\"quoted\" `so` 'and' <so>",
    "--dashes-- ,, ?` !`",
    "Zürich-Łódź-Ångström œuvre",
    "bm25_" + "k1-0.9_b-0.4_" * 15,
    "x" * 200,
]

needs_latex = pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")


def drawn(
    names: list[str], n_queries: int = 12
) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, dict[str, float]]]]:
    rng = np.random.default_rng(len(names))
    qrels = {f"q{i}": {f"d{j}": int(rng.integers(0, 3)) for j in range(12)} for i in range(n_queries)}
    noises = rng.uniform(0.2, 3, len(names))
    runs = {
        name: {q: {d: label + noise * float(rng.normal()) for d, label in docs.items()} for q, docs in qrels.items()}
        for name, noise in zip(names, noises, strict=True)
    }
    return qrels, runs


def compiled(folder: Path, *tables: str) -> str:
    """Compile the tables in a document that has only what they say they need, and return the log."""
    preamble = {line.removeprefix("% needs ") for table in tables for line in table.splitlines() if "% needs " in line}
    assert preamble == {r"\usepackage{booktabs}"}
    body = "\n\\clearpage\n".join(tables)
    source = "\\documentclass{article}\n" + "\n".join(preamble) + f"\n\\begin{{document}}\n{body}\n\\end{{document}}\n"
    (folder / "paper.tex").write_text(source, encoding="utf-8")
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"],
        cwd=folder,
        capture_output=True,
        check=False,
    )
    log = (folder / "paper.log").read_text(encoding="latin-1")
    assert done.returncode == 0, log[-3000:]
    return log


@needs_latex
def test_tables_of_papers_compile_without_a_warning(tmp_path: Path) -> None:
    qrels, runs = drawn(["bm25", "dense_v2", "both & more"])
    several = ir.compare(qrels, runs, ["ndcg@10", "ap", "rr"], seed=0)
    against = ir.compare(qrels, runs, ["ndcg@10", "ap"], baseline="bm25", seed=0)
    many = drawn([f"system_{i}" for i in range(30)])
    log = compiled(
        tmp_path,
        several.to_latex(underline_second=True),
        against.to_latex(digits=3),
        against.to_latex("differences", digits=2),
        ir.compare(*many, "ndcg@10", seed=0, n_permutations=500).to_latex(),
        ir.evaluate(qrels, runs, ["ndcg@10", "ap"]).to_latex(),
        ir.explain(qrels, runs["bm25"], "ndcg", like=["trec_eval", "letor4"]).to_latex(),
    )
    assert "LaTeX Warning" not in log
    assert "Missing character" not in log


@needs_latex
def test_every_name_compiles_and_is_whole_in_the_pdf(tmp_path: Path) -> None:
    qrels, runs = drawn(AWKWARD)
    log = compiled(tmp_path, ir.compare(qrels, runs, "ap", seed=0).to_latex())
    assert "Missing character" not in log
    assert "Overfull" not in log
    if shutil.which("pdftotext") is None:
        pytest.skip("pdftotext, which reads the names back, is not installed")
    subprocess.run(["pdftotext", "paper.pdf"], cwd=tmp_path, check=True)
    text = (tmp_path / "paper.txt").read_text(encoding="utf-8")
    text = re.sub(r"0\.\d{4}[a-z]*", "", (tmp_path / "paper.txt").read_text(encoding="utf-8"))
    whole = re.sub(r"[^A-Za-z0-9]", "", text)  # the default fonts draw some of the other characters as lines
    for name in AWKWARD:
        if name.isascii():
            assert re.sub(r"[^A-Za-z0-9]", "", name) in whole, name


@needs_latex
def test_one_system_one_query_and_missing_values_compile(tmp_path: Path) -> None:
    one = ir.evaluate({"q": {"a": 1}}, {"x": {"q": {"a": 1.0}}}, "ap")
    nothing = ir.compare(
        {"q": {"a": 0}}, {"x": {"q": {"a": 1.0}}, "y": {"q": {"a": 2.0}}}, "ndcg(empty=nan)@10", baseline="x"
    )
    table = Table([Column("n", "+.4f"), Column("text")], [[-0.5, "a"], [float("nan"), None], [None, "b"], [12.25, "c"]])
    compiled(tmp_path, one.to_latex(), nothing.to_latex(), nothing.to_latex("differences"), latex_table(table))
    assert "--" in nothing.to_latex()


def test_numbers_are_whole_and_marks_do_not_move_them() -> None:
    table = Table(
        [Column("system"), Column("change", "+.4f"), Column("n", ",")],
        [["a", -0.5, 1000], ["b", 12.25, 7], ["c", float("nan"), None]],
        best=frozenset({(1, 1)}),
        second=frozenset({(0, 1)}),
        marks={(0, 1): "†"},
    )
    lines = latex_table(table, underline_second=True).splitlines()
    assert lines[1] == r"\begin{tabular}{lr@{\phantom{\textsuperscript{\dag{}}}\hspace{\tabcolsep}}r}"
    assert lines[5:8] == [
        r"a & \underline{$-$0.5000}\rlap{\textsuperscript{\dag{}}} & 1,000 \\",
        r"b & \textbf{+12.2500} & 7 \\",
        r"c & -- &  \\",
    ]


def test_the_caption_says_how_systems_were_compared() -> None:
    qrels, runs = drawn(["bm25", "dense"])
    caption = ir.compare(qrels, runs, ["ndcg@10", "ap"], baseline="bm25", seed=0, level=0.01).to_latex()
    for fact in (
        "Mean ndcg@10 and ap over 12 queries, as trec\\_eval computes them",
        "paired t test, Holm correction, level 0.01",
        "bm25",
        "bold",
    ):
        assert fact in caption
    tukey = ir.compare(qrels, runs, "ap", seed=0, like="sklearn", test="tukey").to_latex(underline_second=True)
    assert "as sklearn computes it" in tukey
    assert "(randomized Tukey HSD test, level 0.05)" in tukey
    assert "The second best values are underlined." in tukey


def test_labels_can_be_read_in_one_way_only() -> None:
    qrels, runs = drawn([f"s{i}" for i in range(30)], 40)
    found = ir.compare(qrels, runs, "ap", seed=0, n_permutations=500)
    ranked = found.ranked()
    assert [found.means["ap"][name].mean for name in ranked] == sorted(
        (each.mean for each in found.means["ap"].values()), reverse=True
    )
    beaten: dict[str, set[str]] = {name: set() for name in ranked}
    for each in found.significant("ap"):
        better, worse = (each.system, each.against) if each.difference > 0 else (each.against, each.system)
        beaten[better].add(worse)
    assert any(beaten.values())
    for name, text in found.letters("ap").items():
        told = set()
        for part in filter(None, text.split(",")):
            first, _, last = part.partition("-")
            told |= {ranked[place - 1] for place in range(int(first), int(last or first) + 1)}
        assert told == beaten[name]


def test_characters_beyond_pdflatex_are_said_to_need_another_engine() -> None:
    table = latex_table(Table([Column("system")], [["検索"]]))
    assert "% needs lualatex or xelatex, and a font with the characters 検 索" in table
    assert latex_text("≤ † ‡") == r"$\le$ \dag{} \ddag{}"
    subscripts = latex_table(Table([Column("loss")], [["Z₁₀"]]))
    assert r"Z\textsubscript{1}\textsubscript{0}" in subscripts
    assert "lualatex" not in subscripts
