"""docs/which_ndcg.md: its advice follows from the table, and the table from `benchmarks.which_measure`."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest

from benchmarks import which_measure
from benchmarks.which_measure import END, FACTOR, MEASURES, PAGE, REFERENCE, START, Collection, letor, needed

TEXT = PAGE.read_text(encoding="utf-8")


def rows() -> dict[str, list[str]]:
    """The cells of the generated table by measure: the mean, and one per collection."""
    table = TEXT.split(START)[1].split(END)[0]
    lines = [line.strip("| ").split(" | ") for line in table.splitlines() if line.startswith("| `")]
    return {name.strip("`"): cells for name, *cells in lines}


def value(cell: str) -> float:
    return float(cell.split(" ")[0])


def bounds(cell: str) -> tuple[float, float]:
    found = re.search(r"\(([\d.]+) to ([\d.]+)\)", cell)
    return (1.0, 1.0) if found is None else (float(found[1]), float(found[2]))


def test_the_table_has_every_measure_once_with_its_mean_over_collections() -> None:
    assert sorted(rows()) == sorted(MEASURES)
    for mean, *cells in rows().values():
        assert len(cells) == 4
        assert value(mean) == pytest.approx(math.prod(map(value, cells)) ** 0.25, abs=0.011)
    means = [value(cells[0]) for cells in rows().values()]
    assert means == sorted(means)


def test_the_first_advice_names_the_measures_that_need_the_fewest_queries() -> None:
    (advice,) = re.findall(r"\| distinguish two rankers with few queries \| (.*?) \|", TEXT)
    means = {name: value(cells[0]) for name, cells in rows().items()}
    near = {name for name, mean in means.items() if mean <= 1.05 * min(means.values())}
    assert set(re.findall(r"`(.*?)`", advice)) == near


def test_what_the_section_says_of_other_measures() -> None:
    table = {name: cells[1:] for name, cells in rows().items()}
    means = {name: value(cells[0]) for name, cells in rows().items()}
    for name in ("ndcg@20", "ndcg(discount=power:0.5)"):
        assert all(0.8 < value(cell) < 1.2 for cell in table[name])
    assert all(bounds(cell)[1] >= 1 for cell in table["ndcg"])  # never better than ndcg@10 beyond its interval
    assert max(map(value, table["ndcg"])) == pytest.approx(1.9, abs=0.05)
    assert value(table["ap"][0]) == min(value(cells[0]) for cells in table.values())
    assert sum(value(cell) >= 2 for cell in table["ap"]) == 2
    assert set(sorted(means, key=means.__getitem__)[-3:]) == {"rr", "recall@10", "err"}


def test_queries_needed_pair_by_pair() -> None:
    rng = np.random.default_rng(0)
    shared = rng.normal(size=(30, 1))
    means = np.array([0.0, 0.4, 1.0])
    values = {
        name: means + shared + rng.normal(size=(30, 3)) * spread for name, spread in ((REFERENCE, 1.0), ("ap", 0.5))
    }
    found = needed(Collection("drawn", values))
    logs = []
    for i, j in ((0, 1), (0, 2), (1, 2)):
        differences = {name: own[:, i] - own[:, j] for name, own in values.items()}
        if len({np.sign(own.mean()) for own in differences.values()}) == 1:
            logs.append([math.log(FACTOR * own.var(ddof=1) / own.mean() ** 2) for own in differences.values()])
    assert found.n_pairs == len(logs)
    reference, ap = np.array(logs).T
    assert found.relative["ap"] == pytest.approx(math.exp((ap - reference).mean()))
    assert found.best["ap"] == pytest.approx((ap < reference).mean())
    assert found.relative["ap"] < 1  # half of the noise


def test_ndcg_without_a_cutoff_does_not_need_the_fewest_queries(real_data: Path) -> None:
    """The advice that this page gave before: "tell two rankers apart with few queries: ndcg, no cutoff"."""
    for folder in ("ohsumed-letor3", "mq2008"):
        found = needed(letor(real_data / folder, folder))
        assert found.best["ndcg"] < 0.05
        assert found.relative["ndcg"] > min(found.relative.values())


def test_text_is_replaced_between_the_markers() -> None:
    page = f"a\n{START}\nold\n{END}\nb"
    assert which_measure.between_markers(page, START, END, "new") == f"a\n{START}\n\nnew\n\n{END}\nb"
