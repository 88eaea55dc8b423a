"""The row of the k-th highest score of each query, without a full sort."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from idealrank import _native
from idealrank.errors import DataError


@pytest.mark.parametrize("k", [1, 2, 20, 64, 65, 5000])
def test_it_is_that_of_a_full_sort(k: int) -> None:
    rng = np.random.default_rng(k)
    sizes = np.array([0, 1, 3, 40, 0, 700, 3000, 0])
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    scores = rng.integers(-50, 50, offsets[-1]).astype(float)  # with ties
    expected = np.full(sizes.size, -1)
    for query, (begin, end) in enumerate(itertools.pairwise(offsets)):
        if end > begin:
            expected[query] = begin + np.argsort(-scores[begin:end], kind="stable")[min(k, end - begin) - 1]
    for n_threads in (1, 2):
        assert_array_equal(_native.last_of_first(scores, offsets, k, n_threads), expected)


def test_what_cannot_be_is_refused() -> None:
    offsets = np.array([0, 3])
    with pytest.raises(DataError, match="a score must be a finite number, got nan"):
        _native.last_of_first(np.array([1.0, np.nan, 2.0]), offsets, 1, 1)
    with pytest.raises(ValueError, match="k must be 1 or more"):
        _native.last_of_first(np.zeros(3), offsets, 0, 1)
