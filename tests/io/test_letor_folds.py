"""Collections in LETOR's layouts, and data put together from parts."""

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from oracles import sparse_features

import idealrank as ir
from idealrank.errors import DataError
from idealrank.io.letor_folds import Folds

PARTS = ir.datasets.web_search(n_queries=15, n_docs=10).train.split([0.2] * 5, seed=0)


def queries(data: ir.RankingData) -> list[object]:
    return list(data.query_ids.tolist())


@pytest.mark.parametrize("ending", ["", ".gz", ".xz", ".bz2"])
def test_five_parts_are_rotated_as_letor_does(tmp_path: Path, ending: str) -> None:
    for number, part in enumerate(PARTS, start=1):
        ir.io.write_letor(part, tmp_path / f"S{number}.txt{ending}")
    folds = ir.io.read_letor_folds(tmp_path)
    assert len(folds) == 5
    own = [[str(query) for query in queries(part)] for part in PARTS]
    for first, fold in enumerate(folds):
        a, b, c, d, e = own[first:] + own[:first]
        assert (queries(fold.train), queries(fold.validation), queries(fold.test)) == (a + b + c, d, e)
        expected = np.concatenate([PARTS[(first + i) % 5].features for i in range(3)])
        assert_allclose(fold.train.known_features(), expected, rtol=0, atol=0)


def test_folders_of_folds_are_read_as_they_are(tmp_path: Path) -> None:
    for fold in (1, 2, 3):
        folder = tmp_path / f"Fold{fold}"
        folder.mkdir()
        for name, part in zip(("train", "vali", "test"), PARTS[fold - 1 :], strict=False):
            ir.io.write_letor(part, folder / f"{name}.txt.xz")
    folds = ir.io.read_letor_folds(tmp_path)
    assert len(folds) == 3
    for number, fold_data in enumerate(folds):
        assert [data.labels.tolist() for data in fold_data] == [
            part.labels.tolist() for part in PARTS[number : number + 3]
        ]
    (tmp_path / "Fold2" / "vali.txt.xz").unlink()
    with pytest.raises(DataError, match=r"vali.txt is missing, but .*vali.txt.xz exists"):
        ir.io.read_letor_folds(tmp_path)
    (tmp_path / "Fold3" / "vali.txt.xz").unlink()
    with pytest.raises(DataError, match="there are 3, 1, 3"):
        ir.io.read_letor_folds(tmp_path)


@pytest.mark.parametrize("sparse", [False, True])
def test_a_part_without_the_last_features_has_zeros_for_them(tmp_path: Path, sparse: bool) -> None:
    for number, line in enumerate(["1 qid:1 1:2", "0 qid:2 3:1", "1 qid:3 2:4"], start=1):
        (tmp_path / f"S{number}.txt").write_text(line + "\n")
    train, validation, test = ir.io.read_letor_folds(tmp_path, sparse=sparse)[0]
    rows = [sparse_features(part).toarray() if sparse else part.known_features() for part in (train, validation, test)]
    assert np.concatenate(rows).tolist() == [[2, 0, 0], [0, 0, 1], [0, 4, 0]]


def test_an_empty_folder_says_what_it_should_hold(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"neither S1\.txt.*nor Fold1/train\.txt"):
        ir.io.read_letor_folds(tmp_path)
    with pytest.raises(DataError, match="at least three parts"):
        Folds.of(PARTS[:2])


@pytest.mark.parametrize("name", ["S{}.txt", "Fold{}/train.txt"])
def test_a_part_that_is_missing_among_others_is_named(tmp_path: Path, name: str) -> None:
    for number in (1, 2, 3, 5):
        path = tmp_path / name.format(number)
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"1 qid:{number} 1:1\n")
    with pytest.raises(DataError, match=r"4.* is missing, but .*5.* exists"):
        ir.io.read_letor_folds(tmp_path)


def test_parts_of_data_are_put_together_with_all_that_they_have() -> None:
    first = ir.from_arrays([1, 0, 2], query_ids=[7, 8, 7], features=[[1], [2], [3]], doc_ids=["a", "b", "c"])
    second = ir.from_arrays([0], query_ids=["x"], features=[[4]], doc_ids=["d"], scores=[0.5])
    whole = ir.io.concatenate([first, second])
    assert whole.labels.tolist() == [1, 2, 0, 0]
    assert whole.offsets.tolist() == [0, 2, 3, 4]
    assert queries(whole) == ["7", "8", "x"]
    assert whole.known_features().ravel().tolist() == [1, 3, 2, 4]
    assert whole.doc_ids is not None
    assert whole.doc_ids.tolist() == ["a", "c", "b", "d"]
    assert whole.scores is None
    numbers = ir.io.concatenate([first, ir.from_arrays([1], query_ids=[9], features=[[0]])])
    assert queries(numbers) == [7, 8, 9]


def test_parts_keep_what_was_judged() -> None:
    one, other = (ir.io.join({q: {"a": 1, "b": 2}}, {q: {"a": 0.5, "c": 0.1}}) for q in ("q", "r"))
    whole = ir.io.concatenate([one, other])
    assert whole.judged is not None
    assert whole.judged.labels.tolist() == [1, 2, 1, 2]
    assert whole.judged.offsets.tolist() == [0, 2, 4]
    assert whole.problems == tuple(dict.fromkeys([*one.problems, *other.problems]))


def test_parts_that_do_not_fit_together_are_refused() -> None:
    narrow, wide = (ir.from_arrays([1], query_ids=[n], features=[[0.0] * n]) for n in (1, 2))
    with pytest.raises(DataError, match="got 1, 2 of them"):
        ir.io.concatenate([narrow, wide])
    with pytest.raises(DataError, match="is repeated"):
        ir.io.concatenate([narrow, narrow])
    with pytest.raises(DataError, match="no parts"):
        ir.io.concatenate([])
