"""The reference: docs/api lists its objects; ``write`` makes a page of each, and an index with a line for each."""

from __future__ import annotations

import re
import shutil
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
    def name(self) -> str:
        """What its page is called: its path, without what users do not write."""
        parts = self.path.split(".")[1:]
        return ".".join(parts if len(parts) < 3 or parts[0] == "integrations" else parts[-1:])

    @property
    def address(self) -> str:
        """The name of its file: a class may be called like a function but for case, which not every disk keeps."""
        return f"{self.name}-class" if self.found.is_class and self.name.lower() in _functions() else self.name

    @property
    def text(self) -> str:
        """The docstring in Markdown."""
        return self.found.docstring.value if self.found.docstring else ""


def write(folder: Path = DOCS / "reference") -> None:
    """Write the indexes, and the pages of all objects."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        title = text.partition("\n")[0].lstrip("# ")
        listed = [each for each in entries(page) if not each.is_member]
        rows = {each.path: (each.name, each.address, each.text.split("\n\n")[0]) for each in listed}
        for path, given in _BLOCK.findall(text):
            options = f"    options: {yaml.safe_load(given or '{}')}\n"
            own = f"---\ntitle: {rows[path][0]}\n---\n\n::: {path}\n{options}\nIn the index: [{title}]({page.name})\n"
            (folder / f"{rows[path][1]}.md").write_text(own, encoding="utf-8")
        index = _BLOCK.sub(lambda found: "| [`{}`]({}.md) | {} |".format(*rows[found[1]]), text)  # noqa: B023
        index = re.sub(r"^(\|.*\|\n)\n(?=\|)", r"\1", index, flags=re.MULTILINE)
        index = re.sub(r"^(?<!\|\n)(?=\|)", "| name | |\n| --- | --- |\n", index, flags=re.MULTILINE)
        (folder / page.name).write_text(index, encoding="utf-8")


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


@cache
def _functions() -> set[str]:
    """Return the names of all functions with a page, in lower case."""
    return {each.name.lower() for page in PAGES for each in entries(page) if each.found.is_function}


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
