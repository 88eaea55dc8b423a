"""What LightGBM takes beside numbers: categorical columns, names, callbacks, and models to continue."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import idealrank as ir
from idealrank import learners
from idealrank.errors import DataError, ModelError, OptionError
from idealrank.integrations.lightgbm import objective
from idealrank.learners import BoostedRanker
from idealrank.learners.trees.tree_arrays import Trees

lgb = pytest.importorskip("lightgbm")
pd = pytest.importorskip("pandas")

COLORS = ["red", "green", "blue", "black", "white", "pink"]
SIZES = 200, 20  # queries and documents of each
CATEGORICAL = {"min_data_per_group": 5, "cat_smooth": 1.0, "cat_l2": 1.0}


class Rows:
    """Documents whose labels depend on a color, a number and a code."""

    def __init__(self, seed: int = 0) -> None:
        rng = np.random.default_rng(seed)
        n = SIZES[0] * SIZES[1]
        codes = rng.integers(0, len(COLORS), n)
        self.frame = pd.DataFrame(
            {
                "width": rng.normal(size=n).astype(np.float32),
                "color": pd.Categorical.from_codes(np.where(rng.random(n) < 0.1, -1, codes), COLORS),
                "shop": rng.integers(0, 50, n).astype(np.float32),
            }
        )
        worth = np.isin(codes, (0, 3, 5)) + (self.frame["shop"].to_numpy() % 3 == 1) + self.frame["width"].to_numpy()
        self.labels = np.digitize(worth, (1.0, 2.0)).astype(float)
        self.qid = np.repeat(np.arange(SIZES[0]), SIZES[1])

    @property
    def given(self) -> dict[str, Any]:
        return {"X": self.frame, "y": self.labels, "qid": self.qid}


@pytest.fixture(scope="module")
def rows() -> Rows:
    return Rows()


def quick(n_trees: int = 6, **options: Any) -> BoostedRanker:
    trees: dict[str, Any] = {"extra_trees": False, "num_leaves": 31, "subsample": 1.0, "colsample_bytree": 1.0}
    return BoostedRanker(
        "lambda_rank", n_estimators=n_trees, n_threads=1, holdout=None, params=CATEGORICAL, **trees, **options
    )


def peer(ranker: BoostedRanker, rows: Rows, n_trees: int = 6, **options: Any) -> Any:
    """LightGBM itself, on the frame."""
    params = {**ranker._lightgbm_params(0), "objective": objective("lambda_rank", n_threads=1)}
    known = {"feature_name": "auto", "categorical_feature": "auto", **options.pop("dataset", {})}
    dataset = lgb.Dataset(rows.frame, rows.labels, group=[SIZES[1]] * SIZES[0], **known, free_raw_data=False)
    return lgb.train(params, dataset, n_trees, **options)


def test_categorical_columns_are_split_as_lightgbm_splits_them(rows: Rows) -> None:
    ranker = quick().fit(**rows.given)
    raw = peer(ranker, rows)
    assert_array_equal(ranker.predict(rows.frame), raw.predict(rows.frame))
    assert ranker.categories_ == {"color": COLORS}
    assert_array_equal(ranker.categorical_features_, [1])
    assert "num_cat=1" in ranker.booster_.model_to_string()
    assert ranker.booster_.feature_name() == ["width", "color", "shop"]
    number = rows.frame.assign(color=rows.frame["color"].cat.codes.astype(np.float32))
    as_numbers = quick().fit(number, rows.labels, qid=rows.qid)
    assert not np.array_equal(ranker.predict(rows.frame), as_numbers.predict(number))


@pytest.mark.parametrize("given", [["shop"], [2], np.array([2])])
def test_other_features_are_categorical_by_name_or_number(given: Any, rows: Rows) -> None:
    ranker = quick().fit(**rows.given, categorical_feature=given)
    raw = peer(ranker, rows, dataset={"categorical_feature": ["color", "shop"]})
    assert_array_equal(ranker.predict(rows.frame), raw.predict(rows.frame))
    assert_array_equal(ranker.categorical_features_, [1, 2])
    plain = quick().fit(**rows.given)
    assert not np.array_equal(ranker.predict(rows.frame), plain.predict(rows.frame))


def test_categories_are_known_by_value_not_by_place(rows: Rows) -> None:
    ranker = quick().fit(**rows.given)
    expected = ranker.predict(rows.frame)
    other = rows.frame.assign(color=rows.frame["color"].cat.set_categories(["teal", *reversed(COLORS)]))
    assert_array_equal(ranker.predict(other), expected)
    one = other.iloc[[3, 1]]  # row labels out of order
    assert_array_equal(ranker.predict(one), expected[[3, 1]])
    unknown = rows.frame.assign(color=pd.Categorical(["teal"] * len(rows.frame)))
    missing = rows.frame.assign(color=pd.Categorical([None] * len(rows.frame), COLORS))
    assert_array_equal(ranker.predict(unknown), ranker.predict(missing))


def test_codes_in_arrays_stand_for_the_categories(rows: Rows) -> None:
    ranker = quick().fit(**rows.given)
    codes = rows.frame.assign(color=rows.frame["color"].cat.codes.replace(-1, np.nan)).to_numpy(np.float32)
    data = ir.from_arrays(rows.labels, query_ids=rows.qid, features=codes)
    assert_array_equal(ranker.predict(data), ranker.predict(rows.frame))
    from_codes = quick().fit(data, categorical_feature=[1])
    assert_array_equal(from_codes.predict(data), ranker.predict(rows.frame))


def test_polars_frames_have_categories_too(rows: Rows) -> None:
    pl = pytest.importorskip("polars")
    frame = pl.from_pandas(rows.frame.assign(color=rows.frame["color"].astype(object)))
    frame = frame.with_columns(pl.col("color").cast(pl.Enum(COLORS)))
    ranker = quick().fit(frame, rows.labels, qid=rows.qid)
    assert ranker.categories_ == {"color": COLORS}
    assert_array_equal(ranker.predict(frame), quick().fit(**rows.given).predict(rows.frame))


def test_a_file_holds_categories_and_names(rows: Rows, tmp_path: Path) -> None:
    ranker = BoostedRanker("lambda_rank", n_estimators=6, extra_trees=False, holdout=None, n_threads=1)
    ranker.fit(**rows.given, categorical_feature=["shop"])
    assert Trees.of(ranker.booster_.model_to_string()).has_categories
    learners.save(ranker, tmp_path / "model.json")
    loaded = learners.load(tmp_path / "model.json")
    assert_array_equal(loaded.predict(rows.frame), ranker.predict(rows.frame))
    assert loaded.booster_.feature_name() == ["width", "color", "shop"]
    assert (loaded.categories_, loaded.categorical_features_.tolist()) == ({"color": COLORS}, [1, 2])
    with pytest.raises(DataError, match="column 'color' was categorical in fit, but it is not any more"):
        loaded.predict(rows.frame.assign(color=1.0))
    days = rows.frame.assign(color=rows.frame["color"].cat.rename_categories(pd.date_range("2026-01-01", periods=6)))
    with pytest.raises(ModelError, match=r"column 'color' has the category .*2026-01-01.*: use text or numbers"):
        learners.save(
            BoostedRanker(n_estimators=1, holdout=None, n_threads=1).fit(days, rows.labels, qid=rows.qid),
            tmp_path / "days.json",
        )


@pytest.mark.parametrize(
    ("entry", "value", "message"),
    [
        ("set_sizes", [1], "splits are on categories, got 1 sets"),
        ("set_words", [], "no more than there are"),
        ("set_words", [-1], "from 0 to 2"),
        ("thresholds", [0.5], "a set of its own"),
        ("categorical_features", [3], "ascending numbers of the 3 features"),
        ("categories", '{"size": []}', "those of named features"),
        ("categories", '{"color": [null]}', "lists of texts or numbers"),
        ("categories", "{", "JSON"),
    ],
)
def test_a_file_that_makes_no_sense_is_refused(entry: str, value: Any, message: str, rows: Rows) -> None:
    ranker = quick().fit(**rows.given, categorical_feature=["shop"])
    state = ranker._get_state()
    if entry in ("thresholds", "set_words") and value:
        changed = state[entry].copy()
        changed[state["decisions"] % 2 == 1 if entry == "thresholds" else 0] = value[0]
        value = changed
    state[entry] = np.array(value, np.int64) if isinstance(value, list) else value
    with pytest.raises(DataError, match=message):
        quick().fit(**rows.given)._set_state(state)


def test_exports_refuse_categories_by_name(rows: Rows, tmp_path: Path) -> None:
    ranker = quick().fit(**rows.given)
    with pytest.raises(ModelError, match="the trees split on categories"):
        learners.to_vespa(ranker, tmp_path / "model.profile", name="model")


def test_names_are_checked(rows: Rows) -> None:
    ranker = quick().fit(**rows.given)
    with pytest.raises(DataError, match="feature names"):
        ranker.predict(rows.frame[["color", "width", "shop"]])
    with pytest.raises(DataError, match="feature names"):
        ranker.predict(rows.frame.rename(columns={"shop": "store"}))
    spaced = rows.frame.rename(columns={"shop": "the shop"})  # LightGBM would change it
    assert quick().fit(spaced, rows.labels, qid=rows.qid).booster_.feature_name() == [
        "Column_0",
        "Column_1",
        "Column_2",
    ]


def test_callbacks_are_called(rows: Rows) -> None:
    seen: list[int] = []
    history: dict[str, Any] = {}
    held = Rows(1)
    ranker = quick().fit(
        **rows.given,
        eval_set=(held.frame, held.labels, held.qid),
        callbacks=[lambda state: seen.append(state.iteration), lgb.record_evaluation(history)],
    )
    assert seen == [*range(6)]
    assert history["valid_0"]["validation"] == [each["validation"] for each in ranker.history_[1:]]
    rates = quick().fit(**rows.given, callbacks=[lgb.reset_parameter(learning_rate=[0.5] * 6)])
    assert rates.predict(rows.frame).std() > 2 * ranker.predict(rows.frame).std()


def test_training_goes_on_from_a_model(rows: Rows) -> None:
    first = quick(3).fit(**rows.given)
    ranker = quick(4).fit(**rows.given, init_model=first)
    raw = peer(ranker, rows, 4, init_model=peer(first, rows, 3))
    assert ranker.best_iteration_ == ranker.booster_.num_trees() == 7
    assert_array_equal(ranker.predict(rows.frame), raw.predict(rows.frame))
    assert_array_equal(
        quick(4).fit(**rows.given, init_model=first.booster_).predict(rows.frame), raw.predict(rows.frame)
    )
    at_once = quick(7).fit(**rows.given)
    np.testing.assert_allclose(ranker.predict(rows.frame), at_once.predict(rows.frame), rtol=1e-3, atol=1e-3)


def test_validation_begins_with_the_model_to_go_on_from(rows: Rows) -> None:
    held = Rows(1)
    first = quick(3).fit(**rows.given)
    ranker = quick(5).fit(**rows.given, init_model=first, eval_set=(held.frame, held.labels, held.qid))
    means = [each["validation"] for each in ranker.history_]
    assert means[0] == first.score(held.frame, held.labels, qid=held.qid)
    assert ranker.best_iteration_ == 3 + 1 + int(np.argmax(means[1:]))
    assert ranker.score(held.frame, held.labels, qid=held.qid) == max(means[1:])


def test_what_cannot_be_is_refused_by_name(rows: Rows) -> None:
    cases: list[tuple[type[Exception], str, dict[str, Any]]] = [
        (DataError, "'price', which is not the name of a feature", {"categorical_feature": ["price"]}),
        (OptionError, "from 0 to 2, got 3", {"categorical_feature": [3]}),
        (OptionError, "or 'auto', got 'color'", {"categorical_feature": "color"}),
        (DataError, r"below 2\^24, or NaN, got -?\d.* in column 'width'", {"categorical_feature": ["width"]}),
        (OptionError, "callbacks must be functions .* got 3", {"callbacks": [3]}),
        (OptionError, "callbacks must be a list of functions, got 3", {"callbacks": 3}),
        (OptionError, "init_model must be a fitted BoostedRanker.* got 'model.txt'", {"init_model": "model.txt"}),
        (OptionError, "init_model must be .* got 'BoostedRanker'", {"init_model": BoostedRanker()}),
    ]
    for error, message, options in cases:
        with pytest.raises(error, match=message):
            quick().fit(**rows.given, **options)
    with pytest.raises(OptionError, match="params: 'cat_feature' is not allowed: give categorical_feature to fit"):
        BoostedRanker(params={"cat_feature": [1]}).fit(**rows.given)
    with pytest.raises(OptionError, match="categorical features cannot be normalized"):
        quick(normalize="minmax").fit(**rows.given)
    with pytest.raises(DataError, match="'color', but the features have no names"):
        quick().fit(np.zeros((4000, 1)), rows.labels, qid=rows.qid, categorical_feature=["color"])


def test_a_model_of_other_features_is_no_start(rows: Rows) -> None:
    first = quick(2).fit(**rows.given)
    two = rows.frame[["width", "color"]]
    with pytest.raises(DataError, match="init_model has 3 features, but the data has 2"):
        quick().fit(two, rows.labels, qid=rows.qid, init_model=first)
    renamed = rows.frame.rename(columns={"shop": "store"})
    with pytest.raises(DataError, match="the feature 'shop' in column 2, but the data has 'store'"):
        quick().fit(renamed, rows.labels, qid=rows.qid, init_model=first)
    turned = rows.frame.assign(color=rows.frame["color"].cat.set_categories(COLORS[::-1]))
    with pytest.raises(DataError, match="init_model has other categories of column 'color'"):
        quick().fit(turned, rows.labels, qid=rows.qid, init_model=first)
    with pytest.raises(DataError, match="init_model has other categories than the data"):
        quick().fit(turned, rows.labels, qid=rows.qid, init_model=peer(first, rows))
    with pytest.raises(DataError, match=r"categorical features \[1\], but the data has \[1, 2\]"):
        quick().fit(**rows.given, categorical_feature=[2], init_model=first)
    numbers = rows.frame[["width", "shop"]]
    scaled = quick(2, normalize="minmax").fit(numbers, rows.labels, qid=rows.qid)
    with pytest.raises(OptionError, match="init_model has normalize='minmax', got normalize=None"):
        quick().fit(numbers, rows.labels, qid=rows.qid, init_model=scaled)
