"""Names of measures and losses, however long."""

import pytest

import idealrank as ir
from idealrank.errors import OptionError

LONG = 50_000


@pytest.mark.parametrize(
    "name",
    [
        "a" + " " * LONG + "!",
        "ndcg" * LONG,
        "ndcg" + "_1" * LONG,
        "ndcg" + "@1" * LONG,
        "ndcg(" * LONG + ")" * LONG,
        "ndcg(" + "gain=linear," * LONG + ")",
        "-" * LONG,
    ],
    ids=lambda name: name[:12],
)
def test_a_long_name_is_refused_in_linear_time(name: str) -> None:
    for read in (ir.measure, ir.loss):
        with pytest.raises(OptionError):
            read(name)
