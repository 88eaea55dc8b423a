"""Pages of the documentation that need an optional package are left out where it is not installed."""

from importlib.util import find_spec

_NEEDS = {"docs/torch.md": "torch"}

collect_ignore = [page for page, package in _NEEDS.items() if find_spec(package) is None]
