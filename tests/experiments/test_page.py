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


def ran(generator: Any) -> dict[str, str]:
    """{experiment: what its command printed}, of those that were run."""
    return {name: text for name, text in generator.details().items() if text}


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
    printed = generator.details()
    assert list(printed) == list(generator.EXPERIMENTS)
    assert generator.written(printed) == PAGE.read_text(encoding="utf-8")
    for name, text in printed.items():
        page = generator.DETAILS / f"{name}.md"
        assert page.read_text(encoding="utf-8") == generator.detail_page(name, text.strip())


def test_the_page_is_short_and_has_one_table_per_paper() -> None:
    page = PAGE.read_text(encoding="utf-8")
    words = [word for word in page.split() if re.search(r"\w", word)]
    assert len(words) <= 1500
    for section in re.split(r"^## ", page, flags=re.MULTILINE)[1:]:
        n_tables = len(re.findall(r"^\| --- ", section, flags=re.MULTILINE))
        assert n_tables == ("Not run yet" not in section)


def test_the_fastest_experiment_prints_what_stands_on_the_page(generator: Any) -> None:
    shown = CliRunner().invoke(commands, generator.command("jin2013")).stdout
    printed = generator.details()["jin2013"]
    # The last digits of errors around 1e-13 depend on the machine.
    without_errors = [re.sub(r"\d\.\de-\d+|0\.0e\+00|[ -]+", " ", text.strip()) for text in (shown, printed)]
    assert without_errors[0] == without_errors[1]


def test_each_claim_has_a_verdict_and_its_settings(generator: Any) -> None:
    for name, printed in ran(generator).items():
        found = tables(printed)
        header, *claims = found["Claims"]
        # A phone shows the first columns: the verdict and the numbers are next to the claim.
        assert header == ["claim", "verdict", "measured here", "where", "holds in"]
        others = found.get("Claims in other settings", [[]])[1:]
        for number, (claim, verdict, _, where, share) in enumerate(claims, 1):
            assert claim.startswith(f"{number}. ")
            outcome = verdict.removeprefix("concession: ").removeprefix("extension: ")
            reference = re.match("holds|fails|undecided|not testable", outcome)[0]  # type: ignore[index]
            outcomes = [reference, *(row[2] for row in others if row[0] == str(number))]
            assert share == f"{outcomes.count('holds')} of {len(outcomes)}", (name, where)
            assert all(outcome in verdict for outcome in outcomes)
        assert "mean nothing" not in printed
        assert "+nan" not in printed


def test_the_summary_tells_if_verdicts_depend_on_the_seed(generator: Any) -> None:
    for name, printed in ran(generator).items():
        verdicts = [row["verdict"] for row in generator.claims(printed)]
        changed = [verdict for verdict in verdicts if re.search("(second|third|fourth|fifth) seed", verdict)]
        assert not changed or "one seed in five changes the verdict" in generator.EXPERIMENTS[name].found


def test_the_summary_counts_the_verdicts_that_single_seeds_change(generator: Any) -> None:
    by_title = tables(generator.details()["qin2008"])
    rows = next(rows for title, rows in by_title.items() if "single seeds" in title)[1:]
    n_changed = sum(len(set(outcomes)) > 1 for _, *outcomes in rows)
    assert f"single seeds change {n_changed} of {len(rows)} verdicts" in generator.EXPERIMENTS["qin2008"].found


def test_numbers_of_a_summary_are_in_the_tables_below_it(generator: Any) -> None:
    for name, printed in ran(generator).items():
        numbers = re.findall(r"\d+\.\d+(?:e-\d+)?", generator.EXPERIMENTS[name].found)
        assert [number for number in numbers if number not in printed] == []
        assert numbers or name == "jin2013"
