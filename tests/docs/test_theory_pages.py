"""The pages about theory name every public name of it, with the question that it answers."""

import re
from pathlib import Path

from idealrank import theory

PAGE = Path(__file__).parents[2] / "docs" / "which_ndcg.md"


def test_every_name_of_theory_has_a_question() -> None:
    table = PAGE.read_text(encoding="utf-8").split("## All functions of `theory`")[1]
    rows = [line.split("|")[1:3] for line in table.splitlines() if line.startswith("| `")]
    named = [name for cell, _ in rows for name in re.findall(r"`(\w+)`", cell)]
    assert sorted(named) == sorted(dir(theory))
    assert all(question.strip().endswith("?") for _, question in rows)
