"""The page about the experiments is what the commands print."""

import importlib.util
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from idealrank.cli.group import commands

PAGE = Path(__file__).parents[2] / "docs" / "experiments.md"
pytestmark = pytest.mark.skipif(not PAGE.exists(), reason="the documentation is not at hand")


@pytest.fixture(scope="module")
def generator() -> Any:
    spec = importlib.util.spec_from_file_location("experiments_page", PAGE.with_suffix(".py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def tables(printed: str) -> dict[str, list[list[str]]]:
    """{title: the cells of the rows} of Markdown."""
    found = {}
    for part in re.split(r"^### ", printed, flags=re.MULTILINE)[1:]:
        title, *lines = part.splitlines()
        rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
        found[title] = [rows[0], *rows[2:]]
    return found


def test_the_page_is_made_of_what_commands_print_and_nothing_else(generator: Any) -> None:
    page = PAGE.read_text(encoding="utf-8")
    printed = generator.sections_of(page)
    assert list(printed) == list(generator.EXPERIMENTS)
    assert generator.written(printed) == page


def test_the_fastest_experiment_prints_what_stands_on_the_page(generator: Any) -> None:
    shown = generator.tables_of(CliRunner().invoke(commands, generator.command("jin2013")).stdout)
    printed = generator.sections_of(PAGE.read_text(encoding="utf-8"))["jin2013"]
    # The last digits of errors around 1e-13 depend on the machine.
    without_errors = [re.sub(r"\d\.\de-\d+|0\.0e\+00|[ -]+", " ", text.strip()) for text in (shown, printed)]
    assert without_errors[0] == without_errors[1]


def test_each_claim_has_a_verdict_and_its_settings(generator: Any) -> None:
    for name, printed in generator.sections_of(PAGE.read_text(encoding="utf-8")).items():
        found = tables(printed)
        header, *claims = found["Claims"]
        # A phone shows the first columns: the verdict and the numbers are next to the claim.
        assert header == ["claim", "verdict", "measured here", "where", "holds in"]
        others = found.get("Claims in other settings", [[]])[1:]
        for number, (claim, verdict, _, where, share) in enumerate(claims, 1):
            assert claim.startswith(f"{number}. ")
            reference = re.match("holds|fails|undecided", verdict)[0]  # type: ignore[index]
            outcomes = [reference, *(row[2] for row in others if row[0] == str(number))]
            assert share == f"{outcomes.count('holds')} of {len(outcomes)}", (name, where)
            assert all(outcome in verdict for outcome in outcomes)
        assert "mean nothing" not in printed


def test_a_claim_about_map_has_the_means_of_the_table_below_it(generator: Any) -> None:
    found = tables(generator.sections_of(PAGE.read_text(encoding="utf-8"))["qin2008"])
    claims = [(row[3], row[2]) for row in found["Claims"][1:] if re.match(r"\d+\. MAP of ", row[0])]
    assert len(claims) == 6
    for where, seen in claims:
        header, *rows = found[f"Five-fold test means: {where.split(', ')[1]}, min-max features"]
        means = {row[header.index("MAP")] for row in rows}
        assert set(re.findall(r"(?<![+-])\d\.\d{4}", seen)) <= means, (where, seen)


def test_sections_that_were_not_run_again_stay(generator: Any) -> None:
    printed = {name: f"### Claims\n\nnumbers of {name}" for name in generator.EXPERIMENTS}
    page = generator.written(printed)
    assert generator.sections_of(page) == printed
    printed["wang2013"] = "### Claims\n\nother numbers"
    assert generator.sections_of(generator.written(printed)) == printed


def test_numbers_of_a_summary_are_in_the_tables_below_it(generator: Any) -> None:
    for name, printed in generator.sections_of(PAGE.read_text(encoding="utf-8")).items():
        numbers = re.findall(r"\d+\.\d+(?:e-\d+)?", generator.EXPERIMENTS[name].found)
        assert [number for number in numbers if number not in printed] == []
        assert numbers or name == "jin2013"
