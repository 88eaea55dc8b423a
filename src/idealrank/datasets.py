"""Generated data sets, the same for the same seed, for examples and experiments.

The public name of `idealrank.data.datasets`.
"""

from idealrank.data.datasets import *  # noqa: F403
from idealrank.data.datasets import __all__ as __all__
