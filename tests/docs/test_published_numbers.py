"""docs/faq.md: ten published numbers have explanations that are not by chance."""

from __future__ import annotations

from pathlib import Path

import pytest

import idealrank as ir
from benchmarks.published_numbers import END, NUMBERS, PAGE, START, TORCHMETRICS, Published


def rows() -> list[list[str]]:
    table = PAGE.read_text(encoding="utf-8").split(START)[1].split(END)[0]
    return [line.strip("| ").split(" | ") for line in table.splitlines() if line.startswith("| [")]


def test_each_number_is_explained() -> None:
    assert [(source, system, number, measure.strip("`")) for source, system, number, measure, *_ in rows()] == [
        (each.source, each.system, each.number, each.measure) for each in NUMBERS
    ]
    assert len(NUMBERS) == 10
    for *_, explanation, chance in rows():
        assert "->" in explanation
        assert float(chance.rstrip("%")) <= 5


@pytest.mark.parametrize("each", [each for each in NUMBERS if each.system in ("bm25tuned_p", "its example")])
def test_explanations_are_those_of_the_page(each: Published, real_data: Path) -> None:
    if each.source == TORCHMETRICS:
        result = each.explained(real_data)
    else:
        folder = real_data / "trec-dl19"
        result = ir.explain(folder / "qrels.txt.xz", folder / "bm25.run.xz", each.measure, published=each.number)
    (row,) = [row for row in rows() if row[:3] == [each.source, each.system, each.number]]
    assert result.best is not None
    assert row[4:6] == [f"{result.mean:.4f}", "; ".join(result.best.changes)]
