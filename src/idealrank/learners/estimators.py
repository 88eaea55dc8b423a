"""What learners take from scikit-learn, which the extra "learn" installs."""

from idealrank._base.extras import needs

with needs("sklearn", extra="learn"):
    from sklearn.base import BaseEstimator, clone
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.utils.validation import check_is_fitted, validate_data
    from threadpoolctl import threadpool_limits

__all__ = ["BaseEstimator", "ConvergenceWarning", "check_is_fitted", "clone", "threadpool_limits", "validate_data"]
