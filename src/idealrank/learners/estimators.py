"""What learners take from scikit-learn, which the extra "learn" installs."""

from typing import Any

from idealrank._core.extras import needs
from idealrank.errors import OptionError

with needs("sklearn"):
    from sklearn.base import BaseEstimator, clone
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.utils.validation import check_is_fitted, validate_data
    from threadpoolctl import threadpool_limits

__all__ = [
    "BaseEstimator",
    "ConvergenceWarning",
    "check_is_fitted",
    "check_learner",
    "clone",
    "threadpool_limits",
    "validate_data",
]


def check_learner(given: Any, name: str) -> None:
    """Raise an OptionError for what scikit-learn cannot copy: another kind of value, or a class."""
    if isinstance(given, type) or not hasattr(given, "get_params"):
        raise OptionError(f"{name} must be a learner, such as ListNet(), got {given!r}")
