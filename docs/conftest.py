"""Pages whose examples need packages that are not installed are left out."""

from importlib.util import find_spec
from pathlib import Path

import pytest

NEEDS = {
    "faq.md": ["lightgbm", "pytrec_eval", "sklearn", "xgboost"],
    "boosting.md": ["lightgbm", "xgboost"],
    "large_data.md": ["dask", "distributed", "pandas"],
    "migrating.md": ["polars", "pandas"],
    "recommenders.md": ["torch"],
    "torch.md": ["torch"],
}
#: Pages whose examples take about ten seconds or more.
SLOW = ["boosting.md", "which_loss.md"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the examples of pages that take long."""
    for item in items:
        if item.path.parent == Path(__file__).parent and item.path.name in SLOW:
            item.add_marker("slow")


collect_ignore = [page for page, modules in NEEDS.items() if not all(map(find_spec, modules))]
