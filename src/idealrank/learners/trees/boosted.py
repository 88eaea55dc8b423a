"""Boosted trees: LightGBM, with any loss to minimize and any measure to stop by."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from idealrank._core.extras import needs, require
from idealrank._core.threads import resolve_threads
from idealrank._names.options import checked, number, option
from idealrank._typing import Float32s, Floats
from idealrank.data.ranking import RankingData
from idealrank.errors import DataError, OptionError
from idealrank.evaluation.scorer import mean_value
from idealrank.learners.features import DenseFeatures, SparseFeatures, features_of
from idealrank.learners.learner_base import Dataset, Ranker, Rows
from idealrank.learners.learner_names import register
from idealrank.learners.trees.boosting import derivatives
from idealrank.learners.trees.category_features import (
    Categories,
    check_codes,
    coded,
    columns_named,
    frame_categories,
    from_text,
    to_text,
)
from idealrank.learners.trees.tree_arrays import Trees
from idealrank.losses import Loss, loss
from idealrank.measures import measure

__all__ = ["BoostedRanker"]

# LightGBM's aliases of three parameters.
_OBJECTIVE = {"app", "application", "loss", "objective", "objective_type"}
_BOOSTING = {"boost", "boosting", "boosting_type"}
_CATEGORICAL = {
    "cat_column",
    "cat_feature",
    "categorical_column",
    "categorical_feature",
    "categorical_features",
}
# LightGBM refuses other names, and replaces spaces.
_ALLOWED_NAME = re.compile(r'[^\s\[\]{}",:]+')


def _share(value: Any) -> float:
    share = number()(value)
    if not 0 < share <= 1:
        raise OptionError(f"expected a number above 0 and at most 1, got {value!r}")
    return share


def _lightgbm_mapping(params: Any) -> Mapping[str, Any]:
    if not isinstance(params, Mapping):
        raise OptionError(f"expected a mapping of LightGBM's parameters, got {params!r}")
    for name in _OBJECTIVE.intersection(params):
        raise OptionError(f"{name!r} is not allowed: what the trees minimize is set by loss")
    for name in _CATEGORICAL.intersection(params):
        raise OptionError(f"{name!r} is not allowed: give categorical_feature to fit, so that the model remembers it")
    return params


@register("boosted", "boosted_ranker")
class BoostedRanker(Ranker):
    """Boosted trees that minimize a loss of `idealrank.losses`, grown by LightGBM (the extra ``lightgbm``).

    With an ``eval_set``, the trees up to the best mean of ``measure`` on it are kept. If the fit is interrupted from
    the keyboard, the best trees so far are kept. A feature may be NaN, which LightGBM treats as missing: each split
    learns on which side missing values go. Categorical columns of data frames are split by sets of categories; a
    category that was not in ``fit`` is treated as missing.

    Parameters
    ----------
    loss : str or Loss
        The loss to minimize, or its name. The default uses the same pairs as LightGBM's own lambdarank: those with at
        least one document in the first 30 ranks.
    n_estimators : int
        Maximum number of trees.
    learning_rate : float
        The factor by which the output of each tree is multiplied.
    num_leaves : int
        Maximum number of leaves of a tree.
    min_child_samples : int
        Minimum number of documents in a leaf.
    subsample, colsample_bytree : float
        The fraction of documents, and of features, that each tree uses.
    reg_lambda : float
        The strength of L2 regularization: a constant that is added to the sum of second derivatives of each leaf.
    params : mapping, optional
        Other parameters of LightGBM: {name: value}.
    patience : int, optional
        Stop if the validation measure has not improved for this many trees; None never stops early.
    random_state : int, optional
        Seed of the random number generator of LightGBM; None means LightGBM's default seed.

    Attributes
    ----------
    booster_ : lightgbm.Booster
        The model of LightGBM; ``booster_.model_to_string()`` returns it as text. It has the names of the features,
        unless LightGBM does not allow one of them.
    best_iteration_ : int
        The number of trees that were kept, including those of an ``init_model``.
    history_ : list of dict
        The validation measure after each number of trees; the first entry is without any tree of this fit.
    categorical_features_ : int64 array
        The indices of the categorical features, counted from 0.
    categories_ : dict
        {name: categories} of the categorical columns of a data frame. In arrays, a category is represented by its index
        in this list.

    Examples
    --------
    One feature that tells the better document of each of 20 queries:

    >>> from idealrank import from_arrays
    >>> from idealrank.learners import BoostedRanker
    >>> data = from_arrays([0, 1] * 20, group=[2] * 20, features=[[0.0], [1.0]] * 20)
    >>> BoostedRanker(n_estimators=3).fit(data).score(data)
    1.0
    """

    _state: ClassVar[Mapping[str, str]] = {
        "n_leaves": "int64[n_trees]",
        "features": "int64[n_splits]",
        "thresholds": "float64[n_splits]",
        "decisions": "int64[n_splits]",
        "left": "int64[n_splits]",
        "right": "int64[n_splits]",
        "leaf_values": "float64[n_leaves]",
        "set_sizes": "int64[n_sets]",
        "set_words": "int64[n_words]",
        "categorical_features": "int64[n_categorical]",
        "categories": "text",
    }

    loss: str | Loss = field(default="lambda_rank(truncation=30)", metadata=checked(loss), kw_only=False)
    n_estimators: int = option(number(1, is_whole=True), 200)
    learning_rate: float = option(number(0, is_open=True), 0.05)
    num_leaves: int = option(number(2, is_whole=True), 31)
    min_child_samples: int = option(number(1, is_whole=True), 20)
    subsample: float = option(_share, 1.0)
    colsample_bytree: float = option(_share, 1.0)
    reg_lambda: float = option(number(0), 0.0)
    params: Mapping[str, Any] | None = option(_lightgbm_mapping)
    patience: int | None = option(number(1, is_whole=True))
    random_state: int | None = option(number(0, is_whole=True))

    def _check_options(self) -> None:
        require("lightgbm", for_=type(self).__name__)

    def fit(
        self,
        X: Any,
        y: npt.ArrayLike | None = None,
        *,
        qid: Iterable[object] | None = None,
        eval_set: Dataset | Rows | None = None,
        sample_weight: npt.ArrayLike | None = None,
        query_weight: npt.ArrayLike | None = None,
        categorical_feature: Iterable[int | str] | str | None = None,
        callbacks: Iterable[Callable[..., Any]] | None = None,
        init_model: Any = None,
    ) -> Self:
        """Learn from ranking data, or from arrays.

        Parameters
        ----------
        X : RankingData or array-like of shape (n_docs, n_features)
            The training data, whose weights and feature names are used if it has them; or the features alone: dense,
            sparse, or a data frame of pandas or Polars, whose categorical columns need not be numeric.
        y : array-like, optional
            One label per row, if ``X`` is an array.
        qid : iterable, optional
            The query id of each row, in any order, if ``X`` is an array.
        eval_set : RankingData or (X, y, qid), optional
            Validation data: the trees up to the iteration that is best on it are kept.
        sample_weight : array-like, optional
            One weight per row, if ``X`` is an array; it multiplies the gain of the document, or its pairs.
        query_weight : array-like, optional
            One weight per query, in the order in which the queries first appear in ``qid``.
        categorical_feature : iterable of int or str, or "auto", optional
            Indices or names of categorical features, in addition to the categorical columns of a data frame. Their
            values must be whole numbers of at least 0, or NaN.
        callbacks : iterable of callable, optional
            Callbacks of LightGBM, or functions with the same interface, which are called before or after each tree.
        init_model : BoostedRanker, lightgbm.Booster or lightgbm.LGBMModel, optional
            A fitted model with the same features: the new trees are added to its trees.

        Returns
        -------
        BoostedRanker
            The fitted ranker itself.

        Raises
        ------
        DataError
            If the data is not valid (the message names the query id and the input row), or ``init_model`` has other
            features or other categories.
        OptionError
            If an option of the learner is not valid.

        Examples
        --------
        Add ten trees to a fitted model:

        >>> from idealrank import from_arrays
        >>> from idealrank.learners import BoostedRanker
        >>> data = from_arrays([0, 1] * 20, group=[2] * 20, features=[[0.0], [1.0]] * 20)
        >>> first = BoostedRanker(n_estimators=10).fit(data)
        >>> BoostedRanker(n_estimators=10).fit(data, init_model=first).best_iteration_
        20
        """
        self.check_options()
        chosen = [] if callbacks is None else _checked_callbacks(callbacks)
        categories = frame_categories(X)
        if isinstance(eval_set, (tuple, list)) and len(eval_set) == 3:
            eval_set = coded(eval_set[0], categories), *eval_set[1:]
        prepared = self._prepared(coded(X, categories), y, qid, eval_set, sample_weight, query_weight)
        names = self._names()
        columns = {*columns_named(categorical_feature, names, self.n_features_in_)}
        columns |= {names.index(name) for name in categories} if names else set()
        self.categories_: Categories = categories
        self.categorical_features_ = np.array(sorted(columns), np.int64)
        if columns and self.normalize is not None:
            raise OptionError(f"categorical features cannot be normalized: use normalize=None, got {self.normalize!r}")
        start = None if init_model is None else self._start(init_model)
        self._fit(*prepared, callbacks=chosen, start=start)
        return self

    def predict(self, X: Any, qid: Iterable[object] | None = None) -> Floats:
        """Return one score per document, higher for documents that should rank higher.

        Parameters
        ----------
        X : RankingData or array-like of shape (n_docs, n_features)
            The documents. The number and the names of the features must be the same as in ``fit``, and the same columns
            of a data frame must be categorical.
        """
        return super().predict(self._coded(X), qid)

    def score(self, X: Any, y: npt.ArrayLike | None = None, *, qid: Iterable[object] | None = None) -> float:
        """Return the mean of ``measure`` over the queries."""
        return super().score(self._coded(X), y, qid=qid)

    def _coded(self, X: Any) -> Any:
        """Return X with categories replaced by their numbers, once they are known."""
        return coded(X, self.categories_) if hasattr(self, "categories_") else X

    def _fit(
        self,
        data: RankingData,
        validation: RankingData | None,
        callbacks: Sequence[Callable[..., Any]] = (),
        start: Any = None,
    ) -> None:
        """Grow trees, in addition to those of the booster ``start`` if there is one."""
        lightgbm = _lightgbm()
        params = self._lightgbm_params()
        if validation is not None and any(params.get(name) == "dart" for name in _BOOSTING):
            raise OptionError(
                "dart changes earlier trees, so that the trees up to the best one are not those that were validated: "
                "fit it without an eval_set"
            )
        lists = data.lists(n_threads=self.n_threads)
        self.loss_: Loss = loss(self.loss).resolved(lists.scores, lists.offsets)

        with lists.with_locations():
            of_scores = derivatives(self.loss_, lists, data.query_weights)

        def objective(scores: Floats, _: Any) -> tuple[Float32s, Float32s]:
            with lists.with_locations():
                return of_scores(scores)

        train = lightgbm.Dataset(
            self._features(data).table(),
            data.labels,
            params=params,
            feature_name=self._booster_names(),
            categorical_feature=self.categorical_features_.tolist(),
            free_raw_data=start is None,  # the trees of ``start`` have to score it
        ).construct()
        if not any(map(train.feature_num_bin, range(self.n_features_in_))):
            raise DataError(
                f"no feature can be split: there are {data.n_docs} documents, and a leaf must have "
                f"min_child_samples={self.min_child_samples}; use a lower number, or features that are not constant"
            )
        means: list[float] = []
        watch = {} if validation is None else self._watch(train, validation, means, start)
        grown: list[Any] = []  # the booster after each tree
        watch["callbacks"] = [*watch.get("callbacks", ()), *callbacks, lambda state: grown.append(state.model)]
        try:
            lightgbm.train({**params, "objective": objective}, train, self.n_estimators, init_model=start, **watch)
        finally:
            if grown:
                self._keep(grown[-1], means, 0 if start is None else start.current_iteration())

    def _keep(self, booster: Any, means: list[float], n_before: int) -> None:
        """Keep the trees up to the best mean, where ``means[i]`` is for i new trees; without means, keep all."""
        choose = np.argmin if measure(self.measure).lower_is_better else np.argmax
        self.best_iteration_: int = n_before + 1 + int(choose(means[1:])) if means else booster.current_iteration()
        self.history_ = [{"validation": mean} for mean in means]
        # The text contains the trees to keep, and no data.
        self.booster_: Any = _lightgbm().Booster(model_str=booster.model_to_string(num_iteration=self.best_iteration_))

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "booster_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.normalize is None
        return tags

    def _features(self, data: RankingData) -> DenseFeatures | SparseFeatures:
        check_codes(data, self.categorical_features_)
        return features_of(data, self.normalize, self.n_threads, may_be_missing=True)

    def _names(self) -> list[str] | None:
        """Return the names of the features, if they are known."""
        names = getattr(self, "feature_names_in_", None)
        return None if names is None else [str(name) for name in names]

    def _booster_names(self) -> list[str]:
        """Return names of the features that LightGBM allows."""
        names = self._names()
        if names is not None and all(map(_ALLOWED_NAME.fullmatch, names)) and len(set(names)) == len(names):
            return names
        return [f"Column_{number}" for number in range(self.n_features_in_)]

    def _start(self, model: Any) -> Any:
        """Return the booster of a model, which must have the same features."""
        booster = getattr(model, "booster_", None) if hasattr(model, "fit") else model
        if not isinstance(booster, _lightgbm().Booster):
            raise OptionError(
                "init_model must be a fitted BoostedRanker, lightgbm.Booster or LGBMModel, got "
                f"{model if isinstance(model, (str, int, float)) else type(model).__name__!r}"
            )
        if booster.num_feature() != self.n_features_in_:
            raise DataError(
                f"init_model has {booster.num_feature()} features, but the data has {self.n_features_in_}: "
                "give the same features"
            )
        if booster.num_model_per_iteration() != 1:
            raise DataError(f"init_model must have one score per document, got {booster.num_model_per_iteration()}")
        for column, (was, now) in enumerate(zip(booster.feature_name(), self._booster_names(), strict=True)):
            if was != now and f"Column_{column}" not in (was, now):
                raise DataError(f"init_model has the feature {was!r} in column {column}, but the data has {now!r}")
        if isinstance(model, BoostedRanker):
            self._check_same(model)
        elif booster.pandas_categorical and booster.pandas_categorical != list(map(list, self.categories_.values())):
            raise DataError("init_model has other categories than the data: give categorical columns the same ones")
        return booster

    def _check_same(self, model: BoostedRanker) -> None:
        """Raise an error unless a model has features of the same kind."""
        if model.normalize != self.normalize:
            raise OptionError(f"init_model has normalize={model.normalize!r}, got normalize={self.normalize!r}")
        if not np.array_equal(model.categorical_features_, self.categorical_features_):
            raise DataError(
                f"init_model has the categorical features {model.categorical_features_.tolist()}, but the data has "
                f"{self.categorical_features_.tolist()}"
            )
        for name, values in self.categories_.items():
            was = model.categories_.get(name)
            if was is not None and list(was) != list(values):
                raise DataError(
                    f"init_model has other categories of column {name!r} than the data: {list(was)[:5]} and "
                    f"{list(values)[:5]} are the first ones; give the column those of init_model, in their order"
                )

    def _scores(self, data: RankingData) -> Floats:
        threads = resolve_threads(self.n_threads)
        scores: Floats = self.booster_.predict(self._features(data).table(), num_threads=threads)
        return scores

    def to_trees(self) -> Trees:
        """Return the trees as arrays."""
        return Trees.of(self.booster_.model_to_string())

    def _get_state(self) -> dict[str, Any]:
        return {
            **vars(self.to_trees()),
            "categorical_features": self.categorical_features_,
            "categories": to_text(self.categories_),
        }

    def _set_state(self, state: Mapping[str, Any]) -> None:
        arrays = dict(state)
        columns, text = arrays.pop("categorical_features"), arrays.pop("categories")
        trees = Trees(**arrays)
        trees.check(self.n_features_in_)
        if not np.array_equal(columns, np.unique(columns)) or not np.isin(columns, range(self.n_features_in_)).all():
            raise DataError(f"categorical_features must be ascending numbers of the {self.n_features_in_} features")
        self.categorical_features_, self.categories_ = columns, from_text(text, self._names())
        self.booster_ = _lightgbm().Booster(model_str=trees.to_text(self._booster_names()))

    def _lightgbm_params(self) -> dict[str, Any]:
        seed = {} if self.random_state is None else {"seed": self.random_state}
        return {
            "verbosity": -1,
            "num_threads": resolve_threads(self.n_threads),
            "learning_rate": self.learning_rate,
            "num_leaves": self.num_leaves,
            "min_data_in_leaf": self.min_child_samples,
            "bagging_fraction": self.subsample,
            "bagging_freq": 1 if self.subsample < 1 else 0,
            "feature_fraction": self.colsample_bytree,
            "lambda_l2": self.reg_lambda,
            **seed,
            **(self.params or {}),
        }

    def _watch(self, train: Any, data: RankingData, means: list[float], start: Any) -> dict[str, Any]:
        """Return arguments that make LightGBM validate, record the means, and stop early."""
        lightgbm = _lightgbm()
        chosen = measure(self.measure)

        def report(scores: Floats, _: Any) -> tuple[str, float, bool]:
            means.append(mean_value(chosen, data.lists(scores, self.n_threads)))
            return "validation", means[-1], not chosen.lower_is_better

        table = self._features(data).table()
        report(np.zeros(data.n_docs) if start is None else start.predict(table, raw_score=True), None)
        callbacks = [] if self.patience is None else [lightgbm.early_stopping(self.patience, verbose=False)]
        valid = train.create_valid(table, data.labels)
        return {"valid_sets": [valid], "feval": report, "callbacks": callbacks}


def _checked_callbacks(given: Iterable[Callable[..., Any]]) -> list[Callable[..., Any]]:
    try:
        callbacks = list(given)
    except TypeError:
        raise OptionError(f"callbacks must be a list of functions, got {given!r}") from None
    for each in callbacks:
        if not callable(each):
            raise OptionError(f"callbacks must be functions as LightGBM calls them, got {each!r}")
    return callbacks


def _lightgbm() -> Any:
    with needs("lightgbm"):
        import lightgbm
    return lightgbm
