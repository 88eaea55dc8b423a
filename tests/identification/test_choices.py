"""The table of choices says everything about each choice of a formula."""

from dataclasses import fields

import pytest

from idealrank.identification.choices import _PROBES, CHOICES
from idealrank.identification.ndcg_formulas import Formula
from idealrank.measures.conventions import Convention


def test_every_choice_of_a_formula_has_a_row() -> None:
    assert set(CHOICES) == {each.name for each in fields(Formula)}


@pytest.mark.parametrize("name", CHOICES)
def test_a_row_is_consistent(name: str) -> None:
    row, usual = CHOICES[name], getattr(Formula(), name)
    assert row.probe in _PROBES
    if row.values:
        assert usual in row.values
        assert len(set(row.values)) == len(row.values)
    if not callable(row.defects):
        assert set(row.defects) <= set(row.values)
        assert row.right is None or row.right in row.values
        assert name == "duplicates" or usual not in row.defects
    for value in row.in_convention:
        assert getattr(Convention("mine", **{name: value}), name) == value
