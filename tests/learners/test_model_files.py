"""Models in files: they come back the same, and no file does harm."""

import contextlib
import gzip
import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.exceptions import NotFittedError

import idealrank as ir
from idealrank import cutoffs, learners, losses
from idealrank.errors import DataError, MissingExtraError, ModelError, ParseError
from idealrank.io import files
from idealrank.learners import LinearRanker, ListNet, load, save
from idealrank.learners.files import models as documents
from idealrank.learners.files.models import StoredModel, read_model, write_model
from idealrank.learners.learner_names import by_class_name

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # fits are cut short

LEARNERS = by_class_name()
SAVED = [name for name, cls in LEARNERS.items() if cls._state]


def made(seed: int = 0, n_features: int = 4) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    qid = np.repeat(np.arange(8), 6)
    labels = rng.integers(0, 3, qid.size)
    X = rng.normal(size=(qid.size, n_features)).astype(np.float32)
    X[:, 0] += labels
    return X, labels, qid


def same(one: Any, other: Any) -> None:
    X, _, qid = made(1)
    assert_allclose(one.predict(X, qid), other.predict(X, qid), rtol=0, atol=0)


@pytest.mark.parametrize("name", SAVED)
@pytest.mark.parametrize("ending", ["", ".gz"])
def test_a_learner_comes_back_and_scores_the_same_to_the_last_bit(name: str, ending: str, tmp_path: Path) -> None:
    X, y, qid = made()
    try:
        ranker: Any = LEARNERS[name](normalize="zscore").fit(X, y, qid=qid)
    except MissingExtraError as missing:
        pytest.skip(str(missing))
    path = tmp_path / f"model.json{ending}"
    save(ranker, path)
    again = load(path)
    assert type(again) is type(ranker)
    assert again.get_params() == ranker.get_params()
    assert again.n_features_in_ == 4
    same(again, ranker)
    save(again, tmp_path / f"again.json{ending}")
    assert (tmp_path / f"again.json{ending}").read_bytes() == path.read_bytes()


@pytest.mark.slow
def test_every_learner_but_those_of_others_regressors_can_be_saved(tmp_path: Path) -> None:
    assert set(LEARNERS) - set(SAVED) == {"ConsistentRegression"}
    X, y, qid = made()
    with pytest.raises(ModelError, match="ConsistentRegression keeps what it learned in objects"):
        save(learners.ConsistentRegression().fit(X, y, qid=qid), tmp_path / "model.json")


def test_nothing_but_json_is_in_a_file(tmp_path: Path) -> None:
    X, y, qid = made()
    save(LinearRanker("hinge", l2=0.5).fit(X, y, qid=qid), tmp_path / "model.json")
    content = json.loads((tmp_path / "model.json").read_text())
    assert content["format"] == "idealrank model"
    assert (content["version"], content["idealrank"]) == (1, ir.__version__)
    assert (content["learner"], content["n_features"], content["feature_names"]) == ("LinearRanker", 4, None)
    assert content["options"]["loss"] == "hinge"
    assert content["options"]["l2"] == 0.5
    assert content["state"]["coef_"]["shape"] == [4]


def test_options_that_are_objects_are_written_by_name(tmp_path: Path) -> None:
    X, y, qid = made()
    ranker = learners.ApproxNDCGRanker(measure=ir.measure("ndcg(gain=linear)@5"), cutoff=cutoffs.Power(0.5), max_iter=2)
    save(ranker.fit(X, y, qid=qid), tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    assert (again.measure, again.cutoff) == ("ndcg(gain=linear)@5", "n^0.5")
    same(again, ranker)
    by_object = LinearRanker(losses.CrossEntropy(normalizer="dcg"), l2=np.float64(0.5)).fit(X, y, qid=qid)
    save(by_object, tmp_path / "model.json")
    assert load(tmp_path / "model.json").get_params()["loss"] == "cross_entropy(normalizer=dcg)"


def test_names_of_features_come_back(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    X, y, qid = made()
    frame = pandas.DataFrame(X, columns=["a", "b", "c", "ü"])
    save(ListNet().fit(frame, y, qid=qid), tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    assert again.feature_names_in_.tolist() == ["a", "b", "c", "ü"]
    assert again.predict(frame).shape == y.shape
    with pytest.raises(DataError, match="feature names"):
        again.predict(frame[["b", "a", "c", "ü"]])


@pytest.mark.slow
def test_another_process_scores_the_same(tmp_path: Path) -> None:
    X, y, qid = made()
    ranker = ListNet(normalize="minmax").fit(X, y, qid=qid)
    save(ranker, tmp_path / "model.json")
    np.save(tmp_path / "X.npy", X)
    script = (
        "import sys, numpy as np; from idealrank.learners import load; "
        "print(load(sys.argv[1]).predict(np.load(sys.argv[2]), np.repeat(np.arange(8), 6)).tobytes().hex())"
    )
    arguments = [sys.executable, "-c", script, str(tmp_path / "model.json"), str(tmp_path / "X.npy")]
    printed = subprocess.run(arguments, capture_output=True, check=True, text=True).stdout.strip()
    assert bytes.fromhex(printed) == ranker.predict(X, qid).tobytes()


def test_what_a_file_cannot_hold_is_refused(tmp_path: Path) -> None:
    X, y, qid = made()
    path = tmp_path / "model.json"

    class Own(LinearRanker):
        pass

    with pytest.raises(ModelError, match=r"model\.json: Own is not a learner"):
        save(Own().fit(X, y, qid=qid), path)
    with pytest.raises(NotFittedError):
        save(ListNet(), path)
    ranker = ListNet(random_state=None).fit(X, y, qid=qid)
    ranker.set_params(random_state=np.random.RandomState(0))
    with pytest.raises(ModelError, match="ListNet's random_state has no name"):
        save(ranker, path)
    diverged = ListNet().fit(X, y, qid=qid)
    diverged.coef_ = np.array([np.nan, 0, 0, 0])
    with pytest.raises(ModelError, match="cannot be written"):
        save(diverged, path)
    assert not path.exists()


def valid() -> dict[str, Any]:
    """The content of a model file."""
    return {
        "format": "idealrank model",
        "version": 1,
        "idealrank": "0.1.0",
        "learner": "ListNet",
        "options": {"l2": 0.5, "normalize": None, "max_iter": 5, "measure": "ndcg@10"},
        "n_features": 2,
        "feature_names": None,
        "state": {"coef_": {"dtype": "float64", "shape": [2], "values": [0.5, -1]}, "intercept_": 0},
    }


def changed(path: str, value: Any) -> dict[str, Any]:
    content = valid()
    *folders, last = path.split("/")
    inner: Any = content
    for name in folders:
        inner = inner[name]
    if value is ...:
        del inner[last]
    else:
        inner[last] = value
    return content


@pytest.mark.parametrize(
    ("path", "value", "what"),
    [
        ("format", "other", "not a model file"),
        ("version", 2, "version: is 2, but this idealrank reads versions up to 1: install a newer"),
        ("version", "1", "version: must be an integer of 1 or more, got '1'"),
        ("version", True, "version: must be an integer"),
        ("more", 1, "more: not an entry of a model file"),
        ("state", ..., "state: the entry is missing"),
        ("learner", "ListNot", "learner: unknown learner 'ListNot'; there are .*'ListNet'"),
        ("learner", "tune", "learner: unknown learner 'tune'"),
        ("learner", "__class__", "unknown learner"),
        ("learner", ["ListNet"], "learner: must be text"),
        ("options", [], "options: must be an object"),
        ("options/l3", 1, "options: ListNet has no option 'l3'; there are .*'l2'"),
        ("options/n_threads", 1_000_000, "options.n_threads: not an option that files hold"),
        ("options/l2", "0.5", "options: ListNet: l2: expected a number, got '0.5'"),
        ("options/l2", -1, "options: ListNet: l2: expected a finite number of at least 0"),
        ("options/l2", {"a": 1}, "options.l2: must be a finite number, text"),
        ("options/l2", 1e999, "finite"),
        ("options/l2", 10**400, "options.l2: must be a finite number, text"),
        ("options/max_iter", 0, "options: ListNet: max_iter: expected a whole number of at least 1"),
        ("options/max_iter", 1.5, "options: ListNet: max_iter: expected a whole number of at least 1, got"),
        ("options/max_iter", True, "options: ListNet: max_iter: expected a whole number, got"),
        ("options/verbose", True, "options.verbose: not an option that files hold"),
        ("options/warm_start", 1, "options: ListNet: warm_start: expected True or False, got 1"),
        ("options/measure", "ngdc", "options: ListNet: measure: unknown measure"),
        ("options/normalizer", "cdg", "options: cross_entropy: normalizer"),
        ("options/normalize", "log", "options: ListNet: normalize: unknown value 'log'"),
        ("options/measure", "ndcg" * 1000, "options.measure: must be text of at most 1,000 characters, got 4,000"),
        ("n_features", -1, "n_features: must be an integer of 1 or more"),
        ("n_features", 0, "n_features: must be an integer of 1 or more"),
        ("n_features", 3, "state.coef_: n_features is 3, got 2 numbers"),
        ("feature_names", ["a"], "feature_names: must have one name per feature, 2 different ones, got 1"),
        ("feature_names", ["a", "a"], "feature_names: must have one name per feature, 2 different"),
        ("feature_names", [1, 2], "feature_names: must be a list of texts"),
        ("state/other_", 1, "state: ListNet has coef_, intercept_, got coef_, intercept_, other_"),
        ("state/coef_", ..., "state: ListNet has"),
        ("state/coef_", 1.0, r"state.coef_: must be float64\[n_features\], got float64 of shape \(\)"),
        ("state/coef_", "1", "state.coef_: must be float64"),
        ("state/coef_/dtype", "object", "state.coef_: the dtype must be float64, int64, float32 or text, got 'object'"),
        ("state/coef_/shape", [2**62, 2**62], "the values must be 4611686018427387904 x 4611686018427387904"),
        ("state/coef_/shape", [1, 2], r"state.coef_: must be float64\[n_features\], got float64 of shape \(1, 2\)"),
        ("state/coef_/shape", [2.0], "the shape must be one or two whole numbers"),
        ("state/coef_/shape", [-1, -2], "the shape must be one or two whole numbers"),
        ("state/coef_/shape", [], "the shape must be one or two whole numbers"),
        ("state/coef_/values", [1], "the values must be 2 numbers, got a list of 1"),
        ("state/coef_/values", [1, None], r"state.coef_\[1\]: must be a finite number of float64, got None"),
        ("state/coef_/values", [1, True], "must be a finite number of float64, got True"),
        ("state/coef_/values", "ab", "the values must be 2 numbers, got 'ab'"),
        ("state/coef_/more", 1, "an array has dtype, shape and values"),
        ("state/coef_", {"dtype": "float64", "shape": [3], "values": [1, 2, 3]}, "n_features is 2, got 3 numbers"),
        ("state/intercept_", None, "state.intercept_: must be a finite number"),
        ("state/intercept_", "0", "state.intercept_: must be float64"),
    ],
)
def test_a_file_that_is_no_model_names_the_entry(path: str, value: Any, what: str, tmp_path: Path) -> None:
    file = tmp_path / "model.json"
    file.write_text(json.dumps(changed(path, value)))
    with pytest.raises(ModelError, match=rf"^{file}: .*{what}"):
        load(file)


@pytest.mark.parametrize(
    ("content", "error", "what"),
    [
        (b"", ParseError, ":1:1: not JSON"),
        (b'{"format": "idealrank model",\n "version" 1}', ParseError, r":2:12: not JSON: Expecting ':'"),
        (b"\x80\x04\x95\x0c\x00\x00\x00\x00", ParseError, ":1:1: not a text file"),
        (b'{\n"a": "\xff"}', ParseError, ":2:7: not a text file"),
        (b"[" * 100_000, ParseError, "nested too deeply"),
        (b'{"a":' * 100_000, ParseError, "nested too deeply"),
        (b'{"format": "idealrank model", "format": "x"}', ModelError, "'format' is repeated"),
        (b'{"format": "idealrank model", "version": NaN}', ModelError, "finite, got NaN"),
        (b'{"format": "idealrank model", "version": -Infinity}', ModelError, "finite, got -Infinity"),
        (b'{"version": ' + b"9" * 5000 + b"}", ModelError, "4300"),
        (b"null", ModelError, "not a model file"),
        (b"[]", ModelError, "not a model file"),
        (gzip.compress(b'{"format"', mtime=0)[:-6], ParseError, "damaged or cut short"),
        (gzip.compress(b"{]", mtime=0), ParseError, ":1:2: not JSON"),
    ],
)
def test_a_file_that_is_not_json_names_the_place(content: bytes, error: Any, what: str, tmp_path: Path) -> None:
    file = tmp_path / "model.json"
    file.write_bytes(content)
    with pytest.raises(error, match=rf"^{file}.*{what}"):
        load(file)


def test_what_a_learner_checks_of_its_state_is_checked(tmp_path: Path) -> None:
    content = valid() | {"learner": "RandomRanker", "options": {}, "state": {"seed_": -1}}
    (tmp_path / "model.json").write_text(json.dumps(content))
    with pytest.raises(ModelError, match="state: seed_ must be 0 or more, got -1"):
        load(tmp_path / "model.json")


def test_the_valid_content_is_valid(tmp_path: Path) -> None:
    (tmp_path / "model.json").write_text("\ufeff" + json.dumps(valid()))
    model = load(tmp_path / "model.json")
    assert isinstance(model, ListNet)
    assert model.predict(np.array([[2.0, 1.0]])).tolist() == [0.0]
    with pytest.raises(ValueError, match="3 features, but ListNet is expecting 2"):
        model.predict(np.zeros((1, 3)))


def loads_or_fails_as_promised(content: bytes, path: Path) -> None:
    path.write_bytes(content)
    failure, model = "", None
    try:
        model = load(path)
    except (ParseError, ModelError) as error:
        failure = str(error)
    if model is None:
        assert failure.startswith(str(path))
    else:
        names = getattr(model, "feature_names_in_", None)
        assert names is None or len(names) == model.n_features_in_
        if names is None and model.n_features_in_ < 10:
            assert np.isfinite(model.predict(np.zeros((3, model.n_features_in_)), [1, 1, 1])).all()


def test_a_file_cut_short_anywhere_is_refused(tmp_path: Path) -> None:
    whole = json.dumps(valid()).encode()
    for length in range(len(whole)):
        (tmp_path / "model.json").write_bytes(whole[:length])
        with pytest.raises(ParseError):
            load(tmp_path / "model.json")


anything: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from([*LEARNERS, "float64"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
places = st.sampled_from(
    ["format", "version", "learner", "options", "n_features", "feature_names", "state", "x"]
    + [f"options/{name}" for name in ("l2", "normalize", "max_iter", "measure", "loss", "n_threads", "normalizer")]
    + ["state/coef_", "state/intercept_", "state/seed_"]
    + [f"state/coef_/{name}" for name in ("dtype", "shape", "values")]
)


@pytest.mark.slow
@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(places, anything), min_size=1, max_size=3))
def test_a_file_with_anything_in_it_is_a_model_or_a_typed_error(tmp_path: Path, changes: list[tuple[str, Any]]) -> None:
    content: Any = valid()
    for place, value in changes:
        inner = content
        *folders, last = place.split("/")
        for name in folders:
            inner = inner.get(name) if isinstance(inner, dict) else None
        if isinstance(inner, dict):
            inner[last] = value
    loads_or_fails_as_promised(json.dumps(content).encode(), tmp_path / "model.json")


pieces = [
    b"{",
    b"}",
    b"[",
    b"]",
    b":",
    b",",
    b'"',
    b"\\",
    b"\\u12",
    b"NaN",
    b"-",
    b"1e999",
    b"0",
    b"null",
    b"\x00",
    b"\xff",
]
pieces += [b'"format":"idealrank model"', b'"version":1', b'"state":{}', b"\x1f\x8b", b"\xfd7zXZ\x00"]


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=100) | st.lists(st.sampled_from(pieces), max_size=30).map(b"".join))
@example(b"")
def test_arbitrary_bytes_are_a_typed_error(tmp_path: Path, content: bytes) -> None:
    loads_or_fails_as_promised(content, tmp_path / "model.json")


numbers = st.floats(allow_nan=False, allow_infinity=False)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(numbers, max_size=6), st.lists(st.integers(-(2**63), 2**63 - 1), max_size=3), numbers, st.text())
def test_numbers_and_texts_come_back_exactly(
    tmp_path: Path, floats: list[float], whole: list[int], number: float, text: str
) -> None:
    one, other = np.array(floats, np.float64), np.array(whole, np.int64)
    state: dict[str, Any] = {"a": one, "b": other, "c": number, "d": text}
    write_model(StoredModel("Any", {"x": number, "y": text}, 3, state=state), tmp_path / "model.json")
    found = read_model(tmp_path / "model.json")
    assert np.asarray(found.state["a"]).tobytes() == one.tobytes()
    assert np.asarray(found.state["b"]).tobytes() == other.tobytes()
    assert (found.state["c"], found.state["d"], found.options) == (number, text, {"x": number, "y": text})


def test_a_write_that_fails_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "model.json"
    path.write_text("old")
    with pytest.raises(ModelError):
        write_model(StoredModel("Any", {}, 1, state={"a": float("inf")}), path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_model_file_beyond_the_limit_is_neither_read_nor_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, path = StoredModel("Any", {}, 1, state={"a": np.zeros(100)}), tmp_path / "model.json"
    write_model(model, path)
    assert documents._LARGEST == 1 << 30
    monkeypatch.setattr(documents, "_LARGEST", path.stat().st_size)
    assert read_model(path).n_features == 1
    monkeypatch.setattr(documents, "_LARGEST", path.stat().st_size - 1)
    with pytest.raises(ParseError, match="larger than"):
        read_model(path)
    with pytest.raises(ModelError, match="at most"):
        write_model(model, tmp_path / "other.json")
    assert [*tmp_path.iterdir()] == [path]


def boosted(**changes: Any) -> dict[str, Any]:
    """A model of two trees: x1 <= 0.5 ? 1 : (x0 <= -1 ? 2 : 3), and 10 whatever x is."""
    state: dict[str, Any] = {
        "n_leaves": [3, 1],
        "features": [1, 0],
        "thresholds": [0.5, -1.0],
        "decisions": [2, 2],
        "left": [-1, -2],
        "right": [1, -3],
        "leaf_values": [1.0, 2.0, 3.0, 10.0],
        "set_sizes": [],
        "set_words": [],
        "categorical_features": [],
    } | changes
    floats = ("thresholds", "leaf_values")
    arrays: dict[str, Any] = {
        name: {"dtype": "float64" if name in floats else "int64", "shape": [len(values)], "values": values}
        for name, values in state.items()
    }
    return valid() | {"learner": "BoostedRanker", "options": {}, "state": arrays | {"categories": "{}"}}


def test_trees_are_rebuilt_from_plain_arrays(tmp_path: Path) -> None:
    pytest.importorskip("lightgbm")
    (tmp_path / "model.json").write_text(json.dumps(boosted()))
    model = load(tmp_path / "model.json")
    assert model.predict([[0.0, 0.0], [-2.0, 1.0], [0.0, 1.0], [-1.0, 0.5]]).tolist() == [11.0, 12.0, 13.0, 11.0]


def test_sets_of_categories_are_rebuilt_from_words(tmp_path: Path) -> None:
    """x1 in {0, 33} ? 1 : (x0 <= -1 ? 2 : 3), and 10 whatever x is."""
    pytest.importorskip("lightgbm")
    sets = {"thresholds": [0.0, -1.0], "decisions": [9, 2], "set_sizes": [2], "set_words": [1, 2]}
    (tmp_path / "model.json").write_text(json.dumps(boosted(**sets, categorical_features=[1])))
    model = load(tmp_path / "model.json")
    rows = [[0.0, 0.0], [0.0, 33.0], [0.0, 32.0], [-2.0, 1.0], [0.0, 1e6], [-2.0, np.nan]]
    assert model.predict(rows).tolist() == [11.0, 11.0, 13.0, 12.0, 13.0, 12.0]


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"n_leaves": [3]}, "the trees have 3 leaves, got values of 4"),
        ({"n_leaves": [4]}, "the trees have 4 leaves"),
        ({"n_leaves": [0, 4]}, "every tree must have a leaf"),
        ({"n_leaves": [2**62, 2**62]}, "more leaves than there are"),
        ({"n_leaves": [], "leaf_values": []}, "there must be a tree"),
        ({"features": [1, 2]}, "a split must be on one of the 2 features"),
        ({"features": [-1, 0]}, "a split must be on one of the 2 features"),
        ({"features": [1]}, "n_splits is 1, got 2 numbers"),
        ({"decisions": [3, 2]}, "a decision must be one of"),
        ({"decisions": [1, 2]}, "1 splits are on categories, got 0 sets"),
        ({"decisions": [1, 2], "set_sizes": [1], "set_words": [1]}, "a set of its own"),
        ({"left": [-1, 0]}, "a child must be a later split or a leaf"),
        ({"right": [1, -4]}, "a child must be a later split or a leaf"),
        ({"right": [2, -3]}, "a child must be a later split or a leaf"),
        ({"right": [0, -3]}, "a child must be a later split or a leaf"),
    ],
)
def test_trees_that_are_none_never_reach_lightgbm(changes: dict[str, Any], what: str, tmp_path: Path) -> None:
    pytest.importorskip("lightgbm")
    (tmp_path / "model.json").write_text(json.dumps(boosted(**changes)))
    with pytest.raises(ModelError, match=f"state.*: .*{what}"):
        load(tmp_path / "model.json")


def test_trees_of_too_many_features_are_refused_before_they_are_named(tmp_path: Path) -> None:
    pytest.importorskip("lightgbm")
    (tmp_path / "model.json").write_text(json.dumps(boosted() | {"n_features": 2**31 - 1}))
    with pytest.raises(ModelError, match="state: trees have at most 1,000,000 features"):
        load(tmp_path / "model.json")


few = st.integers(-4, 4)


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.fixed_dictionaries(
        {},
        optional={name: st.lists(few, min_size=2, max_size=2) for name in ("features", "left", "right", "decisions")}
        | {"n_leaves": st.lists(few, max_size=3), "thresholds": st.lists(numbers, min_size=2, max_size=2)}
        | {"leaf_values": st.lists(numbers, max_size=5)}
        | {name: st.lists(few, max_size=2) for name in ("set_sizes", "set_words", "categorical_features")},
    )
)
def test_any_arrays_are_trees_or_a_typed_error(tmp_path: Path, changes: dict[str, Any]) -> None:
    pytest.importorskip("lightgbm")
    (tmp_path / "model.json").write_text(json.dumps(boosted(**changes)))
    try:
        model = load(tmp_path / "model.json")
    except ModelError:
        return
    model.predict(np.zeros((3, 2)))


@pytest.mark.slow
def test_a_small_file_cannot_take_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of 100 kB that says 100 MB of lists, which would take 27 times as much, is not even decompressed."""
    seen = []
    feed = files._Collector.feed

    def counting(self: Any, block: Any, *args: Any) -> Any:
        seen.append(len(block))
        return feed(self, block, *args)

    monkeypatch.setattr(files._Collector, "feed", counting)
    bomb = gzip.compress(b'{"format": "idealrank model", "state": [' + b"[]," * (33 << 20) + b"[]]}")
    with pytest.raises(ParseError, match="more than 100 times its size"):
        read_model(io.BytesIO(bomb))
    assert sum(seen) <= (16 << 20) + (8 << 20)
    # A model of a million zeros shrinks as much, and is read.
    zeros = StoredModel("RankNet", {}, 1_000_000, state={"coef_": np.zeros(1_000_000)})
    file = io.BytesIO()
    monkeypatch.setattr(documents, "atomic_output", lambda path: contextlib.nullcontext(file))
    write_model(zeros, "-")
    assert read_model(io.BytesIO(gzip.compress(file.getvalue()))).n_features == 1_000_000
