"""Export linear models and boosted trees to other tools, which score one document at a time."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from idealrank._core.checks import items_of
from idealrank._core.extras import needs
from idealrank.errors import DataError, ModelError, OptionError
from idealrank.io.files import atomic_output
from idealrank.learners.estimators import check_is_fitted
from idealrank.learners.trees.tree_arrays import Trees

_FLOAT32 = np.finfo(np.float32)
_NAME = r"[A-Za-z_]\w*"
# Vespa's rank features: a name, arguments in parentheses if any, and outputs after points if any.
_CALLED = "\0"  # stands for a name with its arguments
_OUTPUT = rf"(?:{_NAME}|{_CALLED})(?:\.\w+)*"
_ARGUMENT = rf"""(?:{_OUTPUT}|-?\d+(?:\.\d+)?|"[^"'\\{{}}\x00-\x1f]*")"""
_CALL = re.compile(rf"{_NAME}\((?: *{_ARGUMENT} *(?:, *{_ARGUMENT} *)*)?\)", re.ASCII)
_LONGEST_FEATURE = 1000
_T = TypeVar("_T")


def to_onnx(model: Any, path: str | os.PathLike[str]) -> None:
    """Write a linear model or boosted trees as an ONNX graph (the extra ``onnx``).

    The input "features" has one row of float32 per document, and the output "scores" has one float32 per document.
    Scores are computed in float64 and rounded once. The graph needs version 13 of the ONNX operator set, and version 3
    of the operator set for machine learning (``ai.onnx.ml``).

    Parameters
    ----------
    model : Ranker, lightgbm.Booster or lightgbm.LGBMModel
        A fitted linear learner, `BoostedRanker` or `RankBoost` with ``normalize=None``; or a model of LightGBM, which
        is written with its raw scores.
    path : path-like
        The file to write.

    Raises
    ------
    ModelError
        If the model is neither linear nor made of trees, or normalizes features within queries.

    Examples
    --------
    >>> from idealrank.learners import RankSVM, to_onnx
    >>> to_onnx(RankSVM().fit([[0.0, 0.0], [1.0, 0.0]], [0, 1], qid=[1, 1]), "model.onnx")
    """
    with needs("onnx"):
        import onnx
    portable = _Portable.of(model, "ONNX")
    of, double, float32 = onnx.helper, onnx.TensorProto.DOUBLE, onnx.TensorProto.FLOAT
    nodes = [of.make_node("Cast", ["features"], ["exact"], to=double)]
    constants = [of.make_tensor("column", onnx.TensorProto.INT64, [1], [1])]
    if portable.trees is None:
        constants += [
            of.make_tensor("weights", double, [portable.n_features, 1], portable.weights),
            of.make_tensor("intercept", double, [1], [portable.intercept]),
        ]
        nodes += [
            of.make_node("MatMul", ["exact", "weights"], ["sums"]),
            of.make_node("Add", ["sums", "intercept"], ["moved"]),
            of.make_node("Cast", ["moved"], ["table"], to=float32),
        ]
    else:
        tables = _onnx_trees(portable.trees)
        for name in ("nodes_values_as_tensor", "target_weights_as_tensor"):
            tables[name] = of.make_tensor(name, double, [len(tables[name])], tables[name])
        nodes.append(
            of.make_node("TreeEnsembleRegressor", ["exact"], ["table"], domain="ai.onnx.ml", n_targets=1, **tables)
        )
    nodes.append(of.make_node("Squeeze", ["table", "column"], ["scores"]))
    graph = of.make_graph(
        nodes,
        "ranker",
        [of.make_tensor_value_info("features", float32, ["documents", portable.n_features])],
        [of.make_tensor_value_info("scores", float32, ["documents"])],
        constants,
    )
    versions = [of.make_opsetid("", 13), of.make_opsetid("ai.onnx.ml", 3)]
    written = of.make_model(graph, producer_name="idealrank", opset_imports=versions, ir_version=8)
    if portable.names:
        of.set_model_props(written, {"feature_names": json.dumps(portable.names)})
    onnx.checker.check_model(written)
    with atomic_output(path) as file:
        file.write(written.SerializeToString())


def _onnx_trees(trees: Trees) -> dict[str, Any]:
    """Return the attributes of ONNX trees: in a tree, splits have the first node numbers, and leaves the next ones."""
    nodes: dict[str, list[Any]] = {"treeids": [], "nodeids": [], "modes": [], "truenodeids": [], "falsenodeids": []}
    nodes |= {"featureids": [], "values_as_tensor": [], "missing_value_tracks_true": []}
    targets: dict[str, list[Any]] = {"treeids": [], "nodeids": []}
    nan_left = trees.missing_go_left()
    for number, (splits, leaves) in enumerate(trees.parts()):
        n_splits, n_leaves = splits.stop - splits.start, leaves.stop - leaves.start
        sides = (trees.left[splits], trees.right[splits])
        left, right = (np.where(side >= 0, side, n_splits - 1 - side).tolist() for side in sides)
        none = [0] * n_leaves
        nodes["treeids"] += [number] * (n_splits + n_leaves)
        nodes["nodeids"] += range(n_splits + n_leaves)
        nodes["modes"] += ["BRANCH_LEQ"] * n_splits + ["LEAF"] * n_leaves
        nodes["truenodeids"] += left + none
        nodes["falsenodeids"] += right + none
        nodes["featureids"] += trees.features[splits].tolist() + none
        nodes["values_as_tensor"] += trees.thresholds[splits].tolist() + none
        nodes["missing_value_tracks_true"] += nan_left[splits].astype(int).tolist() + none
        targets["treeids"] += [number] * n_leaves
        targets["nodeids"] += range(n_splits, n_splits + n_leaves)
    return {
        **{f"nodes_{name}": values for name, values in nodes.items()},
        **{f"target_{name}": values for name, values in targets.items()},
        "target_ids": [0] * trees.leaf_values.size,
        "target_weights_as_tensor": trees.leaf_values.tolist(),
    }


def to_ranklib(model: Any, path: str | os.PathLike[str]) -> None:
    """Write a linear model as a RankLib "Coordinate Ascent" model, and boosted trees as a "LambdaMART" model.

    Features are numbered from 1, as in LETOR. The intercept of a linear model, which does not change the ranking, is
    left out.

    Parameters
    ----------
    model : Ranker, lightgbm.Booster or lightgbm.LGBMModel
        A fitted model, as in `to_onnx`.
    path : path-like
        The file to write.

    Raises
    ------
    ModelError
        If the model is neither linear nor made of trees, or normalizes features within queries.

    Examples
    --------
    >>> from pathlib import Path
    >>> from idealrank.learners import RankSVM, to_ranklib
    >>> to_ranklib(RankSVM(C=0.5).fit([[0.0, 0.0], [1.0, 0.0]], [0, 1], qid=[1, 1]), "model.txt")
    >>> print(Path("model.txt").read_text(), end="")
    ## Coordinate Ascent
    1:0.5 2:0.0
    """
    portable = _Portable.of(model, "RankLib")
    if portable.trees is None:
        pairs = " ".join(f"{number}:{weight!r}" for number, weight in enumerate(portable.weights, start=1))
        text = f"## Coordinate Ascent\n{pairs}\n"
    else:
        lines = ["## LambdaMART", f"## No. of trees = {portable.trees.n_leaves.size}", "", "<ensemble>"]
        for number, tree in enumerate(_rendered(portable.trees, _ranklib_leaf, _ranklib_split), start=1):
            lines += [f'<tree id="{number}" weight="1.0">', f"<split>{tree}</split>", "</tree>"]
        text = "\n".join([*lines, "</ensemble>", ""])
    with atomic_output(path) as file:
        file.write(text.encode())


def _ranklib_leaf(number: int, value: float) -> str:
    return f"<output>{value!r}</output>"


def _ranklib_split(split: _TreeSplit, left: str, right: str) -> str:
    return (
        f"<feature>{split.feature + 1}</feature><threshold>{_at_most(split.threshold)!r}</threshold>"
        f'<split pos="left">{left}</split><split pos="right">{right}</split>'
    )


def to_elasticsearch(
    model: Any, path: str | os.PathLike[str], *, name: str, features: Iterable[str] | None = None
) -> None:
    """Write a linear model or boosted trees for the learning-to-rank plugins of Elasticsearch and OpenSearch.

    The file is the body of ``POST _ltr/_featureset/SET/_createmodel``. Trees are written in the format of XGBoost
    models that the plugins read. The intercept of a linear model, which does not change the ranking, is left out.

    Parameters
    ----------
    model : Ranker, lightgbm.Booster or lightgbm.LGBMModel
        A fitted model, as in `to_onnx`.
    path : path-like
        The file to write.
    name : str
        The name of the model in the plugin.
    features : iterable of str, optional
        The name of each column in the feature set; by default, the feature names that the model was fitted with.

    Raises
    ------
    DataError
        If there are no feature names, or the names are not distinct with one per column.
    ModelError
        If the model is neither linear nor made of trees, or normalizes features within queries.
    OptionError
        If the name is not text, or empty.

    Examples
    --------
    >>> import json
    >>> from pathlib import Path
    >>> from idealrank.learners import RankSVM, to_elasticsearch
    >>> model = RankSVM(C=0.5).fit([[0.0, 0.0], [1.0, 0.0]], [0, 1], qid=[1, 1])
    >>> to_elasticsearch(model, "model.json", name="mine", features=["title", "body"])
    >>> json.loads(Path("model.json").read_text())["model"]["model"]
    {'type': 'model/linear', 'definition': {'title': 0.5, 'body': 0.0}}
    """
    if not isinstance(name, str) or not name.strip():  # type: ignore[redundant-expr]
        raise OptionError(f"name must be text, the name of the model in the plugin, got {name!r}")
    portable = _Portable.of(model, "Elasticsearch")
    names = portable.named(features)
    if portable.trees is None:
        content: dict[str, Any] = {
            "type": "model/linear",
            "definition": dict(zip(names, portable.weights, strict=True)),
        }
    else:

        def leaf(number: int, value: float) -> dict[str, Any]:
            return {"nodeid": number, "leaf": value}

        def split(at: _TreeSplit, left: dict[str, Any], right: dict[str, Any]) -> dict[str, Any]:
            yes, no = left["nodeid"], right["nodeid"]
            return {
                "nodeid": at.number,
                "depth": at.depth,
                "split": names[at.feature],
                "split_condition": _above(at.threshold),
                "yes": yes,
                "no": no,
                "missing": yes if at.nan_left else no,
                "children": [left, right],
            }

        content = {"type": "model/xgboost+json", "definition": [*_rendered(portable.trees, leaf, split)]}
    text = json.dumps({"model": {"name": name, "model": content}}, indent=2, allow_nan=False)
    with atomic_output(path) as file:
        file.write(f"{text}\n".encode())


def to_vespa(model: Any, path: str | os.PathLike[str], *, name: str, features: Iterable[str] | None = None) -> None:
    """Write a linear model or boosted trees as a rank profile of Vespa.

    Put the file into an application as ``schemas/SCHEMA/NAME.profile``.

    Parameters
    ----------
    model : Ranker, lightgbm.Booster or lightgbm.LGBMModel
        A fitted model, as in `to_onnx`.
    path : path-like
        The file to write.
    name : str
        The name of the rank profile: letters, digits and "_".
    features : iterable of str, optional
        The name of each column in Vespa, such as ``bm25(title)`` or ``attribute(price)``; by default, the feature names
        that the model was fitted with.

    Raises
    ------
    DataError
        If there are no feature names, the names are not distinct with one per column, or one is not a rank feature.
    ModelError
        If the model is neither linear nor made of trees, or normalizes features within queries.
    OptionError
        If the name is not a valid name of a rank profile.

    Examples
    --------
    >>> from pathlib import Path
    >>> from idealrank.learners import RankSVM, to_vespa
    >>> model = RankSVM(C=0.5).fit([[0.0, 0.0], [1.0, 0.0]], [0, 1], qid=[1, 1])
    >>> to_vespa(model, "mine.profile", name="mine", features=["bm25(title)", "bm25(body)"])
    >>> print(Path("mine.profile").read_text(), end="")
    rank-profile mine {
        first-phase {
            expression {
                0.0
                + 0.5 * bm25(title)
                + 0.0 * bm25(body)
            }
        }
    }
    """
    if not isinstance(name, str) or not re.fullmatch(_NAME, name, re.ASCII):  # type: ignore[redundant-expr]
        raise OptionError(f"name must be of letters, digits and '_', and begin with none of the digits, got {name!r}")
    portable = _Portable.of(model, "Vespa")
    names = portable.named(features)
    for each in names:
        if not _is_rank_feature(each):
            raise DataError(
                f"the feature name {each!r:.100} is not a rank feature of Vespa, such as bm25(title) or "
                "attribute(price), and would change the expression: give features=[...], one per column"
            )
    if portable.trees is None:
        pairs = zip(portable.weights, names, strict=True)
        terms = [repr(portable.intercept), *(f"{weight!r} * {each}" for weight, each in pairs)]
    else:

        def leaf(number: int, value: float) -> str:
            return repr(value)

        def split(at: _TreeSplit, left: str, right: str) -> str:
            feature = names[at.feature]  # every comparison with NaN is false
            is_left = f"!({feature} > {at.threshold!r})" if at.nan_left else f"{feature} <= {at.threshold!r}"
            return f"if ({is_left}, {left}, {right})"

        terms = list(_rendered(portable.trees, leaf, split))
    expression = "\n            + ".join(terms)
    text = f"""\
rank-profile {name} {{
    first-phase {{
        expression {{
            {expression}
        }}
    }}
}}
"""
    with atomic_output(path) as file:
        file.write(text.encode())


def _is_rank_feature(name: str) -> bool:
    """Return whether a name is one rank feature in Vespa's grammar, so that an expression can hold it as it is."""
    if len(name) > _LONGEST_FEATURE or _CALLED in name:
        return False
    while (shorter := _CALL.sub(_CALLED, name)) != name:  # the innermost calls first
        name = shorter
    return re.fullmatch(_OUTPUT, name, re.ASCII) is not None


@dataclass(frozen=True)
class _Portable:
    """The content that other tools need to score: trees, or weights and an intercept."""

    n_features: int
    names: list[str]
    trees: Trees | None = None
    weights: tuple[float, ...] = ()
    intercept: float = 0.0

    @classmethod
    def of(cls, model: Any, tool: str) -> _Portable:
        booster = model if hasattr(model, "model_to_string") else None
        if booster is None:
            if not hasattr(model, "fit"):
                raise ModelError(f"expected a fitted learner or a LightGBM Booster, got {type(model).__name__}")
            check_is_fitted(model)
            if not hasattr(model, "coef_") and not hasattr(model, "to_trees"):
                booster = getattr(model, "booster_", None)
                if booster is None:
                    raise ModelError(
                        f"{type(model).__name__} is neither linear nor made of trees: {tool} takes no other"
                    )
        if booster is not None:
            trees = _without_categories(Trees.of(booster.model_to_string()), tool)
            return cls(booster.num_feature(), list(booster.feature_name()), trees)
        if model.normalize is not None:
            raise ModelError(
                f"normalize={model.normalize!r} scales each feature by the other documents of the query, which {tool} "
                "does not do: fit with normalize=None on features that are scaled already"
            )
        names = [str(each) for each in getattr(model, "feature_names_in_", ())]
        if hasattr(model, "to_trees"):
            return cls(model.n_features_in_, names, _without_categories(model.to_trees(), tool))
        return cls(model.n_features_in_, names, None, tuple(model.coef_.tolist()), float(model.intercept_))

    def named(self, features: Iterable[str] | None) -> list[str]:
        """Return one distinct name per feature; by default, the names of the model."""
        names = [*map(str, self.names if features is None else items_of(features, "features"))]
        if not names:
            raise DataError("this tool knows features by name: give features=[...], one per column")
        if len(names) != self.n_features or len(set(names)) != len(names):
            raise DataError(f"features must be {self.n_features} different names, one per column, got {len(names)}")
        return names


def _without_categories(trees: Trees, tool: str) -> Trees:
    if trees.has_categories:
        raise ModelError(
            f"the trees split on categories, which {tool} is not given: fit with features that are numbers"
        )
    return trees


@dataclass(frozen=True)
class _TreeSplit:
    number: int
    depth: int
    feature: int
    threshold: float
    nan_left: bool


def _rendered(
    trees: Trees, leaf: Callable[[int, float], _T], split: Callable[[_TreeSplit, _T, _T], _T]
) -> Iterator[_T]:
    """Yield each tree, built from the leaves to the root; leaves are numbered after the splits."""
    nan_left = trees.missing_go_left()
    for splits, leaves in trees.parts():
        n_splits = splits.stop - splits.start
        left, right = trees.left[splits].tolist(), trees.right[splits].tolist()
        depths = [0] * n_splits
        for number, children in enumerate(zip(left, right, strict=True)):
            for child in children:
                if child >= 0:
                    depths[child] = depths[number] + 1
        ends = [leaf(n_splits + number, value) for number, value in enumerate(trees.leaf_values[leaves].tolist())]
        made: dict[int, _T] = {-1 - number: end for number, end in enumerate(ends)}
        for number in reversed(range(n_splits)):
            row = splits.start + number
            at = _TreeSplit(
                number, depths[number], int(trees.features[row]), float(trees.thresholds[row]), bool(nan_left[row])
            )
            made[number] = split(at, made[left[number]], made[right[number]])
        yield made[0 if n_splits else -1]


def _at_most(threshold: float) -> float:
    """Return the float32 t such that x <= t exactly if x <= threshold, for any float32 x."""
    rounded = np.float32(np.clip(threshold, _FLOAT32.min, _FLOAT32.max))
    return float(rounded if float(rounded) <= threshold else np.nextafter(rounded, _FLOAT32.min))


def _above(threshold: float) -> float:
    """Return the float32 t such that x < t exactly if x <= threshold, for any float32 x."""
    return float(np.nextafter(np.float32(_at_most(threshold)), _FLOAT32.max))
