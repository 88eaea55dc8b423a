"""Pages whose examples need packages that are not installed are left out."""

from importlib.util import find_spec

NEEDS = {
    "boosting.md": ["lightgbm", "xgboost"],
    "clusters.md": ["dask", "distributed", "pandas"],
    "recommenders.md": ["torch"],
    "torch.md": ["torch"],
}
collect_ignore = [page for page, modules in NEEDS.items() if not all(map(find_spec, modules))]
