"""Boosted trees: LightGBM, with any loss to minimize and any measure to stop by."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import NoneType
from typing import Any, ClassVar

import numpy as np

from idealrank._base.extras import needs
from idealrank._base.threads import resolve_threads
from idealrank._typing import Float32s, Floats
from idealrank.data.ranking import RankingData
from idealrank.errors import DataError, OptionError
from idealrank.evaluation.scoring import mean_value
from idealrank.learners.base import Ranker
from idealrank.learners.features import DenseFeatures, SparseFeatures, features_of
from idealrank.learners.names import register
from idealrank.learners.trees.arrays import Trees
from idealrank.learners.trees.boosting import derivatives
from idealrank.losses import Loss, loss
from idealrank.measures import measure

__all__ = ["BoostedRanker"]

# LightGBM's names of two parameters.
_OBJECTIVE = {"app", "application", "loss", "objective", "objective_type"}
_BOOSTING = {"boost", "boosting", "boosting_type"}


@register("boosted", "boosted_ranker")
@dataclass(kw_only=True, eq=False, repr=False)
class BoostedRanker(Ranker):
    """Boosted trees that minimize a loss of `idealrank.losses`, grown by LightGBM (the extra ``lightgbm``).

    With an ``eval_set`` the trees up to the best mean of ``measure`` on it are kept. An interrupt keeps the best so
    far. A feature may be NaN, which LightGBM treats as missing: each split learns on which side it goes.

    Parameters
    ----------
    loss : str or Loss
        A loss or its name. The default uses the pairs of LightGBM's own lambdarank: those with a document among the
        first 30 ranks.
    n_estimators : int
        Maximum number of trees.
    learning_rate : float
        The factor by which the step of each tree is multiplied.
    num_leaves : int
        Maximum number of leaves of a tree.
    min_child_samples : int
        Minimum number of documents in a leaf.
    subsample, colsample_bytree : float
        The fractions of the documents and of the features that each tree is grown from.
    reg_lambda : float
        A constant that is added to the curvature of each leaf (L2 regularization).
    params : mapping, optional
        Any other parameters of LightGBM, by its names.
    patience : int, optional
        Stop if validation has not improved for this many trees; None never stops early.
    random_state : int, optional
        Seed of the random number generator.

    Attributes
    ----------
    booster_ : lightgbm.Booster
        LightGBM's model; ``booster_.model_to_string()`` is its text.
    best_iteration_ : int
        The number of trees that were kept.
    history_ : list of dict
        The validation means, the first of them without any tree.

    Examples
    --------
    One feature that tells the better document of each of 20 queries:

    >>> from idealrank import from_arrays
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
    }

    loss: str | Loss = field(default="lambda_rank(truncation=30)", kw_only=False)
    n_estimators: int = 200
    learning_rate: float = 0.05
    num_leaves: int = 31
    min_child_samples: int = 20
    subsample: float = 1.0
    colsample_bytree: float = 1.0
    reg_lambda: float = 0.0
    params: Mapping[str, Any] | None = None
    patience: int | None = None
    random_state: int | None = None

    def _check_options(self) -> None:
        for name, least in (("n_estimators", 1), ("num_leaves", 2), ("min_child_samples", 1), ("patience", 1)):
            value = getattr(self, name)
            if value is not None and value < least:
                raise OptionError(f"{name} must be {least} or more, got {value!r}")
        for name, most in (("learning_rate", math.inf), ("subsample", 1), ("colsample_bytree", 1)):
            value = getattr(self, name)
            if not 0 < value <= most:
                raise OptionError(f"{name} must be above 0{' and at most 1' * (most == 1)}, got {value!r}")
        if not isinstance(self.params, (Mapping, NoneType)):
            raise OptionError(f"params must be a mapping of LightGBM's parameters, got {self.params!r}")
        for name in _OBJECTIVE.intersection(self.params or ()):
            raise OptionError(f"params has {name!r}, but what the trees minimize is set by loss")

    def _fit(self, data: RankingData, validation: RankingData | None) -> None:
        lightgbm = _lightgbm()
        params = self._lightgbm_params()
        if validation is not None and any(params.get(name) == "dart" for name in _BOOSTING):
            raise OptionError(
                "dart changes earlier trees, so that the trees up to the best one are not those that were validated: "
                "fit it without an eval_set"
            )
        lists = data.lists(n_threads=self.n_threads)
        self.loss_: Loss = loss(self.loss).resolved(lists.scores, lists.offsets)

        with lists.locating():
            of_scores = derivatives(self.loss_, lists, data.query_weights)

        def objective(scores: Floats, _: Any) -> tuple[Float32s, Float32s]:
            with lists.locating():
                return of_scores(scores)

        train = lightgbm.Dataset(self._features(data).table(), data.labels, params=params).construct()
        if not any(map(train.feature_num_bin, range(self.n_features_in_))):
            raise DataError(
                f"no feature can be split: there are {data.n_docs} documents, and a leaf must have "
                f"min_child_samples={self.min_child_samples}; use a lower number, or features that are not constant"
            )
        means: list[float] = []
        watch = {} if validation is None else self._watch(train, validation, means)
        grown: list[Any] = []  # the booster, tree after tree
        callbacks = [*watch.pop("callbacks", ()), lambda state: grown.append(state.model)]
        try:
            lightgbm.train({**params, "objective": objective}, train, self.n_estimators, callbacks=callbacks, **watch)
        finally:
            if grown:
                self._keep(grown[-1], means)

    def _keep(self, booster: Any, means: list[float]) -> None:
        """Keep the trees up to the best of the means, which are those of 0, 1, 2 trees and so on; all without means."""
        choose = np.argmin if measure(self.measure).lower_is_better else np.argmax
        self.best_iteration_: int = 1 + int(choose(means[1:])) if means else booster.current_iteration()
        self.history_ = [{"validation": mean} for mean in means]
        # The text has the trees to keep and no data.
        self.booster_: Any = _lightgbm().Booster(model_str=booster.model_to_string(num_iteration=self.best_iteration_))

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "booster_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.normalize is None
        return tags

    def _features(self, data: RankingData) -> DenseFeatures | SparseFeatures:
        return features_of(data, self.normalize, self.n_threads, may_be_missing=True)

    def _scores(self, data: RankingData) -> Floats:
        threads = resolve_threads(self.n_threads)
        scores: Floats = self.booster_.predict(self._features(data).table(), num_threads=threads)
        return scores

    def to_trees(self) -> Trees:
        """Return the trees as arrays."""
        return Trees.of(self.booster_.model_to_string())

    def _get_state(self) -> dict[str, Any]:
        return vars(self.to_trees())

    def _set_state(self, state: Mapping[str, Any]) -> None:
        trees = Trees(**state)
        trees.check(self.n_features_in_)
        self.booster_ = _lightgbm().Booster(model_str=trees.to_text(self.n_features_in_))

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

    def _watch(self, train: Any, data: RankingData, means: list[float]) -> dict[str, Any]:
        """Return arguments for LightGBM with which it validates, records the means, and stops."""
        lightgbm = _lightgbm()
        chosen = measure(self.measure)

        def report(scores: Floats, _: Any) -> tuple[str, float, bool]:
            means.append(mean_value(chosen, data.lists(scores, self.n_threads)))
            return "validation", means[-1], not chosen.lower_is_better

        report(np.zeros(data.n_docs), None)
        callbacks = [] if self.patience is None else [lightgbm.early_stopping(self.patience, verbose=False)]
        valid = train.create_valid(self._features(data).table(), data.labels)
        return {"valid_sets": [valid], "feval": report, "callbacks": callbacks}


def _lightgbm() -> Any:
    with needs("lightgbm"):
        import lightgbm
    return lightgbm
