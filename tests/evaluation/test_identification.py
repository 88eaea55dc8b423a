"""`identify` says what unknown functions compute."""

import pytest
from black_boxes import BOXES, Box

import idealrank as ir


def check(box: Box) -> ir.Identification:
    found = ir.identify(box.function)
    told = str(found)
    assert found.n_calls <= 100
    assert found.status == box.status, told
    for name, value in box.options.items():
        assert found.options.get(name) == value, (name, told)
    for words in box.defects:
        assert any(words in str(defect) for defect in found.defects), (words, told)
    assert len(found.defects) == len(box.defects), told
    for defect in found.defects:
        assert defect.example, told
    if box.presets is not None:
        assert found.presets == box.presets, told
    return found


@pytest.mark.parametrize("name", BOXES)
def test_a_function_is_named(name: str) -> None:
    check(BOXES[name])
