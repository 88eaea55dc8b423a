"""What mkdocstrings is told of idealrank: docstrings as Markdown, the defaults of options, names made at run time."""

import re
from importlib import import_module
from typing import Any

import griffe

_EXAMPLE = re.compile(r"^>>> .*(?:\n(?!\s*$).*)*", re.MULTILINE)
_SECTION = re.compile(r"^(\S.*)\n-{4,}\n((?:.+\n?)*)", re.MULTILINE)
_ENTRY = re.compile(r"^(\S[^:\n]*) : (.+)$", re.MULTILINE)


def as_markdown(text: str) -> str:
    r"""The docstring as Markdown.

    >>> print(as_markdown("One.\n\nParameters\n----------\na, b : float\n    Numbers.\n\n>>> 1 + 1\n2"))
    One.
    <BLANKLINE>
    **Parameters**
    <BLANKLINE>
    - `a, b` (float):
        Numbers.
    <BLANKLINE>
    ```pycon
    >>> 1 + 1
    2
    ```
    """
    text = _SECTION.sub(lambda found: f"**{found[1]}**\n\n" + _ENTRY.sub(r"- `\1` (\2):", found[2]), text)
    return _EXAMPLE.sub(lambda found: f"```pycon\n{found[0]}\n```", text)


class Docstrings(griffe.Extension):
    """What mkdocstrings calls for each object that it reads."""

    def on_object(self, *, obj: Any, **_: Any) -> None:
        """Rewrite the docstring of the object, if it has one."""
        if obj.docstring is not None:
            obj.docstring.value = as_markdown(obj.docstring.value)

    def on_attribute_instance(self, *, attr: Any, **_: Any) -> None:
        """Put the default of an option in the place of what declares it."""
        if isinstance(attr.value, griffe.ExprCall) and str(attr.value.function) == "option":
            attr.value = (*attr.value.arguments, "None")[1]
        elif str(attr.value).endswith("_option"):  # one of those that several measures share
            attr.value = "None"

    def on_module_members(self, *, mod: Any, **_: Any) -> None:
        """Ask a package for its public names where a table lists them."""
        if "_TABLE" in mod.members:
            mod.exports = list(import_module(mod.path).__all__)
