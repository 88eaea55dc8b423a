"""What readers and writers are given: other kinds of values are refused with a sentence that says what is expected."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from idealrank import Qrels, Run, from_arrays, read_letor, read_qrels, read_run
from idealrank.errors import DataError, OptionError
from idealrank.io import read_csv, read_scores, write_frame, write_letor, write_qrels, write_run
from idealrank.io.msmarco import write_msmarco
from idealrank.io.nested_json import read_json, write_json

NESTED = {"q1": {"d1": 2, "d2": 0}}
DATA = from_arrays([2, 0], features=[[1.0], [0.5]])


@pytest.mark.parametrize(
    ("write", "data"),
    [
        (write_run, NESTED),
        (write_qrels, NESTED),
        (write_msmarco, NESTED),
        (write_json, Qrels(NESTED)),
        (write_letor, DATA),
    ],
)
class TestWhatIsWritten:
    def test_of_another_kind(self, write: Callable[..., None], data: object, tmp_path: Path) -> None:
        for wrong in ("runs.txt", None, 3, [1, 2], np.zeros(2)):
            with pytest.raises(DataError, match=rf"expected .*, got {type(wrong).__name__}"):
                write(wrong, tmp_path / "out.txt")
        assert not (tmp_path / "out.txt").exists()

    def test_path_of_another_kind(self, write: Callable[..., None], data: object) -> None:
        for wrong in (None, 3, data):
            with pytest.raises(OptionError, match="expected the path of the file to write"):
                write(data, wrong)


def test_runs_and_judgments_are_not_exchanged(tmp_path: Path) -> None:
    exchanged: list[tuple[Callable[..., None], Qrels | Run]] = [
        (write_run, Qrels(NESTED)),
        (write_qrels, Run(NESTED)),
        (write_msmarco, Qrels(NESTED)),
    ]
    for write, wrong in exchanged:
        with pytest.raises(DataError, match=r"expected a (Run|Qrels), got (Run|Qrels)\(1 query, 2 documents\)"):
            write(wrong, tmp_path / "out.txt")


def test_nested_mappings_are_written(tmp_path: Path) -> None:
    write_run(NESTED, tmp_path / "new.run")
    assert read_run(tmp_path / "new.run") == Run(NESTED)
    write_qrels(NESTED, tmp_path / "qrels.txt")
    assert read_qrels(tmp_path / "qrels.txt") == Qrels(NESTED)


@pytest.mark.parametrize("data", [np.zeros(2), NESTED, "new.run"])
def test_a_frame_is_written_from_data_of_this_package(data: Any, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    with pytest.raises(
        DataError, match=f"expected RankingData, Qrels, Run or a pyarrow.Table, got {type(data).__name__}"
    ):
        write_frame(data, tmp_path / "out.csv")


@pytest.mark.parametrize("read", [read_run, read_qrels, read_letor, read_scores, read_csv, read_json])
@pytest.mark.parametrize("source", [None, 3, NESTED, ["a.run"]])
def test_a_source_is_a_path_or_a_file(read: Callable[..., object], source: object) -> None:
    with pytest.raises(OptionError, match="expected the path of a file, or a file that is open in binary mode, got"):
        read(source)


@pytest.mark.parametrize("kind", [Qrels, Run])
@pytest.mark.parametrize("queries", ["new.run", 3, None, [("q1", "d1", 2)]])
def test_judgments_and_runs_are_mappings(kind: type[Qrels] | type[Run], queries: Any) -> None:
    with pytest.raises(DataError, match=rf"expected a mapping .*, got {type(queries).__name__}"):
        kind(queries)
