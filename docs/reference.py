"""What the pages of the reference show: each object that docs/api names, its members, and their text in Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import griffe
import yaml

DOCS = Path(__file__).parent
PAGES = sorted((DOCS / "api").glob("*.md"))
_BLOCK = re.compile(r"^::: (\S+)(?:\n    options: (\{.*\}))?$", re.MULTILINE)


@dataclass(frozen=True)
class Entry:
    """One entry of a page: an object of griffe, as the extension of docs/docstrings.py left it.

    Attributes
    ----------
    path : str
        The path under which the page shows the object.
    found : griffe.Object
        The object.
    is_member : bool
        Whether it is shown as a member of a class.
    """

    path: str
    found: Any
    is_member: bool

    @property
    def text(self) -> str:
        """The docstring in Markdown."""
        return self.found.docstring.value if self.found.docstring else ""


def entries(page: Path) -> Iterator[Entry]:
    """Yield what a page shows, in its order."""
    known = _loaded()
    for path, given in _BLOCK.findall(page.read_text(encoding="utf-8")):
        options = yaml.safe_load(given) if given else {}
        found = known[path]
        yield Entry(path, found, is_member=False)
        if found.is_class:
            for name in _members(found, options):
                yield Entry(f"{path}.{name}", found.all_members[name], is_member=True)


def _members(found: Any, options: dict[str, Any]) -> Iterator[str]:
    """Yield the names of the members that mkdocstrings shows: those that are listed, or that no filter hides."""
    listed, inherited = options.get("members"), options.get("inherited_members", [])
    for name in found.all_members:
        is_own = name in found.members and (name in listed if listed is not None else not _hidden(name))
        if (is_own or name in inherited) and name != "__init__" and found.all_members[name].docstring:
            yield name


def _hidden(name: str) -> bool:
    return any(re.search(pattern, name) for pattern in _filters())


@cache
def _filters() -> list[str]:
    plugins = yaml.safe_load((DOCS.parent / "mkdocs.yml").read_text(encoding="utf-8"))["plugins"]
    (options,) = (each["mkdocstrings"]["handlers"]["python"]["options"] for each in plugins if "mkdocstrings" in each)
    return [each.removeprefix("!") for each in options["filters"]]


@cache
def _loaded() -> Any:
    """Return all modules, as mkdocstrings loads them."""
    extensions = griffe.load_extensions(str(DOCS / "docstrings.py"))
    loader = griffe.GriffeLoader(extensions=extensions, search_paths=[DOCS.parent / "src"])
    loader.load("idealrank")
    loader.resolve_aliases(implicit=False)
    return loader.modules_collection
