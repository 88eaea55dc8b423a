"""Boosted trees: LightGBM, with any loss to minimise and any measure to stop by."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from idealrank._base.extras import needs
from idealrank._base.threads import resolve_threads
from idealrank._typing import Float32s, Floats
from idealrank.data.ranking import RankingData
from idealrank.errors import DataError, OptionError
from idealrank.evaluation.scoring import mean_over_queries
from idealrank.learners.base import Ranker, Training
from idealrank.learners.linear.features import table_of
from idealrank.learners.linear.parts import in_callers_words
from idealrank.learners.names import register
from idealrank.learners.trees.arrays import Trees
from idealrank.learners.trees.boosting import derivatives
from idealrank.losses import Loss, loss
from idealrank.measures import Measure, measure

__all__ = ["BoostedRanker"]

# LightGBM's names of two parameters.
_OBJECTIVE = {"app", "application", "loss", "objective", "objective_type"}
_BOOSTING = {"boost", "boosting", "boosting_type"}


@register("boosted", "boosted_ranker")
@dataclass(kw_only=True, eq=False, repr=False)
class BoostedRanker(Ranker):
    """Boosted trees that minimise a loss of `idealrank.losses`, grown by LightGBM (the extra ``lightgbm``).

    Parameters
    ----------
    loss: a loss or its name. LightGBM's own lambdarank keeps the pairs with a document among the first 30, too.
    normalize: "minmax" or "zscore" brings each feature to one scale within each query; scoring repeats it.
    measure: what ``score`` and validation measure.
    n_estimators: how many trees at most.
    learning_rate: the share of each tree's step that is taken.
    num_leaves, min_child_samples: leaves a tree at most, documents a leaf at least.
    subsample, colsample_bytree: the share of the documents, and of the features, that each tree is grown from.
    reg_lambda: what is added to the curvature of a leaf.
    params: any other parameters of LightGBM, by its names.
    patience: stop when validation has not improved for so many trees; None never does.
    random_state: the seed of what is drawn.

    With an ``eval_set`` the trees kept are those up to the best mean of ``measure`` on it, ``best_iteration_`` of them,
    and ``history_`` has the means, first that without a tree. An interrupt leaves the best so far. ``booster_`` is
    LightGBM's model, ``booster_.model_to_string()`` its text.

    One feature that tells the better document of each of 20 queries:

    >>> X, y, qid = [[0.0], [1.0]] * 20, [0, 1] * 20, np.repeat(np.arange(20), 2)
    >>> BoostedRanker(n_estimators=3).fit(X, y, qid=qid).score(X, y, qid=qid)
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
    normalize: str | None = None
    measure: str | Measure = "ndcg"
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
    n_threads: int | None = None

    def _check_options(self) -> None:
        for name, least in (("n_estimators", 1), ("num_leaves", 2), ("min_child_samples", 1), ("patience", 1)):
            value = getattr(self, name)
            if value is not None and value < least:
                raise OptionError(f"{name} must be {least} or more, got {value!r}")
        for name, most in (("learning_rate", math.inf), ("subsample", 1), ("colsample_bytree", 1)):
            value = getattr(self, name)
            if not 0 < value <= most:
                raise OptionError(f"{name} must be above 0{' and at most 1' * (most == 1)}, got {value!r}")
        for name in _OBJECTIVE.intersection(self.params or ()):
            raise OptionError(f"params has {name!r}, but what the trees minimise is named by loss")

    def _fit(self, training: Training) -> None:
        lightgbm = _lightgbm()
        params = self._lightgbm_params()
        if training.validation is not None and any(params.get(name) == "dart" for name in _BOOSTING):
            raise OptionError(
                "dart changes trees that are there, so that those up to the best one are not what was validated: "
                "fit it without an eval_set"
            )
        self.loss_: Loss = loss(self.loss).resolved(training.lists.scores)

        def objective(scores: Floats, _: Any) -> tuple[Float32s, Float32s]:
            with in_callers_words(training.data):
                return derivatives(self.loss_, replace(training.lists, scores=scores), training.query_weights)

        train = lightgbm.Dataset(table_of(training.features), training.lists.labels, params=params).construct()
        if not any(map(train.feature_num_bin, range(self.n_features_in_))):
            raise DataError(
                f"no feature can be split: there are {training.data.n_docs} documents, and a leaf must have "
                f"min_child_samples={self.min_child_samples}; take fewer, or features that are not constant"
            )
        means: list[float] = []
        watch = {} if training.validation is None else self._watch(train, training.validation, means)
        grown: list[Any] = []  # the booster, tree after tree
        callbacks = [*watch.pop("callbacks", ()), lambda state: grown.append(state.model)]
        try:
            lightgbm.train({**params, "objective": objective}, train, self.n_estimators, callbacks=callbacks, **watch)
        finally:
            if grown:
                self._keep(grown[-1], means)

    def _keep(self, booster: Any, means: list[float]) -> None:
        """Keep the trees up to the best of the means, which are of 0 trees, 1, 2 and so on; all trees without any."""
        choose = np.argmin if measure(self.measure).lower_is_better else np.argmax
        self.best_iteration_: int = 1 + int(choose(means[1:])) if means else booster.current_iteration()
        self.history_ = [{"validation": mean} for mean in means]
        # The text has the trees to keep and no data.
        self.booster_: Any = _lightgbm().Booster(model_str=booster.model_to_string(num_iteration=self.best_iteration_))

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "booster_")

    def _scores(self, data: RankingData) -> Floats:
        threads = resolve_threads(self.n_threads)
        scores: Floats = self.booster_.predict(table_of(self._features(data)), num_threads=threads)
        return scores

    def _get_state(self) -> dict[str, Any]:
        return vars(Trees.of(self.booster_.model_to_string()))

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
        """Arguments for LightGBM by which it validates, notes the means, and stops."""
        lightgbm = _lightgbm()
        labels, chosen = data.labels, measure(self.measure)

        def report(scores: Floats, _: Any) -> tuple[str, float, bool]:
            with in_callers_words(data):
                means.append(mean_over_queries(chosen(labels, scores, data.offsets), chosen))
            return "validation", means[-1], not chosen.lower_is_better

        report(np.zeros(data.n_docs), None)
        callbacks = [] if self.patience is None else [lightgbm.early_stopping(self.patience, verbose=False)]
        valid = train.create_valid(table_of(self._features(data)), labels)
        return {"valid_sets": [valid], "feval": report, "callbacks": callbacks}


def _lightgbm() -> Any:
    with needs("lightgbm"):
        import lightgbm
    return lightgbm
