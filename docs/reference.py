"""A hook of mkdocs: a public name that the reference leaves out is a warning, and CI takes warnings for errors."""

import inspect
import logging
import re
from importlib import import_module
from typing import Any

_LOG = logging.getLogger("mkdocs.hooks.reference")
# Those of PyTorch are made from the losses, as its page says.
_MODULES = """
    cutoffs datasets discounts errors gains integrations.dask integrations.lightgbm
    integrations.pytrec_eval integrations.xgboost learners losses
    measures ranks report report.figures stats theory
"""
_shown: set[str] = set()


def on_page_content(html: str, *, page: Any, **_: Any) -> None:
    """Note what a page of the reference has a heading for."""
    if page.file.src_uri.startswith("api/"):
        _shown.update(re.findall(r'<h\d id="[\w.]*\.(\w+)"', html))


def on_post_build(**_: Any) -> None:
    """Warn of each class and function that has none."""
    for name in ("idealrank", *(f"idealrank.{module}" for module in _MODULES.split())):
        module = import_module(name)
        public = {each: getattr(module, each) for each in module.__all__}
        for each in sorted(public.keys() - _shown):
            if inspect.isclass(public[each]) or inspect.isfunction(public[each]):
                _LOG.warning("%s.%s is on no page of docs/api", name, each)
