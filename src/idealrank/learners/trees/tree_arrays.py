"""Boosted trees as plain arrays: LightGBM's text taken apart, checked, and put together again.

LightGBM ends the process at a text that it cannot read, so no text from a file is ever given to it: files hold the
arrays, and the text is made from them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import pairwise

import numpy as np

from idealrank._typing import Booleans, Floats, Int64s
from idealrank.errors import DataError

_MOST_FEATURES = 1_000_000  # the text names all of them
_HEADER = """\
tree
version=v4
num_class=1
num_tree_per_iteration=1
label_index=0
max_feature_idx={last}
objective=custom
feature_names={names}
feature_infos={ranges}
tree_sizes={sizes}

"""
#: LightGBM's names of the arrays with one number per split.
_OF_SPLITS = {
    "split_feature": "features",
    "threshold": "thresholds",
    "decision_type": "decisions",
    "left_child": "left",
    "right_child": "right",
}


@dataclass(frozen=True)
class Trees:
    """Trees one after the other: tree t has ``n_leaves[t]`` leaves, and one split fewer.

    A split sends a document left where its feature is at most the threshold; ``decisions`` are LightGBM's bits for
    missing values. Where they are odd, the split is on categories: the threshold is the number of a set among those of
    the tree, and a document goes left where its category is in the set. Sets follow each other, each ``set_sizes``
    words of 32 bits, one bit per category. A child from 0 on is a split of the same tree, and comes after its parent;
    -1 is the first leaf, -2 the second.
    """

    n_leaves: Int64s
    features: Int64s
    thresholds: Floats
    decisions: Int64s
    left: Int64s
    right: Int64s
    leaf_values: Floats
    set_sizes: Int64s = field(default_factory=lambda: np.zeros(0, np.int64))
    set_words: Int64s = field(default_factory=lambda: np.zeros(0, np.int64))

    @classmethod
    def of(cls, text: str) -> Trees:
        """Return the trees of LightGBM's text, with leaf values that add up to the scores.

        Linear leaves and several scores per document are a DataError.
        """
        header, *blocks = text.split("\nTree=")
        trees = [_fields(block) for block in blocks]
        per_document = _fields(header).get("num_tree_per_iteration", "1")
        if per_document != "1":
            raise DataError(f"trees as arrays give one score per document, got {per_document}: a model of classes")
        for tree in trees:
            if tree.get("is_linear", "0") != "0":
                raise DataError("trees that have linear leaves cannot be plain arrays")

        def joined(name: str) -> np.ndarray:
            dtype = float if name in ("threshold", "leaf_value") else int
            return np.array([dtype(word) for tree in trees for word in tree.get(name, "").split()], dtype)

        splits = {own: joined(name) for name, own in _OF_SPLITS.items()}
        ends = [np.array(tree.get("cat_boundaries", "0").split(), np.int64) for tree in trees]
        leaf_values = joined("leaf_value")
        if "average_output" in header.splitlines():  # boosting=rf: the score is the mean of the trees
            leaf_values /= len(trees)
        return cls(
            n_leaves=joined("num_leaves"),
            **splits,
            leaf_values=leaf_values,
            set_sizes=np.concatenate([np.zeros(0, np.int64), *map(np.diff, ends)]),
            set_words=joined("cat_threshold"),
        )

    @classmethod
    def joined(cls, ensembles: Iterable[Trees], factors: Sequence[float]) -> Trees:
        """Return the trees of all ensembles, with leaf values times the factor of their ensemble."""
        scaled = [
            replace(trees, leaf_values=trees.leaf_values * factor)
            for trees, factor in zip(ensembles, factors, strict=True)
        ]
        names = (each.name for each in fields(cls))
        return cls(**{name: np.concatenate([getattr(trees, name) for trees in scaled]) for name in names})

    @property
    def has_categories(self) -> bool:
        """Whether a split is on categories."""
        return bool(self._is_on_categories().any())

    def check(self, n_features: int) -> None:
        """Raise a DataError unless these are trees of ``n_features`` features."""
        if n_features > _MOST_FEATURES:
            raise DataError(f"trees have at most {_MOST_FEATURES:,} features, got {n_features:,}")
        if not self.n_leaves.size or (self.n_leaves < 1).any():
            raise DataError("there must be a tree, and every tree must have a leaf")
        if (self.n_leaves > self.leaf_values.size).any():
            raise DataError("a tree has more leaves than there are leaf values")
        if self.n_leaves.sum() != self.leaf_values.size or (self.n_leaves - 1).sum() != self.features.size:
            raise DataError(f"the trees have {self.n_leaves.sum()} leaves, got values of {self.leaf_values.size}")
        if ((self.features < 0) | (self.features >= n_features)).any():
            raise DataError(f"a split must be on one of the {n_features} features")
        # How missing values are encoded (none, zero or NaN) and which way they go, or the bit of a split on categories.
        if not np.isin(self.decisions, (0, 2, 4, 6, 8, 10, 1, 5, 9)).all():
            raise DataError("a decision must be one of 0, 1, 2, 4, 5, 6, 8, 9 and 10")
        if self.set_sizes.size != self._is_on_categories().sum():
            raise DataError(
                f"{self._is_on_categories().sum()} splits are on categories, got {self.set_sizes.size} sets of them"
            )
        if ((self.set_sizes < 1) | (self.set_sizes > self.set_words.size)).any():
            raise DataError("a set of categories must have a word, and no more than there are")
        if self.set_sizes.sum() != self.set_words.size:
            raise DataError(f"the sets of categories have {self.set_sizes.sum()} words, got {self.set_words.size}")
        if ((self.set_words < 0) | (self.set_words >= 1 << 32)).any():
            raise DataError("a word of a set of categories must be from 0 to 2^32 - 1")
        for splits, _ in self.parts():
            n_splits = splits.stop - splits.start
            sets = np.sort(self.thresholds[splits][self._is_on_categories()[splits]])
            if not np.array_equal(sets, np.arange(sets.size)):
                raise DataError("each split on categories must have a set of its own")
            for child in (self.left[splits], self.right[splits]):
                ahead = (child > np.arange(n_splits)) & (child < n_splits)
                if not (ahead | ((child < 0) & (child >= -n_splits - 1))).all():
                    raise DataError("a child must be a later split or a leaf of its tree")

    def to_text(self, names: Sequence[str]) -> str:
        """Return LightGBM's text of the trees, with one name per feature."""
        blocks = []
        n_sets = np.concatenate(([0], np.cumsum(self._is_on_categories())))
        set_ends = np.concatenate(([0], np.cumsum(self.set_sizes)))
        for number, (splits, leaves) in enumerate(self.parts()):
            ends = set_ends[n_sets[splits.start] : n_sets[splits.stop] + 1]
            sets = {
                "cat_boundaries": _words(ends - ends[0]),
                "cat_threshold": _words(self.set_words[ends[0] : ends[-1]]),
            }
            fields = {
                "Tree": number,
                "num_leaves": leaves.stop - leaves.start,
                "num_cat": ends.size - 1,
                **{name: _words(getattr(self, own)[splits]) for name, own in _OF_SPLITS.items()},
                "split_gain": _words(np.zeros(splits.stop - splits.start, np.int64)),
                "leaf_value": _words(self.leaf_values[leaves]),
                **(sets if ends.size > 1 else {}),
                "is_linear": 0,
                "shrinkage": 1,
            }
            blocks.append("".join(f"{name}={value}\n" for name, value in fields.items()) + "\n\n")
        header = _HEADER.format(
            last=len(names) - 1,
            names=" ".join(names),
            ranges=" ".join(["[-inf:inf]"] * len(names)),
            sizes=" ".join(str(len(block)) for block in blocks),
        )
        return f"{header}{''.join(blocks)}end of trees\n\nparameters:\nend of parameters\n\npandas_categorical:null\n"

    def missing_go_left(self) -> Booleans:
        """Return which splits send NaN left; a split that treats 0 otherwise than its neighbors is a DataError."""
        defaults, zeros_left = (self.decisions & 2) > 0, self.thresholds >= 0
        kind = self.decisions >> 2  # encoding of missing values: 0 none, NaN is 0; 1 zero and NaN; 2 NaN
        if ((kind == 1) & (defaults != zeros_left)).any():
            raise DataError(
                "trees that take 0 for a missing value have splits with three parts: fit without zero_as_missing"
            )
        return np.where(kind == 0, zeros_left, defaults)

    def _is_on_categories(self) -> Booleans:
        is_odd: Booleans = self.decisions % 2 == 1
        return is_odd

    def parts(self) -> Iterator[tuple[slice, slice]]:
        """Yield the splits and the leaves of each tree."""
        ends = np.concatenate(([0], np.cumsum(self.n_leaves))).tolist()
        for number, (begin, end) in enumerate(pairwise(ends)):
            yield slice(begin - number, end - number - 1), slice(begin, end)


def spread_within(scores: Floats, offsets: Int64s) -> float:
    """Return the standard deviation of the scores from the means of their queries; 1 if all are equal.

    >>> spread_within(np.array([1.0, 3.0, 5.0, 7.0]), np.array([0, 2, 4]))
    1.0
    """
    sizes = np.diff(offsets)
    means = np.bincount(np.repeat(np.arange(sizes.size), sizes), scores, sizes.size) / np.maximum(sizes, 1)
    return float(np.std(scores - np.repeat(means, sizes))) or 1.0


def _fields(block: str) -> Mapping[str, str]:
    lines = (line.partition("=") for line in block.split("\n\n")[0].splitlines())
    return {name: value for name, equals, value in lines if equals}


def _words(values: Int64s | Floats) -> str:
    return " ".join(map(repr, values.tolist()))
