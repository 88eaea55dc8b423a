"""Exported models score as ours do: ONNX by onnxruntime, the others by readers of their documented formats."""

import json
import re
import sys
import time
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from numpy.testing import assert_allclose, assert_array_equal

from idealrank import learners
from idealrank.cli.group import commands
from idealrank.errors import DataError, MissingExtraError, ModelError, OptionError
from idealrank.learners import LinearRanker, ListNet, RandomRanker, RankBoost
from idealrank.learners.files import exports
from idealrank.learners.trees.tree_arrays import Trees

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # fits are cut short

NAMES = ["bm25(title)", "bm25(body)", "attribute(price)", "attribute(age)"]


def made(seed: int = 0, missing: bool = False) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    qid = np.repeat(np.arange(20), 12)
    labels = rng.integers(0, 3, qid.size)
    X = rng.normal(size=(qid.size, 4)).astype(np.float32)
    X[:, 0] += labels
    X[:, 3] = np.round(X[:, 3])  # many equal values, and zeros
    if missing:
        X[rng.random(X.shape) < 0.2] = np.nan
    return X, labels, qid


def linear() -> Any:
    X, y, qid = made()
    # This loss depends on the level of scores, so that there is an intercept.
    return LinearRanker("least_squares", l2=0.1, max_iter=20).fit(X, y, qid=qid)


def rank_boost() -> Any:
    X, y, qid = made()
    return RankBoost(max_iter=30).fit(X, y, qid=qid)


def boosted() -> Any:
    pytest.importorskip("lightgbm")
    X, y, qid = made()
    return learners.BoostedRanker(n_estimators=10, num_leaves=6, holdout=None, n_threads=1).fit(X, y, qid=qid)


def booster(missing: bool = True, **params: Any) -> Any:
    lightgbm = pytest.importorskip("lightgbm")
    X, y, _ = made(missing=missing)
    data = lightgbm.Dataset(X, y, feature_name=["a", "b", "c", "d"])
    return lightgbm.train({"verbosity": -1, "num_leaves": 8, "num_threads": 1, **params}, data, 12)


def forest() -> Any:
    """Trees whose mean, not whose sum, is the score."""
    return booster(boosting="rf", bagging_fraction=0.5, bagging_freq=1, seed=0)


MODELS: dict[str, Callable[[], Any]] = {
    "linear": linear, "rank_boost": rank_boost, "boosted": boosted, "booster": booster, "forest": forest
}  # fmt: skip


@pytest.fixture(params=MODELS)
def model(request: pytest.FixtureRequest) -> Any:
    return MODELS[request.param]()


def held_out(model: Any) -> Any:
    """Documents that the model did not see, and some exactly at its thresholds; NaN for trees of LightGBM's own."""
    is_booster = hasattr(model, "model_to_string")
    X, _, _ = made(1, missing=is_booster)
    if not hasattr(model, "coef_"):
        trees = Trees.of(model.model_to_string()) if is_booster else model.to_trees()
        at = np.zeros((trees.features.size, 4), np.float32)
        # LightGBM takes numbers up to 1e-35 for 0 when it scores, though not as thresholds.
        near_zero = np.abs(trees.thresholds) < 1e-30
        at[np.arange(trees.features.size), trees.features] = np.where(near_zero, 0, trees.thresholds)
        X = np.vstack([X, at])
    return X


def predicted(model: Any, X: Any) -> Any:
    return model.predict(X) if hasattr(model, "model_to_string") else model.predict(X, np.zeros(len(X)))


def test_onnxruntime_scores_the_same(model: Any, tmp_path: Path) -> None:
    pytest.importorskip("onnx")
    onnxruntime = pytest.importorskip("onnxruntime")
    learners.to_onnx(model, tmp_path / "model.onnx")
    session = onnxruntime.InferenceSession(tmp_path / "model.onnx", providers=["CPUExecutionProvider"])
    X = held_out(model)
    (scores,) = session.run(["scores"], {"features": X})
    assert scores.shape == (len(X),)
    assert_allclose(scores, predicted(model, X), rtol=1e-6, atol=1e-7)
    assert np.unique(scores).size > 10
    (one,) = session.run(["scores"], {"features": X[:1]})
    assert one == scores[0]


def test_onnx_keeps_the_names_of_features(tmp_path: Path) -> None:
    onnx = pytest.importorskip("onnx")
    learners.to_onnx(booster(), tmp_path / "model.onnx")
    (entry,) = onnx.load(tmp_path / "model.onnx").metadata_props
    assert (entry.key, json.loads(entry.value)) == ("feature_names", ["a", "b", "c", "d"])


def test_without_onnx_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'idealrank\[onnx\]'"):
        learners.to_onnx(linear(), tmp_path / "model.onnx")


def ranklib_scores(text: str, X: Any) -> Any:
    """RankLib: dot products, or trees in which x <= threshold goes left; numbers are float32."""
    kind, *lines = text.splitlines()
    if kind == "## Coordinate Ascent":
        pairs = [pair.split(":") for pair in lines[0].split(" ")]
        return sum(float(weight) * X[:, int(number) - 1] for number, weight in pairs)
    assert kind == "## LambdaMART"
    # As RankLib does: lines are trimmed and joined, so that no text lies between elements.
    ensemble = ET.fromstring("".join(line.strip() for line in lines if not line.startswith("##")))

    def score(node: Any, x: Any) -> np.float32:
        while node[0].tag == "feature":
            number, threshold, left, right = node
            assert (left.get("pos"), right.get("pos")) == ("left", "right")
            node = left if x[int(number.text) - 1] <= np.float32(threshold.text) else right
        return np.float32(node[0].text)

    return [sum(np.float32(tree.get("weight")) * score(tree[0], x) for tree in ensemble) for x in X]


def test_ranklib_scores_the_same_but_for_the_intercept(model: Any, tmp_path: Path) -> None:
    learners.to_ranklib(model, tmp_path / "model.txt")
    X = np.nan_to_num(held_out(model))  # in RankLib what is missing is 0
    scores = ranklib_scores((tmp_path / "model.txt").read_text(), X)
    assert_allclose(scores, predicted(model, X) - getattr(model, "intercept_", 0), rtol=1e-5, atol=1e-6)


def plugin_scores(model: Any, names: list[str], X: Any) -> Any:
    """The plugins: weights by name, or trees in which x < split_condition goes to "yes"; numbers are float32."""
    definition = model["definition"]
    if model["type"] == "model/linear":
        return X @ np.array([definition[name] for name in names])
    assert model["type"] == "model/xgboost+json"

    def score(node: Any, x: Any) -> np.float32:
        while "leaf" not in node:
            yes, no = node["children"]
            assert (node["yes"], node["no"]) == (yes["nodeid"], no["nodeid"])
            assert all(child.get("depth", node["depth"] + 1) == node["depth"] + 1 for child in (yes, no))
            value = x[names.index(node["split"])]
            goes = node["missing"] == node["yes"] if np.isnan(value) else value < np.float32(node["split_condition"])
            node = yes if goes else no
        return np.float32(node["leaf"])

    return [sum(score(tree, x) for tree in definition) for x in X]


def test_the_plugins_score_the_same_but_for_the_intercept(model: Any, tmp_path: Path) -> None:
    learners.to_elasticsearch(model, tmp_path / "model.json", name="mine", features="abcd")
    content = json.loads((tmp_path / "model.json").read_text())["model"]
    assert content["name"] == "mine"
    X = held_out(model)
    scores = plugin_scores(content["model"], list("abcd"), X)
    assert_allclose(scores, predicted(model, X) - getattr(model, "intercept_", 0), rtol=1e-5, atol=1e-6)


def vespa_scores(text: str, X: Any) -> Any:
    """Vespa's ranking expressions: sums, products, if (test, then, else), and ! for not."""
    profile = r"rank-profile mine \{\s+first-phase \{\s+expression \{\s+(.*?)\s+\}\s+\}\s+\}\s+"
    found = re.fullmatch(profile, text, re.DOTALL)
    assert found is not None
    source = f"({found.group(1)})".replace("if (", "if_(").replace("!(", "not (")
    code = compile(source, "vespa", "eval")
    of = {"if_": lambda test, then, other: then if test else other, "__builtins__": {}}
    of |= dict.fromkeys(("title", "body", "price", "age"))

    def score(x: Any) -> float:
        of.update(title=0, body=1, price=2, age=3, bm25=lambda i: float(x[i]), attribute=lambda i: float(x[i]))
        return float(eval(code, of))

    return [score(x) for x in X]


def test_vespa_scores_the_same(model: Any, tmp_path: Path) -> None:
    learners.to_vespa(model, tmp_path / "mine.profile", name="mine", features=NAMES)
    X = held_out(model)
    scores = vespa_scores((tmp_path / "mine.profile").read_text(), X)
    assert_allclose(scores, predicted(model, X), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", ["", "my profile", "1st", "a-b", "a}", "mine\n", "é", None, 1])
def test_vespa_takes_plain_names(name: Any, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="letters, digits"):
        learners.to_vespa(linear(), tmp_path / "m.profile", name=name, features=NAMES)


@pytest.mark.parametrize("name", [None, "", " ", 1, b"mine"])
def test_the_plugins_take_text_as_name(name: Any, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="name must be text"):
        learners.to_elasticsearch(linear(), tmp_path / "m.json", name=name, features=NAMES)


DEEP = "a(" * 400 + "b" + ")" * 400
NO_FEATURES = "price - cost|1|-x|a b|a(|a)|a()b|a(b|f(x){y}|a('}')|a#b|a.|.a|a..b||$x|é|a(b;c)|a/b|a(,)|a(b,)|\0|a(\0)"


@pytest.mark.parametrize("feature", [*NO_FEATURES.split("|"), "a\n}}}\nrank-profile b {", "(" * 2000, DEEP])
def test_vespa_takes_rank_features_only(feature: str, tmp_path: Path) -> None:
    began = time.process_time()
    with pytest.raises(DataError, match="is not a rank feature of Vespa"):
        learners.to_vespa(linear(), tmp_path / "m.profile", name="m", features=["a", "b", "c", feature])
    assert time.process_time() - began < 5
    assert not list(tmp_path.iterdir())


def test_vespa_takes_every_form_of_rank_feature(tmp_path: Path) -> None:
    features = ["price", "fieldMatch(title).completeness.x", 'f(query(a), -1.5, "b c")', "a(b(c(d).e), f()).1"]
    learners.to_vespa(linear(), tmp_path / "m.profile", name="m", features=features)
    text = (tmp_path / "m.profile").read_text()
    assert all(f" * {each}\n" in text for each in features)


EXPORTS: dict[str, Callable[[Any, Path], None]] = {
    "onnx": learners.to_onnx,
    "ranklib": learners.to_ranklib,
    "elasticsearch": lambda model, path: learners.to_elasticsearch(model, path, name="mine", features="abcd"),
    "vespa": lambda model, path: learners.to_vespa(model, path, name="mine", features="abcd"),
}


@pytest.mark.parametrize("to", EXPORTS)
def test_what_other_tools_cannot_score_is_refused(to: str, tmp_path: Path) -> None:
    if to == "onnx":
        pytest.importorskip("onnx")
    X, y, qid = made()
    with pytest.raises(ModelError, match="normalize='minmax' scales each feature by the other documents"):
        EXPORTS[to](ListNet(normalize="minmax", max_iter=2).fit(X, y, qid=qid), tmp_path / "model")
    with pytest.raises(ModelError, match="RandomRanker is neither linear nor made of trees"):
        EXPORTS[to](RandomRanker().fit(X, y, qid=qid), tmp_path / "model")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("export", [learners.to_elasticsearch, learners.to_vespa])
@pytest.mark.parametrize("features", [None, ["a"], ["a", "a", "b", "c"]])
def test_a_name_a_feature_is_needed(export: Any, features: Any, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="features"):
        export(linear(), tmp_path / "model", name="mine", features=features)


def test_names_that_the_model_knows_are_used(tmp_path: Path) -> None:
    learners.to_elasticsearch(booster(), tmp_path / "model.json", name="mine")
    text = (tmp_path / "model.json").read_text()
    assert set(re.findall('"split": "(.*)"', text)) <= set("abcd")


@pytest.mark.parametrize("to", EXPORTS)
def test_trees_that_split_in_three_are_refused(to: str, tmp_path: Path) -> None:
    trees = booster(missing=False, zero_as_missing=True)
    if to == "onnx":
        pytest.importorskip("onnx")
    with pytest.raises(DataError, match="zero_as_missing"):
        EXPORTS[to](trees, tmp_path / "model")


def test_boosters_with_several_scores_are_refused(tmp_path: Path) -> None:
    several = booster(objective="multiclass", num_class=3)
    with pytest.raises(DataError, match="one score per document, got 3"):
        learners.to_ranklib(several, tmp_path / "model")


def test_thresholds_in_float32_divide_the_numbers_of_float32_alike() -> None:
    rng = np.random.default_rng(0)
    exact = rng.normal(size=50).astype(np.float32).astype(float)
    for threshold in [*rng.normal(size=200).tolist(), *exact.tolist(), 0.0, 1e300, -1e300, 1e-46]:
        near = np.float32(np.clip(threshold, -3e38, 3e38))
        xs = np.array([near, np.nextafter(near, np.float32(9e37)), np.nextafter(near, np.float32(-9e37)), -near], "f4")
        assert_array_equal(xs <= np.float32(exports._at_most(threshold)), xs.astype(float) <= threshold)
        assert_array_equal(xs < np.float32(exports._above(threshold)), xs.astype(float) <= threshold)


def test_the_command_writes_what_the_functions_write(tmp_path: Path) -> None:
    ranker, run = linear(), CliRunner().invoke
    learners.save(ranker, tmp_path / "model.json")

    def exported(*options: str) -> bytes:
        result = run(commands, ["export", str(tmp_path / "model.json"), str(tmp_path / "theirs"), "--to", *options])
        assert result.exit_code == 0, result.output
        assert f"the model for {options[0]} is in" in " ".join(result.stderr.split())
        return (tmp_path / "theirs").read_bytes()

    learners.to_ranklib(ranker, tmp_path / "ours")
    assert exported("ranklib") == (tmp_path / "ours").read_bytes()
    learners.to_elasticsearch(ranker, tmp_path / "ours", name="mine", features="abcd")
    for tool in ("elasticsearch", "opensearch"):
        assert exported(tool, "--name", "mine", "--features", "a,b,c,d") == (tmp_path / "ours").read_bytes()
    learners.to_vespa(ranker, tmp_path / "ours", name="mine", features=NAMES)
    assert exported("vespa", "--name", "mine", "--features", ",".join(NAMES)) == (tmp_path / "ours").read_bytes()
    pytest.importorskip("onnx")
    learners.to_onnx(ranker, tmp_path / "ours")
    assert exported("onnx") == (tmp_path / "ours").read_bytes()


@pytest.mark.parametrize(
    ("options", "what"),
    [
        (["--to", "vespa"], "--to vespa needs --name"),
        (["--to", "onnx", "--name", "mine"], "--name and --features are not for onnx"),
        (["--to", "solr"], "'solr' is not one of"),
        ([], "Missing option '--to'"),
    ],
)
def test_the_command_says_which_options_a_tool_takes(options: list[str], what: str) -> None:
    result = CliRunner().invoke(commands, ["export", "model.json", "theirs", *options])
    assert result.exit_code == 2
    assert what in result.output
