"""Boosted trees: LightGBM, with any loss to minimize and any measure to stop by."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from idealrank._core.extras import needs, require
from idealrank._core.seeds import new_seed
from idealrank._core.threads import resolve_threads
from idealrank._names.options import checked, flag, number, option, or_none, seed
from idealrank._typing import Float32s, Floats
from idealrank.data.lists import Lists
from idealrank.data.ranking import RankingData
from idealrank.errors import DataError, OptionError
from idealrank.evaluation.scorer import mean_value
from idealrank.learners.features import DenseFeatures, SparseFeatures, features_of
from idealrank.learners.learner_base import Ranker, query_of_rows, validation_rows
from idealrank.learners.learner_names import register
from idealrank.learners.linear.query_blocks import in_memory
from idealrank.learners.linear.ridge import warn_if_ridge_is_better
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
from idealrank.learners.trees.tree_arrays import Trees, spread_within
from idealrank.losses import Loss, loss
from idealrank.losses.direct import SoftRanked
from idealrank.losses.segments import maxima
from idealrank.measures import measure

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
# The validation measure after a tree is averaged with those of this many trees before and after it.
_NEIGHBORS = 5
# Each loss grows trees twice, with different seeds, because the mean of four models varies less than that of two.
_LOSSES = " + ".join(["smoothed_lambda_rank", "least_squares(gain=linear)"] * 2)
# LightGBM splits no leaf whose second derivatives are smaller than 0.001 in sum, and these are smaller than the first.
_FLAT = 1e-6
# Below this number of queries, a fifth of them says little about the number of trees.
_ENOUGH_QUERIES = 50


def _losses(given: Any) -> tuple[Loss, ...]:
    """Return one loss or several, from a loss, a name, names joined by " + ", or a sequence of losses and names."""
    if isinstance(given, (list, tuple)):
        if not given:
            raise OptionError("expected a loss, or several, got none")
        return tuple(map(loss, given))
    return tuple(map(loss, re.split(r"\s\+\s", given))) if isinstance(given, str) else (loss(given),)


def _share(value: Any) -> float:
    share = number()(value)
    if not 0 < share <= 1:
        raise OptionError(f"expected a number above 0 and at most 1, got {value!r}")
    return share


def _part(value: Any) -> float:
    part = number()(value)
    if not 0 < part < 1:
        raise OptionError(f"expected a number above 0 and below 1, got {value!r}")
    return part


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
    """Boosted trees that minimize losses of `idealrank.losses`, grown by LightGBM (the extra ``lightgbm``).

    If there are several losses, each grows its own trees, and a score is the mean of theirs, each divided by its
    standard deviation within the training queries. The result is one model, whose leaf values include these factors.
    By default, two losses grow trees twice, with different seeds.

    With an ``eval_set``, the trees up to the best mean of ``measure`` on it are kept, where the mean after each tree is
    averaged with those of its neighbors, up to five before and as many after it. Without one, a part of the queries is
    held out to choose the number of trees, and that number is then grown from all queries. If the fit is interrupted
    from the keyboard, the best trees so far are kept. A warning says if the first tree is the best, or if ridge
    regression on the labels is better on the validation queries (if there are no categorical or missing features).
    A feature may be NaN, which LightGBM treats as missing: each split learns on which side missing values go.
    Categorical columns of data frames are split by sets of categories; a category that was not in ``fit`` is treated
    as missing.

    Parameters
    ----------
    loss : str, Loss or sequence of these
        The loss to minimize, or its name; several are a sequence, or names joined by " + ".
    n_estimators : int
        Maximum number of trees of each loss.
    learning_rate : float
        The factor by which the output of each tree is multiplied.
    num_leaves : int
        Maximum number of leaves of a tree.
    extra_trees : bool
        Whether to try one random threshold per feature and leaf, instead of all (extremely randomized trees).
    min_child_samples : int
        Minimum number of documents in a leaf.
    subsample, colsample_bytree : float
        The fraction of documents, and of features, that each tree uses.
    reg_lambda : float
        The strength of L2 regularization: a constant that is added to the sum of second derivatives of each leaf.
    params : mapping, optional
        Other parameters of LightGBM: {name: value}.
    holdout : float, optional
        The fraction of queries that ``fit`` holds out to choose the number of trees, if it is given no ``eval_set``,
        ``init_model`` or ``callbacks``, and at least 50 queries. None always grows ``n_estimators`` trees then.
    patience : int, optional
        Stop if the validation measure has not improved for this many trees; None never stops early.
    random_state : int, optional
        Seed of the random number generators of LightGBM and of the choice of queries to hold out; None draws a new one
        for every fit.

    Attributes
    ----------
    booster_ : lightgbm.Booster
        The model of LightGBM; ``booster_.model_to_string()`` returns it as text. It has the names of the features,
        unless LightGBM does not allow one of them.
    losses_ : tuple of Loss
        The losses, with every option that depends on the data replaced by a number.
    best_iteration_ : int
        The number of trees that were kept, including those of an ``init_model``; the sum over the losses.
    best_iterations_ : tuple of int
        The number of trees of this fit that were kept, one for each loss.
    history_ : list of dict
        The validation measure after each number of trees; the first entry is without any tree of this fit. If there are
        several losses, their entries follow each other, and "stage" names the loss, with its place if it is repeated.
    categorical_features_ : int64 array
        The indices of the categorical features, counted from 0.
    categories_ : dict
        {name: categories} of the categorical columns of a data frame. In arrays, a category is represented by its index
        in this list.

    Examples
    --------
    One feature that tells the better document of each of 40 queries:

    >>> from idealrank import from_arrays
    >>> from idealrank.learners import BoostedRanker
    >>> data = from_arrays([0, 1] * 40, group=[2] * 40, features=[[0.0], [1.0]] * 40)
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

    loss: str | Loss | Sequence[str | Loss] = field(default=_LOSSES, metadata=checked(_losses), kw_only=False)
    n_estimators: int = option(number(1, is_whole=True), 400)
    learning_rate: float = option(number(0, is_open=True), 0.05)
    num_leaves: int = option(number(2, is_whole=True), 31)
    extra_trees: bool = option(flag, False)
    min_child_samples: int = option(number(1, is_whole=True), 20)
    subsample: float = option(_share, 0.8)
    colsample_bytree: float = option(_share, 0.5)
    reg_lambda: float = option(number(0), 0.0)
    params: Mapping[str, Any] | None = option(_lightgbm_mapping)
    holdout: float | None = option(or_none(_part), 0.2)
    patience: int | None = option(or_none(number(1, is_whole=True)), 100)
    random_state: int | None = option(seed, 0)

    def _check_options(self) -> None:
        require("lightgbm", for_=type(self).__name__)

    def fit(
        self,
        X: Any,
        y: npt.ArrayLike | None = None,
        *,
        qid: Iterable[object] | None = None,
        group: npt.ArrayLike | None = None,
        eval_set: Any = None,
        eval_qid: Any = None,
        eval_group: Any = None,
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
            sparse, or a data frame of pandas or Polars, whose categorical columns need not be numeric. A
            `ParquetSource` is read into memory.
        y : array-like, optional
            One label per row, if ``X`` is an array.
        qid : iterable, optional
            The query id of each row, in any order, if ``X`` is an array.
        group : array-like of int, optional
            In place of ``qid``, the number of rows of each query, whose rows follow each other.
        eval_set : RankingData or (X, y, qid), optional
            Validation data: the trees up to the iteration that is best on it are kept.
        eval_qid, eval_group : array-like, optional
            The queries of an ``eval_set`` of (X, y), as ids or as sizes. Like in LightGBM and XGBoost, all three may be
            lists with one item.
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
            A fitted model with the same features: the new trees, of a single loss, are added to its trees.

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
        >>> data = from_arrays([0, 1] * 40, group=[2] * 40, features=[[0.0], [1.0]] * 40)
        >>> first = BoostedRanker("lambda_rank", n_estimators=10).fit(data)
        >>> BoostedRanker("lambda_rank", n_estimators=10).fit(data, init_model=first).best_iteration_
        20
        """
        self.check_options()
        chosen = [] if callbacks is None else _checked_callbacks(callbacks)
        X, categories = in_memory(X), frame_categories(X)
        queries = query_of_rows(X, qid, group)
        validation = in_memory(validation_rows(eval_set, eval_qid, eval_group))
        if isinstance(validation, tuple) and len(validation) == 3:
            validation = coded(validation[0], categories), *validation[1:]
        prepared = self._prepared(coded(X, categories), y, queries, validation, sample_weight, query_weight)
        names = self._names()
        columns = {*columns_named(categorical_feature, names, self.n_features_in_)}
        columns |= {names.index(name) for name in categories} if names else set()
        self.categories_: Categories = categories
        self.categorical_features_ = np.array(sorted(columns), np.int64)
        if columns and self.normalize is not None:
            raise OptionError(f"categorical features cannot be normalized: use normalize=None, got {self.normalize!r}")
        start = None if init_model is None else self._start(init_model)
        if start is not None and len(_losses(self.loss)) > 1:
            raise OptionError(f"init_model goes with one loss, got {self.loss!r}: add trees for one of them")
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
        """Return X in memory, with categories replaced by their numbers, once they are known."""
        X = in_memory(X)
        return coded(X, self.categories_) if hasattr(self, "categories_") else X

    def _fit(
        self,
        data: RankingData,
        validation: RankingData | None,
        callbacks: Sequence[Callable[..., Any]] = (),
        start: Any = None,
    ) -> None:
        """Grow trees, in addition to those of the booster ``start`` if there is one."""
        # LightGBM takes 31 bits.
        number_drawn = new_seed(None) % 2**31 if self.random_state is None else self.random_state
        params = self._lightgbm_params(number_drawn)
        if validation is not None and _is_dart(params):
            raise OptionError(
                "dart changes earlier trees, so that the trees up to the best one are not those that were validated: "
                "fit it without an eval_set"
            )
        is_plain = validation is None and start is None and not callbacks
        if is_plain and self.holdout is not None and data.n_queries >= _ENOUGH_QUERIES and not _is_dart(params):
            rest, held_out = data.split([1 - self.holdout, self.holdout], seed=number_drawn)
            n_trees = [ensemble.n_kept for ensemble in self._grow(rest, held_out, params)]
            history: list[dict[str, Any]] = self.history_
            self._grow(data, None, params, n_trees=n_trees)
            self.history_: list[dict[str, Any]] = history
        else:
            self._grow(data, validation, params, callbacks=callbacks, start=start)

    def _grow(
        self,
        data: RankingData,
        validation: RankingData | None,
        params: Mapping[str, Any],
        *,
        n_trees: Sequence[int] | None = None,
        callbacks: Sequence[Callable[..., Any]] = (),
        start: Any = None,
    ) -> list[_Ensemble]:
        """Grow and keep the trees of each loss."""
        lists = data.lists(n_threads=self.n_threads)
        self.losses_: tuple[Loss, ...] = tuple(
            each.resolved(lists.scores, lists.offsets) for each in _losses(self.loss)
        )
        table = self._features(data).table()
        train = (
            _lightgbm()
            .Dataset(
                table,
                data.labels,
                params=dict(params),
                feature_name=self._booster_names(),
                categorical_feature=self.categorical_features_.tolist(),
                free_raw_data=start is None,  # the trees of ``start`` have to score it
            )
            .construct()
        )
        if not any(map(train.feature_num_bin, range(self.n_features_in_))):
            raise DataError(
                f"no feature can be split: there are {data.n_docs} documents, and a leaf must have "
                f"min_child_samples={self.min_child_samples}; use a lower number, or features that are not constant"
            )
        names = [str(each) for each in self.losses_]
        names = [name if names.count(name) == 1 else f"{name} ({place})" for place, name in enumerate(names, 1)]
        grown: list[_Ensemble] = []
        try:
            for place, each in enumerate(self.losses_):
                with lists.with_locations():
                    of_scores = derivatives(each, lists, data.query_weights)
                    if start is None and isinstance(each, SoftRanked):
                        self._warn_if_flat(each, of_scores, lists)
                ensemble = _Ensemble(names[place], 0 if start is None else start.current_iteration())
                grown.append(ensemble)
                _lightgbm().train(
                    {**params, "seed": int(params["seed"]) + place, "objective": _objective(of_scores, lists)},
                    train,
                    self.n_estimators if n_trees is None else n_trees[place],
                    init_model=start,
                    **self._watch(train, validation, ensemble, start, callbacks),
                )
        finally:
            grown = [ensemble for ensemble in grown if ensemble.booster is not None]
            if grown:
                self._keep(grown, table, data)
        if validation is not None:
            self._warn_of_setbacks(grown, data, validation)
        return grown

    def _keep(self, grown: Sequence[_Ensemble], table: Any, data: RankingData) -> None:
        """Keep the best trees of each loss, and make one model of them."""
        for ensemble in grown:
            ensemble.choose(lower_is_better=measure(self.measure).lower_is_better)
        self.best_iteration_: int = sum(ensemble.n_kept for ensemble in grown)
        self.best_iterations_: tuple[int, ...] = tuple(ensemble.n_new for ensemble in grown)
        self.history_ = [
            {"stage": ensemble.loss, "validation": mean} if len(self.losses_) > 1 else {"validation": mean}
            for ensemble in grown
            for mean in ensemble.means
        ]
        # The text contains the trees to keep, and no data.
        texts = [each.booster.model_to_string(num_iteration=each.n_kept) for each in grown]
        text = texts[0]
        if len(self.losses_) > 1:
            threads = resolve_threads(self.n_threads)
            scores = (_lightgbm().Booster(model_str=each).predict(table, num_threads=threads) for each in texts)
            factors = [1 / (len(texts) * spread_within(each, data.offsets)) for each in scores]
            text = Trees.joined(map(Trees.of, texts), factors).to_text(self._booster_names())
        self.booster_: Any = _lightgbm().Booster(model_str=text)

    def _warn_if_flat(self, loss: Loss, of_scores: Callable[[Floats], tuple[Float32s, Float32s]], lists: Lists) -> None:
        """Warn if a smooth measure of the top sees nothing: equal scores have soft ranks in the middle of the list."""
        gradient, _ = of_scores(np.zeros(lists.labels.size))
        differ = maxima(lists.labels, lists.offsets) + maxima(-lists.labels, lists.offsets) > 0
        flat = differ & (maxima(np.abs(gradient), lists.offsets) < _FLAT)
        if 2 * flat.sum() > differ.sum():
            from idealrank.learners.estimators import ConvergenceWarning

            warnings.warn(
                f"{loss} is flat at equal scores for {flat.sum()} of {differ.sum()} queries, so that the first trees "
                "learn little: leave out the cutoff, set beta=0.1 or lower, or pass init_model=, a ranker that was "
                "fitted with another loss",
                ConvergenceWarning,
                stacklevel=5,  # at the call of fit
            )

    def _warn_of_setbacks(self, grown: Sequence[_Ensemble], data: RankingData, validation: RankingData) -> None:
        """Warn if trees, or all trees together, are no better than less on the validation queries."""
        from idealrank.learners.estimators import ConvergenceWarning

        for ensemble in grown:
            n_grown = len(ensemble.means) - 1
            if ensemble.n_kept == 1 and n_grown >= 2 * _NEIGHBORS:
                what = f"{type(self).__name__} kept only the first tree of {ensemble.loss}"
                why = f"the validation measure was best there, of {n_grown} trees"
                advice = "try a smaller learning rate, or another loss"
                warnings.warn(f"{what}: {why}; {advice}", ConvergenceWarning, stacklevel=5)  # at the call of fit
        if not self.categorical_features_.size:
            warn_if_ridge_is_better(self, data, validation, stacklevel=5)

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

    def _lightgbm_params(self, random_state: int) -> dict[str, Any]:
        return {
            "verbosity": -1,
            "num_threads": resolve_threads(self.n_threads),
            "learning_rate": self.learning_rate,
            "num_leaves": self.num_leaves,
            "extra_trees": self.extra_trees,
            "min_data_in_leaf": self.min_child_samples,
            "bagging_fraction": self.subsample,
            "bagging_freq": 1 if self.subsample < 1 else 0,
            "feature_fraction": self.colsample_bytree,
            "lambda_l2": self.reg_lambda,
            "seed": random_state,
            **(self.params or {}),
        }

    def _watch(
        self,
        train: Any,
        data: RankingData | None,
        ensemble: _Ensemble,
        start: Any,
        callbacks: Sequence[Callable[..., Any]],
    ) -> dict[str, Any]:
        """Return arguments that make LightGBM record its booster, and validate and stop early if there is data."""

        def remember(state: Any) -> None:
            ensemble.booster = state.model

        if data is None:
            return {"callbacks": [*callbacks, remember]}
        chosen = measure(self.measure)

        def report(scores: Floats, _: Any) -> tuple[str, float, bool]:
            ensemble.means.append(mean_value(chosen, data.lists(scores, self.n_threads)))
            return "validation", ensemble.means[-1], not chosen.lower_is_better

        def stop(state: Any) -> None:
            ensemble.choose(lower_is_better=chosen.lower_is_better)
            if self.patience is not None and len(ensemble.means) - 1 - ensemble.n_new >= self.patience:
                raise _lightgbm().callback.EarlyStopException(state.iteration, [])

        table = self._features(data).table()
        report(np.zeros(data.n_docs) if start is None else start.predict(table, raw_score=True), None)
        valid = train.create_valid(table, data.labels)
        return {"valid_sets": [valid], "feval": report, "callbacks": [*callbacks, remember, stop]}


@dataclass
class _Ensemble:
    """The trees of one loss: ``means[i]`` is the validation measure after i new trees, if there is validation data."""

    loss: str
    n_before: int
    booster: Any = None
    means: list[float] = field(default_factory=list)
    n_new: int = 0

    @property
    def n_kept(self) -> int:
        """The number of trees to keep, including those from before."""
        return self.n_before + self.n_new

    def choose(self, *, lower_is_better: bool) -> None:
        """Set the number of new trees to keep: all, or those up to the best mean over neighbors."""
        if not self.means:
            self.n_new = self.booster.current_iteration() - self.n_before
            return
        smoothed = _smoothed(np.array(self.means[1:]))
        self.n_new = 1 + int(np.argmin(smoothed) if lower_is_better else np.argmax(smoothed))


def _smoothed(values: Floats) -> Floats:
    """Return the mean of each value and its neighbors, as many before as after it.

    >>> _smoothed(np.array([0.0, 3.0, 0.0, 3.0])).tolist()
    [0.0, 1.0, 2.0, 3.0]
    """
    places = np.arange(values.size)
    reach = np.minimum(np.minimum(places, places[::-1]), _NEIGHBORS)
    sums = np.concatenate(([0.0], np.cumsum(values)))
    means: Floats = (sums[places + reach + 1] - sums[places - reach]) / (2 * reach + 1)
    return means


def _objective(
    of_scores: Callable[[Floats], tuple[Float32s, Float32s]], lists: Lists
) -> Callable[[Floats, Any], tuple[Float32s, Float32s]]:
    def objective(scores: Floats, _: Any) -> tuple[Float32s, Float32s]:
        with lists.with_locations():
            return of_scores(scores)

    return objective


def _is_dart(params: Mapping[str, Any]) -> bool:
    return any(params.get(name) == "dart" for name in _BOOSTING)


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
